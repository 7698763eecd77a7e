// td_spec_check on texts: the published listings and the examples of the reference page pass, and a
// message shows where the mistake is and what is allowed.
#include "check.h"
#include "model/fields.h"

static td_spec* load(const char* text) {
  td_spec* spec = td_spec_new();
  td_spec_load_string(spec, "arm.m", text);
  td_spec_check(spec);
  return spec;
}

static void expect_none(const char* text) {
  td_spec* spec = load(text);
  if (td_spec_message_count(spec) > 0) print_error("%s\n%s", td_spec_messages(spec), text);
  assert_int_equal(td_spec_message_count(spec), 0);
  td_spec_free(spec);
}

// Symbols of the published tables with the values of the STIFF-FLOP experiment.
#define SYMBOLS                                                                                  \
  "g = 9.81; m2 = 28e-3; lm2 = 0.05; nd = 4; I2d = 1e-6*eye(3); m3 = 13e-3; I3 = 1e-6*eye(3);\n" \
  "lm3 = 14.5e-3; Kv = diag([2 2 6]); Ku = diag([1e-4 1e-4 5e-5]); nu = 2;\n"                    \
  "mu_xi = [0.1 0.1 0.1]; mu_zeta = 1e-5*[1 1 1]; f_up = [0 0 1]; tau_up = [0 0 0];\n"           \
  "f_lt = [0 0 0]; tau_lt = [0 0 0];\n"
#define TIP                                                          \
  "body(2).m = m3; body(2).I = I3; body(2).l_com = [0, 0, lm3/2];\n" \
  "mesh = [ ];\n"                                                    \
  "exload(1).exbody = 2; exload(1).ftau = [f_lt, tau_lt]; exload(1).tr(1).trans = [0, 0, lm3];\n"

static void the_published_series_link_listing_passes(void** state) {
  (void)state;
  expect_none(SYMBOLS TIP
              "world.g = [0, 0, -g];\n"
              "body(1).m = m2/nd; body(1).I = I2d; body(1).tip = [0, 0, lm2/nd];\n"
              "K = [diag(Kv)', diag(Ku)']; mu = [mu_xi, mu_zeta]; f = [f_up, tau_up];\n"
              "joint(1).first = [1, (0 : nd - 1)]';\n"
              "joint(1).second = [1, (1 : nd)]';\n"
              "joint(1).tr(1).trans = [0, 0, lm2/nd];\n"
              "joint(1).tr(2).trans = [inf, inf, inf];\n"
              "joint(1).tr(2).rot = [3, inf];\n"
              "joint(1).tr(3).rot = [1, inf];\n"
              "joint(1).tr(4).rot = [2, inf];\n"
              "for ih = 1 : 6\n"
              "  joint(1).dof(ih).spring.coeff = K(ih);\n"
              "  joint(1).dof(ih).damp.visc = mu(ih);\n"
              "  joint(1).dof(ih).damp.pow = nu;\n"
              "  joint(1).dof(ih).input = f(ih);\n"
              "end\n"
              "joint(2).first = [1, nd]'; joint(2).second = 2;\n");
}

static void the_published_absolute_beam_listing_passes(void** state) {
  (void)state;
  expect_none(SYMBOLS TIP
              "world.g = [0, 0, -g];\n"
              "body(1).m = m2/nd; body(1).I = I2d;\n"
              "joint(1).second = [1, (1 : nd)]';\n"
              "joint(1).tr(1).trans = [0, 0, lm2/nd];\n"
              "joint(1).tr(2).trans = [inf, inf, inf];\n"
              "joint(1).tr(2).rot = [0, inf, inf, inf];\n"
              "joint(2).first = [1, (0 : nd - 1)]'; joint(2).second = [1, (1 : nd)]';\n"
              "joint(2).spring.coeff = [diag(Kv)', diag(Ku)'];\n"
              "joint(2).spring.init = [0, 0, nan, 0, 0, 0];\n"
              "joint(2).damp.visc = [mu_xi, mu_zeta];\n"
              "joint(2).damp.pow = nu;\n"
              "joint(2).input = [f_up, tau_up];\n"
              "joint(3).first = [1, nd]'; joint(3).second = 2;\n");
}

static void the_published_pendulum_with_a_controlled_constraint_passes(void** state) {
  (void)state;
  expect_none(
      "syms u_c\n"
      "par.sym = [u_c]; par.var = [0.1];\n"
      "world.g = [0, 0, -9.81];\n"
      "body(1).m = 0.04; body(1).l_com = [0, 0, -0.135];\n"
      "joint(1).second = 1;\n"
      "joint(1).tr.rot = [2, inf];\n"
      "joint(1).dof.init = -1.4;\n"
      "joint(1).dof.damp.visc = 7e-4;\n"
      "joint(2).second = 1;\n"
      "joint(2).tr2nd.trans = [0, 0, -0.135];\n"
      "joint(2).fixed = 1;\n"
      "joint(2).control = u_c;\n");
}

static void the_autotmtdyn_spellings_pass(void** state) {
  (void)state;
  expect_none(
      "body(1).type = 'rigid'; body(1).m = 0.1; body(1).l_com = [0, 0, 0];\n"
      "joint(1).first = 0; joint(1).second = 1; joint(1).tr(1).trans = [inf, inf, inf];\n"
      "joint(1).dof(1).init = 0.2; joint(1).dof(1).damp.visc = 1;\n"
      "joint(2).first = 0; joint(2).second = 1;\n"
      "joint(2).tr.trans = [0, 0, 0]; joint(2).tr.rot = [0, 0];\n"
      "joint(2).tr2nd.trans = [0, 0, 0]; joint(2).tr2nd.rot = [0, 0];\n"
      "joint(2).spring.coeff = 10; joint(2).spring.init = 0.1; joint(2).spring.comp = 0.9;\n"
      "exload(1).body = 1; exload(1).ftau = [0 0 1];\n");
}

