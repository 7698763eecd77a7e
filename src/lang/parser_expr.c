// Grammar of expressions, by recursive descent and precedence climbing.  From loose to tight:
//
//   ||   &&   |   &   < <= == ~= >= >   a:b:c   + -   * / \ .* ./ .\   unary + - ~   ^ .^ ' .'
//
// All operators associate to the left.  The right side of ^ may have signs of its own (2^-1) but no
// further power or transpose: 2^3' is (2^3)'.  To add a binary operator: a token in lexer.h and a
// row in `operators`.  A function returns NULL or false after a message.
#include "lang/parser.h"

enum { LEVEL_OROR = 1, LEVEL_ADD = 6 };  // levels of precedence; ranges lie between 5 and 6

static const struct {
  int level;
  ast_op op;
} operators[T_NOT] = {
    [T_OROR] = {LEVEL_OROR, OP_OROR},
    [T_ANDAND] = {2, OP_ANDAND},
    [T_OR] = {3, OP_OR},
    [T_AND] = {4, OP_AND},
    [T_LT] = {5, OP_LT},
    [T_LE] = {5, OP_LE},
    [T_EQ] = {5, OP_EQ},
    [T_NE] = {5, OP_NE},
    [T_GE] = {5, OP_GE},
    [T_GT] = {5, OP_GT},
    [T_ADD] = {LEVEL_ADD, OP_ADD},
    [T_SUB] = {LEVEL_ADD, OP_SUB},
    [T_MUL] = {7, OP_MUL},
    [T_DIV] = {7, OP_DIV},
    [T_LDIV] = {7, OP_LDIV},
    [T_EMUL] = {7, OP_EMUL},
    [T_EDIV] = {7, OP_EDIV},
    [T_ELDIV] = {7, OP_ELDIV},
};

// Precedence of a binary operator, 0 for other tokens.
static int level_of(token_kind k) { return k < T_NOT ? operators[k].level : 0; }

// ---- values -----------------------------------------------------------------------------------

// The current string token as a node.
static ast* string(parser* p) {
  const token t = p->tok;
  ast* node = td_parser_node(p, AST_STRING, td_parser_span(p, t));
  td_text text = {0};
  td_lexer_string(&p->lx, t, &text);
  if (node && !text.failed) {
    node->dquote = p->lx.text[t.begin] == '"';
    node->text = td_ast_text(p->pool, text.s, text.n);
  }
  if (node && !node->text) p->no_memory = p->stop = true;
  td_text_free(&text);
  td_parser_next(p);
  return p->stop ? NULL : node;
}

// The current token as a name.
static ast* name(parser* p) {
  ast* node = td_parser_word(p, AST_NAME, p->tok);
  td_parser_next(p);
  return node;
}

// ( expression ); the span of the expression grows to its parentheses.
static ast* parenthesised(parser* p) {
  const int opener = p->tok.begin;
  if (!td_parser_enter(p)) return NULL;
  td_parser_next(p);
  ast* node = td_parse_expression(p);
  td_parser_leave(p);
  if (!node) return NULL;
  if (!td_parser_accept(p, T_RPAREN)) return td_parser_not_closed(p, opener, ')');
  node->at = td_parser_since(p, opener);
  return node;
}

// ---- matrices ---------------------------------------------------------------------------------

static bool ends_row(token_kind k) { return k == T_SEMICOLON || k == T_NEWLINE; }

// a, b, c up to the end of the row; a comma may follow the last element.
static ast* row(parser* p, token_kind closer) {
  const int begin = p->tok.begin, mark = p->nitem;
  do {
    if (p->nitem > mark && (ends_row(p->tok.kind) || p->tok.kind == closer)) break;
    if (!td_parser_push(p, td_parse_expression(p))) return NULL;
  } while (td_parser_accept(p, T_COMMA));
  ast* node = td_parser_node(p, AST_ROW, td_parser_since(p, begin));
  if (!node || !td_parser_take(p, mark, &node->list, &node->n)) return NULL;
  return td_parser_finish(p, node);
}

