// The two loops that dense factorisations are made of.
#ifndef TD_KERNEL_H
#define TD_KERNEL_H

#include <string.h>

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

// y += c x, by eights, fours and a rest: rows are short, and a loop the compiler makes wider than
// they are does most of them one by one.
typedef double eight __attribute__((vector_size(64)));
typedef double four __attribute__((vector_size(32)));
static inline void axpy(double c, const double* restrict x, double* restrict y, int n) {
  for (; n >= 8; n -= 8, x += 8, y += 8) {
    eight a, b;
    memcpy(&a, x, sizeof a);
    memcpy(&b, y, sizeof b);
    b += c * a;
    memcpy(y, &b, sizeof b);
  }
  if (n >= 4) {
    four a, b;
    memcpy(&a, x, sizeof a);
    memcpy(&b, y, sizeof b);
    b += c * a;
    memcpy(y, &b, sizeof b);
    n -= 4, x += 4, y += 4;
  }
  if (n > 0) y[0] += c * x[0];
  if (n > 1) y[1] += c * x[1];
  if (n > 2) y[2] += c * x[2];
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
