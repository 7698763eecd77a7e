// Nets and what is around them: edges in a fluid and nodes that touch, against closed forms and an
// independent assembly; and what the models flag.m and lattice_block.m promise.
#include "bench.h"
#include "tendril/tools.h"

static bench open_text(const char* format, ...) {
  char text[4000];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return bench_new(text);
}

// A file of models/, with up to three overrides: names and values in turn.
static bench open_file(const char* file, const char* const set[6]) {
  char path[512];
  td_spec* spec = td_spec_new();
  for (int i = 0; i < 6 && set[i]; i += 2) td_spec_override(spec, set[i], set[i + 1]);
  snprintf(path, sizeof path, "%s/models/%s", TEST_SOURCE_DIR, file);
  td_spec_load_file(spec, path);
  return bench_of(spec);
}

static void equilibrium(bench* b) {
  const td_equil_options options = td_equil_options_default();
  td_equil_result result;
  assert_int_equal(td_equilibrium(b->model, b->work, b->state, &options, &result), TD_OK);
  assert_true(result.converged);
}

static td_trajectory* simulate(bench* b, double t_final, double rtol) {
  td_sim_options options = td_sim_options_default();
  options.t_final = t_final;
  options.rtol = rtol;
  options.atol = 1e-3 * rtol;
  td_trajectory* path;
  assert_int_equal(td_simulate(b->model, b->work, b->state, &options, &path), TD_OK);
  return path;
}

// Positions of the nodes of the first mesh.
static double* node_places(bench* b, td_mesh* mesh) {
  assert_true(td_model_mesh_about(b->model, 0, mesh));
  double* x = calloc((size_t)mesh->nnode * 3, sizeof(double));
  td_station_positions(b->model, b->state, b->work, mesh->station, mesh->nnode, x);
  return x;
}

static const double* row_sensor(const bench* b, const td_trajectory* path, int row,
                                const char* name) {
  const int s = td_model_sensor_find(b->model, name);
  if (s < 0) fail_msg("no sensor %s", name);
  return td_trajectory_sensors(path, row) + s;
}

// ---- in a fluid -------------------------------------------------------------------------------

// A flat net that falls broadside, the mass of each node that of its half cords:
//
//   m v' = (m - m_d) g - D v²,   v = v_t tanh(t √(D (m - m_d) g)/m)
static void test_a_net_falls_with_its_terminal_velocity(void** state) {
  (void)state;
  static const char* const matrices[2] = {"dense", "sparse"};
  for (int k = 0; k < 2; k++) {
    bench b = open_text(
        "n = 4; a = .05; w = 3e-3; lambda0 = 1.5*1000*pi/4*w^2; world.g = [0 0 -9.81];\n"
        "fluid.rho = 1000; m = zeros(n*n, 1);\n"
        "for j = 1:n, for i = 1:n\n"
        "  m(i + n*(j-1)) = lambda0*a/2*((i > 1) + (i < n) + (j > 1) + (j < n));\n"
        "end, end\n"
        "mesh.grid = [n n]; mesh.size = (n-1)*a*[1 1]; mesh.fixed = 'none'; mesh.body.m = m;\n"
        "mesh.joint(2).spring.coeff = 50; mesh.fluid.width = w; mesh.fluid.drag = [1.2 .3];\n"
        "sensor(1).name = 'v'; sensor(1).value = [vel(mesh(1), 1) vel(mesh(1), 6)];\n"
        "par.linear = '%s';\n",
        matrices[k]);
    const double pi = 3.14159265358979323846, w = 3e-3, length = 24 * 0.05, rho = 1000, g = 9.81;
    const double displaced = rho * pi / 4 * w * w * length, m = 1.5 * displaced;
    const double D = 0.5 * rho * w * length * 1.2;
    const double terminal = sqrt((m - displaced) * g / D), rate = sqrt(D * (m - displaced) * g) / m;
    td_trajectory* path = simulate(&b, 0.2, 1e-9);
    double error = 0;
    for (int i = 0; i < td_trajectory_rows(path); i++) {
      const double* v = row_sensor(&b, path, i, "v_1");
      const double want = -terminal * tanh(rate * td_trajectory_time(path, i));
      error = fmax(error, fmax(fabs(v[2] - want), fabs(v[5] - want)));
      error = fmax(error, fmax(fabs(v[0]), fabs(v[4])));  // and it stays flat
    }
    CHECK_REACHED("falling net", error / terminal, 1e-7);
    td_trajectory_free(path);
    bench_free(&b);
  }
}

