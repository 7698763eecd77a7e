joint(1).('sprng') = 2;
r.('a b') = 1;
