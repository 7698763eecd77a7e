// Evaluation of expressions: names, indices, operators and literals; call.c calls functions.  A
// name means, in this order: a variable, a function of the file, a sensor, a built-in function.  A
// function returns NULL or false after a message.
#include "lang/eval.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/fields.h"

// ---- unknown names ----------------------------------------------------------------------------

// True if `syms` in a branch that was not run creates this symbol.
static bool is_untaken_symbol(const ast* branch, const char* name) {
  for (int i = 0; branch && i < branch->body->n; i++) {
    const ast* command = branch->body->list[i];
    if (command->kind != AST_COMMAND || strcmp(command->text, "syms") != 0) continue;
    for (int k = 0; k < command->n; k++)
      if (strcmp(command->list[k]->text, name) == 0) return true;
  }
  return false;
}

// Report a name without meaning, with the most helpful hint; false.  No message where the cause has
// been reported or the name may come from what was not read.
static bool unknown_name(lang* L, const ast* name) {
  const variable* var = td_scope_find(L->scope, name->text);
  if (var && var->partial) return td_is_unknown(L, var);
  if (L->loaded && !td_field_is_root(name->text)) {  // may be in the data file that was not read
    L->skipping = name->text;
    return false;
  }
  if (L->syntax_failed) {  // a statement that did not parse may have assigned it
    if (L->diags->errors == 0) td_fail(L, name->at, "unknown name '%s'", name->text);
    return false;
  }

  // names with a special explanation
  if (strcmp(name->text, "i") == 0 || strcmp(name->text, "j") == 0) {
    td_fail(L, name->at, "unknown name '%s': values are real, there is no imaginary unit",
            name->text);
    return false;
  }
  if (strcmp(name->text, "tmtdyn") == 0) {
    td_fail(L, name->at,
            "tmtdyn() builds a robot by chained calls, as files of the package from its third "
            "version on do");
    td_hint(L->diags, "here a robot is described by world, body, joint, mesh and exload");
    return false;
  }
  const char* later = td_field_refused(name->text);
  if (later) return td_fail(L, name->at, "%s", later) != NULL;
  if (td_field_is_root(name->text)) {
    td_fail(L, name->at, "'%s' has no value yet", name->text);
    return false;
  }

  // one message about a name, however often it is used
  char text[240];
  const char* instead = td_matlab_function(name->text);
  snprintf(text, sizeof text, "unknown name '%.150s'%s", name->text,
           instead ? ": the model language does not have this function of MATLAB" : "");
  if (td_is_said(L->diags, text)) return false;
  td_fail(L, name->at, "%s", text);

  const char* meaning = td_foreign_word("()", name->text);
  char condition[60];
  if (is_untaken_symbol(L->untaken, name->text))
    td_hint(L->diags,
            "'syms' makes it where '%s' is true, which it is not here: make it true, or move "
            "'syms' and par.sym before the 'if'",
            td_excerpt(L, L->untaken->a->at, condition, sizeof condition));
  else if (instead)
    td_hint(L->diags, "instead: %s", instead);
  else if (meaning)
    td_hint(L->diags, "here this is %s", meaning);
  else if (td_field_is_option(name->text))
    td_hint(L->diags, "words are written between quotes: '%s'", name->text);
  else
    td_suggest_name(L, name->text);
  return false;
}

// ---- constants --------------------------------------------------------------------------------