// A strip that hangs in a steady wind is straight: weight and drag across it balance everywhere at
//
//   tan θ = ½ ρ w C V² / (λ g)     for a cord whose drag is |V| (C_n v_n + C_t v_t)
static void test_a_strip_hangs_aslant_in_the_wind(void** state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    const double wind = 4 * (k + 1), n = 12, l = 0.05, w = 5e-3, lambda = 0.02;
    bench b = open_text(
        "n = %g; l = %g; world.g = [0 0 -9.81]; fluid.rho = 1.2; fluid.velocity = [%g 0 0];\n"
        "mesh.node = [zeros(n+1, 2) -l*(0:n)']; mesh.edge = [(1:n)' (2:n+1)']; mesh.fixed = 1;\n"
        "m = %.17g*l*ones(n+1, 1); m(n+1) = m(n+1)/2; mesh.body.m = m;\n"
        "mesh.joint(2).spring.coeff = 1e5; mesh.fluid.width = %g; mesh.fluid.drag = [1.1 .2];\n",
        n, l, wind, lambda, w);
    const double pi = 3.14159265358979323846, weight = (lambda - 1.2 * pi / 4 * w * w) * 9.81;
    const double want = atan(0.5 * 1.2 * w * 1.1 * wind * wind / weight);
    equilibrium(&b);
    td_mesh mesh;
    double *x = node_places(&b, &mesh), error = 0;
    for (int i = 1; i < mesh.nnode; i++)
      error = fmax(error, fabs(atan2(x[3 * i], -x[3 * i + 2]) - want));
    char name[64];
    snprintf(name, sizeof name, "strip at %g m/s: angle %.1f deg", wind, want * 180 / pi);
    CHECK_REACHED(name, error, 1e-9);
    free(x);
    bench_free(&b);
  }
}

// Largest force left at a free knot of the flag, from where its knots are: springs, drag and weight
// by their formulas and a loop of its own.
static double flag_residual(const bench* b, const td_mesh* mesh, const double* x, double wind) {
  const double pi = 3.14159265358979323846, a = 0.06, g = 9.81;
  double *F = calloc((size_t)mesh->nnode * 3, sizeof(double)), worst = 0;
  for (int e = 0; e < mesh->nedge; e++) {
    int end[2];
    assert_true(td_model_force_ends(b->model, mesh->force + e, end));
    double *P = F + 3 * (end[0] - mesh->station), *Q = F + 3 * (end[1] - mesh->station);
    const double *p = x + (P - F), *q = x + (Q - F);
    double n[3], L = 0;
    for (int c = 0; c < 3; c++) L = hypot(L, n[c] = q[c] - p[c]);
    const double along = wind * n[0] / L, half = 0.25 * 1.2 * 4e-3 * a * wind;
    for (int c = 0; c < 3; c++) {
      const double pull = 100 * fmax(0, L - a) * n[c] / L, t = along * n[c] / L;
      const double drag = half * (1.1 * ((c == 0) * wind - t) + 0.05 * t);
      const double weight = c == 2 ? (12e-3 - 1.2 * pi / 4 * 16e-6) * a / 2 * g : 0;
      P[c] += drag + pull - weight;
      Q[c] += drag - pull - weight;
    }
  }
  for (int i = 0; i < 3 * mesh->nnode; i++)
    if (i / 3 % 9 > 0) worst = fmax(worst, fabs(F[i]));
  free(F);
  return worst;
}

