// Elements that act between places: springs, dampers and inputs along DOFs, axial elements, linking
// beams, and constraints (`fixed`, or `type` on a body that already has its main
// joint).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/build.h"
#include "model/field.h"
#include "model/hop_words.h"
#include "model/rods.h"

// ---- laws -------------------------------------------------------------------------------------

static bool is_number(const td_model* m, const td_exprs* g, num slot) {
  return (td_ex_depends(g, m->number_ex[slot]) & ~(unsigned)TD_ON_PARAM) == 0;
}

// Column `col` of `ncol` of a field, for one of the elements.
typedef struct law_entry {
  int element, nelement, col, ncol;
} law_entry;

static num law_number(builder* b, const value* v, law_entry at, double fallback) {
  return td_build_number(b,
                         td_build_pick(b, v, at.element, at.nelement, at.col, at.ncol, fallback));
}

// The law of a joint or of one of its degrees of freedom.
static td_status push_law(builder* b, const law_words* w, law_entry at, model_law* law) {
  td_exprs* g = b->spec->graph;
  const ex rest = td_build_pick(b, w->init, at.element, at.nelement, at.col, at.ncol, 0);
  *law = (model_law){.k = law_number(b, w->coeff, at, 0),
                     .rest = td_build_number(b, rest),
                     .compr = law_number(b, w->compr, at, 1),
                     .mu = law_number(b, w->visc, at, 0),
                     .nu = law_number(b, w->pow, at, 1),
                     .input = law_number(b, w->input, at, 0),
                     .rest_initial = td_ex_is_const(g, rest) && isnan(td_ex_value(g, rest))};
  if (b->m->failed) return TD_E_NOMEM;
  // one value of dir for all directions, or three for the translations
  if (w->dir && at.col < 3) {
    const int per = td_field_fit("nx1|nx3", w->dir, at.nelement).cols;
    law->dir = (int8_t)td_ex_value(
        g, td_build_pick(b, w->dir, at.element, at.nelement, per == 3 ? at.col : 0, per, 0));
  }
  law->potential =
      is_number(b->m, g, law->k) && is_number(b->m, g, law->rest) && is_number(b->m, g, law->compr);
  return TD_OK;
}

// Is there something that makes a force, not only a rest length or a power?
static bool has_force(const law_words* w) { return w->coeff || w->visc || w->input; }

// Refuse laws along single numbers of a quaternion: dof k of an item that is one.
static td_status check_quaternion_law(builder* b, int joint, const item* it, int k,
                                      const law_words* w) {
  static const char* const fields[] = {"dir", "spring", "damp", "input"};
  const value* const written[] = {w->dir, w->spring, w->damp, w->input};
  const int dof = it->dof + k;
  char path[32];
  td_build_joint_path(b, joint, path, sizeof path);
  for (int i = 0; i < 4; i++) {
    // what acts on angular velocities is not one-sided, and only `type` has rotation vectors
    const bool allowed = i == 0 ? false : k < it->nv && (i > 1 || it->typed);
    if (allowed || !written[i]) continue;
    td_error(b->diags, TD_E_MODEL, td_get_at(b->joint[joint].w.dof, dof, fields[i]),
             "%s.dof(%d) is a number of a quaternion and cannot have `%s`", path, dof + 1,
             fields[i]);
    if (it->typed)
      td_more(b->diags,
              "springs act on the rotation vector, dampers and inputs on the angular velocities: "
              "%s.dof(%d) and the two after it",
              path, it->dof + 1);
    else
      td_more(b->diags,
              "dampers and inputs act on the angular velocities, the first three of the four (the "
              "first of two); a spring acts on the rotation vector of type = 'spherical', or on "
              "the vector part, rot = [0 inf inf inf]");
    return TD_E_MODEL;
  }
  return TD_OK;
}

// Add a spring, damper or input along a degree of freedom; `spring`: with its spring, `rest`: with
// its damper and input.
static td_status push_dof_force(builder* b, int joint, int element, int dof, const char* what,
                                const model_spring* like, bool spring, bool rest) {
  const build_joint* j = &b->joint[joint];
  const law_words w = td_joint_dof(&j->w, dof).law;
  const num none = spring && rest ? NUM_NONE : td_build_number(b, num_ex(b, 0));
  model_spring* f = td_push_spring(b->m, 1);
  if (!f || b->m->failed) return TD_E_NOMEM;
  *f = *like;
  f->a = f->b = -1;
  f->joint = joint + 1;
  f->element = element + 1;
  char name[128];
  td_build_joint_name(b, joint, element, name, sizeof name);
  f->name = td_push_name(b->m, "%s.dof(%d)%s", name, dof + 1, what);
  model_law* law = &f->law;
  TD_TRY(push_law(b, &w, (law_entry){element, j->nelement, 0, 1}, law));
  if (!spring) law->k = law->rest = none, law->rest_initial = false, law->potential = true;
  if (!rest) law->mu = law->input = none;
  return TD_OK;
}

