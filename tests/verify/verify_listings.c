// The listings of the TMTDyn and AutoTMTDyn papers.  tests/verify/listings/printed has them letter
// by letter: they load, or a message names the misprint or the pseudo-code.  Copies that differ
// from them in these lines only lie one folder above; they are compared with closed forms that are
// written out here.  docs/published.md has the table of all of them.
#include "bench.h"

typedef struct matrix {
  double a[3][3];
} matrix;

static const matrix unit = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static matrix product(matrix A, matrix B) {
  matrix C = {{{0}}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) C.a[i][j] += A.a[i][k] * B.a[k][j];
  return C;
}

// Rotation by `angle` about the direction of `axis`: 1 + sin K + (1 - cos) K²
static matrix turn(double angle, const double axis[3]) {
  const double l = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  if (l == 0) return unit;
  const double x = axis[0] / l, y = axis[1] / l, z = axis[2] / l, s = sin(angle), c = cos(angle);
  return (matrix){{{c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s},
                   {x * y * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s},
                   {x * z * (1 - c) - y * s, y * z * (1 - c) + x * s, c + z * z * (1 - c)}}};
}

static int count_messages(td_spec* spec, td_severity severity, const char* part) {
  int n = 0;
  for (int i = 0; i < td_spec_message_count(spec); i++) {
    const td_message m = td_spec_message(spec, i);
    if (m.severity == severity && strstr(m.text, part)) n++;
  }
  return n;
}

// A listing with values of its params, "name=value" up to NULL.
static td_spec* read_listing(const char* name, const char* const* set) {
  char path[400], param[64];
  td_spec* spec = td_spec_new();
  for (; *set; set++) {
    const char* equals = strchr(*set, '=');
    snprintf(param, sizeof param, "%.*s", (int)(equals - *set), *set);
    assert_int_equal(td_spec_override(spec, param, equals + 1), TD_OK);
  }
  snprintf(path, sizeof path, "%s/tests/verify/listings/%s.m", TEST_SOURCE_DIR, name);
  td_spec_load_file(spec, path);
  return spec;
}

static bench listing(const char* name, const char* const* set) {
  return bench_of(read_listing(name, set));
}

static void settle(bench* b, double* sensors) {
  const td_equil_options options = td_equil_options_default();
  td_equil_result found;
  assert_int_equal(td_equilibrium(b->model, b->work, b->state, &options, &found), TD_OK);
  assert_int_equal(td_sensors(b->model, b->state, b->work, sensors), TD_OK);
}

// ---- Tables 3 and 4 ---------------------------------------------------------------------------

// Section, force and moment of the module of Table 2 under pressures of 20, 10 and 0 kPa.
typedef struct module {
  double EA, EJ[3], f, tau[3];
} module;

static module module_of_table_2(void) {
  const double pi = 3.14159265358979323846, ra1 = 4.5e-3, ra2 = 12.5e-3, rp = 2.5e-3, ro = 8.5e-3;
  const double E = 205e3, G = E / 3, p[3] = {2e4, 1e4, 0}, ap = pi * rp * rp;
  module m = {.EA = E * pi * (ra2 * ra2 - ra1 * ra1 - 6 * rp * rp)};
  double xx = 0, yy = 0;
  for (int i = 0; i < 6; i++) {
    const double psi = pi / 2 - i / 2 * 2 * pi / 3 + (i % 2 ? 1 : -1) * pi / 9;
    const double x = ro * cos(psi), y = ro * sin(psi), force = p[i / 2] * ap;
    xx += x * x;
    yy += y * y;
    m.f += force;
    m.tau[0] += y * force;
    m.tau[1] -= x * force;
  }
  const double J = pi / 4 * (pow(ra2, 4) - pow(ra1, 4) - 6 * pow(rp, 4));
  m.EJ[0] = E * (J - ap * xx);
  m.EJ[1] = E * (J - ap * yy);
  m.EJ[2] = G * 2 * J;
  return m;
}

