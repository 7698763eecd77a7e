// Soft contact: force law and its derivatives, and balls against curves.
#include "elem/contact.h"
#include "moving.h"

static contact_law random_law(uint64_t* seed, bool approach) {
  contact_law l = {.k = 50, .d = 0.3, .e = 1.5, .mu = 0.4, .slip = 0.01, .approach = approach};
  l.e = check_random(seed) > 0 ? 1 : 1.5;
  return l;
}

// ---- law --------------------------------------------------------------------------------------

typedef struct law_setting {
  contact_law l;
  double depth, ddepth, w;
  vec3 n, turn, v, dv;
  int k;
} law_setting;
static double N_of_depth(double h, const void* with) {
  const law_setting* s = with;
  return contact_normal_at(&s->l, s->depth + h, s->w).N;
}
static double N_of_speed(double h, const void* with) {
  const law_setting* s = with;
  return contact_normal_at(&s->l, s->depth, s->w + h).N;
}
static double energy_of_depth(double h, const void* with) {
  const law_setting* s = with;
  return contact_normal_at(&s->l, s->depth + h, s->w).energy;
}
static double force_along(double h, const void* with) {
  const law_setting* s = with;
  const vec3 n = mat3_apply(turned_by(vec3_scale(h, s->turn)), s->n);
  return vec3_at(contact_force_at(&s->l, s->depth + h * s->ddepth, n, vec3_axpy(h, s->dv, s->v)).F,
                 s->k);
}

static void test_the_law_has_exact_slopes_and_a_potential(void** state) {
  (void)state;
  uint64_t seed = 2;
  for (int i = 0; i < 100; i++) {
    law_setting s = {.l = random_law(&seed, i % 2), .depth = 0.5 + 0.2 * check_random(&seed)};
    s.w = copysign(0.7 + 0.5 * check_random(&seed), check_random(&seed));
    const contact_normal c = contact_normal_at(&s.l, s.depth, s.w);
    CHECK_NEAR(c.dd, slope_of(N_of_depth, &s), 1e-9);
    CHECK_NEAR(c.dw, slope_of(N_of_speed, &s), 1e-9);
    CHECK_NEAR(c.elastic, slope_of(energy_of_depth, &s), 1e-9);
    s.ddepth = check_random(&seed);
    s.n = mat3_col(turned_by(random_vector(&seed, 2)), 0);
    s.turn = random_vector(&seed, 1);
    s.v = vec3_axpy(-s.w, s.n, vec3_cross(s.n, random_vector(&seed, 2)));
    s.dv = random_vector(&seed, 1);
    const contact_force f = contact_force_at(&s.l, s.depth, s.n, s.v);
    const vec3 dF = contact_force_change(&s.l, &f, s.ddepth, vec3_cross(s.turn, s.n), s.dv);
    for (s.k = 0; s.k < 3; s.k++) CHECK_NEAR(vec3_at(dF, s.k), slope_of(force_along, &s), 1e-6);
  }
}

static void test_contact_never_pulls_and_friction_never_drives(void** state) {
  (void)state;
  uint64_t seed = 3;
  for (int i = 0; i < 1000; i++) {
    const contact_law l = random_law(&seed, i % 2);
    const vec3 n = mat3_col(turned_by(random_vector(&seed, 3)), 1), v = random_vector(&seed, 10);
    const contact_force c = contact_force_at(&l, check_random(&seed), n, v);
    assert_true(c.normal.N >= 0);
    assert_true(vec3_dot(c.F, c.slip) <= 0);
    const vec3 along = vec3_axpy(-vec3_dot(c.F, n), n, c.F);
    assert_true(vec3_norm(along) <= l.mu * c.normal.N * (1 + 1e-12));  // Coulomb's cone
  }
}

// ---- a ball of a station against something fixed ------------------------------------------------

