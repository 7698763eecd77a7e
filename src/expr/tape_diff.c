// Directional derivative of the outputs of a tape along its variables: with the partial derivatives
// p of each instruction,
//
//   δs = p_x δx + p_y δy + p_z δz      instruction after instruction
//
// and the transposed map, from weights of the outputs to weights of the variables:
//
//   x̄ += p_x s̄,  ȳ += p_y s̄,  z̄ += p_z s̄      from the last instruction to the first
//
// The rules are those of diff.c.  A root is infinitely steep at zero: where one of the two factors
// of a term vanishes the term does, so that norm(v) v has its derivative at v = 0.
#include <string.h>

#include "expr/apply.h"
#include "expr/tape.h"

typedef struct slopes {
  double x, y, z;
} slopes;

static double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

// Slope of a table at x; one that is held at its ends is flat beyond them.
static double table_slope(const td_tape* t, int number, double x) {
  const tape_table* at = &t->tables[number];
  const double *knots = t->data + at->at, *coef = knots + at->n;
  const int n = at->n, order = at->order;
  if (isnan(x)) return x;
  if (order == 1 || (at->clamp && (x < knots[0] || x >= knots[n - 1]))) return 0;
  const int low = piece_of_table(knots, n, x);
  const double *c = coef + (size_t)low * (size_t)order, dx = x - knots[low];
  double y = (order - 1) * c[order - 1];
  for (int k = order - 2; k >= 1; k--) y = y * dx + k * c[k];
  return y;
}

// Partial derivatives of u^v, whose value is e.
static slopes power_slopes(double u, double v, double e) {
  return (slopes){v == 0 ? 0 : v * pow(u, v - 1), e == 0 ? 0 : e * log(u), 0};
}

// Partial derivatives of an operation with the value e; flat ones have none.
static slopes slopes_of(ex_op op, double x, double y, double z, double e) {
  (void)z;
  switch (op) {
    case EX_NEG:
      return (slopes){-1, 0, 0};
    case EX_ADD:
      return (slopes){1, 1, 0};
    case EX_SUB:
      return (slopes){1, -1, 0};
    case EX_MUL:
      return (slopes){y, x, 0};
    case EX_DIV:
      return (slopes){1 / y, -e / y, 0};
    case EX_POW:
      return power_slopes(x, y, e);
    case EX_SQRT:
      return (slopes){0.5 / e, 0, 0};
    case EX_EXP:
      return (slopes){e, 0, 0};
    case EX_LOG:
      return (slopes){1 / x, 0, 0};
    case EX_SIN:
      return (slopes){cos(x), 0, 0};
    case EX_COS:
      return (slopes){-sin(x), 0, 0};
    case EX_TAN:
      return (slopes){1 + e * e, 0, 0};
    case EX_ASIN:
      return (slopes){1 / sqrt(1 - x * x), 0, 0};
    case EX_ACOS:
      return (slopes){-1 / sqrt(1 - x * x), 0, 0};
    case EX_ATAN:
      return (slopes){1 / (1 + x * x), 0, 0};
    case EX_ATAN2:
      return (slopes){y / (x * x + y * y), -x / (x * x + y * y), 0};
    case EX_SINH:
      return (slopes){cosh(x), 0, 0};
    case EX_COSH:
      return (slopes){sinh(x), 0, 0};
    case EX_TANH:
      return (slopes){1 - e * e, 0, 0};
    case EX_ABS:
      return (slopes){x < 0 ? -1 : 1, 0, 0};
    case EX_MOD:
      return (slopes){1, -round((x - e) / y), 0};
    case EX_MIN:
      return (slopes){x <= y, !(x <= y), 0};
    case EX_MAX:
      return (slopes){!(x <= y), x <= y, 0};
    case EX_HYPOT:
      return e == 0 ? (slopes){0, 0, 0} : (slopes){x / e, y / e, 0};
    case EX_IFELSE:
      return (slopes){0, x != 0, !(x != 0)};
    default:
      return (slopes){0, 0, 0};
  }
}

static slopes slopes_at(const td_tape* t, const instruction* in, const double* s, double e) {
  if (in->op == EX_TABLE) return (slopes){table_slope(t, in->b, s[in->a]), 0, 0};
  return slopes_of(in->op, s[in->a], s[in->b], s[in->c], e);
}

// Forward mode along the tape: values s first, then changes d, one slot for each constant, variable
// and instruction.  Instructions whose operands do not change are skipped.
void td_tape_diff(const td_tape* tape, const double* vars, const double* dvars, double* scratch,
                  double* out, double* dout) {
  const int first = tape->nconst + tape->nvar;
  double *s = scratch, *d = scratch + td_tape_scratch(tape);
  td_tape_eval(tape, vars, s, out);
  memset(d, 0, (size_t)tape->nconst * sizeof *d);
  for (int i = 0; i < tape->nvar; i++) d[tape->nconst + i] = dvars[tape->vars[i]];
  for (int i = 0; i < tape->ncode; i++) {
    const instruction* in = &tape->code[i];
    const int y = in->op == EX_TABLE ? in->a : in->b;  // of a table b is its number
    d[first + i] = 0;
    if (d[in->a] == 0 && d[y] == 0 && d[in->c] == 0) continue;
    const slopes p = slopes_at(tape, in, s, s[first + i]);
    d[first + i] = times(p.x, d[in->a]) + times(p.y, d[y]) + times(p.z, d[in->c]);
  }
  for (int i = 0; i < tape->nout; i++) dout[i] = d[tape->outs[i]];
}

void td_tape_reverse(const td_tape* tape, const double* vars, const double* weights,
                     double* scratch, double* out, double* adjoint) {
  const int first = tape->nconst + tape->nvar;
  double *s = scratch, *b = scratch + td_tape_scratch(tape);
  td_tape_eval(tape, vars, s, out);

  // weights of the results, then of what each instruction was made of
  memset(b, 0, (size_t)td_tape_scratch(tape) * sizeof *b);
  for (int i = 0; i < tape->nout; i++) b[tape->outs[i]] += weights[i];
  for (int i = tape->ncode - 1; i >= 0; i--) {
    const instruction* in = &tape->code[i];
    const double bar = b[first + i];
    if (bar == 0) continue;
    const slopes p = slopes_at(tape, in, s, s[first + i]);
    b[in->a] += times(p.x, bar);
    b[in->op == EX_TABLE ? in->a : in->b] += times(p.y, bar);
    b[in->c] += times(p.z, bar);
  }

  for (int i = 0; i < tape->nvar; i++) adjoint[tape->vars[i]] += b[tape->nconst + i];
}