// Springs, dampers and inputs of a degree of freedom.  Those of a vector part act along its number;
// of a ball by `type` the spring acts along the rotation vector, the rest on angular velocities.
static td_status dof_force(builder* b, int joint, int element, int dof) {
  const build_joint* j = &b->joint[joint];
  if (!j->w.dof || dof >= td_value_count(j->w.dof)) return TD_OK;
  const law_words w = td_joint_dof(&j->w, dof).law;
  const item* it = j->items;
  while (it->tr != -1 || dof >= it->dof + it->ndof) it++;
  const bool turns = td_hop_traits[it->kind].quaternion;
  if (turns && !it->vector) TD_TRY(check_quaternion_law(b, joint, it, dof - it->dof, &w));
  if (!has_law(&w)) return TD_OK;
  const int at = element * j->ndof + dof, first = element * j->ndof + it->dof;
  model_spring f = {.q = turns ? -1 : j->dof_q[at], .v = j->dof_v[at]};
  const model_spring turn = {.q = turns ? j->dof_q[first] - it->vector : -1,
                             .v = j->dof_v[first],
                             .measure = it->vector ? PART_VECTOR : PART_TURN,
                             .axis = dof - it->dof,
                             .nturn = it->nv};
  if (!turns || it->vector)
    return push_dof_force(b, joint, element, dof, "", turns ? &turn : &f, true, true);
  if (w.coeff) TD_TRY(push_dof_force(b, joint, element, dof, ".spring", &turn, true, false));
  if (!w.damp && !w.input) return TD_OK;
  return push_dof_force(b, joint, element, dof, "", &f, false, true);
}

// ---- links ------------------------------------------------------------------------------------

static int width(const value* v, int nelement) {
  if (!v) return 1;
  return v->cols == 6 || (td_value_count(v) == 6 && nelement != 6) ? 6 : 1;
}

static bool is_beam(const build_joint* j) {
  const law_words* w = &j->w.law;
  const int n = j->nelement;
  return width(w->coeff, n) == 6 || width(w->init, n) == 6 || width(w->visc, n) == 6 ||
         width(w->input, n) == 6;
}

// A beam that is measured half-way between its ends is a piece of rod of length 1 (elem/segment.h):
// its strains are the six numbers of the law, stretch less 1.  Rest values that the geometry gives
// are put in when that is known (constants.c).
static td_status mid_beam(builder* b, const build_joint* j, int element, model_strain* f) {
  const double zeros[SECTION_SLOTS] = {0};
  const num at = td_build_constants(b, zeros, SECTION_SLOTS);
  if (at == NUM_NONE) return TD_E_NOMEM;
  f->kind = STRAIN_SEGMENT;
  f->section = at;
  f->coords = -1;
  f->potential = true;
  for (int d = 0; d < 6; d++) {
    model_law law;
    TD_TRY(push_law(b, &j->w.law, (law_entry){element, j->nelement, d, 6}, &law));
    ex* e = b->m->number_ex;
    const ex rest = mul(b, e[law.compr], e[law.rest]);
    e[at + SECTION_K + 7 * d] = e[law.k];
    e[at + SECTION_D + 7 * d] = e[law.mu];
    e[at + SECTION_INPUT + d] = e[law.input];
    e[at + SECTION_X0 + d] = d == 2 ? minus(b, rest, num_ex(b, 1)) : rest;
    f->dof_q[d] = f->dof_v[d] = -1;
    f->potential = f->potential && law.potential;
    f->compr[d] = law.compr;
    f->rest_initial[d] = law.rest_initial;
  }
  b->m->number_ex[at + SECTION_POWER] = num_ex(b, 1);
  b->m->number_ex[at + SECTION_LENGTH] = num_ex(b, 1);
  return TD_OK;
}

