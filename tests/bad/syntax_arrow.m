body->m = 3;
