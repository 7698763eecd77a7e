// The multifrontal method.  With the blocks in the order of elimination, those whose columns have
// (nearly) the same rows below the diagonal make a front
//
//   [ F11 F12 ]    P F11 = L U,   F12 := L⁻¹ P F12,   F21 := F21 U⁻¹,   F22 := F22 - F21 F12
//   [ F21 F22 ]
//
// F11 holds the columns to be eliminated, F22 is passed on to the parent front: the one that holds
// the first of its rows.  In postorder the F22 of the children are on top of a stack.
// (Duff and Reid 1983; Liu 1992)
#include "math/fronts.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>
#include <suitesparse/amd.h>

typedef struct front {
  int first, ncol;  // its blocks in the order of elimination
  int row, nrow;    // blocks below, in `rows`
  int k, r;         // their numbers of rows
  int children;
  size_t at;  // its factors: F11 (k x k), F21 (r x k), F12 (k x r), column-major
} front;

struct td_fronts {
  td_pattern b;
  int *order, *place;  // block at a place of the elimination, and back
  int* start;          // (nblock + 1) first row of each place
  int* local;          // per place: its first row in the front at work
  int* rows;           // places below, front after front
  int nrows, cap_rows;
  front* front;
  int nfront, cap_front;
  int* open;  // fronts whose F22 is on the stack
  double *factor, *F, *stack, *x, *y;
  lapack_int* pivot;
  size_t bytes;
};

enum { TINY_FRONT = 8 };    // columns up to which calling BLAS costs more than computing
enum { SMALL_FRONT = 32 };  // rows up to which fronts are joined whatever zeros that stores
static const double few_zeros = 0.2;

// ---- order ------------------------------------------------------------------------------------

// Elimination tree (Liu); `up` shortens the ways to the roots.
static void eliminate(const td_fronts* s, int* parent, int* up) {
  for (int j = 0; j < s->b.nblock; j++) {
    parent[j] = up[j] = -1;
    for (int k = s->b.ptr[s->order[j]]; k < s->b.ptr[s->order[j] + 1]; k++)
      for (int i = s->place[s->b.row[k]]; i >= 0 && i < j;) {
        const int next = up[i];
        up[i] = j;
        if (next < 0) parent[i] = j;
        i = next;
      }
  }
}

// Places in the order in which every subtree is contiguous; head, next, stack are scratch.
static void postorder(const int* parent, int n, int* head, int* next, int* stack, int* post) {
  int count = 0;
  for (int j = 0; j < n; j++) head[j] = -1;
  for (int j = n - 1; j >= 0; j--)
    if (parent[j] >= 0) {
      next[j] = head[parent[j]];
      head[parent[j]] = j;
    }
  for (int root = 0; root < n; root++) {
    if (parent[root] >= 0) continue;
    int top = 0;
    stack[0] = root;
    while (top >= 0) {
      const int p = stack[top], child = head[p];
      if (child < 0) {
        post[count++] = p;
        top--;
      } else {
        head[p] = next[child];
        stack[++top] = child;
      }
    }
  }
}

static void number_places(td_fronts* s) {
  for (int j = 0; j < s->b.nblock; j++) {
    s->place[s->order[j]] = j;
    s->start[j + 1] = s->start[j] + block_size(&s->b, s->order[j]);
  }
}

// Minimum degree, then postorder.  `scratch` (5 n); the parents of the new places are left in its
// first n.
static bool find_order(td_fronts* s, int* scratch) {
  const int n = s->b.nblock;
  int *parent = scratch, *a = parent + n, *b = a + n, *c = b + n, *post = c + n;
  int *ptr = (int*)(uintptr_t)s->b.ptr, *row = (int*)(uintptr_t)s->b.row;  // not written
  if (amd_order(n, ptr, row, s->order, NULL, NULL) < 0) return false;
  number_places(s);
  eliminate(s, parent, a);
  postorder(parent, n, a, b, c, post);
  for (int j = 0; j < n; j++) a[post[j]] = j;  // new place of an old one
  for (int j = 0; j < n; j++) b[j] = s->order[post[j]];
  for (int j = 0; j < n; j++) c[j] = parent[post[j]] < 0 ? -1 : a[parent[post[j]]];
  memcpy(s->order, b, (size_t)n * sizeof(int));
  memcpy(parent, c, (size_t)n * sizeof(int));
  number_places(s);
  return true;
}

