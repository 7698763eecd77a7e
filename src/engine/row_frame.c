// Constraint rows between frames: they differ in their formulas (elem/row_<kind>.c) and in what
// these take.
#include <math.h>
#include <string.h>

#include "engine/adjoint.h"
#include "engine/path.h"
#include "engine/row_table.h"

// ---- what the formulas of a kind take beyond directions and the reference rotation -----------

static void plain_fill(const td_model* m, const td_work* w, int row, row_frames* f) {
  (void)m, (void)w, (void)row, (void)f;
}

// The second axis of a universal joint is given in the first frame, as it is at the start.
static void dot_fill(const td_model* m, const td_work* w, int row, row_frames* f) {
  (void)m, (void)w, (void)row;
  if (f->reference) f->x = mat3_apply_t(mat3_quat(*f->reference), f->x);
}

// The turn of a screw by the angles of the joints between its frames, beyond a constant; NaN where
// they do not tell it: they must turn about its axis or across it.
double td_screw_angle(const td_model* m, const td_work* w, int row) {
  const model_row* r = &m->row[row];
  const vec3 D = mat3_apply(td_frame(m, w, r->a).R, vec3_of(w->num + r->d));
  int a = r->a < 0 ? -1 : m->station[r->a].hop, b = r->b < 0 ? -1 : m->station[r->b].hop;
  double sum = 0;
  while (a != b) {  // parents have smaller numbers: up to where the two ways meet
    const bool on_b = b > a;
    int* at = on_b ? &b : &a;
    const model_hop* hop = &m->hop[*at];
    const bool turns = hop->turns && !has_quaternion(hop);
    const bool moves = hop->moves || td_hop_traits[hop->kind].axes == 0;
    if (!turns && hop->nv > 0 && (!moves || is_step(hop))) return NAN;
    const double along = turns ? vec3_dot(D, spatial_r(&w->col[hop->col].S)) : 0;
    if (fabs(along) > 0.1 && fabs(along) < 0.99) return NAN;
    if (fabs(along) > 0.5) sum += (on_b ? 1 : -1) * copysign(1, along) * w->q[hop->q];
    *at = hop->parent;
  }
  return sum;
}

static void screw_fill(const td_model* m, const td_work* w, int row, row_frames* f) {
  f->pitch = w->num[m->row[row].pitch];
  f->zero = w->row_zero[row];
  f->angle = w->row_angle[row] + td_screw_angle(m, w, row);
}

// Names are written out: the bundler of `export c` renames static functions, which a pasted name
// would miss.
static void (*const fills[FRAME_ROW_KINDS])(const td_model* m, const td_work* w, int row,
                                            row_frames* f) = {[ROW_TRANS] = plain_fill,
                                                              [ROW_ALPHA] = plain_fill,
                                                              [ROW_DOT] = dot_fill,
                                                              [ROW_SCREW] = screw_fill};

// ---- frames -----------------------------------------------------------------------------------

// `out->f` points into `out`.
static void ends_at(const td_model* m, const td_work* w, const model_row* row, row_ends* out) {
  out->a = td_frame(m, w, row->a);
  out->b = td_frame(m, w, row->b);
  out->c = row->c == row->a ? out->a : td_frame(m, w, row->c);
  const quat* reference = row->reference >= 0 ? &w->reference[row->reference] : NULL;
  out->f = (row_frames){.a = &out->a,
                        .b = &out->b,
                        .c = &out->c,
                        .d = vec3_of(w->num + row->d),
                        .x = vec3_of(w->num + row->e),
                        .reference = reference};
  fills[row->kind](m, w, (int)(row - m->row), &out->f);
}

ends_change td_row_ends_change(const td_model* m, const td_work* w, int row, int col, bool rate) {
  const model_row* r = &m->row[row];
  ends_change d;
  d.a = td_frame_change(m, w, r->a, col, rate);
  d.b = td_frame_change(m, w, r->b, col, rate);
  d.c = r->c == r->a ? d.a : td_frame_change(m, w, r->c, col, rate);
  return d;
}

// The change of a row with its own numbers, added to that with its frames.
static row_value numbers_change(const td_work* w, const model_row* row, const row_ends* ends) {
  row_numbers d = {.d = vec3_of(w->dnum + row->d), .x = vec3_of(w->dnum + row->e)};
  if (row->pitch != NUM_NONE) d.pitch = w->dnum[row->pitch];
  if (row->kind == ROW_DOT && ends->f.reference)  // see dot_fill
    d.x = mat3_apply_t(mat3_quat(*ends->f.reference), d.x);
  return td_row_formulas[row->kind]->numbers(&ends->f, &d);
}

