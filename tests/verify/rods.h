// Verification of rods: one model text run at several numbers of segments, its results against a
// converged figure.
//
// Every text begins with the lines of ROD_HEAD: parameters `model` and `n`, and the rotation
// `along_x` that lays a rod along world x with its section axes along world y and z, the frame in
// which the reference figures are written.  All three arrangements are of second order: errors C/n²
// with an even expansion, which Richardson's extrapolation shows.  What a row asks of them it asks
// "at finite N (or Richardson)": where the constant C of a row is larger than its bound, the
// extrapolation from the refinements so far has to meet it.  'rom' converges faster than any power
// of its order.
#ifndef TD_VERIFY_RODS_H
#define TD_VERIFY_RODS_H

#include "check.h"
#include "tendril/tendril.h"

static const double pi = 3.14159265358979323846;

// The rows of strain-parametrised rods name orders; n above 10 would be a number of elements.
//
// A Kirchhoff rod holds stretch and shear; 'eba' and 'rom', whose coordinates are poses, cannot,
// and have them stiff against bending instead.
#define ROD_HEAD                                                                \
  "mdl = param('model', 'ebr'); n = param('n', 8); along_x = [2*pi/3 1 1 1];\n" \
  "absolute = strcmp(mdl, 'eba') | strcmp(mdl, 'rom');\n"                       \
  "rod(1).model = mdl; rod(1).n = n; if strcmp(mdl, 'gvs'), rod(1).order = n; end\n"
#define ROD_KIRCHHOFF "if ~absolute, rod(1).modes = [0 0 0 1 1 1]; end\n"

enum { max_levels = 6, max_values = 40, relative_models = 2, all_models = 3 };
static const char* const rod_models[all_models] = {"srl", "ebr", "eba"};

// ---- a model ready to be analysed -------------------------------------------------------------

typedef struct bench {
  td_spec* spec;
  td_model* model;
  td_work* work;
  td_state* state;
  double* sensors;
} bench;

static inline bench bench_new(const char* text, const char* model, int n) {
  bench b = {.spec = td_spec_new()};
  char number[16];
  snprintf(number, sizeof number, "%d", n);
  td_spec_override(b.spec, "model", model);
  td_spec_override(b.spec, "n", number);
  td_spec_load_string(b.spec, "test.m", text);
  if (td_model_compile(b.spec, &b.model) != TD_OK) {
    print_error("%s\n", td_spec_messages(b.spec));
    fail();
  }
  b.work = td_work_new(b.model);
  b.state = td_state_new(b.model);
  b.sensors = calloc((size_t)td_model_sizes(b.model).nsensor + 1, sizeof(double));
  assert_int_equal(td_state_initial(b.model, b.work, b.state), TD_OK);
  return b;
}

// Strain-parametrised rods reach the figure itself, with steps that are finer than the basis asks.
// `more`: what else they need, like elements where a load makes a kink.
static inline bench bench_spectral(const char* text, int order, const char* more) {
  char all[6000];
  snprintf(all, sizeof all, "%srod(1).magnus = 6; rod(1).points = 2*n + 10;\n%s", text, more);
  return bench_new(all, "gvs", order);
}

static inline void bench_free(bench* b) {
  free(b->sensors);
  td_state_free(b->state);
  td_work_free(b->work);
  td_model_free(b->model);
  td_spec_free(b->spec);
}

static inline void bench_set(bench* b, const char* param, double value) {
  const int i = td_model_param_find(b->model, param);
  assert_true(i >= 0);
  assert_int_equal(td_work_set_param(b->model, b->work, i, value), TD_OK);
}

// Equilibrium near the state; its sensors.
static inline td_equil_result bench_equilibrium(bench* b) {
  const td_equil_options options = td_equil_options_default();
  td_equil_result result;
  const td_status status = td_equilibrium(b->model, b->work, b->state, &options, &result);
  if (status != TD_OK || !result.converged)
    print_error("no equilibrium, residual %.3g\n", result.residual);
  assert_int_equal(status, TD_OK);
  assert_true(result.converged);
  assert_int_equal(td_sensors(b->model, b->state, b->work, b->sensors), TD_OK);
  return result;
}

// Follow the equilibrium while a parameter goes to `to` in equal steps.
static inline void bench_ramp(bench* b, const char* param, double to, int steps) {
  const double from = td_work_param(b->model, b->work, td_model_param_find(b->model, param));
  for (int i = 1; i <= steps; i++) {
    bench_set(b, param, from + (to - from) * i / steps);
    bench_equilibrium(b);
  }
}

// First number of a sensor
static inline const double* bench_sensor(const bench* b, const char* name) {
  int i = td_model_sensor_find(b->model, name);
  for (int k = 0; i < 0 && k < td_model_sizes(b->model).nsensor; k++) {
    const char* full = td_model_sensor_name(b->model, k);
    if (strncmp(full, name, strlen(name)) == 0 && full[strlen(name)] == '_') i = k;
  }
  assert_true(i >= 0);
  return b->sensors + i;
}

// ---- a study: results at several numbers of segments ------------------------------------------

typedef struct study {
  const char *row, *model;
  int levels, size;  // refinements done, numbers of each
  int n[max_levels];
  double x[max_levels][max_values];
} study;

static inline study study_new(const char* row, const char* model) {
  return (study){.row = row, .model = model};
}

static inline double* study_level(study* s, int n, int size) {
  assert_true(s->levels < max_levels && size <= max_values);
  s->n[s->levels] = n;
  s->size = size;
  return s->x[s->levels++];
}

