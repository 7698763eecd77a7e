// The compiled model: flat arrays of small structs that never change.  Its tree is in model_tree.h,
// the work computed from it and a state in model_work.h.
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
#include "model/model_tree.h"
#include "model/model_work.h"
#include "model/sensor.h"

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
  num cover;  // which part of the piece it runs through
  num path;   // CABLE_PATH slots (elem/cable.h)
  int joint;  // it passes the joint behind the cable's rod of this number, from 1; 0: a rod
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
  num law;               // 5 slots: stiffness, damping, exponent, friction, slip
  bool approach;         // damping acts on approach only, not in proportion to the depth
  bool potential;        // its elastic part counts as energy
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
  int why;           // for what, offset into names
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

// A coordinate of a refined rod as a sum of those of the rod as it is written (rod_refine.c).
typedef struct model_lift {
  int q, v;       // of this model
  int rod, from;  // from 1; which of the coordinates of this rod in the other model, from 0
  double weight;
} model_lift;

// A coordinate of a refined 'gvs' rod: the factor of a Legendre polynomial of its strain, whose
// square has the integral `weight` over the element.
typedef struct model_spectral {
  int q, rod, strain;  // rods from 1, strains from 0
  bool top;            // of the highest order
  double weight;       // length of the element / (2 order + 1) [m]
} model_spectral;

typedef struct model_rod {
  int name;
  double length;  // as loaded
  num extent;     // and as it follows parameters
  rod_model model;
  int n;                                    // segments or polynomial order
  int order[6], elements[6], functions[6];  // gvs, of each strain; see td_rod
  int points, magnus;                       // gvs: of the quadrature, order of the steps
  bool monomial;                            // joint.rom: the functions are powers of arc length
  num outline;                              // ROD_OUTLINE slots: its outline, for pictures alone
  bool angular;                             // the section is a rectangle, not an ellipse
  int nodes[2];                             // stations of the mesh nodes that it is an edge between
  bool jumps;   // something begins, ends or is attached inside an element or segment of it
  bool hidden;  // strains may jump where the text does not tell
  bool fixed;   // its space cannot be refined: strains are written out (rod.strain), or joint.rom
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
  X(model_lift, lift, "coordinates of a refined rod by those of the written one") \
  X(model_spectral, spectral, "what the coordinates of refined 'gvs' rods are")   \
  X(model_mesh, mesh, "meshes; each is a joint too, after those written")         \
  X(model_lump, lump, "masses of rod pieces")                                     \
  X(model_term, term, "coordinates in strains")                                   \
  X(model_coords, coords, "strain fields that are written as expressions")        \
  X(model_coordinate, coordinate, "their coordinates, field after field")         \
  X(model_node, node, "free nodes of rods, in the order they are placed")         \
  X(int, output_name, "names of the sensors' components")                         \
  X(ex, output_ex, "and their expressions")                                       \
  X(double, output_accuracy, "sensor.accuracy of each, -1: not written")          \
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
  double size;            // of the robot at the start [m]; 0: it has none
  double accuracy;        // par.accuracy
  bool accuracy_written;  // else it is the default
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
