// The constrained system of dense.h for a trunk with branches.  M couples a branch only with itself
// and with the trunk, and every row of J involves the trunk and at most one branch:
//
//   [ M_00  M_0k ]        [ J_00   0  ]
//   [ M_k0  M_kk ]    J = [ A_k   B_k ]        for every branch k
//
// Eliminating branch k gives x_k = P_k x_0 + r_k and l_k = L_k x_0 + m_k.  The system that remains
// for the trunk has the same form, with the Schur complement M_00 + Σ (M_0k P_k - A_k' L_k).  Many
// small systems are solved instead of one large one.
#ifndef TD_ARROW_H
#define TD_ARROW_H

#include "math/dense.h"

// Partition of unknowns and rows: the trunk is part 0, the branches follow.
typedef struct arrow_shape {
  int n, m, nbranch;
  const int *x_at, *x;      // unknowns of part i: x[x_at[i]] … x[x_at[i + 1] - 1]
  const int *row_at, *row;  // rows of part i, in the same way
} arrow_shape;

// Factors of one branch: n unknowns x, m rows
typedef struct arrow_branch {
  td_kkt kkt;
  int n, m;
  const int *x, *row;
  double *M, *A;  // M_k0 (n x n0), A_k (m x n0)
  double *P, *L;  // how the branch follows the trunk (n x n0, m x n0)
} arrow_branch;

// Factors of the whole system, in the arena given to td_arrow_factor
typedef struct td_arrow {
  arrow_shape shape;
  int rank;  // of J
  int n0;    // unknowns of the trunk
  td_kkt trunk;
  arrow_branch* branch;
} td_arrow;

size_t td_arrow_scratch(const arrow_shape* shape);  // bytes for the factors and the solves
// Factor the system.  False: the rows of some branch are too dependent, or a part is singular; use
// td_kkt_factor for the whole system.  Factors stay in the arena as those of td_kkt_factor do.
bool td_arrow_factor(td_arrow* a, const arrow_shape* shape, const double* M, const double* J,
                     const td_row_scale* scale, double rank_tol, arena* scratch);
// Solve for nrhs right-hand sides; arguments as for td_kkt_solve.
void td_arrow_solve(const td_arrow* a, const double* f, const double* g, int nrhs, double* x,
                    double* l, arena* scratch);

#endif
