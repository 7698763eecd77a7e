// From an unstable equilibrium of a potential down to a stable one.
//
// The stiffness has directions v with v'K v < 0 there: a small displacement in the space of the v
// grows by itself.  Its direction is that to the start of the search, which lies on
// one side of the ridge.  Where the start is on the ridge, as in symmetric models, all masses are
// pushed along (1, 0.6, 0.3) of the world.  Both are the same in all coordinates and in every basis
// of that space, so that neither the model of a rod nor rounding chooses the side.
#include <math.h>

#include "model/model.h"
#include "solve/statics/vibration.h"
#include "solve/vectors.h"

enum { most_ridges = 12, most_dense = 400 };

// Generalised force (n) of a push on all masses.
static void push(td_statics* s, const double* q, double* out) {
  const double along[3] = {1, 0.6, 0.3};
  td_statics_set(s, q, 1);
  td_mass_push(s->model, s->state, s->work, along, s->dv);
  for (int i = 0; i < s->n; i++) out[i] = s->dv[s->free[i]];
}

// The unstable directions of K on Z: its eigenvectors with all masses made one (vibration.h), or
// its own where some direction has no mass.  Rows of V, and how many they are; masses of one in the
// latter case.
static int unstable(td_statics* s, const double* q, const td_reduced* r, double* V, double* mass) {
  const int k = r->n;
  int found = 0;
  td_scaled scaled;
  if (td_scaled_new(s, q, 1, r, &scaled)) {
    copy(mass, scaled.mass, k);
    for (; found < k && td_scaled_sign(&scaled, found) < 0; found++)
      copy(V + area(found, k), scaled.V + area(found, k), k);
  } else {
    double* w = malloc(sizeof(double) * ((size_t)k + 1));
    if (w && td_reduced_stiffness(r, w, V))
      while (found < k && w[found] < -TD_ZERO_STIFFNESS * fmax(fabs(w[0]), fabs(w[k - 1]))) found++;
    for (int a = 0; a < k; a++) mass[a] = 1;
    free(w);
  }
  td_scaled_free(&scaled);
  return found;
}

// The displacement (n) along which q is to be left: TD_OK, or TD_E_DIVERGED when q is no ridge.
static td_status leave(td_statics* s, const double* q, const double* l, const double* start,
                       double* dx) {
  td_reduced* r = NULL;
  TD_TRY(td_reduced_new(s, q, l, 1, false, &r));
  const int n = s->n, k = r->n;
  double* block = calloc(area(k, k) + 3 * (size_t)k + (size_t)n + 1, sizeof(double));
  if (!block) {
    td_reduced_free(r);
    return TD_E_NOMEM;
  }
  double *V = block, *mass = V + area(k, k), *y = mass + k, *z = y + k, *to = z + k;
  const int ways = unstable(s, q, r, V, mass);

  for (int way = 0; ways > 0 && way < 2; way++) {
    // a velocity: to the start, in the coordinates whose rates are velocities; or by a push
    if (way == 0) {
      for (int i = 0; i < n; i++) {
        const int at = s->model->vel[s->free[i]].partner;
        to[i] = at < 0 ? 0 : start[at] - q[at];
      }
      if (!td_least_squares(r->Z, n, k, 1e-12, to, y)) continue;
    } else {
      push(s, q, to);
      td_mul_tn(r->Z, to, k, n, 1, y);
      for (int a = 0; a < k; a++) y[a] /= mass[a];
    }
    // what of it lies in the space of the unstable directions
    double whole = 0, part = 0;
    for (int a = 0; a < k; a++) whole = hypot(whole, sqrt(mass[a]) * y[a]);
    memset(z, 0, sizeof(double) * (size_t)k);
    for (int i = 0; i < ways; i++) {
      double along = 0;
      for (int a = 0; a < k; a++) along += mass[a] * V[i * k + a] * y[a];
      part = hypot(part, along);
      for (int j = 0; j < k; j++) z[j] += along * V[i * k + j];
    }
    if (part > 1e-6 * whole && (way == 1 || norm(y, k) > 1e-9)) break;
    // nothing in it: the steepest direction, turned so that its largest part is positive
    copy(z, V, k);
    int top = 0;
    for (int j = 1; j < k; j++)
      if (sqrt(mass[j]) * fabs(z[j]) > 1.001 * sqrt(mass[top]) * fabs(z[top])) top = j;
    for (int j = 0; j < k; j++) z[j] *= V[top] < 0 ? -1 : 1;
  }
  if (ways > 0) {
    td_mul(r->Z, z, n, k, 1, dx);
    const double far = largest(dx, (size_t)n);
    for (int i = 0; i < n; i++) dx[i] *= 1e-4 / fmax(far, 1e-300);
  }
  free(block);
  td_reduced_free(r);
  return ways > 0 ? TD_OK : TD_E_DIVERGED;
}

// Leave one ridge after another, each by a push along its unstable directions and pseudo-transient
// steps, until leave() finds none.  The last equilibrium found stays in q and l.
td_status td_statics_downhill(td_statics* s, td_newton* newton, const double* start, double* q,
                              double* l, const td_newton_options* options,
                              td_newton_report* report) {
  double* dx = malloc(sizeof(double) * (size_t)(s->n + s->nq + s->m + 1));
  if (!dx) return TD_E_NOMEM;
  double *x = dx + s->n, *y = x + s->nq;

  // eigenvectors lead down faster than factors, as long as they cost little
  td_equations dense = s->equations;
  dense.linear = NULL;
  td_newton* own = NULL;
  td_newton_options down = *options;
  down.valley = true;
  td_status status = TD_OK;
  if (s->equations.linear && s->n <= most_dense) status = td_newton_new(&dense, &own);
  if (own) newton = own;
  for (int ridge = 0; ridge < most_ridges && status == TD_OK; ridge++) {
    td_newton_report each = {0};
    status = leave(s, q, l, start, dx);
    if (status != TD_OK) break;
    // in the metric of all masses together or of each by itself, by turns, then in the other one: a
    // ridge again may be the same, which rounding made a valley in the first
    for (int turn = 0; turn < 2; turn++) {
      s->equations.displace(s, q, dx, x);
      copy(y, l, s->m);
      newton->graded = (ridge + turn) % 2 == 1;
      status = td_transient_solve(newton, x, y, 1, &down, &each);
      report->iterations += each.iterations;
      if (status != TD_E_DIVERGED) break;
    }
    newton->graded = false;
    if (status != TD_OK) break;
    copy(q, x, s->nq);
    copy(l, y, s->m);
    report->residual = each.residual;
    report->measure = each.measure;
    s->ridges++;
  }
  td_newton_free(own);
  free(dx);
  // an end that is no ridge is what was wanted, and another ridge is still an equilibrium
  return status == TD_E_NOMEM || status == TD_E_STOPPED ? status : TD_OK;
}
