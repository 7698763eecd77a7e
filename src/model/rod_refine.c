// Refined rods: the same rod in another space, by which the error of its discretisation is judged
// (solve/accuracy).  td_spec.refine says how: elements are divided and orders raised.  Parts are
// changed before the builder of the rod model reads them, and every coordinate of the refined rod
// that follows linearly from those of the written rod is recorded as a sum of these (model_lift).
//
// Places at which strains may jump (ends of cables and chambers, attachments, step, abs and the
// like of s in what is written along the rod) become boundaries of parts of a 'gvs' rod: an
// indicator does not see a jump inside an element.  The other models keep equal segments; where
// such a place is inside a segment, model_rod.jumps tells.
#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "model/cables.h"
#include "model/gvs.h"

// ---- jumps in what is written along a rod
// ---------------------------------------------------------

enum { SAMPLES = 400, MOST_JUMPS = 64 };

// On which side of its jump or corner a node is: a number that changes there alone.
static double side_of(const td_exprs* g, ex e, const double* vars) {
  const ex_op op = td_ex_op(g, e);
  double x[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    const bool two = op == EX_MIN || op == EX_MAX || op == EX_LT || op == EX_LE || op == EX_EQ ||
                     op == EX_NE || op == EX_STEP || op == EX_MOD;
    if (i == 0 || two) x[i] = td_ex_eval(g, td_ex_arg(g, e, i), vars);
  }
  if (op == EX_FLOOR || op == EX_CEIL || op == EX_ROUND) return td_ex_eval(g, e, vars);
  if (op == EX_MOD) return floor(x[0] / x[1]);
  if (op == EX_IFELSE) return x[0] != 0;
  if (op != EX_TABLE) return x[0] - x[1] >= 0;
  const td_ex_pieces t = td_exprs_table(g, td_ex_table_of(g, e));
  int k = 0;
  while (k < t.n && t.knots[k] <= x[0]) k++;
  return k;
}

// Add the places at which a number of a rod jumps or has a corner along it, at the parameters'
// present values: each operation that may is looked at in equal distances, and by halves where it
// changes.  What follows from the state, or jumps too often, is noted as hidden.
static td_status jumps_of(builder* b, int rod, ex e, rod_places* out) {
  const td_exprs* g = b->spec->graph;
  const int along = TD_ON_ARC | TD_ON_HERE | TD_ON_STRAIN;
  const double length = b->rod[rod].length;
  if (!((unsigned)td_ex_depends(g, e) & (unsigned)along) || td_ex_smoothness(g, e, along) > 0)
    return TD_OK;
  int n = 0;
  ex* nodes = td_ex_needed(g, &e, 1, &n);
  double* vars = td_build_trial(b, 0);
  td_status status = nodes && vars ? TD_OK : TD_E_NOMEM;
  for (int i = 0; i < n && status == TD_OK; i++) {
    // an operation that is not smooth by itself
    const ex_op op = td_ex_op(g, nodes[i]);
    const unsigned on = td_ex_depends(g, nodes[i]);
    const bool corner = op == EX_ABS || op == EX_MIN || op == EX_MAX || op == EX_MOD ||
                        op == EX_SIGN || op == EX_STEP || op == EX_FLOOR || op == EX_CEIL ||
                        op == EX_ROUND || op == EX_LT || op == EX_LE || op == EX_EQ ||
                        op == EX_NE || op == EX_IFELSE;
    const bool knots = op == EX_TABLE && td_ex_smoothness(g, nodes[i], along) <= 0;
    if (!(on & (unsigned)along) || !(corner || knots)) continue;
    if (on & ~(unsigned)(TD_ON_ARC | TD_ON_PARAM | TD_ON_TIME)) b->m->rod[rod].hidden = true;
    if (!(on & TD_ON_ARC)) continue;

    // where it changes sides
    double before = 0;
    for (int k = 0; k <= SAMPLES && status == TD_OK; k++) {
      double low = (k - 1) * length / SAMPLES, high = k * length / SAMPLES;
      vars[b->spec->arc_var] = high;
      const double side = side_of(g, nodes[i], vars), first = before;
      before = side;
      if (k == 0 || side == first) continue;
      for (int half = 0; half < 60; half++) {
        const double middle = 0.5 * (low + high);
        vars[b->spec->arc_var] = middle;
        *(side_of(g, nodes[i], vars) == first ? &low : &high) = middle;
      }
      if (high > 1e-9 * length && high < (1 - 1e-9) * length && out->n < MOST_JUMPS)
        status = td_rod_want(b, rod, high, out);
      if (out->n >= MOST_JUMPS) b->m->rod[rod].hidden = true;
    }
  }
  free(nodes);
  free(vars);
  return status;
}

