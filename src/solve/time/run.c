// One simulation: the loop over solver steps with its outputs, stop times, events, switches, checks
// and statistics.
//
//   while not at the end:  step, never beyond the next stop time
//                          records at the output times the step has passed
//                          checks: invariants, charts, progress, step limit
//                          root:   note the event, or end there, or restart behind a switch
//                          stop:   restart, for the right-hand side jumps
#include "solve/time/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "model/model.h"
#include "solve/control/sampler.h"
#include "solve/time/contest.h"
#include "solve/time/diagnosis.h"
#include "solve/time/motion.h"
#include "solve/time/standstill.h"
#include "solve/time/swap.h"
#include "solve/time/trust.h"

// States up to which Radau serves: up to there all eigenvalues are known
enum { RADAU_LARGEST = 400 };
// Evaluations of an explicit step
enum { EXPLICIT_STAGES = 13 };
// Stop times from which on a method of several steps is not worth starting
enum { MANY_STOPS = 100 };

// Typical cost of derived code relative to the engine, for the prices of the solvers
static const double code_part = 0.4;

// The part of a state's size that a step leaves at least, where it was larger before
static const double forget = 0.8;

// The velocity of a rod that is in a loop and cannot stretch counts for at least this share of what
// it would be with all the energy turned over: such rods, where they are straight, tremble far
// below that, at rates that their own sizes would have the solver follow.
static const double least_share = 1e-3;

typedef struct run {
  const td_run_plan* plan;
  td_control* control;  // gives the inputs at all times, or NULL
  td_sampler* sampler;  // sets them now and then, or NULL
  td_motion* motion;
  td_stepper* stepper;
  td_trajectory* out;
  double *y, *y_row;  // end of the last step; scratch for a row between
  double* struck;     // the start before speeds jump there, for the follower; NULL: none
  double* size;       // largest |y_i| of late
  bool* trembles;     // (nvel) which velocities have a least size
  double t, t_start;
  int row, last_row;  // next output and the last one, as multiples of dt_out
  double* stops;
  int nstop, stop;
  bool finished;       // an event said so
  td_contest contest;  // of the solvers
  td_solver plain;     // the one that the user chose among them, or the one for short steps
  bool undecided;      // the spectrum may let others in
  char reason[160];    // of the first choice, or what lets others try
  double t_switch;     // last switch that was dealt with
  double t_again;      // where one was seen once more, and the solver not started anew
  double t_cable;      // last time a cable became taut or slack
  double t_chatter;    // since when such times follow each other at once
  int chatter;         // how often
  double next_report;  // wall time
  bool chart_warned, singular_noted;
  td_trust_measures trust;
  td_standstill standstill;
  bool folded;
  double explicit_rate;  // explicit steps per second that stability would require, 0: not known
  double
      stuck;  // time to move on by at the start, out of a position that rods must buckle to leave
  const td_code* judged;  // the last code that was looked at
} run;

// Where the run is, for the diagnosis.
static td_run_end end_of(const run* r) {
  return (td_run_end){r->plan, r->motion, r->out,         r->t_start, r->t,
                      r->y,    r->y_row,  &r->standstill, r->folded};
}

// ---- progress ---------------------------------------------------------------------------------

// Call the progress function of the plan, at most twenty times a second.  TD_E_STOPPED, with a
// message in the trajectory, if it requests the end.
static td_status report(run* r) {
  const td_run_plan* plan = r->plan;
  if (plan->progress == NULL) return TD_OK;
  const double now = wall_time();
  if (now < r->next_report) return TD_OK;
  r->next_report = now + 0.05;
  const double part = (r->t - r->t_start) / (plan->t_end - r->t_start);
  if (plan->progress(plan->user, plan->done_from + part * (plan->done_to - plan->done_from),
                     "simulate")) {
    return TD_OK;
  }
  td_trajectory_say(r->out, "stopped on request at t = %.6g s of %.6g s", r->t, plan->t_end);
  return TD_E_STOPPED;
}

// ---- rows -------------------------------------------------------------------------------------

// Multiples by index: no accumulation; the last row is at the end itself.
static double row_time(const run* r, int row) {
  return row >= r->last_row ? r->plan->t_end : r->t_start + row * r->plan->dt_out;
}

// Rows that miss a sample of the controllers by rounding alone are at it, and show the inputs
// before it: whether a run begins here or before makes no difference to what they show.
static double same_instant(const run* r, double t) {
  return r->sampler != NULL ? 1e-12 * fmax(1, fabs(t)) : 0;
}

