// Eight spatial vectors side by side, component by component: what happens to each of them alike is
// done to all at once.
#ifndef TD_OCTET_H
#define TD_OCTET_H

#include "lanes.h"
#include "spatial.h"

typedef struct octet {
  lanes c[6];
} octet;

// size e_0 … size e_5, and nothing in the last two
static inline octet octet_units(double size) {
  return (octet){{{size, 0, 0, 0, 0, 0, 0, 0},
                  {0, size, 0, 0, 0, 0, 0, 0},
                  {0, 0, size, 0, 0, 0, 0, 0},
                  {0, 0, 0, size, 0, 0, 0, 0},
                  {0, 0, 0, 0, size, 0, 0, 0},
                  {0, 0, 0, 0, 0, size, 0, 0}}};
}
static inline octet octet_zero(void) { return (octet){{{0}, {0}, {0}, {0}, {0}, {0}}}; }
static inline octet octet_add(octet x, octet y) {
  for (int i = 0; i < 6; i++) x.c[i] += y.c[i];
  return x;
}
static inline octet octet_scale(double s, octet x) {
  for (int i = 0; i < 6; i++) x.c[i] *= s;
  return x;
}
static inline octet octet_axpy(double s, const octet* x, octet y) {  // s x + y
  for (int i = 0; i < 6; i++) y.c[i] += s * x->c[i];
  return y;
}
// a · each
static inline lanes octet_dot(const spatial* a, const octet* x) {
  const double* s = a->a;
  return (s[0] * x->c[0] + s[1] * x->c[1] + s[2] * x->c[2]) +
         (s[3] * x->c[3] + s[4] * x->c[4] + s[5] * x->c[5]);
}

// ---- products of vectors ----------------------------------------------------------------------

// to += a × x, three components each
static inline void octet_cross3(const double* a, const lanes* x, lanes* to) {
  to[0] += a[1] * x[2] - a[2] * x[1];
  to[1] += a[2] * x[0] - a[0] * x[2];
  to[2] += a[0] * x[1] - a[1] * x[0];
}
// y + a × each twist
static inline octet octet_cross_add(const spatial* a, const octet* x, octet y) {
  octet_cross3(a->a + 3, x->c, y.c);
  octet_cross3(a->a, x->c + 3, y.c);
  octet_cross3(a->a + 3, x->c + 3, y.c + 3);
  return y;
}
static inline octet octet_cross(const spatial* a, const octet* x) {
  return octet_cross_add(a, x, octet_zero());
}
// each twist ×* the wrench f:  [w × f, v × f + w × m] = -[f × w, f × v + m × w]
static inline octet octet_cross_force(const octet* x, const spatial* f) {
  const double force[3] = {-f->a[0], -f->a[1], -f->a[2]},
               moment[3] = {-f->a[3], -f->a[4], -f->a[5]};
  octet y = octet_zero();
  octet_cross3(force, x->c + 3, y.c);
  octet_cross3(force, x->c, y.c + 3);
  octet_cross3(moment, x->c + 3, y.c + 3);
  return y;
}
// y + A each
static inline octet octet_apply_add(const spatial6* A, const octet* x, octet y) {
  for (int i = 0; i < 6; i++) {
    lanes even = A->col[0].a[i] * x->c[0], odd = A->col[1].a[i] * x->c[1];
    for (int j = 2; j < 6; j += 2) {
      even += A->col[j].a[i] * x->c[j];
      odd += A->col[j + 1].a[i] * x->c[j + 1];
    }
    y.c[i] += even + odd;
  }
  return y;
}
static inline octet octet_apply(const spatial6* A, const octet* x) {
  return octet_apply_add(A, x, octet_zero());
}

// R x, three components
static inline void octet_rotate(const mat3* R, const lanes* x, lanes* to) {
  for (int i = 0; i < 3; i++)
    to[i] = R->m[3 * i] * x[0] + R->m[3 * i + 1] * x[1] + R->m[3 * i + 2] * x[2];
}
// Twists in the frame g, seen from the world.
static inline octet octet_carried(const pose* g, const octet* x) {
  const double p[3] = {g->p.x, g->p.y, g->p.z};
  octet y;
  octet_rotate(&g->R, x->c + 3, y.c + 3);
  octet_rotate(&g->R, x->c, y.c);
  octet_cross3(p, y.c + 3, y.c);
  return y;
}

// ---- one by one -------------------------------------------------------------------------------

static inline spatial octet_vector(const octet* x, int i) {
  return (spatial){{x->c[0][i], x->c[1][i], x->c[2][i], x->c[3][i], x->c[4][i], x->c[5][i], 0, 0}};
}

// All of them: a transposition in three rounds of exchanges.
#define OCTET_LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define OCTET_HIGH(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
static inline void octet_vectors(const octet* x, spatial out[8]) {
  const lanes none = {0};
  lanes a[8], b[8];
  for (int i = 0; i < 6; i += 2) {
    a[i] = OCTET_LOW(x->c[i], x->c[i + 1]);
    a[i + 1] = OCTET_HIGH(x->c[i], x->c[i + 1]);
  }
  a[6] = a[7] = none;
  for (int i = 0; i < 8; i += 4)
    for (int k = 0; k < 2; k++) {
      b[i + k] = __builtin_shufflevector(a[i + k], a[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[i + k + 2] = __builtin_shufflevector(a[i + k], a[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int i = 0; i < 4; i++) {
    const lanes low = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    const lanes high = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    *(lanes*)(void*)&out[i] = low;
    *(lanes*)(void*)&out[i + 4] = high;
  }
}

#endif
