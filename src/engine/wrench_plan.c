// Plan of the sums of the inverse dynamics that make up the wrench inside a rod, wrench(rod(k), s).
//
// By equilibrium the section at s carries what everything beyond it needs,
//
//   W(s) = Σ_j (I A + V ×* I V - f)_j      over everything beyond s.
//
// The masses and loads of 'gvs' and 'rom' rods act at their quadrature points.  A point x_i of a
// panel [a, b] with weight w_i counts with the share of it that lies beyond s,
//
//   c_i = 1/w_i ∫_s^b ℓ_i(x) dx,
//
// where ℓ_i is the polynomial that is 1 at x_i and 0 at the panel's other points, so that W is as
// accurate as the quadrature.  Whatever is attached to the rod counts when it is at s or beyond.
// td_inverse leaves the sums over subtrees in hop.F; the own wrench of a hop is its F minus those
// of its children, and W is a sum of some of them: one at the base, a few more elsewhere.
//
// Rods of segments ('srl', 'ebr', 'eba') have the wrench at their base and in the middle of each
// segment, also by equilibrium, and linear in between.  Beyond the last middle it is refused
// (build_expr.c).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/stages.h"
#include "math/quadrature.h"
#include "model/arrays.h"

enum { MOST_PANEL = 64 };  // points of a panel; larger ones are taken as cells

// Append factor times the wrench of a hop or of a segment to a probe.
static td_status add_share(td_model* m, model_probe* p, int hop, int strain, double factor) {
  if (factor == 0) return TD_OK;
  model_share* s = td_push_share(m, 1);
  if (!s) return TD_E_NOMEM;
  *s = (model_share){hop, strain, factor};
  p->nshare++;
  return TD_OK;
}

// The hop at the base of a rod, which belongs to it alone where wrenches are requested
// (build_rods.c).
static int base_hop(const td_model* m, int rod) {
  for (int i = 0; i < m->nstation; i++)
    if (m->station[i].rod == rod && m->station[i].arc == 0 && !m->station[i].moved)
      return m->station[i].hop;
  return -1;
}

// ---- segments ---------------------------------------------------------------------------------

// The hop of a segment's joint; -1: none of its strains is free.
static int joint_hop(const td_model* m, const model_strain* f) {
  for (int d = 0; d < 6; d++)
    for (int c = 0; f->dof_v[d] >= 0 && c < m->ncol; c++)
      if (m->col[c].v == f->dof_v[d] && m->col[c].first) return m->col[c].hop;
  return -1;
}

// Shares of a rod of segments: linear interpolation between the two middles around s.
static td_status segment_shares(td_model* m, model_probe* p) {
  // the middles before and behind s; before the first there is the base
  int before = -1, behind = -1;

  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    if (f->rod != p->rod) continue;
    if (!strain_is_link(f) && joint_hop(m, f) < 0) continue;
    if (f->arc <= p->arc && (before < 0 || f->arc > m->strain[before].arc)) before = i;
    if (f->arc > p->arc && (behind < 0 || f->arc < m->strain[behind].arc)) behind = i;
  }

  // the line through their wrenches at s
  const double x = before < 0 ? 0 : m->strain[before].arc;
  const double s = behind < 0 ? 0 : (p->arc - x) / (m->strain[behind].arc - x);
  if (before < 0) TD_TRY(add_share(m, p, base_hop(m, p->rod), -1, 1 - s));

  for (int k = 0; k < 2; k++) {
    const int i = k == 0 ? before : behind;
    if (i < 0) continue;
    const bool link = strain_is_link(&m->strain[i]);
    const double factor = k == 0 ? 1 - s : s;
    TD_TRY(add_share(m, p, link ? -1 : joint_hop(m, &m->strain[i]), link ? i : -1, factor));
  }

  return TD_OK;
}

// ---- quadrature -------------------------------------------------------------------------------

// ∫ from s to b of the polynomial that is 1 at x[i] and 0 at the other points of the panel.
static double lagrange_integral(const double* x, int n, int i, double s, double b) {
  double at[MOST_PANEL], weight[MOST_PANEL], sum = 0;
  const int points = n / 2 + 1;
  td_gauss(points, at, weight);
  for (int k = 0; k < points; k++) {
    double l = 1;
    for (int j = 0; j < n; j++)
      if (j != i) l *= (s + at[k] * (b - s) - x[j]) / (x[i] - x[j]);
    sum += weight[k] * (b - s) * l;
  }
  return sum;
}

// The shares beyond s of n points on [a, b].  Points whose weights are not those of their
// polynomials (rectangles, a user's own) count as consecutive cells.
static void panel_shares(const double* x, const double* w, int n, double a, double b, double s,
                         double* share) {
  // are the weights those of the polynomials through the points?
  bool polynomials = n <= MOST_PANEL;
  for (int i = 0; i < n && polynomials; i++)
    polynomials = fabs(lagrange_integral(x, n, i, a, b) - w[i]) < 1e-6 * (b - a);
  double cell = a;

  // share of each point: all, none, by its polynomial or by its cell
  for (int i = 0; i < n; i++) {
    cell += w[i];
    if (s <= a)
      share[i] = 1;
    else if (s >= b)
      share[i] = 0;
    else if (polynomials)
      share[i] = lagrange_integral(x, n, i, s, b) / w[i];
    else
      share[i] = fmin(1, fmax(0, (cell - s) / w[i]));
  }
}

