// Data: interpolation in constant tables (interp1), and tables from CSV files.
//
// Outside its range a table holds its end values: a recorded signal continues with its last value,
// so that an integrator which evaluates a little past the last sample finds a number there.  A
// function takes the arguments of a call, checks them, and returns its value, or NULL after a
// message.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lang/eval.h"

// ---- interp1 ----------------------------------------------------------------------------------

// Slope at knot i of the monotone cubic of MATLAB's pchip [fritsch1980] [fritsch1984]: inside, the
// weighted harmonic mean of the two secants; at the ends, a three-point formula that preserves the
// shape.
static double pchip_slope(const double* x, const double* y, int n, int i) {
  // lengths and secants of the two pieces next to the knot, or of the first two from an end
  const bool end = i == 0 || i == n - 1;
  const int a = i == 0 ? 0 : i == n - 1 ? n - 2 : i - 1, b = i == 0 ? 1 : i == n - 1 ? n - 3 : i;
  const double ha = x[a + 1] - x[a], da = (y[a + 1] - y[a]) / ha;
  if (n == 2) return da;
  const double hb = x[b + 1] - x[b], db = (y[b + 1] - y[b]) / hb;

  if (!end) {
    const double wa = 2 * hb + ha, wb = hb + 2 * ha;
    return da * db <= 0 ? 0 : (wa + wb) / (wa / da + wb / db);
  }
  const double s = ((2 * ha + hb) * da - ha * db) / (ha + hb);
  if (s * da <= 0) return 0;
  return da * db <= 0 && fabs(s) > 3 * fabs(da) ? 3 * da : s;
}

// Slopes of the cubic spline of MATLAB, with continuous second derivative; its first two pieces are
// one cubic, and so are its last two ("not a knot") [deboor2001, ch. IV].  With h and d the lengths
// and secants of the pieces before and after a knot,
//
//   h_after s_before + 2 (h_before + h_after) s + h_before s_after
//     = 3 (h_after d_before + h_before d_after)
//
// `s` gets the slopes; `c` is scratch for n numbers.
static void spline_slopes(const double* x, const double* y, int n, double* s, double* c) {
  const double h0 = x[1] - x[0], d0 = (y[1] - y[0]) / h0;
  if (n == 2) {
    s[0] = s[1] = d0;
    return;
  }
  const double h1 = x[2] - x[1], d1 = (y[2] - y[1]) / h1;
  if (n == 3) {  // a parabola
    const double bend = (d1 - d0) / (h0 + h1);
    for (int i = 0; i < 3; i++) s[i] = d0 + bend * (2 * x[i] - x[0] - x[1]);
    return;
  }

  // forward elimination: s[i] + c[i] s[i+1] = s[i]
  c[0] = (h0 + h1) / h1;
  s[0] = ((h0 + 2 * (h0 + h1)) * h1 * d0 + h0 * h0 * d1) / (h0 + h1) / h1;

  for (int i = 1; i < n - 1; i++) {
    const double ha = x[i] - x[i - 1], hb = x[i + 1] - x[i];
    const double da = (y[i] - y[i - 1]) / ha, db = (y[i + 1] - y[i]) / hb;
    const double pivot = 2 * (ha + hb) - hb * c[i - 1];
    c[i] = ha / pivot;
    s[i] = (3 * (hb * da + ha * db) - hb * s[i - 1]) / pivot;
  }

  // the last equation, then back substitution
  const double ha = x[n - 2] - x[n - 3], hb = x[n - 1] - x[n - 2];
  const double da = (y[n - 2] - y[n - 3]) / ha, db = (y[n - 1] - y[n - 2]) / hb;
  const double right = (hb * hb * da + (2 * (ha + hb) + hb) * ha * db) / (ha + hb);
  s[n - 1] = (right - (ha + hb) * s[n - 2]) / (ha - (ha + hb) * c[n - 2]);
  for (int i = n - 2; i >= 0; i--) s[i] -= c[i] * s[i + 1];
}

typedef enum method { LINEAR, NEAREST, PREVIOUS, PCHIP, SPLINE } method;

// Piecewise polynomial as in td_ex_table
typedef struct pieces {
  double *knots, *coef;
  int n, order;
} pieces;

