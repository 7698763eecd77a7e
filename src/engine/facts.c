// Facts about a model that the analyses need: settings, whether all forces are conservative, and
// stop times, at which the right-hand side jumps or has a corner.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "elem/law.h"
#include "engine/stages.h"

// Copy the settings of `par`; a caller built against an older, shorter struct gets its part of
// them.
void td_model_settings_into(const td_model* m, td_settings* settings, size_t size) {
  td_settings own = {0};
  if (m)
    own = (td_settings){.t_init = m->settings[0],
                        .t_final = m->settings[1],
                        .dt_out = m->settings[2],
                        .rtol = m->settings[3],
                        .atol = m->settings[4],
                        .solver = m->solver,
                        .equil = m->do_equil,
                        .modal = m->do_modal,
                        .dyn = m->do_dyn,
                        .step = m->settings[5]};
  struct_into(settings, size, &own, sizeof own);
}

// Report whether the model uses sparse matrices, and why.
void td_model_linear_into(const td_model* m, td_linear_choice* choice, size_t size) {
  td_linear_choice own = {false, ""};
  if (m) own = (td_linear_choice){m->sparse, m->linear_why};
  struct_into(choice, size, &own, sizeof own);
}

// True when every force has a potential.  A number that follows the state has one only where the
// energy of its section is given.
bool td_is_conservative(const td_model* m) {
  if (m->ninternal > 0) return false;
  for (int i = 0; i < m->nlive_probe; i++)
    if (!td_strain_stores(m, m->live_probe[i].target)) return false;
  return td_forces_have_potential(m);
}

// ---- stop times -------------------------------------------------------------------------------

// Keep each of n sorted times once, and only those strictly inside (t0, t1): a simulation stops at
// its ends anyway.  Times nearer than half of td_jump_margin are one, so that one stop is one jump.
static int unique(double* t, int n, double t0, double t1) {
  int k = 0;
  for (int i = 0; i < n; i++) {
    const double near = 0.5 * td_jump_margin(t[i], t1 - t0);
    if (t[i] - t0 <= near || t1 - t[i] <= near) continue;
    if (k == 0 || t[i] - t[k - 1] > near) t[k++] = t[i];
  }
  return k;
}

// Append the corners of prescribed motion and strains whose clocks are not linear in time, as in
// max(sin(t), 0): the interval is divided ever finer until the number of sign changes of all clocks
// no longer grows.
static td_status find_clock_turns(const td_model* m, td_work* w, double t0, double t1,
                                  double** times, int* n, int* cap) {
  enum { FIRST = 1 << 10, LAST = 1 << 18 };
  int before = -1, count = 0, parts = FIRST;
  if (!m->clock_curved || !(t1 > t0)) return TD_OK;
  const arena_mark mark = arena_open(&w->scratch);
  double *a = arena_doubles(&w->scratch, m->nclock), *b = arena_doubles(&w->scratch, m->nclock);

  // double the number of intervals until two counts of sign changes agree
  for (;; parts *= 2) {
    count = 0;
    td_clocks(m, w, t0, a);
    for (int k = 1; k <= parts; k++) {
      td_clocks(m, w, t0 + (t1 - t0) * k / parts, b);
      for (int i = 0; i < m->nclock_motion; i++) count += (a[i] < 0) != (b[i] < 0);
      memcpy(a, b, (size_t)m->nclock_motion * sizeof(double));
    }
    if (count == before && count <= parts / 8) break;
    before = count;

    // too many corners
    if (parts < LAST) continue;
    td_work_fail(w,
                 "prescribed motion or strains have corners in time (max, abs, ifelse ...) that "
                 "are too many to be located between t = %g s and %g s; write them by ramp, pulse "
                 "or mod of t, or run a shorter time",
                 t0, t1);
    arena_close(&w->scratch, mark);
    return TD_E_MODEL;
  }

  // bisect each of the sign changes that were counted
  double* grown = td_grow(*times, cap, *n + count + 1, sizeof(double));
  if (!grown) {
    arena_close(&w->scratch, mark);
    return TD_E_NOMEM;
  }

  *times = grown;
  td_clocks(m, w, t0, a);

  for (int k = 1; k <= parts; k++) {
    const double from = t0 + (t1 - t0) * (k - 1) / parts, to = t0 + (t1 - t0) * k / parts;
    td_clocks(m, w, to, b);
    for (int i = 0; i < m->nclock_motion; i++)
      if ((a[i] < 0) != (b[i] < 0)) grown[(*n)++] = td_clock_turn(m, w, i, from, to);
    memcpy(a, b, (size_t)m->nclock_motion * sizeof(double));
  }

  arena_close(&w->scratch, mark);
  return TD_OK;
}

// Collect the stop times in (t0, t1), sorted: of expressions, of input tables and of clocks.  The
// caller frees *times.
td_status td_stop_times(const td_model* m, td_work* w, const td_input_table* inputs, double t0,
                        double t1, double** times, int* n) {
  *times = NULL;
  *n = 0;
  if (m->nstop_ex == 0 && inputs == NULL) return TD_OK;

  // substitute the present values of the parameters
  td_exprs* g = td_exprs_copy(m->graph);
  const size_t np = (size_t)m->nparam + 1;
  int* var = malloc(np * sizeof(int));
  ex* with = malloc(np * sizeof(ex));
  int cap = 0;
  bool ok = g && var && with;

  for (int i = 0; ok && i < m->nparam; i++) {
    var[i] = m->param[i].var;
    with[i] = td_ex_const(g, w->vars[var[i]]);
  }

  // times at which each expression of time alone jumps or has a corner
  for (int i = 0; ok && i < m->nstop_ex; i++) {
    const ex e =
        m->nparam > 0 ? td_ex_substitute(g, m->stop_ex[i], var, with, m->nparam) : m->stop_ex[i];
    ok = td_ex_stop_times(g, e, m->time_var, t0, t1, times, n, &cap);
  }

  td_exprs_free(g);
  free(var);
  free(with);

  // times at which inputs over time change their slope
  if (ok && inputs != NULL) {
    double* grown = td_grow(*times, &cap, *n + inputs->rows, sizeof(double));
    ok = grown != NULL;
    if (ok) *times = grown;
    for (int k = 1; ok && k + 1 < inputs->rows; k++) {
      bool corner = false;
      const double before = inputs->t[k] - inputs->t[k - 1],
                   after = inputs->t[k + 1] - inputs->t[k];
      for (int i = 0; i < inputs->n && !corner; i++) {
        const double* x = inputs->values + (size_t)k * (size_t)inputs->n + i;
        corner = (x[0] - x[-inputs->n]) * after != (x[inputs->n] - x[0]) * before;
      }
      if (corner) grown[(*n)++] = inputs->t[k];
    }
  }

  // sign changes of clocks that are not linear; then sort, and keep each time once
  const td_status status = ok ? find_clock_turns(m, w, t0, t1, times, n, &cap) : TD_E_NOMEM;
  if (status != TD_OK) {
    free(*times);
    *times = NULL;
    *n = 0;
    return status;
  }

  if (*n > 0) {
    qsort(*times, (size_t)*n, sizeof(double), ascending);
    *n = unique(*times, *n, t0, t1);
  }

  return TD_OK;
}
