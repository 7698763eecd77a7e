// K, C, M and J about an equilibrium as one list of numbers (pencil.h).
#include "solve/gradient/pencil.h"

#include <float.h>
#include <math.h>

#include "model/model.h"
#include "solve/statics/sparse_statics.h"
#include "solve/statics/vibration.h"
#include "solve/vectors.h"

// Asymmetry of K relative to its largest element; scratch 3 nv².
static double asymmetry(const td_pencil* p) {
  const td_statics* s = p->r->s;
  const double* K = p->at + p->first[PENCIL_K];
  double skew = 0;
  if (p->sparse) {
    const td_pattern b = model_blocks(s->model);
    for (int J = 0; J < b.nblock; J++)
      for (int k = b.ptr[J]; k < b.ptr[J + 1]; k++) {
        const int I = b.row[k], down = block_height(&b, J), across = block_height(&b, I);
        const double *below = K + b.base[J] + b.offset[k], *above = K + block_start(&b, J, I);
        for (int j = 0; j < block_size(&b, J); j++)
          for (int i = 0; i < block_size(&b, I); i++)
            skew = fmax(skew, fabs(below[j * down + i] - above[i * across + j]));
      }
    return skew / fmax(largest(K, (size_t)blocks_values(&b)), DBL_MIN);
  }
  td_saddle* saddle = p->saddle;
  const int n = s->n, k = saddle->free;
  double* Kz = malloc(sizeof(double) * (area(n, n) + area(k, k) + 1));
  if (!Kz) return INFINITY;
  double* part = Kz + area(k, k);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) part[area(i, n) + (size_t)j] = K[s->free[i] * s->nv + s->free[j]];
  td_saddle_reduce(saddle, part, Kz);
  for (int i = 0; i < k; i++)
    for (int j = 0; j < i; j++) skew = fmax(skew, fabs(Kz[i * k + j] - Kz[j * k + i]));
  skew /= fmax(largest(Kz, area(k, k)), DBL_MIN);
  free(Kz);
  return skew;
}

td_status td_pencil_new(td_rest* r, td_pencil** pencil) {
  td_statics* s = r->s;
  const td_model* m = s->model;
  const int nv = s->nv;
  td_pencil* p = *pencil = calloc(1, sizeof *p);
  if (!p) return TD_E_NOMEM;
  p->r = r;
  // the same choice as td_modes makes
  p->sparse = m->ninternal == 0 && s->sparse && nv > SPARSE_MODES_FROM;
  const td_pattern b = s->sparse ? model_blocks(m) : (td_pattern){0};
  const int square = p->sparse ? blocks_values(&b) : nv * nv;
  const int mass = p->sparse ? mass_values(m) : nv * nv;
  p->first[PENCIL_C] = square;
  p->first[PENCIL_M] = 2 * square;
  p->first[PENCIL_J] = 2 * square + mass;
  p->first[PENCIL_PARTS] = 2 * square + mass + (p->sparse ? row_values(m) : s->m * nv);
  const size_t doubles = (size_t)p->first[PENCIL_PARTS] + 2 * (size_t)nv + (size_t)s->m +
                         (p->sparse ? 0 : area(s->n, s->n) + area(s->m, s->n));
  p->at = calloc(doubles + 1, sizeof(double));
  if (!p->at) return TD_E_NOMEM;
  p->f = p->at + p->first[PENCIL_PARTS];
  p->x = p->f + nv;
  p->g = p->x + nv;
  p->A = p->g + s->m;
  p->J = p->sparse ? NULL : p->A + area(s->n, s->n);
  TD_TRY(td_pencil_values(p, r, r->l, p->at));

  // the rows, scaled as in statics
  if (!p->sparse) {
    TD_TRY(td_saddle_new(s->n, s->m, &p->saddle));
    if (s->m > 0 && s->sparse)
      td_constraint_scales(m, s->state, s->work, s->row_size, s->col_factor);
    if (s->m > 0) p->saddle->scale = &s->rows;
    const double* J = p->at + p->first[PENCIL_J];
    for (int i = 0; i < s->m; i++)
      for (int j = 0; j < s->n; j++) p->J[i * s->n + j] = J[i * nv + s->free[j]];
    td_saddle_null_space(p->saddle, p->J);
  }
  p->asymmetry = asymmetry(p);
  return TD_OK;
}

