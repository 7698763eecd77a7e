// Edges of a mesh as polynomial rods (mesh.joint(2).rom).
//
// Each edge becomes a rod of the model 'rom' whose base is clamped to its first node and whose end
// a loop of six rows clamps to its second node:
//
//   node a ── turn z to the edge ── rod ── = ── turn z to the edge ── node b
//
// The rods and joints are made as if they had been written after those of the text, so that
// sensors, loads, results and exports know them.  The text itself is not changed: the builder holds
// its own copies of the two lists.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/field.h"
#include "model/meshes.h"
#include "model/rods.h"

// Put v (whose reference is taken) into a field of element i of a struct array.
static bool put(value* s, int i, const char* field, value* v, td_span at) {
  value_slot* slot = v ? td_value_slot_make(s, i, field) : NULL;
  if (!slot) {
    td_value_drop(v);
    return false;
  }
  slot->at = slot->name_at = at;
  return td_value_put(s, slot, v);
}

static value* place_ref(builder* b, const char* root, int index, double where) {
  value* v = td_value_ref(root, index);
  if (!v) return NULL;
  v->ref.has_place = true;
  v->ref.place = td_ex_const(b->spec->graph, where);
  return v;
}

// A struct with the fixed rotation R as its only field.  Four numbers are an angle and an axis in
// `tr`, and a quaternion in `tr2nd`.
static value* turned(mat3 R, bool second, td_span at) {
  value *tr = td_value_struct(1, 1), *rot = td_value_num(1, 4, 1);
  const quat q = quat_mat3(R);
  const double sine = vec3_norm(q.v), angle = 2 * atan2(sine, q.w);
  if (rot && sine > 0) {
    const double scale = second ? 1 : 1 / sine;
    const double x[4] = {second ? q.w : angle, q.v.x * scale, q.v.y * scale, q.v.z * scale};
    memcpy(rot->x, x, sizeof x);
  } else if (rot && !td_value_resize(rot, 1, 2, 1)) {
    td_value_drop(rot);
    rot = NULL;
  }
  if (tr && put(tr, 0, "rot", rot, at)) return tr;
  if (!tr) td_value_drop(rot);
  td_value_drop(tr);
  return NULL;
}

// Data that all edges of a mesh share.
typedef struct rod_edges {
  builder* b;
  int k;                 // the mesh, from 0
  const joint_words* w;  // mesh.joint(2)
  int order;
  value *rods, *ends;  // the lists that grow: rods, and the joints that close them
  td_span at;          // where `rom` was written
  char name[100];
} rod_edges;

// Two columns are a number for the three translational and one for the three rotational strains, as
// in joint.rom.
static bool is_pair(const value* v, int n) {
  return v->cols == 2 && (v->rows == 1 || v->rows == n);
}

// A field of joint(2), "spring.coeff", has a row for all edges or one for each.
static td_status check_rows(const rod_edges* s, const value* v, const char* path) {
  const int n = s->b->mesh[s->k].nedge;
  if (!v || is_pair(v, n) || td_field_fit("nx1|nx6", v, n).ok) return TD_OK;
  return td_error(s->b->diags, TD_E_MODEL, td_law_at(s->w->s, 1, path),
                  "mesh(%d).joint(2).%s must be one number, two or six for all edges, or a row "
                  "for each of the %d edges, got %dx%d",
                  s->k + 1, path, n, v->rows, v->cols);
}

// Its six numbers at edge e; nan (take it from the geometry) is the fallback.
static void six(const rod_edges* s, const value* v, int e, double fallback, ex out[6]) {
  td_exprs* g = s->b->spec->graph;
  const int n = s->b->mesh[s->k].nedge;
  const td_fit fit = v ? td_field_fit("nx1|nx6", v, n) : (td_fit){.rows = 1, .cols = 1};
  const bool pair = v && is_pair(v, n);
  for (int d = 0; d < 6; d++) {
    const int row = fit.rows > 1 ? e : 0, col = fit.cols == 6 ? d : 0;
    out[d] = pair ? td_value_ex(v, (v->rows > 1 ? e : 0) + v->rows * (d / 3), g)
                  : td_build_pick(s->b, v, row, fit.rows, col, fit.cols, fallback);
    if (td_ex_is_const(g, out[d]) && isnan(td_ex_value(g, out[d]))) out[d] = num_ex(s->b, fallback);
  }
}

