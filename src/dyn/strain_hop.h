// Hops of strain-parametrised rods: a Magnus step whose node strains are sums of coordinates.
#ifndef TD_STRAIN_HOP_H
#define TD_STRAIN_HOP_H

#include "engine.h"
#include "magnus.h"

// Strains that are expressions of coordinates (model_coords): their numbers at w->q, w->v, w->t;
// what tangents need of them at the accelerations a.
void td_strain_numbers(const td_model* m, td_work* w);
void td_strain_tangent_numbers(const td_model* m, td_work* w, const double* a);
// Moves g behind the step, fills the columns' S; *V and *own: twist across the step and its rate at
// constant velocities, in the world.
void td_strain_place(const td_model* m, td_work* w, const model_hop* hop, pose* g, spatial* V,
                     spatial* own);
// U, Z, X of its columns.
void td_strain_columns(const td_model* m, td_work* w, int hop, const double* a);
// d(S_lᵀ F)/dq_k for all pairs of its columns, F held, added to dq.
void td_strain_curvature(const td_model* m, const td_work* w, int hop, const spatial* F,
                         const tree_part* part, double* dq);

#endif
