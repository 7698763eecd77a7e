// Any text is read as a state file without harm; what is accepted is finite.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tendril/tools.h"

static const char model_text[] =
    "u = input('u', 0);\n"
    "body(1).m = 1; body(1).I = eye(3);\n"
    "joint(1).second = 1; joint(1).tr(1).trans = [inf 0 inf]; joint(1).dof(1).input = u;\n";

static void read_state(const td_model* model, const char* text) {
  td_state* state = td_state_new(model);
  require(state != NULL);
  char message[64];
  if (td_state_parse(model, text, state, message, sizeof message) == TD_OK) {
    require(isfinite(state->t) && isfinite(state->q[1]) && isfinite(state->u[0]));
  } else {
    require(strlen(message) < sizeof message);
  }
  td_state_free(state);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  char* text = td_strndup((const char*)data, size);
  td_spec* spec = td_spec_new();
  td_model* model = NULL;
  require(text && spec && td_spec_load_string(spec, "m", model_text) == TD_OK);
  require(td_model_compile(spec, &model) == TD_OK);
  read_state(model, text);
  td_model_free(model);
  td_spec_free(spec);
  free(text);
  return 0;
}
