// Model texts into specs: the shapes of the published listings, includes, tables, single fields,
// forward references.
#include <time.h>
#include <unistd.h>

#include "evaluate.h"

static td_spec* load(const char* text) {
  td_spec* spec = td_spec_new();
  if (td_spec_load_string(spec, "model.m", text) != TD_OK) fail_msg("%s", td_spec_messages(spec));
  return spec;
}

// A path like "joint(1).tr(2).trans" in the spec, shown.
static char* shown(const td_spec* spec, const char* path) {
  const value* v = spec->root;
  int i = 0;
  char copy[200];
  snprintf(copy, sizeof copy, "%s", path);
  for (char* part = strtok(copy, "."); part && v; part = strtok(NULL, ".")) {
    int next = 1;
    char* index = strchr(part, '(');
    if (index) {
      next = atoi(index + 1);
      *index = 0;
    }
    const value_slot* slot = td_value_slot(v, i, part);
    v = slot ? slot->v : NULL;
    i = next - 1;
  }
  td_text out = {0};
  show_value_of(spec, v, &out);
  return out.s;
}

#define CHECK_SHOWN(spec, path, want) \
  do {                                \
    char* text = shown(spec, path);   \
    assert_string_equal(text, want);  \
    free(text);                       \
  } while (0)

// Table 4 of the IJRR paper: rigid links in series, then the tip sensor
static void the_series_rigid_link_listing_runs(void** state) {
  (void)state;
  td_spec* spec = load(
      "nd = 5; lm2 = 0.05; m2 = 0.028; I2d = 1e-6*eye(3); m3 = 0.0135; I3 = 1e-6*eye(3); lm3 = "
      "0.0145;\n"
      "Kx = [1 2 3 4 5 6]; mux = 0.1*ones(1, 6); nu = 2; fx = [0 0 t 0 0 0];\n"
      "world.g = [0, 0, 9.81];\n"
      "body(1).m = m2/nd; % Rigid body\n"
      "body(1).I = I2d;\n"
      "body(1).tip = [0, 0, lm2/nd];\n"
      "joint(1).first = [1, (0 : nd - 1)]';\n"
      "joint(1).second = [1, (1 : nd)]';\n"
      "joint(1).tr(1).trans = [0, 0, lm2/nd];\n"
      "joint(1).tr(2).trans = [inf, inf, inf ];\n"
      "joint(1).tr(2).rot = [3, inf ];\n"
      "joint(1).tr(3).rot = [1, inf ];\n"
      "joint(1).tr(4).rot = [2, inf ];\n"
      "for ih = 1 : 6\n"
      "  joint(1).dof(ih).spring.coeff = Kx(ih);\n"
      "  joint(1).dof(ih).damp.visc = mux(ih);\n"
      "  joint(1).dof(ih).damp.pow = nu;\n"
      "  joint(1).dof(ih).input = fx(ih);\n"
      "end\n"
      "body(2).m = m3;\nbody(2).I = I3;\nbody(2).l_com = [0, 0, lm3/2];\n"
      "joint(2).first = [1, nd]';\njoint(2).second = 2;\nmesh = [ ];\n");
  CHECK_SHOWN(spec, "joint(1).first", "[1;0;1;2;3;4]");
  CHECK_SHOWN(spec, "joint(1).second", "[1;1;2;3;4;5]");
  CHECK_SHOWN(spec, "joint(1).tr(2).trans", "[inf inf inf]");
  CHECK_SHOWN(spec, "joint(1).tr(4).rot", "[2 inf]");
  CHECK_SHOWN(spec, "joint(1).dof(3).input", "~2");
  CHECK_SHOWN(spec, "joint(1).dof(6).spring.coeff", "6");
  CHECK_SHOWN(spec, "joint(2).first", "[1;5]");
  CHECK_SHOWN(spec, "joint", "a 1x2 struct array");
  CHECK_SHOWN(spec, "mesh", "nothing");
  td_spec_free(spec);
}

