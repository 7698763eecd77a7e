// Every real number of a model is a parameter: a work whose parameter is set to another value is
// the model whose text has that value, and derivatives by the parameter are differences of order 8,
// for residual, constraints and sensors; the reverse is their transpose.  Where the structure of
// the discretisation would change, the value is refused.
#include "engine/direction.h"
#include "robots.h"

enum { MOST = 512 };

// A text with the parameter p, two values of it, and one that is refused (0: none).
typedef struct followed {
  const char *name, *text;
  double first, second, refused;
} followed;

#define ROD(model)                                                                                \
  "world.g = [1 0 -9.81]; rod(1).model = '" model                                                 \
  "'; rod(1).n = 3; rod(1).tr.trans = [.1 .2 0]; rod(1).tr.rot = [1 .3]; rod(1).length = p; "     \
  "rod(1).radius = .02 - .01*s + .02*s^2; rod(1).E = 1e5*(1 + s); rod(1).rho = 1000 + 300*s; "    \
  "rod(1).eta = 300; rod(1).load = [.3 .1*s sin(3*t)*s 0 1e-3 0]; rod(1).input = [0 0 .1 1e-3 0 " \
  "0];\n"                                                                                         \
  "body(1).m = .05; body(1).I = 1e-4*diag([1 2 2.5]); joint(1).first = at(rod(1), p); "           \
  "joint(1).second = 1; joint(1).type = 'revolute'; joint(1).dof(1).init = .2;\n"                 \
  "exload(1).exbody = at(rod(1), .6*p); exload(1).ftau = [1 2 3 .01 .02 .03];\n"                  \
  "exload(2).exbody = at(rod(1), .13); exload(2).ftau = [1 -2 3 .01 .02 .03];\n"                  \
  "cable(1).path = [.01 .002 + .01*s]; cable(1).tension = 2; cable(2).path = [-.01 0]; "          \
  "cable(2).pull = .02; cable(2).stiffness = 300; cable(2).friction = .2; cable(2).to = .21;\n"   \
  "cable(3).path = [0 -.01]; cable(3).to = .8*p; cable(3).from = .2*p; cable(3).tension = 1;\n"   \
  "chamber(1).offset = [.004 .002]; chamber(1).area = 1e-5 + 1e-5*s; chamber(1).pressure = 1e4; " \
  "chamber(1).from = .04; chamber(1).to = .75*p;\n"                                               \
  "sensor(1).name = 'a'; sensor(1).value = [pos(rod(1)) pos(rod(1), .6*p) vel(rod(1), .13)];\n"   \
  "sensor(2).name = 'b'; sensor(2).value = [stretch(rod(1)) strain(rod(1), .6*p)];\n"             \
  "sensor(3).name = 'c'; sensor(3).value = [length(cable(2)) tension(cable(2)) energy com];\n"

// A rod of fixed length on which everything is at places of p.
#define PLACES(model)                                                                            \
  "world.g = [1 0 -9.81]; rod(1).model = '" model                                                \
  "'; rod(1).n = 3; rod(1).length = .3; rod(1).radius = .02 - .01*s + .02*s^2; rod(1).E = "      \
  "1e5*(1 + s); rod(1).rho = 1000 + 300*s; rod(1).eta = 300;\n"                                  \
  "body(1).m = .05; body(1).I = 1e-4*diag([1 2 2.5]); joint(1).first = at(rod(1), p); "          \
  "joint(1).second = 1; joint(1).type = 'revolute'; joint(1).dof(1).init = .2;\n"                \
  "exload(1).exbody = at(rod(1), p); exload(1).ftau = [1 2 3 .01 .02 .03];\n"                    \
  "rod(2).model = '" model                                                                       \
  "'; rod(2).n = 1; rod(2).first = at(rod(1), p + .004); rod(2).length = .1; rod(2).radius = "   \
  ".01; rod(2).E = 1e5; rod(2).rho = 1000; rod(2).tr.rot = [1 .4];\n"                            \
  "cable(1).via = {0, at(rod(1), p), at(rod(2), .07)}; cable(1).points = [.1 .02 0; 0 .01 0; 0 " \
  "0 0]; cable(1).pull = .02; cable(1).stiffness = 300;\n"                                       \
  "joint(2).first = 0; joint(2).second = at(rod(1), p); joint(2).spring.coeff = 3; "             \
  "joint(2).spring.init = nan; joint(2).tr.trans = [.1 0 .3];\n"                                 \
  "sensor(1).name = 'a'; sensor(1).value = [pos(rod(1), p) vel(at(rod(1), p)) pos(rod(2))];\n"

