// The models of models/*.m and models/new/*.m, embedded by the build (tools/embed.cmake).
#ifndef TD_CLI_DEMOS_H
#define TD_CLI_DEMOS_H

typedef struct demo {
  const char* name;  // "four_bar"
  const char* text;
} demo;
extern const demo demo_table[];   // of `tendril demo`, by name; closed by a NULL name
extern const demo start_table[];  // of `tendril new`

// cmd_demo.c: print names and titles of a table; an exit code
int demos_list(const demo* table);
// Find a model of a table of the command `command`; NULL after a message.
const demo* demos_find(const demo* table, const char* name, const char* command);

#endif
