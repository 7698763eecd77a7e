// Edges as pieces of rod that are measured half-way between their nodes (beam.frame = 'mid'): the
// strain element of absolute rods (elem/segment.h), second-order accurate and indifferent to which
// end comes first.
//
// The frames of all nodes start with the axes of the mesh, so the law of an edge with the axes R
// (z along the edge) is turned into them once and for all:
//
//   K = l Q diag(k) Qᵀ,   D = l Q diag(mu) Qᵀ,   x0 = Q (compr init),   Q = diag(R, R)
//
// Edges with the same vector share their numbers.
#include <math.h>
#include <string.h>

#include "model/field.h"
#include "model/mesh_edges.h"
#include "model/rods.h"

static const double parallel = 1e-9;  // sine of the angle below which xaxis runs along the edge

bool td_mesh_edge_axes(const value* xaxis, int e, vec3 z, mat3* R) {
  const double along[3] = {z.x, z.y, z.z};
  double t1[3], t2[3];
  td_complete_frame(along, t1, t2);
  vec3 x = vec3_of(t1);
  if (xaxis) {
    const int n = td_value_count(xaxis) / 3, row = n > 1 ? e : 0;
    const vec3 wanted = {xaxis->x[row], xaxis->x[row + n], xaxis->x[row + 2 * n]};
    x = vec3_axpy(-vec3_dot(wanted, z), z, wanted);
    if (!(vec3_norm(x) > parallel * vec3_norm(wanted))) return false;
    x = vec3_scale(1 / vec3_norm(x), x);
  }
  const vec3 y = vec3_cross(z, x);
  *R = (mat3){{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
  return true;
}

// Q diag(k) Qᵀ times `scale`, into 36 slots.
static void put_matrix(builder* b, num at, mat3 R, double scale, const ex k[6]) {
  for (int block = 0; block < 2; block++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        ex sum = num_ex(b, 0);
        for (int c = 0; c < 3; c++)
          sum = add(b, sum, times(b, scale * R.m[3 * i + c] * R.m[3 * j + c], k[3 * block + c]));
        b->m->number_ex[at + 6 * (3 * block + i) + 3 * block + j] = sum;
      }
}

// Q x times `scale`, into 6 slots.
static void put_vector(builder* b, num at, mat3 R, double scale, const ex x[6]) {
  for (int i = 0; i < 6; i++) {
    ex sum = num_ex(b, 0);
    for (int c = 0; c < 3; c++)
      sum = add(b, sum, times(b, scale * R.m[3 * (i % 3) + c], x[3 * (i / 3) + c]));
    b->m->number_ex[at + i] = sum;
  }
}

static bool is_nan(const builder* b, ex e) {
  return td_ex_is_const(b->spec->graph, e) && isnan(td_ex_value(b->spec->graph, e));
}

// Six numbers of a law's field, by direction.
static void directions(builder* b, const laws* l, int field, int e, ex out[6]) {
  const rows* r = &l->field[field];
  for (int d = 0; d < 6; d++)
    out[d] = td_build_pick(b, r->v, r->each ? e : 0, r->each ? r->n : 1, d, 6, r->fallback);
}

// The slots of one edge; *potential: its stiffness and rest are numbers.
static td_status push_section(builder* b, const edge_kind* kind, int e, mat3 R, double l,
                              num* section) {
  const double zeros[SECTION_SLOTS] = {0};
  ex k[6], rest[6], compr[6], mu[6], input[6];
  directions(b, &kind->law, LAW_K, e, k);
  directions(b, &kind->law, LAW_REST, e, rest);
  directions(b, &kind->law, LAW_COMPR, e, compr);
  directions(b, &kind->law, LAW_MU, e, mu);
  directions(b, &kind->law, LAW_INPUT, e, input);
  for (int d = 0; d < 6; d++) {
    if (is_nan(b, rest[d])) rest[d] = num_ex(b, d == 2 ? l : 0);
    rest[d] = mul(b, compr[d], rest[d]);
  }
  const num at = td_build_constants(b, zeros, SECTION_SLOTS);
  if (at == NUM_NONE) return TD_E_NOMEM;
  put_matrix(b, at + SECTION_K, R, l, k);
  put_matrix(b, at + SECTION_D, R, l, mu);
  put_vector(b, at + SECTION_X0, R, 1 / l, rest);
  put_vector(b, at + SECTION_INPUT, R, 1, input);
  // stretch is measured from 1 along z of the middle frame
  ex* stretch = &b->m->number_ex[at + SECTION_X0 + 2];
  *stretch = minus(b, *stretch, num_ex(b, 1));
  b->m->number_ex[at + SECTION_POWER] = num_ex(b, 1);
  b->m->number_ex[at + SECTION_LENGTH] = num_ex(b, l);
  *section = at;
  return TD_OK;
}

// The section of an earlier edge with the same vector, NUM_NONE: none.
static num known_section(const edge_kind* kind, vec3 d) {
  for (int i = 0; i < kind->nknown; i++) {
    const vec3 off = vec3_sub(kind->known[i].d, d);
    if (vec3_norm(off) <= 1e-12 * vec3_norm(d)) return kind->known[i].section;
  }
  return NUM_NONE;
}

td_status td_mesh_mid_check(builder* b, const edge_kind* kind, const char* path) {
  const laws* l = &kind->law;
  const td_span at = td_get_at(b->mesh[kind->mesh].w.joints, kind->joint, "beam");
  const char* why = NULL;
  if (l->cols != 6) why = "only a spring with six columns is a beam";
  bool one_sided = false;
  for (int i = 0; l->dir && i < td_value_count(l->dir); i++)
    one_sided = one_sided || l->dir->x[i] != 0;
  if (one_sided) why = "it acts in both directions, and `dir` says otherwise";
  const value* power = l->field[LAW_NU].v;
  for (int i = 0; power && i < td_value_count(power); i++)
    if (power->x[i] != 1)  // NaN where it is an expression
      why = "its damper is linear, damp.pow must be 1";
  if (!why) return TD_OK;
  return td_error(b->diags, TD_E_MODEL, at, "mesh(%d).%s.beam.frame = 'mid': %s", kind->mesh + 1,
                  path, why);
}

td_status td_mesh_mid_beam(builder* b, edge_kind* kind, int e, const double d[3], model_strain* f) {
  const vec3 edge = vec3_of(d);
  const double l = vec3_norm(edge);
  mat3 R;
  if (!(l > 0) || !td_mesh_edge_axes(kind->xaxis, e, vec3_scale(1 / l, edge), &R)) {
    const value* joints = b->mesh[kind->mesh].w.joints;
    return td_error(b->diags, TD_E_MODEL, td_get_at(joints, kind->joint, l > 0 ? "xaxis" : "beam"),
                    "%s.%s(%d): %s", kind->name, kind->word, e + 1,
                    l > 0 ? "xaxis must not be parallel to the edge"
                          : "a beam must have a length, its two nodes are at the same place");
  }

  f->kind = STRAIN_SEGMENT;
  f->coords = -1;
  for (int i = 0; i < 6; i++) f->dof_q[i] = f->dof_v[i] = -1;

  // edges with the same vector and the same laws share a section
  bool shared = !kind->xaxis || td_value_count(kind->xaxis) <= 3;
  for (int k = 0; k < LAW_FIELDS; k++) shared = shared && !kind->law.field[k].each;
  f->section = shared ? known_section(kind, edge) : NUM_NONE;
  if (f->section == NUM_NONE) {
    TD_TRY(push_section(b, kind, e, R, l, &f->section));
    if (shared && kind->nknown < KNOWN)
      kind->known[kind->nknown++] = (known_edge){edge, f->section};
  }

  // it has a potential when its laws follow from parameters alone
  f->potential = true;
  for (int s = 0; s < SECTION_INPUT; s++) {
    const ex x = b->m->number_ex[f->section + s];
    if ((s < SECTION_D || s >= SECTION_X0) &&
        (td_ex_depends(b->spec->graph, x) & ~(unsigned)TD_ON_PARAM))
      f->potential = false;
  }
  return TD_OK;
}