// ... of all numbers of a value.
static td_status jumps_in(builder* b, int rod, const value* v, rod_places* out) {
  for (int i = 0; v && v->kind == V_NUM && i < td_value_count(v); i++)
    TD_TRY(jumps_of(b, rod, td_value_ex(v, i, b->spec->graph), out));
  return TD_OK;
}

// ... of section, material, shape and loads of its parts, and of paths of cables and chambers.
static td_status written_jumps(builder* b, int rod, rod_places* out) {
  const build_rod* r = &b->rod[rod];
  for (int i = 0; i < r->npart; i++) {
    const rod_words* w = &r->part[i].w;
    const value* const fields[] = {
        w->radius, w->width, w->height,    w->area,   w->Ix,      w->Iy,      w->J,    w->E,
        w->G,      w->nu,    w->shear,     w->rho,    w->eta,     w->visc,    w->pow,  w->shape,
        w->load,   w->input, w->stiffness, w->energy, w->damping, w->inertia, w->init, w->rate};
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
      TD_TRY(jumps_in(b, rod, fields[k], out));
  }
  for (int i = 0; b->cables && i < td_value_count(b->cables); i++)
    for (int k = 0; k < td_cable_rods(b, i); k++)
      if (td_cable_rod(b, i, k) == rod + 1) TD_TRY(jumps_in(b, rod, b->cable[i].path, out));
  for (int i = 0; b->chambers && i < td_value_count(b->chambers); i++) {
    const chamber_words w = chamber_read(b->chambers, i);
    if ((w.rod ? (int)w.rod->x[0] : 1) != rod + 1) continue;
    TD_TRY(jumps_in(b, rod, w.offset, out));
    TD_TRY(jumps_in(b, rod, w.area, out));
    TD_TRY(jumps_in(b, rod, w.pressure, out));
  }
  return TD_OK;
}

td_status td_rod_jumps(builder* b, int rod, rod_places* out) {
  rod_split ends[MOST_JUMPS];
  TD_TRY(td_rod_attached(b, rod, out));
  const int n = td_rod_splits(b, rod, ends, MOST_JUMPS);
  for (int i = 0; i < min_int(n, MOST_JUMPS); i++) TD_TRY(td_rod_want(b, rod, ends[i].arc, out));
  TD_TRY(written_jumps(b, rod, out));
  if (n > MOST_JUMPS) b->m->rod[rod].hidden = true;
  if (out->n > 1) qsort(out->arc, (size_t)out->n, sizeof(double), ascending);
  while (out->n > 0 && out->arc[out->n - 1] > (1 - 1e-9) * b->rod[rod].length) out->n--;
  return TD_OK;
}

// Number the segments of all parts anew.
static void renumber(build_rod* r) {
  r->n = 0;
  for (int i = 0; i < r->npart; i++) {
    r->part[i].first = r->n;
    r->n += r->part[i].n;
  }
}

// Set model_rod.jumps if a jump is not at the end of a part nor, with `segments`, of one of its
// equal written segments; number the segments.
static td_status note_jumps(builder* b, int rod, bool segments) {
  build_rod* r = &b->rod[rod];
  rod_places jumps = {0};
  const td_status status = td_rod_jumps(b, rod, &jumps);
  for (int k = 0; status == TD_OK && k < jumps.n; k++) {
    const rod_part* p = td_rod_part_at(b, rod, jumps.arc[k]);
    const double x = (jumps.arc[k] - p->from) / p->length * (segments ? p->whole_n : 1);
    if (fabs(x - round(x)) > 1e-6) b->m->rod[rod].jumps = true;
  }
  td_rod_places_free(&jumps);
  renumber(r);
  return status;
}

// ---- segments ---------------------------------------------------------------------------------

// Divide segments, or put pairs of them together.
static td_status refine_segments(builder* b, int rod) {
  const spec_refine* how = &b->spec->refine;
  build_rod* r = &b->rod[rod];
  for (int i = 0; i < r->npart; i++) {
    rod_part* p = &r->part[i];
    p->n = how->split > 1 ? p->n * how->split : max_int(1, (p->n + 1) / 2);
  }
  return note_jumps(b, rod, true);
}
td_status td_refine_rod_srl(builder* b, int rod) { return refine_segments(b, rod); }
td_status td_refine_rod_ebr(builder* b, int rod) { return refine_segments(b, rod); }
td_status td_refine_rod_eba(builder* b, int rod) { return refine_segments(b, rod); }

