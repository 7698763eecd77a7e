// Symbolic equations of motion by the TMT method [sadati2021], element by element, on the
// expression graph:
//
//   Σ TᵀM T v' + h = τ + Jᵀ λ          J v' + γ = 0
//   h = Σ Tᵀ( M (Ṫ v - g) + [0; ω × Iω] ) - (springs, dampers)        τ: inputs and loads
//
// T maps the generalised velocities to velocity and angular velocity of a body's centre of mass,
// the latter in the body's axes, the former there or in those of the last translation before it.
// Relative poses of joints are differentiated symbolically, Ṫ v is the derivative of T v along the
// motion, strains are differentiated with respect to the frames they join.  None of the engine's
// recursions is used, so that the two routes to the same numbers check each other.
#ifndef TD_DERIVE_H
#define TD_DERIVE_H

#include "gen/xmath.h"
#include "model/model.h"
#include "tendril/generate.h"

// One mass: bodies and rod pieces that move with one hop.
typedef struct tmt_mass {
  int name;    // offset into the model's names
  int n;       // columns of T
  int* v;      // velocities of the columns
  ex* T;       // 6 x n, row-major: velocity of the centre of mass, angular velocity
  ex m;        // mass
  x33 I;       // inertia about the centre of mass
  int hop;     // hop that it moves with
  x3 centre;   // centre of mass in the world
  x33 axes;    // axes in which its velocity is given, seen from the world
  ex u[6];     // T v
  ex bias[6];  // Ṫ v + [ω × u; 0]: acceleration at v' = 0
  ex f[6];     // M bias - M g + [0; ω × Iω]
} tmt_mass;

// Generalised forces of one spring, damper, load ..., for the velocities that they act on.
typedef struct tmt_force {
  int name;
  int n;
  int* v;
  ex *passive, *active;  // (n)
} tmt_force;

// Quadrature over the n points of a polynomial rod: the contribution of one point as a function of
// its numbers z (values and slopes of polynomials, mass, section).  The printed code sums over the
// points.
typedef struct tmt_quadrature {
  int name;
  int n;
  int nz, cap, data_cap;
  int* z;        // variables
  double* data;  // nz x n
  tmt_mass mass;
  ex *h, *tau;  // (nv)
  ex power, energy;
} tmt_quadrature;

// A variable that is a sum over the points of a quadrature.
typedef struct tmt_sum {
  int var, quadrature;
  ex e;  // contribution of one point; may use the sums before it
} tmt_sum;

// The result of a derivation.
struct td_derived {
  const td_model* model;
  td_exprs* g;
  int nq, nv, nu, nrow, ny, np, ntarget;
  int t;               // variables, by number
  int *q, *v, *u, *p;  // p: parameters that are symbols
  int *a, *lambda;     // accelerations and multipliers, in sensors and residuals
  int* target;         // value and rate for each row with a control of time
  int* param;          // parameter of the model for each symbol

  tmt_mass* mass;
  int nmass, mass_cap;
  tmt_quadrature* quadrature;
  int nquadrature, quadrature_cap;
  tmt_sum* sum;
  int nsum, sum_cap;
  tmt_force* force;
  int nforce, force_cap;
  ex *h, *tau;    // (nv)
  ex *J, *gamma;  // nrow x nv, nrow
  ex *e, *edot;   // nrow
  double*
      row_size;  // (nrow) sizes of the rows at the initial state, relative to which zero is judged
  int rank;      // independent rows at or near that state
  ex* qdot;      // (nq)
  ex* motion;    // 3 per velocity: value, rate, acceleration; EX_NONE: not prescribed
  ex* y;         // sensors; EX_NONE: this one is not derived
  ex power;      // power of forces without a potential, without constraint forces; EX_NONE: not
                 // requested, or some motion is prescribed
};

// Multiply out the mass matrix (nv x nv), and F = M a + h - τ - Jᵀλ (nv), without quadratures.
// False: no memory.
bool td_derived_mass(td_derived* d, ex* M);
bool td_derived_residual(td_derived* d, ex* F);

#endif
