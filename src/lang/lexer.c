// The lexer.  The meaning of blanks, newlines, quotes and `end` depends on where they stand:
//
//   [a -b]  two elements      [a - b]  one      [a' b']  transposes      [a 'b']  a and a string
//
// Inside [ ] and { } a blank between two operands is a comma and a newline ends a row; inside ( )
// both are ignored.  A wrong character is reported where it stands and, where its meaning is clear,
// read as what was meant, so that one pass finds all of them.  To add a sign: a row in `signs`; to
// add a hint for a sign of another language: a row in `mistakes`.
#include "lang/lexer.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v'; }
static bool is_eol(char c) { return c == '\n' || c == '\r'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

static char at(const lexer* lx, int pos) { return pos < lx->size ? lx->text[pos] : '\0'; }
static bool at_end(const lexer* lx) { return lx->pos >= lx->size; }
// True if the text s stands at the current position.
static bool looking_at(const lexer* lx, const char* s) {
  return lx->text[lx->pos] == s[0] && strncmp(lx->text + lx->pos, s, strlen(s)) == 0;
}

// Kind of the innermost open bracket, or 0.
static char inside(const lexer* lx) { return lx->nopen > 0 ? lx->open[lx->nopen - 1].kind : '\0'; }
static bool in_matrix(const lexer* lx) { return inside(lx) == '[' || inside(lx) == '{'; }

// Report at [begin, end); false if the lexer is muted and no hint must follow.
static bool report(lexer* lx, int begin, int end, const char* text) {
  if (lx->mute) return false;
  td_error(lx->diags, TD_E_SYNTAX, (td_span){lx->source, begin, end}, "%s", text);
  return true;
}

void td_lexer_open(lexer* lx, td_diags* diags, int source) {
  const td_source* s = &diags->sources[source];
  *lx = (lexer){.diags = diags, .text = s->text, .source = source, .size = s->size};
  if (s->size >= 3 && memcmp(s->text, "\xEF\xBB\xBF", 3) == 0) lx->start = 3;
  td_lexer_reset(lx, lx->start);
}

// Continue at an offset, outside all brackets.
void td_lexer_reset(lexer* lx, int pos) {
  lx->pos = pos;
  lx->nopen = 0;
  lx->last = (token){.kind = T_NEWLINE, .begin = pos, .end = pos};
  lx->break_at = lx->break_after = -1;
  lx->fresh = true;
  lx->overflow = false;
}

// ---- brackets ---------------------------------------------------------------------------------

// Open a bracket; false: too many are open.
static bool push(lexer* lx, char kind, int pos) {
  if (lx->nopen > AST_NEST_LIMIT) {
    lx->overflow = true;
    return false;
  }
  lx->open[lx->nopen++] = (bracket){kind, pos};
  return true;
}

// Close the innermost open bracket, even if it is of another kind, which the parser reports.  A
// matrix over several lines stays open at ')', because its own end is still to come.
static void pop(lexer* lx, int pos) {
  if (lx->nopen == 0) return;
  const bracket b = lx->open[lx->nopen - 1];
  if (b.kind != '(' && lx->break_at > b.at && lx->text[pos] == ')') return;
  lx->nopen--;
}

void td_lexer_function_body(lexer* lx) {
  if (in_matrix(lx)) push(lx, '@', lx->pos);
}

// End the bodies of @(...) inside a matrix.
static void leave_function_body(lexer* lx) {
  while (inside(lx) == '@') lx->nopen--;
}

// ---- between tokens ---------------------------------------------------------------------------

static int eol_length(const lexer* lx, int pos) {
  return at(lx, pos) == '\r' && at(lx, pos + 1) == '\n' ? 2 : 1;
}

static void skip_to_eol(lexer* lx) {
  while (!at_end(lx) && !is_eol(lx->text[lx->pos])) lx->pos++;
}

// True if a comment sign followed by `brace` stands at pos, alone on its line.
static bool is_block_sign(const lexer* lx, int pos, char brace) {
  if ((at(lx, pos) != '%' && at(lx, pos) != '#') || at(lx, pos + 1) != brace) return false;
  int after = pos + 2, before = pos - 1;
  while (is_blank(at(lx, after))) after++;
  while (before >= lx->start && is_blank(lx->text[before])) before--;
  const bool first = before < lx->start || is_eol(lx->text[before]);
  return first && (after >= lx->size || is_eol(lx->text[after]));
}

// Skip a comment between %{ and %} on lines of their own; such comments nest.
static void skip_block_comment(lexer* lx) {
  const int begin = lx->pos;
  int depth = 0;
  while (!at_end(lx)) {
    while (is_blank(at(lx, lx->pos))) lx->pos++;
    if (is_block_sign(lx, lx->pos, '{')) depth++;
    if (is_block_sign(lx, lx->pos, '}')) depth--;
    skip_to_eol(lx);
    if (depth == 0) return;
    if (!at_end(lx)) lx->pos += eol_length(lx, lx->pos);
  }

  if (report(lx, begin, begin + 2, "this block comment has no end")) {
    td_hint(lx->diags, "close it with '%%}' on a line of its own");
  }
}

// Record a newline inside brackets and the end of the token before it.
static void note_break(lexer* lx) {
  if (lx->last.kind != T_NEWLINE) {
    lx->break_after = lx->last.kind == T_SEMICOLON ? lx->last.begin : lx->last.end;
  }
  lx->break_at = lx->pos;
  lx->fresh = true;
}

// Length of a blank beyond ASCII at the current position, or 0.  It is reported once, because there
// are usually many.
static int foreign_blank(lexer* lx) {
  int code = 0;
  const int n = td_utf8_decode(lx->text + lx->pos, lx->size - lx->pos, &code);
  if (n < 2) return 0;
  const foreign f = td_foreign(code);
  if (!f.ascii || f.ascii[0] != ' ') return 0;
  if (!lx->mute && !lx->blank_reported) {
    const td_span span = {lx->source, lx->pos, lx->pos + n};
    td_error(lx->diags, TD_E_SYNTAX, span, "the character U+%04X (%s) is not an ordinary space",
             (unsigned)code, f.name);
    td_hint(lx->diags, "replace it by a space, here and elsewhere in the file");
    lx->blank_reported = true;
  }
  return n;
}

// Skip blanks, comments and continued lines; true if there were any.
static bool skip_blanks(lexer* lx) {
  const int begin = lx->pos;
  while (!at_end(lx)) {
    const char c = lx->text[lx->pos];
    if (is_blank(c)) {
      lx->pos++;
    } else if (c == '%' || c == '#') {
      if (is_block_sign(lx, lx->pos, '{')) {
        skip_block_comment(lx);
      } else {
        skip_to_eol(lx);
      }
    } else if (c == '.' && looking_at(lx, "...")) {
      // "..." joins lines; the rest of its line is a comment
      skip_to_eol(lx);
      if (!at_end(lx)) lx->pos += eol_length(lx, lx->pos);
    } else if (is_eol(c) && inside(lx) == '(') {
      note_break(lx);
      lx->pos += eol_length(lx, lx->pos);
    } else {
      const int n = c & 0x80 ? foreign_blank(lx) : 0;
      if (n == 0) break;
      lx->pos += n;
    }
  }
  return lx->pos > begin;
}

// ---- names and keywords -----------------------------------------------------------------------

// Search a keyword.
token_kind td_keyword(const char* name, int length) {
  static const struct {
    const char* name;
    token_kind kind;
  } words[] = {
      {"if", K_IF},
      {"for", K_FOR},
      {"while", K_WHILE},
      {"switch", K_SWITCH},
      {"function", K_FUNCTION},
      {"break", K_BREAK},
      {"continue", K_CONTINUE},
      {"return", K_RETURN},
      {"elseif", K_ELSEIF},
      {"else", K_ELSE},
      {"case", K_CASE},
      {"otherwise", K_OTHERWISE},
      {"catch", K_CATCH},
      {"unwind_protect_cleanup", K_CLEANUP},
      {"end", K_END},
      {"endif", K_ENDIF},
      {"endfor", K_ENDFOR},
      {"endwhile", K_ENDWHILE},
      {"endswitch", K_ENDSWITCH},
      {"endfunction", K_ENDFUNCTION},
      {"end_try_catch", K_END_OTHER},
      {"end_unwind_protect", K_END_OTHER},
      {"endparfor", K_END_OTHER},
      {"try", K_TRY},
      {"unwind_protect", K_UNWIND},
      {"parfor", K_PARFOR},
      {"classdef", K_CLASSDEF},
      {"global", K_GLOBAL},
      {"persistent", K_PERSISTENT},
  };

  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strncmp(words[i].name, name, (size_t)length) == 0 && !words[i].name[length]) {
      return words[i].kind;
    }
  }
  return T_NAME;
}

