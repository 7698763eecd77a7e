// Other default values in a model text: param('E', 5e5, ...) becomes param('E', 3.2e5, ...) in
// place, everything else stays as it is written.
#include <stdio.h>
#include <string.h>

#include "model/spec.h"
#include "tendril/tools.h"

// A piece of text that is replaced.
typedef struct change {
  int begin, end;
  double value;
} change;

// Find the second argument of a call whose name begins at `at`: [*begin, *end), trimmed.
static bool second_argument(const char* s, int size, int at, int* begin, int* end) {
  while (at < size && s[at] != '(' && s[at] != '\n') at++;
  if (at >= size || s[at] != '(') return false;
  int depth = 0, commas = 0;
  *begin = -1;
  for (int i = at; i < size; i++) {
    const char c = s[i];
    if (c == '\'' || c == '"') {
      // a text in quotes; behind a value ' is a transpose
      const bool transposes =
          c == '\'' && i > 0 &&
          (strchr(")]}'.", s[i - 1]) || s[i - 1] == '_' || (s[i - 1] >= '0' && s[i - 1] <= '9') ||
           (s[i - 1] >= 'A' && s[i - 1] <= 'Z') || (s[i - 1] >= 'a' && s[i - 1] <= 'z'));
      if (transposes) continue;
      for (i++; i < size && s[i] != c && s[i] != '\n';) i++;
      continue;
    }
    if (c == '%' || c == '#') return false;  // a comment inside the call
    if (c == '(' || c == '[' || c == '{') depth++;
    const bool closes = c == ')' || c == ']' || c == '}';
    if (closes) depth--;
    const bool ends = (closes && depth == 0) || (c == ',' && depth == 1);
    if (!ends) continue;
    if (commas == 1) {
      *end = i;
      while (*begin < *end && (s[*begin] == ' ' || s[*begin] == '\t')) ++*begin;
      while (*end > *begin && (s[*end - 1] == ' ' || s[*end - 1] == '\t')) --*end;
      return *begin < *end;
    }
    commas++;
    *begin = i + 1;
    if (closes) return false;
  }
  return false;
}

static int by_place(const void* a, const void* b) {
  const change *x = a, *y = b;
  return (x->begin > y->begin) - (x->begin < y->begin);
}

// Replace the defaults of n parameters in the first text that was loaded.
td_status td_spec_rewrite(const td_spec* spec, const char* const* names, const double* values,
                          int n, char** text, char* message, size_t size) {
  if (!text) return TD_E_USAGE;
  *text = NULL;
  if (!spec || n < 0 || (n > 0 && (!names || !values)) || spec->diags.nsource == 0)
    return TD_E_USAGE;
  if (message && size > 0) *message = 0;
  change* list = calloc((size_t)n + 1, sizeof *list);
  td_text left = {0}, out = {0};
  int count = 0;
  if (!list) return TD_E_NOMEM;

  // where each is written
  const td_source* source = &spec->diags.sources[0];
  for (int i = 0; i < n; i++) {
    const spec_param* p = NULL;
    for (int k = 0; k < spec->nparam && !p; k++)
      if (names[i] && strcmp(spec->params[k].name, names[i]) == 0) p = &spec->params[k];
    change c = {.value = values[i]};
    const bool here = p && p->at.source == 0 && p->at.begin >= 0 && !p->from_syms &&
                      second_argument(source->text, source->size, p->at.begin, &c.begin, &c.end);
    if (here)
      list[count++] = c;
    else
      td_text_printf(&left, "%s%s", left.n ? ", " : "", names[i] ? names[i] : "");
  }
  if (count > 1) qsort(list, (size_t)count, sizeof *list, by_place);

  // the text with these replaced
  int at = 0;
  for (int i = 0; i < count; i++) {
    td_text_addn(&out, source->text + at, list[i].begin - at);
    td_text_printf(&out, "%.9g", list[i].value);
    at = list[i].end;
  }
  td_text_addn(&out, source->text + at, source->size - at);
  if (left.n && message && size > 0)
    snprintf(message, size, "the text does not give %s a default that could be replaced", left.s);
  const bool failed = out.failed || left.failed;
  td_text_free(&left);
  free(list);
  if (failed) {
    td_text_free(&out);
    return TD_E_NOMEM;
  }
  *text = out.s;
  return TD_OK;
}
