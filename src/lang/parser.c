// State of the parser, its messages and its recovery.  Expressions are in parser_expr.c, simple
// statements in parser_stmt.c, blocks and the entry in parser_block.c.  A function that fails has
// reported why and returns NULL; the statement is then dropped and parsing resumes behind it.
#include "lang/parser.h"

#include <stdio.h>
#include <string.h>

void td_parser_next(parser* p) {
  p->prev = p->tok;
  p->tok = td_lexer_next(&p->lx);
}

bool td_parser_accept(parser* p, token_kind kind) {
  if (p->tok.kind != kind) return false;
  td_parser_next(p);
  return true;
}

bool td_parser_is(const parser* p, const char* text) {
  const size_t n = strlen(text);
  return (size_t)(p->tok.end - p->tok.begin) == n &&
         strncmp(p->lx.text + p->tok.begin, text, n) == 0;
}

// Count a level of nesting.
bool td_parser_enter(parser* p) {
  if (p->depth < AST_NEST_LIMIT) {
    p->depth++;
    return true;
  }
  td_parser_error(p, td_parser_span(p, p->tok), "nested too deeply");
  td_hint(p->diags, "at most %d levels", AST_NEST_LIMIT);
  p->lx.overflow = true;
  return false;
}

void td_parser_leave(parser* p) { p->depth--; }

// ---- nodes ------------------------------------------------------------------------------------

td_span td_parser_span(const parser* p, token t) { return (td_span){p->source, t.begin, t.end}; }

td_span td_parser_since(const parser* p, int begin) {
  return (td_span){p->source, begin, p->prev.end};
}

// Stop parsing for lack of memory.
static ast* out_of_memory(parser* p) {
  p->no_memory = p->stop = true;
  return NULL;
}

// Allocate a node; stop if there are too many.
ast* td_parser_node(parser* p, ast_kind kind, td_span at) {
  if (p->stop) return NULL;
  if (td_ast_count(p->pool) >= AST_NODE_LIMIT) {
    p->stop = true;
    return td_parser_error(p, td_span_file(p->source), "this text is too long");
  }
  ast* node = td_ast_node(p->pool, kind, at);
  return node ? node : out_of_memory(p);
}

ast* td_parser_word(parser* p, ast_kind kind, token t) {
  ast* node = td_parser_node(p, kind, td_parser_span(p, t));
  if (!node) return NULL;
  node->text = td_ast_text(p->pool, p->lx.text + t.begin, t.end - t.begin);
  return node->text ? node : out_of_memory(p);
}

// Compute the height of a node from its parts; refuse it if it is too high.
ast* td_parser_finish(parser* p, ast* node) {
  if (!node) return NULL;
  const ast* parts[3] = {node->a, node->b, node->c};
  int height = 0;
  for (int i = 0; i < 3; i++) height = max_int(height, parts[i] ? parts[i]->height : 0);
  for (int i = 0; i < node->n; i++) height = max_int(height, node->list[i]->height);
  node->height = height + 1;
  if (node->height <= AST_HEIGHT_LIMIT) return node;
  td_parser_error(p, td_parser_span(p, p->prev), "this expression is too long");
  td_hint(p->diags, "split it: at most %d operations in one", AST_HEIGHT_LIMIT);
  return NULL;
}

// Push a node on the list under construction.
bool td_parser_push(parser* p, ast* item) {
  if (!item) return false;
  ast** items = td_grow(p->items, &p->item_cap, p->nitem + 1, sizeof(ast*));
  if (!items) {
    out_of_memory(p);
    return false;
  }
  p->items = items;
  items[p->nitem++] = item;
  return true;
}

// Make a list of the nodes pushed since `mark`.
bool td_parser_take(parser* p, int mark, ast*** list, int* n) {
  *n = p->nitem - mark;
  *list = td_ast_list(p->pool, p->items ? p->items + mark : NULL, *n);
  p->nitem = mark;
  if (!*list) out_of_memory(p);
  return *list != NULL;
}

