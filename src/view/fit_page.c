// A page about a fit: one HTML file with tables and diagrams that needs nothing else.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "tendril/view.h"

// Add text with the characters that HTML reserves written out.
static void add_plain(td_text* out, const char* s) {
  for (; *s; s++) {
    const char* word = *s == '<' ? "&lt;" : *s == '>' ? "&gt;" : *s == '&' ? "&amp;" : NULL;
    if (word)
      td_text_add(out, word);
    else
      td_text_addn(out, s, 1);
  }
}

// Add the table of parameters; the bar shows the interval within a common scale.
static void add_parameters(td_text* out, const td_model* m, const td_fit_result* f) {
  td_text_add(out,
              "<h2>Parameters</h2>\n<table><tr><th>param</th><th>start</th><th>value</th>"
              "<th colspan=2>interval</th><th>relative half-width</th><th></th></tr>\n");
  for (int i = 0; i < f->n; i++) {
    const double half = 0.5 * (f->high[i] - f->low[i]) / fabs(f->value[i]);
    const double width = 100 * fmin(isnan(half) ? 1 : half, 1);
    td_text_add(out, "<tr><td>");
    add_plain(out, td_model_param_name(m, f->param[i]));
    td_text_printf(out,
                   "</td><td>%.6g</td><td><b>%.6g</b></td><td>%.6g</td><td>%.6g</td><td>%.2g "
                   "%%</td><td><svg width=\"104\" height=\"8\"><rect width=\"104\" height=\"8\" "
                   "fill=\"#eeeeee\"/><rect x=\"%.1f\" width=\"%.1f\" height=\"8\" "
                   "fill=\"#3b6ea5\"/></svg>%s</td></tr>\n",
                   f->first[i], f->value[i], f->low[i], f->high[i], 100 * half, 52 - width / 2,
                   fmax(width, 1),
                   f->at_bound[i] < 0   ? " low end of its range"
                   : f->at_bound[i] > 0 ? " high end of its range"
                                        : "");
  }
  td_text_add(out, "</table>\n");
}

// Add the correlations as shaded cells.
static void add_correlations(td_text* out, const td_model* m, const td_fit_result* f) {
  if (f->n < 2) return;
  td_text_add(out, "<h2>Correlation</h2>\n<table><tr><th></th>");
  for (int i = 0; i < f->n; i++) {
    td_text_add(out, "<th>");
    add_plain(out, td_model_param_name(m, f->param[i]));
    td_text_add(out, "</th>");
  }
  for (int a = 0; a < f->n; a++) {
    td_text_add(out, "</tr>\n<tr><th>");
    add_plain(out, td_model_param_name(m, f->param[a]));
    td_text_add(out, "</th>");
    for (int b = 0; b < f->n; b++) {
      const double c = f->correlation[a * f->n + b], shade = isnan(c) ? 0 : fabs(c);
      td_text_printf(out, "<td style=\"background:rgba(%s,%.2f)\">%.2f</td>",
                     c < 0 ? "200,80,60" : "60,110,165", 0.6 * shade, c);
    }
  }
  td_text_add(out, "</tr></table>\n");
}

// Add the errors of recordings and sensors.
static void add_errors(td_text* out, const td_recordings* set, const td_fit_result* f) {
  td_text_printf(out,
                 "<h2>Errors</h2>\n<p>Root mean square %.4g %s (%.4g at the start), %d "
                 "measurements, %d degrees of freedom.</p>\n<table><tr><th>recording</th>"
                 "<th></th><th>rms</th><th>left out</th></tr>\n",
                 f->rms, f->rms_unit, f->first_rms, f->residuals, f->dof);
  for (int k = 0; k < f->recordings; k++) {
    td_text_add(out, "<tr><td>");
    add_plain(out, td_recordings_name(set, k));
    td_text_printf(out, "</td><td>%s</td><td>%.4g</td>", f->fitted[k] ? "fitted" : "predicted",
                   f->recording_rms[k]);
    if (isnan(f->left_out_rms[k]))
      td_text_add(out, "<td></td></tr>\n");
    else
      td_text_printf(out, "<td>%.4g</td></tr>\n", f->left_out_rms[k]);
  }
  td_text_add(out, "</table>\n<table><tr><th>sensor</th><th>rms</th></tr>\n");
  for (int i = 0; i < f->groups; i++) {
    td_text_add(out, "<tr><td>");
    add_plain(out, f->group_name[i]);
    td_text_printf(out, "</td><td>%.4g</td></tr>\n", f->group_rms[i]);
  }
  td_text_add(out, "</table>\n");
}

// Add the parameters that were held, best first.
static void add_held(td_text* out, const td_model* m, const td_fit_result* f) {
  if (f->held == 0) return;
  td_text_add(out,
              "<h2>Further parameters</h2>\n<p>What freeing one more would bring, by one step; a "
              "negative change of the information criterion (BIC) is worth it.</p>\n"
              "<table><tr><th>param</th><th>change of BIC</th><th>towards</th></tr>\n");
  for (int i = 0; i < f->held && i < 20; i++) {
    td_text_add(out, "<tr><td>");
    add_plain(out, td_model_param_name(m, f->held_param[i]));
    td_text_printf(out, "</td><td>%.1f</td><td>%.4g ± %.2g</td></tr>\n", f->held_gain[i],
                   f->held_value[i], f->held_deviation[i]);
  }
  td_text_add(out, "</table>\n");
}

