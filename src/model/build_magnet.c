// Magnets: dipoles that are fixed in a body or a rod, in a field that is the same everywhere. Their
// fields, their rules and their builder.
#include <math.h>
#include <stdio.h>

#include "model/force_words.h"
#include "model/meshes.h"
#include "model/rods.h"

static const td_field fields[] = {
    {"magnet", FIELD_STRUCTS, "", "", "", FIXED, "", "", "magnetic dipoles in a uniform field"},
    {"magnet.name", FIELD_STR, "", "", "", FIXED, "", "", "name in messages and results; unique"},
    {"magnet.on", FIELD_PLACE, "", TD_REQUIRED, "", FIXED, "", "",
     "what carries it: a body, a place on a rod, or a rod that is magnetic all along"},
    {"magnet.moment", FIELD_NUM, "1x3", TD_REQUIRED, "A m^2, A m", BENT, "", "",
     "dipole moment in the axes of what carries it; of a whole rod per length"},
    {"magnet.field", FIELD_NUM, "1x3", TD_REQUIRED, "T", FORCE, "", "",
     "the field in the world, the same everywhere"},
    {.path = NULL},
};

// A magnet as it is written.
typedef struct magnet_words {
  int i;  // from 0
  const value *on, *moment, *field;
  td_span at;
  int rod;  // that is magnetic all along, from 1; 0: the magnet sits at a place
} magnet_words;

// Read the fields of one magnet.
static magnet_words read_magnet(const value* s, int i) {
  const value* on = td_get(s, i, "on");
  return (magnet_words){.i = i,
                        .on = on,
                        .moment = td_get(s, i, "moment"),
                        .field = td_get(s, i, "field"),
                        .at = td_get_at(s, i, "on"),
                        .rod = value_names(on, "rod") && !on->ref.has_place ? on->ref.index : 0};
}

// Check that only a magnet along a whole rod has a moment that depends on arc length.
static void check(td_spec* spec, const value* s, int i, const char* name) {
  const magnet_words w = read_magnet(s, i);
  for (int c = 0; w.moment && w.moment->kind == V_NUM && c < td_value_count(w.moment); c++) {
    const unsigned on = td_ex_depends(spec->graph, td_value_ex(w.moment, c, spec->graph));
    if (!(on & TD_ON_ARC) || w.rod > 0) continue;
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "moment"),
             "%s.moment depends on the arc length s, but %s.on is no whole rod", name, name);
    return;
  }
}

static const td_rule rules[] = {
    {"magnet", .element = check},
    {.path = NULL},
};

static const td_structure structure = {
    .fields = fields,
    .rules = rules,
    .plural = "magnets",
    .intro =
        "A magnet turns towards the field: with the moment m in the axes R of what carries it and "
        "the field B the torque is R m x B and, as long as both are constant, -R m . B counts as "
        "elastic energy. A rod that is magnetic all along is a hard-magnetic soft rod.",
    .example =
        "rod(1).length = 0.3; rod(1).radius = 0.015; rod(1).E = 1e6; rod(1).rho = 2000;\n"
        "B = input('B', 0);                       % T\n"
        "magnet(1).on = rod(1);\n"
        "magnet(1).moment = [0 0 70];             % A m: 100 kA/m along the rod\n"
        "magnet(1).field = B*[cos(2*pi*t) sin(2*pi*t) 0];\n",
};

// ---- where ------------------------------------------------------------------------------------

static td_status places(builder* b, int rod, rod_places* out) {
  const value* magnets = td_get(b->spec->root, 0, "magnet");
  for (int i = 0; magnets && i < td_value_count(magnets); i++) {
    const magnet_words w = read_magnet(magnets, i);
    if (w.rod == 0) TD_TRY(td_rod_want_place(b, rod, w.on, out));
  }
  return TD_OK;
}

static bool along(const builder* b, int rod) {
  const value* magnets = td_get(b->spec->root, 0, "magnet");
  for (int i = 0; magnets && i < td_value_count(magnets); i++)
    if (read_magnet(magnets, i).rod == rod + 1) return true;
  return false;
}

// ---- the builder ------------------------------------------------------------------------------

