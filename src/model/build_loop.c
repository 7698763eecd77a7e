// Controllers of the compiled model: which inputs they set, within which limits; laws as a tape,
// with the partial derivatives the exact tangents need; files by the path they have beside the
// model.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/build.h"
#include "model/structure.h"

static const td_field fields[] = {
    {"control", FIELD_STRUCTS, "", "", "", FIXED, "", "", "controllers that set inputs in `sim`"},
    {"control.inputs", FIELD_LIST, "", "all inputs", "", FIXED, "", "",
     "inputs it sets; those of `gains` are named in the file"},
    {"control.law", FIELD_NUM, "", "", "", TIMED | TD_ON_STATE | TD_ON_RATE | TD_ON_INTERNAL, "",
     "", "the inputs as expressions, as many as `inputs`"},
    {"control.gains", FIELD_STR, "", "", "", FIXED, "", "",
     "a file of `tendril lqr`, beside the model: u = u0 - K x"},
    {"control.from", FIELD_STR, "", "state", "", FIXED, "", "state|sensors",
     "with `gains`: x from the state itself, or estimated from the sensors with the file's L"},
    {"control.plugin", FIELD_STR, "", "", "", FIXED, "", "",
     "a shared library with the function td_controller, beside the model; only with "
     "`--allow-plugin`"},
    {"control.limits", FIELD_NUM, "1x2|mx2", "[-inf inf]", "", PARAM, "limit", "",
     "lowest and highest value of its inputs, one row for all or one for each"},
    {.path = NULL},
};

const td_structure td_structure_control = {
    .fields = fields,
    .plural = "controllers",
    .intro =
        "A controller has one of `law`, `gains` and `plugin`. With `par.control.rate` it runs as "
        "a computer would: it measures, computes, and holds its inputs; laws and tasks may also "
        "run at all times (rate 0). See control.md.",
    .example =
        "F = input('F', 0);\n"
        "control(1).inputs = 'F';\n"
        "control(1).law = -40*dof(joint(1), 1) - 8*ddof(joint(1), 1);\n"
        "par.control.rate = 200;\n",
};

#define LAW_VISITS 5e7  // nodes visited while differentiating: about a second

static const char* const kinds[] = {"law", "gains", "plugin"};

// Add the i-th input of a controller with its limits.  Refuses an input that another controller
// sets.
static td_status push_input(const drive_list* l, int i) {
  td_model* m = l->b->m;
  int input;
  td_span at;
  TD_TRY(td_build_drive(l, i, &input, &at));
  for (int k = 0; k < m->nlaw_input; k++)
    if (m->law_input[k].input == input)
      return td_error(l->b->diags, TD_E_MODEL, at,
                      "control(%d).inputs: '%s' has a controller already", l->k + 1,
                      l->b->spec->inputs[input].name);
  num low, high;
  TD_TRY(td_build_drive_limits(l, i, &low, &high));
  model_drive* d = td_push_law_input(m, 1);
  if (!d) return TD_E_NOMEM;
  *d = (model_drive){input, low, high};
  return TD_OK;
}

// "dir/arm.m" and "gains.json" -> "dir/gains.json", a name of the model.  The file may be missing
// until a run needs it (`lqr` writes gains), but it must lie where the model may read.
static td_status file_beside(builder* b, int k, const char* field, const value* v, td_span at,
                             int* file) {
  const char* from = at.source >= 0 ? b->diags->sources[at.source].name : "";
  if (strlen(v->s) + strlen(from) > 250)
    return td_error(b->diags, TD_E_MODEL, at, "control(%d).%s: the path is too long", k + 1, field);
  const char* slash = strrchr(from, '/');
  const int length = v->s[0] == '/' || !slash ? 0 : (int)(slash - from) + 1;
  char path[256];
  snprintf(path, sizeof path, "%.*s%s", length, from, v->s);
  if (!td_spec_may_read(b->spec, path)) {
    td_error(b->diags, TD_E_IO, at,
             "control(%d).%s: '%s' is outside the model's folder and TENDRIL_DATA, and is not read",
             k + 1, field, v->s);
    td_hint(b->diags, "--allow-read, if you trust the model");
    return TD_E_IO;
  }
  *file = td_push_name(b->m, "%s", path);
  return TD_OK;
}

// Add controller k, which has one of law, gains and plugin, with the inputs it sets.  Refuses none
// or two of them, and a law of the wrong length.
static td_status push_loop(builder* b, const value* list, int k) {
  int kind = -1;
  for (int i = 0; i < 3; i++) {
    if (!td_get(list, k, kinds[i])) continue;
    if (kind >= 0)
      return td_error(b->diags, TD_E_MODEL, td_get_at(list, k, kinds[i]),
                      "control(%d) has both %s and %s", k + 1, kinds[kind], kinds[i]);
    kind = i;
  }
  const td_span at = kind < 0 ? td_get_at(list, k, "inputs") : td_get_at(list, k, kinds[kind]);
  if (kind < 0)
    return td_error(b->diags, TD_E_MODEL, at, "control(%d) needs one of law, gains and plugin",
                    k + 1);

  // its inputs
  const value* v = td_get(list, k, kinds[kind]);
  const int first = b->m->nlaw_input;
  const drive_list inputs = td_build_drives(b, "control", list, k, at);
  int n;
  TD_TRY(td_build_drive_count(&inputs, &n));
  for (int i = 0; i < n; i++) TD_TRY(push_input(&inputs, i));
  if (kind == LOOP_LAW && td_value_count(v) != n)
    return td_error(b->diags, TD_E_MODEL, at,
                    "control(%d).law must have %d number%s, one for each input, got %d", k + 1, n,
                    n == 1 ? "" : "s", td_value_count(v));

  // its file, and the controller itself
  int file = 0;
  if (kind != LOOP_LAW) TD_TRY(file_beside(b, k, kinds[kind], v, at, &file));
  model_loop* loop = td_push_loop(b->m, 1);
  if (!loop) return TD_E_NOMEM;
  *loop =
      (model_loop){.kind = (loop_kind)kind,
                   .first = first,
                   .n = n,
                   .file = file,
                   .from_sensors = strcmp(td_get_word(list, k, "from", "state"), "sensors") == 0};
  return TD_OK;
}

