// Systems (sigma - J) x = b with complex sigma and a dense J whose first `npos` rows, q' = N(q) v,
// hold few numbers: these are eliminated first, and the work is that of the others.
#ifndef TD_SHIFTED_H
#define TD_SHIFTED_H

#include "base/base.h"

typedef struct td_shifted td_shifted;
td_shifted* td_shifted_new(int n, int npos);  // NULL: out of memory
void td_shifted_free(td_shifted* f);
// J n x n, row-major.
td_status td_shifted_factor(td_shifted* f, const double* J, double re, double im);
// In place; b (n) complex numbers as pairs [re, im].
void td_shifted_solve(td_shifted* f, double* b);

#endif
