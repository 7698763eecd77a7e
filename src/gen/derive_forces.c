// Forces: springs, dampers and inputs along coordinates and between frames, loads, rod pieces.  An
// element works on its strains: the force on the frames it joins is Aᵀ f with A the derivative of
// the strains along their motion (w = Tᵀ f, TMT method).
#include "elem/law.h"
#include "gen/deriver.h"

#define TINY 1e-150  // keeps powers and directions defined at zero

// ---- laws -------------------------------------------------------------------------------------

// |u|^(ν-1) u, |u| regularised below ν = 1
static ex power_rate(td_exprs* g, ex u, ex nu) {
  const ex one = xnum(g, 1);
  if (xis(g, nu, 1)) return u;
  if (xis(g, nu, 2)) return xmul(g, xfun(g, EX_ABS, u), u);
  if (xis(g, nu, 3)) return xmul(g, xmul(g, u, u), u);
  const ex rough = td_ex_2(g, EX_LT, nu, one);
  const ex square = xadd(g, xmul(g, u, u), xif(g, rough, xnum(g, LAW_RATE * LAW_RATE), xnum(g, 0)));
  const ex power =
      td_ex_2(g, EX_POW, xmax(g, square, xnum(g, TINY)), xscale(g, 0.5, xsub(g, nu, one)));
  return xmul(g, power, u);
}

// The ramp φ = r² (3 - 2r) of a one-sided law, r = e/δ in [0, 1] with e = s (x - x0)
static ex ramp(td_exprs* g, ex x0, ex e) {
  const ex size = xmax(g, xfun(g, EX_ABS, x0), xnum(g, LAW_RAMP)),
           delta = xscale(g, LAW_RAMP, size);
  const ex r = td_ex_2(g, EX_MIN, xnum(g, 1), xdiv(g, e, delta));
  return xmul(g, xmul(g, r, r), xsub(g, xnum(g, 3), xscale(g, 2, r)));
}

// One-sided: -s max(0, k e + μ φ s w) where e = s (x - x0) > 0
static ex one_sided(td_exprs* g, int dir, ex k, ex x0, ex damping, ex strain) {
  const ex zero = xnum(g, 0), s = xnum(g, dir), e = xmul(g, s, strain), phi = ramp(g, x0, e);
  const ex pull = xadd(g, xmul(g, k, e), xmul(g, phi, xmul(g, s, damping)));
  const ex f = xneg(g, xmul(g, s, xmax(g, zero, pull)));
  return xif(g, td_ex_2(g, EX_LT, zero, e), f, zero);
}

static ex law_force(deriver* d, const model_law* l, ex x, ex u) {
  td_exprs* g = d->g;
  const ex k = td_derive_number(d, l->k), mu = td_derive_number(d, l->mu);
  const ex x0 = xmul(g, td_derive_number(d, l->rest), td_derive_number(d, l->compr));
  const ex strain = xsub(g, x, x0);
  const ex damping = xis(g, mu, 0) ? mu : xmul(g, mu, power_rate(g, u, td_derive_number(d, l->nu)));
  if (l->dir != 0) return one_sided(g, l->dir, k, x0, damping, strain);
  return xneg(g, xadd(g, xmul(g, k, strain), damping));
}

// f where a one-sided law acts at x, switched on by its ramp
static ex switched(deriver* d, const model_law* l, ex x, ex f) {
  td_exprs* g = d->g;
  if (l->dir == 0 || xis(g, f, 0)) return f;
  const ex x0 = xmul(g, td_derive_number(d, l->rest), td_derive_number(d, l->compr));
  const ex e = xmul(g, xnum(g, l->dir), xsub(g, x, x0)), zero = xnum(g, 0);
  return xif(g, td_ex_2(g, EX_LT, zero, e), xmul(g, ramp(g, x0, e), f), zero);
}

static ex law_input(deriver* d, const model_law* l, ex x) {
  return switched(d, l, x, td_derive_number(d, l->input));
}

static void add_along(deriver* d, load_x* load, int v, ex f) {
  load->tau[v] = xadd(d->g, load->tau[v], f);
}