// Append the record of the state (t, y): q, v, sensors, energies and work, inputs, memory of
// controllers, internal states.  The energies also enter the measures of trust.
static td_status add_row(run* r, double t, const double* y) {
  td_motion* m = r->motion;
  const td_sizes* size = &m->size;
  double* row = td_trajectory_next(r->out);
  if (row == NULL) return TD_E_NOMEM;
  td_motion_unpack(m, t, y);
  const td_energies energy = td_trial_energy(m->model, m->state, m->work);
  double* sensors = row + 1 + size->nq + size->nv;
  td_trust_look(&r->trust, m, &energy, y[m->ode.n]);
  row[0] = t;
  memcpy(row + 1, m->state->q, (size_t)size->nq * sizeof(double));
  memcpy(row + 1 + size->nq, m->state->v, (size_t)size->nv * sizeof(double));
  if (size->nsensor > 0) TD_TRY(td_trial_sensors(m->model, m->state, m->work, sensors));
  const double four[4] = {energy.kinetic, energy.elastic, energy.gravity, y[m->ode.n]};
  memcpy(sensors + size->nsensor, four, sizeof four);
  if (size->nu > 0)
    memcpy(sensors + size->nsensor + 4, m->state->u, (size_t)size->nu * sizeof(double));
  if (r->out->memory > 0)
    memcpy(sensors + size->nsensor + 4 + size->nu, m->state->memory,
           (size_t)r->out->memory * sizeof(double));
  for (int i = 0; i < size->nz; i++) row[r->out->stride - size->nz + i] = m->state->z[i];
  td_trajectory_keep(r->out);
  return td_follow_row(r->plan->follow, t, y);
}

// Rows before the end of the step.  Interpolated states are put onto the constraints; one that
// cannot be is kept as is.
static td_status add_rows(run* r, const td_step* step) {
  const td_ode* ode = &r->motion->ode;
  for (; r->row <= r->last_row && row_time(r, r->row) < step->t - same_instant(r, step->t);
       r->row++) {
    const double t = row_time(r, r->row);
    TD_TRY(td_stepper_at(r->stepper, t, r->y_row));
    if (ode->project != NULL && ode->project(ode->ctx, t, r->y_row) != TD_OK) {
      TD_TRY(td_stepper_at(r->stepper, t, r->y_row));
    }
    TD_TRY(add_row(r, t, r->y_row));
    TD_TRY(report(r));  // there may be very many
  }
  return TD_OK;
}

// ---- solver -----------------------------------------------------------------------------------

static void add_counts(td_sim_stats* s, const td_ode_counts* c) {
  s->steps += c->steps;
  s->rejected += c->rejected;
  s->evaluations += c->evaluations;
  s->tangents += c->tangents;
  s->factorisations += c->factorisations;
  s->projections += c->projections;
}

static void drop_stepper(run* r) {
  if (r->stepper != NULL) add_counts(&r->out->stats, &r->stepper->counts);
  td_stepper_free(r->stepper);
  r->stepper = NULL;
}

// Fast modes that are hardly damped hold BDF at order 2: Radau, as long as its dense systems are
// small.  Constraints make evaluations, of which it needs more, dearer than steps.
static bool for_radau(const run* r) {
  const td_ode* ode = &r->motion->ode;
  return ode->lightly_damped && !ode->constrained && ode->linear == NULL && ode->n <= RADAU_LARGEST;
}

// The stepper that the contest says.
static td_status start(run* r) {
  const td_ode* ode = &r->motion->ode;
  td_contest* c = &r->contest;
  drop_stepper(r);
  r->out->stats.solver = c->now == TD_METHOD_SHORT ? r->plain : TD_SOLVER_STIFF;
  const td_solver_row* row =
      c->now == TD_METHOD_RADAU ? &td_solver_radau : td_solver_of(r->out->stats.solver);
  TD_TRY(row->start(ode, r->t, r->y, &r->stepper));
  td_contest_begin(c, &r->stepper->counts, r->t);
  return TD_OK;
}

static td_status choose(run* r, double h, td_choice* choice) {
  td_motion* m = r->motion;
  r->out->stats.tangents++;
  TD_TRY(td_choose_solver(&m->ode, r->t, r->y, r->plan->t_end, h, choice));
  m->ode.lightly_damped = choice->lightly_damped;
  return TD_OK;
}

// Refuse a chosen solver that factors the whole Jacobian where there is none.
static td_status refuse_large(run* r) {
  const td_solver_row* row = td_solver_of(r->plan->solver);
  if (!row->dense || r->motion->ode.linear == NULL) return TD_OK;
  td_trajectory_say(r->out,
                    "the %s solver that was asked for works with dense matrices, and the model is "
                    "a sparse one: ask for another solver, or for dense matrices (par.linear)",
                    row->method);
  return TD_E_STOPPED;
}

