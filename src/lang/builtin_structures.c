// Structures, cells and functions as values: num2cell, deal, struct2cell, getfield, class, bsxfun,
// structfun, and the operators under their names (plus, times, eq, ...).  A function takes the
// arguments of a call, checks them, and returns its value, or NULL after a message.
#include <stdlib.h>
#include <string.h>

#include "lang/eval.h"

// ---- cells and structures -----------------------------------------------------------------------

// num2cell(a): each element in a cell of its own
static value* num2cell(lang* L, call* c) {
  const value* a = c->argv[0];
  if (a->pages != 1 || a->kind == V_FUNC || a->kind == V_REF)
    return td_fail(L, c->arg_at[0], "num2cell works on matrices, got %s", td_value_kind_text(a));

  // a value and a slot for each, whose memory alone takes as long as ten operations
  if (!td_spend(L, 10L * td_value_count(a), c->at)) return NULL;
  value* out = td_cell(L, a->rows, a->cols, c->at);

  for (int i = 0; out && i < td_value_count(a); i++) {
    value* one = td_element(L, a, i, false, c->at);
    if (one && td_value_put(out, &out->slots[i], one)) continue;
    td_value_drop(out);
    return NULL;
  }
  return out;
}

// [a, b] = deal(x), [a, b] = deal(x, y)
static value* deal(lang* L, call* c) {
  const int wanted = c->nout > 1 ? c->nout : 1;
  if (c->argc != 1 && c->argc != wanted)
    return td_fail(L, c->at, "deal: %d values for %d results", c->argc, wanted);
  for (int k = 1; k < wanted; k++) c->more[k - 1] = td_value_hold(c->argv[c->argc == 1 ? 0 : k]);
  return td_value_hold(c->argv[0]);
}

static const value* one_struct(lang* L, call* c) {
  const value* s = c->argv[0];
  if (s->kind == V_STRUCT && td_value_count(s) == 1) return s;
  char text[TD_DESCRIBE_SIZE];
  return td_fail(L, c->arg_at[0], "%s works on one structure, got %s", c->name,
                 td_value_describe(s, text));
}

// struct2cell(s): the values of its fields below each other
static value* struct2cell(lang* L, call* c) {
  const value* s = one_struct(L, c);
  value* out = s ? td_cell(L, s->nfield, 1, c->at) : NULL;
  for (int f = 0; out && f < s->nfield; f++)
    if (s->slots[f].v) td_value_put(out, &out->slots[f], td_value_hold(s->slots[f].v));
  return out;
}

// cell2struct(values, names, 1): one structure
static value* cell2struct(lang* L, call* c) {
  const value *list = c->argv[0], *names = c->argv[1];
  int dim = 1;
  if (list->kind != V_CELL || names->kind != V_CELL)
    return td_fail(L, c->at, "cell2struct(values, names, 1) needs two cells");
  if (c->argc > 2 && !td_arg_int(L, c, 2, 1, 2, &dim)) return NULL;
  const int n = td_value_count(names);
  if (td_value_count(list) != n || (dim == 1 ? list->rows : list->cols) != n)
    return td_fail(L, c->at,
                   "cell2struct: %d values and %d names; along dimension %d there must be as many",
                   td_value_count(list), n, dim);

  value* s = td_struct(L, 1, 1, c->at);
  for (int f = 0; s && f < n; f++) {
    const value* name = names->slots[f].v;
    const bool good = name && name->kind == V_STR && td_is_identifier(name->s);
    value_slot* slot = good ? td_value_slot_make(s, 0, name->s) : NULL;
    if (!good) td_fail(L, c->arg_at[1], "cell2struct: name %d is not a name", f + 1);
    value* v = list->slots[f].v;
    if (slot) slot->at = slot->name_at = c->at;
    if (slot && td_value_put(s, slot, v ? td_value_hold(v) : td_num(L, 0, 0, 1, c->at))) continue;
    td_value_drop(s);
    return NULL;
  }
  return s;
}

// getfield(s, 'name')
static value* getfield(lang* L, call* c) {
  const value* s = one_struct(L, c);
  const char* name = s ? td_arg_string(L, c, 1) : NULL;
  if (!name) return NULL;
  const int f = td_value_field(s, name);
  if (f < 0) return td_fail(L, c->arg_at[1], "getfield: there is no field '%.40s'", name);
  return s->slots[f].v ? td_value_hold(s->slots[f].v) : td_num(L, 0, 0, 1, c->at);
}

