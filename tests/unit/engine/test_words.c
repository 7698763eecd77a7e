// Words that users of URDF and MuJoCo bring along are answered with what they are called here, and
// every answer that names a field names one that exists.
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "model/fields.h"
#include "tendril/tendril.h"

static const struct {
  const char *text, *hint;
} cases[] = {
    {"body(1).mass = 1;", "body(k).m"},
    {"body(1).inertia = eye(3);", "body(k).I"},
    {"body(1).origin = 1;", "joint(k).tr"},
    {"body(1).geom = 1;", "contact(k)"},
    {"joint(1).type = 'hinge';", "'revolute'"},
    {"joint(1).type = 'continuous';", "'revolute'"},
    {"joint(1).type = 'slide';", "'prismatic'"},
    {"joint(1).type = 'ball';", "'spherical'"},
    {"joint(1).type = 'floating';", "'free'"},
    {"joint(1).type = 'revolut';", "did you mean 'revolute'?"},
    {"rod(1).joint.type = 'hinge';", "'revolute'"},
    {"joint(1).range = [0 1];", "dof(i).dir"},
    {"joint(1).limit.lower = 1;", "dof(i).dir"},
    {"joint(1).limit.effort = 1;", "dof(i).dir"},
    {"joint(1).effort = 1;", "control.limits"},
    {"joint(1).velocity = 1;", "dof(i).rate"},
    {"joint(1).damping = 1;", "damp.visc"},
    {"joint(1).stiffness = 1;", "spring.coeff"},
    {"joint(1).friction = 1;", "damp"},
    {"joint(1).actuator = 1;", "input("},
    {"joint(1).origin.xyz = 1;", "joint(k).tr"},
    {"joint(1).origin.rpy = 1;", "joint(k).tr"},
    {"joint(1).tr.rpy = 1;", "joint(k).tr.rot"},
    {"joint(1).tr.xyz = 1;", "joint(k).tr.trans"},
    {"joint(1).parent = 1;", "joint(k).first"},
    {"joint(1).child = 1;", "joint(k).second"},
    {"joint(1).dof(1).range = 1;", "dof(i).dir"},
    {"joint(1).spring.stiffness = 1;", "coeff"},
    {"rod(1).density = 1;", "rod(k).rho"},
    {"contact(1).mu = 1;", "contact(k).friction"},
    {"exload(1).force = 1;", "exload(k).ftau"},
    {"mesh(1).body.mass = 1;", "here this is m"},
    {"world.gravity = [0 0 -9.81];", "world.g"},
    {"gravity = [0 0 -9.81];", "world.g"},
    {"par.gravity = -9.81;", "world.g"},
    {"par.timestep = 1e-3;", "par.dt_out"},
    {"timestep = 1e-3;", "par.dt_out"},
    {"par.dt = 1e-3;", "par.dt_out"},
    {"integrator = 'RK4';", "par.solver"},
    {"body(1).visual = 1;", "drawn by their tips"},
    {"body(1).rgba = [1 0 0 1];", "colours are chosen"},
    {"sensor(1).type = 'accelerometer';", "sensor(k).value ="},
    {"sensor(1).body = 1;", "sensor(k).value = pos(body(k))"},
    {"link(1).mass = 1;", "body(k)"},
    {"geom(1).size = 1;", "contact(k)"},
    {"actuator(1).joint = 1;", "input("},
    {"tendon(1).site = 1;", "cable(k)"},
    {"joint(1).type = revolute;", "between quotes: 'revolute'"},
    {"x = position(body(1));", "pos(body(k))"},
    {"x = np.pi;", "write sin(x), pi"},
    {"x = radians(60);", "deg2rad"},
};

static void words_of_other_programs_are_answered(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    td_spec* spec = td_spec_new();
    td_model* model = NULL;
    td_spec_load_string(spec, "robot.m", cases[i].text);
    td_model_compile(spec, &model);
    assert_null(model);
    if (!strstr(td_spec_messages(spec), cases[i].hint))
      fail_msg("%s\nno '%s' in\n%s", cases[i].text, cases[i].hint, td_spec_messages(spec));
    td_spec_free(spec);
  }
}

// A variable of the user's own that has such a name and is read is no mistake.
static void own_variables_are_left_alone(void** state) {
  (void)state;
  td_spec* spec = td_spec_new();
  const char* text =
      "gravity = 9.81; par.mass = 2; link.m = 3; world.g = [0 0 -gravity];\n"
      "body(1).m = par.mass + link.m; body(1).I = eye(3); joint(1).second = 1;\n"
      "joint(1).tr.trans = [inf 0 0];";
  assert_int_equal(td_spec_load_string(spec, "robot.m", text), TD_OK);
  assert_null(strstr(td_spec_messages(spec), "here this is"));
  td_spec_free(spec);
}

// A cable runs through a rod by its number, its reference or its name.
static void cables_take_rods_by_name(void** state) {
  (void)state;
  const char* const ways[] = {"2", "rod(2)", "'tip'"};
  for (int i = 0; i < 3; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "for k = 1:2\n rod(k).length = 0.1; rod(k).radius = 0.01; rod(k).E = 1e6;\n"
             "rod(k).rho = 1000; rod(k).n = 1; end\n rod(2).first = rod(1); rod(2).name = 'tip';\n"
             "cable(1).rod = %s; cable(1).path = [0.005 0]; cable(1).tension = 1;\n"
             "chamber(1).rod = %s; chamber(1).area = 1e-5; chamber(1).pressure = 1;",
             ways[i], ways[i]);
    td_spec* spec = td_spec_new();
    td_model* model = NULL;
    td_spec_load_string(spec, "robot.m", text);
    if (td_model_compile(spec, &model) != TD_OK) fail_msg("%s", td_spec_messages(spec));
    td_model_free(model);
    td_spec_free(spec);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_of_other_programs_are_answered),
      cmocka_unit_test(cables_take_rods_by_name),
      cmocka_unit_test(own_variables_are_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