// What a law stores at x, k e²/2, and the power of the rest of its force f.
static void note_law(deriver* d, const model_law* l, ex x, ex u, ex f, load_x* passive) {
  td_exprs* g = d->g;
  if (!d->energetic) return;
  if (l->potential) {
    const ex k = td_derive_number(d, l->k);
    const ex x0 = xmul(g, td_derive_number(d, l->rest), td_derive_number(d, l->compr));
    const ex strain = xsub(g, x, x0), zero = xnum(g, 0);
    const ex held = l->dir < 0 ? td_ex_2(g, EX_LT, strain, zero) : td_ex_2(g, EX_LT, zero, strain);
    const ex e = l->dir == 0 ? strain : xif(g, held, strain, zero);
    passive->energy = xadd(g, passive->energy, xscale(g, 0.5, xmul(g, k, xmul(g, e, e))));
    f = xadd(g, f, xmul(g, k, e));
  }
  passive->power = xadd(g, passive->power, xmul(g, f, u));
}

static void note_power(deriver* d, load_x* load, ex power) {
  if (d->energetic) load->power = xadd(d->g, load->power, power);
}

// Rotation vector of a unit quaternion [w, e], and the factor c of elem/turn_part.h.
static x3 rotation_vector(td_exprs* g, ex w, x3 e, ex* c) {
  static const double angle[] = {1,
                                 1 / 6.,
                                 3 / 40.,
                                 15 / 336.,
                                 105 / 3456.,
                                 945 / 42240.,
                                 10395 / 599040.,
                                 135135 / 9676800.,
                                 2027025 / 175472640.};
  static const double factor[] = {1 / 12.,      1 / 720.,      1 / 30240.,
                                  1 / 1209600., 1 / 47900160., 691 / 1307674368000.};
  const ex u = x3_dot(g, e, e), n = xfun(g, EX_SQRT, u);
  const ex small = td_ex_2(g, EX_AND, xless(g, u, 0.01), td_ex_2(g, EX_LT, xnum(g, 0), w));
  const ex ratio = xif(g, small, xseries(g, angle, 9, u), xdiv(g, td_ex_2(g, EX_ATAN2, n, w), n));
  const x3 y = x3_scale(g, xscale(g, 2, ratio), e);
  const ex t = x3_dot(g, y, y), cot = xmul(g, ratio, w);
  *c = xif(g, xless(g, t, 0.04), xseries(g, factor, 6, t), xdiv(g, xsub(g, xnum(g, 1), cot), t));
  return y;
}

// A law along a number of a rotation: x' = γ·ω, the torque γ f.
static void turn_force(deriver* d, const model_force* f, load_x* passive, load_x* active) {
  td_exprs* g = d->g;
  ex q[4] = {xnum(g, 0), xnum(g, 0), xnum(g, 0), xnum(g, 0)}, n2 = xnum(g, 0), u = xnum(g, 0);
  for (int k = 0; k <= f->nturn; k++) {
    q[k] = td_ex_var(g, d->out->q[f->q + k]);
    n2 = xadd(g, n2, xmul(g, q[k], q[k]));
  }
  const ex scale = xdiv(g, xnum(g, 1), xfun(g, EX_SQRT, n2)), w = xmul(g, scale, q[0]);
  const x3 e = x3_scale(g, scale, (x3){{q[1], q[2], q[3]}}), a = x3_axis(g, f->axis);
  x3 gamma = x3_scale(g, xnum(g, 0.5), x3_add(g, x3_scale(g, w, a), x3_cross(g, a, e)));
  ex x = e.a[f->axis], c;
  if (f->measure == PART_TURN) {
    const x3 y = rotation_vector(g, w, e, &c), ya = x3_cross(g, y, a);
    gamma =
        x3_add(g, x3_sub(g, a, x3_scale(g, xnum(g, 0.5), ya)), x3_scale(g, c, x3_cross(g, y, ya)));
    x = y.a[f->axis];
  }
  for (int k = 0; k < f->nturn; k++)
    u = xadd(g, u, xmul(g, gamma.a[k], td_ex_var(g, d->out->v[f->v + k])));
  const ex force = law_force(d, &f->law[0], x, u), input = law_input(d, &f->law[0], x);
  for (int k = 0; k < f->nturn; k++) {
    add_along(d, passive, f->v + k, xmul(g, gamma.a[k], force));
    add_along(d, active, f->v + k, xmul(g, gamma.a[k], input));
  }
  note_law(d, &f->law[0], x, u, force, passive);
  note_power(d, active, xmul(g, input, u));
}

