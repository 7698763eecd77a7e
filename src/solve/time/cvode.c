// The formulas of several steps that CVODES has: BDF with Newton's method and the exact Jacobian
// (td_step_ops), Adams with fixed-point iteration.  Integrals are its quadratures (computed from
// the accepted solution).  Invariants: CVODES projects with BDF alone; Adams takes slopes at
// projected states, y' = f(P(y)), whose solutions leave the invariants by no more than the sum of
// their errors, and gives out P(y).  The stiff solver is BDF.
#include "solve/time/cvode.h"

#include <cvodes/cvodes.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "solve/time/dense_steps.h"
#include "solve/time/linsol.h"
#include "solve/time/sun_loops.h"

enum { RETRIES = 8 };
// Accuracy of Newton's method, relative to the error a step may make.  The error test counts the
// remainder in stiff directions as error of the step: at the usual 0.1 half the steps of a rod are
// due to that.
static const double newton_accuracy = 0.01;
// Steps after which the Jacobian is taken anew although Newton's method converges.  A tangent costs
// as much as some ten to forty evaluations, and slow convergence requests one anyway.
enum { JACOBIAN_STEPS = 200 };

// Steps after which factors and tangents of sparse models are renewed even though Newton's method
// still converges.  A factorisation costs as much as tens of steps: not the 20 and 51 of dense
// ones.
enum { FACTORS_LAST = 200, TANGENT_LASTS = 400 };

typedef struct multistep {
  td_stepper base;
  double t_from, t_to;  // the last step
  double *y, *y_from;   // (n + nquad) as given out; beginning of the last step
  double* slope;        // (n + nquad) scratch ...
  double t_slope;       // ... which holds the slopes there; NaN: it does not
  bool apart;           // but not those of the integrals, which can be had
  int* crossed;
  long rejected;  // by CVODES since its last start
  bool renewing;  // the Jacobian and its factors are renewed in each step
  SUNContext context;
  void* mem;
  N_Vector y_cv, quad;
  const td_step_ops* linear;  // systems of Newton's method, and their ctx
  void* linear_ctx;
  td_dense_steps* dense;  // the ctx where the ode has no operations of its own; else NULL
  SUNMatrix matrix;
  SUNLinearSolver solver;
  SUNNonlinearSolver iteration;  // of Adams; BDF takes CVODES' own
  bool newton;
  double* on;  // (n + nquad) a state put onto the invariants; NULL: CVODES does, or there are none
  double block[];
} multistep;

// Leave the slopes at the projected state, f(P(y)), with those of the integrals.
static int slope_on(multistep* s, double t, const double* y) {
  memcpy(s->on, y, (size_t)s->base.ode->n * sizeof(double));
  if (td_ode_project(&s->base, t, s->on) != 0) return 1;
  if (td_ode_rhs(&s->base, t, s->on, s->slope) != 0) return 1;
  s->t_slope = t;
  return 0;
}

// y' for CVODES; 0, or its flag of a failure.  Slopes of the integrals are computed with it and
// kept (t_slope) where that is cheaper than computing them alone.
static int rhs(realtype t, N_Vector y, N_Vector ydot, void* user) {
  multistep* s = user;
  const double* from = N_VGetArrayPointer(y);
  double* to = N_VGetArrayPointer(ydot);
  s->t_slope = NAN;
  if (s->on != NULL) {
    const int failure = slope_on(s, t, from);
    memcpy(to, s->slope, (size_t)s->base.ode->n * sizeof(double));
    return failure;
  }
  if (!s->base.ode->together) return td_ode_states(&s->base, t, from, s->slope, to);
  const int flag = s->apart ? td_ode_states(&s->base, t, from, s->slope, to)
                            : td_ode_rhs(&s->base, t, from, s->slope);
  if (!s->apart) memcpy(to, s->slope, (size_t)s->base.ode->n * sizeof(double));
  if (flag == 0) s->t_slope = t;
  return flag;
}

// The slopes that Newton's last iteration found are those of the new state up to its correction,
// which is below the tolerance.
static int integrand(realtype t, N_Vector y, N_Vector qdot, void* user) {
  multistep* s = user;
  const td_ode* ode = s->base.ode;
  double* to = N_VGetArrayPointer(qdot);
  if (t != s->t_slope && s->on != NULL && slope_on(s, t, N_VGetArrayPointer(y)) != 0) return 1;
  if (t != s->t_slope) return td_ode_integrals(&s->base, t, N_VGetArrayPointer(y), s->slope, to);
  if (s->apart) return td_ode_latest(&s->base, to);
  memcpy(to, s->slope + ode->n, (size_t)ode->nquad * sizeof(double));
  return 0;
}

