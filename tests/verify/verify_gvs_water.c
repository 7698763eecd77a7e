// Strain-parametrised rods in water against the published toolbox's own numbers: the octopus arm
// with both bases and the underwater robot, swimming and in contact.
#include "gvs_rig.h"

// ---- the octopus arm --------------------------------------------------------------------------

static td_spec* arm_spec(const char* basis) {
  td_spec* spec = td_spec_new();
  td_spec_override(spec, "basis", basis);
  td_spec_load_file(spec, TEST_SOURCE_DIR "/models/octopus_arm.m");
  return spec;
}

static bool without(const char* name) {
  FILE* f = sorosim_file(name);
  if (f) fclose(f);
  return !f;
}

static void check_arm(rig* r) {
  for (int k = 0; k < 3; k++) {
    const cJSON* s = sorosim_item(r->file, "states", k);
    put_state(r, s);
    check_mass(r, s);
    check_acceleration(r, s, "qdd");
  }
}

static void octopus_arm_of_elements(void** state) {
  (void)state;
  static const int functions[6] = {0, 31, 0, 0, 0, 0};
  if (without("octopus_fem.json")) skip();
  rig r = rig_new("octopus_fem.json", arm_spec("cubic"));
  map_part(&r.map, 0, functions, 0.2);
  check_arm(&r);
  rig_free(&r);
}

// Their integrals: the trapezoid rule of 101 points, without stiffness, moment, buoyancy and drag
// at both ends; the tip's share of the weight is left.
static void octopus_arm_of_a_travelling_bell(void** state) {
  (void)state;
  if (without("octopus_dependent_corrected.json")) skip();
  td_spec* spec = arm_spec("dependent");
  td_spec_load_string(spec, "trapezoid",
                      "w = 0.01*ones(1, 101); w(1) = 0.005; w(101) = 0.005;\n"
                      "rod(1).points = [0:0.01:1; w];\n"
                      "inside = ifelse(s < L - 1e-9, 1, 1e-30);\n"
                      "rod(1).E = E*inside;\n"
                      "rod(1).fluid.drag = inside*[1.1 1.1 0]; rod(1).fluid.lift = -0.1*inside;\n"
                      "exload(1).exbody = at(rod(1), L);\n"
                      "exload(1).ftau = [0 0 -9.81*1000*pi*0.001^2*0.005*L];\n");
  rig r = rig_new("octopus_dependent_corrected.json", spec);
  for (int i = 0; i < 6; i++) map_add(&r.map, i, 1);
  check_arm(&r);
  rig_free(&r);
}

// ---- the underwater robot ---------------------------------------------------------------------

enum { SWIMMER = 58, FREE = 6, SHAFTS = 4 };

// C = A B, 6 x 6
static void product(const double A[36], const double B[36], double C[36]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      C[6 * i + j] = 0;
      for (int k = 0; k < 6; k++) C[6 * i + j] += A[6 * i + k] * B[6 * k + j];
    }
}

// Matrices of a twist x = [a b] in their order: a~ and ad = [a~ 0; b~ a~].
static void tilde(const double a[3], double* M, int stride) {
  M[1] = -a[2], M[2] = a[1], M[stride] = a[2];
  M[stride + 2] = -a[0], M[2 * stride] = -a[1], M[2 * stride + 1] = a[0];
}
static void adjoint(const double x[6], double ad[36]) {
  memset(ad, 0, 36 * sizeof(double));
  tilde(x, ad, 6);
  tilde(x + 3, ad + 18, 6);
  tilde(x, ad + 21, 6);
}

// R and p of exp x, by its series: ad of a translation is a rotation's generator with a column.
static void exponential(const double x[6], double R[9], double p[3]) {
  double term[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, sum[12];  // rows [R p] of 3 x 4
  double hat[16] = {0};
  tilde(x, hat, 4);
  for (int i = 0; i < 3; i++) hat[4 * i + 3] = x[3 + i];
  memcpy(sum, term, sizeof sum);
  for (int n = 1; n < 40; n++) {
    double next[12] = {0};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 4; j++)
        for (int k = 0; k < 4; k++) next[4 * i + j] += term[4 * i + k] * hat[4 * k + j] / n;
    memcpy(term, next, sizeof term);
    for (int i = 0; i < 12; i++) sum[i] += term[i];
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) R[3 * i + j] = sum[4 * i + j];
    p[i] = sum[4 * i + 3];
  }
}

