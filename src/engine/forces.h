// All forces of a model together: wrenches, energies, power and derivatives (forces.c, blocks.c,
// alike.c), and what the fluid and the contacts provide beyond the table of forces.
//
// "Change" means the first-order change along a column (kinematics.h), of its position or of its
// rate, or with the numbers alone (w->dnum, col < 0).
#ifndef TD_FORCES_H
#define TD_FORCES_H

#include "elem/station.h"
#include "engine/force.h"

// Compute rest values and axes of all forces from the initial configuration, which has been placed.
void td_forces_prepare(const td_model* m, td_work* w);
void td_forces_prepare_diff(const td_model* m, td_work* w);  // changes of these along w->along
// Clear hop.f and w->tau and add forces: FORCES_ALL, FORCES_PASSIVE or FORCES_ACTIVE.
void td_forces(const td_model* m, td_work* w, int which);
// Sum of the potential energies of all forces, and its change along the position of a column.
double td_elastic_energy(const td_model* m, const td_work* w);
double td_elastic_change(const td_model* m, const td_work* w, int col);
// Power of all forces without potential; known: td_forces (FORCES_ALL) has left the power of the
// laws.
double td_force_power(const td_model* m, const td_work* w, bool known);
// True when every force has a potential.
bool td_forces_have_potential(const td_model* m);

// ---- derivatives ------------------------------------------------------------------------------

// Evaluate one element, and the change of its wrenches on its stations a and b along a column;
// generalised forces are added to dtau (nvel).
void td_force_linearise(const td_model* m, const td_work* w, const force_info* f, force_state* s);
void td_force_change(const td_model* m, const td_work* w, const force_info* f, const force_state* s,
                     int col, bool rate, spatial change[2], double* dtau);
// Add the changes of all force wrenches to df (nhop) and of generalised forces to dtau (nvel),
// except derivatives by coordinates of forces that follow from these directly.
void td_forces_change(const td_model* m, td_work* w, int col, bool rate, spatial* df, double* dtau);
// Subtract these derivatives by coordinates from dF/dq and dF/dv.
void td_coordinate_tangent(const td_model* m, td_work* w, double* dq, double* dv);
// True when columns change any force; touched (nhop, may be NULL): the hops whose columns do.
bool td_forces_sweep(const td_model* m, const td_work* w, bool* touched);

// Forces on single stations: derivatives summed for each hop, of all forces, and of one force with
// given derivatives, of one that turns with its hop, and of a force F fixed in the world at a point
// of the hop, now at p.
void td_blocks(const td_model* m, td_work* w);
void td_block_add(td_work* w, int hop, const station_force* s);
void td_block_turning(td_work* w, int hop, const spatial* f, const spatial6* Kv, const spatial* Vf);
void td_block_dead_force(td_work* w, int hop, vec3 p, vec3 F);

// End of the pieces of a rod from `first` on whose strains are sums of the same coordinates, and
// the tangents of all of them in one go.
int td_alike_end(const td_model* m, int first);
void td_alike_tangent(const td_model* m, td_work* w, int first, int end, double* dq, double* dv);

// ---- links of a joint -------------------------------------------------------------------------

// Wrench of the links of a joint's element, forces and multipliers, on their second station, about
// the world's origin; and its change along a column at constant multipliers.
spatial td_link_wrench(const td_model* m, const td_work* w, int joint, int element);
spatial td_link_change(const td_model* m, td_work* w, int joint, int element, int col, bool rate);

// ---- fluid (force_fluid.c) --------------------------------------------------------------------

// Velocity of the stream.
vec3 td_stream(const td_model* m, const td_work* w);
// True when the stream never moves.
bool td_fluid_is_still(const td_model* m);
// Compute what follows from parameters, and the added masses of all hops in world axes.
void td_fluid_prepare(const td_model* m, td_work* w);
void td_fluid_place(const td_model* m, td_work* w);
// True when the hop is immersed and has added mass.
static inline bool is_wet(const td_work* w, int hop) { return w->added && w->hop_wet[hop]; }
// Add the change of buoyancy and of the weight of added mass for a change dg of gravity to df
// (nhop).
void td_fluid_gravity_change(const td_model* m, const td_work* w, vec3 dg, spatial* df);
// Kinetic energy of the added masses, and potential energy of buoyancy.
double td_fluid_kinetic(const td_model* m, const td_work* w);
double td_fluid_buoyancy(const td_model* m, const td_work* w);
// Add the momentum and the weight of the fluid that moves with the hops first .. last.
void td_fluid_energy_change(const td_model* m, const td_work* w, int first, int last,
                            spatial* momentum, spatial* weight);
// Change of the kinetic energy of added mass and of the potential of buoyancy along w->along.
double td_fluid_energy_along(const td_model* m, const td_work* w, bool kinetic);

// ---- contacts (contact_search.c, force_contact.c) ---------------------------------------------

// Force on ball or piece k of a contact, and where it acts; zero when it does not touch.
vec3 td_contact_force(const td_model* m, const td_work* w, int contact, int k, vec3* at);
// Gap of each ball or piece of each contact (td_contact_guards of them): negative inside, infinite
// where it can touch nothing; and a bound of its rate [m/s].
void td_contact_gaps(const td_model* m, const td_work* w, double* gap, double* speed);
// Sum of the radii of both sides of each, infinite for planes.
void td_contact_widths(const td_model* m, const td_work* w, double* width);
// Number of pairs, and of stretches of pieces, that the work keeps.
int td_contact_room(const td_model* m);
int td_contact_stretches(const td_model* m);
// Largest depth of a contact, not positive where nothing touches.
double td_contact_depth(const td_model* m, const td_work* w, int contact);

#endif