// Start the solver that the plan names, or the one that the rule of stiffness.c selects.  Where the
// spectrum fails the explicit solver starts, and the rule is applied again later.
static td_status first_solver(run* r) {
  td_choice choice;
  const td_status status = choose(r, 0, &choice);
  const bool open = td_solver_of(r->plan->solver)->open;
  if (!open) {
    TD_TRY(refuse_large(r));
    if (status == TD_OK) TD_TRY(td_refuse_endless(r->plan, &r->motion->ode, r->t, &choice, r->out));
    choice.solver = r->plan->solver;
    snprintf(choice.why, sizeof choice.why, "as asked for");
  } else if (status == TD_E_NOMEM) {
    return status;
  } else if (status != TD_OK) {
    choice.solver = TD_SOLVER_EXPLICIT;
    snprintf(choice.why, sizeof choice.why, "the spectrum at the start is not known");
  }
  const td_ode* ode = &r->motion->ode;

  // what goes along needs steps by collocation, and changes of sign at their ends
  const bool followed = r->plan->follow != NULL && ode->n > 0;
  if (followed && !td_solver_of(r->plan->solver)->equal) {
    r->contest = td_contest_new(ode, TD_METHOD_RADAU);
    snprintf(r->out->stats.why, sizeof r->out->stats.why, "Radau, for exact derivatives");
    return start(r);
  }
  const bool stiff =
      td_solver_of(choice.solver)->competes && ode->n > 0;  // else all motion is given
  r->undecided = open && !stiff;
  r->plain = stiff || ode->n == 0 ? TD_SOLVER_EXPLICIT : choice.solver;
  // where the right-hand side jumps all the time BDF would never get beyond its first steps
  const bool one_step = r->nstop > MANY_STOPS && ode->linear == NULL && ode->n <= RADAU_LARGEST;
  r->contest = td_contest_new(ode, !stiff     ? TD_METHOD_SHORT
                                   : one_step ? TD_METHOD_RADAU
                                              : TD_METHOD_BDF);
  r->contest.may[TD_METHOD_RADAU] = stiff && (one_step || for_radau(r));
  r->explicit_rate = stiff && open ? choice.explicit_steps / (r->plan->t_end - r->t_start) : 0;
  snprintf(r->reason, sizeof r->reason, "%s", choice.why);
  snprintf(r->out->stats.why, sizeof r->out->stats.why, "%s", choice.why);
  return start(r);
}

static const char* name_of(const run* r, td_method m) {
  if (m == TD_METHOD_RADAU) return td_solver_radau.method;
  return td_solver_of(m == TD_METHOD_BDF ? TD_SOLVER_STIFF : r->plain)->method;
}

// Let the solvers that are due compete (contest.h), and go on with the one that is to take its
// turn.
static td_status reconsider(run* r) {
  td_contest* c = &r->contest;
  const td_ode_counts* counts = &r->stepper->counts;
  const td_method before = c->now;
  if (r->plan->follow != NULL || !td_contest_due(c, counts, r->t)) return TD_OK;

  // oscillations that must be followed may cost BDF more than explicit steps would
  const double evaluations = (double)(r->out->stats.evaluations + counts->evaluations);
  if (r->explicit_rate > 0 &&
      evaluations > EXPLICIT_STAGES * r->explicit_rate * (r->t - r->t_start))
    c->may[TD_METHOD_SHORT] = true;

  // are short steps held down by stability, or by modes that hardly move?  Then others may try
  if (r->undecided && before == TD_METHOD_SHORT && c->champion == before) {
    const double h = (r->t - c->t_before) / (double)(counts->steps - c->before.steps);
    td_choice choice;
    const bool told = choose(r, h, &choice) == TD_OK && td_solver_of(choice.solver)->implicit;
    c->may[TD_METHOD_BDF] = told && !choice.only_radau;
    c->may[TD_METHOD_RADAU] = told && for_radau(r);
    if (told) snprintf(r->reason, sizeof r->reason, "from t = %.4g s %s", r->t, choice.why);
    if (told && r->t > r->t_start)
      r->explicit_rate = choice.explicit_steps / (r->plan->t_end - r->t);
  }
  td_contest_judge(c, counts, r->t, r->plan->t_end);
  if (c->now == before) return TD_OK;

  // the result of the last trial
  char* why = r->out->stats.why;
  const size_t room = sizeof r->out->stats.why;
  if (before == TD_METHOD_SHORT) {
    snprintf(why, room, "%s", r->reason);
  } else if (c->now == c->champion) {
    snprintf(why, room, "%s again from t = %.4g s: %s took %.2g times the work", name_of(r, c->now),
             r->t, name_of(r, before), c->rate[before] / c->rate[c->now]);
  }
  return start(r);
}

