// The recorded motions of the STIFF-FLOP module (models/stiffflop.m), for the tests that compare
// with them: recordings, runs and the mean tip error by the paper's measure.  Data are found
// through TENDRIL_DATA; without it the tests are skipped.
#ifndef TD_STIFFFLOP_H
#define TD_STIFFFLOP_H

#include "check.h"
#include "tendril/generate.h"
#include "tendril/tendril.h"

// ---- recordings -------------------------------------------------------------------------------

typedef struct recording {
  char path[4096];
  double row[4096][17];  // t_s p1 p2 p3 x y z qw0 qw1 qw2 qw3 fx fy fz tx ty tz
  int n;
} recording;
enum { PRESSURE = 1, TIP = 4, WRENCH = 11 };

// Skips the test without data.
static recording* read_recording(bool loaded) {
  const char* root = getenv("TENDRIL_DATA");
  if (!root) skip();
  recording* r = calloc(1, sizeof(recording));
  char line[8192];
  snprintf(r->path, sizeof r->path, "%s/data/stiffflop/stiffflop_%s.csv", root,
           loaded ? "load1" : "noload");
  FILE* f = fopen(r->path, "r");
  if (!f) free(r);
  if (!f) skip();
  assert_non_null(fgets(line, sizeof line, f));
  while (r->n < 4096 && fgets(line, sizeof line, f)) {
    int k = 0;
    for (char* s = strtok(line, ","); s && k < 17; s = strtok(NULL, ","))
      r->row[r->n][k++] = atof(s);
    r->n++;
  }
  fclose(f);
  return r;
}

// What belongs to time t: row floor(t/0.05), counted from 1; NULL after the end.
static const double* row_at(const recording* r, double t) {
  const int k = (int)floor(t / 0.05 + 1e-9) - 1;
  return k < r->n ? r->row[k] : NULL;
}

