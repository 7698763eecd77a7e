// The scene of a model: the groups of things to draw, as JSON, and the tracks that move them.
#include "view/scene.h"

#include <math.h>
#include <string.h>

#include "base/order.h"
#include "engine/stages.h"
#include "view/text_json.h"

// ---- groups -----------------------------------------------------------------------------------

// Indices of things of one kind.
typedef struct picked {
  int* index;
  int n, cap;
  bool failed;
} picked;

// Append an index.
static void pick(picked* p, int i) {
  int* list = td_grow(p->index, &p->cap, p->n + 1, sizeof *list);
  if (!list) {
    p->failed = true;
    return;
  }
  p->index = list;
  list[p->n++] = i;
}

// Begin a group of things to draw.
static void open_group(td_scene* s, const char* kind, const char* draw) {
  td_json_next(&s->json);
  td_text_add(&s->json, "{");
  td_json_key(&s->json, "kind");
  td_json_string(&s->json, kind);
  td_json_key(&s->json, "draw");
  td_json_string(&s->json, draw);
}

static void close_group(td_scene* s) { td_text_add(&s->json, "}"); }

// Add a member with one offset for each picked thing: the track of the index that `of` gives.
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

// Begin a group of picked things with their names, which are left out where there are too many to
// read.  False: there are none, and no group.
static bool begin_picked(td_scene* s, const picked* p, const char* kind, const char* draw,
                         int (*name)(const td_model* m, int i)) {
  s->failed |= p->failed;
  if (p->n == 0) return false;
  open_group(s, kind, draw);
  if (p->n > 2000) return true;
  td_json_key(&s->json, "name");
  td_text_add(&s->json, "[");
  for (int i = 0; i < p->n; i++) {
    td_json_next(&s->json);
    td_json_string(&s->json, model_name(s->model, name(s->model, p->index[i])));
  }
  td_text_add(&s->json, "]");
  return true;
}

static int itself(const td_model* m, int i) { return (void)m, i; }
static int first_end(const td_model* m, int i) { return force_at(m, i).a; }
static int second_end(const td_model* m, int i) { return force_at(m, i).b; }
static int force_name(const td_model* m, int i) { return force_at(m, i).name; }

// ---- forces -----------------------------------------------------------------------------------

// Appearance of a kind of force: a line between two stations, or an arrow at one.
typedef struct link_kind {
  const char *kind, *draw;
  bool arrow;
  track_kind arrow_track;
} link_kind;

// To add one: a line in force_look (engine/force.h) and its entry here, or a function in
// group_table.
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

// Bits of the looks that a force has
static unsigned looks_of(const td_model* m, const force_info* f) {
  return td_element_table[f->kind]->looks(m, f->i);
}

// Report whether a force is seen as a line between its two stations.
bool scene_force_is_line(const td_model* m, int force) {
  const force_info f = force_at(m, force);
  return (looks_of(m, &f) & ~(1u << LOOK_LOAD | 1u << LOOK_MOMENT)) != 0;
}