// A step of the solver on trial failed for good: the champion goes on from where it began.
static td_status step_on(run* r, double t_stop, td_step* step) {
  td_status status = td_stepper_step(r->stepper, t_stop, step);
  // rounding shows an event or a switch twice within a few units in the last place: the solvers,
  // which look for a third time where they were not started behind it, refuse to tell the two apart
  if (status == TD_E_DIVERGED && r->t == r->t_again) {
    r->t_again = NAN;
    TD_TRY(td_stepper_restart(r->stepper, r->t, r->y));
    status = td_stepper_step(r->stepper, t_stop, step);
  }
  if (r->plan->follow != NULL)
    return status != TD_OK ? status : td_follow_step(r->plan->follow, r->stepper, t_stop, step);
  if (status == TD_OK || status == TD_E_NOMEM) return status;
  if (r->contest.now == r->contest.champion) {
    // where BDF finds no step at all explicit ones may still go on
    if (r->explicit_rate == 0 || r->contest.now == TD_METHOD_SHORT) return status;
    r->contest.champion = TD_METHOD_SHORT;
    snprintf(r->out->stats.why, sizeof r->out->stats.why,
             "explicit from t = %.4g s, where BDF does not go on", r->t);
  }
  td_contest_forfeit(&r->contest);
  r->motion->work->failure[0] = 0;
  TD_TRY(start(r));
  return td_stepper_step(r->stepper, t_stop, step);
}

// ---- checks -----------------------------------------------------------------------------------

// Detect a run that no longer gets on.  Solvers that take turns and fail have few steps and many
// evaluations, which count as the attempts of an explicit solver would.
static td_status notice_standstill(run* r) {
  const td_sim_stats* s = &r->out->stats;
  const td_ode_counts* c = &r->stepper->counts;
  const long tried = s->steps + c->steps + s->rejected + c->rejected;
  const long paid = (s->evaluations + c->evaluations) / EXPLICIT_STAGES;
  return td_notice_standstill(&r->standstill, r->motion, r->t, r->y, tried > paid ? tried : paid,
                              r->plan->t_end - r->t_start, r->plan->t_end);
}

static double next_stop(const run* r) {
  double t = r->plan->t_end;
  if (r->stop < r->nstop) t = fmin(t, r->stops[r->stop]);
  if (r->sampler != NULL) t = fmin(t, fmax(td_sampler_next(r->sampler), r->t));
  return t;
}

static void measure_errors(run* r) {
  td_motion* m = r->motion;
  td_sim_stats* s = &r->out->stats;
  double e = m->projector.error, edot = m->projector.rate;
  if (m->t_projected != r->t) td_motion_errors(m, &e, &edot);
  s->max_constraint_error = fmax(s->max_constraint_error, e);
  s->max_velocity_error = fmax(s->max_velocity_error, edot);
}

// Measures of the verdict, and notes on what the motion passes.
static void watch(run* r) {
  td_motion* m = r->motion;
  td_motion_unpack(m, r->t, r->y);
  // where cables may become taut errors are those after the impulses (settle)
  const bool settles = td_taut_count(m->model) > 0 && r->t >= next_stop(r) && r->t < r->plan->t_end;
  if (m->size.nconstraint > 0 && !settles) measure_errors(r);
  const long last = r->stepper != NULL ? r->stepper->counts.evaluations : 0;
  td_trust_step(&r->trust, m, r->y[m->ode.n], r->out->stats.evaluations + last);
  if (!r->singular_noted && r->stepper != NULL && r->stepper->singular > 0) {
    r->singular_noted = true;
    td_trajectory_say(r->out,
                      "note: at t = %.6g s the mechanism passes a singular position, where its "
                      "motion may branch; "
                      "it goes on in the direction of its velocity",
                      r->t);
  }
  const char* name = "";
  if (!r->chart_warned && td_chart_margin(m->model, m->state->q, &name) < 0.05) {
    r->chart_warned = true;
    td_trajectory_say(r->out,
                      "warning: at t = %.6g s %s comes close to the singularity of its "
                      "three-number rotation (half a turn); a spherical or four-number joint has "
                      "none, and a polynomial rod may be written as several in series",
                      r->t, name);
  }
}

// Whether impulses have left the states as they were, but for rounding.
static bool alike(const double* before, const double* y, int n) {
  for (int i = 0; i < n; i++)
    if (fabs(y[i] - before[i]) > 1e-11 * (1 + fabs(before[i]))) return false;
  return true;
}

// ---- roots and stops --------------------------------------------------------------------------

