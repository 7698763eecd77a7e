// Energies and powers.
//
//   kinetic  Σ (m |u|² + ω·Iω)/2      gravity  -Σ m g·c      elastic: stored by laws and rod
//   sections
//
// The power counts all forces without a potential: dampers, inputs, loads, springs and gravity that
#include "gen/deriver.h"
// depend on time.  The power of constraint rows, λ·J v, needs the solution and is added there.

static x3 gravity(deriver* d) { return td_derive_vector(d, d->m->gravity); }

// Kinetic energy of a mass, and its potential energy if gravity is constant
static ex mass_energy(deriver* d, const tmt_mass* mass) {
  td_exprs* g = d->g;
  const x3 u = {{mass->u[0], mass->u[1], mass->u[2]}}, w = {{mass->u[3], mass->u[4], mass->u[5]}};
  const ex twice =
      xadd(g, xmul(g, mass->m, x3_dot(g, u, u)), x3_dot(g, w, x33_apply(g, mass->I, w)));
  const ex kinetic = xscale(g, 0.5, twice);
  if (!d->m->gravity_constant) return kinetic;
  return xsub(g, kinetic, xmul(g, mass->m, x3_dot(g, gravity(d), mass->centre)));
}

// Power of gravity on a mass
static ex weight_power(deriver* d, const tmt_mass* mass) {
  td_exprs* g = d->g;
  const x3 u = {{mass->u[0], mass->u[1], mass->u[2]}};
  return xmul(g, mass->m, x3_dot(g, gravity(d), x33_apply(g, mass->axes, u)));
}

// Report whether a sensor of the model reads the energy.
bool td_derive_asks_energy(const td_model* m) {
  for (int i = 0; i < m->nprobe; i++) {
    if (td_derive_sensors_of[m->probe[i].kind]->energy) return true;
  }
  return false;
}

// Sum energy and power over masses, forces and quadratures.  `power`: the power is wanted; it is
// not given for models with prescribed motions, whose power is unknown.
td_status td_derive_energy(deriver* d, bool power) {
  const bool asks = td_derive_asks_energy(d->m);
  td_exprs* g = d->g;
  d->energy = d->out->power = EX_NONE;
  if (!d->energetic) return TD_OK;

  // forces and masses
  d->energy = d->passive.energy;
  ex sum = xadd(g, d->passive.power, d->active.power);
  for (int i = 0; i < d->out->nmass; i++) {
    d->energy = xadd(g, d->energy, mass_energy(d, &d->out->mass[i]));
    if (!d->m->gravity_constant) sum = xadd(g, sum, weight_power(d, &d->out->mass[i]));
  }

  // points of rods: the energy is a sum over them
  for (int i = 0; i < d->out->nquadrature; i++) {
    tmt_quadrature* l = &d->out->quadrature[i];
    const ex e = xadd(g, l->energy, mass_energy(d, &l->mass));
    if (asks) d->energy = xadd(g, d->energy, td_derive_sum(d, i, e));
    if (!d->m->gravity_constant) l->power = xadd(g, l->power, weight_power(d, &l->mass));
  }

  const bool prescribed = d->m->nfree_v < d->m->nvel || d->m->strains_timed;
  if (power && !prescribed) d->out->power = sum;
  return td_exprs_failed(g) ? TD_E_NOMEM : TD_OK;
}
