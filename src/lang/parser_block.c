// Blocks, functions and the whole text.  A block with an error in its first line is still read to
// its `end`, and a missing `end` is reported at the block whose indentation shows that it lacks
// one.  A function returns NULL or false after a message.
#include <locale.h>
#include <string.h>

#include "lang/parser.h"

// Line of a span, from 1.
static int line_of(const parser* p, td_span at) {
  int line, column;
  td_span_position(p->diags, at, &line, &column);
  return line;
}

// Keyword that opens a block of this kind.
static const char* text_of(token_kind k) {
  switch (k) {
    case K_IF:
      return "if";
    case K_FOR:
      return "for";
    case K_WHILE:
      return "while";
    case K_SWITCH:
      return "switch";
    case K_FUNCTION:
      return "function";
    case K_TRY:
      return "try";
    case K_UNWIND:
      return "unwind_protect";
    case K_PARFOR:
      return "parfor";
    default:
      return "";
  }
}

// ---- blocks -----------------------------------------------------------------------------------

static bool is_middle(token_kind k) { return k >= K_ELSEIF && k <= K_CLEANUP; }
static bool is_closing(token_kind k) { return k >= K_END && k <= K_END_OTHER; }

// True if the keyword `k` may stand inside, or close, a block of `kind`.
static bool belongs(token_kind k, token_kind kind) {
  switch (k) {
    case K_ELSEIF:
    case K_ELSE:
    case K_ENDIF:
      return kind == K_IF;
    case K_CASE:
    case K_OTHERWISE:
    case K_ENDSWITCH:
      return kind == K_SWITCH;
    case K_CATCH:
      return kind == K_TRY;
    case K_CLEANUP:
      return kind == K_UNWIND;
    case K_ENDFOR:
      return kind == K_FOR;
    case K_ENDWHILE:
      return kind == K_WHILE;
    case K_ENDFUNCTION:
      return kind == K_FUNCTION;
    case K_END_OTHER:
      return kind == K_TRY || kind == K_UNWIND || kind == K_PARFOR;
    case K_END:
      return true;
    default:
      return false;
  }
}

// True if the keyword `k` belongs to one of the open blocks.
static bool belongs_outside(const parser* p, token_kind k) {
  for (const block* b = p->block; b; b = b->outer) {
    if (belongs(k, b->kind)) return true;
  }
  return false;
}

// Report and skip a keyword that belongs to no open block.
static void stray(parser* p) {
  const token t = p->tok;
  const td_span here = td_parser_span(p, t);
  const int length = t.end - t.begin;
  const char* text = p->lx.text + t.begin;
  const char* opener = "";

  for (token_kind k = K_IF; k <= K_PARFOR; k++) {
    if (belongs(t.kind, k) && !*opener) opener = text_of(k);
  }
  if (t.kind == K_END) {
    td_parser_error(p, here, "this 'end' closes nothing");
    td_hint(p->diags, "no 'if', 'for', 'while', 'switch' or 'function' is open here");
  } else {
    td_parser_error(p, here, "'%.*s' without '%s' before it", length, text, opener);
  }
  td_parser_next(p);
}

// Any statement; false when recovery is needed.  *out stays NULL for a refused statement.
static bool statement(parser* p, ast** out);

// Statements up to a keyword that belongs to an open block, a function, or the end of the file;
// they are pushed on the list.  False: parsing stops.
static bool statements(parser* p) {
  while (!p->stop && p->tok.kind != T_EOF) {
    // '}' closes a block that was opened with '{'
    if (p->braces > 0 && p->tok.kind == T_RBRACE) {
      p->braces--;
      p->tok.kind = K_END;
    }

    p->statement = p->tok.begin;
    if (is_separator(p->tok.kind)) {
      td_parser_next(p);
    } else if (p->block && (p->tok.kind == K_FUNCTION || belongs_outside(p, p->tok.kind))) {
      break;
    } else if (is_middle(p->tok.kind) || is_closing(p->tok.kind)) {
      if (p->block && is_closing(p->tok.kind)) break;
      stray(p);
      td_parser_recover(p, false);
    } else {
      ast* node = NULL;
      const int kept = p->nitem;
      if (!statement(p, &node)) {
        p->nitem = kept;
        td_parser_recover(p, false);
      } else if (node && !td_parser_push(p, node)) {
        return false;
      }
    }
  }
  return !p->stop;
}

