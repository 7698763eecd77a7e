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

// y -= a . b of complex numbers, stored as pairs [re, im]; the compiler's own product of complex
// numbers looks for infinities, which takes most of its time.
static inline void complex_dot_from(double y[2], const double* a, const double* b, int n) {
  double aa[4] = {0}, ab[4] = {0};
  int i = 0;
  for (; i + 4 <= 2 * n; i += 4) {
    for (int k = 0; k < 4; k++) aa[k] += a[i + k] * b[i + k];
    for (int k = 0; k < 4; k++) ab[k] += a[i + k] * b[i + (k ^ 1)];
  }
  for (; i < 2 * n; i++) {
    aa[i & 1] += a[i] * b[i];
    ab[i & 1] += a[i] * b[i ^ 1];
  }
  const double re = (aa[0] + aa[2]) - (aa[1] + aa[3]), im = (ab[0] + ab[2]) + (ab[1] + ab[3]);
  y[0] -= re;
  y[1] -= im;
}

#endif
