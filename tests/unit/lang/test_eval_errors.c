// Errors of the language beyond single messages: several in one run, no cascades, hints, limits on
// time and memory.
#include "evaluate.h"

static td_spec* run(const char* text) {
  td_spec* spec = td_spec_new();
  td_spec_load_string(spec, "text.m", text);
  return spec;
}

static void errors_are_reported_together(void** state) {
  (void)state;
  td_spec* spec = run("a = x1;\nb = [1 2] * [3 4];\nc = 3;\nbody(1).mas = 2;\nd = c(9);\n");
  assert_int_equal(td_spec_error_count(spec), 4);
  assert_int_equal(td_spec_message(spec, 0).line, 1);
  assert_int_equal(td_spec_message(spec, 1).line, 2);
  assert_int_equal(td_spec_message(spec, 2).line, 4);
  assert_int_equal(td_spec_message(spec, 3).line, 5);
  td_spec_free(spec);
}

// What follows from a reported error is not reported again.
static void errors_do_not_cascade(void** state) {
  (void)state;
  const char* const texts[] = {
      "a = missing; b = a + 1; c = b(3); d = c.x;",
      "s.x = missing; y = s.x;",
      "s.a = 1; s.x = missing; y = s.x;",
      "joint(2).first = missing; x = joint(2).first; y = joint(3).second;",
      "if missing, a = 1; b.c = 2; end; x = a + b.c;",
      "for k = missing, a = k; end; x = a;",
      "for k = 1:5, a(k) = missing; end; x = a(2) + k;",
      "while missing, a = 1; end; x = a;",
      "switch missing, case 1, a = 1; end; x = a;",
      "[a, b] = missing(1); x = a + b;",
      "f = @(x) missing; y = f(1); z = y;",
      "c{2} = missing; x = c{2};",
      "a = missing; a(2) = 5; x = a;",
      "a += 1; b = a;",
      "y = f(1); z = y + 1;\nfunction r = f(x)\n r = missing;\n r = r + 1;\nend\n",
      "x = = 3; y = unknown_because_of_syntax;",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    td_spec* spec = run(texts[i]);
    if (td_spec_error_count(spec) != 1) fail_msg("%s\n%s", texts[i], td_spec_messages(spec));
    td_spec_free(spec);
  }
}

// A name that is assigned again is good again.
static void assignment_heals(void** state) {
  (void)state;
  td_spec* spec = run("a = missing; a = 2; b = a + 1;");
  assert_int_equal(td_spec_error_count(spec), 1);
  CHECK_NEAR(global_of(spec, "b")->x[0], 3, 0);
  td_spec_free(spec);
}

