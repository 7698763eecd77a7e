// The choice of the discretisation by an accuracy: rods for which the text writes neither n, order,
// elements, basis, functions nor strain start with the default resolution and are refined until
// the error bars of the sensors at the equilibrium and of the first frequencies there meet the
// request, in at most four rounds.
//
// 'gvs': up to 4 orders a round, as many as the pace at which the error falls asks for, until 10;
// then 20, with elements of order 4, and as many more as strains need that fall with h⁵. Where
// sensors miss the request, only the strains whose change moves places by a tenth of what is
// missing or more, in a rod without parts; where frequencies do, all of them.  'srl', 'ebr' and
// 'eba', whose error falls with n²: n times the root of what is missing.  'rom': orders
// as of 'gvs'.
//
// Rods are not coarsened below the default: an equilibrium may be straight where the motion is not.
#include <stdarg.h>
#include <stdio.h>

#include "base/diag.h"
#include "elem/basis.h"
#include "model/model.h"
#include "model/spec.h"
#include "solve/accuracy/bars.h"
#include "solve/vectors.h"
#include "tendril/accuracy.h"

enum { ROUNDS = 4, JUDGED_MODES = 3, MOST_CHOSEN = 64 };

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

// The next resolution of a rod whose error is `missing` times what is asked, and falls by `pace`
// decades with each order.
static int finer(rod_model model, int n, double missing, double pace) {
  const double decades = log10(fmax(1, missing)) + 0.3;
  const int orders = min_int(4, (int)ceil(decades / pace));
  switch (model) {
    case ROD_MODEL_gvs:
      if (n > 10)  // elements of order 4: strains at a place fall with their length to the power 5
        return min_int(MOST_CHOSEN, (int)ceil(n * fmax(1.3, 1.15 * pow(missing, 0.2))));
      if (n == 10) return (int)ceil(20 * pow(fmax(1, missing), 0.2));
      return min_int(10, n + orders);
    case ROD_MODEL_rom:
      return min_int(18, n + orders);
    default:
      return min_int(4 * MOST_CHOSEN, (int)ceil(n * fmax(1.5, 1.1 * sqrt(missing))));
  }
}

// How far a model is from what is asked: its error bar relative to its scale, and that relative to
// what is asked of this sensor or frequency, whichever misses it most.
typedef struct judged {
  double reached, missing;  // NaN: there is no bar
  bool frequency;           // of a frequency
} judged;

static void worse(judged* j, double error, double asked, bool frequency) {
  if (!(asked > 0) || (!isnan(j->missing) && error / asked <= j->missing)) return;
  *j = (judged){error, error / asked, frequency};
}

