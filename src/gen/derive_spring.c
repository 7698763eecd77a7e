// Springs, dampers and inputs along coordinates (engine/force_spring.c): a law of a coordinate, or
// of a component of a rotation.
#include "gen/derive_law.h"

// Rotation vector y of a unit quaternion [w, e], and c = (1 - (θ/2) cot(θ/2))/θ²
// (elem/turn_part.h); series near zero
static x3 rotation_vector(td_exprs* g, ex w, x3 e, ex* c) {
  static const double angle[] = {1,
                                 1 / 6.,
                                 3 / 40.,
                                 15 / 336.,
                                 105 / 3456.,
                                 945 / 42240.,
                                 10395 / 599040.,
                                 135135 / 9676800.,
                                 2027025 / 175472640.};
  static const double factor[] = {1 / 12.,      1 / 720.,      1 / 30240.,
                                  1 / 1209600., 1 / 47900160., 691 / 1307674368000.};
  const ex u = x3_dot(g, e, e), n = xfun(g, EX_SQRT, u);
  const ex small = td_ex_2(g, EX_AND, xless(g, u, 0.01), td_ex_2(g, EX_LT, xnum(g, 0), w));
  const ex ratio = xif(g, small, xseries(g, angle, 9, u), xdiv(g, td_ex_2(g, EX_ATAN2, n, w), n));
  const x3 y = x3_scale(g, xscale(g, 2, ratio), e);
  const ex t = x3_dot(g, y, y), cot = xmul(g, ratio, w);
  *c = xif(g, xless(g, t, 0.04), xseries(g, factor, 6, t), xdiv(g, xsub(g, xnum(g, 1), cot), t));
  return y;
}

// Law along one number x of a rotation: x' = γ·ω, so its force f is the torque γ f.
static void turn_force(deriver* d, const model_spring* f, load_x* passive, load_x* active) {
  td_exprs* g = d->g;
  ex q[4] = {xnum(g, 0), xnum(g, 0), xnum(g, 0), xnum(g, 0)}, n2 = xnum(g, 0), u = xnum(g, 0);

  // normalise the quaternion
  for (int k = 0; k <= f->nturn; k++) {
    q[k] = td_ex_var(g, d->out->q[f->q + k]);
    n2 = xadd(g, n2, xmul(g, q[k], q[k]));
  }
  const ex scale = xdiv(g, xnum(g, 1), xfun(g, EX_SQRT, n2)), w = xmul(g, scale, q[0]);

  // x and γ: a component of the quaternion's vector part, or of the rotation vector
  const x3 e = x3_scale(g, scale, (x3){{q[1], q[2], q[3]}}), a = x3_axis(g, f->axis);
  x3 gamma = x3_scale(g, xnum(g, 0.5), x3_add(g, x3_scale(g, w, a), x3_cross(g, a, e)));
  ex x = e.a[f->axis], c;
  if (f->measure == PART_TURN) {
    const x3 y = rotation_vector(g, w, e, &c), ya = x3_cross(g, y, a);
    gamma =
        x3_add(g, x3_sub(g, a, x3_scale(g, xnum(g, 0.5), ya)), x3_scale(g, c, x3_cross(g, y, ya)));
    x = y.a[f->axis];
  }

  // law at x and x' = γ·ω
  for (int k = 0; k < f->nturn; k++)
    u = xadd(g, u, xmul(g, gamma.a[k], td_ex_var(g, d->out->v[f->v + k])));
  const ex force = td_derive_law(d, &f->law, x, u), input = td_derive_input(d, &f->law, x);
  for (int k = 0; k < f->nturn; k++) {
    add_along(d, passive, f->v + k, xmul(g, gamma.a[k], force));
    add_along(d, active, f->v + k, xmul(g, gamma.a[k], input));
  }
  td_derive_law_energy(d, &f->law, x, u, force, passive);
  note_power(d, active, xmul(g, input, u));
}

// Derive the force of one spring, its energy and its power.
static void derive(deriver* d, int i, load_x* passive, load_x* active) {
  const model_spring* f = &d->m->spring[i];
  td_exprs* g = d->g;
  if (f->measure != PART_NUMBER) {
    turn_force(d, f, passive, active);
    return;
  }
  const ex x = f->q < 0 ? xnum(g, 0) : td_ex_var(g, d->out->q[f->q]);
  const ex u = td_ex_var(g, d->out->v[f->v]);
  const ex force = td_derive_law(d, &f->law, x, u), input = td_derive_input(d, &f->law, x);
  add_along(d, passive, f->v, force);
  add_along(d, active, f->v, input);
  td_derive_law_energy(d, &f->law, x, u, force, passive);
  note_power(d, active, xmul(g, input, u));
}

static bool is_measured(const td_model* m, int i) { return m->spring[i].law.rest_initial; }

const derive_ops td_derive_spring = {td_closed_form, derive, is_measured};
