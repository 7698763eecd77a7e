// Memory of exported models.  Not part of the library; its text goes into exported programs.
#include "gen/plain/plain_memory.h"

#include <string.h>

char* td_memory;
size_t td_memory_left;

void* td_take(size_t n) {
  const size_t bytes = (n + 15) & ~(size_t)15;
  if (bytes > td_memory_left) return NULL;
  char* p = td_memory;
  td_memory += bytes;
  td_memory_left -= bytes;
  memset(p, 0, bytes);
  return p;
}
