// Collocation at the right Radau points (Radau IIA), s stages, order 2s - 1 at the ends of steps
// and s between them.  Stiffly accurate and L-stable for every s.
#ifndef TD_COLLOCATION_H
#define TD_COLLOCATION_H

#include "solve/time/shifted.h"
#include "solve/time/crossings.h"
#include "solve/time/ode.h"

enum { TD_STAGES_MOST = 7, TD_SYSTEMS_MOST = (TD_STAGES_MOST + 1) / 2 };

// ---- tables -----------------------------------------------------------------------------------

// Z_i = Y_i - y, the stages from the beginning of the step, are the unknowns: h f = A^-1 Z.
typedef struct td_collocation {
  int s;  // odd
  double c[TD_STAGES_MOST];
  double gauss[TD_STAGES_MOST], weight[TD_STAGES_MOST];  // a quadrature for the polynomials on c
  double slope[TD_STAGES_MOST * TD_STAGES_MOST];         // A^-1
  double first[TD_STAGES_MOST];                          // h p'(0) = first . Z of the polynomial p
  // A^-1 T = T E, E = [real eigenvalue, blocks [a b; -b a]]
  double T[TD_STAGES_MOST * TD_STAGES_MOST], back[TD_STAGES_MOST * TD_STAGES_MOST];  // T, T^-1
  double re[TD_STAGES_MOST], im[TD_STAGES_MOST];  // a, b of each row; b = 0: the real one, first
} td_collocation;

td_status td_collocation_find(int stages, td_collocation* table);
// Weights of Z in p(x) - y and of the stages' slopes in the integral from 0 to x; x in steps.
void td_collocation_values(const td_collocation* table, double x, double* weight);
void td_collocation_integrals(const td_collocation* table, double x, double* weight);

// ---- steps ------------------------------------------------------------------------------------

// The part that all steppers by collocation share, whatever their number of stages: the last step
// and its polynomial, Newton's method for the next one, roots.  It is the first member of such a
// stepper.
//
// With Z_i = Y_i - y, A^-1 Z = h f(t + c h, y + Z) is solved with one J, which T splits into
// (s + 1)/2 systems of the order of J [Hairer and Wanner, Solving ODEs II, IV.8]:
//
//   (E/h - J) dW = T^-1 f - E W/h,   Z = T W
typedef struct td_collocated {
  td_stepper base;
  td_collocation table;
  int n;
  // the last step
  double t_from, t_to, h;  // h of the collocation
  double *y_from, *y_to;   // (n + nquad)
  double *Z, *power;       // (s n); (s nquad), slopes of the integrals
  bool stepped;            // there is one
  // the next one
  double h_next;
  double *Z_try, *power_try;         // alike
  double *y_try, *W, *F, *R;         // (n + nquad), (s n) each
  double *stage, *slope, *y, *pair;  // (n + nquad) each, (2 n)
  double* tolerance;                 // (n) what each state may be off
  double* J;                         // (n n)
  td_shifted* system[TD_SYSTEMS_MOST];
  td_crossings roots;
  double* block;
} td_collocated;

// The base has its ops and its ode.  td_collocated_free releases what the struct holds, not itself.
td_status td_collocated_new(td_collocated* c, int stages);
void td_collocated_free(td_collocated* c);
static inline double* stage_row(const td_collocated* c, double* X, int i) {
  return X + (size_t)i * (size_t)c->n;
}
// y = Σ w_i X_i
void td_collocated_sum(const td_collocated* c, const double* w, double* X, double* y);
// Root mean square of `count` vectors in units of the tolerance.
double td_collocated_norm(const td_collocated* c, const double* x, int count);
// Factors of E/h - J; and the solution of the system `i` of them for a + i b (b NULL: zero), in
// place.
td_status td_collocated_factor(td_collocated* c, double h);
void td_collocated_solve(td_collocated* c, int i, double* a, double* b);
// F: slopes at the stages y_to + Z_try, and power_try; 0 when all are there.
int td_collocated_slopes(td_collocated* c, double h);
// One correction by the slopes F, which becomes dZ; W and Z_try go on by it.
void td_collocated_correct(td_collocated* c, double h);
// y_try at t, the end of the step of Z_try, on the constraints; 0 when found.
int td_collocated_end(td_collocated* c, double h, double t);
// The step to t is taken: y_try, Z_try and power_try become those of the last step.
void td_collocated_accept(td_collocated* c, double h, double t);
// The polynomial of the last step at t.
td_status td_collocated_at(td_stepper* base, double t, double* y);
// Start from (t, y), without roots so far.
void td_collocated_begin(td_collocated* c, double t, const double* y);
// Go on to the next root or the end of a step, by ops->restart and `advance`, which takes one step
// of at most to t_stop and returns 0 when it could.
td_status td_collocated_step(td_collocated* c, int (*advance)(td_collocated* c, double t_stop),
                             double t_stop, td_step* out);

#endif
