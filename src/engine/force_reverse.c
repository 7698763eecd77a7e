// Transpose of the changes of an element between stations by its own `diff` (force.h).
#include "engine/adjoint.h"
#include "engine/force.h"

static double wrench_change(const td_model* m, td_work* w, void* what) {
  const weighed_element* e = what;
  spatial change[2];
  e->ops->diff(m, w, e->f.i, &e->s, &e->da, &e->db, change);
  return spatial_dot(&e->on[0], &change[0]) + spatial_dot(&e->on[1], &change[1]);
}

change_rule td_element_rule(weighed_element* e) { return (change_rule){wrench_change, e}; }

// Receives the numbers that an element names.
typedef struct number_units {
  const td_model* m;
  td_work* w;
  change_rule rule;
  adjoint* b;
} number_units;
static void numbers_by_units(void* ctx, num first, int n) {
  const number_units* u = ctx;
  td_unit_numbers(u->m, u->w, u->rule, first, n, u->b);
}
static void ignore(void* ctx, int which) { (void)ctx, (void)which; }

void td_reverse_by_diff(const td_model* m, td_work* w, weighed_element* e, adjoint* b) {
  enum { FRAME = 12 };  // place, turn, velocity and spin
  const change_rule rule = td_element_rule(e);
  const int station[2] = {e->f.a, e->f.b};
  frame_change* d[2] = {&e->da, &e->db};
  for (int k = 0; k < 2; k++) {
    frame_change to = {0};
    if (station[k] < 0) continue;
    td_units(m, w, rule, &d[k]->p.x, FRAME, &to.p.x);
    td_frame_reverse(m, w, station[k], &to, b);
  }
  number_units units = {m, w, rule, b};
  const force_visitor each = {&units, ignore, ignore, numbers_by_units};
  e->ops->visit(m, e->f.i, &each);
}
