// Contacts: fixed objects, and arrows for the forces on what touches them.
#include <math.h>

#include "engine/stages.h"
#include "view/scene.h"
#include "view/text_json.h"

enum { ARROWS = 2000 };  // at most

// Write an object as it is at the start; planes and cylinders, which have no end, get one.
static void add_object(td_scene* s, const td_work* w, const model_contact* c) {
  const shape_kind* shape = &td_shapes[c->shape];
  const vec3 z = {0, 0, 1}, along = shape->direction ? vec3_of(w->num + c->direction) : z;
  const double length = vec3_norm(along);
  const fixed_shape object = {vec3_of(w->num + c->point),
                              length > 0 ? vec3_scale(1 / length, along) : z, w->num[c->radius]};
  const quat q = scene_from_z(object.u);
  const double local[7] = {
      object.point.x, object.point.y, object.point.z, q.v.x, q.v.y, q.v.z, q.w};
  double size[3];
  shape->ops->extent(&object, s->size, size);
  td_json_next(&s->json);
  td_text_printf(&s->json, "{\"item\":0,\"type\":\"%s\"", shape->drawn);
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
    if (!m->contact[i].fixed) continue;
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
    if (m->contact[i].fixed) add_object(s, w, &m->contact[i]);
  td_text_add(&s->json, "]}");

  // arrows
  td_text_add(&s->json, ",{\"kind\":\"contact\",\"draw\":\"push\"");
  add_offsets(s, "at", TRACK_TOUCH);
  add_offsets(s, "vector", TRACK_PUSH);
  td_text_add(&s->json, "}");
}
