include('does_not_exist.m');
x = 1;
