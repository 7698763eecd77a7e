// Strain elements of rods (engine/force_strain.c).  An element stores energy and dissipates in its
// strains χ: the generalised forces are Aᵀ f, with A the derivative of the strains along the motion
// and f the force of the section (TMT method: w = Tᵀ f).
#include <string.h>

#include "gen/derive_law.h"

// Number i of an element's section
static ex slot(deriver* d, const model_strain* f, int i) {
  return td_derive_number(d, f->section + i);
}

// Forces of a section as expressions of its strains x and rates u: out = -K (χ - χ0) - D χ' - μ
// |χ'|^(p-1) χ'.
static void section_force(deriver* d, const model_strain* f, const ex x[6], const ex u[6],
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
      sum = xadd(g, sum, xmul(g, mu, td_derive_power(g, u[i], slot(d, f, SECTION_POWER))));
    }
    out[i] = xneg(g, sum);
  }
}

// ---- polynomial poses -------------------------------------------------------------------------

// The nine numbers z = [p' x x'] of a polynomial pose and their rates; their derivatives along the
// coordinates are the weights and slopes of the hops' columns.
typedef struct poly_x {
  ex z[9], zd[9];
  const model_hop *move, *turn;
} poly_x;

// z += Σ w q and ż += Σ w v over the columns of a hop, with w their slopes or weights.
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

// The numbers z of a strain element at a polynomial pose; at rest p' = e_z
static poly_x polynomial_numbers(deriver* d, const model_strain* f) {
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

// Add the generalised forces of G (9), the forces along the numbers z, over the columns of a hop.
static void polynomial_columns(deriver* d, const model_hop* hop, int first, bool slope, ex length,
                               const ex G[9], load_x* load) {
  td_exprs* g = d->g;
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &d->m->col[k];
    const ex w = xmul(g, length, td_derive_number(d, slope ? c->slope : c->weight));
    add_along(d, load, c->v, xmul(g, w, G[first + c->part]));
  }
}

