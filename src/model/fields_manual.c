// The reference page of the model language, written from the structures (structure.h) and from
// TD_SENSOR_LIST in sensor.h.
#include <string.h>

#include "model/fields.h"
#include "model/structure.h"

static const char head[] =
    "# Reference of the model language\n"
    "\n"
    "<!-- Written from the tables in src/model/fields.c and src/model/sensor.h.  Do not edit: "
    "change the\n"
    "     tables and run `test_fields --write`. -->\n"
    "\n"
    "A model is a set of structures. Each table below gives, for every field:\n"
    "\n"
    "- **shape**: rows x columns. *n* is one row for all, or one for each repeated element, *m* "
    "any "
    "number. A vector may be written as a row or as a column.\n"
    "- **default**: what an absent or empty (`[]`) field means.\n"
    "- **unit**: SI. Two units: the first for translations, the second for rotations.\n"
    "- **may depend on**: what may stand in an expression there. Each step includes those before "
    "it:\n"
    "  *structure* (known when the model is loaded: a parameter may stand there too, its value is "
    "used, and changing it loads the model again), *parameters* (`param`), *time* (`t`), *forces* "
    "(named inputs, positions and rates too) and *all* (accelerations and constraint forces too). "
    "*s* is the arc length of a rod, *here* the place in the world at which something acts.\n"
    "\n"
    "Strains, twists and wrenches are [translational(3), rotational(3)]. A body is named by its "
    "number, "
    "0 for the ground, by `[body element]`, or by a reference: `body(2)`, `at(body(2), 3)`.\n";

// ---- tables -----------------------------------------------------------------------------------

// Word of the manual for what a field may depend on.
static const char* depends_name(unsigned depends) {
  if (depends & TD_ON_SYMBOL) return "symbols";
  if (depends & TD_ON_ACCEL) return "all";
  if (depends & TD_ON_STATE && depends & TD_ON_HERE) return "forces, s, here";
  if (depends & TD_ON_STATE) return depends & TD_ON_ARC ? "forces, s" : "forces";
  if (depends & TD_ON_TIME) return depends & TD_ON_HERE ? "time, here" : "time";
  if (depends & TD_ON_ARC) return "parameters, s";
  return depends & TD_ON_PARAM ? "parameters" : "structure";
}

static bool has_children(const td_field* f) {
  return f->kind == FIELD_STRUCT || f->kind == FIELD_STRUCTS;
}

// Word for the values of a field in the manual; NULL for numbers, which are described by their
// shapes.
static const char* kind_name(const td_field* f) {
  switch (f->kind) {
    case FIELD_STR:
      return f->options[0] ? "word" : "text";
    case FIELD_STRUCT:
      return "structure";
    case FIELD_STRUCTS:
      return "structures";
    case FIELD_PLACE:
      return "place";
    case FIELD_TARGET:
      return "word or place";
    case FIELD_PLACES:
      return "list of places";
    case FIELD_LIST:
      return "list of names";
    case FIELD_NODES:
      return "word or node numbers";
    case FIELD_DATA:
      return "file or table";
    case FIELD_PAIRS:
      return "list of pairs";
    case FIELD_NUM:
    case FIELD_FLAG:
    case FIELD_INT:
      break;
  }
  return f->shape[0] ? NULL : "any";
}

// The path below its root, with (i) behind every array: "dof(i).spring.coeff".
static void add_path(td_text* out, const td_field* f) {
  char path[64] = "";
  const char* s = f->path;
  for (size_t n = 0; n < sizeof path - 1 && s[n];) {
    path[n] = s[n];
    path[++n] = '\0';
    if (s[n] != '.' && s[n] != '\0') continue;
    const td_field* parent = td_field_find(path);
    const char* dot = strrchr(path, '.');
    if (dot) td_text_add(out, strchr(path, '.') == dot ? dot + 1 : dot);
    if (dot && parent && parent->kind == FIELD_STRUCTS) td_text_add(out, "(i)");
  }
}

// Add what follows the meaning of a field: allowed words or range, inf or nan, other spellings.
static void add_notes(td_text* out, const td_field* f) {
  if (strchr(f->options, '|') &&
      (f->kind == FIELD_STR || f->kind == FIELD_TARGET || f->kind == FIELD_NODES)) {
    td_text_add(out, ": ");
    td_field_alternatives(out, f->options, "`");
  } else if (f->options[0] == '>' || f->options[0] == '(') {
    td_text_printf(out, "; %s%s", f->options[0] == '(' ? "in " : "", f->options);
  }
  if (f->kind == FIELD_FLAG && !strchr(f->text, '0')) td_text_add(out, ": 1 yes, 0 no");
  if (strcmp(f->special, "inf") == 0) td_text_add(out, "; `inf` makes a DOF");
  if (strcmp(f->special, "limit") == 0) td_text_add(out, "; `inf`: no limit");
  if (strcmp(f->special, "nan") == 0)
    td_text_add(out, "; `nan` takes it from the initial geometry");
  for (int i = 0; i < td_alias_count; i++)
    if (strcmp(td_aliases[i].meaning, f->path) == 0)
      td_text_printf(out, "; also spelled `%s`", strrchr(td_aliases[i].path, '.') + 1);
}

