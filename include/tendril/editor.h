// For editors: formatting of model texts, the words of the model language, and what stands where in
// a text.  `tendril fmt` and `tendril lsp` are made of these.
//
// Places in a text are offsets in bytes from its beginning.
#ifndef TENDRIL_EDITOR_H
#define TENDRIL_EDITOR_H

#include "tendril/tendril.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- formatting -------------------------------------------------------------------------------

// Format a model text: one space around '=', blocks indented by two, one blank line at most, no
// blanks at the ends of lines; trailing comments and '=' that stand in one column keep a common
// one.  Nothing but blanks changes, which is checked token by token; formatting twice changes
// nothing more.  *formatted is to be freed.  On TD_E_SYNTAX it is NULL and `spec`, a new one of the
// caller's, has the messages under `name`; nothing of the text is executed.
TD_API td_status td_editor_format(td_spec* spec, const char* name, const char* text,
                                  char** formatted);

#ifdef __cplusplus
}
#endif
#endif
