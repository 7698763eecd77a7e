// The engine's stages, in the order they run.  Each leaves its results in td_work.
//
//   prepare      constants from parameters: fixed poses, inertias, rest values, initial geometry
//   place        prescribed motion, poses, motion subspaces, twists
//   numbers      live numbers from time, inputs and sensors
//   forces       wrenches on hops and generalised forces on DOFs
//   accelerate   accelerations of all hops for a given v'
//   articulated  v' by the articulated-body recursion;  composite: M and inverse dynamics
#ifndef TD_ENGINE_H
#define TD_ENGINE_H

#include "elem/chart.h"
#include "elem/edge_drag.h"
#include "elem/frame.h"
#include "elem/law.h"
#include "elem/link.h"
#include "elem/polyrod.h"
#include "elem/segment.h"
#include "elem/station.h"
#include "engine/engine.h"
#include "engine/force.h"
#include "engine/sensor_table.h"
#include "math/arrow.h"
#include "model/model.h"

void td_prepare(const td_model* m, td_work* w);
void td_place(const td_model* m, const td_state* state, td_work* w);
// The numbers of prescribed motion at a time, and its q and v.
void td_place_motion(const td_model* m, td_work* w, double t, double* q, double* v);
void td_numbers(const td_model* m, const td_state* state, td_work* w);
// Numbers y of a hop with a chart, and their rates for velocities v.
vec3 td_chart_numbers(const td_model* m, const td_work* w, const model_hop* hop);
vec3 td_chart_rates(const td_model* m, const td_work* w, const model_hop* hop, const double* v);
chart_kind td_hop_chart(const model_hop* hop);
bool td_chart_ends(const model_hop* hop);  // at half a turn
// The part of td_forward_dynamics behind td_forces: v' and lambda at the placed state from hop.f,
// w->tau, hop.c and the prescribed accelerations.
td_status td_solve_forward(const td_model* m, td_work* w);
// td_prepare, td_place and td_numbers
void td_enter(const td_model* m, const td_state* state, td_work* w);

// Clears and fills hop.f and w->tau.
void td_forces(const td_model* m, td_work* w, int which);
// Add J' lambda as wrenches.
void td_row_forces(const td_model* m, td_work* w, const double* lambda);
double td_screw_angle(const td_model* m, const td_work* w, int row);

// hop.A for the given v', NULL: none (gravity included as an upward acceleration of the ground when
// `gravity`).
void td_accelerate(const td_model* m, td_work* w, const double* a, bool gravity);
// Inverse dynamics from hop.A: out = Σ J'(I A + V ×* I V - f) - tau; leaves composite wrenches in
// hop.F.
void td_inverse(const td_model* m, td_work* w, double* out);
// out += Sᵀ F, what a wrench F on a hop does along its DOFs.
void td_hop_forces(const td_model* m, const td_work* w, int hop, const spatial* F, double* out);
void td_composite_mass(const td_model* m, td_work* w, double* M);
// The free velocities and the rows as a trunk with branches.
static inline arrow_shape td_arrow_shape(const td_model* m) {
  return (arrow_shape){m->nfree_v,    m->nrow,    max_int(m->narrow_x_at - 2, 0),
                       m->arrow_x_at, m->arrow_x, m->arrow_row_at,
                       m->arrow_row};
}
// Finds them; leaves them empty where one whole system is as good.
td_status td_arrow_plan(td_model* m);
// The terms of each wrench inside a rod (model_share).
td_status td_wrench_plan(td_model* m);

