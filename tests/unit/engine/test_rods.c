// Laws that every rod model obeys at any state: the recursion solves the dense equations, energy
// changes by the power of what has no potential, a flying rod keeps its momentum, a rod in its
// stress-free shape stays there, and what is rigid stays as long as it is.
#include "math/dense.h"
#include "model/model.h"
#include "robots.h"

static const char* const models[] = {"srl", "ebr", "eba", "rom"};
enum { MODELS = 4, TRIALS = 4 };

// Central differences over ±h, ±2h, ±3h: error O(h⁶).  States of a rod of 30 cm change over
// centimetres, so that h = 3e-4 leaves rounding, about 1e-12 of the momenta and energies.
static const double step = 3e-4, weight[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60};

// A flying rod that does everything a rod can do by itself: taper, bent shape, both kinds of
// dampers, a chamber over part of it, internal actuation, a body on a hinge at its tip.
static const char flying[] =
    "u1 = input('u1', 0.4);\n"
    "rod(1).length = 0.3; rod(1).radius = 0.015 - 0.01*s; rod(1).E = 1e5*(1 + s); rod(1).rho = "
    "1000;\n"
    "rod(1).eta = 300; rod(1).damp.visc = 0.01*[1 1 1 .001 .001 .001]; rod(1).damp.pow = 2;\n"
    "rod(1).shape = [0 0 0.01 1 2*s 0.5]; rod(1).joint.type = 'free'; rod(1).n = 3;\n"
    "rod(1).input = [0 0 0.1 u1*1e-3 0 0];\n"
    "chamber(1).offset = [0.005 0.002]; chamber(1).area = 2e-5;\n"
    "chamber(1).pressure = 2e4*(1 + u1*sin(t)); chamber(1).to = 0.2;\n"
    "body(1).m = 0.02; body(1).I = 1e-5*diag([1 2 2.5]); body(1).l_com = [0.01 0 0.02];\n"
    "joint(1).first = at(rod(1), 0.3); joint(1).second = 1; joint(1).tr.rot = [1 inf];\n";

static robot load_as(const char* text, const char* model) {
  char full[4000];
  snprintf(full, sizeof full, "%srod(1).model = '%s';\n", text, model);
  return robot_load(full);
}

static double* numbers(int n) { return calloc((size_t)n + 1, sizeof(double)); }

// ---- equations --------------------------------------------------------------------------------

static void dense_solution(robot* r, const char* name) {
  const int n = r->nv;
  double *M = numbers(n * n), *h = numbers(n), *tau = numbers(n), error = 0, size = 1;
  td_mass_matrix(r->model, r->state, r->work, M);
  td_bias(r->model, r->state, r->work, h, tau);
  for (int i = 0; i < n; i++) tau[i] -= h[i];
  assert_int_equal(td_chol(M, n, 0), 0);  // it is positive definite
  td_chol_solve(M, n, tau, 1);
  assert_int_equal(td_forward_dynamics(r->model, r->state, r->work), TD_OK);
  for (int i = 0; i < n; i++) {
    error = fmax(error, fabs(td_work_vdot(r->work)[i] - tau[i]));
    size = fmax(size, fabs(tau[i]));
  }
  char what[64];
  snprintf(what, sizeof what, "%s recursion", name);
  CHECK_REACHED(what, error / size, 1e-9);  // rounding times the condition of M, up to 1e6
  free(M);
  free(h);
  free(tau);
}

static void the_recursion_solves_the_dense_equations(void** state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    robot r = load_as(flying, models[i]);
    uint64_t seed = 3;
    for (int trial = 0; trial < TRIALS; trial++) {
      robot_shake(&r, &seed, 0.3);
      dense_solution(&r, models[i]);
    }
    robot_free(&r);
  }
}

// ---- conservation -----------------------------------------------------------------------------

