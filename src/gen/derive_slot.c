// A pin in a slot (engine/hop_slot.c): a translation along the curve d(q), its column d'(q).
#include "gen/deriver.h"

// A number of the curve in the coordinate that it is derived in.  Joints that share it by equal2
// each have a name of their own for it.
static ex in_coordinate(deriver* d, const model_hop* hop, num number) {
  const ex q = td_ex_var(d->g, d->out->q[hop->q]);
  ex e = td_derive_number(d, number);
  for (int i = 0; i < d->m->ncoordinate; i++) {
    const model_coordinate* c = &d->m->coordinate[i];
    if (c->q == hop->q) e = td_ex_substitute(d->g, e, &c->var, &q, 1);
  }
  return e;
}

static bool slot(deriver* d, const model_hop* hop, step_x* s) {
  s->n = 1;
  s->v[0] = hop->v;
  s->dw[0] = x3_zero(d->g);
  for (int c = 0; c < 3; c++) {
    s->d.a[c] = in_coordinate(d, hop, hop->value + c);
    s->dd[0].a[c] = in_coordinate(d, hop, hop->value + 3 + c);
  }
  return !td_exprs_failed(d->g);
}

const derive_hop td_derive_hop_slot = {slot};
