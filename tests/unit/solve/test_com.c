// The centre of mass as a sensor: the weighted mean of all places that carry mass, free fall
// whatever happens inside, exact derivatives on robots with every element, forces and tasks that
// follow it.
#include "engine/stages.h"
#include "unit/engine/robots.h"

static const char asks[] =
    "\nsensor = []; output = [];\nsensor(1).name = 'c'; sensor(1).value = com;\n";

static robot load_asking(const char* text, const char* more) {
  char* whole = malloc(strlen(text) + strlen(more) + 1);
  sprintf(whole, "%s%s", text, more);
  robot r = robot_load(whole);
  free(whole);
  return r;
}

// Σ m c / Σ m over bodies that move and pieces of rods, from their stations.
static void add_place(const robot* r, int station, num mass, num com, double sum[4]) {
  const td_work* w = r->work;
  const frame f = td_frame(r->model, w, station);
  const vec3 c = vec3_add(f.p, mat3_apply(f.R, vec3_of(w->num + com)));
  for (int k = 0; k < 3; k++) sum[k] += w->num[mass] * vec3_at(c, k);
  sum[3] += w->num[mass];
}

static void it_is_the_mean_of_all_masses(void** state) {
  (void)state;
  for (int i = 0; i < ROBOT_COUNT; i++) {
    uint64_t seed = 3;
    robot r = load_asking(robot_texts[i], asks);
    robot_shake(&r, &seed, 0.2);
    double y[3], sum[4] = {0};
    assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
    const td_model* m = r.model;
    for (int k = 0; k < m->nbody; k++)
      if (m->station[m->body[k].station].hop >= 0)
        add_place(&r, m->body[k].station, m->body[k].m, m->body[k].com, sum);
    for (int k = 0; k < m->nlump; k++)
      add_place(&r, m->lump[k].station, m->lump[k].m, m->lump[k].com, sum);
    for (int k = 0; k < 3; k++) CHECK_NEAR(y[k], sum[k] / sum[3], 1e-13);
    robot_free(&r);
  }
}

// A straight rod that the ground holds has it in its middle, however many segments it has: the half
// segment at its base counts, a body that is fixed to the ground does not.
static void a_clamped_rod_has_it_in_its_middle(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "srl", "ebr", "eba", "rom"};
  for (int i = 0; i < 5; i++)
    for (int n = 1; n <= 4; n += 3) {
      char text[600];
      snprintf(text, sizeof text,
               "rod(1).model = '%s'; rod(1).n = %d; rod(1).length = .3; rod(1).radius = .01;\n"
               "rod(1).E = 1e6; rod(1).rho = 1000; rod(1).tr.trans = [.1 .2 .3];\n"
               "body(1).m = 5; body(1).I = 1; joint(1).second = 1; joint(1).type = 'fixed';\n"
               "sensor(1).name = 'c'; sensor(1).value = com;\n",
               models[i], n);
      robot r = robot_load(text);
      double y[3];
      assert_int_equal(td_sensors(r.model, r.state, r.work, y), TD_OK);
      CHECK_NEAR(y[0], 0.1, 1e-15);
      CHECK_NEAR(y[1], 0.2, 1e-15);
      CHECK_NEAR(y[2], 0.45, 1e-14);
      robot_free(&r);
    }
}

