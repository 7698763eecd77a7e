// The compiled model: flat arrays of small structs that never change, and the work computed from
// them and a state.
//
// Numbers.  Every number of the model that may be an expression has a slot (`num`) in td_work.num.
// Slots are filled by three tapes: parameters only (when a parameter changes), prescribed motion
// (time; before kinematics), and everything else (time, inputs, sensors; after kinematics).
#ifndef TD_MODEL_H
#define TD_MODEL_H

#include <math.h>

#include <stdint.h>

#include "base/arena.h"
#include "base/base.h"
#include "elem/contact.h"
#include "elem/row.h"
#include "elem/turn_part.h"
#include "expr/expr.h"
#include "math/octet.h"
#include "math/spatial.h"
#include "model/bound.h"
#include "model/sensor.h"

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

// ---- forces -----------------------------------------------------------------------------------

// Scalar law along a coordinate x with rate u:  -k (x - c x0) - mu |u|^(nu-1) u, one-sided when dir
// != 0, + input.
typedef struct model_law {
  num k, rest, compr, mu, nu, input;
  int8_t dir;
  bool rest_initial;  // rest is the value at the initial configuration
  bool potential;     // k, rest, compr are constants: counts as elastic energy
} model_law;

// Kinds of forces whose elements act one by one.  Each has an array of structs, named after it, and
// a file in each layer: model/build_<kind>.c with its fields, rules and builder (force_words.h),
// engine/force_<kind>.c, gen/derive_<kind>.c.  To add one: a line here; model_element serves kinds
// that are known by their stations and numbers.  Forces are numbered kind after kind.
#define TD_FORCES(X)                                         \
  X(model_spring, spring, "laws along coordinates")          \
  X(model_axial, axial, "laws along lines between stations") \
  X(model_beam, beam, "six laws between stations")           \
  X(model_load, load, "given wrenches")                      \
  X(model_strain, strain, "section laws of pieces of rods")  \
  X(model_drag, drag, "fluid on edges of meshes")            \
  X(model_element, magnet, "dipoles in a uniform field")

typedef enum force_kind {
#define X(type, kind, text) FORCE_##kind,
  TD_FORCES(X)
#undef X
      FORCE_KINDS
} force_kind;

// The slots of a rod piece's law, relative to model_strain.section (elem/section.h).
enum {
  SECTION_K = 0,       // 36
  SECTION_D = 36,      // 36
  SECTION_X0 = 72,     // 6: stress-free strains
  SECTION_INPUT = 78,  // 6
  SECTION_MU = 84,     // 6
  SECTION_HELD = 90,   // 6: strains that cannot change
  SECTION_POWER = 96,
  SECTION_LENGTH = 97,  // of the piece
  SECTION_STORED = 98,  // energy per length, where it is given
  SECTION_SLOTS = 99
};

// How the strains of a rod piece follow from the coordinates.  Each has engine/strain_<kind>.c with
// its table and a row in gen/derive_strain.c.  Traits: the piece is a segment with constant strains
// around its middle, else a quadrature point whose weight is its length; it acts on two stations,
// not on coordinates; its strains are linear in the coordinates (as long as they are no
// expressions); its station b has a pose that is given by the coordinates directly.
//
//   DOF         χ_d = q_d / length
//   SEGMENT     of the line between stations a and b (elem/segment.h)
//   POLYNOMIAL  of the polynomial pose at station b (elem/polyrod.h)
//   BASIS       χ = held + Σ weight · q over its terms
#define TD_STRAINS(X)                                  \
  X(DOF, dof, true, false, true, false)                \
  X(SEGMENT, segment, true, true, false, false)        \
  X(POLYNOMIAL, polynomial, false, false, false, true) \
  X(BASIS, basis, false, false, true, false)

typedef enum strain_kind {
#define X(kind, ...) STRAIN_##kind,
  TD_STRAINS(X)
#undef X
      STRAIN_KINDS
} strain_kind;

typedef struct strain_traits {
  bool segment, link, linear, posed;
} strain_traits;
static const strain_traits td_strain_traits[STRAIN_KINDS] = {
#define X(kind, name, ...) {__VA_ARGS__},
    TD_STRAINS(X)
#undef X
};

// One coordinate in a strain.
typedef struct model_term {
  int q, v;
  int mode;  // which strain
  num weight;
  num rate;  // of the weight, dependent strains only
} model_term;

// A strain field that is written out (rod.strain), as an expression of arc length, time and n
// coordinates.  Strains, weights (first derivatives) and rates are made by the strain tape before
// the kinematics; rates of weights and second derivatives by the strain rate tape for tangents:
// n x n numbers for each strain that is not constant, the lowest first.
typedef struct model_coords {
  int first, n;  // its coordinates (model_coordinate); none: time alone moves it
  int rod;       // from 1
} model_coords;
// A coordinate of a strain field.  Fields of several rods may share one: each lists it.
typedef struct model_coordinate {
  int q, v;
  int var, rate, accel;  // variables of the graph
} model_coordinate;

