// Stations in the fluid: points along rods, bodies and nodes of meshes, with what they displace,
// their drag and their added mass.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elem/edge_drag.h"
#include "math/dense.h"
#include "model/force_words.h"
#include "model/meshes.h"
#include "model/rods.h"
#include "model/structure.h"

static const td_field fields[] = {
    {"fluid", FIELD_STRUCT, "1", "", "", FIXED, "", "", "a fluid everywhere around the robot"},
    {"fluid.rho", FIELD_NUM, "1", "0", "kg/m^3", PARAM, "", ">= 0", "density; 0: there is none"},
    {"fluid.velocity", FIELD_NUM, "1x3", "[0 0 0]", "m/s", FLOW, "", "",
     "its velocity, the same everywhere or an expression of the place `here`, changing slowly"},
    {.path = NULL},
};

// `fluid` as it is written: the fluid itself, and what a rod, a body or a mesh is to it.
typedef struct fluid_words {
  const value *rho, *velocity;
  const value *drag, *lift, *drag_matrix, *added_mass;
  const value *volume, *center;  // of a body
  const value* width;            // of the edges of a mesh
} fluid_words;

// All of it is absent where there is no such structure.
static fluid_words read_fluid(const value* s) {
  if (!s || s->kind != V_STRUCT) return (fluid_words){0};
  return (fluid_words){.rho = td_get(s, 0, "rho"),
                       .velocity = td_get(s, 0, "velocity"),
                       .drag = td_get(s, 0, "drag"),
                       .lift = td_get(s, 0, "lift"),
                       .drag_matrix = td_get(s, 0, "drag_matrix"),
                       .added_mass = td_get(s, 0, "added_mass"),
                       .volume = td_get(s, 0, "volume"),
                       .center = td_get(s, 0, "center"),
                       .width = td_get(s, 0, "width")};
}

// ---- rules ------------------------------------------------------------------------------------

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

// The first field that a section lacks; NULL: none.
static const char* missing_size(const rod_words* w) {
  if (strcmp(w->section, "rectangle") == 0 || strcmp(w->section, "ellipse") == 0)
    return !w->width ? "width" : !w->height ? "height" : NULL;
  if (strcmp(w->section, "custom") == 0) return w->area ? NULL : "area";
  return w->radius ? NULL : "radius";
}

