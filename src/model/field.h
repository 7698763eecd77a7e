// One field of the model's structures: a row of a field table, and how a value is read by it.  The
// tables of all structures and searches in them are in fields.h, above everything that reads
// values.
#ifndef TD_FIELD_H
#define TD_FIELD_H

#include "model/spec.h"

typedef enum field_kind {
  FIELD_NUM,      // a real matrix, numbers or expressions
  FIELD_FLAG,     // 0 or 1
  FIELD_INT,      // integers
  FIELD_STR,      // a string
  FIELD_STRUCT,   // one structure
  FIELD_STRUCTS,  // array of structures
  FIELD_PLACE,    // a body number, [body element ...], or a reference body(2), at(body(2), 3)
  FIELD_PLACES,   // a cell of places
  FIELD_TARGET,   // a word, or a place
  FIELD_LIST,     // a cell of strings, or one string
  FIELD_NODES,    // one of some words, or node numbers
  FIELD_DATA,     // the name of a file, or a structure of columns as table() gives it
  FIELD_PAIRS     // a cell of rows with two elements each, the first a name
} field_kind;

#define TD_REQUIRED "required"  // as `fallback`: there is no default, the user must write it

typedef struct td_field {
  const char* path;  // "joint.dof.spring.coeff"; children follow their parent in the table
  field_kind kind;
  const char* shape;     // alternatives "1", "1x3", "nx1|nx6", "3x3xn" (n: one row, or one for each
                         // repeated element); "" any
  const char* fallback;  // default as shown and, for numbers, as evaluated; "" none, or TD_REQUIRED
  const char* unit;      // "m", "kg m^2", ""
  unsigned depends;      // allowed td_depends; 0: known while loading
  const char* special;  // "inf": may be inf (a DOF); "nan": may be nan (from the initial geometry);
                        // "limit": may be inf or -inf; "hard": may be inf
  const char*
      options;  // allowed words or integers separated by '|', or a range "> 0", ">= 1", "(0,1]"
  const char* text;  // one sentence for the manual
} td_field;

// Another accepted spelling of a field.
typedef struct td_alias {
  const char* path;     // "joint.spring.comp"
  const char* meaning;  // "joint.spring.compr"
} td_alias;

extern const td_alias td_aliases[];
extern const int td_alias_count;

// The row with a path in one table, whose last row has none; NULL when unknown.
const td_field* td_field_in(const td_field* table, const char* path);
// The name without its parents: "coeff" of "joint.dof.spring.coeff".
const char* td_field_name(const td_field* field);
// The fallback as a number; NaN when it is not one number, or the field is NULL.
double td_field_default(const td_field* field);
// Is `word` among the options of a string field?  Without options every word is.
bool td_field_has_option(const td_field* field, const char* word);
// May a part of a rod (rod(k).part(i)) have this field of its rod too?
bool td_field_of_part(const char* name);
// The value of the field at `path` in element i of the structure `s` that holds it, under whichever
// spelling the user wrote; NULL when absent or empty.
const value* td_field_get(const value* s, int i, const char* path);

// How a matrix is read: as the first alternative of the shape that it fits, with n = 1 or the
// number of repeated elements given (0: not known, any).  A vector may also lie the other way, a
// column where a row is meant; rows and cols are those meant, and element (i,j) is x[i + rows*j]
// either way.
typedef struct td_fit {
  bool ok;
  int rows, cols, pages;
} td_fit;
td_fit td_field_fit(const char* shape, const value* v, int n);

// A list "a|b|c" as "a, b or c", each between `quote`s ("" for none).
void td_field_alternatives(td_text* out, const char* list, const char* quote);

#endif
