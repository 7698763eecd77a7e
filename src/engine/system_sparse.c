// The linear system of sparse models.
//
// With a small number d > 0 in the lower right corner the matrix of sparse_engine.h has an inverse
// even where rows are redundant.  z += K_d⁻¹ (b - K_0 z) is the proximal method of multipliers: for
// independent rows it converges by a factor d / (J A⁻¹ Jᵀ), about 1e-7, in each iteration; for
// dependent rows the multiplier stays in the range of J, which makes it the least one.
//
// Few rows stand beside a multifrontal factorisation of A (math/fronts.h, math/border.h); otherwise
// the LU of the whole matrix is used (math/sparse.h).
#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/path.h"
#include "engine/sparse_engine.h"
#include "engine/system.h"
#include "math/border.h"
#include "math/fronts.h"
#include "math/sparse.h"

static const double corner = 1e-7;  // d relative to the least diagonal element of J A⁻¹ Jᵀ
enum { REFINEMENTS = 12, FEW_ROWS = 32 };
static const double much_border = 2e7;  // rows times velocities, beyond which rows go into the LU

struct sparse_kkt {
  const td_model* m;
  td_pattern blocks;  // pattern of A
  int n, rows;
  int *ptr, *row;                          // compressed columns of the whole matrix
  int *touch_at, *touch_row, *touch_base;  // for each block: rows that touch it, and where in J
  bool* given;                             // prescribed DOF, in the order of the blocks
  double *x, *z, *b, *r, *column;          // values, solution, right-hand side, residual, scratch
  double* diagonal;                        // diagonal of A
  double d;                                // number in the lower right corner
  bool is_diagonal;                        // A is block diagonal
  bool only_diagonal;                      // pivots are taken from the diagonal
  int *own_ptr, *own_row, *own_offset;     // pattern of the diagonal blocks
  td_fronts* fronts;                       // used instead of the LU where rows are few
  td_border* border;                       // the rows beside the fronts
  int* row_col;                            // column of each value of the rows
  double *A, *J1, *J2, border_d;           // values that fronts and border were factored with
  bool ready, border_ready;                // the factors belong to these values
  bool use_fronts;                         // the last factors are fronts and border
  unsigned masses;                         // td_work.prepared of the factored masses, 0: others
  td_sparse_lu* lu;                        // NULL: not needed so far
  void* memory;
};

// ---- pattern ----------------------------------------------------------------------------------

// List the rows that touch each block, and the compressed columns of the whole matrix.
static void fill_pattern(sparse_kkt* k) {
  const td_model* m = k->m;
  const td_pattern* p = &k->blocks;

  // rows by block: count, sum up, fill, and move the ends back
  for (int i = 0; i < m->nrow_block; i++) k->touch_at[m->row_block[i] + 1]++;
  for (int b = 0; b < p->nblock; b++) k->touch_at[b + 1] += k->touch_at[b];

  for (int r = 0; r < m->nrow; r++) {
    int base = m->row_base[r];
    for (int i = m->row_block_at[r]; i < m->row_block_at[r + 1]; i++) {
      const int b = m->row_block[i], at = k->touch_at[b]++;
      k->touch_row[at] = r;
      k->touch_base[at] = base;
      base += block_size(p, b);
    }
  }

  for (int b = p->nblock; b > 0; b--) k->touch_at[b] = k->touch_at[b - 1];
  k->touch_at[0] = 0;

  // columns of the velocities: blocks of A, then the rows that touch them
  int at = 0;
  for (int J = 0; J < p->nblock; J++)
    for (int j = p->at[J]; j < p->at[J + 1]; j++) {
      for (int e = p->ptr[J]; e < p->ptr[J + 1]; e++)
        for (int i = p->at[p->row[e]]; i < p->at[p->row[e] + 1]; i++) k->row[at++] = i;
      for (int t = k->touch_at[J]; t < k->touch_at[J + 1]; t++)
        k->row[at++] = k->n + k->touch_row[t];
      k->ptr[j + 1] = at;
    }

  // columns of the multipliers: blocks that the row touches, then the corner
  for (int r = 0; r < m->nrow; r++) {
    for (int i = m->row_block_at[r]; i < m->row_block_at[r + 1]; i++)
      for (int j = p->at[m->row_block[i]]; j < p->at[m->row_block[i] + 1]; j++) k->row[at++] = j;
    k->row[at++] = k->n + r;
    k->ptr[k->n + r + 1] = at;
  }
}

