// Meshes: every node is a body of its own, free in the world or fixed to it; every edge is a
// spring, damper or beam between two nodes.  Numbers that are the same for all nodes or edges share
// one slot, so that a node costs little memory.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/field.h"
#include "model/mesh_edges.h"
#include "model/rules.h"

void td_mesh_name(const builder* b, int mesh, char* out, size_t size) {
  plain_name plain;
  snprintf(out, size, "%s", td_build_name(b->meshes, mesh, "mesh", plain));
}

int td_mesh_of(const builder* b, int body) {
  for (int k = b->nmesh - 1; k >= 0; k--)
    if (body >= b->mesh[k].body) return k;
  return -1;
}

void td_mesh_warn_torque(builder* b, const place* on, td_span at, const char* what) {
  const int k = on->rod > 0 ? -1 : td_mesh_of(b, on->body);
  char name[100];
  if (k < 0 || b->mesh[k].turns) return;
  td_mesh_name(b, k, name, sizeof name);
  td_warn(b->diags, at, "%s has no effect: the nodes of %s do not turn", what, name);
  td_more(b->diags, "give them %s.joint(1).tr.rot = [0 inf inf inf] and an inertia", name);
}

void td_build_node_name(const builder* b, int body, char* out, size_t size) {
  const int k = td_mesh_of(b, body);
  char name[100];
  td_mesh_name(b, k, name, sizeof name);
  snprintf(out, size, "%s.node(%d)", name, body - b->mesh[k].body + 1);
}

td_status td_build_node(builder* b, int mesh, int node, td_span at, const char* what, int* body) {
  if (mesh < 1 || mesh > b->nmesh)
    return td_error(b->diags, TD_E_MODEL, at, "%s: there is no mesh(%d), the model has %d", what,
                    mesh, b->nmesh);
  const int n = b->mesh[mesh - 1].wire->nnode;
  if (node < 1 || node > n)
    return td_error(b->diags, TD_E_MODEL, at, "%s: mesh(%d) has %d nodes, got node %d", what, mesh,
                    n, node);
  *body = b->mesh[mesh - 1].body + node - 1;
  return TD_OK;
}

// ---- counting ---------------------------------------------------------------------------------

build_mesh* td_build_mesh_new(const value* meshes, int n) {
  build_mesh* mesh = calloc((size_t)n + 1, sizeof(build_mesh));
  for (int k = 0; mesh && k < n; k++) mesh[k].w = td_mesh_read(meshes, k);
  return mesh;
}

td_status td_build_mesh_names(builder* b) {
  for (int k = 0; k < b->nmesh; k++) {
    const build_mesh* mesh = &b->mesh[k];
    const td_wire* w = mesh->wire;
    char name[100];
    td_mesh_name(b, k, name, sizeof name);
    model_joint* joint = td_push_joint(b->m, 1);
    model_mesh* out = td_push_mesh(b->m, 1);
    if (!joint || !out) return TD_E_NOMEM;
    *out = (model_mesh){.name = td_push_name(b->m, "%s", name),
                        .station = mesh->instance,
                        .nnode = w->nnode,
                        .body = mesh->body,
                        .edge_kind = mesh->edge_kind,
                        .diagonal_kind = mesh->diagonal_kind,
                        .edge = mesh->edge,
                        .diagonal = mesh->diagonal,
                        .nedge = mesh->rod > 0 ? 0 : mesh->nedge,
                        .nrod = mesh->rod > 0 ? mesh->nedge : 0,
                        .rod = mesh->rod,
                        .ndiagonal = w->nedge - mesh->nedge};
    for (int i = 0; i < w->nnode; i++) out->nfixed += mesh->fixed[i];
    *joint = (model_joint){.name = out->name, .nelement = w->nedge};
    for (int e = 0; e < out->nrod; e++)
      for (int i = 0; i < 2; i++)
        b->m->rod[mesh->rod - 1 + e].nodes[i] = mesh->instance + w->edge[2 * e + i];
  }
  return TD_OK;
}

