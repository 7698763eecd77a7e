// A directory of its own in which a test compiles and runs what was written.
#ifndef WORKSHOP_H
#define WORKSHOP_H

#include "check.h"

static char directory[300];

static int setup(void** state) {
  (void)state;
  return check_directory(directory, sizeof directory) ? 0 : -1;
}

static int teardown(void** state) {
  (void)state;
  char command[400];
  snprintf(command, sizeof command, "rm -rf '%s'", directory);
  return system(command);
}

static bool have(const char* command) {
  char text[400];
  snprintf(text, sizeof text, "%.300s >/dev/null 2>&1", command);
  return system(text) == 0;
}

// Run in the directory of the files; shows what was said when it fails.
static void run(const char* what, const char* command) {
  char text[2400];
  snprintf(text, sizeof text, "cd '%s' && (%s) > out.txt 2>&1", directory, command);
  if (system(text) == 0) return;
  print_error("%s: %s\n", what, command);
  snprintf(text, sizeof text, "head -20 '%s/out.txt' >&2", directory);
  if (system(text) != 0) print_error("and it said nothing\n");
  fail();
}

#endif