// The composite inertias of the hops of whole trees; then what a part of the trees adds to M, whose
// halves on the two sides of the diagonal td_mass_join puts together.
void td_composite_inertia(const td_model* m, td_work* w, int first, int end);
void td_tree_mass(const td_model* m, td_work* w, const tree_part* part, double* M);
void td_mass_join(double* M, int n);
// False when some pivot is not positive: the hop is left in *bad.
bool td_articulated(const td_model* m, td_work* w, double* vdot, int* bad);
// What of a DOF td_articulated has found and M⁻¹ needs: W = U / D.  One per DOF, base first.
typedef struct mass_factor {
  spatial S, W;
  double inv;  // 1 / D
  int v, hop;  // its DOF, and the hop that carries the mass behind it
} mass_factor;
void td_mass_factors(const td_model* m, const td_work* w, mass_factor* factor);
// B = M⁻¹ B, rows of prescribed DOFs zero.  Rows of B are `width` long, a multiple of MASS_WIDTH,
// and aligned to 64 bytes.
enum { MASS_WIDTH = 16 };
void td_mass_solve(const td_model* m, td_work* w, const mass_factor* factor, double* B, int width);

// Nodes of networks, hops with `node` set: what of them does not change; place the translation;
// accelerations of all its hops, when hop is its last.  False: no mass or no inertia.
void td_node_prepare(const td_model* m, td_work* w);
void td_node_place(const td_model* m, td_work* w, int hop);
bool td_node_accelerate(const td_model* m, td_work* w, int hop, const spatial* base, double* vdot);

// A station's frame at the present state; accelerations only after td_accelerate (without gravity).
frame td_frame(const td_model* m, const td_work* w, int station);
// First-order change of a station's frame along column `col`: of its position coordinate (rate =
// false) or of its velocity (rate = true).  Needs the column's tangent vectors.  Here and in all
// changes below a column that leads (model_col) stands for those along its rod, too, and only such
// are asked for.
frame_change td_frame_change(const td_model* m, const td_work* w, int station, int col, bool rate);
static inline bool station_moves(const td_model* m, int station, int hop) {
  if (station < 0) return false;
  const int h = m->station[station].hop;
  return h >= hop && h <= m->hop[hop].last;
}
// The window of the sums (td_work) for a tree or some that begin with this hop.
static inline void window_at(const td_model* m, td_work* w, int hop) {
  if (w->whole) return;
  w->first_hop = hop;
  w->first_col = m->hop[hop].col;
}
// td_tangent after td_enter and td_forces.
void td_tangent_at(const td_model* m, td_work* w, const double* a, const double* lambda,
                   double* dFdq, double* dFdv);
// Changes of the numbers by one variable, and their column of the residual (tangent.c).
void td_number_partials(td_work* w, const td_tape* tape, const model_partial* list, int n,
                        int source);
// Change of -F for changes of the numbers alone, into column `column` of out, added by
// `collect` with a minus.
void td_number_column(const td_model* m, td_work* w, double* out, int stride, int column);
void td_clear_partials(td_work* w, const model_partial* list, int n);
// Tangent vectors of all columns for the accelerations in hop.A; see tangent.c.
void td_tangent_columns(const td_model* m, td_work* w, const double* a);
// ... of the hops of whole trees, after td_strain_tangent_numbers.  Of rods M and its tangents need
// the parts only (path.h); their columns, too, with `of_rods`.
void td_columns_of(const td_model* m, td_work* w, const double* a, int first, int end,
                   bool of_rods);
// After td_composites: what the inertia of a part of the trees adds to dF/dq and dF/dv.
void td_tree_tangent(const td_model* m, td_work* w, const tree_part* part, double* dq, double* dv);

// Sums over subtrees, after td_accelerate and td_forces: inertial wrench hop.F, other wrenches
// hop.E, inertia hop.IA, P and B.
void td_composites(const td_model* m, td_work* w);
void td_composites_of(const td_model* m, td_work* w, int first, int end);  // after td_blocks
spatial td_rate_wrench(const hop_sum* h, const spatial* U);                // B(I,V) U of tangent.c

