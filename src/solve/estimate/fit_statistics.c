// Statistics of a fit: errors by sensor and recording, intervals, correlations, combinations of
// parameters that the measurements do not determine, and the gain by freeing further parameters.
//
// With J the Jacobian of the m residuals by the n variables, each scaled by a typical change,
//
//   J = U S Vᵀ,   covariance = s² V S⁻² Vᵀ,   s² = Σ r² / (m - n)               [seber2003, ch. 5]
//
// and, under Huber's loss, s² = Σ ψ² / (m - n) / mean(ψ')²                     [huber1981, ch. 7].
#include <math.h>
#include <stdio.h>

#include "engine/engine.h"
#include "math/dense.h"
#include "math/student.h"
#include "solve/estimate/fit.h"
#include "solve/vectors.h"
#include "tendril/tools.h"

// ---- errors -----------------------------------------------------------------------------------

// Length of the name without the ending of a component (tip_x, tip_1).
static size_t stem(const char* name) {
  const char* bar = strrchr(name, '_');
  if (!bar || bar == name) return strlen(name);
  const char* end = bar + 1;
  const bool letter = *end && strchr("xyz", *end) && !end[1];
  const bool digits = *end && strspn(end, "0123456789") == strlen(end);
  return letter || digits ? (size_t)(bar - name) : strlen(name);
}

// Do two numbers belong to one vector sensor?
static bool same_sensor(const fit* f, int a, int b) {
  const char *x = td_model_sensor_name(f->model, a), *y = td_model_sensor_name(f->model, b);
  const size_t n = stem(x);
  return n == stem(y) && strncmp(x, y, n) == 0;
}

const char* td_fit_unit(const fit* f) {
  const char* unit = NULL;
  for (int c = 0; c < f->y.n; c++) {
    const char* u = td_model_sensor_unit(f->model, f->y.list[c].output);
    if (unit && strcmp(u, unit) != 0) return "";
    unit = u;
  }
  return unit ? unit : "";
}

// Is there one unit for all comparisons, named or not?
static bool one_unit(const fit* f) {
  for (int c = 1; c < f->y.n; c++)
    if (strcmp(td_model_sensor_unit(f->model, f->y.list[c].output),
               td_model_sensor_unit(f->model, f->y.list[0].output)) != 0)
      return false;
  return true;
}

// Sum of squares of errors and number of readings of recording k (< 0: all) and sensor `group` (<
// 0: all): components of a vector in one row are one reading.
static double mean_square(const fit* f, int k, int group, const bool* use, bool weighted) {
  double sum = 0, readings = 0;
  int last_row = -1, last_recording = -1, last_output = -1;
  for (int c = 0; c < f->y.n; c++) {
    const comparison* at = &f->y.list[c];
    if ((use && !use[c]) || (k >= 0 && at->recording != k)) continue;
    if (group >= 0 && !same_sensor(f, at->output, group)) continue;
    const double e = (weighted ? at->weight : 1) * (f->y.y[c] - at->data);
    sum += e * e;
    const bool again = !weighted && at->row == last_row && at->recording == last_recording &&
                       same_sensor(f, at->output, last_output);
    readings += !again;
    last_row = at->row, last_recording = at->recording, last_output = at->output;
  }
  return readings > 0 ? sum / readings : (double)NAN;
}

double td_fit_rms(const fit* f, int k, const bool* use) {
  return sqrt(mean_square(f, k, -1, use, !one_unit(f)));
}

