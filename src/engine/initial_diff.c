// Derivatives of everything that follows from the initial geometry, by the numbers of the model, in
// the order of constants.c: initial positions, free nodes of rods, references of loops, loops
// closed, rest values.
//
// A closed loop stays closed:  J δq + ∂c/∂n δn = 0.  Where the loop leaves nothing open that is
// all; else the way on which it is closed counts, and δq is the step with which the closing begins
// where the written values meet the loop (closing.c).
#include <math.h>
#include <string.h>

#include "elem/segment.h"
#include "engine/adjoint.h"
#include "engine/row_table.h"
#include "engine/taut.h"

// Changes of the coordinates with their written values.
static void written_positions(const td_model* m, const td_work* w, const double* q, double* dq) {
  for (int v = 0; v < m->nvel; v++)
    if (m->vel[v].partner >= 0) dq[v] = w->dnum[m->pos[m->vel[v].partner].init];
  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    if (!has_quaternion(hop)) continue;
    // of a quaternion that is normalised afterwards
    double x[4] = {0, 0, 0, 0}, d[4] = {0, 0, 0, 0}, size = 0;
    for (int c = 0; c < hop->nq; c++) {
      x[c] = q[hop->q + c];
      d[c] = w->dnum[m->pos[hop->q + c].init];
      const double written = w->num[m->pos[hop->q + c].init];
      size += written * written;
    }
    const quat turned =
        quat_mul((quat){x[0], vec3_scale(-1, vec3_of(x + 1))}, (quat){d[0], vec3_of(d + 1)});
    for (int c = 0; c < hop->nv; c++) dq[hop->v + c] = 2 * vec3_at(turned.v, c) / sqrt(size);
  }
}

// The twist of the end of a piece (td_segment_end) when its strains and its length change.
static spatial end_change(const td_work* w, const model_node* node, const segment_end* end) {
  const double *x = w->num + node->strain, *dx = w->dnum + node->strain;
  const double l = w->num[node->length], dl = w->dnum[node->length];
  const vec3 e = {0, 0, 1}, bend = vec3_of(x + 3), move = vec3_add(vec3_of(x), e);
  const chart_frame half = td_chart_frame(CHART_TURN, vec3_scale(0.5 * l, bend));
  const mat3 A = mat3_quat(half.Q);
  const vec3 dphi = vec3_axpy(0.5 * dl, bend, vec3_scale(0.5 * l, vec3_of(dx + 3)));
  const vec3 first = mat3_apply(A, mat3_apply(half.T, dphi)),
             turn = vec3_add(first, mat3_apply(A, first));
  const vec3 dmove = vec3_axpy(dl, move, vec3_scale(l, vec3_of(dx)));
  const vec3 dp = vec3_add(vec3_cross(first, end->g.p), mat3_apply(A, dmove));
  return spatial_of(vec3_sub(dp, vec3_cross(turn, end->g.p)), turn);
}

// Free nodes follow the frame before them, but those of rods in `held` (NULL: none).
static void follow_nodes(const td_model* m, td_work* w, direction* d, double* dq,
                         const bool* held) {
  spatial X = spatial_zero();
  for (int i = 0; i < m->nnode; i++) {
    const model_node* node = &m->node[i];
    if (held && held[m->pos[node->q].rod]) continue;
    const segment_end end =
        td_segment_end(w->num + node->strain, w->num + node->rate, w->num[node->length]);
    const frame from = td_frame(m, w, node->from), at = td_frame(m, w, node->station);
    if (i == 0 || m->node[i - 1].station != node->from) {
      td_vary(m, w, d);
      const frame_change c = td_frame_along(m, w, node->from);
      X = spatial_of(vec3_sub(c.p, vec3_cross(c.turn, from.p)), c.turn);
    }
    const pose g = {from.R, from.p};
    const spatial own = end_change(w, node, &end);
    X = spatial_add(X, twist_out(&g, &own));
    vec3_put(dq + node->v, vec3_add(spatial_t(&X), vec3_cross(spatial_r(&X), at.p)));
    vec3_put(dq + node->v + 3, mat3_apply_t(at.R, spatial_r(&X)));
  }
}