// setfield(s, 'name', value)
static value* setfield(lang* L, call* c) {
  const value* s = one_struct(L, c);
  const char* name = s ? td_arg_string(L, c, 1) : NULL;
  if (!name) return NULL;
  if (!td_is_identifier(name))
    return td_fail(L, c->arg_at[1], "setfield: '%.40s' is not a name", name);
  value* out = td_value_own(td_value_hold(c->argv[0]));
  if (!out) return td_no_memory(L, c->at);
  value_slot* slot = td_value_slot_make(out, 0, name);
  const bool ok = slot && td_value_put(out, slot, td_value_hold(c->argv[2]));
  if (!ok) {
    td_value_drop(out);
    return td_fail(L, c->at, "setfield: too large or nested too deep");
  }
  slot->at = c->arg_at[2];
  slot->name_at = c->arg_at[1];
  return out;
}

// ---- kinds --------------------------------------------------------------------------------------

// MATLAB's name for the class of a value.
static const char* class_of(const value* v) {
  switch (v->kind) {
    case V_NUM:
      return v->logical && !td_has_expr(v) ? "logical" : td_has_expr(v) ? "sym" : "double";
    case V_STR:
      return "char";
    case V_STRUCT:
      return "struct";
    case V_CELL:
      return "cell";
    case V_FUNC:
      return "function_handle";
    case V_REF:
      return "reference";
  }
  return "";
}

static value* class_name(lang* L, call* c) {
  const char* name = class_of(c->argv[0]);
  return td_string(L, name, (int)strlen(name), c->at);
}

// isa(x, 'double'), also of the groups 'numeric' and 'float'
static value* isa(lang* L, call* c) {
  const char* name = td_arg_string(L, c, 1);
  if (!name) return NULL;
  const char* own = class_of(c->argv[0]);
  const bool group = strcmp(name, "numeric") == 0 || strcmp(name, "float") == 0;
  return td_logical(L, group ? strcmp(own, "double") == 0 : strcmp(own, name) == 0, c->at);
}

// iscellstr(x): whether x is a cell of texts
static value* iscellstr(lang* L, call* c) {
  const value* v = c->argv[0];
  bool texts = v->kind == V_CELL;
  for (int i = 0; texts && i < td_value_count(v); i++)
    texts = v->slots[i].v && v->slots[i].v->kind == V_STR;
  return td_logical(L, texts, c->at);
}

// logical(x)
static value* logical(lang* L, call* c) {
  if (!td_arg_numeric(L, c, 0)) return NULL;
  value* zero = td_scalar(L, 0, c->at);
  value* out = zero ? td_binary(L, OP_NE, c->argv[0], zero, c->at) : NULL;
  td_value_drop(zero);
  return out;
}

// ---- functions ----------------------------------------------------------------------------------

// str2func('name'); func2str(@name)
static value* str2func(lang* L, call* c) {
  const char* name = td_arg_string(L, c, 0);
  if (!name) return NULL;
  if (*name == '@') name++;
  if (td_is_identifier(name)) return td_named_function(L, name, c->at);
  td_fail(L, c->arg_at[0], "str2func takes the name of a function, got '%.40s'", name);
  td_hint(L->diags, "write the function itself: f = @(x) ...");
  return NULL;
}

// func2str(f): the name of a function
static value* func2str(lang* L, call* c) {
  const char* name = c->argv[0]->kind == V_FUNC ? td_function_name(c->argv[0]) : NULL;
  if (name) return td_string(L, name, (int)strlen(name), c->at);
  return td_fail(
      L, c->arg_at[0], "func2str gives the name of @name, got %s",
      c->argv[0]->kind == V_FUNC ? "a function without a name" : td_value_kind_text(c->argv[0]));
}

// bsxfun(f, a, b): operators and functions of elements repeat rows and columns themselves
static value* bsxfun(lang* L, call* c) { return td_call_first(L, c); }

