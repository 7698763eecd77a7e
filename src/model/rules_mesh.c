// Rules of a mesh: one source of geometry, what belongs to nodes, to edges and to diagonals.
#include <math.h>
#include <string.h>

#include "model/rules.h"

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

// Edges that are polynomial rods: what they need and what they cannot have.
static void check_rods(const mesh_check* c, const value* joints) {
  static const char* const without[] = {"dir", "beam", "dof"};
  td_diags* diags = &c->spec->diags;
  const value *nodes = td_get(joints, 0, "tr"), *tr = td_get(joints, 1, "tr"),
              *spring = td_get(joints, 1, "spring"), *damp = td_get(joints, 1, "damp"),
              *body = td_get(c->s, c->i, "body");
  const td_span at = td_get_at(joints, 1, "rom");
  refuse_fields(c, joints, 1, without, 3, "an edge with `rom` is a polynomial rod and has none");
  if (!nodes || !td_get(nodes, 0, "rot"))
    td_error(diags, TD_E_MODEL, at,
             "%s.joint(2).rom clamps each edge to its nodes, which must turn: write "
             "%s.joint(1).tr.rot = [0 inf inf inf]",
             c->name, c->name);
  static const char* const parts[] = {"trans", "rot"};
  for (int p = 0; tr && p < 2; p++) {
    const value* v = td_get(tr, 0, parts[p]);
    for (int k = p; v && k < td_value_count(v); k++) {  // the scalar part may be 0
      double x;
      if (!td_check_constant(c->spec, v, k, &x) || isinf(x)) continue;
      td_error(
          diags, TD_E_MODEL, td_get_at(tr, 0, parts[p]),
          "%s.joint(2).tr.%s must be inf throughout: an edge with `rom` moves and turns in all "
          "directions",
          c->name, parts[p]);
      break;
    }
  }
  if (!spring || !td_get(spring, 0, "coeff"))
    td_error(diags, TD_E_MODEL, at,
             "%s.joint(2).spring.coeff is missing: the stiffness per length of the edges, "
             "[G*A G*A E*A E*I E*I G*J]",
             c->name);
  if (damp && td_get(damp, 0, "along"))
    td_error(diags, TD_E_MODEL, td_get_at(damp, 0, "along"),
             "%s.joint(2).damp.along: the damping of a polynomial rod acts on its strain rates",
             c->name);
  if (!body || body->kind != V_STRUCT || !td_get(body, 1, "m"))
    td_error(diags, TD_E_MODEL, at,
             "%s.body(2).m is missing: the mass per length of the edges (body(1) is that of the "
             "nodes)",
             c->name);
  if (td_get(c->s, c->i, "fluid"))
    td_error(diags, TD_E_MODEL, td_get_at(c->s, c->i, "fluid"),
             "%s.fluid is for edges that are springs or beams; rods in a fluid are written as rods",
             c->name);
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
  const value* body = td_get(c->s, c->i, "body");
  const bool rods = n >= 2 && td_get(joints, 1, "rom");
  if (n < 2 || !(has_law(joints, 1) || rods)) {
    td_error(&c->spec->diags, TD_E_MODEL, at_field(c, "joint"),
             "%s.joint(2) is missing: it says what each edge is (spring, damp or input)", c->name);
    return;
  }
  refuse_fields(c, joints, 0, of_edges, 6, "joint(1) is the freedom of the nodes");
  for (int k = 0; k < n; k++)
    if (k != 1 && td_get(joints, k, "rom"))
      td_error(&c->spec->diags, TD_E_MODEL, td_get_at(joints, k, "rom"),
               "%s.joint(%d).rom: only edges, joint(2), may be polynomial rods", c->name, k + 1);
  for (int k = rods ? 2 : 1; k < n && k < 3; k++)
    refuse_fields(c, joints, k, of_nodes, 2, "it belongs to joint(1), the freedom of the nodes");
  if (rods) {
    check_rods(c, joints);
  } else if (body && body->kind == V_STRUCT && td_value_count(body) > 1) {
    td_error(&c->spec->diags, TD_E_MODEL, at_field(c, "body"),
             "%s.body(2) is the mass per length of edges that are rods: it needs joint(2).rom",
             c->name);
  }
  if (body && body->kind == V_STRUCT && td_value_count(body) > 2)
    td_error(&c->spec->diags, TD_E_MODEL, at_field(c, "body"),
             "%s.body has %d elements: body(1) is for nodes, body(2) for edges that are rods",
             c->name, td_value_count(body));
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
