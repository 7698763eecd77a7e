// Folders for what exists only while something runs.  The owner holds a lock on the folder for as
// long as it lives; a folder nobody holds was left by a process that was killed, and is removed by
// the next that needs one.
#ifndef TD_IO_SCRATCH_H
#define TD_IO_SCRATCH_H

#include "base/base.h"

// Open a folder and take its lock; -1 when someone else has it or it is gone.  The owner goes on
// without where the file system has no locks; nobody may remove such a folder then.
int td_scratch_take(const char* path, bool owner);

// Remove the folders in `parent` whose names begin with `stem` and that nobody holds, with all that
// is in them.
void td_scratch_sweep(const char* parent, const char* stem);

// Remove a folder with all that is in it.
void td_scratch_remove(const char* path);

// Make a folder TMPDIR/stemXXXXXX, in /tmp where TMPDIR is not set or longer than half of `size`,
// and write its path; returns the descriptor that holds its lock, -1: none could be made, "" in
// `path`.  Folders of the same stem that processes left which died are removed.
int td_scratch_open(const char* stem, char* path, size_t size);
// Remove the folder of td_scratch_open() and give back the lock.  -1 and "" are fine.
void td_scratch_close(const char* path, int lock);

#endif