// Without gravity nothing acts but the pressures, whose work is that of the elements' own strains:
// each element rests at length l/n (1 + f/EA) and bent by a = tau l/(n EJ).  The models differ in
// the rotation that belongs to a: of the vector [1 a/2] (ebr), 2 asin (eba), a turn about x and
// then about y (srl, which turns about z first).
static void chain_tip(const char* model, const module* m, const double a[3], int n, double tip[3]) {
  const double l = 50e-3, x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
  const double size = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  matrix R = unit;
  memset(tip, 0, 3 * sizeof(double));
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++) tip[k] += R.a[k][2] * l / n * (1 + m->f / m->EA);
    if (strcmp(model, "ebr") == 0) {
      R = product(R, turn(2 * atan(size / 2), a));
    } else if (strcmp(model, "eba") == 0) {
      R = product(R, turn(2 * asin(size / 2), a));
    } else {
      R = product(product(product(R, turn(a[2], z)), turn(a[0], x)), turn(a[1], y));
    }
  }
}

static void tables_3_and_4_rest_where_they_should(void** state) {
  (void)state;
  static const char* const name[] = {"table3_srl", "table4_ebr", "table4_eba"};
  static const char* const model[] = {"srl", "ebr", "eba"};
  const module m = module_of_table_2();
  for (int k = 0; k < 3; k++) {
    bench b = listing(name[k], (const char* const[]){"g=0", "n=3", NULL});
    assert_int_equal(count_messages(b.spec, TD_WARNING, ""), 0);
    double tip[3], want[3], a[3];
    settle(&b, tip);
    for (int i = 0; i < 3; i++) a[i] = m.tau[i] * 50e-3 / 3 / m.EJ[i];
    chain_tip(model[k], &m, a, 3, want);
    printf("%s: tip (%.6f %.6f %.6f) m\n", name[k], tip[0], tip[1], tip[2]);
    // equilibria are found to 1e-9 of the scale of the forces
    for (int i = 0; i < 3; i++) CHECK_NEAR(tip[i] / 50e-3, want[i] / 50e-3, 1e-8);
    bench_free(&b);
  }
}

// The loop of Table 3 gives the joint's turns about z, x, y the stiffness and moments about x, y,
// z.
static void the_order_of_turns_in_table_3_is_a_misprint(void** state) {
  (void)state;
  const module m = module_of_table_2();
  bench b = listing("table3_srl", (const char* const[]){"g=0", "n=3", "printed=1", NULL});
  double tip[3], want[3], a[3];
  settle(&b, tip);
  for (int i = 0; i < 3; i++) a[(i + 2) % 3] = m.tau[i] * 50e-3 / 3 / m.EJ[i];
  chain_tip("srl", &m, a, 3, want);
  for (int i = 0; i < 3; i++) CHECK_NEAR(tip[i] / 50e-3, want[i] / 50e-3, 1e-8);
  printf("as printed the tip is at (%.4f %.4f) m\n", tip[0], tip[1]);
  bench_free(&b);
}

// The polynomials approach the arc of constant curvature tau/EJ and stretch e = f/EA.  They begin
// without stretch, r'(0) = [0 0 1], and the best fit of s, s^2, ... s^n to a constant misses
// 1/(n+1)^2 of it on average: so much shorter is the rod.  The arc itself adds Taylor rests of
// bends of 0.06 rad, below a percent of that.
static void table_3_rom_approaches_the_arc(void** state) {
  (void)state;
  const module m = module_of_table_2();
  const double l = 50e-3, u[2] = {m.tau[0] / m.EJ[0], m.tau[1] / m.EJ[1]}, k = hypot(u[0], u[1]);
  const double arc = l * (1 + m.f / m.EA), side = arc * (1 - cos(k * l)) / (k * l);
  const double want[3] = {side * u[1] / k, -side * u[0] / k, arc * sin(k * l) / (k * l)};
  static const char* const order[] = {"n=1", "n=2", "n=3", "n=4", "n=5"};
  for (int i = 0; i < 5; i++) {
    bench b = listing("table3_rom", (const char* const[]){"g=0", order[i], NULL});
    double tip[3];
    settle(&b, tip);
    const double missing = m.f / m.EA * l / pow(i + 2, 2), error = want[2] - tip[2];
    printf("%s: %.3e m short of the arc, %.3e expected\n", order[i], error, missing);
    if (i > 0) {
      CHECK_NEAR(error / missing, 1, 0.03);
      CHECK_NEAR((tip[0] - want[0]) / l, 0, 1e-3);
      CHECK_NEAR((tip[1] - want[1]) / l, 0, 1e-3);
    }
    bench_free(&b);
  }
}

