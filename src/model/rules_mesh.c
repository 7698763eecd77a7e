// Meshes: their fields, and their rules: one source of geometry, what belongs to nodes, to edges
// and to diagonals.
#include <math.h>
#include <string.h>

#include "model/meshes.h"
#include "model/structure.h"

static const td_field fields[] = {
    {"mesh", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "nets: a mass at each node, a spring or beam along each edge; the nodes are bodies numbered "
     "after those written"},
    {"mesh.name", FIELD_STR, "", "", "", FIXED, "", "", "name in messages and results; unique"},
    {"mesh.file_name", FIELD_STR, "", "", "", FIXED, "", "",
     "wireframe to read: an IGES file (.igs, .iges) or an STL file (.stl), beside the model"},
    {"mesh.tol", FIELD_NUM, "1", "extent/1e6", "m", FIXED, "", ">= 0",
     "nodes of the file within this distance are one"},
    {"mesh.chord", FIELD_NUM, "1", "extent/100", "m", FIXED, "", "> 0",
     "largest distance between a curve of the file and the edges that replace it"},
    {"mesh.unit", FIELD_NUM, "1", "as the IGES file says; 1e-3 for STL", "m", FIXED, "", "> 0",
     "length of one unit of the file"},
    {"mesh.grid", FIELD_INT, "1|1x2|1x3", "", "", FIXED, "", ">= 1",
     "instead of a file: nodes along x, y and z"},
    {"mesh.size", FIELD_NUM, "1|1x2|1x3", "1 each", "m", FIXED, "", "> 0",
     "extent of the grid along x, y and z, from the origin"},
    {"mesh.node", FIELD_NUM, "mx3", "", "m", FIXED, "", "",
     "instead of a file: a row of coordinates for each node"},
    {"mesh.edge", FIELD_INT, "mx2", "", "", FIXED, "", ">= 1",
     "with `node`: a row with the numbers of two nodes for each edge"},
    {"mesh.fixed", FIELD_NODES, "", "edge of a grid, ends of others", "", FIXED, "",
     "edge|corners|frame|ends|none",
     "nodes fixed to the ground: a grid's first row ('edge'), corners or boundary ('frame'); nodes "
     "with a single edge ('ends'); or their numbers"},
    {"mesh.tr", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "fixed transformations from the ground to the mesh, in order: each moves, then turns"},
    {"mesh.tr.trans", FIELD_NUM, "1x3", "[0 0 0]", "m", FIXED, "", "", "translation"},
    {"mesh.tr.rot", FIELD_NUM, "1x2|1x3|1x4", "[0 0]", "rad", FIXED, "", "",
     "rotation: [axis angle]; three angles; [0 x y z] with norm([x y z]) < 1, the vector part of a "
     "unit quaternion; otherwise [angle axis]"},
    {"mesh.body", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "body(1): the mass at each node; body(2), with `joint(2).rom`: that of the edges per length"},
    {"mesh.body.m", FIELD_NUM, "nx1", "1e-9", "kg", PARAM, "", ">= 0",
     "mass of a node; one number for all, or one for each node; of body(2) mass per length"},
    {"mesh.body.I", FIELD_NUM, "3x3xn", "1e-9*eye(3)", "kg m^2", PARAM, "", "",
     "inertia of a node that turns, in the axes of the mesh; of body(2) per length, diagonal, in "
     "those of the edge"},
    {"mesh.fluid", FIELD_STRUCT, "1", "", "", FIXED, "", "",
     "what the fluid does to the edges, where `fluid.rho` is not 0; diagonals are left out"},
    {"mesh.fluid.width", FIELD_NUM, "nx1", TD_REQUIRED, "m", PARAM, "", "> 0",
     "diameter of an edge; one number for all, or one for each edge"},
    {"mesh.fluid.drag", FIELD_NUM, "1x2|1x3", "[1.1 0.01]", "", PARAM, "", ">= 0",
     "coefficients C across and along an edge: force per length -rho/2*width*C*abs(v)*v; as a "
     "rod's, [x y z] with x and y the same"},
    {"mesh.joint", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "joint(1): the freedom of a node; joint(2): what each edge is; joint(3): what the diagonals "
     "of a grid's cells are"},
    {"mesh.joint.rom", FIELD_STRUCT, "1", "", "", FIXED, "", "",
     "joint(2): makes each edge a polynomial rod that is clamped to both of its nodes; spring, "
     "damp "
     "and input are then per length, as those of `joint.rom`"},
    {"mesh.joint.rom.order", FIELD_INT, "1", TD_REQUIRED, "", FIXED, "", ">= 1",
     "polynomial order"},
    {"mesh.joint.rom.points", FIELD_NUM, "1|2xm", "", "", FIXED, "", ">= 0",
     "quadrature points, as `rod.points`"},
    {"mesh.joint.tr", FIELD_STRUCT, "1", "", "", FIXED, "", "",
     "joint(1): how a node moves; joint(2) with `rom`: all components are `inf`"},
    {"mesh.joint.tr.trans", FIELD_NUM, "1x3", "[inf inf inf]", "", FIXED, "inf", "",
     "directions it moves along (inf), in the world; 0 in others"},
    {"mesh.joint.tr.rot", FIELD_NUM, "1x4", "", "", FIXED, "inf", "",
     "[0 inf inf inf] or [inf inf inf inf]: it turns freely, by a whole quaternion"},
    {"mesh.joint.dof", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "joint(1): the directions a node moves along, in order"},
    {"mesh.joint.dof.rate", FIELD_NUM, "nx1", "0", "m/s", PARAM, "", "", "initial velocity"},
    {"mesh.joint.dof.spring", FIELD_STRUCT, "1", "", "", FIXED, "", "", "spring to the ground"},
    {"mesh.joint.dof.spring.coeff", FIELD_NUM, "nx1", "0", "N/m", FORCE, "", "", "stiffness"},
    {"mesh.joint.dof.spring.init", FIELD_NUM, "nx1", "nan", "m", FORCE, "nan", "",
     "rest value; nan is where the node starts"},
    {"mesh.joint.dof.damp", FIELD_STRUCT, "1", "", "", FIXED, "", "", "damper to the ground"},
    {"mesh.joint.dof.damp.visc", FIELD_NUM, "nx1", "0", "N s/m", FORCE, "", "", "viscosity"},
    {"mesh.joint.dof.damp.pow", FIELD_NUM, "nx1", "1", "", PARAM, "", "> 0", "power of the law"},
    {"mesh.joint.dof.input", FIELD_NUM, "nx1", "0", "N", FORCE, "", "", "force along it"},
    {"mesh.joint.dir", FIELD_INT, "nx1|nx3", "0", "", FIXED, "", "-1|0|1",
     "1 acts in elongation only (a thread), -1 in compression only, 0 in both"},
    {"mesh.joint.xaxis", FIELD_NUM, "nx3", "", "", FIXED, "", "",
     "direction of the x axis of a beam whose z axis runs along its edge"},
    {"mesh.joint.beam", FIELD_STRUCT, "1", "", "", FIXED, "", "",
     "how a six-column spring measures strain"},
    {"mesh.joint.beam.frame", FIELD_STR, "", "first", "", FIXED, "", "first|mid",
     "axes of its first node, or of the frame half-way between the two: then z runs along the edge "
     "and the beam is of second order"},
    {"mesh.joint.spring", FIELD_STRUCT, "1", "", "", FIXED, "", "",
     "spring of an edge: one column acts along it, six make a beam"},
    {"mesh.joint.spring.coeff", FIELD_NUM, "nx1|nx6", "0", "N/m, N m/rad", FORCE, "", "",
     "stiffness; one row for all edges, or one for each"},
    {"mesh.joint.spring.init", FIELD_NUM, "nx1|nx6", "nan", "m, rad", FORCE, "nan", "",
     "rest length, or rest values of the six; nan takes them from the geometry"},
    {"mesh.joint.spring.compr", FIELD_NUM, "nx1|nx6", "1", "", FORCE, "", "(0,1]",
     "factor on the rest values: below 1 the edge is under tension at `init`"},
    {"mesh.joint.damp", FIELD_STRUCT, "1", "", "", FIXED, "", "", "damper of an edge"},
    {"mesh.joint.damp.visc", FIELD_NUM, "nx1|nx6", "0", "N s/m, N m s/rad", FORCE, "", "",
     "viscosity"},
    {"mesh.joint.damp.pow", FIELD_NUM, "nx1|nx6", "1", "", PARAM, "", "> 0",
     "power p of the law -visc*abs(u)^p*sign(u)"},
    {"mesh.joint.damp.along", FIELD_FLAG, "1", "1, from a file 0", "", FIXED, "", "",
     "with one column: 1 damps the change of length, 0 each component of the relative velocity in "
     "the world, as published for CAD files"},
    {"mesh.joint.input", FIELD_NUM, "nx1|nx6", "0", "N, N m", FORCE, "", "",
     "force along the edge, or the six of a beam"},
    {.path = NULL},
};

