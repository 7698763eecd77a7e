par.anim = 1 + t;
