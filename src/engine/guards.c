// Guards of one-sided elements: signed functions of the state that change their sign where an
// element begins or ceases to act.
//
//   contact       distance of each ball, or piece of a rod, to what it can touch
//   laws, cables  their switching functions, positive where they do not act
//   inextensible  the gap of each such cable that is slack
//   expressions   arguments of min, max, abs, sign, step and of comparisons in forces
#include <math.h>
#include <string.h>

#include "elem/link.h"
#include "engine/stages.h"

// ---- one-sided elements -----------------------------------------------------------------------

#define MANY_SWITCHES 48  // beyond some dozens the smooth law alone is used

int td_switch_count(const td_model* m) {
  int n = 0;
  for (int k = 0; k < WHOLE_KINDS + FORCE_KINDS; k++) n += td_force_table[k]->switches(m);
  return n <= MANY_SWITCHES ? n : 0;
}

void td_switch_values(const td_model* m, const td_state* state, td_work* w, double* values) {
  if (td_switch_count(m) == 0) return;
  td_enter(m, state, w);
  for (int k = 0; k < WHOLE_KINDS + FORCE_KINDS; k++) {
    const int n = td_force_table[k]->switches(m);
    if (n > 0) td_force_table[k]->switch_values(m, w, values);
    values += n;
  }
}

// ---- guards -----------------------------------------------------------------------------------

int td_guard_count(const td_model* m) {
  return td_contact_guards(m) + td_switch_count(m) + m->ntaut + m->nkink;
}

void td_guard_values(const td_model* m, const td_state* state, td_work* w, double* gap,
                     double* speed) {
  td_enter(m, state, w);
  const int balls = td_contact_guards(m), switches = td_switch_count(m);
  if (balls > 0) td_contact_gaps(m, w, gap, speed);
  gap += balls;
  speed += balls;
  for (int i = 0; i < switches + m->ntaut + m->nkink; i++) speed[i] = NAN;

  if (m->nkink > 0) {
    td_probe_values(m, w, TD_ON_STATE | TD_ON_RATE);
    td_tape_eval(m->kink_tape, w->vars, w->scratch_tape, gap + switches + m->ntaut);
  }
  if (switches > 0) td_switch_values(m, state, w, gap);
  if (m->ntaut > 0) td_taut_gaps(m, w, gap + switches);
}

void td_contact_guard_values(const td_model* m, const td_state* state, td_work* w, double* gap,
                             double* speed, double* width) {
  td_enter(m, state, w);
  td_contact_gaps(m, w, gap, speed);
  td_contact_widths(m, w, width);
}

// ---- what time moves --------------------------------------------------------------------------

// The velocity of a contact's fixed object among the values of the live tape.
static double drift_speed(const td_model* m, const model_contact* c, const double* live) {
  double v[3] = {0};
  for (int i = 0; i < m->nlive_slot; i++) {
    const num slot = m->live_slot[i];
    if (slot >= c->drift && slot < c->drift + 3) v[slot - c->drift] = live[i];
  }
  return vec3_norm(vec3_of(v));
}

bool td_guards_are_timed(const td_model* m) {
  bool timed = m->nfree_v < m->nvel;
  for (int i = 0; i < m->ncontact; i++) timed = timed || m->contact[i].drift != NUM_NONE;
  return timed && td_guard_count(m) > 0;
}