typedef struct ball {
  contact_law l;
  const shape_ops* shape;
  fixed_shape on;
  vec3 x;
  spatial V, dX, dV;
  int k;
} ball;
static station_force ball_at(const ball* s, double h) {
  // the twist h dX moves the ball; V changes by h dV in all
  const vec3 v = spatial_t(&s->dX), w = spatial_r(&s->dX);
  const vec3 moved = vec3_axpy(h, vec3_add(v, vec3_cross(w, s->x)), s->x);
  const contact_touch t = s->shape->touch(&s->on, moved, 0.3);
  const spatial V = spatial_axpy(h, s->dV, s->V);
  return contact_at(&s->l, &t, moved, 0.3, &V);
}
static double ball_along(double h, const void* with) {
  return ball_at(with, h).f.a[((const ball*)with)->k];
}

static void test_matrices_of_a_ball_agree_with_differences(void** state) {
  (void)state;
  uint64_t seed = 4;
  for (int kind = 0; kind < SHAPE_KINDS; kind++)
    for (int i = 0; i < 20; i++) {
      ball s = {.l = random_law(&seed, i % 2), .shape = td_shapes[kind].ops, .x = {0.4, 0.1, 0.2}};
      s.on.point = random_vector(&seed, 0.1);
      s.on.u = mat3_col(turned_by(random_vector(&seed, 0.3)), 2);
      s.on.radius = 0.5;
      s.V = spatial_of(random_vector(&seed, 1), random_vector(&seed, 1));
      const contact_touch t = s.shape->touch(&s.on, s.x, 0.3);
      const vec3 p = vec3_axpy(-0.3, t.n, s.x);
      if (!(t.depth > 0.1) || fabs(vec3_dot(t.n, contact_velocity(&s.V, p))) < 0.1)
        continue;  // beside the corners
      s.dX = spatial_of(random_vector(&seed, 1), random_vector(&seed, 1));
      s.dV = spatial_of(random_vector(&seed, 1), random_vector(&seed, 1));
      const station_force f = ball_at(&s, 0);
      const spatial a = spatial6_apply(&f.Kx, &s.dX), b = spatial6_apply(&f.Kv, &s.dV);
      // the flow of the twist and its straight line differ in second order only
      for (s.k = 0; s.k < 6; s.k++) CHECK_NEAR(a.a[s.k] + b.a[s.k], slope_of(ball_along, &s), 1e-5);
    }
}

// ---- curves -----------------------------------------------------------------------------------

// Shares of a straight line between two balls, as a cubic.
static const double straight[8] = {1, -1, 0, 0, 0, 1, 0, 0};

static void test_a_straight_curve_is_a_tapered_capsule(void** state) {
  (void)state;
  const contact_ball ends[2] = {{.x = {0, 0, 0}, .r = 0.2}, {.x = {0, 0, 2}, .r = 0.1}};
  const contact_curve curve = {2, straight};
  const contact_line line = contact_line_of(curve, ends);
  bool inside;
  // beside its middle: nearest to the cone's surface, whose sine of the half angle is (0.2 - 0.1)/2
  const double t = contact_nearest(&line, (vec3){1, 0, 1}, &inside);
  assert_true(inside);
  const double lean = 0.05,
               up = 1 - lean / sqrt(1 - lean * lean);  // foot of the normal of the cone
  CHECK_NEAR(2 * t, up, 1e-12);
  // beyond its ends: the ends
  CHECK_NEAR(contact_nearest(&line, (vec3){0.1, 0, 3}, &inside), 1, 0);
  assert_false(inside);
  CHECK_NEAR(contact_nearest(&line, (vec3){0.1, 0, -3}, &inside), 0, 0);
  assert_false(inside);
  // the box holds the surface
  CHECK_NEAR(line.lo.z, -0.2, 1e-15);
  CHECK_NEAR(line.hi.z, 2.2, 1e-15);
}

