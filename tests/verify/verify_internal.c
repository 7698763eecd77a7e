// Internal states against closed forms: a filter that drives a spring, a chain of RC links, a
// chamber that fills, a Maxwell element, predator and prey; linear models against differences,
// equilibria with states that are held, dense against sparse.
#include <complex.h>
#include <string.h>

#include "check.h"
#include "tendril/control.h"
#include "tendril/tendril.h"

typedef struct robot {
  td_spec* spec;
  td_model* model;
  td_work* work;
  td_state* state;
  td_sizes n;
} robot;

static robot open_model(const char* text) {
  robot r = {.spec = td_spec_new()};
  if (td_spec_load_string(r.spec, "test.m", text) != TD_OK ||
      td_model_compile(r.spec, &r.model) != TD_OK) {
    print_error("%s\n", td_spec_messages(r.spec));
    fail();
  }
  r.work = td_work_new(r.model);
  r.state = td_state_new(r.model);
  r.n = td_model_sizes(r.model);
  assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
  return r;
}

static void close_model(robot* r) {
  td_state_free(r->state);
  td_work_free(r->work);
  td_model_free(r->model);
  td_spec_free(r->spec);
}

static td_trajectory* run(robot* r, double t, double rtol, td_solver solver) {
  td_sim_options o = td_sim_options_default();
  o.t_final = t;
  o.dt_out = t / 20;
  o.rtol = rtol;
  o.atol = rtol * 1e-2;
  o.solver = solver;
  td_trajectory* p = NULL;
  const td_status status = td_simulate(r->model, r->work, r->state, &o, &p);
  if (status != TD_OK) print_error("%s\n", td_trajectory_diagnosis(p));
  assert_int_equal(status, TD_OK);
  return p;
}

#define SLIDER \
  "body(1).m = 2; joint(1).type = 'prismatic'; joint(1).axis = [1 0 0]; joint(1).second = [1];\n"

// f' = (1 - f)/tau moves the rest position of a spring: m x'' + k (x - f) = 0 from rest.
static const char filter[] = "tau = param('tau', 0.3); k = param('k', 50);\n" SLIDER
                             "f = internal('f', 0);\n"
                             "dynamics(1).of = 'f'; dynamics(1).rate = (1 - f)/tau;\n"
                             "joint(1).dof(1).spring.coeff = k; joint(1).dof(1).spring.init = f;\n";

static double filtered(double t, double tau, double k, double m) {
  const double w = sqrt(k / m), A = -w * w / (w * w + 1 / (tau * tau));
  return 1 + A * exp(-t / tau) - (1 + A) * cos(w * t) + A / (tau * w) * sin(w * t);
}

static void test_a_filter_drives_a_spring(void** ctx) {
  (void)ctx;
  for (td_solver solver = TD_SOLVER_AUTO; solver < TD_SOLVER_COUNT; solver++) {
    const double bound = solver == TD_SOLVER_EXPLICIT ? 1e-7 : 2e-5;
    robot r = open_model(filter);
    td_trajectory* p = run(&r, 2, 1e-8, solver);
    double worst = 0, inner = 0;
    for (int k = 0; k < td_trajectory_rows(p); k++) {
      const double t = td_trajectory_time(p, k);
      worst = fmax(worst, fabs(td_trajectory_q(p, k)[0] - filtered(t, 0.3, 50, 2)));
      inner = fmax(inner, fabs(td_trajectory_z(p, k)[0] - (1 - exp(-t / 0.3))));
    }
    CHECK_REACHED("filter and spring: position", worst, bound);
    CHECK_REACHED("filter and spring: internal state", inner, bound);
    // the moving end of the spring does work, which the balance accounts for
    CHECK_REACHED("filter and spring: energy balance", fabs(td_trajectory_stats(p)->energy_error),
                  1e-4);
    td_trajectory_free(p);
    close_model(&r);
  }
}

// A filter of a microsecond is followed at the pace of the spring.
static void test_a_fast_filter_is_stiff(void** ctx) {
  (void)ctx;
  robot r = open_model(filter);
  const int tau = td_model_param_find(r.model, "tau");
  assert_int_equal(td_work_set_param(r.model, r.work, tau, 1e-6), TD_OK);
  td_trajectory* p = run(&r, 2, 1e-7, TD_SOLVER_AUTO);
  double worst = 0;
  for (int k = 0; k < td_trajectory_rows(p); k++)
    worst = fmax(worst,
                 fabs(td_trajectory_q(p, k)[0] - filtered(td_trajectory_time(p, k), 1e-6, 50, 2)));
  CHECK_REACHED("fast filter: position", worst, 2e-5);
  assert_true(td_trajectory_stats(p)->steps < 20000);
  td_trajectory_free(p);
  close_model(&r);
}

