// Rules for numbers made of parameters, kept by td_spec_check for td_work_set_param (bound.h).
#include <math.h>
#include <string.h>

#include "model/rules.h"

// Append a copy of a bound on the expressions e, unless they depend on more than parameters: other
// numbers are not known when a parameter is set.
static void keep(td_spec* spec, spec_bound bound, const ex* e, int n, const char* rule,
                 const char* unit) {
  unsigned on = TD_ON_NOTHING;
  for (int i = 0; i < n; i++) on |= (unsigned)td_ex_depends(spec->graph, e[i]);
  if (on != TD_ON_PARAM) return;
  spec_bound* grown = td_grow(spec->bounds, &spec->bound_cap, spec->nbound + 1, sizeof *grown);
  if (grown) spec->bounds = grown;
  bound.n = n;
  bound.e = malloc(sizeof(ex) * (size_t)n);
  bound.rule = td_strdup(rule);
  bound.unit = unit ? td_strdup(unit) : NULL;
  if (!grown || !bound.e || !bound.rule || (unit && !bound.unit)) {
    free(bound.e);
    free(bound.rule);
    free(bound.unit);
    td_error(&spec->diags, TD_E_NOMEM, td_span_none(), "out of memory");
    return;
  }
  memcpy(bound.e, e, sizeof(ex) * (size_t)n);
  grown[spec->nbound++] = bound;
}

void td_bound_range(td_spec* spec, ex e, double low, bool open, double high, const char* rule,
                    const char* unit) {
  keep(spec, (spec_bound){.kind = BOUND_RANGE, .low = low, .open = open, .high = high}, &e, 1, rule,
       unit);
}

void td_bound_matrix(td_spec* spec, bound_kind kind, const ex* e, int n, const char* rule) {
  keep(spec, (spec_bound){.kind = kind}, e, n * n, rule, NULL);
}

ex td_bound_at(td_spec* spec, const value* v, int i, ex arc) {
  const ex e = td_value_ex(v, i, spec->graph);
  if (arc == EX_NONE || !(td_ex_depends(spec->graph, e) & TD_ON_ARC)) return e;
  return td_ex_substitute(spec->graph, e, &spec->arc_var, &arc, 1);
}

ex td_stretch_ex(td_spec* spec, stretch s, int k) {
  if (isnan(s.length)) return EX_NONE;
  if (!s.moves) return td_ex_const(spec->graph, stretch_arc(s, k));
  return td_ex_2(spec->graph, EX_ADD, s.from_ex,
                 td_ex_2(spec->graph, EX_MUL, td_ex_const(spec->graph, 0.5 * k), s.length_ex));
}
