// The transposed directional derivative: F̄·δF = q̄·δq + v̄·δv + ... for the directional derivative
// whose transpose it is, on robots that use every element, along random directions of each kind and
// of all together; K'F̄ against the tangents; and that every kind of every table has been there.
#include "engine/adjoint.h"
#include "engine/hop.h"
#include "engine/row_table.h"
#include "engine/sensor_table.h"
#include "engine/strain_table.h"
#include "robots.h"
#include "shaped.h"

enum { MOST = 512 };

// What a direction has: time, coordinates, rates, accelerations, multipliers, parameters, drives,
// numbers.
enum { T, Q, V, A, LAMBDA, P, U, N, PARTS, ALL = PARTS };
static const char* const part_names[PARTS + 1] = {"t", "q", "v", "a",  "lambda",
                                                  "p", "u", "n", "all"};
typedef struct vectors {
  int size[PARTS];
  double* x[PARTS];
} vectors;

static vectors vectors_new(const td_model* m) {
  vectors v = {
      .size = {1, m->nvel, m->nvel, m->nvel, m->nrow, m->nparam, model_drives(m), m->nnumber}};
  for (int k = 0; k < PARTS; k++) v.x[k] = calloc((size_t)v.size[k] + 1, sizeof(double));
  return v;
}

static void vectors_free(vectors* v) {
  for (int k = 0; k < PARTS; k++) free(v->x[k]);
}

static td_direction direction_of(const vectors* v, int part) {
  const double* x[PARTS];
  for (int k = 0; k < PARTS; k++) x[k] = part == ALL || part == k ? v->x[k] : NULL;
  return (td_direction){.t = x[T] ? *x[T] : 0,
                        .q = x[Q],
                        .v = x[V],
                        .a = x[A],
                        .lambda = x[LAMBDA],
                        .p = x[P],
                        .u = x[U],
                        .n = x[N]};
}

static td_adjoint adjoint_of(const vectors* v) {
  return (td_adjoint){.t = v->x[T],
                      .q = v->x[Q],
                      .v = v->x[V],
                      .a = v->x[A],
                      .lambda = v->x[LAMBDA],
                      .p = v->x[P],
                      .u = v->x[U],
                      .n = v->x[N]};
}

// A random direction, of the size of the numbers; those that are not finite stay.
static void random_direction(const robot* r, uint64_t* seed, vectors* v) {
  const td_model* m = r->model;
  for (int k = 0; k < PARTS; k++)
    for (int i = 0; i < v->size[k]; i++) v->x[k][i] = check_random(seed);
  for (int i = 0; i < m->nnumber; i++)
    v->x[N][i] *= isfinite(r->work->num[i]) ? fmax(fabs(r->work->num[i]), 1e-2) : 0;
  for (int i = 0; i < m->nlump; i++)  // inertias are symmetric
    for (int k = 0; k < 9; k++) {
      double *a = &v->x[N][m->lump[i].I + k], *b = &v->x[N][m->lump[i].I + 3 * (k % 3) + k / 3];
      *a = *b = 0.5 * (*a + *b);
    }
}

// A sum of products, and the sum of their sizes.
typedef struct sums {
  double sum, size;
} sums;
static sums dot(const double* x, const double* y, int n) {
  sums s = {0, 0};
  for (int i = 0; i < n; i++) {
    s.sum += x[i] * y[i];
    s.size += fabs(x[i] * y[i]);
  }
  return s;
}

// Both sides are sums of many terms and equal to rounding of the largest; a part that has no effect
// is rounding of the others.
static void check_sums(const char* name, int part, sums here, const vectors* x,
                       const vectors* bar) {
  sums there = {0, 0};
  double all = 0;
  for (int k = 0; k < PARTS; k++) {
    const sums s = dot(x->x[k], bar->x[k], x->size[k]);
    all += s.size;
    if (part != ALL && part != k) continue;
    there.sum += s.sum;
    there.size += s.size;
  }
  char what[64];
  snprintf(what, sizeof what, "%s, %s", name, part_names[part]);
  const double size = fmax(here.size, there.size) + 1e-3 * all;
  CHECK_REACHED(what, size > 0 ? fabs(here.sum - there.sum) / size : 0, 1e-12);
}

