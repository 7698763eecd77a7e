// Memory of exported models: a block from the caller, nothing of which is given back.  This text
// stands before the engine in an exported file, and each source of the engine that is compiled for
// functional mock-up units includes it first.
#ifndef TD_PLAIN_MEMORY_H
#define TD_PLAIN_MEMORY_H

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define TD_API  // an exported model shows its own functions only

extern char* td_memory;
extern size_t td_memory_left;
void* td_take(size_t n);  // n bytes of zeros, NULL: there are not as many left

static inline _Noreturn void td_stop(void) {
  for (;;) {
  }
}

#undef assert
#define calloc(n, size) td_take((size_t)(n) * (size_t)(size))
#define malloc(size) td_take(size)
#define free(p) ((void)(p))
#define abort() td_stop()
#define assert(x) ((void)0)
#ifndef TD_MESSAGES
#define vsnprintf(s, n, format, args) ((void)(n), (void)(format), (void)(args), (s)[0] = 0)
#endif

#endif