static void misprints_of_tables_3_and_4_are_told(void** state) {
  (void)state;
  const char* const printed[] = {"printed=1", NULL};
  td_spec* spec = read_listing("table4_ebr", printed);
  td_model* model;
  assert_int_not_equal(td_model_compile(spec, &model), TD_OK);
  assert_int_equal(count_messages(spec, TD_ERROR, "body(1).tip must be nx3, got 1x1"), 1);
  td_spec_free(spec);
  bench b = listing("table4_eba", printed);
  assert_int_equal(count_messages(b.spec, TD_WARNING, "length"), 1);
  bench_free(&b);
  b = listing("table3_rom", printed);
  assert_int_equal(count_messages(b.spec, TD_WARNING, "to 3 times its length"), 1);
  bench_free(&b);
}

// ---- Eq. 48 to 60 -----------------------------------------------------------------------------

static const double l0 = 0.1, m1 = 0.05, fu = 0.2, tau_u = 0.002, fl1 = 0.01, fl3 = 0.05,
                    grav = 9.81;
static double shear(void) { return 2e5 / 3 * 3.14159265358979323846 * 1e-4; }
static double axial(void) { return 3 * shear(); }
static double bend(void) { return 2e5 * 3.14159265358979323846 * 1e-8 / 4; }

// Potential of the ROM of order 1 (Eq. 14): x = c0 s², z = c1 s² + s, Q = [sqrt(1 - c2² s²), 0, c2
// s, 0]; strain = Q⁻¹ r' - e3, curvature = 2 c2/sqrt(1 - c2² s²).  Five Gauss points: relative rest
// 1e-12.
static double potential(const double c[3]) {
  static const double x[] = {0, 0.5384693101056831, 0.9061798459386640};
  static const double w[] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
  double V = 0;
  for (int k = -2; k <= 2; k++) {
    const double s = l0 / 2 * (1 + (k < 0 ? -1 : 1) * x[abs(k)]), half = c[2] * s;
    const double c0 = sqrt(1 - half * half), sine = 2 * half * c0, cosine = 1 - 2 * half * half;
    const double rx = 2 * c[0] * s, rz = 1 + 2 * c[1] * s;
    const double e1 = cosine * rx - sine * rz, e3 = sine * rx + cosine * rz - 1, u = 2 * c[2] / c0;
    V += w[abs(k)] * l0 / 2 *
         (0.5 * (shear() * e1 * e1 + axial() * e3 * e3 + bend() * u * u) - fu * e3 - tau_u * u +
          m1 / l0 * grav * (c[1] * s * s + s));
  }
  return V - fl1 * c[0] * l0 * l0 - fl3 * (c[1] * l0 * l0 + l0);
}

