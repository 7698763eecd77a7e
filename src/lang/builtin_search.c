// Built-in functions that search and replace in texts: strfind, strtok, startsWith, regexp,
// regexprep.
//
// A regular expression is compiled to a small program of steps and run by backtracking, which
// prefers alternatives in the order in which they are written, as MATLAB does.  Its work is
// metered: an expression that would take very long ends with a message.  Look-around, back
// references and named groups are refused.  A function takes the arguments of a call, checks them,
// and returns its value, or NULL after a message.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lang/eval.h"

// ---- texts and cells of texts -------------------------------------------------------------------

// Apply a function of texts to a text, or to each text of a cell.
value* td_over_texts(lang* L, call* c, builtin_fn one) {
  const value* list = c->argv[0];
  if (list->kind != V_CELL) return one(L, c);
  value* out = td_cell(L, list->rows, list->cols, c->at);
  value** argv = malloc(sizeof *argv * (size_t)c->argc);
  bool ok = out && argv;
  if (!argv) td_no_memory(L, c->at);

  // call the function for each text of the cell
  for (int i = 0; ok && i < td_value_count(list); i++) {
    memcpy(argv, c->argv, sizeof *argv * (size_t)c->argc);
    argv[0] = list->slots[i].v;
    if (!argv[0] || argv[0]->kind != V_STR) {
      ok = td_fail(L, c->arg_at[0], "%s: element %d of the cell is not a text", c->name, i + 1) !=
           NULL;
      break;
    }
    call inner = *c;
    inner.argv = argv;
    inner.nout = 1;
    value* r = td_spend(L, 10, c->at) ? one(L, &inner) : NULL;
    ok = r && td_value_put(out, &out->slots[i], r);
  }

  free(argv);
  return value_if(ok, out);
}

// ---- plain texts --------------------------------------------------------------------------------

// strfind(text, pattern): positions at which the pattern begins, in linear time (Knuth, Morris,
// Pratt)
static value* strfind(lang* L, call* c) {
  const char *s = td_arg_string(L, c, 0), *what = s ? td_arg_string(L, c, 1) : NULL;
  const int n = c->argv[0]->cols, m = what ? c->argv[1]->cols : 0;
  if (!what || !td_spend(L, n + 2L * m, c->at)) return NULL;
  int* border = malloc(sizeof(int) * (size_t)(m + 1));
  if (!border) return td_no_memory(L, c->at);

  // border[k]: length of the longest proper prefix of what[0..k) that is also its end
  border[0] = -1;
  for (int k = 0, b = -1; k < m; border[++k] = ++b)
    while (b >= 0 && what[b] != what[k]) b = border[b];

  // count the matches, then list them
  value* out = NULL;
  for (int pass = 0, found = 0; pass < 2; pass++) {
    if (pass > 0) out = td_num(L, found > 0, found, 1, c->at);
    found = 0;
    for (int i = 0, b = 0; m > 0 && i < n && (out || pass == 0); i++) {
      while (b >= 0 && (b == m || what[b] != s[i])) b = border[b];
      if (++b < m) continue;
      if (out) out->x[found] = i - m + 2;
      found++;
    }
  }
  free(border);
  return out;
}

// [word, rest] = strtok(text, separators)
static value* strtok_text(lang* L, call* c) {
  const char* s = td_arg_string(L, c, 0);
  const char* marks = c->argc > 1 ? td_arg_string(L, c, 1) : " \t\n\v\f\r";
  if (!s || !marks) return NULL;
  const size_t begin = strspn(s, marks), n = strcspn(s + begin, marks);
  if (c->nout > 1) {
    c->more[0] = td_string(L, s + begin + n, (int)strlen(s + begin + n), c->at);
    if (!c->more[0]) return NULL;
  }
  return td_string(L, s + begin, (int)n, c->at);
}

typedef enum where { BEGINS, ENDS, INSIDE } where;

