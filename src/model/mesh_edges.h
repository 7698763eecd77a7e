// The laws of the edges of a mesh, as the builders of springs and of beams read them.
#ifndef TD_MESH_EDGES_H
#define TD_MESH_EDGES_H

#include "model/meshes.h"

// A field that has one row for all elements or one for each of n.
typedef struct rows {
  const value* v;
  int n, cols;  // elements, and columns each of them takes
  double fallback;
  num shared[9];  // slots of the row that serves all, by column; NUM_NONE: not made yet
  bool each;      // a row for each element
} rows;

// Numbers of a law, in the order of model_law.
enum { LAW_K, LAW_REST, LAW_COMPR, LAW_MU, LAW_NU, LAW_INPUT, LAW_FIELDS };

// The laws of the edges or of a node's DOF.
typedef struct laws {
  rows field[LAW_FIELDS];
  const value* dir;
  int n, cols;
  bool dir_axes;  // dir has three columns
} laws;

// An edge vector, in the axes of the mesh, whose section has been made.
typedef struct known_edge {
  vec3 d;
  num section;
} known_edge;
enum { KNOWN = 64 };

// Data that all edges of joint(2), or all diagonals of joint(3), have in common.
typedef struct edge_kind {
  laws law;
  const value* xaxis;
  num shared_xaxis;
  bool isotropic;
  bool mid;                // beams measured half-way between their nodes
  int mesh, joint, first;  // mesh and joint, from 0, and its first edge
  const char* word;        // "edge"
  char name[100];
  known_edge known[KNOWN];
  int nknown;
} edge_kind;

// Can these be beams with frame = 'mid'?  `path` is "joint(2)".
td_status td_mesh_mid_check(builder* b, const edge_kind* kind, const char* path);
// Complete the force of edge e with the vector d in the axes of the mesh.
td_status td_mesh_mid_beam(builder* b, edge_kind* kind, int e, const double d[3], model_strain* f);

#endif
