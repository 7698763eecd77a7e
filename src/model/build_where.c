// Where things are: names of joints, bodies and rods, places as the user writes them, and their
// frames.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/rods.h"
#include "model/rules.h"

// ---- names ------------------------------------------------------------------------------------

void td_build_rod_name(const builder* b, int rod, char* out, size_t size) {
  if (b->rod[rod].joint >= 0) {
    td_build_joint_name(b, b->rod[rod].joint, 0, out, size);
    return;
  }
  plain_name plain;
  snprintf(out, size, "%s", td_build_name(b->rods, rod, "rod", plain));
}

void td_build_joint_name(const builder* b, int joint, int element, char* out, size_t size) {
  if (joint >= b->njoint) {  // the base of a rod
    char rod[100];
    td_build_rod_name(b, joint - b->njoint, rod, sizeof rod);
    snprintf(out, size, "%s.base", rod);
    return;
  }
  plain_name plain;
  char index[16] = "";
  if (b->joint[joint].nelement > 1) snprintf(index, sizeof index, "[%d]", element + 1);
  snprintf(out, size, "%s%s", td_build_name(b->joints, joint, "joint", plain), index);
}

void td_build_body_name(const builder* b, int body, int element, char* out, size_t size) {
  if (body > b->nbody) {
    td_build_node_name(b, body, out, size);
    return;
  }
  plain_name plain;
  char index[16] = "";
  if (b->body_count[body] > 1) snprintf(index, sizeof index, "[%d]", element);
  snprintf(out, size, "%s%s", td_build_name(b->bodies, body - 1, "body", plain), index);
}

void td_build_joint_path(const builder* b, int joint, char* out, size_t size) {
  const int rod = joint - b->njoint;
  if (rod >= 0 && b->rod[rod].joint < 0) {
    snprintf(out, size, "rod(%d).joint", rod + 1);
  } else {
    snprintf(out, size, "joint(%d)", (rod >= 0 ? b->rod[rod].joint : joint) + 1);
  }
}

td_span td_build_joint_at(const builder* b, int joint, const char* const* fields) {
  if (joint >= b->njoint) {  // the base of a rod
    const build_rod* rod = &b->rod[joint - b->njoint];
    return rod->joint < 0 ? td_check_element_at(b->diags, b->rods, joint - b->njoint)
                          : td_check_element_at(b->diags, b->joints, rod->joint);
  }
  for (int i = 0; fields[i]; i++)
    if (td_get(b->joints, joint, fields[i])) return td_get_at(b->joints, joint, fields[i]);
  return td_check_element_at(b->diags, b->joints, joint);
}

// ---- places -----------------------------------------------------------------------------------

// Report a number of a body that the model does not have.
static td_status bad_body(builder* b, td_span at, const char* what, double body) {
  const int n = b->nbody + b->nnode;
  td_error(b->diags, TD_E_MODEL, at, "%s is body %g, but the model has %d bod%s%s", what, body, n,
           n == 1 ? "y" : "ies", b->nnode > 0 ? ", nodes of meshes included" : "");
  if (b->nnode > 0)
    td_more(b->diags, "bodies: 1 to %d, nodes of meshes: %d to %d, 0 is the ground", b->nbody,
            b->nbody + 1, b->nbody + b->nnode);
  else if (b->nbody > 0)
    td_more(b->diags, "bodies: 1 to %d, 0 is the ground", b->nbody);
  return TD_E_MODEL;
}

// Read a place on a rod, its tip unless an arc length is written.
static td_status place_on_rod(builder* b, const value* v, td_span at, const char* what,
                              place* out) {
  if (v->ref.index < 1 || v->ref.index > b->nrod) {
    return td_error(b->diags, TD_E_MODEL, at, "%s is rod(%d), but the model has %d rod%s", what,
                    v->ref.index, b->nrod, b->nrod == 1 ? "" : "s");
  }
  const double length = b->rod[v->ref.index - 1].length;
  out->rod = v->ref.index;
  out->arc = v->ref.has_place ? td_build_now(b, v->ref.place) : length;
  if (out->arc >= -1e-9 * length && out->arc <= (1 + 1e-9) * length) return TD_OK;
  return td_error(b->diags, TD_E_MODEL, at, "%s: rod(%d) is %g m long, got the arc length %g m",
                  what, out->rod, length, out->arc);
}

// [body arc] on a body that is a polynomial rod; its tip when no arc length is given.
static td_status place_on_body(builder* b, const value* v, int rod, td_span at, const char* what,
                               place* out) {
  const double length = b->rod[rod - 1].length;
  if (td_value_count(v) > 2) {
    td_error(b->diags, TD_E_MODEL, at,
             "%s: body(%g) is a polynomial rod: [body arc length] is one place on it, got %d "
             "arc lengths",
             what, v->x[0], td_value_count(v) - 1);
    td_hint(b->diags, "write one joint for each place");
    return TD_E_MODEL;
  }
  out->rod = rod;
  out->arc = td_value_count(v) > 1 ? v->x[1] : length;
  if (out->arc >= 0 && out->arc <= (1 + 1e-9) * length) return TD_OK;
  return td_error(b->diags, TD_E_MODEL, at, "%s: body(%g) is %g m long, got the arc length %g m",
                  what, v->x[0], length, out->arc);
}

