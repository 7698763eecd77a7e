// Facts about the model that the analyses ask for: settings, kinds of forces, stop times, one-sided
// elements.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "law.h"
#include "link.h"

td_settings td_model_settings(const td_model* m) {
  return (td_settings){.t_init = m->settings[0],
                       .t_final = m->settings[1],
                       .dt_out = m->settings[2],
                       .rtol = m->settings[3],
                       .atol = m->settings[4],
                       .solver = m->solver,
                       .equil = m->do_equil,
                       .modal = m->do_modal,
                       .dyn = m->do_dyn};
}

td_linear_choice td_model_linear(const td_model* m) {
  return (td_linear_choice){m->sparse, m->linear_why};
}

// A load with a potential: a force fixed in the world.  A couple fixed in the world has none in
// three dimensions.
static bool load_has_potential(const td_model* m, const model_force* f) {
  bool couple = false;
  for (int c = 3; c < 6; c++) {
    const ex e = m->number_ex[f->wrench + c];
    if (!td_ex_is_const(m->graph, e) || td_ex_value(m->graph, e) != 0) couple = true;
  }
  return !couple && (f->a < 0 || m->station[f->a].hop < 0);
}

// Does a number that follows the state belong to a section whose energy is given?
static bool is_law_of_energy(const td_model* m, num target) {
  for (int i = 0; i < m->nforce; i++) {
    const model_force* f = &m->force[i];
    if (f->kind != FORCE_STRAIN || !f->stored || target < f->section) continue;
    const int slot = target - f->section;
    if (slot == SECTION_STORED || (slot >= SECTION_X0 && slot < SECTION_X0 + 6)) return true;
  }
  return false;
}

bool td_is_conservative(const td_model* m) {
  if (m->nfree_v < m->nvel) return false;
  for (int i = 0; i < m->nforce; i++)
    if (m->force[i].kind == FORCE_LOAD && !load_has_potential(m, &m->force[i])) return false;
  for (int i = 0; i < m->ncable; i++)
    if (m->cable[i].friction != NUM_NONE) return false;
  for (int c = 0; m->nwet > 0 && c < 3; c++) {  // a stream pushes
    const ex e = m->number_ex[m->fluid_velocity + c];
    if (!td_ex_is_const(m->graph, e) || td_ex_value(m->graph, e) != 0) return false;
  }
  for (int i = 0; i < m->nlive_probe; i++)
    if (!is_law_of_energy(m, m->live_probe[i].target)) return false;
  return true;
}

static bool strain_has_power(const td_model* m, const model_force* f) {
  const ex p = m->number_ex[f->section + SECTION_POWER];
  if (td_ex_is_const(m->graph, p) && td_ex_value(m->graph, p) == 1) return false;
  for (int d = 0; d < 6; d++) {
    const ex mu = m->number_ex[f->section + SECTION_MU + d];
    if (!td_ex_is_const(m->graph, mu) || td_ex_value(m->graph, mu) != 0) return true;
  }
  return false;
}

bool td_has_power_dampers(const td_model* m) {
  for (int i = 0; i < m->nwet; i++)
    if (m->wet[i].drag != NUM_NONE) return true;
  for (int i = 0; i < m->nforce; i++) {
    const model_force* f = &m->force[i];
    const int laws = force_laws(f->kind);
    if (f->kind == FORCE_DRAG) return true;
    if (f->kind == FORCE_STRAIN && strain_has_power(m, f)) return true;
    for (int d = 0; d < laws; d++) {
      const ex mu = m->number_ex[f->law[d].mu], nu = m->number_ex[f->law[d].nu];
      const bool damped = !td_ex_is_const(m->graph, mu) || td_ex_value(m->graph, mu) != 0;
      if (damped && (!td_ex_is_const(m->graph, nu) || td_ex_value(m->graph, nu) != 1)) return true;
    }
  }
  return false;
}

// ---- one-sided elements -----------------------------------------------------------------------

#define MANY_SWITCHES 48  // beyond some dozens the smooth law alone is used

static int switch_laws(const model_force* f) {
  int n = 0;
  for (int d = 0; d < min_int(3, force_laws(f->kind)); d++) n += f->law[d].dir != 0;
  return n;
}

// Driven by its length, and not a constraint.
static bool is_elastic(const model_cable* c) { return c->tension == NUM_NONE && c->row < 0; }

int td_switch_count(const td_model* m) {
  int n = 0;
  for (int i = 0; i < m->nforce; i++) n += switch_laws(&m->force[i]);
  for (int i = 0; i < m->ncable; i++) n += is_elastic(&m->cable[i]);
  return n <= MANY_SWITCHES ? n : 0;
}

void td_switch_values(const td_model* m, const td_state* state, td_work* w, double* values) {
  if (td_switch_count(m) == 0) return;
  td_enter(m, state, w);
  int at = 0;
  for (int i = 0; i < m->nforce; i++) {
    const model_force* f = &m->force[i];
    if (switch_laws(f) == 0) continue;
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    double x[6] = {0};
    if (f->kind == FORCE_DOF) x[0] = f->q < 0 ? 0 : w->q[f->q];
    if (f->kind == FORCE_AXIAL) x[0] = axial_at(&a, &b).L;
    if (f->kind == FORCE_BEAM)
      memcpy(x, td_beam(&a, &b, f->frame >= 0 ? &w->beam_frame[f->frame] : NULL).x, sizeof x);
    for (int d = 0; d < (f->kind == FORCE_BEAM ? 3 : 1); d++)
      if (f->law[d].dir != 0)
        values[at++] = x[d] - w->num[f->law[d].rest] * w->num[f->law[d].compr];
  }
  td_cable_tensions(m, w);
  for (int i = 0; i < m->ncable; i++)
    if (is_elastic(&m->cable[i])) values[at++] = w->cable[i].stretch;
}

// ---- stop times -------------------------------------------------------------------------------

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double resolution(double t) { return 1e-12 * fmax(1, fabs(t)); }

// Each time once, and only those strictly between the ends: a run starts and ends there anyway.
static int unique(double* t, int n, double t0, double t1) {
  int k = 0;
  for (int i = 0; i < n; i++) {
    if (t[i] - t0 <= resolution(t[i]) || t1 - t[i] <= resolution(t[i])) continue;
    if (k == 0 || t[i] - t[k - 1] > resolution(t[i])) t[k++] = t[i];
  }
  return k;
}

td_status td_stop_times(const td_model* m, const td_work* w, double t0, double t1, double** times,
                        int* n) {
  *times = NULL;
  *n = 0;
  if (m->nstop_ex == 0) return TD_OK;
  // parameters are constants for this run
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
  for (int i = 0; ok && i < m->nstop_ex; i++) {
    const ex e =
        m->nparam > 0 ? td_ex_substitute(g, m->stop_ex[i], var, with, m->nparam) : m->stop_ex[i];
    ok = td_ex_stop_times(g, e, m->time_var, t0, t1, times, n, &cap);
  }
  td_exprs_free(g);
  free(var);
  free(with);
  if (!ok) {
    free(*times);
    *times = NULL;
    *n = 0;
    return TD_E_NOMEM;
  }
  if (*n > 0) {
    qsort(*times, (size_t)*n, sizeof(double), ascending);
    *n = unique(*times, *n, t0, t1);
  }
  return TD_OK;
}
