// Rods: a slender body cut into n segments of length l, in one of three arrangements, all
// second-order accurate.
//
//   srl   rigid pieces that meet at segment middles:
//         half a segment · [exp(θ/2) · move x · exp(θ/2)] · half a segment
//   ebr   nodes at segment ends, each relative to the one before:
//         exp(θ/2) · move (l e_z + x) · exp(θ/2)
//   eba   nodes at segment ends, each free in the world; the segment between two nodes measures x
//         and θ in the frame half-way between them (elem/segment.h)
//
// Strains are x/l and θ/l, the section's law acts on them at the middle of each segment.  Mass sits
// in the pieces between segment middles: half a segment at both ends of the rod.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/rods.h"

// ---- geometry ---------------------------------------------------------------------------------

// Length of segment k.
static ex segment_ex(builder* b, int rod, int k) {
  const build_rod* r = &b->rod[rod];
  if (!r->moves) return num_ex(b, segment_length(r, k));
  return td_rod_between(b, rod, r->arc[k], r->arc[k + 1]);
}

// ---- strains of a segment ---------------------------------------------------------------------

// The strains of segment k act at its middle.
static td_status segment_strain(builder* b, int rod, int k, model_strain* f) {
  const build_rod* r = &b->rod[rod];
  const double middle = segment_middle(r, k);
  TD_TRY(td_rod_section(b, rod, (rod_reach){r->arc[k], r->arc[k + 1], 0}, middle,
                        segment_ex(b, rod, k), f));
  return td_rod_strain(b, rod, k + 1, middle, f);
}

// ---- mass -------------------------------------------------------------------------------------

// Mass, its first and second moment along the rod, rotary inertia.
typedef struct lumped {
  ex m, mz, mzz, Jx, Jy, Jz;
} lumped;

// Add the mass of [from, to] about the arc length `about`, by three Gauss points.
static void add_lumped(builder* b, int rod, double from, double to, double about, lumped* l) {
  static const double node[3] = {-0.7745966692414834, 0, 0.7745966692414834},
                      weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  for (int i = 0; i < 3; i++) {
    const double arc = 0.5 * (from + to) + 0.5 * node[i] * (to - from);
    const bool moves = b->rod[rod].moves;
    const ex z = moves ? td_rod_between(b, rod, about, arc) : num_ex(b, arc - about);
    const ex w = moves ? times(b, weight[i], td_rod_between(b, rod, from, to))
                       : num_ex(b, weight[i] * (to - from));
    const ex wz = mul(b, w, z), wzz = mul(b, wz, z);
    ex mass, jx, jy, jz;
    td_rod_inertia(b, rod, arc, &mass, &jx, &jy, &jz);
    l->m = add(b, l->m, mul(b, w, mass));
    l->mz = add(b, l->mz, mul(b, wz, mass));
    l->mzz = add(b, l->mzz, mul(b, wzz, mass));
    l->Jx = add(b, l->Jx, mul(b, w, jx));
    l->Jy = add(b, l->Jy, mul(b, w, jy));
    l->Jz = add(b, l->Jz, mul(b, w, jz));
  }
}

// Add the mass of a piece of a rod to a station, from its moments about the station's origin; none
// where it is massless.
static td_status push_lump(builder* b, const lumped* l, int station) {
  const ex m = l->m;
  if (td_ex_is_const(b->spec->graph, m) && td_ex_value(b->spec->graph, m) == 0)
    return TD_OK;  // massless
  const double zero[13] = {0};
  const num at = td_build_constants(b, zero, 13);
  model_lump* lump = td_push_lump(b->m, 1);
  if (!lump || at == NUM_NONE) return TD_E_NOMEM;
  *lump = (model_lump){station, at, at + 1, at + 4};
  const ex com = over(b, l->mz, m), transverse = minus(b, l->mzz, mul(b, l->mz, com));
  b->m->number_ex[at] = m;
  b->m->number_ex[at + 3] = com;
  b->m->number_ex[at + 4] = add(b, l->Jx, transverse);
  b->m->number_ex[at + 8] = add(b, l->Jy, transverse);
  b->m->number_ex[at + 12] = l->Jz;
  return TD_OK;
}

