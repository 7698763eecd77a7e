// Formatting of model texts.  Only blanks change, line by line: the tokens of a line are written
// with the blanks that fit between them, its indentation follows from the open blocks, and its
// comment keeps its column where there is room.  Lines that belong together keep what they share:
// neighbours whose '=' or comments stand in one column get a common column again.  The result is
// read once more and compared token by token with the text; where it differs, it is not used.
#include "tendril/editor.h"

#include "lang/tokens.h"
#include "model/spec.h"

enum { INDENT = 2 };

typedef struct text_line {
  int begin, end;   // without the end of the line
  int first, last;  // tokens [first, last) that begin in it
  int rest;         // offset of the comment or "..." behind the tokens, -1: none
  bool verbatim;    // of a block comment, or inside a token that has several lines
  bool goes_on;     // continues the statement of an earlier line
  bool blank;
  int indent;         // as formatted
  int equals;         // the first '=' outside brackets, a token; -1: none, or behind a keyword
  int equals_column;  // in the text, from the first token; -1: none
  int rest_column;    // in the text
  int pad;            // columns from the first token to '=' as formatted; 0: as it comes
  td_text code;       // as formatted, with its indentation
} text_line;

typedef struct formatter {
  const char* text;
  int size;
  token_list tokens;
  text_line* lines;
  int nline, line_cap;
} formatter;

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v'; }
static bool is_eol(char c) { return c == '\n' || c == '\r'; }

// Column behind [begin, end), counted in characters; tabs go to multiples of eight.
static int column_behind(const char* s, int begin, int end, int column) {
  for (int i = begin; i < end; i++) {
    if (s[i] == '\t')
      column = column / 8 * 8 + 8;
    else if (((unsigned char)s[i] & 0xC0) != 0x80)
      column++;
  }
  return column;
}

static bool is_assign(token_kind k) { return k >= T_ASSIGN && k <= T_DIV_ASSIGN; }

// ---- lines ------------------------------------------------------------------------------------

// True if the line is %{ or %} alone, which begins or ends a block comment.
static bool is_block_sign(const char* s, int begin, int end, char brace) {
  while (begin < end && is_blank(s[begin])) begin++;
  while (end > begin && is_blank(s[end - 1])) end--;
  return end - begin == 2 && (s[begin] == '%' || s[begin] == '#') && s[begin + 1] == brace;
}

// Cut the text into lines and find their tokens and comments.  False: no memory.
static bool cut_lines(formatter* f, int start) {
  const char* s = f->text;
  int next = 0, comment = 0;
  bool goes_on = false;
  for (int begin = start; begin < f->size;) {
    int end = begin;
    while (end < f->size && !is_eol(s[end])) end++;
    text_line* grown = td_grow(f->lines, &f->line_cap, f->nline + 1, sizeof *grown);
    if (!grown) return false;
    f->lines = grown;
    text_line* line = &grown[f->nline++];
    *line = (text_line){
        .begin = begin, .end = end, .first = next, .rest = -1, .equals = -1, .equals_column = -1};
    line->goes_on = goes_on || (next < f->tokens.n && f->tokens.list[next].depth > 0);
    const bool inside = next > 0 && f->tokens.list[next - 1].end > begin;
    while (next < f->tokens.n && f->tokens.list[next].begin < end) next++;
    line->last = next;

    // block comments are left as they are
    const bool opens = line->first == line->last && is_block_sign(s, begin, end, '{');
    if (opens) comment++;
    line->verbatim = comment > 0 || inside;
    if (comment > 0 && !opens && is_block_sign(s, begin, end, '}')) comment--;

    // what follows the tokens
    int rest = line->last > line->first ? f->tokens.list[line->last - 1].end : begin;
    while (rest < end && is_blank(s[rest])) rest++;
    if (rest < end) line->rest = rest;
    line->blank = line->first == line->last && rest >= end && !line->verbatim;
    goes_on = line->rest >= 0 && !line->verbatim && strncmp(s + line->rest, "...", 3) == 0;
    begin = end + (end + 1 < f->size && s[end] == '\r' && s[end + 1] == '\n' ? 2 : 1);
  }
  return true;
}

// ---- indentation ------------------------------------------------------------------------------

static bool opens_block(token_kind k) {
  return k == K_IF || k == K_FOR || k == K_WHILE || k == K_SWITCH || k == K_TRY || k == K_PARFOR ||
         k == K_UNWIND;
}
static bool closes_block(token_kind k) { return k >= K_END && k <= K_END_OTHER; }