// Three links: C z_k' = (z_(k-1) - 2 z_k + z_(k+1))/R between 1 V and the ground; the modes of a
// chain are sines.
static void test_a_chain_of_links(void** ctx) {
  (void)ctx;
  enum { N = 3 };
  robot r =
      open_model(SLIDER
                 "a = internal('a', 0); b = internal('b', 0); c = internal('c', 0); RC = 0.2;\n"
                 "dynamics(1).of = 'a'; dynamics(1).rate = (1 - 2*a + b)/RC;\n"
                 "dynamics(2).of = 'c'; dynamics(2).rate = (b - 2*c)/RC;\n"
                 "dynamics(3).of = 'b'; dynamics(3).rate = (a - 2*b + c)/RC;\n"
                 "dynamics(1).unit = 'V';\n");
  assert_string_equal(td_model_internal_name(r.model, 1), "b");
  assert_string_equal(td_model_internal_unit(r.model, 0), "V");
  td_trajectory* p = run(&r, 1, 1e-9, TD_SOLVER_AUTO);
  double worst = 0;
  for (int row = 0; row < td_trajectory_rows(p); row++) {
    const double t = td_trajectory_time(p, row);
    for (int i = 1; i <= N; i++) {
      double want = 0;
      for (int k = 1; k <= N; k++) {
        const double angle = acos(-1) * k / (N + 1), rate = (2 - 2 * cos(angle)) / 0.2;
        want += 2.0 / (N + 1) * sin(i * angle) * sin(angle) / 0.2 * (1 - exp(-rate * t)) / rate;
      }
      worst = fmax(worst, fabs(td_trajectory_z(p, row)[i - 1] - want));
    }
  }
  CHECK_REACHED("chain of links", worst, 1e-8);
  td_trajectory_free(p);
  close_model(&r);
}

// m' = c sqrt(1 - (p/ps)^1.4), p = m a: the time to reach m is a quadrature.  Amounts of 1e-5 kg
// are followed to the same digits as anything else.
static void test_a_chamber_fills(void** ctx) {
  (void)ctx;
  robot r = open_model(SLIDER
                       "a = 287*293/1e-4; ps = 2e5; c = 1e-4;\n"
                       "m = internal('air', 0); p = m*a;\n"
                       "dynamics(1).of = 'air'; dynamics(1).rate = c*sqrt(1 - (p/ps)^1.4);\n"
                       "dynamics(1).unit = 'kg';\n"
                       "joint(1).dof(1).input = 1e-4*p; joint(1).dof(1).spring.coeff = 100;\n");
  td_trajectory* p = run(&r, 0.2, 1e-8, TD_SOLVER_AUTO);
  const double a = 287 * 293 / 1e-4;
  double worst = 0;
  for (int row = 1; row < td_trajectory_rows(p); row++) {
    const double m = td_trajectory_z(p, row)[0], t = td_trajectory_time(p, row);
    // Simpson's rule in x = (m/m_end)^(1/5), in which (p/ps)^1.4 is smooth at the start
    enum { PARTS = 400 };
    double sum = 0;
    for (int k = 0; k <= PARTS; k++) {
      const double x = (double)k / PARTS, at = m * pow(x, 5);
      const double weight = k == 0 || k == PARTS ? 1 : k % 2 ? 4 : 2;
      sum += weight * 5 * pow(x, 4) * m / (1e-4 * sqrt(1 - pow(at * a / 2e5, 1.4)));
    }
    worst = fmax(worst, fabs(sum / (3 * PARTS) - t) / t);
  }
  CHECK_REACHED("chamber: time to fill", worst, 1e-6);
  td_trajectory_free(p);
  close_model(&r);
}

// Standard linear solid: x/u = 1/(k0 + k1 i w T/(1 + i w T) - m w^2), T = eta/k1.
static void test_a_maxwell_element(void** ctx) {
  (void)ctx;
  robot r = open_model(SLIDER
                       "k0 = 30; k1 = 80; eta = 5; u = input('u', 0); f = internal('f', 0);\n"
                       "dynamics(1).of = 'f'; dynamics(1).rate = k1*ddof(joint(1), 1) - f*k1/eta;\n"
                       "joint(1).dof(1).spring.coeff = k0; joint(1).dof(1).input = u - f;\n"
                       "sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1);\n"
                       "sensor(2).name = 'force'; sensor(2).value = k0*dof(joint(1), 1) + f;\n");
  td_linear* l = NULL;
  assert_int_equal(td_linearize(r.model, r.state, r.work, &l), TD_OK);
  assert_int_equal(l->nx, 3);
  double worst = 0;
  for (int i = -20; i <= 20; i++) {
    const double w = pow(10, i / 10.0), T = 5.0 / 80;
    const double complex k = 30 + 80 * (I * w * T) / (1 + I * w * T), want = 1 / (k - 2 * w * w);
    double G[4];
    assert_int_equal(td_frequency_response(l, w, G), TD_OK);
    worst = fmax(worst, cabs(G[0] + I * G[1] - want) / cabs(want));
    worst = fmax(worst, cabs(G[2] + I * G[3] - k * want) / cabs(k * want));
  }
  CHECK_REACHED("Maxwell element: complex modulus", worst, 1e-11);

  // the eigenvalues are the roots of (m s^2 + k0)(1 + s T) + k1 s T
  td_modes_result* m = NULL;
  assert_int_equal(td_modes(r.model, r.state, r.work, &m), TD_OK);
  assert_int_equal(m->ncomplex, 3);
  worst = 0;
  for (int i = 0; i < 3; i++) {
    const double complex s = m->re[i] + I * m->im[i];
    const double T = 5.0 / 80;
    worst = fmax(worst, cabs((2 * s * s + 30) * (1 + s * T) + 80 * s * T) / (30 + 80));
  }
  CHECK_REACHED("Maxwell element: eigenvalues", worst, 1e-12);
  td_modes_free(m);
  td_linear_free(l);
  close_model(&r);
}

