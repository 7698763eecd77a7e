// Evaluation of a tape: nothing is allocated and nothing recurses.
#include <string.h>

#include "expr/apply.h"
#include "expr/tape.h"

int td_tape_scratch(const td_tape* tape) { return tape->nconst + tape->nvar + tape->ncode; }

// Value of a piecewise polynomial table at x: n knots, `order` coefficients for each piece in
// powers of the distance from its knot.  Beyond the ends x is clamped, or the end pieces are
// continued.  NaN gives NaN.
double td_table_eval(const double* knots, int n, const double* coef, int order, bool clamp,
                     double x) {
  if (isnan(x)) return x;
  if (clamp) x = fmin(fmax(x, knots[0]), knots[n - 1]);

  // Horner's scheme
  const int low = piece_of_table(knots, n, x);
  const double* c = coef + (size_t)low * (size_t)order;
  const double dx = x - knots[low];
  double y = c[order - 1];
  for (int k = order - 2; k >= 0; k--) y = y * dx + c[k];
  return y;
}

// Value of a table of the tape at x.
static double table_value(const td_tape* t, int number, double x) {
  const tape_table* at = &t->tables[number];
  const double* knots = t->data + at->at;
  return td_table_eval(knots, at->n, knots + at->n, at->order, at->clamp, x);
}

// Run a tape.
void td_tape_eval(const td_tape* tape, const double* vars, double* scratch, double* out) {
  // copy constants and variables in
  double* s = scratch;
  if (tape->nconst > 0) memcpy(s, tape->consts, (size_t)tape->nconst * sizeof *s);
  for (int i = 0; i < tape->nvar; i++) s[tape->nconst + i] = vars[tape->vars[i]];

  // run the instructions and copy the outputs
  const instruction* end = tape->code + tape->ncode;
  int dst = tape->nconst + tape->nvar;

  for (const instruction* in = tape->code; in < end; in++) {
    s[dst++] = in->op == EX_TABLE ? table_value(tape, in->b, s[in->a])
                                  : apply(in->op, s[in->a], s[in->b], s[in->c]);
  }
  for (int i = 0; i < tape->nout; i++) out[i] = s[tape->outs[i]];
}
