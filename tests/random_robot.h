// Random but well-posed robots over all elements of the model language, and the ways to write one.
//
//   random_robot plan;
//   random_robot_make(&plan, seed, ROBOT_ANY);
//   robot_style style = robot_style_plain();
//   char* text = random_robot_text(&plan, &style, NULL);
//
// A plan is physical: parts, joints, places and elements with their numbers.  A style is one of the
// ways to write it: seen from another frame, in a mirror, in other units, with joints as `tr` or
// `type`, elements in another order, numbers as parameters.  Laws compare the texts of one plan.
#ifndef RANDOM_ROBOT_H
#define RANDOM_ROBOT_H

#include <stdbool.h>
#include <stdint.h>

// What a plan may contain: the table of pairs counts these.
// clang-format off
#define ROBOT_ELEMENTS(X)                      \
  /* joints */                                 \
  X(FIXED, "fixed")                            \
  X(REVOLUTE, "revolute")                      \
  X(PRISMATIC, "prismatic")                    \
  X(HELICAL, "helical")                        \
  X(CYLINDRICAL, "cylindrical")                \
  X(UNIVERSAL, "universal")                    \
  X(PLANAR, "planar")                          \
  X(SPHERICAL, "spherical")                    \
  X(FREE, "free")                              \
  X(CAYLEY, "three angles")                    \
  X(CHART, "vector part")                      \
  X(TURNED, "initial quaternion")              \
  X(VECTOR, "chart of the vector")             \
  /* rods */                                   \
  X(GVS, "gvs")                                \
  X(SRL, "srl")                                \
  X(EBR, "ebr")                                \
  X(EBA, "eba")                                \
  X(ROM, "rom")                                \
  X(FINE, "gvs, n > 10")                       \
  X(PARTED, "rod parts")                       \
  X(HELD, "held strains")                      \
  X(RING, "ring section")                      \
  X(ELLIPSE, "ellipse")                        \
  X(RECTANGLE, "rectangle")                    \
  X(TAPER, "taper")                            \
  X(GIVEN, "given stiffness")                  \
  X(ENERGY, "strain energy")                   \
  X(BASIS, "other basis")                      \
  X(STRAINED, "initial strain")                \
  X(WRITTEN, "written strain")                 \
  X(LIFT, "lift of a rod")                     \
  X(FELT, "wrench in rod")                     \
  X(ROD_LOAD, "load along rod")                \
  X(ROD_FOLLOWER, "follower along rod")        \
  X(ROD_INPUT, "rod input")                    \
  X(ROD_DAMPER, "rod power damper")            \
  /* further joints: constraints and forces */ \
  X(LOOP_FIXED, "loop: fixed")                 \
  X(LOOP_REVOLUTE, "loop: revolute")           \
  X(LOOP_PRISMATIC, "loop: prismatic")         \
  X(LOOP_CYLINDRICAL, "loop: cylindrical")     \
  X(LOOP_UNIVERSAL, "loop: universal")         \
  X(LOOP_PLANAR, "loop: planar")               \
  X(LOOP_SPHERICAL, "loop: spherical")         \
  X(LOOP_ROWS, "loop: fixed rows")             \
  X(LOOP_SIX, "loop: six rows")                \
  X(LOOP_PUSHED, "loop: control")              \
  X(LOOP_MOVED, "loop: moved rows")            \
  X(SPRING, "spring")                          \
  X(ROPE, "rope")                              \
  X(STOP, "stop")                              \
  X(DAMPER, "power damper")                    \
  X(WORLD_DAMPER, "damper in the world")       \
  X(MUSCLE, "input of a link")                 \
  X(BEAM_MID, "beam, mid")                     \
  X(BEAM_SIDED, "beam dir")                    \
  X(BEAM, "beam")                              \
  /* on degrees of freedom */                  \
  X(DOF_SPRING, "dof spring")                  \
  X(DOF_STOP, "dof dir")                       \
  X(RATCHET, "dof ratchet")                    \
  X(DOF_DAMPER, "dof damper")                  \
  X(DOF_POWER, "dof power damper")             \
  X(SMOOTH, "smooth motion")                   \
  X(JUMP, "jumping motion")                    \
  X(EQUAL, "equal2")                           \
  X(EQUAL_CHART, "equal2, vector part")        \
  X(INPUT, "input")                            \
  X(LAW, "controller")                         \
  X(SAMPLED, "sampled controller")             \
  X(TASK, "task")                              \
  X(INTEGRAL, "task with integral")            \
  /* loads, fluid, cables, contact, meshes */  \
  X(TIMED, "gravity over time")                \
  X(LOAD, "load")                              \
  X(FOLLOWER, "follower load")                 \
  X(CHAMBER, "chamber")                        \
  X(FLUID, "fluid")                            \
  X(CABLE, "cable in rod")                     \
  X(CABLE_OVER, "cable over joints")           \
  X(CABLE_VIA, "cable via")                    \
  X(CABLE_PULL, "elastic pull")                \
  X(CABLE_TAUT, "inextensible")                \
  X(CABLE_RUBS, "cable friction")              \
  X(CABLE_SHORT, "cable from, to")             \
  X(PLANE, "contact plane")                    \
  X(BALL, "contact sphere")                    \
  X(CYLINDER, "contact cylinder")              \
  X(TOUCH, "contact body")                     \
  X(TOUCH_ROD, "contact rod")                  \
  X(TOUCH_MESH, "contact mesh")                \
  X(APPROACH, "contact: approach")             \
  X(EXPONENT, "contact: exponent")             \
  X(WALL, "contact: moves")                    \
  X(PER_POINT, "contact: per point")           \
  X(MESH, "mesh")                              \
  X(THREADS, "mesh threads")                   \
  X(MESH_BEAMS, "mesh beams")                  \
  X(TIE, "mesh tie")                           \
  X(EVENT, "event")                            \
  X(EVENT_STOP, "event that stops")            \
  /* asked for by a draw of their own */       \
  X(POLYNOMIAL, "joint.rom")                   \
  X(REPEATED, "repeated body")                 \
  X(REPEATED_ONE, "repeated, one DOF")         \
  X(TURN_SPRING, "spring of a rotation")       \
  X(TURN_MOTION, "motion of a rotation")       \
  X(SHARED, "shared coordinates")              \
  X(PLACED, "load by place")                   \
  X(MESH_RODS, "mesh rods")                    \
  /* of every fourth robot, and of all behind the thousandth */ \
  X(SLOT, "slot")                              \
  X(MAGNET, "magnet")                          \
  X(MAGNET_ROD, "magnetic rod")                \
  X(COM, "centre of mass")                     \
  X(BSPLINE, "bspline")                        \
  X(INTERNAL, "internal state")
