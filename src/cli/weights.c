// Weights of linear design from a JSON file:
//
//   {"outputs": {"tip_x": 100}, "states": {"q": 0, "v": 0.1}, "inputs": {"F": 0.01},
//    "process": {"F": 1}, "drift": 0, "noise": {"tip_x": 1e-6}}
//
// A number instead of an object is for all.  Members that are absent are 1 for outputs, inputs,
// process and noise, 0 for states and drift.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

// The weights of a file.
typedef struct weights {
  double *outputs, *noise;   // (ny)
  double *inputs, *process;  // (nu)
  double q, v, drift;
} weights;

static int bad(const session* s, const char* what, const char* name) {
  return complain(CODE_FILE, "%s: %s '%s'", s->opt->weights, what, name);
}

// Read "outputs": 2 or {"tip_x": 2, ...}; those not named are `absent`.
static int read_list(const session* s, const cJSON* item, int (*find)(const td_model*, const char*),
                     int n, double absent, double* out) {
  for (int i = 0; i < n; i++) out[i] = cJSON_IsNumber(item) ? item->valuedouble : absent;
  if (cJSON_IsNumber(item)) return CODE_DONE;
  if (!cJSON_IsObject(item)) return bad(s, "a number or an object is wanted for", item->string);
  const cJSON* one;
  cJSON_ArrayForEach(one, item) {
    const int i = find(s->model, one->string);
    if (i < 0 || i >= n) return bad(s, "the model has no", one->string);
    if (!cJSON_IsNumber(one)) return bad(s, "a number is wanted for", one->string);
    out[i] = one->valuedouble;
  }
  return CODE_DONE;
}

// Read "states": {"q": 1, "v": 0}.
static int read_states(const session* s, const cJSON* item, weights* w) {
  const cJSON* one;
  if (!cJSON_IsObject(item)) return bad(s, "an object with q and v is wanted for", item->string);
  cJSON_ArrayForEach(one, item) {
    double* to = strcmp(one->string, "q") == 0   ? &w->q
                 : strcmp(one->string, "v") == 0 ? &w->v
                                                 : NULL;
    if (!to) return bad(s, "states have q and v, not", one->string);
    if (!cJSON_IsNumber(one)) return bad(s, "a number is wanted for", one->string);
    *to = one->valuedouble;
  }
  return CODE_DONE;
}

// Read one member of the file into w, by its name; an unknown member is refused.  Returns the exit
// code.
static int read_member(const session* s, const cJSON* item, weights* w) {
  const char* name = item->string;
  const int ny = s->n.nsensor, nu = s->n.nu;
  if (strcmp(name, "outputs") == 0)
    return read_list(s, item, td_model_sensor_find, ny, 0, w->outputs);
  if (strcmp(name, "noise") == 0) return read_list(s, item, td_model_sensor_find, ny, 1, w->noise);
  if (strcmp(name, "inputs") == 0) return read_list(s, item, td_model_input_find, nu, 1, w->inputs);
  if (strcmp(name, "process") == 0)
    return read_list(s, item, td_model_input_find, nu, 0, w->process);
  if (strcmp(name, "states") == 0) return read_states(s, item, w);
  if (strcmp(name, "drift") != 0) return bad(s, "unknown member", name);
  if (!cJSON_IsNumber(item)) return bad(s, "a number is wanted for", name);
  w->drift = item->valuedouble;
  return CODE_DONE;
}

// Read the file of --weights.
static int read_file(const session* s, weights* w) {
  int code = CODE_DONE;
  char* text = text_of_file(s->opt->weights, &code);
  if (!text) return code;
  cJSON* root = cJSON_Parse(text);
  free(text);
  if (!cJSON_IsObject(root)) code = complain(CODE_FILE, "%s: not a JSON object", s->opt->weights);
  const cJSON* item;
  if (code == CODE_DONE)
    cJSON_ArrayForEach(item, root) if (code == CODE_DONE) code = read_member(s, item, w);
  cJSON_Delete(root);
  return code;
}

