// The journal of a sweep: finished points, one line each, appended as they come.
#ifndef TD_ENSEMBLE_JOURNAL_H
#define TD_ENSEMBLE_JOURNAL_H

#include "base/base.h"

typedef struct journal journal;

// Receives a point that a journal has.
typedef void (*journal_taker)(void* user, int point, const double* values, const char* status);

// Open a journal of `points` points with `columns` numbers each, and give those that it has to
// `taker`.  Without `resume` there must be none.  On failure `message` says why.
td_status td_journal_open(const char* path, bool resume, uint64_t digest, int points, int columns,
                          journal_taker taker, void* user, journal** out, char* message,
                          size_t size);
// Append a point; TD_E_IO: the disk is full, for example.
td_status td_journal_add(journal* j, int point, const double* values, const char* status);
void td_journal_close(journal* j);

#endif
