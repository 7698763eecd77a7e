// Any text loads, compiles and is evaluated without harm: first at the state the model describes,
// then away from it.
#include "engine/engine.h"
#include "model/spec.h"

enum { SIZE_LIMIT = 1 << 14, DOF_LIMIT = 40 };  // one input takes some milliseconds

static const td_limits limits = {
    .work = 200000, .memory = 64 << 20, .bodies = 200, .dofs = DOF_LIMIT, .parts = 2000};

// Equations, tangents and sensors at one state; they may fail, but not harm.
static void evaluate(const td_model* m, const td_state* state, td_work* w, double* out) {
  const td_sizes n = td_model_sizes(m);
  double* second = out + n.nv * n.nv;
  if (td_forward_dynamics(m, state, w) == TD_OK)
    td_tangent(m, state, w, td_work_vdot(w), td_work_lambda(w), out, second);
  td_input_map(m, state, w, out);
  td_sensors(m, state, w, out);
  td_energy(m, state, w);
  if (n.nconstraint > 0) td_constraints(m, state, w, out, NULL, NULL);
}

static void run(const td_model* m) {
  const td_sizes n = td_model_sizes(m);
  const int room = 2 * n.nv * n.nv + n.nv * n.nu + n.nconstraint * n.nv + n.nsensor + 1;
  td_work* w = td_work_new(m);
  td_state* state = td_state_new(m);
  double *out = calloc((size_t)room, sizeof(double)),
         *step = calloc((size_t)n.nv + 1, sizeof(double));
  if (w && state && out && step) {
    td_state_initial(m, w, state);
    evaluate(m, state, w, out);
    for (int i = 0; i < n.nv; i++) step[i] = 0.1 * (i % 7 - 3);
    td_displace(m, state->q, step, state->q);
    for (int i = 0; i < n.nv; i++) state->v[i] += step[n.nv - 1 - i];
    for (int i = 0; i < n.nu; i++) state->u[i] = i;
    state->t += 0.5;
    evaluate(m, state, w, out);
  }
  free(step);
  free(out);
  td_state_free(state);
  td_work_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > SIZE_LIMIT) return 0;
  char* text = malloc(size + 1);
  td_spec* spec = td_spec_new();
  if (text && spec) {
    memcpy(text, data, size);
    text[size] = '\0';
    spec->limits = limits;
    td_model* model = NULL;
    td_spec_load_string(spec, "fuzz.m", text);
    const td_status status = td_model_compile(spec, &model);
    require((status == TD_OK) == (model != NULL));
    require(status == TD_OK || td_spec_error_count(spec) > 0 || status == TD_E_NOMEM);
    if (model) run(model);
    td_model_free(model);
    td_spec_messages(spec);
  }
  td_spec_free(spec);
  free(text);
  return 0;
}
