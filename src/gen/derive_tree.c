// Frames of the kinematic tree as expressions.  A hop moves its parent's frame by a translation
// d(q) and a rotation S(q), found by differentiating the relative pose symbolically; frames are
// composed in their own axes:
//
//   p = p_parent + R_parent d                R = R_parent S
//   u = Sᵀ (u_parent + w_parent × d + d')    w = Sᵀ w_parent + w_rel      w_rel = 2 vec(Q⁻¹ Q')
//
// The same recursion holds for velocities and for each column of T = ∂χ/∂q (TMT method).  A new
// kind of joint needs a function that fills step_x and its line `td_derive_hop_<kind>`.
#include <string.h>

#include "gen/deriver.h"

// ---- fixed transformations --------------------------------------------------------------------

static ex length3(td_exprs* g, x3 v) { return xfun(g, EX_SQRT, x3_dot(g, v, v)); }

// R = c 1 + (1 - c) u uᵀ + s [u]×  (Rodrigues), u a unit vector
static x33 axis_angle(td_exprs* g, x3 u, ex angle) {
  const ex s = xfun(g, EX_SIN, angle), c = xfun(g, EX_COS, angle), k = xsub(g, xnum(g, 1), c);
  x33 R;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, l = (i + 2) % 3;
    const ex kxy = xmul(g, k, xmul(g, u.a[i], u.a[j])), sz = xmul(g, s, u.a[l]);
    R.m[4 * i] = xis(g, u.a[i], 1) ? xnum(g, 1) : xadd(g, c, xmul(g, k, xmul(g, u.a[i], u.a[i])));
    R.m[3 * i + j] = xsub(g, kxy, sz);
    R.m[3 * j + i] = xadd(g, kxy, sz);
  }
  return R;
}

// Rotation matrix of a quaternion of any length
static x33 rotation(td_exprs* g, xquat q) {
  return x33_quat(g, q, xadd(g, xmul(g, q.w, q.w), x3_dot(g, q.v, q.v)));
}

// Rotation matrix of a fixed transformation as expressions, by the parametrisation of the user.
static x33 fixed_rotation(deriver* d, const model_fix* f) {
  td_exprs* g = d->g;
  if (f->rot == NUM_NONE) return x33_identity(g);
  switch (f->kind) {
    case ROT_NONE:
      break;
    case ROT_PRINCIPAL:
      return axis_angle(g, x3_axis(g, f->axis), td_derive_number(d, f->rot));
    case ROT_EULER_BERNOULLI:
      return rotation(g,
                      (xquat){xnum(g, 1), x3_scale(g, xnum(g, 0.5), td_derive_vector(d, f->rot))});
    case ROT_ANGLE_AXIS: {
      const x3 u = td_derive_vector(d, f->rot + 1);
      const ex n = length3(g, u);
      if (xis(g, n, 0)) break;
      return axis_angle(g, x3_scale(g, xdiv(g, xnum(g, 1), n), u), td_derive_number(d, f->rot));
    }
    case ROT_QUATERNION:
      return rotation(g, (xquat){td_derive_number(d, f->rot), td_derive_vector(d, f->rot + 1)});
    case ROT_UNIT_VECTOR: {
      const x3 v = td_derive_vector(d, f->rot);
      const ex w2 = xmax(g, xnum(g, 0), xsub(g, xnum(g, 1), x3_dot(g, v, v)));
      return rotation(g, (xquat){xfun(g, EX_SQRT, w2), v});
    }
  }
  return x33_identity(g);
}

// Compose the nfix fixed transformations from index `fix` on into one pose (R, p).
static void fixed_pose(deriver* d, int fix, int nfix, x33* R, x3* p) {
  td_exprs* g = d->g;
  *R = x33_identity(g);
  *p = x3_zero(g);
  for (int i = fix; i < fix + nfix; i++) {
    const model_fix* f = &d->m->fix[i];
    *p = x3_add(g, *p, x33_apply(g, *R, td_derive_vector(d, f->trans)));
    *R = x33_mul(g, *R, fixed_rotation(d, f));
  }
}

// ---- relative poses ---------------------------------------------------------------------------

static ex position(deriver* d, int q) { return td_ex_var(d->g, d->out->q[q]); }