// ---- fronts -----------------------------------------------------------------------------------

// Places below the diagonal of one column.
typedef struct column {
  int* list;
  int n, size;  // places, rows of them
} column;

typedef struct builder {
  td_fronts* s;
  const int* parent;
  int *head, *next;  // children
  int* mark;
  column* below;
  double zeros;  // stored in the front at work
} builder;

static bool take_in(builder* b, column* c, int* room, int place, int j) {
  if (place <= j || b->mark[place] == j) return true;
  b->mark[place] = j;
  int* grown = td_grow(c->list, room, c->n + 1, sizeof(int));
  if (!grown) return false;
  c->list = grown;
  c->list[c->n++] = place;
  c->size += b->s->start[place + 1] - b->s->start[place];
  return true;
}

// Column j: the matrix's own blocks and what the children leave.
static bool fill_column(builder* b, int j) {
  const td_fronts* s = b->s;
  column* c = &b->below[j];
  int room = 0;
  bool ok = true;
  for (int k = s->b.ptr[s->order[j]]; ok && k < s->b.ptr[s->order[j] + 1]; k++)
    ok = take_in(b, c, &room, s->place[s->b.row[k]], j);
  for (int child = b->head[j]; ok && child >= 0; child = b->next[child])
    for (int i = 0; ok && i < b->below[child].n; i++)
      ok = take_in(b, c, &room, b->below[child].list[i], j);
  return ok;
}

// Whether column j goes on with the front that ends with j - 1.
static bool joins(builder* b, int j) {
  const td_fronts* s = b->s;
  if (j == 0 || b->parent[j - 1] != j) return false;
  const front* f = &s->front[s->nfront - 1];
  const double width = s->start[j] - s->start[f->first], size = s->start[j + 1] - s->start[j];
  const double more = size + b->below[j].size - b->below[j - 1].size;
  const double zeros = b->zeros + width * more, rows = width + size + b->below[j].size;
  if (width + size > SMALL_FRONT && zeros > few_zeros * (width + size) * rows) return false;
  b->zeros = zeros;
  return true;
}

static bool open_front(builder* b, int j) {
  td_fronts* s = b->s;
  front* grown = td_grow(s->front, &s->cap_front, s->nfront + 1, sizeof(front));
  if (!grown) return false;
  s->front = grown;
  s->front[s->nfront++] = (front){.first = j};
  b->zeros = 0;
  return true;
}

static int ascending(const void* a, const void* b) {
  const int x = *(const int*)a, y = *(const int*)b;
  return (x > y) - (x < y);
}

// The front that ends with place j.
static bool close_front(builder* b, int j) {
  td_fronts* s = b->s;
  front* f = &s->front[s->nfront - 1];
  const column* c = &b->below[j];
  int* grown = td_grow(s->rows, &s->cap_rows, s->nrows + c->n + 1, sizeof(int));
  if (!grown) return false;
  s->rows = grown;
  f->ncol = j + 1 - f->first;
  f->k = s->start[j + 1] - s->start[f->first];
  f->row = s->nrows;
  f->nrow = c->n;
  f->r = c->size;
  if (c->n > 0) memcpy(s->rows + s->nrows, c->list, (size_t)c->n * sizeof(int));
  qsort(s->rows + s->nrows, (size_t)c->n, sizeof(int), ascending);
  s->nrows += c->n;
  return true;
}

static bool build_fronts(builder* b) {
  const int n = b->s->b.nblock;
  bool ok = true;
  for (int j = 0; j < n; j++) b->head[j] = b->mark[j] = -1;
  for (int j = 0; j < n && ok; j++) {
    ok = fill_column(b, j);
    if (ok && !joins(b, j)) {
      if (j > 0) ok = close_front(b, j - 1);
      ok = ok && open_front(b, j);
    }
    for (int c = b->head[j]; c >= 0; c = b->next[c]) {  // their fronts are closed or go on
      free(b->below[c].list);
      b->below[c].list = NULL;
    }
    if (b->parent[j] >= 0) {
      b->next[j] = b->head[b->parent[j]];
      b->head[b->parent[j]] = j;
    }
  }
  return ok && (n == 0 || close_front(b, n - 1));
}

