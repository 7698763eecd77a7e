// Linear design: gains of LQR and Kalman filter, poles, controllability and observability,
// frequency response, and the linear coordinates of a state.
#include <float.h>
#include <math.h>

#include "engine/engine.h"
#include "math/dense.h"
#include "math/riccati.h"
#include "model/model.h"
#include "solve/vectors.h"
#include "tendril/control.h"

static bool is_finite(const double* A, int rows, int cols) {
  for (int i = 0; i < rows; i++)
    if (!are_finite(A + area(i, cols), cols)) return false;
  return true;
}

// K and X of the regulator that minimises ∫ x'Q x + u'R u dt.  With R = L L' and B~ = B L'^-1 the
// Riccati equation is A'X + X A - X B~ B~'X + Q = 0, and K = L'^-1 B~'X.  block: nu² + nu nx + nx²
static td_status lqr(int n, int m, const double* A, const double* B, const double* Q,
                     const double* R, double* K, double* X, double* residual, double* block) {
  double *L = block, *scaled = L + area(m, m), *own = scaled + area(n, m);
  memcpy(L, R, sizeof(double) * area(m, m));
  if (td_chol(L, m, 1e-14) != 0) return TD_E_SINGULAR;

  // B~ by forward substitution
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double x = B[i * m + j];
      for (int k = 0; k < j; k++) x -= scaled[i * m + k] * L[j * m + k];
      scaled[i * m + j] = x / L[j * m + j];
    }
  TD_TRY(td_riccati_inputs(A, scaled, Q, n, m, X ? X : own, K, residual));

  // K by backward substitution
  for (int i = m - 1; i >= 0; i--)
    for (int j = 0; j < n; j++) {
      double x = K[i * n + j];
      for (int k = i + 1; k < m; k++) x -= L[k * m + i] * K[k * n + j];
      K[i * n + j] = x / L[i * m + i];
    }
  return TD_OK;
}

// Check the matrices and compute the gain of a linear regulator.
td_status td_lqr(int nx, int nu, const double* A, const double* B, const double* Q, const double* R,
                 double* K, double* X, double* residual) {
  if (nx < 0 || nu < 0 || !A || !B || !Q || !R || !K) return TD_E_USAGE;
  if (!is_finite(A, nx, nx) || !is_finite(B, nx, nu) || !is_finite(Q, nx, nx) ||
      !is_finite(R, nu, nu))
    return TD_E_USAGE;
  double* block = malloc(sizeof(double) * (area(nu, nu) + area(nu, nx) + area(nx, nx) + 1));
  if (!block) return TD_E_NOMEM;
  const td_status status = lqr(nx, nu, A, B, Q, R, K, X, residual, block);
  free(block);
  return status;
}

static void transpose(const double* A, int rows, int cols, double* T) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) T[area(j, rows) + (size_t)i] = A[area(i, cols) + (size_t)j];
}

// Gain of the Kalman filter: that of the regulator of the transposed system
td_status td_kalman(int nx, int ny, const double* A, const double* C, const double* W,
                    const double* V, double* L, double* P, double* residual) {
  if (nx < 0 || ny < 0 || !A || !C || !W || !V || !L) return TD_E_USAGE;
  double* block = calloc(area(nx, nx) + 2 * area(nx, ny) + 1, sizeof(double));
  if (!block) return TD_E_NOMEM;
  double *At = block, *Ct = At + area(nx, nx), *Lt = Ct + area(nx, ny);
  transpose(A, nx, nx, At);
  transpose(C, ny, nx, Ct);
  const td_status status = td_lqr(nx, ny, At, Ct, W, V, Lt, P, residual);
  if (status == TD_OK) transpose(Lt, ny, nx, L);
  free(block);
  return status;
}

// Poles sorted by descending real part; conjugate pairs stay together, since their real parts are
// equal to the last bit and the sort is stable.
td_status td_poles(const double* A, int n, double* re, double* im) {
  if (n < 0 || !A || !re || !im || !is_finite(A, n, n)) return TD_E_USAGE;
  if (!td_eig_general(A, n, re, im, NULL)) return TD_E_DIVERGED;
  for (int i = 1; i < n; i++) {
    const double a = re[i], b = im[i];
    int k = i;
    for (; k > 0 && re[k - 1] < a; k--) re[k] = re[k - 1], im[k] = im[k - 1];
    re[k] = a;
    im[k] = b;
  }
  return TD_OK;
}

// ---- controllability and observability --------------------------------------------------------

