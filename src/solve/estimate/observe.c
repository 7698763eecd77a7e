// Kalman filters on the full model, extended and unscented [julier2004], in square-root form
// [kaminski1971]: P = S S', every step an LQ factorisation.
//
//   extended:   d' = F d,  F = [T 1 0; dv'/dq dv'/dv dv'/dw; 0 0 0]   d = [dq, dv, dw], w unknown
//               S <- root of [Φ S, √(h/2) Φ G, √(h/2) G],  Φ = exp((F_0 + F_1) h / 2)
//   unscented:  2 N points at √N times the columns of the root of [S, √(h/2) G], each integrated
//   over
//               the step
//
// A measurement y = h(x) + noise with root V updates both filters by
//
//   [ V  Y ]   [ L11  0  ]                                             Y = H S, or differences of y
//   [ 0  X ] = [ L21 L22 ] Q,    d = L21 L11^-1 (y - h),    S <- L22   X = S, or of the points
#include <math.h>

#include "engine/sparse_engine.h"
#include "math/riccati.h"
#include "solve/control/plant.h"
#include "solve/statics/statics.h"
#include "solve/time/motion.h"
#include "solve/vectors.h"
#include "tendril/control.h"

struct td_observer {
  const td_model* model;
  td_work* work;
  td_observe_options options;
  td_unknown* unknown;
  td_sizes size;
  const int* free;
  int nf, np, N, ny;  // unprescribed velocities, unknowns, size of the error, sensors
  td_plant* plant;
  td_state *mean, *point, *centre;
  double *theta, *theta_point;  // unknowns: estimate, and at a point
  double *S, *G;                // N x N; N x N root of the noise of one second, by columns
  double *F0, *F1, *Phi, *H;    // N x N, ny x N
  double *array, *root;         // LQ: (ny + 4 N) x (ny + N), (ny + N)²
  double *e, *sigma, *noise, *y, *white, *d;
  double *dq, *dv, *du, *T, *f, *hq, *hv, *hu, *points, *ys, *Nplus, *diff, *g, *dp;
  bool* known;  // (ny) sensors that can be linearised
  int used;     // sensors in the last measurement
  double nis;   // normalised innovation squared
  void* block;
};

void td_observe_options_fill(td_observe_options* options, size_t size) {
  const td_observe_options own = {.size = size, .sigma_q = 0.01, .sigma_v = 0.1, .drift = 0.01};
  struct_into(options, size, &own, sizeof own);
}

void td_observer_free(td_observer* o) {
  if (!o) return;
  td_plant_free(o->plant);
  td_state_free(o->mean);
  td_state_free(o->point);
  td_state_free(o->centre);
  free(o->unknown);
  free(o->known);
  free(o->block);
  free(o);
}

// ---- memory and options -----------------------------------------------------------------------

// Allocate all arrays.  False: no memory.
static bool allocate(td_observer* o) {
  const size_t N = (size_t)o->N, ny = (size_t)o->ny, nv = (size_t)o->size.nv,
               nq = (size_t)o->size.nq, nu = (size_t)o->size.nu, np = (size_t)o->np;
  const struct {
    double** to;
    size_t n;
  } parts[] = {{&o->theta, np},
               {&o->theta_point, np},
               {&o->S, N * N},
               {&o->G, N * N},
               {&o->F0, N * N},
               {&o->F1, N * N},
               {&o->Phi, N * N},
               {&o->H, ny * N},
               {&o->e, ny},
               {&o->sigma, ny},
               {&o->noise, ny},
               {&o->y, ny},
               {&o->white, ny},
               {&o->d, N + nv},
               {&o->dq, nv * nv},
               {&o->dv, nv * nv},
               {&o->du, nv * nu},
               {&o->T, nv * nv},
               {&o->f, 2 * nv},
               {&o->hq, ny * nv},
               {&o->hv, ny * nv},
               {&o->hu, ny * nu},
               {&o->points, (2 * N + ny) * N},
               {&o->ys, (2 * N + 2) * ny},
               {&o->Nplus, nv * nq},
               {&o->diff, nq},
               {&o->g, (size_t)o->size.nconstraint},
               {&o->dp, (size_t)o->size.nparam},
               {&o->array, (ny + 4 * N) * (ny + N)},
               {&o->root, (ny + N) * (ny + N)}};

  // one block for all
  size_t total = 1;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) total += parts[i].n;
  double* at = o->block = calloc(total, sizeof(double));
  o->mean = td_state_new(o->model);
  o->point = td_state_new(o->model);
  o->centre = td_state_new(o->model);
  o->unknown = calloc(np + 1, sizeof(td_unknown));
  o->known = calloc(ny + 1, sizeof(bool));
  if (!at || !o->known || !o->mean || !o->point || !o->centre || !o->unknown) return false;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    *parts[i].to = at;
    at += parts[i].n;
  }
  return true;
}

