// Table of the kinds of hops (TD_HOPS) for language and builder: the fields of joints in which
// users write a kind, and its builder, in model/build_<kind>.c.  Most kinds have none: they are
// written by `tr` and `type` (build_joint.c), or are steps of rods.
#ifndef TD_HOP_WORDS_H
#define TD_HOP_WORDS_H

#include "model/field.h"
#include "model/model.h"

struct builder;
struct item;

typedef struct hop_words {
  // Rows of the field table, "joint.curve", with a last one without a path; NULL: none, and nothing
  // below.
  const td_field* fields;
  // Rules for joint i, of which the single fields are right.
  void (*check)(td_spec* spec, const value* s, int i, const char* name);
  // Fill in the item of a main joint, behind those of `tr` and before those of `type`; `ndof` stays
  // 0 where the joint has none.
  td_status (*item)(struct builder* b, int joint, struct item* it);
  // Complete a hop that was made of such an item.
  td_status (*finish)(struct builder* b, int joint, int hop);
} hop_words;

#define X(kind, name, ...) extern const hop_words td_hop_words_##name;
TD_HOPS(X)
#undef X
extern const hop_words* const td_hop_words[HOP_KINDS];

#endif
