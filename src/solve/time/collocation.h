// Collocation at the right Radau points (Radau IIA), s stages, order 2s - 1 at the ends of steps
// and s between them.  Stiffly accurate and L-stable for every s.
#ifndef TD_COLLOCATION_H
#define TD_COLLOCATION_H

#include "base/base.h"

enum { TD_STAGES_MOST = 7 };

// Z_i = Y_i - y, the stages from the beginning of the step, are the unknowns: h f = A^-1 Z.
typedef struct td_collocation {
  int s;  // odd
  double c[TD_STAGES_MOST];
  double gauss[TD_STAGES_MOST], weight[TD_STAGES_MOST];  // a quadrature for the polynomials on c
  double slope[TD_STAGES_MOST * TD_STAGES_MOST];         // A^-1
  double first[TD_STAGES_MOST];                          // h p'(0) = first . Z of the polynomial p
  // A^-1 T = T E, E = [real eigenvalue, blocks [a b; -b a]]
  double T[TD_STAGES_MOST * TD_STAGES_MOST], back[TD_STAGES_MOST * TD_STAGES_MOST];  // T, T^-1
  double re[TD_STAGES_MOST], im[TD_STAGES_MOST];  // a, b of each row; b = 0: the real one, first
} td_collocation;

td_status td_collocation_find(int stages, td_collocation* table);
// Weights of Z in p(x) - y and of the stages' slopes in the integral from 0 to x; x in steps.
void td_collocation_values(const td_collocation* table, double x, double* weight);
void td_collocation_integrals(const td_collocation* table, double x, double* weight);

#endif
