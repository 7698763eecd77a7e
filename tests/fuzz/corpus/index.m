x = a{2}.b(3).c(end, :)';
s.(n)(2) = pos(body(1))(3);
