// CSV as in RFC 4180 with one line of names; numbers with 17 significant digits, so that reading
// them back gives the same bits.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "io/files.h"

// Write a name or word, quoted only when it has to be.
static void put_word(FILE* f, const char* s) {
  if (!strpbrk(s, ",\"\r\n")) {
    fputs(s, f);
    return;
  }
  putc('"', f);
  for (; *s; s++) {
    if (*s == '"') putc('"', f);
    putc(*s, f);
  }
  putc('"', f);
}

// Write columns of equal length as a file: a line of names, then one line for each record.
td_status td_files_csv(td_files* files, const char* name, const td_matrix* columns, int n) {
  if (!files || !name || !td_matrices_given(columns, n)) return TD_E_USAGE;
  for (int j = 0; j < n; j++) {
    if (columns[j].cols != 1 || columns[j].rows != columns[0].rows) return TD_E_USAGE;
  }

  // names
  const char* path = td_files_stage(files, name);
  if (!path) return TD_E_IO;
  FILE* f = fopen(path, "wb");
  if (!f) return td_files_broken(files, name, strerror(errno));

  for (int j = 0; j < n; j++) {
    if (j) putc(',', f);
    put_word(f, columns[j].name);
  }
  putc('\n', f);

  // records
  for (int i = 0; n && i < columns[0].rows; i++) {
    for (int j = 0; j < n; j++) {
      const td_matrix* c = &columns[j];
      if (j) putc(',', f);
      if (c->words)
        put_word(f, c->words[i]);
      else
        fprintf(f, "%.17g", c->values[(size_t)i * (size_t)c->stride]);
    }
    putc('\n', f);
  }
  const bool ok = !ferror(f);
  if (fclose(f) != 0 || !ok) return td_files_broken(files, name, strerror(errno));
  return td_files_staged(files);
}
