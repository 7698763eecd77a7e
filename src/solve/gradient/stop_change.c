// Exact derivatives of the times of stops (stop_change.h).
#include "solve/gradient/stop_change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/vectors.h"

// True when e consists of pieces of lines in time, whose crossings are stops (expr/stops.c).
static bool is_straight(td_exprs* g, ex e, int time_var) {
  int n = 0;
  ex* part = td_ex_needed(g, &e, 1, &n);
  bool lines = part != NULL;
  for (int i = 0; i < n && lines; i++) {
    if (!(td_ex_depends(g, part[i]) & TD_ON_TIME)) continue;
    switch (td_ex_op(g, part[i])) {
      case EX_POW:
      case EX_SQRT:
      case EX_EXP:
      case EX_LOG:
      case EX_SIN:
      case EX_COS:
      case EX_TAN:
      case EX_ASIN:
      case EX_ACOS:
      case EX_ATAN:
      case EX_ATAN2:
      case EX_SINH:
      case EX_COSH:
      case EX_TANH:
      case EX_HYPOT:
        lines = false;
        break;
      case EX_TABLE:
        lines = td_exprs_table(g, td_ex_table_of(g, part[i])).order <= 2;
        break;
      default:
        break;
    }
  }
  free(part);
  if (!lines) return false;
  const ex bend = td_ex_diff(g, td_ex_diff(g, e, time_var), time_var);
  return td_ex_is_const(g, bend) && td_ex_value(g, bend) == 0;
}

// Mark the nodes of prescribed motions and strains: runs stop at all of their corners.
static bool mark_motion(const td_model* m, bool* mark) {
  ex* e = malloc(((size_t)m->nnumber_ex + 1) * sizeof(ex));
  int n = 0, count = 0;
  if (e == NULL) return false;
  for (int i = 0; i < m->nvel; i++)
    if (m->vel[i].motion != NUM_NONE) e[n++] = m->number_ex[m->vel[i].motion];
  for (int i = 0; i < m->nrow && n < m->nnumber_ex; i++)
    if (m->row[i].motion != NUM_NONE) e[n++] = m->number_ex[m->row[i].motion];
  for (int i = 0; i < m->nhop; i++)
    for (int k = 0; m->hop[i].dependent && k < 6 * m->hop[i].nodes && n < m->nnumber_ex; k++)
      e[n++] = m->number_ex[m->hop[i].value + k];
  ex* part = n > 0 ? td_ex_needed(m->graph, e, n, &count) : NULL;
  for (int i = 0; i < count; i++) mark[part[i]] = true;
  const bool ok = n == 0 || part != NULL;
  free(part);
  free(e);
  return ok;
}

// Add the clock of a node that follows time and parameters alone, if it has one.
static bool add_clock(td_stop_change* x, ex node, bool motion, int time_var, int* cap, ex** list) {
  td_exprs* g = x->graph;
  const unsigned on = td_ex_depends(g, node);
  if (!(on & TD_ON_TIME) || (on & ~(unsigned)(TD_ON_TIME | TD_ON_PARAM))) return true;
  td_stop_clock c = {.of = node};
  ex clock = EX_NONE;
  const td_clock kind = td_ex_clock(g, node, &clock);
  c.jumps = kind == TD_CLOCK_JUMP;
  const int table = td_ex_table_of(g, node);
  if (kind == TD_CLOCK_NONE) {
    // tables: those that are shifted by a parameter
    clock = table >= 0 ? td_ex_arg(g, node, 0) : EX_NONE;
    if (clock == EX_NONE || !(td_ex_depends(g, clock) & TD_ON_PARAM)) return true;
    c.knots = td_exprs_table(g, table).n;
    c.jumps = true;
  }
  if (clock == EX_NONE) return false;
  if (td_ex_is_const(g, clock)) return true;
  for (int i = 0; i < 2 && c.jumps && !motion && !c.missed; i++) {
    const ex operand = table >= 0 && i > 0 ? EX_NONE : td_ex_arg(g, node, i);
    if (operand != EX_NONE) c.missed = !is_straight(g, operand, time_var);
  }
  td_stop_clock* grown = td_grow(x->clock, cap, x->n + 1, sizeof *grown);
  if (grown == NULL) return false;
  x->clock = grown;
  ex* longer = realloc(*list, ((size_t)x->n + 1) * sizeof(ex));
  if (longer == NULL) return false;
  *list = longer;
  longer[x->n] = clock;
  x->clock[x->n++] = c;
  return true;
}