// Add the force of a link between stations a and c: a segment, a law along the line, or six laws.
static td_status link_force(builder* b, int joint, int element, int a, int c) {
  const build_joint* j = &b->joint[joint];
  const law_words* w = &j->w.law;
  const int n = j->nelement;
  char text[128];
  td_build_joint_name(b, joint, element, text, sizeof text);
  const int name = td_push_name(b->m, "%s", text);
  if (j->w.mid) {
    model_strain f = {.name = name, .joint = joint + 1, .element = element + 1, .a = a, .b = c};
    TD_TRY(mid_beam(b, j, element, &f));
    model_strain* to = td_push_strain(b->m, 1);
    if (!to) return TD_E_NOMEM;
    *to = f;
    return TD_OK;
  }
  if (!is_beam(j)) {
    model_axial f = {.name = name,
                     .joint = joint + 1,
                     .element = element + 1,
                     .a = a,
                     .b = c,
                     .isotropic = w->visc && (!w->along || w->along->x[0] == 0)};
    TD_TRY(push_law(b, w, (law_entry){element, n, 0, 1}, &f.law));
    model_axial* to = td_push_axial(b->m, 1);
    if (!to) return TD_E_NOMEM;
    *to = f;
    return TD_OK;
  }
  model_beam f = {.name = name,
                  .joint = joint + 1,
                  .element = element + 1,
                  .a = a,
                  .b = c,
                  .frame = -1,
                  .xaxis = NUM_NONE};
  if (j->w.xaxis) {
    f.xaxis = td_build_numbers(b, j->w.xaxis, element, n, 3, 0);
    f.frame = b->m->nbeam_frame++;
    if (f.xaxis == NUM_NONE) return TD_E_NOMEM;
  }
  for (int d = 0; d < 6; d++) TD_TRY(push_law(b, w, (law_entry){element, n, d, 6}, &f.law[d]));
  model_beam* to = td_push_beam(b->m, 1);
  if (!to) return TD_E_NOMEM;
  *to = f;
  return TD_OK;
}

// ---- constraints ------------------------------------------------------------------------------

// Add a constraint row of a kind between stations a and c with neutral fields; NULL: no memory.
static model_row* push_row(builder* b, row_kind kind, int joint, int element, int a, int c) {
  static const double zero[3] = {0, 0, 0};
  model_row* row = td_push_row(b->m, 1);
  if (!row) return NULL;
  *row = (model_row){.kind = kind,
                     .a = a,
                     .b = c,
                     .c = -1,
                     .e = NUM_NONE,
                     .pitch = NUM_NONE,
                     .reference = -1,
                     .control = NUM_NONE,
                     .motion = NUM_NONE,
                     .k = NUM_NONE,
                     .mu = NUM_NONE,
                     .projected = true,
                     .target_index = -1,
                     .joint = joint + 1,
                     .element = element + 1};
  row->d = td_build_constants(b, zero, 3);
  row->e = td_build_constants(b, zero, 3);
  return row->d == NUM_NONE || row->e == NUM_NONE ? NULL : row;
}

static void set_vector(builder* b, num slot, const double x[3]) {
  for (int c = 0; c < 3; c++) b->m->number_ex[slot + c] = td_ex_const(b->spec->graph, x[c]);
}

static td_status name_row(builder* b, model_row* row, int joint, int element, const char* what) {
  char name[128];
  td_build_joint_name(b, joint, element, name, sizeof name);
  row->name = td_push_name(b->m, "%s.%s", name, what);
  return row->name < 0 ? TD_E_NOMEM : TD_OK;
}

static bool is_zero(const builder* b, ex e) {
  return td_ex_is_const(b->spec->graph, e) && td_ex_value(b->spec->graph, e) == 0;
}

// control (desired acceleration) and the PD stabiliser of a fixed direction
static td_status row_drive(builder* b, model_row* row, int joint, int element, int d) {
  const joint_words* w = &b->joint[joint].w;
  const value* control = w->control;
  const int n = b->joint[joint].nelement;
  const int width = control ? td_field_fit("nx1|nx3|nx6", control, n).cols : 6;
  const ex u = width == 3 && d >= 3
                   ? num_ex(b, 0)
                   : td_build_pick(b, control, element, n, d, width == 3 ? 3 : 6, 0);
  const ex k = td_build_pick(b, w->law.coeff, element, n, d, 6, 0);
  const ex mu = td_build_pick(b, w->law.visc, element, n, d, 6, 0);
  const unsigned state = TD_ON_STATE | TD_ON_RATE | TD_ON_ACCEL | TD_ON_INTERNAL;
  row->target = TARGET_INITIAL;
  if (!is_zero(b, k) || !is_zero(b, mu)) {
    row->k = td_build_number(b, k);
    row->mu = td_build_number(b, mu);
    row->projected = false;
  }
  if (is_zero(b, u)) return TD_OK;
  row->control = td_build_number(b, u);
  if (td_ex_depends(b->spec->graph, u) & state) {
    row->projected = false;
  } else {
    row->target = TARGET_CONTROL;
    row->target_index = b->m->ntarget++;
  }
  return row->control == NUM_NONE ? TD_E_NOMEM : TD_OK;
}

// Does `fixed` constrain anything?  The published default is 0, so that files may switch a
// constraint off by zeros.
static bool any_fixed(const builder* b, int joint) {
  const value* fixed = b->joint[joint].w.fixed;
  for (int i = 0; fixed && i < td_value_count(fixed); i++)
    if (fixed->x[i] != 0) return true;
  return false;
}

