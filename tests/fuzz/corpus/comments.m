%{
block
%{
nested
%}
%}
x = 1; # c
