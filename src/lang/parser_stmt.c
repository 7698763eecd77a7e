// Statements without blocks inside.  Statements that the language leaves out (classdef, persistent,
// ...) are refused by name but read to their end, so that they cause no other messages.
#include <string.h>

#include "lang/parser.h"

// ---- assignments and expressions --------------------------------------------------------------

// A name with indices and fields, not in parentheses.
static bool is_target(const parser* p, const ast* node) {
  if (p->lx.text[node->at.begin] == '(') return false;
  while (node->kind == AST_INDEX || node->kind == AST_CELLINDEX || node->kind == AST_FIELD) {
    node = node->a;
  }
  return node->kind == AST_NAME && p->lx.text[node->at.begin] != '(';
}

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

// The statement's last token: quiet when ';'.  Anything else than a separator is an error.
static bool end_statement(parser* p, ast* node) {
  const token_kind k = p->tok.kind;
  node->quiet = k == T_SEMICOLON;

  // 1,5: two statements for the language, a decimal comma for whoever wrote it
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
  const token sign = p->tok;
  td_parser_next(p);
  ast* node = td_parser_node(p, AST_ASSIGN, td_parser_span(p, sign));
  if (!node || !td_parser_take(p, mark, &node->list, &node->n)) return false;
  node->a = td_parse_expression(p);
  return node->a && finish_statement(p, node, begin, out);
}

// Does '=' follow the bracket that begins this statement?
static bool is_multiple_assignment(const parser* p) {
  lexer lx = p->lx;
  lx.mute = true;
  while (lx.nopen > 0) {
    const token t = td_lexer_next(&lx);
    if (t.kind == T_NEWLINE || t.kind == T_EOF || t.kind == T_ERROR) return false;
  }
  return td_lexer_next(&lx).kind == T_ASSIGN;
}

static ast* assignment(parser* p, ast* target) {
  const int mark = p->nitem;
  if (!td_parser_check_target(p, target)) return NULL;
  ast* node = td_parser_node(p, AST_ASSIGN, td_parser_span(p, p->tok));
  td_parser_next(p);
  if (!node || !td_parser_push(p, target)) return NULL;
  if (!td_parser_take(p, mark, &node->list, &node->n)) return NULL;
  node->a = td_parse_expression(p);
  return node->a ? node : NULL;
}

static ast* operator_assignment(parser* p, ast* target, ast_op op) {
  if (!td_parser_check_target(p, target)) return NULL;
  ast* node = td_parser_node(p, AST_OPASSIGN, td_parser_span(p, p->tok));
  if (!node) return NULL;
  td_parser_next(p);
  node->op = op;
  node->a = target;
  node->b = td_parse_expression(p);
  return node->b ? node : NULL;
}

// a++ or a--; `sign` is the operator
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

static ast* expression_statement(parser* p, ast* value) {
  ast* node = td_parser_node(p, AST_EXPR, value->at);
  if (node) node->a = value;
  return node;
}

static ast* after_expression(parser* p, ast* left) {
  const token t = p->tok;
  switch (t.kind) {
    case T_ASSIGN:
      return assignment(p, left);
    case T_ADD_ASSIGN:
      return operator_assignment(p, left, OP_ADD);
    case T_SUB_ASSIGN:
      return operator_assignment(p, left, OP_SUB);
    case T_MUL_ASSIGN:
      return operator_assignment(p, left, OP_MUL);
    case T_DIV_ASSIGN:
      return operator_assignment(p, left, OP_DIV);
    case T_INCREMENT:
    case T_DECREMENT:
      td_parser_next(p);
      return increment(p, left, t);
    default:
      return expression_statement(p, left);
  }
}

static bool simple_statement(parser* p, ast** out) {
  const int begin = p->tok.begin;
  ast* left = td_parse_expression(p);
  return left && finish_statement(p, after_expression(p, left), begin, out);
}

