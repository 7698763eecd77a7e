x**2; y &&= 3; a -> b; c ? d : e; // f
