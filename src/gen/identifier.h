// Names for printed code.
#ifndef TD_IDENTIFIER_H
#define TD_IDENTIFIER_H

#include <stddef.h>

// Letters, digits and underscores, not a word of the languages written and not a name that printed
// code uses itself: such get an underscore behind them.
void td_identifier(const char* from, char* to, size_t size);

#endif
