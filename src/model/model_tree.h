// The tree of a compiled model: hops with their columns, coordinates, stations and masses (see
// model.h).
#ifndef TD_MODEL_TREE_H
#define TD_MODEL_TREE_H

#include "base/base.h"
#include "math/octet.h"

typedef int num;  // slot of a number; consecutive slots for vectors
#define NUM_NONE (-1)

// ---- tree -------------------------------------------------------------------------------------

// A fixed transformation: translation, then rotation.
typedef enum rot_kind {
  ROT_NONE,
  ROT_PRINCIPAL,        // [axis angle]
  ROT_EULER_BERNOULLI,  // α: quaternion [1, α/2] normalised
  ROT_ANGLE_AXIS,       // [angle, axis(3)]
  ROT_QUATERNION,       // [Q0 Q], normalised
  ROT_UNIT_VECTOR       // vector part of a unit quaternion
} rot_kind;
typedef struct model_fix {
  rot_kind kind;
  num trans;  // 3 slots
  num rot;    // 1 to 4 slots
  int axis;   // ROT_PRINCIPAL: 0, 1, 2
} model_fix;

// How a frame follows from its parent: the degrees of freedom of the tree, one small step at a
// time.  A hop has up to three numbers y = y0 + Σ weight · q of its own coordinate chart; each
// column says which DOF enters which number.
//
// Kinds of hops: name; axes it turns about; axes of the frame before it that it moves along;
// whether it has a quaternion, with more positions than velocities; whether it has a chart of a
// rotation by three numbers, which ends at half a turn; whether it is a step along a rod; units of
// its positions and velocities where it turns.  To add one: a line here, model/build_<kind>.c with
// the fields of joints in which it is written and its builder (hop_words.h), engine/hop_<kind>.c
// with its table (engine/hop.h), gen/derive_<kind>.c with its closed form (gen/deriver.h).
//
//   SCREW   y: turn about and/or move along an axis
//   BALL    unit quaternion (4 numbers), body angular velocity (3)
//   CIRCLE  (cos, sin)-like pair of a quaternion about one axis, one velocity
//   QUAT3   y: vector part of a unit quaternion
//   CAYLEY  y: Euler-Bernoulli rotation α, normalised
//   TURN    y: rotation vector
//   MOVE    y: translation along the three axes
//   STRAIN  y: strains at the nodes of a step along a rod (elem/magnus.h)
#define TD_HOPS(X)                                            \
  X(SCREW, screw, 1, 0, false, false, false, "rad", "rad/s")  \
  X(BALL, ball, 3, 0, true, false, false, "", "rad/s")        \
  X(CIRCLE, circle, 1, 0, true, false, false, "", "rad/s")    \
  X(QUAT3, quat3, 3, 0, false, true, false, "", "1/s")        \
  X(CAYLEY, cayley, 3, 0, false, true, false, "rad", "rad/s") \
  X(TURN, turn, 3, 0, false, true, false, "rad", "rad/s")     \
  X(MOVE, move, 0, 3, false, false, false, "m", "m/s")        \
  X(STRAIN, strain, 0, 0, false, false, true, "", "1/s")      \
  X(SLOT, slot, 0, 0, false, false, false, "", "1/s")

typedef enum hop_kind {
#define X(kind, ...) HOP_##kind,
  TD_HOPS(X)
#undef X
      HOP_KINDS
} hop_kind;

typedef struct hop_traits {
  int axes, translations;
  bool quaternion, chart, step;
  const char *unit, *rate_unit;
} hop_traits;
static const hop_traits td_hop_traits[HOP_KINDS] = {
#define X(kind, name, ...) {__VA_ARGS__},
    TD_HOPS(X)
#undef X
};

typedef struct model_hop {
  hop_kind kind;
  int parent;         // hop, -1: ground
  int fix, nfix;      // fixed transformations from the parent's frame to this joint
  int col, nv;        // its columns (see model_col)
  int q, v, nq;       // HOP_SCREW, HOP_BALL, HOP_CIRCLE: first position and velocity, positions
  bool turns, moves;  // HOP_SCREW: rotation about the axis, translation along it
  bool vector;        // HOP_BALL, HOP_CIRCLE: written as the vector part alone, [0 inf ...]
  num axis;           // HOP_SCREW, HOP_CIRCLE: 3 slots, unit length after td_prepare
  num pitch;          // metres per radian for helical joints, else NUM_NONE
  num value;          // charts of three numbers: 3 slots with y0; HOP_STRAIN: 6 per node; of a
                      // dependent one the strains themselves, and behind them their rates and
                      // accelerations without those of the coordinates
  bool dependent;     // HOP_STRAIN: its strains are expressions of the coordinates
  int coords;         // its strain field (model_coords)
  num hessian;        // and their second derivatives
  int nodes;          // HOP_STRAIN: 1, 2, 3 for order 2, 4, 6
  unsigned modes;     // HOP_STRAIN: bit d: some coordinate changes strain d in its run
  num step;           // HOP_STRAIN: length of the step
  bool continues;     // HOP_STRAIN: its columns go on where its parent's ended (see model_col.slot)
  int run;            // HOP_STRAIN: its run (model_run)
  int parts;          // HOP_STRAIN: first of the octets in which td_work has its parts
  int weights;        // HOP_STRAIN: where its weights begin there, a row of blocks per part
  bool prescribed;    // all its velocities are given functions of time
  int group;  // first hop of its group: hops that share DOFs and of which only the last carries
              // mass
  int group_last;  // and the last
  int node;        // node of a network (nodes.c): hops it has, 1 for a point, 2 for a body; 0: no
  int last;        // last hop of the subtree (hops are in depth-first order)
  int alike;       // end of the hops behind it that are of its kind, one after the other
  int above, end;  // slots of the path from the ground that are taken above it, and with its own
  int root;        // velocity of the first of these slots, -1: there is none
  bool straight;   // the velocities of all of them ascend one by one
  int block,
      blocks;  // HOP_STRAIN: first of the blocks of LANES slots that hold its own, and how many
  int filled;  // blocks up to the last in which it or a hop above it has columns
} model_hop;