static void test_predator_and_prey_keep_their_invariant(void** ctx) {
  (void)ctx;
  robot r = open_model(SLIDER
                       "x = internal('prey', 2); y = internal('predator', 0.5);\n"
                       "dynamics(1).of = 'prey'; dynamics(1).rate = 1.1*x - 0.4*x*y;\n"
                       "dynamics(2).of = 'predator'; dynamics(2).rate = 0.1*x*y - 0.4*y;\n");
  td_trajectory* p = run(&r, 40, 1e-9, TD_SOLVER_AUTO);
  double worst = 0, first = 0;
  for (int row = 0; row < td_trajectory_rows(p); row++) {
    const double x = td_trajectory_z(p, row)[0], y = td_trajectory_z(p, row)[1];
    const double V = 0.1 * x - 0.4 * log(x) + 0.4 * y - 1.1 * log(y);
    if (row == 0) first = V;
    worst = fmax(worst, fabs(V - first));
  }
  CHECK_REACHED("predator and prey: invariant", worst, 1e-7);
  td_trajectory_free(p);
  close_model(&r);
}

// ---- linear models ----------------------------------------------------------------------------

// Two hinges, a loop and a rod, with states in springs, loads and inputs, and rates that see the
// motion.
static const char coupled[] =
    "world.g = [0 0 -9.81]; u = input('u', 0.3);\n"
    "body(1).m = 1; body(1).I = 0.02; body(1).l_com = [0.2 0 0];\n"
    "joint(1).second = [1]; joint(1).type = 'revolute'; joint(1).axis = [0 1 0];\n"
    "body(2).m = 0.5; body(2).I = 0.01; body(2).l_com = [0.1 0 0];\n"
    "joint(2).first = [1]; joint(2).second = [2]; joint(2).type = 'spherical';\n"
    "joint(2).tr(1).trans = [0.4 0 0];\n"
    "a = internal('a', 0.4); b = internal('b', -0.2);\n"
    "dynamics(1).of = 'a'; dynamics(1).rate = u*sin(a) - 2*b*dof(joint(1), 1) + "
    "0.3*norm(vel(body(2)))^2;\n"
    "dynamics(2).of = 'b'; dynamics(2).rate = cos(3*b)*a - ddof(joint(1), 1) + [0 0 "
    "1]*pos(body(2))';\n"
    "joint(1).dof(1).input = 2*a*b - u*a; joint(1).dof(1).spring.coeff = 5 + a^2;\n"
    "joint(1).dof(1).damp.visc = 0.3 + b^2;\n"
    "exload(1).exbody = 2; exload(1).ftau = [a b a*b 0.1*b 0 0.2*a];\n"
    "sensor(1).name = 'y1'; sensor(1).value = a*dof(joint(1), 1) + b;\n"
    "sensor(2).name = 'acc'; sensor(2).value = acc(body(2));\n"
    "sensor(3).name = 'w'; sensor(3).value = force(joint(2));\n";

// A needle and a magnetic rod in fields that follow a coil's current, which the needle induces.
static const char magnets[] =
    "u = input('u', 0.3); b = internal('coil', 0.3); dynamics(1).of = 'coil';\n"
    "dynamics(1).rate = (u - b)/0.05 - 0.2*ddof(joint(1), 1)*b;\n"
    "body(1).m = 0.1; body(1).I = 1e-3*diag([1 2 2.5]); joint(1).second = 1;\n"
    "joint(1).tr.rot = [3 inf]; joint(1).dof.damp.visc = 1e-3;\n"
    "magnet(1).on = body(1); magnet(1).moment = [2 0 0]; magnet(1).field = [b 0.1 0];\n"
    "rod(1).first = 1; rod(1).model = 'srl'; rod(1).n = 2; rod(1).length = 0.2;\n"
    "rod(1).radius = 5e-3; rod(1).E = 1e6; rod(1).rho = 2000; rod(1).eta = 1e4;\n"
    "magnet(2).on = rod(1); magnet(2).moment = [0 0 5 + 10*s];\n"
    "magnet(2).field = 0.02*[b b^2 0.1];\n"
    "sensor(1).name = 'y'; sensor(1).value = [pos(rod(1)) b*ddof(joint(1), 1)];\n";

