// Numbers of the published GVS toolbox, and the one place where its convention becomes ours.
//
//              theirs                                       ours
//   rod        along local x                                along local z: x, y, z -> z, x, y
//   twists     [angular, linear]                            [translational, rotational]
//   strains    [torsion, bend y, bend z, stretch, shear y, shear z]
//                                            [shear x, shear y, stretch, bend x, bend y, twist]
//   coordinate of an angular strain: κ times the part's length         κ
//   tension    negative pulls                               positive pulls
//
// The world is the same.  Its data are found through TENDRIL_DATA; without it tests are skipped.
#ifndef TD_VERIFY_SOROSIM_H
#define TD_VERIFY_SOROSIM_H

#include <cjson/cJSON.h>

#include "check.h"

// ---- files ------------------------------------------------------------------------------------

static inline FILE* sorosim_file(const char* name) {
  const char* root = getenv("TENDRIL_DATA");
  char path[512];
  if (!root) return NULL;
  snprintf(path, sizeof path, "%s/reference/gvs/%s", root, name);
  return fopen(path, "r");
}

// A file's tree, or NULL without data.  cJSON_Delete() is the caller's.
static inline cJSON* sorosim_open(const char* name) {
  FILE* f = sorosim_file(name);
  if (!f) return NULL;
  fseek(f, 0, SEEK_END);
  const size_t size = (size_t)ftell(f);
  char* text = calloc(size + 1, 1);
  rewind(f);
  assert_int_equal(fread(text, 1, size, f), size);
  fclose(f);
  cJSON* root = cJSON_Parse(text);
  free(text);
  assert_non_null(root);
  return root;
}

static inline int numbers_of(const cJSON* node, double* out, int n) {
  const cJSON* item;
  if (cJSON_IsNumber(node)) {
    out[n++] = node->valuedouble;
    return n;
  }
  cJSON_ArrayForEach(item, node) n = numbers_of(item, out, n);
  return n;
}
static inline int count_of(const cJSON* node) {
  const cJSON* item;
  int n = 0;
  if (cJSON_IsNumber(node)) return 1;
  cJSON_ArrayForEach(item, node) n += count_of(item);
  return n;
}

// All numbers of a list of lists in order; to be freed.
static inline double* sorosim_numbers(const cJSON* node, const char* name) {
  const cJSON* list = cJSON_GetObjectItemCaseSensitive(node, name);
  assert_non_null(list);
  double* x = calloc((size_t)count_of(list) + 1, sizeof(double));
  numbers_of(list, x, 0);
  return x;
}
static inline double sorosim_number(const cJSON* node, const char* name) {
  return cJSON_GetObjectItemCaseSensitive(node, name)->valuedouble;
}
static inline const cJSON* sorosim_item(const cJSON* node, const char* list, int i) {
  return cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(node, list), i);
}

// ---- vectors, twists, poses -------------------------------------------------------------------

// Their component that is ours number i of [x y z | rx ry rz].
static const int sorosim_axis[6] = {4, 5, 3, 1, 2, 0};

static inline void sorosim_twist(const double theirs[6], double ours[6]) {
  for (int i = 0; i < 6; i++) ours[i] = theirs[sorosim_axis[i]];
}
// rows x cols matrix whose rows (and columns, when it is 6 x 6) are twist components
static inline void sorosim_rows(const double* theirs, int cols, double* ours) {
  for (int i = 0; i < 6; i++)
    memcpy(ours + i * cols, theirs + sorosim_axis[i] * cols, (size_t)cols * sizeof(double));
}
static inline void sorosim_square(const double theirs[36], double ours[36]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) ours[6 * i + j] = theirs[6 * sorosim_axis[i] + sorosim_axis[j]];
}
// Pose of a local frame in the world: its axes are renamed.
static inline void sorosim_pose(const double theirs[16], double R[9], double p[3]) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) R[3 * i + j] = theirs[4 * i + (j + 1) % 3];
    p[i] = theirs[4 * i + 3];
  }
}
// Pose between two local frames: both are renamed.
static inline void sorosim_relative(const double theirs[16], double R[9], double p[3]) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) R[3 * i + j] = theirs[4 * ((i + 1) % 3) + (j + 1) % 3];
    p[i] = theirs[4 * ((i + 1) % 3) + 3];
  }
}

// ---- coordinates ------------------------------------------------------------------------------

enum { SOROSIM_MOST = 64 };

// Our coordinate i is scale[i] times theirs number at[i].
typedef struct sorosim_map {
  int n, at[SOROSIM_MOST];
  double scale[SOROSIM_MOST];
} sorosim_map;

static inline void map_add(sorosim_map* m, int theirs, double scale) {
  assert_true(m->n < SOROSIM_MOST);
  m->at[m->n] = theirs;
  m->scale[m->n++] = scale;
}
// A part of a rod: count[d] functions of each of their strains, from their coordinate `first` on.
static inline void map_part(sorosim_map* m, int first, const int count[6], double length) {
  for (int i = 0; i < 6; i++) {
    const int theirs = sorosim_axis[i];
    int at = first;
    for (int d = 0; d < theirs; d++) at += count[d];
    for (int k = 0; k < count[theirs]; k++) map_add(m, at + k, theirs < 3 ? 1 / length : 1);
  }
}
// positions, velocities, accelerations
static inline void map_motion(const sorosim_map* m, const double* theirs, double* ours) {
  for (int i = 0; i < m->n; i++) ours[i] = m->scale[i] * theirs[m->at[i]];
}
// generalised forces
static inline void map_force(const sorosim_map* m, const double* theirs, double* ours) {
  for (int i = 0; i < m->n; i++) ours[i] = theirs[m->at[i]] / m->scale[i];
}
// Square matrices whose rows and columns are of these kinds: force/motion, motion/motion.
static inline void map_mass(const sorosim_map* m, const double* theirs, double* ours) {
  for (int i = 0; i < m->n; i++)
    for (int j = 0; j < m->n; j++)
      ours[i * m->n + j] = theirs[m->at[i] * m->n + m->at[j]] / (m->scale[i] * m->scale[j]);
}
static inline void map_rates(const sorosim_map* m, const double* theirs, double* ours) {
  for (int i = 0; i < m->n; i++)
    for (int j = 0; j < m->n; j++)
      ours[i * m->n + j] = theirs[m->at[i] * m->n + m->at[j]] * m->scale[i] / m->scale[j];
}
// Rows that are multiplied with velocities, their columns of ours.
static inline void map_columns(const sorosim_map* m, int rows, const double* theirs, double* ours) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < m->n; j++) ours[i * m->n + j] = theirs[i * m->n + m->at[j]] / m->scale[j];
}

// ---- comparison -------------------------------------------------------------------------------

// Largest difference relative to the largest number.
static inline double sorosim_error(const double* got, const double* want, int n) {
  double worst = 0, size = 0;
  for (int i = 0; i < n; i++) {
    worst = fmax(worst, fabs(got[i] - want[i]));
    size = fmax(size, fabs(want[i]));
    if (!isfinite(got[i])) worst = INFINITY;
  }
  return size > 0 ? worst / size : worst;
}

#endif
