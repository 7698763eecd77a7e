// Threads that share the items of a loop.  It is not determined which thread processes an item; if
// each item writes only its own results, these are the same bits for every number of threads.
#ifndef TD_TEAM_H
#define TD_TEAM_H

#include "base/base.h"

typedef struct td_team td_team;

enum { TEAM_MOST = 16 };

// Number of available processors, at most TEAM_MOST.
int td_team_processors(void);
// Start a team of threads; fewer than requested if the system gives no more.  NULL: out of memory.
td_team* td_team_new(int members);
void td_team_free(td_team* team);
int td_team_size(const td_team* team);  // NULL: 1

// Function that processes items [first, end) as member 0 .. size - 1
typedef void (*td_team_part)(void* ctx, int member, int first, int end);
// Process all n items, `chunk` at a time, and return when they are done.  Team NULL: the caller
// alone.
void td_team_run(td_team* team, int n, int chunk, td_team_part part, void* ctx);

#endif