static void the_simple_example_rests_where_it_should(void** state) {
  (void)state;
  static const char* const model[] = {"model=srl", "model=ebr", "model=eba", "model=rom"};
  const double a = tau_u * l0 / bend(), angle[] = {a, 2 * atan(a / 2), 2 * asin(a / 2)};
  for (int k = 0; k < 4; k++) {
    bench b = listing("simple_example", (const char* const[]){model[k], NULL});
    double at[4];
    settle(&b, at);
    printf("%s: tip (%.6f, %.6f) m, %.6f rad\n", model[k], at[0], at[2], at[3]);
    if (k < 3) {
      CHECK_NEAR(at[0], fl1 * l0 / shear(), 1e-12);
      CHECK_NEAR(at[2], l0 + (fu + fl3 - m1 * grav) * l0 / axial(), 1e-12);
      CHECK_NEAR(at[3], angle[k], 1e-9);
    } else {
      // where the potential is least its central differences vanish; h² of third derivatives is
      // left
      double worst = 0;
      for (int i = 0; i < 3; i++) {
        double c[3] = {b.state->q[0], b.state->q[1], b.state->q[2]}, V[2];
        for (int side = 0; side < 2; side++) {
          c[i] = b.state->q[i] + (side ? 1e-4 : -1e-4);
          V[side] = potential(c);
        }
        const double curvature = i == 2 ? 4 * bend() * l0 : axial() * pow(l0, 3);
        worst = fmax(worst, fabs(V[1] - V[0]) / 2e-4 / curvature);
      }
      CHECK_REACHED("rom of order 1, distance from the least potential [1/m]", worst, 1e-6);
    }
    bench_free(&b);
  }
}

// Eq. 59: accelerations of the tip's height and of twice the vector part of its quaternion.
static void the_constraint_of_eq_59_controls_the_tip(void** state) {
  (void)state;
  static const char* const model[] = {"model=srl", "model=ebr", "model=eba", "model=rom"};
  for (int k = 0; k < 4; k++) {
    bench b = listing("simple_example", (const char* const[]){model[k], "held=1", NULL});
    assert_int_equal(td_forward_dynamics(b.model, b.state, b.work), TD_OK);
    const double* a = td_work_vdot(b.work);
    CHECK_NEAR(k < 3 ? a[1] : a[1] * l0 * l0, 0.3, 1e-12);
    CHECK_NEAR(k < 3 ? a[2] : 2 * a[2] * l0, -2, 1e-12);
    bench_free(&b);
  }
}

// ---- AutoTMTDyn -------------------------------------------------------------------------------

// The sum of all squared frequencies is the trace of M⁻¹K: each thread of stiffness k, drawn from C
// l to l, adds k along itself and k (1 - C) across, at both ends.
static void the_web_has_the_stiffness_of_its_threads(void** state) {
  (void)state;
  const double E = 5e6, a = 8e-7, l = 0.03, C = 0.9, m = 1000 * a * l, pi = 3.14159265358979323846;
  td_spec* spec = read_listing("auto_web", (const char* const[]){NULL});
  td_spec_load_string(spec, "more.m", "par.linear = 'dense';");  // all modes, not the slowest
  bench b = bench_of(spec);
  assert_int_equal(td_model_sizes(b.model).nv, 3 * 97);
  assert_int_equal(count_messages(b.spec, TD_NOTE, "TMTEoM_QP, EquilEoM, SimEoM, AnimEOM"), 1);
  double want = 0, sum = 0;
  for (int c = 1; c <= 6; c++) {
    const double ring = 2 * c * l * sin(pi / 16);
    want += 2 * 8 * E * a / (C * l) * (1 + 2 * (1 - C)) / m;  // from the mass inside, or the hub
    want += 2 * 16 * E * a / (C * ring) * (1 + 2 * (1 - C)) / m;  // around
  }
  want += 8 * E * a / (C * l) * (1 + 2 * (1 - C)) / m;  // to the frame
  td_modes_result* modes;
  assert_int_equal(td_modes(b.model, b.state, b.work, &modes), TD_OK);
  assert_int_equal(modes->n, 3 * 97);
  for (int i = 0; i < modes->n; i++) sum += modes->omega[i] * fabs(modes->omega[i]);
  CHECK_REACHED("trace of the web", fabs(sum / want - 1), 1e-10);
  td_modes_free(modes);
  bench_free(&b);
}

