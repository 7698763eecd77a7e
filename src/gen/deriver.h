// The derivation while it is made, for the files derive_*.c.  To derive a new kind of hop, force,
// row or sensor: fill its table at the end of this file.
#ifndef TD_DERIVER_H
#define TD_DERIVER_H

#include "engine/stages.h"
#include "gen/derive.h"

// A column of T at a hop's frame, in its axes.
typedef struct tmt_col {
  int v;
  x3 u, w;  // velocity of the origin, angular velocity
  x3 b;     // velocity of the origin in the base axes
} tmt_col;

// A hop's frame.  A rotation about the origin does not change the origin's velocity: in the axes of
// the last translation, the base axes, its expressions stay short.
typedef struct hop_x {
  x33 R;
  x3 p;     // pose in the world
  x3 u, w;  // its velocities in its own axes
  x33 Rb;   // base axes in the world
  x33 Sb;   // own axes seen from them
  x3 ub;    // velocity of the origin in base axes
  x3 wb;    // angular velocity of the base axes, in themselves
  tmt_col* col;
  int ncol;
} hop_x;

// A station's frame: a hop's frame moved by a constant pose.
typedef struct station_x {
  int hop;  // -1: at rest
  x33 fixR;
  x3 fixp;  // in the hop's frame
  x33 R;
  x3 p, u, w;
} station_x;

// Wrench on a hop's frame at its origin, in its axes.
typedef struct wrench_x {
  bool any;
  x3 f, t;
} wrench_x;

// Wrenches on all hops and forces along velocities, which make generalised forces; the energy that
// they store, and the power of those without a potential.
typedef struct load_x {
  wrench_x* hop;
  ex* tau;  // (nv)
  ex energy, power;
  wrench_x second;  // on the second frames of joints, at their origins, in the axes of the first
} load_x;

// Strains of an element as functions of r, the position of frame b seen from frame a, and L, its
// rotation: L = R_aᵀ R_b.  A_r and A_w: derivatives along r and along turns of b about its own
// axes.
typedef struct strain_x {
  ex x[6], A_r[18], A_w[18];  // 6 x 3 each
} strain_x;

// The derivation.
typedef struct deriver {
  const td_model* m;
  td_work* w;  // numbers of the initial configuration
  td_exprs* g;
  td_derived* out;
  hop_x* hop;
  load_x passive, active, row;  // row: scratch, for one element at a time
  bool elements;
  bool energetic;  // energy and power are wanted
  ex* qdot;
  ex energy;  // total energy; EX_NONE: not wanted

  // expressions of the model with parameters and probes replaced
  ex* memo;
  int nmemo;
  int* old_var;
  ex* new_ex;
  int nreplace;

  int local_r[3], local_L[9], local_z[9];  // variables of the templates
  strain_x beam, segment;
  ex poly[6], poly_z[54];  // strains of a polynomial pose and their derivatives along its 9 numbers

  // quadratures: by slot, the expression at the point that represents all; by hop and force, the
  // quadrature that it belongs to
  int* generic;  // EX_NONE: the number itself
  int *hop_quadrature,
      *force_quadrature;  // from 1; negative: of a point that is represented; 0: none

  char* message;
  size_t size;
} deriver;

td_status td_derive_refuse(deriver* d, td_status status, const char* format, ...) TD_PRINTF(3, 4);

// numbers (derive_numbers.c)
int td_derive_safe(deriver* d, int var);
// Replace a variable by an expression from now on.
void td_derive_replace(deriver* d, int var, ex with);
ex td_derive_number(deriver* d, num slot);
x3 td_derive_vector(deriver* d, num slot);  // three slots
x33 td_derive_matrix(deriver* d, num slot);

// quadratures (derive_quadrature.c): points of rods that differ only in numbers
td_status td_derive_quadratures(deriver* d);
void td_derived_close_quadratures(td_derived* d);
// A new variable that is Σ e over the points of a quadrature
ex td_derive_sum(deriver* d, int quadrature, ex e);

// tree (derive_tree.c)
td_status td_derive_tree(deriver* d);
station_x td_derive_station(deriver* d, int station);
td_status td_derive_masses(deriver* d);
// Loads: td_load_add() takes a force at a station's origin and a torque, both in its axes.
bool td_load_open(deriver* d, load_x* load);
void td_load_close(load_x* load);
void td_load_clear(deriver* d, load_x* load);
void td_load_add(deriver* d, load_x* load, const station_x* s, x3 f, x3 t);
// Add the generalised forces of a load to out (nv).
void td_load_collect(deriver* d, const load_x* load, ex* out);

