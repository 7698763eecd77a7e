// How large the robot is, and how far its rods are pressed together, at the state that was placed
// last: what the verdict on a simulation is measured by.
#include <math.h>

#include "engine.h"

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
  for (int i = 0; i < m->nforce; i++) {
    const model_force* f = &m->force[i];
    if (f->kind != FORCE_STRAIN || f->rod == 0) continue;  // without a rod: a cable over a joint
    double x[6];
    td_strains(m, w, f, x);
    if (1 + x[2] >= least) continue;
    least = 1 + x[2];
    *rod = model_name(m, m->rod[f->rod - 1].name);
  }
  return least;
}
