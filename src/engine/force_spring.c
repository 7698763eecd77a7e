// Springs, dampers and inputs along coordinates: a law along a number x of the coordinates with the
// rate u = g·v, which acts with the generalised force g f(x, u) (elem/turn_part.h).
#include "engine/adjoint.h"
#include "engine/force_law.h"

// Angle beyond which the rotation vector of a spring ends: 19 of 20 parts of a full turn.
#define FULL_TURN 5.97

// The quaternion whose number a law acts along; a rotation about one axis as if about the first.
static quat quaternion_at(const td_work* w, const model_spring* f) {
  const double* q = w->q + f->q;
  return quat_unit((quat){q[0], f->nturn == 3 ? vec3_of(q + 1) : (vec3){q[1], 0, 0}});
}

// The angular velocities of that rotation.
static vec3 spin_at(const td_work* w, const model_spring* f) {
  const double* v = w->v + f->v;
  return f->nturn == 3 ? vec3_of(v) : (vec3){v[0], 0, 0};
}

// The number x with the direction g, and its rate.
static turn_part number_at(const td_work* w, const model_spring* f, double* u) {
  if (f->measure == PART_NUMBER) {
    *u = w->v[f->v];
    return (turn_part){f->q < 0 ? 0 : w->q[f->q], {1, 0, 0}};
  }
  const turn_part p = td_turn_part(f->measure, quaternion_at(w, f), f->axis);
  *u = vec3_dot(p.g, spin_at(w, f));
  return p;
}

// Change of x along w->along.
static double number_along(const td_work* w, const model_spring* f, vec3 g) {
  double dx = f->q < 0 ? 0 : g.x * along_q(w, f->v);
  for (int k = 1; k < f->nturn; k++) dx += vec3_at(g, k) * along_q(w, f->v + k);
  return dx;
}

// ---- all of them ------------------------------------------------------------------------------

// Measure the rest values that are those of the initial configuration.
static void prepare(const td_model* m, td_work* w) {
  for (int i = 0; i < m->nspring; i++) {
    const model_spring* f = &m->spring[i];
    if (f->law.rest_initial) w->num[f->law.rest] = number_at(w, f, &(double){0}).x;
  }
}

// Change of these rest values along w->along.
static void prepare_diff(const td_model* m, td_work* w) {
  for (int i = 0; i < m->nspring; i++) {
    const model_spring* f = &m->spring[i];
    if (!f->law.rest_initial) continue;
    w->dnum[f->law.rest] = number_along(w, f, number_at(w, f, &(double){0}).g);
  }
}

// Transpose of prepare_diff: weights of rest values become weights of positions.
static void prepare_reverse(const td_model* m, td_work* w, struct adjoint* b) {
  for (int i = 0; i < m->nspring; i++) {
    const model_spring* f = &m->spring[i];
    if (!f->law.rest_initial) continue;
    const vec3 g = number_at(w, f, &(double){0}).g;
    const double bar = b->n[f->law.rest];
    if (f->q >= 0) b->q[f->v] += g.x * bar;
    for (int k = 1; k < f->nturn; k++) b->q[f->v + k] += vec3_at(g, k) * bar;
    b->n[f->law.rest] = 0;
  }
}

// Add the generalised forces of springs to w->tau.  A spring along a rotation vector near a full
// turn, where the force jumps, is noted in w->wound.
static void add(const td_model* m, td_work* w, int which) {
  w->wound = -1;
  for (int i = 0; i < m->nspring; i++) {
    const model_spring* f = &m->spring[i];

    // most act along one coordinate
    if (f->measure == PART_NUMBER) {
      const double x = f->q < 0 ? 0 : w->q[f->q], rate = w->v[f->v];
      w->tau[f->v] += law_force(w, &f->law, x, rate, rate, which, &w->law_power);
      continue;
    }

    double u;
    const turn_part p = number_at(w, f, &u);
    const double s = law_force(w, &f->law, p.x, u, u, which, &w->law_power);
    for (int k = 0; k < f->nturn; k++) w->tau[f->v + k] += s * vec3_at(p.g, k);
    if (f->measure == PART_TURN && td_turn_angle(quaternion_at(w, f)) > FULL_TURN) w->wound = i;
  }
}

// Energy that the springs store.
static double energy(const td_model* m, const td_work* w) {
  double sum = 0, u;
  for (int i = 0; i < m->nspring; i++) {
    const model_spring* f = &m->spring[i];
    if (!f->law.potential) continue;
    const double x = number_at(w, f, &u).x;
    sum += law_here(w, &f->law, x, u).energy;
  }
  return sum;
}

// Change of that energy along w->along.
static double energy_along(const td_model* m, const td_work* w) {
  double sum = 0, u;
  for (int i = 0; i < m->nspring; i++) {
    const model_spring* f = &m->spring[i];
    if (!f->law.potential) continue;
    const turn_part p = number_at(w, f, &u);
    const law_value v = law_here(w, &f->law, p.x, u);
    sum += law_energy_diff(w, &f->law, &v, p.x, number_along(w, f, p.g));
  }
  return sum;
}

