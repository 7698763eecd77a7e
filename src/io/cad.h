// Wireframes from CAD files: data shared by the readers of IGES and STL.
#ifndef TD_CAD_H
#define TD_CAD_H

#include "model/spec.h"
#include "model/wire.h"

// Options of a reader and its result.
typedef struct td_cad {
  double unit;   // metres of one unit of the file; 0: of the file (IGES), a millimetre (STL)
  double chord;  // largest distance of a curve from the edges that replace it [m]; 0: 1/100 of the
                 // file's extent
  int limit;     // edges that may be made
  td_wire wire;  // what was read, in metres; nodes are not joined yet
  char message[200];  // when reading failed: what is wrong, and where
} td_cad;

// Read `size` bytes.  Lines, polylines, arcs, splines, composite curves and groups of IGES; the
// edges of the triangles of STL, text or binary.  TD_E_SYNTAX: see `message`; TD_E_NOMEM.
td_status td_iges_read(const char* text, size_t size, td_cad* cad);
td_status td_stl_read(const char* text, size_t size, td_cad* cad);

// Fill spec->wires from the files that `mesh(k).file_name` names, nodes joined within
// `mesh(k).tol`. Adds messages to the spec.
td_status td_read_meshes(td_spec* spec);

// Write the message and return TD_E_SYNTAX.
td_status td_cad_fail(td_cad* cad, const char* format, ...) TD_PRINTF(2, 3);
// Append an edge between two nodes of the wire.
td_status td_cad_edge(td_cad* cad, int a, int b);

#endif