static bool is_fixed(const builder* b, int joint, int element, int d) {
  const value* v = b->joint[joint].w.fixed;
  const int n = b->joint[joint].nelement;
  const int rows = v->rows == n ? n : 1, cols = td_value_count(v) / rows;
  if (d >= cols) return false;
  return v->x[(rows == n ? element : 0) + rows * d] != 0;
}

// 2 sin(√s/2)/√s, by its series for small s
static ex turn_factor(builder* b, ex s) {
  td_exprs* g = b->spec->graph;
  const ex x = td_ex_1(g, EX_SQRT, s);
  const ex whole = over(b, times(b, 2, td_ex_1(g, EX_SIN, times(b, 0.5, x))), x);
  ex series = minus(b, num_ex(b, 1.0 / 1920), times(b, 1.0 / 322560, s));
  series = minus(b, mul(b, series, s), num_ex(b, 1.0 / 24));
  series = add(b, mul(b, series, s), num_ex(b, 1));
  return td_ex_make(g, EX_IFELSE, td_ex_2(g, EX_LT, s, num_ex(b, 0.01)), series, whole);
}

// Direction d of `motion`.  A turn by the rotation vector θ is  α = 2 sin(|θ|/2) θ/|θ|  in the
// numbers of the row; directions that are free count as 0.
static ex motion_along(builder* b, int joint, int element, int d) {
  const value* motion = b->joint[joint].w.motion;
  const int n = b->joint[joint].nelement, cols = td_field_fit("nx1|nx3|nx6", motion, n).cols;
  if (d < 3) return td_build_pick(b, motion, element, n, d, cols == 6 ? 6 : 3, 0);
  ex theta[3], s = num_ex(b, 0);
  for (int c = 0; c < 3; c++) {
    theta[c] = td_build_pick(b, motion, element, n, 3 + c, 6, 0);
    if (!is_fixed(b, joint, element, 3 + c)) theta[c] = num_ex(b, 0);
    s = add(b, s, mul(b, theta[c], theta[c]));
  }
  return mul(b, turn_factor(b, s), theta[d - 3]);
}

// `motion` along a fixed direction: the value and its two derivatives with respect to time.
static td_status row_motion(builder* b, model_row* row, int joint, int element, int d) {
  const value* motion = b->joint[joint].w.motion;
  const int n = b->joint[joint].nelement;
  if (!motion || (d >= 3 && td_field_fit("nx1|nx3|nx6", motion, n).cols < 6)) return TD_OK;
  const double zero[3] = {0};
  ex e = motion_along(b, joint, element, d);
  row->target = TARGET_MOTION;
  row->motion = td_build_constants(b, zero, 3);
  if (row->motion == NUM_NONE) return TD_E_NOMEM;
  for (int i = 0; i < 3; i++) {
    b->m->number_ex[row->motion + i] = e;
    e = td_ex_diff(b->spec->graph, e, b->spec->time_var);
  }
  return TD_OK;
}

// Add a row for each direction in which a link is fixed, driven by its control or its motion.
static td_status fixed_rows(builder* b, int joint, int element, int a, int c) {
  static const char* const names[6] = {"x", "y", "z", "rx", "ry", "rz"};
  const build_joint* j = &b->joint[joint];
  int axes;
  char what[48];
  snprintf(what, sizeof what, "joint(%d).refbody", joint + 1);
  TD_TRY(td_build_reference(b, b->joints, joint, what, element, j->nelement, &axes));
  const bool all = is_fixed(b, joint, element, 3) && is_fixed(b, joint, element, 4) &&
                   is_fixed(b, joint, element, 5);
  const bool plain = !j->w.control && !has_law(&j->w.law);
  for (int d = 0; d < 6; d++) {
    if (!is_fixed(b, joint, element, d)) continue;
    const double axis[3] = {d % 3 == 0, d % 3 == 1, d % 3 == 2};
    model_row* row = push_row(b, d < 3 ? ROW_TRANS : ROW_ALPHA, joint, element, a, c);
    if (!row) return TD_E_NOMEM;
    row->c = axes;
    row->direction = d;
    set_vector(b, row->d, axis);
    TD_TRY(row_drive(b, row, joint, element, d));
    TD_TRY(row_motion(b, row, joint, element, d));
    // three fixed rotations hold the initial orientation, whatever it is
    if (d >= 3 && all && plain && row->target != TARGET_MOTION) {
      row->reference = b->m->nreference;
      row->target = TARGET_ZERO;
    }
    TD_TRY(name_row(b, row, joint, element, names[d]));
  }
  if (all && plain) b->m->nreference++;
  return TD_OK;
}

// Add one row of a joint that closes a loop, along or about the axis d of station a.
static td_status closure_row(builder* b, row_kind kind, int joint, int element, int a, int c,
                             const ex d[3], int direction, int reference, const char* what) {
  model_row* row = push_row(b, kind, joint, element, a, c);
  if (!row) return TD_E_NOMEM;
  row->c = a;
  row->direction = direction;
  row->reference = reference;
  for (int k = 0; k < 3; k++) b->m->number_ex[row->d + k] = d[k];
  return name_row(b, row, joint, element, what);
}

