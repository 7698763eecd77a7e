// td_modes: natural and complex modes about an equilibrium.
#include <math.h>
#include <stdio.h>

#include "engine/sparse_engine.h"
#include "model/model.h"
#include "solve/statics/sparse_modes.h"
#include "solve/statics/statics.h"
#include "solve/vectors.h"

// zeta = phi' C phi / (2 omega) for mass-normalised phi; rigid and unstable modes have none
static double damping_ratio(const td_reduced* r, const double* phi, double omega) {
  if (omega <= 0) return 0;
  double power = 0;
  for (int i = 0; i < r->n; i++)
    for (int j = 0; j < r->n; j++) power += phi[i] * r->C[i * r->n + j] * phi[j];
  return power / (2 * omega);
}

// out (nv, spread by stride) = Z z on the unprescribed velocities
static void expand(const td_statics* s, const td_reduced* r, const double* z, double* out,
                   int stride) {
  for (int i = 0; i < s->n; i++) {
    double sum = 0;
    for (int j = 0; j < r->n; j++) sum += r->Z[i * r->n + j] * z[j];
    out[s->free[i] * stride] = sum;
  }
}

static td_status natural_modes(const td_statics* s, const td_reduced* r, td_modes_result* result) {
  double* w = malloc(sizeof(double) * ((size_t)r->n + area(r->n, r->n) + 1));
  if (!w) return TD_E_NOMEM;
  double* shapes = w + r->n;
  int n;
  // without a potential the frequencies are those of the stiffness as it is
  const bool potential = r->asymmetry <= TD_ASYMMETRIC;
  const td_status status =
      potential ? td_reduced_modes(r, w, shapes, &n)
                : td_reduced_general_modes(r, result->omega, result->zeta, shapes, &n);
  if (status == TD_OK) {
    result->n = n;
    for (int k = 0; k < n; k++) {
      const double* phi = shapes + area(k, r->n);
      if (potential) result->omega[k] = copysign(sqrt(fabs(w[k])), w[k]);
      if (potential) result->zeta[k] = damping_ratio(r, phi, result->omega[k]);
      expand(s, r, phi, result->shape + area(k, s->nv), 1);
    }
  }
  free(w);
  return status;
}

static td_status complex_modes(const td_statics* s, const td_reduced* r, td_modes_result* result) {
  double* shapes = malloc(sizeof(double) * (2 * area(r->n, r->n) + 1));
  if (!shapes) return TD_E_NOMEM;
  int n;
  const td_status status = td_reduced_eigenvalues(r, result->re, result->im, shapes, &n);
  for (int k = 0; status == TD_OK && k < n; k++) {
    double* out = result->complex_shape + 2 * area(k, s->nv);
    expand(s, r, shapes + area(k, r->n), out, 2);
    if (result->im[k] != 0 && k + 1 < n) {
      // rows k and k + 1 are real and imaginary part; the second of the pair is the conjugate
      double* pair = out + 2 * s->nv;
      expand(s, r, shapes + area(k + 1, r->n), out + 1, 2);
      td_modes_normalise(out, s->nv);
      for (int i = 0; i < s->nv; i++) pair[2 * i] = out[2 * i], pair[2 * i + 1] = -out[2 * i + 1];
      k++;
    } else {
      td_modes_normalise(out, s->nv);
    }
  }
  result->ncomplex = n;
  free(shapes);
  return status;
}

// Eigenvalues of positions, velocities and internal states together, and the displacements that go
// with them.
static td_status mixed_modes(td_statics* s, td_modes_result* result) {
  td_linear* lin = NULL;
  TD_TRY(td_linearize(s->model, s->state, s->work, &lin));
  const int n = lin->nx;
  double* VR = malloc(sizeof(double) * (area(n, n) + 2 * (size_t)n + 1));
  td_status status = VR ? TD_OK : TD_E_NOMEM;
  if (status == TD_OK && !td_eig_general(lin->A, n, result->re, result->im, VR))
    status = TD_E_DIVERGED;
  for (int k = 0; status == TD_OK && k < n; k++) {
    double* out = result->complex_shape + 2 * area(k, s->nv);
    const bool pair = result->im[k] != 0 && k + 1 < n;
    for (int i = 0; i < s->nv; i++) {
      const double* row = lin->basis + area(i, n);
      out[2 * i] = inner(row, VR + area(k, n), n);
      out[2 * i + 1] = pair ? inner(row, VR + area(k + 1, n), n) : 0;
    }
    td_modes_normalise(out, s->nv);
    if (!pair) continue;
    double* other = out + 2 * s->nv;
    for (int i = 0; i < s->nv; i++) other[2 * i] = out[2 * i], other[2 * i + 1] = -out[2 * i + 1];
    k++;
  }
  result->ncomplex = n;
  free(VR);
  td_linear_free(lin);
  return status;
}

