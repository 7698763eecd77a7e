// Functions: function values (@name and @(x) ... with the variables that it captures), and calls of
// functions of the text, function values and built-in functions.
#include <string.h>

#include "lang/eval.h"

// ---- functions as values ----------------------------------------------------------------------

// Target of a function value
typedef struct handle {
  const ast* lambda;  // @(x) ...; NULL for @name
  const char* name;
  char* owned;         // the name, if it does not belong to a syntax tree
  const char** names;  // captured variables (n) and their values
  value** held;
  int n;
} handle;

// Free what a function value refers to.
static void handle_free(void* p) {
  handle* h = p;
  for (int i = 0; i < h->n; i++) td_value_drop(h->held[i]);
  free((void*)h->names);
  free(h->held);
  free(h->owned);
  free(h);
}

// Capture the value of a variable that the body of @(x) ... uses, once; its parameters are not
// captured.  False: no memory.
static bool capture_name(lang* L, handle* h, const char* name) {
  variable* var = td_scope_find(L->scope, name);
  if (!var || !var->v) return true;
  for (int i = 0; i < h->lambda->n; i++)
    if (strcmp(h->lambda->list[i]->text, name) == 0) return true;
  var->read = true;
  for (int i = 0; i < h->n; i++)
    if (strcmp(h->names[i], name) == 0) return true;

  const char** names = realloc((void*)h->names, (size_t)(h->n + 1) * sizeof *names);
  if (names) h->names = names;
  value** held = realloc(h->held, (size_t)(h->n + 1) * sizeof *held);
  if (held) h->held = held;
  if (!names || !held) return false;
  names[h->n] = var->name;
  held[h->n++] = td_value_hold(var->v);
  return true;
}

// Capture all variables that an expression uses.
static bool capture_names(lang* L, handle* h, const ast* node) {
  if (!node) return true;
  if (!td_spend(L, 1 + h->n / 4, node->at)) return false;
  if (node->kind == AST_NAME && !capture_name(L, h, node->text)) return false;
  for (int i = 0; i < node->n; i++) {
    if (!capture_names(L, h, node->list[i])) return false;
  }
  return capture_names(L, h, node->a) && capture_names(L, h, node->b) &&
         capture_names(L, h, node->c);
}

// Function value of @(x) ... or @name.
value* td_capture(lang* L, const ast* node) {
  handle* h = calloc(1, sizeof *h);
  if (!h) return td_no_memory(L, node->at);
  h->name = node->text;
  bool ok = true;
  if (node->kind == AST_LAMBDA) {
    h->lambda = node;
    ok = capture_names(L, h, node->a);
  }

  // the value is as deep as what it holds, plus one
  int depth = 0;
  for (int i = 0; i < h->n; i++) depth = max_int(depth, h->held[i]->depth);
  value* v = ok ? td_value_func(h, handle_free) : NULL;
  if (!v) {
    handle_free(h);
    return td_no_memory(L, node->at);
  }
  v->depth = depth + 1;
  if (v->depth < TD_VALUE_DEPTH) return td_metered(L, v, node->at);
  td_value_drop(v);
  return td_fail(L, node->at, "functions are nested deeper than %d", TD_VALUE_DEPTH);
}

// Function value of a name.
value* td_named_function(lang* L, const char* name, td_span at) {
  handle* h = calloc(1, sizeof *h);
  if (h) h->name = h->owned = td_strdup(name);
  value* v = h && h->owned ? td_value_func(h, handle_free) : NULL;
  if (!v && h) handle_free(h);
  return v ? td_metered(L, v, at) : td_no_memory(L, at);
}

const char* td_function_name(const value* f) {
  const handle* h = f->func;
  return h->lambda ? NULL : h->name;
}

// ---- calls ------------------------------------------------------------------------------------

// Count a call; false: calls are nested too deep.
static bool enter_call(lang* L, td_span at) {
  if (L->calls >= TD_CALL_LIMIT) {
    td_fail(L, at, "functions call each other more than %d deep", TD_CALL_LIMIT);
    return false;
  }
  L->calls++;
  return true;
}

// Give a variable of a scope a value.
static bool bind(lang* L, scope* s, const char* name, value* v, td_span at) {
  variable* var = td_scope_make(s, name);
  if (!var) return td_no_memory(L, at) != NULL;
  td_value_drop(var->v);
  var->v = td_value_hold(v);
  var->at = at;
  return true;
}

// True if the last parameter of a function is `varargin`.
static bool takes_rest(const ast* f) {
  return f->n > 0 && strcmp(f->list[f->n - 1]->text, "varargin") == 0;
}

