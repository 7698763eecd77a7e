// Forces: what the engine requires of each kind.
//
// A kind answers for all of its elements at once and so writes its own loops.  Kinds whose elements
// act one by one (TD_FORCES of model/model.h) answer for single elements, too, which the sweeps
// over columns and the sparse assembly need.
//
// To add a kind: its line and its struct in model/model.h, and engine/force_<kind>.c with its two
// tables.  No entry may be missing (tests/unit/engine/test_force.c): what a kind does not have it
// says with one of the functions td_no_... below.
#ifndef TD_FORCE_H
#define TD_FORCE_H

#include "elem/edge_drag.h"
#include "elem/frame.h"
#include "elem/law.h"
#include "elem/link.h"
#include "elem/segment.h"
#include "model/model.h"

struct adjoint;

// Which forces: springs, dampers (h) or inputs, loads (tau).
enum { FORCES_PASSIVE = 1, FORCES_ACTIVE = 2, FORCES_ALL = 3 };

// Some trees of the model, and where their DOFs stand in the matrices made of them.
typedef struct tree_part {
  int first, end;    // hops
  int n;             // order of the matrices
  const int* index;  // row and column of a velocity; NULL: as they are numbered
} tree_part;
static inline tree_part whole_forest(const td_model* m) {
  return (tree_part){0, m->nhop, m->nvel, NULL};
}
static inline int part_row(const tree_part* p, int v) { return p->index ? p->index[v] : v; }

// ---- all elements of a kind -------------------------------------------------------------------

typedef struct force_ops {
  // Rest values and axes that follow from the initial configuration, which is placed.
  void (*prepare)(const td_model* m, td_work* w);
  // How these change along w->along at that configuration: rest values in w->dnum, and others.
  void (*prepare_diff)(const td_model* m, td_work* w);
  // The transpose of that (adjoint.h): takes the adjoints of these rest values and leaves them
  // zero.
  void (*prepare_reverse)(const td_model* m, td_work* w, struct adjoint* b);
  // Wrenches on hops (hop.f) and generalised forces (w->tau); powers of laws go to w->law_power.
  void (*add)(const td_model* m, td_work* w, int which);
  // Stored energy, and its change along the position coordinate of a column.
  double (*energy)(const td_model* m, const td_work* w);
  double (*energy_diff)(const td_model* m, const td_work* w, int col);
  // Power beyond what is stored; known: `add` has left that of the laws in w->law_power.
  double (*power)(const td_model* m, const td_work* w, bool known);
  // Derivatives by coordinates without the motion of stations, subtracted from dF/dq and dF/dv.
  void (*tangent)(const td_model* m, td_work* w, double* dq, double* dv);
  // Derivatives of what acts on single stations, gathered per hop (blocks.c).
  void (*blocks)(const td_model* m, td_work* w);
  // Has what it does at rest a potential?  Numbers that follow the state are judged apart.
  bool (*has_potential)(const td_model* m);
  // Is there damping that is not linear in the rates, or that drives the motion?
  bool (*has_power_dampers)(const td_model* m);
  bool (*has_driving_dampers)(const td_model* m, const td_work* w);
  // One-sided laws worth locating: how many, and functions that are negative where they act.
  int (*switches)(const td_model* m);
  void (*switch_values)(const td_model* m, td_work* w, double* values);
} force_ops;

// ---- one by one -------------------------------------------------------------------------------

// How an element follows from the coordinates.
typedef enum force_reach {
  REACH_COORDINATES,  // directly: `tangent` has its derivatives
  REACH_STATION,      // by the motion of one station: `blocks` has them
  REACH_STATIONS      // by the motion of two stations, along column after column
} force_reach;

// An element at the present state, linearised: what its changes need.
typedef struct force_state {
  frame a, b;
  union {
    axial axial;
    beam beam;
    segment segment;
    edge_drag drag;
  };
  law_value law[6];
  double s[6];  // forces along its directions
  vec3 F, T;    // on b
} force_state;

// Receives the velocities and stations an element acts on, and the slots of its numbers.
typedef struct force_visitor {
  void* ctx;
  void (*velocity)(void* ctx, int v);
  void (*station)(void* ctx, int station);
  void (*numbers)(void* ctx, num first, int n);
} force_visitor;

// A number of an element that is not finite, by the field that gives it.
typedef struct force_flaw {
  const char* field;  // NULL: there is none
  double x;
} force_flaw;

// Looks of an element in pictures (view/scene.c): `looks` has a bit for each.
typedef enum force_look {
  LOOK_SPRING,
  LOOK_ACTUATOR,
  LOOK_DAMPER,
  LOOK_BEAM,
  LOOK_CORD,
  LOOK_EDGE,
  LOOK_LOAD,    // an arrow on station b
  LOOK_MOMENT,  // a turning arrow
  LOOK_CONTACT,
  LOOK_COUNT
} force_look;
typedef struct force_arrow {
  vec3 force, torque;
} force_arrow;

// An element for its adjoints (adjoint.h): linearised, with the weights of the wrenches on its two
// stations and with changes of their frames.
typedef struct weighed_element {
  const struct element_ops* ops;
  force_info f;
  force_state s;
  spatial on[2];
  frame_change da, db;
} weighed_element;