static td_status refuse(td_observer* o, const char* what) {
  td_work_fail(o->work, "%s", what);
  return TD_E_USAGE;
}

// Check the unknowns and set their estimates to the present values.
static td_status read_unknowns(td_observer* o) {
  for (int i = 0; i < o->np; i++) {
    const td_unknown* u = &o->options.unknown[i];
    const int n = u->is_param ? o->size.nparam : o->size.nu;
    if (u->index < 0 || u->index >= n) return refuse(o, "an unknown is no parameter or input");
    if (!(u->sigma >= 0 && u->walk >= 0 && isfinite(u->sigma) && isfinite(u->walk)))
      return refuse(o, "deviations of unknowns must be finite and not negative");
    o->unknown[i] = *u;
    o->theta[i] = u->is_param ? td_work_param(o->model, o->work, u->index) : o->mean->u[u->index];
    if (u->is_param && td_work_set_param(o->model, o->work, u->index, o->theta[i]) == TD_E_USAGE)
      return refuse(o, "a parameter that was used while loading cannot be estimated");
  }
  return TD_OK;
}

// ---- unknowns, displacements ------------------------------------------------------------------

// Put the unknowns into the inputs of a state and the parameters of the work.
static void put_unknowns(td_observer* o, const double* theta, td_state* state) {
  for (int i = 0; i < o->np; i++) {
    const td_unknown* u = &o->unknown[i];
    if (!u->is_param)
      state->u[u->index] = theta[i];
    else if (td_work_param(o->model, o->work, u->index) != theta[i])
      td_work_put_param(o->model, o->work, u->index, theta[i]);
  }
}

// Move a state and unknowns by d (N), and project the state onto the constraints.
static void move(td_observer* o, const double* d, td_state* state, double* theta) {
  double* full = o->d + o->N;
  memset(full, 0, sizeof(double) * (size_t)o->size.nv);
  for (int i = 0; i < o->nf; i++) full[o->free[i]] = d[i];
  td_trial_displace(o->model, state->q, full, state->q);
  for (int i = 0; i < o->nf; i++) state->v[o->free[i]] += d[o->nf + i];

  // unknowns
  for (int i = 0; i < o->np; i++) {
    const td_unknown* u = &o->unknown[i];
    double step = d[2 * o->nf + i];

    // a parameter stays within the limits of the fields it is in: halve the step until it does
    while (u->is_param && theta[i] + step != theta[i] &&
           td_work_set_param(o->model, o->work, u->index, theta[i] + step) != TD_OK)
      step /= 2;
    theta[i] += step;
  }
  put_unknowns(o, theta, state);

  // back onto the constraints
  if (o->size.nconstraint > 0) {
    td_project_q(o->model, state, o->work, 1e-12);
    td_project_v(o->model, state, o->work);
  }
}

// d = (state, theta) relative to the centre
static void difference(td_observer* o, const td_state* state, const double* theta,
                       const double* theta_centre, double* d) {
  double* full = o->d + o->N;
  for (int i = 0; i < o->size.nq; i++) o->diff[i] = state->q[i] - o->centre->q[i];
  td_mul(o->Nplus, o->diff, o->size.nv, o->size.nq, 1, full);
  for (int i = 0; i < o->nf; i++) {
    d[i] = full[o->free[i]];
    d[o->nf + i] = state->v[o->free[i]] - o->centre->v[o->free[i]];
  }
  for (int i = 0; i < o->np; i++) d[2 * o->nf + i] = theta[i] - theta_centre[i];
}

