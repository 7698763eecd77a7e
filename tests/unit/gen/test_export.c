// Standalone C models: compiled by the compilers there are without a warning, run on this machine
// and on an emulated Cortex-M7, and the same numbers everywhere.
#include <unistd.h>

#include "../engine/robots.h"
#include "gen/bundle.h"
#include "gen/layout.h"
#include "model/model.h"
#include "tendril/generate.h"
#include "workshop.h"

static void write_model(const char* name, const char* text) {
  robot r = robot_load(text);
  td_files* files = NULL;
  char message[300];
  assert_int_equal(td_files_open(directory, &files, message, sizeof message), TD_OK);
  assert_int_equal(td_export_c(r.model, name, files), TD_OK);
  assert_int_equal(td_files_commit(files), TD_OK);
  td_files_close(files);
  robot_free(&r);
}

// A filter that sees a hinge and drives it, and a closed amount of gas.
static const char robot_internal[] =
    "world.g = [0 0 -9.81]; u = input('u', 0.3);\n"
    "body(1).m = 1; body(1).I = 0.02; body(1).l_com = [0.2 0 0];\n"
    "joint(1).second = [1]; joint(1).type = 'revolute'; joint(1).axis = [0 1 0];\n"
    "f = internal('f', 0.2); g = internal('gas', 2e-5);\n"
    "dynamics(1).of = 'f'; dynamics(1).rate = (u - f)/0.05 + f*ddof(joint(1), 1);\n"
    "dynamics(2).of = 'gas'; dynamics(2).rate = 1e-4*max(f - 0.1, 0);\n"
    "joint(1).dof(1).input = 0.5*f + f^2 + 1e4*g;\n"
    "sensor(1).name = 'y'; sensor(1).value = f*dof(joint(1), 1) + g;\n";

static const struct {
  const char *name, *text;
} cases[] = {{"links", robot_links}, {"loops", robot_loops},     {"given", robot_given},
             {"rods", robot_rods},   {"gvs", robot_gvs},         {"cables", robot_cables},
             {"water", robot_water}, {"contact", robot_contact}, {"internal", robot_internal}};
enum { NCASE = sizeof cases / sizeof *cases };

static void test_standalone_models_agree_with_the_library(void** state) {
  (void)state;
  if (!have("cc --version")) skip();
  for (int i = 0; i < NCASE; i++) {
    char command[300];
    write_model(cases[i].name, cases[i].text);
    snprintf(command, sizeof command, "cc -std=c11 -O0 -w %s.c %s_check.c -lm -o check && ./check",
             cases[i].name, cases[i].name);
    run(cases[i].name, command);
  }
}

// Two ropes of 60 pieces each: v' has the condition of a stiff mass matrix and differs by far more
// than rounding between two right programs, the equations do not.  With a weak spring left out they
// do: the second comparison is with the numbers of ropes that have it.
static void test_stiff_models_are_judged_by_their_equations(void** state) {
  (void)state;
  if (!have("cc --version")) skip();
  char text[2000];
  const char* spring = "rod(1).joint.dof(1).spring.coeff = 1e-6;";
  for (int left_out = 1; left_out >= 0; left_out--) {
    snprintf(text, sizeof text,
             "world.g = [0 0 -9.81]; th = 1.1311022;\n"
             "for k = 1:2\n rod(k).length = 1; rod(k).radius = 0.005; rod(k).E = 1e6;"
             "rod(k).rho = 1000; rod(k).eta = 3e3; rod(k).model = 'ebr'; rod(k).n = 60; end\n"
             "rod(1).tr(1).trans = [-0.4 0 0]; rod(1).tr(2).rot = [2 pi/2];"
             "rod(2).tr(1).trans = [0 -0.4 0.03]; rod(2).tr(2).rot = [1 -pi/2];"
             "rod(1).joint.type = 'revolute'; rod(1).joint.axis = [0 1 0];"
             "rod(1).joint.dof(1).init = th; rod(2).joint.type = 'revolute';"
             "rod(2).joint.axis = [1 0 0]; rod(2).joint.dof(1).init = -th;"
             "rod(1).modes = [0 0 1 0 1 0]; rod(1).init = [0 0 0 0 -2*th 0];"
             "rod(2).modes = [0 0 1 1 0 0]; rod(2).init = [0 0 0 2*th 0 0];"
             "joint(1).first = 0; joint(1).tr.trans = [0.4 0 0];"
             "joint(1).second = at(rod(1), 1); joint(1).fixed = [1 0 1 0 0 0];"
             "joint(2).first = 0; joint(2).tr.trans = [0 0.4 0.03];"
             "joint(2).second = at(rod(2), 1); joint(2).fixed = [0 1 1 0 0 0];"
             "contact(1).first = rod(2); contact(1).second = rod(1); contact(1).per = 'point';"
             "contact(1).stiffness = 1e4; contact(1).damping = 1; %s",
             left_out ? spring : "");
    write_model("ropes", text);
    if (left_out) run("keep", "cp ropes_check.c with_spring.c");
  }
  run("ropes",
      "cc -std=c11 -O0 -w -c ropes.c && cc -std=c11 -w ropes.o ropes_check.c -lm -o check && "
      "./check");
  run("without the spring",
      "cc -std=c11 -w ropes.o with_spring.c -lm -o check && ./check; "
      "[ $? = 1 ] && grep -q DIFFERS out.txt");
}

