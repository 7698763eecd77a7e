// Measures by which the rank of the constraint rows is judged (rank.c); engine.h declares the ranks
// themselves.
#ifndef TD_RANK_H
#define TD_RANK_H

#include "model/model.h"

// A constraint row counts as independent when its pivot exceeds this part of its size: well above
// rounding, well below what geometry produces.
#define TD_RANK_TOL 1e-10

// Number of rows of slack cables; a rank found with another number of slack cables does not apply.
int td_rows_off(const td_model* m, const td_work* w);
// Copy the columns of the free velocities (rows x nfree_v) out of a matrix (rows x nvel).
void td_free_columns(const td_model* m, const double* from, int rows, double* to);

#endif