// An edge has no x axis of its own: what is across it is the same all around.
static void check_edge_drag(td_spec* spec, const value* fluid, const char* name) {
  const value* drag = read_fluid(fluid).drag;
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

// Is element i in a fluid?  One whose density is an expression counts.  Without a fluid the field
// `fluid` has no effect.
static bool is_in_fluid(td_spec* spec, const value* s, int i, const char* name) {
  const value* rho = read_fluid(td_get(spec->root, 0, "fluid")).rho;
  double x;
  if (rho && rho->kind == V_NUM && td_value_count(rho) == 1 &&
      (!td_check_constant(spec, rho, 0, &x) || x != 0))
    return true;
  td_check_unused(spec, s, i, name, "fluid", "there is no fluid (fluid.rho is 0)");
  return false;
}

void td_check_in_fluid(td_spec* spec, const value* s, int i, const char* name) {
  is_in_fluid(spec, s, i, name);
}

void td_check_mesh_in_fluid(td_spec* spec, const value* s, int i, const char* name) {
  if (is_in_fluid(spec, s, i, name)) check_edge_drag(spec, td_get(s, i, "fluid"), name);
}

void td_check_rod_in_fluid(td_spec* spec, const value* s, int i, const char* name) {
  const rod_words rod = td_rod_read(s, i);
  const fluid_words w = read_fluid(rod.fluid);
  if (!is_in_fluid(spec, s, i, name)) return;
  if (!rod.part && missing_size(&rod)) {
    td_error(&spec->diags, TD_E_MODEL, td_check_element_at(&spec->diags, s, i),
             "%s.%s is missing: a rod in a fluid needs its section", name, missing_size(&rod));
    return;
  }
  if (!w.drag_matrix) return;
  const value* const replaced[] = {w.drag, w.lift};
  for (int k = 0; k < 2; k++)
    if (replaced[k])
      td_warn(&spec->diags, td_get_at(rod.fluid, 0, k == 0 ? "drag" : "lift"),
              "%s.fluid.%s has no effect: drag_matrix is given", name, k == 0 ? "drag" : "lift");
}

const td_structure td_structure_fluid = {
    .fields = fields,
    .intro =
        "Everything displaces fluid, is dragged by it and carries some of it along: rods by "
        "their section, bodies by what `body.fluid` says.",
    .example =
        "fluid.rho = 1000; fluid.velocity = [0.2 0 0];\n"
        "rod(1).length = 0.3; rod(1).radius = 0.01; rod(1).E = 1e5; rod(1).rho = 1100;\n"
        "rod(1).fluid.drag = [1.1 1.1 0.01]; rod(1).fluid.added_mass = [0.6 0.6 0];\n"
        "joint(1).second = 1; joint(1).type = 'free'; body(1).m = 2; body(1).I = 0.01*eye(3);\n"
        "body(1).fluid.volume = 1.9e-3; body(1).fluid.drag_matrix = diag([8 8 8 0.01 0.01 0.01]);\n"
        "body(1).fluid.added_mass = diag([1 1 1 0 0 0]);\n",
};

// ---- points along rods ------------------------------------------------------------------------

td_status td_rod_sample(builder* b, int rod, double arc, double weight) {
  td_model* m = b->m;
  bool wanted = b->fluid || b->contacts || td_rod_has_wrench(b, rod);
  for (int k = 0; k < FORCE_KINDS && !wanted; k++)
    wanted = td_force_words[k]->structure && td_force_words[k]->along(b, rod);
  if (!wanted) return TD_OK;
  for (int i = 0; i < m->nsample; i++)
    if (m->sample[i].rod == rod + 1 && fabs(m->sample[i].arc - arc) < 1e-12 * b->rod[rod].length) {
      m->sample[i].weight += weight;
      return TD_OK;
    }
  int station;
  TD_TRY(td_rod_station(b, rod, arc, &station));
  model_sample* s = td_push_sample(m, 1);
  if (!s) return TD_E_NOMEM;
  *s = (model_sample){station, rod + 1, arc, weight};
  return TD_OK;
}

// ---- numbers ----------------------------------------------------------------------------------

static bool is_nothing(const builder* b, ex e) {
  return td_ex_is_const(b->spec->graph, e) && td_ex_value(b->spec->graph, e) == 0;
}

// 36 expressions into slots; NUM_NONE when all of them are 0.
static td_status push_matrix(builder* b, const ex* e, num* slots) {
  bool some = false;
  for (int k = 0; k < 36; k++) some = some || !is_nothing(b, e[k]);
  *slots = NUM_NONE;
  if (!some) return TD_OK;
  if (!td_push_number_ex(b->m, 36)) return TD_E_NOMEM;
  *slots = b->m->nnumber_ex - 36;
  memcpy(b->m->number_ex + *slots, e, 36 * sizeof(ex));
  return TD_OK;
}

static void zeros(builder* b, ex e[36]) {
  for (int k = 0; k < 36; k++) e[k] = num_ex(b, 0);
}

// Velocity of the stream and its derivatives by the place, at an expression of the place.
static td_status push_stream(builder* b, const ex here[3], num* slots) {
  td_exprs* g = b->spec->graph;
  const value* velocity = read_fluid(b->fluid).velocity;
  *slots = td_push_number_ex(b->m, STREAM_SLOTS) ? b->m->nnumber_ex - STREAM_SLOTS : NUM_NONE;
  if (*slots == NUM_NONE) return TD_E_NOMEM;
  for (int c = 0; c < 3; c++) {
    const ex u = td_value_ex(velocity, c, g);
    ex* to = b->m->number_ex + *slots;
    to[c] = td_ex_substitute(g, u, b->spec->here_var, here, 3);
    for (int k = 0; k < 3; k++)
      to[3 + 3 * c + k] =
          td_ex_substitute(g, td_ex_diff(g, u, b->spec->here_var[k]), b->spec->here_var, here, 3);
  }
  return TD_OK;
}

// Where the frame of a rod, a body or a node is, as sensors.
static td_status where_it_is(builder* b, td_sensor_ref ref, ex here[3]) {
  ref.kind = SENSOR_POS;
  for (int c = 0; c < 3; c++) {
    ref.component = c;
    const int var = td_spec_sensor(b->spec, &ref, td_span_none());
    if (var < 0) return TD_E_NOMEM;
    here[c] = td_ex_var(b->spec->graph, var);
  }
  return TD_OK;
}

// `at`: what stands at the station's origin; NULL: it does not feel the stream.
static td_status push_wet(builder* b, int station, const td_sensor_ref* at, ex displaced,
                          const ex centre[3], const ex drag[36], const ex added[36]) {
  model_wet wet = {.station = station, .stream = NUM_NONE};
  if (b->m->stream_varies && at) {
    ex here[3];
    TD_TRY(where_it_is(b, *at, here));
    TD_TRY(push_stream(b, here, &wet.stream));
  }
  TD_TRY(push_matrix(b, drag, &wet.drag));
  TD_TRY(push_matrix(b, added, &wet.added));
  wet.displaced = td_build_number(b, displaced);
  wet.centre = td_push_number_ex(b->m, 3) ? b->m->nnumber_ex - 3 : NUM_NONE;
  model_wet* out = td_push_wet(b->m, 1);
  if (!out || b->m->failed) return TD_E_NOMEM;
  memcpy(b->m->number_ex + wet.centre, centre, 3 * sizeof(ex));
  *out = wet;
  b->m->has_blocks = true;
  if (wet.added != NUM_NONE) b->m->has_added = true;
  return TD_OK;
}

static ex density(builder* b) {
  const value* rho = read_fluid(b->fluid).rho;
  return rho ? td_value_ex(rho, 0, b->spec->graph) : num_ex(b, 0);
}

// ---- rods -------------------------------------------------------------------------------------

// Element i of a field of rod.fluid at an arc length.
static ex number_at(builder* b, int rod, const value* v, int i, double arc, double fallback) {
  return v && i < td_value_count(v) ? at_arc(b, rod, td_value_ex(v, i, b->spec->graph), arc)
                                    : num_ex(b, fallback);
}

// Coefficients of drag in the section's axes: a whole matrix, or drag on the diagonal and lift
// across.
static void rod_coefficients(builder* b, int rod, const fluid_words* w, double arc, ex C[9]) {
  static const double drag[3] = {1.1, 1.1, 0.01};
  for (int k = 0; k < 9 && w->drag_matrix; k++)
    C[k] = number_at(b, rod, w->drag_matrix, k / 3 + 3 * (k % 3), arc, 0);
  if (w->drag_matrix) return;
  const bool three = w->lift && td_value_count(w->lift) == 3;
  ex l[3];
  for (int c = 0; c < 3; c++) {
    l[c] = three || c == 2 ? number_at(b, rod, w->lift, three ? c : 0, arc, 0) : num_ex(b, 0);
    C[4 * c] = number_at(b, rod, w->drag, c, arc, drag[c]);
  }
  C[1] = times(b, -1, l[2]);
  C[2] = l[1];
  C[3] = l[2];
  C[5] = times(b, -1, l[0]);
  C[6] = times(b, -1, l[1]);
  C[7] = l[0];
}

// Per length: drag ½ ρ w C with the width w across each direction, added mass ρ A C.
static td_status wet_sample(builder* b, const model_sample* s) {
  static const double mass[3] = {0.6, 0.6, 0};
  const int rod = s->rod - 1;
  const fluid_words w = read_fluid(td_rod_words(b, rod, s->arc)->fluid);
  const ex rho = density(b), A = td_rod_area(b, rod, s->arc), none = num_ex(b, 0);
  const ex centre[3] = {none, none, none};
  ex drag[36], added[36], C[9], width[3];
  const ex weight = td_rod_weight(b, rod, s->arc, s->weight), half = times(b, 0.5, weight);
  zeros(b, drag);
  zeros(b, added);
  td_rod_widths(b, rod, s->arc, width);
  rod_coefficients(b, rod, &w, s->arc, C);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      drag[6 * i + j] = mul(b, half, mul(b, mul(b, rho, width[i]), C[3 * i + j]));
    added[7 * i] =
        mul(b, weight, mul(b, mul(b, rho, A), number_at(b, rod, w.added_mass, i, s->arc, mass[i])));
  }
  const td_sensor_ref at = {.root = 'r', .index = s->rod, .arc = s->arc, .moves = b->rod[rod].moves};
  return push_wet(b, s->station, &at, mul(b, weight, mul(b, rho, A)), centre, drag, added);
}

