// Internals of the interpreter of the model language: its state; how values are computed, indexed
// and assigned; how built-in functions are called.
//
// Conventions.  A function that returns a value* returns a new reference, or NULL after it has
// reported why (or silently, if the cause was reported before).  Arguments are borrowed.  To add a
// built-in function: a row in the table of a builtin_*.c, with its function beside it.
#ifndef TD_EVAL_H
#define TD_EVAL_H

#include "lang/ast.h"
#include "model/spec.h"

// ---- names ------------------------------------------------------------------------------------

// Hash map from names to numbers.  Keys are borrowed and must outlive the map.
typedef struct map {
  const char** key;
  int* item;
  int n, cap;  // cap is 0 or a power of two
} map;
int td_map_find(const map* m, const char* key);      // -1: none
bool td_map_add(map* m, const char* key, int item);  // false: no memory
void td_map_free(map* m);

typedef struct variable {
  const char* name;  // belongs to a syntax tree
  value* v;
  td_span at;     // where it was last assigned
  td_span first;  // its name where it was first assigned
  bool poisoned;  // the statement that assigns it failed: later uses fail without a message
  bool partial;   // the statement that assigns a part of it failed
  bool read;      // its value was used
  bool parts;     // created by assigning to its parts: s.x = 1, s(2) = 3
  bool borrowed;  // in a function: a global of the file
  bool skipped;   // its value, or a part of it, would come from a program that is not called
} variable;

typedef struct scope {
  map names;
  variable* list;
  int n, cap;
  bool global;
} scope;
variable* td_scope_find(const scope* s, const char* name);  // NULL: none
variable* td_scope_make(scope* s, const char* name);        // NULL: no memory
void td_scope_free(scope* s);
bool td_is_identifier(const char* s);  // letters, digits and _, a letter or _ first

// ---- state ------------------------------------------------------------------------------------

typedef struct builtin builtin;

typedef struct symbol {  // created by `syms`; a parameter once par.var gives its value
  const char* name;
  int var;
  td_span at;
  bool bound;
  bool told;  // a note has told what it means without a value
} symbol;

typedef struct pending {  // a name used before a body or joint has it; stored as index -(k + 1)
  char* name;
  char root;  // 'b' or 'j'
  td_span at;
} pending;

typedef enum flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN, FLOW_STOP } flow;

// Limits in addition to the work and memory of td_spec.limits
#define TD_STRING_LIMIT 10000000  // bytes of a string
#define TD_TEXT_LIMIT 64000000    // bytes of sources, tables
#define TD_CALL_LIMIT 100         // calls inside calls
#define TD_DEPTH_LIMIT 2500       // expressions and statements inside each other
#define TD_INCLUDE_LIMIT 20

typedef struct lang {
  td_spec* spec;
  td_exprs* g;
  td_diags* diags;
  td_meter meter;
  scope global;
  scope* scope;  // the current one

  ast_pool** pools;  // every tree parsed so far
  int npool, pool_cap;
  map functions;  // user functions
  const ast** function_list;
  int nfunction, function_cap;
  map builtins;  // into builtin_list
  const builtin** builtin_list;
  int nbuiltin, builtin_cap;
  int ntold;   // functions at the front of the list: a variable that takes their name is reported
  map beside;  // built-in functions that were searched for in files beside the text
  map roots;   // cache of td_root_kind
  map fields;  // cache of td_field_find
  const struct td_field** field_list;
  char** field_paths;
  int nfield, field_cap, field_path_cap;
  symbol* symbols;
  int nsymbol, symbol_cap;
  pending* pendings;
  int npending, pending_cap;

  const value* end_base;  // the array that `end` refers to
  int end_at, end_n;      // which index, of how many, is being evaluated
  bool in_index;

  long work;
  int depth, calls;
  bool stop;           // a limit was passed: execution ends
  bool syntax_failed;  // statements are missing, which may have assigned unknown names
  size_t text_bytes;

  // programs that are not called, data in par (modules.c)
  const char* skipping;   // the current statement needs the result of this program; NULL: no
  const char* last_skip;  // the name for which a statement was skipped last
  int skips;              // statements skipped so far
  bool loaded;            // data files were not read, which may have assigned unknown names
  bool values_missing;    // par.sym or par.var needs a value that is not known; this was reported
  int conditions;         // conditions being evaluated
  const ast* untaken;     // a branch with `syms` whose condition was false
  td_text skipped, kept;  // names for the notes at the end of a load
  int nskipped, nkept;
  int tables;       // tables of expressions so far
  int derivations;  // calls of the package that derive the robot as it is described so far
  td_span skipped_at, kept_at;

  char* including[TD_INCLUDE_LIMIT + 1];  // files being run, outermost first
  int nincluding;
} lang;

