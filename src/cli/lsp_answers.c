// Answers of the language server about a place of a text.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/lsp.h"

// ---- completion -------------------------------------------------------------------------------

// Kinds of items, as the protocol numbers them.
enum {
  ITEM_FUNCTION = 3,
  ITEM_FIELD = 5,
  ITEM_VARIABLE = 6,
  ITEM_MODULE = 9,
  ITEM_VALUE = 12,
  ITEM_KEYWORD = 14
};

typedef struct completion {
  cJSON* items;
  const document* d;
  int begin, offset;
} completion;

// Add an item that replaces what is written of it, unless a name is there already.
static void add_item(completion* c, const char* label, int kind, const char* detail,
                     const char* text) {
  const cJSON* other;
  cJSON_ArrayForEach(other,
                     c->items) if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(other, "label")),
                                          label) == 0) return;
  cJSON* item = cJSON_CreateObject();
  cJSON_AddStringToObject(item, "label", label);
  cJSON_AddNumberToObject(item, "kind", kind);
  if (detail && *detail) cJSON_AddStringToObject(item, "detail", detail);
  if (text && *text) cJSON_AddStringToObject(item, "documentation", text);
  cJSON* edit = cJSON_AddObjectToObject(item, "textEdit");
  json_add(edit, "range", lsp_range(c->d->text, c->begin, c->offset));
  cJSON_AddStringToObject(edit, "newText", label);
  cJSON_AddItemToArray(c->items, item);
}

// Fields whose path is `path`.NAME; parts of rods have those of rods too.
static void add_fields(completion* c, const char* path) {
  const size_t n = strlen(path);
  td_editor_field f;
  for (int i = 0; td_editor_field_into(i, &f, sizeof f); i++) {
    const bool top = n == 0 && !strchr(f.path, '.');
    const bool below =
        n > 0 && strncmp(f.path, path, n) == 0 && f.path[n] == '.' && !strchr(f.path + n + 1, '.');
    if (!top && !below) continue;
    char* detail = format_text("%s%s%s%s", f.unit, *f.unit && *f.fallback ? ", " : "",
                               *f.fallback ? "default " : "", f.fallback);
    if (strcmp(f.fallback, "required") == 0) {
      free(detail);
      detail = format_text("%s%srequired", f.unit, *f.unit ? ", " : "");
    }
    add_item(c, top ? f.path : f.path + n + 1, top ? ITEM_MODULE : ITEM_FIELD, detail, f.text);
    free(detail);
  }
}

// The words that a field may have; names of params, inputs, sensors and parts for others.
static void add_words(completion* c, const char* path) {
  td_editor_field f;
  if (!td_editor_field_find_into(path, &f, sizeof f)) return;
  for (const char* s = f.options; f.words && *s;) {
    char* word = format_text("%.*s", (int)strcspn(s, "|"), s);
    if (word && *word) add_item(c, word, ITEM_VALUE, f.path, NULL);
    free(word);
    s += strcspn(s, "|");
    s += *s == '|';
  }
  if (*f.options) return;
  td_editor_symbol symbol;
  const td_editor_text* e = c->d->read;
  for (int i = 0; td_editor_symbol_into(e, i, &symbol, sizeof symbol); i++)
    if (symbol.kind == TD_EDITOR_WORD) add_item(c, symbol.name, ITEM_VALUE, "name", NULL);
}

// All names: of the text, structures, functions, keywords.
static void add_names(completion* c) {
  const td_editor_text* e = c->d->read;
  td_editor_symbol s;
  const char *form, *text, *name;
  for (int i = 0; td_editor_symbol_into(e, i, &s, sizeof s); i++) {
    if (s.kind == TD_EDITOR_VARIABLE) add_item(c, s.name, ITEM_VARIABLE, "variable", NULL);
    if (s.kind == TD_EDITOR_FUNCTION) add_item(c, s.name, ITEM_FUNCTION, "function", NULL);
  }
  add_fields(c, "");
  for (int i = 0; (name = td_editor_function(i, &form, &text)); i++)
    add_item(c, name, ITEM_FUNCTION, *form ? form : "sensor", text);
  for (int i = 0; (name = td_editor_keyword(i)); i++) add_item(c, name, ITEM_KEYWORD, NULL, NULL);
}

