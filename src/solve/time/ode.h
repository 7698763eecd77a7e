// Initial value problems and the solvers that integrate them.
//
//   y' = f(t, y),  y = [states (n), integrals (nquad)]
//
// The integrals are functions of the states alone (work, for instance): they are carried along.
// Methods of fixed order leave them out of the error test, unless `measured`; BDF, whose order
// follows the states, does not.  A stepper advances one step at a time,
// never beyond a stop time, and gives the solution anywhere inside its last step; right-hand sides
// may jump at the ends of a segment (restart .. stop), not inside.
#ifndef TD_ODE_H
#define TD_ODE_H

#include <math.h>

#include "base/base.h"

// The linear systems of implicit steps, J being the Jacobian at the (t, y) linearised last.  Two
// makers: dense_steps.c, for every ode with a Jacobian, and motion_sparse.c, for networks.
typedef struct td_step_ops {
  td_status (*linearise)(void* ctx, double t, const double* y);
  td_status (*product)(void* ctx, const double* x, double* Jx);
  td_status (*factor)(void* ctx, double gamma);  // 1 - gamma J
  void (*solve)(void* ctx, double* b);           // with the last factors, in place
} td_step_ops;

typedef struct td_ode {
  void* ctx;
  int n, nquad, nroot;
  double rtol, atol;    // of the states
  const double* size;   // (n) largest |y_i| of late, to which rtol refers; NULL: |y_i| itself
  double h_max;         // longest step, 0: no limit
  bool exact;           // equal steps are solved to rounding, for their derivatives
  double h_fixed;       // length of the steps of solvers that take equal ones
  int npos;             // positions, before all other states: q' = N(q) v, few numbers in each row;
                        // 0: nothing is known
  int inner, ninner;    // internal states: where they begin, how many; their sizes are of any unit
  bool constrained;     // forces follow from rows that the states must keep to
  double work;          // nanoseconds of an evaluation, about; 0: not known
  bool lightly_damped;  // fast modes near the imaginary axis: BDF watches its stability limit
  td_status (*rhs)(void* ctx, double t, const double* y, double* ydot);  // ydot (n + nquad)
  // The rates of the states (n) and of the integrals (nquad) apart, for solvers that want one
  // without the other; NULL: rhs gives both.
  td_status (*states)(void* ctx, double t, const double* y, double* ydot);
  td_status (*integrals)(void* ctx, double t, const double* y, double* qdot);
  bool measured;  // integrals take part in the error test, for nothing else shows their size
  bool together;  // integrals alone cost as much as everything
  // Rates of the integrals where `states` was evaluated last, at little cost; NULL: not known.
  td_status (*latest)(void* ctx, double* qdot);
  td_status (*jacobian)(void* ctx, double t, const double* y, double* J);  // n x n, row-major
  // q' = N(q) w of the positions q (npos) with other states w (n - npos); NULL: q' is the first
  // npos of w.
  void (*drift)(void* ctx, const double* q, const double* w, double* qdot);
  // Linear systems of large problems, which have no dense Jacobian; their ctx is that of the ode.
  // NULL: dense, from `jacobian`.
  const td_step_ops* linear;
  // Onto the invariants; NULL: there are none.
  td_status (*project)(void* ctx, double t, double* y);
  void (*roots)(void* ctx, double t, const double* y, double* g);  // (nroot) switching functions
  // (nguard) signed functions of one-sided elements and bounds of their rates (engine.h); a step
  // must not pass over a stretch where one has the other sign.
  int nguard;
  void (*guards)(void* ctx, double t, const double* y, double* gap, double* speed);
  // The same at the state of the last evaluation, which costs little; false: that was not at t, or
  // differs from y by more than a small part of the way from y0 to y.  NULL: not known.
  bool (*guards_near)(void* ctx, const double* y0, double t, const double* y, double* gap,
                      double* speed);
  // Select, from n - 1 times between a and b, those at which objects that time alone moves are
  // faster than at both; returns how many, at most `most`.  NULL: nothing moves by itself.
  int (*peaks)(void* ctx, double a, double b, int n, double* times, int most);
  // A guard changed its sign so many times within a time that the run gets nowhere; NULL: is not
  // told.
  void (*chatters)(void* ctx, int guard, int times, double within);
  // How far the invariants are from being dependent, any scale, 0: singular, NaN: not known; NULL:
  // they never are.
  double (*regularity)(void* ctx, double t, const double* y);
} td_ode;

