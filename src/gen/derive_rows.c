// Constraint rows: error e, rate ė = J v, Jacobian J, and γ, with which J v' + γ = 0.
//
//   TRANS  e = R_c d · (p_b - p_a)      ALPHA  e = d · 2 vec(Q_a⁻¹ Q_b Q0⁻¹)      DOT  e = d · L x
//   SCREW  e = R_a d · (p_b - p_a) - h θ
//
// The wrenches of a unit multiplier, multiplied by Tᵀ, are a row of J; γ is the derivative of J v
// along the motion at v' = 0 less the acceleration that a control or a given motion demands.
#include "gen/deriver.h"

// Distance along a direction d of frame c
static ex trans_row(deriver* d, const model_row* r, load_x* load) {
  td_exprs* g = d->g;
  const station_x a = td_derive_station(d, r->a), b = td_derive_station(d, r->b),
                  c = td_derive_station(d, r->c);
  const x3 dir = td_derive_vector(d, r->d), D = x33_apply(g, c.R, dir), none = x3_zero(g);
  const x3 line = x3_sub(g, b.p, a.p);
  td_load_add(d, load, &b, x33_apply_t(g, b.R, D), none);
  td_load_add(d, load, &a, x3_neg(g, x33_apply_t(g, a.R, D)), none);
  td_load_add(d, load, &c, none, x3_cross(g, dir, x33_apply_t(g, c.R, line)));
  td_load_second(d, load, x33_apply_t(g, a.R, D), none);
  return x3_dot(g, D, line);
}

// Rotation R0 from which a row measures
static mat3 reference_of(const deriver* d, const model_row* r) {
  return r->reference >= 0 ? mat3_quat(d->w->reference[r->reference]) : mat3_identity();
}

// Component along d of the rotation L' = L R0ᵀ; a turn w of b turns L' by R0 w.
static ex alpha_row(deriver* d, const model_row* r, load_x* load) {
  td_exprs* g = d->g;
  const pair_x p = td_derive_pair(d, r->a, r->b);
  const x33 R0 = x33_of(g, reference_of(d, r));
  pair_x turned = p;
  turned.L = x33_mul(g, p.L, x33_transpose(R0));
  const strain_x s = td_derive_pair_strain(d, &d->beam, &turned);
  const x3 dir = td_derive_vector(d, r->d);
  x3 t = x3_zero(g);
  ex e = xnum(g, 0);
  for (int i = 0; i < 3; i++) {
    e = xadd(g, e, xmul(g, dir.a[i], s.x[3 + i]));
    for (int k = 0; k < 3; k++) {
      t.a[k] = xadd(g, t.a[k], xmul(g, dir.a[i], s.A_w[3 * (3 + i) + k]));
    }
  }
  td_pair_load(d, load, &p, x3_zero(g), x33_apply_t(g, R0, t));
  return e;
}

// Cosine between a direction d of frame a and a direction e of frame b
static ex dot_row(deriver* d, const model_row* r, load_x* load) {
  td_exprs* g = d->g;
  const pair_x p = td_derive_pair(d, r->a, r->b);
  const x33 R0 = x33_of(g, reference_of(d, r));
  const x3 dir = td_derive_vector(d, r->d), x = x33_apply_t(g, R0, td_derive_vector(d, r->e));
  const x3 seen = x33_apply_t(g, p.L, dir);
  td_pair_load(d, load, &p, x3_zero(g), x3_cross(g, x, seen));
  return x3_dot(g, seen, x);
}

