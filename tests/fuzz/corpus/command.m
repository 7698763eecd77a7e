clc
clear all, close all
format long
syms a,b, c
syms x real
hold on;
