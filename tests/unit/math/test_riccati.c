// Matrix equations against closed forms and the published benchmark examples of continuous-time
// Riccati equations (Benner, Laub, Mehrmann: CAREX, 1995).
#include "riccati.h"

#include "check.h"

static double worst(const double* a, const double* b, int n) {
  double top = 0;
  for (int i = 0; i < n; i++) top = fmax(top, fabs(a[i] - b[i]));
  return top;
}

// G = B B'
static void square(const double* B, int n, int m, double* G) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      G[i * n + j] = 0;
      for (int k = 0; k < m; k++) G[i * n + j] += B[i * m + k] * B[j * m + k];
    }
}

// |A'X + X A - X G X + Q| / largest term, written out
static double defect(const double* A, const double* G, const double* Q, const double* X, int n) {
  double top = 0, size = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double linear = 0, quadratic = 0;
      for (int k = 0; k < n; k++) {
        linear += A[k * n + i] * X[k * n + j] + X[i * n + k] * A[k * n + j];
        for (int l = 0; l < n; l++) quadratic += X[i * n + k] * G[k * n + l] * X[l * n + j];
      }
      top = fmax(top, fabs(linear - quadratic + Q[i * n + j]));
      size = fmax(size, fmax(fabs(linear), fmax(fabs(quadratic), fabs(Q[i * n + j]))));
    }
  return top / size;
}

static void test_carex_1_double_integrator(void** state) {
  (void)state;
  const double A[] = {0, 1, 0, 0}, G[] = {0, 0, 0, 1}, Q[] = {1, 0, 0, 2}, want[] = {2, 1, 1, 2};
  double X[4], residual;
  assert_int_equal(td_riccati(A, G, Q, 2, X, &residual), TD_OK);
  CHECK_REACHED("CAREX 1.1 solution", worst(X, want, 4), 1e-13);
  CHECK_REACHED("CAREX 1.1 residual", residual, 1e-14);
}

static void test_carex_2_unobservable_stable_mode(void** state) {
  (void)state;
  const double A[] = {4, 3, -4.5, -3.5}, G[] = {1, -1, -1, 1}, Q[] = {9, 6, 6, 4};
  const double s = 1 + sqrt(2), want[] = {9 * s, 6 * s, 6 * s, 4 * s};
  double X[4], residual;
  assert_int_equal(td_riccati(A, G, Q, 2, X, &residual), TD_OK);
  CHECK_REACHED("CAREX 1.2 solution", worst(X, want, 4), 1e-11);
}

// The lateral motion of an airliner, data and solution (four digits) as printed.
static void test_carex_3_aircraft(void** state) {
  (void)state;
  const double A[] = {0, 1,      0,     0,    0,     -1.89,   0.39,  -5.53,
                      0, -0.034, -2.98, 2.43, 0.034, -0.0011, -0.99, -0.21};
  const double B[] = {0, 0, 0.36, -1.6, -0.95, -0.032, 0.03, 0};
  const double Q[] = {2.313, 2.727, 0.688, 0.023, 2.727, 4.271, 1.148, 0.323,
                      0.688, 1.148, 0.313, 0.102, 0.023, 0.323, 0.102, 0.083};
  const double printed[] = {1.3239, 0.9015, 0.5466, -1.7672, 0.9015,  0.9607,  0.4334,  -1.1989,
                            0.5466, 0.4334, 0.4605, -1.3633, -1.7672, -1.1989, -1.3633, 4.4612};
  double G[16], X[16], residual;
  square(B, 4, 2, G);
  assert_int_equal(td_riccati(A, G, Q, 4, X, &residual), TD_OK);
  CHECK_REACHED("CAREX 1.3 residual", defect(A, G, Q, X, 4), 1e-13);
  CHECK_REACHED("CAREX 1.3 printed solution", worst(X, printed, 16), 6e-5);
}

