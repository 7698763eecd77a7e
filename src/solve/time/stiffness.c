// Selection of the solver: the spectrum of the Jacobian gives how short stability keeps explicit
// steps and how short accuracy keeps those of BDF; the cheaper one is taken.  The rule with its
// reasons is in docs/simulation.md.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "solve/time/dense_steps.h"
#include "solve/vectors.h"

enum {
  ALL_EIGENVALUES = 400,  // order up to which all are computed; beyond, the dominant one
  LARGEST = 3000          // beyond this order dense factorisations cost more than short steps
};
// Reach of the order-8 stability region along the negative real axis.
static const double stable_reach = 5;
// Runs of fewer steps than this are left to the explicit solver; no run gets more than that many if
// it can be helped.
static const double few_steps = 200, many_steps = 3e6;
// An eigenvalue is strongly damped when -Re(w) > this |w|; the wedge in which BDF5 is stable ends
// at 0.62.
static const double strong = 0.3, bdf5_wedge = 0.62;

typedef struct spectrum {
  double damped;    // largest |w| of the strongly damped eigenvalues
  double resolved;  // largest |w| of the others, which accuracy has to follow
  double slowest;   // smallest |w| that is not zero
  bool light;       // some fast eigenvalue lies outside the wedge
} spectrum;

static void sort_in(spectrum* s, int n, const double* re, const double* im) {
  for (int i = 0; i < n; i++) {
    const double size = hypot(re[i], im[i]);
    double* group = -re[i] > strong * size ? &s->damped : &s->resolved;
    *group = fmax(*group, size);
  }
  for (int i = 0; i < n; i++) {
    const double size = hypot(re[i], im[i]);
    const double fastest = fmax(s->damped, s->resolved);
    if (size > 0.1 * fastest && -re[i] < bdf5_wedge * size) s->light = true;
    if (size > 1e-6 * fastest) s->slowest = fmin(s->slowest, size);
  }
}

// Dominant eigenvalue or pair by power iteration: when x, Jx, J²x span it, J²x = a Jx + b x and w²
// = a w + b.
static void dominant(td_dense_steps* J, int n, double* x, double* re, double* im) {
  double *y = x + n, *z = y + n;
  for (int i = 0; i < n; i++) x[i] = 1 + 0.1 * sin(i);
  for (int k = 0; k < 60; k++) {
    td_dense_step_ops.product(J, x, y);
    const double size = norm(y, n);
    if (!(size > 0)) return;
    for (int i = 0; i < n; i++) x[i] = y[i] / size;
  }
  td_dense_step_ops.product(J, x, y);
  td_dense_step_ops.product(J, y, z);

  // least squares for a, b
  const double xx = inner(x, x, n), xy = inner(x, y, n), yy = inner(y, y, n), xz = inner(x, z, n),
               yz = inner(y, z, n);
  const double det = xx * yy - xy * xy;
  if (!(det > 1e-10 * xx * yy)) {  // x is an eigenvector
    *re = xy / xx;
    return;
  }
  const double a = (xx * yz - xy * xz) / det, b = (yy * xz - xy * yz) / det;
  const double disc = a * a / 4 + b;
  *re = disc < 0 ? a / 2 : a / 2 + copysign(sqrt(disc), a);
  *im = disc < 0 ? sqrt(-disc) : 0;
}

// Rates of the Jacobian at (t, y): all eigenvalues of small systems, the dominant one of large ones
// by power iteration.
static td_status read_spectrum(const td_ode* ode, double t, const double* y, spectrum* out) {
  const size_t n = (size_t)ode->n;
  *out = (spectrum){.slowest = INFINITY};
  const bool all = ode->n <= ALL_EIGENVALUES;
  double* scratch = calloc(3 * n + (all ? n * n : 0), sizeof(double));
  td_dense_steps* steps = all ? NULL : td_dense_steps_new(ode);
  td_status status = scratch != NULL && (all || steps != NULL) ? TD_OK : TD_E_NOMEM;
  if (status == TD_OK && all) {
    double *J = scratch + 3 * n, *re = scratch, *im = re + n;
    status = ode->jacobian(ode->ctx, t, y, J);
    if (status == TD_OK && !td_eig_general(J, ode->n, re, im, NULL)) status = TD_E_DIVERGED;
    if (status == TD_OK) sort_in(out, ode->n, re, im);
  } else if (status == TD_OK) {
    double re = 0, im = 0;
    status = td_dense_step_ops.linearise(steps, t, y);
    if (status == TD_OK) dominant(steps, ode->n, scratch, &re, &im);
    if (status == TD_OK) sort_in(out, 1, &re, &im);
  }
  td_dense_steps_free(steps);
  free(scratch);
  return status;
}

