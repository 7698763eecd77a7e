// Constants that follow from the parameters: fixed poses, axes, inertias; then the initial
// geometry, which gives rest values marked nan, references of loops and the zero of fixed
// directions.
#include <math.h>
#include <string.h>

#include "elem/link.h"
#include "elem/segment.h"
#include "engine/hop_strain.h"
#include "engine/stages.h"
#include "engine/taut.h"
#include "model/fix_pose.h"

static pose fixed_pose(const td_model* m, const td_work* w, int fix, int nfix) {
  pose g = pose_identity();
  for (int i = fix; i < fix + nfix; i++) {
    const model_fix* f = &m->fix[i];
    const pose step = {fix_rotation(f, f->rot == NUM_NONE ? NULL : w->num + f->rot),
                       vec3_of(w->num + f->trans)};
    g = pose_mul(g, step);
  }
  return g;
}

static int principal(vec3 a) {
  for (int k = 0; k < 3; k++)
    if (vec3_at(a, k) == 1) return k;
  return -1;
}

static void prepare_tree(const td_model* m, td_work* w) {
  for (int i = 0; i < m->ncol; i++) {
    w->col_weight[i] = m->col[i].weight == NUM_NONE ? 1 : w->num[m->col[i].weight];
    w->col_slope[i] = m->col[i].slope == NUM_NONE ? 0 : w->num[m->col[i].slope];
  }
  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    w->hop_fix[i] = fixed_pose(m, w, hop->fix, hop->nfix);
    w->hop_inertia[i] = inertia_zero();
    if (hop->axis == NUM_NONE) continue;
    const vec3 a = vec3_of(w->num + hop->axis);
    w->hop_axis[i] = vec3_scale(1 / vec3_norm(a), a);
    w->hop_principal[i] = principal(w->hop_axis[i]);
  }
  td_node_prepare(m, w);
  for (int i = 0; i < m->nstation; i++)
    w->station_fix[i] = fixed_pose(m, w, m->station[i].fix, m->station[i].nfix);
}

static void prepare_masses(const td_model* m, td_work* w) {
  for (int i = 0; i < m->nbody; i++) {
    const model_body* b = &m->body[i];
    const int hop = m->station[b->station].hop;
    if (hop < 0) continue;
    mat3 I;
    for (int k = 0; k < 9; k++)
      I.m[k] = 0.5 * (w->num[b->I + k] + w->num[b->I + 3 * (k % 3) + k / 3]);
    const inertia body = inertia_body(w->num[b->m], vec3_of(w->num + b->com), I);
    w->hop_inertia[hop] =
        inertia_add(w->hop_inertia[hop], inertia_move(w->station_fix[b->station], body));
  }
  for (int i = 0; i < m->nlump; i++) {
    const model_lump* b = &m->lump[i];
    const int hop = m->station[b->station].hop;
    mat3 I;
    for (int k = 0; k < 9; k++) I.m[k] = w->num[b->I + k];
    const inertia body = inertia_body(w->num[b->m], vec3_of(w->num + b->com), I);
    w->hop_inertia[hop] =
        inertia_add(w->hop_inertia[hop], inertia_move(w->station_fix[b->station], body));
  }
  for (int i = 0; i < m->nhop; i++) {
    const inertia* I = &w->hop_inertia[i];
    double sum = fabs(I->m) + vec3_dot(I->mc, I->mc);
    for (int k = 0; k < 9; k++) sum += fabs(I->I.m[k]);
    w->hop_heavy[i] = sum > 0;
  }
  td_fluid_prepare(m, w);
}

// ---- initial geometry -------------------------------------------------------------------------

static void initial_positions(const td_model* m, td_work* w, td_state* state) {
  state->t = m->settings[0];
  for (int i = 0; i < m->npos; i++) state->q[i] = w->num[m->pos[i].init];
  for (int i = 0; i < m->nvel; i++) state->v[i] = 0;
  td_normalise(m, state->q);
}

static segment_end node_end(const td_work* w, const model_node* node) {
  return td_segment_end(w->num + node->strain, w->num + node->rate, w->num[node->length]);
}