// Turn of frame b that has the same effect as a turn ρ of the reference Q0 in Q_a⁻¹ Q_b Q0⁻¹:
// -R_b R0ᵀ ρ.
static vec3 reference_turn(const td_work* w, const model_row* row, const row_ends* ends) {
  const mat3 R0 = mat3_quat(w->reference[row->reference]);
  const vec3 back = mat3_apply_t(R0, w->along->reference[row->reference]);
  return vec3_scale(-1, mat3_apply(ends->b.R, back));
}

// Compute the directional derivative of a row and of its wrenches from the derivatives d of its
// frames.  If the direction is w->along, it also changes the reference rotation and the numbers of
// the row.
static row_value change_of(const td_work* w, const model_row* row, const row_ends* ends,
                           const ends_change* d) {
  // by the frames; a turn of the reference rotation counts as a turn of frame b
  frame_change b = d->b;
  if (w->along && row->reference >= 0) b.turn = vec3_add(b.turn, reference_turn(w, row, ends));
  const row_changes changes = {&d->a, &b, &d->c};
  row_value v = td_row_formulas[row->kind]->change(&ends->f, &changes);

  // by the numbers of the row
  if (!w->along) return v;
  const row_value own = numbers_change(w, row, ends);
  v.e += own.e;
  v.ed += own.ed;
  v.edd += own.edd;
  v.force = vec3_add(v.force, own.force);
  v.torque = vec3_add(v.torque, own.torque);
  v.torque_c = vec3_add(v.torque_c, own.torque_c);
  return v;
}

static row_value frame_value(const td_model* m, const td_work* w, int row) {
  row_ends ends;
  ends_at(m, w, &m->row[row], &ends);
  return td_row_formulas[m->row[row].kind]->value(&ends.f);
}

static void frame_linearise(const td_model* m, const td_work* w, int row, row_state* s) {
  ends_at(m, w, &m->row[row], &s->ends);
  s->at = td_row_formulas[m->row[row].kind]->value(&s->ends.f);
}

static row_value frame_diff(const td_model* m, const td_work* w, int row, const row_state* s,
                            const ends_change* c, int col, bool rate) {
  (void)col, (void)rate;
  return change_of(w, &m->row[row], &s->ends, c);
}

static bool frame_moves(const td_model* m, int row, int hop) {
  const model_row* r = &m->row[row];
  return station_moves(m, r->a, hop) || station_moves(m, r->b, hop) || station_moves(m, r->c, hop);
}

// ---- wrenches ---------------------------------------------------------------------------------

void td_row_wrenches(const td_model* m, const td_work* w, int row, spatial out[3]) {
  const model_row* r = &m->row[row];
  const row_value at = frame_value(m, w, row), *v = &at;
  const vec3 pa = td_frame(m, w, r->a).p, pb = td_frame(m, w, r->b).p, none = {0, 0, 0};
  out[0] = spatial_scale(-1, spatial_force(pa, v->force, v->torque));
  out[1] = spatial_force(pb, v->force, v->torque);
  out[2] = spatial_of(none, v->torque_c);
}

// Changes along c of the wrenches that a unit multiplier makes on the row's three frames; v: the
// row at the state.
static void wrenches_change(const td_work* w, const model_row* row, const row_ends* ends,
                            const row_value* v, const ends_change* c, spatial out[3]) {
  const row_value d = change_of(w, row, ends, c);
  const vec3 none = {0, 0, 0};
  const spatial moved_a = spatial_of(none, vec3_cross(c->a.p, v->force)),
                moved_b = spatial_of(none, vec3_cross(c->b.p, v->force));
  const spatial on_a = spatial_add(spatial_force(ends->a.p, d.force, d.torque), moved_a);
  out[0] = spatial_scale(-1, on_a);
  out[1] = spatial_add(spatial_force(ends->b.p, d.force, d.torque), moved_b);
  out[2] = spatial_of(none, d.torque_c);
}

void td_row_wrenches_change(const td_model* m, const td_work* w, int row, int col, bool rate,
                            spatial out[3]) {
  const model_row* r = &m->row[row];
  row_ends ends;
  ends_at(m, w, r, &ends);
  const row_value v = td_row_formulas[r->kind]->value(&ends.f);
  const ends_change d = td_row_ends_change(m, w, row, col, rate);
  wrenches_change(w, r, &ends, &v, &d, out);
}