// Distance along d less the pitch times the angle θ of L' = L R0ᵀ about d, of which
// tan θ = d·vee(L' - L'ᵀ) / (tr L' - d·L' d) is regular at every angle.
static ex screw_row(deriver* d, const model_row* r, load_x* load) {
  td_exprs* g = d->g;
  const pair_x p = td_derive_pair(d, r->a, r->b);
  const x33 R0 = x33_of(g, reference_of(d, r)), L = x33_mul(g, p.L, x33_transpose(R0));
  const x3 dir = td_derive_vector(d, r->d);
  const ex h = td_derive_number(d, r->pitch), zero = xnum(g, d->w->row_zero[r - d->m->row]);
  ex e = trans_row(d, r, load), parts[4][2];

  // sine and cosine of θ (times a factor): of L' itself, and their derivatives along three turns
  for (int k = 0; k < 4; k++) {
    const x33 X = k < 3 ? x33_turned(g, L, k) : L;
    const x3 skew = {{xsub(g, X.m[7], X.m[5]), xsub(g, X.m[2], X.m[6]), xsub(g, X.m[3], X.m[1])}};
    const ex trace = xadd(g, xadd(g, X.m[0], X.m[4]), X.m[8]);
    parts[k][0] = x3_dot(g, dir, skew);
    parts[k][1] = xsub(g, trace, x3_dot(g, dir, x33_apply(g, X, dir)));
  }
  const ex s = parts[3][0], c = parts[3][1], n = xadd(g, xmul(g, s, s), xmul(g, c, c));

  // torque -h dθ of a unit multiplier
  x3 t;
  for (int k = 0; k < 3; k++) {
    const ex change = xsub(g, xmul(g, c, parts[k][0]), xmul(g, s, parts[k][1]));
    t.a[k] = xneg(g, xmul(g, h, xdiv(g, change, n)));
  }
  td_pair_load(d, load, &p, x3_zero(g), x33_apply_t(g, R0, t));

  // the error is known up to whole turns: take those nearest to the reference
  e = xsub(g, e, xmul(g, h, td_ex_2(g, EX_ATAN2, s, c)));
  if (xis(g, h, 0)) return e;
  const ex thread = xscale(g, 6.283185307179586, h);
  const ex turns = xfun(g, EX_ROUND, xdiv(g, xsub(g, e, zero), thread));
  return xsub(g, e, xmul(g, thread, turns));
}

// Error of a row, and the wrenches of its unit multiplier added to `load`
ex td_derive_row(deriver* d, int row, load_x* load) {
  static ex (*const rows[FRAME_ROW_KINDS])(deriver*, const model_row*, load_x*) = {
#define X(kind, name, ...) name##_row,
      TD_FRAME_ROWS(X)
#undef X
  };
  const model_row* r = &d->m->row[row];
  require(row_has_frames(r->kind));  // others are refused before
  return rows[r->kind](d, r, load);
}

// Derive J, the errors, their rates and γ of all rows.
td_status td_derive_rows(deriver* d) {
  td_exprs* g = d->g;
  td_derived* out = d->out;
  const int nv = out->nv;

  // J and its product with v
  for (int i = 0; i < out->nrow; i++) {
    ex *J = out->J + i * nv, rate = xnum(g, 0);
    td_load_clear(d, &d->row);
    out->e[i] = td_derive_row(d, i, &d->row);
    for (int k = 0; k < nv; k++) J[k] = xnum(g, 0);
    td_load_collect(d, &d->row, J);
    for (int k = 0; k < nv; k++) rate = xadd(g, rate, xmul(g, J[k], td_ex_var(g, out->v[k])));
    out->edot[i] = rate;
  }
  if (!td_derive_rates(d, out->edot, out->nrow, out->gamma)) return TD_E_NOMEM;

  for (int i = 0; i < out->nrow; i++) {
    const model_row* r = &d->m->row[i];

    // target value and rate: initial value, control of time, or prescribed motion
    ex e0 = xnum(g, r->target == TARGET_INITIAL ? d->w->row_zero[i] : 0), ed0 = xnum(g, 0);
    if (r->target == TARGET_CONTROL) {
      e0 = td_ex_var(g, out->target[2 * r->target_index]);
      ed0 = td_ex_var(g, out->target[2 * r->target_index + 1]);
    }
    if (r->target == TARGET_MOTION) {
      e0 = td_derive_number(d, r->motion);
      ed0 = td_derive_number(d, r->motion + 1);
    }
    out->e[i] = xsub(g, out->e[i], e0);
    out->edot[i] = xsub(g, out->edot[i], ed0);

    // demanded acceleration: of the motion, with feedback -k e - μ ė
    ex a = r->control == NUM_NONE ? xnum(g, 0) : td_derive_number(d, r->control);
    if (r->target == TARGET_MOTION) a = td_derive_number(d, r->motion + 2);
    if (r->k != NUM_NONE) {
      a = xsub(g, a, xmul(g, td_derive_number(d, r->k), out->e[i]));
      a = xsub(g, a, xmul(g, td_derive_number(d, r->mu), out->edot[i]));
    }
    out->gamma[i] = xsub(g, out->gamma[i], a);
  }
  return td_exprs_failed(g) ? TD_E_NOMEM : TD_OK;
}