static double accelerations[MOST], multipliers[MOST];

static robot load(const char* text, uint64_t* seed) {
  robot r = robot_load(text);
  assert_true(r.nv <= MOST && r.nrow <= MOST);
  robot_shake(&r, seed, 0.3);
  for (int k = 0; k < r.nv; k++) accelerations[k] = check_random(seed);
  for (int k = 0; k < r.nrow; k++) multipliers[k] = check_random(seed);
  return r;
}

// ---- the law ----------------------------------------------------------------------------------

static void check_residual(const char* name, robot* r, uint64_t* seed) {
  vectors x = vectors_new(r->model), bar = vectors_new(r->model);
  double F[MOST], dF[MOST];
  for (int trial = 0; trial < 2; trial++) {
    for (int i = 0; i < r->nv; i++) F[i] = check_random(seed);
    const td_adjoint out = adjoint_of(&bar);
    assert_int_equal(
        td_residual_reverse(r->model, r->state, r->work, accelerations, multipliers, F, &out),
        TD_OK);
    random_direction(r, seed, &x);
    for (int part = 0; part <= ALL; part++) {
      const td_direction along = direction_of(&x, part);
      td_residual_diff(r->model, r->state, r->work, &along, accelerations, multipliers, dF);
      check_sums(name, part, dot(F, dF, r->nv), &x, &bar);
    }
  }
  vectors_free(&x);
  vectors_free(&bar);
}

static void check_constraints(const char* name, robot* r, uint64_t* seed) {
  const int rows = r->nrow;
  vectors x = vectors_new(r->model), bar = vectors_new(r->model);
  double weight[3 * MOST], d[3 * MOST];
  for (int i = 0; i < 3 * rows; i++) weight[i] = check_random(seed);
  random_direction(r, seed, &x);

  // values, rates and accelerations one by one, then together
  for (int which = 0; which < 4; which++) {
    const bool on[3] = {which == 0 || which == 3, which == 1 || which == 3, which >= 2};
    const td_adjoint out = adjoint_of(&bar);
    assert_int_equal(td_constraints_reverse(r->model, r->state, r->work, accelerations,
                                            on[0] ? weight : NULL, on[1] ? weight + rows : NULL,
                                            on[2] ? weight + 2 * rows : NULL, &out),
                     TD_OK);
    for (int part = 0; part <= ALL; part++) {
      const td_direction along = direction_of(&x, part);
      sums here = {0, 0};
      td_constraints_diff(r->model, r->state, r->work, &along, accelerations, d, d + rows,
                          d + 2 * rows);
      for (int k = 0; k < 3; k++) {
        const sums s = dot(weight + k * rows, d + k * rows, on[k] ? rows : 0);
        here.sum += s.sum;
        here.size += s.size;
      }
      check_sums(name, part, here, &x, &bar);
    }
  }
  vectors_free(&x);
  vectors_free(&bar);
}

// Numbers that follow each sensor that a number may follow.
static const char sensing[] =
    "k = param('k', .7); world.g = [.2 0 -9.81];\n"
    "for i = 1:3, body(i).m = i*k; body(i).I = diag([.1 .12 .15]); body(i).l_com = [.1 .02 -.2]; "
    "end\n"
    "joint(1).second = 1; joint(1).type = 'spherical';\n"
    "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [.2 0 -.3]; "
    "joint(2).tr(1).rot = [2 inf];\n"
    "joint(3).first = 2; joint(3).second = 3; joint(3).tr(1).trans = [0 .2 -.2]; "
    "joint(3).tr(2).rot = [0 inf inf inf];\n"
    "joint(4).first = 1; joint(4).second = 3; joint(4).tr.trans = [.1 .1 0]; "
    "joint(4).spring.coeff = 20;\n"
    "for i = 1:3, rod(i).first = i - 1; rod(i).length = .3; rod(i).radius = .02; rod(i).E = 1e5; "
    "rod(i).rho = 1000; rod(i).n = 2; end\n"
    "rod(2).model = 'eba'; rod(3).coords = 2; c = coord(rod(3)); rod(3).strain = [0 0 0 c(1) "
    "c(2)*sin(9*s) 0]; rod(3).points = 4;\n"
    "cable(1).rod = 1; cable(1).path = [.01 0]; cable(1).tension = 2;\n"
    "d = dcoord(rod(3)); p = pos(body(3), [.1 .2 0]); w = omega(body(2)); x = com();\n"
    "exload(1).exbody = 2; exload(1).ftau = [k*p(1)*x(2) + .1*q(2), vel(body(3), [0 k 0])(2) + "
    ".2*v(3), w(1)*x(1), rot(body(1))(1, 2) + dof(joint(1), 2), quat(body(3))(2), "
    "ddof(joint(3), 2)];\n"
    "exload(2).exbody = 3; exload(2).ftau = [k*length(joint(4)), stretch(joint(4)), "
    "length(cable(1)), stretch(rod(1)) + stretch(rod(2)), strain(rod(2), .1)(4) + "
    "strain(rod(1), .2)(5), c(1)*d(2) + ddof(joint(2), 1)*x(3)];\n";

