// The three steppers on problems with known solutions: order, stiffness, invariants, roots, jumps,
// dense output.
#include "check.h"
#include "solve/time/ode.h"

static const td_solver_row* const all[3] = {&td_solver_explicit, &td_solver_stiff,
                                            &td_solver_radau};

// Integrate to t_end, stopping and restarting at the given stop times; y is replaced.  Returns the
// steps taken.
static long integrate(const td_solver_row* solver, const td_ode* ode, double t, double t_end,
                      const double* stops, int nstop, double* y) {
  td_stepper* s;
  assert_int_equal(solver->start(ode, t, y, &s), TD_OK);
  td_step step = {.t = t};
  for (int i = 0; i <= nstop; i++) {
    const double t_stop = i < nstop ? stops[i] : t_end;
    while (step.t < t_stop) {
      assert_int_equal(td_stepper_step(s, t_stop, &step), TD_OK);
      memcpy(y, step.y, (size_t)(ode->n + ode->nquad) * sizeof(double));
    }
    if (i < nstop) assert_int_equal(td_stepper_restart(s, t_stop, y), TD_OK);
  }
  const long steps = s->counts.steps;
  td_stepper_free(s);
  return steps;
}

// ---- y' = -y, with the integral of y as a passenger -------------------------------------------

static td_status decay(void* ctx, double t, const double* y, double* ydot) {
  (void)ctx, (void)t;
  ydot[0] = -y[0];
  ydot[1] = y[0];
  return TD_OK;
}

static td_status decay_jacobian(void* ctx, double t, const double* y, double* J) {
  (void)ctx, (void)t, (void)y;
  J[0] = -1;
  return TD_OK;
}

// both stay within a hundred times the tolerance, which is what local error control promises on a
// stable problem
static void decay_and_its_integral_meet_the_tolerance(void** state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    for (double rtol = 1e-4; rtol > 1e-11; rtol /= 100) {
      const td_ode ode = {
          .n = 1, .nquad = 1, .rtol = rtol, .atol = rtol, .rhs = decay, .jacobian = decay_jacobian};
      double y[2] = {1, 0};
      integrate(all[k], &ode, 0, 3, NULL, 0, y);
      CHECK_NEAR(y[0], exp(-3), 100 * rtol);
      CHECK_NEAR(y[1], 1 - exp(-3), 100 * rtol);
    }
  }
}

// ---- oscillator -------------------------------------------------------------------------------

static td_status oscillator(void* ctx, double t, const double* y, double* ydot) {
  (void)ctx, (void)t;
  ydot[0] = y[1];
  ydot[1] = -y[0];
  return TD_OK;
}

static td_status oscillator_jacobian(void* ctx, double t, const double* y, double* J) {
  (void)ctx, (void)t, (void)y;
  J[0] = 0, J[1] = 1, J[2] = -1, J[3] = 0;
  return TD_OK;
}

// y' = -2 t y², y = 1/(1 + t²)
static td_status bell(void* ctx, double t, const double* y, double* ydot) {
  (void)ctx;
  ydot[0] = -2 * t * y[0] * y[0];
  return TD_OK;
}

// plain steps of the table: the error falls at least as h^8 (the pair was made for small terms of
// order 8)
static void runge_kutta_table_has_order_eight(void** state) {
  (void)state;
  const td_ode ode = {.n = 1, .rtol = 1e-3, .atol = 1e-3, .rhs = bell};
  double error[2];
  for (int level = 0; level < 2; level++) {
    const int steps = 16 << level;
    const double h = 3.0 / steps;
    double y = 1, f, k[TD_RK8_STAGES], next;
    td_stepper* s;
    assert_int_equal(td_solver_explicit.start(&ode, 0, &y, &s), TD_OK);
    for (int i = 0; i < steps; i++, y = next) {
      td_ode_rhs(s, i * h, &y, &f);
      td_rk8_step(s, i * h, &y, &f, h, k, &next);
    }
    td_stepper_free(s);
    error[level] = fabs(y - 0.1);
  }
  assert_true(log2(error[0] / error[1]) > 7.8);
}