// ---- bodies -----------------------------------------------------------------------------------

static void body_matrix(builder* b, const value* v, ex out[36]) {
  zeros(b, out);
  for (int k = 0; v && k < 36; k++) out[k] = td_value_ex(v, k / 6 + 6 * (k % 6), b->spec->graph);
}

// Put one element of a body with a field `fluid` into the fluid.
static td_status wet_body(builder* b, int instance) {
  const model_body* body = &b->m->body[instance];
  const value* fluid = td_get(b->bodies, body->body - 1, "fluid");
  if (!fluid) return TD_OK;
  const fluid_words w = read_fluid(fluid);
  ex drag[36], added[36], centre[3];
  body_matrix(b, w.drag_matrix, drag);
  body_matrix(b, w.added_mass, added);
  for (int c = 0; c < 3; c++)
    centre[c] =
        w.center ? td_value_ex(w.center, c, b->spec->graph) : b->m->number_ex[body->com + c];
  const ex V = w.volume ? td_value_ex(w.volume, 0, b->spec->graph) : num_ex(b, 0);
  const td_sensor_ref at = {.root = 'b', .index = body->body, .element = body->element};
  return push_wet(b, body->station, &at, mul(b, density(b), V), centre, drag, added);
}

// ---- edges of meshes --------------------------------------------------------------------------

