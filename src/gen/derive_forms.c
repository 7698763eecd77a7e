// Strains as functions of the relative pose of two frames, and of a polynomial pose.  Each function
// is made once with variables of its own, differentiated symbolically, and substituted wherever an
// element needs it.
#include <string.h>

#include "gen/deriver.h"

// Vector part v and scalar part w of the unit quaternion of a rotation by less than half a turn:
// w = sqrt(1 + tr L)/2, v from the skew part of L
static x3 quaternion_vector(td_exprs* g, x33 L, ex* w) {
  const ex trace = xadd(g, xadd(g, L.m[0], L.m[4]), L.m[8]);
  const ex root = xfun(g, EX_SQRT, xadd(g, xnum(g, 1), trace));  // 2 w
  const x3 skew = {{xsub(g, L.m[7], L.m[5]), xsub(g, L.m[2], L.m[6]), xsub(g, L.m[3], L.m[1])}};
  *w = xscale(g, 0.5, root);
  return x3_scale(g, xdiv(g, xnum(g, 0.5), root), skew);
}

// α = 2 v of the unit quaternion [w, v] of L
x3 td_xalpha(td_exprs* g, x33 L, ex* w) {
  return x3_scale(g, xnum(g, 2), quaternion_vector(g, L, w));
}

// asin(n)/n as a function of u = n²: its series below u = 0.05, cut at rounding, else atan2(n, w)/n
// with the cosine w, which is accurate up to half a turn.
static ex angle_ratio(td_exprs* g, ex u, ex w) {
  enum { TERMS = 13 };
  double c[TERMS], a = 1;
  for (int k = 0; k < TERMS; k++) {
    c[k] = a / (2 * k + 1);
    a *= (2.0 * k + 1) / (2.0 * k + 2);
  }
  const ex n = xfun(g, EX_SQRT, u);
  return xif(g, xless(g, u, 0.05), xseries(g, c, TERMS, u), xdiv(g, td_ex_2(g, EX_ATAN2, n, w), n));
}

// Strains of a segment, in the frame half-way: x = Hᵀ r with H H = L, and the rotation vector log L
static void segment_form(td_exprs* g, x3 r, x33 L, ex x[6]) {
  ex w;
  const x3 v = quaternion_vector(g, L, &w);
  const ex one = xnum(g, 1), w1 = xadd(g, one, w);

  // half of the rotation, displacement in its axes, rotation vector
  const x33 H = x33_quat(g, (xquat){w1, v}, xscale(g, 2, w1));  // |[1 + w, v]|² = 2 (1 + w)
  const x3 d = x33_apply_t(g, H, r);
  const x3 turn = x3_scale(g, xscale(g, 2, angle_ratio(g, x3_dot(g, v, v), w)), v);
  for (int c = 0; c < 3; c++) {
    x[c] = d.a[c];
    x[3 + c] = turn.a[c];
  }
}

// Strains of a beam: displacement r and α, twice the vector part of L's quaternion
static void beam_form(td_exprs* g, x3 r, x33 L, ex x[6]) {
  ex w;
  const x3 alpha = td_xalpha(g, L, &w);
  for (int c = 0; c < 3; c++) {
    x[c] = r.a[c];
    x[3 + c] = alpha.a[c];
  }
}

// Strains of a polynomial pose: ξ = Rᵀ p' - e_z,  ζ = 2 vec(Q⁻¹ Q')  for z = [p' x x'] and
// Q = [sqrt(1 - |x|²), x]
static void polynomial_form(td_exprs* g, const ex z[9], ex out[6]) {
  const x3 ps = {{z[0], z[1], z[2]}}, x = {{z[3], z[4], z[5]}}, xs = {{z[6], z[7], z[8]}};
  const ex one = xnum(g, 1), w = xfun(g, EX_SQRT, xsub(g, one, x3_dot(g, x, x)));
  const ex ws = xneg(g, xdiv(g, x3_dot(g, x, xs), w));

  // translational and rotational strains
  const x33 R = x33_quat(g, (xquat){w, x}, one);
  const x3 xi = x3_sub(g, x33_apply_t(g, R, ps), x3_axis(g, 2));
  x3 zeta = x3_sub(g, x3_scale(g, w, xs), x3_scale(g, ws, x));
  zeta = x3_scale(g, xnum(g, 2), x3_sub(g, zeta, x3_cross(g, x, xs)));
  for (int c = 0; c < 3; c++) {
    out[c] = xi.a[c];
    out[3 + c] = zeta.a[c];
  }
}

