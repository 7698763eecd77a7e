// Segments are what they are said to be: chains written down as recursions of their moments from
// the free end, in the plane and with no code in common with the engine, have the same equilibria
// at every number of segments, and with them the same error constants.
//
// A chain of n segments of length h carries the frame angles φ_0 … φ_n of its nodes and turns by
// θ_i = φ_i - φ_{i-1} in segment i:
//
//   srl   half a side along φ_{i-1}, the joint, half a side along φ_i
//   ebr   one side along the mean angle (φ_{i-1} + φ_i)/2
//
// In both a change of θ_i turns all that follows about the middle of the segment, m_i (for ebr: the
// middle of the side), so that virtual work gives
//
//   (θ_i - h κ°)/h = moment about m_i of the forces and the couple beyond                       (EI
//   = 1)
//
// and θ_i follows from the angle and the place of node i.
#include "rods_loads.h"

typedef struct chain {
  bool sides;  // ebr; else srl
  int n;
  double h, natural;  // length of a segment, natural curvature
} chain;

// Going from the tip to the base: node i, and what acts beyond it as one force and its moment about
// the origin.
typedef struct march {
  double x, y, phi, fx, fy, moment;
} march;

// Moment about a point
static double moment_about(const march* m, double x, double y) {
  return m->moment - (x * m->fy - y * m->fx);
}

// From node i to node i - 1.  The middle of a side depends on the turn: iterate, the factor of
// contraction is h² times the force.
static void step_back(const chain* c, march* m) {
  const double half = c->h / 2;
  double turn = 0;
  for (int k = 0; k < 60; k++) {
    const double along = c->sides ? m->phi - turn / 2 : m->phi;
    turn =
        c->h * (c->natural + moment_about(m, m->x - half * cos(along), m->y - half * sin(along)));
    if (!c->sides) break;
  }
  const double far = c->sides ? m->phi - turn / 2 : m->phi - turn,
               near = c->sides ? m->phi - turn / 2 : m->phi;
  m->x -= half * (cos(near) + cos(far));
  m->y -= half * (sin(near) + sin(far));
  m->phi -= turn;
}

// A force at (x, y)
static void add_force(march* m, double fx, double fy, double x, double y) {
  m->fx += fx;
  m->fy += fy;
  m->moment += x * fy - y * fx;
}

// ---- the rows ---------------------------------------------------------------------------------

// S13: the force is known in the frame of the tip, the base is where the march ends.
static void follower(const chain* c, double P, double tip[2]) {
  march m = {.fy = -P};
  for (int i = 0; i < c->n; i++) step_back(c, &m);
  tip[0] = -(m.x * cos(m.phi) + m.y * sin(m.phi));
  tip[1] = m.x * sin(m.phi) - m.y * cos(m.phi);
}

// S07: the base from a tip at the origin with angle `phi`.  Rigid pieces have their weight in their
// middles: nodes, and for the last half piece a quarter of a segment before the tip; polygons have
// it at their nodes, half of one at the tip.
static march hang(const chain* c, double P, double phi) {
  const double back = c->h / 4;
  march m = {.phi = phi};
  add_force(&m, 0, -P * c->h / 2, -back * cos(phi), -back * sin(phi));
  for (int i = c->n; i > 0; i--) {
    step_back(c, &m);
    add_force(&m, 0, -P * c->h, m.x, m.y);
  }
  return m;
}

// S15: a quarter of the ring from the side, where symmetry leaves half the pull and a couple.
static march quarter(const chain* c, double P, double couple) {
  march m = {.phi = pi / 2, .fy = P / 2, .moment = couple};
  for (int i = 0; i < c->n / 4; i++) step_back(c, &m);
  return m;
}

// Secant: the unknown with which a march ends at the angle 0; tip or side seen from the base.
typedef march (*shot)(const chain* c, double P, double unknown);
static double aim(const chain* c, shot shoot, double P, double guess, double at[2]) {
  double u = guess, before = guess + 1e-3, f = shoot(c, P, before).phi;
  for (int k = 0; k < 50; k++) {
    const march m = shoot(c, P, u);
    at[0] = -m.x;
    at[1] = -m.y;
    if (fabs(m.phi) < 1e-13 || m.phi == f) break;
    const double next = u - m.phi * (u - before) / (m.phi - f);
    before = u;
    f = m.phi;
    u = next;
  }
  assert_true(fabs(shoot(c, P, u).phi) < 1e-11);
  return u;
}

// ---- against the engine -----------------------------------------------------------------------

#define PLANAR_CHAIN                                                                     \
  ROD_HEAD                                                                               \
  "P = param('P', 0); rod(1).modes = [0 0 0 0 1 0]; rod(1).stiffness = [1 1 1 1 1 1];\n" \
  "rod(1).inertia = [1 1 1 1 1 1]; rod(1).tr.rot = along_x; sensor(1).name = 'tip';\n"

