// The table of materials.
#include "elem/material.h"

#include <string.h>

const material td_materials[MATERIALS] = {
#define X(name, E, nu, rho, source) {name, E, nu, rho, source},
    TD_MATERIALS(X)
#undef X
};

const material* td_material(const char* name) {
  for (int i = 0; i < MATERIALS; i++)
    if (strcmp(td_materials[i].name, name) == 0) return &td_materials[i];
  return NULL;
}
