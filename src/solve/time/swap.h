// Code in the place of the engine: is it right, is it faster, and since when.
#ifndef TD_SWAP_H
#define TD_SWAP_H

#include "solve/time/motion.h"

typedef struct td_swap_question {
  const td_code* code;
  bool always;      // take it even if it is slower
  bool with_power;  // the solver requests states and power at once
  double t;
  const double* y;  // (n + nquad): where it is compared
} td_swap_question;

// Compare the code with the engine at (t, y).  If its numbers agree and an evaluation takes less
// time (with `always`: whatever time it takes), the motion uses the code from now on.  A clause
// about the outcome is added to `text`; where an evaluation fails, nothing changes and no clause is
// added.
td_status td_swap(td_motion* m, const td_swap_question* q, char* text, size_t size);

#endif
