// The kernels of strain-parametrised rods against the published toolbox's: exponential and its
// tangent, bases, one Magnus step with its derivatives, a cable at a section.
#include "check.h"
#include "elem/basis.h"
#include "elem/cable.h"
#include "math/quadrature.h"
#include "one_step.h"
#include "sorosim.h"

static void put_pose(pose g, double out[12]) {
  memcpy(out, g.R.m, 9 * sizeof(double));
  out[9] = g.p.x;
  out[10] = g.p.y;
  out[11] = g.p.z;
}
static void check_pose(const char* what, pose g, const double* theirs, double tol) {
  double got[12], want[12];
  put_pose(g, got);
  sorosim_relative(theirs, want, want + 9);
  CHECK_REACHED(what, sorosim_error(got, want, 12), tol);
}
// Columns of twists against rows of a matrix of theirs, both in our order.
static void check_columns(const char* what, const spatial* got, const double* want, int n,
                          double tol) {
  double x[6 * MAGNUS_PARTS];
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < n; k++) x[i * n + k] = got[k].a[i];
  CHECK_REACHED(what, sorosim_error(x, want, 6 * n), tol);
}

// ---- exp, T, T' -------------------------------------------------------------------------------

static void exponential_and_its_tangent_are_theirs(void** state) {
  (void)state;
  cJSON* file = sorosim_open("unit_kernels.json");
  if (!file) skip();
  for (int k = 0; k < 5; k++) {
    const cJSON* e = sorosim_item(file, "exp_T_Td", k);
    double *omega = sorosim_numbers(e, "Omega"), *rate = sorosim_numbers(e, "Omega_dot"),
           *g = sorosim_numbers(e, "g"), *T = sorosim_numbers(e, "T"),
           *Td = sorosim_numbers(e, "Tdot"), want[36];
    const double angle = sqrt(omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2]);
    // up to 0.01 rad they cut the series: exp and T behind θ³/24, T' behind θ²/2; a little above,
    // their closed forms lose digits
    const bool cut = angle <= 0.01;
    const double tol = cut ? pow(angle, 3) / 24 + 1e-15 : 1e-12,
                 rate_tol = cut ? angle * angle / 2 + 1e-15 : 1e-10;
    magnus_step step = {.nodes = 1, .h = 1};
    sorosim_twist(omega, step.xi[0][0].a);
    sorosim_twist(rate, step.xi[0][1].a);
    step_motion out;
    spatial rates[MAGNUS_PARTS], unused[MAGNUS_PARTS];
    step_motion_of(&step, &out);
    step_rates_of(&step, rates, unused);
    check_pose("exp", out.g, g, tol);
    sorosim_square(T, want);
    check_columns("T", out.S, want, 6, tol);
    sorosim_square(Td, want);
    check_columns("T'", rates, want, 6, rate_tol);
    free(omega), free(rate), free(g), free(T), free(Td);
  }
  cJSON_Delete(file);
}

// ---- bases ------------------------------------------------------------------------------------

typedef struct named {
  const char *theirs, *ours;
  int order[2], elements;  // of torsion and bending about y
  bool bells;              // ours are divided by their sum
} named;

static void share(double* phi, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += phi[k];
  for (int k = 0; k < n; k++) phi[k] /= sum;
}

