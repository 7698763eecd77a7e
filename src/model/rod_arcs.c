// Arc lengths of rods as expressions of parameters.
//
// Builders place frames, points of a quadrature and ends of segments by numbers, the arc lengths at
// the parameters' present values.  When a parameter changes, these places move with the rod:
// between two borders (ends of parts, and ends of cables and chambers that cut the quadrature) each
// keeps its share of the distance,
//
//   X(s) = X_i + (s - s_i)/(s_{i+1} - s_i) (X_{i+1} - X_i)       arc = from + X length
//
// with X the share of a part, a number unless a border moves against its part.  A place that is
// written in metres, at(rod(1), 0.3), stays where it is written: it has a mark of its own.
#include <math.h>
#include <stdio.h>

#include "model/rods.h"
#include "model/rules.h"

// ---- places -----------------------------------------------------------------------------------

// The part of a rod at an arc length; at a border between two parts the second one.
static const rod_part* part_at(const builder* b, int rod, double arc) {
  const rod_part* p = td_rod_part_at(b, rod, arc);
  // rounding may put a place just before the border that it is at
  const bool next = p + 1 < b->rod[rod].part + b->rod[rod].npart &&
                    arc > (p + 1)->from - 1e-13 * b->rod[rod].length;
  return next ? p + 1 : p;
}

ex td_rod_fraction(builder* b, int rod, double arc) {
  const build_rod* r = &b->rod[rod];
  for (int i = 0; i < r->nmark; i++)
    if (r->mark[i].arc == arc) return r->mark[i].share;
  if (r->aside && arc >= r->side[0].arc && arc <= r->side[1].arc) {
    const double along = (arc - r->side[0].arc) / (r->side[1].arc - r->side[0].arc);
    return add(b, r->side[0].share, times(b, along, minus(b, r->side[1].share, r->side[0].share)));
  }
  const rod_part* p = part_at(b, rod, arc);
  double x = (arc - p->from) / p->length;
  if (fabs(x - 1) < 1e-13) x = 1;

  // the borders around it; one that keeps its share does not matter
  int i = -1;
  for (int k = 0; k + 1 < r->nborder; k++)
    if (arc >= r->border[k].arc && r->border[k].arc >= p->from - 1e-13 * r->length) i = k;
  if (i < 0) return num_ex(b, x);
  const rod_mark *low = &r->border[i], *high = low + 1;
  // the end of a part is the share 0 of the next one
  const bool last = high->arc >= p->from + p->length - 1e-13 * r->length;
  const ex to = last ? num_ex(b, 1) : high->share;
  if (td_ex_is_const(b->spec->graph, low->share) && td_ex_is_const(b->spec->graph, to))
    return num_ex(b, x);
  const double share = (arc - low->arc) / (high->arc - low->arc);
  return add(b, low->share, times(b, share, minus(b, to, low->share)));
}

ex td_rod_arc(builder* b, int rod, double arc) {
  const build_rod* r = &b->rod[rod];
  if (!r->moves || r->npart == 0) return num_ex(b, arc);
  const rod_part* p = part_at(b, rod, arc);
  const ex share = td_rod_fraction(b, rod, arc);
  td_exprs* g = b->spec->graph;
  if (td_ex_is_const(g, share) && td_ex_is_const(g, p->from_ex) && td_ex_is_const(g, p->length_ex))
    return num_ex(b, arc);
  if (td_ex_is_const(g, share) && fabs(td_ex_value(g, share)) < 1e-14) return p->from_ex;
  return add(b, p->from_ex, mul(b, share, p->length_ex));
}

ex td_rod_between(builder* b, int rod, double from, double to) {
  if (!b->rod[rod].moves) return num_ex(b, to - from);
  return minus(b, td_rod_arc(b, rod, to), td_rod_arc(b, rod, from));
}