// The state a time h later or earlier, to first order in each tangent direction: exact derivatives
// at h = 0.
static void advance(const robot* r, const td_state* from, const double* a, double h, td_state* to) {
  double* d = numbers(r->nv);
  for (int i = 0; i < r->nv; i++) d[i] = h * from->v[i];
  td_state_copy(r->model, from, to);
  to->t = from->t + h;
  td_displace(r->model, from->q, d, to->q);
  for (int i = 0; i < r->nv; i++) to->v[i] = from->v[i] + h * a[i];
  free(d);
}

// Add linear momentum and angular momentum about the world's origin of a mass at a station.
static void add_momentum(const robot* r, const td_state* s, int station, const double* m,
                         const double* com, const double* I, double p[6]) {
  double g[16], twist[6], c[3], v[3], spin[3], local[3];
  td_station(r->model, s, r->work, station, g, twist);
  const double *V = twist, *w = twist + 3;  // in the station's axes
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    local[i] = V[i] + w[j] * com[k] - w[k] * com[j];
  }
  for (int i = 0; i < 3; i++) {
    c[i] = g[4 * i + 3];
    v[i] = spin[i] = 0;
    for (int a = 0; a < 3; a++) {
      c[i] += g[4 * i + a] * com[a];
      v[i] += g[4 * i + a] * local[a];
      for (int b = 0; b < 3; b++) spin[i] += g[4 * i + a] * I[3 * a + b] * w[b];
    }
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    p[i] += *m * v[i];
    p[3 + i] += spin[i] + *m * (c[j] * v[k] - c[k] * v[j]);
  }
}

static void momentum(const robot* r, const td_state* s, double p[6]) {
  const td_model* model = r->model;
  const double* x = r->work->num;
  memset(p, 0, 6 * sizeof(double));
  for (int i = 0; i < model->nlump; i++) {
    const model_lump* l = &model->lump[i];
    add_momentum(r, s, l->station, x + l->m, x + l->com, x + l->I, p);
  }
  for (int i = 0; i < model->nbody; i++) {
    const model_body* l = &model->body[i];
    add_momentum(r, s, l->station, x + l->m, x + l->com, x + l->I, p);
  }
}

static double total(const robot* r, const td_state* s) {
  const td_energies e = td_energy(r->model, s, r->work);
  return e.kinetic + e.elastic + e.gravity;
}

// Rates of momentum and energy along the motion.
static void rates(robot* r, double dp[6], double* dE) {
  td_state* moved = td_state_new(r->model);
  double *a = numbers(r->nv), p[6];
  memset(dp, 0, 6 * sizeof(double));
  *dE = 0;
  memcpy(a, td_work_vdot(r->work), (size_t)r->nv * sizeof(double));
  for (int s = -3; s <= 3; s++) {
    if (s == 0) continue;
    const double k = (s > 0 ? 1 : -1) * weight[abs(s) - 1] / step;
    advance(r, r->state, a, s * step, moved);
    momentum(r, moved, p);
    for (int i = 0; i < 6; i++) dp[i] += k * p[i];
    *dE += k * total(r, moved);
  }
  free(a);
  td_state_free(moved);
}

static void a_flying_rod_keeps_its_momentum_and_accounts_for_its_energy(void** state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    robot r = load_as(flying, models[i]);
    uint64_t seed = 9;
    for (int trial = 0; trial < TRIALS; trial++) {
      robot_shake(&r, &seed, 0.3);
      assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
      const double power = td_power(r.model, r.state, r.work);
      double dp[6], dE, linear = 0, angular = 0;
      rates(&r, dp, &dE);
      for (int k = 0; k < 3; k++) {
        linear = fmax(linear, fabs(dp[k]));
        angular = fmax(angular, fabs(dp[3 + k]));
      }
      char what[64];
      snprintf(what, sizeof what, "%s rate of linear momentum", models[i]);
      CHECK_REACHED(what, linear, 1e-9);
      snprintf(what, sizeof what, "%s rate of angular momentum", models[i]);
      CHECK_REACHED(what, angular, 1e-9);
      snprintf(what, sizeof what, "%s power balance", models[i]);
      CHECK_REACHED(what, fabs(dE - power) / fmax(1, fabs(power)), 1e-9);
    }
    robot_free(&r);
  }
}

