// Bodies as solids.  A model gives the mass of a body, not its shape: it is drawn as the uniform
// solid with its mass and inertia,
//
//   box        side_k² = 6 (I_i + I_j - I_k) / m
//   cylinder   r² = 2 I_axis / m,   length² = 12 (I_across - I_axis / 2) / m   (two are equal)
//   ball       r² = 5 I / (2 m)                                                (all are equal)
//
// or, where that makes no sense (a point mass; an invented inertia, whose solid would be lighter
// than balsa wood and as large as the model), as a small ball.  Struts run from the solid to
// joints, springs and sensors of the body that lie outside of it.
#include <math.h>
#include <string.h>

#include "engine/stages.h"
#include "math/dense.h"
#include "view/scene.h"
#include "view/text_json.h"

typedef enum solid_type { SOLID_BOX, SOLID_CYLINDER, SOLID_BALL } solid_type;

// A solid in its body's frame: cylinders along z; size: full lengths along its axes.
typedef struct solid {
  solid_type type;
  vec3 p;
  quat q;
  vec3 size;
} solid;

// Solids, and the body of each.
typedef struct solids {
  solid* list;
  int* body;  // index into model_body
  int n, cap, body_cap;
  bool failed;
} solids;

// Append a solid of a body.
static void push(solids* s, int body, solid x) {
  solid* list = td_grow(s->list, &s->cap, s->n + 1, sizeof *list);
  if (list) s->list = list;
  int* owner = td_grow(s->body, &s->body_cap, s->n + 1, sizeof *owner);
  if (owner) s->body = owner;
  if (!list || !owner) {
    s->failed = true;
    return;
  }
  s->list[s->n] = x;
  s->body[s->n++] = body;
}

// ---- from the inertia -------------------------------------------------------------------------

static solid ball(vec3 p, double diameter) {
  return (solid){SOLID_BALL, p, {1, {0, 0, 0}}, {diameter, diameter, diameter}};
}

// A ball of plastic with this mass, but neither too small to see nor filling the picture
static solid mass_ball(vec3 p, double m, double size) {
  const double d = cbrt(6 * m / (3.14159265358979323846 * 1500));
  return ball(p, fmin(fmax(d, 0.024 * size), 0.08 * size));
}

// Principal inertias w, ascending, and principal axes as columns of R.  False: none, or not
// positive.
static bool principal(const double I[9], double w[3], mat3* R) {
  const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double V[9];
  for (int i = 0; i < 9; i++)
    if (!isfinite(I[i])) return false;
  if (!td_eig_symmetric(I, one, 3, w, V)) return false;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) R->m[3 * i + j] = V[3 * j + i];
  const vec3 third = vec3_cross(mat3_col(*R, 0), mat3_col(*R, 1));
  for (int i = 0; i < 3; i++) R->m[3 * i + 2] = vec3_at(third, i);
  return w[0] > 0;
}

static bool near(double a, double b) { return fabs(a - b) <= 0.03 * fmax(a, b); }

// Rotation with columns i, j, k of R; right-handed for cyclic ones
static quat turned(mat3 R, int i, int j, int k) {
  mat3 T;
  for (int r = 0; r < 3; r++) {
    T.m[3 * r] = R.m[3 * r + i];
    T.m[3 * r + 1] = R.m[3 * r + j];
    T.m[3 * r + 2] = R.m[3 * r + k];
  }
  return quat_mat3(T);
}

// Cylinder along z of q with these moments of inertia, not thinner than a disc
static solid cylinder(vec3 p, quat q, double I_axis, double I_across, double m) {
  const double r2 = 2 * I_axis / m, l2 = 12 * (I_across - 0.5 * I_axis) / m;
  const double d = 2 * sqrt(r2), l = l2 > 0.01 * r2 ? sqrt(l2) : 0.1 * sqrt(r2);
  return (solid){SOLID_CYLINDER, p, q, {d, d, l}};
}

