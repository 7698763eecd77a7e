x = ramp(t, 2, 1);
