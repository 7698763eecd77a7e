// Scratch memory for evaluation: allocated in stack order from one block, without heap calls.
#ifndef TD_ARENA_H
#define TD_ARENA_H

#include <string.h>

#include "base/base.h"

typedef struct arena {
  char* base;
  size_t size, used, peak;
} arena;

typedef size_t arena_mark;

// Mark the current level; arena_close releases everything allocated since.
static inline arena_mark arena_open(const arena* a) { return a->used; }
static inline void arena_close(arena* a, arena_mark mark) { a->used = mark; }

// Allocate n bytes, aligned to 64.
static inline void* arena_bytes(arena* a, size_t n) {
  const size_t bytes = (n + 63) & ~(size_t)63;
  require(bytes <= a->size - a->used);  // the owner sized it for its stages
  void* p = a->base + a->used;
  a->used += bytes;
  if (a->used > a->peak) a->peak = a->used;
  return p;
}

static inline double* arena_doubles(arena* a, int n) {
  return (double*)arena_bytes(a, (size_t)n * sizeof(double));
}

static inline double* arena_zeros(arena* a, int n) {
  double* p = arena_doubles(a, n);
  memset(p, 0, (size_t)n * sizeof(double));
  return p;
}

static inline int* arena_ints(arena* a, int n) {
  return (int*)arena_bytes(a, (size_t)n * sizeof(int));
}

#endif