// [ ... ] or { ... }: rows separated by semicolons or new lines.
static ast* matrix(parser* p, ast_kind kind, token_kind closer) {
  const int opener = p->tok.begin, mark = p->nitem;
  const token_kind other = closer == T_RBRACKET ? T_RBRACE : T_RBRACKET;
  if (!td_parser_enter(p)) return NULL;
  td_parser_next(p);

  bool ok = true, closed = false;
  while (ok && !closed) {
    while (ends_row(p->tok.kind)) td_parser_next(p);
    closed = td_parser_accept(p, closer);
    if (closed || p->tok.kind == T_EOF || p->tok.kind == T_RPAREN || p->tok.kind == other) break;
    ok = td_parser_push(p, row(p, closer));
    if (ok && !ends_row(p->tok.kind) && p->tok.kind != closer) break;
  }

  if (ok && !closed) td_parser_not_closed(p, opener, closer == T_RBRACKET ? ']' : '}');
  td_parser_leave(p);

  ast* node = ok && closed ? td_parser_node(p, kind, td_parser_since(p, opener)) : NULL;
  if (!node || !td_parser_take(p, mark, &node->list, &node->n)) return NULL;
  return td_parser_finish(p, node);
}

// ---- functions --------------------------------------------------------------------------------

// Names of parameters up to ')'; `~` is one that is not used.
static bool parameters(parser* p, int opener) {
  while (p->tok.kind != T_RPAREN) {
    const bool known = p->tok.kind == T_NAME || p->tok.kind == T_NOT;
    if (!known) {
      td_parser_expected(p, "the name of a parameter");
      return false;
    }
    if (!td_parser_push(p, name(p))) return false;
    if (p->tok.kind == T_RPAREN) break;
    if (!td_parser_accept(p, T_COMMA)) {
      td_parser_not_closed(p, opener, ')');
      return false;
    }
  }
  return true;
}

// @(x, y) expression
static ast* lambda(parser* p, token at) {
  const int opener = p->tok.begin, mark = p->nitem;
  ast* node = td_parser_node(p, AST_LAMBDA, td_parser_span(p, at));
  if (!node || !td_parser_enter(p)) return NULL;
  td_parser_next(p);
  const bool ok = parameters(p, opener);
  if (ok) {
    td_lexer_function_body(&p->lx);
    td_parser_next(p);
    node->a = td_parse_expression(p);
  }
  td_parser_leave(p);
  if (!node->a || !td_parser_take(p, mark, &node->list, &node->n)) return NULL;
  node->at = td_parser_since(p, at.begin);
  return td_parser_finish(p, node);
}

// @name or @(x, y) expression
static ast* handle(parser* p) {
  const token at = p->tok;
  td_parser_next(p);
  if (p->tok.kind == T_LPAREN) return lambda(p, at);
  if (p->tok.kind != T_NAME) return td_parser_expected(p, "a function's name or '(' after '@'");
  ast* node = td_parser_word(p, AST_HANDLE, p->tok);
  td_parser_next(p);
  if (node) node->at = td_parser_since(p, at.begin);
  return node;
}

// An operand without indices: a literal, a name, a bracketed expression or a function handle.
static ast* primary(parser* p) {
  ast* node;

  switch (p->tok.kind) {
    case T_NUMBER:
      node = td_parser_node(p, AST_NUMBER, td_parser_span(p, p->tok));
      if (node) node->number = p->tok.number;
      td_parser_next(p);
      return node;
    case T_LAST:
      if (p->index == 0) return td_parser_value_expected(p);
      node = td_parser_node(p, AST_END, td_parser_span(p, p->tok));
      td_parser_next(p);
      return node;
    case T_STRING:
      return string(p);
    case T_NAME:
      return name(p);
    case T_LPAREN:
      return parenthesised(p);
    case T_LBRACKET:
      return matrix(p, AST_MATRIX, T_RBRACKET);
    case T_LBRACE:
      return matrix(p, AST_CELL, T_RBRACE);
    case T_AT:
      return handle(p);
    default:
      return td_parser_value_expected(p);
  }
}