// A bead in a curved slot whose spring and motor have states of their own.
static const char slotted[] =
    "u = input('u', 0.1); a = internal('a', 0.05); b = internal('b', -0.1);\n"
    "p = dof(joint(1), 1); dynamics(1).of = 'a'; dynamics(1).rate = (u - a)/0.1 + 0.3*p;\n"
    "dynamics(2).of = 'b'; dynamics(2).rate = -3*b + a*ddof(joint(1), 1) + p^2;\n"
    "world.g = [0 0 -9.81]; body(1).m = 0.5; body(1).I = 1e-2*diag([1 2 2.5]);\n"
    "body(1).l_com = [0.05 0.1 -0.1]; joint(1).second = 1;\n"
    "joint(1).curve = [0.3*sin(p) 0.25*p^2 0.2*exp(p)]; joint(1).dof(1).init = 0.1;\n"
    "joint(1).dof(1).spring.coeff = 3 + a; joint(1).dof(1).damp.visc = 0.5 + b^2;\n"
    "joint(1).dof(1).input = a*b + 2*a;\n"
    "sensor(1).name = 'y'; sensor(1).value = [pos(body(1)) vel(body(1)) acc(body(1)) a*p b];\n";

// The centre of mass of two links charges a state, which drives the first hinge.
static const char centred[] =
    "u = input('u', 0.2); a = internal('a', 0.1); c = com; dynamics(1).of = 'a';\n"
    "dynamics(1).rate = 5*(c(1) - a) + u + c(3)*a; world.g = [0 0 -9.81];\n"
    "for i = 1:2, body(i).m = 0.3*i; body(i).I = 1e-2*diag([1 2 2.5]);\n"
    "body(i).l_com = [0.05 0 -0.2]; joint(i).first = i - 1; joint(i).second = i;\n"
    "joint(i).tr(1).trans = [0 0 -0.3*(i - 1)]; joint(i).tr(2).rot = [2 inf];\n"
    "joint(i).dof.damp.visc = 0.2; end\n"
    "joint(1).dof.init = 0.2; joint(1).dof.input = -3*a - c(1);\n"
    "sensor(1).name = 'y'; sensor(1).value = [c a*c(3)];\n";

static void rates_at(robot* r, const td_state* s, double* out, double* y) {
  const int nv = r->n.nv;
  assert_int_equal(td_forward_dynamics(r->model, s, r->work), TD_OK);
  memcpy(out, td_work_vdot(r->work), sizeof(double) * (size_t)nv);
  assert_int_equal(td_internal_rates(r->model, s, r->work, out + nv), TD_OK);
  assert_int_equal(td_sensors(r->model, s, r->work, y), TD_OK);
}

static void check_linear_model(const char* text, double h) {
  enum { MOST = 24 };
  robot r = open_model(text);
  const int nv = r.n.nv, nz = r.n.nz, ny = r.n.nsensor;
  uint64_t seed = 5;
  double d[MOST], f[2][MOST], y[2][MOST], worst = 0, outputs = 0, size = 1, height = 1;
  for (int i = 0; i < nv; i++) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    d[i] = (double)(seed >> 40) / (1 << 24) - 0.5;
    r.state->v[i] = d[i];
  }
  td_displace(r.model, r.state->q, d, r.state->q);
  td_linear* l = NULL;
  assert_int_equal(td_linearize(r.model, r.state, r.work, &l), TD_OK);
  assert_int_equal(l->nx, 2 * nv + nz);
  td_state* at = td_state_new(r.model);
  for (int c = 0; c < l->nx + l->nu; c++) {
    for (int side = 0; side < 2; side++) {
      const double step = side ? -h : h;
      td_state_copy(r.model, r.state, at);
      if (c < l->nx) {
        for (int i = 0; i < nv; i++) d[i] = step * l->basis[i * l->nx + c];
        td_displace(r.model, r.state->q, d, at->q);
        for (int i = 0; i < nv; i++) at->v[i] += step * l->basis[(nv + i) * l->nx + c];
        for (int i = 0; i < nz; i++) at->z[i] += step * l->basis[(2 * nv + i) * l->nx + c];
      } else {
        at->u[c - l->nx] += step;
      }
      rates_at(&r, at, f[side], y[side]);
    }
    for (int i = 0; i < nv + nz;
         i++) {  // the null space is everything: rows of A are those of v', z'
      double got = 0;
      const double want = (f[0][i] - f[1][i]) / (2 * h);
      for (int k = 0; k < l->nx; k++)
        got += l->basis[(nv + i) * l->nx + k] * (c < l->nx ? l->A[k * l->nx + c] : l->B[k * l->nu]);
      worst = fmax(worst, fabs(got - want));
      size = fmax(size, fabs(want));
    }
    for (int i = 0; i < l->ny; i++) {
      const double got = c < l->nx ? l->C[i * l->nx + c] : l->D[i * l->nu];
      const double want = (y[0][l->output[i]] - y[1][l->output[i]]) / (2 * h);
      outputs = fmax(outputs, fabs(got - want));
      height = fmax(height, fabs(want));
    }
  }
  assert_int_equal(l->ny, ny);
  CHECK_REACHED("linear model against differences", worst / size, 1e-8);
  CHECK_REACHED("outputs against differences", outputs / height, 1e-8);
  td_state_free(at);
  td_linear_free(l);
  close_model(&r);
}