static x3 unit_axis(deriver* d, num slot) {
  const x3 a = td_derive_vector(d, slot);
  const ex n = length3(d->g, a);
  return xis(d->g, n, 1) ? a : x3_scale(d->g, xdiv(d->g, xnum(d->g, 1), n), a);
}

// One coordinate along or about an axis: translation, revolute joint, or a screw with its pitch
static bool screw(deriver* d, const model_hop* hop, step_x* s) {
  td_exprs* g = d->g;
  const x3 axis = unit_axis(d, hop->axis);
  const ex q = position(d, hop->q);
  const ex lead = hop->moves               ? xnum(g, 1)
                  : hop->pitch != NUM_NONE ? td_derive_number(d, hop->pitch)
                                           : xnum(g, 0);
  s->n = 1;
  s->v[0] = hop->v;
  s->d = x3_scale(g, xmul(g, lead, q), axis);
  s->dd[0] = x3_scale(g, lead, axis);
  s->S = hop->turns ? axis_angle(g, axis, q) : x33_identity(g);
  s->dw[0] = hop->turns ? axis : x3_zero(g);
  return true;
}

// A ball joint: a unit quaternion whose velocities are the body's angular velocity, S' = S [v]×
static bool ball(deriver* d, const model_hop* hop, step_x* s) {
  td_exprs* g = d->g;
  const x3 v = {{position(d, hop->q + 1), position(d, hop->q + 2), position(d, hop->q + 3)}};
  s->S = rotation(g, (xquat){position(d, hop->q), v});
  s->n = 3;
  for (int k = 0; k < 3; k++) {
    s->v[k] = hop->v + k;
    s->dd[k] = x3_zero(g);
    s->dw[k] = x3_axis(g, k);
  }
  return true;
}

// A revolute joint with a unit quaternion [w, s] about its axis as coordinates
static bool circle(deriver* d, const model_hop* hop, step_x* s) {
  td_exprs* g = d->g;
  const x3 axis = unit_axis(d, hop->axis);
  s->S = rotation(g, (xquat){position(d, hop->q), x3_scale(g, position(d, hop->q + 1), axis)});
  s->n = 1;
  s->v[0] = hop->v;
  s->dd[0] = x3_zero(g);
  s->dw[0] = axis;
  return true;
}

static ex weight_of(deriver* d, num slot) {
  return slot == NUM_NONE ? xnum(d->g, 1) : td_derive_number(d, slot);
}

// y = y0 + Σ weight q
static x3 chart_numbers(deriver* d, const model_hop* hop) {
  x3 y = td_derive_vector(d, hop->value);
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &d->m->col[k];
    y.a[c->part] = xadd(d->g, y.a[c->part], xmul(d->g, weight_of(d, c->weight), position(d, c->q)));
  }
  return y;
}

// Translations along axes: d = y, of which column k is weight_k e_part
static bool move(deriver* d, const model_hop* hop, step_x* s) {
  td_exprs* g = d->g;
  s->d = chart_numbers(d, hop);
  s->n = hop->nv;
  for (int k = 0; k < hop->nv; k++) {
    const model_col* c = &d->m->col[hop->col + k];
    s->v[k] = c->v;
    s->dd[k] = x3_scale(g, weight_of(d, c->weight), x3_axis(g, c->part));
    s->dw[k] = x3_zero(g);
  }
  return true;
}

// cos(θ/2) and sin(θ/2)/θ as functions of t = θ²: series below θ = 1, where the derivatives of the
// closed forms lose digits.
static void half_angle(td_exprs* g, ex t, ex* c, ex* s) {
  enum { TERMS = 10 };
  double a[TERMS], b[TERMS];
  a[0] = 1, b[0] = 0.5;
  for (int k = 1; k < TERMS; k++) {
    a[k] = -0.25 * a[k - 1] / ((2 * k - 1) * (2 * k));
    b[k] = -0.25 * b[k - 1] / ((2 * k) * (2 * k + 1));
  }

  // series below θ = 1, closed forms above
  const ex small = xless(g, t, 1), theta = xfun(g, EX_SQRT, t), half = xscale(g, 0.5, theta);
  *c = xif(g, small, xseries(g, a, TERMS, t), xfun(g, EX_COS, half));
  *s = xif(g, small, xseries(g, b, TERMS, t), xdiv(g, xfun(g, EX_SIN, half), theta));
}