// Statements of a block as one node.
static ast* body(parser* p) {
  const int begin = p->tok.begin, mark = p->nitem;
  if (!statements(p)) return NULL;
  const int end = max_int(begin, p->prev.end);
  ast* node = td_parser_node(p, AST_BLOCK, (td_span){p->source, begin, end});
  return node && td_parser_take(p, mark, &node->list, &node->n) ? node : NULL;
}

static block open_block(parser* p) {
  return (block){p->tok.kind, td_parser_span(p, p->tok), p->tok.starts_line, p->block};
}

// Report a block without `end`: the inner block whose `end`, by its indentation, was meant for this
// one, or this block.
static void no_end(parser* p, const block* b) {
  const bool inner = p->suspect.source >= 0 && p->suspect.begin > b->at.begin;
  const td_span at = inner ? p->suspect : b->at;
  td_parser_error(p, at, "this '%.*s' has no 'end'", at.end - at.begin, p->lx.text + at.begin);
  if (!p->diags->last) return;
  if (p->else_if.source >= 0 && p->else_if.begin > b->at.begin) {
    td_hint(p->diags, "'else if' in line %d begins another 'if'; did you mean 'elseif'?",
            line_of(p, p->else_if));
  } else if (p->tok.kind == K_FUNCTION) {
    td_hint(p->diags, "a function begins in line %d", line_of(p, td_parser_span(p, p->tok)));
  }
  p->suspect = p->else_if = td_span_none();
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Number of blanks before a token that starts its line.
static int column_of(const parser* p, int begin) {
  int column = 0;
  for (; begin > 0 && is_blank(p->lx.text[begin - 1]); begin--) column++;
  return column;
}

// Read the keyword that closes a block.  False: it is missing or wrong, which is reported.
static bool close_block(parser* p, const block* b) {
  if (p->stop) return false;
  const token t = p->tok;
  if (is_closing(t.kind) && belongs(t.kind, b->kind)) {
    // an `end` to the left of what it closes probably belongs to an outer block
    if (p->suspect.source < 0 && b->starts_line && t.starts_line &&
        column_of(p, t.begin) < column_of(p, b->at.begin))
      p->suspect = b->at;
    td_parser_next(p);
    return true;
  }
  if (!is_closing(t.kind) || belongs_outside(p, t.kind)) {
    no_end(p, b);
    return false;
  }
  td_parser_error(p, td_parser_span(p, t), "'%.*s' cannot close '%s'", t.end - t.begin,
                  p->lx.text + t.begin, text_of(b->kind));
  if (p->diags->last)
    td_hint(p->diags, "to close '%s' of line %d, use 'end'", text_of(b->kind), line_of(p, b->at));
  td_parser_next(p);
  return false;
}

// Check what follows the expression in the first line of a block: a separator, or a statement.
static bool end_header(parser* p) {
  const token_kind k = p->tok.kind;
  static const char* const words[] = {"and", "or", "is", "then", "in"};
  bool foreign_word = false;

  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    foreign_word = foreign_word || td_parser_is(p, words[i]);
  }
  if (k == T_ASSIGN) {
    td_parser_equals_in_expression(p);
  } else if (foreign_word) {
    td_parser_expected(p, "the end of the line");
    td_parser_word_hint(p);
  } else if (is_separator(k) || k == T_EOF || k == T_NAME || is_keyword(k) ||
             p->prev.kind == T_RPAREN) {
    return true;
  } else {
    td_parser_expected(p, "the end of the line");
  }
  return false;
}

// Expression in the first line of a block.  On failure skip to the end of that line, so that the
// block itself is still read.
static ast* header(parser* p) {
  p->header = true;
  ast* node = td_parse_expression(p);
  if (node && !end_header(p)) node = NULL;
  if (!node) td_parser_recover(p, true);
  p->header = false;
  return node;
}

// One branch: its keyword, its condition or value, and its statements.  *has_last: `else` or
// `otherwise`, which must come last, has been read.
static bool branch(parser* p, bool* has_last) {
  const token t = p->tok;
  ast* node = td_parser_node(p, AST_BRANCH, td_parser_span(p, t));
  if (!node) return false;
  bool ok = !*has_last;
  if (*has_last) {
    td_parser_error(p, node->at, "'%.*s' after '%s'", t.end - t.begin, p->lx.text + t.begin,
                    p->block->kind == K_IF ? "else" : "otherwise");
  }
  td_parser_next(p);
  if (t.kind == K_ELSE || t.kind == K_OTHERWISE) {
    *has_last = true;
    if (p->tok.kind == K_IF && !p->tok.starts_line) p->else_if = td_parser_span(p, p->tok);
  } else {
    node->a = header(p);
    ok = ok && node->a;
  }
  node->body = body(p);
  node->at = td_parser_since(p, t.begin);
  return node->body && td_parser_push(p, node) && ok;
}

