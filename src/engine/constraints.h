// Constraint rows: values, Jacobian, forces of multipliers, targets and tangents (constraints.c,
// row_*.c), their errors (projection.c) and the closing of loops (closing.c).
#ifndef TD_CONSTRAINTS_H
#define TD_CONSTRAINTS_H

#include "model/model.h"

// Value e, rate and acceleration of a row; the acceleration after td_accelerate without gravity.
row_value td_row_at(const td_model* m, const td_work* w, int row);
// Angle [rad] by which the two ends of a screw row are turned about its axis, summed over the
// joints between them, so that full turns count; NaN where the joints do not determine it.
double td_screw_angle(const td_model* m, const td_work* w, int row);
// True when a motion of the hop may change the row.
bool td_row_moves(const td_model* m, int row, int hop);
// True when the row takes part in projections.
static inline bool row_is_projected(const td_model* m, const td_work* w, int row) {
  return m->row[row].projected && !(w->free_control && m->row[row].target == TARGET_CONTROL);
}

// Target value e and rate ed of a row.
void td_row_target(const td_model* m, const td_work* w, int row, double* e, double* ed);
// Target acceleration of a row: prescribed motion or control, with PD terms at its value `at`.
double td_row_drive(const td_model* m, const td_work* w, int row, const row_value* at);
// d(target acceleration)/d(input)
double td_row_input(const td_model* m, td_work* w, int row, int input);
// Errors (nrow) of positions or rates of the projected rows against their targets, 0 for others;
// returns the largest.
double td_row_errors(const td_model* m, const td_work* w, bool rate, double* out);

// The Jacobian Jc (nrow x nvel).
void td_row_jacobian(const td_model* m, td_work* w, double* Jc);
// The Jacobian with sizes of the rows (nrow) and scale factors of the free columns (nfree_v) for
// td_row_scale, by the masses on the diagonal of M (nvel x nvel).
void td_row_jacobian_sized(const td_model* m, td_work* w, double* Jc, const double* M, double* row,
                           double* col);

// Add the wrenches Jᵀ λ to hop.f and w->tau, and their changes along a column to df (nhop).
void td_row_forces(const td_model* m, td_work* w, const double* lambda);
void td_row_forces_change(const td_model* m, td_work* w, const double* lambda, int col, bool rate,
                          spatial* df);
// Wrenches of a unit multiplier on the three stations of a row, and their changes along a column.
void td_row_wrenches(const td_model* m, const td_work* w, int row, spatial out[3]);
void td_row_wrenches_change(const td_model* m, const td_work* w, int row, int col, bool rate,
                            spatial out[3]);
// dq -= d(Jᵀ λ)/dq, after td_tangent_columns.
void td_row_tangent(const td_model* m, td_work* w, const double* lambda, double* dq);
// Change of (acceleration - drive) of a row along a column, changes of the numbers included.
double td_row_defect_change(const td_model* m, const td_work* w, int row, int col, bool rate);
// td_row_defect_change of all rows along all columns, as d/dq and d/dv (nrow x nvel), after
// td_tangent_columns, which was called with gravity in the accelerations or without.
void td_constraint_tangent_at(const td_model* m, td_work* w, const double* a, bool gravity,
                              double* dq, double* dv);
// Scratch [bytes] for these tangents.
size_t td_row_bytes(const td_model* m);

// Move the coordinates of the loops until these are closed to tol.
td_status td_close_loops(const td_model* m, td_state* state, td_work* w, double tol);
// Find the small displacement delta with which it closes gaps e (nrow) at the placed state, which
// is closed: that of the first stage which can, or which closes what can be closed.  False: none
// can.
bool td_close_gaps(const td_model* m, td_work* w, const double* e, double* delta);
// Weights of the gaps for weights `bar` of that displacement, by the stage that closes the gaps e.
bool td_close_gaps_reverse(const td_model* m, td_work* w, const double* e, const double* bar,
                           double* gaps);
// Largest rotation [rad] by which a displacement (nvel) turns a joint or bends a rod; the state has
// been placed.
double td_largest_turn(const td_model* m, td_work* w, const double* delta);

#endif