// Resolve a reference to a rod with arc length, a mesh node, or a body with an element; of a body
// that is a polynomial rod the number is an arc length.  Refuses what does not exist.
static td_status place_of_ref(builder* b, const value* v, td_span at, const char* what,
                              place* out) {
  if (strcmp(v->ref.root, "rod") == 0) return place_on_rod(b, v, at, what, out);
  if (strcmp(v->ref.root, "mesh") == 0) {
    return td_build_node(b, v->ref.index, whole(td_spec_settle(b->spec, v->ref.place)), at, what,
                         &out->body);
  }
  if (strcmp(v->ref.root, "body") != 0) {
    return td_error(b->diags, TD_E_MODEL, at, "%s must be a body, got %s(%d)", what, v->ref.root,
                    v->ref.index);
  }
  if (v->ref.index < 0 || v->ref.index > b->nbody + b->nnode)
    return bad_body(b, at, what, v->ref.index);

  // an arc length of a body that is a rod, unless 1 is its only element
  const int rod = td_build_rom_of(b, v->ref.index);
  const double number = v->ref.has_place ? td_spec_settle(b->spec, v->ref.place) : 0;
  if (rod > 0 && v->ref.has_place && !(number == 1 && b->rod[rod - 1].length < 1)) {
    out->rod = rod;
    out->arc = number;
    if (number >= 0 && number <= (1 + 1e-9) * b->rod[rod - 1].length) return TD_OK;
    return td_error(b->diags, TD_E_MODEL, at, "%s: body(%d) is %g m long, got the arc length %g m",
                    what, v->ref.index, b->rod[rod - 1].length, number);
  }

  // an element of a body
  out->body = v->ref.index;
  if (!v->ref.has_place) return TD_OK;
  if (number != floor(number) || number < 1)
    return td_error(b->diags, TD_E_MODEL, at,
                    "%s: body(%d) is no polynomial rod: its elements count from 1, got %g", what,
                    v->ref.index, number);
  out->n = 1;
  out->element = malloc(sizeof(int));
  if (!out->element) return TD_E_NOMEM;
  out->element[0] = whole(number);
  return TD_OK;
}

// Resolve a place: nothing (ground), a reference, or [body element ...]. out->element is to be
// freed, also after a refusal.
td_status td_build_place(builder* b, const value* v, td_span at, const char* what, place* out) {
  *out = (place){.at = at};
  if (!v) return TD_OK;  // ground
  if (v->kind == V_REF) return place_of_ref(b, v, at, what, out);
  const double body = v->x[0];
  if (!(body >= 0 && body <= b->nbody + b->nnode)) return bad_body(b, at, what, body);
  const int n = td_value_count(v) - 1, rod = td_build_rom_of(b, (int)body);
  if (rod > 0) return place_on_body(b, v, rod, at, what, out);
  out->body = (int)body;
  if (n == 0) return TD_OK;
  out->element = malloc((size_t)n * sizeof(int));
  if (!out->element) return TD_E_NOMEM;
  out->n = n;
  for (int i = 0; i < n; i++) {
    if (v->x[i + 1] > b->spec->limits.bodies) {
      return td_error(b->diags, TD_E_MODEL, at,
                      "%s names element %g, but the model may have %d bodies", what, v->x[i + 1],
                      b->spec->limits.bodies);
    }
    out->element[i] = (int)v->x[i + 1];
  }
  return TD_OK;
}

int td_build_instance(const builder* b, const place* p, int k) {
  const int element = p->n == 0 ? 1 : p->element[p->n == 1 ? 0 : k];
  if (p->body == 0 || element == 0) return -1;
  return b->body_first[p->body] + element - 1;
}

td_status td_build_check_place(builder* b, const place* p, int n, const char* what) {
  const int count = b->body_count[p->body];
  for (int i = 0; i < p->n && p->body > 0; i++)
    if (p->element[i] > count) {
      return td_error(b->diags, TD_E_MODEL, p->at, "%s: body(%d) has %d element%s, got element %d",
                      what, p->body, count, count == 1 ? "" : "s", p->element[i]);
    }
  if (p->n > 1 && p->n != n) {
    return td_error(b->diags, TD_E_MODEL, p->at, "%s names %d elements, it must be one%s", what,
                    p->n, n > 1 ? ", or one for each repetition" : "");
  }
  return TD_OK;
}

// ---- frames -----------------------------------------------------------------------------------