// startsWith, endsWith, contains: for a text or each text of a cell, with one or several patterns
static value* has_part(lang* L, call* c) {
  const value *list = c->argv[0], *parts = c->argv[1];
  const bool cells = list->kind == V_CELL;
  value* out = td_num(L, cells ? list->rows : 1, cells ? list->cols : 1, 1, c->at);

  for (int i = 0; out && i < td_value_count(out); i++) {
    const value* text = cells ? list->slots[i].v : list;
    const int m = parts->kind == V_CELL ? td_value_count(parts) : 1;
    for (int k = 0; k < m; k++) {
      const value* part = parts->kind == V_CELL ? parts->slots[k].v : parts;
      if (!text || !part || text->kind != V_STR || part->kind != V_STR) {
        td_value_drop(out);
        return td_fail(L, c->at, "%s works on texts and cells of texts", c->name);
      }
      const int n = part->cols, rest = text->cols - n;
      if (!td_spend(L, 4 + (c->row->op == INSIDE ? text->cols / 4 : 0) + n / 16, c->at)) {
        td_value_drop(out);
        return NULL;
      }
      const bool found =
          c->row->op == INSIDE ? strstr(text->s, part->s) != NULL
          : rest < 0           ? false
                     : strncmp(text->s + (c->row->op == ENDS ? rest : 0), part->s, (size_t)n) == 0;
      if (found) out->x[i] = 1;
    }
  }

  if (out) out->logical = true;
  return out;
}

// blanks(n)
static value* blanks(lang* L, call* c) {
  int n;
  if (!td_arg_int(L, c, 0, 0, 100000, &n) || !td_spend(L, n / 2, c->at)) return NULL;
  td_text text = {0};
  td_text_add(&text, "");
  td_text_printf(&text, "%*s", n, "");
  value* v = text.failed ? td_no_memory(L, c->at) : td_string(L, text.s, n, c->at);
  td_text_free(&text);
  return v;
}

// deblank(text): without trailing white space
static value* deblank(lang* L, call* c) {
  const char* s = td_arg_string(L, c, 0);
  int n = s ? c->argv[0]->cols : 0;
  while (n > 0 && isspace((unsigned char)s[n - 1])) n--;
  return s ? td_string(L, s, n, c->at) : NULL;
}

static value* deblanked(lang* L, call* c) { return td_over_texts(L, c, deblank); }

// isspace(text) and isletter(text), for each character
static value* character_kind(lang* L, call* c) {
  const value* v = c->argv[0];
  value* out = td_num(L, v->rows, v->cols, v->pages, c->at);
  for (int i = 0; out && v->kind == V_STR && i < v->cols; i++) {
    const int x = (unsigned char)v->s[i];
    out->x[i] = c->row->op == 0 ? isspace(x) != 0 : isalpha(x) != 0;
  }
  if (out) out->logical = true;
  return out;
}

// char(codes)
static value* to_char(lang* L, call* c) {
  const value* v = c->argv[0];
  if (v->kind == V_STR) return td_value_hold(c->argv[0]);
  if (v->kind == V_CELL && td_value_count(v) == 1 && v->slots[0].v && v->slots[0].v->kind == V_STR)
    return td_value_hold(v->slots[0].v);
  if (v->kind == V_CELL || v->rows > 1) {
    td_fail(L, c->arg_at[0], "char makes one text here, not rows of texts");
    td_hint(L->diags, "keep the texts in a cell { }");
    return NULL;
  }
  if (!td_arg_numeric(L, c, 0)) return NULL;

  // codes of characters
  value* codes = td_constant(L, v, c->arg_at[0], "the argument of char");
  td_text out = {0};
  td_text_add(&out, "");
  bool ok = codes != NULL;

  for (int i = 0; ok && i < td_value_count(codes); i++) {
    ok = codes->x[i] >= 1 && codes->x[i] < 128;
    const char x = ok ? (char)codes->x[i] : ' ';
    if (ok) td_text_addn(&out, &x, 1);
    if (!ok) td_fail(L, c->arg_at[0], "char takes codes from 1 to 127, got %g", codes->x[i]);
  }

  value* text = ok && !out.failed ? td_string(L, out.s, out.n, c->at) : NULL;
  if (out.failed) td_no_memory(L, c->at);
  td_text_free(&out);
  td_value_drop(codes);
  return text;
}

// ---- regular expressions: compilation -----------------------------------------------------------

typedef enum regex_op {
  RX_CLASS,  // match one character of a set
  RX_SPLIT,  // continue at step x, and if that fails at y
  RX_JUMP,   // continue at step x
  RX_SAVE,   // save the position in slot x
  RX_BEGIN,  // match the beginning of the text
  RX_END,    // match the end of the text
  RX_MATCH,  // the expression matches
} regex_op;

typedef struct regex_step {
  regex_op op;
  int x, y;
  unsigned char set[32];  // RX_CLASS: a bit for each character
} regex_step;

