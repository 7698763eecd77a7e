// Internal states: internal('air', 1e-5) with dynamics(k).of = 'air' and its rate.  Fields, rules
// and builder.
#include <math.h>
#include <string.h>

#include "model/build.h"
#include "model/structure.h"

static const td_field fields[] = {
    {"dynamics", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "rates of the internal states that `internal` declares, one for each"},
    {"dynamics.of", FIELD_STR, "", TD_REQUIRED, "", FIXED, "", "", "name of the internal state"},
    {"dynamics.rate", FIELD_NUM, "1", TD_REQUIRED, "", FORCE, "", "",
     "its rate: any expression that a force may be"},
    {"dynamics.unit", FIELD_STR, "", "", "", FIXED, "", "",
     "unit of the state in the results, up to 24 characters, as 'kg'"},
    {.path = NULL},
};

const td_structure td_structure_dynamics = {
    .fields = fields,
    .plural = "rates of internal states",
    .intro =
        "`internal('air', 1e-5)` declares a first-order state with its initial value and returns "
        "it; `dynamics` gives its rate. It may stand wherever forces may depend on the motion. "
        "See language.md.",
    .example =
        "f = internal('f', 0);                    % a filter of 20 ms ...\n"
        "dynamics(1).of   = 'f';\n"
        "dynamics(1).rate = (sin(2*pi*t) - f)/0.02;\n"
        "joint(1).dof(1).input = 3*f;             % ... drives a joint\n",
};

enum { MOST_UNIT = 24 };

// q12, v3 and memory1 are names of columns in the results.
static bool is_column(const char* name) {
  static const char* const words[] = {"t",       "q",       "v",    "z",      "u",     "kinetic",
                                      "elastic", "gravity", "work", "energy", "memory"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(name, words[i]) == 0) return true;
  const char* digits = name[0] == 'q' || name[0] == 'v'  ? name + 1
                       : strncmp(name, "memory", 6) == 0 ? name + 6
                                                         : "";
  return *digits && digits[strspn(digits, "0123456789")] == 0;
}

// Refuse the name of an internal state that a parameter, input, sensor or column of the results
// has.
static void check_name(td_spec* spec, const spec_internal* z) {
  const char* other = NULL;
  for (int i = 0; i < spec->nparam && !other; i++)
    if (strcmp(spec->params[i].name, z->name) == 0) other = "a parameter";
  for (int i = 0; i < spec->ninput && !other; i++)
    if (strcmp(spec->inputs[i].name, z->name) == 0) other = "an input";
  const value* sensors = td_get(spec->root, 0, "sensor");
  for (int i = 0; sensors && sensors->kind == V_STRUCT && i < td_value_count(sensors) && !other;
       i++) {
    const value* name = td_get(sensors, i, "name");
    if (!name || name->kind != V_STR) continue;
    if (strcmp(name->s, z->name) == 0) other = "a sensor";
    // components of vectors have columns name_x, name_y, name_z or name_1 ...
    const size_t stem = strlen(name->s);
    if (strncmp(name->s, z->name, stem) != 0 || z->name[stem] != '_') continue;
    const char* end = z->name + stem + 1;
    const bool letter = *end && strchr("xyz", *end) && !end[1];
    if (letter || (*end && strspn(end, "0123456789") == strlen(end))) other = "a sensor's column";
  }
  if (is_column(z->name)) {
    td_error(&spec->diags, TD_E_MODEL, z->at,
             "internal: '%s' is the name of a column that all results have", z->name);
    td_hint(&spec->diags, "call it '%s_state'", z->name);
  } else if (other) {
    td_error(&spec->diags, TD_E_MODEL, z->at,
             "internal: '%s' is %s too, but a column of the results needs a name of its own",
             z->name, other);
  }
}

// Check that an initial value depends on parameters only and is finite.
static void check_initial(td_spec* spec, const spec_internal* z) {
  const unsigned on = (unsigned)td_ex_depends(spec->graph, z->init);
  double x = NAN;
  if (on & ~(unsigned)TD_ON_PARAM)
    td_error(&spec->diags, TD_E_MODEL, z->at,
             "internal: the initial value of '%s' may depend on parameters only", z->name);
  else if (!td_spec_evaluate(spec, z->init, NAN, &x) || !isfinite(x))
    td_error(&spec->diags, TD_E_MODEL, z->at,
             "internal: the initial value of '%s' must be a finite number, got %g", z->name, x);
}

