// Sources and messages about them.  A span is a range of bytes of a source; line, column, the
// source line and the caret are computed when a message is shown.
#ifndef TD_DIAG_H
#define TD_DIAG_H

#include "base/base.h"

typedef struct td_span {
  int source;      // index into td_diags.sources, -1: no position
  int begin, end;  // byte offsets, end exclusive; begin = -1: the source as a whole
} td_span;

static inline td_span td_span_none(void) { return (td_span){-1, 0, 0}; }
static inline td_span td_span_file(int source) { return (td_span){source, -1, -1}; }
static inline td_span td_span_join(td_span a, td_span b) {
  return a.source == b.source
             ? (td_span){a.source, min_int(a.begin, b.begin), max_int(a.end, b.end)}
             : a;
}

typedef struct td_source {
  char* name;  // as shown to the user
  char* text;  // owned, zero-terminated; may contain zero bytes before `size`
  int size;
} td_source;

typedef struct td_diag {
  td_severity severity;
  td_status status;
  td_span at;
  char* text;  // the message
  char* hint;  // shown behind the caret ("did you mean 'spring'?"), may be NULL
  char* more;  // extra lines ("fields of joint: ..."), may be NULL
  int again;   // messages at the same place that differed in their numbers only and were not kept
} td_diag;

// All sources of one load and all messages.  Zero-initialise.  After TD_DIAG_LIMIT errors (or
// warnings) further ones are only counted
#define TD_DIAG_LIMIT 50
typedef struct td_diags {
  td_source* sources;
  int nsource, source_cap;
  td_diag* list;
  int n, cap;
  int errors, warnings, dropped;
  int last;  // 1 + the message that td_hint() completes; 0: the last one was not kept
} td_diags;

void td_diags_free(td_diags* diags);
// Remove the messages that were added since `before`, a copy of *diags.
void td_diags_back(td_diags* diags, const td_diags* before);
// Add a source with a copy of the text.  Returns its index, or -1 when out of memory.
int td_diags_source(td_diags* diags, const char* name, const char* text, int size);

// Add a message; returns `status`, so that the caller can return it.  The same message at the same
// place is added once, and so are messages that differ in their numbers only (a line in a loop).  A
// message without a position is about the first source as a whole.
td_status td_error(td_diags* diags, td_status status, td_span at, const char* format, ...)
    TD_PRINTF(4, 5);
void td_warn(td_diags* diags, td_span at, const char* format, ...) TD_PRINTF(3, 4);
void td_remark(td_diags* diags, td_span at, const char* format, ...) TD_PRINTF(3, 4);  // a note
// True if there is a message with this text already, at any position.
bool td_is_said(const td_diags* diags, const char* text);
// Complete the last message: a hint behind the caret; an extra line (each call adds one).  Both do
// nothing if that message was not kept because it is known or came after too many others.
void td_hint(td_diags* diags, const char* format, ...) TD_PRINTF(2, 3);
void td_more(td_diags* diags, const char* format, ...) TD_PRINTF(2, 3);
// Add the hint "did you mean 'x'?" to the last message if a candidate is near to `name`.
void td_suggest(td_diags* diags, const char* name, const char* const* candidates, int n);

// Line and column, both from 1 (columns count bytes), of a span's beginning; 0 and 0 when it has no
// position.
void td_span_position(const td_diags* diags, td_span at, int* line, int* column);
// Render message i as in docs: "arm.m:14:10: error: ...", source line, caret line, more line.
void td_diag_render(const td_diags* diags, int i, td_text* out);

// Length in bytes (1 to 4) and code point of the UTF-8 character at s, of which n bytes may be
// read; 0 when they are not UTF-8.
int td_utf8_decode(const char* s, int n, int* code);

#endif
