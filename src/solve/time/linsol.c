// Adapter of td_step_ops to the linear solvers of SUNDIALS: factors once per setup, one solution
// per Newton iteration.
#include "solve/time/linsol.h"

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

SUNMatrix td_step_matrix(SUNContext context) {
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

void td_step_matrix_gamma(SUNMatrix A, double gamma) { *(double*)A->content = gamma; }

// ---- solver -----------------------------------------------------------------------------------

typedef struct factors {
  const td_step_ops* ops;
  void* ctx;
  int n;
  sunindextype last_flag;
  long* factorisations;
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

static sunindextype last_flag(SUNLinearSolver s) { return ((factors*)s->content)->last_flag; }

static int setup(SUNLinearSolver s, SUNMatrix A) {
  factors* f = s->content;
  ++*f->factorisations;
  const td_status status = f->ops->factor(f->ctx, *(double*)A->content);
  f->last_flag = status == TD_OK ? SUNLS_SUCCESS : SUNLS_LUFACT_FAIL;
  return (int)f->last_flag;
}

static int solve(SUNLinearSolver s, SUNMatrix A, N_Vector x, N_Vector b, realtype tol) {
  (void)A, (void)tol;
  const factors* f = s->content;
  double* to = N_VGetArrayPointer(x);
  if (x != b) memcpy(to, N_VGetArrayPointer(b), (size_t)f->n * sizeof(double));
  f->ops->solve(f->ctx, to);
  return SUNLS_SUCCESS;
}

static int release(SUNLinearSolver s) {
  free(s->content);
  s->content = NULL;
  SUNLinSolFreeEmpty(s);
  return SUNLS_SUCCESS;
}

// Wrap td_step_ops as a SUNLinearSolver, freed by SUNLinSolFree().
SUNLinearSolver td_step_linsol(const td_step_ops* ops, void* ctx, int n, long* factorisations,
                               SUNContext context) {
  factors* f = calloc(1, sizeof *f);
  SUNLinearSolver s = f != NULL ? SUNLinSolNewEmpty(context) : NULL;
  if (s == NULL) {
    free(f);
    return NULL;
  }
  *f = (factors){.ops = ops, .ctx = ctx, .n = n, .factorisations = factorisations};
  s->content = f;
  s->ops->gettype = type_of;
  s->ops->getid = id_of;
  s->ops->initialize = initialise;
  s->ops->lastflag = last_flag;
  s->ops->setup = setup;
  s->ops->solve = solve;
  s->ops->free = release;
  return s;
}
