// What td_spec_check (check.c) and the rules of single fields and structures (rules.c) share.
#ifndef TD_RULES_H
#define TD_RULES_H

#include "fields.h"

// A value under check, named as the user writes it.
typedef struct checked {
  const td_field* field;
  const value* v;
  const char* name;  // "joint(2).dof(1).spring.coeff"
  td_span at;        // where the value was written
  td_fit fit;        // numbers: how the matrix is read
} checked;

// Element i (linear) when it is a known number; false for an expression.
bool td_check_constant(const td_spec* spec, const value* v, int i, double* x);
// Where element i of a structure was first written; the next one that was, when it was not.
td_span td_check_element_at(const value* s, int i);

// Mechanics of one value: inertias, rotations, axes.  The kind and the shape are right.
void td_check_value_rules(td_spec* spec, const checked* c);
// Fields of element i of a structure that must agree with each other.
void td_check_element_rules(td_spec* spec, const td_field* field, const value* s, int i,
                            const char* name);
// Names and the list of outputs.  TD_OK or TD_E_NOMEM.
td_status td_check_names(td_spec* spec);

#endif
