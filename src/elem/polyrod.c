// Strains of a polynomial pose; polyrod.h has the formulas.
#include "elem/polyrod.h"

// Σ_k weight_k T_k y: the change of T y along `weight`
static vec3 Tk_sum(const chart* c, vec3 weight, vec3 y) {
  vec3 sum = {0, 0, 0};
  for (int k = 0; k < 3; k++) sum = vec3_axpy(vec3_at(weight, k), mat3_apply(c->Tk[k], y), sum);
  return sum;
}

// out = A [dps dx dxs]
static void apply(const polyrod* r, vec3 dps, vec3 dx, vec3 dxs, double out[6]) {
  const vec3 eta = mat3_apply_t(r->R, r->ps), turn = mat3_apply(r->c.T, dx);
  vec3_put(out, vec3_add(mat3_apply_t(r->R, dps), vec3_cross(eta, turn)));
  vec3_put(out + 3, vec3_add(Tk_sum(&r->c, dx, r->xs), mat3_apply(r->c.T, dxs)));
}

// ξ = Rᵀ p' - e_z, ζ = T(x) x', and the rates A z'
polyrod td_polyrod(vec3 ps, vec3 x, vec3 xs, vec3 psd, vec3 xd, vec3 xsd) {
  polyrod r = {
      .ps = ps, .x = x, .xs = xs, .psd = psd, .xd = xd, .xsd = xsd, .c = td_chart(CHART_QUAT3, x)};
  r.R = mat3_quat(r.c.Q);
  vec3_put(r.strain, vec3_sub(mat3_apply_t(r.R, ps), (vec3){0, 0, 1}));
  vec3_put(r.strain + 3, mat3_apply(r.c.T, xs));
  apply(&r, psd, xd, xsd, r.rate);
  return r;
}

// Aᵀ f
polyrod_vector td_polyrod_force(const polyrod* r, const double f[6]) {
  const vec3 fx = vec3_of(f), fz = vec3_of(f + 3), eta = mat3_apply_t(r->R, r->ps);
  polyrod_vector g = {.ps = mat3_apply(r->R, fx),
                      .x = mat3_apply_t(r->c.T, vec3_cross(fx, eta)),
                      .xs = mat3_apply_t(r->c.T, fz)};
  double bend[3];
  for (int k = 0; k < 3; k++) bend[k] = vec3_dot(fz, mat3_apply(r->c.Tk[k], r->xs));
  g.x = vec3_add(g.x, vec3_of(bend));
  return g;
}

// dx = A dz,  du = A dz' + dA z'
void td_polyrod_change(const polyrod* r, const polyrod_vector* dz, const polyrod_vector* dzd,
                       double dx[6], double du[6]) {
  apply(r, dz->ps, dz->x, dz->xs, dx);
  apply(r, dzd->ps, dzd->x, dzd->xs, du);

  // add dA times the rates
  const vec3 eta = mat3_apply_t(r->R, r->ps), turn = mat3_apply(r->c.T, dz->x);
  const vec3 deta = vec3_add(mat3_apply_t(r->R, dz->ps), vec3_cross(eta, turn));
  vec3 a = vec3_cross(mat3_apply_t(r->R, r->psd), turn);
  a = vec3_add(a, vec3_cross(deta, mat3_apply(r->c.T, r->xd)));
  a = vec3_add(a, vec3_cross(eta, Tk_sum(&r->c, dz->x, r->xd)));
  vec3 second[3], b = vec3_add(Tk_sum(&r->c, r->xd, dz->xs), Tk_sum(&r->c, dz->x, r->xsd));
  td_chart_second(CHART_QUAT3, r->x, dz->x, r->xs, second);
  for (int k = 0; k < 3; k++) b = vec3_axpy(vec3_at(r->xd, k), second[k], b);

  for (int k = 0; k < 3; k++) {
    du[k] += vec3_at(a, k);
    du[k + 3] += vec3_at(b, k);
  }
}

// dAᵀ f: change of the generalised force Aᵀ f of a section (polyrod.h) for a change dz of its
// numbers, section forces f held.
polyrod_vector td_polyrod_force_change(const polyrod* r, const polyrod_vector* dz,
                                       const double f[6]) {
  const vec3 fx = vec3_of(f), fz = vec3_of(f + 3), eta = mat3_apply_t(r->R, r->ps),
             turn = mat3_apply(r->c.T, dz->x);
  const vec3 deta = vec3_add(mat3_apply_t(r->R, dz->ps), vec3_cross(eta, turn)),
             lever = vec3_cross(fx, eta);
  polyrod_vector g = {.ps = mat3_apply(r->R, vec3_cross(turn, fx)),
                      .x = mat3_apply_t(r->c.T, vec3_cross(fx, deta)),
                      .xs = {0, 0, 0}};
  vec3 second[3];
  td_chart_second(CHART_QUAT3, r->x, dz->x, r->xs, second);
  double bend[3];

  for (int k = 0; k < 3; k++) {
    const double d = vec3_at(dz->x, k);
    g.x = vec3_axpy(d, mat3_apply_t(r->c.Tk[k], lever), g.x);
    g.xs = vec3_axpy(d, mat3_apply_t(r->c.Tk[k], fz), g.xs);
    bend[k] = vec3_dot(fz, vec3_add(second[k], mat3_apply(r->c.Tk[k], dz->xs)));
  }

  g.x = vec3_add(g.x, vec3_of(bend));
  return g;
}
