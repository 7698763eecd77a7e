// Why a run ended early: where it was, the likely cause and what may help.
#include "solve/time/diagnosis.h"

#include <math.h>
#include <string.h>

#include "model/model.h"

// Whether prescribed motion that cannot be followed finds straight rods that could buckle: they are
// found again some way on, but no row can be given on this way.  The work says so.
bool td_rows_are_tight(const td_run_end* r) {
  td_motion* m = r->motion;
  char why[sizeof m->work->failure];
  memcpy(why, m->work->failure, sizeof why);
  td_motion_unpack(m, r->t, r->y);
  const double after = td_stuck(m->model, m->state, m->work, r->plan->t_end);
  double t = r->t;
  memcpy(r->scratch, r->y, (size_t)(m->ode.n + m->ode.nquad) * sizeof(double));
  const bool tight = after > 0 && td_motion_buckle(m, after, &t, r->scratch) == TD_OK;
  td_work_fail(m->work, "%s", why);
  if (tight)
    td_work_fail(m->work,
                 "at t = %.6g s prescribed motion finds rods of its loops straight, which can give "
                 "way only by buckling; they can be followed again after %.2g s, but a row is due "
                 "before: take a dt_out of %.2g s or more, or give the rods a stretch",
                 r->t, after, 2 * after);
  return tight;
}

// Add a message about the velocity or internal state that changes fastest relative to its size, at
// the last good state.
static void name_fastest(const td_run_end* r) {
  td_motion* m = r->motion;
  td_motion_unpack(m, r->t, r->y);
  if (m->size.nv + m->size.nz == 0 || td_trial_dynamics(m->model, m->state, m->work) != TD_OK)
    return;
  const double* vdot = td_work_vdot(m->work);
  int fastest = 0;
  double rate = -1;
  for (int i = 0; i < m->size.nv; i++) {
    const double x = fabs(vdot[i]) / (1 + fabs(m->state->v[i]));
    if (x > rate) fastest = i, rate = x;
  }
  const double* slopes = td_work_rates(m->model, m->work);
  int internal = -1;
  for (int i = 0; i < m->size.nz; i++) {
    const double x = fabs(slopes[i]) / (1 + fabs(m->state->z[i]));
    if (x > rate || !isfinite(x)) internal = i, rate = x;
  }
  if (internal >= 0) {
    td_trajectory_say(r->out, "fastest change there: the internal state %s, %.3g, rate %.3g",
                      td_model_internal_name(m->model, internal), m->state->z[internal],
                      slopes[internal]);
    return;
  }
  td_trajectory_say(r->out, "fastest change there: %s, velocity %.3g, acceleration %.3g",
                    td_model_v_name(m->model, fastest), m->state->v[fastest], vdot[fastest]);
}

// A loop that cannot follow the prescribed motion: from the last good state on it does not close
// any more.
static bool blame_motion(const td_run_end* r) {
  td_motion* m = r->motion;
  const td_model* model = m->model;
  const bool given = model->nmotion_slot > 0 || model->strains_timed;
  if (model->nrow == model->ntaut || !given) return false;
  if (td_rows_are_tight(r)) {
    td_trajectory_say(r->out, "%s", td_work_failure(m->work));
    return true;
  }
  for (double ahead = 1e-7; ahead < 0.03; ahead *= 4) {
    td_motion_unpack(m, r->t + ahead * (r->plan->t_end - r->t_start), r->y);
    if (td_project_q(model, m->state, m->work, 1e-9) == TD_OK) continue;
    td_report_unfollowed(model, m->work, m->state, r->t, false);
    td_trajectory_say(r->out, "%s", td_work_failure(m->work));
    return true;
  }
  return false;
}

// Report accelerations that joint.control prescribes and the robot cannot have, at the last good
// state.
static bool blame_control(const td_run_end* r) {
  td_motion* m = r->motion;
  const td_model* model = m->model;
  double left = 0;
  if (m->ntarget == 0) return false;
  td_motion_unpack(m, r->t, r->y);
  const int row = td_unfollowed_control(model, m->state, m->work, &left);
  if (row < 0) return false;
  td_trajectory_say(r->out, TD_UNFOLLOWED_CONTROL, r->t, td_model_constraint_name(model, row), left,
                    row_is_length(model->row[row].kind) ? "m/s^2" : "rad/s^2");
  return true;
}

// A number given over time that goes to infinity right ahead: it, its rate and its acceleration
// each change within the time `near`.
static bool has_pole(double near, const double* x, int rate, int acceleration) {
  if (!isfinite(x[0]) || !isfinite(x[rate]) || !isfinite(x[acceleration])) return true;
  return fabs(x[0]) < near * fabs(x[rate]) && fabs(x[rate]) < near * fabs(x[acceleration]) &&
         fabs(x[0]) > 0;
}

