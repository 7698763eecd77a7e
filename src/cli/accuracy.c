// Error bars of a session's results, and whether they meet the requested accuracy.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

// MOST_UNASKED: velocities of a model up to which bars are computed although no accuracy is
// requested; the refined model has up to three times as many, and its matrices are dense.
// JUDGED_MODES: modes, from the lowest, that the requested accuracy is compared with.
enum { MOST_UNASKED = 250, JUDGED_MODES = 3 };

// Does the text ask for an accuracy of some sensor?
static bool sensors_asked(const session* s) {
  bool asked = false;
  for (int i = 0; i < s->n.nsensor; i++) asked = asked || td_sensor_accuracy(s->model, i) > 0;
  return asked;
}

// Tell whether there are bars to compute.  The refined model is compiled at the first call.
static bool bars_ready(session* s) {
  if (s->bars) return true;
  const bool asked = sensors_asked(s);
  if (s->n.nrod == 0 || (s->asked == 0 && !asked)) return false;
  if (!s->asked_written && !asked && s->n.nv > MOST_UNASKED) return false;
  return td_bars_new(s->spec, s->model, &s->bars) == TD_OK;
}

// Keep the verdict of the bars that were computed last.
static void keep_trust(session* s, bar_trust* trust) {
  const char* reasons;
  trust->verdict = td_bars_trust(s->bars, &reasons);
  free(trust->reasons);
  trust->reasons = format_text("%s", reasons);
}

// Print the reasons why the bars are not trusted, one a line.
static void say_reasons(session* s, const bar_trust* trust) {
  for (const char* line = trust ? trust->reasons : NULL; line && *line;) {
    const size_t n = strcspn(line, "\n");
    say(s, "  look: %.*s\n", (int)n, line);
    line += n + (line[n] == '\n');
  }
}

// Judge one error relative to its scale, of a sensor or (-1) a frequency, by what is asked of it.
// Written requests count before the default.
static void judge(const session* s, bar_judged* j, int sensor, double relative) {
  const double own = sensor >= 0 ? td_sensor_accuracy(s->model, sensor) : -1;
  const double asked = own >= 0 ? own : s->asked;
  const bool written = own >= 0 || s->asked_written;
  if (isnan(relative)) {
    if (own > 0 && j->without < 0) j->without = sensor;
    return;
  }
  if (isnan(j->reached) || relative > j->reached) j->reached = relative;
  if (!(asked > 0) || relative <= asked) return;
  if (written < j->written || (written == j->written && relative / asked <= j->missing)) return;
  j->missing = relative / asked;
  j->sensor = own > 0 ? sensor : -1;
  j->worst = relative;
  j->asked = asked;
  j->written = written;
}

// Judge errors (nsensor) of sensors with these values.
static bar_judged judge_sensors(const session* s, const double* values, const double* error) {
  bar_judged j = {.reached = NAN, .sensor = -1, .without = -1};
  for (int i = 0; i < s->n.nsensor; i++) {
    const double scale = td_bars_scale(s->bars, i, values);
    if (scale > 0 || isnan(error[i])) judge(s, &j, i, error[i] / scale);
  }
  return j;
}

bool bars_equil(session* s) {
  if (!bars_ready(s)) return false;
  const size_t n = (size_t)s->n.nsensor + 1;
  if (!s->sensor_error) s->sensor_error = calloc(n, sizeof(double));
  if (!s->sensor_error) return false;
  if (td_bars_equilibrium(s->bars, s->work, s->rest, &s->equil, s->sensor_error) != TD_OK)
    return false;
  keep_trust(s, &s->equil_trust);

  // the largest bar of a sensor relative to its scale
  double* values = calloc(n, sizeof *values);
  s->equil_judged = (bar_judged){.reached = NAN, .sensor = -1, .without = -1};
  if (values && sensors_at(s, s->rest, values))
    s->equil_judged = judge_sensors(s, values, s->sensor_error);
  free(values);
  return true;
}

