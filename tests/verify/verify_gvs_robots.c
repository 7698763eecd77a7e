// Strain-parametrised rods together with rigid bodies, loops, tendons and loads that follow: the
// figures themselves, at the orders that reach them.
#include "rods_motion.h"

// ---- parallel continuum robots ----------------------------------------------------------------

// The first rod grows from a body that is fixed, whose joint tells the moment at the base.
#define PARALLEL                                                                                \
  ROD_HEAD                                                                                      \
  "L = 0.4;\n"                                                                                  \
  "for i = 1:m\n"                                                                               \
  "  rod(i).length = L; rod(i).radius = 1e-3; rod(i).E = 70e9; rod(i).nu = 0.3; rod(i).rho = "  \
  "2700;\n"                                                                                     \
  "  rod(i).n = n;\n"                                                                           \
  "  if kirchhoff, rod(i).modes = [0 0 0 1 1 1]; end\n"                                         \
  "end\n"                                                                                       \
  "body(1).m = 0.1; body(1).I = 1e-3*eye(3); exload(1).exbody = 1; exload(1).refbody = 0;\n"    \
  "body(2).m = 0; body(2).I = zeros(3); joint(m + 1).second = 2; joint(m + 1).type = 'fixed'; " \
  "rod(1).first = 2;\n"                                                                         \
  "sensor(1).name = 'tip'; sensor(1).value = [pos(body(1)) quat(body(1))];\n"                   \
  "f = force(joint(m + 1)); sensor(2).name = 'base'; sensor(2).value = -[f(1:3) f(4:6)];\n"

// There are several equilibria: the rods begin bent, about where the platform will be, and turned
// at their ends as the platform holds them, since a loop keeps the rotation it has at the start.
// The platform's y axis is the tangent of the rods, its z axis their local y.
#define PLANAR_PLATFORM                                                                        \
  "m = 2;\n" PARALLEL                                                                          \
  "joint(3).tr.trans = [-0.1 0 0]; rod(1).tr(1).rot = [3 75*pi/180]; rod(1).tr(2).rot = "      \
  "along_x;\n"                                                                                 \
  "body(3).m = 0; body(3).I = zeros(3); joint(4).second = 3; joint(4).type = 'fixed';\n"       \
  "joint(4).tr.trans = [0.05 0 0]; rod(2).first = 3; f = force(joint(4)); sensor(3).name = "   \
  "'other'; sensor(3).value = -[f(1:3) f(4:6)];\n"                                             \
  "rod(2).tr(1).rot = [3 100*pi/180]; rod(2).tr(2).rot = "                                     \
  "along_x;\n"                                                                                 \
  "joint(1).first = at(rod(1), L); joint(1).second = 1; joint(1).type = 'fixed';\n"            \
  "joint(1).tr(1).rot = [3 pi]; joint(1).tr(2).rot = [1 pi/2]; joint(1).tr(3).trans = [0.1 0 " \
  "0];\n"                                                                                      \
  "joint(2).first = 1; joint(2).second = at(rod(2), L); joint(2).type = 'fixed';\n"            \
  "joint(2).tr(1).trans = [0.1 0 0]; joint(2).tr(2).rot = [1 -pi/2]; joint(2).tr(3).rot = [3 " \
  "pi];\n"                                                                                     \
  "rod(1).init = [0 0 0 0 (pi/12 + 0.589*(0.5 - s/L))/L 0]; rod(1).shear = 0.9;\n"             \
  "rod(2).init = [0 0 0 0 (-pi/18 - 3.347*(0.5 - s/L))/L 0]; rod(2).shear = 0.9;\n"            \
  "exload(1).ftau = [0.5 -0.8 0];\n"

