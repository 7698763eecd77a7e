// Every tests/bad/syntax_*.m gets its messages from the parser.
#include "bad.h"
#include "lang/ast.h"

static void parse(const char* path, td_text* out) {
  td_text text = {0};
  td_diags d = {0};
  ast_pool* pool;
  bad_read(path, &text);
  assert_non_null(td_parse(&d, td_diags_source(&d, path, text.s, text.n), &pool));
  for (int i = 0; i < d.n; i++) {
    int line, column;
    td_span_position(&d, d.list[i].at, &line, &column);
    bad_add(out, line, column, d.list[i].severity, d.list[i].text);
  }
  td_ast_free(pool);
  td_diags_free(&d);
  td_text_free(&text);
}

static void every_wrong_text_gives_its_messages(void** state) {
  (void)state;
  bad_check_all("syntax_", 80, parse);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_wrong_text_gives_its_messages)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
