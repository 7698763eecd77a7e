// What editors ask about a text: what stands at a place, where it is defined, where it is used.
// Names and paths are read from the tokens, so that texts with errors are understood too;
// definitions and scopes come from the tree.
#include "tendril/editor.h"

#include <stdio.h>

#include "lang/eval.h"
#include "lang/tokens.h"
#include "model/fields.h"

// A region in which a name is local: a function, or the body of @(x)
typedef struct region {
  int begin, end;
  const ast* lambda;  // NULL: a function
} region;

struct td_editor_text {
  td_diags diags;
  ast_pool* pool;
  const char* text;
  int size;
  token_list tokens;
  td_editor_symbol* symbols;
  int nsymbol, symbol_cap;
  region* regions;
  int nregion, region_cap;
  bool failed;
};

// ---- definitions ------------------------------------------------------------------------------

// Number of the innermost function around an offset, from 1; 0: none.
static int function_at(const td_editor_text* e, int offset) {
  int found = 0;
  for (int i = 0; i < e->nregion; i++)
    if (!e->regions[i].lambda && e->regions[i].begin <= offset && offset < e->regions[i].end)
      found = i + 1;
  return found;
}

// The lambda around an offset that has a parameter of this name; NULL: none.
static const region* lambda_of(const td_editor_text* e, int offset, const char* name) {
  const region* found = NULL;
  for (int i = 0; i < e->nregion; i++) {
    const region* r = &e->regions[i];
    if (!r->lambda || offset < r->begin || offset >= r->end) continue;
    for (int k = 0; k < r->lambda->n; k++)
      if (strcmp(r->lambda->list[k]->text, name) == 0) found = r;
  }
  return found;
}

static void add_region(td_editor_text* e, td_span at, const ast* lambda) {
  region* grown = td_grow(e->regions, &e->region_cap, e->nregion + 1, sizeof *grown);
  e->failed = e->failed || !grown;
  if (!grown) return;
  e->regions = grown;
  grown[e->nregion++] = (region){at.begin, at.end, lambda};
}

// Add a definition unless its scope has one of this name and kind.
static void define(td_editor_text* e, td_editor_kind kind, const char* name, td_span at,
                   td_span statement) {
  if (!name || strcmp(name, "~") == 0 || strlen(name) >= sizeof e->symbols->name) return;
  td_editor_symbol s = {.kind = kind,
                        .begin = at.begin,
                        .end = at.end,
                        .from = statement.begin,
                        .to = statement.end,
                        .scope = function_at(e, at.begin)};
  snprintf(s.name, sizeof s.name, "%s", name);
  for (int i = 0; i < e->nsymbol; i++)
    if (e->symbols[i].kind == kind && e->symbols[i].scope == s.scope &&
        strcmp(e->symbols[i].name, name) == 0)
      return;
  td_editor_symbol* grown = td_grow(e->symbols, &e->symbol_cap, e->nsymbol + 1, sizeof *grown);
  e->failed = e->failed || !grown;
  if (!grown) return;
  e->symbols = grown;
  grown[e->nsymbol++] = s;
}

// Define what a statement assigns to: a variable, or an element of a structure and its name.
static void define_target(td_editor_text* e, const ast* target, const ast* given, td_span at) {
  const ast *root = target, *index = NULL;
  while (root->kind == AST_FIELD || root->kind == AST_INDEX || root->kind == AST_CELLINDEX) {
    if (root->kind == AST_INDEX) index = root;
    root = root->a;
  }
  if (root->kind != AST_NAME || !root->text) return;
  if (!td_field_is_root(root->text)) {
    define(e, TD_EDITOR_VARIABLE, root->text, root->at, at);
    return;
  }

  // body(2).m = ...: the element; body(2).name = 'tip': the name
  char name[64];
  const bool numbered = index && index->a == root && index->n == 1 &&
                        index->list[0]->kind == AST_NUMBER && index->list[0]->number >= 1 &&
                        index->list[0]->number < 1e9;
  if (numbered)
    snprintf(name, sizeof name, "%.32s(%.0f)", root->text, index->list[0]->number);
  else
    snprintf(name, sizeof name, "%.32s", root->text);
  define(e, TD_EDITOR_FIELD, name, numbered ? index->at : root->at, at);
  if (given && given->kind == AST_STRING && target->kind == AST_FIELD && target->text &&
      strcmp(target->text, "name") == 0)
    define(e, TD_EDITOR_WORD, given->text,
           (td_span){given->at.source, given->at.begin + 1, given->at.end - 1}, at);
}

