switch x
  case {1, 2}
    y = 1;
  case 'a'
    y = 2;
  otherwise
    y = 3;
end