// The Jacobian anew or not, and 1 - gamma J from it; the factors follow in the solver's setup.
static int linear_system(realtype t, N_Vector y, N_Vector fy, SUNMatrix A, booleantype keep,
                         booleantype* renewed, realtype gamma, void* user, N_Vector tmp1,
                         N_Vector tmp2, N_Vector tmp3) {
  (void)fy, (void)tmp1, (void)tmp2, (void)tmp3;
  multistep* s = user;
  *renewed = !keep;
  if (s->apart && !keep) s->t_slope = NAN;  // other forces are there now
  td_step_matrix_gamma(A, gamma);
  return keep ? 0 : td_ode_linearise(&s->base, s->linear, s->linear_ctx, t, N_VGetArrayPointer(y));
}

// One over what each state may be off.
static int weights(N_Vector y, N_Vector ewt, void* user) {
  const multistep* s = user;
  const double* x = N_VGetArrayPointer(y);
  double* w = N_VGetArrayPointer(ewt);
  for (int i = 0; i < s->base.ode->n; i++) w[i] = 1 / td_tolerance(&s->base, i, x[i]);
  return 0;
}

static int roots(realtype t, N_Vector y, realtype* g, void* user) {
  multistep* s = user;
  td_ode_roots(&s->base, t, N_VGetArrayPointer(y), g);
  return 0;
}

// correction = projected - current; the error estimate is left as it is
static int project(realtype t, N_Vector y, N_Vector correction, realtype eps, N_Vector err,
                   void* user) {
  (void)eps, (void)err;
  multistep* s = user;
  const double* from = N_VGetArrayPointer(y);
  double* to = N_VGetArrayPointer(correction);
  memcpy(to, from, (size_t)s->base.ode->n * sizeof(double));
  const int flag = td_ode_project(&s->base, t, to);
  for (int i = 0; i < s->base.ode->n; i++) to[i] -= from[i];
  return flag;
}

static void silent(int code, const char* module, const char* function, char* text, void* user) {
  (void)code, (void)module, (void)function, (void)text, (void)user;
}

static td_status failed(const multistep* s) {
  return s->base.failure != TD_OK ? s->base.failure : TD_E_DIVERGED;
}

static int load(multistep* s, double t, const double* y, double h) {
  const td_ode* ode = s->base.ode;
  memcpy(N_VGetArrayPointer(s->y_cv), y, (size_t)ode->n * sizeof(double));
  int flag = CVodeReInit(s->mem, t, s->y_cv);
  s->t_slope = NAN;
  s->rejected = 0;
  if (ode->nquad > 0) {
    memcpy(N_VGetArrayPointer(s->quad), y + ode->n, (size_t)ode->nquad * sizeof(double));
    if (flag == CV_SUCCESS) flag = CVodeQuadReInit(s->mem, s->quad);
  }
  if (flag == CV_SUCCESS) flag = CVodeSetInitStep(s->mem, h);
  return flag;
}

// States and integrals at a time inside the last step.
static td_status read(multistep* s, double t, double* y) {
  const td_ode* ode = s->base.ode;
  if (CVodeGetDky(s->mem, t, 0, s->y_cv) != CV_SUCCESS) return TD_E_DIVERGED;
  memcpy(y, N_VGetArrayPointer(s->y_cv), (size_t)ode->n * sizeof(double));
  if (ode->nquad == 0) return TD_OK;
  if (CVodeGetQuadDky(s->mem, t, 0, s->quad) != CV_SUCCESS) return TD_E_DIVERGED;
  memcpy(y + ode->n, N_VGetArrayPointer(s->quad), (size_t)ode->nquad * sizeof(double));
  return TD_OK;
}

static void count_rejected(multistep* s) {
  long error = 0, newton = 0;
  CVodeGetNumErrTestFails(s->mem, &error);
  CVodeGetNumStepSolveFails(s->mem, &newton);
  s->base.counts.rejected += error + newton - s->rejected;
  s->rejected = error + newton;
}

// Set how many steps factors and the Jacobian last; `now`: they are renewed at once.
static void set_frequencies(multistep* s, bool now) {
  if (now == s->renewing || !s->newton) return;
  s->renewing = now;
  const bool sparse = s->base.ode->linear != NULL;
  CVodeSetLSetupFrequency(s->mem, now ? 1 : sparse ? FACTORS_LAST : 0);
  CVodeSetJacEvalFrequency(s->mem, now ? 1 : sparse ? TANGENT_LASTS : JACOBIAN_STEPS);
}

