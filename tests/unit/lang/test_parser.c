// Trees, printed as s-expressions: (+ a b), (call f x), (= (a) b) ...
#include "check.h"
#include "lang/ast.h"

static const char* const op_text[] = {"+",  "-",  "*",  "/", "\\", "^", ".*", "./", ".\\",
                                      ".^", "==", "~=", "<", "<=", ">", ">=", "&",  "|",
                                      "&&", "||", "~",  "-", "+",  "'", ".'"};

static void print_list(const ast* const* list, int n, td_text* out);

static void print(const ast* t, td_text* out) {
  static const char* const head[] = {[AST_INDEX] = "(call ",    [AST_CELLINDEX] = "(cell ",
                                     [AST_MATRIX] = "[",        [AST_ROW] = "",
                                     [AST_CELL] = "{",          [AST_IF] = "(if",
                                     [AST_SWITCH] = "(switch ", [AST_FOR] = "(for ",
                                     [AST_WHILE] = "(while ",   [AST_BLOCK] = ""};
  switch (t->kind) {
    case AST_NUMBER:
      td_text_printf(out, "%g", t->number);
      return;
    case AST_STRING:
      td_text_printf(out, t->dquote ? "\"%s\"" : "'%s'", t->text);
      return;
    case AST_NAME:
      td_text_add(out, t->text);
      return;
    case AST_COLON:
      td_text_add(out, ":");
      return;
    case AST_END:
      td_text_add(out, "end");
      return;
    case AST_UNARY:
    case AST_POSTFIX:
      td_text_printf(out, "(%s ", op_text[t->op]);
      print(t->a, out);
      break;
    case AST_BINARY:
    case AST_OPASSIGN:
      td_text_printf(out, "(%s%s ", op_text[t->op], t->kind == AST_BINARY ? "" : "=");
      print(t->a, out);
      td_text_add(out, " ");
      print(t->b, out);
      break;
    case AST_RANGE:
      td_text_add(out, "(: ");
      print(t->a, out);
      td_text_add(out, " ");
      if (t->b) print(t->b, out);
      if (t->b) td_text_add(out, " ");
      print(t->c, out);
      break;
    case AST_INDEX:
    case AST_CELLINDEX:
      td_text_add(out, head[t->kind]);
      print(t->a, out);
      if (t->n) td_text_add(out, " ");
      print_list((const ast* const*)t->list, t->n, out);
      break;
    case AST_FIELD:
      td_text_add(out, "(. ");
      print(t->a, out);
      td_text_add(out, " ");
      if (t->b)
        print(t->b, out);
      else
        td_text_add(out, t->text);
      break;
    case AST_MATRIX:
    case AST_CELL:
      td_text_add(out, head[t->kind]);
      for (int i = 0; i < t->n; i++) {
        if (i) td_text_add(out, "; ");
        print(t->list[i], out);
      }
      td_text_add(out, t->kind == AST_MATRIX ? "]" : "}");
      return;
    case AST_ROW:
      print_list((const ast* const*)t->list, t->n, out);
      return;
    case AST_LAMBDA:
      td_text_add(out, "(@ (");
      print_list((const ast* const*)t->list, t->n, out);
      td_text_add(out, ") ");
      print(t->a, out);
      break;
    case AST_HANDLE:
      td_text_printf(out, "@%s", t->text);
      return;
    case AST_ASSIGN:
      td_text_add(out, "(= (");
      print_list((const ast* const*)t->list, t->n, out);
      td_text_add(out, ") ");
      print(t->a, out);
      break;
    case AST_EXPR:
      print(t->a, out);
      return;
    case AST_COMMAND:
      td_text_printf(out, "(command %s", t->text);
      if (t->n) td_text_add(out, " ");
      print_list((const ast* const*)t->list, t->n, out);
      break;
    case AST_GLOBAL:
      td_text_add(out, "(global ");
      print_list((const ast* const*)t->list, t->n, out);
      break;
    case AST_TRY:
      td_text_add(out, "(try ");
      print(t->body, out);
      td_text_add(out, t->a ? " catch " : "");
      if (t->a) print(t->a, out);
      break;
    case AST_IF:
    case AST_SWITCH:
      td_text_add(out, head[t->kind]);
      if (t->a) print(t->a, out);
      for (int i = 0; i < t->n; i++) print(t->list[i], out);
      break;
    case AST_BRANCH:
      td_text_add(out, " (");
      if (t->a)
        print(t->a, out);
      else
        td_text_add(out, "else");
      if (t->body->n) td_text_add(out, " ");
      print(t->body, out);
      break;
    case AST_FOR:
    case AST_WHILE:
      td_text_add(out, head[t->kind]);
      print(t->a, out);
      if (t->b) td_text_add(out, " ");
      if (t->b) print(t->b, out);
      if (t->body->n) td_text_add(out, " ");
      print(t->body, out);
      break;
    case AST_BREAK:
      td_text_add(out, "break");
      return;
    case AST_CONTINUE:
      td_text_add(out, "continue");
      return;
    case AST_RETURN:
      td_text_add(out, "return");
      return;
    case AST_FUNCTION:
      td_text_printf(out, "(function %s (", t->text);
      print_list((const ast* const*)t->list, t->n, out);
      td_text_add(out, ") (");
      print_list((const ast* const*)t->outs, t->nout, out);
      td_text_add(out, ")");
      if (t->body->n) td_text_add(out, " ");
      print(t->body, out);
      break;
    case AST_BLOCK:
      print_list((const ast* const*)t->list, t->n, out);
      return;
  }
  td_text_add(out, ")");
}