// What has been seen of each table.
static struct {
  bool hop[HOP_KINDS], row[ROW_KINDS], strain[STRAIN_KINDS], sensor[SENSOR_KIND_COUNT];
  bool element[FORCE_KINDS], whole[WHOLE_KINDS];
} seen;

static void see(const td_model* m) {
  for (int i = 0; i < m->nhop; i++) seen.hop[m->hop[i].kind] = true;
  for (int i = 0; i < m->nrow; i++) seen.row[m->row[i].kind] = true;
  for (int i = 0; i < m->nstrain; i++) seen.strain[m->strain[i].kind] = true;
  for (int i = 0; i < m->nlive_probe; i++)
    seen.sensor[m->probe[m->live_probe[i].source].kind] = true;
  for (int i = 0; i < model_forces(m); i++) seen.element[force_at(m, i).kind] = true;
  seen.whole[WHOLE_cable] |= m->ncable > 0;
  seen.whole[WHOLE_fluid] |= m->nwet > 0;
  seen.whole[WHOLE_contact] |= m->ncontact > 0;
}

static void check_text(const char* name, const char* text) {
  uint64_t seed = 7;
  robot r = load(text, &seed);
  see(r.model);
  check_residual(name, &r, &seed);
  if (r.nrow > 0) {
    td_taut_all(r.model, r.work, true);
    check_constraints(name, &r, &seed);
    check_residual(name, &r, &seed);
  }
  robot_free(&r);
}

static void test_it_is_the_transpose_on_every_robot(void** state) {
  (void)state;
  for (int i = 0; i < ROBOT_COUNT; i++) check_text(robot_names[i], robot_texts[i]);
  for (size_t i = 0; i < sizeof shaped / sizeof *shaped; i++)
    check_text(shaped[i].name, shaped[i].text);
  check_text("sensing", sensing);
}

static void test_a_hand_that_pulls_is_transposed(void** state) {
  (void)state;
  uint64_t seed = 7;
  robot r = load(robot_tree, &seed);
  const double point[3] = {.1, -.05, .2}, target[3] = {.6, .4, -.3};
  assert_int_equal(td_work_pull(r.model, r.work, 1, point, target, 40, 3), TD_OK);
  seen.whole[WHOLE_hand] = true;
  check_residual("hand", &r, &seed);
  robot_free(&r);
}

// A kind that is added needs a robot here.
static void test_every_kind_has_been_there(void** state) {
  (void)state;
  for (int k = 0; k < HOP_KINDS; k++)
    if (!seen.hop[k]) fail_msg("hop %d", k);
  for (int k = 0; k < ROW_KINDS; k++)
    if (!seen.row[k]) fail_msg("row %d", k);
  for (int k = 0; k < STRAIN_KINDS; k++)
    if (!seen.strain[k]) fail_msg("strain %d", k);
  for (int k = 0; k < FORCE_KINDS; k++)
    if (!seen.element[k]) fail_msg("force %d", k);
  for (int k = 0; k < WHOLE_KINDS; k++)
    if (!seen.whole[k]) fail_msg("force of the whole %d", k);
  for (int k = 0; k < SENSOR_KIND_COUNT; k++)
    if (td_sensor_ops[k]->reverse != td_no_sensor_reverse && !seen.sensor[k] &&
        k != SENSOR_COORD)  // no number follows these as a sensor
      fail_msg("sensor %d", k);
}

