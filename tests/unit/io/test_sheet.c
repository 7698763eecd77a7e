// Tables of measurements: separators, quotes, gaps, words, and what is no table.
#include "io/sheet.h"

#include <stdio.h>
#include <unistd.h>

#include "check.h"

static td_status read_text(const char* text, td_sheet* s, char message[300]) {
  char path[] = "/tmp/test_sheet_XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  FILE* f = fdopen(file, "wb");
  fputs(text, f);
  fclose(f);
  message[0] = 0;
  const td_status status = td_sheet_read(path, s, message, 300);
  remove(path);
  return status;
}

static void test_separators_quotes_and_gaps(void** state) {
  (void)state;
  static const char* const texts[] = {"t,x,note\n0,1.5,a\n1,,\"b, c\"\n\n2,nan,\n",
                                      "t;x;note\r\n0;1.5;a\r\n1;;b\r\n2; NaN;c",
                                      "\xef\xbb\xbft\tx\tnote\n0\t1.5\ta\n1\t\tb\n2\n"};
  for (int i = 0; i < 3; i++) {
    td_sheet s;
    char message[300];
    assert_int_equal(read_text(texts[i], &s, message), TD_OK);
    assert_int_equal(s.cols, 3);
    assert_int_equal(s.rows, 3);
    assert_int_equal(td_sheet_find(&s, "x"), 1);
    assert_int_equal(td_sheet_find(&s, "y"), -1);
    CHECK_NEAR(s.x[1], 1.5, 0);
    CHECK_NEAR(s.x[6], 2, 0);
    assert_true(isnan(s.x[4]) && !s.word[4]);
    assert_true(isnan(s.x[7]) && !s.word[7]);
    assert_string_equal(s.word[2], "a");
    assert_int_equal(s.line[1], 3);
    td_sheet_free(&s);
  }
}

static void test_what_is_no_table_is_told(void** state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {{"", "the file is empty"},
               {"t,x\n", "no row of numbers"},
               {"1,2\n3,4\n", "the first line must name the columns"},
               {"t,x,t\n1,2,3\n", "two columns are called 't'"},
               {"t,x\n1,2,3\n", ":2: the row has more cells than the 2 columns"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    td_sheet s;
    char message[300];
    assert_int_equal(read_text(cases[i].text, &s, message), TD_E_IO);
    if (!strstr(message, cases[i].message)) fail_msg("%s", message);
  }
  td_sheet s;
  char message[300];
  assert_int_equal(td_sheet_read("/nowhere/x.csv", &s, message, sizeof message), TD_E_IO);
  assert_non_null(strstr(message, "cannot read '/nowhere/x.csv'"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_separators_quotes_and_gaps),
                                     cmocka_unit_test(test_what_is_no_table_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
