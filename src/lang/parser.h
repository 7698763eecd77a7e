// Interface between the files of the parser: state, nodes, messages and recovery.
#ifndef TD_PARSER_H
#define TD_PARSER_H

#include "lang/lexer.h"

// ---- memory of the tree (ast.c) ---------------------------------------------------------------
ast_pool* td_ast_pool_new(void);
ast* td_ast_node(ast_pool* pool, ast_kind kind, td_span at);  // these give NULL when out of memory
ast** td_ast_list(ast_pool* pool, ast* const* items, int n);
const char* td_ast_text(ast_pool* pool, const char* s, int n);
int td_ast_count(const ast_pool* pool);

// An open block: `if`, `for`, ...
typedef struct block {
  token_kind kind;
  td_span at;  // its keyword
  bool starts_line;
  const struct block* outer;
} block;

typedef struct parser {
  td_diags* diags;
  int source;
  lexer lx;
  token tok, prev;  // the current token and the one before it
  ast_pool* pool;
  ast** items;  // lists under construction, innermost last
  int nitem, item_cap;
  int depth;           // levels of brackets, unary operators and blocks
  int index;           // levels of a(...) and a{...}
  int loops;           // open loops of this function
  int until;           // refused `do` loops whose `until` has not been read
  int statement;       // offset of the current statement
  int braces;          // '{' that were meant to open blocks
  bool header;         // in the first line of a block
  int rewind;          // offset at which recovery resumes; -1: at the end of the statement
  const block* block;  // innermost open block
  td_span suspect;   // a block whose `end` stands to its left, so that its own is probably missing
  td_span else_if;   // the latest `else if`
  td_span unclosed;  // the first function without `end`
  bool nested;       // the next function begins inside it
  int closed;        // functions with `end`
  bool no_memory, stop;
} parser;

// ---- state (parser.c) -------------------------------------------------------------------------
void td_parser_next(parser* p);
bool td_parser_enter(parser* p);  // one level deeper; false after reporting that there are too many
void td_parser_leave(parser* p);

// ---- nodes (parser.c): NULL after a failure, which sets p->stop -------------------------------
td_span td_parser_span(const parser* p, token t);
td_span td_parser_since(const parser* p, int begin);  // up to the end of the previous token
ast* td_parser_node(parser* p, ast_kind kind, td_span at);
ast* td_parser_word(parser* p, ast_kind kind, token t);  // text is that of the token
ast* td_parser_finish(parser* p, ast* node);             // fills height; NULL when it is too large
bool td_parser_push(parser* p, ast* item);
bool td_parser_take(parser* p, int mark, ast*** list, int* n);  // the items since `mark`

// ---- reports (parser.c): all return NULL ------------------------------------------------------
ast* td_parser_error(parser* p, td_span at, const char* format, ...) TD_PRINTF(3, 4);
ast* td_parser_expected(parser* p, const char* what);  // found the current token
ast* td_parser_value_expected(parser* p);
ast* td_parser_not_closed(parser* p, int opener, char closer);  // a bracket
ast* td_parser_equals_in_expression(parser* p);
void td_parser_word_hint(parser* p);  // `and`, `then`, ... are words of other languages
void td_parser_recover(parser* p, bool header);

// ---- words of the language --------------------------------------------------------------------
static inline bool is_separator(token_kind k) {
  return k == T_NEWLINE || k == T_SEMICOLON || k == T_COMMA;
}
bool td_parser_accept(parser* p, token_kind kind);        // go on if it is the current token
bool td_parser_is(const parser* p, const char* text);     // is it the current token's text?
bool td_parser_check_target(parser* p, const ast* node);  // reports what cannot be assigned to
void td_parser_refuse(parser* p, const char* hint);       // the current keyword is not supported
void td_parser_skip_line(parser* p);

// ---- grammar ----------------------------------------------------------------------------------
ast* td_parse_expression(parser* p);
// One statement without blocks inside.  False when recovery is needed; *out stays NULL for a
// refused statement.
bool td_parse_simple(parser* p, ast** out);
#endif
