// The explicit solver: ARKODE's ERKStep with the order-8 pair of rk8.c, one step at a time.
//
// ARKODE's interpolants are of degree 5 at most, far worse than the steps they connect.  So the
// solution inside a step is the Hermite polynomial of degree 9 through values and slopes at five
// nodes: the ends of the step, its middle, which is reached by a plain step of the same method, and
// two earlier nodes; where those do not exist (after a start) or are too close, the quarter points
// take their place.  Roots found by ARKODE on its cubic interpolant are polished with plain steps
// to the root, which also keeps all stages on the near side of a switch.
#include <arkode/arkode_erkstep.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>

#include "solve/time/ode.h"
#include "solve/time/sun_loops.h"

enum { NODES = 5, ROOM = NODES + 4, RETRIES = 16, LOOSEST = 4 };

typedef struct node {
  double t;
  double *y, *f;
} node;

typedef struct erk {
  td_stepper base;
  int n;             // states and integrals
  node nodes[ROOM];  // by time: up to NODES until the step's beginning, points inside, its end
  int nnode, begin;  // how many, and which is the beginning of the step
  bool dense;        // the points inside are there
  double t_end;      // where the solution ends: the end of the step, or the root in it
  double *y, *y_p, *f, *k, *g;
  int* crossed;
  double t_f, *y_f;  // where the last right-hand side was taken, which is left in f
  long rejected;     // by ARKODE so far
  bool ahead;        // a singular position is within the step ...
  double loose;      // ... and this many times the tolerance is granted to it
  double h_usual;    // longest step of late
  SUNContext context;
  void* mem;
  N_Vector y_ark;
  double block[];
} erk;

static node* here(erk* s) { return &s->nodes[s->nnode - 1]; }

// Leave y'(t, y) in f, unless it is there: the slope at a step's end is also the next step's first
// stage.
static int slope(erk* s, double t, const double* y) {
  const size_t bytes = (size_t)s->n * sizeof(double);
  if (t == s->t_f && memcmp(y, s->y_f, bytes) == 0) return 0;
  const int flag = td_ode_rhs(&s->base, t, y, s->f);
  if (s->base.guard != NULL && flag == 0) td_guard_stage(&s->base, t, y);
  memcpy(s->y_f, y, bytes);
  s->t_f = flag == 0 ? t : NAN;
  return flag;
}

static int rhs(realtype t, N_Vector y, N_Vector ydot, void* user) {
  erk* s = user;
  const int flag = slope(s, t, N_VGetArrayPointer(y));
  memcpy(N_VGetArrayPointer(ydot), s->f, (size_t)s->n * sizeof(double));
  return flag;
}

static int roots(realtype t, N_Vector y, realtype* g, void* user) {
  erk* s = user;
  td_ode_roots(&s->base, t, N_VGetArrayPointer(y), g);
  return 0;
}

// Always set, even when there is nothing to project: without post-processing ERKStep 6.4.1 takes
// the last stage (at c = 1) for the slope at the new state, which for this table it is not, and
// loses four digits.
static int postprocess(realtype t, N_Vector y, void* user) {
  erk* s = user;
  return s->base.ode->project == NULL ? 0 : td_ode_project(&s->base, t, N_VGetArrayPointer(y));
}

static void silent(int code, const char* module, const char* function, char* text, void* user) {
  (void)code, (void)module, (void)function, (void)text, (void)user;
}

static void fill(const erk* s, node* p, double t, const double* y, const double* f) {
  p->t = t;
  memcpy(p->y, y, (size_t)s->n * sizeof(double));
  memcpy(p->f, f, (size_t)s->n * sizeof(double));
}

// Append the end of a new step; of the older nodes the last NODES stay.
static void push(erk* s, double t, const double* y, const double* f) {
  for (; s->nnode > NODES; s->nnode--) {
    const node oldest = s->nodes[0];
    memmove(s->nodes, s->nodes + 1, (ROOM - 1) * sizeof(node));
    s->nodes[ROOM - 1] = oldest;
  }
  s->begin = max_int(s->nnode - 1, 0);
  fill(s, &s->nodes[s->nnode++], t, y, f);
  s->dense = false;
  s->t_end = t;
}

