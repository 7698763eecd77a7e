// The IGES reader in two files: directory entries and parameters (iges.c), and the curves that they
// describe (iges_curves.c).
#ifndef TD_IGES_H
#define TD_IGES_H

#include "io/cad.h"

// An affine map x -> R x + T.
typedef struct iges_map {
  double R[9], T[3];
} iges_map;

// A directory entry.
typedef struct iges_entity {
  int type, form;
  int data, lines;  // its first parameter line, from 0, and how many
  int matrix;       // directory entry of its transformation, -1: none
  bool parametric;  // a curve in the parameter plane of a surface, not in space
  bool owned;       // drawn by a composite curve or a group
  bool drawn;
} iges_entity;

// A file while it is read.
typedef struct iges {
  td_cad* cad;
  const char* text;
  size_t size;
  const char** line;  // parameter lines, 64 columns each
  int nline, line_cap;
  iges_entity* entity;
  int nentity, entity_cap;
  char delimiter, terminator;
  double unit;   // metres
  double chord;  // in the file's units
  double* x;     // numbers of the current entity
  int nx, x_cap;
  double visited;  // columns of parameters read so far
} iges;

// Read the numbers of an entity into file->x, without its type.
td_status td_iges_numbers(iges* file, const iges_entity* e);
// Entity of a directory pointer, -1: none.
int td_iges_pointer(const iges* file, double pointer);
// Refuse the file because of an entity: "the entity of type 110 at line D5 ..."
td_status td_iges_fail(const iges* file, const iges_entity* e, const char* why);

// Draw a curve whose numbers have been read: edges in metres, moved by `map`.  With `bounds` it is
// not drawn: bounds[0..2] and bounds[3..5] are widened to contain the points that define it.
td_status td_iges_curve(iges* file, const iges_entity* e, const iges_map* map, double* bounds);

#endif
