// Expressions: a hash-consed graph of real-valued operations.
//
// Each node is created once; equal expressions have equal handles.  Constants are folded when a
// node is created, and the algebra that is exact in floating point (x+0, 1*x, 0*x for finite
// constants,
// --x, x-x = 0, x^1, x^0 ...) is applied.  A handle is an index; nodes refer only to earlier ones,
// so that the array is in topological order.  To add an operation: a line in TD_EX_OPS, its value
// in apply.h, its derivative in diff.c, its rules in fold.c and its notation in print.c.
#ifndef TD_EXPR_H
#define TD_EXPR_H

#include "base/base.h"

typedef int32_t ex;  // handle of a node; EX_NONE: none, also the result when memory runs out
#define EX_NONE ((ex)-1)

// Kinds of variables on which an expression may depend, as a set
typedef enum td_depends {
  TD_ON_NOTHING = 0,
  TD_ON_PARAM = 1,  // parameters
  TD_ON_TIME = 2,
  TD_ON_INPUT = 4,       // named inputs
  TD_ON_STATE = 8,       // positions
  TD_ON_RATE = 16,       // velocities
  TD_ON_ACCEL = 32,      // accelerations and constraint forces: for outputs and events only
  TD_ON_ARC = 64,        // arc length s of a rod
  TD_ON_COORD = 128,     // own coordinates of a dependent basis
  TD_ON_SYMBOL = 256,    // a `syms` symbol that has no value
  TD_ON_STRAIN = 512,    // strains of the current cross-section
  TD_ON_HERE = 1024,     // position and motion of the current point
  TD_ON_INTERNAL = 2048  // internal states
} td_depends;

// Operations: name, number of operands, notation in C.  The enum, the printers and the tests
// iterate over this list.
#define TD_EX_OPS(X)   \
  X(CONST, 0, "const") \
  X(VAR, 0, "var")     \
  X(NEG, 1, "-")       \
  X(ADD, 2, "+")       \
  X(SUB, 2, "-")       \
  X(MUL, 2, "*")       \
  X(DIV, 2, "/")       \
  X(POW, 2, "pow")     \
  X(SQRT, 1, "sqrt")   \
  X(EXP, 1, "exp")     \
  X(LOG, 1, "log")     \
  X(SIN, 1, "sin")     \
  X(COS, 1, "cos")     \
  X(TAN, 1, "tan")     \
  X(ASIN, 1, "asin")   \
  X(ACOS, 1, "acos")   \
  X(ATAN, 1, "atan")   \
  X(ATAN2, 2, "atan2") \
  X(SINH, 1, "sinh")   \
  X(COSH, 1, "cosh")   \
  X(TANH, 1, "tanh")   \
  X(ABS, 1, "fabs")    \
  X(SIGN, 1, "sign")   \
  X(FLOOR, 1, "floor") \
  X(CEIL, 1, "ceil")   \
  X(ROUND, 1, "round") \
  X(MOD, 2, "mod")     \
  X(MIN, 2, "fmin")    \
  X(MAX, 2, "fmax")    \
  X(HYPOT, 2, "hypot") \
  X(LT, 2, "<")        \
  X(LE, 2, "<=")       \
  X(EQ, 2, "==")       \
  X(NE, 2, "!=")       \
  X(AND, 2, "&&")      \
  X(OR, 2, "||")       \
  X(NOT, 1, "!")       \
  X(IFELSE, 3, "?:")   \
  X(STEP, 2, "step")   \
  X(TABLE, 1, "table")
// STEP(x, x0): 0 for x < x0, 1 for x >= x0.  MOD is MATLAB's (sign of the divisor; mod(x,0) = x;
// 0 where the quotient is a whole number up to rounding).
// TABLE: a piecewise polynomial of its operand (see td_ex_table).  SIGN(0) = 0.
// Derivatives of the discontinuous operations are 0 away from the jump; those of ABS, MIN and MAX
// are one-sided.

