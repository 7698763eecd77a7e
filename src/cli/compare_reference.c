// The reference of `tendril compare`, and the errors against it.
//
// Polynomials converge faster than any power: the highest order is the reference, and its
// difference from the order below is its error.  The other models are of second order, so that
//
//   u = (r² u_fine - u_coarse) / (r² - 1),    r = n_fine / n_coarse
//
// cancels the leading error (Richardson extrapolation); its difference from that of the next
// coarser pair is its error.  The candidate with the least error is taken.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare.h"

// ---- sensors ----------------------------------------------------------------------------------

// Group the sensors: three components make a vector, whose errors are distances.
int comparison_groups(comparison* c) {
  const session* s = c->s;
  c->group = calloc((size_t)s->n.nsensor + 1, sizeof *c->group);
  if (!c->group) return complain(CODE_NUMERICS, "out of memory");
  for (int i = 0; i < s->n.nsensor;) {
    const char* name = td_model_sensor_name(s->model, i);
    size_t stem = strlen(name);
    const int n = component_count(s, i, &stem);
    const bool vector = n == 3 && name[stem + 1] == 'x';
    sensor_group* g = &c->group[c->ngroup++];
    *g = (sensor_group){i, vector ? 3 : 1,
                        vector ? format_text("%.*s", (int)stem, name) : format_text("%s", name)};
    if (!g->name) return complain(CODE_NUMERICS, "out of memory");
    i += g->count;
  }
  return CODE_DONE;
}

// Largest distance of one sensor over all records
static double group_distance(const sensor_group* g, int nsensor, const record* a, const record* b) {
  double worst = 0;
  for (int i = 0; i < a->rows; i++) {
    const size_t at = (size_t)i * (size_t)nsensor + (size_t)g->first;
    double sum = 0;
    for (int k = 0; k < g->count; k++) sum += pow(a->x[at + (size_t)k] - b->x[at + (size_t)k], 2);
    if (isnan(sum)) return NAN;
    worst = fmax(worst, sqrt(sum));
  }
  return worst;
}

// Largest distance over all sensors; NaN when the two cannot be compared
static double distance(const comparison* c, const record* a, const record* b) {
  if (!a->x || !b->x || a->rows != b->rows) return NAN;
  double worst = 0;
  for (int g = 0; g < c->ngroup; g++) {
    const double d = group_distance(&c->group[g], c->s->n.nsensor, a, b);
    if (isnan(d)) return NAN;
    worst = fmax(worst, d);
  }
  return worst;
}

// ---- candidates -------------------------------------------------------------------------------

// Find the finest variants of a model that succeeded, finest first; returns how many, at most 3.
static int finest(const comparison* c, quantity k, const char* model, const variant* out[3]) {
  int n = 0;
  for (int i = c->n - 1; i >= 0 && n < 3; i--) {
    const variant* v = &c->list[i];
    if (strcmp(v->model, model) != 0 || !v->at[k].x) continue;
    if (n == 0 || (v->n < out[n - 1]->n && v->at[k].rows == out[0]->at[k].rows)) out[n++] = v;
  }
  return n;
}

static record copy(const record* a, int nsensor) {
  const size_t n = (size_t)a->rows * (size_t)nsensor;
  record r = {malloc((n + 1) * sizeof(double)), a->rows};
  if (r.x) memcpy(r.x, a->x, n * sizeof(double));
  return r;
}

// Richardson extrapolation of two variants
static record extrapolate(const variant* fine, const variant* coarse, quantity k, int nsensor) {
  record r = copy(&fine->at[k], nsensor);
  const double ratio = (double)fine->n / coarse->n, weight = 1 / (ratio * ratio - 1);
  const size_t n = (size_t)r.rows * (size_t)nsensor;
  for (size_t i = 0; r.x && i < n; i++) r.x[i] += weight * (r.x[i] - coarse->at[k].x[i]);
  return r;
}

