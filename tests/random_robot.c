// Random robots: how a plan is drawn, and how it is written.  See random_robot.h.
//
// Everything that is written passes through a few functions that know what a number is: its
// dimension (for other units), whether a vector is polar or axial (for the mirror), and whether a
// place is on the ground (for another frame).
#include "random_robot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tendril/tendril.h"

const char* robot_element_name(robot_element e) {
  static const char* const names[] = {
#define X(name, text) text,
      ROBOT_ELEMENTS(X)
#undef X
  };
  return names[e];
}

// ---- vectors ----------------------------------------------------------------------------------

static void rotate(const double r[3], const double x[3], double out[3]) {
  const double a = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
  const double s = a > 0 ? sin(a) / a : 1, c = a > 0 ? (1 - cos(a)) / (a * a) : 0.5;
  const double u[3] = {r[1] * x[2] - r[2] * x[1], r[2] * x[0] - r[0] * x[2],
                       r[0] * x[1] - r[1] * x[0]};
  const double w[3] = {r[1] * u[2] - r[2] * u[1], r[2] * u[0] - r[0] * u[2],
                       r[0] * u[1] - r[1] * u[0]};
  for (int i = 0; i < 3; i++) out[i] = x[i] + s * u[i] + c * w[i];
}

// ---- drawing numbers --------------------------------------------------------------------------

static double between(uint64_t* seed, double low, double high) {
  return low + (high - low) * 0.5 * (1 + check_random(seed));
}
static int pick(uint64_t* seed, int n) {
  const int k = (int)(0.5 * (1 + check_random(seed)) * n);
  return k < n ? k : n - 1;
}
static bool chance(uint64_t* seed, double p) { return 0.5 * (1 + check_random(seed)) < p; }
static void vector(uint64_t* seed, double size, double x[3]) {
  for (int i = 0; i < 3; i++) x[i] = size * check_random(seed);
}
static void direction(uint64_t* seed, double x[3]) {
  double n = 0;
  while (n < 0.3) {
    vector(seed, 1, x);
    n = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  }
  for (int i = 0; i < 3; i++) x[i] /= n;
}

// ---- joints -----------------------------------------------------------------------------------

// Of each kind of joint: its number of velocities, and which of its values are polar ('p': change
// of sign like the axis in a mirror), axial triples ('a', three in a row), polar triples ('t') or
// plain angles ('-').
static const struct {
  int n;
  const char* nature;
  bool plain;  // has DOFs whose values are free of conventions: springs, motors and inputs may act
} joint_table[] = {
    [ROBOT_FIXED] = {0, "", false},        [ROBOT_REVOLUTE] = {1, "-", true},
    [ROBOT_PRISMATIC] = {1, "-", true},    [ROBOT_HELICAL] = {1, "-", true},
    [ROBOT_CYLINDRICAL] = {2, "-p", true}, [ROBOT_UNIVERSAL] = {2, "--", true},
    [ROBOT_PLANAR] = {3, "000", false},    [ROBOT_SPHERICAL] = {3, "aaa", false},
    [ROBOT_FREE] = {6, "tttaaa", false},   [ROBOT_CAYLEY] = {3, "aaa", false},
    [ROBOT_CHART] = {3, "aaa", false},     [ROBOT_SLOT] = {2, "--", true},
};

// A rotation that counts as a quaternion: whose laws and motion are those of its vector
static bool turns(const robot_part* p) {
  return p->joint == ROBOT_SPHERICAL || p->joint == ROBOT_FREE;
}

// ---- poses ------------------------------------------------------------------------------------

// A place at the start: where it is, how it is turned, and its velocity and angular velocity (of
// the frame itself, in its own axes).  From a text of the parts alone, by the library.
typedef struct frame {
  double x[3], R[9], v[3], w[3];
} frame;
static bool find_frame(const random_robot* plan, const robot_place* place, frame* f);

static void world_point(const random_robot* plan, const robot_place* p, double x[3]) {
  frame f;
  if (!find_frame(plan, p, &f)) f.x[0] = NAN;
  memcpy(x, f.x, sizeof f.x);
}

// The point of a part at which a place of the world is at the start.
static bool place_at(const random_robot* plan, int part, double along, const double x[3],
                     robot_place* p) {
  frame f;
  *p = (robot_place){.part = part, .along = along};
  if (!find_frame(plan, p, &f)) return false;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) p->point[i] += f.R[3 * j + i] * (x[j] - f.x[j]);
  return true;
}

// ---- making a plan ----------------------------------------------------------------------------

// Places are not at the middles of segments, where rigid links turn against each other.
static robot_place random_place(uint64_t* seed, const random_robot* plan, bool ground) {
  robot_place p = {.part = pick(seed, plan->npart + ground) - ground,
                   .along = 0.1 + 0.3 * (1 + pick(seed, 3)) - 0.03};
  if (plan->kind == ROBOT_RESTING) p.along = 1;  // rods without kinks, as polynomials like them
  vector(seed, 0.1, p.point);
  if (p.part < 0) vector(seed, 0.5, p.point);
  return p;
}

// What the seed asks for of a range of elements and the robot does not have; `none`: nothing
static robot_element missing(const random_robot* plan, robot_element first, robot_element last,
                             robot_element none) {
  for (int e = (int)first; e <= (int)last; e++)
    if (plan->wants[e] && !plan->has[e]) return (robot_element)e;
  return none;
}
static bool lacks(const random_robot* plan, robot_element e) {
  return missing(plan, e, e, ROBOT_ELEMENT_COUNT) == e;
}

// Bodies among the first parts whose joints have, or do not have, DOFs of one number each
static int bodies_with(const random_robot* plan, int made, bool chart) {
  int n = 0;
  for (int k = 0; k < made; k++) {
    const robot_part* p = &plan->part[k];
    n += !p->rod && !p->driven && (chart ? p->joint == ROBOT_CHART : joint_table[p->joint].plain);
  }
  return n;
}

// What asks for a hinge or slide of a body, or for two joints that are alike, and cannot be had yet
static bool needs_hinge(const random_robot* plan, int made) {
  return plan->kind == ROBOT_ANY && bodies_with(plan, made, false) == 0 &&
         (missing(plan, ROBOT_LAW, ROBOT_INTEGRAL, ROBOT_ELEMENT_COUNT) != ROBOT_ELEMENT_COUNT ||
          lacks(plan, ROBOT_DOF_STOP) || lacks(plan, ROBOT_RATCHET));
}
static bool needs_twin(const random_robot* plan, int made) {
  return plan->kind == ROBOT_ANY &&
         ((lacks(plan, ROBOT_EQUAL) && bodies_with(plan, made, false) < 2) ||
          (lacks(plan, ROBOT_EQUAL_CHART) && bodies_with(plan, made, true) < 2));
}

// A joint that the seed asks for, or any; where on which part the joint is
static void make_joint(random_robot* plan, robot_part* p, int k, uint64_t* seed) {
  p->on = (robot_place){.part = pick(seed, k + 1) - 1, .along = chance(seed, 0.6) ? 1 : 0.5};
  if (k > 0 && chance(seed, 0.5)) p->on.part = k - 1;
  vector(seed, 0.2, p->on.point);
  vector(seed, 1.2, p->turn);
  direction(seed, p->axis);
  // the second axis of a universal joint is perpendicular to the first
  double other[3];
  direction(seed, other);
  p->axis2[0] = p->axis[1] * other[2] - p->axis[2] * other[1];
  p->axis2[1] = p->axis[2] * other[0] - p->axis[0] * other[2];
  p->axis2[2] = p->axis[0] * other[1] - p->axis[1] * other[0];
  const double n =
      sqrt(p->axis2[0] * p->axis2[0] + p->axis2[1] * p->axis2[1] + p->axis2[2] * p->axis2[2]);
  for (int i = 0; i < 3; i++) p->axis2[i] /= fmax(n, 1e-3);
  p->pitch = between(seed, 0.02, 0.1) * (chance(seed, 0.5) ? 1 : -1);

  const int first = p->rod ? ROBOT_FIXED : ROBOT_REVOLUTE;
  const int last = p->rod ? ROBOT_FREE : ROBOT_CHART;
  p->joint = (robot_element)(first + pick(seed, last - first + 1));
  if (p->rod && chance(seed, 0.5)) p->joint = ROBOT_FIXED;
  if (!p->rod && p->on.part >= 0 && chance(seed, 0.07)) p->joint = ROBOT_FIXED;
  if (p->joint == ROBOT_FREE && p->on.part >= 0 && chance(seed, 0.5)) p->joint = ROBOT_SPHERICAL;
  p->joint = missing(plan, ROBOT_FIXED, (robot_element)last, p->joint);
  if (p->joint == ROBOT_FIXED && !p->rod && p->on.part < 0) p->joint = ROBOT_REVOLUTE;

  // a hinge or slide like an earlier one, for equal2
  const bool like = lacks(plan, ROBOT_EQUAL), like_chart = lacks(plan, ROBOT_EQUAL_CHART);
  for (int i = 0; i < k && like && !p->rod; i++)
    if (!plan->part[i].rod && joint_table[plan->part[i].joint].plain && chance(seed, 0.7))
      p->joint = plan->part[i].joint;
  if (!p->rod && lacks(plan, ROBOT_TURNED) && chance(seed, 0.7))
    p->joint = chance(seed, 0.7) ? ROBOT_SPHERICAL : ROBOT_FREE;
  if (like_chart && !p->rod && plan->kind == ROBOT_ANY && bodies_with(plan, k, true) < 2)
    p->joint = ROBOT_CHART;
  else if (lacks(plan, ROBOT_VECTOR) && !p->rod && chance(seed, 0.7))
    p->joint = ROBOT_CHART;
  else if (!p->rod && !joint_table[p->joint].plain && needs_hinge(plan, k))
    p->joint = (robot_element)(ROBOT_REVOLUTE + pick(seed, 5));
  // a rod at the tip of the one before it, for a cable over both
  if (k > 0 && p->rod && plan->part[k - 1].rod && lacks(plan, ROBOT_CABLE_OVER))
    p->on.part = k - 1, p->on.along = 1;
  if (plan->kind == ROBOT_FLYING) {
    if (k == 0) p->joint = ROBOT_FREE;
    if (k > 0 && p->on.part < 0) p->on.part = 0;
  }
  if (plan->kind == ROBOT_RESTING) {
    p->on.along = 1;
    if (!joint_table[p->joint].plain) p->joint = p->rod ? ROBOT_FIXED : ROBOT_REVOLUTE;
  }
}

// Springs, dampers and motion of the degrees of freedom
static void make_dofs(random_robot* plan, robot_part* p, uint64_t* seed) {
  const bool any = plan->kind == ROBOT_ANY, held = plan->kind == ROBOT_RESTING;
  for (int i = 0; i < 6; i++) {
    p->q[i] = 0.4 * check_random(seed);
    p->v[i] = 1.5 * check_random(seed);
  }
  if (p->joint == ROBOT_PRISMATIC) p->q[0] *= 0.2;
  p->turned = (p->joint == ROBOT_SPHERICAL || p->joint == ROBOT_FREE) &&
              (lacks(plan, ROBOT_TURNED) || chance(seed, 0.4));
  p->vector = p->joint == ROBOT_CHART && (lacks(plan, ROBOT_VECTOR) || chance(seed, 0.3));
  if (!joint_table[p->joint].plain) return;

  // springs that turn rods by their base are soft, as the rods are: a newton metre coils them up
  const double soft = p->rod && !held ? 0.03 : 1;
  const bool spring = lacks(plan, ROBOT_DOF_SPRING) || lacks(plan, ROBOT_DOF_STOP) ||
                      lacks(plan, ROBOT_RATCHET),
             damper = lacks(plan, ROBOT_DOF_DAMPER) || lacks(plan, ROBOT_RATCHET) ||
                      lacks(plan, ROBOT_DOF_POWER);
  p->power = 1;
  for (int i = 0; i < joint_table[p->joint].n; i++) {
    const double draw = between(seed, 0, 1);
    if (held || spring || draw < 0.5)
      p->spring[i] = soft * between(seed, 5, 30), p->rest[i] = 0.2 * check_random(seed);
    if (held || (any && (draw < 0.3 || damper)))
      p->damper[i] = soft * (held ? 5 : 1) * between(seed, 0.2, 1);
  }
  // `dir` is of joints between bodies only; above the rest value, or below it with a damper
  const bool damped = any && p->damper[0] > 0;
  if (any && p->spring[0] > 0 && !p->rod &&
      (lacks(plan, ROBOT_DOF_STOP) || lacks(plan, ROBOT_RATCHET) || chance(seed, 0.15)))
    p->side = damped && (lacks(plan, ROBOT_RATCHET) || chance(seed, 0.4)) ? -1 : 1;
  if (damped && (lacks(plan, ROBOT_DOF_POWER) || chance(seed, 0.15)))
    p->power = between(seed, 1.2, 2);
  const robot_element motion = missing(plan, ROBOT_SMOOTH, ROBOT_JUMP, ROBOT_ELEMENT_COUNT);
  const bool given = motion != ROBOT_ELEMENT_COUNT && chance(seed, 0.6);
  if (any && (given || chance(seed, 0.1))) {
    p->driven = true;
    p->jumps = given ? motion == ROBOT_JUMP : chance(seed, 0.4);
  }
}

static void make_part(random_robot* plan, int k, uint64_t* seed) {
  robot_part* p = &plan->part[k];
  *p = (robot_part){.twin = -1, .count = 1, .shares = -1};
  // rods as often as bodies, or where a kind of them is asked for
  const robot_element model = missing(plan, ROBOT_GVS, ROBOT_ROD_DAMPER, ROBOT_ELEMENT_COUNT);
  const bool rods = model != ROBOT_ELEMENT_COUNT || lacks(plan, ROBOT_CABLE_OVER);
  p->rod = chance(seed, rods ? 0.7 : 0.35) && !(plan->kind == ROBOT_FLYING && k == 0);
  // the second and third are for those, later ones for what else is missing
  if ((k == 1 || k == 2) && (needs_hinge(plan, k) || needs_twin(plan, k))) p->rod = false;
  make_joint(plan, p, k, seed);
  make_dofs(plan, p, seed);

  // rigid body: an inertia that a body can have
  p->m = between(seed, 0.3, 1.5);
  vector(seed, 0.1, p->com);
  const double a = between(seed, 0.5, 1), b = between(seed, 0.5, 1), c = between(seed, 0.3, 0.5);
  const double I[6] = {b + c, a + c, a + b, 0, 0, 0};
  for (int i = 0; i < 6; i++)
    p->I[i] = 0.01 * p->m * (I[i] + (i > 2 ? 0.1 * check_random(seed) : 0));

  // rod: its model, how fine it is, its parts and what it holds
  const bool fine = lacks(plan, ROBOT_FINE), held = lacks(plan, ROBOT_HELD);
  p->model = missing(plan, ROBOT_GVS, ROBOT_ROM, (robot_element)(ROBOT_GVS + pick(seed, 5)));
  if (fine || (lacks(plan, ROBOT_WRITTEN) && plan->kind == ROBOT_ANY)) p->model = ROBOT_GVS;
  if (plan->derived && p->model == ROBOT_GVS)
    p->model = (robot_element)(ROBOT_SRL + pick(seed, ROBOT_ROM - ROBOT_SRL + 1));
  const bool series = p->model == ROBOT_GVS || p->model == ROBOT_ROM;
  p->n = series ? 2 + pick(seed, 2) : 2 + 2 * pick(seed, 2);
  if (p->model == ROBOT_GVS && (fine || chance(seed, 0.08))) p->n = 11 + pick(seed, 3);
  p->parted = lacks(plan, ROBOT_PARTED) || chance(seed, 0.1);
  p->held = (held || chance(seed, 0.1)) && p->model <= ROBOT_EBR && p->n <= 10;
  p->length = between(seed, 0.2, 0.4);
  p->radius = between(seed, 0.01, 0.02);
  p->E = between(seed, 2e5, 8e5);
  p->rho = 1100;
  p->eta = plan->kind == ROBOT_ANY ? between(seed, 0, 500) : 0;
  // firm enough to carry bodies and to be followed by a few segments, and soon at rest
  if (plan->kind == ROBOT_RESTING) p->E *= 30, p->eta = 0.2 * p->E;
  if (chance(seed, 0.4))
    for (int i = 3; i < 6; i++) p->shape[i] = 2 * check_random(seed);

  // section, material, functions, initial strains, loads
  const robot_element none = ROBOT_ELEMENT_COUNT;
  p->section = chance(seed, 0.3) ? (robot_element)(ROBOT_RING + pick(seed, 4)) : none;
  p->section = missing(plan, ROBOT_RING, ROBOT_TAPER, p->section);
  p->material = chance(seed, 0.2) ? (robot_element)(ROBOT_GIVEN + pick(seed, 2)) : none;
  p->material = missing(plan, ROBOT_GIVEN, ROBOT_ENERGY, p->material);
  if (p->material == ROBOT_ENERGY) memset(p->shape, 0, sizeof p->shape);  // it tells its own
  static const char* const bases[] = {"chebyshev",    "monomial", "fourier", "linear",
                                      "quadratic",    "cubic",    "hermite", "gaussian",
                                      "multiquadric", "bspline"};
  const int basis = pick(seed, (int)(sizeof bases / sizeof *bases));
  if (p->model == ROBOT_GVS && p->n <= 10 && (lacks(plan, ROBOT_BASIS) || chance(seed, 0.1)))
    p->basis = bases[basis];
  p->strained = lacks(plan, ROBOT_STRAINED) || chance(seed, 0.1);
  const bool any = plan->kind == ROBOT_ANY;
  // one of the above at a time: strains that are written out have coordinates of their own
  p->written = p->model == ROBOT_GVS && !p->held && p->basis == NULL && p->n <= 10 &&
               plan->kind != ROBOT_RESTING && (lacks(plan, ROBOT_WRITTEN) || chance(seed, 0.12));
  p->timed = any && chance(seed, 0.5);
  if (p->written) p->strained = false;
  p->lifted = any && !plan->derived && (lacks(plan, ROBOT_LIFT) || chance(seed, 0.05));
  p->felt = any && !plan->derived && (lacks(plan, ROBOT_FELT) || chance(seed, 0.1));
  for (int i = 0; i < 6; i++) {
    const bool turn = i > 2;
    p->init[i] = p->shape[i] + (turn ? 0.5 : p->held ? 0 : 0.01) * check_random(seed);
    p->rate[i] = (turn ? 2 : p->held ? 0 : 0.05) * check_random(seed);
    p->load[i] = (turn ? 0.01 : 0.5) * check_random(seed);
    p->follow[i] = (turn ? 0.01 : 0.5) * check_random(seed);
    p->input[i] = (turn ? 0.002 : 0.1) * check_random(seed);
    p->damping[i] = turn ? 1e-6 : 1e-2;
  }
  p->loaded = any && (lacks(plan, ROBOT_ROD_LOAD) || chance(seed, 0.1));
  p->followed = any && !p->loaded && (lacks(plan, ROBOT_ROD_FOLLOWER) || chance(seed, 0.1));
  p->driven_strains = any && (lacks(plan, ROBOT_ROD_INPUT) || chance(seed, 0.1));
  if (!any || !(lacks(plan, ROBOT_ROD_DAMPER) || chance(seed, 0.1))) p->damping[0] = 0;
}

