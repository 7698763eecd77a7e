// Text: sprintf, num2str, disp, fprintf, error.  Formats are MATLAB's: all elements of all
// arguments in order, the format used again until they are used up.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/eval.h"

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

// As num2str: whole numbers in full, others with four digits behind the leading ones.
static void show_number(double x, td_text* out) {
  if (isnan(x)) {
    td_text_add(out, "NaN");
  } else if (isinf(x)) {
    td_text_add(out, x > 0 ? "Inf" : "-Inf");
  } else if (x == floor(x) && fabs(x) < 1e15) {
    td_text_printf(out, "%.0f", x == 0 ? 0 : x);
  } else {
    const int digits = (int)fmax(5, fmin(16, floor(log10(fabs(x))) + 5));
    td_text_printf(out, "%.*g", digits, x);
  }
}

static void show_element(lang* L, const value* v, int i, td_text* out) {
  if (is_expr(v, i)) {
    td_ex_print(L->g, v->e[i], TD_SYNTAX_OCTAVE, out);
  } else {
    show_number(v->x[i], out);
  }
}

// Rows on lines of their own, elements two spaces apart.
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

static value* disp(lang* L, call* c) {
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

// All elements of the arguments from k on, one after the other.
typedef struct feed {
  call* c;
  int arg, element;
  bool any;  // something was there at the start
} feed;

static const value* feed_next(feed* f, int* element) {
  while (f->arg < f->c->argc) {
    const value* v = f->c->argv[f->arg];
    const int n = v->kind == V_STR ? 1 : td_value_count(v);
    if (f->element < n) {
      *element = f->element++;
      return v;
    }
    f->arg++;
    f->element = 0;
  }
  return NULL;
}

static bool feed_empty(feed* f) {
  feed copy = *f;
  int element;
  return feed_next(&copy, &element) == NULL;
}

// Escapes of the format itself.
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

// One number or string by a conversion like "%-8.3f" (in `spec`, without the letter) and its
// letter.
static bool convert(lang* L, const char* spec, char letter, const value* v, int i, td_span at,
                    td_text* out) {
  char format[40];
  if (v->kind == V_STR) {
    const bool text = letter == 's' || letter == 'c';
    snprintf(format, sizeof format, "%ss", text ? spec : "%");
    td_text_printf(out, text ? format : "%s", v->s);
    return true;
  }
  if (v->kind != V_NUM) {
    td_fail(L, at, "%s cannot be printed by a format", td_value_kind_text(v));
    return false;
  }
  if (is_expr(v, i)) {
    td_ex_print(L->g, v->e[i], TD_SYNTAX_OCTAVE, out);
    return true;
  }
  const double x = v->x[i];
  const bool whole = strchr("diuxXoc", letter) != NULL;
  if (letter == 's') {
    show_number(x, out);
  } else if (whole && letter == 'c' && x >= 1 && x < 128 && x == floor(x)) {
    td_text_printf(out, "%c", (int)x);
  } else if (whole && x == floor(x) && fabs(x) < 9e18 && letter != 'c') {
    const bool is_unsigned = strchr("uxXo", letter) && x >= 0;
    snprintf(format, sizeof format, "%sll%c", spec, is_unsigned ? letter : 'd');
    td_text_printf(out, format, (long long)x);
  } else {
    snprintf(format, sizeof format, "%s%c", spec, isinf(x) || isnan(x) || whole ? 'g' : letter);
    if (isfinite(x)) td_text_printf(out, format, x);
    if (!isfinite(x)) show_number(x, out);
  }
  return true;
}

// Read a conversion: "%", flags, width, precision.  NULL after a message.
static const char* read_conversion(lang* L, call* c, const char* s, char spec[24], char* letter) {
  int n = 0;
  int digits = 0;
  spec[n++] = *s++;
  while (*s && strchr("-+ 0#", *s) && n < 8) spec[n++] = *s++;
  while (((*s >= '0' && *s <= '9') || *s == '.') && n < 20) {
    digits = *s == '.' ? 0 : digits + 1;
    if (digits > 3)
      return td_fail(L, c->at, "%s: a width or precision of more than three digits", c->name);
    spec[n++] = *s++;
  }
  spec[n] = 0;
  if (!*s || !strchr("diuxXocfFeEgGs", *s))
    return td_fail(L, c->at, "%s: unknown conversion '%s%.1s' in the format", c->name, spec, s);
  *letter = *s;
  return s + 1;
}

// Use the format once.  False: an error.  *ended: the arguments ran out.
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
      s = read_conversion(L, c, s, spec, &letter);
      if (!s) return false;
      int element = 0;
      const value* v = feed_next(f, &element);
      if (!v && f->any) {
        *ended = true;
        return true;
      }
      if (v && !convert(L, spec, letter, v, element, c->at, out)) return false;
    }
  }
  return true;
}