// A force F at the tip bends joint i by F (its distance to the tip)/k, to first order.
static void the_whisker_bends_as_its_joints(void** state) {
  (void)state;
  bench b = listing("auto_whisker", (const char* const[]){NULL});
  double tip[3], want = 1e-4 / 300;
  settle(&b, tip);
  for (int i = 1; i <= 5; i++) want += 1e-4 * pow(0.02 * i, 2) / 2.5;
  CHECK_NEAR(tip[0] / want, 1, 1e-7);  // angles of 1e-5 rad
  CHECK_NEAR(tip[2], 0.12, 1e-9);
  bench_free(&b);
}

static void the_module_of_the_first_paper_bends(void** state) {
  (void)state;
  const double pi = 3.14159265358979323846, E = 130e3, ap = pi * 2.5e-3 * 2.5e-3;
  const double A = pi * (12.5e-3 * 12.5e-3 - 4.5e-3 * 4.5e-3 - 6 * 2.5e-3 * 2.5e-3);
  const double J = pi / 4 * (pow(12.5e-3, 4) - pow(4.5e-3, 4)), p[2] = {2e4, 1e4};
  const module m = {.EA = E * A, .f = 2 * (p[0] + p[1]) * ap};
  const double mx = 2 * ap * 8.5e-3 * (p[0] * sin(pi / 2) + p[1] * sin(-pi / 6));
  const double my = -2 * ap * 8.5e-3 * (p[0] * cos(pi / 2) + p[1] * cos(-pi / 6));
  const double bent[3] = {mx * 50e-3 / 4 / (E * J), my * 50e-3 / 4 / (E * J), 0};
  double tip[3], want[3];
  bench b = listing("auto_module", (const char* const[]){NULL});
  settle(&b, tip);
  chain_tip("ebr", &m, bent, 4, want);
  for (int i = 0; i < 3; i++) CHECK_NEAR(tip[i] / 50e-3, want[i] / 50e-3, 1e-8);
  bench_free(&b);
}

// ---- Algorithm 1 ------------------------------------------------------------------------------

// The frame of every system.m: its programs are not called, one note names them, and settings that
// only they set (par.t_rep) leave out the statements that ask for them.
static void algorithm_1_is_a_model(void** state) {
  (void)state;
  bench b = listing("algorithm1", (const char* const[]){NULL});
  double none[1];
  assert_int_equal(count_messages(b.spec, TD_NOTE, "tmt_eom_derive, equil, modal"), 1);
  assert_int_equal(count_messages(b.spec, TD_ERROR, ""), 0);
  CHECK_NEAR(b.state->q[0], 0.02, 0);
  settle(&b, none);
  CHECK_NEAR(b.state->q[0], -0.5 * 9.81 / 40, 1e-12);
  bench_free(&b);
}

// ---- Table 9 ----------------------------------------------------------------------------------

// The arm's mass moves along x with the acceleration that the constraint asks for, and the sleeve,
// whose dampers are a thousand times what would hold it, moves with the arm: the distance of the
// nodes s1 and s2 from the pivot stays.
static void table_9_follows_its_control(void** state) {
  (void)state;
  const char* folder = getenv("TENDRIL_DATA");
  if (!folder) skip();
  char file[512];
  snprintf(file, sizeof file, "file=%s/data/fabric/exp2.iges", folder);
  bench b = listing("table9_sleeve", (const char* const[]){file, NULL});
  assert_int_equal(td_model_sizes(b.model).nbody, 16);
  td_sim_options o = td_sim_options_default();
  td_trajectory* run;
  o.t_final = 0.2;
  o.dt_out = 0.02;
  assert_int_equal(td_simulate(b.model, b.work, b.state, &o, &run), TD_OK);
  double worst = 0, stretch = 0;
  const double* first = td_trajectory_sensors(run, 0);
  for (int i = 0; i < td_trajectory_rows(run); i++) {
    const double t = td_trajectory_time(run, i), *x = td_trajectory_sensors(run, i);
    worst = fmax(worst, fabs(x[0] - 0.135 * sin(85 * 3.14159265358979323846 / 180) + 0.75 * t * t));
    for (int s = 3; s < 9; s += 3) {
      const double now = sqrt(x[s] * x[s] + x[s + 1] * x[s + 1] + x[s + 2] * x[s + 2]);
      const double then =
          sqrt(first[s] * first[s] + first[s + 1] * first[s + 1] + first[s + 2] * first[s + 2]);
      stretch = fmax(stretch, fabs(now / then - 1));
    }
  }
  const double* end = td_trajectory_sensors(run, td_trajectory_rows(run) - 1);
  printf("at 0.2 s: s1 (%.4f %.4f %.4f), s2 (%.4f %.4f %.4f) m\n", end[3], end[4], end[5], end[6],
         end[7], end[8]);
  CHECK_REACHED("Table 9: controlled path [m]", worst, 1e-6);
  CHECK_REACHED("Table 9: the sleeve's nodes from the pivot", stretch, 0.05);
  td_trajectory_free(run);
  bench_free(&b);
}

