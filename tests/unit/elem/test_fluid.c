// What a fluid does to a wetted station: drag and added mass, alone and eight at a time.
#include "elem/fluid.h"
#include "moving.h"

static spatial random_spatial(uint64_t* seed, double size) {
  const vec3 t = random_vector(seed, size), r = random_vector(seed, size);
  return spatial_of(t, r);
}
// A Aᵀ + 1: an added mass is symmetric and positive.
static spatial6 random_inertia(uint64_t* seed) {
  double a[36], b[36];
  for (int i = 0; i < 36; i++) a[i] = check_random(seed);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      b[6 * i + j] = i == j;
      for (int k = 0; k < 6; k++) b[6 * i + j] += a[6 * i + k] * a[6 * j + k];
    }
  return spatial6_of(b);
}

// The world's matrix X⁻ᵀ M X⁻¹ of a station that has moved by the twist h X.
static spatial6 moved(const spatial6* M, const spatial* X, double h) {
  const mat3 R = turned_by(vec3_scale(h, spatial_r(X)));
  // the flow of a twist to second order; central differences of first order see no more of it
  const vec3 v = spatial_t(X), w = spatial_r(X);
  const vec3 p = vec3_axpy(h, v, vec3_scale(0.5 * h * h, vec3_cross(w, v)));
  const pose g = {R, p};
  return spatial6_to_world(&g, M);
}

static void test_a_twist_and_a_wrench_keep_their_power_in_every_frame(void** state) {
  (void)state;
  uint64_t seed = 1;
  for (int i = 0; i < 50; i++) {
    const pose g = {turned_by(random_vector(&seed, 3)), random_vector(&seed, 2)};
    const spatial V = random_spatial(&seed, 1), f = random_spatial(&seed, 1);
    const spatial y = spatial_to_local(&g, &V), F = spatial_to_world(&g, &f);
    CHECK_NEAR(spatial_dot(&F, &V), spatial_dot(&f, &y), 1e-13);
    // a matrix from twists to wrenches goes with them
    const spatial6 M = random_inertia(&seed), W = spatial6_to_world(&g, &M);
    const spatial a = spatial6_apply(&W, &V), b = spatial6_apply(&M, &y),
                  c = spatial_to_world(&g, &b);
    for (int k = 0; k < 6; k++) CHECK_NEAR(a.a[k], c.a[k], 1e-12);
  }
}

static void test_drag_is_quadratic_and_the_same_in_all_lanes(void** state) {
  (void)state;
  uint64_t seed = 2;
  octet D[6], y = octet_zero();
  spatial6 single[LANES];
  spatial twist[LANES];
  for (int l = 0; l < LANES; l++) {
    single[l] = random_inertia(&seed);
    twist[l] = random_spatial(&seed, 1);
    for (int i = 0; i < 6; i++) {
      y.c[i][l] = twist[l].a[i];
      for (int j = 0; j < 6; j++) D[j].c[i][l] = single[l].col[j].a[i];
    }
  }
  octet J[6];
  const octet f = drag_each(D, &y);
  drag_slopes_each(D, &y, J);
  for (int l = 0; l < LANES; l++) {
    const spatial one = drag_local(&single[l], &twist[l]), doubled = spatial_scale(2, twist[l]),
                  four = drag_local(&single[l], &doubled);
    for (int i = 0; i < 6; i++) {
      CHECK_NEAR(f.c[i][l], one.a[i], 1e-14);
      CHECK_NEAR(four.a[i], 4 * one.a[i], 1e-13);
    }
    // slopes, by differences of fourth order
    for (int j = 0; j < 6; j++)
      for (int i = 0; i < 6; i++) {
        const double h = 1e-3;
        double slope = 0;
        for (int k = 1; k <= 2; k++)
          for (int side = -1; side <= 1; side += 2) {
            const spatial at = spatial_axpy(side * k * h, spatial_unit(j), twist[l]);
            slope += side * (k == 1 ? 8 : -1) * drag_local(&single[l], &at).a[i] / (12 * h);
          }
        CHECK_NEAR(J[j].c[i][l], slope, 1e-8);
      }
  }
}

// A ball of radius r dragged by -D|v|v feels it at its own place, whatever the frame.
static void test_drag_acts_at_the_station(void** state) {
  (void)state;
  const double isotropic[36] = {[0] = 2, [7] = 2, [14] = 2};
  const spatial6 D = spatial6_of(isotropic);
  const pose g = {turned_by((vec3){0.3, -0.8, 0.5}), {1, 2, 3}};
  const vec3 v = {0.6, 0, -0.8}, w = {0.1, 0.2, 0.3};
  const spatial V = spatial_of(vec3_sub(v, vec3_cross(w, g.p)), w), f = drag_force(&g, &V, &D);
  const spatial want = spatial_force(g.p, vec3_scale(-2, v), (vec3){0, 0, 0});
  for (int k = 0; k < 6; k++) CHECK_NEAR(f.a[k], want.a[k], 1e-14);
}

