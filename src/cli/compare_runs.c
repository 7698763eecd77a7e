// The variants of `tendril compare`: the model with all its rods in one continuum model.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare.h"

const char* const rod_models[NMODEL] = {"srl", "ebr", "eba", "rom", "gvs"};

bool is_polynomial(const char* model) {
  return strcmp(model, "rom") == 0 || strcmp(model, "gvs") == 0;
}

// A variant with its model while it is computed.
typedef struct running {
  comparison* c;
  variant* v;
  td_spec* spec;
  td_model* model;
  td_work* work;
  td_state* state;
  int nsensor;
} running;

// Estimated cost: the square of the number of coordinates, of which polynomials have more for each
// n.
double variant_cost(const variant* v) {
  const double n = is_polynomial(v->model) ? 4.0 * v->n : v->n;
  return 10 + n * n;
}

// Show progress, as a part of the whole comparison.
static bool show(void* user, double fraction, const char* what) {
  (void)what;
  comparison* c = ((running*)user)->c;
  const double cost = variant_cost(((running*)user)->v);
  return progress_show(&c->s->progress, (c->cost_done + fraction * cost) / c->cost, c->what);
}

// Keep the first reason for which something could not be done.
static void because(variant* v, const char* what, const char* why) {
  if (!v->reason) v->reason = format_text("%s%s", what, why);
}

// Put every rod into the variant's model.
static td_status set_rods(td_spec* spec, const variant* v) {
  const int n = td_spec_count(spec, "rod");
  td_status status = TD_OK;
  for (int i = 1; i <= n && status == TD_OK; i++) {
    char path[40];
    snprintf(path, sizeof path, "rod(%d).model", i);
    status = td_spec_string(spec, path, v->model);
    snprintf(path, sizeof path, "rod(%d).n", i);
    if (status == TD_OK) status = td_spec_number(spec, path, v->n);
    // orders and elements of the model's text would hide n: write them as n is read
    if (strcmp(v->model, "gvs") != 0) continue;
    snprintf(path, sizeof path, "rod(%d).order", i);
    if (status == TD_OK) status = td_spec_number(spec, path, v->n > 10 ? 4 : v->n);
    snprintf(path, sizeof path, "rod(%d).elements", i);
    if (status == TD_OK && v->n > 10) status = td_spec_number(spec, path, v->n / 5 + 1);
  }
  return status;
}

// Load and compile the variant.  False: it cannot be built, for the reason that is kept.
static bool build(running* r) {
  r->spec = td_spec_new();
  td_status status = r->spec ? session_load(r->c->s, r->spec) : TD_E_NOMEM;
  if (status == TD_OK) status = set_rods(r->spec, r->v);
  if (status == TD_OK) status = td_model_compile(r->spec, &r->model);
  if (status != TD_OK) {
    const char* why = td_status_text(status);
    for (int i = r->spec ? td_spec_message_count(r->spec) - 1 : -1; i >= 0; i--) {
      const td_message m = td_spec_message(r->spec, i);
      if (m.severity == TD_ERROR) why = m.text;  // the first one is left at the end
    }
    if (r->spec) because(r->v, "", why);
    return false;
  }

  // memory, and the same sensors as the session's model
  r->work = td_work_new(r->model);
  r->state = td_state_new(r->model);
  r->nsensor = td_model_sizes(r->model).nsensor;
  r->v->dof = td_model_sizes(r->model).nfree;
  if (r->work && r->state && r->nsensor == r->c->s->n.nsensor) return true;
  because(r->v, "", r->work && r->state ? "it has other sensors" : td_status_text(TD_E_NOMEM));
  return false;
}

static void release(running* r) {
  td_state_free(r->state);
  td_work_free(r->work);
  td_model_free(r->model);
  td_spec_free(r->spec);
}

// Allocate a record of all sensors.
static bool room(running* r, record* at, int rows) {
  at->x = calloc((size_t)rows * (size_t)r->nsensor + 1, sizeof(double));
  at->rows = rows;
  if (!at->x) because(r->v, "", td_status_text(TD_E_NOMEM));
  return at->x != NULL;
}

// Go to the initial state.
static td_status start(running* r) {
  const td_status status = td_state_initial(r->model, r->work, r->state);
  if (status != TD_OK) because(r->v, "initial state: ", td_status_text(status));
  return status;
}

