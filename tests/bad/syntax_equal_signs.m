if x === 3
  y = 1;
end