enum { RX_STEPS = 2000, RX_WAYS = 20000, RX_GROUPS = 10 };

// Alternative to try on failure, or (step < 0) the old value of a slot to restore
typedef struct regex_way {
  int step, at;
} regex_way;

typedef struct regex {
  regex_step step[RX_STEPS];
  regex_way way[RX_WAYS];  // alternatives that are open while matching
  int n, groups;
  const char* s;      // the rest of the pattern
  const char* fault;  // NULL: none so far
  bool any_case;
} regex;

// Append a step and return its index.
static int emit(regex* r, regex_op op, int x, int y) {
  if (r->n == RX_STEPS) {
    r->fault = "it is too long";
    return 0;
  }
  r->step[r->n] = (regex_step){.op = op, .x = x, .y = y};
  return r->n++;
}

static void set_add(regex_step* step, int ch) { step->set[ch / 8] |= (unsigned char)(1 << ch % 8); }
static bool set_has(const regex_step* step, int ch) { return step->set[ch / 8] >> ch % 8 & 1; }

// Add \d, \w, \s or their complements to a set; false: another letter.
static bool add_kind(regex_step* step, char letter) {
  const int kind = tolower((unsigned char)letter);
  if (!strchr("dws", kind)) return false;
  for (int ch = 0; ch < 256; ch++) {
    const bool in = kind == 'd'   ? isdigit(ch) != 0
                    : kind == 'w' ? isalnum(ch) || ch == '_'
                                  : isspace(ch) != 0;
    if (in == (islower((unsigned char)letter) != 0)) set_add(step, ch);
  }
  return true;
}

// Character of an escape sequence: \n, \t ..., or the letter itself.
static char escaped(char letter) {
  static const char from[] = "ntrfv", to[] = "\n\t\r\f\v";
  const char* p = strchr(from, letter);
  return p ? to[p - from] : letter;
}

// Compile [...]; its '[' has been read.
static void compile_class(regex* r) {
  regex_step* step = &r->step[emit(r, RX_CLASS, 0, 0)];
  const bool invert = *r->s == '^';
  if (invert) r->s++;

  // characters, ranges a-z and kinds \d, \w, \s
  bool first = true;
  while (*r->s && (*r->s != ']' || first)) {
    first = false;
    int lo = (unsigned char)*r->s++;
    if (lo == '\\' && *r->s) {
      const char letter = *r->s++;
      if (add_kind(step, letter)) continue;
      lo = (unsigned char)escaped(letter);
    }
    int hi = lo;
    if (*r->s == '-' && r->s[1] && r->s[1] != ']') {
      hi = (unsigned char)r->s[1];
      r->s += 2;
    }
    for (int ch = lo; ch <= hi; ch++) set_add(step, ch);
  }

  if (*r->s == ']')
    r->s++;
  else
    r->fault = "']' is missing";

  // both cases, complement
  for (int k = 0; r->any_case && k < 256; k++)
    if (set_has(step, k)) {
      set_add(step, tolower(k));
      set_add(step, toupper(k));
    }
  for (int k = 0; invert && k < 32; k++) step->set[k] = (unsigned char)~step->set[k];
}

static void compile_choice(regex* r);

// Compile one character, class or group from r->s on, without its repetition, into steps; r->fault
// tells what is not supported.
static void compile_atom(regex* r) {
  const char ch = *r->s++;
  if (ch == '(') {
    int group = 0;
    if (*r->s == '?') {
      if (r->s[1] != ':') {
        r->fault = "groups that begin with (? are not known here, but (?:";
        return;
      }
      r->s += 2;
    } else if (++r->groups >= RX_GROUPS) {
      r->fault = "it has more than nine groups";
      return;
    } else {
      group = r->groups;
      emit(r, RX_SAVE, 2 * group, 0);
    }
    compile_choice(r);
    if (*r->s == ')')
      r->s++;
    else if (!r->fault)
      r->fault = "')' is missing";
    if (group > 0) emit(r, RX_SAVE, 2 * group + 1, 0);
  } else if (ch == '[') {
    compile_class(r);
  } else if (ch == '.') {
    memset(r->step[emit(r, RX_CLASS, 0, 0)].set, 255, 32);
  } else if (ch == '^') {
    emit(r, RX_BEGIN, 0, 0);
  } else if (ch == '$') {
    emit(r, RX_END, 0, 0);
  } else if (ch == '\\' && *r->s) {
    const char letter = *r->s++;
    if (isdigit((unsigned char)letter)) {
      r->fault = "references to groups inside the pattern are not known here";
    } else if (letter == '<' || letter == '>' || letter == 'b' || letter == 'B') {
      r->fault = "marks of word ends are not known here; use \\W or ^ and $";
    } else {
      regex_step* step = &r->step[emit(r, RX_CLASS, 0, 0)];
      if (!add_kind(step, letter)) set_add(step, (unsigned char)escaped(letter));
    }
  } else if (strchr("*+?{", ch)) {
    r->fault = "a repetition has nothing to repeat";
  } else {
    regex_step* step = &r->step[emit(r, RX_CLASS, 0, 0)];
    set_add(step, (unsigned char)ch);
    if (r->any_case) {
      set_add(step, tolower((unsigned char)ch));
      set_add(step, toupper((unsigned char)ch));
    }
  }
}

