// Tangents of pieces of a rod that follow each other and have the same coordinates.  What they add
// to dF/dq and dF/dv,
//
//   Σ_pieces l w_s w_t K_ts          K: slopes of the forces on the strains, s and t coordinates
//
// is summed side by side, eight columns at a time, before it goes into the matrices.
#include <string.h>

#include "engine/stages.h"
#include "math/kernel.h"

static bool is_sum(const model_strain* f) { return f->nterm > 0 && f->coords < 0; }

static bool are_alike(const td_model* m, const model_strain* a, const model_strain* b) {
  if (!is_sum(b) || a->nterm != b->nterm) return false;
  const model_term *s = m->term + a->term, *t = m->term + b->term;
  for (int k = 0; k < a->nterm; k++)
    if (s[k].v != t[k].v || s[k].mode != t[k].mode) return false;
  return true;
}

int td_alike_end(const td_model* m, int first) {
  int end = first + 1;
  if (!is_sum(&m->strain[first])) return end;
  while (end < m->nstrain && are_alike(m, &m->strain[first], &m->strain[end])) end++;
  return end;
}

// Sums of a group: n rows of `blocks`, and of each strain what a piece adds to the rows of its
// coordinates per weight.
typedef struct sums {
  int n, blocks;
  lanes *dq, *dv;
  lanes* along[6];
} sums;

static sums sums_new(int n, arena* s) {
  sums x = {.n = n, .blocks = (n + LANES - 1) / LANES};
  const size_t row = (size_t)x.blocks * sizeof(lanes), all = (size_t)n * row;
  x.dq = memset(arena_bytes(s, all), 0, all);
  x.dv = memset(arena_bytes(s, all), 0, all);
  for (int i = 0; i < 6; i++) x.along[i] = memset(arena_bytes(s, row), 0, row);
  return x;
}

static void add_slopes(const td_model* m, const td_work* w, const model_strain* f, double K[6][6],
                       const sums* x, lanes* to) {
  const model_term* t = m->term + f->term;
  const double length = w->num[f->section + SECTION_LENGTH];
  unsigned modes = 0;
  for (int k = 0; k < x->n; k++) modes |= 1u << t[k].mode;
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < x->n && modes >> i & 1; k++)
      ((double*)x->along[i])[k] = w->num[t[k].weight] * K[t[k].mode][i];
  for (int s = 0; s < x->n; s++) {
    const double weight = length * w->num[t[s].weight];
    const lanes* along = x->along[t[s].mode];
    for (int b = 0; b < x->blocks; b++) to[s * x->blocks + b] += weight * along[b];
  }
}

// to -= the sums
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

void td_alike_tangent(const td_model* m, td_work* w, int first, int end, double* dq, double* dv) {
  const model_strain* f = &m->strain[first];
  const arena_mark mark = arena_open(&w->scratch);
  const sums x = sums_new(f->nterm, &w->scratch);
  for (int i = first; i < end; i++) {
    double Kx[6][6], Kv[6][6];
    td_basis_slopes(m, w, &m->strain[i], Kx, Kv);
    add_slopes(m, w, &m->strain[i], Kx, &x, x.dq);
    add_slopes(m, w, &m->strain[i], Kv, &x, x.dv);
  }
  subtract(m, f, &x, x.dq, dq);
  subtract(m, f, &x, x.dv, dv);
  arena_close(&w->scratch, mark);
}