// Platform (x, y, angle) and what the base transmits to each rod (x, y, moment), with n = 5 and 10
// functions of each strain.
static void test_S19_a_planar_parallel_robot(void** state) {
  (void)state;
  static const char* const text[2] = {"kirchhoff = 0;\n" PLANAR_PLATFORM,
                                      "kirchhoff = 1;\n" PLANAR_PLATFORM};
  const double want[2][9] = {
      {0.0284502708372, 0.393192469631, -0.0477475210084, -0.323917269406, 0.353653703276,
       0.101153597837, 0.823917269406, -1.15365370328, -0.22746199383},
      {0.0284454895054, 0.393193635295, -0.0477316075337, -0.323957837291, 0.353663201154,
       0.101163297156, 0.823957837291, -1.15366320115, -0.227467026235}};
  for (int k = 0; k < 4; k++) {
    const double *w = want[k / 2], tol = k % 2 ? 1e-8 : 1e-5;
    bench b = bench_new(text[k / 2], "gvs", k % 2 ? 9 : 4);
    bench_equilibrium(&b);
    const double *x = bench_sensor(&b, "tip"), *f = bench_sensor(&b, "base"),
                 *g = bench_sensor(&b, "other");
    const double got[9] = {x[0], x[1], 2 * atan2(x[6], x[3]), f[0], f[1], f[5], g[0], g[1], g[5]};
    CHECK_REACHED("S19 platform", distance(got, w, 3) / 0.4, tol);
    CHECK_REACHED("S19 base of rod 1", distance(got + 3, w + 3, 3) / hypot(w[3], w[4]), tol);
    CHECK_REACHED("S19 base of rod 2", distance(got + 6, w + 6, 3) / hypot(w[6], w[7]), tol);
    bench_free(&b);
  }
}

#define SPATIAL_PLATFORM                                                                          \
  "m = 3;\n" PARALLEL                                                                             \
  "for i = 1:3\n"                                                                                 \
  "  a = (120*i - 30)*pi/180; place = 0.08*[cos(a) sin(a) 0];\n"                                  \
  "  rod(i).tr.trans = 0.1*[cos(a + pi/9) sin(a + pi/9) 0];\n"                                    \
  "  joint(i).type = 'fixed';\n"                                                                  \
  "  if i == 1, joint(i).first = at(rod(i), L); joint(i).second = 1; joint(i).tr.trans = "        \
  "-place;\n"                                                                                     \
  "  else, joint(i).first = 1; joint(i).second = at(rod(i), L); joint(i).tr.trans = place; end\n" \
  "end\n"                                                                                         \
  "joint(4).tr.trans = rod(1).tr.trans; rod(1).tr.trans = [0 0 0];\n"                             \
  "exload(1).ftau = [0.4 -0.2 -1 0 0.02 0.01];\n"

static void test_S20_a_spatial_parallel_robot(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();
  static const char* const text[2] = {"kirchhoff = 0;\n" SPATIAL_PLATFORM,
                                      "kirchhoff = 1;\n" SPATIAL_PLATFORM};
  const double want[2][7] = {{0.0101685263683, -0.00565700592741, 0.398758558861, 0.996720283558,
                              -0.00574061271171, -0.000913046861559, 0.0807148564694},
                             {0.0101642808061, -0.00565517113128, 0.398759263156, 0.996720089946,
                              -0.00574445735803, -0.000920791768382, 0.0807168857756}};
  const double base[2][6] = {{0.352385229531, -0.251554796936, 0.204301091769, 0.047631809148,
                              0.065599402359, 0.0169828989485},
                             {0.352387408491, -0.251562883413, 0.204324415158, 0.0476323199633,
                              0.0655976090503, 0.0169833712677}};
  for (int k = 0; k < 4; k++) {
    const double *w = want[k / 2], *f = base[k / 2], tol = k % 2 ? 1e-8 : 1e-5;
    bench b = bench_new(text[k / 2], "gvs", k % 2 ? 8 : 4);
    bench_equilibrium(&b);
    const double *x = bench_sensor(&b, "tip"), *got = bench_sensor(&b, "base");
    CHECK_REACHED("S20 platform", distance(x, w, 3) / 0.4, tol);
    CHECK_REACHED("S20 platform, turn", distance(x + 3, w + 3, 4), tol);
    CHECK_REACHED("S20 force at the base", distance(got, f, 3) / 0.48, tol);
    CHECK_REACHED("S20 moment at the base", distance(got + 3, f + 3, 3) / 0.083, tol);
    bench_free(&b);
  }
}

// ---- a load that follows ----------------------------------------------------------------------