// Rest values and axes of all forces from the initial configuration, which is placed.
void td_forces_prepare(const td_model* m, td_work* w);
// An element at the present state, and the change of its wrenches on its stations a and b, and of
// the generalised forces (added to dtau), along a column (col < 0: none) and with the numbers.
void td_force_linearise(const td_model* m, const td_work* w, const force_info* f, force_state* s);
void td_force_change(const td_model* m, const td_work* w, const force_info* f, const force_state* s,
                     int col, bool rate, spatial change[2], double* dtau);
// Change of all force wrenches (added to df per hop) and generalised forces (added to dtau) for
// given changes of the stations along a column (col < 0: none) and of the numbers (w->dnum).
void td_forces_change(const td_model* m, td_work* w, int col, bool rate, spatial* df, double* dtau);
// ... except what DOFs do to forces that follow from them directly, which this subtracts from dF/dq
// and dF/dv.
void td_coordinate_tangent(const td_model* m, td_work* w, double* dq, double* dv);
// Whether columns change any force; touched (nhop, may be NULL): the hops whose columns do.
bool td_forces_sweep(const td_model* m, const td_work* w, bool* touched);
bool td_forces_have_potential(const td_model* m);  // at rest
// Columns of the slopes of a piece whose strains are sums of coordinates, cables included.
void td_basis_slopes(const td_model* m, const td_work* w, const model_strain* f, double Kx[6][6],
                     double Kv[6][6]);
// Forces up to which all are such pieces with the same coordinates (alike.c): more than one, and
// their tangent can be made at once.
int td_alike_end(const td_model* m, int first);
void td_alike_tangent(const td_model* m, td_work* w, int first, int end, double* dq, double* dv);
void td_row_forces_change(const td_model* m, td_work* w, const double* lambda, int col, bool rate,
                          spatial* df);

// Wrenches of a unit multiplier on the three stations of a row, and their change along a column.
void td_row_wrenches(const td_model* m, const td_work* w, int row, spatial out[3]);
void td_row_wrenches_change(const td_model* m, const td_work* w, int row, int col, bool rate,
                            spatial out[3]);
// Whether a hop moves a row; change of its acceleration minus its drive along a column, numbers
// (w->dnum) included.
bool td_row_moves(const td_model* m, int row, int hop);
double td_row_defect_change(const td_model* m, const td_work* w, int row, int col, bool rate);
row_value td_row_at(const td_model* m, const td_work* w, int row);
// Target acceleration of a row: control and PD terms.
double td_row_drive(const td_model* m, const td_work* w, int row, const row_value* at);
// Where the row should be: target value and rate.
void td_row_target(const td_model* m, const td_work* w, int row, double* e, double* ed);
// d(drive of a row)/d(input)
double td_row_input(const td_model* m, td_work* w, int row, int input);
void td_row_jacobian(const td_model* m, td_work* w, double* Jc);  // nrow x nvel
// Move what the loops are made of until they are closed (closing.c).
td_status td_close_loops(const td_model* m, td_state* state, td_work* w, double tol);
// Largest rotation [rad] that a displacement turns a joint or bends a rod by; see projection.c.
double td_largest_turn(const td_model* m, td_work* w, const double* delta);
// The same with sizes of the rows (nrow) and factors of the free columns (nfree_v) for
// td_row_scale, by the masses on the diagonal of M (nvel x nvel).  The state has been placed.
void td_row_jacobian_sized(const td_model* m, td_work* w, double* Jc, const double* M, double* row,
                           double* col);
// Does the row take part in projections?
static inline bool row_is_projected(const td_model* m, const td_work* w, int row) {
  return m->row[row].projected && !(w->free_control && m->row[row].target == TARGET_CONTROL);
}

// Position or velocity errors of the projected rows, 0 of the others; largest absolute value.
double td_row_errors(const td_model* m, const td_work* w, bool rate, double* out);
// dq -= d(J'λ)/dq; and td_constraint_tangent, both after td_tangent_columns: made with gravity in
// the accelerations or not.
void td_row_tangent(const td_model* m, td_work* w, const double* lambda, double* dq);
void td_constraint_tangent_at(const td_model* m, td_work* w, const double* a, bool gravity,
                              double* dq, double* dv);
