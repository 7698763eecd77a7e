// Motion of rods: rows of moments and tip positions, and what strain-parametrised rods reach.
#ifndef TD_VERIFY_RODS_MOTION_H
#define TD_VERIFY_RODS_MOTION_H

#include "rods.h"

enum { max_times = 8 };

typedef struct motion_row {
  const char *name, *text;
  double length;  // errors count in it
  int models;     // the first so many of srl, ebr, eba
  int n[max_levels];
  double t[max_times];  // moments compared, ascending
  int size;             // numbers of `tip` compared
  double bound;         // error <= bound·length/n²
  double order_tol, limit;
  double want[max_times][6];
  int order;         // of strain-parametrised rods; 0: not asked
  double tol;        // their error
  const char* more;  // what else they need; may be NULL
  rom_orders rom;    // of the polynomial model; its errors count in lengths, too
  bool better;       // after the first moment it may seem to converge faster than second order
  // What takes minutes runs with TENDRIL_LONG=1: all moments, on finer numbers of segments and
  // higher orders; without it, and for spectral rods, the first `quick` moments.  quick = 0: all of
  // them always.
  int quick, fine[max_levels];
  double fine_tol;  // of their slope; 0: as order_tol
  rom_orders rom_fine;
  int first;  // of the models: those before it have a row of their own
} motion_row;

static inline motion_row first_moments(const motion_row* row) {
  motion_row r = *row;
  if (r.quick > 0) r.t[r.quick] = 0;
  return r;
}

// What of a row is asked for now
static inline motion_row asked(const motion_row* row) {
  motion_row r = *row;
  if (!getenv("TENDRIL_LONG")) return first_moments(row);
  if (r.fine[0] > 0) memcpy(r.n, r.fine, sizeof r.n);
  if (r.fine_tol > 0) r.order_tol = r.fine_tol;
  if (r.rom_fine.parts > 0) r.rom = r.rom_fine;
  return r;
}

static inline int time_count(const motion_row* r) {
  int n = 0;
  while (n < max_times && r->t[n] > 0) n++;
  return n;
}

// Simulate to time t; the caller frees the trajectory, which has a row every dt.
static inline td_trajectory* bench_run(bench* b, double t, double dt, double rtol) {
  td_sim_options options = td_sim_options_default();
  options.t_final = t;
  options.dt_out = dt;
  options.rtol = rtol;
  options.atol = 1e-2 * rtol;
  td_trajectory* path;
  const td_status status = td_simulate(b->model, b->work, b->state, &options, &path);
  if (status != TD_OK) print_error("%s\n", td_trajectory_diagnosis(path));
  assert_int_equal(status, TD_OK);
  return path;
}

// A start that the text cannot say, given by C code; may be NULL.
typedef void (*start)(bench* b);

// Strain-parametrised rods: the figures themselves.  All moments are multiples of the first.
static inline void spectral_motion(const motion_row* r, start begin) {
  if (CHECK_SANITIZED || r->order == 0) return;
  bench b = bench_spectral(r->text, r->order, r->more ? r->more : "");
  if (begin) begin(&b);
  // a hundredth of the tolerance in each step is less than the tolerance in all
  td_trajectory* path = bench_run(&b, r->t[time_count(r) - 1], r->t[0], fmax(1e-2 * r->tol, 1e-10));
  for (int i = 0; i < time_count(r); i++) {
    const double* x = td_trajectory_sensors(path, (int)lround(r->t[i] / r->t[0]));
    char what[80];
    snprintf(what, sizeof what, "%s gvs order %d, t=%g", r->name, r->order, r->t[i]);
    CHECK_REACHED(what, distance(x, r->want[i], r->size) / r->length, r->tol);
  }
  td_trajectory_free(path);
  bench_free(&b);
}

// Errors of the polynomial model at every moment.  A tenth of the tolerance in each step; where the
// motion goes on after the quick moments, less, as errors add up.
static inline void polynomial_errors(const motion_row* r, int order, double error[max_times]) {
  bench b = bench_rom(r->text, order, r->rom.parts);
  const double share = r->quick > 0 ? 0.1 * r->quick / time_count(r) : 0.1;
  td_trajectory* path =
      bench_run(&b, r->t[time_count(r) - 1], r->t[0], fmin(1e-5, share * r->rom.tol));
  for (int i = 0; i < time_count(r); i++)
    error[i] =
        distance(td_trajectory_sensors(path, (int)lround(r->t[i] / r->t[0])), r->want[i], r->size) /
        r->length;
  td_trajectory_free(path);
  bench_free(&b);
}

// The polynomial model, at four orders.
static inline void polynomial_motion(const motion_row* r) {
  if (CHECK_SANITIZED || r->rom.parts == 0) return;
  double error[4][max_times], of[4];
  for (int k = 0; k < 4; k++) polynomial_errors(r, r->rom.n[k], error[k]);
  for (int i = 0; i < time_count(r); i++) {
    char what[40];
    snprintf(what, sizeof what, "t=%g", r->t[i]);
    for (int k = 0; k < 4; k++) of[k] = error[k][i];
    rom_check(r->name, what, &r->rom, of);
  }
}

// ---- segments ---------------------------------------------------------------------------------

// All moments are multiples of the first.
static inline void follow_motion(const motion_row* r, study* s, int n, start begin) {
  bench b = bench_new(r->text, s->model, n);
  if (begin) begin(&b);
  double* x = study_level(s, n, r->size * time_count(r));
  td_trajectory* path = bench_run(&b, r->t[time_count(r) - 1], r->t[0], 1e-7);
  for (int i = 0; i < time_count(r); i++) {
    const int row = (int)lround(r->t[i] / r->t[0]);
    assert_true(row < td_trajectory_rows(path));
    memcpy(x + i * r->size, td_trajectory_sensors(path, row), sizeof(double) * (size_t)r->size);
  }
  td_trajectory_free(path);
  bench_free(&b);
}

static inline void refine_segments(const motion_row* r, start begin) {
  for (int m = r->first; m < r->models; m++) {
    study s = study_new(r->name, rod_models[m]);
    for (int k = 0; k < max_levels && r->n[k] > 0; k++) follow_motion(r, &s, r->n[k], begin);
    for (int i = 0; i < time_count(r); i++) {
      char what[40];
      snprintf(what, sizeof what, "t=%g", r->t[i]);
      const demand d = {what,      i * r->size, r->size,      r->want[i],
                        r->length, r->bound,    r->order_tol, r->limit};
      study_check_order(&s, &d, r->better && i > 0);
    }
  }
}

static inline void refine_from(const motion_row* row, start begin) {
  const motion_row r = asked(row), first = first_moments(row);
  spectral_motion(&first, begin);
  polynomial_motion(&r);
  refine_segments(&r, begin);
}

static inline void refine(const motion_row* r) { refine_from(r, NULL); }

// Strains of a motion in the plane, which is all that spectral rods are given, and that srl and ebr
// need; eba and rom have them all.
#define PLANAR "rod(1).modes = [1 0 1 0 1 0];\n"
#define PLANAR_SEGMENTS "if ~absolute, " PLANAR "end\n"

#endif
