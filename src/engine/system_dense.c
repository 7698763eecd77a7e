// The linear system with dense matrices on the free coordinates: by trunk and branches
// (math/arrow.h) where the tree has branches whose rows hold them firmly, else by the null-space
// method (math/dense.h).
#include <math.h>
#include <string.h>

#include "engine/rank.h"
#include "engine/system.h"
#include "math/arrow.h"

// The factors, of one kind or the other.
typedef struct dense_factors {
  td_arrow arrow;  // used where `parted`
  td_kkt kkt;      // used otherwise
  bool parted;     // into trunk and branches
} dense_factors;

// Report a singular mass matrix M (nvel x nvel) by the coordinate that moves most in its null
// vector.
static td_status report_null_vector(const td_model* m, td_work* w, const td_kkt* kkt,
                                    const double* M) {
  int worst = 0;
  double most = 0;
  for (int i = 0; kkt->null_vector && i < kkt->n; i++)
    if (fabs(kkt->null_vector[i]) > fabs(kkt->null_vector[worst])) worst = i;
  const int v = kkt->n > 0 ? m->free_v[worst] : 0;
  for (int i = 0; i < m->nvel; i++)
    if (m->vel[i].rod == m->vel[v].rod) most = fmax(most, M[i * m->nvel + i]);
  return td_report_singular(m, w, v, most > 0 ? M[v * m->nvel + v] / most : 0);
}

// Factor mass matrix and rows for motion or for a projection.
static td_status factor(const td_model* m, td_work* w, system_use use, td_system* system) {
  arena* s = &w->scratch;
  const int nv = m->nvel, n = m->nfree_v, r = m->nrow;
  dense_factors* d = system->factors = arena_bytes(s, sizeof *d);

  // mass matrix; in the metric of positions strains weigh more
  double *whole_M = arena_doubles(s, nv * nv), *whole_J = arena_doubles(s, r * nv);
  td_composite_mass(m, w, whole_M);

  if (use == SYSTEM_POSITIONS) {
    const arena_mark mark = arena_open(s);
    double* more = arena_doubles(s, nv);
    for (int i = 0; i < nv; i++) more[i] = whole_M[i * nv + i];
    td_weigh_strains(m, more, s);
    for (int i = 0; i < nv; i++) whole_M[i * nv + i] += more[i];
    arena_close(s, mark);
  }

  // rows; while a rank is kept, their sizes are those of the state it was found at
  const bool keeps = use == SYSTEM_MOTION && w->rank.on && td_rows_off(m, w) == w->rank.off;
  double* row = keeps ? w->row_size : arena_doubles(s, r);
  double* col = keeps ? w->col_factor : arena_doubles(s, n);

  if (r == 0 || (keeps && w->rank.sized)) {
    td_row_jacobian(m, w, whole_J);
  } else {
    td_row_jacobian_sized(m, w, whole_J, whole_M, row, col);
    if (keeps) w->rank.sized = true;
  }

  for (int i = 0; use != SYSTEM_MOTION && i < r; i++)
    if (!row_is_projected(m, w, i)) memset(whole_J + i * nv, 0, (size_t)nv * sizeof(double));

  // mass matrix and rows on the free coordinates
  double *M = whole_M, *J = whole_J;

  if (n < nv) {
    M = arena_doubles(s, n * n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) M[i * n + j] = whole_M[m->free_v[i] * nv + m->free_v[j]];
    J = arena_doubles(s, r * n);
    td_free_columns(m, whole_J, r, J);
  }

  // while a rank is kept: as many rows as were independent, the same ones unless a singular
  // position was passed
  td_row_scale scale = {.most = -1};
  if (r > 0) scale = (td_row_scale){row, col, -1, NULL};

  if (r > 0 && keeps) {
    scale.most = w->rank.most;
    if (w->rank.most == w->rank.last) scale.order = w->rank_order;
  }

  // trunk and branches where all rows are independent, else the null-space method
  const arrow_shape shape = td_arrow_shape(m);
  const arena_mark mark = arena_open(s);
  d->parted = shape.nbranch > 0 && (scale.most < 0 || scale.most == r) &&
              td_arrow_factor(&d->arrow, &shape, M, J, &scale, TD_RANK_TOL, s);
  system->rank = d->arrow.rank;
  if (d->parted) return TD_OK;
  arena_close(s, mark);
  td_kkt_factor(&d->kkt, M, J, n, r, &scale, TD_RANK_TOL, s);
  system->rank = d->kkt.rank;
  return d->kkt.singular ? report_null_vector(m, w, &d->kkt, whole_M) : TD_OK;
}

// Solve for k right-hand sides on the free coordinates; prescribed ones get x = 0.
static void solve(const td_model* m, td_work* w, const td_system* system, const double* f,
                  const double* g, int k, double* x, double* l) {
  const dense_factors* d = system->factors;
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  const int n = m->nfree_v;
  const size_t line = (size_t)k * sizeof(double);
  const bool all = n == m->nvel;
  double* part = x;

  if (!all) {
    part = arena_doubles(s, n * k);
    for (int i = 0; i < n; i++) memcpy(part + i * k, f + m->free_v[i] * k, line);
    f = part;
  }

  // solve, and spread the solution over all velocities
  if (d->parted) {
    td_arrow_solve(&d->arrow, f, g, k, part, l, s);
  } else {
    td_kkt_solve(&d->kkt, f, g, k, part, l, s);
  }

  if (!all) {
    memset(x, 0, (size_t)m->nvel * line);
    for (int i = 0; i < n; i++) memcpy(x + m->free_v[i] * k, part + i * k, line);
  }

  arena_close(s, mark);
}

const system_ops td_system_dense = {.lasting = true, .width = 1, .factor = factor, .solve = solve};
