// All forces of a model: loops over the kinds of forces and their elements (force.h).
#include <string.h>

#include "engine/adjoint.h"
#include "engine/force.h"
#include "engine/stages.h"

const force_ops* const td_force_table[WHOLE_KINDS + FORCE_KINDS] = {
#define X(kind) &td_force_##kind,
    TD_WHOLE_FORCES(X)
#undef X
#define X(type, kind, text) &td_force_##kind,
        TD_FORCES(X)
#undef X
};
const whole_ops* const td_whole_table[WHOLE_KINDS] = {
#define X(kind) &td_whole_##kind,
    TD_WHOLE_FORCES(X)
#undef X
};
const element_ops* const td_element_table[FORCE_KINDS] = {
#define X(type, kind, text) &td_element_##kind,
    TD_FORCES(X)
#undef X
};
enum { KINDS = WHOLE_KINDS + FORCE_KINDS };

// ---- at a state -------------------------------------------------------------------------------

// Compute rest values and axes from the initial configuration, which has been placed.
void td_forces_prepare(const td_model* m, td_work* w) {
  for (int k = 0; k < KINDS; k++) td_force_table[k]->prepare(m, w);
}

void td_forces_prepare_diff(const td_model* m, td_work* w) {
  for (int k = 0; k < KINDS; k++) td_force_table[k]->prepare_diff(m, w);
}

