// One joint's transformations: what `tr` and `type` say becomes a list of items (fixed
// transformations and hops), and each element of the joint gets its own hops from that list.
//
//   g = g_first · Π [trans_k, rot_k],   inf in an element makes a DOF, in order of appearance
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/build.h"
#include "model/hop_words.h"

item* td_push_item(build_joint* j) {
  item* grown = td_grow(j->items, &j->item_cap, j->nitem + 1, sizeof(item));
  if (!grown) return NULL;
  j->items = grown;
  item* it = &j->items[j->nitem++];
  *it = (item){
      .tr = -1, .axis = NUM_NONE, .pitch = NUM_NONE, .value = NUM_NONE, .free = {-1, -1, -1}};
  return it;
}

static bool is_free(const value* v, int i) {
  return !(v->e && v->e[i] != EX_NONE) && isinf(v->x[i]);
}

static bool is_zero(const value* v, int i) { return !(v->e && v->e[i] != EX_NONE) && v->x[i] == 0; }

static int count_free(const value* v) {
  int n = 0;
  for (int i = 0; v && i < td_value_count(v); i++) n += is_free(v, i);
  return n;
}

static td_status push_screw(builder* b, build_joint* j, const double axis[3], bool turns,
                            num pitch) {
  item* it = td_push_item(j);
  if (!it) return TD_E_NOMEM;
  it->kind = HOP_SCREW;
  it->turns = turns;
  it->moves = !turns;
  it->pitch = pitch;
  it->axis = td_build_constants(b, axis, 3);
  it->dof = j->ndof;
  it->ndof = it->nq = it->nv = 1;
  j->ndof++;
  return it->axis == NUM_NONE ? TD_E_NOMEM : TD_OK;
}

static td_status push_ball(build_joint* j) {
  item* it = td_push_item(j);
  if (!it) return TD_E_NOMEM;
  it->kind = HOP_BALL;
  it->dof = j->ndof;
  it->ndof = it->nq = 4;
  it->nv = 3;
  j->ndof += 4;
  return TD_OK;
}

// Is a rotation prescribed that has three of the joint's DOFs from `first` on: by the joint's
// `motion`, or by that of each?
static bool is_given(const build_joint* j, int first) {
  const value* dofs = td_get(j->s, j->at, "dof");
  if (td_get(j->s, j->at, "motion")) return true;
  for (int d = first; d < first + 3; d++)
    if (!dofs || d >= td_value_count(dofs) || !td_get(dofs, d, "motion")) return false;
  return true;
}

// A ball, or where its rotation is prescribed the rotation vector, which tells turns of any size.
static td_status push_turn(builder* b, build_joint* j) {
  static const double zero[3] = {0, 0, 0};
  if (!is_given(j, j->ndof)) return push_ball(j);
  item* it = td_push_item(j);
  if (!it) return TD_E_NOMEM;
  it->kind = HOP_TURN;
  it->dof = j->ndof;
  it->ndof = it->nq = it->nv = 3;
  for (int c = 0; c < 3; c++) it->free[c] = c;
  j->ndof += 3;
  it->value = td_build_constants(b, zero, 3);
  return it->value == NUM_NONE ? TD_E_NOMEM : TD_OK;
}

// Free components of a three-number chart.
static td_status push_chart(builder* b, build_joint* j, hop_kind kind, const value* rot,
                            int offset) {
  item* it = td_push_item(j);
  if (!it) return TD_E_NOMEM;
  double constant[3] = {0, 0, 0};
  it->kind = kind;
  it->dof = j->ndof;
  for (int c = 0; c < 3; c++)
    if (is_free(rot, offset + c)) it->free[c] = it->ndof++;
  it->nq = it->nv = it->ndof;
  j->ndof += it->ndof;
  it->value = td_build_constants(b, constant, 3);
  if (it->value == NUM_NONE) return TD_E_NOMEM;
  for (int c = 0; c < 3; c++)
    if (it->free[c] < 0)
      b->m->number_ex[it->value + c] = td_value_ex(rot, offset + c, b->spec->graph);
  return TD_OK;
}

// ---- vector parts of unit quaternions ----------------------------------------------------------