// ++a and --a
static bool is_prefix_increment(const parser* p) {
  const char* s = p->lx.text + p->tok.begin;
  return (s[0] == '+' || s[0] == '-') && s[1] == s[0];
}

static bool prefix_increment(parser* p, ast** out) {
  const token sign = p->tok;
  td_parser_next(p);
  td_parser_next(p);
  ast* target = td_parse_expression(p);
  return target && finish_statement(p, increment(p, target, sign), sign.begin, out);
}

// ---- commands ---------------------------------------------------------------------------------

static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_word(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || (c != '\0' && strchr("_-./", c));
}
static bool is_end(char c) { return c == '\0' || strchr("\r\n;,%#", c); }

static bool is_continuation(const char* s, int pos) { return strncmp(s + pos, "...", 3) == 0; }

// Blanks, and ends of lines behind '...' with what is written there.
static int skip_blanks(const char* s, int pos) {
  while (is_blank(s[pos]) || is_continuation(s, pos)) {
    if (is_continuation(s, pos)) pos += (int)strcspn(s + pos, "\n");
    if (s[pos]) pos++;
  }
  return pos;
}

// End of the word or 'quoted word' of a command at pos; pos itself when there is none.
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

// Is what follows a comma at pos of `syms a, b, c` another symbol, not a statement?
static bool is_symbol(const char* s, int pos) {
  const int begin = skip_blanks(s, pos), end = word_end(s, begin), next = skip_blanks(s, end);
  return end > begin && (is_end(s[next]) || (next > end && is_letter(s[next])));
}

// End of the command that begins with the current token: only words up to the end of the statement.
// -1: none.
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

// Commands that may stand alone or have options: `clc`, `clear -all`.
static bool is_known_command(const parser* p) {
  static const char* const commands[] = {"clc", "clear", "close", "format", "hold"};
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    if (td_parser_is(p, commands[i])) return true;
  }
  return false;
}

// Does the text behind a word make the statement a command?  Behind a variable come '=', '(' or an
// operator with blanks on both sides.
static bool is_argument(const char* s, int end) {
  const int first = skip_blanks(s, end);
  if (first == end || is_end(s[first]) || s[first] == '(') return false;
  if (s[first] == '=' && s[first + 1] != '=') return false;
  return !(strchr("+-*/\\^<>=&|~!:", s[first]) &&
           (is_blank(s[first + 1]) || s[first + 1] == '=' || s[first + 1] == s[first]));
}

// Words of MATLAB that are followed by anything: `print -depsc fig`, `warning off MATLAB:x`, `cd
// ..`.
static bool is_free_command(const parser* p) {
  const int length = p->tok.end - p->tok.begin;
  char word[24];
  if (length >= (int)sizeof word || !is_argument(p->lx.text, p->tok.end)) return false;
  memcpy(word, p->lx.text + p->tok.begin, (size_t)length);
  word[length] = 0;
  return td_is_housekeeping(word) || td_is_program_name(word);
}

// The end of the statement that holds pos; text in quotes may hold anything.
static int statement_end(const char* s, int pos) {
  for (bool quoted = false; s[pos] && !strchr("\r\n", s[pos]); pos++) {
    if (s[pos] == '\'') quoted = !quoted;
    if (!quoted && strchr(";,%", s[pos])) break;
  }
  return pos;
}

static bool is_command(const parser* p) {
  const char* s = p->lx.text;
  const int first = skip_blanks(s, p->tok.end);
  if (is_end(s[first])) return is_known_command(p);
  if (is_free_command(p)) return true;
  return command_end(p) > first && (s[first] != '-' || is_known_command(p));
}

static ast* command_word(parser* p, int begin, int end) {
  const int quote = p->lx.text[begin] == '\'' ? 1 : 0;
  const token t = {.begin = begin + quote, .end = end - quote};
  return td_parser_word(p, AST_STRING, t);
}

