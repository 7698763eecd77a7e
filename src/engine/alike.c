// Tangents of consecutive pieces of a rod whose strains are sums of the same coordinates.  Such
// pieces add
//
//   Σ_pieces l w_s w_t K_ts          K: slopes of the forces by the strains, s and t coordinates
//
// to dF/dq and dF/dv.  The sum is formed in a compact matrix, eight columns at a time, before it is
// subtracted from the tangents.
#include <string.h>

#include "engine/stages.h"
#include "math/kernel.h"

// True when the strains of a piece are sums of coordinates with constant weights.
static bool is_sum(const model_strain* f) { return f->nterm > 0 && f->coords < 0; }

// First piece behind `first` whose coordinates or modes differ from those of `first`.
int td_alike_end(const td_model* m, int first) {
  const model_strain* a = &m->strain[first];
  int end = first + 1;
  for (; is_sum(a) && end < m->nstrain; end++) {
    const model_strain* b = &m->strain[end];
    if (!is_sum(b) || a->nterm != b->nterm) return end;
    const model_term *s = m->term + a->term, *t = m->term + b->term;
    for (int k = 0; k < a->nterm; k++)
      if (s[k].v != t[k].v || s[k].mode != t[k].mode) return end;
  }
  return end;
}

// Compact sums of a group of pieces: n rows of `blocks` vectors, and for each strain i the row
// along[i] = (w_k K_ki), which the rows of all coordinates of that strain share up to their weight.
typedef struct sums {
  int n, blocks;
  lanes *dq, *dv;
  lanes* along[6];
} sums;

// Add what one piece contributes: to[s][k] += l w_s w_k K[mode of k][mode of s].
static void add_slopes(const td_model* m, const td_work* w, const model_strain* f, double K[6][6],
                       const sums* x, lanes* to) {
  const model_term* t = m->term + f->term;
  const double length = w->num[f->section + SECTION_LENGTH];

  // weight the slopes once for each strain that occurs
  unsigned modes = 0;
  for (int k = 0; k < x->n; k++) modes |= 1u << t[k].mode;
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < x->n && modes >> i & 1; k++)
      ((double*)x->along[i])[k] = w->num[t[k].weight] * K[t[k].mode][i];

  // add them to the rows of all coordinates of that strain
  for (int s = 0; s < x->n; s++) {
    const double weight = length * w->num[t[s].weight];
    const lanes* along = x->along[t[s].mode];
    for (int b = 0; b < x->blocks; b++) to[s * x->blocks + b] += weight * along[b];
  }
}

// Subtract the compact sums from a tangent matrix (nvel x nvel).
static void subtract(const td_model* m, const model_strain* f, const sums* x, const lanes* from,
                     double* to) {
  const model_term* t = m->term + f->term;
  bool ascend = true;
  for (int k = 1; k < x->n && ascend; k++) ascend = t[k].v == t[k - 1].v + 1;
  for (int s = 0; s < x->n; s++) {
    const double* row = (const double*)(from + s * x->blocks);
    double* at = to + t[s].v * m->nvel;
    if (ascend) axpy(-1, row, at + t[0].v, x->n);
    for (int k = 0; k < x->n && !ascend; k++) at[t[k].v] -= row[k];
  }
}

// Subtract the tangents of the pieces first .. end - 1 from dF/dq and dF/dv in one go.
void td_alike_tangent(const td_model* m, td_work* w, int first, int end, double* dq, double* dv) {
  const model_strain* f = &m->strain[first];
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);

  // zero sums
  sums x = {.n = f->nterm, .blocks = (f->nterm + LANES - 1) / LANES};
  const size_t row = (size_t)x.blocks * sizeof(lanes), all = (size_t)x.n * row;
  x.dq = memset(arena_bytes(s, all), 0, all);
  x.dv = memset(arena_bytes(s, all), 0, all);
  for (int i = 0; i < 6; i++) x.along[i] = memset(arena_bytes(s, row), 0, row);

  // add all pieces, then subtract the sums
  for (int i = first; i < end; i++) {
    double Kx[6][6], Kv[6][6];
    td_basis_slopes(m, w, &m->strain[i], Kx, Kv);
    add_slopes(m, w, &m->strain[i], Kx, &x, x.dq);
    add_slopes(m, w, &m->strain[i], Kv, &x, x.dv);
  }
  subtract(m, f, &x, x.dq, dq);
  subtract(m, f, &x, x.dv, dv);
  arena_close(s, mark);
}
