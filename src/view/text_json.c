// Writing JSON into a td_text; see text_json.h.
#include "view/text_json.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"

// Append a string; bytes that are not UTF-8 become U+FFFD.
void td_json_string(td_text* out, const char* s) {
  static const char special[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
  td_text_add(out, "\"");
  const size_t length = strlen(s);
  for (size_t i = 0; i < length;) {
    const unsigned char c = (unsigned char)s[i];
    if (c < 0x20 || c == '"' || c == '\\' || c == '<' || c == 0x7f) {
      const char* at = memchr(special, c, sizeof special - 1);
      if (at)
        td_text_printf(out, "\\%c", letter[at - special]);
      else
        td_text_printf(out, "\\u%04x", c);
      i++;
      continue;
    }

    // a character of UTF-8, or a byte that is none
    int code;
    const size_t left = length - i;
    const int n = td_utf8_decode(s + i, left > 4 ? 4 : (int)left, &code);
    if (n > 0) {
      td_text_addn(out, s + i, n);
    } else {
      td_text_add(out, "\xef\xbf\xbd");
    }
    i += (size_t)max_int(n, 1);
  }
  td_text_add(out, "\"");
}

void td_json_number(td_text* out, double x) {
  if (!isfinite(x)) {
    td_text_add(out, "null");
  } else {
    td_text_printf(out, "%.9g", x);
  }
}

void td_json_next(td_text* out) {
  const char last = out->n > 0 ? out->s[out->n - 1] : '{';
  if (last != '{' && last != '[' && last != ':') td_text_add(out, ",");
}

void td_json_key(td_text* out, const char* name) {
  td_json_next(out);
  td_json_string(out, name);
  td_text_add(out, ":");
}

void td_json_ints(td_text* out, const char* name, const int* x, int n) {
  td_json_key(out, name);
  td_text_add(out, "[");
  for (int i = 0; i < n; i++) td_text_printf(out, i ? ",%d" : "%d", x[i]);
  td_text_add(out, "]");
}

void td_json_numbers(td_text* out, const char* name, const double* x, int n) {
  td_json_key(out, name);
  td_text_add(out, "[");
  for (int i = 0; i < n; i++) {
    if (i) td_text_add(out, ",");
    td_json_number(out, x[i]);
  }
  td_text_add(out, "]");
}

// Append JSON with '<' escaped.
void td_json_raw(td_text* out, const char* json) {
  while (*json) {
    const size_t n = strcspn(json, "<");
    td_text_addn(out, json, n > INT_MAX ? -1 : (int)n);
    json += n;
    if (*json == '<') {
      td_text_add(out, "\\u003c");
      json++;
    }
  }
}

// Append bytes as base64.
void td_json_bytes(td_text* out, const void* bytes, size_t n) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char* b = bytes;
  char line[1024];
  int used = 0;
  td_text_add(out, "\"");
  for (size_t i = 0; i < n; i += 3) {
    const size_t left = n - i;
    const unsigned x = (unsigned)b[i] << 16 | (left > 1 ? (unsigned)b[i + 1] << 8 : 0) |
                       (left > 2 ? (unsigned)b[i + 2] : 0);
    line[used++] = digit[x >> 18];
    line[used++] = digit[x >> 12 & 63];
    line[used++] = left > 1 ? digit[x >> 6 & 63] : '=';
    line[used++] = left > 2 ? digit[x & 63] : '=';
    if (used == (int)sizeof line) {
      td_text_addn(out, line, used);
      used = 0;
    }
  }
  td_text_addn(out, line, used);
  td_text_add(out, "\"");
}

// Append numbers as base64, little-endian.
bool td_json_floats(td_text* out, const float* x, size_t n) {
  unsigned char* bytes = malloc(4 * n + 1);
  if (!bytes) return false;
  for (size_t i = 0; i < n; i++) {
    uint32_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    for (int k = 0; k < 4; k++) bytes[4 * i + (size_t)k] = (unsigned char)(bits >> 8 * k & 255);
  }
  td_json_bytes(out, bytes, 4 * n);
  free(bytes);
  return !out->failed;
}
