// Whole files and their names.
#ifndef TD_FILE_H
#define TD_FILE_H

#include <stdio.h>

#include "base/base.h"

// Read a stream to its end: *size bytes and a zero behind them, to be freed; NULL: no memory.
// Reading ends where there are `limit` bytes or more.
char* td_stream_read(FILE* stream, size_t limit, size_t* size);

// Read a regular file of at most `limit` bytes in the same way.  TD_E_IO: *why tells what is wrong,
// NULL: it is larger.
td_status td_file_read(const char* path, size_t limit, char** text, size_t* size, const char** why);

// The name of a file beside another one, unless it begins at the root; to be freed, NULL: no
// memory.
char* td_file_beside(const char* other, const char* name);

#endif