// Indent each line by the blocks that are open before it.  Bodies of functions are indented where
// functions have an `end`.
static void indent_lines(formatter* f) {
  int openers = 0, closers = 0;
  for (int i = 0; i < f->tokens.n; i++) {
    if (f->tokens.list[i].command) continue;
    openers += opens_block(f->tokens.list[i].kind);
    closers += closes_block(f->tokens.list[i].kind);
  }
  const bool functions_end = closers > openers;

  int depth = 0, shift = 0;
  bool is_switch[AST_NEST_LIMIT + 2] = {false};  // the levels that `case` stands one before
  for (int l = 0; l < f->nline; l++) {
    text_line* line = &f->lines[l];
    const int first = line->first;
    const token_kind head =
        line->last > first && !f->tokens.list[first].command ? f->tokens.list[first].kind : T_EOF;

    // levels of this line: one less before `else` and `end`, two less before the `end` of a switch
    int level = depth;
    if (closes_block(head) && depth > 0) level -= is_switch[depth] ? 2 : 1;
    if (head >= K_ELSEIF && head <= K_CLEANUP && depth > 0) level--;
    const int was = column_behind(
        f->text, line->begin,
        line->last > first ? f->tokens.list[first].begin : max_int(line->rest, line->begin), 0);
    if (line->goes_on) {
      line->indent = max_int(0, was + shift);
    } else {
      line->indent = INDENT * max_int(0, level);
      if (line->last > first) shift = line->indent - was;
    }

    // levels behind it
    for (int i = first; i < line->last; i++) {
      const token_kind k = f->tokens.list[i].kind;
      if (f->tokens.list[i].command) continue;
      if ((opens_block(k) || (k == K_FUNCTION && functions_end)) && depth < AST_NEST_LIMIT) {
        depth += k == K_SWITCH ? 2 : 1;
        if (depth > AST_NEST_LIMIT) depth = AST_NEST_LIMIT;
        is_switch[depth] = k == K_SWITCH;
      } else if (closes_block(k) && depth > 0) {
        const bool two = is_switch[depth];
        is_switch[depth] = false;
        depth = max_int(0, depth - (two ? 2 : 1));
      }
    }
  }
}

// ---- blanks between tokens --------------------------------------------------------------------

// Number of blanks between two tokens of a line; those of a matrix stay as they are.
static int gap(const formatter* f, const text_token* a, const text_token* b) {
  const int written = b->begin - a->end;
  const bool matrix = b->inside == '[' || b->inside == '{';
  if (is_assign(b->kind) && b->depth == 0) return 1;
  if (is_assign(a->kind) && a->depth == 0) return 1;
  if (matrix && b->kind != T_RBRACKET && b->kind != T_RBRACE) return written;
  if (a->inside == '[' || a->inside == '{') return written;  // before a closing bracket
  if (a->kind == T_LBRACKET || a->kind == T_LBRACE) return written;
  if (b->kind == T_SEMICOLON || b->kind == T_COMMA) return a->command ? written : 0;
  if (a->kind == T_SEMICOLON || a->kind == T_COMMA) return max_int(1, written);
  (void)f;
  return min_int(1, written);
}

// Write the tokens of a line behind its indentation, '=' at its column.
static void write_code(formatter* f, text_line* line) {
  td_text* out = &line->code;
  td_text_free(out);
  *out = (td_text){0};
  td_text_printf(out, "%*s", line->indent, "");
  for (int i = line->first; i < line->last; i++) {
    const text_token* t = &f->tokens.list[i];
    if (i > line->first) {
      int blanks = gap(f, t - 1, t);
      if (i == line->equals && line->pad > 0)
        blanks = line->indent + line->pad - column_behind(out->s, 0, out->n, 0);
      td_text_printf(out, "%*s", max_int(0, blanks), "");
    }
    const int end = min_int(t->end, line->end);
    td_text_addn(out, f->text + t->begin, end - t->begin);
  }
}

// ---- columns that lines share -----------------------------------------------------------------

