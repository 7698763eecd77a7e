// Multifrontal LU [duff1983] [liu1992].  Blocks are sorted in the order of elimination; consecutive
// blocks whose columns have (nearly) the same rows below the diagonal make a front
//
//   [ F11 F12 ]    P F11 = L U,   F12 := L⁻¹ P F12,   F21 := F21 U⁻¹,   F22 := F22 - F21 F12
//   [ F21 F22 ]
//
// F11 holds the columns to eliminate.  The Schur complement F22 is passed on to the parent front,
// the one that holds the first of its rows.  Fronts are visited in postorder, so that the F22 of
// the children are on top of a stack.  A "place" below is a position in the order of elimination.
#include "math/fronts.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>
#include <suitesparse/amd.h>

#include "base/order.h"

typedef struct front {
  int first, ncol;  // places eliminated here: first .. first + ncol - 1
  int row, nrow;    // places below the diagonal: rows[row] .. rows[row + nrow - 1]
  int k, r;         // scalar rows of F11 and of F22
  int children;     // number of fronts that pass their F22 to this one
  size_t at;        // start of its factors: F11 (k x k), F21 (r x k), F12 (k x r), column-major
} front;

struct td_fronts {
  td_pattern b;
  int *order, *place;   // block at a place, and place of a block (nblock)
  int* start;           // (nblock + 1) first scalar row of each place
  int* local;           // (nblock) first scalar row of a place in the front being assembled
  int* rows;            // places below the diagonal, front after front
  int nrows, cap_rows;  // used and allocated length of `rows`
  front* front;         // in postorder
  int nfront, cap_front;
  int* open;          // fronts whose F22 is on the stack
  double* factor;     // factors of all fronts
  double* F;          // the front being assembled; a vector while solving
  double* stack;      // Schur complements F22 that wait for their parents
  double *x, *y;      // vectors in the order of elimination; y: 3 n for the test of the factors
  lapack_int* pivot;  // row exchanges within the fronts
  size_t bytes;
};

enum { TINY_FRONT = 8 };    // columns up to which plain loops are faster than BLAS
enum { SMALL_FRONT = 32 };  // columns up to which fronts are merged however many zeros that stores
static const double few_zeros = 0.2;  // fraction of stored zeros up to which larger fronts merge

// ---- order of elimination ---------------------------------------------------------------------

