// Bundling the engine's sources into one text; see bundle.h.  Only identifiers are renamed:
// comments and strings are copied as they are.
#include "gen/bundle.h"

#include <ctype.h>
#include <string.h>

enum { MAX_FILES = 200, MAX_NAMES = 200, MAX_DEPTH = 40 };

// A bundle while it is written.
typedef struct bundler {
  td_text* out;
  bool headers_only;
  bool done[MAX_FILES];
  bool failed;
} bundler;

const char* td_source_text(const source_text* table, const char* name) {
  for (; table->name; table++)
    if (strcmp(table->name, name) == 0) return table->text;
  return "";
}

// Index of a source by its file name of n characters, -1: there is none
static int find_file(const char* name, size_t n) {
  for (int i = 0; td_engine_sources[i].name; i++) {
    if (strlen(td_engine_sources[i].name) == n && strncmp(td_engine_sources[i].name, name, n) == 0)
      return i;
  }
  return -1;
}

static const char* next_line(const char* s) {
  const char* end = strchr(s, '\n');
  return end ? end + 1 : s + strlen(s);
}

// ---- file-local names -------------------------------------------------------------------------

// Names of a file that no other file sees.
typedef struct name_list {
  const char* at[MAX_NAMES];
  size_t length[MAX_NAMES];
  int n;
} name_list;

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static bool has_name(const name_list* l, const char* s, size_t n) {
  for (int i = 0; i < l->n; i++) {
    if (l->length[i] == n && strncmp(l->at[i], s, n) == 0) return true;
  }
  return false;
}

// List the functions and arrays that lines beginning with "static" define: the word before the
// first parenthesis or bracket.
static void local_names(const char* text, name_list* l) {
  l->n = 0;
  for (const char* s = text; *s; s = next_line(s)) {
    if (strncmp(s, "static ", 7) != 0) continue;
    const char* end = s + strcspn(s, "(;={[\n");
    if (*end != '(' && *end != '[') continue;
    const char* begin = end;
    while (begin > s && is_word(begin[-1])) begin--;
    if (l->n < MAX_NAMES && end > begin && !has_name(l, begin, (size_t)(end - begin))) {
      l->at[l->n] = begin;
      l->length[l->n++] = (size_t)(end - begin);
    }
  }
}

// ---- text -------------------------------------------------------------------------------------

// The end of a comment, string or character constant at s; s itself when there is none.
static const char* skip_quoted(const char* s) {
  if (s[0] == '/' && s[1] == '/') return next_line(s) - (strchr(s, '\n') != NULL);
  if (s[0] == '/' && s[1] == '*') {
    const char* end = strstr(s, "*/");
    return end ? end + 2 : s + strlen(s);
  }
  if (*s != '"' && *s != '\'') return s;
  const char* at = s + 1;
  while (*at && *at != *s) at += at[0] == '\\' && at[1] ? 2 : 1;
  return *at ? at + 1 : at;
}

// Copy a text without its #include lines, local names becoming prefix_name; members of structs keep
// their names.
static void copy_renamed(td_text* out, const char* text, const char* prefix, int prefix_length,
                         const name_list* names) {
  const char* s = text;
  while (*s) {
    const char* end = skip_quoted(s);

    // comments and strings are copied, includes dropped, local names prefixed
    if (end > s) {
      td_text_addn(out, s, (int)(end - s));
      s = end;
    } else if (*s == '#' && strncmp(s, "#include", 8) == 0) {
      s = next_line(s);
    } else if (is_word(*s)) {
      for (end = s; is_word(*end);) end++;
      const size_t n = (size_t)(end - s);
      const bool member =
          (s > text && s[-1] == '.') || (s > text + 1 && s[-1] == '>' && s[-2] == '-');
      if (has_name(names, s, n) && !member) {
        td_text_addn(out, prefix, prefix_length);
        td_text_add(out, "_");
      }
      td_text_addn(out, s, (int)n);
      s = end;
    } else {
      td_text_addn(out, s++, 1);
    }
  }
}

// ---- files ------------------------------------------------------------------------------------

// Add a source with everything that it includes before it, once.

// Append source file i after the files it includes, each once.  Local names of .c files get the
// file's name as a prefix, so that they do not meet in one text. b->failed notes an unknown include
// or a circle.
static void add_file(bundler* b, int i, int depth) {
  if (i < 0 || i >= MAX_FILES || depth > MAX_DEPTH) {
    b->failed = true;
    return;
  }
  if (b->done[i]) return;
  b->done[i] = true;
  const source_text* f = &td_engine_sources[i];
  const size_t n = strlen(f->name);
  name_list names = {.n = 0};

  // the files it includes, wherever their folders are
  for (const char* s = f->text; *s; s = next_line(s)) {
    if (strncmp(s, "#include \"", 10) != 0) continue;
    const char *name = s + 10, *end = strchr(name, '"');
    if (!end) continue;
    for (const char* c = name; c < end; c++) {
      if (*c == '/') name = c + 1;
    }
    const int included = find_file(name, (size_t)(end - name));
    if (included >= 0)
      add_file(b, included, depth + 1);
    else
      b->failed = true;
  }

  // the file itself, with local names of its own
  const bool header = n <= 2 || strcmp(f->name + n - 2, ".c") != 0;
  if (!header && b->headers_only) return;
  if (!header) local_names(f->text, &names);
  td_text_printf(b->out, "\n// ==== %s ====\n\n", f->name);
  copy_renamed(b->out, f->text, f->name, (int)n - 2, &names);
}

// Append all C files of the engine, each after the headers it includes, or the headers alone.
bool td_bundle(td_text* out, bool headers_only) {
  static const char first[] = "plain_memory.h";
  bundler b = {.out = out, .headers_only = headers_only};
  add_file(&b, find_file(first, sizeof first - 1), 0);
  for (int i = 0; td_engine_sources[i].name; i++) {
    const size_t n = strlen(td_engine_sources[i].name);
    if (strcmp(td_engine_sources[i].name + n - 2, ".c") == 0) add_file(&b, i, 0);
  }
  return !b.failed && !out->failed;
}
