// Where cables run: the rods of each, its range on them and its path in their sections.
#include <math.h>
#include <stdlib.h>

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

static double constant(const value* v, double fallback) { return v ? v->x[0] : fallback; }

void td_cable_range(const builder* b, int cable, int k, double* from, double* to) {
  const cable_words* c = &b->cable[cable];
  *from = k == 0 ? constant(c->from, 0) : 0;
  *to = b->rod[td_cable_rod(b, cable, k) - 1].length;
  if (k == td_cable_rods(b, cable) - 1) *to = fmin(*to, constant(c->to, *to));
}

static void add_split(double* arc, int* n, int max, double x, double length) {
  if (x <= 1e-9 * length || x >= (1 - 1e-9) * length) return;
  for (int i = 0; i < *n && i < max; i++)
    if (fabs(arc[i] - x) < 1e-9 * length) return;
  if (*n < max) arc[*n] = x;
  ++*n;
}

// Collect the ends of cables and chambers on the rod, and sort them.
int td_rod_splits(const builder* b, int rod, double* arc, int max) {
  const double length = b->rod[rod].length;
  int n = 0;
  for (int i = 0; b->cables && i < td_value_count(b->cables); i++)
    for (int k = 0; k < td_cable_rods(b, i); k++) {
      double from, to;
      if (td_cable_rod(b, i, k) != rod + 1) continue;
      td_cable_range(b, i, k, &from, &to);
      add_split(arc, &n, max, from, length);
      add_split(arc, &n, max, to, length);
    }
  for (int i = 0; b->chambers && i < td_value_count(b->chambers); i++) {
    const chamber_words w = chamber_read(b->chambers, i);
    if ((int)constant(w.rod, 1) != rod + 1) continue;
    add_split(arc, &n, max, constant(w.from, 0), length);
    add_split(arc, &n, max, constant(w.to, length), length);
  }
  qsort(arc, (size_t)min_int(n, max), sizeof(double), td_ascending);
  return n;
}

// Evaluate the written path and its first two derivatives by arc length at `arc`; zero without a
// path.  NUM_NONE: no memory.
num td_cable_path(builder* b, int cable, double arc) {
  const value* path = b->cable[cable].path;
  const double zero[CABLE_PATH] = {0};
  const num at = td_build_constants(b, zero, CABLE_PATH);
  for (int c = 0; path && at != NUM_NONE && c < 2; c++) {
    td_exprs* g = b->spec->graph;
    ex e = td_value_ex(path, c, g);
    for (int order = 0; order < 3; order++) {
      b->m->number_ex[at + 2 * order + c] = at_arc(b, e, arc);
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