td_status td_build_mesh_open(builder* b) {
  for (int k = 0; k < b->nmesh; k++) {
    build_mesh* mesh = &b->mesh[k];
    if (!mesh->wire) TD_TRY(td_mesh_shape(b, k));
    mesh->body = b->nbody + b->nnode + 1;
    b->nnode += mesh->wire->nnode;
    long free = 0;
    for (int i = 0; mesh->fixed && i < mesh->wire->nnode; i++) free += !mesh->fixed[i];
    const long dofs = b->nnode_v + free * (mesh->nmove + 3 * mesh->turns);
    const td_span at = td_check_element_at(b->diags, b->meshes, k);
    if (b->nnode > b->spec->limits.nodes)
      return td_error(b->diags, TD_E_MODEL, at,
                      "the meshes have %d nodes together, they may have %d", b->nnode,
                      b->spec->limits.nodes);
    if (dofs > b->spec->limits.dofs)
      return td_error(
          b->diags, TD_E_MODEL, at,
          "mesh(%d): the model may have %d degrees of freedom, with this mesh it has %ld", k + 1,
          b->spec->limits.dofs, dofs);
    b->nnode_v = (int)dofs;
  }
  return TD_OK;
}

void td_build_mesh_close(builder* b) {
  for (int k = 0; b->mesh && k < b->nmesh; k++) {
    td_wire_free(&b->mesh[k].own);
    free(b->mesh[k].fixed);
  }
  free(b->mesh);
}

// ---- numbers ----------------------------------------------------------------------------------

static rows rows_of(const value* v, int n, int cols, double fallback) {
  rows r = {.v = v, .n = n, .cols = cols, .fallback = fallback};
  const char* shape = cols == 1 ? "nx1" : "nx1|nx6";
  r.each = v && n > 1 && (cols == 9 ? v->pages == n : td_field_fit(shape, v, n).rows == n);
  for (int c = 0; c < 9; c++) r.shared[c] = NUM_NONE;
  return r;
}

static num row_number(builder* b, rows* r, int element, int col) {
  if (r->each)
    return td_build_number(b, td_build_pick(b, r->v, element, r->n, col, r->cols, r->fallback));
  if (r->shared[col] == NUM_NONE)
    r->shared[col] = td_build_number(b, td_build_pick(b, r->v, 0, 1, col, r->cols, r->fallback));
  return r->shared[col];
}

// The rows of a field must be one or as many as there are elements.
static td_status check_rows(builder* b, int k, const value* v, td_span at, const char* shape,
                            const char* field, int n, const char* what) {
  if (!v || td_field_fit(shape, v, n).ok) return TD_OK;
  const int count = v->pages > 1 ? v->pages : v->rows > 1 ? v->rows : v->cols;
  return td_error(b->diags, TD_E_MODEL, at, "mesh(%d).%s has %d rows, but the mesh has %d %s",
                  k + 1, field, count, n, what);
}

static bool is_nan(const builder* b, num slot) {
  const ex e = b->m->number_ex[slot];
  return td_ex_is_const(b->spec->graph, e) && isnan(td_ex_value(b->spec->graph, e));
}

static bool is_number(const builder* b, num slot) {
  return (td_ex_depends(b->spec->graph, b->m->number_ex[slot]) & ~(unsigned)TD_ON_PARAM) == 0;
}

// ---- laws -------------------------------------------------------------------------------------

static const struct {
  const char* path;
  double fallback;
} law_fields[LAW_FIELDS] = {
    {"spring.coeff", 0}, {"spring.init", NAN}, {"spring.compr", 1},
    {"damp.visc", 0},    {"damp.pow", 1},      {"input", 0},
};

