body(1). = 3;
