// Layout of plain structs of numbers, flags, enumerations and such structs; see layout.h.  A
// recursive-descent reader of C declarations.
#include "gen/layout.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
  const char* s;
  const source_text* sources;  // where other structs are found
  int depth;
} reader;

// Skip white space and // comments.
static void skip_space(reader* r) {
  for (;;) {
    while (isspace((unsigned char)*r->s)) r->s++;
    if (r->s[0] != '/' || r->s[1] != '/') return;
    r->s += strcspn(r->s, "\n");
  }
}

// Read the next word, "" when there is none.
static void word(reader* r, char* out, size_t size) {
  size_t n = 0;
  skip_space(r);
  while (isalnum((unsigned char)*r->s) || *r->s == '_') {
    if (n + 1 < size) out[n++] = *r->s;
    r->s++;
  }
  out[n] = '\0';
}

static bool read_struct(reader* r, const char* name, layout* l);

// Layout of one value of a type: a number by its name, a struct of the model, else an enumeration.
static bool type_layout(reader* r, const char* type, layout* l) {
  static const struct {
    const char* name;
    int size;
  } plain[] = {{"int", 4},  {"num", 4},    {"unsigned", 4}, {"bool", 1},
               {"char", 1}, {"int8_t", 1}, {"double", 8}};
  memset(l, 0, sizeof *l);
  l->size = 4;
  bool known = false;
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
    if (strcmp(type, plain[i].name) == 0) l->size = plain[i].size, known = true;
  }
  if (!known && strncmp(type, "model_", 6) == 0) return read_struct(r, type, l);
  l->align = l->size;
  for (int i = 0; i < l->size; i++) l->used[i] = true;
  return true;
}

static int padded(int at, int align) { return (at + align - 1) / align * align; }

// Append `count` values of a field at its alignment.  False: too large.
static bool put(layout* to, const layout* field, int count) {
  to->size = padded(to->size, field->align);
  if (field->align > to->align) to->align = field->align;
  for (int k = 0; k < count; k++) {
    if (to->size + field->size > LAYOUT_BYTES) return false;
    memcpy(to->used + to->size, field->used, (size_t)field->size);
    to->size += field->size;
  }
  return true;
}

// Read the names of one declaration of the type `field`, `a, b[6], c;`, and append each to the
// layout of the struct.  False: not understood.
static bool read_fields(reader* r, const layout* field, layout* to) {
  for (;;) {
    char name[64];
    int count = 1;
    word(r, name, sizeof name);
    skip_space(r);
    if (*r->s == '[') {
      count = atoi(r->s + 1);
      r->s += strcspn(r->s, "]");
      if (*r->s) r->s++;
      skip_space(r);
    }
    if (!*name || count < 1 || !put(to, field, count)) return false;
    if (*r->s == ';') return r->s++, true;
    if (*r->s++ != ',') return false;
  }
}

// Read a struct of one of the model's headers, field by field, and pad it to its alignment.
static bool read_struct(reader* r, const char* name, layout* l) {
  char head[120];
  snprintf(head, sizeof head, "typedef struct %s {", name);
  const char* at = NULL;
  for (const source_text* f = r->sources; f->name && !at; f++) {
    if (strncmp(f->name, "model", 5) == 0) at = strstr(f->text, head);
  }
  memset(l, 0, sizeof *l);
  l->align = 1;
  if (!at || r->depth > 4) return false;
  reader inner = {at + strlen(head), r->sources, r->depth + 1};

  // field by field
  for (;;) {
    char type[64];
    layout field;
    skip_space(&inner);
    if (*inner.s == '}') break;
    word(&inner, type, sizeof type);
    if (!*type || !type_layout(&inner, type, &field) || !read_fields(&inner, &field, l))
      return false;
  }
  l->size = padded(l->size, l->align);
  return true;
}

bool td_layout(const source_text* sources, const char* name, layout* l) {
  reader r = {"", sources, 0};
  return read_struct(&r, name, l);
}
