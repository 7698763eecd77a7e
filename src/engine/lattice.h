// A network that is nothing but free nodes, points or bodies about their centres of mass, with
// springs, ropes and beams between them and the ground, springs and dampers along their
// translations, and a few constraints that hold or drive translations: v' and power from compact
// arrays, in one sweep over the nodes and one over the links.  The engine needs ten times the
// memory for the same, which large networks feel.
#ifndef TD_LATTICE_H
#define TD_LATTICE_H

#include "engine/stages.h"

typedef struct td_lattice td_lattice;

// NULL: the model has anything else, or out of memory.
td_lattice* td_lattice_new(const td_model* m);
void td_lattice_free(td_lattice* lattice);
// v' (nvel) and, if wanted (not NULL), the power as td_power_placed has it; the multipliers are
// left in the work.  False: ask the engine, for something pulls or a number of the model does not
// fit.
bool td_lattice_forward(td_lattice* lattice, const td_state* state, td_work* w, double* vdot,
                        double* power);

// Positions and velocities onto the constraints, in the metric of the masses, and the largest
// errors of both.  False as above.
bool td_lattice_project(td_lattice* lattice, td_state* state, td_work* w);
bool td_lattice_error(td_lattice* lattice, const td_state* state, td_work* w, double* e,
                      double* edot);

// q' (npos) of positions q and velocities v.
void td_lattice_drift(const td_lattice* lattice, const double* q, const double* v, double* qdot);

#endif