static void every_basis_is_theirs(void** state) {
  (void)state;
  static const named list[] = {{"Monomial", "monomial", {3, 2}, 1, false},
                               {"LegendrePolynomial", "legendre", {3, 2}, 1, false},
                               {"Chebychev", "chebyshev", {3, 2}, 1, false},
                               {"Fourier", "fourier", {3, 2}, 1, false},
                               {"Gaussian", "gaussian", {0, 0}, 3, true},
                               {"IMQ", "multiquadric", {0, 0}, 3, true},
                               {"HermiteSpline", "hermite", {0, 0}, 3, false},
                               {"FEM_Linear", "linear", {0, 0}, 3, false},
                               {"FEM_Quadratic", "quadratic", {0, 0}, 3, false},
                               {"FEM_Cubic", "cubic", {0, 0}, 3, false}};
  cJSON* file = sorosim_open("unit_kernels.json");
  if (!file) skip();
  for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
    const cJSON* b = cJSON_GetObjectItem(cJSON_GetObjectItem(file, "bases"), list[k].theirs);
    double *x = sorosim_numbers(b, "X"), *phi = sorosim_numbers(b, "Phi"), worst = 0;
    const basis_kind* kind = td_basis_find(list[k].ours);
    const int columns =
        count_of(cJSON_GetObjectItem(b, "Phi")) / count_of(cJSON_GetObjectItem(b, "X")) / 6;
    for (int i = 0; i < 7; i++)
      for (int d = 0, first = 0; d < 2; d++) {
        double got[64];
        const int n = kind->f->count(list[k].order[d], list[k].elements);
        double* want = phi + (6 * i + d) * columns + first;
        kind->f->values(x[i], list[k].order[d], list[k].elements, got);
        if (list[k].bells) share(want, n);
        worst = fmax(worst, sorosim_error(got, want, n));
        first += n;
      }
    CHECK_REACHED(list[k].theirs, worst, 1e-14);
    free(x), free(phi);
  }
  cJSON_Delete(file);
}

static void nodes_of_quadrature_are_theirs(void** state) {
  (void)state;
  cJSON* file = sorosim_open("unit_kernels.json");
  if (!file) skip();
  for (int n = 1; n <= 10; n++) {
    const cJSON* rule = sorosim_item(file, "gauss", n - 1);
    double *x = sorosim_numbers(rule, "X_with_endpoints"),
           *w = sorosim_numbers(rule, "W_with_endpoints"), gx[10], gw[10];
    td_gauss(n, gx, gw);
    assert_true(sorosim_error(gx, x + 1, n) < 1e-13 && sorosim_error(gw, w + 1, n) < 1e-13);
    free(x), free(w);
  }
  cJSON_Delete(file);
}

// ---- one step ---------------------------------------------------------------------------------

enum { N = 7 };  // coordinates of their step

typedef struct step_data {
  double *q, *qd, *qdd, *phi[2];
  int nodes;
  double h;
} step_data;

// Their step as ours: strains at the nodes, weights of the coordinates in them.
static magnus_step step_of(const step_data* s, double weight[2][6][N]) {
  magnus_step step = {.nodes = s->nodes, .h = s->h};
  for (int n = 0; n < s->nodes; n++)
    for (int i = 0; i < 6; i++) {
      const double* row = s->phi[n] + N * sorosim_axis[i];
      for (int k = 0; k < N; k++) {
        weight[n][i][k] = row[k];
        step.xi[n][0].a[i] += row[k] * s->q[k];
        step.xi[n][1].a[i] += row[k] * s->qd[k];
      }
      if (i == 2) step.xi[n][0].a[i] += 1;
    }
  return step;
}

// Columns of the coordinates from those of the strains at the nodes.
static void gather(const spatial* parts, int nodes, double weight[2][6][N], spatial out[N]) {
  for (int k = 0; k < N; k++) {
    out[k] = spatial_zero();
    for (int n = 0; n < nodes; n++)
      for (int i = 0; i < 6; i++) out[k] = spatial_axpy(weight[n][i][k], parts[6 * n + i], out[k]);
  }
}

// d(S x)/dq from the curvature: component c is its contraction with the unit wrench c.
static void curvature_columns(const magnus_step* step, double weight[2][6][N], const double* x,
                              spatial out[N]) {
  for (int c = 0; c < 6; c++) {
    double K[MAGNUS_PARTS][MAGNUS_PARTS];
    spatial F = spatial_zero();
    F.a[c] = 1;
    step_curvature_of(step, &F, K);
    for (int k = 0; k < N; k++) {
      double sum = 0;
      for (int p = 0; p < 6 * step->nodes; p++)
        for (int q = 0; q < 6 * step->nodes; q++) {
          double y = 0;
          for (int l = 0; l < N; l++) y += weight[q / 6][q % 6][l] * x[l];
          sum += weight[p / 6][p % 6][k] * K[p][q] * y;
        }
      out[k].a[c] = sum;
    }
  }
}

