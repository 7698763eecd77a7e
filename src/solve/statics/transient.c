// Pseudo-transient continuation: implicit steps along M dx/ds = -F on the constraints, the step
// growing until it is Newton's.  With K V = M V diag(w), V'MV = 1 on the null space of the
// constraints, a step is
//
//   z = -V (|W| + 1/dt)^-1 V'g,     g = Z'(F + K y),     dx = y + Z z
//
// |w| for w, so that where there is a potential every step goes downhill, also from a saddle or a
// summit.  A step is good when the force along it has not turned around more than it was.  Where
// the stiffness is not symmetric there is no potential, and the step is the implicit one,
//
//   z = -(Z'K Z + Z'M Z/dt)^-1 g
//
// Large equations have no eigenvectors: their step is the implicit one on the constraints,
//
//   (K + M/dt) dx - J'dl = -F,   J dx = -e
//
// and while K + M/dt has negative eigenvalues, so that it may go uphill, dt shrinks until it goes
// down.
//
// After each step the point returns to the constraints by Newton's method with the old rows, and
// the multipliers to those that balance best; a step from which it does not return was too long.
#include <float.h>
#include <math.h>

#include "solve/statics/newton.h"
#include "solve/vectors.h"

enum { most_steps = 400, most_trials = 2000 };

typedef struct flow {
  td_newton* w;
  double *x, *l, p;
  double *keep_x, *keep_l;          // before Newton's method was tried
  double *Mz, *Kz, *S, *V, *omega;  // on the null space
  double *g, *z, *part, *r;
  int* pivot;
  bool potential;  // the stiffness is symmetric as far as can be told
  double dt;
} flow;

// Tangent, null space, eigenvectors and reduced force at x; false: there are none.
static bool prepare(flow* f) {
  td_newton* w = f->w;
  if (!w->saddle) return true;  // factored step by step
  const td_equations* s = w->equations;
  s->residual(s->ctx, f->x, f->l, f->p, w->F, w->e);
  s->tangent(s->ctx, f->x, f->l, f->p, w->K, w->J);
  if (s->m > 0) {
    td_saddle_null_space(w->saddle, w->J);
    td_saddle_multipliers(w->saddle, w->F, w->dl);
    for (int i = 0; i < s->m; i++) f->l[i] += w->dl[i];
    s->tangent(s->ctx, f->x, f->l, f->p, w->K, w->J);
    s->residual(s->ctx, f->x, f->l, f->p, w->F, w->e);
  }
  td_newton_hold(w, f->x, f->l, f->p);
  td_newton_metric(w, f->x, f->p, w->graded);
  td_saddle_null_space(w->saddle, w->J);
  const int k = w->saddle->free;
  td_saddle_reduce(w->saddle, w->K, f->V);
  td_saddle_reduce(w->saddle, w->M, f->Mz);
  double skew = 0;
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++) {
      f->Kz[i * k + j] = f->V[i * k + j];
      f->S[i * k + j] = (f->V[i * k + j] + f->V[j * k + i]) / 2;
      skew = fmax(skew, fabs(f->V[i * k + j] - f->V[j * k + i]));
    }
  f->potential = s->potential || skew <= 1e-8 * largest(f->S, area(k, k));
  if (!td_eig_symmetric(f->S, f->Mz, k, f->omega, f->V)) return false;

  td_saddle_particular(w->saddle, w->e, w->bar);
  td_mul(w->K, w->bar, s->n, s->n, 1, f->r);
  for (int i = 0; i < s->n; i++) f->r[i] += w->F[i];
  td_mul_tn(w->saddle->Z, f->r, k, s->n, 1, f->g);
  return true;
}

// dx and dl of one pseudo-transient step of the present dt, by the formulas of the file's head; bar
// holds y.
static void find_step(flow* f) {
  td_newton* w = f->w;
  const int n = w->equations->n, k = w->saddle->free;
  if (f->potential) {
    td_mul(f->V, f->g, k, k, 1, f->part);
    for (int i = 0; i < k; i++) f->part[i] /= -(fabs(f->omega[i]) + 1 / f->dt);
    td_mul_tn(f->V, f->part, k, k, 1, f->z);
  } else {
    for (int i = 0; i < k * k; i++) f->S[i] = f->Kz[i] + f->Mz[i] / f->dt;
    for (int i = 0; i < k; i++) f->z[i] = -f->g[i];
    if (td_lu(f->S, k, f->pivot) == 0) td_lu_solve(f->S, f->pivot, k, f->z, 1);
  }

  // dx = y + Z z, then the multipliers that balance best
  td_mul(w->saddle->Z, f->z, n, k, 1, w->dx);
  for (int i = 0; i < n; i++) w->dx[i] += w->bar[i];
  td_mul(w->K, w->dx, n, n, 1, f->r);
  for (int i = 0; i < n; i++) f->r[i] += w->F[i];
  td_saddle_multipliers(w->saddle, f->r, w->dl);
}