static inline double distance(const double* a, const double* b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

// Least squares slope of -log(error) over log(n)
static inline double study_slope(const study* s, const double* error) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (int i = 0; i < s->levels; i++) {
    const double a = log(s->n[i]), b = -log(error[i]);
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  return (s->levels * xy - x * y) / (s->levels * xx - x * x);
}

// Value at n = infinity of the even expansion c0 + c1/n² + ... through the last `points`
// refinements (Neville).
static inline double study_limit(const study* s, int value, int points) {
  double t[max_levels] = {0}, h[max_levels] = {0};
  const int first = s->levels - points;
  for (int i = 0; i < points; i++) {
    t[i] = s->x[first + i][value];
    h[i] = 1.0 / s->n[first + i] / s->n[first + i];
  }
  for (int k = 1; k < points; k++)
    for (int i = 0; i + k < points; i++)
      t[i] = (h[i] * t[i + 1] - h[i + k] * t[i]) / (h[i] - h[i + k]);
  return t[0];
}

// Distance of the extrapolated numbers from `want`
static inline double study_reached(const study* s, int first, int size, const double* want,
                                   int levels) {
  study part = *s;
  double limit[max_values] = {0};
  part.levels = levels;
  // of four and more refinements the first is too coarse to help
  for (int k = 0; k < size; k++)
    limit[k] = study_limit(&part, first + k, levels < 4 ? levels : levels - 1);
  return distance(limit, want, size);
}

// What a row asks: numbers `first` .. `first + size - 1` of the study against `want`.
typedef struct demand {
  const char* what;
  int first, size;
  const double* want;
  double scale;      // length or frequency the error is counted in
  double bound;      // error <= bound/n² at every refinement, or extrapolated so; 0: not asked
  double order_tol;  // of the slope about 2
  double limit_tol;  // error of the extrapolated result; 0: not asked
} demand;

// Refinements at which the bound is met by the error itself; where it is not, the extrapolation
// from the refinements so far has to meet it, as far as there are two.
static inline int study_check_bound(const study* s, const demand* d, const double* error) {
  int met = 0;
  for (int i = 0; i < s->levels; i++) {
    const double most = d->bound / s->n[i] / s->n[i];
    met += error[i] <= most;
    if (error[i] <= most || i == 0) continue;
    const double reached = study_reached(s, d->first, d->size, d->want, i + 1) / d->scale;
    if (reached > most)
      print_error("n = %d: error %.3g, extrapolated %.3g above %.3g\n", s->n[i], error[i], reached,
                  most);
    assert_true(reached <= most);
  }
  return met;
}

// `better`: it may converge faster than second order.
static inline void study_check_order(const study* s, const demand* d, bool better) {
  double error[max_levels];
  for (int i = 0; i < s->levels; i++)
    error[i] = distance(s->x[i] + d->first, d->want, d->size) / d->scale;
  const double slope = study_slope(s, error),
               reached = study_reached(s, d->first, d->size, d->want, s->levels) / d->scale,
               last = s->n[s->levels - 1];
  printf("%-4s %s %-14s", s->row, s->model, d->what);
  for (int i = 0; i < s->levels; i++) printf(" n=%d %.1e", s->n[i], error[i]);
  printf("  slope %.2f  C %.2g  limit %.1e", slope, error[s->levels - 1] * last * last, reached);
  if (d->bound > 0) {
    const int met = study_check_bound(s, d, error);
    printf("  bound %.2g/n²%s", d->bound, met == s->levels ? "" : " extrapolated");
  }
  printf("\n");
  const bool good = better ? slope > 2 - d->order_tol : fabs(slope - 2) <= d->order_tol;
  if (!good) print_error("slope %.3f\n", slope);
  assert_true(good);
  if (d->limit_tol > 0) {
    char what[120];
    snprintf(what, sizeof what, "%s %s %s extrapolated", s->row, s->model, d->what);
    CHECK_REACHED(what, reached, d->limit_tol);
  }
}

static inline void study_check(const study* s, const demand* d) { study_check_order(s, d, false); }

// ---- the polynomial model ---------------------------------------------------------------------

// Orders, and parts where the rod turns by more than half a turn; what the last order has to reach,
// and (0: not asked) what order 5 has to.
typedef struct rom_orders {
  int parts, n[4];
  double tol, tol5;
  bool at_once;  // the start is near the loaded state: no steps
} rom_orders;

static inline bench bench_rom(const char* text, int order, int parts) {
  char all[6000];
  snprintf(all, sizeof all, "%sfor k = 1:%d, rod(1).part(k).length = rod(1).length/%d; end\n", text,
           parts, parts);
  return bench_new(parts > 1 ? all : text, "rom", order);
}

// Errors fall faster than those of any method of fourth order until they meet the row: what is left
// then may be a penalty.
static inline void rom_check(const char* row, const char* what, const rom_orders* o,
                             const double error[4]) {
  const double least = 4;
  study s = study_new(row, "rom");
  char full[120];
  for (int i = 0; i < 4 && (i < 2 || error[i - 1] > o->tol); i++) study_level(&s, o->n[i], 1);
  const double slope = study_slope(&s, error);
  printf("%-4s rom %-14s", row, what);
  for (int i = 0; i < 4; i++) printf(" n=%d %.1e", o->n[i], error[i]);
  printf("  slope %.1f%s\n", slope, o->parts > 1 ? "  in parts" : "");
  snprintf(full, sizeof full, "%s rom %s", row, what);
  CHECK_REACHED(full, error[3], o->tol);
  for (int i = 0; i < 4; i++) assert_true(o->n[i] != 5 || o->tol5 == 0 || error[i] <= o->tol5);
  // a shape that is a polynomial has no error at any order
  if (error[0] > o->tol && !(slope >= least)) print_error("%s: slope %.2f\n", full, slope);
  assert_true(error[0] <= o->tol || slope >= least);
}

#endif
