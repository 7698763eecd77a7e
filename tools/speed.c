// Repeats one kind of work on one model, for the comparison of the speed of two versions (tools/speed).
//
//   speed MODEL evaluation|tangent|step COUNT     prints the seconds of one, the least of the repetitions
//
// Counting instructions, the difference between two counts is the work itself, without loading the model.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tendril/tendril.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  td_spec* spec = td_spec_new();
  td_model* m = NULL;
  if (td_spec_load_file(spec, argv[1]) != TD_OK || td_model_compile(spec, &m) != TD_OK) {
    fprintf(stderr, "%s", td_spec_messages(spec));
    return 3;
  }
  const td_sizes n = td_model_sizes(m);
  td_work* w = td_work_new(m);
  td_state* s = td_state_new(m);
  if (td_state_initial(m, w, s) != TD_OK) return 3;
  const int count = atoi(argv[3]);
  const size_t square = (size_t)n.nv * (size_t)n.nv;
  double *dq = calloc(square + 1, sizeof *dq), *dv = calloc(square + 1, sizeof *dv);
  if (!dq || !dv) return 3;

  double begin = now();
  if (!strcmp(argv[2], "step")) {
    // `count` steps of the solver that the model gets
    td_sim_options o = td_sim_options_default();
    o.max_steps = count > 0 ? count : 1;
    td_trajectory* t = NULL;
    td_simulate(m, w, s, &o, &t);
    const double taken = now() - begin;
    printf("%.9g\n", t ? taken / (double)td_trajectory_stats(t)->steps : 0.0);
    td_trajectory_free(t);
  } else {
    double least = 1e9;
    for (int k = 0; k < count; k++) {
      // another state each time, so that nothing can be kept from the last
      for (int i = 0; i < n.nv; i++) s->v[i] = 1e-3 * (double)((k + i) % 7);
      begin = now();
      if (!strcmp(argv[2], "tangent")) {
        if (td_forward_tangent(m, s, w, dq, dv, NULL) != TD_OK) return 3;
      } else if (td_forward_dynamics(m, s, w) != TD_OK) {
        return 3;
      }
      const double taken = now() - begin;
      if (taken < least) least = taken;
    }
    printf("%.9g\n", least);
  }
  free(dv), free(dq);
  td_state_free(s);
  td_work_free(w);
  td_model_free(m);
  td_spec_free(spec);
  return 0;
}