// Every force has a name, the joint and the element of it that it was written for (from 1, 0:
// none), and the stations it acts between or on (-1: the ground, or none).

// A force that its stations and some numbers tell.
typedef struct model_element {
  int name, joint, element, a, b;
  num numbers;     // its slots
  bool potential;  // these are constants: what it stores counts as energy
} model_element;

// A law along the coordinate q itself, or along a number of the rotation whose quaternion begins at
// q and whose nturn angular velocities begin at v: number `axis`.
typedef struct model_spring {
  int name, joint, element, a, b;
  int q, v;  // q is -1 where only the velocity counts
  turn_part_kind measure;
  int axis, nturn;
  model_law law;
} model_spring;

// A law along the line between two stations.
typedef struct model_axial {
  int name, joint, element, a, b;
  bool isotropic;  // the damper acts on each world component of the velocity (damp.along = 0)
  model_law law;
} model_axial;

// Six laws, one for each direction between two stations.
typedef struct model_beam {
  int name, joint, element, a, b;
  int frame;  // index of its frame in work.beam_frame (xaxis), -1: the first station's axes
  num xaxis;  // 3 slots, where it has a frame
  model_law law[6];
} model_beam;

// A given wrench on station b, in the axes of station a (-1: of the world).
typedef struct model_load {
  int name, joint, element, a, b;
  num wrench;  // 6 slots
} model_load;

// The section's law of a piece of a rod.
typedef struct model_strain {
  int name, joint, element, a, b;
  strain_kind kind;         // how the strains are measured
  num section;              // SECTION_SLOTS slots
  int dof_q[6], dof_v[6];   // DOF: coordinates, -1: held
  int term, nterm;          // BASIS: its sum (model_term), else none
  num rate;                 // BASIS, dependent: 6 slots with the rates of the strains
  int coords;               // its strain field (model_coords), -1: a sum over terms
  num hessian;              // and the second derivatives of the strains in `modes`
  unsigned modes;           // those that are not constant
  bool potential;           // stiffness and rest are constants, or the energy is given
  bool stored;              // the energy is given
  bool rest_initial[6];     // beams: the rest value is that of the initial configuration
  num compr[6];             // times this number
  int rod;                  // from 1, 0: a beam of a joint or mesh, a cable over a joint
  int part;                 // part of the rod, from 0
  double arc;               // arc length of its middle
  int crossing, ncrossing;  // cables that pass it (model_crossing)
} model_strain;

static inline bool strain_is_link(const model_strain* f) { return td_strain_traits[f->kind].link; }
static inline bool strain_is_segment(const model_strain* f) {
  return td_strain_traits[f->kind].segment;
}
static inline bool strain_is_posed(const model_strain* f) {
  return td_strain_traits[f->kind].posed;
}
static inline bool strain_is_linear(const model_strain* f) {
  return td_strain_traits[f->kind].linear && f->coords < 0;
}

// A fluid on the edge of a mesh (elem/edge_drag.h).
typedef struct model_drag {
  int name, joint, element, a, b;
  num drag;    // 2 slots: across and along
  num stream;  // STREAM_SLOTS at each of its two Gauss points, 0: the stream is uniform
} model_drag;

// ---- cables -----------------------------------------------------------------------------------

// A cable pulls with one tension along all it passes: pieces of rods, straight spans.
typedef struct model_cable {
  int name;
  num tension;          // given tension, or NUM_NONE: driven by its length
  num pull, stiffness;  // driven by its length: shortening and N/m
  int row;              // inextensible, without stiffness: its constraint row; -1: it is elastic
  num friction;         // capstan coefficient, NUM_NONE: none
  bool potential;       // pull and stiffness are constants: counts as elastic energy
  int order, norder;    // its crossings, from where it is pulled (cable_order)
  int span, nspan;
} model_cable;

// A cable in a piece of a rod, or over a joint between two rods (build_cable_joints.c).
typedef struct model_crossing {
  int strain, cable;
  double cover;  // which part of the piece it runs through
  num path;      // CABLE_PATH slots (elem/cable.h)
  int joint;     // it passes the joint behind the cable's rod of this number, from 1; 0: a rod
} model_crossing;

// A straight stretch of a cable between two stations.
typedef struct model_span {
  int cable, a, b;
  bool joins;  // from the end of one rod to the base of the next: z is along the rod at both
} model_span;

// ---- surroundings -----------------------------------------------------------------------------

// A point of a rod's quadrature at which fluid and contact act, or which a wrench inside the rod
// sums.
typedef struct model_sample {
  int station, rod;    // rod from 1
  double arc, weight;  // weight [m]
} model_sample;

// A stream that varies in space, at one place: its velocity u (3), then ∂u/∂x (9, row-major).
enum { STREAM_SLOTS = 12 };

// A station in the fluid.
typedef struct model_wet {
  int station;
  num displaced;    // mass of the displaced fluid
  num centre;       // 3 slots: its centre in the station's frame
  num drag, added;  // 36 slots each, row-major, in the station's frame; NUM_NONE: none
  num stream;       // where the stream varies: STREAM_SLOTS at the station's origin; NUM_NONE: it
                    // is td_model.fluid_velocity
} model_wet;

