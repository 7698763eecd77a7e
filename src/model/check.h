// Checks of a spec, for check.c, which walks its structures, and check_value.c, which judges
// values.
#ifndef TD_CHECK_H
#define TD_CHECK_H

#include "model/structure.h"

enum { NAME_SIZE = 128 };  // "joint(2147483647).dof(2147483647).spring.compr(2147483647)" fits

// Where the walk along the field table is.
typedef struct walk {
  td_spec* spec;
  const td_structure* structure;  // the root structure at hand
  int repeated;                   // elements of the joint or load at hand, 0: not known here
  int rod;                        // the rod at hand, from 0
  stretch along;                  // the rod, its part or the chamber's rod at hand
  bool partial;  // statements about the structure at hand failed: what is absent is no news
} walk;

// Write a name.  One that is too long for its buffer, which no name of the table is, is cut.
void td_write_name(char* out, size_t size, const char* format, ...) TD_PRINTF(3, 4);

// Check a value by the row of its field: numbers by shape, dependence and range, then by the rules
// of their structure; words; places on bodies and rods; lists of places; nodes of a mesh.
void td_check_numbers(const walk* w, checked* c);
void td_check_word(td_spec* spec, const checked* c);
void td_check_place(td_spec* spec, const checked* c);
void td_check_places(td_spec* spec, const checked* c);
void td_check_nodes(td_spec* spec, const checked* c);

#endif
