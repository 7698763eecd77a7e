// The models of models/*.m, embedded by the build (tools/embed.cmake).
#ifndef TD_CLI_DEMOS_H
#define TD_CLI_DEMOS_H

typedef struct demo {
  const char* name;  // "four_bar"
  const char* text;
} demo;
extern const demo demo_table[];  // by name; closed by a NULL name

#endif