// ---- reports ----------------------------------------------------------------------------------

// Report a syntax error.
ast* td_parser_error(parser* p, td_span at, const char* format, ...) {
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  td_error(p->diags, TD_E_SYNTAX, at, "%s", text);
  return NULL;
}

// Name of a token in a message.
static void describe(const parser* p, token t, char out[64]) {
  enum { SHOWN = 40 };
  const int length = t.end - t.begin;
  const char* text = p->lx.text + t.begin;
  if (t.kind == T_EOF) {
    snprintf(out, 64, "the end of the file");
  } else if (t.kind == T_NEWLINE) {
    snprintf(out, 64, "the end of the line");
  } else if (t.kind == T_STRING) {
    snprintf(out, 64, "a string");
  } else if (t.kind == T_COMMA && length == 0) {
    snprintf(out, 64, "a blank");
  } else if (length > SHOWN) {
    snprintf(out, 64, "'%.*s...'", SHOWN, text);
  } else {
    snprintf(out, 64, "%s'%.*s'", is_keyword(t.kind) ? "the keyword " : "", length, text);
  }
}

// Position of a message about the current token: for the end of a line, behind the last token
// instead of behind a comment.
static td_span place(const parser* p) {
  if (p->tok.kind != T_NEWLINE && p->tok.kind != T_EOF) return td_parser_span(p, p->tok);
  return (td_span){p->source, p->prev.end, p->prev.end};
}

ast* td_parser_expected(parser* p, const char* what) {
  char found[64];
  if (p->tok.kind == T_ERROR) return NULL;
  describe(p, p->tok, found);
  return td_parser_error(p, place(p), "expected %s, found %s", what, found);
}

static bool is_operator(token_kind k) { return k >= T_OROR && k <= T_EPOW; }

static char closer_of(char opener) { return opener == '(' ? ')' : opener == '[' ? ']' : '}'; }

// Report that a value is missing, with a hint at the likely cause.
ast* td_parser_value_expected(parser* p) {
  const token t = p->tok;
  if (t.kind == T_ERROR) return NULL;
  if (p->lx.nopen > 0 && t.starts_line && (is_keyword(t.kind) || t.kind == T_LAST)) {
    const int opener = p->lx.open[p->lx.nopen - 1].at;
    return td_parser_not_closed(p, opener, closer_of(p->lx.text[opener]));
  }
  if (t.kind == T_LAST) {
    return td_parser_error(p, td_parser_span(p, t), "'end' may only stand inside an index");
  }

  char what[96], before[64];
  describe(p, p->prev, before);
  snprintf(what, sizeof what, "a value after %s", before);
  td_parser_expected(p, what);

  // hints for common mistakes
  if (p->prev.kind == T_GT && (t.kind == T_SEMICOLON || t.kind == T_NEWLINE)) {
    td_hint(p->diags, "if this was a transpose sign in a paper, write '");
  } else if (p->prev.kind == T_COLON && p->header && t.kind == T_NEWLINE) {
    td_hint(p->diags, "no ':' is needed here");
  } else if (p->prev.kind == T_COLON && p->index > 0) {
    td_hint(p->diags, "'end' is the last index");
  } else if (t.kind == T_NEWLINE && (is_operator(p->prev.kind) || p->prev.kind == T_ASSIGN)) {
    td_hint(p->diags, "a statement goes on in the next line after '...'");
  }
  return NULL;
}

ast* td_parser_equals_in_expression(parser* p) {
  td_parser_error(p, td_parser_span(p, p->tok), "'=' may not stand inside %s",
                  p->header ? "a condition" : "an expression");
  td_hint(p->diags, "to compare, use '=='");
  return NULL;
}

