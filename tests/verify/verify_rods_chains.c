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
#include "rods_paths.h"

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
    const double along = c->sides ? m->phi - turn / 2 : m->phi, before = turn;
    turn =
        c->h * (c->natural + moment_about(m, m->x - half * cos(along), m->y - half * sin(along)));
    if (!c->sides || turn == before) break;
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
                    "joint(1).fixed = [1 1 0 0 1 0]; exload(1).exbody = at(rod(1), L/2); "
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

// ---- limit points -----------------------------------------------------------------------------

// A chain between hinges: the angle at the far hinge, the force there and the load are unknown, and
// three numbers tell how far the march misses the near end.  Forces count in tens, so that all
// unknowns are of one size.
enum { unknowns = 4 };
typedef void (*closing)(const chain* c, const double u[unknowns], double miss[3], double at[2]);

// S16: from the left hinge to the right end, which is clamped; the load is at the crown.
static void close_arch(const chain* c, const double u[unknowns], double miss[3], double at[2]) {
  const double a = 107.5 * pi / 180;
  march m = {.x = -sin(a), .y = cos(a), .phi = u[0]};
  add_force(&m, 10 * u[1], 10 * u[2], m.x, m.y);
  for (int i = c->n; i > 0; i--) {
    step_back(c, &m);
    if (2 * (i - 1) != c->n) continue;
    at[0] = 1 - m.y;
    at[1] = m.x;
    add_force(&m, 0, -10 * u[3], m.x, m.y);
  }
  miss[0] = m.x - sin(a);
  miss[1] = m.y - cos(a);
  miss[2] = m.phi - (pi - a);
}

// S06: from the hinge of the beam, over the load and round the corner, to that of the column, where
// no moment is.
static void close_frame(const chain* c, const double u[unknowns], double miss[3], double at[2]) {
  march m = {.x = 1, .y = 1, .phi = u[0]};
  add_force(&m, 10 * u[1], 10 * u[2], m.x, m.y);
  for (int i = c->n; i > 0; i--) {
    step_back(c, &m);
    if (5 * (i - 1) != c->n) continue;
    at[0] = 1 - m.y;
    at[1] = m.x - 0.2;
    add_force(&m, 0, -10 * u[3], m.x, m.y);
  }
  m.phi += pi / 2;
  for (int i = 0; i < c->n; i++) step_back(c, &m);
  miss[0] = m.x;
  miss[1] = m.y;
  miss[2] = moment_about(&m, m.x, m.y);
}

// Solve A x = b by elimination with pivots
static void eliminate(double A[unknowns][unknowns], double x[unknowns]) {
  for (int k = 0; k < unknowns; k++) {
    int best = k;
    for (int i = k + 1; i < unknowns; i++)
      if (fabs(A[i][k]) > fabs(A[best][k])) best = i;
    for (int j = 0; j < unknowns; j++) {
      const double swap = A[k][j];
      A[k][j] = A[best][j];
      A[best][j] = swap;
    }
    const double swap = x[k];
    x[k] = x[best];
    x[best] = swap;
    for (int i = 0; i < unknowns; i++) {
      const double f = A[i][k] / A[k][k];
      if (i == k) continue;
      for (int j = k; j < unknowns; j++) A[i][j] -= f * A[k][j];
      x[i] -= f * x[k];
    }
  }
  for (int k = 0; k < unknowns; k++) x[k] /= A[k][k];
}

// Derivatives of the three misses, by central differences, above a row that is given
static void border(const chain* c, closing close, const double u[unknowns],
                   const double row[unknowns], double A[unknowns][unknowns]) {
  const double d = 1e-6;
  double at[2], w[unknowns], high[3], low[3];
  memcpy(w, u, sizeof w);
  for (int j = 0; j < unknowns; j++) {
    w[j] = u[j] + d;
    close(c, w, high, at);
    w[j] = u[j] - d;
    close(c, w, low, at);
    w[j] = u[j];
    for (int i = 0; i < 3; i++) A[i][j] = (high[i] - low[i]) / (2 * d);
    A[3][j] = row[j];
  }
}

// Newton across a direction; the tangent of the path there, of length one and along it.
static void correct(const chain* c, closing close, double u[unknowns], const double along[unknowns],
                    double tangent[unknowns], double at[2]) {
  double A[unknowns][unknowns], size = 1;
  for (int k = 0; k < 20 && size > 1e-13; k++) {
    double step[unknowns] = {0};
    border(c, close, u, along, A);
    close(c, u, step, at);
    eliminate(A, step);
    size = 0;
    for (int j = 0; j < unknowns; j++) {
      u[j] -= step[j];
      size = fmax(size, fabs(step[j]));
    }
  }
  assert_true(size < 1e-11);
  border(c, close, u, along, A);
  memcpy(tangent, (double[unknowns]){0, 0, 0, 1}, sizeof(double[unknowns]));
  eliminate(A, tangent);
  size = sqrt(tangent[0] * tangent[0] + tangent[1] * tangent[1] + tangent[2] * tangent[2] +
              tangent[3] * tangent[3]);
  for (int j = 0; j < unknowns; j++) tangent[j] /= size;
}

