for i = 1:3
  x = i;
endif
