// Measures of a placed state by which models and simulations are judged: how large it is, how much
// rods are stretched or compressed, and how far segments of rods and beams are folded.
#include <math.h>

#include "engine/stages.h"

// Least stretch 1 + x_3 of all pieces of rods, and the name of that rod; infinity without rods.
double td_least_stretch(const td_model* m, const td_work* w, const char** rod) {
  double least = INFINITY;

  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    if (f->rod == 0) continue;  // a cable over a joint belongs to no rod
    double x[6];
    td_strains(m, w, f, x);
    if (1 + x[2] >= least) continue;
    least = 1 + x[2];
    *rod = model_name(m, m->rod[f->rod - 1].name);
  }

  return least;
}

// Largest |shear| or |stretch - 1| among pieces of rods with a linear law, and the name of that
// rod.
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

// Angle [rad] of the rotation from frame a to frame b, at most half a turn.
static double angle_between(const frame* a, const frame* b) {
  const quat q = quat_mat3(mat3_mul(mat3_transpose(a->R), b->R));
  return 2 * atan2(vec3_norm(q.v), fabs(q.w));
}

// Largest angle [rad] between the ends of a segment of an 'eba' rod, and the node at that segment's
// end.
double td_largest_fold(const td_model* m, const td_state* state, td_work* w, int* node) {
  double most = 0;
  if (m->nnode == 0) return 0;
  td_prepare(m, w);
  td_place(m, state, w);

  for (int i = 0; i < m->nnode; i++) {
    const frame a = td_frame(m, w, m->node[i].from), b = td_frame(m, w, m->node[i].station);
    const double angle = angle_between(&a, &b);
    if (angle <= most) continue;
    most = angle;
    *node = i;
  }

  return most;
}

// Number, from 1, of the segment before a node along its rod, and the rod's name.
int td_fold_segment(const td_model* m, int node, const char** name) {
  const int rod = m->pos[m->node[node].q].rod;
  int number = 1;
  for (int i = 0; i < node; i++) number += m->pos[m->node[i].q].rod == rod;
  *name = model_name(m, m->rod[rod - 1].name);
  return number;
}

// True when two stations are rotated against each other by more than `most`; *angle [rad] is then
// the angle.
static bool is_turned(const td_model* m, const td_work* w, int a, int b, double most,
                      double* angle) {
  const frame from = td_frame(m, w, a), to = td_frame(m, w, b);
  double trace = 0;  // 1 + 2 cos(angle)
  for (int i = 0; i < 9; i++) trace += from.R.m[i] * to.R.m[i];
  if (!(trace < 1 + 2 * cos(most))) return false;
  *angle = angle_between(&from, &to);
  return true;
}

// True for a beam whose strains are measured in the frame half-way between its ends; pieces of rods
// and cables are none.
static bool is_mid_beam(const model_strain* f) {
  return f->rod == 0 && strain_is_link(f) && f->ncrossing == 0;
}

// Name of the joint or mesh of a beam whose ends are rotated by more than `most`, -1: none.  At
// half a turn the rotations of a beam change sign and its energy jumps.
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

// Fail with a message when a beam or a segment is folded by more than TD_MOST_FOLD.
td_status td_refuse_folds(const td_model* m, const td_state* state, td_work* w) {
  static const double margin = 0.3;  // [rad]
  int node;
  const char* rod;
  double turned;
  bool beams = m->nbeam > 0;
  for (int i = 0; i < m->nstrain && !beams; i++) beams = is_mid_beam(&m->strain[i]);
  if (!beams && m->nnode == 0) return TD_OK;

  // a step's last evaluation is near its end: usually its frames already show that nothing is
  // folded, where positions differ by so little that nothing rotates by more than a fraction of the
  // margin in between; coordinates are angles, strains of rods and halves of angles
  double moved = w->placed && !w->dirty ? 0 : INFINITY;
  for (int i = 0; i < m->npos && moved < margin; i++) moved += fabs(w->q[i] - state->q[i]);
  if (moved < 0.1 * margin) {
    const double most = TD_MOST_FOLD - margin;
    bool near = beams && turned_beam(m, w, most, &turned) >= 0;
    for (int i = 0; i < m->nnode && !near; i++)
      near = is_turned(m, w, m->node[i].from, m->node[i].station, most, &turned);
    if (!near) return TD_OK;
  }

  // place the state itself and measure: first beams, then segments of rods
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

// Size of the model: the largest of the diagonal of the box around all stations, rod lengths and
// offsets of centres of mass; 1 m where that is zero.
double td_extent(const td_model* m, const td_work* w) {
  double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
  for (int i = 0; i < m->nstation; i++) {
    const vec3 p = td_frame(m, w, i).p;
    for (int c = 0; c < 3; c++) {
      low[c] = i == 0 ? vec3_at(p, c) : fmin(low[c], vec3_at(p, c));
      high[c] = i == 0 ? vec3_at(p, c) : fmax(high[c], vec3_at(p, c));
    }
  }

  // rods and bodies may be larger than the box around the stations
  double longest = 0;
  for (int i = 0; i < m->nrod; i++) longest = fmax(longest, m->rod[i].length);
  for (int i = 0; i < m->nbody; i++)
    longest = fmax(longest, 2 * vec3_norm(vec3_of(w->num + m->body[i].com)));
  const double d =
      sqrt(pow(high[0] - low[0], 2) + pow(high[1] - low[1], 2) + pow(high[2] - low[2], 2));
  const double size = fmax(d, longest);
  return size > 0 && isfinite(size) ? size : 1;
}
