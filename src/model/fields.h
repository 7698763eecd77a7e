// The fields of all structures of the model: the tables drive error hints, shape and dependency
// checks, defaults and the reference page docs/reference.md.
#ifndef TD_FIELDS_H
#define TD_FIELDS_H

#include "model/field.h"

// All rows, table after table; NULL beyond the last.
const td_field* td_field_row(int i);

// A structure or field that a later version brings.
typedef struct td_later {
  const char* path;  // "rod", "joint.rom"
  const char* text;  // what to tell the user
} td_later;

extern const td_later td_laters[];
extern const int td_later_count;

// Exact path, e.g. "joint.dof", or another spelling of it; NULL when unknown.
const td_field* td_field_find(const char* path);
// The field `name` of `parent` (NULL: a root structure), other spellings included; NULL when
// unknown.
const td_field* td_field_child(const td_field* parent, const char* name);
// The fallback as a number, e.g. 1e-6 of "par.rtol"; NaN when it is not one number.
double td_field_number(const char* path);
// Is `word` an option of any string field, like revolute of joint.type?
bool td_field_is_option(const char* word);

// Report an unknown field `name` of `parent` ("joint", "joint.dof") at a place, with the nearest
// name and the list.
void td_field_unknown(td_diags* diags, const char* parent, const char* name, td_span at);
// Translation of a word of other programs (URDF, MJCF: mass, hinge, range); `parent` is a
// structure, "" for structures themselves, "joint.type =" for values.  NULL: not known.
const char* td_foreign_word(const char* parent, const char* word);
// Structures of later issues: if `root` is one (rod, cable, ..., joint.rom), what to tell the user;
// else NULL.
const char* td_field_refused(const char* root);
// Is it a structure of the model at all (world, body, ...)?  Structures of later versions count.
bool td_field_is_root(const char* name);
// Write docs/reference.md.
void td_fields_manual(td_text* out);

#endif
