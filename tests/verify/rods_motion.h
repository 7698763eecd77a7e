// Motion of rods: rows of moments and tip positions, and what strain-parametrised rods reach.
#ifndef TD_VERIFY_RODS_MOTION_H
#define TD_VERIFY_RODS_MOTION_H

#include "rods.h"

enum { max_times = 6 };

typedef struct motion_row {
  const char *name, *text;
  double length;  // errors count in it
  int models;
  int n[max_levels];
  double t[max_times];  // moments compared, ascending
  int size;             // numbers of `tip` compared
  double bound;         // error <= bound·length/n²
  double order_tol, limit;
  double want[max_times][6];
  int order;         // of strain-parametrised rods
  double tol;        // their error
  const char* more;  // what else they need; may be NULL
  rom_orders rom;    // of the polynomial model; its errors count in lengths, too
  // waves of all lengths: only at the first moment is the expansion in 1/n² and in the order clean
  // enough to reach `limit` and the tolerance of `rom`; at later ones segments show their order
  bool waves;
} motion_row;

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
  if (CHECK_SANITIZED) return;
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

// The polynomial model, at four orders.
static inline void polynomial_motion(const motion_row* r) {
  if (CHECK_SANITIZED || r->rom.parts == 0) return;
  const int moments = r->waves ? 1 : time_count(r);
  double error[max_times][4];
  for (int k = 0; k < 4; k++) {
    bench b = bench_rom(r->text, r->rom.n[k], r->rom.parts);
    td_trajectory* path = bench_run(&b, r->t[moments - 1], r->t[0], fmin(1e-6, 1e-2 * r->rom.tol));
    for (int i = 0; i < moments; i++)
      error[i][k] = distance(td_trajectory_sensors(path, (int)lround(r->t[i] / r->t[0])),
                             r->want[i], r->size) /
                    r->length;
    td_trajectory_free(path);
    bench_free(&b);
  }
  for (int i = 0; i < moments; i++) {
    char what[40];
    snprintf(what, sizeof what, "t=%g", r->t[i]);
    rom_check(r->name, what, &r->rom, error[i]);
  }
}

#endif