// Errors of all recordings; those that were not fitted are predicted here.
static td_status list_errors(fit* f, td_fit_result* r) {
  bool* fitted = calloc((size_t)f->y.n + 1, sizeof *fitted);
  if (!fitted) return TD_E_NOMEM;
  bool others = false;
  for (int c = 0; c < f->y.n; c++) {
    fitted[c] = f->y.use[c];
    f->y.use[c] = !fitted[c];
    others = others || !fitted[c];
  }
  const int nby = f->y.nby;
  f->y.nby = 0;
  const td_status status = others ? td_predict(&f->y) : TD_OK;
  f->y.nby = nby;
  memcpy(f->y.use, fitted, sizeof *fitted * (size_t)f->y.n);
  free(fitted);
  TD_TRY(status);

  r->residuals = f->m;
  r->residuals_all = f->y.n;
  r->rms_unit = td_fit_unit(f);
  r->rms = td_fit_rms(f, -1, f->y.use);
  for (int k = 0; k < f->set->n; k++) {
    r->fitted[k] = !f->options->use || f->options->use[k];
    r->recording_rms[k] = td_fit_rms(f, k, NULL);
  }
  for (int c = 0; c < f->y.n; c++) {
    const comparison* at = &f->y.list[c];
    r->res_recording[c] = at->recording;
    r->res_row[c] = at->row;
    r->res_sensor[c] = at->output;
    r->res_t[c] = at->t;
    r->res_data[c] = at->data;
    r->res_model[c] = f->y.y[c];
    r->res_weighted[c] = at->weight * (f->y.y[c] - at->data);
  }

  // sensors
  for (int s = 0; s < f->model->noutput_name; s++) {
    const char* name = td_model_sensor_name(f->model, s);
    bool first = true, used = false;
    for (int b = 0; b < s; b++) first = first && !same_sensor(f, b, s);
    for (int c = 0; c < f->y.n; c++)
      used = used || (f->y.use[c] && same_sensor(f, f->y.list[c].output, s));
    if (!first || !used) continue;
    bool alone = true;
    for (int b = s + 1; b < f->model->noutput_name; b++) alone = alone && !same_sensor(f, b, s);
    char* own = td_strndup(name, alone ? strlen(name) : stem(name));
    if (!own) return TD_E_NOMEM;
    r->group_name[r->groups] = own;
    r->group_rms[r->groups++] = sqrt(mean_square(f, -1, s, f->y.use, false));
  }
  return TD_OK;
}

// ---- notes on the residuals -------------------------------------------------------------------

// Correlation of the residuals of neighbouring rows, sensor by sensor.
static void note_correlated(const fit* f, const double* r, td_text* notes) {
  for (int k = 0; k < f->set->n; k++) {
    double next = 0, square = 0;
    int pairs = 0;
    for (int i = 0; i < f->m; i++) {
      const comparison* a = &f->y.list[f->row[i]];
      if (a->recording != k) continue;
      square += r[i] * r[i];
      // the same sensor in the next row that has it is at most two rows of sensors further
      for (int j = i + 1; j < f->m && j <= i + 2 * f->set->list[k].nsensor; j++) {
        const comparison* b = &f->y.list[f->row[j]];
        if (b->recording != k) break;
        if (b->output != a->output) continue;
        next += r[i] * r[j];
        pairs++;
        break;
      }
    }
    const double rho = square > 0 ? next / square : 0;
    if (pairs < 8 || rho < 0.25 || rho < 2 / sqrt(pairs)) continue;
    td_text_printf(notes,
                   "recording %s: residuals of neighbouring rows are alike (correlation %.2f), so "
                   "that errors of the model outweigh those of the measurement; true intervals are "
                   "wider than these, which assume independent errors\n",
                   f->set->list[k].name, rho);
  }
}

// Sensors whose residuals have a mean that stands out.
static void note_offsets(const fit* f, td_text* notes) {
  for (int s = 0; s < f->model->noutput_name; s++) {
    double sum = 0, square = 0;
    int n = 0;
    for (int i = 0; i < f->m; i++) {
      const int c = f->row[i];
      if (f->y.list[c].output != s) continue;
      const double e = f->y.y[c] - f->y.list[c].data;
      sum += e, square += e * e, n++;
    }
    if (n < 4) continue;
    const double mean = sum / n, deviation = sqrt(fmax(square / n - mean * mean, 0));
    if (fabs(mean) < 3 * deviation / sqrt(n) || fabs(mean) < 0.5 * sqrt(square / n)) continue;
    if (mean == 0) continue;
    td_text_printf(notes,
                   "sensor %s is suspect: the model is off by %.3g %s on average, and scatters by "
                   "%.2g only; is it where the model says?\n",
                   td_model_sensor_name(f->model, s), mean, td_model_sensor_unit(f->model, s),
                   deviation);
  }
}

