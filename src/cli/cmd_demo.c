// tendril demo: list the built-in models, or run one.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/demos.h"

// First sentence of the comment at the top, on one line; to be freed, NULL: no memory
static char* title(const demo* d) {
  char* out = malloc(strlen(d->text) + 1);
  char* p = out;

  // lines of the comment, joined
  for (const char* line = d->text; out && (*line == '%' || *line == '#');) {
    line += strspn(line, "%# \t");
    const size_t n = strcspn(line, "\r\n");
    if (n == 0) break;
    if (p > out) *p++ = ' ';
    memcpy(p, line, n);
    p += n;
    line += n + strspn(line + n, "\r\n");
  }
  if (!out) return NULL;
  *p = '\0';

  // a sentence ends before a capital letter, not at "Fig. 1"
  for (p = out; (p = strchr(p, '.')); p++) {
    const char* next = p + 1 + strspn(p + 1, " ");
    if (*next == '\0' || (next > p + 1 && *next >= 'A' && *next <= 'Z')) {
      p[1] = '\0';
      break;
    }
  }
  return out;
}

// Print the words of a text, lines after the first indented.
static void print_wrapped(const char* text, int indent) {
  int column = indent;
  for (const char* word = text; *word;) {
    const int n = (int)strcspn(word, " ");
    if (column > indent && column + 1 + n > 100) {
      printf("\n%*s", indent, "");
      column = indent;
    }
    printf("%s%.*s", column > indent ? " " : "", n, word);
    column += (column > indent) + n;
    word += n + (int)strspn(word + n, " ");
  }
  putchar('\n');
}

// Print names and titles of a table of models.
int demos_list(const demo* list) {
  for (const demo* d = list; d->name; d++) {
    char* text = title(d);
    if (!text) return complain(CODE_NUMERICS, "out of memory");
    printf("  %-16s ", d->name);
    print_wrapped(text, 19);
    free(text);
  }
  return CODE_DONE;
}

// Find a model of a list; NULL after a message that suggests the nearest name.
const demo* demos_find(const demo* list, const char* name, const char* word) {
  const char* names[256];
  int n = 0;
  for (const demo* d = list; d->name && n < 256; d++) {
    if (strcmp(d->name, name) == 0) return d;
    names[n++] = d->name;
  }
  const char* near = td_nearest(name, names, n);
  if (near)
    complain(0, "unknown %s '%s'; did you mean '%s'?", word, name, near);
  else
    complain(0, "unknown %s '%s'; 'tendril %s' lists them", word, name, word);
  return NULL;
}

// Print names and titles of the built-in models.
static int list_demos(const options* opt) {
  if (opt->json) {
    cJSON* list = cJSON_CreateArray();
    for (const demo* d = demo_table; d->name; d++) {
      cJSON_AddItemToArray(list, cJSON_CreateString(d->name));
    }
    return json_print(list);
  }
  printf("Built-in models; 'tendril demo NAME' runs one and leaves its text with the results:\n\n");
  return demos_list(demo_table);
}

// Run a demo as `run` does, with its text among the results.
static int run_demo(const options* opt, const demo* d) {
  char* name = format_text("%s.m", d->name);
  if (!name) return complain(CODE_NUMERICS, "out of memory");
  session s = {.name = name, .text = d->text};
  int code = session_open(&s, opt);
  if (code == CODE_DONE) {
    char* text = title(d);
    if (text) say(&s, "%s\n\n", text);
    free(text);
    const td_settings par = td_model_settings(s.model);
    s.from_rest = starts_at_rest(&s);
    code = run_stages(&s, par.equil, par.modal, par.dyn);
    if (opt->json && s.files) json_print(summary_json(&s));
  }
  session_close(&s);
  free(name);
  return code;
}

// List the built-in models, or run one.
int cmd_demo(const options* opt) {
  if (!opt->target) return list_demos(opt);
  const demo* d = demos_find(demo_table, opt->target, "demo");
  return d ? run_demo(opt, d) : CODE_USE;
}
