// A mesh as it is written, and its shape: nodes and edges from a file, a grid or lists, where it
// stands, and which of its nodes the ground holds.
#include <math.h>
#include <string.h>

#include "model/field.h"
#include "model/meshes.h"
#include "model/rules.h"

mesh_words td_mesh_read(const value* s, int k) {
  const value *body = td_get(s, k, "body"), *joints = td_get(s, k, "joint");
  const bool some = joints && joints->kind == V_STRUCT;
  return (mesh_words){
      .s = s,
      .k = k,
      .file_name = td_field_get(s, k, "mesh.file_name"),
      .grid = td_get(s, k, "grid"),
      .size = td_get(s, k, "size"),
      .node = td_get(s, k, "node"),
      .edge = td_get(s, k, "edge"),
      .fixed = td_get(s, k, "fixed"),
      .tr = td_get(s, k, "tr"),
      .body = body,
      .fluid = td_get(s, k, "fluid"),
      .m = td_get(body, 0, "m"),
      .I = td_field_get(body, 0, "mesh.body.I"),
      .edge_m = td_get(body, 1, "m"),
      .edge_I = td_field_get(body, 1, "mesh.body.I"),
      .joints = joints,
      .njoint = some ? td_value_count(joints) : 0,
      .joint = {td_joint_read(joints, 0), td_joint_read(joints, 1), td_joint_read(joints, 2)}};
}

static td_span at_field(const builder* b, int k, const char* field) {
  return td_get(b->meshes, k, field) ? td_get_at(b->meshes, k, field)
                                     : td_check_element_at(b->diags, b->meshes, k);
}

static td_status too_many(builder* b, int k, const char* field, double n, const char* what,
                          int most) {
  return td_error(b->diags, TD_E_MODEL, at_field(b, k, field),
                  "mesh(%d) has %.10g %s, it may have %d", k + 1, n, what, most);
}

// ---- grids ------------------------------------------------------------------------------------

// Nodes along x, y and z, x running fastest.
typedef struct grid {
  int n[3];
  double step[3];
} grid;

static int grid_node(const grid* g, const int i[3]) {
  return i[0] + g->n[0] * (i[1] + g->n[1] * i[2]);
}

static void grid_index(const grid* g, int node, int i[3]) {
  i[0] = node % g->n[0];
  i[1] = node / g->n[0] % g->n[1];
  i[2] = node / g->n[0] / g->n[1];
}

// Read how many nodes a grid has in each direction, and how far apart they are.
static td_status read_grid(builder* b, int k, grid* g) {
  const value *n = b->mesh[k].w.grid, *size = b->mesh[k].w.size;
  double nodes = 1;
  for (int c = 0; c < 3; c++) {
    const double count = c < td_value_count(n) ? n->x[c] : 1;
    nodes *= count;
    if (nodes > b->spec->limits.nodes)
      return too_many(b, k, "grid", nodes, "nodes", b->spec->limits.nodes);
    g->n[c] = (int)count;
    g->step[c] = size && c < td_value_count(size) ? size->x[c] : 1;
    if (g->n[c] > 1) g->step[c] /= g->n[c] - 1;
  }
  if (nodes > 1) return TD_OK;
  return td_error(b->diags, TD_E_MODEL, at_field(b, k, "grid"),
                  "mesh(%d).grid has a single node and no edge", k + 1);
}

// An edge from node i to its neighbour, when it is on the grid.
static bool grid_edge(td_wire* w, const grid* g, const int i[3], int dx, int dy, int dz) {
  const int j[3] = {i[0] + dx, i[1] + dy, i[2] + dz};
  for (int c = 0; c < 3; c++)
    if (j[c] < 0 || j[c] >= g->n[c]) return true;
  return td_wire_edge(w, grid_node(g, i), grid_node(g, j));
}

// Connect each node of a grid with its next one in each direction.
static bool grid_edges(td_wire* w, const grid* g) {
  bool ok = true;
  for (int node = 0; node < w->nnode && ok; node++) {
    int i[3];
    grid_index(g, node, i);
    for (int c = 0; c < 3 && ok; c++) ok = grid_edge(w, g, i, c == 0, c == 1, c == 2);
  }
  return ok;
}

