// Cables: which pieces of rods each passes and where in the section, straight spans between places,
// and what drives it.  Cables between two of their rods are in build_cable_joints.c.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elem/cable.h"
#include "model/cables.h"
#include "model/rods.h"
#include "model/structure.h"

static const td_field fields[] = {
    {"cable", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "cables that pull: through rods, or straight between places"},
    {"cable.name", FIELD_STR, "", "", "", FIXED, "", "", "name in messages and results; unique"},
    {"cable.rod", FIELD_INT, "1xm", "1", "", FIXED, "", ">= 1",
     "rod it runs through, or several in order from where it is pulled"},
    {"cable.path", FIELD_NUM, "1x2", "[0 0]", "m", ALONG, "", "",
     "[x y] where it passes the section; s counts from the base of each rod"},
    {"cable.from", FIELD_NUM, "1", "0", "m", PARAM, "", ">= 0",
     "arc length at which it enters the first rod"},
    {"cable.to", FIELD_NUM, "1", "length", "m", PARAM, "", "> 0",
     "arc length of the last rod at which it is fastened"},
    {"cable.tension", FIELD_NUM, "1", "", "N", FORCE, "", ">= 0",
     "tension, by which it pulls: a cable does not push"},
    {"cable.pull", FIELD_NUM, "1", "", "m", FORCE, "", "",
     "instead of a tension: how much shorter the cable is drawn than at the start; it may go "
     "slack"},
    {"cable.stiffness", FIELD_NUM, "1", "inf", "N/m", FORCE, "hard", "> 0",
     "with `pull`: tension per length by which it is stretched; by default it cannot be stretched"},
    {"cable.friction", FIELD_NUM, "1", "0", "", PARAM, "", ">= 0",
     "coefficient of friction inside rods: the tension decreases by exp(-friction*angle) along it "
     "while it is pulled"},
    {"cable.via", FIELD_PLACES, "", "", "", FIXED, "", "",
     "instead of rods: places between which it runs straight and slides freely"},
    {"cable.points", FIELD_NUM, "mx3", "", "m", PARAM, "", "",
     "a row for each place of `via`: the point in its frame, by default its origin"},
    {.path = NULL},
};

// ---- rules ------------------------------------------------------------------------------------

// A written number, `fallback` where there is none, NaN for an expression.
static double written(const td_spec* spec, const value* v, double fallback) {
  double x = fallback;
  if (!v) return x;
  return v->kind == V_NUM && td_check_constant(spec, v, 0, &x) ? x : (double)NAN;
}

// A stiffness other than inf, or an expression.
static bool is_stiff(const td_spec* spec, const cable_words* c) {
  return !isinf(written(spec, c->stiffness, INFINITY));
}

// Is it driven by its length, and inextensible?
static bool is_taut(const td_spec* spec, const cable_words* c) {
  return !c->tension && c->pull && !is_stiff(spec, c);
}

static bool error(td_spec* spec, td_span at, const char* name, const char* text) {
  td_error(&spec->diags, TD_E_MODEL, at, "%s%s", name, text);
  return false;
}

// A cable runs through rods or between places, not both; true: through rods.
static bool check_way(td_spec* spec, const value* s, int i, const char* name) {
  static const char* const inside[] = {"rod", "path", "from", "to", "friction"};
  const cable_words c = td_cable_read(s, i);
  if (!c.via && c.points)
    return error(spec, td_get_at(s, i, "points"), name, ".points belong to the places of `via`");
  if (!c.via) return true;
  for (int k = 0; k < 5; k++)
    if (td_get(s, i, inside[k])) {
      td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, inside[k]),
               "%s.%s and via: a cable runs through rods or straight between places", name,
               inside[k]);
      return false;
    }
  if (c.via->kind != V_CELL) return false;
  const int n = td_value_count(c.via);
  if (n < 2) return error(spec, td_get_at(s, i, "via"), name, ".via needs two places or more");
  if (c.points && c.points->kind == V_NUM && (c.points->rows != n || c.points->cols != 3))
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "points"),
             "%s.points must be %dx3, a row for each place of `via`, got %dx%d", name, n,
             c.points->rows, c.points->cols);
  return false;
}

