// One step along a rod whose strain field ξ(s) is known at a few nodes:  g(s + h) = g(s) exp Ω with
//
//   order 2   Ω = h ξ(½)
//   order 4   Ω = h/2 (ξ₁ + ξ₂) + √3/12 h² [ξ₁, ξ₂]                 Gauss points ½ ∓ √3/6
//   order 6   the commutator form of Blanes, Casas and Ros (2000)    Gauss points ½ ∓ √15/10, ½
//
// (g' = g ξ̂ puts the plus sign there).  The frame behind the step moves relative to the one before
// it with the twist V = T(Ω) Ω' = Σ_p S_p y_p', T = Σ ad^k/(k+1)!, where the y_p are the strains at
// the nodes: the parts of a node stand side by side, lane d for strain d.  All vectors are in the
// axes and about the origin of the frame before the step.
#ifndef TD_MAGNUS_H
#define TD_MAGNUS_H

#include "octet.h"

#define MAGNUS_NODES 3
#define MAGNUS_PARTS (6 * MAGNUS_NODES)

typedef struct magnus_step {
  int nodes;                    // 1, 2, 3 for order 2, 4, 6
  double h;                     // length [m]
  unsigned modes;               // bit d: strain d may change, so its curvature is wanted
  spatial xi[MAGNUS_NODES][3];  // at each node: strain with e_z added, its rate, its acceleration
} magnus_step;

typedef struct magnus_motion {
  pose g;                 // exp Ω
  spatial V, A;           // T Ω' and its rate for the given strain accelerations
  octet S[MAGNUS_NODES];  // of each node
} magnus_motion;

// Where the nodes of a step lie on [0, 1].
const double* td_magnus_nodes(int nodes);
void td_magnus(const magnus_step* step, magnus_motion* out);
// First and second rates of S along the motion.
void td_magnus_rates(const magnus_step* step, octet Sd[MAGNUS_NODES], octet Sdd[MAGNUS_NODES]);
// N[p][n] lane d = F · dS_d/dy_p for a wrench F: how strain d of node n moves when strain p % 6 of
// node p / 6, one of `modes`, changes.
void td_magnus_curvature(const magnus_step* step, const spatial* F,
                         lanes N[MAGNUS_PARTS][MAGNUS_NODES]);

#endif