static void dof_force(deriver* d, const model_force* f, load_x* passive, load_x* active) {
  td_exprs* g = d->g;
  if (f->measure != PART_NUMBER) {
    turn_force(d, f, passive, active);
    return;
  }
  const ex x = f->q < 0 ? xnum(g, 0) : td_ex_var(g, d->out->q[f->q]);
  const ex u = td_ex_var(g, d->out->v[f->v]);
  const ex force = law_force(d, &f->law[0], x, u), input = law_input(d, &f->law[0], x);
  add_along(d, passive, f->v, force);
  add_along(d, active, f->v, input);
  note_law(d, &f->law[0], x, u, force, passive);
  note_power(d, active, xmul(g, input, u));
}

// ---- between frames ---------------------------------------------------------------------------

// Damping on each world component (damp.along = 0): it is not along the line, and acts on either
// frame at its own origin.
static void isotropic_damping(deriver* d, const model_law* l, const pair_x* p, ex length,
                              load_x* passive) {
  td_exprs* g = d->g;
  const x3 u = x3_sub(g, x33_apply(g, p->b.R, p->b.u), x33_apply(g, p->a.R, p->a.u));
  const ex mu = td_derive_number(d, l->mu), nu = td_derive_number(d, l->nu);
  const x3 none = x3_zero(g);
  x3 f;
  for (int c = 0; c < 3; c++)
    f.a[c] = switched(d, l, length, xneg(g, xmul(g, mu, power_rate(g, u.a[c], nu))));
  td_load_add(d, passive, &p->b, x33_apply_t(g, p->b.R, f), none);
  td_load_add(d, passive, &p->a, x3_neg(g, x33_apply_t(g, p->a.R, f)), none);
  td_load_second(d, passive, x33_apply_t(g, p->a.R, f), none);
  note_power(d, passive, x3_dot(g, f, u));
}

static void axial_force(deriver* d, const model_force* f, load_x* passive, load_x* active) {
  td_exprs* g = d->g;
  const model_law* l = &f->law[0];
  const pair_x p = td_derive_pair(d, f->a, f->b);
  const x3 none = x3_zero(g);
  const ex length = xfun(g, EX_SQRT, x3_dot(g, p.r, p.r));
  const ex inverse = xdiv(g, xnum(g, 1), xmax(g, length, xnum(g, TINY)));
  const x3 n = x3_scale(g, inverse, p.r);
  const ex rate = x3_dot(g, n, p.rd), input = law_input(d, l, length);
  const ex force = law_force(d, l, length, f->isotropic ? xnum(g, 0) : rate);
  td_pair_load(d, passive, &p, x3_scale(g, force, n), none);
  if (f->isotropic) isotropic_damping(d, l, &p, length, passive);
  td_pair_load(d, active, &p, x3_scale(g, input, n), none);
  note_law(d, l, length, rate, force, passive);
  note_power(d, active, xmul(g, input, rate));
}

// Aᵀ f on the two frames.
static void strain_load(deriver* d, load_x* load, const strain_x* s, const pair_x* p, const ex* f) {
  td_exprs* g = d->g;
  x3 F = x3_zero(g), T = F;
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 3; k++) {
      F.a[k] = xadd(g, F.a[k], xmul(g, s->A_r[3 * i + k], f[i]));
      T.a[k] = xadd(g, T.a[k], xmul(g, s->A_w[3 * i + k], f[i]));
    }
  td_pair_load(d, load, p, F, T);
}

// Rows of a triple turned into the beam's axes: Fᵀ x
static void turn_rows(td_exprs* g, const mat3* F, ex* rows, int n) {
  for (int c = 0; c < n; c++) {
    const x3 x = {{rows[c], rows[n + c], rows[2 * n + c]}};
    const x3 y = x33_apply_t(g, x33_of(g, *F), x);
    for (int i = 0; i < 3; i++) rows[i * n + c] = y.a[i];
  }
}

