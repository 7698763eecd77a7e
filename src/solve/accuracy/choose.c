// The choice of the discretisation by an accuracy: rods for which the text writes neither n, order,
// elements, basis, functions nor strain start with the default resolution and are refined until
// the error bars of the sensors at the equilibrium and of the first frequencies there meet the
// request, in at most three rounds.
//
// 'gvs': n + 2 for each factor 10 that is missing, which smooth strains fall by at least; above 10,
// where elements of order 4 take over, at least 20.  'srl', 'ebr' and 'eba', whose error falls with
// n²: n times the root of what is missing.  'rom': n + 1 for each factor 10.
//
// Rods are not coarsened below the default: an equilibrium may be straight where the motion is not.
#include <stdarg.h>
#include <stdio.h>

#include "base/diag.h"
#include "model/model.h"
#include "model/spec.h"
#include "solve/vectors.h"
#include "tendril/accuracy.h"

enum { ROUNDS = 3, JUDGED_MODES = 3, MOST_CHOSEN = 64 };

// May the resolution of a rod be chosen?  Nothing about it is written, of the rod or of a part.
static bool is_open(const value* rods, int i) {
  static const char* const fields[] = {"n",      "order",  "elements", "basis", "functions",
                                       "strain", "coords", "points",   "magnus"};
  const value* parts = td_get(rods, i, "part");
  for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++) {
    if (td_get(rods, i, fields[f])) return false;
    for (int k = 0; parts && k < td_value_count(parts); k++)
      if (td_get(parts, k, fields[f])) return false;
  }
  return true;
}

// The next resolution of a rod whose error is `missing` times what is asked.
static int finer(rod_model model, int n, double missing) {
  const double decades = fmax(1, ceil(log10(fmax(1, missing))));
  switch (model) {
    case ROD_MODEL_gvs:
      n += 2 * (int)decades;
      return min_int(MOST_CHOSEN, n > 10 ? max_int(n, 20) : n);
    case ROD_MODEL_rom:
      return min_int(18, n + (int)decades);
    default:
      return min_int(4 * MOST_CHOSEN, (int)ceil(n * fmax(1.5, 1.1 * sqrt(missing))));
  }
}

// How far a model is from what is asked: its error bar relative to its scale, and that relative to
// what is asked of this sensor or frequency, whichever misses it most.
typedef struct judged {
  double reached, missing;  // NaN: there is no bar
} judged;

static void worse(judged* j, double relative, double asked) {
  if (!(asked > 0) || (!isnan(j->missing) && relative / asked <= j->missing)) return;
  *j = (judged){relative, relative / asked};
}

// Judge a model at its equilibrium, asked for an accuracy of sensors (0: those with one of their
// own alone) and frequencies there.
static judged judge(td_spec* spec, const td_model* model, double accuracy, char* why, size_t size) {
  td_bars* bars = NULL;
  td_work* work = td_work_new(model);
  td_state* state = td_state_new(model);
  td_modes_result* modes = NULL;
  double *error = NULL, *values = NULL;
  judged worst = {NAN, NAN};
  td_equil_result rest = {.stability = TD_UNKNOWN};
  const char* reasons = "";
  td_equil_options how = td_equil_options_default();
  how.stable = true;  // as the commands search
  bool ok = work && state && td_bars_new(spec, model, &bars) == TD_OK &&
            td_state_initial(model, work, state) == TD_OK &&
            td_equilibrium(model, work, state, &how, &rest) == TD_OK;
  if (!ok) snprintf(why, size, "there is no equilibrium to judge it by");

  // sensors
  const int n = model->noutput_ex;
  if (ok) {
    error = calloc((size_t)(n + model->nvel) + 1, sizeof(double));
    values = calloc((size_t)n + 1, sizeof(double));
    ok = error && values && td_sensors(model, state, work, values) == TD_OK &&
         td_bars_equilibrium(bars, work, state, &rest, error) == TD_OK;
    td_bars_trust(bars, &reasons);
    for (int i = 0; i < n && ok; i++) {
      const double scale = td_bars_scale(bars, i, values);
      const double own = model->output_accuracy[i];
      if (scale > 0 && !isnan(error[i])) worse(&worst, error[i] / scale, own >= 0 ? own : accuracy);
    }
    if (ok && isnan(worst.missing))
      snprintf(why, size, "%s", n == 0 ? "there are no sensors" : reasons);
  }

  // the first frequencies
  if (ok && accuracy > 0 && !isnan(worst.missing) &&
      td_modes(model, state, work, &modes) == TD_OK && modes->n <= model->nvel &&
      td_bars_modes(bars, work, state, modes, error) == TD_OK)
    for (int i = 0; i < modes->n && i < JUDGED_MODES; i++)
      if (modes->omega[i] > 0 && !isnan(error[i]))
        worse(&worst, error[i] / modes->omega[i], accuracy);
  td_modes_free(modes);
  free(error);
  free(values);
  td_bars_free(bars);
  td_state_free(state);
  td_work_free(work);
  return worst;
}

