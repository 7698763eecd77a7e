// Magnetic dipoles m in a uniform field B (engine/force_magnet.c): torque m × B, energy -m·B.
#include "gen/derive_law.h"

// Derive the torque, and its energy or power.
static void derive(deriver* d, int i, load_x* passive, load_x* active) {
  const model_element* f = &d->m->magnet[i];
  td_exprs* g = d->g;
  const station_x b = td_derive_station(d, f->b);
  const x3 m = td_derive_vector(d, f->numbers);
  const x3 B = x33_apply_t(g, b.R, td_derive_vector(d, f->numbers + 3));
  const x3 T = x3_cross(g, m, B);
  td_load_add(d, active, &b, x3_zero(g), T);
  if (f->potential)
    passive->energy = xsub(g, passive->energy, x3_dot(g, m, B));
  else
    note_power(d, active, x3_dot(g, T, b.w));
}

static bool is_measured(const td_model* m, int i) { return (void)m, (void)i, false; }

const derive_ops td_derive_magnet = {td_closed_form, derive, is_measured};
