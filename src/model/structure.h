// The structures of the model language.  A structure has its fields, its rules and its chapter of
// the manual in one place, td_structure_<name>, in the file of its builder where it has one;
// without it the library does not link.  A kind of force may bring a structure of its own
// (force_words.h).
#ifndef TD_STRUCTURE_H
#define TD_STRUCTURE_H

#include "model/field_rows.h"
#include "model/rules.h"

// in the order in which messages list them; the manual has them in the same order, `par` last
#define TD_STRUCTURES(X) \
  X(par)                 \
  X(world)               \
  X(body)                \
  X(fluid)               \
  X(joint)               \
  X(rod)                 \
  X(chamber)             \
  X(cable)               \
  X(contact)             \
  X(mesh)                \
  X(exload)              \
  X(dynamics)            \
  X(sensor)              \
  X(output)              \
  X(event)               \
  X(control)             \
  X(task)                \
  X(fit)                 \
  X(prior)

// A rule of mechanics that a field obeys beyond its kind, shape and range.
typedef struct td_rule {
  const char* path;  // "contact.normal"
  // Judges one value, whose kind and shape are right.
  void (*value)(td_spec* spec, const checked* c);
  // Judges fields of element i of a structure that must agree with each other.
  void (*element)(td_spec* spec, const value* s, int i, const char* name);
} td_rule;

typedef struct td_structure {
  const td_field* fields;  // rows with itself first, and a last one without a path
  const td_rule* rules;    // with a last one without a path; NULL: none
  const char* plural;      // "contacts", which are numbered without gaps; NULL: not judged here
  const char *intro, *example;  // its chapter of the manual
} td_structure;

#define X(name) extern const td_structure td_structure_##name;
TD_STRUCTURES(X)
#undef X

enum {
#define X(name) STRUCTURE_##name,
  TD_STRUCTURES(X)
#undef X
      STRUCTURES
};

// Structure k of the list, then those of the forces; NULL beyond the last.
const td_structure* td_structure_at(int k);

#endif
