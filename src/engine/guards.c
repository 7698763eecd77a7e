// Guards of one-sided elements: signed functions of the state that change sign where an element
// begins or ceases to act.
//
//   contact       distance of each ball, or piece of a rod, to what it can touch
//   laws, cables  their switching functions, positive where they do not act
//   inextensible  gap of each slack inextensible cable
//   expressions   arguments of min, max, abs, sign, step and of comparisons in forces
#include <math.h>
#include <string.h>

#include "elem/link.h"
#include "engine/stages.h"

// ---- one-sided elements -----------------------------------------------------------------------

#define MANY_SWITCHES 48  // beyond some dozens the smooth law alone is used

// Number of switching functions of laws and cables; 0 when there are more than is worth locating.
int td_switch_count(const td_model* m) {
  int n = 0;
  for (int k = 0; k < WHOLE_KINDS + FORCE_KINDS; k++) n += td_force_table[k]->switches(m);
  return n <= MANY_SWITCHES ? n : 0;
}

// Evaluate the switching functions, kind after kind of force.
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

// Number of guards: contacts, switching functions, inextensible cables, corners of expressions.
int td_guard_count(const td_model* m) {
  return td_contact_guards(m) + td_switch_count(m) + m->ntaut + m->nkink;
}

// Evaluate all guards, and bounds of their rates where the element knows one, NaN otherwise.
void td_guard_values(const td_model* m, const td_state* state, td_work* w, double* gap,
                     double* speed) {
  td_enter(m, state, w);
  const int balls = td_contact_guards(m), switches = td_switch_count(m);

  // contacts, with bounds of their closing speeds
  if (balls > 0) td_contact_gaps(m, w, gap, speed);
  gap += balls;
  speed += balls;
  for (int i = 0; i < switches + m->ntaut + m->nkink; i++) speed[i] = NAN;

  // no bounds are known for the others: corners of expressions, switching functions and cables
  if (m->nkink > 0) {
    td_probe_values(m, w, TD_ON_STATE | TD_ON_RATE);
    td_tape_eval(m->kink_tape, w->vars, w->scratch_tape, gap + switches + m->ntaut);
  }

  if (switches > 0) td_switch_values(m, state, w, gap);
  if (m->ntaut > 0) td_taut_gaps(m, w, gap + switches);
}

// Evaluate the guards of contacts alone, with speeds and the summed thickness of both sides.
void td_contact_guard_values(const td_model* m, const td_state* state, td_work* w, double* gap,
                             double* speed, double* width) {
  td_enter(m, state, w);
  td_contact_gaps(m, w, gap, speed);
  td_contact_widths(m, w, width);
}

// Speed [m/s] of a moving obstacle, whose velocity is among the values of the live tape.
static double drift_speed(const td_model* m, const model_contact* c, const double* live) {
  double v[3] = {0};
  for (int i = 0; i < m->nlive_slot; i++) {
    const num slot = m->live_slot[i];
    if (slot >= c->drift && slot < c->drift + 3) v[slot - c->drift] = live[i];
  }
  return vec3_norm(vec3_of(v));
}

// True when prescribed coordinates or moving obstacles can meet a guard.
bool td_guards_are_timed(const td_model* m) {
  bool timed = m->nfree_v < m->nvel;
  for (int i = 0; i < m->ncontact; i++) timed = timed || m->contact[i].drift != NUM_NONE;
  return timed && td_guard_count(m) > 0;
}

// Times among n - 1 equally spaced ones in (a, b) at which a prescribed coordinate or a moving
// obstacle is faster than at both ends; returns how many, `most` at most.
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

  // the speed of each coordinate and obstacle at both ends, and the largest in between
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

  w->placed = false;  // the numbers in the work now belong to another time

  // keep each time once where the speed between exceeds that at the ends
  int found = 0;

  for (int i = 0; i < items && found < most; i++) {
    bool known = !(peak[i] > 1.01 * ends[i]);
    for (int j = 0; j < found; j++) known = known || times[j] == when[i];
    if (!known) times[found++] = when[i];
  }

  arena_close(&w->scratch, mark);
  return found;
}

// ---- guards along a step ----------------------------------------------------------------------

// True when a guard with the same sign at both ends may change sign in between: with V a bound of
// |g'| it goes beyond zero by at most (V (t_b - t_a) - |g_a| - |g_b|)/2, where the cones from both
// ends meet.
bool td_guard_possible(const td_guard_path* p, double ta, const double* ga, double tb,
                       const double* gb) {
  for (int i = 0; i < p->n; i++) {
    const double beyond = p->bound[i] * (tb - ta) - fabs(ga[i]) - fabs(gb[i]);
    if (p->start[i] * p->end[i] > 0 && beyond > (p->noise ? 2 * p->noise[i] : 0)) return true;
  }
  return false;
}

// A time at which a guard that changes sign over the step is several times deeper on the side where
// it began; NaN: there is none.
double td_guard_behind(const td_guard_path* p, double ta, double tb, const double* speed) {
  const double deeper = 4;
  double* between = p->level;

  for (int i = 0; i < p->n; i++) {
    if (!(p->start[i] * p->end[i] < 0)) continue;
    const double shallow = deeper * fabs(p->start[i]);
    // the element acted at ta: sample ever nearer to ta, so that even a short dip is found
    for (double d = (tb - ta) / 2; speed[i] * d > shallow; d /= 2) {
      if (!(ta + d > ta) || !p->at(p->ctx, ta + d, between)) break;

      // deeper on the first side than four times its depth at ta
      const double depth = copysign(1, p->start[i]) * between[i];
      if (!(depth > shallow)) continue;
      if (depth > (p->noise ? p->noise[i] : 0)) return ta + d;
      break;
    }
  }

  return NAN;
}

// Recursive bisection for the earliest time at which a guard has the other sign.  A pair of ends is
// bisected only while the bounds of the rates admit a sign change; the number of samples is
// limited.
double td_guard_search(td_guard_path* p, double ta, const double* ga, double tb, const double* gb,
                       int depth) {
  const double t = ta + (tb - ta) / 2;
  if (!td_guard_possible(p, ta, ga, tb, gb) || depth == TD_GUARD_LEVELS || !(t > ta && t < tb))
    return NAN;
  if (p->samples++ >= TD_GUARD_SAMPLES) return ga == p->start ? NAN : ta;
  double* middle = p->level + (size_t)depth * (size_t)p->n;
  if (!p->at(p->ctx, t, middle)) return NAN;

  // does some guard have the other sign at the middle?
  bool other = false;

  for (int i = 0; i < p->n; i++) {
    const double beyond = copysign(1, -p->start[i]) * middle[i];
    if (p->start[i] * p->end[i] > 0 && beyond > (p->noise ? p->noise[i] : 0)) other = true;
  }

  // the earlier half first
  const double before = td_guard_search(p, ta, ga, t, middle, depth + 1);
  if (!isnan(before) || other) return isnan(before) ? t : before;
  return td_guard_search(p, t, middle, tb, gb, depth + 1);
}
