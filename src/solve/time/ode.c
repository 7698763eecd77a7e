// The equations y' = f(t, y) as solvers evaluate them: slopes, Jacobians, roots and projections,
// each counted.
#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/time/ode.h"
#include "solve/vectors.h"

// A right-hand side that jumps at the ends of the segment is to show its values inside: times at
// the ends move inwards by a few units in the last place.
double td_ode_inside(const td_stepper* s, double t) {
  const double margin = 16 * DBL_EPSILON * fmax(fmax(fabs(t), fabs(s->t_low)), 1e-6);
  if (t >= s->t_high - margin) return s->t_high - margin;
  return t <= s->t_low + margin ? s->t_low + margin : t;
}

static int flag(td_stepper* s, td_status status) {
  if (status == TD_OK) return 0;
  s->failure = status;
  return 1;
}

static int checked(td_stepper* s, td_status status, const double* x, size_t n) {
  if (status != TD_OK) return flag(s, status);
  return all_finite(x, n) ? 0 : flag(s, TD_E_DIVERGED);
}

// f(P(y)) is another vector field with the same solutions on the invariants; beside them it does
// not know how errors grow when a mechanism comes near a singular position.
int td_ode_rhs(td_stepper* s, double t, const double* y, double* ydot) {
  const td_ode* ode = s->ode;
  if (s->projected != NULL) {
    memcpy(s->projected, y, (size_t)(ode->n + ode->nquad) * sizeof(double));
    if (td_ode_project(s, t, s->projected) != 0) return 1;
    y = s->projected;
  }
  s->counts.evaluations++;
  return checked(s, ode->rhs(ode->ctx, td_ode_inside(s, t), y, ydot), ydot, (size_t)(ode->n + ode->nquad));
}

int td_ode_states(td_stepper* s, double t, const double* y, double* scratch, double* ydot) {
  const td_ode* ode = s->ode;
  if (ode->states != NULL) {
    s->counts.evaluations++;
    return checked(s, ode->states(ode->ctx, td_ode_inside(s, t), y, ydot), ydot, (size_t)ode->n);
  }
  const int code = td_ode_rhs(s, t, y, scratch);
  memcpy(ydot, scratch, (size_t)ode->n * sizeof(double));
  return code;
}

int td_ode_integrals(td_stepper* s, double t, const double* y, double* scratch, double* qdot) {
  const td_ode* ode = s->ode;
  if (ode->integrals != NULL) {
    return checked(s, ode->integrals(ode->ctx, td_ode_inside(s, t), y, qdot), qdot, (size_t)ode->nquad);
  }
  const int code = td_ode_rhs(s, t, y, scratch);
  memcpy(qdot, scratch + ode->n, (size_t)ode->nquad * sizeof(double));
  return code;
}

int td_ode_latest(td_stepper* s, double* qdot) {
  const td_ode* ode = s->ode;
  return checked(s, ode->latest(ode->ctx, qdot), qdot, (size_t)ode->nquad);
}

int td_ode_project(td_stepper* s, double t, double* y) {
  const td_ode* ode = s->ode;
  s->counts.projections++;
  return flag(s, ode->project(ode->ctx, td_ode_inside(s, t), y));
}

void td_ode_roots(td_stepper* s, double t, const double* y, double* g) {
  s->ode->roots(s->ode->ctx, td_ode_inside(s, t), y, g);
}

int td_ode_linearise(td_stepper* s, const td_step_ops* linear, void* ctx, double t,
                     const double* y) {
  s->counts.tangents++;
  return flag(s, linear->linearise(ctx, td_ode_inside(s, t), y));
}

int td_ode_jacobian(td_stepper* s, double t, const double* y, double* J) {
  const td_ode* ode = s->ode;
  s->counts.tangents++;
  return checked(s, ode->jacobian(ode->ctx, td_ode_inside(s, t), y, J), J, area(ode->n, ode->n));
}

double td_ode_norm(const td_stepper* s, double scale, const double* y, const double* x) {
  const int n = s->ode->n;
  double sum = 0;
  for (int i = 0; i < n; i++) {
    const double e = x[i] / (scale * td_tolerance(s, i, y[i]));
    sum += e * e;
  }
  return sqrt(sum / max_int(n, 1));
}

// h0 moves y by a hundredth of its size; the change of the slope over it estimates y'', from which
// the step follows that has an error of 0.01 of the tolerance. [s]
double td_ode_first_step(td_stepper* s, double t, const double* y, const double* f, int order,
                         double scale, double* y_scratch, double* f_scratch) {
  const int n = s->ode->n;
  const double d0 = td_ode_norm(s, scale, y, y), d1 = td_ode_norm(s, scale, y, f);
  const double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;

  // the change of the slope over a step of Euler's method
  for (int i = 0; i < n; i++) y_scratch[i] = y[i] + h0 * f[i];
  copy(y_scratch + n, y + n, s->ode->nquad);
  if (td_ode_rhs(s, t + h0, y_scratch, f_scratch) != 0) return h0;
  for (int i = 0; i < n; i++) f_scratch[i] -= f[i];
  const double fastest = fmax(d1, td_ode_norm(s, scale, y, f_scratch) / h0);
  const double h1 = fastest < 1e-15 ? fmax(1e-6, 1e-3 * h0) : pow(0.01 / fastest, 1.0 / order);
  return fmin(100 * h0, h1);
}
