// Sets of files, for writers: where a file goes, and how a failure is reported.
#ifndef TD_IO_FILES_H
#define TD_IO_FILES_H

#include "base/base.h"
#include "tendril/tools.h"

// Add `name` to the set and give the path to write it to (it does not exist yet).  Belongs to the
// set, valid until the next call.  NULL on failure.
const char* td_files_stage(td_files* files, const char* name);

// Bring the file of the last td_files_stage(), which is complete, to the disk.
td_status td_files_staged(td_files* files);

// Call the progress function of a set (a td_files, as void* for callers without this header).
// False: stop.
bool td_files_go_on(void* files);

// Note a failure about `name`; returns TD_E_IO.
td_status td_files_fail(td_files* files, const char* name, const char* why);

// Take the file of the last td_files_stage(), which could not be written, out of the set.
void td_files_unstage(td_files* files);

// The same with a message about `name`; returns TD_E_IO.
td_status td_files_broken(td_files* files, const char* name, const char* why);

// Report whether there is memory for a foreign library to write or read `numbers` numbers.  HDF5
// and matio do not survive a failing allocation, so what they may need is tried beforehand.
bool td_files_have_memory(size_t numbers);

// Length of the longest word of a matrix of words
size_t td_matrix_longest(const td_matrix* m);

// Report whether n matrices have names, sizes and values.
bool td_matrices_given(const td_matrix* list, int n);

#endif
