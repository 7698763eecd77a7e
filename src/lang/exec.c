// Execution of statements.  An error skips its statement; the names that it would have assigned are
// poisoned, so that their later use fails without a further message, and execution continues with
// the next statement.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lang/eval.h"
#include "model/fields.h"

#define PATH_SIZE 256

// ---- effects of a failed statement ------------------------------------------------------------

// Check the field names along a target and store its path: "body.joint".
static bool check_target(lang* L, const ast* target, char* path, int size) {
  if (target->kind == AST_NAME) {
    snprintf(path, (size_t)size, "%s", target->text);
    return true;
  }
  if (!check_target(L, target->a, path, size)) return false;
  if (target->kind != AST_FIELD || !*path) return true;
  if (!target->b) return td_step_into(L, path, size, target->text, target->name_at);
  value* name = td_eval(L, target->b);
  bool ok = name && name->kind == V_STR;
  if (name && !ok)
    td_fail(L, target->b->at, "a field's name must be a string, got %s", td_value_kind_text(name));
  if (ok) ok = td_step_into(L, path, size, name->s, target->b->at);
  td_value_drop(name);
  return ok;
}

// The name at the root of a target.
static const ast* root_of(const ast* target) {
  while (target->kind == AST_INDEX || target->kind == AST_CELLINDEX || target->kind == AST_FIELD)
    target = target->a;
  return target;
}

// True if a path is a setting of the published package for what it does beside the robot's motion.
static bool is_package_setting(const char* path) {
  static const char* const names[] = {"par.derive", "par.mex",   "par.derive_mex",
                                      "par.fun",    "par.anim",  "par.derive_collect",
                                      "par.mov",    "par.movie", "par.post"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(names[i], path) == 0) return true;
  }
  return false;
}

// Mark a target as unknown because its value would come from a program that is not called here.  A
// structure that such a program returns as a whole (par = exp(par)) keeps its fields; whatever
// describes the robot must be known and is an error.
static void skip_target(lang* L, const ast* target, const ast* statement) {
  char path[PATH_SIZE] = "";
  const ast* root = root_of(target);
  if (root->kind != AST_NAME || strcmp(root->text, "~") == 0) return;
  const bool model = L->scope->global && td_root_kind(L, root->text) == ROOT_NOW;
  const bool called = statement->kind == AST_ASSIGN && statement->a->kind == AST_INDEX;

  // a structure as a whole: it may have more fields from now on
  if (model && target == root && called) {
    variable* whole = td_scope_find(L->scope, root->text);
    if (whole) whole->skipped = true;
    return;
  }

  // a setting of the package stays as it is; a part of the model is an error
  const char* cause = L->skipping;
  if (model && target != root) check_target(L, target, path, PATH_SIZE);
  if (is_package_setting(path)) return;
  variable* var = td_scope_make(L->scope, root->text);
  if (var) var->skipped = true;
  if (model && (*path || target == root)) {
    char what[60];
    if (strcmp(path, "par.var") == 0 || strcmp(path, "par.sym") == 0) L->values_missing = true;
    td_fail(L, target->at,
            "%s is not known: it needs '%s', which comes from a program or file not used here",
            td_excerpt(L, target->at, what, sizeof what), cause);
    td_hint(L->diags, "write its value, or use table('file.csv') for data");
  }
  if (var && !model) var->poisoned = true;

  // data in par: remove the field, whose old value is no longer valid
  const ast* field = target;
  while (field != root && field->a != root) field = field->a;
  const bool data = model && !*path && field->kind == AST_FIELD && !field->b;
  if (data && var && var->v && var->v->kind == V_STRUCT &&
      td_value_field(var->v, field->text) >= 0) {
    value* rest = td_without_field(L, var->v, field->text, target->at);
    if (!rest) return;
    td_value_drop(var->v);
    var->v = rest;
  }
}