// Add a diagram of the errors of one recording over rows or time, one curve for each sensor.
static td_status add_residuals(td_text* out, const td_model* m, const td_recordings* set,
                               const td_fit_result* f, int k) {
  enum { MOST = 12 };
  int sensors[MOST], ns = 0, rows = 0;
  bool timed = false;
  for (int i = 0; i < f->residuals_all; i++) {
    if (f->res_recording[i] != k) continue;
    int at = 0;
    while (at < ns && sensors[at] != f->res_sensor[i]) at++;
    if (at == ns && ns < MOST) sensors[ns++] = f->res_sensor[i];
    rows = max_int(rows, f->res_row[i] + 1);
    timed = timed || f->res_t[i] != 0;
  }
  if (rows < 2 || ns == 0) return TD_OK;

  // a table: row or time, then errors, NaN where nothing was measured
  const int cols = ns + 1;
  char* names[MOST + 1];
  int y[MOST];
  double* values = malloc(sizeof(double) * (size_t)rows * (size_t)cols);
  if (!values) return TD_E_NOMEM;
  for (int i = 0; i < rows * cols; i++) values[i] = i % cols ? (double)NAN : i / cols + 1;
  char x_name[] = "row", t_name[] = "t [s]";
  names[0] = timed ? t_name : x_name;
  for (int s = 0; s < ns; s++) {
    names[s + 1] = td_strdup(td_model_sensor_name(m, sensors[s]));
    y[s] = s + 1;
  }
  for (int i = 0; i < f->residuals_all; i++) {
    if (f->res_recording[i] != k) continue;
    double* row = values + (size_t)f->res_row[i] * (size_t)cols;
    if (timed) row[0] = f->res_t[i];
    for (int s = 0; s < ns; s++)
      if (sensors[s] == f->res_sensor[i]) row[s + 1] = f->res_model[i] - f->res_data[i];
  }
  td_table table = {rows, cols, names, values};
  td_plot plot = td_plot_default();
  char title[200];
  snprintf(title, sizeof title, "%.150s: model - measurement", td_recordings_name(set, k));
  plot.table = &table;
  plot.y = y;
  plot.ny = ns;
  plot.title = title;
  plot.width = 180;
  char* svg = NULL;
  td_status status = TD_OK;
  for (int s = 0; s < ns; s++)
    if (!names[s + 1]) status = TD_E_NOMEM;
  if (status == TD_OK) status = td_plot_svg(&plot, &svg);
  if (status == TD_OK) td_text_add(out, svg);
  free(svg);
  for (int s = 0; s < ns; s++) free(names[s + 1]);
  free(values);
  return status == TD_E_USAGE ? TD_OK : status;  // nothing that could be drawn
}

td_status td_fit_page(td_files* files, const char* name, const td_model* model,
                      const td_recordings* recordings, const td_fit_result* fit,
                      const char* title) {
  if (!files || !name || !model || !recordings || !fit || !fit->notes) return TD_E_USAGE;
  td_text out = {0};
  td_text_add(&out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
  add_plain(&out, title ? title : "Fit");
  td_text_add(&out,
              "</title>\n<style>body{font:15px/1.5 Helvetica,Arial,sans-serif;max-width:60em;"
              "margin:2em auto;padding:0 1em;color:#111}table{border-collapse:collapse;margin:1em "
              "0}td,th{padding:.2em .8em;text-align:right;border-bottom:1px solid #ddd}"
              "td:first-child,th:first-child{text-align:left}svg{max-width:100%;height:auto}"
              "li{margin:.3em 0}</style></head><body>\n<h1>Fit of ");
  add_plain(&out, title ? title : "a model");
  td_text_printf(&out, "</h1>\n%s",
                 fit->converged ? "" : "<p><b>The search did not converge.</b></p>\n");
  add_parameters(&out, model, fit);
  if (*fit->notes) td_text_add(&out, "<h2>Notes</h2>\n<ul>");
  for (const char* line = fit->notes; *line;) {
    const size_t n = strcspn(line, "\n");
    char* text = td_strndup(line, n);
    td_text_add(&out, "<li>");
    add_plain(&out, text ? text : "");
    td_text_add(&out, "</li>\n");
    free(text);
    line += n + (line[n] == '\n');
  }
  if (*fit->notes) td_text_add(&out, "</ul>\n");
  add_errors(&out, recordings, fit);
  add_correlations(&out, model, fit);
  add_held(&out, model, fit);
  td_text_add(&out, "<h2>Residuals</h2>\n");
  td_status status = TD_OK;
  for (int k = 0; k < fit->recordings && status == TD_OK; k++)
    status = add_residuals(&out, model, recordings, fit, k);
  td_text_add(&out, "</body></html>\n");
  if (status == TD_OK) status = out.failed ? TD_E_NOMEM : td_files_text(files, name, out.s);
  td_text_free(&out);
  return status;
}