// ---- against the tangents ---------------------------------------------------------------------

static void test_along_the_state_it_is_the_tangents_transposed(void** state) {
  (void)state;
  for (int i = 0; i < ROBOT_COUNT; i++) {
    uint64_t seed = 11;
    robot r = load(robot_texts[i], &seed);
    const int n = r.nv;
    const size_t bytes = sizeof(double) * (size_t)(n * n);
    double *Kq = malloc(bytes), *Kv = malloc(bytes), F[MOST], q[MOST], v[MOST], worst = 0, size = 0;
    for (int k = 0; k < n; k++) F[k] = check_random(&seed);
    td_tangent(r.model, r.state, r.work, accelerations, multipliers, Kq, Kv);
    const td_adjoint out = {.q = q, .v = v};
    td_residual_reverse(r.model, r.state, r.work, accelerations, multipliers, F, &out);
    for (int k = 0; k < n; k++) {
      double dq = 0, dv = 0;
      if (r.model->vel[k].motion != NUM_NONE) {  // what is prescribed does not follow q and v
        assert_true(q[k] == 0 && v[k] == 0);
        continue;
      }
      for (int l = 0; l < n; l++) {
        dq += Kq[l * n + k] * F[l];
        dv += Kv[l * n + k] * F[l];
        size = fmax(size, fmax(fabs(Kq[l * n + k] * F[l]), fabs(Kv[l * n + k] * F[l])));
      }
      worst = fmax(worst, fmax(fabs(dq - q[k]), fabs(dv - v[k])));
    }
    CHECK_REACHED(robot_names[i], worst / size, 1e-11);
    free(Kq);
    free(Kv);
    robot_free(&r);
  }
}

// ---- use --------------------------------------------------------------------------------------

static void test_what_is_not_wanted_changes_nothing(void** state) {
  (void)state;
  uint64_t seed = 3;
  robot r = load(robot_links, &seed);
  vectors all = vectors_new(r.model), one = vectors_new(r.model);
  double F[MOST], before[MOST], after[MOST];
  for (int k = 0; k < r.nv; k++) F[k] = check_random(&seed);
  td_residual(r.model, r.state, r.work, accelerations, multipliers, before);
  const td_adjoint out = adjoint_of(&all);
  td_residual_reverse(r.model, r.state, r.work, accelerations, multipliers, F, &out);
  const td_adjoint apart[] = {{.q = one.x[Q]}, {.v = one.x[V]}, {.n = one.x[N]}, {.p = one.x[P]}};
  for (size_t k = 0; k < sizeof apart / sizeof *apart; k++)
    td_residual_reverse(r.model, r.state, r.work, accelerations, multipliers, F, &apart[k]);
  const int parts[] = {Q, V, N, P};
  for (int k = 0; k < 4; k++)
    assert_memory_equal(all.x[parts[k]], one.x[parts[k]],
                        sizeof(double) * (size_t)all.size[parts[k]]);

  // and the work is as before
  td_residual(r.model, r.state, r.work, accelerations, multipliers, after);
  assert_memory_equal(before, after, sizeof(double) * (size_t)r.nv);
  assert_int_equal(
      td_residual_reverse(r.model, r.state, r.work, accelerations, multipliers, NULL, &out),
      TD_E_USAGE);
  assert_int_equal(
      td_residual_reverse(r.model, r.state, r.work, accelerations, multipliers, F, NULL),
      TD_E_USAGE);
  vectors_free(&all);
  vectors_free(&one);
  robot_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_it_is_the_transpose_on_every_robot),
      cmocka_unit_test(test_a_hand_that_pulls_is_transposed),
      cmocka_unit_test(test_every_kind_has_been_there),
      cmocka_unit_test(test_along_the_state_it_is_the_tangents_transposed),
      cmocka_unit_test(test_what_is_not_wanted_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