static double distance(const double a[3], const double b[3]) {
  return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

// ---- arrangements -----------------------------------------------------------------------------

typedef struct arrangement {
  const char *model, *n;
  bool loaded;
  const char *stretch, *rods, *wrench, *sums;  // as in the model; NULL: as printed
  const char* changes;                         // text after that of the model; NULL: none
} arrangement;

// `path`: the recording; NULL: the built-in pressures.
static td_model* load_module(arrangement a, const char* path) {
  const char* const set[][2] = {
      {"model", a.model},     {"n", a.n},       {"load", a.loaded ? "1" : NULL},
      {"stretch", a.stretch}, {"rods", a.rods}, {"sums", a.sums},
      {"wrench", a.wrench},   {"data", path}};
  td_spec* spec = td_spec_new();
  td_model* compiled = NULL;
  for (int i = 0; i < 8; i++)
    if (set[i][1]) td_spec_override(spec, set[i][0], set[i][1]);
  td_spec_load_file(spec, TEST_SOURCE_DIR "/models/stiffflop.m");
  if (a.changes) td_spec_load_string(spec, "changes", a.changes);
  if (td_model_compile(spec, &compiled) != TD_OK) {
    print_error("%s\n", td_spec_messages(spec));
    fail();
  }
  td_spec_free(spec);
  return compiled;
}

static inline void print_arrangement(arrangement a) {
  printf("%s n=%s load=%d stretch=%s rods=%s wrench=%s sums=%s", a.model, a.n, a.loaded,
         a.stretch ? a.stretch : "1", a.rods ? a.rods : "0", a.wrench ? a.wrench : "published",
         a.sums ? a.sums : "0");
}

// ---- sums of left ends ------------------------------------------------------------------------

// Orthonormal polynomials p_0 ... p_m of the mean over `count` equally spaced points of [-1/2, 1/2]
// (Gram), y p_k = b_(k+1) p_(k+1) + b_k p_(k-1) with b_k² = k² (N² - k²) / (4 N² (4 k² - 1)), and
// the slope of the last.
static inline double gram(int count, int m, double y, double* p) {
  double slope[64] = {0};
  p[0] = 1;
  for (int k = 0; k < m; k++) {
    const double i = k, j = k + 1, N = count;
    const double b = sqrt(i * i * (N * N - i * i) / (4 * N * N * fabs(4 * i * i - 1))),
                 c = sqrt(j * j * (N * N - j * j) / (4 * N * N * (4 * j * j - 1)));
    p[k + 1] = (y * p[k] - (k > 0 ? b * p[k - 1] : 0)) / c;
    slope[k + 1] = (p[k] + y * slope[k] - (k > 0 ? b * slope[k - 1] : 0)) / c;
  }
  return slope[m];
}

// The m nodes of Gauss' rule for that mean, which gives it exactly for polynomials of degree 2m
// - 1. With the nodes moved to the left ends of [0, 1] it is the sum of the authors' program with a
// tenth of its points.
static inline char* points_of_sum(int count, int m, char* text, size_t size) {
  const double pi = 3.14159265358979323846, first = 1e-6 / 0.05;
  double p[64];
  char weights[2048] = "";
  int at = snprintf(text, size, "joint(1).rom.points = [");
  for (int i = 0; i < m; i++) {
    double y = -cos(pi * (i + 0.75) / (m + 0.5)) / 2;
    for (int k = 0; k < 20; k++) {
      const double slope = gram(count, m, y, p);
      y -= p[m] / slope;
    }
    double sum = 0;
    gram(count, m, y, p);
    for (int k = 0; k < m; k++) sum += p[k] * p[k];
    at += snprintf(text + at, size - (size_t)at, "%.17g ", y + (count - 1) / (2.0 * count) + first);
    snprintf(weights + strlen(weights), 32, "%.17g ", 1 / sum);
  }
  snprintf(text + at, size - (size_t)at, "; %s];\n", weights);
  return text;
}

// ---- motions ----------------------------------------------------------------------------------

// Mean and largest distance to the recorded tip, in millimetres.
typedef struct tip_errors {
  double mean, max;
} tip_errors;

static inline tip_errors errors_from(const td_trajectory* run, const recording* r, double t0) {
  tip_errors e = {0, 0};
  int count = 0;
  for (int i = 0; i < td_trajectory_rows(run); i++) {
    const double t = td_trajectory_time(run, i);
    const double* want = t < t0 ? NULL : row_at(r, t);
    if (!want) continue;
    const double d = 1e3 * distance(td_trajectory_sensors(run, i), want + TIP);
    e.mean += d;
    e.max = fmax(e.max, d);
    count++;
  }
  e.mean /= count;
  return e;
}

// The paper's measure, from 7 s on (5 s with load), at the rows of the recording of a motion that
// starts with it or, as the authors do, of one that is at rest then, at their rows, about every
// 0.02 s.
static inline tip_errors motion_errors(arrangement a, bool as_authors) {
  if (CHECK_SANITIZED) skip();  // minutes under the sanitizers
  recording* r = read_recording(a.loaded);
  td_model* m = load_module(a, r->path);
  td_work* work = td_work_new(m);
  td_state* state = td_state_new(m);
  td_trajectory* run = NULL;
  td_jit* jit = NULL;
  const double t0 = a.loaded ? 5 : 7, t1 = a.loaded ? 55.4 : 54.65;
  td_sim_options o = td_sim_options_default();
  o.rtol = 1e-3;  // the mean tip error changes by less than 0.001 mm down to 1e-6
  o.atol = 1e-6;
  assert_int_equal(td_state_initial(m, work, state), TD_OK);
  if (as_authors) {
    o.dt_out = (t1 - t0) / (50 * (1 + floor(t1 - t0)));
    state->t = t0;
  }
  if (getenv("TENDRIL_LONG")) {  // derived code, to be done in half the time
    assert_int_equal(td_jit_new(m, work, &jit), TD_OK);
    td_jit_wait(jit);
    o.code = td_jit_source(jit);
  }
  assert_int_equal(td_simulate(m, work, state, &o, &run), TD_OK);
  const tip_errors e = errors_from(run, r, t0);
  print_arrangement(a);
  printf("%s: mean %.4f mm, largest %.3f mm\n", as_authors ? ", the authors' rows" : "", e.mean,
         e.max);
  fflush(stdout);
  td_trajectory_free(run);
  td_jit_free(jit);
  td_state_free(state);
  td_work_free(work);
  td_model_free(m);
  free(r);
  return e;
}

#endif