// ---- start ------------------------------------------------------------------------------------

// Columns of S for independent deviations of positions and velocities that the constraints allow,
// by the basis of the linear model
static td_status allowed(td_observer* o, double sigma_q, double sigma_v, double* S) {
  memset(S, 0, sizeof(double) * area(o->N, o->N));
  const int N = o->N, nf = o->nf;
  if (o->size.nconstraint == 0) {
    for (int i = 0; i < nf; i++) S[i * N + i] = sigma_q, S[(nf + i) * N + nf + i] = sigma_v;
    return TD_OK;
  }

  // along the basis of the motions that constraints allow
  td_linear* l;
  TD_TRY(td_linearize(o->model, o->mean, o->work, &l));
  for (int i = 0; i < nf; i++) {
    for (int j = 0; j < l->nx; j++) {
      const double scale = j < l->nx / 2 ? sigma_q : sigma_v;
      S[i * N + j] = scale * l->basis[area(o->free[i], l->nx) + (size_t)j];
      S[(nf + i) * N + j] = scale * l->basis[area(o->size.nv + o->free[i], l->nx) + (size_t)j];
    }
  }
  td_linear_free(l);
  return TD_OK;
}

// Set G, the root of the noise of one second.
static td_status noise_root(td_observer* o) {
  TD_TRY(allowed(o, 0, o->options.drift, o->G));
  for (int i = 0; i < o->np; i++) {
    const int k = 2 * o->nf + i;
    o->G[k * o->N + k] = o->unknown[i].walk;
  }
  return TD_OK;
}

// Set S to the triangular root of the columns in `array`, which has them as its rows.
static td_status triangular(td_observer* o, int rows) {
  TD_TRY(td_triangular_root(o->array, rows, o->N, o->root));
  memcpy(o->S, o->root, sizeof(double) * area(o->N, o->N));
  return TD_OK;
}

// Append the columns of X (N x N), scaled, to the array.
static void add_columns(td_observer* o, const double* X, double scale, int* rows) {
  for (int j = 0; j < o->N; j++, (*rows)++)
    for (int i = 0; i < o->N; i++)
      o->array[area(*rows, o->N) + (size_t)i] = scale * X[i * o->N + j];
}

// Begin at a state: unknowns, noise of the sensors, plant, covariance.
static td_status start(td_observer* o, const td_state* state) {
  td_state_copy(o->model, state, o->mean);
  td_prescribe(o->model, o->work, o->mean);
  TD_TRY(read_unknowns(o));
  td_trial_energy(o->model, o->mean, o->work);  // evaluates the numbers that follow from parameters
  for (int i = 0; i < o->ny; i++) {
    double quantum;
    td_measure(o->model, o->work, i, &o->noise[i], &quantum);
    o->noise[i] = hypot(o->noise[i], quantum / sqrt(12));
    if (o->options.noise && o->options.noise[i] > 0) o->noise[i] = o->options.noise[i];
  }
  TD_TRY(td_plant_open(o->model, o->work, o->mean, o->options.sim, false, &o->plant));

  // S and G
  TD_TRY(allowed(o, o->options.sigma_q, o->options.sigma_v, o->S));
  for (int i = 0; i < o->np; i++) {
    const int k = 2 * o->nf + i;
    o->S[k * o->N + k] = o->unknown[i].sigma;
  }
  TD_TRY(noise_root(o));
  int rows = 0;
  add_columns(o, o->S, 1, &rows);
  return triangular(o, rows);
}

