// Shared by the checks and the builders: whether a value is known, and where an element was
// written.
#include <math.h>

#include "model/rules.h"

bool td_check_constant(const td_spec* spec, const value* v, int i, double* x) {
  *x = v->x[i];
  if (!v->e || v->e[i] == EX_NONE) return true;
  *x = td_ex_value(spec->graph, v->e[i]);
  return td_ex_is_const(spec->graph, v->e[i]);
}

bool td_check_along(const td_spec* spec, const value* v, int i, double arc, double* x) {
  return td_check_constant(spec, v, i, x) || td_spec_evaluate(spec, v->e[i], arc, x);
}

bool td_check_known(const td_spec* spec, const value* v, int i, double* x) {
  return td_check_along(spec, v, i, NAN, x);
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// From the name of a field to what stands before its dot: "joint(2)" of "joint(2).type".  The span
// stays when the text has another form, as joint.(name) = 1.
static td_span owner_of(const td_diags* diags, td_span at) {
  if (at.source < 0 || at.source >= diags->nsource || at.begin < 1) return at;
  const char* text = diags->sources[at.source].text;
  const int end = at.begin - 1;
  int begin = end, depth = 0;
  if (end > diags->sources[at.source].size || text[end] != '.') return at;
  if (begin > 0 && text[begin - 1] == ')') {
    do {
      begin--;
      depth += (text[begin] == ')') - (text[begin] == '(');
    } while (begin > 0 && depth > 0 && text[begin] != '\n');
    if (depth != 0) return at;
  }
  const int index = begin;
  while (begin > 0 && is_letter(text[begin - 1])) begin--;
  return begin < index ? (td_span){at.source, begin, end} : at;
}

td_span td_check_element_at(const td_diags* diags, const value* s, int i) {
  for (int k = i * s->nfield; k < td_value_count(s) * s->nfield; k++)
    if (s->slots[k].v) return owner_of(diags, s->slots[k].name_at);
  return td_span_none();
}

td_span td_check_field_at(const td_diags* diags, const value* s, int i, const char* field) {
  return td_get(s, i, field) ? td_get_at(s, i, field) : td_check_element_at(diags, s, i);
}

void td_check_unused(td_spec* spec, const value* s, int i, const char* name, const char* field,
                     const char* why) {
  if (td_get(s, i, field))
    td_warn(&spec->diags, td_get_at(s, i, field), "%s.%s has no effect: %s", name, field, why);
}

bool td_check_is_empty(const value* s, int i) {
  for (int k = 0; k < s->nfield; k++)
    if (!td_value_is_empty(s->slots[i * s->nfield + k].v)) return false;
  return true;
}

int td_nested_limit(const td_spec* spec) { return spec->limits.dense; }

// One error for all empty elements from i on.
int td_check_gap(td_diags* diags, const value* s, int i, const char* root, const char* roots) {
  int n = 0;
  while (i + n < td_value_count(s) && td_check_is_empty(s, i + n)) n++;
  if (n == 0) return 0;
  const td_span at = td_check_element_at(diags, s, i);
  const char* const rule = "numbered without gaps, and the model has";
  if (n == 1)
    td_error(diags, TD_E_MODEL, at, "%s(%d) is empty: %s are %s %s(%d)", root, i + 1, roots, rule,
             root, td_value_count(s));
  else
    td_error(diags, TD_E_MODEL, at, "%s(%d) to %s(%d) are empty: %s are %s %s(%d)", root, i + 1,
             root, i + n, roots, rule, root, td_value_count(s));
  return n;
}
