// Equilibrium of a model as the equations of newton.h, and its linearisation about a point.
//
// The unknowns are the displacements of the unprescribed DOFs and the multipliers; prescribed DOFs
// have their given position, velocity and acceleration, the others none, so that steady motion
// gives the relative equilibrium.
#ifndef TD_STATICS_H
#define TD_STATICS_H

#include "engine/engine.h"
#include "solve/statics/newton.h"

// Internal states at rest, for every point of the search (inner.c).
typedef struct td_inner {
  int n, rank;                          // rank: how many of them their rates determine
  double *Rq, *Rv, *S;                  // n x nv: derivatives of the rates; dz/dq
  double *Ru, *Fz;                      // n x drives; nv x n: dF/dz
  double *Rn, *Q, *B, *H, *V, *G;       // n x n
  double *r, *rho, *size, *dz, *y, *w;  // (n)
  double *keep, *z0;
  int* pivot;
  bool whole;   // the rates determine all of them: H has the factors of Rn alone
  bool failed;  // none were found at the point
} td_inner;

typedef struct td_statics {
  const td_model* model;
  td_work* work;
  td_state* state;   // where it is evaluated: q, prescribed v, no other v
  int nq, nv, n, m;  // n: unprescribed velocities
  const int* free;   // (n) which they are
  int param;         // what p is: a parameter, nparam + an input, or TD_LOAD_SCALE
  double p;          // value set in the work, NaN: none yet
  bool moving;       // some prescribed DOF moves
  td_equations equations;
  td_row_scale rows;  // sizes of the constraint rows at the last tangent, rank where they were met
  double *row_size, *col_factor;
  int rank_last;
  double *a, *F, *full, *C, *Jc, *dv, *limit, *l0;
  double *gap, *keep_v;  // scratch of td_statics_reach, where there is contact
  td_progress progress;
  void* user;
  const char* what;
  double fraction;
  int evaluations, tangents;
  bool stable;                    // look for a stable equilibrium, where there is a potential
  int ridges;                     // unstable ones that were left for it
  int fold_node;                  // node of the folded segment met last, -1: none
  double fold;                    // its angle
  double limit_point;             // share of the loads at which their path turns back, 0: none seen
  int overloaded;                 // row of a loop that cannot hold the load, -1: none met
  td_inner* inner;                // NULL: internal states stay as they are, or there are none
  struct sparse_statics* sparse;  // linear algebra of large models, NULL: dense
  bool dense;                     // there is room for dense matrices (full, C, Jc), too
  void* block;
} td_statics;
#define TD_LOAD_SCALE (-1)

// `state` gives t, the inputs and the first q; it is not kept.
td_status td_statics_new(const td_model* model, td_work* work, const td_state* state, int param,
                         td_statics** statics);
void td_statics_free(td_statics* statics);
// Statics at `state` itself, cables taut or slack as they are there: *q has its positions (nq) and
// behind them the multipliers that balance it best.  Both are to be freed, also after a failure.
td_status td_statics_here(const td_model* model, const td_state* state, td_work* work,
                          td_statics** statics, double** q);
// Search for internal states at rest, too, from now on.
td_status td_inner_new(td_statics* statics);
void td_inner_free(td_inner* inner);
// Find the internal states of the point that was set: in statics->state.
void td_inner_solve(td_statics* statics);
// Evaluate S = dz/dq and dF/dz there.
void td_inner_slopes(td_statics* statics);
// Change dz (n) of the internal states there when their rates change by `rates` (n) at constant z.
void td_inner_respond(td_statics* statics, const double* rates, double* dz);
// Name a state that is held although its rate is not zero.
void td_inner_note(td_statics* statics, char* note, size_t size);
// The part of a step that passes through nothing (reach.c).
double td_statics_reach(void* statics, const double* x, const double* dx, double p, double dp);
// Prescribed motion and its acceleration at the present time and parameters; the other DOFs rest.
void td_statics_motion(td_statics* s);
// Go to a point and parameter: the state is set.
void td_statics_set(td_statics* statics, const double* q, double p);