static void make_link(random_robot* plan, robot_link* l, uint64_t* seed) {
  *l = (robot_link){.power = 1};
  l->kind =
      missing(plan, ROBOT_LOOP_FIXED, ROBOT_BEAM,
              (robot_element)(ROBOT_LOOP_FIXED + pick(seed, ROBOT_BEAM - ROBOT_LOOP_FIXED + 1)));
  if (plan->kind != ROBOT_ANY &&
      (l->kind == ROBOT_DAMPER || l->kind == ROBOT_ROPE || l->kind == ROBOT_STOP ||
       l->kind == ROBOT_LOOP_MOVED || l->kind == ROBOT_LOOP_PUSHED ||
       l->kind == ROBOT_WORLD_DAMPER || l->kind == ROBOT_MUSCLE || l->kind == ROBOT_BEAM_SIDED))
    l->kind = ROBOT_SPRING;
  l->a = random_place(seed, plan, plan->kind != ROBOT_FLYING);
  do l->b = random_place(seed, plan, false);
  while (l->b.part == l->a.part && plan->npart > 1);
  direction(seed, l->axis);
  double other[3];
  direction(seed, other);
  const double d = l->axis[0] * other[0] + l->axis[1] * other[1] + l->axis[2] * other[2];
  double n = 0;
  for (int i = 0; i < 3; i++)
    l->axis2[i] = other[i] - d * l->axis[i], n += l->axis2[i] * l->axis2[i];
  for (int i = 0; i < 3; i++) l->axis2[i] /= sqrt(fmax(n, 1e-6));
  for (int i = 0; i < 6; i++) l->stiffness[i] = between(seed, 20, 100) * (i < 3 ? 1 : 0.05);
  l->damping =
      plan->kind == ROBOT_CONSERVATIVE || plan->kind == ROBOT_FLYING ? 0 : between(seed, 0.2, 1);
  if (l->kind == ROBOT_DAMPER) l->power = between(seed, 1, 2);
  // rest lengths are near those at the start: tens of newtons would crush rods as soft as these
  double from[3], to[3], distance = 0;
  world_point(plan, &l->a, from), world_point(plan, &l->b, to);
  for (int i = 0; i < 3; i++) distance += (to[i] - from[i]) * (to[i] - from[i]);
  l->rest = between(seed, 0.85, 1.1) * sqrt(distance);
  l->rows = 1 + pick(seed, 7);
  // an acceleration is given along one direction; along more the mechanism may not follow
  if (l->kind == ROBOT_LOOP_PUSHED) l->rows = 1 << pick(seed, 3);
  if (l->kind == ROBOT_LOOP_SIX) l->rows |= (1 + pick(seed, 7)) << 3;
}

// Constraint links begin closed: their second point is where the first one is.
static bool close_link(random_robot* plan, robot_link* l) {
  if (l->kind < ROBOT_LOOP_FIXED || l->kind > ROBOT_LOOP_MOVED) return true;
  double x[3];
  world_point(plan, &l->a, x);
  return isfinite(x[0]) && place_at(plan, l->b.part, l->b.along, x, &l->b);
}

bool random_robot_close(random_robot* plan) {
  bool closed = true;
  for (int k = 0; k < plan->nlink; k++) closed = close_link(plan, &plan->link[k]) && closed;
  return closed;
}

static void make_cable(random_robot* plan, robot_cable* c, uint64_t* seed) {
  *c = (robot_cable){.tension = between(seed, 0.5, 2),
                     .stiffness = between(seed, 20, 60),
                     .pull = between(seed, 0.002, 0.01)};
  for (int i = 0; i < 2; i++) c->path[i] = 0.008 * check_random(seed);
  c->helix = chance(seed, 0.3) ? between(seed, 10, 20) : 0;
  // rods of which one grows, directly or over joints and bodies, from the tip of the other
  int rods[ROBOT_PARTS], n = 0;
  for (int k = 0; k < plan->npart; k++)
    if (plan->part[k].rod && !plan->part[k].polynomial) rods[n++] = k;
  c->kind =
      missing(plan, ROBOT_CABLE, ROBOT_CABLE_VIA,
              chance(seed, 0.7) || lacks(plan, ROBOT_CABLE_RUBS) || lacks(plan, ROBOT_CABLE_SHORT)
                  ? ROBOT_CABLE
                  : ROBOT_CABLE_VIA);
  if (n == 0) c->kind = ROBOT_CABLE_VIA;
  if (c->kind != ROBOT_CABLE_VIA) {
    const double two = c->kind == ROBOT_CABLE_OVER ? 1 : 0.5;
    c->rod[0] = rods[pick(seed, n)];
    for (int i = 0; i + 1 < n && c->kind == ROBOT_CABLE_OVER; i++)
      if (plan->part[rods[i + 1]].on.part == rods[i]) c->rod[0] = rods[i];
    c->kind = ROBOT_CABLE;
    c->nrod = 1;
    for (int k = 0; k < plan->npart; k++) {
      const robot_part* p = &plan->part[k];
      int from = p->on.part;
      if (from >= 0 && !plan->part[from].rod) from = plan->part[from].on.part;
      if (p->rod && !p->polynomial && from == c->rod[0] && c->nrod < 2 && chance(seed, two))
        c->rod[c->nrod++] = k;
    }
    if (c->nrod > 1) c->kind = ROBOT_CABLE_OVER;
  } else {
    c->nvia = 2 + pick(seed, 2);
    for (int i = 0; i < c->nvia; i++)
      c->via[i] = random_place(seed, plan, plan->kind != ROBOT_FLYING);
    for (int i = 1; i < c->nvia; i++)
      while (c->via[i].part == c->via[i - 1].part) c->via[i] = random_place(seed, plan, true);
  }
  c->drive = chance(seed, 0.4)   ? ROBOT_CABLE_PULL
             : chance(seed, 0.3) ? ROBOT_CABLE_TAUT
                                 : ROBOT_CABLE;
  c->drive = missing(plan, ROBOT_CABLE_PULL, ROBOT_CABLE_TAUT, c->drive);
  if (plan->kind != ROBOT_ANY) c->drive = ROBOT_CABLE_PULL;
  // an inextensible cable in strains that are written out is refused
  for (int i = 0; i < c->nrod; i++)
    if (plan->part[c->rod[i]].written && c->drive == ROBOT_CABLE_TAUT) c->drive = ROBOT_CABLE_PULL;
  // inside rods, where it can begin and end anywhere, and rub unless it leaves them
  const bool inside = c->nrod > 0;
  if (c->nrod == 1 && plan->kind == ROBOT_ANY && c->drive != ROBOT_CABLE_TAUT &&
      (lacks(plan, ROBOT_CABLE_RUBS) || chance(seed, 0.15)))
    c->friction = between(seed, 0.05, 0.3);
  c->part_way = inside && (lacks(plan, ROBOT_CABLE_SHORT) || chance(seed, 0.15));
}

static void make_contact(random_robot* plan, robot_contact* c, uint64_t* seed) {
  *c = (robot_contact){.ball = between(seed, 0.02, 0.05),
                       .radius = between(seed, 0.1, 0.2),
                       .stiffness = between(seed, 500, 2000),
                       .damping = between(seed, 0, 0.5),
                       .friction = between(seed, 0, 0.5)};
  c->kind = missing(plan, ROBOT_PLANE, ROBOT_TOUCH_MESH,
                    (robot_element)(ROBOT_PLANE + pick(seed, ROBOT_TOUCH_ROD - ROBOT_PLANE + 1)));
  c->approach = lacks(plan, ROBOT_APPROACH) || chance(seed, 0.2);
  c->steep = lacks(plan, ROBOT_EXPONENT) || chance(seed, 0.2);
  c->moves = lacks(plan, ROBOT_WALL) || chance(seed, 0.2);
  c->per_point = lacks(plan, ROBOT_PER_POINT) || chance(seed, 0.1);
  direction(seed, c->normal);
  const double gap = between(seed, -0.004, 0.02);  // above or below the surface at the start
  c->a = random_place(seed, plan, false);
  c->b = random_place(seed, plan, false);
  while (plan->part[c->a.part].polynomial) c->a = random_place(seed, plan, false);

  // bodies touch bodies and rods; where there are none of them it is a plane
  const bool to_rod = c->kind == ROBOT_TOUCH_ROD;
  if (c->kind == ROBOT_TOUCH || to_rod) {
    int a = -1, b = -1;
    for (int k = 0, i = pick(seed, plan->npart); k < plan->npart; k++, i = (i + 1) % plan->npart) {
      if (plan->part[i].polynomial) continue;
      if (b < 0 && plan->part[i].rod == to_rod)
        b = i;
      else if (a < 0 && !plan->part[i].rod)
        a = i;
    }
    if (a >= 0 && b >= 0)
      c->a.part = a, c->b.part = b;
    else
      c->kind = ROBOT_PLANE;
  }
  if (c->kind == ROBOT_TOUCH_MESH && !plan->mesh) c->kind = ROBOT_PLANE;
  // where a rod is asked for
  const bool object = c->kind <= ROBOT_CYLINDER;
  for (int k = 0; k < plan->npart && object && c->per_point; k++)
    if (plan->part[k].rod && !plan->part[k].polynomial) c->a.part = k;
  c->moves = c->moves && (object || c->kind == ROBOT_TOUCH_MESH);
  const robot_part* a = &plan->part[c->a.part];
  c->per_point = c->per_point && object && a->rod;
  if (a->rod) memset(c->a.point, 0, sizeof c->a.point), c->a.along = 1;

  if (c->kind == ROBOT_TOUCH_ROD) {
    // the ball's centre beside the rod's line
    memset(c->b.point, 0, sizeof c->b.point);
    frame f;
    if (!find_frame(plan, &c->b, &f)) return;
    const double d = plan->part[c->b.part].radius + c->ball + gap;
    for (int i = 0; i < 3; i++) f.x[i] += d * f.R[3 * i];
    place_at(plan, c->a.part, 0, f.x, &c->a);
    return;
  }
  if (c->kind == ROBOT_TOUCH_MESH) {
    // a plane below the node that is lowest
    double lowest = INFINITY;
    for (int i = 0; i < 6; i++) {
      if (plan->mesh_rods && i != 0 && i != 1 && i != 4) continue;
      const double node[3] = {0.1 * (i % 3), 0.1 * (i / 3), 0};
      double y[3];
      rotate(plan->mesh_turn, node, y);
      lowest = fmin(lowest, y[0] * c->normal[0] + y[1] * c->normal[1] + y[2] * c->normal[2]);
    }
    c->ball = 0.02;
    for (int i = 0; i < 3; i++)
      c->at[i] = plan->mesh_at[i] + (lowest - c->ball - gap) * c->normal[i];
    return;
  }
  double x[3], base[3], out = 0;
  world_point(plan, &c->a, x);
  if (a->rod) {
    // the tip is next to it, not the base behind it
    world_point(plan, &(robot_place){.part = c->a.part}, base);
    for (int i = 0; i < 3; i++) out += (base[i] - x[i]) * c->normal[i];
    for (int i = 0; i < 3 && out < 0; i++) c->normal[i] = -c->normal[i];
    if (c->per_point) c->stiffness *= 0.05;
  }
  const double d = (a->rod ? a->radius : c->ball) + gap + (c->kind == ROBOT_PLANE ? 0 : c->radius);
  for (int i = 0; i < 3; i++) c->at[i] = x[i] - d * c->normal[i];
}

