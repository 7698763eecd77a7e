// Points of a sweep: grids and lists as users write them, samples over ranges, tables.
//
// Samples are drawn in the unit cube and stretched to the ranges, x = low + u (high - low) or, by
// factors, low (high/low)^u.  A Latin hypercube [mckay1979] has one point in each of n equal slices
// of every axis.  For indices there are two samples A and B of n points, the coordinates of one
// sample of 2 d axes, and beside each A_i, B_i the d points that have the coordinates of A_i but
// one of B_i [saltelli2010].
#include "solve/ensemble/points.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "math/random.h"
#include "solve/ensemble/sobol.h"

static const char* const sampling_words[TD_SAMPLING_COUNT] = {"sobol", "lhs", "random"};

td_sampling td_sampling_named(const char* word) {
  for (int i = 0; word && i < TD_SAMPLING_COUNT; i++)
    if (strcmp(word, sampling_words[i]) == 0) return (td_sampling)i;
  return TD_SAMPLING_COUNT;
}

td_points* td_points_new(void) { return calloc(1, sizeof(td_points)); }

static void axis_free(points_axis* a) {
  for (int i = 0; a->words && i < a->n; i++) free(a->words[i]);
  free(a->words);
  free(a->values);
  free(a->name);
}

void td_points_free(td_points* p) {
  if (!p) return;
  for (int i = 0; i < p->naxis; i++) axis_free(&p->axis[i]);
  free(p->axis);
  free(p->x);
  free(p);
}

int td_points_count(const td_points* p) { return p ? p->n : 0; }
int td_points_axes(const td_points* p) { return p ? p->naxis : 0; }
const char* td_points_name(const td_points* p, int axis) {
  return p && axis >= 0 && axis < p->naxis ? p->axis[axis].name : NULL;
}

// Number of the value of a grid's axis at a point: the last axis varies fastest.
static int grid_index(const td_points* p, int point, int axis) {
  for (int j = p->naxis - 1; j > axis; j--) point /= p->axis[j].n;
  return point % p->axis[axis].n;
}

static bool is_there(const td_points* p, int point, int axis) {
  return p && point >= 0 && point < p->n && axis >= 0 && axis < p->naxis;
}

double td_points_value(const td_points* p, int point, int axis) {
  if (!is_there(p, point, axis)) return NAN;
  if (p->kind != POINTS_GRID) return p->x[(size_t)point * (size_t)p->naxis + (size_t)axis];
  const points_axis* a = &p->axis[axis];
  return a->values ? a->values[grid_index(p, point, axis)] : NAN;
}

const char* td_points_word(const td_points* p, int point, int axis) {
  if (!is_there(p, point, axis) || p->kind != POINTS_GRID || !p->axis[axis].words) return NULL;
  return p->axis[axis].words[grid_index(p, point, axis)];
}

// ---- reading ----------------------------------------------------------------------------------

// Read a finite number that is the whole text but for blanks around it.
static bool number_of(const char* s, const char* end, double* x) {
  char text[64], *stop;
  while (s < end && isspace((unsigned char)*s)) s++;
  while (end > s && isspace((unsigned char)end[-1])) end--;
  if (end == s || end - s >= (long)sizeof text) return false;
  memcpy(text, s, (size_t)(end - s));
  text[end - s] = '\0';
  *x = strtod(text, &stop);
  return *stop == '\0' && isfinite(*x);
}

// Take off "log" at the end.
static bool ends_in_log(const char* s, const char** end) {
  if (*end - s < 3 || strncmp(*end - 3, "log", 3) != 0) return false;
  *end -= 3;
  return true;
}

// Read "low:high" with low < high, both positive where they count by factors.
static td_status read_range(const char* s, const char* end, points_axis* a, char* message,
                            size_t size) {
  const char* colon = memchr(s, ':', (size_t)(end - s));
  if (!colon || !number_of(s, colon, &a->low) || !number_of(colon + 1, end, &a->high)) {
    snprintf(message, size, "%s=%.*s: a range looks like 1e5:1e6", a->name, (int)(end - s), s);
    return TD_E_USAGE;
  }
  if (!(a->low < a->high)) {
    snprintf(message, size, "%s: the range must ascend, got %g:%g%s", a->name, a->low, a->high,
             a->low > a->high ? "; write the smaller end first" : "");
    return TD_E_USAGE;
  }
  if (a->logarithmic && !(a->low > 0)) {
    snprintf(message, size, "%s: a range by factors (log) must be positive, got %g:%g", a->name,
             a->low, a->high);
    return TD_E_USAGE;
  }
  if (!isfinite(a->high - a->low)) {
    snprintf(message, size, "%s: the range %g:%g is too wide", a->name, a->low, a->high);
    return TD_E_USAGE;
  }
  return TD_OK;
}

