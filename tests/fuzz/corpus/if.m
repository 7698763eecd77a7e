if a == 1 && b ~= 2
  c += 1;
elseif ~d || !e
  c--;
else
  c++
endif
