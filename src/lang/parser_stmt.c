// Statements without blocks inside: assignments, expressions, commands, jumps.  Statements that the
// language does not have (classdef, persistent, ...) are refused by name but read to their end, so
// that they cause no other messages.  A function returns NULL or false after a message.
#include <string.h>

#include "lang/parser.h"

// ---- assignments and expressions --------------------------------------------------------------

// True if a node can be assigned to: a name with indices and fields, not in parentheses.
static bool is_target(const parser* p, const ast* node) {
  if (p->lx.text[node->at.begin] == '(') return false;
  while (node->kind == AST_INDEX || node->kind == AST_CELLINDEX || node->kind == AST_FIELD) {
    node = node->a;
  }
  return node->kind == AST_NAME && p->lx.text[node->at.begin] != '(';
}

// Report a node that cannot be assigned to.
bool td_parser_check_target(parser* p, const ast* node) {
  if (is_target(p, node)) return true;
  const char* what = "the result of an operation";
  if (node->kind == AST_NUMBER) what = "a number";
  if (node->kind == AST_STRING) what = "a string";
  if (node->kind == AST_MATRIX || node->kind == AST_CELL) what = "a matrix";
  if (node->kind == AST_LAMBDA || node->kind == AST_HANDLE) what = "a function";
  td_parser_error(p, node->at, "cannot assign to %s", what);
  td_hint(p->diags, "left of '=' stands a name, with indices and fields");
  return false;
}

// Read the token that ends a statement; ';' makes it quiet.  Anything but a separator is an error.
static bool end_statement(parser* p, ast* node) {
  const token_kind k = p->tok.kind;
  node->quiet = k == T_SEMICOLON;

  // 1,5 would be two statements; a decimal comma was meant
  const char* rest = p->lx.text + p->tok.begin;
  if (k == T_COMMA && p->prev.kind == T_NUMBER && p->prev.end == p->tok.begin && rest[1] >= '0' &&
      rest[1] <= '9') {
    const int whole = p->prev.end - p->prev.begin;
    const int part = (int)strspn(rest + 1, "0123456789.eE");
    td_parser_error(p, td_parser_span(p, p->tok), "a number has a decimal point: write %.*s.%.*s",
                    whole < 40 ? whole : 40, p->lx.text + p->prev.begin, part < 40 ? part : 40,
                    rest + 1);
    td_hint(p->diags, "a comma ends the statement, so %.*s alone would be assigned",
            whole < 40 ? whole : 40, p->lx.text + p->prev.begin);
    return false;
  }
  if (k == T_EOF || td_parser_accept(p, T_SEMICOLON) || td_parser_accept(p, T_COMMA) ||
      td_parser_accept(p, T_NEWLINE)) {
    return true;
  }

  // report what stands here instead
  const td_span here = td_parser_span(p, p->tok);
  if (k == T_ASSIGN) {
    td_parser_equals_in_expression(p);
  } else if (k == T_RPAREN || k == T_RBRACKET || k == T_RBRACE) {
    const char closer = p->lx.text[p->tok.begin];
    td_parser_error(p, here, "'%c' without '%c' before it", closer,
                    closer == ')'   ? '('
                    : closer == ']' ? '['
                                    : '{');
  } else if (k == T_INCREMENT || k == T_DECREMENT) {
    td_parser_error(p, here, "'++' and '--' may not stand inside an expression");
    td_hint(p->diags, "x++ is a statement of its own");
  } else if (is_keyword(k)) {
    td_parser_expected(p, "the end of the statement");
    td_hint(p->diags, "separate statements by ';' or a new line");
  } else {
    td_parser_expected(p, "an operator or the end of the statement");
    td_parser_word_hint(p);
  }
  return false;
}

// Complete a statement that began at `begin` and read its end.  False: recovery is needed.
static bool finish_statement(parser* p, ast* node, int begin, ast** out) {
  if (!node) return false;
  node->at = td_parser_since(p, begin);
  if (!end_statement(p, node)) return false;
  *out = node;
  return true;
}

