// Temporary folders.  The owner holds a lock on the folder for as long as it lives; a folder
// without a holder was left by a process that was killed, and is removed by the next that needs
// one.
#ifndef TD_IO_SCRATCH_H
#define TD_IO_SCRATCH_H

#include "base/base.h"

// Open a folder and take its lock; -1 when another process holds it or it is gone.  Where the file
// system has no locks, the owner succeeds without one, and nobody may remove the folder.
int td_scratch_take(const char* path, bool owner);

// Remove the folders in `parent` whose names begin with `stem` and that have no holder, with their
// contents.
void td_scratch_sweep(const char* parent, const char* stem);

// Remove a folder with all that is in it.
void td_scratch_remove(const char* path);

// Make a folder TMPDIR/stemXXXXXX, in /tmp where TMPDIR is not set or longer than half of `size`,
// and write its path; returns the descriptor that holds its lock, -1: none could be made, "" in
// `path`.  Folders of the same stem without a holder are removed.
int td_scratch_open(const char* stem, char* path, size_t size);
// Remove the folder of td_scratch_open() and give back the lock.  -1 and "" are fine.
void td_scratch_close(const char* path, int lock);

#endif
