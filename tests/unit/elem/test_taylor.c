// Numbers that move and change: algebra of their series, moving frames, strains and lengths of
// cables.
#include "elem/cable.h"
#include "elem/polyrod.h"
#include "elem/segment.h"
#include "elem/taylor.h"
#include "moving.h"

// x(t, ε) = Σ c_ij t^i ε^j with i <= 2, j <= 1 as a series, and its value away from 0.
typedef struct poly {
  double c[3][2];
} poly;
static taylor series(const poly* p) {
  return (taylor){p->c[0][0], p->c[1][0], 2 * p->c[2][0], p->c[0][1], p->c[1][1], 2 * p->c[2][1]};
}
static double value(const poly* p, double t, double e) {
  double sum = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++) sum += p->c[i][j] * pow(t, i) * pow(e, j);
  return sum;
}
static poly random_poly(uint64_t* seed) {
  poly p;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++) p.c[i][j] = check_random(seed);
  p.c[0][0] += 3;  // away from 0, for roots and inverses
  return p;
}

// A function of two such numbers, by series and by value.
typedef struct formula {
  taylor (*series)(taylor a, taylor b);
  double (*value)(double a, double b);
} formula;
static taylor product(taylor a, taylor b) { return taylor_mul(a, b); }
static double product_value(double a, double b) { return a * b; }
static taylor root(taylor a, taylor b) { return taylor_sqrt(taylor_add(a, taylor_mul(b, b))); }
static double root_value(double a, double b) { return sqrt(a + b * b); }
static taylor quotient(taylor a, taylor b) { return taylor_mul(a, taylor_inverse(b)); }
static double quotient_value(double a, double b) { return a / b; }
static const formula formulas[] = {
    {product, product_value}, {root, root_value}, {quotient, quotient_value}};

typedef struct setting {
  const formula* f;
  poly a, b;
  double at;  // the other variable
} setting;
static double over_t(double t, const void* with) {
  const setting* s = with;
  return s->f->value(value(&s->a, t, s->at), value(&s->b, t, s->at));
}
static double over_e(double e, const void* with) {
  const setting* s = with;
  return s->f->value(value(&s->a, s->at, e), value(&s->b, s->at, e));
}
static double rate_over_e(double e, const void* with) {
  setting s = *(const setting*)with;
  s.at = e;
  return slope_of(over_t, &s);
}
static double acceleration_over_e(double e, const void* with) {
  setting s = *(const setting*)with;
  s.at = e;
  return curvature_of(over_t, &s);
}

static void test_algebra_agrees_with_differences(void** state) {
  (void)state;
  uint64_t seed = 1;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 30; i++) {
      const setting s = {&formulas[k], random_poly(&seed), random_poly(&seed), 0};
      const taylor x = s.f->series(series(&s.a), series(&s.b));
      CHECK_NEAR(x.x, over_t(0, &s), 1e-15);
      CHECK_NEAR(x.d, slope_of(over_t, &s), 1e-10);
      CHECK_NEAR(x.dd, curvature_of(over_t, &s), 1e-8);
      CHECK_NEAR(x.e, slope_of(over_e, &s), 1e-10);
      CHECK_NEAR(x.ed, slope_of(rate_over_e, &s), 1e-8);
      CHECK_NEAR(x.edd, slope_of(acceleration_over_e, &s), 1e-5);  // rounding of 1e-16/h³
    }
}

// Strains of a piece as series are those of td_segment and of its change.
static void test_strains_of_pieces_agree_with_their_own_formulas(void** state) {
  (void)state;
  uint64_t seed = 2;
  for (int i = 0; i < 50; i++) {
    const double length = 0.7;
    moving ma = random_moving(&seed, 2), mb = random_moving(&seed, 2);
    mb.R = mat3_mul(ma.R, turned_by(random_vector(&seed, i % 2 ? 0.01 : 1)));
    const frame a = moving_frame(&ma, 0), b = moving_frame(&mb, 0);
    const frame_change da = moving_change(&ma), db = moving_change(&mb);
    const taylor_frame ta = td_taylor_frame(&a, &da), tb = td_taylor_frame(&b, &db);
    taylor x[6];
    td_taylor_segment(&ta, &tb, length, x);
    const segment s = td_segment(&a, &b);
    const segment_change d = td_segment_change(&s, &da, &db);
    for (int k = 0; k < 6; k++) {
      CHECK_NEAR(x[k].x, s.x[k] / length - (k == 2), 1e-12);
      CHECK_NEAR(x[k].d, s.u[k] / length, 1e-12);
      CHECK_NEAR(x[k].e, d.x[k] / length, 1e-12);
      CHECK_NEAR(x[k].ed, d.u[k] / length, 1e-11);
    }
  }
}