// Report an error in the model; returns NULL.
void* td_fail(lang* L, td_span at, const char* format, ...) TD_PRINTF(3, 4);
// Report that memory (or the expression graph) is exhausted and stop execution; returns NULL.
void* td_no_memory(lang* L, td_span at);
bool td_spend(lang* L, long work, td_span at);  // false: the limit is passed
// Charge the sorting of lists of n items; a comparison costs `each` operations.
bool td_spend_sort(lang* L, int lists, int n, double each, td_span at);
// Source text of a span, shortened to fit.
const char* td_excerpt(const lang* L, td_span at, char* text, int size);
// Suggest a known name near `name` for the last message.
void td_suggest_name(lang* L, const char* name);
// Advice for a function of MATLAB that the language does not have; NULL: no such function.
const char* td_matlab_function(const char* name);

// ---- values -----------------------------------------------------------------------------------

// Constructors that report sizes over the limit and missing memory at a place.
value* td_num(lang* L, double rows, double cols, double pages, td_span at);
value* td_scalar(lang* L, double x, td_span at);
value* td_logical(lang* L, bool x, td_span at);
value* td_expr(lang* L, ex e, td_span at);  // folds constants to numbers
value* td_string(lang* L, const char* s, int n, td_span at);
value* td_struct(lang* L, int rows, int cols, td_span at);
value* td_cell(lang* L, int rows, int cols, td_span at);
// Charge the memory of a new value; drops it and reports if it is over the limit.
value* td_metered(lang* L, value* v, td_span at);
// v if ok, otherwise NULL after dropping v.
static inline value* value_if(bool ok, value* v) {
  if (ok) return v;
  td_value_drop(v);
  return NULL;
}

static inline bool is_scalar(const value* v) { return td_value_count(v) == 1; }
static inline bool is_expr(const value* v, int i) { return v->e && v->e[i] != EX_NONE; }
bool td_has_expr(const value* v);
bool td_set_ex(lang* L, value* v, int i, ex e, td_span at);
// Copy element j of a value to element i of another of the same kind.
bool td_copy_element(lang* L, value* to, int i, const value* from, int j, td_span at);

// Element i as a number.  Parameters give their current value and become structural; time, states
// and inputs are errors that name `what` ("the condition", "an index").
bool td_number_at(lang* L, const value* v, int i, td_span at, const char* what, double* x);
// All of v as numbers: v itself or a new value; a new reference.
value* td_constant(lang* L, const value* v, td_span at, const char* what);
bool td_truth(lang* L, const value* v, td_span at, const char* what, bool* truth);

// A list of values with their places.
typedef struct values {
  value** v;
  td_span* at;  // in the block of v
  int n, cap;
} values;
bool td_values_add(lang* L, values* list, value* v, td_span at);  // takes the reference
void td_values_free(values* list);

// ---- evaluation -------------------------------------------------------------------------------

value* td_eval(lang* L, const ast* node);
// Evaluate to zero or more values: c{:}, s.field of an array, the results of a call (nout wanted).
bool td_eval_multi(lang* L, const ast* node, int nout, values* out);
// Evaluate the arguments of a call or the elements of a row.
bool td_eval_list(lang* L, ast* const* list, int n, values* out);
// First value, step and number of elements of a range.
bool td_range(lang* L, const ast* node, double* first, double* step, double* count);
// True if the assignment of (a part of) the variable at the root of this path failed; its errors
// are then not reported again.
bool td_is_partial(lang* L, const ast* node);
value* td_capture(lang* L, const ast* node);  // @(x) ... or @name
value* td_named_function(lang* L, const char* name, td_span at);
const char* td_function_name(const value* f);  // NULL: @(x) ...

