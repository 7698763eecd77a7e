k = stiff(2);
function k = stiff(a)
  k = a*helper(3);
  function b = helper(c)
    b = c^2;
  end
end
