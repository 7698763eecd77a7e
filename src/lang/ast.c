// Memory of a syntax tree: nodes, lists and texts come from blocks that are freed together.  Texts
// are interned in a hash table with open addressing.
#include "lang/ast.h"

#include <string.h>

#include "lang/parser.h"

typedef struct pool_block {
  struct pool_block* before;
  size_t used, size;
  max_align_t data[];
} pool_block;

struct ast_pool {
  pool_block* block;
  const char** texts;  // ntext of cap places are taken; cap is a power of two
  int ntext, cap;
  int nnode;
};

ast_pool* td_ast_pool_new(void) { return calloc(1, sizeof(ast_pool)); }

// Free all nodes and texts of a source.
void td_ast_free(ast_pool* pool) {
  if (!pool) return;
  for (pool_block* b = pool->block; b;) {
    pool_block* before = b->before;
    free(b);
    b = before;
  }
  free(pool->texts);
  free(pool);
}

// Allocate from the pool; NULL: no memory.
static void* take(ast_pool* pool, size_t bytes) {
  const size_t unit = sizeof(max_align_t);
  bytes = (bytes + unit - 1) / unit * unit;
  pool_block* b = pool->block;
  if (!b || b->size - b->used < bytes) {
    const size_t size = bytes > 1 << 16 ? bytes : 1 << 16;
    b = malloc(sizeof(pool_block) + size);
    if (!b) return NULL;
    *b = (pool_block){.before = pool->block, .size = size};
    pool->block = b;
  }
  void* p = (char*)b->data + b->used;
  b->used += bytes;
  return p;
}

int td_ast_count(const ast_pool* pool) { return pool->nnode; }

// Allocate a node.
ast* td_ast_node(ast_pool* pool, ast_kind kind, td_span at) {
  ast* node = take(pool, sizeof(ast));
  if (!node) return NULL;
  *node = (ast){.kind = kind, .at = at, .name_at = at, .height = 1};
  pool->nnode++;
  return node;
}

ast** td_ast_list(ast_pool* pool, ast* const* items, int n) {
  ast** list = take(pool, (size_t)max_int(1, n) * sizeof(ast*));
  if (list && n > 0) memcpy(list, items, (size_t)n * sizeof(ast*));
  return list;
}

// ---- texts ------------------------------------------------------------------------------------

// FNV-1a hash of n bytes
static uint32_t hash(const char* s, size_t n) {
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
  return h;
}

// Slot of a text in the table, or the free slot for it.
static const char** find(ast_pool* pool, const char* s, size_t n) {
  const uint32_t mask = (uint32_t)pool->cap - 1;
  uint32_t i = hash(s, n) & mask;
  while (pool->texts[i] && (strncmp(pool->texts[i], s, n) != 0 || pool->texts[i][n])) {
    i = (i + 1) & mask;
  }
  return &pool->texts[i];
}

// Grow the table so that it is at most half full.  False: no memory.
static bool make_room(ast_pool* pool) {
  if (2 * (pool->ntext + 1) <= pool->cap) return true;
  const int old_cap = pool->cap;
  const char** old = pool->texts;
  const int cap = max_int(64, 2 * old_cap);
  const char** texts = calloc((size_t)cap, sizeof(char*));
  if (!texts) return false;
  pool->texts = texts;
  pool->cap = cap;

  for (int i = 0; i < old_cap; i++) {
    if (old[i]) *find(pool, old[i], strlen(old[i])) = old[i];
  }
  free(old);
  return true;
}

// Intern a text of n bytes.
const char* td_ast_text(ast_pool* pool, const char* s, int n) {
  if (!make_room(pool)) return NULL;
  const char** place = find(pool, s, (size_t)n);
  if (*place) return *place;
  char* copy = take(pool, (size_t)n + 1);
  if (!copy) return NULL;
  memcpy(copy, s, (size_t)n);
  copy[n] = '\0';
  *place = copy;
  pool->ntext++;
  return copy;
}
