// Everything that is computed from a compiled model (model.h) and a state, in memory that is there
// from the start.  engine/work.c makes it; each stage of the engine fills its members.
#ifndef TD_MODEL_WORK_H
#define TD_MODEL_WORK_H

#include "base/arena.h"
#include "base/base.h"
#include "elem/contact.h"
#include "math/octet.h"
#include "math/spatial.h"

// Strains of a step, counted among those that may change: first .. end - 1.
typedef struct strain_range {
  int first, end;
} strain_range;

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
  strain_range*
      weight_range;   // strains that have weights in each block of a step: hop->weights + b
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
  struct direction* along;  // the direction of the changes that are computed, NULL: none
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
  char gradient_note[256];   // what is one-sided where derivatives were taken last
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

#endif
