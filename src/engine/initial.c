// The initial state: velocities that satisfy the constraints and follow prescribed motion, which
// inextensible cables are taut, and checks that motions, controls and rates at the start can be
// followed at all.
#include <math.h>
#include <string.h>

#include "elem/segment.h"
#include "engine/stages.h"
#include "engine/taut.h"

// Velocities of the free nodes of rods: the motion of the frame that carries them plus their
// initial strain rates.
static void start_nodes(const td_model* m, td_work* w, td_state* state) {
  for (int i = 0; i < m->nnode; i++) {
    const model_node* node = &m->node[i];
    td_place(m, state, w);
    const segment_end end =
        td_segment_end(w->num + node->strain, w->num + node->rate, w->num[node->length]);
    const frame from = td_frame(m, w, node->from), at = td_frame(m, w, node->station);
    const vec3 carried = vec3_add(from.v, vec3_cross(from.w, vec3_sub(at.p, from.p)));
    vec3_put(state->v + node->v, vec3_add(carried, mat3_apply(at.R, end.v)));
    vec3_put(state->v + node->v + 3, vec3_add(mat3_apply_t(at.R, from.w), end.w));
  }
}

// Refuse prescribed motion that moves at the start but that the loops do not allow: their rows keep
// a rate error which no motion of the other coordinates removes.  The state is that just before the
// start.
static td_status judge_rates(const td_model* m, td_work* w, const td_state* state) {
  bool given = m->nfree_v < m->nvel || m->strains_timed;
  double most = 0, left = 0;
  td_place(m, state, w);
  for (int i = 0; i < m->nvel; i++) most = fmax(most, fabs(state->v[i]));

  // time-dependent strains move their rod although its velocities may be zero
  for (int i = 0; i < m->nhop && m->strains_timed; i++)
    most = fmax(most, sqrt(spatial_dot(&w->hop[i].V, &w->hop[i].V)));

  for (int i = 0; i < m->nrow; i++) {
    double e, rate;
    if (!m->row[i].projected || !row_has_frames(m->row[i].kind)) continue;
    td_row_target(m, w, i, &e, &rate);
    given = given || m->row[i].target == TARGET_MOTION;
    most = fmax(most, fabs(rate));
    left = fmax(left, fabs(td_row_at(m, w, i).ed - rate));
  }

  if (!given || !(left > fmax(1e-7 * most, 1e-12))) return TD_OK;  // a smaller error is rounding

  // a straight rod is pushed out of its singular position by buckling
  if (!m->sparse &&
      td_constraint_rank_around(m, state, w, NULL) > td_constraint_rank(m, state, w, NULL))
    return TD_OK;
  td_report_unfollowed(m, w, state, m->settings[0], true);
  return TD_E_MODEL;
}

// Project the initial velocities onto the constraints.  Rows of joint.control keep the rates of the
// model text as long as the loops allow them; otherwise they start with what the projection of the
// other rows leaves.
static td_status start_rates(const td_model* m, td_work* w, td_state* state) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double *written = arena_doubles(s, m->nvel), *e = arena_doubles(s, m->nrow), most = 0;
  memcpy(written, state->v, (size_t)m->nvel * sizeof(double));
  for (int i = 0; i < m->nvel; i++) most = fmax(most, fabs(written[i]));
  td_target_initial(m, state, w, w->target);

  // with the controlled rows, then without them where that fails
  td_status status = td_taut_free(m, state, w);
  if (status == TD_OK && m->ntarget > 0) {
    td_place(m, state, w);
    if (td_row_errors(m, w, true, e) > fmax(1e-7 * most, 1e-12)) {  // a smaller error is rounding
      memcpy(state->v, written, (size_t)m->nvel * sizeof(double));
      w->free_control = true;
      status = td_taut_free(m, state, w);
      w->free_control = false;
      td_target_initial(m, state, w, w->target);
    }
  }

  // sparse factors leave up to 1e-8 of the error, which a second projection removes
  if (status == TD_OK && m->sparse) status = td_taut_free(m, state, w);
  arena_close(s, mark);
  return status;
}

// Refuse joint.control that requests accelerations at the start which the mechanism cannot have: no
// v' satisfies J v' = drive, and the nearest one would depend on how rows in metres and radians are
// weighted.
static td_status judge_control(const td_model* m, td_work* w, const td_state* state) {
  static const double followed = 1e-6;  // relative acceleration error that may remain
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double *drive = arena_zeros(s, m->nrow), *rate = arena_doubles(s, m->nrow);
  double *impulse = arena_doubles(s, m->nrow), most = 0, left = 0;
  td_state moved = {
      .t = state->t, .q = state->q, .v = arena_zeros(s, m->nvel), .u = state->u, .z = state->z};
  int worst = -1;

  // drives of the controlled rows at the start
  td_status status = TD_OK;

  if (td_trial_dynamics(m, state, w) == TD_OK) {
    // impulses that would change the rows' rates by the drives, and what they miss
    for (int i = 0; i < m->nrow; i++)
      if (m->row[i].target == TARGET_CONTROL) drive[i] = w->num[m->row[i].control];
    for (int i = 0; i < m->nrow; i++) most = fmax(most, fabs(drive[i]));
    td_place(m, &moved, w);
    for (int i = 0; i < m->nrow; i++) rate[i] = td_row_at(m, w, i).ed;
    td_place(m, state, w);
    if (most > 0 && td_impulse(m, w, drive, moved.v, impulse) == TD_OK) {
      td_place(m, &moved, w);
      for (int i = 0; i < m->nrow; i++) {
        const double miss = fabs(td_row_at(m, w, i).ed - rate[i] - drive[i]);
        if (!row_is_off(m, w, i) && miss > left) left = miss, worst = i;
      }
    }
  }

  w->failure[0] = 0;

  // in a singular position motion itself brings the missing directions
  if (left > followed * most && (m->sparse || td_constraint_rank_around(m, state, w, NULL) ==
                                                  td_constraint_rank(m, state, w, NULL))) {
    td_work_fail(w, TD_UNFOLLOWED_CONTROL, state->t, td_model_constraint_name(m, worst), left,
                 row_is_length(m->row[worst].kind) ? "m/s^2" : "rad/s^2");
    status = TD_E_MODEL;
  }

  arena_close(s, mark);
  return status;
}

