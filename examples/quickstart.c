// Two small robots through the C interface: a spring-mounted pendulum written field by field, and a
// double pendulum written as a model text.  The first is brought to rest and its natural
// frequencies are computed; the second swings for two seconds.
//
// After `make install` (with PREFIX=DIR: export PKG_CONFIG_PATH=DIR/lib/pkgconfig):
//
//   cc quickstart.c $(pkg-config --cflags --libs tendril) -o quickstart && ./quickstart
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tendril/tendril.h"

static void check(td_status status, const char* what) {
  if (status == TD_OK) return;
  fprintf(stderr, "%s: %s\n", what, td_status_text(status));
  exit(1);
}

// A compiled robot and what is needed to evaluate it.
typedef struct robot {
  td_model* model;
  td_work* work;
  td_state* state;
} robot;

static robot robot_of(td_spec* spec) {
  robot r = {0};
  if (td_model_compile(spec, &r.model) != TD_OK) {
    fprintf(stderr, "%s", td_spec_messages(spec));
    exit(1);
  }
  td_spec_free(spec);
  r.work = td_work_new(r.model);
  r.state = td_state_new(r.model);
  if (!r.work || !r.state) check(TD_E_NOMEM, "quickstart");
  check(td_state_initial(r.model, r.work, r.state), "initial state");
  return r;
}

static void robot_free(robot* r) {
  td_state_free(r->state);
  td_work_free(r->work);
  td_model_free(r->model);
}

// ---- a robot without a text -------------------------------------------------------------------

static td_spec* pendulum_on_a_spring(void) {
  const double gravity[] = {0, 0, -9.81}, com[] = {0, 0, -0.5},
               inertia[] = {0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.001};
  const double turn[] = {2, INFINITY}, slide[] = {INFINITY, 0, 0};
  td_spec* s = td_spec_new();
  if (!s) check(TD_E_NOMEM, "quickstart");
  check(td_spec_matrix(s, "world.g", 1, 3, gravity), "world.g");
  check(td_spec_number(s, "body(1).m", 1), "body(1).m");
  check(td_spec_string(s, "body(1).name", "bob"), "body(1).name");
  check(td_spec_matrix(s, "body(1).I", 3, 3, inertia), "body(1).I");
  check(td_spec_matrix(s, "body(1).l_com", 1, 3, com), "body(1).l_com");
  check(td_spec_number(s, "joint(1).second", 1), "joint(1).second");
  check(td_spec_matrix(s, "joint(1).tr(1).trans", 1, 3, slide), "joint(1).tr(1).trans");
  check(td_spec_matrix(s, "joint(1).tr(1).rot", 1, 2, turn), "joint(1).tr(1).rot");
  check(td_spec_number(s, "joint(1).dof(1).spring.coeff", 40), "spring");
  check(td_spec_number(s, "joint(1).dof(1).input", 2), "input");
  check(td_spec_number(s, "joint(1).dof(2).init", 0.3), "initial angle");
  return s;
}

static void rest_and_modes(void) {
  robot r = robot_of(pendulum_on_a_spring());
  const td_equil_options options = td_equil_options_default();
  td_equil_result rest;
  check(td_equilibrium(r.model, r.work, r.state, &options, &rest), "equilibrium");
  printf("pendulum on a spring: at rest with %s = %.6f m, %s\n", td_model_q_name(r.model, 0),
         r.state->q[0], td_stability_text(rest.stability));

  td_modes_result* modes;
  check(td_modes(r.model, r.state, r.work, &modes), "modes");
  for (int i = 0; i < modes->n; i++) printf("  mode %d: %.6f rad/s\n", i + 1, modes->omega[i]);
  td_modes_free(modes);
  robot_free(&r);
}

// ---- a robot from a text ----------------------------------------------------------------------

static const char text[] =
    "world.g = [0 0 -9.81];\n"
    "for k = 1:2\n"
    "  body(k).m = 1; body(k).I = diag([0.02 0.02 0.001]); body(k).l_com = [0 0 -0.25];\n"
    "  joint(k).first = k - 1; joint(k).second = k; joint(k).tr(1).rot = [2 inf];\n"
    "end\n"
    "joint(2).tr(1).trans = [0 0 -0.5];\n"
    "joint(1).dof(1).init = 1;\n"
    "sensor(1).name = 'tip'; sensor(1).value = pos(body(2), [0 0 -0.5]);\n";

static void swing(void) {
  td_spec* spec = td_spec_new();
  if (!spec) check(TD_E_NOMEM, "quickstart");
  td_spec_load_string(spec, "double_pendulum.m", text);  // errors are reported by robot_of
  robot r = robot_of(spec);
  td_sim_options options = td_sim_options_default();
  options.t_final = 2;
  options.dt_out = 0.5;
  td_trajectory* motion;
  const td_status status = td_simulate(r.model, r.work, r.state, &options, &motion);
  if (status != TD_OK) fprintf(stderr, "%s\n", td_trajectory_diagnosis(motion));
  check(status, "simulate");

  const int x = td_model_sensor_find(r.model, "tip_x"), z = td_model_sensor_find(r.model, "tip_z");
  printf("double pendulum: place of the tip\n");
  for (int i = 0; i < td_trajectory_rows(motion); i++) {
    const double* y = td_trajectory_sensors(motion, i);
    printf("  t = %.1f s: x = %9.6f m, z = %9.6f m\n", td_trajectory_time(motion, i), y[x], y[z]);
  }
  const td_sim_stats* stats = td_trajectory_stats(motion);
  printf("  %ld steps, energy kept to %.1e J\n", stats->steps, fabs(stats->energy_error));
  td_trajectory_free(motion);
  robot_free(&r);
}

int main(void) {
  rest_and_modes();
  swing();
  return 0;
}
