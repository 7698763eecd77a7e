// The solver that takes equal steps: Radau IIA collocation of order 5 (three stages), with the
// Jacobian and its factors anew in each step.
//
// Its cost is known beforehand and the same everywhere: one tangent, one real and one complex
// factorisation and some three Newton iterations a step.  It is L-stable: modes that are faster
// than the steps die out instead of growing.  It has no error test; `sim --halve` compares with
// steps of half the length.  From a start or a stop to the next stop steps are equal: the longest
// that go into the interval a whole number of times and are not longer than those requested.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/kernel.h"
#include "solve/time/collocation.h"

enum { STAGES = 3, ITERATIONS = 12, MORE = 40 };  // MORE: to rounding
// Accuracy of Newton's method, relative to the tolerance.  Nothing else is held to the tolerance
// here, and an iteration costs three evaluations: well below the accuracy of any request.
static const double newton_accuracy = 1e-3;

// Z_try of a step of h from (t_to, y_to): 0 when found.
static int newton(td_collocated* c, double h) {
  const td_collocation* k = &c->table;
  const int n = c->n;

  // the Jacobian at the beginning of the step and the factors of E/h - J
  if (td_ode_jacobian(&c->base, c->t_to, c->y_to, c->J) != 0) return 1;
  if (td_collocated_factor(c, h) != TD_OK) return 1;

  // begin with the polynomial of the last step carried on, or with no motion
  memset(c->Z_try, 0, (size_t)n * STAGES * sizeof(double));
  for (int i = 0; i < STAGES && c->stepped; i++) {
    double w[TD_STAGES_MOST];
    td_collocation_values(k, 1 + k->c[i] * h / c->h, w);
    td_collocated_sum(c, w, c->Z, stage_row(c, c->Z_try, i));
    axpy(-1, stage_row(c, c->Z, STAGES - 1), stage_row(c, c->Z_try, i), n);
  }
  for (int i = 0; i < STAGES; i++)
    td_collocated_sum(c, k->back + i * STAGES, c->Z_try, stage_row(c, c->W, i));

  // what the states may be off; rounding keeps Newton's method from going further
  for (int i = 0; i < n; i++)
    c->tolerance[i] = fmax(newton_accuracy * td_tolerance(&c->base, i, c->y_to[i]),
                           16 * DBL_EPSILON * fabs(c->y_to[i]));

  const bool exact = c->base.ode->exact;
  double before = INFINITY;
  for (int iteration = 0; iteration < (exact ? MORE : ITERATIONS); iteration++) {
    if (td_collocated_slopes(c, h) != 0) return 1;
    td_collocated_correct(c, h);
    const double size = td_collocated_norm(c, c->F, STAGES);
    // where derivatives are taken: until rounding keeps it from getting smaller
    if (size <= 1 && (!exact || size == 0 || (iteration > 2 && size > 0.9 * before))) return 0;
    if (!isfinite(size) || (iteration > 2 && size > 0.9 * before)) return 1;
    before = size;
  }
  return !(before <= 1);
}

// One step of equal parts of the way to t_stop.
static int advance(td_collocated* c, double t_stop) {
  const double rest = t_stop - c->t_to;
  const double parts = fmax(ceil(rest / c->base.ode->h_fixed * (1 - 1e-9)), 1);
  const double h = rest / parts, t = parts > 1 ? c->t_to + h : t_stop;
  if (!(t > c->t_to) || newton(c, h) != 0 || td_collocated_end(c, h, t) != 0) return 1;
  td_collocated_accept(c, h, t);
  return 0;
}

static td_status step(td_stepper* base, double t_stop, td_step* out) {
  base->stale = false;  // the Jacobian is always new
  return td_collocated_step((td_collocated*)base, advance, t_stop, out);
}

static td_status restart(td_stepper* base, double t, const double* y) {
  td_collocated_begin((td_collocated*)base, t, y);
  return TD_OK;
}

static void release(td_stepper* base) {
  td_collocated_free((td_collocated*)base);
  free(base);
}

static const td_stepper_ops fixed_ops = {step, td_collocated_at, restart, release, NULL, false,
                                         true};

// Create the solver of equal steps at (t, y); *stepper is NULL on failure.
static td_status start(const td_ode* ode, double t, const double* y, td_stepper** stepper) {
  *stepper = NULL;
  td_collocated* c = calloc(1, sizeof *c);
  if (c == NULL) return TD_E_NOMEM;
  c->base = (td_stepper){.ops = &fixed_ops, .ode = ode, .sharp = 1};
  td_status status = td_collocated_new(c, STAGES);
  if (status == TD_OK) status = td_stepper_restart(&c->base, t, y);
  if (status != TD_OK) {
    release(&c->base);
    return status;
  }
  *stepper = &c->base;
  return TD_OK;
}

const td_solver_row td_solver_fixed = {
    .start = start,
    .method = "fixed-step",
    .implicit = true,
    .dense = true,
    .equal = true,
    .advice = "take shorter steps (par.step, --step), or a solver that chooses them (par.solver)"};
