// STL files, text or binary: the edges of their triangles.
//
//   text    solid name / facet normal n n n / outer loop / vertex x y z (three) / endloop / ...
//   binary  80 bytes, count (4 bytes), then 50 bytes a triangle: normal, three vertices, 2 bytes;
//           numbers are little-endian
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/cad.h"

static const double millimetre = 1e-3;

// A file while it is read.
typedef struct stl {
  td_cad* cad;
  const char *s, *end;
  int line;
  double unit;
} stl;

// Add the nodes and edges of a triangle.
static td_status triangle(stl* f, double x[3][3]) {
  int node[3];
  for (int i = 0; i < 3; i++) {
    double p[3];
    for (int c = 0; c < 3; c++) p[c] = x[i][c] * f->unit;
    node[i] = td_wire_node(&f->cad->wire, p);
    if (node[i] < 0) return TD_E_NOMEM;
  }
  for (int i = 0; i < 3; i++) TD_TRY(td_cad_edge(f->cad, node[i], node[(i + 1) % 3]));
  return TD_OK;
}

// ---- binary -----------------------------------------------------------------------------------

static uint32_t read_u32(const char* s) {
  const unsigned char* b = (const unsigned char*)s;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double read_f32(const char* s) {
  const uint32_t bits = read_u32(s);
  float x;
  memcpy(&x, &bits, sizeof x);
  return (double)x;
}

// Read n triangles of a binary file.
static td_status read_binary(stl* f, uint32_t n) {
  for (uint32_t k = 0; k < n; k++) {
    const char* at = f->s + 84 + 50 * (size_t)k;
    double x[3][3];
    for (int i = 0; i < 9; i++) {
      x[i / 3][i % 3] = read_f32(at + 12 + 4 * i);
      if (!isfinite(x[i / 3][i % 3]))
        return td_cad_fail(f->cad, "triangle %u has a vertex that is not finite", k + 1);
    }
    TD_TRY(triangle(f, x));
  }
  return TD_OK;
}

// ---- text -------------------------------------------------------------------------------------

// Read the next word.  False: at the end, or it is longer than any word of an STL file.
static bool next_word(stl* f, char* word, size_t size) {
  while (f->s < f->end && (unsigned char)*f->s <= ' ') f->line += *f->s++ == '\n';
  size_t n = 0;
  while (f->s < f->end && (unsigned char)*f->s > ' ' && n + 1 < size) word[n++] = *f->s++;
  word[n] = '\0';
  return n > 0 && (f->s == f->end || (unsigned char)*f->s <= ' ');
}

// Read a word that must be `want`.
static td_status expect(stl* f, const char* want) {
  char word[64];
  const bool whole = next_word(f, word, sizeof word);
  if (whole && strcmp(word, want) == 0) return TD_OK;
  if (word[0] == '\0') return td_cad_fail(f->cad, "the file ends where '%s' is expected", want);
  return td_cad_fail(f->cad, "line %d: '%s' is expected, got '%.30s'", f->line, want, word);
}

// Read a finite number.
static td_status number(stl* f, double* x) {
  char word[64], *stop = NULL;
  const bool whole = next_word(f, word, sizeof word);
  *x = strtod(word, &stop);
  if (word[0] == '\0') return td_cad_fail(f->cad, "the file ends where a number is expected");
  if (whole && *stop == '\0' && isfinite(*x)) return TD_OK;
  return td_cad_fail(f->cad, "line %d: '%.30s' is not a number", f->line, word);
}

// Read a triangle, after the word `facet`.
static td_status facet(stl* f) {
  static const char* const head[] = {"outer", "loop"};
  static const char* const tail[] = {"endloop", "endfacet"};
  double x[3][3], normal;
  TD_TRY(expect(f, "normal"));
  for (int i = 0; i < 3; i++) TD_TRY(number(f, &normal));
  for (int i = 0; i < 2; i++) TD_TRY(expect(f, head[i]));
  for (int i = 0; i < 3; i++) {
    TD_TRY(expect(f, "vertex"));
    for (int c = 0; c < 3; c++) TD_TRY(number(f, &x[i][c]));
  }
  for (int i = 0; i < 2; i++) TD_TRY(expect(f, tail[i]));
  return triangle(f, x);
}

// Read the text form: "solid name", facets, "endsolid name", perhaps several in a row.  Refuses
// other words, and a file that ends inside a solid.
static td_status read_text(stl* f) {
  char word[64];
  bool inside = false;
  for (;;) {
    const bool whole = next_word(f, word, sizeof word);
    if (whole && inside && strcmp(word, "facet") == 0) {
      TD_TRY(facet(f));
    } else if (whole && strcmp(word, inside ? "endsolid" : "solid") == 0) {
      inside = !inside;
      while (f->s < f->end && *f->s != '\n') f->s++;
    } else if (word[0] == '\0') {
      break;
    } else {
      return td_cad_fail(f->cad, "line %d: '%s' is expected, got '%.30s'", f->line,
                         inside ? "facet' or 'endsolid" : "solid", word);
    }
  }
  return inside ? td_cad_fail(f->cad, "the file ends where 'facet' or 'endsolid' is expected")
                : TD_OK;
}

// Read a file; the length tells whether it is binary, since binary files may start with "solid"
// too.
td_status td_stl_read(const char* text, size_t size, td_cad* cad) {
  stl f = {.cad = cad, .s = text, .end = text + size, .line = 1};
  f.unit = cad->unit > 0 ? cad->unit : millimetre;
  const uint32_t n = size >= 84 ? read_u32(text + 80) : 0;
  if (size >= 84 && size == 84 + 50 * (size_t)n) return read_binary(&f, n);

  // text
  size_t blank = 0;
  while (blank < size && (unsigned char)text[blank] <= ' ') blank++;
  if (size - blank >= 5 && memcmp(text + blank, "solid", 5) == 0) return read_text(&f);
  if (size < 84) return td_cad_fail(cad, "it is neither a text nor a binary STL file");
  return td_cad_fail(cad, "a binary STL file of %u triangles has %.0f bytes, this one has %zu", n,
                     84 + 50.0 * n, size);
}