// Box with principal inertias w, no side shorter than a fiftieth of the longest
static solid box(vec3 p, mat3 R, const double w[3], double m) {
  double side[3], longest = 0;
  for (int k = 0; k < 3; k++) {
    side[k] = sqrt(fmax(0, 6 * (w[0] + w[1] + w[2] - 2 * w[k]) / m));
    longest = fmax(longest, side[k]);
  }
  for (int k = 0; k < 3; k++) side[k] = fmax(side[k], 0.02 * longest);
  return (solid){SOLID_BOX, p, turned(R, 0, 1, 2), vec3_of(side)};
}

// Solid with this mass and inertia, or a small ball where that would not be seen or not believed
static solid inertia_solid(vec3 p, const double I[9], double m, double size) {
  double w[3];
  mat3 R;
  if (!(m > 0) || !principal(I, w, &R)) return mass_ball(p, m, size);

  // the solid by the number of equal inertias
  const solid x = near(w[0], w[2])   ? ball(p, 2 * sqrt(2.5 * w[0] / m))
                  : near(w[1], w[2]) ? cylinder(p, turned(R, 1, 2, 0), w[0], w[1], m)
                  : near(w[0], w[1]) ? cylinder(p, turned(R, 0, 1, 2), w[2], w[0], m)
                                     : box(p, R, w, m);

  // too large, too small, or too light to be meant
  const double largest = fmax(x.size.x, fmax(x.size.y, x.size.z));
  const bool airy = m < 150 * 0.5236 * largest * largest * largest;  // lighter than balsa wood
  const bool odd = x.type == SOLID_BALL && largest > 0.3 * size && airy;
  return odd || largest < 0.02 * size || largest > 1.5 * size ? mass_ball(p, m, size) : x;
}

// ---- struts -----------------------------------------------------------------------------------

// Report whether a point is in a solid, or a little outside.
static bool inside(const solid* s, vec3 p) {
  const vec3 x = mat3_apply_t(mat3_quat(s->q), vec3_sub(p, s->p));
  const double grow = 0.53;  // of the full length
  return fabs(x.x) <= grow * s->size.x && fabs(x.y) <= grow * s->size.y &&
         fabs(x.z) <= grow * s->size.z;
}

// Add a strut to a point of the body, from the nearest point of the solid's axis or from its
// middle.
static void add_strut(solids* list, int body, const solid* hub, vec3 to, double size) {
  if (inside(hub, to)) return;

  // the nearest point of the axis
  vec3 from = hub->p;
  if (hub->type == SOLID_CYLINDER) {
    const vec3 z = mat3_col(mat3_quat(hub->q), 2);
    const double h = 0.5 * hub->size.z, s = vec3_dot(z, vec3_sub(to, hub->p));
    from = vec3_axpy(fmin(fmax(s, -h), h), z, hub->p);
  }

  // a thin cylinder between the two
  const vec3 d = vec3_sub(to, from);
  const double length = vec3_norm(d);
  if (!(length > 0.01 * size) || length > 2 * size) return;
  const double least = fmin(hub->size.x, fmin(hub->size.y, hub->size.z));
  const double thick = fmin(0.012 * size, 0.5 * least);
  const vec3 middle = vec3_axpy(0.5, d, from);
  push(
      list, body,
      (solid){
          SOLID_CYLINDER, middle, scene_from_z(vec3_scale(1 / length, d)), {thick, thick, length}});
}

// A point in the axes of a body
static vec3 local(pose body, vec3 p) { return mat3_apply_t(body.R, vec3_sub(p, body.p)); }

// Add struts to the stations and child joints of each hop's body `first`, -1: none.
static void add_struts(const td_model* m, const td_work* w, const int* first, const solid* hub,
                       double size, solids* list) {
  // to stations
  for (int i = 0; i < m->nstation; i++) {
    const model_station* st = &m->station[i];
    if (st->hop < 0 || first[st->hop] < 0 || st->rod > 0) continue;
    const int body = first[st->hop];
    const pose own = w->station_fix[m->body[body].station];
    add_strut(list, body, &hub[body], local(own, w->station_fix[i].p), size);
  }

  // to the joints of child hops
  for (int i = 0; i < m->nhop; i++) {
    const int parent = m->hop[i].parent;
    if (parent < 0 || first[parent] < 0) continue;
    const int body = first[parent];
    const pose own = w->station_fix[m->body[body].station];
    add_strut(list, body, &hub[body], local(own, w->hop_fix[i].p), size);
  }
}

