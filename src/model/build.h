// Compiling a spec, in the order of the files: places and the tree (build_tree.c), one joint's
// transformations (build_joint.c), links, loads and constraints (build_links.c), expressions and
// tapes (build_expr.c).
#ifndef TD_BUILD_H
#define TD_BUILD_H

#include <limits.h>

#include "model/arrays.h"
#include "model/joints.h"
#include "model/rod_words.h"
#include "model/spec.h"

// A body and some of its elements; body 0: ground.
typedef struct place {
  int body;
  int rod;       // from 1, 0: not on a rod
  double arc;    // arc length on it
  int n;         // elements named
  int* element;  // from 1; 0: ground
  td_span at;
} place;

// A step of a main joint: a fixed transformation tr(i), or a hop.
typedef struct item {
  int tr;  // fixed: index of the transformation, -1: this is a hop
  hop_kind kind;
  bool turns, moves;
  num axis, pitch;  // screws and circles
  int free[3];      // charts: local DOF of each component, -1: constant
  bool vector;      // balls and circles: dof(i) are the numbers after the scalar part
  bool typed;       // balls: made by `type`, not by a quaternion in `tr`
  num value;        // charts: constant components
  int dof, ndof;    // which of the joint's dof(i), from 0
  int nq, nv;
} item;

typedef struct build_joint {
  joint_words w;  // `tr` of the base joint of a rod is that of the rod
  place first, second;
  bool main;
  bool rom;  // makes a polynomial rod: no hops of its own
  int nelement;
  item* items;  // main joints
  int nitem, item_cap;
  int ndof;            // dof(i) per element
  int *dof_q, *dof_v;  // nelement x ndof: coordinate of each, -1: none (fourth number of a
                       // quaternion has no velocity)
} build_joint;

// A stretch of a rod with fields of its own (rod_parts.c): element `at` of `s` has them all.
typedef struct rod_part {
  const value* s;
  int at;
  rod_words w;
  double from, length;    // where it begins, how long it is, at the parameters' present values
  ex from_ex, length_ex;  // the same as expressions of parameters
  int first, n;           // its segments: first (from 0), how many; n is also a polynomial order
  // the part as it is written, of which this is all or, in a refined rod, a stretch (rod_refine.c)
  double whole_from, whole_length;
  int whole, whole_n;
} rod_part;

// A place of a rod whose share of its part follows parameters (rod_arcs.c): an end of a cable or a
// chamber that cuts the rod, or a place that the user wrote.
typedef struct rod_mark {
  double arc;  // at the parameters' present values [m]
  ex share;    // (arc - from)/length of its part
} rod_mark;

// Where a rod's frames are.
typedef struct build_rod {
  int joint;    // the joint with `rom` that makes it, -1: it is written as a rod
  rod_words w;  // as written, without what its parts have of their own
  double length;
  int n;           // segments of all parts
  rod_part* part;  // npart >= 1 of a written rod; 0 of a joint's
  int npart;
  value* parts;        // the struct array behind `part`, NULL: the rods themselves
  bool middle_joints;  // pieces turn at segment middles (srl), nodes at segment ends otherwise
  bool moves;          // some arc length on it follows parameters
  rod_mark* border;    // where parts begin and end and where something cuts them, ascending
  int nborder, border_cap;
  rod_mark* mark;  // places with an expression of their own, found by their arc length
  int nmark, mark_cap;
  rod_mark side[2];  // ends of a step aside to a marked place, while it is built
  bool aside;
  double* arc;        // n + 1: where segments end, 0 is the base
  int* hop;           // n + 1: hop of each piece or node, 0 is the base
  int fix, nfix;      // of the base
  double* point_arc;  // polynomial model: arc length and hop of each frame
  int* point_hop;
  int npoint, arc_cap, hop_cap;
  // coordinates of a strain field that is written out: the first of each, how many, the variable of
  // the first one's acceleration
  int coord_q, coord_v, coords, coord_accel;
  bool placed;
} build_rod;

typedef struct build_mesh build_mesh;  // see meshes.h
struct cable_words;