// What the plan has, with its first `made` parts
static void take_stock(random_robot* plan, int made) {
  bool* has = plan->has;
  memset(has, 0, sizeof plan->has);
  for (int k = 0; k < made; k++) {
    const robot_part* p = &plan->part[k];
    has[p->joint] = true;
    has[ROBOT_TURNED] |= p->turned;
    has[ROBOT_VECTOR] |= p->vector;
    has[ROBOT_REPEATED] |= p->count > 1;
    has[ROBOT_REPEATED_ONE] |= p->count > 1 && p->same;
    has[ROBOT_TURN_SPRING] |= p->sprung;
    has[ROBOT_TURN_MOTION] |= p->driven && turns(p);
    has[ROBOT_POLYNOMIAL] |= p->polynomial;
    if (p->rod && !p->polynomial) {
      has[p->model] = true;
      if (p->section != ROBOT_ELEMENT_COUNT) has[p->section] = true;
      if (p->material != ROBOT_ELEMENT_COUNT) has[p->material] = true;
      has[ROBOT_FINE] |= p->model == ROBOT_GVS && p->n > 10;
      has[ROBOT_PARTED] |= p->parted;
      has[ROBOT_HELD] |= p->held;
      has[ROBOT_BASIS] |= p->basis != NULL;
      has[ROBOT_BSPLINE] |= p->basis != NULL && strcmp(p->basis, "bspline") == 0;
      has[ROBOT_STRAINED] |= p->strained;
      has[ROBOT_WRITTEN] |= p->written;
      has[ROBOT_SHARED] |= p->shares >= 0;
      has[ROBOT_LIFT] |= p->lifted;
      has[ROBOT_FELT] |= p->felt;
      has[ROBOT_ROD_LOAD] |= p->loaded;
      has[ROBOT_ROD_FOLLOWER] |= p->followed;
      has[ROBOT_ROD_INPUT] |= p->driven_strains;
      has[ROBOT_ROD_DAMPER] |= p->damping[0] > 0;
    }
    if (p->equal) has[p->joint == ROBOT_CHART ? ROBOT_EQUAL_CHART : ROBOT_EQUAL] = true;
    if (p->driven) has[p->jumps ? ROBOT_JUMP : ROBOT_SMOOTH] = true;
    if (p->driven || p->equal || p->sprung) continue;  // what its first DOF has is not written
    if (p->spring[0] > 0)
      has[p->side > 0 ? ROBOT_DOF_STOP : p->side < 0 ? ROBOT_RATCHET : ROBOT_DOF_SPRING] = true;
    if (p->damper[0] > 0) has[p->power > 1 ? ROBOT_DOF_POWER : ROBOT_DOF_DAMPER] = true;
  }
  for (int k = 0; k < plan->nlink; k++) has[plan->link[k].kind] = true;
  for (int k = 0; k < plan->ncable; k++) {
    const robot_cable* c = &plan->cable[k];
    has[c->kind] = true;
    if (c->drive != ROBOT_CABLE) has[c->drive] = true;
    has[ROBOT_CABLE_RUBS] |= c->friction > 0;
    has[ROBOT_CABLE_SHORT] |= c->part_way;
  }
  for (int k = 0; k < plan->ncontact; k++) {
    const robot_contact* c = &plan->contact[k];
    has[c->kind] = true;
    has[ROBOT_APPROACH] |= c->approach;
    has[ROBOT_EXPONENT] |= c->steep;
    has[ROBOT_WALL] |= c->moves;
    has[ROBOT_PER_POINT] |= c->per_point;
  }
  has[ROBOT_TIMED] = plan->timed;
  has[ROBOT_FLUID] = plan->fluid_rho > 0;
  has[ROBOT_CHAMBER] = plan->chamber >= 0;
  has[ROBOT_MESH] = plan->mesh;
  has[ROBOT_THREADS] = plan->threads;
  has[ROBOT_MESH_BEAMS] = plan->mesh_beams;
  has[ROBOT_MESH_RODS] = plan->mesh_rods;
  has[ROBOT_TIE] = plan->tie >= 0;
  has[ROBOT_LOAD] = plan->loaded >= 0;
  has[ROBOT_FOLLOWER] = plan->followed >= 0;
  has[ROBOT_PLACED] = plan->placed >= 0;
  has[ROBOT_INPUT] = plan->driver >= 0;
  if (plan->driver >= 0 && plan->control != ROBOT_INPUT) has[plan->control] = true;
  has[ROBOT_TASK] |= has[ROBOT_INTEGRAL];
  has[ROBOT_SAMPLED] = plan->sampled;
  has[ROBOT_EVENT] = plan->watched >= 0;
  has[ROBOT_EVENT_STOP] = plan->stops;
  has[ROBOT_MAGNET] = plan->magnet.part > -2;
  has[ROBOT_MAGNET_ROD] = plan->magnetic >= 0;
  has[ROBOT_COM] = plan->com;
  has[ROBOT_INTERNAL] = plan->lagged >= 0;
}

// What the seed asks for, so that all pairs of elements come together: two pairs of the table,
// which the seeds go through in turn, and others by chance.
static void ask(random_robot* plan, uint64_t number, bool jumping, bool exported, uint64_t* seed) {
  // ranges of what has no closed form
  static const robot_element closed[][2] = {{ROBOT_GVS, ROBOT_GVS},
                                            {ROBOT_FINE, ROBOT_FINE},
                                            {ROBOT_HELD, ROBOT_HELD},
                                            {ROBOT_BASIS, ROBOT_BASIS},
                                            {ROBOT_WRITTEN, ROBOT_FELT},
                                            {ROBOT_LAW, ROBOT_INTEGRAL},
                                            {ROBOT_FLUID, ROBOT_TIE},
                                            {ROBOT_SHARED, ROBOT_SHARED},
                                            {ROBOT_MESH_RODS, ROBOT_MESH_RODS},
                                            {ROBOT_BSPLINE, ROBOT_INTERNAL}};
  // what follows has draws of its own, so that robots that do not have it stay what they were
  const int count = ROBOT_POLYNOMIAL;
  const uint64_t all = (uint64_t)count * (uint64_t)(count - 1) / 2;
  for (uint64_t k = 0; k < 2; k++) {
    // the stride has no divisor in common with the number of pairs, so that none is left out
    uint64_t pair = (2 * number + k) * 7919 % all, i = 1;
    while (pair >= i) pair -= i++;
    plan->wants[i] = plan->wants[pair] = true;
  }
  for (int i = 0; i < 4; i++) plan->wants[pick(seed, count)] = true;
  // what needs several things at once is rarely there by chance
  static const robot_element rare[] = {
      ROBOT_EQUAL,    ROBOT_EQUAL_CHART, ROBOT_SAMPLED,    ROBOT_INTEGRAL, ROBOT_TASK,  ROBOT_LAW,
      ROBOT_DOF_STOP, ROBOT_RATCHET,     ROBOT_TOUCH_MESH, ROBOT_TOUCH,    ROBOT_BASIS, ROBOT_JUMP};
  for (int i = 0; i < 2; i++) plan->wants[rare[pick(seed, 12)]] = true;
  // most robots have two links of eighteen kinds, of which each is to meet each: some have more
  const int links = ROBOT_BEAM - ROBOT_LOOP_FIXED + 1;
  for (int i = 0; i < 2 && number % 2 == 0 && number > 100; i++)
    plan->wants[ROBOT_LOOP_FIXED + pick(seed, links)] = true;
  if (number % 3 == 1 && number > 100) plan->wants[ROBOT_LOOP_PUSHED] |= chance(seed, 0.08);
  if (number % 16 == 3 && number > 100) plan->wants[ROBOT_WRITTEN] = true;
  if (number % 16 == 0 && number > 100) plan->wants[ROBOT_CABLE_OVER] = true;
  if (number % 32 == 0 && number > 100) plan->wants[ROBOT_CABLE_VIA] = true;
  if (number % 64 == 1 && number > 100)
    plan->wants[ROBOT_CABLE_RUBS] = plan->wants[ROBOT_CABLE_VIA] = true;
  if (number % 64 == 2 && number > 100)
    plan->wants[ROBOT_BALL] = plan->wants[ROBOT_CYLINDER] = true;
  if (jumping) {
    memset(plan->wants, 0, sizeof plan->wants);
    plan->wants[ROBOT_JUMP] = plan->wants[ROBOT_REVOLUTE + pick(seed, 5)] = true;
    for (int i = 0; i < 3; i++) plan->wants[pick(seed, count)] = true;
  }
  // one of these in each second robot of the hundred; two beyond, and one of all that they meet
  uint64_t own = number * 104729 + 7, *draw = &own;
  check_random(draw);
  const int later = ROBOT_SLOT - count;
  for (int i = 0; i < (number > 100 ? 2 : number % 2 == 0); i++)
    plan->wants[count + pick(draw, later)] = true;
  if (number > 100) plan->wants[number * 7919 % (uint64_t)ROBOT_SLOT] = true;
  // and two of the newest, but not in the robots that broke a law before there were these
  uint64_t third = number * 32452843 + 5, *new = &third;
  check_random(new);
  for (int i = 0; i < 2 && (number % 4 == 3 || number > 1000); i++)
    plan->wants[ROBOT_SLOT + pick(new, ROBOT_ELEMENT_COUNT - ROBOT_SLOT)] = true;
  for (int i = ROBOT_LAW; i <= ROBOT_INTEGRAL && exported; i++) plan->wants[i] = false;
  for (size_t i = 0; i < sizeof closed / sizeof *closed && plan->derived; i++)
    for (int e = (int)closed[i][0]; e <= (int)closed[i][1]; e++) plan->wants[e] = false;
  if (exported) plan->wants[ROBOT_EVENT_STOP] = false;  // which a fixed step goes beyond
  if (exported) plan->wants[ROBOT_FINE] = plan->wants[ROBOT_MESH_BEAMS] = false;
}

// Parts for what is asked for and none of the others has: chains of one body, rods written as
// joint.rom, springs and motion of spherical and free joints, rods with common coordinates.
static void make_more(random_robot* plan, uint64_t* seed) {
  const bool any = plan->kind == ROBOT_ANY;
  if (plan->kind == ROBOT_RESTING) return;  // which has joints of plain numbers only
  for (int e = ROBOT_POLYNOMIAL; e < ROBOT_SLOT; e++) {
    const bool chain = e == ROBOT_REPEATED || e == ROBOT_REPEATED_ONE,
               turn = e == ROBOT_TURN_SPRING || e == ROBOT_TURN_MOTION, shared = e == ROBOT_SHARED;
    if (!plan->wants[e] || plan->npart + 1 >= ROBOT_PARTS || e == ROBOT_PLACED ||
        e == ROBOT_MESH_RODS)
      continue;
    // a chain begins at the ground; motion is given
    if (!any && (e == ROBOT_TURN_MOTION || (chain && plan->kind == ROBOT_FLYING))) continue;

    // one that is there already
    int k = -1, owner = -1;
    for (int i = 0; i < plan->npart; i++) {
      const robot_part* p = &plan->part[i];
      if (p->rod && p->written && p->shares < 0) owner = i;
      if (turn && turns(p) && !p->driven && !p->sprung && !(plan->kind == ROBOT_FLYING && i == 0) &&
          chance(seed, 0.7))
        k = i;
    }

    // or one more, and before it one whose coordinates it has
    for (int n = k >= 0 ? 2 : shared && owner < 0 ? 0 : 1; n < 2; n++) {
      k = plan->npart++;
      robot_part* p = &plan->part[k];
      make_part(plan, k, seed);
      p->rod = shared || e == ROBOT_POLYNOMIAL;
      if (chain || (turn && !turns(p)))
        p->joint = chain ? (chance(seed, 0.6) ? ROBOT_REVOLUTE : ROBOT_PRISMATIC)
                         : (chance(seed, 0.7) ? ROBOT_SPHERICAL : ROBOT_FREE);
      if (p->rod) p->joint = ROBOT_FIXED;
      if (!joint_table[p->joint].plain) p->driven = p->jumps = false;
      p->parted = p->held = p->strained = p->vector = p->turned = p->written = p->timed = false;
      p->basis = NULL;
      if (shared) {
        p->written = true;
        p->model = ROBOT_GVS;
        p->n = 2;
        p->shares = owner;
        owner = k;
      }
    }
    robot_part* p = &plan->part[k];
    if (chain) {
      p->count = 3;
      p->same = e == ROBOT_REPEATED_ONE;
      p->on = (robot_place){.part = -1, .point = {p->on.point[0], p->on.point[1], p->on.point[2]}};
      p->driven = p->jumps = false;
      p->side = 0;
    } else if (e == ROBOT_POLYNOMIAL) {
      p->polynomial = true;
      p->model = ROBOT_ROM;
      p->n = 1 + pick(seed, 2);
      p->section = p->material = ROBOT_ELEMENT_COUNT;
      p->lifted = p->felt = p->loaded = p->followed = p->driven_strains = false;
      p->damping[0] = 0;
    } else if (e == ROBOT_TURN_SPRING) {
      const double soft = p->rod ? 0.03 : 1;
      p->sprung = true;
      p->side = 0;
      p->power = 1;
      for (int i = 0; i < joint_table[p->joint].n; i++) {
        p->spring[i] = soft * between(seed, 5, 30), p->rest[i] = 0.2 * check_random(seed);
        if (any) p->damper[i] = soft * between(seed, 0.2, 1);
      }
    } else if (e == ROBOT_TURN_MOTION) {
      p->driven = true;
      p->jumps = plan->wants[ROBOT_JUMP] || chance(seed, 0.4);
      p->turned = false;
    }
  }
}

// A body in a slot, a rod of b-splines
static void make_newest(random_robot* plan, uint64_t* seed) {
  for (int e = ROBOT_SLOT; e <= ROBOT_BSPLINE; e += ROBOT_BSPLINE - ROBOT_SLOT) {
    const bool slot = e == ROBOT_SLOT;
    if (!plan->wants[e] || plan->npart + 1 >= ROBOT_PARTS) continue;
    const int k = plan->npart++;
    robot_part* p = &plan->part[k];
    make_part(plan, k, seed);
    p->rod = !slot;
    p->driven = p->jumps = p->turned = p->vector = false;
    p->side = 0;
    if (slot) {
      p->joint = ROBOT_SLOT;
      make_dofs(plan, p, seed);
      for (int i = 0; i < 3; i++) p->curve[i] = between(seed, 0.1, 0.3);
    } else {
      p->joint = ROBOT_FIXED;
      p->model = ROBOT_GVS;
      p->n = 2 + pick(seed, 2);
      p->basis = "bspline";
      p->held = p->written = p->strained = false;
    }
  }
}

// Magnets, and loads that follow the centre of mass or an internal state
static void make_fields(random_robot* plan, uint64_t* seed) {
  const bool any = plan->kind == ROBOT_ANY, outside = plan->kind != ROBOT_FLYING;
  const bool held = plan->kind == ROBOT_RESTING;
  direction(seed, plan->field);
  plan->field_timed = any && chance(seed, 0.5);
  if (plan->wants[ROBOT_MAGNET] && outside) {
    plan->magnet = random_place(seed, plan, false);
    memset(plan->magnet.point, 0, sizeof plan->magnet.point);
    const robot_part* p = &plan->part[plan->magnet.part];
    if (!p->rod) plan->magnet.along = 0;
    vector(seed, p->rod ? 0.02 : 0.1, plan->moment);
  }
  for (int k = 0; k < plan->npart && outside && plan->wants[ROBOT_MAGNET_ROD]; k++)
    if (plan->part[k].rod && !plan->part[k].polynomial) {
      plan->magnetic = k;
      vector(seed, 0.05, plan->rod_moment);
    }
  plan->com = plan->wants[ROBOT_COM];
  if (plan->com && any) plan->pulled = pick(seed, plan->npart);
  if (plan->wants[ROBOT_INTERNAL] && (any || held)) {
    plan->lagged = pick(seed, plan->npart);
    vector(seed, 0.5, plan->lag_from);
    direction(seed, plan->lag_along);
    plan->lag_start = between(seed, 0.1, 0.5);
  }
}