typedef enum ex_op {
#define X(name, arity, c) EX_##name,
  TD_EX_OPS(X)
#undef X
      EX_OP_COUNT
} ex_op;

typedef struct td_exprs td_exprs;  // the graph

td_exprs* td_exprs_new(void);
void td_exprs_free(td_exprs* g);
td_exprs* td_exprs_copy(const td_exprs* g);  // handles stay valid in the copy
int td_exprs_count(const td_exprs* g);
bool td_exprs_failed(
    const td_exprs* g);  // memory ran out or the node limit was reached (20 million)

// Variables are numbered 0, 1, ... in the order they are made.
int td_exprs_var(td_exprs* g, const char* name, td_depends kind);
int td_exprs_nvar(const td_exprs* g);
const char* td_exprs_var_name(const td_exprs* g, int var);
td_depends td_exprs_var_kind(const td_exprs* g, int var);

// Constructors.  An EX_NONE operand gives EX_NONE.
ex td_ex_const(td_exprs* g, double value);
ex td_ex_var(td_exprs* g, int var);
ex td_ex_make(td_exprs* g, ex_op op, ex a, ex b, ex c);  // unused operands: EX_NONE
static inline ex td_ex_1(td_exprs* g, ex_op op, ex a) {
  return td_ex_make(g, op, a, EX_NONE, EX_NONE);
}
static inline ex td_ex_2(td_exprs* g, ex_op op, ex a, ex b) {
  return td_ex_make(g, op, a, b, EX_NONE);
}
// Piecewise polynomial on [x0,x1), [x1,x2) ...: n knots ascending, n-1 pieces, `order` coefficients
// each (lowest power of (x - x_i) first), clamped outside when `clamp` (else the end pieces are
// continued).  Copied.
ex td_ex_table(td_exprs* g, const double* knots, int n, const double* coef, int order, bool clamp,
               ex x);

// Tables are numbered 0, 1, ... in order of creation, equal tables once; derivatives add tables.
typedef struct td_ex_pieces {
  const double* knots;  // (n)
  const double* coef;   // (n-1) x order
  int n, order;
  bool clamp;
} td_ex_pieces;
int td_exprs_ntable(const td_exprs* g);
td_ex_pieces td_exprs_table(const td_exprs* g,
                            int number);      // belongs to g; valid until the next table is made
int td_ex_table_of(const td_exprs* g, ex e);  // table number of a TABLE node, -1 otherwise

// Queries.
ex_op td_ex_op(const td_exprs* g, ex e);
ex td_ex_arg(const td_exprs* g, ex e, int i);
bool td_ex_is_const(const td_exprs* g, ex e);
double td_ex_value(const td_exprs* g, ex e);  // value of a constant, NaN otherwise
int td_ex_var_of(const td_exprs* g, ex e);    // variable number of a VAR node, -1 otherwise
td_depends td_ex_depends(const td_exprs* g, ex e);
bool td_ex_has_var(const td_exprs* g, ex e, int var);  // linear in the size of e
// Store the variables that e depends on, ascending, at most `max`; returns their number.
int td_ex_vars(const td_exprs* g, ex e, int* vars, int max);
int td_ex_size(const td_exprs* g, ex e);  // number of nodes, shared ones once; 0: no memory

// List the nodes that n expressions need, operands first.  The caller frees it; NULL: no memory.
ex* td_ex_needed(const td_exprs* g, const ex* e, int n, int* count);

// Exact derivative with respect to a variable; hash-consing shares work between calls.
ex td_ex_diff(td_exprs* g, ex e, int var);
// Directional derivatives of n expressions: variable var[i] has the rate rate[i], the others are
// constant.  False and EX_NONE when memory runs out or a handle is wrong.
bool td_ex_along(td_exprs* g, const ex* e, int n, const int* var, const ex* rate, int nvar,
                 ex* out);
// Number of derivatives of e that are continuous when what `depends` names changes: -1: e itself
// jumps, 0: it has a corner, ... 3: all that are needed.  Only operations are judged: an `ifelse`
// whose sides meet counts as a jump.
int td_ex_smoothness(const td_exprs* g, ex e, int depends);

