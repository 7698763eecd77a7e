// Error bars of a session's results, and whether they meet the requested accuracy.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

// MOST_UNASKED: velocities of a model up to which bars are computed although no accuracy is
// requested; the refined model has up to three times as many, and its matrices are dense.
// JUDGED_MODES: modes, from the lowest, that the requested accuracy is compared with.
enum { MOST_UNASKED = 250, JUDGED_MODES = 3 };

// Tell whether there are bars to compute.  The refined model is compiled at the first call.
static bool bars_ready(session* s) {
  if (s->bars) return true;
  if (s->n.nrod == 0 || s->asked == 0) return false;
  if (!s->asked_written && s->n.nv > MOST_UNASKED) return false;
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
  for (const char* line = trust->reasons; line && *line;) {
    const size_t n = strcspn(line, "\n");
    say(s, "  look: %.*s\n", (int)n, line);
    line += n + (line[n] == '\n');
  }
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
  s->reached = NAN;
  if (values && sensors_at(s, s->rest, values))
    for (int i = 0; i < s->n.nsensor; i++) {
      const double scale = td_bars_scale(s->bars, i, values), bar = s->sensor_error[i];
      if (!isnan(bar) && scale > 0)
        s->reached = fmax(isnan(s->reached) ? 0 : s->reached, bar / scale);
    }
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
  s->modes_reached = NAN;
  for (int i = 0; i < s->modes->n && i < JUDGED_MODES; i++)
    if (s->modes->omega[i] > 0 && !isnan(s->frequency_error[i]))
      s->modes_reached = fmax(isnan(s->modes_reached) ? 0 : s->modes_reached,
                              s->frequency_error[i] / s->modes->omega[i]);
  return true;
}

int bars_judge(session* s, double reached, const bar_trust* trust, const char* what) {
  say_reasons(s, trust);
  if (isnan(reached)) {
    if (!s->asked_written || s->n.nsensor == 0) return CODE_DONE;
    return complain(CODE_NUMERICS, "%s: accuracy %g was asked for, and there are no error bars",
                    what, s->asked);
  }
  if (reached <= s->asked) return CODE_DONE;
  if (!s->asked_written) {
    say(s, "  look: the error of the rods is %.2g of the scale, above %g (par.accuracy)\n", reached,
        s->asked);
    return CODE_DONE;
  }
  return complain(CODE_NUMERICS,
                  "%s: accuracy %g was asked for, %.2g was reached; raise rod.n, or leave order, "
                  "elements and n to the program",
                  what, s->asked, reached);
}

bool bars_asked(session* s) { return s->asked_written && bars_ready(s); }

int bars_motion(session* s) {
  const double* r = s->motion_reached;
  keep_trust(s, &s->motion_trust);
  if (!isnan(r[0]))
    say(s, "  error bars     %.2g of the scale (rods %.2g, time %.2g, constraints %.2g)\n", r[0],
        r[1], r[2], r[3]);
  return bars_judge(s, r[0], &s->motion_trust, "simulation");
}
