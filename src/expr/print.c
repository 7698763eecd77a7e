// Printing as C, Octave, Python and LaTeX.  A node becomes a sequence of texts and operands, which
// wait on an explicit stack, so that deep expressions do not overflow the machine's stack.  Each
// waiting entry prints at least one character, which bounds the stack by the allowed length.
//
// Parentheses follow from levels of precedence: an operand is put in parentheses when its own level
// is below the one that its position needs.  In code the grouping of sums and products is kept,
// because it determines the rounding; in LaTeX it is not.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "expr/graph.h"

enum { PRINT_LIMIT = 1000000 };

typedef enum level { ANY, CHOICE, OR, AND, EQUAL, LESS, SUM, SIGN, PRODUCT, POWER, ATOM } level;

// Entry that waits to be printed: a text, or a node and the level that its position needs
typedef struct job {
  const char* text;
  ex e;
  level need;
  bool logical;  // the position takes a condition, not a number
} job;

typedef struct printer {
  const td_exprs* g;
  td_syntax syntax;
  td_text* out;
  job* stack;
  int n, cap;
} printer;

// Texts and operands of one node, in order
typedef struct sequence {
  job jobs[16];
  int n;
} sequence;

// Append a text, a numeric operand or a condition to a sequence.
static void text(sequence* s, const char* t) { s->jobs[s->n++] = (job){.text = t}; }
static void number(sequence* s, ex e, level need) { s->jobs[s->n++] = (job){.e = e, .need = need}; }
static void condition(sequence* s, ex e, level need) {
  s->jobs[s->n++] = (job){.e = e, .need = need, .logical = true};
}

static ex_op op_of(const printer* p, ex e) { return (ex_op)node_at(p->g, e)->op; }
static ex arg(const printer* p, ex e, int i) { return node_at(p->g, e)->arg[i]; }
static bool latex(const printer* p) { return p->syntax == TD_SYNTAX_LATEX; }

// ---- notation of the operations; NULL: not a call or an infix operator ------------------------

// clang-format off
static const char* const functions[EX_OP_COUNT][4] = {
    // C                     Octave    Python        LaTeX
    [EX_POW]   = {"pow",     NULL,     NULL,         NULL},
    [EX_SQRT]  = {"sqrt",    "sqrt",   "np.sqrt",    NULL},
    [EX_EXP]   = {"exp",     "exp",    "np.exp",     NULL},
    [EX_LOG]   = {"log",     "log",    "np.log",     "\\ln"},
    [EX_SIN]   = {"sin",     "sin",    "np.sin",     "\\sin"},
    [EX_COS]   = {"cos",     "cos",    "np.cos",     "\\cos"},
    [EX_TAN]   = {"tan",     "tan",    "np.tan",     "\\tan"},
    [EX_ASIN]  = {"asin",    "asin",   "np.arcsin",  "\\arcsin"},
    [EX_ACOS]  = {"acos",    "acos",   "np.arccos",  "\\arccos"},
    [EX_ATAN]  = {"atan",    "atan",   "np.arctan",  "\\arctan"},
    [EX_ATAN2] = {"atan2",   "atan2",  "np.arctan2", "\\operatorname{atan2}"},
    [EX_SINH]  = {"sinh",    "sinh",   "np.sinh",    "\\sinh"},
    [EX_COSH]  = {"cosh",    "cosh",   "np.cosh",    "\\cosh"},
    [EX_TANH]  = {"tanh",    "tanh",   "np.tanh",    "\\tanh"},
    [EX_ABS]   = {"fabs",    "abs",    "np.abs",     NULL},
    [EX_SIGN]  = {"td_sign", "sign",   "np.sign",    "\\operatorname{sign}"},
    [EX_FLOOR] = {"floor",   "floor",  "np.floor",   NULL},
    [EX_CEIL]  = {"ceil",    "ceil",   "np.ceil",    NULL},
    [EX_ROUND] = {"round",   "round",  NULL,         "\\operatorname{round}"},
    [EX_MOD]   = {"td_mod",  "mod",    "td_mod",     "\\operatorname{mod}"},
    [EX_MIN]   = {"fmin",    "min",    "np.fmin",    "\\min"},
    [EX_MAX]   = {"fmax",    "max",    "np.fmax",    "\\max"},
    [EX_HYPOT] = {"hypot",   "hypot",  "np.hypot",   NULL},
    [EX_STEP]  = {"td_step", NULL,     NULL,         NULL},
};