// A model that explains less than half of the variation of the measurements.
static void note_reach(const fit* f, td_text* notes) {
  double total = 0, left = 0;
  for (int s = 0; s < f->model->noutput_name; s++) {
    double mean = 0;
    int n = 0;
    for (int i = 0; i < f->m; i++)
      if (f->y.list[f->row[i]].output == s) mean += f->y.list[f->row[i]].data, n++;
    if (n < 2) continue;
    mean /= n;
    for (int i = 0; i < f->m; i++) {
      const int c = f->row[i];
      if (f->y.list[c].output != s) continue;
      total += pow(f->y.list[c].weight * (f->y.list[c].data - mean), 2);
      left += pow(f->y.list[c].weight * (f->y.y[c] - f->y.list[c].data), 2);
    }
  }
  if (left > 0.5 * total && total > 0)
    td_text_printf(notes,
                   "the model cannot reach the measurements: %.0f %% of their variation is left; "
                   "look at signs, units and columns, and at what is held\n",
                   100 * left / total);
}

// ---- intervals --------------------------------------------------------------------------------

// Write a direction by name: "0.8 E - 0.6 rho", the largest first, those below 5 % left out.
static void say_direction(const fit* f, const double* v, td_text* text) {
  int count = 0;
  double above = 2;
  for (;;) {
    int next = -1;
    for (int j = 0; j < f->n; j++)
      if (fabs(v[j]) < above && fabs(v[j]) >= 0.05 && (next < 0 || fabs(v[j]) > fabs(v[next])))
        next = j;
    if (next < 0) break;
    above = fabs(v[next]);
    const char* name = td_model_param_name(f->model, f->var[next].param);
    if (count == 0 && above > 0.995)
      td_text_printf(text, "%s", name);
    else
      td_text_printf(text, "%s%.2f %s",
                     count == 0 ? (v[next] < 0 ? "-" : "") : (v[next] < 0 ? " - " : " + "), above,
                     name);
    count++;
  }
}

// Covariance, intervals and unseen directions from the residuals and the Jacobian at the minimum.
static td_status intervals(fit* f, const double* x, const double* r, double* J, td_fit_result* out,
                           td_text* notes) {
  const int n = f->n, m = fit_rows(f);
  double* block = calloc(area(n, n) + 2 * (size_t)n + 1, sizeof *block);
  if (!block) return TD_E_NOMEM;
  double *V = block, *s = V + area(n, n);

  // size of the errors: least squares, or Huber's psi
  double square = 0, inside = 0;
  for (int i = 0; i < m; i++) {
    const double c = i < f->m ? f->corner[f->y.list[f->row[i]].recording] : INFINITY;
    const bool linear = fabs(r[i]) > c;
    square += linear ? c * c : r[i] * r[i];
    inside += !linear;
    out->cost += linear ? 2 * c * fabs(r[i]) - c * c : r[i] * r[i];
  }
  out->dof = m - n;
  const double share = inside / m, variance = square / out->dof / (share * share),
               t = td_student(f->options->level, out->dof);
  const double k = n + 1;
  out->aicc =
      m * log(out->cost / m) + 2 * k + (m - k - 1 > 0 ? 2 * k * (k + 1) / (m - k - 1) : INFINITY);
  out->bic = m * log(out->cost / m) + k * log(m);

  // J V = U S with scaled columns
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) J[area(i, n) + (size_t)j] *= f->var[j].scale;
  const bool ok = td_right_singular(J, m, n, s, V);
  for (int a = 0; ok && a < n; a++)
    for (int b = 0; b < n; b++) {
      double sum = 0;
      for (int q = 0; q < n; q++) {
        const double product = V[area(q, n) + (size_t)a] * V[area(q, n) + (size_t)b];
        const bool blind = s[q] <= 1e-12 * s[0];
        if (blind && fabs(product) > 1e-12) sum = product > 0 ? INFINITY : -INFINITY;
        if (!blind) sum += product / (s[q] * s[q]);
      }
      out->covariance[area(a, n) + (size_t)b] = variance * sum;
    }
  for (int q = n - 1; ok && q >= 0; q--) {
    const double width = t * sqrt(variance) / s[q];
    if (!(width > 1)) continue;
    memcpy(out->direction + area(out->unseen, n), V + area(q, n), sizeof(double) * (size_t)n);
    out->uncertainty[out->unseen++] = width;
    td_text name = {0};
    say_direction(f, V + area(q, n), &name);
    td_text_printf(notes, "the recordings cannot see %s: it is uncertain by %.2g times %s\n",
                   name.s ? name.s : "", width,
                   n == 1 || name.s ? "its range (or, without one, its value)" : "");
    td_text_free(&name);
  }

  // from scaled variables to parameters
  for (int j = 0; ok && j < n; j++) {
    const double u = sqrt(out->covariance[area(j, n) + (size_t)j]) * f->var[j].scale;
    const double slope = td_fit_slope(f, j, x[j]);
    out->value[j] = td_fit_value(f, j, x[j]);
    out->deviation[j] = u * slope;
    out->low[j] = f->var[j].logarithmic ? exp(x[j] - t * u) : x[j] - t * u;
    out->high[j] = f->var[j].logarithmic ? exp(x[j] + t * u) : x[j] + t * u;
  }
  for (int a = 0; ok && a < n; a++)
    for (int b = 0; b < n; b++) {
      const double va = out->covariance[area(a, n) + (size_t)a],
                   vb = out->covariance[area(b, n) + (size_t)b];
      out->correlation[area(a, n) + (size_t)b] =
          a == b ? 1 : out->covariance[area(a, n) + (size_t)b] / sqrt(va) / sqrt(vb);
    }
  for (int a = 0; ok && a < n; a++)
    for (int b = 0; b < n; b++)
      out->covariance[area(a, n) + (size_t)b] *=
          f->var[a].scale * td_fit_slope(f, a, x[a]) * f->var[b].scale * td_fit_slope(f, b, x[b]);
  free(block);
  return ok ? TD_OK : TD_E_INFINITE;
}