// Find '=' and the columns of line l in the text.  A comment on a line of its own has a column to
// keep where it continues the one behind the code above it.
static void find_columns(const formatter* f, int l) {
  text_line* line = &f->lines[l];
  line->rest_column = -1;
  if (line->verbatim) return;
  if (line->last == line->first) {
    const int column = line->rest >= 0 ? column_behind(f->text, line->begin, line->rest, 0) : -1;
    if (l > 0 && column > 0 && f->lines[l - 1].rest_column == column) line->rest_column = column;
    return;
  }
  const text_token* list = f->tokens.list;
  const int at = column_behind(f->text, line->begin, list[line->first].begin, 0);
  const bool plain = !line->goes_on && !is_keyword(list[line->first].kind);
  for (int i = line->first + 1; plain && i < line->last && line->equals < 0; i++) {
    if (is_assign(list[i].kind) && list[i].depth == 0) {
      line->equals = i;
      line->equals_column = column_behind(f->text, line->begin, list[i].begin, 0) - at;
    }
  }
  line->rest_column = line->rest >= 0 ? column_behind(f->text, line->begin, line->rest, 0) : -1;
}

// Give neighbours whose '=' stand in one column a common column: behind the longest left side.
static void align_equals(formatter* f) {
  for (int l = 0; l < f->nline;) {
    int end = l + 1;
    const text_line* head = &f->lines[l];
    while (end < f->nline && head->equals >= 0 && f->lines[end].equals >= 0 &&
           f->lines[end].equals_column == head->equals_column &&
           f->lines[end].indent == head->indent)
      end++;

    int widest = 0;
    for (int k = l; end - l > 1 && k < end; k++) {
      text_line* line = &f->lines[k];
      const int last = line->last;
      line->last = line->equals;  // the left side alone
      write_code(f, line);
      line->last = last;
      widest = max_int(widest, column_behind(line->code.s, 0, line->code.n, 0) - line->indent);
    }
    for (int k = l; end - l > 1 && k < end; k++) f->lines[k].pad = widest + 1;
    l = end;
  }
}

// Give neighbours whose comments stand in one column a common column: that one if all of their code
// ends before it, or else behind the longest code.
static void align_comments(formatter* f) {
  for (int l = 0; l < f->nline;) {
    int end = l + 1;
    const int column = f->lines[l].rest_column;
    while (end < f->nline && column > 0 && f->lines[end].rest_column == column) end++;
    int widest = 0;
    for (int k = l; k < end; k++)
      widest = max_int(widest, column_behind(f->lines[k].code.s, 0, f->lines[k].code.n, 0));
    for (int k = l; column > 0 && k < end; k++)
      f->lines[k].rest_column = column > widest ? column : widest + 2;
    l = end;
  }
}

// ---- the whole --------------------------------------------------------------------------------

// End of [begin, end) without blanks.
static int trimmed(const char* s, int begin, int end) {
  while (end > begin && is_blank(s[end - 1])) end--;
  return end;
}

static void write_lines(formatter* f, const char* eol, td_text* out) {
  bool blank = true;  // no blank lines at the beginning
  for (int l = 0; l < f->nline; l++) {
    text_line* line = &f->lines[l];
    if (line->blank && (blank || l + 1 == f->nline)) continue;
    blank = line->blank;
    if (line->verbatim) {
      td_text_addn(out, f->text + line->begin, line->end - line->begin);
    } else if (!line->blank) {
      td_text_addn(out, line->code.s, line->code.n);
      if (line->rest >= 0) {
        const int width = column_behind(line->code.s, 0, line->code.n, 0);
        int blanks = line->rest_column - width;
        if (line->last > line->first) {
          const bool dots = strncmp(f->text + line->rest, "...", 3) == 0;
          const int written = line->rest - f->tokens.list[line->last - 1].end;
          blanks = dots ? min_int(1, written) : line->rest_column - width;
        }
        td_text_printf(out, "%*s", max_int(0, blanks), "");
        td_text_addn(out, f->text + line->rest,
                     trimmed(f->text, line->rest, line->end) - line->rest);
      }
    }
    td_text_add(out, eol);
  }
  // one blank line at the end of a run of blank ones may be left
  const int n = (int)strlen(eol);
  while (!out->failed && out->n >= 2 * n && out->n >= n &&
         strncmp(out->s + out->n - n, eol, (size_t)n) == 0 &&
         strncmp(out->s + out->n - 2 * n, eol, (size_t)n) == 0 && f->lines[f->nline - 1].blank)
    out->s[out->n -= n] = '\0';
}

