// Hops of strain-parametrised rods: a Magnus step whose node strains are sums of coordinates.
#ifndef TD_STRAIN_HOP_H
#define TD_STRAIN_HOP_H

#include "elem/magnus.h"
#include "engine/stages.h"

// Strains that are expressions of coordinates (model_coords): their numbers at w->q, w->v, w->t;
// what tangents need of them at the accelerations a.
void td_strain_numbers(const td_model* m, td_work* w);
void td_strain_tangent_numbers(const td_model* m, td_work* w, const double* a);
// Weights of the steps: lane by lane in the order of the path's slots (path.h), and of the runs.
void td_strain_prepare(const td_model* m, td_work* w);
// Weights of the coordinates of a run; lengths and strains lie before them.
static inline lanes* td_run_weights(const td_work* w, const model_run* run) {
  return w->run_weight + run->weight + 1 + 6 * run->nodes;
}
// out += what a wrench F behind a step does along its DOFs.
void td_strain_forces(const td_model* m, const td_work* w, const model_hop* hop, const spatial* F,
                      double* out);
// The same of the composite wrenches behind all steps of a run, whose strains are sums.
void td_run_forces(const td_model* m, const td_work* w, const model_run* run, double* out);
// S a: what accelerations a of the coordinates add behind a step.
spatial td_strain_acceleration(const td_model* m, const td_work* w, const model_hop* hop,
                               const double* a);
// d(Sᵀ F)/dy of the parts of all steps of a run, F held, where F is what is left of the wrench
// below without the forces (td_magnus_curvature).
typedef lanes curvature_row[MAGNUS_PARTS];
void td_strain_curvature(const td_model* m, const td_work* w, const model_run* run,
                         curvature_row* N);
static inline bool begins_run(const td_model* m, int hop) {
  return is_step(&m->hop[hop]) && m->run[m->hop[hop].run].hop == hop;
}

#endif
