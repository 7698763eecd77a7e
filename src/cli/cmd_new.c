// tendril new: write a commented model to start from.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/demos.h"

// Write a text to a file that does not exist yet; a file that cannot be completed is removed.
static int create(const char* path, const char* text) {
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0 && errno == EEXIST)
    return complain(CODE_FILE, "'%s' exists already and stays as it is; give another name with -o",
                    path);
  if (file < 0) return complain(CODE_FILE, "cannot write '%s': %s", path, strerror(errno));

  // a signal must not leave half a file
  stop_on_signal();
  int wrong = 0;
  for (size_t done = 0, size = strlen(text); !wrong && done < size;) {
    const ssize_t n = write(file, text + done, size - done);
    if (n < 0 && errno != EINTR) wrong = errno;
    if (n > 0) done += (size_t)n;
  }
  if (!wrong && fsync(file) != 0 && errno != EINVAL && errno != EROFS) wrong = errno;
  if (close(file) != 0 && !wrong) wrong = errno;
  if (!wrong) return CODE_DONE;
  unlink(path);
  return complain(CODE_FILE, "cannot write '%s': %s", path, strerror(wrong));
}

// List the kinds of models, or write one to KIND.m or the file of -o.
int cmd_new(const options* opt) {
  if (!opt->target) {
    if (opt->out) return complain(CODE_USE, "-o needs a kind of model; 'tendril new' lists them");
    printf("Models to start from; 'tendril new KIND' writes KIND.m, or the file of -o:\n\n");
    return demos_list(start_table);
  }
  const demo* d = demos_find(start_table, opt->target, "new");
  if (!d) return CODE_USE;
  char* path = opt->out ? format_text("%s", opt->out) : format_text("%s.m", d->name);
  if (!path) return complain(CODE_NUMERICS, "out of memory");
  const int code = create(path, d->text);
  if (code == CODE_DONE && !opt->quiet)
    printf("%s is written; 'tendril run %s' computes, 'tendril view %s' shows it live\n", path,
           path, path);
  free(path);
  return code;
}
