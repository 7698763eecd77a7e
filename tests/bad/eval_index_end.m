x = end;