// Read the force laws (spring, damper, input) that element i of s gives to the n nodes, edges or
// diagonals of mesh k, and check the sizes of their fields.  `path` names s(i) in messages:
// "joint(2)" or "joint(1).dof(3)".
static td_status laws_open(builder* b, int k, const value* s, int i, int n, const char* path,
                           laws* out) {
  static const char* const shape = "nx1|nx6";
  const char* what = strchr(path, '.')               ? "nodes"
                     : strcmp(path, "joint(3)") == 0 ? "diagonals"
                                                     : "edges";
  const law_words w = td_law_read(s, i);
  const value* const written[LAW_FIELDS] = {w.coeff, w.init, w.compr, w.visc, w.pow, w.input};
  out->n = n;
  out->cols = 1;
  out->dir = w.dir;
  char field[48];

  // every field has one row or n; if one has six columns, as beams have, the laws have six
  for (int f = 0; f < LAW_FIELDS; f++) {
    const value* v = written[f];
    snprintf(field, sizeof field, "%s.%s", path, law_fields[f].path);
    TD_TRY(check_rows(b, k, v, td_law_at(s, i, law_fields[f].path), shape, field, n, what));
    if (v && td_field_fit(shape, v, n).cols == 6) out->cols = 6;
  }

  // fields that are missing take their defaults
  for (int f = 0; f < LAW_FIELDS; f++)
    out->field[f] = rows_of(written[f], n, out->cols, law_fields[f].fallback);

  // the direction has one column, or one for each axis where the laws have six columns
  if (!out->dir) return TD_OK;
  snprintf(field, sizeof field, "%s.dir", path);
  TD_TRY(check_rows(b, k, out->dir, td_get_at(s, i, "dir"), "nx1|nx3", field, n, what));
  out->dir_axes = td_field_fit("nx1|nx3", out->dir, n).cols == 3;
  if (!out->dir_axes || out->cols == 6) return TD_OK;
  td_error(b->diags, TD_E_MODEL, td_get_at(s, i, "dir"),
           "mesh(%d).%s has a number for each axis, but an edge with one column acts along its "
           "line only",
           k + 1, field);
  td_hint(b->diags, "write one number, or six columns in spring, damp or input for beams");
  return TD_E_MODEL;
}

// Make the law of one edge or diagonal, column col of the fields; rest values measured at the start
// are its own.
static td_status law_at_element(builder* b, laws* l, int element, int col, model_law* law) {
  num slot[LAW_FIELDS];
  for (int f = 0; f < LAW_FIELDS; f++) slot[f] = row_number(b, &l->field[f], element, col);
  if (b->m->failed) return TD_E_NOMEM;
  *law = (model_law){slot[0], slot[1], slot[2], slot[3], slot[4], slot[5], 0, false, false};
  law->rest_initial = is_nan(b, law->rest);
  // each has its own rest value, to be measured at the start
  if (law->rest_initial && !l->field[1].each)
    law->rest = td_build_number(b, b->m->number_ex[law->rest]);
  if (l->dir && col < 3)
    law->dir = (int8_t)td_ex_value(
        b->spec->graph,
        td_build_pick(b, l->dir, element, l->n, l->dir_axes ? col : 0, l->dir_axes ? 3 : 1, 0));
  law->potential = is_number(b, law->k) && is_number(b, law->rest) && is_number(b, law->compr);
  return b->m->failed ? TD_E_NOMEM : TD_OK;
}

// ---- nodes ------------------------------------------------------------------------------------

// Numbers that the nodes of a mesh share, or have each of their own.
typedef struct node_slots {
  rows m, I, rate[3];
  num zero;      // 9 zeros
  num rotation;  // 4: how the frames of the mesh are turned
  char name[100];
} node_slots;

// Check the fields of the nodes of mesh k, and prepare the numbers that its nodes share.
static td_status node_slots_open(builder* b, int k, node_slots* out) {
  const build_mesh* mesh = &b->mesh[k];
  const int n = mesh->wire->nnode;
  const mesh_words* w = &mesh->w;
  const value* dofs = w->joint[0].dof;
  const double zeros[9] = {0};
  const quat q = quat_mat3(mesh->place.R);
  const double turn[4] = {q.w, q.v.x, q.v.y, q.v.z};
  td_mesh_name(b, k, out->name, sizeof out->name);

  // as many rows as nodes
  TD_TRY(check_rows(b, k, w->m, td_get_at(w->body, 0, "m"), "nx1", "body.m", n, "nodes"));
  TD_TRY(check_rows(b, k, w->I, td_get_at(w->body, 0, "I"), "3x3xn", "body.I", n, "nodes"));
  if (dofs && td_value_count(dofs) > mesh->nmove)
    return td_error(b->diags, TD_E_MODEL, td_get_at(w->joints, 0, "dof"),
                    "mesh(%d).joint(1).dof(%d): a node moves along %d direction%s", k + 1,
                    td_value_count(dofs), mesh->nmove, mesh->nmove == 1 ? "" : "s");

  // rows for each node, or one for all
  out->m = rows_of(w->m, n, 1, 1e-9);
  out->I = rows_of(w->I, n, 9, 0);
  for (int c = 0; c < mesh->nmove; c++) {
    const value* rate = td_joint_dof(&w->joint[0], c).rate;
    char field[40];
    snprintf(field, sizeof field, "joint(1).dof(%d).rate", c + 1);
    TD_TRY(check_rows(b, k, rate, td_get_at(dofs, c, "rate"), "nx1", field, n, "nodes"));
    out->rate[c] = rows_of(rate, n, 1, 0);
  }
  out->zero = td_build_constants(b, zeros, 9);
  out->rotation = td_build_constants(b, turn, 4);
  return b->m->failed ? TD_E_NOMEM : TD_OK;
}

