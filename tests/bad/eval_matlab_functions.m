% functions of MATLAB that are not there: each is named as such, once, with what to write instead
s = accumarray([1; 2; 1], [3; 4; 5]);
b = bitand(6, 3);
c = mat2cell(ones(4), [2 2], [2 2]);
f = cellfun(@bitand, {6}, {3});
y = filtfilt(1, 1, s);
R = quat2rotm([1 0 0 0]);
d = accumarray([1; 2], [1; 1]);
