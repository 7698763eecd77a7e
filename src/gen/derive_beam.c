// Beams between two frames (engine/force_beam.c): six laws along displacement and rotation vector
// in the beam's axes.
#include "gen/derive_law.h"

// Turn the three rows of a 3 x n matrix into the beam's axes: Fᵀ x for each column x.
static void turn_rows(td_exprs* g, const mat3* F, ex* rows, int n) {
  for (int c = 0; c < n; c++) {
    const x3 x = {{rows[c], rows[n + c], rows[2 * n + c]}};
    const x3 y = x33_apply_t(g, x33_of(g, *F), x);
    for (int i = 0; i < 3; i++) rows[i * n + c] = y.a[i];
  }
}

// Strains of a beam and their derivatives, in its own axes
static strain_x beam_strain(deriver* d, const model_beam* f, const pair_x* p) {
  strain_x s = td_derive_pair_strain(d, &d->beam, p);
  if (f->frame < 0) return s;
  const mat3* F = &d->w->beam_frame[f->frame];
  for (int half = 0; half < 2; half++) {
    turn_rows(d->g, F, s.x + 3 * half, 1);
    turn_rows(d->g, F, s.A_r + 9 * half, 3);
    turn_rows(d->g, F, s.A_w + 9 * half, 3);
  }
  return s;
}

// Derive the forces of one beam, its energy and its power.
static void derive(deriver* d, int i, load_x* passive, load_x* active) {
  const model_beam* f = &d->m->beam[i];
  const pair_x p = td_derive_pair(d, f->a, f->b);
  const strain_x s = beam_strain(d, f, &p);
  ex rate[6], force[6], input[6];
  td_derive_strain_rates(d, &s, &p, rate);
  for (int k = 0; k < 6; k++) {
    force[k] = td_derive_law(d, &f->law[k], s.x[k], rate[k]);
    input[k] = td_derive_input(d, &f->law[k], s.x[k]);
    td_derive_law_energy(d, &f->law[k], s.x[k], rate[k], force[k], passive);
    note_power(d, active, xmul(d->g, input[k], rate[k]));
  }

  // generalised forces
  td_derive_strain_load(d, passive, &s, &p, force);
  td_derive_strain_load(d, active, &s, &p, input);
}

static bool is_measured(const td_model* m, int i) {
  bool measured = m->beam[i].frame >= 0;
  for (int d = 0; d < 6; d++) measured = measured || m->beam[i].law[d].rest_initial;
  return measured;
}

const derive_ops td_derive_beam = {td_closed_form, derive, is_measured};