// Check the options and begin to observe.
td_status td_observer_new(const td_model* model, td_work* work, const td_state* state,
                          const td_observe_options* given, td_observer** observer) {
  if (!model_has(model, state, work) || !observer) return TD_E_USAGE;
  *observer = NULL;

  // options must be finite, not negative, and about what the model has
  td_observe_options own = td_observe_options_default();
  const td_observe_options* options = &own;
  if (td_options_take(given, &own, sizeof own) != TD_OK) {
    td_work_fail(work, "%s", td_options_refused);
    return TD_E_USAGE;
  }
  const double numbers[] = {options->sigma_q, options->sigma_v, options->drift};
  bool sensible = td_state_is_finite(model, state) && options->nunknown >= 0 &&
                  (options->nunknown == 0 || options->unknown);
  for (int i = 0; i < 3; i++) sensible = sensible && isfinite(numbers[i]) && numbers[i] >= 0;
  for (int i = 0; sensible && i < options->nunknown; i++) {
    const td_unknown* u = &options->unknown[i];
    sensible = u->index >= 0 && u->index < (u->is_param ? model->nparam : model->ninput);
  }
  const int ny = td_model_sizes(model).nsensor;
  for (int i = 0; sensible && options->noise && i < ny; i++)
    sensible = isfinite(options->noise[i]) && options->noise[i] >= 0;
  sensible = sensible && (options->filter == TD_EKF || options->filter == TD_UKF);
  if (!sensible) {
    td_work_fail(work,
                 "the options of an observer must be finite, not negative and about "
                 "parameters and inputs of the model, its filter one of those there are");
    return TD_E_USAGE;
  }

  // models that cannot be observed
  if (model->ninternal > 0) {
    td_work_fail(work, TD_NO_INTERNALS, "observe", td_model_internal_name(model, 0));
    return TD_E_USAGE;
  }
  if (model->nvel > SPARSE_DENSE_LIMIT) {
    td_work_fail(work, "a model of %d velocities is too large to be observed, it may have %d",
                 model->nvel, SPARSE_DENSE_LIMIT);
    return TD_E_USAGE;
  }

  td_observer* o = *observer = calloc(1, sizeof *o);
  if (!o) return TD_E_NOMEM;
  o->model = model;
  o->work = work;
  o->options = *options;
  o->size = td_model_sizes(model);
  o->nf = td_free_v(model, &o->free);
  o->np = options->nunknown;
  o->N = 2 * o->nf + o->np;
  o->ny = o->size.nsensor;
  td_status status = allocate(o) ? start(o, state) : TD_E_NOMEM;
  o->options.sim = NULL;  // belongs to the caller and is valid during this call only
  if (status != TD_OK) {
    td_observer_free(o);
    *observer = NULL;
  }
  return status;
}

// ---- tangents ---------------------------------------------------------------------------------

// dv'/dw (nv) of one unknown: by the input tangent, or for a parameter from M dv'/dp = -dF/dp
static td_status unknown_column(td_observer* o, int i, double* a) {
  const td_unknown* u = &o->unknown[i];
  const int nv = o->size.nv;
  if (!u->is_param) {
    for (int k = 0; k < nv; k++) a[k] = o->du[area(k, o->size.nu) + (size_t)u->index];
    return TD_OK;
  }
  double* F = o->f;
  TD_TRY(td_trial_dynamics(o->model, o->mean, o->work));
  copy(a, td_work_vdot(o->work), nv);
  td_param_derivative(o->model, o->mean, o->work, u->index, a, td_work_lambda(o->work), F);
  td_param_constraints(o->model, o->mean, o->work, u->index, a, NULL, o->g);
  for (int k = 0; k < nv; k++) F[k] = -F[k];
  for (int k = 0; k < o->size.nconstraint; k++) o->g[k] = -o->g[k];
  TD_TRY(td_trial_dynamics(o->model, o->mean, o->work));
  return td_driven_accelerations(o->model, o->work, F, o->g, a, NULL);
}

// Set F = [T 1 0; dv'/dq dv'/dv dv'/dw; 0 0 0] at the mean.
static td_status tangent(td_observer* o, double* F) {
  const int N = o->N, nf = o->nf, nv = o->size.nv;
  memset(F, 0, sizeof(double) * area(N, N));
  TD_TRY(td_trial_forward_tangent(o->model, o->mean, o->work, o->dq, o->dv, o->du));
  TD_TRY(td_turning(o->model, o->mean, o->T));
  for (int i = 0; i < nf; i++) {
    F[i * N + nf + i] = 1;
    for (int j = 0; j < nf; j++) {
      const size_t at = area(o->free[i], nv) + (size_t)o->free[j];
      F[i * N + j] = o->T[at];
      F[(nf + i) * N + j] = o->dq[at];
      F[(nf + i) * N + nf + j] = o->dv[at];
    }
  }

  // columns of the unknowns
  double* a = o->f + nv;
  for (int k = 0; k < o->np; k++) {
    TD_TRY(unknown_column(o, k, a));
    for (int i = 0; i < nf; i++) F[(nf + i) * N + 2 * nf + k] = a[o->free[i]];
  }
  return TD_OK;
}