// Read "{a,b,c}": numbers if all are numbers, else texts, without quotes around them.
static td_status read_list(const char* s, const char* end, points_axis* a, char* message,
                           size_t size) {
  if (end[-1] != '}') {
    snprintf(message, size, "%s: a list ends with '}', got '%.*s'", a->name, (int)(end - s), s);
    return TD_E_USAGE;
  }
  int count = 1;
  for (const char* c = s + 1; c < end - 1; c++) count += *c == ',';
  a->values = calloc((size_t)count, sizeof *a->values);
  a->words = calloc((size_t)count, sizeof *a->words);
  if (!a->values || !a->words) return TD_E_NOMEM;

  bool numbers = true;
  for (const char* item = s + 1; item <= end - 1;) {
    const char* stop = memchr(item, ',', (size_t)(end - 1 - item));
    if (!stop) stop = end - 1;
    const char *first = item, *last = stop;
    while (first < last && isspace((unsigned char)*first)) first++;
    while (last > first && isspace((unsigned char)last[-1])) last--;
    if (last - first >= 2 && (*first == '\'' || *first == '"') && last[-1] == *first)
      first++, last--, numbers = false;
    if (first == last) {
      snprintf(message, size, "%s: a list must not be empty, nor have empty items, got '%.*s'",
               a->name, (int)(end - s), s);
      return TD_E_USAGE;
    }
    numbers = number_of(first, last, &a->values[a->n]) && numbers;
    a->words[a->n] = td_strndup(first, (size_t)(last - first));
    if (!a->words[a->n++]) return TD_E_NOMEM;
    item = stop + 1;
  }

  // one of both
  if (numbers) {
    for (int i = 0; i < a->n; i++) free(a->words[i]);
    free(a->words);
    a->words = NULL;
  } else {
    free(a->values);
    a->values = NULL;
  }
  return TD_OK;
}

// Read "1e5:1e6/20" or "1e5:1e6/20log": equally many values, the last of them exactly.
static td_status read_steps(const char* s, const char* end, points_axis* a, char* message,
                            size_t size) {
  const char *whole = end, *slash = memchr(s, '/', (size_t)(end - s));
  double count;
  a->logarithmic = ends_in_log(s, &end);
  if (!slash || !number_of(slash + 1, end, &count)) {
    snprintf(message, size,
             "%s=%.*s: values look like 1e5:1e6/20 (20 of them), 1e5:1e6/20log (by factors) or "
             "{2,3,4}",
             a->name, (int)(whole - s), s);
    return TD_E_USAGE;
  }
  if (count != floor(count) || count < 2 || count > TD_MOST_POINTS) {
    snprintf(message, size, "%s: the number of values must be whole, from 2 to %d, got %g", a->name,
             TD_MOST_POINTS, count);
    return TD_E_USAGE;
  }
  TD_TRY(read_range(s, slash, a, message, size));
  a->n = (int)count;
  a->values = malloc(sizeof(double) * (size_t)a->n);
  if (!a->values) return TD_E_NOMEM;
  for (int i = 0; i < a->n; i++) {
    const double u = (double)i / (a->n - 1);
    a->values[i] =
        a->logarithmic ? a->low * pow(a->high / a->low, u) : a->low + u * (a->high - a->low);
  }
  a->values[a->n - 1] = a->high;
  return TD_OK;
}

// End of the axis that begins at s: the next comma outside braces, or the end of the text.
static const char* axis_end(const char* s) {
  bool inside = false;
  for (; *s && (*s != ',' || inside); s++) inside = *s == '{' || (inside && *s != '}');
  return s;
}

// Append an axis with the name before '=' (or the whole text); refuses names that occur twice.
static td_status add_axis(td_points* p, const char* s, const char* end, char* message,
                          size_t size) {
  while (s < end && isspace((unsigned char)*s)) s++;
  const char* stop = s;
  while (stop < end && *stop != '=') stop++;
  while (stop > s && isspace((unsigned char)stop[-1])) stop--;
  if (stop == s) {
    snprintf(message, size, "a name of a param or input is missing in '%.*s'", (int)(end - s), s);
    return TD_E_USAGE;
  }
  for (int i = 0; i < p->naxis; i++) {
    if (strlen(p->axis[i].name) != (size_t)(stop - s) ||
        strncmp(p->axis[i].name, s, (size_t)(stop - s)) != 0)
      continue;
    snprintf(message, size, "'%s' is given twice", p->axis[i].name);
    return TD_E_USAGE;
  }
  points_axis* grown = td_grow(p->axis, &p->cap, p->naxis + 1, sizeof *grown);
  if (!grown) return TD_E_NOMEM;
  p->axis = grown;
  p->axis[p->naxis] = (points_axis){.name = td_strndup(s, (size_t)(stop - s))};
  return p->axis[p->naxis++].name ? TD_OK : TD_E_NOMEM;
}

