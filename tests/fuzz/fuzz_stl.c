// STL: any bytes give a wireframe or a message, in bounded time and memory.
#include <string.h>

#include "io/cad.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  td_cad cad = {.limit = 20000};
  const td_status status = td_stl_read((const char*)data, size, &cad);
  if (status == TD_OK) {
    for (int i = 0; i < 2 * cad.wire.nedge; i++)
      require(cad.wire.edge[i] >= 0 && cad.wire.edge[i] < cad.wire.nnode);
    require(td_wire_join(&cad.wire, 1e-6 * td_wire_extent(&cad.wire)) == TD_OK);
  } else if (status == TD_E_SYNTAX) {
    require(strlen(cad.message) > 0);
  }
  td_wire_free(&cad.wire);
  return 0;
}