// Piece k reaches from segment middle to segment middle; where a part ends in it, it counts as two.
static int piece_ends(const build_rod* r, int k, double end[3]) {
  end[0] = k == 0 ? 0 : segment_middle(r, k - 1);
  end[1] = k == r->n ? r->length : segment_middle(r, k);
  for (int i = 1; i < r->npart; i++)
    if (r->part[i].first == k) {
      end[2] = end[1];
      end[1] = r->arc[k];
      return 2;
    }
  return 1;
}

// Mass and load of piece k.  That of a rod clamped to the ground does not move at k = 0: it is only
// part of the rod's centre of mass.
static td_status push_piece(builder* b, int rod, int k) {
  const build_rod* r = &b->rod[rod];
  double end[3];
  const int n = piece_ends(r, k, end);
  const ex zero = num_ex(b, 0);
  lumped sum = {zero, zero, zero, zero, zero, zero};
  model_station* s = td_push_station(b->m, 1);
  if (!s) return TD_E_NOMEM;
  *s = (model_station){.hop = r->hop[k],
                       .fix = k == 0 ? r->fix : 0,
                       .nfix = k == 0 ? r->nfix : 0,
                       .body = -1,
                       .rod = rod + 1,
                       .arc = frame_arc(r, k),
                       .name = 0};
  for (int i = 0; i < n; i++) add_lumped(b, rod, end[i], end[i + 1], frame_arc(r, k), &sum);
  TD_TRY(push_lump(b, &sum, b->m->nstation - 1));
  for (int i = 0; i < n; i++) {
    const double middle = 0.5 * (end[i] + end[i + 1]);
    int station;
    if (!td_rod_words(b, rod, middle)->load) continue;
    TD_TRY(td_rod_station(b, rod, middle, &station));
    TD_TRY(td_rod_load(b, rod, middle, td_rod_between(b, rod, end[i], end[i + 1]), station));
  }
  return td_rod_sample(b, rod, r->arc[k], end[n] - end[0]);
}

// ---- coordinates and hops ---------------------------------------------------------------------

// A chart hop for strains first .. first+2 of a segment, each free one with the given weight.
static td_status push_chart_hop(builder* b, hop_kind kind, const model_strain* f, int first,
                                double weight, const ex start[3], int parent, int fix, int group) {
  td_model* m = b->m;
  const num at = td_push_number_ex(m, 3) ? m->nnumber_ex - 3 : NUM_NONE;
  const num scale = weight == 1 ? NUM_NONE : td_build_number(b, num_ex(b, weight));
  model_hop* hop = td_push_hop(m, 1);
  if (!hop || at == NUM_NONE) return TD_E_NOMEM;
  memcpy(m->number_ex + at, start, 3 * sizeof(ex));
  *hop = (model_hop){.kind = kind,
                     .parent = parent,
                     .fix = fix,
                     .nfix = m->nfix - fix,
                     .col = m->ncol,
                     .value = at,
                     .axis = NUM_NONE,
                     .pitch = NUM_NONE,
                     .q = -1,
                     .v = -1,
                     .group = group};
  for (int d = 0; d < 3; d++) {
    if (f->dof_q[first + d] < 0) continue;
    model_col* col = td_push_col(m, 1);
    if (!col) return TD_E_NOMEM;
    *col = (model_col){.hop = m->nhop - 1,
                       .v = f->dof_v[first + d],
                       .q = f->dof_q[first + d],
                       .part = d,
                       .weight = scale,
                       .slope = NUM_NONE};
    m->hop[m->nhop - 1].nv++;
  }
  if (m->hop[m->nhop - 1].nv > 0) m->hop[m->nhop - 1].v = m->col[m->hop[m->nhop - 1].col].v;
  return TD_OK;
}