// A constant or an array of it: pi, inf(1,3), nan(2), nan(size(a)).
static value* constant_value(lang* L, const constant* c, values* args, td_span at) {
  double size[2] = {1, 1};
  if (!td_spend(L, 20, at)) return NULL;  // the name was searched for
  if (args->n > 2) return td_fail(L, at, "%s takes at most two sizes, got %d", c->name, args->n);
  if (args->n == 1 && args->v[0]->kind == V_NUM && td_value_count(args->v[0]) == 2) {
    values two = {0};  // nan(size(a))
    bool ok = true;
    for (int i = 0; ok && i < 2; i++)
      ok = td_values_add(L, &two, td_element(L, args->v[0], i, false, at), args->at[0]);
    value* out = ok ? constant_value(L, c, &two, at) : NULL;
    td_values_free(&two);
    return out;
  }

  // read the sizes
  for (int i = 0; i < args->n; i++) {
    const value* v = args->v[i];
    if (v->kind != V_NUM || td_value_count(v) != 1)
      return td_fail(L, args->at[i], "a size of %s must be a number", c->name);
    if (!td_number_at(L, v, 0, args->at[i], "a size", &size[i])) return NULL;
    if (size[i] != floor(size[i]))
      return td_fail(L, args->at[i], "a size must be a whole number, got %g", size[i]);
    if (args->n == 1) size[1] = size[0];
  }

  value* out = td_num(L, size[0], size[1], 1, at);
  const int n = out ? td_value_count(out) : 0;
  for (int i = 0; i < n; i++) out->x[i] = c->x;
  if (out) out->logical = c->logical;
  return out;
}

// ---- names and what follows them --------------------------------------------------------------

value* td_time(lang* L, td_span at) { return td_expr(L, td_ex_var(L->g, L->spec->time_var), at); }

// Evaluate names with a meaning of their own: sensors, at(...), t, s, here.  False: `name` is none
// of these here.
static bool call_special(lang* L, const ast* name, const ast* node, bool* ok, values* out) {
  const int n = node->kind == AST_INDEX ? node->n : 0;
  const bool length = strcmp(name->text, "length") == 0;  // length(joint(2)) and length([1 2 3])
  if (length && !(n > 0 && node->list[0]->kind == AST_INDEX && td_is_reference(node->list[0])))
    return false;
  if (td_sensor_find(name->text) >= 0) {
    *ok = td_values_add(L, out, td_sensor_call(L, name->text, node), node->at);
  } else if (strcmp(name->text, "at") == 0) {
    *ok = td_values_add(L, out, td_at_call(L, node), node->at);
  } else if (strcmp(name->text, "t") == 0 && n == 0) {
    *ok = td_values_add(L, out, td_time(L, node->at), node->at);
  } else if (strcmp(name->text, "s") == 0 && n == 0) {
    *ok = td_values_add(L, out, td_expr(L, td_ex_var(L->g, L->spec->arc_var), node->at), node->at);
  } else if (strcmp(name->text, "here") == 0 && n <= 1) {
    *ok = td_values_add(L, out, td_here_call(L, node), node->at);
  } else {
    return false;
  }
  return true;
}

// Call a function by name: `node` is an AST_INDEX on a name that is no variable, or that name
// alone.
static bool call_named(lang* L, const ast* name, const ast* node, int nout, values* out) {
  const bool has_args = node->kind == AST_INDEX;
  int user;
  if (!td_find_user(L, name->text, name->at, &user)) return false;

  // what the name means: a function of the user, a constant, a built-in function or a special name
  const constant* c = user < 0 ? td_constant_find(name->text) : NULL;
  const int b = user < 0 && !c ? td_map_find(&L->builtins, name->text) : -1;
  bool ok = true;
  if (user < 0 && !c && (b < 0 || name->text[0] == 'l') && call_special(L, name, node, &ok, out))
    return ok;

  // programs of published packages are skipped, or tried and skipped if they fail
  const bool attempt = !c && b < 0 && td_is_attempt(L, name, node, user, nout);
  const td_diags before = *L->diags;
  if (user < 0 && !c && !attempt && td_is_program(L, name, node, b >= 0))
    return td_skip_call(L, name->text, name->at);
  if (user < 0 && !c && b < 0) {
    // a script or a function in a file of its own
    bool found = false;
    if (!td_include_beside(L, name->text, name->at, &found)) return false;
    user = found ? td_map_find(&L->functions, name->text) : -1;
    if (found && user < 0 && nout == 0 && (!has_args || node->n == 0)) return true;
    if (user < 0) return unknown_name(L, name);
  }

  // evaluate the arguments and call
  values args = {0};
  ok = !has_args || td_eval_list(L, node->list, node->n, &args);
  if (ok && user >= 0) ok = td_call_user(L, L->function_list[user], &args, nout, node->at, out);
  if (ok && c) ok = td_values_add(L, out, constant_value(L, c, &args, node->at), node->at);
  if (ok && b >= 0) ok = td_call_builtin(L, L->builtin_list[b], &args, nout, node->at, out);
  td_values_free(&args);

  // an attempt that failed is skipped without its messages
  if (!attempt || L->stop || L->diags->errors == before.errors ||
      (user >= 0 && td_makes_robot(L->function_list[user], node)))
    return ok;
  td_diags_back(L->diags, &before);
  return td_skip_call(L, name->text, name->at);
}

