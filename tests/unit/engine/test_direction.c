// The directional derivative of the residual: along coordinates, rates, accelerations and
// multipliers against the tangents, and along every number of the model against differences of
// order 8 of the residual itself, on robots that use every element.
#include "engine/direction.h"
#include "robots.h"

enum { MOST = 512 };
static double accelerations[MOST], multipliers[MOST];

static double largest(const double* x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static double distance(const double* x, const double* y, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

static robot load(int i, uint64_t* seed) {
  robot r = robot_load(robot_texts[i]);
  assert_true(r.nv <= MOST && r.nrow <= MOST);
  robot_shake(&r, seed, 0.3);
  for (int k = 0; k < r.nv; k++) accelerations[k] = check_random(seed);
  for (int k = 0; k < r.nrow; k++) multipliers[k] = check_random(seed);
  return r;
}

// ---- along the state --------------------------------------------------------------------------

static void test_along_the_state_it_is_the_tangents(void** state) {
  (void)state;
  for (int i = 0; i < ROBOT_COUNT; i++) {
    uint64_t seed = 11;
    robot r = load(i, &seed);
    const int n = r.nv;
    double dq[MOST], dv[MOST], da[MOST], dl[MOST], got[MOST], want[MOST] = {0};
    double *Kq = malloc(sizeof(double) * (size_t)(n * n)),
           *Kv = malloc(sizeof(double) * (size_t)(n * n)),
           *M = malloc(sizeof(double) * (size_t)(n * n)),
           *J = malloc(sizeof(double) * (size_t)(r.nrow * n + 1));
    for (int k = 0; k < n; k++) {
      // what is prescribed does not move
      const bool free = r.model->vel[k].motion == NUM_NONE;
      dq[k] = free ? check_random(&seed) : 0;
      dv[k] = free ? check_random(&seed) : 0;
      da[k] = check_random(&seed);
    }
    for (int k = 0; k < r.nrow; k++) dl[k] = check_random(&seed);
    td_tangent(r.model, r.state, r.work, accelerations, multipliers, Kq, Kv);
    td_mass_matrix(r.model, r.state, r.work, M);
    td_constraints(r.model, r.state, r.work, J, NULL, NULL);
    for (int k = 0; k < n; k++) {
      for (int l = 0; l < n; l++)
        want[k] += Kq[k * n + l] * dq[l] + Kv[k * n + l] * dv[l] + M[k * n + l] * da[l];
      for (int l = 0; l < r.nrow; l++) want[k] -= J[l * n + k] * dl[l];
    }
    const td_direction along = {.q = dq, .v = dv, .a = da, .lambda = dl};
    assert_int_equal(
        td_residual_diff(r.model, r.state, r.work, &along, accelerations, multipliers, got), TD_OK);
    CHECK_REACHED(robot_names[i], distance(got, want, n) / largest(want, n), 1e-11);
    free(Kq);
    free(Kv);
    free(M);
    free(J);
    robot_free(&r);
  }
}

// ---- along the numbers ------------------------------------------------------------------------

// Central differences of order 8 of the residual along a direction of the numbers.
static void differences(robot* r, const double* kept, const double* d, double h, double* out) {
  static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  td_model* m = r->model;
  double F[MOST];
  memset(out, 0, sizeof(double) * (size_t)r->nv);
  for (int s = 1; s <= 4; s++)
    for (int sign = -1; sign <= 1; sign += 2) {
      for (int i = 0; i < m->nnumber; i++) m->number[i] = kept[i] + sign * s * h * d[i];
      r->work->dirty = true;
      td_residual(m, r->state, r->work, accelerations, multipliers, F);
      for (int i = 0; i < r->nv; i++) out[i] += sign * weight[s - 1] * F[i] / h;
    }
  memcpy(m->number, kept, sizeof(double) * (size_t)m->nnumber);
  r->work->dirty = true;
}

// Differences with the step for which this and the next smaller one agree best; returns by how much
// these two differ, which is what the differences themselves are uncertain by.
static double best_differences(robot* r, const double* kept, const double* d, double* out) {
  double now[MOST], before[MOST], best = INFINITY;
  for (int k = 0; k < 8; k++) {
    differences(r, kept, d, 3e-2 * pow(0.4, k), now);
    const double apart = k > 0 ? distance(now, before, r->nv) : INFINITY;
    if (!(apart > best)) {
      best = apart;
      memcpy(out, now, sizeof now);
    }
    memcpy(before, now, sizeof now);
  }
  return best;
}

// Numbers that have to stay: an exponent decides which rule a contact is integrated by.
static void hold(const td_model* m, double* d) {
  for (int i = 0; i < m->ncontact; i++) d[m->contact[i].law + 2] = 0;
  for (int i = 0; i < m->nlump; i++)  // inertias are symmetric
    for (int k = 0; k < 9; k++) {
      double *a = &d[m->lump[i].I + k], *b = &d[m->lump[i].I + 3 * (k % 3) + k / 3];
      *a = *b = 0.5 * (*a + *b);
    }
}

enum { GROUPS = CHECK_SANITIZED ? 2 : 8 };  // each takes fifteen times as long under sanitizers
static void test_along_the_numbers_it_is_the_differences(void** state) {
  (void)state;
  for (int i = 0; i < ROBOT_COUNT; i++) {
    uint64_t seed = 7;
    robot r = load(i, &seed);
    td_model* m = r.model;
    const size_t bytes = sizeof(double) * (size_t)m->nnumber;
    double *kept = malloc(bytes), *d = malloc(bytes), got[MOST], want[MOST], F[MOST], worst = 0;
    td_residual(m, r.state, r.work, accelerations, multipliers, F);
    memcpy(kept, m->number, bytes);
    for (int group = 0; group < 2 * GROUPS; group++) {
      // a third of all numbers that are not 0, then of those that are
      const bool zeros = group >= GROUPS;
      for (int k = 0; k < m->nnumber; k++) {
        const double x = check_random(&seed);
        const bool own = m->constant[k] && isfinite(kept[k]) && (kept[k] == 0) == zeros;
        d[k] = own && check_random(&seed) > 0.3 ? x * (zeros ? 1e-2 : kept[k]) : 0;
      }
      hold(m, d);
      const double uncertain = best_differences(&r, kept, d, want);
      const td_direction along = {.n = d};
      td_residual_diff(m, r.state, r.work, &along, accelerations, multipliers, got);
      const double size = fmax(largest(want, r.nv), 1e-3 * largest(F, r.nv));
      worst = fmax(worst, fmax(0, distance(got, want, r.nv) - 3 * uncertain) / size);
    }
    // two steps may agree by chance: differences reach 4e-10 of the largest force, where masses and
    // arms of the pendulum nearly cancel
    CHECK_REACHED(robot_names[i], worst, 1e-8);
    free(kept);
    free(d);
    robot_free(&r);
  }
}

// ---- constraints ------------------------------------------------------------------------------

// Values and rates less their targets, accelerations less what drives them, one behind the other.
static void row_numbers_at(robot* r, const double* target, double* out) {
  const td_model* m = r->model;
  td_work* w = r->work;
  td_enter(m, r->state, w);
  // what control has brought about is part of the state
  memcpy(w->target, target, sizeof(double) * 2 * (size_t)m->ntarget);
  td_accelerate(m, w, accelerations, false);
  for (int i = 0; i < r->nrow; i++) {
    const row_value v = td_row_at(m, w, i);
    double e, ed;
    td_row_target(m, w, i, &e, &ed);
    out[i] = v.e - e;
    out[r->nrow + i] = v.ed - ed;
    out[2 * r->nrow + i] = v.edd - td_row_drive(m, w, i, &v);
  }
}

static void row_differences(robot* r, const double* kept, const double* d, double h, double* out) {
  static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  td_model* m = r->model;
  double x[3 * MOST], target[2 * MOST];
  memcpy(target, r->work->target, sizeof(double) * 2 * (size_t)m->ntarget);
  memset(out, 0, sizeof x);
  for (int s = 1; s <= 4; s++)
    for (int sign = -1; sign <= 1; sign += 2) {
      for (int i = 0; i < m->nnumber; i++) m->number[i] = kept[i] + sign * s * h * d[i];
      r->work->dirty = true;
      row_numbers_at(r, target, x);
      for (int i = 0; i < 3 * r->nrow; i++) out[i] += sign * weight[s - 1] * x[i] / h;
    }
  memcpy(m->number, kept, sizeof(double) * (size_t)m->nnumber);
  r->work->dirty = true;
  row_numbers_at(r, target, x);
}

static void test_constraints_change_as_their_differences(void** state) {
  (void)state;
  for (int i = 0; i < ROBOT_COUNT; i++) {
    uint64_t seed = 7;
    robot r = load(i, &seed);
    td_model* m = r.model;
    const int n = r.nv, rows = r.nrow;
    if (rows == 0) {
      robot_free(&r);
      continue;
    }
    td_taut_all(m, r.work, true);

    // along the state: the tangents
    double dq[MOST], dv[MOST], da[MOST], got[3 * MOST], want[3 * MOST] = {0};
    const size_t bytes = sizeof(double) * (size_t)(rows * n);
    double *J = malloc(bytes), *Kq = malloc(bytes), *Kv = malloc(bytes);
    for (int k = 0; k < n; k++) {
      const bool moves = m->vel[k].motion == NUM_NONE;
      dq[k] = moves ? check_random(&seed) : 0;
      dv[k] = moves ? check_random(&seed) : 0;
      da[k] = check_random(&seed);
    }
    td_constraints(m, r.state, r.work, J, NULL, NULL);
    td_constraint_tangent(m, r.state, r.work, accelerations, Kq, Kv);
    for (int k = 0; k < rows; k++)
      for (int l = 0; l < n; l++) {
        want[k] += J[k * n + l] * dq[l];
        want[rows + k] += Kq[k * n + l] * dq[l] + Kv[k * n + l] * dv[l] + J[k * n + l] * da[l];
      }
    const td_direction along = {.q = dq, .v = dv, .a = da};
    td_constraints_diff(m, r.state, r.work, &along, accelerations, got, NULL, got + rows);
    char what[64];
    snprintf(what, sizeof what, "%s, state", robot_names[i]);
    CHECK_REACHED(what, distance(got, want, 2 * rows) / largest(want, 2 * rows), 1e-11);

    // along the numbers: differences
    double *kept = malloc(sizeof(double) * (size_t)m->nnumber),
           *d = malloc(sizeof(double) * (size_t)m->nnumber), worst = 0;
    memcpy(kept, m->number, sizeof(double) * (size_t)m->nnumber);
    for (int group = 0; group < GROUPS; group++) {
      for (int k = 0; k < m->nnumber; k++) {
        const bool own = m->constant[k] && isfinite(kept[k]) && check_random(&seed) > 0;
        d[k] = own ? check_random(&seed) * fmax(fabs(kept[k]), 1e-2) : 0;
      }
      hold(m, d);
      double now[3 * MOST], before[3 * MOST], best = INFINITY;
      for (int k = 0; k < 8; k++) {
        row_differences(&r, kept, d, 1e-2 * pow(0.4, k), now);
        const double apart = k > 0 ? distance(now, before, 3 * rows) : INFINITY;
        if (!(apart > best)) memcpy(want, now, sizeof now), best = apart;
        memcpy(before, now, sizeof now);
      }
      const td_direction numbers = {.n = d};
      td_constraints_diff(m, r.state, r.work, &numbers, accelerations, got, got + rows,
                          got + 2 * rows);
      worst = fmax(worst, distance(got, want, 3 * rows) / fmax(largest(want, 3 * rows), 1e-2));
    }
    snprintf(what, sizeof what, "%s, numbers", robot_names[i]);
    CHECK_REACHED(what, worst, 1e-9);
    free(J);
    free(Kq);
    free(Kv);
    free(kept);
    free(d);
    robot_free(&r);
  }
}

// ---- along parameters -------------------------------------------------------------------------

// Parameters in places, axes, masses, sections, rest and initial values, motions, strains ...
static const struct {
  const char *name, *text;
} shaped[] = {
    {"tree",
     "a = param('a', .3); b = param('b', 1.2); c = param('c', .4); d = param('d', .07);\n"
     "world.g = [a 0 -9.81*b];\n"
     "for k = 1:4, body(k).m = b + k/7; body(k).I = diag([.01 .02 .025]*k*b); body(k).l_com = [a "
     ".02*k -c]; end\n"
     "joint(1).second = 1; joint(1).type = 'free'; joint(1).dof(1).init = a; "
     "joint(1).dof(1).spring.coeff = 3; joint(1).dof(1).spring.init = nan;\n"
     "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [c a^2 .3]; "
     "joint(2).tr(1).rot = [3 a]; joint(2).type = 'helical'; joint(2).axis = [1 2 .5]; "
     "joint(2).pitch = d; joint(2).dof(1).init = c;\n"
     "joint(3).first = 2; joint(3).second = 3; joint(3).tr(1).trans = [a inf 0]; "
     "joint(3).tr(1).rot = [inf inf inf];\n"
     "joint(4).first = 2; joint(4).second = 4; joint(4).tr(1).trans = [0 a -c]; "
     "joint(4).tr(1).rot = [cos(a) sin(a) 0 0]; joint(4).tr(2).rot = [a c 0];\n"
     "joint(4).tr(3).rot = [0 inf inf inf];\n"
     "joint(5).first = 1; joint(5).second = 3; joint(5).tr.trans = [0 a 0]; joint(5).spring.coeff "
     "= 25*b; joint(5).spring.init = nan; joint(5).spring.compr = .7*b;\n"
     "joint(6).first = 3; joint(6).second = 4; joint(6).xaxis = [1 a 0]; joint(6).spring.coeff = "
     "[10 11 12 1 2 3]*(1 + a*pos(body(4), [.1 0 .2])(3)); joint(6).spring.init = nan*ones(1,6);\n"
     "exload(1).exbody = 4; exload(1).ftau = [b .2 a*t .03 c*dof(joint(2),1) .01]; "
     "exload(1).tr.trans = [a .2 c];\n"},
    {"four-bar",
     "a = param('a', .5); b = param('b', 1); world.g = [0 -9.81 0];\n"
     "for k = 1:3, body(k).m = b; body(k).I = .1*eye(3); body(k).l_com = [a/2 0 0]; end\n"
     "joint(1).second = 1; joint(1).tr.rot = [3 inf]; joint(1).dof(1).init = pi/2;\n"
     "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [a 0 0]; joint(2).tr.rot = [3 "
     "inf]; joint(2).dof(1).init = -pi/2; joint(2).dof(1).spring.coeff = 4; "
     "joint(2).dof(1).spring.init = nan;\n"
     "joint(3).second = 3; joint(3).tr.trans = [1 0 0]; joint(3).tr.rot = [3 inf]; "
     "joint(3).dof(1).init = pi/2;\n"
     "joint(4).first = 2; joint(4).second = 3; joint(4).tr.trans = [b 0 0]; "
     "joint(4).tr2nd.trans = [.6*a + .2 0 0]; joint(4).type = 'revolute'; joint(4).axis = [0 0 "
     "1];\n"
     "joint(5).first = 1; joint(5).second = 3; joint(5).spring.coeff = 7; joint(5).spring.init = "
     "nan;\n"},
    {"given",
     "a = param('a', .3); b = param('b', 2); world.g = [b*sin(3*t) 0 -9.81];\n"
     "for k = 1:3, body(k).m = k; body(k).I = .1*eye(3); body(k).l_com = [.2 a 0]; end\n"
     "joint(1).second = 1; joint(1).tr.rot = [3 inf]; joint(1).dof(1).motion = b*t + a*sin(2*t);\n"
     "joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [.5 a 0]; joint(2).tr.rot = [2 "
     "inf]; joint(2).dof(1).spring.coeff = 4; joint(2).dof(1).damp.visc = b;\n"
     "joint(3).first = 2; joint(3).second = 3; joint(3).curve = [a*cos(b*dof(joint(3), 1)) "
     "sin(dof(joint(3), 1)) a*b*dof(joint(3), 1)]; joint(3).type = 'revolute'; joint(3).axis = "
     "[1 0 2];\n"},
    {"rods",
     "a = param('a', .3); b = param('b', 1.1); u1 = input('u1', .4); world.g = [a 0 -9.81];\n"
     "models = {'gvs', 'srl', 'ebr', 'eba', 'rom'};\n"
     "for k = 1:5, rod(k).model = models{k}; rod(k).n = 2; rod(k).tr.trans = [a*k .1 0]; "
     "rod(k).tr.rot = [1 a]; rod(k).length = .2; rod(k).radius = .015*b - .01*a*s; rod(k).E = "
     "1e5*b; rod(k).rho = 1000*b; rod(k).eta = 300*b; rod(k).shape = [0 0 0 1 .3 0];\n"
     "rod(k).load = [a 0 b*sin(3*t)*s 0 1e-3 0]; rod(k).input = [0 0 .1*b u1*1e-3 0 0]; end\n"
     "body(1).m = .05*b; body(1).I = 1e-4*diag([1 2 2.5]); joint(1).first = at(rod(1), .2); "
     "joint(1).second = 1; joint(1).tr.trans = [.01*a 0 0]; joint(1).tr.rot = [1 inf];\n"
     "chamber(1).rod = 4; chamber(1).offset = [.005*b .002]; chamber(1).area = 2e-5; "
     "chamber(1).pressure = 2e4*b;\n"
     "cable(1).rod = 2; cable(1).path = .01*b*[cos(20*s) sin(20*s)]; cable(1).tension = 3*b;\n"
     "cable(2).rod = 5; cable(2).path = [.003*b -.002]; cable(2).pull = .01*b; "
     "cable(2).stiffness = 40*b; cable(2).friction = a;\n"
     "cable(3).via = {0, at(rod(4), .15), 1}; cable(3).points = [0 a .3; .01*b 0 0; 0 .02 .01]; "
     "cable(3).pull = .05; cable(3).stiffness = 30*a;\n"},
    {"strains",
     "a = param('a', 2); world.g = [.3 0 -9.81];\n"
     "rod(1).model = 'gvs'; rod(1).length = .3; rod(1).radius = .015; rod(1).E = 1e5; rod(1).rho "
     "= 1000*a; rod(1).coords = 2; c = coord(rod(1)); rod(1).points = 5; rod(1).init = [a 4];\n"
     "rod(1).strain = [0 0 .1*c(2)^2/a c(1)/(1 + (a*c(2)*(s - .1*t))^2) c(1)*sin(a*s) .5 + "
     "a*sin(2*t)];\n"
     "rod(1).load = [.1*a 0 sin(3*t)*s 0 1e-3 0];\n"},
    {"surroundings",
     "a = param('a', .3); b = param('b', 1.1); world.g = [.3 0 -9.81]; fluid.rho = 800*b; "
     "fluid.velocity = [a -.2 b*t];\n"
     "body(1).m = 2; body(1).I = 1e-2*diag([1 2 2.5]); body(1).fluid.volume = 1.5e-3*b; "
     "body(1).fluid.center = [0 .01 a]; body(1).fluid.added_mass = b*diag([1 2 3 .1 .2 .3]); "
     "body(1).fluid.drag_matrix = a*diag([1 2 3 .1 .2 .3]);\n"
     "joint(1).second = 1; joint(1).type = 'free';\n"
     "rod(1).first = 1; rod(1).tr.trans = [a 0 0]; rod(1).length = .2; rod(1).radius = .03; "
     "rod(1).E = 1e5; rod(1).rho = 1000; rod(1).fluid.drag = [.7*b 1 .1]; rod(1).fluid.lift = a;\n"
     "contact(1).first = body(1); contact(1).points = [.1 a -.05; 0 .1 -.02]; contact(1).ball = "
     ".3*b; contact(1).second = 'plane'; contact(1).point = [0 0 -.1*b]; contact(1).normal = [a .2 "
     "1]; contact(1).stiffness = 100*b; contact(1).damping = a; contact(1).friction = .1*b; "
     "contact(1).slip = a;\n"
     "contact(2).first = rod(1); contact(2).second = 'sphere'; contact(2).center = [a -.2 .1]; "
     "contact(2).radius = .33; contact(2).exponent = 1.5; contact(2).stiffness = 1e3*b;\n"
     "contact(3).first = rod(1); contact(3).second = 'cylinder'; contact(3).center = [0 -.25 .05]; "
     "contact(3).axis = [1 a 0]; contact(3).radius = .33; contact(3).stiffness = 300; "
     "contact(3).law = 'approach'; contact(3).damping = 3*a;\n"
     "contact(4).first = body(1); contact(4).ball = .2*b; contact(4).second = 'sphere'; "
     "contact(4).center = [a .1 .1]; contact(4).radius = .3*b; contact(4).stiffness = 200;\n"
     "magnet(1).on = 1; magnet(1).moment = [.3 a .5]; magnet(1).field = [1 b 3];\n"},
    {"net",
     "a = param('a', .3); b = param('b', 1.1); world.g = [0 0 -9.81]; fluid.rho = 900; "
     "fluid.velocity = [.5 + b*here(3)^2, a*sin(3*here(1)), -.4*here(2) + .5];\n"
     "mesh(1).node = [0 0 .2; .1 0 .3; .2 .1 .2]; mesh(1).edge = [1 2; 2 3]; mesh(1).fixed = 1; "
     "mesh(1).body.m = .2*b; mesh(1).fluid.width = .02*b; mesh(1).joint(2).spring.coeff = "
     "40*b;\n"},
};

// The residual as a function of a parameter, by differences of order 8.
static void parameter_differences(robot* r, int p, double h, double* out) {
  static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  const double at = r->work->vars[r->model->param[p].var];
  double F[MOST];
  memset(out, 0, sizeof(double) * (size_t)r->nv);
  for (int s = 1; s <= 4; s++)
    for (int sign = -1; sign <= 1; sign += 2) {
      td_work_put_param(r->model, r->work, p, at + sign * s * h);
      td_residual(r->model, r->state, r->work, accelerations, multipliers, F);
      for (int i = 0; i < r->nv; i++) out[i] += sign * weight[s - 1] * F[i] / h;
    }
  td_work_put_param(r->model, r->work, p, at);
}

static void test_along_parameters_it_is_the_differences(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof shaped / sizeof *shaped; i++) {
    robot r = robot_load(shaped[i].text);
    uint64_t seed = 7;
    assert_true(r.nv <= MOST && r.nrow <= MOST);
    robot_shake(&r, &seed, 0.3);
    for (int k = 0; k < r.nv; k++) accelerations[k] = check_random(&seed);
    for (int k = 0; k < r.nrow; k++) multipliers[k] = check_random(&seed);
    for (int p = 0; p < r.model->nparam; p++) {
      if (r.model->param[p].structural)
        fail_msg("%s of %s is structure", td_model_param_name(r.model, p), shaped[i].name);
      double got[MOST], want[MOST], now[MOST], before[MOST], best = INFINITY;
      for (int k = 0; k < 9; k++) {
        parameter_differences(&r, p, 2e-2 * pow(0.4, k) * r.model->param[p].value, now);
        const double apart = k > 0 ? distance(now, before, r.nv) : INFINITY;
        if (apart < best) memcpy(want, now, sizeof want), best = apart;
        memcpy(before, now, sizeof now);
      }
      td_param_derivative(r.model, r.state, r.work, p, accelerations, multipliers, got);
      char what[64];
      snprintf(what, sizeof what, "%s by %s", shaped[i].name, td_model_param_name(r.model, p));
      assert_true(largest(want, r.nv) > 0);
      CHECK_REACHED(what, distance(got, want, r.nv) / largest(want, r.nv), 1e-9);
    }
    robot_free(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_along_the_state_it_is_the_tangents),
      cmocka_unit_test(test_along_the_numbers_it_is_the_differences),
      cmocka_unit_test(test_constraints_change_as_their_differences),
      cmocka_unit_test(test_along_parameters_it_is_the_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
