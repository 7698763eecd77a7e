// Wireframes: nodes that nearly coincide become one, found through a hash of the cubes of side
// `tol` that space is cut into.  Nodes that stay apart are farther than tol from each other, so a
// cube holds few of them and each new node is compared with those of 27 cubes.
#include "model/wire.h"

#include <math.h>
#include <string.h>

void td_wire_free(td_wire* w) {
  free(w->x);
  free(w->edge);
  *w = (td_wire){0};
}

int td_wire_node(td_wire* w, const double x[3]) {
  double* grown = td_grow(w->x, &w->node_cap, w->nnode + 1, 3 * sizeof(double));
  if (!grown) return -1;
  w->x = grown;
  memcpy(w->x + 3 * (size_t)w->nnode, x, 3 * sizeof(double));
  return w->nnode++;
}

bool td_wire_edge(td_wire* w, int a, int b) {
  int* grown = td_grow(w->edge, &w->edge_cap, w->nedge + 1, 2 * sizeof(int));
  if (!grown) return false;
  w->edge = grown;
  w->edge[2 * (size_t)w->nedge] = a;
  w->edge[2 * (size_t)w->nedge + 1] = b;
  w->nedge++;
  return true;
}

// Largest side of the box around the nodes.
double td_wire_extent(const td_wire* w) {
  double extent = 0;
  for (int c = 0; c < 3 && w->nnode > 0; c++) {
    const double* x = w->x + c;
    double low = *x, high = *x;
    for (int i = 1; i < w->nnode; i++) {
      x += 3;
      low = fmin(low, *x);
      high = fmax(high, *x);
    }
    extent = fmax(extent, high - low);
  }
  return extent;
}

void td_wire_degrees(const td_wire* w, int* count) {
  memset(count, 0, (size_t)w->nnode * sizeof(int));
  for (int i = 0; i < 2 * w->nedge; i++) count[w->edge[i]]++;
}

// ---- hashing ----------------------------------------------------------------------------------

// The mixing steps of splitmix64.
static uint64_t mix(uint64_t h) {
  h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  h = (h ^ (h >> 27)) * UINT64_C(0x94d049bb133111eb);
  return h ^ (h >> 31);
}

static uint64_t mix_number(uint64_t h, double x) {
  uint64_t bits;
  x += 0.0;  // -0 is 0
  memcpy(&bits, &x, sizeof bits);
  return mix(h ^ bits);
}

// Lists of things by hash: head[hash & mask] is the first, next[i] the one after i, -1: none.
typedef struct buckets {
  int *head, *next;
  uint64_t mask, seed;
} buckets;

static bool buckets_new(buckets* b, int n) {
  uint64_t size = 16;
  while (size < 2 * (uint64_t)n) size *= 2;
  *b = (buckets){malloc(size * sizeof(int)), malloc(((size_t)n + 1) * sizeof(int)), size - 1, 0};
  if (!b->head || !b->next) return false;
  memset(b->head, -1, size * sizeof(int));
  return true;
}

static void buckets_free(buckets* b) {
  free(b->head);
  free(b->next);
}

static void buckets_add(buckets* b, uint64_t hash, int i) {
  int* head = &b->head[hash & b->mask];
  b->next[i] = *head;
  *head = i;
}

// ---- joining ----------------------------------------------------------------------------------

static uint64_t cube_hash(const buckets* b, const double cube[3]) {
  return mix_number(mix_number(mix_number(b->seed, cube[0]), cube[1]), cube[2]);
}