// A row of n expressions as a value; NULL: no memory.
static value* row_of(const rod_edges* s, const ex* e, int n) {
  value* v = td_value_num(1, n, 1);
  for (int i = 0; v && i < n; i++)
    if (!td_value_set_ex(v, i, e[i], s->b->spec->graph)) {
      td_value_drop(v);
      return NULL;
    }
  return v;
}

// Mass three times and rotary inertia per length of edge e, from body(2).
static td_status edge_inertia(const rod_edges* s, int e, ex out[6]) {
  builder* b = s->b;
  td_exprs* g = b->spec->graph;
  const mesh_words* w = &b->mesh[s->k].w;
  const value *m = w->edge_m, *I = w->edge_I;
  const int n = b->mesh[s->k].nedge;
  if (!td_field_fit("nx1", m, n).ok || (I && I->pages != 1 && I->pages != n))
    return td_error(
        b->diags, TD_E_MODEL, td_get_at(w->body, 1, td_field_fit("nx1", m, n).ok ? "I" : "m"),
        "mesh(%d).body(2) must have one row for all edges, or one for each of the %d", s->k + 1, n);
  const int page = I && I->pages > 1 ? e : 0;
  for (int d = 0; d < 3; d++) {
    out[d] = td_build_pick(b, m, td_value_count(m) > 1 ? e : 0, td_value_count(m), 0, 1, 0);
    out[3 + d] = I ? td_value_ex(I, 9 * page + 4 * d, g) : num_ex(b, 1e-9);
  }
  for (int c = 0; I && c < 9; c++) {
    const ex x = td_value_ex(I, 9 * page + c, g);
    if (c % 4 == 0 || (td_ex_is_const(g, x) && td_ex_value(g, x) == 0)) continue;
    return td_error(b->diags, TD_E_MODEL, td_get_at(w->body, 1, "I"),
                    "mesh(%d).body(2).I must be diagonal: the axes of an edge are those of its "
                    "section, turn them by mesh.joint(2).xaxis",
                    s->k + 1);
  }
  return TD_OK;
}

