world.g = [0 0 -9.81]; gravity of the earth = down