// Plain step from the beginning of the current step to t.
static int step_to(erk* s, double t, double* y) {
  const node* from = &s->nodes[s->begin];
  return td_rk8_step(&s->base, from->t, from->y, from->f, t - from->t, s->k, y);
}

// ---- roots ------------------------------------------------------------------------------------

// Value at t of the first switching function that ARKODE saw crossing.
static int crossing(erk* s, double t, double* value) {
  const int flag = step_to(s, t, s->y);
  if (flag != 0) return flag;
  td_ode_roots(&s->base, t, s->y, s->g);
  int k = 0;
  while (k < s->base.ode->nroot - 1 && s->crossed[k] == 0) k++;
  *value = s->g[k];
  return 0;
}

// Secant iteration on the exact solution, started from ARKODE's interpolated root; gives that one
// back if it leaves the step.
static double polish(erk* s, double t_root) {
  const double low = s->nodes[s->begin].t, high = here(s)->t;
  const double tiny = 4 * DBL_EPSILON * fmax(fabs(low), fabs(high));
  const double inwards = low + high < 2 * t_root ? low - high : high - low;
  double ta = t_root, tb = t_root + 1e-4 * inwards, ga, gb;
  if (crossing(s, ta, &ga) != 0 || crossing(s, tb, &gb) != 0) return t_root;

  for (int i = 0; i < 10 && ga != 0 && ga != gb; i++) {
    const double t = ta - ga * (ta - tb) / (ga - gb);
    if (!(t > low && t <= high)) return t_root;
    tb = ta, gb = ga;
    ta = t;
    if (crossing(s, ta, &ga) != 0) return t_root;
    if (fabs(ta - tb) <= tiny) break;
  }
  return ta;
}

// ---- stepping ---------------------------------------------------------------------------------

static td_status failed(const erk* s) {
  return s->base.failure != TD_OK ? s->base.failure : TD_E_DIVERGED;
}

static int reset(erk* s, double t, const double* y, double h) {
  memcpy(N_VGetArrayPointer(s->y_ark), y, (size_t)s->n * sizeof(double));
  int flag = ERKStepReset(s->mem, t, s->y_ark);
  if (flag == ARK_SUCCESS) flag = ERKStepSetInitStep(s->mem, h);
  return flag;
}

static void count_rejected(erk* s) {
  long n = 0;
  ERKStepGetNumErrTestFails(s->mem, &n);
  s->base.counts.rejected += n - s->rejected;
  s->rejected = n;
}

// One over what each state may be off; integrals pass unless they are measured.
static int weights(N_Vector y, N_Vector ewt, void* user) {
  const erk* s = user;
  const td_ode* ode = s->base.ode;
  const double* x = N_VGetArrayPointer(y);
  double* w = N_VGetArrayPointer(ewt);
  for (int i = 0; i < ode->n; i++) w[i] = 1 / (s->loose * td_tolerance(&s->base, i, x[i]));
  for (int i = ode->n; i < s->n; i++)
    w[i] = ode->measured ? 1 / td_tolerance(&s->base, i, x[i]) : 1e-100;
  return 0;
}

// Do the invariants become dependent within h, along the tangent?  A mechanism then comes through a
// singular position.
static bool singular_ahead(erk* s, double h) {
  const td_ode* ode = s->base.ode;
  if (ode->regularity == NULL) return false;
  const node* p = here(s);
  double least = ode->regularity(ode->ctx, p->t, p->y), most = least;
  for (int k = 1; k <= 16; k++) {
    for (int i = 0; i < s->n; i++) s->y[i] = p->y[i] + k * h / 16 * p->f[i];
    const double now = ode->regularity(ode->ctx, p->t + k * h / 16, s->y);
    least = fmin(least, now);
    most = fmax(most, now);
  }
  return least < 0.1 * most;
}

// Back to the end of the last step after a failure, to try again.  At a singular position errors
// beside the invariants grow without bound, and shorter steps only come closer to it: take the
// whole step with its stages on the invariants, then also with tolerances ten, a hundred ... times
// larger.  Anywhere else take a shorter one.
static int try_again(erk* s, int k, double h) {
  const node* p = here(s);
  if (s->ahead && k <= LOOSEST) {
    s->base.projected = s->y_p;
    s->loose = fmin(pow(10, k), fmax(0.1 / s->base.ode->rtol, 1));
    return reset(s, p->t, p->y, h);
  }
  h /= 2 * pow(4, k);
  return p->t + h > p->t ? reset(s, p->t, p->y, h) : ARK_ERR_FAILURE;
}

