// tendril demo: list the built-in models, or run one.
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "demos.h"

// The first line of the comment at the top; *n is its length.
static const char* title(const demo* d, int* n) {
  const char* line = d->text + strspn(d->text, "%# \t");
  *n = (int)strcspn(line, "\r\n");
  return line;
}

static int list_demos(const options* opt) {
  if (opt->json) {
    cJSON* list = cJSON_CreateArray();
    for (const demo* d = demo_table; d->name; d++) {
      cJSON_AddItemToArray(list, cJSON_CreateString(d->name));
    }
    return json_print(list);
  }
  printf("Built-in models; 'tendril demo NAME' runs one and leaves its text with the results:\n\n");
  for (const demo* d = demo_table; d->name; d++) {
    int n;
    const char* line = title(d, &n);
    printf("  %-16s %.*s\n", d->name, n, line);
  }
  return CODE_DONE;
}

static int unknown(const char* name) {
  const char* names[256];
  int n = 0;
  for (const demo* d = demo_table; d->name && n < 256; d++) names[n++] = d->name;
  const char* near = td_nearest(name, names, n);
  if (near) return complain(CODE_USE, "unknown demo '%s'; did you mean '%s'?", name, near);
  return complain(CODE_USE, "unknown demo '%s'; 'tendril demo' lists them", name);
}

static int run_demo(const options* opt, const demo* d) {
  char* name = format_text("%s.m", d->name);
  if (!name) return complain(CODE_NUMERICS, "out of memory");
  session s = {.name = name, .text = d->text};
  int code = session_open(&s, opt);
  if (code == CODE_DONE) {
    int n;
    const char* line = title(d, &n);
    say(&s, "%.*s\n\n", n, line);
    const td_settings par = td_model_settings(s.model);
    code = run_stages(&s, par.equil, par.modal, par.dyn);
    if (opt->json && s.files) json_print(summary_json(&s));
  }
  session_close(&s);
  free(name);
  return code;
}

int cmd_demo(const options* opt) {
  if (!opt->target) return list_demos(opt);
  for (const demo* d = demo_table; d->name; d++) {
    if (strcmp(d->name, opt->target) == 0) return run_demo(opt, d);
  }
  return unknown(opt->target);
}