// [0 inf inf inf] and [0 0 inf 0] name the vector part e of a unit quaternion.  Its three numbers
// (its one) say nothing of the motion at half a turn, so that the whole quaternion and the angular
// velocity are integrated behind them, unless a single number of e is prescribed, shared or counted
// among all coordinates: then e itself is integrated, up to half a turn.

// What asks for single numbers among DOFs first ... first + n - 1 of a joint; NULL: nothing.
static const char* single_number(const builder* b, int joint, int first, int n) {
  static const char* const fields[] = {"motion", "equal2"};
  const build_joint* j = &b->joint[joint];
  if (td_get(j->s, j->at, "motion")) return "motion";
  const value* dofs = td_get(j->s, j->at, "dof");
  for (int d = first; dofs && d < first + n && d < td_value_count(dofs); d++)
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
      if (td_get(dofs, d, fields[f])) return fields[f];
  // coordinates of others that are equal to one of this joint's
  for (int k = 0; k < b->njoint; k++) {
    const value* others = td_get(b->joint[k].s, b->joint[k].at, "dof");
    for (int d = 0; others && d < td_value_count(others); d++) {
      const value* equal = td_get(others, d, "equal2");
      const int rows = equal && equal->cols <= 3 ? equal->rows : 0;
      if (equal && td_value_count(equal) == 1) return "equal2";  // counted over all joints
      for (int row = 0; row < rows; row++)
        if (equal->x[row] == joint + 1) return "equal2";
    }
  }
  for (int i = 0; i < b->spec->nsensor; i++) {
    const td_sensor_ref* s = &b->spec->sensors[i].ref;
    const td_sensor_info* info = &td_sensor_table[s->kind];
    if (info->about == 'i') return info->depends == TD_ON_RATE ? "v(i)" : "q(i)";
    const bool own =
        s->root == 'j' && s->index == joint + 1 && s->item > first && s->item <= first + n;
    if (own && (info->traits & WITH_NUMBER) && info->depends == TD_ON_STATE &&
        td_get(b->spec->root, 0, "task"))
      return "task";
  }
  return NULL;
}

static td_status push_vector_part(builder* b, build_joint* j, const value* rot) {
  item* it = td_push_item(j);
  if (!it) return TD_E_NOMEM;
  double axis[3];
  for (int c = 0; c < 3; c++) axis[c] = is_free(rot, c + 1);
  it->ndof = it->nv = is_free(rot, 1) + is_free(rot, 2) + is_free(rot, 3);
  it->kind = it->ndof == 3 ? HOP_BALL : HOP_CIRCLE;
  it->vector = true;
  it->dof = j->ndof;
  it->nq = it->ndof + 1;
  j->ndof += it->ndof;
  if (it->ndof == 3) return TD_OK;
  it->axis = td_build_constants(b, axis, 3);
  return it->axis == NUM_NONE ? TD_E_NOMEM : TD_OK;
}

// [inf … inf …]: all four numbers of a quaternion, or a pair about one axis.
static td_status push_quaternion(builder* b, build_joint* j, const value* rot, td_span at,
                                 const char* what) {
  const int nvector = is_free(rot, 1) + is_free(rot, 2) + is_free(rot, 3);
  if (nvector == 3) return td_get(j->s, j->at, "motion") ? push_turn(b, j) : push_ball(j);
  bool zeros = nvector == 1;
  for (int c = 1; c < 4; c++) zeros = zeros && (is_free(rot, c) || is_zero(rot, c));
  if (!zeros) {
    td_error(b->diags, TD_E_MODEL, at,
             "%s is a partly free quaternion: with inf first, either all four numbers are inf, or "
             "one more is inf and two "
             "are 0",
             what);
    td_hint(b->diags, "[0 ...] has one to three free numbers and no normalisation");
    return TD_E_MODEL;
  }
  double axis[3];
  for (int c = 0; c < 3; c++) axis[c] = is_free(rot, c + 1);
  item* it = td_push_item(j);
  if (!it) return TD_E_NOMEM;
  it->kind = HOP_CIRCLE;
  it->dof = j->ndof;
  it->ndof = it->nq = 2;
  it->nv = 1;
  it->axis = td_build_constants(b, axis, 3);
  j->ndof += 2;
  return it->axis == NUM_NONE ? TD_E_NOMEM : TD_OK;
}