// relative motion of two stations
typedef struct pair_x {
  station_x a, b;
  x3 r;       // of b's origin, in a's axes
  x33 L;      // R_aᵀ R_b
  x3 rd, wd;  // r' ; ω_b - Lᵀ ω_a
} pair_x;
pair_x td_derive_pair(deriver* d, int a, int b);
// Add to the wrench on the second frame of a joint, where that is wanted.
void td_load_second(deriver* d, load_x* load, x3 f, x3 t);
// Add force f (along r) and torque t (along turns of b, in b's axes) on b, and the opposite on a.
void td_pair_load(deriver* d, load_x* load, const pair_x* pair, x3 f, x3 t);
// Strains of a pair: `form` at the pair's r and L, and their rates u
strain_x td_derive_pair_strain(deriver* d, const strain_x* form, const pair_x* pair);
void td_derive_strain_rates(deriver* d, const strain_x* s, const pair_x* pair, ex u[6]);

// elements
td_status td_derive_forms(deriver* d);   // derive_forms.c: the templates
td_status td_derive_probes(deriver* d);  // derive_probes.c: before numbers are derived
td_status td_derive_forces(deriver* d);  // derive_forces.c
void td_derive_piece(deriver* d, const model_strain* f, ex x[6],
                     ex u[6]);  // strains of a rod piece

enum { MAX_COLUMNS = 64 };

// A relative pose and its derivatives along its own velocities.
typedef struct step_x {
  x3 d;
  x33 S;
  int n;
  int v[MAX_COLUMNS];
  x3 dd[MAX_COLUMNS];  // of d, in the axes before the rotation
  x3 dw[MAX_COLUMNS];  // turn, in the axes after it
} step_x;

// A kind of hop (derive_tree.c, derive_<kind>.c): its relative pose, NULL: there is no closed form.
// False: no memory.
typedef struct derive_hop {
  bool (*step)(deriver* d, const model_hop* hop, step_x* s);
} derive_hop;
#define X(kind, name, ...) extern const derive_hop td_derive_hop_##name;
TD_HOPS(X)
#undef X

// A kind of forces (derive_<kind>.c).
typedef struct derive_ops {
  bool (*has_closed_form)(const td_model* m, int i);
  void (*derive)(deriver* d, int i, load_x* passive, load_x* active);
  bool (*is_measured)(const td_model* m, int i);  // has numbers from the initial configuration
} derive_ops;
#define X(type, kind, text) extern const derive_ops td_derive_##kind;
TD_FORCES(X)
#undef X
extern const derive_ops* const td_derive_table[FORCE_KINDS];
bool td_closed_form(const td_model* m, int i);  // true, for kinds that always have one

// A quadrature point of a polynomial rod: its hops and its strains.
typedef struct rod_point {
  int move, turn;  // hops
  int strain;
} rod_point;

// A kind of sensors (derive_probes.c, derive_<name>.c).
typedef struct derive_sensor {
  // Probe i as an expression of positions and velocities, EX_NONE: it depends on accelerations.
  ex (*probe)(deriver* d, int i);
  // A probe that depends on accelerations or energies, derived after everything else.
  ex (*late)(deriver* d, const model_probe* p);
  // Report whether it reads this point of a rod, which then cannot stand for others.
  bool (*reads)(const td_model* m, const model_probe* p, const rod_point* at);
  bool energy;  // the energy is wanted
} derive_sensor;
#define X(kind, ...) extern const derive_sensor td_derive_sensor_##kind;
TD_SENSOR_LIST(X)
#undef X
extern const derive_sensor* const td_derive_sensors_of[SENSOR_KIND_COUNT];
// Entries of kinds that need nothing.
ex td_no_probe(deriver* d, int i);
ex td_no_late(deriver* d, const model_probe* p);
bool td_reads_nothing(const td_model* m, const model_probe* p, const rod_point* at);
// Report whether a station is at the point.
bool td_is_at_point(const td_model* m, const rod_point* at, int station);
// Add the springs, dampers and inputs between the two frames of a joint.
void td_derive_link(deriver* d, int joint, int element, load_x* passive, load_x* active);
td_status td_derive_rows(deriver* d);  // derive_rows.c
// Error of a row; the wrenches of its unit multiplier are added to `load`.
ex td_derive_row(deriver* d, int row, load_x* load);
td_status td_derive_energy(deriver* d, bool power);  // derive_energy.c: after the masses and forces
bool td_derive_asks_energy(const td_model* m);
ex td_derive_joint_force(deriver* d, const model_probe* p);  // the same
td_status td_derive_sensors(deriver* d);  // derive_probes.c: after everything else
// α = 2 vec(quaternion of L), scalar part positive
x3 td_xalpha(td_exprs* g, x33 L, ex* w);

// derivatives along the motion: q' = N v, v' = 0
bool td_derive_rates(deriver* d, const ex* e, int n, ex* out);

#endif
