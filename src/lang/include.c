// Execution of texts: the model itself, the files that it includes, scripts and functions in files
// of their own.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lang/eval.h"

// Parse and run a source.
bool td_run_source(lang* L, int source) {
  ast_pool** grown = td_grow(L->pools, &L->pool_cap, L->npool + 1, sizeof *grown);
  if (!grown) return false;
  L->pools = grown;

  // parse, define the functions, run the statements
  const int errors = L->diags->errors;
  ast_pool* pool = NULL;
  ast* program = td_parse(L->diags, source, &pool);
  if (!program) return false;
  L->pools[L->npool++] = pool;
  if (L->diags->errors > errors) L->syntax_failed = true;
  td_define_functions(L, program->list, program->n);
  td_exec_block(L, program->list, program->n);

  // a model file of functions only: the body of the first is the model
  bool functions = program->n > 0 && L->nincluding <= 1;
  for (int i = 0; i < program->n; i++)
    functions = functions && program->list[i]->kind == AST_FUNCTION;
  if (!functions) return true;
  const ast* first = program->list[0];
  const size_t length = strlen(first->text);
  if (length > 9 && strcmp(first->text + length - 9, "_mid_step") == 0) {
    td_fail(L, first->at,
            "%s changes numbers between the steps of the package's integrator and describes no "
            "robot",
            first->text);
    td_hint(L->diags, "write what it changes as expressions of t, input and sensors in the model");
    return true;
  }
  td_exec_block(L, first->body->list, first->body->n);
  return true;
}

// True if two file names are the same file.
static bool same_file(const char* a, const char* b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

// Read and run a file.
bool td_run_file(lang* L, char* path, td_span at) {
  // a file must not include itself, as in "a.m -> b.m -> a.m"
  for (int i = 0; i < L->nincluding; i++) {
    if (!same_file(L->including[i], path)) continue;
    td_text chain = {0};
    for (int k = i; k < L->nincluding; k++) td_text_printf(&chain, "%s -> ", L->including[k]);
    td_fail(L, at, "include goes in a circle: %s%s", chain.s ? chain.s : "", path);
    td_text_free(&chain);
    return false;
  }

  if (!td_spend(L, 10000, at)) return false;  // many small files cost as much as a large one
  if (L->nincluding > TD_INCLUDE_LIMIT)
    return td_fail(L, at, "include goes deeper than %d files", TD_INCLUDE_LIMIT) != NULL;

  // read and run it, recorded as being run
  L->including[L->nincluding++] = path;
  int size = 0;
  char* text = td_read_text(L, path, at, &size);
  const bool included = at.source >= 0;  // and not the text itself
  if (text && included && !td_spend(L, 8L * size, at)) {
    free(text);
    L->nincluding--;
    return false;
  }
  const int source = text ? td_diags_source(L->diags, path, text, size) : -1;
  free(text);
  if (text && (source < 0 || !td_run_source(L, source))) td_no_memory(L, at);
  L->nincluding--;
  return text != NULL;
}

// Run a file named relative to the text at `at`.
bool td_include(lang* L, const char* name, td_span at) {
  char* path = td_relative_path(L, at, name);
  if (!path) return td_no_memory(L, at) != NULL;
  const bool ok = td_run_file(L, path, at);
  free(path);
  return ok;
}

// Run NAME.m beside the text at `at`, if there is one.
bool td_include_beside(lang* L, const char* name, td_span at, bool* found) {
  td_text file = {0};
  td_text_printf(&file, "%s.m", name);
  char* path = file.failed ? NULL : td_relative_path(L, at, file.s);
  *found = path && access(path, R_OK) == 0 && td_spec_may_read(L->spec, path);
  const bool ok = path && (!*found || td_run_file(L, path, at));
  if (!path) td_no_memory(L, at);
  free(path);
  td_text_free(&file);
  return ok;
}

bool td_function_beside(lang* L, const char* name, td_span at) {
  if (td_map_find(&L->beside, name) >= 0) return true;  // it was searched for before
  if (!td_map_add(&L->beside, name, 1)) return td_no_memory(L, at) != NULL;
  bool found = false;
  return !td_is_function_beside(L, name, at) || td_include_beside(L, name, at, &found);
}