// A nearly unreachable unstable mode: the condition grows like 1/eps^2.
static void test_carex_7_weakly_reachable(void** state) {
  (void)state;
  for (int k = 0; k <= 4; k++) {
    const double e = pow(10, -k), r = sqrt(1 + e * e), p = 2 + r;
    const double A[] = {1, 0, 0, -2}, G[] = {e * e, 0, 0, 0}, Q[] = {1, 1, 1, 1};
    const double want[] = {(1 + r) / (e * e), 1 / p, 1 / p, (1 - e * e / (p * p)) / 4};
    double X[4];
    assert_int_equal(td_riccati(A, G, Q, 2, X, NULL), TD_OK);
    for (int i = 0; i < 4; i++) CHECK_NEAR(X[i] / want[i], 1, 1e-10);
  }
}

// Circulant A = A': X = A + sqrt(A^2 + 1), with the eigenvectors of the discrete Fourier transform.
static void test_carex_16_circulant(void** state) {
  (void)state;
  enum { n = 64 };
  static double A[n * n], one[n * n], X[n * n];
  const double pi = acos(-1.0);
  for (int i = 0; i < n; i++) {
    A[i * n + i] = -2, one[i * n + i] = 1;
    A[i * n + (i + 1) % n] = A[((i + 1) % n) * n + i] = 1;
  }
  double residual;
  assert_int_equal(td_riccati(A, one, one, n, X, &residual), TD_OK);
  double top = 0;
  for (int d = 0; d < n; d++) {
    double want = 0;
    for (int k = 0; k < n; k++) {
      const double w = -2 + 2 * cos(2 * pi * k / n);
      want += (w + sqrt(w * w + 1)) * cos(2 * pi * k * d / n) / n;
    }
    for (int i = 0; i < n; i++) top = fmax(top, fabs(X[i * n + (i + d) % n] - want));
  }
  CHECK_REACHED("CAREX 4.2 (n = 64) solution", top, 1e-12);
  CHECK_REACHED("CAREX 4.2 (n = 64) residual", residual, 1e-13);
}

// Vehicles on a string (CAREX 4.1): only the residual is known.
static void test_carex_15_string_of_vehicles(void** state) {
  (void)state;
  enum { N = 20, n = 2 * N - 1 };
  static double A[n * n], G[n * n], Q[n * n], X[n * n];
  for (int i = 0; i < n; i += 2) {
    A[i * n + i] = -1, G[i * n + i] = 1;
    if (i + 1 < n) A[(i + 1) * n + i] = 1, A[(i + 1) * n + i + 2] = -1, Q[(i + 1) * n + i + 1] = 10;
  }
  double residual;
  assert_int_equal(td_riccati(A, G, Q, n, X, &residual), TD_OK);
  CHECK_REACHED("CAREX 4.1 (N = 20) residual", defect(A, G, Q, X, n), 1e-12);
}

static void test_no_solution_is_said_so(void** state) {
  (void)state;
  double X[4];
  const double A[] = {1, 0, 0, -1}, G[] = {0, 0, 0, 1},
               Q[] = {1, 0, 0, 1};  // unstable, out of reach
  assert_int_equal(td_riccati(A, G, Q, 2, X, NULL), TD_E_SINGULAR);
  const double bad[] = {NAN, 0, 0, 1};
  assert_int_equal(td_riccati(bad, G, Q, 2, X, NULL), TD_E_DIVERGED);
  const double swing[] = {0, 1, -1, 0}, zero[4] = {0};
  assert_int_equal(td_lyapunov(swing, Q, 2, X), TD_E_SINGULAR);
  assert_int_equal(td_riccati(swing, zero, zero, 2, X, NULL), TD_E_SINGULAR);
}

// X = int exp(A't) Q exp(At) dt of an oscillator: known elementary integrals through its energy.
static void test_lyapunov_of_a_damped_oscillator(void** state) {
  (void)state;
  const double w = 3, d = 0.4;  // x'' + 2 d x' + w^2 x = 0
  const double A[] = {0, 1, -w * w, -2 * d}, Q[] = {1, 0, 0, 0};
  double X[4];
  assert_int_equal(td_lyapunov(A, Q, 2, X), TD_OK);
  const double want[] = {d / (w * w) + 1 / (4 * d), 1 / (2 * w * w), 1 / (2 * w * w),
                         1 / (4 * d * w * w)};
  CHECK_REACHED("Lyapunov, oscillator", worst(X, want, 4), 1e-14);
}

