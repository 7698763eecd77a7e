// Messages about model texts.  They are stored with their spans; line, column and the drawing
//
//   arm.m:14:10: error: unknown field 'sprng' of joint
//      14 | joint(2).sprng.coeff = 40;
//         |          ^~~~~ did you mean 'spring'?
//         | fields of joint: first second ...
//
// are computed when a message is shown.  One character of the source is one column of the drawing:
// a tab stays a tab in the caret line, and a character that a terminal could not show safely
// becomes
// '?'.
#include "base/diag.h"

#include <stdio.h>
#include <string.h>

#include "tendril/tools.h"

enum {
  LINE_LIMIT = 160,  // longer source lines [bytes] are cut around the caret
  LINE_SHOWN = 140,  // bytes that then remain
  LINE_BEFORE = 70   // bytes of these before the caret
};

// Free all sources and messages.
void td_diags_free(td_diags* diags) {
  if (!diags) return;
  for (int i = 0; i < diags->nsource; i++) {
    free(diags->sources[i].name);
    free(diags->sources[i].text);
  }

  for (int i = 0; i < diags->n; i++) {
    free(diags->list[i].text);
    free(diags->list[i].hint);
    free(diags->list[i].more);
  }

  free(diags->sources);
  free(diags->list);
  *diags = (td_diags){0};
}

// Remove the messages added since `before`.
void td_diags_back(td_diags* diags, const td_diags* before) {
  for (int i = before->n; i < diags->n; i++) {
    free(diags->list[i].text);
    free(diags->list[i].hint);
    free(diags->list[i].more);
  }
  diags->n = before->n;
  diags->errors = before->errors;
  diags->warnings = before->warnings;
  diags->dropped = before->dropped;
  diags->last = before->last;
}

// Add a source with copies of its name and text.
int td_diags_source(td_diags* diags, const char* name, const char* text, int size) {
  const size_t bytes = sizeof(td_source);
  td_source* all = td_grow(diags->sources, &diags->source_cap, diags->nsource + 1, bytes);
  if (!all) return -1;
  diags->sources = all;

  td_source s = {td_strdup(name), td_strndup(text, (size_t)size), size};
  if (!s.name || !s.text) {
    free(s.name);
    free(s.text);
    return -1;
  }
  all[diags->nsource] = s;
  return diags->nsource++;
}

// ---- adding messages --------------------------------------------------------------------------

