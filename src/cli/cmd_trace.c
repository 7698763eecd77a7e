// tendril trace: equilibria along a parameter by arc length, with limit and bifurcation points;
// trace.csv.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static const char* kind_text(td_path_kind kind) {
  switch (kind) {
    case TD_REGULAR:
      return "regular";
    case TD_LIMIT:
      return "limit";
    case TD_BIFURCATION:
      return "bifurcation";
    case TD_HOPF:
      return "hopf";
  }
  return "";
}

// Index of the parameter in "P=a:b", nparam + that of an input, or -1 after a message
static int find_param(const session* s, char** name) {
  const char* text = s->opt->param;
  *name = format_text("%.*s", (int)strcspn(text, "="), text);
  if (!*name) return -1;
  const int param = td_model_param_find(s->model, *name);
  if (param >= 0) return param;
  for (int i = 0; i < s->n.nu; i++)
    if (strcmp(td_model_input_name(s->model, i), *name) == 0) return s->n.nparam + i;

  // none: suggest the nearest name
  const int n = s->n.nparam + s->n.nu;
  const char** names = calloc((size_t)n + 1, sizeof *names);
  for (int i = 0; names && i < n; i++)
    names[i] = i < s->n.nparam ? td_model_param_name(s->model, i)
                               : td_model_input_name(s->model, i - s->n.nparam);
  const char* near = names ? td_nearest(*name, names, n) : NULL;
  if (near) {
    complain(0, "the model has no parameter or input '%s'; did you mean '%s'?", *name, near);
  } else {
    complain(0, "the model has no parameter or input '%s'", *name);
  }
  free(names);
  return -1;
}

// Print the ends of the path and its critical points.
static void say_trace(session* s, const char* name, const td_trace_result* r) {
  say_heading(s, "Path");
  say(s, "  %d equilibria, %s from %.6g to %.6g%s\n", r->n, name, r->p[0], r->p[r->n - 1],
      r->complete ? "" : " (incomplete)");
  int found = 0;
  for (int i = 0; i < r->n; i++) {
    if (r->kind[i] == TD_REGULAR) continue;
    found++;
    say(s, "  %-12s at %s = %.10g\n", kind_text(r->kind[i]), name, r->p[i]);
  }
  if (!found) say(s, "  no critical points\n");
}

// Number of equilibria, and the critical points
static cJSON* trace_json(const char* name, const td_trace_result* r) {
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "parameter", name);
  cJSON_AddBoolToObject(o, "complete", r->complete);
  json_add_number(o, "points", r->n);
  cJSON* list = cJSON_AddArrayToObject(o, "critical");
  for (int i = 0; i < r->n; i++) {
    if (r->kind[i] == TD_REGULAR) continue;
    cJSON* item = cJSON_CreateObject();
    json_add_number(item, "point", i + 1);
    cJSON_AddStringToObject(item, "kind", kind_text(r->kind[i]));
    json_add_number(item, "value", r->p[i]);
    cJSON_AddItemToArray(list, item);
  }
  return o;
}

// Write trace.csv: number, parameter, kind, stability, sensors and q of each equilibrium.
static td_status trace_write(session* s, const char* name, const td_trace_result* r) {
  const int stride = 2 + s->n.nsensor + s->n.nq;
  const size_t ns = (size_t)s->n.nsensor, nq = (size_t)s->n.nq;
  double* block = malloc(((size_t)r->n * (size_t)stride + 1) * sizeof *block);
  const char** kind = calloc((size_t)r->n + 1, sizeof *kind);
  const char** stability = calloc((size_t)r->n + 1, sizeof *stability);
  td_columns* c = td_columns_new();
  td_status status = TD_E_NOMEM;
  if (block && kind && stability && c) {
    for (int i = 0; i < r->n; i++) {
      kind[i] = kind_text(r->kind[i]);
      stability[i] = td_stability_text(r->stability[i]);
      double* p = block + (size_t)i * (size_t)stride;
      *p++ = (double)i + 1;
      *p++ = r->p[i];
      if (ns) memcpy(p, r->sensors + (size_t)i * ns, ns * sizeof *p);
      if (nq) memcpy(p + ns, r->q + (size_t)i * nq, nq * sizeof *p);
    }

    // columns
    td_columns_add(c, "point", "", r->n, stride, block);
    td_columns_add(c, name, "", r->n, stride, block + 1);
    td_columns_add_words(c, "kind", r->n, kind);
    td_columns_add_words(c, "stability", r->n, stability);
    td_columns_add_state(c, s->spec, s->model, r->n, stride, block + 2, false);
    status = td_columns_csv(c, s->files, "trace.csv");
  }
  td_columns_free(c);
  free(stability);
  free(kind);
  free(block);
  return status;
}

// Check that the parameter can change, trace the equilibria, print and write them.
static int trace(session* s, int param, const char* name) {
  // the parameter must be able to take both ends
  const double ends[] = {s->opt->to, s->opt->from};
  for (int k = 0; k < 2 && param < s->n.nparam; k++) {
    const td_status status = td_work_set_param(s->model, s->work, param, ends[k]);
    if (status == TD_E_MODEL)
      return complain(CODE_MODEL, "%s = %g: %s", name, ends[k], td_work_failure(s->work));
    if (status != TD_OK)
      return complain(CODE_USE,
                      "parameter '%s' decides how the model is built and cannot be followed", name);
  }

  // output
  int code = session_output(s);
  if (code) return code;
  say_sizes(s);
  td_state_copy(s->model, s->state, s->rest);
  td_trace_result* r = NULL;

  // trace
  td_trace_options o = td_trace_options_default();
  o.param = param;
  o.from = s->opt->from;
  o.to = s->opt->to;
  o.progress = progress_show;
  o.user = &s->progress;
  progress_clear(&s->progress);
  const double start = seconds();
  const td_status status = td_trace(s->model, s->work, s->rest, &o, &r);
  s->timings[TIME_EQUIL] = seconds() - start;
  progress_clear(&s->progress);
  if (status != TD_OK) {
    s->partial = true;
    code = session_failed(s, status, "trace");
  }
  if (!r || r->n == 0) {
    td_trace_free(r);
    return code ? code : complain(CODE_NUMERICS, "trace: no equilibrium was found");
  }

  say_trace(s, name, r);
  int written = session_wrote(s, trace_write(s, name, r));
  if (written == CODE_DONE) written = session_commit(s, "trace", trace_json(name, r));
  if (s->opt->json && written == CODE_DONE) json_print(trace_json(name, r));
  td_trace_free(r);
  return written ? written : code;
}

// Trace the equilibria of a model along a parameter.
int cmd_trace(const options* opt) {
  if (!opt->param) return complain(CODE_USE, "trace needs --param P=from:to");
  session s = {0};
  char* name = NULL;
  int code = session_open(&s, opt);
  if (code == CODE_DONE) {
    const int param = find_param(&s, &name);
    code = param < 0 ? CODE_USE : trace(&s, param, name);
  }
  free(name);
  session_close(&s);
  return code;
}
