// Built-in functions of text: sprintf, num2str, disp, fprintf, error.  Formats are MATLAB's: they
// consume all elements of all arguments in order, and a format is repeated until these are used up.
// A function takes the arguments of a call, checks them, and returns its value, or NULL after a
// message.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/eval.h"

// Append to the text that the model prints.
bool td_print(lang* L, const char* s, int n, td_span at) {
  if (L->spec->printed.n + n > TD_STRING_LIMIT) {
    td_fail(L, at, "the model prints more than %d characters", TD_STRING_LIMIT);
    L->stop = true;
    return false;
  }
  td_text_addn(&L->spec->printed, s, n);
  return !L->spec->printed.failed || td_no_memory(L, at);
}

// ---- showing values ---------------------------------------------------------------------------

// Digits that num2str shows of numbers up to this size.
static int significant(double largest) { return (int)fmax(5, fmin(16, floor(log10(largest)) + 5)); }

// Write a number as num2str: whole numbers in full, others with four digits behind the leading one.
static void show_number(double x, td_text* out) {
  if (isnan(x)) {
    td_text_add(out, "NaN");
  } else if (isinf(x)) {
    td_text_add(out, x > 0 ? "Inf" : "-Inf");
  } else if (x == floor(x) && fabs(x) < 1e15) {
    td_text_printf(out, "%.0f", x == 0 ? 0 : x);
  } else {
    td_text_printf(out, "%.*g", significant(fabs(x)), x);
  }
}

// Write an element, a number or an expression.
static void show_element(lang* L, const value* v, int i, td_text* out) {
  if (is_expr(v, i)) {
    td_ex_print(L->g, v->e[i], TD_SYNTAX_OCTAVE, out);
  } else {
    show_number(v->x[i], out);
  }
}

// Write rows on separate lines, elements two spaces apart.
static void show_matrix(lang* L, const value* v, td_text* out) {
  for (int k = 0; k < v->pages; k++) {
    for (int i = 0; i < v->rows && out->n < TD_STRING_LIMIT; i++) {
      if (i + k > 0) td_text_add(out, "\n");
      for (int j = 0; j < v->cols && out->n < TD_STRING_LIMIT; j++) {
        if (j > 0) td_text_add(out, "  ");
        show_element(L, v, i + v->rows * (j + v->cols * k), out);
      }
    }
  }
}

// Write the fields of a struct on separate lines; large values are described.
static void show_fields(lang* L, const value* v, td_text* out) {
  for (int f = 0; f < v->nfield; f++) {
    if (f > 0) td_text_add(out, "\n");
    td_text_printf(out, "%s: ", v->names[f]);
    const value* inner = td_value_count(v) == 1 ? v->slots[f].v : NULL;
    char text[TD_DESCRIBE_SIZE];
    if (inner && (inner->kind == V_STR || (inner->kind == V_NUM && inner->rows == 1))) {
      td_show(L, inner, out);
    } else {
      td_text_add(out, td_value_count(v) == 1 ? td_value_describe(inner, text) : "...");
    }
  }
}

// Write a value as disp does.
void td_show(lang* L, const value* v, td_text* out) {
  char text[TD_DESCRIBE_SIZE];
  switch (v->kind) {
    case V_NUM:
      show_matrix(L, v, out);
      break;
    case V_STR:
      td_text_addn(out, v->s, v->cols);
      break;
    case V_STRUCT:
      show_fields(L, v, out);
      break;
    case V_REF:
      td_text_printf(out, "%s(%d)", v->ref.root, v->ref.index);
      break;
    case V_CELL:
    case V_FUNC:
      td_text_add(out, td_value_describe(v, text));
      break;
  }
}

// Charge the work of writing a value.
static bool spend_showing(lang* L, const call* c) {
  const value* v = c->argv[0];
  return td_spend(L, 60L * (v->kind == V_NUM ? td_value_count(v) : 1), c->at);
}