// Cables that cannot be stretched become taut or slack; impulses take or give energy.
static td_status settle(run* r) {
  td_motion* m = r->motion;
  double work;
  if (td_taut_count(m->model) == 0) return TD_OK;
  memcpy(r->y_row, r->y, (size_t)m->ode.n * sizeof(double));
  TD_TRY(td_motion_settle(m, r->t, r->y, &work));
  if (!alike(r->y_row, r->y, m->ode.n))
    TD_TRY(td_follow_pass(r->plan->follow, TD_PASS_CABLE, -1, r->t, r->y_row));
  r->y[m->ode.n] += work;
  m->t_projected = NAN;
  measure_errors(r);
  if (r->plan->belief != NULL) td_taut_copy(m->model, m->work, r->plan->belief);
  return TD_OK;
}

// Very many times on end, each soon after the one before, are chatter that leads nowhere.
static td_status switch_cable(run* r, int cable) {
  enum { MOST = 1000 };
  const bool soon = r->t - r->t_cable <= 1e-6 * (r->plan->t_end - r->t_start);
  if (!soon) r->t_chatter = r->t;
  r->chatter = soon ? r->chatter + 1 : 0;
  r->t_cable = r->t;
  r->out->stats.events++;
  TD_TRY(td_follow_pass(r->plan->follow, TD_PASS_CABLE, cable, r->t, r->y));
  if (r->chatter < MOST) return settle(r);
  td_trajectory_say(r->out,
                    "%s becomes taut and slack, %d times within %.3g s: it chatters; give it a "
                    "stiffness, or what it pulls some damping",
                    td_taut_name(r->motion->model, cable), MOST, r->t - r->t_chatter);
  return TD_E_DIVERGED;
}

// Events, switches and cables whose functions change their sign at the end of the step.
static td_status cross(run* r, const td_step* step) {
  const td_motion* m = r->motion;
  int cable = -1, switched = -1;  // one that begins to push or is too long; the first switch
  for (int i = 0; i < m->ode.nroot; i++) {
    if (i >= m->nevent + m->nswitch) {
      if (step->crossed[i] < 0 && cable < 0) cable = i - m->nevent - m->nswitch;
    } else if (step->crossed[i] != 0 && i >= m->nevent) {
      if (switched < 0) switched = i - m->nevent;
    } else if (step->crossed[i] != 0) {
      r->out->stats.events++;
      TD_TRY(td_trajectory_mark(r->out, step->t, i));
      if (!td_event_stops(m->model, i)) continue;
      r->finished = true;
      TD_TRY(td_follow_pass(r->plan->follow, TD_PASS_EVENT, i, r->t, r->y));
    }
  }
  if (r->finished) return TD_OK;
  if (cable >= 0) {
    TD_TRY(switch_cable(r, cable));
    return td_stepper_restart(r->stepper, r->t, r->y);
  }

  // behind an event, and behind a switch that it finds once more where it was just restarted, the
  // solver is not started anew
  const double span = r->plan->t_end - r->t_start;
  const bool again = fabs(r->t - r->t_switch) <= 1e-12 * fmax(fabs(r->t), span);
  if (switched < 0 || again) {
    r->t_again = r->t;
    return TD_OK;
  }
  r->out->stats.events++;
  r->t_switch = r->t;
  TD_TRY(td_follow_pass(r->plan->follow, TD_PASS_SWITCH, switched, r->t, r->y));
  return td_stepper_restart(r->stepper, r->t, r->y);
}

// The computer measures and sets inputs.
static td_status run_sampler(run* r) {
  if (r->sampler == NULL || r->t + same_instant(r, r->t) < td_sampler_next(r->sampler))
    return TD_OK;
  td_motion_unpack(r->motion, r->t, r->y);
  return td_sampler_run(r->sampler, r->motion->state);
}

static td_status pass_stop(run* r) {
  if (r->t < next_stop(r) || r->t >= r->plan->t_end) return TD_OK;
  while (r->stop < r->nstop && r->stops[r->stop] <= r->t) r->stop++;
  TD_TRY(run_sampler(r));
  TD_TRY(settle(r));
  r->out->stats.stops++;
  TD_TRY(td_follow_pass(r->plan->follow, TD_PASS_STOP, -1, r->t, r->y));
  return td_stepper_restart(r->stepper, r->t, r->y);
}

// ---- code that takes the engine's place -------------------------------------------------------

// Between steps: if compiled code has arrived, compare it with the engine and use it where it is
// faster (td_swap).  The selection of solvers is told that evaluations cost less.
static td_status look_for_code(run* r) {
  const td_code_source* source = r->plan->code;
  const td_code* code = source != NULL ? source->latest(source->user) : NULL;
  if (code == NULL || code == r->judged) return TD_OK;
  r->judged = code;
  const td_swap_question q = {.code = code,
                              .always = r->plan->code_always,
                              .with_power = r->contest.now != TD_METHOD_BDF,
                              .t = r->t,
                              .y = r->y};
  td_motion* m = r->motion;
  const bool had_code = m->code != NULL;
  TD_TRY(td_swap(m, &q, r->out->stats.code, sizeof r->out->stats.code));
  if (m->code == NULL || had_code) return TD_OK;
  m->ode.work *= code_part;
  td_contest_price(&r->contest, &m->ode);
  return TD_OK;
}

