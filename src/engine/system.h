// The linear system of the equations at a placed state,
//
//   [ M  -Jᵀ ] [ x ]   [ f ]      M the mass matrix, or the metric of projections
//   [ J   0  ] [ l ] = [ g ]      J the constraint rows; x = 0 for prescribed DOFs
//
// Redundant rows are allowed where g is consistent; l is then the least multiplier.  Forward
// dynamics, its tangent, impulses, projections and the accelerations of inputs are written once
// against it.  The implementations differ in how they factor it:
//
//   system_tree.c     the articulated-body recursion, for trees without rows
//   system_dense.c    dense matrices: trunk and branches where there are some, else all at once
//   system_sparse.c   networks: fronts with few rows beside them, else the LU of all
//
// To add one: write its two functions and let system_of() choose it.  Newton's method of statics
// has unsymmetric stiffness in place of M (solve/statics/newton.h).
#ifndef TD_ENGINE_SYSTEM_H
#define TD_ENGINE_SYSTEM_H

#include "engine/stages.h"

// Purpose of the factors.  Motion: all rows and the mass matrix.  Projections: projected rows only;
// velocities in the metric of the mass matrix, as by an impulse, positions with strains that weigh
// more (td_weigh_strains).
typedef enum system_use { SYSTEM_MOTION, SYSTEM_VELOCITIES, SYSTEM_POSITIONS } system_use;

typedef struct system_ops system_ops;
// A factored system.
typedef struct td_system {
  const system_ops* ops;  // NULL: nothing is factored
  int rank;               // number of independent rows
  void* factors;          // in the scratch of the work
} td_system;

// An implementation of the system.
struct system_ops {
  // True: the factors stay in the scratch until it is released, and may be used while the state
  // moves on; false: the next call overwrites them.
  bool lasting;
  // Right-hand sides that are solved at once: with k a multiple of it and x = f nothing is copied.
  int width;
  // Factor the system of the placed state.  TD_E_SINGULAR: the failure text names a velocity that
  // nothing with mass resists.
  td_status (*factor)(const td_model* m, td_work* w, system_use use, td_system* system);
  // Solve for k right-hand sides: f (nvel x k) and g (nrow x k, NULL: zero) give x (nvel x k) and l
  // (nrow x k, NULL: not wanted).  Only td_system_dense and td_system_tree allow x = f.
  void (*solve)(const td_model* m, td_work* w, const td_system* system, const double* f,
                const double* g, int k, double* x, double* l);
};

// The implementations; td_system_tree needs the results of td_articulated() at the state.
extern const system_ops td_system_tree, td_system_dense, td_system_sparse;
// The implementation that a model uses.
static inline const system_ops* system_of(const td_model* m) {
  if (m->sparse) return &td_system_sparse;
  return m->recursive && m->nrow == 0 ? &td_system_tree : &td_system_dense;
}

// Factor and solve with the implementation of the model.
static inline td_status system_factor(const td_model* m, td_work* w, system_use use,
                                      td_system* system) {
  system->ops = system_of(m);
  return system->ops->factor(m, w, use, system);
}

// Number of right-hand sides, at least k, that the system solves without copying them.
static inline int system_columns(const td_system* system, int k) {
  const int width = system->ops->width;
  return (k + width - 1) / width * width;
}

static inline void system_solve(const td_model* m, td_work* w, const td_system* system,
                                const double* f, const double* g, int k, double* x, double* l) {
  system->ops->solve(m, w, system, f, g, k, x, l);
}

// Replace the masses on the diagonal (nvel) by the additional weights of strains in the metric of
// positions: the largest mass among the same strains of their rod, 0 for other velocities.  In M
// alone a sharp bend close to the end of a rod is the lightest way to move that end, which would
// close loops by the highest, stiffest shape functions.
void td_weigh_strains(const td_model* m, double* diagonal, arena* s);
// Report that the mass matrix is singular at the placed state: velocity v moves most in the
// direction that nothing resists; `share`: its mass relative to the largest of its rod, 0: not
// known.
td_status td_report_singular(const td_model* m, td_work* w, int v, double share);

#endif
