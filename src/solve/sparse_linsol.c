// See the header.
#include "sparse_linsol.h"

#include <string.h>

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
  const td_ode* ode;
  long* count;
  sunindextype last_flag;
} factors;

static SUNLinearSolver_Type type_of(SUNLinearSolver s) {
  (void)s;
  return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID id_of(SUNLinearSolver s) {
  (void)s;
  return SUNLINEARSOLVER_CUSTOM;
}

static int initialise(SUNLinearSolver s) {
  ((factors*)s->content)->last_flag = SUNLS_SUCCESS;
  return SUNLS_SUCCESS;
}

static int setup(SUNLinearSolver s, SUNMatrix A) {
  factors* f = s->content;
  ++*f->count;
  const td_status status = f->ode->factor(f->ode->ctx, *(double*)A->content);
  f->last_flag = status == TD_OK ? SUNLS_SUCCESS : SUNLS_LUFACT_FAIL;
  return (int)f->last_flag;
}

static int solve(SUNLinearSolver s, SUNMatrix A, N_Vector x, N_Vector b, realtype tol) {
  (void)A, (void)tol;
  const factors* f = s->content;
  double* to = N_VGetArrayPointer(x);
  if (x != b) memcpy(to, N_VGetArrayPointer(b), (size_t)f->ode->n * sizeof(double));
  f->ode->solve(f->ode->ctx, to);
  return SUNLS_SUCCESS;
}

static sunindextype last_flag(SUNLinearSolver s) { return ((factors*)s->content)->last_flag; }

static int release(SUNLinearSolver s) {
  free(s->content);
  s->content = NULL;
  SUNLinSolFreeEmpty(s);
  return SUNLS_SUCCESS;
}

SUNLinearSolver td_sparse_linsol(const td_ode* ode, long* factorisations, SUNContext context) {
  SUNLinearSolver s = SUNLinSolNewEmpty(context);
  factors* f = calloc(1, sizeof *f);
  if (s == NULL || f == NULL) {
    free(f);
    if (s != NULL) SUNLinSolFreeEmpty(s);
    return NULL;
  }
  *f = (factors){.ode = ode, .count = factorisations};
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