static bool find_fronts(td_fronts* s, int* scratch) {
  const int n = s->b.nblock;
  builder b = {.s = s,
               .parent = scratch,
               .head = scratch + n,
               .next = scratch + 2 * n,
               .mark = scratch + 3 * n,
               .below = calloc((size_t)n + 1, sizeof(column))};
  const bool ok = b.below && build_fronts(&b);
  for (int j = 0; b.below && j < n; j++) free(b.below[j].list);
  free(b.below);
  return ok;
}

// Who is whose child, where factors go, and how much room all of it needs.
static bool lay_out(td_fronts* s) {
  const int n = blocks_order(&s->b);
  size_t nfactor = 0, widest = 0, stacked = 0, most = 0;
  int* of = s->local;  // front of each place
  for (int i = 0; i < s->nfront; i++)
    for (int p = 0; p < s->front[i].ncol; p++) of[s->front[i].first + p] = i;
  for (int i = 0; i < s->nfront; i++)
    if (s->front[i].nrow > 0) s->front[of[s->rows[s->front[i].row]]].children++;
  s->open = malloc(((size_t)s->nfront + 1) * sizeof(int));
  if (!s->open) return false;
  for (int i = 0, top = 0; i < s->nfront; i++) {
    front* f = &s->front[i];
    const size_t k = (size_t)f->k, r = (size_t)f->r;
    f->at = nfactor;
    nfactor += k * (k + 2 * r);
    widest = widest > k + r ? widest : k + r;
    for (int c = 0; c < f->children; c++) {
      const size_t left = (size_t)s->front[s->open[--top]].r;
      stacked -= left * left;
    }
    if (f->nrow > 0) s->open[top++] = i;
    stacked += r * r;
    most = most > stacked ? most : stacked;
  }
  s->bytes = (nfactor + widest * widest + most + 4 * (size_t)n) * sizeof(double);
  s->factor = malloc((nfactor + 1) * sizeof(double));
  s->F = malloc((widest * widest + 1) * sizeof(double));
  s->stack = malloc((most + 1) * sizeof(double));
  s->x = malloc((4 * (size_t)n + 1) * sizeof(double));
  s->pivot = malloc(((size_t)n + 1) * sizeof(lapack_int));
  s->y = s->x + n;
  return s->factor && s->F && s->stack && s->x && s->pivot;
}

void td_fronts_free(td_fronts* s) {
  if (!s) return;
  void* const blocks[] = {s->order, s->rows,  s->front, s->open, s->factor,
                          s->F,     s->stack, s->x,     s->pivot};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
  free(s);
}

td_fronts* td_fronts_new(const td_pattern* blocks) {
  td_fronts* s = calloc(1, sizeof *s);
  const size_t n = (size_t)blocks->nblock;
  int* scratch = malloc((5 * n + 1) * sizeof(int));
  bool ok = s && scratch;
  if (ok) {
    s->b = *blocks;
    s->order = calloc(4 * n + 2, sizeof(int));
    ok = s->order != NULL;
  }
  if (ok) {
    s->place = s->order + n;
    s->local = s->place + n;
    s->start = s->local + n;
    ok = find_order(s, scratch) && find_fronts(s, scratch) && lay_out(s);
  }
  free(scratch);
  if (ok) return s;
  td_fronts_free(s);
  return NULL;
}

size_t td_fronts_bytes(const td_fronts* s) { return s->bytes; }

// ---- numbers ----------------------------------------------------------------------------------

// F[to, from] += block (row, col) of the matrix
static void add_block(const td_fronts* s, const double* values, int row, int col, int to, int from,
                      int ld) {
  const td_pattern* b = &s->b;
  const int height = block_height(b, col), rows = block_size(b, row), cols = block_size(b, col);
  const double* A = values + block_start(b, row, col);
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++)
      s->F[(size_t)(from + j) * (size_t)ld + (size_t)(to + i)] +=
          A[(size_t)j * (size_t)height + (size_t)i];
}

static void assemble(td_fronts* s, const front* f, const double* values) {
  const int ld = f->k + f->r, last = f->first + f->ncol - 1;
  memset(s->F, 0, (size_t)ld * (size_t)ld * sizeof(double));
  for (int p = f->first; p <= last; p++) s->local[p] = s->start[p] - s->start[f->first];
  for (int i = 0, at = f->k; i < f->nrow; i++) {
    const int p = s->rows[f->row + i];
    s->local[p] = at;
    at += s->start[p + 1] - s->start[p];
  }
  for (int p = f->first; p <= last; p++) {
    const int col = s->order[p];
    for (int k = s->b.ptr[col]; k < s->b.ptr[col + 1]; k++) {
      const int row = s->b.row[k], q = s->place[row];
      if (q >= f->first) add_block(s, values, row, col, s->local[q], s->local[p], ld);
      if (q > last) add_block(s, values, col, row, s->local[p], s->local[q], ld);
    }
  }
}

