// Status texts, growable memory, texts under construction, and the edit distance between names for
// messages that suggest what was meant.
#include "base/base.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tendril/tools.h"

// Text of a status, from the list of statuses.
const char* td_status_text(td_status status) {
  switch (status) {
#define X(name, text) \
  case TD_##name:     \
    return text;
    TD_STATUS_LIST(X)
#undef X
    case TD_STATUS_COUNT:
      break;
  }
  return "unknown status";
}

const char* td_version(void) { return TENDRIL_VERSION; }

const char td_options_refused[] =
    "the options were not made by their function _default(), or set something that this version of "
    "the library does not know";

// Copy the options of a caller over the defaults, whatever version the caller was compiled for.
td_status td_options_take(const void* given, void* own, size_t n) {
  if (!given) return TD_OK;

  // the size is the first member, and members of its alignment follow
  size_t size;
  memcpy(&size, given, sizeof size);
  if (size <= sizeof size || size > STRUCT_LIMIT || size % sizeof size != 0) return TD_E_USAGE;

  // a newer caller must not set members that are unknown here
  const char* bytes = given;
  for (size_t i = n; i < size; i++)
    if (bytes[i] != 0) return TD_E_USAGE;

  memcpy(own, given, size < n ? size : n);
  memcpy(own, &n, sizeof n);
  return TD_OK;
}

// The capacity at least doubles, so that n appends cost O(n).
void* td_grow(void* block, int* cap, int need, size_t size) {
  if (need < 0 || size == 0) return NULL;
  if (block && need <= *cap) return block;
  const int twice = *cap > INT_MAX / 2 ? INT_MAX : 2 * *cap;
  const int room = max_int(max_int(need, twice), 8);
  if ((size_t)room > SIZE_MAX / size) return NULL;

  void* grown = realloc(block, (size_t)room * size);
  if (grown) *cap = room;
  return grown;
}

// Copy n bytes and terminate them.
char* td_strndup(const char* text, size_t n) {
  if (n == SIZE_MAX) return NULL;
  char* copy = malloc(n + 1);
  if (!copy) return NULL;
  if (n > 0) memcpy(copy, text, n);
  copy[n] = '\0';
  return copy;
}

char* td_strdup(const char* text) { return td_strndup(text, strlen(text)); }

// ---- text -------------------------------------------------------------------------------------

// Make room for n more bytes and the terminating zero.
static bool text_room(td_text* text, int n) {
  if (text->failed || n < 0 || n > INT_MAX - 1 - text->n) {
    text->failed = true;
    return false;
  }
  char* s = td_grow(text->s, &text->cap, text->n + n + 1, 1);
  if (!s) {
    text->failed = true;
    return false;
  }
  text->s = s;
  return true;
}

void td_text_addn(td_text* text, const char* s, int n) {
  if (!text_room(text, n)) return;
  if (n > 0) memcpy(text->s + text->n, s, (size_t)n);
  text->n += n;
  text->s[text->n] = '\0';
}

void td_text_add(td_text* text, const char* s) {
  const size_t n = strlen(s);
  td_text_addn(text, s, n > INT_MAX ? -1 : (int)n);
}

// Append formatted text.
void td_text_printf(td_text* text, const char* format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  const int n = vsnprintf(NULL, 0, format, args);
  if (text_room(text, n)) {
    vsnprintf(text->s + text->n, (size_t)n + 1, format, again);
    text->n += n;
  }
  va_end(again);
  va_end(args);
}

void td_text_free(td_text* text) {
  free(text->s);
  *text = (td_text){0};
}

// ---- names ------------------------------------------------------------------------------------

enum { BAND = 16, WIDTH = 2 * BAND + 1 };  // largest distance computed, columns of the band

// Restricted Damerau distance: the fewest insertions, deletions, replacements and swaps of
// neighbours that turn a into b,
//
//   d(i,j) = min( d(i-1,j) + 1,  d(i,j-1) + 1,  d(i-1,j-1) + [a_i != b_j],
//                 d(i-2,j-2) + 1  if a_i a_{i-1} = b_{j-1} b_j ).
//
// Only |i - j| <= limit can give a distance within the limit, so three rows of a narrow band
// suffice: column k of row i is j = i + k - limit.  Limits above BAND count as BAND.
int td_edit_distance(const char* a, const char* b, int limit) {
  limit = max_int(0, min_int(limit, BAND));
  const size_t na = strlen(a), nb = strlen(b);
  if (na > INT_MAX / 2 || nb > INT_MAX / 2) return limit + 1;
  const int la = (int)na, lb = (int)nb, far = limit + 1;
  if (abs(la - lb) > limit) return far;

  int rows[3][WIDTH + 2];  // a border of `far` on both sides
  for (int r = 0; r < 3; r++) {
    for (int k = 0; k < WIDTH + 2; k++) rows[r][k] = far;
  }

  int *before = rows[0] + 1, *last = rows[1] + 1, *row = rows[2] + 1;

  // row i from the two rows before it; stop when the whole band is beyond the limit
  for (int i = 0; i <= la; i++) {
    int nearest = far;
    for (int k = 0; k <= 2 * limit; k++) {
      const int j = i + k - limit;
      int d = far;
      if (j >= 0 && j <= lb) {
        if (i == 0 || j == 0) {
          d = i + j;
        } else {
          d = last[k] + (a[i - 1] != b[j - 1]);
          d = min_int(d, 1 + min_int(last[k + 1], row[k - 1]));
          const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
          if (swapped) d = min_int(d, before[k] + 1);
        }
      }
      row[k] = min_int(d, far);
      nearest = min_int(nearest, row[k]);
    }
    if (nearest == far) return far;
    int* oldest = before;
    before = last, last = row, row = oldest;
  }
  return last[lb - la + limit];
}

// A third of the letters may be wrong, at most three; a single letter has no likely misspelling.
// Among equally near names the one with the longest common beginning is chosen, then one of equal
// length: ends of names are misspelled more often than beginnings, and letters are more often
// replaced than omitted.
const char* td_nearest(const char* name, const char* const* candidates, int n) {
  if (!name || (!candidates && n > 0)) return NULL;
  const size_t length = strlen(name);
  const int limit = length >= 8 ? 3 : ((int)length + 1) / 3;
  const char* nearest = NULL;
  int best = limit + 1;
  size_t alike = 0;

  for (int i = 0; i < n; i++) {
    if (!candidates[i]) continue;
    const int d = td_edit_distance(name, candidates[i], limit);
    if (d > best || d > limit) continue;
    size_t same = 0;
    while (name[same] && name[same] == candidates[i][same]) same++;
    same = 2 * same + (strlen(candidates[i]) == length);
    if (d == best && same <= alike) continue;
    best = d;
    alike = same;
    nearest = candidates[i];
  }
  return nearest;
}
