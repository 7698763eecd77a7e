// Printed code is compiled and run, and gives the engine's numbers; no compiler finds anything to
// complain about, and the text is the same every time.
#include <unistd.h>

#include "../engine/robots.h"
#include "gen/derive.h"
#include "workshop.h"

// Redundant rows in other units and frames: a heavy four-bar in a turned plane, Bricard's mechanism
// of six hinges, a straight rod whose end is held by more than its plane has.  What counts as a row
// must depend neither on the masses nor on rounding across the plane.
#define FOUR_BAR                                                                              \
  "world.g = [0 0 -9.81]; L = [0.3 0.7 0.3];\n"                                               \
  "for k = 1:3\n body(k).m = 1e9*L(k); body(k).I = 1e9*L(k)^3/12*eye(3);"                     \
  "body(k).l_com = [L(k)/2 0 0]; end\n"                                                       \
  "joint(1).second = 1; joint(1).tr(1).rot = [1 0.3]; joint(1).tr(2).rot = [2 inf];"          \
  "joint(1).dof.init = -1.2; joint(1).dof.rate = 1; joint(2).first = 1; joint(2).second = 2;" \
  "joint(2).tr(1).trans = [L(1) 0 0]; joint(2).tr(2).rot = [2 inf]; joint(2).dof.init = 1.2;" \
  "joint(3).first = 2; joint(3).second = 3; joint(3).tr(1).trans = [L(2) 0 0];"               \
  "joint(3).tr(2).rot = [2 inf]; joint(3).dof.init = 1.9; joint(4).first = 0;"                \
  "joint(4).second = 3; joint(4).tr(1).rot = [1 0.3]; joint(4).tr(2).trans = [0.7 0 0];"      \
  "joint(4).tr2nd.trans = [L(3) 0 0]; joint(4).type = 'revolute'; joint(4).axis = [0 1 0];"

#define BRICARD                                                                                  \
  "world.g = [0 -9.81 0]; P = [0 0 0; 1 0 0; 1 -1 0; 1 -1 1; 0 -1 1; 0 0 1];\n"                  \
  "axes = [0 1 0; 0 0 1; 1 0 0; 0 1 0; 0 0 1; 1 0 0];\n"                                         \
  "for k = 1:5\n r = P(k+1,:) - P(k,:); body(k).m = 1; body(k).l_com = r/2;"                     \
  "body(k).I = 0.084*eye(3) - 0.08*diag(abs(r)); joint(k).first = k - 1; joint(k).second = k;\n" \
  "if k > 1\n joint(k).tr(1).trans = P(k,:) - P(k-1,:);\n end\n"                                 \
  "joint(k).type = 'revolute'; joint(k).axis = axes(k,:);\n end\n"                               \
  "joint(6).first = 0; joint(6).second = 5; joint(6).tr(1).trans = P(6,:);"                      \
  "joint(6).tr2nd(1).trans = P(6,:) - P(5,:); joint(6).type = 'revolute';"                       \
  "joint(6).axis = axes(6,:);"

#define STRAIGHT_ROD                                                                         \
  "world.g = [0 0 -9.81]; rod(1).length = 1; rod(1).radius = 2e-4; rod(1).E = 1e7;"          \
  "rod(1).rho = 1000; rod(1).model = 'ebr'; rod(1).n = 3; rod(1).modes = [0 0 1 0 1 0];"     \
  "rod(1).tr(1).rot = [1 0.3]; rod(1).tr(2).rot = [2 pi/2]; rod(1).joint.type = 'revolute';" \
  "rod(1).joint.axis = [0 1 0]; joint(1).first = 0; joint(1).second = at(rod(1), 1);"        \
  "joint(1).tr.trans = [1 0 0]; joint(1).type = 'spherical';"

