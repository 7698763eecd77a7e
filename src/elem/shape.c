// Table of the shapes of fixed objects (shape.h).
#include "elem/shape.h"

#include <string.h>

const shape_kind td_shapes[SHAPE_KINDS] = {
#define X(name, ...) {#name, &td_shape_##name, __VA_ARGS__},
    TD_SHAPES(X)
#undef X
};

const shape_kind* td_shape_find(const char* name) {
  for (int i = 0; i < SHAPE_KINDS; i++)
    if (strcmp(td_shapes[i].name, name) == 0) return &td_shapes[i];
  return NULL;
}
