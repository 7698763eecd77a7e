// Placing: hops of bodies and rods, each when what it hangs on has been placed, and the bodies'
// masses.
#include <string.h>

#include "model/rods.h"
#include "model/structure.h"

static const td_field fields[] = {
    {"body", FIELD_STRUCTS, "", "", "", FIXED, "", "", "rigid bodies"},
    {"body.m", FIELD_NUM, "nx1", "1e-9", "kg", PARAM, "", ">= 0", "mass"},
    {"body.I", FIELD_NUM, "3x3xn", "1e-9*eye(3)", "kg m^2", PARAM, "", "",
     "inertia (one number: the same about all axes) about the centre of mass, in axes parallel to "
     "the body frame"},
    {"body.l_com", FIELD_NUM, "nx3", "[0 0 0]", "m", PARAM, "", "",
     "centre of mass in the body frame"},
    {"body.tip", FIELD_NUM, "nx3", "2*l_com", "m", PARAM, "", "",
     "end of the body in its frame, for drawing"},
    {"body.fluid", FIELD_STRUCT, "1", "", "", FIXED, "", "", "what the fluid does to it"},
    {"body.fluid.volume", FIELD_NUM, "1", "0", "m^3", PARAM, "", ">= 0",
     "displaced volume: buoyancy is the weight of that much fluid"},
    {"body.fluid.center", FIELD_NUM, "1x3", "l_com", "m", PARAM, "", "",
     "centre of the displaced volume in the body frame"},
    {"body.fluid.drag_matrix", FIELD_NUM, "6x6", "", "kg/m, kg", PARAM, "", "",
     "drag -D*abs(v)*[v w] in the body frame, with the velocity v of its origin against the fluid"},
    {"body.fluid.added_mass", FIELD_NUM, "6x6", "", "kg, kg m, kg m^2", PARAM, "", "",
     "added inertia [translational, rotational] in the body frame"},
    {"body.type", FIELD_STR, "", "rigid", "", FIXED, "", "rigid", "kind of body"},
    {"body.name", FIELD_STR, "", "", "", FIXED, "", "", "name in messages and results; unique"},
    {.path = NULL},
};

static const td_rule rules[] = {
    {"body", .element = td_check_in_fluid},
    {"body.I", .value = td_check_inertias},
    {"body.fluid.added_mass", .value = td_check_section_matrix},
    {"body.fluid.drag_matrix", .value = td_check_drag_matrix},
    {.path = NULL},
};

const td_structure td_structure_body = {
    .fields = fields,
    .rules = rules,
    .intro =
        "A body is a mass with an inertia. Its frame is the end of its main joint; the centre of "
        "mass may lie elsewhere. A body that a joint repeats (see below) has one row, or page of "
        "`I`, for all of its elements, or one for each.",
    .example =
        "body(1).m     = 1.2;\n"
        "body(1).I     = diag([2e-3 2e-3 4e-4]);\n"
        "body(1).l_com = [0 0 0.15];\n"
        "body(1).name  = 'upper arm';\n",
};

static bool is_zero(const td_spec* spec, const value* v, int i) {
  const ex e = td_value_ex(v, i, spec->graph);
  return td_ex_is_const(spec->graph, e) && td_ex_value(spec->graph, e) == 0;
}

// Warn about bodies whose mass is not written, and about m = [0 0 m], which gives two of three
// elements no mass.
void td_check_masses(td_spec* spec) {
  const value* s = td_get(spec->root, 0, "body");
  for (int i = 0; s && i < td_value_count(s); i++) {
    bool empty = true;
    for (int k = 0; k < s->nfield && empty; k++)
      empty = td_value_is_empty(s->slots[i * s->nfield + k].v);
    // [0 0 m] as a row is a misprint of the published tables, taken for masses of three elements
    const value* m = td_get(s, i, "m");
    if (m && m->kind == V_NUM && m->rows == 1 && td_value_count(m) == 3 && is_zero(spec, m, 0) &&
        is_zero(spec, m, 1) && !is_zero(spec, m, 2)) {
      td_warn(&spec->diags, td_get_at(s, i, "m"),
              "body(%d).m = [0 0 m] has a mass for each of three elements, and the first two have "
              "none",
              i + 1);
      td_hint(&spec->diags, "write body(%d).m = m for the mass of each", i + 1);
    }
    if (empty || m) continue;  // gaps are told when the tree is built
    td_warn(&spec->diags, td_check_element_at(&spec->diags, s, i),
            "body(%d).m is not given: its mass is %s kg", i + 1,
            td_field_in(fields, "body.m")->fallback);
    td_hint(&spec->diags, "write body(%d).m = 0 if it has none", i + 1);
  }
}

