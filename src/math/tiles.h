// Transposes of square matrices by tiles of eight by eight, which are transposed in registers.
#ifndef TD_TILES_H
#define TD_TILES_H

#include <string.h>

#include "math/lanes.h"

// to = transpose of the tile at A, whose rows are n apart.
static inline void tile_transposed(const double* A, int n, lanes to[LANES]) {
  lanes rows[LANES];
  for (int i = 0; i < LANES; i++) memcpy(&rows[i], A + i * n, sizeof(lanes));
  lanes_transpose(rows, to);
}
// Add x to the tile at A, whose rows are n apart.
static inline void tile_add(double* A, int n, const lanes x[LANES]) {
  for (int i = 0; i < LANES; i++) {
    lanes row;
    memcpy(&row, A + i * n, sizeof row);
    row += x[i];
    memcpy(A + i * n, &row, sizeof row);
  }
}

// A += Bᵀ for n x n matrices.
static inline void add_transposed(double* A, const double* B, int n) {
  const int whole = n / LANES * LANES;
  for (int i = 0; i < whole; i += LANES)
    for (int j = 0; j < whole; j += LANES) {
      lanes x[LANES];
      tile_transposed(B + j * n + i, n, x);
      tile_add(A + i * n + j, n, x);
    }
  for (int i = 0; i < n; i++)
    for (int j = i < whole ? whole : 0; j < n; j++) A[i * n + j] += B[j * n + i];
}

// A += Aᵀ for an n x n matrix: each tile above the diagonal gets the transpose of the one below it,
// which is then replaced by the transpose of the sum.
static inline void add_own_transpose(double* A, int n) {
  const int whole = n / LANES * LANES;
  for (int i = 0; i < whole; i += LANES)
    for (int j = i; j < whole; j += LANES) {
      lanes x[LANES];
      tile_transposed(A + j * n + i, n, x);
      tile_add(A + i * n + j, n, x);
      if (i == j) continue;
      tile_transposed(A + i * n + j, n, x);
      for (int k = 0; k < LANES; k++) memcpy(A + (j + k) * n + i, &x[k], sizeof(lanes));
    }
  for (int i = whole; i < n; i++)
    for (int j = 0; j <= i; j++) A[i * n + j] = A[j * n + i] = A[i * n + j] + A[j * n + i];
}

#endif
