// Cables that cannot be stretched: one-sided constraints  e = l(0) - l(q) >= pull(t)  with tensions
// T >= 0 that are their multipliers, and T (e - pull) = 0.  A taut cable's row is on, a slack one's
// is off; which are slack is kept in the work, beside the state.
#ifndef TD_TAUT_H
#define TD_TAUT_H

#include "engine/stages.h"

// Is the row that of a slack cable?
static inline bool row_is_off(const td_model* m, const td_work* w, int row) {
  return !row_has_frames(m->row[row].kind) && w->cable[m->row[row].cable].slack;
}

// Relative to the length of the cable: a gap below is closed; a slack cable is caught when its gap
// is below minus this; a gap is opened for more than this.
#define GAP_CLOSED 1e-9
// Length, rate and acceleration of a cable without stiffness beyond those that its drive gives.
row_value td_taut_gap(const td_model* m, const td_work* w, int cable);
// e, e', e" of a cable's row after td_accelerate, and their changes along a column.
row_value td_taut_value(const td_model* m, const td_work* w, int cable);
row_value td_taut_change(const td_model* m, const td_work* w, int cable, int col, bool rate);
// What a tension does, added to wrenches on the hops, `stride` bytes apart, and to the generalised
// forces of coordinates.
void td_taut_pull(const td_model* m, const td_work* w, int cable, double tension, spatial* on,
                  size_t stride, double* tau);
// The row of the Jacobian, -∂l/∂q (nvel): what a unit tension does.
void td_taut_jacobian(const td_model* m, td_work* w, int cable, double* row);

#endif