// Quaternion Q(y) of a rotation chart and its squared length N:
//   quat3  [sqrt(1 - |y|²), y]     cayley  [1, y/2]     else  exp(y) = [cos(θ/2), y sin(θ/2)/θ]
static xquat chart_quaternion(td_exprs* g, chart_kind kind, x3 y, ex* N) {
  const ex one = xnum(g, 1), yy = x3_dot(g, y, y);
  *N = one;
  if (kind == CHART_QUAT3) return (xquat){xfun(g, EX_SQRT, xsub(g, one, yy)), y};
  if (kind == CHART_CAYLEY) {
    *N = xadd(g, one, xscale(g, 0.25, yy));
    return (xquat){one, x3_scale(g, xnum(g, 0.5), y)};
  }
  ex c, s;
  half_angle(g, yy, &c, &s);
  return (xquat){c, x3_scale(g, s, y)};
}

// w = 2 vec(Q* Q') / |Q|²
static x3 turn_rate(td_exprs* g, xquat q, ex N, xquat rate) {
  x3 w = x3_sub(g, x3_scale(g, q.w, rate.v), x3_scale(g, rate.w, q.v));
  w = x3_sub(g, w, x3_cross(g, q.v, rate.v));
  return x3_scale(g, xdiv(g, xnum(g, 2), N), w);
}

// A rotation given by three numbers: S = R(Q(y)), its columns by differentiating Q
static bool chart_step(deriver* d, const model_hop* hop, step_x* s) {
  td_exprs* g = d->g;
  ex N;
  const xquat Q = chart_quaternion(g, td_hop_chart(hop), chart_numbers(d, hop), &N);
  const ex parts[4] = {Q.w, Q.v.a[0], Q.v.a[1], Q.v.a[2]}, one = xnum(g, 1);
  s->S = x33_quat(g, Q, N);
  s->n = hop->nv;
  for (int k = 0; k < hop->nv; k++) {
    const model_col* c = &d->m->col[hop->col + k];
    ex rate[4];
    if (!td_ex_along(g, parts, 4, &d->out->q[c->q], &one, 1, rate)) return false;
    s->v[k] = c->v;
    s->dd[k] = x3_zero(g);
    s->dw[k] = turn_rate(g, Q, N, (xquat){rate[0], {{rate[1], rate[2], rate[3]}}});
  }
  return true;
}

const derive_hop td_derive_hop_screw = {screw};
const derive_hop td_derive_hop_ball = {ball};
const derive_hop td_derive_hop_circle = {circle};
const derive_hop td_derive_hop_quat3 = {chart_step};
const derive_hop td_derive_hop_cayley = {chart_step};
const derive_hop td_derive_hop_turn = {chart_step};
const derive_hop td_derive_hop_move = {move};
const derive_hop td_derive_hop_strain = {NULL};

static const derive_hop* const hop_table[HOP_KINDS] = {
#define X(kind, name, ...) &td_derive_hop_##name,
    TD_HOPS(X)
#undef X
};

// ---- composition ------------------------------------------------------------------------------

// Velocities [u, w] of a frame after a translation d and a rotation S: u = Sᵀ(u + w × d), w = Sᵀ w
static void carry(td_exprs* g, x3 d, x33 S, x3* u, x3* w) {
  *u = x33_apply_t(g, S, x3_add(g, *u, x3_cross(g, *w, d)));
  *w = x33_apply_t(g, S, *w);
}

static hop_x ground_frame(deriver* d) {
  return (hop_x){
      .R = x33_identity(d->g), .p = x3_zero(d->g), .u = x3_zero(d->g), .w = x3_zero(d->g)};
}