// disp(x)
static value* disp(lang* L, call* c) {
  if (!spend_showing(L, c)) return NULL;
  td_text out = {0};
  td_show(L, c->argv[0], &out);
  td_text_add(&out, "\n");
  if (out.failed) {
    td_no_memory(L, c->at);
  } else {
    td_print(L, out.s, out.n, c->at);
  }
  td_text_free(&out);
  return NULL;
}

// ---- formats ----------------------------------------------------------------------------------

// Iterator over all elements of the arguments
typedef struct feed {
  call* c;
  int arg, element;
  bool any;  // there is at least one element
} feed;

// Next element for a conversion: %s takes a text as a whole (*element = -1), others its characters.
static const value* feed_next(feed* f, char letter, int* element) {
  while (f->arg < f->c->argc) {
    const value* v = f->c->argv[f->arg];
    const int n = td_value_count(v);
    if (v->kind == V_STR && letter == 's' && f->element == 0) {
      *element = -1;
      f->element = max_int(1, n);
      return v;
    }
    if (f->element < n) {
      *element = f->element++;
      return v;
    }
    f->arg++;
    f->element = 0;
  }
  return NULL;
}

// True if no element is left.
static bool feed_empty(feed* f) {
  feed copy = *f;
  int element;
  return feed_next(&copy, 's', &element) == NULL;
}

// Append the character of an escape sequence of the format; returns the position behind it.
static const char* escape(const char* s, td_text* out) {
  static const char from[] = "ntr\\\"'a", to[] = "\n\t\r\\\"'\a";
  const char* p = s[1] ? strchr(from, s[1]) : NULL;
  if (!p) {
    td_text_addn(out, s, 1);
    return s + 1;
  }
  td_text_addn(out, &to[p - from], 1);
  return s + 2;
}

// Write element i by a conversion like "%-8.3f": `spec` is the conversion without its letter.
static bool convert(lang* L, const char* spec, char letter, const value* v, int i, td_span at,
                    td_text* out) {
  char format[40];
  if (v->kind == V_STR && i < 0) {
    snprintf(format, sizeof format, "%ss", spec);
    td_text_printf(out, format, v->s);
    return true;
  }
  if (v->kind == V_STR && (letter == 's' || letter == 'c')) {
    td_text_addn(out, v->s + i, 1);
    return true;
  }

  if (v->kind != V_NUM && v->kind != V_STR) {
    td_fail(L, at, "%s cannot be printed by a format", td_value_kind_text(v));
    return false;
  }
  if (v->kind == V_NUM && is_expr(v, i)) {
    td_ex_print(L->g, v->e[i], TD_SYNTAX_OCTAVE, out);
    return true;
  }

  // numbers, and characters by their codes
  const double x = v->kind == V_STR ? (unsigned char)v->s[i] : v->x[i];
  const bool whole = strchr("diuxXoc", letter) != NULL;
  const bool code = x >= 1 && x < 128 && x == floor(x);  // of a character
  if ((letter == 's' || letter == 'c') && code) {
    td_text_printf(out, "%c", (int)x);
  } else if (letter == 's') {
    show_number(x, out);
  } else if (whole && x == floor(x) && fabs(x) < 9e18 && letter != 'c') {
    const bool is_unsigned = strchr("uxXo", letter) && x >= 0;
    snprintf(format, sizeof format, "%sll%c", spec, is_unsigned ? letter : 'd');
    td_text_printf(out, format, (long long)x);
  } else {
    const bool finite = isfinite(x);
    const int width = (int)strcspn(spec, ".");  // precision means nothing for Inf and NaN
    snprintf(format, sizeof format, "%.*s%c", finite ? (int)strlen(spec) : width, spec,
             !finite ? 's'
             : whole ? 'g'
                     : letter);
    if (finite) td_text_printf(out, format, x);
    if (!finite) td_text_printf(out, format, isnan(x) ? "NaN" : x > 0 ? "Inf" : "-Inf");
  }
  return true;
}