// A ball that touches: a point of a rod or of a body.
typedef struct model_ball {
  int station;
  num centre;  // 3 slots in the station's frame, NUM_NONE: its origin
  num radius;
  double weight;  // of its contact forces
} model_ball;

// A ball, or a stretch of a rod as a curve through some, that touches or is touched.
typedef struct model_piece {
  int ball, nball;   // consecutive
  double weight;     // of contact forces for t = 1: its length, or how many points it stands for
  double share[16];  // of each ball, as contact_curve has them
} model_piece;

typedef struct model_contact {
  bool fixed;  // a fixed object is touched, else pieces: balls or curves of rods or bodies
  int shape;   // of the fixed object: which of td_shapes (elem/shape.h)
  int name;
  int ball, nball;       // what touches: balls, or
  int along, nalong;     // pieces of a rod, all along which the force is spread
  int piece, npiece;     // pieces that are touched
  bool line;             // they are a rod's, of which only the deepest point counts
  contact_arm arm;       // where the force between pieces acts
  num point, direction;  // of the fixed object, 3 slots each
  num drift;             // 3 slots: velocity of the point, NUM_NONE: it stands still
  num radius;            // of the fixed object, where its shape has one
  num law;         // 5 slots: stiffness, damping, exponent, friction, slip
  bool approach;   // damping acts on approach only, not in proportion to the depth
  bool potential;  // its elastic part counts as energy
} model_contact;

// ---- constraints ------------------------------------------------------------------------------

typedef enum row_target {
  TARGET_ZERO,     // e is brought to 0
  TARGET_INITIAL,  // e keeps its initial value
  TARGET_CONTROL,  // e follows the twice integrated control
  TARGET_MOTION    // e is a given function of time
} row_target;
typedef struct model_row {
  row_kind kind;
  int name;
  int a, b, c;    // stations, -1: world
  num d, e;       // 3 slots each
  num pitch;      // ROW_SCREW: metres per radian, else NUM_NONE
  int direction;  // 0..5: which of the joint's six directions (for the lambda sensor)
  int reference;  // ROW_ALPHA: index of Q0 in work.reference, -1: identity; Q0 is the initial
                  // relative rotation
  row_target target;
  int target_index;  // TARGET_CONTROL: which pair of targets
  num control;       // desired acceleration or NUM_NONE
  num motion;        // TARGET_MOTION: 3 slots (value, rate, acceleration)
  num k, mu;         // PD stabiliser or NUM_NONE
  bool projected;
  int joint, element;
  int cable;  // ROW_CABLE: which, of the model's; its motion is `pull`
} model_row;

// ---- expressions ------------------------------------------------------------------------------

// A sensor component used in some expression: where its variable gets its value.
typedef struct model_probe {
  sensor_kind kind;
  int var;      // variable it fills
  int station;  // POS ... ACC
  num point;    // 3 slots or NUM_NONE
  int component;
  int a,
      b;  // LENGTH, STRETCH: stations; FORCE, LAMBDA: force or row found by joint and element
  int joint, element;
  int rod;   // STRAIN, STRETCH of a rod: from 1, else 0
  int part;  // STRAIN: part of the rod, from 0
  double arc;
  int cable;          // LENGTH, TENSION of a cable: from 1, else 0
  int q, v;           // DOF, DDOF, Q, V
  int share, nshare;  // WRENCH: what it sums
  td_depends depends;
} model_probe;

// A term of the wrench inside a rod: a factor times what everything from a hop on needs, or times
// what a segment between two stations does to the second one.
typedef struct model_share {
  int hop, strain;  // -1: the other
  double factor;
} model_share;

// A partial derivative d(target)/d(variable) on a derivative tape.
typedef struct model_partial {
  int target;  // slot (forces) or output (sensors)
  int source;  // probe or drive (model_drives), by the list it is in
} model_partial;

typedef struct model_named {
  int name;
  int var;
  double value;
  double low, high;  // its range, -inf and inf where none is written
  bool logarithmic;  // parameters: the range counts by factors
  bool structural;   // parameters: used while loading, so changing it means loading again
  bool shapes;       // parameters: geometry, masses or initial values depend on it
} model_named;

// A first-order state beside positions and velocities.  Its initial value is a number of
// parameters; its rate is the slot td_model.internal_rate + its index.
typedef struct model_internal {
  int name, unit;  // offsets into names
  int var;
  num init;
} model_internal;

// A rule for numbers made of parameters (bound.h): its numbers are consecutive outputs of
// bound_tape.
typedef struct model_bound {
  bound_kind kind;
  int first, n;
  double low, high;
  bool open;
  int rule, unit;  // the words before and after the number, offsets into names
} model_bound;

// A task: n values among those of all tasks, and its gains.
typedef struct model_task {
  int name;
  int first, n;
  num P, I, D;  // n slots each
  num damping;
  num calm;  // NUM_NONE: as D
} model_task;

// An input that tasks drive, within limits.
typedef struct model_drive {
  int input;
  num low, high;
} model_drive;