// Largest |J v' + J' v - drive| that the forward dynamics leaves at a state, and its row; 0 where
// it is rounding.
static double missed(const td_model* m, td_work* w, const td_state* state, int* worst) {
  // relative to J' v and to v'; rounding is 1e-4 and 1e-11 of them
  static const double followed = 1e-3, rounded = 1e-9;
  double most = 0, left = 0, size = 1e-3;

  if (td_trial_dynamics(m, state, w) != TD_OK) {
    w->failure[0] = 0;
    return 0;
  }

  const arena_mark mark = arena_open(&w->scratch);
  double *none = arena_zeros(&w->scratch, m->nvel), *vdot = arena_doubles(&w->scratch, m->nvel);
  memcpy(vdot, w->vdot, (size_t)m->nvel * sizeof(double));
  for (int i = 0; i < m->nvel; i++) size = fmax(size, fabs(vdot[i]));

  // without v' the rows miss J' v, with v' the remaining error
  for (int with = 0; with < 2; with++) {
    td_accelerate(m, w, with ? vdot : none, false);
    for (int i = 0; i < m->nrow; i++) {
      const row_value at = td_row_at(m, w, i);
      const double miss = fabs(at.edd - td_row_drive(m, w, i, &at));
      if (row_is_off(m, w, i)) continue;
      if (!with) most = fmax(most, miss);
      if (with && miss > left) left = miss, *worst = i;
    }
  }

  arena_close(&w->scratch, mark);
  w->placed = false;
  w->t = NAN;
  return left > fmax(followed * most, rounded * size) ? left : 0;
}

// Refuse initial rates in a singular position that cannot go on.  There rows forbid to second order
// what they allow to first: a straight rod that cannot stretch does not bend between two fixed
// places.  With such rates no v' satisfies all rows, the nearest one would depend on how rows are
// weighted, and the motion would lose the energy of the rates.  Errors that remain at rest, too,
// are due to prescribed motion, by which rods buckle.
static td_status judge_singular_rates(const td_model* m, td_work* w, const td_state* state) {
  const arena_mark mark = arena_open(&w->scratch);
  td_state rest = *state;
  rest.v = arena_zeros(&w->scratch, m->nvel);

  // errors with the initial rates that are absent at rest
  int row = -1, other;
  const double left = missed(m, w, state, &row);
  const bool refused = left > 0 && missed(m, w, &rest, &other) < 0.5 * left;
  arena_close(&w->scratch, mark);
  if (!refused) return TD_OK;
  td_work_fail(w,
               "the loop of %s starts in a singular position with rates that cannot go on: %s is "
               "left with %.3g %s; let it start at rest or beside that position, or give straight "
               "rods a stretch (rod.order)",
               model_name(m, m->joint[m->row[row].joint - 1].name),
               td_model_constraint_name(m, row), left,
               row_is_length(m->row[row].kind) ? "m/s^2" : "rad/s^2");
  return TD_E_MODEL;
}

// The state at the start of a simulation, with velocities just before it.
td_status td_state_initial(const td_model* m, td_work* w, td_state* state) {
  if (!model_has(m, state, w)) return TD_E_USAGE;
  td_prepare(m, w);
  state->t = m->settings[0];
  memcpy(state->q, w->q_initial, (size_t)m->npos * sizeof(double));
  for (int i = 0; i < m->nvel; i++) state->v[i] = w->num[m->vel[i].init];
  for (int i = 0; i < m->ninput; i++) state->u[i] = m->input[i].value;
  for (int i = 0; i < m->ninternal; i++) state->z[i] = w->num[m->internal[i].init];
  if (state->memory != NULL && model_memory(m) > 0)  // controllers start anew
    memset(state->memory, 0, (size_t)model_memory(m) * sizeof(double));

  // velocities just before the start, since prescribed ones may jump there, on the constraints
  const double t = state->t;
  state->t -= td_jump_margin(t, m->settings[1] - t);
  w->open_tables = true;
  td_prescribe(m, w, state);
  start_nodes(m, w, state);
  td_status status = w->open_loops ? TD_E_DIVERGED : TD_OK;
  if (status == TD_OK && m->nrow > 0) {
    status = start_rates(m, w, state);
    if (status == TD_OK) status = judge_rates(m, w, state);
  }

  // prescribed positions are those of the start itself
  w->open_tables = w->placed = false;
  state->t = t;
  for (int i = 0; i < m->nvel && m->nfree_v < m->nvel; i++)
    if (m->vel[i].motion != NUM_NONE) state->q[m->vel[i].partner] = w->q_initial[m->vel[i].partner];

  // cables that would push are slack; where tensions cannot be computed, as without masses, all
  // with closed gaps are taut
  if (status == TD_OK && td_taut_choose(m, state, w) != TD_OK) {
    td_taut_touching(m, state, w);
    w->failure[0] = 0;
  }

  // checks at the start
  if (status == TD_OK && m->ntarget > 0) status = judge_control(m, w, state);
  if (status == TD_OK && m->nrow > m->ntaut && m->ntarget == 0 && !m->sparse)
    status = judge_singular_rates(m, w, state);
  return status;
}
