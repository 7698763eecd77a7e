// Inside of error bars: what statics and motion share.
#ifndef TD_BARS_H
#define TD_BARS_H

#include "base/base.h"
#include "solve/accuracy/companion.h"
#include "tendril/accuracy.h"

struct td_bars {
  const td_model* model;
  td_companion* fine;  // NULL: there are no bars, or nothing to refine
  bool exact;          // no rods: nothing is discretised
  double factor;
  double *coarse, *refined;  // sensors of both models
  td_state* last;            // state whose equilibrium fine->state is,
  double* last_param;        // with these parameters
  bool corrected;
  char why[400];      // there are no bars
  char always[1400];  // reasons to look that every result has, one a line
  char reasons[1400];
  td_verdict verdict;
};

// Begin a result with the reasons that all of them have, and add one.
void td_bars_begin(td_bars* bars);
void td_bars_look(td_bars* bars, const char* format, ...) TD_PRINTF(2, 3);
// How far the strains of each rod were from those of the refined model at the last equilibrium, as
// places they move: ∫ δξ² over each strain (nrod x 6), of curvatures times length² [m²].  Their
// polynomials of the highest order in the refined model, which tell what that still misses, in top.
// False: the model has no such numbers ('gvs' rods have them).
bool td_bars_spectrum(td_bars* bars, td_work* work, const td_state* state, double* change,
                      double* top);
// Correct the state of a companion to its equilibrium.
td_status td_companion_rest(td_companion* companion);
// Undamped natural frequencies of a companion at its state, ascending: *omega (to be freed),
// negative where the motion grows.
td_status td_companion_frequencies(td_companion* companion, double** omega, int* found);
// Outputs first ... first + n - 1 are the components of one vector in one unit, output i among
// them: a point, a force, a rotation.
typedef struct output_group {
  int first, n;
} output_group;
output_group td_output_group(const td_model* model, int i);

#endif