// Free nodes of rods follow from the frame before them; those of rods in `held` (from 1, NULL:
// none) stay where they are.
static void place_nodes(const td_model* m, td_work* w, td_state* state, const bool* held) {
  for (int i = 0; i < m->nnode; i++) {
    const model_node* node = &m->node[i];
    if (held && held[m->pos[node->q].rod]) continue;
    const segment_end end = node_end(w, node);
    if (i == 0 || m->node[i - 1].station != node->from) td_place(m, state, w);
    const frame from =
        i > 0 && m->node[i - 1].station == node->from
            ? (frame){.R = mat3_quat((quat){state->q[m->node[i - 1].q + 3],
                                            vec3_of(state->q + m->node[i - 1].q + 4)}),
                      .p = vec3_of(state->q + m->node[i - 1].q)}
            : td_frame(m, w, node->from);
    const quat turned = quat_mul(quat_mat3(from.R), quat_mat3(end.g.R));
    vec3_put(state->q + node->q, vec3_add(from.p, mat3_apply(from.R, end.g.p)));
    state->q[node->q + 3] = turned.w;
    vec3_put(state->q + node->q + 4, turned.v);
  }
}

// They start with the motion of what they are held by, and the strain rates on top of it.
static void start_nodes(const td_model* m, td_work* w, td_state* state) {
  for (int i = 0; i < m->nnode; i++) {
    const model_node* node = &m->node[i];
    td_place(m, state, w);
    const segment_end end = node_end(w, node);
    const frame from = td_frame(m, w, node->from), at = td_frame(m, w, node->station);
    const vec3 carried = vec3_add(from.v, vec3_cross(from.w, vec3_sub(at.p, from.p)));
    vec3_put(state->v + node->v, vec3_add(carried, mat3_apply(at.R, end.v)));
    vec3_put(state->v + node->v + 3, vec3_add(mat3_apply_t(at.R, from.w), end.w));
  }
}

// Where fixed directions and loop frames stand before the loops are closed.
static void measure_references(const td_model* m, td_work* w) {
  for (int i = 0; i < m->nrow; i++) {
    const model_row* r = &m->row[i];
    const frame a = td_frame(m, w, r->a), b = td_frame(m, w, r->b);
    if (r->reference >= 0)
      w->reference[r->reference] = quat_mat3(mat3_mul(mat3_transpose(a.R), b.R));
  }
  for (int i = 0; i < m->nrow; i++) {
    w->row_zero[i] = w->row_angle[i] = NAN;  // of a screw: its first turn begins here
    const row_value v = td_row_at(m, w, i);
    w->row_zero[i] = v.e;
    if (m->row[i].pitch != NUM_NONE) w->row_angle[i] = v.theta - td_screw_angle(m, w, i);
    if (m->row[i].target == TARGET_CONTROL) {
      w->target[2 * m->row[i].target_index] = v.e;
      w->target[2 * m->row[i].target_index + 1] = v.ed;
    }
  }
}

static void measure_rest(const td_model* m, td_work* w) {
  td_forces_prepare(m, w);
  for (int i = 0; i < m->nprobe; i++) {
    const model_probe* p = &m->probe[i];
    if (!sensor_is(p->kind, OF_START) || p->rod > 0) continue;
    const frame a = td_frame(m, w, p->a), b = td_frame(m, w, p->b);
    w->length0[i] = axial_at(&a, &b).L;
  }
}

// Loops are closed before cables are pulled: their lengths are measured then.
static void close_loops(const td_model* m, td_work* w, td_state* state) {
  const arena_mark mark = arena_open(&w->scratch);
  bool* slack = arena_bytes(&w->scratch, (size_t)m->ncable);
  for (int i = 0; i < m->ncable; i++) {
    slack[i] = w->cable[i].slack;
    w->cable[i].slack = true;
  }
  w->open_loops = m->nrow > m->ntaut && td_close_loops(m, state, w, 1e-11) != TD_OK;
  for (int i = 0; i < m->ncable; i++) w->cable[i].slack = slack[i];
  arena_close(&w->scratch, mark);
}