// Drag as on a rod with a round section (elem/edge_drag.h), and the buoyancy of the displaced
// fluid, half of it at either end.  Lengths are those of the geometry.

// Data that the edges of one mesh have in common.
typedef struct wet_edges {
  fluid_words written;
  int n;  // edges
  ex rho;
  ex last[2];  // drag of the edge before, and its slots
  num slots;
  int name;
} wet_edges;

static ex coefficient(builder* b, const wet_edges* e, int i) {
  static const double plain[2] = {1.1, 0.01};
  const value* drag = e->written.drag;
  if (!drag) return num_ex(b, plain[i]);
  return td_value_ex(drag, i == 0 ? 0 : td_value_count(drag) - 1, b->spec->graph);
}

static double edge_length(const td_wire* w, int e) {
  const double *x = w->x + 3 * (size_t)w->edge[2 * e], *y = w->x + 3 * (size_t)w->edge[2 * e + 1];
  return hypot(hypot(y[0] - x[0], y[1] - x[1]), y[2] - x[2]);
}

// Edges that follow each other with the same drag share their numbers.
static td_status push_drag(builder* b, int k, wet_edges* all, int e, ex width) {
  const build_mesh* mesh = &b->mesh[k];
  const ex wide = times(b, 0.5 * edge_length(mesh->wire, e), mul(b, all->rho, width));
  const ex drag[2] = {mul(b, wide, coefficient(b, all, 0)), mul(b, wide, coefficient(b, all, 1))};
  if (all->slots == NUM_NONE || drag[0] != all->last[0] || drag[1] != all->last[1]) {
    if (!td_push_number_ex(b->m, 2)) return TD_E_NOMEM;
    all->slots = b->m->nnumber_ex - 2;
    for (int i = 0; i < 2; i++) b->m->number_ex[all->slots + i] = all->last[i] = drag[i];
  }
  // where the stream varies it is taken at the Gauss points, which lie between the nodes
  num stream = 0;
  if (b->m->stream_varies) {
    ex end[2][3], here[3];
    for (int i = 0; i < 2; i++)
      TD_TRY(where_it_is(
          b,
          (td_sensor_ref){.root = 'm', .index = k + 1, .element = mesh->wire->edge[2 * e + i] + 1},
          end[i]));
    for (int i = 0; i < 2; i++) {
      num slots;
      for (int c = 0; c < 3; c++)
        here[c] =
            add(b, times(b, 1 - edge_gauss[i], end[0][c]), times(b, edge_gauss[i], end[1][c]));
      TD_TRY(push_stream(b, here, &slots));
      if (i == 0) stream = slots;
    }
  }
  model_drag* f = td_push_drag(b->m, 1);
  if (!f) return TD_E_NOMEM;
  *f = (model_drag){.name = all->name,
                    .a = mesh->instance + mesh->wire->edge[2 * e],
                    .b = mesh->instance + mesh->wire->edge[2 * e + 1],
                    .drag = all->slots,
                    .stream = stream};
  return TD_OK;
}

