// Threads that assemble large networks, and the windows in which each keeps its sums over hops and
// columns.
#include <string.h>

#include "base/team.h"
#include "engine/sparse_engine.h"

enum {
  MANY_BLOCKS = 2000,  // below this one thread is as fast
  CHUNK = 64           // blocks that a thread takes at a time
};

// ---- windows ----------------------------------------------------------------------------------

// Number of hops and columns of a window.
typedef struct extent {
  int hops, columns;
} extent;

// Extent of the window that the largest block needs: from the first to the last hop of its trees.
// The whole model where sensors, controllers or tasks may need any column, or where columns are not
// in the order of the hops.
static extent window(const td_model* m) {
  const extent all = {m->nhop, m->ncol};
  extent most = {1, 1};
  if (m->nvel <= SPARSE_DENSE_LIMIT || m->noutput_name > 0 || m->ntask > 0 || m->nloop > 0)
    return all;

  // hops and columns between the first and the last tree of each block
  for (int b = 0; b < m->nblock_at - 1; b++) {
    const int first = m->tree[m->block_tree[m->block_tree_at[b]]];
    const int end = m->tree[m->block_tree[m->block_tree_at[b + 1] - 1] + 1];
    most.hops = max_int(most.hops, end - first);
    for (int i = first; i < end; i++) {
      const int column = m->hop[i].col - m->hop[first].col;
      if (column < 0) return all;
      most.columns = max_int(most.columns, column + m->hop[i].nv);
    }
  }

  return most;
}

// True when the window holds all hops.
bool td_sparse_whole(const td_model* m) { return window(m).hops == m->nhop; }
int td_sparse_window_hops(const td_model* m) { return window(m).hops; }
int td_sparse_window_columns(const td_model* m) { return window(m).columns; }

// ---- team -------------------------------------------------------------------------------------

// Each member has a copy of the work with sums and scratch of its own.
struct sparse_team {
  td_team* team;
  td_work* member;    // the copies
  hop_sum* hop_sums;  // windows and scratch of all members
  col_sum* col_sums;
  char* scratch;
  extent window;
  size_t room;  // scratch of each member [bytes]
};

// Items 0 .. n - 1 that the team shares.
typedef struct team_job {
  td_work* w;
  sparse_team* team;
  sparse_item item;
  void* ctx;
} team_job;

// One thread for models with few blocks, else one for each processor.
int td_sparse_threads(const td_model* m) {
  return m->nblock_at - 1 < MANY_BLOCKS ? 1 : td_team_processors();
}

// End the threads and free their memory; NULL is fine.
void td_sparse_team_free(sparse_team* t) {
  if (!t) return;
  td_team_free(t->team);
  free(t->member);
  free(t->hop_sums);
  free(t->col_sums);
  free(t->scratch);
  free(t);
}

// Allocate n elements aligned to 64 bytes.
static void* aligned(size_t n, size_t size) {
  return aligned_alloc(64, (n * size + 63) / 64 * 64 + 64);
}

// Start a team.  NULL where the caller works alone: one thread, out of memory, or numbers that
// follow sensors, which are changed one column at a time in memory that all threads share.
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

// Replace the team of a work.
void td_sparse_set_threads(const td_model* m, td_work* w, int threads) {
  td_sparse_team_free(w->team);
  w->team = td_sparse_team_new(m, threads);
}

// Run the items first .. end - 1 on one member.
static void run_items(void* ctx, int member, int first, int end) {
  const team_job* job = ctx;
  td_work* w = job->team ? &job->team->member[member] : job->w;
  for (int i = first; i < end; i++) job->item(job->ctx, w, i);
}

// Run `item` for 0 .. n - 1, in chunks on all threads.
void td_sparse_each(td_work* w, int n, sparse_item item, void* ctx) {
  sparse_team* t = w->team;

  // copy the work to all members, with windows and scratch of their own
  for (int i = 0; t && i < td_team_size(t->team); i++) {
    td_work* me = &t->member[i];
    *me = *w;
    me->scratch = (arena){.base = t->scratch + (size_t)i * t->room, .size = t->room};
    if (w->whole) continue;
    me->hop_sums = t->hop_sums + i * t->window.hops;
    me->col_sums = t->col_sums + i * t->window.columns;
  }

  team_job job = {w, t, item, ctx};
  td_team_run(t ? t->team : NULL, n, CHUNK, run_items, &job);
}