// The unit is a heading: printable, short, without what ends a column.
static void check_unit(td_spec* spec, const value* list, int k) {
  const value* unit = td_get(list, k, "unit");
  if (!unit || unit->kind != V_STR) return;
  bool plain = strlen(unit->s) <= MOST_UNIT;
  for (const char* c = unit->s; *c; c++)
    plain = plain && (unsigned char)*c >= 32 && *c != ',' && *c != '"' && *c != '\\' && *c != 127;
  if (!plain)
    td_error(&spec->diags, TD_E_MODEL, td_get_at(list, k, "unit"),
             "dynamics(%d).unit must be up to %d printable characters without commas and quotes, "
             "as 'kg/s', got '%.40s'",
             k + 1, MOST_UNIT, unit->s);
}

// Match dynamics(k).of with the internal states in both directions; names and initial values are
// checked as well.
void td_check_internals(td_spec* spec) {
  enum { MOST = 64 };
  const value* list = td_get(spec->root, 0, "dynamics");
  const int n = list && list->kind == V_STRUCT ? td_value_count(list) : 0;
  const char* names[MOST];
  int nname = 0;
  for (int i = 0; i < spec->ninternal && nname < MOST; i++)
    names[nname++] = spec->internals[i].name;

  // every rate is that of a state; one whose state is not known may belong to any of them
  bool unknown = false;
  for (int k = 0; k < n; k++) {
    const value* of = td_get(list, k, "of");
    check_unit(spec, list, k);
    if (!of || of->kind != V_STR) unknown = true;  // is told by the rules of the field
    if (!of || of->kind != V_STR || td_spec_internal_find(spec, of->s)) continue;
    td_error(&spec->diags, TD_E_MODEL, td_get_at(list, k, "of"),
             "dynamics(%d).of: there is no internal state '%.80s'", k + 1, of->s);
    td_suggest(&spec->diags, of->s, names, nname);
    td_more(&spec->diags, "write x = internal('%.60s', 0) to declare it", of->s);
    unknown = true;
  }

  // every state has one rate
  for (int i = 0; i < spec->ninternal; i++) {
    const spec_internal* z = &spec->internals[i];
    int found = -1;
    check_name(spec, z);
    check_initial(spec, z);
    for (int k = 0; k < n; k++) {
      const value* of = td_get(list, k, "of");
      if (!of || of->kind != V_STR || strcmp(of->s, z->name) != 0) continue;
      if (found >= 0)
        td_error(&spec->diags, TD_E_MODEL, td_get_at(list, k, "of"),
                 "dynamics(%d).of: the internal state '%s' has its rate in dynamics(%d) already",
                 k + 1, z->name, found + 1);
      else
        found = k;
    }
    if (found >= 0 || unknown) continue;
    td_error(&spec->diags, TD_E_MODEL, z->at, "the internal state '%s' has no rate", z->name);
    td_hint(&spec->diags, "write dynamics(%d).of = '%s'; dynamics(%d).rate = ...", n + 1, z->name,
            n + 1);
  }
}

// Add the internal states with initial values, units and rates.  Rates are numbers like those of
// forces, so that their derivatives, corners and stop times are found with theirs.
td_status td_build_internals(builder* b) {
  td_model* m = b->m;
  const value* list = td_get(b->spec->root, 0, "dynamics");
  const int n = b->spec->ninternal, nrate = list ? td_value_count(list) : 0;
  for (int i = 0; i < n; i++) {
    const spec_internal* z = &b->spec->internals[i];
    model_internal* out = td_push_internal(m, 1);
    if (!out) return TD_E_NOMEM;
    *out = (model_internal){.name = td_push_name(m, "%s", z->name), .var = z->var};
    out->init = td_build_number(b, z->init);
    if (out->init == NUM_NONE || out->name < 0) return TD_E_NOMEM;
  }

  // rates, in the order of the states
  m->internal_rate = m->nnumber_ex;
  for (int i = 0; i < n; i++) {
    int k = 0;
    while (k < nrate && strcmp(td_get_word(list, k, "of", ""), b->spec->internals[i].name) != 0)
      k++;
    const value* rate = k < nrate ? td_get(list, k, "rate") : NULL;
    if (!rate || td_build_number(b, td_value_ex(rate, 0, b->spec->graph)) == NUM_NONE)
      return TD_E_NOMEM;
    m->internal[i].unit = td_push_name(m, "%s", td_get_word(list, k, "unit", ""));
    if (m->internal[i].unit < 0) return TD_E_NOMEM;
  }
  return TD_OK;
}
