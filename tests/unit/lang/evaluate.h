// For tests of the language: run a text and show what a variable became.
#ifndef TD_TEST_EVALUATE_H
#define TD_TEST_EVALUATE_H

#include "check.h"
#include "lang/eval.h"

// Variables of expressions: t = 2, parameters and inputs their values, sensors 0.5.
static inline double* variables_of(const td_spec* spec) {
  const int n = td_exprs_nvar(spec->graph);
  double* x = calloc((size_t)n + 1, sizeof(double));
  for (int i = 0; i < n; i++) x[i] = 0.5;
  x[spec->time_var] = 2;
  for (int i = 0; i < spec->nparam; i++) {
    if (spec->params[i].var >= 0) x[spec->params[i].var] = spec->params[i].value;
  }
  for (int i = 0; i < spec->ninput; i++) x[spec->inputs[i].var] = spec->inputs[i].value;
  return x;
}

static inline void show_element_of(const td_spec* spec, const value* v, int i, const double* vars,
                                   td_text* out) {
  double x = v->x[i];
  if (v->e && v->e[i] != EX_NONE) {
    x = td_ex_eval(spec->graph, v->e[i], vars);
    td_text_add(out, "~");  // not known while loading
  }
  if (isnan(x)) {
    td_text_add(out, "nan");
  } else {
    td_text_printf(out, "%.9g", x == 0 ? 0 : x);
  }
}

// 1x1: 3 or ~3 (expression) or true; matrices [1 2;3 4]; pages behind '|'; strings 'a'; structs and
// cells in words.
static inline void show_value_of(const td_spec* spec, const value* v, td_text* out) {
  char text[TD_DESCRIBE_SIZE];
  if (!v) {
    td_text_add(out, "nothing");
  } else if (v->kind == V_STR) {
    td_text_printf(out, "'%s'", v->s);
  } else if (v->kind == V_NUM) {
    double* vars = variables_of(spec);
    const bool one = td_value_count(v) == 1;
    const bool shown = v->logical && !td_has_expr(v);
    if (shown) td_text_add(out, one ? (v->x[0] != 0 ? "true" : "false") : "logical");
    if (!one) td_text_add(out, td_value_count(v) == 0 ? td_value_describe(v, text) : "[");
    for (int k = 0; k < v->pages && !(shown && one); k++) {
      if (k > 0) td_text_add(out, "|");
      for (int i = 0; i < v->rows; i++) {
        if (i > 0) td_text_add(out, ";");
        for (int j = 0; j < v->cols; j++) {
          if (j > 0) td_text_add(out, " ");
          show_element_of(spec, v, i + v->rows * (j + v->cols * k), vars, out);
        }
      }
    }
    if (!one && td_value_count(v) > 0) td_text_add(out, "]");
    free(vars);
  } else if (v->kind == V_REF) {
    td_text_printf(out, "%s(%d)", v->ref.root, v->ref.index);
    if (v->ref.has_place) td_text_printf(out, " at %g", td_ex_value(spec->graph, v->ref.place));
  } else {
    td_text_add(out, td_value_describe(v, text));
  }
}

// The value of a global variable; NULL when there is none.
static inline const value* global_of(const td_spec* spec, const char* name) {
  const lang* L = spec->language;
  const variable* var = L ? td_scope_find(&L->global, name) : NULL;
  return var ? var->v : NULL;
}

#endif