static void test_linear_models_are_those_of_differences(void** ctx) {
  (void)ctx;
  check_linear_model(coupled, 1e-5);
  check_linear_model(magnets, 1e-4);  // stiff segments: rounding of accelerations / h
  check_linear_model(slotted, 1e-5);
  check_linear_model(centred, 1e-5);
}

// The public derivatives have the widths that they are declared with.
static void test_derivatives_have_the_widths_of_their_names(void** ctx) {
  (void)ctx;
  robot r = open_model(coupled);
  const int nv = r.n.nv, nz = r.n.nz;
  double dq[64], dv[64], du[16], B[16], Bz[16], h = 1e-6, f[2][16], y[64], worst = 0;
  assert_int_equal(td_forward_tangent(r.model, r.state, r.work, dq, dv, du), TD_OK);
  assert_int_equal(td_input_map(r.model, r.state, r.work, B), TD_OK);
  assert_int_equal(td_internal_map(r.model, r.state, r.work, Bz), TD_OK);
  double Rq[16], Rv[16], Ru[4], Rz[4], bias[2][16], tau[2][16];
  assert_int_equal(td_internal_tangent(r.model, r.state, r.work, Rq, Rv, Ru, Rz), TD_OK);
  for (int side = 0; side < 2; side++) {
    r.state->u[0] += side ? -2 * h : h;
    rates_at(&r, r.state, f[side], y);
    td_bias(r.model, r.state, r.work, bias[side], tau[side]);
  }
  r.state->u[0] += h;
  for (int i = 0; i < nv; i++) {
    worst = fmax(worst, fabs(du[i] - (f[0][i] - f[1][i]) / (2 * h)));
    worst = fmax(worst, fabs(B[i] - (tau[0][i] - bias[0][i] - tau[1][i] + bias[1][i]) / (2 * h)));
  }
  for (int i = 0; i < nz; i++)
    worst = fmax(worst, fabs(Ru[i] - (f[0][nv + i] - f[1][nv + i]) / (2 * h)));
  for (int k = 0; k < nz; k++) {
    for (int side = 0; side < 2; side++) {
      r.state->z[k] += side ? -2 * h : h;
      rates_at(&r, r.state, f[side], y);
      td_bias(r.model, r.state, r.work, bias[side], tau[side]);
    }
    r.state->z[k] += h;
    for (int i = 0; i < nv; i++)
      worst = fmax(worst, fabs(Bz[i * nz + k] -
                               (tau[0][i] - bias[0][i] - tau[1][i] + bias[1][i]) / (2 * h)));
    for (int i = 0; i < nz; i++)
      worst = fmax(worst, fabs(Rz[i * nz + k] - (f[0][nv + i] - f[1][nv + i]) / (2 * h)));
  }
  CHECK_REACHED("derivatives by inputs and internal states", worst, 1e-6);
  close_model(&r);
}

// ---- equilibria -------------------------------------------------------------------------------

// A spring pulls by the pressure of a closed gas (held), a filter follows the position (rate zero),
// two vessels share an amount (their sum is held).
static void test_equilibria_hold_what_rates_do_not_determine(void** ctx) {
  (void)ctx;
  robot r = open_model(SLIDER
                       "g = internal('gas', 3); f = internal('f', 0);\n"
                       "m1 = internal('m1', 1e-5); m2 = internal('m2', 2e-5);\n"
                       "dynamics(1).of = 'gas'; dynamics(1).rate = 0;\n"
                       "dynamics(2).of = 'f'; dynamics(2).rate = (dof(joint(1), 1) - f)/0.1;\n"
                       "dynamics(3).of = 'm1'; dynamics(3).rate = m2 - 2*m1;\n"
                       "dynamics(4).of = 'm2'; dynamics(4).rate = 2*m1 - m2;\n"
                       "joint(1).dof(1).spring.coeff = 10; joint(1).dof(1).damp.visc = 1;\n"
                       "joint(1).dof(1).input = 4*g + 2*f + 1e5*m1;\n");
  td_equil_result e;
  const td_equil_options o = td_equil_options_default();
  assert_int_equal(td_equilibrium(r.model, r.work, r.state, &o, &e), TD_OK);
  // 10 x = 12 + 2 x + 1
  CHECK_REACHED("held states: position", fabs(r.state->q[0] - 13.0 / 8), 1e-12);
  CHECK_REACHED("held states: closed gas", fabs(r.state->z[0] - 3), 0);
  CHECK_REACHED("held states: filter", fabs(r.state->z[1] - 13.0 / 8), 1e-12);
  CHECK_REACHED("held states: vessels",
                fmax(fabs(r.state->z[2] - 1e-5), fabs(r.state->z[3] - 2e-5)) / 1e-5, 1e-12);
  assert_int_equal(e.stability, TD_STABLE);
  assert_string_equal(e.note, "");
  close_model(&r);
}