// The constant numbers of a partly free unit quaternion leave room for the free ones.
static td_status check_vector_part(builder* b, const value* rot, td_span at, const char* what) {
  double sum = 0;
  for (int c = 1; c < 4; c++)
    if (!is_free(rot, c) && !(rot->e && rot->e[c] != EX_NONE)) sum += rot->x[c] * rot->x[c];
  if (sum < 1) return TD_OK;
  return td_error(
      b->diags, TD_E_MODEL, at,
      "%s is the vector part of a unit quaternion: its numbers must have a length below 1, got %g",
      what, sqrt(sum));
}

// [0 ...]: some numbers of the vector part of a unit quaternion.
static td_status vector_part(builder* b, build_joint* j, const value* rot, td_span at,
                             const char* what) {
  TD_TRY(check_vector_part(b, rot, at, what));
  const int n = is_free(rot, 1) + is_free(rot, 2) + is_free(rot, 3);
  bool one_axis = n == 1;
  for (int c = 1; c < 4; c++) one_axis = one_axis && (is_free(rot, c) || is_zero(rot, c));
  const char* chart = td_build_word(j->s, j->at, "chart");
  const bool asked = chart && strcmp(chart, "vector") == 0;
  if ((n < 3 && !one_axis) || asked) return push_chart(b, j, HOP_QUAT3, rot, 1);
  const char* reason = single_number(b, (int)(j - b->joint), j->ndof, n);
  if (!reason) return push_vector_part(b, j, rot);
  td_remark(b->diags, at,
            "%s is integrated as the vector part of a unit quaternion itself because of `%s`: a "
            "motion that reaches half a turn will end with a message",
            what, reason);
  td_hint(b->diags, "joint.chart = 'vector' says so without this note");
  return push_chart(b, j, HOP_QUAT3, rot, 1);
}

static td_status rotation_items(builder* b, build_joint* j, const value* rot, td_span at,
                                const char* what) {
  switch (td_value_count(rot)) {
    case 2: {
      const int axis = (int)rot->x[0] - 1;  // 1, 2 or 3: the check saw to it
      const double unit[3] = {axis == 0, axis == 1, axis == 2};
      return push_screw(b, j, unit, true, NUM_NONE);
    }
    case 3:
      return push_chart(b, j, HOP_CAYLEY, rot, 0);
    default:
      if (is_free(rot, 0)) return push_quaternion(b, j, rot, at, what);
      return vector_part(b, j, rot, at, what);
  }
}

static td_status tr_items(builder* b, int joint, const value* tr, int i) {
  build_joint* j = &b->joint[joint];
  const value* trans = td_get(tr, i, "trans");
  const value* rot = td_get(tr, i, "rot");
  const bool free_rot = count_free(rot) > 0;
  // constant part: the translation, and the rotation when nothing of it is free
  item* it = td_push_item(j);
  if (!it) return TD_E_NOMEM;
  it->tr = i;
  for (int c = 0; trans && c < 3; c++) {
    const double axis[3] = {c == 0, c == 1, c == 2};
    if (is_free(trans, c)) TD_TRY(push_screw(b, j, axis, false, NUM_NONE));
  }
  if (free_rot) {
    char what[48];
    snprintf(what, sizeof what, "joint(%d).tr(%d).rot", joint + 1, i + 1);
    TD_TRY(rotation_items(b, j, rot, td_get_at(tr, i, "rot"), what));
  }
  // a fixed rotation after free translations is a step of its own
  if (!free_rot && rot && count_free(trans) > 0) {
    it = td_push_item(j);
    if (!it) return TD_E_NOMEM;
    it->tr = -2 - i;
  }
  return TD_OK;
}

void td_complete_frame(const double n[3], double t1[3], double t2[3]) {
  // start from the principal axis after the one n is nearest to
  int k = 0;
  for (int c = 1; c < 3; c++)
    if (fabs(n[c]) > fabs(n[k])) k = c;
  double a[3] = {0, 0, 0}, norm = 0, dot;
  a[(k + 1) % 3] = n[k] < 0 ? -1 : 1;
  dot = a[(k + 1) % 3] * n[(k + 1) % 3];
  for (int c = 0; c < 3; c++) {
    t1[c] = a[c] - dot * n[c];
    norm += t1[c] * t1[c];
  }
  for (int c = 0; c < 3; c++) t1[c] /= sqrt(norm);
  for (int c = 0; c < 3; c++)
    t2[c] = n[(c + 1) % 3] * t1[(c + 2) % 3] - n[(c + 2) % 3] * t1[(c + 1) % 3];
}