// ---- letter by letter -------------------------------------------------------------------------

typedef struct fault {
  const char* line;     // the statement as printed, without blanks
  const char* message;  // what is said about it; NULL: nothing, or the copy writes it differently
} fault;

// Statements of the printed listings that the mended copies do not have, and what becomes of them.
static const struct {
  const char *name, *copy;
  bool loads;
  fault faults[20];
} printed_listings[] = {
    {"table3_rom",
     "table3_rom",
     false,
     {{"joint(1).dof(3).init=(1:nr)lm2;", "end of the statement, found 'lm2'"}}},
    {"table3_srl",
     "table3_srl",
     false,
     {{"joint(1).dof(ih).damp.visc=mu_chi(id);", "unknown name 'id'"},
      {"joint(1).dof(ih).input=f_chi(ih);", "unknown name 'f_chi'"}}},
    {"table4_ebr",
     "table4_ebr",
     false,
     {{"joint(1).dof(ih).damp.visc=mu_chi(id);", "unknown name 'id'"},
      {"joint(1).dof(ih).input=f_chi(ih);", "unknown name 'f_chi'"}}},
    {"table4_eba", "table4_eba", true, {{0}}},
    {"table9_sleeve",
     "table9_sleeve",
     false,
     {{"mesh.file_name='cad.iges';", NULL},
      {"mesh.joint(2).spring.coeff=[diag(K_eps),diag(K_alpha)];", "nx6, got 3x2"},
      {"mesh.joint(2).spring.init=nan.ones(1,6);", "it has no field 'ones'"}}},
    {"simple_srl", "simple_example", false, {{"body(1).I=I1.eye(3);", "it has no field 'eye'"}}},
    {"simple_ebr", "simple_example", false, {{"body(1).I=I1.eye(3);", "it has no field 'eye'"}}},
    {"simple_eba", "simple_example", false, {{"body(1).I=I1.eye(3);", "it has no field 'eye'"}}},
    {"simple_rom",
     "simple_example",
     false,
     {{"body(1).I=m1*r1^2/(4*l0).eye(3);", "it has no field 'eye'"}}},
    {"algorithm1",
     "algorithm1",
     false,
     {{"par.anim,.mov,.derive,.fun,.mex,.equil,.dyn,.nint;", "expected a value after ','"},
      {"ifpar.derivethen", "found 'then'"},
      {"syms,par.sym;", NULL},
      {"par.var;", NULL},
      {"world.g,body,joint,mesh,exload;", NULL},
      {"ifpar.derivethen", "found 'then'"},
      {"tmt_eom_derive(...);", "'...' stands for nothing here"},
      {"ifpar.equilthen", "found 'then'"},
      {"equil(...);", "'...' stands for nothing here"},
      {"ifpar.dynthen", "found 'then'"},
      {"modal(...);", "'...' stands for nothing here"},
      {"ifpar.movthen", "found 'then'"},
      {"fordynamicsimulationintervalsdo", "expected '=' after the loop's variable"},
      {"ifpar.dynthen", "found 'then'"},
      {"dyn_sym(...);", "'...' stands for nothing here"},
      {"ifpar.animthen", "found 'then'"},
      {"anim(...);", "'...' stands for nothing here"},
      {"ifpar.movthen", "found 'then'"},
      {"post_proc(...);", "'...' stands for nothing here"}}},
    {"auto_web",
     "auto_web",
     false,
     {{"fori_c=1:6{", "blocks are not written with braces"},
      {"fori_phi=1:16{", "blocks are not written with braces"},
      {"i_k=i_k+1,i_p=", "expected a value after '='"},
      {"ifmod(i_phi,2)==1{", "blocks are not written with braces"},
      {"joint(i_k).spring.coeff=0;joint(i_k).damp.visc=0;}", NULL},
      {"i_k=i_k+1,r=[x,y,z](i_phi+1,i_c)-[x,y,z](i_phi,i_c);", NULL},
      {"l_s=sqrt(r.r');", NULL},
      {"}}", NULL}}},
    {"auto_whisker", "auto_whisker", true, {{0}}},
    {"auto_module",
     "auto_module",
     false,
     {{"id=1...3;", NULL},
      {"joint(i).dof(id).spring.coeff=K_vx|y|z;", "end of the statement, found 'joint'"},
      {"joint(i).dof(id).damp.visc=mu_vx|y|z;", NULL},
      {"joint(i).dof(id).input=0|0|f_p;", NULL},
      {"id=4...6;", NULL},
      {"joint(i).dof(id).spring.coeff=K_ux|y|z;", "end of the statement, found 'joint'"},
      {"joint(i).dof(id).damp.visc=mu_ux|y|z;", NULL},
      {"joint(i).dof(id).input=tau_px|tau_py|tau_pz;", NULL}}},
};
enum { NPRINTED = sizeof printed_listings / sizeof *printed_listings };

