syms a
hold on
clear all
x = a + bb;