// Add the Schur complement of a child, of order c->r, to the front.
static void extend_add(td_fronts* s, const front* f, const front* c, const double* from) {
  const size_t ld = (size_t)(f->k + f->r);
  for (int b = 0; b < c->nrow; b++) {
    const int q = s->rows[c->row + b], nq = s->start[q + 1] - s->start[q];
    for (int j = 0; j < nq; j++) {
      double* to = s->F + (size_t)(s->local[q] + j) * ld;
      for (int a = 0; a < c->nrow; a++) {
        const int p = s->rows[c->row + a], np = s->start[p + 1] - s->start[p];
        double* at = to + s->local[p];
        for (int i = 0; i < np; i++) at[i] += from[i];
        from += np;
      }
    }
  }
}

// The same as dgetrf for a few columns.
static bool factor_tiny(double* F, int k, int ld, lapack_int* pivot) {
  for (int j = 0; j < k; j++) {
    int p = j;
    for (int i = j + 1; i < k; i++)
      if (fabs(F[j * ld + i]) > fabs(F[j * ld + p])) p = i;
    pivot[j] = p + 1;
    if (F[j * ld + p] == 0) return false;
    for (int c = 0; c < k && p != j; c++) {
      const double swap = F[c * ld + j];
      F[c * ld + j] = F[c * ld + p];
      F[c * ld + p] = swap;
    }
    for (int i = j + 1; i < k; i++) F[j * ld + i] /= F[j * ld + j];
    for (int c = j + 1; c < k; c++)
      for (int i = j + 1; i < k; i++) F[c * ld + i] -= F[c * ld + j] * F[j * ld + i];
  }
  return true;
}

static void lower_tiny(const double* L, int k, double* x) {
  for (int j = 0; j < k; j++)
    for (int i = j + 1; i < k; i++) x[i] -= L[j * k + i] * x[j];
}
static void upper_tiny(const double* U, int k, double* x) {
  for (int j = k - 1; j >= 0; j--) {
    x[j] /= U[j * k + j];
    for (int i = 0; i < j; i++) x[i] -= U[j * k + i] * x[j];
  }
}

static bool factor_front(td_fronts* s, const front* f) {
  const int k = f->k, r = f->r, ld = k + r;
  double *F12 = s->F + (size_t)k * (size_t)ld, *F21 = s->F + k, *F22 = F12 + k;
  lapack_int* pivot = s->pivot + s->start[f->first];
  if (k <= TINY_FRONT ? !factor_tiny(s->F, k, ld, pivot)
                      : LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, k, k, s->F, ld, pivot) != 0)
    return false;
  if (r == 0) return true;
  LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, r, F12, ld, 1, k, pivot, 1);
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, k, r, 1, s->F, ld, F12,
              ld);
  cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, r, k, 1, s->F, ld,
              F21, ld);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, r, r, k, -1, F21, ld, F12, ld, 1, F22, ld);
  return true;
}

static void copy_part(const double* from, size_t ld, int rows, int cols, double* to) {
  for (int j = 0; j < cols; j++)
    memcpy(to + (size_t)j * (size_t)rows, from + (size_t)j * ld, (size_t)rows * sizeof(double));
}

static void keep(td_fronts* s, const front* f, double* left) {
  const size_t k = (size_t)f->k, r = (size_t)f->r, ld = k + r;
  double* to = s->factor + f->at;
  copy_part(s->F, ld, f->k, f->k, to);
  copy_part(s->F + k, ld, f->r, f->k, to + k * k);
  copy_part(s->F + k * ld, ld, f->k, f->r, to + k * (k + r));
  copy_part(s->F + k * ld + k, ld, f->r, f->r, left);
}

