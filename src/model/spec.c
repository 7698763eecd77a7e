// The spec: life, messages, and what the language registers (parameters, inputs, sensors).
#define _XOPEN_SOURCE 700  // realpath
#include "model/spec.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tendril/tools.h"

// ---- life -------------------------------------------------------------------------------------

td_limits td_limits_default(void) {
  return (td_limits){.work = 50000000L,
                     .memory = (size_t)1 << 30,
                     .bodies = 300000,
                     .dofs = 2000000,
                     .dense = 3000,
                     .parts = 1000000,
                     .nodes = 500000};
}

// A spec without structures, whose graph has the variables t, s and the six strains.  NULL: no
// memory.
td_spec* td_spec_new(void) {
  td_spec* spec = calloc(1, sizeof(td_spec));
  if (!spec) return NULL;
  spec->limits = td_limits_default();
  spec->graph = td_exprs_new();
  spec->root = td_value_struct(1, 1);
  spec->time_var = spec->graph ? td_exprs_var(spec->graph, "t", TD_ON_TIME) : -1;
  spec->arc_var = spec->graph ? td_exprs_var(spec->graph, "s", TD_ON_ARC) : -1;
  bool ok = spec->root && spec->time_var >= 0 && spec->arc_var >= 0;
  for (int d = 0; d < 6 && ok; d++) {
    const char name[] = {'s', 't', 'r', 'a', 'i', 'n', (char)('1' + d), '\0'};
    spec->strain_var[d] = td_exprs_var(spec->graph, name, TD_ON_STRAIN);
    ok = spec->strain_var[d] >= 0;
  }
  if (ok) return spec;
  td_spec_free(spec);
  return NULL;
}

void td_bounds_clear(td_spec* spec) {
  for (int i = 0; i < spec->nbound; i++) {
    free(spec->bounds[i].e);
    free(spec->bounds[i].rule);
    free(spec->bounds[i].unit);
  }
  spec->nbound = 0;
}

static void free_wires(td_spec* spec) {
  for (int i = 0; i < spec->nwire; i++) td_wire_free(&spec->wires[i]);
  free(spec->wires);
  spec->wires = NULL;
  spec->nwire = 0;
}

td_status td_spec_wires(td_spec* spec, int n) {
  free_wires(spec);
  spec->wires = calloc((size_t)n + 1, sizeof *spec->wires);
  spec->nwire = spec->wires ? n : 0;
  return spec->wires ? TD_OK : TD_E_NOMEM;
}

// Free a spec with its values, names, graph, messages and the language's own data; NULL is allowed.
void td_spec_free(td_spec* spec) {
  if (!spec) return;
  free_wires(spec);
  td_bounds_clear(spec);
  free(spec->bounds);
  for (int i = 0; i < spec->nreadable; i++) free(spec->readable[i]);
  free(spec->readable);
  td_value_drop(spec->root);
  if (spec->language_free) spec->language_free(spec->language);
  for (int i = 0; i < spec->nparam; i++) {
    free(spec->params[i].name);
    free(spec->params[i].text);
  }
  for (int i = 0; i < spec->ninput; i++) free(spec->inputs[i].name);
  for (int i = 0; i < spec->ninternal; i++) free(spec->internals[i].name);
  for (int i = 0; i < spec->noverride; i++) {
    free(spec->overrides[i].name);
    free(spec->overrides[i].text);
  }
  free(spec->params);
  free(spec->inputs);
  free(spec->internals);
  free(spec->sensors);
  free(spec->overrides);
  td_exprs_free(spec->graph);
  td_diags_free(&spec->diags);
  td_text_free(&spec->rendered);
  td_text_free(&spec->printed);
  free(spec);
}

// Add the real path of a folder or file to those that may be read; NULL allows everything.
td_status td_spec_allow_read(td_spec* spec, const char* path) {
  if (!spec) return TD_E_USAGE;
  if (!path) {
    spec->read_all = true;
    return TD_OK;
  }
  char* full = realpath(path, NULL);
  if (!full) return errno == ENOMEM ? TD_E_NOMEM : TD_OK;
  char** grown =
      td_grow(spec->readable, &spec->readable_cap, spec->nreadable + 1, sizeof *spec->readable);
  if (!grown) {
    free(full);
    return TD_E_NOMEM;
  }
  spec->readable = grown;
  grown[spec->nreadable++] = full;
  return TD_OK;
}

// Is `full` the file or below the folder `root`?  Both as realpath gives them.
static bool is_within(const char* full, const char* root) {
  const size_t n = strlen(root);
  return strncmp(full, root, n) == 0 && (full[n] == '\0' || full[n] == '/' || root[n - 1] == '/');
}

