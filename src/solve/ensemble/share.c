// A sweep on several processes.  Rank 0 has the desk: it hands out points to whoever wants some, as
// many as take about 0.05 s, writes the journal and gets the table.  It computes as well, in
// threads of its own, while its first thread looks after the messages.  The others know nothing but
// the points that they are given; what they have computed goes back with the request for more.
//
// Plain MPI ends the whole job when a process dies.  The journal then has all points that were
// reported; those that were being computed are computed again by a sweep with `resume`.
#include <stdio.h>
#include <time.h>

#include "solve/ensemble/link.h"
#include "solve/ensemble/sweep.h"

static const double share_seconds = 0.05;  // of work that is handed out at once
enum { MOST_SHARE = 256 };

static void rest(void) { nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL); }

// ---- messages -----------------------------------------------------------------------------------

static void put_bytes(td_text* t, const void* data, size_t size) {
  td_text_addn(t, data, (int)size);
}

// Take bytes from a message; false: it has no more.
static bool get_bytes(const char** at, const char* end, void* data, size_t size) {
  if ((size_t)(end - *at) < size) return false;
  memcpy(data, *at, size);
  *at += size;
  return true;
}

// Receive the next message into `in`; 1: there is one, 0: none, -1: failure.
static int receive(td_link* l, int* from, td_text* in) {
  int bytes = 0;
  const int there = l->table->poll(l->table->self, from, &bytes);
  if (there <= 0) return there;
  in->n = 0;
  td_text_addn(in, "", 0);
  if (in->cap <= bytes) {
    char* grown = realloc(in->s, (size_t)bytes + 1);
    if (!grown) return -1;
    in->s = grown;
    in->cap = bytes + 1;
  }
  in->n = bytes;
  return l->table->receive(l->table->self, *from, in->s, bytes) < 0 ? -1 : 1;
}

static td_status send_text(td_link* l, int to, const td_text* t) {
  if (t->failed) return TD_E_NOMEM;
  return l->table->send(l->table->self, to, t->s, t->n) < 0 ? TD_E_IO : TD_OK;
}

// ---- rank 0 -------------------------------------------------------------------------------------

// Give points to a process, or end it where none is left.
static td_status answer(td_sweep* s, int to) {
  int points[MOST_SHARE], threads = s->threads;
  pthread_mutex_lock(&s->lock);
  const double each = s->computed > 0 ? s->mean / s->computed : share_seconds;
  pthread_mutex_unlock(&s->lock);
  const double share = threads * share_seconds / (each + 1e-9);
  const int most = share < threads ? threads : share > MOST_SHARE ? MOST_SHARE : (int)share;
  const int n = td_sweep_take(s, points, most < MOST_SHARE ? most : MOST_SHARE);

  td_text out = {0};
  const int word = n > 0 ? LINK_POINTS : LINK_END;
  put_bytes(&out, &word, sizeof word);
  put_bytes(&out, &n, sizeof n);
  put_bytes(&out, points, sizeof *points * (size_t)n);
  s->link->peer[to] = n > 0 ? PEER_WORKS : PEER_ENDED;
  const td_status status = send_text(s->link, to, &out);
  td_text_free(&out);
  return status;
}

// Take the results of a message to the desk; false: the message is damaged.
static bool take_results(td_sweep* s, const char* at, const char* end, double* values) {
  int n;
  if (!get_bytes(&at, end, &n, sizeof n)) return false;
  for (int k = 0; k < n; k++) {
    int point, length;
    double seconds;
    char status[STATUS_LENGTH];
    if (!get_bytes(&at, end, &point, sizeof point) || point < 0 || point >= s->n ||
        !get_bytes(&at, end, &seconds, sizeof seconds) ||
        !get_bytes(&at, end, values, sizeof *values * (size_t)s->ncolumn) ||
        !get_bytes(&at, end, &length, sizeof length) || length < 0 || length >= STATUS_LENGTH ||
        !get_bytes(&at, end, status, (size_t)length))
      return false;
    status[length] = '\0';
    td_sweep_put(s, point, values, status, seconds);
  }
  return true;
}