static void test_the_flag_flies_as_it_says(void** state) {
  (void)state;
  static const struct {
    const char* wind;
    double sag;
  } rows[2] = {{"6", 0.38}, {"12", 0.14}};
  for (int k = 0; k < 2; k++) {
    bench b = open_file("flag.m", (const char* const[6]){"wind", rows[k].wind});
    equilibrium(&b);
    td_mesh mesh;
    double* x = node_places(&b, &mesh);
    assert_int_equal(mesh.nnode, 54);
    CHECK_REACHED("flag: force left", flag_residual(&b, &mesh, x, atof(rows[k].wind)), 1e-9);
    CHECK_NEAR(-x[3 * 8 + 2], rows[k].sag, 0.005);
    for (int i = 0; i < mesh.nnode; i++) assert_true(fabs(x[3 * i + 1]) < 1e-9);
    free(x);
    bench_free(&b);
  }
}

// The flag swings after the wind, with a delay.
static void test_the_flag_follows_the_wind(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();
  bench b = open_file("flag.m", (const char* const[6]){"nx", "5"});
  equilibrium(&b);
  td_trajectory* path = simulate(&b, 2.4, 1e-4);
  double widest = 0, late = 0;
  for (int i = 0; i < td_trajectory_rows(path); i++) {
    const double t = td_trajectory_time(path, i), y = row_sensor(&b, path, i, "low_x")[1];
    if (t < 1) assert_true(fabs(y) < 1e-6);
    if (fabs(y) <= widest) continue;
    widest = fabs(y);
    late = t;
  }
  assert_true(widest > 0.02);
  assert_true(late > 1.5 && late < 2.2);  // the wind is farthest out at t = 1.5 s
  td_trajectory_free(path);
  bench_free(&b);
}

// ---- touching ---------------------------------------------------------------------------------

// A net that lies on a floor and slides:  v = v0 - μ g t, to the order of (slip/v)².
static void test_a_net_slides_with_coulomb_friction(void** state) {
  (void)state;
  bench b = open_text(
      "k = 1e3; m = .01; g = 9.81; world.g = [0 0 -g];\n"
      "mesh.grid = [4 3]; mesh.size = [.3 .2]; mesh.fixed = 'none'; mesh.body.m = m;\n"
      "mesh.tr.trans = [0 0 -m*g/k]; mesh.joint(1).dof(1).rate = 1; mesh.joint(1).dof(2).rate = "
      "-.5;"
      "\nmesh.joint(2).spring.coeff = 20; contact(1).first = mesh(1); contact(1).second = "
      "'plane';\n"
      "contact(1).stiffness = k; contact(1).friction = .3; contact(1).slip = 1e-4;\n"
      "sensor(1).name = 'v'; sensor(1).value = [vel(mesh(1), 1) vel(mesh(1), 7)];\n");
  td_trajectory* path = simulate(&b, 0.2, 1e-9);
  const double v0 = hypot(1, 0.5);
  double error = 0;
  for (int i = 0; i < td_trajectory_rows(path); i++) {
    const double* v = row_sensor(&b, path, i, "v_1");
    const double want = (v0 - 0.3 * 9.81 * td_trajectory_time(path, i)) / v0;
    error = fmax(error, fmax(fabs(v[0] - want), fabs(v[1] + 0.5 * want)));
    error = fmax(error, fmax(fabs(v[3] - want), fabs(v[2])));
  }
  CHECK_REACHED("sliding net", error, 1e-7);
  td_trajectory_free(path);
  bench_free(&b);
}

