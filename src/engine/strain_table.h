// Strains of pieces of rods: what the engine asks of each way in which they follow from the
// coordinates (TD_STRAINS of model/model.h).
//
// Virtual work of a piece of length l:  l f·δχ, with χ = x/l for measured displacements and angles
// x, so f itself is the force along x.
//
// To add a kind: its line in TD_STRAINS and engine/strain_<kind>.c with its table, a row in
// gen/derive_strain.c.
#ifndef TD_STRAIN_TABLE_H
#define TD_STRAIN_TABLE_H

#include "elem/section.h"
#include "elem/taylor.h"
#include "engine/force.h"
#include "engine/stages.h"

// A direction: a column's DOF, its position or its rate; col < 0: none.
typedef struct strain_direction {
  int col, v;
  bool rate;
} strain_direction;

typedef struct strain_ops {
  // Rest values that follow from the initial configuration, which is placed.
  void (*prepare)(const td_model* m, td_work* w, const model_strain* f);
  // Strains x and their rates u; as series with second rates, and their changes along a direction.
  void (*state)(const td_model* m, const td_work* w, const model_strain* f, double x[6],
                double u[6]);
  void (*series)(const td_model* m, const td_work* w, const model_strain* f,
                 const strain_direction* to, taylor x[6]);
  // Changes of the strains along the position of a column.
  void (*strains_diff)(const td_model* m, const td_work* w, const model_strain* f, int col,
                       double dx[6]);
  // Add what the section and the cables do to wrenches (hop.f) and generalised forces (w->tau).
  void (*add)(const td_model* m, td_work* w, const model_strain* f, int which);
  // Add what given forces s on the strains do: to wrenches on the hops, `stride` bytes apart, or to
  // generalised forces.
  void (*collect)(const td_model* m, const td_work* w, const model_strain* f, const double s[6],
                  spatial* on, size_t stride, double* tau);
  // Squares of what each DOF does to strains that shift (times along²) and turn (times turning²).
  void (*squares)(const td_model* m, const td_work* w, const model_strain* f, double along,
                  double turning, double* square);
  // See element_ops (engine/force.h).
  void (*linearise)(const td_model* m, const td_work* w, const model_strain* f, force_state* s);
  void (*diff)(const td_model* m, const td_work* w, const model_strain* f, const force_state* s,
               const frame_change* da, const frame_change* db, spatial change[2]);
  void (*numbers_diff)(const td_model* m, const td_work* w, const model_strain* f, double* dtau);
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

// Of kinds that act on coordinates, not on frames.
void td_strain_no_prepare(const td_model* m, td_work* w, const model_strain* f);
void td_strain_no_linearise(const td_model* m, const td_work* w, const model_strain* f,
                            force_state* s);
void td_strain_no_diff(const td_model* m, const td_work* w, const model_strain* f,
                       const force_state* s, const frame_change* da, const frame_change* db,
                       spatial change[2]);

// A station's frame as a series, with its changes along a direction.
taylor_frame td_series_frame(const td_model* m, const td_work* w, int station,
                             const strain_direction* to);
// What a strain field that changes with time does by itself [W].
double td_piece_drive(const td_model* m, const td_work* w, const model_strain* f);

// ---- the law of a piece -----------------------------------------------------------------------

enum { ALL_MODES = 0x3f };
static const double no_section[SECTION_SLOTS];

static inline section section_at(const double* n, double load) {
  return (section){
      n + SECTION_K,    n + SECTION_D, n + SECTION_X0, n + SECTION_INPUT, n + SECTION_MU,
      n[SECTION_POWER], load};
}

static inline section section_of(const td_work* w, const model_strain* f, const double* slots) {
  return section_at(slots + f->section, w->load);
}

static inline double piece_length(const td_work* w, const model_strain* f) {
  return w->num[f->section + SECTION_LENGTH];
}

// The section's law and the cables that pass; only what is asked for by `modes` need be right.
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

static inline void piece_force(const td_model* m, const td_work* w, const model_strain* f,
                               const double x[6], const double u[6], int which, double s[6]) {
  piece_forces(m, w, f, x, u, which, ALL_MODES, s);
}

// Its change for changes of strains and rates, and of the numbers.
static inline void piece_change(const td_model* m, const td_work* w, const model_strain* f,
                                const double x[6], const double u[6], const double dx[6],
                                const double du[6], bool numbers, double ds[6]) {
  const section sec = section_of(w, f, w->num),
                dsec = numbers ? section_of(w, f, w->dnum) : section_at(no_section, w->load);
  section_change(&sec, &dsec, x, u, dx, du, ds);
  if (f->ncrossing > 0) td_cable_force_change(m, w, f, x, dx, numbers, ds);
}

// weight · q of a DOF
static inline taylor coordinate_series(const td_work* w, int q, int v, double weight,
                                       const strain_direction* to) {
  const double own = v == to->v ? weight : 0;
  return (taylor){weight * w->q[q],   weight * w->v[v],   weight * w->accel[v],
                  to->rate ? 0 : own, to->rate ? own : 0, 0};
}

#endif
