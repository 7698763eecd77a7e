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

// ---- words of the language --------------------------------------------------------------------

// A structure of the model or a field of one.  Strings are constant.  (Answers.)
typedef struct td_editor_field {
  const char* path;      // "joint.dof.spring.coeff"
  const char* shape;     // "1x3", "nx1|nx6", "" any
  const char* fallback;  // "0", "required", "" none
  const char* unit;      // "m", "" none
  const char* options;   // "revolute|prismatic", "> 0", "" none
  const char* text;      // what it means, one sentence
  bool words;            // `options` are words, which are written as texts
} td_editor_field;
// Row i of the table of all of them; false beyond the last.
TD_API bool td_editor_field_into(int i, td_editor_field* field, size_t size);
// The row of a path, other spellings included; false: there is none.
TD_API bool td_editor_field_find_into(const char* path, td_editor_field* field, size_t size);

// Functions of the language, sensors first: the name, how it is called ("mod(x, y)") and, of
// sensors, what it means ("" of others).  NULL beyond the last.
TD_API const char* td_editor_function(int i, const char** form, const char** text);
// Keywords and constants; NULL beyond the last.
TD_API const char* td_editor_keyword(int i);

// ---- messages with ranges ---------------------------------------------------------------------

// A message of td_spec_message() with the range it is about.  Strings belong to the spec.
// (Answers.)
typedef struct td_editor_message {
  td_severity severity;
  const char* file;    // NULL: none
  const char* source;  // text of that file as it was read, NULL: none
  int begin, end;      // bytes of it; -1: the file as a whole
  const char* text;
  const char* hint;  // "did you mean 'spring'?", NULL: none
} td_editor_message;
TD_API bool td_editor_message_into(const td_spec* spec, int i, td_editor_message* message,
                                   size_t size);
// Lower the limits of a new spec to what can be computed while somebody types: texts that do more
// end with a message that tells so.
TD_API void td_editor_hurry(td_spec* spec);

// ---- what stands where ------------------------------------------------------------------------

// A text, read for questions about it; it may have errors.  NULL when out of memory.
typedef struct td_editor_text td_editor_text;
TD_API td_editor_text* td_editor_open(const char* text);
TD_API void td_editor_close(td_editor_text* text);
TD_API bool td_editor_has_errors(const td_editor_text* text);  // of syntax

typedef enum td_editor_kind {
  TD_EDITOR_NOTHING,
  TD_EDITOR_VARIABLE,  // params and inputs too
  TD_EDITOR_FUNCTION,  // a function of the language or of the text
  TD_EDITOR_FIELD,     // a structure of the model or a field: `path`
  TD_EDITOR_WORD       // a text; `path` is the field that it is assigned to, "" none
} td_editor_kind;

// What is at a place.  (Answers.)
typedef struct td_editor_place {
  td_editor_kind kind;
  int begin, end;  // of the name, without quotes
  int number;      // of body(2), from 1; 0: none is written
  char path[160];  // of fields, without indices: "joint.dof.spring"
  char name[64];   // the name itself
} td_editor_place;
TD_API bool td_editor_at_into(const td_editor_text* text, int offset, td_editor_place* place,
                              size_t size);

// What may be written at a place: fields of `path` (kind FIELD), words of the field `path` (WORD)
// or any name (VARIABLE); [begin, offset) is what is written of it already.
TD_API bool td_editor_before_into(const td_editor_text* text, int offset, td_editor_place* place,
                                  size_t size);

// A definition: a variable, a function, an element of a structure (body(2)), or the name that one
// has (body(2).name = 'tip').  (Answers.)
typedef struct td_editor_symbol {
  td_editor_kind kind;  // VARIABLE, FUNCTION, FIELD or WORD
  char name[64];        // "E", "body(2)", "tip"
  int begin, end;       // of the name
  int from, to;         // of the statement
  int scope;            // of the function it is inside, counted from 1; 0: none
} td_editor_symbol;
// Definition i in the order of the text, each name once in its scope; false beyond the last.
TD_API bool td_editor_symbol_into(const td_editor_text* text, int i, td_editor_symbol* symbol,
                                  size_t size);
// Where the name at a place is defined; false: not in this text.
TD_API bool td_editor_definition(const td_editor_text* text, int offset, int* begin, int* end);

// All uses of the variable at a place, params and inputs in texts included: at most n ranges
// [begin, end) in ranges[2 k], ranges[2 k + 1]; returns how many there are.  0: no variable is
// there.
TD_API int td_editor_uses(const td_editor_text* text, int offset, int* ranges, int n);

#ifdef __cplusplus
}
#endif
#endif