size_t td_row_bytes(const td_model* m);  // scratch for these

// td_forward_tangent, and d lambda in the columns [dq dv du] (nrow x (2 nv + nu)); NULL: not asked
// for.
td_status td_forward_tangent_rows(const td_model* m, const td_state* state, td_work* w, double* dq,
                                  double* dv, double* du, double* dlambda);
// Derivatives of force() and lambda() in the outputs, added to the rows of outputs (transmit.c);
// scale[i]: d output / d probe of output_probe[i].  The derivatives of v' (Aq, Av, Au) and of
// lambda are given; `a` is v'.
typedef struct sensor_tangent {
  const double *a, *scale, *Aq, *Av, *Au, *dlambda;
  double *dq, *dv, *du;
} sensor_tangent;
// What the part of a rod before a wrench() sensor does to the part beyond, about the origin; after
// td_inverse.
spatial td_rod_wrench(const td_model* m, const td_work* w, const model_probe* p);
void td_transmit_tangent(const td_model* m, const td_state* state, td_work* w,
                         const sensor_tangent* t);
static inline bool is_transmitted(sensor_kind kind) { return td_sensor_ops[kind]->transmitted; }

// Sensor variables of probes whose dependence is within `depends`.
void td_probe_values(const td_model* m, td_work* w, unsigned depends);
// ... all of them, acceleration-level ones when some expression needs them.
td_status td_probe_all(const td_model* m, const td_state* state, td_work* w, bool accelerations);
// The change of a probe along a column, of its position or its rate.
double td_probe_change(const td_model* m, const td_work* w, int probe, int col, bool rate);
// w->dnum from the changes of the probes along a column.
void td_number_changes(const td_model* m, td_work* w, int col, bool rate);

// Rod pieces (force_strain.c, strain_table.h).
// The pose of a polynomial rod and its slopes where strains are counted.
polyrod td_polynomial_at(const td_model* m, const td_work* w, const model_strain* f);
// What a segment between two stations does to the second, about the origin.
spatial td_segment_link(const td_model* m, const td_work* w, int strain);
// Is a number that follows the state part of a section whose energy is given?
bool td_strain_stores(const td_model* m, num slot);
// What keeps rods in strains that follow time feeds in; after td_inverse.
double td_strain_drive(const td_model* m, const td_work* w);
// Strains of a piece (6), with their rates, and their change along a column.
void td_strain_state(const td_model* m, const td_work* w, const model_strain* f, double x[6],
                     double u[6]);
void td_strains(const td_model* m, const td_work* w, const model_strain* f, double x[6]);
void td_strains_change(const td_model* m, const td_work* w, const model_strain* f, int col,
                       double dx[6]);

// Cables (force_cable.c).  Tensions first: everything else uses them.
void td_cable_tensions(const td_model* m, td_work* w);
double td_cable_length(const td_model* m, const td_work* w, int cable);
double td_cable_length_change(const td_model* m, const td_work* w, int cable, int col);
// Change of the tension along a column (-1: none) and with the numbers.
double td_cable_tension_change(const td_model* m, const td_work* w, int cable, int col);
// Do forces between stations follow from the length or the bending of a cable?
bool td_cable_couples(const td_model* m);
// What the cables in a piece of a rod do to its strains, added to s, and its change for changes of
// the strains and, with `numbers`, of the tensions.
void td_cable_force(const td_model* m, const td_work* w, const model_strain* f, const double x[6],
                    int which, double s[6]);
void td_cable_force_change(const td_model* m, const td_work* w, const model_strain* f,
                           const double x[6], const double dx[6], bool numbers, double ds[6]);
// The columns of the change for strains alone, added to ds.
void td_cable_slopes(const td_model* m, const td_work* w, const model_strain* f, const double x[6],
                     double ds[6][6]);