// Mark the variable of a target as poisoned, or as partially so if the target is a part of it.
static void poison_target(lang* L, const ast* target, const ast* statement) {
  const ast* root = root_of(target);
  if (root->kind != AST_NAME || strcmp(root->text, "~") == 0) return;
  if (L->skipping) {
    skip_target(L, target, statement);
    return;
  }
  variable* var = td_scope_make(L->scope, root->text);
  if (!var) return;
  if (root == target) var->poisoned = true;
  var->partial = true;
  if (!var->v && !var->poisoned)
    var->poisoned =
        root == target || !(L->scope->global && td_root_kind(L, root->text) != ROOT_NONE);
}

// Poison everything that a statement would assign.
static void poison(lang* L, const ast* node) {
  if (!node || node->kind == AST_FUNCTION) return;
  if (node->kind == AST_ASSIGN) {
    for (int i = 0; i < node->n; i++) poison_target(L, node->list[i], node);
    return;
  }
  if (node->kind == AST_OPASSIGN || node->kind == AST_FOR) poison_target(L, node->a, node);
  const bool block = node->kind == AST_BLOCK || node->kind == AST_IF || node->kind == AST_SWITCH;
  for (int i = 0; block && i < node->n; i++) poison(L, node->list[i]);
  if (node->kind == AST_BRANCH || node->kind == AST_FOR || node->kind == AST_WHILE ||
      node->kind == AST_TRY)
    poison(L, node->body);
  if (node->kind == AST_TRY) poison(L, node->a);
}

// ---- assignment -------------------------------------------------------------------------------

// Check a value that is assigned to a structure of the model as a whole.
static bool check_whole(lang* L, const char* name, const value* v, td_span at) {
  const td_field* field = td_field_cached(L, name);
  const bool is_struct = field && (field->kind == FIELD_STRUCT || field->kind == FIELD_STRUCTS);
  if (is_struct && v->kind != V_STRUCT && td_value_count(v) > 0) {
    char text[TD_DESCRIBE_SIZE];
    td_fail(L, at, "%s is a structure of the model, it cannot be %s", name,
            td_value_describe(v, text));
    return false;
  }
  return v->kind != V_STRUCT || td_check_struct(L, name, v, at);
}

// Report a structure of a later version, once; false.
static bool refuse_later(lang* L, const ast* root) {
  variable* var = td_scope_make(L->scope, root->text);
  if (!var || !var->poisoned) td_fail(L, root->at, "%s", td_field_refused(root->text));
  if (var) var->poisoned = true;
  return false;
}

// Check the names along a path into the model and store the path ("joint.dof"); "" outside the
// model.
static bool check_path(lang* L, const ast* target, char path[PATH_SIZE]) {
  const ast* root = root_of(target);
  path[0] = 0;
  if (root->kind != AST_NAME)
    return td_fail(L, target->at, "this cannot be assigned to; write name = value") != NULL;
  const root_kind kind = L->scope->global ? td_root_kind(L, root->text) : ROOT_NONE;
  if (kind == ROOT_NONE || (kind == ROOT_LATER && target == root)) return true;
  return kind == ROOT_LATER ? refuse_later(L, root) : check_target(L, target, path, PATH_SIZE);
}

// Check a value for its target.  An empty value of a later version's structure is harmless (mesh =
// [];).
static bool check_value(lang* L, const ast* target, const char* path, const value* v, td_span at) {
  if (target->kind == AST_NAME && L->scope->global && td_root_kind(L, target->text) == ROOT_LATER) {
    return td_value_count(v) == 0 || refuse_later(L, target);
  }
  if (!*path) return true;
  if (target->kind == AST_NAME) return check_whole(L, path, v, at);
  const td_field* field = td_field_cached(L, path);
  if (v->kind == V_STRUCT && field && field->kind != FIELD_STRUCT && field->kind != FIELD_STRUCTS)
    return true;  // the check of the model reports its kind
  return v->kind != V_STRUCT || td_check_struct(L, path, v, at);
}