// Length of a letter beyond ASCII at pos, or 0; names must not contain one but often do.
static int foreign_letter(const lexer* lx, int pos, foreign* f) {
  int code = 0;
  if (!(at(lx, pos) & 0x80)) return 0;
  const int n = td_utf8_decode(lx->text + pos, lx->size - pos, &code);
  if (n == 0) return 0;
  *f = td_foreign(code);
  return !f->ascii || is_letter(f->ascii[0]) ? n : 0;
}

// A name or a keyword.
static void scan_name(lexer* lx, token* t) {
  foreign f = {0};
  bool pure = true;
  for (int n; !at_end(lx); lx->pos += n) {
    n = is_word(lx->text[lx->pos]) ? 1 : foreign_letter(lx, lx->pos, &f);
    if (n == 0) break;
    if (n == 1) continue;

    // report a letter beyond ASCII and read on
    pure = false;
    if (lx->mute) continue;
    td_error(lx->diags, TD_E_SYNTAX, (td_span){lx->source, lx->pos, lx->pos + n},
             "the character '%.*s' (U+%04X) may not be used in a name", n, lx->text + lx->pos,
             (unsigned)f.code);
    if (f.ascii) {
      td_hint(lx->diags, "write '%s' instead", f.ascii);
    } else {
      td_hint(lx->diags, "names consist of the letters a-z and A-Z, digits and _");
    }
  }

  t->kind = T_NAME;
  if (!pure || lx->last.kind == T_DOT) return;  // a field may have the name of a keyword
  t->kind = td_keyword(lx->text + t->begin, lx->pos - t->begin);
  if (t->kind == K_END && lx->nopen > 0) t->kind = T_LAST;
}

