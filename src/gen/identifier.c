// Names that every printed language admits.
#include "gen/identifier.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

// Report whether a name is a word of a language, a function of its library, or used by printed
// code.
static bool is_reserved(const char* name) {
  static const char* const words[] = {
      "auto",     "break",     "case",     "char",   "const",    "continue",   "default",
      "do",       "double",    "else",     "enum",   "extern",   "float",      "for",
      "goto",     "if",        "inline",   "int",    "long",     "register",   "restrict",
      "return",   "short",     "signed",   "sizeof", "static",   "struct",     "switch",
      "typedef",  "union",     "unsigned", "void",   "volatile", "while",      "and",
      "as",       "assert",    "class",    "def",    "del",      "elif",       "except",
      "finally",  "from",      "global",   "import", "in",       "is",         "lambda",
      "nonlocal", "not",       "or",       "pass",   "raise",    "try",        "with",
      "yield",    "async",     "await",    "None",   "True",     "False",      "end",
      "function", "otherwise", "parfor",   "spmd",   "catch",    "persistent", "endif",
      "until",    "merge",     "np",       "abs",    "acos",     "asin",       "atan",
      "atan2",    "ceil",      "cos",      "cosh",   "exp",      "fabs",       "floor",
      "fmax",     "fmin",      "fmod",     "hypot",  "log",      "max",        "min",
      "mod",      "pow",       "round",    "sign",   "sin",      "sinh",       "sqrt",
      "tan",      "tanh",      "gamma",    "tgamma", "lgamma",   "erf",        "erfc",
      "exp2",     "log2",      "log10",    "cbrt",   "trunc",    "j0",         "j1",
      "jn",       "y0",        "y1",       "yn",     "t",        "q",          "v",
      "u",        "p",         "a",        "c",      "w",        "s",          "o",
      "n",        "h",         "M",        "J",      "T",        "D",          "L",
      "tau",      "vdot",      "qdot",     "e",      "edot",     "y",          "work",
      "main",     "zeros",     "ones",     "pi",     "i",        "j",          "k",
      "inf",      "nan",       "NaN",      "Inf",    "eps",      "INFINITY",   "NAN",
      "array",    "motion",    "z",        "sums",   "points"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(words[i], name) == 0) return true;
  }
  // q1, x12, lambda3 ... are variables of printed code
  static const char* const stems[] = {"q",      "v",      "a",     "x",     "z",     "sum",
                                      "lambda", "target", "total", "point", "points"};
  for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
    const size_t n = strlen(stems[i]);
    if (strncmp(name, stems[i], n) == 0 && name[n] &&
        strspn(name + n, "0123456789") == strlen(name + n))
      return true;
  }
  return strncmp(name, "td_", 3) == 0 || name[0] == '_';
}

// Replace characters that no identifier has by underscores; a first digit gets an m before it.
void td_identifier(const char* from, char* to, size_t size) {
  size_t n = 0;
  if (!isalpha((unsigned char)from[0]) && size > 1) to[n++] = 'm';
  for (; *from && n + 2 < size; from++) {
    to[n++] = isalnum((unsigned char)*from) ? *from : '_';
  }
  to[n] = '\0';

  // not a name that is in use
  if (is_reserved(to)) {
    to[n++] = '_';
    to[n] = '\0';
  }
}

// Replace control characters, quotes, backslashes, and question marks, which could make trigraphs.
plain_text td_plain(const char* from) {
  plain_text to;
  size_t n = 0;
  for (; *from && n + 1 < sizeof to.s; from++) {
    const unsigned char c = (unsigned char)*from;
    to.s[n++] = c < ' ' || c == 127 || strchr("\\\"?", c) ? '_' : *from;
  }
  to.s[n] = '\0';
  return to;
}