// Bring the trial point back to the constraints by Newton's method, to 1e-12, or to 1e-9 where
// rounding stops it; false: they do not come nearer.
static bool return_to_constraints(flow* f) {
  td_newton* w = f->w;
  const td_equations* s = w->equations;
  double before = INFINITY;
  for (int i = 0; i < 20 && s->m > 0; i++) {
    const double now = largest(w->e, (size_t)s->m);
    if (now <= 1e-12) return true;
    if (!(now < 0.5 * before)) return now <= 1e-9;
    before = now;
    td_saddle_particular(w->saddle, w->e, w->step);
    s->displace(s->ctx, w->x_try, w->step, w->x_try);
    s->residual(s->ctx, w->x_try, w->l_try, f->p, w->F, w->e);
  }
  return true;
}

// The trial point a part `alpha` of the step on, and the residual there
static void move(flow* f, double alpha) {
  td_newton* w = f->w;
  const td_equations* s = w->equations;
  for (int i = 0; i < s->n; i++) w->step[i] = alpha * w->dx[i];
  s->displace(s->ctx, f->x, w->step, w->x_try);
  for (int i = 0; i < s->m; i++) w->l_try[i] = f->l[i] + alpha * w->dl[i];
  s->residual(s->ctx, w->x_try, w->l_try, f->p, w->F, w->e);
}

// Find and take the step, no longer than the limits; false when it went too far: the force along it
// must not turn around more than it was.
static bool try_step(flow* f, double shortest) {
  td_newton* w = f->w;
  const td_equations* s = w->equations;
  double before, after;
  if (w->saddle) {
    const int k = w->saddle->free;
    find_step(f);
    // shortening dt bends the step away from flat directions, which is better than to shorten all
    // of it
    while (td_newton_within(w, w->dx) < 0.5 && f->dt > shortest) {
      f->dt /= 3;
      find_step(f);
    }
    move(f, td_newton_reach(w, f->x, w->dx, f->p, td_newton_within(w, w->dx)));
    if (!isfinite(td_newton_measure(w)) || !return_to_constraints(f)) return false;
    td_mul_tn(w->saddle->Z, w->F, k, s->n, 1, f->part);
    before = inner(f->g, f->z, k);
    after = inner(f->part, f->z, k);
  } else {
    double size;
    s->residual(s->ctx, f->x, f->l, f->p, w->F, w->e);
    if (w->linear->factor(w->linear_ctx, f->x, f->l, f->p, 1 / f->dt, &size) != TD_OK) return false;
    w->linear->solve(w->linear_ctx, w->F, w->e, w->dx, w->dl);
    before = inner(w->F, w->dx, s->n);
    const double alpha = td_newton_reach(w, f->x, w->dx, f->p, td_newton_within(w, w->dx));
    if (!isfinite(before) || alpha < 0.1 || (s->m == 0 && before > 0)) return false;
    move(f, alpha);
    after = inner(w->F, w->dx, s->n);
  }
  return isfinite(td_newton_measure(w)) && after <= 0.9 * fabs(before) &&
         after >= -9 * fabs(before) - DBL_MIN;
}

// Does the stiffness resist in every direction?  True where its eigenvalues are not known.  Along
// the softest direction x, x'K x is judged beside its own terms and beside the highest frequency:
// a column may buckle with a millionth of a millionth of the stiffness of its shear.
static bool in_a_valley(const flow* f) {
  const td_newton* w = f->w;
  if (!w->saddle || !f->potential || w->saddle->free == 0) return true;
  const int n = w->equations->n, k = w->saddle->free;
  double *x = f->r, value = 0, size = 0;
  td_mul(w->saddle->Z, f->V, n, k, 1, x);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const double term = x[i] * w->K[i * n + j] * x[j];
      value += term;
      size += fabs(term);
    }
  return value >= -1e-12 * size - 1e-14 * fabs(f->omega[k - 1]);
}

// Newton's method from here; x and l come back when it fails
static td_status try_newton(flow* f, const td_newton_options* options, td_newton_report* report) {
  const td_equations* s = f->w->equations;
  copy(f->keep_x, f->x, s->nx);
  copy(f->keep_l, f->l, s->m);
  const td_status status = td_newton_solve(f->w, f->x, f->l, f->p, options, report);
  if (status == TD_E_DIVERGED) {
    copy(f->x, f->keep_x, s->nx);
    copy(f->l, f->keep_l, s->m);
  }
  return status;
}

