// A wireframe: nodes and the straight edges between them, as CAD files, grids and lists give it.
#ifndef TD_WIRE_H
#define TD_WIRE_H

#include "base/base.h"

// Zero-initialise; td_wire_free() empties it.
typedef struct td_wire {
  double* x;  // 3 per node [m]
  int* edge;  // 2 per edge, nodes from 0
  int nnode, nedge;
  int node_cap, edge_cap;
} td_wire;

void td_wire_free(td_wire* w);
// Append; the new node's number, -1: out of memory.
int td_wire_node(td_wire* w, const double x[3]);
bool td_wire_edge(td_wire* w, int a, int b);

// Largest extent of its nodes along an axis [m].
double td_wire_extent(const td_wire* w);

// Make one node of those within `tol` of each other, drop edges without length, edges that occur
// twice and nodes without an edge.  Nodes are numbered as TMTDyn numbers them: in the order in
// which the edges meet them for the second time, then those that only one edge meets.  Time and
// memory are linear in the number of nodes and edges.
td_status td_wire_join(td_wire* w, double tol);

// How many edges meet each node; `count` has room for all nodes.
void td_wire_degrees(const td_wire* w, int* count);

#endif
