// Roots of F(x, l; p) = 0, e(x; p) = 0: a point x on a manifold, multipliers l, a parameter p.
//
//   F = F0(x; p) - J'l,  J = de/dx
//
// Newton's method on the null space of J, so that redundant constraints do no harm; damped by the
// natural monotonicity test (Deuflhard, Newton Methods for Nonlinear Problems, 2004, sec. 3.3),
// which does not depend on the units of F and e; pseudo-transient continuation for starts that
// Newton's method cannot use; and curves of solutions by arc length.
#ifndef TD_NEWTON_H
#define TD_NEWTON_H

#include "math/dense.h"

// Linear algebra of the tangent at a point, [K -J'; J 0] [dx; dl] = -[F; e]: dense by the null
// space of J (newton.c), sparse in sparse_statics.c.
typedef struct td_linear_ops {
  // Factor the tangent at x plus `shift` times the metric; *size is its largest element.  Not
  // TD_OK: it has no inverse, and solutions are those of least squares, or not numbers.
  td_status (*factor)(void* ctx, const double* x, const double* l, double p, double shift,
                      double* size);
  void (*solve)(void* ctx, const double* F, const double* e, double* dx, double* dl);
  // The transpose of the tangent that was factored last is what `solve` takes from now on:
  // [K' -J'; J 0] [dx; dl] = -[F; e].
  td_status (*transpose)(void* ctx);
  // l that balances F at x as well as it can
  void (*estimate)(void* ctx, const double* x, double p, const double* F, double* l);
} td_linear_ops;

typedef struct td_equations {
  void* ctx;
  int nx, n, m;         // numbers of a point, its directions, constraints
  const double* limit;  // (n) longest step along each direction; INFINITY: none
  void (*residual)(void* ctx, const double* x, const double* l, double p, double* F, double* e);
  // K = dF/dx at constant l (n x n), J (m x n)
  void (*tangent)(void* ctx, const double* x, const double* l, double p, double* K, double* J);
  // dF/dp, de/dp; NULL when p is never an unknown
  void (*slope)(void* ctx, const double* x, const double* l, double p, double* Fp, double* ep);
  // a metric for pseudo-transient continuation (n x n); NULL: the identity
  void (*mass)(void* ctx, const double* x, double p, double* M);
  // sizes of the rows and columns of J at the x of the last tangent; NULL: unknown
  const td_row_scale* rows;
  // size of the forces in F, what its round-off is relative to; NULL: unknown
  double (*scale)(void* ctx, const double* x, const double* l, double p);
  void (*displace)(void* ctx, const double* x, const double* dx, double* x_out);
  // The part of a step dx, dp, 0 to 1, that passes through nothing; NULL: there is nothing to pass.
  double (*reach)(void* ctx, const double* x, const double* dx, double p, double dp);
  bool potential;                      // F is the slope of a potential, on the constraints
  bool (*go_on)(void* ctx);            // false: stop; NULL: always go on
  const struct td_linear_ops* linear;  // of large equations, whose ctx is the same; NULL: dense
} td_equations;

// ---- the linear system ------------------------------------------------------------------------

//   [ K  -J'  Fp ] [ dx ]   [ -F ]
//   [ J   0   ep ] [ dl ] = [ -e ]       the last row and column are the border; without one dp = 0
//   [ tx' 0   tp ] [ dp ]   [ -g ]
typedef struct td_saddle {
  int n, m, free;             // free: dimension of the null space of J
  bool singular;              // solutions are least-squares ones
  double least;               // smallest pivot, where rows and columns have largest elements of one
  int sign;                   // of the determinant on the null space, border included
  double *Z, *Kz;             // n x free; Z'KZ (free x free)
  const td_row_scale* scale;  // sizes of rows and columns of J, NULL: rows by their own lengths
  // internal
  td_kkt kkt;
  int* order;  // independent rows
  double *one, *K, *B, *LU, *row, *column, *Fp, *dxp, *tx;
  int* pivot;
  arena scratch, factors;
  void* block;
} td_saddle;

typedef struct td_border {
  const double *Fp, *ep, *tx;
  double tp;
} td_border;

td_status td_saddle_new(int n, int m, td_saddle** saddle);
void td_saddle_free(td_saddle* saddle);
// The null space of J alone: Z and free.
void td_saddle_null_space(td_saddle* saddle, const double* J);
// border may be NULL
void td_saddle_factor(td_saddle* saddle, const double* K, const double* J, const td_border* border);
// dl, dp may be NULL
void td_saddle_solve(td_saddle* saddle, const double* F, const double* e, double g, double* dx,
                     double* dl, double* dp);
