// td_plant: the motion of a model under inputs that are held from one call to the next.
//
// A step ends exactly at the given time, past stop times and switches on the way.  When the inputs
// have changed the integrator restarts, since the right-hand side jumps; otherwise it continues.
// The solver is chosen once, as docs/simulation.md describes for a simulation of `horizon` seconds.
// Tasks and controllers of the model set their inputs as in td_simulate().
#include <math.h>

#include "base/clock.h"
#include "model/model.h"
#include "model/tolerance.h"
#include "solve/control/plant.h"
#include "solve/control/sampler.h"
#include "solve/time/motion.h"
#include "solve/time/trust.h"
#include "solve/vectors.h"
#include "tendril/control.h"

struct td_plant {
  const td_model* model;
  td_work* work;
  td_motion* motion;
  td_control* control;  // sets inputs continuously, or NULL
  td_sampler* sampler;  // sets inputs at its rate, or NULL
  bool controlled, allow_plugin;
  td_stepper* stepper;
  td_solver solver;
  double t, *y, *given;
  double* param;  // parameters of the present motion
  double* stops;
  int nstop, stop;
  double known;   // stop times are known up to here
  bool begun;     // the last state or parameters that were given could be entered
  bool fresh;     // the right-hand side has changed since the last step
  bool straight;  // prescribed motion finds rods of kinematic loops straight: they may have to
                  // buckle
  td_state* now;
  td_state* before;  // the state before other parameters were entered
  double atol;
  td_progress progress;  // called during a long step, may be NULL
  void* user;
  double next_report;  // wall time [s]
  td_trust_measures trust;
  td_status failure;       // of the last step that failed since the start
  td_trajectory* verdict;  // without records
};

static const double horizon = 10;  // [s]

// Free a plant with its solver, motion and controllers; NULL is allowed.
void td_plant_free(td_plant* p) {
  if (!p) return;
  td_stepper_free(p->stepper);
  td_motion_free(p->motion);
  td_control_free(p->control);
  td_sampler_free(p->sampler);
  td_state_free(p->now);
  td_state_free(p->before);
  td_trajectory_free(p->verdict);
  free(p->stops);
  free(p->y);
  free(p->given);
  free(p->param);
  free(p);
}

const td_state* td_plant_state(const td_plant* p) { return p ? p->now : NULL; }

// Hold inputs from now on; those of the model's controllers and tasks are not taken.
td_status td_plant_inputs(td_plant* p, const double* u) {
  if (!p || !u) return TD_E_USAGE;
  const int nu = p->motion->size.nu;
  if (nu == 0 || memcmp(p->now->u, u, sizeof(double) * (size_t)nu) == 0) return TD_OK;

  // finite and within their ranges
  for (int i = 0; i < nu; i++) {
    const model_named* input = &p->model->input[i];
    const char* name = model_name(p->model, input->name);
    if (!isfinite(u[i])) {
      td_work_fail(p->work, "input '%s' must be finite, got %g", name, u[i]);
      return TD_E_USAGE;
    }
    if (model_admits(p->model, input, u[i]) || u[i] == p->now->u[i]) continue;
    if (p->controlled && model_sets_input(p->model, i)) continue;  // not taken from u
    td_work_fail(p->work, "input '%s' has the range [%g %g], it was to be set to %g", name,
                 input->low, input->high, u[i]);
    return TD_E_USAGE;
  }

  // inputs that controllers and tasks set keep their values
  if (p->controlled) {
    double low, high;
    for (int i = 0; i < nu; i++) p->given[i] = u[i];
    for (int i = 0; i < td_law_count(p->model); i++) {
      const int k = td_law_input(p->model, p->work, i, &low, &high);
      p->given[k] = p->now->u[k];
    }
    for (int i = 0; i < td_task_input_count(p->model); i++) {
      const int k = td_task_input(p->model, p->work, i, &low, &high);
      p->given[k] = p->now->u[k];
    }
    if (memcmp(p->now->u, p->given, sizeof(double) * (size_t)nu) == 0) return TD_OK;
    u = p->given;
    if (p->sampler != NULL) td_sampler_inputs(p->sampler, u);
  }
  copy(p->now->u, u, nu);
  copy(p->motion->state->u, u, nu);
  p->fresh = true;
  return TD_OK;
}

// Let the computer measure and set inputs, at the beginning of a step, so that it knows the inputs
// that were given for the step.
static td_status run_sampler(td_plant* p) {
  const double now = p->t + 1e-12 * fmax(1, fabs(p->t));
  if (p->sampler == NULL || now < td_sampler_next(p->sampler)) return TD_OK;
  td_motion_unpack(p->motion, p->t, p->y);
  p->fresh = true;
  return td_sampler_run(p->sampler, p->motion->state);
}