// exp(θ/2) · move · exp(θ/2), from hop `parent` with the fixed transformations from `fix` on.
// l: length of the segment, straight: the part of it that the joint itself passes.
static td_status push_joint(builder* b, ex l, const model_strain* f, int parent, int fix,
                            ex straight) {
  const int group = b->m->nhop;
  ex half[3], move[3];
  for (int d = 0; d < 3; d++) {
    const ex* number = b->m->number_ex + f->section + SECTION_HELD;
    half[d] = f->dof_q[3 + d] < 0 ? mul(b, times(b, 0.5, l), number[3 + d]) : num_ex(b, 0);
    move[d] = f->dof_q[d] < 0 ? mul(b, l, number[d]) : num_ex(b, 0);
  }
  move[2] = add(b, move[2], straight);
  TD_TRY(push_chart_hop(b, HOP_TURN, f, 3, 0.5, half, parent, fix, group));
  TD_TRY(push_chart_hop(b, HOP_MOVE, f, 0, 1, move, group, b->m->nfix, group));
  return push_chart_hop(b, HOP_TURN, f, 3, 0.5, half, group + 1, b->m->nfix, group);
}

// Segment k of a chain with relative coordinates (srl, ebr).
static td_status relative_segment(builder* b, int rod, int k) {
  build_rod* r = &b->rod[rod];
  model_strain f = {.kind = STRAIN_DOF, .a = -1, .b = -1, .coords = -1};
  const double middle = segment_middle(r, k);
  const ex l = segment_ex(b, rod, k);
  for (int d = 0; d < 6; d++) {
    f.dof_q[d] = f.dof_v[d] = -1;
    if (td_rod_mode(b, rod, d, middle))
      TD_TRY(td_rod_dof(b, rod, k + 1, d, td_rod_strain_name(d),
                        mul(b, l, td_rod_start(b, rod, "init", d, middle)),
                        mul(b, l, td_rod_start(b, rod, "rate", d, middle)), &f.dof_q[d],
                        &f.dof_v[d]));
    if (f.dof_q[d] >= 0) continue;
    TD_TRY(td_rod_check_held(b, rod, "init", d, middle));
    TD_TRY(td_rod_check_held(b, rod, "rate", d, middle));
  }
  TD_TRY(segment_strain(b, rod, k, &f));
  const int fix = b->m->nfix;
  if (k == 0)
    for (int i = 0; i < r->nfix; i++) {
      model_fix* copy = td_push_fix(b->m, 1);
      if (!copy) return TD_E_NOMEM;
      *copy = b->m->fix[r->fix + i];
    }
  if (r->middle_joints)
    TD_TRY(td_build_push_offset(b, td_rod_between(b, rod, frame_arc(r, k), middle)));
  TD_TRY(push_joint(b, l, &f, r->hop[k], fix, r->middle_joints ? num_ex(b, 0) : l));
  r->hop[k + 1] = b->m->nhop - 1;
  return TD_OK;
}

// Joints at the ends of segments.
td_status td_build_rod_ebr(builder* b, int rod) {
  for (int k = 0; k < b->rod[rod].n; k++) TD_TRY(relative_segment(b, rod, k));
  return b->spec->refine.on ? td_rod_lift_segments(b, rod) : TD_OK;
}

// Joints in their middles.
td_status td_build_rod_srl(builder* b, int rod) {
  b->rod[rod].middle_joints = true;
  return td_build_rod_ebr(b, rod);
}