// ---- the loop ---------------------------------------------------------------------------------

static td_status buckle(run* r, double after) {
  const double t = r->t;
  TD_TRY(td_follow_pass(r->plan->follow, TD_PASS_BUCKLE, -1, t, r->y));
  TD_TRY(td_motion_buckle(r->motion, after, &r->t, r->y));
  r->trust.t_buckled = t;
  r->trust.buckled = true;
  td_trajectory_say(r->out,
                    "note: at t = %.6g s prescribed motion finds rods of its loops straight, which "
                    "can give way only by buckling; the run goes on at t = %.6g s with these rods "
                    "bent by as little as closes the loops, to one of several sides",
                    t, r->t);
  return TD_OK;
}

// A row that is due at t.
static td_status add_end(run* r, double t, double* y) {
  if (r->row > r->last_row || fabs(row_time(r, r->row) - t) > same_instant(r, t)) return TD_OK;
  return add_row(r, row_time(r, r->row++), y);
}

// The time of the next row behind the present one.
static double next_row(const run* r) {
  int row = r->row;
  while (row <= r->last_row && row_time(r, row) <= r->t + same_instant(r, r->t)) row++;
  return row > r->last_row ? r->plan->t_end : row_time(r, row);
}

// Speeds that are prescribed may jump at a stop time and at the end; cables answer at once.
static td_status strike(run* r) {
  const bool end = r->t >= r->plan->t_end, stop = r->stop < r->nstop && r->t >= r->stops[r->stop];
  double work;
  bool moved;
  if (!end && !stop) return TD_OK;
  td_motion* m = r->motion;
  td_motion_unpack(m, r->t, r->y);
  const double after = end ? 0 : td_stuck(m->model, m->state, m->work, next_row(r));
  if (after > 0) {
    // the row of this instant is that before; where rods cannot buckle it is the jump that cannot
    // be followed
    const double t = r->t;
    memcpy(r->y_row, r->y, (size_t)(m->ode.n + m->ode.nquad) * sizeof(double));
    if (buckle(r, after) == TD_OK) return add_end(r, t, r->y_row);
  }
  memcpy(r->y_row, r->y, (size_t)m->ode.n * sizeof(double));
  const td_status status = td_motion_jump(m, r->t, r->y, r->plan->t_end - r->t_start,
                                          end ? TD_EDGE_END : TD_EDGE_NONE, &work, &moved);
  if (moved && !alike(r->y_row, r->y, m->ode.n))
    TD_TRY(td_follow_jump(r->plan->follow, false, r->t, r->y_row, r->y));
  if (status != TD_OK) {
    const td_run_end here = end_of(r);
    if (!end) td_rows_are_tight(&here);
    return status;
  }
  r->y[m->ode.n] += work;
  return moved ? settle(r) : TD_OK;
}

// Take one solver step, never beyond the next stop, then do all that is due at its end, in the
// order of the file's head.  TD_E_STOPPED at the limit of steps or on request.
static td_status advance(run* r) {
  td_motion* m = r->motion;
  const int n = m->ode.n + m->ode.nquad;

  // step, and records at the output times it has passed
  td_step step;
  TD_TRY(step_on(r, next_stop(r), &step));
  TD_TRY(add_rows(r, &step));
  r->t = step.t;
  memcpy(r->y, step.y, (size_t)n * sizeof(double));

  // sizes for the tolerances: a speed that has died away is followed as the small one it is now, an
  // oscillation that comes through zero as the large one it was
  const double past = r->t - r->t_start, lost = past > 0 ? (step.t - step.t0) / past : 0;
  for (int i = 0; i < n; i++) r->size[i] = fmax(fmax(1 - lost, forget) * r->size[i], fabs(r->y[i]));

  // stiff rods in loops: at least a share of the speed that the energy of the whole run could give
  // them
  const td_work* w = m->work;
  const double energy = r->trust.high[0] + r->trust.high[1] - r->trust.low[1];
  for (int j = 0; j < m->nv && w->rank.on && w->rank.sized; j++)
    if (r->trembles[m->iv[j]])
      r->size[m->nq + j] =
          fmax(r->size[m->nq + j], least_share * sqrt(2 * energy) * w->col_factor[j]);

  // jumps of prescribed speeds, the record of this instant, measures
  TD_TRY(strike(r));
  TD_TRY(add_end(r, r->t, r->y));
  watch(r);

  // segments of rods and beams that come near to half a turn end the run: their energy jumps there
  const td_status folds = td_refuse_folds(m->model, m->state, m->work);
  r->folded = folds != TD_OK;
  TD_TRY(folds);

  // events and switches, then a stop time that was reached
  if (step.root) TD_TRY(cross(r, &step));
  if (r->finished || r->t >= r->plan->t_end) return TD_OK;
  TD_TRY(pass_stop(r));

  // change to another solver or to compiled code where that is faster
  TD_TRY(reconsider(r));
  TD_TRY(look_for_code(r));

  // limit of steps, standstill, progress
  const long most = r->plan->max_steps;
  if (most > 0 && r->out->stats.steps + r->stepper->counts.steps >= most) {
    td_trajectory_say(r->out, "stopped at t = %.6g s of %.6g s: the limit of %ld steps is reached",
                      r->t, r->plan->t_end, most);
    return TD_E_STOPPED;
  }
  TD_TRY(notice_standstill(r));
  return report(r);
}