static vec3 node_place(const build_mesh* mesh, int i) {
  return pose_apply(mesh->place, vec3_of(mesh->wire->x + 3 * (size_t)i));
}

// A node that the ground holds.
static td_status ground_node(builder* b, const build_mesh* mesh, const node_slots* s, int i) {
  double x[3];
  vec3_put(x, node_place(mesh, i));
  const num at = td_build_constants(b, x, 3);
  model_fix* fix = td_push_fix(b->m, 1);
  if (!fix || at == NUM_NONE) return TD_E_NOMEM;
  *fix = (model_fix){.kind = ROT_QUATERNION, .trans = at, .rot = s->rotation};
  model_station* station = &b->m->station[mesh->instance + i];
  station->hop = -1;
  station->fix = b->m->nfix - 1;
  station->nfix = 1;
  return TD_OK;
}

// "mesh(1).node(17)" and "x" as one name.  There are many of them: they are not formatted.
static int push_joined(td_model* m, const char* name, size_t n, const char* what) {
  const int offset = m->nnames;
  char* at = td_push_names(m, (int)(n + strlen(what)) + 2);
  if (!at) return -1;
  memcpy(at, name, n);
  at[n] = '.';
  strcpy(at + n + 1, what);
  return offset;
}

// Add the positions and velocities of node i, in the directions in which it is free.
static td_status push_node_dofs(builder* b, int k, node_slots* s, int i) {
  static const char* const names[7] = {"x", "y", "z", "q0", "q1", "q2", "q3"};
  static const char* const rates[3] = {"omega_x", "omega_y", "omega_z"};
  const build_mesh* mesh = &b->mesh[k];
  td_model* m = b->m;
  const vec3 x = node_place(mesh, i);
  const char* name = model_name(m, m->station[mesh->instance + i].name);
  char node[128];
  const size_t length = strlen(name);
  memcpy(node, name, length + 1);  // the names may move while some are added
  const model_dof blank = {.mesh = k + 1, .element = i + 1, .motion = NUM_NONE, .partner = -1};
  for (int c = 0, n = 0; c < 7; c++) {
    if (c < 3 ? !mesh->move[c] : !mesh->turns) continue;
    model_dof* pos = td_push_pos(m, 1);
    if (!pos) return TD_E_NOMEM;
    *pos = blank;
    pos->dof = ++n;
    pos->name = push_joined(m, node, length, names[c]);
    pos->init = c < 3 ? td_build_number(b, td_ex_const(b->spec->graph, vec3_at(x, c)))
                      : s->rotation + c - 3;
    if (c == 6) continue;  // three velocities for the four numbers of a quaternion
    model_dof* vel = td_push_vel(m, 1);
    if (!vel) return TD_E_NOMEM;
    *vel = m->pos[m->npos - 1];
    if (c < 3) vel->partner = m->npos - 1;
    if (c >= 3) vel->name = push_joined(m, node, length, rates[c - 3]);
    vel->init = c < 3 ? row_number(b, &s->rate[n - 1], i, 0) : s->zero;
  }
  return m->failed ? TD_E_NOMEM : TD_OK;
}

// Where the directions stay that a node does not move along.
static num held_place(builder* b, const build_mesh* mesh, const node_slots* s, int i) {
  if (mesh->nmove == 3) return s->zero;
  double x[3];
  vec3_put(x, node_place(mesh, i));
  for (int c = 0; c < 3; c++)
    if (mesh->move[c]) x[c] = 0;
  return td_build_constants(b, x, 3);
}