// The real path of a file or, where it is missing or hidden, of the nearest folder above it that is
// there: whether a file outside exists is not told either.  NULL: no memory, or a way back up
// through a folder that is not there.
static char* nearest_real_path(const char* path) {
  char* full = realpath(path, NULL);
  if (full) return full;
  char* part = td_strdup(path);
  while (part && !full) {
    char* slash = strrchr(part, '/');
    const char* last = slash ? slash + 1 : part;
    if (strcmp(last, "..") == 0) break;
    if (!slash) full = realpath(".", NULL);
    if (!slash || strcmp(part, "/") == 0) break;
    slash[slash == part] = '\0';
    full = realpath(part, NULL);
  }
  free(part);
  return full;
}

bool td_spec_may_read(const td_spec* spec, const char* path) {
  if (spec->read_all) return true;
  char* full = nearest_real_path(path);
  if (!full) return false;
  const char* folder = getenv("TENDRIL_DATA");
  char* data = folder && *folder ? realpath(folder, NULL) : NULL;
  bool may = data && is_within(full, data);
  for (int i = 0; i < spec->nreadable && !may; i++) may = is_within(full, spec->readable[i]);
  free(data);
  free(full);
  return may;
}

// Append an override; apply_override() and td_spec_input() use it when the name is registered.
td_status td_spec_override(td_spec* spec, const char* name_text, const char* value_text) {
  if (!spec || !name_text || !value_text || !*name_text) return TD_E_USAGE;
  spec_override* grown =
      td_grow(spec->overrides, &spec->override_cap, spec->noverride + 1, sizeof *grown);
  if (!grown) return TD_E_NOMEM;
  spec->overrides = grown;
  char *name = td_strdup(name_text), *text = td_strdup(value_text);
  if (!name || !text) {
    free(name);
    free(text);
    return TD_E_NOMEM;
  }
  grown[spec->noverride++] = (spec_override){name, text, false};
  return TD_OK;
}

// ---- messages ---------------------------------------------------------------------------------

int td_spec_message_count(const td_spec* spec) { return spec ? spec->diags.n : 0; }

void td_spec_message_into(const td_spec* spec, int i, td_message* message, size_t size) {
  td_message m = {TD_NOTE, "", 0, 0, ""};
  if (spec && i >= 0 && i < spec->diags.n) {
    const td_diag* d = &spec->diags.list[i];
    m.severity = d->severity;
    m.text = d->text;
    if (d->at.source >= 0 && d->at.source < spec->diags.nsource) {
      m.file = spec->diags.sources[d->at.source].name;
      td_span_position(&spec->diags, d->at, &m.line, &m.column);
    }
  }
  struct_into(message, size, &m, sizeof m);
}

int td_spec_error_count(const td_spec* spec) { return spec ? spec->diags.errors : 0; }

const char* td_spec_messages(td_spec* spec) {
  if (!spec) return "";
  spec->rendered.n = 0;
  td_text_add(&spec->rendered, "");
  for (int i = 0; i < spec->diags.n; i++) td_diag_render(&spec->diags, i, &spec->rendered);
  if (spec->diags.dropped > 0) {
    td_text_printf(&spec->rendered, "... and %d more errors\n", spec->diags.dropped);
  }
  return spec->rendered.s ? spec->rendered.s : "";
}

// ---- parameters and inputs --------------------------------------------------------------------

// The override of a name, marked as used; the last one given counts.  NULL: none.
static spec_override* use_override(td_spec* spec, const char* name) {
  spec_override* last = NULL;
  for (int i = 0; i < spec->noverride; i++) {
    if (strcmp(spec->overrides[i].name, name) != 0) continue;
    last = &spec->overrides[i];
    last->used = true;
  }
  return last;
}

// The whole text as a number.
static bool number_of(const char* text, double* x) {
  char* end = NULL;
  *x = strtod(text, &end);
  while (end && *end == ' ') end++;
  return end && end != text && *end == 0;
}

td_status td_spec_beyond_ranges(td_spec* spec) {
  if (!spec) return TD_E_USAGE;
  spec->beyond = true;
  return TD_OK;
}

// The value given from outside; a message when the text is no number, or beyond the range: the
// default stays, so that nothing else is found wrong because of it.
static void override_number(td_spec* spec, const spec_override* o, const char* what,
                            const spec_range* range, td_span at, double* x) {
  double given;
  if (!number_of(o->text, &given) || isnan(given)) {
    td_error(&spec->diags, TD_E_MODEL, at, "%s '%s' is a number, it cannot be set to '%s'", what,
             o->name, o->text);
  } else if (!spec->beyond && (given < range->low || given > range->high)) {
    td_error(&spec->diags, TD_E_MODEL, at,
             "%s '%s' has the range [%g %g], it was to be set to %s by the command line or the "
             "caller",
             what, o->name, range->low, range->high, o->text);
    td_hint(&spec->diags, "choose a value inside, or go beyond it with --force-range");
  } else {
    *x = given;
  }
}