static td_status give_up(flow* f, td_status status, int steps, td_newton_report* report) {
  const td_equations* s = f->w->equations;
  s->residual(s->ctx, f->x, f->l, f->p, f->w->F, f->w->e);
  *report = td_newton_state(f->w);
  report->iterations = steps;
  return status;
}

// Pseudo-transient iteration with its step control: dt triples after a good step and is divided by
// four after a bad one.  Near an equilibrium Newton's method is tried; with options->valley only a
// minimum of the potential is accepted.
static td_status follow(flow* f, const td_newton_options* options, td_newton_report* report) {
  td_newton* w = f->w;
  const td_equations* s = w->equations;
  int steps = 0;
  double newton_below = 0.1;
  if (!prepare(f)) return give_up(f, TD_E_DIVERGED, 0, report);
  double size = 0;
  if (!w->saddle) w->linear->factor(w->linear_ctx, f->x, f->l, f->p, 0, &size);

  // first step: small against the time in which stiffness or force moves the masses
  f->dt = w->saddle ? norm(w->M, s->n * s->n) /
                          fmax(fmax(norm(w->K, s->n * s->n), norm(w->F, s->n)), DBL_MIN)
                    : 1 / fmax(fmax(size, norm(w->F, s->n)), DBL_MIN);
  const double shortest = 1e-14 * f->dt, longest = 1e20 * f->dt;

  // steps, until Newton's method converges
  for (int trial = 0; trial < most_trials && steps < most_steps; trial++) {
    if (s->go_on && !s->go_on(s->ctx)) return give_up(f, TD_E_STOPPED, steps, report);
    if (!try_step(f, shortest)) {
      // the residual of the trial replaced that of the point
      f->dt /= 4;
      if (f->dt < shortest || !prepare(f)) break;
      continue;
    }
    steps++;
    copy(f->x, w->x_try, s->nx);
    copy(f->l, w->l_try, s->m);
    f->dt = fmin(3 * f->dt, longest);
    if (!prepare(f)) break;

    // try Newton's method near an equilibrium, and return if it leads to the right kind of point
    const double now = td_newton_measure(w);
    if (now < newton_below && (in_a_valley(f) || (now < 1e-6 && !options->valley))) {
      newton_below = now / 10;
      const td_status status = try_newton(f, options, report);
      report->iterations += steps;
      if (status != TD_E_DIVERGED && !(status == TD_OK && options->valley)) return status;
      // Newton's method is drawn to ridges: one that it goes back to is no stable equilibrium
      if (status == TD_OK) {
        const td_newton_report found = *report;
        if (prepare(f) && in_a_valley(f)) {
          *report = found;
          return TD_OK;
        }
        copy(f->x, f->keep_x, s->nx);
        copy(f->l, f->keep_l, s->m);
      }
      if (!prepare(f)) break;
    }
  }
  return give_up(f, TD_E_DIVERGED, steps, report);
}

// Allocate the work of the continuation and follow it from (x, l) at the parameter p; x and l
// receive the result.  Dense equations have room for eigenvectors, sparse ones need none.
td_status td_transient_solve(td_newton* w, double* x, double* l, double p,
                             const td_newton_options* options, td_newton_report* report) {
  const td_equations* s = w->equations;
  const int wide = w->saddle ? s->n : 0;
  const size_t n = (size_t)wide + 1;
  const size_t bytes =
      sizeof(double) * (4 * n * n + 5 * n + (size_t)(s->nx + s->m)) + sizeof(int) * n + 64 * 14;
  void* block = malloc(bytes);
  if (!block) return TD_E_NOMEM;
  arena a = {.base = block, .size = bytes};
  flow f = {.w = w, .x = x, .l = l, .p = p};
  f.keep_x = arena_doubles(&a, s->nx);
  f.keep_l = arena_doubles(&a, s->m);
  double** const squares[] = {&f.Mz, &f.Kz, &f.S, &f.V};
  double** const vectors[] = {&f.omega, &f.g, &f.z, &f.part, &f.r};
  f.pivot = arena_ints(&a, wide);
  for (int i = 0; i < 4; i++) *squares[i] = arena_doubles(&a, wide * wide);
  for (int i = 0; i < 5; i++) *vectors[i] = arena_doubles(&a, wide);

  td_newton_begin(w, x, l, p);
  const td_status status = follow(&f, options, report);
  free(block);
  return status;
}
