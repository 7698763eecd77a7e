// Constraint rows; see row.h.
#include "elem/row.h"

#include <math.h>

// ---- D·r, D fixed in c ------------------------------------------------------------------------
//   ed  = D·r' + D'·r                       D' = w_c × D
//   edd = D·r'' + 2 D'·r' + D''·r           D'' = dw_c × D + w_c × D'

static row_value trans_value(const row_frames* f) {
  const vec3 D = mat3_apply(f->c->R, f->d), D1 = vec3_cross(f->c->w, D);
  const vec3 D2 = vec3_add(vec3_cross(f->c->dw, D), vec3_cross(f->c->w, D1));
  const vec3 r = vec3_sub(f->b->p, f->a->p), r1 = vec3_sub(f->b->v, f->a->v),
             r2 = vec3_sub(f->b->a, f->a->a);
  return (row_value){.e = vec3_dot(D, r),
                     .ed = vec3_dot(D, r1) + vec3_dot(D1, r),
                     .edd = vec3_dot(D, r2) + 2 * vec3_dot(D1, r1) + vec3_dot(D2, r),
                     .force = D,
                     .torque_c = vec3_cross(D, r)};
}

static row_value trans_change(const row_frames* f, const row_changes* c) {
  const frame* fc = f->c;
  const vec3 D = mat3_apply(fc->R, f->d), D1 = vec3_cross(fc->w, D);
  const vec3 D2 = vec3_add(vec3_cross(fc->dw, D), vec3_cross(fc->w, D1));
  const vec3 r = vec3_sub(f->b->p, f->a->p), r1 = vec3_sub(f->b->v, f->a->v),
             r2 = vec3_sub(f->b->a, f->a->a);
  const vec3 dr = vec3_sub(c->b->p, c->a->p), dr1 = vec3_sub(c->b->v, c->a->v),
             dr2 = vec3_sub(c->b->a, c->a->a);
  const vec3 dD = vec3_cross(c->c->turn, D);
  const vec3 dD1 = vec3_add(vec3_cross(c->c->w, D), vec3_cross(fc->w, dD));
  const vec3 dD2 = vec3_add(vec3_add(vec3_cross(c->c->dw, D), vec3_cross(fc->dw, dD)),
                            vec3_add(vec3_cross(c->c->w, D1), vec3_cross(fc->w, dD1)));
  return (row_value){
      .e = vec3_dot(dD, r) + vec3_dot(D, dr),
      .ed = vec3_dot(dD, r1) + vec3_dot(D, dr1) + vec3_dot(dD1, r) + vec3_dot(D1, dr),
      .edd = vec3_dot(dD, r2) + vec3_dot(D, dr2) + 2 * (vec3_dot(dD1, r1) + vec3_dot(D1, dr1)) +
             vec3_dot(dD2, r) + vec3_dot(D2, dr),
      .force = dD,
      .torque_c = vec3_add(vec3_cross(dD, r), vec3_cross(D, dr))};
}

// ---- D·A --------------------------------------------------------------------------------------
//   ed  = C·W                C = q0 D + A × D / 2,   W = w_b - w_a
//   edd = C·W' + C'·W        C' = w_a × C + q0' D + (q0 W - A × W/2) × D / 2

typedef struct alpha_terms {
  relative rel;
  vec3 D, W, W1, C, C1, turned;  // turned = q0 W - A × W / 2
  double q1;                     // q0'
} alpha_terms;

static alpha_terms alpha_at(const row_frames* f) {
  alpha_terms t;
  t.rel = relative_rotation(f->a, f->b, f->reference);
  t.D = mat3_apply(f->a->R, f->d);
  t.W = vec3_sub(f->b->w, f->a->w);
  t.W1 = vec3_sub(f->b->dw, f->a->dw);
  t.C = vec3_axpy(t.rel.q0, t.D, vec3_scale(0.5, vec3_cross(t.rel.A, t.D)));
  t.turned = relative_change(&t.rel, t.W);
  t.q1 = -0.25 * vec3_dot(t.rel.A, t.W);
  t.C1 = vec3_add(vec3_cross(f->a->w, t.C),
                  vec3_axpy(t.q1, t.D, vec3_scale(0.5, vec3_cross(t.turned, t.D))));
  return t;
}

static row_value alpha_value(const row_frames* f) {
  const alpha_terms t = alpha_at(f);
  return (row_value){.e = vec3_dot(t.D, t.rel.A),
                     .ed = vec3_dot(t.C, t.W),
                     .edd = vec3_dot(t.C, t.W1) + vec3_dot(t.C1, t.W),
                     .torque = t.C};
}