// Apply an override to a new parameter.
static bool apply_override(td_spec* spec, spec_param* p) {
  spec_override* o = use_override(spec, p->name);
  if (!o) return true;
  if (p->text) {
    char* text = td_strdup(o->text);
    if (!text) return false;
    free(p->text);
    p->text = text;
    return true;
  }
  override_number(spec, o, "parameter", &p->range, p->at, &p->value);
  return true;
}

spec_param* td_spec_param_find(td_spec* spec, const char* name) {
  for (int i = 0; i < spec->nparam; i++) {
    if (strcmp(spec->params[i].name, name) == 0) return &spec->params[i];
  }
  return NULL;
}

// Append a parameter and apply its override; one that does not fit is reported, and the default
// stays.  NULL: no memory.
spec_param* td_spec_param_var(td_spec* spec, const char* name, int var, double x, const char* text,
                              const spec_range* range, td_span at) {
  spec_param* grown = td_grow(spec->params, &spec->param_cap, spec->nparam + 1, sizeof *grown);
  if (!grown) return NULL;
  spec->params = grown;
  spec_param p = {.var = var, .value = x, .at = at, .range = range ? *range : td_range_none()};
  p.name = td_strdup(name);
  p.text = text ? td_strdup(text) : NULL;
  if (!p.name || (text && !p.text) || !apply_override(spec, &p)) {
    free(p.name);
    free(p.text);
    return NULL;
  }
  grown[spec->nparam] = p;
  return &grown[spec->nparam++];
}

spec_param* td_spec_param(td_spec* spec, const char* name, double x, const char* text,
                          const spec_range* range, td_span at) {
  spec_param* p = td_spec_param_find(spec, name);
  if (p) return p;
  int var = -1;
  if (!text) {
    var = td_exprs_var(spec->graph, name, TD_ON_PARAM);
    if (var < 0) return NULL;
  }
  return td_spec_param_var(spec, name, var, x, text, range, at);
}

// Register an input with its variable, or return the one with this name; its override replaces x.
// NULL: no memory.
spec_input* td_spec_input(td_spec* spec, const char* name, double x, const spec_range* range,
                          td_span at) {
  for (int i = 0; i < spec->ninput; i++) {
    if (strcmp(spec->inputs[i].name, name) == 0) return &spec->inputs[i];
  }
  spec_input* grown = td_grow(spec->inputs, &spec->input_cap, spec->ninput + 1, sizeof *grown);
  if (!grown) return NULL;
  spec->inputs = grown;
  char* copy = td_strdup(name);
  const int var = copy ? td_exprs_var(spec->graph, name, TD_ON_INPUT) : -1;
  if (var < 0) {
    free(copy);
    return NULL;
  }
  const spec_override* o = use_override(spec, name);
  const spec_range within = range ? *range : td_range_none();
  if (o) override_number(spec, o, "input", &within, at, &x);
  grown[spec->ninput] = (spec_input){copy, within, var, x, at};
  return &grown[spec->ninput++];
}

spec_internal* td_spec_internal_find(td_spec* spec, const char* name) {
  for (int i = 0; i < spec->ninternal; i++)
    if (strcmp(spec->internals[i].name, name) == 0) return &spec->internals[i];
  return NULL;
}

// Append an internal state and its variable.
spec_internal* td_spec_internal(td_spec* spec, const char* name, ex init, td_span at) {
  spec_internal* grown =
      td_grow(spec->internals, &spec->internal_cap, spec->ninternal + 1, sizeof *grown);
  if (!grown) return NULL;
  spec->internals = grown;
  char* copy = td_strdup(name);
  const int var = copy ? td_exprs_var(spec->graph, name, TD_ON_INTERNAL) : -1;
  if (var < 0) {
    free(copy);
    return NULL;
  }
  grown[spec->ninternal] = (spec_internal){copy, var, init, at};
  return &grown[spec->ninternal++];
}

// ---- sensors ----------------------------------------------------------------------------------

// True when two references measure the same thing.
static bool same_sensor(const td_sensor_ref* a, const td_sensor_ref* b) {
  if (a->kind != b->kind || a->root != b->root || a->index != b->index || a->element != b->element)
    return false;
  if (a->item != b->item || a->component != b->component || a->has_point != b->has_point)
    return false;
  if (a->arc != b->arc || a->moves != b->moves || a->place != b->place) return false;
  if (!a->has_point) return true;
  for (int c = 0; c < 3; c++)
    if (a->point[c] != b->point[c] || a->follows[c] != b->follows[c]) return false;
  return true;
}