// Settle the initial state, record it and step until the end of the plan, an event that ends the
// run, or a failure.  A run that an event ends has its last state as an additional record.
static td_status loop(run* r) {
  // controllers that go on show the inputs as they were before a sample that is due now
  const bool goes_on = r->sampler != NULL && r->motion->state->memory[0] == 1;
  if (!goes_on) TD_TRY(run_sampler(r));

  // cables become taut or slack; then record the initial state
  TD_TRY(settle(r));
  r->y[r->motion->ode.n] = 0;  // the energy is counted from here
  td_motion_unpack(r->motion, r->t, r->y);
  td_trust_begin(&r->trust, r->motion, r->plan->atol);
  if (r->plan->follow != NULL) {
    // where speeds jump at the start, it begins just before
    td_work* w = r->motion->work;
    const bool struck = r->struck != NULL;
    const double early = struck ? td_jump_margin(r->t, r->plan->t_end - r->t_start) : 0;
    w->open_tables = struck;
    w->placed = w->placed && !struck;
    const td_status status = r->plan->follow->begin(r->plan->follow->ctx, r->motion, r->t - early,
                                                    struck ? r->struck : r->y);
    w->open_tables = false;
    w->placed = w->placed && !struck;
    TD_TRY(status);
    if (struck) TD_TRY(td_follow_jump(r->plan->follow, true, r->t, r->struck, r->y));
    td_motion_unpack(r->motion, r->t, r->y);
  }
  TD_TRY(add_row(r, r->t, r->y));
  if (goes_on) TD_TRY(run_sampler(r));
  r->row = 1;
  if (r->stuck > 0) TD_TRY(buckle(r, r->stuck));
  watch(r);
  if (r->t >= r->plan->t_end) return TD_OK;

  // choose the solver, and step to the end
  r->standstill.t = r->t;
  TD_TRY(first_solver(r));
  TD_TRY(look_for_code(r));
  while (r->t < r->plan->t_end && !r->finished) TD_TRY(advance(r));
  if (r->finished && td_trajectory_time(r->out, r->out->rows - 1) < r->t)
    return add_row(r, r->t, r->y);
  return TD_OK;
}

// ---- beginning and end ------------------------------------------------------------------------

static td_status count_rows(run* r) {
  const double length = r->plan->t_end - r->t_start, rows = length / r->plan->dt_out;
  if (!(length >= 0) || !(r->plan->dt_out > 0) || !(rows * r->out->stride < TD_MOST_OUTPUTS)) {
    td_trajectory_say(
        r->out,
        "from t = %.6g s to t_final = %.6g s with dt_out = %.6g s is no sensible set of outputs",
        r->t_start, r->plan->t_end, r->plan->dt_out);
    return TD_E_USAGE;
  }
  r->last_row = max_int((int)ceil(rows * (1 - 1e-10)), 1);
  return TD_OK;
}

// Tasks and controllers of the model give the inputs.
static td_status take_control(run* r) {
  td_motion* m = r->motion;
  if (!td_model_is_controlled(m->model)) return TD_OK;
  td_work* belief = r->plan->belief != NULL ? r->plan->belief : m->work;
  char message[400];
  const td_status status =
      td_sampler_new(m->model, m->work, belief, m->state, r->plan->allow_plugin, &r->sampler,
                     message, sizeof message);
  if (status != TD_OK && message[0] != '\0') td_trajectory_say(r->out, "%s", message);
  if (status != TD_OK || r->sampler != NULL) return status;
  TD_TRY(td_control_new(m->model, belief, m->state, &r->control));
  return td_motion_control(m, r->control);
}