// Find a function of the text, or of a file beside it, that goes before a built-in one of its name.
// False after a message; *user is -1 if there is none.
bool td_find_user(lang* L, const char* name, td_span at, int* user);
// Fail without a message because the value of a variable is not known; false.
bool td_is_unknown(lang* L, const variable* var);
// Call a function value, a user function, a built-in.
bool td_call_value(lang* L, const value* f, values* args, int nout, td_span at, values* out);
bool td_call_user(lang* L, const ast* function, values* args, int nout, td_span at, values* out);
bool td_call_builtin(lang* L, const builtin* b, values* args, int nout, td_span at, values* out);

value* td_unary(lang* L, ast_op op, const value* a, td_span at);
value* td_binary(lang* L, ast_op op, const value* a, const value* b, td_span at);
value* td_transpose(lang* L, const value* a, td_span at);
// Concatenate values along a dimension: 1 rows, 2 columns, 3 pages.
value* td_concat(lang* L, int dim, value* const* list, int n, td_span at);
value* td_solve(lang* L, const value* A, const value* B, td_span at);   // A \ B
value* td_matmul(lang* L, const value* a, const value* b, td_span at);  // matrix product

// Statements.
flow td_exec_block(lang* L, ast* const* list, int n);
// One assignment with its checks: `v` to the target, or what `rhs` gives when v is NULL.
bool td_assign_checked(lang* L, const ast* target, value* v, td_span at, bool erase);
void td_define_functions(lang* L, ast* const* list, int n);
bool td_run_source(lang* L, int source);  // parse and run; false: no memory
// Parse and run a file, which is recorded in `including` while it runs.
bool td_run_file(lang* L, char* path, td_span at);
bool td_include(lang* L, const char* name, td_span at);
// Run NAME.m beside the text at `at`, if there is one that may be read; false: it failed.
bool td_include_beside(lang* L, const char* name, td_span at, bool* found);
// A function file NAME.m beside the text at `at` wins over a function of the language, as in
// MATLAB: define it, once.  `name` must outlive L.  False after a message.
bool td_function_beside(lang* L, const char* name, td_span at);
// True if there is a file NAME.m beside the text at `at` that begins with `function`.
bool td_is_function_beside(lang* L, const char* name, td_span at);
// File name relative to the file that holds `at`; the caller frees it.  NULL: no memory.
char* td_relative_path(const lang* L, td_span at, const char* name);
// Read a file; the caller frees the text.  NULL after a message.
char* td_read_text(lang* L, const char* path, td_span at, int* size);

// Symbol of a name, created if there is none.
value* td_symbol(lang* L, const char* name, td_span at);

// ---- programs and data of published files -------------------------------------------------------

// True if `node` calls a program that is not part of the language.  `builtin`: a function has the
// name.
bool td_is_program(lang* L, const ast* name, const ast* node, bool builtin);
// True if `node` calls a function in a file of its own with par, body, ... as a whole.  It may be a
// program or a part of the description: it is tried, and skipped if it fails.
bool td_is_attempt(lang* L, const ast* name, const ast* node, int user, int nout);
// True if a function returns body or joint without being given it: its errors are then reported.
bool td_makes_robot(const ast* function, const ast* node);
// Skip a call; the current statement cannot be executed.  Returns false.
bool td_skip_call(lang* L, const char* name, td_span at);
void td_keep_data(lang* L, const char* name, td_span at);  // par.name, which is no setting
void td_tell_skipped(lang* L);                             // the notes, at the end of a load

// ---- indexing ---------------------------------------------------------------------------------

typedef struct index_list {
  int* at;  // from 0; NULL for a colon
  int n, one;
  int rows, cols;  // shape of the index
  bool colon;
  int highest;  // largest + 1
} index_list;

// Elements of `base` that an AST_INDEX node selects; `base` is the value of node->a.
value* td_index(lang* L, const value* base, const ast* node);
// Contents of the elements of a cell that an AST_CELLINDEX node selects.
bool td_cell_index(lang* L, const value* base, const ast* node, values* out);
// Assign to a path: a name followed by fields and indices.  `erase`: the value is a literal [].
bool td_assign(lang* L, const ast* target, value* v, td_span at, bool erase);

// ---- the model's structures -------------------------------------------------------------------

