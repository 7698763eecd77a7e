// Code in the place of the engine: is it right, is it faster, and since when.
#ifndef TD_SWAP_H
#define TD_SWAP_H

#include "solve/time/motion.h"

typedef struct td_swap_question {
  const td_code* code;
  bool always;      // take it without measuring
  bool with_power;  // the solver asks for states and power at once
  double t;
  const double* y;  // (n + nquad): where it is compared
} td_swap_question;

// Compare the code with the engine at (t, y).  If its numbers agree and an evaluation takes less
// time, the motion uses it from now on.  A clause about it is added to `text`.
td_status td_swap(td_motion* m, const td_swap_question* q, char* text, size_t size);

#endif