// A block bounces off a floor that takes nothing: energy is kept, momentum along the floor too.
static void test_a_bounce_keeps_energy_and_momentum(void** state) {
  (void)state;
  bench b = open_text(
      "world.g = [0 0 -9.81]; mesh.grid = [3 3 3]; mesh.size = .04*[1 1 1]; mesh.fixed = 'none';\n"
      "mesh.body.m = 2e-3; mesh.tr(1).trans = [0 0 .02]; mesh.tr(2).rot = [2 .2];\n"
      "mesh.joint(1).dof(1).rate = .3; mesh.joint(2).spring.coeff = 300;\n"
      "mesh.joint(3).spring.coeff = 150;\n"
      "contact(1).first = mesh(1); contact(1).second = 'plane'; contact(1).stiffness = 2e3;\n"
      "p = 0; for i = 1:27, p = p + 2e-3*vel(mesh(1), i); end\n"
      "sensor(1).name = 'p'; sensor(1).value = p; sensor(2).name = 'E'; sensor(2).value = "
      "energy();");
  td_trajectory* path = simulate(&b, 0.15, 1e-9);
  const double *p0 = row_sensor(&b, path, 0, "p_x"), *E0 = row_sensor(&b, path, 0, "E");
  const double scale = 27 * 2e-3 * 9.81 * 0.02;
  double energy = 0, momentum = 0, up = 0;
  for (int i = 1; i < td_trajectory_rows(path); i++) {
    const double *p = row_sensor(&b, path, i, "p_x"), *E = row_sensor(&b, path, i, "E");
    energy = fmax(energy, fabs(*E - *E0) / scale);
    momentum = fmax(momentum, fmax(fabs(p[0] / p0[0] - 1), fabs(p[1] / p0[0])));
    up = fmax(up, p[2]);
  }
  assert_true(up > 0.3 * 27 * 2e-3 * sqrt(2 * 9.81 * 0.02));  // it came back
  CHECK_REACHED("bounce: energy", energy, 1e-6);
  CHECK_REACHED("bounce: momentum along the floor", momentum, 1e-9);
  td_trajectory_free(path);
  bench_free(&b);
}

// A cubic lattice whose nodes move along z only, between the ground and a plane that is pressed
// down by d: every layer is shortened alike, and with L(e)² = a² + a²(1 - e)²
//
//   F = n² k a e + N k_d (√2 a - L) a (1 - e)/L,    e = d'/(n - 1)/a,   N = 4 n (n - 1) diagonals
//
// for the nodes of the top at the depth F_i/κ in the plane, which is 0 for κ -> ∞.
static void test_the_force_that_presses_a_lattice(void** state) {
  (void)state;
  static const char* const matrices[2] = {"dense", "sparse"};
  const int n = 4;
  const double a = 0.02, k = 300, kd = 150, stiff = 1e8, d = 6e-3, e = d / ((n - 1) * a);
  for (int s = 0; s < 2; s++) {
    bench b = open_text(
        "n = %d; a = %g; mesh.grid = [n n n]; mesh.size = (n-1)*a*[1 1 1]; mesh.body.m = 1e-3;\n"
        "mesh.joint(1).tr.trans = [0 0 inf]; mesh.joint(2).spring.coeff = %g;\n"
        "mesh.joint(3).spring.coeff = %g; contact(1).first = mesh(1); contact(1).second = "
        "'plane';\n"
        "contact(1).normal = [0 0 -1]; contact(1).point = [0 0 (n-1)*a - %g];\n"
        "contact(1).stiffness = %g; par.linear = '%s';\n",
        n, a, k, kd, d, stiff, matrices[s]);
    equilibrium(&b);
    td_mesh mesh;
    double *x = node_places(&b, &mesh), F = 0;
    for (int i = n * n * (n - 1); i < n * n * n; i++)
      F += stiff * fmax(0, x[3 * i + 2] - ((n - 1) * a - d));
    const double L = a * sqrt(1 + (1 - e) * (1 - e));
    const double want =
        n * n * k * a * e + 4 * n * (n - 1) * kd * (sqrt(2) * a - L) * (1 - e) * a / L;
    CHECK_REACHED("pressed lattice", fabs(F / want - 1), 10 * k / stiff);
    free(x);
    bench_free(&b);
  }
}

// Solve A x = b of n by elimination with pivoting; A and b are overwritten.
static void solve(double* A, double* b, int n) {
  for (int c = 0; c < n; c++) {
    int p = c;
    for (int i = c; i < n; i++)
      if (fabs(A[i * n + c]) > fabs(A[p * n + c])) p = i;
    for (int j = 0; j < n; j++) {
      const double t = A[c * n + j];
      A[c * n + j] = A[p * n + j];
      A[p * n + j] = t;
    }
    const double t = b[c];
    b[c] = b[p];
    b[p] = t;
    for (int i = c + 1; i < n; i++) {
      const double f = A[i * n + c] / A[c * n + c];
      for (int j = c; j < n; j++) A[i * n + j] -= f * A[c * n + j];
      b[i] -= f * b[c];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= A[i * n + j] * b[j];
    b[i] /= A[i * n + i];
  }
}

// Stiffness of a spring between two of the free nodes, the first n² of all are held.
static void assemble(double* K, int held, int nv, int p, int q, const double* x, double k) {
  double d[3], L = 0;
  for (int c = 0; c < 3; c++) L = hypot(L, d[c] = x[3 * q + c] - x[3 * p + c]);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      const int row = 3 * ((i < 3 ? p : q) - held) + i % 3;
      const int column = 3 * ((j < 3 ? p : q) - held) + j % 3;
      if (row < 0 || column < 0) continue;
      K[row * nv + column] += ((i < 3) == (j < 3) ? k : -k) * d[i % 3] * d[j % 3] / (L * L);
    }
}