// True if the variable at the root of this path, or a part of it, failed to be assigned.
bool td_is_partial(lang* L, const ast* node) {
  while (node->kind == AST_INDEX || node->kind == AST_FIELD || node->kind == AST_CELLINDEX)
    node = node->a;
  const variable* var = node->kind == AST_NAME ? td_scope_find(L->scope, node->text) : NULL;
  return var && (var->partial || var->poisoned);
}

// Report that a value has no field of this name; false.
static bool no_field(lang* L, const value* base, const ast* node, const char* name) {
  char what[60], text[TD_DESCRIBE_SIZE];
  td_excerpt(L, node->a->at, what, sizeof what);
  const ast* root = node;
  while (root->a && root->kind != AST_NAME) root = root->a;
  const variable* var = root->kind == AST_NAME ? td_scope_find(L->scope, root->text) : NULL;
  const bool asks = L->conditions > 0 && strcmp(root->text ? root->text : "", "par") == 0;
  if (var && (var->skipped || asks)) {  // a setting of the package's own programs
    L->skipping = name;
    return false;
  }

  if (td_is_partial(L, node)) return false;
  if (base->kind != V_STRUCT) {
    td_fail(L, node->name_at, "%s is %s: it has no field '%s'", what, td_value_describe(base, text),
            name);
    if (base->kind == V_NUM && td_map_find(&L->builtins, name) >= 0)  // a misprint of the papers
      td_hint(L->diags, "for the product write %s*%s", what, name);
    return false;
  }
  td_fail(L, node->name_at, "%s has no field '%s'", what, name);
  td_suggest(L->diags, name, (const char* const*)base->names, base->nfield);
  return false;
}

// s.name or s.(expression): the field of each element.
static bool eval_field(lang* L, const value* base, const ast* node, values* out) {
  const char* name = node->text;
  value* computed = NULL;

  // a computed name
  if (node->b) {
    computed = td_eval(L, node->b);
    if (!computed) return false;
    if (computed->kind != V_STR) {
      td_value_drop(computed);
      return td_fail(L, node->b->at, "a field's name must be a string") != NULL;
    }
    name = computed->s;
  }

  if (!td_spend(L, 10 + base->nfield / 2 + 10L * td_value_count(base), node->at)) {
    td_value_drop(computed);
    return false;
  }

  // the field of each element; [] where it was not assigned
  const int f = td_value_field(base, name);
  bool ok = f >= 0 || no_field(L, base, node, name);

  for (int i = 0; ok && i < td_value_count(base); i++) {
    value* v = base->slots[i * base->nfield + f].v;
    ok = td_values_add(L, out, v ? td_value_hold(v) : td_num(L, 0, 0, 1, node->at), node->at);
  }

  td_value_drop(computed);
  return ok;
}

// Evaluate the expression that an index, brace or field is applied to; it must give one value.
static value* eval_base(lang* L, const ast* node) {
  values one = {0};
  value* v = NULL;
  if (!td_eval_multi(L, node, 1, &one)) {
    td_values_free(&one);
    return NULL;
  }
  if (one.n == 1) {
    v = td_value_hold(one.v[0]);
  } else {
    char what[60];
    td_fail(L, node->at, "%s gives %d values where one is needed",
            td_excerpt(L, node->at, what, sizeof what), one.n);
  }
  td_values_free(&one);
  return v;
}

