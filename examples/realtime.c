// A controller in another process, in shared memory: the tip of a soft arm follows a circle.
//
//   cc realtime.c -o realtime -I include      (there is nothing to link)
//   tendril serve python/tendril/tasks/follow.m --rate 200 --shm arm &
//   ./realtime arm [steps [fifo]]
//
// With the word fifo its memory is locked and it runs in the real-time class of the scheduler,
// which root may, or a user with an rtprio limit.
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tendril/serve.h"

enum { MOST = 64 };

static void rest(void) { nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL); }

// Read the server's side: sensors (nsensor) and the number of the step; 0: it is being written.
static uint64_t read_state(const td_serve_shared* m, double* sensors, double* t) {
  const double* out = (const double*)(const void*)(m + 1) + m->nu;
  const uint64_t guard = __atomic_load_n(&m->output_guard, __ATOMIC_ACQUIRE);
  if (guard % 2 != 0) return 0;
  const uint64_t step = m->step;
  *t = m->t;
  memcpy(sensors, out, sizeof(double) * m->nsensor);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return __atomic_load_n(&m->output_guard, __ATOMIC_RELAXED) == guard ? step : 0;
}

// Write the controller's side.
static void write_inputs(td_serve_shared* m, uint64_t kind, uint64_t sequence, const double* u) {
  const uint64_t guard = m->input_guard + 1;
  __atomic_store_n(&m->input_guard, guard, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  m->input_kind = kind;
  m->input_sequence = sequence;
  memcpy(m + 1, u, sizeof(double) * m->nu);
  __atomic_store_n(&m->input_guard, guard + 1, __ATOMIC_RELEASE);
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: realtime NAME [steps [fifo]]\n");
    return 1;
  }
  const long steps = argc > 2 ? atol(argv[2]) : 400;
  char path[300];
  snprintf(path, sizeof path, "/%s", argv[1]);

  // the memory of the server, which may be about to start
  td_serve_shared* m = MAP_FAILED;
  for (int i = 0; i < 100000 && m == MAP_FAILED; i++) {
    struct stat info;
    const int file = shm_open(path, O_RDWR, 0);
    if (file >= 0 && fstat(file, &info) == 0 && (size_t)info.st_size > sizeof *m)
      m = mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0) close(file);
    if (m == MAP_FAILED) rest();
  }
  if (m == MAP_FAILED) {
    fprintf(stderr, "realtime: there is no shared memory '%s'\n", argv[1]);
    return 1;
  }
  while (__atomic_load_n(&m->magic, __ATOMIC_ACQUIRE) != TD_SERVE_MAGIC) rest();
  if (m->version != TD_SERVE_VERSION || m->nu != 2 || m->nsensor < 9 || m->nsensor > MOST) {
    fprintf(stderr, "realtime: this controller is for follow.m\n");
    return 1;
  }
  if (argc > 3) {
    const struct sched_param p = {.sched_priority = 70};
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0 || sched_setscheduler(0, SCHED_FIFO, &p) != 0)
      perror("realtime: fifo");
  }

  // an answer to each step: bend towards the target
  double seen[MOST], u[2] = {0, 0}, t = 0, total = 0;
  uint64_t last = 0, sequence = 0;
  long got = 0;
  while (got < steps && !m->ended) {
    const uint64_t step = read_state(m, seen, &t);
    if (step <= last) {
      rest();
      continue;
    }
    last = step;
    for (int i = 0; i < 2; i++) {
      u[i] = 4 * (seen[4 + i] - seen[i]);
      u[i] = u[i] > 1 ? 1 : u[i] < -1 ? -1 : u[i];
    }
    write_inputs(m, TD_SERVE_INPUTS, ++sequence, u);
    total -= seen[8];
    got++;
  }
  write_inputs(m, TD_SERVE_STOP, ++sequence, u);
  printf("%ld steps to t = %.3f s, mean distance of tip and target %.2f mm\n", got, t,
         got ? 1e3 * total / (double)got : 0);
  return 0;
}