void td_pencil_free(td_pencil* p) {
  if (!p) return;
  td_saddle_free(p->saddle);
  free(p->at);
  free(p);
}

td_status td_pencil_values(void* ctx, td_rest* r, const double* lambda, double* out) {
  const td_pencil* p = ctx;
  td_statics* s = r->s;
  const td_model* m = s->model;
  double *K = out, *C = out + p->first[PENCIL_C], *M = out + p->first[PENCIL_M],
         *J = out + p->first[PENCIL_J];
  if (p->sparse) {
    td_enter(m, s->state, s->work);
    td_sparse_mass(m, s->work, M);
    td_sparse_rows(m, s->work, J);
    td_forces(m, s->work, FORCES_ALL);
    td_sparse_tangent(m, s->work, s->a, lambda, K, C, NULL);
  } else {
    TD_TRY(td_trial_tangent(m, s->state, s->work, s->a, lambda, K, C));
    TD_TRY(td_trial_mass_matrix(m, s->state, s->work, M));
    if (s->m > 0) TD_TRY(td_trial_constraints(m, s->state, s->work, J, NULL, NULL));
  }
  return all_finite(out, (size_t)p->first[PENCIL_PARTS]) ? TD_OK : TD_E_INFINITE;
}

// ---- products ---------------------------------------------------------------------------------

// Prescribed velocities have no part.
static void clear(const td_pencil* p, double* y) {
  const td_model* m = p->r->s->model;
  for (int i = 0; i < m->nvel; i++)
    if (m->vel[i].motion != NUM_NONE) y[i] = 0;
}

void td_pencil_multiply(const td_pencil* p, const double* values, pencil_part part, bool transposed,
                        const double* x, double* y) {
  const td_statics* s = p->r->s;
  const double* A = values + p->first[part];
  const int nv = s->nv;
  if (p->sparse && part == PENCIL_M) {
    td_sparse_mass_mul(s->model, A, x, y);
  } else if (p->sparse) {  // symmetric, or refused
    memset(y, 0, sizeof(double) * (size_t)nv);
    td_sparse_mul_add(s->model, A, 1, x, y);
  } else if (transposed) {
    td_mul_tn(A, x, nv, nv, 1, y);
  } else {
    td_mul(A, x, nv, nv, 1, y);
  }
  clear(p, y);
}

// Calls for every value of a row: its velocity.
#define EACH_ROW_VALUE(m, i, v)                                                                    \
  for (int k_ = (m)->row_block_at[i], at_ = (m)->row_base[i]; k_ < (m)->row_block_at[(i) + 1];     \
       k_++)                                                                                       \
    for (int b_ = (m)->block_at[(m)->row_block[k_]], end_ = (m)->block_at[(m)->row_block[k_] + 1], \
             v = (m)->index_v[b_];                                                                 \
         b_ < end_; b_++, at_++, v = b_ < end_ ? (m)->index_v[b_] : 0)

void td_pencil_rows(const td_pencil* p, const double* values, const double* x, double* z) {
  const td_statics* s = p->r->s;
  const td_model* m = s->model;
  const double* J = values + p->first[PENCIL_J];
  if (!p->sparse) {
    td_mul(J, x, s->m, s->nv, 1, z);
    return;
  }
  for (int i = 0; i < s->m; i++) {
    z[i] = 0;
    EACH_ROW_VALUE(m, i, v) z[i] += J[at_] * x[v];
  }
}

