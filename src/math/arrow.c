// Block elimination (Schur complements) for constrained systems of a trunk with branches; the
// equations are in arrow.h.
#include "math/arrow.h"

#include "math/kernel.h"

// Rank tolerance for the rows of a branch, and least length of a row within the branch relative to
// its length in the trunk.  It bounds the digits that the elimination may lose.
#define FIRM 1e-3

enum { panel = 64 };  // right-hand sides solved at once; the scratch memory holds as many

size_t td_arrow_scratch(const arrow_shape* s) {
  const size_t n = (size_t)s->n, m = (size_t)s->m, parts = (size_t)s->nbranch + 1;
  const size_t doubles = 8 * n * n + 7 * n * m + 2 * m * m + (n + 2 * m + 16) * panel + n + m;
  return td_kkt_scratch(s->n, s->m) + doubles * sizeof(double) +
         parts * (sizeof(arrow_branch) + 32 * 64);
}

// out = the given rows and columns of A, whose rows are ld apart.
static void pick(const double* A, int ld, const int* row, int rows, const int* col, int cols,
                 double* out) {
  for (int i = 0; i < rows; i++) {
    const double* from = A + (size_t)row[i] * (size_t)ld;
    for (int j = 0; j < cols; j++) *out++ = from[col[j]];
  }
}

// C += s A B for A (rows x inner) and B (inner x cols).
static void add_product(double s, const double* A, const double* B, int rows, int inner, int cols,
                        double* C) {
  for (int i = 0; i < rows; i++) sum_rows(s, A + i * inner, 1, inner, B, cols, C + i * cols, cols);
}

// C += s A'B for A (inner x rows) and B (inner x cols).
static void add_product_t(double s, const double* A, const double* B, int rows, int inner, int cols,
                          double* C) {
  for (int i = 0; i < rows; i++) sum_rows(s, A + i, rows, inner, B, cols, C + i * cols, cols);
}

// Scales of the given rows and columns, in the arena.
static td_row_scale pick_scale(const td_row_scale* scale, const int* row, int rows, const int* col,
                               int cols, arena* s) {
  double *of_row = arena_doubles(s, rows), *of_col = arena_doubles(s, cols);
  for (int i = 0; i < rows; i++) of_row[i] = scale->row[row[i]];
  for (int j = 0; j < cols; j++) of_col[j] = scale->col ? scale->col[col[j]] : 1;
  return (td_row_scale){of_row, of_col, -1, NULL};
}

// Factor the constrained system of a branch alone, compute P_k and L_k, with which the branch
// follows the trunk, and add M_0k P_k - A_k'L_k to the trunk's matrix S.  False: the rows of the
// branch do not determine it well enough by themselves.
static bool factor_branch(td_arrow* a, arrow_branch* b, const double* M, const double* J,
                          const td_row_scale* scale, double* S, arena* s) {
  const int n = a->shape.n, n0 = a->n0;
  const int* trunk = a->shape.x;

  // blocks of M and J
  b->M = arena_doubles(s, b->n * n0);
  b->A = arena_doubles(s, b->m * n0);
  b->P = arena_doubles(s, b->n * n0);
  b->L = arena_doubles(s, b->m * n0);
  double *Mk = arena_doubles(s, b->n * b->n), *B = arena_doubles(s, b->m * b->n);
  pick(M, n, b->x, b->n, trunk, n0, b->M);
  pick(M, n, b->x, b->n, b->x, b->n, Mk);
  pick(J, n, b->row, b->m, trunk, n0, b->A);
  pick(J, n, b->row, b->m, b->x, b->n, B);

  // a row that acts on the branch much less than on the trunk cannot be eliminated here
  for (int i = 0; i < b->m; i++) {
    const double own = dot(B + i * b->n, B + i * b->n, b->n);
    const double along_trunk = dot(b->A + i * n0, b->A + i * n0, n0);
    if (!(own > FIRM * FIRM * along_trunk)) return false;
  }

  td_row_scale own = {0};
  if (scale) own = pick_scale(scale, b->row, b->m, b->x, b->n, s);
  td_kkt_factor(&b->kkt, Mk, B, b->n, b->m, scale ? &own : NULL, FIRM, s);
  if (b->kkt.rank < b->m || b->kkt.singular) return false;

  // [M_kk B_k'; B_k 0] [P_k; -L_k] = -[M_k0; A_k]
  double* g = arena_doubles(s, b->m * n0);
  for (int i = 0; i < b->n * n0; i++) b->P[i] = -b->M[i];
  for (int i = 0; i < b->m * n0; i++) g[i] = -b->A[i];
  td_kkt_solve(&b->kkt, b->P, g, n0, b->P, b->L, s);

  // Schur complement of the trunk
  add_product_t(1, b->M, b->P, n0, b->n, n0, S);
  add_product_t(-1, b->A, b->L, n0, b->m, n0, S);
  return true;
}

