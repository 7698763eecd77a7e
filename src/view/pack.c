// Columns of numbers quantised to 16 bits; see pack.h.
#include "view/pack.h"

#include <math.h>
#include <string.h>

#include "view/text_json.h"

// Least value and quantum of a column.
typedef struct column {
  float low, step;
  bool varies;
} column;

// Write how columns were quantised, as JSON: the least value of each, and the numbers and quanta of
// those that vary.
static void write_columns(td_text* out, const column* col, int cols) {
  td_json_key(out, "low");
  td_text_add(out, "[");
  for (int c = 0; c < cols; c++) {
    td_json_next(out);
    td_json_number(out, (double)col[c].low);
  }
  td_text_add(out, "],\"column\":[");
  for (int c = 0; c < cols; c++) {
    if (!col[c].varies) continue;
    td_json_next(out);
    td_text_printf(out, "%d", c);
  }
  td_text_add(out, "],\"step\":[");
  for (int c = 0; c < cols; c++) {
    if (!col[c].varies) continue;
    td_json_next(out);
    td_json_number(out, (double)col[c].step);
  }
  td_text_add(out, "]");
}

// Write the numbers, of which columns that do not vary take no room.
bool td_pack_write(td_text* out, const float* x, int rows, int cols) {
  column* col = malloc(((size_t)cols + 1) * sizeof *col);
  unsigned char* bytes = malloc((size_t)rows * (size_t)cols * 2 + 1);
  if (col && bytes) {
    // range of each column
    for (int c = 0; c < cols; c++) {
      float low = rows > 0 ? x[c] : 0, high = low;
      for (int r = 1; r < rows; r++) {
        const float y = x[(size_t)r * (size_t)cols + (size_t)c];
        low = fminf(low, y);
        high = fmaxf(high, y);
      }
      col[c] = (column){low, (high - low) / 65535, high > low};
    }
    td_text_printf(out, "{\"rows\":%d,\"cols\":%d", rows, cols);
    write_columns(out, col, cols);

    // little-endian, whatever the machine is
    size_t n = 0;
    for (int r = 0; r < rows; r++)
      for (int c = 0; c < cols; c++) {
        if (!col[c].varies) continue;
        const float s = (x[(size_t)r * (size_t)cols + (size_t)c] - col[c].low) / col[c].step;
        const long v = lrintf(fminf(fmaxf(s, 0), 65535));
        bytes[n++] = (unsigned char)(v & 255);
        bytes[n++] = (unsigned char)(v >> 8);
      }
    td_json_key(out, "data");
    td_json_bytes(out, bytes, n);
    td_text_add(out, "}");
  }
  const bool ok = col && bytes && !out->failed;
  free(col);
  free(bytes);
  return ok;
}