// Append a copy of the steps [from, to) with its jumps adjusted.
static void copy_steps(regex* r, int from, int to) {
  const int shift = r->n - from;
  for (int i = from; i < to && !r->fault; i++) {
    const int at = emit(r, r->step[i].op, 0, 0);
    r->step[at] = r->step[i];
    if (r->step[i].op == RX_SPLIT || r->step[i].op == RX_JUMP) r->step[at].x += shift;
    if (r->step[i].op == RX_SPLIT) r->step[at].y += shift;
  }
}

// Compile an atom with its repetition: *, +, ?, {n}, {n,}, {n,m}; a further ? makes it lazy.
static void compile_piece(regex* r) {
  const int from = r->n;
  compile_atom(r);
  const int to = r->n;

  // the repetition
  int least = 1, most = 1;  // most -1: any number
  const char* s = r->s;
  if (*s == '*' || *s == '+' || *s == '?') {
    least = *s == '+';
    most = *s == '?' ? 1 : -1;
    s++;
  } else if (*s == '{' && isdigit((unsigned char)s[1])) {
    least = most = (int)strtol(s + 1, (char**)(void*)&s, 10);
    if (*s == ',') {
      most = isdigit((unsigned char)s[1]) ? (int)strtol(s + 1, (char**)(void*)&s, 10) : -1;
      if (most < 0) s++;
    }
    if (*s != '}' || least > 100 || most > 100) {
      r->fault = "{n,m} needs numbers up to 100";
      return;
    }
    s++;
  } else {
    return;
  }
  const bool lazy = *s == '?';
  r->s = s + lazy;

  // the atom `least` times, then optional copies; an unlimited one jumps back to its split
  regex_step* atom = malloc(sizeof *atom * (size_t)(to - from + 1));
  if (!atom) {
    r->fault = "there is no memory";
    return;
  }
  memcpy(atom, r->step + from, sizeof *atom * (size_t)(to - from));
  const int n = to - from;
  for (int k = 1; k < least; k++) copy_steps(r, from, to);
  if (least == 0) r->n = from;
  const int more = most < 0 ? 1 : most - least;

  for (int k = 0; k < more && !r->fault; k++) {
    const int split = emit(r, RX_SPLIT, 0, 0), begin = r->n;
    for (int i = 0; i < n && !r->fault; i++) {
      const int at = emit(r, atom[i].op, 0, 0);
      r->step[at] = atom[i];
      if (atom[i].op == RX_SPLIT || atom[i].op == RX_JUMP) r->step[at].x += begin - from;
      if (atom[i].op == RX_SPLIT) r->step[at].y += begin - from;
    }
    if (most < 0) emit(r, RX_JUMP, split, 0);
    r->step[split].x = lazy ? r->n : begin;
    r->step[split].y = lazy ? begin : r->n;
  }
  free(atom);
}

// Compile alternatives a|b|c.
static void compile_choice(regex* r) {
  const int from = r->n;
  while (*r->s && *r->s != '|' && *r->s != ')' && !r->fault) compile_piece(r);
  if (*r->s != '|' || r->fault) return;
  r->s++;

  // insert a split before the first alternative and a jump behind it
  const int n = r->n - from;
  emit(r, RX_SPLIT, 0, 0);
  if (r->fault) return;
  memmove(r->step + from + 1, r->step + from, sizeof *r->step * (size_t)n);

  for (int i = from + 1; i < r->n; i++) {
    const regex_op op = r->step[i].op;
    if (op == RX_SPLIT || op == RX_JUMP) r->step[i].x++;
    if (op == RX_SPLIT) r->step[i].y++;
  }

  const int jump = emit(r, RX_JUMP, 0, 0);
  r->step[from] = (regex_step){.op = RX_SPLIT, .x = from + 1, .y = r->n};
  compile_choice(r);
  r->step[jump].x = r->n;
}