void td_pencil_add_rows(const td_pencil* p, const double* values, double scale, const double* z,
                        double* y) {
  const td_statics* s = p->r->s;
  const td_model* m = s->model;
  const double* J = values + p->first[PENCIL_J];
  for (int i = 0; i < s->m; i++) {
    if (!p->sparse)
      for (int v = 0; v < s->nv; v++) y[v] += scale * z[i] * J[area(i, s->nv) + (size_t)v];
    else
      EACH_ROW_VALUE(m, i, v) y[v] += scale * z[i] * J[at_];
  }
  clear(p, y);
}

// ---- linear systems ---------------------------------------------------------------------------

td_status td_pencil_balance(td_pencil* p) {
  td_statics* s = p->r->s;
  if (!p->sparse || s->m == 0) return TD_OK;  // dense: the rows are factored with the tangent
  const td_pattern b = model_blocks(s->model);
  double* K = s->sparse->K;
  memset(K, 0, sizeof(double) * (size_t)blocks_values(&b));
  for (int I = 0; I < b.nblock; I++)
    for (int i = 0; i < block_size(&b, I); i++)
      K[block_start(&b, I, I) + i * (block_height(&b, I) + 1)] = 1;
  const double* J = p->at + p->first[PENCIL_J];
  return td_sparse_kkt_factor(s->sparse->kkt, K, J, J);
}

// x - J'l = -f, J x = 0 with a unit matrix: x is what the rows cannot balance
void td_pencil_multipliers(td_pencil* p, const double* f, double* l) {
  td_statics* s = p->r->s;
  if (s->m == 0) return;
  if (p->sparse) {
    for (int i = 0; i < s->nv; i++) p->f[i] = -f[i];
    td_sparse_clear_given(s->model, p->f);
    td_sparse_kkt_solve(s->sparse->kkt, p->f, NULL, p->x, l);
    return;
  }
  for (int i = 0; i < s->n; i++) p->f[i] = f[s->free[i]];
  td_saddle_multipliers(p->saddle, p->f, l);
}

td_status td_pencil_factor(td_pencil* p, double shift, bool transposed) {
  td_statics* s = p->r->s;
  const td_model* m = s->model;
  const double *K = p->at + p->first[PENCIL_K], *M = p->at + p->first[PENCIL_M],
               *J = p->at + p->first[PENCIL_J];
  if (p->sparse) {
    memcpy(s->sparse->K, K, sizeof(double) * (size_t)p->first[PENCIL_C]);
    memcpy(s->sparse->M, M, sizeof(double) * (size_t)mass_values(m));
    td_sparse_shift(s, -shift);
    return td_sparse_kkt_factor(s->sparse->kkt, s->sparse->K, J, J);
  }
  const int n = s->n, nv = s->nv;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const int a = s->free[transposed ? j : i], b = s->free[transposed ? i : j];
      p->A[i * n + j] = K[a * nv + b] - shift * M[a * nv + b];
    }
  for (int i = 0; i < s->m; i++)
    for (int j = 0; j < n; j++) p->J[i * n + j] = J[i * nv + s->free[j]];
  td_saddle_factor(p->saddle, p->A, p->J, NULL);
  return p->saddle->singular ? TD_E_SINGULAR : TD_OK;
}

void td_pencil_solve(td_pencil* p, const double* f, const double* g, double* x, double* l) {
  td_statics* s = p->r->s;
  if (p->sparse) {
    copy(p->f, f, s->nv);
    td_sparse_clear_given(s->model, p->f);
    td_sparse_kkt_solve(s->sparse->kkt, p->f, g, x, l);
    return;
  }
  for (int i = 0; i < s->n; i++) p->f[i] = -f[s->free[i]];
  for (int i = 0; i < s->m; i++) p->g[i] = g ? -g[i] : 0;
  td_saddle_solve(p->saddle, p->f, p->g, 0, p->x, l, NULL);
  memset(x, 0, sizeof(double) * (size_t)s->nv);
  for (int i = 0; i < s->n; i++) x[s->free[i]] = p->x[i];
}