// True if node is par.derive in a file that never assigns it.  It is then 1, as in the published
// programs, whose listings create their symbols inside `if par.derive`.
static bool is_default_derive(const lang* L, const ast* node) {
  if (node->kind != AST_FIELD || node->b || strcmp(node->text, "derive") != 0) return false;
  if (node->a->kind != AST_NAME || strcmp(node->a->text, "par") != 0) return false;
  const variable* par = td_scope_find(L->scope, "par");
  if (!par || (!par->v && !par->partial && !par->poisoned)) return L->scope->global;
  return par->v && par->v->kind == V_STRUCT && !par->skipped && !par->partial && !par->poisoned &&
         td_value_field(par->v, "derive") < 0;
}

// a(...), a{...} or a.name
static bool eval_part(lang* L, const ast* node, int nout, values* out) {
  if (is_default_derive(L, node)) return td_values_add(L, out, td_scalar(L, 1, node->at), node->at);

  // a call of a function, or of a sensor as sensor.length(joint(2)), whatever `sensor` is
  const ast* f = node->a;
  if (node->kind == AST_INDEX && f->kind == AST_NAME) {
    const variable* var = td_scope_find(L->scope, f->text);
    if (!var || (!var->v && !var->poisoned)) return call_named(L, f, node, nout, out);
    if (var->poisoned) return td_is_unknown(L, var);
  }
  if (node->kind == AST_INDEX && f->kind == AST_FIELD && !f->b && f->a->kind == AST_NAME &&
      strcmp(f->a->text, "sensor") == 0 && td_sensor_find(f->text) >= 0)
    return td_values_add(L, out, td_sensor_call(L, f->text, node), node->at);

  // a part of a value, or a call of a function value
  value* base = eval_base(L, f);
  if (!base) return false;
  bool ok;
  if (node->kind == AST_CELLINDEX) {
    ok = td_cell_index(L, base, node, out);
  } else if (node->kind == AST_FIELD) {
    ok = eval_field(L, base, node, out);
  } else if (base->kind != V_FUNC) {
    ok = td_values_add(L, out, td_index(L, base, node), node->at);
  } else {
    values args = {0};
    ok = td_eval_list(L, node->list, node->n, &args) &&
         td_call_value(L, base, &args, nout, node->at, out);
    td_values_free(&args);
  }
  td_value_drop(base);
  return ok;
}

// Evaluate a call, index or field, which may give several values; others give one.
bool td_eval_multi(lang* L, const ast* node, int nout, values* out) {
  if (node->kind == AST_INDEX || node->kind == AST_CELLINDEX || node->kind == AST_FIELD) {
    if (L->depth >= TD_DEPTH_LIMIT)
      return td_fail(L, node->at, "the expression is nested too deep") != NULL;
    L->depth++;
    const bool ok = td_spend(L, 1, node->at) && eval_part(L, node, nout, out);
    L->depth--;
    return ok;
  }
  if (node->kind == AST_NAME) {
    const variable* var = td_scope_find(L->scope, node->text);
    if (var && var->poisoned) return td_is_unknown(L, var);
    if (!var || !var->v) return call_named(L, node, node, nout, out);
  }
  return td_values_add(L, out, td_eval(L, node), node->at);
}

// Evaluate a list of arguments; ':' is passed as a string.
bool td_eval_list(lang* L, ast* const* list, int n, values* out) {
  for (int i = 0; i < n; i++) {
    if (list[i]->kind == AST_COLON) {
      if (!td_values_add(L, out, td_string(L, ":", 1, list[i]->at), list[i]->at)) return false;
    } else if (!td_eval_multi(L, list[i], 1, out)) {
      return false;
    }
  }
  return true;
}

// ---- operators and literals -------------------------------------------------------------------

// `end` inside an index: the size of what is indexed, along the index it stands in.
static value* eval_end(lang* L, const ast* node) {
  if (!L->in_index) return td_fail(L, node->at, "'end' has a meaning only inside an index");
  const value* b = L->end_base;
  double n = 0;
  if (b) {
    const int d = L->end_at;
    n = L->end_n == 1   ? td_value_count(b)
        : d == 0        ? b->rows
        : d == 2        ? b->pages
        : L->end_n == 2 ? b->cols * b->pages
                        : b->cols;
  }
  return td_scalar(L, n, node->at);
}