bool random_robot_make(random_robot* plan, uint64_t number, robot_kind kind) {
  uint64_t state = number * 7919 + 13, *seed = &state;
  check_random(seed);
  const bool jumping = kind == ROBOT_JUMPING, exported = kind == ROBOT_EXPORTED,
             derived = kind == ROBOT_DERIVED;
  if (jumping || exported || derived) kind = ROBOT_ANY;
  *plan = (random_robot){.seed = number,
                         .kind = kind,
                         .derived = derived,
                         .chamber = -1,
                         .tie = -1,
                         .loaded = -1,
                         .followed = -1,
                         .placed = -1,
                         .driver = -1,
                         .watched = -1,
                         .magnet = {.part = -2},
                         .magnetic = -1,
                         .pulled = -1,
                         .lagged = -1,
                         .control = ROBOT_INPUT};
  const bool any = kind == ROBOT_ANY, outside = kind != ROBOT_FLYING;
  ask(plan, number, jumping, exported, seed);

  if (outside) vector(seed, 6, plan->g);
  plan->timed = any && (plan->wants[ROBOT_TIMED] || chance(seed, 0.1));
  plan->npart = 2 + pick(seed, exported ? 1 : 3);
  for (int k = 0; k < plan->npart; k++) {
    make_part(plan, k, seed);
    take_stock(plan, k + 1);
    // one more for what is still missing
    const bool more =
        missing(plan, ROBOT_FIXED, ROBOT_ROD_DAMPER, ROBOT_ELEMENT_COUNT) != ROBOT_ELEMENT_COUNT;
    const bool wanted = more || needs_hinge(plan, k + 1) || needs_twin(plan, k + 1);
    if (any && wanted && k == plan->npart - 1 && k + 1 < ROBOT_PARTS) plan->npart++;
  }

  uint64_t own = number * 15485863 + 11, *draw = &own;
  check_random(draw);
  make_more(plan, draw);
  uint64_t third = number * 49979687 + 3, *new = &third;
  check_random(new);
  make_newest(plan, new);
  take_stock(plan, plan->npart);

  // a DOF that follows another of the same kind of joint
  const double twins = lacks(plan, ROBOT_EQUAL) ? 1 : 0.2,
               chart_twins = lacks(plan, ROBOT_EQUAL_CHART) ? 1 : 0.2;
  for (int k = 1; any && k < plan->npart; k++)
    for (int i = 0; i < k && plan->part[k].twin < 0; i++) {
      robot_part *a = &plan->part[i], *b = &plan->part[k];
      const bool chart = a->joint == ROBOT_CHART;
      if (a->joint != b->joint || !(joint_table[a->joint].plain || chart) || a->rod || b->rod ||
          a->driven || b->driven || a->equal || a->count > 1 || b->count > 1 ||
          !chance(seed, chart ? chart_twins : twins))
        continue;
      b->equal = true;
      b->twin = i;
      for (int j = 0; j < (chart ? 3 : 1); j++) b->q[j] = a->q[j], b->v[j] = a->v[j];
    }

  const bool net = plan->wants[ROBOT_MESH] || plan->wants[ROBOT_TIE] ||
                   plan->wants[ROBOT_THREADS] || plan->wants[ROBOT_TOUCH_MESH] ||
                   plan->wants[ROBOT_MESH_BEAMS] || plan->wants[ROBOT_MESH_RODS];
  if (outside && !derived && (net || chance(seed, 0.1))) {
    plan->mesh = true;
    plan->threads = any && (lacks(plan, ROBOT_THREADS) || chance(seed, 0.2));
    plan->mesh_beams = !plan->threads && (lacks(plan, ROBOT_MESH_BEAMS) || chance(seed, 0.2));
    plan->mesh_rods = !plan->threads && !plan->mesh_beams && plan->wants[ROBOT_MESH_RODS];
    vector(seed, 0.5, plan->mesh_at);
    vector(seed, 1, plan->mesh_turn);
    plan->mesh_mass = 0.05;
    plan->mesh_stiffness = 40;
    plan->mesh_damping = any ? 0.1 : kind == ROBOT_RESTING ? 1 : 0;
    if (lacks(plan, ROBOT_TIE) || chance(seed, 0.4)) {
      plan->tie = pick(seed, plan->npart);
      vector(seed, 0.1, plan->tie_point);
    }
  }

  // links, cables and contacts: those that are asked for, and perhaps one more
  const int links = pick(seed, 3);
  for (int k = 0; k < ROBOT_LINKS; k++) {
    if (k >= links &&
        missing(plan, ROBOT_LOOP_FIXED, ROBOT_BEAM, ROBOT_ELEMENT_COUNT) == ROBOT_ELEMENT_COUNT)
      break;
    make_link(plan, &plan->link[plan->nlink], seed);
    if (!close_link(plan, &plan->link[plan->nlink])) return false;
    plan->nlink++;
    take_stock(plan, plan->npart);
    if (!any && k >= links) break;
  }
  const int cables = pick(seed, 2);
  for (int k = 0; k < ROBOT_CABLES && !derived && (kind == ROBOT_CONSERVATIVE || any); k++) {
    if (k >= cables &&
        missing(plan, ROBOT_CABLE, ROBOT_CABLE_SHORT, ROBOT_ELEMENT_COUNT) == ROBOT_ELEMENT_COUNT)
      break;
    make_cable(plan, &plan->cable[plan->ncable++], seed);
    take_stock(plan, plan->npart);
  }
  const int contacts = pick(seed, 2);
  for (int k = 0; k < ROBOT_CONTACTS && any && !derived; k++) {
    if (k >= contacts &&
        missing(plan, ROBOT_PLANE, ROBOT_PER_POINT, ROBOT_ELEMENT_COUNT) == ROBOT_ELEMENT_COUNT)
      break;
    make_contact(plan, &plan->contact[plan->ncontact++], seed);
    take_stock(plan, plan->npart);
  }
  if (any && !derived && (plan->wants[ROBOT_FLUID] || plan->has[ROBOT_LIFT] || chance(seed, 0.15)))
    plan->fluid_rho = 500, vector(seed, 0.3, plan->stream);
  for (int k = 0; k < plan->npart; k++)
    if (plan->part[k].rod && !plan->part[k].polynomial && plan->chamber < 0 && any &&
        (plan->wants[ROBOT_CHAMBER] || chance(seed, 0.2))) {
      plan->chamber = k;
      for (int i = 0; i < 2; i++) plan->chamber_offset[i] = 0.005 * check_random(seed);
      plan->chamber_area = 2e-5;
      plan->chamber_pressure = between(seed, 5e3, 2e4);
      plan->chamber_from = chance(seed, 0.5) ? 0 : 0.3;
      plan->chamber_to = chance(seed, 0.5) ? 1 : 0.7;
    }
  if ((any || kind == ROBOT_RESTING) && (plan->wants[ROBOT_LOAD] || chance(seed, 0.3))) {
    plan->loaded = pick(seed, plan->npart);
    const double torque = plan->part[plan->loaded].rod ? 0.01 : 0.1;
    for (int i = 0; i < 6; i++) plan->load[i] = (i < 3 ? 1 : torque) * check_random(seed);
  }
  if (any && (plan->wants[ROBOT_FOLLOWER] || chance(seed, 0.2))) {
    plan->followed = pick(seed, plan->npart);
    const double torque = plan->part[plan->followed].rod ? 0.01 : 0.1;
    for (int i = 0; i < 6; i++) plan->follow[i] = (i < 3 ? 1 : torque) * check_random(seed);
  }
  robot_element law = missing(plan, ROBOT_LAW, ROBOT_INTEGRAL, ROBOT_INPUT);
  if (law == ROBOT_SAMPLED) law = missing(plan, ROBOT_TASK, ROBOT_INTEGRAL, ROBOT_LAW);
  if (law == ROBOT_TASK && plan->wants[ROBOT_INTEGRAL]) law = ROBOT_INTEGRAL;
  for (int k = 0; any && k < plan->npart && plan->driver < 0; k++)
    if (joint_table[plan->part[k].joint].plain && !plan->part[k].driven && !plan->part[k].equal &&
        plan->part[k].count == 1 && !(plan->part[k].rod && law != ROBOT_INPUT) &&
        (plan->wants[ROBOT_INPUT] || law != ROBOT_INPUT || chance(seed, 0.15))) {
      plan->driver = k;
      plan->effort = (plan->part[k].rod ? 0.1 : 1) * between(seed, -0.5, 0.5);
      plan->control = law;
      plan->sampled = law != ROBOT_INPUT && plan->wants[ROBOT_SAMPLED];
    }
  if (any && plan->wants[ROBOT_PLACED]) {
    // a spring of the world, and another along the part if it is a rod that carries nothing else
    plan->placed = pick(draw, plan->npart);
    vector(draw, 0.5, plan->pull_to);
    robot_part* p = &plan->part[plan->placed];
    p->placed = p->rod && !p->polynomial && !p->loaded && !p->followed;
  }
  make_fields(plan, new);
  // the square of a distance passes a value that it would have after 4 ms
  const bool ends = any && (plan->wants[ROBOT_EVENT_STOP] || (!exported && chance(seed, 0.03)));
  if (any && (ends || plan->wants[ROBOT_EVENT] || chance(seed, 0.1))) {
    frame f;
    double away[3], rate = 0;
    direction(seed, away);
    const int k = pick(seed, plan->npart);
    if (!find_frame(plan, &(robot_place){.part = k, .along = 1}, &f)) return false;
    plan->watched = k;
    plan->stops = ends;
    for (int i = 0; i < 3; i++) {
      plan->watch_from[i] = f.x[i] - 0.5 * away[i];
      rate += away[i] * f.v[i];
    }
    plan->watch_square = 0.25 + rate * 0.004;
  }
  take_stock(plan, plan->npart);
  // a chamber or a cable that ends inside a rod has moved its tip by 1e-9 m since then
  return (plan->chamber < 0 && plan->ncable == 0) || random_robot_close(plan);
}

// ---- writing ----------------------------------------------------------------------------------

robot_style robot_style_plain(void) {
  return (robot_style){.metre = 1,
                       .kilogram = 1,
                       .second = 1,
                       .cut = -1,
                       .linear = "dense",
                       .solver = "auto",
                       .refine = 1,
                       .jump_at = 0.005,
                       .t_final = 0.01,
                       .rtol = 1e-8};
}

typedef struct writer {
  FILE* f;
  const random_robot* plan;
  const robot_style* style;
  robot_values* values;
  int nparam;
  int number[ROBOT_PARTS];  // of the body or rod that a part is
  int nbody, nrod, njoint;
} writer;

static void say(writer* w, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vfprintf(w->f, format, args);
  va_end(args);
}

typedef struct dimension {
  int metre, kilogram, second;
} dimension;
static const dimension ONE = {0, 0, 0}, LENGTH = {1, 0, 0}, PER_LENGTH = {-1, 0, 0},
                       SPEED = {1, 0, -1}, RATE = {0, 0, -1}, ACCELERATION = {1, 0, -2},
                       MASS = {0, 1, 0}, INERTIA = {2, 1, 0}, FORCE = {1, 1, -2},
                       TORQUE = {2, 1, -2}, STIFFNESS = {0, 1, -2}, VISCOSITY = {0, 1, -1},
                       TURN_VISCOSITY = {2, 1, -1}, PRESSURE = {-1, 1, -2}, DENSITY = {-3, 1, 0},
                       ETA = {-1, 1, -1}, AREA = {2, 0, 0}, PER_SPEED = {-1, 0, 1};

static double scaled(const robot_style* s, double value, dimension d) {
  return value * pow(s->metre, d.metre) * pow(s->kilogram, d.kilogram) * pow(s->second, d.second);
}

// One number, perhaps as a param whose default is another one
static void number(writer* w, double value, dimension d) {
  const double x = scaled(w->style, value, d);
  const int most = (int)(sizeof w->values->value / sizeof *w->values->value);
  if (w->style->params == 0 || w->values == NULL || w->nparam >= most) {
    say(w, "%.17g", x);
    return;
  }
  w->values->value[w->nparam++] = x;
  w->values->n = w->nparam;
  say(w, "param('p%d', %.17g)", w->nparam, w->style->params == 1 ? x : 1.01 * x);
}

static void row(writer* w, const double* x, int n, dimension d) {
  say(w, "[");
  for (int i = 0; i < n; i++) {
    if (i > 0) say(w, " ");
    number(w, x[i], d);
  }
  say(w, "]");
}

// What a mirror leaves of a vector: polar ones (places, forces) and axial ones (turns, torques)
static void polar(const robot_style* s, const double x[3], double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = s->mirror && i == 0 ? -x[i] : x[i];
}
static void axial(const robot_style* s, const double x[3], double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = s->mirror && i > 0 ? -x[i] : x[i];
}
static void polar_row(writer* w, const double x[3], dimension d) {
  double y[3];
  polar(w->style, x, y);
  row(w, y, 3, d);
}
// A direction in the world; plain numbers, for it may be part of the structure
static void world_direction(writer* w, const double x[3], dimension d) {
  double y[3], z[3];
  polar(w->style, x, y);
  rotate(w->style->turn, y, z);
  row(w, z, 3, d);
}
static void world_place(writer* w, const double x[3]) {
  double y[3], z[3];
  polar(w->style, x, y);
  rotate(w->style->turn, y, z);
  for (int i = 0; i < 3; i++) z[i] += w->style->shift[i];
  row(w, z, 3, LENGTH);
}

// A rotation by a vector, as [angle axis]
static void rotation(writer* w, const double r[3]) {
  const double a = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
  if (a < 1e-12) {
    say(w, "[1 0]");
    return;
  }
  say(w, "[%.17g %.17g %.17g %.17g]", a, r[0] / a, r[1] / a, r[2] / a);
}

// Steps of `tr` from the frame of the ground or of a part: the whole robot's, then to the point.
// Returns their number.
static int steps(writer* w, const char* thing, int part, const double point[3],
                 const double* turn) {
  int k = 0;
  if (part < 0) {
    say(w, "%s.tr(%d).trans = ", thing, ++k);
    row(w, w->style->shift, 3, LENGTH);
    say(w, "; %s.tr(%d).rot = ", thing, k);
    rotation(w, w->style->turn);
    say(w, "; ");
  }
  say(w, "%s.tr(%d).trans = ", thing, ++k);
  polar_row(w, point, LENGTH);
  say(w, "; ");
  if (turn != NULL) {
    double r[3];
    axial(w->style, turn, r);
    say(w, "%s.tr(%d).rot = ", thing, k);
    rotation(w, r);
    say(w, "; ");
  }
  return k;
}

// Whether a rod is written as two: one of segments, whose number is even
static bool in_halves(const writer* w, const robot_part* p) {
  return w->style->split_rods && p->rod && !p->parted && p->section != ROBOT_TAPER &&
         (p->model == ROBOT_SRL || p->model == ROBOT_EBR);
}

// The rod, and the arc length on it, of a place on a rod part: with split rods one of two
static void rod_point(writer* w, int part, double along, int* rod, double* arc) {
  const robot_part* p = &w->plan->part[part];
  *rod = w->number[part];
  *arc = along * p->length;
  if (in_halves(w, p)) {
    *arc = along > 0.5 ? (along - 0.5) * p->length : along * p->length;
    *rod += along > 0.5;
  }
}

// Whether the bodies of a chain are written one by one: where the first is on other ground than the
// others are, or where each is two
static bool one_by_one(const robot_style* s) {
  const double* t = s->turn;
  bool same = !s->split_bodies;
  for (int i = 0; i < 3; i++) same = same && t[i] == 0 && s->shift[i] == 0;
  return !same;
}

// A body, the last one of a chain, in expressions and as a place
static void body_name(const writer* w, int part, char* name, size_t size) {
  const int b = w->number[part], n = w->plan->part[part].count;
  if (n > 1 && !one_by_one(w->style))
    snprintf(name, size, "at(body(%d), %d)", b, n);
  else
    snprintf(name, size, "body(%d)", b + n - 1);
}

static void place(writer* w, const robot_place* p) {
  if (p->part < 0) {
    say(w, "0");
  } else if (!w->plan->part[p->part].rod) {
    char name[60];
    body_name(w, p->part, name, sizeof name);
    if (name[0] == 'a')
      say(w, "%s", name);
    else
      say(w, "%d", w->number[p->part] + w->plan->part[p->part].count - 1);
  } else if (w->plan->part[p->part].polynomial) {
    say(w, "at(body(%d), %.17g)", w->number[p->part],
        scaled(w->style, p->along * w->plan->part[p->part].length, LENGTH));
  } else {
    int rod;
    double arc;
    rod_point(w, p->part, p->along, &rod, &arc);
    say(w, "at(rod(%d), %.17g)", rod, scaled(w->style, arc, LENGTH));
  }
}

// The axis as it is written: that of a turn is axial, that of a slide polar
static void joint_axis(writer* w, const robot_part* p, double a[3]) {
  if (p->joint == ROBOT_PRISMATIC || p->joint == ROBOT_PLANAR) {
    polar(w->style, p->axis, a);
  } else {
    axial(w->style, p->axis, a);
  }
}

// A rotation vector that takes z to the axis
static void from_z(const double a[3], double r[3]) {
  const double n = sqrt(a[0] * a[0] + a[1] * a[1]), angle = atan2(n, a[2]);
  r[0] = n > 1e-12 ? -a[1] / n * angle : 0;
  r[1] = n > 1e-12 ? a[0] / n * angle : angle;
  r[2] = 0;
}

// One free step along or about an axis, as three steps of `tr`
static int aligned(writer* w, const char* joint, int k, const double a[3], const char* free) {
  double r[3], back[3];
  from_z(a, r);
  for (int i = 0; i < 3; i++) back[i] = -r[i];
  say(w, "%s.tr(%d).rot = ", joint, ++k);
  rotation(w, r);
  say(w, "; %s.tr(%d).%s; ", joint, k + 1, free);
  say(w, "%s.tr(%d).rot = ", joint, k + 2);
  rotation(w, back);
  say(w, "; ");
  return k + 2;
}

// The freedom of a joint by steps of `tr` behind the first k; false where it has a name only
static bool freedom_by_steps(writer* w, const robot_part* p, const char* joint, int k) {
  double a[3], b[3];
  joint_axis(w, p, a);
  axial(w->style, p->axis2, b);
  switch ((int)p->joint) {
    case ROBOT_CAYLEY:
      say(w, "%s.tr(%d).rot = [inf inf inf]; ", joint, k + 1);
      return true;
    case ROBOT_CHART:
      say(w, "%s.tr(%d).rot = [0 inf inf inf]; ", joint, k + 1);
      if (p->vector) say(w, "%s.chart = 'vector'; ", joint);
      return true;
    case ROBOT_REVOLUTE:
      aligned(w, joint, k, a, "rot = [3 inf]");
      return true;
    case ROBOT_PRISMATIC:
      aligned(w, joint, k, a, "trans = [0 0 inf]");
      return true;
    case ROBOT_CYLINDRICAL:
      aligned(w, joint, aligned(w, joint, k, a, "rot = [3 inf]"), a, "trans = [0 0 inf]");
      return true;
    case ROBOT_UNIVERSAL:
      aligned(w, joint, aligned(w, joint, k, a, "rot = [3 inf]"), b, "rot = [3 inf]");
      return true;
    case ROBOT_SPHERICAL:
      say(w, "%s.tr(%d).rot = [inf inf inf inf]; ", joint, k + 1);
      return true;
    case ROBOT_FREE:
      say(w, "%s.tr(%d).trans = [inf inf inf]; %s.tr(%d).rot = [inf inf inf inf]; ", joint, k + 1,
          joint, k + 1);
      return true;
    default:
      return false;
  }
}

