// Derivatives of the residual by parameters and inputs.
#include <string.h>

#include "elem/fluid.h"
#include "engine/hop.h"
#include "engine/hop_strain.h"
#include "engine/path.h"
#include "engine/sparse_engine.h"
#include "engine/stages.h"
#include "math/tiles.h"

void td_input_derivative(const td_model* m, const td_state* state, td_work* w, int input,
                         double* dFdu) {
  memset(dFdu, 0, (size_t)m->nvel * sizeof(double));
  td_enter(m, state, w);
  td_forces(m, w, FORCES_ALL);
  td_number_partials(w, m->live_input_tape, m->live_input, m->nlive_input, input);
  td_number_column(m, w, dFdu, 1, 0);
  td_clear_partials(w, m->live_input, m->nlive_input);
}

// Geometry, masses and initial values have no simple derivative: central differences over the
// parameter there.
static void shape_derivative(const td_model* m, const td_state* state, td_work* w, int param,
                             const double* a, const double* lambda, double* dFdp) {
  const arena_mark mark = arena_open(&w->scratch);
  double* F = arena_doubles(&w->scratch, m->nvel);
  const double p = w->vars[m->param[param].var], step = 1e-5 * fmax(1e-3, fabs(p));
  td_work_put_param(m, w, param, p + step);
  td_trial_residual(m, state, w, a, lambda, dFdp);
  td_work_put_param(m, w, param, p - step);
  td_trial_residual(m, state, w, a, lambda, F);
  td_work_put_param(m, w, param, p);
  for (int i = 0; i < m->nvel; i++) dFdp[i] = (dFdp[i] - F[i]) / (2 * step);
  arena_close(&w->scratch, mark);
}

void td_param_derivative(const td_model* m, const td_state* state, td_work* w, int param,
                         const double* a, const double* lambda, double* dFdp) {
  const arena_mark mark = arena_open(&w->scratch);
  const double* zero = arena_zeros(&w->scratch, max_int(m->nvel, m->nrow));
  if (m->param[param].shapes) {
    shape_derivative(m, state, w, param, a ? a : zero, lambda ? lambda : zero, dFdp);
  } else {
    memset(dFdp, 0, (size_t)m->nvel * sizeof(double));
    td_enter(m, state, w);
    td_forces(m, w, FORCES_ALL);
    td_number_partials(w, m->live_param_tape, m->live_param, m->nlive_param, param);
    td_number_column(m, w, dFdp, 1, 0);
    td_clear_partials(w, m->live_param, m->nlive_param);
  }
  arena_close(&w->scratch, mark);
}