static strain_x beam_strain(deriver* d, const model_force* f, const pair_x* p) {
  strain_x s = td_derive_strain(d, &d->beam, p);
  if (f->frame < 0) return s;
  const mat3* F = &d->w->beam_frame[f->frame];
  for (int half = 0; half < 2; half++) {
    turn_rows(d->g, F, s.x + 3 * half, 1);
    turn_rows(d->g, F, s.A_r + 9 * half, 3);
    turn_rows(d->g, F, s.A_w + 9 * half, 3);
  }
  return s;
}

static void beam_force(deriver* d, const model_force* f, load_x* passive, load_x* active) {
  const pair_x p = td_derive_pair(d, f->a, f->b);
  const strain_x s = beam_strain(d, f, &p);
  ex rate[6], force[6], input[6];
  td_derive_strain_rates(d, &s, &p, rate);
  for (int i = 0; i < 6; i++) {
    force[i] = law_force(d, &f->law[i], s.x[i], rate[i]);
    input[i] = law_input(d, &f->law[i], s.x[i]);
    note_law(d, &f->law[i], s.x[i], rate[i], force[i], passive);
    note_power(d, active, xmul(d->g, input[i], rate[i]));
  }
  strain_load(d, passive, &s, &p, force);
  strain_load(d, active, &s, &p, input);
}

static void load_force(deriver* d, const model_force* f, load_x* active) {
  td_exprs* g = d->g;
  const station_x a = td_derive_station(d, f->a), b = td_derive_station(d, f->b);
  const x3 F = x33_apply(g, a.R, td_derive_vector(d, f->wrench));
  const x3 T = x33_apply(g, a.R, td_derive_vector(d, f->wrench + 3));
  const x3 Fb = x33_apply_t(g, b.R, F), Tb = x33_apply_t(g, b.R, T);
  td_load_add(d, active, &b, Fb, Tb);
  note_power(d, active, xadd(g, x3_dot(g, Fb, b.u), x3_dot(g, Tb, b.w)));
}

// ---- rod pieces -------------------------------------------------------------------------------

static ex slot(deriver* d, const model_force* f, int i) {
  return td_derive_number(d, f->section + i);
}

// f = -K (χ - χ0) - D χ' - μ |χ'|^(p-1) χ'
static void section_force(deriver* d, const model_force* f, const ex x[6], const ex u[6],
                          ex out[6]) {
  td_exprs* g = d->g;
  for (int i = 0; i < 6; i++) {
    const ex mu = slot(d, f, SECTION_MU + i);
    ex sum = xnum(g, 0);
    for (int j = 0; j < 6; j++) {
      const ex strain = xsub(g, x[j], slot(d, f, SECTION_X0 + j));
      sum = xadd(g, sum, xmul(g, slot(d, f, SECTION_K + 6 * i + j), strain));
      sum = xadd(g, sum, xmul(g, slot(d, f, SECTION_D + 6 * i + j), u[j]));
    }
    if (!xis(g, mu, 0)) {
      sum = xadd(g, sum, xmul(g, mu, power_rate(g, u[i], slot(d, f, SECTION_POWER))));
    }
    out[i] = xneg(g, sum);
  }
}

static void section_input(deriver* d, const model_force* f, ex out[6]) {
  for (int i = 0; i < 6; i++) out[i] = slot(d, f, SECTION_INPUT + i);
}

static void coordinate_strains(deriver* d, const model_force* f, ex x[6], ex u[6]) {
  td_exprs* g = d->g;
  const ex length = slot(d, f, SECTION_LENGTH);
  for (int i = 0; i < 6; i++) {
    const bool held = f->dof_q[i] < 0;
    x[i] =
        held ? slot(d, f, SECTION_HELD + i) : xdiv(g, td_ex_var(g, d->out->q[f->dof_q[i]]), length);
    u[i] = held ? xnum(g, 0) : xdiv(g, td_ex_var(g, d->out->v[f->dof_v[i]]), length);
  }
}