// Do the factors solve A x = A 1?
static bool serves(td_fronts* s, const double* values) {
  const int n = blocks_order(&s->b);
  double *x = s->y, *sum = x + n, *r = sum + n, size = 0, left = 0;
  memset(sum, 0, (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++) r[i] = 1;
  td_pattern_mul(&s->b, values, r, sum);
  memcpy(r, sum, (size_t)n * sizeof(double));
  td_fronts_solve(s, r);
  memset(x, 0, (size_t)n * sizeof(double));
  td_pattern_mul(&s->b, values, r, x);
  for (int i = 0; i < n; i++) {
    size = fmax(size, fabs(sum[i]));
    left = fmax(left, fabs(x[i] - sum[i]));
    if (!isfinite(x[i])) left = INFINITY;
  }
  return left <= 1e-8 * size;
}

td_status td_fronts_factor(td_fronts* s, const double* values) {
  double* top = s->stack;  // behind the last F22
  int nopen = 0;
  for (int i = 0; i < s->nfront; i++) {
    const front* f = &s->front[i];
    assemble(s, f, values);
    for (int c = 0; c < f->children; c++) {
      const front* child = &s->front[s->open[--nopen]];
      top -= (size_t)child->r * (size_t)child->r;
      extend_add(s, f, child, top);
    }
    if (!factor_front(s, f)) return TD_E_SINGULAR;
    keep(s, f, top);
    top += (size_t)f->r * (size_t)f->r;
    if (f->nrow > 0) s->open[nopen++] = i;
  }
  return serves(s, values) ? TD_OK : TD_E_SINGULAR;
}

// ---- solution ---------------------------------------------------------------------------------

// Rows below a front, between the whole vector and one of their own.
static void gather(const td_fronts* s, const front* f, double* y) {
  for (int i = 0; i < f->nrow; i++) {
    const int p = s->rows[f->row + i], n = s->start[p + 1] - s->start[p];
    memcpy(y, s->x + s->start[p], (size_t)n * sizeof(double));
    y += n;
  }
}

static void subtract(const td_fronts* s, const front* f, const double* y) {
  for (int i = 0; i < f->nrow; i++) {
    const int p = s->rows[f->row + i];
    for (int j = s->start[p]; j < s->start[p + 1]; j++) s->x[j] -= *y++;
  }
}

// x1 := L⁻¹ P x1,  x2 := x2 - F21 x1
static void forward(td_fronts* s, const front* f) {
  const size_t k = (size_t)f->k;
  const double *F11 = s->factor + f->at, *F21 = F11 + k * k;
  const lapack_int* pivot = s->pivot + s->start[f->first];
  double* x = s->x + s->start[f->first];
  for (int i = 0; i < f->k; i++) {
    const double swap = x[i];
    x[i] = x[pivot[i] - 1];
    x[pivot[i] - 1] = swap;
  }
  if (f->k <= TINY_FRONT) {
    lower_tiny(F11, f->k, x);
  } else {
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasUnit, f->k, F11, f->k, x, 1);
  }
  if (f->r == 0) return;
  cblas_dgemv(CblasColMajor, CblasNoTrans, f->r, f->k, 1, F21, f->r, x, 1, 0, s->F, 1);
  subtract(s, f, s->F);
}

// x1 := U⁻¹ (x1 - F12 x2)
static void backward(td_fronts* s, const front* f) {
  const size_t k = (size_t)f->k, r = (size_t)f->r;
  const double *F11 = s->factor + f->at, *F12 = F11 + k * (k + r);
  double* x = s->x + s->start[f->first];
  if (f->r > 0) {
    gather(s, f, s->F);
    cblas_dgemv(CblasColMajor, CblasNoTrans, f->k, f->r, -1, F12, f->k, s->F, 1, 1, x, 1);
  }
  if (f->k <= TINY_FRONT) {
    upper_tiny(F11, f->k, x);
  } else {
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, f->k, F11, f->k, x, 1);
  }
}

void td_fronts_solve(td_fronts* s, double* x) {
  const td_pattern* b = &s->b;
  for (int p = 0; p < b->nblock; p++)
    memcpy(s->x + s->start[p], x + b->at[s->order[p]],
           (size_t)(s->start[p + 1] - s->start[p]) * sizeof(double));
  for (int i = 0; i < s->nfront; i++) forward(s, &s->front[i]);
  for (int i = s->nfront - 1; i >= 0; i--) backward(s, &s->front[i]);
  for (int p = 0; p < b->nblock; p++)
    memcpy(x + b->at[s->order[p]], s->x + s->start[p],
           (size_t)(s->start[p + 1] - s->start[p]) * sizeof(double));
}