// Infix operators: their level, and the levels that the left and right operands need
static const struct infix {
  const char* sign[4];
  level own, left, right;
} infixes[EX_OP_COUNT] = {
    [EX_ADD]  = {{" + ", " + ", " + ", " + "},            SUM,     SUM,     PRODUCT},
    [EX_SUB]  = {{" - ", " - ", " - ", " - "},            SUM,     SUM,     PRODUCT},
    [EX_MUL]  = {{"*", "*", "*", " "},                    PRODUCT, PRODUCT, POWER},
    [EX_DIV]  = {{"/", "/", "/", NULL},                   PRODUCT, PRODUCT, POWER},
    [EX_POW]  = {{NULL, "^", "**", NULL},                 POWER,   ATOM,    ATOM},
    [EX_LT]   = {{" < ", " < ", " < ", " < "},            LESS,    SUM,     SUM},
    [EX_LE]   = {{" <= ", " <= ", " <= ", " \\le "},      LESS,    SUM,     SUM},
    [EX_STEP] = {{NULL, " >= ", " >= ", NULL},            LESS,    SUM,     SUM},
    [EX_EQ]   = {{" == ", " == ", " == ", " = "},         EQUAL,   SUM,     SUM},
    [EX_NE]   = {{" != ", " ~= ", " != ", " \\ne "},      EQUAL,   SUM,     SUM},
    [EX_AND]  = {{" && ", " & ", NULL, " \\land "},       AND,     AND,     EQUAL},
    [EX_OR]   = {{" || ", " | ", NULL, " \\lor "},        OR,      EQUAL,   EQUAL},
};
// clang-format on

// Infix operator of node e in this language, or NULL.
static const char* infix_sign(const printer* p, ex e) {
  return infixes[op_of(p, e)].sign[p->syntax];
}

// ---- numbers and names ------------------------------------------------------------------------

static bool reads_back(const char* s, double x) { return strtod(s, NULL) == x; }

// Format x with 17 digits in C, else with the fewest digits that read back as x.  A decimal comma
// of the host's locale becomes a point.
static void format_number(double x, bool c, char* s, size_t size) {
  snprintf(s, size, "%.*g", c ? 17 : 15, x);
  if (!c && !reads_back(s, x)) snprintf(s, size, "%.16g", x);
  if (!c && !reads_back(s, x)) snprintf(s, size, "%.17g", x);
  for (char* at = s; *at; at++) {
    if (*at == ',') *at = '.';
  }
  if (c && !strpbrk(s, ".e")) strncat(s, ".0", size - strlen(s) - 1);
}

// Print a constant in the notation of the language.
static void print_number(printer* p, double x) {
  static const char* const infinite[4] = {"INFINITY", "Inf", "np.inf", "\\infty"};
  static const char* const nan[4] = {"NAN", "NaN", "np.nan", "\\mathrm{NaN}"};
  if (isnan(x)) {
    td_text_add(p->out, nan[p->syntax]);
    return;
  }
  if (isinf(x)) {
    td_text_printf(p->out, "%s%s", x < 0 ? "-" : "", infinite[p->syntax]);
    return;
  }
  char s[40];
  format_number(x, p->syntax == TD_SYNTAX_C, s, sizeof s);
  char* e = latex(p) ? strchr(s, 'e') : NULL;
  if (!e) {
    td_text_add(p->out, s);
    return;
  }
  *e = '\0';
  td_text_printf(p->out, "%s \\cdot 10^{%d}", s, atoi(e + 1));
}

