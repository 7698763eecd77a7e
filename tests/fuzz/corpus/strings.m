x = 'it''s';
y = "a\tb\"c""";
