// Tasks of the compiled model.  With y(p, t) a task's value, p_i the sensor components it is made
// of,
//
//   y'  = sum_i y_i p_i' + y_t
//   y'' = sum_i y_i p_i'' + sum_i (y')_i p_i' + (y')_t
//
// where p_i' and p_i'' are variables of their own, filled by the engine: with p_i'' at v' = 0 the
// second line is the bias, y'' less J v'.  One tape gives y, y', the bias, and the desired value
// with its two time derivatives; another the partial derivatives y_i for the Jacobian.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/build.h"
#include "model/structure.h"

static const td_field fields[] = {
    {"task", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "motions that inputs are to bring about in `sim`"},
    {"task.name", FIELD_STR, "", "", "", FIXED, "", "", "name in messages; unique"},
    {"task.value", FIELD_NUM, "", TD_REQUIRED, "", TIMED | TD_ON_STATE, "", "",
     "what is to move: any expression of positions"},
    {"task.desired", FIELD_NUM, "", TD_REQUIRED, "", TIMED, "", "",
     "what it is to be, as many numbers"},
    {"task.P", FIELD_NUM, "", "0", "1/s^2", PARAM, "", ">= 0", "gain on the error"},
    {"task.I", FIELD_NUM, "", "0", "1/s^3", PARAM, "", ">= 0", "gain on its integral"},
    {"task.D", FIELD_NUM, "", "0", "1/s", PARAM, "", ">= 0", "gain on its rate"},
    {"task.inputs", FIELD_LIST, "", "all inputs", "", FIXED, "", "", "inputs it may use"},
    {"task.limits", FIELD_NUM, "1x2|mx2", "[-inf inf]", "", PARAM, "limit", "",
     "lowest and highest value of these inputs, one row for all or one for each"},
    {"task.damping", FIELD_NUM, "1", "0", "", PARAM, "", ">= 0",
     "keeps inputs small where the task is nearly singular: weight of the inputs against the "
     "task's acceleration"},
    {"task.calm", FIELD_NUM, "1", "D", "1/s", PARAM, "", ">= 0",
     "with more inputs than numbers of all tasks: the rate up to which motion that the tasks leave "
     "free is braked; 0: the smallest inputs"},
    {"task.feedforward", FIELD_STR, "", "dynamic", "", FIXED, "", "dynamic|static",
     "inputs from the exact equations of motion, or those that hold the desired value at rest"},
    {.path = NULL},
};

const td_structure td_structure_task = {
    .fields = fields,
    .plural = "tasks",
    .intro =
        "In `sim` the inputs are those that give every task the acceleration `desired'' + P e + "
        "I (integral of e) + D e'` with `e = desired - value`, from the exact equations of "
        "motion: in the sense of least squares when there are too few inputs, the smallest ones "
        "when there are too many, within their limits. The inputs appear in the results. See "
        "control.md.",
    .example =
        "F = input('F', 0);\n"
        "task(1).value   = pos(body(2))*[1; 0; 0];\n"
        "task(1).desired = 0.1*sin(2*t);\n"
        "task(1).P = 400;  task(1).D = 40;\n"
        "task(1).limits = [-5 5];\n",
};

enum { MOST_VALUES = 64 };
#define TASK_VISITS 5e7  // nodes visited while differentiating: about a second

// ---- numbers ----------------------------------------------------------------------------------

// A task as it is written.
typedef struct task_words {
  const value* list;
  int k;  // from 0
  const value *value, *desired, *P, *I, *D, *damping, *calm;
  bool is_static;
  td_span at;  // of its value
} task_words;

// Read the fields of one task.
static task_words read_task(const value* list, int k) {
  return (task_words){
      .list = list,
      .k = k,
      .value = td_get(list, k, "value"),
      .desired = td_get(list, k, "desired"),
      .P = td_get(list, k, "P"),
      .I = td_get(list, k, "I"),
      .D = td_get(list, k, "D"),
      .damping = td_get(list, k, "damping"),
      .calm = td_get(list, k, "calm"),
      .is_static = strcmp(td_get_word(list, k, "feedforward", "dynamic"), "static") == 0,
      .at = td_get_at(list, k, "value")};
}

