x = at();
y = at(body(1), inf);
