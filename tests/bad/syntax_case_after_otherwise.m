switch x
  otherwise
    y = 1;
  case 2
    y = 2;
end