typedef struct td_ode_counts {
  long steps, rejected, evaluations, tangents, factorisations, projections;
} td_ode_counts;

// Result of a step: it covered [t0, t] and ended at a root of some switching function, or not.
typedef struct td_step {
  double t0, t;
  bool root;
  const double* y;     // (n + nquad) at t; valid until the next call
  const int* crossed;  // (nroot) -1 falling, +1 rising, 0 not; when root
} td_step;

typedef struct td_stepper td_stepper;
typedef struct td_stepper_ops {
  td_status (*step)(td_stepper* s, double t_stop, td_step* step);
  td_status (*at)(td_stepper* s, double t, double* y);
  td_status (*restart)(td_stepper* s, double t, const double* y);
  void (*free)(td_stepper* s);
  // A solution inside the last step at the cost of no evaluation; NULL: `at` is such a one.
  void (*sketch)(td_stepper* s, double t, double* y);
  bool history;  // the method uses earlier steps, which a restart forgets
  bool blind;    // its error estimate shows little of a corner inside a step
} td_stepper_ops;

// First member of each solver's own struct.
struct td_stepper {
  const td_stepper_ops* ops;
  const td_ode* ode;
  td_ode_counts counts;
  td_status failure;     // of the last callback that failed during the step
  double t_low, t_high;  // ends of the segment in work
  int creeping;          // consecutive steps too short to get anywhere
  td_status trouble;     // failure seen while creeping
  double* projected;     // (n + nquad) if not NULL: take right-hand sides at y projected, put here
  int singular;          // singular positions passed
  struct td_guard* guard;  // NULL: nothing is one-sided
  double sharp;            // factor of the tolerance of positions while an impact lasts, else 1
  bool stale;              // a one-sided element began or ceased to act: take another Jacobian
};

// A solver: one object td_solver_<word> for each line of TD_SOLVERS (tendril.h), in the file of its
// stepper.
typedef struct td_solver_row {
  // A stepper at (t, y); the ode must outlive it.
  td_status (*start)(const td_ode* ode, double t, const double* y, td_stepper** stepper);
  const char* method;  // in messages
  bool implicit;       // its steps are not held down by stability
  bool dense;          // it needs the dense Jacobian: not for sparse models
  bool equal;          // its steps are equal and of given length (td_ode.h_fixed)
  bool competes;       // a run with it selects between its method and Radau's (contest.h)
  bool open;           // it leaves the choice to the rule (stiffness.c)
  const char* advice;  // where a run with it ends early; NULL: none of its own
} td_solver_row;
#define TD_SOLVER_ROW(value, word, what) extern const td_solver_row td_solver_##word;
TD_SOLVERS(TD_SOLVER_ROW)
#undef TD_SOLVER_ROW
// Radau IIA of order 9 for problems with a dense Jacobian takes the place of BDF within runs that
// are stiff: no solver of its own.
extern const td_solver_row td_solver_radau;

// The row of a solver; where the choice is open its steps are those of the explicit one.
const td_solver_row* td_solver_of(td_solver solver);
// A solver, or another one where it leaves the choice open; any number may be given.
td_solver td_solver_or(td_solver solver, td_solver other);
td_status td_stepper_new(td_solver solver, const td_ode* ode, double t, const double* y,
                         td_stepper** stepper);
void td_stepper_free(td_stepper* stepper);

// Advance by one step of the solver's choice, at most to t_stop; TD_E_DIVERGED or the callback's
// status when even tiny steps fail.  When the root of a step was dealt with, the next call goes on
// from there.
td_status td_stepper_step(td_stepper* stepper, double t_stop, td_step* step);
// Solution at t inside the last step.
td_status td_stepper_at(td_stepper* stepper, double t, double* y);
// Go on from another state or with another right-hand side.
td_status td_stepper_restart(td_stepper* stepper, double t, const double* y);

// The error of the state y_i that a step may make.
static inline double td_tolerance(const td_stepper* s, int i, double y) {
  const td_ode* ode = s->ode;
  const double now = fabs(y), size = ode->size != NULL && ode->size[i] > now ? ode->size[i] : now;
  // an absolute tolerance is for numbers of the order of one, or relative to what is smaller
  const bool inner = i >= ode->inner && i < ode->inner + ode->ninner;
  const double least = inner && size > 0 && size < 1 ? size * ode->atol : ode->atol;
  const double usual = ode->rtol * size + least;
  return i < ode->npos && s->sharp < 1 ? fmin(fmax(s->sharp * usual, 1e-14 * size), usual) : usual;
}

