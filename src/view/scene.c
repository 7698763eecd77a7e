// The scene of a model: which groups of things there are to draw.
#include "view/scene.h"

#include <math.h>
#include <string.h>

#include "engine/stages.h"
#include "view/text_json.h"

// ---- groups -----------------------------------------------------------------------------------

// Indices of things of one kind, and what they are called.
typedef struct picked {
  int* index;
  int n, cap;
  bool failed;
} picked;

static void pick(picked* p, int i) {
  int* list = td_grow(p->index, &p->cap, p->n + 1, sizeof *list);
  if (!list) {
    p->failed = true;
    return;
  }
  p->index = list;
  list[p->n++] = i;
}

static void open_group(td_scene* s, const char* kind, const char* draw) {
  td_json_next(&s->json);
  td_text_add(&s->json, "{");
  td_json_key(&s->json, "kind");
  td_json_string(&s->json, kind);
  td_json_key(&s->json, "draw");
  td_json_string(&s->json, draw);
}

static void close_group(td_scene* s) { td_text_add(&s->json, "}"); }

// One offset for each picked thing: a track of this kind of the index that `of` gives.
static void add_tracks(td_scene* s, const picked* p, const char* field, track_kind kind,
                       int (*of)(const td_model* m, int i)) {
  td_json_key(&s->json, field);
  td_text_add(&s->json, "[");
  for (int i = 0; i < p->n; i++) {
    td_json_next(&s->json);
    td_text_printf(&s->json, "%d", td_scene_track(s, kind, of(s->model, p->index[i])));
  }
  td_text_add(&s->json, "]");
}

// Of tens of thousands nobody reads the names.
static void add_names(td_scene* s, const picked* p, int (*name)(const td_model* m, int i)) {
  if (p->n > 2000) return;
  td_json_key(&s->json, "name");
  td_text_add(&s->json, "[");
  for (int i = 0; i < p->n; i++) {
    td_json_next(&s->json);
    td_json_string(&s->json, model_name(s->model, name(s->model, p->index[i])));
  }
  td_text_add(&s->json, "]");
}

static int itself(const td_model* m, int i) { return (void)m, i; }
static int first_end(const td_model* m, int i) { return force_at(m, i).a; }
static int second_end(const td_model* m, int i) { return force_at(m, i).b; }
static int force_name(const td_model* m, int i) { return force_at(m, i).name; }

// ---- forces -----------------------------------------------------------------------------------

// Things that are drawn from an element to another, or as an arrow at a place.
typedef struct link_kind {
  const char *kind, *draw;
  bool arrow;
  track_kind arrow_track;
} link_kind;

// To add one: a line in force_look (engine/force.h) and its row here, or a function in group_table.
static const link_kind link_table[LOOK_COUNT] = {
    [LOOK_SPRING] = {"spring", "coil", false, TRACK_POINT},
    [LOOK_ACTUATOR] = {"actuator", "piston", false, TRACK_POINT},
    [LOOK_DAMPER] = {"damper", "piston", false, TRACK_POINT},
    [LOOK_BEAM] = {"beam", "bar", false, TRACK_POINT},
    [LOOK_CORD] = {"cord", "bar", false, TRACK_POINT},
    [LOOK_EDGE] = {"edge", "bar", false, TRACK_POINT},
    [LOOK_LOAD] = {"load", "arrow", true, TRACK_FORCE},
    [LOOK_MOMENT] = {"moment", "turn", true, TRACK_TORQUE},
    [LOOK_CONTACT] = {"contact", "arrow", true, TRACK_CONTACT},
};

static unsigned looks_of(const td_model* m, const force_info* f) {
  return td_element_table[f->kind]->looks(m, f->i);
}

bool scene_force_is_line(const td_model* m, int force) {
  const force_info f = force_at(m, force);
  return (looks_of(m, &f) & ~(1u << LOOK_LOAD | 1u << LOOK_MOMENT)) != 0;
}

