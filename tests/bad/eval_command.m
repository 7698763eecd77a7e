hold on
clear all
syms a
x = a + bb;
