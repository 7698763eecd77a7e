// The cable-driven manipulator step by step with inputs from outside: the side of C of
// bench_python.py, which prints the comparison.
//
//   bench_steps MODEL STEPS      prints seconds of processor time and the tip at the end
#include "rig.h"
#include "tendril/control.h"

enum { INPUTS = 4, SENSORS = 64 };

static int run(td_plant* plant, int steps) {
  double u[INPUTS], y[SENSORS];
  const double start = seconds();
  for (int k = 1; k <= steps; k++) {
    const double t = k * 5e-4;
    for (int i = 0; i < INPUTS; i++) u[i] = 5 + 5 * sin((i + 1) * t);
    if (td_plant_drive(plant, t, u, y) != TD_OK) return 1;
  }
  printf("%.9g %.17g %.17g %.17g\n", seconds() - start, y[0], y[1], y[2]);
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  td_model* model = compiled(argv[1], NULL, NULL, 0);
  const td_sizes n = td_model_sizes(model);
  if (n.nu != INPUTS || n.nsensor > SENSORS) return 2;
  td_work* work = needed(td_work_new(model));
  td_state* state = needed(td_state_new(model));
  td_sim_options o = td_sim_options_default();
  o.rtol = 1e-3, o.atol = 1e-4;
  td_plant* plant = NULL;
  const int failed = td_state_initial(model, work, state) != TD_OK ||
                     td_plant_new(model, work, state, &o, &plant) != TD_OK ||
                     run(plant, atoi(argv[2]));
  td_plant_free(plant);
  td_state_free(state);
  td_work_free(work);
  td_model_free(model);
  return failed;
}
