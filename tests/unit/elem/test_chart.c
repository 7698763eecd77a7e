// Charts of rotations: angular velocity and its derivatives against the quaternion itself.
#include "check.h"
#include "elem/chart.h"

static const chart_kind kinds[] = {CHART_QUAT3, CHART_CAYLEY, CHART_TURN};

static vec3 random_vec3(uint64_t* seed, double size) {
  return (vec3){size * check_random(seed), size * check_random(seed), size * check_random(seed)};
}

// Sixth-order central difference of a vector function of a scalar at 0.
typedef vec3 (*path)(double h, const void* with);
static vec3 slope(path f, const void* with) {
  const double h = 2e-3, weight[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
  vec3 sum = {0, 0, 0};
  for (int s = 1; s <= 3; s++)
    sum = vec3_axpy(weight[s - 1] / h, vec3_sub(f(s * h, with), f(-s * h, with)), sum);
  return sum;
}

typedef struct setting {
  chart_kind kind;
  vec3 y, u, x;
  int k;
} setting;

// 2 vec(Q(y)* Q(y + h u)): its slope at h = 0 is the angular velocity
static vec3 turned(double h, const void* with) {
  const setting* s = with;
  const quat q =
      quat_mul(quat_conj(td_chart(s->kind, s->y).Q), td_chart(s->kind, vec3_axpy(h, s->u, s->y)).Q);
  return vec3_scale(2, q.v);
}
static vec3 T_along_k(double h, const void* with) {
  const setting* s = with;
  return mat3_apply(td_chart(s->kind, vec3_axpy(h, vec3_axis(s->k), s->y)).T, s->x);
}
static vec3 Tk_along_u(double h, const void* with) {
  const setting* s = with;
  return mat3_apply(td_chart(s->kind, vec3_axpy(h, s->u, s->y)).Tk[s->k], s->x);
}

static void check_vec3(vec3 got, vec3 want) {
  const double scale = fmax(1, vec3_norm(want));  // differences reach about 1e-12 of the scale
  CHECK_NEAR(got.x / scale, want.x / scale, 1e-9);
  CHECK_NEAR(got.y / scale, want.y / scale, 1e-9);
  CHECK_NEAR(got.z / scale, want.z / scale, 1e-9);
}

static void test_T_gives_the_angular_velocity_and_its_derivatives_are_exact(void** state) {
  (void)state;
  uint64_t seed = 5;
  const double sizes[] = {1e-4, 0.1, 0.5, 0.57};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      for (int trial = 0; trial < 20; trial++) {
        const double grow = kinds[i] == CHART_QUAT3 ? 0.8 : 3;
        setting s = {kinds[i], random_vec3(&seed, grow * sizes[j]), random_vec3(&seed, 1),
                     random_vec3(&seed, 1), 0};
        const chart c = td_chart(s.kind, s.y);
        vec3 second[3];
        check_vec3(mat3_apply(c.T, s.u), slope(turned, &s));
        td_chart_second(s.kind, s.y, s.u, s.x, second);
        for (s.k = 0; s.k < 3; s.k++) {
          check_vec3(mat3_apply(c.Tk[s.k], s.x), slope(T_along_k, &s));
          check_vec3(second[s.k], slope(Tk_along_u, &s));
        }
      }
}

static void test_the_short_forms_agree_with_the_full_ones(void** state) {
  (void)state;
  uint64_t seed = 6;
  const double sizes[] = {1e-6, 0.05, 0.1, 0.5};  // 0.1: fewer terms of the series below
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      for (int trial = 0; trial < 20; trial++) {
        const vec3 y = random_vec3(&seed, sizes[j]), u = random_vec3(&seed, 1);
        const chart c = td_chart(kinds[i], y);
        const chart_frame f = td_chart_frame(kinds[i], y);
        vec3 rate = {0, 0, 0};
        for (int k = 0; k < 3; k++) rate = vec3_axpy(vec3_at(u, k), mat3_apply(c.Tk[k], u), rate);
        check_vec3(td_chart_rate(kinds[i], y, u), rate);
        for (int k = 0; k < 9; k++) CHECK_NEAR(f.T.m[k], c.T.m[k], 1e-15);
        CHECK_NEAR(f.Q.w, c.Q.w, 1e-15);
        check_vec3(f.Q.v, c.Q.v);
      }
}

static void test_series_and_closed_form_of_the_rotation_vector_meet(void** state) {
  (void)state;
  for (double e = -1e-9; e <= 1e-9; e += 2e-9) {
    const chart c = td_chart(CHART_TURN, (vec3){1 + e, 0, 0});
    const chart d = td_chart(CHART_TURN, (vec3){1, 0, 0});
    for (int k = 0; k < 9; k++) CHECK_NEAR(c.T.m[k], d.T.m[k], 1e-8);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_T_gives_the_angular_velocity_and_its_derivatives_are_exact),
      cmocka_unit_test(test_the_short_forms_agree_with_the_full_ones),
      cmocka_unit_test(test_series_and_closed_form_of_the_rotation_vector_meet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
