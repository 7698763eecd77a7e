// A sweep while it runs, for the files of this folder.
#ifndef TD_ENSEMBLE_SWEEP_H
#define TD_ENSEMBLE_SWEEP_H

#include <pthread.h>

#include "base/team.h"
#include "solve/ensemble/journal.h"
#include "solve/ensemble/worker.h"

enum { STATUS_LENGTH = 512 };

typedef enum point_state { POINT_OPEN, POINT_TAKEN, POINT_DONE } point_state;

struct td_sweep {
  sweep_plan plan;
  int threads;
  char* journal_path;
  bool resume;
  td_link* link;
  int processes;
  td_progress progress;
  void* user;
  uint64_t digest;

  // the table
  int n, ncolumn;
  double* values;        // n x ncolumn
  char** status;         // (n) what went wrong, NULL: ok
  unsigned char* state;  // (n) point_state

  // the desk, which hands out points and takes results: all below is behind the lock
  pthread_mutex_t lock;
  int next;          // all points before it are taken or done
  int done, failed;  // points
  bool stop;         // hand out no more
  td_status broken;  // why: the journal failed, no memory
  journal* journal;
  double asked;                // when progress was called last [s]
  double seconds, mean, most;  // of points: their sum is mean until the end
  int computed, taken, loads, lost;
};

// Points handed out and results taken: by the desk of a sweep, or on another process by a share of
// points that came in a message.
typedef struct sweep_desk {
  void* user;
  int (*take)(void* user);  // a point, -1: none is left
  void (*put)(void* user, int point, const double* values, const char* status, double seconds);
} sweep_desk;

double td_sweep_clock(void);
// Enter a result into the table, with the lock held or before threads start.
void td_sweep_enter(td_sweep* s, int point, const double* values, const char* status);
// Call the progress function, at most every 0.05 s; false: stop.
bool td_sweep_goes_on(td_sweep* s);
// Take up to `most` points from the desk of rank 0.
int td_sweep_take(td_sweep* s, int* points, int most);
void td_sweep_put(td_sweep* s, int point, const double* values, const char* status, double seconds);
// Compute points of a desk with all threads of this process until none is left.
td_status td_sweep_work(td_sweep* s, const sweep_desk* desk);
// Compute the points that this process takes from its own desk.
td_status td_sweep_work_alone(td_sweep* s);

// share.c: rank 0 works and serves the others; the others work until they are ended.
td_status td_share_lead(td_sweep* s, char* message, size_t size);
td_status td_share_follow(td_sweep* s);

#endif