// Compile a pattern; NULL after a message.
static regex* regex_new(lang* L, call* c, const char* pattern, bool any_case) {
  if (!td_spend(L, 1000, c->at)) return NULL;
  regex* r = malloc(sizeof *r);  // large, and not cleared
  if (!r) return td_no_memory(L, c->at);
  r->n = r->groups = 0;
  r->s = pattern;
  r->fault = NULL;
  r->any_case = any_case;
  compile_choice(r);
  if (*r->s == ')' && !r->fault) r->fault = "'(' is missing";
  emit(r, RX_MATCH, 0, 0);
  if (!r->fault) return r;
  td_fail(L, c->arg_at[1], "%s: the pattern '%.40s' is not understood: %s", c->name, pattern,
          r->fault);
  free(r);
  return NULL;
}

// ---- regular expressions: matching --------------------------------------------------------------

// Match at a position: 1 found, 0 not, -1 after a message.  slot[2k], slot[2k+1]: ends of group k.
static int match_here(lang* L, call* c, regex* r, const char* s, int n, int at, int* slot) {
  regex_way* way = r->way;
  int nway = 0, step = 0, result = -1;
  for (int i = 0; i < 2 * RX_GROUPS; i++) slot[i] = -1;
  slot[0] = at;
  if (!td_spend(L, 4, c->at)) return -1;

  while (result < 0) {
    const regex_step* p = &r->step[step];
    bool fails = false;
    if (!td_spend(L, 1, c->at)) break;
    if (nway > RX_WAYS - 2) {
      td_fail(L, c->arg_at[1], "%s: the pattern takes too much work on this text", c->name);
      break;
    }

    // run one step
    switch (p->op) {
      case RX_CLASS:
        fails = at >= n || !set_has(p, (unsigned char)s[at]);
        at++;
        step++;
        break;
      case RX_SPLIT:
        way[nway++] = (regex_way){p->y, at};
        step = p->x;
        break;
      case RX_JUMP:
        step = p->x;
        break;
      case RX_SAVE:
        way[nway++] = (regex_way){-1 - p->x, slot[p->x]};
        slot[p->x] = at;
        step++;
        break;
      case RX_BEGIN:
        fails = at != 0;
        step++;
        break;
      case RX_END:
        fails = at != n;
        step++;
        break;
      case RX_MATCH:
        slot[1] = at;
        result = 1;
        break;
    }

    // backtrack: restore slots and continue with the last alternative
    while (fails && nway > 0 && way[nway - 1].step < 0) {
      nway--;
      slot[-1 - way[nway].step] = way[nway].at;
    }
    if (fails && nway == 0) result = 0;
    if (fails && nway > 0) {
      nway--;
      step = way[nway].step;
      at = way[nway].at;
    }
  }
  return result;
}

// Find the next match from a position on: 1 found, 0 none, -1 after a message.
static int match_next(lang* L, call* c, regex* r, const char* s, int n, int from, int* slot) {
  for (int at = from; at <= n; at++) {
    const int found = match_here(L, c, r, s, n, at, slot);
    if (found != 0) return found;
  }
  return 0;
}

