// Accesses to the work of one thread: parameters, results, load factor, and the text of a failure.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "engine/stages.h"

// Give a parameter a value without checking the rules of its fields.
void td_work_put_param(const td_model* m, td_work* w, int param, double value) {
  w->vars[m->param[param].var] = value;
  w->dirty = true;
}

// Value of a parameter, NaN when it does not exist.
double td_work_param(const td_model* m, const td_work* w, int param) {
  if (!model_works(m, w) || param < 0 || param >= m->nparam) return (double)NAN;
  return w->vars[m->param[param].var];
}

const double* td_work_vdot(const td_work* w) { return w ? w->vdot : NULL; }

const double* td_work_lambda(const td_work* w) { return w ? w->lambda : NULL; }

// Copy the flags of the last evaluation.
void td_work_flags_into(const td_work* w, td_flags* flags, size_t size) {
  const td_flags none = {0};
  struct_into(flags, size, w ? &w->flags : &none, sizeof none);
}

const char* td_work_failure(const td_work* w) { return w ? w->failure : ""; }

void td_set_load(td_work* w, double scale) { w->load = scale; }

// Leave the text of a failure.
void td_work_fail(td_work* w, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(w->failure, sizeof w->failure, format, args);
  va_end(args);
}

// TD_OK when all rows x cols numbers are finite; otherwise the failure names the first that is not.
td_status td_finite(const td_model* m, td_work* w, const char* what,
                    const char* (*name)(const td_model*, int), const double* x, int rows,
                    int cols) {
  double sum = 0;  // of zeros, unless a number is not finite
  for (size_t k = 0, n = (size_t)rows * (size_t)cols; k < n; k++) sum += 0 * x[k];
  if (sum == 0) return TD_OK;

  // name the first that is not
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) {
      const double one = x[(size_t)i * (size_t)cols + (size_t)j];
      if (isfinite(one)) continue;
      const char* text = isnan(one) ? "not a number (nan)" : one > 0 ? "inf" : "-inf";
      if (!name)
        td_work_fail(w, "%s is %s in row %d, column %d", what, text, i + 1, j + 1);
      else
        td_work_fail(w, "%s %s is %s", what, name(m, i), text);
      return TD_E_INFINITE;
    }
  return TD_OK;
}
