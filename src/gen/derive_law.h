// Scalar laws and the sections of rod pieces as expressions; shared by the kinds of forces.
#ifndef TD_DERIVE_LAW_H
#define TD_DERIVE_LAW_H

#include "gen/deriver.h"

#define TINY 1e-150  // keeps powers and directions defined at zero

// |u|^(ν-1) u, |u| regularised below ν = 1
ex td_derive_power(td_exprs* g, ex u, ex nu);
// Force of a law at x and rate u, its input at x, and f where a one-sided law acts at x, multiplied
// by its ramp.
ex td_derive_law(deriver* d, const model_law* l, ex x, ex u);
ex td_derive_input(deriver* d, const model_law* l, ex x);
ex td_derive_switched(deriver* d, const model_law* l, ex x, ex f);
// Add the energy that a law stores at x, k e²/2, and the power of the rest of its force f.
void td_derive_law_energy(deriver* d, const model_law* l, ex x, ex u, ex f, load_x* passive);

// Add a force f along a velocity.
static inline void add_along(deriver* d, load_x* load, int v, ex f) {
  load->tau[v] = xadd(d->g, load->tau[v], f);
}
// Add the power of forces without a potential, where energies are derived.
static inline void note_power(deriver* d, load_x* load, ex power) {
  if (d->energetic) load->power = xadd(d->g, load->power, power);
}
// Add Aᵀ f on the two frames of a pair, f (6) along the strains s.
void td_derive_strain_load(deriver* d, load_x* load, const strain_x* s, const pair_x* p,
                           const ex* f);

#endif