static const struct {
  const char* name;
  const char *text, *file, *model, *n;
} cases[] = {
    {"given", robot_given, NULL, NULL, NULL},
    {"links", robot_links, NULL, NULL, NULL},
    {"loops", robot_loops, NULL, NULL, NULL},
    {"rods", robot_rods, NULL, NULL, NULL},
    {"pendulum", NULL, "pendulum.m", NULL, NULL},
    {"four_bar", NULL, "four_bar.m", NULL, NULL},
    {"stiffflop_eba", NULL, "stiffflop.m", "eba", "2"},
    {"stiffflop_rom", NULL, "stiffflop.m", "rom", "1"},
    {"stiffflop_srl", NULL, "stiffflop.m", "srl", "5"},
    {"heavy_four_bar", FOUR_BAR, NULL, NULL, NULL},
    {"bricard", BRICARD, NULL, NULL, NULL},
    {"straight_rod", STRAIGHT_ROD, NULL, NULL, NULL},
    {"drag", DRAG("-2*norm(w)*w"), NULL, NULL, NULL},
    {"rom", robot_rom, NULL, NULL, NULL},
};
enum { NCASE = sizeof cases / sizeof *cases };

static td_model* load(int i) {
  td_spec* spec = td_spec_new();
  td_model* m = NULL;
  char path[600];
  if (cases[i].model) td_spec_override(spec, "model", cases[i].model);
  if (cases[i].n) td_spec_override(spec, "n", cases[i].n);
  snprintf(path, sizeof path, "%s/models/%s", TEST_SOURCE_DIR, cases[i].file ? cases[i].file : "");
  if (cases[i].text) {
    td_spec_load_string(spec, cases[i].name, cases[i].text);
  } else {
    td_spec_load_file(spec, path);
  }
  if (td_model_compile(spec, &m) != TD_OK) {
    print_error("%s\n", td_spec_messages(spec));
    fail();
  }
  td_spec_free(spec);
  return m;
}

static void write_code(int i, td_derive_language language, td_derive_style style) {
  td_model* m = load(i);
  td_derived* d = NULL;
  td_files* files = NULL;
  char message[300] = "";
  const td_derive_options o = {.size = sizeof(td_derive_options),
                               .all_symbolic = i % 2 == 1,
                               .elements = true,
                               .loops = style == TD_DERIVE_WHOLE};
  if (td_derive(m, &o, &d, message, sizeof message) != TD_OK) {
    print_error("%s: %s\n", cases[i].name, message);
    fail();
  }
  assert_int_equal(td_files_open(directory, &files, message, sizeof message), TD_OK);
  assert_int_equal(td_derive_write(m, d, cases[i].name, language, style, files), TD_OK);
  assert_int_equal(td_files_commit(files), TD_OK);
  td_files_close(files);
  td_derived_free(d);
  td_model_free(m);
}

// Every style in every language; the last model, polynomial rods, with loops in all of them.
static td_derive_style style_of(int i, int shift) {
  return i == NCASE - 1 ? TD_DERIVE_WHOLE : (td_derive_style)((i + shift) % 4);
}

static void compile_and_check(const char* compiler, const char* name) {
  char command[400];
  snprintf(command, sizeof command,
           "%s -std=c99 -O0 -Wall -Wextra -Wpedantic -Wconversion -Werror %s.c %s_check.c -lm -o "
           "check && ./check",
           compiler, name, name);
  run(name, command);
}

static void test_c_compiles_without_warnings_and_gives_the_numbers_of_the_engine(void** state) {
  (void)state;
  static const char* const compilers[] = {"gcc", "clang-14"};
  int used = 0;
  for (int i = 0; i < NCASE; i++) write_code(i, TD_DERIVE_C, style_of(i, 0));
  for (int c = 0; c < 2; c++) {
    char probe[60];
    snprintf(probe, sizeof probe, "%s --version", compilers[c]);
    if (!have(probe)) continue;
    used++;
    for (int i = 0; i < NCASE; i++) compile_and_check(compilers[c], cases[i].name);
  }
  if (used == 0) skip();
}

