// Matrix equations against closed forms and the published benchmark examples of continuous-time
// Riccati equations (Benner, Laub, Mehrmann: CAREX, 1995).
#include "math/riccati.h"

#include <float.h>

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
  // rounded to the four digits that are printed, it is what is printed
  for (int i = 0; i < 16; i++) CHECK_NEAR(round(1e4 * X[i]), round(1e4 * printed[i]), 0);
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

// ---- the other published examples: A, B, Q with R = 1 -----------------------------------------

// The largest sum of |terms| that cancel in X G X: what rounding X to doubles does to the defect.
static double cancelled(const double* G, const double* X, int n) {
  double top = 0, left = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0, size = 0;
      for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++) {
          sum += X[i * n + k] * G[k * n + l] * X[l * n + j];
          size += fabs(X[i * n + k] * G[k * n + l] * X[l * n + j]);
        }
      top = fmax(top, size);
      left = fmax(left, fabs(sum));
    }
  return top / left;
}

// |residual| <= 1e-10 as the solver sees it; and written out in the given coordinates, where X has
// been rounded
static void solve_example(const char* name, int n, int m, const double* A, const double* B,
                          const double* Q, double* X) {
  double residual, G[30 * 30], BX[30 * 30];
  square(B, n, m, G);
  assert_int_equal(td_riccati_inputs(A, B, Q, n, m, X, BX, &residual), TD_OK);
  CHECK_REACHED(name, residual, 1e-10);
  CHECK_REACHED(name, defect(A, G, Q, X, n), fmax(1e-10, 4 * DBL_EPSILON * cancelled(G, X, n)));
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0, size = 0;
      for (int k = 0; k < n; k++) {
        sum += B[k * m + i] * X[k * n + j];
        size += fabs(B[k * m + i] * X[k * n + j]);
      }
      CHECK_NEAR(BX[i * n + j], sum, 1e-12 * size);
    }
}

static void check_solution(const double* X, const double* want, int n, double tol) {
  double size = 0;
  for (int i = 0; i < n * n; i++) size = fmax(size, fabs(want[i]));
  CHECK_REACHED("closed form", worst(X, want, n * n) / size, tol);
}

// CAREX 1.4, a binary distillation column [Bhattacharyya et al. 1983]; 1.5, a tubular ammonia
// reactor [Patnaik et al. 1980], Q = 1
static void test_carex_4_and_5_columns_and_reactors(void** state) {
  (void)state;
  const double low[] = {0.522, 0.522, 0.522, 0.922, 0.922, 0.922, 0.922};
  const double diagonal[] = {-0.991, -1.051, -1.118, -1.548, -1.640, -1.721, -1.823, -1.943};
  const double high[] = {0.529, 0.596, 0.596, 0.718, 0.799, 0.901, 1.021};
  const double B[] = {3.84e-3, -2.88e-3, 4.00e-3, -3.04e-3, 37.60e-3, -2.80e-3, 3.08e-3, -2.32e-3,
                      2.36e-3, -3.32e-3, 2.88e-3, -3.82e-3, 3.08e-3,  -4.12e-3, 3.00e-3, -3.96e-3};
  double A[64] = {0}, Q[64] = {0}, X[81];
  for (int i = 0; i < 8; i++) {
    A[9 * i] = diagonal[i];
    Q[9 * i] = i < 4 ? 1 : 0.1;
    if (i < 7) A[9 * i + 1] = high[i], A[9 * i + 8] = low[i];
  }
  Q[4] = Q[32] = Q[21] = Q[42] = 0.5;
  Q[7] = Q[56] = Q[12] = Q[33] = 0.1;
  solve_example("CAREX 1.4 residual", 8, 2, A, B, Q, X);

  // clang-format off
  const double Ar[] = {
      -4.019,  5.12,   0,      0,     -2.082,  0,     0,     0,     0.87,
      -0.346,  0.986,  0,      0,     -2.34,   0,     0,     0,     0.97,
      -7.909,  15.407, -4.069, 0,     -6.45,   0,     0,     0,     2.68,
      -21.816, 35.606, -0.339, -3.87, -17.8,   0,     0,     0,     7.39,
      -60.196, 98.188, -7.907, 0.34,  -53.008, 0,     0,     0,     20.4,
      0,       0,      0,      0,     94,     -147.2, 0,     53.2,  0,
      0,       0,      0,      0,     0,       94,   -147.2, 0,     0,
      0,       0,      0,      0,     0,       12.8,  0,    -31.6,  0,
      0,       0,      0,      0,     12.8,    0,     0,     18.8, -31.6};
  const double Br[] = {0.010, -0.011, -0.151, 0.003, -0.021, 0, 0.009, -0.059, 0, 0.024, -0.162, 0,
                       0.068, -0.445, 0,      0,     0,      0, 0,     0,      0, 0,     0,      0,
                       0,     0,      0};
  // clang-format on
  double one[81] = {0};
  for (int i = 0; i < 9; i++) one[10 * i] = 1;
  solve_example("CAREX 1.5 residual", 9, 3, Ar, Br, one, X);
}

