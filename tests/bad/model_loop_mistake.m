for k = 1:10
  body(k).m = -k;
end
