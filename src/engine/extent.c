// How large the robot is, how far its rods are pressed together and how far their segments are
// folded, at the state that was placed last: what the verdict on a simulation is measured by.
#include <math.h>

#include "engine/stages.h"

double td_robot_size(const td_model* m, const td_work* w) {
  double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
  for (int i = 0; i < m->nstation; i++) {
    const vec3 p = td_frame(m, w, i).p;
    for (int c = 0; c < 3; c++) {
      const double x = vec3_at(p, c);
      low[c] = i == 0 ? x : fmin(low[c], x);
      high[c] = i == 0 ? x : fmax(high[c], x);
    }
  }
  return vec3_norm((vec3){high[0] - low[0], high[1] - low[1], high[2] - low[2]});
}

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

td_status td_refuse_folds(const td_model* m, const td_state* state, td_work* w) {
  int node;
  const char* rod;
  const double angle = td_largest_fold(m, state, w, &node);
  if (angle <= TD_MOST_FOLD) return TD_OK;
  const int number = td_fold_segment(m, node, &rod);
  td_work_fail(w, TD_FOLDED, number, rod, angle);
  return TD_E_DIVERGED;
}