// The same by its name.  `axis2` is the second axis of a universal joint.
static void freedom_by_type(writer* w, const robot_part* p, const char* joint,
                            const double axis2[3]) {
  double a[3], b[3];
  joint_axis(w, p, a);
  axial(w->style, axis2, b);
  if (p->joint == ROBOT_SLOT) {
    // a hinge that moves along a curve
    static const char* const course[] = {"sin(%s)", "%s^2", "%s"};
    char q[60];
    snprintf(q, sizeof q, "dof(%s, 1)", joint);
    polar(w->style, p->curve, b);
    say(w, "%s.curve = [", joint);
    for (int i = 0; i < 3; i++)
      number(w, b[i], LENGTH), say(w, "*"), say(w, course[i], q), say(w, " ");
    say(w, "]; %s.type = 'revolute'; %s.axis = [%.17g %.17g %.17g]; ", joint, joint, a[0], a[1],
        a[2]);
    return;
  }
  say(w, "%s.type = '%s'; ", joint, robot_element_name(p->joint));
  if (p->joint == ROBOT_UNIVERSAL) {
    say(w, "%s.axis = [%.17g %.17g %.17g; %.17g %.17g %.17g]; ", joint, a[0], a[1], a[2], b[0],
        b[1], b[2]);
  } else if (p->joint != ROBOT_SPHERICAL && p->joint != ROBOT_FREE && p->joint != ROBOT_FIXED) {
    say(w, "%s.axis = [%.17g %.17g %.17g]; ", joint, a[0], a[1], a[2]);
  }
  if (p->joint == ROBOT_HELICAL) {
    say(w, "%s.pitch = ", joint);
    number(w, w->style->mirror ? -p->pitch : p->pitch, LENGTH);
    say(w, "; ");
  }
}

// The sign of a joint's i-th value in a mirror, and its dimension
static double value_sign(const writer* w, const robot_part* p, int i, dimension* d) {
  const char nature = joint_table[p->joint].nature[i];
  const bool slides = nature == 't' || nature == 'p' || (p->joint == ROBOT_PRISMATIC);
  *d = slides ? LENGTH : ONE;
  if (!w->style->mirror) return 1;
  if (nature == 'p') return -1;  // along an axis that is written as that of the turn
  if (nature == 't') return i == 0 ? -1 : 1;
  if (nature == 'a') return (p->joint == ROBOT_FREE ? i - 3 : i) > 0 ? -1 : 1;
  return 1;
}

// How far prescribed motion has come: smoothly from the start, or from a jump of its speed on
static void write_course(writer* w, bool jumps) {
  const double t0 = scaled(w->style, w->style->jump_at, (dimension){0, 0, 1}),
               t1 = scaled(w->style, w->style->jump_at + 0.29, (dimension){0, 0, 1});
  const double soft = scaled(w->style, w->style->smooth, (dimension){0, 0, 1});
  if (!jumps) {
    say(w, "*sin(");
    number(w, 3, RATE);
    say(w, "*t)");
  } else if (soft > 0) {
    say(w, "*((t - %.17g) + sqrt((t - %.17g)^2 + %.17g^2))/2/%.17g", t0, t0, soft, t1 - t0);
  } else {
    say(w, "*ramp(t, %.17g, %.17g)", t0, t1);
  }
}

// Initial values, springs, dampers, motion and input of the DOFs of a part; `thing` is what they
// are of
static void dofs(writer* w, int k, const char* thing) {
  const robot_part* p = &w->plan->part[k];
  const int n = joint_table[p->joint].n;
  const bool plain = joint_table[p->joint].plain;
  // equal2 refers to an earlier joint: to the part that is written first
  const int root = p->equal ? p->twin : k;
  int owner = root;
  for (int j = 0; w->style->reversed && j < w->plan->npart; j++)
    if (w->plan->part[j].equal && w->plan->part[j].twin == root) owner = j;
  if (p->driven && turns(p)) {
    // all numbers at once: a rotation vector, and before it the place of a free joint
    say(w, "%s.motion = [", thing);
    for (int i = 0; i < n; i++) {
      dimension d;
      const double sign = value_sign(w, p, i, &d);
      number(w, sign * p->q[i], d);
      say(w, " + ");
      number(w, (d.metre == 1 ? 0.05 : 0.3) * sign * (i % 2 ? 1 : -0.6), d);
      write_course(w, p->jumps);
      say(w, " ");
    }
    say(w, "]; ");
    return;
  }
  for (int i = 0; i < n; i++) {
    dimension d;
    const char nature = joint_table[p->joint].nature[i];
    const double sign = value_sign(w, p, i, &d);
    const bool slides = d.metre == 1;
    if (nature == '0') continue;
    const dimension rate = {d.metre, 0, -1};
    const bool quaternion = p->joint == ROBOT_SPHERICAL || (p->joint == ROBOT_FREE && i > 2);
    if (p->turned && quaternion && (i == 0 || i == 3)) {
      // the four numbers of the rotation by a vector
      const double *r = p->q + i, a = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
      say(w, "%s.dof(%d).init = %.17g; ", thing, i + 1, cos(a / 2));
      for (int j = 0; j < 3; j++)
        say(w, "%s.dof(%d).init = %.17g; ", thing, i + 2 + j,
            value_sign(w, p, i + j, &d) * r[j] * sin(a / 2) / fmax(a, 1e-9));
    }
    if (p->driven && i == 0) {
      // starts at the initial value; amplitude and frequency are moderate
      const double q0 = sign * p->q[0], size = (slides ? 0.05 : 0.4) * sign;
      say(w, "%s.dof(1).motion = ", thing);
      number(w, q0, d);
      say(w, " + ");
      number(w, size, d);
      write_course(w, p->jumps);
      say(w, "; ");
      continue;
    }
    // of those that are one the first tells where it begins, and the same one always its springs
    const bool shared = i == 0 || p->joint == ROBOT_CHART;
    if (shared && owner != k) {
      say(w, "%s.dof(%d).equal2 = [%d %d]; ", thing, i + 1, w->number[owner], i + 1);
    } else {
      if (!quaternion) {
        say(w, "%s.dof(%d).init = ", thing, i + 1);
        number(w, sign * p->q[i], d);
        say(w, "; ");
      }
      say(w, "%s.dof(%d).rate = ", thing, i + 1);
      number(w, sign * p->v[i], rate);
      say(w, "; ");
    }
    if ((!plain && !p->sprung) || (shared && p->equal)) continue;
    if (p->spring[i] > 0) {
      say(w, "%s.dof(%d).spring.coeff = ", thing, i + 1);
      number(w, p->spring[i], slides ? STIFFNESS : TORQUE);
      say(w, "; %s.dof(%d).spring.init = ", thing, i + 1);
      number(w, sign * p->rest[i], d);
      say(w, "; ");
      if (p->side != 0 && i == 0)
        say(w, "%s.dof(1).dir = %d; ", thing, sign > 0 ? p->side : -p->side);
    }
    if (p->damper[i] > 0) {
      // c u^p is a force or torque
      const double u = pow(scaled(w->style, 1, rate), p->power - 1);
      say(w, "%s.dof(%d).damp.visc = ", thing, i + 1);
      number(w, p->damper[i] / u, slides ? VISCOSITY : TURN_VISCOSITY);
      say(w, "; ");
      if (p->power > 1) say(w, "%s.dof(%d).damp.pow = %.17g; ", thing, i + 1, p->power);
    }
    if (w->plan->driver == k && i == 0)
      say(w, "%s.dof(1).input = %s; ", thing, sign > 0 ? "u" : "-u");
  }
}

// The joint that places a part: `holder` has its place, `joint` its freedom and DOFs (one thing for
// bodies; a rod has its joint in itself)
static void write_joint(writer* w, int k, const char* holder, const char* joint) {
  const robot_part* p = &w->plan->part[k];
  const bool charts = p->joint == ROBOT_CAYLEY || p->joint == ROBOT_CHART;
  say(w, "%s.first = ", holder);
  place(w, &p->on);
  say(w, "; ");
  const int n = steps(w, holder, p->on.part, p->on.point, p->turn);
  // laws of a rotation belong to joints with a name
  const bool by_steps = charts || (w->style->by_tr && !p->rod && !p->sprung);
  if (!by_steps || !freedom_by_steps(w, p, joint, n)) freedom_by_type(w, p, joint, p->axis2);
  dofs(w, k, joint);
  say(w, "\n");
}

// A part that flies, from where and as fast as its joint has it at the start
static void write_flight(writer* w, int k, const char* joint) {
  frame f;
  if (!find_frame(w->plan, &(robot_place){.part = k}, &f)) return;
  say(w, "%s.first = 0; %s.tr(1).trans = [%.17g %.17g %.17g]; ", joint, joint, f.x[0], f.x[1],
      f.x[2]);
  // the rotation as angle and axis, from its quaternion
  const double c = sqrt(fmax(0, 1 + f.R[0] + f.R[4] + f.R[8])) / 2,
               a[3] = {f.R[7] - f.R[5], f.R[2] - f.R[6], f.R[3] - f.R[1]};
  const double s = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) / (4 * c);
  say(w, "%s.tr(1).rot = [%.17g %.17g %.17g %.17g]; %s.type = 'free'; ", joint, 2 * atan2(s, c),
      a[0], a[1], a[2], joint);
  // translations are along the axes behind the step of `tr`
  for (int i = 0; i < 3; i++) {
    double v = 0;
    for (int j = 0; j < 3; j++) v += f.R[3 * j + i] * f.v[j];
    say(w, "%s.dof(%d).rate = %.17g; %s.dof(%d).rate = %.17g; ", joint, i + 1, v, joint, i + 4,
        f.w[i]);
  }
  say(w, "\n");
}

// The joint of that part as a constraint
static void write_cut(writer* w, int k) {
  const robot_part* p = &w->plan->part[k];
  char joint[40];
  double turn[3], axis2[3];
  snprintf(joint, sizeof joint, "joint(%d)", ++w->njoint);
  say(w, "%s.first = ", joint);
  place(w, &p->on);
  say(w, "; %s.second = %d; ", joint, w->number[k]);
  steps(w, joint, p->on.part, p->on.point, p->turn);
  // the second axis is where it is at the start
  for (int i = 0; i < 3; i++) turn[i] = p->q[0] * p->axis[i];
  rotate(turn, p->axis2, axis2);
  freedom_by_type(w, p, joint, axis2);
  say(w, "\n");
}

bool random_robot_can_cut(const random_robot* plan, int k) {
  const robot_part* p = &plan->part[k];
  bool acts = p->driven || p->equal || plan->driver == k || p->rod || p->count > 1 ||
              p->joint == ROBOT_FREE || p->joint == ROBOT_HELICAL || p->joint == ROBOT_CAYLEY ||
              p->joint == ROBOT_CHART || p->joint == ROBOT_SLOT;
  for (int i = 0; i < 6; i++) acts = acts || p->spring[i] > 0 || p->damper[i] > 0;
  for (int i = 0; i < plan->npart; i++) acts = acts || plan->part[i].twin == k;
  return !acts;
}

// The joint of a chain of bodies: of all of them, or of that with the number e
static void write_chain(writer* w, int k, int e) {
  const robot_part* p = &w->plan->part[k];
  const int b = w->number[k] + e;
  const bool all = !one_by_one(w->style);
  dimension d;
  const double sign = value_sign(w, p, 0, &d);
  const bool slides = d.metre == 1;
  char joint[40];
  snprintf(joint, sizeof joint, "joint(%d)", b);
  if (all)
    say(w, "%s.first = [%d 0:%d]; %s.second = [%d 1:%d]; ", joint, b, p->count - 1, joint, b,
        p->count);
  else
    say(w, "%s.first = %d; %s.second = %d; ", joint, e == 0 ? 0 : b - 1, joint, b);
  const int n = steps(w, joint, all || e > 0 ? 0 : -1, p->on.point, p->turn);
  if (!w->style->by_tr || !freedom_by_steps(w, p, joint, n)) freedom_by_type(w, p, joint, p->axis2);

  // those further out begin nearer to zero, unless all are one
  for (int rate = 0; rate < 2; rate++) {
    const dimension of = {d.metre, 0, rate ? -1 : 0};
    const double x = sign * (rate ? p->v[0] : p->q[0]);
    if (p->same && e > 0) continue;
    say(w, "%s.dof(1).%s = ", joint, rate ? "rate" : "init");
    if (all && !p->same) {
      for (int i = 0; i < p->count; i++)
        say(w, i == 0 ? "[" : "; "), number(w, x * (1 - 0.3 * i), of);
      say(w, "]; ");
    } else {
      number(w, x * (1 - 0.3 * e), of);
      say(w, "; ");
    }
  }
  if (p->same && all) say(w, "%s.dof(1).equal2 = [%d 1 1]; ", joint, b);
  if (p->same && e > 0) say(w, "%s.dof(1).equal2 = [%d 1]; ", joint, w->number[k]);
  if (p->spring[0] > 0) {
    say(w, "%s.dof(1).spring.coeff = ", joint);
    number(w, p->spring[0], slides ? STIFFNESS : TORQUE);
    say(w, "; %s.dof(1).spring.init = ", joint);
    number(w, sign * p->rest[0], d);
    say(w, "; ");
  }
  if (p->damper[0] > 0) {
    say(w, "%s.dof(1).damp.visc = ", joint);
    number(w, p->damper[0], slides ? VISCOSITY : TURN_VISCOSITY);
    say(w, "; ");
  }
  say(w, "\n");
}

// A rod as a body whose pose is a polynomial of arc length, with everything per length
static void write_polynomial(writer* w, int k) {
  const robot_part* p = &w->plan->part[k];
  const int b = w->number[k];
  const double A = 3.14159265358979 * p->radius * p->radius, I = A * p->radius * p->radius / 4;
  const double K[6] = {p->E / 3 * A, p->E / 3 * A, p->E * A, p->E * I, p->E * I, p->E / 3 * 2 * I};
  const dimension bending = {3, 1, -2}, mass = {-1, 1, 0}, turning = {1, 1, 0};
  char joint[40];
  snprintf(joint, sizeof joint, "joint(%d)", b);
  say(w, "body(%d).m = ", b);
  number(w, p->rho * A, mass);
  say(w, "; body(%d).I = diag([%.17g %.17g %.17g]);\n", b, scaled(w->style, p->rho * I, turning),
      scaled(w->style, p->rho * I, turning), scaled(w->style, 2 * p->rho * I, turning));
  say(w, "%s.second = [%d %.17g]; %s.rom.order = %d; %s.first = ", joint, b,
      scaled(w->style, p->length, LENGTH), joint, p->n, joint);
  place(w, &p->on);
  say(w, "; ");
  const int n = steps(w, joint, p->on.part, p->on.point, p->turn);
  say(w, "%s.tr(%d).trans = [inf inf inf]; %s.tr(%d).rot = [0 inf inf inf];\n", joint, n + 1, joint,
      n + 1);
  say(w, "%s.spring.coeff = [", joint);
  for (int i = 0; i < 6; i++) number(w, K[i], i < 3 ? FORCE : bending), say(w, " ");
  say(w, "]; ");
  if (p->eta > 0) {
    const dimension slow = {1, 1, -1}, turn = {3, 1, -1};
    say(w, "%s.damp.visc = [", joint);
    for (int i = 0; i < 6; i++) number(w, p->eta / p->E * K[i], i < 3 ? slow : turn), say(w, " ");
    say(w, "]; ");
  }
  // bent a little: x = c s^2 with the slope of the sections
  const double side = w->style->mirror ? -1 : 1, far = 0.02 * p->q[0];
  say(w, "%s.dof(1).init = [", joint);
  for (int i = 1; i <= p->n; i++)
    say(w, "%.17g ", scaled(w->style, side * far * i * i / p->n / p->n, LENGTH));
  say(w, "]; %s.dof(5).init = [", joint);
  for (int i = 1; i <= p->n; i++) say(w, "%.17g ", side * far / p->length * i / p->n);
  say(w, "];\n");
}