// Check that a function takes n arguments.
static bool check_count(lang* L, const ast* f, int n, td_span at) {
  if (n <= f->n || takes_rest(f)) return true;
  td_fail(L, at, "%s takes %d argument%s, got %d", f->kind == AST_LAMBDA ? "the function" : f->text,
          f->n, f->n == 1 ? "" : "s", n);
  return false;
}

// Give the parameters of f the arguments.  `varargin`, the last parameter, takes those that the
// others leave; `~` takes none.
static bool bind_arguments(lang* L, scope* s, const ast* f, const values* args, td_span at) {
  const bool rest = takes_rest(f);
  const int plain = rest ? min_int(args->n, f->n - 1) : args->n;
  for (int i = 0; i < plain; i++) {
    const char* name = f->list[i]->text;
    if (strcmp(name, "~") != 0 && !bind(L, s, name, args->v[i], args->at[i])) return false;
  }

  if (!rest) return true;

  value* more = td_cell(L, args->n > plain, args->n - plain, at);
  for (int i = plain; more && i < args->n; i++)
    td_value_put(more, &more->slots[i - plain], td_value_hold(args->v[i]));
  const bool ok = more && bind(L, s, "varargin", more, at);
  td_value_drop(more);
  return ok;
}

// Fail without a message because the value of a variable is not known: an error was reported
// before, or the program that gives it is not called here.
bool td_is_unknown(lang* L, const variable* var) {
  if (var->skipped) L->skipping = var->name;
  return false;
}

// Collect the results of a function of the file from its output variables.
static bool collect(lang* L, const ast* f, scope* local, int nout, td_span at, values* out) {
  const int n = min_int(max_int(1, nout), f->nout);
  for (int i = 0; i < n; i++) {
    const variable* var = td_scope_find(local, f->outs[i]->text);
    if (var && var->poisoned) return td_is_unknown(L, var);
    if (!var || !var->v) {
      if (i > 0 && nout <= i) return true;
      td_fail(L, at, "%s did not set its result '%s'", f->text, f->outs[i]->text);
      return false;
    }
    if (!td_values_add(L, out, td_value_hold(var->v), at)) return false;
  }
  return true;
}

// Call a function of the file in a scope of its own.
bool td_call_user(lang* L, const ast* f, values* args, int nout, td_span at, values* out) {
  if (!check_count(L, f, args->n, at)) return false;
  if (nout > max_int(1, f->nout)) {
    return td_fail(L, at, "%s gives %d result%s, %d are wanted", f->text, f->nout,
                   f->nout == 1 ? "" : "s", nout) != NULL;
  }
  if (!td_spend(L, 80 + 20L * (args->n + nout), at) || !enter_call(L, at)) return false;

  // a scope of its own with nargin, nargout and the arguments
  scope local = {0};
  scope* old = L->scope;
  value *nargin = td_scalar(L, args->n, at), *nargout = td_scalar(L, nout, at);
  bool ok = nargin && nargout && bind(L, &local, "nargin", nargin, at) &&
            bind(L, &local, "nargout", nargout, at) && bind_arguments(L, &local, f, args, at);
  td_value_drop(nargin);
  td_value_drop(nargout);

  // its statements, then its results
  if (ok) {
    L->scope = &local;
    td_exec_block(L, f->body->list, f->body->n);
    L->scope = old;
    ok = !L->stop && collect(L, f, &local, nout, at, out);
  }
  L->calls--;
  td_scope_free(&local);
  return ok;
}

// Call @(x) ...: captured variables and arguments in a scope of its own, then its expression.
static bool call_lambda(lang* L, const handle* h, values* args, int nout, td_span at, values* out) {
  if (!check_count(L, h->lambda, args->n, at)) return false;
  if (!td_spend(L, 50 + 20L * (args->n + h->n), at) || !enter_call(L, at)) return false;
  scope local = {0};
  scope* old = L->scope;
  bool ok = true;
  for (int i = 0; ok && i < h->n; i++) ok = bind(L, &local, h->names[i], h->held[i], at);
  ok = ok && bind_arguments(L, &local, h->lambda, args, at);
  if (ok) {
    L->scope = &local;
    ok = td_eval_multi(L, h->lambda->a, nout, out);
    L->scope = old;
  }
  L->calls--;
  td_scope_free(&local);
  return ok;
}