// regexprep(text, pattern, replacement); $1 ... $9 in the replacement are groups, $0 the match
static value* replace_one(lang* L, call* c) {
  const char *s = td_arg_string(L, c, 0), *pattern = s ? td_arg_string(L, c, 1) : NULL;
  const char* with = pattern ? td_arg_string(L, c, 2) : NULL;
  if (!with) return NULL;

  // options
  bool once = false, any_case = false;
  for (int k = 3; k < c->argc; k++) {
    const char* option = td_arg_string(L, c, k);
    if (!option) return NULL;
    if (strcmp(option, "once") == 0)
      once = true;
    else if (strcmp(option, "ignorecase") == 0)
      any_case = true;
    else
      return td_fail(L, c->arg_at[k],
                     "regexprep knows the options 'once' and 'ignorecase', "
                     "got '%.40s'",
                     option);
  }

  // copy the text between the matches, and the replacement for each match
  regex* r = regex_new(L, c, pattern, any_case);
  if (!r) return NULL;
  const int n = c->argv[0]->cols;
  int at = 0, found = 0, slot[2 * RX_GROUPS];
  td_text out = {0};
  td_text_add(&out, "");

  while (at <= n && out.n < TD_STRING_LIMIT) {
    found = match_next(L, c, r, s, n, at, slot);
    if (found <= 0) break;
    td_text_addn(&out, s + at, slot[0] - at);
    for (const char* p = with; *p; p++) {
      if (*p == '$' && isdigit((unsigned char)p[1])) {
        const int k = *++p - '0';
        if (slot[2 * k] >= 0 && slot[2 * k + 1] >= slot[2 * k])
          td_text_addn(&out, s + slot[2 * k], slot[2 * k + 1] - slot[2 * k]);
      } else if (*p == '\\' && p[1]) {
        const char ch = escaped(*++p);
        td_text_addn(&out, &ch, 1);
      } else {
        td_text_addn(&out, p, 1);
      }
    }
    const bool empty = slot[1] == slot[0];
    at = slot[1];
    if (empty && at < n) td_text_addn(&out, s + at, 1);
    if (empty) at++;
    if (once) break;
  }

  free(r);
  if (found >= 0 && at < n) td_text_addn(&out, s + at, n - at);
  value* v = found < 0    ? NULL
             : out.failed ? td_no_memory(L, c->at)
                          : td_string(L, out.s, out.n, c->at);
  td_text_free(&out);
  return v;
}

static value* regexprep(lang* L, call* c) { return td_over_texts(L, c, replace_one); }

// Names of the results of regexp, in their order
static const char* const regex_results[] = {"start", "end", "match", "tokens", "split"};
enum { RX_START, RX_STOP, RX_TEXT, RX_TOKENS, RX_BETWEEN, RX_RESULTS };

// One result of a match: its begin, its end, its text, or the texts of its groups.
static value* one_result(lang* L, call* c, int what, const char* s, const int* slot, int groups) {
  if (what == RX_START) return td_scalar(L, slot[0] + 1, c->at);
  if (what == RX_STOP) return td_scalar(L, slot[1], c->at);
  if (what == RX_TEXT) return td_string(L, s + slot[0], slot[1] - slot[0], c->at);
  value* out = td_cell(L, 1, groups > 0 ? groups : 1, c->at);

  for (int k = groups > 0; out && k <= groups; k++) {
    const bool there = slot[2 * k] >= 0 && slot[2 * k + 1] >= slot[2 * k];
    value* text = td_string(L, there ? s + slot[2 * k] : "",
                            there ? slot[2 * k + 1] - slot[2 * k] : 0, c->at);
    if (text && td_value_put(out, &out->slots[groups > 0 ? k - 1 : 0], text)) continue;
    td_value_drop(out);
    return NULL;
  }
  return out;
}

