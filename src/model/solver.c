// The words of the solvers, from the one list of tendril.h.
#include <string.h>

#include "model/model.h"

#define WORD(value, word, what) #word,
static const char* const words[TD_SOLVER_COUNT] = {"auto", TD_SOLVERS(WORD)};
#undef WORD

const char* td_solver_name(td_solver solver) {
  return (int)solver >= 0 && solver < TD_SOLVER_COUNT ? words[solver] : NULL;
}

td_solver td_solver_named(const char* word) {
  for (int i = 0; word && i < TD_SOLVER_COUNT; i++)
    if (strcmp(word, words[i]) == 0) return (td_solver)i;
  return TD_SOLVER_COUNT;
}