static void forget_trouble(erk* s) {
  s->loose = 1;
  s->ahead = false;
  s->base.projected = NULL;
  s->base.failure = TD_OK;
}

// Whether the stages of the step that was just taken saw the same one-sided elements act as its
// ends do; if not, go back to its beginning and make it shorter.
static bool stages_agree(erk* s) {
  double t;
  const node* p = here(s);
  if (s->base.guard == NULL) return true;
  ERKStepGetCurrentTime(s->mem, &t);
  if (t == p->t || ERKStepGetDky(s->mem, t, 0, s->y_ark) != ARK_SUCCESS) return true;
  if (td_guard_stages_agree(&s->base, t, N_VGetArrayPointer(s->y_ark))) return true;
  s->base.counts.rejected++;
  const double h = (t - p->t) / 4;
  return !(p->t + h > p->t) || reset(s, p->t, p->y, h) != ARK_SUCCESS;
}

// One step of ARKODE.  Callbacks that fail end ERKStep at once; so does a rejection when there are
// invariants that may become dependent.
static int evolve(erk* s, double t_stop, double* t) {
  double h = 0;
  forget_trouble(s);
  ERKStepGetCurrentStep(s->mem, &h);
  h = fmin(h > 0 ? h : INFINITY, t_stop - here(s)->t);
  for (int k = 0;; k++) {
    ERKStepSetStopTime(s->mem, t_stop);
    const int flag = ERKStepEvolve(s->mem, t_stop, s->y_ark, t, ARK_ONE_STEP);
    count_rejected(s);
    if (flag >= 0 && !stages_agree(s)) {  // it begins anew, shorter
      k = -1;
      continue;
    }
    if (flag >= 0) {
      s->base.singular += s->ahead;
      return flag;
    }
    // steps that dwindle before a singular position do not see it: look as far as they used to go
    const double far = fmax(h, fmin(s->h_usual, t_stop - here(s)->t));
    if (k == 0 && singular_ahead(s, far)) {
      s->ahead = true;
      h = far;
    }
    if (k == RETRIES || try_again(s, k, h) != ARK_SUCCESS) return flag;
  }
}

// Take over the end of a new step.
static td_status take_over(erk* s) {
  double t;
  ERKStepGetCurrentTime(s->mem, &t);
  if (t == here(s)->t) return TD_OK;  // the step that held the last root ends here
  s->base.counts.steps++;
  const bool copied = ERKStepGetDky(s->mem, t, 0, s->y_ark) == ARK_SUCCESS;
  const double* y = N_VGetArrayPointer(s->y_ark);
  if (!copied) return failed(s);
  if (slope(s, t, y) != 0) return failed(s);
  s->h_usual = fmax(t - here(s)->t, 0.97 * s->h_usual);
  push(s, t, y, s->f);
  return TD_OK;
}

// Take one step, at most to t_stop.  At a root the step ends there: its time is polished, and y is
// computed by a plain step to it and projected.
static td_status step(td_stepper* base, double t_stop, td_step* step) {
  erk* s = (erk*)base;
  double t;
  const int flag = evolve(s, t_stop, &t);
  if (flag < 0) return failed(s);
  TD_TRY(take_over(s));

  *step = (td_step){s->nodes[s->begin].t, t, flag == ARK_ROOT_RETURN, here(s)->y, s->crossed};
  s->t_end = here(s)->t;
  if (!step->root) return TD_OK;
  ERKStepGetRootInfo(s->mem, s->crossed);
  step->t = polish(s, t);
  if (step_to(s, step->t, s->y) != 0) return failed(s);
  if (base->ode->project != NULL && td_ode_project(base, step->t, s->y) != 0) return failed(s);
  step->y = s->y;
  s->t_end = step->t;
  return TD_OK;
}

// ---- dense output -----------------------------------------------------------------------------

// Two earlier nodes serve when they are not crowded: noise of the size of the tolerance would be
// amplified.
static bool earlier_serve(const erk* s) {
  if (s->begin < 2) return false;
  const node* p = &s->nodes[s->begin];
  const double h = p[1].t - p[0].t;
  return p[0].t - p[-1].t > 0.25 * h && p[-1].t - p[-2].t > 0.25 * h;
}