// Allocate a table of n knots; false: no memory.
static bool pieces_new(pieces* p, int n, int order) {
  p->n = n;
  p->order = order;
  p->knots = malloc(sizeof(double) * (size_t)n);
  p->coef = calloc((size_t)n * (size_t)order, sizeof(double));
  return p->knots && p->coef;
}

// Table through n points by a method; false: no memory.
static bool build(pieces* p, method m, const double* x, const double* y, int n) {
  const double beyond = x[n - 1] + (x[n - 1] - x[n - 2]);  // one more knot holds the last value
  switch (m) {
    case NEAREST:
      // piecewise constant with knots at the middles; the end knots stay
      if (!pieces_new(p, n + 2, 1)) return false;
      p->knots[0] = x[0];
      p->coef[0] = y[0];
      for (int i = 1; i < n; i++) {
        p->knots[i] = 0.5 * (x[i - 1] + x[i]);
        p->coef[i] = y[i];
      }
      p->knots[n] = x[n - 1];
      p->coef[n] = y[n - 1];
      p->knots[n + 1] = beyond;
      return true;
    case PREVIOUS:
      // each value is held until the next knot
      if (!pieces_new(p, n + 1, 1)) return false;
      memcpy(p->knots, x, sizeof(double) * (size_t)n);
      memcpy(p->coef, y, sizeof(double) * (size_t)n);
      p->knots[n] = beyond;
      return true;
    case LINEAR:
      if (!pieces_new(p, n, 2)) return false;
      memcpy(p->knots, x, sizeof(double) * (size_t)n);
      for (int i = 0; i + 1 < n; i++) {
        p->coef[2 * i] = y[i];
        p->coef[2 * i + 1] = (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
      }
      return true;
    case PCHIP:
    case SPLINE:
      break;
  }

  // cubics with given values and slopes s at the knots
  double* s = malloc(2 * sizeof(double) * (size_t)n);
  if (!pieces_new(p, n, 4) || !s) {
    free(s);
    return false;
  }
  memcpy(p->knots, x, sizeof(double) * (size_t)n);
  if (m == SPLINE) spline_slopes(x, y, n, s, s + n);
  for (int i = 0; i < n && m == PCHIP; i++) s[i] = pchip_slope(x, y, n, i);

  for (int i = 0; i + 1 < n; i++) {
    const double h = x[i + 1] - x[i], d = (y[i + 1] - y[i]) / h;
    double* c = p->coef + 4 * i;
    c[0] = y[i];
    c[1] = s[i];
    c[2] = (3 * d - 2 * s[i] - s[i + 1]) / h;
    c[3] = (s[i] + s[i + 1] - 2 * d) / (h * h);
  }

  free(s);
  return true;
}

// Read the optional fourth argument, the method.
static bool method_argument(lang* L, call* c, method* m) {
  static const char* const names[] = {"linear", "nearest", "previous", "pchip", "spline"};
  *m = LINEAR;
  if (c->argc < 4) return true;
  const char* word = td_arg_string(L, c, 3);

  for (int i = 0; word && i < 5; i++) {
    if (strcmp(word, names[i]) != 0) continue;
    *m = (method)i;
    return true;
  }

  if (word) {
    td_fail(L, c->arg_at[3],
            "interp1: unknown method '%.40s'; 'linear', 'nearest', 'previous', 'pchip' or 'spline'",
            word);
    td_suggest(L->diags, word, names, 5);
  }
  return false;
}

// Check the points of a table: equally many, finite, increasing x.
static bool table_argument(lang* L, call* c, const value* x, const value* y) {
  const int n = td_value_count(x);
  if (n != td_value_count(y)) {
    return td_fail(L, c->at, "interp1: %d values of x and %d of y", n, td_value_count(y)) != NULL;
  }
  if (n < 2)
    return td_fail(L, c->at, "interp1: a table needs at least two points, got %d", n) != NULL;

  for (int i = 0; i < n; i++) {
    if (!isfinite(x->x[i]) || !isfinite(y->x[i])) {
      return td_fail(L, c->at, "interp1: point %d of the table, (%g, %g), is not finite", i + 1,
                     x->x[i], y->x[i]) != NULL;
    }
    if (i > 0 && !(x->x[i] > x->x[i - 1])) {
      return td_fail(L, c->arg_at[0], "interp1: x must increase, but x(%d) = %g follows %g", i + 1,
                     x->x[i], x->x[i - 1]) != NULL;
    }
  }
  return true;
}

// Evaluate the table at each element of q; expressions become nodes of the graph.
static value* interpolate(lang* L, call* c, const pieces* p, const value* q) {
  value* out = td_num(L, q->rows, q->cols, q->pages, c->at);
  const int n = out ? td_value_count(q) : 0;
  bool ok = out && td_spend(L, (long)n * 20 + p->n, c->at);
  const int last = p->n - 1;

  for (int i = 0; ok && i < n; i++) {
    if (is_expr(q, i)) {
      // a table is compared with those before it
      ok = td_spend(L, 100 + L->tables++ / 4, c->at) &&
           td_set_ex(L, out, i, td_ex_table(L->g, p->knots, p->n, p->coef, p->order, true, q->e[i]),
                     c->at);
      continue;
    }

    // find the piece knots[lo] <= x < knots[hi], then Horner's scheme
    const double x = fmin(fmax(q->x[i], p->knots[0]), p->knots[last]);
    int lo = 0, hi = last;
    while (hi - lo > 1) {
      const int mid = (lo + hi) / 2;
      *(p->knots[mid] <= x ? &lo : &hi) = mid;
    }
    double y = 0;
    for (int k = p->order - 1; k >= 0; k--) y = y * (x - p->knots[lo]) + p->coef[lo * p->order + k];
    out->x[i] = isnan(q->x[i]) ? NAN : y;
  }
  return value_if(ok, out);
}

// The table of n points at the third argument.
static value* look_up(lang* L, call* c, method m, const double* x, const double* y, int n) {
  pieces p = {0};
  value* out = build(&p, m, x, y, n) ? interpolate(L, c, &p, c->argv[2]) : td_no_memory(L, c->at);
  free(p.knots);
  free(p.coef);
  return out;
}

// The values of a table that are numbers, and 0 for those that are expressions.
static value* numbers_of(lang* L, call* c, const value* y) {
  value* out = td_num(L, y->rows, y->cols, y->pages, c->arg_at[1]);
  for (int i = 0; out && i < td_value_count(y); i++) out->x[i] = is_expr(y, i) ? 0 : y->x[i];
  return out;
}

// Add what value i of a table, an expression, gives: every method but 'pchip' is linear in the
// values, so that it is the expression times the table that is 1 at point i and 0 at the others.
static bool add_share(lang* L, call* c, method m, const value* x, const value* y, int i,
                      value* out) {
  const int n = td_value_count(y);
  double* one = calloc((size_t)n, sizeof *one);
  if (!one) return td_no_memory(L, c->at) != NULL;
  one[i] = 1;
  value* share = look_up(L, c, m, x->x, one, n);
  free(one);
  bool ok = share != NULL;
  for (int k = 0; ok && k < td_value_count(out); k++) {
    const ex weight = is_expr(share, k) ? share->e[k] : td_ex_const(L->g, share->x[k]);
    const ex before = is_expr(out, k) ? out->e[k] : td_ex_const(L->g, out->x[k]);
    const ex more = td_ex_2(L->g, EX_MUL, c->argv[1]->e[i], weight);
    ok = td_set_ex(L, out, k, td_ex_2(L->g, EX_ADD, before, more), c->at);
  }
  td_value_drop(share);
  return ok;
}

// interp1(x, y, at, method).  Where y has params, so has the result; 'pchip' takes their values.
static value* interp1(lang* L, call* c) {
  method m;
  for (int k = 0; k < 3; k++) {
    if (!td_arg_numeric(L, c, k)) return NULL;
  }

  if (c->argc > 4) {
    td_fail(L, c->arg_at[4], "interp1 does not extrapolate: outside of x it holds the end values");
    td_hint(L->diags, "leave this out, or add points to x and y");
    return NULL;
  }
  if (!method_argument(L, c, &m)) return NULL;

  value* x = td_constant(L, c->argv[0], c->arg_at[0], "the x of a table");
  value* y = !x ? NULL
             : m != PCHIP && td_has_expr(c->argv[1])
                 ? numbers_of(L, c, c->argv[1])
                 : td_constant(L, c->argv[1], c->arg_at[1], "the y of a table");
  value* out = NULL;
  if (y && table_argument(L, c, x, y)) {
    out = look_up(L, c, m, x->x, y->x, td_value_count(x));
    for (int i = 0; out && m != PCHIP && i < td_value_count(y); i++)
      if (is_expr(c->argv[1], i)) out = value_if(add_share(L, c, m, x, y, i, out), out);
  }
  td_value_drop(x);
  td_value_drop(y);
  return out;
}

// ---- CSV --------------------------------------------------------------------------------------

#define MAX_COLUMNS 1000

// A CSV file being read
typedef struct csv {
  lang* L;
  call* c;
  const char* path;
  const char* s;  // the rest of the text
  int line;
  char separator;  // ',', ';', tab, or ' ' for blanks
  int ncol;
  char names[MAX_COLUMNS][64];
  double* x;  // rows x ncol, row by row
  int n, cap;
} csv;

// Report an error in the current line; false.
static bool csv_fail(csv* f, const char* format, ...) TD_PRINTF(2, 3);
static bool csv_fail(csv* f, const char* format, ...) {
  char text[200];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  td_fail(f->L, f->c->at, "table('%s'), line %d: %s", f->path, f->line, text);
  return false;
}

static bool is_blank(char ch) { return ch == ' ' || ch == '\t' || ch == '\r'; }

// The next line that is not blank, as [begin, end), trimmed.
static bool next_line(csv* f, const char** begin, const char** end) {
  while (*f->s) {
    *begin = f->s;
    const char* e = strchr(f->s, '\n');
    *end = e ? e : f->s + strlen(f->s);
    f->s = e ? e + 1 : *end;
    f->line++;
    while (*begin < *end && is_blank(**begin) && f->separator != '\t') ++*begin;
    while (*end > *begin && is_blank((*end)[-1]) && (f->separator != '\t' || (*end)[-1] == '\r'))
      --*end;
    if (*begin < *end) return true;
  }
  return false;
}

// The next cell of a line, trimmed; false at the end of the line.
static bool next_cell(const csv* f, const char** at, const char* end, const char** begin,
                      const char** stop) {
  if (*at > end || (*at == end && f->separator == ' ')) return false;
  const char* p = *at;
  while (p < end && is_blank(*p) && *p != f->separator) p++;
  if (f->separator == ' ') {
    while (p < end && is_blank(*p)) p++;
  }
  *begin = p;
  while (p < end && *p != f->separator && !(f->separator == ' ' && is_blank(*p))) p++;
  *stop = p;
  *at = p + 1;
  while (*stop > *begin && is_blank((*stop)[-1])) --*stop;
  return f->separator != ' ' || *begin < *stop;
}

// Parse a cell as a number.
static bool cell_number(const char* begin, const char* stop, double* x) {
  char text[64];
  const size_t n = (size_t)(stop - begin);
  if (n == 0 || n >= sizeof text) return false;
  memcpy(text, begin, n);
  text[n] = 0;
  char* end = NULL;
  *x = strtod(text, &end);
  return *end == 0;
}

// Turn a header into a field's name: letters, digits and single _, a letter first, no name twice.
static void field_name(csv* f, const char* begin, const char* stop, char name[64]) {
  int n = 0;
  for (const char* p = begin; p < stop && n < 50; p++) {
    const bool digit = *p >= '0' && *p <= '9';
    const bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z');
    if (n == 0 && digit) name[n++] = 'x';
    if (letter || digit) {
      name[n++] = *p;
    } else if (n > 0 && name[n - 1] != '_') {
      name[n++] = '_';
    }
  }

  if (n > 1 && name[n - 1] == '_') n--;
  if (n == 0) name[n++] = 'x';
  name[n] = 0;

  for (int k = 2, i = 0; i < f->ncol; i++) {
    if (strcmp(f->names[i], name) != 0) continue;
    snprintf(name + n, (size_t)(64 - n), "_%d", k++);
    i = -1;
  }
}

// Read the names of the columns from the first line.
static bool read_header(csv* f, const char* begin, const char* end) {
  const char *at = begin, *b, *e;
  while (next_cell(f, &at, end, &b, &e)) {
    double x;
    if (f->ncol == MAX_COLUMNS) return csv_fail(f, "more than %d columns", MAX_COLUMNS);
    if (cell_number(b, e, &x))
      return csv_fail(f, "the first line must name the columns, but column %d is a number",
                      f->ncol + 1);
    field_name(f, b, e, f->names[f->ncol]);
    f->ncol++;
  }
  return true;
}

// Read the numbers of one line.
static bool read_row(csv* f, const char* begin, const char* end) {
  double* grown = td_grow(f->x, &f->cap, f->n + f->ncol, sizeof *grown);
  if (!grown) return td_no_memory(f->L, f->c->at) != NULL;
  f->x = grown;
  const char *at = begin, *b, *e;
  int k = 0;

  while (next_cell(f, &at, end, &b, &e)) {
    if (k == f->ncol) return csv_fail(f, "more than the %d columns of the header", f->ncol);
    if (!cell_number(b, e, &grown[f->n + k])) {
      char word[40];
      snprintf(word, sizeof word, "%.*s", (int)(e - b < 30 ? e - b : 30), b);
      return csv_fail(f, "'%s' in column %d is not a number", word, k + 1);
    }
    k++;
  }

  if (k < f->ncol) return csv_fail(f, "%d columns where the header has %d", k, f->ncol);
  f->n += f->ncol;
  return f->n <= TD_VALUE_LIMIT || csv_fail(f, "too many numbers, the limit is %d", TD_VALUE_LIMIT);
}

// table('file.csv'): a struct of column vectors by header name.
static value* table(lang* L, call* c) {
  const char* name = td_arg_string(L, c, 0);
  char* path = name ? td_relative_path(L, c->at, name) : NULL;
  if (!path) return name ? td_no_memory(L, c->at) : NULL;
  int size = 0;
  char* text = td_read_text(L, path, c->arg_at[0], &size);
  csv* f = text ? calloc(1, sizeof *f) : NULL;
  value* s = NULL;
  if (text && !f) td_no_memory(L, c->at);
  if (!f) goto done;
  *f = (csv){.L = L, .c = c, .path = name, .s = text};
  if (strncmp(text, "\xef\xbb\xbf", 3) == 0) f->s += 3;

  // the header decides the separator: ';', a tab, ',' or blanks
  const char *begin, *end;
  bool ok = next_line(f, &begin, &end) || csv_fail(f, "the file is empty");
  if (ok) {
    const size_t length = (size_t)(end - begin);
    f->separator = memchr(begin, ';', length)    ? ';'
                   : memchr(begin, '\t', length) ? '\t'
                   : memchr(begin, ',', length)  ? ','
                                                 : ' ';
    ok = read_header(f, begin, end);
  }
  while (ok && next_line(f, &begin, &end)) ok = read_row(f, begin, end);
  if (!ok || !td_spend(L, 1000L + size, c->at)) goto done;

  // one field for each column
  s = td_struct(L, 1, 1, c->at);
  const int rows = f->n / f->ncol;

  for (int j = 0; s && j < f->ncol; j++) {
    value* v = td_num(L, rows, 1, 1, c->at);
    value_slot* slot = v ? td_value_slot_make(s, 0, f->names[j]) : NULL;
    for (int i = 0; slot && i < rows; i++) v->x[i] = f->x[i * f->ncol + j];
    if (slot) {
      slot->at = slot->name_at = c->at;
      td_value_put(s, slot, v);
    } else {
      td_value_drop(v);
      td_value_drop(s);
      s = NULL;
    }
  }
done:
  if (f) free(f->x);
  free(f);
  free(text);
  free(path);
  return s;
}

const builtin td_builtin_tables[] = {
    {"interp1", interp1, 3, 5, "interp1(x, y, at, method)", 0},
    {"table", table, 1, 1, "table('file.csv')", 0},
    {NULL, NULL, 0, 0, NULL, 0},
};