// Collect regions (first) or definitions of a tree.
static void collect(td_editor_text* e, const ast* node, bool regions) {
  if (!node) return;
  if (regions) {
    if (node->kind == AST_FUNCTION) add_region(e, node->at, NULL);
    if (node->kind == AST_LAMBDA) add_region(e, node->at, node);
  } else if (node->kind == AST_ASSIGN) {
    for (int i = 0; i < node->n; i++)
      define_target(e, node->list[i], node->n == 1 ? node->a : NULL, node->at);
  } else if (node->kind == AST_FOR && node->a) {
    define_target(e, node->a, NULL, node->a->at);
  } else if (node->kind == AST_GLOBAL) {
    for (int i = 0; i < node->n; i++) define_target(e, node->list[i], NULL, node->at);
  } else if (node->kind == AST_FUNCTION) {
    define(e, TD_EDITOR_FUNCTION, node->text, node->name_at, node->at);
    for (int i = 0; i < node->n; i++)
      define(e, TD_EDITOR_VARIABLE, node->list[i]->text, node->list[i]->at, node->list[i]->at);
    for (int i = 0; i < node->nout; i++)
      define(e, TD_EDITOR_VARIABLE, node->outs[i]->text, node->outs[i]->at, node->outs[i]->at);
  }
  collect(e, node->a, regions);
  collect(e, node->b, regions);
  collect(e, node->c, regions);
  for (int i = 0; i < node->n; i++) collect(e, node->list[i], regions);
  collect(e, node->body, regions);
}

td_editor_text* td_editor_open(const char* text) {
  const size_t size = text ? strlen(text) : 0;
  td_editor_text* e = text && size < AST_SIZE_LIMIT / 4 ? calloc(1, sizeof *e) : NULL;
  if (!e) return NULL;
  const int source = td_diags_source(&e->diags, "text", text, (int)size);
  const ast* file = source >= 0 ? td_parse(&e->diags, source, &e->pool) : NULL;
  if (file) {
    e->text = e->diags.sources[0].text;
    e->size = (int)size;
    e->failed = !td_tokens_read(&e->diags, source, file, &e->tokens);
    collect(e, file, true);
    collect(e, file, false);
  }
  if (file && !e->failed) return e;
  td_editor_close(e);
  return NULL;
}

void td_editor_close(td_editor_text* e) {
  if (!e) return;
  td_ast_free(e->pool);
  td_diags_free(&e->diags);
  free(e->tokens.list);
  free(e->symbols);
  free(e->regions);
  free(e);
}

bool td_editor_has_errors(const td_editor_text* e) { return !e || e->diags.errors > 0; }

bool td_editor_symbol_into(const td_editor_text* e, int i, td_editor_symbol* out, size_t size) {
  return e && i >= 0 && i < e->nsymbol &&
         struct_into(out, size, &e->symbols[i], sizeof e->symbols[i]);
}

// ---- paths of tokens --------------------------------------------------------------------------

// Index of the opening bracket that token i closes; -1: none.
static int opener_of(const td_editor_text* e, int i) {
  const int depth = e->tokens.list[i].depth;
  for (int k = i - 1; k >= 0; k--)
    if (e->tokens.list[k].depth < depth) return k;
  return -1;
}

static bool closes(token_kind k) { return k == T_RPAREN || k == T_RBRACE; }