// Remove the axes behind the first n, and report the failure.
static td_status back_to(td_points* p, int n, td_status status, char* message, size_t size) {
  while (p->naxis > n) axis_free(&p->axis[--p->naxis]);
  if (n == 0) p->kind = POINTS_NONE;
  if (status == TD_E_NOMEM) snprintf(message, size, "%s", td_status_text(status));
  return status;
}

// Refuse points of two kinds in one sweep; only grids may be added to.
static td_status begin(td_points* p, points_kind kind, char* message, size_t size) {
  if (p->kind == POINTS_NONE || (p->kind == kind && (kind == POINTS_GRID || p->n == 0))) {
    p->kind = kind;
    return TD_OK;
  }
  snprintf(message, size, "points are a grid, a sample or a table: one of them, once");
  return TD_E_USAGE;
}

td_status td_points_vary(td_points* p, const char* text, char* message, size_t size) {
  if (!p || !text || !message || size == 0) return TD_E_USAGE;
  message[0] = '\0';
  TD_TRY(begin(p, POINTS_GRID, message, size));
  const int before = p->naxis;
  for (const char* s = text;; s++) {
    const char* end = axis_end(s);
    td_status status = add_axis(p, s, end, message, size);
    const char* value = memchr(s, '=', (size_t)(end - s));
    value = value ? value + 1 : end;
    while (value < end && isspace((unsigned char)*value)) value++;
    if (status == TD_OK)
      status = (value < end && *value == '{' ? read_list : read_steps)(
          value, end, &p->axis[p->naxis - 1], message, size);
    if (status != TD_OK) return back_to(p, before, status, message, size);
    if (*(s = end) == '\0') break;
  }

  // their number
  double n = 1;
  for (int i = 0; i < p->naxis; i++) n *= p->axis[i].n;
  if (n > TD_MOST_POINTS) {
    snprintf(message, size, "the grid has %.6g points, more than %d", n, TD_MOST_POINTS);
    return back_to(p, before, TD_E_USAGE, message, size);
  }
  p->n = (int)n;
  return TD_OK;
}

td_status td_points_over(td_points* p, const td_model* model, const char* text, char* message,
                         size_t size) {
  if (!p || !model || !text || !message || size == 0) return TD_E_USAGE;
  message[0] = '\0';
  TD_TRY(begin(p, POINTS_SAMPLE, message, size));
  const int before = p->naxis;
  for (const char* s = text;; s++) {
    const char *end = axis_end(s), *equals = memchr(s, '=', (size_t)(end - s));
    td_status status = add_axis(p, s, end, message, size);
    if (status == TD_OK && equals) {
      points_axis* a = &p->axis[p->naxis - 1];
      const char* stop = end;
      a->logarithmic = ends_in_log(equals + 1, &stop);
      status = read_range(equals + 1, stop, a, message, size);
    } else if (status == TD_OK) {
      // the range that the model writes
      points_axis* a = &p->axis[p->naxis - 1];
      double range[2] = {NAN, NAN};
      const int param = td_model_param_find(model, a->name);
      const int input = td_model_input_find(model, a->name);
      if (param >= 0) td_model_param_range(model, param, range, &a->logarithmic);
      if (input >= 0) td_model_input_range(model, input, range);
      a->low = range[0];
      a->high = range[1];
      if (param >= 0 || input >= 0) status = isfinite(a->low + a->high) ? TD_OK : TD_E_USAGE;
      if (status != TD_OK)
        snprintf(message, size,
                 "'%s' has no range to sample: write %s('%s', value, [low high]) in the model, or "
                 "--over %s=low:high",
                 a->name, input >= 0 ? "input" : "param", a->name, a->name);
    }
    if (status != TD_OK) return back_to(p, before, status, message, size);
    if (*(s = end) == '\0') return TD_OK;
  }
}

// ---- samples ----------------------------------------------------------------------------------

// Fill column j of u (n rows, `dim` columns) with numbers of [0, 1).
static td_status fill_column(td_sampling how, int n, int dim, int j, uint64_t* seed, double* u) {
  if (how == TD_SOBOL) {
    uint32_t direction[SOBOL_BITS];
    const uint32_t shift = *seed ? (uint32_t)(random_bits(seed) >> 32) : 0;
    td_sobol_directions(j, direction);
    for (int i = 0; i < n; i++)
      u[(size_t)i * (size_t)dim + (size_t)j] =
          (td_sobol_at(direction, (uint32_t)i) ^ shift) * 0x1p-32;
    return TD_OK;
  }
  if (how == TD_RANDOM) {
    for (int i = 0; i < n; i++) u[(size_t)i * (size_t)dim + (size_t)j] = random_uniform(seed);
    return TD_OK;
  }

  // a Latin hypercube: slices in random order, a random place in each
  int* slice = malloc(sizeof(int) * (size_t)n);
  if (!slice) return TD_E_NOMEM;
  for (int i = 0; i < n; i++) slice[i] = i;
  for (int i = n - 1; i > 0; i--) {
    const int k = (int)(random_bits(seed) % (uint64_t)(i + 1)), other = slice[k];
    slice[k] = slice[i];
    slice[i] = other;
  }
  for (int i = 0; i < n; i++)
    u[(size_t)i * (size_t)dim + (size_t)j] = (slice[i] + random_uniform(seed)) / n;
  free(slice);
  return TD_OK;
}

