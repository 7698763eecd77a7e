// Dynamic simulation: settings of the model and the caller's options, one run or two for the time
// error.
#include <math.h>

#include "engine/engine.h"
#include "model/model.h"
#include "model/tolerance.h"
#include "solve/time/ode.h"
#include "solve/time/run.h"

void td_sim_options_fill(td_sim_options* options, size_t size) {
  const td_sim_options own = {.size = size,
                              .t_final = NAN,
                              .dt_out = NAN,
                              .rtol = NAN,
                              .atol = NAN,
                              .solver = TD_SOLVER_AUTO,
                              .step = NAN};
  struct_into(options, size, &own, sizeof own);
}

static double given(double option, double setting) { return isnan(option) ? setting : option; }

// Plan of a run: the caller's options, and settings of the model where these are not given.
static td_run_plan plan_of(const td_model* model, const td_sim_options* o) {
  const td_settings s = td_model_settings(model);
  return (td_run_plan){.t_end = given(o->t_final, s.t_final),
                       .dt_out = given(o->dt_out, s.dt_out),
                       .step = given(o->step, s.step),
                       .rtol = given(o->rtol, s.rtol),
                       .atol = given(o->atol, s.atol),
                       .solver = td_solver_or(o->solver, s.solver),
                       .max_steps = o->max_steps,
                       .belief = o->belief,
                       .allow_plugin = o->allow_plugin,
                       .code = o->code,
                       .code_always = o->code_always,
                       .inputs = o->inputs,
                       .progress = o->progress,
                       .user = o->user,
                       .done_to = 1};
}

// Whether a table of inputs can be used: known inputs, each once, that nothing else sets; finite
// numbers within their ranges at times that ascend and cover the run.  Otherwise `out` tells what
// is refused.
static bool sensible_inputs(const td_run_plan* p, const td_state* start, td_trajectory* out) {
  const td_input_table* t = p->inputs;
  const td_model* m = out->model;
  if (t->rows < 1 || t->n < 0 || !t->t || (t->n > 0 && (!t->input || !t->values))) {
    td_trajectory_say(out, "the table of inputs has no rows");
    return false;
  }

  // inputs
  for (int i = 0; i < t->n; i++) {
    if (t->input[i] < 0 || t->input[i] >= m->ninput) {
      td_trajectory_say(out, "the table of inputs: there is no input of number %d", t->input[i]);
      return false;
    }
    const char* name = td_model_input_name(m, t->input[i]);
    for (int k = 0; k < i; k++)
      if (t->input[k] == t->input[i]) {
        td_trajectory_say(out, "the table of inputs gives '%s' twice", name);
        return false;
      }
    if (model_sets_input(m, t->input[i])) {
      td_trajectory_say(out, "the table of inputs gives '%s', which a controller of the model sets",
                        name);
      return false;
    }
  }

  // times and values
  for (int k = 0; k < t->rows; k++) {
    bool finite = isfinite(t->t[k]);
    for (int i = 0; i < t->n; i++)
      finite = finite && isfinite(t->values[(size_t)k * (size_t)t->n + (size_t)i]);
    if (!finite) {
      td_trajectory_say(out, "the table of inputs has a number that is not finite in row %d",
                        k + 1);
      return false;
    }
    if (k > 0 && !(t->t[k] > t->t[k - 1])) {
      td_trajectory_say(out,
                        "the times of the table of inputs must ascend, but t = %.6g s in row %d "
                        "follows %.6g s",
                        t->t[k], k + 1, t->t[k - 1]);
      return false;
    }
    for (int i = 0; i < t->n; i++) {
      const double x = t->values[(size_t)k * (size_t)t->n + (size_t)i];
      const model_named* input = &m->input[t->input[i]];
      if (model_admits(m, input, x)) continue;
      td_trajectory_say(out,
                        "input '%s' has the range [%g %g], the table of inputs sets it to %g in "
                        "row %d",
                        model_name(m, input->name), input->low, input->high, x, k + 1);
      return false;
    }
  }

  // range of times
  const double near = 1e-9 * fmax(1, fabs(p->t_end));
  if (t->t[0] <= start->t + near && t->t[t->rows - 1] >= p->t_end - near) return true;
  td_trajectory_say(out,
                    "the table of inputs covers t = %.6g s to %.6g s, but the simulation goes from "
                    "%.6g s to %.6g s",
                    t->t[0], t->t[t->rows - 1], start->t, p->t_end);
  return false;
}