// One step of CVODES.  When it gives up, begin again from the end of the last step with a much
// shorter one.
static int evolve(multistep* s, double t_stop, double* t) {
  int flag = CV_SUCCESS;
  double h = 0;
  s->base.failure = TD_OK;
  // Newton's method accepts corrections by the convergence of earlier steps: with a Jacobian of
  // another active set it would go astray for many of them
  set_frequencies(s, s->base.stale);
  for (int k = 0; k < RETRIES; k++) {
    CVodeSetStopTime(s->mem, t_stop);
    flag = CVode(s->mem, t_stop, s->y_cv, t, CV_ONE_STEP);
    count_rejected(s);
    if (flag >= 0) {
      s->base.stale = false;
      return flag;
    }
    s->base.counts.rejected++;
    if (k == 0) CVodeGetLastStep(s->mem, &h);
    if (h == 0 || !isfinite(h)) h = t_stop - s->t_to;
    h = fmin(h, t_stop - s->t_to) / 100;
    if (s->t_to + h == s->t_to || load(s, s->t_to, s->y_from, h) != CV_SUCCESS) return flag;
  }
  return flag;
}

// Take one step, at most to t_stop; y is read from CVODES at its end or at a root, and projected at
// roots and with Adams.
static td_status step(td_stepper* base, double t_stop, td_step* step) {
  multistep* s = (multistep*)base;
  double t, t_now;
  const int flag = evolve(s, t_stop, &t);
  if (flag < 0) return failed(s);
  CVodeGetCurrentTime(s->mem, &t_now);
  if (t_now != s->t_to) {
    s->base.counts.steps++;
    s->t_from = s->t_to;
    s->t_to = t_now;
    TD_TRY(read(s, t_now, s->y_from));
  }
  *step = (td_step){s->t_from, t, flag == CV_ROOT_RETURN, s->y, s->crossed};
  TD_TRY(read(s, t, s->y));
  if (step->root) CVodeGetRootInfo(s->mem, s->crossed);
  if (!step->root && s->on == NULL) return TD_OK;
  return base->ode->project == NULL || td_ode_project(base, t, s->y) == 0 ? TD_OK : failed(s);
}

static td_status at(td_stepper* base, double t, double* y) { return read((multistep*)base, t, y); }

static td_status restart(td_stepper* base, double t, const double* y) {
  multistep* s = (multistep*)base;
  s->t_from = s->t_to = t;
  memmove(s->y_from, y, (size_t)(base->ode->n + base->ode->nquad) * sizeof(double));
  return load(s, t, s->y_from, 0) == CV_SUCCESS ? TD_OK : TD_E_NOMEM;
}

static void release(td_stepper* base) {
  multistep* s = (multistep*)base;
  if (s->mem != NULL) CVodeFree(&s->mem);
  if (s->iteration != NULL) SUNNonlinSolFree(s->iteration);
  if (s->solver != NULL) SUNLinSolFree(s->solver);
  if (s->matrix != NULL) SUNMatDestroy(s->matrix);
  td_dense_steps_free(s->dense);
  if (s->y_cv != NULL) N_VDestroy(s->y_cv);
  if (s->quad != NULL) N_VDestroy(s->quad);
  if (s->context != NULL) SUNContext_Free(&s->context);
  free(s->crossed);
  free(s);
}

static const td_stepper_ops multistep_ops = {step, at, restart, release, NULL, true, false};

// Set tolerances, linear or fixed-point solver, quadratures, projection and roots of CVODES. False
// if one of them fails.
static bool configure(multistep* s) {
  const td_ode* ode = s->base.ode;
  bool ok = CVodeSetErrHandlerFn(s->mem, silent, NULL) == CV_SUCCESS;
  ok = ok && CVodeWFtolerances(s->mem, weights) == CV_SUCCESS;
  ok = ok && CVodeSetUserData(s->mem, s) == CV_SUCCESS;
  ok = ok && CVodeSetMaxHnilWarns(s->mem, -1) == CV_SUCCESS;
  if (s->newton) {
    ok = ok && CVodeSetLinearSolver(s->mem, s->solver, s->matrix) == CV_SUCCESS;
    ok = ok && CVodeSetLinSysFn(s->mem, linear_system) == CV_SUCCESS;
    ok = ok && CVodeSetJacEvalFrequency(s->mem, ode->linear ? TANGENT_LASTS : JACOBIAN_STEPS) ==
                   CV_SUCCESS;
    if (ode->linear) ok = ok && CVodeSetLSetupFrequency(s->mem, FACTORS_LAST) == CV_SUCCESS;
    ok = ok && CVodeSetNonlinConvCoef(s->mem, newton_accuracy) == CV_SUCCESS;
    ok = ok && CVodeSetStabLimDet(s->mem, ode->lightly_damped) == CV_SUCCESS;
  } else {
    ok = ok && CVodeSetNonlinearSolver(s->mem, s->iteration) == CV_SUCCESS;
  }
  if (ode->h_max > 0) ok = ok && CVodeSetMaxStep(s->mem, ode->h_max) == CV_SUCCESS;
  if (ode->nquad > 0) ok = ok && CVodeQuadInit(s->mem, integrand, s->quad) == CV_SUCCESS;
  // a motion that is linear in time lowers the order to 1, where work would be summed by rectangles
  if (ode->nquad > 0) {
    ok = ok && CVodeQuadSStolerances(s->mem, ode->rtol, ode->atol) == CV_SUCCESS;
    ok = ok && CVodeSetQuadErrCon(s->mem, SUNTRUE) == CV_SUCCESS;
  }
  if (ode->project != NULL && s->newton) {
    ok = ok && CVodeSetProjFn(s->mem, project) == CV_SUCCESS;
    ok = ok && CVodeSetProjErrEst(s->mem, SUNFALSE) == CV_SUCCESS;
  }
  if (ode->nroot > 0) {
    ok = ok && CVodeRootInit(s->mem, ode->nroot, roots) == CV_SUCCESS;
    ok = ok && CVodeSetNoInactiveRootWarn(s->mem) == CV_SUCCESS;
  }
  return ok;
}

