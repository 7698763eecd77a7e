x = 3;
end
y = 4;