// Write the path of names that ends with token i, which is a name; *root is its first token. False:
// it is not a path (a.(b).c), or too long.
static bool path_of(const td_editor_text* e, int i, char* path, size_t size, int* root) {
  const text_token* t = e->tokens.list;
  char before[160] = "";
  for (;;) {
    if (i < 0 || t[i].kind != T_NAME || t[i].command) return false;
    const int n = snprintf(path, size, "%.*s%s%s", t[i].end - t[i].begin, e->text + t[i].begin,
                           *before ? "." : "", before);
    if (n < 0 || (size_t)n >= size || n >= (int)sizeof before) return false;
    snprintf(before, sizeof before, "%s", path);
    *root = i;
    if (i == 0 || t[i - 1].kind != T_DOT) return true;
    i -= 2;
    while (i > 0 && closes(t[i].kind)) i = opener_of(e, i) - 1;
  }
}

// The number in body(2) for the root token; 0: none.
static int number_behind(const td_editor_text* e, int root) {
  const text_token* t = e->tokens.list;
  if (root + 3 >= e->tokens.n || t[root + 1].kind != T_LPAREN || t[root + 2].kind != T_NUMBER ||
      t[root + 3].kind != T_RPAREN)
    return 0;
  const double x = strtod(e->text + t[root + 2].begin, NULL);
  return x >= 1 && x < 1e9 ? (int)x : 0;
}

// The path that is assigned the value at token i: `path = value`, in cells too; false: none.
static bool assigned_path(const td_editor_text* e, int i, char* path, size_t size) {
  const text_token* t = e->tokens.list;
  int k = i - 1;
  while (k > 0 && t[k].depth > 0) k--;
  while (k > 0 && t[k].kind == T_LBRACE && t[k].depth == 0) k--;
  if (k < 1 || t[k].kind != T_ASSIGN || t[k].depth > 0) return false;
  k--;
  while (k > 0 && closes(t[k].kind)) k = opener_of(e, k) - 1;
  int root;
  return k >= 0 && path_of(e, k, path, size, &root);
}

// True if a token is the first argument of param or input.
static bool is_param_name(const td_editor_text* e, int i) {
  const text_token* t = e->tokens.list;
  if (i < 2 || t[i - 1].kind != T_LPAREN || t[i - 2].kind != T_NAME) return false;
  const int n = t[i - 2].end - t[i - 2].begin;
  return n == 5 && (strncmp(e->text + t[i - 2].begin, "param", 5) == 0 ||
                    strncmp(e->text + t[i - 2].begin, "input", 5) == 0);
}

static bool is_text(const td_editor_text* e, const text_token* t) {
  return !t->command && (t->kind == T_STRING || (t->kind == T_ERROR && t->end > t->begin &&
                                                 strchr("'\"", e->text[t->begin])));
}

static const td_editor_symbol* find_symbol(const td_editor_text* e, td_editor_kind kind,
                                           const char* name, int within) {
  for (int i = 0; i < e->nsymbol; i++)
    if (e->symbols[i].kind == kind && (within < 0 || e->symbols[i].scope == within) &&
        strcmp(e->symbols[i].name, name) == 0)
      return &e->symbols[i];
  return NULL;
}

static bool is_builtin(const char* name) {
  if (td_sensor_find(name) >= 0) return true;
  for (int k = 0; td_builtin_all[k]; k++)
    for (const builtin* b = td_builtin_all[k]; b->name; b++)
      if (strcmp(b->name, name) == 0) return true;
  return false;
}

// What token i is; false: nothing to tell about.
static bool place_of(const td_editor_text* e, int i, td_editor_place* p) {
  const text_token* t = &e->tokens.list[i];
  const bool quoted = is_text(e, t);
  *p = (td_editor_place){.begin = t->begin + quoted, .end = t->end};
  if (quoted && p->end > p->begin && e->text[p->end - 1] == e->text[t->begin]) p->end--;
  if ((t->kind != T_NAME && !quoted) || t->command || p->end - p->begin >= (int)sizeof p->name)
    return false;
  snprintf(p->name, sizeof p->name, "%.*s", p->end - p->begin, e->text + p->begin);
  if (quoted) {
    p->kind = TD_EDITOR_WORD;
    if (!assigned_path(e, i, p->path, sizeof p->path)) p->path[0] = '\0';
    return true;
  }

  // a path of a structure of the model, or a name
  int root;
  if (!path_of(e, i, p->path, sizeof p->path, &root)) return false;
  p->number = number_behind(e, root);
  char first[64];
  snprintf(first, sizeof first, "%.*s", (int)strcspn(p->path, "."), p->path);
  if (td_field_is_root(first)) {
    p->kind = TD_EDITOR_FIELD;
  } else if (root != i) {
    return false;  // a field of the user's own
  } else if (!lambda_of(e, t->begin, p->name) &&
             !find_symbol(e, TD_EDITOR_VARIABLE, p->name, function_at(e, t->begin)) &&
             (is_builtin(p->name) || find_symbol(e, TD_EDITOR_FUNCTION, p->name, -1))) {
    p->kind = TD_EDITOR_FUNCTION;
  } else {
    p->kind = TD_EDITOR_VARIABLE;
  }
  return true;
}