// The statements of a listing without blanks and comments, one line each.
static char* statements(const char* name) {
  char path[400];
  snprintf(path, sizeof path, "%s/tests/verify/listings/%s.m", TEST_SOURCE_DIR, name);
  FILE* file = fopen(path, "r");
  assert_non_null(file);
  char* text = calloc(1 << 16, 1);
  assert_non_null(text);
  bool comment = false;
  int n = 0;
  for (int c = fgetc(file); c != EOF && n < (1 << 16) - 1; c = fgetc(file)) {
    comment = c != '\n' && (comment || c == '%');
    if (!comment && c != ' ' && c != '\r') text[n++] = (char)c;
  }
  fclose(file);
  return text;
}

// Each statement of a printed listing stands in its mended copy, letter by letter, but those that
// the table names: so the copies differ in the misprints only.
static void mended_copies_differ_in_misprints_only(void** state) {
  (void)state;
  for (int k = 0; k < NPRINTED; k++) {
    char name[64];
    snprintf(name, sizeof name, "printed/%s", printed_listings[k].name);
    char *printed = statements(name), *copy = statements(printed_listings[k].copy);
    const fault* next = printed_listings[k].faults;
    int kept = 0;
    for (char* line = strtok(printed, "\n"); line; line = strtok(NULL, "\n")) {
      const size_t length = strlen(line);
      const char* found = copy;
      while ((found = strstr(found, line)) && !strchr("\n;", found[length]) &&
             line[length - 1] != ';')
        found++;
      if (found && strcmp(line, next->line ? next->line : "") != 0) {
        kept++;
        continue;
      }
      assert_non_null(next->line);
      assert_string_equal(line, next->line);
      next++;
    }
    assert_null(next->line);
    printf("%s: %d statements as printed, %d mended\n", printed_listings[k].name, kept,
           (int)(next - printed_listings[k].faults));
    free(printed);
    free(copy);
  }
}