td_status td_fit_judge(fit* f, const double* x, td_fit_result* out, td_text* notes) {
  const int m = fit_rows(f);
  double* block = calloc(area(m, f->n) + (size_t)m + 1, sizeof *block);
  if (!block) return TD_E_NOMEM;
  double *J = block, *r = J + area(m, f->n);
  td_status status = td_fit_residuals(f, x, r, J);
  if (status == TD_OK) {
    td_prediction_accept(&f->y);
    status = list_errors(f, out);
  }
  if (status == TD_OK) status = intervals(f, x, r, J, out, notes);

  // what to know
  if (status == TD_OK) {
    bool weighted = one_unit(f);
    for (int k = 0; k < f->set->n; k++) weighted = weighted || f->set->list[k].weighted;
    if (!weighted)
      td_text_add(notes,
                  "sensors of different units count alike: give fit.weight = 1/standard "
                  "deviation\n");
    for (int j = 0; j < f->n; j++)
      if (out->at_bound[j])
        td_text_printf(notes, "%s is at the %s end of its range\n",
                       td_model_param_name(f->model, f->var[j].param),
                       out->at_bound[j] < 0 ? "low" : "high");
    // residuals that are rounding tell nothing
    double size = 0, left = 0;
    for (int i = 0; i < f->m; i++) {
      const comparison* at = &f->y.list[f->row[i]];
      size += pow(at->weight * at->data, 2);
      left += r[i] * r[i];
    }
    if (left > 1e-16 * size) {
      note_correlated(f, r, notes);
      note_offsets(f, notes);
      note_reach(f, notes);
    }
  }
  free(block);
  return status;
}

// ---- further parameters -----------------------------------------------------------------------

// Orthonormal columns of J (m x n, row-major) by Gram and Schmidt, twice; dependent ones become
// zero.
static void orthonormal(double* J, int m, int n) {
  for (int j = 0; j < n; j++) {
    double before = 0, sum = 0;
    for (int i = 0; i < m; i++) before += pow(J[area(i, n) + (size_t)j], 2);
    for (int pass = 0; pass < 2; pass++)
      for (int b = 0; b < j; b++) {
        double dot = 0;
        for (int i = 0; i < m; i++) dot += J[area(i, n) + (size_t)j] * J[area(i, n) + (size_t)b];
        for (int i = 0; i < m; i++) J[area(i, n) + (size_t)j] -= dot * J[area(i, n) + (size_t)b];
      }
    for (int i = 0; i < m; i++) sum += pow(J[area(i, n) + (size_t)j], 2);
    const double scale = sum > 1e-24 * before ? 1 / sqrt(sum) : 0;
    for (int i = 0; i < m; i++) J[area(i, n) + (size_t)j] *= scale;
  }
}

// One step of a held parameter: with g its column of the Jacobian, freed of those of the variables,
//
//   step = -g·r / g·g,   change of the sum of squares = -(g·r)² / g·g
//
// both cut where the range ends.  The information criterion takes log(m) for the parameter.
typedef struct held {
  int param;
  double value, deviation, gain;
} held;