// A_r and A_w: derivatives of strains along r and along turns of the second frame about its axes.
// False: no memory.
static bool differentiate(deriver* d, x33 L, strain_x* s) {
  td_exprs* g = d->g;
  ex column[6];
  for (int k = 0; k < 3; k++) {
    const ex one = xnum(g, 1);
    const x33 turned = x33_turned(g, L, k);
    if (!td_ex_along(g, s->x, 6, &d->local_r[k], &one, 1, column)) return false;
    for (int i = 0; i < 6; i++) s->A_r[3 * i + k] = column[i];
    if (!td_ex_along(g, s->x, 6, d->local_L, turned.m, 9, column)) return false;
    for (int i = 0; i < 6; i++) s->A_w[3 * i + k] = column[i];
  }
  return true;
}

// Make the variables r, L and z of the forms, the strains as functions of them, and the
// derivatives.
td_status td_derive_forms(deriver* d) {
  td_exprs* g = d->g;
  x3 r;
  x33 L;
  ex z[9];

  // variables _r0.., _L0.., _z0..
  char name[] = "_r0";
  for (int k = 0; k < 9; k++) {
    name[2] = (char)('0' + k);
    name[1] = 'r';
    if (k < 3) d->local_r[k] = td_exprs_var(d->g, name, TD_ON_SYMBOL);
    name[1] = 'L';
    d->local_L[k] = td_exprs_var(d->g, name, TD_ON_SYMBOL);
    name[1] = 'z';
    d->local_z[k] = td_exprs_var(d->g, name, TD_ON_SYMBOL);
    if (d->local_r[k % 3] < 0 || d->local_L[k] < 0 || d->local_z[k] < 0) return TD_E_NOMEM;
  }
  for (int k = 0; k < 3; k++) r.a[k] = td_ex_var(g, d->local_r[k]);
  for (int k = 0; k < 9; k++) {
    L.m[k] = td_ex_var(g, d->local_L[k]);
    z[k] = td_ex_var(g, d->local_z[k]);
  }

  // strains
  beam_form(g, r, L, d->beam.x);
  segment_form(g, r, L, d->segment.x);
  polynomial_form(g, z, d->poly);

  // derivatives along r and L, and along z
  const ex one = xnum(g, 1);
  ex column[6];
  bool ok = differentiate(d, L, &d->beam) && differentiate(d, L, &d->segment);
  for (int k = 0; ok && k < 9; k++) {
    ok = td_ex_along(g, d->poly, 6, &d->local_z[k], &one, 1, column);
    for (int i = 0; ok && i < 6; i++) d->poly_z[9 * i + k] = column[i];
  }
  return ok ? TD_OK : TD_E_NOMEM;
}

// Substitute r and L of a pair of frames into a form and its derivatives.
strain_x td_derive_pair_strain(deriver* d, const strain_x* form, const pair_x* pair) {
  int var[12];
  ex with[12], out[42], in[42];
  memcpy(var, d->local_r, sizeof d->local_r);
  memcpy(var + 3, d->local_L, sizeof d->local_L);
  memcpy(with, pair->r.a, sizeof pair->r.a);
  memcpy(with + 3, pair->L.m, sizeof pair->L.m);
  memcpy(in, form->x, sizeof form->x);
  memcpy(in + 6, form->A_r, sizeof form->A_r);
  memcpy(in + 24, form->A_w, sizeof form->A_w);
  td_ex_substitute_all(d->g, in, 42, var, with, 12, out);
  strain_x s;
  for (int k = 0; k < 6; k++) s.x[k] = out[k];
  for (int k = 0; k < 18; k++) {
    s.A_r[k] = out[6 + k];
    s.A_w[k] = out[24 + k];
  }
  return s;
}

// x' = A_r r' + A_w w
void td_derive_strain_rates(deriver* d, const strain_x* s, const pair_x* pair, ex u[6]) {
  td_exprs* g = d->g;
  for (int i = 0; i < 6; i++) {
    const x3 r = {{s->A_r[3 * i], s->A_r[3 * i + 1], s->A_r[3 * i + 2]}};
    const x3 w = {{s->A_w[3 * i], s->A_w[3 * i + 1], s->A_w[3 * i + 2]}};
    u[i] = xadd(g, x3_dot(g, r, pair->rd), x3_dot(g, w, pair->wd));
  }
}