// Read a conversion: "%", flags, width, precision and letter.  Returns the position behind it, or
// NULL after a message.
static const char* read_conversion(lang* L, call* c, const char* s, feed* f, char spec[24],
                                   char* letter) {
  int n = 0;
  int digits = 0;
  spec[n++] = *s++;
  while (*s && strchr("-+ 0#", *s) && n < 8) spec[n++] = *s++;
  while (((*s >= '0' && *s <= '9') || *s == '.' || *s == '*') && n < 16) {
    if (*s == '*') {  // the width is the next argument
      int element = 0;
      const value* v = feed_next(f, 'd', &element);
      const bool good = v && v->kind == V_NUM && !is_expr(v, element) &&
                        fabs(v->x[element]) < 1000 && v->x[element] == floor(v->x[element]);
      if (!good) return td_fail(L, c->at, "%s: '*' needs a width below 1000", c->name);
      n += snprintf(spec + n, 5, "%.0f", v->x[element]);
      s++;
      continue;
    }
    digits = *s == '.' ? 0 : digits + 1;
    if (digits > 3)
      return td_fail(L, c->at, "%s: a width or precision of more than three digits", c->name);
    spec[n++] = *s++;
  }
  spec[n] = 0;
  while (*s == 'l' || *s == 'h') s++;
  if (!*s || !strchr("diuxXocfFeEgGs", *s))
    return td_fail(L, c->at, "%s: unknown conversion '%s%.1s' in the format", c->name, spec, s);
  *letter = *s;
  return s + 1;
}

// Apply the format once.  False: an error.  *ended: the arguments ran out.
static bool format_once(lang* L, call* c, const char* s, feed* f, td_text* out, bool* ended) {
  while (*s && !out->failed) {
    if (out->n > TD_STRING_LIMIT)
      return td_fail(L, c->at, "%s: more than %d characters", c->name, TD_STRING_LIMIT) != NULL;
    if (*s == '\\') {
      s = escape(s, out);
    } else if (*s != '%') {
      td_text_addn(out, s++, 1);
    } else if (s[1] == '%') {
      td_text_add(out, "%");
      s += 2;
    } else {
      char spec[24], letter = 0;
      s = read_conversion(L, c, s, f, spec, &letter);
      if (!s) return false;
      int element = 0;
      const value* v = feed_next(f, letter, &element);
      if (!v && f->any) {
        *ended = true;
        return true;
      }
      if (v && !convert(L, spec, letter, v, element, c->at, out)) return false;
    }
  }
  return true;
}

// Repeat the format until the arguments are used up.
bool td_format(lang* L, call* c, int k, td_text* out) {
  const char* format = td_arg_string(L, c, k);
  if (!format) return false;
  feed f = {.c = c, .arg = k + 1};
  f.any = !feed_empty(&f);
  bool ended = false;

  do {
    const int arg = f.arg, element = f.element;
    if (!td_spend(L, 60, c->at) || !format_once(L, c, format, &f, out, &ended)) return false;
    if (f.arg == arg && f.element == element) break;  // the format takes nothing
  } while (!ended && !feed_empty(&f));
  if (!td_spend(L, out->n / 4, c->at)) return false;
  if (out->failed) return td_no_memory(L, c->at) != NULL;
  return true;
}

// sprintf(format, ...)
static value* formatted(lang* L, call* c) {
  td_text out = {0};
  td_text_add(&out, "");
  value* v = td_format(L, c, 0, &out) ? td_string(L, out.s, out.n, c->at) : NULL;
  td_text_free(&out);
  return v;
}

// fprintf(1, format, ...) and fprintf(format, ...)
static value* print(lang* L, call* c) {
  td_text out = {0};
  const int k = c->argc > 1 && c->argv[0]->kind == V_NUM ? 1 : 0;
  td_text_add(&out, "");
  if (td_format(L, c, k, &out)) td_print(L, out.s, out.n, c->at);
  td_text_free(&out);
  return NULL;
}