// ---- shapes -----------------------------------------------------------------------------------

// The segments of these models have their strains; a polynomial is near the shape only.
static void a_rod_in_its_stress_free_shape_stays_there(void** state) {
  (void)state;
  for (int i = 0; i < MODELS - 1; i++) {
    robot r = load_as(
        "rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e5; rod(1).rho = 1000;\n"
        "rod(1).shape = [0.02 -0.01 0.1 4 2*s 3]; rod(1).n = 5;\n",
        models[i]);
    assert_int_equal(td_forward_dynamics(r.model, r.state, r.work), TD_OK);
    double most = 0;
    for (int k = 0; k < r.nv; k++) most = fmax(most, fabs(td_work_vdot(r.work)[k]));
    // rounding of strains 1e-16 times accelerations per strain, (E/rho)/l² ~ 3e4 and more
    CHECK_REACHED(models[i], most, 1e-8);
    CHECK_REACHED("elastic energy", td_energy(r.model, r.state, r.work).elastic, 1e-20);
    robot_free(&r);
  }
}

// Length of a rigid tip of 14.5 mm behind three segments that bend by 0.5 rad each.
static double tip_length(const char* text) {
  robot r = robot_load(text);
  double y[6];
  assert_int_equal(r.ny, 6);
  assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
  robot_free(&r);
  return sqrt(pow(y[3] - y[0], 2) + pow(y[4] - y[1], 2) + pow(y[5] - y[2], 2));
}

// The published rotation of a segment takes [1, α/2] for a unit quaternion.  It is longer, and
// Q v Q* stretches v by |Q|² = 1 + α²/4 in each segment.  Ours is normalised.
static void bending_does_not_stretch_what_is_rigid(void** state) {
  (void)state;
  static const char rod[] =
      "rod(1).length = 0.0435; rod(1).radius = 0.005; rod(1).E = 1e5; rod(1).rho = 1000;\n"
      "rod(1).model = 'ebr'; rod(1).n = 3; rod(1).init = [0 0 0 0.5/0.0145 0 0];\n"
      "body(1).m = 0.01; joint(1).first = at(rod(1), 0.0435); joint(1).second = 1;\n"
      "sensor(1).name = 'a'; sensor(1).value = pos(body(1));\n"
      "sensor(2).name = 'b'; sensor(2).value = pos(body(1), [0 0 0.0145]);\n";
  static const char listing[] =  // the same as published, with joints
      "body(1).m = 0.01; joint(1).first = [1 0:2]; joint(1).second = [1 1:3];\n"
      "joint(1).tr(1).trans = [0 0 0.0145]; joint(1).tr(2).rot = [inf 0 0]; joint(1).dof(1).init = "
      "0.5;\n"
      "sensor(1).name = 'a'; sensor(1).value = pos(body(1), 3);\n"
      "sensor(2).name = 'b'; sensor(2).value = pos(body(1), 3, [0 0 0.0145]);\n";
  double printed = 14.5;
  for (int k = 0; k < 3; k++) printed *= 1 + 0.5 * 0.5 / 4;
  print_message(
      "a rigid tip of 14.5 mm: %.4f mm as a rod, %.4f mm as a listing, %.1f mm as printed\n",
      1e3 * tip_length(rod), 1e3 * tip_length(listing), printed);
  CHECK_NEAR(tip_length(rod), 0.0145, 1e-15);
  CHECK_NEAR(tip_length(listing), 0.0145, 1e-15);
  CHECK_NEAR(printed, 17.4, 3e-3);  // three digits are printed: half of the last is 0.05
}