cJSON* lsp_completion(document* d, int offset) {
  completion c = {cJSON_CreateArray(), d, offset, offset};
  td_editor_place p;
  if (!lsp_read(d) || !td_editor_before_into(d->read, offset, &p, sizeof p)) return c.items;
  c.begin = p.begin;
  if (p.kind == TD_EDITOR_FIELD) {
    add_fields(&c, p.path);
    if (strcmp(p.path, "rod.part") == 0) add_fields(&c, "rod");
  } else if (p.kind == TD_EDITOR_WORD) {
    add_words(&c, p.path);
  } else {
    add_names(&c);
  }
  return c.items;
}

// ---- hover ------------------------------------------------------------------------------------

static char* about_field(const char* path) {
  td_editor_field f;
  if (!td_editor_field_find_into(path, &f, sizeof f)) return NULL;
  const bool required = strcmp(f.fallback, "required") == 0;
  return format_text("`%s`%s%s%s\n\n%s%s%s%s%s%s%s%s%s", f.path, *f.unit ? " [" : "", f.unit,
                     *f.unit ? "]" : "", f.text, *f.shape ? "\n\nshape " : "", f.shape,
                     required      ? "\n\nrequired"
                     : *f.fallback ? "\n\ndefault "
                                   : "",
                     required ? "" : f.fallback, *f.options ? "\n\n" : "",
                     *f.options ? (f.words ? "one of " : "allowed ") : "", f.options, "");
}

// The value of a param, or the name of a function and what it does.
static char* about_param(const document* d, const char* name) {
  const char *param, *text;
  double value;
  for (int i = 0; td_spec_param_about(d->spec, i, &param, &value, &text); i++)
    if (strcmp(param, name) == 0)
      return text ? format_text("`%s` = '%s' (param)", name, text)
                  : format_text("`%s` = %g (param)", name, value);
  return NULL;
}

static char* about_function(const char* wanted) {
  const char *form, *text, *name;
  for (int i = 0; (name = td_editor_function(i, &form, &text)); i++)
    if (strcmp(name, wanted) == 0)
      return *text ? format_text("`%s`\n\n%s", name, text)
                   : format_text("`%s`", *form ? form : name);
  return NULL;
}

// The statement that defines a name, without its line end.
static char* about_definition(const document* d, int offset) {
  int begin, end;
  if (!td_editor_definition(d->read, offset, &begin, &end)) return NULL;
  while (begin > 0 && !strchr("\r\n", d->text[begin - 1])) begin--;
  const int n = (int)strcspn(d->text + begin, "\r\n");
  return format_text("```matlab\n%.*s\n```", n > 300 ? 300 : n, d->text + begin);
}

cJSON* lsp_hover(document* d, int offset) {
  td_editor_place p;
  if (!lsp_read(d) || !td_editor_at_into(d->read, offset, &p, sizeof p)) return cJSON_CreateNull();
  char* text = NULL;
  if (p.kind == TD_EDITOR_FIELD) text = about_field(p.path);
  if (p.kind == TD_EDITOR_VARIABLE || p.kind == TD_EDITOR_WORD) text = about_param(d, p.name);
  if (!text && p.kind == TD_EDITOR_WORD && *p.path) text = about_field(p.path);
  if (!text && p.kind == TD_EDITOR_FUNCTION) text = about_function(p.name);
  if (!text && p.kind != TD_EDITOR_FIELD) text = about_definition(d, offset);
  if (!text) return cJSON_CreateNull();
  cJSON* hover = cJSON_CreateObject();
  cJSON* contents = cJSON_AddObjectToObject(hover, "contents");
  cJSON_AddStringToObject(contents, "kind", "markdown");
  cJSON_AddStringToObject(contents, "value", text);
  json_add(hover, "range", lsp_range(d->text, p.begin, p.end));
  free(text);
  return hover;
}

// ---- definitions ------------------------------------------------------------------------------

cJSON* lsp_definition(document* d, int offset) {
  int begin, end;
  td_editor_place p;
  if (!lsp_read(d)) return cJSON_CreateNull();
  cJSON* location = cJSON_CreateObject();
  if (td_editor_definition(d->read, offset, &begin, &end)) {
    cJSON_AddStringToObject(location, "uri", d->uri);
    json_add(location, "range", lsp_range(d->text, begin, end));
    return location;
  }

  // a function in the file of its name, or a file that is named, beside the text
  if (td_editor_at_into(d->read, offset, &p, sizeof p) && p.kind != TD_EDITOR_FIELD && *p.name) {
    const char* slash = strrchr(d->path, '/');
    const int n = slash ? (int)(slash + 1 - d->path) : 0;
    char* path = p.kind == TD_EDITOR_WORD ? format_text("%.*s%s", n, d->path, p.name)
                                          : format_text("%.*s%s.m", n, d->path, p.name);
    char* uri =
        path && slash && !is_directory(path) && access(path, R_OK) == 0 ? lsp_uri_of(path) : NULL;
    if (uri) {
      cJSON_AddStringToObject(location, "uri", uri);
      json_add(location, "range", lsp_range("", 0, 0));
    }
    const bool found = uri != NULL;
    free(path);
    free(uri);
    if (found) return location;
  }
  cJSON_Delete(location);
  return cJSON_CreateNull();
}