static void frame_add(const td_model* m, td_work* w, int row, double lambda) {
  const model_row* r = &m->row[row];
  const int station[3] = {r->a, r->b, r->c};
  spatial f[3];
  td_row_wrenches(m, w, row, f);
  for (int s = 0; s < 3; s++) {
    const int hop = station[s] < 0 ? -1 : m->station[station[s]].hop;
    if (hop >= 0) w->hop[hop].f = spatial_axpy(lambda, f[s], w->hop[hop].f);
  }
}

static void frame_add_diff(const td_model* m, const td_work* w, int row, double lambda, int col,
                           bool rate, spatial* df) {
  const model_row* r = &m->row[row];
  const int station[3] = {r->a, r->b, r->c};
  spatial change[3];
  td_row_wrenches_change(m, w, row, col, rate, change);
  for (int s = 0; s < 3; s++) {
    const int hop = station[s] < 0 ? -1 : m->station[station[s]].hop;
    if (hop >= 0) df[hop] = spatial_axpy(lambda, change[s], df[hop]);
  }
}

// ---- adjoints ---------------------------------------------------------------------------------

// A row with the changes of its frames, and the weights of its changes.
typedef struct weighed_row {
  const model_row* row;
  row_ends ends;
  ends_change d;
  const row_value* bar;
} weighed_row;

static double row_change(const td_model* m, td_work* w, void* what) {
  (void)m;
  weighed_row* e = what;
  if (e->row->c == e->row->a) e->d.c = e->d.a;
  const row_value *bar = e->bar, v = change_of(w, e->row, &e->ends, &e->d);
  return bar->e * v.e + bar->ed * v.ed + bar->edd * v.edd + vec3_dot(bar->force, v.force) +
         vec3_dot(bar->torque, v.torque) + vec3_dot(bar->torque_c, v.torque_c);
}

static void frame_reverse(const td_model* m, td_work* w, int row, const row_value* bar,
                          struct adjoint* b) {
  const model_row* r = &m->row[row];
  weighed_row e = {.row = r, .bar = bar};
  const change_rule rule = {row_change, &e};
  const int station[3] = {r->a, r->b, r->c};
  frame_change* d[3] = {&e.d.a, &e.d.b, &e.d.c};
  const int n = bar->edd != 0 ? 18 : bar->ed != 0 ? 12 : 6;  // places; velocities; accelerations
  ends_at(m, w, r, &e.ends);
  for (int s = 0; s < (r->c == r->a ? 2 : 3); s++) {
    frame_change to = {0};
    if (station[s] < 0) continue;
    td_units(m, w, rule, &d[s]->p.x, n, &to.p.x);
    td_frame_reverse(m, w, station[s], &to, b);
  }
  td_unit_numbers(m, w, rule, r->d, 3, b);
  td_unit_numbers(m, w, rule, r->e, 3, b);
  if (r->pitch != NUM_NONE) td_unit_numbers(m, w, rule, r->pitch, 1, b);
  if (r->reference >= 0)
    td_units(m, w, rule, &w->along->reference[r->reference].x, 3, &b->reference[r->reference].x);
}

static void frame_force_reverse(const td_model* m, td_work* w, int row, double lambda,
                                struct adjoint* b) {
  const model_row* r = &m->row[row];
  const spatial y[3] = {wrench_weight(m, r->a, b), wrench_weight(m, r->b, b),
                        wrench_weight(m, r->c, b)};
  spatial unit[3];
  td_row_wrenches(m, w, row, unit);
  for (int s = 0; s < 3; s++) b->lambda[row] += spatial_dot(&y[s], &unit[s]);
  if (lambda == 0) return;

  // the force at both ends, which move, and its change
  const vec3 pa = td_frame(m, w, r->a).p, pb = td_frame(m, w, r->b).p, F = spatial_t(&unit[1]);
  const vec3 ra = spatial_r(&y[0]), rb = spatial_r(&y[1]);
  const frame_change a = {.p = vec3_scale(-lambda, vec3_cross(F, ra))},
                     c = {.p = vec3_scale(lambda, vec3_cross(F, rb))};
  const row_value bar = {
      .force = vec3_scale(lambda, vec3_sub(twist_at(&y[1], pb), twist_at(&y[0], pa))),
      .torque = vec3_scale(lambda, vec3_sub(rb, ra)),
      .torque_c = vec3_scale(lambda, spatial_r(&y[2]))};
  td_frame_reverse(m, w, r->a, &a, b);
  td_frame_reverse(m, w, r->b, &c, b);
  frame_reverse(m, w, row, &bar, b);
}

// ---- what the DOFs do to them -----------------------------------------------------------------

