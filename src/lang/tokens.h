// All tokens of a text that parses, for tools that work on the text itself (formatting, editors).
// The lexer alone cannot tell commands (`hold on`), whose words are no tokens; the tree tells.
#ifndef TD_TOKENS_H
#define TD_TOKENS_H

#include "lang/lexer.h"

typedef struct text_token {
  token_kind kind;  // a whole command is one T_STRING with `command` set
  int begin, end;
  int depth;    // brackets that are open before it
  char inside;  // the innermost of them: '(', '[' or '{' (where blanks separate), '\0': none
  bool command;
} text_token;

typedef struct token_list {
  text_token* list;
  int n, cap;
} token_list;

// Tokens without newlines and without blanks that separate; false: no memory.
bool td_tokens_read(td_diags* diags, int source, const ast* file, token_list* out);

#endif
