// Networks of free nodes alone: points, or bodies about their centres of mass, with springs, ropes
// and beams between them and the ground, springs and dampers along their translations, and a few
// constraints that hold or drive translations.  Their v' and power follow from compact arrays in
// one sweep over the nodes and one over the links; the engine itself needs ten times the memory for
// the same, which costs time in large networks.
#ifndef TD_LATTICE_H
#define TD_LATTICE_H

#include "engine/stages.h"

typedef struct td_lattice td_lattice;

// Arrays of a network.  NULL: the model has other elements, or out of memory.
td_lattice* td_lattice_new(const td_model* m);
void td_lattice_free(td_lattice* lattice);
// v' (nvel) and, where not NULL, the power as td_power_placed computes it; the multipliers are left
// in the work. False: the caller has to use the engine, since a hand pulls or a number of the model
// does not fit.
bool td_lattice_forward(td_lattice* lattice, const td_state* state, td_work* w, double* vdot,
                        double* power);

// Project positions and velocities onto the constraints in the metric of the masses.  False as
// above.
bool td_lattice_project(td_lattice* lattice, td_state* state, td_work* w);
// Largest errors of positions and rates of the constraints.  False as above.
bool td_lattice_error(td_lattice* lattice, const td_state* state, td_work* w, double* e,
                      double* edot);

// q' (npos) at positions q and velocities v.
void td_lattice_drift(const td_lattice* lattice, const double* q, const double* v, double* qdot);

#endif