// Add the generalised forces of section forces s (6), by way of G = Aᵀ s.
static void polynomial_load(deriver* d, const model_strain* f, const poly_x* p, const ex A[54],
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

// ---- kinds of strain: each sets strains and rates and, unless passive is NULL, adds its forces -

// Strains and their rates, the force of the section and its input, along the six strains.
typedef struct piece_x {
  ex x[6], u[6], force[6], input[6];
} piece_x;

// Strains that are coordinates divided by the length, or held at a value
static void dof_derive(deriver* d, const model_strain* f, piece_x* p, load_x* passive,
                       load_x* active) {
  td_exprs* g = d->g;
  const ex length = slot(d, f, SECTION_LENGTH);
  for (int i = 0; i < 6; i++) {
    const bool held = f->dof_q[i] < 0;
    p->x[i] =
        held ? slot(d, f, SECTION_HELD + i) : xdiv(g, td_ex_var(g, d->out->q[f->dof_q[i]]), length);
    p->u[i] = held ? xnum(g, 0) : xdiv(g, td_ex_var(g, d->out->v[f->dof_v[i]]), length);
  }
  if (!passive) return;

  // forces along the coordinates
  section_force(d, f, p->x, p->u, p->force);
  for (int k = 0; k < 6; k++) {
    if (f->dof_v[k] < 0) continue;
    add_along(d, passive, f->dof_v[k], p->force[k]);
    add_along(d, active, f->dof_v[k], p->input[k]);
  }
}

// Strains of a segment between two frames: relative displacement and rotation divided by the length
static void segment_derive(deriver* d, const model_strain* f, piece_x* p, load_x* passive,
                           load_x* active) {
  td_exprs* g = d->g;
  const pair_x ends = td_derive_pair(d, f->a, f->b);
  const strain_x s = td_derive_pair_strain(d, &d->segment, &ends);
  const ex length = slot(d, f, SECTION_LENGTH);
  td_derive_strain_rates(d, &s, &ends, p->u);
  for (int i = 0; i < 6; i++) {
    p->x[i] = xdiv(g, s.x[i], length);
    if (i == 2) p->x[i] = xsub(g, p->x[i], xnum(g, 1));
    p->u[i] = xdiv(g, p->u[i], length);
  }
  if (!passive) return;

  // forces on the two frames
  section_force(d, f, p->x, p->u, p->force);
  td_derive_strain_load(d, passive, &s, &ends, p->force);
  td_derive_strain_load(d, active, &s, &ends, p->input);
}

// Strains of a polynomial pose, x(z), and their rates A ż with A = ∂x/∂z (6 x 9)
static void polynomial_derive(deriver* d, const model_strain* f, piece_x* p, load_x* passive,
                              load_x* active) {
  td_exprs* g = d->g;
  const poly_x at = polynomial_numbers(d, f);
  ex A[54];
  td_ex_substitute_all(g, d->poly, 6, d->local_z, at.z, 9, p->x);
  td_ex_substitute_all(g, d->poly_z, 54, d->local_z, at.z, 9, A);
  for (int i = 0; i < 6; i++) {
    p->u[i] = xnum(g, 0);
    for (int k = 0; k < 9; k++) p->u[i] = xadd(g, p->u[i], xmul(g, A[9 * i + k], at.zd[k]));
  }
  if (!passive) return;

  // forces along the coordinates
  section_force(d, f, p->x, p->u, p->force);
  polynomial_load(d, f, &at, A, p->force, passive);
  polynomial_load(d, f, &at, A, p->input, active);
}

// Strains that are integrated along the rod have no closed form; such models were refused.
static void basis_derive(deriver* d, const model_strain* f, piece_x* p, load_x* passive,
                         load_x* active) {
  (void)d, (void)f, (void)p, (void)passive, (void)active;
  require(false);
}

static bool has_closed_form(const td_model* m, int i) {
  static const bool none[STRAIN_KINDS] = {[STRAIN_BASIS] = true};
  return !none[m->strain[i].kind];
}

// Derive an element by its kind of strain; passive and active NULL: the strains alone.
static void piece(deriver* d, const model_strain* f, piece_x* p, load_x* passive, load_x* active) {
  static void (*const kinds[STRAIN_KINDS])(deriver*, const model_strain*, piece_x*, load_x*,
                                           load_x*) = {
#define X(kind, name, ...) name##_derive,
      TD_STRAINS(X)
#undef X
  };
  kinds[f->kind](d, f, p, passive, active);
}

// Strains x and strain rates u of an element
void td_derive_piece(deriver* d, const model_strain* f, ex x[6], ex u[6]) {
  piece_x p;
  piece(d, f, &p, NULL, NULL);
  memcpy(x, p.x, sizeof p.x);
  memcpy(u, p.u, sizeof p.u);
}

// Derive the forces of one element, the energy that it stores, (χ - χ0)ᵀ K (χ - χ0)/2 per length
// unless the user gives one, and the power of its forces without a potential.
static void derive(deriver* d, int i, load_x* passive, load_x* active) {
  td_exprs* g = d->g;
  const model_strain* f = &d->m->strain[i];
  piece_x p;
  for (int k = 0; k < 6; k++) p.input[k] = slot(d, f, SECTION_INPUT + k);
  piece(d, f, &p, passive, active);
  if (!d->energetic) return;

  // energy and power per length: springs store, other forces have power
  const ex length = slot(d, f, SECTION_LENGTH);
  ex stored = f->stored ? slot(d, f, SECTION_STORED) : xnum(g, 0), power = xnum(g, 0), fed = power;
  for (int k = 0; k < 6; k++) {
    ex spring = xnum(g, 0);
    for (int j = 0; f->potential && j < 6; j++) {
      const ex strain = xsub(g, p.x[j], slot(d, f, SECTION_X0 + j));
      spring = xadd(g, spring, xmul(g, slot(d, f, SECTION_K + 6 * k + j), strain));
    }
    const ex half = xscale(g, 0.5, xsub(g, p.x[k], slot(d, f, SECTION_X0 + k)));
    if (!f->stored) stored = xadd(g, stored, xmul(g, half, spring));
    power = xadd(g, power, xmul(g, xadd(g, p.force[k], spring), p.u[k]));
    fed = xadd(g, fed, xmul(g, p.input[k], p.u[k]));
  }
  if (f->potential) passive->energy = xadd(g, passive->energy, xmul(g, length, stored));
  note_power(d, passive, xmul(g, length, power));
  note_power(d, active, xmul(g, length, fed));
}

static bool is_measured(const td_model* m, int i) {
  bool measured = false;
  for (int d = 0; d < 6; d++) measured = measured || m->strain[i].rest_initial[d];
  return measured;
}

const derive_ops td_derive_strain = {has_closed_form, derive, is_measured};