// Loops closed; the nodes of rods that are in none follow what carries their rod.
static void close_and_follow(const td_model* m, td_work* w, td_state* state) {
  const arena_mark mark = arena_open(&w->scratch);
  double* q = arena_doubles(&w->scratch, m->npos);
  bool* moved = arena_bytes(&w->scratch, (size_t)m->nrod + 1);
  memcpy(q, state->q, (size_t)m->npos * sizeof(double));
  memset(moved, 0, (size_t)m->nrod + 1);
  close_loops(m, w, state);
  memset(w->rod_moved, 0, (size_t)(m->nrod + 1) * sizeof(double));
  for (int i = 0; i < m->npos; i++)
    if (m->pos[i].rod > 0 && m->pos[i].dof <= 3)
      w->rod_moved[m->pos[i].rod] = fmax(w->rod_moved[m->pos[i].rod], fabs(state->q[i] - q[i]));
  for (int i = 0; i < m->nnode; i++)
    for (int k = m->node[i].q; k < m->node[i].q + 7; k++)
      moved[m->pos[k].rod] = moved[m->pos[k].rod] || state->q[k] != q[k];
  if (m->nrow > 0) place_nodes(m, w, state, moved);
  arena_close(&w->scratch, mark);
}

void td_prepare(const td_model* m, td_work* w) {
  if (!w->dirty) return;
  w->dirty = w->placed = false;
  w->prepared++;
  memcpy(w->num, m->number, (size_t)m->nnumber * sizeof(double));
  td_tape_eval(m->param_tape, w->vars, w->scratch_tape, w->partial);
  for (int i = 0; i < m->nparam_slot; i++) w->num[m->param_slot[i]] = w->partial[i];
  for (int i = 0; i < m->ninternal; i++) w->inner_z[i] = w->num[m->internal[i].init];
  prepare_tree(m, w);
  prepare_masses(m, w);
  td_strain_prepare(m, w);

  td_state* state = &w->inner;
  initial_positions(m, w, state);
  place_nodes(m, w, state, NULL);
  td_place(m, state, w);
  memcpy(state->q, w->q, (size_t)m->npos * sizeof(double));
  measure_references(m, w);
  close_and_follow(m, w, state);
  memcpy(w->q_initial, state->q, (size_t)m->npos * sizeof(double));
  td_place(m, state, w);
  measure_rest(m, w);
  if (w->prepared == 1) td_taut_touching(m, state, w);
}

void td_enter(const td_model* m, const td_state* state, td_work* w) {
  td_prepare(m, w);
  td_place(m, state, w);
  td_numbers(m, state, w);
}

// What is prescribed moves at the start, but the loops do not allow it: their rows are left with a
// rate that no motion of the rest takes away.  The state is that just before the start.
static td_status judge_rates(const td_model* m, td_work* w, const td_state* state) {
  bool given = m->nfree_v < m->nvel || m->strains_timed;
  double most = 0, left = 0;
  td_place(m, state, w);
  for (int i = 0; i < m->nvel; i++) most = fmax(most, fabs(state->v[i]));
  // strains given over time move their rod, whose velocities need not
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
  if (!given || !(left > fmax(1e-7 * most, 1e-12))) return TD_OK;  // below it is rounding
  // a straight rod is pushed out of its singular position by buckling
  if (!m->sparse &&
      td_constraint_rank_around(m, state, w, NULL) > td_constraint_rank(m, state, w, NULL))
    return TD_OK;
  td_report_unfollowed(m, w, state, m->settings[0], true);
  return TD_E_MODEL;
}

