// Square matrices of dense blocks in a fixed pattern.  The values of a block column are stored
// column by column, with the rows of its blocks one below the other.  This is the order of
// compressed columns, so that libraries for scalar sparse matrices can use the values as they are.
//
//   value of entry (i, j) of block (I, J):   base[J] + height(J) j + offset(I, J) + i
#ifndef TD_PATTERN_H
#define TD_PATTERN_H

#include "base/base.h"

typedef struct td_pattern {
  int nblock;
  const int* at;      // (nblock + 1) first row of each block; the last is the order of the matrix
  const int* ptr;     // (nblock + 1) first block of each block column
  const int* row;     // block row of each block, ascending in a column
  const int* offset;  // first scalar row of each block within its column
  const int* base;    // (nblock + 1) first value of each block column; the last counts them all
} td_pattern;

// Order of the matrix, number of stored values, order of a block, stored rows of a block column.
static inline int blocks_order(const td_pattern* b) { return b->at[b->nblock]; }
static inline int blocks_values(const td_pattern* b) { return b->base[b->nblock]; }
static inline int block_size(const td_pattern* b, int block) {
  return b->at[block + 1] - b->at[block];
}
static inline int block_height(const td_pattern* b, int column) {
  const int size = block_size(b, column);
  return size > 0 ? (b->base[column + 1] - b->base[column]) / size : 0;
}
// Index of block (I, J) in `row` and `offset`, or -1 if it is zero.
static inline int block_find(const td_pattern* b, int I, int J) {
  int low = b->ptr[J], high = b->ptr[J + 1] - 1;
  while (low <= high) {
    const int middle = low + (high - low) / 2;
    if (b->row[middle] == I) return middle;
    if (b->row[middle] < I) low = middle + 1;
    if (b->row[middle] > I) high = middle - 1;
  }
  return -1;
}
// Index of the first value of block (I, J), which must exist.
static inline int block_start(const td_pattern* b, int I, int J) {
  return b->base[J] + b->offset[block_find(b, I, J)];
}

// y += A x
void td_pattern_mul(const td_pattern* b, const double* A, const double* x, double* y);

#endif
