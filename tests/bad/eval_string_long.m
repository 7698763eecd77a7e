s = 'abcdefgh';
for k = 1:40
  s = [s s];
end
