// Values of the model language and of the spec: real matrices (numbers or expressions), strings,
// struct arrays, cells, function handles and references.
//
// A value is reference-counted and shared; whoever holds the only reference may change it in place,
// everyone else gets a copy first (td_value_own).  Arrays are column-major, as users index them.
#ifndef TD_VALUE_H
#define TD_VALUE_H

#include <string.h>

#include "base/base.h"
#include "base/diag.h"
#include "expr/expr.h"

typedef struct value value;

typedef enum value_kind { V_NUM, V_STR, V_STRUCT, V_CELL, V_FUNC, V_REF } value_kind;

// A field of a struct element, or a slot of a cell, with where it was written.
typedef struct value_slot {
  value* v;         // NULL: never assigned (reads as [])
  td_span at;       // the expression that gave the value
  td_span name_at;  // the field's name where it was assigned
} value_slot;

// body(2), at(rod(1), 0.3), at(body(2), 3): a thing of the model, possibly one that is defined
// later.
typedef struct value_ref {
  char root[16];   // "body", "joint", "rod", ...
  int index;       // 1-based; 0: ground
  bool has_place;  // second argument given:
  ex place;        //   element number (body) or arc length (rod)
} value_ref;

// Bytes in use by the values of one owner.  A value that would pass the limit is not made.  Single
// numbers that were dropped are kept for the next ones: a loop makes and drops millions.
typedef struct td_meter {
  size_t used, limit;
  value* spare;  // a chain through `next`; td_meter_free() frees it
  int nspare;
} td_meter;

// How the language frees what func points to; set once per func value by its maker.
typedef void (*td_func_free)(void* func);

// Structs, cells and functions nest at most this deep, so that walking and freeing them may
// recurse.
#define TD_VALUE_DEPTH 100

struct value {
  value_kind kind;
  int refs;
  int rows, cols, pages;   // n = rows*cols*pages; strings: 1 x length
  bool logical;            // V_NUM made by a comparison; shown as such
  double* x;               // V_NUM (n): numbers; NaN where e[i] is an expression
  double one;              // V_NUM: where x points while there is room for one
  ex* e;                   // V_NUM (n) or NULL: expressions, EX_NONE where x[i] holds a number
  char* s;                 // V_STR: zero-terminated
  char** names;            // V_STRUCT: field names in order of first assignment
  int nfield;              // V_STRUCT
  value_slot* slots;       // V_STRUCT: n x nfield, slots[i*nfield + f]; V_CELL: n
  value_ref ref;           // V_REF
  void* func;              // V_FUNC: owned by the language
  td_func_free func_free;  // V_FUNC: how to free it
  int depth;               // nesting below this value: 0 for V_NUM, V_STR, V_REF
  int cap;                 // allocated elements of x and e, or slots
  size_t bytes;            // charged to the meter
  td_meter* meter;         // NULL: not metered
  value* next;             // while it is spare
};

// Constructors; NULL when out of memory or larger than TD_VALUE_LIMIT elements.
#define TD_VALUE_LIMIT 20000000
value* td_value_num(int rows, int cols, int pages);  // zeros
value* td_value_scalar(double x);
value* td_value_expr(ex e);  // 1x1 expression
value* td_value_string(const char* s, int n);
value* td_value_struct(int rows, int cols);
value* td_value_cell(int rows, int cols);
value* td_value_ref(const char* root, int index);
value* td_value_func(void* func, td_func_free free_func);

// Charge v, and what it grows to, to a meter that outlives it.  False: over the limit (v is still
// valid, uncharged).
bool td_value_meter(value* v, td_meter* meter);
// td_value_num() that takes a spare value of the meter if there is one; it is not charged yet.
value* td_value_renew(td_meter* meter, int rows, int cols, int pages);
void td_meter_free(td_meter* meter);  // frees the spare values, when all others are dropped

value* td_value_hold(value* v);  // one more reference; returns v
void td_value_drop(value* v);    // NULL is fine
// v if it is the only reference, else a shallow copy.  v's reference is given up, also when NULL is
// returned (no memory).
value* td_value_own(value* v);

static inline int td_value_count(const value* v) { return v->rows * v->cols * v->pages; }
// Is v, which may be NULL, a reference to an element of a structure: rod(2), at(rod(2), 0.1)?
static inline bool value_names(const value* v, const char* root) {
  return v && v->kind == V_REF && strcmp(v->ref.root, root) == 0;
}
bool td_value_is_empty(const value* v);  // NULL or no elements
// Element i as an expression handle in g (numbers become constants).
ex td_value_ex(const value* v, int i, td_exprs* g);
// Set element i of an owned V_NUM; allocates `e` when the first expression arrives; constants are
// stored in x.
bool td_value_set_ex(value* v, int i, ex e, const td_exprs* g);

// Structs.  Index i is linear, from 0.
int td_value_field(const value* s, const char* name);                // field number or -1
value_slot* td_value_slot(const value* s, int i, const char* name);  // NULL when absent
// Add a field if needed and return the slot; grows s to hold element i (row vector).  s must be
// owned.
value_slot* td_value_slot_make(value* s, int i, const char* name);
// Put v (whose reference is taken) into a slot of `owner`; false when it would nest too deep: v is
// then dropped.
bool td_value_put(value* owner, value_slot* slot, value* v);
bool td_value_resize(value* v, int rows, int cols,
                     int pages);                 // keeps elements by index; new ones 0 / unset
const char* td_value_kind_text(const value* v);  // "a number", "a matrix", "a string", ...
// The same with sizes, "a 2x3 matrix", "a 1x4 struct array"; returns `text`.
#define TD_DESCRIBE_SIZE 64
const char* td_value_describe(const value* v, char text[TD_DESCRIBE_SIZE]);

#endif
