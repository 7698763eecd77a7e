// IGES files: wireframes of lines, polylines, arcs and splines.
//
// A file consists of lines of 80 columns; column 73 names the section: Start, Global (units and
// scale), Directory (two lines for each entity: type, position of its parameters, transformation),
// Parameters (64 columns of numbers between delimiters), Terminate.  Composite curves (102) and
// groups (402) name other entities; every entity is drawn once, and curves in the parameter plane
// of a surface are not drawn.
#include "io/iges.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// ---- lines ------------------------------------------------------------------------------------

// Find the next line, [*begin, *begin + *n); a file without line ends is a sequence of 80-byte
// records.
static bool next_line(const iges* f, size_t* at, const char** begin, size_t* n, bool records) {
  if (*at >= f->size) return false;
  *begin = f->text + *at;
  const size_t left = f->size - *at;
  const char* end = records ? NULL : memchr(*begin, '\n', left);
  *n = records ? (left < 80 ? left : 80) : end ? (size_t)(end - *begin) : left;
  *at += *n + (end != NULL);
  if (*n > 0 && (*begin)[*n - 1] == '\r') --*n;
  return true;
}

// Number in field k of a directory line, eight columns each; 0 where it is too large
static int field(const char* line, int k) {
  char text[9], *end = NULL;
  memcpy(text, line + 8 * k, 8);
  text[8] = '\0';
  const long x = strtol(text, &end, 10);
  return x < -99999999 || x > 99999999 ? 0 : (int)x;
}

// Read one of the two directory lines of an entity: the first (half 0) adds it with type,
// parameters and transformation, the second completes it.  Refuses lines of different types.
static td_status add_directory(iges* f, const char* line, int half) {
  if (half == 0) {
    iges_entity* grown = td_grow(f->entity, &f->entity_cap, f->nentity + 1, sizeof *grown);
    if (!grown) return TD_E_NOMEM;
    f->entity = grown;
    const int matrix = field(line, 6), status = field(line, 8);
    grown[f->nentity++] = (iges_entity){.type = field(line, 0),
                                        .data = field(line, 1) - 1,
                                        .matrix = matrix > 0 ? (matrix - 1) / 2 : -1,
                                        .parametric = status / 100 % 100 == 5};
    return TD_OK;
  }
  iges_entity* e = &f->entity[f->nentity - 1];
  e->lines = field(line, 3);
  e->form = field(line, 4);
  if (field(line, 0) == e->type) return TD_OK;
  return td_cad_fail(f->cad, "line D%d: the two lines of an entity have types %d and %d",
                     2 * f->nentity, e->type, field(line, 0));
}

// Sort the lines into their sections: text of the global one into *global, entities of the
// directory, lines of parameters.  Refuses compressed and binary files, lines of no section, and
// files that end too early.
static td_status read_lines(iges* f, td_text* global) {
  const bool records = memchr(f->text, '\n', f->size) == NULL;
  const char* line;
  size_t at = 0, n;
  int half = 0, number = 0;
  while (next_line(f, &at, &line, &n, records)) {
    number++;
    if (n == 0) continue;

    // the section, by column 73
    const char section = n >= 73 ? line[72] : '\0';
    if (number == 1 && (section == 'C' || section == 'B'))
      return td_cad_fail(f->cad, "%s IGES files are not read; save it as text",
                         section == 'C' ? "compressed" : "binary");
    if (section == '\0' || !strchr("SGDPT", section))
      return td_cad_fail(f->cad,
                         "line %d is not a line of an IGES file (column 73 is not S, G, D, "
                         "P or T)",
                         number);

    // collect what belongs to it
    if (section == 'G') td_text_addn(global, line, 72);
    if (section == 'D') {
      TD_TRY(add_directory(f, line, half));
      half = 1 - half;
    }
    if (section == 'P') {
      const char** grown = td_grow((void*)f->line, &f->line_cap, f->nline + 1, sizeof *grown);
      if (!grown) return TD_E_NOMEM;
      f->line = grown;
      f->line[f->nline++] = line;
    }
    if (section == 'T') break;
  }

  // a complete file
  if (global->failed) return TD_E_NOMEM;
  if (half == 1) return td_cad_fail(f->cad, "it ends in the middle of its directory");
  if (global->n == 0 || f->nentity == 0)
    return td_cad_fail(f->cad, "it is not an IGES file, or it ends too early");
  return TD_OK;
}