// error(format, ...): an error of the model
static value* error(lang* L, call* c) {
  td_text out = {0};
  td_text_add(&out, "");
  if (td_format(L, c, 0, &out))
    td_fail(L, c->at, "%s", out.n > 0 ? out.s : "the text calls error() without saying why");
  td_text_free(&out);
  return NULL;
}

// Write a row of numbers in columns of equal width, as MATLAB's num2str.
static void show_row(lang* L, const value* v, int digits, td_text* out) {
  double largest = 0;
  bool whole = true;

  for (int i = 0; i < v->cols; i++) {
    const double x = is_expr(v, i) ? 0 : v->x[i];
    if (isfinite(x)) largest = fmax(largest, fabs(x));
    whole = whole && (x == floor(x) || isnan(x)) && fabs(x) < 1e15;
  }

  // width of a column
  const int places = largest > 0 ? (int)floor(log10(largest)) + 1 : 1;
  const bool listed = whole && digits == 0;
  if (digits == 0) digits = significant(largest > 0 ? largest : 1);
  const int width = (listed ? max_int(places, 1) + 2 : digits + 7);

  for (int i = 0; i < v->cols; i++) {
    td_text one = {0};
    const bool plain = !is_expr(v, i) && isfinite(v->x[i]);
    if (!plain) show_element(L, v, i, &one);
    if (plain && listed) td_text_printf(&one, "%.0f", v->x[i]);
    if (plain && !listed) td_text_printf(&one, "%.*g", digits, v->x[i]);
    td_text_printf(out, "%*s", i > 0 ? width : 0, one.s ? one.s : "");
    out->failed = out->failed || one.failed;
    td_text_free(&one);
  }
}

// num2str(x), num2str(x, digits), num2str(x, format)
static value* num2str(lang* L, call* c) {
  const value* a = c->argv[0];
  if (a->kind == V_STR) return td_value_hold(c->argv[0]);
  if (!td_arg_numeric(L, c, 0) || !spend_showing(L, c)) return NULL;

  // by a format, or by digits
  td_text out = {0};
  td_text_add(&out, "");
  bool ok = true;
  int digits = 0;
  if (c->argc > 1 && c->argv[1]->kind == V_STR) {
    call swapped = *c;
    value* list[2] = {c->argv[1], c->argv[0]};
    swapped.argv = list;
    ok = td_format(L, &swapped, 0, &out);
  } else {
    if (c->argc > 1) ok = td_arg_int(L, c, 1, 1, 17, &digits);
    if (ok && (a->rows > 1 || a->pages > 1))
      ok = td_fail(L, c->arg_at[0], "num2str works on numbers and rows, got a %dx%d matrix",
                   a->rows, a->cols * a->pages) != NULL;
    if (ok && a->cols == 1 && digits == 0)
      td_show(L, a, &out);
    else if (ok)
      show_row(L, a, digits, &out);
  }

  // trim blanks
  int begin = 0, end = out.n;
  while (ok && begin < end && out.s[begin] == ' ') begin++;
  while (ok && end > begin && out.s[end - 1] == ' ') end--;
  value* v = ok && !out.failed ? td_string(L, out.s + begin, end - begin, c->at) : NULL;
  if (out.failed) td_no_memory(L, c->at);
  td_text_free(&out);
  return v;
}

// ---- texts from texts ------------------------------------------------------------------------

// String value of a text, which is freed.
static value* text_value(lang* L, td_text* out, td_span at) {
  value* v = out->failed ? td_no_memory(L, at) : td_string(L, out->s ? out->s : "", out->n, at);
  td_text_free(out);
  return v;
}

// Append the text of argument k, or of element i of a cell, for joining; trailing blanks of a text
// that is not in a cell are dropped, as in MATLAB.
static bool add_words(lang* L, call* c, int k, int i, td_text* out) {
  const value* v = c->argv[k];
  const value* held = v->kind == V_CELL ? v->slots[td_value_count(v) == 1 ? 0 : i].v : NULL;
  if (v->kind == V_STR) {
    int n = v->cols;
    while (n > 0 && strchr(" \t", v->s[n - 1])) n--;
    td_text_addn(out, v->s, n);
  } else if (held && held->kind == V_STR) {
    td_text_addn(out, held->s, held->cols);
  } else {
    td_fail(L, c->arg_at[k], "%s joins texts, got %s", c->name,
            td_value_kind_text(held ? held : v));
    return false;
  }
  return true;
}