// Which directions of (t1, t2, n) each joint type holds: translations, rotations.
typedef struct closure {
  const char* type;
  bool trans[3], rot[3];
} closure;
static const closure closures[] = {
    {"fixed", {true, true, true}, {true, true, true}},
    {"revolute", {true, true, true}, {true, true, false}},
    {"prismatic", {true, true, false}, {true, true, true}},
    {"helical", {true, true, false}, {true, true, false}},  // and a row for the screw
    {"cylindrical", {true, true, false}, {true, true, false}},
    {"planar", {false, false, true}, {true, true, false}},
    {"spherical", {true, true, true}, {false, false, false}},
    {"universal", {true, true, true}, {false, false, false}},
    {"free", {false, false, false}, {false, false, false}},
};

// The second axis of a universal joint is fixed in the second body: given in the first frame at the
// start.
static td_status universal_row(builder* b, int joint, int element, int a, int c, const ex n[3],
                               int reference) {
  static const double y[3] = {0, 1, 0};
  ex m[3];
  td_joint_axis(b, &b->joint[joint].w, 1, y, m);
  TD_TRY(closure_row(b, ROW_DOT, joint, element, a, c, n, 3, reference, "r"));
  for (int k = 0; k < 3; k++) b->m->number_ex[b->m->row[b->m->nrow - 1].e + k] = m[k];
  return TD_OK;
}

// A screw advances from where it is at the start, by `pitch` for each radian about its axis.
static td_status screw_row(builder* b, int joint, int element, int a, int c, const ex n[3],
                           int reference) {
  TD_TRY(closure_row(b, ROW_SCREW, joint, element, a, c, n, 2, reference, "t3"));
  model_row* row = &b->m->row[b->m->nrow - 1];
  row->target = TARGET_INITIAL;
  row->pitch = td_build_number(b, td_value_ex(b->joint[joint].w.pitch, 0, b->spec->graph));
  return row->pitch == NUM_NONE ? TD_E_NOMEM : TD_OK;
}

// The joint that closes a loop: `type`, or none.  `tr2nd` alone holds two places together, as
// published for AutoTMTDyn.
static const char* closing_type(const joint_words* w) {
  const bool alone = w->tr2nd && !w->fixed && !has_law(&w->law);
  return w->type || !alone ? w->type : "spherical";
}

// Add the rows of a joint that closes a loop: those directions that its type takes away.
static td_status closure_rows(builder* b, int joint, int element, int a, int c) {
  static const char* const names[6] = {"t1", "t2", "t3", "r1", "r2", "r3"};
  const joint_words* w = &b->joint[joint].w;
  const char* type = closing_type(w);
  const bool universal = strcmp(type, "universal") == 0;
  const closure* kind = NULL;
  for (size_t i = 0; i < sizeof closures / sizeof *closures; i++)
    if (strcmp(type, closures[i].type) == 0) kind = &closures[i];
  require(kind);
  const double usual[3] = {universal, 0, !universal};
  ex n[3], t[3][3];
  td_joint_axis(b, w, 0, usual, n);
  td_complete_frame_ex(b, n, t[0], t[1]);
  memcpy(t[2], n, sizeof n);
  const bool absolute = tr_read(w->tr2nd, 0).rot;
  const int reference = absolute && !universal ? -1 : b->m->nreference++;
  for (int d = 0; d < 3; d++)
    if (kind->trans[d])
      TD_TRY(closure_row(b, ROW_TRANS, joint, element, a, c, t[d], d, -1, names[d]));
  for (int d = 0; d < 3; d++)
    if (kind->rot[d])
      TD_TRY(closure_row(b, ROW_ALPHA, joint, element, a, c, t[d], d + 3, reference, names[d + 3]));
  if (strcmp(type, "helical") == 0) return screw_row(b, joint, element, a, c, n, reference);
  return universal ? universal_row(b, joint, element, a, c, n, reference) : TD_OK;
}

// ---- joints that are not in the main chain ----------------------------------------------------

static td_status refuse(builder* b, int joint, const char* field, const char* why) {
  return td_error(b->diags, TD_E_MODEL, td_get_at(b->joints, joint, field), "joint(%d).%s %s",
                  joint + 1, field, why);
}

// Warn about a field, if its value is written.
static void warn_unused(builder* b, int joint, const value* v, const char* field, const char* why) {
  if (v)
    td_warn(b->diags, td_get_at(b->joints, joint, field), "joint(%d).%s has no effect: %s",
            joint + 1, field, why);
}

