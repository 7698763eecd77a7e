// Strains of pieces of rods: what the engine requires of each way in which strains follow from
// coordinates (TD_STRAINS of model/model.h).
//
// Virtual work of a piece of length l:  l f·δχ, with χ = x/l for measured displacements and angles
// x, so that f itself is the force along x.
//
// To add a kind: its line in TD_STRAINS, engine/strain_<kind>.c with its table, and a row in
// gen/derive_strain.c.
#ifndef TD_STRAIN_TABLE_H
#define TD_STRAIN_TABLE_H

#include "elem/section.h"
#include "elem/taylor.h"
#include "engine/adjoint.h"
#include "engine/force.h"
#include "engine/stages.h"

// A direction of differentiation: a column with its velocity v, of its position or its rate; col <
// 0: none.
typedef struct strain_direction {
  int col, v;
  bool rate;
} strain_direction;

// Weights of the strains, of their rates and second rates.
typedef struct strain_weights {
  double x[6], u[6], a[6];
} strain_weights;

// A kind of strains.
typedef struct strain_ops {
  // Compute rest values from the initial configuration, which has been placed.
  void (*prepare)(const td_model* m, td_work* w, const model_strain* f);
  // Compute how these change along w->along at that configuration.
  void (*prepare_diff)(const td_model* m, td_work* w, const model_strain* f);
  // The transpose of that.
  void (*prepare_reverse)(const td_model* m, td_work* w, const model_strain* f, struct adjoint* b);
  // Strains x and their rates u; and as series with second rates and their changes along a
  // direction.
  void (*state)(const td_model* m, const td_work* w, const model_strain* f, double x[6],
                double u[6]);
  void (*series)(const td_model* m, const td_work* w, const model_strain* f,
                 const strain_direction* to, taylor x[6]);
  // Change of the strains along the position of a column.
  void (*strains_diff)(const td_model* m, const td_work* w, const model_strain* f, int col,
                       double dx[6]);
  // The transpose of the changes of strains, rates and second rates along w->along, for weights of
  // these (adjoint.h).
  void (*series_reverse)(const td_model* m, td_work* w, const model_strain* f,
                         const strain_weights* bar, struct adjoint* b);
  // Add the forces of the section and its cables to wrenches (hop.f) and generalised forces
  // (w->tau).
  void (*add)(const td_model* m, td_work* w, const model_strain* f, int which);
  // Add given forces s along the strains to wrenches on the hops, `stride` bytes apart, or to
  // generalised forces.
  void (*collect)(const td_model* m, const td_work* w, const model_strain* f, const double s[6],
                  spatial* on, size_t stride, double* tau);
  // Add the squares of the derivatives of the strains by each DOF to square (nvel): those of
  // displacements times along², those of rotations times turning².
  void (*squares)(const td_model* m, const td_work* w, const model_strain* f, double along,
                  double turning, double* square);
  // See element_ops (engine/force.h).
  void (*linearise)(const td_model* m, const td_work* w, const model_strain* f, force_state* s);
  void (*diff)(const td_model* m, const td_work* w, const model_strain* f, const force_state* s,
               const frame_change* da, const frame_change* db, spatial change[2]);
  void (*numbers_diff)(const td_model* m, const td_work* w, const model_strain* f, double* dtau);
  void (*reverse)(const td_model* m, td_work* w, const model_strain* f, const force_state* s,
                  struct adjoint* b);
  void (*tangent)(const td_model* m, const td_work* w, const model_strain* f, const tree_part* part,
                  double* dq, double* dv);
  void (*visit)(const td_model* m, const model_strain* f, const force_visitor* to);
} strain_ops;

#define X(kind, name, ...) extern const strain_ops td_strain_##name;
TD_STRAINS(X)
#undef X
extern const strain_ops* const td_strain_ops_table[STRAIN_KINDS];
static inline const strain_ops* strain_of(const model_strain* f) {
  return td_strain_ops_table[f->kind];
}

// Entries for kinds that act on coordinates, not on frames.
void td_strain_no_prepare(const td_model* m, td_work* w, const model_strain* f);
void td_strain_no_prepare_diff(const td_model* m, td_work* w, const model_strain* f);
void td_strain_no_prepare_reverse(const td_model* m, td_work* w, const model_strain* f,
                                  struct adjoint* b);
void td_strain_no_linearise(const td_model* m, const td_work* w, const model_strain* f,
                            force_state* s);