// Add the drag of each edge of a mesh, and half of the fluid that it displaces to each of its two
// nodes.
static td_status push_edges(builder* b, int k, wet_edges* all, ex* displaced) {
  static const double quarter_pi = 0.78539816339744830962;
  const build_mesh* mesh = &b->mesh[k];
  for (int e = 0; e < all->n; e++) {
    const ex width = td_build_pick(b, all->written.width, e, all->n, 0, 1, 0);
    const ex area = times(b, quarter_pi, mul(b, width, width));
    const ex half = times(b, 0.5 * edge_length(mesh->wire, e), mul(b, all->rho, area));
    TD_TRY(push_drag(b, k, all, e, width));
    for (int end = 0; end < 2; end++) {
      ex* sum = &displaced[mesh->wire->edge[2 * e + end]];
      *sum = add(b, *sum, half);
    }
  }
  return TD_OK;
}

// Put mesh k into the fluid of density rho: drag on its edges, displaced fluid at its free nodes.
static td_status wet_mesh(builder* b, int k, ex rho) {
  const value* fluid = b->mesh[k].w.fluid;
  if (!fluid) return TD_OK;
  const build_mesh* mesh = &b->mesh[k];
  wet_edges all = {.written = read_fluid(fluid), .n = mesh->nedge, .rho = rho, .slots = NUM_NONE};
  const value* width = all.written.width;
  if (!td_field_fit("nx1", width, all.n).ok)
    return td_error(b->diags, TD_E_MODEL, td_get_at(fluid, 0, "width"),
                    "mesh(%d).fluid.width has %d rows, but the mesh has %d edges", k + 1,
                    td_value_count(width), all.n);
  char name[100];
  td_mesh_name(b, k, name, sizeof name);
  all.name = td_push_name(b->m, "%s", name);
  ex nothing[36];
  zeros(b, nothing);
  ex* displaced = malloc(((size_t)mesh->wire->nnode + 1) * sizeof(ex));
  td_status status = displaced ? TD_OK : TD_E_NOMEM;
  for (int i = 0; displaced && i < mesh->wire->nnode; i++) displaced[i] = num_ex(b, 0);
  if (status == TD_OK) status = push_edges(b, k, &all, displaced);
  for (int i = 0; status == TD_OK && i < mesh->wire->nnode; i++)
    if (!mesh->fixed[i])
      status = push_wet(b, mesh->instance + i, NULL, displaced[i], nothing, nothing, nothing);
  free(displaced);
  return status;
}

td_status td_build_fluid(builder* b) {
  const value* velocity = read_fluid(b->fluid).velocity;
  for (int c = 0; velocity && c < 3; c++)
    if (td_ex_depends(b->spec->graph, td_value_ex(velocity, c, b->spec->graph)) & TD_ON_HERE)
      b->m->stream_varies = true;
  b->m->fluid_velocity = td_build_numbers(b, b->m->stream_varies ? NULL : velocity, 0, 1, 3, 0);
  if (b->m->fluid_velocity == NUM_NONE) return TD_E_NOMEM;
  if (is_nothing(b, density(b))) return TD_OK;
  for (int i = 0; i < b->m->nsample; i++)
    if (b->m->sample[i].weight > 0 && b->rod[b->m->sample[i].rod - 1].joint < 0)
      TD_TRY(wet_sample(b, &b->m->sample[i]));
  for (int i = 0; i < b->m->nbody; i++) TD_TRY(wet_body(b, i));
  for (int k = 0; k < b->nmesh; k++) TD_TRY(wet_mesh(b, k, density(b)));
  return TD_OK;
}
