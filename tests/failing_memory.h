// Memory that runs out: malloc, calloc and realloc are wrapped, and when armed, the n-th call and
// all after it, or that one alone, fail.  Included before everything else, by one file of a
// program.
#ifndef FAILING_MEMORY_H
#define FAILING_MEMORY_H

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#include "sanitized.h"

#if !CHECK_SANITIZED  // the sanitizer has its own malloc

static long left = -1;  // calls before the first that fails; negative: none fails
static bool once;       // only that one fails
static long calls;
static long live;  // blocks

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

void* malloc(size_t n) {
  static malloc_fn real;
  if (!real) *(void**)&real = next("malloc");
  if (!real) return start_take(n);
  void* p = refuse() ? NULL : real(n);
  live += p != NULL;
  return p;
}

void* calloc(size_t n, size_t size) {
  static calloc_fn real;
  if (!real) *(void**)&real = next("calloc");
  if (!real) return start_take(n * size);
  void* p = refuse() ? NULL : real(n, size);
  live += p != NULL;
  return p;
}

void* realloc(void* old, size_t n) {
  static realloc_fn real;
  if (!real) *(void**)&real = next("realloc");
  if (!real || in_start(old)) return NULL;
  if (refuse()) return NULL;
  void* p = real(old, n);
  live += p != NULL && old == NULL;
  return p;
}

void free(void* p) {
  static free_fn real;
  if (!real) *(void**)&real = next("free");
  if (!p || in_start(p) || !real) return;
  live--;
  real(p);
}

#endif
#endif
