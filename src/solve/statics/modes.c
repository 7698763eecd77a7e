// td_modes: natural and complex modes about an equilibrium (vibration.h).
//
//   K φ = ω² M φ,   φ'M φ = 1,   ζ = φ'C φ/(2 ω)              undamped, by the symmetric parts
//   (p² M + p C + K) x = 0                                    damped; the largest component of x is
//   1
//
// With internal states the damped ones are the eigenvalues of the linear model of all states.
#include <math.h>
#include <stdio.h>

#include "engine/sparse_engine.h"
#include "model/model.h"
#include "solve/statics/vibration.h"
#include "solve/vectors.h"

void td_modes_free(td_modes_result* result) {
  if (!result) return;
  free(result->omega);
  free(result);
}

// Allocate a result for n natural modes and 2 n eigenvalues of nv velocities.  NULL: no memory.
static td_modes_result* allocate(int n, int nv) {
  td_modes_result* result = calloc(1, sizeof *result);
  double* block = calloc(6 * (size_t)n + 5 * area(n, nv) + 1, sizeof(double));
  if (!result || !block) {
    free(result);
    free(block);
    return NULL;
  }
  result->omega = block;
  result->zeta = block + n;
  result->re = block + 2 * n;
  result->im = block + 4 * n;
  result->shape = block + 6 * n;
  result->complex_shape = result->shape + area(n, nv);
  return result;
}

// Fill r->omega, zeta and shape with the natural modes, in the order of frequency; omega < 0 stands
// for sqrt(-ω²) of a divergence.  A stiffness that is not symmetric gives frequencies and damping
// of its own eigenvalues.
static td_status natural_modes(td_vibration* v, td_modes_result* r) {
  double* w = malloc(sizeof(double) * ((size_t)(v->most + v->n) + area(v->usual + 1, v->n) + 1));
  if (!w) return TD_E_NOMEM;
  double *Cx = w + v->most, *X = Cx + v->n;
  // without a potential the frequencies are those of the stiffness as it is
  const bool potential = v->asymmetry <= TD_ASYMMETRIC || !v->ops->general;
  const td_status status = potential ? v->ops->natural(v, v->usual, w, X, &r->n)
                                     : v->ops->general(v, r->omega, r->zeta, X, &r->n);

  // shapes on all velocities; ω and ζ from ω² and the damping
  for (int k = 0; status == TD_OK && k < r->n; k++) {
    const double* phi = X + area(k, v->n);
    v->ops->expand(v, phi, r->shape + area(k, v->s->nv));
    if (!potential) continue;
    v->ops->multiply(v, VIBRATION_DAMPING, phi, Cx);
    r->omega[k] = copysign(sqrt(fabs(w[k])), w[k]);
    r->zeta[k] = r->omega[k] > 0 ? inner(phi, Cx, v->n) / (2 * r->omega[k]) : 0;
  }
  free(w);
  return status;
}

// Fill r->re, im and complex_shape with the eigenvalues of the damped motion and their
// displacements, scaled so that the largest component is 1.  With internal states (`all`) the
// eigenvalues are those of the whole linear model.
static td_status complex_modes(td_vibration* v, const td_linear* all, td_modes_result* r) {
  const int nv = v->s->nv, n = all ? all->nx : v->n;
  double* X = malloc(sizeof(double) * (area(all ? n : 2 * v->usual, n) + 2 * (size_t)nv + 1));
  if (!X) return TD_E_NOMEM;
  double* part[2] = {X + area(all ? n : 2 * v->usual, n)};
  part[1] = part[0] + nv;
  td_status status = TD_OK;
  if (!all)
    status = v->ops->complex(v, r->re, r->im, X, &r->ncomplex);
  else if (td_eig_general(all->A, n, r->re, r->im, X))
    r->ncomplex = n;
  else
    status = TD_E_DIVERGED;

  // shapes: one for a real eigenvalue, real and imaginary part for a conjugate pair
  for (int k = 0, two; status == TD_OK && k < r->ncomplex; k += 1 + two) {
    two = r->im[k] != 0 && k + 1 < r->ncomplex;
    for (int i = 0; i <= two; i++) {
      const double* x = X + area(k + i, n);
      if (!all) v->ops->expand(v, x, part[i]);
      for (int j = 0; all && j < nv; j++) part[i][j] = inner(all->basis + area(j, n), x, n);
    }

    // divided by the largest component; the second of a pair is the conjugate
    double *out = r->complex_shape + 2 * area(k, nv), *other = out + 2 * nv;
    for (int i = 0; i < nv; i++) {
      out[2 * i] = part[0][i];
      out[2 * i + 1] = two ? part[1][i] : 0;
    }
    int top = 0;
    for (int i = 1; i < nv; i++)
      if (hypot(out[2 * i], out[2 * i + 1]) > hypot(out[2 * top], out[2 * top + 1])) top = i;
    const double a = out[2 * top], b = out[2 * top + 1], d = a * a + b * b;
    for (int i = 0; i < nv; i++) {
      const double x = out[2 * i], y = out[2 * i + 1];
      if (d > 0) out[2 * i] = (x * a + y * b) / d;
      if (d > 0) out[2 * i + 1] = (y * a - x * b) / d;
      if (two) other[2 * i] = out[2 * i], other[2 * i + 1] = -out[2 * i + 1];
    }
  }
  free(X);
  return status;
}