td_status td_stop_change_new(const td_model* m, td_stop_change* x) {
  *x = (td_stop_change){0};
  if (m->nstop_ex == 0) return TD_OK;
  ex *all = malloc(((size_t)m->nnumber_ex + (size_t)m->nstop_ex) * sizeof(ex)), *clocks = NULL;
  bool* motion = calloc((size_t)td_exprs_count(m->graph) + 1, sizeof(bool));
  x->graph = td_exprs_copy(m->graph);
  bool ok = all != NULL && motion != NULL && x->graph != NULL && mark_motion(m, motion);

  // the clocks of everything that follows time, rates of prescribed motion included
  int n = 0, count = 0, cap = 0;
  for (int i = 0; ok && i < m->nnumber_ex; i++)
    if (m->number_ex[i] != EX_NONE && (td_ex_depends(m->graph, m->number_ex[i]) & TD_ON_TIME))
      all[n++] = m->number_ex[i];
  for (int i = 0; ok && i < m->nstop_ex; i++) all[n++] = m->stop_ex[i];
  ex* part = ok ? td_ex_needed(x->graph, all, n, &count) : NULL;
  ok = ok && part != NULL;
  for (int i = 0; ok && i < count; i++)
    ok = add_clock(x, part[i], motion[part[i]], m->time_var, &cap, &clocks);

  // one tape for them; tables are where they are from now on
  for (int i = 0; ok && i < x->n; i++)
    if (x->clock[i].knots > 0)
      x->clock[i].knot = td_exprs_table(x->graph, td_ex_table_of(x->graph, x->clock[i].of)).knots;
  if (ok && x->n > 0) {
    x->tape = td_tape_new(x->graph, clocks, x->n);
    const size_t scratch = x->tape != NULL ? 2 * (size_t)td_tape_scratch(x->tape) : 0;
    x->value = calloc(3 * (size_t)x->n + 2 * (size_t)m->nvar + scratch + 1, sizeof(double));
    ok = x->tape != NULL && x->value != NULL;
    x->rate = ok ? x->value + x->n : NULL;
    x->d = ok ? x->rate + x->n : NULL;
    x->dvar = ok ? x->d + x->n : NULL;
    x->scratch = ok ? x->dvar + 2 * m->nvar : NULL;
  }
  ok = ok && !td_exprs_failed(x->graph);
  free(all);
  free(motion);
  free(part);
  free(clocks);
  return ok ? TD_OK : TD_E_NOMEM;
}

void td_stop_change_free(td_stop_change* x) {
  td_tape_free(x->tape);
  td_exprs_free(x->graph);
  free(x->clock);
  free(x->value);
}

// True when clock i turns at the time at which the tape has been evaluated.
static bool turns(const td_stop_change* x, int i, double near) {
  const double c = x->value[i], away = fabs(x->rate[i]) * near;
  if (x->rate[i] == 0) return false;
  bool here = x->clock[i].knots == 0 && fabs(c) <= away;
  for (int j = 0; j < x->clock[i].knots && !here; j++) here = fabs(c - x->clock[i].knot[j]) <= away;
  return here;
}

// Jumps decide; corners where nothing jumps, since what acts may follow from the rate of a number.
void td_stop_change_at(td_stop_change* x, int time_var, const double* vars, double t, double near,
                       const int* var, int k, double* dt, bool* apart) {
  memset(dt, 0, (size_t)k * sizeof(double));
  *apart = false;
  if (x->n == 0 || k == 0) return;
  const int nvar = (int)(x->scratch - x->dvar) / 2;
  double *now = x->dvar + nvar, *along = x->dvar;
  copy(now, vars, nvar);
  now[time_var] = t;

  // which clocks turn
  memset(along, 0, (size_t)nvar * sizeof(double));
  along[time_var] = 1;
  td_tape_diff(x->tape, now, along, x->scratch, x->value, x->rate);
  along[time_var] = 0;
  bool jumps = false;
  for (int i = 0; i < x->n; i++) jumps = jumps || (x->clock[i].jumps && turns(x, i, near));

  // by each variable
  for (int j = 0; j < k; j++) {
    if (var[j] < 0) continue;
    along[var[j]] = 1;
    td_tape_diff(x->tape, now, along, x->scratch, x->value, x->d);
    along[var[j]] = 0;
    bool first = true;
    for (int i = 0; i < x->n; i++) {
      if (x->clock[i].jumps != jumps || !turns(x, i, near)) continue;
      const double moved = -x->d[i] / x->rate[i];
      // two clocks of one time differ by rounding
      if (!first && fabs(moved - dt[j]) > 1e-9 * (fabs(moved) + fabs(dt[j]))) *apart = true;
      if (first) dt[j] = moved;
      first = false;
    }
  }
}

ex td_stop_change_missed(const td_model* m, const td_stop_change* x, int var) {
  for (int i = 0; i < x->n; i++)
    if (x->clock[i].missed && td_ex_has_var(m->graph, x->clock[i].of, var)) return x->clock[i].of;
  return EX_NONE;
}
