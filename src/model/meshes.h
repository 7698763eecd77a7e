// Shared by the builders of meshes.
#ifndef TD_MESHES_H
#define TD_MESHES_H

#include "math/spatial.h"
#include "model/build.h"

// A mesh as it is written.  A member is NULL where its field is absent.
typedef struct mesh_words {
  const value* s;  // element k of this structure describes it
  int k;
  const value *file_name, *grid, *size, *node, *edge;  // its geometry
  const value *fixed, *tr, *body, *fluid;
  const value *m, *I;            // of a node: body(1)
  const value *edge_m, *edge_I;  // per length of an edge that is a rod: body(2)
  const value* joints;           // as an array, for messages
  int njoint;
  joint_words joint[3];  // of nodes, edges and diagonals
} mesh_words;
mesh_words td_mesh_read(const value* s, int k);

// A mesh while the model is built.
struct build_mesh {
  mesh_words w;
  const td_wire* wire;  // of the spec (files), or `own`
  td_wire own;
  int nedge;                            // edges of joint(2); the rest of the wire's are diagonals
  bool* fixed;                          // nodes that are fixed to the ground
  pose place;                           // of the mesh in the world
  int body;                             // body number of its first node
  int instance;                         // and its index in model.body
  force_kind edge_kind, diagonal_kind;  // as in model_mesh
  int edge, diagonal;
  bool move[3];  // directions its nodes move along
  int nmove;     // how many
  bool turns;    // its nodes turn
  int rod;       // number of its first edge as a rod, from 1; 0: edges are forces
};

// Geometry, fixed nodes and freedom of mesh k, from 0.
td_status td_mesh_shape(builder* b, int k);
// Axes of an edge along the unit vector z, in those of the mesh, as columns; false: `xaxis` (row e,
// or its only one; NULL: any) runs along it.
bool td_mesh_edge_axes(const value* xaxis, int e, vec3 z, mat3* R);
// "web" or "mesh(2)"
void td_mesh_name(const builder* b, int mesh, char* out, size_t size);
// The mesh, from 0, that a body number belongs to, -1: none.
int td_mesh_of(const builder* b, int body);
// Warn that a torque, `what`, has no effect on nodes that do not turn; none where it has one.
void td_mesh_warn_torque(builder* b, const place* on, td_span at, const char* what);

#endif
