// Cables between two of their rods, from the end of one to the base of the next.
//
// Where the two ends coincide when all coordinates between them are zero there is a joint, or
// several, and the cable passes it as the limit of a short rod: a crossing of a piece of length 1
// without stiffness (elem/cable.h).  Its strains are the coordinate of a single screw, which may
// turn as often as it likes, or those of the line between the two frames.
//
// Where a transformation or a body separates the ends, the cable runs straight from its point at
// the one to its point at the other: a span (elem/chord.h).
#include <math.h>
#include <stdio.h>

#include "elem/cable.h"
#include "model/cables.h"
#include "model/fix_pose.h"
#include "model/rods.h"

// The frame at the end of a rod or at its base.
typedef struct rod_end {
  int hop, fix, nfix;
} rod_end;

// ---- do the ends coincide? --------------------------------------------------------------------

// Parameters for which ends are compared (td_build_trial).
typedef struct trial {
  const builder* b;
  const double* vars;
} trial;

// The values of n slots; false: they depend on more than parameters.
static bool constants(const trial* t, num slot, int n, double* x) {
  for (int i = 0; i < n; i++) {
    const ex e = t->b->m->number_ex[slot + i];
    if (td_ex_depends(t->b->spec->graph, e) & ~(unsigned)TD_ON_PARAM) return false;
    x[i] = td_ex_eval(t->b->spec->graph, e, t->vars);
  }
  return true;
}

// Product of fixed transformations whose numbers are constants.  False: some number is not.
static bool pose_of(const trial* t, int fix, int nfix, pose* g) {
  *g = pose_identity();
  for (int i = fix; i < fix + nfix; i++) {
    const model_fix* f = &t->b->m->fix[i];
    double trans[3], rot[4] = {0};
    if (!constants(t, f->trans, 3, trans)) return false;
    if (f->rot != NUM_NONE && !constants(t, f->rot, fix_numbers(f), rot)) return false;
    *g = pose_mul(*g, (pose){fix_rotation(f, rot), vec3_of(trans)});
  }
  return true;
}

// To rounding, for a rod of this length.
static bool same_pose(const pose* a, const pose* c, double length) {
  double turn = 0;
  for (int i = 0; i < 9; i++) turn = fmax(turn, fabs(a->R.m[i] - c->R.m[i]));
  return turn < 1e-12 && vec3_norm(vec3_sub(a->p, c->p)) < 1e-12 * length;
}

// A hop of a rigid joint that does nothing when its coordinates are zero.
static bool is_joint(const trial* t, const model_hop* hop) {
  const builder* b = t->b;
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_dof* dof = &b->m->vel[b->m->col[k].v];
    if (dof->rod > 0 || dof->mesh > 0) return false;
  }
  if (is_step(hop)) return false;
  double y[3];  // of charts and translations
  const bool numbers = has_chart(hop) || td_hop_traits[hop->kind].axes == 0;
  return !numbers || (constants(t, hop->value, 3, y) && y[0] == 0 && y[1] == 0 && y[2] == 0);
}

// The pose of `to` seen from the hop of `from` when all coordinates between are zero; false: there
// is more between them than joints.
static bool pose_between(const trial* t, const rod_end* from, const rod_end* to, pose* g) {
  const builder* b = t->b;
  if (!pose_of(t, to->fix, to->nfix, g)) return false;
  for (int h = to->hop; h != from->hop; h = b->m->hop[h].parent) {
    pose before;
    if (h < 0 || !is_joint(t, &b->m->hop[h])) return false;
    if (!pose_of(t, b->m->hop[h].fix, b->m->hop[h].nfix, &before)) return false;
    *g = pose_mul(before, *g);
  }
  return true;
}

// Whether the ends meet was decided with the parameters' present values.
static void settle_ends(builder* b, const rod_end* from, const rod_end* to) {
  const int first[2] = {from->fix, to->fix}, n[2] = {from->nfix, to->nfix};
  for (int k = 0; k < 2; k++)
    for (int i = first[k]; i < first[k] + n[k]; i++) {
      const model_fix* f = &b->m->fix[i];
      for (int c = 0; c < 3; c++) td_spec_settle(b->spec, b->m->number_ex[f->trans + c]);
      for (int c = 0; f->rot != NUM_NONE && c < fix_numbers(f); c++)
        td_spec_settle(b->spec, b->m->number_ex[f->rot + c]);
    }
  for (int h = to->hop; h >= 0 && h != from->hop; h = b->m->hop[h].parent) {
    const rod_end own = {-1, b->m->hop[h].fix, b->m->hop[h].nfix}, none = {-1, 0, 0};
    settle_ends(b, &own, &none);
  }
}

// ---- joints -----------------------------------------------------------------------------------

