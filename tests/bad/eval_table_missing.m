d = table('does_not_exist.csv');