// switch value, case value ... otherwise ...
static bool switch_statement(parser* p, ast* node) {
  bool ok = true, has_otherwise = false;
  td_parser_next(p);
  node->a = header(p);
  ok = node->a != NULL;

  // statements before the first case are an error; read and drop them
  while (is_separator(p->tok.kind)) td_parser_next(p);
  if (p->tok.kind != K_CASE && p->tok.kind != K_OTHERWISE && !is_closing(p->tok.kind)) {
    if (ok && p->tok.kind != T_EOF) td_parser_expected(p, "'case'");
    ok = false;
    const int mark = p->nitem;
    statements(p);
    p->nitem = mark;
  }

  while (!p->stop && (p->tok.kind == K_CASE || p->tok.kind == K_OTHERWISE)) {
    ok = branch(p, &has_otherwise) && ok;
  }
  return ok;
}

// i = range, in parentheses or not.
static bool for_header(parser* p, ast* node) {
  const int opener = p->tok.begin;
  const bool parens = td_parser_accept(p, T_LPAREN);
  node->a = td_parse_expression(p);
  if (!node->a) return false;
  if (p->tok.kind != T_ASSIGN) {
    td_parser_expected(p, "'=' after the loop's variable");
    td_hint(p->diags, "a loop is written 'for i = 1:n'");
    return false;
  }

  if (!td_parser_check_target(p, node->a)) return false;
  td_parser_next(p);
  node->b = td_parse_expression(p);
  if (!node->b) return false;

  if (parens && p->tok.kind == T_SEMICOLON) {
    td_parser_expected(p, "')'");
    td_hint(p->diags, "a loop is written 'for i = 1:n'");
    return false;
  }
  if (parens && !td_parser_accept(p, T_RPAREN)) {
    td_parser_not_closed(p, opener, ')');
    return false;
  }
  return end_header(p);
}

// True if a name stands alone behind `catch`: catch ME
static bool is_caught_name(const parser* p) {
  if (p->tok.kind != T_NAME || p->tok.starts_line) return false;
  int next = p->tok.end;
  while (is_blank(p->lx.text[next])) next++;
  return next >= p->lx.size || strchr("\r\n;%", p->lx.text[next]);
}

// Parse what stands between the keyword and `end`; the branches of `if` and `switch` become the
// list.
static bool inside_block(parser* p, ast* node, int mark) {
  bool ok = true, has_else = false;
  switch (node->kind) {
    case AST_IF:
      do {
        ok = branch(p, &has_else) && ok;
      } while (!p->stop && (p->tok.kind == K_ELSEIF || p->tok.kind == K_ELSE));
      return td_parser_take(p, mark, &node->list, &node->n) && ok;
    case AST_SWITCH:
      ok = switch_statement(p, node);
      return td_parser_take(p, mark, &node->list, &node->n) && ok;
    case AST_TRY:
      td_parser_next(p);
      node->body = body(p);
      if (p->tok.kind == K_CATCH) {
        td_parser_next(p);
        if (is_caught_name(p)) td_parser_next(p);
        node->a = body(p);
        if (!node->a) return false;
      }
      return node->body != NULL;
    default:
      // for and while
      td_parser_next(p);
      if (node->kind == AST_FOR) {
        p->header = true;
        ok = for_header(p, node);
        if (!ok) td_parser_recover(p, true);
        p->header = false;
      } else {
        node->a = header(p);
        ok = node->a != NULL;
      }
      p->loops++;
      node->body = body(p);
      p->loops--;
      return ok && node->body;
  }
}

// Report a keyword that is used as a name: if = 3
static bool is_keyword_as_name(parser* p) {
  const char* s = p->lx.text;
  int next = p->tok.end;
  while (is_blank(s[next])) next++;
  if (s[next] != '=' || s[next + 1] == '=') return false;
  td_parser_error(p, td_parser_span(p, p->tok), "'%.*s' is a keyword and cannot be a name",
                  p->tok.end - p->tok.begin, s + p->tok.begin);
  return true;
}