// Assign a checked value; symbols may get their values from par.
static bool store(lang* L, const ast* target, const char* path, value* v, td_span at, bool erase) {
  if (!erase && !check_value(L, target, path, v, at)) return false;
  td_warn_hiding(L, root_of(target));
  if (!td_assign(L, target, v, at, erase)) return false;
  if (strncmp(path, "par", 3) == 0 && (path[3] == 0 || path[3] == '.')) td_bind_symbols(L, false);
  return true;
}

bool td_assign_checked(lang* L, const ast* target, value* v, td_span at, bool erase) {
  char path[PATH_SIZE];
  return check_path(L, target, path) && store(L, target, path, v, at, erase);
}

// Evaluate the right side of an assignment.  A field that is a place may be given by a reference or
// a name, also in lists: joint(2).first = body(1), joint(2).first = 'arm'.  The number of a rod may
// be its reference or its name: cable(1).rod = rod(2), cable(1).rod = 'arm'.
static value* eval_field(lang* L, const char* path, const ast* target, const ast* rhs) {
  const td_field* field = *path && target->kind == AST_FIELD ? td_field_cached(L, path) : NULL;
  const bool place = field && (field->kind == FIELD_PLACE || field->kind == FIELD_TARGET);
  const bool number = field && field->kind == FIELD_INT && strcmp(td_field_name(field), "rod") == 0;
  const bool list = field && field->kind == FIELD_PLACES;

  // a reference
  if ((place || number) && rhs->kind == AST_INDEX && td_is_reference(rhs)) {
    value_ref ref;
    if (!td_reference(L, rhs, 'b', "a place", &ref)) return NULL;
    if (number && strcmp(ref.root, "rod") == 0) return td_scalar(L, ref.index, rhs->at);
    value* v = td_metered(L, td_value_ref(ref.root, ref.index), rhs->at);
    if (v) v->ref = ref;
    return v;
  }

  // the name of a rod, or of a place; in a target, words that are no names stay words
  value* v = td_eval(L, rhs);
  const int rod = v && number && v->kind == V_STR ? td_rod_named(L, v->s) : 0;
  if (rod > 0) {
    td_value_drop(v);
    return td_scalar(L, rod, rhs->at);
  }
  if (v && place && v->kind == V_STR)
    return field->kind == FIELD_PLACE || (!td_field_has_option(field, v->s) && td_is_named(L, v->s))
               ? td_named_place(L, v, rhs->at)
               : v;

  // a list of places
  if (!v || !list || v->kind != V_CELL) return v;
  v = td_value_own(v);

  for (int i = 0; v && i < td_value_count(v); i++) {
    value* name = v->slots[i].v;
    if (!name || name->kind != V_STR) continue;
    v->slots[i].v = NULL;
    v->slots[i].v = td_named_place(L, name, v->slots[i].at.end > 0 ? v->slots[i].at : rhs->at);
    if (v->slots[i].v) continue;
    td_value_drop(v);
    return NULL;
  }
  return v;
}

// Numbers of the elements that [s.a] = ... or [s(1:3).a] = ... assigns to, as a row; NULL: the
// target is a single place.
static value* element_list(lang* L, const ast* target) {
  const ast* base = target->kind == AST_FIELD ? target->a : NULL;
  if (base && base->kind == AST_INDEX && base->n == 1 && base->list[0]->kind == AST_RANGE)
    return td_eval(L, base->list[0]);
  const variable* var = base && base->kind == AST_NAME ? td_scope_find(L->scope, base->text) : NULL;
  const int n = var && var->v && var->v->kind == V_STRUCT ? td_value_count(var->v) : 1;
  value* list = n > 1 ? td_num(L, 1, n, 1, target->at) : NULL;
  for (int i = 0; list && i < n; i++) list->x[i] = i + 1;
  return list;
}

