// State files: {"t": 0, "q": [...], "v": [...], "z": {"name": value}, "u": {"name": value}}, and
// results that contain a state.
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "io/state_turns.h"
#include "model/model.h"
#include "tendril/tools.h"

// The caller's buffer for a message.
typedef struct complaint {
  char* text;
  size_t size;
} complaint;

static td_status complain(complaint to, const char* format, ...) TD_PRINTF(2, 3);
static td_status complain(complaint to, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(to.text, to.size, format, args);
  va_end(args);
  return TD_E_SYNTAX;
}

// Kind of a JSON value, for messages
static const char* kind_of(const cJSON* item) {
  if (cJSON_IsArray(item)) return "an array";
  if (cJSON_IsObject(item)) return "an object";
  if (cJSON_IsString(item)) return "a string";
  if (cJSON_IsNumber(item)) return "a number";
  return cJSON_IsNull(item) ? "null" : "a logical";
}

// Read a finite number; `what` names it in messages.
static td_status read_number(const cJSON* item, const char* what, double* out, complaint to) {
  if (!cJSON_IsNumber(item))
    return complain(to, "%s must be a number, found %s", what, kind_of(item));
  if (!isfinite(item->valuedouble)) return complain(to, "%s must be finite", what);
  *out = item->valuedouble;
  return TD_OK;
}

// Read an array of exactly n numbers into out; `name` names it in messages.
static td_status read_array(const cJSON* item, const char* name, int n, double* out, complaint to) {
  if (!cJSON_IsArray(item)) {
    return complain(to, "'%s' must be an array of %d numbers, found %s", name, n, kind_of(item));
  }
  const int found = cJSON_GetArraySize(item);
  if (found != n) {
    return complain(to, "'%s' must have %d element%s, found %d", name, n, n == 1 ? "" : "s", found);
  }
  const cJSON* element;
  int i = 0;
  cJSON_ArrayForEach(element, item) {
    char what[32];
    snprintf(what, sizeof what, "%s[%d]", name, i);
    TD_TRY(read_number(element, what, &out[i++], to));
  }
  return TD_OK;
}

// Report whether an object has the name of this member again, later.
static bool is_repeated(const cJSON* item) {
  for (const cJSON* later = item->next; later; later = later->next) {
    if (strcmp(item->string, later->string) == 0) return true;
  }
  return false;
}

// A member with numbers by name: inputs, or internal states.
typedef struct named_numbers {
  const char *member, *what;  // "u", "input"
  int (*find)(const td_model*, const char*);
} named_numbers;

// Read an object {"name": value} into x, by the search function of this kind of numbers.  Refuses
// unknown names, names given twice, and inputs outside their range.
static td_status read_named(const td_model* model, const named_numbers* kind, const cJSON* object,
                            double* x, complaint to) {
  if (!cJSON_IsObject(object)) {
    return complain(to, "'%s' must be an object {\"name\": value}, found %s", kind->member,
                    kind_of(object));
  }
  const cJSON* item;
  cJSON_ArrayForEach(item, object) {
    const int i = kind->find(model, item->string);
    if (i < 0) return complain(to, "the model has no %s '%s'", kind->what, item->string);
    if (is_repeated(item)) return complain(to, "%s '%s' is given twice", kind->what, item->string);
    char what[128];
    snprintf(what, sizeof what, "%s.%.100s", kind->member, item->string);
    TD_TRY(read_number(item, what, &x[i], to));
    if (kind->find != td_model_input_find || model_sets_input(model, i)) continue;
    const model_named* input = &model->input[i];
    if (!model_admits(model, input, x[i]))
      return complain(to, "input '%s' has the range [%g %g], got %g; --force-range goes beyond it",
                      item->string, input->low, input->high, x[i]);
  }
  return TD_OK;
}

// Read all members into a state; members that are missing leave it as it is.
static td_status read_members(const td_model* model, const cJSON* root, td_state* state,
                              complaint to) {
  const td_sizes n = td_model_sizes(model);
  if (!cJSON_IsObject(root)) {
    return complain(to,
                    "a state is an object {\"t\": ..., \"q\": [...], \"v\": [...], \"u\": {...}}");
  }

  // results with `converged` (equilibrium.json) or `nq` (eval --json) have more members than a
  // state; an equilibrium is at rest
  const cJSON* converged = cJSON_GetObjectItemCaseSensitive(root, "converged");
  const bool result = cJSON_HasObjectItem(root, "converged") || cJSON_HasObjectItem(root, "nq");
  if (converged && !cJSON_IsTrue(converged))
    return complain(to, "the equilibrium in it was not found");
  if (converged) memset(state->v, 0, sizeof(double) * (size_t)n.nv);

  // older files have only the vector parts of quaternions, and their rates
  const cJSON* positions = cJSON_GetObjectItemCaseSensitive(root, "q");
  const int fewer = n.nq - td_turn_count(model);
  const bool old = fewer < n.nq && cJSON_GetArraySize(positions) == fewer;
  const bool moves = cJSON_HasObjectItem(root, "v");

  // each member once
  const cJSON* item;
  cJSON_ArrayForEach(item, root) {
    const char* name = item->string;
    if (is_repeated(item)) return complain(to, "'%s' is given twice", name);
    if (strcmp(name, "t") == 0) {
      TD_TRY(read_number(item, "t", &state->t, to));
    } else if (strcmp(name, "q") == 0) {
      TD_TRY(read_array(item, "q", old ? fewer : n.nq, state->q, to));
    } else if (strcmp(name, "v") == 0) {
      TD_TRY(read_array(item, "v", n.nv, state->v, to));
    } else if (strcmp(name, "u") == 0) {
      const named_numbers inputs = {"u", "input", td_model_input_find};
      TD_TRY(read_named(model, &inputs, item, state->u, to));
    } else if (strcmp(name, "z") == 0) {
      const named_numbers internals = {"z", "internal state", td_model_internal_find};
      TD_TRY(read_named(model, &internals, item, state->z, to));
    } else if (strcmp(name, "memory") == 0) {
      TD_TRY(read_array(item, "memory", n.nmemory, state->memory, to));
    } else if (!result) {
      return complain(to, "unknown member '%s'; a state has t, q, v, z, u and memory", name);
    }
  }
  if (old && !td_complete_turns(model, state, moves))
    return complain(to, "the vector part of a quaternion in 'q' must have a length below 1");
  return TD_OK;
}

// Report the line and column at which a text ceases to be JSON.
static td_status not_json(const char* text, const char* end, complaint to) {
  int line = 1;
  const char* start = text;
  for (const char* p = text; p < end && *p; p++) {
    if (*p != '\n') continue;
    line++;
    start = p + 1;
  }
  return complain(to, "line %d, column %d: not valid JSON", line, (int)(end - start) + 1);
}

// Read a state from JSON; a text that is wrong leaves the state as it is.
td_status td_state_parse(const td_model* model, const char* json, td_state* state, char* message,
                         size_t size) {
  if (!model || !json || !model_owns(model, state) || (!message && size > 0)) return TD_E_USAGE;
  const complaint to = {message, size};
  const char* end = json;
  cJSON* root = cJSON_ParseWithOpts(json, &end, true);
  if (!root) return not_json(json, end, to);

  td_state* copy = td_state_new(model);
  td_status status = TD_E_NOMEM;
  if (copy) {
    td_state_copy(model, state, copy);
    status = read_members(model, root, copy, to);
    if (status == TD_OK) td_state_copy(model, copy, state);
  }
  td_state_free(copy);
  cJSON_Delete(root);
  return status;
}