static void test_c_is_the_same_every_time(void** state) {
  (void)state;
  write_code(1, TD_DERIVE_C, TD_DERIVE_TERMS);
  run("first", "cp links.c once.c && cp links.h once.h");
  write_code(1, TD_DERIVE_C, TD_DERIVE_TERMS);
  run("second", "cmp links.c once.c && cmp links.h once.h");
}

// Names that would end a comment, continue it, or close a documentation string.
static void test_names_of_the_author_are_only_text(void** state) {
  (void)state;
  static const char text[] =
      "world.g = [0 0 -9.81]; body(1).m = 1; body(1).l_com = [0 0 -.5]; joint(1).second = 1; "
      "joint(1).tr.rot = [2 inf]; joint(1).dof(1).spring.coeff = 3;\n"
      "joint(1).name = sprintf('a\\n#error \"\"\"\\nimport this'); body(1).name = 'what?\?/';\n"
      "sensor(1).name = 'e'; sensor(1).value = energy();\n";
  robot r = robot_load(text);
  const td_derive_options o = {.size = sizeof(td_derive_options), .elements = true};
  for (int language = 0; language < 3; language++) {
    td_derived* d = NULL;
    td_files* files = NULL;
    char message[300];
    assert_int_equal(td_derive(r.model, &o, &d, message, sizeof message), TD_OK);
    assert_int_equal(td_files_open(directory, &files, message, sizeof message), TD_OK);
    assert_int_equal(td_derive_write(r.model, d, "dir/na\nme.m", (td_derive_language)language,
                                     TD_DERIVE_ELEMENT, files),
                     TD_OK);
    assert_int_equal(td_files_commit(files), TD_OK);
    td_files_close(files);
    td_derived_free(d);
  }
  robot_free(&r);
  run("names",
      "! grep '^#error' *.c *.h *.m *.py && ! grep '^import this' *.c *.h *.m *.py && "
      "! grep -h '[?][?]/' *.c *.h");
}

static const char* python(void) {
  if (have("python3 -c 'import numpy'")) return "python3";
  return have("/usr/bin/python3 -c 'import numpy'") ? "/usr/bin/python3" : NULL;
}

static void test_python_gives_the_numbers_of_the_engine(void** state) {
  (void)state;
  const char* program = python();
  if (!program) skip();
  for (int i = 0; i < NCASE; i++) {
    char command[200];
    write_code(i, TD_DERIVE_PYTHON, style_of(i, 1));
    snprintf(command, sizeof command, "%s -W error %s.py", program, cases[i].name);
    run(cases[i].name, command);
  }
}

static void test_octave_gives_the_numbers_of_the_engine(void** state) {
  (void)state;
  if (!have("octave-cli --version")) skip();
  char command[900] = "octave-cli --quiet --no-init-file --eval \"";
  for (int i = 0; i < NCASE; i++) {
    write_code(i, TD_DERIVE_OCTAVE, style_of(i, 2));
    strcat(strcat(command, cases[i].name), "_check; ");
  }
  run("octave", strcat(command, "disp('all done');\"; grep -q 'all done' out.txt"));
}

