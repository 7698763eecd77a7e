// The derivative of a step by collocation and its transpose (step_change.h), by one dense
// factorisation for all stages and all right-hand sides.
#include "solve/gradient/step_change.h"

#include <string.h>

#include "math/dense.h"
#include "solve/vectors.h"

td_status td_step_change_stage(const td_collocated* c, int stage, double* y) {
  const int n = c->n, s = c->table.s;
  const td_ode* ode = c->base.ode;
  for (int j = 0; j < n; j++) y[j] = c->y_from[j] + c->Z[stage * n + j];
  if (stage < s - 1 || ode->nguard == 0) return TD_OK;

  // signs at the stage before
  double* gap = malloc(((size_t)n + 3 * (size_t)ode->nguard) * sizeof(double));
  if (gap == NULL) return TD_E_NOMEM;
  double *speed = gap + ode->nguard, *before = speed + ode->nguard, *at = before + ode->nguard;
  for (int j = 0; j < n; j++) at[j] = c->y_from[j] + c->Z[(s - 2) * n + j];
  ode->guards(ode->ctx, td_ode_inside(&c->base, c->t_from + c->table.c[s - 2] * c->h), at, before,
              speed);

  // as little inside as leaves them as they are
  memcpy(at, y, (size_t)n * sizeof(double));
  for (double hair = 0; hair<1e-2; hair = hair> 0 ? 10 * hair : 1e-9) {
    double w[TD_STAGES_MOST];
    bool same = true;
    td_collocation_values(&c->table, 1 - hair, w);
    for (int j = 0; j < n; j++) {
      at[j] = c->y_from[j];
      for (int i = 0; i < s; i++) at[j] += w[i] * c->Z[i * n + j];
    }
    ode->guards(ode->ctx, td_ode_inside(&c->base, c->t_from + (1 - hair) * c->h), at, gap, speed);
    for (int i = 0; i < ode->nguard; i++) same = same && (gap[i] > 0) == (before[i] > 0);
    if (!same) continue;
    if (hair > 0) memcpy(y, at, (size_t)n * sizeof(double));
    break;
  }
  free(gap);
  return TD_OK;
}

td_status td_step_change_new(const td_ode* ode, const td_collocation* table, int k,
                             td_step_change* x) {
  const int s = table->s, n = ode->n;
  *x = (td_step_change){.n = n, .s = s, .slope = table->slope};
  // positions whose rates are the first of the other states
  if (ode->drift == NULL && n >= 2 * ode->npos) x->npos = ode->npos;
  const size_t m = (size_t)(s * (n - x->npos)), N = (size_t)n, wide = (size_t)max_int(k, 1);
  x->block =
      malloc(((size_t)s * N * N + m * m + (size_t)s * N * wide + N * wide + 1) * sizeof(double) +
             (m + 1) * sizeof(int));
  if (x->block == NULL) return TD_E_NOMEM;
  x->J = x->block;
  x->K = x->J + (size_t)s * N * N;
  x->rhs = x->K + m * m;
  x->part = x->rhs + (size_t)s * N * wide;
  x->pivot = (int*)(void*)(x->part + N * wide + 1);
  for (int i = 0; i < s; i++) td_collocation_integrals(table, table->c[i], x->A + i * s);
  return TD_OK;
}

void td_step_change_free(td_step_change* x) { free(x->block); }

static const double* jacobian(const td_step_change* x, int stage) {
  return x->J + (size_t)stage * area(x->n, x->n);
}

td_status td_step_change_factor(td_step_change* x, double h, bool transposed) {
  const int n = x->n, np = x->npos, r = n - np, s = x->s, m = s * r;
  x->h = h;
  memset(x->K, 0, area(m, m) * sizeof(double));
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++) {
      const double a = x->slope[i * s + j] / h, b = h * x->A[i * s + j];
      for (int k = 0; k < r; k++) {
        // row k of block (i, j): a_ij/h - δ_ij J_rr - h A_ij J_rq
        const double* J = jacobian(x, i) + area(np + k, n);
        const size_t row = (size_t)(i * r + k), col = (size_t)(j * r), M = (size_t)m;
        double* to = transposed ? x->K + col * M + row : x->K + row * M + col;
        const size_t next = transposed ? M : 1;
        to[(size_t)k * next] += a;
        for (int c = 0; c < r && i == j; c++) to[(size_t)c * next] -= J[np + c];
        for (int c = 0; c < np; c++) to[(size_t)c * next] -= b * J[c];
      }
    }
  return td_lu(x->K, m, x->pivot) == 0 ? TD_OK : TD_E_SINGULAR;
}

// Y += a X
static void add(double a, const double* X, double* Y, size_t n) {
  for (size_t i = 0; i < n; i++) Y[i] += a * X[i];
}

void td_step_change_forward(td_step_change* x, const double* S, const double* G, int k,
                            double* dZ) {
  const int n = x->n, np = x->npos, r = n - np, s = x->s;
  const double h = x->h;
  const size_t quick = area(np, k);

  // J_i S + G_i of the states that are not eliminated; of the positions' own part, h A S_v
  for (int i = 0; i < s; i++) {
    double* to = x->rhs + area(i * r, k);
    double sum = 0;
    for (int j = 0; j < s; j++) sum += x->A[i * s + j];
    copy(x->part, S, n * k);
    add(h * sum, S + quick, x->part, quick);
    td_mul(jacobian(x, i) + area(np, n), x->part, r, n, k, to);
    add(1, G + area(i * n + np, k), to, area(r, k));
  }
  td_lu_solve(x->K, x->pivot, s * r, x->rhs, k);

  // all states of the stages
  for (int i = 0; i < s; i++) {
    double* to = dZ + area(i * n, k);
    copy(to + quick, x->rhs + area(i * r, k), r * k);
    memset(to, 0, quick * sizeof(double));
    for (int j = 0; j < s && np > 0; j++) {
      add(h * x->A[i * s + j], S + quick, to, quick);
      add(h * x->A[i * s + j], x->rhs + area(j * r, k), to, quick);
    }
  }
}

void td_step_change_reverse(td_step_change* x, const double* Zbar, double* w, double* Sbar) {
  const int n = x->n, np = x->npos, r = n - np, s = x->s;
  const double h = x->h;

  // K^T w_r = Z̄_r + h Aᵀ Z̄_q
  for (int j = 0; j < s; j++) {
    double* to = x->rhs + j * r;
    copy(to, Zbar + j * n + np, r);
    for (int i = 0; i < s; i++) add(h * x->A[i * s + j], Zbar + i * n, to, (size_t)np);
  }
  td_lu_solve(x->K, x->pivot, s * r, x->rhs, 1);

  // w_q = h Aᵀ (Z̄_q + J_rqᵀ w_r)
  memset(w, 0, area(s, n) * sizeof(double));
  for (int i = 0; i < s; i++) {
    copy(w + i * n + np, x->rhs + i * r, r);
    if (np == 0) continue;
    copy(x->part, Zbar + i * n, np);
    for (int k = 0; k < r; k++)
      add(x->rhs[i * r + k], jacobian(x, i) + area(np + k, n), x->part, (size_t)np);
    for (int j = 0; j < s; j++) add(h * x->A[i * s + j], x->part, w + j * n, (size_t)np);
  }

  // S̄ = Σ J_iᵀ w_i
  for (int i = 0; i < s; i++)
    for (int k = 0; k < n; k++) add(w[i * n + k], jacobian(x, i) + area(k, n), Sbar, (size_t)n);
}
