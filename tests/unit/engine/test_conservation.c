// What the equations conserve: energy changes by the power of the non-potential forces, and a
// floating robot that nothing touches keeps its momentum.
#include "robots.h"

// d/dt along (qdot, vdot) from f(±h), f(±2h), f(±3h): error O(h⁶), rounding eps/h.  h = 3e-3 leaves
// about 1e-11 of the energies for smooth robots; dampers with |u|^0.6 and one-sided springs cost
// digits where they are not smooth.
#define STEP 3e-4  // short beside the time in which one point of a contact after the other comes in
#define TOL 1e-7
static const double weight[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60};

// The state a time h later or earlier, to first order in each tangent direction: exact derivatives
// at h = 0.
static void advance(const robot* r, const td_state* from, const double* a, double h, td_state* to) {
  double* d = calloc((size_t)r->nv + 1, sizeof(double));
  for (int i = 0; i < r->nv; i++) d[i] = h * from->v[i];
  td_state_copy(r->model, from, to);
  to->t = from->t + h;
  td_displace(r->model, from->q, d, to->q);
  for (int i = 0; i < r->nv; i++) to->v[i] = from->v[i] + h * a[i];
  free(d);
}

static double total(const robot* r, const td_state* s) {
  const td_energies e = td_energy(r->model, s, r->work);
  return e.kinetic + e.elastic + e.gravity;
}

static void test_energy_changes_by_the_power_of_what_has_no_potential(void** state) {
  (void)state;
  for (int i = 0; i < ROBOT_COUNT; i++) {
    robot r = robot_load(robot_texts[i]);
    td_state* moved = td_state_new(r.model);
    double* a = calloc((size_t)r.nv + 1, sizeof(double));
    uint64_t seed = 5;
    for (int trial = 0; trial < 3; trial++) {
      robot_shake(&r, &seed, 0.2);
      assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
      memcpy(a, td_work_vdot(r.work), (size_t)r.nv * sizeof(double));
      const double power = td_power(r.model, r.state, r.work);
      double rate = 0;
      for (int s = 1; s <= 3; s++) {
        advance(&r, r.state, a, s * STEP, moved);
        rate += weight[s - 1] * total(&r, moved) / STEP;
        advance(&r, r.state, a, -s * STEP, moved);
        rate -= weight[s - 1] * total(&r, moved) / STEP;
      }
      char what[64];
      snprintf(what, sizeof what, "%s power balance", robot_names[i]);
      CHECK_REACHED(what, fabs(rate - power) / fmax(1, fabs(power)), TOL);
    }
    free(a);
    td_state_free(moved);
    robot_free(&r);
  }
}

// ---- momentum ---------------------------------------------------------------------------------

static const char floating[] =
    "world.g = [0 0 0];\n"
    "for k = 1:6, body(k).m = 0.5 + k/7; body(k).I = diag([.03 .02 .025]*k); body(k).l_com = [.1 "
    ".02*k -.2]; end\n"
    "joint(1).second = 1; joint(1).type = 'free';\n"
    "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [.1 .2 .3]; joint(2).type = "
    "'helical';\n"
    "joint(2).axis = [1 2 .5]; joint(2).pitch = .07; joint(2).dof(1).spring.coeff = 3;\n"
    "joint(3).first = 2; joint(3).second = 3; joint(3).tr(1).trans = [.2 inf 0]; "
    "joint(3).tr(1).rot = [inf inf inf];\n"
    "joint(4).first = 2; joint(4).second = 4; joint(4).tr(1).rot = [0 inf inf inf];\n"
    "joint(5).first = 4; joint(5).second = 5; joint(5).type = 'spherical'; joint(5).tr(1).trans = "
    "[0 .1 .1];\n"
    "joint(6).first = 5; joint(6).second = 6; joint(6).tr(1).trans = [.2 0 0]; joint(6).tr(1).rot "
    "= [2 inf];\n"
    "joint(6).dof(1).damp.visc = 0.3; joint(6).dof(1).input = 0.5;\n"
    "joint(7).first = 3; joint(7).second = 6; joint(7).spring.coeff = 20; joint(7).spring.init = "
    ".1;\n"
    "for k = 1:6\n"
    "  sensor(2*k - 1).name = sprintf('p%d', k); sensor(2*k - 1).value = vel(body(k), "
    "body(k).l_com);\n"
    "  sensor(2*k).name = sprintf('w%d', k); sensor(2*k).value = omega(body(k));\n"
    "end\n"
    "for k = 1:6, sensor(12 + k).name = sprintf('c%d', k); sensor(12 + k).value = pos(body(k), "
    "body(k).l_com); end\n"
    "for k = 1:6, sensor(18 + k).name = sprintf('R%d', k); sensor(18 + k).value = "
    "[rot(body(k))(1,:) "
    "rot(body(k))(2,:) rot(body(k))(3,:)]; end\n"
    "output = {};\n";

static const double* sensed(const robot* r, const double* y, const char* letter, int k) {
  char name[16];
  snprintf(name, sizeof name, "%s%d", letter, k);
  for (int i = 0; i < r->ny; i++) {
    const char* found = td_model_sensor_name(r->model, i);
    const size_t n = strlen(name);
    if (strncmp(found, name, n) == 0 && found[n] == '_') return y + i;
  }
  fail_msg("no sensor %s", name);
  return NULL;
}

// [linear, angular about the origin], from positions and velocities of the centres of mass and the
// attitudes
static void momentum(const robot* r, const td_state* s, double p[6]) {
  double* y = calloc((size_t)r->ny, sizeof(double));
  assert_int_equal(td_sensors(r->model, s, r->work, y), TD_OK);
  for (int i = 0; i < 6; i++) p[i] = 0;
  for (int k = 1; k <= 6; k++) {
    const double *v = sensed(r, y, "p", k), *w = sensed(r, y, "w", k), *c = sensed(r, y, "c", k);
    const double* R = sensed(r, y, "R", k);
    const double m = 0.5 + k / 7.0, I[3] = {.03 * k, .02 * k, .025 * k};
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, l = (i + 2) % 3;
      p[i] += m * v[i];
      p[3 + i] += m * (c[j] * v[l] - c[l] * v[j]);
      for (int a = 0; a < 3; a++)
        p[3 + i] += R[3 * i + a] * I[a] * w[a];  // w is in the body's axes
    }
  }
  free(y);
}

static void test_a_floating_robot_keeps_its_momentum(void** state) {
  (void)state;
  robot r = robot_load(floating);
  td_state* moved = td_state_new(r.model);
  double *a = calloc((size_t)r.nv, sizeof(double)), p[6];
  uint64_t seed = 9;
  for (int trial = 0; trial < 5; trial++) {
    robot_shake(&r, &seed, 0.4);
    assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
    memcpy(a, td_work_vdot(r.work), (size_t)r.nv * sizeof(double));
    double rate[6] = {0};
    for (int s = -3; s <= 3; s++) {
      if (s == 0) continue;
      advance(&r, r.state, a, s * STEP, moved);
      momentum(&r, moved, p);
      for (int i = 0; i < 6; i++) rate[i] += (s > 0 ? 1 : -1) * weight[abs(s) - 1] * p[i] / STEP;
    }
    for (int i = 0; i < 3; i++) CHECK_REACHED("rate of linear momentum", fabs(rate[i]), TOL);
    for (int i = 3; i < 6; i++) CHECK_REACHED("rate of angular momentum", fabs(rate[i]), TOL);
  }
  free(a);
  td_state_free(moved);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_energy_changes_by_the_power_of_what_has_no_potential),
      cmocka_unit_test(test_a_floating_robot_keeps_its_momentum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
