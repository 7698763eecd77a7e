// What the language and the builder ask of each kind of hop (TD_HOPS): the fields of joints in
// which users write it, and its builder, in model/build_<kind>.c.  Most kinds have none: they are
// written by `tr` and `type` (build_joint.c), or are steps of rods.
#ifndef TD_HOP_WORDS_H
#define TD_HOP_WORDS_H

#include "model/fields.h"
#include "model/model.h"

struct builder;

typedef struct hop_words {
  // Rows of the field table, "joint.curve", with a last one without a path; NULL: none, and nothing
  // below.
  const td_field* fields;
  // Rules for joint i, of which the single fields are right.
  void (*check)(td_spec* spec, const value* s, int i, const char* name);
  // Add its items to a main joint, behind those of `tr` and before those of `type`.
  td_status (*items)(struct builder* b, int joint);
  // Complete a hop that was made of such an item.
  td_status (*finish)(struct builder* b, int joint, int hop);
} hop_words;

#define X(kind, name, ...) extern const hop_words td_hop_words_##name;
TD_HOPS(X)
#undef X
extern const hop_words* const td_hop_words[HOP_KINDS];

#endif