// Add edge e of a mesh as a polynomial rod between its two nodes.
static td_status push_rod(const rod_edges* s, int e) {
  builder* b = s->b;
  const build_mesh* mesh = &b->mesh[s->k];
  const int* nodes = mesh->wire->edge + 2 * (size_t)e;
  const vec3 d = vec3_sub(vec3_of(mesh->wire->x + 3 * (size_t)nodes[1]),
                          vec3_of(mesh->wire->x + 3 * (size_t)nodes[0]));
  const double length = vec3_norm(d);
  const joint_words* w = s->w;
  mat3 R;
  if (w->xaxis && !td_field_fit("nx3", w->xaxis, mesh->nedge).ok)
    return td_error(b->diags, TD_E_MODEL, td_get_at(w->s, 1, "xaxis"),
                    "mesh(%d).joint(2).xaxis must have one row for all edges, or one for each of "
                    "the %d edges",
                    s->k + 1, mesh->nedge);
  if (!td_mesh_edge_axes(w->xaxis, e, vec3_scale(1 / length, d), &R))
    return td_error(b->diags, TD_E_MODEL, td_get_at(w->s, 1, "xaxis"),
                    "mesh(%d).joint(2).xaxis runs along edge %d", s->k + 1, e + 1);

  // the law of its sections
  ex K[6], x0[6], factor[6], mu[6], nu[6], drive[6], per_length[6];
  const struct {
    const char* path;
    const value* v;
    double fallback;
    ex* six;
  } law[] = {{"spring.coeff", w->law.coeff, 0, K},      {"spring.init", w->law.init, 0, x0},
             {"spring.compr", w->law.compr, 1, factor}, {"damp.visc", w->law.visc, 0, mu},
             {"damp.pow", w->law.pow, 1, nu},           {"input", w->law.input, 0, drive}};
  for (int f = 0; f < 6; f++) TD_TRY(check_rows(s, law[f].v, law[f].path));
  TD_TRY(edge_inertia(s, e, per_length));
  for (int f = 0; f < 6; f++) six(s, law[f].v, e, law[f].fallback, law[f].six);
  for (int c = 1; c < 6; c++)
    if (nu[c] != nu[0])
      return td_error(b->diags, TD_E_MODEL, td_law_at(w->s, 1, "damp.pow"),
                      "mesh(%d).joint(2).damp.pow: an edge with `rom` has one power for all its "
                      "strains",
                      s->k + 1);
  for (int c = 0; c < 6; c++) x0[c] = mul(b, factor[c], x0[c]);

  // the rod; it starts straight, whatever its stress-free strain is
  const int i = td_value_count(s->rods), j = td_value_count(s->ends);
  char name[140];
  const int n = snprintf(name, sizeof name, "%s.edge(%d)", s->name, e + 1);
  const td_span at = s->at;
  value *damp = td_value_struct(1, 1), *rods = s->rods, *ends = s->ends;
  bool ok = damp && put(damp, 0, "visc", row_of(s, mu, 6), at) &&
            put(damp, 0, "pow", row_of(s, nu, 1), at);
  ok = ok && put(rods, i, "name", td_value_string(name, n), at) &&
       put(rods, i, "first", place_ref(b, "mesh", s->k + 1, nodes[0] + 1), at) &&
       put(rods, i, "tr", turned(R, false, at), at) &&
       put(rods, i, "length", td_value_scalar(length), at) &&
       put(rods, i, "model", td_value_string("rom", 3), at) &&
       put(rods, i, "n", td_value_scalar(s->order), at) &&
       put(rods, i, "stiffness", row_of(s, K, 6), at) &&
       put(rods, i, "shape", row_of(s, x0, 6), at) &&
       put(rods, i, "init", td_value_num(1, 6, 1), at) &&
       put(rods, i, "inertia", row_of(s, per_length, 6), at) &&
       put(rods, i, "input", row_of(s, drive, 6), at);
  if (ok && w->points) ok = put(rods, i, "points", td_value_hold((value*)w->points), at);
  if (ok) {
    ok = put(rods, i, "damp", damp, at);
  } else {
    td_value_drop(damp);
  }

  // its end
  ok = ok && put(ends, j, "name", td_value_string(name, n), at) &&
       put(ends, j, "first", place_ref(b, "rod", i + 1, length), at) &&
       put(ends, j, "second", place_ref(b, "mesh", s->k + 1, nodes[1] + 1), at) &&
       put(ends, j, "tr2nd", turned(R, true, at), at) &&
       put(ends, j, "type", td_value_string("fixed", 5), at);
  return ok ? TD_OK : TD_E_NOMEM;
}

// A copy of a list that may grow; an empty one where the text has none.
static value* copy_list(const value* list) {
  if (!list) return td_value_struct(1, 0);
  return td_value_own(td_value_hold((value*)list));
}

td_status td_mesh_rods(builder* b) {
  bool any = false;
  for (int k = 0; k < b->nmesh; k++) any = any || b->mesh[k].w.joint[1].rom;
  if (!any) return TD_OK;
  b->own_rods = copy_list(b->rods);
  b->own_joints = copy_list(b->joints);
  if (!b->own_rods || !b->own_joints) return TD_E_NOMEM;

  double dofs = 0;
  for (int k = 0; k < b->nmesh; k++) {
    const joint_words* w = &b->mesh[k].w.joint[1];
    if (!w->rom) continue;
    TD_TRY(td_mesh_shape(b, k));
    rod_edges s = {.b = b,
                   .k = k,
                   .w = w,
                   .order = (int)td_get(w->rom, 0, "order")->x[0],
                   .rods = b->own_rods,
                   .ends = b->own_joints,
                   .at = td_get_at(w->s, 1, "rom")};
    // each of the rods has its loop, and loops are closed and projected as those of dense models
    dofs += (6.0 * s.order + 9) * b->mesh[k].nedge;
    if (dofs > b->spec->limits.dense)
      return td_error(
          b->diags, TD_E_MODEL, s.at,
          "mesh(%d): edges that are rods may have %d coordinates and constraint rows "
          "together, %d edges of order %d have %g; beams (six columns without rom) have "
          "none",
          k + 1, b->spec->limits.dense, b->mesh[k].nedge, s.order, dofs);
    td_mesh_name(b, k, s.name, sizeof s.name);
    b->mesh[k].rod = td_value_count(s.rods) + 1;
    for (int e = 0; e < b->mesh[k].nedge; e++) TD_TRY(push_rod(&s, e));
  }
  b->rods = b->own_rods;
  b->joints = b->own_joints;
  return TD_OK;
}