// How they change along a direction.
typedef struct alpha_changes {
  vec3 turn, dW, dW1, dA, dC, dC1, dturned;
  double dq0, dq1;
} alpha_changes;

static alpha_changes alpha_changes_at(const row_frames* f, const row_changes* c,
                                      const alpha_terms* t) {
  const vec3 turn_a = c->a->turn, turn = vec3_sub(c->b->turn, turn_a);
  const vec3 dW = vec3_sub(c->b->w, c->a->w), dW1 = vec3_sub(c->b->dw, c->a->dw);
  const vec3 own = relative_change(&t->rel, turn);
  const vec3 dA = vec3_add(vec3_cross(turn_a, t->rel.A), own), dD = vec3_cross(turn_a, t->D);
  const double dq0 = -0.25 * vec3_dot(t->rel.A, turn);
  const double dq1 = -0.25 * (vec3_dot(dA, t->W) + vec3_dot(t->rel.A, dW));
  const vec3 dC = vec3_add(vec3_cross(turn_a, t->C),
                           vec3_axpy(dq0, t->D, vec3_scale(0.5, vec3_cross(own, t->D))));
  // turned = q0 W - A × W / 2
  const vec3 dturned = vec3_add(vec3_axpy(dq0, t->W, vec3_scale(-0.5, vec3_cross(dA, t->W))),
                                relative_change(&t->rel, dW));
  vec3 dC1 = vec3_add(vec3_cross(c->a->w, t->C), vec3_cross(f->a->w, dC));
  dC1 = vec3_axpy(dq1, t->D, vec3_axpy(t->q1, dD, dC1));
  dC1 = vec3_axpy(0.5, vec3_add(vec3_cross(dturned, t->D), vec3_cross(t->turned, dD)), dC1);
  return (alpha_changes){turn, dW, dW1, dA, dC, dC1, dturned, dq0, dq1};
}

static row_value alpha_change(const row_frames* f, const row_changes* c) {
  const alpha_terms t = alpha_at(f);
  const alpha_changes d = alpha_changes_at(f, c, &t);
  return (row_value){.e = vec3_dot(t.C, d.turn),
                     .ed = vec3_dot(d.dC, t.W) + vec3_dot(t.C, d.dW),
                     .edd = vec3_dot(d.dC, t.W1) + vec3_dot(t.C, d.dW1) + vec3_dot(d.dC1, t.W) +
                            vec3_dot(t.C1, d.dW),
                     .torque = d.dC};
}

// ---- D·E --------------------------------------------------------------------------------------
//   ed = C·W,   C = E × D;   C' = (w_b × E) × D + E × (w_a × D)

static row_value dot_value(const row_frames* f) {
  const vec3 D = mat3_apply(f->a->R, f->d), E = mat3_apply(f->b->R, f->x);
  const vec3 W = vec3_sub(f->b->w, f->a->w), W1 = vec3_sub(f->b->dw, f->a->dw),
             C = vec3_cross(E, D);
  const vec3 C1 =
      vec3_add(vec3_cross(vec3_cross(f->b->w, E), D), vec3_cross(E, vec3_cross(f->a->w, D)));
  return (row_value){.e = vec3_dot(D, E),
                     .ed = vec3_dot(C, W),
                     .edd = vec3_dot(C, W1) + vec3_dot(C1, W),
                     .torque = C};
}

static row_value dot_change(const row_frames* f, const row_changes* c) {
  const vec3 D = mat3_apply(f->a->R, f->d), E = mat3_apply(f->b->R, f->x);
  const vec3 W = vec3_sub(f->b->w, f->a->w), W1 = vec3_sub(f->b->dw, f->a->dw),
             C = vec3_cross(E, D);
  const vec3 dW = vec3_sub(c->b->w, c->a->w), dW1 = vec3_sub(c->b->dw, c->a->dw);
  const vec3 dD = vec3_cross(c->a->turn, D), dE = vec3_cross(c->b->turn, E);
  const vec3 D1 = vec3_cross(f->a->w, D), E1 = vec3_cross(f->b->w, E);
  const vec3 dD1 = vec3_add(vec3_cross(c->a->w, D), vec3_cross(f->a->w, dD));
  const vec3 dE1 = vec3_add(vec3_cross(c->b->w, E), vec3_cross(f->b->w, dE));
  const vec3 C1 = vec3_add(vec3_cross(E1, D), vec3_cross(E, D1));
  const vec3 dC = vec3_add(vec3_cross(dE, D), vec3_cross(E, dD));
  const vec3 dC1 = vec3_add(vec3_add(vec3_cross(dE1, D), vec3_cross(E1, dD)),
                            vec3_add(vec3_cross(dE, D1), vec3_cross(E, dD1)));
  return (row_value){
      .e = vec3_dot(dD, E) + vec3_dot(D, dE),
      .ed = vec3_dot(dC, W) + vec3_dot(C, dW),
      .edd = vec3_dot(dC, W1) + vec3_dot(C, dW1) + vec3_dot(dC1, W) + vec3_dot(C1, dW),
      .torque = dC};
}

