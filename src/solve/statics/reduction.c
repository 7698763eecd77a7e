// td_modal_reduction and td_static_reduction: the linear model of the first natural modes,
//
//   z'' + (φ C φ') z' + (φ K φ') z = φ B u,   y = Cq φ'z + Cv φ'z' + Ca φ'z'',   dq = φ'z
//
// with mass-normalised shapes φ by rows, on the operations of vibration.h.  C and K are whole, so
// that modes remain coupled by damping and by what is not symmetric.
//
// A shape for each input makes up for the modes that are left out: what remains beside them of
//
//   x = (K + s² M)⁻¹ B,   s a thousandth of the highest frequency kept,
//
// normalised by the mass.  The static answer is right to 1e-6 with it, and s keeps rigid motions
// apart.
#include "model/model.h"
#include "solve/statics/vibration.h"
#include "solve/vectors.h"
#include "tendril/control.h"

// Shapes x (rows of v->n) and M x for the input map B (nv x nu); w is scratch (most + nv).
static td_status find_shapes(td_vibration* v, int count, bool correct, const double* B, int nu,
                             double* x, double* Mx, double* w, int* shapes) {
  const int n = v->n, nv = v->s->nv;
  double* f = w + v->most;
  TD_TRY(v->ops->natural(v, count, w, x, shapes));
  for (int i = 0; i < *shapes; i++)
    v->ops->multiply(v, VIBRATION_MASS, x + area(i, n), Mx + area(i, n));
  const double top = *shapes > 0 ? w[*shapes - 1] : 0;
  if (!correct || !(top > 0)) return TD_OK;

  // the answer to each input less its part along the shapes
  TD_TRY(v->ops->factor(v, 1e-6 * top));
  for (int u = 0; u < nu && *shapes < n; u++) {
    double *y = x + area(*shapes, n), *My = Mx + area(*shapes, n);
    for (int i = 0; i < nv; i++) f[i] = B[area(i, nu) + (size_t)u];
    v->ops->solve(v, f, y);
    v->ops->multiply(v, VIBRATION_MASS, y, My);
    const double before = inner(y, My, n);
    for (int pass = 0; pass < 2; pass++)
      for (int i = 0; i < *shapes; i++) {
        const double part = inner(Mx + area(i, n), y, n);
        for (int j = 0; j < n; j++) y[j] -= part * x[area(i, n) + (size_t)j];
      }
    v->ops->multiply(v, VIBRATION_MASS, y, My);
    const double left = inner(y, My, n);
    if (!(left > 1e-18 * before)) continue;  // nothing is left
    for (int j = 0; j < n; j++) y[j] /= sqrt(left), My[j] /= sqrt(left);
    ++*shapes;
  }
  return TD_OK;
}

// The linear model of k shapes x (rows of v->n)
static td_status project(td_vibration* v, int k, const double* x, const double* B, td_linear* lin) {
  const td_statics* s = v->s;
  const int n = v->n, nv = s->nv, nx = 2 * k, nu = lin->nu, ny = lin->ny;
  const size_t slopes = area(ny, nv);
  double* phi = calloc(2 * area(k, nv) + (size_t)n + 3 * slopes + 1, sizeof(double));
  bool* known = malloc(sizeof(bool) * ((size_t)ny + 1));
  td_status status = phi && known ? TD_OK : TD_E_NOMEM;
  if (status == TD_OK) {
    double *phi_M = phi + area(k, nv), *product = phi_M + area(k, nv), *dq = product + n;
    const sensor_slopes d = {dq, dq + slopes, dq + 2 * slopes, lin->D, known};

    // A = [0 1; -φ K φ' -φ C φ'], B = [0; φ B]
    double *stiffness = lin->A + area(k, nx), *damping = stiffness + k;
    for (int j = 0; j < k; j++) {
      lin->A[area(j, nx) + (size_t)(k + j)] = 1;
      v->ops->multiply(v, VIBRATION_STIFFNESS, x + area(j, n), product);
      for (int i = 0; i < k; i++)
        stiffness[area(i, nx) + (size_t)j] = -inner(x + area(i, n), product, n);
      v->ops->multiply(v, VIBRATION_DAMPING, x + area(j, n), product);
      for (int i = 0; i < k; i++)
        damping[area(i, nx) + (size_t)j] = -inner(x + area(i, n), product, n);
      v->ops->expand(v, x + area(j, n), phi + area(j, nv));
    }
    td_mul(phi, B, k, nv, nu, lin->B + area(k, nu));

    // basis = [φ' 0; 0 φ'], inverse = [φ M 0; 0 φ M]
    v->ops->momenta(v, k, phi, phi_M);
    for (int i = 0; i < k; i++)
      for (int j = 0; j < nv; j++) {
        const double a = phi[area(i, nv) + (size_t)j], b = phi_M[area(i, nv) + (size_t)j];
        lin->basis[area(j, nx) + (size_t)i] = lin->basis[area(nv + j, nx) + (size_t)(k + i)] = a;
        lin->inverse[area(i, 2 * nv) + (size_t)j] = b;
        lin->inverse[area(k + i, 2 * nv) + (size_t)(nv + j)] = b;
      }

    // outputs, with accelerations by the equations of motion
    if (ny > 0) status = v->ops->sensors(v, &d);
    for (int i = 0; status == TD_OK && i < ny; i++)
      for (int j = 0; j < k; j++) {
        double* row = lin->C + area(i, nx);
        row[j] += inner(d.dq + area(i, nv), phi + area(j, nv), nv);
        row[k + j] += inner(d.dv + area(i, nv), phi + area(j, nv), nv);
        const double a = inner(d.da + area(i, nv), phi + area(j, nv), nv);
        for (int c = 0; c < nx && a != 0; c++) row[c] += a * lin->A[area(k + j, nx) + (size_t)c];
        for (int u = 0; u < nu && a != 0; u++)
          lin->D[area(i, nu) + (size_t)u] += a * lin->B[area(k + j, nu) + (size_t)u];
      }
    if (status == TD_OK && ny > 0) td_linear_choose(s->model, known, v->ops->unknown, lin);
  }
  free(phi);
  free(known);
  return status;
}

