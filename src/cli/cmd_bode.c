// tendril bode: frequency response from every input to every output; bode.csv and bode.svg.
#include <math.h>
#include <stdlib.h>

#include "cli/cli.h"

// A frequency response.
typedef struct response {
  td_linear* l;     // the reduced model of --reduce, or
  td_response* at;  // the whole model
  int n, pairs, ny, nu;
  double *hz, *db, *deg;  // (n), n x pairs, n x pairs
  char** names;           // "tip_x/F"
  double* block;
} response;

// Frequencies of the slowest and the fastest pole.
typedef struct span {
  double slow, fast;  // [Hz]
} span;

// Find slowest and fastest among n poles.
static span poles_span(const double* re, const double* im, int n) {
  span s = {INFINITY, 0};
  for (int i = 0; i < n; i++) {
    const double size = hypot(re[i], im[i]) / (2 * acos(-1.0));
    if (size > s.fast) s.fast = size;
    if (size > 1e-9 && size < s.slow) s.slow = size;
  }
  return s;
}

// Set the range of frequencies: --range, or around the poles of the reduced model or the modes of
// the whole one, from a decade below the slowest to one above the fastest, at most six in all.
static int range_of(session* s, const response* r, double* low, double* high) {
  *low = s->opt->low;
  *high = s->opt->high;
  if (*low > 0) return CODE_DONE;

  // poles
  span p = {0, 0};
  td_status status = TD_E_STOPPED;
  if (r->l) {
    const int n = r->l->nx;
    double* re = malloc(sizeof *re * (2 * (size_t)n + 1));
    status = re ? td_poles(r->l->A, n, re, re + n) : TD_E_NOMEM;
    if (status == TD_OK) p = poles_span(re, re + n, n);
    free(re);
  } else if (deaf_begin()) {
    td_modes_result* m = NULL;
    status = td_modes(s->model, s->rest, s->work, &m);
    deaf_end();
    if (status == TD_OK) p = poles_span(m->re, m->im, m->ncomplex);
    td_modes_free(m);
  }
  if (status == TD_E_STOPPED) return session_failed(s, status, "frequency response");
  if (status != TD_OK) return complain(CODE_NUMERICS, "the poles cannot be found; give --range");

  *low = isfinite(p.slow) ? p.slow / 10 : 0.01;
  *high = p.fast > 0 ? fmin(p.fast * 10, *low * 1e6) : 100;
  return CODE_DONE;
}

// Compute gains and phases, phases without jumps; an undamped resonance that is hit exactly has
// none.
static td_status sweep(response* r, double low, double high) {
  const double pi = acos(-1.0);
  double* G = malloc(sizeof *G * (2 * (size_t)r->pairs + 1));
  td_status status = G ? TD_OK : TD_E_NOMEM;
  for (int k = 0; status == TD_OK && k < r->n; k++) {
    if (stop_asked()) status = TD_E_STOPPED;
    if (status != TD_OK) break;
    r->hz[k] = low * pow(high / low, r->n > 1 ? (double)k / (r->n - 1) : 0);
    const double w = 2 * pi * r->hz[k];
    status = r->l ? td_frequency_response(r->l, w, G) : td_response_at(r->at, w, G);
    const bool singular = status == TD_E_SINGULAR;
    if (singular) status = TD_OK;

    // decibels and degrees
    for (int i = 0; status == TD_OK && i < r->pairs; i++) {
      double* deg = r->deg + k * r->pairs + i;
      const double size = hypot(G[2 * i], G[2 * i + 1]);
      r->db[k * r->pairs + i] = singular ? NAN : 20 * log10(size);
      *deg = singular ? NAN : atan2(G[2 * i + 1], G[2 * i]) * 180 / pi;
      if (k > 0 && isfinite(deg[-r->pairs])) *deg -= 360 * round((*deg - deg[-r->pairs]) / 360);
    }
  }
  free(G);
  return status;
}

// Write bode.csv: frequencies, then magnitude [dB] and phase [deg] of each pair of input and
// output.
static td_status write_csv(session* s, const response* r) {
  td_columns* c = td_columns_new();
  if (!c) return TD_E_NOMEM;
  td_columns_add(c, "frequency_hz", "Hz", r->n, 1, r->hz);
  for (int i = 0; i < r->pairs; i++) {
    char* db = format_text("%s_db", r->names[i]);
    char* deg = format_text("%s_deg", r->names[i]);
    td_columns_add(c, db, "dB", r->n, r->pairs, r->db + i);
    td_columns_add(c, deg, "deg", r->n, r->pairs, r->deg + i);
    free(db);
    free(deg);
  }
  const td_status status = td_columns_csv(c, s->files, "bode.csv");
  td_columns_free(c);
  return status;
}

