// Projection of states that hardly left the constraints, as steps of a simulation do:
//
//   J δ = -e      δ_{k+1} = δ_k - B (e + J δ_k),      B = W Jᵀ (J W Jᵀ)⁻¹ of a state near by
//
// J is that of the state, so that the step is Newton's; B only says in which metric it is least,
// and serves as long as the iteration converges fast.  The rows are linear in the velocities, which
// takes one such step and no further look.  What is farther away goes through td_project.
#include <math.h>
#include <string.h>

#include "engine/stages.h"
#include "math/kernel.h"

static const double met = 1e-13;     // position errors that are left alone
static const double near_by = 1e-6;  // position errors up to which one step of Newton's is enough
// Of velocities: an error that nobody sees, and what dependent rows may leave.
static const double speck = 1e-14, dependent = 1e-11;

static double largest(const double* x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// δ for the errors r, of which what is left over stays in r; the largest of that.
static double answer(const td_model* m, const td_projector* p, double enough, double* r,
                     double* delta, double* step) {
  double before = INFINITY, size = largest(r, m->nrow);
  memset(delta, 0, (size_t)m->nvel * sizeof(double));
  for (int k = 0; k < 12 && size > enough && size < 0.3 * before; k++) {
    before = size;
    for (int i = 0; i < m->nvel; i++) step[i] = -dot(p->B + i * m->nrow, r, m->nrow);
    for (int i = 0; i < m->nvel; i++) delta[i] += step[i];
    for (int i = 0; i < m->nrow; i++)
      if (m->row[i].projected) r[i] += dot(p->J + i * m->nvel, step, m->nvel);
    size = largest(r, m->nrow);
  }
  return size;
}

// The same with another B if need be, when hundred times `enough` is left; false: not even then
// below `accept`.
static bool find(const td_model* m, td_work* w, td_projector* p, double enough, double accept,
                 double* e, double* delta, double* left) {
  const arena_mark mark = arena_open(&w->scratch);
  double *r = arena_doubles(&w->scratch, m->nrow), *step = arena_doubles(&w->scratch, m->nvel);
  *left = INFINITY;
  for (int attempt = 0; attempt < 2 && !(*left <= 100 * enough); attempt++) {
    if (attempt > 0) p->ready = false;
    if (!p->ready) p->ready = td_corrections(m, w, p->B);
    memcpy(r, e, (size_t)m->nrow * sizeof(double));
    if (p->ready) *left = answer(m, p, enough, r, delta, step);
  }
  arena_close(&w->scratch, mark);
  return *left <= accept;
}

// The state is left placed.
static bool correct_positions(const td_model* m, td_state* state, td_work* w, td_projector* p,
                              double* e, double* delta) {
  double left;
  p->error = td_row_errors(m, w, false, e);
  if (p->error <= met) return true;
  if (!(p->error <= near_by)) return false;
  if (!find(m, w, p, 0.1 * met, p->accept, e, delta, &left)) return false;
  td_trial_displace(m, state->q, delta, state->q);
  td_place(m, state, w);
  p->error = td_row_errors(m, w, false, e);
  return p->error <= p->accept;
}

static bool correct_velocities(const td_model* m, td_state* state, td_work* w, td_projector* p,
                               double* e, double* delta) {
  const double size = fmax(1, largest(state->v, m->nvel));
  td_row_errors(m, w, true, e);
  if (!find(m, w, p, speck * size, dependent * size, e, delta, &p->rate)) return false;
  for (int i = 0; i < m->nvel; i++) state->v[i] += delta[i];
  return true;
}

td_status td_project_near(const td_model* m, td_state* state, td_work* w, td_projector* p) {
  if (m->nrow == 0) return TD_OK;
  bool done = false;
  if (!m->sparse) {
    const arena_mark mark = arena_open(&w->scratch);
    double *e = arena_doubles(&w->scratch, m->nrow), *delta = arena_doubles(&w->scratch, m->nvel);
    td_prepare(m, w);
    td_place(m, state, w);
    td_row_jacobian(m, w, p->J);
    done =
        correct_positions(m, state, w, p, e, delta) && correct_velocities(m, state, w, p, e, delta);
    arena_close(&w->scratch, mark);
  }
  if (done) return TD_OK;
  TD_TRY(td_project(m, state, w, met, p->accept));
  td_constraint_error(m, state, w, &p->error, &p->rate);
  return TD_OK;
}