bool td_unit_vector(double x[3]) {
  const double size = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
  if (!(size > 0)) return false;
  for (int c = 0; c < 3; c++) x[c] /= size;
  const double norm = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  for (int c = 0; c < 3; c++) x[c] /= norm;
  return true;
}

// Row r of `axis` as a unit vector: a constant that is not zero, the check saw to it.
static void read_axis(builder* b, int joint, int r, const double fallback[3], double out[3]) {
  const value* axis = td_get(b->joint[joint].s, b->joint[joint].at, "axis");
  const int rows = axis ? td_value_count(axis) / 3 : 0;
  for (int c = 0; c < 3; c++) out[c] = r < rows ? axis->x[r + rows * c] : fallback[c];
  td_unit_vector(out);
}

static td_status read_pitch(builder* b, int joint, num* pitch) {
  const build_joint* j = &b->joint[joint];
  *pitch = td_build_number(b, td_value_ex(td_get(j->s, j->at, "pitch"), 0, b->spec->graph));
  return *pitch == NUM_NONE ? TD_E_NOMEM : TD_OK;
}

static td_status type_items(builder* b, int joint, const char* type) {
  build_joint* j = &b->joint[joint];
  static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
  double n[3], t1[3], t2[3];
  read_axis(b, joint, 0, strcmp(type, "universal") == 0 ? x : z, n);
  if (strcmp(type, "fixed") == 0) return TD_OK;
  if (strcmp(type, "revolute") == 0) return push_screw(b, j, n, true, NUM_NONE);
  if (strcmp(type, "prismatic") == 0) return push_screw(b, j, n, false, NUM_NONE);
  if (strcmp(type, "helical") == 0) {
    num pitch;
    TD_TRY(read_pitch(b, joint, &pitch));
    return push_screw(b, j, n, true, pitch);
  }
  if (strcmp(type, "cylindrical") == 0) {
    TD_TRY(push_screw(b, j, n, true, NUM_NONE));
    return push_screw(b, j, n, false, NUM_NONE);
  }
  if (strcmp(type, "planar") == 0) {
    td_complete_frame(n, t1, t2);
    TD_TRY(push_screw(b, j, t1, false, NUM_NONE));
    TD_TRY(push_screw(b, j, t2, false, NUM_NONE));
    return push_screw(b, j, n, true, NUM_NONE);
  }
  if (strcmp(type, "universal") == 0) {
    double m[3];
    read_axis(b, joint, 1, y, m);
    TD_TRY(push_screw(b, j, n, true, NUM_NONE));
    return push_screw(b, j, m, true, NUM_NONE);
  }
  if (strcmp(type, "free") == 0) {
    TD_TRY(push_screw(b, j, x, false, NUM_NONE));
    TD_TRY(push_screw(b, j, y, false, NUM_NONE));
    TD_TRY(push_screw(b, j, z, false, NUM_NONE));
  }
  TD_TRY(push_turn(b, j));
  j->items[j->nitem - 1].typed = true;
  return TD_OK;
}

td_status td_build_items(builder* b, int joint) {
  build_joint* j = &b->joint[joint];
  if (j->rom) return TD_OK;
  const value* tr = j->tr;
  const int n = tr ? td_value_count(tr) : 0;
  for (int i = 0; i < n; i++) TD_TRY(tr_items(b, joint, tr, i));
  for (int k = 0; k < HOP_KINDS; k++)
    if (td_hop_words[k]->fields) TD_TRY(td_hop_words[k]->items(b, joint));
  const char* type = td_build_word(j->s, j->at, "type");
  return type ? type_items(b, joint, type) : TD_OK;
}

// ---- fixed transformations --------------------------------------------------------------------

