A = [1 2 3
for i = 1:3
  body(i).m = A(i);
end