// As many numbers as the value has, or `one` for all of them.
static td_status check_count(builder* b, const task_words* w, const value* v, const char* field,
                             bool one) {
  const int n = td_value_count(w->value), count = v ? td_value_count(v) : n;
  if (count == n || (one && count == 1)) return TD_OK;
  return td_error(b->diags, TD_E_MODEL, td_get_at(w->list, w->k, field),
                  "task(%d).%s must have %s%d number%s like task(%d).value, got %d", w->k + 1,
                  field, one && n > 1 ? "one or " : "", n, n == 1 ? "" : "s", w->k + 1, count);
}

static bool is_among(const model_drive* d, int n, int input) {
  for (int i = 0; i < n; i++)
    if (d[i].input == input) return true;
  return false;
}

// An input that two tasks use keeps the limits of the first; one that a controller sets is left to
// it when the task takes whatever there is, and refused when the task names it.
static td_status push_input(const drive_list* l, int i) {
  td_model* m = l->b->m;
  int input;
  td_span at;
  TD_TRY(td_build_drive(l, i, &input, &at));
  const bool taken = is_among(m->law_input, m->nlaw_input, input);
  if (taken && l->inputs)
    return td_error(l->b->diags, TD_E_MODEL, at, "task(%d).inputs: '%s' has a controller already",
                    l->k + 1, l->b->spec->inputs[input].name);
  if (taken || is_among(m->task_input, m->ntask_input, input)) return TD_OK;
  num low, high;
  TD_TRY(td_build_drive_limits(l, i, &low, &high));
  model_drive* d = td_push_task_input(m, 1);
  if (!d) return TD_E_NOMEM;
  *d = (model_drive){input, low, high};
  return TD_OK;
}

// Add one task: its numbers are checked and counted, its inputs and gains are added.
static td_status push_task(builder* b, const value* tasks, int k) {
  td_model* m = b->m;
  const task_words w = read_task(tasks, k);
  if (!w.value || !w.desired)
    return td_error(b->diags, TD_E_MODEL, w.value ? td_get_at(tasks, k, "desired") : w.at,
                    "task(%d).%s is empty", k + 1, w.value ? "desired" : "value");
  const int n = td_value_count(w.value);
  if (m->ntask_value + n > MOST_VALUES)
    return td_error(b->diags, TD_E_MODEL, w.at, "tasks may have %d numbers together", MOST_VALUES);
  TD_TRY(check_count(b, &w, w.desired, "desired", false));
  TD_TRY(check_count(b, &w, w.P, "P", true));
  TD_TRY(check_count(b, &w, w.I, "I", true));
  TD_TRY(check_count(b, &w, w.D, "D", true));

  // inputs
  const drive_list inputs = td_build_drives(b, "task", tasks, k, w.at);
  int ninput;
  TD_TRY(td_build_drive_count(&inputs, &ninput));
  for (int i = 0; i < ninput; i++) TD_TRY(push_input(&inputs, i));

  // the task
  plain_name plain;
  model_task* t = td_push_task(m, 1);
  if (!t) return TD_E_NOMEM;
  *t = (model_task){.name = td_push_name(m, "%s", td_build_name(tasks, k, "task", plain)),
                    .first = m->ntask_value,
                    .n = n,
                    .P = td_build_numbers(b, w.P, 0, 1, n, 0),
                    .I = td_build_numbers(b, w.I, 0, 1, n, 0),
                    .D = td_build_numbers(b, w.D, 0, 1, n, 0),
                    .damping = td_build_numbers(b, w.damping, 0, 1, 1, 0),
                    .calm = w.calm ? td_build_numbers(b, w.calm, 0, 1, 1, 0) : NUM_NONE};
  m->ntask_value += n;

  // one feedforward for all tasks
  if (k > 0 && w.is_static != m->task_static)
    return td_error(
        b->diags, TD_E_MODEL, td_get_at(tasks, k, "feedforward"),
        "task(%d).feedforward must be that of task(1): one set of inputs serves all tasks", k + 1);
  m->task_static = w.is_static;
  if (w.is_static && w.calm)
    return td_error(b->diags, TD_E_MODEL, td_get_at(tasks, k, "calm"),
                    "task(%d).calm is for feedforward = 'dynamic'; leave it out", k + 1);
  return m->failed ? TD_E_NOMEM : TD_OK;
}

