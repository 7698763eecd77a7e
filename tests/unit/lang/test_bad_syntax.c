// Every tests/bad/syntax_*.m gives exactly the messages of its .expected file, one per line:
// LINE:COLUMN: severity: text.
#include <dirent.h>

#include "ast.h"
#include "check.h"

static void add_file(td_text* text, const char* path) {
  FILE* f = fopen(path, "rb");
  if (!f) print_error("cannot open %s\n", path);
  assert_non_null(f);
  char part[4096];
  for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;) td_text_addn(text, part, (int)n);
  fclose(f);
}

static void add_messages(td_text* out, const td_diags* d) {
  static const char* const severity[] = {"note", "warning", "error"};
  for (int i = 0; i < d->n; i++) {
    int line, column;
    td_span_position(d, d->list[i].at, &line, &column);
    td_text_printf(out, "%d:%d: %s: %s\n", line, column, severity[d->list[i].severity],
                   d->list[i].text);
  }
}

static void check_file(const char* folder, const char* name) {
  td_text model = {0}, expected = {0}, got = {0}, path = {0};
  td_text_printf(&path, "%s/%s", folder, name);
  add_file(&model, path.s);
  path.n -= 2;  // without .m
  td_text_add(&path, ".expected");
  add_file(&expected, path.s);

  td_diags d = {0};
  ast_pool* pool;
  assert_non_null(td_parse(&d, td_diags_source(&d, name, model.s, model.n), &pool));
  add_messages(&got, &d);
  if (!got.s || strcmp(got.s, expected.s) != 0) print_error("file: %s\n", name);
  assert_non_null(got.s);
  assert_string_equal(got.s, expected.s);
  td_ast_free(pool);
  td_diags_free(&d);
  td_text_free(&model);
  td_text_free(&expected);
  td_text_free(&got);
  td_text_free(&path);
}

static void every_wrong_text_gives_its_messages(void** state) {
  (void)state;
  static const char folder[] = TEST_SOURCE_DIR "/tests/bad";
  DIR* dir = opendir(folder);
  assert_non_null(dir);
  int n = 0;
  for (const struct dirent* e; (e = readdir(dir));) {
    const char* end = strrchr(e->d_name, '.');
    if (strncmp(e->d_name, "syntax_", 7) != 0 || !end || strcmp(end, ".m") != 0) continue;
    check_file(folder, e->d_name);
    n++;
  }
  closedir(dir);
  assert_true(n >= 80);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_wrong_text_gives_its_messages)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
