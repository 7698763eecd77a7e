// Which bytes of the model's structs hold values and which are padding, read from the text of
// model.h: padding has whatever was in memory, and a file must not depend on that.
#ifndef TD_LAYOUT_H
#define TD_LAYOUT_H

#include <stdbool.h>

enum { LAYOUT_BYTES = 1024 };
typedef struct layout {
  bool used[LAYOUT_BYTES];
  int size, align;
} layout;

// False: the text has no such struct or one this reader does not understand.
bool td_layout(const char* text, const char* name, layout* l);

#endif