// strcat(a, b, ...): a text, or a cell of texts if there are cells among the arguments
static value* strcat_texts(lang* L, call* c) {
  // the cell that gives the shape; cells of one text fit to all
  const value* shape = NULL;
  for (int k = 0; k < c->argc; k++) {
    const value* v = c->argv[k];
    if (v->kind != V_CELL) continue;
    if (shape && td_value_count(shape) != 1 && td_value_count(v) != 1 &&
        td_value_count(v) != td_value_count(shape))
      return td_fail(L, c->arg_at[k], "strcat: cells of %d and %d texts", td_value_count(shape),
                     td_value_count(v));
    if (!shape || td_value_count(shape) == 1) shape = v;
  }

  // join element by element
  value* cell = shape ? td_cell(L, shape->rows, shape->cols, c->at) : NULL;
  if (shape && !cell) return NULL;

  for (int i = 0; i < (shape ? td_value_count(shape) : 1); i++) {
    td_text out = {0};
    td_text_add(&out, "");
    bool ok = td_spend(L, 5, c->at);
    for (int k = 0; ok && k < c->argc; k++) ok = add_words(L, c, k, i, &out);
    value* text = ok ? text_value(L, &out, c->at) : NULL;
    if (!ok) td_text_free(&out);
    if (!shape) return text;
    if (text && td_value_put(cell, &cell->slots[i], text)) continue;
    td_value_drop(cell);
    return NULL;
  }
  return cell;
}

// strrep(text, old, new)
static value* strrep_one(lang* L, call* c) {
  const char *s = td_arg_string(L, c, 0), *old = s ? td_arg_string(L, c, 1) : NULL;
  const char* new = old ? td_arg_string(L, c, 2) : NULL;
  if (!new) return NULL;
  const double compared = 2 + c->argv[1]->cols / 16;  // per character
  if (!td_spend(L, (long)(compared * c->argv[0]->cols), c->at)) return NULL;
  td_text out = {0};
  td_text_add(&out, "");

  while (*s && out.n < TD_STRING_LIMIT) {
    const bool here = *old && strncmp(s, old, strlen(old)) == 0;
    td_text_addn(&out, here ? new : s, here ? (int)strlen(new) : 1);
    s += here ? strlen(old) : 1;
  }
  return text_value(L, &out, c->at);
}

static value* strrep(lang* L, call* c) { return td_over_texts(L, c, strrep_one); }

typedef enum change { TO_LOWER, TO_UPPER, TRIM } change;

// lower, upper, strtrim
static value* change_one(lang* L, call* c) {
  const char* s = td_arg_string(L, c, 0);
  if (!s) return NULL;
  int begin = 0, end = c->argv[0]->cols;
  if (!td_spend(L, end / 2, c->at)) return NULL;
  if (c->row->op == TRIM) {
    while (begin < end && strchr(" \t\r\n", s[begin])) begin++;
    while (end > begin && strchr(" \t\r\n", s[end - 1])) end--;
  }
  td_text out = {0};
  td_text_addn(&out, s + begin, end - begin);

  for (int i = 0; out.s && i < out.n; i++) {
    const char x = out.s[i];
    if (c->row->op == TO_LOWER && x >= 'A' && x <= 'Z') out.s[i] = (char)(x - 'A' + 'a');
    if (c->row->op == TO_UPPER && x >= 'a' && x <= 'z') out.s[i] = (char)(x - 'a' + 'A');
  }
  return text_value(L, &out, c->at);
}

static value* changed_text(lang* L, call* c) { return td_over_texts(L, c, change_one); }