// Print a variable name as an identifier.
static void print_identifier(td_text* out, const char* name) {
  if (!isalpha((unsigned char)name[0]) && name[0] != '_') td_text_add(out, "x");
  for (const char* c = name; *c; c++) {
    td_text_addn(out, isalnum((unsigned char)*c) ? c : "_", 1);
  }
}

// True if n letters name a Greek letter.
static bool is_greek(const char* s, int n) {
  static const char* const letters[] = {
      "alpha", "beta",    "gamma", "delta", "epsilon", "zeta",    "eta",   "theta", "iota",
      "kappa", "lambda",  "mu",    "nu",    "xi",      "pi",      "rho",   "sigma", "tau",
      "phi",   "upsilon", "chi",   "psi",   "omega",   "Gamma",   "Delta", "Theta", "Lambda",
      "Xi",    "Pi",      "Sigma", "Phi",   "Psi",     "Upsilon", "Omega"};
  for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
    if (strlen(letters[i]) == (size_t)n && memcmp(letters[i], s, (size_t)n) == 0) return true;
  }
  return false;
}

// Print one part of a name: a Greek letter, a letter or number, or an upright word.
static void print_part(td_text* out, const char* s, int n) {
  bool digits = true;
  for (int i = 0; i < n; i++) digits = digits && isdigit((unsigned char)s[i]);
  const bool plain = digits || (n == 1 && isalpha((unsigned char)s[0]));
  if (is_greek(s, n)) td_text_add(out, "\\");
  if (plain || is_greek(s, n)) {
    td_text_addn(out, s, n);
    return;
  }
  td_text_add(out, "\\mathrm{");

  for (int i = 0; i < n; i++) {
    if (strchr("#$%&{}", s[i])) td_text_add(out, "\\");
    td_text_addn(out, strchr("\\^~", s[i]) ? "-" : s + i, 1);
  }
  td_text_add(out, "}");
}

// omega_1 -> \omega_{1}, q12 -> q_{12}, F_x_tip -> F_{x,\mathrm{tip}}
static void print_symbol(td_text* out, const char* name) {
  int head = (int)strcspn(name, "_");
  while (head > 1 && isdigit((unsigned char)name[head - 1])) head--;
  const char* rest = name + head;
  print_part(out, name, head);
  bool any = false;

  while (*rest) {
    if (*rest == '_') rest++;
    const int n = (int)strcspn(rest, "_");
    if (n == 0) continue;
    td_text_add(out, any ? "," : "_{");
    print_part(out, rest, n);
    any = true;
    rest += n;
  }
  if (any) td_text_add(out, "}");
}

// ---- levels of precedence ---------------------------------------------------------------------

// True if the language prints an operation as a condition instead of a number.
static bool prints_as_condition(const printer* p, ex_op op) {
  const bool has_step = p->syntax == TD_SYNTAX_OCTAVE || p->syntax == TD_SYNTAX_PYTHON;
  return td_op_is_logical(op) || (op == EX_STEP && has_step);
}

static bool is_negative(const printer* p, ex e) {
  return op_of(p, e) == EX_CONST && td_ex_value(p->g, e) < 0;
}

static bool is_square(const printer* p, ex e) {
  return op_of(p, e) == EX_MUL && arg(p, e, 0) == arg(p, e, 1);
}

// True if a square is printed as x*x: in C, for a variable.  pow keeps other squares short.
static bool is_short_square(const printer* p, ex e) {
  return p->syntax == TD_SYNTAX_C && op_of(p, arg(p, e, 0)) == EX_VAR;
}

// Level of a constant: negative numbers and powers of ten in LaTeX bind less than an atom.
static level number_level(const printer* p, double x) {
  if (x < 0) return SIGN;
  char s[40];
  format_number(x, false, s, sizeof s);
  return latex(p) && isfinite(x) && strchr(s, 'e') ? PRODUCT : ATOM;
}

// Level of a condition in a numeric position: a cast, a call, 1.0*(...), an Iverson bracket.
static level wrapped_level(const printer* p) {
  static const level levels[4] = {POWER, ATOM, PRODUCT, ATOM};
  return levels[p->syntax];
}

