// Strains of pieces of rods (force_strain.c, strain_*.c) and the cables that pass them (crossing.c,
// force_cable.c).
#ifndef TD_STRAINS_H
#define TD_STRAINS_H

#include "elem/polyrod.h"
#include "model/model.h"

// ---- pieces of rods ---------------------------------------------------------------------------

// The six strains x of a piece, with their rates u, alone, and their change along a column.
void td_strain_state(const td_model* m, const td_work* w, const model_strain* f, double x[6],
                     double u[6]);
void td_strains(const td_model* m, const td_work* w, const model_strain* f, double x[6]);
void td_strains_change(const td_model* m, const td_work* w, const model_strain* f, int col,
                       double dx[6]);
// Slopes of the forces of a piece whose strains are sums of coordinates, by strains and by rates,
// cables included.
void td_basis_slopes(const td_model* m, const td_work* w, const model_strain* f, double Kx[6][6],
                     double Kv[6][6]);
// Pose and slopes of a polynomial rod at a quadrature point.
polyrod td_polynomial_at(const td_model* m, const td_work* w, const model_strain* f);
// Wrench of a segment between two stations on the second, about the world's origin.
spatial td_segment_link(const td_model* m, const td_work* w, int strain);
// True when a number that follows the state belongs to a section whose energy is given.
bool td_strain_stores(const td_model* m, num slot);
// Power [W] that time-dependent strains feed in; after td_inverse.
double td_strain_drive(const td_model* m, const td_work* w);

// ---- cables -----------------------------------------------------------------------------------

// Compute the tensions of all cables; everything below uses them.
void td_cable_tensions(const td_model* m, td_work* w);
// Length of a cable and its change along the position of a column.
double td_cable_length(const td_model* m, const td_work* w, int cable);
double td_cable_length_change(const td_model* m, const td_work* w, int cable, int col);
// Change of the tension along the position of a column (-1: none) and with the numbers.
double td_cable_tension_change(const td_model* m, const td_work* w, int cable, int col);
// True when forces between stations follow from the length or the bending of a cable.
bool td_cable_couples(const td_model* m);
// Add the forces of the cables of a piece along its strains x to s; `which`: active, passive or
// all.
void td_cable_force(const td_model* m, const td_work* w, const model_strain* f, const double x[6],
                    int which, double s[6]);
// Add the change of these forces for changes dx of the strains and, with `numbers`, of the
// tensions.
void td_cable_force_change(const td_model* m, const td_work* w, const model_strain* f,
                           const double x[6], const double dx[6], bool numbers, double ds[6]);
// Add the slopes of these forces by the strains to ds.
void td_cable_slopes(const td_model* m, const td_work* w, const model_strain* f, const double x[6],
                     double ds[6][6]);
// Power of cables without potential on a piece with strains x and rates u.
double td_crossings_power(const td_model* m, const td_work* w, const model_strain* f,
                          const double x[6], const double u[6]);
// Add the wrenches of a tension T at the two ends of a free span, `stride` bytes apart for each
// hop.
void td_span_pull(const td_model* m, const td_work* w, int span, double T, spatial* on,
                  size_t stride);
// Gaps of the slack inextensible cables (ntaut), infinite for taut ones (slack.c).
void td_taut_gaps(const td_model* m, const td_work* w, double* gap);

#endif
