// The words of the model language for editors: fields, functions, keywords; messages with ranges.
#include "lang/eval.h"
#include "model/fields.h"
#include "tendril/editor.h"

static bool field_into(const td_field* f, td_editor_field* field, size_t size) {
  if (!f) return false;
  const bool words = f->kind == FIELD_STR || f->kind == FIELD_TARGET || f->kind == FIELD_NODES ||
                     f->kind == FIELD_LIST;
  const td_editor_field own = {f->path,    f->shape, f->fallback,           f->unit,
                               f->options, f->text,  words && f->options[0]};
  return struct_into(field, size, &own, sizeof own);
}

bool td_editor_field_into(int i, td_editor_field* field, size_t size) {
  return i >= 0 && field_into(td_field_row(i), field, size);
}

bool td_editor_field_find_into(const char* path, td_editor_field* field, size_t size) {
  return path && field_into(td_field_find(path), field, size);
}

const char* td_editor_function(int i, const char** form, const char** text) {
  const char* none;
  if (!form) form = &none;
  if (!text) text = &none;
  *form = *text = "";
  if (i < 0) return NULL;
  if (i < SENSOR_KIND_COUNT) {
    *text = td_sensor_table[i].text;
    return td_sensor_table[i].name;
  }
  i -= SENSOR_KIND_COUNT;
  for (int k = 0; td_builtin_all[k]; k++)
    for (const builtin* b = td_builtin_all[k]; b->name; b++) {
      if (i-- > 0) continue;
      *form = b->form ? b->form : "";
      return b->name;
    }
  return NULL;
}

const char* td_editor_keyword(int i) {
  static const char* const words[] = {"if",       "elseif",    "else",  "for", "while",  "switch",
                                      "case",     "otherwise", "break", "end", "return", "continue",
                                      "function", "try",       "catch", "pi",  "inf",    "nan",
                                      "eps",      "true",      "false", "t",   "s",      "here"};
  return i >= 0 && i < (int)(sizeof words / sizeof *words) ? words[i] : NULL;
}

bool td_editor_message_into(const td_spec* spec, int i, td_editor_message* message, size_t size) {
  if (!spec || i < 0 || i >= spec->diags.n) return false;
  const td_diag* d = &spec->diags.list[i];
  const bool known = d->at.source >= 0 && d->at.source < spec->diags.nsource;
  const td_source* s = known ? &spec->diags.sources[d->at.source] : NULL;
  const td_editor_message own = {.severity = d->severity,
                                 .file = s ? s->name : NULL,
                                 .source = s ? s->text : NULL,
                                 .begin = s ? min_int(d->at.begin, s->size) : -1,
                                 .end = s ? min_int(d->at.end, s->size) : -1,
                                 .text = d->text,
                                 .hint = d->hint};
  return struct_into(message, size, &own, sizeof own);
}

void td_editor_hurry(td_spec* spec) {
  if (spec) spec->limits.work = 5000000;
}