static void print_list(const ast* const* list, int n, td_text* out) {
  for (int i = 0; i < n; i++) {
    if (i) td_text_add(out, " ");
    print(list[i], out);
  }
}

typedef struct parsed {
  td_diags d;
  ast_pool* pool;
  ast* file;
} parsed;

static parsed parse(const char* text) {
  parsed r = {0};
  r.file = td_parse(&r.d, td_diags_source(&r.d, "a.m", text, (int)strlen(text)), &r.pool);
  assert_non_null(r.file);
  return r;
}

static void release(parsed* r) {
  td_ast_free(r->pool);
  td_diags_free(&r->d);
}

static void check_tree(const char* text, const char* expected) {
  parsed r = parse(text);
  td_text out = {0};
  td_text_add(&out, "");
  if (r.d.n > 0) td_diag_render(&r.d, 0, &out);
  print(r.file, &out);
  if (strcmp(out.s, expected) != 0) print_error("text: %s\n", text);
  assert_string_equal(out.s, expected);
  td_text_free(&out);
  release(&r);
}

typedef struct example {
  const char *text, *tree;
} example;

static void check_all(const example* list, size_t n) {
  for (size_t i = 0; i < n; i++) check_tree(list[i].text, list[i].tree);
}
#define CHECK_ALL(list) check_all(list, sizeof list / sizeof *list)

static void precedence_is_that_of_matlab(void** state) {
  (void)state;
  static const example list[] = {
      {"1+2*3", "(+ 1 (* 2 3))"},
      {"1-2-3", "(- (- 1 2) 3)"},
      {"-2^2", "(- (^ 2 2))"},
      {"2^-1", "(^ 2 (- 1))"},
      {"2^-1^2", "(^ (^ 2 (- 1)) 2)"},
      {"2^3^2", "(^ (^ 2 3) 2)"},
      {"a^b'", "(' (^ a b))"},
      {"-a'", "(- (' a))"},
      {"a.'*b", "(* (.' a) b)"},
      {"a^b(1)", "(^ a (call b 1))"},
      {"-a*b", "(* (- a) b)"},
      {"~a == b", "(== (~ a) b)"},
      {"!a != b", "(~= (~ a) b)"},
      {"a:b+1", "(: a (+ b 1))"},
      {"1:2:9", "(: 1 2 9)"},
      {"a:b == c", "(== (: a b) c)"},
      {"a & b | c && d || e", "(|| (&& (| (& a b) c) d) e)"},
      {"a || b && c | d & e", "(|| a (&& b (| c (& d e))))"},
      {"a < b + c", "(< a (+ b c))"},
      {"a./b.*c\\d", "(\\ (.* (./ a b) c) d)"},
      {"(1+2)*3", "(* (+ 1 2) 3)"},
      {"- - a", "(- (- a))"},
      {"2*-3", "(* 2 (- 3))"},
      {"a.^2'", "(' (.^ a 2))"},
      {"a''", "(' (' a))"},
  };
  CHECK_ALL(list);
}