// Both diagonals of every face of every cell, each face once.
static bool grid_diagonals(td_wire* w, const grid* g) {
  static const int steps[6][3] = {{1, 1, 0},  {-1, 1, 0}, {1, 0, 1},
                                  {-1, 0, 1}, {0, 1, 1},  {0, -1, 1}};
  bool ok = true;
  for (int node = 0; node < w->nnode && ok; node++) {
    int i[3];
    grid_index(g, node, i);
    for (int s = 0; s < 6 && ok; s++)
      ok = grid_edge(w, g, i, steps[s][0], steps[s][1], steps[s][2]);
  }
  return ok;
}

// Make nodes, edges and, where the mesh has a third joint, diagonals of a grid.
static td_status grid_wire(builder* b, int k, const grid* g) {
  build_mesh* mesh = &b->mesh[k];
  td_wire* w = &mesh->own;
  const int nodes = g->n[0] * g->n[1] * g->n[2];
  for (int node = 0; node < nodes; node++) {
    int i[3];
    grid_index(g, node, i);
    const double x[3] = {i[0] * g->step[0], i[1] * g->step[1], i[2] * g->step[2]};
    if (td_wire_node(w, x) < 0) return TD_E_NOMEM;
  }
  if (!grid_edges(w, g)) return TD_E_NOMEM;
  mesh->nedge = w->nedge;
  return mesh->w.njoint < 3 || grid_diagonals(w, g) ? TD_OK : TD_E_NOMEM;
}

// ---- lists ------------------------------------------------------------------------------------

// Make the nodes that mesh.node lists.
static td_status list_nodes(builder* b, int k, td_wire* w) {
  const value* v = b->mesh[k].w.node;
  const int n = td_field_fit("mx3", v, 0).rows;
  if (n > b->spec->limits.nodes) return too_many(b, k, "node", n, "nodes", b->spec->limits.nodes);
  for (int i = 0; i < n; i++) {
    const double x[3] = {v->x[i], v->x[i + n], v->x[i + 2 * n]};
    if (td_wire_node(w, x) < 0) return TD_E_NOMEM;
  }
  return TD_OK;
}

// Make the edges that mesh.edge lists, each between two nodes that exist.
static td_status list_edges(builder* b, int k, td_wire* w) {
  const value* v = b->mesh[k].w.edge;
  const int n = td_field_fit("mx2", v, 0).rows, most = 4 * b->spec->limits.nodes;
  const td_span at = at_field(b, k, "edge");
  if (n > most) return too_many(b, k, "edge", n, "edges", most);
  for (int i = 0; i < n; i++) {
    const double ends[2] = {v->x[i], v->x[i + n]};
    for (int c = 0; c < 2; c++)
      if (ends[c] > w->nnode)
        return td_error(b->diags, TD_E_MODEL, at,
                        "mesh(%d).edge(%d,%d) is node %g, but the mesh has %d nodes", k + 1, i + 1,
                        c + 1, ends[c], w->nnode);
    if (ends[0] == ends[1])
      return td_error(b->diags, TD_E_MODEL, at, "mesh(%d).edge(%d,:) leads from node %g to itself",
                      k + 1, i + 1, ends[0]);
    if (!td_wire_edge(w, (int)ends[0] - 1, (int)ends[1] - 1)) return TD_E_NOMEM;
  }
  return TD_OK;
}

// ---- fixed nodes ------------------------------------------------------------------------------

// The first layer across the last direction, the corners, the boundary.
static bool grid_fixed(const grid* g, int node, const char* word) {
  int i[3], last = 2, outside = 0, directions = 0;
  grid_index(g, node, i);
  while (last > 0 && g->n[last] == 1) last--;
  for (int c = 0; c < 3; c++) {
    directions += g->n[c] > 1;
    outside += g->n[c] > 1 && (i[c] == 0 || i[c] == g->n[c] - 1);
  }
  if (strcmp(word, "edge") == 0) return i[last] == 0;
  if (strcmp(word, "corners") == 0) return outside == directions;
  return outside > 0;
}