// Rules for the k-th of a cable's n rods: it exists, the cable's range on it is an interval inside
// its length, and the path stays inside its section (a warning).
static void check_rod(td_spec* spec, const value* s, int i, const char* name, int k, int n) {
  const cable_words c = td_cable_read(s, i);
  td_diags* diags = &spec->diags;
  const int nrod = td_check_rod_count(spec);
  double rod, from = 0, to;
  if (!td_check_number(spec, c.rod, k, NAN, 1, &rod) || !(rod >= 1 && rod == floor(rod))) return;
  if (rod > nrod) {
    td_error(diags, TD_E_MODEL, td_check_field_at(diags, s, i, "rod"),
             "%s.rod is rod(%g), but the model has %d rod%s", name, rod, nrod,
             nrod == 1 ? "" : "s");
    return;
  }
  const double length = td_check_rod_length(spec, (int)rod - 1);
  if (isnan(length)) return;
  to = length;
  if (k == 0 && !td_check_number(spec, c.from, 0, NAN, 0, &from)) return;
  if (k == n - 1 && !td_check_number(spec, c.to, 0, NAN, length, &to)) return;
  if (to > length * (1 + 1e-9)) {
    td_error(diags, TD_E_MODEL, td_get_at(s, i, "to"), "%s.to: rod(%g) is %g m long, got %g m",
             name, rod, length, to);
    return;
  }
  if (from >= to) {
    td_error(diags, TD_E_MODEL, td_check_field_at(diags, s, i, "from"),
             "%s.from must be below where it ends, got %g m and %g m", name, from, to);
    return;
  }

  td_check_range_stays(spec, (int)rod - 1, k == 0 ? c.from : NULL, k == n - 1 ? c.to : NULL, name);

  // the path at both ends and in the middle
  for (int p = 0; c.path && p < 3; p++) {
    const double arc = from + 0.5 * p * (to - from);
    double x[2];
    if (!td_check_number(spec, c.path, 0, arc, NAN, &x[0])) return;
    if (!td_check_number(spec, c.path, 1, arc, NAN, &x[1])) return;
    if (td_check_inside(spec, (int)rod - 1, arc, x)) continue;
    td_warn(diags, td_get_at(s, i, "path"),
            "%s.path leaves the section of rod(%g): it is [%g %g] m at s = %g m", name, rod, x[0],
            x[1], arc);
    return;
  }
}

// Rules of one cable: driven by either tension or pull, friction and stiffness where they act, rods
// that exist and occur once.
static void check(td_spec* spec, const value* s, int i, const char* name) {
  const cable_words c = td_cable_read(s, i);

  // a tension, or a shortening and the stiffness it works against; none: it cannot be stretched
  if (!c.tension && !c.pull)
    error(spec, td_check_element_at(&spec->diags, s, i), name,
          " is driven by nothing: write tension or pull");
  else if (c.tension && c.pull)
    error(spec, td_get_at(s, i, "pull"), name,
          ".pull and tension: a cable is driven by one of them");
  else if (is_taut(spec, &c) && written(spec, c.friction, 0) != 0)
    error(spec, td_get_at(s, i, "friction"), name,
          ".friction: a cable that cannot be stretched has none; give it a stiffness [N/m]");
  if (c.tension && !c.pull && is_stiff(spec, &c))
    td_check_unused(spec, s, i, name, "stiffness", "its tension is given");

  // rods that exist, each once
  if (!check_way(spec, s, i, name)) return;
  const bool numbers = c.rod && c.rod->kind == V_NUM;
  const int n = numbers ? td_value_count(c.rod) : 1, nrod = td_check_rod_count(spec);
  if (n > 1 && n > nrod) {
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "rod"),
             "%s.rod names %d rods, but the model has %d", name, n, nrod);
    return;
  }
  for (int k = 0; k < n; k++) {
    for (int l = 0; numbers && l < k; l++)
      if (c.rod->x[l] == c.rod->x[k]) {
        td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "rod"),
                 "%s.rod names rod(%g) twice: write two cables", name, c.rod->x[k]);
        return;
      }
    check_rod(spec, s, i, name, k, n);
  }
}

static const td_rule rules[] = {
    {"cable", .element = check},
    {.path = NULL},
};

