// All tokens of a text.  The lexer runs over it once more, jumps over the commands that the parser
// found, and is told where the bodies of functions @(...) begin, as the parser tells it.
#include "lang/tokens.h"

// Spans of commands in the order of the text
typedef struct command_list {
  td_span* list;
  int n, cap;
  bool failed;
} command_list;

static void collect(command_list* all, const ast* node) {
  if (!node) return;
  if (node->kind == AST_COMMAND) {
    td_span* grown = td_grow(all->list, &all->cap, all->n + 1, sizeof *grown);
    if (!grown) {
      all->failed = true;
      return;
    }
    all->list = grown;
    grown[all->n++] = node->at;
    return;
  }

  // blocks inside blocks; expressions hold no commands
  switch (node->kind) {
    case AST_BLOCK:
    case AST_IF:
    case AST_SWITCH:
      for (int i = 0; i < node->n; i++) collect(all, node->list[i]);
      break;
    case AST_TRY:
      collect(all, node->body);
      collect(all, node->a);
      break;
    case AST_BRANCH:
    case AST_FOR:
    case AST_WHILE:
    case AST_FUNCTION:
      collect(all, node->body);
      break;
    default:
      break;
  }
}

static bool push(token_list* out, text_token t) {
  text_token* grown = td_grow(out->list, &out->cap, out->n + 1, sizeof *grown);
  if (!grown) return false;
  out->list = grown;
  grown[out->n++] = t;
  return true;
}

bool td_tokens_read(td_diags* diags, int source, const ast* file, token_list* out) {
  command_list commands = {0};
  collect(&commands, file);
  bool ok = !commands.failed;
  lexer lx;
  td_lexer_open(&lx, diags, source);
  lx.mute = true;

  // parameter lists of @(...) that are open: the number of brackets outside each
  int lambda[AST_NEST_LIMIT + 2], nlambda = 0, next = 0;
  bool after_at = false;
  while (ok) {
    const int depth = lx.nopen;
    const char inside = depth > 0 ? lx.open[depth - 1].kind : '\0';
    const token t = td_lexer_next(&lx);
    if (t.kind == T_EOF) break;

    // a command as a whole
    while (next < commands.n && commands.list[next].begin < t.begin) next++;
    if (next < commands.n && commands.list[next].begin == t.begin && depth == 0) {
      const td_span at = commands.list[next++];
      ok = push(out, (text_token){T_STRING, at.begin, max_int(at.end, t.end), 0, '\0', true});
      td_lexer_reset(&lx, max_int(at.end, t.end));
      continue;
    }

    // blanks in the bodies of functions do not separate
    if (t.kind == T_LPAREN && after_at && nlambda <= AST_NEST_LIMIT) lambda[nlambda++] = depth;
    after_at = t.kind == T_AT;
    if (t.kind == T_RPAREN && nlambda > 0 && lx.nopen <= lambda[nlambda - 1]) {
      nlambda--;
      td_lexer_function_body(&lx);
    }

    if (t.kind == T_NEWLINE || t.begin == t.end) continue;
    ok =
        push(out, (text_token){t.kind, t.begin, t.end, depth, inside == '@' ? '(' : inside, false});
  }
  free(commands.list);
  return ok;
}