// Create CVODES with its vectors and solvers at (t, y).  False: no memory; release() frees what was
// made.
static bool create(multistep* s, double t, const double* y) {
  const td_ode* ode = s->base.ode;
  if (SUNContext_Create(NULL, &s->context) != 0) return false;
  s->y_cv = N_VNew_Serial(ode->n, s->context);
  s->quad = N_VNew_Serial(max_int(ode->nquad, 1), s->context);
  s->mem = CVodeCreate(s->newton ? CV_BDF : CV_ADAMS, s->context);
  if (s->y_cv == NULL || s->quad == NULL || s->mem == NULL) return false;
  td_sun_vector(s->y_cv);

  // Newton with the linear systems of the ode (else dense ones), or fixed-point iteration
  if (s->newton) {
    if (ode->linear == NULL) s->dense = td_dense_steps_new(ode);
    s->linear = ode->linear != NULL ? ode->linear : &td_dense_step_ops;
    s->linear_ctx = ode->linear != NULL ? ode->ctx : s->dense;
    s->matrix = td_step_matrix(s->context);
    s->solver = td_step_linsol(s->linear, s->linear_ctx, ode->n, &s->base.counts.factorisations,
                               s->context);
    if (s->linear_ctx == NULL || s->matrix == NULL || s->solver == NULL) return false;
  } else {
    s->iteration = SUNNonlinSol_FixedPoint(s->y_cv, 0, s->context);
    if (s->iteration == NULL) return false;
  }
  memcpy(N_VGetArrayPointer(s->y_cv), y, (size_t)ode->n * sizeof(double));
  return CVodeInit(s->mem, rhs, t, s->y_cv) == CV_SUCCESS && configure(s);
}

// Create a stepper with this formula at (t, y), y with the integrals behind the states; *stepper is
// NULL on failure.
td_status td_cvode_start(td_formula formula, const td_ode* ode, double t, const double* y,
                         td_stepper** stepper) {
  *stepper = NULL;
  const size_t n = (size_t)(ode->n + ode->nquad);
  multistep* s = calloc(1, sizeof(multistep) + 4 * n * sizeof(double));
  if (s == NULL) return TD_E_NOMEM;
  s->base = (td_stepper){.ops = &multistep_ops, .ode = ode, .sharp = 1};
  s->newton = formula == TD_FORMULA_BDF;
  s->apart = ode->latest != NULL && ode->states != NULL && ode->project == NULL;
  s->y = s->block;
  s->y_from = s->block + n;
  s->slope = s->block + 2 * n;
  if (ode->project != NULL && !s->newton) s->on = s->block + 3 * n;
  s->crossed = calloc((size_t)ode->nroot + 1, sizeof(int));
  const bool ok = s->crossed != NULL && create(s, t, y);
  const td_status status = ok ? td_stepper_restart(&s->base, t, y) : TD_E_NOMEM;
  if (status != TD_OK) {
    release(&s->base);
    return status;
  }
  *stepper = &s->base;
  return TD_OK;
}

static td_status start(const td_ode* ode, double t, const double* y, td_stepper** stepper) {
  return td_cvode_start(TD_FORMULA_BDF, ode, t, y, stepper);
}

const td_solver_row td_solver_stiff = {
    .start = start, .method = "BDF", .implicit = true, .competes = true};