// Radians of the fastest motion that one BDF step follows at a tolerance: 0.2 at 1e-6, by the sixth
// root (order 5).
static double bdf_angle(double rtol) { return 0.2 * pow(rtol / 1e-6, 1.0 / 6); }

// The same for the explicit solver of order 8, where stability does not shorten the steps.
static double explicit_angle(double rtol) { return 2 * pow(rtol / 1e-6, 1.0 / 8); }

// The part of the steps that the fastest mode needs below which explicit steps follow no mode.
static const double crawling_part = 0.02;

// Steps beyond which fast modes of a network are not followed: they are many, and there is hardly
// any motion in them, least of all where they are damped.  A step of order 8 is 13 evaluations, a
// leap one; one of BDF costs as much as some ten on top of its factors.
static const double many_network_steps = 5e3, many_leaps = 1e5, many_damped_leaps = 3e4;
static const double many_damped_steps = 2e3;  // as many evaluations as damped leaps
// The part of the limit of stability at which the controller keeps leaps.
static const double leap_part = 0.8;
// The tolerance from which on leaps are as short as stability demands, not accuracy.
static const double loose = 1e-5;

// The fastest mode of w' = -A q - C w by power iteration on A N, which has real eigenvalues and no
// others that a few dozen products could mistake for them:  ω² = |A N w| / |w|,  c = |C w| / |w|.
typedef struct mode {
  double omega, c;
} mode;
enum { ITERATIONS = 30 };

// Frequency and damping [1/s] of the fastest mode of a sparse model, by power iteration on dv'/dq N
// (x has room for 2 n); m is zero if nothing acts.
static td_status fastest_mode(const td_ode* ode, double* x, mode* m) {
  const int n = ode->n, nq = ode->npos, nw = n - nq;
  double* y = x + n;
  *m = (mode){0, 0};
  for (int i = 0; i < nw; i++) x[nq + i] = sin((double)i * i + 1);
  for (int k = 0; k < ITERATIONS; k++) {
    const double size = norm(x + nq, nw);
    if (!(size > 0)) return TD_OK;
    for (int i = 0; i < nw; i++) x[nq + i] /= size;
    memset(x, 0, (size_t)nq * sizeof(double));
    TD_TRY(ode->linear->product(ode->ctx, x, y));  // [N w, -C w]
    m->c = norm(y + nq, nw);
    memset(y + nq, 0, (size_t)nw * sizeof(double));
    TD_TRY(ode->linear->product(ode->ctx, y, x));  // [., -A N w]
    m->omega = sqrt(norm(x + nq, nw));
  }
  return TD_OK;
}

// The larger root of λ² + c λ + ω² = 0
static double fastest_rate(mode m) {
  const double half = m.c / 2;
  return half < m.omega ? m.omega : half + sqrt(half * half - m.omega * m.omega);
}

// The longest leap, (ω h)²/4 + c h/2 = 1 (leapfrog.c)
static double leap_limit(mode m) { return 2 / (m.c / 2 + hypot(m.c / 2, m.omega)); }

// Select the solver of a large problem from products with the Jacobian alone; where steps of length
// h are being taken and few are left, there is nothing to choose.
static td_status choose_sparse(const td_ode* ode, double t, const double* y, double t_end, double h,
                               td_choice* choice) {
  mode m;
  const bool leaps = ode->rtol >= loose;
  if (leaps) choice->solver = TD_SOLVER_LEAPFROG;
  if (h > 0 && t_end - t < h * (leaps ? many_damped_leaps : many_damped_steps)) return TD_OK;
  double* scratch = calloc(2 * (size_t)ode->n, sizeof(double));
  if (scratch == NULL) return TD_E_NOMEM;
  td_status status = ode->linear->linearise(ode->ctx, t, y);
  if (status == TD_OK) status = fastest_mode(ode, scratch, &m);
  free(scratch);
  TD_TRY(status);
  const double fastest = fastest_rate(m);
  const bool damped = m.c / 2 > strong * fastest;
  const double steps = (t_end - t) / (leaps ? leap_part * leap_limit(m) : stable_reach / fastest);
  const double many = leaps ? (damped ? many_damped_leaps : many_leaps)
                            : (damped ? many_damped_steps : many_network_steps);
  choice->stable_steps = (t_end - t) * fastest / stable_reach;
  choice->lightly_damped = m.c / 2 < bdf5_wedge * fastest;
  if (steps > many) choice->solver = TD_SOLVER_STIFF;
  snprintf(choice->why, sizeof choice->why, "network: modes up to %.3g 1/s, %.2g %s", fastest,
           steps, leaps ? "leaps" : "explicit steps");
  return TD_OK;
}