// A controller: a law (numbers first .. first + n of the law tape), a file of gains, or a plug-in.
enum { MOST_WAITING = 100000, PLUGIN_MEMORY = 64 };  // periods of delay; numbers of a plug-in
typedef enum loop_kind { LOOP_LAW, LOOP_GAINS, LOOP_PLUGIN } loop_kind;
typedef struct model_loop {
  loop_kind kind;
  int first, n;       // its inputs among law_input
  int file;           // path, offset into names
  bool from_sensors;  // gains: estimate the state
} model_loop;

typedef struct model_event {
  int name;
  bool stop;
} model_event;

// Continuum models of rods, the first is the usual one.  Traits: its coordinates are positions,
// which bend and stretch at once and of which none can be held, else strains; strains and masses
// are counted at quadrature points, else in the middles and at the ends of segments; the functions
// of its strains can be chosen or written out (rod.basis, rod.strain); it has free nodes in the
// world. To add one: a line here and td_build_rod_<name> (model/rods.h) in a file of its own.
#define TD_ROD_MODELS(X)                                                                  \
  X(gvs, false, true, true, false, "strains are sums of functions along the rod")         \
  X(srl, false, false, false, false, "rigid links, elastic joints between their middles") \
  X(ebr, false, false, false, false, "segments of constant strain one behind the other")  \
  X(eba, true, false, false, true, "beams between free nodes")                            \
  X(rom, true, true, false, false, "positions and turns are polynomials along the rod")

typedef enum rod_model {
#define X(name, ...) ROD_MODEL_##name,
  TD_ROD_MODELS(X)
#undef X
      ROD_MODELS
} rod_model;

typedef struct rod_model_traits {
  const char* name;
  bool positions, points, functions, nodes;
  const char* text;
} rod_model_traits;
static const rod_model_traits td_rod_models[ROD_MODELS] = {
#define X(name, ...) {#name, __VA_ARGS__},
    TD_ROD_MODELS(X)
#undef X
};

typedef struct model_rod {
  int name;
  double length;
  rod_model model;
  int n;                                    // segments or polynomial order
  int order[6], elements[6], functions[6];  // gvs, of each strain; see td_rod
  bool monomial;                            // joint.rom: the functions are powers of arc length
  num outline;                              // ROD_OUTLINE slots: its outline, for pictures alone
  bool angular;                             // the section is a rectangle, not an ellipse
  int nodes[2];                             // stations of the mesh nodes that it is an edge between
} model_rod;

// The outline of a rod at equal distances of arc length from base to tip: widths along x, heights
// along y [m], Young's moduli [Pa]; 0: not known.
enum { ROD_LOOKS = 9, ROD_OUTLINE = 3 * ROD_LOOKS };

typedef struct model_mesh {
  int name;
  int station, nnode, nfixed;  // stations of its nodes, which are bodies too
  int body;                    // number of its first node as a body, from 1
  int nedge, ndiagonal;
  force_kind edge_kind, diagonal_kind;  // what these are,
  int edge, diagonal;                   // and the first of each among its kind
  int rod, nrod;                        // edges that are rods: the number of the first one, from 1
} model_mesh;

typedef struct model_joint {
  int name;   // user's name or joint(k)
  bool main;  // part of the main chain
  int nelement;
} model_joint;

