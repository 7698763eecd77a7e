// The tree: which joint is the main one of each body, which instance hangs on which, the coordinates in the order
// joints, elements and DOFs are written, then hops depth-first and the bodies' masses.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "build.h"

// ---- names ------------------------------------------------------------------------------------------------

const char* td_build_word(const value* s, int i, const char* field) {
  const value* v = td_get(s, i, field);
  return v && v->kind == V_STR ? v->s : NULL;
}

void td_build_joint_name(const builder* b, int joint, int element, char* out, size_t size) {
  const char* name = td_build_word(b->joints, joint, "name");
  char plain[32], index[16] = "";
  snprintf(plain, sizeof plain, "joint(%d)", joint + 1);
  if (b->joint[joint].nelement > 1) snprintf(index, sizeof index, "[%d]", element + 1);
  snprintf(out, size, "%s%s", name ? name : plain, index);
}

void td_build_body_name(const builder* b, int body, int element, char* out, size_t size) {
  const char* name = td_build_word(b->bodies, body - 1, "name");
  char plain[32], index[16] = "";
  snprintf(plain, sizeof plain, "body(%d)", body);
  if (b->body_count[body] > 1) snprintf(index, sizeof index, "[%d]", element);
  snprintf(out, size, "%s%s", name ? name : plain, index);
}

// ---- places -----------------------------------------------------------------------------------------------

static td_status bad_body(builder* b, td_span at, const char* what, double body) {
  td_error(b->diags, TD_E_MODEL, at, "%s: there is no body %g", what, body);
  td_more(b->diags, b->nbody == 0 ? "the model has no bodies" : "bodies: 1 to %d, 0 is the ground", b->nbody);
  return TD_E_MODEL;
}

static td_status place_of_ref(builder* b, const value* v, td_span at, const char* what, place* out) {
  if (strcmp(v->ref.root, "body") != 0) {
    return td_error(b->diags, TD_E_MODEL, at, "%s must name a body, got %s(%d)", what, v->ref.root, v->ref.index);
  }
  if (v->ref.index < 0 || v->ref.index > b->nbody) return bad_body(b, at, what, v->ref.index);
  out->body = v->ref.index;
  if (!v->ref.has_place) return TD_OK;
  out->n = 1;
  out->element = malloc(sizeof(int));
  if (!out->element) return TD_E_NOMEM;
  out->element[0] = (int)td_ex_value(b->spec->graph, v->ref.place);
  return TD_OK;
}

td_status td_build_place(builder* b, const value* v, td_span at, const char* what, place* out) {
  *out = (place){.at = at};
  if (!v) return TD_OK;  // ground
  if (v->kind == V_REF) return place_of_ref(b, v, at, what, out);
  const double body = v->x[0];
  if (!(body >= 0 && body <= b->nbody)) return bad_body(b, at, what, body);
  out->body = (int)body;
  out->n = td_value_count(v) - 1;
  if (out->n == 0) return TD_OK;
  out->element = malloc((size_t)out->n * sizeof(int));
  if (!out->element) return TD_E_NOMEM;
  for (int i = 0; i < out->n; i++) out->element[i] = (int)v->x[i + 1];
  return TD_OK;
}

int td_build_instance(const builder* b, const place* p, int k) {
  const int element = p->n == 0 ? 1 : p->element[p->n == 1 ? 0 : k];
  if (p->body == 0 || element == 0) return -1;
  return b->body_first[p->body] + element - 1;
}

static td_status check_elements(builder* b, const place* p, const char* what) {
  for (int i = 0; i < p->n && p->body > 0; i++)
    if (p->element[i] < 0 || p->element[i] > b->body_count[p->body]) {
      return td_error(b->diags, TD_E_MODEL, p->at, "%s: body %d has %d element%s, got %d", what, p->body,
                      b->body_count[p->body], b->body_count[p->body] == 1 ? "" : "s", p->element[i]);
    }
  return TD_OK;
}