// Arguments that a function has no meaning for are refused, whatever their shape and kind.
static void arguments_are_refused(void** state) {
  (void)state;
  const struct {
    const char *text, *message;
  } cases[] = {
      {"x = sub2ind([3 3], 1.5, 1);", "index 1 is no whole number"},
      {"[r, c] = ind2sub([3 3], 10);", "index 1 is outside of the matrix"},
      {"x = cumtrapz(ones(1, 30, 40));", "needs two vectors of one length"},
      {"c = {1, 'a'}; x = c(1, 1, ones(20, 20, 30));", "3-D arrays hold numbers only"},
      {"s.a = 1; x = s(1, 1, [1 1]);", "3-D arrays hold numbers only"},
      {"syms a; x = subs(a, 2);", "subs needs the symbols and their values"},
      {"x = [3 3] \\ [inf -inf];", "least squares need finite numbers"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    td_spec* spec = run(cases[i].text);
    if (td_spec_error_count(spec) != 1 || !strstr(td_spec_messages(spec), cases[i].message))
      fail_msg("%s\n%s", cases[i].text, td_spec_messages(spec));
    td_spec_free(spec);
  }
}

static void messages_suggest_names(void** state) {
  (void)state;
  static const char* const pairs[][2] = {
      {"stiffness = 1; x = stifness;", "did you mean 'stiffness'?"},
      {"x = sqtr(2);", "did you mean 'sqrt'?"},
      {"s.length = 1; x = s.lenght;", "did you mean 'length'?"},
      {"x = strech(joint(1));", "did you mean 'stretch'?"},
      {"y = helper2(1);\nfunction r = helper(x)\n r = x;\nend\n", "did you mean 'helper'?"},
      {"if t > 1, x = 1; end", "ifelse"},
      {"x = interp1([0 1], [0 1], 0, 'liner');", "did you mean 'linear'?"},
      {"body(1).name = 'tip'; x = pos('tipp');", "did you mean 'tip'?"},
      {"x = [1 2 3]*[4 5 6];", "use .* for each element, or a*b' for a sum of products"},
      {"x = eye(3)*[1 2 3];", "transpose the second: a*b'"},
      {"x = [1; 2; 3]*eye(3);", "transpose the first: a'*b"},
      {"x = [1 2 3; 4 5 6] + ones(3, 2);", "transpose one of them with '"},
      {"x = [1 2] .* [1 2 3];", ".* needs equal sizes, a row and a column, or one number"},
      {"x = [1 2 3; 4 5];", "all rows must have equally many elements"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    td_spec* spec = run(pairs[i][0]);
    if (!strstr(td_spec_messages(spec), pairs[i][1]))
      fail_msg("%s\n%s", pairs[i][0], td_spec_messages(spec));
    td_spec_free(spec);
  }
}

// Endless loops end by the count of operations, whatever they do.
static void endless_loops_end(void** state) {
  (void)state;
  const char* const texts[] = {
      "while true; end",
      "x = 0; while 1, x = x + 1; end",
      "for k = 1:1e12, end",
      "while 1, s.a(3).b = sin(t); end",
      "e = t; while 1, e = e * t + 1; end",
      "while 1, x = f(2); end\nfunction r = f(x)\n r = x;\nend\n",
      "f = @(x) x; while 1, f(1); end",
      "while 1, x = sprintf('%d', 1:100); end",
      "a = zeros(100); while 1, b = a * a; end",
      "a = 1; while 1, a(end + 1, :) = 1; end",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    td_spec* spec = td_spec_new();
    spec->limits.work = 300000;
    td_spec_load_string(spec, "loop.m", texts[i]);
    if (td_spec_error_count(spec) != 1 || !strstr(td_spec_messages(spec), "takes too long")) {
      fail_msg("%s\n%s", texts[i], td_spec_messages(spec));
    }
    td_spec_free(spec);
  }
}

// Values have a budget of bytes; running out of it is a status, and freeing gives all of it back.
static void memory_is_limited(void** state) {
  (void)state;
  const char* const texts[] = {
      "a = ones(300, 300); for k = 1:20, c{k} = a + k; end",
      "for k = 1:1e6, a(k) = k; end",
      "for k = 1:1e6, s(k).x = k; end",
      "a = repmat(t, 300, 300); b = a + 1;",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    td_spec* spec = td_spec_new();
    spec->limits.memory = 1 << 20;
    assert_int_equal(td_spec_load_string(spec, "big.m", texts[i]), TD_E_NOMEM);
    const lang* L = spec->language;
    assert_true(L->meter.used <= L->meter.limit);
    td_spec_free(spec);
  }
}

static void memory_is_given_back(void** state) {
  (void)state;
  td_spec* spec = run("x = 1;");
  lang* L = spec->language;
  const size_t before = L->meter.used;
  td_spec_load_string(spec, "a.m",
                      "a = ones(100); c = {a, 'text', @(x) x + a}; s.f(3).g = c; s.f(2) = []; a(5, "
                      "200) = 1; a = []; "
                      "c = []; s = []; b = [1 2 3]; b(2) = t; b = [];");
  assert_int_equal(td_spec_error_count(spec), 0);
  // what stays are four empty values
  assert_true(L->meter.used < before + 4 * (sizeof(value) + 64));
  td_spec_free(spec);
}

static void overrides_must_fit(void** state) {
  (void)state;
  td_spec* spec = td_spec_new();
  td_spec_override(spec, "n", "eba");
  assert_int_equal(td_spec_load_string(spec, "p.m", "x = param('n', 2);"), TD_E_MODEL);
  assert_string_equal(td_spec_message(spec, 0).text,
                      "parameter 'n' is a number, it cannot be set to 'eba'");
  td_spec_free(spec);
}

static void missing_files_are_io_errors(void** state) {
  (void)state;
  td_spec* spec = td_spec_new();
  assert_int_equal(td_spec_load_file(spec, "/does/not/exist.m"), TD_E_IO);
  assert_int_equal(td_spec_message(spec, 0).line, 0);
  td_spec_free(spec);
  spec = td_spec_new();
  assert_int_equal(td_spec_load_file(spec, "/"), TD_E_IO);
  td_spec_free(spec);
}

// Bytes without sense give messages, never more.
static void garbage_is_harmless(void** state) {
  (void)state;
  static const char* const words[] = {
      "a",  "(",    ")", "[",     "]",   "{",        "}",   "=",    "1",  "'s'",      "+",
      "*",  ":",    ";", ",",     "end", "if",       "for", "body", ".m", "joint(1)", "t",
      "\n", "@(x)", "^", "zeros", "pos", "sensor.q", "end", "~",    "&&", "par.sym"};
  uint64_t seed = 7;
  for (int k = 0; k < 1500; k++) {
    td_text text = {0};
    for (int i = 0; i < 14; i++) {
      const int pick =
          (int)((check_random(&seed) + 1) / 2 * (double)(sizeof words / sizeof *words));
      td_text_add(&text, words[pick]);
      td_text_add(&text, i % 3 ? "" : " ");
    }
    td_spec_free(run(text.s));
    td_text_free(&text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_are_reported_together),
      cmocka_unit_test(errors_do_not_cascade),
      cmocka_unit_test(assignment_heals),
      cmocka_unit_test(arguments_are_refused),
      cmocka_unit_test(messages_suggest_names),
      cmocka_unit_test(endless_loops_end),
      cmocka_unit_test(memory_is_limited),
      cmocka_unit_test(memory_is_given_back),
      cmocka_unit_test(overrides_must_fit),
      cmocka_unit_test(missing_files_are_io_errors),
      cmocka_unit_test(garbage_is_harmless),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
