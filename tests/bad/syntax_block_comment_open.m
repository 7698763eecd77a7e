x = 1;
%{
all of this
is a comment
