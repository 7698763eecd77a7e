// See the header.
#include "solve/time/sparse_linsol.h"

#include <string.h>

#include "solve/time/linsol.h"

// ---- matrix -----------------------------------------------------------------------------------

static SUNMatrix_ID matrix_id(SUNMatrix A) {
  (void)A;
  return SUNMATRIX_CUSTOM;
}

static void destroy(SUNMatrix A) {
  free(A->content);
  A->content = NULL;
  SUNMatFreeEmpty(A);
}

SUNMatrix td_sparse_matrix(SUNContext context) {
  SUNMatrix A = SUNMatNewEmpty(context);
  if (A == NULL) return NULL;
  A->content = calloc(1, sizeof(double));
  A->ops->getid = matrix_id;
  A->ops->destroy = destroy;
  if (A->content == NULL) {
    SUNMatFreeEmpty(A);
    return NULL;
  }
  return A;
}

void td_sparse_matrix_gamma(SUNMatrix A, double gamma) { *(double*)A->content = gamma; }

// ---- solver -----------------------------------------------------------------------------------

typedef struct factors {
  td_linsol base;
  const td_ode* ode;
} factors;

static int setup(SUNLinearSolver s, SUNMatrix A) {
  factors* f = s->content;
  ++*f->base.factorisations;
  const td_status status = f->ode->factor(f->ode->ctx, *(double*)A->content);
  f->base.last_flag = status == TD_OK ? SUNLS_SUCCESS : SUNLS_LUFACT_FAIL;
  return (int)f->base.last_flag;
}

static int solve(SUNLinearSolver s, SUNMatrix A, N_Vector x, N_Vector b, realtype tol) {
  (void)A, (void)tol;
  const factors* f = s->content;
  double* to = N_VGetArrayPointer(x);
  if (x != b) memcpy(to, N_VGetArrayPointer(b), (size_t)f->ode->n * sizeof(double));
  f->ode->solve(f->ode->ctx, to);
  return SUNLS_SUCCESS;
}

static int release(SUNLinearSolver s) {
  free(s->content);
  s->content = NULL;
  SUNLinSolFreeEmpty(s);
  return SUNLS_SUCCESS;
}

SUNLinearSolver td_sparse_linsol(const td_ode* ode, long* factorisations, SUNContext context) {
  factors* f = calloc(1, sizeof *f);
  SUNLinearSolver s = td_linsol_new(f != NULL ? &f->base : NULL, context);
  if (s == NULL) {
    free(f);
    return NULL;
  }
  *f = (factors){.base.factorisations = factorisations, .ode = ode};
  s->ops->setup = setup;
  s->ops->solve = solve;
  s->ops->free = release;
  return s;
}
