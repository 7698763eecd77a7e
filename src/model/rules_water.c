// The rules of what is in a fluid: drag that takes energy, a section to know what is displaced,
// fields that have an effect.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "model/rules.h"

// The symmetric part of a drag matrix must not push along the velocity.
void td_check_drag_matrix(td_spec* spec, const checked* c) {
  const int n = c->v->rows;
  double A[36], w[6], V[36], eye[36] = {0}, size = 0;
  ex e[36];
  char rule[160];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double x, y;
      if (!td_check_known(spec, c->v, i + n * j, &x)) return;
      if (!td_check_known(spec, c->v, j + n * i, &y)) return;
      e[i + n * j] = td_value_ex(c->v, i + n * j, spec->graph);
      A[i + n * j] = 0.5 * (x + y);
      eye[i + n * j] = i == j;
      size = fmax(size, fabs(x));
    }
  snprintf(rule, sizeof rule,
           "%s must not push: its symmetric part must not have a negative eigenvalue", c->name);
  td_bound_matrix(spec, BOUND_PASSIVE, e, n, rule);
  if (!td_eig_symmetric(A, eye, n, w, V) || w[0] >= -TD_BOUND_SLACK * size) return;
  td_error(&spec->diags, TD_E_MODEL, c->at,
           "%s must not push: its symmetric part has the negative eigenvalue %g", c->name, w[0]);
}

// Is there a fluid?  True when its density is an expression.
static bool has_fluid(const td_spec* spec) {
  const value* fluid = td_get(spec->root, 0, "fluid");
  const value* rho = fluid && fluid->kind == V_STRUCT ? td_get(fluid, 0, "rho") : NULL;
  double x;
  if (!rho || rho->kind != V_NUM || td_value_count(rho) != 1) return false;
  return !td_check_constant(spec, rho, 0, &x) || x != 0;
}

static const char* section_field(const value* s, int i) {
  const value* word = td_get(s, i, "section");
  const char* section = word && word->kind == V_STR ? word->s : "circle";
  if (strcmp(section, "rectangle") == 0 || strcmp(section, "ellipse") == 0)
    return td_get(s, i, "width") ? "height" : "width";
  return strcmp(section, "custom") == 0 ? "area" : "radius";
}

// An edge has no x axis of its own: what is across it is the same all around.
static void check_edge_drag(td_spec* spec, const value* fluid, const char* name) {
  const value* drag = fluid && fluid->kind == V_STRUCT ? td_get(fluid, 0, "drag") : NULL;
  double x, y;
  if (!drag || drag->kind != V_NUM || td_value_count(drag) != 3) return;
  const ex first = td_value_ex(drag, 0, spec->graph), second = td_value_ex(drag, 1, spec->graph);
  if (first == second) return;
  if (!td_check_known(spec, drag, 0, &x) || !td_check_known(spec, drag, 1, &y)) return;
  char rule[160];
  snprintf(rule, sizeof rule,
           "%s.fluid.drag: the first two must be the same, an edge has no x axis; they differ by ",
           name);
  td_bound_range(spec, td_ex_2(spec->graph, EX_SUB, first, second), 0, false, 0, rule, "");
  if (x == y) return;
  td_error(&spec->diags, TD_E_MODEL, td_get_at(fluid, 0, "drag"),
           "%s.fluid.drag: the first two must be the same, an edge has no x axis; got %g and %g",
           name, x, y);
}

void td_check_wet(td_spec* spec, const td_field* field, const value* s, int i, const char* name) {
  const bool rod = strcmp(field->path, "rod") == 0;
  const value* fluid = td_get(s, i, "fluid");
  if (!has_fluid(spec)) {
    if (fluid)
      td_warn(&spec->diags, td_get_at(s, i, "fluid"),
              "%s.fluid has no effect: there is no fluid (fluid.rho is 0)", name);
    return;
  }
  if (strcmp(field->path, "mesh") == 0) check_edge_drag(spec, fluid, name);
  if (rod && !td_get(s, i, "part") && !td_get(s, i, section_field(s, i))) {
    td_error(&spec->diags, TD_E_MODEL, td_check_element_at(&spec->diags, s, i),
             "%s.%s is missing: a rod in a fluid needs its section", name, section_field(s, i));
    return;
  }
  if (!rod || !fluid || fluid->kind != V_STRUCT || !td_get(fluid, 0, "drag_matrix")) return;
  static const char* const replaced[] = {"drag", "lift"};
  for (int k = 0; k < 2; k++)
    if (td_get(fluid, 0, replaced[k]))
      td_warn(&spec->diags, td_get_at(fluid, 0, replaced[k]),
              "%s.fluid.%s has no effect: drag_matrix is given", name, replaced[k]);
}