// Models whose coordinates are positions cannot hold a strain (modes).
static td_status refuse_held(builder* b, int rod, const char* model) {
  for (int i = 0; i < b->rod[rod].npart; i++) {
    const rod_part* p = &b->rod[rod].part[i];
    const value* modes = p->w.modes;
    for (int d = 0; d < 6; d++) {
      if (modes && modes->x[d] == 0)
        return td_error(b->diags, TD_E_MODEL, td_get_at(p->s, p->at, "modes"),
                        "rod(%d): the model '%s' cannot hold a strain (modes must all be 1); use "
                        "'srl' or 'ebr'",
                        rod + 1, model);
    }
  }
  return TD_OK;
}

// ---- free nodes (eba) -------------------------------------------------------------------------

// Add seven positions and six velocities of free node k, and return the first of each.
static td_status push_node_dofs(builder* b, int rod, int k, int* q, int* v) {
  static const char* const names[7] = {"x", "y", "z", "q0", "q1", "q2", "q3"};
  static const char* const rates[6] = {"x", "y", "z", "omega_x", "omega_y", "omega_z"};
  char name[160];
  td_build_rod_name(b, rod, name, sizeof name);
  *q = b->m->npos;
  *v = b->m->nvel;
  for (int i = 0; i < 7; i++) {
    model_dof* pos = td_push_pos(b->m, 1);
    if (!pos) return TD_E_NOMEM;
    *pos = (model_dof){.rod = rod + 1,
                       .element = k + 1,
                       .dof = i + 1,
                       .motion = NUM_NONE,
                       .partner = -1,
                       .name = td_push_name(b->m, "%s[%d].%s", name, k + 1, names[i]),
                       .init = td_build_number(b, num_ex(b, i == 3))};
  }
  for (int i = 0; i < 6; i++) {
    model_dof* vel = td_push_vel(b->m, 1);
    if (!vel) return TD_E_NOMEM;
    *vel = (model_dof){.rod = rod + 1,
                       .element = k + 1,
                       .dof = i + 1,
                       .motion = NUM_NONE,
                       .partner = i < 3 ? *q + i : -1,
                       .name = td_push_name(b->m, "%s[%d].%s", name, k + 1, rates[i]),
                       .init = td_build_number(b, num_ex(b, 0))};
  }
  return TD_OK;
}

// Add the translation and the rotation of a free node.
static td_status push_node_hops(builder* b, int q, int v) {
  td_model* m = b->m;
  const double zero[3] = {0};
  const num start = td_build_constants(b, zero, 3);
  model_hop* hop = td_push_hop(m, 2);
  model_col* col = td_push_col(m, 6);
  if (!hop || !col || start == NUM_NONE) return TD_E_NOMEM;
  const int at = m->nhop - 2, first = m->ncol - 6;
  hop[0] = (model_hop){.kind = HOP_MOVE,
                       .parent = -1,
                       .fix = m->nfix,
                       .col = first,
                       .nv = 3,
                       .q = q,
                       .v = v,
                       .nq = 3,
                       .axis = NUM_NONE,
                       .pitch = NUM_NONE,
                       .value = start,
                       .group = at};
  hop[1] = (model_hop){.kind = HOP_BALL,
                       .parent = at,
                       .fix = m->nfix,
                       .col = first + 3,
                       .nv = 3,
                       .q = q + 3,
                       .v = v + 3,
                       .nq = 4,
                       .axis = NUM_NONE,
                       .pitch = NUM_NONE,
                       .value = NUM_NONE,
                       .group = at + 1};
  for (int i = 0; i < 6; i++)
    col[i] = (model_col){.hop = i < 3 ? at : at + 1,
                         .v = v + i,
                         .q = q + i,
                         .part = i % 3,
                         .weight = NUM_NONE,
                         .slope = NUM_NONE};
  return TD_OK;
}