// clang-format on

typedef enum robot_element {
#define X(name, text) ROBOT_##name,
  ROBOT_ELEMENTS(X)
#undef X
      ROBOT_ELEMENT_COUNT
} robot_element;
const char* robot_element_name(robot_element e);

// Which kinds of robots a law can use.
typedef enum robot_kind {
  ROBOT_ANY,
  ROBOT_CONSERVATIVE,  // nothing damps, rubs, drives or depends on time
  ROBOT_FLYING,        // as before, and nothing outside acts: momentum stays
  ROBOT_RESTING,       // damped everywhere and held: it comes to rest
  ROBOT_JUMPING,       // as any, with a prescribed speed that jumps
  ROBOT_EXPORTED,      // as any, small and without controllers, which are the library's
  ROBOT_DERIVED        // as any, of what has a closed form: no gvs, contact, fluid
} robot_kind;

enum { ROBOT_PARTS = 12, ROBOT_LINKS = 6, ROBOT_CABLES = 3, ROBOT_CONTACTS = 3 };

// A point of a part; part -1 is the ground.
typedef struct robot_place {
  int part;
  double along;  // on a rod: arc length over length
  double point[3];
} robot_place;

typedef struct robot_part {
  robot_element joint;  // ROBOT_FIXED ... ROBOT_CHART, or ROBOT_SLOT
  robot_place on;       // the place it is joined to, of an earlier part or the ground
  double turn[3];       // fixed rotation there, a rotation vector
  double axis[3], axis2[3], pitch;
  double curve[3];    // of a slot: how wide it is along x, y and z
  double q[6], v[6];  // initial values and rates of its DOFs
  double spring[6], rest[6], damper[6];
  int side;      // of `dir`: 0 acts always
  double power;  // of the dampers
  bool driven, jumps, equal;
  bool turned, vector;  // a quaternion at the start; joint.chart = 'vector'
  int twin;             // equal: the part whose DOF it shares
  bool rod, parted, held;
  double m, com[3], I[6];  // xx yy zz xy xz yz about the centre of mass
  robot_element model;
  int n;
  double length, radius, E, rho, eta, shape[6];
  robot_element section, material;  // ROBOT_RING ... ROBOT_TAPER, ROBOT_GIVEN, ROBOT_ENERGY, or
                                    // ROBOT_ELEMENT_COUNT: a circle of E
  const char* basis;                // NULL: as it is
  bool strained, loaded, followed, driven_strains;
  bool written, timed;  // strains written out in two coordinates; with a part of time alone
  bool lifted, felt;    // lift in a fluid; the wrench inside is sensed
  bool polynomial;      // a rod written as a body with joint.rom
  int count;            // > 1: a chain of so many bodies, each on the one before, by one joint
  bool same;            // whose joints are one degree of freedom
  bool sprung;          // springs of a spherical or free joint
  int shares;           // written: the rod whose coordinates it has, -1: its own
  bool placed;          // a load along it that depends on the place
  double init[6], rate[6], load[6], follow[6], input[6], damping[6];
} robot_part;

typedef struct robot_link {
  robot_element kind;
  robot_place a, b;
  double axis[3], axis2[3];
  double stiffness[6], damping, power, rest;
  int rows;  // mask of ROBOT_LOOP_ROWS ... ROBOT_LOOP_MOVED: three displacements, three rotations
} robot_link;