// Candidate of a polynomial model
static void polynomial(const comparison* c, quantity k, candidate* out) {
  const variant* v[3];
  if (finest(c, k, out->model, v) < 2) return;
  out->x = copy(&v[0]->at[k], c->s->n.nsensor);
  out->error = distance(c, &out->x, &v[1]->at[k]);
  snprintf(out->text, sizeof out->text, "%s of order %d against %d", out->model, v[0]->n, v[1]->n);
}

// Candidate of a model of second order
static void richardson(const comparison* c, quantity k, candidate* out) {
  const variant* v[3];
  if (finest(c, k, out->model, v) < 3) return;
  const int nsensor = c->s->n.nsensor;

  // the limit of the two finest, against that of the next pair
  record coarse = extrapolate(v[1], v[2], k, nsensor);
  out->x = extrapolate(v[0], v[1], k, nsensor);
  out->error = distance(c, &out->x, &coarse);
  free(coarse.x);
  snprintf(out->text, sizeof out->text, "%s extrapolated from n = %d, %d against %d, %d",
           out->model, v[1]->n, v[0]->n, v[2]->n, v[1]->n);
}

// Compute all candidates and choose the one with the least error, which is at least rounding.
static void choose(comparison* c, quantity k) {
  c->reference[k] = NULL;
  for (int i = 0; i < NMODEL; i++) {
    candidate* from = &c->from[k][i];
    *from = (candidate){.model = rod_models[i], .error = NAN};
    if (is_polynomial(from->model)) {
      polynomial(c, k, from);
    } else {
      richardson(c, k, from);
    }
    if (isnan(from->error)) continue;
    double largest = 0;
    for (size_t n = 0; n < (size_t)from->x.rows * (size_t)c->s->n.nsensor; n++)
      largest = fmax(largest, fabs(from->x.x[n]));
    from->error = fmax(from->error, 1e-14 * largest);
    if (!c->reference[k] || from->error < c->reference[k]->error) c->reference[k] = from;
  }
}

// ---- errors -----------------------------------------------------------------------------------

bool below_reference(const comparison* c, const variant* v, quantity k) {
  return c->reference[k] && v->error[k] <= c->reference[k]->error;
}

// Errors of one variant against the reference
static void measure(comparison* c, variant* v, quantity k) {
  const record* to = c->reference[k] ? &c->reference[k]->x : NULL;
  v->error[k] = v->order[k] = NAN;
  if (!to || !v->at[k].x) return;
  if (v->at[k].rows != to->rows) {
    if (!v->reason) v->reason = format_text("simulation: it ended at another time");
    return;
  }
  v->error[k] = distance(c, &v->at[k], to);
  v->each[k] = calloc((size_t)c->ngroup + 1, sizeof(double));
  for (int g = 0; v->each[k] && g < c->ngroup; g++) {
    v->each[k][g] = group_distance(&c->group[g], c->s->n.nsensor, &v->at[k], to);
  }
}

// Observed order, error ~ n^-order, from two variants whose errors the reference can resolve;
// polynomials have none
static void observe_order(const comparison* c, variant* v, const variant* coarser, quantity k) {
  const bool same = coarser && strcmp(v->model, coarser->model) == 0 && v->n > coarser->n;
  if (!same || is_polynomial(v->model)) return;
  if (!(v->error[k] > 0) || below_reference(c, v, k) || below_reference(c, coarser, k)) return;
  v->order[k] = log(coarser->error[k] / v->error[k]) / log((double)v->n / coarser->n);
}

void comparison_reference(comparison* c, quantity k) {
  choose(c, k);
  for (int i = 0; i < c->n; i++) measure(c, &c->list[i], k);
  for (int i = 0; i < c->n; i++) observe_order(c, &c->list[i], i > 0 ? &c->list[i - 1] : NULL, k);
}

void comparison_free(comparison* c) {
  for (int i = 0; i < c->n; i++) variant_free(&c->list[i]);
  for (int k = 0; k < QUANTITIES; k++) {
    for (int i = 0; i < NMODEL; i++) free(c->from[k][i].x.x);
  }
  for (int g = 0; g < c->ngroup; g++) free(c->group[g].name);
  free(c->group);
  free(c->list);
}