// Open the computer of sampled controllers, with the memory of the state.
static td_status open_sampler(td_plant* p, const td_state* state) {
  char message[400];
  td_sampler* sampler;
  const td_status status = td_sampler_new(p->model, p->work, p->work, state, p->allow_plugin,
                                          &sampler, message, sizeof message);
  if (status != TD_OK) {
    if (message[0] != '\0') td_work_fail(p->work, "%s", message);
    return status;
  }
  td_sampler_free(p->sampler);
  p->sampler = sampler;
  return TD_OK;
}

// Report whether rods of kinematic loops are straight and the prescribed motion needs them to
// buckle.
static bool is_straight(td_plant* p) {
  td_motion* m = p->motion;
  td_motion_unpack(m, p->t, p->y);
  return td_stuck(p->model, m->state, p->work, p->t + horizon) > 0;
}

// Leave the straight position by buckling, or, where nothing has to buckle on the way to t, pass
// the jump of this instant.
static td_status leave_straight(td_plant* p, double t) {
  td_motion* m = p->motion;
  double work;
  bool moved;
  p->straight = false;
  p->fresh = true;
  td_motion_unpack(m, p->t, p->y);
  const double after = td_stuck(p->model, m->state, p->work, t);
  if (after > 0) {
    p->trust.t_buckled = p->t;
    p->trust.buckled = true;
    return td_motion_buckle(m, after, &p->t, p->y);
  }
  TD_TRY(td_motion_jump(m, p->t, p->y, horizon, TD_EDGE_NONE, &work, &moved));
  p->y[m->ode.n] += work;
  return TD_OK;
}

// Begin a motion at a state with the parameters of the work.  Where that fails the plant stays at
// the state that it shows, and its next step begins there.
static td_status enter(td_plant* p, const td_state* state) {
  p->t = state->t;
  p->known = -INFINITY;
  p->nstop = p->stop = 0;
  p->fresh = true;
  const td_status status = td_motion_begin(p->motion, state, horizon, p->y);
  p->begun = status == TD_OK;
  if (status != TD_OK) {
    p->t = p->now->t;
    return status;
  }
  for (int i = 0; i < p->motion->size.nparam; i++)
    p->param[i] = td_work_param(p->model, p->work, i);
  p->straight = is_straight(p);
  td_motion_show(p->motion, p->t, p->y, p->now);
  p->failure = TD_OK;
  td_motion_unpack(p->motion, p->t, p->y);
  td_trust_begin(&p->trust, p->motion, p->atol);
  return p->motion->controlled;
}

// Start an integrator.
static td_status start(td_plant* p) {
  TD_TRY(td_stepper_new(p->solver, &p->motion->ode, p->t, p->y, &p->stepper));
  p->fresh = false;
  return TD_OK;
}

// Check the options, begin the motion, select the solver and start it.
static td_status build(td_plant* p, const td_state* state, const td_sim_options* o) {
  const td_settings s = td_model_settings(p->model);
  const double rtol = isnan(o->rtol) ? s.rtol : o->rtol, atol = isnan(o->atol) ? s.atol : o->atol;
  if (!(rtol >= TD_LEAST_RTOL && rtol < 1 && atol >= TD_LEAST_ATOL && atol <= TD_MOST_ATOL))
    return TD_E_USAGE;
  if (td_solver_name(o->solver) == NULL) return TD_E_USAGE;
  p->atol = atol;

  // steps of the solver 'fixed'
  const double step = isnan(o->step) ? s.step : o->step;
  if (!(step > 0 && isfinite(step))) return TD_E_USAGE;
  const td_solver solver = td_solver_or(o->solver, s.solver);
  if (!isnan(o->step) && !td_solver_of(solver)->equal) {
    td_work_fail(p->work,
                 "a step of %g s is given, but only the solver 'fixed' takes equal steps, this is "
                 "'%s'",
                 o->step, td_solver_name(solver));
    return TD_E_USAGE;
  }

  // the equations of motion, with continuous control
  p->progress = o->progress;
  p->user = o->user;
  TD_TRY(td_motion_new(p->model, p->work, state, rtol, atol, &p->motion));
  p->motion->ode.h_fixed = step;
  p->controlled = p->controlled && td_model_is_controlled(p->model);
  p->allow_plugin = o->allow_plugin;
  if (p->controlled && !(td_model_computer(p->model).rate > 0)) {
    TD_TRY(td_control_new(p->model, p->work, state, &p->control));
    TD_TRY(td_motion_control(p->motion, p->control));
  }

  // the motion from the given state on
  p->now = td_state_new(p->model);
  p->before = td_state_new(p->model);
  p->verdict = td_trajectory_new(p->model);
  p->y = calloc((size_t)(p->motion->ode.n + p->motion->ode.nquad), sizeof(double));
  p->given = calloc((size_t)p->motion->size.nu + 1, sizeof(double));
  p->param = calloc((size_t)p->motion->size.nparam + 1, sizeof(double));
  if (!p->now || !p->before || !p->verdict || !p->y || !p->given || !p->param) return TD_E_NOMEM;
  if (p->controlled) TD_TRY(open_sampler(p, state));
  TD_TRY(enter(p, state));

  // the solver that is wanted, or by stiffness
  td_motion* m = p->motion;
  td_choice choice = {.solver = TD_SOLVER_EXPLICIT};
  const td_status status = td_choose_solver(&m->ode, p->t, p->y, p->t + horizon, 0, &choice);
  if (status == TD_E_NOMEM) return status;
  if (status == TD_OK) m->ode.lightly_damped = choice.lightly_damped;
  p->solver = td_solver_or(solver, choice.solver);
  if (td_solver_of(p->solver)->dense && m->ode.linear != NULL) return TD_E_USAGE;
  return start(p);
}