// Set H = dy/d[q, v, w] at the mean.
static td_status measurement_tangent(td_observer* o) {
  const int nv = o->size.nv, N = o->N, nf = o->nf;
  TD_TRY(td_sensor_tangent(o->model, o->mean, o->work, o->hq, o->hv, o->hu, o->known));
  for (int k = 0; k < o->ny; k++)
    for (int i = 0; i < nf; i++) {
      o->H[area(k, N) + (size_t)i] = o->hq[area(k, nv) + (size_t)o->free[i]];
      o->H[area(k, N) + (size_t)(nf + i)] = o->hv[area(k, nv) + (size_t)o->free[i]];
    }

  // columns of the unknowns
  for (int i = 0; i < o->np; i++) {
    const td_unknown* u = &o->unknown[i];
    if (u->is_param) {
      o->dp[u->index] = 1;
      const td_direction along = {.p = o->dp};
      const td_status status = td_sensors_diff(o->model, o->mean, o->work, &along, o->ys);
      o->dp[u->index] = 0;
      if (status != TD_OK) return status;
    }
    for (int k = 0; k < o->ny; k++)
      o->H[area(k, N) + (size_t)(2 * nf + i)] =
          u->is_param ? o->ys[k] : o->hu[area(k, o->size.nu) + (size_t)u->index];
  }
  return TD_OK;
}

// ---- prediction -------------------------------------------------------------------------------

// Integrate a state to time t.
static td_status carry(td_observer* o, td_state* state, double t) {
  TD_TRY(td_plant_reset(o->plant, state));
  TD_TRY(td_plant_step(o->plant, t));
  td_state_copy(o->model, td_plant_state(o->plant), state);
  return TD_OK;
}

// Predict mean and covariance at time t by the linearised motion.
static td_status predict_extended(td_observer* o, double t) {
  const double h = t - o->mean->t;

  // mean, and Φ from the tangents at both ends
  TD_TRY(tangent(o, o->F0));
  TD_TRY(carry(o, o->mean, t));
  TD_TRY(tangent(o, o->F1));
  for (size_t i = 0; i < area(o->N, o->N); i++) o->F0[i] = (o->F0[i] + o->F1[i]) * h / 2;
  TD_TRY(td_expm(o->F0, o->N, o->Phi));

  // S from [Φ S, √(h/2) Φ G, √(h/2) G]
  if (o->size.nconstraint > 0) TD_TRY(noise_root(o));
  int rows = 0;
  td_mul(o->Phi, o->S, o->N, o->N, o->N, o->F0);
  add_columns(o, o->F0, 1, &rows);
  td_mul(o->Phi, o->G, o->N, o->N, o->N, o->F0);
  add_columns(o, o->F0, sqrt(h / 2), &rows);
  add_columns(o, o->G, sqrt(h / 2), &rows);
  return triangular(o, rows);
}

// Make point k of 2 N: the mean plus or minus √N times a column of S.
static void make_point(td_observer* o, int k) {
  const double scale = (k % 2 ? -1 : 1) * sqrt(o->N);
  for (int i = 0; i < o->N; i++) o->d[i] = scale * o->S[i * o->N + k / 2];
  td_state_copy(o->model, o->mean, o->point);
  copy(o->theta_point, o->theta, o->np);
  move(o, o->d, o->point, o->theta_point);
}

// Subtract the mean of the rows of X (n x cols) from them.
static void centre_rows(double* X, int n, int cols, double* mean) {
  memset(mean, 0, sizeof(double) * (size_t)cols);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < cols; i++) mean[i] += X[k * cols + i] / n;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < cols; i++) X[k * cols + i] -= mean[i];
}

