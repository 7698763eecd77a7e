// Table of the shape functions (basis.h).
#include "elem/basis.h"

const basis_kind td_bases[BASIS_KINDS] = {
#define X(name, ...) {#name, &td_basis_##name, __VA_ARGS__},
    TD_BASES(X)
#undef X
};

const basis_kind* td_basis_find(const char* name) {
  for (int i = 0; i < BASIS_KINDS; i++)
    if (strcmp(td_bases[i].name, name) == 0) return &td_bases[i];
  return NULL;
}
