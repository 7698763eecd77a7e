// Any file is read as a CSV file of measurements without harm; what is accepted has names, rows and
// either a finite number, a word or nothing in every cell.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/sheet.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  char path[64], message[80];
  snprintf(path, sizeof path, "/tmp/fuzz_sheet_%ld.csv", (long)getpid());
  FILE* file = fopen(path, "wb");
  require(file != NULL);
  require(fwrite(data, 1, size, file) == size);
  fclose(file);
  td_sheet sheet;
  if (td_sheet_read(path, &sheet, message, sizeof message) == TD_OK) {
    require(sheet.rows > 0 && sheet.cols > 0);
    for (int i = 0; i < sheet.rows * sheet.cols; i++)
      require(isfinite(sheet.x[i]) ? sheet.word[i] == NULL : isnan(sheet.x[i]));
    for (int i = 0; i < sheet.cols; i++) require(td_sheet_find(&sheet, sheet.names[i]) <= i);
    td_sheet_free(&sheet);
  } else {
    require(strlen(message) < sizeof message);
  }
  unlink(path);
  return 0;
}