// The block that may bulge, pressed a little, against the solution of its assembled linear
// equations; what differs is of the order of the strain.
static void test_a_block_bulges_as_its_assembly_does(void** state) {
  (void)state;
  enum { N = 3, NODES = N * N * N, HELD = N * N, NV = 3 * (NODES - HELD) };
  const double a = 0.02, press = 1e-6, k = 300, stiff = 2e3;
  double K[NV * NV] = {0}, u[NV] = {0}, rest[3 * NODES];
  for (int i = 0; i < NODES; i++) {
    rest[3 * i] = a * (i % N);
    rest[3 * i + 1] = a * (i / N % N);
    rest[3 * i + 2] = a * (i / HELD);
  }
  for (int p = 0; p < NODES; p++)
    for (int q = p + 1; q < NODES; q++) {
      const double d = hypot(hypot(rest[3 * p] - rest[3 * q], rest[3 * p + 1] - rest[3 * q + 1]),
                             rest[3 * p + 2] - rest[3 * q + 2]);
      if (d < 1.01 * a) assemble(K, HELD, NV, p, q, rest, k);
      if (d > 1.4 * a && d < 1.42 * a) assemble(K, HELD, NV, p, q, rest, k / 2);
    }
  for (int i = NODES - HELD; i < NODES; i++) {  // the plane is one spring more for the top
    const int z = 3 * (i - HELD) + 2;
    K[z * NV + z] += stiff;
    u[z] = -stiff * press;
  }
  solve(K, u, NV);
  bench b = open_text(
      "n = 3; a = .02; H = (n-1)*a; press = %g; mesh.grid = [n n n]; mesh.size = H*[1 1 1];\n"
      "mesh.body.m = 1e-3; mesh.joint(2).spring.coeff = 300; mesh.joint(3).spring.coeff = 150;\n"
      "contact(1).first = mesh(1); contact(1).second = 'plane'; contact(1).normal = [0 0 -1];\n"
      "contact(1).point = [0 0 H - press]; contact(1).stiffness = 2e3;\n",
      press);
  equilibrium(&b);
  td_mesh mesh;
  double *x = node_places(&b, &mesh), error = 0;
  for (int i = 0; i < NV; i++)
    error = fmax(error, fabs(x[3 * HELD + i] - rest[3 * HELD + i] - u[i]) / press);
  CHECK_REACHED("bulging block", error, 10 * press / a);
  free(x);
  bench_free(&b);
}

// Numbers of the head of lattice_block.m, and at rest on the ground.
static void test_the_lattice_block_does_as_it_says(void** state) {
  (void)state;
  static const struct {
    const char* press;
    double carried;
  } rows[2] = {{"0.004", 10.3}, {"0.008", 21.3}};
  for (int k = 0; k < 2; k++) {
    bench b = open_file("lattice_block.m", (const char* const[6]){"press", rows[k].press});
    equilibrium(&b);
    double* s = calloc((size_t)td_model_sizes(b.model).nsensor + 1, sizeof(double));
    assert_int_equal(td_sensors(b.model, b.state, b.work, s), TD_OK);
    CHECK_NEAR(s[td_model_sensor_find(b.model, "carried")], rows[k].carried, 0.05);
    if (k == 0) CHECK_NEAR(s[td_model_sensor_find(b.model, "side_x")], 0.08039, 5e-6);
    free(s);
    bench_free(&b);
  }
  bench b =
      open_file("lattice_block.m", (const char* const[6]){"n", "3", "drop", "-1e-4", "tilt", "0"});
  equilibrium(&b);
  double* s = calloc((size_t)td_model_sizes(b.model).nsensor + 1, sizeof(double));
  assert_int_equal(td_sensors(b.model, b.state, b.work, s), TD_OK);
  CHECK_NEAR(s[td_model_sensor_find(b.model, "carried")], 27 * 2e-3 * 9.81, 1e-9);
  free(s);
  bench_free(&b);
}