bool td_format(lang* L, call* c, int k, td_text* out) {
  const char* format = td_arg_string(L, c, k);
  if (!format) return false;
  feed f = {.c = c, .arg = k + 1};
  f.any = !feed_empty(&f);
  bool ended = false;
  do {
    const int arg = f.arg, element = f.element;
    if (!td_spend(L, 20, c->at) || !format_once(L, c, format, &f, out, &ended)) return false;
    if (f.arg == arg && f.element == element) break;  // the format takes nothing
  } while (!ended && !feed_empty(&f));
  if (!td_spend(L, out->n / 16, c->at)) return false;
  if (out->failed) return td_no_memory(L, c->at) != NULL;
  return true;
}

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

static value* error(lang* L, call* c) {
  td_text out = {0};
  td_text_add(&out, "");
  if (td_format(L, c, 0, &out)) td_fail(L, c->at, "%s", out.s);
  td_text_free(&out);
  return NULL;
}

static value* num2str(lang* L, call* c) {
  if (c->argv[0]->kind == V_STR) return td_value_hold(c->argv[0]);
  if (!td_arg_numeric(L, c, 0)) return NULL;
  td_text out = {0};
  td_text_add(&out, "");
  bool ok = true;
  if (c->argc > 1 && c->argv[1]->kind == V_STR) {
    call swapped = *c;
    value* list[2] = {c->argv[1], c->argv[0]};
    swapped.argv = list;
    ok = td_format(L, &swapped, 0, &out);
  } else if (c->argc > 1) {
    int digits = 0;
    ok = td_arg_int(L, c, 1, 1, 17, &digits);
    for (int i = 0; ok && i < td_value_count(c->argv[0]); i++) {
      if (i > 0) td_text_add(&out, "  ");
      if (is_expr(c->argv[0], i)) show_element(L, c->argv[0], i, &out);
      if (!is_expr(c->argv[0], i)) td_text_printf(&out, "%.*g", digits, c->argv[0]->x[i]);
    }
  } else if (c->argv[0]->rows > 1) {
    ok = td_fail(L, c->arg_at[0], "num2str works on numbers and rows, got a %dx%d matrix",
                 c->argv[0]->rows, c->argv[0]->cols) != NULL;
  } else {
    td_show(L, c->argv[0], &out);
  }
  value* v = ok && !out.failed ? td_string(L, out.s, out.n, c->at) : NULL;
  if (out.failed) td_no_memory(L, c->at);
  td_text_free(&out);
  return v;
}

// ---- texts made of texts ------------------------------------------------------------------------

// The text of an argument for joining; blanks at the end of a text that is not in a cell are left
// out, as MATLAB does.
static bool add_words(lang* L, call* c, int k, td_text* out) {
  const value* v = c->argv[k];
  if (v->kind == V_STR) {
    int n = v->cols;
    while (n > 0 && strchr(" \t", v->s[n - 1])) n--;
    td_text_addn(out, v->s, n);
  } else if (v->kind == V_CELL && td_value_count(v) == 1 && v->slots[0].v &&
             v->slots[0].v->kind == V_STR) {
    td_text_addn(out, v->slots[0].v->s, v->slots[0].v->cols);
  } else {
    td_fail(L, c->arg_at[k], "%s joins texts, got %s", c->name, td_value_kind_text(v));
    return false;
  }
  return true;
}

static value* text_value(lang* L, td_text* out, td_span at) {
  value* v = out->failed ? td_no_memory(L, at) : td_string(L, out->s ? out->s : "", out->n, at);
  td_text_free(out);
  return v;
}

static value* strcat_texts(lang* L, call* c) {
  td_text out = {0};
  td_text_add(&out, "");
  for (int k = 0; k < c->argc; k++) {
    if (add_words(L, c, k, &out)) continue;
    td_text_free(&out);
    return NULL;
  }
  return text_value(L, &out, c->at);
}

// strrep(text, old, new)
static value* strrep(lang* L, call* c) {
  const char *s = td_arg_string(L, c, 0), *old = s ? td_arg_string(L, c, 1) : NULL;
  const char* new = old ? td_arg_string(L, c, 2) : NULL;
  if (!new) return NULL;
  if (!td_spend(L, c->argv[0]->cols, c->at)) return NULL;
  td_text out = {0};
  td_text_add(&out, "");
  while (*s && out.n < TD_STRING_LIMIT) {
    const bool here = *old && strncmp(s, old, strlen(old)) == 0;
    td_text_addn(&out, here ? new : s, here ? (int)strlen(new) : 1);
    s += here ? strlen(old) : 1;
  }
  return text_value(L, &out, c->at);
}

