// Models compiled from short texts, and sums over what the compiler made of them.
#ifndef TD_TEST_COMPILED_H
#define TD_TEST_COMPILED_H

#include "check.h"
#include "model/compile.h"

typedef struct compiled {
  td_spec* spec;
  td_model* m;
} compiled;

static inline compiled compile_text(const char* text) {
  compiled c = {td_spec_new(), NULL};
  if (td_spec_load_string(c.spec, "test.m", text) != TD_OK || td_compile(c.spec, &c.m) != TD_OK)
    fail_msg("%s", td_spec_messages(c.spec));
  return c;
}
// The first message of a text that is not compiled.
static inline compiled refuse_text(const char* text, const char* message) {
  compiled c = {td_spec_new(), NULL};
  td_status status = td_spec_load_string(c.spec, "test.m", text);
  if (status == TD_OK) status = td_compile(c.spec, &c.m);
  assert_int_not_equal(status, TD_OK);
  if (!strstr(td_spec_messages(c.spec), message))
    fail_msg("no '%s' in: %s", message, td_spec_messages(c.spec));
  return c;
}
// A text and one of its messages, with the place that it points to.
typedef struct said {
  const char* text;
  int line, column;
  const char* message;
} said;
static inline void expect_messages(const said* list, size_t n) {
  for (size_t k = 0; k < n; k++) {
    compiled c = {td_spec_new(), NULL};
    if (td_spec_load_string(c.spec, "test.m", list[k].text) == TD_OK) td_compile(c.spec, &c.m);
    bool found = false;
    for (int i = 0; i < td_spec_message_count(c.spec); i++) {
      const td_message m = td_spec_message(c.spec, i);
      found = found || (m.line == list[k].line && m.column == list[k].column &&
                        strstr(m.text, list[k].message));
    }
    if (!found)
      fail_msg("no '%s' at %d:%d of: %s", list[k].message, list[k].line, list[k].column,
               td_spec_messages(c.spec));
    td_model_free(c.m);
    td_spec_free(c.spec);
  }
}
#define EXPECT_MESSAGES(list) expect_messages(list, sizeof(list) / sizeof *(list))
static inline void compiled_free(compiled c) {
  td_model_free(c.m);
  td_spec_free(c.spec);
}

// A number that does not change.
static inline double fixed_number(const td_model* m, num slot) {
  assert_true(slot >= 0 && slot < m->nnumber && m->constant[slot]);
  return m->number[slot];
}
static inline double mass_of_lumps(const td_model* m) {
  double sum = 0;
  for (int i = 0; i < m->nlump; i++) sum += fixed_number(m, m->lump[i].m);
  return sum;
}

#endif