// Letter by letter the listings load, or every misprint that cannot be read has its message.
static void printed_listings_load_or_name_their_misprints(void** state) {
  (void)state;
  for (int k = 0; k < NPRINTED; k++) {
    char set[64];
    snprintf(set, sizeof set, "listing=%s", printed_listings[k].name);
    td_spec* spec = read_listing("printed", (const char* const[]){set, NULL});
    td_model* model = NULL;
    const bool loads = td_model_compile(spec, &model) == TD_OK;
    assert_int_equal(loads, printed_listings[k].loads);
    for (const fault* f = printed_listings[k].faults; f->line; f++)
      if (f->message) assert_true(count_messages(spec, TD_ERROR, f->message) > 0);
    td_model_free(model);
    td_spec_free(spec);
  }
}

// Table 4, EBA, letter by letter: beams without length between the nodes but the first.  Each pulls
// its second node to its first with no more than the force of the pressures: the tip stands at
// l/n + 3 f (l/n)/EA, the nodes' common place and their stretches.
static void table_4_eba_as_printed_is_one_segment_long(void** state) {
  (void)state;
  const module m = module_of_table_2();
  td_spec* spec = read_listing("printed", (const char* const[]){"listing=table4_eba", "g=0", NULL});
  td_spec_load_string(spec, "more.m", "sensor(1).name = 'tip'; sensor(1).value = pos(body(2));");
  bench b = bench_of(spec);
  assert_int_equal(count_messages(b.spec, TD_WARNING, "makes their rest lengths 0"), 1);
  double tip[3];
  settle(&b, tip);
  printf("as printed the tip is at (%.6f %.6f %.6f) m\n", tip[0], tip[1], tip[2]);
  // bends of 0.02 rad a segment: cosines differ from 1 by 1e-3
  CHECK_NEAR(tip[2] / (50e-3 / 3 * (1 + 3 * m.f / m.EA)), 1, 2e-3);
  bench_free(&b);
}

// ---- Tables 13 to 16 --------------------------------------------------------------------------

// Fields with a row for each element mean what the elements mean when they are written one by one.
static void fields_of_tables_13_to_16_have_their_shapes(void** state) {
  (void)state;
  double v[2][12];
  for (int k = 0; k < 2; k++) {
    bench b = listing("tables13_16", (const char* const[]){k ? "written=1" : "written=0", NULL});
    assert_int_equal(count_messages(b.spec, TD_WARNING, ""), 0);
    assert_int_equal(td_model_sizes(b.model).nv, 12);
    assert_int_equal(td_forward_dynamics(b.model, b.state, b.work), TD_OK);
    memcpy(v[k], td_work_vdot(b.work), sizeof v[k]);
    bench_free(&b);
  }
  double worst = 0, largest = 0;
  for (int i = 0; i < 12; i++) {
    worst = fmax(worst, fabs(v[0][i] - v[1][i]));
    largest = fmax(largest, fabs(v[1][i]));
  }
  CHECK_REACHED("accelerations of elements together and apart", worst / largest, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_3_and_4_rest_where_they_should),
      cmocka_unit_test(the_order_of_turns_in_table_3_is_a_misprint),
      cmocka_unit_test(table_3_rom_approaches_the_arc),
      cmocka_unit_test(misprints_of_tables_3_and_4_are_told),
      cmocka_unit_test(the_simple_example_rests_where_it_should),
      cmocka_unit_test(the_constraint_of_eq_59_controls_the_tip),
      cmocka_unit_test(the_web_has_the_stiffness_of_its_threads),
      cmocka_unit_test(the_whisker_bends_as_its_joints),
      cmocka_unit_test(the_module_of_the_first_paper_bends),
      cmocka_unit_test(algorithm_1_is_a_model),
      cmocka_unit_test(table_9_follows_its_control),
      cmocka_unit_test(fields_of_tables_13_to_16_have_their_shapes),
      cmocka_unit_test(mended_copies_differ_in_misprints_only),
      cmocka_unit_test(printed_listings_load_or_name_their_misprints),
      cmocka_unit_test(table_4_eba_as_printed_is_one_segment_long),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