typedef enum change { TO_LOWER, TO_UPPER, TRIM } change;

// lower, upper, strtrim
static value* changed_text(lang* L, call* c) {
  const char* s = td_arg_string(L, c, 0);
  if (!s) return NULL;
  int begin = 0, end = c->argv[0]->cols;
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

// strsplit(text, separator): a cell of texts
static value* strsplit(lang* L, call* c) {
  const char* s = td_arg_string(L, c, 0);
  const char* mark = c->argc > 1 ? td_arg_string(L, c, 1) : " ";
  if (!s || !mark) return NULL;
  if (!*mark) return td_fail(L, c->arg_at[1], "strsplit needs a separator");
  int n = 1;
  for (const char* at = strstr(s, mark); at; at = strstr(at + strlen(mark), mark)) n++;
  value* out = td_cell(L, 1, n, c->at);
  for (int i = 0; out && i < n; i++) {
    const char* next = strstr(s, mark);
    value* word = td_string(L, s, next ? (int)(next - s) : (int)strlen(s), c->at);
    if (!word || !td_value_put(out, &out->slots[i], word)) {
      td_value_drop(out);
      return NULL;
    }
    s = next ? next + strlen(mark) : s;
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
    td_text_printf(&out, "%s%s", i > 0 ? mark : "", word->s);
  }
  return text_value(L, &out, c->at);
}

// strcmpi(a, b), strncmp(a, b, n), strncmpi(a, b, n)
static value* compare_part(lang* L, call* c) {
  const value *a = c->argv[0], *b = c->argv[1];
  const bool any_case = c->row->op == 1;
  int n = -1;
  if (c->argc > 2 && !td_arg_int(L, c, 2, 0, TD_STRING_LIMIT, &n)) return NULL;
  bool equal = a->kind == V_STR && b->kind == V_STR;
  if (equal && n < 0) equal = a->cols == b->cols;
  if (equal && n >= 0) equal = a->cols >= n && b->cols >= n;
  for (int i = 0; equal && i < (n < 0 ? a->cols : n); i++) {
    char x = a->s[i], y = b->s[i];
    if (any_case && x >= 'A' && x <= 'Z') x = (char)(x - 'A' + 'a');
    if (any_case && y >= 'A' && y <= 'Z') y = (char)(y - 'A' + 'a');
    equal = x == y;
  }
  return td_logical(L, equal, c->at);
}

// str2double('2.5'), str2num('2.5'): NaN, or [], where the text is no number
static value* text_number(lang* L, call* c) {
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

// int2str(x): rounded; mat2str(a): as it would be typed
static value* int2str(lang* L, call* c) {
  if (!td_arg_numeric(L, c, 0)) return NULL;
  value* a = td_constant(L, c->argv[0], c->arg_at[0], "the argument of int2str");
  td_text out = {0};
  td_text_add(&out, "");
  for (int i = 0; a && i < td_value_count(a); i++)
    td_text_printf(&out, "%s%.0f", i > 0 ? "  " : "", floor(a->x[i] + 0.5));
  value* v = a ? text_value(L, &out, c->at) : NULL;
  if (!a) td_text_free(&out);
  td_value_drop(a);
  return v;
}

static value* mat2str(lang* L, call* c) {
  if (!td_arg_numeric(L, c, 0)) return NULL;
  value* a = td_constant(L, c->argv[0], c->arg_at[0], "the argument of mat2str");
  td_text out = {0};
  const bool one = a && td_value_count(a) == 1;
  td_text_add(&out, a && !one ? "[" : "");
  for (int i = 0; a && i < a->rows; i++) {
    if (i > 0) td_text_add(&out, ";");
    for (int j = 0; j < a->cols && out.n < TD_STRING_LIMIT; j++)
      td_text_printf(&out, "%s%.15g", j > 0 ? " " : "", a->x[i + a->rows * j]);
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
    {"strcmpi", compare_part, 2, 2, "strcmpi(a, b)", 1},
    {"strncmp", compare_part, 3, 3, "strncmp(a, b, n)", 0},
    {"strncmpi", compare_part, 3, 3, "strncmpi(a, b, n)", 1},
    {"str2double", text_number, 1, 1, "str2double(text)", 0},
    {"str2num", text_number, 1, 1, "str2num(text)", 1},
    {"int2str", int2str, 1, 1, "int2str(x)", 0},
    {"mat2str", mat2str, 1, 1, "mat2str(a)", 0},
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
