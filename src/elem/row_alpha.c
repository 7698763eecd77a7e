// Row ALPHA: e = D·A with D fixed in a and A the relative rotation (frame.h).
//
//   ed  = C·W                C = q0 D + A × D / 2,   W = w_b - w_a
//   edd = C·W' + C'·W        C' = w_a × C + q0' D + (q0 W - A × W/2) × D / 2
#include "elem/row_alpha.h"

// C, C' and the relative angular velocity W of the file head.
alpha_terms td_alpha_terms(const row_frames* f) {
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

// Derivatives of td_alpha_terms along the changes c of the frames.
alpha_changes td_alpha_changes(const row_frames* f, const row_changes* c, const alpha_terms* t) {
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

// Value, rate, acceleration and unit wrenches of the row.
static row_value alpha_value(const row_frames* f) {
  const alpha_terms t = td_alpha_terms(f);
  return (row_value){.e = vec3_dot(t.D, t.rel.A),
                     .ed = vec3_dot(t.C, t.W),
                     .edd = vec3_dot(t.C, t.W1) + vec3_dot(t.C1, t.W),
                     .torque = t.C};
}

// Derivative of alpha_value along the changes c of the frames.
static row_value alpha_change(const row_frames* f, const row_changes* c) {
  const alpha_terms t = td_alpha_terms(f);
  const alpha_changes d = td_alpha_changes(f, c, &t);
  return (row_value){.e = vec3_dot(t.C, d.turn),
                     .ed = vec3_dot(d.dC, t.W) + vec3_dot(t.C, d.dW),
                     .edd = vec3_dot(d.dC, t.W1) + vec3_dot(t.C, d.dW1) + vec3_dot(d.dC1, t.W) +
                            vec3_dot(t.C1, d.dW),
                     .torque = d.dC};
}

// Derivative by the numbers d, in which the row is linear.
static row_value alpha_numbers(const row_frames* f, const row_numbers* d) {
  row_frames along = *f;
  along.d = d->d;
  return alpha_value(&along);
}

const row_formulas td_row_formulas_alpha = {alpha_value, alpha_change, alpha_numbers};