static double distance2(const double* a, const double* b) {
  const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

// The first of the kept nodes around `cube` within tol of x, -1: none.
static int find_near(const td_wire* w, const buckets* b, const double* x, const double cube[3],
                     double tol) {
  int best = -1;
  for (int k = 0; k < 27; k++) {
    const double at[3] = {cube[0] + k % 3 - 1, cube[1] + k / 3 % 3 - 1, cube[2] + k / 9 - 1};
    for (int i = b->head[cube_hash(b, at) & b->mask]; i >= 0; i = b->next[i])
      if (distance2(w->x + 3 * (size_t)i, x) <= tol * tol && (best < 0 || i < best)) best = i;
  }
  return best;
}

// to[i]: the kept node that node i becomes part of; kept nodes are moved to the front.
static bool join_nodes(td_wire* w, double tol, int* to) {
  const double side = fmax(tol, 1e-12 * td_wire_extent(w) + 1e-300);
  buckets b;
  const bool ok = buckets_new(&b, w->nnode);
  int kept = 0;
  for (int i = 0; ok && i < 3 * min_int(w->nnode, 1000); i++) b.seed = mix_number(b.seed, w->x[i]);
  for (int i = 0; ok && i < w->nnode; i++) {
    const double x[3] = {w->x[3 * (size_t)i], w->x[3 * (size_t)i + 1], w->x[3 * (size_t)i + 2]};
    const double cube[3] = {floor(x[0] / side), floor(x[1] / side), floor(x[2] / side)};
    to[i] = find_near(w, &b, x, cube, tol);
    if (to[i] >= 0) continue;
    memcpy(w->x + 3 * (size_t)kept, x, sizeof x);
    buckets_add(&b, cube_hash(&b, cube), kept);
    to[i] = kept++;
  }
  buckets_free(&b);
  if (ok) w->nnode = kept;
  return ok;
}

// Renumber the nodes of all edges by `to`, and keep of equal edges, whatever their direction, the
// first one; edges from a node to itself are dropped.  False: no memory.
static bool join_edges(td_wire* w, const int* to) {
  buckets b;
  const bool ok = buckets_new(&b, w->nedge);
  int kept = 0;
  for (int e = 0; ok && e < w->nedge; e++) {
    const int ends[2] = {to[w->edge[2 * e]], to[w->edge[2 * e + 1]]};
    const int low = min_int(ends[0], ends[1]), high = max_int(ends[0], ends[1]);
    if (low == high) continue;
    const uint64_t hash = mix(mix((uint64_t)low) ^ (uint64_t)high);
    int i = b.head[hash & b.mask];
    while (i >= 0 && (min_int(w->edge[2 * i], w->edge[2 * i + 1]) != low ||
                      max_int(w->edge[2 * i], w->edge[2 * i + 1]) != high))
      i = b.next[i];
    if (i >= 0) continue;
    w->edge[2 * kept] = ends[0];
    w->edge[2 * kept + 1] = ends[1];
    buckets_add(&b, hash, kept++);
  }
  buckets_free(&b);
  if (ok) w->nedge = kept;
  return ok;
}

// number[i]: the place of node i in the published order, -1: no edge meets it.  Returns how many.
static int order_nodes(const td_wire* w, int* number, int* met) {
  int count = 0;
  for (int i = 0; i < w->nnode; i++) number[i] = -1, met[i] = 0;
  for (int i = 0; i < 2 * w->nedge; i++)
    if (++met[w->edge[i]] == 2) number[w->edge[i]] = count++;
  for (int i = 0; i < 2 * w->nedge; i++)
    if (met[w->edge[i]] == 1) number[w->edge[i]] = count++;
  return count;
}

// Number the nodes anew in the order in which edges meet them, without those that none meets.
static bool renumber(td_wire* w, int* number, int* met) {
  const int n = order_nodes(w, number, met);
  double* x = malloc(((size_t)n + 1) * 3 * sizeof(double));
  if (!x) return false;
  for (int i = 0; i < w->nnode; i++)
    if (number[i] >= 0) memcpy(x + 3 * (size_t)number[i], w->x + 3 * (size_t)i, 3 * sizeof(double));
  for (int i = 0; i < 2 * w->nedge; i++) w->edge[i] = number[w->edge[i]];
  free(w->x);
  w->x = x;
  w->nnode = w->node_cap = n;
  return true;
}

td_status td_wire_join(td_wire* w, double tol) {
  const size_t n = (size_t)w->nnode + 1;
  int* room = malloc(2 * n * sizeof(int));
  const bool ok =
      room && join_nodes(w, tol, room) && join_edges(w, room) && renumber(w, room, room + n);
  free(room);
  return ok ? TD_OK : TD_E_NOMEM;
}