static td_status read_places(builder* b) {
  td_status worst = TD_OK;
  for (int j = 0; j < b->njoint; j++) {
    build_joint* joint = &b->joint[j];
    char what[48];
    snprintf(what, sizeof what, "joint(%d).first", j + 1);
    const td_status s1 = td_build_place(b, td_get(b->joints, j, "first"), td_get_at(b->joints, j, "first"), what,
                                        &joint->first);
    snprintf(what, sizeof what, "joint(%d).second", j + 1);
    const td_status s2 = td_build_place(b, td_get(b->joints, j, "second"), td_get_at(b->joints, j, "second"), what,
                                        &joint->second);
    if (s1 != TD_OK) worst = s1;
    if (s2 != TD_OK) worst = s2;
    joint->nelement = max_int(1, max_int(joint->first.n, joint->second.n));
    if (joint->first.n > 1 && joint->second.n > 1 && joint->first.n != joint->second.n) {
      worst = td_error(b->diags, TD_E_MODEL, joint->second.at,
                       "joint(%d): first names %d elements, second %d; they must be as many", j + 1, joint->first.n,
                       joint->second.n);
    }
  }
  return worst;
}

// ---- who hangs on whom --------------------------------------------------------------------------------------

static td_status main_elements(builder* b, int j) {
  const build_joint* joint = &b->joint[j];
  const int body = joint->second.body;
  b->body_main[body] = j;
  b->body_count[body] = joint->nelement;
  for (int i = 0; i < joint->second.n; i++)
    if (joint->second.element[i] != i + 1) {
      return td_error(b->diags, TD_E_MODEL, joint->second.at,
                      "joint(%d) makes body %d: its elements must be 1, 2, … in order, got %d", j + 1, body,
                      joint->second.element[i]);
    }
  if (joint->second.n == 0 && joint->first.n > 1) {
    return td_error(b->diags, TD_E_MODEL, joint->first.at,
                    "joint(%d): first names %d elements, second must name as many, e.g. [%d, 1:%d]", j + 1,
                    joint->first.n, body, joint->first.n);
  }
  return TD_OK;
}

static td_status find_main_joints(builder* b) {
  td_status worst = TD_OK;
  for (int i = 0; i <= b->nbody; i++) b->body_main[i] = -1;
  for (int j = 0; j < b->njoint; j++) {
    const int body = b->joint[j].second.body;
    b->joint[j].main = body > 0 && b->body_main[body] < 0;
    if (b->joint[j].main && main_elements(b, j) != TD_OK) worst = TD_E_MODEL;
  }
  int first = 0;
  for (int i = 1; i <= b->nbody; i++) {
    if (b->body_main[i] < 0) {
      worst = td_error(b->diags, TD_E_MODEL, td_get_at(b->spec->root, 0, "body"),
                       "body(%d) has no joint: no joint names it as `second`", i);
      td_hint(b->diags, "add joint(…).second = %d;", i);
    }
    b->body_first[i] = first;
    first += b->body_count[i];
  }
  for (int j = 0; j < b->njoint; j++) {
    if (check_elements(b, &b->joint[j].first, "first") != TD_OK) worst = TD_E_MODEL;
    if (!b->joint[j].main && check_elements(b, &b->joint[j].second, "second") != TD_OK) worst = TD_E_MODEL;
  }
  return worst;
}

// ---- coordinates --------------------------------------------------------------------------------------------

static double default_init(const item* it, int k) {
  return (it->kind == HOP_BALL || it->kind == HOP_CIRCLE) && k == 0 ? 1 : 0;
}

static ex dof_field(builder* b, int joint, int dof, const char* field, int element, double fallback) {
  const value* dofs = td_get(b->joints, joint, "dof");
  const value* v = dofs && dof < td_value_count(dofs) ? td_get(dofs, dof, field) : NULL;
  return td_build_pick(b, v, element, b->joint[joint].nelement, 0, 1, fallback);
}