// [a, ~, b(2)] = value
static bool multiple_assignment(parser* p, ast** out) {
  const int begin = p->tok.begin, mark = p->nitem;
  td_parser_next(p);

  // targets up to ']'; `~` discards a value
  while (!td_parser_accept(p, T_RBRACKET)) {
    ast* target;
    if (p->tok.kind == T_NOT) {
      target = td_parser_word(p, AST_NAME, p->tok);
      td_parser_next(p);
      if (target) target->text = td_ast_text(p->pool, "~", 1);
    } else {
      target = td_parse_expression(p);
      if (target && !td_parser_check_target(p, target)) return false;
    }
    if (!td_parser_push(p, target)) return false;
    if (!td_parser_accept(p, T_COMMA) && p->tok.kind != T_RBRACKET && p->prev.kind != T_NOT) {
      td_parser_not_closed(p, begin, ']');
      return false;
    }
  }

  if (p->nitem == mark) {
    td_parser_error(p, td_parser_since(p, begin), "there is nothing to assign to");
    return false;
  }

  // '=' and the value
  const token sign = p->tok;
  td_parser_next(p);
  ast* node = td_parser_node(p, AST_ASSIGN, td_parser_span(p, sign));
  if (!node || !td_parser_take(p, mark, &node->list, &node->n)) return false;
  node->a = td_parse_expression(p);
  return node->a && finish_statement(p, node, begin, out);
}

// True if '=' follows the bracket that begins this statement; reads ahead on a copy of the lexer.
static bool is_multiple_assignment(const parser* p) {
  lexer lx = p->lx;
  lx.mute = true;
  while (lx.nopen > 0) {
    const token t = td_lexer_next(&lx);
    if (t.kind == T_NEWLINE || t.kind == T_EOF || t.kind == T_ERROR) return false;
  }
  return td_lexer_next(&lx).kind == T_ASSIGN;
}

// target++ or target--, as target += 1; `sign` is the operator.
static ast* increment(parser* p, ast* target, token sign) {
  if (!td_parser_check_target(p, target)) return NULL;
  ast* node = td_parser_node(p, AST_OPASSIGN, td_parser_span(p, sign));
  if (!node) return NULL;
  node->op = p->lx.text[sign.begin] == '+' ? OP_ADD : OP_SUB;
  node->a = target;
  node->b = td_parser_node(p, AST_NUMBER, node->at);
  if (!node->b) return NULL;
  node->b->number = 1;
  return node;
}

// An expression, an assignment (=, += ...) or a postfix increment.
static bool simple_statement(parser* p, ast** out) {
  const int begin = p->tok.begin, mark = p->nitem;
  ast* left = td_parse_expression(p);
  if (!left) return false;
  const token sign = p->tok;
  ast_op op = OP_ADD;
  ast* node = NULL;

  // the token behind the expression tells what the statement is
  switch (sign.kind) {
    case T_ASSIGN:
      if (!td_parser_check_target(p, left)) return false;
      node = td_parser_node(p, AST_ASSIGN, td_parser_span(p, sign));
      td_parser_next(p);
      if (!node || !td_parser_push(p, left)) return false;
      if (!td_parser_take(p, mark, &node->list, &node->n)) return false;
      node->a = td_parse_expression(p);
      return node->a && finish_statement(p, node, begin, out);
    case T_ADD_ASSIGN:
    case T_SUB_ASSIGN:
    case T_MUL_ASSIGN:
    case T_DIV_ASSIGN:
      if (sign.kind == T_SUB_ASSIGN) op = OP_SUB;
      if (sign.kind == T_MUL_ASSIGN) op = OP_MUL;
      if (sign.kind == T_DIV_ASSIGN) op = OP_DIV;
      if (!td_parser_check_target(p, left)) return false;
      node = td_parser_node(p, AST_OPASSIGN, td_parser_span(p, sign));
      if (!node) return false;
      td_parser_next(p);
      node->op = op;
      node->a = left;
      node->b = td_parse_expression(p);
      return node->b && finish_statement(p, node, begin, out);
    case T_INCREMENT:
    case T_DECREMENT:
      td_parser_next(p);
      return finish_statement(p, increment(p, left, sign), begin, out);
    default:
      node = td_parser_node(p, AST_EXPR, left->at);
      if (node) node->a = left;
      return finish_statement(p, node, begin, out);
  }
}