#define ENDS(model)                                                                               \
  "world.g = [1 0 -9.81]; rod(1).model = '" model                                                 \
  "'; rod(1).n = 3; rod(1).length = .3; rod(1).radius = .02 - .01*s; rod(1).E = 1e5; rod(1).rho " \
  "= 1000;\n"                                                                                     \
  "cable(1).path = [.01 .002 + .01*s]; cable(1).tension = 2; cable(1).to = p; cable(2).path = "   \
  "[-.01 0]; cable(2).pull = .02; cable(2).stiffness = 300; cable(2).friction = .2; cable(2).to " \
  "= p; cable(2).from = p - .13; cable(3).path = [.01*cos(9*s) .01*sin(9*s)]; cable(3).to = p; "  \
  "cable(3).pull = -.001;\n"                                                                      \
  "chamber(1).offset = [.004 .002]; chamber(1).area = 1e-5; chamber(1).pressure = 1e4; "          \
  "chamber(1).from = p - .13;\n"                                                                  \
  "chamber(2).offset = [0 .002]; chamber(2).area = 1e-5; chamber(2).pressure = 1e4; "             \
  "chamber(2).to = p;\n"                                                                          \
  "sensor(1).name = 'a'; sensor(1).value = [pos(rod(1)) length(cable(1)) tension(cable(2)) "      \
  "length(cable(2)) length(cable(3)) energy];\n"

#define PARTS(model)                                                                               \
  "world.g = [1 0 -9.81]; rod(1).model = '" model                                                  \
  "'; rod(1).radius = .02 - .01*s; rod(1).E = 1e5*(1 + s); rod(1).rho = 1000;\n"                   \
  "rod(1).part(1).length = .1; rod(1).part(1).n = 1; rod(1).part(2).length = p; rod(1).part(2).n " \
  "= 2; rod(1).part(2).E = 2e5; rod(1).part(3).length = .2 - p; rod(1).part(3).n = 1; "            \
  "rod(1).part(3).radius = .01;\n"                                                                 \
  "cable(1).path = [.005 .002]; cable(1).tension = 2; cable(1).to = .1 + p; cable(2).path = "      \
  "[-.005 0]; cable(2).pull = .02; cable(2).stiffness = 300; cable(2).to = .21;\n"                 \
  "rod(2).model = '" model                                                                         \
  "'; rod(2).n = 1; rod(2).first = at(rod(1), .1 + p/3); rod(2).length = p; rod(2).radius = .01; " \
  "rod(2).E = 1e5; rod(2).rho = 1000; rod(2).tr.rot = [1 .4];\n"                                   \
  "sensor(1).name = 'a'; sensor(1).value = [pos(rod(1)) pos(rod(1), .23) length(cable(1)) "        \
  "pos(rod(2))];\n"

#define AXES                                                                                      \
  "world.g = [1 0 -9.81]; for k = 1:8, body(k).m = k; body(k).I = .1*k*diag([1 1.5 2]); "         \
  "body(k).l_com = [.1 .2 .05*k]; end\n"                                                          \
  "types = {'revolute', 'prismatic', 'helical', 'cylindrical', 'planar', 'universal'};\n"         \
  "for k = 1:6, joint(k).first = k - 1; joint(k).second = k; joint(k).tr.trans = [.1 .2 .3]; "    \
  "joint(k).type = types{k}; joint(k).axis = [p 1 .4]; end\n"                                     \
  "joint(3).pitch = p; joint(6).axis = [p 1 .4; 1 -2*p .3];\n"                                    \
  "joint(7).second = 7; joint(7).type = 'free'; joint(8).second = 8; joint(8).type = 'free';\n"   \
  "joint(9).first = 6; joint(9).second = 7; joint(9).type = 'helical'; joint(9).pitch = .1; "     \
  "joint(9).axis = [1 p 0];\n"                                                                    \
  "joint(10).first = 7; joint(10).second = 8; joint(10).type = 'universal'; joint(10).axis = [1 " \
  "0 p; 0 1 p];\n"                                                                                \
  "sensor(1).name = 'a'; sensor(1).value = [pos(body(6), [.1 p .2]) pos(body(8)) energy];\n"

