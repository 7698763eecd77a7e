// The contest between solvers, on made-up ones whose steps and evaluations are told.
#include "check.h"
#include "solve/time/contest.h"

// A solver: steps per second of motion before and after t = 500, evaluations per step.
typedef struct made_up {
  double early, late, evaluations;
} made_up;

typedef struct outcome {
  double work, least;        // of the whole run; of one that always had the best
  double share[TD_METHODS];  // part of the motion that each did
  int changes;
  td_method last;
} outcome;

enum { HALF = 500 };

static td_ode problem(void) { return (td_ode){.n = 20, .npos = 10, .work = 1e4}; }

static double steps_at(const made_up* m, double t) { return t < HALF ? m->early : m->late; }

// Work of a step as the contest counts it
static double price(const td_contest* c, td_method m, const made_up* s) {
  return s->evaluations * c->price[m].evaluation + c->price[m].step;
}

static double best_rate(const td_contest* c, const made_up* s, double t) {
  double best = INFINITY;
  for (int m = 0; m < TD_METHODS; m++)
    if (c->may[m]) best = fmin(best, steps_at(&s[m], t) * price(c, (td_method)m, &s[m]));
  return best;
}

// Run to t_end with those that may.
static outcome run(const made_up s[TD_METHODS], td_method first, const bool* may, double t_end) {
  const td_ode ode = problem();
  td_contest c = td_contest_new(&ode, first);
  memcpy(c.may, may, sizeof c.may);
  outcome out = {0};
  td_ode_counts counts = {0};
  td_contest_begin(&c, &counts, 0);
  for (double t = 0; t < t_end;) {
    const double h = 1 / steps_at(&s[c.now], t);
    out.least += h * best_rate(&c, s, t);
    out.work += price(&c, c.now, &s[c.now]);
    out.share[c.now] += h / t_end;
    t += h;
    counts.steps++;
    counts.evaluations = (long)(s[c.now].evaluations * (double)counts.steps);
    if (!td_contest_due(&c, &counts, t)) continue;
    const td_method before = c.now;
    td_contest_judge(&c, &counts, t, t_end);
    if (c.now == before) continue;
    counts = (td_ode_counts){0};
    td_contest_begin(&c, &counts, t);
    out.changes++;
  }
  out.last = c.champion;
  return out;
}

static const bool all[TD_METHODS] = {true, true, true};

// one is three times as good as the others: whoever begins, trials of the other two and the time
// before the first judgement cost less than a quarter of the run
static void the_cheapest_goes_on(void** state) {
  (void)state;
  for (int best = 0; best < TD_METHODS; best++)
    for (int first = 0; first < TD_METHODS; first++) {
      made_up s[TD_METHODS] = {{30, 30, 13}, {260, 260, 1.5}, {40, 40, 10}};
      s[best].early /= 3;
      s[best].late /= 3;
      const outcome o = run(s, (td_method)first, all, 1000);
      assert_int_equal(o.last, best);
      assert_true(o.share[best] > 0.8);
      assert_true(o.work < 1.25 * o.least);
    }
}

// what was best becomes ten times as dear: each of the others takes over, also BDF from Radau
static void a_champion_that_gets_dear_is_left(void** state) {
  (void)state;
  for (int early = 0; early < TD_METHODS; early++)
    for (int late = 0; late < TD_METHODS; late++) {
      if (early == late) continue;
      made_up s[TD_METHODS] = {{30, 30, 13}, {260, 260, 1.5}, {40, 40, 10}};
      s[early].early /= 5, s[early].late *= 2;
      s[late].early *= 2, s[late].late /= 2.5;
      const outcome o = run(s, (td_method)early, all, 1000);
      assert_int_equal(o.last, late);
      assert_true(o.share[early] > 0.4 && o.share[late] > 0.25);
    }
}

// a trial would cost more than it could save
static void short_runs_have_no_trials(void** state) {
  (void)state;
  const made_up s[TD_METHODS] = {{30, 30, 13}, {260, 260, 1.5}, {40, 40, 10}};
  for (int first = 0; first < TD_METHODS; first++)
    assert_int_equal(run(s, (td_method)first, all, 5).changes, 0);
}

static void who_may_not_take_part_is_never_tried(void** state) {
  (void)state;
  const made_up s[TD_METHODS] = {{30, 30, 13}, {26, 26, 1.5}, {4, 4, 10}};
  const bool may[TD_METHODS] = {true, false, true};
  const outcome o = run(s, TD_METHOD_SHORT, may, 1000);
  CHECK_NEAR(o.share[TD_METHOD_BDF], 0, 0);
  assert_int_equal(o.last, TD_METHOD_RADAU);
}

static void who_forfeits_is_out(void** state) {
  (void)state;
  const td_ode ode = problem();
  td_contest c = td_contest_new(&ode, TD_METHOD_BDF);
  c.may[TD_METHOD_RADAU] = true;
  c.now = TD_METHOD_RADAU;
  td_contest_forfeit(&c);
  assert_int_equal(c.now, TD_METHOD_BDF);
  assert_false(c.may[TD_METHOD_RADAU]);
}

// factors of large systems make implicit steps dear where evaluations are cheap
static void cheap_evaluations_favour_short_steps(void** state) {
  (void)state;
  const td_ode cheap = {.n = 120, .npos = 60, .work = 1e3},
               dear = {.n = 120, .npos = 60, .work = 1e6};
  const td_contest a = td_contest_new(&cheap, TD_METHOD_SHORT),
                   b = td_contest_new(&dear, TD_METHOD_SHORT);
  const double step_a = a.price[TD_METHOD_BDF].step + a.price[TD_METHOD_BDF].evaluation;
  const double step_b = b.price[TD_METHOD_BDF].step + b.price[TD_METHOD_BDF].evaluation;
  assert_true(step_a > 5 * a.price[TD_METHOD_SHORT].evaluation);
  assert_true(step_b < 1.1 * b.price[TD_METHOD_SHORT].evaluation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_cheapest_goes_on),
      cmocka_unit_test(a_champion_that_gets_dear_is_left),
      cmocka_unit_test(short_runs_have_no_trials),
      cmocka_unit_test(who_may_not_take_part_is_never_tried),
      cmocka_unit_test(who_forfeits_is_out),
      cmocka_unit_test(cheap_evaluations_favour_short_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
