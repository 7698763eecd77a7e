// Vectors of eight doubles by the vector extension of gcc and clang: x + y, 2.0 * x ... act on all
// elements.  They serve the few loops whose vectorisation must not depend on the optimiser.
#ifndef TD_LANES_H
#define TD_LANES_H

typedef double lanes __attribute__((vector_size(64)));
enum { LANES = 8 };

// Force inlining: passing many vectors costs more than the work on them, and loops of known length
// are unrolled.
#define ALWAYS inline __attribute__((always_inline))

// to[i][j] = x[j][i], in three rounds of exchanges
#define LANES_LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define LANES_HIGH(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
static inline void lanes_transpose(const lanes x[8], lanes to[8]) {
  lanes a[8], b[8];
  for (int i = 0; i < 8; i += 2) {
    a[i] = LANES_LOW(x[i], x[i + 1]);
    a[i + 1] = LANES_HIGH(x[i], x[i + 1]);
  }

  for (int i = 0; i < 8; i += 4)
    for (int k = 0; k < 2; k++) {
      b[i + k] = __builtin_shufflevector(a[i + k], a[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[i + k + 2] = __builtin_shufflevector(a[i + k], a[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }

  for (int i = 0; i < 4; i++) {
    to[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    to[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

#endif
