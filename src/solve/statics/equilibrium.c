// td_equilibrium: find it, judge it.
#include <math.h>
#include <stdio.h>

#include "model/model.h"
#include "solve/statics/statics.h"
#include "solve/time/trust.h"

void td_equil_options_fill(td_equil_options* options, size_t size) {
  const td_equil_options own = {.size = size, .tol = 1e-10, .max_iterations = 60};
  struct_into(options, size, &own, sizeof own);
}

const char* td_strategy_text(td_strategy strategy) {
  switch (strategy) {
    case TD_NEWTON:
      return "Newton";
    case TD_LOAD_CONTINUATION:
      return "load continuation";
    case TD_PSEUDO_TRANSIENT:
      return "pseudo-transient continuation";
  }
  return "unknown";
}

// Words for a verdict on stability, for reports.
const char* td_stability_text(td_stability stability) {
  switch (stability) {
    case TD_STABLE:
      return "stable";
    case TD_NEUTRAL:
      return "neutral";
    case TD_DIVERGENCE:
      return "unstable (divergence)";
    case TD_FLUTTER:
      return "unstable (flutter)";
    case TD_UNKNOWN:
      return "unknown";
  }
  return "unknown";
}

// Judge the stability of an equilibrium by its stiffness where there is a potential, else by its
// linearised motion: result->conservative, stability, critical and note.
static td_status judge(td_statics* s, const double* q, const double* l, td_equil_result* result) {
  td_answer answer = {.stiffness = malloc(sizeof(double) * (size_t)(s->n + 1))};
  if (!answer.stiffness) return TD_E_NOMEM;
  result->conservative = td_statics_conservative(s);
  td_status status = td_judge(s, q, l, 1, result->conservative, &answer);
  // at an equilibrium the stiffness of a potential is symmetric
  if (status == TD_OK && result->conservative && answer.asymmetry > 100 * TD_ASYMMETRIC) {
    result->conservative = false;
    status = td_judge(s, q, l, 1, false, &answer);
  }
  result->stability = answer.stability;
  result->critical = answer.critical;

  // a damper that drives the motion makes what the stiffness holds grow, and lets what nothing
  // holds run away
  if (status == TD_OK && result->conservative && answer.divergent == 0 &&
      td_has_driving_dampers(s->model, s->work)) {
    status = td_judge(s, q, l, 1, false, &answer);
    const bool grows = answer.stability == TD_FLUTTER || answer.stability == TD_DIVERGENCE;
    if (grows || answer.stability == TD_UNKNOWN) result->stability = answer.stability;
    if (grows) result->critical = answer.critical;
    if (grows)
      snprintf(result->note, sizeof result->note,
               "a damper with a negative coefficient drives the motion away from it");
  }
  free(answer.stiffness);
  return status;
}

// A row whose control depends on the state prescribes an acceleration: is it zero here?
static bool servos_rest(td_statics* s) {
  bool servo = false;
  for (int i = 0; i < s->m; i++) {
    const model_row* row = &s->model->row[i];
    servo |= !row->projected && row->control != NUM_NONE;
  }
  if (!servo) return true;
  if (td_trial_dynamics(s->model, s->state, s->work) != TD_OK) return false;
  for (int i = 0; i < s->n; i++)
    if (!(fabs(td_work_vdot(s->work)[s->free[i]]) <= 1e-6)) return false;
  return true;
}

// Refuse models in which the base of an 'eba' rod moves: its nodes are free in the world and do not
// move with the base, so that there is no relative equilibrium.  True after a note.
static bool leaves_nodes_behind(td_statics* s, td_equil_result* result) {
  const td_model* m = s->model;
  for (int i = 0; s->moving && i < m->nnode; i++) {
    double at[16], twist[6], size = 0;
    td_trial_station(m, s->state, s->work, m->node[i].from, at, twist);
    for (int k = 0; k < 6; k++) size += fabs(twist[k]);
    if (size == 0) continue;
    snprintf(
        result->note, sizeof result->note,
        "the base of a rod of the model 'eba' moves, but its nodes are free in the world: it has "
        "no relative equilibrium; use 'gvs', 'ebr', 'srl' or 'rom'");
    return true;
  }
  return false;
}

// Append to result->note how the search for a stable equilibrium ended: none can be found, none was
// found, or an unstable one was left.
static void say_search(const td_statics* s, td_equil_result* result) {
  char* note = result->note;
  const size_t used = strlen(note), size = sizeof result->note;
  const char* between = used ? "; " : "";
  const bool unstable = result->stability == TD_DIVERGENCE || result->stability == TD_FLUTTER;
  if (unstable && td_has_driving_dampers(s->model, s->work)) return;
  if (unstable && !result->conservative)
    snprintf(
        note + used, size - used,
        "%sthe forces have no potential, so that there is no downhill to a stable equilibrium; "
        "simulate to see where it goes",
        between);
  else if (unstable && s->fold_node >= 0) {
    const int more = snprintf(note + used, size - used, "%sdownhill of it ", between);
    td_say_fold(s->model, s->fold_node, s->fold, note + used + more, size - used - (size_t)more);
  } else if (unstable)
    snprintf(note + used, size - used, "%sno stable equilibrium was found downhill of it", between);
  else if (s->ridges > 0)
    snprintf(note + used, size - used,
             "%sa nearer equilibrium is unstable and was left downhill (--any keeps it)", between);
}

