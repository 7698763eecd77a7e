// Vectors and matrices of expressions, by value; the names follow vec3.h.
#ifndef TD_XMATH_H
#define TD_XMATH_H

#include "expr/expr.h"
#include "math/vec3.h"

// vector
typedef struct x3 {
  ex a[3];
} x3;

// 3 x 3 matrix
typedef struct x33 {
  ex m[9];  // row-major
} x33;

// quaternion: scalar part w, vector part v
typedef struct xquat {
  ex w;
  x3 v;
} xquat;

// Scalars: a number, arithmetic, a choice, comparison with a number.
static inline ex xnum(td_exprs* g, double c) { return td_ex_const(g, c); }
static inline ex xneg(td_exprs* g, ex a) { return td_ex_1(g, EX_NEG, a); }
static inline ex xadd(td_exprs* g, ex a, ex b) { return td_ex_2(g, EX_ADD, a, b); }
static inline ex xsub(td_exprs* g, ex a, ex b) { return td_ex_2(g, EX_SUB, a, b); }
static inline ex xmul(td_exprs* g, ex a, ex b) { return td_ex_2(g, EX_MUL, a, b); }
static inline ex xdiv(td_exprs* g, ex a, ex b) { return td_ex_2(g, EX_DIV, a, b); }
static inline ex xfun(td_exprs* g, ex_op op, ex a) { return td_ex_1(g, op, a); }
static inline ex xmax(td_exprs* g, ex a, ex b) { return td_ex_2(g, EX_MAX, a, b); }
static inline ex xif(td_exprs* g, ex test, ex yes, ex no) {
  return td_ex_make(g, EX_IFELSE, test, yes, no);
}
static inline ex xless(td_exprs* g, ex a, double b) { return td_ex_2(g, EX_LT, a, xnum(g, b)); }
static inline bool xis(const td_exprs* g, ex e, double value) {
  return td_ex_is_const(g, e) && td_ex_value(g, e) == value;
}
static inline ex xscale(td_exprs* g, double s, ex a) { return xmul(g, xnum(g, s), a); }

static inline x3 x3_of(td_exprs* g, vec3 v) {
  return (x3){{xnum(g, v.x), xnum(g, v.y), xnum(g, v.z)}};
}
static inline x3 x3_zero(td_exprs* g) { return x3_of(g, (vec3){0, 0, 0}); }
static inline x3 x3_axis(td_exprs* g, int k) { return x3_of(g, vec3_axis(k)); }
static inline bool x3_is_zero(const td_exprs* g, x3 v) {
  return xis(g, v.a[0], 0) && xis(g, v.a[1], 0) && xis(g, v.a[2], 0);
}
static inline x3 x3_add(td_exprs* g, x3 a, x3 b) {
  for (int i = 0; i < 3; i++) a.a[i] = xadd(g, a.a[i], b.a[i]);
  return a;
}
static inline x3 x3_sub(td_exprs* g, x3 a, x3 b) {
  for (int i = 0; i < 3; i++) a.a[i] = xsub(g, a.a[i], b.a[i]);
  return a;
}
static inline x3 x3_scale(td_exprs* g, ex s, x3 a) {
  for (int i = 0; i < 3; i++) a.a[i] = xmul(g, s, a.a[i]);
  return a;
}
static inline x3 x3_neg(td_exprs* g, x3 a) {
  for (int i = 0; i < 3; i++) a.a[i] = xneg(g, a.a[i]);
  return a;
}
static inline ex x3_dot(td_exprs* g, x3 a, x3 b) {
  const ex xy = xadd(g, xmul(g, a.a[0], b.a[0]), xmul(g, a.a[1], b.a[1]));
  return xadd(g, xy, xmul(g, a.a[2], b.a[2]));
}
static inline x3 x3_cross(td_exprs* g, x3 a, x3 b) {
  x3 c;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    c.a[i] = xsub(g, xmul(g, a.a[j], b.a[k]), xmul(g, a.a[k], b.a[j]));
  }
  return c;
}

static inline x33 x33_of(td_exprs* g, mat3 m) {
  x33 r;
  for (int i = 0; i < 9; i++) r.m[i] = xnum(g, m.m[i]);
  return r;
}
static inline x33 x33_identity(td_exprs* g) { return x33_of(g, mat3_identity()); }
static inline x3 x33_row(x33 a, int i) {
  return (x3){{a.m[3 * i], a.m[3 * i + 1], a.m[3 * i + 2]}};
}
static inline x3 x33_col(x33 a, int j) { return (x3){{a.m[j], a.m[3 + j], a.m[6 + j]}}; }
static inline x3 x33_apply(td_exprs* g, x33 a, x3 u) {
  x3 r;
  for (int i = 0; i < 3; i++) r.a[i] = x3_dot(g, x33_row(a, i), u);
  return r;
}
static inline x3 x33_apply_t(td_exprs* g, x33 a, x3 u) {  // aᵀ u
  x3 r;
  for (int i = 0; i < 3; i++) r.a[i] = x3_dot(g, x33_col(a, i), u);
  return r;
}
static inline x33 x33_transpose(x33 a) {
  return (x33){{a.m[0], a.m[3], a.m[6], a.m[1], a.m[4], a.m[7], a.m[2], a.m[5], a.m[8]}};
}
static inline x33 x33_mul(td_exprs* g, x33 a, x33 b) {
  x33 c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) c.m[3 * i + j] = x3_dot(g, x33_row(a, i), x33_col(b, j));
  return c;
}
// R [e_k]×: the derivative of a rotation matrix when its body turns about its own axis k
static inline x33 x33_turned(td_exprs* g, x33 R, int k) {
  x33 d = x33_of(g, (mat3){{0}});
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  for (int r = 0; r < 9; r += 3) {
    d.m[r + i] = R.m[r + j];
    d.m[r + j] = xneg(g, R.m[r + i]);
  }
  return d;
}

// Rotation matrix of a quaternion of squared length N.
static inline x33 x33_quat(td_exprs* g, xquat q, ex N) {
  const ex s = xdiv(g, xnum(g, 2), N), one = xnum(g, 1);
  x33 R;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const ex x = q.v.a[i], y = q.v.a[j], z = q.v.a[k];
    R.m[4 * i] = xsub(g, one, xmul(g, s, xadd(g, xmul(g, y, y), xmul(g, z, z))));
    R.m[3 * i + j] = xmul(g, s, xsub(g, xmul(g, x, y), xmul(g, q.w, z)));
    R.m[3 * j + i] = xmul(g, s, xadd(g, xmul(g, x, y), xmul(g, q.w, z)));
  }
  return R;
}

// Σ c_k x^k by Horner's rule
static inline ex xseries(td_exprs* g, const double* c, int n, ex x) {
  ex sum = xnum(g, c[n - 1]);
  for (int k = n - 2; k >= 0; k--) sum = xadd(g, xnum(g, c[k]), xmul(g, x, sum));
  return sum;
}

#endif