// Token at an offset, or the name that ends there; -1: none.
static int token_at(const td_editor_text* e, int offset) {
  int found = -1;
  for (int i = 0; i < e->tokens.n && e->tokens.list[i].begin <= offset; i++) {
    const text_token* t = &e->tokens.list[i];
    if (offset < t->end || (offset == t->end && (t->kind == T_NAME || is_text(e, t)))) found = i;
  }
  return found;
}

bool td_editor_at_into(const td_editor_text* e, int offset, td_editor_place* place, size_t size) {
  td_editor_place p;
  const int i = e ? token_at(e, offset) : -1;
  return i >= 0 && place_of(e, i, &p) && struct_into(place, size, &p, sizeof p);
}

bool td_editor_before_into(const td_editor_text* e, int offset, td_editor_place* place,
                           size_t size) {
  if (!e || offset < 0 || offset > e->size) return false;
  td_editor_place p = {.kind = TD_EDITOR_VARIABLE, .begin = offset, .end = offset};
  const text_token* t = e->tokens.list;

  // the last token that begins before the offset
  int i = -1;
  while (i + 1 < e->tokens.n && t[i + 1].begin < offset) i++;
  if (i >= 0 && is_text(e, &t[i]) &&
      (offset < t[i].end || (offset == t[i].end && t[i].kind == T_ERROR))) {
    p.kind = TD_EDITOR_WORD;
    p.begin = t[i].begin + 1;
    return assigned_path(e, i, p.path, sizeof p.path) && struct_into(place, size, &p, sizeof p);
  }

  // no names inside comments and other texts
  int line = offset;
  while (line > 0 && e->text[line - 1] != '\n') line--;
  for (int at = max_int(line, i >= 0 ? t[i].end : 0); at < offset; at++)
    if (e->text[at] == '%' || e->text[at] == '#') return false;

  if (i >= 0 && t[i].end >= offset && (t[i].kind == T_NAME || is_keyword(t[i].kind))) {
    p.begin = t[i].begin;
    i--;
  }
  if (i >= 1 && t[i].kind == T_DOT && t[i].end == p.begin) {
    int k = i - 1, root;
    while (k > 0 && closes(t[k].kind)) k = opener_of(e, k) - 1;
    p.kind = TD_EDITOR_FIELD;
    if (k < 0 || !path_of(e, k, p.path, sizeof p.path, &root)) return false;
  } else if (i >= 0 && t[i].end == offset && t[i].kind == T_NUMBER) {
    return false;
  }
  return struct_into(place, size, &p, sizeof p);
}

// ---- definitions and uses ---------------------------------------------------------------------