static void note(td_modes_result* r, const char* what) {
  const size_t used = strlen(r->note);
  snprintf(r->note + used, sizeof r->note - used, "%s%s", used ? "; " : "", what);
}

// Find natural and complex modes at (q, l), then add notes on what limits their meaning: internal
// states, a state that is no equilibrium, nonlinear dampers, an asymmetric stiffness.
static td_status analyse(td_statics* s, const double* q, const double* l,
                         td_modes_result** result) {
  const int nz = s->model->ninternal;
  if (nz > 0 && !s->dense) {
    td_work_fail(s->work,
                 "modes of a model with internal states need a linear model of all states, of at "
                 "most %d velocities: this one has %d",
                 SPARSE_DENSE_LIMIT, s->nv);
    return TD_E_USAGE;
  }

  // the lowest modes of large models, unless all are needed for a stiffness that is not symmetric
  td_vibration* v = NULL;
  if (nz == 0 && s->sparse && s->nv > SPARSE_MODES_FROM)
    TD_TRY(td_vibration_sparse(s, q, l, 1, true, &v));
  if (v && s->dense && v->asymmetry > TD_ASYMMETRIC) {
    td_vibration_free(v);
    v = NULL;
  }
  if (!v) TD_TRY(td_vibration_dense(s, q, l, 1, true, &v));

  // natural modes, then complex ones
  td_modes_result* r = *result = allocate(v->usual + nz, s->nv);
  td_linear* all = NULL;
  td_status status = r ? natural_modes(v, r) : TD_E_NOMEM;
  if (status == TD_OK && nz > 0) status = td_linearize(s->model, s->state, s->work, &all);
  if (status == TD_OK) status = complex_modes(v, all, r);
  const bool asymmetric = v->asymmetry > TD_ASYMMETRIC;
  td_linear_free(all);
  td_vibration_free(v);
  TD_TRY(status);

  // what to know when reading them
  if (nz > 0)
    note(r,
         "undamped modes are those with the internal states held; the eigenvalues are of all "
         "states");
  double* e = s->l0;
  s->equations.residual(s, q, l, 1, s->F, e);
  const double left = largest(s->F, (size_t)s->n), forces = s->equations.scale(s, q, l, 1);
  s->equations.residual(s, q, l, 1, s->F, e);
  if (left > 1e-6 * forces + 1e-12) {
    char line[96];
    snprintf(line, sizeof line, "the state is no equilibrium: a force of %.3g is left over", left);
    note(r, line);
  }
  if (td_has_power_dampers(s->model))
    note(r, "dampers with a power other than 1 are linearised at rest, where those above 1 vanish");
  if (asymmetric)
    note(r,
         "the stiffness is not symmetric: modes need not be stable even where their squares are "
         "positive, and the eigenvalues decide");
  return TD_OK;
}

// Set up statics at the state, analyse it, and refuse results that are not finite.
td_status td_modes(const td_model* model, const td_state* state, td_work* work,
                   td_modes_result** result) {
  if (!model_has(model, state, work) || !td_state_is_finite(model, state) || !result)
    return TD_E_USAGE;
  *result = NULL;
  td_statics* s = NULL;
  double* q = NULL;
  td_status status = td_statics_here(model, state, work, &s, &q);
  if (status == TD_OK) status = analyse(s, q, q + s->nq, result);
  if (status == TD_OK) {
    td_modes_result* m = *result;
    m->model = model;
    status = td_finite(model, work, "the natural frequencies: omega", NULL, m->omega, 1, m->n);
    if (status == TD_OK)
      status = td_finite(model, work, "the eigenvalues: real part", NULL, m->re, 1, m->ncomplex);
    if (status == TD_OK)
      status =
          td_finite(model, work, "the eigenvalues: imaginary part", NULL, m->im, 1, m->ncomplex);
  }
  if (status != TD_OK) {
    td_modes_free(*result);
    *result = NULL;
  }
  td_statics_free(s);
  free(q);
  return status;
}