// Add a station, a frame at an end of a rod, and return its number.
static td_status push_frame(builder* b, const rod_end* e, const char* name, int* station) {
  model_station* s = td_push_station(b->m, 1);
  if (!s) return TD_E_NOMEM;
  *s = (model_station){.hop = e->hop,
                       .fix = e->fix,
                       .nfix = e->nfix,
                       .body = -1,
                       .name = td_push_name(b->m, "%s", name)};
  *station = b->m->nstation - 1;
  return TD_OK;
}

// Does a single screw lie between the ends, with its axis through both?
static bool is_screw(const trial* t, const rod_end* from, const rod_end* to, const pose* end) {
  const builder* b = t->b;
  const pose one = pose_identity();
  pose g;
  if (to->hop < 0) return false;
  const hop_traits* traits = &td_hop_traits[b->m->hop[to->hop].kind];
  const bool screw = traits->axes == 1 && !traits->quaternion;
  if (!screw) return false;
  if (b->m->hop[to->hop].parent != from->hop) return false;
  return pose_of(t, to->fix, to->nfix, &g) && same_pose(&g, &one, 1) &&
         pose_of(t, b->m->hop[to->hop].fix, b->m->hop[to->hop].nfix, &g) && same_pose(&g, end, 1);
}

// Strains of a screw: its axis times its coordinate, of which helical joints move along as well.
static td_status push_terms(builder* b, const model_hop* hop, model_strain* f) {
  f->kind = STRAIN_BASIS;
  f->term = b->m->nterm;
  for (int d = 0; d < 6; d++) {
    const ex along = b->m->number_ex[hop->axis + d % 3];  // of unit length
    if (along == num_ex(b, 0) || (d >= 3 && !hop->turns)) continue;
    if (d < 3 && !hop->moves && hop->pitch == NUM_NONE) continue;
    const ex lead = d < 3 && !hop->moves ? b->m->number_ex[hop->pitch] : num_ex(b, 1);
    const num weight = td_build_number(b, mul(b, along, lead));
    model_term* term = td_push_term(b->m, 1);
    if (!term || weight == NUM_NONE) return TD_E_NOMEM;
    *term = (model_term){.q = hop->q, .v = hop->v, .mode = d, .weight = weight, .rate = NUM_NONE};
    f->nterm++;
  }
  return TD_OK;
}

// The path half-way between those on both sides, and how far these are apart.
static num push_point(builder* b, num before, num after) {
  td_exprs* g = b->spec->graph;
  const double zero[CABLE_PATH] = {0};
  const num at = td_build_constants(b, zero, CABLE_PATH);
  if (at == NUM_NONE) return at;
  ex* e = b->m->number_ex;
  const ex x = minus(b, e[after], e[before]), y = minus(b, e[after + 1], e[before + 1]);
  for (int c = 0; c < 2; c++) e[at + c] = times(b, 0.5, add(b, e[before + c], e[after + c]));
  e[at + 2] = td_ex_1(g, EX_SQRT, add(b, mul(b, x, x), mul(b, y, y)));
  return at;
}

// Let a cable cross the joint between its rods k and k + 1: a piece of length 1 without stiffness,
// whose strains are the screw's coordinate, or those between the frames at both ends.
static td_status cross_joint(builder* b, int cable, int k, const rod_end ends[2], bool screw,
                             num before, num after) {
  const double zeros[SECTION_SLOTS] = {0};
  const num section = td_build_constants(b, zeros, SECTION_SLOTS);
  const num path = push_point(b, before, after);
  if (section == NUM_NONE || path == NUM_NONE) return TD_E_NOMEM;
  TD_TRY(td_cable_room(b, cable));
  model_strain f = {.a = -1,
                    .b = -1,
                    .kind = STRAIN_SEGMENT,
                    .section = section,
                    .rate = NUM_NONE,
                    .coords = -1,
                    .hessian = NUM_NONE,
                    .potential = true,
                    .crossing = b->m->ncrossing,
                    .ncrossing = 1};
  char name[64];
  snprintf(name, sizeof name, "cable(%d).joint(%d)", cable + 1, k + 1);

  // a section without forces and without length at rest
  f.name = td_push_name(b->m, "%s", name);
  for (int d = 0; d < 6; d++) f.dof_q[d] = f.dof_v[d] = -1;
  b->m->number_ex[section + SECTION_POWER] = num_ex(b, 1);
  b->m->number_ex[section + SECTION_LENGTH] = num_ex(b, 1);
  b->m->number_ex[section + SECTION_HELD + 2] = num_ex(b, -1);  // no length at rest

  // strains by the screw's coordinate, or by two frames
  if (screw) {
    TD_TRY(push_terms(b, &b->m->hop[ends[1].hop], &f));
  } else {
    TD_TRY(push_frame(b, &ends[0], name, &f.a));
    TD_TRY(push_frame(b, &ends[1], name, &f.b));
  }
  model_strain* to = td_push_strain(b->m, 1);
  model_crossing* c = td_push_crossing(b->m, 1);
  const num cover = td_build_number(b, num_ex(b, 1));
  if (!to || !c || cover == NUM_NONE) return TD_E_NOMEM;
  *to = f;
  *c = (model_crossing){b->m->nstrain - 1, cable, cover, path, k + 1};
  return TD_OK;
}

