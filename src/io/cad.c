// Wireframes while they are read; shared by the readers of IGES and STL.
#include "io/cad.h"

#include <stdarg.h>
#include <stdio.h>

td_status td_cad_fail(td_cad* cad, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(cad->message, sizeof cad->message, format, args);
  va_end(args);
  return TD_E_SYNTAX;
}

td_status td_cad_edge(td_cad* cad, int a, int b) {
  if (cad->wire.nedge >= cad->limit)
    return td_cad_fail(cad, "it has more than %d edges, a mesh may have that many", cad->limit);
  return td_wire_edge(&cad->wire, a, b) ? TD_OK : TD_E_NOMEM;
}