// One dipole at a station; of a whole rod `weight` times the moment at an arc length, else NaN.
static td_status push(builder* b, const magnet_words* w, int station, double weight, double arc,
                      const char* what) {
  const int rod = w->rod - 1;
  td_exprs* g = b->spec->graph;
  if (model_forces(b->m) >= b->spec->limits.parts)
    return td_error(b->diags, TD_E_MODEL, w->at,
                    "magnet(%d): the model may have %d springs and loads", w->i + 1,
                    b->spec->limits.parts);
  model_element* f = td_push_magnet(b->m, 1);
  const num numbers = td_push_number_ex(b->m, 6) ? b->m->nnumber_ex - 6 : NUM_NONE;
  if (!f || numbers == NUM_NONE) return TD_E_NOMEM;
  *f = (model_element){.name = td_push_name(b->m, "%s", what),
                       .a = -1,
                       .b = station,
                       .numbers = numbers,
                       .potential = true};
  const ex grown = isnan(arc) ? num_ex(b, weight) : td_rod_weight(b, rod, arc, weight);
  for (int c = 0; c < 3; c++) {
    const ex moment = td_value_ex(w->moment, c, g);
    b->m->number_ex[numbers + c] = isnan(arc) ? moment : mul(b, grown, at_arc(b, rod, moment, arc));
    b->m->number_ex[numbers + 3 + c] = td_value_ex(w->field, c, g);
  }
  for (int c = 0; c < 6; c++)
    if (td_ex_depends(g, b->m->number_ex[numbers + c]) & ~(unsigned)TD_ON_PARAM)
      f->potential = false;
  b->m->has_blocks = true;
  return f->name < 0 ? TD_E_NOMEM : TD_OK;
}

// Spread a magnet along a rod: a dipole at each of its quadrature points, times the point's weight.
static td_status push_along(builder* b, const magnet_words* w, const char* name) {
  if (w->rod > b->nrod)
    return td_error(b->diags, TD_E_MODEL, w->at,
                    "magnet(%d).on: there is no rod(%d), the model has %d", w->i + 1, w->rod,
                    b->nrod);
  for (int k = 0; k < b->m->nsample; k++) {
    const model_sample s = b->m->sample[k];
    char what[160];
    if (s.rod != w->rod || s.weight == 0) continue;
    snprintf(what, sizeof what, "%s@%g", name, s.arc);
    TD_TRY(push(b, w, s.station, s.weight, s.arc, what));
  }
  return TD_OK;
}

// Put a magnet at a place: a dipole on each element of a body, or at an arc length.  Refuses the
// ground.
static td_status push_at(builder* b, const magnet_words* w, const char* name) {
  place on;
  char what[48];
  int station;
  snprintf(what, sizeof what, "magnet(%d).on", w->i + 1);
  td_status status = td_build_place(b, w->on, w->at, what, &on);
  if (status == TD_OK && on.body == 0 && on.rod == 0)
    status = td_error(b->diags, TD_E_MODEL, w->at,
                      "%s is the ground: a magnet is on a body or a rod", what);
  if (status == TD_OK) status = td_build_check_place(b, &on, max_int(1, on.n), what);
  if (status == TD_OK) td_mesh_warn_torque(b, &on, w->at, name);
  for (int e = 0; status == TD_OK && e < max_int(1, on.n); e++) {
    char one[160];
    snprintf(one, sizeof one, on.n > 1 ? "%s[%d]" : "%s", name, e + 1);
    status = td_build_station(b, &on, e, NULL, false, one, &station);
    if (status == TD_OK) status = push(b, w, station, 1, NAN, one);
  }
  free(on.element);
  return status;
}

// Add all magnets, at a place or along a rod; returns the last failure.
static td_status build(builder* b) {
  const value* magnets = td_get(b->spec->root, 0, "magnet");
  td_status worst = TD_OK;
  for (int i = 0; magnets && i < td_value_count(magnets); i++) {
    const magnet_words w = read_magnet(magnets, i);
    plain_name plain;
    char name[100];
    snprintf(name, sizeof name, "%.90s", td_build_name(magnets, i, "magnet", plain));
    const td_status s = w.rod > 0 ? push_along(b, &w, name) : push_at(b, &w, name);
    if (s != TD_OK) worst = s;
  }
  return worst;
}

static void numbers(const td_model* m, bool* force) {
  for (int i = 0; i < 6 * m->nmagnet; i++) force[m->magnet[i / 6].numbers + i % 6] = true;
}

const force_words td_words_magnet = {
    .numbers = numbers,
    .structure = &structure,
    .build = build,
    .places = places,
    .along = along,
};