// ---- commands ---------------------------------------------------------------------------------

static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_word(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || (c != '\0' && strchr("_-./", c));
}
static bool is_end(char c) { return c == '\0' || strchr("\r\n;,%#", c); }

static bool is_continuation(const char* s, int pos) { return strncmp(s + pos, "...", 3) == 0; }

// Position behind blanks, and behind the ends of lines that '...' continues.
static int skip_blanks(const char* s, int pos) {
  while (is_blank(s[pos]) || is_continuation(s, pos)) {
    if (is_continuation(s, pos)) pos += (int)strcspn(s + pos, "\n");
    if (s[pos]) pos++;
  }
  return pos;
}

// End of the word or 'quoted word' of a command at pos; pos itself if there is none.
static int word_end(const char* s, int pos) {
  int end = pos;
  if (s[pos] == '\'') {
    for (end = pos + 1; s[end] != '\'' && s[end] != '\n' && s[end] != '\r' && s[end]; end++) {
    }
    return s[end] == '\'' ? end + 1 : pos;
  }
  if (!is_letter(s[pos]) && !(s[pos] == '-' && is_letter(s[pos + 1]))) return pos;
  while (is_word(s[end]) && !is_continuation(s, end)) end++;
  return is_keyword(td_keyword(s + pos, end - pos)) ? pos : end;
}

// True if another symbol, not a statement, follows the comma at pos of `syms a, b, c`.
static bool is_symbol(const char* s, int pos) {
  const int begin = skip_blanks(s, pos), end = word_end(s, begin), next = skip_blanks(s, end);
  return end > begin && (is_end(s[next]) || (next > end && is_letter(s[next])));
}

// End of the command that begins with the current token: words up to the end of the statement; -1
// if something else than words follows.
static int command_end(const parser* p) {
  const token t = p->tok;
  const char* s = p->lx.text;
  const bool syms = td_parser_is(p, "syms");
  int pos = skip_blanks(s, t.end);
  if (pos == t.end) return -1;

  while (!is_end(s[pos]) || (syms && s[pos] == ',' && is_symbol(s, pos + 1))) {
    if (s[pos] == ',') pos = skip_blanks(s, pos + 1);
    const int end = word_end(s, pos);
    if (end == pos || (!is_blank(s[end]) && !is_end(s[end]) && !is_continuation(s, end))) return -1;
    pos = skip_blanks(s, end);
  }
  return pos;
}

// True if the current token is a command that may stand alone or have options: `clc`, `clear -all`.
static bool is_known_command(const parser* p) {
  static const char* const commands[] = {"clc", "clear", "close", "format", "hold"};
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    if (td_parser_is(p, commands[i])) return true;
  }
  return false;
}

// True if the text behind a word makes the statement a command.  A variable is followed by '=', '('
// or an operator with blanks on both sides.
static bool is_argument(const char* s, int end) {
  const int first = skip_blanks(s, end);
  if (first == end || is_end(s[first]) || s[first] == '(') return false;
  if (s[first] == '=' && s[first + 1] != '=') return false;
  return !(strchr("+-*/\\^<>=&|~!:", s[first]) &&
           (is_blank(s[first + 1]) || s[first + 1] == '=' || s[first + 1] == s[first]));
}