// Number of values in the largest block column.
static size_t widest(const td_model* m, bool diagonal) {
  const int* base = diagonal ? m->mass_base : m->block_base;
  int most = 0;
  for (int J = 0; J < m->nblock_at - 1; J++) most = max_int(most, base[J + 1] - base[J]);
  return (size_t)most;
}

// Allocate all arrays in one block; false: out of memory, or more values than an int can count.
static bool allocate(sparse_kkt* k, bool diagonal) {
  const td_model* m = k->m;
  const int nblock = m->nblock_at - 1, size = k->n + k->rows;
  const double values =
      (double)(diagonal ? mass_values(m) : m->block_base[nblock]) + 2.0 * row_values(m) + k->rows;
  if (values > INT32_MAX) return false;
  const size_t nz = (size_t)values, touched = (size_t)m->nrow_block;
  const size_t ints = nz + (size_t)size + 4 * (size_t)nblock + 2 * touched + 8;
  const size_t doubles = nz + 3 * (size_t)size + (size_t)k->n + widest(m, diagonal) + 4;

  // doubles first, then ints, then bools, in one block
  k->memory = calloc(1, doubles * sizeof(double) + ints * sizeof(int) + (size_t)k->n + 8);
  if (!k->memory) return false;
  k->x = k->memory;
  k->z = k->x + nz;
  k->b = k->z + size;
  k->r = k->b + size;
  k->diagonal = k->r + size;
  k->column = k->diagonal + k->n;
  k->row = (int*)(void*)(k->column + widest(m, diagonal));
  k->ptr = k->row + nz;
  k->touch_at = k->ptr + size + 1;
  k->touch_row = k->touch_at + nblock + 1;
  k->touch_base = k->touch_row + touched;
  k->own_ptr = k->touch_base + touched;
  k->own_row = k->own_ptr + nblock + 1;
  k->own_offset = k->own_row + nblock;
  k->given = (bool*)(void*)(k->own_offset + nblock);
  return true;
}

// Allocate the rows beside the fronts: their columns, and values without those of prescribed DOFs.
static bool open_border(sparse_kkt* k) {
  const td_model* m = k->m;
  const size_t rows = (size_t)row_values(m), values = (size_t)blocks_values(&k->blocks);
  k->row_col = malloc((rows + 1) * sizeof(int));
  k->A = malloc((values + 2 * rows + 1) * sizeof(double));
  if (!k->row_col || !k->A) return false;
  k->J1 = k->A + values;
  k->J2 = k->J1 + rows;
  int at = 0;
  for (int i = 0; i < m->nrow_block; i++)
    for (int j = m->block_at[m->row_block[i]]; j < m->block_at[m->row_block[i] + 1]; j++)
      k->row_col[at++] = j;
  k->border = td_border_new(k->n, k->rows, m->row_base, k->row_col);
  return k->border != NULL;
}

// Analyse the LU of the whole matrix when it is needed first.
static bool open_lu(sparse_kkt* k) {
  if (!k->lu) k->lu = td_sparse_lu_new(k->n + k->rows, k->ptr, k->row);
  return k->lu != NULL;
}

// Allocate the system for A with the pattern of the model, or block diagonal, and analyse its
// pattern.
sparse_kkt* td_sparse_kkt_new(const td_model* m, bool diagonal, bool definite) {
  sparse_kkt* k = calloc(1, sizeof *k);
  if (!k) return NULL;
  const int nblock = m->nblock_at - 1;
  k->m = m;
  k->n = m->nvel;
  k->rows = m->nrow;
  k->is_diagonal = diagonal;

  if (!allocate(k, diagonal)) {
    td_sparse_kkt_free(k);
    return NULL;
  }

  // the pattern
  k->blocks = model_blocks(m);
  for (int i = 0; i <= nblock && diagonal; i++) k->own_ptr[i] = i;
  for (int i = 0; i < nblock && diagonal; i++) k->own_row[i] = i;
  if (diagonal)
    k->blocks =
        (td_pattern){nblock, m->block_at, k->own_ptr, k->own_row, k->own_offset, m->mass_base};
  for (int i = 0; i < k->n; i++) k->given[i] = m->vel[m->index_v[i]].motion != NUM_NONE;
  fill_pattern(k);

  // fronts with rows beside them need a matrix that has an inverse without the rows
  const bool few = k->rows <= FEW_ROWS && (double)k->rows * k->n <= much_border;
  if (k->rows == 0 ? !diagonal : definite && few) k->fronts = td_fronts_new(&k->blocks);

  if (k->fronts ? k->rows > 0 && !open_border(k) : !open_lu(k)) {
    td_sparse_kkt_free(k);
    return NULL;
  }

  return k;
}

