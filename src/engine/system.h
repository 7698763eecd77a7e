// One linear system: the equations of a placed state,
//
//   [ M  -J' ] [ x ]   [ f ]      M the mass matrix, or the metric of projections
//   [ J   0  ] [ l ] = [ g ]      J the constraint rows; x = 0 for prescribed DOFs
//
// Redundant rows are allowed where g is consistent; l is the least multiplier then.  Forward
// dynamics, its tangent, impulses, projections and the accelerations of inputs are written once
// against it.  The makers differ in how they factor it:
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

// Purpose of the factors.  Motion: all rows, the masses.  Projections: the rows that are projected,
// others count as none; velocities change by an impulse, in the metric of the masses, and positions
// with strains that weigh more (td_weigh_strains).
typedef enum system_use { SYSTEM_MOTION, SYSTEM_VELOCITIES, SYSTEM_POSITIONS } system_use;

typedef struct system_ops system_ops;
typedef struct td_system {
  const system_ops* ops;  // NULL: nothing is factored
  int rank;               // independent rows
  void* factors;
} td_system;

struct system_ops {
  // The factors stay in the scratch of the work until it is closed below the mark at the call, and
  // may be used while the state moves on; false: the next call overwrites them.
  bool lasting;
  // The state has been placed.  TD_E_SINGULAR: the failure of the work names a velocity that
  // nothing with mass resists.
  td_status (*factor)(const td_model* m, td_work* w, system_use use, td_system* system);
  // k right-hand sides: f (nvel x k) and g (nrow x k, NULL: zero) give x (nvel x k) and l (nrow x
  // k, NULL: not wanted).  x is neither f nor g.
  void (*solve)(const td_model* m, td_work* w, const td_system* system, const double* f,
                const double* g, int k, double* x, double* l);
};
// The tree needs what td_articulated() has left at the state.
extern const system_ops td_system_tree, td_system_dense, td_system_sparse;
static inline const system_ops* system_of(const td_model* m) {
  if (m->sparse) return &td_system_sparse;
  return m->recursive && m->nrow == 0 ? &td_system_tree : &td_system_dense;
}
static inline td_status system_factor(const td_model* m, td_work* w, system_use use,
                                      td_system* system) {
  system->ops = system_of(m);
  return system->ops->factor(m, w, use, system);
}
static inline void system_solve(const td_model* m, td_work* w, const td_system* system,
                                const double* f, const double* g, int k, double* x, double* l) {
  system->ops->solve(m, w, system, f, g, k, x, l);
}

// Replace the masses on the diagonal (nvel) by what strains weigh more in the metric of positions:
// the heaviest of their rod and strain.  In M alone a sharp bend close to the end of a rod is the
// lightest way to move the end, which would close loops by changes of the highest, stiffest shape
// functions.
void td_weigh_strains(const td_model* m, double* diagonal, arena* s);
// Report that the mass matrix is singular, the velocity v standing for the direction that nothing
// resists at the placed state; `share`: its mass beside the largest of its rod, 0: not known.
td_status td_report_singular(const td_model* m, td_work* w, int v, double share);

#endif