static void forces_may_depend_on_parameters_time_inputs_states_and_rates(void** state) {
  (void)state;
  expect_none(
      "k = param('k', 40); u = input('u', 0);\n"
      "body(1).m = 1 + k; body(1).l_com = [0 0 k];\n"
      "joint(1).second = 1; joint(1).type = 'revolute'; joint(1).axis = [0 1 0];\n"
      "joint(1).dof(1).spring.coeff = k*(1 + dof(joint(1), 1)^2);\n"
      "joint(1).dof(1).input = u*sin(t) - 0.1*ddof(joint(1), 1);\n"
      "exload(1).exbody = body(1); exload(1).ftau = [-vel(body(1)) 0 0 0];\n"
      "sensor(1).name = 'a'; sensor(1).value = acc(body(1));\n"
      "event(1).when = dof(joint(1), 1); event(1).then = 'mark';\n"
      "output = {'a', 'energy', 'q', 'v'};\n"
      "world.g = [0 0 -9.81*(1 + 0.1*sin(t))];\n");
}

static void a_message_shows_the_place_the_nearest_name_and_the_list(void** state) {
  (void)state;
  td_spec* spec = load("joint(2).second = 1;\njoint(2).sprng.coeff = 40;\n");
  const char* text = td_spec_messages(spec);
  assert_non_null(strstr(text, "arm.m:2:10: error: unknown field 'sprng' of joint"));
  assert_non_null(strstr(text, "^~~~~ did you mean 'spring'?"));
  assert_non_null(strstr(text, "fields of joint: first second rom tr tr2nd dof"));
  td_spec_free(spec);
}

static void symbols_may_be_listed_by_name(void** state) {
  (void)state;
  expect_none(
      "syms m k; par.sym = {'m', 'k'}; par.var = [2 50];\n"
      "body(1).m = m; joint(1).second = 1; joint(1).tr.trans = [inf 0 0];\n"
      "joint(1).dof.spring.coeff = k;\n");
}

static void a_symbol_of_a_block_that_is_not_run_is_told_as_such(void** state) {
  (void)state;
  td_spec* spec = load(
      "par.derive = 0; if par.derive, syms m k; par.sym = [m k]; end; par.var = [2 50];\n"
      "body(1).m = m; joint(1).second = 1; joint(1).tr.trans = [inf 0 0];\n");
  const char* text = td_spec_messages(spec);
  assert_non_null(strstr(text, "arm.m:2:13: error: unknown name 'm'"));
  assert_non_null(strstr(text, "'syms' makes it where 'par.derive' is true"));
  td_spec_free(spec);
}

static void a_message_about_a_size_gives_the_usual_fix(void** state) {
  (void)state;
  static const char* const pairs[][2] = {
      {"world.g = -9.81;", "write three numbers, like [0 0 -9.81]"},
      {"body(1).I = [1 2 3];", "write diag([a b c]) for a matrix with these on its diagonal"},
      {"body(1).l_com = [1 2];", "n is 1, or the number of repeated elements"},
      {"joint(1).second = [1 1:4]; joint(1).spring.coeff = [1 2 3]';", "n is 1, or 4 as"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    td_spec* spec = load(pairs[i][0]);
    if (!strstr(td_spec_messages(spec), pairs[i][1])) fail_msg("%s", td_spec_messages(spec));
    td_spec_free(spec);
  }
}

static void a_missing_field_is_shown_where_its_structure_begins(void** state) {
  (void)state;
  td_spec* spec = load("x = 1; sensor(x + (0)).value = 3;\n");
  const char* text = td_spec_messages(spec);
  assert_non_null(strstr(text, "arm.m:1:8: error: sensor(1).name is missing"));
  assert_non_null(strstr(text, "|        ^~~~~~~~~~~~~~~\n"));
  td_spec_free(spec);
}

// Every block of docs/reference.md is a model text that passes; together they are one robot.
static void the_examples_of_the_reference_page_pass(void** state) {
  (void)state;
  td_text page = {0}, model = {0};
  td_fields_manual(&page);
  for (const char* s = page.s; (s = strstr(s, "```matlab\n"));) {
    s += strlen("```matlab\n");
    const char* end = strstr(s, "```");
    td_text_addn(&model, s, (int)(end - s));
    s = end + 3;
  }
  expect_none(model.s);
  td_text_free(&page);
  td_text_free(&model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_published_series_link_listing_passes),
      cmocka_unit_test(the_published_absolute_beam_listing_passes),
      cmocka_unit_test(the_published_pendulum_with_a_controlled_constraint_passes),
      cmocka_unit_test(the_autotmtdyn_spellings_pass),
      cmocka_unit_test(forces_may_depend_on_parameters_time_inputs_states_and_rates),
      cmocka_unit_test(a_message_shows_the_place_the_nearest_name_and_the_list),
      cmocka_unit_test(symbols_may_be_listed_by_name),
      cmocka_unit_test(a_symbol_of_a_block_that_is_not_run_is_told_as_such),
      cmocka_unit_test(a_message_about_a_size_gives_the_usual_fix),
      cmocka_unit_test(a_missing_field_is_shown_where_its_structure_begins),
      cmocka_unit_test(the_examples_of_the_reference_page_pass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
