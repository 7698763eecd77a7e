// Reading lqr.json, as written by `tendril lqr`, and checking it against a model.
#include "io/gains.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"

#define FILE_LIMIT (64 << 20)  // bytes

// A file while it is read.
typedef struct reader {
  const cJSON* root;
  const char* path;
  char* message;
  size_t size;
} reader;

static td_status complain(const reader* r, const char* what, const char* name) {
  snprintf(r->message, r->size, "%s: %s '%s'", r->path, what, name);
  return TD_E_IO;
}

// Read n finite numbers.
static td_status read_vector(const reader* r, const cJSON* list, const char* name, int n,
                             double* out) {
  if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != n)
    return complain(r, "numbers that fit the model are wanted for", name);
  const cJSON* item;
  cJSON_ArrayForEach(item, list) {
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
      return complain(r, "numbers are wanted for", name);
    *out++ = item->valuedouble;
  }
  return TD_OK;
}

// Read a member into a new array, rows x cols; cols = 0: a vector of `rows`.
static td_status read_array(const reader* r, const char* name, int rows, int cols, double** out) {
  const cJSON* list = cJSON_GetObjectItemCaseSensitive(r->root, name);
  *out = calloc((size_t)rows * (size_t)max_int(cols, 1) + 1, sizeof(double));
  if (!*out) return TD_E_NOMEM;
  if (cols == 0) return read_vector(r, list, name, rows, *out);
  if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != rows)
    return complain(r, "a matrix that fits the model is wanted for", name);
  const cJSON* row;
  int i = 0;
  cJSON_ArrayForEach(row, list)
      TD_TRY(read_vector(r, row, name, cols, *out + (size_t)(i++) * (size_t)cols));
  return TD_OK;
}

// Check that the inputs of the file are those of the model, in order.
static td_status check_inputs(const reader* r, const td_model* model, int n) {
  const char* member = "inputs";
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(r->root, member), *item;
  if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != n)
    return complain(r, "the model has others than these", member);
  int i = 0;
  cJSON_ArrayForEach(item, list) {
    if (!cJSON_IsString(item) || strcmp(item->valuestring, td_model_input_name(model, i++)) != 0)
      return complain(r, "the model has others than these", member);
  }
  return TD_OK;
}

// Find the sensor of each output; sets ny.
static td_status read_outputs(const reader* r, const td_model* model, td_gains* g) {
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(r->root, "outputs"), *item;
  const int n = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : -1;
  if (n < 0 || n > td_model_sizes(model).nsensor)
    return complain(r, "the model has others than these", "outputs");
  g->output = calloc((size_t)n + 1, sizeof(int));
  if (!g->output) return TD_E_NOMEM;
  cJSON_ArrayForEach(item, list) {
    const int k = cJSON_IsString(item) ? td_model_sensor_find(model, item->valuestring) : -1;
    if (k < 0) return complain(r, "the model has others than these", "outputs");
    g->output[g->ny++] = k;
  }
  return TD_OK;
}

// Read all members, whose sizes follow from the model and nx.
static td_status read_all(const reader* r, const td_model* model, td_gains* g) {
  const td_sizes n = td_model_sizes(model);
  const cJSON* nx = cJSON_GetObjectItemCaseSensitive(r->root, "nx");
  if (!cJSON_IsNumber(nx) || !(nx->valuedouble >= 0 && nx->valuedouble <= 2 * n.nv + n.nz))
    return complain(r, "no linear model: wrong", "nx");
  g->nx = (int)nx->valuedouble;
  g->nu = n.nu;

  // inputs and outputs by name
  TD_TRY(check_inputs(r, model, n.nu));
  TD_TRY(read_outputs(r, model, g));

  // matrices and the point of linearisation
  TD_TRY(read_array(r, "A", g->nx, g->nx, &g->A));
  TD_TRY(read_array(r, "B", g->nx, g->nu, &g->B));
  TD_TRY(read_array(r, "C", g->ny, g->nx, &g->C));
  TD_TRY(read_array(r, "D", g->ny, g->nu, &g->D));
  TD_TRY(read_array(r, "inverse", g->nx, 2 * n.nv + n.nz, &g->inverse));
  TD_TRY(read_array(r, "q", n.nq, 0, &g->q));
  TD_TRY(read_array(r, "v", n.nv, 0, &g->v));
  TD_TRY(read_array(r, "u", n.nu, 0, &g->u));
  if (n.nz > 0) TD_TRY(read_array(r, "z", n.nz, 0, &g->z));

  // gains
  if (cJSON_HasObjectItem(r->root, "K")) TD_TRY(read_array(r, "K", g->nu, g->nx, &g->K));
  if (cJSON_HasObjectItem(r->root, "L")) TD_TRY(read_array(r, "L", g->nx, g->ny, &g->L));
  return TD_OK;
}

void td_gains_free(td_gains* g) {
  if (!g) return;
  double* const parts[] = {g->A, g->B, g->C, g->D, g->K, g->L, g->inverse, g->q, g->v, g->u, g->z};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
  free(g->output);
  free(g);
}

// Read and check a file of gains.
td_status td_gains_read(const char* path, const td_model* model, td_gains** gains, char* message,
                        size_t size) {
  *gains = NULL;
  reader r = {.path = path, .message = message, .size = size};
  char* text;
  size_t n;
  const char* why;
  if (td_file_read(path, FILE_LIMIT, &text, &n, &why) != TD_OK) {
    snprintf(message, size, "cannot read '%s'", path);
    return TD_E_IO;
  }

  // parse and check
  cJSON* root = cJSON_Parse(text);
  free(text);
  r.root = root;
  td_gains* g = calloc(1, sizeof *g);
  td_status status = !g                        ? TD_E_NOMEM
                     : !cJSON_IsObject(r.root) ? complain(&r, "not a JSON object", path)
                                               : read_all(&r, model, g);
  cJSON_Delete(root);
  if (status != TD_OK) {
    if (status == TD_E_NOMEM) snprintf(message, size, "out of memory");
    td_gains_free(g);
    return status;
  }
  *gains = g;
  return TD_OK;
}