static void add_link_kind(td_scene* s, const link_kind* row) {
  picked p = {0};
  const int n = model_forces(s->model);
  for (int i = 0; i < n; i++) {
    const force_info f = force_at(s->model, i);
    if (looks_of(s->model, &f) >> (row - link_table) & 1) pick(&p, i);
  }
  s->failed |= p.failed;
  if (p.n > 0) {
    open_group(s, row->kind, row->draw);
    add_names(s, &p, force_name);
    if (row->arrow) {
      add_tracks(s, &p, "at", TRACK_POINT, second_end);
      add_tracks(s, &p, "vector", row->arrow_track, itself);
    } else {
      add_tracks(s, &p, "a", TRACK_POINT, first_end);
      add_tracks(s, &p, "b", TRACK_POINT, second_end);
    }
    close_group(s);
  }
  free(p.index);
}

static void add_links(td_scene* s, td_work* w) {
  (void)w;
  for (size_t i = 0; i < sizeof link_table / sizeof *link_table; i++)
    add_link_kind(s, &link_table[i]);
}

// ---- joints -----------------------------------------------------------------------------------

static int hop_joint(const td_model* m, int i) {
  const model_hop* hop = &m->hop[i];
  return hop->nv > 0 ? m->vel[m->col[hop->col].v].joint : 0;
}

// Degrees of freedom of the joint's element a hop belongs to: six are no joint to see.
static int freedom(const td_model* m, int i) {
  const model_dof* own = &m->vel[m->col[m->hop[i].col].v];
  int n = 0;
  for (int k = max_int(0, i - 6); k < min_int(m->nhop, i + 7); k++) {
    if (m->hop[k].nv == 0) continue;
    const model_dof* other = &m->vel[m->col[m->hop[k].col].v];
    if (other->joint == own->joint && other->element == own->element && other->rod == 0)
      n += m->hop[k].nv;
  }
  return n;
}

static bool is_hinge(const td_model* m, int i) {
  const model_hop* hop = &m->hop[i];
  return hop_joint(m, i) > 0 && freedom(m, i) < 5 && td_hop_traits[hop->kind].axes == 1 &&
         (hop->turns || has_quaternion(hop));
}
static bool is_slide(const td_model* m, int i) {
  const model_hop* hop = &m->hop[i];
  return hop_joint(m, i) > 0 && freedom(m, i) < 5 && td_hop_traits[hop->kind].axes == 1 &&
         hop->moves && !hop->turns;
}
static bool is_ball(const td_model* m, int i) {
  return hop_joint(m, i) > 0 && freedom(m, i) < 5 && td_hop_traits[m->hop[i].kind].axes == 3;
}

// The base of a rod is no joint that was written: it has the name of its coordinate.
static int joint_name(const td_model* m, int i) {
  const int joint = hop_joint(m, i), written = m->njoint - m->nmesh;
  return joint > written ? m->vel[m->col[m->hop[i].col].v].name : m->joint[joint - 1].name;
}

static void add_joint_kind(td_scene* s, const char* kind, const char* draw,
                           bool (*is)(const td_model* m, int i), bool axis) {
  picked p = {0};
  for (int i = 0; i < s->model->nhop; i++)
    if (is(s->model, i)) pick(&p, i);
  s->failed |= p.failed;
  if (p.n > 0) {
    open_group(s, kind, draw);
    add_names(s, &p, joint_name);
    add_tracks(s, &p, "at", TRACK_HINGE, itself);
    if (axis) add_tracks(s, &p, "axis", TRACK_AXIS, itself);
    close_group(s);
  }
  free(p.index);
}

static int row_end(const td_model* m, int i) { return m->row[i].b; }
static int row_name(const td_model* m, int i) { return m->row[i].name; }

// Where loops are closed: one mark for all rows of a joint.
static void add_loops(td_scene* s) {
  picked p = {0};
  const td_model* m = s->model;
  for (int i = 0; i < m->nrow; i++) {
    const bool again = i > 0 && m->row[i].joint == m->row[i - 1].joint &&
                       m->row[i].element == m->row[i - 1].element;
    if (!again && row_has_frames(m->row[i].kind)) pick(&p, i);
  }
  s->failed |= p.failed;
  if (p.n > 0) {
    open_group(s, "loop", "ball");
    add_names(s, &p, row_name);
    add_tracks(s, &p, "at", TRACK_POINT, row_end);
    close_group(s);
  }
  free(p.index);
}

static void add_joints(td_scene* s, td_work* w) {
  (void)w;
  add_joint_kind(s, "hinge", "pin", is_hinge, true);
  add_joint_kind(s, "slide", "slide", is_slide, true);
  add_joint_kind(s, "socket", "ball", is_ball, false);
  add_loops(s);
}

