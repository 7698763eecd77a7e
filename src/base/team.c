// A team of threads.  The caller is member 0; the others sleep between loops.  Members take chunks
// of items from a common counter.
#include "base/team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

typedef struct member {
  td_team* team;
  int index;
  pthread_t thread;
} member;

struct td_team {
  int size;
  pthread_mutex_t lock;
  pthread_cond_t begin, done;
  unsigned round;  // number of the current loop; changes when a new one begins
  int busy;        // members that are still working
  bool leave;      // members must end
  td_team_part part;
  void* ctx;
  int n, chunk;
  atomic_int next;  // first item that nobody has taken
  member members[TEAM_MOST];
};

int td_team_processors(void) {
  const long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : n > TEAM_MOST ? TEAM_MOST : (int)n;
}

// Process chunks until none is left.
static void process_chunks(td_team* t, int index) {
  for (;;) {
    const int first = atomic_fetch_add(&t->next, t->chunk);
    if (first >= t->n) return;
    t->part(t->ctx, index, first, t->n - first < t->chunk ? t->n : first + t->chunk);
  }
}

// Body of a thread: wait until a loop begins (t->round changes), process chunks of it, and signal
// when the last member is done; return when the team leaves.
static void* serve(void* arg) {
  member* me = arg;
  td_team* t = me->team;
  unsigned round = 0;
  pthread_mutex_lock(&t->lock);

  for (;;) {
    while (t->round == round && !t->leave) pthread_cond_wait(&t->begin, &t->lock);
    if (t->leave) break;
    round = t->round;
    pthread_mutex_unlock(&t->lock);

    process_chunks(t, me->index);
    pthread_mutex_lock(&t->lock);
    if (--t->busy == 0) pthread_cond_signal(&t->done);
  }

  pthread_mutex_unlock(&t->lock);
  return NULL;
}

// Start the threads of a team; the caller is member 0.  A team has fewer members if the system
// gives no more threads.  NULL: no memory.
td_team* td_team_new(int members) {
  td_team* t = calloc(1, sizeof *t);
  if (!t) return NULL;
  if (pthread_mutex_init(&t->lock, NULL) != 0) {
    free(t);
    return NULL;
  }
  pthread_cond_init(&t->begin, NULL);
  pthread_cond_init(&t->done, NULL);

  for (t->size = 1; t->size < members && t->size < TEAM_MOST; t->size++) {
    member* m = &t->members[t->size];
    *m = (member){.team = t, .index = t->size};
    if (pthread_create(&m->thread, NULL, serve, m) != 0) break;
  }
  return t;
}

// Let the threads end and wait for them.
void td_team_free(td_team* t) {
  if (!t) return;
  pthread_mutex_lock(&t->lock);
  t->leave = true;
  pthread_cond_broadcast(&t->begin);
  pthread_mutex_unlock(&t->lock);
  for (int i = 1; i < t->size; i++) pthread_join(t->members[i].thread, NULL);
  pthread_cond_destroy(&t->begin);
  pthread_cond_destroy(&t->done);
  pthread_mutex_destroy(&t->lock);
  free(t);
}

int td_team_size(const td_team* t) { return t ? t->size : 1; }

// Distribute n items among the members; few items are processed by the caller.
void td_team_run(td_team* t, int n, int chunk, td_team_part part, void* ctx) {
  if (!t || t->size == 1 || n <= chunk) {
    if (n > 0) part(ctx, 0, 0, n);
    return;
  }

  // wake the members
  pthread_mutex_lock(&t->lock);
  t->part = part;
  t->ctx = ctx;
  t->n = n;
  t->chunk = chunk;
  t->busy = t->size - 1;
  atomic_store(&t->next, 0);
  t->round++;
  pthread_cond_broadcast(&t->begin);
  pthread_mutex_unlock(&t->lock);

  // work with them, then wait for the last
  process_chunks(t, 0);
  pthread_mutex_lock(&t->lock);
  while (t->busy > 0) pthread_cond_wait(&t->done, &t->lock);
  pthread_mutex_unlock(&t->lock);
}