// The strain of a segment is the mean of those of the written segments that it overlaps,
//
//   q'/l' = Σ (overlap/l') q/l
//
// Segments of a part have the same free strains, so that the coordinates are counted part by part.
td_status td_rod_lift_segments(builder* b, int rod) {
  const build_rod* r = &b->rod[rod];
  int written = 0;  // coordinates of the written rod before the part
  for (int i = 0; i < r->npart; i++) {
    const rod_part* p = &r->part[i];
    int mode[6], nmode = 0;
    for (int d = 0; d < 6; d++)
      mode[d] = td_rod_mode(b, rod, d, p->from + 0.5 * p->length) ? nmode++ : -1;
    const double l = p->length / p->n, L = p->length / p->whole_n;
    for (int j = 0; j < b->m->npos; j++) {
      const model_dof* dof = &b->m->pos[j];
      const int k = dof->element - 1 - p->first;
      if (dof->rod != rod + 1 || k < 0 || k >= p->n) continue;
      int v = 0;
      while (b->m->vel[v].partner != j) v++;
      for (int s = 0; s < p->whole_n; s++) {
        const double overlap = fmin((k + 1) * l, (s + 1) * L) - fmax(k * l, s * L);
        if (overlap > 1e-9 * l)
          TD_TRY(td_rod_lift(b, rod, j, v, written + s * nmode + mode[dof->dof - 1], overlap / L));
      }
    }
    written += nmode * p->whole_n;
  }
  return TD_OK;
}

// ---- polynomials ------------------------------------------------------------------------------

// The polynomials of position and rotation have one element in each part.
td_status td_refine_rod_rom(builder* b, int rod) {
  const spec_refine* how = &b->spec->refine;
  build_rod* r = &b->rod[rod];
  for (int i = 0; i < r->npart; i++) {
    rod_part* p = &r->part[i];
    p->n = max_int(1, p->n + how->raise + (how->split > 1));
  }
  return note_jumps(b, rod, false);
}

// Parts are cut at jumps, and then at the ends of elements too, so that the strains of the written
// rod are in the space of the refined one.  Stretches keep their shares of the part when a
// parameter changes its length.  A jump that does not is at a border that moves, of which the
// parameters are settled as everywhere (breaks() and mark_places() in build_gvs.c).
td_status td_refine_rod_gvs(builder* b, int rod) {
  build_rod* r = &b->rod[rod];
  rod_places cuts = {0};
  td_status status = td_rod_jumps(b, rod, &cuts);
  const int njump = cuts.n;
  if (status != TD_OK || njump == 0) {
    td_rod_places_free(&cuts);
    return status;
  }

  // ends of elements of the parts in which there is a jump
  for (int i = 0; i < r->npart && status == TD_OK; i++) {
    const rod_part* p = &r->part[i];
    bool jumps = false;
    for (int k = 0; k < njump; k++)
      jumps = jumps || (cuts.arc[k] > p->from + 1e-9 * r->length &&
                        cuts.arc[k] < p->from + p->length - 1e-9 * r->length);
    for (int d = 0; d < 6 && jumps && !p->w.strain; d++) {
      const int elements = td_gvs_elements(p, d);
      for (int e = 1; e < elements && status == TD_OK; e++)
        status = td_rod_want(b, rod, p->from + e * p->length / elements, &cuts);
    }
  }
  if (cuts.n > 1) qsort(cuts.arc, (size_t)cuts.n, sizeof(double), ascending);

  // stretches of parts; those with strains that are written out stay whole
  rod_part* part = status == TD_OK ? calloc((size_t)(r->npart + cuts.n), sizeof *part) : NULL;
  if (!part) {
    td_rod_places_free(&cuts);
    return status == TD_OK ? TD_E_NOMEM : status;
  }
  int n = 0;
  for (int i = 0; i < r->npart; i++) {
    rod_part p = r->part[i];
    const double end = p.from + p.length, eps = 1e-9 * r->length;
    const ex from = p.from_ex, length = p.length_ex;
    double share = 0;  // of the part before the stretch
    for (int k = 0; k < cuts.n && !p.w.strain; k++) {
      if (!(cuts.arc[k] > p.from + eps && cuts.arc[k] < end - eps)) continue;
      const double next = (cuts.arc[k] - p.whole_from) / p.whole_length;
      p.length = cuts.arc[k] - p.from;
      p.length_ex = times(b, next - share, length);
      part[n++] = p;
      p.from = cuts.arc[k];
      p.from_ex = add(b, from, times(b, next, length));
      share = next;
    }
    p.length = end - p.from;
    if (share > 0) p.length_ex = times(b, 1 - share, length);
    part[n++] = p;
  }
  free(r->part);
  r->part = part;
  r->npart = n;
  r->nmark = 0;  // places are noted again, as shares of the stretches (td_rod_mark)
  renumber(r);
  td_rod_places_free(&cuts);
  return TD_OK;
}
