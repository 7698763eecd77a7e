// Shared by td_spec_check (check.c) and the rules of single fields and structures.
#ifndef TD_RULES_H
#define TD_RULES_H

#include "model/field.h"

// A stretch of a rod; its length is NaN when there is none or it is not known.
typedef struct stretch {
  double from, length;
  bool coords;  // its strains are written out: initial values are coordinates
  bool moves;   // from and length follow parameters
  ex from_ex, length_ex;
} stretch;

// Expressions of arc length are judged at both ends and in the middle: k = 0, 1, 2.
static inline double stretch_arc(stretch s, int k) { return s.from + 0.5 * k * s.length; }
// The same as an expression of parameters; EX_NONE where there is no rod.
ex td_stretch_ex(td_spec* spec, stretch s, int k);

// A value under check, named as the user writes it.
typedef struct checked {
  const td_field* field;
  const value* v;
  const char* name;  // "joint(2).dof(1).spring.coeff"
  td_span at;        // where the value was written
  td_fit fit;        // numbers: how the matrix is read
  stretch along;     // of the rod or part it belongs to
} checked;

// Element i (linear) when it is a known number; false for an expression.
bool td_check_constant(const td_spec* spec, const value* v, int i, double* x);
// Element i when it is a number or follows from parameters, at their present values.  What shapes
// the model is read by td_check_constant instead: parameters may change.
bool td_check_known(const td_spec* spec, const value* v, int i, double* x);
// The same where it may depend on arc length too, at an arc length; false when it does and the arc
// length is NaN.
bool td_check_along(const td_spec* spec, const value* v, int i, double arc, double* x);
// Keep a rule for the values that parameters get later, if its numbers follow from parameters
// alone: a finite number from `low` (`open`: above it) to `high`; an n x n matrix.  `rule` is the
// message up to the number that breaks it, `unit` what follows that number.
void td_bound_range(td_spec* spec, ex e, double low, bool open, double high, const char* rule,
                    const char* unit);
void td_bound_matrix(td_spec* spec, bound_kind kind, const ex* e, int n, const char* rule);
// Element i of a value at an arc length (EX_NONE: there is none).
ex td_bound_at(td_spec* spec, const value* v, int i, ex arc);
// Where element i of a structure was first written; the next one that was, when it was not.
td_span td_check_element_at(const td_diags* diags, const value* s, int i);
// Where a field of element i was written; where the element was when it has no such field.
td_span td_check_field_at(const td_diags* diags, const value* s, int i, const char* field);
// Warn that a field of element i called `name`, if it is written, has no effect because of `why`.
void td_check_unused(td_spec* spec, const value* s, int i, const char* name, const char* field,
                     const char* why);
// Was nothing written to element i (from 0)?
bool td_check_is_empty(const value* s, int i);
// Elements that a list inside an element may have (rod(1).part): each brings a degree of freedom or a
// step of the tree, and one tree cannot have more.
int td_nested_limit(const td_spec* spec);
// Report the elements from i on that nothing was written to, in one message; returns how many.
int td_check_gap(td_diags* diags, const value* s, int i, const char* root, const char* roots);

// Rules of single values that several structures share (rules.c).
void td_check_inertias(td_spec* spec, const checked* c);        // 3x3 about the centre of mass
void td_check_rotation(td_spec* spec, const checked* c);        // four numbers: angle and axis
void td_check_place_rotation(td_spec* spec, const checked* c);  // four numbers: a quaternion
void td_check_directions(td_spec* spec, const checked* c);      // rows of three numbers, not zero
void td_check_axes(td_spec* spec, const checked* c);            // directions that are not parallel
void td_check_section_matrix(td_spec* spec, const checked* c);  // symmetric, not negative
void td_check_drag_matrix(td_spec* spec, const checked* c);     // takes energy (build_fluid.c)
void td_check_weights(td_spec* spec, const checked* c);         // nodes and weights of a quadrature
// type, axis and pitch of a joint belong together (build_joint.c).
void td_check_joint_type(td_spec* spec, const value* s, int i, const char* name);
// `fluid` of a body, a rod or a mesh has an effect; a rod in a fluid has a section (build_fluid.c).
void td_check_in_fluid(td_spec* spec, const value* s, int i, const char* name);
void td_check_rod_in_fluid(td_spec* spec, const value* s, int i, const char* name);
void td_check_mesh_in_fluid(td_spec* spec, const value* s, int i, const char* name);
// Number k of a value at an arc length, `fallback` when it is NULL; false: not known.
bool td_check_number(const td_spec* spec, const value* v, int k, double arc, double fallback,
                     double* x);
// Is a point of the section of rod i (from 0) inside its outline?  True when it is not known.
bool td_check_inside(td_spec* spec, int rod, double arc, const double* x);
// The whole rod(i), from 0, and its length; NaN when it is not known.
stretch td_check_rod(td_spec* spec, int i);
double td_check_rod_length(td_spec* spec, int i);
// The stretch that is part k of rod(i), both from 0, behind that of the part before it (NULL: none).
stretch td_check_part(td_spec* spec, int i, int k, const stretch* before);
// Keep the rule that [from, to] is a range of rod(i), from 0, for what is called `name` (NULL: 0
// and the rod's length).
void td_check_range_stays(td_spec* spec, int i, const value* from, const value* to,
                          const char* name);
// How many rods there are, and that they have no more degrees of freedom together than a model may
// have.
int td_check_rod_count(const td_spec* spec);
void td_check_rods(td_spec* spec);
// Warn about bodies that get the published default, a mass of next to nothing.
void td_check_masses(td_spec* spec);
// Every internal state has a finite initial value, a name of its own and one rate.
void td_check_internals(td_spec* spec);
// Names and the list of outputs.  TD_OK or TD_E_NOMEM.
td_status td_check_names(td_spec* spec);

#endif