// Add the hops of node i: a translation and, where nodes turn, a rotation.
static td_status push_node_hops(builder* b, const build_mesh* mesh, const node_slots* s, int i,
                                int q, int v) {
  td_model* m = b->m;
  const int n = mesh->nmove, first = m->ncol, at = m->nhop;
  const num held = held_place(b, mesh, s, i);
  model_hop* hop = td_push_hop(m, 1 + mesh->turns);
  model_col* col = td_push_col(m, n + 3 * mesh->turns);
  if (!hop || !col || held == NUM_NONE) return TD_E_NOMEM;

  // a translation along the directions in which it moves
  hop[0] = (model_hop){.kind = HOP_MOVE,
                       .parent = -1,
                       .fix = m->nfix,
                       .col = first,
                       .nv = n,
                       .q = q,
                       .v = v,
                       .nq = n,
                       .axis = NUM_NONE,
                       .pitch = NUM_NONE,
                       .value = held,
                       .group = at};
  for (int c = 0, j = 0; c < 3; c++)
    if (mesh->move[c]) {
      col[j] = (model_col){
          .hop = at, .v = v + j, .q = q + j, .part = c, .weight = NUM_NONE, .slope = NUM_NONE};
      j++;
    }
  m->station[mesh->instance + i].hop = m->nhop - 1;
  if (!mesh->turns) return TD_OK;

  // a rotation behind it
  hop[1] = (model_hop){.kind = HOP_BALL,
                       .parent = at,
                       .fix = m->nfix,
                       .col = first + n,
                       .nv = 3,
                       .q = q + n,
                       .v = v + n,
                       .nq = 4,
                       .axis = NUM_NONE,
                       .pitch = NUM_NONE,
                       .value = NUM_NONE,
                       .group = at + 1};
  for (int c = 0; c < 3; c++)
    col[n + c] = (model_col){.hop = at + 1,
                             .v = v + n + c,
                             .q = q + n + c,
                             .part = c,
                             .weight = NUM_NONE,
                             .slope = NUM_NONE};
  return TD_OK;
}

// Add the body of node i with its mass and inertia.
static td_status push_node_body(builder* b, int k, node_slots* s, int i) {
  td_model* m = b->m;
  const build_mesh* mesh = &b->mesh[k];
  const int at = mesh->instance + i;
  const value* I = s->I.v;
  const int page = s->I.each ? i : 0;
  num moments = s->I.shared[0];
  if (s->I.each || moments == NUM_NONE) {
    if (!td_push_number_ex(m, 9)) return TD_E_NOMEM;
    moments = m->nnumber_ex - 9;
    for (int c = 0; c < 9; c++)
      m->number_ex[moments + c] = I ? td_value_ex(I, page * 9 + c, b->spec->graph)
                                    : td_ex_const(b->spec->graph, c % 4 == 0 ? 1e-9 : 0);
    s->I.shared[0] = moments;
  }
  m->body[at] = (model_body){.station = at,
                             .m = row_number(b, &s->m, i, 0),
                             .com = s->zero,
                             .tip = s->zero,
                             .I = moments,
                             .body = mesh->body + i,
                             .element = 1};
  m->station[at].body = at;
  m->station[at].name = td_push_name(m, "%s.node(%d)", s->name, i + 1);
  return m->failed ? TD_E_NOMEM : TD_OK;
}

// Add all nodes of mesh k: fixed ones on the ground, free ones with coordinates and hops.
static td_status mesh_nodes(builder* b, int k) {
  build_mesh* mesh = &b->mesh[k];
  node_slots s;
  TD_TRY(node_slots_open(b, k, &s));
  for (int i = 0; i < mesh->wire->nnode; i++) {
    TD_TRY(push_node_body(b, k, &s, i));
    if (mesh->fixed[i]) {
      TD_TRY(ground_node(b, mesh, &s, i));
      continue;
    }
    const int q = b->m->npos, v = b->m->nvel;
    TD_TRY(push_node_dofs(b, k, &s, i));
    TD_TRY(push_node_hops(b, mesh, &s, i, q, v));
  }
  return TD_OK;
}

