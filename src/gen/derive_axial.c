// Springs, dampers and inputs along the line between two frames (engine/force_axial.c):
// f = law(|r|, |r|') along n = r/|r| on the second frame, the opposite on the first.
#include "gen/derive_law.h"

// Add damping of each world component of the relative velocity (damp.along = 0).  The force is not
// along the line, and acts on either frame at its own origin.
static void isotropic_damping(deriver* d, const model_law* l, const pair_x* p, ex length,
                              load_x* passive) {
  td_exprs* g = d->g;
  const x3 u = x3_sub(g, x33_apply(g, p->b.R, p->b.u), x33_apply(g, p->a.R, p->a.u));
  const ex mu = td_derive_number(d, l->mu), nu = td_derive_number(d, l->nu);
  const x3 none = x3_zero(g);
  x3 f;
  for (int c = 0; c < 3; c++)
    f.a[c] = td_derive_switched(d, l, length, xneg(g, xmul(g, mu, td_derive_power(g, u.a[c], nu))));
  td_load_add(d, passive, &p->b, x33_apply_t(g, p->b.R, f), none);
  td_load_add(d, passive, &p->a, x3_neg(g, x33_apply_t(g, p->a.R, f)), none);
  td_load_second(d, passive, x33_apply_t(g, p->a.R, f), none);
  note_power(d, passive, x3_dot(g, f, u));
}

// Derive the forces of one element, its energy and its power.
static void derive(deriver* d, int i, load_x* passive, load_x* active) {
  const model_axial* f = &d->m->axial[i];
  td_exprs* g = d->g;
  const model_law* l = &f->law;
  const pair_x p = td_derive_pair(d, f->a, f->b);

  // length, direction and rate of the line, and the forces along it
  const x3 none = x3_zero(g);
  const ex length = xfun(g, EX_SQRT, x3_dot(g, p.r, p.r));
  const ex inverse = xdiv(g, xnum(g, 1), xmax(g, length, xnum(g, TINY)));
  const x3 n = x3_scale(g, inverse, p.r);
  const ex rate = x3_dot(g, n, p.rd), input = td_derive_input(d, l, length);
  const ex force = td_derive_law(d, l, length, f->isotropic ? xnum(g, 0) : rate);

  // wrenches on both frames
  td_pair_load(d, passive, &p, x3_scale(g, force, n), none);
  if (f->isotropic) isotropic_damping(d, l, &p, length, passive);
  td_pair_load(d, active, &p, x3_scale(g, input, n), none);

  // energy and power
  td_derive_law_energy(d, l, length, rate, force, passive);
  note_power(d, active, xmul(g, input, rate));
}

static bool is_measured(const td_model* m, int i) { return m->axial[i].law.rest_initial; }

const derive_ops td_derive_axial = {td_closed_form, derive, is_measured};
