// Axial elements and beams between two frames; link.h has the formulas.
#include "elem/link.h"

// dL = n·dr,  dn = (dr - n dL)/L,  dL' = dn·r' + n·dr'
axial td_axial_change(const axial* x, const frame* a, const frame* b, const frame_change* da,
                      const frame_change* db) {
  const vec3 dr = vec3_sub(db->p, da->p), rd = vec3_sub(b->v, a->v), drd = vec3_sub(db->v, da->v);
  axial d = {.L = vec3_dot(x->n, dr)};
  if (x->L > 0) d.n = vec3_scale(1 / x->L, vec3_axpy(-d.L, x->n, dr));
  d.Ld = vec3_dot(d.n, rd) + vec3_dot(x->n, drd);
  return d;
}

// Strains, rates and unit wrenches of a beam.
beam td_beam(const frame* a, const frame* b, const mat3* axes) {
  beam x = {.rel = relative_rotation(a, b, NULL)};
  const mat3 F = axes ? mat3_mul(a->R, *axes) : a->R;
  const vec3 r = vec3_sub(b->p, a->p), W = vec3_sub(b->w, a->w);
  const vec3 rate = vec3_sub(vec3_sub(b->v, a->v), vec3_cross(a->w, r));  // of r, seen from a

  for (int d = 0; d < 3; d++) {
    const vec3 D = mat3_col(F, d);
    x.D[d] = D;
    x.C[d] = vec3_axpy(x.rel.q0, D, vec3_scale(0.5, vec3_cross(x.rel.A, D)));
    x.x[d] = vec3_dot(D, r);
    x.u[d] = vec3_dot(D, rate);
    x.x[d + 3] = vec3_dot(D, x.rel.A);
    x.u[d + 3] = vec3_dot(x.C[d], W);
  }
  return x;
}

// Σ f_d D_d
static vec3 combine(const vec3 D[3], const double f[3]) {
  return vec3_axpy(f[0], D[0], vec3_axpy(f[1], D[1], vec3_scale(f[2], D[2])));
}

void td_beam_wrench(const beam* x, const double f[6], vec3* force, vec3* torque) {
  *force = combine(x->D, f);
  *torque = combine(x->C, f + 3);
}

// Derivative of the strains and rates of td_beam.
void td_beam_change(const beam* x, const frame* a, const frame* b, const frame_change* da,
                    const frame_change* db, double dx[6], double du[6]) {
  const vec3 r = vec3_sub(b->p, a->p), dr = vec3_sub(db->p, da->p), W = vec3_sub(b->w, a->w);
  const vec3 dW = vec3_sub(db->w, da->w), turn = vec3_sub(db->turn, da->turn);
  const vec3 rate = vec3_sub(vec3_sub(b->v, a->v), vec3_cross(a->w, r));
  vec3 drate =
      vec3_sub(vec3_sub(db->v, da->v), vec3_add(vec3_cross(da->w, r), vec3_cross(a->w, dr)));
  drate = vec3_sub(drate, vec3_cross(da->turn, rate));  // accounts for the rotation of D
  const vec3 own = relative_change(&x->rel, turn);
  const double dq0 = -0.25 * vec3_dot(x->rel.A, turn);

  for (int d = 0; d < 3; d++) {
    const vec3 D = x->D[d];
    const vec3 dC = vec3_add(vec3_cross(da->turn, x->C[d]),
                             vec3_axpy(dq0, D, vec3_scale(0.5, vec3_cross(own, D))));
    dx[d] = vec3_dot(D, vec3_sub(dr, vec3_cross(da->turn, r)));
    du[d] = vec3_dot(D, drate);
    dx[d + 3] = vec3_dot(x->C[d], turn);
    du[d + 3] = vec3_dot(dC, W) + vec3_dot(x->C[d], dW);
  }
}

// Derivative of td_beam_wrench.
void td_beam_wrench_change(const beam* x, const frame_change* da, const frame_change* db,
                           const double f[6], const double df[6], vec3* dforce, vec3* dtorque) {
  const vec3 turn = vec3_sub(db->turn, da->turn), own = relative_change(&x->rel, turn);
  const double dq0 = -0.25 * vec3_dot(x->rel.A, turn);
  vec3 F, T;
  td_beam_wrench(x, f, &F, &T);
  *dforce = vec3_add(combine(x->D, df), vec3_cross(da->turn, F));
  const vec3 m = combine(x->D, f + 3);
  *dtorque = vec3_add(combine(x->C, df + 3), vec3_cross(da->turn, T));
  *dtorque = vec3_add(*dtorque, vec3_axpy(dq0, m, vec3_scale(0.5, vec3_cross(own, m))));
}

void td_beam_axes_change(const beam* x, const frame* a, const frame* b, vec3 turn, double dx[6],
                         double du[6]) {
  const vec3 r = vec3_sub(b->p, a->p), W = vec3_sub(b->w, a->w);
  const vec3 rate = vec3_sub(vec3_sub(b->v, a->v), vec3_cross(a->w, r));
  for (int d = 0; d < 3; d++) {
    const vec3 dD = vec3_cross(turn, x->D[d]);
    const vec3 dC = vec3_axpy(x->rel.q0, dD, vec3_scale(0.5, vec3_cross(x->rel.A, dD)));
    dx[d] += vec3_dot(dD, r);
    du[d] += vec3_dot(dD, rate);
    dx[d + 3] += vec3_dot(dD, x->rel.A);
    du[d + 3] += vec3_dot(dC, W);
  }
}

void td_beam_axes_wrench(const beam* x, vec3 turn, const double f[6], vec3* dforce, vec3* dtorque) {
  const vec3 dm = vec3_cross(turn, combine(x->D, f + 3));
  *dforce = vec3_add(*dforce, vec3_cross(turn, combine(x->D, f)));
  *dtorque = vec3_axpy(x->rel.q0, dm, vec3_axpy(0.5, vec3_cross(x->rel.A, dm), *dtorque));
}