static void write_body(writer* w, int k, int element) {
  const robot_part* p = &w->plan->part[k];
  const int b = w->number[k] + element;
  const double offset[3] = {0.01, -0.02, 0.015}, part2 = w->style->split_bodies ? 0.3 : 0;
  const int count = w->style->split_bodies ? 2 : 1;
  for (int half = 0; half < count; half++) {
    const int body = half == 0 ? b : w->nbody + b;
    const double share = half == 0 ? 1 - part2 : part2, m = share * p->m;
    double com[3], I[6], y[3];
    for (int i = 0; i < 3; i++)
      com[i] = p->com[i] + (count == 1  ? 0
                            : half == 0 ? -part2 / (1 - part2) * offset[i]
                                        : offset[i]);
    // what the two masses at their distances have is taken from the first
    for (int i = 0; i < 6; i++)
      I[i] = half == 0 && count == 2 ? p->I[i] * (1 - part2) : share * p->I[i];
    if (half == 0 && count == 2) {
      const double m1 = m, m2 = part2 * p->m, d2 = part2 / (1 - part2);
      const double *o = offset, e = m2 + m1 * d2 * d2;
      I[0] -= e * (o[1] * o[1] + o[2] * o[2]);
      I[1] -= e * (o[0] * o[0] + o[2] * o[2]);
      I[2] -= e * (o[0] * o[0] + o[1] * o[1]);
      I[3] += e * o[0] * o[1];
      I[4] += e * o[0] * o[2];
      I[5] += e * o[1] * o[2];
    }
    if (w->style->mirror) I[3] = -I[3], I[4] = -I[4];
    polar(w->style, com, y);
    say(w, "body(%d).m = ", body);
    number(w, m, MASS);
    say(w, "; body(%d).l_com = ", body);
    row(w, y, 3, LENGTH);
    say(w, "; body(%d).I = [", body);
    static const int at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    for (int i = 0; i < 9; i++) {
      say(w, "%.17g%s", scaled(w->style, I[at[i]], INERTIA), i % 3 == 2 ? ";" : " ");
    }
    say(w, "];\n");
    if (half == 1) {
      say(w, "joint(%d).first = %d; joint(%d).second = %d; joint(%d).type = 'fixed';\n", body, b,
          body, body, body);
      continue;
    }
    if (w->plan->fluid_rho > 0) {
      say(w, "body(%d).fluid.volume = ", body);
      number(w, 3e-4, (dimension){3, 0, 0});
      const double drag = scaled(w->style, 2, (dimension){-1, 1, 0}),
                   turn = scaled(w->style, 0.05, (dimension){1, 1, 0}),
                   added = scaled(w->style, 0.2, MASS);
      say(w, "; body(%d).fluid.center = ", body);
      polar_row(w, p->com, LENGTH);
      say(w, "; body(%d).fluid.drag_matrix = diag([%.17g %.17g %.17g %.17g %.17g %.17g]); ", body,
          drag, drag, drag, turn, turn, turn);
      say(w, "body(%d).fluid.added_mass = diag([%.17g %.17g %.17g 0 0 0]);\n", body, added,
          2 * added, added);
    }
    char joint[40];
    snprintf(joint, sizeof joint, "joint(%d)", b);
    if (p->count == 1) say(w, "%s.second = %d; ", joint, b);
    if (p->count > 1)
      write_chain(w, k, element);
    else if (w->style->cut == k)
      write_flight(w, k, joint);
    else
      write_joint(w, k, joint, joint);
  }
}

// Three translational and three rotational components, in the world or along local axes
static void six(writer* w, const double x[6], dimension d, dimension turn, bool world) {
  double f[3], m[3], F[3], M[3];
  polar(w->style, x, f), axial(w->style, x + 3, m);
  rotate(w->style->turn, f, F), rotate(w->style->turn, m, M);
  say(w, "[");
  for (int i = 0; i < 3; i++) number(w, world ? F[i] : f[i], d), say(w, " ");
  for (int i = 0; i < 3; i++) number(w, world ? M[i] : m[i], turn), say(w, " ");
  say(w, "]");
}

// The section of a rod or part, scaled
static void write_section(writer* w, const robot_part* p, const char* thing, double scale) {
  const double r = scale * p->radius;
  if (p->section == ROBOT_ELLIPSE || p->section == ROBOT_RECTANGLE) {
    if (scale == 1) say(w, "%s.section = '%s'; ", thing, robot_element_name(p->section));
    say(w, "%s.width = ", thing);
    number(w, 2.2 * r, LENGTH);
    say(w, "; %s.height = ", thing);
    number(w, 1.7 * r, LENGTH);
  } else if (p->section == ROBOT_RING) {
    if (scale == 1) say(w, "%s.section = 'ring'; ", thing);
    say(w, "%s.radius = [", thing);
    number(w, r, LENGTH);
    say(w, " ");
    number(w, 0.5 * r, LENGTH);
    say(w, "]");
  } else {
    say(w, "%s.radius = ", thing);
    number(w, r, LENGTH);
    if (p->section == ROBOT_TAPER) {
      say(w, "*(1 - ");
      number(w, 0.4 / p->length, PER_LENGTH);
      say(w, "*s)");
    }
  }
  say(w, "; ");
}

// E, rho and eta; or the stiffness of a circle given as numbers or as an energy
static void write_material(writer* w, const robot_part* p, const char* rod) {
  const double A = 3.14159265358979 * p->radius * p->radius, I = A * p->radius * p->radius / 4;
  const dimension bending = {3, 1, -2}, mass = {-1, 1, 0}, turning = {1, 1, 0},
                  quartic = {5, 1, -2};
  if (p->material == ROBOT_GIVEN) {
    const double K[6] = {p->E / 3 * A, p->E / 3 * A, p->E * A,
                         p->E * I,     p->E * I,     p->E / 3 * 2 * I},
                 m[6] = {p->rho * A, p->rho * A, p->rho * A,
                         p->rho * I, p->rho * I, p->rho * 2 * I};
    say(w, "%s.stiffness = [", rod);
    for (int i = 0; i < 6; i++) number(w, K[i], i < 3 ? FORCE : bending), say(w, " ");
    say(w, "]; %s.inertia = [", rod);
    for (int i = 0; i < 6; i++) number(w, m[i], i < 3 ? mass : turning), say(w, " ");
    say(w, "]; ");
  } else if (p->material == ROBOT_ENERGY) {
    say(w, "%s.energy = ", rod);
    number(w, p->E * A / 6, FORCE);
    say(w, "*sum(strain(1:2).^2) + ");
    number(w, p->E * A / 2, FORCE);
    say(w, "*strain(3)^2 + ");
    number(w, p->E * I / 2, bending);
    say(w, "*sum(strain(4:5).^2) + ");
    number(w, 1e-3 * p->E * I, quartic);
    say(w, "*sum(strain(4:5).^2)^2 + ");
    number(w, p->E * I / 3, bending);
    say(w, "*strain(6)^2; ");
  } else {
    say(w, "%s.E = ", rod);
    number(w, p->E, PRESSURE);
    say(w, "; ");
  }
  if (p->material != ROBOT_GIVEN) {
    say(w, "%s.rho = ", rod);
    number(w, p->rho, DENSITY);
    say(w, "; ");
  }
  say(w, "%s.eta = ", rod);
  number(w, p->eta, ETA);
  say(w, "; ");
}

// Strains written out: two curvatures as coordinates, which bend, twist and stretch the rod, and a
// wave of time alone
static void write_strain(writer* w, const robot_part* p, int r) {
  const double side = w->style->mirror ? -1 : 1;
  const int c = p->shares < 0 ? r : w->number[p->shares];
  say(w, "rod(%d).strain = [0 0 ", r);
  number(w, 0.01, LENGTH);
  say(w, "*c%d(1) c%d(1) + ", c, c);
  number(w, 1.5 / p->length, PER_LENGTH);
  say(w, "*s*c%d(2)", c);
  if (p->timed) {
    say(w, " + ");
    number(w, 0.5, PER_LENGTH);
    say(w, "*sin(");
    number(w, 2 / p->length, PER_LENGTH);
    say(w, "*s - ");
    number(w, 20, RATE);
    say(w, "*t)");
  }
  say(w, " %g*c%d(2) %g*c%d(1)]; ", side, c, 0.5 * side, c);
  if (p->shares >= 0) return;
  say(w, "rod(%d).init = ", r);
  row(w, p->init + 3, 2, PER_LENGTH);
  say(w, "; rod(%d).rate = ", r);
  row(w, p->rate + 3, 2, (dimension){-1, 0, -1});
  say(w, ";\n");
}

static void write_rod(writer* w, int k) {
  const robot_part* p = &w->plan->part[k];
  const robot_style* s = w->style;
  const char* model = s->rods != NULL ? s->rods : robot_element_name(p->model);
  const bool halves = in_halves(w, p);
  for (int half = 0; half < (halves ? 2 : 1); half++) {
    const int r = w->number[k] + half;
    const bool series = strcmp(model, "gvs") == 0 || strcmp(model, "rom") == 0;
    int n = p->n / (halves ? 2 : 1);
    if (s->rods != NULL) n = series ? 4 + 2 * s->refine : 8 << (s->refine - 1);
    say(w, "rod(%d).model = '%s'; rod(%d).length = %.17g; ", r, model, r,
        scaled(s, p->length / (halves ? 2 : 1), LENGTH));
    if (p->written)
      write_strain(w, p, r);
    else
      say(w, "rod(%d).n = %d; ", r, n);
    char rod[40], joint[40];
    snprintf(rod, sizeof rod, "rod(%d)", r);
    snprintf(joint, sizeof joint, "rod(%d).joint", r);
    write_section(w, p, rod, 1);
    write_material(w, p, rod);
    double bend[3];
    axial(s, p->shape + 3, bend);
    say(w, "rod(%d).shape = [0 0 0 ", r);
    for (int i = 0; i < 3; i++) number(w, bend[i], PER_LENGTH), say(w, " ");
    say(w, "];\n");
    if (p->parted) {
      // what a part does not say is the rod's
      say(w, "rod(%d).part(1).length = %.17g; rod(%d).part(2).length = %.17g; ", r,
          scaled(s, 0.6 * p->length, LENGTH), r, scaled(s, 0.4 * p->length, LENGTH));
      char part[60];
      snprintf(part, sizeof part, "rod(%d).part(2)", r);
      write_section(w, p, part, 0.8);
      say(w, "\n");
    }
    if (p->basis != NULL && s->rods == NULL) {
      const bool pieces =
          strchr("lqchb", p->basis[0]) != NULL && strcmp(p->basis, "chebyshev") != 0;
      say(w, "rod(%d).basis = '%s'; ", r, p->basis);
      if (pieces) say(w, "rod(%d).elements = 2; ", r);
    }
    if (p->strained) {
      say(w, "rod(%d).init = ", r);
      six(w, p->init, ONE, PER_LENGTH, false);
      say(w, "; rod(%d).rate = ", r);
      six(w, p->rate, RATE, (dimension){-1, 0, -1}, false);
      say(w, ";\n");
    }
    if (p->loaded || p->followed) {
      say(w, "rod(%d).load = ", r);
      six(w, p->loaded ? p->load : p->follow, STIFFNESS, FORCE, p->loaded);
      say(w, "; rod(%d).load_frame = '%s';\n", r, p->loaded ? "world" : "local");
    }
    if (p->placed) {
      say(w, "rod(%d).load = [-", r);
      number(w, 0.5, PRESSURE);
      say(w, "*(here - ");
      world_place(w, w->plan->pull_to);
      say(w, ") 0 0 0];\n");
    }
    if (p->driven_strains) {
      say(w, "rod(%d).input = ", r);
      six(w, p->input, FORCE, TORQUE, false);
      say(w, ";\n");
    }
    if (p->damping[0] > 0) {
      // c u^p is a force or torque, of rates of strain
      const double power = 1.5;
      say(w, "rod(%d).damp.visc = [", r);
      for (int i = 0; i < 6; i++)
        say(w, "%.17g ",
            scaled(s, p->damping[i], i < 3 ? FORCE : TORQUE) *
                pow((i < 3 ? 1 : s->metre) * s->second, power));
      say(w, "]; rod(%d).damp.pow = %g;\n", r, power);
    }
    if (p->held && p->model == ROBOT_GVS)
      say(w, "rod(%d).order = [-1 -1 -1 %d %d %d];\n", r, n, n, n);
    else if (p->held)
      say(w, "rod(%d).modes = [0 0 0 1 1 1];\n", r);
    if (p->lifted && w->plan->fluid_rho > 0) {
      const double lift[3] = {-0.08, 0.05, 0.1};
      double across[3];
      axial(s, lift, across);
      say(w, "rod(%d).fluid.lift = ", r);
      row(w, across, 3, ONE);
      say(w, ";\n");
    }
    if (half == 1) {
      say(w, "rod(%d).first = at(rod(%d));\n", r, r - 1);
      continue;
    }
    write_joint(w, k, rod, joint);
  }
}

static void write_link(writer* w, const robot_link* l) {
  static const char* const types[] = {"fixed",     "revolute", "prismatic", "cylindrical",
                                      "universal", "planar",   "spherical"};
  const bool loop = l->kind >= ROBOT_LOOP_FIXED && l->kind <= ROBOT_LOOP_SPHERICAL;
  const bool swap = w->style->swapped && l->kind == ROBOT_LOOP_SPHERICAL && l->a.part >= 0;
  const robot_place *a = swap ? &l->b : &l->a, *b = swap ? &l->a : &l->b;
  const int j = ++w->njoint;
  say(w, "joint(%d).first = ", j);
  place(w, a);
  say(w, "; joint(%d).second = ", j);
  place(w, b);
  say(w, "; ");
  char joint[40];
  snprintf(joint, sizeof joint, "joint(%d)", j);
  steps(w, joint, a->part, a->point, NULL);
  say(w, "joint(%d).tr2nd.trans = ", j);
  polar_row(w, b->point, LENGTH);
  say(w, "; ");
  if (loop) {
    double x[3], y[3];
    const bool slide = l->kind == ROBOT_LOOP_PRISMATIC || l->kind == ROBOT_LOOP_PLANAR;
    if (slide)
      polar(w->style, l->axis, x);
    else
      axial(w->style, l->axis, x);
    axial(w->style, l->axis2, y);
    say(w, "joint(%d).type = '%s'; ", j, types[l->kind - ROBOT_LOOP_FIXED]);
    if (l->kind == ROBOT_LOOP_UNIVERSAL) {
      say(w, "joint(%d).axis = [%.17g %.17g %.17g; %.17g %.17g %.17g]; ", j, x[0], x[1], x[2], y[0],
          y[1], y[2]);
    } else if (l->kind != ROBOT_LOOP_SPHERICAL && l->kind != ROBOT_LOOP_FIXED) {
      say(w, "joint(%d).axis = [%.17g %.17g %.17g]; ", j, x[0], x[1], x[2]);
    }
    say(w, "\n");
    return;
  }
  if (l->kind >= ROBOT_LOOP_ROWS && l->kind <= ROBOT_LOOP_MOVED) {
    // along the axes of the second body, which turn with the robot
    say(w, "joint(%d).fixed = [", j);
    for (int i = 0; i < (l->kind == ROBOT_LOOP_SIX ? 6 : 3); i++) say(w, "%d ", (l->rows >> i) & 1);
    say(w, "]; joint(%d).refbody = ", j);
    place(w, b);
    say(w, ";\n");
    if (l->kind == ROBOT_LOOP_PUSHED) {
      const double push = scaled(w->style, 0.5, ACCELERATION);
      say(w, "joint(%d).control = [", j);
      for (int i = 0; i < 3; i++) say(w, "%.17g ", w->style->mirror && i == 0 ? -push : push);
      say(w, "0 0 0];\n");
    }
    if (l->kind != ROBOT_LOOP_MOVED) return;
    const double way = scaled(w->style, 0.02, LENGTH), rate = scaled(w->style, 3, RATE);
    say(w, "joint(%d).motion = [", j);
    for (int i = 0; i < 3; i++)
      say(w, "%.17g*sin(%.17g*t) ",
          !((l->rows >> i) & 1)        ? 0
          : w->style->mirror && i == 0 ? -way
                                       : way,
          rate);
    say(w, "];\n");
    return;
  }
  if (l->kind >= ROBOT_BEAM_MID && l->kind <= ROBOT_BEAM) {
    if (l->kind == ROBOT_BEAM_MID) say(w, "joint(%d).beam.frame = 'mid'; ", j);
    // what is elongation along x is compression in the mirror
    if (l->kind == ROBOT_BEAM_SIDED)
      say(w, "joint(%d).dir = [%d 0 1]; ", j, w->style->mirror ? 1 : -1);
    say(w, "joint(%d).spring.coeff = [", j);
    for (int i = 0; i < 6; i++) number(w, l->stiffness[i], i < 3 ? STIFFNESS : TORQUE), say(w, " ");
    say(w, "]; joint(%d).spring.init = nan*ones(1, 6); ", j);
    if (l->damping > 0) {
      say(w, "joint(%d).damp.visc = [", j);
      for (int i = 0; i < 6; i++)
        number(w, l->damping * (i < 3 ? 1 : 0.05), i < 3 ? VISCOSITY : TURN_VISCOSITY), say(w, " ");
      say(w, "]; ");
    }
    say(w, "\n");
    return;
  }
  say(w, "joint(%d).spring.coeff = ", j);
  number(w, l->stiffness[0], STIFFNESS);
  say(w, "; joint(%d).spring.init = ", j);
  number(w, l->rest, LENGTH);
  say(w, "; ");
  if (l->kind == ROBOT_MUSCLE) {
    say(w, "joint(%d).input = ", j);
    number(w, 1.5, FORCE);
    say(w, "*(1 + sin(%.17g*t)); ", scaled(w->style, 20, RATE));
  }
  if (l->kind == ROBOT_WORLD_DAMPER) {
    say(w, "joint(%d).damp.along = 0; joint(%d).damp.visc = ", j, j);
    number(w, l->damping, VISCOSITY);
    say(w, "; ");
  } else if (l->damping > 0) {
    // c u^p is a force
    say(w, "joint(%d).damp.along = 1; joint(%d).damp.visc = %.17g; joint(%d).damp.pow = %.17g; ", j,
        j,
        l->damping * w->style->metre * w->style->kilogram / pow(w->style->second, 2) /
            pow(w->style->metre / w->style->second, l->power),
        j, l->power);
  }
  if (l->kind == ROBOT_ROPE || l->kind == ROBOT_STOP)
    say(w, "joint(%d).dir = %d; ", j, l->kind == ROBOT_ROPE ? 1 : -1);
  say(w, "\n");
}