// Bent and moving at the start, with a second rod behind the first and cables through both.
#define CHAIN(model)                                                                               \
  "world.g = [1 0 -9.81]; for k = 1:2, rod(k).model = '" model                                     \
  "'; rod(k).n = 3; rod(k).length = k*p; rod(k).radius = .02; rod(k).E = 1e5; rod(k).rho = "       \
  "1000; end\n"                                                                                    \
  "rod(1).tr.rot = [1 p]; rod(2).first = at(rod(1), p); rod(2).joint.type = 'revolute'; "          \
  "rod(2).joint.axis = [1 p .3];\n"                                                                \
  "cable(1).rod = [1 2]; cable(1).path = [.01 .05*s]; cable(1).tension = 2; cable(1).to = 1.6*p; " \
  "cable(2).rod = [1 2]; cable(2).path = [-.01 0]; cable(2).pull = .01; cable(2).stiffness = "     \
  "300;\n"                                                                                         \
  "sensor(1).name = 'a'; sensor(1).value = [pos(rod(2)) pos(rod(2), p/3) "                         \
  "length(cable(1)) length(cable(2)) energy];\n"

#define BENT_ROD                                                                          \
  "world.g = [1 0 -9.81]; rod(1).model = 'gvs'; rod(1).length = p; rod(1).radius = .02; " \
  "rod(1).rho = 1000; "

#define SURROUNDED(model)                                                                          \
  BENT_ROD "rod(1).n = 2; rod(1).model = '" model                                                  \
           "'; rod(1).E = 1e5; fluid.rho = 900; fluid.velocity = [.2*here(3) .1 0]; "              \
           "rod(1).fluid.drag = "                                                                  \
           "[1 1 .1 + s]; magnet(1).on = rod(1); magnet(1).moment = [0 s 70]; magnet(1).field = "  \
           "[.1 .2 "                                                                               \
           "0]; rod(1).load = [pos(rod(1), s)*[1 0 0]' .1*here(1) 0 0 0 0];\n"                     \
           "magnet(2).on = at(rod(1), .4*p); magnet(2).moment = [0 0 3*p]; magnet(2).field = [.1 " \
           ".2 0];\n"                                                                              \
           "joint(1).first = at(rod(1), p); joint(1).second = 0; joint(1).type = 'spherical'; "    \
           "joint(1).tr2nd.trans = [.01 0 .27];\n"                                                 \
           "sensor(1).name = 'a'; sensor(1).value = [pos(rod(1)) com energy];\n"