// ---- bodies -----------------------------------------------------------------------------------

// Fill one element of a body: mass, centre, tip (twice the centre if not written) and inertia as
// expressions, and its station behind hop and fixed transformations.
static td_status push_body(builder* b, int body, int element, int hop, int fix, int nfix) {
  td_model* m = b->m;
  const int n = b->body_count[body], i = body - 1;
  model_body* out = &m->body[b->body_first[body] + element];
  char name[128];
  td_build_body_name(b, body, element + 1, name, sizeof name);
  out->station = b->body_first[body] + element;
  out->body = body;
  out->element = element + 1;
  out->m = td_build_numbers(b, td_get(b->bodies, i, "m"), element, n, 1, 1e-9);
  out->com = td_build_numbers(b, td_get(b->bodies, i, "l_com"), element, n, 3, 0);
  const value* tip = td_get(b->bodies, i, "tip");
  const double zeros[9] = {0};
  out->tip = td_build_constants(b, zeros, 3);
  out->I = td_build_constants(b, zeros, 9);
  if (m->failed) return TD_E_NOMEM;
  for (int c = 0; c < 3; c++) {
    ex e = td_build_pick(b, tip, element, n, c, 3, 0);
    if (!tip)
      e = td_ex_2(b->spec->graph, EX_MUL, td_ex_const(b->spec->graph, 2),
                  m->number_ex[out->com + c]);
    m->number_ex[out->tip + c] = e;
  }
  const value* I = td_field_get(b->bodies, i, "body.I");
  for (int k = 0; k < 9; k++) {
    const int page = I && I->pages == n ? element : 0;
    m->number_ex[out->I + k] = I ? td_value_ex(I, page * 9 + k, b->spec->graph)
                                 : td_ex_const(b->spec->graph, k % 4 == 0 ? 1e-9 : 0);
  }
  m->station[out->station] = (model_station){.hop = hop,
                                             .fix = fix,
                                             .nfix = nfix,
                                             .body = out->station,
                                             .name = td_push_name(m, "%s", name)};
  return TD_OK;
}

// ---- in the order they can be placed ----------------------------------------------------------

typedef struct pending {
  int joint, element;  // main joint and element of a body, or base joint of a rod
  int body;            // from 1, 0: a rod
  int parent;          // what it hangs on, -1: the ground
  bool placed;
} pending;

// List what is to be placed, bodies by element and then rods, each with the entry it is attached to
// (parent, -1: the ground).  Returns their number.
static int list_pending(const builder* b, pending* list, int nbody) {
  int n = 0;
  for (int body = 1; body <= b->nbody; body++)
    for (int e = 0; e < b->body_count[body]; e++)
      list[n++] = (pending){b->body_main[body], e, body, -1, false};
  for (int r = 0; r < b->nrod; r++) list[n++] = (pending){b->njoint + r, 0, 0, -1, false};
  for (int i = 0; i < n; i++) {
    const place* first = &b->joint[list[i].joint].first;
    list[i].parent =
        first->rod > 0 ? nbody + first->rod - 1 : td_build_instance(b, first, list[i].element);
    if (first->rod == 0 && list[i].parent >= nbody) list[i].parent = -1;  // nodes have their place
    if (list[i].body > 0 && b->joint[list[i].joint].rom)
      list[i].parent = nbody + td_build_rom_of(b, list[i].body) - 1;
  }
  return n;
}

// Check that the model has not too many fixed transformations.
static td_status check_fixes(builder* b, const pending* p) {
  static const char* const written[] = {"first", "tr", NULL};
  if (b->m->nfix <= b->spec->limits.parts + b->nnode) return TD_OK;
  char path[32];
  td_build_joint_path(b, p->joint, path, sizeof path);
  return td_error(
      b->diags, TD_E_MODEL, td_build_joint_at(b, p->joint, written),
      "%s: more than %d fixed transformations, too many bodies are fixed to each other in a row",
      path, b->spec->limits.parts);
}