// ARKODE's step is that of the table, its first stage the slope at the beginning and nothing else
static void steps_are_those_of_the_table(void** state) {
  (void)state;
  const td_ode ode = {.n = 2, .rtol = 1e-6, .atol = 1e-6, .rhs = oscillator};
  double y[2] = {1, 0}, f[2], k[2 * TD_RK8_STAGES], plain[2];
  td_stepper* s;
  assert_int_equal(td_solver_explicit.start(&ode, 0, y, &s), TD_OK);
  td_step step = {.t = 0};
  while (step.t < 10) {
    assert_int_equal(td_stepper_step(s, 10, &step), TD_OK);
    td_ode_rhs(s, step.t0, y, f);
    td_rk8_step(s, step.t0, y, f, step.t - step.t0, k, plain);
    CHECK_NEAR(step.y[0], plain[0], 1e-14);
    CHECK_NEAR(step.y[1], plain[1], 1e-14);
    memcpy(y, step.y, sizeof y);
  }
  td_stepper_free(s);
}

// the row sums are the abscissae, both weight sets sum to one
static void runge_kutta_table_is_consistent(void** state) {
  (void)state;
  double b = 0, d = 0;
  for (int i = 0; i < TD_RK8_STAGES; i++) {
    double row = 0;
    for (int j = 0; j < TD_RK8_STAGES; j++) row += td_rk8_table.A[i * TD_RK8_STAGES + j];
    CHECK_NEAR(row, td_rk8_table.c[i], 1e-14);
    b += td_rk8_table.b[i], d += td_rk8_table.d[i];
  }
  CHECK_NEAR(b, 1, 1e-15);
  CHECK_NEAR(d, 1, 1e-15);
}

// dense output is as good as the steps: 1000 points a second, from the first step on
static void dense_output_is_as_accurate_as_the_steps(void** state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    for (double rtol = 1e-6; rtol > 1e-11; rtol /= 100) {
      const td_ode ode = {
          .n = 2, .rtol = rtol, .atol = rtol, .rhs = oscillator, .jacobian = oscillator_jacobian};
      double y[2] = {1, 0}, ends = 0, between = 0;
      td_stepper* s;
      assert_int_equal(all[k]->start(&ode, 0, y, &s), TD_OK);
      td_step step = {.t = 0};
      for (int row = 0; step.t < 20;) {
        assert_int_equal(td_stepper_step(s, 20, &step), TD_OK);
        ends = fmax(ends, fabs(step.y[0] - cos(step.t)));
        for (; row * 1e-3 <= step.t; row++) {
          assert_int_equal(td_stepper_at(s, row * 1e-3, y), TD_OK);
          between = fmax(between, fabs(y[0] - cos(row * 1e-3)));
        }
      }
      assert_true(between <= 1.5 * ends + 2 * rtol);
      td_stepper_free(s);
    }
  }
}

// ---- a mass under a force of time alone: the error estimate must see it -----------------------

static td_status forced_mass(void* ctx, double t, const double* y, double* ydot) {
  (void)ctx;
  ydot[0] = y[1];
  ydot[1] = sin(t);
  return TD_OK;
}

static void a_force_of_time_alone_is_seen_by_the_error_test(void** state) {
  (void)state;
  const td_ode ode = {.n = 2, .rtol = 1e-8, .atol = 1e-8, .rhs = forced_mass};
  double y[2] = {0, -1};
  integrate(&td_solver_explicit, &ode, 0, 100, NULL, 0, y);
  CHECK_NEAR(y[0], -sin(100), 1e-5);
  CHECK_NEAR(y[1], -cos(100), 1e-6);
}

// ---- stiff: van der Pol, mu = 1000 ------------------------------------------------------------

static const double mu = 1000;

static td_status van_der_pol(void* ctx, double t, const double* y, double* ydot) {
  (void)ctx, (void)t;
  ydot[0] = y[1];
  ydot[1] = mu * (1 - y[0] * y[0]) * y[1] - y[0];
  return TD_OK;
}

static td_status van_der_pol_jacobian(void* ctx, double t, const double* y, double* J) {
  (void)ctx, (void)t;
  J[0] = 0, J[1] = 1;
  J[2] = -2 * mu * y[0] * y[1] - 1, J[3] = mu * (1 - y[0] * y[0]);
  return TD_OK;
}

