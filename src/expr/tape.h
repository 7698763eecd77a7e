// Layout of a tape, for the file that compiles it, the one that runs it and the exporter.
//
// A tape is a list of instructions on one array of numbers, the scratch:
//
//   [ constants | variables that occur | intermediate results ]
//
// Constants and variables are copied in first (a few per cent of the time), so that an instruction
// is just s[dst] = op(s[a], s[b], s[c]), wherever an operand comes from.  The result of instruction
// i has the i-th place after the inputs.  Reusing places after their last use was measured and is
// no faster, since the instructions themselves take more of the cache.
#ifndef TD_TAPE_H
#define TD_TAPE_H

#include "expr/expr.h"

typedef struct instruction {
  ex_op op;
  int a, b, c;  // b is the table's number for TABLE; unused operands repeat a
} instruction;

// Piecewise polynomial as in td_ex_table
typedef struct tape_table {
  int n, order, clamp;
  size_t at;  // start of its knots and coefficients in `data`
} tape_table;

struct td_tape {
  int ncode, nconst, nvar, nout, ntable;
  instruction* code;
  double* consts;
  int* vars;  // number of each variable copied in
  int* outs;  // place of each output in the scratch
  tape_table* tables;
  double* data;  // knots and coefficients of the tables
};

// The piece of a table at x: the last knot not above x; the end pieces are continued.
static inline int piece_of_table(const double* knots, int n, double x) {
  // knots[low] <= x < knots[high]; first try the piece it would be with equal spacing
  int low = 0, high = n - 1;
  const double guess = (x - knots[0]) / (knots[n - 1] - knots[0]) * (n - 1);
  const int first = guess > 0 ? (guess < n - 2 ? (int)guess : n - 2) : 0;
  if (knots[first] <= x) {
    low = first;
    if (x < knots[first + 1]) high = first + 1;
  } else if (first > 0) {
    high = first;
  }

  while (high - low > 1) {
    const int mid = low + (high - low) / 2;
    if (knots[mid] <= x) {
      low = mid;
    } else {
      high = mid;
    }
  }
  return low;
}

// Value at x of the piecewise polynomial of td_ex_table
double td_table_eval(const double* knots, int n, const double* coef, int order, bool clamp,
                     double x);

#endif
