// The sparse maker of td_linear_ops (newton.h): the tangent of large models in their pattern,
//
//   [K -J'; J 0] [dx; dl] = -[F; e],
//
// with internal states that follow as a border of few columns.
#include "solve/statics/sparse_statics.h"

#include <float.h>
#include <math.h>

#include "solve/vectors.h"

// ---- life -------------------------------------------------------------------------------------

void td_sparse_statics_free(sparse_statics* sparse) {
  if (!sparse) return;
  td_sparse_kkt_free(sparse->kkt);
  free(sparse->K);
  free(sparse->X);
  free(sparse->pivot);
  free(sparse);
}

// ---- assembly ---------------------------------------------------------------------------------

void td_sparse_assemble(td_statics* s, const double* q, const double* l, double p, double* C) {
  const td_model* m = s->model;
  td_statics_set(s, q, p);
  td_enter(m, s->state, s->work);
  td_sparse_mass(m, s->work, s->sparse->M);
  td_sparse_rows(m, s->work, s->sparse->J);
  td_forces(m, s->work, FORCES_ALL);
  td_sparse_tangent(m, s->work, s->a, l, s->sparse->K, C, NULL);
  s->tangents++;
}

void td_sparse_shift(td_statics* s, double shift) {
  const td_model* m = s->model;
  const td_pattern b = model_blocks(m);
  for (int I = 0; I < b.nblock; I++) {
    const int n = block_size(&b, I), height = block_height(&b, I);
    double* to = s->sparse->K + block_start(&b, I, I);
    const double* from = s->sparse->M + m->mass_base[I];
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) to[j * height + i] += shift * from[j * n + i];
  }
}

// Make the metric M definite: a thousandth of its largest diagonal entry (1 without masses) is added
// to every diagonal entry, so that massless directions have a size as well.
static void complete_metric(td_statics* s) {
  const td_model* m = s->model;
  double* M = s->sparse->M;
  double top = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int b = 0; b < m->nblock_at - 1; b++) {
      const int n = m->block_at[b + 1] - m->block_at[b];
      for (int i = 0; i < n; i++) {
        double* d = M + m->mass_base[b] + i * (n + 1);
        if (pass == 0) top = fmax(top, *d);
        if (pass == 1) *d += top > 0 ? 1e-3 * top : 1;
      }
    }
}

// ---- the linear algebra of the equations ------------------------------------------------------

// The stiffness with internal states that follow is K + dF/dz S: with X = K⁻¹ dF/dz the solution x0
// without them becomes x0 - X (1 + S X)⁻¹ S x0, and so do the multipliers.
static td_status border(td_statics* s) {
  sparse_statics* w = s->sparse;
  const td_inner* in = s->inner;
  const int n = in->n;
  if (!w->X) {
    w->X = calloc(area(n, s->nv + s->m) + area(n, n) + (size_t)n + 1, sizeof(double));
    w->pivot = calloc((size_t)n + 1, sizeof(int));
    if (!w->X || !w->pivot) return TD_E_NOMEM;
    w->L = w->X + area(n, s->nv);
    w->H = w->L + area(n, s->m);
    w->y = w->H + area(n, n);
  }
  for (int k = 0; k < n; k++) {
    memset(w->f, 0, sizeof(double) * (size_t)s->nv);
    for (int i = 0; i < s->n; i++) w->f[s->free[i]] = in->Fz[area(s->free[i], n) + (size_t)k];
    td_sparse_kkt_solve(w->kkt, w->f, NULL, w->X + area(k, s->nv), w->L + area(k, s->m));
    td_mul(in->S, w->X + area(k, s->nv), n, s->nv, 1, w->y);
    for (int i = 0; i < n; i++) w->H[i * n + k] = (i == k) + w->y[i];
  }
  return td_lu(w->H, n, w->pivot) != 0 ? TD_E_SINGULAR : TD_OK;
}

// Assemble K + shift M with the rows at the point and factor it; *size is the largest entry of K. A
// singular matrix is tried again with a shift of 1e-10 of it.
static td_status try_factor(td_statics* s, const double* x, const double* l, double p, double shift,
                            double* size) {
  const td_pattern b = model_blocks(s->model);
  td_sparse_assemble(s, x, l, p, NULL);
  s->sparse->held = false;
  *size = largest(s->sparse->K, (size_t)blocks_values(&b));
  if (!isfinite(*size)) return TD_E_DIVERGED;
  if (shift != 0) {
    complete_metric(s);
    td_sparse_shift(s, shift);
  }
  td_status status = td_sparse_kkt_factor(s->sparse->kkt, s->sparse->K, s->sparse->J, s->sparse->J);
  if (status == TD_OK && s->inner) td_inner_slopes(s);
  if (status == TD_OK && s->inner) status = border(s);
  if (status != TD_E_SINGULAR || shift != 0) return status;
  // directions that nothing holds stay where they are by a stiffness that others hardly feel
  const double mass = largest(s->sparse->M, (size_t)mass_values(s->model));
  s->sparse->held = true;
  complete_metric(s);
  td_sparse_shift(s, 1e-10 * *size / fmax(mass, DBL_MIN));
  TD_TRY(td_sparse_kkt_factor(s->sparse->kkt, s->sparse->K, s->sparse->J, s->sparse->J));
  if (s->inner) td_inner_slopes(s);
  return s->inner ? border(s) : TD_OK;
}

