// Explanations where there is no equilibrium: a force that no displacement changes, a loop in a
// singular position, a rod turned inside out.
//
// With K the stiffness on the motions that the constraints allow and F the forces that are left
// over, directions y with y'K = 0 feel no restoring force.  What F has in them stays, and
// y'F ≠ 0 means that nothing near this configuration can balance it.
#include <math.h>
#include <stdio.h>

#include "model/model.h"
#include "solve/statics/vibration.h"
#include "solve/vectors.h"
#include "tendril/tools.h"

// The part of f (n) in the left null space of K, measured against the sizes of both.
static bool left_over(const double* K, const double* f, int n, double* out) {
  double* block = malloc(sizeof(double) * (3 * area(n, n) + (size_t)n + 1));
  if (!block) return false;
  double *S = block, *one = S + area(n, n), *V = one + area(n, n), *w = V + area(n, n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      S[i * n + j] = 0;
      one[i * n + j] = i == j;
      for (int k = 0; k < n; k++) S[i * n + j] += K[i * n + k] * K[j * n + k];
    }
  const double zero = 1e-9 * fmax(largest(K, area(n, n)), largest(f, (size_t)n));
  const bool ok = td_eig_symmetric(S, one, n, w, V);
  memset(out, 0, sizeof(double) * (size_t)n);
  for (int k = 0; ok && k < n; k++) {
    double along = 0;
    if (w[k] > zero * zero) break;
    for (int i = 0; i < n; i++) along += V[k * n + i] * f[i];
    for (int i = 0; i < n; i++) out[i] += along * V[k * n + i];
  }
  free(block);
  return ok && largest(out, (size_t)n) > 1e-6 * largest(f, (size_t)n);
}

// "joint(1).dof(3)" and the force there, for a direction of the unprescribed velocities.
static void name_direction(const td_statics* s, const double* d, const double* F, char* note,
                           size_t size) {
  int worst = 0;
  for (int i = 1; i < s->n; i++)
    if (fabs(d[i]) > fabs(d[worst])) worst = i;
  td_coordinate about = {.name = "", .unit = ""};
  td_model_v_about(s->model, s->free[worst], &about);
  const char* unit = strcmp(about.unit, "m/s") == 0     ? " N"
                     : strcmp(about.unit, "rad/s") == 0 ? " N m"
                                                        : "";
  snprintf(note, size,
           "no restoring force along %.80s: nothing balances %.3g%s there; hold "
           "it by a spring or a constraint, or take the load away",
           about.name, fabs(F[worst]), unit);
}

// Project the residual on the null space of K' (left_over) and name the coordinates of that
// direction.
void td_statics_explain(td_statics* s, const double* q, const double* l, char* note, size_t size) {
  td_reduced* r = NULL;
  if (td_reduced_new(s, q, l, 1, false, &r) != TD_OK || r->n == 0) {
    td_reduced_free(r);
    return;
  }
  const int n = r->n;
  double* F = calloc((size_t)(2 * s->n + 2 * n + s->m) + 1, sizeof(double));
  if (F) {
    double *d = F + s->n, *f = d + s->n, *u = f + n, *e = u + n;
    s->equations.residual(s, q, l, 1, F, e);
    td_mul_tn(r->Z, F, n, s->n, 1, f);
    if (isfinite(largest(f, (size_t)n)) && left_over(r->K, f, n, u)) {
      td_mul(r->Z, u, s->n, n, 1, d);
      name_direction(s, d, F, note, size);
    }
  }
  free(F);
  td_reduced_free(r);
}

void td_statics_say_overloaded(const td_statics* s, char* note, size_t size) {
  snprintf(note, size,
           "%.60s cannot hold the load: the loop is in a singular position (bars in line), where "
           "its forces have no lever and grow without bound; start elsewhere with --at, change a "
           "length, or give the joint springs",
           td_model_constraint_name(s->model, s->overloaded));
}

bool td_statics_reversed(const td_statics* s, char* note, size_t size) {
  const char* rod = "";
  if (td_model_sizes(s->model).nrod == 0) return false;
  td_trial_energy(s->model, s->state, s->work);  // places it
  const double stretch = td_least_stretch(s->model, s->work, &rod);
  if (!(stretch <= 0)) return false;
  snprintf(note, size,
           "the loads are balanced only with %.80s turned inside out: its axis is %.3g times as "
           "long there as it was made; the load is beyond what its linear law of stretch is for",
           rod, stretch);
  return true;
}
