// Inputs at any state: laws of controllers, and those that bring tasks about [TMTDyn, eq. 41-43].
//
// Dynamic: with v' = v'_0 + W u and y'' = J v' + bias the inputs u are those for which
//
//   y'' = y_d'' + P e + I z + D e',   e = y_d - y,   z' = e
//
// in the sense of least squares, the smallest ones when there are several, within their limits.
// Static: u = u_s + S+ (P e + I z + D e') with (q_s, u_s) the equilibrium at which y = y_d, S =
// dy/du along equilibria.
#ifndef TD_CONTROL_LAW_H
#define TD_CONTROL_LAW_H

#include "engine/engine.h"

typedef struct td_control td_control;

// TD_E_USAGE with a message in the work when the tasks cannot be served so.
td_status td_control_new(const td_model* model, td_work* work, const td_state* state,
                         td_control** control);
void td_control_free(td_control* control);

// Put the inputs for time, q and v of the state and integrals z (one per task value) into state->u.
td_status td_control_inputs(td_control* control, td_state* state, const double* z);
// z' at the last call: e, but zero where an input is at its limit and z would only grow against it
// (no wind-up).
const double* td_control_integrand(const td_control* control);
// Derivatives of the inputs by the state, from the feedback of the last call: with u' = U (-P J dq
// - D J dv + I dz) over the driven inputs, the rows of all inputs (nu x nv, nu x nv, nu x n).  J (n
// x nv) of the tasks. Laws add their exact derivatives.
void td_control_slopes(td_control* control, const td_state* state, double* dq, double* dv,
                       double* dz);
const double* td_control_jacobian(const td_control* control);

#endif