const td_structure td_structure_cable = {
    .fields = fields,
    .rules = rules,
    .plural = "cables",
    .intro =
        "A cable pulls with the same tension all along: it works against the length of its way, "
        "inside rods at a place of the section that may change along the rod, or straight from "
        "place to place as over small pulleys. It is driven by a tension or by a length.",
    .example =
        "rod(1).length = 0.3; rod(1).radius = 0.015; rod(1).E = 1e6; rod(1).rho = 1000;\n"
        "cable(1).rod = 1; cable(1).path = [0.01 0]; cable(1).tension = 5*ramp(t, 0, 1);\n"
        "cable(2).path = 0.01*[cos(20*s) sin(20*s)]; cable(2).to = 0.2; cable(2).tension = 2;\n"
        "cable(3).via = {0, at(rod(1), 0.3)}; cable(3).points = [0.1 0 0; 0 0.01 0];\n"
        "cable(3).pull = 0.01; cable(3).stiffness = 2e3;\n"
        "sensor(1).name = 'T'; sensor(1).value = [tension(cable(3)) length(cable(3))];\n",
};

// ---- inside rods ------------------------------------------------------------------------------

// Add a crossing for each rod of the cable that has this piece; `part` of the piece lies in the
// cable's range on it.
static td_status cross_piece(builder* b, int piece, int cable) {
  const model_strain* f = &b->m->strain[piece];
  for (int k = 0; k < td_cable_rods(b, cable); k++) {
    ex from, to;
    if (td_cable_rod(b, cable, k) != f->rod) continue;
    td_cable_range(b, cable, k, &from, &to);
    const ex part = td_rod_share(b, f->rod - 1, td_rod_reach(b, f), f->arc, from, to);
    if (td_ex_is_const(b->spec->graph, part) && td_ex_value(b->spec->graph, part) == 0) continue;
    TD_TRY(td_cable_room(b, cable));
    const num path = td_cable_path(b, cable, f->rod, f->arc), cover = td_build_number(b, part);
    model_crossing* c = td_push_crossing(b->m, 1);
    if (!c || path == NUM_NONE || cover == NUM_NONE) return TD_E_NOMEM;
    *c = (model_crossing){piece, cable, cover, path, 0};
    b->m->strain[piece].ncrossing++;
  }
  return TD_OK;
}

#define MOST_MEETINGS 1e8  // pairs of pieces and cables that the search for crossings may try

// Find for each piece of a rod the cables that pass it, piece by piece.
static td_status cross_pieces(builder* b) {
  if ((double)b->m->nstrain * b->m->ncable > MOST_MEETINGS)
    return td_error(
        b->diags, TD_E_MODEL, td_check_element_at(b->diags, b->cables, 0),
        "the model has %d cables and %d pieces of rods: too many to find where they meet",
        b->m->ncable, b->m->nstrain);
  for (int i = 0; i < b->m->nstrain; i++) {
    b->m->strain[i].crossing = b->m->ncrossing;
    for (int k = 0; k < b->m->ncable; k++) TD_TRY(cross_piece(b, i, k));
  }
  return TD_OK;
}

// ---- from where it is pulled ------------------------------------------------------------------

typedef struct ordered {
  int cable, rod, crossing;  // rod: which of the cable's
  double arc;
} ordered;

static int compare_ordered(const void* a, const void* b) {
  const ordered *x = a, *y = b;
  if (x->cable != y->cable) return x->cable < y->cable ? -1 : 1;
  if (x->rod != y->rod) return x->rod < y->rod ? -1 : 1;
  if (x->arc != y->arc) return x->arc < y->arc ? -1 : 1;
  return (x->crossing > y->crossing) - (x->crossing < y->crossing);
}

// List the crossings of each cable in the order in which it passes them (m->cable_order), as
// friction needs.
static td_status order_crossings(builder* b) {
  td_model* m = b->m;
  const int n = m->ncrossing;
  if (n == 0) return TD_OK;
  ordered* list = malloc((size_t)n * sizeof(ordered));
  int* order = td_push_cable_order(m, n);
  if (!list || !order) {
    free(list);
    return TD_E_NOMEM;
  }

  // key of each crossing: cable, rod along the cable, arc length
  for (int i = 0; i < n; i++) {
    const model_crossing* c = &m->crossing[i];
    const model_strain* f = &m->strain[c->strain];
    // the joint behind a rod comes after all of it
    list[i] = (ordered){c->cable, c->joint - 1, i, INFINITY};
    if (c->joint > 0) continue;
    list[i] = (ordered){c->cable, 0, i, f->arc};
    while (td_cable_rod(b, c->cable, list[i].rod) != f->rod) list[i].rod++;
  }

  // sort, and note where each cable begins
  qsort(list, (size_t)n, sizeof(ordered), compare_ordered);
  for (int i = 0; i < n; i++) {
    model_cable* c = &m->cable[list[i].cable];
    if (c->norder++ == 0) c->order = i;
    order[i] = list[i].crossing;
  }
  free(list);
  return TD_OK;
}