// Whether a simulation can be run as planned; otherwise `out` tells what is refused.
static bool sensible(const td_run_plan* p, const td_sim_options* o, const td_state* start,
                     td_trajectory* out) {
  if (!td_state_is_finite(out->model, start)) {
    td_trajectory_say(out, "the state to start from has numbers that are not finite");
    return false;
  }
  if (td_solver_name(p->solver) == NULL) {
    td_trajectory_say(out, "there is no integrator of number %d", (int)p->solver);
    return false;
  }
  if (!(p->step > 0 && isfinite(p->step))) {
    td_trajectory_say(out, "the step of the solver must be positive, got %g s", p->step);
    return false;
  }
  if (!isnan(o->step) && !td_solver_of(p->solver)->equal) {
    td_trajectory_say(out,
                      "a step of %g s is given, but only the solver 'fixed' takes equal steps, "
                      "this is '%s'",
                      o->step, td_solver_name(p->solver));
    return false;
  }
  const double steps = (p->t_end - start->t) / p->step;
  if (td_solver_of(p->solver)->equal && !(steps <= TD_MOST_STEPS)) {
    td_trajectory_say(out,
                      "equal steps of %g s for %g s are %.3g steps, they may be %g: take longer "
                      "ones (par.step, --step)",
                      p->step, p->t_end - start->t, steps, TD_MOST_STEPS);
    return false;
  }
  if (p->inputs && !sensible_inputs(p, start, out)) return false;
  if (p->code && !p->code->latest) {
    td_trajectory_say(out, "the source of code has no function `latest`");
    return false;
  }
  if (p->rtol >= TD_LEAST_RTOL && p->rtol < 1 && p->atol >= TD_LEAST_ATOL &&
      p->atol <= TD_MOST_ATOL)
    return true;
  td_trajectory_say(out,
                    "tolerances must be positive, the relative one from %g to below 1, the "
                    "absolute one from %g to %g: got rtol = %g, atol = %g",
                    TD_LEAST_RTOL, TD_LEAST_ATOL, TD_MOST_ATOL, p->rtol, p->atol);
  return false;
}

td_status td_run_plan_of(const td_model* model, const td_state* start,
                         const td_sim_options* options, td_run_plan* plan, td_trajectory* out) {
  *plan = plan_of(model, options);
  out->driven = options->inputs != NULL;
  return sensible(plan, options, start, out) ? TD_OK : TD_E_USAGE;
}

// Largest difference of a coordinate or velocity over the rows both have, relative to the largest
// size it takes, but at least atol/rtol, below which the absolute tolerance rules.
static double difference(const td_trajectory* a, const td_trajectory* b, double floor) {
  const int n = a->size.nq + a->size.nv;
  const int rows = min_int(td_trajectory_rows(a), td_trajectory_rows(b));
  double worst = 0;
  for (int i = 0; i < n; i++) {
    double size = floor, gap = 0;
    for (int row = 0; row < rows; row++) {
      if (td_trajectory_time(a, row) != td_trajectory_time(b, row)) continue;
      const double xa = td_trajectory_q(a, row)[i],
                   xb = td_trajectory_q(b, row)[i];  // v follows q in a row
      size = fmax(size, fabs(xb));
      gap = fmax(gap, fabs(xa - xb));
    }
    worst = fmax(worst, gap / size);
  }
  return worst;
}

// Simulate twice, the second time with tenths of the tolerances or half the steps: `out` is the
// second run, its time_error the largest difference between both.  If the first one fails, `out` is
// what there is of it.
static td_status run_twice(const td_model* model, td_work* work, td_state* state, td_run_plan plan,
                           td_trajectory* out) {
  td_trajectory* coarse = td_trajectory_new(model);
  td_state* again = td_state_new(model);
  td_status status = coarse != NULL && again != NULL ? TD_OK : TD_E_NOMEM;
  if (status == TD_OK) {
    td_state_copy(model, state, again);
    plan.done_to = 0.45;
    status = td_run(model, work, again, &plan, coarse);
  }
  if (status == TD_OK) {
    td_run_plan fine = plan;
    fine.rtol = fmax(fine.rtol / 10, TD_LEAST_RTOL),
    fine.atol = fmax(fine.atol / 10, TD_LEAST_ATOL);
    fine.halved = true;  // steps at their longest do not follow the tolerances
    fine.done_from = plan.done_to, fine.done_to = 1;
    status = td_run(model, work, state, &fine, out);
    out->stats.time_error = difference(coarse, out, plan.atol / plan.rtol);
  } else if (coarse != NULL && again != NULL) {  // what there is of the coarse run is all there is
    const td_trajectory empty = *out;
    *out = *coarse;
    *coarse = empty;
    td_state_copy(model, again, state);
  }
  td_state_free(again);
  td_trajectory_free(coarse);
  return status;
}

// Check options and plan, then run once, or twice with halved steps for the time error.
td_status td_simulate(const td_model* model, td_work* work, td_state* state,
                      const td_sim_options* options, td_trajectory** trajectory) {
  if (!trajectory) return TD_E_USAGE;
  *trajectory = NULL;
  td_sim_options o = td_sim_options_default();
  const td_status taken = td_options_take(options, &o, sizeof o);
  if (!model_has(model, state, work) || (o.belief && !model_works(model, o.belief)))
    return TD_E_USAGE;
  *trajectory = td_trajectory_new(model);
  if (*trajectory == NULL) return TD_E_NOMEM;
  if (taken != TD_OK) {
    td_trajectory_say(*trajectory, "%s", td_options_refused);
    return taken;
  }
  td_run_plan plan;
  TD_TRY(td_run_plan_of(model, state, &o, &plan, *trajectory));
  return o.halve ? run_twice(model, work, state, plan, *trajectory)
                 : td_run(model, work, state, &plan, *trajectory);
}
