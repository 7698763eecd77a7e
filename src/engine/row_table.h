// Constraint rows: what the engine requires of each kind (elem/row.h has the list).
//
// Rows of a joint follow each other and share their stations: such a bundle [first, end) is
// evaluated at once where the stations' motion is what costs.  A row without frames is a bundle of
// its own.  To add a kind between frames: its entry in row_frame.c; one that follows from something
// else: engine/row_<kind>.c with its table, as row_cable.c.
#ifndef TD_ROW_TABLE_H
#define TD_ROW_TABLE_H

#include "engine/stages.h"

struct adjoint;

// The frames of a row's stations, and what its formulas take.
typedef struct row_ends {
  frame a, b, c;
  row_frames f;
} row_ends;

// How the frames change along a column.
typedef struct ends_change {
  frame_change a, b, c;
} ends_change;

// A row at the present state: what its changes need.
typedef struct row_state {
  row_ends ends;  // of rows between frames
  row_value at;
} row_state;

// The twist that each DOF on the way from the ground gives a hop, slot by slot (path.h).
typedef struct row_reach {
  int hop, n;
  int* v;  // DOF of each slot
  octet* S;
} row_reach;

typedef struct row_ops {
  // Value, rate and acceleration, after td_accelerate; and kept with what their changes need.
  row_value (*value)(const td_model* m, const td_work* w, int row);
  void (*linearise)(const td_model* m, const td_work* w, int row, row_state* s);
  // The change of all that along a column or w->along (ALONG), then with its numbers; c: of its
  // stations.
  row_value (*diff)(const td_model* m, const td_work* w, int row, const row_state* s,
                    const ends_change* c, int col, bool rate);
  // May a motion of this hop change it?
  bool (*moves)(const td_model* m, int row, int hop);
  // Add the wrenches (hop.f) and generalised forces (w->tau) of a multiplier, and to df the changes
  // of these wrenches along a column.
  void (*add)(const td_model* m, td_work* w, int row, double lambda);
  void (*add_diff)(const td_model* m, const td_work* w, int row, double lambda, int col, bool rate,
                   spatial* df);
  // Transposes along a direction (adjoint.h): of `diff` for weights of value, rate, acceleration
  // and of the unit wrenches; of `add` and `add_diff` for those of the wrenches and generalised
  // forces.
  void (*reverse)(const td_model* m, td_work* w, int row, const row_value* bar, struct adjoint* b);
  void (*force_reverse)(const td_model* m, td_work* w, int row, double lambda, struct adjoint* b);
  // A bundle's rows of the Jacobian (nvel each).
  void (*jacobian)(const td_model* m, td_work* w, int first, int end, row_reach to[3], double* Jc);
  // Squares of what the DOFs move (moved) and turn (turned), of which a bundle's rows are made;
  // added to nvel numbers each.
  void (*squares)(const td_model* m, const td_work* w, int first, row_reach to[3], double* moved,
                  double* turned);
  // dq -= the derivatives of the forces of a bundle's multipliers; s: all rows.
  void (*tangent)(const td_model* m, const td_work* w, int first, int end, const row_state* s,
                  const double* lambda, row_reach to[3], double* dq);
} row_ops;

#define X(kind, name, ...) extern const row_ops td_row_##name;
TD_ROWS(X)
#undef X
extern const row_ops* const td_row_table[ROW_KINDS];

ends_change td_row_ends_change(const td_model* m, const td_work* w, int row, int col, bool rate);
void td_reach_to(const td_model* m, const td_work* w, int hop, row_reach* r);
// Squares of the twists that the DOFs give a station: those of its point `p` times `moves`, of its
// turn times `lever`², summed in moved; those of its turn alone in turned (NULL: not wanted).
static inline void reach_squares(const row_reach* r, vec3 p, double moves, double lever,
                                 double* moved, double* turned) {
  for (int k = 0; k < r->n; k++) {
    const double* S = (const double*)&r->S[k / LANES] + k % LANES;
    const vec3 v = {S[0], S[LANES], S[2 * LANES]},
               turn = {S[3 * LANES], S[4 * LANES], S[5 * LANES]};
    const vec3 at = vec3_add(v, vec3_cross(turn, p));
    const double turns = vec3_dot(turn, turn);
    moved[r->v[k]] += moves * vec3_dot(at, at) + lever * lever * turns;
    if (turned) turned[r->v[k]] += turns;
  }
}

#endif
