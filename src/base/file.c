#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

char* td_stream_read(FILE* stream, size_t limit, size_t* size) {
  size_t n = 0, room = 1 << 16;
  char* text = malloc(room);
  while (text) {
    n += fread(text + n, 1, room - 1 - n, stream);
    if (n < room - 1 || n >= limit) break;
    char* longer = realloc(text, room *= 2);
    if (!longer) free(text);
    text = longer;
  }
  if (text) text[n] = '\0';
  *size = n;
  return text;
}

td_status td_file_read(const char* path, size_t limit, char** text, size_t* size,
                       const char** why) {
  *text = NULL;
  *why = NULL;

  // non-blocking, because opening a pipe would wait for its writer
  const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  FILE* f = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
  if (!f) {
    *why = strerror(errno);
    if (descriptor >= 0) close(descriptor);
    return TD_E_IO;
  }

  // a regular file, at once
  struct stat info;
  td_status status = TD_E_IO;
  if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
    *why = "it is not a file";
  } else if ((size_t)info.st_size <= limit) {
    *text = malloc((size_t)info.st_size + 1);
    status = *text ? TD_OK : TD_E_NOMEM;
  }
  if (status == TD_OK) {
    *size = fread(*text, 1, (size_t)info.st_size, f);
    (*text)[*size] = '\0';
  }
  if (status == TD_OK && ferror(f)) {
    *why = strerror(errno);
    free(*text);
    *text = NULL;
    status = TD_E_IO;
  }
  fclose(f);
  return status;
}

char* td_file_beside(const char* other, const char* name) {
  const char* slash = strrchr(other, '/');
  td_text path = {0};
  if (name[0] != '/' && slash) td_text_addn(&path, other, (int)(slash - other) + 1);
  td_text_add(&path, name);
  if (!path.failed) return path.s;
  td_text_free(&path);
  return NULL;
}