// Check that weights are finite and positive, or not negative.
static int check(const session* s, const double* list, int n, bool positive, const char* what,
                 const char* (*name)(const td_model*, int)) {
  for (int i = 0; i < n; i++) {
    if (isfinite(list[i]) && (positive ? list[i] > 0 : list[i] >= 0)) continue;
    return complain(CODE_FILE, "%s of '%s' must be %s, got %g", what, name(s->model, i),
                    positive ? "positive" : "zero or positive", list[i]);
  }
  return CODE_DONE;
}

// Refuse or drop weights of outputs that inputs change at once, which would weigh inputs and states
// together.
static int check_direct(const session* s, weights* w, const td_linear* l) {
  for (int i = 0; i < l->ny; i++) {
    bool direct = false;
    for (int j = 0; j < l->nu; j++) direct = direct || l->D[i * l->nu + j] != 0;
    if (!direct || w->outputs[l->output[i]] == 0) continue;
    if (s->opt->weights)
      return complain(CODE_USE,
                      "output '%s' answers inputs at once and cannot be weighed: give it 0",
                      td_model_sensor_name(s->model, l->output[i]));
    w->outputs[l->output[i]] = 0;
  }
  return CODE_DONE;
}

// M (n x n) += w r r'
static void add_square(double* M, int n, double w, const double* r, int stride) {
  for (int i = 0; w != 0 && i < n; i++)
    for (int j = 0; r[i * stride] != 0 && j < n; j++)
      M[i * n + j] += r[i * stride] * w * r[j * stride];
}

// Q = C'Wy C + basis' diag(q, v) basis,  W = B Wu B' + drift on the velocities
static void fill(const td_linear* l, const weights* w, int nv, double* Q, double* R, double* W,
                 double* V) {
  const int n = l->nx, nu = l->nu, ny = l->ny;
  for (int k = 0; k < ny; k++) add_square(Q, n, w->outputs[l->output[k]], l->C + k * n, 1);
  for (int k = 0; k < 2 * nv; k++) add_square(Q, n, k < nv ? w->q : w->v, l->basis + k * n, 1);
  for (int i = n / 2; i < n; i++) W[i * n + i] = w->drift;
  for (int k = 0; k < nu; k++) add_square(W, n, w->process[k], l->B + k, nu);

  // R and V are diagonal
  for (int i = 0; i < nu; i++) R[i * nu + i] = w->inputs[i];
  for (int i = 0; i < ny; i++) V[i * ny + i] = w->noise[l->output[i]];
}

// Set the weights of a linear design from --weights, or 1 for every output and input.
int linear_weights(const session* s, const td_linear* l, double* Q, double* R, double* W,
                   double* V) {
  const int ny = s->n.nsensor, nu = l->nu;
  double* block = malloc(sizeof *block * (2 * (size_t)(ny + nu) + 1));
  if (!block) return complain(CODE_NUMERICS, "out of memory");
  weights w = {block, block + ny, block + 2 * ny, block + 2 * ny + nu, 0, 0, 0};
  for (int i = 0; i < 2 * (ny + nu); i++) block[i] = 1;
  if (ny == 0) w.q = 1;
  int code = s->opt->weights ? read_file(s, &w) : CODE_DONE;

  // inputs and noise must be positive, the others may be zero
  const td_sizes* n = &s->n;
  if (!code) code = check(s, w.inputs, n->nu, true, "the weight", td_model_input_name);
  if (!code) code = check(s, w.process, n->nu, false, "the process noise", td_model_input_name);
  if (!code) code = check(s, w.outputs, n->nsensor, false, "the weight", td_model_sensor_name);
  if (!code) code = check(s, w.noise, n->nsensor, true, "the noise", td_model_sensor_name);
  const double rest[] = {w.q, w.v, w.drift};
  for (int i = 0; !code && i < 3; i++)
    if (!isfinite(rest[i]) || rest[i] < 0)
      code = complain(CODE_FILE, "weights of states and the drift must be zero or positive, got %g",
                      rest[i]);

  if (code == CODE_DONE) code = check_direct(s, &w, l);
  if (code == CODE_DONE) fill(l, &w, s->n.nv, Q, R, W, V);
  free(block);
  return code;
}