// ---- numbers ----------------------------------------------------------------------------------

static void skip_digits(lexer* lx) {
  while (is_digit(at(lx, lx->pos))) lx->pos++;
}

// 1  1.  .5  1.5e-3; the point of 1./x and 1.' belongs to the operator.
static void scan_decimal(lexer* lx, token* t) {
  skip_digits(lx);
  const char next = at(lx, lx->pos + 1);
  const bool point = at(lx, lx->pos) == '.' && !looking_at(lx, "...");
  if (point && (next == '\0' || !strchr("*/\\^'", next))) {
    lx->pos++;
    skip_digits(lx);
  }
  if ((at(lx, lx->pos) | 0x20) == 'e') {
    const char sign = at(lx, lx->pos + 1);
    const int digits = lx->pos + (sign == '+' || sign == '-' ? 2 : 1);
    if (is_digit(at(lx, digits))) {
      lx->pos = digits;
      skip_digits(lx);
    }
  }
  t->number = strtod(lx->text + t->begin, NULL);
}

// Report a number followed by a name: 5x, 2nd, or (1.tr where a parenthesis is missing.
static void number_before_name(lexer* lx, token* t) {
  const int name = lx->pos;
  while (is_word(at(lx, lx->pos))) lx->pos++;
  t->kind = T_ERROR;
  if (!report(lx, name, lx->pos, "a number is followed by a name: operator missing?")) return;
  int next = lx->pos;
  while (is_blank(at(lx, next))) next++;
  if (lx->text[name - 1] == '.' && lx->nopen > 0) {
    td_hint(lx->diags, "is a bracket missing before '.%.*s'?", lx->pos - name, lx->text + name);
  } else if (at(lx, next) == '=' && at(lx, next + 1) != '=') {
    td_hint(lx->diags, "a name begins with a letter");
  } else {
    td_hint(lx->diags, "to multiply, write '%.*s*%.*s'", name - t->begin, lx->text + t->begin,
            lx->pos - name, lx->text + name);
  }
}