// ---- the group --------------------------------------------------------------------------------

// Write the solids with the number of their bodies.
static void write_parts(td_text* out, const solids* s) {
  static const char* const type[] = {"box", "cylinder", "ball"};
  td_json_key(out, "parts");
  td_text_add(out, "[");
  for (int i = 0; i < s->n; i++) {
    const solid* x = &s->list[i];
    const double numbers[10] = {x->p.x,   x->p.y, x->p.z,    x->q.v.x,  x->q.v.y,
                                x->q.v.z, x->q.w, x->size.x, x->size.y, x->size.z};
    td_json_next(out);
    td_text_printf(out, "{\"item\":%d,\"type\":\"%s\"", s->body[i], type[x->type]);
    td_json_numbers(out, "local", numbers, 7);
    td_json_numbers(out, "size", numbers + 7, 3);
    td_text_add(out, "}");
  }
  td_text_add(out, "]");
}

// Write names, masses and tracks of n bodies.
static void write_bodies(td_scene* s, const td_work* w, int n) {
  const td_model* m = s->model;
  td_json_key(&s->json, "items");
  td_text_add(&s->json, "[");
  for (int i = 0; i < n; i++) {
    td_json_next(&s->json);
    td_text_add(&s->json, "{");
    td_json_key(&s->json, "name");
    td_json_string(&s->json, model_name(m, m->station[m->body[i].station].name));
    td_json_key(&s->json, "mass");
    td_json_number(&s->json, w->num[m->body[i].m]);
    td_json_key(&s->json, "body");
    td_text_printf(&s->json, "%d", m->body[i].body);
    td_json_key(&s->json, "pose");
    td_text_printf(&s->json, "%d,\"station\":%d}",
                   td_scene_track(s, TRACK_POSE, m->body[i].station), m->body[i].station);
  }
  td_text_add(&s->json, "]");
}

// Add all bodies, except the nodes of meshes, which come last and are drawn as nodes.
void td_scene_bodies(td_scene* s, td_work* w) {
  const td_model* m = s->model;
  int n = m->nbody;
  for (int k = 0; k < m->nmesh; k++)
    for (int i = 0; i < n; i++)
      if (m->body[i].station == m->mesh[k].station) n = i;
  if (n == 0) return;
  solids list = {0};

  // the first body of each hop, from which struts begin
  int* first = malloc(((size_t)m->nhop + 1) * sizeof *first);
  for (int i = 0; first && i < m->nhop; i++) first[i] = -1;
  for (int i = n - 1; first && i >= 0; i--) {
    const int hop = m->station[m->body[i].station].hop;
    if (hop >= 0) first[hop] = i;
  }

  // solids; the mass of a rod is along the rod
  solid* hub = malloc(((size_t)n + 1) * sizeof *hub);
  for (int i = 0; first && hub && i < n; i++) {
    const model_body* b = &m->body[i];
    const double mass = w->num[b->m];
    hub[i] = inertia_solid(vec3_of(w->num + b->com), w->num + b->I, mass, s->size);
    if (mass > 0 && m->station[b->station].rod == 0) push(&list, i, hub[i]);
  }
  if (first && hub) add_struts(m, w, first, hub, s->size, &list);
  if (!first || !hub || list.failed) s->failed = true;

  // bodies, then their solids
  td_json_next(&s->json);
  td_text_add(&s->json, "{\"kind\":\"body\",\"draw\":\"solid\"");
  write_bodies(s, w, n);
  write_parts(&s->json, &list);
  td_text_add(&s->json, "}");
  free(list.list);
  free(list.body);
  free(first);
  free(hub);
}