// The feedback through a filter makes a spring unstable: only the eigenvalues of all states tell.
static void test_stability_is_that_of_all_states(void** ctx) {
  (void)ctx;
  static const struct {
    const char* gain;
    td_stability want;
  } cases[] = {{"5", TD_STABLE}, {"15", TD_DIVERGENCE}};
  for (int i = 0; i < 2; i++) {
    char text[800];
    snprintf(
        text, sizeof text,
        SLIDER
        "f = internal('f', 0); dynamics(1).of = 'f'; dynamics(1).rate = dof(joint(1), 1) - f;\n"
        "joint(1).dof(1).spring.coeff = 10; joint(1).dof(1).damp.visc = 1;\n"
        "joint(1).dof(1).input = %s*f;\n",
        cases[i].gain);
    robot r = open_model(text);
    td_equil_result e;
    assert_int_equal(td_equilibrium(r.model, r.work, r.state, NULL, &e), TD_OK);
    assert_int_equal(e.stability, cases[i].want);
    close_model(&r);
  }
}

// Nonlinear: a chamber between a supply and a leak pushes a piston against a spring.
static void test_a_chamber_between_supply_and_leak(void** ctx) {
  (void)ctx;
  robot r = open_model(SLIDER
                       "V = 1e-4*(0.1 + dof(joint(1), 1))*10; m = internal('air', 1.2e-4);\n"
                       "p = m*287*293/V;\n"
                       "dynamics(1).of = 'air';\n"
                       "dynamics(1).rate = 1e-9*((3e5 - p) - 2*(p - 1e5)*(1 + 1e-6*p));\n"
                       "joint(1).dof(1).spring.coeff = 500; joint(1).dof(1).damp.visc = 20;\n"
                       "joint(1).dof(1).input = 1e-3*(p - 1e5);\n");
  td_equil_result e;
  assert_int_equal(td_equilibrium(r.model, r.work, r.state, NULL, &e), TD_OK);
  // 3e5 - p = 2 (p - 1e5)(1 + 1e-6 p)
  const double b = 3 - 0.2, p = (-b + sqrt(b * b + 4 * 2e-6 * 5e5)) / (4e-6);
  const double x = 1e-3 * (p - 1e5) / 500, m = p * 1e-3 * (0.1 + x) / (287 * 293);
  CHECK_REACHED("chamber at rest: piston", fabs(r.state->q[0] - x) / x, 1e-10);
  CHECK_REACHED("chamber at rest: amount of air", fabs(r.state->z[0] - m) / m, 1e-10);
  assert_int_equal(e.stability, TD_STABLE);
  // it stays there
  const double before = r.state->q[0];
  td_trajectory* t = run(&r, 1, 1e-8, TD_SOLVER_AUTO);
  CHECK_REACHED("chamber at rest: stays", fabs(r.state->q[0] - before), 1e-9);
  td_trajectory_free(t);
  close_model(&r);
}

// ---- dense and sparse -------------------------------------------------------------------------

// A string of masses: the amount of air in a bag pushes its middle and follows its motion.
static void string_of_masses(char* text, size_t size, const char* linear) {
  int n = snprintf(text, size, "par.linear = '%s'; world.g = [0 0 -9.81];\n", linear);
  for (int i = 1; i <= 12; i++)
    n += snprintf(
        text + n, size - (size_t)n,
        "body(%d).m = 0.1; joint(%d).second = [%d]; joint(%d).tr(1).trans = [inf inf inf];\n"
        "joint(%d).dof(1).init = %g; joint(%d).dof(2).init = 0; joint(%d).dof(3).init = 0;\n",
        i, i, i, i, i, 0.1 * i, i, i);
  for (int i = 0; i <= 12; i++) {
    n += snprintf(text + n, size - (size_t)n,
                  "joint(%d).first = [%d]; joint(%d).second = [%d]; joint(%d).spring.coeff = 300;\n"
                  "joint(%d).spring.init = 0.09; joint(%d).damp.visc = 0.2;\n",
                  13 + i, i, 13 + i, i == 12 ? 0 : i + 1, 13 + i, 13 + i, 13 + i);
    if (i == 12)
      n += snprintf(text + n, size - (size_t)n, "joint(25).tr2nd(1).trans = [1.3 0 0];\n");
  }
  snprintf(text + n, size - (size_t)n,
           "a = internal('a', 0.5); b = internal('b', 0);\n"
           "h = [0 0 1]*pos(body(6))';\n"
           "dynamics(1).of = 'a'; dynamics(1).rate = 20*(1 - a) + 3*h - 2*b;\n"
           "dynamics(2).of = 'b'; dynamics(2).rate = 5*(a - b) + 0.4*[0 0 1]*vel(body(6))';\n"
           "exload(1).exbody = 6; exload(1).ftau = [0 0 8*a - b^2];\n");
}