// Add free node k of a rod and the segment that leads to it.
static td_status free_node(builder* b, int rod, int k, int from, int* station) {
  build_rod* r = &b->rod[rod];
  int q, v;
  TD_TRY(push_node_dofs(b, rod, k, &q, &v));
  TD_TRY(push_node_hops(b, q, v));
  r->hop[k + 1] = b->m->nhop - 1;
  TD_TRY(td_rod_station(b, rod, r->arc[k + 1], station));
  const num strain = td_push_number_ex(b->m, 13) ? b->m->nnumber_ex - 13 : NUM_NONE;
  model_node* node = td_push_node(b->m, 1);
  if (!node || strain == NUM_NONE) return TD_E_NOMEM;
  for (int d = 0; d < 6; d++) {
    b->m->number_ex[strain + d] = td_rod_start(b, rod, "init", d, segment_middle(r, k));
    b->m->number_ex[strain + 6 + d] = td_rod_start(b, rod, "rate", d, segment_middle(r, k));
  }
  b->m->number_ex[strain + 12] = segment_ex(b, rod, k);
  *node = (model_node){from, *station, q, v, strain, strain + 6, strain + 12};
  model_strain f = {.kind = STRAIN_SEGMENT, .a = from, .b = *station, .coords = -1};
  for (int d = 0; d < 6; d++) f.dof_q[d] = f.dof_v[d] = -1;
  return segment_strain(b, rod, k, &f);
}

td_status td_build_rod_eba(builder* b, int rod) {
  int from, station;
  TD_TRY(td_rod_station(b, rod, 0, &from));
  for (int k = 0; k < b->rod[rod].n; k++) {
    TD_TRY(free_node(b, rod, k, from, &station));
    from = station;
  }
  return TD_OK;
}

// ---- a rod ------------------------------------------------------------------------------------

// Refuse wrenches inside a rod where something is attached at a point of the quadrature: it shares
// its frame with the rod's own mass, of which a section inside the rod counts a part.
static td_status judge_wrenches(builder* b, int rod) {
  const double length = b->rod[rod].length, eps = 1e-9 * length;
  rod_places attached = {0};
  td_status status = td_rod_attached(b, rod, &attached);
  for (int i = 0; i < b->spec->nsensor && status == TD_OK; i++) {
    const td_sensor_ref* s = &b->spec->sensors[i].ref;
    if (!sensor_is(s->kind, OF_SECTION) || s->index != rod + 1) continue;
    if (s->arc < eps || s->arc > length - eps) continue;
    for (int k = 0; k < attached.n; k++)
      for (int j = 0; j < b->m->nsample && status == TD_OK; j++) {
        const model_sample* p = &b->m->sample[j];
        if (p->rod != rod + 1 || p->weight == 0 || fabs(p->arc - attached.arc[k]) > eps) continue;
        status = td_error(b->diags, TD_E_MODEL, b->spec->sensors[i].at,
                          "wrench: what is attached to rod(%d) at %g m, a point of its quadrature, "
                          "cannot be told from the rod there; move it a little, or write another "
                          "number of rod(%d).points",
                          rod + 1, attached.arc[k], rod + 1);
      }
  }
  td_rod_places_free(&attached);
  return status;
}

// Places that are written and do not move along with the rod.  What is measured or touches between
// its points, and places where the model has a point, is decided by the parameters' present values.
static td_status judge_places(builder* b, int rod, rod_model model) {
  build_rod* r = &b->rod[rod];
  rod_places places = {0};
  const td_status status = td_rod_places(b, rod, &places);
  td_rod_places_free(&places);
  if (status != TD_OK || !r->moves) return status;
  if (td_rod_has_wrench(b, rod)) td_rod_settle(b, rod, "whose wrench is measured");
  if (td_rod_in_contact(b, rod)) td_rod_settle(b, rod, "which is in contact");
  bool meets = false, strained = false;
  for (int i = 0; i < r->nmark && !td_rod_models[model].points; i++) {
    const rod_part* p = td_rod_part_at(b, rod, r->mark[i].arc);
    const double at = 4 * p->n * (r->mark[i].arc - p->from) / p->length;
    meets = meets || fabs(at - round(at)) < 1e-9 * p->n;
    for (int k = 0; k < b->spec->nsensor; k++) {  // strains are interpolated between segments
      const td_sensor_ref* s = &b->spec->sensors[k].ref;
      strained = strained || (s->root == 'r' && s->index == rod + 1 && s->arc == r->mark[i].arc &&
                              sensor_is(s->kind, OF_STRAIN));
    }
  }
  if (meets) td_rod_settle(b, rod, TD_ON_A_POINT);
  if (strained) td_rod_settle(b, rod, "whose strain is measured between its segments");
  return TD_OK;
}

