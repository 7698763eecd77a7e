p = param('p', 1);
joint(1).second = p;
