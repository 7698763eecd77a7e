// Threads that share the items of a loop.  Who does which item is not determined; where each item
// writes only what is its own, the results are the same bits for every number of threads.
#ifndef TD_TEAM_H
#define TD_TEAM_H

#include "base/base.h"

typedef struct td_team td_team;

enum { TEAM_MOST = 16 };

// Processors at hand, at most TEAM_MOST.
int td_team_processors(void);
// NULL: out of memory.  Fewer threads than asked for where the system gives no more.
td_team* td_team_new(int members);
void td_team_free(td_team* team);
int td_team_size(const td_team* team);  // NULL: 1

// Items [first, end) for one member, 0 .. size - 1.
typedef void (*td_team_part)(void* ctx, int member, int first, int end);
// Do all n items, `chunk` at a time, and return when they are done.  NULL: the caller alone.
void td_team_run(td_team* team, int n, int chunk, td_team_part part, void* ctx);

#endif