// Order of samples by arc length.
static int by_arc(const void* a, const void* b) {
  const double x = ((const model_sample*)a)->arc, y = ((const model_sample*)b)->arc;
  return x < y ? -1 : x > y;
}

// The share beyond s of the rod's own wrench on each hop, NAN for hops that are not of the rod;
// `beyond`: whether what is attached to the hop lies beyond s.
static td_status hop_shares(const td_model* m, const model_probe* p, double* share, bool* beyond) {
  const double length = m->rod[p->rod - 1].length, eps = 1e-9 * length;
  for (int i = 0; i < m->nhop; i++) share[i] = NAN;

  // stations without weight
  for (int i = 0; i < m->nstation; i++) {
    const model_station* at = &m->station[i];
    if (at->rod != p->rod || at->moved || at->hop < 0 || at->arc < eps) continue;
    beyond[at->hop] = at->arc >= p->arc - eps;
    share[at->hop] = beyond[at->hop];
  }

  // quadrature points, sorted along the rod
  model_sample* list = malloc(((size_t)m->nsample + 1) * sizeof *list);
  double* room = malloc(3 * ((size_t)m->nsample + 1) * sizeof *room);
  if (!list || !room) {
    free(list);
    free(room);
    return TD_E_NOMEM;
  }

  int count = 0;
  for (int i = 0; i < m->nsample; i++)
    if (m->sample[i].rod == p->rod) list[count++] = m->sample[i];
  qsort(list, (size_t)count, sizeof *list, by_arc);

  // panel after panel: a panel ends at a point without weight, or when its points integrate a
  // linear function exactly, which no proper subset of a rule's points does
  double from = 0, *x = room, *w = x + count, *c = w + count;

  for (int first = 0; first < count;) {
    int n = 0;
    double to = from, moment = 0;
    bool whole = false;
    while (!whole && first + n < count && list[first + n].weight > 0) {
      x[n] = list[first + n].arc;
      w[n] = list[first + n].weight;
      to += w[n];
      moment += w[n] * x[n];
      n++;
      whole = fabs(moment - 0.5 * (to * to - from * from)) < 1e-10 * length * length;
    }
    panel_shares(x, w, n, from, to, p->arc, c);
    for (int i = 0; i < n; i++) {
      const int hop = m->station[list[first + i].station].hop;
      if (hop >= 0) share[hop] = c[i];
    }
    first += n;
    from = to;
    if (first < count && list[first].weight == 0) first++;
  }

  free(list);
  free(room);
  return TD_OK;
}

// Shares of a rod with quadrature points, as factors of the sums hop.F.
static td_status quadrature_shares(td_model* m, model_probe* p) {
  const size_t n = (size_t)m->nhop + 1;
  double* share = malloc(n * sizeof *share);
  bool* beyond = calloc(n, sizeof *beyond);
  td_status status = share && beyond ? hop_shares(m, p, share, beyond) : TD_E_NOMEM;

  // hops of one group place a frame together, and only the last has a station
  for (int i = m->nhop - 1; i >= 0 && status == TD_OK; i--) {
    const int parent = m->hop[i].parent;
    if (parent >= 0 && !isnan(share[i]) && isnan(share[parent]) &&
        m->hop[parent].group == m->hop[i].group) {
      share[parent] = share[i];
      beyond[parent] = beyond[i];
    }
  }

  // the own wrench is F minus the F of the children: factor of F = own share minus that of the
  // parent
  for (int i = 0; i < m->nhop && status == TD_OK; i++) {
    const int parent = m->hop[i].parent;
    const bool on_rod = parent >= 0 && !isnan(share[parent]);
    const double own = !isnan(share[i]) ? share[i] : on_rod && beyond[parent] ? 1 : 0;
    const double factor = own - (on_rod ? share[parent] : 0);
    if (isnan(share[i]) && !on_rod) continue;
    status = add_share(m, p, i, -1, fabs(factor) < 1e-14 ? 0 : factor);
  }

  free(share);
  free(beyond);
  return status;
}

// Find the shares of all wrench() probes.
td_status td_wrench_plan(td_model* m) {
  for (int i = 0; i < m->nprobe; i++) {
    model_probe* p = &m->probe[i];
    if (!sensor_is(p->kind, OF_SECTION)) continue;

    // the six components of a section share their terms
    int twin = 0;
    while (twin < i && !(m->probe[twin].kind == p->kind && m->probe[twin].rod == p->rod &&
                         m->probe[twin].arc == p->arc))
      twin++;
    p->share = twin < i ? m->probe[twin].share : m->nshare;
    p->nshare = twin < i ? m->probe[twin].nshare : 0;
    if (twin < i) continue;

    // at the base a hop of its own carries the whole rod
    if (p->arc < 1e-9 * m->rod[p->rod - 1].length) {
      TD_TRY(add_share(m, p, base_hop(m, p->rod), -1, 1));
      continue;
    }

    // elsewhere by segments or by quadrature points
    bool segments = false;
    for (int k = 0; k < m->nstrain && !segments; k++)
      segments = m->strain[k].rod == p->rod && strain_is_segment(&m->strain[k]);
    TD_TRY(segments ? segment_shares(m, p) : quadrature_shares(m, p));
  }

  return TD_OK;
}