// Keep the largest error bar of the equilibrium, for models whose refined ones are small enough.
static void estimate(running* r, const td_equil_result* result) {
  enum { MOST_ESTIMATED = 250 };
  td_bars* bars = NULL;
  double* error = calloc((size_t)r->nsensor + 1, sizeof(double));
  if (!error || r->v->dof > MOST_ESTIMATED || td_model_accuracy(r->model, NULL) == 0 ||
      td_bars_new(r->spec, r->model, &bars) != TD_OK) {
    free(error);
    return;
  }
  if (td_bars_equilibrium(bars, r->work, r->state, result, error) == TD_OK)
    for (int i = 0; i < r->nsensor; i++)
      if (!(r->v->bar >= error[i])) r->v->bar = error[i];
  td_bars_free(bars);
  free(error);
}

// Find the equilibrium and keep its sensors.
static td_status rest(running* r) {
  td_status status = start(r);
  if (status != TD_OK) return status;

  // equilibrium
  td_equil_options o = td_equil_options_default();
  td_equil_result result;
  o.progress = show;
  o.user = r;
  status = td_equilibrium(r->model, r->work, r->state, &o, &result);
  r->v->strategy = result.strategy;
  if (status != TD_OK) {
    because(r->v, "equilibrium: ", td_status_text(status));
    return status;
  }

  // sensors there
  record at;
  if (!room(r, &at, 1)) return TD_E_NOMEM;
  status = td_sensors(r->model, r->state, r->work, at.x);
  if (status == TD_OK) {
    r->v->at[AT_REST] = at;
    estimate(r, &result);
  } else {
    because(r->v, "sensors: ", td_status_text(status));
    free(at.x);
  }
  return status;
}

// Simulate, and keep sensors, solver and speed.
static td_status move(running* r) {
  td_status status = start(r);
  if (status != TD_OK) return status;

  // simulate
  td_sim_options o = sim_options(r->c->s);
  o.progress = show;
  o.user = r;
  td_trajectory* trajectory = NULL;
  const double begin = seconds();
  status = td_simulate(r->model, r->work, r->state, &o, &trajectory);
  if (status == TD_OK) {
    const double wall = seconds() - begin;
    const int rows = td_trajectory_rows(trajectory);
    record* at = &r->v->at[IN_MOTION];
    if (rows >= 1 && room(r, at, rows)) {
      for (int i = 0; i < rows; i++)
        memcpy(at->x + (size_t)i * (size_t)r->nsensor, td_trajectory_sensors(trajectory, i),
               (size_t)r->nsensor * sizeof(double));
      const td_sim_stats* stats = td_trajectory_stats(trajectory);
      r->v->solver = stats->solver;
      r->v->speed = (stats->t_end - td_trajectory_time(trajectory, 0)) / wall;
    }
  } else {
    because(r->v, "simulation: ", td_status_text(status));
  }
  td_trajectory_free(trajectory);
  return status;
}

// Time one evaluation: the best of several batches, so that other load on the machine does not
// count.
static void time_evaluation(running* r) {
  double best = INFINITY;
  int calls = 1;
  const double begin = seconds();
  for (int k = 0; k < 200 && seconds() - begin < 0.05; k++) {
    const double from = seconds();
    for (int i = 0; i < calls; i++) {
      if (td_forward_dynamics(r->model, r->state, r->work) != TD_OK) return;
    }
    best = fmin(best, (seconds() - from) / calls);
    calls = 1 + (int)(2e-3 / best);
  }
  r->v->us = 1e6 * best;
}

// Build a variant, find its equilibrium, simulate it and time its evaluation.  False: stopped.
bool variant_run(comparison* c, variant* v) {
  running r = {.c = c, .v = v};
  td_status status = TD_OK;
  v->us = v->speed = v->bar = NAN;
  snprintf(c->what, sizeof c->what, "compare: %s %d", v->model, v->n);
  if (build(&r)) {
    v->built = true;
    if (c->wants[AT_REST]) status = rest(&r);
    if (c->wants[IN_MOTION] && status != TD_E_STOPPED) status = move(&r);
    if (start(&r) == TD_OK) time_evaluation(&r);
  }
  release(&r);
  c->cost_done += variant_cost(v);
  return status != TD_E_STOPPED && !stop_asked();
}

void variant_free(variant* v) {
  for (int k = 0; k < QUANTITIES; k++) {
    free(v->at[k].x);
    free(v->each[k]);
  }
  free(v->reason);
}
