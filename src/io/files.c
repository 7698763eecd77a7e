// Result files that appear complete or not at all.  A set is written into a staging directory
// `.tendril-PID-k`: beside the result directory when that does not exist yet (then one rename makes
// everything visible at once), inside it otherwise (then each file is renamed over its
// predecessor).  The owner holds a lock on the staging directory for as long as it lives; a staging
// directory without a holder was left by a process that died, and is removed.
#include "io/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/scratch.h"

#define STAGING ".tendril-"

struct td_files {
  char* directory;  // where the files go
  char* parent;     // directory that holds `staging`
  char* staging;    // "" until the first file
  char* path;       // of the file being staged
  char** names;
  int n, cap;
  int lock;     // descriptor of the staging directory, -1: none
  bool inside;  // staging is in `directory`
  td_progress progress;
  void* user;
  char error[512];
};

// Join three texts; to be freed, NULL: no memory.
static char* join(const char* a, const char* b, const char* c) {
  td_text text = {0};
  td_text_add(&text, a);
  td_text_add(&text, b);
  td_text_add(&text, c);
  if (!text.failed) return text.s;
  td_text_free(&text);
  return NULL;
}

td_status td_files_fail(td_files* files, const char* name, const char* why) {
  snprintf(files->error, sizeof files->error, "cannot write '%s%s%s': %s", files->directory,
           *name ? "/" : "", name, why);
  return TD_E_IO;
}

static td_status fail_errno(td_files* files, const char* name) {
  return td_files_fail(files, name, strerror(errno));
}

static bool is_directory(const char* path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

// "a/b/c/" -> "a/b", "c" -> "."
static char* parent_of(const char* path) {
  size_t n = strlen(path);
  while (n > 1 && path[n - 1] == '/') n--;
  while (n > 0 && path[n - 1] != '/') n--;
  if (n == 0) return td_strdup(".");
  while (n > 1 && path[n - 1] == '/') n--;
  return td_strndup(path, n);
}

// Make a directory with all its parents, as mkdir -p does.
static bool make_path(const char* path) {
  char* s = td_strdup(path);
  if (!s) return false;
  bool ok = true;
  for (char* p = s + 1; ok; p++) {
    if (*p && *p != '/') continue;
    const char kept = *p;
    *p = '\0';
    ok = mkdir(s, 0777) == 0 || errno == EEXIST || is_directory(s);
    *p = kept;
    if (!kept) break;
  }
  free(s);
  return ok;
}

// Make and lock a staging directory of a new name.  TD_E_IO, with a message, if the parent cannot
// be written.
static td_status stage_open(td_files* files) {
  for (int k = 0; k < 1000; k++) {
    char name[64];
    snprintf(name, sizeof name, "%s%ld-%d", STAGING, (long)getpid(), k);
    char* path = join(files->parent, "/", name);
    if (!path) return TD_E_NOMEM;
    if (mkdir(path, 0777) == 0 && (files->lock = td_scratch_take(path, true)) >= 0) {
      files->staging = path;
      return TD_OK;
    }
    const bool retry = errno == EEXIST || errno == EWOULDBLOCK || errno == ENOENT;
    free(path);
    if (!retry || !is_directory(files->parent)) break;
  }
  return fail_errno(files, "");
}

// Remove the staging directory and release its lock.
static void stage_close(td_files* files) {
  if (files->staging) td_scratch_remove(files->staging);
  if (files->lock >= 0) close(files->lock);
  free(files->staging);
  files->staging = NULL;
  files->lock = -1;
}

// Find the place of the staging directory, remove what died processes left there, and try it.
static td_status prepare(td_files* files) {
  struct stat st;
  const bool exists = stat(files->directory, &st) == 0;
  if (exists && !S_ISDIR(st.st_mode)) return td_files_fail(files, "", "it is not a directory");

  // inside the directory if it exists, else beside it
  files->inside = exists;
  files->parent = exists ? td_strdup(files->directory) : parent_of(files->directory);
  if (!files->parent) return TD_E_NOMEM;
  if (!make_path(files->parent)) return fail_errno(files, "");

  // remove what died processes left, and try a new one
  td_scratch_sweep(files->parent, STAGING);
  char* beside = exists ? parent_of(files->directory) : NULL;  // staged there before it existed
  if (beside) td_scratch_sweep(beside, STAGING);
  free(beside);
  const td_status status = stage_open(files);
  stage_close(files);
  return status;
}

void td_files_progress(td_files* files, td_progress progress, void* user) {
  if (!files) return;
  files->progress = progress;
  files->user = user;
}

bool td_files_go_on(void* files) {
  const td_files* f = files;
  return !f->progress || f->progress(f->user, 0, "export");
}

// Open a set of files that go into a directory; *out is NULL on failure, and `message` tells why.
td_status td_files_open(const char* directory, td_files** out, char* message, size_t size) {
  if (!directory || !out || (!message && size > 0)) return TD_E_USAGE;
  *out = NULL;
  snprintf(message, size, "out of memory");
  td_files* files = calloc(1, sizeof *files);
  if (!files) return TD_E_NOMEM;
  files->lock = -1;
  files->directory = td_strdup(directory);
  td_status status = files->directory ? prepare(files) : TD_E_NOMEM;
  if (status == TD_OK) {
    *out = files;
    return TD_OK;
  }
  if (files->error[0]) snprintf(message, size, "%s", files->error);
  td_files_close(files);
  return status;
}

void td_files_close(td_files* files) {
  if (!files) return;
  stage_close(files);
  for (int i = 0; i < files->n; i++) free(files->names[i]);
  free(files->names);
  free(files->path);
  free(files->parent);
  free(files->directory);
  free(files);
}

// Add a file to the set; returns the path to write it to, NULL on failure.
const char* td_files_stage(td_files* files, const char* name) {
  if (!*name || strchr(name, '/') || name[0] == '.') {
    td_files_fail(files, name, "not a plain file name");
    return NULL;
  }
  if (!files->staging && stage_open(files) != TD_OK) return NULL;

  // add the name
  char** names = td_grow(files->names, &files->cap, files->n + 1, sizeof *names);
  char* path = join(files->staging, "/", name);
  char* copy = td_strdup(name);
  if (names) files->names = names;
  if (!names || !path || !copy) {
    free(path);
    free(copy);
    td_files_fail(files, name, "out of memory");
    return NULL;
  }
  files->names[files->n++] = copy;
  free(files->path);
  files->path = path;
  return path;
}

// Bring a file to the disk; fsync works on any descriptor of it.
static bool synchronise(const char* path, int flags) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC | flags);
  if (fd < 0) return false;
  const bool ok = fsync(fd) == 0 || errno == EINVAL;  // some file systems cannot sync directories
  return close(fd) == 0 && ok;
}

