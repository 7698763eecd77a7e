// tendril compare: the model's rods in every continuum model with several n: DOF, error at rest and
// in motion against a converged reference, time of one evaluation, speed; compare.csv.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare.h"

static const char* const quantity_text[QUANTITIES] = {"static", "dynamic"};

// ---- what to run ------------------------------------------------------------------------------

static const int default_segments[] = {2, 4, 8, 16, 32}, default_orders[] = {2, 3, 4, 5, 6};
enum { NDEFAULT = 5, NREFERENCE = 2 };
static const int reference_orders[NREFERENCE] = {8, 10};

static int ascending(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

// List the variants to simulate; the orders of the reference are added unless higher ones were
// given.
static td_status plan(comparison* c) {
  const options* opt = c->s->opt;
  int list[16];
  memcpy(list, opt->list, sizeof list);
  qsort(list, (size_t)opt->nlist, sizeof *list, ascending);
  const int n = opt->nlist ? opt->nlist : NDEFAULT;
  c->list = calloc((size_t)(NMODEL * n + 2 * NREFERENCE), sizeof *c->list);
  if (!c->list) return TD_E_NOMEM;

  // all models, with the numbers of --n or their default
  int highest = 0;
  for (int m = 0; m < NMODEL; m++) {
    const bool orders = is_polynomial(rod_models[m]);
    const int* from = opt->nlist ? list : orders ? default_orders : default_segments;
    for (int i = 0; i < n; i++) {
      if (i > 0 && from[i] == from[i - 1]) continue;
      c->list[c->n++] = (variant){.model = rod_models[m], .n = from[i]};
      if (orders) highest = from[i];
    }
  }

  // orders of the reference
  for (int i = 0; i < NREFERENCE; i++) {
    if (reference_orders[i] <= highest) continue;
    c->list[c->n++] = (variant){.model = "rom", .n = reference_orders[i], .hidden = true};
    c->list[c->n++] = (variant){.model = "gvs", .n = reference_orders[i], .hidden = true};
  }

  // cost for the progress, and what is compared
  for (int i = 0; i < c->n; i++) c->cost += variant_cost(&c->list[i]);
  c->wants[AT_REST] = opt->only_static || !opt->only_dynamic;
  c->wants[IN_MOTION] = opt->only_dynamic || !opt->only_static;
  return TD_OK;
}

// ---- for people -------------------------------------------------------------------------------

// Print the candidates for the reference, and which was taken.
static void say_reference(const comparison* c) {
  say_heading(c->s, "Reference");
  for (int k = 0; k < QUANTITIES; k++) {
    if (!c->wants[k]) continue;
    for (int i = 0; i < NMODEL; i++) {
      const candidate* from = &c->from[k][i];
      if (isnan(from->error)) continue;
      say(c->s, "  %-8s %-52s %9.2e%s\n", quantity_text[k], from->text, from->error,
          from == c->reference[k] ? "  taken" : "");
    }
    if (!c->reference[k]) say(c->s, "  %-8s none: too few runs succeeded\n", quantity_text[k]);
  }
}

// Print a number, "-" where it is not known.
static void say_number(const session* s, const char* format, int width, double x) {
  if (isnan(x)) {
    say(s, " %*s", width, "-");
  } else {
    say(s, format, width, x);
  }
}

// Print one variant in a line: model, n, DOF, error and order at rest and in motion, time of an
// evaluation, speed, strategy of the statics and why something is missing.  A star marks an error
// that is not above that of the reference.  A variant that was not built has its reason alone.
static void say_variant(const comparison* c, const variant* v) {
  const session* s = c->s;
  if (!v->built) {
    say(s, "  %-5s %4d     -  %s\n", v->model, v->n, v->reason ? v->reason : "");
    return;
  }
  say(s, "  %-5s %4d %5d", v->model, v->n, v->dof);
  for (int k = 0; k < QUANTITIES; k++) {
    if (!c->wants[k]) continue;
    say_number(s, " %*.2e", 11, v->error[k]);
    say(s, below_reference(c, v, (quantity)k) ? "*" : " ");
    if (k == AT_REST) say_number(s, " %*.2e", 9, v->bar);
    say_number(s, " %*.2f", 6, v->order[k]);
  }
  say_number(s, " %*.3g", 9, v->us);
  if (c->wants[IN_MOTION]) say_number(s, " %*.3g", 12, v->speed);
  if (v->at[AT_REST].x) say(s, "  %s", td_strategy_text(v->strategy));
  say(s, v->reason ? "  %s\n" : "\n", v->reason);
}

// Print one line for variants i, i + 1 ... of a model that cannot be built for one and the same
// reason; returns how many there are, 0: less than two.
static int say_impossible(const comparison* c, int i) {
  const variant* v = &c->list[i];
  int n = 0;
  while (i + n < c->n && strcmp(c->list[i + n].model, v->model) == 0 && !c->list[i + n].built &&
         c->list[i + n].reason && v->reason && strcmp(c->list[i + n].reason, v->reason) == 0) {
    n++;
  }
  if (n > 1) say(c->s, "  %-5s    -     -  %s\n", v->model, v->reason);
  return n > 1 ? n : 0;
}

// Print the table of all variants.
static void say_table(const comparison* c) {
  const session* s = c->s;
  say_heading(s, "Rods");
  say(s, "  model    n   DOF");
  for (int k = 0; k < QUANTITIES; k++) {
    if (!c->wants[k]) continue;
    if (k == AT_REST) say(s, " %11s  %9s %6s", "static err", "error bar", "order");
    if (k == IN_MOTION) say(s, " %11s  %6s", "dynamic err", "order");
  }
  say(s, " %9s%s%s\n", "us/eval", c->wants[IN_MOTION] ? "  x real time" : "",
      c->wants[AT_REST] ? "  strategy" : "");

  // variants
  for (int i = 0; i < c->n;) {
    const int skip = say_impossible(c, i);
    if (!skip && !c->list[i].hidden) say_variant(c, &c->list[i]);
    i += skip ? skip : 1;
  }

  // explanation
  say(s, "  errors: largest of all sensors (");
  for (int g = 0; g < c->ngroup && g < 6; g++) say(s, "%s%s", g ? ", " : "", c->group[g].name);
  say(s,
      "%s), in their units\n  *: not above the reference's own error; error bar: what equil "
      "shows, without the reference\n",
      c->ngroup > 6 ? " ..." : "");
}

// ---- for programs -----------------------------------------------------------------------------

// One variant
static cJSON* variant_json(const comparison* c, const variant* v) {
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "model", v->model);
  json_add_number(o, "n", v->n);
  json_add_number(o, "dof", v->built ? (double)v->dof : (double)NAN);

  // errors at rest and in motion
  for (int k = 0; k < QUANTITIES; k++) {
    if (!c->wants[k]) continue;
    cJSON* q = cJSON_AddObjectToObject(o, quantity_text[k]);
    json_add_number(q, "error", v->error[k]);
    if (k == AT_REST) json_add_number(q, "estimated", v->bar);
    json_add_number(q, "order", v->order[k]);
    cJSON_AddBoolToObject(q, "below_reference", below_reference(c, v, (quantity)k));
    cJSON* each = cJSON_AddObjectToObject(q, "sensors");
    for (int g = 0; v->each[k] && g < c->ngroup; g++) {
      json_add_number(each, c->group[g].name, v->each[k][g]);
    }
  }

  // cost, strategy, solver
  json_add_number(o, "evaluation_us", v->built ? v->us : NAN);
  json_add_number(o, "real_time_factor", v->built ? v->speed : NAN);
  if (v->at[AT_REST].x) cJSON_AddStringToObject(o, "strategy", td_strategy_text(v->strategy));
  if (v->at[IN_MOTION].x) cJSON_AddStringToObject(o, "solver", td_solver_name(v->solver));
  if (v->reason) cJSON_AddStringToObject(o, "reason", v->reason);
  return o;
}