// Sensors that are no number, or infinite, are compared too; a number in their place differs.
static void test_expected_numbers_may_be_none(void** state) {
  (void)state;
  robot r = robot_load(
      "body(1).m = 1; joint(1).second = 1; joint(1).tr.trans = [inf 0 0]; z = dof(joint(1), 1)^2;"
      "sensor(1).name = 'r'; sensor(1).value = [max(0, -z)/max(0, -2*z) 1/max(0, -z) 2];");
  const td_derive_options o = {.size = sizeof(td_derive_options), .elements = true};
  for (int language = 0; language < 3; language++) {
    td_derived* d = NULL;
    td_files* files = NULL;
    char message[300];
    assert_int_equal(td_derive(r.model, &o, &d, message, sizeof message), TD_OK);
    assert_int_equal(td_files_open(directory, &files, message, sizeof message), TD_OK);
    assert_int_equal(
        td_derive_write(r.model, d, "none", (td_derive_language)language, TD_DERIVE_WHOLE, files),
        TD_OK);
    assert_int_equal(td_files_commit(files), TD_OK);
    td_files_close(files);
    td_derived_free(d);
  }
  robot_free(&r);
  compile_and_check("cc", "none");
  run("a number for nan",
      "sed 's/NAN/1/' none_check.c > other.c && cc -std=c99 none.c other.c -lm -o check && "
      "! ./check");
  run("a number for inf",
      "sed 's/INFINITY/1/' none_check.c > other.c && cc -std=c99 none.c other.c -lm -o check && "
      "! ./check");
  run("Python's names", "grep -q 'want_y = np.array(.np.nan, np.inf, 2' none.py");
  if (python() != NULL) {
    char command[200];
    snprintf(command, sizeof command, "%s none.py", python());
    run("none", command);
    snprintf(command, sizeof command,
             "sed 's/np.nan, np.inf/1, np.inf/' none.py > o.py && ! %s o.py", python());
    run("a number for nan in Python", command);
  }
  if (have("octave-cli --version"))
    run("octave",
        "octave-cli --quiet --no-init-file --eval \"none_check; disp('all done')\"; "
        "grep -q 'all done' out.txt && sed 's/nan, inf/1, inf/' none_check.m > wrong.m && "
        "! octave-cli --quiet --no-init-file --eval wrong");
}

// A planar arm of two links: one page.
static const char arm[] =
    "l1 = param('l1', 1); l2 = param('l2', .8); m1 = param('m1', 1); m2 = param('m2', .7); g = "
    "param('g', 9.81);\n"
    "world.g = [0 0 -g]; body(1).m = m1; body(1).l_com = [0 0 -l1/2]; body(2).m = m2; "
    "body(2).l_com = [0 0 -l2/2];\n"
    "joint(1).second = 1; joint(1).tr(1).rot = [2 inf]; joint(1).dof(1).input = input('u1', 0);\n"
    "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [0 0 -l1]; joint(2).tr(1).rot "
    "= [2 inf]; joint(2).dof(1).input = input('u2', 0);\n";

static void test_latex_of_an_arm_fits_a_page(void** state) {
  (void)state;
  robot r = robot_load(arm);
  td_derived* d = NULL;
  td_files* files = NULL;
  char message[300];
  const td_derive_options o = {.size = sizeof(td_derive_options), .all_symbolic = true};
  assert_int_equal(td_derive(r.model, &o, &d, message, sizeof message), TD_OK);
  assert_int_equal(td_files_open(directory, &files, message, sizeof message), TD_OK);
  assert_int_equal(td_derive_write(r.model, d, "arm", TD_DERIVE_LATEX, TD_DERIVE_WHOLE, files),
                   TD_OK);
  assert_int_equal(td_files_commit(files), TD_OK);
  td_files_close(files);
  td_derived_free(d);
  robot_free(&r);
  run("arm", "grep -q 'sin' arm.tex && grep -q 'm_{2}' arm.tex");
  if (!have("pdflatex --version")) skip();
  run("pdflatex", "pdflatex -interaction=nonstopmode arm.tex && grep -q '(1 page' arm.log");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_c_compiles_without_warnings_and_gives_the_numbers_of_the_engine),
      cmocka_unit_test(test_c_is_the_same_every_time),
      cmocka_unit_test(test_names_of_the_author_are_only_text),
      cmocka_unit_test(test_python_gives_the_numbers_of_the_engine),
      cmocka_unit_test(test_latex_of_an_arm_fits_a_page),
      cmocka_unit_test(test_octave_gives_the_numbers_of_the_engine),
      cmocka_unit_test(test_expected_numbers_may_be_none),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
