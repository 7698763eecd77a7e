// Names for printed code.
#ifndef TD_IDENTIFIER_H
#define TD_IDENTIFIER_H

#include <stddef.h>

// Make an identifier of letters, digits and underscores.  Words of the printed languages and names
// that printed code uses itself get an underscore behind them.
void td_identifier(const char* from, char* to, size_t size);

// A name of the model's author for comments and documentation strings of printed code: nothing in
// it ends a line, continues one or closes a string.
typedef struct plain_text {
  char s[160];
} plain_text;
plain_text td_plain(const char* from);

#endif