// Move frame `from` by the translation `move` and the rotation S.  `own` has the motion that the
// hop adds itself, NULL for a fixed transformation.  False: no memory.
static bool advance(deriver* d, const hop_x* from, x3 move, x33 S, const step_x* own, hop_x* to) {
  td_exprs* g = d->g;
  const int nown = own ? own->n : 0;
  *to = *from;
  to->col = malloc((size_t)(from->ncol + nown + 1) * sizeof *to->col);
  if (!to->col) return false;

  // pose, velocities and the columns that `from` has already
  to->p = x3_add(g, from->p, x33_apply(g, from->R, move));
  to->R = x33_mul(g, from->R, S);
  carry(g, move, S, &to->u, &to->w);
  for (int i = 0; i < from->ncol; i++) {
    to->col[i] = from->col[i];
    carry(g, move, S, &to->col[i].u, &to->col[i].w);
  }

  // a translation makes the axes before the rotation the base axes
  bool translates = !x3_is_zero(g, move);
  for (int k = 0; k < nown; k++) translates = translates || !x3_is_zero(g, own->dd[k]);
  if (translates) {
    to->Rb = from->R;
    to->wb = from->w;
    to->Sb = S;
    to->ub = x3_add(g, from->u, x3_cross(g, from->w, move));
    for (int i = 0; i < from->ncol; i++) {
      to->col[i].b = x3_add(g, from->col[i].u, x3_cross(g, from->col[i].w, move));
    }
  } else {
    to->Sb = x33_mul(g, from->Sb, S);
  }

  // add the hop's own motion; a coordinate that moved a frame before already has its column
  for (int k = 0; k < nown; k++) {
    const x3 u = x33_apply_t(g, S, own->dd[k]);
    const ex rate = td_ex_var(g, d->out->v[own->v[k]]);
    to->u = x3_add(g, to->u, x3_scale(g, rate, u));
    to->w = x3_add(g, to->w, x3_scale(g, rate, own->dw[k]));
    to->ub = x3_add(g, to->ub, x3_scale(g, rate, own->dd[k]));

    int c = 0;
    while (c < to->ncol && to->col[c].v != own->v[k]) c++;
    if (c < to->ncol) {
      to->col[c].u = x3_add(g, to->col[c].u, u);
      to->col[c].w = x3_add(g, to->col[c].w, own->dw[k]);
      to->col[c].b = x3_add(g, to->col[c].b, own->dd[k]);
    } else {
      to->col[to->ncol++] = (tmt_col){own->v[k], u, own->dw[k], own->dd[k]};
    }
  }
  return true;
}

// Derive the frame of every hop from its parent's, except where a point of a rod stands for it.
td_status td_derive_tree(deriver* d) {
  const hop_x ground = ground_frame(d);
  step_x step;
  for (int i = 0; i < d->m->nhop && !td_exprs_failed(d->g); i++) {
    const model_hop* hop = &d->m->hop[i];
    const hop_x* parent = hop->parent < 0 ? &ground : &d->hop[hop->parent];
    if (d->hop_quadrature[i] < 0) continue;

    // relative pose of the joint or rod step
    step.n = 0;
    step.d = x3_zero(d->g);
    step.S = x33_identity(d->g);
    if (hop->nv > MAX_COLUMNS)
      return td_derive_refuse(d, TD_E_MODEL, "a joint with %d degrees of freedom cannot be derived",
                              hop->nv);
    if (!hop_table[hop->kind]->step)
      return td_derive_refuse(d, TD_E_MODEL, "a joint of this kind has no closed form here");
    if (!hop_table[hop->kind]->step(d, hop, &step)) return TD_E_NOMEM;

    // the hop's frame: fixed transformations first, then the motion
    hop_x fixed = {.col = NULL};
    if (hop->nfix > 0) {
      x33 R;
      x3 p;
      fixed_pose(d, hop->fix, hop->nfix, &R, &p);
      if (!advance(d, parent, p, R, NULL, &fixed)) return TD_E_NOMEM;
      parent = &fixed;
    }
    const bool ok = advance(d, parent, step.d, step.S, &step, &d->hop[i]);
    free(fixed.col);
    if (!ok) return TD_E_NOMEM;
  }
  return td_exprs_failed(d->g) ? TD_E_NOMEM : TD_OK;
}

// ---- stations ---------------------------------------------------------------------------------

// Pose and velocity of a station's frame; station < 0 is the ground
station_x td_derive_station(deriver* d, int station) {
  td_exprs* g = d->g;
  const hop_x ground = ground_frame(d);
  station_x s = {.hop = -1, .fixR = ground.R, .fixp = ground.p};
  if (station >= 0) {
    const model_station* at = &d->m->station[station];
    s.hop = at->hop;
    fixed_pose(d, at->fix, at->nfix, &s.fixR, &s.fixp);
  }

  // pose and velocity, from the hop's
  const hop_x* h = s.hop < 0 ? &ground : &d->hop[s.hop];
  s.p = x3_add(g, h->p, x33_apply(g, h->R, s.fixp));
  s.R = x33_mul(g, h->R, s.fixR);
  s.u = h->u;
  s.w = h->w;
  carry(g, s.fixp, s.fixR, &s.u, &s.w);
  return s;
}