// On the slow branch y' ~ y / (mu (1 - y²)), that is ln y - y²/2 = t/mu + const up to O(1/mu²).
static void stiff_solvers_glide_along_the_slow_branch(void** state) {
  (void)state;
  const td_ode ode = {
      .n = 2, .rtol = 1e-8, .atol = 1e-10, .rhs = van_der_pol, .jacobian = van_der_pol_jacobian};
  for (int k = 1; k < 3; k++) {
    double y[2] = {2, -2 / (3 * mu)};
    const long steps = integrate(all[k], &ode, 0, 500, NULL, 0, y);
    CHECK_NEAR(log(y[0]) - y[0] * y[0] / 2, log(2) - 2 + 500 / mu, 1e-5);
    assert_true(steps < 1000);  // stability would ask an explicit method for 3 mu 500 / 5
  }
}

static void the_rule_tells_stiff_from_not_stiff(void** state) {
  (void)state;
  td_ode ode = {
      .n = 2, .rtol = 1e-6, .atol = 1e-9, .rhs = van_der_pol, .jacobian = van_der_pol_jacobian};
  const double y[2] = {2, 0};
  td_choice choice;
  assert_int_equal(td_choose_solver(&ode, 0, y, 500, 0, &choice), TD_OK);
  assert_int_equal(choice.solver, TD_SOLVER_STIFF);
  assert_int_equal(td_choose_solver(&ode, 0, y, 0.1, 0, &choice), TD_OK);
  assert_int_equal(choice.solver, TD_SOLVER_EXPLICIT);  // too short a run to matter
  ode.jacobian = oscillator_jacobian;
  assert_int_equal(td_choose_solver(&ode, 0, y, 500, 0, &choice), TD_OK);
  assert_int_equal(choice.solver, TD_SOLVER_EXPLICIT);
  assert_true(choice.lightly_damped);
  // steps of 1 rad follow the motion, those of 1e-3 rad follow no mode
  assert_int_equal(td_choose_solver(&ode, 0, y, 1e4, 1, &choice), TD_OK);
  assert_int_equal(choice.solver, TD_SOLVER_EXPLICIT);
  assert_int_equal(td_choose_solver(&ode, 0, y, 1e4, 1e-3, &choice), TD_OK);
  assert_int_equal(choice.solver, TD_SOLVER_STIFF);
}

// Hundreds of independent modes, the last one the fastest: y_i' = -rate_i y_i, or pairs with
// frequency rate_i.
static td_status many_decays(void* ctx, double t, const double* y, double* J) {
  (void)t, (void)y;
  const int n = *(int*)ctx;
  memset(J, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++) J[i * n + i] = -(1 + 1e4 * i / n);
  return TD_OK;
}

static td_status many_pairs(void* ctx, double t, const double* y, double* J) {
  (void)t, (void)y;
  const int n = *(int*)ctx;
  memset(J, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int i = 0; i + 1 < n; i += 2) {
    J[i * n + i + 1] = 1;
    J[(i + 1) * n + i] = -pow(10.0 * (i + 2) / n, 4);
  }
  return TD_OK;
}

static void the_rule_reads_the_dominant_eigenvalue_of_large_systems(void** state) {
  (void)state;
  int n = 500;
  td_ode ode = {.ctx = &n, .n = n, .rtol = 1e-6, .atol = 1e-9, .jacobian = many_decays};
  double* y = calloc((size_t)n, sizeof(double));
  td_choice choice;
  assert_int_equal(td_choose_solver(&ode, 0, y, 10, 0, &choice), TD_OK);
  assert_int_equal(choice.solver, TD_SOLVER_STIFF);
  assert_false(choice.lightly_damped);
  ode.jacobian = many_pairs;
  assert_int_equal(td_choose_solver(&ode, 0, y, 10, 0, &choice), TD_OK);
  assert_int_equal(choice.solver, TD_SOLVER_EXPLICIT);
  assert_true(choice.lightly_damped);
  assert_int_equal(td_choose_solver(&ode, 0, y, 1e6, 0, &choice), TD_OK);
  assert_int_equal(choice.solver, TD_SOLVER_STIFF);  // nobody waits for that many steps
  free(y);
}

