// Rules of a mesh: one source of geometry, what belongs to nodes, to edges and to diagonals.
#include <math.h>
#include <string.h>

#include "rules.h"

// ---- the freedom of a node --------------------------------------------------------------------

void td_check_mesh_translation(td_spec* spec, const checked* c) {
  int free = 0;
  for (int k = 0; k < 3; k++) {
    double x;
    if (!td_check_constant(spec, c->v, k, &x)) return;
    free += isinf(x);
    if (isinf(x) || x == 0) continue;
    td_error(&spec->diags, TD_E_MODEL, c->at,
             "%s(%d) must be inf (a node moves along it) or 0, got %g", c->name, k + 1, x);
    return;
  }
  if (free == 0)
    td_error(&spec->diags, TD_E_MODEL, c->at, "%s has no inf: the nodes could not move", c->name);
}

void td_check_mesh_rotation(td_spec* spec, const checked* c) {
  double x[4] = {0};
  bool fits = true;
  for (int k = 0; k < 4; k++) fits = td_check_constant(spec, c->v, k, &x[k]) && fits;
  fits = fits && (x[0] == 0 || isinf(x[0])) && isinf(x[1]) && isinf(x[2]) && isinf(x[3]);
  if (fits) return;
  td_error(&spec->diags, TD_E_MODEL, c->at,
           "%s must be [0 inf inf inf] or [inf inf inf inf]: a node turns freely or not at all",
           c->name);
}

// ---- one mesh ---------------------------------------------------------------------------------

typedef struct mesh_check {
  td_spec* spec;
  const value* s;
  int i;
  const char* name;
} mesh_check;

static td_span at_field(const mesh_check* c, const char* field) {
  return td_get(c->s, c->i, field) ? td_get_at(c->s, c->i, field)
                                   : td_check_element_at(&c->spec->diags, c->s, c->i);
}

static void warn_unused(const mesh_check* c, const char* field, const char* why) {
  if (td_get(c->s, c->i, field))
    td_warn(&c->spec->diags, td_get_at(c->s, c->i, field), "%s.%s has no effect: %s", c->name,
            field, why);
}

// A file, a grid, or nodes and edges: exactly one.
static void check_source(const mesh_check* c) {
  td_diags* diags = &c->spec->diags;
  const bool file = td_field_get(c->s, c->i, "mesh.file_name"), grid = td_get(c->s, c->i, "grid"),
             node = td_get(c->s, c->i, "node"), edge = td_get(c->s, c->i, "edge");
  if (file + grid + (node || edge) != 1) {
    td_error(diags, TD_E_MODEL, td_check_element_at(&c->spec->diags, c->s, c->i),
             "%s must have exactly one of file_name, grid, or node and edge", c->name);
  } else if (node != edge) {
    td_error(diags, TD_E_MODEL, at_field(c, node ? "node" : "edge"),
             "%s.%s is missing: `node` and `edge` belong together", c->name,
             node ? "edge" : "node");
  }
  static const char* const of_files[] = {"tol", "chord", "unit"};
  for (int k = 0; k < 3 && !file; k++) warn_unused(c, of_files[k], "it belongs to file_name");
  if (!grid) warn_unused(c, "size", "it belongs to grid");
}

static void check_fixed(const mesh_check* c) {
  const value* v = td_get(c->s, c->i, "fixed");
  if (!v || v->kind != V_STR || td_get(c->s, c->i, "grid")) return;
  if (strcmp(v->s, "ends") == 0 || strcmp(v->s, "none") == 0) return;
  td_error(&c->spec->diags, TD_E_MODEL, td_get_at(c->s, c->i, "fixed"),
           "%s.fixed = '%.20s' belongs to a grid; use 'ends', 'none' or node numbers", c->name,
           v->s);
}

// Fields of joint(k) that belong to the other kind.
static void refuse_fields(const mesh_check* c, const value* joints, int k,
                          const char* const* fields, int n, const char* why) {
  for (int f = 0; f < n; f++)
    if (td_get(joints, k, fields[f]))
      td_error(&c->spec->diags, TD_E_MODEL, td_get_at(joints, k, fields[f]), "%s.joint(%d).%s: %s",
               c->name, k + 1, fields[f], why);
}

static bool has_law(const value* joints, int k) {
  return td_get(joints, k, "spring") || td_get(joints, k, "damp") || td_get(joints, k, "input");
}

static void check_joints(const mesh_check* c) {
  static const char* const of_edges[] = {"spring", "damp", "input", "dir", "xaxis", "beam"};
  static const char* const of_nodes[] = {"tr", "dof"};
  const value* joints = td_get(c->s, c->i, "joint");
  const int n = joints && joints->kind == V_STRUCT ? td_value_count(joints) : 0;
  if (n > 3) {
    td_error(&c->spec->diags, TD_E_MODEL, at_field(c, "joint"),
             "%s.joint has %d elements: joint(1) is for nodes, joint(2) for edges, joint(3) for "
             "diagonals",
             c->name, n);
    return;
  }
  if (n < 2 || !has_law(joints, 1)) {
    td_error(&c->spec->diags, TD_E_MODEL, at_field(c, "joint"),
             "%s.joint(2) is missing: it says what each edge is (spring, damp or input)", c->name);
    return;
  }
  refuse_fields(c, joints, 0, of_edges, 6, "joint(1) is the freedom of the nodes");
  for (int k = 1; k < n && k < 3; k++)
    refuse_fields(c, joints, k, of_nodes, 2, "it belongs to joint(1), the freedom of the nodes");
  if (n == 3 && !td_get(c->s, c->i, "grid"))
    td_error(&c->spec->diags, TD_E_MODEL, at_field(c, "joint"),
             "%s.joint(3) is for the diagonals of a grid, and the mesh is none", c->name);
}

void td_check_mesh(td_spec* spec, const value* s, int i, const char* name) {
  const mesh_check c = {spec, s, i, name};
  check_source(&c);
  check_fixed(&c);
  check_joints(&c);
}