typedef struct element_ops {
  force_reach (*reach)(const td_model* m, int i);
  bool (*is_damped)(const td_model* m, const td_work* w, int i);  // do velocities change it?
  // Keep the slopes at the state; its stations' frames are in s already.
  void (*linearise)(const td_model* m, const td_work* w, int i, force_state* s);
  // Changes of the wrenches on its stations for changes da and db of their frames and of the
  // numbers (w->dnum, where w->numbers_change): of those that follow the state and the drives, and
  // along a direction (w->along, direction.h) of all of them.
  void (*diff)(const td_model* m, const td_work* w, int i, const force_state* s,
               const frame_change* da, const frame_change* db, spatial change[2]);
  // Changes of the generalised forces with the numbers, and along a direction with its
  // coordinates and rates, too; added to dtau.
  void (*numbers_diff)(const td_model* m, const td_work* w, int i, double* dtau);
  // The transpose of both along a direction (adjoint.h): td_reverse_by_diff takes `diff` itself for
  // unit changes of frames and of the numbers that `visit` names.
  void (*reverse)(const td_model* m, td_work* w, weighed_element* e, struct adjoint* b);
  // Its part of `tangent` in the matrices of some trees.
  void (*tangent)(const td_model* m, const td_work* w, int i, const tree_part* part, double* dq,
                  double* dv);
  void (*visit)(const td_model* m, int i, const force_visitor* to);
  force_flaw (*flaw)(const td_model* m, const td_work* w, int i);
  // Does force() of a joint count it, and the wrench on station b that it counts, about the origin.
  bool (*is_link)(const td_model* m, int i);
  spatial (*wrench)(const td_model* m, const td_work* w, int i);
  unsigned (*looks)(const td_model* m, int i);
  force_arrow (*arrow)(const td_model* m, const td_work* w, int i);  // in the world's axes
} element_ops;

// ---- as a whole -------------------------------------------------------------------------------

typedef struct whole_ops {
  // Changes of the wrenches, added to df, along column `col` (-1: none; ALONG: w->along), of its
  // position or its rate, and with the numbers (w->dnum, where w->numbers_change).
  void (*diff)(const td_model* m, td_work* w, int col, bool rate, spatial* df);
  // The transpose of that along a direction (adjoint.h).
  void (*reverse)(const td_model* m, td_work* w, struct adjoint* b);
  bool (*sweeps)(const td_model* m, const td_work* w);  // do columns change it?
} whole_ops;

// ---- the tables -------------------------------------------------------------------------------

// Kinds that act as a whole come first: what cables pull with is known then.
#define TD_WHOLE_FORCES(X) \
  X(cable)                 \
  X(fluid)                 \
  X(contact)               \
  X(hand)

#define X(kind)                           \
  extern const force_ops td_force_##kind; \
  extern const whole_ops td_whole_##kind;
TD_WHOLE_FORCES(X)
#undef X
#define X(type, kind, text)               \
  extern const force_ops td_force_##kind; \
  extern const element_ops td_element_##kind;
TD_FORCES(X)
#undef X

enum {
#define X(kind) WHOLE_##kind,
  TD_WHOLE_FORCES(X)
#undef X
      WHOLE_KINDS
};
extern const force_ops* const td_force_table[WHOLE_KINDS + FORCE_KINDS];
extern const whole_ops* const td_whole_table[WHOLE_KINDS];
extern const element_ops* const td_element_table[FORCE_KINDS];

// Entries of kinds that have no such property.
void td_no_prepare(const td_model* m, td_work* w);
void td_no_prepare_diff(const td_model* m, td_work* w);
void td_no_prepare_reverse(const td_model* m, td_work* w, struct adjoint* b);
double td_no_energy(const td_model* m, const td_work* w);
double td_no_energy_diff(const td_model* m, const td_work* w, int col);
void td_no_tangent(const td_model* m, td_work* w, double* dq, double* dv);
void td_no_blocks(const td_model* m, td_work* w);
bool td_always_potential(const td_model* m);
bool td_no_power_dampers(const td_model* m);
bool td_no_driving_dampers(const td_model* m, const td_work* w);
int td_no_switches(const td_model* m);
void td_no_switch_values(const td_model* m, td_work* w, double* values);
force_reach td_reach_stations(const td_model* m, int i);
bool td_always_damped(const td_model* m, const td_work* w, int i);
force_flaw td_no_flaw(const td_model* m, const td_work* w, int i);
bool td_always_link(const td_model* m, int i);
void td_no_numbers_diff(const td_model* m, const td_work* w, int i, double* dtau);
void td_no_element_tangent(const td_model* m, const td_work* w, int i, const tree_part* part,
                           double* dq, double* dv);
bool td_no_link(const td_model* m, int i);
spatial td_no_wrench(const td_model* m, const td_work* w, int i);
unsigned td_no_looks(const td_model* m, int i);
force_arrow td_no_arrow(const td_model* m, const td_work* w, int i);

// Transpose of an element's `diff` by unit changes (force_reverse.c).
void td_reverse_by_diff(const td_model* m, td_work* w, weighed_element* e, struct adjoint* b);

// ---- what kinds share -------------------------------------------------------------------------

// Add a wrench to the hop of a station.
static inline void force_on(const td_model* m, td_work* w, int station, spatial f) {
  const int hop = station < 0 ? -1 : m->station[station].hop;
  if (hop >= 0) w->hop[hop].f = spatial_add(w->hop[hop].f, f);
}

// Is a number 0 for good: neither parameters nor time nor the state can change it?
static inline bool stays(const td_model* m, num slot, double value) {
  return m->constant[slot] && m->number[slot] == value;
}

// Is an element an edge of a mesh?
static inline bool is_edge(const td_model* m, int joint) { return joint > m->njoint - m->nmesh; }

#endif
