// A stage of commands: natural frequencies, damping and shapes at the equilibrium; modes.csv and
// modes.json.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static const double pi = 3.14159265358979323846;

// One record of modes.csv.
typedef struct mode_row {
  double mode, frequency, damping, real, imag;
  double error;  // of the frequency [Hz], NaN: not known
  bool grows;
} mode_row;

// Eigenvalue that undamped frequency w and modal damping z predict, s = -z w + i w sqrt(1 - z²):
// the slower one when overdamped, the growing one when unstable (w < 0 stands for w² < 0).
static void predict(double w, double z, double* re, double* im) {
  *im = 0;
  if (w < 0) {
    *re = -w;
  } else if (z < 1) {
    *re = -z * w;
    *im = w * sqrt(1 - z * z);
  } else {
    *re = -z * w + w * sqrt(z * z - 1);
  }
}

// Index of the eigenvalue of the damped system nearest to the prediction, among those not taken
// yet; -1: none
static int nearest(const td_modes_result* m, const char* taken, double re, double im) {
  int best = -1;
  double least = DBL_MAX;
  for (int k = 0; k < m->ncomplex; k++) {
    if (taken[k] || m->im[k] < 0) continue;
    const double distance = hypot(m->re[k] - re, m->im[k] - im);
    if (distance < least) {
      least = distance;
      best = k;
    }
  }
  return best;
}

// Records of the first n modes; NULL: no memory.
//
// A mode grows where its real part exceeds rounding: a millionth of the eigenvalue, since undamped
// modes lie on the imaginary axis.  The double zero of free motion becomes sqrt(epsilon) times the
// largest eigenvalue; that is no growth either, as in the verdict on the equilibrium.
static mode_row* rows_of(const session* s, int n) {
  const td_modes_result* m = s->modes;
  mode_row* rows = calloc((size_t)n + 1, sizeof *rows);
  double radius = 0;
  for (int k = 0; k < m->ncomplex; k++) radius = fmax(radius, hypot(m->re[k], m->im[k]));
  char* taken = calloc((size_t)m->ncomplex + 1, 1);
  for (int i = 0; rows && taken && i < n; i++) {
    double re, im;
    predict(m->omega[i], m->zeta[i], &re, &im);
    int k = nearest(m, taken, re, im);

    // free motion has a second eigenvalue, that of its damper: show the one that drives it
    for (int j = 0; m->omega[i] == 0 && j < m->ncomplex; j++)
      if (!taken[j] && m->im[j] == 0 && m->re[j] > fmax(1e-7 * radius, m->re[k])) k = j;
    if (k >= 0) {
      taken[k] = 1;
      re = m->re[k];
      im = m->im[k];
    }
    const double size = hypot(re, im), zero = m->omega[i] == 0 ? 1e-7 : 1e-15;
    rows[i] = (mode_row){i + 1,
                         m->omega[i] / (2 * pi),
                         m->zeta[i],
                         re,
                         im,
                         s->frequency_error ? s->frequency_error[i] / (2 * pi) : NAN,
                         re > 1e-6 * size && size > zero * radius};
  }
  if (!taken) {
    free(rows);
    rows = NULL;
  }
  free(taken);
  return rows;
}

// Print the table of the first modes (--count, 10 without it): frequency, damping ratio,
// eigenvalue, and the note of the analysis.
static void say_modes(session* s) {
  const int wanted = s->opt->count ? s->opt->count : 10;
  const int n = wanted < s->modes->n ? wanted : s->modes->n;
  mode_row* rows = rows_of(s, n);
  if (!rows) return;
  say_heading(s, "Modes");
  const bool bars = s->frequency_error != NULL;
  if (n == 0)
    say(s, "  none: no motion is left free\n");
  else
    say(s, "  mode  frequency [Hz]%s  damping ratio   eigenvalue [1/s]\n",
        bars ? "  ± error " : "");
  for (int i = 0; i < n; i++) {
    say(s, "  %4d  %14.6g", i + 1, rows[i].frequency);
    if (bars && isnan(rows[i].error)) say(s, "          ");
    if (bars && !isnan(rows[i].error)) say(s, "  ± %-6.2g", rows[i].error);
    say(s, "  %13.4g   %.4g", rows[i].damping, rows[i].real);
    if (rows[i].imag > 0) say(s, " ± %.6gi", rows[i].imag);
    say(s, rows[i].grows ? "  unstable\n" : "\n");
  }
  if (s->modes->n > n) say(s, "  ... %d more in modes.csv\n", s->modes->n - n);
  if (s->modes->note[0]) say(s, "  %s\n", s->modes->note);
  free(rows);
}

