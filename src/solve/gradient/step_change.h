// The exact derivative of one step by collocation (solve/time/collocation.h), frozen in length.
//
// With Z_i = Y_i - y the stages of a step of h, a_ij = A^-1 and J_i = df/dy at stage i, changes S
// of y and G_i of f at the stages give those of the stages by
//
//   Σ_j a_ij dZ_j/h - J_i dZ_i = J_i S + G_i                                                (1)
//
// and, in the transpose, weights Z̄ of the stages give those of S and G_i by
//
//   Σ_i a_ij w_i/h - J_jᵀ w_j = Z̄_j      Ḡ_i = w_i      S̄ = Σ_i J_iᵀ w_i                     (2)
//
// Where q' is the first of the other states (no quaternions), the positions of (1) are eliminated,
// dZ_q = h A (S_v + dZ_v), and so they are in (2).
#ifndef TD_STEP_CHANGE_H
#define TD_STEP_CHANGE_H

#include "solve/time/collocation.h"

typedef struct td_step_change {
  int n, npos, s;       // states, positions that are eliminated, stages
  double h;             // of the step
  const double* slope;  // A^-1 of the table
  double A[TD_STAGES_MOST * TD_STAGES_MOST];
  double *J, *K;       // (s n n) Jacobians; factors of (1) or of its transpose
  double *rhs, *part;  // right-hand sides (s n k), scratch (n k)
  int* pivot;
  void* block;
} td_step_change;

// The state y (n) of a stage of the last step of c, for its derivatives.  A step may end where a
// one-sided element begins or ceases to act, to rounding or to the accuracy of the step: the last
// stage is then moved inside until the element is as it is at the stage before.  TD_E_NOMEM.
td_status td_step_change_stage(const td_collocated* c, int stage, double* y);
// For steps of the ode with k columns of changes at most.
td_status td_step_change_new(const td_ode* ode, const td_collocation* table, int k,
                             td_step_change* change);
void td_step_change_free(td_step_change* change);
// Factor (1), or its transpose (2), for a step of h and the Jacobians in change->J.  TD_E_SINGULAR.
td_status td_step_change_factor(td_step_change* change, double h, bool transposed);
// (1): dZ (s n x k) of S (n x k) and G (s n x k).
void td_step_change_forward(td_step_change* change, const double* S, const double* G, int k,
                            double* dZ);
// (2): w (s n) of Z̄ (s n); S̄ is added to.
void td_step_change_reverse(td_step_change* change, const double* Zbar, double* w, double* Sbar);

#endif