// Double root of p² + 2 w² + p w sin a sinh b + 2 w² cos a cosh b,  a², b² = ±p/2 + √(p²/4 + w²)
static void test_Becks_column_flutters(void** state) {
  (void)state;
  bench b = bench_spectral(ROD_HEAD
                           "P = param('P', 0); rod(1).length = 1; rod(1).modes = [0 0 0 0 1 0];\n"
                           "rod(1).stiffness = [1 1 1 1 1 1]; rod(1).inertia = [1 1 1 0 0 0];\n"
                           "exload(1).exbody = at(rod(1), 1); exload(1).refbody = at(rod(1), 1);\n"
                           "exload(1).ftau = [0 0 -P];\n",
                           9, "");
  td_trace_options options = td_trace_options_default();
  options.param = td_model_param_find(b.model, "P");
  options.from = 10;
  options.to = 25;
  options.step = 0.2;
  td_trace_result* path;
  assert_int_equal(td_trace(b.model, b.work, b.state, &options, &path), TD_OK);
  int hopf = 0;
  while (hopf < path->n && path->kind[hopf] != TD_HOPF) hopf++;
  assert_true(hopf < path->n);
  CHECK_REACHED("Beck's column gvs", fabs(path->p[hopf] / 20.0509536189737612 - 1), 1e-8);
  td_trace_free(path);
  bench_free(&b);
}

// ---- motion -----------------------------------------------------------------------------------

#define SILICONE_A                                                                            \
  ROD_HEAD                                                                                    \
  "r = 0.015; A = pi*r^2; I = pi*r^4/4; L = 0.3; rod(1).length = L; rod(1).radius = r;\n"     \
  "rod(1).E = 1e6; rod(1).rho = 1000; rod(1).damping = 1e4*[A A A I I 2*I];\n"                \
  "rod(1).modes = [0 0 0 0 1 0]; world.g = [0 -9.81 0]; p = pos(rod(1), L); R = rot(rod(1), " \
  "L);\n"                                                                                     \
  "sensor(1).name = 'tip';\n"

// The same with points and steps chosen by themselves: errors in metres, and the two numbers behind
// those compared, which have to stay zero.
static void by_itself(const motion_row* r, int order, double tol, double closed) {
  bench b = bench_new(r->text, "gvs", order);
  td_trajectory* path = bench_run(&b, r->t[time_count(r) - 1], r->t[0], fmax(1e-2 * tol, 1e-10));
  for (int i = 0; i < time_count(r); i++) {
    const double* x = td_trajectory_sensors(path, (int)lround(r->t[i] / r->t[0]));
    char what[80];
    snprintf(what, sizeof what, "%s order %d, t=%g", r->name, order, r->t[i]);
    CHECK_REACHED(what, distance(x, r->want[i], r->size), tol);
    snprintf(what, sizeof what, "%s order %d, t=%g, loop", r->name, order, r->t[i]);
    if (closed > 0) CHECK_REACHED(what, hypot(x[r->size], x[r->size + 1]), closed);
  }
  td_trajectory_free(path);
  bench_free(&b);
}

static void test_D12_a_tendon_is_pulled_at_once(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();
  spectral_motion(
      &(motion_row){.name = "D12",
                    .text = SILICONE_A
                    "rod(1).tr.rot = along_x; cable(1).path = [0.01 0]; cable(1).tension = 5;\n"
                    "sensor(1).value = [p(1:2) L*atan2(R(2,3), R(1,3))];\n",
                    .length = 0.3,
                    .t = {0.05, 0.1, 0.2, 0.5, 1},
                    .size = 3,
                    .want = {{0.299007996827, -0.00233468195501, 0.3 * 0.16067622683},
                             {0.296699583062, -0.0418224844274, 0.3 * -0.058631663143},
                             {0.262900606558, -0.136671964382, 0.3 * -0.513030328506},
                             {0.291311299824, -0.0684164815359, 0.3 * -0.174550638544},
                             {0.257153321807, -0.145800966005, 0.3 * -0.563677515609}},
                    .order = 8,
                    .tol = 1.6e-8},
      NULL);
}