static int best_first(const void* a, const void* b) {
  const held *x = a, *y = b;
  return (x->gain > y->gain) - (x->gain < y->gain);
}

td_status td_fit_score(fit* f, const double* x, td_fit_result* out) {
  const td_model* model = f->model;
  const int m = fit_rows(f), n = f->n, np = model->nparam;
  double* block = calloc(area(m, n) + 2 * (size_t)m + 1, sizeof *block);
  td_by* by = calloc((size_t)np + 1, sizeof *by);
  held* list = calloc((size_t)np + 1, sizeof *list);
  td_status status = block && by && list ? TD_OK : TD_E_NOMEM;
  int nby = 0, count = 0;
  if (status != TD_OK) goto done;
  double *Q = block, *r = Q + area(m, n), *g = r + m;
  status = td_fit_residuals(f, x, r, Q);
  if (status != TD_OK) goto done;
  orthonormal(Q, m, n);

  // candidates: held, real, not given by a recording
  for (int k = 0; k < np; k++) {
    bool taken = model->param[k].structural;
    for (int j = 0; j < n; j++) taken = taken || f->var[j].param == k;
    for (int q = 0; q < f->set->n; q++) {
      const recording* rec = &f->set->list[q];
      for (int i = 0; i < rec->ninput; i++) taken = taken || rec->input[i] == -1 - k;
      for (int i = 0; i < rec->nset; i++) taken = taken || rec->set[i] == -1 - k;
    }
    if (!taken) by[nby++] = (td_by){TD_BY_PARAM, k};
  }
  if (nby == 0) goto done;
  f->y.by = by;
  f->y.nby = nby;
  f->fresh = false;
  status = td_predict(&f->y);
  const bool one_by_one = status != TD_OK && status != TD_E_STOPPED && status != TD_E_NOMEM;
  if (one_by_one) status = TD_OK;

  for (int b = 0; b < nby && status == TD_OK; b++) {
    if (one_by_one) {
      // some of them have no derivative: each by itself
      f->y.by = &by[b];
      f->y.nby = 1;
      status = td_predict(&f->y);
      if (status == TD_E_STOPPED || status == TD_E_NOMEM) break;
      if (status != TD_OK) {
        status = TD_OK;
        continue;
      }
    }
    const model_named* p = &model->param[by[b].index];
    double size = 0, gg = 0, gr = 0;
    memset(g, 0, sizeof(double) * (size_t)m);
    for (int i = 0; i < f->m; i++) {
      const int c = f->row[i];
      g[i] = f->y.list[c].weight * f->y.dy[area(c, f->y.nby) + (size_t)(one_by_one ? 0 : b)];
      size += g[i] * g[i];
    }
    for (int pass = 0; pass < 2; pass++)
      for (int j = 0; j < n; j++) {
        double dot = 0;
        for (int i = 0; i < m; i++) dot += g[i] * Q[area(i, n) + (size_t)j];
        for (int i = 0; i < m; i++) g[i] -= dot * Q[area(i, n) + (size_t)j];
      }
    for (int i = 0; i < m; i++) gg += g[i] * g[i], gr += g[i] * r[i];
    if (!(gg > 1e-8 * size) || size == 0) continue;
    const double now = f->y.base[by[b].index], low = model->ranges_lifted ? -INFINITY : p->low,
                 high = model->ranges_lifted ? INFINITY : p->high;
    const double to = fmin(fmax(now - gr / gg, low), high), step = to - now;
    const double fall = -(2 * step * gr + step * step * gg);
    const double left = fmax(1 - fall / out->cost, 1e-12);
    const double dof = fmax(out->dof - 1, 1);
    list[count++] =
        (held){by[b].index, to, sqrt(out->cost * left / dof / gg), m * log(left) + log(m)};
  }
  f->y.by = f->by;
  f->y.nby = n;
  if (status != TD_OK) goto done;

  qsort(list, (size_t)count, sizeof *list, best_first);
  for (int i = 0; i < count; i++) {
    out->held_param[i] = list[i].param;
    out->held_value[i] = list[i].value;
    out->held_deviation[i] = list[i].deviation;
    out->held_gain[i] = list[i].gain;
  }
  out->held = count;

done:
  free(block);
  free(by);
  free(list);
  return status;
}
