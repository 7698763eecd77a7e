// What blanks, quotes, newlines and `end` mean, seen as the kinds of tokens.
#include "lang/lexer.h"

#include "check.h"

// A letter for each token: n number, s string, w name, e `end`, c blank that separates, N newline,
// k keyword, ' transpose, ? wrong; signs stand for themselves.
static char letter(const lexer* lx, token t) {
  switch (t.kind) {
    case T_ERROR:
      return '?';
    case T_NEWLINE:
      return 'N';
    case T_NUMBER:
      return 'n';
    case T_STRING:
      return 's';
    case T_NAME:
      return 'w';
    case T_LAST:
      return 'e';
    case T_TRANSPOSE:
    case T_CTRANSPOSE:
      return '\'';
    case T_INCREMENT:
    case T_DECREMENT:
      return 'i';
    case T_COMMA:
      return t.begin == t.end ? 'c' : ',';
    default:
      return is_keyword(t.kind) ? 'k' : lx->text[t.begin];
  }
}

static void check_tokens(const char* text, const char* expected) {
  td_diags d = {0};
  lexer lx;
  td_text got = {0};
  td_lexer_open(&lx, &d, td_diags_source(&d, "a.m", text, (int)strlen(text)));
  for (token t = td_lexer_next(&lx); t.kind != T_EOF; t = td_lexer_next(&lx)) {
    const char c = letter(&lx, t);
    td_text_addn(&got, &c, 1);
  }
  td_text_add(&got, "");
  if (strcmp(got.s, expected) != 0) print_error("text: %s\n", text);
  assert_string_equal(got.s, expected);
  td_text_free(&got);
  td_diags_free(&d);
}

static double number_of(const char* text) {
  td_diags d = {0};
  lexer lx;
  td_lexer_open(&lx, &d, td_diags_source(&d, "a.m", text, (int)strlen(text)));
  const token t = td_lexer_next(&lx);
  assert_int_equal(t.kind, T_NUMBER);
  assert_int_equal(td_lexer_next(&lx).kind, T_EOF);
  assert_int_equal(d.errors, 0);
  td_diags_free(&d);
  return t.number;
}

static void numbers_have_their_values(void** state) {
  (void)state;
  assert_true(number_of("1") == 1);
  assert_true(number_of(".5") == 0.5);
  assert_true(number_of("1.") == 1);
  assert_true(number_of("1e-3") == 1e-3);
  assert_true(number_of("1E3") == 1e3);
  assert_true(number_of("1.5e+2") == 150);
  assert_true(number_of("2.e1") == 20);
  assert_true(number_of("0x1F") == 31);
}

static void the_point_belongs_to_the_operator(void** state) {
  (void)state;
  check_tokens("1./x", "n.w");
  check_tokens("1.'", "n'");
  check_tokens("1.^2", "n.n");
  check_tokens("1 ...\n+ 2", "n+n");
  check_tokens("1...\n+2", "n+n");
}

static void a_quote_is_a_transpose_behind_an_operand(void** state) {
  (void)state;
  check_tokens("a'", "w'");
  check_tokens("a '", "w'");
  check_tokens("a''", "w''");
  check_tokens("a.'", "w'");
  check_tokens("x = 'a'", "w=s");
  check_tokens("[a' b']", "[w'cw']");
  check_tokens("[a 'b']", "[wcs]");
  check_tokens("[a', 'b']", "[w',s]");
  check_tokens("x(end)'", "w(e)'");
  check_tokens("x(end')", "w(e')");
  check_tokens("[1 2]'", "[ncn]'");
  check_tokens("{1}'", "{n}'");
  check_tokens("f('it''s')", "w(s)");
  check_tokens("\"a\\\"b\"", "s");
  check_tokens("\"a\"\"b\"", "s");
  check_tokens("if 'a'", "ks");
}

static void blanks_separate_elements(void** state) {
  (void)state;
  check_tokens("[1 -2]", "[nc-n]");
  check_tokens("[1 - 2]", "[n-n]");
  check_tokens("[1 -2 + 3]", "[nc-n+n]");
  check_tokens("[1, -2]", "[n,-n]");
  check_tokens("[1 , 2]", "[n,n]");
  check_tokens("[ 1 2 ]", "[ncn]");
  check_tokens("[f(1) (2)]", "[w(n)c(n)]");
  check_tokens("[f(1 -2) 3]", "[w(n-n)cn]");
  check_tokens("[a ~b]", "[wc~w]");
  check_tokens("[a ~= b]", "[w~w]");
  check_tokens("[a .5]", "[wcn]");
  check_tokens("[a .* b]", "[w.w]");
  check_tokens("[1 : 3]", "[n:n]");
  check_tokens("{1 [2 3]}", "{nc[ncn]}");
  check_tokens("c{1 -1}", "w{n-n}");
  check_tokens("[c{1 -1} 2]", "[w{n-n}cn]");
  check_tokens("a -b", "w-w");
  check_tokens("[1 ...\n 2]", "[ncn]");
}

static void newlines_end_rows_but_not_arguments(void** state) {
  (void)state;
  check_tokens("[1\n2]", "[nNn]");
  check_tokens("{1\r\n2}", "{nNn}");
  check_tokens("f(1,\n2)", "w(n,n)");
  check_tokens("[f(1,\n2)\r3]", "[w(n,n)Nn]");
  check_tokens("a\rb\r\nc\nd", "wNwNwNw");
  check_tokens("\xEF\xBB\xBF_a", "w");
}

static void comments_are_blanks(void** state) {
  (void)state;
  check_tokens("a % b\nc # d", "wNw");
  check_tokens("%{\nx\n%{\ny\n%}\nz\n%}\na", "Nw");
  check_tokens("  #{  \nx\n\t#}\na", "Nw");
  check_tokens("a %{ not a block\nb", "wNw");
  check_tokens("[1 % one\n2]", "[nNn]");
  check_tokens("\xEF\xBB\xBF%{\nx\n%}\na", "Nw");
}

static void end_is_a_keyword_outside_brackets(void** state) {
  (void)state;
  check_tokens("end", "k");
  check_tokens("x(end)", "w(e)");
  check_tokens("c{end}", "w{e}");
  check_tokens("s.end", "w.w");
  check_tokens("s.for(1)", "w.w(n)");
  check_tokens("ending", "w");
}

static void increments_stand_alone(void** state) {
  (void)state;
  check_tokens("x++", "wi");
  check_tokens("x--;", "wi;");
  check_tokens("x++ % c", "wi");
  check_tokens("x++y", "w++w");
  check_tokens("x--1", "w--n");
  check_tokens("(x++)", "(w++)");
}

static void foreign_signs_are_read_as_meant(void** state) {
  (void)state;
  check_tokens("a − b", "w\xE2w");
  check_tokens("µ", "w");
  check_tokens("a\xC2\xA0= 1", "w=n");
  check_tokens("a ≤ b", "w\xE2w");
  check_tokens("‘a’", "?w?");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_have_their_values),
      cmocka_unit_test(the_point_belongs_to_the_operator),
      cmocka_unit_test(a_quote_is_a_transpose_behind_an_operand),
      cmocka_unit_test(blanks_separate_elements),
      cmocka_unit_test(newlines_end_rows_but_not_arguments),
      cmocka_unit_test(comments_are_blanks),
      cmocka_unit_test(end_is_a_keyword_outside_brackets),
      cmocka_unit_test(increments_stand_alone),
      cmocka_unit_test(foreign_signs_are_read_as_meant),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