// Relative pose and motion of station b seen from station a
pair_x td_derive_pair(deriver* d, int a, int b) {
  td_exprs* g = d->g;
  pair_x x = {.a = td_derive_station(d, a), .b = td_derive_station(d, b)};
  x.r = x33_apply_t(g, x.a.R, x3_sub(g, x.b.p, x.a.p));
  x.L = x33_mul(g, x33_transpose(x.a.R), x.b.R);
  x.rd = x3_sub(g, x33_apply(g, x.L, x.b.u), x3_add(g, x.a.u, x3_cross(g, x.a.w, x.r)));
  x.wd = x3_sub(g, x.b.w, x33_apply_t(g, x.L, x.a.w));
  return x;
}

// ---- loads ------------------------------------------------------------------------------------

bool td_load_open(deriver* d, load_x* load) {
  load->hop = calloc((size_t)d->m->nhop + 1, sizeof *load->hop);
  load->tau = malloc(((size_t)d->m->nvel + 1) * sizeof *load->tau);
  if (!load->hop || !load->tau) return false;
  td_load_clear(d, load);
  return true;
}

void td_load_close(load_x* load) {
  free(load->hop);
  free(load->tau);
}

void td_load_clear(deriver* d, load_x* load) {
  for (int i = 0; i < d->m->nhop; i++) load->hop[i].any = false;
  for (int i = 0; i < d->m->nvel; i++) load->tau[i] = xnum(d->g, 0);
  load->energy = load->power = xnum(d->g, 0);
  load->second = (wrench_x){false, x3_zero(d->g), x3_zero(d->g)};
}

// Add a force f at a station's origin and a torque t, both in its axes, to the wrench on its hop.
void td_load_add(deriver* d, load_x* load, const station_x* s, x3 f, x3 t) {
  td_exprs* g = d->g;
  if (s->hop < 0) return;
  wrench_x* h = &load->hop[s->hop];
  if (!h->any) *h = (wrench_x){true, x3_zero(g), x3_zero(g)};
  const x3 force = x33_apply(g, s->fixR, f);
  const x3 torque = x3_add(g, x33_apply(g, s->fixR, t), x3_cross(g, s->fixp, force));
  h->f = x3_add(g, h->f, force);
  h->t = x3_add(g, h->t, torque);
}

// Add force f and torque t between two frames by virtual work: δr = L u_b - u_a - w_a × r, and b
// turns relative to a by w_b - Lᵀ w_a.
void td_pair_load(deriver* d, load_x* load, const pair_x* x, x3 f, x3 t) {
  td_exprs* g = d->g;
  td_load_add(d, load, &x->b, x33_apply_t(g, x->L, f), t);
  const x3 turned = x33_apply(g, x->L, t), ta = x3_add(g, x3_cross(g, x->r, f), turned);
  td_load_add(d, load, &x->a, x3_neg(g, f), x3_neg(g, ta));
  td_load_second(d, load, f, turned);
}

void td_load_second(deriver* d, load_x* load, x3 f, x3 t) {
  if (!load->second.any) return;
  load->second.f = x3_add(d->g, load->second.f, f);
  load->second.t = x3_add(d->g, load->second.t, t);
}

// out += Σ Tᵀ wrench over all hops, and the forces along velocities
void td_load_collect(deriver* d, const load_x* load, ex* out) {
  td_exprs* g = d->g;
  for (int i = 0; i < d->m->nvel; i++) out[i] = xadd(g, out[i], load->tau[i]);
  for (int i = 0; i < d->m->nhop; i++) {
    const wrench_x* h = &load->hop[i];
    for (int k = 0; h->any && k < d->hop[i].ncol; k++) {
      const tmt_col* c = &d->hop[i].col[k];
      const ex work = xadd(g, x3_dot(g, h->f, c->u), x3_dot(g, h->t, c->w));
      out[c->v] = xadd(g, out[c->v], work);
    }
  }
}

bool td_derive_rates(deriver* d, const ex* e, int n, ex* out) {
  return td_ex_along(d->g, e, n, d->out->q, d->qdot, d->out->nq, out);
}

bool td_is_at_point(const td_model* m, const rod_point* at, int station) {
  const int hop = station < 0 ? -1 : m->station[station].hop;
  return hop >= 0 && (hop == at->turn || hop == at->move);
}