// A name for printed equations that is an identifier: pos_body2_x, dof_joint3_1,
// vel_body1_e4_p17_z.
static void sensor_name(const td_spec* spec, const td_sensor_ref* r, char* name, size_t size) {
  const td_sensor_info* info = &td_sensor_table[r->kind];
  const char* root = r->root == 'b'   ? "_body"
                     : r->root == 'j' ? "_joint"
                     : r->root == 'r' ? "_rod"
                     : r->root == 'm' ? "_mesh"
                                      : "";
  int n = snprintf(name, size, "%s%s", info->name, root);
  if (r->root != '-') n += snprintf(name + n, size - (size_t)n, "%d", r->index);
  if (r->element > 0) n += snprintf(name + n, size - (size_t)n, "_e%d", r->element);
  if (r->item > 0 && r->root != 'b') n += snprintf(name + n, size - (size_t)n, "_%d", r->item);
  if (r->has_point || r->root == 'r' || (r->root == 'b' && r->item > 0))
    n += snprintf(name + n, size - (size_t)n, "_p%d", spec->nsensor + 1);
  const int parts = info->rows * info->cols;
  if (parts == 3) {
    snprintf(name + n, size - (size_t)n, "_%c", "xyz"[r->component]);
  } else if (parts > 1) {
    snprintf(name + n, size - (size_t)n, "_%d", r->component + 1);
  }
}

// Find the variable of a sensor component, or register it with what it depends on (position, rate,
// acceleration).
int td_spec_sensor(td_spec* spec, const td_sensor_ref* ref, td_span at) {
  for (int i = 0; i < spec->nsensor; i++) {
    if (same_sensor(&spec->sensors[i].ref, ref)) return spec->sensors[i].var;
  }
  spec_sensor_var* grown =
      td_grow(spec->sensors, &spec->sensor_cap, spec->nsensor + 1, sizeof *grown);
  if (!grown) return -1;
  spec->sensors = grown;
  char name[96];
  sensor_name(spec, ref, name, sizeof name);
  const unsigned here = ref->root == 'r' && ref->arc == TD_ARC_HERE ? TD_ON_HERE : 0;
  const int var =
      td_exprs_var(spec->graph, name, (td_depends)(td_sensor_table[ref->kind].depends | here));
  if (var < 0) return -1;
  grown[spec->nsensor++] = (spec_sensor_var){*ref, var, at};
  return var;
}

bool td_spec_here(td_spec* spec) {
  static const char* const names[3] = {"here_x", "here_y", "here_z"};
  for (int c = 0; c < 3 && spec->here_var[0] >= 0; c++)
    if (spec->here_var[c] == 0) spec->here_var[c] = td_exprs_var(spec->graph, names[c], TD_ON_HERE);
  return spec->here_var[2] > 0;
}

void td_param_settle(spec_param* p, const char* why) {
  if (!p->structural) snprintf(p->why, sizeof p->why, "%s", why ? why : "");
  p->structural = true;
}

// Evaluate e with the present values of the parameters, all other variables zero, and mark the
// parameters in it as structural.  NaN: no memory.
double td_spec_settle(td_spec* spec, ex e) {
  if (td_ex_is_const(spec->graph, e)) return td_ex_value(spec->graph, e);
  double* vars = calloc((size_t)td_exprs_nvar(spec->graph) + 1, sizeof(double));
  if (!vars) return NAN;
  for (int i = 0; i < spec->nparam; i++) {
    spec_param* p = &spec->params[i];
    if (p->var < 0) continue;
    vars[p->var] = p->value;
    if (td_ex_has_var(spec->graph, e, p->var)) td_param_settle(p, spec->settling);
  }
  const double x = td_ex_eval(spec->graph, e, vars);
  free(vars);
  return x;
}

bool td_spec_evaluate(const td_spec* spec, ex e, double arc, double* x) {
  unsigned allowed = TD_ON_PARAM;
  if (!isnan(arc)) allowed |= TD_ON_ARC;
  if ((unsigned)td_ex_depends(spec->graph, e) & ~allowed) return false;
  double* vars = calloc((size_t)td_exprs_nvar(spec->graph) + 1, sizeof(double));
  if (!vars) return false;
  for (int i = 0; i < spec->nparam; i++)
    if (spec->params[i].var >= 0) vars[spec->params[i].var] = spec->params[i].value;
  vars[spec->arc_var] = arc;
  *x = td_ex_eval(spec->graph, e, vars);
  free(vars);
  return true;
}

// ---- reading ----------------------------------------------------------------------------------

const value* td_get(const value* s, int i, const char* field) {
  const value_slot* slot = td_value_slot(s, i, field);
  return slot && !td_value_is_empty(slot->v) ? slot->v : NULL;
}

td_span td_get_at(const value* s, int i, const char* field) {
  const value_slot* slot = td_value_slot(s, i, field);
  return slot && slot->v ? slot->at : td_span_none();
}

const char* td_get_word(const value* s, int i, const char* field, const char* fallback) {
  const value* v = td_get(s, i, field);
  return v && v->kind == V_STR ? v->s : fallback;
}
