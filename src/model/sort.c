// Depth-first order of the hops: every subtree becomes a contiguous range, groups stay together.
#include <string.h>

#include "build.h"

typedef struct family {
  int child, sibling;  // first child, next sibling; -1: none
} family;

static void put_first(const td_model* m, family* f, int i, int* root) {
  int* list = m->hop[i].parent < 0 ? root : &f[m->hop[i].parent].child;
  f[i].sibling = *list;
  *list = i;
}

// order[k]: the old number of the k-th hop.  A hop that continues its parent's columns comes after
// its siblings (dyn/path.h).
static void depth_first(const td_model* m, family* f, int* order) {
  const int n = m->nhop;
  int root = -1, count = 0;
  for (int i = 0; i < n; i++) f[i].child = -1;
  for (int i = n - 1; i >= 0; i--)
    if (m->hop[i].continues) put_first(m, f, i, &root);
  for (int i = n - 1; i >= 0; i--)
    if (!m->hop[i].continues) put_first(m, f, i, &root);
  for (int at = root; at >= 0;) {
    order[count++] = at;
    int next = f[at].child;
    for (int up = at; next < 0 && up >= 0; up = m->hop[up].parent) next = f[up].sibling;
    at = next;
  }
}

static void renumber(td_model* m, const int* order, int* to, model_hop* hop, model_col* col) {
  int c = 0;
  for (int k = 0; k < m->nhop; k++) to[order[k]] = k;
  for (int k = 0; k < m->nhop; k++) {
    hop[k] = m->hop[order[k]];
    if (hop[k].parent >= 0) hop[k].parent = to[hop[k].parent];
    hop[k].group = to[hop[k].group];
    for (int i = 0; i < hop[k].nv; i++) {
      col[c + i] = m->col[hop[k].col + i];
      col[c + i].hop = k;
    }
    hop[k].col = c;
    c += hop[k].nv;
  }
  if (m->nhop > 0) memcpy(m->hop, hop, (size_t)m->nhop * sizeof *hop);
  if (m->ncol > 0) memcpy(m->col, col, (size_t)m->ncol * sizeof *col);
  for (int i = 0; i < m->nstation; i++)
    if (m->station[i].hop >= 0) m->station[i].hop = to[m->station[i].hop];
}

// The slot of column k of a hop that continues its parent's columns: that of the same DOF above.
static int slot_above(const td_model* m, int hop, int v) {
  for (int up = hop; m->hop[up].continues;) {
    up = m->hop[up].parent;
    if (up < 0 || m->hop[up].kind != HOP_STRAIN) break;
    for (int k = m->hop[up].col; k < m->hop[up].col + m->hop[up].nv; k++)
      if (m->col[k].v == v) return m->col[k].slot;
  }
  return -1;
}

static void number_slots(td_model* m, int* v) {
  for (int i = 0; i < m->nhop; i++) {
    model_hop* hop = &m->hop[i];
    hop->above = hop->end = hop->parent < 0 ? 0 : m->hop[hop->parent].end;
    hop->straight = true;
    for (int l = 1; l < hop->above && hop->straight; l++) hop->straight = v[l] == v[l - 1] + 1;
    for (int k = hop->col; k < hop->col + hop->nv; k++) {
      const int old = slot_above(m, i, m->col[k].v);
      m->col[k].slot = old >= 0 ? old : hop->end++;
      v[m->col[k].slot] = m->col[k].v;
    }
  }
}

td_status td_sort_hops(td_model* m, int** renumbered) {
  const size_t n = (size_t)m->nhop + 1;
  family* f = malloc(n * sizeof *f);
  int *order = malloc(n * sizeof(int)), *to = malloc(n * sizeof(int));
  int* v = malloc(((size_t)m->ncol + 1) * sizeof(int));
  model_hop* hop = malloc(n * sizeof *hop);
  model_col* col = malloc(((size_t)m->ncol + 1) * sizeof *col);
  const bool ok = f && order && to && hop && col && v;
  if (ok) {
    depth_first(m, f, order);
    renumber(m, order, to, hop, col);
    number_slots(m, v);
  }
  free(f);
  free(order);
  free(v);
  free(hop);
  free(col);
  *renumbered = to;
  if (!ok) {
    free(to);
    *renumbered = NULL;
  }
  return ok ? TD_OK : TD_E_NOMEM;
}
