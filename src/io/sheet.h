// A CSV file of measurements: columns by name, cells that are numbers, words or empty.
#ifndef TD_SHEET_H
#define TD_SHEET_H

#include "base/base.h"

typedef struct td_sheet {
  int rows, cols;
  char** names;  // (cols)
  double* x;     // rows x cols; NaN where the cell is empty or a word
  char** word;   // rows x cols; what is written where it is no finite number, NULL: a number, or
                 // nothing was measured (empty, nan)
  int* line;     // (rows) of the file
  char* text;    // the file, to which names and words point
} td_sheet;

// Read a file of at most 1 GB.  The first line names the columns; separators are ',', ';' or tabs,
// whichever the first line has.  TD_E_IO: `message` says what is wrong and in which line.
td_status td_sheet_read(const char* path, td_sheet* sheet, char* message, size_t size);
void td_sheet_free(td_sheet* sheet);
int td_sheet_find(const td_sheet* sheet, const char* name);  // column, -1: none

#endif