// Two copies of a system driven alike: only their sum can be reached, whatever the coordinates.
static void test_reach_of_twins_driven_alike(void** state) {
  (void)state;
  const double A[] = {0, 1, 0, 0, -4, 0, 0, 0, 0, 0, 0, 1, 0, 0, -4, 0};
  const double together[] = {0, 1, 0, 1}, apart[] = {0, 0, 1, 0, 0, 0, 0, 1};
  int rank;
  assert_int_equal(td_reachable(A, together, 4, 1, 1e-12, &rank), TD_OK);
  assert_int_equal(rank, 2);
  assert_int_equal(td_reachable(A, apart, 4, 2, 1e-12, &rank), TD_OK);
  assert_int_equal(rank, 4);

  uint64_t seed = 5;
  double T[16], S[16], I[16] = {0}, AT[16], TB[4];
  int pivot[4];
  for (int i = 0; i < 16; i++) T[i] = check_random(&seed) + (i % 5 == 0 ? 2 : 0), I[i] = i % 5 == 0;
  memcpy(S, T, sizeof S);
  assert_int_equal(td_lu(S, 4, pivot), 0);
  td_lu_solve(S, pivot, 4, I, 4);  // T^-1
  td_mul(A, T, 4, 4, 4, S);
  td_mul(I, S, 4, 4, 4, AT);
  td_mul(I, together, 4, 4, 1, TB);
  assert_int_equal(td_reachable(AT, TB, 4, 1, 1e-12, &rank), TD_OK);
  assert_int_equal(rank, 2);
}

static void test_transfer_of_a_second_order_system(void** state) {
  (void)state;
  const double A[] = {0, 1, -9, -0.6}, B[] = {0, 2}, C[] = {1, 0, 0, 1}, D[] = {0.5, 0};
  for (double w = 0.1; w < 50; w *= 1.7) {
    double G[4];
    assert_int_equal(td_transfer(A, B, C, D, 2, 1, 2, w, G), TD_OK);
    const double a = 9 - w * w, b = 0.6 * w, d = a * a + b * b;
    CHECK_NEAR(G[0], 0.5 + 2 * a / d, 1e-13);
    CHECK_NEAR(G[1], -2 * b / d, 1e-13);
    CHECK_NEAR(G[2], 2 * b * w / d, 1e-13);  // the rate is i w times the position
    CHECK_NEAR(G[3], 2 * a * w / d, 1e-13);
  }
}

// exp of a rotation, of a nilpotent matrix, and exp(A) exp(-A) = 1
static void test_exponentials(void** state) {
  (void)state;
  const double turn[] = {0, -3, 3, 0}, chain[] = {0, 2, 0, 0, 0, 2, 0, 0, 0};
  double E[9], F[9], P[9], A[9], B[9];
  assert_int_equal(td_expm(turn, 2, E), TD_OK);
  CHECK_NEAR(E[0], cos(3), 1e-14);
  CHECK_NEAR(E[2], sin(3), 1e-14);
  assert_int_equal(td_expm(chain, 3, E), TD_OK);
  CHECK_NEAR(E[2], 2, 1e-14);
  uint64_t seed = 2;
  for (int i = 0; i < 9; i++) A[i] = 3 * check_random(&seed), B[i] = -A[i];
  assert_int_equal(td_expm(A, 3, E), TD_OK);
  assert_int_equal(td_expm(B, 3, F), TD_OK);
  td_mul(E, F, 3, 3, 3, P);
  for (int i = 0; i < 9; i++) CHECK_NEAR(P[i], i % 4 == 0, 1e-11);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_carex_1_double_integrator),
      cmocka_unit_test(test_carex_2_unobservable_stable_mode),
      cmocka_unit_test(test_carex_3_aircraft),
      cmocka_unit_test(test_carex_7_weakly_reachable),
      cmocka_unit_test(test_carex_16_circulant),
      cmocka_unit_test(test_carex_15_string_of_vehicles),
      cmocka_unit_test(test_no_solution_is_said_so),
      cmocka_unit_test(test_lyapunov_of_a_damped_oscillator),
      cmocka_unit_test(test_reach_of_twins_driven_alike),
      cmocka_unit_test(test_exponentials),
      cmocka_unit_test(test_transfer_of_a_second_order_system),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
