p = param('p', 1);
par.anim = p;