// A decimal or hexadecimal number, and what must not follow it.
static void scan_number(lexer* lx, token* t) {
  t->kind = T_NUMBER;

  // hexadecimal, or decimal
  if (lx->text[lx->pos] == '0' && (at(lx, lx->pos + 1) | 0x20) == 'x' &&
      isxdigit((unsigned char)at(lx, lx->pos + 2))) {
    lx->pos += 2;
    for (; isxdigit((unsigned char)at(lx, lx->pos)); lx->pos++) {
      const char digit = lx->text[lx->pos];
      t->number = 16 * t->number + (is_digit(digit) ? digit - '0' : (digit | 0x20) - 'a' + 10);
    }
  } else {
    scan_decimal(lx, t);
  }

  // what must not follow a number
  const char c = at(lx, lx->pos);
  if (c != '\0' && strchr("iIjJ", c) && !is_word(at(lx, lx->pos + 1))) {
    lx->pos++;
    if (report(lx, t->begin, lx->pos, "imaginary numbers are not supported"))
      td_hint(lx->diags, "to multiply with a variable, write '*%c'", c);
  } else if (is_letter(c) || c == '_') {
    number_before_name(lx, t);
  } else if (at(lx, lx->pos) == '.' && is_digit(at(lx, lx->pos + 1))) {
    while (at(lx, lx->pos) == '.' && is_digit(at(lx, lx->pos + 1))) {
      lx->pos++;
      skip_digits(lx);
    }
    report(lx, t->begin, lx->pos, "this number has two decimal points");
  } else if (isinf(t->number)) {
    if (report(lx, t->begin, lx->pos, "this number is too large")) {
      td_hint(lx->diags, "the largest is 1.8e308; infinity is written inf");
    }
  }
}

// ---- strings ----------------------------------------------------------------------------------

// A string up to its closing quote, which is written twice inside it.
static void scan_string(lexer* lx, token* t) {
  const char quote = lx->text[lx->pos++];
  t->kind = T_STRING;
  for (; !at_end(lx) && !is_eol(lx->text[lx->pos]); lx->pos++) {
    const char c = lx->text[lx->pos], next = at(lx, lx->pos + 1);
    if (c == '\\' && quote == '"' && next && !is_eol(next)) {
      lx->pos++;
    } else if (c == quote && next == quote) {
      lx->pos++;
    } else if (c == quote) {
      lx->pos++;
      return;
    }
  }

  // the line ends before the string does
  t->kind = T_ERROR;
  if (!report(lx, t->begin, lx->pos, "this string has no closing quote")) return;
  if (quote == '\'' && lx->last.kind == T_COMMA && lx->last.begin == lx->last.end) {
    td_hint(lx->diags, "to transpose, write ' without a blank before it");
  } else {
    td_hint(lx->diags, "add %c at its end", quote);
  }
}

// Replace the escape sequence at *pos, which moves behind it.
static void escape(lexer* lx, int* pos, td_text* out) {
  static const char from[] = "abfnrtv\\'\"", to[] = "\a\b\f\n\r\t\v\\'\"";
  const int begin = *pos;
  const char c = lx->text[begin + 1];
  const char* known = strchr(from, c);
  *pos += 2;
  if (known) {
    td_text_addn(out, to + (known - from), 1);
  } else if (report(lx, begin, *pos, "this escape is not known")) {
    td_hint(lx->diags, "write \\\\ for a backslash, or use single quotes");
    td_more(lx->diags, "escapes in \"...\": \\n \\t \\r \\a \\b \\f \\v \\\\ \\' \\\"");
  }
}

// Value of a string token.
void td_lexer_string(lexer* lx, token t, td_text* out) {
  const char quote = lx->text[t.begin];
  td_text_addn(out, "", 0);
  for (int i = t.begin + 1; i < t.end - 1;) {
    if (quote == '"' && lx->text[i] == '\\') {
      escape(lx, &i, out);
    } else {
      td_text_addn(out, lx->text + i, 1);
      i += lx->text[i] == quote ? 2 : 1;  // '' is one quote
    }
  }
}

// ---- signs ------------------------------------------------------------------------------------

typedef struct sign {
  const char* text;
  token_kind kind;
} sign;