// Free the factors; NULL is fine.
void td_sparse_kkt_free(sparse_kkt* k) {
  if (!k) return;
  td_border_free(k->border);
  td_fronts_free(k->fronts);
  free(k->row_col);
  free(k->A);
  td_sparse_lu_free(k->lu);
  free(k->memory);
  free(k);
}

// ---- numbers ----------------------------------------------------------------------------------

// The corner d: small against the least diagonal element of J A⁻¹ Jᵀ, estimated with the diagonal
// of A.
static double corner_of(const sparse_kkt* k, const double* J) {
  const td_model* m = k->m;
  double least = INFINITY;

  for (int r = 0; r < k->rows; r++) {
    const double* at = J + m->row_base[r];
    double s = 0;
    for (int i = m->row_block_at[r]; i < m->row_block_at[r + 1]; i++)
      for (int j = m->block_at[m->row_block[i]]; j < m->block_at[m->row_block[i] + 1]; j++, at++)
        if (!k->given[j] && k->diagonal[j] != 0) s += *at * *at / fabs(k->diagonal[j]);
    if (s > 0) least = fmin(least, s);
  }

  return isfinite(least) ? corner * least : 1;
}

// Store x and return whether the number was the same before.
static bool store(double* number, double x) {
  const bool same = *number == x;
  *number = x;
  return same;
}

// Factor A by fronts with the rows beside them, as far as their values have changed since the last
// time: masses of points and rows of prescribed coordinates never do.  False: not possible.
static bool factor_fronts(sparse_kkt* k, const double* J1, const double* J2) {
  if (!k->fronts || k->only_diagonal) return false;
  if (k->rows == 0) return td_fronts_factor(k->fronts, k->x) == TD_OK;

  // A out of the columns of the whole matrix, and the rows
  double* to = k->A;
  bool same = true;

  for (int j = 0, J = 0; j < k->n; j++) {
    while (k->blocks.at[J + 1] <= j) J++;
    const double* from = k->x + k->ptr[j];
    for (int i = 0; i < block_height(&k->blocks, J); i++) same &= store(to++, from[i]);
  }

  k->ready = k->ready && same;
  k->border_ready = k->border_ready && k->ready && store(&k->border_d, k->d);

  for (int i = 0; i < row_values(k->m); i++) {
    const bool given = k->given[k->row_col[i]];
    k->border_ready &= store(&k->J1[i], given ? 0 : J1[i]);
    k->border_ready &= store(&k->J2[i], given ? 0 : J2[i]);
  }

  // factor what has changed
  if (!k->ready) k->ready = td_fronts_factor(k->fronts, k->A) == TD_OK;

  if (k->ready && !k->border_ready) {
    k->border_d = k->d;
    k->border_ready = td_border_factor(k->border, k->fronts, k->J1, k->J2, k->d) == TD_OK;
  }

  return k->ready && k->border_ready;
}