// Central differences with h = 1e-5: h² of third derivatives, which are below 10 for robots of the
// size of a metre, and rounding / h, both near 1e-10.
static void derivatives_are_exact(void** state) {
  (void)state;
  for (int i = 0; i < ROBOT_COUNT; i++) {
    uint64_t seed = 4;
    robot r = load_asking(robot_texts[i], asks);
    robot_shake(&r, &seed, 0.2);
    const size_t n = (size_t)r.nv;
    double *dq = malloc(3 * n * sizeof(double)), *dv = malloc(3 * n * sizeof(double));
    double* du = malloc((3 * (size_t)r.nu + 1) * sizeof(double));
    double *q = malloc((size_t)r.nq * sizeof(double)), *d = calloc(n, sizeof(double)), y[2][3];
    memcpy(q, r.state->q, (size_t)r.nq * sizeof(double));
    assert_int_equal(td_sensor_tangent(r.model, r.state, r.work, dq, dv, du, NULL), TD_OK);
    const double h = 1e-5;
    for (int k = 0; k < r.nv; k++) {
      for (int side = 0; side < 2; side++) {
        d[k] = side == 0 ? h : -h;
        td_displace(r.model, q, d, r.state->q);
        assert_int_equal(td_sensors(r.model, r.state, r.work, y[side]), TD_OK);
      }
      d[k] = 0;
      for (int c = 0; c < 3; c++) {
        if (r.model->vel[k].motion == NUM_NONE)
          CHECK_NEAR(dq[c * r.nv + k], (y[0][c] - y[1][c]) / (2 * h), 2e-9);
        CHECK_NEAR(dv[c * r.nv + k], 0, 0);
      }
    }
    free(dq), free(dv), free(du), free(q), free(d);
    robot_free(&r);
  }
}

static td_trajectory* run(robot* r, double t, double rtol) {
  td_sim_options o = td_sim_options_default();
  o.t_final = t;
  o.dt_out = t / 10;
  o.rtol = rtol;
  o.atol = rtol * 1e-2;
  td_trajectory* p = NULL;
  assert_int_equal(td_simulate(r->model, r->work, r->state, &o, &p), TD_OK);
  return p;
}

// A body that flies with a rod and an arm: c = c0 + c0' t + g t²/2 whatever they do.
static void it_falls_freely(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "srl", "ebr", "eba", "rom"};
  for (int i = 0; i < 5; i++) {
    char text[1200];
    snprintf(text, sizeof text,
             "world.g = [0 .5 -9.81];\n"
             "body(1).m = .3; body(1).I = 1e-3*diag([1 2 2.5]); body(1).l_com = [.02 0 .01];\n"
             "joint(1).second = 1; joint(1).type = 'free'; joint(1).dof(1).rate = .4;\n"
             "joint(1).dof(5).rate = 2;\n"
             "body(2).m = .1; body(2).I = 1e-4; body(2).l_com = [0 0 -.1]; joint(2).first = 1;\n"
             "joint(2).second = 2; joint(2).tr.rot = [1 inf]; joint(2).dof.rate = -3;\n"
             "rod(1).first = 1; rod(1).length = .3; rod(1).radius = .01; rod(1).E = 1e6;\n"
             "rod(1).rho = 1000; rod(1).n = 2; rod(1).model = '%s';%s\n"
             "sensor(1).name = 'c'; sensor(1).value = com;\n",
             models[i], i == 0 ? " rod(1).n = []; rod(1).order = [-1 -1 -1 1 1 0];" : "");
    robot r = robot_load(text);
    // the velocity at the start: momentum over mass
    double v[3] = {0}, mass = 0, worst = 0;
    td_enter(r.model, r.state, r.work);
    for (int k = 0; k < r.model->nhop; k++) {
      const hop_work* h = &r.work->hop[k];
      if (!r.work->hop_heavy[k]) continue;
      const vec3 P = vec3_axpy(h->I.m, spatial_t(&h->V), vec3_cross(spatial_r(&h->V), h->I.mc));
      for (int c = 0; c < 3; c++) v[c] += vec3_at(P, c);
      mass += h->I.m;
    }
    td_trajectory* p = run(&r, 0.2, 1e-9);
    const double g[3] = {0, .5, -9.81}, *start = td_trajectory_sensors(p, 0);
    for (int k = 0; k < td_trajectory_rows(p); k++) {
      const double t = td_trajectory_time(p, k), *y = td_trajectory_sensors(p, k);
      for (int c = 0; c < 3; c++)
        worst = fmax(worst, fabs(y[c] - start[c] - v[c] / mass * t - g[c] * t * t / 2));
    }
    CHECK_REACHED(models[i], worst, 1e-12);
    td_trajectory_free(p);
    robot_free(&r);
  }
}