// Precedence of the text that node e prints, which decides about parentheses around it; it depends
// on the language.
static level level_of(const printer* p, ex e) {
  const ex_op op = op_of(p, e);
  switch (op) {
    case EX_CONST:
      return number_level(p, td_ex_value(p->g, e));
    case EX_NEG:
      return SIGN;
    case EX_NOT:
      return p->syntax == TD_SYNTAX_PYTHON ? ATOM : POWER;
    case EX_IFELSE:
      return p->syntax == TD_SYNTAX_C ? CHOICE : ATOM;
    case EX_EXP:
      return latex(p) ? POWER : ATOM;
    case EX_ROUND:
      return p->syntax == TD_SYNTAX_PYTHON ? SUM : ATOM;
    case EX_POW:
      return p->syntax == TD_SYNTAX_C ? ATOM : POWER;
    case EX_DIV:
      return is_negative(p, arg(p, e, 0)) && !latex(p) ? SIGN : PRODUCT;
    case EX_MUL:
      if (is_square(p, e)) {
        return is_short_square(p, e) ? PRODUCT : p->syntax == TD_SYNTAX_C ? ATOM : POWER;
      }
      return is_negative(p, arg(p, e, 0)) ? SIGN : PRODUCT;
    default:
      return infix_sign(p, e) ? infixes[op].own : ATOM;
  }
}

// ---- sequences of nodes ---------------------------------------------------------------------

// f(a, b)
static void write_call(const printer* p, const char* name, ex e, sequence* s) {
  text(s, name);
  text(s, latex(p) ? "\\left(" : "(");
  for (int i = 0; i < td_op_arity(op_of(p, e)); i++) {
    if (i > 0) text(s, ", ");
    number(s, arg(p, e, i), ANY);
  }
  text(s, latex(p) ? "\\right)" : ")");
}

// True if the LaTeX of e begins with a digit; true if that is not found within 100 levels.
static bool begins_with_digit(const printer* p, ex e) {
  for (int depth = 0; depth < 100; depth++) {
    const ex_op op = op_of(p, e);
    if (op == EX_CONST) return true;
    if (op != EX_MUL && op != EX_POW) return false;
    e = arg(p, e, 0);
  }
  return true;
}

// a*a as a square
static void write_square(const printer* p, ex e, sequence* s) {
  static const char* const after[4] = {", 2.0)", "^2", "**2", "^{2}"};
  const ex a = arg(p, e, 0);
  if (is_short_square(p, e)) {
    number(s, a, PRODUCT);
    text(s, "*");
    number(s, a, POWER);
    return;
  }
  const bool c = p->syntax == TD_SYNTAX_C;
  if (c) text(s, "pow(");
  number(s, a, c ? ANY : ATOM);
  text(s, after[p->syntax]);
}

// a + b and the like
static void write_infix(const printer* p, ex e, sequence* s) {
  const ex_op op = op_of(p, e);
  const struct infix* in = &infixes[op];
  const bool logical = op == EX_AND || op == EX_OR;
  ex a = arg(p, e, 0), b = arg(p, e, 1);
  level left = in->left, right = in->right;
  const char* sign = in->sign[p->syntax];

  // x + 1 instead of 1 + x; in LaTeX sums and products need no grouping
  if (op == EX_ADD && op_of(p, a) == EX_CONST) b = a, a = arg(p, e, 1);
  if (left == PRODUCT && is_negative(p, a)) left = SIGN;
  if (latex(p) && op == EX_ADD && op_of(p, b) == EX_ADD) right = SUM;
  if (latex(p) && op == EX_MUL) right = PRODUCT;
  if (latex(p) && op == EX_MUL && begins_with_digit(p, b)) sign = " \\cdot ";

  s->jobs[s->n++] = (job){.e = a, .need = left, .logical = logical};
  text(s, sign);
  s->jobs[s->n++] = (job){.e = b, .need = right, .logical = logical};
}