static cJSON* candidate_json(const candidate* from) {
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "by", from->text);
  json_add_number(o, "error", from->error);
  return o;
}

// References, candidates and variants
static cJSON* compare_json(const comparison* c) {
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "model", c->s->name);
  cJSON_AddBoolToObject(o, "partial", c->s->partial);
  for (int k = 0; k < QUANTITIES; k++) {
    if (!c->wants[k]) continue;
    char name[32];
    snprintf(name, sizeof name, "%s_reference", quantity_text[k]);
    json_add(o, name, c->reference[k] ? candidate_json(c->reference[k]) : cJSON_CreateNull());
    snprintf(name, sizeof name, "%s_candidates", quantity_text[k]);
    cJSON* list = cJSON_AddArrayToObject(o, name);
    for (int i = 0; i < NMODEL; i++) {
      if (isnan(c->from[k][i].error)) continue;
      cJSON_AddItemToArray(list, candidate_json(&c->from[k][i]));
    }
  }

  // variants
  cJSON* list = cJSON_AddArrayToObject(o, "runs");
  for (int i = 0; i < c->n; i++) {
    if (!c->list[i].hidden) cJSON_AddItemToArray(list, variant_json(c, &c->list[i]));
  }
  return o;
}

// Write the numbers of one variant as in compare.csv: n, DOF, time, speed, then error, order and
// each sensor's error at rest and in motion.
static void fill_row(const comparison* c, const variant* v, double* row) {
  *row++ = v->n;
  *row++ = v->dof;
  *row++ = v->us;
  *row++ = v->speed;
  for (int k = 0; k < QUANTITIES; k++) {
    *row++ = v->error[k];
    *row++ = v->order[k];
    for (int g = 0; g < c->ngroup; g++) *row++ = v->each[k] ? v->each[k][g] : NAN;
  }
  *row = v->bar;
}