// Every array of the model: type, name, what it holds.
#define TD_MODEL_ARRAYS(X)                                                        \
  X(model_fix, fix, "fixed transformations")                                      \
  X(model_hop, hop, "hops, parents first, depth-first")                           \
  X(model_col, col, "Jacobian columns")                                           \
  X(model_run, run, "steps of rods that are made side by side")                   \
  X(model_run_dof, run_dof, "and their coordinates")                              \
  X(model_dof, pos, "generalised positions")                                      \
  X(model_dof, vel, "generalised velocities")                                     \
  X(model_station, station, "places")                                             \
  X(model_body, body, "masses")                                                   \
  TD_FORCES(X)                                                                    \
  X(model_cable, cable, "cables")                                                 \
  X(model_crossing, crossing, "cables in pieces of rods, piece by piece")         \
  X(int, cable_order, "crossings, cable by cable")                                \
  X(model_span, span, "straight stretches of cables, cable by cable")             \
  X(model_sample, sample, "points along rods where fluid and contact act")        \
  X(model_wet, wet, "stations in the fluid")                                      \
  X(model_ball, ball, "balls that touch or are touched")                          \
  X(model_piece, piece, "balls and stretches of rods in contacts")                \
  X(model_contact, contact, "contacts")                                           \
  X(model_row, row, "constraint rows")                                            \
  X(model_probe, probe, "sensor components used in expressions")                  \
  X(model_share, share, "terms of wrenches inside rods")                          \
  X(model_named, param, "parameters")                                             \
  X(model_named, input, "named inputs")                                           \
  X(model_internal, internal, "internal states")                                  \
  X(model_bound, bound, "limits of numbers that follow from parameters")          \
  X(model_event, event, "events")                                                 \
  X(model_joint, joint, "joints as written")                                      \
  X(model_rod, rod, "rods")                                                       \
  X(model_mesh, mesh, "meshes; each is a joint too, after those written")         \
  X(model_lump, lump, "masses of rod pieces")                                     \
  X(model_term, term, "coordinates in strains")                                   \
  X(model_coords, coords, "strain fields that are written as expressions")        \
  X(model_coordinate, coordinate, "their coordinates, field after field")         \
  X(model_node, node, "free nodes of rods, in the order they are placed")         \
  X(int, output_name, "names of the sensors' components")                         \
  X(ex, output_ex, "and their expressions")                                       \
  X(double, number, "initial content of the slots")                               \
  X(bool, constant, "and whether nothing ever changes it")                        \
  X(ex, number_ex, "expression of each slot")                                     \
  X(num, param_slot, "slots filled by the parameter tape")                        \
  X(num, motion_slot, "slots filled by the motion tape")                          \
  X(num, live_slot, "slots filled by the live tape")                              \
  X(num, strain_slot, "slots filled by the strain tape")                          \
  X(num, strain_rate_slot, "slots filled by the strain rate tape")                \
  X(model_partial, live_probe, "d slot / d probe, in the order of its tape")      \
  X(model_partial, live_input, "d slot / d drive (model_drives)")                 \
  X(model_partial, output_probe, "d output / d probe")                            \
  X(model_partial, output_input, "d output / d drive")                            \
  X(model_loop, loop, "controllers")                                              \
  X(model_drive, law_input, "inputs that controllers set")                        \
  X(model_partial, law_probe, "d law / d probe")                                  \
  X(num, measure, "noise and quantum of each output")                             \
  X(model_task, task, "tasks")                                                    \
  X(model_drive, task_input, "inputs that tasks drive")                           \
  X(model_partial, task_probe, "d task value / d probe")                          \
  X(int, task_var, "variables of each probe's rate and bias, -1: not asked")      \
  X(int, free_v, "unprescribed velocities")                                       \
  X(int, free_q, "unprescribed positions")                                        \
  X(int, arrow_x_at, "free velocities of the trunk, then of each branch")         \
  X(int, arrow_x, "as numbered in free_v; see math/arrow.h")                      \
  X(int, arrow_row_at, "and their constraint rows")                               \
  X(int, arrow_row, "none of these: one whole")                                   \
  X(int, tree, "first hop of each tree, and one more")                            \
  X(int, block_of_hop, "block of a hop's DOFs")                                   \
  X(int, v_block, "block of a velocity")                                          \
  X(int, v_local, "and its row in there")                                         \
  X(int, index_v, "velocities, block after block")                                \
  X(int, block_tree_at, "first tree of each block in block_tree, and end")        \
  X(int, block_tree, "trees, block after block")                                  \
  X(int, block_force_at, "its forces that follow from coordinates, and end")      \
  X(int, block_force, "such forces, block after block")                           \
  X(int, block_element_at, "first element that a block changes, and end")         \
  X(int, block_element, "forces, and rows behind all of them, block after block") \
  X(int, block_at, "see pattern.h: first row of each block")                      \
  X(int, block_ptr, "first block of each block column")                           \
  X(int, block_row, "block rows")                                                 \
  X(int, block_offset, "where their rows begin in a column")                      \
  X(int, block_base, "first value of each block column")                          \
  X(int, mass_base, "first value of each block of the mass matrix")               \
  X(int, force_live_at, "first of live_probe that changes a force, and end")      \
  X(int, force_live, "indices into live_probe, force after force")                \
  X(int, force_block_at, "first block that changes a force, and end")             \
  X(int, force_block, "blocks, force after force, those it acts on first")        \
  X(int, row_live_at, "the same for constraint rows")                             \
  X(int, row_live, "indices into live_probe, row after row")                      \
  X(int, row_block_at, "first block that a constraint row touches, and end")      \
  X(int, row_block, "such blocks, row after row")                                 \
  X(int, row_base, "first value of each constraint row, and end")                 \
  X(char, names, "all names, zero-terminated")

// Which linear algebra: par.linear.
typedef enum linear_kind { LINEAR_AUTO, LINEAR_DENSE, LINEAR_SPARSE } linear_kind;