// ---- a particle on the unit circle, with its multiplier ---------------------------------------

static td_status bead(void* ctx, double t, const double* y, double* ydot) {
  (void)ctx, (void)t;
  const double g = 9.81, r2 = y[0] * y[0] + y[1] * y[1];
  const double lambda = -(y[2] * y[2] + y[3] * y[3] - g * y[1]) / r2;
  ydot[0] = y[2], ydot[1] = y[3];
  ydot[2] = lambda * y[0], ydot[3] = lambda * y[1] - g;
  return TD_OK;
}

static td_status bead_jacobian(void* ctx, double t, const double* y, double* J) {
  double f[4], fh[4];
  bead(ctx, t, y, f);
  for (int j = 0; j < 4; j++) {
    double yh[4];
    memcpy(yh, y, sizeof yh);
    yh[j] += 1e-7;
    bead(ctx, t, yh, fh);
    for (int i = 0; i < 4; i++) J[4 * i + j] = (fh[i] - f[i]) / 1e-7;
  }
  return TD_OK;
}

static td_status bead_project(void* ctx, double t, double* y) {
  (void)ctx, (void)t;
  const double r = hypot(y[0], y[1]);
  y[0] /= r, y[1] /= r;
  const double out = y[0] * y[2] + y[1] * y[3];
  y[2] -= out * y[0], y[3] -= out * y[1];
  return TD_OK;
}

// Pendulum from (-1, 0) at rest, exact by Jacobi's elliptic functions.
static void projected_bead_follows_the_pendulum_and_stays_on_the_circle(void** state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    const td_ode ode = {.n = 4,
                        .rtol = 1e-10,
                        .atol = 1e-10,
                        .rhs = bead,
                        .jacobian = bead_jacobian,
                        .project = bead_project};
    double y[4] = {-1, 0, 0, 0};
    integrate(all[k], &ode, 0, 10, NULL, 0, y);
    // a hundred steps at 1e-10 each; many more of BDF, which the pendulum amplifies
    CHECK_NEAR(y[0], -0.2750874625761169, k == 1 ? 1e-5 : 1e-8);
    CHECK_NEAR(y[1], -0.9614192050991252, k == 1 ? 1e-5 : 1e-8);
    CHECK_NEAR(hypot(y[0], y[1]), 1, 1e-15);
    CHECK_NEAR(y[0] * y[2] + y[1] * y[3], 0, 1e-14);
  }
}

// energy is as constant between the steps as at their ends
static void dense_output_of_the_bead_keeps_its_energy(void** state) {
  (void)state;
  for (double rtol = 1e-4; rtol > 1e-11; rtol /= 100) {
    const td_ode ode = {.n = 4, .rtol = rtol, .atol = rtol, .rhs = bead, .project = bead_project};
    double y[4] = {-1, 0, 0, 0}, ends = 0, between = 0;
    td_stepper* s;
    assert_int_equal(td_solver_explicit.start(&ode, 0, y, &s), TD_OK);
    td_step step = {.t = 0};
    while (step.t < 5) {
      assert_int_equal(td_stepper_step(s, 5, &step), TD_OK);
      ends =
          fmax(ends, fabs((step.y[2] * step.y[2] + step.y[3] * step.y[3]) / 2 + 9.81 * step.y[1]));
      for (int i = 1; i < 8; i++) {
        assert_int_equal(td_stepper_at(s, step.t0 + i * (step.t - step.t0) / 8, y), TD_OK);
        between = fmax(between, fabs((y[2] * y[2] + y[3] * y[3]) / 2 + 9.81 * y[1]));
      }
    }
    assert_true(between < 2 * ends + 100 * rtol);
    td_stepper_free(s);
  }
}

// ---- roots ------------------------------------------------------------------------------------

static void oscillator_root(void* ctx, double t, const double* y, double* g) {
  (void)ctx, (void)t;
  g[0] = y[0];
}

