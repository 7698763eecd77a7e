// Table of the kinds of forces (TD_FORCES) for language and builder: the structure in which users
// write a kind, with its fields, its rules and its builder, in model/build_<kind>.c.  Most kinds
// have none: they are written in fields of joints, rods, meshes and loads (force_words.c).
#ifndef TD_FORCE_WORDS_H
#define TD_FORCE_WORDS_H

#include "model/model.h"
#include "model/structure.h"

struct builder;
struct rod_places;

typedef struct force_words {
  // Slots of its numbers whose derivatives with respect to parameters are those of forces.
  void (*numbers)(const td_model* m, bool* force);

  // The structure in which users write it; NULL: it has none, and nothing below.
  const td_structure* structure;
  td_status (*build)(struct builder* b);
  // Arc lengths of a rod at which some of them sit, and whether some act all along it.
  td_status (*places)(struct builder* b, int rod, struct rod_places* out);
  bool (*along)(const struct builder* b, int rod);
} force_words;

#define X(type, kind, text) extern const force_words td_words_##kind;
TD_FORCES(X)
#undef X
extern const force_words* const td_force_words[FORCE_KINDS];

#endif