// Points inside the step, before its end: the middle, or the quarters.
static td_status densify(erk* s) {
  const int inside = earlier_serve(s) ? 1 : 3;
  const node end = *here(s);
  const double t0 = s->nodes[s->begin].t;
  for (int i = 0; i < inside; i++) {
    node* p = &s->nodes[s->nnode + i];  // an unused one
    const double t = t0 + (i + 1) * (end.t - t0) / (inside + 1);
    if (step_to(s, t, p->y) != 0 || td_ode_rhs(&s->base, t, p->y, p->f) != 0) return failed(s);
    p->t = t;
  }
  memmove(s->nodes + s->nnode - 1, s->nodes + s->nnode, (size_t)inside * sizeof(node));
  s->nnode += inside;
  *here(s) = end;
  s->dense = true;
  return TD_OK;
}

// y at a time t inside the last step: the Hermite polynomial through NODES nodes, or a plain step
// where the step ended at a root.
static td_status at(td_stepper* base, double t, double* y) {
  erk* s = (erk*)base;
  if (s->t_end < here(s)->t) return step_to(s, t, y) == 0 ? TD_OK : failed(s);
  if (!s->dense) TD_TRY(densify(s));

  const node* p = &s->nodes[s->nnode - NODES];
  double time[NODES], a[NODES], b[NODES];
  for (int i = 0; i < NODES; i++) time[i] = p[i].t;
  td_hermite(NODES, time, t, a, b);
  memset(y, 0, (size_t)s->n * sizeof(double));
  for (int i = 0; i < NODES; i++) {
    for (int j = 0; j < s->n; j++) y[j] += a[i] * p[i].y[j] + b[i] * p[i].f[j];
  }
  return TD_OK;
}

// Hermite's cubic through both ends; positions whose rates are velocities by the quintic, with the
// accelerations.
static void sketch(td_stepper* base, double t, double* y) {
  const erk* s = (const erk*)base;
  const td_ode* ode = base->ode;
  const node *a = &s->nodes[s->begin], *b = here((erk*)base);
  const double h = b->t - a->t, x = h > 0 ? (t - a->t) / h : 0, z = 1 - x;
  for (int i = 0; i < s->n; i++)
    y[i] = z * z * (1 + 2 * x) * a->y[i] + x * x * (1 + 2 * z) * b->y[i] +
           h * x * z * (z * a->f[i] - x * b->f[i]);
  if (ode->drift != NULL) return;
  const double xxx = x * x * x, zzz = z * z * z;
  for (int i = 0; i < ode->npos; i++) {
    const double fa = a->f[ode->npos + i], fb = b->f[ode->npos + i];
    y[i] = zzz * (1 + 3 * x + 6 * x * x) * a->y[i] + xxx * (1 + 3 * z + 6 * z * z) * b->y[i] +
           h * (zzz * x * (1 + 3 * x) * a->f[i] - xxx * z * (1 + 3 * z) * b->f[i]) +
           0.5 * h * h * (zzz * x * x * fa + xxx * z * z * fb);
  }
}

// ---- beginning and end ------------------------------------------------------------------------

// The old step is the best guess for the new one; at the beginning ARKODE's own, which suits order
// 1, would be smaller by many orders.
static td_status restart(td_stepper* base, double t, const double* y) {
  erk* s = (erk*)base;
  double h = 0;
  if (s->nnode > 1) ERKStepGetCurrentStep(s->mem, &h);
  s->nnode = 0;
  s->base.failure = TD_OK;
  s->t_f = NAN;  // the right-hand side may be another one now
  if (slope(s, t, y) != 0) return failed(s);
  push(s, t, y, s->f);
  const node* p = here(s);
  if (!(h > 0)) h = td_ode_first_step(base, p->t, p->y, p->f, 8, 1, s->y, s->k);
  return reset(s, t, y, h) == ARK_SUCCESS ? TD_OK : TD_E_NOMEM;
}

static void release(td_stepper* base) {
  erk* s = (erk*)base;
  if (s->mem != NULL) ERKStepFree(&s->mem);
  if (s->y_ark != NULL) N_VDestroy(s->y_ark);
  if (s->context != NULL) SUNContext_Free(&s->context);
  free(s->crossed);
  free(s);
}

