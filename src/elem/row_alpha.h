// Relative rotation A of frames a and b along a direction D of a, with its rates and changes, for
// the rows ALPHA and SCREW; row_alpha.c has the formulas.
#ifndef TD_ROW_ALPHA_H
#define TD_ROW_ALPHA_H

#include "elem/row.h"

typedef struct alpha_terms {
  relative rel;
  vec3 D, W, W1, C, C1, turned;  // turned = q0 W - A × W / 2
  double q1;                     // q0'
} alpha_terms;

// Their changes along a direction
typedef struct alpha_changes {
  vec3 turn, dW, dW1, dA, dC, dC1, dturned;
  double dq0, dq1;
} alpha_changes;

alpha_terms td_alpha_terms(const row_frames* f);
alpha_changes td_alpha_changes(const row_frames* f, const row_changes* c, const alpha_terms* t);

#endif