static double stretched(const points_axis* a, double u) {
  return a->logarithmic ? fmin(a->low * pow(a->high / a->low, u), a->high)
                        : a->low + u * (a->high - a->low);
}

td_status td_points_sample(td_points* p, td_sampling how, int n, unsigned long long seed,
                           bool indices, char* message, size_t size) {
  if (!p || !message || size == 0 || (unsigned)how >= TD_SAMPLING_COUNT) return TD_E_USAGE;
  message[0] = '\0';
  TD_TRY(begin(p, POINTS_SAMPLE, message, size));
  const int d = p->naxis, dim = indices ? 2 * d : d, each = indices ? d + 2 : 1;
  if (d == 0) {
    snprintf(message, size, "a sample needs the names it varies");
    return TD_E_USAGE;
  }
  if (n < 1 || (double)n * each > TD_MOST_POINTS) {
    snprintf(message, size, "the number of points must be from 1 to %d, got %.9g%s", TD_MOST_POINTS,
             (double)n * each, indices ? ", axes + 2 for each of the sample" : "");
    return TD_E_USAGE;
  }
  if (how == TD_SOBOL && dim > TD_SOBOL_DIMENSIONS) {
    snprintf(message, size,
             "the sequence of Sobol has %d dimensions, %d are wanted%s; lhs and "
             "random have any number",
             TD_SOBOL_DIMENSIONS, dim, indices ? " (two for each name, for indices)" : "");
    return TD_E_USAGE;
  }

  // the unit cube, then its points stretched and combined
  double* u = malloc(sizeof(double) * (size_t)n * (size_t)dim);
  p->x = malloc(sizeof(double) * (size_t)n * (size_t)each * (size_t)d);
  td_status status = u && p->x ? TD_OK : TD_E_NOMEM;
  uint64_t state = seed;
  for (int j = 0; status == TD_OK && j < dim; j++) status = fill_column(how, n, dim, j, &state, u);
  for (int i = 0; status == TD_OK && i < n; i++) {
    const double *A = u + (size_t)i * (size_t)dim, *B = A + d;
    double* x = p->x + (size_t)i * (size_t)each * (size_t)d;
    for (int k = 0; k < each; k++)
      for (int j = 0; j < d; j++)
        *x++ = stretched(&p->axis[j], k == 1 || (k > 1 && j == k - 2) ? B[j] : A[j]);
  }
  free(u);
  if (status != TD_OK) {
    free(p->x);
    p->x = NULL;
    snprintf(message, size, "%s", td_status_text(status));
    return status;
  }
  p->n = n * each;
  p->base = indices ? n : 0;
  return TD_OK;
}

td_status td_points_table(td_points* p, int rows, int cols, const char* const* names,
                          const double* values, char* message, size_t size) {
  if (!p || !message || size == 0 || !names || !values || rows < 1 || cols < 1) return TD_E_USAGE;
  message[0] = '\0';
  TD_TRY(begin(p, POINTS_TABLE, message, size));
  if (rows > TD_MOST_POINTS) {
    snprintf(message, size, "the table has %d points, more than %d", rows, TD_MOST_POINTS);
    return TD_E_USAGE;
  }
  td_status status = TD_OK;
  for (int j = 0; status == TD_OK && j < cols; j++)
    status =
        names[j] ? add_axis(p, names[j], names[j] + strlen(names[j]), message, size) : TD_E_USAGE;
  for (int i = 0; status == TD_OK && i < rows; i++)
    for (int j = 0; status == TD_OK && j < cols; j++)
      if (!isfinite(values[(size_t)i * (size_t)cols + (size_t)j])) {
        snprintf(message, size, "point %d of the table has no number for '%s'", i + 1, names[j]);
        status = TD_E_USAGE;
      }
  const size_t bytes = sizeof(double) * (size_t)rows * (size_t)cols;
  if (status == TD_OK && !(p->x = malloc(bytes))) status = TD_E_NOMEM;
  if (status != TD_OK) return back_to(p, 0, status, message, size);
  memcpy(p->x, values, bytes);
  p->n = rows;
  return TD_OK;
}