cJSON* lsp_symbols(document* d) {
  static const int kinds[] = {[TD_EDITOR_VARIABLE] = 13,
                              [TD_EDITOR_FUNCTION] = 12,
                              [TD_EDITOR_FIELD] = 23,
                              [TD_EDITOR_WORD] = 20};
  cJSON* list = cJSON_CreateArray();
  td_editor_symbol s;
  if (!lsp_read(d)) return list;
  for (int i = 0; td_editor_symbol_into(d->read, i, &s, sizeof s); i++) {
    cJSON* item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", *s.name ? s.name : "''");
    cJSON_AddNumberToObject(item, "kind", kinds[s.kind]);
    const int from = s.from < s.begin ? s.from : s.begin, to = s.to > s.end ? s.to : s.end;
    json_add(item, "range", lsp_range(d->text, from, to));
    json_add(item, "selectionRange", lsp_range(d->text, s.begin, s.end));
    cJSON_AddItemToArray(list, item);
  }
  return list;
}

// ---- changes ----------------------------------------------------------------------------------

static cJSON* text_edit(const char* text, int begin, int end, const char* put) {
  cJSON* edit = cJSON_CreateObject();
  json_add(edit, "range", lsp_range(text, begin, end));
  cJSON_AddStringToObject(edit, "newText", put);
  return edit;
}

cJSON* lsp_formatting(document* d) {
  td_spec* spec = td_spec_new();
  char* formatted = NULL;
  cJSON* edits = cJSON_CreateArray();
  if (spec && td_editor_format(spec, d->path, d->text, &formatted) == TD_OK &&
      strcmp(formatted, d->text) != 0)
    cJSON_AddItemToArray(edits, text_edit(d->text, 0, (int)strlen(d->text), formatted));
  free(formatted);
  td_spec_free(spec);
  return edits;
}

// Reason why a name cannot be given to a variable of the text; NULL: it can.
static const char* refused_name(const document* d, const char* name) {
  const size_t n = strlen(name);
  const char* known;
  td_editor_symbol s;
  td_editor_field f;
  if (n == 0 || n > 60 || strchr("0123456789_", name[0]) ||
      strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != n)
    return "a name begins with a letter and has letters, digits and _";
  for (int i = 0; (known = td_editor_keyword(i)); i++)
    if (strcmp(known, name) == 0) return "this name has a meaning in the language";
  for (int i = 0; (known = td_editor_function(i, NULL, NULL)); i++)
    if (strcmp(known, name) == 0) return "a function of the language has this name";
  if (td_editor_field_find_into(name, &f, sizeof f))
    return "a structure of the model has this name";
  for (int i = 0; td_editor_symbol_into(d->read, i, &s, sizeof s); i++)
    if (strcmp(s.name, name) == 0) return "the text has this name already";
  return NULL;
}

cJSON* lsp_rename(document* d, int offset, const char* name, char* error, size_t size) {
  td_editor_place p;
  const bool read = lsp_read(d) != NULL;
  const int n = read ? td_editor_uses(d->read, offset, NULL, 0) : 0;
  if (n == 0 || !td_editor_at_into(d->read, offset, &p, sizeof p)) {
    snprintf(error, size, "only variables, params and inputs can be renamed");
    return NULL;
  }
  if (td_editor_has_errors(d->read)) {
    snprintf(error, size, "mend the syntax errors first: uses may be missed");
    return NULL;
  }
  if (!name) return lsp_range(d->text, p.begin, p.end);
  const char* why = refused_name(d, name);
  int* ranges = why ? NULL : calloc((size_t)n, 2 * sizeof *ranges);
  if (!ranges) {
    snprintf(error, size, "'%.60s': %s", name, why ? why : "out of memory");
    return NULL;
  }
  td_editor_uses(d->read, offset, ranges, n);
  cJSON* edit = cJSON_CreateObject();
  cJSON* list = cJSON_AddArrayToObject(cJSON_AddObjectToObject(edit, "changes"), d->uri);
  for (int i = 0; i < n; i++)
    cJSON_AddItemToArray(list, text_edit(d->text, ranges[2 * i], ranges[2 * i + 1], name));
  free(ranges);
  return edit;
}