// Predict mean and covariance at time t from points.  Half of the noise is added before, half after
// the step, as in the extended filter.
static td_status predict_unscented(td_observer* o, double t) {
  const int n = 2 * o->N;
  const double h = t - o->mean->t;

  // root with the noise before the step
  int rows = 0;
  add_columns(o, o->S, 1, &rows);
  add_columns(o, o->G, sqrt(h / 2), &rows);
  TD_TRY(triangular(o, rows));

  // the mean is integrated as the centre, to which the points are compared
  td_state_copy(o->model, o->mean, o->centre);
  put_unknowns(o, o->theta, o->centre);
  TD_TRY(carry(o, o->centre, t));
  td_qdot_inverse(o->model, o->centre->q, o->Nplus);
  for (int k = 0; k < n; k++) {
    make_point(o, k);
    TD_TRY(carry(o, o->point, t));
    difference(o, o->point, o->theta_point, o->theta, o->points + area(k, o->N));
  }

  // mean and covariance of the points, with the noise after the step
  centre_rows(o->points, n, o->N, o->d);
  td_state_copy(o->model, o->centre, o->mean);
  move(o, o->d, o->mean, o->theta);
  if (o->size.nconstraint > 0) TD_TRY(noise_root(o));
  rows = n;
  for (size_t i = 0; i < area(n, o->N); i++) o->array[i] = o->points[i] / sqrt(n);
  add_columns(o, o->G, sqrt(h / 2), &rows);
  return triangular(o, rows);
}

// ---- correction -------------------------------------------------------------------------------

// Write one column of [Y; X] as a row of the array: the measured ones of y (ny) and x (N), with
// strides and scaled.
static void array_row(td_observer* o, const int* seen, int m, int row, const double* y, int ystride,
                      const double* x, int xstride, double scale) {
  double* to = o->array + area(row, m + o->N);
  for (int k = 0; k < m; k++) to[k] = scale * y[seen[k] * ystride];
  for (int i = 0; i < o->N; i++) to[m + i] = scale * x[i * xstride];
}

// Set h(mean) in ys, and append the columns of [Y; X] = [H S; S].
static td_status columns_extended(td_observer* o, const int* seen, int m, int* rows) {
  TD_TRY(measurement_tangent(o));
  for (int k = 0; k < m; k++)
    if (!o->known[seen[k]])
      return refuse(o, "dependent constraints do not determine a measured sensor");
  td_mul(o->H, o->S, o->ny, o->N, o->N, o->points);  // H S: ny x N
  for (int j = 0; j < o->N; j++)
    array_row(o, seen, m, (*rows)++, o->points + j, o->N, o->S + j, o->N, 1);
  return td_trial_sensors(o->model, o->mean, o->work, o->ys);
}

// Set the mean of h in ys, and append the columns of [Y; X] as deviations of the points.
static td_status columns_unscented(td_observer* o, const int* seen, int m, int* rows) {
  const int n = 2 * o->N;
  double *expected = o->ys, *each = o->ys + o->ny;
  for (int k = 0; k < n; k++) {
    make_point(o, k);
    copy(o->points + area(k, o->N), o->d, o->N);
    TD_TRY(td_trial_sensors(o->model, o->point, o->work, each + area(k, o->ny)));
  }
  put_unknowns(o, o->theta, o->mean);
  centre_rows(each, n, o->ny, expected);
  for (int k = 0; k < n; k++)
    array_row(o, seen, m, (*rows)++, each + area(k, o->ny), 1, o->points + area(k, o->N), 1,
              1 / sqrt(n));
  return TD_OK;
}

