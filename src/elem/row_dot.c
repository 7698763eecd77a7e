// Row DOT: e = D·E with D fixed in a and E fixed in b.
//
//   ed = C·W,   C = E × D,   W = w_b - w_a;   C' = (w_b × E) × D + E × (w_a × D)
#include "elem/row.h"

// Value, rate, acceleration and unit wrenches of the row.
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

// Derivatives of e, e', e" and of the wrench of dot_value along the changes c of the frames, by the
// product rule on each factor: D and E the two directions in the world, W the relative angular
// velocity, C = E × D; 1 marks rates.
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

// Derivative by the numbers d and x, in each of which the row is linear.
static row_value dot_numbers(const row_frames* f, const row_numbers* d) {
  row_frames first = *f, second = *f;
  first.d = d->d;
  second.x = d->x;
  const row_value a = dot_value(&first), b = dot_value(&second);
  return (row_value){.e = a.e + b.e,
                     .ed = a.ed + b.ed,
                     .edd = a.edd + b.edd,
                     .torque = vec3_add(a.torque, b.torque)};
}

const row_formulas td_row_formulas_dot = {dot_value, dot_change, dot_numbers};
