// See the header.
#include "solve/time/crossings.h"

#include <math.h>
#include <string.h>

td_status td_crossings_new(td_crossings* c, int n, void (*values)(void*, double, double*),
                           void* ctx) {
  *c = (td_crossings){.n = n, .values = values, .ctx = ctx};
  c->seen = calloc(4 * (size_t)n + 1, sizeof(double));
  c->crossed = calloc((size_t)n + 1, sizeof(int));
  if (c->seen == NULL || c->crossed == NULL) {
    td_crossings_free(c);
    return TD_E_NOMEM;
  }
  c->low = c->seen + n;
  c->middle = c->low + n;
  c->high = c->middle + n;
  return TD_OK;
}

void td_crossings_free(td_crossings* c) {
  free(c->seen);
  free(c->crossed);
  c->seen = NULL;
  c->crossed = NULL;
}

void td_crossings_begin(td_crossings* c, double t) {
  c->t = t;
  if (c->n > 0) c->values(c->ctx, t, c->seen);
}

static int direction(double from, double to) {
  if (from < 0 && to >= 0) return 1;
  return from > 0 && to <= 0 ? -1 : 0;
}

static bool any(const td_crossings* c, const double* from, const double* to) {
  for (int i = 0; i < c->n; i++)
    if (direction(from[i], to[i]) != 0) return true;
  return false;
}

// The part of the interval at which the first straight line through its ends is zero
static double secant(const td_crossings* c) {
  double x = 1;
  for (int i = 0; i < c->n; i++)
    if (direction(c->low[i], c->high[i]) != 0) x = fmin(x, c->low[i] / (c->low[i] - c->high[i]));
  return fmin(fmax(x, 0.01), 0.99);
}

// Narrow (low, high], in which something crosses: the straight line and the middle in turn
static double narrow(td_crossings* c, double low, double high, double tiny) {
  const size_t bytes = (size_t)c->n * sizeof(double);
  for (int k = 0; k < 200 && high - low > tiny; k++) {
    const double t = low + (k % 2 == 0 ? secant(c) : 0.5) * (high - low);
    if (!(t > low && t < high)) break;
    c->values(c->ctx, t, c->middle);
    const bool before = any(c, c->low, c->middle);
    memcpy(before ? c->high : c->low, c->middle, bytes);
    *(before ? &high : &low) = t;
  }
  return high;
}

// Compare signs at both ends of the interval and narrow it around the first change; crossed[i] is
// its direction.
bool td_crossings_find(td_crossings* c, double t, double tiny) {
  if (c->n == 0 || t <= c->t) return false;
  const size_t bytes = (size_t)c->n * sizeof(double);
  c->values(c->ctx, t, c->high);
  const bool found = any(c, c->seen, c->high);
  if (found) {
    memcpy(c->low, c->seen, bytes);
    t = narrow(c, c->t, t, tiny);
    for (int i = 0; i < c->n; i++) c->crossed[i] = direction(c->low[i], c->high[i]);
  }
  memcpy(c->seen, c->high, bytes);
  c->t = t;
  return found;
}
