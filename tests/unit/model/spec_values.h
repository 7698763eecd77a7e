// Specs made by hand, and what td_spec_check says of them.
#ifndef SPEC_VALUES_H
#define SPEC_VALUES_H

#include "check.h"
#include "model/spec.h"

// The slot a path like "joint(2).dof(1).spring.coeff" leads to, structures made on the way.
static inline value_slot* slot_at(td_spec* spec, const char* path) {
  value* s = spec->root;
  int i = 0;
  for (;;) {
    char name[32];
    const size_t n = strcspn(path, ".(");
    snprintf(name, sizeof name, "%.*s", (int)n, path);
    value_slot* slot = td_value_slot_make(s, i, name);
    path += n;
    i = 0;
    if (*path == '(') {
      i = atoi(path + 1) - 1;
      path += strcspn(path, ")") + 1;
    }
    if (*path != '.') return slot;
    path++;
    if (!slot->v) slot->v = td_value_struct(1, 1);
    s = slot->v;
  }
}

static inline void put(td_spec* spec, const char* path, value* v) {
  value_slot* slot = slot_at(spec, path);
  td_value_drop(slot->v);
  *slot = (value_slot){v, td_span_none(), td_span_none()};
}

static inline void put_matrix(td_spec* spec, const char* path, int rows, int cols,
                              const double* x) {
  value* v = td_value_num(rows, cols, 1);
  memcpy(v->x, x, sizeof(double) * (size_t)(rows * cols));
  put(spec, path, v);
}

static inline void put_number(td_spec* spec, const char* path, double x) {
  put(spec, path, td_value_scalar(x));
}

static inline void put_text(td_spec* spec, const char* path, const char* s) {
  put(spec, path, td_value_string(s, (int)strlen(s)));
}

static inline void put_variable(td_spec* spec, const char* path, const char* name,
                                td_depends kind) {
  const int var = td_exprs_var(spec->graph, name, kind);
  put(spec, path, td_value_expr(td_ex_var(spec->graph, var)));
}

static inline void expect(td_spec* spec, const char* message) {
  assert_int_equal(td_spec_check(spec), TD_E_MODEL);
  assert_int_equal(spec->diags.n, 1);
  assert_string_equal(spec->diags.list[0].text, message);
  td_spec_free(spec);
}

static inline void expect_none(td_spec* spec) {
  const td_status status = td_spec_check(spec);
  for (int i = 0; i < spec->diags.n; i++) print_error("%s\n", spec->diags.list[i].text);
  assert_int_equal(status, TD_OK);
  assert_int_equal(spec->diags.n, 0);
  td_spec_free(spec);
}

#endif