// Elimination tree: parent of each place, -1 at roots [liu1990].  `up` (n) is scratch: it
// points from a place towards its root by shortcuts.
static void elimination_tree(const td_fronts* s, int* parent, int* up) {
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

// Postorder of the tree: children before parents, every subtree contiguous.  head, next and stack
// (n each) are scratch.
static void postorder(const int* parent, int n, int* head, int* next, int* stack, int* post) {
  // lists of children
  int count = 0;
  for (int j = 0; j < n; j++) head[j] = -1;
  for (int j = n - 1; j >= 0; j--)
    if (parent[j] >= 0) {
      next[j] = head[parent[j]];
      head[parent[j]] = j;
    }

  // depth-first walk from each root
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

// Invert `order` and compute where each place starts.
static void number_places(td_fronts* s) {
  for (int j = 0; j < s->b.nblock; j++) {
    s->place[s->order[j]] = j;
    s->start[j + 1] = s->start[j] + block_size(&s->b, s->order[j]);
  }
}

// Order the blocks: approximate minimum degree [amestoy2004], then postorder of its tree. `scratch`
// holds 5 n; the parents of the final places are left in its first n.
static bool find_order(td_fronts* s, int* scratch) {
  const int n = s->b.nblock;
  int *parent = scratch, *a = parent + n, *b = a + n, *c = b + n, *post = c + n;
  int *ptr = (int*)(uintptr_t)s->b.ptr, *row = (int*)(uintptr_t)s->b.row;  // AMD does not write
  if (amd_order(n, ptr, row, s->order, NULL, NULL) < 0) return false;
  number_places(s);
  elimination_tree(s, parent, a);
  postorder(parent, n, a, b, c, post);

  // renumber: a[] new place of an old one, b[] new order, c[] new parents
  for (int j = 0; j < n; j++) a[post[j]] = j;
  for (int j = 0; j < n; j++) b[j] = s->order[post[j]];
  for (int j = 0; j < n; j++) c[j] = parent[post[j]] < 0 ? -1 : a[parent[post[j]]];
  memcpy(s->order, b, (size_t)n * sizeof(int));
  memcpy(parent, c, (size_t)n * sizeof(int));
  number_places(s);
  return true;
}

// ---- fronts -----------------------------------------------------------------------------------

// Places below the diagonal in one block column of the factors
typedef struct column {
  int* list;
  int n, size;  // number of places and of their scalar rows
} column;

typedef struct builder {
  td_fronts* s;
  const int* parent;
  int *head, *next;  // lists of children of a place
  int* mark;         // last column whose list a place was added to
  column* below;     // structure of each column
  double zeros;      // zeros stored in the front being built
} builder;

// Add a place to the structure of column j, unless it is above the diagonal or there already.
static bool add_place(builder* b, int* room, int place, int j) {
  column* c = &b->below[j];
  if (place <= j || b->mark[place] == j) return true;
  b->mark[place] = j;
  int* grown = td_grow(c->list, room, c->n + 1, sizeof(int));
  if (!grown) return false;
  c->list = grown;
  c->list[c->n++] = place;
  c->size += b->s->start[place + 1] - b->s->start[place];
  return true;
}

// Structure of column j of the factors: blocks of the matrix and the structures of its children.
static bool fill_column(builder* b, int j) {
  const td_fronts* s = b->s;
  int room = 0;
  bool ok = true;
  for (int k = s->b.ptr[s->order[j]]; ok && k < s->b.ptr[s->order[j] + 1]; k++)
    ok = add_place(b, &room, s->place[s->b.row[k]], j);
  for (int child = b->head[j]; ok && child >= 0; child = b->next[child])
    for (int i = 0; ok && i < b->below[child].n; i++)
      ok = add_place(b, &room, b->below[child].list[i], j);
  return ok;
}

// Decide whether column j extends the front that ends with column j - 1: j must be its parent, and
// the merged front must be small or store few zeros.
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

// Complete the last front, which ends with place j: its columns, and the sorted list of rows below
// them.  False: no memory.
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
  qsort(s->rows + s->nrows, (size_t)c->n, sizeof(int), ascending_ints);
  s->nrows += c->n;
  return true;
}

// Partition the places into fronts.  The first n of `scratch` (4 n) hold the parents.
static bool find_fronts(td_fronts* s, int* scratch) {
  const int n = s->b.nblock;
  builder b = {.s = s,
               .parent = scratch,
               .head = scratch + n,
               .next = scratch + 2 * n,
               .mark = scratch + 3 * n,
               .below = calloc((size_t)n + 1, sizeof(column))};
  bool ok = b.below != NULL;
  for (int j = 0; j < n; j++) b.head[j] = b.mark[j] = -1;

  for (int j = 0; j < n && ok; j++) {
    ok = fill_column(&b, j);

    // start a new front unless the column extends the current one
    if (ok && !joins(&b, j)) {
      if (j > 0) ok = close_front(&b, j - 1);
      front* grown = ok ? td_grow(s->front, &s->cap_front, s->nfront + 1, sizeof(front)) : NULL;
      ok = grown != NULL;
      if (ok) {
        s->front = grown;
        s->front[s->nfront++] = (front){.first = j};
        b.zeros = 0;
      }
    }

    // structures of the children are not needed any more
    for (int c = b.head[j]; c >= 0; c = b.next[c]) {
      free(b.below[c].list);
      b.below[c].list = NULL;
    }
    if (b.parent[j] >= 0) {
      b.next[j] = b.head[b.parent[j]];
      b.head[b.parent[j]] = j;
    }
  }

  ok = ok && (n == 0 || close_front(&b, n - 1));

  for (int j = 0; b.below && j < n; j++) free(b.below[j].list);
  free(b.below);
  return ok;
}

// Count the children of each front, place its factors and allocate all memory that numbers need.
static bool lay_out(td_fronts* s) {
  const int n = blocks_order(&s->b);

  // the parent of a front is the one that holds the first place below it
  int* front_of = s->local;
  for (int i = 0; i < s->nfront; i++)
    for (int p = 0; p < s->front[i].ncol; p++) front_of[s->front[i].first + p] = i;
  for (int i = 0; i < s->nfront; i++)
    if (s->front[i].nrow > 0) s->front[front_of[s->rows[s->front[i].row]]].children++;

  // follow the factorisation: size of the factors, the widest front, the highest stack
  size_t nfactor = 0, widest = 0, stacked = 0, most = 0;
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

// Free the ordering, the fronts and the factors.
void td_fronts_free(td_fronts* s) {
  if (!s) return;
  void* const blocks[] = {s->order, s->rows,  s->front, s->open, s->factor,
                          s->F,     s->stack, s->x,     s->pivot};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
  free(s);
}

// Symbolic factorisation: order the blocks, find the fronts and allocate the factors.  The arrays
// of `blocks` are kept, not copied.  NULL: no memory.
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

// ---- factorisation ----------------------------------------------------------------------------

// F[to, from] += block (row, col) of the matrix; rows and columns of F are scalar.
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

// Assemble a front: the blocks of the matrix in its columns, and in its rows to their right.
static void assemble(td_fronts* s, const front* f, const double* values) {
  const int ld = f->k + f->r, last = f->first + f->ncol - 1;
  memset(s->F, 0, (size_t)ld * (size_t)ld * sizeof(double));

  // scalar row in the front of each of its places
  for (int p = f->first; p <= last; p++) s->local[p] = s->start[p] - s->start[f->first];
  for (int i = 0, at = f->k; i < f->nrow; i++) {
    const int p = s->rows[f->row + i];
    s->local[p] = at;
    at += s->start[p + 1] - s->start[p];
  }

  // F11 and F21 from the columns, F12 from the transposed positions (the pattern is symmetric)
  for (int p = f->first; p <= last; p++) {
    const int col = s->order[p];
    for (int k = s->b.ptr[col]; k < s->b.ptr[col + 1]; k++) {
      const int row = s->b.row[k], q = s->place[row];
      if (q >= f->first) add_block(s, values, row, col, s->local[q], s->local[p], ld);
      if (q > last) add_block(s, values, col, row, s->local[p], s->local[q], ld);
    }
  }
}

// Add the Schur complement `from` (c->r x c->r) of child c to the front ("extend-add").
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

// LU with row exchanges of the leading k x k block of F (by columns, ld apart), in place; pivots
// from 1 as dgetrf has them.  For small k a call of LAPACK costs more than the work.  False: a
// pivot is zero.
static bool factor_tiny(double* F, int k, int ld, lapack_int* pivot) {
  for (int j = 0; j < k; j++) {
    // largest element of the column to the diagonal
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

    // column of L, and the rest of the block
    for (int i = j + 1; i < k; i++) F[j * ld + i] /= F[j * ld + j];
    for (int c = j + 1; c < k; c++)
      for (int i = j + 1; i < k; i++) F[c * ld + i] -= F[c * ld + j] * F[j * ld + i];
  }
  return true;
}

// Partial factorisation of the front in F by the formulas of the file head.  False: F11 is
// singular.
static bool factor_front(td_fronts* s, const front* f) {
  const int k = f->k, r = f->r, ld = k + r;
  double *F12 = s->F + (size_t)k * (size_t)ld, *F21 = s->F + k, *F22 = F12 + k;
  lapack_int* pivot = s->pivot + s->start[f->first];

  // P F11 = L U
  if (k <= TINY_FRONT ? !factor_tiny(s->F, k, ld, pivot)
                      : LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, k, k, s->F, ld, pivot) != 0)
    return false;
  if (r == 0) return true;

  // F12 := L⁻¹ P F12,  F21 := F21 U⁻¹,  F22 := F22 - F21 F12
  LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, r, F12, ld, 1, k, pivot, 1);
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, k, r, 1, s->F, ld, F12,
              ld);
  cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, r, k, 1, s->F, ld,
              F21, ld);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, r, r, k, -1, F21, ld, F12, ld, 1, F22, ld);
  return true;
}