// Compute and print the modes at the equilibrium.
int modes_step(session* s) {
  const double start = seconds();
  if (!deaf_begin()) {
    s->partial = true;
    return session_failed(s, TD_E_STOPPED, "modes");
  }
  const td_status status = td_modes(s->model, s->rest, s->work, &s->modes);
  deaf_end();
  s->timings[TIME_MODES] = seconds() - start;
  if (status != TD_OK) return session_failed(s, status, "modes");
  const bool bars = s->modes->n > 0 && bars_modes(s);
  say_modes(s);
  return bars ? bars_judge(s, &s->modes_judged, &s->modes_trust, "modes") : CODE_DONE;
}

// Undamped modes with their shapes, and all eigenvalues of the damped system with theirs as pairs
// [re, im]
cJSON* modes_json(const session* s) {
  const int n = s->modes->n;
  mode_row* rows = rows_of(s, n);
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "note", s->modes->note);
  if (s->frequency_error)
    json_add(o, "trust", trust_json(s->modes_trust.verdict, s->modes_trust.reasons));
  cJSON* names = cJSON_AddArrayToObject(o, "velocities");
  for (int i = 0; i < s->n.nv; i++) {
    cJSON_AddItemToArray(names, cJSON_CreateString(td_model_v_name(s->model, i)));
  }

  // undamped modes
  cJSON* list = cJSON_AddArrayToObject(o, "modes");
  for (int i = 0; rows && i < n; i++) {
    const double* shape = s->modes->shape + (size_t)i * (size_t)s->n.nv;
    cJSON* mode = cJSON_CreateObject();
    json_add_number(mode, "mode", rows[i].mode);
    json_add_number(mode, "frequency_hz", rows[i].frequency);
    if (s->frequency_error) json_add_number(mode, "frequency_error", rows[i].error);
    json_add_number(mode, "damping_ratio", rows[i].damping);
    json_add_number(mode, "real", rows[i].real);
    json_add_number(mode, "imag", rows[i].imag);
    json_add(mode, "shape", json_vector(shape, s->n.nv));
    cJSON_AddItemToArray(list, mode);
  }

  // damped eigenvalues
  cJSON* all = cJSON_AddArrayToObject(o, "eigenvalues");
  for (int k = 0; k < s->modes->ncomplex; k++) {
    const double* shape = s->modes->complex_shape + 2 * (size_t)k * (size_t)s->n.nv;
    cJSON* value = cJSON_CreateObject();
    json_add_number(value, "real", s->modes->re[k]);
    json_add_number(value, "imag", s->modes->im[k]);
    json_add(value, "shape", json_matrix(shape, s->n.nv, 2));
    cJSON_AddItemToArray(all, value);
  }
  free(rows);
  return o;
}

// Write modes.csv and modes.json.
int modes_write(session* s) {
  const int n = s->modes->n, stride = (int)(sizeof(mode_row) / sizeof(double));
  mode_row* rows = rows_of(s, n);
  if (!rows) return session_wrote(s, TD_E_NOMEM);
  const td_matrix written[] = {
      {"mode", "", n, 1, stride, &rows->mode, NULL},
      {"frequency_hz", "Hz", n, 1, stride, &rows->frequency, NULL},
      {"damping_ratio", "", n, 1, stride, &rows->damping, NULL},
      {"real", "1/s", n, 1, stride, &rows->real, NULL},
      {"imag", "1/s", n, 1, stride, &rows->imag, NULL},
      {"frequency_error", "Hz", n, 1, stride, &rows->error, NULL},
  };
  td_status status = td_files_csv(s->files, "modes.csv", written, s->frequency_error ? 6 : 5);
  free(rows);
  if (status == TD_OK) status = session_write_json(s, "modes.json", modes_json(s));
  return session_wrote(s, status);
}