// Fix the nodes whose numbers mesh.fixed lists.
static td_status fix_numbers(builder* b, int k, const value* v) {
  const build_mesh* mesh = &b->mesh[k];
  for (int i = 0; i < td_value_count(v); i++) {
    if (v->x[i] > mesh->wire->nnode)
      return td_error(b->diags, TD_E_MODEL, at_field(b, k, "fixed"),
                      "mesh(%d).fixed names node %g, but the mesh has %d nodes", k + 1, v->x[i],
                      mesh->wire->nnode);
    mesh->fixed[(int)v->x[i] - 1] = true;
  }
  return TD_OK;
}

static td_status fix_ends(const build_mesh* mesh) {
  int* degree = malloc(((size_t)mesh->wire->nnode + 1) * sizeof(int));
  if (!degree) return TD_E_NOMEM;
  td_wire_degrees(mesh->wire, degree);
  for (int i = 0; i < mesh->wire->nnode; i++) mesh->fixed[i] = degree[i] == 1;
  free(degree);
  return TD_OK;
}

// Find which nodes are fixed: those listed, the ends of edges, or a side of a grid.
static td_status fix_nodes(builder* b, int k, const grid* g) {
  build_mesh* mesh = &b->mesh[k];
  const value* v = mesh->w.fixed;
  mesh->fixed = calloc((size_t)mesh->wire->nnode + 1, sizeof(bool));
  if (!mesh->fixed) return TD_E_NOMEM;
  if (v && v->kind == V_NUM) return fix_numbers(b, k, v);
  const char* word = v ? v->s : g ? "edge" : "ends";
  if (strcmp(word, "none") == 0) return TD_OK;
  if (strcmp(word, "ends") == 0) return fix_ends(mesh);
  for (int i = 0; i < mesh->wire->nnode; i++) mesh->fixed[i] = grid_fixed(g, i, word);
  return TD_OK;
}

// ---- place and freedom ------------------------------------------------------------------------

// Rotation that two, three or four numbers stand for, as in joint.tr.
static mat3 rotation(const value* rot) {
  const double* x = rot->x;
  switch (td_value_count(rot)) {
    case 2:
      return x[0] == 0 ? mat3_identity() : mat3_axis_angle(vec3_axis((int)x[0] - 1), x[1]);
    case 3:
      return mat3_quat(quat_unit((quat){1, vec3_scale(0.5, vec3_of(x))}));
    default: {
      const double n = vec3_norm(vec3_of(x + 1));
      if (x[0] == 0 && n < 1) return mat3_quat((quat){sqrt(1 - n * n), vec3_of(x + 1)});
      return n > 0 ? mat3_axis_angle(vec3_scale(1 / n, vec3_of(x + 1)), x[0]) : mat3_identity();
    }
  }
}

// Pose that follows from the transformations of mesh.tr.
static pose place_of(const value* tr) {
  pose g = pose_identity();
  for (int i = 0; tr && i < td_value_count(tr); i++) {
    const tr_words w = tr_read(tr, i);
    const pose step = {w.rot ? rotation(w.rot) : mat3_identity(),
                       w.trans ? vec3_of(w.trans->x) : (vec3){0, 0, 0}};
    g = pose_mul(g, step);
  }
  return g;
}

td_status td_mesh_shape(builder* b, int k) {
  build_mesh* mesh = &b->mesh[k];
  const bool is_grid = mesh->w.grid, list = mesh->w.node;
  grid g;
  mesh->place = place_of(mesh->w.tr);

  // how a node moves
  const tr_words freedom = tr_read(mesh->w.joint[0].tr, 0);
  for (int c = 0; c < 3; c++) {
    mesh->move[c] = !freedom.trans || isinf(freedom.trans->x[c]);
    mesh->nmove += mesh->move[c];
  }
  mesh->turns = freedom.rot != NULL;

  // nodes and edges
  mesh->wire = is_grid || list || k >= b->spec->nwire ? &mesh->own : &b->spec->wires[k];
  if (is_grid) {
    TD_TRY(read_grid(b, k, &g));
    TD_TRY(grid_wire(b, k, &g));
  } else {
    if (list) TD_TRY(list_nodes(b, k, &mesh->own));
    if (list) TD_TRY(list_edges(b, k, &mesh->own));
    mesh->nedge = mesh->wire->nedge;
  }
  if (mesh->wire->nnode > b->spec->limits.nodes)
    return too_many(b, k, "file_name", mesh->wire->nnode, "nodes", b->spec->limits.nodes);
  return fix_nodes(b, k, is_grid ? &g : NULL);
}