// CAREX 2.2: two inputs whose weights become dependent; R = [1+e 1; 1 1] = L L'
static void test_carex_8_dependent_weights(void** state) {
  (void)state;
  for (int k = 0; k <= 8; k += 2) {
    const double e = pow(10, -k), l = sqrt(1 + e), d = sqrt(e / (1 + e));
    const double A[] = {-0.1, 0, 0, -0.02}, Q[] = {100, 1000, 1000, 1e4};
    const double B[] = {0.1 / l, -0.1 / (l * l) / d, 0.001 / l, (0.01 - 0.001 / (l * l)) / d};
    double X[4];
    solve_example("CAREX 2.2 residual", 2, 2, A, B, Q, X);
  }
}

static void test_carex_9_to_11_closed_forms(void** state) {
  (void)state;
  double X[4];
  for (int k = -6; k <= 6; k += 3) {  // 2.3: |A| small or large beside G and Q
    const double e = pow(10, k), c = sqrt(1 + 2 * e);
    const double A[] = {0, e, 0, 0}, B[] = {0, 1}, Q[] = {1, 0, 0, 1}, want[] = {c / e, 1, 1, c};
    solve_example("CAREX 2.3 residual", 2, 1, A, B, Q, X);
    check_solution(X, want, 2, 1e-12);
  }
  for (int k = 0; k <= 6; k += 2) {  // 2.4: X has eigenvalues a + sqrt(a^2 + e^2), a = 2 + e and e
    const double e = pow(10, -k), x = 2 + e + hypot(2 + e, e), y = e + hypot(e, e);
    const double A[] = {1 + e, 1, 1, 1 + e}, B[] = {1, 0, 0, 1}, Q[] = {e * e, 0, 0, e * e};
    const double want[] = {(x + y) / 2, (x - y) / 2, (x - y) / 2, (x + y) / 2};
    solve_example("CAREX 2.4 residual", 2, 2, A, B, Q, X);
    // rounding of A moves X by eps |A| |X| over twice the slowest pole, which is sqrt(2) e
    check_solution(X, want, 2, 1e-12 + 4 * DBL_EPSILON / e);
  }
  for (int k = 0; k <= 4; k += 2) {  // 2.5: closed-loop poles -e +- i near the axis
    const double e = pow(10, -k), A[] = {3 - e, 1, 4, 2 - e}, B[] = {1, 1};
    const double Q[] = {4 * e - 11, 2 * e - 5, 2 * e - 5, 2 * e - 2}, want[] = {2, 1, 1, 1};
    solve_example("CAREX 2.5 residual", 2, 1, A, B, Q, X);
    check_solution(X, want, 2, 1e-15 / (e * e) + 1e-13);  // condition 1/e^2
  }
}

// CAREX 2.6: A, Q and X share the eigenvectors V = 1 - 2/3 vv', v = (1, 1, 1)
static void test_carex_12_badly_scaled(void** state) {
  (void)state;
  for (int k = 0; k <= 6; k += 3) {
    const double e = pow(10, k), a[] = {e, 2 * e, 3 * e}, q[] = {1 / e, 1, e};
    double A[9] = {0}, Q[9] = {0}, B[9] = {0}, want[9] = {0}, X[9];
    for (int i = 0; i < 3; i++) {
      B[4 * i] = 1 / sqrt(e);
      for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
          const double v = ((r == i) - 2.0 / 3) * ((c == i) - 2.0 / 3);
          A[3 * r + c] += v * a[i];
          Q[3 * r + c] += v * q[i];
          want[3 * r + c] += v * (a[i] * e + sqrt(a[i] * a[i] * e * e + q[i] * e));
        }
    }
    solve_example("CAREX 2.6 residual", 3, 3, A, B, Q, X);
    check_solution(X, want, 3, 1e-12);
  }
}