// Fill the values of the whole matrix: rows and columns of prescribed DOFs become those of the
// identity.
static void fill(sparse_kkt* k, sparse_column column, void* ctx, const double* J1,
                 const double* J2) {
  const td_model* m = k->m;
  const td_pattern* p = &k->blocks;
  double* to = k->x;

  // columns of the velocities: A, then J2
  for (int J = 0; J < p->nblock; J++) {
    const double* from = k->column;
    column(ctx, J, k->column);
    for (int j = p->at[J]; j < p->at[J + 1]; j++) {
      const bool given = k->given[j];
      for (int e = p->ptr[J]; e < p->ptr[J + 1]; e++)
        for (int i = p->at[p->row[e]]; i < p->at[p->row[e] + 1]; i++, from++) {
          if (i == j) k->diagonal[j] = *from;
          *to++ = given || k->given[i] ? i == j : *from;
        }
      for (int t = k->touch_at[J]; t < k->touch_at[J + 1]; t++)
        *to++ = given ? 0 : J2[k->touch_base[t] + j - p->at[J]];
    }
  }

  // columns of the multipliers: -J1ᵀ, then the corner
  k->d = k->rows > 0 ? corner_of(k, J1) : 0;

  for (int r = 0; r < k->rows; r++) {
    const double* from = J1 + m->row_base[r];
    for (int i = m->row_block_at[r]; i < m->row_block_at[r + 1]; i++)
      for (int j = m->block_at[m->row_block[i]]; j < m->block_at[m->row_block[i] + 1]; j++, from++)
        *to++ = k->given[j] ? 0 : -*from;
    *to++ = k->d;
  }
}

// Factor the matrix whose A is given column by column: by fronts, else by the LU.
td_status td_sparse_kkt_factor_by(sparse_kkt* k, sparse_column column, void* ctx, const double* J1,
                                  const double* J2) {
  k->masses = 0;
  fill(k, column, ctx, J1, J2);
  k->use_fronts = factor_fronts(k, J1, J2);
  if (k->use_fronts) return TD_OK;
  return open_lu(k) ? td_sparse_lu_factor(k->lu, k->x) : TD_E_NOMEM;
}

// A matrix A with the pattern of the system, for copy_column.
typedef struct matrix {
  const td_pattern* blocks;
  const double* values;
} matrix;

// Block column J of a given matrix.
static void copy_column(void* ctx, int J, double* column) {
  const matrix* A = ctx;
  const int first = A->blocks->base[J], n = A->blocks->base[J + 1] - first;
  memcpy(column, A->values + first, (size_t)n * sizeof(double));
}

// Factor the matrix for given values of A.
td_status td_sparse_kkt_factor(sparse_kkt* k, const double* A, const double* J1, const double* J2) {
  matrix a = {&k->blocks, A};
  return td_sparse_kkt_factor_by(k, copy_column, &a, J1, J2);
}

// The whole matrix without factoring it.
sparse_columns td_sparse_kkt_columns(sparse_kkt* k, const double* A, const double* J1,
                                     const double* J2) {
  matrix a = {&k->blocks, A};
  fill(k, copy_column, &a, J1, J2);
  return (sparse_columns){k->n + k->rows, k->ptr, k->row, k->x, k->d};
}

// A velocity that nothing resists, after TD_E_SINGULAR.
int td_sparse_kkt_bad(const sparse_kkt* k) {
  const int bad = k->lu ? td_sparse_lu_bad(k->lu) : 0;
  return bad >= 0 && bad < k->n ? k->m->index_v[bad] : 0;
}

// z = K_d⁻¹ z with the last factors.
static void solve_factored(sparse_kkt* k, double* z) {
  if (!k->use_fronts) {
    td_sparse_lu_solve(k->lu, z, 1);
  } else if (k->rows > 0) {
    td_border_solve(k->border, z);
  } else {
    td_fronts_solve(k->fronts, z);
  }
}

// Take the corner out again: z += K_d⁻¹ (b - K_0 z), as long as the residual halves each time.
static void refine(sparse_kkt* k) {
  const int size = k->n + k->rows;
  double before = INFINITY;

  for (int iteration = 0; iteration < REFINEMENTS; iteration++) {
    // r = b - K_0 z
    memcpy(k->r, k->b, (size_t)size * sizeof(double));
    for (int j = 0; j < size; j++) {
      for (int i = k->ptr[j]; i < k->ptr[j + 1]; i++) k->r[k->row[i]] -= k->x[i] * k->z[j];
      if (j >= k->n) k->r[j] += k->d * k->z[j];
    }
    double now = 0;
    for (int i = 0; i < size; i++) now = fmax(now, fabs(k->r[i]));
    if (!(now > 0) || !(now < 0.5 * before)) return;
    before = now;

    solve_factored(k, k->r);
    for (int j = 0; j < size; j++) k->z[j] += k->r[j];
  }
}