// ---- spans ------------------------------------------------------------------------------------

// Add a station at the cable's point `path` in the section at a rod's end e.
static td_status push_section(builder* b, int cable, int k, const rod_end* e, num path,
                              int* station) {
  const double zero[3] = {0};
  rod_end at = {e->hop, b->m->nfix, e->nfix + 1};
  char name[64];
  const num trans = td_build_constants(b, zero, 3);
  if (trans == NUM_NONE) return TD_E_NOMEM;
  for (int c = 0; c < 2; c++) b->m->number_ex[trans + c] = b->m->number_ex[path + c];
  for (int i = 0; i < at.nfix; i++) {
    model_fix* f = td_push_fix(b->m, 1);
    if (!f) return TD_E_NOMEM;
    *f = i < e->nfix ? b->m->fix[e->fix + i]
                     : (model_fix){.kind = ROT_NONE, .trans = trans, .rot = NUM_NONE};
  }
  snprintf(name, sizeof name, "cable(%d).rod(%d)", cable + 1, k + 1);
  return push_frame(b, &at, name, station);
}

// Add the straight span of a cable from its point in the last section of rod k to its point in the
// first section of rod k + 1.  Refuses friction, unless the two sections are rigidly connected.
static td_status push_chord(builder* b, int cable, int k, const rod_end ends[2], num before,
                            num after) {
  int from, to;
  const bool moves = ends[0].hop != ends[1].hop;
  if (moves && b->m->cable[cable].friction != NUM_NONE)
    return td_error(b->diags, TD_E_MODEL, td_get_at(b->cables, cable, "friction"),
                    "cable(%d).friction: between rod(%d) and rod(%d) the cable runs straight "
                    "through space, where friction is not computed; let the rods meet in a joint, "
                    "or write a cable for each",
                    cable + 1, td_cable_rod(b, cable, k), td_cable_rod(b, cable, k + 1));
  TD_TRY(push_section(b, cable, k, &ends[0], before, &from));
  TD_TRY(push_section(b, cable, k + 1, &ends[1], after, &to));
  model_span* s = td_push_span(b->m, 1);
  if (!s) return TD_E_NOMEM;
  *s = (model_span){cable, from, to, true};
  b->m->cable[cable].nspan++;
  return TD_OK;
}

// ---- a cable ----------------------------------------------------------------------------------

static bool same_point(const builder* b, num before, num after) {
  for (int c = 0; c < 2; c++)
    if (b->m->number_ex[before + c] != b->m->number_ex[after + c]) return false;
  return true;
}

// For each pair of successive rods: nothing where the cable's points coincide rigidly, a crossing
// where a joint brings the ends together, a chord otherwise.
td_status td_build_cable_joints(builder* b, int cable) {
  const int n = td_cable_rods(b, cable);
  if (n < 2) return TD_OK;
  b->m->cable[cable].span = b->m->nspan;
  for (int k = 0; k + 1 < n; k++) {
    // frames and points of the cable at the end of one rod and the base of the next
    const int one = td_cable_rod(b, cable, k), next = td_cable_rod(b, cable, k + 1);
    const num before = td_cable_path(b, cable, one, b->rod[one - 1].length),
              after = td_cable_path(b, cable, next, 0);
    const build_rod* r = &b->rod[next - 1];
    const place tip = {.rod = one, .arc = b->rod[one - 1].length};
    rod_end ends[2] = {{0}, {r->hop[0], r->fix, r->nfix}};
    if (before == NUM_NONE || after == NUM_NONE) return TD_E_NOMEM;
    TD_TRY(td_build_anchor(b, &tip, 0, &ends[0].hop, &ends[0].fix, &ends[0].nfix));

    // joints that bring the ends together when nothing has moved, whatever the parameters
    pose end, base;
    bool meet = false, screw = false;
    for (int trying = 0; trying <= TD_TRIALS; trying++) {
      double* vars = td_build_trial(b, trying);
      const trial t = {b, vars};
      if (!vars) return TD_E_NOMEM;
      const bool now = pose_of(&t, ends[0].fix, ends[0].nfix, &end) &&
                       pose_between(&t, &ends[0], &ends[1], &base) &&
                       same_pose(&end, &base, b->rod[one - 1].length);
      const bool turns = now && is_screw(&t, &ends[0], &ends[1], &end);
      if (trying == 0) meet = now, screw = turns;
      if (now != meet || turns != screw) settle_ends(b, &ends[0], &ends[1]);
      free(vars);
      if (!meet) break;
    }
    const bool rigid = ends[0].hop == ends[1].hop;
    if (meet && rigid && same_point(b, before, after)) continue;
    if (meet && !rigid) {
      TD_TRY(cross_joint(b, cable, k, ends, screw, before, after));
    } else {
      TD_TRY(push_chord(b, cable, k, ends, before, after));
    }
  }
  return TD_OK;
}