td_status td_plant_new(const td_model* model, td_work* work, const td_state* state,
                       const td_sim_options* options, td_plant** plant) {
  if (!model_has(model, state, work) || !td_state_is_finite(model, state) || !plant)
    return TD_E_USAGE;
  return td_plant_open(model, work, state, options, true, plant);
}

// Make a plant, with or without the model's own controllers; *plant is NULL on failure.
td_status td_plant_open(const td_model* model, td_work* work, const td_state* state,
                        const td_sim_options* options, bool controlled, td_plant** plant) {
  td_plant* p = *plant = calloc(1, sizeof *p);
  if (!p) return TD_E_NOMEM;
  p->model = model;
  p->work = work;
  p->controlled = controlled;
  td_sim_options o = td_sim_options_default();
  td_status status = td_options_take(options, &o, sizeof o);
  if (status != TD_OK)
    td_work_fail(work, "%s", td_options_refused);
  else
    status = build(p, state, &o);
  if (status != TD_OK) {
    td_plant_free(p);
    *plant = NULL;
  }
  return status;
}

// Begin anew at a state, with a new integrator.
td_status td_plant_reset(td_plant* p, const td_state* state) {
  if (!p || !model_owns(p->model, state) || !td_state_is_finite(p->model, state)) return TD_E_USAGE;
  td_stepper* old = p->stepper;
  if (p->controlled) TD_TRY(open_sampler(p, state));
  TD_TRY(enter(p, state));
  const td_status status = start(p);
  if (status == TD_OK) {
    td_stepper_free(old);
  } else {
    p->stepper = old;
  }
  return status;
}

td_status td_plant_begin(td_plant* p, const td_state* state) {
  if (p->sampler != NULL) TD_TRY(open_sampler(p, state));
  return enter(p, state);
}

// Find the stop times from now to at least t, and for some time beyond.
static td_status find_stops(td_plant* p, double t) {
  if (t <= p->known) return TD_OK;
  free(p->stops);
  p->stops = NULL;
  p->nstop = p->stop = 0;
  p->known = p->t + fmax(horizon, 2 * (t - p->t));
  return td_stop_times(p->model, p->work, NULL, p->t, p->known, &p->stops, &p->nstop);
}

static double next_stop(td_plant* p, double t) {
  while (p->stop < p->nstop && p->stops[p->stop] <= p->t) p->stop++;
  if (p->stop < p->nstop) t = fmin(p->stops[p->stop], t);
  return p->sampler != NULL ? fmin(fmax(td_sampler_next(p->sampler), p->t), t) : t;
}

// Make one step of the integrator, at most to t.
static td_status advance(td_plant* p, double t) {
  td_step step;
  td_motion* m = p->motion;
  double work, *done = &p->y[m->ode.n];
  bool moved;
  TD_TRY(run_sampler(p));
  if (p->straight) TD_TRY(leave_straight(p, t));

  // a new right-hand side: cables may become taut or slack, and the integrator restarts
  if (p->fresh && td_taut_count(p->model) > 0) {
    TD_TRY(td_motion_settle(m, p->t, p->y, &work));
    *done += work;
  }
  if (p->fresh) TD_TRY(td_stepper_restart(p->stepper, p->t, p->y));
  p->fresh = false;

  // the step; one-sided elements that switch change the right-hand side
  TD_TRY(td_stepper_step(p->stepper, next_stop(p, t), &step));
  p->t = step.t;
  copy(p->y, step.y, m->ode.n + m->ode.nquad);
  for (int i = m->nevent; step.root && i < m->ode.nroot; i++) p->fresh |= step.crossed[i] != 0;

  // at a stop time it jumps
  if (p->stop < p->nstop && p->t >= p->stops[p->stop]) {
    p->fresh = true;
    p->straight = is_straight(p);
    if (!p->straight) {
      TD_TRY(td_motion_jump(m, p->t, p->y, horizon, TD_EDGE_NONE, &work, &moved));
      *done += work;
    }
  }

  // the caller sees the state after the impulses
  if (p->fresh && td_taut_count(p->model) > 0) {
    TD_TRY(td_motion_settle(m, p->t, p->y, &work));
    *done += work;
  }
  td_motion_unpack(m, p->t, p->y);
  td_trust_step(&p->trust, m, *done, p->stepper->counts.evaluations);
  return td_refuse_folds(p->model, m->state, p->work);
}

