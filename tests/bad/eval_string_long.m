r = 'abcdefgh';
for k = 1:40
  r = [r r];
end
