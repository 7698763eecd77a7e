// Batches of equal robots: simulated seconds, all robots together, per second of the clock and of
// the processor, beside the published numbers of a graphics card (SoRoMoX 0.4.0 on an RTX 5090,
// parallel-rollout benchmark): bench_batch FOLDER [threads [most robots [most seconds]]].  FOLDER
// has the models gvs006.m, gvs024.m, gvs096.m and gvs192.m.  Where the number of robots before says
// that a row would take more than the seconds of processor time, only its memory is measured.  As
// published: 1 s of free motion, normal noise of deviation 1e-3 on positions and rates of all but a
// single robot, states read every 0.01 s.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "tendril/batch.h"

static double wall(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double busy(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

int main(int argc, char** argv) {
  static const struct {
    int dof;
    double rtol, published[4];  // tolerance of equal or better accuracy; by robots
  } rows[] = {{6, 1e-6, {0.0959, 0, 23.6, 65.2}},
              {24, 1e-6, {0.0542, 0, 11.2, 19.8}},
              {96, 1e-4, {0.0120, 0, 1.83, 2.06}},
              {192, 1e-4, {0.00291, 0, 0.392, 0.388}}};
  enum { COUNTS = 4 };
  static const int robots[COUNTS] = {1, 16, 256, 1024};  // 16: not published
  if (argc < 2) return 1;
  const int threads = argc > 2 ? atoi(argv[2]) : 1, most = argc > 3 ? atoi(argv[3]) : 1024;
  const double budget = argc > 4 ? atof(argv[4]) : 1e9;
  printf("DOF robots threads   x clock  x processor  x published  failed  memory [MB]\n");
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    char path[600], message[400];
    snprintf(path, sizeof path, "%s/gvs%03d.m", argv[1], rows[r].dof);
    td_spec* spec = td_spec_new();
    td_model* model = NULL;
    if (td_spec_load_file(spec, path) != TD_OK || td_model_compile(spec, &model) != TD_OK) {
      fputs(td_spec_messages(spec), stderr);
      return 1;
    }
    double each = 0;  // processor time of one robot [s], as measured with fewer of them
    for (int k = 0; k < COUNTS && robots[k] <= most; k++) {
      td_sim_options sim = td_sim_options_default();
      sim.rtol = rows[r].rtol;
      td_batch_options o = td_batch_options_default();
      o.threads = threads;
      o.sim = &sim;
      o.sigma_q = o.sigma_v = robots[k] > 1 ? 1e-3 : 0;
      td_batch* batch = NULL;
      if (td_batch_new(model, robots[k], &o, &batch, message, sizeof message) != TD_OK) {
        printf("%3d %6d: %s\n", rows[r].dof, robots[k], message);
        continue;
      }
      td_batch_reset(batch, NULL);
      double* q = malloc(sizeof(double) * (size_t)robots[k] * (size_t)rows[r].dof);
      const double from = wall(), spent = busy();
      const bool whole = each * robots[k] < budget;
      for (int i = 0; i < (whole ? 100 : 1); i++) {
        td_batch_step(batch, 0.01, NULL, NULL);
        td_batch_read(batch, NULL, q, NULL, NULL);
      }
      const double seconds = wall() - from, processor = busy() - spent;
      if (whole) each = processor / robots[k];
      struct rusage u;
      getrusage(RUSAGE_SELF, &u);
      if (whole)
        printf("%3d %6d %7d %9.3g %12.3g %12.3g %7d %12.0f\n", rows[r].dof, robots[k], threads,
               robots[k] / seconds, robots[k] / processor, rows[r].published[k],
               td_batch_status(batch, NULL), (double)u.ru_maxrss / 1024);
      else
        printf("%3d %6d %7d %9s %12s %12.3g %7d %12.0f\n", rows[r].dof, robots[k], threads, "-",
               "-", rows[r].published[k], td_batch_status(batch, NULL), (double)u.ru_maxrss / 1024);
      fflush(stdout);
      free(q);
      td_batch_free(batch);
    }
    td_model_free(model);
    td_spec_free(spec);
  }
  return 0;
}
