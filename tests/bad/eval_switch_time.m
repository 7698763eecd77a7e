switch t
  case 1
    x = 1;
end
y = x;
