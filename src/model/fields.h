// The fields of the model's structures: one table drives error hints, shape and dependency checks, defaults and the
// reference page docs/reference.md.
#ifndef TD_FIELDS_H
#define TD_FIELDS_H

#include "spec.h"

typedef enum field_kind {
  FIELD_NUM,      // a real matrix, numbers or expressions
  FIELD_FLAG,     // 0 or 1
  FIELD_INT,      // integers
  FIELD_STR,
  FIELD_STRUCT,   // 1x1
  FIELD_STRUCTS,  // array
  FIELD_PLACE,    // a body number, [body element ...], or a reference at(...)
  FIELD_LIST      // a cell of strings, or one string
} field_kind;

typedef struct td_field {
  const char* path;      // "joint.dof.spring.coeff"
  field_kind kind;
  const char* shape;     // alternatives: "1", "1x3", "nx1", "nx6", "3x3xn", "1x2|1x3|1x4" (n: rows, one per repeated element or 1)
  const char* fallback;  // default as shown and, for numbers, as evaluated; "" none
  const char* unit;      // "m", "kg m^2", ""
  unsigned depends;      // allowed td_depends
  const char* special;   // "inf": may be inf (a DOF); "nan": may be nan (from the initial geometry); "" neither
  const char* options;   // for strings: allowed words separated by '|', else ""
  const char* text;      // one sentence for the manual
} td_field;

extern const td_field td_fields[];
extern const int td_field_count;

// Exact path, e.g. "joint.dof"; NULL when unknown.
const td_field* td_field_find(const char* path);
// Report an unknown field `name` of `parent` ("joint", "joint.dof") at a place, with the nearest name and the list.
void td_field_unknown(td_diags* diags, const char* parent, const char* name, td_span at);
// Structures of later issues: if `root` is one (rod, cable, ...), what to tell the user; else NULL.
const char* td_field_refused(const char* root);
// Is it a structure of the model at all (world, body, ...)?
bool td_field_is_root(const char* name);
// Write docs/reference.md.
void td_fields_manual(td_text* out);

#endif
