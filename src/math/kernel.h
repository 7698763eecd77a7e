// The two loops that dense factorisations are made of.
#ifndef TD_KERNEL_H
#define TD_KERNEL_H

// Four sums at a time: the order of additions is fixed and the compiler may use vectors.
static inline double dot(const double* a, const double* b, int n) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; i++) s0 += a[i] * b[i];
  return (s0 + s2) + (s1 + s3);
}

// y += c x
static inline void axpy(double c, const double* restrict x, double* restrict y, int n) {
  for (int i = 0; i < n; i++) y[i] += c * x[i];
}

#endif
