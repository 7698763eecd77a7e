// A pin in a slot (engine/hop_slot.c): a translation along the curve d(q), its column d'(q).
#include "gen/deriver.h"

// The curve is written in the joint's coordinate; substitute the variable q for it.
static bool slot(deriver* d, const model_hop* hop, step_x* s) {
  td_exprs* g = d->g;
  int own = -1;
  for (int i = 0; i < d->m->ncoordinate; i++)
    if (d->m->coordinate[i].q == hop->q) own = d->m->coordinate[i].var;
  const ex q = td_ex_var(g, d->out->q[hop->q]);
  s->n = 1;
  s->v[0] = hop->v;
  s->dw[0] = x3_zero(g);
  for (int c = 0; c < 3; c++) {
    s->d.a[c] = td_ex_substitute(g, td_derive_number(d, hop->value + c), &own, &q, 1);
    s->dd[0].a[c] = td_ex_substitute(g, td_derive_number(d, hop->value + 3 + c), &own, &q, 1);
  }
  return !td_exprs_failed(g);
}

const derive_hop td_derive_hop_slot = {slot};
