// The rules of cables: they run through rods that exist or between places, inside the section, and
// something drives them.
#include <math.h>
#include <string.h>

#include "model/rules.h"

static td_span field_at(td_spec* spec, const value* s, int i, const char* field) {
  return td_get(s, i, field) ? td_get_at(s, i, field) : td_check_element_at(&spec->diags, s, i);
}

// The number written in a field, `fallback` where there is none, NaN for an expression.
static double written(const td_spec* spec, const value* s, int i, const char* field,
                      double fallback) {
  const value* v = td_get(s, i, field);
  double x = fallback;
  if (!v) return x;
  return v->kind == V_NUM && td_check_constant(spec, v, 0, &x) ? x : (double)NAN;
}

// A stiffness other than inf, or an expression.
static bool is_stiff(const td_spec* spec, const value* s, int i) {
  return !isinf(written(spec, s, i, "stiffness", INFINITY));
}

bool td_cable_is_taut(const td_spec* spec, const value* s, int i) {
  return !td_get(s, i, "tension") && td_get(s, i, "pull") && !is_stiff(spec, s, i);
}

static bool error(td_spec* spec, td_span at, const char* name, const char* text) {
  td_error(&spec->diags, TD_E_MODEL, at, "%s%s", name, text);
  return false;
}

// Friction in a cable that cannot be stretched: a constant other than 0, or an expression.
static bool has_friction(td_spec* spec, const value* s, int i) {
  return written(spec, s, i, "friction", 0) != 0;
}

// A tension, or a shortening and the stiffness it works against; none: it cannot be stretched.
static void cable_drive(td_spec* spec, const value* s, int i, const char* name) {
  const bool tension = td_get(s, i, "tension"), pull = td_get(s, i, "pull");
  if (!tension && !pull) {
    error(spec, td_check_element_at(&spec->diags, s, i), name,
          " is driven by nothing: write tension or pull");
  } else if (tension && pull) {
    error(spec, td_get_at(s, i, "pull"), name,
          ".pull and tension: a cable is driven by one of them");
  } else if (pull && td_cable_is_taut(spec, s, i) && has_friction(spec, s, i)) {
    error(spec, td_get_at(s, i, "friction"), name,
          ".friction: a cable that cannot be stretched has none; give it a stiffness [N/m]");
  }
  if (tension && !pull && is_stiff(spec, s, i))
    td_warn(&spec->diags, td_get_at(s, i, "stiffness"),
            "%s.stiffness has no effect: its tension is given", name);
}

// Only one of the two ways to say where it runs.
static bool cable_way(td_spec* spec, const value* s, int i, const char* name) {
  static const char* const inside[] = {"rod", "path", "from", "to", "friction"};
  const value *via = td_get(s, i, "via"), *points = td_get(s, i, "points");
  if (!via) {
    if (points)
      return error(spec, td_get_at(s, i, "points"), name, ".points belong to the places of `via`");
    return true;
  }
  for (int k = 0; k < 5; k++)
    if (td_get(s, i, inside[k])) {
      td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, inside[k]),
               "%s.%s and via: a cable runs through rods or straight between places", name,
               inside[k]);
      return false;
    }
  if (via->kind != V_CELL) return false;
  if (td_value_count(via) < 2)
    return error(spec, td_get_at(s, i, "via"), name, ".via needs two places or more");
  if (points && points->kind == V_NUM &&
      (points->rows != td_value_count(via) || points->cols != 3)) {
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "points"),
             "%s.points must be %dx3, a row for each place of `via`, got %dx%d", name,
             td_value_count(via), points->rows, points->cols);
  }
  return false;
}

// The path at both ends and in the middle of its rod.
static void cable_path(td_spec* spec, const value* s, int i, const char* name, int rod,
                       const double range[2]) {
  for (int p = 0; td_get(s, i, "path") && p < 3; p++) {
    const double arc = range[0] + 0.5 * p * (range[1] - range[0]);
    double x[2];
    if (!td_check_number(spec, s, i, "path", 0, arc, NAN, &x[0])) return;
    if (!td_check_number(spec, s, i, "path", 1, arc, NAN, &x[1])) return;
    if (td_check_inside(spec, rod, arc, x)) continue;
    td_warn(&spec->diags, td_get_at(s, i, "path"),
            "%s.path leaves the section of rod(%d): it is [%g %g] m at s = %g m", name, rod + 1,
            x[0], x[1], arc);
    return;
  }
}

// The k-th of n rods.
static void cable_rod(td_spec* spec, const value* s, int i, const char* name, int k, int n) {
  td_diags* diags = &spec->diags;
  const int nrod = td_check_rod_count(spec);
  double rod, from = 0, to;
  if (!td_check_number(spec, s, i, "rod", k, NAN, 1, &rod) || !(rod >= 1 && rod == floor(rod)))
    return;
  if (rod > nrod) {
    td_error(diags, TD_E_MODEL, field_at(spec, s, i, "rod"),
             "%s.rod is rod(%g), but the model has %d rod%s", name, rod, nrod,
             nrod == 1 ? "" : "s");
    return;
  }
  const double length = td_check_rod_length(spec, (int)rod - 1);
  if (isnan(length)) return;
  to = length;
  if (k == 0 && !td_check_number(spec, s, i, "from", 0, NAN, 0, &from)) return;
  if (k == n - 1 && !td_check_number(spec, s, i, "to", 0, NAN, length, &to)) return;
  if (to > length * (1 + 1e-9)) {
    td_error(diags, TD_E_MODEL, td_get_at(s, i, "to"), "%s.to: rod(%g) is %g m long, got %g m",
             name, rod, length, to);
  } else if (from >= to) {
    td_error(diags, TD_E_MODEL, field_at(spec, s, i, "from"),
             "%s.from must be below where it ends, got %g m and %g m", name, from, to);
  } else {
    cable_path(spec, s, i, name, (int)rod - 1, (double[]){from, to});
  }
}

void td_check_cable(td_spec* spec, const value* s, int i, const char* name) {
  cable_drive(spec, s, i, name);
  if (!cable_way(spec, s, i, name)) return;
  const value* rods = td_get(s, i, "rod");
  const int n = rods && rods->kind == V_NUM ? td_value_count(rods) : 1;
  const int nrod = td_check_rod_count(spec);
  if (n > 1 && n > nrod) {
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "rod"),
             "%s.rod names %d rods, but the model has %d", name, n, nrod);
    return;
  }
  for (int k = 0; k < n; k++) {
    for (int l = 0; rods && l < k; l++)
      if (rods->kind == V_NUM && rods->x[l] == rods->x[k]) {
        td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "rod"),
                 "%s.rod names rod(%g) twice: write two cables", name, rods->x[k]);
        return;
      }
    cable_rod(spec, s, i, name, k, n);
  }
}