static void write_cable(writer* w, const robot_cable* c, int k) {
  if (c->nrod > 0) {
    say(w, "cable(%d).rod = [", k);
    for (int i = 0; i < c->nrod; i++) {
      const robot_part* p = &w->plan->part[c->rod[i]];
      say(w, "%d ", w->number[c->rod[i]]);
      if (in_halves(w, p)) say(w, "%d ", w->number[c->rod[i]] + 1);
    }
    const double x = w->style->mirror ? -c->path[0] : c->path[0];
    say(w, "]; cable(%d).path = [", k);
    if (c->helix > 0 && !w->style->split_rods) {
      number(w, x, LENGTH);
      say(w, "*cos(");
      number(w, c->helix, PER_LENGTH);
      say(w, "*s) ");
    } else {
      number(w, x, LENGTH);
      say(w, " ");
    }
    number(w, c->path[1], LENGTH);
    say(w, "]; ");
    if (c->friction > 0) say(w, "cable(%d).friction = %.17g; ", k, c->friction);
    if (c->part_way) {
      int rod;
      double arc;
      rod_point(w, c->rod[c->nrod - 1], 0.8, &rod, &arc);
      say(w, "cable(%d).from = %.17g; cable(%d).to = %.17g; ", k,
          scaled(w->style, 0.1 * w->plan->part[c->rod[0]].length, LENGTH), k,
          scaled(w->style, arc, LENGTH));
    }
  } else {
    say(w, "cable(%d).via = {", k);
    for (int i = 0; i < c->nvia; i++) {
      if (i > 0) say(w, ", ");
      place(w, &c->via[i]);
    }
    say(w, "}; cable(%d).points = [", k);
    for (int i = 0; i < c->nvia; i++) {
      if (i > 0) say(w, "; ");
      if (c->via[i].part < 0)
        world_place(w, c->via[i].point);
      else
        polar_row(w, c->via[i].point, LENGTH);
    }
    say(w, "]; ");
  }
  if (c->drive == ROBOT_CABLE) {
    say(w, "cable(%d).tension = ", k);
    number(w, c->tension, FORCE);
  } else {
    say(w, "cable(%d).pull = ", k);
    number(w, c->drive == ROBOT_CABLE_TAUT ? 0 : c->pull, LENGTH);
    if (c->drive == ROBOT_CABLE_PULL) {
      say(w, "; cable(%d).stiffness = ", k);
      number(w, c->stiffness, STIFFNESS);
    }
  }
  say(w, ";\n");
}

static void contact_part(writer* w, int k, const char* which, int part) {
  char name[60];
  body_name(w, part, name, sizeof name);
  if (w->plan->part[part].rod) snprintf(name, sizeof name, "rod(%d)", w->number[part]);
  say(w, "contact(%d).%s = %s; ", k, which, name);
}

static void write_contact(writer* w, const robot_contact* c, int k) {
  const robot_part* a = &w->plan->part[c->a.part];
  static const char* const words[] = {"plane", "sphere", "cylinder"};
  // per length of a rod, per point of a body; Hunt and Crossley's damping is per speed
  const bool net = c->kind == ROBOT_TOUCH_MESH, plane = net || c->kind == ROBOT_PLANE;
  const bool along = a->rod && !net && !c->per_point;
  const dimension stiffness = along ? (dimension){-1, 1, -2} : STIFFNESS;
  if (net)
    say(w, "contact(%d).first = mesh(1); ", k);
  else
    contact_part(w, k, "first", c->a.part);
  if (!a->rod && !net) {
    say(w, "contact(%d).points = ", k);
    polar_row(w, c->a.point, LENGTH);
    say(w, "; ");
  }
  if (!a->rod || net) {
    say(w, "contact(%d).ball = ", k);
    number(w, c->ball, LENGTH);
    say(w, "; ");
  }
  if (c->kind == ROBOT_TOUCH) {
    contact_part(w, k, "second", c->b.part);
    say(w, "contact(%d).points2 = ", k);
    polar_row(w, c->b.point, LENGTH);
    say(w, "; contact(%d).ball2 = ", k);
    number(w, c->radius, LENGTH);
    say(w, "; ");
  } else if (c->kind == ROBOT_TOUCH_ROD) {
    say(w, "contact(%d).second = rod(%d); ", k, w->number[c->b.part]);
  } else {
    say(w, "contact(%d).second = '%s'; contact(%d).%s = ", k,
        plane ? "plane" : words[c->kind - ROBOT_PLANE], k, plane ? "point" : "center");
    world_place(w, c->at);
    if (c->moves) {
      const double v[3] = {0.2, -0.1, 0.15};
      say(w, " + ");
      world_direction(w, v, SPEED);
      say(w, "*t");
    }
    say(w, "; ");
    if (c->kind != ROBOT_BALL) {
      // the axis of a cylinder is across the way to it
      double across[3] = {c->normal[1], -c->normal[0], 0};
      say(w, "contact(%d).%s = ", k, plane ? "normal" : "axis");
      world_direction(w, plane ? c->normal : across, ONE);
      say(w, "; ");
    }
    if (!plane) {
      say(w, "contact(%d).radius = ", k);
      number(w, c->radius, LENGTH);
      say(w, "; ");
    }
  }
  // k x^e is a force; at 2 mm as large as with e = 1
  const double e = c->steep ? 1.5 : 1, per = pow(scaled(w->style, 0.002, LENGTH), 1 - e);
  say(w, "contact(%d).stiffness = ", k);
  say(w, "%.17g", scaled(w->style, c->stiffness, stiffness) * per);
  if (c->steep) say(w, "; contact(%d).exponent = %g", k, e);
  if (c->per_point) say(w, "; contact(%d).per = 'point'", k);
  if (c->approach) say(w, "; contact(%d).law = 'approach'", k);
  say(w, "; contact(%d).damping = ", k);
  if (c->approach)
    number(w, 10 * c->damping, along ? ETA : VISCOSITY);
  else
    number(w, c->damping, PER_SPEED);
  say(w, "; contact(%d).friction = ", k);
  number(w, c->friction, ONE);
  say(w, "; contact(%d).slip = ", k);
  number(w, 0.05, SPEED);
  say(w, ";\n");
}

static void write_load(writer* w, int part, const double load[6], bool follows, int k) {
  const robot_place at = {.part = part, .along = 1};
  say(w, "exload(%d).exbody = ", k);
  place(w, &at);
  double f[3], m[3], F[3], M[3];
  polar(w->style, load, f);
  axial(w->style, load + 3, m);
  if (follows) {
    memcpy(F, f, sizeof F), memcpy(M, m, sizeof M);
    say(w, "; exload(%d).refbody = ", k);
    place(w, &at);
  } else {
    rotate(w->style->turn, f, F);
    rotate(w->style->turn, m, M);
  }
  say(w, "; exload(%d).ftau = [", k);
  for (int i = 0; i < 3; i++) number(w, F[i], FORCE), say(w, " ");
  for (int i = 0; i < 3; i++) number(w, M[i], TORQUE), say(w, " ");
  say(w, "]%s;\n", w->style->by_load ? "*param('load', 1)" : "");
}

// The place of a part's far end in an expression
static void pos_of(writer* w, int part) {
  char name[60];
  if (w->plan->part[part].rod) {
    int rod;
    double arc;
    rod_point(w, part, 1, &rod, &arc);
    say(w, "pos(%s(%d), %.17g)", w->plan->part[part].polynomial ? "body" : "rod", rod,
        scaled(w->style, arc, LENGTH));
  } else {
    body_name(w, part, name, sizeof name);
    say(w, "pos(%s)", name);
  }
}

// A spring from a part to a place of the world, written as a load
static void write_placed(writer* w, int k) {
  const robot_place at = {.part = w->plan->placed, .along = 1};
  say(w, "exload(%d).exbody = ", k);
  place(w, &at);
  say(w, "; exload(%d).ftau = [-", k);
  number(w, w->plan->part[at.part].rod ? 0.5 : 5, STIFFNESS);
  say(w, "*(");
  pos_of(w, at.part);
  say(w, " - ");
  world_place(w, w->plan->pull_to);
  say(w, ") 0 0 0];\n");
}

// The field, which turns with the robot and, as moments do, in a mirror like a rotation
static void write_field(writer* w, int k) {
  double B[3], F[3];
  axial(w->style, w->plan->field, B);
  rotate(w->style->turn, B, F);
  say(w, "magnet(%d).field = ", k);
  row(w, F, 3, STIFFNESS);  // N/(A m)
  if (w->plan->field_timed) say(w, "*(1 + 0.5*sin(%.17g*t))", scaled(w->style, 20, RATE));
  say(w, "%s;\n", w->style->by_load ? "*param('load', 1)" : "");
}

static void write_magnets(writer* w) {
  const random_robot* plan = w->plan;
  int k = 0;
  double m[3];
  if (plan->magnet.part >= 0) {
    axial(w->style, plan->moment, m);
    say(w, "magnet(%d).on = ", ++k);
    place(w, &plan->magnet);
    say(w, "; magnet(%d).moment = ", k);
    row(w, m, 3, AREA);
    say(w, "; ");
    write_field(w, k);
  }
  if (plan->magnetic < 0) return;
  const robot_part* p = &plan->part[plan->magnetic];
  const int halves = in_halves(w, p) ? 2 : 1;
  axial(w->style, plan->rod_moment, m);
  for (int half = 0; half < halves; half++) {
    say(w, "magnet(%d).on = rod(%d); magnet(%d).moment = ", k + 1, w->number[plan->magnetic] + half,
        k + 1);
    row(w, m, 3, LENGTH);
    say(w, "*(%.17g + ", half == 0 ? 1 : 1.5);
    number(w, 1 / p->length, PER_LENGTH);
    say(w, "*s); ");
    write_field(w, ++k);
  }
}

// A spring between a part and the centre of mass, as a load; returns the number of loads
static int write_pulled(writer* w, int loads) {
  const robot_place at = {.part = w->plan->pulled, .along = 1};
  if (at.part < 0) return loads;
  say(w, "exload(%d).exbody = ", ++loads);
  place(w, &at);
  say(w, "; exload(%d).ftau = [-", loads);
  number(w, w->plan->part[at.part].rod ? 0.5 : 5, STIFFNESS);
  say(w, "*(");
  pos_of(w, at.part);
  say(w, " - com()) 0 0 0];\n");
  return loads;
}

// A load along one direction, by an internal state that follows the square of a distance within
// 20 ms
static void write_lagged(writer* w, int load) {
  const robot_place at = {.part = w->plan->lagged, .along = 1};
  if (at.part < 0) return;
  say(w, "z = internal('lag', ");
  number(w, w->plan->lag_start, AREA);
  say(w, "); dynamics(1).of = 'lag'; dynamics(1).rate = (sum((");
  pos_of(w, at.part);
  say(w, " - ");
  world_place(w, w->plan->lag_from);
  say(w, ").^2) - z)*");
  number(w, 50, RATE);
  say(w, ";\nexload(%d).exbody = ", load);
  place(w, &at);
  say(w, "; exload(%d).ftau = [z*", load);
  double push[3];
  for (int i = 0; i < 3; i++)
    push[i] = (w->plan->part[at.part].rod ? 0.3 : 1) * w->plan->lag_along[i];
  world_direction(w, push, PRESSURE);
  say(w, " 0 0 0]%s;\n", w->style->by_load ? "*param('load', 1)" : "");
}

static void write_mesh(writer* w) {
  const random_robot* plan = w->plan;
  // a plate of 3 x 2 nodes; in a mirror its nodes are listed mirrored
  const double a = scaled(w->style, w->style->mirror ? -0.1 : 0.1, LENGTH),
               b = scaled(w->style, 0.1, LENGTH);
  if (plan->mesh_rods) {
    // two edges with a corner
    say(w, "mesh(1).node = [0 0 0; %.17g 0 0; %.17g %.17g 0];\n", a, a, b);
    say(w, "mesh(1).edge = [1 2; 2 3]; mesh(1).fixed = 1;\n");
  } else {
    say(w,
        "mesh(1).node = [0 0 0; %.17g 0 0; %.17g 0 0; 0 %.17g 0; %.17g %.17g 0; %.17g %.17g 0];\n",
        a, 2 * a, b, a, b, 2 * a, b);
    say(w,
        "mesh(1).edge = [1 2; 2 3; 4 5; 5 6; 1 4; 2 5; 3 6; 1 5; 2 6]; mesh(1).fixed = [1 4];\n");
  }
  double y[3], z[3], r[3];
  polar(w->style, plan->mesh_at, y);
  axial(w->style, plan->mesh_turn, r);
  memcpy(z, y, sizeof z);
  say(w, "mesh(1).tr(1).trans = [%.17g %.17g %.17g]; mesh(1).tr(1).rot = ",
      scaled(w->style, w->style->shift[0], LENGTH), scaled(w->style, w->style->shift[1], LENGTH),
      scaled(w->style, w->style->shift[2], LENGTH));
  rotation(w, w->style->turn);
  say(w, "; mesh(1).tr(2).trans = [%.17g %.17g %.17g]; mesh(1).tr(2).rot = ",
      scaled(w->style, z[0], LENGTH), scaled(w->style, z[1], LENGTH),
      scaled(w->style, z[2], LENGTH));
  rotation(w, r);
  say(w, ";\nmesh(1).body.m = ");
  number(w, plan->mesh_mass, MASS);
  say(w, "; mesh(1).joint(1).tr.trans = [inf inf inf]; ");
  if (plan->mesh_rods) {
    // a round rod of 4 mm and 40 g/m, soft
    static const double K[6] = {20, 20, 60, 4e-3, 4e-3, 2e-3};
    const dimension bending = {3, 1, -2}, slow = {1, 1, -1}, turn = {3, 1, -1};
    const double I = scaled(w->style, 4e-7, (dimension){1, 1, 0});
    say(w, "mesh(1).joint(1).tr.rot = [0 inf inf inf]; mesh(1).body(1).I = %.17g*eye(3);\n",
        scaled(w->style, 2e-5, INERTIA));
    say(w, "mesh(1).body(2).m = ");
    number(w, 0.04, (dimension){-1, 1, 0});
    say(w, "; mesh(1).body(2).I = diag([%.17g %.17g %.17g]); mesh(1).joint(2).rom.order = 1;\n", I,
        I, 2 * I);
    say(w, "mesh(1).joint(2).spring.coeff = [");
    for (int i = 0; i < 6; i++) number(w, K[i], i < 3 ? FORCE : bending), say(w, " ");
    say(w, "]; ");
    if (plan->mesh_damping > 0) {
      // what is to come to rest is damped as its other rods are
      const double delay = plan->kind == ROBOT_RESTING ? 0.2 : 1e-3 * plan->mesh_damping;
      say(w, "mesh(1).joint(2).damp.visc = [");
      for (int i = 0; i < 6; i++) number(w, delay * K[i], i < 3 ? slow : turn), say(w, " ");
      say(w, "]; ");
    }
    say(w, "\n");
  } else if (plan->mesh_beams) {
    // shear, stretch, bending, twist along the edge
    static const double part[6] = {0.5, 0.5, 1, 1e-3, 1e-3, 1e-3};
    const double I = scaled(w->style, 2e-5, INERTIA);
    say(w, "mesh(1).joint(1).tr.rot = [inf inf inf inf]; mesh(1).body.I = %.17g*eye(3);\n", I);
    say(w, "mesh(1).joint(2).beam.frame = 'mid'; mesh(1).joint(2).spring.coeff = [");
    for (int i = 0; i < 6; i++)
      number(w, part[i] * plan->mesh_stiffness, i < 3 ? STIFFNESS : TORQUE), say(w, " ");
    say(w, "]; mesh(1).joint(2).spring.init = nan*ones(1, 6); mesh(1).joint(2).damp.visc = [");
    for (int i = 0; i < 6; i++)
      number(w, part[i] * plan->mesh_damping, i < 3 ? VISCOSITY : TURN_VISCOSITY), say(w, " ");
    say(w, "];\n");
  } else {
    say(w, "mesh(1).joint(2).spring.coeff = ");
    number(w, plan->mesh_stiffness, STIFFNESS);
    say(w, "; mesh(1).joint(2).spring.init = nan; mesh(1).joint(2).damp.visc = ");
    number(w, plan->mesh_damping, VISCOSITY);
    say(w, ";\n");
  }
  if (plan->threads) say(w, "mesh(1).joint(2).dir = 1; mesh(1).joint(2).spring.compr = 0.95;\n");
  if (plan->fluid_rho > 0 && !plan->mesh_rods)
    say(w, "mesh(1).fluid.width = %.17g;\n", scaled(w->style, 0.01, LENGTH));
  if (plan->tie < 0) return;
  const robot_place tie = {.part = plan->tie, .along = 1};
  const int j = ++w->njoint;
  say(w, "joint(%d).first = ", j);
  place(w, &tie);
  say(w, "; joint(%d).second = at(mesh(1), %d); joint(%d).tr.trans = ", j, plan->mesh_rods ? 3 : 6,
      j);
  polar_row(w, plan->tie_point, LENGTH);
  say(w, "; joint(%d).spring.coeff = ", j);
  number(w, 5, STIFFNESS);
  say(w, "; joint(%d).spring.init = ", j);
  number(w, 0.1, LENGTH);
  say(w, ";\n");
}

