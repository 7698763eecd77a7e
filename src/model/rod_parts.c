// Parts of a rod: rod(k).part(i) is a stretch with fields of its own; it inherits all others from
// the rod.  Everything that reads a rod reads its parts, with the rod's fields already filled in; a
// rod without parts is its own only part.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/field.h"
#include "model/rods.h"

rod_words td_rod_read(const value* rods, int i) {
  const value* damp = td_get(rods, i, "damp");
  return (rod_words){
#define X(field) .field = td_get(rods, i, #field),
      TD_ROD_VALUES(X)
#undef X
          .visc = td_get(damp, 0, "visc"),
      .pow = td_get(damp, 0, "pow"),
      .section = td_get_word(rods, i, "section", "circle"),
      .model = td_get_word(rods, i, "model", td_rod_models[0].name),
      .material = td_material(td_get_word(rods, i, "material", "")),
      .law = td_rubber(td_get_word(rods, i, "law", "linear")),
      .local = strcmp(td_get_word(rods, i, "load_frame", "world"), "local") == 0};
}

// Fields of a rod that become void when a part writes another field about the same thing.
static const struct {
  const char* written;
  const char* dropped;  // names, each between spaces
} replaced[] = {
    {"section", " radius width height area Ix Iy J "},
    {"material", " E G nu rho stiffness energy law moduli inertia "},
    {"stiffness", " E G nu shear energy law moduli "},
    {"energy", " E G nu shear stiffness law moduli "},
    {"law", " E G nu stiffness energy moduli "},
    {"moduli", " E G nu stiffness energy "},
    {"E", " stiffness energy moduli "},
    {"G", " stiffness energy nu law moduli "},
    {"nu", " stiffness energy G law moduli "},
    {"shear", " stiffness energy "},
    {"rho", " inertia "},
    {"inertia", " rho "},
    {"eta", " damping "},
    {"damping", " eta "},
    {"strain", " basis order elements functions "},
    {"basis", " strain "},
    {"order", " strain "},
    {"elements", " strain "},
    {"functions", " strain "},
};

static bool is_dropped(const value* parts, int part, const char* field) {
  char name[40];
  snprintf(name, sizeof name, " %.36s ", field);
  for (size_t k = 0; k < sizeof replaced / sizeof replaced[0]; k++)
    if (strstr(replaced[k].dropped, name) && td_get(parts, part, replaced[k].written)) return true;
  return false;
}

// Share one field of a rod with one of its parts.  False: no memory.
static bool put_field(value* out, int part, const value* from, int i, int field) {
  const value_slot* slot = &from->slots[i * from->nfield + field];
  value_slot* to = td_value_slot_make(out, part, from->names[field]);
  if (!to) return false;
  td_value_drop(to->v);
  *to = *slot;
  td_value_hold(to->v);
  return true;
}

// Part i: the rod's fields that a part may have, then its own.
static bool fill_part(value* out, const value* rods, int rod, const value* parts, int i) {
  for (int f = 0; f < rods->nfield; f++) {
    const char* name = rods->names[f];
    if (!td_get(rods, rod, name) || !td_field_of_part(name) || td_get(parts, i, name)) continue;
    if (is_dropped(parts, i, name)) continue;
    // fields about the coordinates of written-out strains are the rod's alone
    if (td_get(rods, rod, "coords") &&
        (strcmp(name, "coords") == 0 || strcmp(name, "init") == 0 || strcmp(name, "rate") == 0))
      continue;
    if (!put_field(out, i, rods, rod, f)) return false;
  }
  for (int f = 0; f < parts->nfield; f++)
    if (td_get(parts, i, parts->names[f]) && !put_field(out, i, parts, i, f)) return false;
  return true;
}

const char* td_rod_strain_name(int d) {
  static const char* const names[6] = {"shear_x", "shear_y", "stretch",
                                       "bend_x",  "bend_y",  "twist"};
  return names[d];
}

