// Reading of texts beside the model: file names relative to the file that names them, and limits of
// what may be read.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lang/eval.h"

// Join a file name to the folder of the text that names it.
char* td_relative_path(const lang* L, td_span at, const char* name) {
  const char* from =
      at.source >= 0 && at.source < L->diags->nsource ? L->diags->sources[at.source].name : "";
  const char* slash = strrchr(from, '/');
  if (name[0] == '/' || !slash) return td_strdup(name);
  td_text path = {0};
  td_text_addn(&path, from, (int)(slash - from) + 1);
  td_text_add(&path, name);
  if (!path.failed) return path.s;
  td_text_free(&path);
  return NULL;
}

// Read an open regular file; NULL after a message.
static char* read_all(lang* L, FILE* f, const char* path, td_span at, int* size) {
  struct stat info;
  if (fstat(fileno(f), &info) != 0 || !S_ISREG(info.st_mode)) {
    td_error(L->diags, TD_E_IO, at, "cannot read '%s': it is not a file", path);
    return NULL;
  }
  if (info.st_size > TD_TEXT_LIMIT || L->text_bytes + (size_t)info.st_size > TD_TEXT_LIMIT) {
    td_error(L->diags, TD_E_IO, at,
             "cannot read '%s': the texts of a model may have %d MB together", path,
             TD_TEXT_LIMIT / 1000000);
    return NULL;
  }

  char* text = malloc((size_t)info.st_size + 1);
  if (!text) return td_no_memory(L, at);
  *size = (int)fread(text, 1, (size_t)info.st_size, f);
  text[*size] = 0;
  L->text_bytes += (size_t)*size;
  if (!ferror(f)) return text;
  free(text);
  td_error(L->diags, TD_E_IO, at, "cannot read '%s': %s", path, strerror(errno));
  return NULL;
}

// Read a file that the model is allowed to read.
char* td_read_text(lang* L, const char* path, td_span at, int* size) {
  if (!td_spec_may_read(L->spec, path)) {
    td_error(L->diags, TD_E_IO, at,
             "'%s' is outside the model's folder and TENDRIL_DATA, and is not read", path);
    td_hint(L->diags, "--allow-read, if you trust the model");
    return NULL;
  }

  // non-blocking, because opening a pipe would wait for its writer
  const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  FILE* f = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
  if (!f) {
    td_error(L->diags, TD_E_IO, at, "cannot read '%s': %s", path, strerror(errno));
    if (descriptor >= 0) close(descriptor);
    return NULL;
  }
  char* text = read_all(L, f, path, at, size);
  fclose(f);
  return text;
}

// True if a text begins with `function`, after comments and blank lines.
static bool begins_with_function(const char* s) {
  for (;;) {
    s += strspn(s, " \t\r\n");
    if (*s != '%' && *s != '#') break;
    s += strcspn(s, "\n");
  }
  return strncmp(s, "function", 8) == 0 && strchr(" \t[", s[8]);
}

// True if NAME.m beside the text begins with `function`.
bool td_is_function_beside(lang* L, const char* name, td_span at) {
  td_text file = {0};
  td_text_printf(&file, "%s.m", name);
  char* path = file.failed ? NULL : td_relative_path(L, at, file.s);
  td_text_free(&file);
  bool is_function = false;
  if (path && access(path, R_OK) == 0 && td_spec_may_read(L->spec, path)) {
    int size = 0;
    char* text = td_read_text(L, path, at, &size);
    is_function = text && begins_with_function(text);
    free(text);
  }
  free(path);
  return is_function;
}