// Add the columns of these numbers.
static void add_columns(const comparison* c, td_columns* out, int rows, int stride,
                        const double* block) {
  static const char* const first[] = {"n", "dof", "evaluation_us", "real_time_factor"};
  for (int i = 0; i < 4; i++) td_columns_add(out, first[i], "", rows, stride, block++);
  for (int k = 0; k < QUANTITIES; k++) {
    char name[120];
    snprintf(name, sizeof name, "%s_error", quantity_text[k]);
    td_columns_add(out, name, "", rows, stride, block++);
    snprintf(name, sizeof name, "%s_order", quantity_text[k]);
    td_columns_add(out, name, "", rows, stride, block++);
    for (int g = 0; g < c->ngroup; g++) {
      snprintf(name, sizeof name, "%s_error_%s", quantity_text[k], c->group[g].name);
      td_columns_add(out, name, "", rows, stride, block++);
    }
  }
  td_columns_add(out, "static_estimated", "", rows, stride, block);
}

// Write compare.csv, of the variants that could be built.
static td_status write_csv(const comparison* c) {
  const int stride = 5 + QUANTITIES * (2 + c->ngroup);
  double* block = calloc((size_t)c->n * (size_t)stride, sizeof *block);
  const char** words = calloc((size_t)c->n * 2, sizeof *words);
  td_columns* out = td_columns_new();
  td_status status = TD_E_NOMEM;
  if (block && words && out) {
    int rows = 0;
    for (int i = 0; i < c->n; i++) {
      const variant* v = &c->list[i];
      if (v->hidden || !v->built) continue;
      words[rows] = v->model;
      words[c->n + rows] = v->at[AT_REST].x ? td_strategy_text(v->strategy) : "";
      fill_row(c, v, block + (size_t)rows++ * (size_t)stride);
    }

    // columns
    td_columns_add_words(out, "model", rows, words);
    add_columns(c, out, rows, stride, block);
    td_columns_add_words(out, "strategy", rows, words + c->n);
    status = td_columns_csv(out, c->s->files, "compare.csv");
  }
  td_columns_free(out);
  free(words);
  free(block);
  return status;
}

// ---- the command ------------------------------------------------------------------------------

// Choose the references, print and write the comparison.
static int finish(comparison* c) {
  session* s = c->s;
  for (int k = 0; k < QUANTITIES; k++) comparison_reference(c, (quantity)k);
  say_reference(c);
  say_table(c);

  // files
  int code = session_wrote(s, write_csv(c));
  if (code == CODE_DONE) code = session_commit(s, "compare", compare_json(c));
  if (code == CODE_DONE && s->opt->json) code = json_print(compare_json(c));
  if (code == CODE_DONE && s->partial) return complain(CODE_NUMERICS, "compare: stopped");
  for (int k = 0; code == CODE_DONE && k < QUANTITIES; k++) {
    if (c->wants[k] && !c->reference[k]) {
      code = complain(CODE_NUMERICS, "compare: too few runs succeeded for a %s reference",
                      quantity_text[k]);
    }
  }
  return code;
}

// Compare the rods of a model in all continuum models.
static int compare(session* s) {
  if (td_spec_count(s->spec, "rod") == 0) {
    return complain(CODE_USE, "compare: '%s' has no rods (joint.rom is one model only)", s->name);
  }
  if (s->n.nsensor == 0) {
    return complain(
        CODE_USE,
        "compare: '%s' has no sensors to compare; add one, like sensor(1).name = 'tip'; "
        "sensor(1).value = pos(rod(1), rod(1).length);",
        s->name);
  }

  // output
  int code = session_output(s);
  if (code) return code;
  say_sizes(s);
  if (!s->opt->only_dynamic) say_time(s, s->state->t);

  // run all variants
  comparison c = {.s = s};
  code = plan(&c) == TD_OK ? comparison_groups(&c) : complain(CODE_NUMERICS, "out of memory");
  if (code == CODE_DONE) {
    for (int i = 0; i < c.n && !s->partial; i++) s->partial = !variant_run(&c, &c.list[i]);
    progress_clear(&s->progress);
    code = finish(&c);
  }
  comparison_free(&c);
  return code;
}

int cmd_compare(const options* opt) { return session_run(opt, compare); }
