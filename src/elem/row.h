// Constraint rows between frames a and b (and c, which gives the direction of translations):
//
//   TRANS  e = D·(p_b - p_a)                 D = R_c d
//   ALPHA  e = D·A                           D = R_a d,  A = R_a 2 vec(Q_a⁻¹ Q_b Q0⁻¹)
//   DOT    e = D·E                           D = R_a d,  E = R_b x
//   SCREW  e = D·(p_b - p_a) - h (θ + 2πk)   D = R_a d,  θ the turn about D: tan(θ/2) = D·A / 2 q0
//   CABLE  e = l(0) - l                      shortening of a cable since the start; it has no
//                                            frames (engine/row_cable.c)
//
// A screw advances by h per radian over any number of turns k, which a pose does not determine. The
// angles of the joints between the frames count the turns where these joints have the same axis;
// otherwise k is chosen so that e is nearest to its initial value, which is right as long as the
// row is violated by less than half a thread.
//
// Each row has a value, a rate and an acceleration, the wrenches that a unit multiplier exerts on
// its frames, and the derivatives of all these along a direction.
#ifndef TD_ROW_H
#define TD_ROW_H

#include <stdbool.h>

#include "elem/frame.h"

// Kinds of rows: whether the value is a length [m], else an angle or a number [rad]; whether it is
// linear in the positions of a and b as long as c does not turn.  Rows between frames come first.
// To add one: a line here, its formulas in elem/row_<kind>.c, its entry for the engine in
// engine/row_frame.c (or a file of its own, engine/row_table.h), its closed form in
// gen/derive_rows.c.
#define TD_FRAME_ROWS(X)        \
  X(TRANS, trans, true, true)   \
  X(ALPHA, alpha, false, false) \
  X(DOT, dot, false, false)     \
  X(SCREW, screw, true, false)
#define TD_ROWS(X) \
  TD_FRAME_ROWS(X) \
  X(CABLE, cable, true, false)

typedef enum row_kind {
#define X(kind, ...) ROW_##kind,
  TD_ROWS(X)
#undef X
      ROW_KINDS
} row_kind;
enum {
  FRAME_ROW_KINDS = 0
#define X(...) +1
  TD_FRAME_ROWS(X)
#undef X
};

typedef struct row_traits {
  bool length, linear;
} row_traits;
static const row_traits td_row_traits[ROW_KINDS] = {
#define X(kind, name, ...) {__VA_ARGS__},
    TD_ROWS(X)
#undef X
};
static inline bool row_is_length(row_kind kind) { return td_row_traits[kind].length; }
// True if the row is a function of frames.
static inline bool row_has_frames(row_kind kind) { return (int)kind < (int)FRAME_ROW_KINDS; }

typedef struct row_frames {
  const frame *a, *b, *c;
  vec3 d, x;              // constant directions, see above
  const quat* reference;  // Q0 or NULL
  double pitch;           // h [m/rad]                        (SCREW)
  double zero;            // e at the start, NaN: not known   (SCREW)
  double angle;           // θ + 2πk, about, NaN: not known   (SCREW)
} row_frames;

typedef struct row_value {
  double e, ed, edd;  // value, rate, acceleration
  vec3 force;         // on b at p_b; -force on a at p_a  (TRANS, SCREW)
  vec3 torque;        // on b, -torque on a               (ALPHA, DOT, SCREW)
  vec3 torque_c;      // on c                             (TRANS, SCREW)
  double theta;       // from -π to π                     (SCREW)
} row_value;

typedef struct row_changes {
  const frame_change *a, *b, *c;
} row_changes;

// Changes of the numbers of a row.
typedef struct row_numbers {
  vec3 d, x;
  double pitch;
} row_numbers;

// The formulas of a kind: its value, the change of e, ed, edd and of the wrenches, and the same
// with its numbers alone.
typedef struct row_formulas {
  row_value (*value)(const row_frames* f);
  row_value (*change)(const row_frames* f, const row_changes* c);
  row_value (*numbers)(const row_frames* f, const row_numbers* d);
} row_formulas;
#define X(kind, name, ...) extern const row_formulas td_row_formulas_##name;
TD_FRAME_ROWS(X)
#undef X
extern const row_formulas* const td_row_formulas[FRAME_ROW_KINDS];

#endif