static void references(const td_model* m, td_work* w, const direction* d) {
  for (int i = 0; i < m->nrow; i++) {
    const model_row* r = &m->row[i];
    if (r->reference < 0) continue;
    const frame a = td_frame(m, w, r->a);
    const frame_change da = td_frame_along(m, w, r->a), db = td_frame_along(m, w, r->b);
    d->reference[r->reference] = mat3_apply_t(a.R, vec3_sub(db.turn, da.turn));
  }
}

// Changes of the values of rows that keep them, for good or until the motion begins.
static void row_values(const td_model* m, const td_work* w, double* zero) {
  for (int i = 0; i < m->nrow; i++) {
    if (m->row[i].target != TARGET_INITIAL && m->row[i].target != TARGET_CONTROL) continue;
    row_state s;
    const row_ops* ops = td_row_table[m->row[i].kind];
    const ends_change c = td_row_ends_change(m, w, i, ALONG, false);
    ops->linearise(m, w, i, &s);
    zero[i] = ops->diff(m, w, i, &s, &c, ALONG, false).e;
  }
}

bool td_initial_rests(const td_model* m) {
  bool some = m->nbeam_frame > 0;
  for (int i = 0; i < m->nspring; i++) some = some || m->spring[i].law.rest_initial;
  for (int i = 0; i < m->naxial; i++) some = some || m->axial[i].law.rest_initial;
  for (int i = 0; i < 6 * m->nbeam; i++) some = some || m->beam[i / 6].law[i % 6].rest_initial;
  for (int i = 0; i < 6 * m->nstrain; i++) some = some || m->strain[i / 6].rest_initial[i % 6];
  for (int i = 0; i < m->nrow; i++) some = some || m->row[i].target == TARGET_INITIAL;
  return some;
}

// Does the initial geometry give anything?
static bool is_measured(const td_model* m) {
  bool some = td_initial_rests(m) || m->ncable > 0 || m->nreference > 0;
  for (int i = 0; i < m->nrow; i++) some = some || m->row[i].target == TARGET_CONTROL;
  for (int i = 0; i < m->nprobe; i++)
    some = some || (sensor_is(m->probe[i].kind, OF_START) && m->probe[i].rod == 0);
  return some;
}

static void place_at(const td_model* m, td_work* w, const td_state* state) {
  w->placed = false;
  td_place(m, state, w);
  td_accelerate(m, w, NULL, false);
}