typedef struct chain_row {
  const char *name, *text;
  double length, natural;
  int n[max_levels];
  double constant;  // the error constant is above it for some model
  double P[3];
  int steps[3];  // in which the engine, and the shot, go to each load
  double want[3][2];
} chain_row;

typedef void (*solution)(const chain* c, double from, double P, int steps, double* unknown,
                         double at[2]);

static void of_follower(const chain* c, double from, double P, int steps, double* unknown,
                        double at[2]) {
  (void)from, (void)steps, (void)unknown;
  follower(c, P, at);
}

static void of_weight(const chain* c, double from, double P, int steps, double* unknown,
                      double at[2]) {
  for (int i = 1; i <= steps; i++)
    *unknown = aim(c, hang, from + (P - from) * i / steps, *unknown, at);
}

static void of_ring(const chain* c, double from, double P, int steps, double* unknown,
                    double at[2]) {
  for (int i = 1; i <= steps; i++)
    *unknown = aim(c, quarter, from + (P - from) * i / steps, *unknown, at);
}

// Both chains at every refinement: the engine's equilibrium is the recursion's (the engine leaves
// 1e-10 of the forces), and its constant is printed.
static void compare(const chain_row* r, const char* model, solution solve) {
  double error[3][max_levels] = {{0}};
  int last = 0;
  for (int i = 0; i < max_levels && r->n[i] > 0; i++) {
    const chain c = {strcmp(model, "ebr") == 0, r->n[i], r->length / r->n[i], r->natural};
    bench b = bench_new(r->text, model, r->n[i]);
    double unknown = 0, at[2], from = 0;
    for (int k = 0; k < 3 && r->steps[k] > 0; k++) {
      char what[80];
      solve(&c, from, r->P[k], r->steps[k], &unknown, at);
      bench_ramp(&b, "P", r->P[k], r->steps[k]);
      from = r->P[k];
      snprintf(what, sizeof what, "%s %s n=%d P=%g: engine and recursion", r->name, model, c.n,
               r->P[k]);
      CHECK_REACHED(what, distance(bench_sensor(&b, "tip"), at, 2) / r->length, 1e-8);
      error[k][i] = distance(at, r->want[k], 2) / r->length * c.n * c.n;
    }
    bench_free(&b);
    last = i;
  }
  for (int k = 0; k < 3 && r->steps[k] > 0; k++)
    printf("%s %s recursion, P=%g: C %.3g\n", r->name, model, r->P[k], error[k][last]);
}

static void both(const chain_row* r, solution solve) {
  compare(r, "srl", solve);
  compare(r, "ebr", solve);
}

static void test_S07_weights_on_a_chain(void** state) {
  (void)state;
  both(&(chain_row){"S07",
                    PLANAR_CHAIN "rod(1).length = 1; world.g = [0 -P 0]; p = pos(rod(1), 1); "
                                 "sensor(1).value = p(1:2);\n",
                    1,
                    0,
                    {12, 16, 24, 32},
                    0.6,
                    {10, 47.088},
                    {4, 12},
                    {{0.656353761239, -0.700199715514}, {0.25476418863, -0.904586426021}}},
       of_weight);
}

static void test_S13_a_follower_on_a_chain(void** state) {
  (void)state;
  both(&(chain_row){"S13",
                    PLANAR_CHAIN
                    "rod(1).length = 1; exload(1).exbody = at(rod(1), 1); exload(1).refbody = "
                    "at(rod(1), 1); exload(1).ftau = [-P 0 0]; p = pos(rod(1), 1); "
                    "sensor(1).value = p(1:2);\n",
                    1,
                    0,
                    {8, 10, 12, 16},
                    0.6,
                    {5, 10, 20},
                    {3, 3, 6},
                    {{0.172277875399, -0.780690142778},
                     {-0.0921231811894, -0.546983264594},
                     {0.27571012309, -0.330157659781}}},
       of_follower);
}

static void test_S15_a_ring_of_a_chain(void** state) {
  (void)state;
  both(&(chain_row){"S15",
                    PLANAR_CHAIN
                    "L = 2*pi; rod(1).length = L; rod(1).shape = [0 0 0 0 1 0]; "
                    "joint(1).first = at(rod(1), 0); joint(1).second = at(rod(1), L); "
                    "joint(1).fixed = [1 1 0 0 0 1]; exload(1).exbody = at(rod(1), L/2); "
                    "exload(1).refbody = 0; exload(1).ftau = [0 P 0];\n"
                    "side = pos(rod(1), L/4); sensor(1).value = side(1:2);\n",
                    2 * pi,
                    1,
                    {8, 12, 16, 20, 24},
                    0.6,
                    {1, 5, -1},
                    {1, 2, 3},
                    {{0.934680433277, 1.06644108146},
                     {0.736554068701, 1.22427311056},
                     {1.07061014972, 0.916528109471}}},
       of_ring);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_S07_weights_on_a_chain),
      cmocka_unit_test(test_S13_a_follower_on_a_chain),
      cmocka_unit_test(test_S15_a_ring_of_a_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