// What a tension does at the ends of one, added to wrenches on the hops, `stride` bytes apart.
void td_span_pull(const td_model* m, const td_work* w, int span, double T, spatial* on,
                  size_t stride);
// Power of what pulls a piece with the strains x and their rates u.
double td_crossings_power(const td_model* m, const td_work* w, const model_strain* f,
                          const double x[6], const double u[6]);

// Forces on single stations (blocks.c): derivatives gathered per hop.
void td_blocks(const td_model* m, td_work* w);
void td_block_add(td_work* w, int hop, const station_force* s);
void td_block_turning(td_work* w, int hop, const spatial* f, const spatial6* Kv, const spatial* Vf);
// A force F fixed in the world that acts at a point of the hop, now at p.
void td_block_dead_force(td_work* w, int hop, vec3 p, vec3 F);

// Gaps of the inextensible cables (ntaut) that are slack at the placed state; infinite: taut.
void td_taut_gaps(const td_model* m, const td_work* w, double* gap);

// The fluid (force_fluid.c).
vec3 td_stream(const td_model* m, const td_work* w);  // its velocity
void td_fluid_prepare(const td_model* m, td_work* w);
static inline bool is_wet(const td_work* w, int hop) { return w->added && w->hop_wet[hop]; }
void td_fluid_place(const td_model* m, td_work* w);  // added masses in the world
void td_fluid_gravity_change(const td_model* m, const td_work* w, vec3 dg, spatial* df);
bool td_fluid_is_still(const td_model* m);  // for good
double td_fluid_kinetic(const td_model* m, const td_work* w);
double td_fluid_buoyancy(const td_model* m, const td_work* w);  // potential energy
void td_fluid_energy_change(const td_model* m, const td_work* w, int first, int last,
                            spatial* momentum, spatial* weight);

// Contact (force_contact.c).
// Force on what touches, ball or piece k of a contact, and where; none: it does not touch.
vec3 td_contact_force(const td_model* m, const td_work* w, int contact, int k, vec3* at);
// Distance of each ball or piece of each contact to what it can touch (td_contact_guards),
// negative: it is inside, infinite: it touches nothing; and a bound of its rate.
void td_contact_gaps(const td_model* m, const td_work* w, double* gap, double* speed);
// The sum of both radii, infinite for planes.
void td_contact_widths(const td_model* m, const td_work* w, double* width);
int td_contact_room(const td_model* m);  // for pairs that are remembered
int td_contact_stretches(const td_model* m);
double td_contact_depth(const td_model* m, const td_work* w,
                        int contact);  // the largest, <= 0: none

double td_elastic_energy(const td_model* m, const td_work* w);
// Of what has no potential.  known: td_forces (FORCES_ALL) has left the power of the laws.
double td_force_power(const td_model* m, const td_work* w, bool known);
double td_elastic_change(const td_model* m, const td_work* w, int col);
spatial td_link_wrench(const td_model* m, const td_work* w, int joint, int element);
// Its change along a column and with the numbers (w->dnum), at fixed multipliers.
spatial td_link_change(const td_model* m, td_work* w, int joint, int element, int col, bool rate);
td_energies td_energies_at(const td_model* m, td_work* w);

// Accelerations of prescribed DOFs, zero for the others.
void td_prescribed_accelerations(const td_model* m, const td_work* w, double* a);

// Coordinates.
void td_hop_rate(const model_hop* hop, const double* q, const double* v, double* qdot);

// Give a parameter a value that need not obey the rules of the fields it is in: for differences and
// for values that have been checked together.
void td_work_put_param(const td_model* m, td_work* w, int param, double value);
td_status td_finite(const td_model* m, td_work* w, const char* what,
                    const char* (*name)(const td_model*, int), const double* x, int rows, int cols);
void td_work_fail(td_work* w, const char* format, ...) TD_PRINTF(2, 3);

#endif