// Follow td_prepare() step by step with changes instead of values; `to` (nvel, NULL: not wanted)
// gets those of the initial positions. d keeps its own q, v and a; w->along is NULL afterwards.
// False: the gaps of loops change, which the written values do not close, and the way on which they
// are closed from there counts: the changes of the positions are not exact.
static bool initial_changes(const td_model* m, td_work* w, direction* d, double* to) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  const int nv = m->nvel;
  const direction kept = *d;
  bool exact = true;
  double *dq = arena_zeros(s, nv), *dv = arena_zeros(s, nv);
  double *e = arena_zeros(s, m->nrow), *delta = arena_zeros(s, nv);
  bool* held = arena_bytes(s, (size_t)m->nrod + 1);
  td_state* state = &w->inner;
  d->q = dq;
  d->v = dv;
  d->a = d->accel = d->none;
  d->gravity = false;
  w->along = d;
  w->numbers_change = true;

  // before the loops are closed
  td_initial_place(m, w, state);
  place_at(m, w, state);
  memcpy(state->q, w->q, (size_t)m->npos * sizeof(double));
  written_positions(m, w, w->q, dq);
  td_motion_diff(m, w, dq, dv);
  if (m->nnode > 0) follow_nodes(m, w, d, dq, NULL);
  td_vary(m, w, d);
  references(m, w, d);
  row_values(m, w, d->row_zero);

  // closed, and the nodes of rods that are in no loop behind what carries them
  memset(held, 0, (size_t)m->nrod + 1);
  for (int i = 0; i < m->nnode; i++)
    for (int k = m->node[i].q; k < m->node[i].q + 7; k++)
      held[m->pos[k].rod] = held[m->pos[k].rod] || w->q_initial[k] != state->q[k];
  double closed = 0;
  for (int i = 0; i < m->npos; i++) closed = fmax(closed, fabs(w->q_initial[i] - state->q[i]));
  memcpy(state->q, w->q_initial, (size_t)m->npos * sizeof(double));
  place_at(m, w, state);
  td_motion_diff(m, w, dq, dv);
  td_vary(m, w, d);
  if (m->nrow > m->ntaut && !w->open_loops) {
    double most = 0, unused;
    for (int i = 0; i < m->nrow; i++) {
      const model_row* r = &m->row[i];
      if (!row_is_projected(m, w, i) || !row_has_frames(r->kind)) continue;
      e[i] = td_row_along(m, w, i, &unused).e;
      if (r->target == TARGET_CONTROL) e[i] -= d->row_zero[i];
    }
    for (int i = 0; i < m->nrow; i++) most = fmax(most, fabs(e[i]));
    exact = !(most > 0) || closed < 1e-9;
    if (most > 0 && td_close_gaps(m, w, e, delta))
      for (int j = 0; j < nv; j++) dq[j] += delta[j];
    if (m->nnode > 0) follow_nodes(m, w, d, dq, held);
    td_vary(m, w, d);
  }

  // what is measured there
  td_forces_prepare_diff(m, w);
  for (int i = 0; i < m->nprobe; i++) {
    const model_probe* p = &m->probe[i];
    if (!sensor_is(p->kind, OF_START) || p->rod > 0) continue;
    const frame a = td_frame(m, w, p->a), b = td_frame(m, w, p->b);
    const frame_change da = td_frame_along(m, w, p->a), db = td_frame_along(m, w, p->b);
    d->length0[i] = vec3_dot(axial_at(&a, &b).n, vec3_sub(db.p, da.p));
  }

  if (to) memcpy(to, dq, (size_t)nv * sizeof(double));
  *d = kept;
  w->along = NULL;
  w->numbers_change = false;
  w->placed = false;
  arena_close(s, mark);
  return exact;
}

void td_initial_diff(const td_model* m, td_work* w, direction* d) {
  if (is_measured(m)) initial_changes(m, w, d, NULL);
}

// Positions as the initial geometry has them; rates and internal states as they are written.
td_status td_state_initial_diff(const td_model* m, td_work* w, const double* p, double* q,
                                double* v, double* z) {
  const arena_mark mark = arena_open(&w->scratch);
  direction* d = td_direction_new(m, w);
  d->q = d->v = d->a = d->accel = d->lambda = d->none;
  td_prepare(m, w);
  memset(w->dnum, 0, (size_t)m->nnumber * sizeof(double));
  memset(w->dvar, 0, (size_t)m->nvar * sizeof(double));
  for (int i = 0; i < m->nparam; i++) w->dvar[m->param[i].var] = p[i];
  td_tape_numbers(w, m->param_tape, m->param_slot, m->nparam_slot);
  for (int i = 0; i < m->nvel; i++) v[i] = w->dnum[m->vel[i].init];
  for (int i = 0; i < m->ninternal; i++) z[i] = w->dnum[m->internal[i].init];
  const bool exact = initial_changes(m, w, d, q);
  memset(w->dnum, 0, (size_t)m->nnumber * sizeof(double));
  arena_close(&w->scratch, mark);
  if (exact) return TD_OK;
  td_work_fail(w,
               "loops are closed from initial values that do not meet them, and how this changes "
               "with the parameters depends on the way: write values that meet the loops");
  return TD_E_USAGE;
}

// ---- its transpose ----------------------------------------------------------------------------
//
// The stages are those above, the last first.  Where a loop leaves something open, the displacement
// that closes it depends on the stage that can (closing.c): here on the stage that closes the gaps
// of a change of all numbers.