static td_status push_motion(builder* b, const value* motion, int element, int nelement, model_dof* vel) {
  td_exprs* g = b->spec->graph;
  ex e[3];
  e[0] = td_build_pick(b, motion, element, nelement, 0, 1, 0);
  e[1] = td_ex_diff(g, e[0], b->spec->time_var);
  e[2] = td_ex_diff(g, e[1], b->spec->time_var);
  const double zero[3] = {0, 0, 0};
  vel->motion = td_build_constants(b, zero, 3);
  if (vel->motion == NUM_NONE) return TD_E_NOMEM;
  for (int i = 0; i < 3; i++) b->m->number_ex[vel->motion + i] = e[i];
  return TD_OK;
}

// One coordinate of its own: a position for dof k of an item, and a velocity when k < nv.
static td_status push_coordinate(builder* b, int joint, int element, const item* it, int k) {
  td_model* m = b->m;
  build_joint* j = &b->joint[joint];
  const int dof = it->dof + k, at = element * j->ndof + dof;
  char name[128];
  td_build_joint_name(b, joint, element, name, sizeof name);
  const bool quaternion = it->kind == HOP_BALL || it->kind == HOP_CIRCLE;
  model_dof* pos = td_push_pos(m, 1);
  if (!pos) return TD_E_NOMEM;
  *pos = (model_dof){.joint = joint + 1, .element = element + 1, .dof = dof + 1, .motion = NUM_NONE, .partner = -1};
  pos->name = td_push_name(m, "%s.dof(%d)", name, dof + 1);
  pos->init = td_build_number(b, dof_field(b, joint, dof, "init", element, default_init(it, k)));
  j->dof_q[at] = m->npos - 1;
  j->dof_v[at] = -1;
  if (k >= it->nv) return TD_OK;
  model_dof* vel = td_push_vel(m, 1);
  if (!vel) return TD_E_NOMEM;
  *vel = *pos;
  if (it->kind == HOP_BALL) vel->name = td_push_name(m, "%s.omega_%c", name, "xyz"[k]);
  if (it->kind == HOP_CIRCLE) vel->name = td_push_name(m, "%s.omega", name);
  vel->partner = quaternion ? -1 : m->npos - 1;
  vel->init = td_build_number(b, dof_field(b, joint, dof, "rate", element, 0));
  j->dof_v[at] = m->nvel - 1;
  const value* dofs = td_get(b->joints, joint, "dof");
  const value* motion = dofs && dof < td_value_count(dofs) ? td_get(dofs, dof, "motion") : NULL;
  if (!motion) return TD_OK;
  if (quaternion) {
    return td_error(b->diags, TD_E_MODEL, td_get_at(dofs, dof, "motion"),
                    "a quaternion cannot be prescribed number by number; use three revolute joints");
  }
  return push_motion(b, motion, element, j->nelement, vel);
}

// equal2 = [joint dof] or [joint element dof], one row or one per element
static td_status share_coordinate(builder* b, int joint, int element, const item* it, const value* equal, td_span at) {
  build_joint* j = &b->joint[joint];
  const int rows = equal->rows, cols = equal->cols, row = rows == j->nelement ? element : 0;
  const int other = (int)equal->x[row] - 1;
  const int e = cols == 3 ? (int)equal->x[row + rows] - 1 : 0;
  const int dof = (int)equal->x[row + rows * (cols - 1)] - 1;
  if (it->kind != HOP_SCREW) {
    return td_error(b->diags, TD_E_MODEL, at, "equal2 applies to single translations and rotations, not to parts "
                    "of a quaternion or of a rotation vector");
  }
  const bool known = other >= 0 && other < b->njoint && b->joint[other].main && e >= 0 &&
                     e < b->joint[other].nelement && dof >= 0 && dof < b->joint[other].ndof &&
                     b->joint[other].dof_q;
  const int from = known ? e * b->joint[other].ndof + dof : 0;
  if (!known || b->joint[other].dof_q[from] < 0 || b->joint[other].dof_v[from] < 0) {
    return td_error(b->diags, TD_E_MODEL, at, "equal2: there is no earlier degree of freedom %d of joint(%d)", dof + 1,
                    other + 1);
  }
  j->dof_q[element * j->ndof + it->dof] = b->joint[other].dof_q[from];
  j->dof_v[element * j->ndof + it->dof] = b->joint[other].dof_v[from];
  return TD_OK;
}

