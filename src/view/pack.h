// Compression of long series of numbers: each column that changes is stored as 16-bit steps between
// its least and its largest value, columns that do not change once.
#ifndef TD_PACK_H
#define TD_PACK_H

#include "base/base.h"

// Write rows x cols numbers, row by row, as the JSON object {"rows", "cols", "low", "step",
// "column", "data"}: column c of `column` is low[c] + step[c] · data; all others are low.  Error:
// at most half a step, a 131070th of the column's range.  False when out of memory.
bool td_pack_write(td_text* out, const float* x, int rows, int cols);

#endif
