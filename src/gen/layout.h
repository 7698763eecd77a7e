// The bytes of the model's structs that hold values, read from the texts of model.h and the headers
// beside it (model_tree.h).  The others are padding with arbitrary contents, on which a file must
// not depend.
#ifndef TD_LAYOUT_H
#define TD_LAYOUT_H

#include <stdbool.h>

#include "gen/bundle.h"

enum { LAYOUT_BYTES = 1024 };
// Layout of one struct.
typedef struct layout {
  bool used[LAYOUT_BYTES];
  int size, align;
} layout;

// Read the layout of a struct from the sources named model*.  False: they have no such struct, or
// one that this reader does not understand.
bool td_layout(const source_text* sources, const char* name, layout* l);

#endif
