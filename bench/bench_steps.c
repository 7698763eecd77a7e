// The cable-driven manipulator step by step with inputs from outside: the side of C of
// bench_python.py, which prints the comparison.
//
//   bench_steps MODEL STEPS      prints seconds of processor time and the tip at the end
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tendril/control.h"

enum { INPUTS = 4, SENSORS = 64 };

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int run(const td_model* model, td_work* work, const td_state* state, int steps) {
  td_sim_options o = td_sim_options_default();
  o.rtol = 1e-3, o.atol = 1e-4;
  td_plant* plant;
  double u[INPUTS], y[SENSORS];
  if (td_plant_new(model, work, state, &o, &plant) != TD_OK) return 1;
  const double start = seconds();
  int failed = 0;
  for (int k = 1; k <= steps && !failed; k++) {
    const double t = k * 5e-4;
    for (int i = 0; i < INPUTS; i++) u[i] = 5 + 5 * sin((i + 1) * t);
    failed = td_plant_drive(plant, t, u, y) != TD_OK;
  }
  if (!failed) printf("%.9g %.17g %.17g %.17g\n", seconds() - start, y[0], y[1], y[2]);
  td_plant_free(plant);
  return failed;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  td_spec* spec = td_spec_new();
  td_model* model = NULL;
  int failed =
      !spec || td_spec_load_file(spec, argv[1]) != TD_OK || td_model_compile(spec, &model) != TD_OK;
  if (failed) fprintf(stderr, "%s\n", spec ? td_spec_messages(spec) : "no memory");
  const td_sizes n = failed ? (td_sizes){0} : td_model_sizes(model);
  if (!failed && (n.nu != INPUTS || n.nsensor > SENSORS)) failed = 1;
  td_work* work = failed ? NULL : td_work_new(model);
  td_state* state = failed ? NULL : td_state_new(model);
  if (work && state && td_state_initial(model, work, state) == TD_OK)
    failed = run(model, work, state, atoi(argv[2]));
  td_state_free(state);
  td_work_free(work);
  td_model_free(model);
  td_spec_free(spec);
  return failed;
}
