// Messages as users see them: position, source line, caret, hint.
#include "base/diag.h"

#include "check.h"

static td_span span(int source, int begin, int end) { return (td_span){source, begin, end}; }

// One message about `text` at [begin, end), rendered.
static void check_render(const char* text, int begin, int end, const char* hint,
                         const char* expected) {
  td_diags d = {0};
  td_text out = {0};
  const int s = td_diags_source(&d, "arm.m", text, (int)strlen(text));
  td_error(&d, TD_E_MODEL, span(s, begin, end), "wrong");
  if (hint) td_hint(&d, "%s", hint);
  td_diag_render(&d, 0, &out);
  assert_string_equal(out.s, expected);
  td_text_free(&out);
  td_diags_free(&d);
}

static void a_message_looks_as_in_the_manual(void** state) {
  (void)state;
  static const char text[] = "x = 1;\n\njoint(2).sprng.coeff = 40;\n";
  static const char* const fields[] = {"first", "second", "spring", "damp"};
  td_diags d = {0};
  td_text out = {0};
  const int s = td_diags_source(&d, "arm.m", text, (int)strlen(text));
  const td_status status =
      td_error(&d, TD_E_MODEL, span(s, 17, 22), "unknown field '%s' of joint", "sprng");
  td_suggest(&d, "sprng", fields, 4);
  td_more(&d, "fields of joint: first second");
  td_more(&d, "see the manual");
  td_diag_render(&d, 0, &out);
  assert_int_equal(status, TD_E_MODEL);
  assert_string_equal(out.s,
                      "arm.m:3:10: error: unknown field 'sprng' of joint\n"
                      "    3 | joint(2).sprng.coeff = 40;\n"
                      "      |          ^~~~~ did you mean 'spring'?\n"
                      "      | fields of joint: first second\n"
                      "      | see the manual\n");
  td_text_free(&out);
  td_diags_free(&d);
}

static void the_caret_stays_under_its_character(void** state) {
  (void)state;
  check_render("\tx = a;\n", 5, 6, NULL,
               "arm.m:1:6: error: wrong\n    1 | \tx = a;\n      | \t    ^\n");
  check_render("µ = ü + b;", 8, 11, NULL,
               "arm.m:1:9: error: wrong\n    1 | µ = ü + b;\n      |       ^~~\n");
  check_render("x = üü;", 4, 8, "h",
               "arm.m:1:5: error: wrong\n    1 | x = üü;\n      |     ^~ h\n");
}

static void carets_end_with_the_line(void** state) {
  (void)state;
  check_render("a = [1\n2];", 4, 9, NULL,
               "arm.m:1:5: error: wrong\n    1 | a = [1\n      |     ^~\n");
  check_render("a =\nb", 3, 3, "h", "arm.m:1:4: error: wrong\n    1 | a =\n      |    ^ h\n");
  check_render("a = 2", 5, 9, NULL, "arm.m:1:6: error: wrong\n    1 | a = 2\n      |      ^\n");
  check_render("", 0, 0, NULL, "arm.m:1:1: error: wrong\n    1 | \n      | ^\n");
}

static void all_kinds_of_line_ends_count(void** state) {
  (void)state;
  check_render("a\r\nbc\r\nd", 3, 5, NULL, "arm.m:2:1: error: wrong\n    2 | bc\n      | ^~\n");
  check_render("a\rbc\rd", 2, 4, NULL, "arm.m:2:1: error: wrong\n    2 | bc\n      | ^~\n");
  check_render("a\r\nbc\r\nd", 6, 6, NULL, "arm.m:2:3: error: wrong\n    2 | bc\n      |   ^\n");
  check_render("\xEF\xBB\xBFx = 1", 3, 4, NULL,
               "arm.m:1:1: error: wrong\n    1 | x = 1\n      | ^\n");
}

static void what_a_terminal_would_obey_is_not_sent(void** state) {
  (void)state;
  check_render("a\x1B[2J\xFF z", 7, 8, NULL,
               "arm.m:1:8: error: wrong\n    1 | a?[2J? z\n      |        ^\n");
}

// Long lines are cut around the caret, between characters, and the caret stays under its own.
static void long_lines_are_cut_around_the_caret(void** state) {
  (void)state;
  enum { N = 1000 };
  char text[2 * N + 1];
  for (int i = 0; i < N; i++) memcpy(text + 2 * i, "µ", 2);
  text[2 * N] = '\0';
  for (int at = 0; at < 2 * N; at += 2) {
    td_diags d = {0};
    td_text out = {0};
    const int s = td_diags_source(&d, "arm.m", text, 2 * N);
    text[at] = 'x', text[at + 1] = ' ';
    memcpy(d.sources[s].text, text, 2 * N);
    memcpy(text + at, "µ", 2);
    td_error(&d, TD_E_MODEL, span(s, at, at + 1), "wrong");
    td_diag_render(&d, 0, &out);

    // columns of x in the second line and of ^ in the third
    const char* line = strchr(out.s, '\n') + 1;
    const char* caret = strchr(line, '\n') + 1;
    int column = 0, code, length;
    for (const char* c = line; *c != 'x'; c += length, column++) {
      length = td_utf8_decode(c, 4, &code);
      assert_true(length > 0);
    }
    assert_int_equal(strchr(caret, '^') - caret, column);
    assert_true(caret - line < 200);
    td_text_free(&out);
    td_diags_free(&d);
  }
}