td_status td_build_mesh_nodes(builder* b, int instance) {
  for (int k = 0; k < b->nmesh; k++) {
    b->mesh[k].instance = instance;
    for (int i = 0; i < b->mesh[k].wire->nnode; i++)
      b->body_first[b->mesh[k].body + i] = instance + i;
    instance += b->mesh[k].wire->nnode;
    TD_TRY(mesh_nodes(b, k));
  }
  return TD_OK;
}

// ---- edges ------------------------------------------------------------------------------------

// Give a beam the numbers of its x axis, where one is written.
static td_status beam_axes(builder* b, edge_kind* kind, int e, model_beam* f) {
  if (!kind->xaxis) return TD_OK;
  const bool each = td_value_count(kind->xaxis) > 3;
  if (each || kind->shared_xaxis == NUM_NONE)
    kind->shared_xaxis =
        td_build_numbers(b, kind->xaxis, each ? e : 0, each ? kind->law.n : 1, 3, 0);
  f->xaxis = kind->shared_xaxis;
  f->frame = b->m->nbeam_frame++;
  return f->xaxis == NUM_NONE ? TD_E_NOMEM : TD_OK;
}

// Name, numbers and ends of an edge.
typedef struct edge_place {
  int name, joint, element, a, b;
} edge_place;

static edge_place place_of(builder* b, const edge_kind* kind, int e) {
  const build_mesh* mesh = &b->mesh[kind->mesh];
  const int* ends = mesh->wire->edge + 2 * (size_t)(kind->first + e);
  return (edge_place){td_push_name(b->m, "%s.%s(%d)", kind->name, kind->word, e + 1),
                      b->njoint + kind->mesh + 1, kind->first + e + 1, mesh->instance + ends[0],
                      mesh->instance + ends[1]};
}

// Add edge e as a segment of constant strain.
static td_status push_mid_beam(builder* b, edge_kind* kind, int e) {
  const build_mesh* mesh = &b->mesh[kind->mesh];
  const int* ends = mesh->wire->edge + 2 * (size_t)(kind->first + e);
  const edge_place at = place_of(b, kind, e);
  model_strain f = {
      .name = at.name, .joint = at.joint, .element = at.element, .a = at.a, .b = at.b};
  const double *x = mesh->wire->x + 3 * (size_t)ends[0], *y = mesh->wire->x + 3 * (size_t)ends[1];
  const double d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
  TD_TRY(td_mesh_mid_beam(b, kind, e, d, &f));
  model_strain* out = td_push_strain(b->m, 1);
  if (!out) return TD_E_NOMEM;
  *out = f;
  return TD_OK;
}

// Add edge e as a beam: six laws between its nodes.
static td_status push_beam(builder* b, edge_kind* kind, int e) {
  const edge_place at = place_of(b, kind, e);
  model_beam f = {.name = at.name,
                  .joint = at.joint,
                  .element = at.element,
                  .a = at.a,
                  .b = at.b,
                  .frame = -1,
                  .xaxis = NUM_NONE};
  TD_TRY(beam_axes(b, kind, e, &f));
  for (int d = 0; d < 6; d++) TD_TRY(law_at_element(b, &kind->law, e, d, &f.law[d]));
  model_beam* out = td_push_beam(b->m, 1);
  if (!out) return TD_E_NOMEM;
  *out = f;
  return TD_OK;
}

// Add edge e as a law along the line between its nodes.
static td_status push_axial(builder* b, edge_kind* kind, int e) {
  const edge_place at = place_of(b, kind, e);
  model_axial f = {.name = at.name,
                   .joint = at.joint,
                   .element = at.element,
                   .a = at.a,
                   .b = at.b,
                   .isotropic = kind->isotropic};
  TD_TRY(law_at_element(b, &kind->law, e, 0, &f.law));
  model_axial* out = td_push_axial(b->m, 1);
  if (!out) return TD_E_NOMEM;
  *out = f;
  return TD_OK;
}

