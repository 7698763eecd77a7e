// Row TRANS: e = D·r with r = p_b - p_a and D fixed in c.
//
//   ed  = D·r' + D'·r                       D' = w_c × D
//   edd = D·r'' + 2 D'·r' + D''·r           D'' = w_c' × D + w_c × D'
#include "elem/row.h"

// Value, rate, acceleration and unit wrenches of the row.
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

// Derivatives of e, e', e" and of the wrench of trans_value along the changes c of the frames, by
// the product rule on D·r: D the direction, r from a to b; 1 and 2 mark rates and accelerations.
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

// Derivative by the numbers d, in which the row is linear.
static row_value trans_numbers(const row_frames* f, const row_numbers* d) {
  row_frames along = *f;
  along.d = d->d;
  return trans_value(&along);
}

const row_formulas td_row_formulas_trans = {trans_value, trans_change, trans_numbers};
