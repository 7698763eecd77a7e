x = $a;