// Formatted text on the heap; NULL: no memory.
static char* format_text(const char* format, va_list args) {
  va_list again;
  va_copy(again, args);
  const int n = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char* text = n < 0 ? NULL : malloc((size_t)n + 1);
  if (text) vsnprintf(text, (size_t)n + 1, format, args);
  return text;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// True if two texts are equal up to the digits of their numbers.
static bool same_words(const char* a, const char* b) {
  for (;;) {
    if (is_digit(*a) && is_digit(*b)) {
      while (is_digit(*a)) a++;
      while (is_digit(*b)) b++;
    }
    if (*a != *b) return false;
    if (*a == '\0') return true;
    a++, b++;
  }
}

// True if a message exists already, or one at the same place of a text that differs in its numbers
// only, which is then counted there.
static bool is_known(td_diags* diags, const td_diag* d) {
  for (int i = 0; i < diags->n; i++) {
    td_diag* o = &diags->list[i];
    if (o->severity != d->severity || o->at.source != d->at.source || o->at.begin != d->at.begin ||
        o->at.end != d->at.end)
      continue;
    if (strcmp(o->text, d->text) == 0) return true;
    if (d->at.source < 0 || d->at.begin < 0 || !same_words(o->text, d->text)) continue;
    o->again++;
    return true;
  }
  return false;
}

bool td_is_said(const td_diags* diags, const char* text) {
  for (int i = 0; i < diags->n; i++)
    if (strcmp(diags->list[i].text, text) == 0) return true;
  return false;
}

// Keep a message (its text is taken over) unless it is known or there are too many of its kind.
static void add(td_diags* diags, td_diag d, int* count) {
  diags->last = 0;
  if (d.at.source < 0 && diags->nsource > 0) d.at = td_span_file(0);
  if (d.text && is_known(diags, &d)) {
    free(d.text);
    return;
  }
  td_diag* list = NULL;
  if (d.text && *count < TD_DIAG_LIMIT) {
    list = td_grow(diags->list, &diags->cap, diags->n + 1, sizeof(td_diag));
  }
  (*count)++;
  if (!list) {
    diags->dropped++;
    free(d.text);
    return;
  }
  diags->list = list;
  list[diags->n++] = d;
  diags->last = diags->n;
}

// Add an error; returns its status.
td_status td_error(td_diags* diags, td_status status, td_span at, const char* format, ...) {
  va_list args;
  va_start(args, format);
  char* text = format_text(format, args);
  va_end(args);
  add(diags, (td_diag){TD_ERROR, status, at, text, NULL, NULL, 0}, &diags->errors);
  return status;
}

// Add a warning.
void td_warn(td_diags* diags, td_span at, const char* format, ...) {
  va_list args;
  va_start(args, format);
  char* text = format_text(format, args);
  va_end(args);
  add(diags, (td_diag){TD_WARNING, TD_OK, at, text, NULL, NULL, 0}, &diags->warnings);
}

// Add a note.
void td_remark(td_diags* diags, td_span at, const char* format, ...) {
  va_list args;
  va_start(args, format);
  char* text = format_text(format, args);
  va_end(args);
  add(diags, (td_diag){TD_NOTE, TD_OK, at, text, NULL, NULL, 0}, &diags->warnings);
}

// Replace the hint of the last message.
void td_hint(td_diags* diags, const char* format, ...) {
  if (!diags->last) return;
  td_diag* d = &diags->list[diags->last - 1];
  va_list args;
  va_start(args, format);
  free(d->hint);
  d->hint = format_text(format, args);
  va_end(args);
}

// Append a line to the last message, after its hint; nothing without a message or memory.
void td_more(td_diags* diags, const char* format, ...) {
  if (!diags->last) return;
  td_diag* d = &diags->list[diags->last - 1];
  va_list args;
  va_start(args, format);
  char* line = format_text(format, args);
  va_end(args);
  if (!line || !d->more) {
    d->more = d->more ? d->more : line;
    return;
  }
  td_text both = {0};
  td_text_printf(&both, "%s\n%s", d->more, line);
  free(line);
  if (both.failed) {
    td_text_free(&both);
    return;
  }
  free(d->more);
  d->more = both.s;
}

void td_suggest(td_diags* diags, const char* name, const char* const* candidates, int n) {
  const char* near = td_nearest(name, candidates, n);
  if (near) td_hint(diags, "did you mean '%s'?", near);
}

// ---- positions --------------------------------------------------------------------------------

static bool is_eol(char c) { return c == '\n' || c == '\r'; }
static bool is_continuation(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

// Decode a UTF-8 character; overlong forms, surrogates and codes beyond U+10FFFF are refused.
int td_utf8_decode(const char* s, int n, int* code) {
  static const int least[5] = {0, 0, 0x80, 0x800, 0x10000};  // shorter is overlong
  const unsigned char c = n > 0 ? (unsigned char)s[0] : 0xFF;
  const int length = c < 0x80 ? 1 : c < 0xC0 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF8 ? 4 : 0;
  if (length == 0 || length > n) return 0;
  int value = length == 1 ? c : c & (0x7F >> length);

  for (int i = 1; i < length; i++) {
    if (!is_continuation(s[i])) return 0;
    value = value << 6 | (s[i] & 0x3F);
  }

  if (value < least[length] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return 0;
  *code = value;
  return length;
}

// Line that holds the beginning of a span, without its end of line and a byte order mark
typedef struct source_line {
  int number, begin, end;
  int at;  // the span's beginning, inside [begin, end]
} source_line;

// Find the line of a source that holds the byte `at`: its number from 1, its bounds without the end
// of line, and the position.  Lines end with \n, \r or both; a byte order mark is left out.
static source_line find_line(const td_source* s, int at) {
  at = max_int(0, min_int(at, s->size));
  if (at > 0 && at < s->size && s->text[at] == '\n' && s->text[at - 1] == '\r') at--;
  source_line line = {1, at, at, at};
  while (line.begin > 0 && !is_eol(s->text[line.begin - 1])) line.begin--;
  while (line.end < s->size && !is_eol(s->text[line.end])) line.end++;

  for (int i = 0; i < line.begin; i++) {
    const bool crlf = s->text[i] == '\r' && s->text[i + 1] == '\n';
    if (is_eol(s->text[i]) && !crlf) line.number++;
  }

  if (line.begin == 0 && line.end >= 3 && memcmp(s->text, "\xEF\xBB\xBF", 3) == 0) line.begin = 3;
  line.at = max_int(line.begin, at);
  return line;
}

static bool has_source(const td_diags* diags, td_span at) {
  return at.source >= 0 && at.source < diags->nsource;
}

static bool has_place(const td_diags* diags, td_span at) {
  return has_source(diags, at) && at.begin >= 0;
}

// Line and column of the beginning of a span.
void td_span_position(const td_diags* diags, td_span at, int* line, int* column) {
  *line = *column = 0;
  if (!has_place(diags, at)) return;
  const source_line l = find_line(&diags->sources[at.source], at.begin);
  *line = l.number;
  *column = l.at - l.begin + 1;
}

// ---- drawing ----------------------------------------------------------------------------------

// True if a terminal would interpret this character instead of showing it, or show nothing.
static bool is_invisible(int code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0xFEFF ||
         (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2060 && code <= 0x206F);
}

// Length in bytes of the character at i; *shown: whether it can be shown as it is.
static int character(const td_source* s, int i, int end, bool* shown) {
  int code = 0;
  const int length = td_utf8_decode(s->text + i, end - i, &code);
  *shown = length > 0 && (code == '\t' || !is_invisible(code));
  return max_int(1, length);
}

// Part of a line that is shown: all of a short line, the surroundings of the caret of a long one.
static source_line cut(const td_source* s, source_line line) {
  if (line.end - line.begin <= LINE_LIMIT) return line;
  source_line w = line;
  w.begin = max_int(line.begin, min_int(line.at - LINE_BEFORE, line.end - LINE_SHOWN));
  w.end = min_int(line.end, w.begin + LINE_SHOWN);
  while (w.begin < w.at && is_continuation(s->text[w.begin])) w.begin++;
  for (int k = 0; k < 3 && w.end < line.end && is_continuation(s->text[w.end]); k++) w.end--;
  return w;
}

// Draw the source line, "   14 | text".
static void draw_source(const td_source* s, source_line line, source_line w, td_text* out) {
  td_text_printf(out, "%5d | %s", line.number, w.begin > line.begin ? "…" : "");
  for (int i = w.begin; i < w.end;) {
    bool shown;
    const int n = character(s, i, w.end, &shown);
    if (shown) {
      td_text_addn(out, s->text + i, n);
    } else {
      td_text_add(out, "?");
    }
    i += n;
  }
  td_text_add(out, w.end < line.end ? "…\n" : "\n");
}

// Draw the empty space below a line number; 5 columns without a line.
static void gutter(const source_line* line, td_text* out) {
  const int width = line ? snprintf(NULL, 0, "%5d", line->number) : 5;
  td_text_printf(out, "%*s | ", width, "");
}

// Draw ^ under the first character of [at, end), ~ under the others of this line.
static void draw_caret(const td_source* s, source_line line, source_line w, int end, td_text* out) {
  bool shown;
  gutter(&line, out);
  if (w.begin > line.begin) td_text_add(out, " ");

  for (int i = w.begin; i < w.at; i += character(s, i, w.end, &shown)) {
    td_text_add(out, s->text[i] == '\t' ? "\t" : " ");
  }
  td_text_add(out, "^");
  end = min_int(end, w.end);
  if (w.at >= end) return;

  for (int i = w.at + character(s, w.at, end, &shown); i < end; i += character(s, i, end, &shown)) {
    td_text_add(out, "~");
  }
}

// Draw the extra lines of a message.
static void draw_more(const char* more, const source_line* line, td_text* out) {
  while (more) {
    const char* eol = strchr(more, '\n');
    gutter(line, out);
    td_text_addn(out, more, eol ? (int)(eol - more) : (int)strlen(more));
    td_text_add(out, "\n");
    more = eol ? eol + 1 : NULL;
  }
}

// Draw "file:line:column: severity: text".
static void draw_head(const td_diags* diags, const td_diag* d, const source_line* line,
                      td_text* out) {
  static const char* const severity[] = {"note", "warning", "error"};
  if (has_source(diags, d->at)) td_text_printf(out, "%s:", diags->sources[d->at.source].name);
  if (line) td_text_printf(out, "%d:%d:", line->number, line->at - line->begin + 1);
  if (has_source(diags, d->at)) td_text_add(out, " ");
  td_text_printf(out, "%s: %s", severity[d->severity], d->text);
  if (d->again > 0) td_text_printf(out, " (and %d more like it here)", d->again);
  td_text_add(out, "\n");
}

// Draw message i: its head, the source line, the caret and the extra lines.
void td_diag_render(const td_diags* diags, int i, td_text* out) {
  const td_diag* d = &diags->list[i];
  if (!has_place(diags, d->at)) {
    draw_head(diags, d, NULL, out);
    draw_more(d->hint, NULL, out);
    draw_more(d->more, NULL, out);
    return;
  }

  // with a position: the source line and the caret below it
  const td_source* s = &diags->sources[d->at.source];
  const source_line line = find_line(s, d->at.begin), w = cut(s, line);
  draw_head(diags, d, &line, out);
  draw_source(s, line, w, out);
  draw_caret(s, line, w, d->at.end, out);
  if (d->hint) td_text_printf(out, " %s", d->hint);
  td_text_add(out, "\n");
  draw_more(d->more, &line, out);
}