static td_status joint_coordinates(builder* b, int joint) {
  build_joint* j = &b->joint[joint];
  const value* dofs = td_get(b->joints, joint, "dof");
  const int ndof = dofs ? td_value_count(dofs) : 0;
  if (ndof > j->ndof) {
    return td_error(b->diags, TD_E_MODEL, td_get_at(b->joints, joint, "dof"),
                    "joint(%d).dof(%d): the joint has %d degree%s of freedom (count the inf elements of tr)", joint + 1,
                    ndof, j->ndof, j->ndof == 1 ? "" : "s");
  }
  const size_t n = (size_t)(j->nelement * j->ndof) + 1;
  j->dof_q = malloc(n * sizeof(int));
  j->dof_v = malloc(n * sizeof(int));
  if (!j->dof_q || !j->dof_v) return TD_E_NOMEM;
  for (size_t i = 0; i < n; i++) j->dof_q[i] = j->dof_v[i] = -1;
  for (int element = 0; element < j->nelement; element++)
    for (int i = 0; i < j->nitem; i++) {
      const item* it = &j->items[i];
      if (it->tr != -1) continue;
      const value* equal = it->dof < ndof ? td_get(dofs, it->dof, "equal2") : NULL;
      if (equal) {
        TD_TRY(share_coordinate(b, joint, element, it, equal, td_get_at(dofs, it->dof, "equal2")));
        continue;
      }
      for (int k = 0; k < it->ndof; k++) TD_TRY(push_coordinate(b, joint, element, it, k));
    }
  return TD_OK;
}

// ---- hops and bodies ----------------------------------------------------------------------------------------

static td_status push_body(builder* b, int body, int element, int hop, int fix, int nfix) {
  td_model* m = b->m;
  const int n = b->body_count[body], i = body - 1;
  model_body* out = &m->body[b->body_first[body] + element];
  char name[128];
  td_build_body_name(b, body, element + 1, name, sizeof name);
  out->station = b->body_first[body] + element;
  out->body = body;
  out->element = element + 1;
  out->m = td_build_numbers(b, td_get(b->bodies, i, "m"), element, n, 1, 1e-9);
  out->com = td_build_numbers(b, td_get(b->bodies, i, "l_com"), element, n, 3, 0);
  const value* tip = td_get(b->bodies, i, "tip");
  const double zeros[9] = {0};
  out->tip = td_build_constants(b, zeros, 3);
  out->I = td_build_constants(b, zeros, 9);
  if (out->I == NUM_NONE || out->com == NUM_NONE || out->m == NUM_NONE) return TD_E_NOMEM;
  for (int c = 0; c < 3; c++) {
    ex e = td_build_pick(b, tip, element, n, c, 3, 0);
    if (!tip) e = td_ex_2(b->spec->graph, EX_MUL, td_ex_const(b->spec->graph, 2), m->number_ex[out->com + c]);
    m->number_ex[out->tip + c] = e;
  }
  const value* I = td_get(b->bodies, i, "I");
  for (int k = 0; k < 9; k++) {
    const int page = I && I->pages == n ? element : 0;
    m->number_ex[out->I + k] = I ? td_value_ex(I, page * 9 + k, b->spec->graph)
                                 : td_ex_const(b->spec->graph, k % 4 == 0 ? 1e-9 : 0);
  }
  m->station[out->station] = (model_station){.hop = hop, .fix = fix, .nfix = nfix, .body = out->station,
                                             .name = td_push_name(m, "%s", name)};
  b->instance_hop[out->station] = hop;
  return TD_OK;
}