// A block from its keyword to its `end`.  *out stays NULL if something in it was wrong.
static bool block_statement(parser* p, ast_kind kind, ast** out) {
  const int begin = p->tok.begin, mark = p->nitem;
  if (is_keyword_as_name(p)) return false;
  if (!td_parser_enter(p)) {
    p->stop = true;  // further text would only cause messages about the `end`s
    return false;
  }
  const block b = open_block(p);
  p->block = &b;
  ast* node = td_parser_node(p, kind, td_parser_span(p, p->tok));
  const bool ok = node && inside_block(p, node, mark);
  p->block = b.outer;
  td_parser_leave(p);
  p->nitem = mark;
  if (p->stop) return false;
  if (!close_block(p, &b) || !ok) return true;
  node->at = td_parser_since(p, begin);
  *out = node;
  return true;
}

// ---- functions --------------------------------------------------------------------------------

static bool expect_name(parser* p, const char* what) {
  if (p->tok.kind == T_NAME) return true;
  td_parser_expected(p, what);
  return false;
}

static bool push_name(parser* p, const char* what) {
  if (!expect_name(p, what)) return false;
  const bool ok = td_parser_push(p, td_parser_word(p, AST_NAME, p->tok));
  td_parser_next(p);
  return ok;
}

// Names up to a closing bracket; `~` is an input that is not used.
static bool names(parser* p, int opener, token_kind closer, const char* what) {
  while (!td_parser_accept(p, closer)) {
    if (p->tok.kind == T_NOT && closer == T_RPAREN) p->tok.kind = T_NAME;
    if (!push_name(p, what)) return false;
    if (p->tok.kind == T_ASSIGN && closer == T_RPAREN) {
      td_parser_error(p, td_parser_span(p, p->tok), "parameters have no default values");
      return false;
    }
    if (!td_parser_accept(p, T_COMMA) && p->tok.kind != closer) {
      td_parser_not_closed(p, opener, closer == T_RPAREN ? ')' : ']');
      return false;
    }
  }
  return true;
}

// [a, b] = name   or   a = name   or   name; on return the function's name is the previous token.
static bool function_outputs(parser* p, ast* node) {
  const int mark = p->nitem, opener = p->tok.begin;
  if (td_parser_accept(p, T_LBRACKET)) {
    if (!names(p, opener, T_RBRACKET, "the name of an output")) return false;
    if (p->tok.kind != T_ASSIGN) {
      td_parser_expected(p, "'=' after the outputs");
      return false;
    }
  } else if (!push_name(p, "the name of the function")) {
    return false;
  }
  if (p->tok.kind != T_ASSIGN) {  // the name was the function's
    p->nitem = mark;
    return td_parser_take(p, mark, &node->outs, &node->nout);
  }
  td_parser_next(p);
  if (!td_parser_take(p, mark, &node->outs, &node->nout)) return false;
  if (!expect_name(p, "the name of the function")) return false;
  td_parser_next(p);
  return true;
}

// Outputs, name and parameters of a function.
static bool function_header(parser* p, ast* node) {
  td_parser_next(p);
  if (!function_outputs(p, node)) return false;
  const token name = p->prev;
  node->text = td_ast_text(p->pool, p->lx.text + name.begin, name.end - name.begin);
  node->name_at = td_parser_span(p, name);
  if (!node->text) return false;

  const int mark = p->nitem, opener = p->tok.begin;
  const char* what = "the name of a parameter";
  if (td_parser_accept(p, T_LPAREN) && !names(p, opener, T_RPAREN, what)) return false;
  if (!td_parser_take(p, mark, &node->list, &node->n)) return false;
  if (is_separator(p->tok.kind) || p->tok.kind == T_EOF) return true;
  td_parser_expected(p, "the end of the line");
  return false;
}

// Read the `end` of a function, which is optional when no function of the file has one.
static bool close_function(parser* p, const block* b) {
  if (p->tok.kind == K_FUNCTION || p->tok.kind == T_EOF) {
    if (p->suspect.source >= 0 && p->suspect.begin > b->at.begin) {
      no_end(p, b);
      return false;
    }
    if (p->unclosed.source < 0) {
      // a function that begins further to the right than this one lies inside it
      int line = p->tok.begin, own = b->at.begin;
      while (line > 0 && p->lx.text[line - 1] != '\n') line--;
      while (own > 0 && p->lx.text[own - 1] != '\n') own--;
      p->nested = p->tok.kind == K_FUNCTION && p->tok.begin - line > b->at.begin - own;
      p->unclosed = b->at;
    }
    return true;
  }
  p->closed++;
  return close_block(p, b);
}

