// Tokens of the model language, one at a time.  The lexer tracks open brackets, because they decide
// what a blank, a newline, a quote and `end` mean.  The parser sees no blanks: where they separate
// the elements of a matrix it gets a comma.
#ifndef TD_LEXER_H
#define TD_LEXER_H

#include "lang/ast.h"

typedef enum token_kind {
  T_EOF,
  T_ERROR,  // already reported
  T_NEWLINE,
  T_SEMICOLON,
  T_COMMA,  // empty span: a blank that separates elements
  T_LPAREN,
  T_RPAREN,
  T_LBRACKET,
  T_RBRACKET,
  T_LBRACE,
  T_RBRACE,
  T_NUMBER,
  T_STRING,
  T_NAME,
  T_LAST,  // `end` inside brackets
  T_DOT,
  T_AT,
  T_COLON,
  T_ASSIGN,
  T_ADD_ASSIGN,
  T_SUB_ASSIGN,
  T_MUL_ASSIGN,
  T_DIV_ASSIGN,
  T_INCREMENT,
  T_DECREMENT,
  T_OROR,  // operators in order of increasing precedence
  T_ANDAND,
  T_OR,
  T_AND,
  T_LT,
  T_LE,
  T_EQ,
  T_NE,
  T_GE,
  T_GT,
  T_ADD,
  T_SUB,
  T_MUL,
  T_DIV,
  T_LDIV,
  T_EMUL,
  T_EDIV,
  T_ELDIV,
  T_NOT,
  T_POW,
  T_EPOW,
  T_CTRANSPOSE,
  T_TRANSPOSE,
  K_IF,  // keywords
  K_FOR,
  K_WHILE,
  K_SWITCH,
  K_FUNCTION,
  K_BREAK,
  K_CONTINUE,
  K_RETURN,
  K_ELSEIF,  // inside blocks
  K_ELSE,
  K_CASE,
  K_OTHERWISE,
  K_CATCH,
  K_CLEANUP,
  K_END,  // closing blocks
  K_ENDIF,
  K_ENDFOR,
  K_ENDWHILE,
  K_ENDSWITCH,
  K_ENDFUNCTION,
  K_END_OTHER,
  K_TRY,  // not supported
  K_UNWIND,
  K_PARFOR,
  K_CLASSDEF,
  K_GLOBAL,
  K_PERSISTENT
} token_kind;

static inline bool is_keyword(token_kind k) { return k >= K_IF; }

typedef struct token {
  token_kind kind;
  int begin, end;
  double number;
  bool spaced;       // a blank, newline or comment lies before it
  bool starts_line;  // only blanks between the beginning of the line and it
} token;

typedef struct bracket {
  char kind;  // '(', also for a{...};  '[' and '{', where blanks separate; '@': the body of a
              // function inside these
  int at;     // offset of the opening sign
} bracket;

typedef struct lexer {
  td_diags* diags;
  const char* text;  // zero-terminated
  int source, size, pos;
  int start;  // behind the byte order mark, if there is one
  bracket open[AST_NEST_LIMIT + 2];
  int nopen;
  token last;           // the last token returned
  int break_at;         // offset of the last newline inside brackets; -1: none
  int break_after;      // end of the token before it
  bool fresh;           // no token yet on this line
  bool mute;            // report nothing
  bool overflow;        // more open brackets than AST_NEST_LIMIT
  bool blank_reported;  // a blank beyond ASCII was reported
} lexer;

void td_lexer_open(lexer* lx, td_diags* diags, int source);
token td_lexer_next(lexer* lx);
// Continue at an offset, outside all brackets.
void td_lexer_reset(lexer* lx, int pos);
// Treat the following tokens as the body of @(...), where blanks do not separate.
void td_lexer_function_body(lexer* lx);
// Append the value of a string token, without quotes and with escapes replaced; report wrong
// escapes.
void td_lexer_string(lexer* lx, token t, td_text* out);

// Kind of the keyword of `length` bytes at `name`; T_NAME if it is none.
token_kind td_keyword(const char* name, int length);

// A character beyond ASCII: its name and what to write instead; NULL: unknown
typedef struct foreign {
  int code;
  const char *name, *ascii;
} foreign;
foreign td_foreign(int code);

#endif
