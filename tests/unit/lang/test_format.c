// Formatting: what changes, what stays, and that it never changes twice.
#include "check.h"
#include "model/spec.h"
#include "tendril/editor.h"

// Formatted text, to be freed; NULL: refused.
static char* formatted(const char* text) {
  td_spec* spec = td_spec_new();
  char* out = NULL;
  const td_status status = td_editor_format(spec, "a.m", text, &out);
  assert_true((status == TD_OK) == (out != NULL));
  assert_true(status == TD_OK || td_spec_error_count(spec) > 0);
  td_spec_free(spec);
  return out;
}

static void becomes(const char* text, const char* expected) {
  char* once = formatted(text);
  assert_true(once != NULL);
  if (strcmp(once, expected) != 0) printf("got:\n%s", once);
  assert_true(strcmp(once, expected) == 0);
  char* twice = formatted(once);
  assert_true(twice && strcmp(once, twice) == 0);
  free(once);
  free(twice);
}

static void test_blanks_around_equals_and_behind_commas(void** state) {
  (void)state;
  becomes("a=1;b =2 ;\n", "a = 1; b = 2;\n");
  becomes("y(1,2)=f( a,b )", "y(1, 2) = f( a, b )\n");
  becomes("a   ==   b\n", "a == b\n");
  becomes("a+=1;\n", "a += 1;\n");
  becomes("[a,b]=size(c);\n", "[a,b] = size(c);\n");
  becomes("x=a';y=a.';\n", "x = a'; y = a.';\n");
}

// In matrices blanks separate: they stay as they are
static void test_matrices_stay(void** state) {
  (void)state;
  becomes("a=[1 -2, 3 - 4,5];\n", "a = [1 -2, 3 - 4,5];\n");
  becomes("a=[ b'   'c' ];\n", "a = [ b'   'c' ];\n");
  becomes("c={@(x)x +1, f(a,b)};\n", "c = {@(x)x +1, f(a, b)};\n");
}

static void test_blocks_are_indented(void** state) {
  (void)state;
  becomes("if a\nb=1;\nelse\nfor i=1:3\nc=2;\nend\nend\n",
          "if a\n  b = 1;\nelse\n  for i = 1:3\n    c = 2;\n  end\nend\n");
  becomes("switch a\ncase 1\nb=1;\notherwise\nb=2;\nend\nc=3;\n",
          "switch a\n  case 1\n    b = 1;\n  otherwise\n    b = 2;\nend\nc = 3;\n");
  becomes("    function y=f(x)\n y=x;\n    end\n", "function y = f(x)\n  y = x;\nend\n");
  becomes("function y=f(x)\n  y=x;\n", "function y = f(x)\ny = x;\n");
  becomes("  a=[1 2\n     3 a(end)];\n", "a = [1 2\n   3 a(end)];\n");
  becomes("if a, b=1; end\nc=2;", "if a, b = 1; end\nc = 2;\n");
}

static void test_blank_lines_and_ends(void** state) {
  (void)state;
  becomes("\n\na=1;  \t\n\n\n\nb=2;\n\n\n", "a = 1;\n\nb = 2;\n");
  becomes("a=1;\r\nb=2;", "a = 1;\r\nb = 2;\r\n");
  becomes(
      "\xEF\xBB\xBF"
      "a=1;\n",
      "\xEF\xBB\xBF"
      "a = 1;\n");
  becomes("", "");
  becomes("\n\n", "");
  becomes("%{\n  kept   \n\n\n%}\n", "%{\n  kept   \n\n\n%}\n");
}

// What stands in one column keeps a common column
static void test_columns_are_kept(void** state) {
  (void)state;
  becomes("a   = 1;\nbcd = 2;\n", "a   = 1;\nbcd = 2;\n");
  becomes("a     = 1;\nbcd   = 2;\n", "a   = 1;\nbcd = 2;\n");
  becomes("a     = 1;\n\nbcd = 2;\n", "a = 1;\n\nbcd = 2;\n");
  becomes("a=1;     % one\nbc=2;    % two\n         % more\n",
          "a = 1;   % one\nbc = 2;  % two\n         % more\n");
  becomes("a=1;%x\n", "a = 1;  %x\n");
  becomes("a=1; %x\nlonger=2; %y\n", "a = 1;  %x\nlonger = 2;  %y\n");
  becomes("if a\n%note\nb=1;\nend\n", "if a\n  %note\n  b = 1;\nend\n");
}

// Words of commands are no tokens
static void test_commands_stay(void** state) {
  (void)state;
  becomes("syms  a   b\nhold on\n", "syms  a   b\nhold on\n");
  becomes("print -depsc it's\nx=1;\n", "print -depsc it's\nx = 1;\n");
}

static void test_wrong_texts_are_refused(void** state) {
  (void)state;
  static const char* const texts[] = {"a = (1;\n", "if a\n", "a = 'x\n", "end\n", "a ** b\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    assert_true(formatted(texts[i]) == NULL);
  char* out = (char*)1;
  td_spec* spec = td_spec_new();
  assert_true(td_editor_format(NULL, "a", "b", &out) == TD_E_USAGE && !out);
  assert_true(td_editor_format(spec, NULL, "b", &out) == TD_E_USAGE);
  assert_true(td_editor_format(spec, "a", NULL, &out) == TD_E_USAGE);
  assert_true(td_editor_format(spec, "a", "b", NULL) == TD_E_USAGE);
  td_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blanks_around_equals_and_behind_commas),
      cmocka_unit_test(test_matrices_stay),
      cmocka_unit_test(test_blocks_are_indented),
      cmocka_unit_test(test_blank_lines_and_ends),
      cmocka_unit_test(test_columns_are_kept),
      cmocka_unit_test(test_commands_stay),
      cmocka_unit_test(test_wrong_texts_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
