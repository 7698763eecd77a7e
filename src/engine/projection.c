// Projection of states onto the constraints by Newton's method in the metric of the masses,
//
//   J δ = -e,   δᵀ W δ least,   W the mass matrix; for positions strains weigh more
//   (td_weigh_strains)
//
// and, for states that have hardly left the constraints, as after a step of a simulation, an
// iteration that reuses the corrections of a nearby state.
#include <math.h>
#include <string.h>

#include "engine/hop_strain.h"
#include "engine/system.h"
#include "engine/taut.h"
#include "math/kernel.h"

// Errors of positions or rates of the projected rows against their targets, 0 for other rows;
// returns the largest.
double td_row_errors(const td_model* m, const td_work* w, bool rate, double* out) {
  double worst = 0;

  for (int i = 0; i < m->nrow; i++) {
    const row_value v = td_row_at(m, w, i);
    double e, ed;
    td_row_target(m, w, i, &e, &ed);
    const bool on = row_is_projected(m, w, i) && !row_is_off(m, w, i);
    out[i] = on ? (rate ? v.ed - ed : v.e - e) : 0;
    worst = fmax(worst, fabs(out[i]));
    if (!isfinite(out[i])) return INFINITY;
  }

  return worst;
}

// Largest rotation [rad] by which the displacement delta turns a joint, or bends a rod up to any of
// its sections. The state has been placed; the displacements of all hops are left in w->df.
double td_largest_turn(const td_model* m, td_work* w, const double* delta) {
  double most = 0;

  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    const bool on = is_step(hop) && hop->parent >= 0 && is_step(&m->hop[hop->parent]);

    // along a rod the rotations of its steps add up
    spatial sum = on ? w->df[hop->parent] : spatial_zero();
    if (is_step(hop)) sum = spatial_add(sum, td_strain_acceleration(m, w, hop, delta));
    for (int k = hop->col; k < hop->col + hop->nv && !is_step(hop); k++)
      sum = spatial_axpy(delta[m->col[k].v], w->col[k].S, sum);
    w->df[i] = sum;
    most = fmax(most, vec3_norm(spatial_r(&sum)));
  }

  return most;
}

// ---- Newton's method ---------------------------------------------------------------------------

// Factors of a projection.  The factors of a nearby state are reused (modified Newton) as long as
// the iteration converges fast; the result then differs by the product of the errors only.
typedef struct metric {
  td_system system;
  arena_mark before;  // scratch is released to here before the factors are renewed
  system_use use;
  bool ready;    // the factors may be reused
  double error;  // position error of the state where they were made
} metric;
#define NEAR 1e-6  // errors of positions up to which factors are reused

// One step δ of least size with J δ = -error; factors the system first where it is not ready.
static td_status correct(const td_model* m, td_work* w, metric* k, const double* error,
                         double* delta) {
  arena* s = &w->scratch;

  if (!k->ready) {
    arena_close(s, k->before);
    TD_TRY(system_factor(m, w, k->use, &k->system));
    k->ready = k->system.ops->lasting;
  }

  const arena_mark mark = arena_open(s);
  double *g = arena_doubles(s, m->nrow), *zero = arena_zeros(s, m->nvel);
  for (int i = 0; i < m->nrow; i++) g[i] = -error[i];
  system_solve(m, w, &k->system, zero, g, 1, delta, NULL);
  arena_close(s, mark);
  return TD_OK;
}

// Project the positions by Newton's method with the factors k until the largest error of the rows
// is at most tol, or at most `accept` where rounding or redundant rows stop the convergence.  w is
// left with the kinematics of the last positions.
static td_status project_positions(const td_model* m, td_state* state, td_work* w, double tol,
                                   double accept, metric* k, double* e, double* delta) {
  double before = INFINITY, error = INFINITY;
  bool fresh = false;  // the last step was made with factors of its own state

  for (int iteration = 0; iteration < 30; iteration++) {
    // evaluate the kinematics and the errors; stop at tol, or where new factors gain little
    td_place(m, state, w);
    error = td_row_errors(m, w, false, e);
    if (error <= tol) return TD_OK;
    if (error <= accept && error > 0.5 * before && fresh) return TD_OK;

    // renew the factors when convergence is slow or the state is far away
    if (error > 0.1 * before || error > 1e-3 * NEAR) k->ready = false;
    before = error;
    fresh = !k->ready;
    if (fresh) k->error = error;
    if (!isfinite(error) || correct(m, w, k, e, delta) != TD_OK) break;

    // limit rotations to half a radian, beyond which Newton's method is not to be trusted
    const double largest = td_largest_turn(m, w, delta);
    for (int i = 0; i < m->nvel && largest > 0.5; i++) delta[i] *= 0.5 / largest;
    td_trial_displace(m, state->q, delta, state->q);
  }

  // accept the error of the last state, or name the row with the largest one
  td_place(m, state, w);
  error = td_row_errors(m, w, false, e);
  if (error <= accept) return TD_OK;
  int worst = 0;
  for (int i = 1; i < m->nrow; i++)
    if (fabs(e[i]) > fabs(e[worst])) worst = i;
  td_work_fail(
      w, "the constraints cannot be met from this configuration (t = %g s): %s is off by %.3g",
      state->t, td_model_constraint_name(m, worst), e[worst]);
  return TD_E_DIVERGED;
}