// Append to a message.
static void add(char* said, size_t size, const char* format, ...) TD_PRINTF(3, 4);
static void add(char* said, size_t size, const char* format, ...) {
  const size_t used = strlen(said);
  va_list args;
  va_start(args, format);
  vsnprintf(said + used, size - used, format, args);
  va_end(args);
}

td_status td_model_choose(td_spec* spec, double accuracy, td_model** model, char* said,
                          size_t size) {
  if (!spec || !model || !*model || !(accuracy >= 0) || (said && size == 0)) return TD_E_USAGE;
  char own[1000] = "", why[400] = "";
  if (!said) said = own, size = sizeof own;
  *said = 0;

  // rods that are open to choice; edges of meshes come behind the written ones
  const value* rods = td_get(spec->root, 0, "rod");
  const int n = rods ? min_int(td_value_count(rods), (*model)->nrod) : 0;
  bool* open = calloc((size_t)n + 1, sizeof *open);
  if (!open) return TD_E_NOMEM;
  int nopen = 0;
  for (int i = 0; i < n; i++) nopen += open[i] = is_open(rods, i);
  judged now = {NAN, NAN};
  if (nopen > 0) now = judge(spec, *model, accuracy, why, sizeof why);
  if (nopen > 0 && accuracy > 0) add(said, size, "accuracy %g:", accuracy);
  if (nopen > 0 && accuracy == 0) add(said, size, "accuracy of sensors:");
  if (nopen > 0 && isnan(now.missing)) add(said, size, " default resolution, since %s", why);

  // refine until the request is met; a finer model that cannot be built leaves the last one
  td_status status = TD_OK;
  int rounds = 0;
  for (; rounds < ROUNDS && now.missing > 1 && status == TD_OK; rounds++) {
    add(said, size, "%s %.2g", rounds == 0 ? " error" : ",", now.reached);
    for (int i = 0; i < n && status == TD_OK; i++) {
      const model_rod* r = &(*model)->rod[i];
      char path[40];
      if (!open[i]) continue;
      snprintf(path, sizeof path, "rod(%d).n", i + 1);
      status = td_spec_number(spec, path, finer(r->model, r->n, now.missing));
    }
    td_model* next = NULL;
    const td_diags before = spec->diags;
    if (status == TD_OK) status = td_model_compile(spec, &next);
    if (status != TD_OK) break;
    td_diags_back(&spec->diags, &before);
    td_model_free(*model);
    *model = next;
    now = judge(spec, *model, accuracy, why, sizeof why);
  }
  if (nopen > 0 && !isnan(now.missing))
    add(said, size, "%s %.2g with", rounds == 0 ? " error" : ",", now.reached);
  for (int i = 0; i < n && !isnan(now.missing); i++)
    if (open[i])
      add(said, size, " %.60s.n = %d", model_name(*model, (*model)->rod[i].name),
          (*model)->rod[i].n);
  free(open);
  return status;
}