static const followed cases[] = {
    {"chain, gvs", CHAIN("gvs"), .3, .33, 0},
    {"chain, rom", CHAIN("rom"), .3, .33, 0},
    {"chain, ebr", CHAIN("ebr"), .3, .33, 0},
    {"chain, srl", CHAIN("srl"), .3, .33, 0},
    {"chain, eba", CHAIN("eba"), .3, .33, 0},
    {"bent, gvs",
     BENT_ROD "rod(1).n = 2; rod(1).E = 1e5; rod(1).init = [0 0 .01*p 2 + 3*s p 0]; rod(1).shape = "
              "[0 0 0 p .2*s 0]; rod(1).rate = [0 0 0 p*s 0 0]; cable(1).path = [.01 0]; "
              "cable(1).pull = .01; cable(1).stiffness = 200; cable(1).to = .17; sensor(1).name = "
              "'a'; sensor(1).value = [pos(rod(1)) length(cable(1)) strain(rod(1), .3*p) "
              "strain(rod(1), .16)];",
     .3, .31, .5},
    {"bent, ebr",
     BENT_ROD
     "rod(1).n = 2; rod(1).E = 1e5; rod(1).model = 'ebr'; rod(1).init = [0 0 .01*p 2 + 3*s "
     "p 0]; rod(1).shape = [0 0 0 p .2*s 0]; rod(1).rate = [0 0 0 p*s 0 0]; cable(1).path "
     "= [.01 0]; cable(1).pull = .01; cable(1).stiffness = 200; cable(1).to = .17; "
     "sensor(1).name = 'a'; sensor(1).value = [pos(rod(1)) length(cable(1))];",
     .3, .31, .1},
    {"bent, eba",
     BENT_ROD
     "rod(1).n = 2; rod(1).E = 1e5; rod(1).model = 'eba'; rod(1).init = [0 0 .01*p 2 + 3*s "
     "p 0]; rod(1).shape = [0 0 0 p .2*s 0]; rod(1).rate = [0 0 0 p*s 0 0]; cable(1).path "
     "= [.01 0]; cable(1).pull = .01; cable(1).stiffness = 200; cable(1).to = .17; "
     "sensor(1).name = 'a'; sensor(1).value = [pos(rod(1)) length(cable(1))];",
     .3, .31, .1},
    {"functions",
     BENT_ROD "rod(1).E = 1e5; rod(1).basis = 'custom'; rod(1).functions = [0 0 0; 0 0 0; 1 0 0; 1 "
              "s sin(4*p*s); 1 exp(-p*s) 0; 1 s^2 0]; cable(1).path = [.01 0]; cable(1).to = .2; "
              "cable(1).tension = 3; sensor(1).name = 'a'; sensor(1).value = [pos(rod(1)) "
              "strain(rod(1), .1)];",
     .3, .305, .18},
    {"bases",
     BENT_ROD "rod(1).E = 1e5; rod(1).basis = {'hermite', 'bspline', 'linear', 'quadratic', "
              "'cubic', 'chebyshev'}; rod(1).elements = [2 2 3 2 1 1]; rod(1).order = [3 3 1 2 3 "
              "4]; cable(1).path = [.01 0]; cable(1).to = .23; cable(1).tension = 3; "
              "exload(1).exbody = at(rod(1), .22); exload(1).ftau = [1 2 3 .1 .2 .3]; "
              "sensor(1).name = 'a'; sensor(1).value = [pos(rod(1)) strain(rod(1), .11)];",
     .3, .301, .2},
    {"energy",
     BENT_ROD
     "rod(1).n = 2; rod(1).energy = 50*strain(3)^2*(1 + s) + 3*strain(4)^2 + p*strain(5)^2 "
     "+ strain(6)^2 + 20*strain(1)^2 + 20*strain(2)^2 + strain(4)^4; sensor(1).name = 'a'; "
     "sensor(1).value = [pos(rod(1)) energy];",
     .3, .33, 0},
    {"own",
     BENT_ROD
     "rod(1).E = 1e5; rod(1).coords = 2; q = coord(rod(1)); rod(1).strain = [0 0 0 q(1) + "
     "q(2)*sin(s/p) p*q(1)*q(2)*s 0]; sensor(1).name = 'a'; sensor(1).value = [pos(rod(1)) "
     "energy];",
     .3, .33, 0},
    {"surrounded, gvs", SURROUNDED("gvs"), .3, .31, 0},
    {"surrounded, rom", SURROUNDED("rom"), .3, .31, 0},
    {"surrounded, ebr", SURROUNDED("ebr"), .3, .31, 0},
    {"surrounded, srl", SURROUNDED("srl"), .3, .31, 0},
    {"surrounded, eba", SURROUNDED("eba"), .3, .31, 0},
    {"length, gvs", ROD("gvs"), .3, .307, .7},
    {"length, rom", ROD("rom"), .3, .33, .12},
    {"length, ebr", ROD("ebr"), .3, .31, .12},
    {"length, srl", ROD("srl"), .3, .31, .12},
    {"length, eba", ROD("eba"), .3, .31, .12},
    {"places, gvs", PLACES("gvs"), .12, .122, .2},
    {"places, rom", PLACES("rom"), .12, .17, .31},
    {"places, ebr", PLACES("ebr"), .12, .13, .2},
    {"places, srl", PLACES("srl"), .12, .13, .2},
    {"places, eba", PLACES("eba"), .12, .13, .2},
    {"ends, gvs", ENDS("gvs"), .18, .22, .31},
    {"ends, rom", ENDS("rom"), .18, .22, .31},
    {"ends, ebr", ENDS("ebr"), .18, .22, .31},
    {"ends, srl", ENDS("srl"), .18, .22, .31},
    {"ends, eba", ENDS("eba"), .18, .22, .31},
    {"axes", AXES, .3, .37, 1.1},
    {"parts, gvs", PARTS("gvs"), .09, .093, .19},
    {"parts, rom", PARTS("rom"), .09, .1, .21},
    {"parts, ebr", PARTS("ebr"), .09, .092, .21},
    {"parts, srl", PARTS("srl"), .09, .092, .21},
    {"parts, eba", PARTS("eba"), .09, .092, .21},
};
enum { CASES = sizeof cases / sizeof *cases };

static double accelerations[MOST], multipliers[MOST];

// Everything that is compared, one behind the other: F, M, sensors, constraints.
typedef struct answers {
  double F[MOST], y[MOST], e[3 * MOST];
} answers;

