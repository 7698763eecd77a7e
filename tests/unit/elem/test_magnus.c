// Magnus steps: the group law, motion against differences of the pose, rates and curvature against
// differences of the motion, and the order of convergence.
#include "check.h"
#include "one_step.h"

static magnus_step random_step(uint64_t* seed, int nodes, double size) {
  magnus_step s = {.nodes = nodes, .h = 0.7};
  for (int n = 0; n < nodes; n++)
    for (int k = 0; k < 3; k++) {
      for (int i = 0; i < 6; i++) s.xi[n][k].a[i] = size * check_random(seed);
      if (k == 0) s.xi[n][k].a[2] += 1;
    }
  return s;
}

// The step at another time: its strains follow ξ + ξ' t + ξ'' t²/2.
static magnus_step moved(const magnus_step* s, double t) {
  magnus_step m = *s;
  for (int n = 0; n < s->nodes; n++) {
    m.xi[n][0] = spatial_axpy(t, s->xi[n][1], spatial_axpy(t * t / 2, s->xi[n][2], s->xi[n][0]));
    m.xi[n][1] = spatial_axpy(t, s->xi[n][2], s->xi[n][1]);
  }
  return m;
}

static pose inverse(pose g) {
  const mat3 Rt = mat3_transpose(g.R);
  return (pose){Rt, vec3_scale(-1, mat3_apply(Rt, g.p))};
}
static double pose_distance(pose a, pose b) {
  double d = vec3_norm(vec3_sub(a.p, b.p));
  for (int i = 0; i < 9; i++) d = fmax(d, fabs(a.R.m[i] - b.R.m[i]));
  return d;
}
static pose pose_of(const magnus_step* s) {
  step_motion m;
  step_motion_of(s, &m);
  return m.g;
}
// The small motion from a to b about the origin of the frame before: log to first order.
static spatial small_motion(pose a, pose b) {
  const pose d = pose_mul(b, inverse(a));
  const double* R = d.R.m;
  return spatial_of(d.p, (vec3){(R[7] - R[5]) / 2, (R[2] - R[6]) / 2, (R[3] - R[1]) / 2});
}