// Update: e = y - h, white = L11⁻¹ e, mean moved by d = L21 white, S = L22.
static void take_in(td_observer* o, const int* seen, int m, const double* y) {
  const int W = m + o->N;
  o->nis = 0;
  for (int k = 0; k < m; k++) {
    const double* L = o->root + area(k, W);
    o->e[seen[k]] = y[seen[k]] - o->ys[seen[k]];
    o->sigma[seen[k]] = norm(L, k + 1);
    o->white[k] = (o->e[seen[k]] - inner(L, o->white, k)) / L[k];
    o->nis += o->white[k] * o->white[k];
  }
  for (int i = 0; i < o->N; i++) {
    const double* L = o->root + area(m + i, W);
    o->d[i] = inner(L, o->white, m);
    for (int j = 0; j < o->N; j++) o->S[i * o->N + j] = j <= i ? L[m + j] : 0;
  }
  move(o, o->d, o->mean, o->theta);
}

// Correct the estimate by the measured sensors; NaN: not measured.
static td_status correct(td_observer* o, const double* y, int* seen) {
  int m = 0;
  for (int k = 0; k < o->ny; k++) {
    o->e[k] = o->sigma[k] = NAN;
    if (isnan(y[k])) continue;
    if (!(o->noise[k] > 0)) {
      td_work_fail(o->work, "sensor '%s' has no noise: give sensor.noise, its standard deviation",
                   td_model_sensor_name(o->model, k));
      return TD_E_USAGE;
    }
    seen[m++] = k;
  }

  // noise, then the columns of the filter
  o->used = m;
  o->nis = 0;
  if (m == 0) return TD_OK;
  memset(o->array, 0, sizeof(double) * area(m, m + o->N));
  for (int k = 0; k < m; k++) o->array[area(k, m + o->N) + (size_t)k] = o->noise[seen[k]];
  int rows = m;
  put_unknowns(o, o->theta, o->mean);
  TD_TRY((o->options.filter == TD_UKF ? columns_unscented : columns_extended)(o, seen, m, &rows));
  TD_TRY(td_triangular_root(o->array, rows, m + o->N, o->root));
  take_in(o, seen, m, y);
  return TD_OK;
}

// Predict to time t with inputs u held, and correct by measurements y.
td_status td_observer_step(td_observer* o, double t, const double* u, const double* y) {
  if (!o || (!u && o->size.nu > 0) || !y) return TD_E_USAGE;
  for (int i = 0; i < o->size.nu; i++)
    if (!isfinite(u[i])) return refuse(o, "inputs must be finite");
  for (int i = 0; i < o->ny; i++)
    if (isinf(y[i])) return refuse(o, "measurements must be finite, or NaN where there is none");
  if (!isfinite(t)) return refuse(o, "the times of measurements must be finite");
  if (!(t >= o->mean->t)) return refuse(o, "the times of measurements must ascend");
  copy(o->mean->u, u, o->size.nu);
  put_unknowns(o, o->theta, o->mean);

  // predict
  if (t > o->mean->t)
    TD_TRY((o->options.filter == TD_UKF ? predict_unscented : predict_extended)(o, t));

  // correct
  int* seen = malloc(sizeof(int) * (size_t)(o->ny + 1));
  if (!seen) return TD_E_NOMEM;
  const td_status status = correct(o, y, seen);
  free(seen);
  return status;
}

// ---- results ----------------------------------------------------------------------------------

const td_state* td_observer_state(const td_observer* o) { return o ? o->mean : NULL; }
double td_observer_unknown(const td_observer* o, int i) {
  return o && i >= 0 && i < o->options.nunknown ? o->theta[i] : (double)NAN;
}
int td_observer_size(const td_observer* o) { return o ? o->N : 0; }

// Covariance P = S S' and standard deviations
td_status td_observer_covariance(const td_observer* o, double* P, double* sigma) {
  if (!o) return TD_E_USAGE;
  for (int i = 0; i < o->N; i++) {
    const double* a = o->S + area(i, o->N);
    if (sigma) sigma[i] = norm(a, o->N);
    for (int j = 0; P && j < o->N; j++) P[i * o->N + j] = inner(a, o->S + area(j, o->N), o->N);
  }
  return TD_OK;
}

// Innovation of the last step with its standard deviations; returns its normalised square
double td_observer_innovation(const td_observer* o, double* e, double* sigma, int* n) {
  if (!o || !n) return (double)NAN;
  if (e) copy(e, o->e, o->ny);
  if (sigma) copy(sigma, o->sigma, o->ny);
  *n = o->used;
  return o->nis;
}