// Solve for one right-hand side in the order of the velocities; refined where rows may be
// dependent.
void td_sparse_kkt_solve(sparse_kkt* k, const double* f, const double* g, double* x, double* l) {
  const size_t size = (size_t)(k->n + k->rows) * sizeof(double);
  td_sparse_gather(k->m, f, k->b);
  for (int i = 0; i < k->rows; i++) k->b[k->n + i] = g ? g[i] : 0;
  memcpy(k->z, k->b, size);
  solve_factored(k, k->z);
  if (k->rows > 0 && !(k->use_fronts && td_border_rank(k->border) == k->rows)) refine(k);
  td_sparse_scatter(k->m, k->z, x);
  if (l) memcpy(l, k->z + k->n, (size_t)k->rows * sizeof(double));
}

// Number of independent rows.  Rows that are zero to rounding have been cleared by the rule of
// dense matrices (clean_row in sparse_assemble.c).  Whether others depend on each other is judged
// by the pivots of the present factors against the corner: a pivoted QR (rank.c) would fill all of
// J, and a redundant row that counts as independent does no harm here, since the corner keeps its
// multiplier small and the refinement takes it out again.
int td_sparse_kkt_rank(const sparse_kkt* k) {
  int rank = 0;
  if (k->use_fronts) return k->rows > 0 ? td_border_rank(k->border) : 0;
  for (int r = 0; r < k->rows; r++) rank += fabs(td_sparse_lu_pivot(k->lu, k->n + r)) > 100 * k->d;
  return rank;
}

// Take pivots from the diagonal alone, or not any more.
void td_sparse_kkt_diagonal(sparse_kkt* k, bool diagonal) {
  k->only_diagonal = diagonal;
  if (diagonal ? open_lu(k) : k->lu != NULL) td_sparse_lu_diagonal(k->lu, diagonal);
}

// Number of negative eigenvalues of A on the motions that the constraints allow, by Sylvester's law
// of inertia: with its lower rows negated the matrix is symmetric, and each constraint adds one
// negative eigenvalue.
int td_sparse_kkt_negative(const sparse_kkt* k) {
  int negative = -k->rows;
  for (int i = 0; i < k->n; i++) negative += td_sparse_lu_pivot(k->lu, i) < 0;
  for (int i = 0; i < k->rows; i++) negative += td_sparse_lu_pivot(k->lu, k->n + i) > 0;
  return negative;
}

// ---- products ---------------------------------------------------------------------------------

// Set the numbers of prescribed velocities to zero.
void td_sparse_clear_given(const td_model* m, double* f) {
  for (int i = 0; i < m->nvel && m->nfree_v < m->nvel; i++)
    if (m->vel[i].motion != NUM_NONE) f[i] = 0;
}

// y = M x, zero for prescribed velocities.
void td_sparse_mass_mul(const td_model* m, const double* M, const double* x, double* y) {
  for (int b = 0; b < m->nblock_at - 1; b++) {
    const int *v = m->index_v + m->block_at[b], n = m->block_at[b + 1] - m->block_at[b];
    const double* at = M + m->mass_base[b];
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++) sum += at[i * n + j] * x[v[j]];
      y[v[i]] = sum;
    }
  }
  td_sparse_clear_given(m, y);
}

// y += scale A x for A with the pattern of the model.
void td_sparse_mul_add(const td_model* m, const double* A, double scale, const double* x,
                       double* y) {
  const td_pattern b = model_blocks(m);
  for (int J = 0; J < b.nblock; J++)
    for (int j = b.at[J]; j < b.at[J + 1]; j++) {
      const double xj = scale * x[m->index_v[j]];
      const double* column = A + b.base[J] + block_height(&b, J) * (j - b.at[J]);
      for (int k = b.ptr[J]; k < b.ptr[J + 1]; k++)
        for (int i = b.at[b.row[k]]; i < b.at[b.row[k] + 1]; i++)
          y[m->index_v[i]] += *column++ * xj;
    }
}

// ---- the system of a placed state -------------------------------------------------------------