// Derivative of the springs' energy along column col: dE/dx = -s along the coordinate or rotation
// that belongs to it.
static double energy_diff(const td_model* m, const td_work* w, int col) {
  if (col == ALONG) return energy_along(m, w);
  const model_col* c = &m->col[col];
  double sum = 0, u;
  for (int i = 0; i < m->nspring; i++) {
    const model_spring* f = &m->spring[i];
    const bool turns = f->measure != PART_NUMBER;
    const bool own =
        turns ? c->v >= f->v && c->v < f->v + f->nturn : c->first && c->v == f->v && f->q >= 0;
    if (!own || !f->law.potential) continue;
    const turn_part p = number_at(w, f, &u);
    const double dx = turns ? vec3_at(p.g, c->v - f->v) : 1;
    sum -= law_here(w, &f->law, p.x, u).spring * dx;
  }
  return sum;
}

// Power of the laws beyond what they store; 0 where td_forces has left it (known).
static double power(const td_model* m, const td_work* w, bool known) {
  double sum = 0, u;
  for (int i = 0; i < m->nspring && !known; i++) {
    const model_spring* f = &m->spring[i];
    const double x = number_at(w, f, &u).x;
    sum += law_work(w, &f->law, x, u, u);
  }
  return sum;
}

// A torque about a body axis of a ball joint is no force along a coordinate.
static bool has_potential(const td_model* m) {
  for (int i = 0; i < m->nspring; i++) {
    const model_spring* f = &m->spring[i];
    if (f->q < 0 && !stays(m, f->law.input, 0)) return false;
  }
  return true;
}

static bool has_power_dampers(const td_model* m) {
  for (int i = 0; i < m->nspring; i++)
    if (law_has_power_damper(m, &m->spring[i].law)) return true;
  return false;
}

static bool has_driving_dampers(const td_model* m, const td_work* w) {
  for (int i = 0; i < m->nspring; i++)
    if (w->num[m->spring[i].law.mu] < 0) return true;
  return false;
}

static int switches(const td_model* m) {
  int n = 0;
  for (int i = 0; i < m->nspring; i++) n += m->spring[i].law.dir != 0;
  return n;
}

static void switch_values(const td_model* m, td_work* w, double* values) {
  for (int i = 0; i < m->nspring; i++) {
    const model_spring* f = &m->spring[i];
    if (f->law.dir != 0) *values++ = law_gap(w, &f->law, number_at(w, f, &(double){0}).x);
  }
}

// ---- one by one -------------------------------------------------------------------------------

static force_reach reach(const td_model* m, int i) { return (void)m, (void)i, REACH_COORDINATES; }

static bool is_damped(const td_model* m, const td_work* w, int i) {
  return w->num[m->spring[i].law.mu] != 0;
}

static void linearise(const td_model* m, const td_work* w, int i, force_state* s) {
  (void)m, (void)w, (void)i, (void)s;
}

static void diff(const td_model* m, const td_work* w, int i, const force_state* s,
                 const frame_change* da, const frame_change* db, spatial change[2]) {
  (void)m, (void)w, (void)i, (void)s, (void)da, (void)db;
  change[0] = change[1] = spatial_zero();
}

// Add the change of spring i's generalised forces to dtau, along w->along or with the numbers
// w->dnum alone.
static void numbers_diff(const td_model* m, const td_work* w, int i, double* dtau) {
  const model_spring* f = &m->spring[i];
  double u;
  const turn_part p = number_at(w, f, &u);
  const law_value v = law_here(w, &f->law, p.x, u);
  if (f->measure == PART_NUMBER) {
    const double dx = f->q < 0 ? 0 : along_q(w, f->v);
    dtau[f->v] += law_diff(w, &f->law, &v, dx, along_v(w, f->v));
    return;
  }

  // rotation: the force changes, and the direction g it acts along
  vec3 turn = {0, 0, 0}, spin = {0, 0, 0};
  for (int k = 0; k < f->nturn; k++) {
    turn = vec3_axpy(along_q(w, f->v + k), vec3_axis(k), turn);
    spin = vec3_axpy(along_v(w, f->v + k), vec3_axis(k), spin);
  }
  const vec3 dg = td_turn_part_change(f->measure, quaternion_at(w, f), f->axis, turn);
  const double s = v.f + v.on * w->load * w->num[f->law.input];
  const double du = vec3_dot(dg, spin_at(w, f)) + vec3_dot(p.g, spin);
  const double change = law_diff(w, &f->law, &v, vec3_dot(p.g, turn), du);
  for (int k = 0; k < f->nturn; k++)
    dtau[f->v + k] += change * vec3_at(p.g, k) + s * vec3_at(dg, k);
}

