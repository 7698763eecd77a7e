// Error bars of motion.
//
//   time         the run has a third of the tolerances; a second one has them as asked, and the
//                difference covers the finer one
//   space        a third run has other rods.  Polynomials ('gvs', 'rom') have two orders more, and
//                twice the difference is the bar, three times of 'rom'.  Segments are half as many:
//                with e_c - e as difference and r = e/e_c of the equilibrium and of the first
//                frequencies the run's own error is r/(1 - r) of that, times the factor of statics
//   constraints  the largest error of closed loops
//
// Bars are running maxima: an error that has been made is not unmade.  Where neighbouring motions
// part (chaos, a cable that catches) the differences grow, and the bars with them; the words say
// so.
#include <stdio.h>

#include "model/model.h"
#include "solve/accuracy/bars.h"
#include "solve/vectors.h"

enum { JUDGED_MODES = 3, PARTING = 30 };

void td_bars_drop(double* error) { free(error); }

// How many times the differences of a sensor between two runs grow in the second half of the time.
// Errors of steps add up to some times as much; where neighbouring motions part they multiply.
static double growth_of(const td_trajectory* a, const td_trajectory* b, output_group g) {
  const int rows = td_trajectory_rows(a);
  double early = 0, late = 0;
  for (int r = 0; r < rows; r++) {
    const double *x = td_trajectory_sensors(a, r), *y = td_trajectory_sensors(b, r);
    double d = 0;
    for (int k = g.first; k < g.first + g.n; k++) d = hypot(d, x[k] - y[k]);
    if (2 * r < rows) early = fmax(early, d);
    late = fmax(late, d);
  }
  return early > 0 ? late / early : 1;
}

// Say why the bar of a sensor is large: `share` of its scale, by time (else by rods), with
// differences that grow so many times.
static void explain(td_bars* bars, int sensor, double share, bool by_time, double growth) {
  const td_model* m = bars->model;
  const char* name = model_name(m, m->output_name[sensor]);
  const char* touch = m->ncontact > 0 ? " at contacts"
                      : m->ntaut > 0  ? " where cables become taut"
                                      : "";
  if (growth >= PARTING)
    td_bars_look(bars,
                 "the error bar of '%.60s' grows to %.0f %% of its scale: neighbouring motions "
                 "part%s, differences grow %.0f times in the second half of the run",
                 name, 100 * share, touch, growth);
  else
    td_bars_look(
        bars, "the error bar of '%.60s' is %.0f %% of its scale: %s", name, 100 * share,
        by_time ? "the steps do not resolve it (par.rtol)" : "the rods do not resolve it (rod.n)");
}

// Ratio of the errors of the model and of its companion with half the segments at the equilibrium
// near a state and in the first frequencies there, at most 1/2: what may be assumed where neither
// tells.
static double ratio_of(td_bars* bars, td_companion* other_rods, td_work* work,
                       const td_state* start) {
  const td_model* m = bars->model;
  const size_t n = (size_t)m->noutput_ex + 1;
  td_state* rest = td_state_new(m);
  td_modes_result* modes = NULL;
  double *s = calloc(2 * n + (size_t)m->nvel + 1, sizeof(double)), *omega = NULL, ratio = 0;
  double *error = s ? s + n : NULL, own = 0, other = 0;
  td_equil_result result = {.converged = false};
  td_equil_options how = td_equil_options_default();
  how.stable = true;
  int found = 0;
  bool ok = rest && s && td_state_copy(m, start, rest) == TD_OK &&
            td_equilibrium(m, work, rest, &how, &result) == TD_OK &&
            td_bars_equilibrium(bars, work, rest, &result, error) == TD_OK &&
            td_companion_embed(other_rods, work, rest) == TD_OK &&
            td_companion_rest(other_rods) == TD_OK &&
            td_sensors(other_rods->model, other_rods->state, other_rods->work, s) == TD_OK;

  // places at the equilibrium: those of the model and of the refined one are in bars
  double size = 0;
  for (int i = 0; i < m->noutput_ex && ok; i++) {
    if (isnan(error[i])) ok = false;
    if (strcmp(td_model_sensor_unit(m, i), "m") != 0) continue;
    own = hypot(own, bars->coarse[i] - bars->refined[i]);
    other = hypot(other, s[i] - bars->refined[i]);
    size = fmax(size, td_bars_scale(bars, i, bars->coarse));
  }
  if (ok && other > 1e-8 * size) ratio = own / other;

  // the first frequencies
  ok = ok && td_modes(m, rest, work, &modes) == TD_OK && modes->n <= m->nvel + m->noutput_ex &&
       td_bars_modes(bars, work, rest, modes, error) == TD_OK &&
       td_companion_frequencies(other_rods, &omega, &found) == TD_OK;
  own = other = 0;
  for (int i = 0; ok && i < JUDGED_MODES && i < modes->n && i < found; i++) {
    if (!(modes->omega[i] > 0)) continue;
    const double e = error[i] / 3 / modes->omega[i];
    own = fmax(own, e);
    other = fmax(other, e + fabs(omega[i] - modes->omega[i]) / modes->omega[i]);
  }
  if (other > 1e-8) ratio = fmax(ratio, own / other);
  free(omega);
  free(s);
  td_modes_free(modes);
  td_state_free(rest);
  td_bars_begin(bars);  // what was said of the equilibrium is not about the motion
  return ok && ratio > 0 && ratio < 0.5 ? ratio : 0.5;
}