// One side of && or ||: a number or an expression, 1x1.
static value* logical_side(lang* L, const ast* node) {
  value* v = td_eval(L, node);
  if (!v || (v->kind == V_NUM && is_scalar(v) && td_has_expr(v))) return v;
  bool truth;
  const bool ok = td_truth(L, v, node->at, "each side of && and ||", &truth);
  td_value_drop(v);
  return ok ? td_logical(L, truth, node->at) : NULL;
}

// a && b and a || b; b is not evaluated if a decides.
static value* eval_shortcut(lang* L, const ast* node) {
  value* a = logical_side(L, node->a);
  if (!a) return NULL;
  const bool is_and = node->op == OP_ANDAND;
  if (!is_expr(a, 0) && (a->x[0] != 0) != is_and) return a;
  value* b = logical_side(L, node->b);
  value* out = b ? td_binary(L, is_and ? OP_AND : OP_OR, a, b, node->at) : NULL;
  td_value_drop(a);
  td_value_drop(b);
  return out;
}

static bool is_left_binary(const ast* node) {
  return node->kind == AST_BINARY && node->op != OP_ANDAND && node->op != OP_OROR;
}

// a + b + c + ...: walk down the left side without recursion, so that long sums need no deep stack.
static value* eval_binary(lang* L, const ast* node) {
  // collect the operations on the left side
  int n = 0, cap = 0;
  const ast** spine = NULL;
  const ast* left = node;

  for (; is_left_binary(left); left = left->a) {
    const ast** grown = td_grow((void*)spine, &cap, n + 1, sizeof *spine);
    if (!grown) {
      free((void*)spine);
      return td_no_memory(L, node->at);
    }
    spine = grown;
    spine[n++] = left;
  }

  // evaluate from the innermost operation outwards
  value* a = td_eval(L, left);
  while (a && n > 0) {
    const ast* op = spine[--n];
    value* b = td_spend(L, 1, op->at) ? td_eval(L, op->b) : NULL;
    value* c = b ? td_binary(L, op->op, a, b, op->at) : NULL;
    td_value_drop(a);
    td_value_drop(b);
    a = c;
  }

  free((void*)spine);
  return a;
}

// Evaluate one end or the step of a range.
static bool range_number(lang* L, const ast* node, double* x) {
  value* v = td_eval(L, node);
  if (!v) return false;
  bool ok = v->kind == V_NUM && td_value_count(v) > 0;
  if (!ok) {
    td_fail(L, node->at, "a range needs numbers, got %s", td_value_kind_text(v));
  } else {
    ok = td_number_at(L, v, 0, node->at, "an end of a range", x);
  }
  td_value_drop(v);
  return ok;
}

// Evaluate first:step:last.
bool td_range(lang* L, const ast* node, double* first, double* step, double* count) {
  double last;
  *step = 1;
  if (!range_number(L, node->a, first)) return false;
  if (node->b && !range_number(L, node->b, step)) return false;
  if (!range_number(L, node->c, &last)) return false;
  if (isnan(*first) || isnan(*step) || isnan(last) || isinf(*first) || isinf(*step)) {
    return td_fail(L, node->at, "a range needs finite numbers, got %g:%g:%g", *first, *step,
                   last) != NULL;
  }

  // a last element that is missed by rounding only still counts
  const double n = *step == 0 ? 0 : floor((last - *first) / *step * (1 + 4e-16) + 1e-10) + 1;
  *count = n > 0 ? n : 0;
  return true;
}

// One row of a matrix.
static value* eval_row(lang* L, const ast* row) {
  values list = {0};
  value* out = NULL;
  if (td_eval_list(L, row->list, row->n, &list)) {
    out = list.n == 1 && list.v[0]->kind != V_CELL ? td_value_hold(list.v[0])
                                                   : td_concat(L, 2, list.v, list.n, row->at);
  }
  td_values_free(&list);
  return out;
}