// True if two texts have the same tokens and comments.
static bool same_meaning(const formatter* a, const formatter* b) {
  if (a->tokens.n != b->tokens.n) return false;
  for (int i = 0; i < a->tokens.n; i++) {
    const text_token *s = &a->tokens.list[i], *t = &b->tokens.list[i];
    const int n = s->end - s->begin;
    if (s->kind != t->kind || s->depth != t->depth || s->inside != t->inside ||
        n != t->end - t->begin || memcmp(a->text + s->begin, b->text + t->begin, (size_t)n) != 0)
      return false;
  }

  // lines that are not blank correspond, with their tokens and comments
  int k = 0;
  for (int l = 0; l < a->nline; l++) {
    const text_line* s = &a->lines[l];
    if (s->blank) continue;
    while (k < b->nline && b->lines[k].blank) k++;
    if (k == b->nline) return false;
    const text_line* t = &b->lines[k++];
    if (s->first != t->first || s->last != t->last || s->verbatim != t->verbatim) return false;
    if ((s->rest < 0) != (t->rest < 0)) return false;
    const int from = s->verbatim ? s->begin : s->rest, to = t->verbatim ? t->begin : t->rest;
    if (from < 0) continue;
    const int n = trimmed(a->text, from, s->end) - from;
    if (n != trimmed(b->text, to, t->end) - to ||
        memcmp(a->text + from, b->text + to, (size_t)n) != 0)
      return false;
  }
  while (k < b->nline && b->lines[k].blank) k++;
  return k == b->nline;
}

static void formatter_free(formatter* f) {
  for (int l = 0; l < f->nline; l++) td_text_free(&f->lines[l].code);
  free(f->lines);
  free(f->tokens.list);
}

// Parse a source and cut it into lines; messages go to diags.
static td_status formatter_open(formatter* f, td_diags* diags, int source) {
  const int errors = diags->errors;
  ast_pool* pool = NULL;
  const ast* file = source >= 0 ? td_parse(diags, source, &pool) : NULL;
  if (!file) return TD_E_NOMEM;
  td_status status = diags->errors > errors ? TD_E_SYNTAX : TD_OK;
  *f = (formatter){.text = diags->sources[source].text, .size = diags->sources[source].size};
  const int start = f->size >= 3 && memcmp(f->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  if (status == TD_OK && (!td_tokens_read(diags, source, file, &f->tokens) || !cut_lines(f, start)))
    status = TD_E_NOMEM;
  td_ast_free(pool);
  return status;
}

// Format the text of an open formatter.
static td_status format(formatter* f, td_text* out) {
  const int start = f->size >= 3 && memcmp(f->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  const char* line_end = strpbrk(f->text, "\r\n");
  const char* eol = line_end && line_end[0] == '\r' && line_end[1] == '\n' ? "\r\n" : "\n";
  indent_lines(f);
  for (int l = 0; l < f->nline; l++) find_columns(f, l);
  align_equals(f);
  bool failed = false;
  for (int l = 0; l < f->nline; l++) {
    if (f->lines[l].verbatim || f->lines[l].blank) continue;
    write_code(f, &f->lines[l]);
    failed = failed || f->lines[l].code.failed;
  }
  if (failed) return TD_E_NOMEM;
  align_comments(f);
  td_text_addn(out, f->text, start);
  if (f->nline > 0) write_lines(f, eol, out);
  return out->failed ? TD_E_NOMEM : TD_OK;
}

td_status td_editor_format(td_spec* spec, const char* name, const char* text, char** formatted) {
  if (!formatted) return TD_E_USAGE;
  *formatted = NULL;
  if (!spec || !name || !text) return TD_E_USAGE;
  const size_t size = strlen(text);
  td_diags* diags = &spec->diags;
  if (size > AST_SIZE_LIMIT / 4)
    return td_error(diags, TD_E_SYNTAX, td_span_none(), "'%s' is longer than %d MB", name,
                    (AST_SIZE_LIMIT / 4) >> 20);
  formatter f = {0}, again = {0};
  td_text out = {0};
  td_status status = formatter_open(&f, diags, td_diags_source(diags, name, text, (int)size));
  if (status == TD_OK) status = format(&f, &out);

  // the formatted text must read the same
  td_diags other = {0};
  if (status == TD_OK) {
    td_status check = formatter_open(&again, &other, td_diags_source(&other, name, out.s, out.n));
    if (check == TD_E_NOMEM) status = check;
    if (status == TD_OK && (check != TD_OK || !same_meaning(&f, &again)))
      status = td_error(diags, TD_E_SYNTAX, td_span_file(diags->nsource - 1),
                        "formatting would change what this text means; it stays as it is");
  }
  formatter_free(&f);
  formatter_free(&again);
  td_diags_free(&other);
  if (status == TD_OK && !out.s) td_text_add(&out, "");
  if (status == TD_OK && !out.failed)
    *formatted = out.s;
  else
    td_text_free(&out);
  return status == TD_OK && !*formatted ? TD_E_NOMEM : status;
}
