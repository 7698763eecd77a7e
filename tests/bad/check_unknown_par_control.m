par.control.rat = 3;