// cos(t) crosses zero at odd multiples of pi/2, falling first, located much better than the
// interpolant knows
static void roots_are_located_to_the_accuracy_of_the_solution(void** state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    const td_ode ode = {.n = 2,
                        .nroot = 1,
                        .rtol = 1e-12,
                        .atol = 1e-12,
                        .rhs = oscillator,
                        .jacobian = oscillator_jacobian,
                        .roots = oscillator_root};
    const double y[2] = {1, 0};
    td_stepper* s;
    assert_int_equal(all[k]->start(&ode, 0, y, &s), TD_OK);
    td_step step = {.t = 0};
    int found = 0;
    while (step.t < 20) {
      assert_int_equal(td_stepper_step(s, 20, &step), TD_OK);
      if (!step.root) continue;
      CHECK_NEAR(step.t, (found + 0.5) * 3.14159265358979323846, k == 1 ? 1e-8 : 1e-11);
      assert_int_equal(step.crossed[0], found % 2 == 0 ? -1 : 1);
      found++;
    }
    assert_int_equal(found, 6);
    td_stepper_free(s);
  }
}

static void oscillator_root_at_start(void* ctx, double t, const double* y, double* g) {
  (void)ctx, (void)t;
  g[0] = y[1];
}

static void a_root_at_the_very_start_does_not_fire(void** state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    const td_ode ode = {.n = 2,
                        .nroot = 1,
                        .rtol = 1e-10,
                        .atol = 1e-10,
                        .rhs = oscillator,
                        .jacobian = oscillator_jacobian,
                        .roots = oscillator_root_at_start};
    const double y[2] = {1, 0};
    td_stepper* s;
    assert_int_equal(all[k]->start(&ode, 0, y, &s), TD_OK);
    td_step step = {.t = 0, .root = false};
    while (!step.root) assert_int_equal(td_stepper_step(s, 20, &step), TD_OK);
    CHECK_NEAR(step.t, 3.14159265358979323846, 1e-6);
    td_stepper_free(s);
  }
}

// Falling ball, y'' = -g: reaches the floor at sqrt(2 h/g), bounces with 0.8 of its speed; bounce
// times are a geometric series.
static td_status ball(void* ctx, double t, const double* y, double* ydot) {
  (void)ctx, (void)t;
  ydot[0] = y[1];
  ydot[1] = -9.81;
  return TD_OK;
}

static void bounces_are_located_and_restarted(void** state) {
  (void)state;
  const td_ode ode = {
      .n = 2, .nroot = 1, .rtol = 1e-12, .atol = 1e-12, .rhs = ball, .roots = oscillator_root};
  double y[2] = {1, 0}, expected = sqrt(2 / 9.81), flight = 2 * expected * 0.8;
  td_stepper* s;
  assert_int_equal(td_solver_explicit.start(&ode, 0, y, &s), TD_OK);
  td_step step = {.t = 0};
  int bounces = 0;
  while (step.t < 3 && bounces < 5) {
    assert_int_equal(td_stepper_step(s, 3, &step), TD_OK);
    if (!step.root || step.crossed[0] > 0) continue;
    CHECK_NEAR(step.t, expected, 1e-10);
    expected += flight;
    flight *= 0.8;
    y[0] = 0, y[1] = -0.8 * step.y[1];
    assert_int_equal(td_stepper_restart(s, step.t, y), TD_OK);
    bounces++;
  }
  assert_int_equal(bounces, 5);
  td_stepper_free(s);
}

// ---- jumps of the right-hand side at stop times -----------------------------------------------

static td_status switched(void* ctx, double t, const double* y, double* ydot) {
  (void)ctx;
  ydot[0] = y[1];
  ydot[1] = (t >= 1 ? 3 : 0) - (t >= 2.5 ? 4 : 0) - y[0];
  return TD_OK;
}

// superposition of the responses to each step, u (1 - cos(t - t0))
static void stop_times_keep_full_accuracy_across_jumps(void** state) {
  (void)state;
  const double stops[2] = {1, 2.5}, exact = 3 * (1 - cos(4)) - 4 * (1 - cos(2.5));
  for (int k = 0; k < 3; k++) {
    const td_ode ode = {
        .n = 2, .rtol = 1e-11, .atol = 1e-11, .rhs = switched, .jacobian = oscillator_jacobian};
    double y[2] = {0, 0};
    integrate(all[k], &ode, 0, 5, stops, 2, y);
    CHECK_NEAR(y[0], exact, k == 1 ? 1e-8 : 1e-10);
  }
}