// Draw the gain above the phase, over a logarithmic axis; of many curves the first.
static td_status write_svg(session* s, const response* r) {
  enum { MOST_CURVES = 20 };
  const int shown = r->pairs < MOST_CURVES ? r->pairs : MOST_CURVES, cols = 1 + 2 * shown;
  double* values = malloc(sizeof *values * (size_t)r->n * (size_t)cols);
  char* title = shown < r->pairs ? format_text("Frequency response of %s (%d more in bode.csv)",
                                               s->name, r->pairs - shown)
                                 : format_text("Frequency response of %s", s->name);
  char *text = NULL, *names[1 + 2 * MOST_CURVES] = {"frequency [Hz]"};
  int gains[MOST_CURVES], phases[MOST_CURVES];
  td_status status = values && title ? TD_OK : TD_E_NOMEM;

  // columns: frequency, gains, phases; gains that are not finite leave a gap
  for (int k = 0; status == TD_OK && k < r->n; k++) {
    double* row = values + (size_t)k * (size_t)cols;
    *row++ = r->hz[k];
    for (int i = 0; i < shown; i++) *row++ = r->db[(size_t)k * (size_t)r->pairs + (size_t)i];
    for (int i = 0; i < shown; i++) *row++ = r->deg[(size_t)k * (size_t)r->pairs + (size_t)i];
  }
  for (int i = 0; i < shown; i++) {
    names[gains[i] = 1 + i] = names[phases[i] = 1 + shown + i] = r->names[i];
  }

  // two diagrams with one axis of frequencies
  const td_table curves = {r->n, cols, names, values};
  td_plot gain = td_plot_default();
  gain.table = &curves;
  gain.width = 220;
  gain.log_x = true;
  gain.ny = shown;
  td_plot phase = gain;
  gain.y = gains;
  gain.title = title;
  gain.y_label = "gain [dB]";
  gain.least = 2;
  gain.below = &phase;
  phase.y = phases;
  phase.y_label = "phase [deg]";
  phase.least = 10;
  phase.turn = 360;
  if (status == TD_OK) status = td_plot_svg(&gain, &text);
  if (status == TD_OK) status = td_files_text(s->files, "bode.svg", text);
  free(text);
  free(title);
  free(values);
  return status;
}

// Frequencies, names, gains and phases
static cJSON* response_json(const response* r) {
  cJSON* o = cJSON_CreateObject();
  json_add(o, "frequency_hz", json_vector(r->hz, r->n));
  cJSON* list = cJSON_AddArrayToObject(o, "names");
  for (int i = 0; i < r->pairs; i++) cJSON_AddItemToArray(list, cJSON_CreateString(r->names[i]));
  json_add(o, "db", json_matrix(r->db, r->n, r->pairs));
  json_add(o, "deg", json_matrix(r->deg, r->n, r->pairs));
  return o;
}

// Compute the response over the range and write it.
static int respond(session* s, response* r) {
  double low, high;
  r->nu = s->n.nu;
  r->ny = r->l ? r->l->ny : td_response_count(r->at);
  r->pairs = r->nu * r->ny;
  r->n = s->opt->points ? s->opt->points : 400;
  if (r->pairs == 0) return complain(CODE_USE, "a frequency response needs an input and a sensor");
  if ((double)r->pairs * r->n > 2e7) return complain(CODE_USE, "too many points and sensors");

  // frequencies, gains, phases, and names of all pairs
  const size_t n = (size_t)r->n, pairs = (size_t)r->pairs;
  r->block = calloc(n * (1 + 2 * pairs) + 1, sizeof *r->block);
  r->names = calloc(2 * pairs + 1, sizeof *r->names);
  if (!r->block || !r->names) return complain(CODE_NUMERICS, "out of memory");
  r->hz = r->block;
  r->db = r->hz + n;
  r->deg = r->db + n * pairs;
  for (int i = 0; i < r->pairs; i++) {
    const int k = i / r->nu, sensor = r->l ? r->l->output[k] : td_response_output(r->at, k);
    r->names[i] = format_text("%s/%s", td_model_sensor_name(s->model, sensor),
                              td_model_input_name(s->model, i % r->nu));
    if (!r->names[i]) return complain(CODE_NUMERICS, "out of memory");
  }

  // compute
  const int code = range_of(s, r, &low, &high);
  if (code) return code;
  td_status status = sweep(r, low, high);
  if (status != TD_OK) return session_failed(s, status, "frequency response");
  say(s, "  %d frequencies from %.4g to %.4g Hz\n", r->n, low, high);

  // write
  status = write_csv(s, r);
  if (status == TD_OK) status = write_svg(s, r);
  return session_wrote(s, status);
}

// Linearise, or prepare the sparse response of the whole model.
static int model_step(session* s, response* r) {
  if (s->opt->reduce) return linear_step(s, &r->l);
  const int code = linear_point(s);
  if (code) return code;
  if (!deaf_begin()) return session_failed(s, TD_E_STOPPED, "frequency response");
  const td_status status = td_response_new(s->model, s->rest, s->work, &r->at);
  deaf_end();
  if (status != TD_OK) return session_failed(s, status, "frequency response");
  say_heading(s, "Frequency response about the %s", s->opt->at ? "given state" : "equilibrium");
  if (*td_response_note(r->at)) say(s, "  %s\n", td_response_note(r->at));
  say_time(s, s->rest->t);
  return CODE_DONE;
}

// Compute and write the frequency response of a model.
int cmd_bode(const options* opt) {
  session s = {0};
  response r = {0};
  int code = session_open(&s, opt);
  if (code == CODE_DONE) code = session_output(&s);
  if (code == CODE_DONE) code = model_step(&s, &r);
  if (code == CODE_DONE) code = respond(&s, &r);
  if (code == CODE_DONE) code = session_commit(&s, NULL, NULL);
  if (code == CODE_DONE && opt->json) json_print(response_json(&r));

  for (int i = 0; r.names && i < r.pairs; i++) free(r.names[i]);
  free(r.names);
  free(r.block);
  td_linear_free(r.l);
  td_response_free(r.at);
  session_close(&s);
  return code;
}