td_status td_files_staged(td_files* files) {
  if (synchronise(files->path, 0)) return TD_OK;
  const td_status status = fail_errno(files, files->names[files->n - 1]);
  td_files_unstage(files);
  return status;
}

// Take the last file out of the set.
void td_files_unstage(td_files* files) {
  if (!files || files->n == 0 || !files->path) return;
  unlink(files->path);
  free(files->names[--files->n]);
  free(files->path);
  files->path = NULL;
}

td_status td_files_broken(td_files* files, const char* name, const char* why) {
  const td_status status = td_files_fail(files, name, why);
  td_files_unstage(files);
  return status;
}

// Try to allocate what HDF5 may need: 3 MB for itself and a copy of each matrix, one at a time.
bool td_files_have_memory(size_t numbers) {
  const size_t bytes = ((size_t)8 << 20) + 4 * numbers * sizeof(double);
  void* volatile block = malloc(bytes);  // volatile: not optimised away
  if (!block) return false;
  free(block);
  return true;
}

// Stage a text as a file.
td_status td_files_text(td_files* files, const char* name, const char* text) {
  if (!files || !name || !text) return TD_E_USAGE;
  const char* path = td_files_stage(files, name);
  if (!path) return TD_E_IO;
  FILE* f = fopen(path, "wb");
  if (!f) return td_files_broken(files, name, strerror(errno));
  const bool ok = fputs(text, f) >= 0;
  if (fclose(f) != 0 || !ok) return td_files_broken(files, name, strerror(errno));
  return td_files_staged(files);
}

// Make the files of a set visible in their directory.
td_status td_files_commit(td_files* files) {
  if (!files) return TD_E_USAGE;
  if (!files->staging) return TD_OK;
  td_status status = TD_OK;

  // all at once; if somebody has made the directory in the meantime, one by one
  if (files->inside || rename(files->staging, files->directory) != 0) {
    // by descriptors, without memory that could be missing half-way
    const int to = open(files->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (to < 0) status = fail_errno(files, "");
    for (int i = 0; i < files->n && status == TD_OK; i++) {
      if (renameat(files->lock, files->names[i], to, files->names[i]) != 0)
        status = fail_errno(files, files->names[i]);
    }
    if (to >= 0) close(to);
    stage_close(files);
  } else {
    free(files->staging);
    files->staging = NULL;
    close(files->lock);
    files->lock = -1;
  }

  // bring the names to the disk, too
  if (status == TD_OK && !synchronise(files->directory, O_DIRECTORY))
    status = fail_errno(files, "");
  if (status == TD_OK && !files->inside) synchronise(files->parent, O_DIRECTORY);
  return status;
}

// Length of the longest word
size_t td_matrix_longest(const td_matrix* m) {
  size_t n = 0;
  for (int i = 0; i < m->rows; i++) {
    const size_t length = strlen(m->words[i]);
    if (length > n) n = length;
  }
  return n;
}

// Report whether all matrices have names, sizes and values.
bool td_matrices_given(const td_matrix* list, int n) {
  if (n < 0 || (n > 0 && !list)) return false;
  for (int i = 0; i < n; i++) {
    const td_matrix* a = &list[i];
    if (!a->name || a->rows < 0 || a->cols < 0) return false;
    if (a->rows > 0 && a->cols > 0 && !a->values && !a->words) return false;
    for (int k = 0; a->words && k < a->rows; k++)
      if (!a->words[k]) return false;
  }
  return true;
}

int td_files_count(const td_files* files) { return files ? files->n : 0; }

const char* td_files_name(const td_files* files, int i) {
  if (!files) return NULL;
  return i >= 0 && i < files->n ? files->names[i] : NULL;
}

const char* td_files_error(const td_files* files) { return files ? files->error : ""; }
