// Memory that runs out: malloc, calloc and realloc are wrapped, and when armed, the n-th call and
// all after it, or that one alone, fail; or a budget of bytes is kept, as a limit of the address
// space does: what is freed may be taken again.  Included before everything else, by one file of a
// program.
#ifndef FAILING_MEMORY_H
#define FAILING_MEMORY_H

#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>

#include "sanitized.h"

#if !CHECK_SANITIZED  // the sanitizer has its own malloc

static long left = -1;  // calls before the first that fails; negative: none fails
static bool once;       // only that one fails
static long calls;
static long live;       // blocks
static long room = -1;  // bytes of the budget that are left
static bool budget;     // is kept

// Take a new block off the budget; it is given back and NULL returned when it does not fit.
static void* within_budget(void* p, void (*give_back)(void*)) {
  if (!budget || !p) return p;
  const long n = (long)malloc_usable_size(p);
  if (n > room) {
    give_back(p);
    return NULL;
  }
  room -= n;
  return p;
}

static bool refuse(void) {
  calls++;
  if (left < 0) return false;
  if (left > 0) {
    left--;
    return false;
  }
  if (once) left = -1;
  return true;
}

// dlsym may itself want memory before it has found the functions
static char start_block[65536];
static size_t start_used;
static bool in_start(const void* p) {
  return (const char*)p >= start_block && (const char*)p < start_block + sizeof start_block;
}

static void* start_take(size_t n) {
  n = (n + 63) & ~(size_t)63;
  if (n > sizeof start_block - start_used) return NULL;
  void* p = start_block + start_used;
  start_used += n;
  return p;
}

static void* next(const char* name) {
  static bool inside;
  if (inside) return NULL;
  inside = true;
  void* f = dlsym(RTLD_NEXT, name);
  inside = false;
  return f;
}

typedef void* (*malloc_fn)(size_t);
typedef void* (*calloc_fn)(size_t, size_t);
typedef void* (*realloc_fn)(void*, size_t);
typedef void (*free_fn)(void*);
static void real_free(void* p) {
  static free_fn real;
  if (!real) *(void**)&real = next("free");
  if (real) real(p);
}

void* malloc(size_t n) {
  static malloc_fn real;
  if (!real) *(void**)&real = next("malloc");
  if (!real) return start_take(n);
  void* p = refuse() ? NULL : within_budget(real(n), real_free);
  live += p != NULL;
  return p;
}

void* calloc(size_t n, size_t size) {
  static calloc_fn real;
  if (!real) *(void**)&real = next("calloc");
  if (!real) return start_take(n * size);
  void* p = refuse() ? NULL : within_budget(real(n, size), real_free);
  live += p != NULL;
  return p;
}

void* realloc(void* old, size_t n) {
  static realloc_fn real;
  if (!real) *(void**)&real = next("realloc");
  if (!real || in_start(old)) return NULL;
  if (refuse()) return NULL;
  const long before = budget && old ? (long)malloc_usable_size(old) : 0;
  if (budget && (long)n > room + before) return NULL;
  void* p = real(old, n);
  if (budget && p) room -= (long)malloc_usable_size(p) - before;
  live += p != NULL && old == NULL;
  return p;
}

void free(void* p) {
  if (!p || in_start(p)) return;
  live--;
  if (budget) room += (long)malloc_usable_size(p);
  real_free(p);
}

#endif
#endif