static void test_dense_and_sparse_agree(void** ctx) {
  (void)ctx;
  char text[2][8000];
  string_of_masses(text[0], sizeof text[0], "dense");
  string_of_masses(text[1], sizeof text[1], "sparse");
  robot r[2] = {open_model(text[0]), open_model(text[1])};
  const int nq = r[0].n.nq;
  assert_int_equal(r[1].n.nq, nq);
  static const td_solver solvers[] = {TD_SOLVER_EXPLICIT, TD_SOLVER_STIFF};
  for (int k = 0; k < 2; k++) {
    double worst = 0;
    long steps[2];
    for (int i = 0; i < 2; i++) {
      assert_int_equal(td_state_initial(r[i].model, r[i].work, r[i].state), TD_OK);
      td_trajectory* p = run(&r[i], 0.5, 1e-9, solvers[k]);
      steps[i] = td_trajectory_stats(p)->steps;
      td_trajectory_free(p);
    }
    for (int i = 0; i < nq; i++) worst = fmax(worst, fabs(r[0].state->q[i] - r[1].state->q[i]));
    for (int i = 0; i < 2; i++) worst = fmax(worst, fabs(r[0].state->z[i] - r[1].state->z[i]));
    CHECK_REACHED("dense and sparse: motion", worst, 1e-7);
    // a wrong Jacobian would cost steps
    CHECK_REACHED("dense and sparse: steps", fabs((double)steps[1] / (double)steps[0] - 1), 0.4);
  }
  td_equil_result e[2];
  double worst = 0;
  for (int i = 0; i < 2; i++)
    assert_int_equal(td_equilibrium(r[i].model, r[i].work, r[i].state, NULL, &e[i]), TD_OK);
  for (int i = 0; i < nq; i++) worst = fmax(worst, fabs(r[0].state->q[i] - r[1].state->q[i]));
  for (int i = 0; i < 2; i++) worst = fmax(worst, fabs(r[0].state->z[i] - r[1].state->z[i]));
  CHECK_REACHED("dense and sparse: equilibrium", worst, 1e-9);
  CHECK_REACHED("dense and sparse: iterations", abs(e[0].iterations - e[1].iterations), 3);
  assert_int_equal(e[0].stability, TD_STABLE);
  assert_int_equal(e[1].stability, TD_STABLE);
  for (int i = 0; i < 2; i++) close_model(&r[i]);
}

// ---- a plant, corners, controllers --------------------------------------------------------------

static void test_a_plant_goes_the_same_way(void** ctx) {
  (void)ctx;
  robot r = open_model(filter);
  td_plant* p = NULL;
  td_sim_options o = td_sim_options_default();
  o.rtol = 1e-9, o.atol = 1e-11;
  assert_int_equal(td_plant_new(r.model, r.work, r.state, &o, &p), TD_OK);
  for (int i = 1; i <= 20; i++) assert_int_equal(td_plant_step(p, 0.1 * i), TD_OK);
  CHECK_REACHED("plant: position", fabs(td_plant_state(p)->q[0] - filtered(2, 0.3, 50, 2)), 1e-8);
  CHECK_REACHED("plant: internal state", fabs(td_plant_state(p)->z[0] - 1 + exp(-2 / 0.3)), 1e-8);
  td_plant_free(p);
  close_model(&r);
}

// A rate that jumps with time and one that has a corner where a state passes a limit.
static void test_corners_of_rates_are_met(void** ctx) {
  (void)ctx;
  robot r = open_model(SLIDER
                       "a = internal('a', 0); b = internal('b', 0);\n"
                       "dynamics(1).of = 'a'; dynamics(1).rate = step(t, 0.37) - step(t, 1.21);\n"
                       "dynamics(2).of = 'b'; dynamics(2).rate = max(a - 0.5, 0);\n");
  td_trajectory* p = run(&r, 2, 1e-6, TD_SOLVER_EXPLICIT);
  // b grows from t = 0.87 on: 0.34^2/2, then 0.34 a second
  const double want = 0.34 * 0.34 / 2 + 0.34 * 0.79;
  CHECK_REACHED("corners: ramp", fabs(r.state->z[0] - 0.84), 1e-9);
  CHECK_REACHED("corners: integral beyond a limit", fabs(r.state->z[1] - want), 5e-8);
  td_trajectory_free(p);
  close_model(&r);
}

