// Processes that share a sweep: messages between them, and the module that carries these by MPI.
#ifndef TD_ENSEMBLE_LINK_H
#define TD_ENSEMBLE_LINK_H

#include "tendril/sweep.h"

enum { LINK_ABI = 1 };

// Functions that a module provides, under the name td_link_module_table.  All calls come from one
// thread; a result below 0 is a failure.
typedef struct td_link_table {
  int abi;  // LINK_ABI
  void* self;
  int (*open)(void* self, int* rank, int* size);
  int (*send)(void* self, int to, const void* data, int bytes);
  int (*poll)(void* self, int* from, int* bytes);  // 1: a message is there, 0: none
  int (*receive)(void* self, int from, void* data, int bytes);
  int (*close)(void* self);
  void (*version)(char* text, int size);
} td_link_table;

// Whether a process takes part.
typedef enum link_peer { PEER_EXPECTED, PEER_WORKS, PEER_ENDED } link_peer;

struct td_link {
  const td_link_table* table;
  void* handle;  // of the module, NULL: a table of the caller
  int rank, size;
  link_peer* peer;  // (size), on rank 0
  bool over;        // on other ranks: rank 0 has ended the sweep, or knows that this one left
};

// A link over a table of the caller's; *link is NULL on failure.
td_status td_link_over(const td_link_table* table, td_link** link);

// First number of a message
typedef enum link_word {
  LINK_HELLO = 1,  // to 0: digest; wants points
  LINK_RESULT,     // to 0: results; wants points
  LINK_LEAVE,      // to 0: this process cannot take part
  LINK_POINTS,     // from 0: points to compute
  LINK_END         // from 0: no more
} link_word;

#endif