// Copy a block with `rows` rows and `cols` columns out of a matrix with leading dimension ld.
static void copy_block(const double* from, size_t ld, int rows, int cols, double* to) {
  for (int j = 0; j < cols; j++)
    memcpy(to + (size_t)j * (size_t)rows, from + (size_t)j * ld, (size_t)rows * sizeof(double));
}

// Test the factors: solve A x = A 1 and compare A x with A 1, to 8 digits of its largest element.
static bool are_accurate(td_fronts* s, const double* values) {
  const int n = blocks_order(&s->b);
  double *Ax = s->y, *A1 = Ax + n, *x = A1 + n, size = 0, error = 0;
  memset(A1, 0, (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++) x[i] = 1;
  td_pattern_mul(&s->b, values, x, A1);
  memcpy(x, A1, (size_t)n * sizeof(double));
  td_fronts_solve(s, x);
  memset(Ax, 0, (size_t)n * sizeof(double));
  td_pattern_mul(&s->b, values, x, Ax);

  for (int i = 0; i < n; i++) {
    size = fmax(size, fabs(A1[i]));
    error = fmax(error, fabs(Ax[i] - A1[i]));
    if (!isfinite(Ax[i])) error = INFINITY;
  }
  return error <= 1e-8 * size;
}

// Factor front by front in postorder, passing Schur complements up the tree.
td_status td_fronts_factor(td_fronts* s, const double* values) {
  double* top = s->stack;  // end of the last Schur complement on the stack
  int nopen = 0;
  for (int i = 0; i < s->nfront; i++) {
    const front* f = &s->front[i];

    // assemble the matrix and the Schur complements of the children
    assemble(s, f, values);
    for (int c = 0; c < f->children; c++) {
      const front* child = &s->front[s->open[--nopen]];
      top -= (size_t)child->r * (size_t)child->r;
      extend_add(s, f, child, top);
    }
    if (!factor_front(s, f)) return TD_E_SINGULAR;

    // store F11, F21 and F12; push F22
    const size_t k = (size_t)f->k, r = (size_t)f->r, ld = k + r;
    double* to = s->factor + f->at;
    copy_block(s->F, ld, f->k, f->k, to);
    copy_block(s->F + k, ld, f->r, f->k, to + k * k);
    copy_block(s->F + k * ld, ld, f->k, f->r, to + k * (k + r));
    copy_block(s->F + k * ld + k, ld, f->r, f->r, top);
    top += r * r;
    if (f->nrow > 0) s->open[nopen++] = i;
  }
  return are_accurate(s, values) ? TD_OK : TD_E_SINGULAR;
}

// ---- solution ---------------------------------------------------------------------------------

// x1 := L⁻¹ P x1,  x2 := x2 - F21 x1
static void forward(td_fronts* s, const front* f) {
  const int n = f->k;
  const size_t k = (size_t)n;
  const double *F11 = s->factor + f->at, *F21 = F11 + k * k;
  const lapack_int* pivot = s->pivot + s->start[f->first];
  double* x = s->x + s->start[f->first];

  for (int i = 0; i < n; i++) {
    const double swap = x[i];
    x[i] = x[pivot[i] - 1];
    x[pivot[i] - 1] = swap;
  }

  // x1 := L⁻¹ x1
  if (n <= TINY_FRONT) {
    for (int j = 0; j < n; j++)
      for (int i = j + 1; i < n; i++) x[i] -= F11[j * n + i] * x[j];
  } else {
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasUnit, n, F11, n, x, 1);
  }
  if (f->r == 0) return;

  // the product first, then its rows from where they stand in the whole vector
  const double* y = s->F;
  cblas_dgemv(CblasColMajor, CblasNoTrans, f->r, n, 1, F21, f->r, x, 1, 0, s->F, 1);

  for (int i = 0; i < f->nrow; i++) {
    const int p = s->rows[f->row + i];
    for (int j = s->start[p]; j < s->start[p + 1]; j++) s->x[j] -= *y++;
  }
}