static int station_name(const td_model* m, int i) { return m->station[i].name; }

// Places of the ground that something is attached to.
static void add_anchors(td_scene* s, td_work* w) {
  (void)w;
  const td_model* m = s->model;
  picked p = {0};
  for (int i = 0; i < m->nstation; i++)
    if (m->station[i].hop < 0 && m->station[i].body < 0 && m->station[i].rod == 0) pick(&p, i);
  s->failed |= p.failed;
  if (p.n > 0) {
    open_group(s, "anchor", "cube");
    add_names(s, &p, station_name);
    add_tracks(s, &p, "at", TRACK_POINT, itself);
    close_group(s);
  }
  free(p.index);
}

// ---- rods -------------------------------------------------------------------------------------

static int by_arc(const void* a, const void* b) {
  const double x = ((const rod_point*)a)->arc, y = ((const rod_point*)b)->arc;
  return (x > y) - (x < y);
}

rod_point* scene_rod_points(const td_model* m, int rod, int* n) {
  rod_point* list = malloc(((size_t)m->nstation + 1) * sizeof *list);
  *n = 0;
  if (!list) return NULL;
  int count = 0;
  for (int i = 0; i < m->nstation; i++) {
    const model_station* st = &m->station[i];
    if (st->rod == rod + 1 && !st->moved) list[count++] = (rod_point){st->arc, i};
  }
  qsort(list, (size_t)count, sizeof *list, by_arc);
  for (int i = 0; i < count; i++)
    if (*n == 0 || list[i].arc > list[*n - 1].arc + 1e-6 * m->rod[rod].length)
      list[(*n)++] = list[i];
  return list;
}

static int piece_by_arc(const td_model* m, const int* index, int i, int j) {
  return m->strain[index[i]].arc > m->strain[index[j]].arc;
}

// The pieces of a rod that measure strain, base to tip (mostly they are so already).
static void pick_pieces(const td_model* m, int rod, picked* p) {
  for (int i = 0; i < m->nstrain; i++) {
    if (m->strain[i].rod != rod + 1) continue;
    pick(p, i);
    for (int k = p->n - 1; k > 0 && piece_by_arc(m, p->index, k - 1, k); k--) {
      const int other = p->index[k];
      p->index[k] = p->index[k - 1];
      p->index[k - 1] = other;
    }
  }
}

static void add_rod_points(td_scene* s, const td_work* w, int rod) {
  const td_model* m = s->model;
  const model_rod* r = &m->rod[rod];
  int n;
  rod_point* list = scene_rod_points(m, rod, &n);
  double* x = list ? malloc(3 * ((size_t)n + 1) * sizeof *x) : NULL;
  int* at = list ? malloc(2 * ((size_t)n + 1) * sizeof *at) : NULL;
  if (!x || !at) s->failed = true;
  if (x && at) {
    for (int i = 0; i < n; i++) {
      x[i] = list[i].arc;
      x[n + i] = td_scene_outline(w, r, 0, list[i].arc);
      x[2 * n + i] = td_scene_outline(w, r, 1, list[i].arc);
      at[i] = td_scene_track(s, TRACK_POINT, list[i].station);
    }
    const bool round = !r->angular && memcmp(x + n, x + 2 * n, (size_t)n * sizeof *x) == 0;
    td_json_numbers(&s->json, "arc", x, n);
    td_json_numbers(&s->json, "width", x + n, n);
    if (!round) td_json_numbers(&s->json, "height", x + 2 * n, n);
    td_json_ints(&s->json, "at", at, n);
    for (int i = 0; i < n; i++) at[n + i] = list[i].station;
    td_json_ints(&s->json, "station", at + n, n);
    for (int i = 0; i < n && !round; i++)
      at[n + i] = td_scene_track(s, TRACK_ACROSS, list[i].station);
    if (!round) td_json_ints(&s->json, "across", at + n, n);
  }
  free(list);
  free(x);
  free(at);
}