void td_modes_free(td_modes_result* result) {
  if (!result) return;
  free(result->omega);
  free(result);
}

static void note(char* text, size_t size, const char* what) {
  const size_t used = strlen(text);
  snprintf(text + used, size - used, "%s%s", used ? "; " : "", what);
}

static void write_notes(td_statics* s, bool asymmetric, const double* q, const double* l,
                        td_modes_result* result) {
  char* text = result->note;
  const size_t size = sizeof result->note;
  double* e = s->l0;
  s->equations.residual(s, q, l, 1, s->F, e);
  double left = 0;
  for (int i = 0; i < s->n; i++) left = fmax(left, fabs(s->F[i]));
  const double forces = s->equations.scale(s, q, l, 1);
  s->equations.residual(s, q, l, 1, s->F, e);
  if (left > 1e-6 * forces + 1e-12) {
    char line[96];
    snprintf(line, sizeof line, "the state is no equilibrium: a force of %.3g is left over", left);
    note(text, size, line);
  }
  if (td_has_power_dampers(s->model))
    note(text, size,
         "dampers with a power other than 1 are linearised at rest, where those above 1 vanish");
  if (asymmetric)
    note(text, size,
         "the stiffness is not symmetric: modes need not be stable even where their squares are "
         "positive, and the eigenvalues decide");
}

static td_status analyse(td_statics* s, const double* q, const double* l,
                         td_modes_result** result) {
  const int nz = s->model->ninternal;
  const bool asymmetric = s->sparse && td_sparse_asymmetry(s, q, l) > TD_ASYMMETRIC;
  if (nz > 0 && !s->dense) {
    td_work_fail(s->work,
                 "modes of a model with internal states need a linear model of all states, of at "
                 "most %d velocities: this one has %d",
                 SPARSE_DENSE_LIMIT, s->nv);
    return TD_E_USAGE;
  }
  if (nz == 0 && s->sparse && s->nv > SPARSE_MODES_FROM && !(s->dense && asymmetric)) {
    TD_TRY(td_sparse_modes(s, q, l, result));
    write_notes(s, asymmetric, q, l, *result);
    return TD_OK;
  }
  td_reduced* r;
  TD_TRY(td_reduced_new(s, q, l, 1, &r));
  td_modes_result* m = *result = td_modes_allocate(r->n + nz, s->nv);
  td_status status = m ? natural_modes(s, r, m) : TD_E_NOMEM;
  if (status == TD_OK) status = nz > 0 ? mixed_modes(s, m) : complex_modes(s, r, m);
  if (status == TD_OK && nz > 0)
    note(m->note, sizeof m->note,
         "undamped modes are those with the internal states held; the eigenvalues are of all "
         "states");
  if (status == TD_OK) write_notes(s, r->asymmetry > TD_ASYMMETRIC, q, l, m);
  td_reduced_free(r);
  return status;
}

td_status td_modes(const td_model* model, const td_state* state, td_work* work,
                   td_modes_result** result) {
  if (!model_has(model, state, work) || !td_state_is_finite(model, state) || !result)
    return TD_E_USAGE;
  *result = NULL;
  td_statics* s = NULL;
  td_newton* newton = NULL;
  const td_sizes sizes = td_model_sizes(model);
  double* q = calloc((size_t)(sizes.nq + sizes.nconstraint) + 1, sizeof(double));
  td_status status = q ? td_statics_new(model, work, state, TD_LOAD_SCALE, &s) : TD_E_NOMEM;
  if (status == TD_OK) status = td_newton_new(&s->equations, &newton);
  if (status == TD_OK) {
    memcpy(q, s->state->q, sizeof(double) * (size_t)sizes.nq);
    status = td_taut_choose(model, s->state, work);
  }
  if (status == TD_OK) status = td_finite_rates(model, s->state, work);
  if (status == TD_OK) {
    td_newton_estimate(newton, q, q + sizes.nq, 1);
    status = analyse(s, q, q + sizes.nq, result);
    if (*result) (*result)->model = model;
  }
  if (status == TD_OK) {
    const td_modes_result* m = *result;
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
  td_newton_free(newton);
  td_statics_free(s);
  free(q);
  return status;
}
