// A stage of commands: static equilibrium and its stability; equilibrium.json.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { MOST_SHOWN = 20 };  // sensors and coordinates that are printed

// Print the sensors at the equilibrium.
static void say_sensors(session* s) {
  double* values = calloc((size_t)s->n.nsensor + 1, sizeof *values);
  if (values && sensors_at(s, s->rest, values)) {
    for (int i = 0; i < s->n.nsensor && i < MOST_SHOWN; i++) {
      say(s, "  %-16s %14.6g", td_model_sensor_name(s->model, i), values[i]);
      if (s->sensor_error && !isnan(s->sensor_error[i]))
        say(s, " ± %-8.2g %s", s->sensor_error[i], td_model_sensor_unit(s->model, i));
      say(s, "\n");
    }
    if (s->n.nsensor > MOST_SHOWN) {
      say(s, "  ... %d more sensors in equilibrium.json\n", s->n.nsensor - MOST_SHOWN);
    }
  }
  free(values);
}

// Print the equilibrium: how it was found, sensors, coordinates and internal states.
static void say_equil(session* s) {
  const td_equil_result* r = &s->equil;
  say_heading(s, "Equilibrium");
  say(s, "  %s by %s in %d iterations, residual %.2g, %s\n", r->converged ? "found" : "NOT found",
      td_strategy_text(r->strategy), r->iterations, r->residual,
      r->converged ? td_stability_text(r->stability) : "the best state is shown");
  if (r->converged && *r->note) say(s, "  %s\n", r->note);
  say_time(s, s->rest->t);
  say_sensors(s);
  for (int i = 0; i < s->n.nq && i < MOST_SHOWN; i++) {
    td_coordinate about = {.name = "", .unit = ""};
    td_model_q_about(s->model, i, &about);
    say(s, "  q%-15d %14.6g %-4s %s\n", i + 1, s->rest->q[i], about.unit, about.name);
  }
  if (s->n.nq > MOST_SHOWN) say(s, "  ... %d more in equilibrium.json\n", s->n.nq - MOST_SHOWN);
  for (int i = 0; i < s->n.nz && i < MOST_SHOWN; i++)
    say(s, "  %-16s %14.6g %-4s internal state\n", td_model_internal_name(s->model, i),
        s->rest->z[i], td_model_internal_unit(s->model, i));
}

static int study(session* s);

// The options of a search, whose progress is shown from here on.
static td_equil_options options_of(session* s) {
  td_equil_options o = td_equil_options_default();
  o.progress = progress_show;
  o.user = &s->progress;
  o.stable = s->stable && !s->opt->any;
  progress_clear(&s->progress);
  return o;
}

// Find the equilibrium from the session's state, or at all times of --times, and print it.
int equil_step(session* s) {
  if (s->opt->times) return study(s);
  const td_equil_options o = options_of(s);
  const double start = seconds();
  td_state_copy(s->model, s->state, s->rest);
  slow_begin();
  const td_status status = td_equilibrium(s->model, s->work, s->rest, &o, &s->equil);
  slow_end();
  s->timings[TIME_EQUIL] = seconds() - start;
  progress_clear(&s->progress);

  // report
  s->has_equil = true;
  if (status != TD_OK) s->partial = true;
  const bool bars = status == TD_OK && s->n.nsensor > 0 && bars_equil(s);
  say_equil(s);
  if (bars) return bars_judge(s, &s->equil_judged, &s->equil_trust, "equilibrium");
  if (status == TD_OK) return CODE_DONE;
  if (!*s->equil.note) return session_failed(s, status, "equilibrium");
  return complain(code_of(status), "equilibrium: %s", s->equil.note);
}

// ---- a static study over time -------------------------------------------------------------------

static int study_width(const session* s) {
  return 1 + s->n.nsensor + s->n.nq + s->n.nv + s->n.nz + 3;
}