// A controller whose law sees an internal state: m x'' = -k x - c x' - (integral of x) by hand.
static void test_laws_see_internal_states(void** ctx) {
  (void)ctx;
  static const char* const texts[] = {
      "u = input('u', 0); w = internal('w', 0); dynamics(1).of = 'w';\n"
      "dynamics(1).rate = dof(joint(1), 1) + 0.1*u;\n"
      "control(1).law = -3*w - dof(joint(1), 1); joint(1).dof(1).input = u;\n",
      "w = internal('w', 0); dynamics(1).of = 'w'; u = -3*w - dof(joint(1), 1);\n"
      "dynamics(1).rate = dof(joint(1), 1) + 0.1*u; joint(1).dof(1).input = u;\n"};
  double x[2][2];
  static const td_solver solvers[] = {TD_SOLVER_EXPLICIT, TD_SOLVER_STIFF};
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 2; i++) {
      char text[1000];
      snprintf(text, sizeof text,
               SLIDER
               "joint(1).dof(1).init = 0.2; joint(1).dof(1).spring.coeff = 20;\n"
               "joint(1).dof(1).damp.visc = 2;\n%s",
               texts[i]);
      robot r = open_model(text);
      td_trajectory* p = run(&r, 2, 1e-9, solvers[k]);
      x[i][0] = r.state->q[0];
      x[i][1] = r.state->z[0];
      td_trajectory_free(p);
      close_model(&r);
    }
    CHECK_REACHED("laws: position", fabs(x[0][0] - x[1][0]), 1e-7);
    CHECK_REACHED("laws: internal state", fabs(x[0][1] - x[1][1]), 1e-7);
  }
}

// ---- inputs over time -------------------------------------------------------------------------

static void test_inputs_over_time(void** ctx) {
  (void)ctx;
  robot r = open_model(SLIDER "u = input('u', 7); joint(1).dof(1).input = u;\n");
  const double t[] = {0, 0.5, 1.25, 2}, u[] = {0, 2, 2, -1};
  const int which[] = {0};
  const td_input_table table = {.rows = 4, .n = 1, .t = t, .input = which, .values = u};
  td_sim_options o = td_sim_options_default();
  o.t_final = 2;
  o.inputs = &table;
  td_trajectory* p = NULL;
  assert_int_equal(td_simulate(r.model, r.work, r.state, &o, &p), TD_OK);
  // the impulse is the area: 0.5 + 1.5 + 0.375
  CHECK_REACHED("inputs over time: velocity", fabs(r.state->v[0] - 2.375 / 2), 1e-12);
  CHECK_REACHED("inputs over time: shown", fabs(td_trajectory_inputs(p, 25)[0] - 1), 1e-12);
  td_trajectory_free(p);
  static const struct {
    double t[3];
    const char* why;
  } bad[] = {{{0, 1, 1}, "must ascend"}, {{0, 1, 1.5}, "covers t"}, {{0.2, 1, 3}, "covers t"}};
  for (int i = 0; i < 3; i++) {
    const td_input_table wrong = {.rows = 3, .n = 1, .t = bad[i].t, .input = which, .values = u};
    o.inputs = &wrong;
    td_state_initial(r.model, r.work, r.state);
    assert_int_equal(td_simulate(r.model, r.work, r.state, &o, &p), TD_E_USAGE);
    assert_non_null(strstr(td_trajectory_diagnosis(p), bad[i].why));
    td_trajectory_free(p);
  }
  close_model(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_filter_drives_a_spring),
      cmocka_unit_test(test_a_fast_filter_is_stiff),
      cmocka_unit_test(test_a_chain_of_links),
      cmocka_unit_test(test_a_chamber_fills),
      cmocka_unit_test(test_a_maxwell_element),
      cmocka_unit_test(test_predator_and_prey_keep_their_invariant),
      cmocka_unit_test(test_linear_models_are_those_of_differences),
      cmocka_unit_test(test_derivatives_have_the_widths_of_their_names),
      cmocka_unit_test(test_equilibria_hold_what_rates_do_not_determine),
      cmocka_unit_test(test_stability_is_that_of_all_states),
      cmocka_unit_test(test_a_chamber_between_supply_and_leak),
      cmocka_unit_test(test_dense_and_sparse_agree),
      cmocka_unit_test(test_a_plant_goes_the_same_way),
      cmocka_unit_test(test_corners_of_rates_are_met),
      cmocka_unit_test(test_laws_see_internal_states),
      cmocka_unit_test(test_inputs_over_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