// A thread of rank 0 that computes points beside the messages.
static void* work_beside(void* user) {
  td_sweep* s = user;
  const td_status status = td_sweep_work_alone(s);
  pthread_mutex_lock(&s->lock);
  if (status != TD_OK && status != TD_E_STOPPED && s->broken == TD_OK) s->broken = status;
  s->stop = s->stop || status != TD_OK;
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

// React to one message of another process.
static td_status heed(td_sweep* s, int from, const td_text* in, double* values) {
  const char *at = in->s, *end = in->s + in->n;
  int word = 0;
  uint64_t digest;
  if (from < 1 || from >= s->link->size || !get_bytes(&at, end, &word, sizeof word)) return TD_E_IO;
  if (word == LINK_LEAVE) {
    s->link->peer[from] = PEER_ENDED;
    s->lost++;
    return TD_OK;
  }
  if (word == LINK_RESULT) return take_results(s, at, end, values) ? answer(s, from) : TD_E_IO;
  if (word != LINK_HELLO || !get_bytes(&at, end, &digest, sizeof digest)) return TD_E_IO;
  if (digest == s->digest) return answer(s, from);

  // it would compute something else
  const int words[] = {LINK_END, 0};
  s->link->peer[from] = PEER_ENDED;
  s->lost++;
  return s->link->table->send(s->link->table->self, from, words, (int)sizeof words) < 0 ? TD_E_IO
                                                                                        : TD_OK;
}

td_status td_share_lead(td_sweep* s, char* message, size_t size) {
  td_link* l = s->link;
  td_text in = {0};
  double* values = malloc(sizeof *values * (size_t)(s->ncolumn + 1));
  pthread_t beside;
  if (!values || pthread_create(&beside, NULL, work_beside, s) != 0) {
    free(values);
    return TD_E_NOMEM;
  }

  // messages until every process is ended
  td_status status = TD_OK;
  for (int working = l->size - 1; working > 0 && status == TD_OK;) {
    int from;
    const int there = receive(l, &from, &in);
    if (there < 0) status = TD_E_IO;
    if (there > 0) status = heed(s, from, &in, values);
    if (there == 0) {
      td_sweep_goes_on(s);
      rest();
    }
    working = 0;
    for (int i = 1; i < l->size; i++) working += l->peer[i] != PEER_ENDED;
  }
  if (status != TD_OK) {
    snprintf(message, size, "a process of the sweep cannot be reached any more");
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_mutex_unlock(&s->lock);
  }
  pthread_join(beside, NULL);
  td_text_free(&in);
  free(values);
  return status;
}

// ---- other ranks --------------------------------------------------------------------------------

// Points of a message, and the results on their way back.
typedef struct share {
  td_sweep* sweep;
  pthread_mutex_t lock;
  int points[MOST_SHARE];
  int n, next, computed;
  td_text out;
} share;

// The desk of other ranks: the next point of the last message, -1: none is left.
static int share_take(void* user) {
  share* h = user;
  if (!td_sweep_goes_on(h->sweep)) return -1;
  pthread_mutex_lock(&h->lock);
  const int point = h->next < h->n ? h->points[h->next++] : -1;
  pthread_mutex_unlock(&h->lock);
  return point;
}

// The desk of other ranks: append a result to the message back.
static void share_put(void* user, int point, const double* values, const char* status,
                      double seconds) {
  share* h = user;
  const int length = (int)strlen(status);
  pthread_mutex_lock(&h->lock);
  h->computed++;
  put_bytes(&h->out, &point, sizeof point);
  put_bytes(&h->out, &seconds, sizeof seconds);
  put_bytes(&h->out, values, sizeof *values * (size_t)h->sweep->ncolumn);
  put_bytes(&h->out, &length, sizeof length);
  put_bytes(&h->out, status, (size_t)length);
  pthread_mutex_unlock(&h->lock);
}

td_status td_share_follow(td_sweep* s) {
  td_link* l = s->link;
  td_text in = {0};
  share h = {.sweep = s};
  const sweep_desk desk = {&h, share_take, share_put};
  pthread_mutex_init(&h.lock, NULL);

  // ask for points
  int word = LINK_HELLO;
  put_bytes(&h.out, &word, sizeof word);
  put_bytes(&h.out, &s->digest, sizeof s->digest);
  td_status status = send_text(l, 0, &h.out);
  while (status == TD_OK) {
    int from, there;
    while ((there = receive(l, &from, &in)) == 0) rest();
    const char *at = in.s, *end = in.s + in.n;
    if (there < 0 || !get_bytes(&at, end, &word, sizeof word)) status = TD_E_IO;
    if (status != TD_OK || word != LINK_POINTS) break;
    if (!get_bytes(&at, end, &h.n, sizeof h.n) || h.n < 1 || h.n > MOST_SHARE ||
        !get_bytes(&at, end, h.points, sizeof *h.points * (size_t)h.n)) {
      status = TD_E_IO;
      break;
    }

    // compute them and send them back
    h.next = h.computed = 0;
    h.out.n = 0;
    word = LINK_RESULT;
    put_bytes(&h.out, &word, sizeof word);
    put_bytes(&h.out, &h.computed, sizeof h.computed);
    const td_status done = td_sweep_work(s, &desk);
    if (done != TD_OK && done != TD_E_STOPPED) status = done;
    if (!h.out.failed) memcpy(h.out.s + sizeof word, &h.computed, sizeof h.computed);
    if (status == TD_OK) status = send_text(l, 0, &h.out);
  }
  l->over = status == TD_OK;
  td_text_free(&in);
  td_text_free(&h.out);
  pthread_mutex_destroy(&h.lock);
  return status;
}