// Find equilibria at the times of --times, each from the one before.  A time without an equilibrium
// is reported and marked in its record; the next one starts from the last that was found.
static int study(session* s) {
  const int n = times_of(s->opt->times, NULL, MOST_TIMES), width = study_width(s);
  double* times = malloc((size_t)n * sizeof *times);
  s->study = calloc((size_t)n * (size_t)width, sizeof *s->study);
  int code = CODE_DONE;
  if (!times || !s->study) {
    free(times);
    return complain(CODE_NUMERICS, "out of memory");
  }
  times_of(s->opt->times, times, n);
  td_state_copy(s->model, s->state, s->rest);
  const td_equil_options o = options_of(s);
  const double start = seconds();
  int found = 0;
  say_heading(s, "Equilibria over time");
  for (int i = 0; i < n && !stop_asked(); i++) {
    td_state_copy(s->model, s->state, s->rest);
    s->rest->t = times[i];
    const td_status status = td_equilibrium(s->model, s->work, s->rest, &o, &s->equil);
    s->has_equil = true;
    if (s->equil.converged) td_state_copy(s->model, s->rest, s->state);
    if (status == TD_E_STOPPED) break;
    found += s->equil.converged;
    if (status != TD_OK) {
      const char* why = *s->equil.note ? s->equil.note : td_work_failure(s->work);
      complain(0, "equilibrium at t = %g s: %s", times[i], *why ? why : td_status_text(status));
      code = code_of(status);
      s->partial = true;
    }

    // the record: t, sensors (NaN where the state is not finite), q, v, z, verdict
    double* record = s->study + (size_t)s->nstudy++ * (size_t)width;
    *record++ = times[i];
    for (int k = 0; k < s->n.nsensor; k++) record[k] = NAN;
    td_sensors(s->model, s->rest, s->work, record);
    record += s->n.nsensor;
    memcpy(record, s->rest->q, (size_t)s->n.nq * sizeof *record);
    record += s->n.nq;
    if (s->n.nv) memcpy(record, s->rest->v, (size_t)s->n.nv * sizeof *record);
    record += s->n.nv;
    if (s->n.nz) memcpy(record, s->rest->z, (size_t)s->n.nz * sizeof *record);
    record += s->n.nz;
    record[0] = s->equil.converged;
    record[1] = s->equil.converged && s->equil.stability == TD_STABLE;
    record[2] = s->equil.residual;
  }

  // report how many were found
  s->timings[TIME_EQUIL] = seconds() - start;
  progress_clear(&s->progress);
  if (s->nstudy < n) {
    s->partial = true;
    code = complain(CODE_NUMERICS, "equilibrium: stopped on request after %d of %d times",
                    s->nstudy, n);
  }
  const double last = times[s->nstudy > 0 ? s->nstudy - 1 : 0];
  if (found == s->nstudy)
    say(s, "  %d equilibria from t = %g to %g s, in equilibrium.csv%s\n", found, times[0], last,
        s->n.nsensor > 0 ? "; the last one:" : "");
  else
    say(s,
        "  %d of %d equilibria found from t = %g to %g s, in equilibrium.csv; that at the last "
        "time %s one%s\n",
        found, s->nstudy, times[0], last, s->equil.converged ? "is" : "is NOT",
        s->n.nsensor > 0 ? ":" : "");
  say_sensors(s);
  free(times);
  return code;
}

// Write the records of --times as equilibrium.csv.
static td_status write_study(session* s) {
  const int width = study_width(s), states = width - 3;
  td_columns* c = td_columns_new();
  if (!c) return TD_E_NOMEM;
  td_columns_add(c, "t", "s", s->nstudy, width, s->study);
  td_columns_add_state(c, s->spec, s->model, s->nstudy, width, s->study + 1, false);
  td_columns_add_other(c, "converged", "_flag", "", s->nstudy, width, s->study + states);
  td_columns_add_other(c, "stable", "_flag", "", s->nstudy, width, s->study + states + 1);
  td_columns_add_other(c, "residual", "_size", "", s->nstudy, width, s->study + states + 2);
  const td_status status = td_columns_csv(c, s->files, "equilibrium.csv");
  td_columns_free(c);
  return status;
}

int equil_write(session* s) {
  const td_status written = s->nstudy > 0 ? write_study(s) : TD_OK;
  if (written != TD_OK) return session_wrote(s, written);
  return session_wrote(s, session_write_json(s, "equilibrium.json", equil_json(s)));
}