static void add_rod_strains(td_scene* s, const td_work* w, int rod) {
  const td_model* m = s->model;
  picked p = {0};
  pick_pieces(m, rod, &p);
  double* x = malloc(2 * ((size_t)p.n + 1) * sizeof *x);
  if (!x || p.failed) s->failed = true;
  for (int i = 0; x && i < p.n; i++) {
    x[i] = m->strain[p.index[i]].arc;
    x[p.n + i] = td_scene_outline(w, &m->rod[rod], 2, x[i]);
  }
  if (x && p.n > 0) {
    td_json_numbers(&s->json, "strain_arc", x, p.n);
    td_json_numbers(&s->json, "modulus", x + p.n, p.n);
    add_tracks(s, &p, "strain", TRACK_STRAIN, itself);
  }
  free(p.index);
  free(x);
}

static void add_rods(td_scene* s, td_work* w) {
  const td_model* m = s->model;
  if (m->nrod == 0) return;
  open_group(s, "rod", "tube");
  td_json_key(&s->json, "items");
  td_text_add(&s->json, "[");
  for (int i = 0; i < m->nrod; i++) {
    td_json_next(&s->json);
    td_text_add(&s->json, "{");
    td_json_key(&s->json, "name");
    td_json_string(&s->json, model_name(m, m->rod[i].name));
    td_json_key(&s->json, "angular");
    td_text_add(&s->json, m->rod[i].angular ? "true" : "false");
    td_json_key(&s->json, "length");
    td_json_number(&s->json, m->rod[i].length);
    add_rod_points(s, w, i);
    add_rod_strains(s, w, i);
    td_text_add(&s->json, "}");
  }
  td_text_add(&s->json, "]");
  close_group(s);
}

// ---- cables -----------------------------------------------------------------------------------

// Where a crossing is on the line of its rod.
static int add_passage(td_scene* s, int crossing) {
  const td_model* m = s->model;
  const model_strain* f = &m->strain[m->crossing[crossing].strain];
  int n;
  rod_point* line = scene_rod_points(m, f->rod - 1, &n);
  passage* list = td_grow(s->passage, &s->passage_cap, s->npassage + 1, sizeof *list);
  if (list) s->passage = list;
  if (!line || !list || n < 2) {
    s->failed |= !line || !list;
    free(line);
    return 0;
  }
  int i = 0;
  while (i < n - 2 && line[i + 1].arc < f->arc) i++;
  const double part = (f->arc - line[i].arc) / (line[i + 1].arc - line[i].arc);
  list[s->npassage] = (passage){crossing, line[i].station, line[i + 1].station, part};
  free(line);
  return td_scene_track(s, TRACK_CABLE, s->npassage++);
}

static void add_stretches(td_scene* s, const char* draw, picked* a, picked* b) {
  s->failed |= a->failed || b->failed;
  if (a->n > 0 && a->n == b->n) {
    open_group(s, "cable", draw);
    td_json_ints(&s->json, "a", a->index, a->n);
    td_json_ints(&s->json, "b", b->index, b->n);
    close_group(s);
  }
  free(a->index);
  free(b->index);
}

// From crossing to crossing of one rod; there a cable bends with it.
static void pick_passages(td_scene* s, const model_cable* c, picked* a, picked* b) {
  const td_model* m = s->model;
  int before = -1, rod = 0;
  for (int k = 0; k < c->norder; k++) {
    const int crossing = m->cable_order[c->order + k];
    if (m->crossing[crossing].joint > 0) continue;
    const int at = add_passage(s, crossing);
    const int here = m->strain[m->crossing[crossing].strain].rod;
    if (before >= 0 && here == rod) {
      pick(a, before);
      pick(b, at);
    }
    before = at;
    rod = here;
  }
}

// Stretches of all cables: smooth ones in rods, and straight spans.
static void add_cables(td_scene* s, td_work* w) {
  (void)w;
  const td_model* m = s->model;
  picked a = {0}, b = {0}, from = {0}, to = {0};
  for (int i = 0; i < m->ncable; i++) {
    const model_cable* c = &m->cable[i];
    pick_passages(s, c, &a, &b);
    for (int k = c->span; k < c->span + c->nspan; k++) {
      pick(&from, td_scene_track(s, TRACK_POINT, m->span[k].a));
      pick(&to, td_scene_track(s, TRACK_POINT, m->span[k].b));
    }
  }
  add_stretches(s, "wire", &a, &b);
  add_stretches(s, "bar", &from, &to);
}

// ---- meshes -----------------------------------------------------------------------------------