// Estimate the steps that explicit and BDF integration need over the rest of the run, and choose
// the cheaper; choice->why tells the reason in words.
td_status td_choose_solver(const td_ode* ode, double t, const double* y, double t_end, double h,
                           td_choice* choice) {
  *choice = (td_choice){.solver = TD_SOLVER_EXPLICIT};
  char* why = choice->why;
  const size_t room = sizeof choice->why;
  if (ode->n == 0) {
    snprintf(why, room, "no motion is free");
    return TD_OK;
  }
  if (ode->linear != NULL) return choose_sparse(ode, t, y, t_end, h, choice);
  if (ode->n > LARGEST) {
    snprintf(why, room, "%d states: dense factorisations would cost more than short steps", ode->n);
    return TD_OK;
  }
  spectrum w;
  TD_TRY(read_spectrum(ode, t, y, &w));
  choice->lightly_damped = w.light;

  // steps over the rest of the run: an explicit one costs 13 evaluations, one of BDF about 3; a
  // margin of 2
  const double rest = t_end - t, slow = fmax(w.resolved, 10 / rest);
  const double stable_steps = rest * w.damped / stable_reach, followed_steps = rest * w.resolved;
  const double bdf_steps = rest * slow / bdf_angle(ode->rtol);
  choice->explicit_steps = choice->stable_steps = stable_steps;
  // steps that were taken say more: at the stability limit h D is about 5, beyond it the spectrum
  // here is an exception
  const bool limited =
      h == 0 || (h * w.damped > 0.4 * stable_reach && h * w.damped < 4 * stable_reach);
  const bool endless = h == 0 || rest / h > many_steps;
  // explicit steps that cost more than twice those of BDF although the motion allows longer ones:
  // something damped, here or a moment ago, holds them down
  const bool held = h > 0 && w.damped > w.resolved && 13 * rest / h > 2 * 3 * bdf_steps;
  // or half as long as the motion here needs, beside modes that are strongly damped: BDF may do
  // better than its estimate, and a trial costs little
  const bool puzzling = h > 0 && w.damped > 3 * w.resolved && rest / h > 10 * few_steps &&
                        h * w.resolved < 0.5 * explicit_angle(ode->rtol);
  // lightly damped modes much faster than others, which stability follows and accuracy does not:
  // they may hardly move, and Radau is tried
  const double fastest = fmax(w.damped, w.resolved);
  const bool stepped_over = h > 0 && w.light && ode->n <= ALL_EIGENVALUES &&
                            fastest > 10 * w.slowest && h * fastest > 0.3 * stable_reach &&
                            rest / h > 10 * few_steps;
  // or a small part of what any mode needs, damped or not: accelerations of functions that have
  // hardly any mass are rounded more than the tolerance allows, which steps of order 8 resolve
  // and those of BDF do not
  const bool crawling =
      h > 0 && rest / h > 10 * few_steps && h * fastest < crawling_part * explicit_angle(ode->rtol);

  // the first reason that applies
  if (stable_steps > few_steps && 13 * stable_steps > 2 * 3 * bdf_steps && limited) {
    choice->solver = TD_SOLVER_STIFF;
    snprintf(
        why, room,
        "stiff: damped modes of %.3g 1/s beside motion of %.3g 1/s would need %.2g explicit steps",
        w.damped, w.resolved, stable_steps);
  } else if (held || puzzling || crawling) {
    choice->solver = TD_SOLVER_STIFF;
    snprintf(why, room,
             "stiff: explicit steps of %.2g s are much shorter than motion of %.3g 1/s needs", h,
             crawling ? fastest : w.resolved);
  } else if (stepped_over) {
    choice->solver = TD_SOLVER_STIFF;
    choice->only_radau = true;
    snprintf(why, room,
             "fast: explicit steps of %.2g s follow modes of %.3g 1/s; Radau takes longer ones", h,
             fastest);
  } else if (followed_steps > many_steps && endless) {
    choice->solver = TD_SOLVER_STIFF;
    snprintf(why, room,
             "fast: following modes of %.3g 1/s would need %.2g explicit steps; BDF damps them",
             w.resolved, followed_steps);
  } else {
    snprintf(why, room, "not stiff: damped modes up to %.3g 1/s, motion up to %.3g 1/s", w.damped,
             w.resolved);
  }
  return TD_OK;
}
