// Value of each operation.
#ifndef TD_APPLY_H
#define TD_APPLY_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "expr/expr.h"

// True if x is a whole multiple of y up to the rounding of their quotient.  The remainder is then
// 0, as for mod(1, 1e-3), although 1e-3 is stored as a little more than a thousandth.  Whole
// numbers y have no such rounding.
static inline bool is_multiple(double x, double y) {
  const double q = x / y, n = round(q);
  return y != round(y) && fabs(q - n) < DBL_EPSILON * fabs(n);
}

// mod of MATLAB and Octave: the sign of the divisor, mod(x, 0) = x, and NaN for an infinite divisor
// as Octave's x - y floor(x/y).  fmod is exact, so that only the last addition rounds.
static inline double matlab_mod(double x, double y) {
  if (y == 0) return x;
  if (isinf(y)) return NAN;
  if (is_multiple(x, y)) return 0;
  const double r = fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

// rem of MATLAB and Octave: the sign of the dividend, rem(x, 0) = NaN.
static inline double matlab_rem(double x, double y) {
  if (isinf(y)) return NAN;
  return y != 0 && is_multiple(x, y) ? 0 : fmod(x, y);
}

// Value of an operation other than CONST, VAR and TABLE, for folding, td_ex_eval and the tape.
static inline double apply(ex_op op, double x, double y, double z) {
  switch (op) {
    case EX_CONST:
    case EX_VAR:
    case EX_TABLE:
    case EX_OP_COUNT:
      break;
    case EX_NEG:
      return -x;
    case EX_ADD:
      return x + y;
    case EX_SUB:
      return x - y;
    case EX_MUL:
      return x * y;
    case EX_DIV:
      return x / y;
    case EX_POW:
      return pow(x, y);
    case EX_SQRT:
      return sqrt(x);
    case EX_EXP:
      return exp(x);
    case EX_LOG:
      return log(x);
    case EX_SIN:
      return sin(x);
    case EX_COS:
      return cos(x);
    case EX_TAN:
      return tan(x);
    case EX_ASIN:
      return asin(x);
    case EX_ACOS:
      return acos(x);
    case EX_ATAN:
      return atan(x);
    case EX_ATAN2:
      return atan2(x, y);
    case EX_SINH:
      return sinh(x);
    case EX_COSH:
      return cosh(x);
    case EX_TANH:
      return tanh(x);
    case EX_ABS:
      return fabs(x);
    case EX_SIGN:
      return isnan(x) ? x : (double)((x > 0) - (x < 0));
    case EX_FLOOR:
      return floor(x);
    case EX_CEIL:
      return ceil(x);
    case EX_ROUND:
      return round(x);
    case EX_MOD:
      return matlab_mod(x, y);
    case EX_MIN:
      return fmin(x, y);
    case EX_MAX:
      return fmax(x, y);
    case EX_HYPOT:
      return hypot(x, y);
    case EX_LT:
      return x < y;
    case EX_LE:
      return x <= y;
    case EX_EQ:
      return x == y;
    case EX_NE:
      return x != y;
    case EX_AND:
      return x != 0 && y != 0;
    case EX_OR:
      return x != 0 || y != 0;
    case EX_NOT:
      return x == 0;
    case EX_IFELSE:
      return x != 0 ? y : z;
    case EX_STEP:
      return x >= y;
  }
  return NAN;
}

#endif