// regexp(text, pattern, results and options ...)
static value* regexp(lang* L, call* c) {
  const value* subject = c->argv[0];
  if (subject->kind == V_CELL) {
    td_fail(L, c->arg_at[0], "%s works on one text here, got a cell", c->name);
    td_hint(L->diags, "write cellfun(@(x) %s(x, ...), c, 'UniformOutput', false)", c->name);
    return NULL;
  }
  const char *s = td_arg_string(L, c, 0), *pattern = s ? td_arg_string(L, c, 1) : NULL;
  if (!pattern) return NULL;
  bool once = false, any_case = c->row->op == 1;
  int wanted[RX_RESULTS], nwanted = 0;

  for (int k = 2; k < c->argc; k++) {
    const char* option = td_arg_string(L, c, k);
    int what = 0;
    while (option && what < RX_RESULTS && strcmp(option, regex_results[what]) != 0) what++;
    if (!option) return NULL;
    if (strcmp(option, "once") == 0)
      once = true;
    else if (strcmp(option, "ignorecase") == 0)
      any_case = true;
    else if (what < RX_RESULTS && nwanted < RX_RESULTS)
      wanted[nwanted++] = what;
    else
      return td_fail(L, c->arg_at[k],
                     "%s gives 'match', 'tokens', 'start', 'end' and 'split' ('once', "
                     "'ignorecase'), got '%.40s'",
                     c->name, option);
  }

  if (nwanted == 0) {
    wanted[nwanted++] = RX_START;
    wanted[nwanted++] = RX_STOP;
  }
  if (c->nout > nwanted)
    return td_fail(L, c->at, "%s: name the %d results that are wanted, as in 'match', 'tokens'",
                   c->name, c->nout);
  regex* r = regex_new(L, c, pattern, any_case);
  if (!r) return NULL;

  // find all matches, or the first; empty matches do not count, as in MATLAB
  const int n = subject->cols, room = once ? 1 : n + 1;
  int* slots = malloc(sizeof(int) * 2 * RX_GROUPS * (size_t)(room + 1));
  int count = 0, at = 0, found = slots ? 1 : -1;
  if (!slots) td_no_memory(L, c->at);

  while (found > 0 && at <= n && count < room) {
    int* slot = slots + 2 * RX_GROUPS * count;
    found = match_next(L, c, r, s, n, at, slot);
    if (found <= 0) break;
    at = slot[1] > slot[0] ? slot[1] : slot[1] + 1;
    if (slot[1] > slot[0]) count++;
  }

  // the wanted results
  value* results[RX_RESULTS] = {0};
  bool ok = found >= 0;

  for (int k = 0; ok && k < nwanted && k < (c->nout > 1 ? c->nout : 1); k++) {
    const int what = wanted[k];
    const bool numbers = what == RX_START || what == RX_STOP;
    if (what == RX_BETWEEN) {
      results[k] = td_cell(L, 1, count + 1, c->at);
      int from = 0;
      for (int i = 0; results[k] && i <= count; i++) {
        const int* slot = slots + 2 * RX_GROUPS * i;
        const int to = i < count ? slot[0] : n;
        value* text = td_string(L, s + from, to - from, c->at);
        if (!text || !td_value_put(results[k], &results[k]->slots[i], text)) break;
        if (i < count) from = slot[1];
      }
    } else if (once) {
      results[k] = count > 0           ? one_result(L, c, what, s, slots, r->groups)
                   : what == RX_TEXT   ? td_string(L, "", 0, c->at)
                   : what == RX_TOKENS ? td_cell(L, 0, 0, c->at)
                                       : td_num(L, 0, 0, 1, c->at);
    } else {
      results[k] = numbers ? td_num(L, 1, count, 1, c->at) : td_cell(L, 1, count, c->at);
      for (int i = 0; results[k] && i < count; i++) {
        const int* slot = slots + 2 * RX_GROUPS * i;
        if (numbers) {
          results[k]->x[i] = what == RX_START ? slot[0] + 1 : slot[1];
          continue;
        }
        value* one = one_result(L, c, what, s, slot, r->groups);
        if (!one || !td_value_put(results[k], &results[k]->slots[i], one)) {
          td_value_drop(results[k]);
          results[k] = NULL;
        }
      }
    }
    ok = results[k] != NULL;
  }

  free(slots);
  free(r);
  for (int k = 1; k < RX_RESULTS; k++) {
    if (ok && k <= TD_CALL_RESULTS)
      c->more[k - 1] = results[k];
    else
      td_value_drop(results[k]);
  }
  return value_if(ok, results[0]);
}

const builtin td_builtin_search[] = {
    {"strfind", strfind, 2, 2, "strfind(text, pattern)", 0},
    {"strtok", strtok_text, 1, 2, "strtok(text, separators)", 0},
    {"startsWith", has_part, 2, 2, "startsWith(text, pattern)", BEGINS},
    {"endsWith", has_part, 2, 2, "endsWith(text, pattern)", ENDS},
    {"contains", has_part, 2, 2, "contains(text, pattern)", INSIDE},
    {"blanks", blanks, 1, 1, "blanks(n)", 0},
    {"deblank", deblanked, 1, 1, "deblank(text)", 0},
    {"isspace", character_kind, 1, 1, "isspace(text)", 0},
    {"isletter", character_kind, 1, 1, "isletter(text)", 1},
    {"char", to_char, 1, 1, "char(codes)", 0},
    {"regexp", regexp, 2, -1, "regexp(text, pattern, 'match')", 0},
    {"regexpi", regexp, 2, -1, "regexpi(text, pattern, 'match')", 1},
    {"regexprep", regexprep, 3, -1, "regexprep(text, pattern, replacement)", 0},
    {NULL, NULL, 0, 0, NULL, 0},
};
