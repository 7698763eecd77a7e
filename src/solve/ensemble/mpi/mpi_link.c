// The module tendril_mpi.so: messages between the processes of a sweep by MPI.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "solve/ensemble/link.h"

enum { TAG = 22 };

static int result(int code) { return code == MPI_SUCCESS ? 0 : -1; }

static int mpi_open(void* self, int* rank, int* size) {
  (void)self;
  int level, begun = 0;
  MPI_Initialized(&begun);
  if (!begun && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) return -1;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (MPI_Comm_rank(MPI_COMM_WORLD, rank) != MPI_SUCCESS) return -1;
  return result(MPI_Comm_size(MPI_COMM_WORLD, size));
}

static int mpi_send(void* self, int to, const void* data, int bytes) {
  (void)self;
  return result(MPI_Send(data, bytes, MPI_BYTE, to, TAG, MPI_COMM_WORLD));
}

static int mpi_poll(void* self, int* from, int* bytes) {
  (void)self;
  MPI_Status about;
  int there = 0;
  if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &about) != MPI_SUCCESS) return -1;
  if (!there) return 0;
  *from = about.MPI_SOURCE;
  return MPI_Get_count(&about, MPI_BYTE, bytes) == MPI_SUCCESS ? 1 : -1;
}

static int mpi_receive(void* self, int from, void* data, int bytes) {
  (void)self;
  return result(MPI_Recv(data, bytes, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static int mpi_close(void* self) {
  (void)self;
  return result(MPI_Finalize());
}

// The first line of what the library says of itself
static void mpi_version(char* text, int size) {
  char all[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length;
  MPI_Get_library_version(all, &length);
  all[strcspn(all, "\n,")] = '\0';
  for (char* c = all; *c; c++)
    if (*c == '\t') *c = ' ';
  snprintf(text, (size_t)size, "%s", all);
}

extern const td_link_table td_link_module_table;
TD_API const td_link_table td_link_module_table = {
    .abi = LINK_ABI,
    .open = mpi_open,
    .send = mpi_send,
    .poll = mpi_poll,
    .receive = mpi_receive,
    .close = mpi_close,
    .version = mpi_version,
};
