// Utilities that every folder needs: forwarding of a status, contracts, growable memory, strings.
#ifndef TD_BASE_H
#define TD_BASE_H

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tendril/tendril.h"

// Forward a failure to the caller.
#define TD_TRY(call)                                  \
  do {                                                \
    const td_status td_try_status = (call);           \
    if (td_try_status != TD_OK) return td_try_status; \
  } while (0)

#if defined(__GNUC__)
#define TD_PRINTF(text_at, first) __attribute__((format(printf, text_at, first)))
#else
#define TD_PRINTF(text_at, first)
#endif

// Contract that is also checked in release builds, where continuing would corrupt memory.
static inline void require(bool ok) {
  if (!ok) abort();
}

// True if all n numbers are finite: 0 times a finite number is 0.
static inline bool are_finite(const double* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += 0 * x[i];
  return sum == 0;
}
static inline int min_int(int a, int b) { return a < b ? a : b; }
static inline int max_int(int a, int b) { return a > b ? a : b; }

// Root of the set that contains i, where up[i] leads from each member to another one and from a
// root to itself (union-find with path halving).
static inline int set_root(int* up, int i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

// ---- structs that grow (tendril.h has the rules) ----------------------------------------------

// Size in bytes that no public struct reaches: a larger `size` was never set.
enum { STRUCT_LIMIT = 4096 };

// Copy the library's struct `own` (n bytes) to a caller who knows `size` bytes of it: later members
// are omitted for an older caller and zero for a newer one.  False: no struct has that size, and
// nothing is written.
static inline bool struct_into(void* out, size_t size, const void* own, size_t n) {
  if (!out || size == 0 || size > STRUCT_LIMIT) return false;
  memcpy(out, own, size < n ? size : n);
  if (size > n) memset((char*)out + n, 0, size - n);
  return true;
}

// Copy the options of a caller into `own` (n bytes), which holds the defaults of this version: they
// stay where the caller is older and does not know a member, and everywhere if `given` is NULL.
// TD_E_USAGE, and `own` is unchanged, if no struct has the given size or a newer caller sets a
// member that is not known here.
td_status td_options_take(const void* given, void* own, size_t n);
extern const char td_options_refused[];  // message for TD_E_USAGE

// Make room for `need` elements of `size` bytes: returns the (possibly moved) block and updates
// *cap, or NULL and leaves the old block as it is.
void* td_grow(void* block, int* cap, int need, size_t size);

// Copy of n bytes of text with a terminating zero; NULL when out of memory.
char* td_strndup(const char* text, size_t n);
char* td_strdup(const char* text);

// Text under construction.  Zero-initialise; `failed` becomes true when memory runs out and stays
// so
typedef struct td_text {
  char* s;
  int n, cap;
  bool failed;
} td_text;
void td_text_add(td_text* text, const char* s);
void td_text_addn(td_text* text, const char* s, int n);
void td_text_printf(td_text* text, const char* format, ...) TD_PRINTF(2, 3);
void td_text_free(td_text* text);

// Edit distance with transpositions, at most `limit` + 1.
int td_edit_distance(const char* a, const char* b, int limit);

#endif