// Prepare the start of a run: inputs and controllers, number of records, memory, jumps of
// prescribed speeds at t_start, step limits, stop times.
static td_status prepare(run* r) {
  td_motion* m = r->motion;
  if (r->plan->inputs != NULL) td_motion_inputs(m, r->plan->inputs);
  TD_TRY(take_control(r));
  const int n = m->ode.n + m->ode.nquad;
  TD_TRY(count_rows(r));

  // states of the solver, and the sizes of their tolerances
  r->y = calloc(3 * (size_t)n, sizeof(double));
  if (r->y == NULL) return TD_E_NOMEM;
  r->y_row = r->y + n;
  r->size = r->y_row + n;
  m->ode.size = r->size;
  r->trembles = calloc((size_t)m->size.nv + 1, sizeof(bool));
  if (r->trembles == NULL) return TD_E_NOMEM;
  td_stiff_loop_rods(m->model, m->work, r->trembles);

  // impulses where prescribed motion starts with a jump; rods that must buckle take none
  double work;
  bool moved;
  td_motion_pack(m, r->y);
  td_motion_recall(m, r->y);
  memcpy(r->y_row, r->y, (size_t)n * sizeof(double));
  r->stuck = td_stuck(m->model, m->state, m->work, next_row(r));
  if (r->stuck == 0) {
    const td_status status =
        td_motion_jump(m, r->t, r->y, r->plan->t_end - r->t_start, TD_EDGE_START, &work, &moved);
    if (status != TD_OK) {
      const td_run_end here = end_of(r);
      td_rows_are_tight(&here);
      return status;
    }
    if (moved && !alike(r->y_row, r->y, n) && r->plan->follow != NULL) {
      r->struck = malloc((size_t)n * sizeof(double));
      if (r->struck == NULL) return TD_E_NOMEM;
      memcpy(r->struck, r->y_row, (size_t)n * sizeof(double));
    }
  }
  td_prescribe(m->model, m->work, m->state);
  if (m->ntarget > 0) td_target_initial(m->model, m->state, m->work, r->y + m->nq + m->nv);

  // step lengths and stop times
  if (r->plan->follow != NULL) TD_TRY(td_motion_watch(m));
  m->ode.exact = r->plan->follow != NULL;
  m->ode.h_fixed = r->plan->step / (r->plan->halved ? 2 : 1);
  m->ode.h_max = (r->plan->t_end - r->t_start) / (r->plan->halved ? 100 : 50);
  return td_stop_times(m->model, m->work, r->plan->inputs, r->t_start, r->plan->t_end, &r->stops,
                       &r->nstop);
}

// Write the statistics of the end of a run (energies, work, energy error), also of a failed one,
// and judge how far it can be trusted.  Releases the stepper.
static void finish(run* r, td_status status) {
  td_sim_stats* s = &r->out->stats;
  drop_stepper(r);
  s->t_end = r->t;
  s->partial = status != TD_OK;
  if (r->out->rows == 0) return;
  const double* first = td_trajectory_energy(r->out, 0);
  // a run that ends at a jump it could not take ends before it
  const double before = status != TD_OK && r->motion->t_jump != r->t
                            ? td_jump_margin(r->t, r->plan->t_end - r->t_start)
                            : 0;
  td_motion_unpack(r->motion, r->t - before, r->y);
  const td_energies last = td_trial_energy(r->motion->model, r->motion->state, r->motion->work);
  s->energy_start = first[0] + first[1] + first[2];
  s->energy_end = last.kinetic + last.elastic + last.gravity;
  s->work_done = r->y[r->motion->ode.n];
  s->energy_error = s->energy_end - s->energy_start - s->work_done;
  td_trust_look(&r->trust, r->motion, &last, s->work_done);
  td_trust_judge(&r->trust, r->motion, r->chart_warned, status, r->out);
}

// Prepare, loop, diagnose, finish; r holds everything that lives as long as the run.
td_status td_run(const td_model* model, td_work* work, td_state* state, const td_run_plan* plan,
                 td_trajectory* out) {
  run r = {.plan = plan,
           .out = out,
           .t = state->t,
           .t_start = state->t,
           .t_switch = -INFINITY,
           .t_again = NAN,
           .t_cable = -INFINITY};
  td_status status = td_motion_new(model, work, state, plan->rtol, plan->atol, &r.motion);
  if (status != TD_OK) return status;
  status = prepare(&r);
  if ((status == TD_E_USAGE || status == TD_E_MODEL) && td_work_failure(work)[0] != '\0')
    td_trajectory_say(out, "%s", td_work_failure(work));
  if (status == TD_OK) {
    status = loop(&r);
    const td_run_end end = end_of(&r);
    td_diagnose(&end, status);
    finish(&r, status);
    td_motion_show(r.motion, r.t, r.y, state);
  }
  work->open_tables = work->placed = false;
  td_motion_free(r.motion);
  td_control_free(r.control);
  td_sampler_free(r.sampler);
  free(r.stops);
  free(r.trembles);
  free(r.struck);
  free(r.y);
  return status;
}