// Root mean square of x over the states, in units of `scale` times the tolerance at y.
double td_ode_norm(const td_stepper* stepper, double scale, const double* y, const double* x);
// A first step for an error of this order from (t, y) with the slope f [Hairer, Norsett, Wanner,
// Solving ODEs I, II.4]; y_scratch and f_scratch have room for n + nquad.
double td_ode_first_step(td_stepper* stepper, double t, const double* y, const double* f, int order,
                         double scale, double* y_scratch, double* f_scratch);

// The next n numbers of a solver's block
static inline double* take(double** p, int n) {
  double* x = *p;
  *p += n;
  return x;
}

// The time at which right-hand sides are evaluated for t: they may jump at the ends of the segment
// and show their values inside there.
double td_ode_inside(const td_stepper* stepper, double t);
// Callbacks as the solvers use them: counted, inside the open segment, finite.  0, or 1: failed,
// try a shorter step.
int td_ode_rhs(td_stepper* stepper, double t, const double* y, double* ydot);
// The two parts of it; `scratch` has room for n + nquad.
int td_ode_states(td_stepper* stepper, double t, const double* y, double* scratch, double* ydot);
int td_ode_integrals(td_stepper* stepper, double t, const double* y, double* scratch, double* qdot);
int td_ode_latest(td_stepper* stepper, double* qdot);
int td_ode_project(td_stepper* stepper, double t, double* y);
void td_ode_roots(td_stepper* stepper, double t, const double* y, double* g);
int td_ode_jacobian(td_stepper* stepper, double t, const double* y, double* J);
int td_ode_linearise(td_stepper* stepper, const td_step_ops* linear, void* ctx, double t,
                     const double* y);

// ---- guards of one-sided elements (guard.c, impact.c) ------------------------------------------
typedef struct td_guard td_guard;
td_status td_guard_new(const td_ode* ode, td_guard** guard);
void td_guard_free(td_guard* guard);
// Steps begin at (t, y).
void td_guard_begin(td_stepper* stepper, double t, const double* y);
// One guarded step: as ops->step, repeated with an earlier end where it passes over something.
td_status td_guard_step(td_stepper* stepper, double t_stop, td_step* step);
// For methods whose stages leave the solution: note the state of a stage; whether the stages since
// the beginning of the step up to t see each element begin or cease to act at most once between the
// two ends of the step, as the solution does.
void td_guard_stage(td_stepper* stepper, double t, const double* y);
bool td_guard_stages_agree(td_stepper* stepper, double t, const double* y);
// The rates turned around at each of so many steps: TD_E_MODEL, with the corner of a force nearest
// to (t, y) named, TD_OK where there is none.
td_status td_guard_chatters(td_stepper* stepper, double t, const double* y, int times,
                            double within);

// ---- order-8 Runge-Kutta pair of Prince and Dormand and its dense output ----------------------
enum { TD_RK8_STAGES = 13 };
typedef struct td_rk8 {
  double c[TD_RK8_STAGES], A[TD_RK8_STAGES * TD_RK8_STAGES], b[TD_RK8_STAGES], d[TD_RK8_STAGES];
} td_rk8;
extern const td_rk8 td_rk8_table;  // b: order 8, d: order 7

// One step from (t, y) with f = y'(t, y); k is scratch (13 n).  0 or 1 as td_ode_rhs.
int td_rk8_step(td_stepper* stepper, double t, const double* y, const double* f, double h,
                double* k, double* y_out);
// Hermite interpolation of values and slopes at m nodes: weights of each, for the time t.
void td_hermite(int m, const double* node, double t, double* value_weight, double* slope_weight);

// ---- which solver -----------------------------------------------------------------------------
typedef struct td_choice {
  td_solver solver;
  bool lightly_damped;
  bool only_radau;        // the stiff solver is worth a trial if it is Radau
  double explicit_steps;  // that stability requires over the rest of the run, 0: not known
  double stable_steps;    // the same, of networks too
  char why[128];
} td_choice;
// The rule of docs/simulation.md, from the spectrum of the Jacobian at (t, y) and the time left.
// `h` is the step explicit integration is taking there, 0 when it has not begun.
td_status td_choose_solver(const td_ode* ode, double t, const double* y, double t_end, double h,
                           td_choice* choice);

#endif