static void segment_strains(deriver* d, const model_force* f, const strain_x* s, const pair_x* p,
                            ex x[6], ex u[6]) {
  td_exprs* g = d->g;
  const ex length = slot(d, f, SECTION_LENGTH);
  td_derive_strain_rates(d, s, p, u);
  for (int i = 0; i < 6; i++) {
    x[i] = xdiv(g, s->x[i], length);
    if (i == 2) x[i] = xsub(g, x[i], xnum(g, 1));
    u[i] = xdiv(g, u[i], length);
  }
}

// The nine numbers [p' x x'] of a polynomial pose: their values, rates, and derivatives along the
// coordinates, which are the weights and slopes of its columns.
typedef struct poly_x {
  ex z[9], zd[9];
  const model_hop *move, *turn;
} poly_x;

static void add_numbers(deriver* d, const model_hop* hop, int first, bool slope, poly_x* p) {
  td_exprs* g = d->g;
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &d->m->col[k];
    const ex w = td_derive_number(d, slope ? c->slope : c->weight);
    const int i = first + c->part;
    p->z[i] = xadd(g, p->z[i], xmul(g, w, td_ex_var(g, d->out->q[c->q])));
    p->zd[i] = xadd(g, p->zd[i], xmul(g, w, td_ex_var(g, d->out->v[c->v])));
  }
}

static poly_x polynomial_numbers(deriver* d, const model_force* f) {
  td_exprs* g = d->g;
  poly_x p;
  p.turn = &d->m->hop[d->m->station[f->b].hop];
  p.move = &d->m->hop[p.turn->parent];
  for (int i = 0; i < 9; i++) {
    p.z[i] = xnum(g, i == 2);
    p.zd[i] = xnum(g, 0);
  }
  add_numbers(d, p.move, 0, true, &p);
  add_numbers(d, p.turn, 3, false, &p);
  add_numbers(d, p.turn, 6, true, &p);
  return p;
}

// Strains, rates, and their derivatives along the nine numbers (6 x 9).
static void polynomial_strains(deriver* d, const poly_x* p, ex x[6], ex u[6], ex A[54]) {
  td_exprs* g = d->g;
  td_ex_substitute_all(g, d->poly, 6, d->local_z, p->z, 9, x);
  td_ex_substitute_all(g, d->poly_z, 54, d->local_z, p->z, 9, A);
  for (int i = 0; i < 6; i++) {
    u[i] = xnum(g, 0);
    for (int k = 0; k < 9; k++) u[i] = xadd(g, u[i], xmul(g, A[9 * i + k], p->zd[k]));
  }
}

static void polynomial_columns(deriver* d, const model_hop* hop, int first, bool slope, ex length,
                               const ex G[9], load_x* load) {
  td_exprs* g = d->g;
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &d->m->col[k];
    const ex w = xmul(g, length, td_derive_number(d, slope ? c->slope : c->weight));
    add_along(d, load, c->v, xmul(g, w, G[first + c->part]));
  }
}

static void polynomial_load(deriver* d, const model_force* f, const poly_x* p, const ex A[54],
                            const ex s[6], load_x* load) {
  td_exprs* g = d->g;
  const ex length = slot(d, f, SECTION_LENGTH);
  ex G[9];
  for (int k = 0; k < 9; k++) {
    G[k] = xnum(g, 0);
    for (int i = 0; i < 6; i++) G[k] = xadd(g, G[k], xmul(g, A[9 * i + k], s[i]));
  }
  polynomial_columns(d, p->move, 0, true, length, G, load);
  polynomial_columns(d, p->turn, 3, false, length, G, load);
  polynomial_columns(d, p->turn, 6, true, length, G, load);
}

void td_derive_piece(deriver* d, const model_force* f, ex x[6], ex u[6]) {
  if (f->strain == STRAIN_DOF) {
    coordinate_strains(d, f, x, u);
  } else if (f->strain == STRAIN_SEGMENT) {
    const pair_x p = td_derive_pair(d, f->a, f->b);
    const strain_x s = td_derive_strain(d, &d->segment, &p);
    segment_strains(d, f, &s, &p, x, u);
  } else {
    const poly_x p = polynomial_numbers(d, f);
    ex A[54];
    polynomial_strains(d, &p, x, u, A);
  }
}

