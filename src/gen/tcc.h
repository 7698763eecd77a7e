// C texts compiled into memory by libtcc; where the build has no libtcc, nothing compiles.
#ifndef TD_TCC_H
#define TD_TCC_H

#include <stdbool.h>

bool td_tcc_built(void);  // whether the build has libtcc
// Compile a text that includes no header and uses the mathematical library alone.  The result, to
// be freed by td_tcc_free(), keeps the code; NULL: it cannot be compiled.
void* td_tcc_compile(const char* text);
void* td_tcc_symbol(void* compiled, const char* name);
void td_tcc_free(void* compiled);

#endif