static void matrices_follow_their_blanks(void** state) {
  (void)state;
  static const example list[] = {
      {"[]", "[]"},
      {"[1 -2]", "[1 (- 2)]"},
      {"[1 - 2]", "[(- 1 2)]"},
      {"[a' b']", "[(' a) (' b)]"},
      {"[f(1) (2)]", "[(call f 1) 2]"},
      {"[1, 2; 3, 4]", "[1 2; 3 4]"},
      {"[1 2\n3 4]", "[1 2; 3 4]"},
      {"[1, 2,\n3, 4;\n]", "[1 2; 3 4]"},
      {"[\n1 % one\n\n2 # two\n]", "[1; 2]"},
      {"[1 2 ...\n 3]", "[1 2 3]"},
      {"{1, 'a'; \"b\" {}}", "{1 'a'; \"b\" {}}"},
      {"[x(1) -y(2)*3]", "[(call x 1) (* (- (call y 2)) 3)]"},
      {"[1 : 3]", "[(: 1 3)]"},
      {"[a (1:2)' b]", "[a (' (: 1 2)) b]"},
      {"[(1 -2) 3]", "[(- 1 2) 3]"},
      {"{@(x) x +1, @sin}", "{(@ (x) (+ x 1)) @sin}"},
      {"{@(x) x\n@() 2}", "{(@ (x) x); (@ () 2)}"},
      {"[s.a s.b]", "[(. s a) (. s b)]"},
      {"x = [0, 0,-g]", "(= (x) [0 0 (- g)])"},
      {"f(1,\n  2)", "(call f 1 2)"},
  };
  CHECK_ALL(list);
}

static void indices_and_fields_chain(void** state) {
  (void)state;
  static const example list[] = {
      {"pos(body(1))(3)", "(call (call pos (call body 1)) 3)"},
      {"a{2}.b(3).c", "(. (call (. (cell a 2) b) 3) c)"},
      {"s.(n)", "(. s n)"},
      {"s.([p 'x']).y", "(. (. s [p 'x']) y)"},
      {"a(end)", "(call a end)"},
      {"a(end, :)", "(call a end :)"},
      {"a(:)'", "(' (call a :))"},
      {"c{:}", "(cell c :)"},
      {"a(b(end)+1)", "(call a (+ (call b end) 1))"},
      {"f()", "(call f)"},
      {"a'(1)", "(call (' a) 1)"},
      {"joint(2).tr(1).trans(3) = l;", "(= ((call (. (call (. (call joint 2) tr) 1) trans) 3)) l)"},
      {"x(end+1) = 3", "(= ((call x (+ end 1))) 3)"},
      {"f = @(x, y) x + y(end)", "(= (f) (@ (x y) (+ x (call y end))))"},
      {"f = @sin", "(= (f) @sin)"},
      {"f = @(~) 1", "(= (f) (@ (~) 1))"},
  };
  CHECK_ALL(list);
}