// True when the mass matrix is the same at all states: all trees are nodes, and bodies rotate about
// their centres of mass.
static bool masses_stay(const td_model* m, const td_work* w) {
  for (int i = 0; i < m->nhop; i++) {
    const vec3 mc = w->hop_inertia[i].mc;
    if (m->hop[i].node == 0 || (m->hop[i].node == 2 && vec3_dot(mc, mc) > 0)) return false;
  }
  return true;
}

// Factor mass matrix and rows for motion or for a projection; kept where neither has changed.
static td_status factor(const td_model* m, td_work* w, system_use use, td_system* system) {
  sparse_kkt* k = w->kkt;
  if (k == NULL) {
    td_work_fail(w, "a network of %d velocities without tasks keeps no factors of its masses",
                 m->nvel);
    return TD_E_USAGE;
  }

  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double *M = arena_doubles(s, mass_values(m)), *J = arena_doubles(s, row_values(m));
  double *mass = arena_doubles(s, m->nvel), *more = arena_zeros(s, m->nvel);
  td_status status = TD_OK;

  // rows that take part
  td_sparse_rows(m, w, J);
  for (int i = 0; i < m->nrow && use != SYSTEM_MOTION; i++)
    if (!row_is_projected(m, w, i))
      memset(J + m->row_base[i], 0, (size_t)(m->row_base[i + 1] - m->row_base[i]) * sizeof(double));

  // masses, unless the factors belong to these rows and to masses that never change
  if (!k->use_fronts || k->rows == 0 || k->masses != w->prepared ||
      memcmp(k->J1, J, (size_t)row_values(m) * sizeof(double)) != 0) {
    td_sparse_mass(m, w, M);
    for (int pass = 0; pass < 2; pass++) {  // read the diagonal, then add the weights of strains
      for (int b = 0; b < m->nblock_at - 1; b++) {
        const int n = m->block_at[b + 1] - m->block_at[b], *v = m->index_v + m->block_at[b];
        for (int i = 0; i < n; i++) {
          double* diagonal = M + m->mass_base[b] + i * (n + 1);
          if (pass == 0) mass[v[i]] = more[v[i]] = *diagonal;
          if (pass == 1) *diagonal += more[v[i]];
        }
      }
      if (use != SYSTEM_POSITIONS) break;
      if (pass == 0) td_weigh_strains(m, more, s);
    }
    status = td_sparse_kkt_factor(k, M, J, J);
    k->masses = status == TD_OK && masses_stay(m, w) ? w->prepared : 0;
  }

  system->rank = status == TD_OK ? td_sparse_kkt_rank(k) : 0;

  // name the velocity that nothing resists, with its mass relative to the largest of its rod
  if (status == TD_E_SINGULAR) {
    const int bad = td_sparse_kkt_bad(k);
    double most = 0;
    for (int v = 0; v < m->nvel; v++)
      if (m->vel[v].rod == m->vel[bad].rod) most = fmax(most, mass[v]);
    td_report_singular(m, w, bad, most > 0 ? mass[bad] / most : 0);
  }

  arena_close(s, mark);
  return status;
}

// Solve for k right-hand sides, one after the other; prescribed velocities get x = 0.
static void solve(const td_model* m, td_work* w, const td_system* system, const double* f,
                  const double* g, int k, double* x, double* l) {
  (void)system;
  const arena_mark mark = arena_open(&w->scratch);
  double *force = arena_doubles(&w->scratch, m->nvel), *drive = arena_doubles(&w->scratch, m->nrow);

  for (int c = 0; c < k; c++) {
    for (int i = 0; i < m->nvel; i++) force[i] = m->vel[i].motion != NUM_NONE ? 0 : f[i * k + c];
    for (int i = 0; i < m->nrow; i++) drive[i] = g ? g[i * k + c] : 0;
    td_sparse_kkt_solve(w->kkt, force, drive, force, drive);
    for (int i = 0; i < m->nvel; i++) x[i * k + c] = force[i];
    for (int i = 0; i < m->nrow && l; i++) l[i * k + c] = drive[i];
  }

  arena_close(&w->scratch, mark);
}

const system_ops td_system_sparse = {
    .lasting = false, .width = 1, .factor = factor, .solve = solve};

