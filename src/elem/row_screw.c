// Row SCREW: e = D·r - h θ with D fixed in a and r = p_b - p_a.
//
//   θ = 2 arg z,   z = q0 + i D·A/2;   z' = Y·W,   Y = -A/4 + i C/2        (A, C, W: row_alpha.c)
//   θ' = 2 Im z'/z      θ'' = 2 Im (z''/z - z'²/z²)      torque on b: 2 Im Y/z
#include <math.h>

#include "elem/row_alpha.h"

// Complex number
typedef struct pair {
  double re, im;
} pair;
static pair pair_sub(pair a, pair b) { return (pair){a.re - b.re, a.im - b.im}; }
static pair pair_mul(pair a, pair b) {
  return (pair){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static pair pair_inverse(pair a) {
  const double n2 = a.re * a.re + a.im * a.im;
  return (pair){a.re / n2, -a.im / n2};
}

typedef struct screw_terms {
  alpha_terms t;
  pair z, z1, z2;      // z, z', z''
  pair inverse, rate;  // 1/z, z'/z
  vec3 A1;             // A'
} screw_terms;

// z and its rates.
static screw_terms terms_at(const row_frames* f) {
  screw_terms s = {.t = td_alpha_terms(f)};
  const alpha_terms* t = &s.t;
  const vec3 A = t->rel.A;
  s.A1 = vec3_add(vec3_cross(f->a->w, A), t->turned);
  s.z = (pair){t->rel.q0, 0.5 * vec3_dot(t->D, A)};
  s.z1 = (pair){t->q1, 0.5 * vec3_dot(t->C, t->W)};
  s.z2 = (pair){-0.25 * (vec3_dot(s.A1, t->W) + vec3_dot(A, t->W1)),
                0.5 * (vec3_dot(t->C, t->W1) + vec3_dot(t->C1, t->W))};
  s.inverse = pair_inverse(s.z);
  s.rate = pair_mul(s.z1, s.inverse);
  return s;
}

// 2 Im(Y x)
static vec3 torque(const screw_terms* s, pair x) {
  return vec3_axpy(-0.5 * x.im, s->t.rel.A, vec3_scale(x.re, s->t.C));
}

// Value, rate, acceleration and unit wrenches of the row.
static row_value screw_value(const row_frames* f) {
  const screw_terms s = terms_at(f);
  const double h = f->pitch, turn = 6.283185307179586, thread = turn * h;
  row_value v = td_row_formulas_trans.value(f);

  // value, with the number of whole turns from the joints' angle or from the initial value
  v.theta = 2 * atan2(s.z.im, s.z.re);
  v.e -= h * v.theta;
  if (!isnan(f->angle))
    v.e -= thread * round((f->angle - v.theta) / turn);
  else if (h != 0 && !isnan(f->zero))
    v.e -= thread * round((v.e - f->zero) / thread);

  // rate, acceleration and torque
  v.ed -= 2 * h * s.rate.im;
  v.edd -= 2 * h * pair_sub(pair_mul(s.z2, s.inverse), pair_mul(s.rate, s.rate)).im;
  v.torque = vec3_scale(-h, torque(&s, s.inverse));
  return v;
}

// Derivative of screw_value along the changes c of the frames.
static row_value screw_change(const row_frames* f, const row_changes* c) {
  const screw_terms s = terms_at(f);
  const alpha_terms* t = &s.t;
  const alpha_changes d = td_alpha_changes(f, c, t);
  const vec3 A = t->rel.A;
  const vec3 dA1 = vec3_add(vec3_add(vec3_cross(c->a->w, A), vec3_cross(f->a->w, d.dA)), d.dturned);

  // changes of z and its rates
  const pair dz = {d.dq0, 0.5 * vec3_dot(t->C, d.turn)},
             dz1 = {d.dq1, 0.5 * (vec3_dot(d.dC, t->W) + vec3_dot(t->C, d.dW))},
             dz2 = {-0.25 * (vec3_dot(dA1, t->W) + vec3_dot(s.A1, d.dW) + vec3_dot(d.dA, t->W1) +
                             vec3_dot(A, d.dW1)),
                    0.5 * (vec3_dot(d.dC, t->W1) + vec3_dot(t->C, d.dW1) + vec3_dot(d.dC1, t->W) +
                           vec3_dot(t->C1, d.dW))};

  // changes of log z, z'/z and z''/z
  const pair i = s.inverse, part = pair_mul(dz, i);
  const pair drate = pair_sub(pair_mul(dz1, i), pair_mul(s.rate, part));
  const pair own_z2 = pair_mul(pair_sub(dz2, pair_mul(s.z2, part)), i);
  const double h = f->pitch;
  row_value v = td_row_formulas_trans.change(f, c);
  v.e -= 2 * h * part.im;
  v.ed -= 2 * h * drate.im;
  v.edd -= 2 * h * (own_z2.im - 2 * pair_mul(s.rate, drate).im);
  const vec3 own = vec3_axpy(-0.5 * i.im, d.dA, vec3_scale(i.re, d.dC));
  const pair minus = pair_sub((pair){0, 0}, pair_mul(part, i));
  v.torque = vec3_scale(-h, vec3_add(own, torque(&s, minus)));
  return v;
}

// z, z' and z'' are linear in d, and so is D·r; all but that is proportional to the pitch.
static row_value screw_numbers(const row_frames* f, const row_numbers* d) {
  const screw_terms s = terms_at(f);
  row_frames along = *f;
  along.d = d->d;
  const alpha_terms *t = &s.t, turned = td_alpha_terms(&along);
  const pair dz = {0, 0.5 * vec3_dot(turned.D, t->rel.A)},
             dz1 = {0, 0.5 * vec3_dot(turned.C, t->W)},
             dz2 = {0, 0.5 * (vec3_dot(turned.C, t->W1) + vec3_dot(turned.C1, t->W))};
  const pair i = s.inverse, part = pair_mul(dz, i);
  const pair drate = pair_sub(pair_mul(dz1, i), pair_mul(s.rate, part));
  const pair own_z2 = pair_mul(pair_sub(dz2, pair_mul(s.z2, part)), i);
  const pair minus = pair_sub((pair){0, 0}, pair_mul(part, i));
  const row_value trans = td_row_formulas_trans.value(f), now = screw_value(f);
  const double h = f->pitch, more = d->pitch;
  row_value v = td_row_formulas_trans.value(&along);
  v.e -= 2 * h * part.im + more * (h != 0 ? (trans.e - now.e) / h : now.theta);
  v.ed -= 2 * h * drate.im + more * 2 * s.rate.im;
  v.edd -= 2 * h * (own_z2.im - 2 * pair_mul(s.rate, drate).im) +
           more * 2 * pair_sub(pair_mul(s.z2, i), pair_mul(s.rate, s.rate)).im;
  const vec3 own = vec3_add(vec3_scale(i.re, turned.C), torque(&s, minus));
  v.torque = vec3_axpy(-more, torque(&s, i), vec3_scale(-h, own));
  return v;
}

const row_formulas td_row_formulas_screw = {screw_value, screw_change, screw_numbers};