// ---- the freedom of a node --------------------------------------------------------------------

// Check that a node moves freely along an axis or not at all, and along one at least.
static void check_translation(td_spec* spec, const checked* c) {
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

// Check that a node turns freely or not at all.
static void check_rotation(td_spec* spec, const checked* c) {
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
  mesh_words w;
  const char* name;
} mesh_check;

// A file, a grid, or nodes and edges: exactly one.
static void check_source(const mesh_check* c) {
  td_diags* diags = &c->spec->diags;
  const bool file = c->w.file_name, grid = c->w.grid, node = c->w.node, edge = c->w.edge;
  if (file + grid + (node || edge) != 1) {
    td_error(diags, TD_E_MODEL, td_check_element_at(&c->spec->diags, c->w.s, c->w.k),
             "%s must have exactly one of file_name, grid, or node and edge", c->name);
  } else if (node != edge) {
    td_error(diags, TD_E_MODEL, td_check_field_at(diags, c->w.s, c->w.k, node ? "node" : "edge"),
             "%s.%s is missing: `node` and `edge` belong together", c->name,
             node ? "edge" : "node");
  }
  static const char* const of_files[] = {"tol", "chord", "unit"};
  for (int k = 0; k < 3 && !file; k++)
    td_check_unused(c->spec, c->w.s, c->w.k, c->name, of_files[k], "it belongs to file_name");
  if (!grid) td_check_unused(c->spec, c->w.s, c->w.k, c->name, "size", "it belongs to grid");
}

// Fields of joint(k) that belong to the other kind.
static void refuse_fields(const mesh_check* c, int k, const char* const* names, int n,
                          const char* why) {
  for (int f = 0; f < n; f++)
    if (td_get(c->w.joints, k, names[f]))
      td_error(&c->spec->diags, TD_E_MODEL, td_get_at(c->w.joints, k, names[f]),
               "%s.joint(%d).%s: %s", c->name, k + 1, names[f], why);
}

// Edges that are polynomial rods: what they need and what they cannot have.
static void check_rods(const mesh_check* c) {
  static const char* const without[] = {"dir", "beam", "dof"};
  td_diags* diags = &c->spec->diags;
  const joint_words* edges = &c->w.joint[1];
  const tr_words tr = tr_read(edges->tr, 0);
  const td_span at = td_get_at(c->w.joints, 1, "rom");
  refuse_fields(c, 1, without, 3, "an edge with `rom` is a polynomial rod and has none");

  // nodes and edges move and turn in all directions
  if (!tr_read(c->w.joint[0].tr, 0).rot)
    td_error(diags, TD_E_MODEL, at,
             "%s.joint(2).rom clamps each edge to its nodes, which must turn: write "
             "%s.joint(1).tr.rot = [0 inf inf inf]",
             c->name, c->name);
  static const char* const parts[] = {"trans", "rot"};
  for (int p = 0; p < 2; p++) {
    const value* v = p == 0 ? tr.trans : tr.rot;
    for (int k = p; v && k < td_value_count(v); k++) {  // the scalar part may be 0
      double x;
      if (!td_check_constant(c->spec, v, k, &x) || isinf(x)) continue;
      td_error(
          diags, TD_E_MODEL, td_get_at(edges->tr, 0, parts[p]),
          "%s.joint(2).tr.%s must be inf throughout: an edge with `rom` moves and turns in all "
          "directions",
          c->name, parts[p]);
      break;
    }
  }

  // stiffness, damping and mass are those of a rod, per length
  if (!edges->law.coeff)
    td_error(diags, TD_E_MODEL, at,
             "%s.joint(2).spring.coeff is missing: the stiffness per length of the edges, "
             "[G*A G*A E*A E*I E*I G*J]",
             c->name);
  if (edges->law.along)
    td_error(diags, TD_E_MODEL, td_get_at(edges->law.damp, 0, "along"),
             "%s.joint(2).damp.along: the damping of a polynomial rod acts on its strain rates",
             c->name);
  if (!c->w.edge_m)
    td_error(diags, TD_E_MODEL, at,
             "%s.body(2).m is missing: the mass per length of the edges (body(1) is that of the "
             "nodes)",
             c->name);
  if (c->w.fluid)
    td_error(diags, TD_E_MODEL, td_get_at(c->w.s, c->w.k, "fluid"),
             "%s.fluid is for edges that are springs or beams; rods in a fluid are written as rods",
             c->name);
}

// Check the joints of a mesh: joint(1) frees the nodes, joint(2) and joint(3) are the laws of edges
// and diagonals.
static void check_joints(const mesh_check* c) {
  static const char* const of_edges[] = {"spring", "damp", "input", "dir", "xaxis", "beam"};
  static const char* const of_nodes[] = {"tr", "dof"};
  const joint_words* joint = c->w.joint;
  const int n = c->w.njoint;
  if (n > 3) {
    td_error(&c->spec->diags, TD_E_MODEL,
             td_check_field_at(&c->spec->diags, c->w.s, c->w.k, "joint"),
             "%s.joint has %d elements: joint(1) is for nodes, joint(2) for edges, joint(3) for "
             "diagonals",
             c->name, n);
    return;
  }
  const value* body = c->w.body;
  const bool rods = joint[1].rom;
  if (!has_law(&joint[1].law) && !rods) {
    td_error(&c->spec->diags, TD_E_MODEL,
             td_check_field_at(&c->spec->diags, c->w.s, c->w.k, "joint"),
             "%s.joint(2) is missing: it says what each edge is (spring, damp or input)", c->name);
    return;
  }
  refuse_fields(c, 0, of_edges, 6, "joint(1) is the freedom of the nodes");
  for (int k = 0; k < n; k++)
    if (k != 1 && joint[k].rom)
      td_error(&c->spec->diags, TD_E_MODEL, td_get_at(c->w.joints, k, "rom"),
               "%s.joint(%d).rom: only edges, joint(2), may be polynomial rods", c->name, k + 1);
  for (int k = rods ? 2 : 1; k < n && k < 3; k++)
    refuse_fields(c, k, of_nodes, 2, "it belongs to joint(1), the freedom of the nodes");
  if (rods) {
    check_rods(c);
  } else if (body && body->kind == V_STRUCT && td_value_count(body) > 1) {
    td_error(
        &c->spec->diags, TD_E_MODEL, td_check_field_at(&c->spec->diags, c->w.s, c->w.k, "body"),
        "%s.body(2) is the mass per length of edges that are rods: it needs joint(2).rom", c->name);
  }
  if (body && body->kind == V_STRUCT && td_value_count(body) > 2)
    td_error(&c->spec->diags, TD_E_MODEL,
             td_check_field_at(&c->spec->diags, c->w.s, c->w.k, "body"),
             "%s.body has %d elements: body(1) is for nodes, body(2) for edges that are rods",
             c->name, td_value_count(body));
  if (n == 3 && !c->w.grid)
    td_error(&c->spec->diags, TD_E_MODEL,
             td_check_field_at(&c->spec->diags, c->w.s, c->w.k, "joint"),
             "%s.joint(3) is for the diagonals of a grid, and the mesh is none", c->name);
}

// Check one mesh: where its nodes come from, which are fixed, its joints.
static void check(td_spec* spec, const value* s, int i, const char* name) {
  const mesh_check c = {spec, td_mesh_read(s, i), name};
  const char* fixed = c.w.fixed && c.w.fixed->kind == V_STR ? c.w.fixed->s : "none";
  check_source(&c);
  if (!c.w.grid && strcmp(fixed, "ends") != 0 && strcmp(fixed, "none") != 0)
    td_error(&spec->diags, TD_E_MODEL, td_get_at(s, i, "fixed"),
             "%s.fixed = '%.20s' belongs to a grid; use 'ends', 'none' or node numbers", name,
             fixed);
  check_joints(&c);
}

static const td_rule rules[] = {
    {"mesh", .element = check},
    {"mesh", .element = td_check_mesh_in_fluid},
    {"mesh.body.I", .value = td_check_inertias},
    {"mesh.tr.rot", .value = td_check_rotation},
    {"mesh.joint.tr.rot", .value = check_rotation},
    {"mesh.joint.tr.trans", .value = check_translation},
    {"mesh.joint.xaxis", .value = td_check_directions},
    {.path = NULL},
};

const td_structure td_structure_mesh = {
    .fields = fields,
    .rules = rules,
    .plural = "meshes",
    .intro =
        "A mesh is a net: a mass at each node, a spring, damper or beam along each edge. Its "
        "geometry comes from a CAD file, from `grid`, or from `node` and `edge`. "
        "[meshes.md](meshes.md) says which files are read and how nodes are numbered.\n\n"
        "`at(mesh(k), i)` is node i as a place, for joints, links, loads and sensors: "
        "`pos(mesh(1), 17)`, `vel`, `acc`, `rot`, `quat` and `omega` are about a node, "
        "`length(mesh(1), 5)`, `stretch` and `force` about an edge. Nodes are also bodies, "
        "numbered after those written.",
    .example =
        "mesh(1).grid = [5 4];                    % a hanging cloth, its upper edge held\n"
        "mesh(1).size = [0.4 0.3];\n"
        "mesh(1).tr.rot = [1 -pi/2];\n"
        "mesh(1).body.m = 0.01;\n"
        "mesh(1).joint(1).tr.trans = [inf inf inf];\n"
        "mesh(1).joint(2).spring.coeff = 80;\n"
        "mesh(1).joint(2).spring.init = nan;\n"
        "mesh(1).joint(2).damp.visc = 0.05;\n"
        "mesh(1).joint(3).spring.coeff = 20;      % diagonals\n"
        "sensor(1).name  = 'hem';\n"
        "sensor(1).value = pos(mesh(1), 18);\n",
};