// Eliminate the branches one by one, then factor the trunk.
bool td_arrow_factor(td_arrow* a, const arrow_shape* shape, const double* M, const double* J,
                     const td_row_scale* scale, double rank_tol, arena* s) {
  const int n0 = shape->x_at[1], m0 = shape->row_at[1];
  *a = (td_arrow){.shape = *shape, .n0 = n0, .rank = shape->m - m0};
  a->branch = arena_bytes(s, (size_t)shape->nbranch * sizeof(arrow_branch));
  double *S = arena_doubles(s, n0 * n0), *J0 = arena_doubles(s, m0 * n0);
  pick(M, shape->n, shape->x, n0, shape->x, n0, S);
  pick(J, shape->n, shape->row, m0, shape->x, n0, J0);

  // eliminate the branches
  for (int i = 0; i < shape->nbranch; i++) {
    const int *x_at = shape->x_at + i + 1, *row_at = shape->row_at + i + 1;
    a->branch[i] = (arrow_branch){.n = x_at[1] - x_at[0],
                                  .m = row_at[1] - row_at[0],
                                  .x = shape->x + x_at[0],
                                  .row = shape->m > 0 ? shape->row + row_at[0] : NULL};
    if (!factor_branch(a, &a->branch[i], M, J, scale, S, s)) return false;
  }

  // factor what is left for the trunk
  td_row_scale trunk = {0};
  if (scale) trunk = pick_scale(scale, shape->row, m0, shape->x, n0, s);
  td_kkt_factor(&a->trunk, S, J0, n0, m0, scale ? &trunk : NULL, rank_tol, s);
  a->rank += a->trunk.rank;
  return !a->trunk.singular;
}

// ---- solve ------------------------------------------------------------------------------------

// Rows `row` of a matrix with rows ld apart, `cols` wide, one after the other.
static void pick_rows(const double* from, int ld, const int* row, int rows, int cols, double* to) {
  for (int i = 0; i < rows; i++)
    memcpy(to + i * cols, from + (size_t)row[i] * (size_t)ld, (size_t)cols * sizeof(double));
}
// Inverse of pick_rows.
static void put_rows(const double* from, const int* row, int rows, int cols, double* to, int ld) {
  for (int i = 0; i < rows; i++)
    memcpy(to + (size_t)row[i] * (size_t)ld, from + i * cols, (size_t)cols * sizeof(double));
}

// Solve for `cols` of the nrhs right-hand sides, at most `panel`.
static void solve_panel(const td_arrow* a, const double* f, const double* g, int nrhs, int cols,
                        double* x, double* l, arena* s) {
  const arena_mark mark = arena_open(s);
  const arrow_shape* shape = &a->shape;
  const int n0 = a->n0, m0 = shape->row_at[1];
  double *X = arena_doubles(s, shape->n * cols), *L = arena_doubles(s, shape->m * cols);
  double* G = arena_zeros(s, shape->m * cols);

  // right-hand sides sorted by part
  pick_rows(f, nrhs, shape->x, shape->n, cols, X);
  if (g) pick_rows(g, nrhs, shape->row, shape->m, cols, G);

  // r_k and m_k of the branches, and what they leave on the trunk's right-hand side
  for (int i = 0; i < shape->nbranch; i++) {
    const arrow_branch* b = &a->branch[i];
    const int rows = shape->row_at[i + 1] * cols;
    double *r = X + shape->x_at[i + 1] * cols, *m = L + rows;
    td_kkt_solve(&b->kkt, r, G + rows, cols, r, m, s);
    add_product_t(-1, b->M, r, n0, b->n, cols, X);
    add_product_t(1, b->A, m, n0, b->m, cols, X);
  }

  // the trunk, and x_k = P_k x_0 + r_k, l_k = L_k x_0 + m_k
  td_kkt_solve(&a->trunk, X, m0 > 0 ? G : NULL, cols, X, L, s);
  for (int i = 0; i < shape->nbranch; i++) {
    const arrow_branch* b = &a->branch[i];
    add_product(1, b->P, X, b->n, n0, cols, X + shape->x_at[i + 1] * cols);
    if (l) add_product(1, b->L, X, b->m, n0, cols, L + shape->row_at[i + 1] * cols);
  }

  put_rows(X, shape->x, shape->n, cols, x, nrhs);
  if (l) put_rows(L, shape->row, shape->m, cols, l, nrhs);
  arena_close(s, mark);
}

void td_arrow_solve(const td_arrow* a, const double* f, const double* g, int nrhs, double* x,
                    double* l, arena* s) {
  for (int first = 0; first < nrhs; first += panel)
    solve_panel(a, f + first, g ? g + first : NULL, nrhs, min_int(panel, nrhs - first), x + first,
                l ? l + first : NULL, s);
}