// Assign several values to one field of several elements: [s.a] = deal(1), [s(1:2).a] = c{:}
static bool assign_elements(lang* L, const ast* target, const ast* rhs, const value* list) {
  const int n = td_value_count(list);
  const bool deals = rhs->kind == AST_INDEX && rhs->a->kind == AST_NAME &&
                     strcmp(rhs->a->text, "deal") == 0 && rhs->n == 1;  // one value for all

  values results = {0};
  bool ok = td_eval_multi(L, deals ? rhs->list[0] : rhs, deals ? 1 : n, &results);
  if (ok && results.n < (deals ? 1 : n))
    ok = td_fail(L, rhs->at, "%d values are assigned, the right side gives %d", n, results.n) !=
         NULL;

  // assign to s(i).a for each element
  for (int i = 0; ok && i < n; i++) {
    ast number = {.kind = AST_NUMBER, .number = list->x[i], .at = target->a->at};
    ast* places[] = {&number};
    const bool indexed = target->a->kind == AST_INDEX;
    ast index = {.kind = AST_INDEX,
                 .a = indexed ? target->a->a : target->a,
                 .list = places,
                 .n = 1,
                 .at = target->a->at,
                 .name_at = target->a->at,
                 .height = target->a->height + 1};
    ast field = *target;
    field.a = &index;
    ok = td_assign_checked(L, &field, results.v[deals ? 0 : i], rhs->at, false);
  }

  td_values_free(&results);
  return ok;
}

// a = value, [a, b] = values, [s.a] = values
static bool exec_assign(lang* L, const ast* node) {
  const ast *target = node->list[0], *rhs = node->a;

  // one field of several elements
  const bool several =
      rhs->kind == AST_INDEX || rhs->kind == AST_CELLINDEX || rhs->kind == AST_FIELD;
  if (node->n == 1 && several) {
    value* list = element_list(L, target);
    const bool ok = list && assign_elements(L, target, rhs, list);
    td_value_drop(list);
    if (list) return ok;
  }

  // one target; names are checked first, so that a wrong one is reported even if the value fails
  if (node->n == 1) {
    char path[PATH_SIZE];
    if (!check_path(L, target, path)) return false;
    const bool erase = rhs->kind == AST_MATRIX && rhs->n == 0 && target->kind == AST_INDEX;
    value* v = eval_field(L, path, target, rhs);
    const bool ok = v && store(L, target, path, v, rhs->at, erase);
    td_value_drop(v);
    return ok;
  }

  // several targets; `~` discards a value
  values results = {0};
  bool ok = td_eval_multi(L, rhs, node->n, &results);
  if (ok && results.n < node->n)
    ok = td_fail(L, rhs->at, "%d values are assigned, the right side gives %d", node->n,
                 results.n) != NULL;

  for (int i = 0; ok && i < node->n; i++) {
    target = node->list[i];
    if (target->kind == AST_NAME && strcmp(target->text, "~") == 0) continue;
    ok = td_assign_checked(L, target, results.v[i], rhs->at, false);
  }

  td_values_free(&results);
  return ok;
}

// a += value and the like
static bool exec_opassign(lang* L, const ast* node) {
  value *a = td_eval(L, node->a), *b = a ? td_eval(L, node->b) : NULL;
  value* v = b ? td_binary(L, node->op, a, b, node->at) : NULL;
  td_value_drop(a);
  td_value_drop(b);
  const bool ok = v && td_assign_checked(L, node->a, v, node->b->at, false);
  td_value_drop(v);
  return ok;
}

// ---- commands ---------------------------------------------------------------------------------

// True if a word of `syms` is an assumption instead of a name.
static bool is_assumption(const char* word) {
  return strcmp(word, "real") == 0 || strcmp(word, "positive") == 0 ||
         strcmp(word, "integer") == 0 || strcmp(word, "rational") == 0;
}