td_status td_build_task_numbers(builder* b) {
  const value* tasks = td_get(b->spec->root, 0, "task");
  td_status worst = TD_OK;
  for (int k = 0; tasks && k < td_value_count(tasks); k++) {
    const td_status status = push_task(b, tasks, k);
    if (status == TD_E_NOMEM) return status;
    if (status != TD_OK) worst = status;
  }
  return worst;
}

// ---- tapes ------------------------------------------------------------------------------------

// Why a task cannot be made of a probe; NULL: it can, its second derivative along the motion is
// known (sensor_ops.motion).
static const char* unfit(const td_model* m, const model_probe* p) {
  if (td_sensor_table[p->kind].depends != TD_ON_STATE) return "no position";
  if (p->cable > 0)
    return "the length of a cable, whose second derivative is not known here; use strains or "
           "places "
           "of its rod";
  bool partner = p->q < 0;
  for (int v = 0; v < m->nvel && !partner; v++) partner = m->vel[v].partner == p->q;
  if (!partner) return "a number of a quaternion; use rot or quat of a body instead";
  for (int i = 0; p->rod > 0 && p->station < 0 && i < m->nstrain; i++)
    if (m->strain[i].rod == p->rod && !strain_is_linear(&m->strain[i]))
      return "a strain of a rod whose strains are no coordinates; use 'gvs', 'srl' or 'ebr'";
  return NULL;
}

typedef struct tasks {
  builder* b;
  int* vars;      // room for all variables
  int* probe_of;  // probe of each variable, -1
  int nvar;       // variables before ours
  ex *out, *partial;
  int npartial, partial_cap;
  double visits;
} tasks;

// The variables of a probe's rate and bias.
static td_status ask(tasks* t, int probe) {
  td_model* m = t->b->m;
  if (m->task_var[2 * probe] >= 0) return TD_OK;
  char name[32];
  for (int i = 0; i < 2; i++) {
    snprintf(name, sizeof name, "%s of probe %d", i ? "bias" : "rate", probe);
    m->task_var[2 * probe + i] = td_exprs_var(m->graph, name, TD_ON_RATE);
    if (m->task_var[2 * probe + i] < 0) return TD_E_NOMEM;
  }
  return TD_OK;
}

// y_i of every probe in y, onto the partial tape
static td_status partials(tasks* t, const task_words* w, int target, ex y, int n) {
  td_model* m = t->b->m;
  for (int i = 0; i < n; i++) {
    const int var = t->vars[i], probe = var < t->nvar ? t->probe_of[var] : -1;
    if (probe < 0) continue;
    const char* why = unfit(m, &m->probe[probe]);
    if (why)
      return td_error(t->b->diags, TD_E_MODEL, w->at, "task(%d).value: %s is %s", w->k + 1,
                      td_exprs_var_name(m->graph, var), why);
    TD_TRY(ask(t, probe));
    model_partial* p = td_push_task_probe(m, 1);
    ex* grown = td_grow(t->partial, &t->partial_cap, t->npartial + 1, sizeof(ex));
    if (!p || !grown) return TD_E_NOMEM;
    t->partial = grown;
    t->partial[t->npartial++] = td_ex_diff(m->graph, y, var);
    *p = (model_partial){target, probe};
  }
  return TD_OK;
}

