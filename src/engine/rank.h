// The measures by which the rank of the constraint rows is judged (rank.c); engine.h declares the
// ranks themselves.
#ifndef TD_RANK_H
#define TD_RANK_H

#include "model/model.h"

// Pivot of a constraint row against its size: well above rounding, well below geometry.
#define TD_RANK_TOL 1e-10

// Rows of slack cables: a rank that was found with others of them tells nothing.
int td_rows_off(const td_model* m, const td_work* w);
// The columns of the free coordinates (rows x nfree_v) of a matrix (rows x nvel).
void td_free_columns(const td_model* m, const double* from, int rows, double* to);

#endif
