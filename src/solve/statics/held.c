// Directions that nothing holds: the cart of a mobile robot, a robot that floats.
//
// With M and K on the motions that the constraints allow and K d = w M d, a direction d with w = 0
// up to rounding feels no force and makes none.  Rows and columns of rounding must not be solved
// for; a large stiffness is put there instead,
//
//   K + κ Σ (M d)(M d)',      d'M d = 1,   κ the largest w,
//
// which no other mode feels, and d stays where it is.  A load along d is another matter: the step
// goes there, and one that is constant however far d is followed has no equilibrium.
#include <math.h>

#include "solve/statics/newton.h"
#include "solve/vectors.h"

// The mass matrix, positive in every direction by a trifle: of the largest mass, or `graded` of
// each mass itself, whatever its unit is (coordinates without mass then have what their stiffness
// has at the highest frequency).  The first slows down what has hardly any mass, as the turns of
// nodes; the second is the same for robots of all sizes.
void td_newton_metric(td_newton* w, const double* x, double p, bool graded) {
  const td_equations* s = w->equations;
  const int n = s->n;
  double *M = w->M, top = 0, highest = 0;
  memset(M, 0, sizeof(double) * area(n, n));
  if (s->mass) s->mass(s->ctx, x, p, M);
  for (int i = 0; i < n; i++) {
    const double mass = M[i * n + i], stiffness = fabs(w->K[i * n + i]);
    top = fmax(top, mass);
    if (mass > 0 && isfinite(stiffness)) highest = fmax(highest, stiffness / mass);
  }
  for (int i = 0; i < n; i++) {
    const double mass = M[i * n + i], stiffness = fabs(w->K[i * n + i]);
    double own = top;
    if (graded && mass > 0) own = mass;
    if (graded && !(mass > 0) && highest > 0 && stiffness > 0) own = stiffness / highest;
    M[i * n + i] += own > 0 && isfinite(own) ? 1e-3 * own : 1;
  }
}

// Is the force along d the same wherever it leads to?  bar: d, scaled to a largest part of one.
static bool is_endless(td_newton* w, const double* x, const double* l, double p, double force) {
  const td_equations* s = w->equations;
  for (double way = 1e-2; way < 1e5; way *= 10) {
    for (int i = 0; i < s->n; i++) w->step[i] = way * w->bar[i];
    s->displace(s->ctx, x, w->step, w->x_try);
    s->residual(s->ctx, w->x_try, l, p, w->Fp, w->ep);
    if (!(fabs(inner(w->Fp, w->bar, s->n) - force) <= 1e-9 * fabs(force))) return false;
  }
  return true;
}

// Does F have a part along d that counts beside the forces there are?  Md is M d.
static bool is_loaded(const td_newton* w, const double* d, const double* Md) {
  const int n = w->equations->n;
  return fabs(inner(d, w->F, n)) * largest(Md, (size_t)n) > 1e-9 * w->forces;
}

// Add κ (M d)(M d)' to w->K for each direction d that nothing holds.  A load along such a direction
// sets w->endless if it stays constant however far d is followed. w->loose remembers whether there
// were any, so that a model without them is examined once.
void td_newton_hold(td_newton* w, const double* x, const double* l, double p) {
  const td_equations* s = w->equations;
  const int n = s->n;
  const double zero = w->zero;
  if (w->loose == 0 || n == 0 || !s->mass) return;
  if (!isfinite(largest(w->K, area(n, n)))) return;
  double* block = malloc(sizeof(double) * (4 * area(n, n) + 3 * (size_t)n));
  if (!block) return;
  double *Kz = block, *Mz = Kz + area(n, n), *S = Mz + area(n, n), *V = S + area(n, n);
  double *omega = V + area(n, n), *d = omega + n, *Md = d + n;

  // modes on the null space of the constraints
  td_newton_metric(w, x, p, true);
  td_saddle_null_space(w->saddle, w->J);
  const int k = w->saddle->free;
  td_saddle_reduce(w->saddle, w->K, Kz);
  td_saddle_reduce(w->saddle, w->M, Mz);
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++) S[i * k + j] = (Kz[i * k + j] + Kz[j * k + i]) / 2;
  const bool ok = k > 0 && td_eig_symmetric(S, Mz, k, omega, V);
  const double top = ok ? fmax(fabs(omega[0]), fabs(omega[k - 1])) : 0;

  // each mode whose eigenvalue is zero up to rounding
  int loose = 0;
  for (int i = 0; ok && i < k; i++) {
    if (fabs(omega[i]) > zero * top || top == 0) continue;
    // no force from it, either, where K is not symmetric
    const double* v = V + area(i, k);
    double made = 0, felt = 0, size = 0;
    for (int a = 0; a < k; a++) {
      double from = 0, to = 0, inertia = 0;
      for (int b = 0; b < k; b++) {
        from += Kz[a * k + b] * v[b];
        to += Kz[b * k + a] * v[b];
        inertia += Mz[a * k + b] * v[b];
      }
      made = fmax(made, fabs(from));
      felt = fmax(felt, fabs(to));
      size = fmax(size, fabs(inertia));
    }
    if (fmax(made, felt) > 1e3 * zero * top * size) continue;

    // the direction on all coordinates
    td_mul(w->saddle->Z, v, n, k, 1, d);
    td_mul(w->M, d, n, n, 1, Md);
    // a soft direction of stiff coordinates, as raw polynomials have them, is not loose: its own
    // stiffness is more than what rounding leaves of theirs
    double own = 0, left = 0;
    for (int a = 0; a < n; a++) {
      double row = 0;
      for (int b = 0; b < n; b++) row += w->K[a * n + b] * d[b];
      own += fabs(w->K[a * n + a]) * d[a] * d[a];
      left += d[a] * row;
    }
    if (own > 1e2 * zero * top && fabs(left) > 10 * zero * own) continue;

    // a load along it: move with it instead of holding it
    if (is_loaded(w, d, Md)) {
      // away from where the residual pushes
      const double along = inner(d, w->F, n), far = largest(d, (size_t)n);
      for (int a = 0; a < n; a++) w->bar[a] = -copysign(1, along) * d[a] / far;
      if (is_endless(w, x, l, p, inner(w->bar, w->F, n))) w->endless = true;
      continue;
    }
    loose++;
    for (int a = 0; a < n; a++)
      for (int b = 0; b < n; b++) w->K[a * n + b] += top * Md[a] * Md[b];
  }
  if (w->loose < 0) w->loose = loose > 0 || w->endless;
  free(block);
}
