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

// Compute weights of columns, fixed poses of hops and stations, and unit axes from the numbers of
// the model.
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

// Sum the inertias of bodies and lumps in the frame of the hop that carries them; the symmetric
// part of a body's tensor counts.  Masses on the ground are left out.
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

  // lumps of rods and meshes
  for (int i = 0; i < m->nlump; i++) {
    const model_lump* b = &m->lump[i];
    const int hop = m->station[b->station].hop;
    if (hop < 0) continue;
    mat3 I;
    for (int k = 0; k < 9; k++) I.m[k] = w->num[b->I + k];
    const inertia body = inertia_body(w->num[b->m], vec3_of(w->num + b->com), I);
    w->hop_inertia[hop] =
        inertia_add(w->hop_inertia[hop], inertia_move(w->station_fix[b->station], body));
  }

  // hops with any inertia at all, then the fluid
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

// Free nodes of rods follow from the frame before them; those of rods in `held` (from 1, NULL:
// none) stay where they are.
static void place_nodes(const td_model* m, td_work* w, td_state* state, const bool* held) {
  for (int i = 0; i < m->nnode; i++) {
    const model_node* node = &m->node[i];
    if (held && held[m->pos[node->q].rod]) continue;
    const segment_end end =
        td_segment_end(w->num + node->strain, w->num + node->rate, w->num[node->length]);
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

void td_initial_place(const td_model* m, td_work* w, td_state* state) {
  initial_positions(m, w, state);
  place_nodes(m, w, state, NULL);
}

// Measure, at the written initial values before the loops are closed: relative rotations that loops
// keep (reference), the value of each row that counts as its zero (row_zero), the first turn of
// screws (row_angle), and the start of controlled rows (target).
static void measure_references(const td_model* m, td_work* w) {
  // relative rotation of the frames of each row that keeps one
  for (int i = 0; i < m->nrow; i++) {
    const model_row* r = &m->row[i];
    const frame a = td_frame(m, w, r->a), b = td_frame(m, w, r->b);
    if (r->reference >= 0)
      w->reference[r->reference] = quat_mat3(mat3_mul(mat3_transpose(a.R), b.R));
  }
  for (int i = 0; i < m->nrow; i++) {
    // values are measured without zero and turn of their own, which are set from them
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

// Renew everything that follows from parameters, unless nothing has changed since the last call:
// numbers, poses and masses; then the initial configuration, with loops closed, which gives
// references and rest values.  Cables touch at the first call only.
void td_prepare(const td_model* m, td_work* w) {
  if (!w->dirty) return;
  w->dirty = w->placed = false;
  w->prepared++;

  // numbers that follow parameters
  memcpy(w->num, m->number, (size_t)m->nnumber * sizeof(double));
  td_tape_eval(m->param_tape, w->vars, w->scratch_tape, w->partial);
  for (int i = 0; i < m->nparam_slot; i++) w->num[m->param_slot[i]] = w->partial[i];
  for (int i = 0; i < m->ninternal; i++) w->inner_z[i] = w->num[m->internal[i].init];

  // constants of the tree
  prepare_tree(m, w);
  prepare_masses(m, w);
  td_strain_prepare(m, w);

  // written initial values, with references measured before the loops are closed
  td_state* state = &w->inner;
  td_initial_place(m, w, state);
  td_place(m, state, w);
  memcpy(state->q, w->q, (size_t)m->npos * sizeof(double));
  measure_references(m, w);

  // closed configuration, and rest values measured there
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

void td_prescribe(const td_model* m, td_work* w, td_state* state) {
  if (m->nmotion_slot == 0) return;
  td_prepare(m, w);
  if (state->t != w->t) w->placed = false;  // its numbers are those of another time now
  td_place_motion(m, w, state->t, state->q, state->v);
}

void td_taut_touching(const td_model* m, const td_state* state, td_work* w) {
  if (m->ntaut == 0) return;
  td_prepare(m, w);
  td_place(m, state, w);
  for (int i = 0; i < m->ncable; i++)
    if (m->cable[i].row >= 0)
      w->cable[i].slack = td_taut_gap(m, w, i).e > GAP_CLOSED * w->cable[i].zero;
}