// Eq. 58, 59: linking beam and constraint, with symbols
static void the_beam_listing_runs_with_symbols(void** state) {
  (void)state;
  td_spec* spec = load(
      "clc; clear all; close all\n"
      "syms E G A J l0 mu_e mu_a f_u3 tau_u2 real\n"
      "par.sym = [E G A J l0 mu_e mu_a f_u3 tau_u2];\n"
      "par.var = [205e3 70e3 1e-4 1e-9 0.05 1 2 3 4];\n"
      "joint(2).second = 1;\n"
      "joint(2).spring.coeff = [G*A G*A E*A E*J E*J 2*G*J] / l0;\n"
      "joint(2).spring.init = [0, 0, nan, 0, 0, 0];\n"
      "joint(2).damp.visc = [mu_e, 0, mu_e, 0, mu_a, 0];\n"
      "joint(2).damp.pow = 2;\n"
      "joint(2).input = [0, 0, f_u3, 0, tau_u2, 0];\n"
      "joint(3).second = 1;\n"
      "joint(3).fixed = [0, 0, 1, 0, 1, 0];\n");
  CHECK_SHOWN(spec, "joint(2).spring.coeff", "[~140 ~140 ~410 ~0.0041 ~0.0041 ~0.0028]");
  CHECK_SHOWN(spec, "joint(2).spring.init", "[0 0 nan 0 0 0]");
  CHECK_SHOWN(spec, "joint(2).input", "[0 0 ~3 0 ~4 0]");
  assert_int_equal(spec->nparam, 9);
  assert_true(spec->params[0].from_syms);
  assert_string_equal(spec->params[8].name, "tau_u2");
  td_spec_free(spec);
}

// Inertia of repeated elements: 3x3xn
static void inertias_stack_in_pages(void** state) {
  (void)state;
  td_spec* spec = load("for k = 1:3, body(1).I(:,:,k) = k*eye(3); end; body(1).m = [1; 2; 3];");
  const value* I = td_get(td_get(spec->root, 0, "body"), 0, "I");
  assert_int_equal(I->pages, 3);
  CHECK_NEAR(I->x[18], 3, 0);
  td_spec_free(spec);
}

static void sensors_outputs_and_events_are_handed_over(void** state) {
  (void)state;
  td_spec* spec = load(
      "sensor(1).name = 'tip'; sensor(1).value = pos(body(1), [0 0 0.3]); output = {'tip', "
      "'energy', 'q'};\n"
      "event(1).when = pos(body(1))(3); event(1).then = 'stop'; u1 = input('u1', 2); "
      "joint(1).dof(1).input = u1 * t;\n"
      "par.t_final = 8; exload(1).exbody = body(1); exload(1).ftau = [0 0 -1 0 0 0];");
  CHECK_SHOWN(spec, "sensor(1).value", "[~0.5 ~0.5 ~0.5]");
  CHECK_SHOWN(spec, "output", "a 1x3 cell");
  CHECK_SHOWN(spec, "event(1).when", "~0.5");
  CHECK_SHOWN(spec, "joint(1).dof(1).input", "~4");
  CHECK_SHOWN(spec, "exload(1).exbody", "body(1)");
  assert_int_equal(spec->ninput, 1);
  td_spec_free(spec);
}

// Names of bodies may be used before they are given.
static void names_point_forward(void** state) {
  (void)state;
  td_spec* spec = load(
      "sensor(1).value = pos('tip'); joint(1).first = at('base'); sensor(2).value = dof('hinge', "
      "1);\n"
      "body(1).name = 'base'; body(2).name = 'tip'; joint(3).name = 'hinge';");
  assert_int_equal(spec->sensors[0].ref.index, 2);
  assert_int_equal(spec->sensors[3].ref.index, 3);
  CHECK_SHOWN(spec, "joint(1).first", "body(1)");
  td_spec_free(spec);
}

// Where a value and its name were written.
static void spans_point_at_the_source(void** state) {
  (void)state;
  const char* text = "body(1).m = 2;\njoint(2).tr(1).trans(3) = 0.5;\n";
  td_spec* spec = load(text);
  const value* body = td_get(spec->root, 0, "body");
  const td_span at = td_get_at(body, 0, "m");
  assert_memory_equal(text + at.begin, "2", 1);
  const value* joint = td_get(spec->root, 0, "joint");
  const value_slot* slot = td_value_slot(td_get(joint, 1, "tr"), 0, "trans");
  assert_memory_equal(text + slot->at.begin, "0.5", 3);
  assert_memory_equal(text + slot->name_at.begin, "trans", 5);
  td_spec_free(spec);
}

static void later_texts_see_earlier_ones(void** state) {
  (void)state;
  td_spec* spec = load("m = 3; body(1).m = m;");
  assert_int_equal(td_spec_load_string(spec, "b.m", "body(2).m = 2*m + body(1).m;"), TD_OK);
  CHECK_SHOWN(spec, "body(1).m", "3");
  CHECK_SHOWN(spec, "body(2).m", "9");
  td_spec_free(spec);
}