typedef struct builder {
  td_spec* spec;
  td_model* m;
  td_diags* diags;
  const value *bodies, *joints, *loads, *rods, *chambers, *cables, *meshes, *fluid,
      *contacts;                 // NULL when absent
  value *own_rods, *own_joints;  // with the edges of meshes that are rods, NULL: none are
  int nbody, njoint, nload;
  int nrod;            // rods as written, edges of meshes, rods of joints with `rom`
  build_joint* joint;  // as written, then the base joints of the rods
  build_rod* rod;
  struct cable_words* cable;  // as written (cables.h)
  int nmesh, nnode;           // nodes of all meshes: bodies nbody + 1, nbody + 2, ...
  int nnode_v;                // and their velocities
  build_mesh* mesh;
  int* body_main;   // joint of each body (from 0), -1: none, BODY_NODE: a node of a mesh
  int* body_first;  // first instance (index into m->body) of each body, from 1
  int* body_count;
} builder;
enum { BODY_NODE = -2 };

// places
td_status td_build_place(builder* b, const value* v, td_span at, const char* what, place* out);
// Every element it names exists; one of them, or one for each of n things.
td_status td_build_check_place(builder* b, const place* p, int n, const char* what);
int td_build_rom_of(const builder* b, int body);  // the rod that is this body, from 1; 0: none
int td_build_instance(const builder* b, const place* p,
                      int k);  // instance of the k-th element (broadcast), -1 ground
// The frame of a place: hop and the fixed transformations behind it (copied to the end of the
// model's list).
td_status td_build_anchor(builder* b, const place* p, int k, int* hop, int* fix, int* nfix);

// Where joint j was written: the first of these fields it has, else its first one.  Fields end with
// NULL.
td_span td_build_joint_at(const builder* b, int joint, const char* const* fields);

// numbers: a field's entry as an expression, broadcast over elements and columns
ex td_build_pick(builder* b, const value* v, int element, int nelement, int col, int ncol,
                 double fallback);
num td_build_number(builder* b, ex e);  // NUM_NONE: out of memory
num td_build_numbers(builder* b, const value* v, int element, int nelement, int ncol,
                     double fallback);
num td_build_constants(builder* b, const double* x, int n);

// stages
td_status td_build_tree(builder* b);
td_status td_build_places(builder* b);  // hops and masses, called by td_build_tree
td_status td_build_links(builder* b);
td_status td_build_loads(builder* b);
td_status td_build_fluid(builder* b);
td_status td_build_contacts(builder* b);
td_status td_build_cables(builder* b);  // when all pieces of rods are made
// Hops, masses, strains and loads of a rod whose base frame is given.
td_status td_build_rod(builder* b, int rod, int hop, int fix, int nfix);
// The piece or node of a placed rod at an arc length, and the distance from its frame along the
// rod.
void td_build_rod_point(builder* b, int rod, double arc, int* hop, ex* offset);
// Where on its rod, which exists, a sensor is.
// The rod that a sensor is on, from 1: its own, or the one that its body is (joint.rom) where an
// arc length is given; 0: none.
int td_build_sensor_rod(const builder* b, const td_sensor_ref* ref);
double td_build_sensor_arc(const builder* b, const td_sensor_ref* ref);
// The part of a rod at an arc length, from 0; at a boundary the one that ends there.
int td_build_rod_part(const builder* b, int rod, double arc);
// Transformation tr(i) without its free elements; its translation or its rotation may be left out.
// Four numbers of a rotation are a quaternion, or angle and axis.
td_status td_build_fix(builder* b, const value* tr, int i, bool quaternion, bool translation,
                       bool rotation);
td_status td_build_push_offset(builder* b, ex z);  // a fixed translation along z
void td_build_rod_name(const builder* b, int rod, char* out, size_t size);
// A list of expressions that grows; false: no memory.
typedef struct ex_list {
  ex* e;
  int n, cap;
} ex_list;
bool td_list_add(ex_list* list, ex e);
// Internal states with their rates; outputs and events, whose expressions are listed; probes.
td_status td_build_internals(builder* b);
td_status td_build_outputs(builder* b, ex_list* list);
td_status td_build_events(builder* b, ex_list* list);
td_status td_build_probes(builder* b);
td_status td_build_expressions(builder* b);
// Tasks: their numbers before slots are sorted, their tapes once the model has its graph and
// probes.
// Inputs that a controller or a task sets: list(k).inputs, all of the model when it has none.
enum { MOST_DRIVES = 64 };
typedef struct drive_list {
  builder* b;
  const char* element;  // "control", "task"
  int k;                // from 0
  const value *inputs, *limits;
  td_span at, limits_at;  // `at`: of .inputs, or what a message points to when there are none
} drive_list;
drive_list td_build_drives(builder* b, const char* element, const value* list, int k, td_span at);
td_status td_build_drive_count(const drive_list* l, int* n);
td_status td_build_drive(const drive_list* l, int i, int* input, td_span* at);
td_status td_build_drive_limits(const drive_list* l, int i, num* low, num* high);
td_status td_build_loop_numbers(builder* b);
td_status td_build_loop_tapes(builder* b);
td_status td_build_task_numbers(builder* b);
td_status td_build_task_tapes(builder* b);