static void test_D19_a_rigid_link_and_a_soft_one(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();
  const motion_row row = {
      .name = "D19",
      .text = SILICONE_A
      "body(1).m = 0.15; body(1).l_com = [0.1 0 0]; body(1).I = 0.15*0.2^2/12*diag([0 "
      "1 1]);\n"
      "joint(1).second = 1; joint(1).type = 'revolute'; joint(1).axis = [0 0 1];\n"
      "rod(1).first = 1; rod(1).tr(1).trans = [0.2 0 0]; rod(1).tr(2).rot = along_x;\n"
      "rod(1).joint.type = 'revolute'; rod(1).joint.axis = [0 1 0];\n"
      "o = pos(rod(1), 0); sensor(1).value = [o(1:2) p(1:2)];\n",
      .length = 0.3,
      .t = {0.1, 0.2, 0.3, 0.5, 1},
      .size = 4,
      .want = {{0.191442291305, -0.0578778809208, 0.491143404276, -0.0445393013097},
               {0.119284101788, -0.160534429518, 0.414759801425, -0.209543361199},
               {0.0543487404471, -0.192473931772, 0.13766765364, -0.480522786641},
               {-0.188149320122, -0.0678220711693, -0.417190574598, -0.260742752792},
               {-0.0318150284853, -0.197453295649, 0.0967156207717, -0.467808647431}},
      .order = 8,
      .tol = 1.6e-8};
  spectral_motion(&row, NULL);
  by_itself(&row, 5, 2e-6, 0);
  by_itself(&row, 7, 5e-9, 0);
}

static void test_D20_a_four_bar_with_a_soft_coupler(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();
  const motion_row row = {
      .name = "D20",
      .text = SILICONE_A
      "body(1).m = 0.1; body(1).l_com = [0.075 0 0]; body(1).I = 0.1*0.15^2/12*diag([0 "
      "1 1]);\n"
      "body(2).m = 0.12; body(2).l_com = [0.11 0 0]; body(2).I = "
      "0.12*0.22^2/12*diag([0 1 1]);\n"
      "for i = 1:2, joint(i).second = i; joint(i).type = 'revolute'; joint(i).axis = "
      "[0 0 1]; end\n"
      "joint(1).dof(1).init = 2*pi/3; joint(2).tr.trans = [0.33 0 0]; "
      "joint(2).dof(1).init = 2.09997905329799;\n"
      "rod(1).first = 1; rod(1).tr(1).trans = [0.15 0 0]; rod(1).tr(2).rot = along_x;\n"
      "rod(1).joint.type = 'revolute'; rod(1).joint.axis = [0 1 0]; "
      "rod(1).joint.dof(1).init = 0.20137349046190 - 2*pi/3;\n"
      "joint(3).first = 2; joint(3).second = at(rod(1), L); joint(3).tr.trans = [0.22 "
      "0 0]; joint(3).refbody = 0; joint(3).fixed = [1 1 0 0 0 0];\n"
      "o = pos(rod(1), 0); e = pos(body(2)) + (rot(body(2))*[0.22; 0; 0])'; sensor(1).value = "
      "[o(1:2) p(1:2) p(1:2) - e(1:2)];\n",
      .length = 0.3,
      .t = {0.1, 0.2, 0.3, 0.5, 1},
      .size = 4,
      .want = {{-0.0945561976876, 0.116443657959, 0.196063395504, 0.174530759398},
               {-0.149709195515, 0.00933577946609, 0.133983522445, 0.0998876395097},
               {0.0273063031578, -0.14749361277, 0.132308628949, 0.096530419102},
               {0.13743819145, -0.0600894627272, 0.264541173222, 0.210036049279},
               {-0.118053306137, -0.0925387319456, 0.162630146558, -0.14278421537}},
      .order = 8,
      .tol = 1e-6};
  spectral_motion(&row, NULL);
  by_itself(&row, 7, 1e-5, 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_S19_a_planar_parallel_robot),
      cmocka_unit_test(test_S20_a_spatial_parallel_robot),
      cmocka_unit_test(test_Becks_column_flutters),
      cmocka_unit_test(test_D12_a_tendon_is_pulled_at_once),
      cmocka_unit_test(test_D19_a_rigid_link_and_a_soft_one),
      cmocka_unit_test(test_D20_a_four_bar_with_a_soft_coupler),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