// ---- parameters -------------------------------------------------------------------------------

// The characters of an entity or of the global section, and the position of the next parameter.
typedef struct reader {
  const iges* f;
  const char* text;  // global section, NULL: parameter lines
  int at, end;
} reader;

static char char_at(const reader* r, int i) {
  return r->text ? r->text[i] : r->f->line[i / 64][i % 64];
}

// Find a Hollerith string, "5HABCDE", at the start of a parameter: its begin and length.  False:
// the parameter is something else.
static bool hollerith(const reader* r, int* begin, int* length) {
  int i = r->at, n = 0;
  while (i < r->end && char_at(r, i) == ' ') i++;
  const int first = i;
  while (i < r->end && char_at(r, i) >= '0' && char_at(r, i) <= '9' && n < 100000)
    n = 10 * n + (char_at(r, i++) - '0');
  if (i == first || i >= r->end || char_at(r, i) != 'H') return false;
  *begin = i + 1;
  *length = min_int(n, r->end - i - 1);
  return true;
}

// Read the next parameter without blanks, cut to the buffer.  True: another one follows.
static bool next_parameter(reader* r, char* word, int size) {
  int n = 0, begin, length;
  if (hollerith(r, &begin, &length)) {
    for (int i = 0; i < length && n + 1 < size; i++) word[n++] = char_at(r, begin + i);
    r->at = begin + length;
  }
  while (r->at < r->end) {
    const char c = char_at(r, r->at++);
    if (c == r->f->delimiter || c == r->f->terminator) {
      word[n] = '\0';
      return c == r->f->delimiter;
    }
    if (c != ' ' && n + 1 < size) word[n++] = c;
  }
  word[n] = '\0';
  return false;
}

// Convert a number; an empty parameter is 0.  False: it is something else, or not finite.
static bool number_of(char* word, double* x) {
  char* end = NULL;
  for (char* s = word; *s; s++)
    if (*s == 'D' || *s == 'd') *s = 'E';
  *x = *word ? strtod(word, &end) : 0;
  return (!*word || *end == '\0') && fabs(*x) < 1e30;
}

// Read all parameters of an entity; names and texts among them become NaN.
td_status td_iges_numbers(iges* f, const iges_entity* e) {
  if (e->data < 0 || e->lines < 1 || e->lines > f->nline || e->data > f->nline - e->lines)
    return td_iges_fail(f, e, "has its parameters outside the file");
  // an entity has its own parameters and a share of the transformations
  if (f->visited > 20.0 * (double)f->size + 1e6)
    return td_iges_fail(f, e, "shares its parameters with too many others");
  reader r = {f, NULL, 64 * e->data, 64 * (e->data + e->lines)};
  char word[64];
  double x;

  // its type comes first
  bool more = next_parameter(&r, word, sizeof word);
  if (!number_of(word, &x) || x != e->type)
    return td_iges_fail(f, e, "has parameters of another type");

  // then the numbers
  for (f->nx = 0; more; f->nx++) {
    more = next_parameter(&r, word, sizeof word);
    double* grown = td_grow(f->x, &f->x_cap, f->nx + 1, sizeof(double));
    if (!grown) return TD_E_NOMEM;
    f->x = grown;
    if (!number_of(word, &f->x[f->nx])) f->x[f->nx] = NAN;
  }
  f->visited += r.at - 64.0 * e->data;
  return TD_OK;
}

// Index of the entity that a directory pointer names, -1: none
int td_iges_pointer(const iges* f, double pointer) {
  if (!(pointer >= 1 && pointer <= 2.0 * f->nentity)) return -1;
  return ((int)pointer - 1) / 2;
}

// ---- global section ---------------------------------------------------------------------------

// Length of a unit [m], by flag and by name
static const struct {
  int flag;
  const char* name;
  double metres;
} units[] = {{1, "INCH", 0.0254}, {1, "IN", 0.0254}, {2, "MM", 1e-3},       {4, "FT", 0.3048},
             {5, "MI", 1609.344}, {6, "M", 1},       {7, "KM", 1e3},        {8, "MIL", 0.0254e-3},
             {9, "UM", 1e-6},     {10, "CM", 1e-2},  {11, "UIN", 0.0254e-6}};

