// How large the robot is, how far its rods are pressed together and how far their segments are
// folded, at the state that was placed last: what the verdict on a simulation is measured by.
#include <math.h>

#include "engine/stages.h"

double td_least_stretch(const td_model* m, const td_work* w, const char** rod) {
  double least = INFINITY;
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    if (f->rod == 0) continue;  // without a rod: a cable over a joint
    double x[6];
    td_strains(m, w, f, x);
    if (1 + x[2] >= least) continue;
    least = 1 + x[2];
    *rod = model_name(m, m->rod[f->rod - 1].name);
  }
  return least;
}

double td_largest_strain(const td_model* m, const td_work* w, const char** rod) {
  double most = 0;
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    if (f->rod == 0 || f->stored) continue;
    double x[6];
    td_strains(m, w, f, x);
    for (int d = 0; d < 3; d++) {
      if (fabs(x[d]) <= most) continue;
      most = fabs(x[d]);
      *rod = model_name(m, m->rod[f->rod - 1].name);
    }
  }
  return most;
}

double td_largest_fold(const td_model* m, const td_state* state, td_work* w, int* node) {
  double most = 0;
  if (m->nnode == 0) return 0;
  td_prepare(m, w);
  td_place(m, state, w);
  for (int i = 0; i < m->nnode; i++) {
    const frame a = td_frame(m, w, m->node[i].from), b = td_frame(m, w, m->node[i].station);
    const quat q = quat_mat3(mat3_mul(mat3_transpose(a.R), b.R));
    const double angle = 2 * atan2(vec3_norm(q.v), fabs(q.w));
    if (angle <= most) continue;
    most = angle;
    *node = i;
  }
  return most;
}

int td_fold_segment(const td_model* m, int node, const char** name) {
  const int rod = m->pos[m->node[node].q].rod;
  int number = 1;
  for (int i = 0; i < node; i++) number += m->pos[m->node[i].q].rod == rod;
  *name = model_name(m, m->rod[rod - 1].name);
  return number;
}

// Whether two stations are turned against each other by more than `most`.
static bool is_turned(const td_model* m, const td_work* w, int a, int b, double most,
                      double* angle) {
  const frame from = td_frame(m, w, a), to = td_frame(m, w, b);
  double trace = 0;  // 1 + 2 cos(angle)
  for (int i = 0; i < 9; i++) trace += from.R.m[i] * to.R.m[i];
  if (!(trace < 1 + 2 * cos(most))) return false;
  const quat q = quat_mat3(mat3_mul(mat3_transpose(from.R), to.R));
  *angle = 2 * atan2(vec3_norm(q.v), fabs(q.w));
  return true;
}

// A beam that is measured in the frame half-way between its ends, and no piece of a rod or cable.
static bool is_mid_beam(const model_strain* f) {
  return f->rod == 0 && f->kind == STRAIN_SEGMENT && f->ncrossing == 0;
}

static bool has_beams(const td_model* m) {
  bool any = m->nbeam > 0;
  for (int i = 0; i < m->nstrain && !any; i++) any = is_mid_beam(&m->strain[i]);
  return any;
}

// The joint or mesh of a beam whose ends are turned by more than `most`; -1: none.  At half a turn
// its rotations come back on the other side and its energy jumps.
static int turned_beam(const td_model* m, const td_work* w, double most, double* angle) {
  for (int i = 0; i < m->nbeam; i++) {
    const model_beam* f = &m->beam[i];
    bool turns = false;
    for (int d = 3; d < 6; d++)
      turns = turns || (f->law[d].k != NUM_NONE && w->num[f->law[d].k] != 0) ||
              (f->law[d].mu != NUM_NONE && w->num[f->law[d].mu] != 0);
    if (turns && is_turned(m, w, f->a, f->b, most, angle)) return f->name;
  }
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    if (is_mid_beam(f) && is_turned(m, w, f->a, f->b, most, angle)) return f->name;
  }
  return -1;
}

// Whether the frames are placed at positions so near that nothing is turned by more than a fraction
// of `margin` in between: coordinates are angles, strains of rods and halves of angles.
static bool is_placed_near(const td_model* m, const td_state* state, const td_work* w,
                           double margin) {
  double sum = 0;
  if (!w->placed || w->dirty) return false;
  for (int i = 0; i < m->npos; i++) sum += fabs(w->q[i] - state->q[i]);
  return sum < 0.1 * margin;
}

td_status td_refuse_folds(const td_model* m, const td_state* state, td_work* w) {
  static const double margin = 0.3;  // [rad]
  int node;
  const char* rod;
  double turned;
  const bool beams = has_beams(m);
  if (!beams && m->nnode == 0) return TD_OK;

  // the last evaluation of a step is near its end: as a rule its frames show that nothing folds
  if (is_placed_near(m, state, w, margin)) {
    const double most = TD_MOST_FOLD - margin;
    bool near = beams && turned_beam(m, w, most, &turned) >= 0;
    for (int i = 0; i < m->nnode && !near; i++)
      near = is_turned(m, w, m->node[i].from, m->node[i].station, most, &turned);
    if (!near) return TD_OK;
  }
  if (beams) {
    td_prepare(m, w);
    td_place(m, state, w);
    const int name = turned_beam(m, w, TD_MOST_FOLD, &turned);
    if (name >= 0) {
      td_work_fail(w,
                   "the ends of %s are turned by %.3g rad against each other; a beam measures "
                   "rotations of less than half a turn: turn the frame of one end (tr, tr2nd), or "
                   "use a rod",
                   model_name(m, name), turned);
      return TD_E_DIVERGED;
    }
  }
  const double angle = td_largest_fold(m, state, w, &node);
  if (angle <= TD_MOST_FOLD) return TD_OK;
  const int number = td_fold_segment(m, node, &rod);
  td_work_fail(w, TD_FOLDED, number, rod, angle);
  return TD_E_DIVERGED;
}
