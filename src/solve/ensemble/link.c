// Processes that an MPI launcher has started.  MPI itself is in a module of its own, which is
// loaded only under a launcher: MPI_Init would cost many times the start of the program, and the
// library would need MPI everywhere.
#define _GNU_SOURCE  // dladdr
#include "solve/ensemble/link.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "base/base.h"

#define MODULE "tendril_mpi.so"

// Folder of a file name; "." where it has none.
static void folder_of(char* path) {
  char* slash = strrchr(path, '/');
  if (slash)
    *slash = '\0';
  else
    snprintf(path, 2, ".");
}

// Try one file name as the module; NULL: it is none, or made for another version.
static const td_link_table* try_module(const char* path, void** handle) {
  *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!*handle) return NULL;
  const td_link_table* table = dlsym(*handle, "td_link_module_table");
  if (table && table->abi == LINK_ABI) return table;
  dlclose(*handle);
  *handle = NULL;
  return NULL;
}

// Find the module: where the environment says, beside the program, beside the library, and in
// ../lib/tendril of both.  The file name is left in `path`.
static const td_link_table* find_module(void** handle, char* path, size_t size) {
  const char* given = getenv("TENDRIL_MPI");
  if (given && *given) {
    snprintf(path, size, "%s", given);
    return try_module(path, handle);
  }
  char folder[2][1000] = {"", ""};
  const ssize_t n = readlink("/proc/self/exe", folder[0], sizeof folder[0] - 1);
  folder[0][n > 0 ? n : 0] = '\0';
  Dl_info about;
  const union {
    td_status (*function)(td_link**, char*, size_t);
    void* address;
  } here = {td_link_open};
  if (dladdr(here.address, &about) && about.dli_fname)
    snprintf(folder[1], sizeof folder[1], "%s", about.dli_fname);
  for (int i = 0; i < 2; i++) {
    static const char* const places[] = {"/" MODULE, "/../lib/tendril/" MODULE, "/tendril/" MODULE};
    if (!folder[i][0]) continue;
    folder_of(folder[i]);
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
      snprintf(path, size, "%.999s%s", folder[i], places[k]);
      const td_link_table* table = access(path, R_OK) == 0 ? try_module(path, handle) : NULL;
      if (table) return table;
    }
  }
  return NULL;
}

bool td_link_module(char* version, char* path, size_t size) {
  if (!version || !path || size == 0) return false;
  version[0] = path[0] = '\0';
  void* handle = NULL;
  char file[1200];
  const td_link_table* table = find_module(&handle, file, sizeof file);
  if (!table) return false;
  table->version(version, (int)size);
  snprintf(path, size, "%s", file);
  dlclose(handle);
  return true;
}

td_status td_link_over(const td_link_table* table, td_link** link) {
  td_link* l = *link = calloc(1, sizeof *l);
  if (!l) return TD_E_NOMEM;
  l->table = table;
  if (table->open(table->self, &l->rank, &l->size) < 0 || l->size < 1 || l->rank < 0 ||
      l->rank >= l->size) {
    free(l);
    *link = NULL;
    return TD_E_IO;
  }
  l->peer = calloc((size_t)l->size, sizeof *l->peer);
  if (l->peer) return TD_OK;
  table->close(table->self);
  free(l);
  *link = NULL;
  return TD_E_NOMEM;
}

// Has a launcher started several processes?  Launchers of one process need no MPI.
static bool is_launched(void) {
  static const char* const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const char* text = getenv(sizes[i]);
    if (text && *text) return atol(text) > 1;
  }
  return getenv("PMIX_RANK") != NULL;
}

td_status td_link_open(td_link** link, char* message, size_t size) {
  if (!link || !message || size == 0) return TD_E_USAGE;
  *link = NULL;
  message[0] = '\0';
  const char* given = getenv("TENDRIL_MPI");
  if (!is_launched() || (given && strcmp(given, "off") == 0)) return TD_OK;

  void* handle = NULL;
  char path[1200] = "";
  const td_link_table* table = find_module(&handle, path, sizeof path);
  if (!table) {
    const char* why = given ? dlerror() : NULL;
    snprintf(message, size,
             "several processes were started, but this Tendril has no module for MPI (%s%s%s); "
             "build it where MPI is installed, or set TENDRIL_MPI=off to run each alone",
             given ? given : MODULE, why ? ": " : "", why ? why : "");
    return TD_E_IO;
  }
  const td_status status = td_link_over(table, link);
  if (status != TD_OK) {
    snprintf(message, size, "MPI could not be started by '%s'", path);
    dlclose(handle);
    return status;
  }
  (*link)->handle = handle;
  return TD_OK;
}

int td_link_rank(const td_link* l) { return l ? l->rank : 0; }
int td_link_size(const td_link* l) { return l ? l->size : 1; }

void td_link_close(td_link* l) {
  if (!l) return;

  // those that still wait are ended; one that ends early says so, since rank 0 counts on it
  const int word = l->rank == 0 ? LINK_END : LINK_LEAVE;
  for (int i = 1; l->rank == 0 && i < l->size; i++)
    if (l->peer[i] != PEER_ENDED) l->table->send(l->table->self, i, &word, (int)sizeof word);
  if (l->rank != 0 && !l->over) l->table->send(l->table->self, 0, &word, (int)sizeof word);
  l->table->close(l->table->self);
  free(l->peer);
  free(l);  // the module stays loaded: MPI has handlers at exit
}
