// Measuring code against the engine at one state; see swap.h.
#include "solve/time/swap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { BATCHES = 5 };
static const double batch_time = 1e-4;  // [s]
// Relative to the largest rate.  Two orders of summation differ by rounding times the condition of
// the mass matrix; a wrong formula by much more.
static const double agreement = 1e-6;

static double cpu_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static td_status evaluate(td_motion* m, const td_code* code, const td_swap_question* q,
                          double* out) {
  const td_ode* ode = &m->ode;
  m->code = code;
  return (q->with_power ? ode->rhs : ode->states)(ode->ctx, q->t, q->y, out);
}

// Seconds of one evaluation: the least of several batches, those of both sides in turn, so that
// another program on this core disturbs both or neither.
static void measure(td_motion* m, const td_swap_question* q, double* out, double best[2]) {
  int n[2] = {1, 1};
  best[0] = best[1] = INFINITY;
  for (int b = 0; b <= BATCHES; b++)
    for (int side = 0; side < 2; side++) {
      const double start = cpu_time();
      for (int i = 0; i < n[side]; i++) evaluate(m, side ? q->code : NULL, q, out);
      best[side] = fmin(best[side], (cpu_time() - start) / n[side]);
      n[side] = 1 + (int)fmin(batch_time / fmax(best[side], 1e-9), 1e5);
    }
}

static double difference(const double* a, const double* b, int n) {
  double most = 0, scale = 1e-300;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(a[i] - b[i]));
    scale = fmax(scale, fabs(a[i]));
  }
  return most / scale;
}

static void say(char* text, size_t size, const char* clause) {
  const size_t n = strlen(text);
  snprintf(text + n, size - n, "%s%s", n > 0 ? "; " : "", clause);
}

// Measure both, use the faster one, and report which it is and which it was before.
static void decide(td_motion* m, const td_swap_question* q, const td_code* before, double* out,
                   char* clause, size_t size) {
  double best[2];
  measure(m, q, out, best);
  const bool take = q->always || best[1] < best[0];
  m->code = take ? q->code : before;
  if (take && !q->code->has_power) m->ode.together = false;
  const double us[2] = {1e6 * best[0], 1e6 * best[1]};
  if (take) {
    snprintf(clause, size, "%s from t = %.4g s: %.3g us for an evaluation, engine %.3g us",
             q->code->maker, q->t, us[1], us[0]);
  } else {
    snprintf(clause, size, "%s not used: %.3g us for an evaluation, engine %.3g us", q->code->maker,
             us[1], us[0]);
  }
}

// Evaluate engine and code at one state, compare, and measure the time of both.
td_status td_swap(td_motion* m, const td_swap_question* q, char* text, size_t size) {
  const td_code* before = m->code;
  const int n = m->ode.n + m->ode.nquad;
  char clause[160] = "";
  double* ours = calloc(2 * (size_t)n, sizeof *ours);
  if (ours == NULL) return TD_E_NOMEM;
  double* theirs = ours + n;

  // evaluate both at (t, y); where the rates agree, measure both and choose
  if (q->with_power && !q->code->has_power) {
    snprintf(clause, sizeof clause,
             "%s not used: the explicit solver needs the power of given motion", q->code->maker);
  } else if (evaluate(m, NULL, q, ours) == TD_OK && evaluate(m, q->code, q, theirs) == TD_OK) {
    const double gap = difference(ours, theirs, m->ode.n);
    m->code = before;
    if (gap < agreement) {
      decide(m, q, before, theirs, clause, sizeof clause);
    } else {
      snprintf(clause, sizeof clause, "%s not used: differs from the engine by %.1g",
               q->code->maker, gap);
    }
  } else {
    m->code = before;
  }

  // report the outcome
  if (clause[0] != '\0') say(text, size, clause);
  free(ours);
  return TD_OK;
}
