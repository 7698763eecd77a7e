// The spec: values of the model's structures with source positions, the expression graph they live
// in, and what the language registered on the way (parameters, inputs, sensors).
#ifndef TD_SPEC_H
#define TD_SPEC_H

#include <math.h>

#include "base/diag.h"
#include "expr/expr.h"
#include "model/bound.h"
#include "model/refine.h"
#include "model/sensor.h"
#include "model/value.h"
#include "model/wire.h"

// The range of a parameter or an input: -inf and inf where none is written.
typedef struct spec_range {
  double low, high;
  bool logarithmic;  // counts by factors
} spec_range;
static inline spec_range td_range_none(void) {
  return (spec_range){.low = -INFINITY, .high = INFINITY};
}

typedef struct spec_param {
  char* name;
  spec_range range;
  int var;          // variable in the graph; -1 for a string parameter
  double value;     // default or override
  char* text;       // string parameters
  bool structural;  // its value was used while loading
  char why[128];    // and for what first
  bool from_syms;   // made by par.sym / par.var
  td_span at;
} spec_param;

typedef struct spec_input {
  char* name;
  spec_range range;
  int var;
  double value;  // default
  td_span at;
} spec_input;

// A first-order state beside positions and velocities; `dynamics` gives its rate.
typedef struct spec_internal {
  char* name;
  int var;
  ex init;  // initial value, an expression of parameters
  td_span at;
} spec_internal;

// A rule that numbers made of parameters obey, kept for the values that parameters get later.
typedef struct spec_bound {
  bound_kind kind;
  ex* e;  // what it is about: 1 number, or the n x n of a matrix by columns
  int n;
  double low, high;   // BOUND_RANGE
  bool open;          // `low` itself is excluded
  char *rule, *unit;  // "rod(1).E must be positive, got " and " Pa"; unit is NULL for matrices
} spec_bound;

typedef struct spec_sensor_var {
  td_sensor_ref ref;
  int var;
  td_span at;  // first use
} spec_sensor_var;

typedef struct spec_override {
  char *name, *text;
  bool used;
} spec_override;

// Limits to the cost of one description.  td_spec_new() sets the defaults; hosts with less patience
// lower them before loading.
typedef struct td_limits {
  long work;      // units of work of the language: statements, operations, elements
  size_t memory;  // bytes of its values
  int bodies;     // bodies, repeated ones counted each
  int dofs;       // degrees of freedom and constraint rows together
  int dense;      // the same of a model that is no network: its matrices are dense
  int parts;      // forces, sensor components, fixed transformations: of each
  int nodes;      // of all meshes together; edges four times as many
} td_limits;
td_limits td_limits_default(void);

struct td_spec {
  td_limits limits;
  td_diags diags;
  td_exprs* graph;
  int time_var;       // variable `t`
  int arc_var;        // variable `s`, the arc length of a rod
  int strain_var[6];  // strains of a section, in its energy
  int here_var[3];    // place of the point at hand (`here`), 0: not used
  value* root;        // 1x1 struct: world, body, joint, exload, par, sensor, output, event, ...
  unsigned partial;   // bit k: a statement about its field k failed, so that parts may be missing
#define TD_PARTIAL_ABSENT (1u << 31)  // all statements about some field failed
  spec_param* params;
  int nparam, param_cap;
  spec_input* inputs;
  int ninput, input_cap;
  spec_internal* internals;
  int ninternal, internal_cap;
  spec_bound* bounds;  // made by td_spec_check
  int nbound, bound_cap;
  spec_sensor_var* sensors;
  int nsensor, sensor_cap;
  spec_override* overrides;
  int noverride, override_cap;
  bool beyond;         // overrides may leave the ranges
  char settling[128];  // what values of parameters are used for at present (td_spec_settle)
  spec_refine refine;  // not on: the rods are as they are written
  td_wire* wires;      // geometry of the meshes that come from files, by mesh; others are empty
  int nwire;
  td_status (*read_wires)(td_spec* spec);  // how to fill them, NULL: no files
  void* language;                          // the workspace of src/lang, kept between loads
  void (*language_free)(void* language);
  void (*language_check)(void* language);  // warnings that need the whole text; may be NULL
  char** readable;  // folders and files that texts may read, as realpath gives them
  int nreadable, readable_cap;
  bool read_all;
  td_text rendered;  // for td_spec_messages
  td_text printed;   // what disp and fprintf wrote
};

// May a text read this file?  One that does not exist is judged by the folder it would lie in.
bool td_spec_may_read(const td_spec* spec, const char* path);

// The variable of a sensor component; made at first use.  -1 when out of memory.
int td_spec_sensor(td_spec* spec, const td_sensor_ref* ref, td_span at);
// Make the variables of `here`; false: no memory.
bool td_spec_here(td_spec* spec);
// Register a parameter (its override applied) or an input; same name twice gives the same one.
// range: NULL: none is written
spec_param* td_spec_param(td_spec* spec, const char* name, double value, const char* text,
                          const spec_range* range, td_span at);
spec_param* td_spec_param_find(td_spec* spec, const char* name);  // NULL: none
// Register a parameter that stands for a variable already in the graph (`syms`); text as above.
spec_param* td_spec_param_var(td_spec* spec, const char* name, int var, double value,
                              const char* text, const spec_range* range, td_span at);
spec_input* td_spec_input(td_spec* spec, const char* name, double value, const spec_range* range,
                          td_span at);
// Register an internal state; NULL: no memory.  The caller has made sure that the name is new.
spec_internal* td_spec_internal(td_spec* spec, const char* name, ex init, td_span at);
spec_internal* td_spec_internal_find(td_spec* spec, const char* name);  // NULL: none

// Check every structure against the field table (fields.h): unknown fields, kinds, shapes, finite
// values, what may depend on what.  Adds messages; TD_E_MODEL when there are errors.
td_status td_spec_check(td_spec* spec);

// Value of an expression of parameters, at an arc length where it depends on that too (NaN: there
// is none); false when it depends on anything else.
bool td_spec_evaluate(const td_spec* spec, ex e, double arc, double* x);

// Are four fixed numbers [0 x y z] the vector part of a unit quaternion: a 0 that is written out,
// then expressions, or numbers of which not all are 0 and whose norm is below 1?
bool td_is_vector_part(const td_spec* spec, const value* rot);
// Forget the bounds of an earlier check.
void td_bounds_clear(td_spec* spec);

// Make room for the wires of n meshes, all empty.
td_status td_spec_wires(td_spec* spec, int n);

// A number that shapes the structure: parameters take their present values and are marked
// structural.
double td_spec_settle(td_spec* spec, ex e);
// Mark a parameter as structural; `why` says what its value was used for, for messages.
void td_param_settle(spec_param* p, const char* why);

// Reading after the check.  `s` is a struct value; i from 0.  NULL when absent or empty.
const value* td_get(const value* s, int i, const char* field);
td_span td_get_at(const value* s, int i, const char* field);  // where that value was written
// A string field; the fallback when it is absent or no string.
const char* td_get_word(const value* s, int i, const char* field, const char* fallback);

#endif