// Meshes: their geometry, so that the numbers of bodies are known; the nodes, as instances from
// `instance` on; what is between them.
build_mesh* td_build_mesh_new(const value* meshes, int n);
td_status td_mesh_rods(builder* b);  // edges that are rods, before rods and joints are counted
td_status td_build_mesh_open(builder* b);
td_status td_build_mesh_names(builder* b);  // each is listed after the joints, with its edges
td_status td_build_mesh_nodes(builder* b, int instance);
td_status td_build_mesh_links(builder* b);
void td_build_mesh_close(builder* b);
// The body number of a node, both from 1; `what` names the place in messages.
td_status td_build_node(builder* b, int mesh, int node, td_span at, const char* what, int* body);
// "mesh(1).node(17)" of a body number
void td_build_node_name(const builder* b, int body, char* out, size_t size);

// The steps of a main joint, from tr, type and axis.
td_status td_build_items(builder* b, int joint);
// Hops of one element of a main joint, from hop `parent`; *hop: where it ends, with trailing fixed
// transformations.
// A hop without freedom, so that what lies beyond it is told from what carries it.
td_status td_build_still(builder* b, int parent, int fix, int nfix);
td_status td_build_chain(builder* b, int joint, int element, int parent, int* hop, int* fix,
                         int* nfix);
// A list of fixed transformations (tr, tr2nd): *fix, *nfix in the model.
td_status td_build_fixes(builder* b, const value* list, bool quaternion, int* fix, int* nfix);
// The station of `refbody` of element e of n, -1: the world; `what` names the field.
td_status td_build_reference(builder* b, const value* s, int i, const char* what, int e, int n,
                             int* station);
// A station at the k-th element of a place, moved by a list of fixed transformations (may be NULL).
td_status td_build_station(builder* b, const place* p, int k, const value* list, bool quaternion,
                           const char* name, int* station);
// x / |x| without overflow; false: zero.
bool td_unit_vector(double x[3]);
// Two unit vectors that complete n to a right-handed frame (t1, t2, n); principal axes give
// principal axes.
void td_complete_frame(const double n[3], double t1[3], double t2[3]);
// The same as expressions of parameters.
void td_complete_frame_ex(builder* b, const ex n[3], ex t1[3], ex t2[3]);
// Row r of the `axis` of a joint, which is not zero, as a unit vector; the fallback where it is
// absent.
void td_joint_axis(builder* b, const joint_words* w, int r, const double fallback[3], ex out[3]);

// names: "elbow" or "joint(3)", with "[k]" when repeated
typedef char plain_name[32];
// The name that element i of a structure has, or "joint(3)", written to `plain`.
const char* td_build_name(const value* s, int i, const char* root, plain_name plain);
// "joint(3)" or "rod(1).joint", as the user writes it
void td_build_joint_path(const builder* b, int joint, char* out, size_t size);
void td_build_joint_name(const builder* b, int joint, int element, char* out, size_t size);
void td_build_body_name(const builder* b, int body, int element, char* out, size_t size);

// Put the hops into depth-first order, so that every subtree is a contiguous range.  *renumbered
// (to be freed): the new number of each hop.
td_status td_sort_hops(td_model* m, int** renumbered);

// Is element i of a translation or rotation free (inf makes a degree of freedom), or a written 0?
static inline bool value_is_free(const value* v, int i) {
  return !(v->e && v->e[i] != EX_NONE) && isinf(v->x[i]);
}
static inline bool value_is_zero(const value* v, int i) {
  return !(v->e && v->e[i] != EX_NONE) && v->x[i] == 0;
}

// A number that the check found whole and not negative.
static inline int whole(double x) { return x < INT_MAX ? (int)x : INT_MAX; }

#endif