// Add the table row of one field: path, shape, default, unit, permitted dependences, meaning.
static void add_row(td_text* out, const td_field* f) {
  td_text_add(out, "| `");
  add_path(out, f);
  td_text_add(out, "` | ");
  const char* name = kind_name(f);
  if (name)
    td_text_add(out, name);
  else
    td_field_alternatives(out, f->shape, "");
  const char* mark = f->fallback[0] && strcmp(f->fallback, TD_REQUIRED) != 0 ? "`" : "";
  td_text_printf(out, " | %s%s%s | %s | %s | %s", mark, f->fallback, mark, f->unit,
                 has_children(f) ? "" : depends_name(f->depends), f->text);
  add_notes(out, f);
  td_text_add(out, " |\n");
}

// Add the chapter of one structure: introduction, table of its fields, example.
static void add_chapter(td_text* out, const td_structure* s) {
  const td_field* f = s->fields;
  td_text_printf(out, "\n## %s%s: %s\n\n%s\n\n", f->path, f->kind == FIELD_STRUCTS ? "(k)" : "",
                 f->text, s->intro);
  if (has_children(f)) {
    const size_t length = strlen(f->path);
    const td_field* row;
    td_text_add(out, "| field | shape | default | unit | may depend on | meaning |\n");
    td_text_add(out, "| --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; (row = td_field_row(i)); i++)
      if (strncmp(row->path, f->path, length) == 0 && row->path[length] == '.') add_row(out, row);
    td_text_add(out, "\n");
  }
  td_text_printf(out, "```matlab\n%s```\n", s->example);
}

// ---- sensors and what is to come --------------------------------------------------------------

// Arguments of a sensor, from what it is about ('b' body, 'j' joint, 'r' rod, 'c' cable, 'i'
// number).
static const char* sensor_arguments(char about) {
  switch (about) {
    case 'b':
      return "body";
    case 'j':
      return "joint";
    case 'r':
      return "rod, s";
    case 'c':
      return "cable";
    case 'i':
      return "i";
    default:
      return "";
  }
}

// Add the chapter of the quantities that expressions can read, from td_sensor_table.
static void add_sensors(td_text* out) {
  td_text_add(
      out,
      "\n## Quantities\n\n"
      "What an expression can ask of the moving robot. A *body* is `body(k)`, or `at(body(k), "
      "element)` of a repeated one; `pos`, `vel` and `acc` take a point in its frame as a second "
      "argument. Instead of a body there may be `rod(k)` and an arc length: `pos(rod(1), 0.2)`. A "
      "*joint* is `joint(k)`; `stretch` also takes a rod, `length` a cable. Those of the level "
      "*accelerations* are "
      "for "
      "sensors and events, not for forces.\n\n"
      "| quantity | size | level | meaning |\n| --- | --- | --- | --- |\n");
  for (int i = 0; i < SENSOR_KIND_COUNT; i++) {
    const td_sensor_info* s = &td_sensor_table[i];
    const char* level = s->depends & TD_ON_ACCEL  ? "accelerations"
                        : s->depends & TD_ON_RATE ? "rates"
                                                  : "positions";
    td_text_printf(out, "| `%s(%s%s)` | %dx%d | %s | %s |\n", s->name, sensor_arguments(s->about),
                   s->traits & WITH_NUMBER ? ", i" : "", s->rows, s->cols, level, s->text);
  }
  td_text_add(out,
              "\n```matlab\n"
              "k = 40*(1 + 0.5*(stretch(joint(3)) - 1));        % a spring that hardens\n"
              "joint(3).spring.coeff = k;\n"
              "exload(2).exbody = 1;\n"
              "exload(2).ftau = [-0.3*vel(body(1)) 0 0 0];      % drag\n"
              "```\n");
}

// Write the whole manual: structures, forces, settings, quantities, reserved names.
void td_fields_manual(td_text* out) {
  td_text_add(out, head);
  for (int k = 1; k < STRUCTURES; k++) {
    const td_structure *s = td_structure_at(k), *own;
    add_chapter(out, s);
    // forces with a structure of their own come behind the loads
    for (int f = STRUCTURES; s == &td_structure_exload && (own = td_structure_at(f)); f++)
      add_chapter(out, own);
  }
  add_chapter(out, td_structure_at(0));
  add_sensors(out);
  td_text_add(out,
              "\n## Not in this version\n\n"
              "These names are reserved. Left empty (`mesh = [];`) they are ignored.\n\n");
  for (int i = 0; i < td_later_count; i++) {
    const char* advice = strchr(td_laters[i].text, ';');
    td_text_printf(out, "- `%s`:%s\n", td_laters[i].path, advice ? advice + 1 : "");
  }
}