// The frame of a body that is a polynomial rod is its tip; the mass is along the rod.
static td_status place_tip(builder* b, pending* p) {
  const int rod = td_build_rom_of(b, p->body);
  const place tip = {.rod = rod, .arc = b->rod[rod - 1].length};
  int hop, fix, nfix;
  TD_TRY(td_build_anchor(b, &tip, 0, &hop, &fix, &nfix));
  TD_TRY(push_body(b, p->body, 0, hop, fix, nfix));
  const model_body* body = &b->m->body[b->body_first[p->body]];
  b->m->number_ex[body->m] = td_ex_const(b->spec->graph, 0);
  for (int k = 0; k < 9; k++) b->m->number_ex[body->I + k] = td_ex_const(b->spec->graph, 0);
  p->placed = true;
  return TD_OK;
}

// Place a body element or a rod behind its joint: hops from the frame it is attached to, with the
// transformations up to that frame before its own.
static td_status place_one(builder* b, pending* p) {
  int parent, hop, fix, nfix, start, nstart;
  const build_joint* j = &b->joint[p->joint];
  if (p->body > 0 && j->rom) return place_tip(b, p);
  TD_TRY(td_build_anchor(b, &j->first, p->element, &parent, &start, &nstart));
  const int hops = b->m->nhop;
  TD_TRY(td_build_chain(b, p->joint, p->element, parent, &hop, &fix, &nfix));
  // the anchor's transformations come first
  if (b->m->nhop > hops) {
    b->m->hop[hops].nfix += b->m->hop[hops].fix - start;
    b->m->hop[hops].fix = start;
  } else {
    nfix += fix - start;
    fix = start;
  }

  // the rod or the body at the end of the chain
  p->placed = true;
  if (p->body == 0) {
    TD_TRY(td_build_rod(b, p->joint - b->njoint, hop, fix, nfix));
    TD_TRY(td_build_rod_looks(b, p->joint - b->njoint));
  } else {
    TD_TRY(push_body(b, p->body, p->element, hop, fix, nfix));
  }
  return check_fixes(b, p);
}

// Append the name of the body or rod that waits for its place.
static void add_name(const builder* b, const pending* p, td_text* out) {
  if (p->body > 0) {
    td_text_printf(out, "body(%d)", p->body);
  } else {
    char name[160];
    td_build_rod_name(b, p->joint - b->njoint, name, sizeof name);
    td_text_add(out, name);
  }
}

// Report bodies and rods that hang on each other in a circle, from one that was not placed.
static td_status report_loop(builder* b, const pending* list, int n) {
  int at = 0;
  while (list[at].placed) at++;
  for (int i = 0; i < n; i++) at = list[at].parent;  // into the circle
  td_text path = {0};
  add_name(b, &list[at], &path);
  int up = list[at].parent;
  for (int i = 0; i < 8 && up != at; i++, up = list[up].parent) {
    td_text_add(&path, " on ");
    add_name(b, &list[up], &path);
  }
  td_text_add(&path, up == at ? " on " : " on ... on ");
  add_name(b, &list[at], &path);
  char name[128];
  if (list[at].body > 0) {
    td_build_joint_name(b, list[at].joint, 0, name, sizeof name);
  } else {
    td_build_rod_name(b, list[at].joint - b->njoint, name, sizeof name);
  }
  const td_status status = td_error(
      b->diags, TD_E_MODEL, b->joint[list[at].joint].first.at,
      "%s closes a loop in the main chain: %s; each chain of main joints must start at the ground",
      name, path.s ? path.s : "");
  td_text_free(&path);
  return status;
}

// Chains are mostly written from the ground outwards, so few rounds are needed; a chain written
// backwards takes as many rounds as it has bodies.
static td_status place_all(builder* b, pending* list, int n) {
  int left = n;
  for (int before = n + 1; left > 0 && left < before;) {
    before = left;
    for (int i = 0; i < n; i++) {
      if (list[i].placed || (list[i].parent >= 0 && !list[list[i].parent].placed)) continue;
      TD_TRY(place_one(b, &list[i]));
      left--;
    }
  }
  return left == 0 ? TD_OK : report_loop(b, list, n);
}

td_status td_build_places(builder* b) {
  int n = 0;
  for (int i = 1; i <= b->nbody; i++) n += b->body_count[i];
  pending* list = calloc((size_t)(n + b->nrod) + 1, sizeof(pending));
  const int all = n + b->nnode;
  const bool ok = list && (all == 0 || (td_push_body(b->m, all) && td_push_station(b->m, all)));
  td_status status = ok ? td_build_mesh_nodes(b, n) : TD_E_NOMEM;
  if (status == TD_OK) status = place_all(b, list, list_pending(b, list, n));
  free(list);
  return status;
}