void td_strain_no_diff(const td_model* m, const td_work* w, const model_strain* f,
                       const force_state* s, const frame_change* da, const frame_change* db,
                       spatial change[2]);

// The frame of a station as a series, with its changes along a direction; its acceleration is that
// relative to the ground, without what gravity gives it.
taylor_frame td_series_frame(const td_model* m, const td_work* w, int station,
                             const strain_direction* to);
// Power [W] that a time-dependent strain field feeds into a piece.
double td_piece_drive(const td_model* m, const td_work* w, const model_strain* f);

// ---- the law of a piece -----------------------------------------------------------------------

enum { ALL_MODES = 0x3f };
static const double no_section[SECTION_SLOTS];

// The section whose numbers begin at n, at a load factor; that of a piece, with numbers or their
// changes in `slots`.
static inline section section_at(const double* n, double load) {
  return (section){
      n + SECTION_K,    n + SECTION_D, n + SECTION_X0, n + SECTION_INPUT, n + SECTION_MU,
      n[SECTION_POWER], load};
}

static inline section section_of(const td_work* w, const model_strain* f, const double* slots) {
  return section_at(slots + f->section, w->load);
}

// Length [m] of a piece.
static inline double piece_length(const td_work* w, const model_strain* f) {
  return w->num[f->section + SECTION_LENGTH];
}

// Forces s along the strains from the section's law and the cables, active, passive or all; only
// the strains in the bit set `modes` are needed.
static inline void piece_forces(const td_model* m, const td_work* w, const model_strain* f,
                                const double x[6], const double u[6], int which, unsigned modes,
                                double s[6]) {
  const section sec = section_of(w, f, w->num);
  section_force(&sec, x, u, modes, s);
  for (int d = 0; d < 6; d++) {
    const double input = sec.load * sec.input[d];
    if (which == FORCES_PASSIVE) s[d] -= input;
    if (which == FORCES_ACTIVE) s[d] = input;
  }
  if (f->ncrossing > 0) td_cable_force(m, w, f, x, which, s);
}

// piece_forces for all strains.
static inline void piece_force(const td_model* m, const td_work* w, const model_strain* f,
                               const double x[6], const double u[6], int which, double s[6]) {
  piece_forces(m, w, f, x, u, which, ALL_MODES, s);
}

// Change ds of these forces for changes dx and du of strains and rates, and with `numbers` for
// those of the numbers.
static inline void piece_change(const td_model* m, const td_work* w, const model_strain* f,
                                const double x[6], const double u[6], const double dx[6],
                                const double du[6], bool numbers, double ds[6]) {
  const section sec = section_of(w, f, w->num),
                dsec = numbers ? section_of(w, f, w->dnum) : section_at(no_section, w->load);
  section_change(&sec, &dsec, x, u, dx, du, ds);
  if (f->ncrossing > 0) td_cable_force_change(m, w, f, x, dx, numbers, ds);
}

// The transpose of piece_change with all numbers for weights of these forces: added to those of
// strains and rates, of the section and of what cables pull with (crossing.c).
static inline void piece_reverse(const td_model* m, const td_work* w, const model_strain* f,
                                 const double x[6], const double u[6], const double bar[6],
                                 strain_weights* to, adjoint* b) {
  const section sec = section_of(w, f, w->num);
  double* n = b->n + f->section;
  const section_weights numbers = {n + SECTION_K,     n + SECTION_D,  n + SECTION_X0,
                                   n + SECTION_INPUT, n + SECTION_MU, n + SECTION_POWER};
  section_reverse(&sec, x, u, bar, to->x, to->u, &numbers);
  if (f->ncrossing > 0) td_cable_force_reverse(m, w, f, x, bar, to->x, b);
}

// weight · q of a DOF, with its rates and its changes along a direction, along which the weight
// changes, too.
static inline taylor coordinate_series(const td_work* w, int q, int v, double weight, double change,
                                       const strain_direction* to) {
  if (to->col == ALONG) {
    const direction* d = w->along;
    return (taylor){weight * w->q[q],
                    weight * w->v[v],
                    weight * w->accel[v],
                    weight * d->q[v] + change * w->q[q],
                    weight * d->v[v] + change * w->v[v],
                    weight * d->a[v] + change * w->accel[v]};
  }
  const double own = v == to->v ? weight : 0;
  return (taylor){weight * w->q[q],   weight * w->v[v],   weight * w->accel[v],
                  to->rate ? 0 : own, to->rate ? own : 0, 0};
}

#endif