// Add "to match '(' at ..." to the last message.
static void match_hint(parser* p, int opener) {
  if (!p->diags->last) return;  // the message was not kept; finding a line reads the whole file
  int line, column, here, unused;
  td_span_position(p->diags, (td_span){p->source, opener, opener + 1}, &line, &column);
  td_span_position(p->diags, p->diags->list[p->diags->last - 1].at, &here, &unused);
  const char sign = p->lx.text[opener];
  if (line == here) {
    td_hint(p->diags, "to match '%c' at column %d", sign, column);
  } else {
    td_hint(p->diags, "to match '%c' at line %d, column %d", sign, line, column);
  }
}

// True if dots are all that a call is given, as in the pseudo-code `equil(...)`; as a continuation
// they hide the closing parenthesis.
static bool is_left_out(const parser* p, int opener) {
  return strncmp(p->lx.text + opener, "(...)", 5) == 0;
}

// Report a missing closing bracket: at the end of the line if a new statement seems to begin in the
// next one, which is then parsed again as such.
static ast* missing(parser* p, int opener, char closer) {
  if (is_left_out(p, opener)) {
    const int line = opener + (int)strcspn(p->lx.text + opener, "\r\n");
    if (p->tok.begin > line) p->rewind = line;
    td_parser_error(p, (td_span){p->source, opener, opener + 4}, "'...' stands for nothing here");
    td_hint(p->diags, "it continues a statement in the next line; write what it stands for");
    return NULL;
  }
  const bool next_line = p->lx.break_at > opener && p->tok.kind != T_SEMICOLON;
  const bool by_break = next_line && (p->tok.starts_line || p->tok.kind == T_ASSIGN);
  const int at = by_break || p->prev.kind == T_NEWLINE ? p->lx.break_after : p->prev.end;
  if (by_break && p->tok.kind != T_EOF) p->rewind = p->lx.break_at;
  td_parser_error(p, (td_span){p->source, at, at}, "missing '%c'", closer);
  match_hint(p, opener);
  return NULL;
}

// Report what stands instead of a closing bracket.
ast* td_parser_not_closed(parser* p, int opener, char closer) {
  const token t = p->tok;
  const bool crossed = p->lx.break_at > opener;
  char what[32];
  if (t.kind == T_ERROR) return NULL;
  if (t.kind == T_RPAREN || t.kind == T_RBRACKET || t.kind == T_RBRACE) {
    snprintf(what, sizeof what, "'%c'", closer);
    td_parser_expected(p, what);
    match_hint(p, opener);
    return NULL;
  }
  if (t.kind == T_ASSIGN && !crossed && !is_left_out(p, opener))
    return td_parser_equals_in_expression(p);
  if (t.kind == T_EOF || t.kind == T_NEWLINE || t.kind == T_SEMICOLON || t.kind == T_ASSIGN ||
      t.starts_line || is_keyword(t.kind)) {
    return missing(p, opener, closer);
  }

  snprintf(what, sizeof what, "',' or '%c'", closer);
  td_parser_expected(p, what);
  match_hint(p, opener);
  td_parser_word_hint(p);
  return NULL;
}

// Hint for two names in a row: `tip mass = 2`, `gravity of the earth`, `syms f(t)`
static void two_names_hint(parser* p) {
  const token a = p->prev, b = p->tok;
  const char* s = p->lx.text;
  int next = b.end;
  while (s[next] == ' ' || s[next] == '\t') next++;
  if (s[next] == '=' && s[next + 1] != '=' && a.end - a.begin < 32 && b.end - b.begin < 32) {
    td_hint(p->diags, "a name contains no blanks: '%.*s_%.*s'?", a.end - a.begin, s + a.begin,
            b.end - b.begin, s + b.begin);
  } else if (a.begin == p->statement && strncmp(s + a.begin, "syms ", 5) == 0) {
    td_hint(p->diags, "'syms' takes names only");
  } else if (a.begin == p->statement) {
    td_hint(p->diags, "if this is a comment, begin it with '%%'");
  }
}