// A function from its keyword to its end.
static bool function_statement(parser* p, ast** out) {
  const int begin = p->tok.begin, mark = p->nitem;
  const block b = open_block(p);
  if (!td_parser_enter(p)) return false;
  p->block = &b;
  ast* node = td_parser_node(p, AST_FUNCTION, td_parser_span(p, p->tok));
  const bool ok = node && function_header(p, node);
  if (!ok) td_parser_recover(p, true);
  p->nitem = mark;
  if (node) node->body = body(p);
  p->block = b.outer;
  td_parser_leave(p);
  if (p->stop) return false;
  if (!close_function(p, &b) || !ok) return true;
  node->at = td_parser_since(p, begin);
  *out = node;
  return true;
}

// ---- refused blocks, any statement ------------------------------------------------------------

// Report a block that the language does not have (unwind_protect ...); read and drop its
// statements.
static bool refused_block(parser* p, const char* hint) {
  const int mark = p->nitem;
  const block b = open_block(p);
  if (!td_parser_enter(p)) {
    p->stop = true;
    return false;
  }
  p->block = &b;
  p->loops++;
  td_parser_refuse(p, hint);

  do {
    td_parser_skip_line(p);
    statements(p);
    p->nitem = mark;
  } while (!p->stop && is_middle(p->tok.kind) && belongs(p->tok.kind, b.kind));
  p->loops--;
  p->block = b.outer;
  td_parser_leave(p);
  if (!p->stop) close_block(p, &b);
  return !p->stop;
}

// Any statement.  False: recovery is needed.  *out stays NULL for a refused statement.
static bool statement(parser* p, ast** out) {
  switch (p->tok.kind) {
    case K_IF:
      return block_statement(p, AST_IF, out);
    case K_FOR:
    case K_PARFOR:
      return block_statement(p, AST_FOR, out);
    case K_WHILE:
      return block_statement(p, AST_WHILE, out);
    case K_SWITCH:
      return block_statement(p, AST_SWITCH, out);
    case K_TRY:
      return block_statement(p, AST_TRY, out);
    case K_FUNCTION:
      return function_statement(p, out);
    case K_UNWIND:
      return refused_block(p, "leave it out");
    default:
      return td_parse_simple(p, out);
  }
}

// ---- entry ------------------------------------------------------------------------------------

// Parse all statements of the source.
static ast* parse_file(parser* p) {
  td_lexer_open(&p->lx, p->diags, p->source);
  p->prev = p->lx.last;
  p->tok = td_lexer_next(&p->lx);
  ast* file = td_parser_node(p, AST_BLOCK, (td_span){p->source, 0, p->lx.size});
  if (!file) return NULL;
  statements(p);
  if (p->closed > 0 && p->unclosed.source >= 0) {
    td_parser_error(p, p->unclosed, "this 'function' has no 'end'");
    td_hint(p->diags, p->nested
                          ? "a function inside another one is not understood: write it after it"
                          : "other functions of this file have one");
  }
  if (p->no_memory || !td_parser_take(p, 0, &file->list, &file->n)) return NULL;
  return file;
}

// Parse a source into a syntax tree; *pool owns its nodes.  Numbers are read in the C locale.  A
// file that is too large or contains zero bytes is reported and gives an empty block.  NULL: no
// memory.
ast* td_parse(td_diags* diags, int source, ast_pool** pool) {
  const td_source* s = &diags->sources[source];
  parser p = {.diags = diags, .source = source, .rewind = -1};
  p.suspect = p.else_if = p.unclosed = td_span_none();
  *pool = p.pool = td_ast_pool_new();
  ast* file = NULL;

  // numbers have a decimal point, whatever the user's locale
  const locale_t numbers = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (p.pool && numbers) {
    const locale_t before = uselocale(numbers);
    if (s->size > AST_SIZE_LIMIT) {
      td_error(diags, TD_E_SYNTAX, td_span_file(source), "this file is larger than %d MB",
               AST_SIZE_LIMIT >> 20);
      file = td_ast_node(p.pool, AST_BLOCK, (td_span){source, 0, 0});
    } else if (memchr(s->text, 0, (size_t)s->size)) {
      td_error(diags, TD_E_SYNTAX, td_span_file(source), "this is not a text file");
      td_hint(diags, "a model is plain text; save it as UTF-8");
      file = td_ast_node(p.pool, AST_BLOCK, (td_span){source, 0, 0});
    } else {
      file = parse_file(&p);
    }
    uselocale(before);
  }
  if (numbers) freelocale(numbers);

  free(p.items);
  if (!file || p.no_memory) {
    td_ast_free(p.pool);
    *pool = NULL;
    return NULL;
  }
  return file;
}
