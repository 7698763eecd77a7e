// A SUNLinearSolver: P A = L U once per setup, two triangular solves per Newton iteration.
#include "lapack_linsol.h"

#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "dense.h"

typedef struct lu {
  int n;
  sunindextype last_flag;
  long* factorisations;
  int pivot[];
} lu;

static SUNLinearSolver_Type type_of(SUNLinearSolver s) {
  (void)s;
  return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID id_of(SUNLinearSolver s) {
  (void)s;
  return SUNLINEARSOLVER_CUSTOM;
}

static int initialise(SUNLinearSolver s) {
  ((lu*)s->content)->last_flag = SUNLS_SUCCESS;
  return SUNLS_SUCCESS;
}

static int setup(SUNLinearSolver s, SUNMatrix A) {
  lu* f = s->content;
  ++*f->factorisations;
  f->last_flag = td_lu(SUNDenseMatrix_Data(A), f->n, f->pivot);
  return f->last_flag == 0 ? SUNLS_SUCCESS : SUNLS_LUFACT_FAIL;
}

static int solve(SUNLinearSolver s, SUNMatrix A, N_Vector x, N_Vector b, realtype tol) {
  (void)tol;
  lu* f = s->content;
  N_VScale(1, b, x);
  td_lu_solve(SUNDenseMatrix_Data(A), f->pivot, f->n, N_VGetArrayPointer(x), 1);
  return SUNLS_SUCCESS;
}

static sunindextype last_flag(SUNLinearSolver s) { return ((lu*)s->content)->last_flag; }

static int release(SUNLinearSolver s) {
  free(s->content);
  s->content = NULL;
  SUNLinSolFreeEmpty(s);
  return SUNLS_SUCCESS;
}

SUNLinearSolver td_lapack_linsol(int n, long* factorisations, SUNContext context) {
  SUNLinearSolver s = SUNLinSolNewEmpty(context);
  lu* f = calloc(1, sizeof(lu) + (size_t)n * sizeof(int));
  if (s == NULL || f == NULL) {
    free(f);
    if (s != NULL) SUNLinSolFreeEmpty(s);
    return NULL;
  }

  f->n = n;
  f->factorisations = factorisations;
  s->content = f;
  s->ops->gettype = type_of;
  s->ops->getid = id_of;
  s->ops->initialize = initialise;
  s->ops->setup = setup;
  s->ops->solve = solve;
  s->ops->lastflag = last_flag;
  s->ops->free = release;
  return s;
}
