// Contact: how what touches is found (contact_search.c) for the forces that follow
// (force_contact.c).
#ifndef TD_CONTACTS_H
#define TD_CONTACTS_H

#include "elem/contact.h"
#include "engine/stages.h"

static inline contact_curve contact_curve_of(const model_piece* p) {
  return (contact_curve){p->nball, p->share};
}

// The fixed object that a contact touches, at the present state, and the formulas of its shape.
static inline fixed_shape contact_object(const td_work* w, const model_contact* c) {
  const vec3 point = vec3_of(w->num + c->point), d = vec3_of(w->num + c->direction);
  return (fixed_shape){point, vec3_scale(1 / vec3_norm(d), d), w->num[c->radius]};
}
static inline const shape_ops* shape_of(const model_contact* c) { return td_shapes[c->shape].ops; }

// Bring balls and lines to the present state.
void td_contact_lines(const td_model* m, const td_work* w);
vec3 td_ball_arm(const td_work* w, const model_ball* b, const frame* f);
contact_law td_contact_law(const td_work* w, const model_contact* c, double weight);
vec3 td_contact_drift(const td_work* w, const model_contact* c);
contact_touch td_touch_fixed(const td_work* w, const model_contact* c, vec3 x, double r);

typedef void (*td_touch_visit)(const td_model* m, const td_work* w, const contact_touching* t,
                               void* data);
// All pairs in contact, but single balls on fixed objects.
void td_each_touch(const td_model* m, const td_work* w, td_touch_visit visit, void* data);

#endif