// strsplit(text, separator): a cell of texts
// The separator that stands at s, the longest; 0: none.
static int separator_at(const char* s, const value* marks) {
  int best = 0;
  const int n = marks && marks->kind == V_CELL ? td_value_count(marks) : 1;
  for (int k = 0; k < n; k++) {
    const value* mark = marks && marks->kind == V_CELL ? marks->slots[k].v : marks;
    const char* text = mark ? mark->s : " ";
    const int length = (int)strlen(text);
    if (length > best && strncmp(s, text, (size_t)length) == 0) best = length;
  }
  return best;
}

// strsplit(text, separator): a cell with the parts of a text
static value* strsplit(lang* L, call* c) {
  const char* s = td_arg_string(L, c, 0);
  const value* marks = c->argc > 1 ? c->argv[1] : NULL;
  if (!s) return NULL;
  bool texts = !marks || marks->kind == V_CELL || marks->kind == V_STR;
  for (int k = 0; texts && marks && marks->kind == V_CELL && k < td_value_count(marks); k++)
    texts = marks->slots[k].v && marks->slots[k].v->kind == V_STR;
  if (!texts || (marks && marks->kind == V_STR && marks->cols == 0))
    return td_fail(L, c->arg_at[1], "strsplit needs a separator, or a cell of them");

  // several separators in a row count as one, as MATLAB has it by default
  int n = 1;
  const char* begin = s;
  const int kinds = marks && marks->kind == V_CELL ? td_value_count(marks) : 1;
  double compared = 1;  // per character
  for (int k = 0; k < kinds; k++) {
    const value* mark = marks && marks->kind == V_CELL ? marks->slots[k].v : marks;
    compared += 1 + (mark ? mark->cols / 16 : 0);
  }
  if (!td_spend(L, (long)(compared * c->argv[0]->cols), c->at)) return NULL;

  for (const char* p = s; *p;) {
    int skip = separator_at(p, marks);
    n += skip > 0;
    if (skip == 0)
      skip = 1;
    else
      while (separator_at(p + skip, marks) > 0) skip += separator_at(p + skip, marks);
    p += skip;
  }

  value* out = td_cell(L, 1, n, c->at);
  for (int i = 0; out && i < n; i++) {
    const char* end = begin;
    while (*end && separator_at(end, marks) == 0) end++;
    value* word = td_string(L, begin, (int)(end - begin), c->at);
    if (!word || !td_value_put(out, &out->slots[i], word)) {
      td_value_drop(out);
      return NULL;
    }
    begin = end;
    while (*begin && separator_at(begin, marks) > 0) begin += separator_at(begin, marks);
  }
  return out;
}

// strjoin(cell, separator)
static value* strjoin(lang* L, call* c) {
  const value* list = c->argv[0];
  const char* mark = c->argc > 1 ? td_arg_string(L, c, 1) : " ";
  if (!mark) return NULL;
  if (list->kind != V_CELL)
    return td_fail(L, c->arg_at[0], "strjoin joins a cell of texts, got %s",
                   td_value_kind_text(list));

  td_text out = {0};
  td_text_add(&out, "");
  for (int i = 0; i < td_value_count(list); i++) {
    const value* word = list->slots[i].v;
    if (!word || word->kind != V_STR) {
      td_text_free(&out);
      return td_fail(L, c->arg_at[0], "strjoin: element %d is not a text", i + 1);
    }
    if (!td_spend(L, 15 + word->cols / 16, c->at)) break;
    for (const char* p = mark; i > 0 && *p;) {
      if (*p == '\\')
        p = escape(p, &out);
      else
        td_text_addn(&out, p++, 1);
    }
    td_text_addn(&out, word->s, word->cols);
  }
  return text_value(L, &out, c->at);
}

typedef enum letters { AS_WRITTEN, ANY_CASE } letters;

