// The desk of a sweep, which hands out points and takes their results, and the threads that compute
// them.
#include <math.h>
#include <time.h>

#include "solve/ensemble/sweep.h"

double td_sweep_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- the desk -----------------------------------------------------------------------------------

// Call the progress function with the lock held.
static bool ask(td_sweep* s) {
  const double now = td_sweep_clock();
  if (s->progress && !s->stop && now - s->asked > 0.05) {
    s->asked = now;
    const int rest = s->n - s->taken;
    const double fraction = rest > 0 ? (double)(s->done - s->taken) / rest : 1;
    if (!s->progress(s->user, fraction, "sweep")) s->stop = true;
  }
  return !s->stop;
}

bool td_sweep_goes_on(td_sweep* s) {
  pthread_mutex_lock(&s->lock);
  const bool go_on = ask(s);
  pthread_mutex_unlock(&s->lock);
  return go_on;
}

int td_sweep_take(td_sweep* s, int* points, int most) {
  int n = 0;
  pthread_mutex_lock(&s->lock);
  for (ask(s); !s->stop && n < most && s->next < s->n; s->next++) {
    if (s->state[s->next] != POINT_OPEN) continue;
    s->state[s->next] = POINT_TAKEN;
    points[n++] = s->next;
  }
  pthread_mutex_unlock(&s->lock);
  return n;
}

// Enter a result into the table.
void td_sweep_enter(td_sweep* s, int point, const double* values, const char* status) {
  const bool ok = strcmp(status, "ok") == 0;
  if (s->state[point] == POINT_DONE) return;
  s->status[point] = ok ? NULL : td_strdup(status);
  if (!ok && !s->status[point]) s->broken = TD_E_NOMEM, s->stop = true;
  if (s->ncolumn > 0)
    memcpy(s->values + (size_t)point * (size_t)s->ncolumn, values,
           sizeof *values * (size_t)s->ncolumn);
  s->state[point] = POINT_DONE;
  s->done++;
  s->failed += !status_is_good(status);
}

void td_sweep_put(td_sweep* s, int point, const double* values, const char* status,
                  double seconds) {
  pthread_mutex_lock(&s->lock);
  td_sweep_enter(s, point, values, status);
  s->computed++;
  s->mean += seconds;
  s->most = fmax(s->most, seconds);
  if (s->journal && s->broken == TD_OK) {
    s->broken = td_journal_add(s->journal, point, values, status);
    s->stop = s->stop || s->broken != TD_OK;
  }
  ask(s);
  pthread_mutex_unlock(&s->lock);
}

// ---- threads ------------------------------------------------------------------------------------

typedef struct gang {
  td_sweep* sweep;
  const sweep_desk* desk;
  worker* worker[TEAM_MOST];
  td_status status[TEAM_MOST];
} gang;

static bool worker_progress(void* user, double fraction, const char* what) {
  (void)fraction, (void)what;
  return td_sweep_goes_on(user);
}

// Compute points of the desk until none is left.
static void work_part(void* ctx, int member, int first, int end) {
  (void)first, (void)end;
  gang* g = ctx;
  td_sweep* s = g->sweep;
  char status[STATUS_LENGTH];
  double* values = malloc(sizeof(double) * (size_t)(s->ncolumn + 1));
  if (!g->worker[member]) g->worker[member] = td_worker_new(&s->plan, worker_progress, s);
  td_status* failure = &g->status[member];
  if (!values || !g->worker[member]) *failure = TD_E_NOMEM;
  for (int point; *failure == TD_OK && (point = g->desk->take(g->desk->user)) >= 0;) {
    const double start = td_sweep_clock();
    *failure = td_worker_run(g->worker[member], point, values, status, sizeof status);
    if (*failure == TD_OK)
      g->desk->put(g->desk->user, point, values, status, td_sweep_clock() - start);
  }
  free(values);
}

td_status td_sweep_work(td_sweep* s, const sweep_desk* desk) {
  gang g = {.sweep = s, .desk = desk};
  td_team* team = s->threads > 1 ? td_team_new(min_int(s->threads, TEAM_MOST)) : NULL;
  if (s->threads > 1 && !team) return TD_E_NOMEM;
  const int size = td_team_size(team);
  td_team_run(team, size, 1, work_part, &g);
  td_team_free(team);

  // the first failure; what was stopped is none
  td_status status = TD_OK;
  pthread_mutex_lock(&s->lock);
  for (int i = 0; i < TEAM_MOST; i++) {
    if (status == TD_OK || status == TD_E_STOPPED)
      status = g.status[i] != TD_OK ? g.status[i] : status;
    s->loads += td_worker_loads(g.worker[i]);
    td_worker_free(g.worker[i]);
  }
  pthread_mutex_unlock(&s->lock);
  return status;
}

static int take_one(void* user) {
  int point;
  return td_sweep_take(user, &point, 1) == 1 ? point : -1;
}

static void put_one(void* user, int point, const double* values, const char* status,
                    double seconds) {
  td_sweep_put(user, point, values, status, seconds);
}

td_status td_sweep_work_alone(td_sweep* s) {
  return td_sweep_work(s, &(sweep_desk){s, take_one, put_one});
}
