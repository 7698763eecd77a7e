// The constrained system of dense.h for a trunk with branches: M couples a branch with itself and
// with the trunk, and every row of J has to do with the trunk and at most one branch,
//
//   [ M_00  M_0k ]        [ J_00   0  ]
//   [ M_k0  M_kk ]    J = [ A_k   B_k ]        for every branch k
//
// Each branch alone is a constrained system, x_k = P_k x_0 + r_k, l_k = L_k x_0 + m_k, and what is
// left for the trunk is one too, with M_00 + Σ (M_0k P_k - A_k' L_k).  The work is that of many
// small systems instead of one large one.
#ifndef TD_ARROW_H
#define TD_ARROW_H

#include "math/dense.h"

// Unknowns and rows in parts: the trunk is part 0, the branches follow.
typedef struct arrow_shape {
  int n, m, nbranch;
  const int *x_at, *x;      // unknowns of part i: x[x_at[i]] … x[x_at[i + 1] - 1]
  const int *row_at, *row;  // rows alike
} arrow_shape;

typedef struct arrow_branch {
  td_kkt kkt;
  int n, m;
  const int *x, *row;
  double *M, *A;  // M_k0 (n x n0), A_k (m x n0)
  double *P, *L;  // n x n0, m x n0
} arrow_branch;

typedef struct td_arrow {
  arrow_shape shape;
  int rank;
  int n0;
  td_kkt trunk;
  arrow_branch* branch;
} td_arrow;

size_t td_arrow_scratch(const arrow_shape* shape);
// False when the rows of some branch do not hold it firmly by themselves, or something is singular:
// the whole system is then one for td_kkt.  Factors live in the arena like those.
bool td_arrow_factor(td_arrow* a, const arrow_shape* shape, const double* M, const double* J,
                     const td_row_scale* scale, double rank_tol, arena* scratch);
// As td_kkt_solve.
void td_arrow_solve(const td_arrow* a, const double* f, const double* g, int nrhs, double* x,
                    double* l, arena* scratch);

#endif
