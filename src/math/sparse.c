// Adapter of KLU [davis2010] for sparse.h: translates types and failure conventions.
#include "math/sparse.h"

#include <string.h>
#include <suitesparse/klu.h>

struct td_sparse_lu {
  int n;
  bool complex;
  int *ptr, *row;  // pattern; KLU takes non-const pointers but does not write
  klu_symbolic* symbolic;
  klu_numeric* numeric;
  klu_common common;
  int* place;  // (n) position of each column in the order of elimination
};

// Least reciprocal pivot growth for which the pivots of an earlier matrix are kept.
static const double least_growth = 1e-8;

// Analyse the pattern and find the ordering.  NULL: out of memory.
static td_sparse_lu* create(int n, const int* ptr, const int* row, bool complex) {
  td_sparse_lu* lu = calloc(1, sizeof *lu);
  if (!lu) return NULL;
  *lu = (td_sparse_lu){
      .n = n, .complex = complex, .ptr = (int*)(uintptr_t)ptr, .row = (int*)(uintptr_t)row};
  klu_defaults(&lu->common);
  lu->common.btf = 0;  // a symmetric pattern with full diagonal has no block triangular form
  lu->symbolic = klu_analyze(n, lu->ptr, lu->row, &lu->common);
  lu->place = malloc(((size_t)n + 1) * sizeof(int));
  if (!lu->symbolic || !lu->place) {
    td_sparse_lu_free(lu);
    return NULL;
  }
  for (int k = 0; k < n; k++) lu->place[lu->symbolic->Q[k]] = k;
  return lu;
}

td_sparse_lu* td_sparse_lu_new(int n, const int* ptr, const int* row) {
  return create(n, ptr, row, false);
}

td_sparse_lu* td_sparse_lu_new_complex(int n, const int* ptr, const int* row) {
  return create(n, ptr, row, true);
}

// Free the numerical factors; the ordering stays.
static void free_factors(td_sparse_lu* lu) {
  (lu->complex ? klu_z_free_numeric : klu_free_numeric)(&lu->numeric, &lu->common);
}

// Free the factors and the ordering.
void td_sparse_lu_free(td_sparse_lu* lu) {
  if (!lu) return;
  free_factors(lu);
  klu_free_symbolic(&lu->symbolic, &lu->common);
  free(lu->place);
  free(lu);
}

void td_sparse_lu_diagonal(td_sparse_lu* lu, bool diagonal) {
  free_factors(lu);
  lu->common.tol = diagonal ? 0 : 0.001;  // the default of KLU
}

// Refactor with the old pivots while they are good enough, else factor anew.
td_status td_sparse_lu_factor(td_sparse_lu* lu, const double* values) {
  double* x = (double*)(uintptr_t)values;  // KLU does not write it
  klu_common* c = &lu->common;

  // with the pivots of the last matrix, if they are large enough for this one
  if (lu->numeric && (lu->complex ? klu_z_refactor : klu_refactor)(lu->ptr, lu->row, x,
                                                                   lu->symbolic, lu->numeric, c)) {
    (lu->complex ? klu_z_rgrowth : klu_rgrowth)(lu->ptr, lu->row, x, lu->symbolic, lu->numeric, c);
    if (c->rgrowth > least_growth) return TD_OK;
  }

  // with new pivots
  free_factors(lu);
  lu->numeric = (lu->complex ? klu_z_factor : klu_factor)(lu->ptr, lu->row, x, lu->symbolic, c);
  if (lu->numeric) return TD_OK;
  return c->status == KLU_SINGULAR ? TD_E_SINGULAR : TD_E_NOMEM;
}

int td_sparse_lu_bad(const td_sparse_lu* lu) { return lu->common.singular_col; }

void td_sparse_lu_solve(td_sparse_lu* lu, double* b, int nrhs) {
  (lu->complex ? klu_z_solve : klu_solve)(lu->symbolic, lu->numeric, lu->n, nrhs, b, &lu->common);
}

// Pivot of a column; KLU divides rows by Rs before it factors.
double td_sparse_lu_pivot(const td_sparse_lu* lu, int column) {
  const double *U = lu->numeric->Udiag, *scale = lu->numeric->Rs;
  return U[lu->place[column]] * (scale ? scale[lu->place[column]] : 1);
}

size_t td_sparse_lu_bytes(const td_sparse_lu* lu) { return lu->common.memusage; }
