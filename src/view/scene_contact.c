// Contacts: fixed objects, and arrows for the forces on what touches them.
#include <math.h>

#include "engine/stages.h"
#include "view/scene.h"
#include "view/text_json.h"

enum { ARROWS = 2000 };  // at most

// Write an object as it is at the start; planes and cylinders, which have no end, get one.
static void add_object(td_scene* s, const td_work* w, const model_contact* c) {
  static const char* const type[] = {
      [CONTACT_PLANE] = "plane", [CONTACT_SPHERE] = "ball", [CONTACT_CYLINDER] = "cylinder"};
  quat q = {1, {0, 0, 0}};
  if (c->kind != CONTACT_SPHERE) {
    const vec3 along = vec3_of(w->num + c->direction), z = {0, 0, 1};
    const double length = vec3_norm(along);
    q = scene_from_z(length > 0 ? vec3_scale(1 / length, along) : z);
  }
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

// Add a member with the track of each toucher.
static void add_offsets(td_scene* s, const char* field, track_kind kind) {
  td_json_key(&s->json, field);
  td_text_add(&s->json, "[");
  for (int i = 0; i < s->ntoucher; i++) {
    td_json_next(&s->json);
    td_text_printf(&s->json, "%d", td_scene_track(s, kind, i));
  }
  td_text_add(&s->json, "]");
}

// Add the objects of contacts, and the places and forces of all balls that may touch them.
void td_scene_contacts(td_scene* s, td_work* w) {
  const td_model* m = s->model;

  // balls that may touch
  for (int i = 0; i < m->ncontact; i++) {
    if (m->contact[i].kind == CONTACT_PIECES) continue;
    const int n = max_int(m->contact[i].nalong, m->contact[i].nball);
    for (int k = 0; k < n && !s->failed && s->ntoucher < ARROWS; k++) {
      toucher* list = td_grow(s->toucher, &s->toucher_cap, s->ntoucher + 1, sizeof *list);
      if (!list) {
        s->failed = true;
        break;
      }
      s->toucher = list;
      list[s->ntoucher++] = (toucher){i, k};
    }
  }
  if (s->ntoucher == 0) return;

  // objects
  td_json_next(&s->json);
  td_text_add(&s->json, "{\"kind\":\"obstacle\",\"draw\":\"fixed\"");
  td_json_key(&s->json, "parts");
  td_text_add(&s->json, "[");
  for (int i = 0; i < m->ncontact; i++)
    if (m->contact[i].kind != CONTACT_PIECES) add_object(s, w, &m->contact[i]);
  td_text_add(&s->json, "]}");

  // arrows
  td_text_add(&s->json, ",{\"kind\":\"contact\",\"draw\":\"push\"");
  add_offsets(s, "at", TRACK_TOUCH);
  add_offsets(s, "vector", TRACK_PUSH);
  td_text_add(&s->json, "}");
}
