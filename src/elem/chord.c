// Chords of cables between rods; chord.h has the formulas.
#include "elem/chord.h"

#define NO_LENGTH 1e-9  // [m]

// f(y) = 1 - 2 S(2 y) and its first four derivatives, S(u) = u³ (10 - 15 u + 6 u²) on [0, 1]
static void smooth_sign(double y, double f[5]) {
  const double u = 2 * y;
  f[0] = u < 1 ? 1 - 2 * u * u * u * (10 - 15 * u + 6 * u * u) : -1;
  f[1] = u < 1 ? -4 * 30 * u * u * (1 - u) * (1 - u) : 0;
  f[2] = u < 1 ? -8 * 60 * u * (1 - u) * (1 - 2 * u) : 0;
  f[3] = u < 1 ? -16 * 60 * (1 - 6 * u + 6 * u * u) : 0;
  f[4] = u < 1 ? -32 * 360 * (2 * u - 1) : 0;
}

// Signed length of a chord with its derivatives.
chord td_chord(const taylor_frame* a, const taylor_frame* b, bool along) {
  const taylor3 zero = taylor3_const((vec3){0, 0, 0}), e_z = taylor3_const((vec3){0, 0, 1});
  const taylor3 c = taylor3_sub(b->p, a->p);
  const taylor L = taylor3_norm(c);
  chord x = {taylor_const(0), zero, zero, zero};
  if (!along) {
    x.l = L;
    if (L.x > 0) x.force = taylor3_mul(taylor_inverse(L), c);
    return x;
  }
  const taylor3 ta = taylor4_turn(a->Q, e_z), tb = taylor4_turn(b->Q, e_z);

  // a chord without direction:  l = c·m,  m = (t_a + t_b)/|t_a + t_b|
  if (L.x < NO_LENGTH) {
    const taylor3 sum = taylor3_add(ta, tb);
    const taylor size = taylor3_norm(sum);
    if (!(size.x > NO_LENGTH)) return x;
    const taylor over = taylor_inverse(size);
    const taylor3 m = taylor3_mul(over, sum);
    x.l = taylor3_dot(c, m);
    x.force = m;
    const taylor3 slope = taylor3_mul(over, taylor3_sub(c, taylor3_mul(x.l, m)));
    x.torque_a = taylor3_cross(ta, slope);
    x.torque_b = taylor3_cross(tb, slope);
    return x;
  }

  // a chord that runs forward along one of the rods:  l = |c|
  const taylor3 n = taylor3_mul(taylor_inverse(L), c);
  const taylor ca = taylor3_dot(ta, n), cb = taylor3_dot(tb, n);
  x.l = L;
  x.force = n;
  if (ca.x >= 0 || cb.x >= 0) return x;

  // a chord that runs back:  δl = f n·δc + |c| f' δy,   |c| δy = (cb t_a + ca t_b - 2 y n)·δc +
  // turns
  double f[5];
  const taylor y = taylor_mul(ca, cb);
  smooth_sign(y.x, f);
  const taylor sign = taylor_apply(f, y), slope = taylor_apply(f + 1, y);
  const taylor3 back = taylor3_sub(taylor3_add(taylor3_mul(cb, ta), taylor3_mul(ca, tb)),
                                   taylor3_mul(taylor_scale(2, y), n));
  x.l = taylor_mul(sign, L);
  x.force = taylor3_add(taylor3_mul(sign, n), taylor3_mul(slope, back));
  const taylor lever = taylor_mul(slope, L);
  x.torque_a = taylor3_mul(taylor_mul(lever, cb), taylor3_cross(ta, n));
  x.torque_b = taylor3_mul(taylor_mul(lever, ca), taylor3_cross(tb, n));
  return x;
}

// Compare the directions of chord and tangents.
bool td_chord_along(const frame* a, const frame* b) {
  const double near = 0.995;  // a tenth of a radian
  const vec3 c = vec3_sub(b->p, a->p);
  const double L = vec3_norm(c);
  if (L < NO_LENGTH) return true;
  return vec3_dot(c, mat3_col(a->R, 2)) > near * L && vec3_dot(c, mat3_col(b->R, 2)) > near * L;
}
