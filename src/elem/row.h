// Constraint rows between frames a and b (and c, which gives the direction of translations):
//
//   TRANS  e = D·(p_b - p_a)                 D = R_c d
//   ALPHA  e = D·A                           D = R_a d,  A = R_a 2 vec(Q_a⁻¹ Q_b Q0⁻¹)
//   DOT    e = D·E                           D = R_a d,  E = R_b x
//   SCREW  e = D·(p_b - p_a) - h (θ + 2πk)   D = R_a d,  θ the turn about D: tan(θ/2) = D·A / 2 q0
//   CABLE  e = l(0) - l                      by how much a cable is shorter than at the start: it
//                                            has no frames (engine/taut.c)
//
// A screw advances by h per radian over any number of turns k, which a pose does not tell.  They
// are counted by the angles of the joints between the frames where these turn about the same axis;
// otherwise k brings e nearest to where it began, which is right as long as the row is violated by
// less than half a thread.
//
// Each gives its value, rate, acceleration, the wrenches a unit multiplier exerts on its frames,
// and the change of all that along a direction.
#ifndef TD_ROW_H
#define TD_ROW_H

#include "elem/frame.h"

typedef enum row_kind { ROW_TRANS, ROW_ALPHA, ROW_DOT, ROW_SCREW, ROW_CABLE } row_kind;

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

row_value td_row_value(row_kind kind, const row_frames* f);
// The change of e, ed, edd and of the wrenches.
row_value td_row_change(row_kind kind, const row_frames* f, const row_changes* c);

#endif