struct td_model {
#define X(type, name, text) \
  type* name;               \
  int n##name;              \
  int cap_##name;
  TD_MODEL_ARRAYS(X)
#undef X
  num gravity;         // 3 slots
  num fluid_velocity;  // 3 slots
  num internal_rate;   // ninternal slots: rates of the internal states
  bool stream_varies;  // the stream depends on the place: its slots are with those in it
  bool has_added;      // some station has added mass
  bool strains_timed;  // some rod's strains are expressions of time
  int ntaut;           // inextensible cables
  bool has_blocks;     // some force on a single station has derivatives by blocks (elem/station.h)
  int nstrain_octet, nstrain_weight;  // parts of the steps of rods; blocks of their weights
  int nrun_weight;                    // constants of their runs
  int time_var, nvar;
  td_exprs* graph;      // its own copy
  td_tape* bound_tape;  // numbers of the bounds
  td_tape *param_tape, *motion_tape, *live_tape, *strain_tape, *strain_rate_tape;
  td_tape *motion_open_tape, *strain_open_tape;  // tables go on beyond their ends (jump.c)
  td_tape *live_probe_tape, *live_input_tape;
  td_tape *output_tape, *output_probe_tape, *output_input_tape, *event_tape;
  td_tape* kink_tape;  // arguments whose signs decide min, max, abs, comparisons in live numbers
  int nkink;
  ex* kink_ex;  // (nkink) the same, to be shown
  // functions of time and parameters alone that change their sign where something jumps or has a
  // corner: those of prescribed motion and strains come first; straight: all of them are lines,
  // curved: some do not consist of lines
  td_tape* clock_tape;
  int nclock, nclock_motion;
  bool clock_straight, clock_curved;
  // values, rates and biases of the tasks, desired values with two derivatives; d value / d probe
  td_tape *task_tape, *task_probe_tape;
  td_tape *law_tape, *law_probe_tape;  // one number per law_input; of files and plug-ins 0
  double control_rate, control_delay, control_quantum;
  uint64_t seed;
  int ntask_value;
  bool task_static;    // feed-forward from statics
  bool inputs_affine;  // forces are linear in the inputs
  ex* stop_ex;         // expressions scanned for stop times
  int nstop_ex, cap_stop_ex;
  int nbeam_frame, nreference, ntarget;  // ntarget: control rows
  bool recursive;  // articulated-body recursion applies: no shared columns, hops prescribed whole
                   // or not at all
  bool output_accel;      // some output needs accelerations
  bool event_accel;       // some event does
  bool gravity_constant;  // gravity has a potential
  bool failed;            // while it is built: memory ran out
  bool ranges_lifted;     // parameters and inputs may leave the ranges they are written with
  double settings[6];     // t_init, t_final, dt_out, rtol, atol, step
  td_solver solver;
  bool do_equil, do_modal, do_dyn;
  linear_kind linear;  // as written
  bool sparse;         // block matrices instead of dense ones; the arrays for them are filled
  char linear_why[128];
  unsigned long long identity;  // of its elements and their names, carried by states
};

static inline const char* model_name(const td_model* m, int offset) { return m->names + offset; }

// Named inputs, then internal states: both enter forces through numbers alone, so that derivatives
// with respect to them are columns side by side.
static inline int model_drives(const td_model* m) { return m->ninput + m->ninternal; }

// May a parameter or an input have this value?  False: it is outside the range it is written with.
static inline bool model_admits(const td_model* m, const model_named* x, double number) {
  return m->ranges_lifted || (number >= x->low && number <= x->high);
}

// Does a controller or a task set the input?
static inline bool model_sets_input(const td_model* m, int input) {
  for (int i = 0; i < m->nlaw_input; i++)
    if (m->law_input[i].input == input) return true;
  for (int i = 0; i < m->ntask_input; i++)
    if (m->task_input[i].input == input) return true;
  return false;
}

