// The verdict on a run: see trust.h.
#include "solve/time/trust.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"

// Shares of the energy turned over from which the balance is to be looked at, and is wrong
static const double energy_look = 1e-3, energy_wrong = 0.1;
// Below this part of the largest energy an error is rounding
static const double rounding = 1e-12;
// Constraint errors by the robot's size
static const double constraint_look = 1e-6, constraint_wrong = 1e-3;
// Absolute tolerance by the robot's size
static const double coarse_look = 1e-3;
// Stretch of a rod, 1: as long as made; below 0 it is turned inside out
static const double stretch_look = 0.1;
// Bounds [rad], [m], [m/s] that no robot exceeds
static const double most_angle = 1e9, most_length = 1e9, most_speed = 3e8;

void td_say_fold(const td_model* m, int node, double angle, char* text, size_t size) {
  const char* rod;
  const int number = td_fold_segment(m, node, &rod);
  snprintf(text, size, TD_FOLDED, number, rod, angle);
}

// ---- measures ---------------------------------------------------------------------------------

// Start the measures: energies, size of the robot, the kinetic energy that tolerances cannot see,
// and a loop that starts in a singular position.  Leaves the state as it was.
void td_trust_begin(td_trust_measures* r, td_motion* m, double atol) {
  *r = (td_trust_measures){.atol = atol, .t_error = m->state->t, .stretch = INFINITY, .rod = ""};

  // speeds of ten times the absolute tolerance; coarse ones are no excuse
  const double speed = 10 * fmin(atol, 1e-6);
  double* v = m->vdot;
  for (int i = 0; i < m->size.nv; i++) {
    v[i] = m->state->v[i];
    m->state->v[i] = speed;
  }
  r->unseen = td_trial_energy(m->model, m->state, m->work).kinetic;
  for (int i = 0; i < m->size.nv; i++) m->state->v[i] = v[i];

  const td_energies e = td_trial_energy(m->model, m->state, m->work);
  const double three[3] = {e.kinetic, e.elastic, e.gravity};
  memcpy(r->low, three, sizeof three);
  memcpy(r->high, three, sizeof three);
  r->start = e.kinetic + e.elastic + e.gravity;
  r->size = td_robot_size(m->model, m->work);
  // straight rods that prescribed motion pushes buckle, which is said where it happens
  const bool pushed = m->size.nrod > 0 && m->model->nmotion_slot > 0;
  double drift = 0;
  const int shaky = pushed ? -1 : td_shaky_row(m->model, m->state, m->work, &drift);
  if (shaky < 0) return;
  r->shaky = td_model_constraint_name(m->model, shaky);
  // that the run begins there is the cause of what is lost while it creeps within rounding
  r->unseen = fmax(r->unseen, drift);
}

// Update extremes of energies, the largest error of the balance E - E0 - work and the least stretch
// of rods, with their times.
void td_trust_look(td_trust_measures* r, const td_motion* m, const td_energies* e, double work) {
  const double three[3] = {e->kinetic, e->elastic, e->gravity};
  for (int i = 0; i < 3; i++) {
    r->low[i] = fmin(r->low[i], three[i]);
    r->high[i] = fmax(r->high[i], three[i]);
  }

  // an error that is not a number is the largest
  const double error = fabs(e->kinetic + e->elastic + e->gravity - r->start - work);
  if (!(error <= r->error) && !isnan(r->error)) {
    r->error = error;
    r->t_error = m->state->t;
  }

  const char* rod = "";
  const double stretch = m->size.nrod > 0 ? td_least_stretch(m->model, m->work, &rod) : INFINITY;
  if (stretch < r->stretch) {
    r->stretch = stretch;
    r->t_stretch = m->state->t;
    r->rod = rod;
  }
}

// Update the measures at the end of a step, only where that costs little beside the steps
// themselves.
void td_trust_step(td_trust_measures* r, td_motion* m, double work, long evaluations) {
  // of so many steps that were taken, one more is left out
  enum { OFTEN = 64 };
  // a look takes about half an evaluation: with as many between two it is some hundredths of the
  // work, where steps take one or two each; those of a dozen are looked at one by one
  enum { BETWEEN = 12 };
  r->moved += fabs(work - r->work);
  r->work = work;
  if (r->steps++ < r->next || evaluations < r->evaluations + BETWEEN) return;
  r->next = r->steps + r->steps / OFTEN;
  r->evaluations = evaluations;
  const td_energies e = td_trial_energy(m->model, m->state, m->work);
  td_trust_look(r, m, &e, work);
}

// ---- verdict ----------------------------------------------------------------------------------

TD_PRINTF(3, 4)
static void blame(td_trajectory* out, td_verdict verdict, const char* format, ...) {
  if (verdict > out->verdict) out->verdict = verdict;
  size_t used = strlen(out->reasons);
  if (used > 0 && used + 1 < sizeof out->reasons) out->reasons[used++] = '\n';
  va_list list;
  va_start(list, format);
  vsnprintf(out->reasons + used, sizeof out->reasons - used, format, list);
  va_end(list);
}

