// libtcc; see tcc.h.
#include "gen/tcc.h"

#include <stddef.h>

#ifdef TENDRIL_TCC

#include <libtcc.h>
#include <math.h>
#include <string.h>

bool td_tcc_built(void) { return true; }

static void silent(void* user, const char* message) { (void)user, (void)message; }

typedef void (*any_function)(void);

typedef struct known_function {
  const char* name;
  any_function at;
} known_function;

#define KNOWN(name) \
  { #name, (any_function)name }
static const known_function known[] = {
    KNOWN(pow),   KNOWN(atan2), KNOWN(fmod),   KNOWN(fmin),   KNOWN(fmax),
    KNOWN(hypot), KNOWN(sqrt),  KNOWN(exp),    KNOWN(log),    KNOWN(sin),
    KNOWN(cos),   KNOWN(tan),   KNOWN(asin),   KNOWN(acos),   KNOWN(atan),
    KNOWN(sinh),  KNOWN(cosh),  KNOWN(tanh),   KNOWN(fabs),   KNOWN(floor),
    KNOWN(ceil),  KNOWN(round), KNOWN(memset), KNOWN(memcpy), KNOWN(memmove)};

// Compile a text to memory; NULL: it does not compile.  Neither headers nor libraries are searched
// on the disk: the functions it may call are those of `known`.
void* td_tcc_compile(const char* text) {
  TCCState* s = tcc_new();
  if (!s) return NULL;
  tcc_set_error_func(s, NULL, silent);
  tcc_set_options(s, "-nostdlib -nostdinc");
  bool ok = tcc_set_output_type(s, TCC_OUTPUT_MEMORY) == 0;
  for (size_t i = 0; ok && i < sizeof known / sizeof *known; i++) {
    void* at;
    memcpy(&at, &known[i].at, sizeof at);
    ok = tcc_add_symbol(s, known[i].name, at) == 0;
  }
  ok = ok && tcc_compile_string(s, text) == 0 && tcc_relocate(s, TCC_RELOCATE_AUTO) == 0;
  if (ok) return s;
  tcc_delete(s);
  return NULL;
}

void* td_tcc_symbol(void* compiled, const char* name) { return tcc_get_symbol(compiled, name); }

void td_tcc_free(void* compiled) {
  if (compiled) tcc_delete(compiled);
}

#else

bool td_tcc_built(void) { return false; }
void* td_tcc_compile(const char* text) { return (void)text, NULL; }
void* td_tcc_symbol(void* compiled, const char* name) { return (void)compiled, (void)name, NULL; }
void td_tcc_free(void* compiled) { (void)compiled; }

#endif
