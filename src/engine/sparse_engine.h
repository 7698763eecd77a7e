// Sparse models.  A model is a forest of trees that hang on the ground: a node of a network is a
// tree of its own, an arm a larger one.  The DOFs of a tree make a block; trees that share DOFs
// share a block.  The mass matrix is block diagonal, and every force and every constraint row
// touches the DOFs of two or three blocks, so that dF/dq and dF/dv have one fixed pattern of blocks
// (pattern.h).  It is found when the model is compiled, and the matrices are assembled element by
// element with the same element functions as dense ones.
//
// Rows and columns are in the order of the blocks: row k belongs to velocity m->index_v[k].
#ifndef TD_SPARSE_DYN_H
#define TD_SPARSE_DYN_H

#include "engine/stages.h"
#include "math/pattern.h"

// ---- the pattern ------------------------------------------------------------------------------

// Decide between dense and sparse matrices (m->sparse, m->linear_why) and find the pattern.
// TD_E_NOMEM.
td_status td_sparse_plan(td_model* m);

// Mark the hops of free nodes (model_hop.node).
void td_find_nodes(td_model* m);

// The pattern of the model, and the numbers of values of the mass matrix and of the rows.
static inline td_pattern model_blocks(const td_model* m) {
  return (td_pattern){m->nblock_at - 1, m->block_at,     m->block_ptr,
                      m->block_row,     m->block_offset, m->block_base};
}

static inline int mass_values(const td_model* m) { return m->mass_base[m->nblock_at - 1]; }
static inline int row_values(const td_model* m) { return m->row_base[m->nrow]; }

// Reorder vectors from the order of the velocities (v) to that of the blocks (x), and back.
void td_sparse_gather(const td_model* m, const double* v, double* x);
void td_sparse_scatter(const td_model* m, const double* x, double* v);

// ---- threads ----------------------------------------------------------------------------------

// Large networks are assembled by all processors, each with a window (td_work) and scratch memory
// of its own.
typedef struct sparse_team sparse_team;
// True when sums are kept for all hops; hops and columns of a window.
bool td_sparse_whole(const td_model* m);
int td_sparse_window_hops(const td_model* m);
int td_sparse_window_columns(const td_model* m);
// Start a team of threads.  NULL: out of memory, or the caller works alone.
sparse_team* td_sparse_team_new(const td_model* m, int threads);
void td_sparse_team_free(sparse_team* team);
// Number of threads that pays for a model.
int td_sparse_threads(const td_model* m);
// Use this number of threads from now on.
void td_sparse_set_threads(const td_model* m, td_work* w, int threads);
// Call `item` for 0 .. n - 1 on all threads; each item writes only its own part of the result.
typedef void (*sparse_item)(void* ctx, td_work* w, int i);
void td_sparse_each(td_work* w, int n, sparse_item item, void* ctx);

// ---- assembly, after td_enter -----------------------------------------------------------------

// The blocks of the mass matrix (mass_values), one after the other.
void td_sparse_mass(const td_model* m, td_work* w, double* M);
// The mass matrix as a dense one (nvel x nvel).
void td_sparse_mass_spread(const td_model* m, td_work* w, double* M);
// dF/dq and dF/dv (blocks_values each; dv NULL: not wanted) at a and lambda (NULL: none), and the
// mass matrix (M NULL: not wanted), after td_forces.
void td_sparse_tangent(const td_model* m, td_work* w, const double* a, const double* lambda,
                       double* dq, double* dv, double* M);
// Constraint rows Jc (row_values): for each row the values in each block that it touches.
void td_sparse_rows(const td_model* m, td_work* w, double* J);
// d(Jc a + gamma)/dq and /dv, stored like Jc.
void td_sparse_row_tangent(const td_model* m, td_work* w, const double* a, double* dq, double* dv);

// ---- linear systems ---------------------------------------------------------------------------

//   [ A   -J1' ] [ x ]   [ f ]
//   [ J2   0   ] [ l ] = [ g ]     prescribed DOFs: x = f
//
// A has the pattern of the model, or is block diagonal like the mass matrix.  Redundant rows are
// allowed where g is consistent: the lower right corner gets a small number, which iterative
// refinement takes out again and which leaves the least l.
typedef struct sparse_kkt sparse_kkt;
// diagonal: A is block diagonal.  definite: A has an inverse without the rows, as the matrices of
// masses and implicit steps do and stiffness matrices need not.  NULL: out of memory.
sparse_kkt* td_sparse_kkt_new(const td_model* m, bool diagonal, bool definite);
void td_sparse_kkt_free(sparse_kkt* kkt);
// TD_E_SINGULAR: td_sparse_kkt_bad() is a velocity that nothing resists.
td_status td_sparse_kkt_factor(sparse_kkt* kkt, const double* A, const double* J1,
                               const double* J2);
// td_sparse_kkt_factor with A given by a function that writes the values of block column J.
typedef void (*sparse_column)(void* ctx, int J, double* column);
td_status td_sparse_kkt_factor_by(sparse_kkt* kkt, sparse_column column, void* ctx,
                                  const double* J1, const double* J2);
// The matrix alone, not factored: compressed columns of order nvel + nrow, valid until the next
// call.  `corner` is the small number that was put into its lower right corner.
typedef struct sparse_columns {
  int n;
  const int *ptr, *row;
  const double* x;
  double corner;
} sparse_columns;
sparse_columns td_sparse_kkt_columns(sparse_kkt* kkt, const double* A, const double* J1,
                                     const double* J2);
int td_sparse_kkt_bad(const sparse_kkt* kkt);
// Solve for f (nvel) and g (nrow, NULL: zero) in the order of the velocities; x may be f; l NULL:
// not wanted.
void td_sparse_kkt_solve(sparse_kkt* kkt, const double* f, const double* g, double* x, double* l);
// Number of independent rows.
int td_sparse_kkt_rank(const sparse_kkt* kkt);
// For symmetric A: take pivots from the diagonal alone; number of negative eigenvalues of A on the
// motions that the constraints allow.
void td_sparse_kkt_diagonal(sparse_kkt* kkt, bool diagonal);
int td_sparse_kkt_negative(const sparse_kkt* kkt);

// Products in the order of the velocities: y = M x, zero for prescribed DOFs; y += scale A x for A
// with the pattern of the model; and f = 0 for prescribed DOFs.
void td_sparse_mass_mul(const td_model* m, const double* M, const double* x, double* y);
void td_sparse_mul_add(const td_model* m, const double* A, double scale, const double* x,
                       double* y);
void td_sparse_clear_given(const td_model* m, double* f);

// Right-hand sides of the linearised forward dynamics (td_forward_tangent_rows), after
// td_forward_dynamics: columns -[dF/dq dF/dv] of f (nvel x cols) and -[dG/dq dG/dv] of g (nrow x
// cols).
void td_sparse_tangent_spread(const td_model* m, td_work* w, double* f, double* g, int cols);
enum { SPARSE_DENSE_LIMIT = 1000 };  // velocities up to which such dense matrices are allowed
// True when the factors of the mass matrix are ever used: trees alone go through the recursion,
// except that tasks need the accelerations that inputs cause.
static inline bool sparse_needs_factors(const td_model* m) {
  return m->nrow > 0 || !m->recursive || m->nvel <= SPARSE_DENSE_LIMIT || m->ntask > 0;
}

// Scratch [bytes] of a work of a sparse model, and of one block of it.
size_t td_sparse_scratch(const td_model* m);
size_t td_sparse_tree_scratch(const td_model* m);

#endif
