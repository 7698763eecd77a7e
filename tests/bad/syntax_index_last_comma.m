x = zeros(3,);