// Where the path stands
typedef struct place {
  double u[unknowns], tangent[unknowns], at[2];
} place;

static place go_on(const chain* c, closing close, const place* from, double length) {
  place p = *from;
  for (int j = 0; j < unknowns; j++) p.u[j] += length * from->tangent[j];
  correct(c, close, p.u, from->tangent, p.tangent, p.at);
  return p;
}

// Load and place at the first `count` limits of a path that starts without load: halving of the
// step in which the load turns.
static void chain_limits(const chain* c, closing close, double angle, int count, double* out) {
  const double length = 0.05;
  place p = {.u = {angle}, .tangent = {0, 0, 0, 1}};
  correct(c, close, p.u, (double[unknowns]){0, 0, 0, 1}, p.tangent, p.at);
  for (int steps = 0, found = 0; found < count; steps++) {
    const place next = go_on(c, close, &p, length);
    assert_true(steps < 1000);
    if (next.tangent[3] * p.tangent[3] < 0) {
      double low = 0, high = length;
      place mid = next;
      for (int k = 0; k < 40; k++) {
        mid = go_on(c, close, &p, (low + high) / 2);
        *(mid.tangent[3] * p.tangent[3] > 0 ? &low : &high) = (low + high) / 2;
      }
      out[3 * found] = 10 * mid.u[3];
      memcpy(out + 3 * found++ + 1, mid.at, sizeof mid.at);
    }
    p = next;
  }
}

typedef struct limit_row {
  const char* name;
  path_row row;
  closing close;
  double length, natural, angle;  // of a segmented rod; at the hinge before any load
  int count, n[4];
  double want[6];  // load and place of each limit
} limit_row;

// Where the load is stationary the place is known to the root of what the load is known to.
static void compare_limits(const limit_row* r, const char* model) {
  double error[2][2] = {{0}};
  for (int i = 0; i < 4; i++) {
    const chain c = {strcmp(model, "ebr") == 0, r->n[i], r->length / r->n[i], r->natural};
    double x[6], y[6];
    chain_limits(&c, r->close, r->angle, r->count, x);
    find_critical(bench_new(r->row.text, model, c.n), &r->row, TD_LIMIT, r->count, 2, y);
    for (int k = 0; k < r->count; k++) {
      const double *chains = x + 3 * k, *engine = y + 3 * k, *want = r->want + 3 * k;
      char what[80];
      snprintf(what, sizeof what, "%s %s n=%d limit %d: engine and recursion", r->name, model, c.n,
               k + 1);
      CHECK_REACHED(what, fabs(chains[0] / engine[0] - 1), 1e-8);
      CHECK_REACHED(what, distance(chains + 1, engine + 1, 2), 1e-4);
      error[k][0] = fabs(chains[0] / want[0] - 1) * c.n * c.n;
      error[k][1] = distance(chains + 1, want + 1, 2) * c.n * c.n;
    }
  }
  for (int k = 0; k < r->count; k++)
    printf("%s %s recursion, limit %d: C %.3g of the load, %.3g of the place\n", r->name, model,
           k + 1, error[k][0], error[k][1]);
}

static void test_S06_limits_of_a_frame_of_chains(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();  // paths take minutes there
  const limit_row r = {"S06",
                       {"cosserat = 0;\n" LEE, -12, 20, 0.2},
                       close_frame,
                       1,
                       0,
                       0,
                       2,
                       {5, 10, 15, 20},
                       {18.5587465395, 48.7394542129 / 120, 26.8868525274 / 120, -9.42128745387,
                        58.2004841879 / 120, 90.2119138573 / 120}};
  compare_limits(&r, "srl");
  compare_limits(&r, "ebr");
}

static void test_S16_the_limit_of_an_arch_of_a_chain(void** state) {
  (void)state;
  if (CHECK_SANITIZED) skip();  // paths take minutes there
  const double a = 107.5 * pi / 180;
  const limit_row r = {"S16",
                       {ARCH(TO_THE_HINGE), 7, 11, 0.2},
                       close_arch,
                       2 * a,
                       1,
                       pi + a,
                       1,
                       {16, 24, 32, 48},
                       {8.97308996972, 1.13732063125, -0.61141465795}};
  compare_limits(&r, "srl");
  compare_limits(&r, "ebr");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_S07_weights_on_a_chain),
      cmocka_unit_test(test_S13_a_follower_on_a_chain),
      cmocka_unit_test(test_S15_a_ring_of_a_chain),
      cmocka_unit_test(test_S06_limits_of_a_frame_of_chains),
      cmocka_unit_test(test_S16_the_limit_of_an_arch_of_a_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
