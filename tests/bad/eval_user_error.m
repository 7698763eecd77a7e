n = 3;
if n > 2
  error('too many: %d', n);
end
