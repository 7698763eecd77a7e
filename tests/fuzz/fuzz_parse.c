// Any bytes parse without harm, in bounded memory and stack, and every node lies inside its text.
#include "lang/ast.h"

enum { SIZE_LIMIT = 1 << 20 };

static void check(const ast* t, int size) {
  if (!t) return;
  require(t->at.begin >= 0 && t->at.begin <= t->at.end && t->at.end <= size);
  require(t->name_at.begin >= 0 && t->name_at.begin <= t->name_at.end && t->name_at.end <= size);
  require(t->height >= 1 && t->height <= AST_HEIGHT_LIMIT);
  check(t->a, size);
  check(t->b, size);
  check(t->c, size);
  check(t->body, size);
  for (int i = 0; i < t->n; i++) check(t->list[i], size);
  for (int i = 0; i < t->nout; i++) check(t->outs[i], size);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > SIZE_LIMIT) return 0;
  td_diags d = {0};
  const int source = td_diags_source(&d, "fuzz.m", (const char*)data, (int)size);
  if (source < 0) return 0;

  ast_pool* pool;
  const ast* file = td_parse(&d, source, &pool);
  check(file, (int)size);

  td_text out = {0};
  for (int i = 0; i < d.n; i++) td_diag_render(&d, i, &out);
  td_text_free(&out);
  td_ast_free(pool);
  td_diags_free(&d);
  return 0;
}