// True if two texts, or their first n characters (n >= 0), are equal.
static bool texts_equal(const value* a, const value* b, int n, bool any_case) {
  bool equal = a && b && a->kind == V_STR && b->kind == V_STR;
  if (equal && n < 0) equal = a->cols == b->cols;
  if (equal && n >= 0) equal = a->cols >= n && b->cols >= n;
  for (int i = 0; equal && i < (n < 0 ? a->cols : n); i++) {
    char x = a->s[i], y = b->s[i];
    if (any_case && x >= 'A' && x <= 'Z') x = (char)(x - 'A' + 'a');
    if (any_case && y >= 'A' && y <= 'Z') y = (char)(y - 'A' + 'a');
    equal = x == y;
  }
  return equal;
}

// strcmp(a, b), strcmpi(a, b), strncmp(a, b, n), strncmpi(a, b, n): texts, or each text of a cell
static value* compare_texts(lang* L, call* c) {
  const value *a = c->argv[0], *b = c->argv[1];
  int n = -1;
  if (c->argc > 2 && !td_arg_int(L, c, 2, 0, TD_STRING_LIMIT, &n)) return NULL;
  const bool any_case = c->row->op == ANY_CASE;
  const bool lists = a->kind == V_CELL || b->kind == V_CELL;
  if (!lists && !td_spend(L, td_value_count(a) / 4, c->at)) return NULL;
  if (!lists) return td_logical(L, texts_equal(a, b, n, any_case), c->at);
  const int na = a->kind == V_CELL ? td_value_count(a) : 1,
            nb = b->kind == V_CELL ? td_value_count(b) : 1;
  if (na != nb && na != 1 && nb != 1)
    return td_fail(L, c->at, "%s: cells of %d and %d texts", c->name, na, nb);
  const value* shape = a->kind != V_CELL || (na == 1 && b->kind == V_CELL) ? b : a;
  value* out = td_num(L, shape->rows, shape->cols, 1, c->at);

  for (int i = 0; out && i < td_value_count(out); i++) {
    const value* x = a->kind == V_CELL ? a->slots[na == 1 ? 0 : i].v : a;
    const value* y = b->kind == V_CELL ? b->slots[nb == 1 ? 0 : i].v : b;
    if (!td_spend(L, 4 + (x && x->kind == V_STR ? x->cols / 4 : 0), c->at)) break;
    out->x[i] = texts_equal(x, y, n, any_case);
  }

  if (out) out->logical = true;
  return value_if(!L->stop, out);
}

// str2double('2.5') and str2num('2.5'): NaN, or an error, if the text is no number
static value* text_number(lang* L, call* c) {
  if (c->argv[0]->kind == V_CELL && c->row->op == 0) {
    const value* list = c->argv[0];
    value* out = td_spend(L, 10L * td_value_count(list), c->at)
                     ? td_num(L, list->rows, list->cols, 1, c->at)
                     : NULL;
    for (int i = 0; out && i < td_value_count(list); i++) {
      const value* text = list->slots[i].v;
      char* end = NULL;
      const double x = text && text->kind == V_STR ? strtod(text->s, &end) : NAN;
      while (end && *end == ' ') end++;
      out->x[i] = end && end > text->s && !*end ? x : NAN;
    }
    return out;
  }

  if (c->argv[0]->kind == V_NUM) return td_value_hold(c->argv[0]);
  const char* s = td_arg_string(L, c, 0);
  if (!s) return NULL;
  char* end;
  const double x = strtod(s, &end);
  while (*end == ' ') end++;
  if (*s && !*end) return td_scalar(L, x, c->at);
  if (c->row->op == 1) return td_fail(L, c->arg_at[0], "str2num: '%.40s' is not one number", s);
  return td_scalar(L, NAN, c->at);
}