// A fluid at rest gives no force beyond that of the inertia itself; one that moves with the station
// does: the wrench of M is then that of the fluid's own acceleration alone.
static void test_the_stream_force_vanishes_in_a_fluid_at_rest(void** state) {
  (void)state;
  uint64_t seed = 3;
  for (int i = 0; i < 20; i++) {
    const spatial6 M = random_inertia(&seed);
    const spatial V = random_spatial(&seed, 1), none = spatial_zero(),
                  f = stream_force(&M, &V, &none);
    for (int k = 0; k < 6; k++) CHECK_NEAR(f.a[k], 0, 1e-13);
    // moving with it: V ×* M V is what is saved
    const spatial with = stream_force(&M, &V, &V), MV = spatial6_apply(&M, &V),
                  turned = spatial_cross_force(&V, &MV);
    for (int k = 0; k < 6; k++) CHECK_NEAR(with.a[k], turned.a[k], 1e-13);
  }
}

static void test_changes_of_the_stream_force_agree_with_differences(void** state) {
  (void)state;
  uint64_t seed = 4;
  const double h = 1e-4;  // second order: 1e-8 of third derivatives
  for (int i = 0; i < 20; i++) {
    const spatial6 M = random_inertia(&seed);
    const spatial V = random_spatial(&seed, 1), Vf = random_spatial(&seed, 1),
                  dVf = random_spatial(&seed, 1);
    const station_force s = stream_at(&M, &V, &Vf);
    const spatial df = stream_force_change(&M, &V, &Vf, &dVf);
    const spatial up = spatial_axpy(h, dVf, Vf), down = spatial_axpy(-h, dVf, Vf);
    const spatial a = stream_force(&M, &V, &up), b = stream_force(&M, &V, &down);
    for (int k = 0; k < 6; k++)
      CHECK_NEAR(df.a[k], (a.a[k] - b.a[k]) / (2 * h), 1e-9);  // quadratic: no error but rounding
    for (int j = 0; j < 6; j++) {
      const spatial e = spatial_unit(j), Vup = spatial_axpy(h, e, V),
                    Vdown = spatial_axpy(-h, e, V);
      const spatial fv = stream_force(&M, &Vup, &Vf), gv = stream_force(&M, &Vdown, &Vf);
      const spatial6 Mup = moved(&M, &e, h), Mdown = moved(&M, &e, -h);
      const spatial fx = stream_force(&Mup, &V, &Vf), gx = stream_force(&Mdown, &V, &Vf);
      for (int k = 0; k < 6; k++) {
        CHECK_NEAR(s.Kv.col[j].a[k], (fv.a[k] - gv.a[k]) / (2 * h), 1e-9);
        CHECK_NEAR(s.Kx.col[j].a[k], (fx.a[k] - gx.a[k]) / (2 * h), 1e-6);
      }
    }
  }
}

// B U is the slope of V ×* M V less M (V × U), the rate of M.
static void test_the_rate_matrix_is_the_slope_of_the_wrench_of_an_inertia(void** state) {
  (void)state;
  uint64_t seed = 5;
  for (int i = 0; i < 20; i++) {
    const spatial6 M = random_inertia(&seed);
    const spatial V = random_spatial(&seed, 1), U = random_spatial(&seed, 1);
    const spatial6 B = inertia_rate_matrix(&M, &V);
    const spatial got = spatial6_apply(&B, &U), VU = spatial_cross(&V, &U),
                  MVU = spatial6_apply(&M, &VU);
    // (V + U) ×* M (V + U) and (V - U) ×* M (V - U) differ by twice the linear term
    const spatial p = spatial_add(V, U), n = spatial_sub(V, U), Mp = spatial6_apply(&M, &p),
                  Mn = spatial6_apply(&M, &n);
    const spatial fp = spatial_cross_force(&p, &Mp), fn = spatial_cross_force(&n, &Mn);
    for (int k = 0; k < 6; k++) CHECK_NEAR(got.a[k], (fp.a[k] - fn.a[k]) / 2 - MVU.a[k], 1e-12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_twist_and_a_wrench_keep_their_power_in_every_frame),
      cmocka_unit_test(test_drag_is_quadratic_and_the_same_in_all_lanes),
      cmocka_unit_test(test_drag_acts_at_the_station),
      cmocka_unit_test(test_the_stream_force_vanishes_in_a_fluid_at_rest),
      cmocka_unit_test(test_changes_of_the_stream_force_agree_with_differences),
      cmocka_unit_test(test_the_rate_matrix_is_the_slope_of_the_wrench_of_an_inertia),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