// Reduce the model to `count` natural modes and, if `correct`, one static shape for each input.
// Refuses more modes than the vibrations can give.
static td_status reduce(td_vibration* v, int count, bool correct, td_linear** result) {
  td_statics* s = v->s;
  const td_sizes size = td_model_sizes(s->model);
  if (count > v->ops->reduced_most) {
    td_work_fail(s->work, "a model of %d velocities may be reduced to %d modes at most, not %d",
                 s->nv, v->ops->reduced_most, count);
    return TD_E_USAGE;
  }
  count = min_int(count, v->most);
  const int room = count + 1 + (correct ? size.nu : 0);
  double* x =
      calloc(2 * area(room, v->n) + area(s->nv, size.nu + 1) + (size_t)v->most + 1, sizeof(double));
  if (!x) return TD_E_NOMEM;
  double *Mx = x + area(room, v->n), *B = Mx + area(room, v->n), *w = B + area(s->nv, size.nu);
  int k = 0;
  td_trial_input_map(s->model, s->state, s->work, B);
  td_status status = find_shapes(v, count, correct, B, size.nu, x, Mx, w, &k);
  if (status == TD_OK) {
    *result = td_linear_new(s->model, 2 * k, size.nu, size.nsensor);
    status = *result ? project(v, k, x, B, *result) : TD_E_NOMEM;
  }
  free(x);
  return status;
}

// Velocities of unprescribed coordinates above `at_rest` [SI] are motion.
static td_status refuse(const td_statics* s, const td_state* state) {
  static const double at_rest = 1e-6;
  if (s->model->ninternal > 0) {
    td_work_fail(s->work, TD_NO_INTERNALS, "reduction to modes",
                 td_model_internal_name(s->model, 0));
    return TD_E_USAGE;
  }
  int fastest = -1;
  for (int i = 0; i < s->n; i++) {
    const double v = fabs(state->v[s->free[i]]);
    if (v > at_rest && (fastest < 0 || v > fabs(state->v[fastest]))) fastest = s->free[i];
  }
  if (fastest >= 0) {
    td_work_fail(s->work,
                 "natural modes are those about a state at rest, but %s moves with %.3g; give an "
                 "equilibrium, or linearise without reduction",
                 td_model_v_name(s->model, fastest), state->v[fastest]);
    return TD_E_USAGE;
  }
  if (s->moving)
    td_work_fail(s->work, "it is for a robot at rest; prescribed motion moves this one");
  if (td_inputs_drive_rows(s->model))
    td_work_fail(s->work, "an input that says where a constraint is (joint.control) moves no mode");
  return s->moving || td_inputs_drive_rows(s->model) ? TD_E_USAGE : TD_OK;
}

// Check the arguments, set up statics and vibrations at the state, and reduce to n modes; *result
// is NULL on failure.
static td_status natural_reduction(const td_model* model, const td_state* state, td_work* work,
                                   int n, bool correct, td_linear** result) {
  if (!model_has(model, state, work) || !td_state_is_finite(model, state) || n < 1 || !result)
    return TD_E_USAGE;
  *result = NULL;
  td_statics* s = NULL;
  td_vibration* v = NULL;
  double* q = NULL;
  td_status status = td_statics_here(model, state, work, &s, &q);
  if (status == TD_OK) status = refuse(s, state);
  if (status == TD_OK)
    status = s->dense ? td_vibration_dense(s, q, q + s->nq, 1, true, &v)
                      : td_vibration_sparse(s, q, q + s->nq, 1, true, &v);
  if (status == TD_OK) status = reduce(v, n, correct, result);
  if (status != TD_OK) {
    td_linear_free(*result);
    *result = NULL;
  }
  td_vibration_free(v);
  td_statics_free(s);
  free(q);
  return status;
}

td_status td_modal_reduction(const td_model* model, const td_state* state, td_work* work, int n,
                             td_linear** result) {
  return natural_reduction(model, state, work, n, false, result);
}

td_status td_static_reduction(const td_model* model, const td_state* state, td_work* work, int n,
                              td_linear** result) {
  return natural_reduction(model, state, work, n, true, result);
}