// Write minus the blocks A of the pattern into columns first .. of a dense matrix whose rows have
// `cols` numbers.
static void spread(const td_model* m, const double* A, int first, int cols, double* out) {
  const td_pattern p = model_blocks(m);
  for (int v = 0; v < m->nvel; v++) {
    const int J = m->v_block[v];
    const double* column = A + p.base[J] + block_height(&p, J) * m->v_local[v];
    double* to = out + first + v;
    for (int i = 0; i < m->nvel; i++) to[i * cols] = 0;
    for (int k = p.ptr[J]; k < p.ptr[J + 1]; k++)
      for (int i = p.at[p.row[k]]; i < p.at[p.row[k] + 1]; i++)
        to[m->index_v[i] * cols] = -*column++;
  }
}

// Write minus the rows G (stored like J) into columns first .. of such a matrix.
static void spread_rows(const td_model* m, const double* G, int first, int cols, double* out) {
  for (int r = 0; r < m->nrow; r++) {
    const double* at = G + m->row_base[r];
    double* to = out + r * cols + first;
    memset(to, 0, (size_t)m->nvel * sizeof(double));
    for (int k = m->row_block_at[r]; k < m->row_block_at[r + 1]; k++)
      for (int i = m->block_at[m->row_block[k]]; i < m->block_at[m->row_block[k] + 1]; i++)
        to[m->index_v[i]] = -*at++;
  }
}

// Dense right-hand sides f = -[dF/dq dF/dv] and g = -[dG/dq dG/dv] of the linearised forward
// dynamics.
void td_sparse_tangent_spread(const td_model* m, td_work* w, double* f, double* g, int cols) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  const td_pattern p = model_blocks(m);
  const int values = blocks_values(&p), rows = row_values(m);
  double *K = arena_doubles(s, values), *C = arena_doubles(s, values);
  double *Gq = arena_doubles(s, rows), *Gv = arena_doubles(s, rows);

  // forces, then rows
  td_sparse_tangent(m, w, w->vdot, w->lambda, K, C, NULL);
  spread(m, K, 0, cols, f);
  spread(m, C, m->nvel, cols, f);

  if (m->nrow > 0) {
    td_sparse_row_tangent(m, w, w->vdot, Gq, Gv);
    spread_rows(m, Gq, 0, cols, g);
    spread_rows(m, Gv, m->nvel, cols, g);
  }

  arena_close(s, mark);
}

// Scratch [bytes] for the trees of one block: their matrices, and the ancestry (path.h) of one tree
// at a time.
size_t td_sparse_tree_scratch(const td_model* m) {
  const td_pattern p = model_blocks(m);
  size_t largest = 0, longest = 0;

  for (int b = 0; b < p.nblock; b++) {
    const size_t size = (size_t)block_size(&p, b);
    largest = largest > size * size ? largest : size * size;
  }

  for (int t = 0; t + 1 < m->ntree; t++) {
    const size_t tree = path_bytes(m, m->tree[t], m->tree[t + 1]);
    longest = longest > tree ? longest : tree;
  }

  if (m->nvel <= SPARSE_DENSE_LIMIT) longest = path_bytes(m, 0, m->nhop);
  return ((4 * largest + 1024) * sizeof(double) + longest + 63) / 64 * 64;
}

// Scratch [bytes] of a work of a sparse model.
size_t td_sparse_scratch(const td_model* m) {
  const td_pattern p = model_blocks(m);
  const size_t n = (size_t)m->nvel, r = (size_t)m->nrow;
  const bool factors = sparse_needs_factors(m);
  size_t doubles = 20 * (n + r) + (size_t)row_values(m) +
                   (factors ? (size_t)mass_values(m) + (size_t)row_values(m) : 0) +
                   (size_t)m->noutput_probe + (size_t)m->noutput_input +
                   (m->ntask > 0 ? (n + r) * (size_t)model_drives(m) : 0) +
                   (size_t)m->ninternal * (2 * n + (size_t)model_drives(m) + 32);
  if (m->nvel <= SPARSE_DENSE_LIMIT)
    doubles += 2 * (size_t)blocks_values(&p) + 2 * (size_t)row_values(m) + 2 * n * n +
               (3 * n + 2 * r) * (2 * n + (size_t)model_drives(m));
  return td_sparse_tree_scratch(m) + doubles * sizeof(double) + 65536;
}
