par.nint = 10.5;