// ---- straight spans ---------------------------------------------------------------------------

// Add the station of the k-th place of `via`, moved to the cable's point there.
static td_status push_end(builder* b, int cable, int k, int* station) {
  const value *via = b->cable[cable].via, *points = b->cable[cable].points;
  const value_slot* slot = &via->slots[k];
  char what[48];
  place p;
  snprintf(what, sizeof what, "cable(%d).via{%d}", cable + 1, k + 1);
  td_status status = td_build_place(b, slot->v, slot->at, what, &p);
  if (status == TD_OK) status = td_build_check_place(b, &p, 1, what);
  int hop = -1, fix = 0, nfix = 0;
  if (status == TD_OK) status = td_build_anchor(b, &p, 0, &hop, &fix, &nfix);
  if (status == TD_OK) {
    const double zero[3] = {0};
    const num at = td_build_constants(b, zero, 3);
    model_fix* own = td_push_fix(b->m, 1);
    model_station* s = td_push_station(b->m, 1);
    status = own && s && at != NUM_NONE ? TD_OK : TD_E_NOMEM;
    for (int c = 0; status == TD_OK && points && c < 3; c++)
      b->m->number_ex[at + c] = td_value_ex(points, k + points->rows * c, b->spec->graph);
    if (status == TD_OK) *own = (model_fix){.kind = ROT_NONE, .trans = at, .rot = NUM_NONE};
    if (status == TD_OK)
      *s = (model_station){.hop = hop,
                           .fix = fix,
                           .nfix = nfix + 1,
                           .body = -1,
                           .name = td_push_name(b->m, "cable(%d).%d", cable + 1, k + 1)};
    *station = b->m->nstation - 1;
  }
  free(p.element);
  return status;
}

// Add the straight spans of a cable between the places of `via`. Refuses more spans than the limit
// of the spec.
static td_status push_spans(builder* b, int cable) {
  const value* via = b->cable[cable].via;
  int from, to;
  b->m->cable[cable].span = b->m->nspan;
  if (!via) return TD_OK;
  if ((long)b->m->nspan + td_value_count(via) > b->spec->limits.parts)
    return td_error(b->diags, TD_E_MODEL, td_get_at(b->cables, cable, "via"),
                    "cable(%d).via has %d places: the cables may have %d spans together", cable + 1,
                    td_value_count(via), b->spec->limits.parts);
  TD_TRY(push_end(b, cable, 0, &from));
  for (int k = 1; k < td_value_count(via); k++) {
    TD_TRY(push_end(b, cable, k, &to));
    model_span* s = td_push_span(b->m, 1);
    if (!s) return TD_E_NOMEM;
    *s = (model_span){cable, from, to, false};
    b->m->cable[cable].nspan++;
    from = to;
  }
  return TD_OK;
}

// ---- drives -----------------------------------------------------------------------------------

static num drive(builder* b, const value* v) {
  return v ? td_build_number(b, td_value_ex(v, 0, b->spec->graph)) : NUM_NONE;
}

static bool is_constant(const builder* b, num slot) {
  return (td_ex_depends(b->spec->graph, b->m->number_ex[slot]) & ~(unsigned)TD_ON_PARAM) == 0;
}