// The change of g with the turn is transposed axis by axis.
static void reverse(const td_model* m, td_work* w, weighed_element* e, struct adjoint* b) {
  const model_spring* f = &m->spring[e->f.i];
  double u, dx = 0, du = 0, bar = 0;
  const turn_part p = number_at(w, f, &u);
  const law_value v = law_here(w, &f->law, p.x, u);
  if (f->measure == PART_NUMBER) {
    law_reverse(w, &f->law, &v, b->tau[f->v], &dx, &du, b->n);
    if (f->q >= 0) b->q[f->v] += dx;
    b->v[f->v] += du;
    return;
  }
  for (int k = 0; k < f->nturn; k++) bar += b->tau[f->v + k] * vec3_at(p.g, k);
  law_reverse(w, &f->law, &v, bar, &dx, &du, b->n);
  const double s = v.f + v.on * w->load * w->num[f->law.input];
  const vec3 spin = spin_at(w, f);
  for (int k = 0; k < f->nturn; k++) {
    const vec3 dg = td_turn_part_change(f->measure, quaternion_at(w, f), f->axis, vec3_axis(k));
    b->q[f->v + k] += dx * vec3_at(p.g, k) + du * vec3_dot(dg, spin);
    for (int l = 0; l < f->nturn; l++) b->q[f->v + k] += s * b->tau[f->v + l] * vec3_at(dg, l);
    b->v[f->v + k] += du * vec3_at(p.g, k);
  }
}

// Subtract from dq and dv the derivatives of the generalised force g f of spring i: d(g f) = dg f +
// g (f_x dx + f_u du), dx = g·turn, du = dg·w, for a turn about each axis; g = 1 along a plain
// coordinate.
static void element_tangent(const td_model* m, const td_work* w, int i, const tree_part* part,
                            double* dq, double* dv) {
  const model_spring* f = &m->spring[i];
  const double input = w->load * w->num[f->law.input];

  // along a plain coordinate
  if (f->measure == PART_NUMBER) {
    const law_value v = law_here(w, &f->law, f->q < 0 ? 0 : w->q[f->q], w->v[f->v]);
    const int row = part_row(part, f->v);
    if (f->q >= 0) dq[row * part->n + row] -= v.fx + v.on_x * input;
    dv[row * part->n + row] -= v.fu;
    return;
  }

  // along a rotation
  double u;
  const turn_part p = number_at(w, f, &u);
  const law_value v = law_here(w, &f->law, p.x, u);
  const double s = v.f + v.on * input, slope = v.fx + v.on_x * input;
  const quat Q = quaternion_at(w, f);
  const vec3 spin = spin_at(w, f);
  for (int k = 0; k < f->nturn; k++) {
    const int column = part_row(part, f->v + k);
    const vec3 dg = td_turn_part_change(f->measure, Q, f->axis, vec3_axis(k));
    const double ds = slope * vec3_at(p.g, k) + v.fu * vec3_dot(dg, spin);
    for (int l = 0; l < f->nturn; l++) {
      const int row = part_row(part, f->v + l);
      dq[row * part->n + column] -= s * vec3_at(dg, l) + ds * vec3_at(p.g, l);
      dv[row * part->n + column] -= v.fu * vec3_at(p.g, k) * vec3_at(p.g, l);
    }
  }
}

static void tangent(const td_model* m, td_work* w, double* dq, double* dv) {
  const tree_part all = whole_forest(m);
  for (int i = 0; i < m->nspring; i++) element_tangent(m, w, i, &all, dq, dv);
}

static void visit(const td_model* m, int i, const force_visitor* to) {
  to->velocity(to->ctx, m->spring[i].v);
  law_visit(&m->spring[i].law, to);
}

static force_flaw flaw(const td_model* m, const td_work* w, int i) {
  return law_flaw(w, &m->spring[i].law);
}

const force_ops td_force_spring = {.prepare = prepare,
                                   .prepare_diff = prepare_diff,
                                   .prepare_reverse = prepare_reverse,
                                   .add = add,
                                   .energy = energy,
                                   .energy_diff = energy_diff,
                                   .power = power,
                                   .tangent = tangent,
                                   .blocks = td_no_blocks,
                                   .has_potential = has_potential,
                                   .has_power_dampers = has_power_dampers,
                                   .has_driving_dampers = has_driving_dampers,
                                   .switches = switches,
                                   .switch_values = switch_values};
const element_ops td_element_spring = {.reach = reach,
                                       .is_damped = is_damped,
                                       .linearise = linearise,
                                       .diff = diff,
                                       .numbers_diff = numbers_diff,
                                       .reverse = reverse,
                                       .tangent = element_tangent,
                                       .visit = visit,
                                       .flaw = flaw,
                                       .is_link = td_no_link,
                                       .wrench = td_no_wrench,
                                       .looks = td_no_looks,
                                       .arrow = td_no_arrow};
