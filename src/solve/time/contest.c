// The contest between solvers; see the header.
#include "solve/time/contest.h"

#include <string.h>

// Steps that each needs to get going, and that a stretch has at least: a step of BDF is about one
// evaluation, one of the others ten or more.
static const long starts[TD_METHODS] = {4, 30, 5};
static const long least[TD_METHODS] = {64, 150, 30};
// The same for leaps of networks, where a look at the spectrum costs as much as a hundred of them.
static const long least_leaps = 512;
// The least part of all work that a stretch of the champion and a trial are.
static const double stretch_part[TD_METHODS] = {0.3, 0.2, 0.2}, trial_part = 0.05;
// A challenger wins if it saves this much; who lost waits until all work is this many times more.
static const double saving = 0.05, patience = 2;
// A trial may cost this part of the work that is left.
static const double stake = 0.1;

// Prices of dense problems are found by counting products, two a nanosecond, and calls; k
// velocities.  Those of large problems are measured, an evaluation being 1.
void td_contest_price(td_contest* c, const td_ode* ode) {
  const double n = ode->n, k = ode->n - ode->npos, k2 = k * k, k3 = k2 * k;
  const double e = ode->work > 0 ? ode->work : 1000, tangent = 20 * e;
  const td_prices dense[TD_METHODS] = {{e + 10 * n, tangent, 0, 0},
                                       {e + 2 * k2, tangent, 0.6 * k3, 2000 + 50 * n},
                                       {e + 2.5 * k2 + 20 * n, tangent, 1.5 * k3, 3000 + 10 * k2}};
  const td_prices sparse = {1, 20, 4, 1}, plain = {1, 20, 0, 0};
  for (int i = 0; i < TD_METHODS; i++) {
    c->price[i] = ode->linear == NULL ? dense[i] : i == TD_METHOD_SHORT ? plain : sparse;
    c->rate[i] = 0;
  }
}

td_contest td_contest_new(const td_ode* ode, td_method first) {
  td_contest c = {.now = first, .champion = first};
  td_contest_price(&c, ode);
  memcpy(c.least, least, sizeof least);
  if (ode->linear != NULL) c.least[TD_METHOD_SHORT] = least_leaps;
  c.may[first] = true;
  return c;
}

void td_contest_begin(td_contest* c, const td_ode_counts* counts, double t) {
  c->before = *counts;
  c->t_before = t;
  c->warm = false;
}

static double work_since(const td_contest* c, const td_ode_counts* x) {
  const td_prices* p = &c->price[c->now];
  const td_ode_counts* b = &c->before;
  return p->evaluation * (double)(x->evaluations - b->evaluations) +
         p->tangent * (double)(x->tangents - b->tangents) +
         p->factor * (double)(x->factorisations - b->factorisations) +
         p->step * (double)(x->steps - b->steps);
}

bool td_contest_due(td_contest* c, const td_ode_counts* counts, double t) {
  const long steps = counts->steps - c->before.steps;
  const double part = c->now == c->champion ? stretch_part[c->now] : trial_part;
  if (c->warm) return steps >= c->least[c->now] && work_since(c, counts) >= part * c->total;
  if (steps < starts[c->now]) return false;
  c->total += work_since(c, counts);
  td_contest_begin(c, counts, t);
  c->warm = true;
  return false;
}

// Approximate work of a trial: evaluations of each step, some tangents and factorisations.
static double trial_work(const td_contest* c, td_method m) {
  static const double evaluations[TD_METHODS] = {13, 1.5, 10};
  const td_prices* p = &c->price[m];
  const double steps = (double)(starts[m] + c->least[m]);
  const double short_trial = steps * (evaluations[m] * p->evaluation + p->step) +
                             (m == TD_METHOD_SHORT ? 0 : 3 * p->tangent + 10 * p->factor);
  return fmax(short_trial, trial_part * c->total);
}

// Factor by which the work of method m counts against `other`: at the same tolerance short steps of
// order 8 are by far the most accurate, so that Radau must halve the work.
static double handicap(td_method m, td_method other) {
  return m == TD_METHOD_RADAU && other == TD_METHOD_SHORT ? 2 : 1;
}

static bool is_better(const td_contest* c, td_method m) {
  const td_method other = c->champion;
  return handicap(m, other) * c->rate[m] < (1 - saving) * handicap(other, m) * c->rate[other];
}

// Whether method m is due for a trial: not yet tried, better than the champion is now, or tried
// long ago.
static bool is_due(const td_contest* c, td_method m) {
  return m != c->champion && c->may[m] && (is_better(c, m) || c->total >= c->again[m]);
}

// The most promising method that is due for a trial; the champion when a trial would not pay.
static td_method challenger(const td_contest* c, double left) {
  td_method next = c->champion;
  for (int i = 0; i < TD_METHODS; i++) {
    const td_method m = (td_method)i;
    if (!is_due(c, m) || trial_work(c, m) > stake * left) continue;
    if (next == c->champion || c->rate[m] < c->rate[next]) next = m;
  }
  return next;
}

// Compare the work per second of motion: a challenger that is better becomes the champion; the
// loser is tried again only after `patience` times the work so far.
void td_contest_judge(td_contest* c, const td_ode_counts* counts, double t, double t_end) {
  const double work = work_since(c, counts);
  c->rate[c->now] = work / (t - c->t_before);
  c->total += work;
  c->before = *counts;
  c->t_before = t;
  if (c->now == c->champion) {
    c->now = challenger(c, c->rate[c->champion] * (t_end - t));
    return;
  }
  const bool won = is_better(c, c->now);
  const td_method loser = won ? c->champion : c->now;
  if (won) c->champion = c->now;
  c->now = c->champion;
  c->again[loser] = patience * c->total;
}

void td_contest_forfeit(td_contest* c) {
  c->may[c->now] = false;
  c->now = c->champion;
}
