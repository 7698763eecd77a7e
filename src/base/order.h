// Orders for qsort().
#ifndef TD_ORDER_H
#define TD_ORDER_H

// Ascending order of doubles, or of structs that begin with the double they are sorted by.
static inline int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Ascending order of integers.
static inline int ascending_ints(const void* a, const void* b) {
  const int x = *(const int*)a, y = *(const int*)b;
  return (x > y) - (x < y);
}

#endif