// A linear law of stretch and shear is for small strains.  Beyond them it has equilibria that no
// material has: a rod in tension shears off sideways from F = EA GA/(EA - GA) on.
static void say_strain(const td_statics* s, td_equil_result* result) {
  static const double large = 0.5;
  const char* rod = "";
  if (td_model_sizes(s->model).nrod == 0) return;
  td_trial_energy(s->model, s->state, s->work);  // places it
  const double strain = td_largest_strain(s->model, s->work, &rod);
  const size_t used = strlen(result->note), size = sizeof result->note;
  if (strain > large)
    snprintf(result->note + used, size - used,
             "%s%.80s is stretched or sheared by %.0f %%, for which its linear law is not made "
             "(rod.energy gives another)",
             used ? "; " : "", rod, 100 * strain);
}

// Solve for an equilibrium from s->state, judge its stability and explain failures in result->note.
// `state`, q and l receive the point that was reached, also on failure.
static td_status find(td_statics* s, td_newton* newton, td_state* state, double* q, double* l,
                      const td_newton_options* options, td_equil_result* result) {
  td_newton_report report;
  if (leaves_nodes_behind(s, result)) return TD_E_USAGE;
  // prescribed positions are part of the start
  memcpy(q, s->state->q, sizeof(double) * (size_t)s->nq);
  td_status status = td_statics_taut(s, newton, q, l, options, &result->strategy, &report);
  result->converged = status == TD_OK;
  result->residual = report.residual;
  result->iterations = report.iterations;
  if (result->converged) status = judge(s, q, l, result);
  if (result->converged) td_statics_name_slack(s, result->note, sizeof result->note);
  if (result->converged && s->stable) say_search(s, result);

  // why there is none: the first explanation that applies
  if (status == TD_E_DIVERGED && s->fold_node >= 0)
    td_say_fold(s->model, s->fold_node, s->fold, result->note, sizeof result->note);
  if (status == TD_E_DIVERGED && !*result->note && s->inner && s->inner->failed)
    snprintf(result->note, sizeof result->note,
             "no internal states were found whose rates are zero near the start; simulate to see "
             "where they go, or start nearer with --at");
  if (status == TD_E_DIVERGED && !*result->note && s->overloaded >= 0)
    td_statics_say_overloaded(s, result->note, sizeof result->note);
  if ((status == TD_E_DIVERGED || status == TD_E_SINGULAR) && !*result->note)
    td_statics_explain(s, q, l, result->note, sizeof result->note);
  if (status == TD_E_DIVERGED && !*result->note && !*s->work->failure && s->limit_point > 0)
    snprintf(result->note, sizeof result->note,
             "limit point: as the loads grow the stiffness vanishes at %.4g of them, and no "
             "equilibrium near the start carries more; follow the path, which turns back there, "
             "with `trace` along a parameter, or start beyond it with --at",
             s->limit_point);
  if (status == TD_E_DIVERGED && !*result->note && !*s->work->failure)
    snprintf(result->note, sizeof result->note,
             "no equilibrium was found near the start; under growing loads the path of equilibria "
             "may turn back (a limit point): follow it with `trace` along a parameter, or start "
             "nearer with --at");

  // leave the state there, and refuse points where servos still move or rods are turned inside out
  if (s->inner) td_statics_set(s, q, 1);
  memcpy(s->state->q, q, sizeof(double) * (size_t)s->nq);
  if (result->converged && s->inner) td_inner_note(s, result->note, sizeof result->note);
  if (result->converged && !servos_rest(s)) {
    result->converged = false;
    result->stability = TD_UNKNOWN;
    status = TD_E_DIVERGED;
  }
  if (result->converged) say_strain(s, result);
  if (result->converged && td_statics_reversed(s, result->note, sizeof result->note)) {
    result->converged = false;
    result->stability = TD_UNKNOWN;
    status = TD_E_DIVERGED;
  }
  td_state_copy(s->model, s->state, state);
  memcpy(s->work->lambda, l, sizeof(double) * (size_t)s->m);
  return status;
}

// td_equilibrium() with complete options: set up the problem, find the equilibrium, count
// evaluations.
static td_status equilibrium(const td_model* model, td_work* work, td_state* state,
                             const td_equil_options* o, td_equil_result* result) {
  if (!(o->tol > 0) || o->max_iterations < 1 || !td_state_is_finite(model, state))
    return TD_E_USAGE;

  td_statics* s = NULL;
  td_newton* newton = NULL;
  const td_sizes sizes = td_model_sizes(model);
  double* q = calloc((size_t)(sizes.nq + sizes.nconstraint) + 1, sizeof(double));
  td_status status = q ? td_statics_new(model, work, state, TD_LOAD_SCALE, &s) : TD_E_NOMEM;
  if (status == TD_OK && model->ninternal > 0) status = td_inner_new(s);
  if (status == TD_OK) status = td_newton_new(&s->equations, &newton);
  if (status == TD_OK) {
    s->progress = o->progress;
    s->user = o->user;
    s->stable = o->stable;
    const td_newton_options how = {.tol = o->tol, .max_iterations = o->max_iterations};
    status = find(s, newton, state, q, q + sizes.nq, &how, result);
    result->evaluations = s->evaluations;
    result->tangents = s->tangents;
  }
  td_newton_free(newton);
  td_statics_free(s);
  free(q);
  return status;
}

td_status td_equilibrium_into(const td_model* model, td_work* work, td_state* state,
                              const td_equil_options* options, td_equil_result* result,
                              size_t size) {
  td_equil_options o = td_equil_options_default();
  td_equil_result own = {.stability = TD_UNKNOWN, .residual = NAN};
  if (!model_has(model, state, work) || !struct_into(result, size, &own, sizeof own))
    return TD_E_USAGE;
  td_status status = td_options_take(options, &o, sizeof o);
  if (status != TD_OK)
    snprintf(own.note, sizeof own.note, "%s", td_options_refused);
  else
    status = equilibrium(model, work, state, &o, &own);
  struct_into(result, size, &own, sizeof own);
  return status;
}
