// Facts about the model that the analyses ask for: settings, kinds of forces, and stop
// times.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "elem/law.h"
#include "engine/stages.h"

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
                        .dyn = m->do_dyn};
  struct_into(settings, size, &own, sizeof own);
}

void td_model_linear_into(const td_model* m, td_linear_choice* choice, size_t size) {
  td_linear_choice own = {false, ""};
  if (m) own = (td_linear_choice){m->sparse, m->linear_why};
  struct_into(choice, size, &own, sizeof own);
}

static bool is_constant_zero(const td_model* m, num slot) {
  const ex e = m->number_ex[slot];
  return td_ex_is_const(m->graph, e) && td_ex_value(m->graph, e) == 0;
}

// A moving fluid pushes in proportion to how much of a part stands across it.
static bool fluid_is_still(const td_model* m) {
  if (m->stream_varies) return false;
  for (int c = 0; c < 3; c++)
    if (!is_constant_zero(m, m->fluid_velocity + c)) return false;
  return true;
}

// Has what a force does at rest a potential?  Dampers do nothing there; numbers that follow the
// state are judged apart.
static bool force_has_potential(const td_model* m, const model_force* f) {
  switch (f->kind) {
    case FORCE_DOF:
      // a torque about a body axis of a ball joint is no force along a coordinate
      return f->q >= 0 || is_constant_zero(m, f->law[0].input);
    case FORCE_AXIAL:
    case FORCE_BEAM:
    case FORCE_STRAIN:
      return true;  // forces along strains, stiffness matrices are symmetric
    case FORCE_LOAD:
      // a force fixed in the world; a couple fixed in the world has no potential in three
      // dimensions
      for (int c = 3; c < 6; c++)
        if (!is_constant_zero(m, f->wrench + c)) return false;
      return f->a < 0 || m->station[f->a].hop < 0;
    case FORCE_DRAG:
      return fluid_is_still(m);
  }
  return false;
}

// Against something that moves with time, friction and damping push at rest, too.
static bool contact_has_potential(const td_model* m, const model_contact* c) {
  if (c->drift == NUM_NONE) return true;
  return is_constant_zero(m, c->law + 1) && is_constant_zero(m, c->law + 3);
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
  for (int i = 0; i < m->nforce; i++)
    if (!force_has_potential(m, &m->force[i])) return false;
  for (int i = 0; i < m->ncable; i++)
    if (m->cable[i].friction != NUM_NONE) return false;
  for (int i = 0; i < m->nwet; i++)
    if (m->wet[i].drag != NUM_NONE && !fluid_is_still(m)) return false;
  for (int i = 0; i < m->ncontact; i++)
    if (!contact_has_potential(m, &m->contact[i])) return false;
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

bool td_has_driving_dampers(const td_model* m, const td_work* w) {
  for (int i = 0; i < m->nforce; i++) {
    const model_force* f = &m->force[i];
    for (int d = 0; d < force_laws(f->kind); d++)
      if (w->num[f->law[d].mu] < 0) return true;
    for (int d = 0; f->kind == FORCE_STRAIN && d < 6; d++)
      if (w->num[f->section + SECTION_MU + d] < 0 || w->num[f->section + SECTION_D + 7 * d] < 0)
        return true;
  }
  return false;
}

// ---- stop times -------------------------------------------------------------------------------

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Half of td_jump_margin: what is one stop is one jump.
static double resolution(double t, double length) { return 0.5 * td_jump_margin(t, length); }

// Each time once, and only those strictly between the ends: a run starts and ends there anyway.
static int unique(double* t, int n, double t0, double t1) {
  int k = 0;
  for (int i = 0; i < n; i++) {
    const double near = resolution(t[i], t1 - t0);
    if (t[i] - t0 <= near || t1 - t[i] <= near) continue;
    if (k == 0 || t[i] - t[k - 1] > near) t[k++] = t[i];
  }
  return k;
}

// Corners of prescribed motion and strains where the clocks are no lines, as of max(sin(t), 0): the
// run is looked at in ever more places until the number of sign changes settles.
static td_status find_turns(const td_model* m, td_work* w, double t0, double t1, double** times,
                            int* n, int* cap) {
  enum { FIRST = 1 << 10, LAST = 1 << 18 };
  int before = -1, count = 0, parts = FIRST;
  if (!m->clock_curved || !(t1 > t0)) return TD_OK;
  const arena_mark mark = arena_open(&w->scratch);
  double *a = arena_doubles(&w->scratch, m->nclock), *b = arena_doubles(&w->scratch, m->nclock);
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
    if (parts < LAST) continue;
    td_work_fail(w,
                 "prescribed motion or strains have corners in time (max, abs, ifelse ...) that "
                 "are too many to be located between t = %g s and %g s; write them by ramp, pulse "
                 "or mod of t, or run a shorter time",
                 t0, t1);
    arena_close(&w->scratch, mark);
    return TD_E_MODEL;
  }
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

td_status td_stop_times(const td_model* m, td_work* w, double t0, double t1, double** times,
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
  const td_status status = ok ? find_turns(m, w, t0, t1, times, n, &cap) : TD_E_NOMEM;
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