td_status td_build_rod(builder* b, int rod, int hop, int fix, int nfix) {
  static td_status (*const build[ROD_MODELS])(builder*, int) = {
#define X(name, ...) td_build_rod_##name,
      TD_ROD_MODELS(X)
#undef X
  };
  static td_status (*const refine[ROD_MODELS])(builder*, int) = {
#define X(name, ...) td_refine_rod_##name,
      TD_ROD_MODELS(X)
#undef X
  };
  build_rod* r = &b->rod[rod];
  const bool written = r->joint < 0;
  const char* word = written ? r->w.model : "rom";
  rod_model model = 0;
  for (int i = 0; i < ROD_MODELS; i++)
    if (strcmp(word, td_rod_models[i].name) == 0) model = (rod_model)i;

  // the rod, its segments and its base
  char name[160];
  if (written && b->spec->refine.on) TD_TRY(refine[model](b, rod));
  const bool jumps = b->m->rod[rod].jumps, hidden = b->m->rod[rod].hidden;
  td_build_rod_name(b, rod, name, sizeof name);
  b->m->rod[rod] = (model_rod){.name = td_push_name(b->m, "%s", name),
                               .length = r->length,
                               .extent = td_build_number(b, td_rod_arc(b, rod, r->length)),
                               .model = model,
                               .n = r->n,
                               .order = {-1, -1, -1, -1, -1, -1},
                               .monomial = !written,
                               .jumps = jumps,
                               .hidden = hidden,
                               .fixed = !written};
  for (int i = 0; i < r->npart; i++) b->m->rod[rod].fixed |= r->part[i].w.strain != NULL;
  r->hop = malloc(((size_t)r->n + 1) * sizeof(int));
  r->arc = calloc((size_t)r->n + 1, sizeof(double));
  if (!r->hop || !r->arc) return TD_E_NOMEM;
  for (int i = 0; i < r->npart; i++) {
    const rod_part* p = &r->part[i];
    for (int k = 1; k <= p->n; k++) r->arc[p->first + k] = p->from + k * p->length / p->n;
  }
  r->hop[0] = hop;
  r->fix = fix;
  r->nfix = nfix;
  r->placed = true;
  if (written) TD_TRY(judge_places(b, rod, model));
  if (!written) return td_build_rom_joint(b, rod);

  // frames, strains and masses of its model
  if (td_rod_has_wrench(b, rod)) {  // at the base it is what a hop of its own transmits
    TD_TRY(td_build_still(b, hop, fix, nfix));
    r->hop[0] = b->m->nhop - 1;
    r->nfix = 0;
  }
  if (td_rod_models[model].positions) TD_TRY(refuse_held(b, rod, td_rod_models[model].name));
  TD_TRY(build[model](b, rod));
  if (!td_rod_models[model].points) {
    for (int k = 0; k <= r->n; k++) TD_TRY(push_piece(b, rod, k));
    return TD_OK;
  }
  // a wrench inside the rod sums its frames, which are found by their stations
  int station;
  if (!td_rod_has_wrench(b, rod)) return TD_OK;
  TD_TRY(td_rod_station(b, rod, 0, &station));
  for (int i = 0; i < r->npoint; i++) TD_TRY(td_rod_station(b, rod, r->point_arc[i], &station));
  return judge_wrenches(b, rod);
}