static const double weight[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
static const double STEP = 4e-3;  // sixth-order differences: truncation and rounding near 1e-11

static void check_twist(const spatial* got, const spatial* want, double tol) {
  for (int i = 0; i < 6; i++) CHECK_NEAR(got->a[i], want->a[i], tol);
}

static void half_steps_of_constant_strain_make_the_whole(void** state) {
  (void)state;
  uint64_t seed = 1;
  for (int nodes = 1; nodes <= 3; nodes++)
    for (int k = -6; k <= 1; k++) {  // from microradians to several turns
      magnus_step s = random_step(&seed, nodes, pow(10, k));
      for (int n = 1; n < nodes; n++) s.xi[n][0] = s.xi[0][0];
      const pose whole = pose_of(&s);
      s.h /= 2;
      const pose half = pose_of(&s);
      CHECK_NEAR(pose_distance(whole, pose_mul(half, half)), 0, 1e-14 * fmax(1, pow(10, k)));
    }
}

static void small_and_large_angles_meet(void** state) {
  (void)state;
  // t = θ² is 1 and 16 where the series change: both sides give the same motion
  for (int k = 0; k < 2; k++) {
    const double theta = k == 0 ? 1 : 4, eps = 1e-9;
    magnus_step s = {.nodes = 2, .h = 1};
    for (int n = 0; n < 2; n++) s.xi[n][0] = spatial_of((vec3){0.3, -0.2, 1}, (vec3){0, 0, 0});
    step_motion below, above;
    spatial Sd[2][MAGNUS_PARTS], Sdd[2][MAGNUS_PARTS];
    for (int n = 0; n < 2; n++) {
      s.xi[n][0].a[3] = theta * (1 - eps);
      s.xi[n][1] = spatial_of((vec3){0.1, 0.5, 0.2}, (vec3){0.3, -0.4, 0.6});
    }
    step_motion_of(&s, &below);
    step_rates_of(&s, Sd[0], Sdd[0]);
    for (int n = 0; n < 2; n++) s.xi[n][0].a[3] = theta * (1 + eps);
    step_motion_of(&s, &above);
    step_rates_of(&s, Sd[1], Sdd[1]);
    for (int p = 0; p < 12; p++) {
      check_twist(&below.S[p], &above.S[p], 1e-7);  // they differ by 2 eps times slopes of a few
      check_twist(&Sd[0][p], &Sd[1][p], 1e-7);
      check_twist(&Sdd[0][p], &Sdd[1][p], 1e-7);
    }
  }
}

static void parts_are_the_motion_of_the_pose(void** state) {
  (void)state;
  uint64_t seed = 2;
  for (int nodes = 1; nodes <= 3; nodes++) {
    const magnus_step s = random_step(&seed, nodes, 1.5);
    step_motion m;
    step_motion_of(&s, &m);
    for (int p = 0; p < 6 * nodes; p++) {
      spatial sum = spatial_zero();
      for (int k = 1; k <= 3; k++) {
        magnus_step a = s, b = s;
        a.xi[p / 6][0].a[p % 6] -= k * STEP;
        b.xi[p / 6][0].a[p % 6] += k * STEP;
        sum = spatial_axpy(weight[k - 1] / STEP, small_motion(m.g, pose_of(&b)), sum);
        sum = spatial_axpy(-weight[k - 1] / STEP, small_motion(m.g, pose_of(&a)), sum);
      }
      check_twist(&m.S[p], &sum, 1e-9);
    }
  }
}

static void twist_and_acceleration_follow_the_strains(void** state) {
  (void)state;
  uint64_t seed = 3;
  for (int nodes = 1; nodes <= 3; nodes++) {
    const magnus_step s = random_step(&seed, nodes, 1.2);
    step_motion m;
    step_motion_of(&s, &m);
    spatial V = spatial_zero(), A = spatial_zero();
    for (int p = 0; p < 6 * nodes; p++) V = spatial_axpy(s.xi[p / 6][1].a[p % 6], m.S[p], V);
    check_twist(&m.V, &V, 1e-13);
    for (int k = 1; k <= 3; k++) {
      const magnus_step a = moved(&s, -k * STEP), b = moved(&s, k * STEP);
      step_motion ma, mb;
      step_motion_of(&a, &ma);
      step_motion_of(&b, &mb);
      A = spatial_axpy(weight[k - 1] / STEP, spatial_sub(mb.V, ma.V), A);
    }
    check_twist(&m.A, &A, 1e-9);
  }
}

static void rates_of_the_parts_are_their_differences(void** state) {
  (void)state;
  uint64_t seed = 4;
  for (int nodes = 1; nodes <= 3; nodes++) {
    const magnus_step s = random_step(&seed, nodes, 1.2);
    spatial Sd[MAGNUS_PARTS], Sdd[MAGNUS_PARTS];
    spatial D[MAGNUS_PARTS] = {{{0}}}, DD[MAGNUS_PARTS] = {{{0}}};
    step_rates_of(&s, Sd, Sdd);
    for (int k = 1; k <= 3; k++)
      for (int side = -1; side <= 1; side += 2) {
        const magnus_step at = moved(&s, side * k * STEP);
        step_motion m;
        spatial d[MAGNUS_PARTS], unused[MAGNUS_PARTS];
        step_motion_of(&at, &m);
        step_rates_of(&at, d, unused);
        for (int p = 0; p < 6 * nodes; p++) {
          D[p] = spatial_axpy(side * weight[k - 1] / STEP, m.S[p], D[p]);
          DD[p] = spatial_axpy(side * weight[k - 1] / STEP, d[p], DD[p]);
        }
      }
    for (int p = 0; p < 6 * nodes; p++) {
      check_twist(&Sd[p], &D[p], 1e-9);
      check_twist(&Sdd[p], &DD[p], 1e-9);
    }
  }
}

static void curvature_is_the_difference_of_the_parts(void** state) {
  (void)state;
  uint64_t seed = 5;
  for (int nodes = 1; nodes <= 3; nodes++) {
    const magnus_step s = random_step(&seed, nodes, 1.2);
    spatial F;
    for (int i = 0; i < 6; i++) F.a[i] = check_random(&seed);
    double N[MAGNUS_PARTS][MAGNUS_PARTS];
    step_curvature_of(&s, &F, N);
    for (int p = 0; p < 6 * nodes; p++) {
      double sum[MAGNUS_PARTS] = {0};
      for (int k = 1; k <= 3; k++)
        for (int side = -1; side <= 1; side += 2) {
          magnus_step at = s;
          step_motion m;
          at.xi[p / 6][0].a[p % 6] += side * k * STEP;
          step_motion_of(&at, &m);
          for (int q = 0; q < 6 * nodes; q++)
            sum[q] += side * weight[k - 1] / STEP * spatial_dot(&F, &m.S[q]);
        }
      for (int q = 0; q < 6 * nodes; q++) CHECK_NEAR(N[p][q], sum[q], 1e-9);
    }
  }
}

// A strain field that varies strongly over the rod.
static spatial field(double s) {
  return spatial_of((vec3){0.2 * sin(3 * s), 0.1 * s, 1 + 0.2 * cos(2 * s)},
                    (vec3){4 * cos(3 * s), 3 * sin(5 * s), 2 + 2 * s * s});
}
static pose rod_end(int nodes, int steps) {
  pose g = pose_identity();
  const double h = 1.0 / steps, *at = td_magnus_nodes(nodes);
  for (int i = 0; i < steps; i++) {
    magnus_step s = {.nodes = nodes, .h = h};
    for (int n = 0; n < nodes; n++) s.xi[n][0] = field((i + at[n]) * h);
    g = pose_mul(g, pose_of(&s));
  }
  return g;
}

static void steps_converge_with_their_order(void** state) {
  (void)state;
  const pose exact = rod_end(3, 1024);  // error near 1e-18 by its order: rounding
  for (int nodes = 1; nodes <= 3; nodes++) {
    const int n = nodes == 3 ? 16 : 64;
    const double coarse = pose_distance(rod_end(nodes, n), exact),
                 fine = pose_distance(rod_end(nodes, 2 * n), exact), slope = log2(coarse / fine);
    printf("order %d: %.2e, %.2e, slope %.2f\n", 2 * nodes, coarse, fine, slope);
    CHECK_NEAR(slope, 2 * nodes, 0.1);  // asymptotic within a few percent there
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(half_steps_of_constant_strain_make_the_whole),
      cmocka_unit_test(small_and_large_angles_meet),
      cmocka_unit_test(parts_are_the_motion_of_the_pose),
      cmocka_unit_test(twist_and_acceleration_follow_the_strains),
      cmocka_unit_test(rates_of_the_parts_are_their_differences),
      cmocka_unit_test(curvature_is_the_difference_of_the_parts),
      cmocka_unit_test(steps_converge_with_their_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
