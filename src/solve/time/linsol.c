// The frame of direct linear solvers; see the header.
#include "solve/time/linsol.h"

#include <stddef.h>

static SUNLinearSolver_Type type_of(SUNLinearSolver s) {
  (void)s;
  return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID id_of(SUNLinearSolver s) {
  (void)s;
  return SUNLINEARSOLVER_CUSTOM;
}

static int initialise(SUNLinearSolver s) {
  ((td_linsol*)s->content)->last_flag = SUNLS_SUCCESS;
  return SUNLS_SUCCESS;
}

static sunindextype last_flag(SUNLinearSolver s) { return ((td_linsol*)s->content)->last_flag; }

SUNLinearSolver td_linsol_new(td_linsol* content, SUNContext context) {
  SUNLinearSolver s = content != NULL ? SUNLinSolNewEmpty(context) : NULL;
  if (s == NULL) return NULL;
  s->content = content;
  s->ops->gettype = type_of;
  s->ops->getid = id_of;
  s->ops->initialize = initialise;
  s->ops->lastflag = last_flag;
  return s;
}