// x1 := U⁻¹ (x1 - F12 x2)
static void backward(td_fronts* s, const front* f) {
  const int n = f->k;
  const size_t k = (size_t)n, r = (size_t)f->r;
  const double *F11 = s->factor + f->at, *F12 = F11 + k * (k + r);
  double *x = s->x + s->start[f->first], *x2 = s->F;

  // gather x2 from the whole vector
  for (int i = 0; i < f->nrow; i++) {
    const int p = s->rows[f->row + i], size = s->start[p + 1] - s->start[p];
    memcpy(x2, s->x + s->start[p], (size_t)size * sizeof(double));
    x2 += size;
  }

  if (f->r > 0) cblas_dgemv(CblasColMajor, CblasNoTrans, n, f->r, -1, F12, n, s->F, 1, 1, x, 1);

  // x1 := U⁻¹ x1
  if (n <= TINY_FRONT) {
    for (int j = n - 1; j >= 0; j--) {
      x[j] /= F11[j * n + j];
      for (int i = 0; i < j; i++) x[i] -= F11[j * n + i] * x[j];
    }
  } else {
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, n, F11, n, x, 1);
  }
}

// Solve A x = b by a sweep up and a sweep down the tree.
void td_fronts_solve(td_fronts* s, double* x) {
  // permute to the order of elimination, sweep forward and backward, permute back
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