// The transpose of written_positions: weights b->q of the changes of the coordinates become those
// of the written initial values (b->n), quaternions by the turn that their normalisation leaves.
static void written_reverse(const td_model* m, const td_work* w, const double* q, adjoint* b) {
  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    if (!has_quaternion(hop)) continue;
    // 2 vec(Q⁻¹ δQ) / |Q|, the turn of a quaternion that is normalised afterwards
    double x[4] = {0, 0, 0, 0}, size = 0, turn[3] = {0, 0, 0};
    for (int c = 0; c < hop->nq; c++) {
      const double written = w->num[m->pos[hop->q + c].init];
      x[c] = q[hop->q + c];
      size += written * written;
    }
    for (int c = 0; c < hop->nv; c++) turn[c] = 2 * b->q[hop->v + c] / sqrt(size);
    const vec3 v = vec3_of(x + 1), t = vec3_of(turn);
    const vec3 d = vec3_axpy(x[0], t, vec3_cross(v, t));
    const double to[4] = {-vec3_dot(v, t), d.x, d.y, d.z};
    for (int c = 0; c < hop->nq; c++) b->n[m->pos[hop->q + c].init] += to[c];
    for (int c = 0; c < hop->nv; c++) b->q[hop->v + c] = 0;
  }
  for (int v = 0; v < m->nvel; v++) {
    if (m->vel[v].partner >= 0) b->n[m->pos[m->vel[v].partner].init] += b->q[v];
    b->q[v] = 0;
  }
}

// The end of a piece with the weight of its twist.
typedef struct node_end {
  const model_node* node;
  segment_end end;
  spatial bar;
} node_end;

static double end_motion(const td_model* m, td_work* w, void* what) {
  (void)m;
  const node_end* e = what;
  const spatial own = end_change(w, e->node, &e->end);
  return spatial_dot(&e->bar, &own);
}

// Free nodes follow the frame before them (follow_nodes), the last of a rod first.
static void nodes_reverse(const td_model* m, td_work* w, adjoint* b, const bool* held) {
  spatial X = spatial_zero();
  for (int i = m->nnode - 1; i >= 0; i--) {
    const model_node* node = &m->node[i];
    if (held && held[m->pos[node->q].rod]) continue;
    const frame from = td_frame(m, w, node->from), at = td_frame(m, w, node->station);
    const vec3 moved = vec3_of(b->q + node->v),
               turned = mat3_apply(at.R, vec3_of(b->q + node->v + 3));
    X = spatial_add(X, spatial_of(moved, vec3_add(turned, vec3_cross(at.p, moved))));
    for (int k = 0; k < 6; k++) b->q[node->v + k] = 0;

    // its piece
    const pose g = {from.R, from.p};
    node_end e = {node,
                  td_segment_end(w->num + node->strain, w->num + node->rate, w->num[node->length]),
                  wrench_in(&g, &X)};
    const change_rule rule = {end_motion, &e};
    td_unit_numbers(m, w, rule, node->strain, 6, b);
    td_unit_numbers(m, w, rule, node->length, 1, b);

    // the frame that the first of the rod follows
    if (i > 0 && m->node[i - 1].station == node->from) continue;
    const frame_change to = {.p = spatial_t(&X),
                             .turn = vec3_sub(spatial_r(&X), vec3_cross(from.p, spatial_t(&X)))};
    td_frame_reverse(m, w, node->from, &to, b);
    td_vary_reverse(m, w, b);
    X = spatial_zero();
  }
}

static void references_reverse(const td_model* m, td_work* w, adjoint* b) {
  for (int i = 0; i < m->nrow; i++) {
    const model_row* r = &m->row[i];
    if (r->reference < 0) continue;
    const vec3 turn = mat3_apply(td_frame(m, w, r->a).R, b->reference[r->reference]);
    const frame_change to_a = {.turn = vec3_scale(-1, turn)}, to_b = {.turn = turn};
    td_frame_reverse(m, w, r->a, &to_a, b);
    td_frame_reverse(m, w, r->b, &to_b, b);
    b->reference[r->reference] = (vec3){0, 0, 0};
  }
}

static bool is_closed(const td_model* m, const td_work* w, int row) {
  return row_is_projected(m, w, row) && row_has_frames(m->row[row].kind);
}

