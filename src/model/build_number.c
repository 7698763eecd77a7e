// Fields of the spec as numbers of the model: constants, entries of a matrix broadcast over
// elements and columns, words; expressions of parameters at their present values.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "math/random.h"
#include "model/rods.h"

num td_build_number(builder* b, ex e) {
  ex* slot = td_push_number_ex(b->m, 1);
  if (!slot) return NUM_NONE;
  *slot = e;
  return b->m->nnumber_ex - 1;
}

num td_build_constants(builder* b, const double* x, int n) {
  ex* slot = td_push_number_ex(b->m, n);
  if (!slot) return NUM_NONE;
  const num first = b->m->nnumber_ex - n;
  for (int i = 0; i < n; i++) b->m->number_ex[first + i] = td_ex_const(b->spec->graph, x[i]);
  return first;
}

// Entry of a value for an element and a column, as an expression: one row serves all elements, one
// column all directions, a vector may be a row or a column.  Missing values and columns are
// `fallback`.
ex td_build_pick(builder* b, const value* v, int element, int nelement, int col, int ncol,
                 double fallback) {
  if (!v) return td_ex_const(b->spec->graph, fallback);
  const int count = td_value_count(v);
  int i = 0;
  if (v->rows == nelement && v->cols == ncol) {
    i = element + v->rows * col;
  } else if (count == ncol) {
    i = col;
  } else if (count == nelement) {
    i = element;
  } else if (count > 1) {  // fewer columns than directions: the rest keep the fallback
    const int rows = v->rows == nelement ? nelement : 1, cols = count / rows;
    if (col >= cols) return td_ex_const(b->spec->graph, fallback);
    i = (rows == nelement ? element : 0) + rows * col;
  }
  return td_value_ex(v, i, b->spec->graph);
}

num td_build_numbers(builder* b, const value* v, int element, int nelement, int ncol,
                     double fallback) {
  if (!td_push_number_ex(b->m, ncol)) return NUM_NONE;
  const num first = b->m->nnumber_ex - ncol;
  for (int c = 0; c < ncol; c++)
    b->m->number_ex[first + c] = td_build_pick(b, v, element, nelement, c, ncol, fallback);
  return first;
}

const char* td_build_name(const value* s, int i, const char* root, plain_name plain) {
  snprintf(plain, sizeof(plain_name), "%s(%d)", root, i + 1);
  return td_get_word(s, i, "name", plain);
}

bool td_list_add(ex_list* list, ex e) {
  ex* grown = td_grow(list->e, &list->cap, list->n + 1, sizeof(ex));
  if (!grown) return false;
  list->e = grown;
  list->e[list->n++] = e;
  return true;
}

// ---- at the parameters' present values ----------------------------------------------------------

double td_build_now(const builder* b, ex e) {
  double x = NAN;
  if (td_ex_is_const(b->spec->graph, e)) return td_ex_value(b->spec->graph, e);
  return td_spec_evaluate(b->spec, e, NAN, &x) ? x : (double)NAN;
}

double* td_build_trial(const builder* b, int trial) {
  const td_spec* spec = b->spec;
  double* vars = calloc((size_t)td_exprs_nvar(spec->graph) + 1, sizeof(double));
  uint64_t seed = (uint64_t)trial;
  for (int i = 0; vars && i < spec->nparam; i++) {
    const double x = spec->params[i].value, more = random_uniform(&seed),
                 beside = random_uniform(&seed);
    if (spec->params[i].var < 0) continue;
    vars[spec->params[i].var] = trial == 0 ? x : x * (1 + 0.1 * more) + 1e-3 * beside;
  }
  return vars;
}

// Evaluate e at parameters around their present values: an expression that has the same value at
// all of them is that number.
bool td_ex_steady(const builder* b, ex e, double* x) {
  const td_spec* spec = b->spec;
  *x = td_build_now(b, e);
  if (td_ex_is_const(spec->graph, e)) return true;
  if (td_ex_depends(spec->graph, e) & ~(unsigned)TD_ON_PARAM) return false;
  bool steady = isfinite(*x);
  for (int k = 1; k <= TD_TRIALS && steady; k++) {
    double* vars = td_build_trial(b, k);
    steady = vars && fabs(td_ex_eval(spec->graph, e, vars) - *x) <= 1e-12 * (1 + fabs(*x));
    free(vars);
  }
  return steady;
}