bool td_editor_definition(const td_editor_text* e, int offset, int* begin, int* end) {
  td_editor_place p;
  const int i = e ? token_at(e, offset) : -1;
  if (i < 0 || !begin || !end || !place_of(e, i, &p)) return false;
  const td_editor_symbol* s = NULL;
  if (p.kind == TD_EDITOR_VARIABLE) {
    const region* lambda = lambda_of(e, p.begin, p.name);
    for (int k = 0; lambda && k < lambda->lambda->n; k++) {
      if (strcmp(lambda->lambda->list[k]->text, p.name) != 0) continue;
      *begin = lambda->lambda->list[k]->at.begin;
      *end = lambda->lambda->list[k]->at.end;
      return true;
    }
    s = find_symbol(e, TD_EDITOR_VARIABLE, p.name, function_at(e, p.begin));
  } else if (p.kind == TD_EDITOR_FUNCTION) {
    s = find_symbol(e, TD_EDITOR_FUNCTION, p.name, -1);
  } else if (p.kind == TD_EDITOR_FIELD) {
    char name[64], root[40];
    snprintf(root, sizeof root, "%.*s", (int)strcspn(p.path, "."), p.path);
    snprintf(name, sizeof name, "%s(%d)", root, p.number);
    s = find_symbol(e, TD_EDITOR_FIELD, name, -1);
    if (!s) s = find_symbol(e, TD_EDITOR_FIELD, root, -1);
  } else {
    s = find_symbol(e, TD_EDITOR_WORD, p.name, -1);
    for (int k = 0; !s && k < e->tokens.n; k++) {
      td_editor_place q;
      if (!is_param_name(e, k) || !place_of(e, k, &q) || strcmp(q.name, p.name) != 0) continue;
      *begin = q.begin;
      *end = q.end;
      return true;
    }
  }
  if (!s) return false;
  *begin = s->begin;
  *end = s->end;
  return true;
}

// True if a text names a param or input: in param(...), or in a field that names some.
static bool names_param(const td_editor_text* e, int i, const td_editor_place* p) {
  static const char* const roots[] = {"control.", "task.", "fit.", "prior.", "output"};
  if (is_param_name(e, i)) return true;
  const char* last = strrchr(p->path, '.');
  if (last &&
      (strcmp(last, ".name") == 0 || strcmp(last, ".sensor") == 0 || strcmp(last, ".data") == 0))
    return false;
  for (size_t k = 0; k < sizeof roots / sizeof *roots; k++)
    if (strncmp(p->path, roots[k], strlen(roots[k])) == 0) return true;
  return false;
}

int td_editor_uses(const td_editor_text* e, int offset, int* ranges, int n) {
  td_editor_place p, q;
  const int i = e ? token_at(e, offset) : -1;
  if (i < 0 || !place_of(e, i, &p)) return 0;
  if (p.kind == TD_EDITOR_WORD ? !names_param(e, i, &p) : p.kind != TD_EDITOR_VARIABLE) return 0;

  // scope: a lambda, a function, or the text
  const region* lambda = p.kind == TD_EDITOR_VARIABLE ? lambda_of(e, p.begin, p.name) : NULL;
  const int within = function_at(e, p.begin);
  bool is_param = false;
  for (int k = 0; !lambda && k < e->tokens.n; k++)
    is_param = is_param || (is_param_name(e, k) && place_of(e, k, &q) && q.kind == TD_EDITOR_WORD &&
                            strcmp(q.name, p.name) == 0);

  int count = 0;
  for (int k = 0; k < e->tokens.n; k++) {
    const text_token* t = &e->tokens.list[k];
    if (t->command) {  // words of syms, clear ...
      for (int at = t->begin; at < t->end;) {
        const int word = (int)strcspn(e->text + at, " \t,\r\n;");
        const int length = min_int(word, t->end - at);
        if (at > t->begin && length == (int)strlen(p.name) && !lambda &&
            function_at(e, at) == within && strncmp(e->text + at, p.name, (size_t)length) == 0) {
          if (count < n) ranges[2 * count] = at, ranges[2 * count + 1] = at + length;
          count++;
        }
        at += word + 1;
      }
      continue;
    }
    if (!place_of(e, k, &q) || strcmp(q.name, p.name) != 0) continue;
    if (function_at(e, q.begin) != within) continue;
    if (q.kind == TD_EDITOR_WORD
            ? !is_param || !names_param(e, k, &q)
            : q.kind != TD_EDITOR_VARIABLE || lambda_of(e, q.begin, q.name) != lambda)
      continue;
    if (count < n) ranges[2 * count] = q.begin, ranges[2 * count + 1] = q.end;
    count++;
  }
  return count;
}
