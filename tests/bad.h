// Wrong texts and the messages they get: every tests/bad/PREFIX*.m gives exactly the messages of
// the .expected file beside it, one a line:
//
//   LINE:COL: severity: text
//
// A first line "% set NAME VALUE" overrides a parameter, as --set NAME=VALUE does.
#ifndef TD_TEST_BAD_H
#define TD_TEST_BAD_H

#include <dirent.h>
#include <unistd.h>

#include "base/base.h"
#include "check.h"

// Adds the messages about the file to `out`; told by each program.
typedef void (*bad_run)(const char* path, td_text* out);

static void bad_read(const char* path, td_text* text) {
  FILE* file = fopen(path, "rb");
  if (!file) fail_msg("cannot read %s", path);
  char block[4096];
  for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;) td_text_addn(text, block, (int)n);
  fclose(file);
}

static void bad_add(td_text* out, int line, int column, td_severity severity, const char* text) {
  static const char* const words[] = {
      [TD_NOTE] = "note", [TD_WARNING] = "warning", [TD_ERROR] = "error"};
  td_text_printf(out, "%d:%d: %s: %s\n", line, column, words[severity], text);
}

// Messages without a position are those about what has none: the whole file or model, and what was
// told on the command line.
static bool bad_has_positions(const char* messages) {
  static const char* const whole[] = {"this is not a text file",
                                      "the model has no body: nothing in the text",
                                      "the whole model has", "by the command line or the caller"};
  for (const char* line = messages; line && *line;) {
    const char* end = strchr(line, '\n');
    const int n = end ? (int)(end - line) : (int)strlen(line);
    bool allowed = strncmp(line, "0:0:", 4) != 0;
    for (size_t k = 0; k < sizeof whole / sizeof *whole && !allowed; k++) {
      const char* at = strstr(line, whole[k]);
      allowed = at && at < line + n;
    }
    if (!allowed) {
      print_error("without a position: %.*s\n", n, line);
      return false;
    }
    line += n + (end != NULL);
  }
  return true;
}

// 1 when a text's messages are those expected; tells the difference otherwise.
static int bad_same(const char* name, bad_run run) {
  td_text got = {0}, want = {0};
  char expected[300];
  run(name, &got);
  snprintf(expected, sizeof expected, "%.*s.expected", (int)strlen(name) - 2, name);
  bad_read(expected, &want);
  const int same = got.s && want.s && strcmp(got.s, want.s) == 0;
  if (!same)
    print_error("%s\n got:  %s want: %s", name, got.s ? got.s : "\n", want.s ? want.s : "\n");
  const int placed = bad_has_positions(got.s);
  td_text_free(&got);
  td_text_free(&want);
  return same && placed;
}

// Is there a text of this kind for certain: at least `least` of them, all with their messages.
static void bad_check_all(const char* prefix, int least, bad_run run) {
  int seen = 0, good = 0;
  // messages name files as they were given
  assert_int_equal(chdir(TEST_SOURCE_DIR "/tests/bad"), 0);
  DIR* dir = opendir(".");
  assert_non_null(dir);
  for (struct dirent* entry; (entry = readdir(dir));) {
    const char* end = strrchr(entry->d_name, '.');
    if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 || !end || strcmp(end, ".m") != 0)
      continue;
    seen++;
    good += bad_same(entry->d_name, run);
  }
  closedir(dir);
  assert_true(seen >= least);
  assert_int_equal(good, seen);
}

#endif
