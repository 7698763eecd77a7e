body(1).m = ;