// Replace each variable var[i] in e (or in ne expressions) by with[i].
ex td_ex_substitute(td_exprs* g, ex e, const int* var, const ex* with, int n);
bool td_ex_substitute_all(td_exprs* g, const ex* e, int ne, const int* var, const ex* with, int n,
                          ex* out);

// Replace every clamped table in e by one whose end pieces continue beyond the end knots.
ex td_ex_open(td_exprs* g, ex e);

// Times at which e jumps or has a corner because of time alone (STEP, comparisons, MIN/MAX/ABS
// corners that are linear in t, table knots): constants t* in [t0, t1].  Appends to *times (grown
// with td_grow); false: no memory.
bool td_ex_stop_times(const td_exprs* g, ex e, int time_var, double t0, double t1, double** times,
                      int* n, int* cap);

// What happens to a node where its clock changes its sign: nothing (there is no clock), a corner,
// or a jump.
typedef enum td_clock { TD_CLOCK_NONE, TD_CLOCK_CORNER, TD_CLOCK_JUMP } td_clock;
// *clock: an expression that changes its sign where the operation of node e, not its operands, has
// a corner or a jump; for rounding operations sin(π x), which does so at every whole number x.
// Tables have none.
td_clock td_ex_clock(td_exprs* g, ex e, ex* clock);

// A tape holds the operations that some outputs need, in order.  Its evaluation allocates nothing
// and does not recurse.
typedef struct td_tape td_tape;
td_tape* td_tape_new(const td_exprs* g, const ex* outputs,
                     int n);  // NULL: no memory.  Independent of g afterwards
void td_tape_free(td_tape* tape);
int td_tape_scratch(const td_tape* tape);  // doubles of scratch that an evaluation needs
int td_tape_length(const td_tape* tape);   // number of operations
// out[i] = outputs[i] at the given variables.  `scratch` has td_tape_scratch() doubles.
void td_tape_eval(const td_tape* tape, const double* vars, double* scratch, double* out);
// Evaluate a tape, and the changes dout of its outputs for changes dvars of the variables
// (tape_diff.c). `scratch` has twice as many doubles.
void td_tape_diff(const td_tape* tape, const double* vars, const double* dvars, double* scratch,
                  double* out, double* dout);
// Evaluate a tape and add, for weights of its outputs, those of its variables to adjoint: the
// transposed map of td_tape_diff.  `scratch` has twice as many doubles.
void td_tape_reverse(const td_tape* tape, const double* vars, const double* weights,
                     double* scratch, double* out, double* adjoint);
// Evaluate one expression; allocates.  For constants and tests.
double td_ex_eval(const td_exprs* g, ex e, const double* vars);

// Print an expression.  Variables appear by name; in code, characters that identifiers cannot have
// become '_'.  Shared sub-expressions are not named here; the derivation does that.  A text that
// would be longer than a million characters ends in "...".  The printed code computes the value of
// the tape, bit for bit if its functions do, except for squares printed as powers.
//   C       C99 with <math.h> and the helpers td_step(x, x0), td_sign(x) and td_mod(x, y), which
//   are
//           STEP, SIGN and MOD of doubles, and td_table_K(x) for each table number K that occurs
//           (td_exprs_table).
//   OCTAVE  scalars; tables as td_table_K(x); a choice as merge(c, a, b).
//   PYTHON  numpy as np; tables as td_table_K(x); a choice as np.where(c, a, b); td_mod(x, y) as in
//           C.
//   LATEX   math mode, amsmath.  Variable names give Greek letters and subscripts: omega_1.
typedef enum td_syntax {
  TD_SYNTAX_C,
  TD_SYNTAX_OCTAVE,
  TD_SYNTAX_PYTHON,
  TD_SYNTAX_LATEX
} td_syntax;
void td_ex_print(const td_exprs* g, ex e, td_syntax syntax, td_text* out);

#endif