typedef struct node {
  int parent;           // instance, -1 ground
  int child, sibling;   // first child, next sibling
  int body, element;
  bool placed;
} node;

static td_status link_nodes(builder* b, node* nodes, int n, int* roots) {
  *roots = -1;
  for (int i = 0; i < n; i++) nodes[i].child = -1;
  for (int body = b->nbody; body >= 1; body--)
    for (int e = b->body_count[body] - 1; e >= 0; e--) {
      const int at = b->body_first[body] + e;
      const build_joint* j = &b->joint[b->body_main[body]];
      const int parent = td_build_instance(b, &j->first, e);
      nodes[at] = (node){.parent = parent, .child = nodes[at].child, .body = body, .element = e};
      int* list = parent < 0 ? roots : &nodes[parent].child;
      nodes[at].sibling = *list;
      *list = at;
    }
  return TD_OK;
}

// Depth-first without recursion: parents first, subtrees contiguous.
static td_status place_nodes(builder* b, node* nodes, int n) {
  int roots, placed = 0;
  TD_TRY(link_nodes(b, nodes, n, &roots));
  for (int at = roots; at >= 0;) {
    node* node_at = &nodes[at];
    const int joint = b->body_main[node_at->body];
    int hop, fix, nfix, parent_fix = -1, parent_nfix = 0, parent_hop = -1;
    if (node_at->parent >= 0) {
      const model_station* s = &b->m->station[node_at->parent];
      parent_hop = s->hop;
      parent_fix = s->fix;
      parent_nfix = s->nfix;
    }
    // the parent's trailing transformations come first
    const int start = b->m->nfix;
    for (int i = 0; i < parent_nfix; i++) {
      model_fix* copy = td_push_fix(b->m, 1);
      if (!copy) return TD_E_NOMEM;
      *copy = b->m->fix[parent_fix + i];
    }
    const int hops = b->m->nhop;
    TD_TRY(td_build_chain(b, joint, node_at->element, parent_hop, &hop, &fix, &nfix));
    if (b->m->nhop > hops) {
      b->m->hop[hops].nfix += b->m->hop[hops].fix - start;
      b->m->hop[hops].fix = start;
    } else {
      nfix += fix - start;
      fix = start;
    }
    TD_TRY(push_body(b, node_at->body, node_at->element, hop, fix, nfix));
    node_at->placed = true;
    placed++;
    // next: child, else sibling of the nearest ancestor that has one
    int next = node_at->child;
    for (int up = at; next < 0 && up >= 0; up = nodes[up].parent) next = nodes[up].sibling;
    at = next;
  }
  if (placed == n) return TD_OK;
  for (int i = 0; i < n; i++)
    if (!nodes[i].placed) {
      const int joint = b->body_main[nodes[i].body];
      return td_error(b->diags, TD_E_MODEL, b->joint[joint].first.at,
                      "the main chain has a loop: body %d hangs on itself through joint(%d)", nodes[i].body, joint + 1);
    }
  return TD_OK;
}

static td_status place_bodies(builder* b) {
  int n = 0;
  for (int i = 1; i <= b->nbody; i++) n += b->body_count[i];
  node* nodes = calloc((size_t)n + 1, sizeof(node));
  b->instance_hop = calloc((size_t)n + 1, sizeof(int));
  const bool ok = nodes && b->instance_hop && td_push_body(b->m, n) && td_push_station(b->m, n);
  const td_status status = ok || n == 0 ? place_nodes(b, nodes, n) : TD_E_NOMEM;
  free(nodes);
  return status;
}

td_status td_build_tree(builder* b) {
  TD_TRY(read_places(b));
  TD_TRY(find_main_joints(b));
  td_status worst = TD_OK;
  for (int j = 0; j < b->njoint; j++) {
    if (!b->joint[j].main) continue;
    td_status s = td_build_items(b, j);
    if (s == TD_OK) s = joint_coordinates(b, j);
    if (s != TD_OK) worst = s;
  }
  return worst == TD_OK ? place_bodies(b) : worst;
}