static td_status factor(void* ctx, const double* x, const double* l, double p, double shift,
                        double* size) {
  td_statics* s = ctx;
  const td_status status = try_factor(s, x, l, p, shift, size);
  s->sparse->ready = status == TD_OK;
  return status;
}

// Transpose K in its pattern, which is symmetric, and factor it again; with internal states
// (K + Fz S)' = K' + S' Fz', so that both parts of the border change their places.
static td_status transpose(void* ctx) {
  td_statics* s = ctx;
  sparse_statics* w = s->sparse;
  const td_pattern b = model_blocks(s->model);
  for (int J = 0; J < b.nblock; J++)
    for (int k = b.ptr[J]; k < b.ptr[J + 1]; k++) {
      const int I = b.row[k], rows = block_size(&b, I), cols = block_size(&b, J);
      if (I < J) continue;
      double *below = w->K + b.base[J] + b.offset[k], *above = w->K + block_start(&b, J, I);
      const int down = block_height(&b, J), across = block_height(&b, I);
      for (int j = 0; j < cols; j++)
        for (int i = I == J ? j + 1 : 0; i < rows; i++) {
          const double x = below[j * down + i];
          below[j * down + i] = above[i * across + j];
          above[i * across + j] = x;
        }
    }
  if (s->inner) {
    const int n = s->inner->n;
    double *S = s->inner->S, *Fz = s->inner->Fz;
    for (int k = 0; k < n; k++)
      for (int i = 0; i < s->nv; i++) {
        const double x = S[area(k, s->nv) + (size_t)i];
        S[area(k, s->nv) + (size_t)i] = Fz[area(i, n) + (size_t)k];
        Fz[area(i, n) + (size_t)k] = x;
      }
  }
  td_status status = td_sparse_kkt_factor(w->kkt, w->K, w->J, w->J);
  if (status == TD_OK && s->inner) status = border(s);
  w->ready = status == TD_OK;
  return status;
}

// Solve for dx and dl (NULL: not wanted) with -[F; e]; internal states are a border of the system
// (Woodbury). dx[0] is NaN without factors.
static void solve(void* ctx, const double* F, const double* e, double* dx, double* dl) {
  td_statics* s = ctx;
  sparse_statics* w = s->sparse;
  double* g = s->l0;
  if (!w->ready) {
    dx[0] = NAN;
    return;
  }
  memset(w->f, 0, sizeof(double) * (size_t)s->nv);
  for (int i = 0; i < s->n; i++) w->f[s->free[i]] = -F[i];
  for (int i = 0; i < s->m; i++) g[i] = -e[i];
  td_sparse_kkt_solve(w->kkt, w->f, g, w->x, dl);

  // correct x and l by the response of internal states
  if (s->inner) {
    const int n = s->inner->n;
    td_mul(s->inner->S, w->x, n, s->nv, 1, w->y);
    td_lu_solve(w->H, w->pivot, n, w->y, 1);
    for (int k = 0; k < n; k++) {
      for (int i = 0; i < s->nv; i++) w->x[i] -= w->y[k] * w->X[area(k, s->nv) + (size_t)i];
      for (int i = 0; dl && i < s->m; i++) dl[i] -= w->y[k] * w->L[area(k, s->m) + (size_t)i];
    }
  }
  for (int i = 0; i < s->n; i++) dx[i] = w->x[s->free[i]];
}

// Least-squares multipliers l of F - J'l at (x, p), from the saddle-point system with a unit
// matrix: x - J'l = -F, J x = 0. l stays as it is where that is singular.
static void estimate(void* ctx, const double* x, double p, const double* F, double* l) {
  td_statics* s = ctx;
  sparse_statics* w = s->sparse;
  const td_pattern b = model_blocks(s->model);
  td_statics_set(s, x, p);
  td_enter(s->model, s->state, s->work);
  td_sparse_rows(s->model, s->work, w->J);
  memset(w->K, 0, sizeof(double) * (size_t)blocks_values(&b));
  for (int I = 0; I < b.nblock; I++)
    for (int i = 0; i < block_size(&b, I); i++)
      w->K[block_start(&b, I, I) + i * (block_height(&b, I) + 1)] = 1;
  if (td_sparse_kkt_factor(w->kkt, w->K, w->J, w->J) != TD_OK) return;
  memset(w->f, 0, sizeof(double) * (size_t)s->nv);
  for (int i = 0; i < s->n; i++) w->f[s->free[i]] = -F[i];
  td_sparse_kkt_solve(w->kkt, w->f, NULL, w->x, l);
}

static const td_linear_ops sparse_ops = {factor, solve, transpose, estimate};

// Allocate K, J, M in the pattern of the model and the factors, and install the sparse operations
// in s->equations.  On TD_E_NOMEM td_statics_free() releases what was made.
td_status td_sparse_statics_new(td_statics* s) {
  const td_model* m = s->model;
  const td_pattern b = model_blocks(m);
  const size_t values = (size_t)blocks_values(&b), rows = (size_t)row_values(m);
  sparse_statics* w = s->sparse = calloc(1, sizeof *w);
  if (!w) return TD_E_NOMEM;
  w->K = calloc(values + rows + (size_t)mass_values(m) + 2 * (size_t)s->nv, sizeof(double));
  w->kkt = td_sparse_kkt_new(m, false, false);
  if (!w->K || !w->kkt) return TD_E_NOMEM;
  w->J = w->K + values;
  w->M = w->J + rows;
  w->f = w->M + mass_values(m);
  w->x = w->f + s->nv;
  s->equations.linear = &sparse_ops;
  return TD_OK;
}