// Files and plug-ins live in a computer that has a rate.
static td_status check_rate(builder* b, const value* list) {
  const value *par = td_get(b->spec->root, 0, "par"),
              *control = par ? td_get(par, 0, "control") : NULL,
              *rate = control ? td_get(control, 0, "rate") : NULL;
  if (rate && rate->x[0] > 0) return TD_OK;
  for (int k = 0; k < b->m->nloop; k++)
    if (b->m->loop[k].kind != LOOP_LAW)
      return td_error(b->diags, TD_E_MODEL, td_get_at(list, k, kinds[b->m->loop[k].kind]),
                      "control(%d).%s needs par.control.rate, how often it runs", k + 1,
                      kinds[b->m->loop[k].kind]);
  return TD_OK;
}

td_status td_build_loop_numbers(builder* b) {
  const value* list = td_get(b->spec->root, 0, "control");
  td_status worst = TD_OK;
  for (int k = 0; list && k < td_value_count(list); k++) {
    const td_status status = push_loop(b, list, k);
    if (status == TD_E_NOMEM) return status;
    if (status != TD_OK) worst = status;
  }
  if (worst == TD_OK && list) worst = check_rate(b, list);
  return worst;
}

// ---- tapes ------------------------------------------------------------------------------------

typedef struct laws {
  builder* b;
  ex *out, *partial;
  int npartial, cap;
  int *vars, *probe_of;
  double visits;
} laws;

// Add the expression e of one input: the output of the tape, its partial derivatives by probes, and
// its stop times.  Refuses laws that together are too long.
static td_status add_law(laws* l, int target, ex e, td_span at) {
  td_model* m = l->b->m;
  const int n = td_ex_vars(m->graph, e, l->vars, td_exprs_nvar(m->graph));
  l->out[target] = e;
  l->visits += (1.0 + n) * td_ex_size(m->graph, e);
  if (l->visits > LAW_VISITS)
    return td_error(l->b->diags, TD_E_MODEL, at,
                    "the laws of the controllers are too long to differentiate");
  for (int i = 0; i < n; i++) {
    const int probe = l->probe_of[l->vars[i]];
    if (probe < 0) continue;
    model_partial* p = td_push_law_probe(m, 1);
    ex* grown = td_grow(l->partial, &l->cap, l->npartial + 1, sizeof(ex));
    if (!p || !grown) return TD_E_NOMEM;
    l->partial = grown;
    l->partial[l->npartial++] = td_ex_diff(m->graph, e, l->vars[i]);
    *p = (model_partial){target, probe};
  }
  ex* stop = td_grow(m->stop_ex, &m->cap_stop_ex, m->nstop_ex + 1, sizeof(ex));
  if (!stop) return TD_E_NOMEM;
  m->stop_ex = stop;
  m->stop_ex[m->nstop_ex++] = e;
  return td_exprs_failed(m->graph) ? TD_E_NOMEM : TD_OK;
}

// Make the tapes of all control laws and of their derivatives.
static td_status add_laws(laws* l) {
  td_model* m = l->b->m;
  const value* list = td_get(l->b->spec->root, 0, "control");
  for (int i = 0; i < m->nlaw_input; i++) l->out[i] = td_ex_const(m->graph, 0);
  for (int k = 0; k < m->nloop; k++)
    for (int i = 0; m->loop[k].kind == LOOP_LAW && i < m->loop[k].n; i++)
      TD_TRY(add_law(l, m->loop[k].first + i, td_value_ex(td_get(list, k, "law"), i, m->graph),
                     td_get_at(list, k, "law")));
  m->law_tape = td_tape_new(m->graph, l->out, m->nlaw_input);
  m->law_probe_tape = td_tape_new(m->graph, l->partial, l->npartial);
  return m->law_tape && m->law_probe_tape ? TD_OK : TD_E_NOMEM;
}

// Compile the laws of all controllers and their partial derivatives into tapes.
td_status td_build_loop_tapes(builder* b) {
  td_model* m = b->m;
  if (m->nloop == 0) return TD_OK;
  const int nvar = td_exprs_nvar(m->graph);
  laws l = {.b = b};
  l.vars = malloc(2 * ((size_t)nvar + 1) * sizeof(int));
  l.out = malloc(((size_t)m->nlaw_input + 1) * sizeof(ex));
  td_status status = l.vars && l.out ? TD_OK : TD_E_NOMEM;
  if (status == TD_OK) {
    l.probe_of = l.vars + nvar + 1;
    for (int i = 0; i < nvar; i++) l.probe_of[i] = -1;
    for (int i = 0; i < m->nprobe; i++) l.probe_of[m->probe[i].var] = i;
    status = add_laws(&l);
  }
  free(l.vars);
  free(l.out);
  free(l.partial);
  return status;
}
