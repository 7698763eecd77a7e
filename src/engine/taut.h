// Inextensible cables: one-sided constraints  e = l(0) - l(q) >= pull(t)  whose multipliers are the
// tensions T >= 0, with T (e - pull) = 0.  The row of a taut cable is on, that of a slack cable is
// off; which cables are slack is part of the work, beside the state (slack.c).
#ifndef TD_TAUT_H
#define TD_TAUT_H

#include "engine/stages.h"

// True when the row belongs to a slack cable.
static inline bool row_is_off(const td_model* m, const td_work* w, int row) {
  return !row_has_frames(m->row[row].kind) && w->cable[m->row[row].cable].slack;
}

// Tolerance of gaps relative to the length of the cable: a gap below it is closed, and a slack
// cable becomes taut when its gap is below minus this.
#define GAP_CLOSED 1e-9

// Gap e - pull of an inextensible cable with its rate and acceleration (constraints.c).
row_value td_taut_gap(const td_model* m, const td_work* w, int cable);

// e, e', e" of a cable's row after td_accelerate, and their changes along a column (row_cable.c).
row_value td_taut_value(const td_model* m, const td_work* w, int cable);
row_value td_taut_change(const td_model* m, const td_work* w, int cable, int col, bool rate);

// Add the wrenches of a tension on the hops, `stride` bytes apart, and its generalised forces.
void td_taut_pull(const td_model* m, const td_work* w, int cable, double tension, spatial* on,
                  size_t stride, double* tau);

// The row -∂l/∂q (nvel) of the Jacobian: generalised forces of a unit tension.
void td_taut_jacobian(const td_model* m, td_work* w, int cable, double* row);

#endif