// A plane that comes down leaves the block as one that stands there, and the energy it brings in is
// accounted for.
static void test_a_plane_that_comes_down(void** state) {
  (void)state;
  double carried[2];
  for (int k = 0; k < 2; k++) {
    bench b = open_file("lattice_block.m", (const char* const[6]){"n", "3", "press", "0.002",
                                                                  k ? "lower" : NULL, "0.1"});
    double* s = calloc((size_t)td_model_sizes(b.model).nsensor + 1, sizeof(double));
    if (k == 0) equilibrium(&b);
    if (k == 1) {
      td_trajectory* path = simulate(&b, CHECK_SANITIZED ? 0.3 : 0.6, 1e-6);
      const td_sim_stats* e = td_trajectory_stats(path);
      const double gained = e->energy_end - e->energy_start;
      assert_true(gained > 1e-3);
      CHECK_REACHED("pressing: energy", fabs(e->energy_error) / gained, 1e-4);
      td_trajectory_free(path);
    }
    assert_int_equal(td_sensors(b.model, b.state, b.work, s), TD_OK);
    carried[k] = s[td_model_sensor_find(b.model, "carried")];
    free(s);
    bench_free(&b);
  }
  CHECK_NEAR(carried[1] / carried[0], 1, 1e-3);
}

// ---- beams between bodies ---------------------------------------------------------------------

// Free bodies joined by beams in the frame half-way between them are an absolute rod, whichever
// body of a pair comes first.
static void test_bodies_joined_by_mid_beams_are_a_rod(void** state) {
  (void)state;
  bench rod = open_text(
      "rod.length = 0.4; rod.radius = 3e-3; rod.E = 1e7; rod.rho = 1e3; rod.nu = 0.3;\n"
      "rod.model = 'eba'; rod.n = 5; sensor.name = 'tip'; sensor.value = pos(rod(1), 0.4);\n"
      "exload.exbody = at(rod(1), 0.4); exload.ftau = [6e-3 3e-3 0 0 0 1e-3];\n");
  double tip[3][3];
  for (int k = 0; k < 3; k++) {
    bench b =
        k == 0 ? rod
               : open_text(
                     "n = 5; r = 3e-3; E = 1e7; G = E/2.6; A = pi*r^2; I = pi*r^4/4; l = .4/n;\n"
                     "for i = 1:n\n"
                     "  body(i).m = 1e-3; body(i).I = 1e-6*eye(3); joint(i).second = i;\n"
                     "  joint(i).tr.trans = [inf inf inf]; joint(i).tr.rot = [inf inf inf inf];\n"
                     "  joint(i).dof(3).init = l*i;\n"
                     "end\n"
                     "for i = 1:n\n"
                     "  ends = [i-1 i]; if %d && i > 1, ends = [i i-1]; end\n"
                     "  joint(n+i).first = ends(1); joint(n+i).second = ends(2);\n"
                     "  joint(n+i).spring.coeff = [G*A G*A E*A E*I E*I 2*G*I]/l;\n"
                     "  joint(n+i).spring.init = nan*ones(1, 6); joint(n+i).beam.frame = 'mid';\n"
                     "end\n"
                     "exload.exbody = n; exload.ftau = [6e-3 3e-3 0 0 0 1e-3];\n"
                     "sensor.name = 'tip'; sensor.value = pos(body(n));\n",
                     k - 1);
    equilibrium(&b);
    double* s = calloc((size_t)td_model_sizes(b.model).nsensor + 1, sizeof(double));
    assert_int_equal(td_sensors(b.model, b.state, b.work, s), TD_OK);
    memcpy(tip[k], s + td_model_sensor_find(b.model, "tip_x"), sizeof tip[k]);
    free(s);
    bench_free(&b);
  }
  for (int c = 0; c < 3; c++)
    for (int k = 1; k < 3; k++) CHECK_NEAR(tip[k][c], tip[0][c], 1e-10);
  assert_true(fabs(tip[0][0]) > 0.05);
}