static void test_no_compiler_warns(void** state) {
  (void)state;
  static const char* const compilers[] = {"gcc", "clang-14"};
  int used = 0;
  write_model("loops", robot_loops);
  for (int i = 0; i < 2; i++) {
    char command[300];
    snprintf(command, sizeof command, "%s --version", compilers[i]);
    if (!have(command)) continue;
    used++;
    snprintf(command, sizeof command,
             "%s -std=c11 -O0 -Wall -Wextra -Wconversion -Werror -c loops.c loops_check.c",
             compilers[i]);
    run(compilers[i], command);
  }
  if (used == 0) skip();
}

static void test_text_is_the_same_every_time(void** state) {
  (void)state;
  write_model("links", robot_links);
  run("first", "cp links.c once.c");
  write_model("links", robot_links);
  run("second", "cmp links.c once.c");
}

static void test_cortex_m7_agrees_with_the_host(void** state) {
  (void)state;
  if (!have("arm-none-eabi-gcc --version") || !have("qemu-system-arm --version")) skip();
  write_model("loops", robot_loops);
  char command[1000];
  snprintf(
      command, sizeof command,
      "arm-none-eabi-gcc -mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16 "
      "-fno-short-enums -Wl,--no-enum-size-warning -O1 -w -ffunction-sections "
      "-fdata-sections -Wl,--gc-sections -std=c11 loops.c loops_check.c '%s/tests/arm/start.c' "
      "-T '%s/tests/arm/mps2.ld' --specs=rdimon.specs -nostartfiles -lm -o arm.elf && "
      "timeout 60 qemu-system-arm -M mps2-an500 -nographic -semihosting -kernel arm.elf && "
      "sed 's/.*: //' out.txt | awk '/e[-+]/ && $1 > 1e-12 {exit 1}'",
      TEST_SOURCE_DIR, TEST_SOURCE_DIR);
  run("Cortex-M7", command);
}

// The layout read from the headers is the compiler's.
static void test_layout_of_every_struct_is_understood(void** state) {
  (void)state;
  layout l;
#define X(type, name, about)                              \
  if (strncmp(#type, "model_", 6) == 0) {                 \
    assert_true(td_layout(td_engine_sources, #type, &l)); \
    assert_int_equal((size_t)l.size, sizeof(type));       \
  }
  TD_MODEL_ARRAYS(X)
#undef X
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_standalone_models_agree_with_the_library),
      cmocka_unit_test(test_stiff_models_are_judged_by_their_equations),
      cmocka_unit_test(test_no_compiler_warns),
      cmocka_unit_test(test_text_is_the_same_every_time),
      cmocka_unit_test(test_cortex_m7_agrees_with_the_host),
      cmocka_unit_test(test_layout_of_every_struct_is_understood),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