// Call the progress function, at most twenty times a second.  A step that was stopped can be called
// again and continues as if nothing had happened.
static td_status report(td_plant* p, double from, double to) {
  const double now = wall_time();
  if (now < p->next_report) return TD_OK;
  p->next_report = now + 0.05;
  const bool go_on = p->progress(p->user, (p->t - from) / (to - from), "simulate");
  return go_on ? TD_OK : TD_E_STOPPED;
}

// Advance to time t.
td_status td_plant_step(td_plant* p, double t) {
  if (!p) return TD_E_USAGE;
  if (!isfinite(t) || t <= p->t) {
    td_work_fail(p->work, "a step must end after the time %g s at which the plant is, got %g s",
                 p->t, t);
    return TD_E_USAGE;
  }

  // other parameters are another robot at the same state: times at which something jumps, loops and
  // energies are its own; the integrator starts afresh in the memory that it has
  bool same = p->begun;
  for (int i = 0; same && i < p->motion->size.nparam; i++)
    same = p->param[i] == td_work_param(p->model, p->work, i);
  if (!same) {
    td_state_copy(p->model, p->now, p->before);
    TD_TRY(enter(p, p->now));
  }
  const double from = p->t;
  if (p->progress != NULL) p->next_report = wall_time() + 0.05;
  td_status status = find_stops(p, t);
  while (status == TD_OK && p->t < t) {
    status = advance(p, t);
    if (status == TD_OK && p->progress != NULL && p->t < t) status = report(p, from, t);
  }
  td_motion_show(p->motion, p->t, p->y, p->now);
  if (status == TD_OK || status == TD_E_STOPPED) return status;
  p->failure = status;

  // no motion exists with these parameters: the state is that of the last ones that had one
  if (!same && p->t <= from) {
    td_state_copy(p->model, p->before, p->now);
    p->begun = false;
  }
  return status;
}

bool td_plant_pause(void* user, double fraction, const char* what) {
  (void)user, (void)fraction, (void)what;
  return false;
}

// Judge the motion so far, with reasons.
td_verdict td_plant_trust(td_plant* p, const char** reasons) {
  if (reasons != NULL) *reasons = "";
  if (p == NULL) return TD_TRUST_WRONG;
  td_trajectory* out = p->verdict;
  td_motion* m = p->motion;
  td_motion_unpack(m, p->t, p->y);
  const td_energies e = td_trial_energy(p->model, m->state, p->work);
  td_trust_look(&p->trust, m, &e, p->y[m->ode.n]);

  // judge
  out->verdict = TD_TRUST_OK;
  out->reasons[0] = '\0';
  out->stats.t_end = p->t;
  td_trust_judge(&p->trust, m, td_chart_margin(p->model, m->state->q, &(const char*){NULL}) < 0.05,
                 p->failure, out);
  if (reasons != NULL) *reasons = out->reasons;
  return out->verdict;
}

// Hold inputs, advance, measure.
td_status td_plant_drive(td_plant* p, double t, const double* u, double* sensors) {
  if (!p) return TD_E_USAGE;
  if (u) TD_TRY(td_plant_inputs(p, u));
  TD_TRY(td_plant_step(p, t));
  return sensors ? td_trial_sensors(p->model, p->now, p->work, sensors) : TD_OK;
}

// Statistics of the integrator
void td_plant_stats_into(const td_plant* p, td_sim_stats* stats, size_t size) {
  td_sim_stats own = {.time_error = NAN};
  if (p) {
    const td_ode_counts* c = &p->stepper->counts;
    own = (td_sim_stats){.steps = c->steps,
                         .rejected = c->rejected,
                         .evaluations = c->evaluations,
                         .tangents = c->tangents,
                         .factorisations = c->factorisations,
                         .projections = c->projections,
                         .time_error = NAN,
                         .solver = p->solver,
                         .t_end = p->t};
  }
  struct_into(stats, size, &own, sizeof own);
}