static td_status fixed_rotation(builder* b, const value* rot, bool quaternion, model_fix* fix) {
  const int n = td_value_count(rot);
  td_exprs* g = b->spec->graph;
  if (n == 2) {
    const int axis = (int)rot->x[0];
    if (axis == 0) return TD_OK;  // [0 0]: no rotation
    fix->kind = ROT_PRINCIPAL;
    fix->axis = axis - 1;
    fix->rot = td_build_number(b, td_value_ex(rot, 1, g));
    return fix->rot == NUM_NONE ? TD_E_NOMEM : TD_OK;
  }
  if (n == 4 && td_is_vector_part(b->spec, rot)) {
    fix->kind = ROT_UNIT_VECTOR;
    fix->rot = td_build_numbers(b, rot, 0, 1, 4, 0);
    if (fix->rot == NUM_NONE) return TD_E_NOMEM;
    fix->rot++;
    return TD_OK;
  }
  fix->kind = n == 3 ? ROT_EULER_BERNOULLI : quaternion ? ROT_QUATERNION : ROT_ANGLE_AXIS;
  bool zero = true;
  for (int i = 0; i < n; i++) zero = zero && is_zero(rot, i);
  if (zero) {
    fix->kind = ROT_NONE;
    return TD_OK;
  }
  fix->rot = td_build_numbers(b, rot, 0, 1, n, 0);
  return fix->rot == NUM_NONE ? TD_E_NOMEM : TD_OK;
}

// Translation (without its free elements) and, unless only one of them is wanted, the rotation.
static td_status push_fix(builder* b, const value* tr, int i, bool quaternion, bool want_trans,
                          bool want_rot) {
  const value* trans = td_get(tr, i, "trans");
  const value* rot = td_get(tr, i, "rot");
  model_fix fix = {.kind = ROT_NONE, .rot = NUM_NONE};
  const double zero[3] = {0, 0, 0};
  fix.trans = td_build_constants(b, zero, 3);
  if (fix.trans == NUM_NONE) return TD_E_NOMEM;
  for (int c = 0; want_trans && trans && c < 3; c++)
    if (!is_free(trans, c)) b->m->number_ex[fix.trans + c] = td_value_ex(trans, c, b->spec->graph);
  if (want_rot && rot) TD_TRY(fixed_rotation(b, rot, quaternion, &fix));
  model_fix* pushed = td_push_fix(b->m, 1);
  if (!pushed) return TD_E_NOMEM;
  *pushed = fix;
  return TD_OK;
}

td_status td_build_one_fix(builder* b, const value* tr, int i) {
  return push_fix(b, tr, i, false, true, true);
}

td_status td_build_fixes(builder* b, const value* list, bool quaternion, int* fix, int* nfix) {
  *fix = b->m->nfix;
  const int n = list ? td_value_count(list) : 0;
  for (int i = 0; i < n; i++) TD_TRY(push_fix(b, list, i, quaternion, true, true));
  *nfix = b->m->nfix - *fix;
  return TD_OK;
}

// ---- hops of one element ----------------------------------------------------------------------

static td_status push_hop(builder* b, const build_joint* j, const item* it, int element, int parent,
                          int fix) {
  td_model* m = b->m;
  model_hop* hop = td_push_hop(m, 1);
  if (!hop) return TD_E_NOMEM;
  const int at = element * j->ndof + it->dof;
  const int q = j->dof_q[at] - it->vector;  // the scalar part is before the numbers of the DOFs
  *hop = (model_hop){.kind = it->kind,
                     .parent = parent,
                     .fix = fix,
                     .nfix = m->nfix - fix,
                     .q = q,
                     .v = j->dof_v[at],
                     .nq = it->nq,
                     .col = m->ncol,
                     .nv = it->nv,
                     .turns = it->turns,
                     .moves = it->moves,
                     .vector = it->vector,
                     .axis = it->axis,
                     .pitch = it->pitch,
                     .value = it->value,
                     .group = m->nhop - 1};
  model_col* col = td_push_col(m, it->nv);
  if (!col) return TD_E_NOMEM;
  // numbers of a chart may be those of another joint (equal2)
  const bool is_chart = td_hop_traits[it->kind].chart;
  for (int k = 0; k < it->nv; k++)
    col[k] = (model_col){.hop = m->nhop - 1,
                         .v = is_chart ? j->dof_v[at + k] : j->dof_v[at] + k,
                         .q = is_chart ? j->dof_q[at + k] : q + k,
                         .part = k,
                         .weight = NUM_NONE,
                         .slope = NUM_NONE};
  // a chart with constant components has fewer columns than numbers
  for (int c = 0; c < 3; c++)
    if (it->free[c] >= 0) col[it->free[c]].part = c;
  return TD_OK;
}