// What a piece stores, and the power of the rest.
static void note_piece(deriver* d, const model_force* f, const ex x[6], const ex u[6],
                       const ex force[6], const ex input[6], load_x* passive, load_x* active) {
  td_exprs* g = d->g;
  if (!d->energetic) return;
  const ex length = slot(d, f, SECTION_LENGTH);
  ex stored = f->stored ? slot(d, f, SECTION_STORED) : xnum(g, 0), power = xnum(g, 0), fed = power;
  for (int i = 0; i < 6; i++) {
    ex spring = xnum(g, 0);
    for (int j = 0; f->potential && j < 6; j++) {
      const ex strain = xsub(g, x[j], slot(d, f, SECTION_X0 + j));
      spring = xadd(g, spring, xmul(g, slot(d, f, SECTION_K + 6 * i + j), strain));
    }
    const ex half = xscale(g, 0.5, xsub(g, x[i], slot(d, f, SECTION_X0 + i)));
    if (!f->stored) stored = xadd(g, stored, xmul(g, half, spring));
    power = xadd(g, power, xmul(g, xadd(g, force[i], spring), u[i]));
    fed = xadd(g, fed, xmul(g, input[i], u[i]));
  }
  if (f->potential) passive->energy = xadd(g, passive->energy, xmul(g, length, stored));
  note_power(d, passive, xmul(g, length, power));
  note_power(d, active, xmul(g, length, fed));
}

static void piece_force(deriver* d, const model_force* f, load_x* passive, load_x* active) {
  ex x[6], u[6], force[6], input[6];
  section_input(d, f, input);
  if (f->strain == STRAIN_DOF) {
    coordinate_strains(d, f, x, u);
    section_force(d, f, x, u, force);
    for (int i = 0; i < 6; i++) {
      if (f->dof_v[i] < 0) continue;
      add_along(d, passive, f->dof_v[i], force[i]);
      add_along(d, active, f->dof_v[i], input[i]);
    }
  } else if (f->strain == STRAIN_SEGMENT) {
    const pair_x p = td_derive_pair(d, f->a, f->b);
    const strain_x s = td_derive_strain(d, &d->segment, &p);
    segment_strains(d, f, &s, &p, x, u);
    section_force(d, f, x, u, force);
    strain_load(d, passive, &s, &p, force);
    strain_load(d, active, &s, &p, input);
  } else {
    const poly_x p = polynomial_numbers(d, f);
    ex A[54];
    polynomial_strains(d, &p, x, u, A);
    section_force(d, f, x, u, force);
    polynomial_load(d, f, &p, A, force, passive);
    polynomial_load(d, f, &p, A, input, active);
  }
  note_piece(d, f, x, u, force, input, passive, active);
}

// ---- all --------------------------------------------------------------------------------------

static void one_force(deriver* d, const model_force* f, load_x* passive, load_x* active) {
  switch (f->kind) {
    case FORCE_DOF:
      dof_force(d, f, passive, active);
      break;
    case FORCE_AXIAL:
      axial_force(d, f, passive, active);
      break;
    case FORCE_BEAM:
      beam_force(d, f, passive, active);
      break;
    case FORCE_LOAD:
      load_force(d, f, active);
      break;
    case FORCE_STRAIN:
      piece_force(d, f, passive, active);
      break;
    case FORCE_DRAG:  // refused before
      break;
  }
}

void td_derive_link(deriver* d, int joint, int element, load_x* passive, load_x* active) {
  for (int i = 0; i < d->m->nforce; i++) {
    const model_force* f = &d->m->force[i];
    const bool link = f->kind == FORCE_AXIAL || f->kind == FORCE_BEAM ||
                      (f->kind == FORCE_STRAIN && f->strain == STRAIN_SEGMENT);
    if (link && f->joint == joint && f->element == element) one_force(d, f, passive, active);
  }
}