// [a, b; c, d]
static value* eval_matrix(lang* L, const ast* node) {
  if (node->n == 1) return eval_row(L, node->list[0]);
  values rows = {0};
  bool ok = true;
  for (int i = 0; ok && i < node->n; i++)
    ok = td_values_add(L, &rows, eval_row(L, node->list[i]), node->list[i]->at);
  value* out = ok ? td_concat(L, 1, rows.v, rows.n, node->at) : NULL;
  td_values_free(&rows);
  return out;
}

// Evaluate one row of {a, b; c, d} to a 1 x n cell; an element may give several values.
static value* cell_row(lang* L, const ast* row) {
  values list = {0};
  value* out = NULL;
  if (td_eval_list(L, row->list, row->n, &list)) out = td_cell(L, 1, list.n, row->at);

  for (int i = 0; out && i < list.n; i++) {
    out->slots[i].at = list.at[i];
    if (!td_value_put(out, &out->slots[i], td_value_hold(list.v[i]))) {
      td_value_drop(out);
      out = td_fail(L, row->at, "values are nested deeper than %d", TD_VALUE_DEPTH);
    }
  }

  td_values_free(&list);
  return out;
}

// {a, b; c, d}; empty rows are dropped.
static value* eval_cell(lang* L, const ast* node) {
  values rows = {0};
  bool ok = true;
  for (int i = 0; ok && i < node->n; i++) {
    value* row = cell_row(L, node->list[i]);
    if (row && row->cols == 0) {
      td_value_drop(row);
      continue;
    }
    ok = td_values_add(L, &rows, row, node->list[i]->at);
  }

  value* out = NULL;
  if (ok && rows.n == 0) out = td_cell(L, 0, 0, node->at);
  if (ok && rows.n == 1) out = td_value_hold(rows.v[0]);
  if (ok && rows.n > 1) out = td_concat(L, 1, rows.v, rows.n, node->at);
  td_values_free(&rows);
  return out;
}

// Evaluate an expression to one value.
static value* eval_node(lang* L, const ast* node) {
  value *a, *out;
  double first, step, count;
  switch (node->kind) {
    case AST_NUMBER:
      return td_scalar(L, node->number, node->at);
    case AST_STRING:
      return td_string(L, node->text, (int)strlen(node->text), node->at);
    case AST_END:
      return eval_end(L, node);
    case AST_UNARY:
    case AST_POSTFIX:
      a = td_eval(L, node->a);
      out = a ? td_unary(L, node->op, a, node->at) : NULL;
      td_value_drop(a);
      return out;
    case AST_BINARY:
      return is_left_binary(node) ? eval_binary(L, node) : eval_shortcut(L, node);
    case AST_RANGE:
      if (!td_range(L, node, &first, &step, &count)) return NULL;
      out = td_num(L, 1, count, 1, node->at);
      for (int i = 0; out && i < (int)count; i++) out->x[i] = first + i * step;
      return out;
    case AST_MATRIX:
      return eval_matrix(L, node);
    case AST_CELL:
      return eval_cell(L, node);
    case AST_LAMBDA:
    case AST_HANDLE:
      return td_capture(L, node);
    case AST_NAME:
    case AST_INDEX:
    case AST_CELLINDEX:
    case AST_FIELD:
      return eval_base(L, node);
    case AST_COLON:
      return td_fail(L, node->at, "':' alone has a meaning only inside an index");
    default:
      return td_fail(L, node->at, "an expression is needed here");
  }
}

// Evaluate to one value; variables are returned without copying.
value* td_eval(lang* L, const ast* node) {
  if (node->kind == AST_NAME) {
    variable* var = td_scope_find(L->scope, node->text);
    if (var && var->v && !var->poisoned) {
      var->read = true;
      return td_value_hold(var->v);
    }
  }
  if (L->depth >= TD_DEPTH_LIMIT) return td_fail(L, node->at, "the expression is nested too deep");
  L->depth++;
  value* v = td_spend(L, 2, node->at) ? eval_node(L, node) : NULL;
  L->depth--;
  return v;
}
