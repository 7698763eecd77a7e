// Adapter of ARPACK's reverse communication [lehoucq1998] for arpack.h.
#include "math/arpack.h"

#include <arpack/arpack.h>
#include <string.h>

enum { MOST_RESTARTS = 300 };

// Arguments of ARPACK
typedef struct krylov {
  a_int n, count, size;  // order of the problem, eigenvalues wanted, size of the Krylov basis
  double *resid, *basis, *work, *inner;
  a_int lwork, iparam[11], ipntr[14];
  a_int* select;
  void* block;  // memory of all arrays
} krylov;

// Allocate the arrays and set the parameters.  False: out of memory.
static bool open_krylov(krylov* k, const td_operator* op, int count, const double* start,
                        bool symmetric) {
  const int extra = symmetric ? 20 : 30;
  *k = (krylov){.n = op->n, .count = count, .size = min_int(op->n, 2 * count + extra)};
  const size_t n = (size_t)k->n, s = (size_t)k->size;
  k->lwork = symmetric ? k->size * (k->size + 8) : 3 * k->size * (k->size + 2);
  const size_t doubles = n + n * s + 3 * n + (size_t)k->lwork + 3 * s;
  k->block = calloc(1, doubles * sizeof(double) + s * sizeof(a_int));
  if (!k->block) return false;
  k->resid = k->block;
  k->basis = k->resid + n;
  k->work = k->basis + n * s;
  k->inner = k->work + 3 * n;
  k->select = (a_int*)(void*)(k->inner + (size_t)k->lwork + 3 * s);
  memcpy(k->resid, start, n * sizeof(double));
  k->iparam[0] = 1;                  // exact shifts
  k->iparam[2] = MOST_RESTARTS;      // iterations
  k->iparam[6] = symmetric ? 3 : 1;  // mode: shift and invert, or plain
  return true;
}

// Apply the operator that ARPACK requests to the vectors it points to.
static void apply_requested(const td_operator* op, krylov* k, a_int ido) {
  const double* x = k->work + k->ipntr[0] - 1;
  double* y = k->work + k->ipntr[1] - 1;
  (ido == 2 ? op->metric : op->apply)(op->ctx, x, y);
}

// Sort eigenvalues in ascending order together with the rows of V; `swap` holds n.
static void sort(double* w, double* V, int count, int n, double* swap) {
  for (int i = 1; i < count; i++)
    for (int k = i; k > 0 && w[k] < w[k - 1]; k--) {
      const double x = w[k];
      const size_t bytes = (size_t)n * sizeof(double);
      double *a = V + (size_t)k * (size_t)n, *b = a - n;
      w[k] = w[k - 1];
      w[k - 1] = x;
      memcpy(swap, a, bytes);
      memcpy(a, b, bytes);
      memcpy(b, swap, bytes);
    }
}

// Lanczos iteration in shift-and-invert mode.
td_status td_arpack_symmetric(const td_operator* op, int count, const double* start, double* w,
                              double* V, int* found) {
  krylov k;
  *found = 0;
  if (!open_krylov(&k, op, count, start, true)) return TD_E_NOMEM;
  const char* bmat = op->metric ? "G" : "I";

  // Lanczos iteration; info = 1: the start vector is given
  a_int ido = 0, info = 1;
  while (ido != 99) {
    dsaupd_c(&ido, bmat, k.n, "LM", k.count, 0, k.resid, k.size, k.basis, k.n, k.iparam, k.ipntr,
             k.work, k.inner, k.lwork, &info);
    if (ido == -1 || ido == 1 || ido == 2) apply_requested(op, &k, ido);
  }

  // eigenvalues and vectors that converged
  if (info >= 0) {
    a_int more = 0;
    dseupd_c(1, "A", k.select, w, V, k.n, 0, bmat, k.n, "LM", k.count, 0, k.resid, k.size, k.basis,
             k.n, k.iparam, k.ipntr, k.work, k.inner, k.lwork, &more);
    if (more == 0) *found = min_int((int)k.iparam[4], count);
    sort(w, V, *found, op->n, k.resid);
  }
  free(k.block);
  return *found > 0 ? TD_OK : TD_E_DIVERGED;
}

// Arnoldi iteration.
td_status td_arpack_general(const td_operator* op, int count, const double* start, double* re,
                            double* im, double* V, int* found) {
  krylov k;
  *found = 0;
  if (!open_krylov(&k, op, count, start, false)) return TD_E_NOMEM;

  // Arnoldi iteration; info = 1: the start vector is given
  a_int ido = 0, info = 1;
  while (ido != 99) {
    dnaupd_c(&ido, "I", k.n, "LM", k.count, 0, k.resid, k.size, k.basis, k.n, k.iparam, k.ipntr,
             k.work, k.inner, k.lwork, &info);
    if (ido == -1 || ido == 1) apply_requested(op, &k, ido);
  }

  // eigenvalues and vectors that converged
  if (info >= 0) {
    a_int more = 0;
    double* scratch = k.inner + k.lwork;
    dneupd_c(1, "A", k.select, re, im, V, k.n, 0, 0, scratch, "I", k.n, "LM", k.count, 0, k.resid,
             k.size, k.basis, k.n, k.iparam, k.ipntr, k.work, k.inner, k.lwork, &more);
    if (more == 0) *found = (int)k.iparam[4];
  }
  free(k.block);
  return *found > 0 ? TD_OK : TD_E_DIVERGED;
}