// Signs, longest first
static const sign signs[] = {
    {"&&", T_ANDAND},     {"||", T_OROR},       {"==", T_EQ},         {"~=", T_NE},
    {"!=", T_NE},         {"<=", T_LE},         {">=", T_GE},         {".*", T_EMUL},
    {"./", T_EDIV},       {".\\", T_ELDIV},     {".^", T_EPOW},       {".'", T_TRANSPOSE},
    {"+=", T_ADD_ASSIGN}, {"-=", T_SUB_ASSIGN}, {"*=", T_MUL_ASSIGN}, {"/=", T_DIV_ASSIGN},
    {"(", T_LPAREN},      {")", T_RPAREN},      {"[", T_LBRACKET},    {"]", T_RBRACKET},
    {"{", T_LBRACE},      {"}", T_RBRACE},      {",", T_COMMA},       {";", T_SEMICOLON},
    {"=", T_ASSIGN},      {":", T_COLON},       {".", T_DOT},         {"@", T_AT},
    {"<", T_LT},          {">", T_GT},          {"&", T_AND},         {"|", T_OR},
    {"~", T_NOT},         {"!", T_NOT},         {"+", T_ADD},         {"-", T_SUB},
    {"*", T_MUL},         {"/", T_DIV},         {"\\", T_LDIV},       {"^", T_POW},
};

// Signs of other languages, with a hint for each
static const struct {
  const char *text, *hint;
} mistakes[] = {
    {".**", "powers are written '.^'"},
    {"**", "powers are written '^'"},
    {"//", "comments begin with '%'"},
    {"/*", "comments begin with '%'; several lines lie between '%{' and '%}'"},
    {"&&=", "write a = a && b"},
    {"||=", "write a = a || b"},
    {"&=", "write a = a & b"},
    {"|=", "write a = a | b"},
    {"^=", "write a = a ^ b"},
    {".*=", "write a = a .* b"},
    {"./=", "write a = a ./ b"},
    {"===", "equality is written '=='"},
    {"!==", "inequality is written '~='"},
    {"~==", "inequality is written '~='"},
    {"<>", "inequality is written '~='"},
    {"=>", "greater or equal is written '>='"},
    {"=<", "less or equal is written '<='"},
    {":=", "assignment is written '='"},
    {"->", "fields are written with '.'"},
    {"?", "write ifelse(condition, a, b)"},
    {"$", "names consist of letters, digits and _"},
    {"`", "strings are written with '"},
};

// Report a sign of another language; false: there is none.
static bool scan_mistake(lexer* lx, token* t) {
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    if (!looking_at(lx, mistakes[i].text)) continue;
    lx->pos += (int)strlen(mistakes[i].text);
    t->kind = T_ERROR;
    if (lx->mute) return true;
    td_error(lx->diags, TD_E_SYNTAX, (td_span){lx->source, t->begin, lx->pos},
             "'%s' is not part of the language", mistakes[i].text);
    td_hint(lx->diags, "%s", mistakes[i].hint);
    return true;
  }
  return false;
}

// The longest sign at the beginning of a text, or NULL.
static const sign* find_sign(const char* text) {
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
    const char* s = signs[i].text;
    if (s[0] == text[0] && strncmp(s, text, strlen(s)) == 0) return &signs[i];
  }
  return NULL;
}

// True if an operand may end with a token of this kind.
static bool ends_operand(token_kind k) {
  return k == T_NAME || k == T_NUMBER || k == T_STRING || k == T_LAST || k == T_RPAREN ||
         k == T_RBRACKET || k == T_RBRACE || k == T_CTRANSPOSE || k == T_TRANSPOSE;
}

// x++ and x-- are statements: outside brackets, behind an operand, at the end of the statement.
static bool scan_increment(lexer* lx, token* t) {
  if (!looking_at(lx, "++") && !looking_at(lx, "--")) return false;
  int next = lx->pos + 2;
  while (is_blank(at(lx, next))) next++;
  const bool ends = next >= lx->size || is_eol(lx->text[next]) || strchr(";,%#", lx->text[next]);
  if (lx->nopen > 0 || !ends_operand(lx->last.kind) || !ends) return false;
  t->kind = lx->text[lx->pos] == '+' ? T_INCREMENT : T_DECREMENT;
  lx->pos += 2;
  return true;
}

// Update the stack of open brackets.
static void track_brackets(lexer* lx, token* t) {
  const bool index = ends_operand(lx->last.kind);  // a{...}: as in parentheses
  bool ok = true;
  switch (t->kind) {
    case T_LPAREN:
      ok = push(lx, '(', t->begin);
      break;
    case T_LBRACKET:
      ok = push(lx, '[', t->begin);
      break;
    case T_LBRACE:
      ok = push(lx, index ? '(' : '{', t->begin);
      break;
    case T_RPAREN:
    case T_RBRACKET:
    case T_RBRACE:
      leave_function_body(lx);
      pop(lx, t->begin);
      break;
    case T_COMMA:
    case T_SEMICOLON:
      leave_function_body(lx);
      break;
    default:
      break;
  }
  if (ok) return;
  t->kind = T_ERROR;
  if (report(lx, t->begin, lx->pos, "nested too deeply")) {
    td_hint(lx->diags, "at most %d levels", AST_NEST_LIMIT);
  }
}

