// Inside a set of files: where a writer puts its file and how it says that it could not.
#ifndef TD_IO_FILES_H
#define TD_IO_FILES_H

#include "base/base.h"
#include "tendril/tools.h"

// Add `name` to the set and give the path to write it to (it does not exist yet).  Belongs to the
// set, valid until the next call.  NULL on failure.
const char* td_files_stage(td_files* files, const char* name);

// The file of the last td_files_stage() is complete: bring it to the disk.
td_status td_files_staged(td_files* files);

// Ask the progress function of the set (a td_files, as void* for those who know no files): false,
// stop.
bool td_files_go_on(void* files);

// Note a failure about `name`; returns TD_E_IO.
td_status td_files_fail(td_files* files, const char* name, const char* why);

// The file of the last td_files_stage() could not be written: it leaves the set, the others stay.
void td_files_unstage(td_files* files);

// The same with a message about `name`; returns TD_E_IO.
td_status td_files_broken(td_files* files, const char* name, const char* why);

// Is there memory for a foreign library to write or read `numbers` numbers?  HDF5 and matio do not
// survive a failing allocation, so what they may need is asked for beforehand.
bool td_files_have_memory(size_t numbers);

// Are n matrices all there, with their names and numbers?
bool td_matrices_given(const td_matrix* list, int n);

#endif
