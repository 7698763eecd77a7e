// Masses: bodies and rod pieces that move with the same hop become one mass, with T, Ṫ v and the
// inertial wrench at their common centre of mass; and the products of all masses,
//
//   M = Σ Tᵀ diag(m, I) T          F = M a + h - τ - Jᵀ λ          dF/dq, dF/dv, dF/du
#include "gen/deriver.h"

// The bodies and rod pieces on one hop as one rigid body, in the hop's frame.
typedef struct rider {
  int hop, name;
  ex m;
  x3 com;
  x33 I;      // about its centre of mass, hop's axes
  bool base;  // velocities of the centre of mass are in base axes
} rider;

// I += m (|c|² 1 - c cᵀ)
static void add_point(td_exprs* g, x33* I, ex m, x3 c) {
  const ex cc = x3_dot(g, c, c);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const ex minus = xmul(g, c.a[i], c.a[j]);
      const ex x = i == j ? xsub(g, cc, minus) : xneg(g, minus);
      I->m[3 * i + j] = xadd(g, I->m[3 * i + j], xmul(g, m, x));
    }
}

// Add one body or rod piece at a station to the rigid body of its hop: the masses add up, the
// centres of mass are averaged, the inertias are shifted to the new centre (parallel-axis theorem).
// `symmetric`: take the mean of I and its transpose.
static void add_rider(deriver* d, rider* on, int station, num mass, num com, num I,
                      bool symmetric) {
  td_exprs* g = d->g;

  // the body in the hop's frame
  const station_x s = td_derive_station(d, station);
  x33 Ib = td_derive_matrix(d, I);
  for (int i = 0; symmetric && i < 3; i++) {
    const int j = (i + 1) % 3;
    const ex mean = xscale(g, 0.5, xadd(g, Ib.m[3 * i + j], Ib.m[3 * j + i]));
    Ib.m[3 * i + j] = Ib.m[3 * j + i] = mean;
  }
  const rider r = {.hop = s.hop,
                   .name = d->m->station[station].name,
                   .m = td_derive_number(d, mass),
                   .com = x3_add(g, s.fixp, x33_apply(g, s.fixR, td_derive_vector(d, com))),
                   .I = x33_mul(g, x33_mul(g, s.fixR, Ib), x33_transpose(s.fixR))};

  // a body at rest or without inertia adds nothing
  bool nothing = xis(g, r.m, 0);
  for (int i = 0; i < 9; i++) nothing = nothing && xis(g, r.I.m[i], 0);
  if (r.hop < 0 || nothing) return;
  if (on[r.hop].hop < 0) {
    on[r.hop] = r;
    return;
  }

  // two bodies as one
  const rider a = on[r.hop];
  rider* c = &on[r.hop];
  c->m = xadd(g, a.m, r.m);
  if (!xis(g, c->m, 0)) {
    const x3 sum = x3_add(g, x3_scale(g, a.m, a.com), x3_scale(g, r.m, r.com));
    for (int i = 0; i < 3; i++) c->com.a[i] = xdiv(g, sum.a[i], c->m);
  }
  for (int i = 0; i < 9; i++) c->I.m[i] = xadd(g, a.I.m[i], r.I.m[i]);
  add_point(g, &c->I, a.m, x3_sub(g, a.com, c->com));
  add_point(g, &c->I, r.m, x3_sub(g, r.com, c->com));
}

// ---- T and its rate ---------------------------------------------------------------------------

// Velocity of the centre of mass along column k: in own axes, or in base axes.
static x3 com_column(td_exprs* g, const hop_x* h, const rider* r, int k) {
  const x3 turn = x3_cross(g, h->col[k].w, r->com);
  if (!r->base) return x3_add(g, h->col[k].u, turn);
  return x3_add(g, h->col[k].b, x33_apply(g, h->Sb, turn));
}

// Count the operations in the products of all columns, which make the mass matrix.
static int product_size(td_exprs* g, const hop_x* h, const rider* r) {
  enum { MOST = 24 };
  ex roots[MOST * (MOST + 1) / 2];
  if (h->ncol > MOST) return r->base;  // long chains: own axes
  int n = 0, size = 0;
  for (int k = 0; k < h->ncol; k++)
    for (int l = 0; l <= k; l++) {
      roots[n++] = x3_dot(g, com_column(g, h, r, k), com_column(g, h, r, l));
    }
  free(td_ex_needed(g, roots, n, &size));
  return size;
}

// Choose the axes in which the equations are shorter: the base axes when the centre of mass is at
// the hop's origin, since no rotation moves it then; else by the number of operations.
static void choose_axes(deriver* d, rider* r) {
  const hop_x* h = &d->hop[r->hop];
  rider base = *r;
  base.base = true;
  r->base = x3_is_zero(d->g, r->com) || product_size(d->g, h, &base) < product_size(d->g, h, r);
}

