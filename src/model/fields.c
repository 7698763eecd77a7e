// The table of all structures, and searches in it.  Names, shapes and defaults are those of the
// published TMTDyn tables; what a rigid robot needs beyond them (joint.type, par.t_final, ...)
// follows the same pattern.  To add a field: add a row below its parent in the file of its
// structure and write the page again (see test_fields.c).
#include "model/fields.h"

#include <stdio.h>
#include <string.h>

#include "model/force_words.h"
#include "model/hop_words.h"
#include "model/structure.h"

static const td_field world_fields[] = {
    {"world", FIELD_STRUCT, "1", "", "", FIXED, "", "", "what surrounds the robot"},
    {"world.g", FIELD_NUM, "1x3", "[0 0 0]", "m/s^2", TIMED, "", "",
     "gravity, the acceleration of a body that falls freely"},
    {.path = NULL},
};

const td_structure td_structure_world = {
    .fields = world_fields,
    .intro =
        "Gravity is an acceleration: with z pointing up it is `[0 0 -9.81]`. It may change with "
        "time, as on a shaking table.",
    .example = "world.g = [0 0 -9.81];\n",
};

// ---- all of them ------------------------------------------------------------------------------

const td_structure* td_structure_at(int k) {
  static const td_structure* const list[] = {
#define X(name) &td_structure_##name,
      TD_STRUCTURES(X)
#undef X
  };
  if (k < STRUCTURES) return list[k];
  for (int f = 0; f < FORCE_KINDS; f++)
    if (td_force_words[f]->structure && k-- == STRUCTURES) return td_force_words[f]->structure;
  return NULL;
}

// Table k of fields: those of structures, then fields of joints by which single hops are written;
// NULL beyond the last.
static const td_field* table_at(int k) {
  int n = 0;
  for (const td_structure* s; (s = td_structure_at(n)); n++)
    if (n == k) return s->fields;
  for (int h = 0; h < HOP_KINDS; h++)
    if (td_hop_words[h]->fields && n++ == k) return td_hop_words[h]->fields;
  return NULL;
}

const td_field* td_field_row(int i) {
  const td_field* table;
  for (int k = 0; (table = table_at(k)); k++)
    for (const td_field* f = table; f->path; f++)
      if (i-- == 0) return f;
  return NULL;
}

#define LATER " is not available in this version; "

const td_later td_laters[] = {
    {"mesh.fluid.added_mass",
     "mesh.fluid.added_mass" LATER "the mass of the nodes, mesh.body.m, may include it"},
};

const int td_later_count = (int)(sizeof td_laters / sizeof td_laters[0]);

static const td_field* find_row(const char* path) {
  const td_field *table, *f = NULL;
  for (int k = 0; !f && (table = table_at(k)); k++) f = td_field_in(table, path);
  return f;
}

// A part of a rod has its own fields and those of the rod that may change along it.
static const td_field* field_of_part(const char* name) {
  static const char* const rows[] = {"rod.part", "rod"};
  for (int k = 0; k < 2 && td_field_of_part(name); k++) {
    char path[64];
    const int n = snprintf(path, sizeof path, "%s.%s", rows[k], name);
    const td_field* f = n < (int)sizeof path ? find_row(path) : NULL;
    if (f) return f;
  }
  return NULL;
}

const td_field* td_field_find(const char* path) {
  for (int i = 0; i < td_alias_count; i++)
    if (strcmp(td_aliases[i].path, path) == 0) return find_row(td_aliases[i].meaning);
  if (strncmp(path, "rod.part.", 9) == 0) return field_of_part(path + 9);
  return find_row(path);
}

// Is `path` parent.name?  A parent of length 0 is the root.
static bool is_child(const char* path, const char* parent, size_t length, const char* name) {
  if (length == 0) return strcmp(path, name) == 0;
  return strncmp(path, parent, length) == 0 && path[length] == '.' &&
         strcmp(path + length + 1, name) == 0;
}

// Search the rows below the parent, then fields of joints in the files of their kinds, then other
// spellings.
const td_field* td_field_child(const td_field* parent, const char* name) {
  const char* path = parent ? parent->path : "";
  if (strcmp(path, "rod.part") == 0) return field_of_part(name);
  const size_t length = strlen(path);

  const td_field* root = parent ? NULL : find_row(name);
  if (root) return root;
  // a parent's children follow it, up to the next root
  for (const td_field* f = parent ? parent + 1 : NULL; f && f->path; f++) {
    if (strncmp(f->path, path, length) != 0) break;
    if (is_child(f->path, path, length, name)) return f;
  }
  for (int k = 0; k < HOP_KINDS; k++)
    for (const td_field* f = td_hop_words[k]->fields; f && f->path; f++)
      if (is_child(f->path, path, length, name)) return f;
  for (int i = 0; i < td_alias_count; i++)
    if (is_child(td_aliases[i].path, path, length, name)) return find_row(td_aliases[i].meaning);
  return NULL;
}

double td_field_number(const char* path) { return td_field_default(td_field_find(path)); }

bool td_field_is_option(const char* word) {
  const td_field* f;
  for (int i = 0; (f = td_field_row(i)); i++)
    if (f->kind == FIELD_STR && f->options[0] != '\0' && td_field_has_option(f, word)) return true;
  return false;
}

const char* td_field_refused(const char* root) {
  for (int i = 0; i < td_later_count; i++)
    if (strcmp(td_laters[i].path, root) == 0) return td_laters[i].text;
  return NULL;
}

bool td_field_is_root(const char* name) {
  if (strchr(name, '.')) return false;
  return find_row(name) || td_field_refused(name);
}