// A numeric operand between two texts
static void around(sequence* s, const char* before, ex e, const char* after) {
  text(s, before);
  number(s, e, ANY);
  text(s, after);
}

// Sequence of c ? a : b in the language (merge, np.where, cases); a condition that prints as a
// number is compared with zero.
static void write_ifelse(const printer* p, ex e, sequence* s) {
  static const char* const start[4] = {"", "merge(", "np.where(", "\\begin{cases} "};
  static const char* const then[4] = {" ? ", ", ", ", ", " & "};
  static const char* const other[4] = {" : ", ", ", ", ", " \\\\ "};
  static const char* const end[4] = {"", ")", ")", " & \\text{otherwise} \\end{cases}"};
  const ex c = arg(p, e, 0), a = arg(p, e, 1), b = arg(p, e, 2);
  const td_syntax x = p->syntax;
  const bool is_condition = prints_as_condition(p, op_of(p, c));

  text(s, start[x]);
  if (latex(p)) number(s, a, ANY), text(s, then[x]);
  condition(s, c, !is_condition ? SUM : x == TD_SYNTAX_C ? OR : ANY);
  if (x == TD_SYNTAX_C && !is_condition) text(s, " != 0.0");
  if (x == TD_SYNTAX_OCTAVE && !is_condition) text(s, " ~= 0");
  if (latex(p) && !is_condition) text(s, " \\ne 0");
  if (!latex(p)) text(s, then[x]), number(s, a, CHOICE);
  text(s, other[x]);
  number(s, b, CHOICE);
  text(s, end[x]);
}

// round(a) with halves away from zero, exactly: trunc(a) + trunc(2 frac(a)); numpy rounds halves to
// even.
static void write_python_round(ex a, sequence* s) {
  around(s, "np.trunc(", a, ") + ");
  around(s, "np.trunc(2.0*np.fmod(", a, ", 1.0))");
}

// !a
static void write_not(const printer* p, ex e, sequence* s) {
  static const char* const before[4] = {"!", "~", "np.logical_not(", "\\lnot "};
  const bool call = p->syntax == TD_SYNTAX_PYTHON;
  text(s, before[p->syntax]);
  condition(s, arg(p, e, 0), call ? ANY : ATOM);
  if (call) text(s, ")");
}

// a && b and a || b as calls of numpy
static void write_logical_call(const printer* p, ex e, sequence* s) {
  text(s, op_of(p, e) == EX_AND ? "np.logical_and(" : "np.logical_or(");
  condition(s, arg(p, e, 0), ANY);
  text(s, ", ");
  condition(s, arg(p, e, 1), ANY);
  text(s, ")");
}

// Operations for which LaTeX has a special notation
static void write_latex(const printer* p, ex e, sequence* s) {
  const ex a = arg(p, e, 0), b = arg(p, e, 1);
  switch (op_of(p, e)) {
    case EX_DIV:
      around(s, "\\frac{", a, "}{");
      around(s, "", b, "}");
      break;
    case EX_POW:
      number(s, a, ATOM);
      around(s, "^{", b, "}");
      break;
    case EX_HYPOT:
      text(s, "\\sqrt{");
      number(s, a, ATOM);
      text(s, "^{2} + ");
      number(s, b, ATOM);
      text(s, "^{2}}");
      break;
    case EX_STEP:
      around(s, "H\\left(", a, "");
      if (!(op_of(p, b) == EX_CONST && td_ex_value(p->g, b) == 0)) {
        text(s, " - ");
        number(s, b, PRODUCT);
      }
      text(s, "\\right)");
      break;
    case EX_SQRT:
      around(s, "\\sqrt{", a, "}");
      break;
    case EX_EXP:
      around(s, "e^{", a, "}");
      break;
    case EX_ABS:
      around(s, "\\left|", a, "\\right|");
      break;
    case EX_FLOOR:
      around(s, "\\left\\lfloor ", a, " \\right\\rfloor");
      break;
    case EX_CEIL:
      around(s, "\\left\\lceil ", a, " \\right\\rceil");
      break;
    default:
      break;
  }
}