value* td_rod_parts(const value* rods, int rod) {
  const value* parts = td_get(rods, rod, "part");
  if (!parts || parts->kind != V_STRUCT) return NULL;
  value* out = td_value_struct(1, td_value_count(parts));
  if (!out) return NULL;
  out->depth = rods->depth;
  for (int i = 0; i < td_value_count(parts); i++)
    if (!fill_part(out, rods, rod, parts, i)) {
      td_value_drop(out);
      return NULL;
    }
  return out;
}

// ---- for the builder --------------------------------------------------------------------------

bool td_build_rod_parts(builder* b, int rod) {
  build_rod* r = &b->rod[rod];
  r->w = td_rod_read(b->rods, rod);
  r->parts = td_rod_parts(b->rods, rod);
  if (!r->parts && r->w.part) return false;
  const value* s = r->parts ? r->parts : b->rods;
  r->npart = r->parts ? td_value_count(r->parts) : 1;
  r->part = calloc((size_t)r->npart, sizeof(rod_part));
  if (!r->part) return false;
  for (int i = 0; i < r->npart; i++) {
    const int at = r->parts ? i : rod;
    const rod_words w = td_rod_read(s, at);
    const value *length = w.length, *n = w.n;
    const ex from = i > 0 ? add(b, r->part[i - 1].from_ex, r->part[i - 1].length_ex) : num_ex(b, 0),
             own = length ? td_value_ex(length, 0, b->spec->graph) : num_ex(b, 1);
    if (!td_ex_is_const(b->spec->graph, own)) r->moves = true;
    r->part[i] =
        (rod_part){.s = s,
                   .at = at,
                   .w = w,
                   .from = r->length,
                   .length = td_build_now(b, own),
                   .from_ex = from,
                   .length_ex = own,
                   .first = r->n,
                   .n = (int)(n ? n->x[0] : td_field_default(td_field_in(td_rod_fields, "rod.n")))};
    rod_part* p = &r->part[i];
    p->whole_from = p->from;
    p->whole_length = p->length;
    p->whole = i;
    p->whole_n = p->n;
    r->length += r->part[i].length;
    r->n += r->part[i].n;
  }
  return true;
}

const rod_part* td_rod_part_at(const builder* b, int rod, double arc) {
  const build_rod* r = &b->rod[rod];
  int i = 0;
  for (int behind = r->npart; behind - i > 1;) {  // bisection
    const int middle = (i + behind) / 2;
    if (arc >= r->part[middle].from)
      i = middle;
    else
      behind = middle;
  }
  return &r->part[i];
}

int td_build_rod_part(const builder* b, int rod, double arc) {
  const build_rod* r = &b->rod[rod];
  int i = 0;
  while (i < r->npart - 1 && arc > r->part[i + 1].from + 1e-12 * r->length) i++;
  return i;
}

bool td_rod_has_wrench(const builder* b, int rod) {
  for (int i = 0; i < b->spec->nsensor; i++) {
    const td_sensor_ref* s = &b->spec->sensors[i].ref;
    if (sensor_is(s->kind, OF_SECTION) && s->index == rod + 1) return true;
  }
  return false;
}

int td_build_rom_of(const builder* b, int body) {
  for (int r = 0; r < b->nrod; r++) {
    const value* second = b->rod[r].joint < 0 ? NULL : b->joint[b->rod[r].joint].w.second;
    if (!second) continue;
    if (second->kind == V_REF ? second->ref.index == body : second->x[0] == body) return r + 1;
  }
  return 0;
}

int td_build_sensor_rod(const builder* b, const td_sensor_ref* ref) {
  if (ref->root == 'r') return ref->index;
  if (ref->root != 'b' || (ref->item == 0 && !(ref->arc > 0))) return 0;
  const int rod = td_build_rom_of(b, ref->index);
  // a rod shorter than a metre ends at its only element
  const bool tip = rod > 0 && ref->element == 1 && ref->arc > (1 + 1e-9) * b->rod[rod - 1].length;
  return tip ? 0 : rod;
}

double td_build_sensor_arc(const builder* b, const td_sensor_ref* ref) {
  return ref->arc == TD_ARC_TIP ? b->rod[ref->index - 1].length : ref->arc;
}
