// The bytes of the model's structs that hold values, read from the text of model.h.  The others are
// padding with arbitrary contents, on which a file must not depend.
#ifndef TD_LAYOUT_H
#define TD_LAYOUT_H

#include <stdbool.h>

enum { LAYOUT_BYTES = 1024 };
// Layout of one struct.
typedef struct layout {
  bool used[LAYOUT_BYTES];
  int size, align;
} layout;

// Read the layout of a struct.  False: the text has no such struct, or one that this reader does
// not understand.
bool td_layout(const char* text, const char* name, layout* l);

#endif
