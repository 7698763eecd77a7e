// What the language and the builder ask of each kind of force (TD_FORCES): the structure in which
// users write it, with its fields, its rules and its builder, in model/build_<kind>.c.  Most kinds
// have none: they are written in fields of joints, rods, meshes and loads (force_words.c).
#ifndef TD_FORCE_WORDS_H
#define TD_FORCE_WORDS_H

#include "model/fields.h"
#include "model/model.h"

struct builder;
struct rod_places;

typedef struct force_words {
  // Slots of its numbers whose derivatives with respect to parameters are those of forces.
  void (*numbers)(const td_model* m, bool* force);

  // Its structure: rows of the field table with a last one without a path; NULL: it has none, and nothing
  // below.
  const td_field* fields;
  const char* plural;           // "magnets"
  const char *intro, *example;  // its chapter of the manual
  // Rules for element i, of which the single fields are right.
  void (*check)(td_spec* spec, const value* s, int i, const char* name);
  td_status (*build)(struct builder* b);
  // Arc lengths of a rod at which some of them sit, and whether some act all along it.
  td_status (*places)(struct builder* b, int rod, struct rod_places* out);
  bool (*along)(const struct builder* b, int rod);
} force_words;

#define X(type, kind, text) extern const force_words td_words_##kind;
TD_FORCES(X)
#undef X
extern const force_words* const td_force_words[FORCE_KINDS];

// Those whose structure has this name, else NULL.
const force_words* td_words_of(const char* root);

#endif