// ---- indices and fields -----------------------------------------------------------------------

// An index or argument: ':' alone, or an expression.
static ast* argument(parser* p) {
  if (p->tok.kind != T_COLON) return td_parse_expression(p);
  const token t = p->tok;
  td_parser_next(p);
  if (p->tok.kind == T_COMMA || p->tok.kind == T_RPAREN || p->tok.kind == T_RBRACE) {
    return td_parser_node(p, AST_COLON, td_parser_span(p, t));
  }
  td_parser_error(p, td_parser_span(p, t), "expected a value before ':'");
  td_hint(p->diags, "a range from the beginning is 1:n; all elements are ':' alone");
  return NULL;
}

// a(list) or a{list}
static ast* indexed(parser* p, ast* a, ast_kind kind, token_kind closer) {
  const int opener = p->tok.begin, mark = p->nitem;
  if (!td_parser_enter(p)) return NULL;
  td_parser_next(p);
  p->index++;
  bool ok = true, closed = td_parser_accept(p, closer);
  if (!closed) {
    do {
      ok = td_parser_push(p, argument(p));
    } while (ok && td_parser_accept(p, T_COMMA));
    closed = ok && td_parser_accept(p, closer);
    if (ok && !closed) td_parser_not_closed(p, opener, closer == T_RPAREN ? ')' : '}');
  }
  p->index--;
  td_parser_leave(p);

  ast* node = closed ? td_parser_node(p, kind, td_parser_since(p, a->at.begin)) : NULL;
  if (!node || !td_parser_take(p, mark, &node->list, &node->n)) return NULL;
  node->a = a;
  node->name_at = a->name_at;
  return td_parser_finish(p, node);
}

// a.name or a.(expression)
static ast* field(parser* p, ast* a) {
  ast* node = NULL;
  td_parser_next(p);
  if (p->tok.kind == T_NAME) {
    node = td_parser_word(p, AST_FIELD, p->tok);
    td_parser_next(p);
  } else if (p->tok.kind == T_LPAREN) {
    ast* b = parenthesised(p);
    if (b) node = td_parser_node(p, AST_FIELD, b->at);
    if (node) node->b = b;
  } else {
    return td_parser_expected(p, "the name of a field after '.'");
  }
  if (!node) return NULL;
  node->a = a;
  node->at = td_parser_since(p, a->at.begin);
  return td_parser_finish(p, node);
}

// True if '{' ends the first line of a block, as in `if (x) {` of other languages; a comment may
// follow.
static bool is_block_brace(const parser* p) {
  int pos = p->tok.end;
  while (p->lx.text[pos] == ' ' || p->lx.text[pos] == '\t') pos++;
  const char c = p->lx.text[pos];
  return p->header && p->index == 0 &&
         (c == '\n' || c == '\r' || c == '\0' || c == '%' || c == '#');
}

// Indices and fields behind an operand: a(1).b{2}
static ast* chain(parser* p, ast* a) {
  while (a) {
    if (p->tok.kind == T_LPAREN) {
      a = indexed(p, a, AST_INDEX, T_RPAREN);
    } else if (p->tok.kind == T_LBRACE) {
      if (is_block_brace(p)) {
        td_parser_error(p, td_parser_span(p, p->tok), "blocks are not written with braces");
        td_hint(p->diags, "leave '{' out and close the block with 'end'");
        p->braces++;
        return NULL;
      }
      a = indexed(p, a, AST_CELLINDEX, T_RBRACE);
    } else if (p->tok.kind == T_DOT) {
      a = field(p, a);
    } else if (p->tok.kind == T_NUMBER && !p->tok.spaced && p->lx.text[p->tok.begin] == '.') {
      return td_parser_expected(p, "the name of a field");
    } else {
      break;
    }
  }
  return a;
}

