// The reference page: a chapter for each structure, with a row for each of its fields.
#include "compiled.h"
#include "model/fields.h"
#include "model/structure.h"

static void test_every_structure_and_field_has_its_place_in_the_page(void** state) {
  (void)state;
  td_text page = {0};
  td_fields_manual(&page);
  for (char* at; (at = strstr(page.s, "(i)"));)
    memmove(at, at + 3, strlen(at + 3) + 1);  // of arrays
  const td_structure* s;
  for (int k = 0; (s = td_structure_at(k)); k++) {
    char title[64];
    snprintf(title, sizeof title, "\n## %s%s: ", s->fields->path,
             s->fields->kind == FIELD_STRUCTS ? "(k)" : "");
    const char *chapter = strstr(page.s, title), *next = chapter ? strstr(chapter + 1, "\n## ") : 0;
    assert_non_null(next);
    const char* example = strstr(chapter, s->example);
    assert_true(example && example < next);
    for (const td_field* f = s->fields + 1; f->path; f++) {
      char row[100];
      snprintf(row, sizeof row, "\n| `%s` | ", strchr(f->path, '.') + 1);
      const char* at = strstr(chapter, row);
      if (!at || at > next) fail_msg("no row for %s", f->path);
    }
  }
  td_text_free(&page);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_structure_and_field_has_its_place_in_the_page),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