// Rods of quadrature points have a frame at every place that is used; rods of segments have the
// frames of their pieces, and an offset along the piece.
void td_build_rod_point(builder* b, int rod, double arc, int* hop, ex* offset) {
  const build_rod* r = &b->rod[rod];
  if (r->npoint > 0) {
    int best = -1;
    for (int i = 0; i < r->npoint; i++)
      if (best < 0 || fabs(r->point_arc[i] - arc) < fabs(r->point_arc[best] - arc)) best = i;
    const bool exact = fabs(r->point_arc[best] - arc) < 1e-12 * r->length;
    *hop = exact ? r->point_hop[best] : r->hop[0];  // every place has its point but the base
    *offset = num_ex(b, 0);
    return;
  }
  int k = 0;
  while (k < r->n && arc >= segment_middle(r, k)) k++;
  *hop = r->hop[k];
  double x = arc - frame_arc(r, k);
  *offset = r->moves ? td_rod_between(b, rod, frame_arc(r, k), arc) : num_ex(b, x);
  if (fabs(x) < 1e-12 * r->length && (!r->moves || td_ex_steady(b, *offset, &x)))
    *offset = num_ex(b, 0);
  if (!r->moves) return;

  // it stays on this piece
  char what[120];
  snprintf(what, sizeof what, "rod(%d): the place at %g m leaves its piece of the rod, by ",
           rod + 1, arc);
  td_rod_keep_above(b, td_rod_between(b, rod, k > 0 ? segment_middle(r, k - 1) : 0, arc), what);
  td_rod_keep_above(b, td_rod_between(b, rod, arc, k < r->n ? segment_middle(r, k) : r->length),
                    what);
}

td_status td_build_push_offset(builder* b, ex z) {
  const double trans[3] = {0, 0, 0};
  const num at = td_build_constants(b, trans, 3);
  model_fix* fix = td_push_fix(b->m, 1);
  if (!fix || at == NUM_NONE) return TD_E_NOMEM;
  b->m->number_ex[at + 2] = z;
  *fix = (model_fix){.kind = ROT_NONE, .trans = at, .rot = NUM_NONE};
  return TD_OK;
}

static td_status copy_fixes(td_model* m, int fix, int nfix) {
  for (int i = 0; i < nfix; i++) {
    model_fix* copy = td_push_fix(m, 1);
    if (!copy) return TD_E_NOMEM;
    *copy = m->fix[fix + i];
  }
  return TD_OK;
}

// Hop of the frame, -1 for the ground; the transformations are fix .. fix + nfix - 1.
td_status td_build_anchor(builder* b, const place* p, int k, int* hop, int* fix, int* nfix) {
  *hop = -1;
  *fix = b->m->nfix;
  if (p->rod > 0) {
    const build_rod* rod = &b->rod[p->rod - 1];
    ex offset;
    td_build_rod_point(b, p->rod - 1, p->arc, hop, &offset);
    // the first piece has the base's frame
    if (*hop == rod->hop[0]) TD_TRY(copy_fixes(b->m, rod->fix, rod->nfix));
    if (offset != num_ex(b, 0)) TD_TRY(td_build_push_offset(b, offset));
  } else {
    const int instance = td_build_instance(b, p, k);
    if (instance >= 0) {
      const model_station s = b->m->station[b->m->body[instance].station];
      *hop = s.hop;
      TD_TRY(copy_fixes(b->m, s.fix, s.nfix));
    }
  }
  *nfix = b->m->nfix - *fix;
  return TD_OK;
}

// Reuse the body's own station where nothing moves it, otherwise add one.
td_status td_build_station(builder* b, const place* p, int k, const value* list, bool quaternion,
                           const char* name, int* station) {
  td_model* m = b->m;
  int hop, fix, nfix, own, nown;
  const int instance = p->rod > 0 ? -1 : td_build_instance(b, p, k);
  if (instance >= 0 && !list) {
    *station = m->body[instance].station;
    return TD_OK;
  }
  TD_TRY(td_build_anchor(b, p, k, &hop, &fix, &nfix));
  TD_TRY(td_build_fixes(b, list, quaternion, &own, &nown));
  model_station* s = td_push_station(m, 1);
  if (!s) return TD_E_NOMEM;
  *s = (model_station){.hop = hop,
                       .fix = fix,
                       .nfix = nfix + nown,
                       .body = -1,
                       .rod = p->rod,
                       .arc = p->arc,
                       .moved = nown > 0,
                       .name = td_push_name(m, "%s", name)};
  *station = m->nstation - 1;
  return TD_OK;
}

td_status td_build_reference(builder* b, const value* s, int i, const char* what, int e, int n,
                             int* station) {
  place ref;
  td_status status =
      td_build_place(b, td_get(s, i, "refbody"), td_get_at(s, i, "refbody"), what, &ref);
  if (status == TD_OK) status = td_build_check_place(b, &ref, n, what);
  *station = -1;
  if (status == TD_OK && (ref.rod > 0 || td_build_instance(b, &ref, e) >= 0))
    status = td_build_station(b, &ref, e, NULL, false, "reference", station);
  free(ref.element);
  return status;
}

td_status td_rod_station(builder* b, int rod, double arc, int* station) {
  char name[160];
  td_build_rod_name(b, rod, name, sizeof name);
  const place p = {.rod = rod + 1, .arc = arc};
  char full[200];
  snprintf(full, sizeof full, "%s@%g", name, arc);
  return td_build_station(b, &p, 0, NULL, false, full, station);
}