static void add_nodes(td_scene* s, td_work* w) {
  (void)w;
  const td_model* m = s->model;
  picked free_ones = {0}, held = {0};
  for (int k = 0; k < m->nmesh; k++)
    for (int i = m->mesh[k].station; i < m->mesh[k].station + m->mesh[k].nnode; i++)
      pick(m->station[i].hop < 0 ? &held : &free_ones, i);
  s->failed |= free_ones.failed || held.failed;
  const picked* both[2] = {&free_ones, &held};
  for (int k = 0; k < 2; k++) {
    if (both[k]->n == 0) continue;
    open_group(s, k ? "held" : "node", "dot");
    add_names(s, both[k], station_name);
    add_tracks(s, both[k], "at", TRACK_POINT, itself);
    td_json_ints(&s->json, "station", both[k]->index, both[k]->n);
    close_group(s);
  }
  free(free_ones.index);
  free(held.index);
}

// ---- the whole --------------------------------------------------------------------------------

// What a model may consist of.  To add a kind: write its function, add a row; the page draws any
// kind whose `draw` it knows.
static void (*const group_table[])(td_scene* s, td_work* w) = {
    td_scene_bodies, add_rods,    add_cables, add_links,
    add_joints,      add_anchors, add_nodes,  td_scene_contacts};

// Diagonal of the box around all stations; what has no extent at all is 1 m large.
static double extent(const td_model* m, const td_work* w) {
  double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
  for (int i = 0; i < m->nstation; i++) {
    const vec3 p = td_frame(m, w, i).p;
    for (int c = 0; c < 3; c++) {
      low[c] = i == 0 ? vec3_at(p, c) : fmin(low[c], vec3_at(p, c));
      high[c] = i == 0 ? vec3_at(p, c) : fmax(high[c], vec3_at(p, c));
    }
  }
  double longest = 0;
  for (int i = 0; i < m->nrod; i++) longest = fmax(longest, m->rod[i].length);
  for (int i = 0; i < m->nbody; i++)
    longest = fmax(longest, 2 * vec3_norm(vec3_of(w->num + m->body[i].com)));
  const double d =
      sqrt(pow(high[0] - low[0], 2) + pow(high[1] - low[1], 2) + pow(high[2] - low[2], 2));
  const double size = fmax(d, longest);
  return size > 0 && isfinite(size) ? size : 1;
}

static void add_up(td_scene* s, const td_work* w) {
  const vec3 g = vec3_of(w->num + s->model->gravity);
  const double size = vec3_norm(g);
  const vec3 up = size > 0 && isfinite(size) ? vec3_scale(-1 / size, g) : (vec3){0, 0, 1};
  const double x[3] = {up.x, up.y, up.z};
  td_json_numbers(&s->json, "up", x, 3);
  td_json_key(&s->json, "gravity");
  td_json_number(&s->json, size);
}

static void describe(td_scene* s, td_work* w) {
  td_text_add(&s->json, "{");
  td_json_key(&s->json, "format");
  td_text_add(&s->json, "1");
  td_json_key(&s->json, "size");
  td_json_number(&s->json, s->size);
  add_up(s, w);
  td_json_key(&s->json, "groups");
  td_text_add(&s->json, "[");
  for (size_t i = 0; i < sizeof group_table / sizeof *group_table; i++) group_table[i](s, w);
  td_text_add(&s->json, "]");
  td_json_key(&s->json, "numbers");
  td_text_printf(&s->json, "%d}", s->nnumber);
}

td_scene* td_scene_new(const td_model* model, const td_state* state, td_work* work) {
  td_scene* s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->model = model;
  s->point = malloc(((size_t)model->nstation + 1) * sizeof *s->point);
  if (!s->point) {
    free(s);
    return NULL;
  }
  for (int i = 0; i <= model->nstation; i++) s->point[i] = -1;
  td_enter(model, state, work);
  s->size = extent(model, work);
  describe(s, work);
  if (!s->failed && !s->json.failed) return s;
  td_scene_free(s);
  return NULL;
}

void td_scene_free(td_scene* scene) {
  if (!scene) return;
  free(scene->track);
  free(scene->point);
  free(scene->passage);
  free(scene->toucher);
  td_text_free(&scene->json);
  free(scene);
}