static const td_stepper_ops erk_ops = {step, at, restart, release, sketch, false, false};

static void lay_out(erk* s) {
  double* p = s->block;
  for (int i = 0; i < ROOM; i++) {
    s->nodes[i].y = take(&p, s->n);
    s->nodes[i].f = take(&p, s->n);
  }
  s->y = take(&p, s->n);
  s->y_p = take(&p, s->n);
  s->f = take(&p, s->n);
  s->y_f = take(&p, s->n);
  s->k = take(&p, TD_RK8_STAGES * s->n);
  s->g = take(&p, s->base.ode->nroot);
}

static bool set_table(erk* s) {
  td_rk8 rk = td_rk8_table;  // ARKODE wants them writable
  ARKodeButcherTable table = ARKodeButcherTable_Create(TD_RK8_STAGES, 8, 7, rk.c, rk.A, rk.b, rk.d);
  const bool ok = table != NULL && ERKStepSetTable(s->mem, table) == ARK_SUCCESS;
  ARKodeButcherTable_Free(table);
  return ok;
}

// Set table, tolerances, interpolant, step limit, projection and roots of ERKStep.  False if one of
// them fails.
static bool configure(erk* s) {
  const td_ode* ode = s->base.ode;
  bool ok = set_table(s) && ERKStepWFtolerances(s->mem, weights) == ARK_SUCCESS;
  ok = ok && ERKStepSetErrHandlerFn(s->mem, silent, NULL) == ARK_SUCCESS;
  if (ode->regularity != NULL) ok = ok && ERKStepSetMaxErrTestFails(s->mem, 1) == ARK_SUCCESS;
  ok = ok && ERKStepSetUserData(s->mem, s) == ARK_SUCCESS;
  ok = ok && ERKStepSetInterpolantDegree(s->mem, 3) == ARK_SUCCESS;
  ok = ok && ERKStepSetMaxHnilWarns(s->mem, -1) == ARK_SUCCESS;
  if (ode->h_max > 0) ok = ok && ERKStepSetMaxStep(s->mem, ode->h_max) == ARK_SUCCESS;
  ok = ok && ERKStepSetPostprocessStepFn(s->mem, postprocess) == ARK_SUCCESS;
  if (ode->nroot > 0) {
    ok = ok && ERKStepRootInit(s->mem, ode->nroot, roots) == ARK_SUCCESS;
    ok = ok && ERKStepSetNoInactiveRootWarn(s->mem) == ARK_SUCCESS;
  }
  return ok;
}

// Create the explicit solver at (t, y); *stepper is NULL on failure.
static td_status start(const td_ode* ode, double t, const double* y, td_stepper** stepper) {
  *stepper = NULL;
  const int n = ode->n + ode->nquad;
  const size_t doubles = (size_t)n * (2 * ROOM + 4 + TD_RK8_STAGES) + (size_t)ode->nroot;
  erk* s = calloc(1, sizeof(erk) + doubles * sizeof(double));
  if (s == NULL) return TD_E_NOMEM;
  s->base = (td_stepper){.ops = &erk_ops, .ode = ode, .sharp = 1};
  s->n = n;
  s->loose = 1;
  s->crossed = calloc((size_t)ode->nroot + 1, sizeof(int));
  lay_out(s);

  bool ok = s->crossed != NULL && SUNContext_Create(NULL, &s->context) == 0;
  if (ok) s->y_ark = N_VNew_Serial(n, s->context);
  ok = ok && s->y_ark != NULL;
  if (ok) {
    td_sun_vector(s->y_ark);
    memcpy(N_VGetArrayPointer(s->y_ark), y, (size_t)n * sizeof(double));
    s->mem = ERKStepCreate(rhs, t, s->y_ark, s->context);
  }
  ok = ok && s->mem != NULL && configure(s);
  const td_status status = ok ? td_stepper_restart(&s->base, t, y) : TD_E_NOMEM;
  if (status != TD_OK) {
    release(&s->base);
    return status;
  }
  *stepper = &s->base;
  return TD_OK;
}

const td_solver_row td_solver_explicit = {.start = start, .method = "explicit"};
