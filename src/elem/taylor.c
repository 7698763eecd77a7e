// Moving frames, strains and lengths of cables as Taylor series (taylor.h).
#include "elem/taylor.h"

// Rate ω Q/2 of a quaternion with the angular velocity ω
static quat half_turn(vec3 w, quat q) { return quat_mul((quat){0, vec3_scale(0.5, w)}, q); }
static quat quat_add(quat a, quat b) { return (quat){a.w + b.w, vec3_add(a.v, b.v)}; }

// Q' = ω Q/2,  Q" = (ω' Q + ω Q')/2, and their derivatives with ∂Q = turn Q/2
taylor_frame td_taylor_frame(const frame* f, const frame_change* change) {
  const frame_change none = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  const frame_change* c = change ? change : &none;
  const quat Q = quat_mat3(f->R), d = half_turn(f->w, Q),
             dd = quat_add(half_turn(f->dw, Q), half_turn(f->w, d));
  const quat e = half_turn(c->turn, Q), ed = quat_add(half_turn(c->w, Q), half_turn(f->w, e));
  const quat edd = quat_add(quat_add(half_turn(c->dw, Q), half_turn(f->dw, e)),
                            quat_add(half_turn(c->w, d), half_turn(f->w, ed)));
  return (taylor_frame){
      taylor3_of(f->p, f->v, f->a, c->p, c->v, c->a),
      {{Q.w, d.w, dd.w, e.w, ed.w, edd.w}, taylor3_of(Q.v, d.v, dd.v, e.v, ed.v, edd.v)}};
}

// f(s) = asin(√s)/√s and its first three derivatives, from
//
//   2 s f' + f = g,  2 s f" + 3 f' = g',  2 s f"' + 5 f" = g"          g = (1 - s)^(-1/2)
//
// or, below s = 0.1, by the series (the remainder of f"' is below 1e-16).
static void half_angle(double s, double f[4]) {
  enum { TERMS = 26 };
  if (s >= 0.1) {
    const double g = 1 / sqrt(1 - s), g3 = g * g * g;
    f[0] = asin(sqrt(s)) / sqrt(s);
    f[1] = (g - f[0]) / (2 * s);
    f[2] = (0.5 * g3 - 3 * f[1]) / (2 * s);
    f[3] = (0.75 * g3 * g * g - 5 * f[2]) / (2 * s);
    return;
  }

  // coefficients of the series, then Horner's rule
  double c[TERMS], even = 1;  // (2k)!/(4^k k!²)
  for (int k = 0; k < TERMS; k++) {
    c[k] = even / (2 * k + 1);
    even *= (2 * k + 1) / (2.0 * (k + 1));
  }

  f[0] = f[1] = f[2] = f[3] = 0;
  for (int k = TERMS - 1; k >= 0; k--) {  // Horner: value, f', f"/2, f"'/6
    for (int order = 3; order > 0; order--) f[order] = f[order] * s + f[order - 1];
    f[0] = f[0] * s + c[k];
  }

  f[2] *= 2;
  f[3] *= 6;
}

static void put(taylor out[3], taylor3 a) {
  out[0] = a.x;
  out[1] = a.y;
  out[2] = a.z;
}

// Strains x of the segment between two frames, by length (elem/segment.h).  Q = Q_a⁻¹ Q_b = (w, v):
// θ = 2 asin|v| v/|v|; the middle frame is Q_a (1 + w, v)/√(2 + 2 w).
void td_taylor_segment(const taylor_frame* a, const taylor_frame* b, double length, taylor x[6]) {
  taylor4 q = taylor4_mul(taylor4_conj(a->Q), b->Q);
  if (q.w.x < 0) q = (taylor4){taylor_scale(-1, q.w), taylor3_scale(-1, q.v)};
  const taylor over = taylor_add(taylor_const(1), q.w);
  const taylor unit = taylor_inverse(taylor_sqrt(taylor_scale(2, over)));
  const taylor4 half = {taylor_mul(unit, over), taylor3_mul(unit, q.v)};
  const taylor3 r = taylor4_back(taylor4_mul(a->Q, half), taylor3_sub(b->p, a->p));
  const taylor s = taylor3_dot(q.v, q.v);
  double f[4];
  half_angle(s.x, f);
  put(x, taylor3_scale(1 / length, r));
  x[2].x -= 1;
  put(x + 3, taylor3_scale(2 / length, taylor3_mul(taylor_apply(f, s), q.v)));
}

// Strains of a polynomial pose with Q = (√(1 - x²), x):  ξ = Rᵀ p' - e_z,  ζ = 2 vec(Q⁻¹ Q_s)
void td_taylor_polyrod(taylor3 ps, taylor3 x, taylor3 xs, taylor strain[6]) {
  const taylor q0 = taylor_sqrt(taylor_sub(taylor_const(1), taylor3_dot(x, x)));
  const taylor q0s = taylor_mul(taylor_scale(-1, taylor3_dot(x, xs)), taylor_inverse(q0));
  const taylor4 Q = {q0, x}, Qs = {q0s, xs};
  put(strain, taylor4_back(Q, ps));
  strain[2].x -= 1;
  put(strain + 3, taylor3_scale(2, taylor4_mul(taylor4_conj(Q), Qs).v));
}

// |e_z + ε + κ × d + d'| in a section;  e_z·(e_z + ε + κ × d) + |jump| over a joint
taylor td_taylor_cable(bool joint, const taylor x[6], const taylor path[6]) {
  const taylor one = taylor_const(1);
  if (joint)
    return taylor_add(taylor_add(taylor_add(one, path[2]), x[2]),
                      taylor_sub(taylor_mul(path[1], x[3]), taylor_mul(path[0], x[4])));
  const taylor3 d = {path[0], path[1], taylor_const(0)}, along = {path[2], path[3], one};
  const taylor3 strain = {x[0], x[1], x[2]}, bend = {x[3], x[4], x[5]};
  return taylor3_norm(taylor3_add(taylor3_add(along, strain), taylor3_cross(bend, d)));
}

// |k| with a rounded corner,  k = κ × t + (1 - t tᵀ)(κ × d' + d'')/|τ|
taylor td_taylor_bend(bool joint, const taylor x[6], const taylor path[6], taylor total) {
  const taylor zero = taylor_const(0), one = taylor_const(1);
  const taylor3 d = {path[0], path[1], zero}, d1 = {path[2], path[3], zero},
                d2 = {path[4], path[5], zero}, kappa = {x[3], x[4], x[5]};
  taylor corner = taylor_const(1e-5);
  taylor3 k = {zero, zero, zero};
  if (joint) {
    k = taylor3_cross(kappa, (taylor3){zero, zero, one});
  } else {
    const taylor3 strain = {x[0], x[1], taylor_add(one, x[2])};
    const taylor3 tau = taylor3_add(taylor3_add(strain, taylor3_cross(kappa, d)), d1);
    const taylor over = taylor_inverse(taylor3_norm(tau));
    const taylor3 t = taylor3_mul(over, tau), v = taylor3_add(taylor3_cross(kappa, d1), d2);
    const taylor3 across = taylor3_sub(v, taylor3_mul(taylor3_dot(t, v), t));
    k = taylor3_add(taylor3_cross(kappa, t), taylor3_mul(over, across));
    corner = taylor_scale(1e-5, taylor_inverse(total));
  }
  const taylor square = taylor_add(taylor3_dot(k, k), taylor_mul(corner, corner));
  return taylor_sub(taylor_sqrt(square), corner);
}
