// Chambers under pressure inside rods: their fields and rules.  Sections of rods add what a chamber
// does (rod_material.c).
#include <math.h>

#include "model/rod_words.h"
#include "model/structure.h"

static const td_field fields[] = {
    {"chamber", FIELD_STRUCTS, "", "", "", FIXED, "", "", "pneumatic chambers inside rods"},
    {"chamber.rod", FIELD_INT, "1", "1", "", FIXED, "", ">= 1", "rod it is in"},
    {"chamber.offset", FIELD_NUM, "1x2", "[0 0]", "m", BENT, "", "",
     "[x y] of its centre in the section"},
    {"chamber.area", FIELD_NUM, "1", TD_REQUIRED, "m^2", BENT, "", "> 0", "area of its section"},
    {"chamber.pressure", FIELD_NUM, "1", TD_REQUIRED, "Pa", BENT, "", "",
     "pressure above the surroundings"},
    {"chamber.from", FIELD_NUM, "1", "0", "m", PARAM, "", ">= 0", "arc length at which it begins"},
    {"chamber.to", FIELD_NUM, "1", "length", "m", PARAM, "", "> 0", "arc length at which it ends"},
    {.path = NULL},
};

// Rules of one chamber: a rod that exists, an interval on it, and an offset inside its section.
static void check(td_spec* spec, const value* s, int i, const char* name) {
  td_diags* diags = &spec->diags;
  const chamber_words w = chamber_read(s, i);
  const int nrod = td_check_rod_count(spec);
  double rod, from, to;

  // it is in a rod that exists, and ends there behind its beginning
  if (!td_check_number(spec, w.rod, 0, NAN, 1, &rod) || !(rod >= 1 && rod == floor(rod))) return;
  if (rod > nrod) {
    td_error(diags, TD_E_MODEL, td_check_field_at(diags, s, i, "rod"),
             "%s.rod is rod(%g), but the model has %d rod%s", name, rod, nrod,
             nrod == 1 ? "" : "s");
    return;
  }
  const double length = td_check_rod_length(spec, (int)rod - 1);
  if (isnan(length) || !td_check_number(spec, w.from, 0, NAN, 0, &from)) return;
  if (!td_check_number(spec, w.to, 0, NAN, length, &to)) return;
  if (to > length * (1 + 1e-9)) {
    td_error(diags, TD_E_MODEL, td_get_at(s, i, "to"), "%s.to: rod(%g) is %g m long, got %g m",
             name, rod, length, to);
    return;
  }
  if (from >= to) {
    td_error(diags, TD_E_MODEL, td_get_at(s, i, "from"),
             "%s.from must be below where it ends, got %g m and %g m", name, from, to);
    return;
  }

  td_check_range_stays(spec, (int)rod - 1, w.from, w.to, name);

  // its centre is inside the section at both ends and in the middle
  for (int p = 0; w.offset && p < 3; p++) {
    const double arc = from + 0.5 * p * (to - from);
    double x[2];
    if (!td_check_number(spec, w.offset, 0, arc, NAN, &x[0])) return;
    if (!td_check_number(spec, w.offset, 1, arc, NAN, &x[1])) return;
    if (td_check_inside(spec, (int)rod - 1, arc, x)) continue;
    td_warn(diags, td_get_at(s, i, "offset"),
            "%s.offset: [%g %g] m is outside the section of rod(%g)", name, x[0], x[1], rod);
    return;
  }
}

static const td_rule rules[] = {
    {"chamber", .element = check},
    {.path = NULL},
};

const td_structure td_structure_chamber = {
    .fields = fields,
    .rules = rules,
    .plural = "chambers",
    .intro =
        "A chamber under pressure p with the area A pushes with p A along its rod and bends it "
        "with p A [y -x], when it lies at [x y] in the section.",
    .example =
        "chamber(1).rod      = 1;\n"
        "chamber(1).offset   = [0.006 0];\n"
        "chamber(1).area     = 2e-5;\n"
        "chamber(1).pressure = 2e4*(1 - cos(2*pi*t));\n"
        "chamber(1).to       = 0.2;               % the first 20 cm\n",
};