static void answer(robot* r, answers* a) {
  const td_model* m = r->model;
  memset(a, 0, sizeof *a);
  td_taut_all(m, r->work, true);
  td_residual(m, r->state, r->work, accelerations, multipliers, a->F);
  td_sensors(m, r->state, r->work, a->y);
  td_enter(m, r->state, r->work);
  td_accelerate(m, r->work, accelerations, false);
  for (int i = 0; i < r->nrow; i++) {
    const row_value v = td_row_at(m, r->work, i);
    double e, ed;
    td_row_target(m, r->work, i, &e, &ed);
    a->e[i] = v.e - e;
    a->e[r->nrow + i] = v.ed - ed;
    a->e[2 * r->nrow + i] = v.edd - td_row_drive(m, r->work, i, &v);
  }
}

static double apart(const double* x, const double* y, int n) {
  double most = 0, size = 0;
  for (int i = 0; i < n; i++) {
    if (!isfinite(x[i]) || !isfinite(y[i])) return INFINITY;
    most = fmax(most, fabs(x[i] - y[i]));
    size = fmax(size, fabs(x[i]));
  }
  return size > 0 ? most / size : most;
}

// The text with p as a parameter, or as a number.
static robot load(const followed* c, double value, bool parameter) {
  char* text = malloc(strlen(c->text) + 100);
  sprintf(text, parameter ? "p = param('p', %.17g);\n%s" : "p = %.17g;\n%s", value, c->text);
  robot r = robot_load(text);
  free(text);
  assert_true(r.nv <= MOST && r.nrow <= MOST && r.ny <= MOST);
  return r;
}

static void shake(robot* r) {
  uint64_t seed = 5;
  robot_shake(r, &seed, 0.3);
  for (int k = 0; k < r->nv; k++) accelerations[k] = check_random(&seed);
  for (int k = 0; k < r->nrow; k++) multipliers[k] = check_random(&seed);
}

static void test_a_value_set_is_a_value_loaded(void** state) {
  (void)state;
  static answers a, b;
  for (int i = 0; i < CASES; i++) {
    const followed* c = &cases[i];
    robot with = load(c, c->first, true), plain = load(c, c->second, false);
    shake(&with);
    if (td_work_set_param(with.model, with.work, 0, c->second) != TD_OK)
      fail_msg("%s: %s", c->name, td_work_failure(with.work));
    assert_int_equal(with.nq, plain.nq);
    memcpy(plain.state->q, with.state->q, sizeof(double) * (size_t)with.nq);
    memcpy(plain.state->v, with.state->v, sizeof(double) * (size_t)with.nv);
    plain.state->t = with.state->t;
    answer(&with, &a);
    answer(&plain, &b);
    char what[64];
    snprintf(what, sizeof what, "%s: F", c->name);
    CHECK_REACHED(what, apart(b.F, a.F, with.nv), 1e-12);
    snprintf(what, sizeof what, "%s: y", c->name);
    CHECK_REACHED(what, apart(b.y, a.y, with.ny), 1e-12);
    snprintf(what, sizeof what, "%s: e", c->name);
    CHECK_REACHED(what, apart(b.e, a.e, 3 * with.nrow), 1e-11);
    if (c->refused != 0)
      assert_int_equal(td_work_set_param(with.model, with.work, 0, c->refused), TD_E_MODEL);
    robot_free(&with);
    robot_free(&plain);
  }
}

// Differences of order 8 of all answers by the parameter.
static void differences(robot* r, double at, double h, answers* out) {
  static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  static answers a;
  memset(out, 0, sizeof *out);
  double* to = out->F;
  const double* from = a.F;
  for (int s = 1; s <= 4; s++)
    for (int sign = -1; sign <= 1; sign += 2) {
      td_work_put_param(r->model, r->work, 0, at + sign * s * h);
      answer(r, &a);
      for (int i = 0; i < (int)(sizeof a / sizeof(double)); i++)
        to[i] += sign * weight[s - 1] * from[i] / h;
    }
  td_work_put_param(r->model, r->work, 0, at);
}

