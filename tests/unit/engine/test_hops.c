// The tables of hops and sensors: every kind answers everything, and rates of coordinates are the
// derivatives of displacements.
#include "check.h"
#include "engine/hop.h"
#include "engine/sensor_table.h"

static void every_kind_answers_everything(void** state) {
  (void)state;
  for (int k = 0; k < HOP_KINDS; k++) {
    const hop_ops* ops = td_hop_table[k];
    assert_true(ops->place && ops->columns && ops->own && ops->rate && ops->displace);
  }
  for (int k = 0; k < SENSOR_KIND_COUNT; k++) {
    const sensor_ops* ops = td_sensor_ops[k];
    assert_true(ops->value && ops->diff && ops->accel_diff && ops->motion && ops->visit);
  }
}

// q(h) = displaced by h v:  (q(h) - q(-h)) / 2h = N(q) v, up to h² / 24 of third derivatives, which
// are below 1 for the speeds here, and rounding / h.
static void rates_are_derivatives_of_displacements(void** state) {
  (void)state;
  const double h = 1e-5;
  uint64_t seed = 3;
  for (int k = 0; k < HOP_KINDS; k++)
    for (int trial = 0; trial < 20; trial++) {
      const int nv = td_hop_traits[k].quaternion ? td_hop_traits[k].axes : 1;
      const int nq = td_hop_traits[k].quaternion ? nv + 1 : 1;
      double q[4], v[3], dv[3], rate[4], side[2][4], size = 0;
      for (int i = 0; i < nq; i++) q[i] = check_random(&seed);
      for (int i = 0; i < nv; i++) v[i] = check_random(&seed);
      for (int i = 0; i < nq; i++) size += q[i] * q[i];
      for (int i = 0; i < nq; i++) q[i] /= td_hop_traits[k].quaternion ? sqrt(size) : 1;
      td_hop_table[k]->rate(q, v, rate);
      for (int s = 0; s < 2; s++) {
        for (int i = 0; i < nv; i++) dv[i] = (s == 0 ? h : -h) * v[i];
        for (int i = 0; i < nq; i++) side[s][i] = q[i];
        td_hop_table[k]->displace(side[s], dv);
      }
      for (int i = 0; i < nq; i++) CHECK_NEAR(rate[i], (side[0][i] - side[1][i]) / (2 * h), 1e-9);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_kind_answers_everything),
                                     cmocka_unit_test(rates_are_derivatives_of_displacements)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
