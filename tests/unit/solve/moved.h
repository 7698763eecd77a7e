// Changes of trajectories by central differences of order 8 of whole simulations, with two step
// sizes: an oracle for the derivatives that shares nothing with them but the simulation.
#ifndef TD_TEST_MOVED_H
#define TD_TEST_MOVED_H

#include "robot.h"
#include "tendril/gradient.h"
#include "tendril/tools.h"

// A motion that is differentiated.
typedef struct moved {
  const char* text;
  td_sim_options o;
  td_start start;
  td_solver reference;  // solver of the oracle, where it is not equal steps
  double rtol;          // of the oracle
  double step;          // relative step of the differences
} moved;

static inline moved moved_of(const char* text, double t_final, double dt_out) {
  moved c = {.text = text, .o = td_sim_options_default(), .start = TD_START_INITIAL};
  c.o.t_final = t_final;
  c.o.dt_out = dt_out;
  c.o.rtol = 1e-9;
  c.o.atol = 1e-12;
  c.reference = TD_SOLVER_EXPLICIT;
  c.rtol = 1e-12;
  c.step = 1e-2;
  return c;
}

// Numbers of a row that are compared: velocities, internal states, sensors; and positions of models
// without quaternions.
static inline int moved_width(const robot* r) {
  return r->n.nv + r->n.nz + r->n.nsensor + (r->n.nq == r->n.nv ? r->n.nv : 0);
}

// All rows of a run of the oracle with one `by` moved; `values` NULL: count the rows only.
static inline int moved_run(const moved* c, const robot* base, td_by by, double d, double* values) {
  robot r = robot_open(c->text);
  double* samples = NULL;
  td_equil_result found;
  td_input_table table;
  td_sim_options o = c->o;
  if (o.solver != TD_SOLVER_FIXED) o.solver = c->reference, o.rtol = c->rtol, o.atol = 1e-14;
  if (o.inputs) {
    const size_t n = (size_t)o.inputs->rows * (size_t)o.inputs->n;
    table = *o.inputs;
    samples = malloc(n * sizeof(double));
    memcpy(samples, table.values, n * sizeof(double));
    for (size_t i = 0; i < n; i++)
      if ((by.kind == TD_BY_SAMPLE && (int)i == by.index) ||
          (by.kind == TD_BY_INPUT && table.input[i % (size_t)table.n] == by.index))
        samples[i] += d;
    table.values = samples;
    o.inputs = &table;
  }
  if (by.kind == TD_BY_PARAM) {
    const double value = td_work_param(base->model, base->work, by.index) + d;
    const td_status set = td_work_set_param(r.model, r.work, by.index, value);
    if (set != TD_OK) print_error("%s\n", td_work_failure(r.work));
    assert_int_equal(set, TD_OK);
  }
  if (c->start == TD_START_INITIAL) {
    assert_int_equal(td_state_initial(r.model, r.work, r.state), TD_OK);
  } else if (c->start == TD_START_GIVEN) {
    td_state_copy(base->model, base->state, r.state);
  } else {
    if (by.kind == TD_BY_INPUT) r.state->u[by.index] += d;
    assert_int_equal(td_equilibrium(r.model, r.work, r.state, NULL, &found), TD_OK);
    if (by.kind == TD_BY_INPUT) r.state->u[by.index] -= d;
  }
  if (by.kind == TD_BY_POSITION) {
    double* move = calloc((size_t)r.n.nv, sizeof(double));
    move[by.index] = d;
    td_displace(r.model, r.state->q, move, r.state->q);
    free(move);
  }
  if (by.kind == TD_BY_VELOCITY) r.state->v[by.index] += d;
  if (by.kind == TD_BY_INTERNAL) r.state->z[by.index] += d;
  if (by.kind == TD_BY_INPUT) r.state->u[by.index] += d;

  td_trajectory* rows = NULL;
  const td_status status = td_simulate(r.model, r.work, r.state, &o, &rows);
  if (status != TD_OK) print_error("%s\n", td_trajectory_diagnosis(rows));
  assert_int_equal(status, TD_OK);
  const int count = td_trajectory_rows(rows), width = moved_width(&r);
  for (int i = 0; values && i < count; i++) {
    double* to = values + i * width;
    memcpy(to, td_trajectory_v(rows, i), (size_t)r.n.nv * sizeof(double));
    if (r.n.nz) memcpy(to + r.n.nv, td_trajectory_z(rows, i), (size_t)r.n.nz * sizeof(double));
    if (r.n.nsensor)
      memcpy(to + r.n.nv + r.n.nz, td_trajectory_sensors(rows, i),
             (size_t)r.n.nsensor * sizeof(double));
    if (r.n.nq == r.n.nv)
      memcpy(to + width - r.n.nv, td_trajectory_q(rows, i), (size_t)r.n.nv * sizeof(double));
  }
  td_trajectory_free(rows);
  free(samples);
  robot_close(&r);
  return count;
}

