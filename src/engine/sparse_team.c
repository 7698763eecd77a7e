// Threads of large networks, and the windows that their sums are kept in (td_work).
#include <string.h>

#include "base/team.h"
#include "engine/sparse_engine.h"

enum {
  MANY_BLOCKS = 2000,  // below this one thread is as fast
  CHUNK = 64           // blocks that a thread takes at a time
};

// ---- windows ----------------------------------------------------------------------------------

typedef struct extent {
  int hops, columns;
} extent;

// From the first to the last hop of a block's trees; columns -1: they are not in the order of the
// hops.
static extent extent_of(const td_model* m, int b) {
  const int* tree = m->block_tree + m->block_tree_at[b];
  const int first = m->tree[tree[0]], end = m->tree[m->block_tree[m->block_tree_at[b + 1] - 1] + 1];
  extent e = {end - first, 0};
  for (int i = first; i < end; i++) {
    const int column = m->hop[i].col - m->hop[first].col;
    if (column < 0) return (extent){e.hops, -1};
    e.columns = max_int(e.columns, column + m->hop[i].nv);
  }
  return e;
}

// The largest that is needed.  Sensors, controllers and tasks may look at any column.
static extent window(const td_model* m) {
  const extent all = {m->nhop, m->ncol};
  extent most = {1, 1};
  if (m->nvel <= SPARSE_DENSE_LIMIT || m->noutput_name > 0 || m->ntask > 0 || m->nloop > 0)
    return all;
  for (int b = 0; b < m->nblock_at - 1; b++) {
    const extent e = extent_of(m, b);
    if (e.columns < 0) return all;
    most.hops = max_int(most.hops, e.hops);
    most.columns = max_int(most.columns, e.columns);
  }
  return most;
}

bool td_sparse_whole(const td_model* m) { return window(m).hops == m->nhop; }
int td_sparse_window_hops(const td_model* m) { return window(m).hops; }
int td_sparse_window_columns(const td_model* m) { return window(m).columns; }

// ---- team -------------------------------------------------------------------------------------

struct sparse_team {
  td_team* team;
  td_work* member;  // copies of the work, but for these:
  hop_sum* hop_sums;
  col_sum* col_sums;
  char* scratch;
  extent window;
  size_t room;  // scratch of each
};

typedef struct loop {
  td_work* w;
  sparse_team* team;
  sparse_item item;
  void* ctx;
} loop;

int td_sparse_threads(const td_model* m) {
  return m->nblock_at - 1 < MANY_BLOCKS ? 1 : td_team_processors();
}

void td_sparse_team_free(sparse_team* t) {
  if (!t) return;
  td_team_free(t->team);
  free(t->member);
  free(t->hop_sums);
  free(t->col_sums);
  free(t->scratch);
  free(t);
}

static void* aligned(size_t n, size_t size) {
  return aligned_alloc(64, (n * size + 63) / 64 * 64 + 64);
}

// Live numbers are changed one column at a time in memory that all share: the caller alone.
sparse_team* td_sparse_team_new(const td_model* m, int threads) {
  if (threads < 2 || m->nlive_probe > 0) return NULL;
  sparse_team* t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->window = window(m);
  t->room = td_sparse_tree_scratch(m);
  t->team = td_team_new(threads);
  const size_t n = (size_t)td_team_size(t->team);
  t->member = calloc(n, sizeof(td_work));
  t->hop_sums = aligned(n * (size_t)t->window.hops, sizeof(hop_sum));
  t->col_sums = aligned(n * (size_t)t->window.columns, sizeof(col_sum));
  t->scratch = aligned(n, t->room);
  if (t->team && t->member && t->hop_sums && t->col_sums && t->scratch) return t;
  td_sparse_team_free(t);
  return NULL;
}

void td_sparse_set_threads(const td_model* m, td_work* w, int threads) {
  td_sparse_team_free(w->team);
  w->team = td_sparse_team_new(m, threads);
}

static void enter(sparse_team* t, const td_work* w) {
  for (int i = 0; i < td_team_size(t->team); i++) {
    td_work* me = &t->member[i];
    *me = *w;
    me->scratch = (arena){.base = t->scratch + (size_t)i * t->room, .size = t->room};
    if (w->whole) continue;
    me->hop_sums = t->hop_sums + i * t->window.hops;
    me->col_sums = t->col_sums + i * t->window.columns;
  }
}

static void take_part(void* ctx, int member, int first, int end) {
  const loop* l = ctx;
  td_work* w = l->team ? &l->team->member[member] : l->w;
  for (int i = first; i < end; i++) l->item(l->ctx, w, i);
}

void td_sparse_each(td_work* w, int n, sparse_item item, void* ctx) {
  loop l = {w, w->team, item, ctx};
  if (w->team) enter(w->team, w);
  td_team_run(w->team ? w->team->team : NULL, n, CHUNK, take_part, &l);
}
