#include "check.h"

double check_random(uint64_t* seed) {
  uint64_t z = (*seed += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return (double)(int64_t)z / 9223372036854775808.0;
}

// With TENDRIL_CLOSE=FILE every bound that was met by less than a factor 3 leaves a line there:
// another processor rounds otherwise, and may miss it.
static void note_close(const char* what, double error, double tol, const char* file, int line) {
  const char* path = getenv("TENDRIL_CLOSE");
  if (path == NULL || 3 * error <= tol || tol == 0) return;
  FILE* f = fopen(path, "a");
  if (f == NULL) return;
  fprintf(f, "%s:%d: %s: error %.3g, tolerance %.3g\n", file, line, what, error, tol);
  fclose(f);
}

void check_near_at(double got, double want, double tol, const char* what, const char* file,
                   int line) {
  const double scale = fmax(1, fabs(want));
  note_close(what, fabs(got - want), tol * scale, file, line);
  if (fabs(got - want) <= tol * scale) return;
  print_error("%s = %.17g, expected %.17g, off by %.3g (tolerance %.3g)\n", what, got, want,
              fabs(got - want), tol * scale);
  _fail(file, line);
}

void check_reached_at(const char* what, double error, double tol, const char* file, int line) {
  printf("%s: error %.2e (tolerance %.0e)\n", what, error, tol);
  note_close(what, error, tol, file, line);
  if (error <= tol) return;
  _fail(file, line);
}

bool check_directory(char* path, size_t size) {
  const char* place = getenv("TMPDIR");
  const int n = snprintf(path, size, "%s/tendril_test_XXXXXX", place && *place ? place : "/tmp");
  return n > 0 && (size_t)n < size && mkdtemp(path) != NULL;
}
