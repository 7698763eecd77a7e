// Inputs at any state: laws of controllers, and inputs by which tasks are met [sadati2021, eq.
// 41-43].
//
// Computed accelerations: with v' = v'_0 + W u and y'' = J v' + bias, u is found from
//
//   y'' = y_d'' + P e + I z + D e',   e = y_d - y,   z' = e
//
// by least squares within the limits of the inputs, the smallest one when there are several.
// Static feed-forward: u = u_s + S⁺ (P e + I z + D e'), with (q_s, u_s) the equilibrium at which
// y = y_d, and S = dy/du along equilibria.
#ifndef TD_CONTROL_LAW_H
#define TD_CONTROL_LAW_H

#include "engine/engine.h"

typedef struct td_control td_control;

// TD_E_USAGE with a message in the work when the model does not admit the kind of task control.
td_status td_control_new(const td_model* model, td_work* work, const td_state* state,
                         td_control** control);
void td_control_free(td_control* control);

// Set state->u from time, q and v of the state and the integrals z (one for each task value).
td_status td_control_inputs(td_control* control, td_state* state, const double* z);
// z' at the last call: e, but zero where an input is at its limit and z would only grow against it
// (no wind-up).
const double* td_control_integrand(const td_control* control);
// Derivatives of all inputs by q, v and z (nu x nv, nu x nv, nu x n) at the feedback of the last
// call: du = G (-P J dq - D J dv + I dz) over the driven inputs, J (n x nv) of the tasks, and the
// exact derivatives of laws.
void td_control_slopes(td_control* control, const td_state* state, double* dq, double* dv,
                       double* dz);
const double* td_control_jacobian(const td_control* control);

#endif
