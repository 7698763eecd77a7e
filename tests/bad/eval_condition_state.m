while pos(body(1))(3) > 0
  x = 2;
end
