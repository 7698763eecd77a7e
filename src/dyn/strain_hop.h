// Hops of strain-parametrised rods: a Magnus step whose node strains are sums of coordinates.
#ifndef TD_STRAIN_HOP_H
#define TD_STRAIN_HOP_H

#include "engine.h"
#include "magnus.h"

// Strains that are expressions of coordinates (model_coords): their numbers at w->q, w->v, w->t;
// what tangents need of them at the accelerations a.
void td_strain_numbers(const td_model* m, td_work* w);
void td_strain_tangent_numbers(const td_model* m, td_work* w, const double* a);
// Rows of weights of the steps, lane by lane in the order of the path's slots (path.h).
void td_strain_prepare(const td_model* m, td_work* w);
// Moves g behind the step, fills its parts and the columns' S; *V and *own: twist across the step
// and its rate at constant velocities, in the world.
void td_strain_place(const td_model* m, td_work* w, const model_hop* hop, pose* g, spatial* V,
                     spatial* own);
// out += what a wrench F behind the step does along its DOFs.
void td_strain_forces(const td_model* m, const td_work* w, const model_hop* hop, const spatial* F,
                      double* out);
// U, Z of its parts, and U, Z, X of its columns.
void td_strain_columns(const td_model* m, td_work* w, int hop, const double* a);
// d(Sᵀ F)/dy of its parts, F held (td_magnus_curvature).
void td_strain_curvature(const td_model* m, const td_work* w, int hop, const spatial* F,
                         lanes N[MAGNUS_PARTS][MAGNUS_NODES]);
// The same for all pairs of its columns, added to dq; strains that are expressions included.
void td_strain_own(const td_model* m, const td_work* w, int hop, const spatial* F,
                   const tree_part* part, double* dq);

#endif
