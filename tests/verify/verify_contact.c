// A heavy rod lifted off a frictionless floor (row S21): unilateral contact with a free boundary.
#include "rods.h"

// The rod lies along +x, its axis a radius above the floor; its base is lifted and may turn and
// slide.  It starts in equilibrium, as deep in the floor as its weight asks.
#define LIFTED                                                                                     \
  "world.g = [0 0 -9.81]; h = param('h', 0); r = 0.015; L = 0.8;\n"                                \
  "body(1).m = 0; body(1).I = zeros(3); joint(1).second = 1; joint(1).tr(1).trans = [inf 0 inf]; " \
  "joint(1).tr(2).rot = [2 inf]; joint(1).dof(2).motion = h*ramp(t, 0, 1)^2*(3 - 2*ramp(t, 0, "    \
  "1));\n"                                                                                         \
  "joint(1).dof(1).spring.coeff = 1e-5;\n"                                                         \
  "rod(1).first = 1; rod(1).tr.rot = [2 pi/2]; rod(1).length = L; rod(1).radius = r; rod(1).E = "  \
  "1e6; rod(1).rho = 1000; rod(1).eta = 3e3; rod(1).modes = [0 0 0 0 1 0]; rod(1).model = "        \
  "param('model', 'ebr'); "                                                                        \
  "rod(1).n = param('n', 40);\n"                                                                   \
  "if strcmp(rod(1).model, 'gvs')\n"                                                               \
  "  rod(1).basis = 'quadratic'; rod(1).elements = rod(1).n; rod(1).points = 3;\n"                 \
  "end\n"                                                                                          \
  "contact(1).first = rod(1); contact(1).second = 'plane'; contact(1).point = [0 0 "               \
  "1000*pi*r^2*9.81/1e6 - r]; "                                                                    \
  "contact(1).stiffness = 1e6; contact(1).damping = 50;\n"                                         \
  "R = rot(rod(1), 0); sensor(1).name = 'tip'; sensor(1).value = atan2(-R(3,3), R(1,3));\n"        \
  "sensor(2).name = 'lift'; f = force(joint(1)); sensor(2).value = f(3);\n"                        \
  "for k = 0:80, sensor(3 + k).name = sprintf('z%d', k); p = pos(rod(1), k*L/80); sensor(3 + "     \
  "k).value = p(3); end\n"                                                                         \
  "for k = 0:80, sensor(84 + k).name = sprintf('x%d', k); p = pos(rod(1), k*L/80); sensor(84 + "   \
  "k).value = p(1); end\n"

typedef struct lifted {
  double h, length, force, angle, reaction, shorter;
} lifted;

// The reaction at the point where the rod leaves the floor is concentrated: it is deepest there.
static double lifted_length(const bench* b) {
  const double* z = bench_sensor(b, "z0");
  int deepest = 0;
  for (int k = 0; k <= 80; k++)
    if (z[k] < z[deepest]) deepest = k;
  // the vertex of the parabola through the three deepest points
  const double a = z[deepest - 1], c = z[deepest], d = z[deepest + 1];
  return 0.01 * (deepest + 0.5 * (a - d) / (a - 2 * c + d));
}

// Lifted within a second and left alone for two, then to the equilibrium near by: from the floor
// there is a straight way to a rod that stands on its head.
static bench lift(const char* model, int n, double h) {
  bench b = bench_new(LIFTED, model, n);
  td_sim_options o = td_sim_options_default();
  o.t_final = 3;
  o.rtol = 1e-4;
  o.atol = 1e-7;
  o.solver = TD_SOLVER_STIFF;
  td_trajectory* run = NULL;
  bench_set(&b, "h", h);
  assert_int_equal(td_simulate(b.model, b.work, b.state, &o, &run), TD_OK);
  td_trajectory_free(run);
  memset(b.state->v, 0, sizeof(double) * (size_t)td_model_sizes(b.model).nv);
  bench_equilibrium(&b);
  return b;
}

// What the lifted end is nearer to the point where the rod leaves the floor than along the rod.
static double shortening(const bench* b, double length) {
  const double *x = bench_sensor(b, "x0"), at = length / 0.01;
  const int k = (int)at;
  return fabs(x[k] + (at - k) * (x[k + 1] - x[k]) - x[0]) - length;
}

static void check_lifted(const char* model, int n, double force_tol, const lifted* row) {
  bench b = lift(model, n, row->h);
  char what[64];
  snprintf(what, sizeof what, "S21 %s %d h=%g lift force", model, n, row->h);
  CHECK_REACHED(what, fabs(fabs(bench_sensor(&b, "lift")[0]) / row->force - 1), force_tol);
  snprintf(what, sizeof what, "S21 %s %d h=%g angle", model, n, row->h);
  CHECK_REACHED(what, fabs(fabs(bench_sensor(&b, "tip")[0]) / row->angle - 1), 3e-3);
  snprintf(what, sizeof what, "S21 %s %d h=%g lifted length", model, n, row->h);
  const double length = lifted_length(&b), weight = 1000 * pi * 0.015 * 0.015 * 9.81;
  CHECK_REACHED(what, fabs(length / row->length - 1), 0.02);
  // both by what the length may be off
  const double reaction = weight * length - fabs(bench_sensor(&b, "lift")[0]);
  CHECK_REACHED("S21 reaction where it leaves the floor", fabs(reaction - row->reaction),
                0.02 * weight * row->length);
  CHECK_REACHED("S21 shortening", fabs(shortening(&b, length) - row->shorter), 0.02 * row->length);
  bench_free(&b);
}

static void test_S21_a_heavy_rod_is_lifted_off_the_floor(void** state) {
  (void)state;
  static const lifted rows[2] = {
      {0.1, 0.351464924304, 1.26179561694, 0.581833350305, 1.17536071355, -0.0220462492981},
      {0.2, 0.440524146696, 1.6900244688, 0.962482868046, 1.36469348059, -0.0758098938935}};
  for (int k = 0; k < 2; k++) check_lifted("ebr", 60, 1e-3, &rows[k]);
  if (CHECK_SANITIZED) return;
  for (int k = 0; k < 2; k++) check_lifted("gvs", 20, 1e-3, &rows[k]);  // elements
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_S21_a_heavy_rod_is_lifted_off_the_floor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
