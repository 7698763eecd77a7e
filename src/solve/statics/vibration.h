// Small vibrations about an equilibrium, as one linear system:
//
//   M x'' + C x' + K x = J'l,   J x = 0
//
// Modes (modes.c), the judgement of stability (stability.c) and the reduction to modes
// (reduction.c) are written once against the table of operations below.  Its makers differ in their
// coordinates x and in the solver of eigenvalues that they take:
//
//   vibration_dense.c    matrices on the null space of J; all eigenvalues, by LAPACK
//   vibration_sparse.c   matrices in the pattern of the model over one saddle-point system; the
//                        lowest eigenvalues, by ARPACK
//
// To add one: write its operations and its function td_vibration_<word>(); the analyses choose a
// maker by the size of the model.
#ifndef TD_VIBRATION_H
#define TD_VIBRATION_H

#include "solve/statics/statics.h"

typedef struct td_vibration td_vibration;
typedef enum vibration_matrix {
  VIBRATION_MASS,
  VIBRATION_DAMPING,
  VIBRATION_STIFFNESS
} vibration_matrix;

typedef struct td_vibration_ops {
  // Natural modes K x = w M x of the symmetric parts, the `count` lowest: w ascending (room for
  // `most`), shapes X normalised by the mass (room for count + 1 rows of n).
  td_status (*natural)(td_vibration* v, int count, double* w, double* X, int* found);
  // Natural modes of a stiffness that is not symmetric: frequencies ascending, negative for
  // divergence; damping ratios, negative where a pair of modes grows.  NULL: not available.
  td_status (*general)(td_vibration* v, double* omega, double* zeta, double* X, int* found);
  // Eigenvalues of (p² M + p C + K) x = 0 and their x, pairs as td_eig_general has them; room for
  // 2 usual of them.  `natural` or `general` has been called before.
  td_status (*complex)(td_vibration* v, double* re, double* im, double* X, int* found);
  // Eigenvalues of the symmetric part of K: how many are below zero (answer->divergent) and how
  // many are zero up to rounding (*neutral), the least one (answer->critical), and all of them
  // (answer->n, answer->stiffness) where they are known.
  td_status (*signs)(td_vibration* v, td_answer* answer, int* neutral);
  // y = A x
  void (*multiply)(td_vibration* v, vibration_matrix A, const double* x, double* y);
  // Factor K + shift M; x with (K + shift M) x - J'l = f, J x = 0 for a force f along the
  // velocities (nv).
  td_status (*factor)(td_vibration* v, double shift);
  void (*solve)(td_vibration* v, const double* f, double* x);
  // Velocities (nv) of coordinates x; products of k shapes (rows of nv) with the mass matrix.
  void (*expand)(const td_vibration* v, const double* x, double* shape);
  void (*momenta)(td_vibration* v, int k, const double* shape, double* out);
  // Derivatives of the sensors, those by accelerations apart (left zero: in the others already).
  td_status (*sensors)(td_vibration* v, const sensor_slopes* slopes);
  const char* unknown;  // why some sensors have none, for td_linear_choose()
  int reduced_most;     // modes that a reduction may keep
  void (*free)(td_vibration* v);
} td_vibration_ops;

// First member of each maker's own struct.
struct td_vibration {
  const td_vibration_ops* ops;
  td_statics* s;
  const double *q, *l;  // the point; they belong to the caller
  double p;
  int n;             // coordinates
  int most, usual;   // natural modes that can be had; that a list of modes shows
  double asymmetry;  // of K, relative to its largest element
};

// The vibrations at q, multipliers l, parameter p, which must outlive them.  `motion` false: K
// alone is wanted, for `signs`.
td_status td_vibration_dense(td_statics* statics, const double* q, const double* l, double p,
                             bool motion, td_vibration** vibration);
td_status td_vibration_sparse(td_statics* statics, const double* q, const double* l, double p,
                              bool motion, td_vibration** vibration);
static inline void td_vibration_free(td_vibration* v) {
  if (v) v->ops->free(v);
}
// Velocities above which sparse models have their lowest modes by ARPACK; below, all of them by
// dense matrices.
enum { SPARSE_MODES_FROM = 60 };
// Eigenvalues of the stiffness, relative to the largest, that count as zero.
#define TD_ZERO_STIFFNESS 1e-11

// ---- dense matrices (vibration_dense.c) -------------------------------------------------------

// M z'' + C z' + K z = 0 for the motions dq = Z z that the constraints allow.  Directions without
// mass and damping are condensed; the last `massless` ones have damping only.
typedef struct td_reduced {
  int n, massless;
  double *Z, *M, *C, *K;  // nfree x n, n x n
  double asymmetry;       // of K, relative to its largest element
} td_reduced;
// At q, multipliers l, parameter p.  `motion` false: Z and K alone, nothing condensed; the nodes of
// 'eba' by what they move beyond each other.  TD_E_SINGULAR: a direction has neither mass, damping
// nor stiffness.
td_status td_reduced_new(td_statics* statics, const double* q, const double* l, double p,
                         bool motion, td_reduced** reduced);
void td_reduced_free(td_reduced* reduced);
// Eigenvalues of the symmetric part of K, ascending, and their vectors (rows of V, n x n).
bool td_reduced_stiffness(const td_reduced* reduced, double* w, double* V);
// Directions in which K is diagonal when all masses M_aa along Z are made one.  Coefficients of
// polynomials and strains of rods differ by powers of a length, so that the soft ones drown among
// the stiff ones in the eigenvalues of K itself, and more so the smaller the robot is.
typedef struct td_scaled {
  const td_reduced* r;
  double *w, *V, *mass;  // (n) eigenvalues, ascending; n x n directions by rows, x'M_aa x = 1; (n)
  double highest;        // largest K_aa/M_aa
  double mixing;         // rounding of K where rows mix coordinates
  void* block;
} td_scaled;
// False: some direction has no mass, or there is no memory; free it in any case.
bool td_scaled_new(td_statics* statics, const double* q, double p, const td_reduced* r,
                   td_scaled* scaled);
static inline void td_scaled_free(td_scaled* scaled) { free(scaled->block); }
// The sign of x'K x along direction i, 0: it is no more than rounding beside its own terms and
// beside the highest frequency.
int td_scaled_sign(const td_scaled* scaled, int i);
// The matrix A (order 2 n - massless) of the first-order system of [z, rates of the massive z].
td_status td_reduced_states(const td_reduced* reduced, double* A);

#endif
