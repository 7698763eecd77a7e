// Tangents dF/dq and dF/dv of the equations of motion (tangent.c).
#ifndef TD_TANGENT_H
#define TD_TANGENT_H

#include "engine/force.h"

// dF/dq and dF/dv (nvel x nvel) at accelerations a and multipliers lambda (NULL: none), after
// td_enter and td_forces.
void td_tangent_at(const td_model* m, td_work* w, const double* a, const double* lambda,
                   double* dFdq, double* dFdv);
// Tangent vectors U, Z, X of all columns for the accelerations hop.A.
void td_tangent_columns(const td_model* m, td_work* w, const double* a);
// Tangent vectors for the hops of whole trees, after td_strain_tangent_numbers.  For rod steps M
// and its tangents need the parts alone (path.h); with `of_rods` their columns are computed, too.
void td_columns_of(const td_model* m, td_work* w, const double* a, int first, int end,
                   bool of_rods);
// Sums over subtrees, after td_accelerate and td_forces: inertial wrench hop.F, other wrenches
// hop.E, inertia hop.IA, P and B; for all hops, or for those of whole trees after td_blocks.
void td_composites(const td_model* m, td_work* w);
void td_composites_of(const td_model* m, td_work* w, int first, int end);
// B(I, V) U: derivative of the velocity wrench of a subtree (recursion.c).
spatial td_rate_wrench(const hop_sum* h, const spatial* U);
// Add the tangent of the inertia of some trees to dF/dq and dF/dv, after td_composites.
void td_tree_tangent(const td_model* m, td_work* w, const tree_part* part, double* dq, double* dv);

// Changes w->dnum of the numbers by one variable (`source` of the list), and back to zero.
void td_number_partials(td_work* w, const td_tape* tape, const model_partial* list, int n,
                        int source);
void td_clear_partials(td_work* w, const model_partial* list, int n);
// Change of -F for changes of the numbers alone, into a column of `out`, whose rows are `stride`
// apart.
void td_number_column(const td_model* m, td_work* w, double* out, int stride, int column);

#endif
