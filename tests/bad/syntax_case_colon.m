switch x
  case 1:
    y = 3;
end
