// The table of all structures, searches in it, and structures that consist of fields alone.  Names,
// shapes and defaults are those of the published TMTDyn tables; what a rigid robot needs beyond
// them (joint.type, par.t_final, ...) follows the same pattern.  To add a field: add a row below
// its parent in the file of its structure and write the page again (see test_fields.c).
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

static const td_field exload_fields[] = {
    {"exload", FIELD_STRUCTS, "", "", "", FIXED, "", "", "external loads"},
    {"exload.exbody", FIELD_PLACE, "", TD_REQUIRED, "", FIXED, "", "", "body it acts on"},
    {"exload.refbody", FIELD_PLACE, "", "[0 1]", "", FIXED, "", "",
     "body in whose frame the load is given; 0 is the world"},
    {"exload.tr", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "transformations from the body's frame to the point of action"},
    {"exload.tr.trans", FIELD_NUM, "1x3", "[0 0 0]", "m", PARAM, "", "", "translation"},
    {"exload.tr.rot", FIELD_NUM, "1x2|1x3|1x4", "[0 0]", "rad", PARAM, "", "",
     "rotation: [axis angle]; three angles; [0 x y z] with norm([x y z]) < 1, the vector part of a "
     "unit quaternion; otherwise a quaternion [w x y z]"},
    {"exload.ftau", FIELD_NUM, "nx3|nx6", "[0 0 0 0 0 0]", "N, N m", FORCE, "", "",
     "force, or force and torque"},
    {.path = NULL},
};
static const td_rule exload_rules[] = {
    {"exload.tr.rot", .value = td_check_place_rotation},
    {.path = NULL},
};

const td_structure td_structure_exload = {
    .fields = exload_fields,
    .rules = exload_rules,
    .plural = "loads",
    .intro =
        "A force, or a force and a torque, on a body. It is given in the world unless `refbody` "
        "names a body whose frame it follows.",
    .example =
        "exload(1).exbody = 2;\n"
        "exload(1).tr.trans = [0 0 0.2];\n"
        "exload(1).ftau = [5*sin(2*pi*t) 0 0 0 0 0];\n",
};

static const td_field sensor_fields[] = {
    {"sensor", FIELD_STRUCTS, "", "", "", FIXED, "", "", "quantities to record"},
    {"sensor.name", FIELD_STR, "", TD_REQUIRED, "", FIXED, "", "", "name in the results; unique"},
    {"sensor.value", FIELD_NUM, "", TD_REQUIRED, "", WATCH, "", "", "any expression"},
    {"sensor.noise", FIELD_NUM, "", "0", "", PARAM, "", ">= 0",
     "standard deviation of a measurement by a sampled controller or an observer; results hold "
     "exact values"},
    {"sensor.quantum", FIELD_NUM, "", "0", "", PARAM, "", ">= 0",
     "smallest step of a measurement, 0: none"},
    {.path = NULL},
};

const td_structure td_structure_sensor = {
    .fields = sensor_fields,
    .plural = "sensors",
    .intro =
        "A sensor records an expression. Everything an expression can ask of the robot is listed "
        "under [Quantities](#quantities).",
    .example =
        "sensor(1).name  = 'tip';\n"
        "sensor(1).value = pos(body(2), [0 0 0.2]);\n",
};

static const td_field output_fields[] = {
    {"output", FIELD_LIST, "", "all sensors, q, v and internal states", "", FIXED, "", "",
     "what the result files hold"},
    {.path = NULL},
};

const td_structure td_structure_output = {
    .fields = output_fields,
    .intro =
        "A list of sensor names and of the words `energy`, `q` (positions), `v` (velocities) and "
        "`z` (internal states); without it all sensors, `q`, `v` and `z`.",
    .example = "output = {'tip', 'energy', 'q'};\n",
};

static const td_field event_fields[] = {
    {"event", FIELD_STRUCTS, "", "", "", FIXED, "", "", "moments to find"},
    {"event.when", FIELD_NUM, "1", TD_REQUIRED, "", WATCH, "", "",
     "happens when this expression passes through zero"},
    {"event.then", FIELD_STR, "", "mark", "", FIXED, "", "stop|mark",
     "end the simulation, or only record the time"},
    {"event.name", FIELD_STR, "", "", "", FIXED, "", "", "name in the results; unique"},
    {.path = NULL},
};

static void event_when(td_spec* spec, const checked* c) {
  double x;
  if (td_check_constant(spec, c->v, 0, &x))
    td_warn(&spec->diags, c->at, "%s is the constant %g: this event never happens", c->name, x);
}

static const td_rule event_rules[] = {
    {"event.when", .value = event_when},
    {.path = NULL},
};

const td_structure td_structure_event = {
    .fields = event_fields,
    .rules = event_rules,
    .plural = "events",
    .intro =
        "The solver finds the moment at which an expression passes through zero, in either "
        "direction.",
    .example =
        "event(1).when = pos(body(2))*[0; 0; 1];   % the body reaches the ground\n"
        "event(1).then = 'stop';\n",
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