// int2str(x): the rounded number as text
static value* int2str(lang* L, call* c) {
  if (!td_arg_numeric(L, c, 0) || !spend_showing(L, c)) return NULL;
  value* a = td_constant(L, c->argv[0], c->arg_at[0], "the argument of int2str");
  td_text out = {0};
  td_text_add(&out, "");
  if (a && a->rows > 1) {
    td_value_drop(a);
    td_text_free(&out);
    return td_fail(L, c->arg_at[0], "int2str works on numbers and rows");
  }
  value* whole = a ? td_num(L, 1, a->cols, 1, c->at) : NULL;
  for (int i = 0; whole && i < a->cols; i++) whole->x[i] = round(a->x[i]);
  if (whole) show_row(L, whole, 0, &out);
  value* v = whole ? text_value(L, &out, c->at) : NULL;
  if (!whole) td_text_free(&out);
  td_value_drop(whole);
  td_value_drop(a);
  return v;
}

// mat2str(a): the matrix as it would be typed
static value* mat2str(lang* L, call* c) {
  int digits = 15;
  if (!td_arg_numeric(L, c, 0) || !spend_showing(L, c)) return NULL;
  if (c->argc > 1 && !td_arg_int(L, c, 1, 1, 17, &digits)) return NULL;
  value* a = td_constant(L, c->argv[0], c->arg_at[0], "the argument of mat2str");
  td_text out = {0};
  const bool one = a && td_value_count(a) == 1;
  td_text_add(&out, a && !one ? "[" : "");

  for (int i = 0; a && i < a->rows; i++) {
    if (i > 0) td_text_add(&out, ";");
    for (int j = 0; j < a->cols && out.n < TD_STRING_LIMIT; j++)
      if (a->logical)
        td_text_printf(&out, "%s%s", j > 0 ? " " : "",
                       a->x[i + a->rows * j] != 0 ? "true" : "false");
      else
        td_text_printf(&out, "%s%.*g", j > 0 ? " " : "", digits, a->x[i + a->rows * j]);
  }

  if (a && !one) td_text_add(&out, "]");
  value* v = a ? text_value(L, &out, c->at) : NULL;
  if (!a) td_text_free(&out);
  td_value_drop(a);
  return v;
}

const builtin td_builtin_words[] = {
    {"strcat", strcat_texts, 1, -1, "strcat(a, b, ...)", 0},
    {"strrep", strrep, 3, 3, "strrep(text, old, new)", 0},
    {"lower", changed_text, 1, 1, "lower(text)", TO_LOWER},
    {"upper", changed_text, 1, 1, "upper(text)", TO_UPPER},
    {"strtrim", changed_text, 1, 1, "strtrim(text)", TRIM},
    {"strsplit", strsplit, 1, 2, "strsplit(text, separator)", 0},
    {"strjoin", strjoin, 1, 2, "strjoin(texts, separator)", 0},
    {"strcmp", compare_texts, 2, 2, "strcmp(a, b)", AS_WRITTEN},
    {"strcmpi", compare_texts, 2, 2, "strcmpi(a, b)", ANY_CASE},
    {"strncmp", compare_texts, 3, 3, "strncmp(a, b, n)", AS_WRITTEN},
    {"strncmpi", compare_texts, 3, 3, "strncmpi(a, b, n)", ANY_CASE},
    {"str2double", text_number, 1, 1, "str2double(text)", 0},
    {"str2num", text_number, 1, 1, "str2num(text)", 1},
    {"int2str", int2str, 1, 1, "int2str(x)", 0},
    {"mat2str", mat2str, 1, 2, "mat2str(a, digits)", 0},
    {NULL, NULL, 0, 0, NULL, 0},
};

const builtin td_builtin_text[] = {
    {"num2str", num2str, 1, 2, "num2str(x)", 0},
    {"sprintf", formatted, 1, -1, "sprintf(format, ...)", 0},
    {"disp", disp, 1, 1, "disp(x)", TD_NO_RESULT},
    {"fprintf", print, 1, -1, "fprintf(format, ...)", TD_NO_RESULT},
    {"printf", print, 1, -1, "printf(format, ...)", TD_NO_RESULT},
    {"error", error, 1, -1, "error(format, ...)", TD_NO_RESULT},
    {NULL, NULL, 0, 0, NULL, 0},
};