typedef struct touch_pair {
  contact_ball a, b[4], da, db[4];
  double c[16];
  contact_law l;
  int k;
} touch_pair;
static contact_pair pair_along(const touch_pair* s, double h) {
  contact_ball b[4];
  contact_pair p = {.a = s->a, .law = s->l, .a_share = {1}, .arm = ARM_SURFACE};
  p.a.x = vec3_axpy(h, s->da.x, s->a.x), p.a.v = vec3_axpy(h, s->da.v, s->a.v),
  p.a.w = vec3_axpy(h, s->da.w, s->a.w);
  for (int j = 0; j < 4; j++) {
    b[j] = s->b[j];
    b[j].x = vec3_axpy(h, s->db[j].x, b[j].x);
    b[j].v = vec3_axpy(h, s->db[j].v, b[j].v);
    b[j].w = vec3_axpy(h, s->db[j].w, b[j].w);
  }
  const contact_curve curve = {4, s->c};
  const contact_line line = contact_line_of(curve, b);
  bool inside;
  const double t = contact_nearest(&line, p.a.x, &inside);
  contact_pair_at(&p, curve, &line, b, t, inside);
  return p;
}
static double pair_number(const contact_pair* p, int k) {
  return vec3_at(k < 3 ? p->c.F : p->p, k % 3);
}
static double pair_force_along(double h, const void* with) {
  const contact_pair p = pair_along(with, h);
  return pair_number(&p, ((const touch_pair*)with)->k);
}
static contact_ball random_change(uint64_t* seed) {
  return (contact_ball){random_vector(seed, 0.2), random_vector(seed, 1), random_vector(seed, 1),
                        0};
}

// A ball that rests on a curved rod: force and place follow it as it slides along.
static void test_a_ball_slides_along_a_curve_with_exact_changes(void** state) {
  (void)state;
  uint64_t seed = 5;
  // Bernstein's polynomials: the balls are the control points
  static const double bernstein[16] = {1, -3, 3, -1, 0, 3, -6, 3, 0, 0, 3, -3, 0, 0, 0, 1};
  for (int i = 0; i < 40; i++) {
    touch_pair s = {.l = random_law(&seed, false)};
    memcpy(s.c, bernstein, sizeof s.c);
    for (int j = 0; j < 4; j++) {
      s.b[j] = (contact_ball){.x = {0.1 * check_random(&seed), 0.1 * check_random(&seed), j},
                              .r = 0.3 + 0.02 * j};
      s.b[j].v = random_vector(&seed, 1), s.b[j].w = random_vector(&seed, 1);
      s.db[j] = random_change(&seed);
    }
    s.a = (contact_ball){{0.6, 0.05, 1.5 + 0.3 * check_random(&seed)},
                         random_vector(&seed, 1),
                         random_vector(&seed, 1),
                         0.4};
    s.da = random_change(&seed);
    const contact_pair p = pair_along(&s, 0);
    assert_true(p.depth > 0);
    const contact_object_change still = {.depth = 0};
    const contact_pair_change d = contact_pair_change_at(&p, 1, &s.da, 4, s.db, 0, 0, still);
    for (s.k = 0; s.k < 6; s.k++)
      CHECK_NEAR(vec3_at(s.k < 3 ? d.F : d.p, s.k % 3), slope_of(pair_force_along, &s), 1e-5);
    // action and reaction: the wrenches on all balls balance
    spatial sum = contact_pair_wrench(&p, p.a.x, p.a.x, 1);
    for (int j = 0; j < 4; j++)
      sum = spatial_sub(sum, contact_pair_wrench(&p, p.b.x, s.b[j].x, p.share[j]));
    for (int k = 0; k < 6; k++) CHECK_NEAR(sum.a[k], 0, 1e-11);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_law_has_exact_slopes_and_a_potential),
      cmocka_unit_test(test_contact_never_pulls_and_friction_never_drives),
      cmocka_unit_test(test_matrices_of_a_ball_agree_with_differences),
      cmocka_unit_test(test_a_straight_curve_is_a_tapered_capsule),
      cmocka_unit_test(test_a_ball_slides_along_a_curve_with_exact_changes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