static bool command(parser* p, ast** out) {
  const token t = p->tok;
  const int mark = p->nitem, end = command_end(p);
  const char* s = p->lx.text;
  ast* node = td_parser_word(p, AST_COMMAND, t);
  if (!node) return false;
  int last = t.end;
  if (end < 0) {  // its words mean nothing here
    last = statement_end(s, t.end);
    td_lexer_reset(&p->lx, last);
    td_parser_next(p);
    p->prev.end = last;
    return finish_statement(p, node, t.begin, out);
  }
  for (int pos = skip_blanks(s, t.end); pos < end;) {
    if (s[pos] == ',') pos = skip_blanks(s, pos + 1);
    last = word_end(s, pos);
    if (!td_parser_push(p, command_word(p, pos, last))) return false;
    pos = skip_blanks(s, last);
  }
  if (!td_parser_take(p, mark, &node->list, &node->n)) return false;
  td_lexer_reset(&p->lx, last);
  td_parser_next(p);
  p->prev.end = last;
  return finish_statement(p, node, t.begin, out);
}

// ---- what is refused --------------------------------------------------------------------------

void td_parser_refuse(parser* p, const char* hint) {
  td_parser_error(p, td_parser_span(p, p->tok), "'%.*s' is not part of the language",
                  p->tok.end - p->tok.begin, p->lx.text + p->tok.begin);
  td_hint(p->diags, "%s", hint);
}

void td_parser_skip_line(parser* p) {
  td_parser_next(p);
  td_parser_recover(p, true);
}

// Read over the statement.
static bool refused_statement(parser* p, const char* hint) {
  td_parser_refuse(p, hint);
  td_parser_skip_line(p);
  return true;
}

static bool refused_class(parser* p) {
  td_parser_refuse(p, "describe things with struct fields");
  td_lexer_reset(&p->lx, p->lx.size);
  td_parser_next(p);
  return true;
}

// `do` and `until` are names elsewhere, so only `do` alone on its line is the loop.
static bool is_do(const parser* p) {
  const char next = p->lx.text[skip_blanks(p->lx.text, p->tok.end)];
  return p->tok.starts_line && td_parser_is(p, "do") && is_end(next) && next != ',';
}

static bool refused_loop(parser* p) {
  p->until++;
  p->loops++;
  return refused_statement(p, "use 'while'");
}

static bool end_refused_loop(parser* p) {
  p->until--;
  p->loops--;
  td_parser_skip_line(p);
  return true;
}

// ---- statements -------------------------------------------------------------------------------

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

// A shell command, `!ls -l x`: a word and its arguments, not the negation of an expression.
static bool is_shell_command(const parser* p) {
  const char* s = p->lx.text;
  const int begin = p->tok.end, end = word_end(s, begin);
  return s[p->tok.begin] == '!' && end > begin && is_letter(s[begin]) &&
         (is_end(s[skip_blanks(s, end)]) || is_argument(s, end));
}

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

static bool named_statement(parser* p, ast** out) {
  if (is_do(p)) return refused_loop(p);
  if (p->until > 0 && td_parser_is(p, "until")) return end_refused_loop(p);
  return is_command(p) ? command(p, out) : simple_statement(p, out);
}

// A bracket that nothing opened.
static bool stray_bracket(parser* p) {
  const char c = p->lx.text[p->tok.begin];
  td_parser_error(p, td_parser_span(p, p->tok), "'%c' without '%c' before it", c,
                  c == ')'   ? '('
                  : c == ']' ? '['
                             : '{');
  if (c == '}') td_hint(p->diags, "blocks are closed with 'end'");
  return false;
}

bool td_parse_simple(parser* p, ast** out) {
  switch (p->tok.kind) {
    case K_BREAK:
      return jump(p, AST_BREAK, out);
    case K_CONTINUE:
      return jump(p, AST_CONTINUE, out);
    case K_RETURN:
      return jump(p, AST_RETURN, out);
    case K_CLASSDEF:
      return refused_class(p);
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
      return is_prefix_increment(p) ? prefix_increment(p, out) : simple_statement(p, out);
    default:
      return simple_statement(p, out);
  }
}