// Kind of a name of a syntax tree: no structure of the model, one of it, or one of a later version
typedef enum root_kind { ROOT_NONE, ROOT_NOW, ROOT_LATER } root_kind;
root_kind td_root_kind(lang* L, const char* name);
const struct td_field* td_field_cached(lang* L, const char* path);
// Append a field name to a path after checking that the model has it.
bool td_step_into(lang* L, char* path, int size, const char* name, td_span at);
bool td_check_struct(lang* L, const char* path, const value* v, td_span at);
void td_bind_symbols(lang* L, bool last);
// Warn about names that may mislead (names.c): a variable that hides a function or sensor of the
// same name, before it is first assigned; structures that nothing reads.
void td_warn_hiding(lang* L, const ast* name);
void td_warn_unread(void* language);
typedef struct constant {
  const char* name;
  double x;
  bool logical;
} constant;
const constant* td_constant_find(const char* name);  // pi, inf, ...; NULL: none
int td_sensor_find(const char* name);                // the sensor_kind of a name; -1: none
// Evaluate a reference: body(2), body, 'tip' or an expression that gives one; false after a
// message.
bool td_reference(lang* L, const ast* node, char about, const char* function, value_ref* ref);
bool td_is_reference(const ast* node);  // written as body(2) or body
// Replace names of bodies and joints that pointed forward by their numbers.
void td_resolve_names(lang* L);
int td_rod_named(const lang* L, const char* name);  // number of the rod of this name; 0: none yet
bool td_is_named(const lang* L, const char* name);  // whether a body or rod has this name by now
// Reference to the body or rod of a name, a string value whose reference is taken over; NULL after
// a message.
value* td_named_place(lang* L, value* name, td_span at);
value* td_here_call(lang* L, const ast* node);
value* td_sensor_call(lang* L, const char* name, const ast* call);
value* td_at_call(lang* L, const ast* call);
value* td_time(lang* L, td_span at);

// ---- built-in functions -----------------------------------------------------------------------

#define TD_NO_RESULT (-1)  // as `op` of functions like disp
#define TD_CALL_RESULTS 12
typedef struct call {
  const char* name;
  td_span at;
  value** argv;
  const td_span* arg_at;
  int argc;
  int nout;                      // results wanted
  value* more[TD_CALL_RESULTS];  // results after the first
  const builtin* row;
} call;

typedef value* (*builtin_fn)(lang* L, call* c);
struct builtin {
  const char* name;
  builtin_fn fn;
  int min, max;      // arguments; max -1: any number
  const char* form;  // "mod(x, y)", shown when the count is wrong
  int op;            // for functions that share an implementation
};
// Tables end with a row without a name.
extern const builtin td_builtin_elementary[], td_builtin_shape[], td_builtin_matrix[],
    td_builtin_other[], td_builtin_text[], td_builtin_lists[], td_builtin_words[],
    td_builtin_time[], td_builtin_sensors[], td_builtin_tables[], td_builtin_structures[],
    td_builtin_search[], td_builtin_sets[], td_builtin_numbers[], td_builtin_symbols[];
extern const builtin* const td_builtin_all[];  // all of these tables, closed by NULL

// Arguments; false after a message that names function and argument.
bool td_arg_numeric(lang* L, call* c, int k);
bool td_arg_number(lang* L, call* c, int k, double* x);
bool td_arg_int(lang* L, call* c, int k, double lo, double hi, int* x);
const char* td_arg_string(lang* L, call* c, int k);  // NULL after a message
bool td_all_numeric(lang* L, call* c);
// Element i of an argument as a value; with `contents`, what an element of a cell holds.
value* td_element(lang* L, const value* v, int i, bool contents, td_span at);
// Copy of a structure (array) without one of its fields.
value* td_without_field(lang* L, const value* s, const char* name, td_span at);
// Call the first argument, a function or the name of one, with the others.
value* td_call_first(lang* L, call* c);
// Remove the pair 'UniformOutput', value from the end of the arguments; false after a message.
bool td_uniform_option(lang* L, call* c, int from, bool* uniform);
// Apply a function of texts to the first argument, or to each text of a cell.
value* td_over_texts(lang* L, call* c, builtin_fn one);
// diff(f, x): the derivative by a symbol.
value* td_symbolic_diff(lang* L, call* c);
// sort of a cell of texts.
value* td_sort_texts(lang* L, call* c);
// Apply an operation of two operands element by element with broadcasting.
value* td_each2(lang* L, call* c, int op, const value* a, const value* b);
// Format as MATLAB's printf: the format is repeated until the arguments are used up.
bool td_format(lang* L, call* c, int k, td_text* out);
void td_show(lang* L, const value* v, td_text* out);  // as disp
bool td_print(lang* L, const char* s, int n, td_span at);

#endif