// All forces, numbered kind after kind.
static inline int model_forces(const td_model* m) {
  int n = 0;
#define X(type, kind, text) n += m->n##kind;
  TD_FORCES(X)
#undef X
  return n;
}
// The number of the first force of a kind.
static inline int first_force(const td_model* m, force_kind kind) {
  int first[FORCE_KINDS + 1] = {0}, k = 0;
#define X(type, name, text) first[k + 1] = first[k] + m->n##name, k++;
  TD_FORCES(X)
#undef X
  return first[kind];
}
// Description of a force, given its number.
typedef struct force_info {
  force_kind kind;
  int i;  // its number among those of its kind
  int name, joint, element, a, b;
} force_info;
static inline force_info force_at(const td_model* m, int force) {
  int i = force;
#define X(type, k, text)                                                         \
  if (i < m->n##k)                                                               \
    return (force_info){FORCE_##k,       i,         m->k[i].name, m->k[i].joint, \
                        m->k[i].element, m->k[i].a, m->k[i].b};                  \
  i -= m->n##k;
  TD_FORCES(X)
#undef X
  return (force_info){FORCE_KINDS, -1, -1, 0, 0, -1, -1};
}

// ---- work -------------------------------------------------------------------------------------

// Everything of one hop at the present state,
// first the members that every evaluation uses.
typedef struct hop_work {
  pose g;        // frame after the joint
  spatial V, f;  // twist; wrench of springs, loads ... on it
  spatial A;     // acceleration
  spatial c;     // V_parent × S v + own rate: what A_j has beyond A_parent + S v'
  spatial F;     // composite wrench
  inertia I;     // rigid inertia about the origin, world axes
} hop_work;

// Sums over the subtree of a hop.
typedef struct hop_sum {
  spatial6 IA;  // articulated (or composite) inertia
  spatial pA;   // bias wrench
  spatial E;    // composite wrench of f
  vec3 P;       // composite linear momentum            } velocity part of the
  mat3 B;       // composite dI/dt - [angular momentum]× } tangent, see tangent.c
} hop_sum;

typedef struct col_work {
  spatial S;  // motion subspace
} col_work;

// Column in the recursion and the tangent.
typedef struct col_sum {
  spatial H;        // composite inertia times S
  double D;         // articulated: 1 / (S' IA S)
  double u;         // articulated: tau - S' pA
  spatial U, Z, X;  // tangent vectors: see tangent.c
  spatial Y;        // S ×* (composite wrench of the forces)
  spatial G;        // composite B, transposed, times S
} col_sum;

typedef struct cable_work {
  double zero;     // constant: length at the start
  double stretch;  // driven by its length: length - zero + pull
  double mean;     // and the share of the tension that friction leaves on average
  double tension, slope;
  bool slack;  // inextensible: its row is off
} cable_work;

// Where a piece that can be touched begins along an axis.
typedef struct contact_interval {
  double lo;
  int piece;
} contact_interval;

// Two things in contact.  A ball, or a point t along a piece of a rod, touches a piece, or a fixed
// object (b = -1).
typedef struct contact_touching {
  int contact, ball, a, b;  // ball: -1 when a piece touches, and the other way round
  int stretch;              // of a piece: number of the stretch (contact_stretch) it is a point of
  double along;             // and its place there, 0 to 1
  contact_pair pair;
} contact_touching;

// A stretch of a piece that is inside what it touches.  At an end that is no end of the piece the
// depth is 0, and with slope d depth/dt it moves by -(change of the depth)/slope.
typedef struct contact_end {
  double slope;                   // 0: an end of the piece, which does not move
  vec3 n;                         // towards the piece
  double a_share[CONTACT_BALLS];  // of the piece's balls at the end
  int b;                          // the piece that is touched there, -1: a fixed object
  double share[CONTACT_BALLS];    // of its balls
} contact_end;
typedef struct contact_stretch {
  int contact, a;
  double length;
  contact_end end[2];
} contact_stretch;

// Contacts that were found at the present state.
typedef struct contact_found {
  bool lines;    // balls and lines are up to date
  bool touches;  // so is the list of those in contact
  int n;  // how many there are; beyond the room for them: they are searched for again each time
} contact_found;

// Constants of up to eight stations in the fluid, or hops with added mass, side by side.
typedef struct wet_eight {
  int n;
  int hop[LANES], wet[LANES];
  octet_pose fix;         // of the station in its hop
  lanes mass, centre[3];  // displaced
  octet drag[6];          // columns of the drag matrix
} wet_eight;
typedef struct added_eight {
  int n;
  int hop[LANES];
  octet col[6];  // in the hop's frame
} added_eight;

// General 6x6 parts of the tangent of a hop, then of its subtree:  dF = ... + B U + K S.
typedef struct hop_block {
  spatial6 B, K;
} hop_block;

struct td_work {
  hop_work* hop;
  col_work* col;
  // Sums are kept for a window of hops and columns: all, or, of large networks, the trees at work.
  hop_sum* hop_sums;
  col_sum* col_sums;
  int first_hop, first_col;  // where the window begins
  bool whole;                // it holds all
  double* col_weight;        // of a column's DOF in its chart's number
  double* col_slope;         // and its derivative along a polynomial rod
  // Strains of a rod's steps, lane by lane for each node: how they move what lies behind, and the
  // tangent vectors of that; what the DOFs have of them (hop_strain.h).
  octet *part, *part_U, *part_Z;
  lanes* weight;
  lanes* run_weight;  // the weights again, one lane for each step of a run
  cable_work* cable;
  wet_eight* wet_eight;        // stations in the fluid
  added_eight* added_eight;    // hops with added mass
  spatial6* added_now;         // and what they have, in the world
  bool* hop_wet;               // it has some
  int* hop_stream;             // and which of the stations in the fluid tells the stream there
  hop_block* blocks;           // tangent: forces on single stations and added mass, see tangent.c
  contact_interval* interval;  // contact: pieces in order
  contact_ball* contact_ball;  // contact: balls, the curves of pieces, what touches
  contact_line* contact_line;
  contact_touching* touching;
  contact_stretch* stretch;
  contact_found* found;
  double* crossing_share;  // of the cable's tension that friction leaves there
  pose* hop_fix;           // constant pose before each hop's motion
  pose* station_fix;       // constant pose of each station in its hop
  vec3* hop_axis;          // constant unit axis of screws and circles
  int* hop_principal;      // 0, 1, 2 when that axis is x, y, z, else -1
  bool* hop_heavy;         // carries mass
  inertia* hop_inertia;    // rigid inertia in the hop's frame
  double *num, *vars, *scratch_tape;
  double* partial;      // values of a derivative tape
  double* bound;        // numbers of the bounds
  double *dnum, *dvar;  // variations of numbers and probe variables
  mat3* beam_frame;     // constant: beam axes in the first station's frame
  quat* reference;      // constant: initial relative rotations
  double* row_angle;    // constant: of each ROW_SCREW, its turn beyond td_screw_angle
  double* row_zero;     // constant: initial value of each row (TARGET_INITIAL)
  double* target;       // 2 per control row
  double* length0;      // per probe: initial length for `stretch`
  double *q, *v;        // the state the work belongs to, prescribed values put in
  double* accel;        // v' of the last td_accelerate, where cables are inextensible
  bool* span_along;     // constant: the span is counted with a sign (elem/chord.h)
  vec3 ground;          // acceleration that it gave the ground
  double* q_initial;    // constant: initial positions, loops closed
  double* rod_moved;    // constant: how far that moved coordinates of rods that are positions [m]
  spatial* df;          // change of the wrench on each hop
  double* dtau;         // change of the generalised forces
  struct direction* along;  // the direction that changes are asked for along, NULL: none
  td_state inner;           // a state of its own, for preparing
  double *inner_q, *inner_v, *inner_u, *inner_z;
  double* tau;  // generalised forces of DOF elements and, after assembly, all forces
  double *vdot, *lambda;
  double* task;  // values of the task tape
  arena scratch;
  double load;        // load scale of continuation
  double taut_scale;  // largest tension of inextensible cables at the last evaluation
  double law_power;   // of laws beyond what they store, left by td_forces
  struct {            // a hand that pulls at the robot (td_work_pull)
    bool on;
    int station;
    vec3 point, target;  // in the station's frame; in the world
    double k, c;         // stiffness, damping
  } pull;
  double t;
  bool dirty;           // parameters changed: constants must be prepared
  bool placed;          // the hops are at q, v and t
  int wound;            // a spring along a rotation vector near a full turn, -1: none
  int edge;             // a hop whose chart of three numbers ends there (half a turn), -1: none
  bool free_control;    // projections leave the rows of joint.control out
  bool open_tables;     // prescribed motion: tables go on beyond their ends
  const double* jump;   // drives of the rows while a jump is solved for (jump.c), else NULL
  unsigned prepared;    // how often they were
  bool numbers_change;  // some of dnum may be nonzero
  bool added;           // there is added mass
  bool open_loops;      // the loops could not be closed from the initial values
  td_flags flags;
  struct {          // rank of the constraint rows at the last state that met them (td_rank_keep)
    bool on;        // others near by have no more
    int most;       // the larger of the last two
    int last, off;  // the last; rows of slack cables then
    bool sized;     // row_size and col_factor are those of a state since then
  } rank;
  int* rank_order;     // the independent rows found there
  double* row_size;    // (nrow) sizes of the rows and
  double* col_factor;  // (nvel) factors of the free columns that ranks are judged by (kkt.c)
  char failure[512];
  struct sparse_team* team;  // threads, NULL: none
  struct sparse_kkt* kkt;    // sparse models: factors of the mass matrix with the constraints
  const td_model* model;     // it was made for
  void* block;               // everything above but the factors lives in it
};

static inline hop_sum* sums_of_hop(const td_work* w, int hop) {
  return &w->hop_sums[hop - w->first_hop];
}
static inline col_sum* sums_of_col(const td_work* w, int col) {
  return &w->col_sums[col - w->first_col];
}

// Size of the memory of controllers.  Continuous: [in use, integrals of task errors].  On a
// computer (solve/sampler.c): [in use, start, samples taken, two halves of the seed, inputs on
// their way, integrals, inputs computed last], each input on its way with its time, observers,
// plug-ins.
static inline int model_memory(const td_model* m) {
  if (m->ntask == 0 && m->nloop == 0) return 0;
  if (!(m->control_rate > 0)) return 1 + m->ntask_value;
  const double waiting = fmin(ceil(m->control_delay * m->control_rate), MOST_WAITING);
  int n = 6 + m->ntask_value + m->ninput + ((int)waiting + 2) * (1 + m->ninput);
  for (int i = 0; i < m->nloop; i++) {
    if (m->loop[i].from_sensors) n += 2 * m->nvel + m->ninternal;
    if (m->loop[i].kind == LOOP_PLUGIN) n += PLUGIN_MEMORY;
  }
  return n;
}

#define TD_MOST_OUTPUTS 5e8  // numbers of a simulation that are kept

// Do a caller's model, state and work belong together?  A state that the caller made himself has no
// sizes; its arrays must be there.
static inline bool model_owns(const td_model* m, const td_state* s) {
  if (!m || !s || (!s->q && m->npos > 0) || (!s->v && m->nvel > 0) || (!s->u && m->ninput > 0) ||
      (!s->z && m->ninternal > 0))
    return false;
  if (s->reserved[0]) return false;
  const int* n = s->size;
  if (n[0] == 0 && n[1] == 0 && n[2] == 0 && n[3] == 0) return true;
  return n[0] == m->npos && n[1] == m->nvel && n[2] == m->ninput && n[3] == model_memory(m) &&
         n[4] == m->ninternal && s->identity == m->identity;
}
static inline bool model_works(const td_model* m, const td_work* w) {
  return m && w && w->model == m;
}
static inline bool model_has(const td_model* m, const td_state* s, const td_work* w) {
  return model_owns(m, s) && model_works(m, w);
}

#endif