// A link is a spring, damper or input, or a constraint by `fixed` or `type`.
static td_status check_purpose(builder* b, int joint) {
  const build_joint* j = &b->joint[joint];
  const joint_words* w = &j->w;

  // a constraint is written in one way, and constrains something
  if (w->fixed && w->type)
    return refuse(b, joint, "fixed", "and type: a constraint is written with one of them");
  if (w->fixed && !any_fixed(b, joint))
    td_warn(b->diags, td_get_at(b->joints, joint, "fixed"),
            "joint(%d).fixed has no 1: the joint constrains nothing", joint + 1);
  if (w->type && strcmp(w->type, "free") == 0 && !has_force(&w->law))
    return refuse(b, joint, "type", "= 'free' closes no loop: the joint constrains nothing");
  if (w->fixed || w->type || has_force(&w->law)) return TD_OK;

  // places that nothing else is between are held together
  if (closing_type(w)) {
    td_remark(b->diags, td_get_at(b->joints, joint, "tr2nd"),
              "joint(%d) has `tr2nd` and neither spring nor damper nor input: it holds the places "
              "of `tr` and `tr2nd` together",
              joint + 1);
    td_hint(b->diags, "joint.type = 'spherical' says so without this note");
    return TD_OK;
  }

  // the joint has no purpose: tell what it lacks
  static const char* const fields[] = {"second", "first", NULL};
  if (has_law(&w->law)) {
    td_error(b->diags, TD_E_MODEL, j->second.at,
             "joint(%d) does nothing: it has neither spring.coeff nor damp.visc nor input",
             joint + 1);
  } else if (j->second.rod > 0) {
    td_error(b->diags, TD_E_MODEL, j->second.at,
             "joint(%d) does nothing: rod(%d) has its place already", joint + 1, j->second.rod);
  } else if (j->second.body == 0) {
    td_error(b->diags, TD_E_MODEL, td_build_joint_at(b, joint, fields),
             "joint(%d) does nothing: it %s", joint + 1,
             w->second ? "leads to the ground" : "has no `second`, the body it leads to");
  } else if (j->second.body > b->nbody) {
    td_error(b->diags, TD_E_MODEL, j->second.at,
             "joint(%d) does nothing: the nodes of a mesh have their places already", joint + 1);
  } else {
    td_error(b->diags, TD_E_MODEL, j->second.at,
             "joint(%d) does nothing: body(%d) already has joint(%d) as its main joint", joint + 1,
             j->second.body, b->body_main[j->second.body] + 1);
  }
  td_more(b->diags, "a link has spring.coeff, damp.visc or input, a constraint has fixed or type");
  return TD_E_MODEL;
}

// Refuse fields that a beam in the middle frame cannot have.
static td_status check_mid(builder* b, int joint, bool beam) {
  const joint_words* w = &b->joint[joint].w;
  const value *dir = w->law.dir, *power = w->law.pow, *compr = w->law.compr;
  const char* why = NULL;
  if (!beam) why = "only a spring with six columns is a beam";
  for (int i = 0; dir && i < td_value_count(dir); i++)
    if (dir->x[i] != 0) why = "it acts in both directions, and `dir` says otherwise";
  for (int i = 0; power && i < td_value_count(power); i++)
    if (power->x[i] != 1)  // NaN where it is an expression
      why = "its damper is linear, damp.pow must be 1";
  for (int i = 0; compr && i < td_value_count(compr); i++)
    if (td_ex_depends(b->spec->graph, td_value_ex(compr, i, b->spec->graph)) &
        ~(unsigned)TD_ON_PARAM)
      why = "its spring.compr must be known at the start";
  if (w->xaxis)
    why =
        "it has the axes between those of its two ends, which `tr` and `tr2nd` turn, and no xaxis";
  if (!why) return TD_OK;
  return td_error(b->diags, TD_E_MODEL, td_get_at(b->joints, joint, "beam"),
                  "joint(%d).beam.frame = 'mid': %s", joint + 1, why);
}

// Springs and dampers beside `fixed` are gains of the constraint (Table 15 and its text), and what
// inputs do along fixed directions the constraint takes back.  Along free directions none of them
// would do anything.
static td_status check_gains(builder* b, int joint) {
  static const char* const names[] = {"spring", "damp", "input"};
  const law_words* w = &b->joint[joint].w.law;
  const value* const laws[] = {w->coeff, w->visc, w->input};
  const int n = b->joint[joint].nelement;
  for (int k = 0; k < 3; k++) {
    // one number is a gain of every fixed direction, or a force along a line, which needs x, y and
    // z
    const bool single = laws[k] && td_field_fit("nx1|nx6", laws[k], n).cols == 1;
    for (int i = 0; laws[k] && i < 6 * n; i++) {
      const int e = i / 6, d = i % 6;
      const bool counts = single ? k == 2 && d < 3 : true;
      if (!counts || is_fixed(b, joint, e, d) ||
          is_zero(b, td_build_pick(b, laws[k], e, n, d, 6, 0)))
        continue;
      td_error(b->diags, TD_E_MODEL, td_get_at(b->joints, joint, names[k]),
               "joint(%d).%s acts along a direction that is not fixed: beside `fixed` springs and "
               "dampers are gains of the constraint, and inputs do nothing",
               joint + 1, names[k]);
      td_hint(b->diags, "write a joint of its own, with the same first, second, tr and tr2nd");
      return TD_E_MODEL;
    }
  }
  warn_unused(b, joint, w->input, "input", "the constraint takes it back");
  return TD_OK;
}