static void test_strains_of_polynomial_poses_agree_with_their_own_formulas(void** state) {
  (void)state;
  uint64_t seed = 3;
  for (int i = 0; i < 50; i++) {
    vec3 z[3], zd[3], dz[3], dzd[3];
    const double sizes[3] = {1, 0.4, 1};
    taylor3 t[3];
    const vec3 none = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
      z[k] = random_vector(&seed, sizes[k]), zd[k] = random_vector(&seed, 1);
      dz[k] = random_vector(&seed, 1), dzd[k] = random_vector(&seed, 1);
      t[k] = taylor3_of(z[k], zd[k], none, dz[k], dzd[k], none);
    }
    const polyrod r = td_polyrod(z[0], z[1], z[2], zd[0], zd[1], zd[2]);
    const polyrod_vector d = {dz[0], dz[1], dz[2]}, dd = {dzd[0], dzd[1], dzd[2]};
    double dx[6], du[6];
    taylor x[6];
    td_polyrod_change(&r, &d, &dd, dx, du);
    td_taylor_polyrod(t[0], t[1], t[2], x);
    for (int k = 0; k < 6; k++) {
      CHECK_NEAR(x[k].x, r.strain[k], 1e-13);
      CHECK_NEAR(x[k].d, r.rate[k], 1e-12);
      CHECK_NEAR(x[k].e, dx[k], 1e-12);
      CHECK_NEAR(x[k].ed, du[k], 1e-11);
    }
  }
}

static void test_lengths_of_cables_agree_with_their_sections(void** state) {
  (void)state;
  uint64_t seed = 4;
  for (int i = 0; i < 50; i++) {
    const bool joint = i % 2;
    double x[6], u[6], path[CABLE_PATH], dg[6], rate = 0, second = 0;
    taylor t[6], at[CABLE_PATH];
    for (int k = 0; k < 6; k++) {
      x[k] = 0.3 * check_random(&seed), u[k] = check_random(&seed),
      path[k] = 0.3 * check_random(&seed);
      at[k] = taylor_const(path[k]);
      t[k] = (taylor){.x = x[k], .d = u[k], .e = u[k]};
    }
    const cable_section c = cable_through(joint, x, path);
    cable_change(&c, u, dg);
    for (int k = 0; k < 6; k++) rate += c.g[k] * u[k], second += dg[k] * u[k];
    const taylor l = td_taylor_cable(joint, t, at);
    CHECK_NEAR(l.x, c.l, 1e-14);
    CHECK_NEAR(l.d, rate, 1e-13);
    CHECK_NEAR(l.dd, second, 1e-12);
    CHECK_NEAR(l.e, rate, 1e-13);
    CHECK_NEAR(l.ed, second, 1e-12);
  }
}

static void test_the_root_of_nothing_does_not_change(void** state) {
  (void)state;
  const taylor x = taylor_sqrt((taylor){.x = 0, .d = 1, .e = 1});
  CHECK_NEAR(x.x, 0, 0);
  CHECK_NEAR(x.d, 0, 0);
  CHECK_NEAR(x.e, 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_algebra_agrees_with_differences),
      cmocka_unit_test(test_strains_of_pieces_agree_with_their_own_formulas),
      cmocka_unit_test(test_strains_of_polynomial_poses_agree_with_their_own_formulas),
      cmocka_unit_test(test_lengths_of_cables_agree_with_their_sections),
      cmocka_unit_test(test_the_root_of_nothing_does_not_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
