// Derivatives of the residual and of the constraints by single parameters and inputs.
#include "engine/stages.h"

void td_input_derivative(const td_model* m, const td_state* state, td_work* w, int input,
                         double* dFdu) {
  const arena_mark mark = arena_open(&w->scratch);
  double* u = arena_zeros(&w->scratch, model_drives(m));
  u[input] = 1;
  td_residual_diff(m, state, w, &(td_direction){.u = u}, NULL, NULL, dFdu);
  arena_close(&w->scratch, mark);
}

void td_param_derivative(const td_model* m, const td_state* state, td_work* w, int param,
                         const double* a, const double* lambda, double* dFdp) {
  const arena_mark mark = arena_open(&w->scratch);
  double* p = arena_zeros(&w->scratch, m->nparam);
  p[param] = 1;
  td_residual_diff(m, state, w, &(td_direction){.p = p}, a, lambda, dFdp);
  arena_close(&w->scratch, mark);
}

void td_param_constraints(const td_model* m, const td_state* state, td_work* w, int param,
                          const double* a, double* e, double* defect) {
  const arena_mark mark = arena_open(&w->scratch);
  double* p = arena_zeros(&w->scratch, m->nparam);
  p[param] = 1;
  td_constraints_diff(m, state, w, &(td_direction){.p = p}, a, e, NULL, defect);
  arena_close(&w->scratch, mark);
}