// Smallest over largest eigenvalue of the Gramian P, A P + P A' + F F' = 0 (F n x m), A stable; At
// is A'.
static double gramian_ratio(const double* At, const double* F, int n, int m, double* block) {
  if (m == 0) return 0;
  double *Q = block, *P = Q + area(n, n), *one = P + area(n, n), *V = one + area(n, n),
         *w = V + area(n, n);
  memset(one, 0, sizeof(double) * area(n, n));
  for (int i = 0; i < n; i++) {
    one[i * n + i] = 1;
    for (int j = 0; j < n; j++) Q[i * n + j] = inner(F + area(i, m), F + area(j, m), m);
  }
  if (td_lyapunov(At, Q, n, P) != TD_OK || !td_eig_symmetric(P, one, n, w, V)) return NAN;
  return w[n - 1] > 0 ? fmax(w[0], 0) / w[n - 1] : 0;
}

// Report whether the matrices that have elements are there and finite; callers may fill the struct.
static bool has_matrices(const td_linear* l) {
  if (!l || l->nx < 0 || l->nu < 0 || l->ny < 0) return false;
  const int rows[] = {l->nx, l->nx, l->ny, l->ny}, cols[] = {l->nx, l->nu, l->nx, l->nu};
  const double* matrix[] = {l->A, l->B, l->C, l->D};
  for (int i = 0; i < 4; i++)
    if (rows[i] > 0 && cols[i] > 0 && (!matrix[i] || !is_finite(matrix[i], rows[i], cols[i])))
      return false;
  return true;
}

// Controllable and observable dimensions and, for stable systems, how even the Gramians are.
td_status td_linear_structure_into(const td_linear* l, td_structure* structure, size_t size) {
  td_structure own = {.reach_ratio = NAN, .sight_ratio = NAN};
  if (!has_matrices(l) || !struct_into(structure, size, &own, sizeof own)) return TD_E_USAGE;
  const int n = l->nx;
  double* block = malloc(sizeof(double) * (5 * area(n, n) + area(n, l->ny) + 2 * (size_t)n + 1));
  if (!block) return TD_E_NOMEM;
  double *At = block, *Ct = At + area(n, n), *rest = Ct + area(n, l->ny);
  transpose(l->A, n, n, At);
  transpose(l->C, l->ny, n, Ct);

  const double tol = 1e-12;
  td_status status = td_reachable(l->A, l->B, n, l->nu, tol, &own.reachable);
  if (status == TD_OK) status = td_reachable(At, Ct, n, l->ny, tol, &own.observable);
  if (status == TD_OK) status = td_poles(l->A, n, rest, rest + n);

  // rounding gives neutral poles real parts of either sign
  double largest = 0;
  for (size_t i = 0; i < area(n, n); i++) largest = fmax(largest, fabs(l->A[i]));
  if (status == TD_OK) own.stable = n == 0 || rest[0] < -DBL_EPSILON * n * largest;
  if (own.stable && n > 0) {
    own.reach_ratio = gramian_ratio(At, l->B, n, l->nu, rest);
    own.sight_ratio = gramian_ratio(l->A, Ct, n, l->ny, rest);
  }
  free(block);
  struct_into(structure, size, &own, sizeof own);
  return status;
}

td_status td_frequency_response(const td_linear* l, double omega, double* G) {
  if (!has_matrices(l) || !G || !isfinite(omega)) return TD_E_USAGE;
  return td_transfer(l->A, l->B, l->C, l->D, l->nx, l->nu, l->ny, omega, G);
}

// ---- coordinates of a state -------------------------------------------------------------------

// x = inverse [dq; dv; dz], with dq = N⁺(q0) (q - q0) along the tangent directions at q0
td_status td_linear_state(const td_model* model, const td_linear* linear, const td_state* about,
                          const td_state* state, double* x) {
  if (!linear || !x || !model_owns(model, about) || !model_owns(model, state) ||
      linear->model != model || !td_state_is_finite(model, about) ||
      !td_state_is_finite(model, state))
    return TD_E_USAGE;
  const td_sizes n = td_model_sizes(model);
  double* block =
      malloc(sizeof(double) * (area(n.nv, n.nq) + (size_t)(n.nq + 2 * n.nv + n.nz) + 1));
  if (!block) return TD_E_NOMEM;
  double *Nplus = block, *dq = Nplus + area(n.nv, n.nq), *d = dq + n.nq;

  // displacement, velocities and internal states relative to the point
  td_qdot_inverse(model, about->q, Nplus);
  for (int i = 0; i < n.nq; i++) dq[i] = state->q[i] - about->q[i];
  td_mul(Nplus, dq, n.nv, n.nq, 1, d);
  for (int i = 0; i < n.nv; i++) d[n.nv + i] = state->v[i] - about->v[i];
  for (int i = 0; i < n.nz; i++) d[2 * n.nv + i] = state->z[i] - about->z[i];
  td_mul(linear->inverse, d, linear->nx, 2 * n.nv + n.nz, 1, x);
  free(block);
  return TD_OK;
}