// Judge a model at its equilibrium, asked for an accuracy of sensors (0: those with one of their
// own alone) and frequencies there.
// alone) and frequencies there.  `change` (nrod x 6): how far the strains of 'gvs' rods move
// places.
static judged judge(td_spec* spec, const td_model* model, double accuracy, double* change,
                    char* why, size_t size) {
  td_bars* bars = NULL;
  td_work* work = td_work_new(model);
  td_state* state = td_state_new(model);
  td_modes_result* modes = NULL;
  double *error = NULL, *values = NULL;
  judged worst = {NAN, NAN, false};
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
    double* top = calloc(6 * (size_t)model->nrod + 1, sizeof(double));
    if (!ok || !top || !td_bars_spectrum(bars, work, state, change, top))
      for (int i = 0; i < 6 * model->nrod; i++) change[i] = INFINITY;  // not known
    for (int i = 0; i < 6 * model->nrod; i++) change[i] = sqrt(change[i]);
    free(top);
    for (int i = 0; i < n && ok; i++) {
      const double scale = td_bars_scale(bars, i, values);
      const double own = model->output_accuracy[i];
      if (scale > 0 && !isnan(error[i]))
        worse(&worst, error[i] / scale, own >= 0 ? own : accuracy, false);
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
        worse(&worst, error[i] / modes->omega[i], accuracy, true);
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

// The resolution of a rod that is chosen: n of each strain, the same of all in models but 'gvs'.
typedef struct choice {
  bool open, whole;  // open to choice; of all strains together
  int n[6];
} choice;

static bool is_even(const choice* c) {
  for (int d = 1; d < 6; d++)
    if (c->n[d] != c->n[0]) return false;
  return true;
}

// Order and elements of each strain of a 'gvs' rod that has n functions of it.
static void spaces_of(const choice* c, double order[6], double elements[6]) {
  for (int d = 0; d < 6; d++) {
    int p, e;
    td_basis_find("legendre")->f->resolve(c->n[d], &p, &e);
    order[d] = p;
    elements[d] = e;
  }
}

// Refine the strains that keep rod i from what is asked: those that move places as far as the worst
// one would by 0.3 of what is asked, so that the others may stay.
static void refine(choice* c, const model_rod* rod, int i, const double* change, double most,
                   const judged* now, double pace) {
  for (int d = 0; d < 6; d++) {
    const bool stays = !c->whole && !now->frequency && isfinite(most) &&
                       change[6 * i + d] < 0.3 * most / now->missing;
    if (!stays) c->n[d] = finer(rod->model, c->n[d], now->missing, pace);
  }
}

// Write the choice into the description: rod(i).n, or order and elements where strains differ.
static td_status write_choice(td_spec* spec, const choice* c, int i) {
  char path[40];
  double order[6], elements[6];
  if (is_even(c)) {
    snprintf(path, sizeof path, "rod(%d).n", i + 1);
    return td_spec_number(spec, path, c->n[0]);
  }
  spaces_of(c, order, elements);
  snprintf(path, sizeof path, "rod(%d).order", i + 1);
  TD_TRY(td_spec_matrix(spec, path, 1, 6, order));
  snprintf(path, sizeof path, "rod(%d).elements", i + 1);
  return td_spec_matrix(spec, path, 1, 6, elements);
}

// Say it as statements of the language.
static void say_choice(char* said, size_t size, const choice* c, int i, bool first) {
  add(said, size, "%srod(%d).", first ? " " : "; ", i + 1);
  if (is_even(c)) {
    add(said, size, "n = %d", c->n[0]);
    return;
  }
  double space[2][6];
  spaces_of(c, space[0], space[1]);
  for (int k = 0; k < 2; k++) {
    if (k == 1) add(said, size, "; rod(%d).", i + 1);
    add(said, size, "%s = [%g", k == 0 ? "order" : "elements", space[k][0]);
    for (int d = 1; d < 6; d++) add(said, size, " %g", space[k][d]);
    add(said, size, "]");
  }
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
  choice* rod = calloc((size_t)n + 1, sizeof *rod);
  double* change = calloc(6 * (size_t)(*model)->nrod + 1, sizeof *change);
  if (!rod || !change) {
    free(rod);
    free(change);
    return TD_E_NOMEM;
  }
  int nopen = 0;
  for (int i = 0; i < n; i++) {
    const model_rod* r = &(*model)->rod[i];
    rod[i].open = is_open(rods, i);
    rod[i].whole = r->model != ROD_MODEL_gvs || td_get(rods, i, "part");
    // each part has the n of its rod, and the rod counts those of all
    const value* parts = td_get(rods, i, "part");
    for (int d = 0; d < 6; d++) rod[i].n[d] = r->n / max_int(1, parts ? td_value_count(parts) : 1);
    nopen += rod[i].open;
  }
  judged now = {NAN, NAN, false};
  if (nopen > 0) now = judge(spec, *model, accuracy, change, why, sizeof why);
  if (nopen > 0 && accuracy > 0) add(said, size, "accuracy %g:", accuracy);
  if (nopen > 0 && accuracy == 0) add(said, size, "accuracy of sensors:");
  if (nopen > 0 && isnan(now.missing)) add(said, size, " default resolution, since %s", why);

  // refine until the request is met; a finer model that cannot be built leaves the last one
  td_status status = TD_OK;
  int rounds = 0;
  double pace = 0.75;  // of smooth strains, until it is seen
  for (; rounds < ROUNDS && now.missing > 1 && status == TD_OK; rounds++) {
    add(said, size, "%s %.2g", rounds == 0 ? " error" : ",", now.reached);
    const double missed = now.missing;
    double most = 0;
    int orders = 0, before_n = 0;
    for (int i = 0; i < n; i++) before_n = rod[i].open ? max_int(before_n, rod[i].n[3]) : before_n;
    for (int i = 0; i < 6 * n; i++) most = rod[i / 6].open ? fmax(most, change[i]) : most;
    for (int i = 0; i < n && status == TD_OK; i++) {
      if (!rod[i].open) continue;
      refine(&rod[i], &(*model)->rod[i], i, change, most, &now, pace);
      status = write_choice(spec, &rod[i], i);
    }
    td_model* next = NULL;
    const td_diags before = spec->diags;
    if (status == TD_OK) status = td_model_compile(spec, &next);
    if (status != TD_OK) break;
    td_diags_back(&spec->diags, &before);
    td_model_free(*model);
    *model = next;
    now = judge(spec, *model, accuracy, change, why, sizeof why);

    // how fast the error falls
    for (int i = 0; i < n; i++) orders = rod[i].open ? max_int(orders, rod[i].n[3]) : orders;
    if (orders > before_n && now.missing > 0)
      pace = fmin(2, fmax(0.3, log10(missed / now.missing) / (orders - before_n)));
  }
  if (nopen > 0 && !isnan(now.missing))
    add(said, size, "%s %.2g with", rounds == 0 ? " error" : ",", now.reached);
  bool first = true;
  for (int i = 0; i < n && !isnan(now.missing); i++)
    if (rod[i].open) {
      say_choice(said, size, &rod[i], i, first);
      first = false;
    }
  free(rod);
  free(change);
  return status;
}