// ---- given turns ------------------------------------------------------------------------------

// R = 1 + sin|θ|/|θ| [θ]× + (1 - cos|θ|)/|θ|² [θ]×²
static void rotation(const double th[3], double R[3][3]) {
  const double t = hypot(hypot(th[0], th[1]), th[2]);
  const double X[3][3] = {{0, -th[2], th[1]}, {th[2], 0, -th[0]}, {-th[1], th[0], 0}};
  const double a = t > 0 ? sin(t) / t : 1, c = t > 0 ? (1 - cos(t)) / (t * t) : 0.5;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      R[i][j] = (i == j) + a * X[i][j];
      for (int k = 0; k < 3; k++) R[i][j] += c * X[i][k] * X[k][j];
    }
}

// A node of a mesh of beams that is moved and turned as given: from no turn at all, past the point
// where the series ends, to more than two radians.  The rest of the mesh follows.
static void test_a_node_turns_as_it_is_told(void** state) {
  (void)state;
  bench b = open_text(
      "mesh.node = [0 0 0; .1 0 0; .2 .05 0]; mesh.edge = [1 2; 2 3]; mesh.fixed = 'none';\n"
      "mesh.body.m = .01; mesh.body.I = 1e-5*eye(3); mesh.joint(1).tr.rot = [0 inf inf inf];\n"
      "mesh.joint(2).spring.coeff = [50 50 50 .1 .1 .1]; mesh.joint(2).damp.visc = .01*ones(1, "
      "6);\n"
      "joint(1).second = at(mesh(1), 1); joint(1).fixed = ones(1, 6);\n"
      "joint(1).motion = [.1*sin(3*t) 0 .2*t^2 2*t^2 -sin(t) .5*t];\n"
      "R = rot(mesh(1), 1); sensor(1).name = 'R'; sensor(1).value = [R(1,:) R(2,:) R(3,:)];\n"
      "sensor(2).name = 'x'; sensor(2).value = pos(mesh(1), 1);\n");
  td_trajectory* path = simulate(&b, 1, 1e-6);
  double error = 0, R[3][3];
  for (int i = 0; i < td_trajectory_rows(path); i++) {
    const double t = td_trajectory_time(path, i), *x = row_sensor(&b, path, i, "x_x");
    const double *got = row_sensor(&b, path, i, "R_1"), th[3] = {2 * t * t, -sin(t), 0.5 * t};
    rotation(th, R);
    for (int k = 0; k < 9; k++) error = fmax(error, fabs(got[k] - R[k / 3][k % 3]));
    error = fmax(error, fmax(fabs(x[0] - 0.1 * sin(3 * t)), fabs(x[2] - 0.2 * t * t)));
  }
  // constraints are restored after each step, so this does not depend on the tolerance
  CHECK_REACHED("given turn", error, 1e-9);
  td_trajectory_free(path);
  bench_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_net_falls_with_its_terminal_velocity),
      cmocka_unit_test(test_a_strip_hangs_aslant_in_the_wind),
      cmocka_unit_test(test_the_flag_flies_as_it_says),
      cmocka_unit_test(test_the_flag_follows_the_wind),
      cmocka_unit_test(test_a_net_slides_with_coulomb_friction),
      cmocka_unit_test(test_a_bounce_keeps_energy_and_momentum),
      cmocka_unit_test(test_the_force_that_presses_a_lattice),
      cmocka_unit_test(test_a_block_bulges_as_its_assembly_does),
      cmocka_unit_test(test_the_lattice_block_does_as_it_says),
      cmocka_unit_test(test_a_plane_that_comes_down),
      cmocka_unit_test(test_bodies_joined_by_mid_beams_are_a_rod),
      cmocka_unit_test(test_a_node_turns_as_it_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
