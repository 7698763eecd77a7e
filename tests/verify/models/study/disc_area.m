function a = disc_area(r)
% a function in a file of its own
if nargin < 1, r = 1; end
a = pi*r^2;
end
