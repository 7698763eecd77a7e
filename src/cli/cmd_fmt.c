// tendril fmt: format model texts in place, atomically; a file with syntax errors stays as it is.
#define _XOPEN_SOURCE 700  // realpath
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

enum { SIZE_LIMIT = 16 << 20 };  // of a text [bytes]

// Replace a file by a text in one step, with the permissions that it has; links are followed.
static int replace(const char* path, const char* text) {
  char* real = realpath(path, NULL);
  char* temporary = real ? format_text("%s.fmt-XXXXXX", real) : NULL;
  struct stat info = {0};
  if (!real || !temporary || stat(real, &info) != 0) {
    const int why = errno;
    free(real);
    free(temporary);
    return complain(CODE_FILE, "cannot write '%s': %s", path, strerror(why));
  }

  stop_on_signal();
  const int file = access(real, W_OK) == 0 ? mkstemp(temporary) : -1;
  int wrong = file < 0 ? errno : 0;
  for (size_t done = 0, size = strlen(text); !wrong && done < size;) {
    const ssize_t n = write(file, text + done, size - done);
    if (n < 0 && errno != EINTR) wrong = errno;
    if (n > 0) done += (size_t)n;
  }
  if (!wrong && fchmod(file, info.st_mode & 07777) != 0) wrong = errno;
  if (!wrong && fsync(file) != 0) wrong = errno;
  if (file >= 0 && close(file) != 0 && !wrong) wrong = errno;
  if (!wrong && rename(temporary, real) != 0) wrong = errno;
  if (wrong && file >= 0) unlink(temporary);
  free(real);
  free(temporary);
  return wrong ? complain(CODE_FILE, "cannot write '%s': %s", path, strerror(wrong)) : CODE_DONE;
}

// Format one file, or compare it with its formatted text.
static int format_file(const options* opt, const char* path) {
  size_t size;
  char* text = bytes_of_file(path, SIZE_LIMIT, &size);
  if (!text && errno == EFBIG)
    return complain(CODE_FILE, "'%s' is longer than %d MB", path, SIZE_LIMIT >> 20);
  if (!text) return complain(CODE_FILE, "cannot read '%s': %s", path, strerror(errno));
  if (strlen(text) != size) {
    free(text);
    return complain(CODE_MODEL, "'%s' is not a text file", path);
  }

  td_spec* spec = td_spec_new();
  char* formatted = NULL;
  const td_status status = spec ? td_editor_format(spec, path, text, &formatted) : TD_E_NOMEM;
  int code = code_of(status);
  if (status != TD_OK) {
    if (spec) fputs(td_spec_messages(spec), stderr);
    if (!spec || td_spec_message_count(spec) == 0)
      complain(0, "'%s': %s", path, td_status_text(status));
  } else {
    const bool same = strcmp(text, formatted) == 0;
    if (opt->to_stdout) fputs(formatted, stdout);
    if (opt->check && !same) {
      code = CODE_MODEL;
      if (!opt->quiet && !opt->to_stdout) printf("%s is not formatted\n", path);
    }
    if (!opt->check && !opt->to_stdout && !same) {
      code = replace(path, formatted);
      if (code == CODE_DONE && !opt->quiet) printf("%s\n", path);
    }
  }
  free(formatted);
  td_spec_free(spec);
  free(text);
  return code;
}

// Format all files; the exit code is the highest of them.
int cmd_fmt(const options* opt) {
  int code = CODE_DONE;
  for (int i = 0; i < opt->nfile && !stop_asked(); i++) {
    const int one = format_file(opt, opt->files[i]);
    if (one > code) code = one;
  }
  return stop_asked() ? complain(CODE_NUMERICS, "stopped by a signal") : code;
}
