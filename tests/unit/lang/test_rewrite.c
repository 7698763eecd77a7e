// Other defaults in a text: in place, and nothing else changes.
#include "check.h"
#include "tendril/tools.h"

static const char text[] =
    "% E = param('E', 1) is no param\n"
    "E = param('E', 5e5, [1e4 1e6], 'log');  % [Pa]\n"
    "m = 2*param('m',1+max(2, 3)) + 0.1;  n = param('n', [1 2]'*[3; 4]);\n"
    "name = 'k'; k = param(name, 7); s = param('s', 'word');\n"
    "body(1).m = m; body(1).I = E*k*eye(3);\n";

static void test_defaults_are_replaced_in_place(void** state) {
  (void)state;
  td_spec* spec = td_spec_new();
  char* out = NULL;
  char message[200];
  td_spec_load_string(spec, "t.m", text);
  static const char* const names[] = {"m", "E", "k"};
  static const double values[] = {0.25, 312345.678, 9};
  assert_int_equal(td_spec_rewrite(spec, names, values, 3, &out, message, sizeof message), TD_OK);
  assert_string_equal(message, "");
  assert_non_null(strstr(out, "% E = param('E', 1) is no param\n"));
  assert_non_null(strstr(out, "E = param('E', 312345.678, [1e4 1e6], 'log');  % [Pa]\n"));
  assert_non_null(strstr(out, "m = 2*param('m',0.25) + 0.1;"));
  assert_non_null(strstr(out, "k = param(name, 9);"));
  free(out);

  // the text as it is, and a name that it does not have
  static const char* const none[] = {"q"};
  assert_int_equal(td_spec_rewrite(spec, none, values, 1, &out, message, sizeof message), TD_OK);
  assert_string_equal(out, text);
  assert_non_null(strstr(message, "q"));
  free(out);
  td_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_defaults_are_replaced_in_place)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