// Our velocities of a free joint, [world velocity, body angular velocity], are Q times the rates of
// their coordinates x of it: the body twist is T(-x) x',  T = Σ ad^k/(k+1)!
static void free_joint(const double x[6], double Q[36]) {
  double ad[36], term[36] = {0}, T[36], R[9], p[3];
  adjoint(x, ad);
  for (int i = 0; i < 6; i++) term[7 * i] = 1;
  memcpy(T, term, sizeof T);
  for (int n = 1; n < 40; n++) {
    double next[36];
    product(term, ad, next);
    for (int i = 0; i < 36; i++) T[i] += term[i] = -next[i] / (n + 1);
  }
  exponential(x, R, p);
  for (int j = 0; j < 6; j++)
    for (int i = 0; i < 3; i++) {
      Q[6 * i + j] = 0;
      for (int k = 0; k < 3; k++) Q[6 * i + j] += R[3 * i + k] * T[6 * (3 + k) + j];
      Q[6 * (3 + i) + j] = T[6 * i + j];
    }
}

static void quaternion(const double R[9], double Q[4]) {
  Q[0] = sqrt(1 + R[0] + R[4] + R[8]) / 2;
  Q[1] = (R[7] - R[5]) / (4 * Q[0]);
  Q[2] = (R[2] - R[6]) / (4 * Q[0]);
  Q[3] = (R[3] - R[1]) / (4 * Q[0]);
}