// structfun(f, s): a column of results, or with 'UniformOutput', false a structure of them
static value* structfun(lang* L, call* c) {
  const value* s = c->argc > 1 ? c->argv[1] : NULL;
  bool uniform = true;
  if (!td_uniform_option(L, c, 2, &uniform)) return NULL;
  if (s->kind != V_STRUCT || td_value_count(s) != 1)
    return td_fail(L, c->arg_at[1], "structfun works on one structure, got %s",
                   td_value_kind_text(s));
  value* out = uniform ? td_num(L, s->nfield, 1, 1, c->at) : td_struct(L, 1, 1, c->at);
  bool ok = out != NULL;

  // call the function for each field
  for (int f = 0; ok && f < s->nfield; f++) {
    value* pair[2] = {c->argv[0], s->slots[f].v};
    if (!pair[1]) continue;
    call inner = *c;
    inner.argv = pair;
    inner.argc = 2;
    inner.nout = 1;
    value* r = td_call_first(L, &inner);
    ok = r != NULL;
    if (ok && uniform && (r->kind != V_NUM || td_value_count(r) != 1)) {
      ok = td_fail(L, c->at, "structfun: the result of '%s' is %s, not one number", s->names[f],
                   td_value_kind_text(r)) != NULL;
      td_hint(L->diags, "for a structure of results add 'UniformOutput', false");
    }

    // a number into the column, or a field of the structure
    if (ok && uniform) ok = td_copy_element(L, out, f, r, 0, c->at);
    if (ok && uniform) out->logical = r->logical && (f == 0 || out->logical);
    value_slot* slot = ok && !uniform ? td_value_slot_make(out, 0, s->names[f]) : NULL;
    if (slot) {
      slot->at = slot->name_at = c->at;
      ok = td_value_put(out, slot, td_value_hold(r));
    }
    td_value_drop(r);
  }
  return value_if(ok, out);
}

// plus(a, b), times(a, b), ...
static value* operation(lang* L, call* c) {
  if (c->argc == 1) return td_unary(L, (ast_op)c->row->op, c->argv[0], c->at);
  return td_binary(L, (ast_op)c->row->op, c->argv[0], c->argv[1], c->at);
}

const builtin td_builtin_structures[] = {
    {"num2cell", num2cell, 1, 1, "num2cell(a)", 0},
    {"deal", deal, 1, -1, "deal(x, ...)", 0},
    {"struct2cell", struct2cell, 1, 1, "struct2cell(s)", 0},
    {"cell2struct", cell2struct, 2, 3, "cell2struct(values, names, 1)", 0},
    {"getfield", getfield, 2, 2, "getfield(s, 'name')", 0},
    {"setfield", setfield, 3, 3, "setfield(s, 'name', value)", 0},
    {"class", class_name, 1, 1, "class(x)", 0},
    {"isa", isa, 2, 2, "isa(x, 'double')", 0},
    {"iscellstr", iscellstr, 1, 1, "iscellstr(c)", 0},
    {"logical", logical, 1, 1, "logical(x)", 0},
    {"str2func", str2func, 1, 1, "str2func('name')", 0},
    {"func2str", func2str, 1, 1, "func2str(@name)", 0},
    {"bsxfun", bsxfun, 3, 3, "bsxfun(f, a, b)", 0},
    {"structfun", structfun, 2, 4, "structfun(f, s)", 0},
    {"plus", operation, 2, 2, "plus(a, b)", OP_ADD},
    {"minus", operation, 2, 2, "minus(a, b)", OP_SUB},
    {"times", operation, 2, 2, "times(a, b)", OP_EMUL},
    {"mtimes", operation, 2, 2, "mtimes(a, b)", OP_MUL},
    {"rdivide", operation, 2, 2, "rdivide(a, b)", OP_EDIV},
    {"mrdivide", operation, 2, 2, "mrdivide(a, b)", OP_DIV},
    {"mldivide", operation, 2, 2, "mldivide(a, b)", OP_LDIV},
    {"power", operation, 2, 2, "power(a, b)", OP_EPOW},
    {"mpower", operation, 2, 2, "mpower(a, b)", OP_POW},
    {"uminus", operation, 1, 1, "uminus(a)", OP_NEG},
    {"eq", operation, 2, 2, "eq(a, b)", OP_EQ},
    {"ne", operation, 2, 2, "ne(a, b)", OP_NE},
    {"lt", operation, 2, 2, "lt(a, b)", OP_LT},
    {"le", operation, 2, 2, "le(a, b)", OP_LE},
    {"gt", operation, 2, 2, "gt(a, b)", OP_GT},
    {"ge", operation, 2, 2, "ge(a, b)", OP_GE},
    {NULL, NULL, 0, 0, NULL, 0},
};
