if nothing1
  a = 1;
else
  a = 2;
end
b = a + 1;
