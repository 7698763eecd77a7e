x = pos('elbow');
body(1).name = 'elbow';
y = length(joint('a'));