// Fields that would have no effect on a link.
static td_status check_link(builder* b, int joint) {
  const build_joint* j = &b->joint[joint];
  const joint_words* w = &j->w;
  const bool fixed = any_fixed(b, joint), beam = is_beam(j);

  // a link makes no degrees of freedom
  for (int i = 0; w->tr && i < td_value_count(w->tr); i++) {
    static const char* const fields[] = {"trans", "rot"};
    const tr_words step = tr_read(w->tr, i);
    for (int k = 0; k < 2; k++) {
      const value* v = k == 0 ? step.trans : step.rot;
      for (int c = 0; v && c < td_value_count(v); c++) {
        if ((v->e && v->e[c] != EX_NONE) || !isinf(v->x[c])) continue;
        if (j->second.rod > 0) {
          return td_error(b->diags, TD_E_MODEL, td_get_at(w->tr, i, fields[k]),
                          "joint(%d).tr(%d).%s has inf, but rod(%d) has its place already: a joint "
                          "that ends on a rod "
                          "makes no degrees of freedom",
                          joint + 1, i + 1, fields[k], j->second.rod);
        }
        td_error(b->diags, TD_E_MODEL, td_get_at(w->tr, i, fields[k]),
                 "joint(%d).tr(%d).%s has inf, but only a main joint makes degrees of freedom",
                 joint + 1, i + 1, fields[k]);
        if (j->second.body > 0 && j->second.body <= b->nbody)
          td_more(b->diags,
                  "the main joint of body(%d) is joint(%d), the first that has it as `second`",
                  j->second.body, b->body_main[j->second.body] + 1);
        return TD_E_MODEL;
      }
    }
  }
  if (w->dof) return refuse(b, joint, "dof", "has no meaning: a link has no degrees of freedom");
  for (int k = 0; k < HOP_KINDS; k++)
    for (const td_field* f = td_hop_words[k]->fields; f && f->path; f++)
      if (td_get(b->joints, joint, td_field_name(f)))
        return refuse(b, joint, td_field_name(f),
                      "has no meaning: a link has no degrees of freedom");

  // directions and motion have a number for each axis that there is
  if (w->law.dir && !beam && td_field_fit("nx1|nx3", w->law.dir, j->nelement).cols == 3) {
    td_error(b->diags, TD_E_MODEL, td_get_at(b->joints, joint, "dir"),
             "joint(%d).dir has a number for each axis, but the link acts along its line only",
             joint + 1);
    td_hint(b->diags, "write one number, or six columns in spring, damp or input for a beam");
    return TD_E_MODEL;
  }
  if (w->motion && fixed && !td_field_fit("nx1|nx3|nx6", w->motion, j->nelement).ok)
    return refuse(b, joint, "motion",
                  "must have one, three or six numbers for each element: x, y, z and the rotation "
                  "vector");

  // fields that belong to another kind of joint
  if (!fixed) warn_unused(b, joint, w->control, "control", "it belongs to joint.fixed");
  if (!fixed) warn_unused(b, joint, w->motion, "motion", "it belongs to joint.fixed");
  if (w->motion && w->control) return refuse(b, joint, "motion", "and control: write one of them");
  if (!fixed) warn_unused(b, joint, w->refbody, "refbody", "it belongs to joint.fixed");
  if (fixed) TD_TRY(check_gains(b, joint));
  if (!beam)
    warn_unused(b, joint, w->xaxis, "xaxis", "only a spring with six columns has an x axis");
  if (w->mid) TD_TRY(check_mid(b, joint, beam));
  return check_purpose(b, joint);
}

// Check that the rows and forces of a link stay within the limits of the model.
static td_status check_room(builder* b, int joint) {
  const build_joint* j = &b->joint[joint];
  const td_limits* limit = &b->spec->limits;
  static const char* const fields[] = {"second", "first", NULL};
  const long rows = j->w.fixed || closing_type(&j->w) ? 6L * j->nelement : 0;
  if (rows + b->m->nrow + b->m->nvel > limit->dofs) {
    return td_error(b->diags, TD_E_MODEL, td_build_joint_at(b, joint, fields),
                    "joint(%d) constrains %d element%s: the model may have %d degrees of freedom "
                    "and constraints together",
                    joint + 1, j->nelement, j->nelement == 1 ? "" : "s", limit->dofs);
  }
  if ((long)model_forces(b->m) + j->nelement > limit->parts ||
      b->m->nfix > limit->parts + b->nnode) {
    return td_error(
        b->diags, TD_E_MODEL, td_build_joint_at(b, joint, fields),
        "joint(%d) has %d elements: the model may have %d springs, dampers, inputs and loads",
        joint + 1, j->nelement, limit->parts);
  }
  return TD_OK;
}

