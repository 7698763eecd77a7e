// Reading of texts beside the model: file names relative to the file that names them, and limits of
// what may be read.
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "lang/eval.h"

// Join a file name to the folder of the text that names it.
char* td_relative_path(const lang* L, td_span at, const char* name) {
  const char* from =
      at.source >= 0 && at.source < L->diags->nsource ? L->diags->sources[at.source].name : "";
  return td_file_beside(from, name);
}

// Read a file that the model is allowed to read.
char* td_read_text(lang* L, const char* path, td_span at, int* size) {
  if (!td_spec_may_read(L->spec, path)) {
    td_error(L->diags, TD_E_IO, at,
             "'%s' is outside the model's folder and TENDRIL_DATA, and is not read", path);
    td_hint(L->diags, "--allow-read, if you trust the model");
    return NULL;
  }

  char* text;
  size_t n;
  const char* why;
  const size_t left = L->text_bytes < TD_TEXT_LIMIT ? TD_TEXT_LIMIT - L->text_bytes : 0;
  const td_status status = td_file_read(path, left, &text, &n, &why);
  if (status == TD_E_NOMEM) return td_no_memory(L, at);
  if (status != TD_OK && why)
    td_error(L->diags, status, at, "cannot read '%s': %s", path, why);
  else if (status != TD_OK)
    td_error(L->diags, status, at, "cannot read '%s': the texts of a model may have %d MB together",
             path, TD_TEXT_LIMIT / 1000000);
  if (status != TD_OK) return NULL;
  *size = (int)n;
  L->text_bytes += n;
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
