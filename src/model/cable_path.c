// Where cables run: the rods of each, its range on them and its path in their sections.
#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "elem/cable.h"
#include "model/cables.h"
#include "model/rods.h"
#include "model/rules.h"

cable_words td_cable_read(const value* s, int i) {
  return (cable_words){.rod = td_get(s, i, "rod"),
                       .path = td_get(s, i, "path"),
                       .from = td_get(s, i, "from"),
                       .to = td_get(s, i, "to"),
                       .via = td_get(s, i, "via"),
                       .points = td_get(s, i, "points"),
                       .tension = td_get(s, i, "tension"),
                       .pull = td_get(s, i, "pull"),
                       .stiffness = td_get(s, i, "stiffness"),
                       .friction = td_get(s, i, "friction")};
}

int td_cable_rods(const builder* b, int cable) {
  const cable_words* c = &b->cable[cable];
  return c->via ? 0 : c->rod ? td_value_count(c->rod) : 1;
}

int td_cable_rod(const builder* b, int cable, int k) {
  return b->cable[cable].rod ? (int)b->cable[cable].rod->x[k] : 1;
}

// A number of a field, the fallback where it is not given.
static ex number_of(builder* b, const value* v, ex fallback) {
  return v ? td_value_ex(v, 0, b->spec->graph) : fallback;
}

void td_cable_range(builder* b, int cable, int k, ex* from, ex* to) {
  const cable_words* c = &b->cable[cable];
  const int rod = td_cable_rod(b, cable, k) - 1;
  const ex tip = td_rod_arc(b, rod, b->rod[rod].length);
  *from = k == 0 ? number_of(b, c->from, num_ex(b, 0)) : num_ex(b, 0);
  *to = tip;
  if (k == td_cable_rods(b, cable) - 1) {
    // an end that rounding puts beyond the rod's is the rod's
    const ex written = number_of(b, c->to, tip);
    if (td_build_now(b, written) < b->rod[rod].length || !td_ex_is_const(b->spec->graph, written))
      *to = written;
  }
}

// List an end of a cable or chamber.  Where it is the end of the rod, or that of another one, at
// the parameters' present values only, the cut would appear when they change.
static void add_split(builder* b, int rod, rod_split* at, int* n, int max, ex e) {
  const double length = b->rod[rod].length, arc = td_build_now(b, e);
  double x;
  const bool base = arc <= 1e-9 * length, tip = arc >= (1 - 1e-9) * length;
  if (base || tip) {
    const ex gap = minus(b, e, tip ? td_rod_arc(b, rod, length) : num_ex(b, 0));
    if (!td_ex_steady(b, gap, &x)) td_spec_settle(b->spec, gap);
    return;
  }
  for (int i = 0; i < *n && i < max; i++)
    if (fabs(at[i].arc - arc) < 1e-9 * length) {
      const ex gap = minus(b, e, at[i].e);
      if (!td_ex_steady(b, gap, &x)) td_spec_settle(b->spec, gap);
      return;
    }
  if (*n < max) at[*n] = (rod_split){arc, e};
  ++*n;
}

// Collect the ends of cables and chambers on the rod, and sort them.
int td_rod_splits(builder* b, int rod, rod_split* at, int max) {
  int n = 0;
  for (int i = 0; b->cables && i < td_value_count(b->cables); i++)
    for (int k = 0; k < td_cable_rods(b, i); k++) {
      ex from, to;
      if (td_cable_rod(b, i, k) != rod + 1) continue;
      td_cable_range(b, i, k, &from, &to);
      add_split(b, rod, at, &n, max, from);
      add_split(b, rod, at, &n, max, to);
    }
  for (int i = 0; b->chambers && i < td_value_count(b->chambers); i++) {
    const chamber_words w = chamber_read(b->chambers, i);
    if ((w.rod ? (int)w.rod->x[0] : 1) != rod + 1) continue;
    add_split(b, rod, at, &n, max, number_of(b, w.from, num_ex(b, 0)));
    add_split(b, rod, at, &n, max, number_of(b, w.to, td_rod_arc(b, rod, b->rod[rod].length)));
  }
  qsort(at, (size_t)min_int(n, max), sizeof(rod_split), ascending);
  return n;
}

// Evaluate the written path and its first two derivatives by arc length at `arc`; zero without a
// path.  `rod` counts from 1.  NUM_NONE: no memory.
num td_cable_path(builder* b, int cable, int rod, double arc) {
  const value* path = b->cable[cable].path;
  const double zero[CABLE_PATH] = {0};
  const num at = td_build_constants(b, zero, CABLE_PATH);
  for (int c = 0; path && at != NUM_NONE && c < 2; c++) {
    td_exprs* g = b->spec->graph;
    ex e = td_value_ex(path, c, g);
    for (int order = 0; order < 3; order++) {
      b->m->number_ex[at + 2 * order + c] = at_arc(b, rod - 1, e, arc);
      if (order < 2) e = td_ex_diff(g, e, b->spec->arc_var);
    }
  }
  return at;
}

td_status td_cable_room(builder* b, int cable) {
  if (b->m->ncrossing < b->spec->limits.parts) return TD_OK;
  return td_error(b->diags, TD_E_MODEL, td_check_element_at(b->diags, b->cables, cable),
                  "cable(%d): the cables may pass %d pieces of rods together", cable + 1,
                  b->spec->limits.parts);
}