ex td_rod_weight(builder* b, int rod, double arc, double weight) {
  const build_rod* r = &b->rod[rod];
  if (!r->moves || r->npart == 0 || weight == 0) return num_ex(b, weight);
  const rod_part* p = part_at(b, rod, arc);
  ex grown = times(b, 1 / p->length, p->length_ex);
  // a weight at the end of a part belongs to it
  if (p > r->part && arc <= p->from + 1e-13 * r->length) {
    p--;
    grown = times(b, 1 / p->length, p->length_ex);
  }
  for (int k = 0; k + 1 < r->nborder; k++) {
    const rod_mark *low = &r->border[k], *high = low + 1;
    if (!(arc > low->arc && arc <= high->arc)) continue;
    const bool last = high->arc >= p->from + p->length - 1e-13 * r->length;
    const ex to = last ? num_ex(b, 1) : high->share;
    if (td_ex_is_const(b->spec->graph, low->share) && td_ex_is_const(b->spec->graph, to)) break;
    grown = mul(b, grown, times(b, p->length / (high->arc - low->arc), minus(b, to, low->share)));
  }
  if (td_ex_is_const(b->spec->graph, grown)) return num_ex(b, weight);
  return times(b, weight, grown);
}

// ---- marks and borders ------------------------------------------------------------------------

td_status td_rod_mark(builder* b, int rod, double arc, ex e) {
  build_rod* r = &b->rod[rod];
  td_exprs* g = b->spec->graph;
  if (r->npart == 0) {
    td_spec_settle(b->spec, e);
    return TD_OK;
  }
  const rod_part* p = part_at(b, rod, arc);
  const bool still = td_ex_is_const(g, p->from_ex) && td_ex_is_const(g, p->length_ex);
  if (still && td_ex_is_const(g, e)) return TD_OK;

  // its share of the part, unless it is the one that the rod gives that place anyway
  double x;
  ex share = over(b, minus(b, e, p->from_ex), p->length_ex);
  const ex own = td_rod_fraction(b, rod, arc);
  if (td_ex_steady(b, minus(b, share, own), &x) && fabs(x) < 1e-9) return TD_OK;
  if (td_ex_steady(b, share, &x)) share = num_ex(b, x);
  for (int i = 0; i < r->nmark; i++)
    if (r->mark[i].arc == arc) {  // two places that part when a parameter changes
      td_spec_settle(b->spec, share);
      td_rod_settle(b, rod, "where two places coincide");
      return TD_OK;
    }
  rod_mark* grown = td_grow(r->mark, &r->mark_cap, r->nmark + 1, sizeof *grown);
  if (!grown) return TD_E_NOMEM;
  r->mark = grown;
  r->mark[r->nmark++] = (rod_mark){arc, share};
  r->moves = true;
  return TD_OK;
}

td_status td_rod_border(builder* b, int rod, double arc, ex share) {
  build_rod* r = &b->rod[rod];
  rod_mark* grown = td_grow(r->border, &r->border_cap, r->nborder + 1, sizeof *grown);
  if (!grown) return TD_E_NOMEM;
  r->border = grown;
  r->border[r->nborder++] = (rod_mark){arc, share};
  if (!td_ex_is_const(b->spec->graph, share)) r->moves = true;
  return TD_OK;
}

const rod_mark* td_rod_marked(const builder* b, int rod, double arc) {
  const build_rod* r = &b->rod[rod];
  for (int i = 0; i < r->nmark; i++)
    if (r->mark[i].arc == arc) return &r->mark[i];
  return NULL;
}

void td_rod_settle(builder* b, int rod, const char* why) {
  const build_rod* r = &b->rod[rod];
  if (!r->moves) return;
  snprintf(b->spec->settling, sizeof b->spec->settling, "rod(%d), %s", rod + 1, why);
  for (int i = 0; i < r->npart; i++) td_spec_settle(b->spec, r->part[i].length_ex);
  for (int i = 0; i < r->nborder; i++) td_spec_settle(b->spec, r->border[i].share);
  for (int i = 0; i < r->nmark; i++) td_spec_settle(b->spec, r->mark[i].share);
  b->spec->settling[0] = '\0';
}

void td_rod_keep_above(builder* b, ex e, const char* what) {
  double x;
  if (td_ex_steady(b, e, &x)) return;
  td_bound_range(b->spec, e, -1e-12, false, HUGE_VAL, what, "; load the model again");
}
