// Products of block matrices with vectors.
#include "math/pattern.h"

// y += A x, column by column
void td_pattern_mul(const td_pattern* b, const double* A, const double* x, double* y) {
  for (int J = 0; J < b->nblock; J++) {
    const int height = block_height(b, J);
    for (int j = b->at[J]; j < b->at[J + 1]; j++) {
      const double *column = A + b->base[J] + height * (j - b->at[J]), xj = x[j];
      for (int k = b->ptr[J]; k < b->ptr[J + 1]; k++) {
        const int I = b->row[k], first = b->at[I], n = b->at[I + 1] - first;
        for (int i = 0; i < n; i++) y[first + i] += column[b->offset[k] + i] * xj;
      }
    }
  }
}