// Velocities that the rows allow.  Rows of joint.control keep the rates that are written, as long
// as the loops allow these; otherwise they begin with what the loops leave of all that is written.
static td_status start_rates(const td_model* m, td_work* w, td_state* state) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double *written = arena_doubles(s, m->nvel), *e = arena_doubles(s, m->nrow), most = 0;
  memcpy(written, state->v, (size_t)m->nvel * sizeof(double));
  for (int i = 0; i < m->nvel; i++) most = fmax(most, fabs(written[i]));
  td_target_initial(m, state, w, w->target);
  td_status status = td_taut_free(m, state, w);
  if (status == TD_OK && m->ntarget > 0) {
    td_place(m, state, w);
    if (td_row_errors(m, w, true, e) > fmax(1e-7 * most, 1e-12)) {  // below it is rounding
      memcpy(state->v, written, (size_t)m->nvel * sizeof(double));
      w->free_control = true;
      status = td_taut_free(m, state, w);
      w->free_control = false;
      td_target_initial(m, state, w, w->target);
    }
  }
  // sparse factors leave up to 1e-8 of what was taken away, which is much at the start alone
  if (status == TD_OK && m->sparse) status = td_taut_free(m, state, w);
  arena_close(s, mark);
  return status;
}

// joint.control asks for accelerations at the start that the mechanism cannot have: there is no v'
// with J v' = drive.  What comes nearest depends on how rows of metres and radians are weighed.
static td_status judge_control(const td_model* m, td_work* w, const td_state* state) {
  static const double followed = 1e-6;  // part of the drive that may be left over
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double *drive = arena_zeros(s, m->nrow), *rate = arena_doubles(s, m->nrow);
  double *impulse = arena_doubles(s, m->nrow), most = 0, left = 0;
  td_state moved = {
      .t = state->t, .q = state->q, .v = arena_zeros(s, m->nvel), .u = state->u, .z = state->z};
  int worst = -1;
  td_status status = TD_OK;
  if (td_trial_dynamics(m, state, w) == TD_OK) {
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
  // a singular position is passed by motion
  if (left > followed * most && (m->sparse || td_constraint_rank_around(m, state, w, NULL) ==
                                                  td_constraint_rank(m, state, w, NULL))) {
    td_work_fail(w, TD_UNFOLLOWED_CONTROL, state->t, td_model_constraint_name(m, worst), left,
                 row_is_length(m->row[worst].kind) ? "m/s^2" : "rad/s^2");
    status = TD_E_MODEL;
  }
  arena_close(s, mark);
  return status;
}

// The accelerations at a state that no v' gives to the rows,  J v' + J' v = drive:  the largest of
// them and its row; 0 where it is rounding.
static double missed(const td_model* m, td_work* w, const td_state* state, int* worst) {
  // parts of J' v and of v' that may be left over; rounding is 1e-4 and 1e-11 of them
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

// In a singular position rows forbid to second order what they allow to first: a straight rod that
// cannot stretch does not bend between two places that are held.  Where the start has such rates no
// v' keeps all rows, what comes nearest depends on how the rows are weighed, and motion would lose
// the energy of these rates.  What rows miss at rest too is due to prescribed motion, by which rods
// buckle.
static td_status judge_singular_rates(const td_model* m, td_work* w, const td_state* state) {
  const arena_mark mark = arena_open(&w->scratch);
  const td_state rest = {.t = state->t,
                         .q = state->q,
                         .v = arena_zeros(&w->scratch, m->nvel),
                         .u = state->u,
                         .z = state->z};
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
  // velocities are those just before: prescribed ones may jump right at the start
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
  w->open_tables = w->placed = false;
  state->t = t;
  for (int i = 0; i < m->nvel && m->nfree_v < m->nvel; i++)
    if (m->vel[i].motion != NUM_NONE) state->q[m->vel[i].partner] = w->q_initial[m->vel[i].partner];
  // cables cannot push; where that cannot be told, as without masses, all that touch are taut
  if (status == TD_OK && td_taut_choose(m, state, w) != TD_OK) {
    td_taut_touching(m, state, w);
    w->failure[0] = 0;
  }
  if (status == TD_OK && m->ntarget > 0) status = judge_control(m, w, state);
  if (status == TD_OK && m->nrow > m->ntaut && m->ntarget == 0 && !m->sparse)
    status = judge_singular_rates(m, w, state);
  return status;
}