// Gaps of a change of all numbers that is like no other.
static void generic_gaps(const td_model* m, td_work* w, direction* d, double* e) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double* q = arena_zeros(s, m->nvel);
  const double* kept = d->q;
  for (int i = 0; i < m->nnumber; i++)
    w->dnum[i] = isfinite(w->num[i]) ? sin(1.0 + i * i) * (fabs(w->num[i]) + 1e-3) : 0;
  written_positions(m, w, w->q, q);
  d->q = q;
  td_vary(m, w, d);
  for (int i = 0; i < m->nrow; i++) {
    double unused;
    e[i] = is_closed(m, w, i) ? td_row_along(m, w, i, &unused).e : 0;
  }
  d->q = kept;
  memset(w->dnum, 0, (size_t)m->nnumber * sizeof(double));
  memset(w->dvar, 0, (size_t)m->nvar * sizeof(double));
  memset(d->hop, 0, (size_t)m->nhop * sizeof(hop_change));
  arena_close(s, mark);
}

void td_initial_reverse(const td_model* m, td_work* w, adjoint* b) {
  if (!is_measured(m)) return;
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  const int nv = m->nvel;
  direction* d = w->along;
  const direction kept = *d;
  adjoint own = *b;  // coordinates of the initial geometry, the numbers of the model
  own.q = arena_zeros(s, nv);
  own.v = arena_zeros(s, nv);
  own.a = arena_zeros(s, nv);
  own.F = d->none;
  double *written = arena_doubles(s, m->npos), *e = arena_zeros(s, m->nrow),
         *gaps = arena_zeros(s, m->nrow);
  bool* held = arena_bytes(s, (size_t)m->nrod + 1);
  td_state* state = &w->inner;
  d->q = d->v = d->a = d->accel = d->none;
  d->gravity = false;

  // rods that closing has moved
  td_initial_place(m, w, state);
  place_at(m, w, state);
  memcpy(written, w->q, (size_t)m->npos * sizeof(double));
  memset(held, 0, (size_t)m->nrod + 1);
  for (int i = 0; i < m->nnode; i++)
    for (int k = m->node[i].q; k < m->node[i].q + 7; k++)
      held[m->pos[k].rod] = held[m->pos[k].rod] || w->q_initial[k] != written[k];

  // what is measured
  memcpy(state->q, w->q_initial, (size_t)m->npos * sizeof(double));
  place_at(m, w, state);
  for (int i = 0; i < m->nprobe; i++) {
    const model_probe* p = &m->probe[i];
    if (!sensor_is(p->kind, OF_START) || p->rod > 0) continue;
    const frame a = td_frame(m, w, p->a), c = td_frame(m, w, p->b);
    const vec3 pull = vec3_scale(own.length0[i], axial_at(&a, &c).n);
    const frame_change to_a = {.p = vec3_scale(-1, pull)}, to_b = {.p = pull};
    td_frame_reverse(m, w, p->a, &to_a, &own);
    td_frame_reverse(m, w, p->b, &to_b, &own);
  }
  td_forces_prepare_reverse(m, w, &own);
  td_vary_reverse(m, w, &own);

  // closed, and the nodes of rods that are in no loop behind what carries them
  if (m->nrow > m->ntaut && !w->open_loops) {
    if (m->nnode > 0) nodes_reverse(m, w, &own, held);
    generic_gaps(m, w, d, e);
    if (td_close_gaps_reverse(m, w, e, own.q, gaps))
      for (int i = 0; i < m->nrow; i++) {
        if (!is_closed(m, w, i)) continue;
        td_row_reverse(m, w, i, gaps[i], 0, 0, &own);
        if (m->row[i].target == TARGET_CONTROL) own.row_zero[i] -= gaps[i];
      }
    td_vary_reverse(m, w, &own);
  }
  td_motion_reverse(m, w, &own);

  // before the loops are closed
  memcpy(state->q, written, (size_t)m->npos * sizeof(double));
  place_at(m, w, state);
  for (int i = 0; i < m->nrow; i++) {
    const row_value bar = {.e = own.row_zero[i]};
    if (bar.e != 0) td_row_table[m->row[i].kind]->reverse(m, w, i, &bar, &own);
    own.row_zero[i] = 0;
  }
  references_reverse(m, w, &own);
  td_vary_reverse(m, w, &own);
  if (m->nnode > 0) nodes_reverse(m, w, &own, NULL);
  td_motion_reverse(m, w, &own);
  written_reverse(m, w, w->q, &own);

  *d = kept;
  w->placed = false;
  arena_close(s, mark);
}
