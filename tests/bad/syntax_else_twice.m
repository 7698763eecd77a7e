if a
 x = 1;
else
 x = 2;
elseif b
 x = 3;
end