// CAREX 2.7: a magnetic tape with a fast actuator; 2.8: poles near the axis, both sides; 4.3: a
// chain of integrators, of which x(1, n) = 1 is known
static void test_carex_13_14_and_17(void** state) {
  (void)state;
  double X[21 * 21];
  for (int k = 0; k <= 6; k += 3) {
    const double e = pow(10, -k);
    const double A[] = {0, 0.4,        0,          0,         0, 0, 0.345, 0,
                        0, -0.524 / e, -0.465 / e, 0.262 / e, 0, 0, 0,     -1 / e};
    const double B[] = {0, 0, 0, 1 / e}, Q[16] = {[0] = 1, [10] = 1};
    solve_example("CAREX 2.7 residual", 4, 1, A, B, Q, X);
    const double C[] = {-e, 1, 0, 0, -1, -e, 0, 0, 0, 0, e, 1, 0, 0, -1, e}, F[] = {1, 1, 1, 1};
    double one[16];
    for (int i = 0; i < 16; i++) one[i] = 1;
    solve_example("CAREX 2.8 residual", 4, 1, C, F, one, X);
  }
  enum { n = 21 };
  double A[n * n] = {0}, B[n] = {[n - 1] = 1}, Q[n * n] = {[0] = 1};
  for (int i = 0; i + 1 < n; i++) A[i * n + i + 1] = 1;
  solve_example("CAREX 4.3 (n = 21) residual", n, 1, A, B, Q, X);
  CHECK_NEAR(X[n - 1], 1, 1e-9);
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
// Q = 0 asks for the least effort that stabilises: none where A is stable, poles mirrored where it
// is not (x' = a x + u: X = 2 a), and there is none where a motion is neutral, a floating pair of
// masses here, whose X of rounding alone once passed for a solution.
static void test_nothing_is_weighed(void** state) {
  (void)state;
  const double stable[] = {-1, 5, 0, -2}, G[] = {1, 0, 0, 1}, Q[4] = {0}, a = 3, g = 1, none = 0;
  const double k = 1e4;
  const double A[] = {0, 0, 1, 0, 0, 0, 0, 1, -k, k, -1, 1, k, -k, 1, -1};
  double X[16], residual = 1, G4[16] = {0}, Q4[16] = {0};
  assert_int_equal(td_riccati(stable, G, Q, 2, X, &residual), TD_OK);
  for (int i = 0; i < 4; i++) assert_true(X[i] == 0);
  assert_true(residual == 0);
  assert_int_equal(td_riccati(&a, &g, &none, 1, X, &residual), TD_OK);
  CHECK_NEAR(X[0], 6, 1e-13);
  G4[0] = 1;
  assert_int_equal(td_riccati(A, G4, Q4, 4, X, &residual), TD_E_SINGULAR);
}

// A chain of n integrators of which the first is driven is reached in n stairs, one that is cut in
// the middle up to there; with two inputs stairs are two high.
static void test_reach_of_a_chain(void** state) {
  (void)state;
  enum { N = 60 };
  static double A[N * N], B[2 * N];
  int rank;
  for (int i = 1; i < N; i++) A[i * N + i - 1] = 1 + 0.1 * (i % 3);
  B[0] = 1;
  assert_int_equal(td_reachable(A, B, N, 1, 1e-12, &rank), TD_OK);
  assert_int_equal(rank, N);
  A[40 * N + 39] = 0;
  assert_int_equal(td_reachable(A, B, N, 1, 1e-12, &rank), TD_OK);
  assert_int_equal(rank, 40);
  memset(B, 0, sizeof B);
  B[0] = B[2 * 40 + 1] = 1;
  B[1] = 0.5;
  assert_int_equal(td_reachable(A, B, N, 2, 1e-12, &rank), TD_OK);
  assert_int_equal(rank, N);
}

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
      cmocka_unit_test(test_carex_4_and_5_columns_and_reactors),
      cmocka_unit_test(test_carex_8_dependent_weights),
      cmocka_unit_test(test_carex_9_to_11_closed_forms),
      cmocka_unit_test(test_carex_12_badly_scaled),
      cmocka_unit_test(test_carex_13_14_and_17),
      cmocka_unit_test(test_no_solution_is_said_so),
      cmocka_unit_test(test_nothing_is_weighed),
      cmocka_unit_test(test_reach_of_a_chain),
      cmocka_unit_test(test_lyapunov_of_a_damped_oscillator),
      cmocka_unit_test(test_reach_of_twins_driven_alike),
      cmocka_unit_test(test_exponentials),
      cmocka_unit_test(test_transfer_of_a_second_order_system),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
