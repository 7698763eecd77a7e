// Writing JSON into a text: strings are safe inside HTML scripts ('<' is escaped), numbers that
// JSON does not have become null.
#ifndef TD_TEXT_JSON_H
#define TD_TEXT_JSON_H

#include "base/base.h"

void td_json_string(td_text* out, const char* s);
void td_json_number(td_text* out, double x);
// Append "name": before a value, after a comma unless it is the first member.
void td_json_key(td_text* out, const char* name);
void td_json_next(td_text* out);  // a comma unless this is the first element
void td_json_ints(td_text* out, const char* name, const int* x, int n);
void td_json_numbers(td_text* out, const char* name, const double* x, int n);
// Append a text that is JSON already; '<' can only be inside its strings and is escaped.
void td_json_raw(td_text* out, const char* json);

// Append bytes, or numbers in little-endian order, as base64 in a JSON string.  False when out of
// memory.
void td_json_bytes(td_text* out, const void* bytes, size_t n);
bool td_json_floats(td_text* out, const float* x, size_t n);

#endif
