joint(1).('sprng') = 2;
s.('a b') = 1;
