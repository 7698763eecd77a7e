// Inner loops of the dense factorisations.
#ifndef TD_KERNEL_H
#define TD_KERNEL_H

#include <string.h>

// a·b by four partial sums: the order of additions is fixed, and the compiler may use vectors.
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

typedef double eight __attribute__((vector_size(64)));
typedef double four __attribute__((vector_size(32)));

// y += c x in groups of eight and four: rows are short, and a loop that the compiler vectorises
// more widely would process most of them element by element.
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

// y += s Σ_k c_k x_k for rows x_k of n numbers, ld apart, and coefficients c_k `stride` apart.  The
// sums stay in registers.
static inline void sum_rows(double s, const double* c, int stride, int count, const double* x,
                            int ld, double* restrict y, int n) {
  const size_t next = (size_t)stride, below = (size_t)ld;

  // groups of sixteen, of four, and the rest
  for (; n >= 16; n -= 16, x += 16, y += 16) {
    eight a[2], sum[2] = {{0}, {0}};
    for (size_t k = 0; k < (size_t)count; k++) {
      memcpy(a, x + k * below, sizeof a);
      sum[0] += c[k * next] * a[0];
      sum[1] += c[k * next] * a[1];
    }
    memcpy(a, y, sizeof a);
    a[0] += s * sum[0];
    a[1] += s * sum[1];
    memcpy(y, a, sizeof a);
  }

  for (; n >= 4; n -= 4, x += 4, y += 4) {
    four a, sum = {0};
    for (size_t k = 0; k < (size_t)count; k++) {
      memcpy(&a, x + k * below, sizeof a);
      sum += c[k * next] * a;
    }
    memcpy(&a, y, sizeof a);
    a += s * sum;
    memcpy(y, &a, sizeof a);
  }

  for (; n > 0; n--, x++, y++) {
    double sum = 0;
    for (size_t k = 0; k < (size_t)count; k++) sum += c[k * next] * x[k * below];
    *y += s * sum;
  }
}

// y -= a·b of complex numbers stored as pairs [re, im].  The compiler's own complex product checks
// for infinities, which takes most of its time.
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
