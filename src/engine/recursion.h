// Recursions along the tree: accelerations, inverse dynamics, mass matrix, articulated-body
// algorithm (recursion.c), and the short cuts for free nodes of networks (nodes.c).
#ifndef TD_RECURSION_H
#define TD_RECURSION_H

#include "engine/force.h"

// Accelerations hop.A for given v' (NULL: zero); with `gravity` the ground accelerates upwards by
// -g.
void td_accelerate(const td_model* m, td_work* w, const double* a, bool gravity);
// Inverse dynamics from hop.A and the forces: out = Σ Sᵀ (I A + V ×* I V - f) - tau (nvel).  The
// sums of the wrenches over subtrees are left in hop.F.
void td_inverse(const td_model* m, td_work* w, double* out);
// out += Sᵀ F: generalised forces (nvel) of a wrench F on a hop.
void td_hop_forces(const td_model* m, const td_work* w, int hop, const spatial* F, double* out);

// The mass matrix M (nvel x nvel) of the whole model, by composite inertias.
void td_composite_mass(const td_model* m, td_work* w, double* M);
// The mass matrix of some trees: their composite inertias (hops first .. end - 1), one half of
// their mass matrix added to M, and M += Mᵀ (n x n), which completes it.
void td_composite_inertia(const td_model* m, td_work* w, int first, int end);
void td_tree_mass(const td_model* m, td_work* w, const tree_part* part, double* M);
void td_mass_join(double* M, int n);
// Sums of large networks are kept for a window of hops and columns only: move it to the trees that
// begin with this hop.
static inline void window_at(const td_model* m, td_work* w, int hop) {
  if (w->whole) return;
  w->first_hop = hop;
  w->first_col = m->hop[hop].col;
}

// v' (nvel) by the articulated-body recursion.  False: some pivot is not positive, at the hop *bad.
bool td_articulated(const td_model* m, td_work* w, double* vdot, int* bad);
// Factors of M⁻¹ for one DOF, from td_articulated: W = U / D and 1 / D.  One for each DOF, base
// first.
typedef struct mass_factor {
  spatial S, W;
  double inv;  // 1 / D
  int v, hop;  // its velocity, and the hop that carries the mass behind it
} mass_factor;
void td_mass_factors(const td_model* m, const td_work* w, mass_factor* factor);
// B = M⁻¹ B, zero in the rows of prescribed DOFs.  Rows of B are `width` long, a multiple of
// MASS_WIDTH, and aligned to 64 bytes.
enum { MASS_WIDTH = 16 };
void td_mass_solve(const td_model* m, td_work* w, const mass_factor* factor, double* B, int width);

// Free nodes of networks (model_hop.node): set what never changes, place the translation, and
// compute v' and the accelerations of all hops of the node whose last hop is given.  False: no
// mass, or a singular inertia.
void td_node_prepare(const td_model* m, td_work* w);
void td_node_place(const td_model* m, td_work* w, int hop);
bool td_node_accelerate(const td_model* m, td_work* w, int hop, const spatial* base, double* vdot);

#endif