// Judge the balance of energy against the energy turned over: kinetic peak, ranges of elastic and
// gravity energy, work.  Errors below rounding, or too small for the tolerances, count as none.
static void judge_energy(const td_trust_measures* r, td_trajectory* out) {
  double turned = r->moved + r->high[0], largest = 0;
  for (int i = 1; i < 3; i++) turned += r->high[i] - r->low[i];
  for (int i = 0; i < 3; i++) largest = fmax(largest, fmax(fabs(r->low[i]), fabs(r->high[i])));
  if (!isfinite(r->error) || !isfinite(turned)) {
    blame(out, TD_TRUST_WRONG, "the energy is not finite at t = %.6g s", r->t_error);
    return;
  }
  if (r->error <= rounding * largest || r->error <= r->unseen || r->error <= energy_look * turned)
    return;
  const bool wrong = r->error > energy_wrong * turned;
  blame(
      out, wrong ? TD_TRUST_WRONG : TD_TRUST_LOOK,
      "the balance of energies is off by %.2g J at t = %.6g s, %.2g %% of the %.2g J turned over; "
      "smaller par.rtol and par.atol show whether the tolerances are the cause",
      r->error, r->t_error, 100 * r->error / turned, turned);
}

// Judge all records by their coordinates: the first that is not finite or beyond what any robot
// reaches is reported as WRONG.
static void judge_states(const td_motion* m, td_trajectory* out) {
  td_coordinate about;
  for (int row = 0; row < out->rows; row++) {
    const double t = td_trajectory_time(out, row);
    const double *q = td_trajectory_q(out, row), *v = td_trajectory_v(out, row);
    for (int i = 0; i < out->size.nq; i++) {
      if (fabs(q[i]) <= fmin(most_angle, most_length) || !td_model_q_about(m->model, i, &about))
        continue;
      const bool length = strcmp(about.unit, "m") == 0, angle = strcmp(about.unit, "rad") == 0;
      if (isfinite(q[i]) && !length && !angle) continue;
      blame(out, TD_TRUST_WRONG, "%s is %.3g %s at t = %.6g s, beyond %.0e: no robot goes there",
            about.name, q[i], about.unit, t, length ? most_length : most_angle);
      return;
    }
    for (int i = 0; i < out->size.nv; i++) {
      if (fabs(v[i]) <= most_speed || !td_model_v_about(m->model, i, &about)) continue;
      if (isfinite(v[i]) && strcmp(about.unit, "m/s") != 0) continue;
      blame(out, TD_TRUST_WRONG, "the rate of %s is %.3g %s at t = %.6g s, faster than light",
            about.name, v[i], about.unit, t);
      return;
    }
  }
}

// The first sensor without a value.
static void judge_sensors(const td_motion* m, td_trajectory* out) {
  for (int row = 0; row < out->rows; row++)
    for (int i = 0; i < out->size.nsensor; i++) {
      const double x = td_trajectory_sensors(out, row)[i];
      if (isfinite(x)) continue;
      blame(out, TD_TRUST_LOOK, "the sensor %s is %s at t = %.6g s",
            td_model_sensor_name(m->model, i), isnan(x) ? "not a number" : "infinite",
            td_trajectory_time(out, row));
      return;
    }
}

// Add a verdict (WRONG or LOOK) with its reason to `out` for each measure that is out of bounds.
void td_trust_judge(const td_trust_measures* r, const td_motion* m, bool near_chart_end,
                    td_status status, td_trajectory* out) {
  judge_energy(r, out);
  judge_states(m, out);
  judge_sensors(m, out);
  if (r->stretch < stretch_look) {
    const bool reversed = r->stretch <= 0;
    blame(out, reversed ? TD_TRUST_WRONG : TD_TRUST_LOOK,
          "%s is %s at t = %.6g s: its axis is %.3g times as long there as it was made", r->rod,
          reversed ? "turned inside out" : "crushed", r->t_stretch, r->stretch);
  }

  // constraints; what the projection accepts is no reason, however small the robot
  const double error = out->stats.max_constraint_error;
  if (error > fmax(constraint_look * r->size, 10 * m->projector.accept))
    blame(out, error > constraint_wrong * r->size ? TD_TRUST_WRONG : TD_TRUST_LOOK,
          "the constraints are violated by up to %.2g, the robot's size is %.3g m", error, r->size);

  if (m->model->size > 0 && r->atol > coarse_look * m->model->size)
    blame(out, TD_TRUST_LOOK,
          "the absolute tolerance, %.2g, is large beside the robot's size, %.3g m: give a smaller "
          "par.atol, or none for one that fits",
          r->atol, m->model->size);

  if (r->buckled)
    blame(out, TD_TRUST_LOOK,
          "rods that cannot stretch buckle at t = %.6g s: to which side, and how fast at first, is "
          "not in the model; a stretch or a small initial bend of the rods decides it",
          r->t_buckled);
  if (r->shaky != NULL)
    blame(out, TD_TRUST_LOOK,
          "the run begins in a singular position of the loop of %s (bars in line): its rows let it "
          "move only by as little as rounding does, and its forces have no lever; start elsewhere, "
          "or change a length",
          r->shaky);
  if (near_chart_end)
    blame(out, TD_TRUST_LOOK,
          "a three-number rotation comes close to its singularity (half a turn)");
  if (status != TD_OK && status != TD_E_STOPPED)
    blame(out, TD_TRUST_LOOK, "the run failed at t = %.6g s", out->stats.t_end);
}