// Clear hop.f and w->tau, and add all forces, active or passive ones (`which`).
void td_forces(const td_model* m, td_work* w, int which) {
  w->law_power = 0;
  memset(w->tau, 0, (size_t)m->nvel * sizeof(double));
  for (int i = 0; i < m->nhop; i++) w->hop[i].f = spatial_zero();

  // kinds without elements are not called: small models are evaluated in a microsecond
  for (int k = 0; k < WHOLE_KINDS; k++) td_force_table[k]->add(m, w, which);
#define X(type, kind, text) \
  if (m->n##kind > 0) td_force_##kind.add(m, w, which);
  TD_FORCES(X)
#undef X
}

// Sum of the potential energies of all forces.
double td_elastic_energy(const td_model* m, const td_work* w) {
  double sum = 0;
  for (int k = 0; k < KINDS; k++) sum += td_force_table[k]->energy(m, w);
  return sum;
}

// Power of all forces without potential; known: td_forces has left the power of the laws.
double td_force_power(const td_model* m, const td_work* w, bool known) {
  double sum = known ? w->law_power : 0;
  for (int k = 0; k < WHOLE_KINDS; k++) sum += td_force_table[k]->power(m, w, known);
#define X(type, kind, text) \
  if (m->n##kind > 0) sum += td_force_##kind.power(m, w, known);
  TD_FORCES(X)
#undef X
  return sum;
}

// Change of the potential energy along the position of a column.
double td_elastic_change(const td_model* m, const td_work* w, int col) {
  double sum = 0;
  for (int k = 0; k < KINDS; k++) sum += td_force_table[k]->energy_diff(m, w, col);
  return sum;
}

// Collect the derivatives of forces on single stations for each hop (blocks.c).
void td_blocks(const td_model* m, td_work* w) {
  if (!m->has_blocks) return;
  memset(w->blocks, 0, (size_t)m->nhop * sizeof(hop_block));
  for (int k = 0; k < KINDS; k++) td_force_table[k]->blocks(m, w);
}

// Subtract the derivatives of forces that follow directly from coordinates from dF/dq and dF/dv.
void td_coordinate_tangent(const td_model* m, td_work* w, double* dq, double* dv) {
  for (int k = 0; k < WHOLE_KINDS; k++) td_force_table[k]->tangent(m, w, dq, dv);
#define X(type, kind, text) \
  if (m->n##kind > 0) td_force_##kind.tangent(m, w, dq, dv);
  TD_FORCES(X)
#undef X
}

// Evaluate an element and what its derivatives need.
void td_force_linearise(const td_model* m, const td_work* w, const force_info* f, force_state* s) {
  const element_ops* ops = td_element_table[f->kind];
  if (ops->reach(m, f->i) == REACH_COORDINATES) return;
  s->a = td_frame(m, w, f->a);
  s->b = td_frame(m, w, f->b);
  ops->linearise(m, w, f->i, s);
}

// Change of an element's wrenches on its two stations along a column, and with the numbers; forces
// along coordinates change dtau with the numbers only, since td_coordinate_tangent has their
// derivatives.
void td_force_change(const td_model* m, const td_work* w, const force_info* f, const force_state* s,
                     int col, bool rate, spatial change[2], double* dtau) {
  const element_ops* ops = td_element_table[f->kind];
  const force_reach reach = ops->reach(m, f->i);
  change[0] = change[1] = spatial_zero();

  if (reach == REACH_COORDINATES) {
    if (w->numbers_change) ops->numbers_diff(m, w, f->i, dtau);
    return;
  }

  // changes of the two frames, and of the wrenches on them
  frame_change da = {0}, db = {0};
  // (what a column does to single stations is in the blocks)
  if (col == ALONG || (col >= 0 && reach == REACH_STATIONS)) {
    da = td_frame_change(m, w, f->a, col, rate);
    db = td_frame_change(m, w, f->b, col, rate);
  }

  ops->diff(m, w, f->i, s, &da, &db, change);
}

// Add the changes of one element to df of its hops and to dtau.
static void add_change(const td_model* m, td_work* w, int force, int col, bool rate, spatial* df,
                       double* dtau) {
  const force_info f = force_at(m, force);
  const force_reach reach = td_element_table[f.kind]->reach(m, f.i);
  if (!w->numbers_change && reach != REACH_STATIONS) return;
  force_state s;
  spatial change[2];
  td_force_linearise(m, w, &f, &s);
  td_force_change(m, w, &f, &s, col, rate, change, dtau);
  const int station[2] = {f.a, f.b};

  for (int e = 0; e < 2 && reach != REACH_COORDINATES; e++) {
    const int at = station[e] < 0 ? -1 : m->station[station[e]].hop;
    if (at >= 0) df[at] = spatial_add(df[at], change[e]);
  }
}

// Add the changes of all forces along a column, or with the numbers (col < 0), to df (nhop) and
// dtau (nvel).
void td_forces_change(const td_model* m, td_work* w, int col, bool rate, spatial* df,
                      double* dtau) {
  const int hop = col < 0 ? -1 : m->col[col].hop;
  for (int k = 0; k < WHOLE_KINDS; k++) td_whole_table[k]->diff(m, w, col, rate, df);

  // elements that the column moves, or all where numbers change
  int n = 0;
#define X(type, kind, text)                                                       \
  for (int i = 0; i < m->n##kind; i++, n++)                                       \
    if (w->numbers_change || (hop >= 0 && (station_moves(m, m->kind[i].a, hop) || \
                                           station_moves(m, m->kind[i].b, hop)))) \
      add_change(m, w, n, col, rate, df, dtau);
  TD_FORCES(X)
#undef X
}

// Transposes of td_forces_change along a direction and of td_forces_prepare_diff (adjoint.h).
void td_forces_reverse(const td_model* m, td_work* w, adjoint* b) {
  int n = 0;
#define X(type, kind, text)                                               \
  for (int i = 0; i < m->n##kind; i++, n++) {                             \
    weighed_element e = {.ops = &td_element_##kind, .f = force_at(m, n)}; \
    e.on[0] = wrench_weight(m, e.f.a, b);                                 \
    e.on[1] = wrench_weight(m, e.f.b, b);                                 \
    td_force_linearise(m, w, &e.f, &e.s);                                 \
    e.ops->reverse(m, w, &e, b);                                          \
  }
  TD_FORCES(X)
#undef X
  for (int k = 0; k < WHOLE_KINDS; k++) td_whole_table[k]->reverse(m, w, b);
}

void td_forces_prepare_reverse(const td_model* m, td_work* w, adjoint* b) {
  for (int k = 0; k < KINDS; k++) td_force_table[k]->prepare_reverse(m, w, b);
}

// True when forces must be differentiated column by column; touched (may be NULL): the hops whose
// columns change a force.
bool td_forces_sweep(const td_model* m, const td_work* w, bool* touched) {
  bool all = m->nlive_probe > 0, some = false;
  for (int k = 0; k < WHOLE_KINDS; k++) all = all || td_whole_table[k]->sweeps(m, w);
  if (all && !touched) return true;
  if (touched) memset(touched, all, (size_t)m->nhop * sizeof(bool));

  // elements between stations, and all hops that carry these stations
  const int n = model_forces(m);

  for (int i = 0; i < n; i++) {
    const force_info f = force_at(m, i);
    if (td_element_table[f.kind]->reach(m, f.i) != REACH_STATIONS) continue;
    if (!touched) return true;
    some = true;
    if (f.a >= 0 && m->station[f.a].hop >= 0) touched[m->station[f.a].hop] = true;
    if (f.b >= 0 && m->station[f.b].hop >= 0) touched[m->station[f.b].hop] = true;
  }

  // hops upstream of these move them, too
  for (int i = m->nhop - 1; i >= 0 && touched; i--)
    if (touched[i] && m->hop[i].parent >= 0) touched[m->hop[i].parent] = true;
  return all || some;
}

// True when every force has a potential.
bool td_forces_have_potential(const td_model* m) {
  bool all = true;
  for (int k = 0; k < KINDS; k++) all = all && td_force_table[k]->has_potential(m);
  return all;
}

// True when some damper is not linear.
bool td_has_power_dampers(const td_model* m) {
  bool some = false;
  for (int k = 0; k < KINDS; k++) some = some || td_force_table[k]->has_power_dampers(m);
  return some;
}

// True when some damper has a negative coefficient.
bool td_has_driving_dampers(const td_model* m, const td_work* w) {
  bool some = false;
  for (int k = 0; k < KINDS; k++) some = some || td_force_table[k]->has_driving_dampers(m, w);
  return some;
}

// ---- wrenches of links ------------------------------------------------------------------------

// True when a force belongs to this element of a joint and acts between its two places.
static bool is_link_of(const td_model* m, const force_info* f, int joint, int element) {
  return f->joint == joint && f->element == element && td_element_table[f->kind]->is_link(m, f->i);
}

// Change of the wrench of a joint's links on its second station along a column, at constant
// multipliers, or along the direction.
spatial td_link_change(const td_model* m, td_work* w, int joint, int element, int col, bool rate) {
  spatial sum = spatial_zero(), change[3];
  const int n = model_forces(m);

  for (int i = 0; i < n; i++) {
    const force_info f = force_at(m, i);
    if (!is_link_of(m, &f, joint, element)) continue;
    force_state s;
    td_force_linearise(m, w, &f, &s);
    td_force_change(m, w, &f, &s, col, rate, change, NULL);
    sum = spatial_add(sum, change[1]);
  }

  // unit wrenches of the multipliers turn with the frames
  for (int i = 0; i < m->nrow && (col >= 0 || col == ALONG); i++) {
    if (m->row[i].joint != joint || m->row[i].element != element) continue;
    td_row_wrenches_change(m, w, i, col, rate, change);
    sum = spatial_axpy(w->lambda[i], change[1], sum);
    if (col != ALONG) continue;
    td_row_wrenches(m, w, i, change);
    sum = spatial_axpy(w->along->lambda[i], change[1], sum);
  }

  return sum;
}

// Wrench of a joint's links, forces and multipliers, on its second station, about the world's
// origin.
spatial td_link_wrench(const td_model* m, const td_work* w, int joint, int element) {
  spatial sum = spatial_zero();
  const int n = model_forces(m);

  for (int i = 0; i < n; i++) {
    const force_info f = force_at(m, i);
    if (is_link_of(m, &f, joint, element))
      sum = spatial_add(sum, td_element_table[f.kind]->wrench(m, w, f.i));
  }

  // multipliers
  for (int i = 0; i < m->nrow; i++) {
    const model_row* r = &m->row[i];
    if (r->joint != joint || r->element != element) continue;
    const row_value v = td_row_at(m, w, i);
    const spatial f = spatial_force(td_frame(m, w, r->b).p, v.force, v.torque);
    sum = spatial_axpy(w->lambda[i], f, sum);
  }

  return sum;
}
