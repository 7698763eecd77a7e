// Names are unique within a structure, a rod is not called like a body, and outputs are sensors.
#include "compiled.h"

#define ARM                                                                                       \
  "for k = 1:2, body(k).m = 1; body(k).I = eye(3); joint(k).second = k; joint(k).type = 'free'; " \
  "end\n"

static void test_a_name_belongs_to_one_element(void** state) {
  (void)state;
  static const said list[] = {
      {ARM "body(1).name = 'arm'; body(2).name = 'arm';", 2, 38,
       "body(2).name must be unique, but body(1) is called 'arm' too"},
      {ARM "rod(1).length = 1; rod(1).radius = 0.01; rod(1).E = 1; rod(1).rho = 1;\n"
           "body(2).name = 'arm'; rod(1).name = 'arm';",
       3, 37, "rod(1).name must be unique, but body(2) is called 'arm' too"},
      {ARM
       "sensor(1).name = 'height'; sensor(1).value = pos(body(1));\noutput = {'energy', 'hight'};",
       3, 21, "output 'hight' is neither the name of a sensor nor energy, q, v or z"},
  };
  EXPECT_MESSAGES(list);
  compiled_free(compile_text(ARM "body(1).name = 'arm'; joint(2).name = 'arm';"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_name_belongs_to_one_element),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