static void cross(const double a[3], const double b[3], double c[3]) {
  for (int i = 0; i < 3; i++)
    c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static rig swimmer_new(void) {
  static const int functions[6] = {4, 4, 4, 0, 0, 0};
  td_spec* spec = td_spec_new();
  td_spec_override(spec, "basis", "linear");
  td_spec_load_file(spec, TEST_SOURCE_DIR "/models/underwater_robot.m");
  rig r = rig_new("uw_fem.json", spec);
  for (int i = 0; i < FREE + SHAFTS; i++) map_add(&r.map, i, 1);
  for (int k = 0; k < 4; k++) map_part(&r.map, FREE + SHAFTS + 12 * k, functions, 0.3);
  return r;
}

// Our state; Q of the free joint and what it adds to accelerations, Q' x'.
static void put_swimmer(rig* r, const cJSON* s, double Q[36], double bias[6]) {
  double *q = sorosim_numbers(s, "q_in"), *qd = sorosim_numbers(s, "qd_out"), R[9], p[3];
  td_state* to = r->b.state;
  double moved[SWIMMER], rate[SWIMMER];
  map_motion(&r->map, q, moved);
  map_motion(&r->map, qd, rate);
  to->t = sorosim_number(s, "t");
  exponential(q, R, p);
  memcpy(to->q, p, sizeof p);
  quaternion(R, to->q + 3);
  memcpy(to->q + 7, moved + 6, (SWIMMER - 6) * sizeof(double));
  memcpy(to->v, rate, SWIMMER * sizeof(double));
  free_joint(q, Q);
  for (int i = 0; i < 6; i++) {
    to->v[i] = bias[i] = 0;
    for (int j = 0; j < 6; j++) to->v[i] += Q[6 * i + j] * qd[j];
  }
  // differences of sixth order
  static const double weight[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
  const double h = 0.02;
  for (int k = 0; k < 6; k++) {
    const double step = (k % 3 + 1) * (k < 3 ? h : -h);
    double x[6], near[36];
    for (int j = 0; j < 6; j++) x[j] = q[j] + step * qd[j];
    free_joint(x, near);
    for (int i = 0; i < 36; i++)
      bias[i / 6] += (k < 3 ? 1 : -1) * weight[k % 3] * near[i] * qd[i % 6] / h;
  }
  // up to 0.01 rad they cut T' behind ad/2, without (ad' ad + ad ad')/6
  if (fabs(q[0]) + fabs(q[1]) + fabs(q[2]) <= 0.01) {
    double inner[3], cut[3];
    cross(q + 3, qd, inner);
    cross(qd, inner, cut);
    for (int i = 0; i < 3; i++) bias[i] -= cut[i] / 6;
  }
  free(q), free(qd);
}

// M of theirs is S' M S with S = [Q 0; 0 scale].
static void check_swimmer_mass(rig* r, const cJSON* s, const double Q[36]) {
  double *M = sorosim_numbers(s, "M"), *half = r->y, *got = r->z;
  td_mass_matrix(r->b.model, r->b.state, r->b.work, r->x);
  for (int i = 0; i < SWIMMER; i++)
    for (int j = 0; j < SWIMMER; j++) {
      double sum = 0;
      for (int k = 0; j < 6 && k < 6; k++) sum += r->x[i * SWIMMER + k] * Q[6 * k + j];
      half[i * SWIMMER + j] = j < 6 ? sum : r->x[i * SWIMMER + j] * r->map.scale[j];
    }
  for (int i = 0; i < SWIMMER; i++)
    for (int j = 0; j < SWIMMER; j++) {
      double sum = 0;
      for (int k = 0; i < 6 && k < 6; k++) sum += Q[6 * k + i] * half[k * SWIMMER + j];
      got[r->map.at[i] * SWIMMER + r->map.at[j]] =
          i < 6 ? sum : half[i * SWIMMER + j] * r->map.scale[i];
    }
  reached("M", got, M, SWIMMER * SWIMMER);
  free(M);
}

// What a tension of 1 N does to the coordinates (their order, ours: κ) of a gripping filament, from
// the curvatures times `factor`.
static void grip_column(const cJSON* link, const double q[12], double factor, double out[12]) {
  const cJSON* division = sorosim_item(link, "divisions", 0);
  double *x = sorosim_numbers(division, "Xs"), *w = sorosim_numbers(division, "Ws");
  const int n = count_of(cJSON_GetObjectItem(division, "Xs"));
  memset(out, 0, 12 * sizeof(double));
  for (int k = 0; k < n; k++) {
    const int e = x[k] * 3 < 2 ? (int)(x[k] * 3) : 2;
    const double at = x[k] * 3 - e, left = 1 - 2.8 * 0.3 * x[k], phi[2] = {1 - at, at};
    const double d[3] = {0, 0, -0.01 * pow(left, 2.5)};
    double kappa[3], t[3], moment[3];
    for (int i = 0; i < 3; i++)
      kappa[i] = factor * (phi[0] * q[4 * i + e] + phi[1] * q[4 * i + e + 1]) / 0.3;
    cross(kappa, d, t);
    t[0] += 1;
    t[2] += 0.07 * pow(left, 1.5);
    const double size = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    cross(d, t, moment);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 2; j++) out[4 * i + e + j] -= 0.3 * w[k] * phi[j] * moment[i] / size;
  }
  free(x), free(w);
}

// Their cable of this robot passes the section with curvatures times the length, 0.3 of the true
// ones: what that changes of the generalised forces, theirs less ours.
static void grip_difference(rig* r, const cJSON* s, double* out) {
  cJSON* model = sorosim_open("models/uw_fem.json");
  const cJSON* robot = cJSON_GetObjectItem(model, "links") ? model : model->child;
  double *q = sorosim_numbers(s, "q_in"), *u = sorosim_numbers(s, "u"), theirs[SWIMMER] = {0};
  for (int link = 10; link < 12; link++) {
    const int first = FREE + SHAFTS + 12 * (link - 9);
    double used[12], right[12];
    grip_column(sorosim_item(robot, "links", link), q + first, 0.3, used);
    grip_column(sorosim_item(robot, "links", link), q + first, 1, right);
    for (int i = 0; i < 12; i++) theirs[first + i] = -u[4] * (used[i] - right[i]);
  }
  for (int i = 0; i < SWIMMER; i++) out[i] = theirs[r->map.at[i]];
  free(q), free(u);
  cJSON_Delete(model);
}

// Forces that are left at their accelerations, relative to the largest inertia force.  Motors hold
// the shafts.
static double imbalance(rig* r, const cJSON* s, const double* a) {
  double F[SWIMMER], zero[SWIMMER] = {0}, more[SWIMMER], worst = 0, size = 0;
  grip_difference(r, s, more);
  td_residual(r->b.model, r->b.state, r->b.work, a, zero, F);
  td_mass_matrix(r->b.model, r->b.state, r->b.work, r->x);
  for (int i = 0; i < SWIMMER; i++) {
    double inertia = 0;
    if (i >= FREE && i < FREE + SHAFTS) continue;
    for (int j = 0; j < SWIMMER; j++) inertia += r->x[i * SWIMMER + j] * a[j];
    size = fmax(size, fabs(inertia));
    worst = fmax(worst, fabs(F[i] - more[i]));
  }
  return worst / size;
}

static void underwater_robot_states(void** state) {
  (void)state;
  if (without("uw_fem.json")) skip();
  rig r = swimmer_new();
  assert_int_equal(r.n, SWIMMER);
  for (int k = 0; k < 4; k++) {
    const cJSON* s = sorosim_item(r.file, "states", k);
    double Q[36], want[SWIMMER], *qdd = sorosim_numbers(s, "qdd");
    put_swimmer(&r, s, Q, want);
    check_swimmer_mass(&r, s, Q);
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) want[i] += Q[6 * i + j] * qdd[j];
    for (int i = 6; i < SWIMMER; i++) want[i] = r.map.scale[i] * qdd[r.map.at[i]];
    CHECK_REACHED("forces at their accelerations", imbalance(&r, s, want), tolerance);
    assert_int_equal(td_forward_dynamics(r.b.model, r.b.state, r.b.work), TD_OK);
    if (sorosim_number(s, "t") < 14)  // no tension yet
      reached("accelerations", td_work_vdot(r.b.work), want, SWIMMER);
    free(qdd);
  }
  rig_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(octopus_arm_of_elements),
      cmocka_unit_test(octopus_arm_of_a_travelling_bell),
      cmocka_unit_test(underwater_robot_states),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