// Create a symbol and the variable that holds it.
static bool make_symbol(lang* L, const char* name, td_span at) {
  value* v = td_symbol(L, name, at);
  variable* var = v ? td_scope_make(L->scope, name) : NULL;
  if (!var) {
    td_value_drop(v);
    return false;
  }
  td_value_drop(var->v);
  *var = (variable){.name = var->name, .v = v, .at = at, .first = at};
  return true;
}

// syms a b real, or syms('a', 'b', 'real'): create the symbols.
static bool exec_symbols(lang* L, const ast* node) {
  for (int i = 0; i < node->n; i++) {
    const ast* word = node->list[i];
    if (node->kind == AST_INDEX && (word->kind != AST_STRING || !td_is_identifier(word->text)))
      return td_fail(L, word->at, "syms takes names: syms a b, or syms('a', 'b')") != NULL;
    if (i > 0 && is_assumption(word->text)) continue;
    if (!make_symbol(L, word->text, word->at)) return false;
  }
  return true;
}

// True if `name` is one of the words.
static bool is_word(const ast* const* words, int n, const char* name) {
  for (int i = 0; i < n; i++) {
    if (words[i]->kind == AST_STRING && strcmp(words[i]->text, name) == 0) return true;
  }
  return false;
}

// clear a b, clear all, clearvars -except a.  Files with several studies clear the robot of the one
// before; variables that they do not clear stay.
static bool exec_clear(lang* L, const ast* const* words, int n) {
  static const char* const others[] = {"global", "functions", "mex", "classes", "import"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (is_word(words, n, others[i])) return true;
  const bool except = is_word(words, n, "-except");
  const bool all = n == 0 || except || is_word(words, n, "all") || is_word(words, n, "-all") ||
                   is_word(words, n, "variables");

  for (int i = 0; i < L->scope->n; i++) {
    variable* var = &L->scope->list[i];
    const bool named = is_word(words, n, var->name);
    if (all ? except && named : !named) continue;

    // a file that clears everything after it has called programs keeps its robot
    if (all && !except && L->nskipped > 0 && td_root_kind(L, var->name) == ROOT_NOW) continue;
    td_value_drop(var->v);
    *var = (variable){.name = var->name, .at = var->at, .first = td_span_none()};
  }
  return true;
}

static bool is_clear(const char* name) {
  return strcmp(name, "clear") == 0 || strcmp(name, "clearvars") == 0;
}

// A command with words: clear, syms, run, or a program of the package.
static bool exec_command(lang* L, const ast* node) {
  if (is_clear(node->text)) return exec_clear(L, (const ast* const*)node->list, node->n);
  if (strcmp(node->text, "syms") == 0) return exec_symbols(L, node);
  if (td_is_housekeeping(node->text) || strcmp(node->text, "!") == 0) return true;

  // run study, run study.m
  if (strcmp(node->text, "run") == 0 && node->n == 1) {
    char name[200];
    bool found = false;
    snprintf(name, sizeof name, "%s", node->list[0]->text);
    const size_t n = strlen(name);
    if (n > 2 && strcmp(name + n - 2, ".m") == 0) name[n - 2] = 0;
    if (!td_include_beside(L, name, node->at, &found)) return false;
    return found || td_fail(L, node->at, "there is no '%s.m' beside this file", name) != NULL;
  }

  if (td_is_program_name(node->text)) return td_skip_call(L, node->text, node->at);
  td_fail(L, node->name_at.source >= 0 ? node->name_at : node->at, "unknown command '%s'",
          node->text);
  td_suggest_name(L, node->text);
  return false;
}

// include('file.m') or, as in MATLAB, run('file')
static bool exec_include(lang* L, const ast* node) {
  const char* word = node->a->text;
  if (node->n != 1)
    return td_fail(L, node->at, "%s('file.m') needs one file name, got %d arguments", word,
                   node->n) != NULL;
  value* v = td_eval(L, node->list[0]);
  bool ok = v && v->kind == V_STR;
  if (v && !ok)
    td_fail(L, node->list[0]->at, "%s needs a file name, got %s", word, td_value_kind_text(v));
  if (ok && strcmp(word, "run") == 0 && !strrchr(v->s, '.')) {
    bool found = false;
    const td_span at = node->list[0]->at;
    ok = td_include_beside(L, v->s, at, &found);
    if (ok && !found) ok = td_fail(L, at, "there is no '%s.m' beside this file", v->s) != NULL;
  } else if (ok) {
    ok = td_include(L, v->s, node->list[0]->at);
  }
  td_value_drop(v);
  return ok;
}

// An expression as a statement: a call of a command, or a value that is dropped.
static bool exec_expression(lang* L, const ast* node) {
  const ast* a = node->a;
  const ast* name = a->kind == AST_INDEX ? a->a : a;
  if (name->kind == AST_NAME && !td_scope_find(L->scope, name->text)) {
    if (is_clear(name->text))
      return exec_clear(L, (const ast* const*)a->list, a->kind == AST_INDEX ? a->n : 0);
    if (td_is_housekeeping(name->text)) return true;
    if (a->kind == AST_INDEX &&
        (strcmp(name->text, "include") == 0 || strcmp(name->text, "run") == 0))
      return exec_include(L, a);
    if (a->kind == AST_INDEX && strcmp(name->text, "syms") == 0) return exec_symbols(L, a);
  }
  values results = {0};
  const bool ok = td_eval_multi(L, a, 0, &results);
  td_values_free(&results);
  return ok;
}

// ---- control ----------------------------------------------------------------------------------

// Evaluate a condition to true or false.
static bool condition(lang* L, const ast* node, bool* truth) {
  L->conditions++;
  value* v = td_eval(L, node);
  L->conditions--;
  const bool ok = v && td_truth(L, v, node->at, "the condition", truth);
  td_value_drop(v);
  return ok;
}

// True if a block creates symbols.
static bool has_symbols(const ast* block) {
  for (int i = 0; i < block->n; i++)
    if (block->list[i]->kind == AST_COMMAND && strcmp(block->list[i]->text, "syms") == 0)
      return true;
  return false;
}

// Run the first branch whose condition holds.
static flow exec_if(lang* L, const ast* node) {
  for (int i = 0; i < node->n; i++) {
    const ast* branch = node->list[i];
    bool truth = true;
    if (branch->a && !condition(L, branch->a, &truth)) {
      poison(L, node);
      return FLOW_NEXT;
    }
    if (truth) return td_exec_block(L, branch->body->list, branch->body->n);
    if (has_symbols(branch->body)) L->untaken = branch;
  }
  return FLOW_NEXT;
}

// Compare the subject of a switch with the value of a case; a cell matches if one of its elements
// does.
static bool case_matches(lang* L, const value* subject, const value* v, td_span at, bool* match) {
  *match = false;
  if (v->kind == V_CELL) {
    for (int i = 0; i < td_value_count(v) && !*match; i++) {
      if (v->slots[i].v && !case_matches(L, subject, v->slots[i].v, at, match)) return false;
    }
    return true;
  }
  if (v->kind != subject->kind) return true;
  if (v->kind == V_STR) {
    *match = strcmp(v->s, subject->s) == 0;
    return true;
  }
  double a, b;
  if (v->kind != V_NUM || !is_scalar(v) || !is_scalar(subject)) return true;
  if (!td_number_at(L, subject, 0, at, "the condition of a switch", &a)) return false;
  if (!td_number_at(L, v, 0, at, "a case", &b)) return false;
  *match = a == b;
  return true;
}

// Run the first case that matches, or `otherwise`; a condition that fails poisons what the cases
// assign.
static flow exec_switch(lang* L, const ast* node) {
  value* subject = td_eval(L, node->a);
  bool ok = subject != NULL, match = false;
  const ast* branch = NULL;

  for (int i = 0; ok && !match && i < node->n; i++) {
    branch = node->list[i];
    match = !branch->a;
    if (match) break;
    value* v = td_eval(L, branch->a);
    ok = v && case_matches(L, subject, v, node->a->at, &match);
    td_value_drop(v);
  }

  td_value_drop(subject);
  if (!ok) poison(L, node);
  return ok && match ? td_exec_block(L, branch->body->list, branch->body->n) : FLOW_NEXT;
}

// Run the body of a loop once.  False: the loop ends, and *end is how execution continues.
static bool iterate(lang* L, const ast* node, flow* end) {
  const int errors = L->diags->errors + L->diags->dropped;
  const flow f = td_exec_block(L, node->body->list, node->body->n);
  *end = f == FLOW_RETURN || f == FLOW_STOP ? f : FLOW_NEXT;
  if (L->diags->errors + L->diags->dropped > errors) {  // further iterations would fail alike
    poison(L, node->body);
    return false;
  }
  return f == FLOW_NEXT || f == FLOW_CONTINUE;
}

// while condition ... end
static flow exec_while(lang* L, const ast* node) {
  flow end = FLOW_NEXT;
  for (;;) {
    bool truth = false;
    if (!td_spend(L, 20, node->at)) return FLOW_STOP;
    if (!condition(L, node->a, &truth)) {
      poison(L, node->body);
      return FLOW_NEXT;
    }
    if (!truth || !iterate(L, node, &end)) return end;
  }
}

// Column k of a value that a loop runs over.
static value* column(lang* L, const value* v, int k, td_span at) {
  value* out = v->kind == V_NUM    ? td_num(L, v->rows, 1, 1, at)
               : v->kind == V_CELL ? td_cell(L, v->rows, 1, at)
                                   : td_struct(L, v->rows, 1, at);
  for (int i = 0; out && i < v->rows; i++) {
    if (!td_copy_element(L, out, i, v, i + v->rows * k, at)) {
      td_value_drop(out);
      return NULL;
    }
  }
  return out;
}

// for i = range, or over the columns of a value.
static flow exec_for(lang* L, const ast* node) {
  const bool range = node->b->kind == AST_RANGE;
  const td_span at = node->b->at;
  double first = 0, step = 0, count = 0;
  value* over = range ? NULL : td_eval(L, node->b);
  bool ok = range ? td_range(L, node->b, &first, &step, &count) : over != NULL;
  if (ok && over && (over->kind == V_STR || over->kind == V_FUNC || over->kind == V_REF))
    ok = td_fail(L, at, "a loop cannot run over %s", td_value_kind_text(over)) != NULL;
  if (!ok) poison(L, node);
  if (ok && over) count = over->rows > 0 ? over->cols * over->pages : 0;

  // assign the next number or column, run the body
  flow end = FLOW_NEXT;
  for (double k = 0; ok && k < count; k++) {
    value* v = NULL;
    if (td_spend(L, 8, node->at))
      v = range ? td_scalar(L, first + k * step, at) : column(L, over, (int)k, at);
    ok = v && td_assign_checked(L, node->a, v, at, false);
    td_value_drop(v);
    if (L->stop) end = FLOW_STOP;
    ok = ok && !L->stop && iterate(L, node, &end);
  }

  td_value_drop(over);
  return end;
}

// try ... catch ... end.  Errors of a model are reported, so that the `catch` branch never runs.
// Whether programs of the package would have failed is not known; what the branch assigns is then
// unknown.
static flow exec_try(lang* L, const ast* node) {
  const int errors = L->diags->errors + L->diags->dropped, skips = L->skips;
  const flow f = td_exec_block(L, node->body->list, node->body->n);
  const bool failed = L->diags->errors + L->diags->dropped > errors;
  if (failed && L->diags->last) td_hint(L->diags, "what stands behind 'catch' is not run here");
  L->skipping = !failed && L->skips > skips ? L->last_skip : NULL;
  if (failed || L->skipping) poison(L, node->a);
  return f;
}

// `global a` in a function makes the file's value readable; the function cannot change it.
static bool exec_global(lang* L, const ast* node) {
  for (int i = 0; !L->scope->global && i < node->n; i++) {
    const ast* name = node->list[i];
    const variable* from = td_scope_find(&L->global, name->text);
    if (!from || !from->v) {
      td_fail(L, name->at, "the global '%s' has no value when this function is called", name->text);
      variable* unset = td_scope_make(L->scope, name->text);
      if (unset) unset->poisoned = true;
      return false;
    }
    variable* to = td_scope_make(L->scope, name->text);
    if (!to) return td_no_memory(L, name->at) != NULL;
    td_value_drop(to->v);
    to->v = td_value_hold(from->v);
    to->borrowed = true;
    to->poisoned = from->poisoned;
    to->skipped = from->skipped;
  }
  return true;
}

// ---- statements -------------------------------------------------------------------------------

// Execute one statement; poison its targets if it fails, and count it if it needs a program that is
// not called.
static flow exec(lang* L, const ast* node) {
  bool ok = true;
  flow f = FLOW_NEXT;
  L->skipping = NULL;

  // statements that may fail set ok, others decide where execution continues
  switch (node->kind) {
    case AST_ASSIGN:
      ok = exec_assign(L, node);
      break;
    case AST_OPASSIGN:
      ok = exec_opassign(L, node);
      break;
    case AST_EXPR:
      ok = exec_expression(L, node);
      break;
    case AST_COMMAND:
      ok = exec_command(L, node);
      break;
    case AST_GLOBAL:
      ok = exec_global(L, node);
      break;
    case AST_IF:
      f = exec_if(L, node);
      break;
    case AST_SWITCH:
      f = exec_switch(L, node);
      break;
    case AST_FOR:
      f = exec_for(L, node);
      break;
    case AST_WHILE:
      f = exec_while(L, node);
      break;
    case AST_TRY:
      f = exec_try(L, node);
      break;
    case AST_BREAK:
      f = FLOW_BREAK;
      break;
    case AST_CONTINUE:
      f = FLOW_CONTINUE;
      break;
    case AST_RETURN:
      f = FLOW_RETURN;
      break;
    case AST_BLOCK:
      f = td_exec_block(L, node->list, node->n);
      break;
    default:
      break;
  }

  if (!ok) poison(L, node);
  if (L->skipping) {
    L->skips++;
    L->last_skip = L->skipping;
  }
  L->skipping = NULL;
  return f;
}

// Execute statements until one changes the flow.
flow td_exec_block(lang* L, ast* const* list, int n) {
  for (int i = 0; i < n; i++) {
    if (!td_spend(L, 10, list[i]->at)) return FLOW_STOP;
    if (L->depth >= TD_DEPTH_LIMIT) {
      td_fail(L, list[i]->at, "statements are nested too deep");
      return FLOW_STOP;
    }
    L->depth++;
    const flow f = exec(L, list[i]);
    L->depth--;
    if (L->stop) return FLOW_STOP;
    if (f != FLOW_NEXT) return f;
  }
  return FLOW_NEXT;
}

// Register the functions among the statements.
void td_define_functions(lang* L, ast* const* list, int n) {
  for (int i = 0; i < n; i++) {
    if (list[i]->kind != AST_FUNCTION) continue;
    const ast** grown =
        td_grow((void*)L->function_list, &L->function_cap, L->nfunction + 1, sizeof *grown);
    if (!grown) {
      td_no_memory(L, list[i]->at);
      return;
    }
    L->function_list = grown;
    if (!td_map_add(&L->functions, list[i]->text, L->nfunction)) {
      td_no_memory(L, list[i]->at);
      return;
    }
    grown[L->nfunction++] = list[i];
  }
}