// Report a character beyond ASCII outside names and read on as if its replacement stood there.
static void scan_foreign(lexer* lx, token* t) {
  int code = 0;
  const int n = td_utf8_decode(lx->text + lx->pos, lx->size - lx->pos, &code);
  t->kind = T_ERROR;
  lx->pos += max_int(1, n);
  if (n == 0) {
    if (report(lx, t->begin, lx->pos, "this byte is not part of a character")) {
      td_hint(lx->diags, "save the file as UTF-8");
    }
    return;
  }
  const foreign f = td_foreign(code);  // neither a letter nor a blank
  if (!lx->mute) {
    td_error(lx->diags, TD_E_SYNTAX, (td_span){lx->source, t->begin, lx->pos},
             "the character '%.*s' (U+%04X, %s) is not part of the language", n,
             lx->text + t->begin, (unsigned)code, f.name);
    td_hint(lx->diags, "write %s instead", f.ascii);
  }
  const sign* s = find_sign(f.ascii);
  if (s && strcmp(s->text, f.ascii) == 0) t->kind = s->kind;
}

// An operator, bracket or separator.
static void scan_sign(lexer* lx, token* t) {
  if (scan_mistake(lx, t) || scan_increment(lx, t)) return;
  if (lx->text[lx->pos] & 0x80) {
    scan_foreign(lx, t);
  } else {
    const sign* s = find_sign(lx->text + lx->pos);
    t->kind = s ? s->kind : T_ERROR;
    lx->pos += s ? (int)strlen(s->text) : 1;
    if (!s && report(lx, t->begin, lx->pos, "a control character may not stand here")) {
      td_hint(lx->diags, "delete the character with code %d", lx->text[t->begin]);
    }
  }
  track_brackets(lx, t);
}

// ---- the next token ---------------------------------------------------------------------------

// True if an element of a matrix may begin here.  + and - begin one if no blank follows them.
static bool starts_element(const lexer* lx) {
  const char c = at(lx, lx->pos), next = at(lx, lx->pos + 1);
  if (is_word(c) || (c != '\0' && strchr("'\"([{@", c))) return true;
  if (c == '.') return is_digit(next);
  if (c == '~' || c == '!') return next != '=';
  if (c == '+' || c == '-') return next != '=' && !is_blank(next) && !is_eol(next);
  foreign f;
  return foreign_letter(lx, lx->pos, &f) > 0;
}

// The next token: what it is follows from its first character and the token before it.
token td_lexer_next(lexer* lx) {
  token t = {0};
  t.spaced = skip_blanks(lx);
  t.starts_line = lx->fresh;
  t.begin = lx->pos;
  lx->fresh = false;

  const char c = at(lx, lx->pos);
  const bool after_operand = ends_operand(lx->last.kind), gap = t.spaced && in_matrix(lx);
  foreign f;

  // a blank between two operands of a matrix is a comma; a quote behind an operand transposes
  if (at_end(lx)) {
    t.kind = T_EOF;
  } else if (is_eol(c)) {
    t.kind = T_NEWLINE;
    leave_function_body(lx);
    note_break(lx);
    lx->pos += eol_length(lx, lx->pos);
  } else if (gap && after_operand && starts_element(lx)) {
    t.kind = T_COMMA;
  } else if (is_digit(c) || (c == '.' && is_digit(at(lx, lx->pos + 1)))) {
    scan_number(lx, &t);
  } else if (is_word(c) || foreign_letter(lx, lx->pos, &f)) {
    scan_name(lx, &t);
  } else if (c == '\'' && after_operand && !gap) {
    t.kind = T_CTRANSPOSE;
    lx->pos++;
  } else if (c == '\'' || c == '"') {
    scan_string(lx, &t);
  } else {
    scan_sign(lx, &t);
  }
  t.end = lx->pos;
  lx->last = t;
  return t;
}