// The differences, rows x width; *noise: how far two step sizes are apart, relative to the largest.
static inline double* moved_differences(const moved* c, const robot* base, td_by by, int* count,
                                        double* noise) {
  static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  const int width = moved_width(base);
  *count = moved_run(c, base, by, 0, NULL);
  const size_t n = (size_t)(*count * width);
  double *d[2] = {calloc(n, sizeof(double)), calloc(n, sizeof(double))}, *x = malloc(n * 8);
  double size = 1;
  if (by.kind == TD_BY_PARAM) size = fabs(td_work_param(base->model, base->work, by.index));
  for (int k = 0; k < 2; k++) {
    const double h = c->step * (size > 0 ? size : 1) / (k + 1);
    for (int j = 1; j <= 4; j++)
      for (int side = -1; side <= 1; side += 2) {
        assert_int_equal(moved_run(c, base, by, side * j * h, x), *count);
        for (size_t i = 0; i < n; i++) d[k][i] += side * weight[j - 1] / h * x[i];
      }
  }
  double most = 0, apart = 0;
  for (size_t i = 0; i < n; i++) {
    most = fmax(most, fabs(d[1][i]));
    apart = fmax(apart, fabs(d[0][i] - d[1][i]));
  }
  *noise = most > 0 ? apart / most : 0;
  free(x);
  free(d[0]);
  return d[1];
}

// The largest error of td_simulate_gradient for each `by`, relative to the largest change of any
// number of the same sort in all rows.
static inline double moved_error(const moved* c, const td_by* by, int n, const char** note) {
  robot r = robot_open(c->text);
  robot base = robot_open(c->text);
  td_equil_result found;
  if (c->start == TD_START_EQUILIBRIUM)
    assert_int_equal(td_equilibrium(r.model, r.work, r.state, NULL, &found), TD_OK);
  td_trajectory* rows = NULL;
  td_sensitivity* s = NULL;
  const td_status status =
      td_simulate_gradient(r.model, r.work, r.state, &c->o, c->start, by, n, &rows, &s);
  if (status != TD_OK) print_error("%s\n", td_trajectory_diagnosis(rows));
  assert_int_equal(status, TD_OK);
  if (note) *note = td_sensitivity_note(s);
  const int width = moved_width(&r), nv = r.n.nv, nz = r.n.nz, ny = r.n.nsensor;
  double worst = 0;
  for (int k = 0; k < n; k++) {
    int count;
    double noise;
    double* d = moved_differences(c, &base, by[k], &count, &noise);
    assert_int_equal(count, td_sensitivity_rows(s));
    double own = 0;
    for (int part = 0; part < 4; part++) {
      const int from = part == 0 ? 0 : part == 1 ? nv : part == 2 ? nv + nz : nv + nz + ny;
      const int to = part == 0 ? nv : part == 1 ? nv + nz : part == 2 ? nv + nz + ny : width;
      double most = 0, apart = 0;
      for (int i = 0; i < count; i++)
        for (int j = from; j < to; j++) {
          const double x = part == 0   ? td_sensitivity_v(s, i)[k * nv + j]
                           : part == 1 ? td_sensitivity_z(s, i)[k * nz + j - from]
                           : part == 2 ? td_sensitivity_sensors(s, i)[k * ny + j - from]
                                       : td_sensitivity_q(s, i)[k * nv + j - from];
          most = fmax(most, fabs(d[i * width + j]));
          apart = fmax(apart, fabs(x - d[i * width + j]));
        }
      if (most > 1e-12) own = fmax(own, apart / most);
    }
    if (getenv("TENDRIL_RATES"))
      print_message("by %d/%d: error %.2e, differences %.1e\n", (int)by[k].kind, by[k].index, own,
                    noise);
    worst = fmax(worst, own);
    free(d);
  }
  td_sensitivity_free(s);
  td_trajectory_free(rows);
  robot_close(&base);
  robot_close(&r);
  return worst;
}

// Parameters of a model by their names, separated by blanks; returns how many.
static inline int moved_params(const char* text, const char* names, td_by* by) {
  robot r = robot_open(text);
  int n = 0;
  char copy[200];
  snprintf(copy, sizeof copy, "%s", names);
  for (char* word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
    by[n] = (td_by){TD_BY_PARAM, td_model_param_find(r.model, word)};
    assert_true(by[n].index >= 0);
    n++;
  }
  robot_close(&r);
  return n;
}

#endif