// ---- D·r - h θ --------------------------------------------------------------------------------
//   θ = 2 arg z,   z = q0 + i D·A/2;   z' = Y·W,   Y = -A/4 + i C/2
//   θ' = 2 Im z'/z      θ'' = 2 Im (z''/z - z'²/z²)      torque about b: 2 Im Y/z

// A complex number.
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
  pair z, z1, z2;      // and its rates
  pair inverse, rate;  // 1/z, z'/z
  vec3 A1;             // A'
} screw_terms;

static screw_terms screw_at(const row_frames* f) {
  screw_terms s = {.t = alpha_at(f)};
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
static vec3 screw_torque(const screw_terms* s, pair x) {
  return vec3_axpy(-0.5 * x.im, s->t.rel.A, vec3_scale(x.re, s->t.C));
}

static row_value screw_value(const row_frames* f) {
  const screw_terms s = screw_at(f);
  const double h = f->pitch, turn = 6.283185307179586, thread = turn * h;
  row_value v = trans_value(f);
  v.theta = 2 * atan2(s.z.im, s.z.re);
  v.e -= h * v.theta;
  if (!isnan(f->angle))
    v.e -= thread * round((f->angle - v.theta) / turn);
  else if (h != 0 && !isnan(f->zero))
    v.e -= thread * round((v.e - f->zero) / thread);
  v.ed -= 2 * h * s.rate.im;
  v.edd -= 2 * h * pair_sub(pair_mul(s.z2, s.inverse), pair_mul(s.rate, s.rate)).im;
  v.torque = vec3_scale(-h, screw_torque(&s, s.inverse));
  return v;
}

static row_value screw_change(const row_frames* f, const row_changes* c) {
  const screw_terms s = screw_at(f);
  const alpha_terms* t = &s.t;
  const alpha_changes d = alpha_changes_at(f, c, t);
  const vec3 A = t->rel.A;
  const vec3 dA1 = vec3_add(vec3_add(vec3_cross(c->a->w, A), vec3_cross(f->a->w, d.dA)), d.dturned);
  const pair dz = {d.dq0, 0.5 * vec3_dot(t->C, d.turn)},
             dz1 = {d.dq1, 0.5 * (vec3_dot(d.dC, t->W) + vec3_dot(t->C, d.dW))},
             dz2 = {-0.25 * (vec3_dot(dA1, t->W) + vec3_dot(s.A1, d.dW) + vec3_dot(d.dA, t->W1) +
                             vec3_dot(A, d.dW1)),
                    0.5 * (vec3_dot(d.dC, t->W1) + vec3_dot(t->C, d.dW1) + vec3_dot(d.dC1, t->W) +
                           vec3_dot(t->C1, d.dW))};
  const pair i = s.inverse, part = pair_mul(dz, i);
  const pair drate = pair_sub(pair_mul(dz1, i), pair_mul(s.rate, part));  // of z'/z
  const pair own_z2 = pair_mul(pair_sub(dz2, pair_mul(s.z2, part)), i);
  const double h = f->pitch;
  row_value v = trans_change(f, c);
  v.e -= 2 * h * part.im;
  v.ed -= 2 * h * drate.im;
  v.edd -= 2 * h * (own_z2.im - 2 * pair_mul(s.rate, drate).im);
  const vec3 own = vec3_axpy(-0.5 * i.im, d.dA, vec3_scale(i.re, d.dC));
  const pair minus = pair_sub((pair){0, 0}, pair_mul(part, i));
  v.torque = vec3_scale(-h, vec3_add(own, screw_torque(&s, minus)));
  return v;
}

row_value td_row_value(row_kind kind, const row_frames* f) {
  switch (kind) {
    case ROW_TRANS:
      return trans_value(f);
    case ROW_ALPHA:
      return alpha_value(f);
    case ROW_DOT:
      return dot_value(f);
    case ROW_SCREW:
      return screw_value(f);
    case ROW_CABLE:
      break;
  }
  return (row_value){0};
}

row_value td_row_change(row_kind kind, const row_frames* f, const row_changes* c) {
  switch (kind) {
    case ROW_TRANS:
      return trans_change(f, c);
    case ROW_ALPHA:
      return alpha_change(f, c);
    case ROW_DOT:
      return dot_change(f, c);
    case ROW_SCREW:
      return screw_change(f, c);
    case ROW_CABLE:
      break;
  }
  return (row_value){0};
}