// Read delimiters, scale (global parameter 13) and unit (14: flag, 15: name).
static td_status read_global(iges* f, const td_text* text) {
  reader r = {f, text->s, 0, text->n};
  char word[64], name[64] = "";
  double scale = 1, flag = 1;

  // the parameter and record delimiters come first, as "1H,,1H;," or left out
  int begin, length;
  f->delimiter = ',';
  f->terminator = ';';
  if (hollerith(&r, &begin, &length) && length == 1) f->delimiter = r.text[begin];
  next_parameter(&r, word, sizeof word);
  if (hollerith(&r, &begin, &length) && length == 1) f->terminator = r.text[begin];
  next_parameter(&r, word, sizeof word);

  bool more = true;
  for (int k = 3; more && k <= 15; k++) {
    more = next_parameter(&r, k == 15 ? name : word, sizeof word);
    if (k == 13 && *word && (!number_of(word, &scale) || !(scale > 0)))
      return td_cad_fail(f->cad, "its scale (global parameter 13) is '%.20s'", word);
    if (k == 14 && *word && !number_of(word, &flag)) flag = 0;
  }

  // the unit that the user gives, or that of the file
  const int kind = (int)fabs(flag);
  double unit = f->cad->unit;
  for (size_t i = 0; !(unit > 0) && i < sizeof units / sizeof *units; i++)
    if (kind == 3 ? strcasecmp(units[i].name, name) == 0 : units[i].flag == kind)
      unit = units[i].metres / scale;
  if (!(unit > 0))
    return td_cad_fail(f->cad,
                       "its unit (global parameters 14 and 15) is not known: %g '%.20s'; "
                       "give mesh.unit",
                       flag, name);
  f->unit = unit;
  return TD_OK;
}

// ---- entities ---------------------------------------------------------------------------------

static iges_map map_identity(void) { return (iges_map){{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}}; }

// Composition: first b, then a
static iges_map map_mul(const iges_map* a, const iges_map* b) {
  iges_map m;
  for (int i = 0; i < 3; i++) {
    m.T[i] = a->T[i];
    for (int j = 0; j < 3; j++) {
      m.T[i] += a->R[3 * i + j] * b->T[j];
      m.R[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) m.R[3 * i + j] += a->R[3 * i + k] * b->R[3 * k + j];
    }
  }
  return m;
}

// Transformation of an entity, which may itself have one, followed by that of the entity it is a
// member of
static td_status map_of(iges* f, const iges_entity* e, const iges_map* outer, iges_map* out) {
  iges_map own = map_identity();
  const iges_entity* of = e;
  for (int depth = 0; of->matrix >= 0; depth++) {
    if (of->matrix >= f->nentity || f->entity[of->matrix].type != 124 || depth > 20)
      return td_iges_fail(f, e, "has a transformation that is none");
    of = &f->entity[of->matrix];
    TD_TRY(td_iges_numbers(f, of));

    // R and T of the transformation, row by row
    iges_map m;
    for (int i = 0; i < 12; i++) {
      const double x = i < f->nx ? f->x[i] : NAN;
      if (isnan(x)) return td_iges_fail(f, of, "must have 12 numbers");
      *(i % 4 < 3 ? &m.R[3 * (i / 4) + i % 4] : &m.T[i / 4]) = x;
    }
    own = map_mul(&m, &own);
  }
  *out = map_mul(outer, &own);
  return TD_OK;
}

static bool is_curve(int type) {
  return type == 100 || type == 106 || type == 110 || type == 112 || type == 126;
}

// Report whether an entity is a composite curve or a group of entities.
static bool is_group(const iges_entity* e) {
  const int form = e->form;
  return e->type == 102 || (e->type == 402 && (form == 1 || form == 7 || form == 14 || form == 15));
}

// Entity that is member k of the current group, -1: none
static int member(const iges* f, int k) {
  return k + 1 < f->nx ? td_iges_pointer(f, f->x[k + 1]) : -1;
}

static int member_count(const iges* f) {
  return f->nx > 0 && f->x[0] >= 0 && f->x[0] < f->nx ? (int)f->x[0] : -1;
}

