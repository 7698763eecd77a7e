// Drag of a fluid on the edge of a mesh: closed forms, power, changes.
#include "elem/edge_drag.h"
#include "moving.h"

typedef struct edge {
  moving a, b;
  mat3 G;  // gradient of the stream
  vec3 stream;
  int gauss, k;
} edge;

static edge_drag at(const edge* s, double e) {
  const frame a = moving_frame(&s->a, e), b = moving_frame(&s->b, e);
  vec3 stream[2];
  for (int i = 0; i < 2; i++)
    stream[i] = vec3_add(s->stream, mat3_apply(s->G, between(edge_gauss[i], a.p, b.p)));
  edge_drag d = edge_drag_at(&a, &b, stream, 0.7, 0.2);
  d.varies = true;
  d.G[0] = d.G[1] = s->G;
  return d;
}
static double force_along(double e, const void* with) {
  const edge* s = with;
  return vec3_at(at(s, e).f[s->gauss], s->k);
}

static void test_changes_agree_with_differences(void** state) {
  (void)state;
  uint64_t seed = 1;
  for (int i = 0; i < 50; i++) {
    edge s = {.a = random_moving(&seed, 1), .b = random_moving(&seed, 1), .stream = {3, 0, 0}};
    for (int k = 0; k < 9; k++) s.G.m[k] = 0.3 * check_random(&seed);
    s.b.p[0] = vec3_add(s.b.p[0], (vec3){0, 3, 0});
    const edge_drag d = at(&s, 0);
    const frame_change da = moving_change(&s.a), db = moving_change(&s.b);
    vec3 df[2];
    edge_drag_change(&d, &da, &db, df);
    for (s.gauss = 0; s.gauss < 2; s.gauss++)
      for (s.k = 0; s.k < 3; s.k++)
        CHECK_NEAR(vec3_at(df[s.gauss], s.k), slope_of(force_along, &s), 1e-8);
  }
}

// Towed across and along itself an edge has the drag D |v| v of each.
static void test_drag_across_and_along_is_that_of_the_coefficients(void** state) {
  (void)state;
  const vec3 still[2] = {{0, 0, 0}, {0, 0, 0}}, across = {2, 0, 0}, along = {0, 0, -2};
  for (int i = 0; i < 2; i++) {
    const frame a = {.v = i ? along : across}, b = {.p = {0, 0, 1.5}, .v = i ? along : across};
    const edge_drag d = edge_drag_at(&a, &b, still, 0.7, 0.2);
    vec3 on_a, on_b;
    edge_shares(d.f, &on_a, &on_b);
    const vec3 sum = vec3_add(on_a, on_b),
               want = vec3_scale(-2 * (i ? 0.2 : 0.7), i ? along : across);
    CHECK_NEAR(vec3_norm(vec3_sub(sum, want)), 0, 1e-14);
    CHECK_NEAR(vec3_norm(vec3_sub(on_a, on_b)), 0, 1e-14);  // half at each node
  }
}

// The nodes get the power of the forces at the Gauss points, which a fluid at rest always takes.
static void test_drag_takes_energy_out(void** state) {
  (void)state;
  uint64_t seed = 2;
  const vec3 still[2] = {{0, 0, 0}, {0, 0, 0}};
  for (int i = 0; i < 100; i++) {
    const moving ma = random_moving(&seed, 1), mb = random_moving(&seed, 1);
    const frame a = moving_frame(&ma, 0), b = moving_frame(&mb, 0);
    const edge_drag d = edge_drag_at(&a, &b, still, 0.7, 0.2);
    vec3 on_a, on_b;
    edge_shares(d.f, &on_a, &on_b);
    const double nodes = vec3_dot(on_a, a.v) + vec3_dot(on_b, b.v),
                 points = vec3_dot(d.f[0], d.v[0]) + vec3_dot(d.f[1], d.v[1]);
    CHECK_NEAR(nodes, points, 1e-14);
    assert_true(nodes <= 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_changes_agree_with_differences),
      cmocka_unit_test(test_drag_across_and_along_is_that_of_the_coefficients),
      cmocka_unit_test(test_drag_takes_energy_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
