// Every number of the field table with a range refuses what lies outside it, and every number
// refuses nan and inf unless the table allows them: with the place and the name of the field.  The
// cases follow from the table, so that a new field is tested the day it is listed.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "model/fields.h"
#include "tendril/tendril.h"

// "joint.dof.damp.pow" -> "joint(1).dof(1).damp.pow"
static void written(const td_field* field, char* text, size_t size) {
  size_t n = 0;
  for (const char* p = field->path; *p && n + 8 < size; p++) {
    const char* end = p + strcspn(p, ".");
    char parent[100];
    snprintf(parent, sizeof parent, "%.*s", (int)(end - field->path), field->path);
    const td_field* f = td_field_find(parent);
    n += (size_t)snprintf(text + n, size - n, "%.*s%s%s", (int)(end - p), p,
                          f && f->kind == FIELD_STRUCTS ? "(1)" : "", *end ? "." : "");
    if (!*end) break;
    p = end;
  }
}

// Numbers outside the range, as many as there are kinds of being outside; the first is "" behind
// the last.
static int outside(const char* range, const char* bad[4]) {
  static const struct {
    const char *range, *bad[4];
  } table[] = {{"> 0", {"0", "-1", "-1e-300"}}, {">= 0", {"-1", "-1e-9"}},
               {">= 1", {"0", "-3"}},           {">= -1", {"-2"}},
               {"(0,1]", {"0", "-1", "1.5"}},   {"(-1,0.5]", {"-1", "0.51", "2"}},
               {"-1|0|1", {"2", "-7"}},         {"0|1|2|3", {"4", "-1"}},
               {"1|2|3|4", {"0", "5"}},         {"2|4|6", {"3", "0"}}};
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    if (strcmp(table[k].range, range) != 0) continue;
    int n = 0;
    for (; n < 4 && table[k].bad[n]; n++) bad[n] = table[k].bad[n];
    return n;
  }
  print_error("the test does not know the range '%s'\n", range);
  fail();
  return 0;
}

// Does "FIELD = VALUE;" on line 2 get an error there that names the field?
static bool is_refused(const td_field* field, const char* number) {
  char path[160], text[800], name[80];
  int rows = 1, cols = 1;
  written(field, path, sizeof path);
  sscanf(field->shape, "%dx%d", &rows, &cols);
  if (field->shape[0] == 'n' || field->shape[0] == 'm')
    rows = 1, sscanf(field->shape + 1, "x%d", &cols);
  snprintf(
      text, sizeof text,
      "body(1).m = 1; joint(1).second = 1; joint(1).type = 'revolute';\n%s = (%s)*ones(%d,%d);\n",
      path, number, rows, cols);
  td_spec* spec = td_spec_new();
  td_model* model = NULL;
  if (td_spec_load_string(spec, "range.m", text) == TD_OK) td_model_compile(spec, &model);
  td_model_free(model);
  snprintf(name, sizeof name, "%s", td_field_name(field));
  bool found = false;
  for (int i = 0; i < td_spec_message_count(spec); i++) {
    const td_message m = td_spec_message(spec, i);
    if (m.severity == TD_ERROR && m.line == 2 && m.column > 1 && strstr(m.text, name) &&
        strstr(m.text, "must"))
      found = true;
  }
  if (!found) print_error("%s = %s gives no message:\n%s\n", path, number, td_spec_messages(spec));
  td_spec_free(spec);
  return found;
}

static bool is_number(const td_field* f) { return f->kind == FIELD_NUM || f->kind == FIELD_INT; }

static void numbers_outside_their_range_are_refused(void** state) {
  (void)state;
  int cases = 0, wrong = 0;
  const td_field* f;
  for (int i = 0; (f = td_field_row(i)); i++) {
    const char* bad[4];
    if (!is_number(f) || !f->options[0]) continue;
    const int n = outside(f->options, bad);
    for (int k = 0; k < n; k++, cases++) wrong += !is_refused(f, bad[k]);
  }
  print_message("%d numbers outside their range\n", cases);
  assert_true(cases > 150);
  assert_int_equal(wrong, 0);
}

static void nan_and_inf_are_refused(void** state) {
  (void)state;
  int cases = 0, wrong = 0;
  const td_field* f;
  for (int i = 0; (f = td_field_row(i)); i++) {
    if (!is_number(f) || strcmp(f->path, "par.sym") == 0 || strcmp(f->path, "par.var") == 0)
      continue;
    const bool inf = f->special[0] && strcmp(f->special, "nan") != 0,
               nan = strcmp(f->special, "nan") == 0;
    if (!nan) cases++, wrong += !is_refused(f, "nan");
    if (!inf) cases++, wrong += !is_refused(f, "inf");
    if (!inf) cases++, wrong += !is_refused(f, "-inf");
  }
  print_message("%d nan and inf\n", cases);
  assert_true(cases > 400);
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_outside_their_range_are_refused),
      cmocka_unit_test(nan_and_inf_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