// ---- failures ---------------------------------------------------------------------------------

static td_status wall(void* ctx, double t, const double* y, double* ydot) {
  (void)ctx, (void)t;
  ydot[0] = 1;
  return y[0] > 1 ? TD_E_SINGULAR : TD_OK;
}

// y' = 1 that cannot be evaluated beyond y = 1: both come close to it and then report the
// callback's status
static void failing_right_hand_sides_are_approached_and_reported(void** state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    const td_ode ode = {
        .n = 1, .rtol = 1e-6, .atol = 1e-9, .rhs = wall, .jacobian = decay_jacobian};
    const double y[1] = {0};
    td_stepper* s;
    assert_int_equal(all[k]->start(&ode, 0, y, &s), TD_OK);
    td_step step = {.t = 0};
    td_status status = TD_OK;
    int calls = 0;
    while (status == TD_OK && step.t < 2 && calls++ < 1000) status = td_stepper_step(s, 2, &step);
    assert_int_equal(status, TD_E_SINGULAR);
    CHECK_NEAR(step.t, 1, 1e-3);
    td_stepper_free(s);
  }
}

static td_status poison(void* ctx, double t, const double* y, double* ydot) {
  (void)ctx, (void)y;
  ydot[0] = t > 0.5 ? NAN : 0;
  return TD_OK;
}

static void not_a_number_ends_with_diverged(void** state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    const td_ode ode = {
        .n = 1, .rtol = 1e-6, .atol = 1e-9, .rhs = poison, .jacobian = decay_jacobian};
    const double y[1] = {0};
    td_stepper* s;
    assert_int_equal(all[k]->start(&ode, 0, y, &s), TD_OK);
    td_step step = {.t = 0};
    td_status status = TD_OK;
    int calls = 0;
    while (status == TD_OK && step.t < 2 && calls++ < 1000) status = td_stepper_step(s, 2, &step);
    assert_int_equal(status, TD_E_DIVERGED);
    td_stepper_free(s);
  }
}

static void two_runs_give_the_same_bits(void** state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    const td_ode ode = {.n = 4,
                        .rtol = 1e-8,
                        .atol = 1e-8,
                        .rhs = bead,
                        .jacobian = bead_jacobian,
                        .project = bead_project};
    double y1[4] = {-1, 0, 0, 0}, y2[4] = {-1, 0, 0, 0};
    integrate(all[k], &ode, 0, 3, NULL, 0, y1);
    integrate(all[k], &ode, 0, 3, NULL, 0, y2);
    assert_memory_equal(y1, y2, sizeof y1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decay_and_its_integral_meet_the_tolerance),
      cmocka_unit_test(runge_kutta_table_has_order_eight),
      cmocka_unit_test(steps_are_those_of_the_table),
      cmocka_unit_test(runge_kutta_table_is_consistent),
      cmocka_unit_test(dense_output_is_as_accurate_as_the_steps),
      cmocka_unit_test(a_force_of_time_alone_is_seen_by_the_error_test),
      cmocka_unit_test(stiff_solvers_glide_along_the_slow_branch),
      cmocka_unit_test(the_rule_tells_stiff_from_not_stiff),
      cmocka_unit_test(the_rule_reads_the_dominant_eigenvalue_of_large_systems),
      cmocka_unit_test(projected_bead_follows_the_pendulum_and_stays_on_the_circle),
      cmocka_unit_test(dense_output_of_the_bead_keeps_its_energy),
      cmocka_unit_test(roots_are_located_to_the_accuracy_of_the_solution),
      cmocka_unit_test(a_root_at_the_very_start_does_not_fire),
      cmocka_unit_test(bounces_are_located_and_restarted),
      cmocka_unit_test(stop_times_keep_full_accuracy_across_jumps),
      cmocka_unit_test(failing_right_hand_sides_are_approached_and_reported),
      cmocka_unit_test(not_a_number_ends_with_diverged),
      cmocka_unit_test(two_runs_give_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
