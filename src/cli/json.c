// Numbers and matrices for cJSON, which prints numbers without their last bits; these take the
// fewest digits that give the same number back.
#include <math.h>
#include <stdlib.h>

#include "cli/cli.h"

// A number with the fewest digits that give it back, null if it is not finite
cJSON* json_number(double x) {
  if (!isfinite(x)) return cJSON_CreateNull();
  char text[40];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, x);
    if (strtod(text, NULL) == x) break;
  }
  return cJSON_CreateRaw(text);
}

// Replace all numbers from an item on by numbers with all bits.
static void keep_bits(cJSON* item) {
  for (; item; item = item->next) {
    if (item->child) keep_bits(item->child);
    if (!cJSON_IsNumber(item)) continue;
    cJSON* number = json_number(item->valuedouble);
    if (!number) continue;
    item->valuestring = number->valuestring;
    item->type = cJSON_IsNull(number) ? cJSON_NULL : cJSON_Raw;
    number->valuestring = NULL;
    cJSON_Delete(number);
  }
}

// Size [bytes] above which a file is none of our results.
enum { READ_LIMIT = 64 << 20 };

// Read a JSON object from a file; to be freed with cJSON_Delete().  NULL: no file, too large, or no
// object.
cJSON* json_read(const char* path) {
  size_t n;
  char* text = bytes_of_file(path, READ_LIMIT, &n);
  cJSON* object = text ? cJSON_ParseWithLength(text, n) : NULL;
  free(text);
  if (cJSON_IsObject(object)) {
    keep_bits(object->child);
    return object;
  }
  cJSON_Delete(object);
  return NULL;
}

cJSON* json_vector(const double* x, int n) {
  cJSON* array = cJSON_CreateArray();
  for (int i = 0; i < n; i++) cJSON_AddItemToArray(array, json_number(x[i]));
  return array;
}

cJSON* json_matrix(const double* x, int rows, int cols) {
  cJSON* array = cJSON_CreateArray();
  for (int i = 0; i < rows; i++) {
    cJSON_AddItemToArray(array, json_vector(x + (size_t)i * (size_t)cols, cols));
  }
  return array;
}

void json_add(cJSON* object, const char* name, cJSON* item) {
  if (!cJSON_AddItemToObject(object, name, item)) cJSON_Delete(item);
}

void json_add_number(cJSON* object, const char* name, double x) {
  json_add(object, name, json_number(x));
}

// Print an object and release it.
int json_print(cJSON* object) {
  char* text = cJSON_Print(object);
  cJSON_Delete(object);
  if (!text) return complain(CODE_NUMERICS, "out of memory");
  puts(text);
  cJSON_free(text);
  return CODE_DONE;
}
