// One step along a rod whose strain field ξ(s) is known at a few Gauss points:  g(s + h) = g(s) exp
// Ω
//
//   order 2   Ω = h ξ(½)
//   order 4   Ω = h/2 (ξ₁ + ξ₂) + √3/12 h² [ξ₁, ξ₂]                 Gauss points ½ ∓ √3/6
//   order 6   the commutator form of [blanes2000]                    Gauss points ½ ∓ √15/10, ½
//
// by the Magnus expansion [iserles2000]; g' = g ξ̂ gives the commutator its plus sign.  The
// frame after the step moves relative to the one before it with the twist V = T(Ω) Ω' = Σ_p S_p
// y_p', T = Σ ad^k/(k+1)!, where y_p with p = 6 n + d is strain d at Gauss point n.  All vectors
// are in the axes and about the origin of the frame before the step.
//
// Steps are independent of each other until their poses are multiplied: up to eight are computed
// side by side, one in each lane.
#ifndef TD_MAGNUS_H
#define TD_MAGNUS_H

#include "math/octet.h"

#define MAGNUS_NODES 3
#define MAGNUS_PARTS (6 * MAGNUS_NODES)

// Twists with their first and second rates
typedef struct jet {
  octet d[3];
} jet;

typedef struct magnus_steps {
  int nodes;             // 1, 2, 3 for order 2, 4, 6
  unsigned modes;        // bit d: strain d may change, so that its columns S_p are computed
  lanes h;               // lengths [m]; 0 in lanes that are not used
  jet xi[MAGNUS_NODES];  // strains at each Gauss point, with e_z added
} magnus_steps;

typedef struct magnus_motion {
  octet_pose g;           // exp Ω
  octet V, A;             // T Ω' and its rate for the given strain accelerations
  octet S[MAGNUS_PARTS];  // columns of the strains in `modes`
} magnus_motion;

// Gauss points of a step on [0, 1].
const double* td_magnus_nodes(int nodes);
// Pose, velocity, acceleration and columns of up to eight steps.
void td_magnus(const magnus_steps* steps, magnus_motion* out);
// Columns S with their first and second rates along the motion.
void td_magnus_rates(const magnus_steps* steps, jet S[MAGNUS_PARTS]);
// ... without the second ones.
void td_magnus_first_rates(const magnus_steps* steps, jet S[MAGNUS_PARTS]);
// N[p][r] = F · dS_r/dy_p for wrenches F, p and r in `modes`: the geometric stiffness of a step.
void td_magnus_curvature(const magnus_steps* steps, const octet* F,
                         lanes N[MAGNUS_PARTS][MAGNUS_PARTS]);

#endif
