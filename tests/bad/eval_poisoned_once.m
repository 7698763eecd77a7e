a = nothing1;
b = a + 1;
c = b * 2;
d = nothing2;