// A spring that follows it couples everything with everything: dF/dq by differences, and the same
// motion with dense and sparse matrices.
static void forces_follow_it(void** state) {
  (void)state;
  static const char text[] =
      "world.g = [0 0 -9.81]; c = com;\n"
      "mesh(1).grid = [4 4]; mesh(1).size = [.3 .3]; mesh(1).body.m = .01; mesh(1).fixed = "
      "'corners';\n"
      "mesh(1).joint(2).spring.coeff = 40*(1 + 3*c(3)); mesh(1).joint(2).damp.visc = .05;\n"
      "sensor(1).name = 'c'; sensor(1).value = c;\n";
  double end[2][3];
  for (int sparse = 0; sparse < 2; sparse++) {
    robot r = load_asking(text, sparse ? "par.linear = 'sparse';\n" : "par.linear = 'dense';\n");
    td_trajectory* p = run(&r, 0.3, 1e-9);
    memcpy(end[sparse], td_trajectory_sensors(p, td_trajectory_rows(p) - 1), 3 * sizeof(double));
    td_trajectory_free(p);
    robot_free(&r);
  }
  for (int c = 0; c < 3; c++) CHECK_NEAR(end[0][c], end[1][c], 1e-8);

  robot r = load_asking(text, "par.linear = 'dense';\n");
  uint64_t seed = 5;
  robot_shake(&r, &seed, 0.02);
  const size_t n = (size_t)r.nv;
  double *dq = malloc(n * n * sizeof(double)), *dv = malloc(n * n * sizeof(double));
  double *zero = calloc(n, sizeof(double)), *F[2] = {malloc(n * 8), malloc(n * 8)}, scale = 0;
  assert_int_equal(td_tangent(r.model, r.state, r.work, zero, NULL, dq, dv), TD_OK);
  for (size_t i = 0; i < n * n; i++) scale = fmax(scale, fabs(dq[i]));
  for (int k = 0; k < r.nv; k++) {
    const double h = 1e-6, q = r.state->q[k];
    for (int side = 0; side < 2; side++) {
      r.state->q[k] = q + (side == 0 ? h : -h);
      td_residual(r.model, r.state, r.work, zero, NULL, F[side]);
    }
    r.state->q[k] = q;
    for (int i = 0; i < r.nv; i++)
      CHECK_NEAR(dq[i * r.nv + k], (F[0][i] - F[1][i]) / (2 * h), 1e-7 * scale);
  }
  free(dq), free(dv), free(zero), free(F[0]), free(F[1]);
  robot_free(&r);
}

// Two motors hold the centre of mass of an arm of two links on a given path: with exact rates and
// biases the error stays that of the integration.
static void a_task_holds_it(void** state) {
  (void)state;
  robot r = robot_load(
      "world.g = [0 0 -9.81]; c = com;\n"
      "for i = 1:2, body(i).m = i; body(i).I = .01; body(i).l_com = [0 0 -.2];\n"
      "joint(i).first = i - 1; joint(i).second = i; joint(i).tr(1).trans = [0 0 -.5*(i > 1)];\n"
      "joint(i).tr(2).rot = [2 inf]; joint(i).dof.init = [.2 .6](i);\n"
      "joint(i).dof.input = input(sprintf('u%d', i), 0); end\n"
      "task(1).value = [c(1) c(3)]; task(1).desired = [-.2 + .05*(1 - cos(2*t)) -.46 + .01*t^2];\n"
      "task(1).P = 400; task(1).D = 40;\n"
      "sensor(1).name = 'e'; sensor(1).value = [c(1) + .2 - .05*(1 - cos(2*t)) c(3) + .46 - "
      ".01*t^2];\n");
  td_trajectory* p = run(&r, 1, 1e-9);
  const double *first = td_trajectory_sensors(p, 0),
               *last = td_trajectory_sensors(p, td_trajectory_rows(p) - 1);
  // errors decay as (1 + 20 t) exp(-20 t), from rest: P = 20², D = 2 · 20
  const double decay = 21 * exp(-20.0);
  for (int c = 0; c < 2; c++) CHECK_NEAR(last[c], decay * first[c], 2e-8);
  td_trajectory_free(p);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_the_mean_of_all_masses),
      cmocka_unit_test(a_clamped_rod_has_it_in_its_middle),
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(it_falls_freely),
      cmocka_unit_test(forces_follow_it),
      cmocka_unit_test(a_task_holds_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
