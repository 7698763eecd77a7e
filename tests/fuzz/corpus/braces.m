if (x) {
 y = c{2};
}