static void statements_parse(void** state) {
  (void)state;
  static const example list[] = {
      {"a = 1; b = 2, c", "(= (a) 1) (= (b) 2) c"},
      {"[a, b] = f(x)", "(= (a b) (call f x))"},
      {"[a b.c(2)] = f(x)", "(= (a (call (. b c) 2)) (call f x))"},
      {"[~, i] = max(x)", "(= (~ i) (call max x))"},
      {"[~ i] = max(x)", "(= (~ i) (call max x))"},
      {"[1 2] == x", "(== [1 2] x)"},
      {"a += 2; a -= 1; a *= b; a /= 3", "(+= a 2) (-= a 1) (*= a b) (/= a 3)"},
      {"a++; b(2)--", "(+= a 1) (-= (call b 2) 1)"},
      {"++a", "(+= a 1)"},
      {"if a, b, end", "(if (a b))"},
      {"if a\nb\nelseif c\nd\nelse\ne\nendif", "(if (a b) (c d) (else e))"},
      {"if (a) b = 1; end", "(if (a (= (b) 1)))"},
      {"if a, else if b, c, end, end", "(if (a) (else (if (b c))))"},
      {"for i = 1:3, x(i) = i; end", "(for i (: 1 3) (= ((call x i)) i))"},
      {"for (i = [1 2]) x, endfor", "(for i [1 2] x)"},
      {"for ih = 1 : 6; x = ih; end", "(for ih (: 1 6) (= (x) ih))"},
      {"for i=1:3 disp(i), end", "(for i (: 1 3) (call disp i))"},
      {"while x < 3\nx++;\nif x, break, else continue; end\nendwhile",
       "(while (< x 3) (+= x 1) (if (x break) (else continue)))"},
      {"switch x\ncase 1\na\ncase {2, 'b'}\nc\notherwise\nd\nend",
       "(switch x (1 a) ({2 'b'} c) (else d))"},
      {"function r = f(a, b)\nr = a;\nend", "(function f (a b) (r) (= (r) a))"},
      {"function [a, b] = f()\nend", "(function f () (a b))"},
      {"function [a b] = f\nend", "(function f () (a b))"},
      {"function f\nreturn\nendfunction", "(function f () () return)"},
      {"function f(~, x)\nx\nfunction g\ny", "(function f (~ x) () x) (function g () () y)"},
      {"x = 1;\nfunction f\n1;\nend\ny = 2", "(= (x) 1) (function f () () 1) (= (y) 2)"},
      {"do = 3; until = 4", "(= (do) 3) (= (until) 4)"},
      {"x = 3 ... comment\n + 4", "(= (x) (+ 3 4))"},
      {"\n;;,\n x\n", "x"},
      {"", ""},
      {"x = 'it''s';y = \"a\\tb\\\"\"", "(= (x) 'it's') (= (y) \"a\tb\"\")"},
  };
  CHECK_ALL(list);
}

static void commands_are_words(void** state) {
  (void)state;
  static const example list[] = {
      {"clear all", "(command clear 'all')"},
      {"clear all, clc; close all", "(command clear 'all') (command clc) (command close 'all')"},
      {"format long % digits", "(command format 'long')"},
      {"hold on;", "(command hold 'on')"},
      {"syms a b c", "(command syms 'a' 'b' 'c')"},
      {"syms x real", "(command syms 'x' 'real')"},
      {"syms a,b , c;", "(command syms 'a' 'b' 'c')"},
      {"syms a b, x = 2*a", "(command syms 'a' 'b') (= (x) (* 2 a))"},
      {"pkg load symbolic", "(command pkg 'load' 'symbolic')"},
      {"addpath lib/models", "(command addpath 'lib/models')"},
      {"clear -all", "(command clear '-all')"},
      {"disp 'a b'", "(command disp 'a b')"},
      {"clc", "(command clc)"},
      {"x", "x"},
      {"a - b", "(- a b)"},
      {"a -b", "(- a b)"},
      {"a (1)", "(call a 1)"},
      {"a = b", "(= (a) b)"},
      {"a '", "(' a)"},
      {"clear = 3", "(= (clear) 3)"},
      {"hold.x = 3", "(= ((. hold x)) 3)"},
  };
  CHECK_ALL(list);
}

static void quiet_is_a_semicolon(void** state) {
  (void)state;
  parsed r = parse("a = 1;\nb = 2\nc;\nd, hold on;");
  const bool quiet[] = {true, false, true, false, true};
  assert_int_equal(r.file->n, 5);
  for (int i = 0; i < 5; i++) assert_int_equal(r.file->list[i]->quiet, quiet[i]);
  release(&r);
}

static void check_span(const char* text, td_span at, const char* expected) {
  assert_int_equal(at.end - at.begin, strlen(expected));
  assert_memory_equal(text + at.begin, expected, strlen(expected));
}

static void spans_are_exact(void** state) {
  (void)state;
  static const char text[] = "if x\n  joint(2).sprng = (a + b) * 'c';  \nend % done\nhold  on ;";
  parsed r = parse(text);
  const ast* branch = r.file->list[0];
  check_span(text, branch->at, "if x\n  joint(2).sprng = (a + b) * 'c';  \nend");
  check_span(text, branch->name_at, "if");
  const ast* assign = branch->list[0]->body->list[0];
  check_span(text, assign->at, "joint(2).sprng = (a + b) * 'c'");
  check_span(text, assign->list[0]->at, "joint(2).sprng");
  check_span(text, assign->list[0]->name_at, "sprng");
  check_span(text, assign->list[0]->a->name_at, "joint");
  check_span(text, assign->a->at, "(a + b) * 'c'");
  check_span(text, assign->a->name_at, "*");
  check_span(text, assign->a->a->at, "(a + b)");
  check_span(text, assign->a->b->at, "'c'");
  check_span(text, r.file->list[1]->at, "hold  on");
  check_span(text, r.file->list[1]->list[0]->at, "on");
  release(&r);
}