// Gather the columns S that move `hop` and their velocities v, from the hop to the root, into r (in
// the order of the slots).  Nothing to do if r belongs to this hop already.
void td_reach_to(const td_model* m, const td_work* w, int hop, row_reach* r) {
  if (r->hop == hop) return;
  r->hop = hop;
  r->n = hop < 0 ? 0 : m->hop[hop].end;
  memset(r->v, 0, (size_t)r->n * sizeof(int));
  memset(r->S, 0, (size_t)slot_blocks(r->n) * sizeof(octet));
  for (int i = hop; i >= 0; i = m->hop[i].parent) {
    const model_hop* at = &m->hop[i];
    for (int k = at->col; k < at->col + at->nv; k++) r->v[m->col[k].slot] = m->col[k].v;
    for (int k = at->col; k < at->col + at->nv && !has_parts(at); k++)
      path_column(r->S, at, m->col[k].slot, &w->col[k].S);
    if (has_parts(at)) td_step_add(w, at, w->part + at->parts, r->S);
  }
}

// to += s Sᵀ f, DOF by DOF, whose numbers are `stride` apart
static void reach_add(const row_reach* r, double s, const spatial* f, double* to, int stride) {
  for (int first = 0; first < r->n; first += LANES) {
    const lanes x = s * octet_dot(f, &r->S[first / LANES]);
    for (int k = first; k < r->n && k < first + LANES; k++) to[r->v[k] * stride] += x[k - first];
  }
}

// The DOFs that move the stations of a bundle.  Returns how many wrenches its rows have: those on
// the first and the third station are added up where these are one.
static int reach_ends(const td_model* m, const td_work* w, int row, bool all, row_reach to[3]) {
  const model_row* r = &m->row[row];
  const int station[3] = {r->a, r->b, r->c}, n = !all && r->a == r->c ? 2 : 3;
  for (int s = 0; s < n; s++)
    td_reach_to(m, w, station[s] < 0 ? -1 : m->station[station[s]].hop, &to[s]);
  return n;
}

static void frame_jacobian(const td_model* m, td_work* w, int first, int end, row_reach to[3],
                           double* Jc) {
  const int n = reach_ends(m, w, first, false, to);
  for (int i = first; i < end; i++) {
    spatial f[3];
    td_row_wrenches(m, w, i, f);
    if (n < 3) f[0] = spatial_add(f[0], f[2]);
    for (int s = 0; s < n; s++) reach_add(&to[s], 1, &f[s], Jc + i * m->nvel, 1);
  }
}

static void frame_squares(const td_model* m, const td_work* w, int first, row_reach to[3],
                          double* moved, double* turned) {
  const model_row* r = &m->row[first];
  const int station[3] = {r->a, r->b, r->c}, n = reach_ends(m, w, first, false, to);
  const vec3 p[3] = {td_frame(m, w, r->a).p, td_frame(m, w, r->b).p, {0, 0, 0}};
  const double apart = vec3_norm(vec3_sub(p[1], p[0]));
  // a direction that turns moves what is `apart` along it
  for (int s = 0; s < n; s++)
    reach_squares(&to[s], p[s], s < 2, s == 2 || r->c == station[s] ? apart : 0, moved, turned);
}

// The wrenches of a bundle's multipliers change along each column: what that does along the DOFs.
static void frame_tangent(const td_model* m, const td_work* w, int first, int end,
                          const row_state* s, const double* lambda, row_reach to[3], double* dq) {
  reach_ends(m, w, first, true, to);
  for (int col = 0; col < m->ncol; col++) {
    if (!m->col[col].leads || !frame_moves(m, first, m->col[col].hop)) continue;
    const ends_change d = td_row_ends_change(m, w, first, col, false);
    spatial sum[3] = {spatial_zero(), spatial_zero(), spatial_zero()}, change[3];
    for (int i = first; i < end; i++) {
      wrenches_change(w, &m->row[i], &s[i].ends, &s[i].at, &d, change);
      for (int e = 0; e < 3; e++) sum[e] = spatial_axpy(lambda[i], change[e], sum[e]);
    }
    for (int e = 0; e < 3; e++) reach_add(&to[e], -1, &sum[e], dq + m->col[col].v, m->nvel);
  }
}

#define X(kind, name, ...)                  \
  const row_ops td_row_##name = {           \
      .value = frame_value,                 \
      .linearise = frame_linearise,         \
      .diff = frame_diff,                   \
      .moves = frame_moves,                 \
      .add = frame_add,                     \
      .add_diff = frame_add_diff,           \
      .reverse = frame_reverse,             \
      .force_reverse = frame_force_reverse, \
      .jacobian = frame_jacobian,           \
      .squares = frame_squares,             \
      .tangent = frame_tangent,             \
  };
TD_FRAME_ROWS(X)
#undef X
