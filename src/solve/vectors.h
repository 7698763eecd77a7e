// Loops over vectors that the analyses share.
#ifndef TD_VECTORS_H
#define TD_VECTORS_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

// Number of elements of a matrix
static inline size_t area(int rows, int cols) { return (size_t)rows * (size_t)cols; }

static inline void copy(double* to, const double* from, int n) {
  if (n > 0) memcpy(to, from, sizeof(double) * (size_t)n);
}

static inline double inner(const double* a, const double* b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static inline double norm(const double* a, int n) { return sqrt(inner(a, a, n)); }

static inline bool all_finite(const double* a, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(a[i])) return false;
  return true;
}

// Largest absolute value; infinity when some element is not finite
static inline double largest(const double* a, size_t n) {
  double top = 0;
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(a[i])) return INFINITY;
    top = fmax(top, fabs(a[i]));
  }
  return top;
}

#endif