// Project the velocities of a placed state.  The rows are linear in them: one step with factors of
// this state is exact, with factors of a nearby state a few steps follow the remaining error
// through J (nrow x nvel).
static td_status project_velocities(const td_model* m, td_state* state, td_work* w, metric* k,
                                    double* J, double* e, double* delta) {
  double size = 1, before = INFINITY, error = td_row_errors(m, w, true, e);
  if (k->error > NEAR) k->ready = false;
  if (k->ready) td_row_jacobian(m, w, J);
  for (int i = 0; i < m->nvel; i++) size = fmax(size, fabs(state->v[i]));

  // correct until the error is rounding of the largest velocity
  for (int iteration = 0; iteration < 5 && error > 1e-14 * size; iteration++) {
    if (error > 0.1 * before) k->ready = false;
    before = error;
    const bool exact = !k->ready;
    TD_TRY(correct(m, w, k, e, delta));
    for (int i = 0; i < m->nvel; i++) state->v[i] += delta[i];
    if (exact) return TD_OK;

    // errors that the step has left: e += J delta
    error = 0;
    for (int i = 0; i < m->nrow; i++) {
      for (int j = 0; j < m->nvel && row_is_projected(m, w, i); j++)
        e[i] += J[i * m->nvel + j] * delta[j];
      error = fmax(error, fabs(e[i]));
    }
  }

  return TD_OK;
}

// Project positions, velocities or both, with one set of factors.
static td_status project(const td_model* m, td_state* state, td_work* w, bool positions,
                         bool velocities, double tol, double accept) {
  if (m->nrow == 0) return TD_OK;
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double *e = arena_doubles(s, m->nrow), *delta = arena_doubles(s, m->nvel);
  double* J = arena_doubles(s, system_of(m)->lasting ? m->nrow * m->nvel : 0);
  metric k = {.before = arena_open(s), .use = positions ? SYSTEM_POSITIONS : SYSTEM_VELOCITIES};

  // positions, then velocities with the same factors
  td_status status = TD_OK;
  td_prepare(m, w);

  if (positions) {
    status = project_positions(m, state, w, tol, accept, &k, e, delta);
  } else {
    td_place(m, state, w);
  }

  if (status == TD_OK && velocities) status = project_velocities(m, state, w, &k, J, e, delta);
  arena_close(s, mark);
  return status;
}

// Project the positions down to tol.
td_status td_project_q(const td_model* m, td_state* state, td_work* w, double tol) {
  return project(m, state, w, true, false, tol, tol);
}

// Project the positions down to tol; errors below `accept` are good enough.
td_status td_project_q_within(const td_model* m, td_state* state, td_work* w, double tol,
                              double accept) {
  return project(m, state, w, true, false, tol, accept);
}

// Project the velocities.
td_status td_project_v(const td_model* m, td_state* state, td_work* w) {
  return project(m, state, w, false, true, 0, 0);
}

// Project positions, then velocities.
td_status td_project(const td_model* m, td_state* state, td_work* w, double tol, double accept) {
  return project(m, state, w, true, true, tol, accept);
}

// Largest errors of positions and of rates at a state.
void td_constraint_error(const td_model* m, const td_state* state, td_work* w, double* e,
                         double* edot) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double* rows = arena_doubles(s, m->nrow);
  td_prepare(m, w);
  td_place(m, state, w);
  *e = td_row_errors(m, w, false, rows);
  *edot = td_row_errors(m, w, true, rows);
  arena_close(s, mark);
}

// ---- states that hardly left the constraints ---------------------------------------------------
//
//   J δ = -e      δ_{k+1} = δ_k - B (e + J δ_k),      B = W⁻¹ Jᵀ (J W⁻¹ Jᵀ)⁻¹ of a state near by
//
// J is that of the present state, so that each δ is a Newton step; B only determines the metric in
// which the step is least and is reused as long as the iteration converges fast.  The rows are
// linear in the velocities, for which one such step is enough.  States farther away go through
// td_project.

// max |x_i|
static const double met = 1e-13;        // position errors that need no correction
static const double near_by = 1e-6;     // position errors for which one Newton step is enough
static const double speck = 1e-14;      // relative velocity errors that need no correction
static const double dependent = 1e-11;  // relative velocity errors that dependent rows may leave

