// Constraints at a state: their values and tangents, the initial values and rates of control
// targets, and controls that the mechanism cannot follow.
#include <math.h>
#include <string.h>

#include "engine/path.h"
#include "engine/row_table.h"
#include "engine/taut.h"

// d(Jc a + gamma)/dq and /dv (nrow x nvel each) at a state and accelerations a.
void td_constraint_tangent(const td_model* m, const td_state* state, td_work* w, const double* a,
                           double* dq, double* dv) {
  td_enter(m, state, w);
  td_accelerate(m, w, a, false);
  td_tangent_columns(m, w, a);
  td_constraint_tangent_at(m, w, a, false, dq, dv);
}

// Jc, e - e_target and its rate at a state (NULL: not wanted); rows of slack cables have no error.
td_status td_trial_constraints(const td_model* m, const td_state* state, td_work* w, double* Jc,
                               double* e, double* edot) {
  if (!model_has(m, state, w)) return TD_E_USAGE;
  td_enter(m, state, w);
  if (Jc) td_row_jacobian(m, w, Jc);

  for (int i = 0; i < m->nrow; i++) {
    const row_value v = td_row_at(m, w, i);
    double target, rate;
    td_row_target(m, w, i, &target, &rate);
    const bool off = row_is_off(m, w, i);
    if (e) e[i] = off ? 0 : v.e - target;
    if (edot) edot[i] = off ? 0 : v.ed - rate;
  }

  return TD_OK;
}

// td_trial_constraints for finite states, with finite results.
td_status td_constraints(const td_model* m, const td_state* state, td_work* w, double* Jc,
                         double* e, double* edot) {
  if (!model_owns(m, state) || !td_state_is_finite(m, state)) return TD_E_USAGE;
  TD_TRY(td_trial_constraints(m, state, w, Jc, e, edot));
  const char* const what = "the constraint";
  if (Jc) TD_TRY(td_finite(m, w, what, td_model_constraint_name, Jc, m->nrow, m->nvel));
  if (e) TD_TRY(td_finite(m, w, what, td_model_constraint_name, e, m->nrow, 1));
  return edot ? td_finite(m, w, what, td_model_constraint_name, edot, m->nrow, 1) : TD_OK;
}

// Start control targets at the present value and rate of their rows.
void td_target_initial(const td_model* m, const td_state* state, td_work* w, double* targets) {
  td_enter(m, state, w);
  for (int i = 0; i < m->nrow; i++) {
    if (m->row[i].target != TARGET_CONTROL) continue;
    const row_value v = td_row_at(m, w, i);
    targets[2 * m->row[i].target_index] = v.e;
    targets[2 * m->row[i].target_index + 1] = v.ed;
  }
}

// Rates of control targets: (value, rate)' = (rate, control).
void td_target_rates(const td_model* m, const td_state* state, td_work* w, const double* targets,
                     double* rates) {
  td_enter(m, state, w);
  for (int i = 0; i < m->nrow; i++) {
    if (m->row[i].target != TARGET_CONTROL) continue;
    const int t = m->row[i].target_index;
    rates[2 * t] = targets[2 * t + 1];
    rates[2 * t + 1] = w->num[m->row[i].control];
  }
}

// The row whose acceleration misses its drive most, by *left, when that is more than rounding of
// the controls; -1: the mechanism follows them all.
int td_unfollowed_control(const td_model* m, const td_state* state, td_work* w, double* left) {
  int worst = -1;
  double most = 0;
  *left = 0;
  if (td_trial_dynamics(m, state, w) != TD_OK) return -1;
  td_accelerate(m, w, w->vdot, false);

  for (int i = 0; i < m->nrow; i++) {
    if (row_is_off(m, w, i)) continue;
    const row_value at = td_row_at(m, w, i);
    const double drive = td_row_drive(m, w, i, &at), miss = fabs(at.edd - drive);
    if (m->row[i].target == TARGET_CONTROL) most = fmax(most, fabs(drive));
    if (miss > *left) *left = miss, worst = i;
  }

  return *left > 1e-6 * most && most > 0 ? worst : -1;
}
