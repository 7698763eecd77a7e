parfor i = 1:3
  x = i;
end
y = 2;