// Minimum-norm y with J y = -e, for the J last factored.
void td_saddle_particular(td_saddle* saddle, const double* e, double* y);
// Minimum-norm l with J'l nearest to r, for the J last factored.
void td_saddle_multipliers(td_saddle* saddle, const double* r, double* l);
// Z'A Z (free x free) for n x n A.
void td_saddle_reduce(td_saddle* saddle, const double* A, double* Az);

// ---- Newton -----------------------------------------------------------------------------------

typedef struct td_newton_options {
  double tol;  // of F relative to the forces, and of e
  int max_iterations;
  bool valley;  // pseudo-transient continuation: end only where the stiffness resists everywhere
} td_newton_options;

typedef struct td_newton_report {
  int iterations;
  double residual;  // largest |F|
  double measure;   // largest of |F| / forces and |e|
  double travel;    // length of the way, in steps of the limits
} td_newton_report;

// Work space for one set of equations.
typedef struct td_newton {
  const td_equations* equations;
  const td_linear_ops* linear;
  void* linear_ctx;
  td_saddle* saddle;  // and matrices K, J, M of dense linear algebra; NULL without
  double *F, *e, *K, *J, *M, *dx, *dl, *step, *bar, *Fp, *ep;
  double *x_try, *l_try, *x_best, *l_best;
  double forces;     // largest force seen, for the relative measure
  double stiffness;  // largest element of the tangent last factored
  bool singular;     // it has no inverse
  double zero;       // of w relative to the largest (held.c): what rounding makes of 0
  int loose;         // may there be directions that nothing holds? -1: not known yet
  bool endless;      // a load along one of them is the same however far it is followed
  bool graded;       // the metric of pseudo-transient steps (td_newton_metric)
  void* block;
} td_newton;

td_status td_newton_new(const td_equations* equations, td_newton** newton);
void td_newton_free(td_newton* newton);

// Directions that nothing holds get a stiffness in K, so that they stay (held.c); F, K and J are
// those of the point.
void td_newton_hold(td_newton* newton, const double* x, const double* l, double p);
// M of the equations, with a trifle for directions without mass: of the largest, or `graded` of
// each own mass.
void td_newton_metric(td_newton* newton, const double* x, double p, bool graded);

// l from the constraints' best effort to balance F at x.
void td_newton_estimate(td_newton* newton, const double* x, double* l, double p);
// TD_OK, TD_E_DIVERGED, TD_E_STOPPED.  x and l are overwritten by the best point found.
td_status td_newton_solve(td_newton* newton, double* x, double* l, double p,
                          const td_newton_options* options, td_newton_report* report);
// Pieces of it: evaluate at a start point and take the size of the forces there; the larger of |F|
// relative to the forces and |e|, and the report, at the residual last evaluated.
void td_newton_begin(td_newton* newton, const double* x, const double* l, double p);
double td_newton_measure(const td_newton* newton);
// The part of a step dx, up to 1, that keeps every direction within its limit.
double td_newton_within(const td_newton* newton, const double* dx);
// alpha, or less where the step alpha dx would pass through something; newton->step is overwritten.
double td_newton_reach(td_newton* newton, const double* x, const double* dx, double p,
                       double alpha);
td_newton_report td_newton_state(const td_newton* newton);

// Pseudo-transient continuation: follow M dx/ds = -F, downhill where F has a potential, until
// Newton's method takes over.
td_status td_transient_solve(td_newton* newton, double* x, double* l, double p,
                             const td_newton_options* options, td_newton_report* report);

// ---- curves -----------------------------------------------------------------------------------

// A solution and the unit direction in which the curve goes on: |tx|^2/X^2 + (tp/P)^2 = 1.
typedef struct td_point {
  double *x, *l, p;
  double *tx, *tl, tp;
} td_point;
td_status td_point_new(const td_equations* equations, td_point* point);
void td_point_free(td_point* point);
void td_point_copy(const td_equations* equations, const td_point* from, td_point* to);

typedef struct td_curve {
  td_newton* newton;
  td_newton_options options;
  double X, P;  // lengths that count as one along x and p
} td_curve;
// Direction at a solution, turned like (tx, tp) of `point`, which are overwritten.  `sign` is that
// of the determinant of the bordered system: it changes at simple branch points, not at limit
// points.
td_status td_curve_direction(td_curve* curve, td_point* point, int* sign);
// The solution an arc length `ds` from `from`, with its direction.
td_status td_curve_step(td_curve* curve, const td_point* from, double ds, td_point* to,
                        int* iterations, int* sign);

#endif