static void sense(writer* w, int* k, const char* what) {
  static const char* const words[] = {"pos", "vel", "acc"};
  for (int i = 0; i < 3; i++, (*k)++)
    say(w, "sensor(%d).name = 's%d'; sensor(%d).value = %s%s;\n", *k, *k, *k, words[i], what);
}

static void write_sensors(writer* w) {
  int k = 1;
  char what[200];
  static const double points[2][3] = {{0.1, 0, 0}, {0, 0.1, 0.05}};
  for (int i = 0; i < w->plan->npart; i++)
    for (int j = 0; j < 2; j++) {
      if (w->plan->part[i].rod) {
        int rod;
        double arc;
        rod_point(w, i, 0.5 * (j + 1), &rod, &arc);
        snprintf(what, sizeof what, "(%s(%d), %.17g)", w->plan->part[i].polynomial ? "body" : "rod",
                 rod, scaled(w->style, arc, LENGTH));
      } else {
        double x[3];
        char name[60];
        body_name(w, i, name, sizeof name);
        polar(w->style, points[j], x);
        for (int c = 0; c < 3; c++) x[c] = scaled(w->style, x[c], LENGTH);
        snprintf(what, sizeof what, "(%s, [%.17g %.17g %.17g])", name, x[0], x[1], x[2]);
      }
      sense(w, &k, what);
    }
  if (w->plan->mesh) sense(w, &k, w->plan->mesh_rods ? "(mesh(1), 3)" : "(mesh(1), 6)");
  // which has no velocity of its own
  if (w->plan->com)
    for (int i = 0; i < 3; i++, k++)
      say(w, "sensor(%d).name = 's%d'; sensor(%d).value = %s;\n", k, k, k,
          i == 0 ? "com()" : "[0 0 0]");
  // force and moment inside, turned to the axes of the world and as accelerations of a kg, or of a
  // kg m; an axial vector in a mirror is a polar one with the other sign
  for (int i = 0; i < w->plan->npart; i++)
    for (int j = 0; j < 2 && w->plan->part[i].rod && w->plan->part[i].felt; j++) {
      // at its base where things are in the middle, a point of the quadrature of some rods, from
      // which what is further out cannot be told
      int rod;
      double arc, along = 0.2;
      for (int n = 0; n < w->plan->npart; n++)
        if (w->plan->part[n].on.part == i && w->plan->part[n].on.along < 1) along = 0;
      rod_point(w, i, along, &rod, &arc);
      snprintf(what, sizeof what, "(rod(%d), %.17g)", rod, scaled(w->style, arc, LENGTH));
      sense(w, &k, what);
      const double unit = scaled(w->style, 1, j == 0 ? MASS : (dimension){1, 1, 0});
      say(w, "f%d = wrench%s; sensor(%d).value = (rot%s*f%d(%s)')'/%.17g;\n", k, what, k - 1, what,
          k, j == 0 ? "1:3" : "4:6", j == 1 && w->style->mirror ? -unit : unit);
    }
}

int random_robot_wrenches(const random_robot* plan) {
  int n = 0;
  for (int i = 0; i < plan->npart; i++) n += plan->part[i].rod && plan->part[i].felt;
  return n;
}
int random_robot_points(const random_robot* plan) {
  return 2 * plan->npart + plan->mesh + plan->com + 2 * random_robot_wrenches(plan);
}

static void write_parts(writer* w) {
  const int n = w->plan->npart;
  const robot_style* s = w->style;
  // numbers of bodies and rods, in the order of the style
  for (int i = 0; i < n; i++) {
    const int k = s->reversed ? n - 1 - i : i;
    const robot_part* p = &w->plan->part[k];
    w->number[k] = p->rod ? w->nrod + 1 : w->nbody + 1;
    if (!p->rod)
      w->nbody += one_by_one(s) ? p->count : 1;
    else if (!p->polynomial)
      w->nrod += 1 + in_halves(w, p);
  }
  // rods that are bodies come behind the bodies, whose second halves come behind them
  const int rigid = w->nbody;
  for (int k = 0; k < n; k++)
    if (w->plan->part[k].polynomial) w->number[k] = ++w->nbody;
  // coordinates that rods have in common are known before any of them
  for (int k = 0; k < n; k++)
    if (w->plan->part[k].written && w->plan->part[k].rod && w->plan->part[k].shares < 0)
      say(w, "rod(%d).coords = 2; c%d = coord(rod(%d));\n", w->number[k], w->number[k],
          w->number[k]);
  for (int i = 0; i < n; i++) {
    const int k = s->reversed ? n - 1 - i : i;
    const robot_part* p = &w->plan->part[k];
    if (p->polynomial)
      write_polynomial(w, k);
    else if (p->rod)
      write_rod(w, k);
    for (int e = 0; !p->rod && e < (one_by_one(s) ? p->count : 1); e++) write_body(w, k, e);
  }
  w->njoint = w->nbody + (s->split_bodies ? rigid : 0);
}

static void write_chamber(writer* w) {
  const random_robot* plan = w->plan;
  const robot_style* style = w->style;
  if (plan->chamber < 0) return;
  const robot_part* p = &plan->part[plan->chamber];
  const bool halves = in_halves(w, p);
  for (int half = 0; half < (halves ? 2 : 1); half++) {
    const double L = p->length, middle = 0.5 * L;
    double from = plan->chamber_from * L, to = plan->chamber_to * L;
    if (halves)
      from = half == 0 ? from : fmax(from - middle, 0),
      to = half == 0 ? fmin(to, middle) : to - middle;
    say(w, "chamber(%d).rod = %d; chamber(%d).offset = [", half + 1,
        w->number[plan->chamber] + half, half + 1);
    number(w, style->mirror ? -plan->chamber_offset[0] : plan->chamber_offset[0], LENGTH);
    say(w, " ");
    number(w, plan->chamber_offset[1], LENGTH);
    say(w, "]; chamber(%d).area = ", half + 1);
    number(w, plan->chamber_area, AREA);
    say(w, "; chamber(%d).pressure = ", half + 1);
    number(w, plan->chamber_pressure, PRESSURE);
    say(w, "; chamber(%d).from = %.17g; chamber(%d).to = %.17g;\n", half + 1,
        scaled(style, from, LENGTH), half + 1, scaled(style, to, LENGTH));
  }
}

char* random_robot_text(const random_robot* plan, const robot_style* style, robot_values* values) {
  char* text = NULL;
  size_t size = 0;
  writer out = {.f = open_memstream(&text, &size), .plan = plan, .style = style, .values = values},
         *w = &out;
  if (values != NULL) values->n = 0;
  say(w, "%% random robot %llu\nworld.g = ", (unsigned long long)plan->seed);
  world_direction(w, plan->g, ACCELERATION);
  if (plan->timed) say(w, "*(1 + 0.5*sin(%.17g*t))", scaled(style, 20, RATE));
  if (style->by_load) say(w, "*param('load', 1)");
  say(w, ";\n");
  if (plan->driver >= 0) {
    dimension d;
    const robot_part* p = &plan->part[plan->driver];
    value_sign(w, p, 0, &d);
    say(w, "u = input('u', %.17g);\n", scaled(style, plan->effort, d.metre ? FORCE : TORQUE));
  }
  if (plan->fluid_rho > 0) {
    say(w, "fluid.rho = ");
    number(w, plan->fluid_rho, DENSITY);
    say(w, "; fluid.velocity = ");
    world_direction(w, plan->stream, SPEED);
    say(w, ";\n");
  }
  write_parts(w);
  if (style->cut >= 0) write_cut(w, style->cut);
  for (int i = 0; i < plan->nlink; i++)
    write_link(w, &plan->link[style->reversed ? plan->nlink - 1 - i : i]);
  for (int i = 0; i < plan->ncable; i++)
    write_cable(w, &plan->cable[style->reversed ? plan->ncable - 1 - i : i], i + 1);
  for (int i = 0; i < plan->ncontact; i++)
    write_contact(w, &plan->contact[style->reversed ? plan->ncontact - 1 - i : i], i + 1);
  write_chamber(w);
  int loads = 0;
  if (plan->loaded >= 0) write_load(w, plan->loaded, plan->load, false, ++loads);
  if (plan->followed >= 0) write_load(w, plan->followed, plan->follow, true, ++loads);
  if (plan->placed >= 0) write_placed(w, ++loads);
  loads = write_pulled(w, loads);
  write_lagged(w, loads + 1);
  write_magnets(w);
  if (plan->mesh) write_mesh(w);
  if (plan->driver >= 0 && plan->control != ROBOT_INPUT) {
    dimension d;
    const int j = w->number[plan->driver];
    const robot_part* p = &plan->part[plan->driver];
    const double sign = value_sign(w, p, 0, &d);
    const dimension force = d.metre ? STIFFNESS : TORQUE,
                    rate = d.metre ? VISCOSITY : TURN_VISCOSITY;
    if (plan->sampled)
      say(w, "par.control.rate = %.17g; par.control.delay = %.17g; ", scaled(style, 700, RATE),
          scaled(style, 5e-4, (dimension){0, 0, 1}));
    if (plan->control == ROBOT_LAW) {
      say(w,
          "control(1).inputs = 'u'; control(1).law = -%.17g*%s*dof(joint(%d), 1) - "
          "%.17g*%s*ddof(joint(%d), 1);\n",
          scaled(style, 2, force), sign > 0 ? "1" : "(-1)", j, scaled(style, 0.3, rate),
          sign > 0 ? "1" : "(-1)", j);
    } else {
      say(w,
          "task(1).value = dof(joint(%d), 1); task(1).desired = %.17g*sin(%.17g*t); task(1).P = "
          "%.17g; task(1).D = %.17g;\n",
          j, sign * scaled(style, 0.05, d), scaled(style, 2, RATE),
          scaled(style, 50, (dimension){0, 0, -2}), scaled(style, 10, RATE));
      if (plan->control == ROBOT_INTEGRAL)
        say(w, "task(1).I = %.17g;\n", scaled(style, 300, (dimension){0, 0, -3}));
    }
  }
  if (plan->watched >= 0) {
    const robot_part* p = &plan->part[plan->watched];
    char name[60];
    body_name(w, plan->watched, name, sizeof name);
    if (p->rod && !p->polynomial)
      snprintf(name, sizeof name, "rod(%d)", w->number[plan->watched] + in_halves(w, p));
    say(w, "event(1).then = '%s'; event(1).when = sum((pos(%s) - ", plan->stops ? "stop" : "mark",
        name);
    world_place(w, plan->watch_from);
    say(w, ").^2) - ");
    number(w, plan->watch_square, AREA);
    say(w, ";\n");
  }
  write_sensors(w);
  // accelerations of rods are rounded to some 1e-3 of 1e7 1/m/s^2: a smaller atol would be below
  // that
  say(w,
      "par.t_final = %.17g; par.dt_out = %.17g; par.rtol = %g; par.atol = %g; par.linear = '%s'; "
      "par.solver = '%s';\n",
      scaled(style, style->t_final, (dimension){0, 0, 1}),
      scaled(style, style->t_final / 5, (dimension){0, 0, 1}), style->rtol, style->rtol,
      style->linear, style->solver);
  fclose(out.f);
  return text;
}

void random_robot_plain(const robot_style* s, const double sensed[9], double plain[9]) {
  static const dimension dims[3] = {{1, 0, 0}, {1, 0, -1}, {1, 0, -2}};
  for (int k = 0; k < 3; k++) {
    double x[3], y[3];
    const double back[3] = {-s->turn[0], -s->turn[1], -s->turn[2]};
    for (int i = 0; i < 3; i++)
      x[i] = sensed[3 * k + i] / scaled(s, 1, dims[k]) - (k == 0 ? s->shift[i] : 0);
    rotate(back, x, y);
    polar(s, y, plain + 3 * k);
  }
}

// The parts, and the chamber and the cables, between whose ends rods are integrated piece by piece:
// a rod with a chamber has its tip 1e-9 m from where it is without.  What is asked of the place is
// a sensor.
static bool find_frame(const random_robot* plan, const robot_place* p, frame* f) {
  *f = (frame){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  memcpy(f->x, p->point, sizeof f->x);
  if (p->part < 0) return true;
  char *text = NULL, what[100];
  size_t size = 0;
  const robot_style style = robot_style_plain();
  writer out = {.f = open_memstream(&text, &size), .plan = plan, .style = &style}, *w = &out;
  if (plan->driver >= 0) say(w, "u = 0;\n");
  write_parts(w);
  for (int i = 0; i < plan->ncable; i++) write_cable(w, &plan->cable[i], i + 1);
  write_chamber(w);
  if (plan->part[p->part].rod)
    snprintf(what, sizeof what, "%s(%d), %.17g", plan->part[p->part].polynomial ? "body" : "rod",
             w->number[p->part], p->along * plan->part[p->part].length);
  else
    body_name(w, p->part, what, sizeof what);
  say(w,
      "sensor(1).name = 'place'; sensor(1).value = [pos(%s) reshape(rot(%s)', 1, 9) vel(%s) "
      "omega(%s)];\n",
      what, what, what, what);
  fclose(out.f);

  td_spec* spec = td_spec_new();
  td_model* model = NULL;
  td_spec_load_string(spec, "places.m", text);
  bool done = td_model_compile(spec, &model) == TD_OK;
  if (!done && getenv("TENDRIL_SHOW")) printf("%s\n%s\n", text, td_spec_messages(spec));
  if (done) {
    td_work* work = td_work_new(model);
    td_state* state = td_state_new(model);
    double seen[18];
    done = td_state_initial(model, work, state) == TD_OK &&
           td_sensors(model, state, work, seen) == TD_OK;
    if (done) {
      memcpy(f->R, seen + 3, sizeof f->R);
      memcpy(f->v, seen + 12, sizeof f->v);
      memcpy(f->w, seen + 15, sizeof f->w);
      for (int i = 0; i < 3; i++) {
        f->x[i] = seen[i];
        for (int j = 0; j < 3; j++) f->x[i] += f->R[3 * i + j] * p->point[j];
      }
    }
    td_state_free(state);
    td_work_free(work);
  }
  td_model_free(model);
  td_spec_free(spec);
  free(text);
  return done;
}