// What one element adds, apart: only the velocities it works on.
static bool push_element(deriver* d, const model_force* f, load_x* other) {
  td_exprs* g = d->g;
  td_derived* out = d->out;
  const size_t nv = (size_t)out->nv + 1;
  const ex zero = xnum(g, 0);
  tmt_force* forces = td_grow(out->force, &out->force_cap, out->nforce + 1, sizeof *forces);
  if (!forces) return false;
  out->force = forces;
  tmt_force* to = &out->force[out->nforce++];
  *to = (tmt_force){.name = f->name,
                    .v = malloc(nv * sizeof(int)),
                    .passive = malloc(nv * sizeof(ex)),
                    .active = malloc(nv * sizeof(ex))};
  if (!to->v || !to->passive || !to->active) return false;
  td_load_clear(d, &d->row);
  td_load_clear(d, other);
  one_force(d, f, &d->row, other);
  for (int i = 0; i < out->nv; i++) to->passive[i] = to->active[i] = zero;
  td_load_collect(d, &d->row, to->passive);
  td_load_collect(d, other, to->active);
  for (int i = 0; i < out->nv; i++) {
    if (to->passive[i] == zero && to->active[i] == zero) continue;
    to->v[to->n] = i;
    to->passive[to->n] = to->passive[i];
    to->active[to->n++] = to->active[i];
  }
  return true;
}

static bool push_elements(deriver* d) {
  load_x other = {0};
  bool ok = td_load_open(d, &other);
  for (int i = 0; ok && i < d->m->nforce; i++) ok = push_element(d, &d->m->force[i], &other);
  td_load_close(&other);
  return ok;
}

// h += Tᵀ f
static void add_inertia(td_exprs* g, const tmt_mass* mass, ex* h) {
  for (int k = 0; k < mass->n; k++) {
    ex sum = h[mass->v[k]];
    for (int c = 0; c < 6; c++) {
      sum = xadd(g, sum, xmul(g, mass->T[c * mass->n + k], mass->f[c]));
    }
    h[mass->v[k]] = sum;
  }
}

// What the point that stands for all points of a rod adds.
static void loop_force(deriver* d, int loop, load_x* passive, load_x* active) {
  td_exprs* g = d->g;
  tmt_loop* l = &d->out->loop[loop];
  td_load_clear(d, passive);
  td_load_clear(d, active);
  for (int i = 0; i < d->m->nforce; i++) {
    if (d->force_loop[i] == loop + 1) one_force(d, &d->m->force[i], passive, active);
  }
  td_load_collect(d, passive, l->h);
  td_load_collect(d, active, l->tau);
  for (int i = 0; i < d->out->nv; i++) l->h[i] = xneg(g, l->h[i]);
  add_inertia(g, &l->mass, l->h);
  l->power = xadd(g, passive->power, active->power);
  l->energy = passive->energy;
}

static bool loop_forces(deriver* d) {
  load_x passive = {0}, active = {0};
  const bool ok = td_load_open(d, &passive) && td_load_open(d, &active);
  for (int i = 0; ok && i < d->out->nloop; i++) loop_force(d, i, &passive, &active);
  td_load_close(&passive);
  td_load_close(&active);
  return ok;
}

td_status td_derive_forces(deriver* d) {
  td_exprs* g = d->g;
  td_derived* out = d->out;
  for (int i = 0; i < d->m->nforce && !td_exprs_failed(g); i++) {
    if (d->force_loop[i] == 0) one_force(d, &d->m->force[i], &d->passive, &d->active);
  }
  ex* passive = malloc(((size_t)out->nv + 1) * sizeof *passive);
  if (!passive) return TD_E_NOMEM;
  for (int i = 0; i < out->nv; i++) passive[i] = out->tau[i] = out->h[i] = xnum(g, 0);
  td_load_collect(d, &d->passive, passive);
  td_load_collect(d, &d->active, out->tau);
  for (int i = 0; i < out->nmass; i++) add_inertia(g, &out->mass[i], out->h);
  for (int i = 0; i < out->nv; i++) out->h[i] = xsub(g, out->h[i], passive[i]);
  free(passive);
  if (out->nloop > 0 && !loop_forces(d)) return TD_E_NOMEM;
  if (d->elements && !push_elements(d)) return TD_E_NOMEM;
  return td_exprs_failed(g) ? TD_E_NOMEM : TD_OK;
}