// True if the current token is a word of MATLAB that anything may follow: `print -depsc fig`, `cd
// ..`.
static bool is_free_command(const parser* p) {
  const int length = p->tok.end - p->tok.begin;
  char word[24];
  if (length >= (int)sizeof word || !is_argument(p->lx.text, p->tok.end)) return false;
  memcpy(word, p->lx.text + p->tok.begin, (size_t)length);
  word[length] = 0;
  return td_is_housekeeping(word) || td_is_program_name(word);
}

// True if the statement is a command: a word followed by words instead of an operator.
static bool is_command(const parser* p) {
  const char* s = p->lx.text;
  const int first = skip_blanks(s, p->tok.end);
  if (is_end(s[first])) return is_known_command(p);
  if (is_free_command(p)) return true;
  return command_end(p) > first && (s[first] != '-' || is_known_command(p));
}

// A command with its words: `syms a b`, `clear all`.
static bool command(parser* p, ast** out) {
  const token t = p->tok;
  const int mark = p->nitem, end = command_end(p);
  const char* s = p->lx.text;
  ast* node = td_parser_word(p, AST_COMMAND, t);
  if (!node) return false;
  int last = t.end;

  // words without meaning here: skip to the end of the statement; quoted text may contain anything
  if (end < 0) {
    for (bool quoted = false; s[last] && !strchr("\r\n", s[last]); last++) {
      if (s[last] == '\'') quoted = !quoted;
      if (!quoted && strchr(";,%", s[last])) break;
    }
  }

  // words, without their quotes
  for (int pos = skip_blanks(s, t.end); pos < end;) {
    if (s[pos] == ',') pos = skip_blanks(s, pos + 1);
    last = word_end(s, pos);
    const int quote = s[pos] == '\'' ? 1 : 0;
    const token word = {.begin = pos + quote, .end = last - quote};
    if (!td_parser_push(p, td_parser_word(p, AST_STRING, word))) return false;
    pos = skip_blanks(s, last);
  }

  if (end >= 0 && !td_parser_take(p, mark, &node->list, &node->n)) return false;
  td_lexer_reset(&p->lx, last);
  td_parser_next(p);
  p->prev.end = last;
  return finish_statement(p, node, t.begin, out);
}

// ---- refused statements -----------------------------------------------------------------------

void td_parser_refuse(parser* p, const char* hint) {
  td_parser_error(p, td_parser_span(p, p->tok), "'%.*s' is not part of the language",
                  p->tok.end - p->tok.begin, p->lx.text + p->tok.begin);
  td_hint(p->diags, "%s", hint);
}

void td_parser_skip_line(parser* p) {
  td_parser_next(p);
  td_parser_recover(p, true);
}

// Report a statement that the language does not have and skip it.
static bool refused_statement(parser* p, const char* hint) {
  td_parser_refuse(p, hint);
  td_parser_skip_line(p);
  return true;
}

// True if `do` begins a loop of Octave: `do` and `until` are names elsewhere, so only `do` alone on
// its line does.
static bool is_do(const parser* p) {
  const char next = p->lx.text[skip_blanks(p->lx.text, p->tok.end)];
  return p->tok.starts_line && td_parser_is(p, "do") && is_end(next) && next != ',';
}

// ---- statements -------------------------------------------------------------------------------

// break, continue or return
static bool jump(parser* p, ast_kind kind, ast** out) {
  const token t = p->tok;
  ast* node = td_parser_node(p, kind, td_parser_span(p, t));
  td_parser_next(p);
  if (kind != AST_RETURN && p->loops == 0) {
    td_parser_error(p, td_parser_span(p, t), "'%s' outside a loop",
                    kind == AST_BREAK ? "break" : "continue");
    return false;
  }
  return finish_statement(p, node, t.begin, out);
}