// Add the constraint row of an inextensible cable; its multiplier is the tension:
//
//   e = l(0) - l = pull(t)           e' = pull'           e" = pull"
//
// Refuses a pull that depends on inputs or the motion, and too many constraints.
static td_status push_taut(builder* b, int i, model_cable* cable) {
  const double zero[3] = {0};
  const td_span at = td_get_at(b->cables, i, "pull");
  ex e = td_value_ex(b->cable[i].pull, 0, b->spec->graph);
  if (td_ex_depends(b->spec->graph, e) & ~(unsigned)(TD_ON_PARAM | TD_ON_TIME))
    return td_error(b->diags, TD_E_MODEL, at,
                    "cable(%d).pull of a cable that cannot be stretched may depend on time and "
                    "parameters, not on inputs or the motion; give it a stiffness [N/m]",
                    i + 1);
  if (b->m->nrow + b->m->nvel >= b->spec->limits.dofs)
    return td_error(b->diags, TD_E_MODEL, at,
                    "cable(%d) is a constraint: the model may have %d degrees of freedom and "
                    "constraints together",
                    i + 1, b->spec->limits.dofs);

  // the row
  const num motion = td_build_constants(b, zero, 3);
  model_row* row = td_push_row(b->m, 1);
  if (!row || motion == NUM_NONE) return TD_E_NOMEM;
  *row = (model_row){.kind = ROW_CABLE,
                     .name = cable->name,
                     .a = -1,
                     .b = -1,
                     .c = -1,
                     .d = motion,
                     .e = motion,
                     .pitch = NUM_NONE,
                     .direction = -1,
                     .reference = -1,
                     .target = TARGET_MOTION,
                     .target_index = -1,
                     .control = NUM_NONE,
                     .motion = motion,
                     .k = NUM_NONE,
                     .mu = NUM_NONE,
                     .projected = true,
                     .cable = i};

  // pull, pull' and pull"
  for (int k = 0; k < 3; k++) {
    b->m->number_ex[motion + k] = e;
    e = td_ex_diff(b->spec->graph, e, b->spec->time_var);
  }
  b->m->ntaut++;
  cable->row = b->m->nrow - 1;
  cable->pull = motion;
  cable->friction = NUM_NONE;
  return TD_OK;
}

// Add cable i: the numbers that drive it, the row of an inextensible one, and its spans through
// `via`. It has a potential where nothing depends on time and there is no friction.
static td_status push_cable(builder* b, int i) {
  plain_name plain;
  model_cable* c = td_push_cable(b->m, 1);
  if (!c) return TD_E_NOMEM;
  const cable_words* words = &b->cable[i];
  const bool taut = is_taut(b->spec, words);
  model_cable cable = {.tension = drive(b, words->tension),
                       .pull = taut ? NUM_NONE : drive(b, words->pull),
                       .stiffness = taut ? NUM_NONE : drive(b, words->stiffness),
                       .friction = taut ? NUM_NONE : drive(b, words->friction),
                       .row = -1};
  cable.name = td_push_name(b->m, "%s", td_build_name(b->cables, i, "cable", plain));
  if (b->m->failed) return TD_E_NOMEM;
  if (taut) TD_TRY(push_taut(b, i, &cable));
  if (cable.tension == NUM_NONE && !taut)
    cable.potential =
        cable.friction == NUM_NONE && is_constant(b, cable.pull) && is_constant(b, cable.stiffness);
  b->m->cable[i] = cable;
  return push_spans(b, i);
}

// The second rates of strains that are expressions of the coordinates are not known piece by piece.
static td_status check_taut(builder* b) {
  const td_model* m = b->m;
  for (int i = 0; i < m->ncrossing; i++) {
    const model_crossing* c = &m->crossing[i];
    const model_strain* f = &m->strain[c->strain];
    if (m->cable[c->cable].row < 0 || f->coords < 0) continue;
    return td_error(b->diags, TD_E_MODEL, td_get_at(b->cables, c->cable, "pull"),
                    "cable(%d) cannot be stretched and runs through rod(%d), whose strains are "
                    "expressions (rod.strain): give it a stiffness [N/m]",
                    c->cable + 1, f->rod);
  }
  return TD_OK;
}

td_status td_build_cables(builder* b) {
  td_status worst = TD_OK;
  for (int i = 0; b->cables && i < td_value_count(b->cables); i++) {
    const td_status s = push_cable(b, i);
    if (s != TD_OK) worst = s;
  }
  TD_TRY(worst);
  TD_TRY(cross_pieces(b));
  for (int i = 0; i < b->m->ncable; i++) TD_TRY(td_build_cable_joints(b, i));
  TD_TRY(check_taut(b));
  return order_crossings(b);
}
