// The directional derivative of the sensors: along time, coordinates, rates, inputs, parameters and
// numbers it is the differences of order 8 of the sensors themselves, for every kind of sensor, and
// along coordinates, rates and inputs the columns of the sensor tangent.
#include "engine/direction.h"
#include "engine/sensors.h"
#include "robots.h"

enum { MOST = 512 };

static double largest(const double* x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static const struct {
  const char *name, *text;
} sensed[] = {
    {"tree",
     "a = param('a', .3); b = param('b', 1.2); c = param('c', .4); u1 = input('u1', .2);\n"
     "world.g = [a 0 -9.81*b];\n"
     "for k = 1:4, body(k).m = b + k/7; body(k).I = diag([.01 .02 .025]*k*b); body(k).l_com = [a "
     ".02*k -c]; end\n"
     "joint(1).second = 1; joint(1).type = 'free'; joint(1).dof(1).spring.coeff = 3*b; "
     "joint(1).dof(1).spring.init = nan; joint(1).dof(2).spring.coeff = 2; "
     "joint(1).dof(2).spring.init = a;\n"
     "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [c a^2 .3]; "
     "joint(2).tr(1).rot = [3 a]; joint(2).type = 'helical'; joint(2).axis = [1 2 .5]; "
     "joint(2).pitch = .07; joint(2).dof(1).input = 3*u1 + b*t;\n"
     "joint(3).first = 2; joint(3).second = 3; joint(3).tr(1).trans = [a inf 0]; "
     "joint(3).tr(1).rot = [inf inf inf];\n"
     "joint(4).first = 2; joint(4).second = 4; joint(4).tr(1).trans = [0 a -c]; "
     "joint(4).tr(1).rot = [0 inf inf inf];\n"
     "joint(5).first = 1; joint(5).second = 3; joint(5).tr.trans = [0 a 0]; joint(5).spring.coeff "
     "= 25*b; joint(5).spring.init = nan; joint(5).spring.compr = .7*b; joint(5).damp.visc = a;\n"
     "joint(6).first = 3; joint(6).second = 4; joint(6).xaxis = [1 a 0]; joint(6).spring.coeff = "
     "[10 11 12 1 2 3]*b; joint(6).spring.init = nan*ones(1,6);\n"
     "joint(7).first = 1; joint(7).second = 4; joint(7).spring.coeff = 5*(1 + a*dof(joint(2),1)); "
     "joint(7).input = u1;\n"
     "magnet(1).on = 3; magnet(1).moment = [.3 a .5]; magnet(1).field = [1 b 3];\n"
     "exload(1).exbody = 4; exload(1).ftau = [b .2 a*t .03 c*dof(joint(2),1) .01]; "
     "exload(1).tr.trans = [a .2 c];\n"
     "x = {pos(body(3), [.1 .2 .3]), rot(body(4)), quat(body(4)), vel(body(2), [0 .1 .2]), "
     "omega(body(3)), acc(body(4), [.1 0 -.2]), length(joint(5)), stretch(joint(6)), "
     "force(joint(2)), force(joint(3)), force(joint(5)), force(joint(6)), dof(joint(3), 1), "
     "ddof(joint(2), 1), ddof(joint(4), 1), energy(), com(), q(2), v(3), "
     "a*b*u1*t + c*energy()^2};\n"},
    {"four-bar",
     "a = param('a', .5); b = param('b', 1); u1 = input('u1', .3); world.g = [0 -9.81 0];\n"
     "for k = 1:3, body(k).m = b; body(k).I = .1*eye(3); body(k).l_com = [a/2 0 0]; end\n"
     "joint(1).second = 1; joint(1).tr.rot = [3 inf]; joint(1).dof(1).init = pi/2; "
     "joint(1).dof(1).input = u1;\n"
     "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [a 0 0]; joint(2).tr.rot = [3 "
     "inf]; joint(2).dof(1).init = -pi/2; joint(2).dof(1).spring.coeff = 4*b;\n"
     "joint(3).second = 3; joint(3).tr.trans = [1 0 0]; joint(3).tr.rot = [3 inf]; "
     "joint(3).dof(1).init = pi/2;\n"
     "joint(4).first = 2; joint(4).second = 3; joint(4).tr.trans = [b 0 0]; "
     "joint(4).tr2nd.trans = [.6*a + .2 0 0]; joint(4).type = 'revolute'; joint(4).axis = [0 0 "
     "1];\n"
     "x = {lambda(joint(4)), force(joint(4)), force(joint(1)), acc(body(3), [.1 .2 0]), "
     "energy(), com()};\n"},
    {"given",
     "a = param('a', .3); b = param('b', 2); world.g = [b*sin(t) 0 "
     "-9.81];\n"
     "for k = 1:2, body(k).m = k*b; body(k).I = .1*eye(3); body(k).l_com = [.2 a 0]; end\n"
     "joint(1).second = 1; joint(1).tr.rot = [3 inf]; joint(1).dof(1).motion = b*t + a*sin(2*t);\n"
     "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [.5 a 0]; joint(2).tr.rot = [2 "
     "inf]; joint(2).dof(1).spring.coeff = 4; joint(2).dof(1).damp.visc = b;\n"
     "x = {acc(body(2), [.1 0 .2]), force(joint(1)), force(joint(2)), energy(), "
     "vel(body(1), [.2 0 0])};\n"},
    {"rods",
     "a = param('a', .3); b = param('b', 1.1); u1 = input('u1', .4); world.g = [a 0 -9.81];\n"
     "models = {'gvs', 'srl', 'ebr', 'eba', 'rom'};\n"
     "for k = 1:5, rod(k).model = models{k}; rod(k).n = 2; rod(k).tr.trans = [a*k .1 0]; "
     "rod(k).tr.rot = [1 a]; rod(k).length = .2; rod(k).radius = .015*b - .01*a*s; rod(k).E = "
     "1e5*b; rod(k).rho = 1000*b; rod(k).eta = 300*b; rod(k).shape = [0 0 0 1 .3 0];\n"
     "rod(k).load = [a 0 b*sin(3*t)*s 0 1e-3 0]; rod(k).input = [0 0 .1*b u1*1e-3 0 0]; end\n"
     "cable(1).rod = 2; cable(1).path = .01*b*[cos(20*s) sin(20*s)]; cable(1).tension = 3*b;\n"
     "cable(2).rod = 5; cable(2).path = [.003*b -.002]; cable(2).pull = .01*b; "
     "cable(2).stiffness = 40*b;\n"
     "x = {strain(rod(1), .1), strain(rod(2), .12), strain(rod(5), .05), stretch(rod(1)), "
     "stretch(rod(2)), wrench(rod(1), .1), wrench(rod(4), .1), wrench(rod(2), .08), "
     "tension(cable(1)), tension(cable(2)), length(cable(2)), pos(rod(3), .2), acc(rod(4), .15), "
     "energy(), com()};\n"},
    {"held",  // the ground holds the first pieces of rods of segments
     "a = param('a', .3); b = param('b', 1.1); world.g = [a 0 -9.81];\n"
     "rod(1).model = 'srl'; rod(1).n = 3; rod(1).tr.trans = [a b .1]; rod(1).tr.rot = [2 a]; "
     "rod(1).length = .2; rod(1).radius = .015*b - .01*a*s; rod(1).E = 1e5; rod(1).rho = "
     "1000*b;\n"
     "rod(2).model = 'eba'; rod(2).n = 2; rod(2).tr.trans = [0 a b]; rod(2).length = .3; "
     "rod(2).radius = .01; rod(2).E = 1e5; rod(2).rho = 800*a;\n"
     "x = {com()};\n"},
    {"coordinates",
     "a = param('a', 2); world.g = [.3 0 -9.81];\n"
     "rod(1).model = 'gvs'; rod(1).length = .3; rod(1).radius = .015; rod(1).E = 1e5; rod(1).rho "
     "= 1000*a; rod(1).coords = 2; c = coord(rod(1)); rod(1).points = 5; rod(1).init = [a 4];\n"
     "rod(1).strain = [0 0 .1*c(2)^2/a c(1)/(1 + (a*c(2)*s)^2) c(1)*sin(a*s) .5];\n"
     "x = {coord(rod(1)), dcoord(rod(1)), pos(rod(1), .3), acc(rod(1), .2), wrench(rod(1), .1), "
     "strain(rod(1), .2), energy()};\n"},
    {"surroundings",
     "a = param('a', .3); b = param('b', 1.1); world.g = [.3 0 -9.81*b]; fluid.rho = 800*b; "
     "fluid.velocity = [a -.2 b*t];\n"
     "body(1).m = 2; body(1).I = 1e-2*diag([1 2 2.5]); body(1).fluid.volume = 1.5e-3*b; "
     "body(1).fluid.center = [0 .01 a]; body(1).fluid.added_mass = b*diag([1 2 3 .1 .2 .3]); "
     "body(1).fluid.drag_matrix = a*diag([1 2 3 .1 .2 .3]);\n"
     "joint(1).second = 1; joint(1).type = 'free';\n"
     "rod(1).first = 1; rod(1).tr.trans = [a 0 0]; rod(1).length = .2; rod(1).radius = .03; "
     "rod(1).E = 1e5; rod(1).rho = 1000; rod(1).fluid.drag = [.7*b 1 .1];\n"
     "contact(1).first = body(1); contact(1).points = [.1 a -.05; 0 .1 -.02]; contact(1).ball = "
     ".3*b; contact(1).second = 'plane'; contact(1).point = [0 0 -.1*b]; contact(1).normal = [a .2 "
     "1]; contact(1).stiffness = 100*b; contact(1).damping = a; contact(1).friction = .1*b; "
     "contact(1).slip = a; contact(1).exponent = 1.5;\n"
     "contact(2).first = rod(1); contact(2).second = 'sphere'; contact(2).center = [a -.2 .1]; "
     "contact(2).radius = .33; contact(2).exponent = 1.5; contact(2).stiffness = 1e3*b;\n"
     "contact(4).first = body(1); contact(4).ball = .2*b; contact(4).second = 'sphere'; "
     "contact(4).center = [a .1 .1]; contact(4).radius = .3*b; contact(4).stiffness = 200;\n"
     "contact(3).first = rod(1); contact(3).second = 'cylinder'; contact(3).center = [0 -.25 .05]; "
     "contact(3).axis = [1 a 0]; contact(3).radius = .33; contact(3).stiffness = 300;\n"
     "x = {energy(), acc(body(1)), com(), vel(rod(1), .2)};\n"},
    {"cable",  // an inextensible one
     "a = param('a', .3); b = param('b', 1.1); u1 = input('u1', 0); world.g = [.2 0 -9.81];\n"
     "body(1).m = b; body(1).I = .1*eye(3); joint(1).second = 1; joint(1).tr.rot = [2 inf]; "
     "joint(1).dof(1).init = .3;\n"
     "cable(1).via = {0, 1}; cable(1).points = [a 0 .5; .1*b 0 -.4]; cable(1).pull = .1*a + "
     ".02*sin(t);\n"
     "x = {tension(cable(1)), length(cable(1)), acc(body(1), [0 0 -.4]), force(joint(1)), "
     "energy()};\n"},
};
enum { SENSED = sizeof sensed / sizeof *sensed };

// A model with one sensor for each element of the list x.
static robot load(int i) {
  char text[8192];
  snprintf(
      text, sizeof text,
      "%sfor k = 1:numel(x), sensor(k).name = sprintf('s%%d', k); sensor(k).value = x{k}; end\n",
      sensed[i].text);
  robot r = robot_load(text);
  uint64_t seed = 7;
  assert_true(r.nv <= MOST && r.ny <= MOST);
  robot_shake(&r, &seed, 0.3);
  return r;
}

// Move everything by h along a direction from a state, whose inputs, parameters and numbers are
// given, and evaluate the sensors.
typedef struct origin {
  const td_state* state;
  const double *param, *number;
} origin;

static void sensors_along(robot* r, const origin* at, const td_direction* d, double h, double* y) {
  td_model* m = r->model;
  double dq[MOST];
  for (int k = 0; k < r->nv; k++) dq[k] = d->q ? h * d->q[k] : 0;
  td_state_copy(m, at->state, r->state);
  td_displace(m, at->state->q, dq, r->state->q);
  for (int k = 0; k < r->nv && d->v; k++) r->state->v[k] += h * d->v[k];
  for (int k = 0; k < r->nu && d->u; k++) r->state->u[k] += h * d->u[k];
  r->state->t += h * d->t;
  for (int k = 0; k < m->nparam && d->p; k++)
    td_work_put_param(m, r->work, k, at->param[k] + h * d->p[k]);
  for (int k = 0; k < m->nnumber && d->n; k++) m->number[k] = at->number[k] + h * d->n[k];
  if (d->n) r->work->dirty = true;
  assert_int_equal(td_trial_sensors(m, r->state, r->work, y), TD_OK);
}

// Differences of order 8 with the step for which this and the next smaller one agree best, sensor
// by sensor; `apart`: by how much these two differ.
static void differences(robot* r, const origin* at, const td_direction* d, double* out,
                        double* apart) {
  static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  double now[MOST], before[MOST], y[MOST];
  for (int i = 0; i < r->ny; i++) apart[i] = INFINITY;
  for (int k = 0; k < 8; k++) {
    const double h = 2e-2 * pow(0.4, k);
    memset(now, 0, sizeof now);
    for (int s = 1; s <= 4; s++)
      for (int sign = -1; sign <= 1; sign += 2) {
        sensors_along(r, at, d, sign * s * h, y);
        for (int i = 0; i < r->ny; i++) now[i] += sign * weight[s - 1] * y[i] / h;
      }
    for (int i = 0; i < r->ny && k > 0; i++)
      if (fabs(now[i] - before[i]) < apart[i]) {
        apart[i] = fabs(now[i] - before[i]);
        out[i] = now[i];
      }
    memcpy(before, now, sizeof now);
  }
  sensors_along(r, at, d, 0, y);
}

static void check_along(robot* r, const origin* at, const td_direction* d, const char* model,
                        const char* what) {
  double got[MOST], want[MOST], apart[MOST], y[MOST];
  differences(r, at, d, want, apart);
  sensors_along(r, at, d, 0, y);
  assert_int_equal(td_sensors_diff(r->model, r->state, r->work, d, got), TD_OK);
  double worst = 0;
  int at_worst = 0;
  for (int i = 0; i < r->ny; i++) {
    // components that cancel are as uncertain as those that do not
    const double size = fmax(fabs(want[i]), 1e-3 * fmax(largest(y, r->ny), largest(want, r->ny)));
    const double error = fmax(0, fabs(got[i] - want[i]) - 3 * apart[i]) / size;
    if (error > worst) worst = error, at_worst = i;
  }
  char text[160];
  snprintf(text, sizeof text, "%s along %s (%s: %g, differences %g)", model, what,
           td_model_sensor_name(r->model, at_worst), got[at_worst], want[at_worst]);
  CHECK_REACHED(text, worst, 1e-8);
}

static void test_sensors_change_as_their_differences(void** state) {
  (void)state;
  for (int i = 0; i < SENSED; i++) {
    robot r = load(i);
    td_model* m = r.model;
    uint64_t seed = 3;
    td_state* start = td_state_new(m);
    td_state_copy(m, r.state, start);
    double dq[MOST] = {0}, dv[MOST] = {0}, du[MOST] = {0}, dp[MOST] = {0}, param[MOST];
    double* number = malloc(sizeof(double) * (size_t)m->nnumber);
    double* dn = calloc((size_t)m->nnumber, sizeof(double));
    memcpy(number, m->number, sizeof(double) * (size_t)m->nnumber);
    for (int k = 0; k < m->nparam; k++) param[k] = td_work_param(m, r.work, k);
    const origin at = {start, param, number};
    for (int k = 0; k < r.nv; k++) {
      // what is prescribed does not move
      const bool moves = m->vel[k].motion == NUM_NONE;
      dq[k] = moves ? 0.1 * check_random(&seed) : 0;
      dv[k] = moves ? check_random(&seed) : 0;
    }
    for (int k = 0; k < r.nu; k++) du[k] = check_random(&seed);

    check_along(&r, &at, &(td_direction){.q = dq}, sensed[i].name, "coordinates");
    check_along(&r, &at, &(td_direction){.v = dv}, sensed[i].name, "rates");
    check_along(&r, &at, &(td_direction){.t = 1}, sensed[i].name, "time");
    if (r.nu > 0) check_along(&r, &at, &(td_direction){.u = du}, sensed[i].name, "inputs");
    for (int k = 0; k < m->nparam; k++) {
      dp[k] = 0.3 * param[k];
      check_along(&r, &at, &(td_direction){.p = dp}, sensed[i].name, td_model_param_name(m, k));
      dp[k] = 0;
    }

    // a third of all numbers that are constant and not 0; inertias stay symmetric
    for (int k = 0; k < m->nnumber; k++) {
      const bool own = m->constant[k] && isfinite(number[k]) && check_random(&seed) > 0.3;
      dn[k] = own ? 0.3 * number[k] * check_random(&seed) : 0;
    }
    for (int l = 0; l < m->nlump; l++)
      for (int k = 0; k < 9; k++) {
        double *a = &dn[m->lump[l].I + k], *b = &dn[m->lump[l].I + 3 * (k % 3) + k / 3];
        *a = *b = 0.5 * (*a + *b);
      }
    check_along(&r, &at, &(td_direction){.n = dn}, sensed[i].name, "numbers");
    free(number);
    free(dn);
    td_state_free(start);
    robot_free(&r);
  }
}

static void test_sensors_change_as_their_tangent(void** state) {
  (void)state;
  for (int i = 0; i < SENSED; i++) {
    robot r = load(i);
    uint64_t seed = 5;
    const int nv = r.nv, nu = model_drives(r.model);
    double dq[MOST], dv[MOST], du[MOST] = {0}, got[MOST], want[MOST] = {0}, worst = 0;
    const size_t bytes = sizeof(double) * (size_t)(r.ny * (nv + nu) + 1);
    double *C = malloc(bytes), *Cv = malloc(bytes), *Cu = malloc(bytes);
    bool known[MOST];
    for (int k = 0; k < nv; k++) {
      const bool moves = r.model->vel[k].motion == NUM_NONE;
      dq[k] = moves ? check_random(&seed) : 0;
      dv[k] = moves ? check_random(&seed) : 0;
    }
    for (int k = 0; k < nu; k++) du[k] = check_random(&seed);
    assert_int_equal(td_sensor_tangent(r.model, r.state, r.work, C, Cv, Cu, known), TD_OK);
    for (int y = 0; y < r.ny; y++) {
      for (int k = 0; k < nv; k++) want[y] += C[y * nv + k] * dq[k] + Cv[y * nv + k] * dv[k];
      for (int k = 0; k < nu; k++) want[y] += Cu[y * nu + k] * du[k];
    }
    const td_direction along = {.q = dq, .v = dv, .u = du};
    assert_int_equal(td_sensors_diff(r.model, r.state, r.work, &along, got), TD_OK);
    for (int y = 0; y < r.ny; y++)
      if (known[y])
        worst =
            fmax(worst, fabs(got[y] - want[y]) / fmax(fabs(want[y]), 1e-3 * largest(want, r.ny)));
    CHECK_REACHED(sensed[i].name, worst, 1e-8);
    free(C);
    free(Cv);
    free(Cu);
    robot_free(&r);
  }
}

static void test_every_kind_of_sensor_is_among_them(void** state) {
  (void)state;
  bool seen[SENSOR_KIND_COUNT] = {false};
  for (int i = 0; i < SENSED; i++) {
    robot r = load(i);
    for (int k = 0; k < r.model->nprobe; k++) seen[r.model->probe[k].kind] = true;
    robot_free(&r);
  }
  for (int k = 0; k < SENSOR_KIND_COUNT; k++)
    if (!seen[k]) fail_msg("%s is not tested", td_sensor_table[k].name);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_kind_of_sensor_is_among_them),
      cmocka_unit_test(test_sensors_change_as_their_tangent),
      cmocka_unit_test(test_sensors_change_as_their_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
