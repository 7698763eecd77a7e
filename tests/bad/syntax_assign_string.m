'mass' = 3;