// Does a function read the kind and the shape of its arguments alone, however large they are?
static bool reads_shape(const char* name) {
  static const char* const list[] = {
      "size",      "numel",    "length",   "isempty",  "rows",     "columns", "ndims",
      "class",     "isa",      "isscalar", "isvector", "isrow",    "isreal",  "iscolumn",
      "islogical", "ismatrix", "issquare", "isstruct", "ischar",   "iscell",  "isnumeric",
      "isfield",   "feval",    "deal",     "getfield", "setfield", "struct"};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    if (strcmp(list[k], name) == 0) return true;
  return false;
}

// Call a built-in function and append its results.
bool td_call_builtin(lang* L, const builtin* b, values* args, int nout, td_span at, values* out) {
  if (args->n < b->min || (b->max >= 0 && args->n > b->max)) {
    return td_fail(L, at, "%s called with %d argument%s", b->form, args->n,
                   args->n == 1 ? "" : "s") != NULL;
  }

  if (nout > TD_CALL_RESULTS + 1)
    return td_fail(L, at, "%s does not give %d results", b->name, nout) != NULL;
  const bool no_result = b->op == TD_NO_RESULT;
  if (no_result && nout > 0) return td_fail(L, at, "%s gives no value", b->name) != NULL;

  // charge the work of reading the arguments once; functions that do more charge it themselves
  enum { FEW = 32 };
  long read = 40;
  for (int i = 0; i < args->n; i++) {
    const int count = td_value_count(args->v[i]);
    if (args->v[i]->kind == V_STR)
      read += args->v[i]->cols / 16;
    else if (count > FEW && !reads_shape(b->name))
      read += count / 8;
  }
  if (!td_spend(L, read, at)) return false;
  call c = {.name = b->name,
            .at = at,
            .argv = args->v,
            .arg_at = args->at,
            .argc = args->n,
            .nout = nout,
            .row = b};

  // the first result, and those after it that are wanted
  value* first = b->fn(L, &c);
  if (no_result) return !L->stop;
  bool ok = first && td_values_add(L, out, first, at);

  for (int i = 0; i < TD_CALL_RESULTS; i++) {
    if (!c.more[i]) continue;
    if (ok && i + 1 < max_int(1, nout)) {
      ok = td_values_add(L, out, c.more[i], at);
    } else {
      td_value_drop(c.more[i]);
    }
  }

  if (ok && out->n < nout && nout > 1)
    ok = td_fail(L, at, "%s does not give %d results", b->name, nout) != NULL;
  return ok;
}

// Find a function of the user: one of this text or, where a built-in function has the name, one in
// a file of that name beside it.  sin, exp, ... are never replaced: the packages have a program
// exp.m. False after a message; *user is -1 if there is none.
bool td_find_user(lang* L, const char* name, td_span at, int* user) {
  *user = td_map_find(&L->functions, name);
  const int b = *user < 0 ? td_map_find(&L->builtins, name) : -1;
  if (b < 0) return true;
  const builtin* row = L->builtin_list[b];
  for (const builtin* p = td_builtin_elementary; p->name; p++)
    if (p == row) return true;
  if (!td_function_beside(L, row->name, at)) return false;
  *user = td_map_find(&L->functions, name);
  return true;
}

// Call a function value: @(x) ..., or a function by its name.
bool td_call_value(lang* L, const value* f, values* args, int nout, td_span at, values* out) {
  const handle* h = f->func;
  if (h->lambda) return call_lambda(L, h, args, nout, at, out);

  // a function of the user, a built-in one, or one in a file of its own
  int user;
  if (!td_find_user(L, h->name, at, &user)) return false;
  const int b = user < 0 ? td_map_find(&L->builtins, h->name) : -1;
  bool found = false;
  if (user < 0 && b < 0 && !td_is_program_name(h->name)) {
    if (!td_include_beside(L, h->name, at, &found)) return false;
    user = td_map_find(&L->functions, h->name);
  }
  if (user >= 0) return td_call_user(L, L->function_list[user], args, nout, at, out);
  if (b >= 0) return td_call_builtin(L, L->builtin_list[b], args, nout, at, out);
  if (td_is_program_name(h->name)) return td_skip_call(L, h->name, at);

  // unknown: tell what to write instead
  const char* instead = td_matlab_function(h->name);
  if (instead) {
    td_fail(L, at, "unknown function '%s': the model language does not have it", h->name);
    td_hint(L->diags, "instead of this function of MATLAB: %s", instead);
    return false;
  }
  td_fail(L, at, "unknown function '%s'", h->name);
  td_suggest_name(L, h->name);
  return false;
}