// Three slides along x, y and z, one after the other, that are free and have coordinates of their
// own: one hop does the same as three.
static bool is_free_translation(const builder* b, const build_joint* j, int i, int element) {
  if (i + 2 >= j->nitem) return false;
  const item* it = &j->items[i];
  const int at = element * j->ndof + it->dof, q = j->dof_q[at], v = j->dof_v[at];
  for (int k = 0; k < 3; k++) {
    if (it[k].tr != -1 || !it[k].moves) return false;
    if (j->dof_q[at + k] != q + k || j->dof_v[at + k] != v + k) return false;
    if (b->m->vel[v + k].motion != NUM_NONE) return false;
    for (int c = 0; c < 3; c++)
      if (td_ex_value(b->spec->graph, b->m->number_ex[it[k].axis + c]) != (c == k)) return false;
  }
  return true;
}

static td_status push_translation(builder* b, const build_joint* j, const item* it, int element,
                                  int parent, int fix) {
  static const double zero[3] = {0, 0, 0};
  item move = *it;
  move.kind = HOP_MOVE;
  move.moves = false;
  move.axis = NUM_NONE;
  move.nq = move.nv = 3;
  move.value = td_build_constants(b, zero, 3);
  return move.value == NUM_NONE ? TD_E_NOMEM : push_hop(b, j, &move, element, parent, fix);
}

// Does force(joint) ask what it transmits?
static bool is_felt(const builder* b, int joint) {
  for (int i = 0; i < b->spec->nsensor; i++) {
    const td_sensor_ref* s = &b->spec->sensors[i].ref;
    if (sensor_is(s->kind, OF_JOINT) && s->root == 'j' && s->index == joint + 1) return true;
  }
  return false;
}

td_status td_build_still(builder* b, int parent, int fix, int nfix) {
  static const double zero[3] = {0, 0, 0};
  td_model* m = b->m;
  const num slots = td_build_constants(b, zero, 3);
  model_hop* hop = td_push_hop(m, 1);
  if (!hop || slots == NUM_NONE) return TD_E_NOMEM;
  *hop = (model_hop){.kind = HOP_MOVE,
                     .parent = parent,
                     .fix = fix,
                     .nfix = nfix,
                     .col = m->ncol,
                     .axis = NUM_NONE,
                     .pitch = NUM_NONE,
                     .value = slots,
                     .group = m->nhop - 1};
  return TD_OK;
}

td_status td_build_chain(builder* b, int joint, int element, int parent, int* hop, int* fix,
                         int* nfix) {
  const build_joint* j = &b->joint[joint];
  const value* tr = j->tr;
  int pending = b->m->nfix, at = parent;
  for (int i = 0; i < j->nitem; i++) {
    const item* it = &j->items[i];
    if (it->tr >= 0) {
      const bool later = count_free(td_get(tr, it->tr, "trans")) > 0;
      const bool free_rot = count_free(td_get(tr, it->tr, "rot")) > 0;
      TD_TRY(push_fix(b, tr, it->tr, false, true, !later && !free_rot));
    } else if (it->tr <= -2) {
      TD_TRY(push_fix(b, tr, -2 - it->tr, false, false, true));
    } else {
      const bool translation = is_free_translation(b, j, i, element);
      TD_TRY((translation ? push_translation : push_hop)(b, j, it, element, at, pending));
      if (translation) i += 2;
      at = b->m->nhop - 1;
      if (td_hop_words[it->kind]->fields) TD_TRY(td_hop_words[it->kind]->finish(b, joint, at));
      pending = b->m->nfix;
    }
  }
  if (at == parent && is_felt(b, joint)) {
    TD_TRY(td_build_still(b, at, pending, b->m->nfix - pending));
    at = b->m->nhop - 1;
    pending = b->m->nfix;
  }
  *hop = at;
  *fix = pending;
  *nfix = b->m->nfix - pending;
  return TD_OK;
}
