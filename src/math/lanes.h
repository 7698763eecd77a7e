// Eight numbers side by side, as the vector extension of gcc and clang has them: x + y, 2.0 * x ...
// work on all of them. For the few loops whose arithmetic must not be left to the optimiser's
// taste.
#ifndef TD_LANES_H
#define TD_LANES_H

typedef double lanes __attribute__((vector_size(64)));
enum { LANES = 8 };

#endif