// sum_i e_i x_i + e_t with x_i the rate (0) or bias (1) variable of each probe among n variables
static ex along(tasks* t, ex e, int n, int which, bool with_time) {
  td_model* m = t->b->m;
  td_exprs* g = m->graph;
  ex sum = with_time ? td_ex_diff(g, e, t->b->spec->time_var) : td_ex_const(g, 0);
  for (int i = 0; i < n; i++) {
    const int var = t->vars[i], probe = var < t->nvar ? t->probe_of[var] : -1;
    if (probe < 0) continue;
    const ex x = td_ex_var(g, m->task_var[2 * probe + which]);
    sum = td_ex_2(g, EX_ADD, sum, td_ex_2(g, EX_MUL, td_ex_diff(g, e, var), x));
  }
  return sum;
}

// Differentiate value i of a task: the six expressions value, rate, bias, desired value and its two
// rates.
static td_status build_value(tasks* t, const task_words* w, int i, int target) {
  td_model* m = t->b->m;
  td_exprs* g = m->graph;
  const ex y = td_value_ex(w->value, i, g), desired = td_value_ex(w->desired, i, g);
  const int total = m->ntask_value, time_var = t->b->spec->time_var;
  const int n = td_ex_vars(g, y, t->vars, t->nvar);
  t->visits += (2.0 + n) * td_ex_size(g, y) * (2.0 + n) + 4.0 * td_ex_size(g, desired);
  if (t->visits > TASK_VISITS)
    return td_error(t->b->diags, TD_E_MODEL, w->at,
                    "task(%d).value is too long to differentiate twice", w->k + 1);
  TD_TRY(partials(t, w, target, y, n));
  const ex rate = along(t, y, n, 0, true);
  const ex bias = td_ex_2(g, EX_ADD, along(t, y, n, 1, false), along(t, rate, n, 0, true));
  const ex first = td_ex_diff(g, desired, time_var);
  const ex six[6] = {y, rate, bias, desired, first, td_ex_diff(g, first, time_var)};
  for (int c = 0; c < 6; c++) t->out[c * total + target] = six[c];
  ex* stop = td_grow(m->stop_ex, &m->cap_stop_ex, m->nstop_ex + 1, sizeof(ex));
  if (!stop) return TD_E_NOMEM;
  m->stop_ex = stop;
  m->stop_ex[m->nstop_ex++] = desired;
  return td_exprs_failed(g) ? TD_E_NOMEM : TD_OK;
}

// Make the tapes of all tasks.
static td_status build_all(tasks* t) {
  td_model* m = t->b->m;
  const value* list = td_get(t->b->spec->root, 0, "task");
  for (int k = 0; k < m->ntask; k++) {
    const task_words w = read_task(list, k);
    for (int i = 0; i < m->task[k].n; i++) TD_TRY(build_value(t, &w, i, m->task[k].first + i));
  }
  m->task_tape = td_tape_new(m->graph, t->out, 6 * m->ntask_value);
  m->task_probe_tape = td_tape_new(m->graph, t->partial, t->npartial);
  return m->task_tape && m->task_probe_tape ? TD_OK : TD_E_NOMEM;
}

td_status td_build_task_tapes(builder* b) {
  td_model* m = b->m;
  if (m->ntask == 0) return TD_OK;
  const int nvar = td_exprs_nvar(m->graph);
  tasks t = {.b = b, .nvar = nvar};
  t.vars = malloc(2 * ((size_t)nvar + 1) * sizeof(int));
  t.out = malloc(6 * (size_t)m->ntask_value * sizeof(ex) + 1);
  int* asked = td_push_task_var(m, 2 * m->nprobe);
  td_status status = t.vars && t.out && (asked || m->nprobe == 0) ? TD_OK : TD_E_NOMEM;
  if (status == TD_OK) {
    t.probe_of = t.vars + nvar + 1;
    for (int i = 0; i < nvar; i++) t.probe_of[i] = -1;
    for (int i = 0; i < m->nprobe; i++) t.probe_of[m->probe[i].var] = i;
    for (int i = 0; i < 2 * m->nprobe; i++) m->task_var[i] = -1;
    status = build_all(&t);
  }
  free(t.vars);
  free(t.out);
  free(t.partial);
  return status;
}