typedef struct robot_cable {
  robot_element kind, drive;
  int rod[2], nrod;
  double path[2], helix, tension, stiffness, pull, friction;
  bool part_way;  // it begins and ends inside its rods
  robot_place via[3];
  int nvia;
} robot_cable;

typedef struct robot_contact {
  robot_element kind;
  robot_place a, b;         // b: of ROBOT_TOUCH and ROBOT_TOUCH_ROD
  double at[3], normal[3];  // of the object, in the world
  double ball, radius, stiffness, damping, friction;
  bool approach, steep, moves, per_point;
} robot_contact;

typedef struct random_robot {
  uint64_t seed;
  robot_kind kind;
  bool derived;  // of what has a closed form
  bool has[ROBOT_ELEMENT_COUNT];
  bool wants[ROBOT_ELEMENT_COUNT];  // what the seed asks for, if it can be had
  double g[3];
  int npart, nlink, ncable, ncontact;
  robot_part part[ROBOT_PARTS];
  robot_link link[ROBOT_LINKS];
  robot_cable cable[ROBOT_CABLES];
  robot_contact contact[ROBOT_CONTACTS];
  double fluid_rho, stream[3];
  int chamber;  // rod with a chamber, -1: none
  double chamber_offset[2], chamber_area, chamber_pressure, chamber_from, chamber_to;
  bool timed;  // gravity
  bool mesh, threads, mesh_beams, mesh_rods;
  double mesh_at[3], mesh_turn[3], mesh_mass, mesh_stiffness, mesh_damping;
  int tie;  // part that holds a node of the mesh, -1: none
  double tie_point[3];
  int loaded, followed;  // parts with a load, -1: none
  double load[6], follow[6];
  int placed;  // part with a load that depends on where it is, -1: none
  double pull_to[3];
  robot_place magnet;  // where a dipole is; part -2: there is none
  double moment[3];
  int magnetic;  // rod that is magnetic all along, -1: none
  double rod_moment[3], field[3];
  bool field_timed;
  bool com;    // the centre of mass is sensed
  int pulled;  // part with a load that depends on the centre of mass, -1: none
  int lagged;  // part with a load that an internal state tells, -1: none
  double lag_from[3], lag_along[3], lag_start;
  int driver;  // part whose first DOF an input drives, -1: none
  double effort;
  robot_element control;  // what gives it: ROBOT_INPUT, _LAW, _TASK or _INTEGRAL
  bool sampled;           // at a rate and with a delay
  int watched;            // part whose distance from a place is watched for an event, -1: none
  double watch_from[3], watch_square;
  bool stops;  // the event ends the motion
} random_robot;

// Fills the plan; false when no robot of that seed and kind could be made.
bool random_robot_make(random_robot* plan, uint64_t seed, robot_kind kind);
// Loops begin closed again after a plan was given other initial values; false: they cannot.
bool random_robot_close(random_robot* plan);

typedef struct robot_style {
  double turn[3], shift[3];        // the robot as a whole, turned (rotation vector) and moved
  bool mirror;                     // x -> -x
  double metre, kilogram, second;  // units: how many of them are one SI unit
  bool by_tr;                      // joints as steps of `tr` instead of `type`
  bool reversed;                   // parts, links and other elements numbered backwards
  bool swapped;                    // loops from the second place to the first
  bool split_bodies;               // each rigid body as two that are fixed to each other
  bool split_rods;                 // rods of segments as two in series
  int cut;                         // part that flies, held by its joint as a constraint; -1: none
  int params;                      // 0: plain numbers; 1: all as params; 2: with other defaults
  const char* linear;              // par.linear
  const char* solver;
  const char* rods;  // model of all rods instead of their own; NULL: as they are
  int refine;     // with `rods`: 8 segments or order 6, and twice as many, or 2 more, for each next
  bool by_load;   // gravity and loads grow with the param 'load'
  double smooth;  // > 0: jumping motion starts within this time, smoothly
  double jump_at;  // when it starts
  double t_final, rtol;
} robot_style;
robot_style robot_style_plain(void);

// Values for the params of a text with params = 2.
typedef struct robot_values {
  int n;
  double value[600];
} robot_values;

// The text, freed by the caller.  It has three sensors for each point that is compared: pos, vel
// and acc; their number is random_robot_points().  The last two for each of
// random_robot_wrenches() have force and moment inside a rod, per kg and per kg m, in the place of
// acc.
char* random_robot_text(const random_robot* plan, const robot_style* style, robot_values* values);
int random_robot_points(const random_robot* plan);
int random_robot_wrenches(const random_robot* plan);

// Whether a part's joint can be written as a constraint instead.
bool random_robot_can_cut(const random_robot* plan, int part);

// What a sensed point (position, velocity, acceleration: 9 numbers) of a text in this style is in
// the plain one.
void random_robot_plain(const robot_style* style, const double sensed[9], double plain[9]);

#endif