// Add one element of a link: its two stations, its rows, its force.
static td_status link_element(builder* b, int joint, int e) {
  const build_joint* j = &b->joint[joint];
  const bool fixed = any_fixed(b, joint);
  const int first = td_build_instance(b, &j->first, e),
            second = td_build_instance(b, &j->second, e);
  char name[128], end[136];
  int a, c;
  if (first == second && !j->first.rod && !j->second.rod) {
    static const char* const fields[] = {"second", "first", NULL};
    td_build_joint_name(b, joint, e, name, sizeof name);
    if (first < 0)
      return td_error(b->diags, TD_E_MODEL, td_build_joint_at(b, joint, fields),
                      "%s connects the ground with itself", name);
    return td_error(b->diags, TD_E_MODEL, j->second.at, "%s connects body(%d) with itself", name,
                    j->second.body);
  }
  td_build_joint_name(b, joint, e, name, sizeof name);
  snprintf(end, sizeof end, "%s.1", name);
  TD_TRY(td_build_station(b, &j->first, e, j->w.tr, false, end, &a));
  snprintf(end, sizeof end, "%s.2", name);
  TD_TRY(td_build_station(b, &j->second, e, j->w.tr2nd, true, end, &c));
  if (fixed) TD_TRY(fixed_rows(b, joint, e, a, c));
  if (closing_type(&j->w)) TD_TRY(closure_rows(b, joint, e, a, c));
  return has_law(&j->w.law) && !fixed ? link_force(b, joint, e, a, c) : TD_OK;
}

// Fields that mean something on a linking joint only.
static td_status refuse_on_main(builder* b, int joint) {
  static const char* const fields[] = {"spring",  "damp",  "input", "fixed",
                                       "control", "xaxis", "tr2nd"};
  static const char main[] = "it is the main joint of its body";
  const joint_words* w = &b->joint[joint].w;
  const value* const written[] = {w->law.spring, w->law.damp, w->law.input, w->fixed,
                                  w->control,    w->xaxis,    w->tr2nd};
  warn_unused(b, joint, w->law.dir, "dir", main);
  warn_unused(b, joint, w->refbody, "refbody", main);
  warn_unused(b, joint, w->beam, "beam", main);
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    if (!written[i]) continue;
    // published files write the power of a damper where there is none
    const char* constant = i == 0 ? "coeff" : i == 1 ? "visc" : NULL;
    if (constant && !(i == 0 ? w->law.coeff : w->law.visc)) {
      td_warn(b->diags, td_get_at(b->joints, joint, fields[i]),
              "joint(%d).%s has no effect: it has no %s", joint + 1, fields[i], constant);
      td_hint(b->diags, "the laws of its degrees of freedom are joint(%d).dof(i).%s", joint + 1,
              fields[i]);
      continue;
    }
    td_error(b->diags, TD_E_MODEL, td_get_at(b->joints, joint, fields[i]),
             "joint(%d) is the main joint of body(%d) and cannot have `%s`", joint + 1,
             b->joint[joint].second.body, fields[i]);
    td_more(b->diags,
            i < 3
                ? "write joint(%d).dof(i).%s, or another joint between the same bodies"
                : "joint(%d) makes the body; `%s` belongs to another joint between the same bodies",
            joint + 1, fields[i]);
    return TD_E_MODEL;
  }
  return TD_OK;
}

td_status td_build_links(builder* b) {
  td_status worst = TD_OK;
  for (int j = 0; j < b->njoint + b->nrod; j++) {
    const build_joint* joint = &b->joint[j];
    td_status s = TD_OK;
    if (joint->main) {
      if (j < b->njoint && !joint->rom) s = refuse_on_main(b, j);
      for (int e = 0; e < joint->nelement; e++)
        for (int d = 0; d < joint->ndof && s == TD_OK; d++) s = dof_force(b, j, e, d);
    } else {
      s = check_link(b, j);
      if (s == TD_OK) s = check_room(b, j);
      for (int e = 0; e < joint->nelement && s == TD_OK; e++) s = link_element(b, j, e);
    }
    if (s != TD_OK) worst = s;
  }
  const td_status loads = td_build_loads(b);
  if (loads != TD_OK) worst = loads;
  const td_status meshes = td_build_mesh_links(b);
  if (meshes != TD_OK) worst = meshes;
  return worst;
}