// The vector part of a quaternion cannot pass half a turn: its scalar part, cos of half the angle
// at the tip, is what is left.  Chains do not mind.
static void a_polynomial_rod_tells_how_near_half_a_turn_is(void** state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    robot r = load_as(
        "rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e5; rod(1).rho = 1000;\n"
        "rod(1).init = [0 0 0 3/0.3 0 0]; rod(1).n = 8;\n",
        models[i]);
    const char* name = "";
    const double margin = td_chart_margin(r.model, r.state->q, &name);
    if (strcmp(models[i], "rom") == 0) {
      CHECK_NEAR(margin, cos(1.5), 1e-6);
      assert_non_null(strstr(name, "rod(1)"));
    } else {
      assert_true(margin > 0.9);
    }
    robot_free(&r);
  }
}

// ---- initial motion ---------------------------------------------------------------------------

// Strains measured at the start change at the rate asked for, on a base that turns as well.
static void a_rod_starts_with_the_strain_rates_asked_for(void** state) {
  (void)state;
  static const char text[] =
      "rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e5; rod(1).rho = 1000;\n"
      "rod(1).joint.type = 'revolute'; rod(1).joint.dof(1).rate = 2; rod(1).n = 8;\n"
      "rod(1).init = [0.01 0 0.1 1 2 0.5]; rod(1).rate = [0.1 0 0.3 -1 2 1];\n"
      "sensor(1).name = 'e'; sensor(1).value = strain(rod(1), 0.13);\n";
  static const double rate[6] = {0.1, 0, 0.3, -1, 2, 1};
  for (int m = 0; m < MODELS; m++) {
    robot r = load_as(text, models[m]);
    double *dv = numbers(r.nv), before[6], after[6];
    td_state* there = td_state_new(r.model);
    for (int side = -1; side <= 1; side += 2) {
      td_state_copy(r.model, r.state, there);
      for (int i = 0; i < r.nv; i++) dv[i] = side * 1e-4 * r.state->v[i];
      td_displace(r.model, r.state->q, dv, there->q);
      assert_int_equal(td_sensors(r.model, there, r.work, side < 0 ? before : after), TD_OK);
    }
    // central differences: 1e-8 of the curvature of the motion, about 10; 'rom' fits the shape
    for (int d = 0; d < 6; d++) CHECK_NEAR((after[d] - before[d]) / 2e-4, rate[d], 1e-6);
    free(dv);
    td_state_free(there);
    robot_free(&r);
  }
}

// A loop that begins at a place of the rod, moved and turned from there, beside a sensor of that
// place: the sensor tells of the rod.
static void a_place_on_a_rod_is_not_that_of_a_joint_there(void** unused) {
  (void)unused;
  static const char text[] =
      "rod(1).n = 2; rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 3e5; rod(1).rho = 1100;"
      "body(1).m = 1; body(1).I = 0.01*eye(3); joint(1).second = 1; joint(1).type = 'free';"
      "joint(1).tr.trans = [0.1 0 0.2]; joint(2).first = at(rod(1), 0.2); joint(2).second = 1;"
      "joint(2).tr.trans = [0.1 0 0]; joint(2).tr.rot = [1 0.3]; joint(2).type = 'spherical';"
      "sensor(1).name = 'p'; sensor(1).value = [pos(rod(1), 0.2) reshape(rot(rod(1), 0.2), 1, 9)];";
  static const double straight[12] = {0, 0, 0.2, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int m = 0; m < ROD_MODELS; m++) {
    robot r = load_as(text, td_rod_models[m].name);
    double seen[12];
    assert_int_equal(td_sensors(r.model, r.state, r.work, seen), TD_OK);
    for (int i = 0; i < 12; i++) CHECK_NEAR(seen[i], straight[i], 1e-14);
    robot_free(&r);
  }
}