// ---- operators --------------------------------------------------------------------------------

// Node of an operator with one or two operands; its span covers them.
static ast* operation(parser* p, ast_kind kind, ast_op op, token sign, ast* a, ast* b) {
  const int begin = a->at.begin < sign.begin ? a->at.begin : sign.begin;
  ast* node = td_parser_node(p, kind, td_parser_since(p, begin));
  if (!node) return NULL;
  node->op = op;
  node->name_at = td_parser_span(p, sign);
  node->a = a;
  node->b = b;
  return td_parser_finish(p, node);
}

// Unary + - ~ before an operand.
static ast* signs(parser* p, ast* (*operand)(parser*)) {
  const token sign = p->tok;
  const ast_op op = sign.kind == T_ADD ? OP_PLUS : sign.kind == T_SUB ? OP_NEG : OP_NOT;
  if (sign.kind != T_ADD && sign.kind != T_SUB && sign.kind != T_NOT) return operand(p);
  if (!td_parser_enter(p)) return NULL;
  td_parser_next(p);
  ast* a = signs(p, operand);
  td_parser_leave(p);
  return a ? operation(p, AST_UNARY, op, sign, a, NULL) : NULL;
}

static ast* chained(parser* p) { return chain(p, primary(p)); }

// Postfix transposes and powers: a^b, a.^b, a', a.'
static ast* power(parser* p) {
  ast* a = chained(p);
  while (a) {
    const token sign = p->tok;
    if (sign.kind == T_CTRANSPOSE || sign.kind == T_TRANSPOSE) {
      td_parser_next(p);
      const ast_op op = sign.kind == T_TRANSPOSE ? OP_TRANSPOSE : OP_CTRANSPOSE;
      a = chain(p, operation(p, AST_POSTFIX, op, sign, a, NULL));
    } else if (sign.kind == T_POW || sign.kind == T_EPOW) {
      td_parser_next(p);
      ast* b = signs(p, chained);
      a = b ? operation(p, AST_BINARY, sign.kind == T_POW ? OP_POW : OP_EPOW, sign, a, b) : NULL;
    } else {
      break;
    }
  }
  return a;
}

static ast* unary(parser* p) { return signs(p, power); }

// Operands joined by binary operators of at least `level` (precedence climbing).
static ast* climb(parser* p, int level, ast* (*operand)(parser*)) {
  ast* a = operand(p);
  while (a && level_of(p->tok.kind) >= level) {
    const token sign = p->tok;
    td_parser_next(p);
    ast* b = climb(p, level_of(sign.kind) + 1, operand);
    a = b ? operation(p, AST_BINARY, operators[sign.kind].op, sign, a, b) : NULL;
  }
  return a;
}

// a, a:b or a:step:b
static ast* range(parser* p) {
  ast* part[3] = {climb(p, LEVEL_ADD, unary), NULL, NULL};
  const token sign = p->tok;
  int n = 1;

  while (part[n - 1] && p->tok.kind == T_COLON) {
    if (n == 3) {
      return td_parser_error(p, td_parser_span(p, p->tok), "a range has at most three parts");
    }
    td_parser_next(p);
    part[n++] = climb(p, LEVEL_ADD, unary);
  }

  if (n == 1 || !part[n - 1]) return part[n - 1];
  ast* node = td_parser_node(p, AST_RANGE, td_parser_since(p, part[0]->at.begin));
  if (!node) return NULL;
  node->name_at = td_parser_span(p, sign);
  node->a = part[0];
  node->b = n == 3 ? part[1] : NULL;
  node->c = part[n - 1];
  return td_parser_finish(p, node);
}

ast* td_parse_expression(parser* p) { return climb(p, LEVEL_OROR, range); }