// Sequence of an operation.
static void write_node(const printer* p, ex e, sequence* s) {
  const ex_op op = op_of(p, e);
  const char* name = functions[op][p->syntax];

  // operations with a notation of their own come first, then calls, then infix operators
  if (op == EX_NEG) {
    text(s, "-");
    number(s, arg(p, e, 0), PRODUCT);
  } else if (op == EX_IFELSE) {
    write_ifelse(p, e, s);
  } else if (op == EX_NOT) {
    write_not(p, e, s);
  } else if (is_square(p, e)) {
    write_square(p, e, s);
  } else if (name) {
    write_call(p, name, e, s);
  } else if (infix_sign(p, e)) {
    write_infix(p, e, s);
  } else if (op == EX_ROUND) {
    write_python_round(arg(p, e, 0), s);
  } else if (op == EX_AND || op == EX_OR) {
    write_logical_call(p, e, s);
  } else {
    write_latex(p, e, s);
  }
}

// ---- printing ---------------------------------------------------------------------------------

// Print the numbered name of a table and put its operand into the sequence.
static void print_table(printer* p, ex e, sequence* s) {
  td_text_printf(p->out, latex(p) ? "T_{%d}" : "td_table_%d", arg(p, e, 1));
  around(s, latex(p) ? "\\left(" : "(", arg(p, e, 0), latex(p) ? "\\right)" : ")");
}

// Print what a node begins with and return the rest as a sequence.  A condition in a numeric
// position is wrapped; parentheses are added where the level is too low.
static void print_node(printer* p, job at, sequence* s) {
  static const char* const wrap[4][2] = {
      {"(double)(", ")"}, {"double(", ")"}, {"1.0*(", ")"}, {"\\left[", "\\right]"}};
  const ex_op op = op_of(p, at.e);
  const bool wrapped = !at.logical && prints_as_condition(p, op);
  const bool paren = (wrapped ? wrapped_level(p) : level_of(p, at.e)) < at.need;

  if (paren) td_text_add(p->out, latex(p) ? "\\left(" : "(");
  if (wrapped) {
    text(s, wrap[p->syntax][0]);
    condition(s, at.e, ANY);
    text(s, wrap[p->syntax][1]);
  } else if (op == EX_CONST) {
    print_number(p, td_ex_value(p->g, at.e));
  } else if (op == EX_VAR) {
    (latex(p) ? print_symbol : print_identifier)(p->out, p->g->vars[arg(p, at.e, 0)].name);
  } else if (op == EX_TABLE) {
    print_table(p, at.e, s);
  } else {
    write_node(p, at.e, s);
  }
  if (paren) text(s, latex(p) ? "\\right)" : ")");
}

// Put a sequence on the stack, its first entry on top.  False: no memory.
static bool push(printer* p, const sequence* s) {
  job* stack = td_grow(p->stack, &p->cap, p->n + s->n, sizeof *stack);
  if (!stack) return false;
  p->stack = stack;
  for (int i = s->n - 1; i >= 0; i--) p->stack[p->n++] = s->jobs[i];
  return true;
}

// Append the text of e in a language to `out`, without recursion: a stack holds the texts and nodes
// that are still to be printed.  A text longer than PRINT_LIMIT ends with "...".
void td_ex_print(const td_exprs* g, ex e, td_syntax syntax, td_text* out) {
  if (!is_node(g, e)) return;
  printer p = {.g = g, .syntax = syntax, .out = out};
  const int start = out->n;
  sequence s = {.n = 0};
  number(&s, e, ANY);
  bool ok = push(&p, &s);

  while (ok && p.n > 0 && !out->failed) {
    if (out->n - start + p.n > PRINT_LIMIT) {
      td_text_add(out, "...");
      break;
    }
    const job at = p.stack[--p.n];
    s.n = 0;
    if (at.text) {
      td_text_add(out, at.text);
    } else {
      print_node(&p, at, &s);
      ok = push(&p, &s);
    }
  }

  if (!ok) out->failed = true;
  free(p.stack);
}
