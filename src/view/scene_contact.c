// Contacts: fixed objects, and arrows for the forces of those on what touches them.
#include <math.h>

#include "engine/stages.h"
#include "view/scene.h"
#include "view/text_json.h"

enum { ARROWS = 2000 };

// Rotation that takes z to a direction.
static quat from_z(vec3 d) {
  const double size = vec3_norm(d);
  const vec3 z = {0, 0, 1}, u = size > 0 ? vec3_scale(1 / size, d) : z, axis = vec3_cross(z, u);
  const double s = vec3_norm(axis);
  if (s < 1e-12) return u.z > 0 ? (quat){1, {0, 0, 0}} : (quat){0, {1, 0, 0}};
  return quat_exp(vec3_scale(atan2(s, u.z) / s, axis));
}

// As it is at the start: planes and cylinders have no end, pictures of them do.
static void add_object(td_scene* s, const td_work* w, const model_contact* c) {
  static const char* const type[] = {
      [CONTACT_PLANE] = "plane", [CONTACT_SPHERE] = "ball", [CONTACT_CYLINDER] = "cylinder"};
  const quat q =
      c->kind == CONTACT_SPHERE ? (quat){1, {0, 0, 0}} : from_z(vec3_of(w->num + c->direction));
  const double* p = w->num + c->point;
  const double d = c->kind == CONTACT_PLANE ? 2 * s->size : 2 * w->num[c->radius];
  const double local[7] = {p[0], p[1], p[2], q.v.x, q.v.y, q.v.z, q.w};
  const double size[3] = {d, d, c->kind == CONTACT_CYLINDER ? 1.2 * s->size : d};
  td_json_next(&s->json);
  td_text_printf(&s->json, "{\"item\":0,\"type\":\"%s\"", type[c->kind]);
  td_json_numbers(&s->json, "local", local, 7);
  td_json_numbers(&s->json, "size", size, 3);
  td_text_add(&s->json, "}");
}

static void add_objects(td_scene* s, const td_work* w) {
  const td_model* m = s->model;
  td_json_next(&s->json);
  td_text_add(&s->json, "{\"kind\":\"obstacle\",\"draw\":\"fixed\"");
  td_json_key(&s->json, "parts");
  td_text_add(&s->json, "[");
  for (int i = 0; i < m->ncontact; i++)
    if (m->contact[i].kind != CONTACT_PIECES) add_object(s, w, &m->contact[i]);
  td_text_add(&s->json, "]}");
}

static void find_touchers(td_scene* s) {
  const td_model* m = s->model;
  for (int i = 0; i < m->ncontact; i++) {
    if (m->contact[i].kind == CONTACT_PIECES) continue;
    const int n = max_int(m->contact[i].nalong, m->contact[i].nball);
    for (int k = 0; k < n && s->ntoucher < ARROWS; k++) {
      toucher* list = td_grow(s->toucher, &s->toucher_cap, s->ntoucher + 1, sizeof *list);
      if (!list) {
        s->failed = true;
        return;
      }
      s->toucher = list;
      list[s->ntoucher++] = (toucher){i, k};
    }
  }
}

static void add_offsets(td_scene* s, const char* field, track_kind kind) {
  td_json_key(&s->json, field);
  td_text_add(&s->json, "[");
  for (int i = 0; i < s->ntoucher; i++) {
    td_json_next(&s->json);
    td_text_printf(&s->json, "%d", td_scene_track(s, kind, i));
  }
  td_text_add(&s->json, "]");
}

void td_scene_contacts(td_scene* s, td_work* w) {
  find_touchers(s);
  if (s->ntoucher == 0) return;
  add_objects(s, w);
  td_text_add(&s->json, ",{\"kind\":\"contact\",\"draw\":\"push\"");
  add_offsets(s, "at", TRACK_TOUCH);
  add_offsets(s, "vector", TRACK_PUSH);
  td_text_add(&s->json, "}");
}