// Add n edges or diagonals of mesh k, whose law is joint(2) or joint(3) of the mesh.
static td_status mesh_edges(builder* b, int k, int joint, int first, int n) {
  const value* joints = b->mesh[k].w.joints;
  const joint_words* w = &b->mesh[k].w.joint[joint];
  // as published for meshes of CAD files; grids and lists of nodes are new
  const bool published = b->mesh[k].w.file_name;
  char path[24];
  snprintf(path, sizeof path, "joint(%d)", joint + 1);
  edge_kind kind = {.xaxis = w->xaxis,
                    .shared_xaxis = NUM_NONE,
                    .mid = w->mid,
                    .mesh = k,
                    .joint = joint,
                    .first = first,
                    .word = joint == 1 ? "edge" : "diagonal"};
  td_mesh_name(b, k, kind.name, sizeof kind.name);
  TD_TRY(laws_open(b, k, joints, joint, n, path, &kind.law));
  kind.isotropic =
      kind.law.cols == 1 && w->law.visc && (w->law.along ? w->law.along->x[0] == 0 : published);
  if (kind.xaxis && kind.law.cols != 6)
    td_warn(b->diags, td_get_at(joints, joint, "xaxis"),
            "mesh(%d).%s.xaxis has no effect: only a spring with six columns has an x axis", k + 1,
            path);
  char field[32];
  snprintf(field, sizeof field, "%s.xaxis", path);
  TD_TRY(check_rows(b, k, kind.xaxis, td_get_at(joints, joint, "xaxis"), "nx3", field, n,
                    joint == 1 ? "edges" : "diagonals"));
  if (kind.mid) TD_TRY(td_mesh_mid_check(b, &kind, path));
  // what the edges are: what they become, those of it before them, how one is made
  const struct {
    force_kind kind;
    int n;
    td_status (*push)(builder* b, edge_kind* kind, int e);
  } mid = {FORCE_strain, b->m->nstrain, push_mid_beam}, beam = {FORCE_beam, b->m->nbeam, push_beam},
    axial = {FORCE_axial, b->m->naxial, push_axial},
    of = kind.mid             ? mid
         : kind.law.cols == 6 ? beam
                              : axial;
  *(joint == 1 ? &b->mesh[k].edge_kind : &b->mesh[k].diagonal_kind) = of.kind;
  *(joint == 1 ? &b->mesh[k].edge : &b->mesh[k].diagonal) = of.n;
  for (int e = 0; e < n; e++) TD_TRY(of.push(b, &kind, e));
  return TD_OK;
}

// Springs, dampers and inputs along the DOFs of the nodes.
static td_status node_forces(builder* b, int k, int dof) {
  const build_mesh* mesh = &b->mesh[k];
  const value* dofs = mesh->w.joint[0].dof;
  const law_words w = td_law_read(dofs, dof);
  if (!has_law(&w)) return TD_OK;
  char path[32];
  laws law;
  snprintf(path, sizeof path, "joint(1).dof(%d)", dof + 1);
  TD_TRY(laws_open(b, k, dofs, dof, mesh->wire->nnode, path, &law));
  for (int i = 0; i < mesh->wire->nnode; i++) {
    if (mesh->fixed[i]) continue;
    const model_hop* hop = &b->m->hop[b->m->station[mesh->instance + i].hop];
    if (mesh->turns) hop = &b->m->hop[hop->parent];
    model_spring f = {.name = b->m->pos[hop->q + dof].name,
                      .joint = b->njoint + k + 1,
                      .a = -1,
                      .b = -1,
                      .q = hop->q + dof,
                      .v = hop->v + dof};
    TD_TRY(law_at_element(b, &law, i, 0, &f.law));
    model_spring* out = td_push_spring(b->m, 1);
    if (!out) return TD_E_NOMEM;
    *out = f;
  }
  return TD_OK;
}

static td_status mesh_links(builder* b, int k) {
  const build_mesh* mesh = &b->mesh[k];
  const int ndiagonal = mesh->wire->nedge - mesh->nedge;
  const value* dofs = mesh->w.joint[0].dof;
  for (int d = 0; dofs && d < td_value_count(dofs); d++) TD_TRY(node_forces(b, k, d));
  if (mesh->rod == 0) TD_TRY(mesh_edges(b, k, 1, 0, mesh->nedge));
  return ndiagonal > 0 ? mesh_edges(b, k, 2, mesh->nedge, ndiagonal) : TD_OK;
}

td_status td_build_mesh_links(builder* b) {
  td_status worst = TD_OK;
  for (int k = 0; k < b->nmesh; k++) {
    const td_status s = mesh_links(b, k);
    if (s != TD_OK) worst = s;
  }
  return worst;
}