int td_guard_peaks(const td_model* m, td_work* w, double a, double b, int n, double* times,
                   int most) {
  const arena_mark mark = arena_open(&w->scratch);
  const int items = m->nvel + m->ncontact;
  double *q = arena_doubles(&w->scratch, m->npos), *v = arena_zeros(&w->scratch, m->nvel);
  double *ends = arena_zeros(&w->scratch, items), *peak = arena_zeros(&w->scratch, items),
         *when = arena_doubles(&w->scratch, items);
  td_prepare(m, w);
  bool drifts = false;
  for (int i = 0; i < m->ncontact; i++) drifts = drifts || m->contact[i].drift != NUM_NONE;

  // the speeds of each at both ends, and the largest between
  for (int k = 0; k <= n; k++) {
    const double t = k == n ? b : a + k * (b - a) / n;
    if (m->nmotion_slot > 0) td_place_motion(m, w, t, q, v);
    w->vars[m->time_var] = t;
    if (drifts) td_tape_eval(m->live_tape, w->vars, w->scratch_tape, w->partial);
    for (int i = 0; i < items; i++) {
      double speed = 0;
      if (i >= m->nvel && m->contact[i - m->nvel].drift != NUM_NONE)
        speed = drift_speed(m, &m->contact[i - m->nvel], w->partial);
      if (i < m->nvel && m->vel[i].motion != NUM_NONE) speed = fabs(v[i]);
      double* most_of = k == 0 || k == n ? ends : peak;
      if (!(speed > most_of[i])) continue;
      most_of[i] = speed;
      if (most_of == peak) when[i] = t;
    }
  }
  w->placed = false;  // its numbers are those of another time now

  int found = 0;
  for (int i = 0; i < items && found < most; i++) {
    bool known = !(peak[i] > 1.01 * ends[i]);
    for (int j = 0; j < found; j++) known = known || times[j] == when[i];
    if (!known) times[found++] = when[i];
  }
  arena_close(&w->scratch, mark);
  return found;
}

// ---- along a step -----------------------------------------------------------------------------

// With V a bound of |g'| a guard goes beyond zero by (V (t_b - t_a) - |g_a| - |g_b|)/2 at most,
// where the cones from both ends meet.
bool td_guard_possible(const td_guard_path* p, double ta, const double* ga, double tb,
                       const double* gb) {
  for (int i = 0; i < p->n; i++) {
    const double beyond = p->bound[i] * (tb - ta) - fabs(ga[i]) - fabs(gb[i]);
    if (p->start[i] * p->end[i] > 0 && beyond > (p->noise ? 2 * p->noise[i] : 0)) return true;
  }
  return false;
}

double td_guard_behind(const td_guard_path* p, double ta, double tb, const double* speed) {
  const double deeper = 4;
  double* between = p->level;
  for (int i = 0; i < p->n; i++) {
    if (!(p->start[i] * p->end[i] < 0)) continue;
    const double shallow = deeper * fabs(p->start[i]);
    // it began at ta: times that come nearer to that see it, however short it was
    for (double d = (tb - ta) / 2; speed[i] * d > shallow; d /= 2) {
      if (!(ta + d > ta) || !p->at(p->ctx, ta + d, between)) break;
      const double depth = copysign(1, p->start[i]) * between[i];
      if (!(depth > shallow)) continue;
      if (depth > (p->noise ? p->noise[i] : 0)) return ta + d;
      break;
    }
  }
  return NAN;
}

double td_guard_search(td_guard_path* p, double ta, const double* ga, double tb, const double* gb,
                       int depth) {
  const double t = ta + (tb - ta) / 2;
  if (!td_guard_possible(p, ta, ga, tb, gb) || depth == TD_GUARD_LEVELS || !(t > ta && t < tb))
    return NAN;
  if (p->samples++ >= TD_GUARD_SAMPLES) return ga == p->start ? NAN : ta;
  double* middle = p->level + (size_t)depth * (size_t)p->n;
  if (!p->at(p->ctx, t, middle)) return NAN;
  bool other = false;
  for (int i = 0; i < p->n; i++) {
    const double beyond = copysign(1, -p->start[i]) * middle[i];
    if (p->start[i] * p->end[i] > 0 && beyond > (p->noise ? p->noise[i] : 0)) other = true;
  }

  // what comes earlier counts first
  const double before = td_guard_search(p, ta, ga, t, middle, depth + 1);
  if (!isnan(before) || other) return isnan(before) ? t : before;
  return td_guard_search(p, t, middle, tb, gb, depth + 1);
}