static void equal_texts_are_one_pointer(void** state) {
  (void)state;
  parsed r = parse("abc = abc + 'abc';");
  const ast* s = r.file->list[0];
  assert_ptr_equal(s->list[0]->text, s->a->a->text);
  assert_ptr_equal(s->list[0]->text, s->a->b->text);
  release(&r);
}

static void line_ends_do_not_matter(void** state) {
  (void)state;
  static const char* const texts[] = {"a = [1\n2];\nb\n", "a = [1\r\n2];\r\nb\r\n",
                                      "a = [1\r2];\rb", "\xEF\xBB\xBF a = [1\n2];\n\tb"};
  for (int i = 0; i < 4; i++) check_tree(texts[i], "(= (a) [1; 2]) b");
}

static void statements_after_an_error_are_kept(void** state) {
  (void)state;
  parsed r = parse("a = (1;\nb = 2;\nif c = 3\n  d\nend\nA = [1 2\n 3 )\n 4];\ne = 5;\n");
  td_text out = {0};
  print(r.file, &out);
  assert_string_equal(out.s, "(= (b) 2) (= (e) 5)");
  assert_int_equal(r.d.errors, 3);
  td_text_free(&out);
  release(&r);
}

// Repeat `unit` up to about `size` bytes and parse.
static int errors_of_repeated(const char* unit, int size) {
  const int n = (int)strlen(unit);
  char* text = malloc((size_t)size + 1);
  for (int i = 0; i < size; i++) text[i] = unit[i % n];
  text[size] = '\0';
  parsed r = parse(text);
  const int errors = r.d.errors;
  assert_true(r.d.n <= TD_DIAG_LIMIT);
  release(&r);
  free(text);
  return errors;
}

static void hostile_texts_take_bounded_stack_and_time(void** state) {
  (void)state;
  static const char* const units[] = {"(",
                                      "[",
                                      "{",
                                      "-",
                                      "~",
                                      "a(",
                                      "a{",
                                      "@(x)",
                                      "[(",
                                      "if 1\n",
                                      "2^-",
                                      "(\n",
                                      "[\n",
                                      "a.(",
                                      "for i=(",
                                      "[1;\n",
                                      "x=[\n",
                                      "switch a\ncase 1\n",
                                      "1+",
                                      "a'",
                                      "a.b",
                                      "'",
                                      "\"",
                                      "try\n",
                                      "function f\n",
                                      "[a,",
                                      ")",
                                      "%{\n",
                                      "end\n",
                                      "else if 1\n",
                                      "...\n"};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) errors_of_repeated(units[i], 50000);
  assert_int_equal(errors_of_repeated("(", 2000000), 1);
}

static void binary_files_are_refused(void** state) {
  (void)state;
  td_diags d = {0};
  ast_pool* pool;
  const ast* file = td_parse(&d, td_diags_source(&d, "a.m", "a = 1;\0\n(((", 11), &pool);
  assert_non_null(file);
  assert_int_equal(file->n, 0);
  assert_int_equal(d.n, 1);
  assert_string_equal(d.list[0].text, "this is not a text file");
  td_ast_free(pool);
  td_diags_free(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(precedence_is_that_of_matlab),
      cmocka_unit_test(matrices_follow_their_blanks),
      cmocka_unit_test(indices_and_fields_chain),
      cmocka_unit_test(statements_parse),
      cmocka_unit_test(commands_are_words),
      cmocka_unit_test(quiet_is_a_semicolon),
      cmocka_unit_test(spans_are_exact),
      cmocka_unit_test(equal_texts_are_one_pointer),
      cmocka_unit_test(line_ends_do_not_matter),
      cmocka_unit_test(statements_after_an_error_are_kept),
      cmocka_unit_test(hostile_texts_take_bounded_stack_and_time),
      cmocka_unit_test(binary_files_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