// True if the current token begins a line that "..." joins to the one before.
static bool is_continued(const parser* p) {
  const char* dots = strstr(p->lx.text + p->prev.end, "...");
  return dots && dots < p->lx.text + p->tok.begin;
}

// Explain a name where none is expected.
void td_parser_word_hint(parser* p) {
  static const char* const words[][2] = {
      {"and", "'and' is written '&&'"}, {"or", "'or' is written '||'"},
      {"is", "'is' is written '=='"},   {"then", "'then' is not needed"},
      {"mod", "write mod(a, b)"},       {"in", "a loop is written 'for i = 1:n'"},
  };
  const token t = p->tok;
  const char* name = p->lx.text + t.begin;
  const int length = t.end - t.begin;
  if (t.kind != T_NAME) return;

  // words of other languages
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if ((int)strlen(words[i][0]) == length && strncmp(words[i][0], name, (size_t)length) == 0) {
      td_hint(p->diags, "%s", words[i][1]);
      return;
    }
  }

  // other reasons for a name where none is expected
  const token_kind before = p->prev.kind;
  if (t.spaced && is_continued(p)) {
    td_hint(p->diags, "'...' in the line above makes this a part of its statement");
  } else if (before == T_STRING && !t.spaced) {
    td_hint(p->diags, "a quote inside a string is written twice");
  } else if (before == T_RPAREN || before == T_RBRACKET || before == T_NUMBER) {
    td_hint(p->diags, "for the product write '*'");
  } else if (before == T_NAME && t.spaced) {
    two_names_hint(p);
  }
}

// ---- recovery ---------------------------------------------------------------------------------

static bool is_eol(char c) { return c == '\n' || c == '\r' || c == '\0'; }

// True if the line at `pos` looks like a new statement: a keyword, or a name and later '='.
static bool looks_like_statement(const parser* p, int pos) {
  const char* s = p->lx.text + pos;
  while (*s == ' ' || *s == '\t') s++;
  int n = 0;
  while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= 'A' && s[n] <= 'Z') || s[n] == '_') n++;
  if (n == 0) return false;
  if (is_keyword(td_keyword(s, n))) return true;
  int depth = 0;

  for (int i = n; !is_eol(s[i]) && !strchr("'\"%#", s[i]); i++) {
    if (strchr("([{", s[i])) depth++;
    if (strchr(")]}", s[i])) depth--;
    if (s[i] == '=' && depth == 0) return s[i + 1] != '=' && !strchr("=<>~!", s[i - 1]);
  }
  return false;
}

// Continue at an offset, outside all brackets.
static void resume(parser* p, int pos) {
  td_lexer_reset(&p->lx, pos);
  p->tok = td_lexer_next(&p->lx);
}

// True if skipping has reached the end of the wrong statement.
static bool recovered(parser* p, bool header, int begin) {
  const token_kind k = p->tok.kind;
  if (k == T_EOF) return true;
  if (p->lx.overflow) {
    int pos = p->lx.pos;
    while (!is_eol(p->lx.text[pos])) pos++;
    resume(p, pos);
    return true;
  }
  if (p->lx.nopen == 0) {
    return k == T_NEWLINE || k == T_SEMICOLON || (header && k == T_COMMA) ||
           (is_keyword(k) && p->tok.begin > begin);
  }
  const bool in_parens = p->lx.open[p->lx.nopen - 1].kind == '(';
  if (in_parens ? p->lx.break_at > begin : k == T_NEWLINE && looks_like_statement(p, p->lx.pos)) {
    resume(p, p->lx.break_at);
    return true;
  }
  return false;
}

// Skip to the end of the statement or, with `header`, of a block's first line.
void td_parser_recover(parser* p, bool header) {
  if (p->stop) return;
  p->lx.mute = true;
  if (p->rewind >= 0) {
    resume(p, p->rewind);
    p->rewind = -1;
  } else {
    const int begin = p->tok.begin;
    while (!recovered(p, header, begin)) td_parser_next(p);
  }
  p->lx.mute = false;
}