// Add one group for each appearance of forces (link_table): lines between two stations, or arrows
// at one.  A force may have several.
static void add_links(td_scene* s, td_work* w) {
  (void)w;
  const int n = model_forces(s->model);
  for (int look = 0; look < LOOK_COUNT; look++) {
    const link_kind* row = &link_table[look];
    picked p = {0};
    for (int i = 0; i < n; i++) {
      const force_info f = force_at(s->model, i);
      if (looks_of(s->model, &f) >> look & 1) pick(&p, i);
    }
    if (begin_picked(s, &p, row->kind, row->draw, force_name)) {
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
}

// ---- joints -----------------------------------------------------------------------------------

// Number of the joint that a hop belongs to, 0: none
static int hop_joint(const td_model* m, int i) {
  const model_hop* hop = &m->hop[i];
  return hop->nv > 0 ? m->vel[m->col[hop->col].v].joint : 0;
}

// Degrees of freedom of the joint element that a hop belongs to; six are no joint to be seen
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

// Name of a hop's joint; the base of a rod is no joint that the user wrote, and has its
// coordinate's
static int joint_name(const td_model* m, int i) {
  const int joint = hop_joint(m, i), written = m->njoint - m->nmesh;
  return joint > written ? m->vel[m->col[m->hop[i].col].v].name : m->joint[joint - 1].name;
}

static int row_end(const td_model* m, int i) { return m->row[i].b; }
static int row_name(const td_model* m, int i) { return m->row[i].name; }

// Add hinges, slides and ball joints, and one mark for each joint that closes a kinematic loop.
static void add_joints(td_scene* s, td_work* w) {
  (void)w;
  const td_model* m = s->model;
  picked hinge = {0}, slide = {0}, ball = {0}, loop = {0};

  // by the number of axes and by whether they turn or move
  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    if (hop_joint(m, i) <= 0 || freedom(m, i) >= 5) continue;
    const int axes = td_hop_traits[hop->kind].axes;
    if (axes == 1 && (hop->turns || has_quaternion(hop))) pick(&hinge, i);
    if (axes == 1 && hop->moves && !hop->turns) pick(&slide, i);
    if (axes == 3) pick(&ball, i);
  }
  const struct {
    picked* p;
    const char *kind, *draw;
  } groups[] = {{&hinge, "hinge", "pin"}, {&slide, "slide", "slide"}, {&ball, "socket", "ball"}};
  for (int k = 0; k < 3; k++) {
    if (begin_picked(s, groups[k].p, groups[k].kind, groups[k].draw, joint_name)) {
      add_tracks(s, groups[k].p, "at", TRACK_HINGE, itself);
      if (k < 2) add_tracks(s, groups[k].p, "axis", TRACK_AXIS, itself);
      close_group(s);
    }
    free(groups[k].p->index);
  }

  // the first constraint row of each joint that closes a loop
  for (int i = 0; i < m->nrow; i++) {
    const bool again = i > 0 && m->row[i].joint == m->row[i - 1].joint &&
                       m->row[i].element == m->row[i - 1].element;
    if (!again && row_has_frames(m->row[i].kind)) pick(&loop, i);
  }
  if (begin_picked(s, &loop, "loop", "ball", row_name)) {
    add_tracks(s, &loop, "at", TRACK_POINT, row_end);
    close_group(s);
  }
  free(loop.index);
}

static int station_name(const td_model* m, int i) { return m->station[i].name; }

// Add the stations of the ground that something is attached to.
static void add_anchors(td_scene* s, td_work* w) {
  (void)w;
  const td_model* m = s->model;
  picked p = {0};
  for (int i = 0; i < m->nstation; i++)
    if (m->station[i].hop < 0 && m->station[i].body < 0 && m->station[i].rod == 0) pick(&p, i);
  if (begin_picked(s, &p, "anchor", "cube", station_name)) {
    add_tracks(s, &p, "at", TRACK_POINT, itself);
    close_group(s);
  }
  free(p.index);
}

// ---- rods -------------------------------------------------------------------------------------

// List the stations on the line of a rod by arc length, of those closer than rounding the first.
rod_point* scene_rod_points(const td_model* m, int rod, int* n) {
  rod_point* list = malloc(((size_t)m->nstation + 1) * sizeof *list);
  *n = 0;
  if (!list) return NULL;
  int count = 0;
  for (int i = 0; i < m->nstation; i++) {
    const model_station* st = &m->station[i];
    if (st->rod == rod + 1 && !st->moved) list[count++] = (rod_point){st->arc, i};
  }

  // sort, and keep one station for each arc length
  qsort(list, (size_t)count, sizeof *list, ascending);
  for (int i = 0; i < count; i++)
    if (*n == 0 || list[i].arc > list[*n - 1].arc + 1e-6 * m->rod[rod].length)
      list[(*n)++] = list[i];
  return list;
}

// Add the line of a rod: arc lengths, outline, tracks of points and, where the section is not
// round, of its x axis.
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

    // a round section has one width
    const bool round = !r->angular && memcmp(x + n, x + 2 * n, (size_t)n * sizeof *x) == 0;
    td_json_numbers(&s->json, "arc", x, n);
    td_json_numbers(&s->json, "width", x + n, n);
    if (!round) td_json_numbers(&s->json, "height", x + 2 * n, n);
    td_json_ints(&s->json, "at", at, n);

    // stations, and the x axis of sections that are not round
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

// Add the places of a rod that measure strain, base to tip, with Young's modulus and tracks.
static void add_rod_strains(td_scene* s, const td_work* w, int rod) {
  const td_model* m = s->model;
  picked p = {0};

  // strain elements sorted by arc length; mostly they are so already
  for (int i = 0; i < m->nstrain; i++) {
    if (m->strain[i].rod != rod + 1) continue;
    pick(&p, i);
    for (int k = p.n - 1; k > 0; k--) {
      const int other = p.index[k];
      if (m->strain[p.index[k - 1]].arc <= m->strain[other].arc) break;
      p.index[k] = p.index[k - 1];
      p.index[k - 1] = other;
    }
  }

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

// Add the group of all rods, drawn as tubes: name, length, points and strains of each.
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

// Add the point at which a cable crosses a strain element, as a fraction between the two stations
// of the rod's line around it; returns the offset of its track.
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

  // the two stations around it
  int i = 0;
  while (i < n - 2 && line[i + 1].arc < f->arc) i++;
  const double part = (f->arc - line[i].arc) / (line[i + 1].arc - line[i].arc);
  list[s->npassage] = (passage){crossing, line[i].station, line[i + 1].station, part};
  free(line);
  return td_scene_track(s, TRACK_CABLE, s->npassage++);
}

// Add a group of cable segments from a to b, and release both lists.
static void add_segments(td_scene* s, const char* draw, picked* a, picked* b) {
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

// Add the segments of all cables: wires from crossing to crossing inside a rod, with which they
// bend, and straight bars between rods.
static void add_cables(td_scene* s, td_work* w) {
  (void)w;
  const td_model* m = s->model;
  picked a = {0}, b = {0}, from = {0}, to = {0};
  for (int i = 0; i < m->ncable; i++) {
    const model_cable* c = &m->cable[i];

    // two crossings in a row in the same rod
    int before = -1, rod = 0;
    for (int k = 0; k < c->norder; k++) {
      const int crossing = m->cable_order[c->order + k];
      if (m->crossing[crossing].joint > 0) continue;
      const int at = add_passage(s, crossing);
      const int here = m->strain[m->crossing[crossing].strain].rod;
      if (before >= 0 && here == rod) {
        pick(&a, before);
        pick(&b, at);
      }
      before = at;
      rod = here;
    }

    // free spans
    for (int k = c->span; k < c->span + c->nspan; k++) {
      pick(&from, td_scene_track(s, TRACK_POINT, m->span[k].a));
      pick(&to, td_scene_track(s, TRACK_POINT, m->span[k].b));
    }
  }
  add_segments(s, "wire", &a, &b);
  add_segments(s, "bar", &from, &to);
}

// ---- meshes -----------------------------------------------------------------------------------

// Add two groups of dots, the free nodes of meshes and those fixed to the ground.
static void add_nodes(td_scene* s, td_work* w) {
  (void)w;
  const td_model* m = s->model;
  picked free_ones = {0}, held = {0};
  for (int k = 0; k < m->nmesh; k++)
    for (int i = m->mesh[k].station; i < m->mesh[k].station + m->mesh[k].nnode; i++)
      pick(m->station[i].hop < 0 ? &held : &free_ones, i);
  picked* both[2] = {&free_ones, &held};
  for (int k = 0; k < 2; k++) {
    if (begin_picked(s, both[k], k ? "held" : "node", "dot", station_name)) {
      add_tracks(s, both[k], "at", TRACK_POINT, itself);
      td_json_ints(&s->json, "station", both[k]->index, both[k]->n);
      close_group(s);
    }
    free(both[k]->index);
  }
}

// ---- the whole --------------------------------------------------------------------------------

// All kinds of things.  To add one: write its function and add it here; the page draws any kind
// whose `draw` it knows (docs/viewer.md).
static void (*const group_table[])(td_scene* s, td_work* w) = {
    td_scene_bodies, add_rods,    add_cables, add_links,
    add_joints,      add_anchors, add_nodes,  td_scene_contacts};

// Describe a model at a state: its size, the direction against gravity, and all groups.
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
  s->size = td_extent(model, work);
  td_text_add(&s->json, "{");
  td_json_key(&s->json, "format");
  td_text_add(&s->json, "1");
  td_json_key(&s->json, "size");
  td_json_number(&s->json, s->size);

  // up is against gravity, or z
  const vec3 g = vec3_of(work->num + model->gravity);
  const double size = vec3_norm(g);
  const vec3 up = size > 0 && isfinite(size) ? vec3_scale(-1 / size, g) : (vec3){0, 0, 1};
  td_json_numbers(&s->json, "up", (const double[]){up.x, up.y, up.z}, 3);
  td_json_key(&s->json, "gravity");
  td_json_number(&s->json, size);

  // groups; they add tracks, which make the numbers of a frame
  td_json_key(&s->json, "groups");
  td_text_add(&s->json, "[");
  for (size_t i = 0; i < sizeof group_table / sizeof *group_table; i++) group_table[i](s, work);
  td_text_add(&s->json, "]");
  td_json_key(&s->json, "numbers");
  td_text_printf(&s->json, "%d}", s->nnumber);
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
