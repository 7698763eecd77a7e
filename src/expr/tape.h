// The inside of a tape, for the file that makes it, the one that runs it and the exporter.
//
// A tape is a list of instructions on one array of numbers, the scratch:
//
//   [ constants | variables that occur | intermediate results ]
//
// The constants and the variables are copied in first (a few per cent of the time), so that an
// instruction is just s[dst] = op(s[a], s[b], s[c]) with no question of where an operand lives. The
// result of instruction i has the i-th place after the inputs; using places again after their last
// use was measured and is no faster, since the instructions themselves take more of the cache.
#ifndef TD_TAPE_H
#define TD_TAPE_H

#include "expr/expr.h"

typedef struct instruction {
  ex_op op;
  int a, b, c;  // b is the table's number for TABLE; unused operands repeat a
} instruction;

typedef struct tape_table {
  int n, order, clamp;
  size_t at;  // knots then coefficients, in `tables`
} tape_table;

struct td_tape {
  int ncode, nconst, nvar, nout, ntable;
  instruction* code;
  double* consts;
  int* vars;  // number of each variable copied in
  int* outs;  // place of each output
  tape_table* tables;
  double* data;  // of the tables
};

double td_table_eval(const double* knots, int n, const double* coef, int order, bool clamp,
                     double x);

#endif