static inline bool is_step(const model_hop* hop) { return td_hop_traits[hop->kind].step; }
static inline bool has_chart(const model_hop* hop) { return td_hop_traits[hop->kind].chart; }
static inline bool is_translation(const model_hop* hop) {
  return td_hop_traits[hop->kind].translations == 3;
}
static inline bool has_quaternion(const model_hop* hop) {
  return td_hop_traits[hop->kind].quaternion;
}

// The parts of a step: the strains that may change, node by node, eight to an octet.
static inline int modes_in(unsigned modes) { return __builtin_popcount(modes); }
static inline int step_parts(const model_hop* hop) { return hop->nodes * modes_in(hop->modes); }
static inline int step_octets(const model_hop* hop) {
  return (step_parts(hop) + LANES - 1) / LANES;
}
static inline int step_part(const model_hop* hop, int node, int strain) {
  return node * modes_in(hop->modes) + modes_in(hop->modes & ((1u << strain) - 1));
}

// Up to LANES steps of rods, one behind the other, that are made side by side
// (engine/hop_strain.c): one lane each.
typedef struct model_run {
  int hop, n;      // the first of them, and how many
  int nodes;       // of each
  unsigned modes;  // of any of them
  bool dependent;  // all of them or none
  int dof, ndof;   // their coordinates, where strains are sums of them
  int weight;      // where td_work has what is constant of them: their lengths, the strains of
                   // each node without coordinates, the coordinates' weights at each; inertias
} model_run;
static inline int run_constants(const model_run* r) { return 14 + (6 + r->ndof) * r->nodes; }
typedef struct model_run_dof {
  int q, v, slot;
  int part;  // which strain
} model_run_dof;

// A column of the Jacobian: one DOF of one hop.  Several columns may share a DOF (equal2, rods).
// Along a rod whose steps share their DOFs the columns of one DOF add up: they share a slot of the
// path from the ground (engine/path.h), so that its width is the number of DOFs and not of columns.
typedef struct model_col {
  int hop, v, q;
  int slot;
  int part;    // number of the chart it enters; HOP_STRAIN: which strain
  num weight;  // and its weight there, NUM_NONE: 1; HOP_STRAIN: one per node
  num slope;   // polynomial rods: derivative of the weight along the rod, else NUM_NONE; dependent
               // strains: first and second rates of the weights, one after the other for each node
  bool first;  // of the columns that share this DOF
  bool leads;  // first column of its DOF along a rod; derivatives are computed for it alone
  int next;    // of those, -1: none
} model_col;

// A generalised position / velocity.
typedef struct model_dof {
  num init;    // initial position; velocities: initial rate
  int name;    // offset into names
  num motion;  // velocities: 3 slots (value, rate, acceleration) when prescribed, else NUM_NONE
  int joint, element, dof;  // where it was written, from 1; rods: segment and strain
  int rod;                  // from 1, 0: not of a rod
  int mesh;                 // from 1, 0: not of a mesh; element is then the node
  int hop;                  // that has it, -1: none
  int partner;              // velocities: its q when q' = v, else -1
} model_dof;

// A place with a pose: a body's frame, an attachment point.
typedef struct model_station {
  int hop;  // -1: ground
  int fix, nfix;
  int name;
  int body;    // model_body it is the frame of, -1: an attachment
  int rod;     // rod it is on, from 1; 0: none
  double arc;  // and where [m]
  bool moved;  // by transformations of its own: not on the rod's line, not in its axes
} model_station;

typedef struct model_body {
  int station;
  num m, com, I;      // 1, 3 and 9 slots; I about the centre of mass, body axes
  num tip;            // 3 slots
  int body, element;  // as written, from 1
} model_body;

// Mass of a piece of a rod.
typedef struct model_lump {
  int station;
  num m, com, I;  // 1, 3 and 9 slots, as a body's
} model_lump;

// A free node of a rod, placed and set into motion at the start from the one before it by the
// initial strains and their rates.
typedef struct model_node {
  int from, station;         // stations
  int q, v;                  // its first position (x, y, z, quaternion) and velocity
  num strain, rate, length;  // 6, 6 and 1 slots
} model_node;

#endif