static void messages_without_a_position_have_no_source_line(void** state) {
  (void)state;
  td_diags d = {0};
  td_text out = {0};
  const int s = td_diags_source(&d, "arm.m", "x", 1);
  td_error(&d, TD_E_MODEL, td_span_none(), "no body");
  td_error(&d, TD_E_SYNTAX, td_span_file(s), "not a text file");
  td_hint(&d, "save it as UTF-8");
  td_warn(&d, span(s, 0, 1), "unused");
  for (int i = 0; i < d.n; i++) td_diag_render(&d, i, &out);
  assert_string_equal(out.s,
                      "arm.m: error: no body\n"  // about the model as a whole
                      "arm.m: error: not a text file\n"
                      "      | save it as UTF-8\n"
                      "arm.m:1:1: warning: unused\n"
                      "    1 | x\n"
                      "      | ^\n");
  assert_int_equal(d.errors, 2);
  assert_int_equal(d.warnings, 1);
  td_text_free(&out);
  td_diags_free(&d);
}

static void the_same_message_is_added_once(void** state) {
  (void)state;
  td_diags d = {0};
  const int s = td_diags_source(&d, "arm.m", "x = y", 5);
  for (int i = 0; i < 3; i++) {
    td_error(&d, TD_E_MODEL, span(s, 0, 1), "wrong");
    td_hint(&d, "hint %d", i);
  }
  td_error(&d, TD_E_MODEL, span(s, 4, 5), "wrong");
  td_warn(&d, span(s, 0, 1), "wrong");
  assert_int_equal(d.n, 3);
  assert_int_equal(d.errors, 2);
  assert_string_equal(d.list[0].hint, "hint 0");  // those of the copies went nowhere

  // a line that runs in a loop: the first of those that differ in numbers, and how many there were
  td_text out = {0};
  for (int i = 0; i < 12; i++)
    td_error(&d, TD_E_MODEL, span(s, 2, 3), "body(%d).m is -%d", i, 3 * i);
  td_error(&d, TD_E_MODEL, span(s, 2, 3), "body(1).k is -3");
  assert_int_equal(d.n, 5);
  td_diag_render(&d, 3, &out);
  assert_non_null(strstr(out.s, "error: body(0).m is -0 (and 11 more like it here)\n"));
  td_text_free(&out);
  td_diags_free(&d);
}

static void errors_beyond_the_limit_are_only_counted(void** state) {
  (void)state;
  td_diags d = {0};
  for (int i = 0; i < 2 * TD_DIAG_LIMIT; i++) {
    td_error(&d, TD_E_MODEL, td_span_none(), "error %d", i);
    td_hint(&d, "hint %d", i);
    td_warn(&d, td_span_none(), "warning %d", i);
  }
  assert_int_equal(d.n, 2 * TD_DIAG_LIMIT);
  assert_int_equal(d.errors, 2 * TD_DIAG_LIMIT);
  assert_int_equal(d.dropped, 2 * TD_DIAG_LIMIT);
  td_diags_free(&d);
}

static void only_shortest_utf8_is_decoded(void** state) {
  (void)state;
  static const struct {
    const char* bytes;
    int length, code;
  } cases[] = {
      {"A", 1, 'A'},
      {"\xC2\xB5", 2, 0xB5},
      {"\xE2\x88\x92", 3, 0x2212},
      {"\xF0\x9F\x98\x80", 4, 0x1F600},
      {"\xC1\x81", 0, 0},
      {"\xE0\x80\x80", 0, 0},
      {"\xED\xA0\x80", 0, 0},
      {"\x80", 0, 0},
      {"\xE2\x88", 0, 0},
      {"\xF5\x80\x80\x80", 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int code = 0;
    const int n = td_utf8_decode(cases[i].bytes, (int)strlen(cases[i].bytes), &code);
    assert_int_equal(n, cases[i].length);
    if (n > 0) assert_int_equal(code, cases[i].code);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_message_looks_as_in_the_manual),
      cmocka_unit_test(the_caret_stays_under_its_character),
      cmocka_unit_test(carets_end_with_the_line),
      cmocka_unit_test(all_kinds_of_line_ends_count),
      cmocka_unit_test(what_a_terminal_would_obey_is_not_sent),
      cmocka_unit_test(long_lines_are_cut_around_the_caret),
      cmocka_unit_test(messages_without_a_position_have_no_source_line),
      cmocka_unit_test(the_same_message_is_added_once),
      cmocka_unit_test(errors_beyond_the_limit_are_only_counted),
      cmocka_unit_test(only_shortest_utf8_is_decoded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