// Rates that a loop does not allow are met by its impulse, M dv = J' p: what is lost is the energy
// of the change, as of orthogonal vectors.
static void written_rates_meet_loops_by_an_impulse(void** unused) {
  (void)unused;
  static const char open[] =
      "rod(1).n = 2; rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 3e5;"
      "rod(1).rho = 1100; rod(1).joint.type = 'revolute'; rod(1).joint.axis = [0 1 0];"
      "rod(1).joint.dof(1).rate = 2; body(1).m = 0.1; body(1).I = 1e-4*eye(3);"
      "joint(1).first = rod(1); joint(1).second = 1; joint(1).type = 'universal';"
      "joint(1).dof(1).rate = 1; joint(1).dof(2).rate = -3;";
  static const char loop[] =
      "joint(2).second = 1; joint(2).tr.trans = [0.02 0.01 0.35];"
      "joint(2).tr2nd.trans = [0.02 0.01 0.05]; joint(2).type = 'spherical';";
  for (int k = 0; k < 2 * ROD_MODELS; k++) {
    char closed[1500];
    snprintf(closed, sizeof closed, "%s%spar.linear = '%s';", open, loop,
             k % 2 ? "sparse" : "dense");
    const char* model = td_rod_models[k / 2].name;
    robot before = load_as(open, model), r = load_as(closed, model);
    double *M = numbers(r.nv * r.nv), energy[3] = {0};
    const double *v0 = before.state->v, *v = r.state->v;
    assert_int_equal(r.nv, before.nv);
    td_mass_matrix(r.model, r.state, r.work, M);
    for (int i = 0; i < r.nv; i++)
      for (int j = 0; j < r.nv; j++) {
        const double m = 0.5 * M[i * r.nv + j];
        energy[0] += m * v0[i] * v0[j];
        energy[1] += m * v[i] * v[j];
        energy[2] += m * (v0[i] - v[i]) * (v0[j] - v[j]);
      }
    assert_true(energy[2] > 1e-3);  // the loop takes something
    CHECK_NEAR(energy[0] / (energy[1] + energy[2]), 1, 1e-9);
    free(M);
    robot_free(&before);
    robot_free(&r);
  }
}

// The list of continuum models tells what they do.
static void traits_are_those_of_the_models(void** unused) {
  (void)unused;
  static const char text[] =
      "rod(1).n = 2; rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 3e5; rod(1).rho = 1100;";
  for (int k = 0; k < ROD_MODELS; k++) {
    const rod_model_traits* t = &td_rod_models[k];
    robot r = load_as(text, t->name);
    assert_int_equal(r.model->rod[0].model, k);
    assert_true(r.model->nstrain > 0 && strlen(t->text) > 0);
    for (int i = 0; i < r.model->nstrain; i++)
      assert_int_equal(strain_is_segment(&r.model->strain[i]), !t->points);
    assert_int_equal(r.model->nnode > 0, t->nodes);
    assert_int_equal(r.model->rod[0].functions[3] > 0, t->functions);
    robot_free(&r);

    // strains that are coordinates can be held
    char held[400];
    snprintf(held, sizeof held, "%srod(1).modes = [0 0 0 1 1 1]; rod(1).model = '%s';", text,
             t->name);
    td_spec* spec = td_spec_new();
    td_model* model = NULL;
    td_spec_load_string(spec, "held.m", held);
    assert_int_equal(td_model_compile(spec, &model) == TD_OK, !t->positions);
    td_model_free(model);
    td_spec_free(spec);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_place_on_a_rod_is_not_that_of_a_joint_there),
      cmocka_unit_test(written_rates_meet_loops_by_an_impulse),
      cmocka_unit_test(traits_are_those_of_the_models),
      cmocka_unit_test(the_recursion_solves_the_dense_equations),
      cmocka_unit_test(a_flying_rod_keeps_its_momentum_and_accounts_for_its_energy),
      cmocka_unit_test(a_rod_in_its_stress_free_shape_stays_there),
      cmocka_unit_test(bending_does_not_stretch_what_is_rigid),
      cmocka_unit_test(a_polynomial_rod_tells_how_near_half_a_turn_is),
      cmocka_unit_test(a_rod_starts_with_the_strain_rates_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