// Add a message if a prescribed motion or strain goes to infinity at the end of the failed run, or
// within the next 3 % of it (numbers such as exp(710) cannot be computed).  False: none does.
static bool blame_pole(const td_run_end* r) {
  td_motion* m = r->motion;
  const td_model* model = m->model;
  const char *what = NULL, *kind = "motion";
  const double* numbers = m->work->num;

  // at the end, then at times ever farther ahead
  for (double ahead = 0; what == NULL && ahead < 0.03; ahead = fmax(4 * ahead, 1e-7)) {
    const double span = r->plan->t_end - r->t_start, near = ahead == 0 ? 1e-4 * span : 0;
    td_motion_unpack(m, r->t + ahead * span, r->y);
    // numbers of this time, with rates by time alone: coordinates may follow the pole and hide it
    for (int i = 0; i < m->size.nv; i++) m->state->v[i] = 0;
    td_trial_energy(model, m->state, m->work);
    for (int i = 0; i < model->nvel && what == NULL; i++)
      if (model->vel[i].motion != NUM_NONE && has_pole(near, numbers + model->vel[i].motion, 1, 2))
        what = td_model_v_name(model, i);
    for (int i = 0; i < model->nrow && what == NULL; i++)
      if (model->row[i].motion != NUM_NONE && has_pole(near, numbers + model->row[i].motion, 1, 2))
        what = td_model_constraint_name(model, i);
    for (int i = 0; i < model->nhop && what == NULL; i++) {
      const model_hop* hop = &model->hop[i];
      const int n = 6 * hop->nodes;
      for (int k = 0; is_step(hop) && hop->dependent && model->strains_timed && k < n; k++)
        if (has_pole(near, numbers + hop->value + k, n, 2 * n)) {
          what = model_name(model, model->rod[model->coords[hop->coords].rod - 1].name);
          kind = "strain";
        }
    }
  }

  // the first that was found
  if (what == NULL) return false;
  td_trajectory_say(r->out,
                    "the %s given for %s goes to infinity there, or beyond what numbers can hold: "
                    "end the run before, or write a %s that stays finite",
                    kind, what, kind);
  return true;
}

// Add messages to the trajectory of a failed run: where it ended, the likely cause and advice.  The
// first cause that applies is reported.
void td_diagnose(const td_run_end* r, td_status status) {
  if (status == TD_OK || status == TD_E_STOPPED) return;
  if (status == TD_E_USAGE && r->plan->follow != NULL) return;  // what goes along says why
  td_trajectory_say(
      r->out, "the simulation ended at t = %.6g s of %.6g s: %s", r->t, r->plan->t_end,
      r->standstill->still   ? "it stands still, its steps have become too small to get on"
      : r->standstill->blown ? "the solution ends"
      : r->folded            ? "a rod or beam is folded"
                             : td_status_text(status));
  if (status == TD_E_NOMEM) return;
  const bool turned = r->motion->work->edge >= 0;  // the end of a chart
  const bool told = status == TD_E_MODEL || turned || r->folded;
  if (!told && (blame_motion(r) || blame_control(r))) return;
  const char* failure = td_work_failure(r->motion->work);
  if (failure[0] != '\0') td_trajectory_say(r->out, "%s", failure);
  if (told) return;  // it says all
  if (blame_pole(r)) return;
  name_fastest(r);
  if (r->standstill->blown) {
    td_trajectory_say(
        r->out,
        "%s goes to infinity at about t = %.6g s, and steps towards that time become ever shorter; "
        "what may help: coordinates that keep their meaning (a strain field that is written out "
        "must depend on each of its coordinates all the time: where two of them come to do the "
        "same, they grow against each other), or the end of the run before it",
        td_model_v_name(r->motion->model, r->standstill->velocity), r->standstill->pole);
    return;
  }
  const char* advice = td_solver_of(r->plan->solver)->advice;
  if (advice != NULL) {
    td_trajectory_say(r->out, "what may help: %s", advice);
  } else if (r->standstill->still) {
    td_trajectory_say(
        r->out,
        "what may help: damping (rod.eta, joint.damp) for what is fastest; coordinates that keep "
        "their meaning (a strain field that is written out must depend on each of its coordinates "
        "all the time, or the mass matrix is singular there); fewer functions (rod.n); a larger "
        "par.rtol or par.atol");
  } else if (td_solver_of(r->plan->solver)->implicit && r->motion->size.nconstraint > 0 &&
             r->motion->size.nrod > 0) {
    // rows of straight rods that cannot stretch are nearly dependent, and the accelerations bend
    // within displacements that no Newton iteration can follow from one Jacobian
    td_trajectory_say(
        r->out,
        "likely cause: rods of loops that are straight, or nearly, and cannot stretch: the stiff "
        "solver, which was asked for, finds no step beside them; leave its choice open (auto), "
        "whose explicit steps go on there, or give the rods a stretch (rod.modes, rod.order)");
  } else if (status == TD_E_SINGULAR) {
    td_trajectory_say(
        r->out,
        "likely cause: a massless part that nothing holds, or a mechanism in a singular "
        "position; give the part a small mass or inertia, or start elsewhere");
  } else {
    td_trajectory_say(
        r->out,
        "likely cause: an unstable model (a spring, gain or damping of the wrong sign), a very "
        "stiff or jumping force, or loops that cannot close; check signs and units, add damping, "
        "smooth the force, or try the other solver (par.solver) and a smaller par.rtol");
  }
}

td_status td_refuse_endless(const td_run_plan* plan, const td_ode* ode, double t,
                            const td_choice* choice, td_trajectory* out) {
  const double endless = 3e8;
  const td_solver_row* row = td_solver_of(plan->solver);
  const bool allowed = row->implicit || plan->max_steps > 0 || plan->follow != NULL;
  if (allowed || !td_solver_of(choice->solver)->implicit) return TD_OK;
  if (!(choice->stable_steps * ode->n > endless)) return TD_OK;
  td_trajectory_say(out,
                    "the %s solver that was asked for would need about %.2g steps of %.2g s "
                    "to t = %.6g s, since its fastest mode is stiff: leave the choice of the "
                    "solver open (auto), ask for stiff, or end earlier",
                    row->method, choice->stable_steps, (plan->t_end - t) / choice->stable_steps,
                    plan->t_end);
  return TD_E_STOPPED;
}
