// Reading of a value by the row of its field: names and other spellings, shapes, options, defaults.
#include "model/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const td_alias td_aliases[] = {
    {"par.init", "par.nint"},
    {"par.n_int", "par.nint"},
    {"par.movie", "par.mov"},
    {"par.derive_collect", "par.fun"},
    {"par.derive_mex", "par.mex"},
    {"joint.dof.spring.comp", "joint.dof.spring.compr"},
    {"joint.spring.comp", "joint.spring.compr"},
    {"exload.body", "exload.exbody"},
    {"body.J", "body.I"},
    {"mesh.body.J", "mesh.body.I"},
    {"mesh.file", "mesh.file_name"},
    {"mesh.joint.spring.comp", "mesh.joint.spring.compr"},
};

const int td_alias_count = (int)(sizeof td_aliases / sizeof td_aliases[0]);

const td_field* td_field_in(const td_field* table, const char* path) {
  for (const td_field* f = table; f && f->path; f++)
    if (f->path[0] == path[0] && strcmp(f->path, path) == 0) return f;
  return NULL;
}

const char* td_field_name(const td_field* field) {
  const char* dot = strrchr(field->path, '.');
  return dot ? dot + 1 : field->path;
}

double td_field_default(const td_field* field) {
  if (!field || field->fallback[0] == '\0') return NAN;
  char* end;
  const double x = strtod(field->fallback, &end);
  return *end == '\0' ? x : (double)NAN;
}

bool td_field_has_option(const td_field* field, const char* word) {
  const size_t length = strlen(word);
  if (field->options[0] == '\0') return true;
  for (const char* s = field->options; s; s = strchr(s, '|')) {
    s += *s == '|';
    if (strcspn(s, "|") == length && strncmp(s, word, length) == 0) return true;
  }
  return false;
}

bool td_field_of_part(const char* name) {
  // a rod has these as a whole, its parts share them
  static const char* const whole[] = {"name",       "first", "tr",  "joint",
                                      "load_frame", "model", "part"};
  const size_t length = strcspn(name, ".");
  for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
    if (strlen(whole[i]) == length && strncmp(whole[i], name, length) == 0) return false;
  return true;
}

const value* td_field_get(const value* s, int i, const char* path) {
  for (int k = 0; k < td_alias_count; k++)
    if (strcmp(td_aliases[k].path, path) == 0) path = td_aliases[k].meaning;
  const char* dot = strrchr(path, '.');
  const value* v = td_get(s, i, dot ? dot + 1 : path);
  for (int k = 0; !v && k < td_alias_count; k++)
    if (strcmp(td_aliases[k].meaning, path) == 0)
      v = td_get(s, i, strrchr(td_aliases[k].path, '.') + 1);
  return v;
}

// One alternative, e.g. "nx6" or "3x3xn", against a size; numbers that are not written are 1.
static bool alternative_fits(const char* s, const char* end, const int size[3], int n) {
  for (int k = 0; k < 3; k++) {
    if (s >= end) {
      if (size[k] != 1) return false;
    } else if (*s == 'm') {
      if (size[k] < 1) return false;
    } else if (*s == 'n') {
      if (size[k] < 1 || (n > 0 && size[k] != 1 && size[k] != n)) return false;
    } else if (size[k] != *s - '0') {
      return false;
    }
    s += 2;  // past the digit and the 'x'
  }
  return true;
}

static bool shape_fits(const char* shape, const int size[3], int n) {
  while (*shape) {
    const char* end = shape + strcspn(shape, "|");
    if (alternative_fits(shape, end, size, n)) return true;
    shape = *end ? end + 1 : end;
  }
  return false;
}

td_fit td_field_fit(const char* shape, const value* v, int n) {
  const int size[3] = {v->rows, v->cols, v->pages};
  const int turned[3] = {v->cols, v->rows, v->pages};
  const bool vector = v->pages == 1 && (v->rows == 1 || v->cols == 1);
  if (shape[0] == '\0' || shape_fits(shape, size, n))
    return (td_fit){true, v->rows, v->cols, v->pages};
  if (vector && shape_fits(shape, turned, n)) return (td_fit){true, v->cols, v->rows, 1};
  return (td_fit){false, v->rows, v->cols, v->pages};
}

void td_field_alternatives(td_text* out, const char* list, const char* quote) {
  for (const char* s = list; *s;) {
    const int length = (int)strcspn(s, "|");
    if (s > list) td_text_add(out, strchr(s, '|') ? ", " : " or ");
    td_text_add(out, quote);
    td_text_addn(out, s, length);
    td_text_add(out, quote);
    s += s[length] ? length + 1 : length;
  }
}