// Mark the curves that are not drawn by themselves: members of composite curves and groups, and
// curves in the parameter plane of a surface.  A curve on a surface (142) names the same curve
// twice, in that plane and in space.
static td_status mark_curves(iges* f) {
  for (int i = 0; i < f->nentity; i++) {
    if (f->entity[i].type != 142) continue;
    TD_TRY(td_iges_numbers(f, &f->entity[i]));
    const int flat = f->nx > 2 ? td_iges_pointer(f, f->x[2]) : -1;
    if (flat >= 0) f->entity[flat].parametric = true;
  }
  for (int i = 0; i < f->nentity; i++) {
    if (!is_group(&f->entity[i])) continue;
    TD_TRY(td_iges_numbers(f, &f->entity[i]));
    const int n = member_count(f);
    if (n < 0) return td_iges_fail(f, &f->entity[i], "has fewer members than it says");
    for (int k = 0; k < n; k++) {
      const int child = member(f, k);
      if (child < 0 || child == i)
        return td_iges_fail(f, &f->entity[i], "has a member that is no entity");
      f->entity[child].owned = true;
      if (f->entity[i].parametric) f->entity[child].parametric = true;
    }
  }
  return TD_OK;
}

enum { DEPTH = 30 };  // composite curves and groups within each other

static td_status draw(iges* f, int i, const iges_map* outer, double* bounds, int depth);

// Draw all members of a group.
static td_status draw_members(iges* f, int i, const iges_map* map, double* bounds, int depth) {
  TD_TRY(td_iges_numbers(f, &f->entity[i]));
  const int n = member_count(f);
  int* list = malloc(((size_t)n + 1) * sizeof(int));  // the members read their numbers into f->x
  if (!list) return TD_E_NOMEM;
  for (int k = 0; k < n; k++) list[k] = member(f, k);
  td_status status = TD_OK;
  for (int k = 0; k < n && status == TD_OK; k++) status = draw(f, list[k], map, bounds, depth + 1);
  free(list);
  return status;
}

// Draw an entity that has not been drawn yet, or extend the bounds by it.
static td_status draw(iges* f, int i, const iges_map* outer, double* bounds, int depth) {
  iges_entity* e = &f->entity[i];
  iges_map map;
  if (e->drawn || e->parametric || (!is_curve(e->type) && !is_group(e))) return TD_OK;
  if (depth > DEPTH) return td_iges_fail(f, e, "is in too many groups within each other");
  e->drawn = true;
  TD_TRY(map_of(f, e, outer, &map));
  if (is_group(e)) return draw_members(f, i, &map, bounds, depth);
  TD_TRY(td_iges_numbers(f, e));
  return td_iges_curve(f, e, &map, bounds);
}

// Draw all entities: those without an owner first, then members of groups that contain each other.
static td_status draw_all(iges* f, double* bounds) {
  const iges_map identity = map_identity();
  for (int i = 0; i < f->nentity; i++) f->entity[i].drawn = false;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < f->nentity; i++)
      if (pass == 1 || !f->entity[i].owned) TD_TRY(draw(f, i, &identity, bounds, 0));
  return TD_OK;
}

// Read the file, choose the chord from its extent unless it is given, and draw.
static td_status read_file(iges* f) {
  td_text global = {0};
  td_status status = read_lines(f, &global);
  if (status == TD_OK) status = read_global(f, &global);
  td_text_free(&global);
  TD_TRY(status);
  TD_TRY(mark_curves(f));

  // chord
  f->chord = f->cad->chord / f->unit;
  if (!(f->chord > 0)) {
    double bounds[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
    TD_TRY(draw_all(f, bounds));
    for (int c = 0; c < 3; c++) f->chord = fmax(f->chord, 0.01 * (bounds[3 + c] - bounds[c]));
  }
  return draw_all(f, NULL);
}

// Read an IGES file into cad->wire.
td_status td_iges_read(const char* text, size_t size, td_cad* cad) {
  iges f = {.cad = cad, .text = text, .size = size};
  const td_status status = size > 0 ? read_file(&f) : td_cad_fail(cad, "it is empty");
  free((void*)f.line);
  free(f.entity);
  free(f.x);
  return status;
}