// Append a mass with its columns of T (6 x n).  False: no memory.
static bool push_mass(deriver* d, const rider* r) {
  td_derived* out = d->out;
  const hop_x* h = &d->hop[r->hop];
  tmt_mass* masses = td_grow(out->mass, &out->mass_cap, out->nmass + 1, sizeof *masses);
  if (!masses) return false;
  out->mass = masses;
  tmt_mass* mass = &out->mass[out->nmass++];

  // the mass at its centre, in base axes or in its own
  *mass = (tmt_mass){.name = r->name,
                     .n = h->ncol,
                     .m = r->m,
                     .I = r->I,
                     .hop = r->hop,
                     .centre = x3_add(d->g, h->p, x33_apply(d->g, h->R, r->com)),
                     .axes = r->base ? h->Rb : h->R};
  mass->v = malloc(((size_t)h->ncol + 1) * sizeof *mass->v);
  mass->T = malloc((6 * (size_t)h->ncol + 1) * sizeof *mass->T);
  if (!mass->v || !mass->T) return false;

  // columns of T
  for (int k = 0; k < h->ncol; k++) {
    const x3 u = com_column(d->g, h, r, k);
    mass->v[k] = h->col[k].v;
    for (int c = 0; c < 3; c++) {
      mass->T[c * h->ncol + k] = u.a[c];
      mass->T[(3 + c) * h->ncol + k] = h->col[k].w.a[c];
    }
  }
  return true;
}

// Set velocity, bias acceleration and inertial wrench of a mass,
//
//   m (Ṫ v + Ω × u - Rᵀ g)          I Ṫ v + ω × I ω
//
// with Ω the angular velocity of the axes in which u is given; velocity = [u, ω], rate = Ṫ v.
static void inertial_wrench(deriver* d, const rider* r, const ex* velocity, const ex* rate,
                            tmt_mass* mass) {
  td_exprs* g = d->g;
  const x3 u = {{velocity[0], velocity[1], velocity[2]}},
           w = {{velocity[3], velocity[4], velocity[5]}};
  const x3 du = {{rate[0], rate[1], rate[2]}}, dw = {{rate[3], rate[4], rate[5]}};
  const hop_x* h = &d->hop[r->hop];

  // acceleration less gravity, force and torque
  const x3 a = x3_add(g, du, x3_cross(g, r->base ? h->wb : w, u));
  const x3 weight = x33_apply_t(g, r->base ? h->Rb : h->R, td_derive_vector(d, d->m->gravity));
  const x3 f = x3_scale(g, r->m, x3_sub(g, a, weight));
  const x3 t = x3_add(g, x33_apply(g, r->I, dw), x3_cross(g, w, x33_apply(g, r->I, w)));
  for (int c = 0; c < 3; c++) {
    mass->u[c] = velocity[c];
    mass->u[3 + c] = velocity[3 + c];
    mass->bias[c] = a.a[c];
    mass->bias[3 + c] = dw.a[c];
    mass->f[c] = f.a[c];
    mass->f[3 + c] = t.a[c];
  }
}

// Derive all masses on the hops, from the riders on them.
static td_status push_masses(deriver* d, rider* on) {
  td_exprs* g = d->g;
  td_derived* out = d->out;
  const size_t n = (size_t)d->m->nhop + 1;
  ex *velocity = malloc(6 * n * sizeof *velocity), *rate = malloc(6 * n * sizeof *rate);
  bool ok = velocity && rate;
  int count = 0;

  // T, and the velocities [u, ω] at the centres of mass
  for (int i = 0; ok && i < d->m->nhop; i++) {
    const rider* r = &on[i];
    if (r->hop < 0) continue;
    choose_axes(d, &on[i]);
    const hop_x* h = &d->hop[i];
    const x3 turn = x3_cross(g, h->w, r->com);
    const x3 u = r->base ? x3_add(g, h->ub, x33_apply(g, h->Sb, turn)) : x3_add(g, h->u, turn);
    for (int c = 0; c < 3; c++) {
      velocity[6 * count + c] = u.a[c];
      velocity[6 * count + 3 + c] = h->w.a[c];
    }
    count++;
    ok = push_mass(d, r);
  }

  // Ṫ v of all of them at once, then the inertial wrenches
  ok = ok && td_derive_rates(d, velocity, 6 * count, rate);
  for (int i = 0, k = 0; ok && i < d->m->nhop; i++) {
    if (on[i].hop < 0) continue;
    inertial_wrench(d, &on[i], velocity + 6 * k, rate + 6 * k, &d->out->mass[k]);
    k++;
  }

  // masses of points that stand for all points of a rod belong to its quadrature
  int kept = 0;
  for (int i = 0; i < out->nmass; i++) {
    const int quadrature = d->hop_quadrature[out->mass[i].hop];
    if (quadrature > 0) {
      out->quadrature[quadrature - 1].mass = out->mass[i];
    } else {
      out->mass[kept++] = out->mass[i];
    }
  }
  out->nmass = kept;
  free(velocity);
  free(rate);
  return ok && !td_exprs_failed(d->g) ? TD_OK : TD_E_NOMEM;
}