// global a b c
static bool global_names(parser* p, ast** out) {
  const int begin = p->tok.begin, mark = p->nitem;
  ast* node = td_parser_node(p, AST_GLOBAL, td_parser_span(p, p->tok));
  td_parser_next(p);
  while (node && p->tok.kind == T_NAME) {
    if (!td_parser_push(p, td_parser_word(p, AST_NAME, p->tok))) return false;
    td_parser_next(p);
  }
  if (!node || !td_parser_take(p, mark, &node->list, &node->n)) return false;
  if (node->n == 0) return td_parser_expected(p, "a name") != NULL;
  return finish_statement(p, node, begin, out);
}

// True if `!` begins a shell command, `!ls -l x`: a word and its arguments, not a negated
// expression.
static bool is_shell_command(const parser* p) {
  const char* s = p->lx.text;
  const int begin = p->tok.end, end = word_end(s, begin);
  return s[p->tok.begin] == '!' && end > begin && is_letter(s[begin]) &&
         (is_end(s[skip_blanks(s, end)]) || is_argument(s, end));
}

// A shell command up to the end of the line; it is not run.
static bool shell_command(parser* p, ast** out) {
  const token t = p->tok;
  ast* node = td_parser_node(p, AST_COMMAND, td_parser_span(p, t));
  if (!node) return false;
  node->text = td_ast_text(p->pool, "!", 1);
  const int end = t.begin + (int)strcspn(p->lx.text + t.begin, "\r\n");
  td_lexer_reset(&p->lx, end);
  td_parser_next(p);
  p->prev.end = end;
  return node->text && finish_statement(p, node, t.begin, out);
}

// A statement that begins with a name.
static bool named_statement(parser* p, ast** out) {
  if (is_do(p)) {
    p->until++;
    p->loops++;
    return refused_statement(p, "use 'while'");
  }
  if (p->until > 0 && td_parser_is(p, "until")) {
    p->until--;
    p->loops--;
    td_parser_skip_line(p);
    return true;
  }
  return is_command(p) ? command(p, out) : simple_statement(p, out);
}

// Report a closing bracket that nothing opened.
static bool stray_bracket(parser* p) {
  const char c = p->lx.text[p->tok.begin];
  td_parser_error(p, td_parser_span(p, p->tok), "'%c' without '%c' before it", c,
                  c == ')'   ? '('
                  : c == ']' ? '['
                             : '{');
  if (c == '}') td_hint(p->diags, "blocks are closed with 'end'");
  return false;
}

// Parse one statement without blocks by its first token.
bool td_parse_simple(parser* p, ast** out) {
  const token t = p->tok;
  switch (t.kind) {
    case K_BREAK:
      return jump(p, AST_BREAK, out);
    case K_CONTINUE:
      return jump(p, AST_CONTINUE, out);
    case K_RETURN:
      return jump(p, AST_RETURN, out);
    case K_CLASSDEF:
      // refuse it and the rest of the file
      td_parser_refuse(p, "describe things with struct fields");
      td_lexer_reset(&p->lx, p->lx.size);
      td_parser_next(p);
      return true;
    case K_GLOBAL:
      return global_names(p, out);
    case K_PERSISTENT:
      return refused_statement(p, "a function of a model keeps no values");
    case T_RPAREN:
    case T_RBRACKET:
    case T_RBRACE:
      return stray_bracket(p);
    case T_NAME:
      return named_statement(p, out);
    case T_LBRACKET:
      return is_multiple_assignment(p) ? multiple_assignment(p, out) : simple_statement(p, out);
    case T_NOT:
      return is_shell_command(p) ? shell_command(p, out) : simple_statement(p, out);
    case T_ADD:
    case T_SUB:
      // ++a and --a
      if (p->lx.text[t.begin + 1] == p->lx.text[t.begin]) {
        td_parser_next(p);
        td_parser_next(p);
        ast* target = td_parse_expression(p);
        return target && finish_statement(p, increment(p, target, t), t.begin, out);
      }
      return simple_statement(p, out);
    default:
      return simple_statement(p, out);
  }
}
