for i = 1:3
  body(i).m = 2;

joint(1).second = 1;