static void single_fields_are_set_by_path(void** state) {
  (void)state;
  td_spec* spec = td_spec_new();
  const double g[] = {0, 0, -9.81}, I[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  assert_int_equal(td_spec_matrix(spec, "world.g", 1, 3, g), TD_OK);
  assert_int_equal(td_spec_number(spec, "body(2).m", 2.5), TD_OK);
  assert_int_equal(td_spec_matrix(spec, "body(2).I", 3, 3, I), TD_OK);
  assert_int_equal(td_spec_string(spec, "body(2).name", "arm"), TD_OK);
  CHECK_SHOWN(spec, "world.g", "[0 0 -9.81]");
  CHECK_SHOWN(spec, "body(2).m", "2.5");
  CHECK_SHOWN(spec, "body(2).I", "[1 2 3;4 5 6;7 8 9]");
  CHECK_SHOWN(spec, "body(2).name", "'arm'");
  assert_int_equal(td_spec_number(spec, "a = 1; b", 1), TD_E_USAGE);
  assert_int_equal(td_spec_error_count(spec), 0);
  assert_int_equal(td_spec_number(spec, "body(1).mas", 1), TD_E_MODEL);
  assert_int_equal(td_spec_number(spec, "body(", 1), TD_E_USAGE);
  td_spec_free(spec);
}

// ---- files ------------------------------------------------------------------------------------

static void write_text(const char* name, const char* text) {
  FILE* f = fopen(name, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static void includes_and_tables_are_relative_to_the_file(void** state) {
  (void)state;
  char folder[] = "tendril_text_XXXXXX", name[80];
  assert_non_null(mkdtemp(folder));
  const char* const files[][2] = {
      {"main.m",
       "include('part.m'); d = table('data.csv'); body(1).m = mass; x = interp1(d.t, d.p1_Pa, t);"},
      {"part.m", "mass = 4;"},
      {"data.csv", "t, p1 (Pa); note\n"},
  };
  for (int i = 0; i < 2; i++) {
    snprintf(name, sizeof name, "%s/%s", folder, files[i][0]);
    write_text(name, files[i][1]);
  }
  static const char* const csv[] = {
      "t,\"p1 (Pa)\"\n0,1\n1,2\n2.5,3.5\n", "t;p1 Pa\r\n0;1\r\n1;2\r\n2.5;3.5\r\n\r\n",
      "t\tp1-Pa\n0\t1\n1\t2\n2.5\t3.5\n", "  t   p1_Pa\n  0   1\n  1   2\n  2.5  3.5\n",
      "\xef\xbb\xbft , p1_Pa\n0 , 1\n1 , 2\n2.5 , 3.5"};
  for (size_t i = 0; i < sizeof csv / sizeof *csv; i++) {
    snprintf(name, sizeof name, "%s/data.csv", folder);
    write_text(name, csv[i]);
    snprintf(name, sizeof name, "%s/main.m", folder);
    td_spec* spec = td_spec_new();
    if (td_spec_load_file(spec, name) != TD_OK) fail_msg("%s\n%s", csv[i], td_spec_messages(spec));
    CHECK_SHOWN(spec, "body(1).m", "4");
    double* vars = variables_of(spec);
    CHECK_NEAR(td_ex_eval(spec->graph, global_of(spec, "x")->e[0], vars), 3, 1e-14);
    free(vars);
    td_spec_free(spec);
  }
  for (int i = 0; i < 3; i++) {
    snprintf(name, sizeof name, "%s/%s", folder, files[i][0]);
    unlink(name);
  }
  rmdir(folder);
}

// A thousand bodies and joints written in a loop take some milliseconds; the bound allows for slow
// machines.
static void a_thousand_bodies_load_quickly(void** state) {
  (void)state;
  const clock_t begin = clock();
  td_spec* spec = load(
      "for i = 1:1000\n  body(i).m = 0.1*i;\n  body(i).I = 1e-3*eye(3);\n  body(i).name = "
      "sprintf('b%d', i);\n"
      "  joint(i).first = i - 1;\n  joint(i).second = i;\n  joint(i).tr(1).trans = [0 0 0.1];\n"
      "  joint(i).tr(2).rot = [2 inf];\n  joint(i).dof(1).spring.coeff = 10;\n"
      "  joint(i).dof(1).damp.visc = 0.1*sin(t);\nend\n");
  const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  CHECK_SHOWN(spec, "joint(1000).first", "999");
  assert_true(seconds < 0.5);
  td_spec_free(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_series_rigid_link_listing_runs),
      cmocka_unit_test(the_beam_listing_runs_with_symbols),
      cmocka_unit_test(inertias_stack_in_pages),
      cmocka_unit_test(sensors_outputs_and_events_are_handed_over),
      cmocka_unit_test(names_point_forward),
      cmocka_unit_test(spans_point_at_the_source),
      cmocka_unit_test(later_texts_see_earlier_ones),
      cmocka_unit_test(single_fields_are_set_by_path),
      cmocka_unit_test(includes_and_tables_are_relative_to_the_file),
      cmocka_unit_test(a_thousand_bodies_load_quickly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