// Explain why no equilibrium was found near q: a direction without restoring force is named in
// `note`, which else stays as it is (unheld.c).
void td_statics_explain(td_statics* statics, const double* q, const double* l, char* note,
                        size_t size);

// Name the loop in a singular position that statics->overloaded belongs to.
void td_statics_say_overloaded(const td_statics* statics, char* note, size_t size);

// Is a rod turned inside out, or pressed to nothing, at the state set last?  Its linear law goes on
// there and balances the load, but no rod does; `note` names it.
bool td_statics_reversed(const td_statics* statics, char* note, size_t size);

// Change of variables x = T y for the nodes of 'eba', by what they move beyond each other: T'KT and
// J T in place (n x n, m x n), and T Z (n x cols).
void td_chained_stiffness(const td_statics* statics, const double* q, double* K, double* J);
void td_chained_directions(const td_statics* statics, const double* q, double* Z, int cols);

// A linear model to fill, all zero; NULL when out of memory.
td_linear* td_linear_new(const td_model* model, int nx, int nu, int ny);
// Keep the rows of C and D that are known; name the sensors that are left out, and the reason.
void td_linear_choose(const td_model* model, const bool* known, const char* why, td_linear* linear);
// (dq)' = dv + T dq along a motion: what tangent directions turn by (nv x nv).
td_status td_turning(const td_model* model, const td_state* state, double* T);

// The answer of an equilibrium to a small push.
typedef struct td_answer {
  td_stability stability;
  double critical;      // smallest stiffness eigenvalue, or largest real part
  int divergent;        // stiffness eigenvalues below zero, or positive real eigenvalues
  int fluttering;       // complex ones with positive real part
  double flutter_rate;  // largest real part of the complex ones relative to their size, -1: none
  bool damped;          // some velocity makes a force along itself (not conservative systems only)
  double asymmetry;     // of the stiffness (conservative systems only): above TD_ASYMMETRIC at an
                        // equilibrium there is no potential after all
  int n;
  double* stiffness;  // (n) ascending, conservative systems only; room for nfree
} td_answer;
// Asymmetry beyond what rounding makes.
#define TD_ASYMMETRIC 1e-8
// `answer->stiffness` belongs to the caller.  TD_UNKNOWN when the eigenvalues cannot be found.
td_status td_judge(td_statics* statics, const double* q, const double* l, double p,
                   bool conservative, td_answer* answer);

// Message of commands that refuse models with internal states: the command, the name of a state.
#define TD_NO_INTERNALS \
  "%s is not available for models with internal states (here '%s') in this version"

// May stability be judged by the stiffness alone?
bool td_statics_conservative(const td_statics* statics);

// Newton's method, load continuation, pseudo-transient continuation, in this order, and with
// statics->stable downhill from what is unstable.  p of `statics` is the load scale.
td_status td_statics_solve(td_statics* statics, td_newton* newton, double* q, double* l,
                           const td_newton_options* options, td_strategy* strategy,
                           td_newton_report* report);

// From an unstable equilibrium q of a potential downhill, the side of `start` first, to a stable
// one; q stays where that fails.
td_status td_statics_downhill(td_statics* statics, td_newton* newton, const double* start,
                              double* q, double* l, const td_newton_options* options,
                              td_newton_report* report);

// td_statics_solve() with inextensible cables, of which those that would push are slack; the work
// keeps which.  td_statics_name_slack() lists them in `note`, "slack: ...".
td_status td_statics_taut(td_statics* statics, td_newton* newton, double* q, double* l,
                          const td_newton_options* options, td_strategy* strategy,
                          td_newton_report* report);
void td_statics_name_slack(const td_statics* statics, char* note, size_t size);

#endif