bool bars_modes(session* s) {
  if (!bars_ready(s)) return false;
  free(s->frequency_error);
  s->frequency_error = calloc((size_t)s->modes->n + 1, sizeof(double));
  if (!s->frequency_error) return false;
  if (td_bars_modes(s->bars, s->work, s->rest, s->modes, s->frequency_error) != TD_OK) {
    free(s->frequency_error);
    s->frequency_error = NULL;
    return false;
  }
  keep_trust(s, &s->modes_trust);
  s->modes_judged = (bar_judged){.reached = NAN, .sensor = -1, .without = -1};
  for (int i = 0; i < s->modes->n && i < JUDGED_MODES; i++)
    if (s->modes->omega[i] > 0)
      judge(s, &s->modes_judged, -1, s->frequency_error[i] / s->modes->omega[i]);
  return true;
}

int bars_judge(session* s, const bar_judged* j, const bar_trust* trust, const char* what) {
  say_reasons(s, trust);
  const bool nothing = isnan(j->reached) && s->asked_written && s->asked > 0 && s->n.nsensor > 0;
  if (j->without >= 0)
    return complain(CODE_NUMERICS,
                    "%s: accuracy %g of sensor '%s' was asked for, and it has no "
                    "error bar",
                    what, td_sensor_accuracy(s->model, j->without),
                    td_model_sensor_name(s->model, j->without));
  if (nothing)
    return complain(CODE_NUMERICS, "%s: accuracy %g was asked for, and there are no error bars",
                    what, s->asked);
  if (!(j->missing > 1)) return CODE_DONE;
  if (!j->written) {
    say(s, "  look: the error of the rods is %.2g of the scale, above %g (par.accuracy)\n",
        j->worst, j->asked);
    return CODE_DONE;
  }
  static const char advice[] = "raise rod.n, or leave order, elements and n to the program";
  if (j->sensor >= 0)
    return complain(CODE_NUMERICS,
                    "%s: accuracy %g of sensor '%s' was asked for, %.2g was reached; %s", what,
                    j->asked, td_model_sensor_name(s->model, j->sensor), j->worst, advice);
  return complain(CODE_NUMERICS, "%s: accuracy %g was asked for, %.2g was reached; %s", what,
                  j->asked, j->worst, advice);
}

bool bars_asked(session* s) {
  return ((s->asked_written && s->asked > 0) || sensors_asked(s)) && bars_ready(s);
}

char* bars_reasons(const session* s, td_verdict* verdict) {
  const char *own, *bars = s->motion_trust.reasons ? s->motion_trust.reasons : "";
  *verdict = td_trajectory_trust(s->trajectory, &own);
  if (*verdict == TD_TRUST_OK) *verdict = s->motion_trust.verdict;
  return format_text("%s%s%s", own, *own && *bars ? "\n" : "", bars);
}

void bars_moved(session* s) { keep_trust(s, &s->motion_trust); }

int bars_motion(session* s) {
  const double* r = s->motion_reached;
  if (!isnan(r[0]))
    say(s, "  error bars     %.2g of the scale (rods %.2g, time %.2g, constraints %.2g)\n", r[0],
        r[1], r[2], r[3]);

  // the bars of the whole run, relative to the largest values in it
  const int n = s->n.nsensor, rows = td_trajectory_rows(s->trajectory);
  double* most = calloc((size_t)n + 1, sizeof *most);
  if (!most) return complain(CODE_NUMERICS, "out of memory");
  for (int k = 0; k < rows; k++)
    for (int i = 0; i < n; i++)
      most[i] = fmax(most[i], fabs(td_trajectory_sensors(s->trajectory, k)[i]));
  bar_judged j = {.reached = NAN, .sensor = -1, .without = -1};
  if (s->motion_error && rows > 0)
    j = judge_sensors(s, most, s->motion_error + (size_t)(rows - 1) * (size_t)n);
  free(most);
  return bars_judge(s, &j, NULL, "simulation");  // reasons are told with the verdict on the run
}
