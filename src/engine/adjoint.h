// Adjoints: the transpose of direction.h.  See residual_reverse.c.
//
// Everything that a direction holds (direction.h) has an adjoint of the same shape here: the
// derivative of the weighted result F̄·F with respect to it.  Stages run backwards, each takes the
// adjoints of what it has made and adds to those of what it was made of.  An adjoint of a twist is
// a wrench and the other way round, with
//
//   y·(X ×* f) = -X·(y ×* f)        (V × X)·f = -X·(V ×* f)
//
// Small formulas with many arguments are transposed by unit changes (td_units): their own `diff` is
// evaluated for each argument in turn, so that there is no second formula to keep true.
#ifndef TD_ADJOINT_H
#define TD_ADJOINT_H

#include "engine/direction.h"
#include "engine/force.h"

typedef struct adjoint {
  const double* F;  // (nvel) weights of the residual; zeros: constraints alone are weighted
  // of the direction
  double *q, *v, *a;  // (nvel)
  double* lambda;     // (nrow)
  double* n;          // (nnumber) of w->dnum
  double* var;        // (nvar) of w->dvar
  hop_change* hop;    // of X, U, Z: wrenches
  double* zero;       // (ncable) ... and the others as in direction.h
  vec3 *axes, *reference;
  double *length0, *row_zero, *tension, *share;
  // of the changes of forces
  spatial* f;   // (nhop) of w->df: minus the virtual twist of the hop
  double* tau;  // (nvel) of w->dtau
} adjoint;

// One in the scratch, zero, and what it takes there.
adjoint* td_adjoint_new(const td_model* m, td_work* w);
size_t td_adjoint_bytes(const td_model* m);

// A weighted change: a linear function of what the direction w->along, the numbers w->dnum and its
// own arguments hold.
typedef double (*weighed_change)(const td_model* m, td_work* w, void* what);
typedef struct change_rule {
  weighed_change change;
  void* what;
} change_rule;
// Add the change for a unit of each of the n arguments x, which are zero, to their adjoints.
void td_units(const td_model* m, td_work* w, change_rule rule, double* x, int n, double* bar);
static inline void td_unit_numbers(const td_model* m, td_work* w, change_rule rule, num first,
                                   int n, adjoint* b) {
  td_units(m, w, rule, w->dnum + first, n, b->n + first);
}

// Adᵀ: a wrench in the world, seen from a pose at its origin.
static inline spatial wrench_in(const pose* g, const spatial* f) {
  const vec3 force = spatial_t(f);
  return spatial_of(mat3_apply_t(g->R, force),
                    mat3_apply_t(g->R, vec3_sub(spatial_r(f), vec3_cross(g->p, force))));
}

// Velocity that a twist gives the point p: the adjoint of a force there.
static inline vec3 twist_at(const spatial* y, vec3 p) {
  return vec3_add(spatial_t(y), vec3_cross(spatial_r(y), p));
}

// Add a vector to three numbers.
static inline void add3(double* to, vec3 x) {
  to[0] += x.x;
  to[1] += x.y;
  to[2] += x.z;
}

// The weighted change of the wrenches of an element, for arguments beyond its frames and the
// numbers that its `visit` names, which td_reverse_by_diff takes (force_reverse.c).
change_rule td_element_rule(weighed_element* e);

// ---- frames (hop_vary.c, hop_reverse.c, frame_reverse.c) --------------------------------------

// Transposes of td_fix_change, td_station_change, td_unit_change and td_frame_along.
void td_fix_reverse(const td_model* m, const td_work* w, int fix, int nfix, const spatial* bar,
                    adjoint* b);
void td_station_reverse(const td_model* m, const td_work* w, int station, const spatial* bar,
                        adjoint* b);
void td_unit_reverse(const td_work* w, num slots, vec3 n, vec3 bar, adjoint* b);
void td_frame_reverse(const td_model* m, const td_work* w, int station, const frame_change* bar,
                      adjoint* b);
// The adjoint of the wrench on the hop of a station: zero on the ground.
static inline spatial wrench_weight(const td_model* m, int station, const adjoint* b) {
  const int hop = station < 0 ? -1 : m->station[station].hop;
  return hop < 0 ? spatial_zero() : b->f[hop];
}

// ---- hops (hop_reverse.c) ---------------------------------------------------------------------

// Transpose of td_vary_put: takes X̄, Ū, Z̄ of a hop, which are complete, passes them on to its
// parent and returns those of its own series.
twist_series td_reverse_take(const td_model* m, const td_work* w, int hop, adjoint* b);
// Transposes of td_axis_series and of td_chart_change for the adjoints dy.
void td_axis_reverse(const td_model* m, const td_work* w, int hop, const axis_motion* x,
                     const twist_series* bar, adjoint* b, double* lead);
void td_chart_reverse(const td_model* m, const td_work* w, int hop, const vec3 dy[3], vec3 force,
                      adjoint* b);
// The composite wrench behind a hop, seen from the frame before its own motion.
spatial td_hop_wrench(const td_model* m, const td_work* w, int hop);
// Masses: adjoints of X, U, Z and of the numbers of bodies and lumps.
void td_masses_reverse(const td_model* m, const td_work* w, adjoint* b);

// ---- stages -----------------------------------------------------------------------------------

// Transpose of td_tape_numbers: numbers that a tape makes give their adjoints to its variables.
void td_tape_numbers_reverse(td_work* w, const td_tape* tape, const num* slot, int n, adjoint* b);
// Transposes of td_motion_diff and td_vary.
void td_motion_reverse(const td_model* m, td_work* w, adjoint* b);
void td_vary_reverse(const td_model* m, td_work* w, adjoint* b);
// Transposes of td_forces_change along a direction, of td_forces_prepare_diff and td_cables_along.
void td_forces_reverse(const td_model* m, td_work* w, adjoint* b);
void td_forces_prepare_reverse(const td_model* m, td_work* w, adjoint* b);
void td_cables_reverse(const td_model* m, td_work* w, adjoint* b);
// Transpose of the changes of the cables' straight spans.
void td_spans_reverse(const td_model* m, td_work* w, adjoint* b);
// Transpose of td_cable_force_change for weights of the forces: added to those of the strains.
void td_cable_force_reverse(const td_model* m, const td_work* w, const model_strain* f,
                            const double x[6], const double bar[6], double dx[6], adjoint* b);
// Change of the length of a cable, with the weight `bar`.
void td_cable_length_reverse(const td_model* m, td_work* w, int cable, double bar, adjoint* b);
// Transpose of td_row_along for weights of e, edot and the defect.
void td_row_reverse(const td_model* m, td_work* w, int row, double e, double ed, double defect,
                    adjoint* b);
// Transpose of td_initial_diff.  The work is to be placed again afterwards.
void td_initial_reverse(const td_model* m, td_work* w, adjoint* b);

#endif