static void test_derivatives_are_the_differences(void** state) {
  (void)state;
  static answers now, before, want, got;
  for (int i = 0; i < CASES; i++) {
    const followed* c = &cases[i];
    robot r = load(c, c->first, true);
    shake(&r);
    double best[3] = {INFINITY, INFINITY, INFINITY};
    for (int k = 0; k < 7; k++) {
      differences(&r, c->first, 4e-3 * pow(0.4, k), &now);
      const double off[3] = {apart(now.F, before.F, r.nv), apart(now.y, before.y, r.ny),
                             apart(now.e, before.e, 3 * r.nrow)};
      if (k > 0 && off[0] < best[0]) memcpy(want.F, now.F, sizeof now.F), best[0] = off[0];
      if (k > 0 && off[1] < best[1]) memcpy(want.y, now.y, sizeof now.y), best[1] = off[1];
      if (k > 0 && off[2] < best[2]) memcpy(want.e, now.e, sizeof now.e), best[2] = off[2];
      before = now;
    }
    td_taut_all(r.model, r.work, true);
    const double one = 1;
    const td_direction along = {.p = &one};
    td_residual_diff(r.model, r.state, r.work, &along, accelerations, multipliers, got.F);
    td_sensors_diff(r.model, r.state, r.work, &along, got.y);
    td_constraints_diff(r.model, r.state, r.work, &along, accelerations, got.e, got.e + r.nrow,
                        got.e + 2 * r.nrow);
    char what[64];
    snprintf(what, sizeof what, "%s: dF", c->name);
    CHECK_REACHED(what, apart(want.F, got.F, r.nv), 1e-9);
    snprintf(what, sizeof what, "%s: dy", c->name);
    CHECK_REACHED(what, apart(want.y, got.y, r.ny), 1e-9);
    snprintf(what, sizeof what, "%s: de", c->name);
    if (r.nrow > 0) CHECK_REACHED(what, apart(want.e, got.e, 3 * r.nrow), 1e-9);

    // the transpose
    double weight[MOST], p = 0, sum = 0;
    uint64_t seed = 3;
    for (int k = 0; k < r.nv; k++) sum += got.F[k] * (weight[k] = check_random(&seed));
    const td_adjoint out = {.p = &p};
    td_residual_reverse(r.model, r.state, r.work, accelerations, multipliers, weight, &out);
    snprintf(what, sizeof what, "%s: reverse", c->name);
    CHECK_REACHED(what, fabs(p - sum) / fabs(sum), 1e-10);
    robot_free(&r);
  }
}

// Directions that are taken at once give what each gives alone, to the bit, and so do those whose
// changes of constants were made before; constants of other parameters are not used.
static void test_a_block_is_its_directions(void** state) {
  (void)state;
  static double one_by_one[4 * MOST], together[4 * MOST], rows[2][4 * MOST];
  for (int i = 0; i < CASES; i++) {
    const followed* c = &cases[i];
    robot r = load(c, c->first, true);
    shake(&r);
    const double one = 1, two = 2;
    double q[MOST], v[MOST];
    uint64_t seed = 7;
    for (int k = 0; k < r.nv; k++) q[k] = check_random(&seed), v[k] = check_random(&seed);
    td_constants_change* known = td_constants_change_new(r.model, r.work, &one);
    assert_non_null(known);
    const td_direction plain[4] = {
        {.p = &one}, {.q = q, .v = v}, {.p = &two, .v = v}, {.p = &one, .q = q}};
    td_direction along[4];
    memcpy(along, plain, sizeof along);
    along[0].constants = along[3].constants = known;
    for (int k = 0; k < 4; k++) {
      td_residual_diff(r.model, r.state, r.work, &plain[k], accelerations, multipliers,
                       one_by_one + k * r.nv);
      td_constraints_diff(r.model, r.state, r.work, &plain[k], accelerations, rows[0] + k * r.nrow,
                          NULL, NULL);
    }
    td_residual_diffs(r.model, r.state, r.work, along, 4, accelerations, multipliers, together,
                      NULL, NULL);
    td_constraints_diffs(r.model, r.state, r.work, along, 4, accelerations, rows[1], NULL, NULL);
    assert_memory_equal(one_by_one, together, 4 * (size_t)r.nv * sizeof(double));
    assert_memory_equal(rows[0], rows[1], 4 * (size_t)r.nrow * sizeof(double));

    // stale constants
    td_work_put_param(r.model, r.work, 0, c->first * (1 + 1e-3));
    td_residual_diff(r.model, r.state, r.work, &plain[0], accelerations, multipliers, one_by_one);
    td_residual_diff(r.model, r.state, r.work, &along[0], accelerations, multipliers, together);
    assert_memory_equal(one_by_one, together, (size_t)r.nv * sizeof(double));
    td_constants_change_free(known);
    robot_free(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_value_set_is_a_value_loaded),
      cmocka_unit_test(test_derivatives_are_the_differences),
      cmocka_unit_test(test_a_block_is_its_directions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