// max |x_i|
static double largest(const double* x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// B (nvel x nrow): column i is the least displacement that changes row i by 1 at the placed state.
// False: nothing with mass resists a coordinate.
static bool corrections(const td_model* m, td_work* w, double* B) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  const int r = m->nrow;
  double *unit = arena_zeros(s, r * r), *zero = arena_zeros(s, m->nvel * r);
  for (int i = 0; i < r; i++) unit[i * r + i] = row_is_projected(m, w, i);
  td_system system;
  const bool ok = system_factor(m, w, SYSTEM_POSITIONS, &system) == TD_OK;
  if (ok) system_solve(m, w, &system, zero, unit, r, B, NULL);
  arena_close(s, mark);
  return ok;
}

// Solve J δ = -e by the iteration above, to `enough` if possible.  When it leaves more than a
// hundred times that, B is renewed once.  False: more than `accept` is left.
static bool correct_near(const td_model* m, td_work* w, td_projector* p, double enough,
                         double accept, const double* e, double* delta, double* left) {
  const arena_mark mark = arena_open(&w->scratch);
  double *r = arena_doubles(&w->scratch, m->nrow), *step = arena_doubles(&w->scratch, m->nvel);
  *left = INFINITY;

  for (int attempt = 0; attempt < 2 && !(*left <= 100 * enough); attempt++) {
    if (attempt > 0) p->ready = false;
    if (!p->ready) p->ready = corrections(m, w, p->B);
    if (!p->ready) continue;

    // iterate while the remaining error r = e + J δ falls fast
    double before = INFINITY;
    memcpy(r, e, (size_t)m->nrow * sizeof(double));
    memset(delta, 0, (size_t)m->nvel * sizeof(double));
    *left = largest(r, m->nrow);
    for (int k = 0; k < 12 && *left > enough && *left < 0.3 * before; k++) {
      before = *left;
      for (int i = 0; i < m->nvel; i++) step[i] = -dot(p->B + i * m->nrow, r, m->nrow);
      for (int i = 0; i < m->nvel; i++) delta[i] += step[i];
      for (int i = 0; i < m->nrow; i++)
        if (m->row[i].projected) r[i] += dot(p->J + i * m->nvel, step, m->nvel);
      *left = largest(r, m->nrow);
    }
  }

  arena_close(&w->scratch, mark);
  return *left <= accept;
}

// Project a state that has hardly left the constraints; falls back to td_project where that fails.
td_status td_project_near(const td_model* m, td_state* state, td_work* w, td_projector* p) {
  if (m->nrow == 0) return TD_OK;
  bool done = false;

  if (!m->sparse) {
    const arena_mark mark = arena_open(&w->scratch);
    double *e = arena_doubles(&w->scratch, m->nrow), *delta = arena_doubles(&w->scratch, m->nvel);
    double left;
    td_prepare(m, w);
    td_place(m, state, w);
    td_row_jacobian(m, w, p->J);

    // positions: one step where the error is small but not rounding
    p->error = td_row_errors(m, w, false, e);
    done = p->error <= met;
    if (!done && p->error <= near_by &&
        correct_near(m, w, p, 0.1 * met, p->accept, e, delta, &left)) {
      td_trial_displace(m, state->q, delta, state->q);
      td_place(m, state, w);
      p->error = td_row_errors(m, w, false, e);
      done = p->error <= p->accept;
    }

    // velocities: one step, as the rows are linear in them
    if (done) {
      const double size = fmax(1, largest(state->v, m->nvel));
      td_row_errors(m, w, true, e);
      done = correct_near(m, w, p, speck * size, dependent * size, e, delta, &p->rate);
      for (int i = 0; done && i < m->nvel; i++) state->v[i] += delta[i];
    }
    arena_close(&w->scratch, mark);
  }

  if (done) return TD_OK;
  TD_TRY(td_project(m, state, w, met, p->accept));
  td_constraint_error(m, state, w, &p->error, &p->rate);
  return TD_OK;
}

// One set of factors for all right-hand sides; rows that are not projected count for nothing.
td_status td_projection_solve(const td_model* m, const td_state* state, td_work* w, bool rates,
                              const double* f, const double* g, int k, double* x, double* l) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  const int nv = m->nvel, nr = m->nrow;
  const double* none = arena_zeros(s, nv);
  double *rows = arena_zeros(s, nr), *out = arena_doubles(s, nv);
  td_system system;
  td_prepare(m, w);
  td_place(m, state, w);
  const td_status status =
      system_factor(m, w, rates ? SYSTEM_VELOCITIES : SYSTEM_POSITIONS, &system);
  for (int j = 0; j < k && status == TD_OK; j++) {
    for (int i = 0; g && i < nr; i++) rows[i] = row_is_projected(m, w, i) ? g[j * nr + i] : 0;
    system_solve(m, w, &system, f ? f + j * nv : none, rows, 1, out, l ? l + j * nr : NULL);
    memcpy(x + j * nv, out, (size_t)nv * sizeof(double));
  }
  arena_close(s, mark);
  return status;
}