// Gather bodies and lumps by the hop they move with, and derive one mass with T, m and I for each
// hop.  Lumps of a quadrature are derived point by point elsewhere.
td_status td_derive_masses(deriver* d) {
  const td_model* m = d->m;
  rider* on = malloc(((size_t)m->nhop + 1) * sizeof *on);
  if (!on) return TD_E_NOMEM;
  for (int i = 0; i < m->nhop; i++) on[i].hop = -1;
  for (int i = 0; i < m->nbody; i++) {
    const model_body* b = &m->body[i];
    add_rider(d, on, b->station, b->m, b->com, b->I, true);
  }
  for (int i = 0; i < m->nlump; i++) {
    const model_lump* b = &m->lump[i];
    const int hop = m->station[b->station].hop;
    if (hop >= 0 && d->hop_quadrature[hop] < 0) continue;
    add_rider(d, on, b->station, b->m, b->com, b->I, false);
  }
  const td_status status = push_masses(d, on);
  free(on);
  return status;
}

// ---- multiplied out ---------------------------------------------------------------------------

// out = [m u, I ω] of a velocity [u, ω]
static void weigh(td_exprs* g, const tmt_mass* mass, const ex* u, ex out[6]) {
  const x3 w = {{u[3], u[4], u[5]}}, Iw = x33_apply(g, mass->I, w);
  for (int c = 0; c < 3; c++) {
    out[c] = xmul(g, mass->m, u[c]);
    out[3 + c] = Iw.a[c];
  }
}

static ex dot6(td_exprs* g, const ex* a, const ex* b) {
  ex sum = xnum(g, 0);
  for (int c = 0; c < 6; c++) sum = xadd(g, sum, xmul(g, a[c], b[c]));
  return sum;
}

// Column k of T
static void column(const tmt_mass* mass, int k, ex out[6]) {
  for (int c = 0; c < 6; c++) out[c] = mass->T[c * mass->n + k];
}

// M (nv x nv) = Σ Tᵀ diag(m, I) T over all masses, as expressions; one half is multiplied out and
// copied.  False: no memory.
bool td_derived_mass(td_derived* d, ex* M) {
  td_exprs* g = d->g;
  const int nv = d->nv;
  for (int i = 0; i < nv * nv; i++) M[i] = xnum(g, 0);
  for (int i = 0; i < d->nmass && !td_exprs_failed(g); i++) {
    const tmt_mass* mass = &d->mass[i];
    for (int k = 0; k < mass->n; k++) {
      ex u[6], Mu[6], other[6];
      column(mass, k, u);
      weigh(g, mass, u, Mu);
      for (int l = 0; l <= k; l++) {
        column(mass, l, other);
        ex* at = &M[mass->v[k] * nv + mass->v[l]];
        *at = xadd(g, *at, dot6(g, other, Mu));
        M[mass->v[l] * nv + mass->v[k]] = *at;
      }
    }
  }
  return !td_exprs_failed(g);
}

// F = h - τ - Jᵀ λ + Σ Tᵀ diag(m, I) T a
bool td_derived_residual(td_derived* d, ex* F) {
  td_exprs* g = d->g;

  // forces and multipliers
  for (int i = 0; i < d->nv; i++) {
    F[i] = xsub(g, d->h[i], d->tau[i]);
    for (int r = 0; r < d->nrow; r++) {
      F[i] = xsub(g, F[i], xmul(g, d->J[r * d->nv + i], td_ex_var(g, d->lambda[r])));
    }
  }

  // inertial forces of the accelerations
  for (int i = 0; i < d->nmass; i++) {
    const tmt_mass* mass = &d->mass[i];
    ex Ta[6], f[6], u[6];
    for (int c = 0; c < 6; c++) Ta[c] = xnum(g, 0);
    for (int k = 0; k < mass->n; k++) {
      column(mass, k, u);
      const ex a = td_ex_var(g, d->a[mass->v[k]]);
      for (int c = 0; c < 6; c++) Ta[c] = xadd(g, Ta[c], xmul(g, u[c], a));
    }
    weigh(g, mass, Ta, f);
    for (int k = 0; k < mass->n; k++) {
      column(mass, k, u);
      F[mass->v[k]] = xadd(g, F[mass->v[k]], dot6(g, u, f));
    }
  }
  return !td_exprs_failed(g);
}
