// Loads: a force and a torque at frame b, given in the axes of frame a (engine/force_load.c).
#include "gen/derive_law.h"

// Derive the wrench on frame b and its power.
static void derive(deriver* d, int i, load_x* passive, load_x* active) {
  (void)passive;
  const model_load* f = &d->m->load[i];
  td_exprs* g = d->g;
  const station_x a = td_derive_station(d, f->a), b = td_derive_station(d, f->b);
  const x3 F = x33_apply(g, a.R, td_derive_vector(d, f->wrench));
  const x3 T = x33_apply(g, a.R, td_derive_vector(d, f->wrench + 3));
  const x3 Fb = x33_apply_t(g, b.R, F), Tb = x33_apply_t(g, b.R, T);
  td_load_add(d, active, &b, Fb, Tb);
  note_power(d, active, xadd(g, x3_dot(g, Fb, b.u), x3_dot(g, Tb, b.w)));
}

static bool is_measured(const td_model* m, int i) { return (void)m, (void)i, false; }

const derive_ops td_derive_load = {td_closed_form, derive, is_measured};