// Bring the companion to the start of the motion.  False: it cannot start there.
static bool start_there(td_companion* c, td_work* work, const td_state* state, td_start start) {
  if (td_companion_embed(c, work, state) != TD_OK) return false;
  if (start == TD_START_INITIAL) {
    // inputs are those of the caller
    const td_status status = td_state_initial(c->model, c->work, c->state);
    copy(c->state->u, state->u, c->of->ninput);
    return status == TD_OK;
  }
  if (start == TD_START_EQUILIBRIUM) return td_companion_rest(c) == TD_OK;
  return c->model->nrow == 0 && c->model->nnode == 0;
}

td_status td_bars_simulate(td_bars* bars, td_spec* spec, td_work* work, td_state* state,
                           td_start start, const td_sim_options* options,
                           td_trajectory** trajectory, double** error, double reached[4]) {
  if (!bars || !spec || !trajectory || !error || !reached || !td_belongs(bars->model, state, work))
    return TD_E_USAGE;
  const td_model* m = bars->model;
  td_sim_options o = td_sim_options_default();
  *trajectory = NULL;
  *error = NULL;
  for (int i = 0; i < 4; i++) reached[i] = NAN;
  TD_TRY(td_options_take(options, &o, sizeof o));
  td_bars_begin(bars);

  // the run itself
  td_state *first = td_state_new(m), *again = td_state_new(m);
  if (!first || !again) {
    td_state_free(first);
    td_state_free(again);
    return TD_E_NOMEM;
  }
  td_state_copy(m, state, first);
  td_state_copy(m, state, again);
  const double rtol = isnan(o.rtol) ? m->settings[3] : o.rtol;
  const double atol = isnan(o.atol) ? m->settings[4] : o.atol;
  o.rtol = fmax(rtol / 3, 1e-12);
  o.atol = atol / 3;
  const td_status ran = td_simulate(m, work, state, &o, trajectory);

  // the same with the tolerances that are asked for, then with coarser rods
  td_trajectory *loose = NULL, *other = NULL;
  td_companion* other_rods = NULL;
  double ratio = 0.5;
  char why[400] = "";
  bool orders = false;  // some rod has an order to raise
  for (int i = 0; i < m->nrod; i++) orders = orders || td_rod_models[m->rod[i].model].points;
  o.rtol = rtol;
  o.atol = atol;
  if (ran == TD_OK && td_simulate(m, work, again, &o, &loose) != TD_OK)
    td_bars_look(bars, "no error bars of time: a run with three times the tolerances fails");
  if (ran == TD_OK && !bars->exact) {
    const spec_refine how = {.on = true, .split = 1, .raise = 2};  // segments: half as many
    td_status status =
        bars->fine ? td_companion_new(spec, m, how, why, sizeof why, &other_rods) : TD_OK;
    if (other_rods && td_model_sizes(other_rods->model).nv == td_model_sizes(m).nv) {
      snprintf(why, sizeof why, "the rods have no other space to compare with");
      td_companion_free(other_rods);
      other_rods = NULL;
    }
    if (other_rods && !orders) ratio = ratio_of(bars, other_rods, work, first);
    o.code = NULL;
    if (o.belief && !*why)
      snprintf(why, sizeof why, "controllers take other parameters for granted (--assume)");
    status = other_rods && !o.belief && start_there(other_rods, work, first, start)
                 ? td_simulate(other_rods->model, other_rods->work, other_rods->state, &o, &other)
                 : TD_E_MODEL;
    if (status != TD_OK)
      td_bars_look(bars, "no error bars of the rods: %s",
                   !bars->fine ? bars->why
                   : *why      ? why
                               : "a run with other rods cannot start there, or fails");
  }

  // differences, row by row; running maxima
  const int n = m->noutput_ex, rows = *trajectory ? td_trajectory_rows(*trajectory) : 0;
  double* bar = rows > 0 ? calloc(area(rows, n) + 3 * (size_t)n + 1, sizeof(double)) : NULL;
  const bool timed = loose && td_trajectory_rows(loose) == rows;
  const bool spaced = bars->exact || (other && td_trajectory_rows(other) == rows);
  if (loose && !timed) td_bars_look(bars, "no error bars of time: the runs end at different times");
  if (other && !spaced)
    td_bars_look(bars, "no error bars of the rods: with others the run ends at another time");
  if (bar) {
    double *space = bar + area(rows, n), *time = space + n, *most = time + n;
    const double loops = td_trajectory_stats(*trajectory)->max_constraint_error;
    const double weight = orders ? fmax(2, bars->factor) : bars->factor * ratio / (1 - ratio);
    for (int r = 0; r < rows; r++) {
      const double* a = td_trajectory_sensors(*trajectory, r);
      const double* b = timed ? td_trajectory_sensors(loose, r) : NULL;
      const double* c = spaced && other ? td_trajectory_sensors(other, r) : NULL;
      for (int i = 0; i < n;) {
        const output_group g = td_output_group(m, i);
        double dt = 0, dx = 0;
        for (int k = i; k < i + g.n; k++) {
          if (b) dt = hypot(dt, b[k] - a[k]);
          if (c) dx = hypot(dx, c[k] - a[k]);
          most[k] = fmax(most[k], fabs(a[k]));
        }
        for (int k = i; k < i + g.n; k++) {
          space[k] = spaced ? fmax(space[k], weight * dx) : NAN;
          time[k] = timed ? fmax(time[k], dt) : NAN;
          bar[area(r, n) + (size_t)k] =
              space[k] + time[k] + (strcmp(td_model_sensor_unit(m, k), "m") == 0 ? loops : 0);
        }
        i += g.n;
      }
    }

    // what was reached, relative to the largest values
    double worst[4] = {0, 0, 0, 0};
    int largest = 0;
    for (int i = 0; i < n; i++) {
      const double scale = td_bars_scale(bars, i, most);
      if (!(scale > 0)) continue;
      if (bar[area(rows - 1, n) + (size_t)i] / scale > worst[0]) largest = i;
      worst[0] = fmax(worst[0], bar[area(rows - 1, n) + (size_t)i] / scale);
      worst[1] = fmax(worst[1], space[i] / scale);
      worst[2] = fmax(worst[2], time[i] / scale);
      if (strcmp(td_model_sensor_unit(m, i), "m") == 0) worst[3] = fmax(worst[3], loops / scale);
    }
    for (int i = 0; i < 4; i++) reached[i] = worst[i];
    if (!spaced) reached[0] = reached[1] = NAN;
    if (!timed) reached[0] = reached[2] = NAN;

    // large bars, and why: other rods or tolerances lead elsewhere
    if (worst[0] > 0.01) {
      const output_group g = td_output_group(m, largest);
      const double by_steps = timed ? growth_of(*trajectory, loose, g) : 1,
                   by_rods = other && spaced ? growth_of(*trajectory, other, g) : 1,
                   growth = fmax(by_steps, by_rods);
      if (worst[0] > 0.1 || growth >= PARTING)
        explain(bars, largest, worst[0], time[largest] > space[largest], growth);
    }
  }
  *error = bar;
  td_trajectory_free(loose);
  td_trajectory_free(other);
  td_companion_free(other_rods);
  td_state_free(first);
  td_state_free(again);
  return ran;
}