static void check_step(const char* name, int nodes) {
  cJSON* file = sorosim_open("unit_kernels.json");
  if (!file) skip();
  const cJSON* z = cJSON_GetObjectItem(file, name);
  step_data s = {.q = sorosim_numbers(z, "q"),
                 .qd = sorosim_numbers(z, "qd"),
                 .qdd = sorosim_numbers(z, "qdd"),
                 .phi = {sorosim_numbers(z, nodes == 1 ? "Phi_Z" : "Phi_Z1"),
                         sorosim_numbers(z, nodes == 1 ? "Phi_Z" : "Phi_Z2")},
                 .nodes = nodes,
                 .h = sorosim_number(z, "h")};
  double weight[2][6][N], want[6 * N];
  const magnus_step step = step_of(&s, weight);
  step_motion out;
  spatial rates[MAGNUS_PARTS], unused[MAGNUS_PARTS], got[N];
  step_motion_of(&step, &out);
  step_rates_of(&step, rates, unused);
  double *g = sorosim_numbers(z, "g"), *S = sorosim_numbers(z, "S"),
         *rate = sorosim_numbers(z, "Sdot"), *dqd = sorosim_numbers(z, "dS_dq_qd"),
         *dqdd = sorosim_numbers(z, "dS_dq_qdd");
  check_pose("g", out.g, g, 1e-12);
  gather(out.S, nodes, weight, got);
  sorosim_rows(S, N, want);
  check_columns("S", got, want, N, 1e-12);
  gather(rates, nodes, weight, got);
  sorosim_rows(rate, N, want);
  check_columns("S'", got, want, N, 1e-12);
  curvature_columns(&step, weight, s.qd, got);
  sorosim_rows(dqd, N, want);
  check_columns("d(S q')/dq", got, want, N, 1e-12);
  curvature_columns(&step, weight, s.qdd, got);
  sorosim_rows(dqdd, N, want);
  check_columns("d(S q'')/dq", got, want, N, 1e-12);
  free(g), free(S), free(rate), free(dqd), free(dqdd);
  free(s.q), free(s.qd), free(s.qdd), free(s.phi[0]), free(s.phi[1]);
  cJSON_Delete(file);
}

static void a_step_of_order_two_is_theirs(void** state) {
  (void)state;
  check_step("Z2", 1);
}
static void a_step_of_order_four_is_theirs(void** state) {
  (void)state;
  check_step("Z4", 2);
}

// ---- cable ------------------------------------------------------------------------------------

static void a_cable_at_a_section_is_theirs(void** state) {
  (void)state;
  cJSON* file = sorosim_open("unit_kernels.json");
  if (!file) skip();
  const cJSON* c = cJSON_GetObjectItem(file, "cable");
  double *d = sorosim_numbers(c, "d"), *d1 = sorosim_numbers(c, "d_prime"),
         *xi = sorosim_numbers(c, "xi"), *phi = sorosim_numbers(c, "Phi_a"),
         *slope = sorosim_numbers(c, "dPhi_a_u_dxi"), x[6], want[36], got[36];
  const double u = sorosim_number(c, "u"), path[CABLE_PATH] = {d[1], d[2], d1[1], d1[2]};
  sorosim_twist(xi, x);
  x[2] -= 1;
  const cable_section at = cable_at(x, path);
  sorosim_twist(phi, want);
  CHECK_REACHED("cable column", sorosim_error(at.g, want, 6), 1e-14);
  for (int i = 0; i < 6; i++) {
    double dx[6] = {0}, dg[6];
    dx[i] = u;
    cable_change(&at, dx, dg);
    for (int j = 0; j < 6; j++) got[6 * j + i] = dg[j];
  }
  sorosim_square(slope, want);
  CHECK_REACHED("its slope", sorosim_error(got, want, 36), 1e-14);
  free(d), free(d1), free(xi), free(phi), free(slope);
  cJSON_Delete(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exponential_and_its_tangent_are_theirs),
      cmocka_unit_test(every_basis_is_theirs),
      cmocka_unit_test(nodes_of_quadrature_are_theirs),
      cmocka_unit_test(a_step_of_order_two_is_theirs),
      cmocka_unit_test(a_step_of_order_four_is_theirs),
      cmocka_unit_test(a_cable_at_a_section_is_theirs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
