for i = 1:3
  if i > 2
    x = i;
endfor
