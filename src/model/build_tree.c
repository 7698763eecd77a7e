// The tree: which joint is the main one of each body, which instance hangs on which, the
// coordinates in the order joints, elements and DOFs are written, then hops depth-first and the
// bodies' masses.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/build.h"
#include "model/fields.h"
#include "model/rules.h"

// ---- places -----------------------------------------------------------------------------------

// The place `v` that the field `first` or `second` of joint j is.
static td_status read_place(builder* b, int j, const value* v, const char* field, place* out) {
  char what[48];
  snprintf(what, sizeof what, "joint(%d).%s", j + 1, field);
  return td_build_place(b, v, td_get_at(b->joints, j, field), what, out);
}

// Read where rods and joints begin and end; returns the last failure.
static td_status read_places(builder* b) {
  td_status worst = TD_OK;

  // rods
  for (int r = 0; r < b->nrod; r++) {
    build_joint* base = &b->joint[b->njoint + r];
    base->nelement = 1;
    base->main = true;
    if (b->rod[r].joint >= 0) {  // written as a joint with `rom`
      const int j = b->rod[r].joint;
      const td_status s = read_place(b, j, b->joint[j].w.first, "first", &base->first);
      if (s != TD_OK) worst = s;
      if (!(b->rod[r].length > 0))
        worst = td_error(b->diags, TD_E_MODEL, td_get_at(b->joints, j, "second"),
                         "joint(%d) makes a polynomial rod: `second` must be [body length] with a "
                         "positive length",
                         j + 1);
      continue;
    }
    char what[48];
    snprintf(what, sizeof what, "rod(%d).first", r + 1);
    const td_status s =
        td_build_place(b, b->rod[r].w.first, td_get_at(b->rods, r, "first"), what, &base->first);
    if (s != TD_OK) worst = s;
  }

  // joints
  for (int j = 0; j < b->njoint; j++) {
    build_joint* joint = &b->joint[j];
    joint->nelement = 1;
    if (joint->rom) {  // the body is the rod's tip
      joint->second.at = td_get_at(b->joints, j, "second");
      joint->second.body = (int)joint->w.second->x[0];
      continue;
    }
    const td_status s1 = read_place(b, j, joint->w.first, "first", &joint->first);
    const td_status s2 = read_place(b, j, joint->w.second, "second", &joint->second);
    if (s1 != TD_OK) worst = s1;
    if (s2 != TD_OK) worst = s2;
    joint->nelement = max_int(1, max_int(joint->first.n, joint->second.n));
  }
  return worst;
}

// ---- who hangs on whom ------------------------------------------------------------------------

// Note that joint j makes the elements of its body, which must be numbered 1, 2, 3, ...
static td_status main_elements(builder* b, int j) {
  const build_joint* joint = &b->joint[j];
  const int body = joint->second.body;
  b->body_main[body] = j;
  b->body_count[body] = joint->nelement;
  for (int i = 0; i < joint->second.n; i++)
    if (joint->second.element[i] != i + 1) {
      return td_error(
          b->diags, TD_E_MODEL, joint->second.at,
          "joint(%d) makes the elements of body(%d): they must be 1, 2, 3, ... in order, got %d",
          j + 1, body, joint->second.element[i]);
    }
  if (joint->second.n == 0 && joint->first.n > 1) {
    return td_error(b->diags, TD_E_MODEL, joint->first.at,
                    "joint(%d).first names %d elements, so joint(%d).second must be [%d 1:%d]",
                    j + 1, joint->first.n, j + 1, body, joint->first.n);
  }
  return TD_OK;
}

// Check that each body has a joint that makes it, and that the bodies are not too many.
static td_status check_bodies(builder* b) {
  td_status worst = TD_OK;
  long total = 0;
  int largest = 1;
  for (int i = 1; i <= b->nbody; i++) {
    total += b->body_count[i];
    if (b->body_count[i] > b->body_count[largest]) largest = i;
    if (b->body_main[i] >= 0) continue;
    const int n = td_check_gap(b->diags, b->bodies, i - 1, "body", "bodies");
    if (n > 0) {
      worst = TD_E_MODEL;
      i += n - 1;
    } else {
      worst = td_error(b->diags, TD_E_MODEL, td_check_element_at(b->diags, b->bodies, i - 1),
                       "body(%d) has no joint: no joint has `second = %d`", i, i);
      td_hint(b->diags, "write joint(%d).second = %d", b->njoint + 1, i);
    }
  }
  if (total > b->spec->limits.bodies) {
    worst = td_error(b->diags, TD_E_MODEL, b->joint[max_int(0, b->body_main[largest])].second.at,
                     "the model has %ld bodies (body(%d): %d elements), it may have %d", total,
                     largest, b->body_count[largest], b->spec->limits.bodies);
  }
  return worst;
}

// Check that the places of a joint or rod exist for each of its elements.
static td_status check_joint_places(builder* b, int j) {
  const build_joint* joint = &b->joint[j];
  char what[48];
  if (j < b->njoint) {
    snprintf(what, sizeof what, "joint(%d).first", j + 1);
  } else {
    snprintf(what, sizeof what, "rod(%d).first", j - b->njoint + 1);
  }
  TD_TRY(td_build_check_place(b, &joint->first, joint->nelement, what));
  if (joint->main) return TD_OK;
  snprintf(what, sizeof what, "joint(%d).second", j + 1);
  return td_build_check_place(b, &joint->second, joint->nelement, what);
}

// A row for each element, or one for all.
static td_status check_body_rows(builder* b, int body) {
  static const char* const fields[] = {"m", "I", "l_com", "tip"};
  const int n = b->body_count[body];
  for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
    char path[16];
    snprintf(path, sizeof path, "body.%s", fields[k]);
    const value* v = td_field_get(b->bodies, body - 1, path);
    if (!v) continue;
    const td_fit fit = td_field_fit(td_field_find(path)->shape, v, n);
    if (fit.ok) continue;
    const bool pages = strcmp(fields[k], "I") == 0;
    const int rows = pages ? v->pages : v->rows > 1 ? v->rows : v->cols;
    return td_error(b->diags, TD_E_MODEL, td_get_at(b->bodies, body - 1, fields[k]),
                    "body(%d).%s has %d %s, but joint(%d) makes %d element%s of the body", body,
                    fields[k], rows, pages ? "pages" : "rows", b->body_main[body] + 1, n,
                    n == 1 ? "" : "s");
  }
  return TD_OK;
}

// The main joint of a body is the first that leads to it.  A joint with `tr2nd` is a link, wherever
// it stands, if another joint without it leads to the body.
static bool is_main(const builder* b, int j) {
  const int body = b->joint[j].second.body;
  if (body <= 0 || body > b->nbody || b->body_main[body] != -1) return false;
  if (!b->joint[j].w.tr2nd) return true;
  for (int k = j + 1; k < b->njoint; k++)
    if (b->joint[k].second.body == body && !b->joint[k].w.tr2nd) return false;
  return true;
}

// Find the joints that make bodies, number the bodies' elements, and check all places.
static td_status find_main_joints(builder* b) {
  td_status worst = TD_OK;
  for (int j = 0; j < b->njoint; j++) {
    b->joint[j].main = is_main(b, j);
    if (b->joint[j].main && main_elements(b, j) != TD_OK) worst = TD_E_MODEL;
  }
  if (check_bodies(b) != TD_OK || worst != TD_OK) return TD_E_MODEL;
  for (int i = 1, first = 0; i <= b->nbody; i++) {
    b->body_first[i] = first;
    first += b->body_count[i];
    if (check_body_rows(b, i) != TD_OK) worst = TD_E_MODEL;
  }
  for (int j = 0; j < b->njoint + b->nrod; j++)
    if (check_joint_places(b, j) != TD_OK) worst = TD_E_MODEL;
  return worst;
}

// ---- coordinates ------------------------------------------------------------------------------

static double default_init(const item* it, int k) {
  return td_hop_traits[it->kind].quaternion && !it->vector && k == 0 ? 1 : 0;
}

// Number `col` of `ncol` in each row of `motion`, with its rate and acceleration.
static td_status push_motion(builder* b, const value* motion, int element, int nelement, int col,
                             int ncol, model_dof* vel) {
  td_exprs* g = b->spec->graph;
  ex e[3];
  e[0] = td_build_pick(b, motion, element, nelement, col, ncol, 0);
  e[1] = td_ex_diff(g, e[0], b->spec->time_var);
  e[2] = td_ex_diff(g, e[1], b->spec->time_var);
  const double zero[3] = {0, 0, 0};
  vel->motion = td_build_constants(b, zero, 3);
  if (vel->motion == NUM_NONE) return TD_E_NOMEM;
  for (int i = 0; i < 3; i++) b->m->number_ex[vel->motion + i] = e[i];
  return TD_OK;
}

// The vector part e of a unit quaternion and its rate as they are written: the scalar part s, and
// the angular velocity 2 (s e' - e × e' + e (e·e') / s); about one axis 2 e' / s.
typedef struct written_turn {
  ex s, omega[3];
} written_turn;

// Initial scalar part s = sqrt(1 - e·e) and angular velocity ω = 2 (s e' + (e·e'/s) e - e × e') of
// a rotation that is written by its vector part e.
static written_turn read_turn(builder* b, int joint, int element, const item* it) {
  td_exprs* g = b->spec->graph;
  const build_joint* j = &b->joint[joint];
  ex e[3], rate[3], ee = td_ex_const(g, 0), along = td_ex_const(g, 0);
  for (int k = 0; k < it->ndof; k++) {
    const dof_words w = td_joint_dof(&j->w, it->dof + k);
    e[k] = td_build_pick(b, w.init, element, j->nelement, 0, 1, 0);
    rate[k] = td_build_pick(b, w.rate, element, j->nelement, 0, 1, 0);
    ee = td_ex_2(g, EX_ADD, ee, td_ex_2(g, EX_MUL, e[k], e[k]));
    along = td_ex_2(g, EX_ADD, along, td_ex_2(g, EX_MUL, e[k], rate[k]));
  }
  const ex two = td_ex_const(g, 2);
  written_turn out = {.s = td_ex_1(g, EX_SQRT, td_ex_2(g, EX_SUB, td_ex_const(g, 1), ee))};
  along = td_ex_2(g, EX_DIV, along, out.s);
  for (int k = 0; k < it->ndof; k++) {
    ex sum =
        td_ex_2(g, EX_ADD, td_ex_2(g, EX_MUL, out.s, rate[k]), td_ex_2(g, EX_MUL, along, e[k]));
    if (it->ndof == 3) {
      const int p = (k + 1) % 3, q = (k + 2) % 3;
      sum = td_ex_2(g, EX_SUB, sum, td_ex_2(g, EX_MUL, e[p], rate[q]));
      sum = td_ex_2(g, EX_ADD, sum, td_ex_2(g, EX_MUL, e[q], rate[p]));
    }
    out.omega[k] = td_ex_2(g, EX_MUL, two, sum);
  }
  return out;
}

// The scalar part of a quaternion whose vector part is written: a position without a DOF.
static td_status push_scalar_part(builder* b, int joint, int element, const item* it) {
  td_model* m = b->m;
  char name[128];
  td_build_joint_name(b, joint, element, name, sizeof name);
  const num init = td_build_number(b, read_turn(b, joint, element, it).s);
  model_dof* pos = td_push_pos(m, 1);
  if (!pos || init == NUM_NONE) return TD_E_NOMEM;
  *pos = (model_dof){.joint = joint + 1,
                     .element = element + 1,
                     .dof = it->dof + 1,
                     .init = init,
                     .motion = NUM_NONE,
                     .partner = -1};
  pos->name = td_push_name(m, "%s.dof(%d).scalar", name, it->dof + 1);
  return TD_OK;
}

// One coordinate of its own: a position for dof k of an item, and a velocity when k < nv.
static td_status push_coordinate(builder* b, int joint, int element, const item* it, int k) {
  td_model* m = b->m;
  build_joint* j = &b->joint[joint];
  const int dof = it->dof + k, at = element * j->ndof + dof, n = j->nelement;
  const dof_words w = td_joint_dof(&j->w, dof);
  char name[128];
  td_build_joint_name(b, joint, element, name, sizeof name);
  const bool quaternion = td_hop_traits[it->kind].quaternion;

  // position
  model_dof* pos = td_push_pos(m, 1);
  if (!pos) return TD_E_NOMEM;
  *pos = (model_dof){.joint = joint + 1,
                     .element = element + 1,
                     .dof = dof + 1,
                     .motion = NUM_NONE,
                     .partner = -1};
  pos->name = td_push_name(m, "%s.dof(%d)", name, dof + 1);
  pos->init = td_build_number(b, td_build_pick(b, w.init, element, n, 0, 1, default_init(it, k)));
  j->dof_q[at] = m->npos - 1;
  j->dof_v[at] = -1;
  if (k >= it->nv) return TD_OK;

  // velocity
  model_dof* vel = td_push_vel(m, 1);
  if (!vel) return TD_E_NOMEM;
  *vel = *pos;
  if (quaternion && it->nv == 3) vel->name = td_push_name(m, "%s.omega_%c", name, "xyz"[k]);
  if (quaternion && it->nv == 1) vel->name = td_push_name(m, "%s.omega", name);
  vel->partner = quaternion ? -1 : m->npos - 1;
  vel->init = td_build_number(b, it->vector ? read_turn(b, joint, element, it).omega[k]
                                            : td_build_pick(b, w.rate, element, n, 0, 1, 0));
  j->dof_v[at] = m->nvel - 1;

  // motion of this coordinate, or of all
  if (w.motion) return push_motion(b, w.motion, element, n, 0, 1, vel);
  return j->w.motion ? push_motion(b, j->w.motion, element, n, dof, j->ndof, vel) : TD_OK;
}

// equal2 = [joint dof] or [joint element dof], one row or one per element, or a number among the
// degrees of freedom of all joints.  The element of a repeated joint that is named itself has the
// coordinate for the others: *own.
static td_status share_coordinate(builder* b, int joint, int element, int own_dof,
                                  const value* equal, bool* own) {
  build_joint* j = &b->joint[joint];
  const td_span at = td_get_at(j->w.dof, own_dof, "equal2");
  const td_fit fit = td_field_fit("1|nx2|nx3", equal, j->nelement);
  const int rows = fit.rows, cols = fit.cols, row = rows == j->nelement ? element : 0;
  int other = whole(equal->x[row]) - 1;
  int e = cols == 3 ? whole(equal->x[row + rows]) - 1 : 0;
  int dof = whole(equal->x[row + rows * (cols - 1)]) - 1;
  char what[64];
  snprintf(what, sizeof what, "joint(%d).dof(%d).equal2", joint + 1, own_dof + 1);

  // one number counts the degrees of freedom of all joints in order
  if (cols == 1) {
    int left = dof;
    for (other = 0; other <= joint; other++) {
      const build_joint* o = &b->joint[other];
      const int n = o->main && o->dof_q ? o->nelement * o->ndof : 0;
      if (left < n) {
        e = left / o->ndof;
        dof = left % o->ndof;
        break;
      }
      left -= n;
    }
    if (other > joint) {
      return td_error(b->diags, TD_E_MODEL, at,
                      "%s: there is no degree of freedom %d before this one; they are counted over "
                      "all joints in order",
                      what, dof + 1);
    }
  }

  // the other coordinate exists
  if (other >= b->njoint)
    return td_error(b->diags, TD_E_MODEL, at, "%s: there is no joint(%d)", what, other + 1);
  const build_joint* o = &b->joint[other];
  if (!o->main) {
    return td_error(b->diags, TD_E_MODEL, at,
                    "%s: joint(%d) is no main joint and has no degrees of freedom", what,
                    other + 1);
  }
  if (o->dof_q && dof >= o->ndof) {
    return td_error(b->diags, TD_E_MODEL, at,
                    "%s: joint(%d) has %d degree%s of freedom, got dof %d", what, other + 1,
                    o->ndof, o->ndof == 1 ? "" : "s", dof + 1);
  }
  if (o->dof_q && e >= o->nelement) {
    return td_error(b->diags, TD_E_MODEL, at, "%s: joint(%d) has %d element%s, got element %d",
                    what, other + 1, o->nelement, o->nelement == 1 ? "" : "s", e + 1);
  }

  // it is another one, made before
  *own = other == joint && e == element && dof == own_dof;
  if (*own && j->nelement > 1) return TD_OK;
  if (*own)
    return td_error(b->diags, TD_E_MODEL, at, "%s: a degree of freedom cannot be equal to itself",
                    what);
  const int from = o->dof_q ? e * o->ndof + dof : 0;
  if (!o->dof_q || o->dof_q[from] < 0) {
    return td_error(b->diags, TD_E_MODEL, at,
                    "%s: joint(%d).dof(%d) comes later; refer to an earlier one", what, other + 1,
                    dof + 1);
  }
  if (o->dof_v[from] < 0 || b->m->vel[o->dof_v[from]].partner < 0) {
    return td_error(b->diags, TD_E_MODEL, at,
                    "%s: joint(%d).dof(%d) is a number of a quaternion, which cannot be shared",
                    what, other + 1, dof + 1);
  }

  j->dof_q[element * j->ndof + own_dof] = o->dof_q[from];
  j->dof_v[element * j->ndof + own_dof] = o->dof_v[from];
  return TD_OK;
}

// The rotation of 'spherical' and 'free' starts at a quaternion [w x y z], while its springs act on
// the rotation vector.  Four numbers far from unit length are probably meant as such a vector.
static void check_quaternion(builder* b, int joint, const item* it) {
  const joint_words* w = &b->joint[joint].w;
  double square = 0;
  int last = -1;
  for (int k = 0; k < 4; k++) {
    const value* init = td_joint_dof(w, it->dof + k).init;
    if (init && (init->kind != V_NUM || td_value_count(init) == 0 || isnan(init->x[0]))) return;
    const double x = init ? init->x[0] : default_init(it, k);
    square += x * x;
    if (init) last = it->dof + k;
  }
  if (last < 0 || (square > 0.98 && square < 1.02)) return;
  char path[32];
  td_build_joint_path(b, joint, path, sizeof path);
  td_warn(b->diags, td_get_at(w->dof, last, "init"),
          "%s.dof(%d:%d).init is a quaternion [w x y z] of length %.3g, which is divided by it",
          path, it->dof + 1, it->dof + 4, sqrt(square));
  td_hint(b->diags, "a turn by the angle a about the unit vector n is [cos(a/2) sin(a/2)*n]");
}

// Fields that DOF k of an item cannot have: parts of a rotation are not single coordinates, shared
// ones not own.
static td_status check_dof(builder* b, int joint, const item* it, int k) {
  static const char* const laws[] = {"damp", "input", "dir"};
  const build_joint* j = &b->joint[joint];
  const int dof = it->dof + k;
  const value* dofs = j->w.dof;
  if (!dofs || dof >= td_value_count(dofs)) return TD_OK;
  const dof_words w = td_joint_dof(&j->w, dof);
  const bool quaternion = td_hop_traits[it->kind].quaternion;
  char path[32], name[64];
  td_build_joint_path(b, joint, path, sizeof path);
  snprintf(name, sizeof name, "%s.dof(%d)", path, dof + 1);

  // numbers of a quaternion are neither shared nor prescribed alone
  if (k == 0 && quaternion && it->nv == 3 && it->typed && !it->vector)
    check_quaternion(b, joint, it);
  if (w.equal2 && quaternion) {
    td_error(b->diags, TD_E_MODEL, td_get_at(dofs, dof, "equal2"),
             "%s.equal2: %s is a number of a quaternion, which cannot be shared", name, name);
    td_hint(b->diags, "share the vector part of a unit quaternion, rot = [0 inf inf inf]");
    return TD_E_MODEL;
  }
  if (quaternion && w.motion) {
    td_error(b->diags, TD_E_MODEL, td_get_at(dofs, dof, "motion"),
             "%s.motion: %s is a number of a quaternion and cannot be prescribed alone", name,
             name);
    if (it->typed)
      td_more(b->diags, "prescribe the whole rotation vector: %s.dof(%d) and the two after it",
              path, it->dof + 1);
    else
      td_more(b->diags,
              "prescribe the rotation vector, %s.motion = [...], or use rotations [axis "
              "inf]",
              path);
    return TD_E_MODEL;
  }

  // a prescribed rotation leaves nothing for dampers and inputs
  const bool given = it->typed && !quaternion;  // the rotation of a spherical joint
  const value* const acting[] = {w.law.damp, w.law.input, w.law.dir};
  for (int i = 0; given && i < 3; i++)
    if (acting[i])
      return td_error(b->diags, TD_E_MODEL, td_get_at(dofs, dof, laws[i]),
                      "%s.%s: dampers and inputs of a spherical joint act on its angular velocity, "
                      "which is prescribed here",
                      name, laws[i]);

  // each coordinate is prescribed or shared once
  const char* second = w.equal2 ? "equal2" : "motion";
  if (j->w.motion && (w.equal2 || w.motion))
    return td_error(b->diags, TD_E_MODEL, td_get_at(dofs, dof, second),
                    "%s.%s: %s.motion prescribes all its degrees of freedom", name, second, path);
  if (k >= it->nv && w.rate) {
    return td_error(b->diags, TD_E_MODEL, td_get_at(dofs, dof, "rate"),
                    "%s.rate: a quaternion has %s %s.dof(%d)%s", name,
                    it->nv == 1 ? "one angular velocity, the rate of"
                                : "three angular velocities, the rates of",
                    path, it->dof + 1, it->nv == 1 ? "" : " and the two after it");
  }
  if (w.equal2 && w.motion) {
    return td_error(b->diags, TD_E_MODEL, td_get_at(dofs, dof, "motion"),
                    "%s has both equal2 and motion; prescribe the one it is equal to", name);
  }

  // a shared coordinate has the initial values of the other
  static const char* const own[] = {"init", "rate"};
  for (int i = 0; i < 2 && w.equal2 && j->nelement == 1; i++)
    if (i == 0 ? w.init : w.rate)
      td_warn(b->diags, td_get_at(dofs, dof, own[i]),
              "%s.%s has no effect: equal2 makes it the same coordinate as another", name, own[i]);
  return TD_OK;
}

// Check the numbers of `dof` and `motion` against the degrees of freedom of a joint, and their sum
// against the limit.
static td_status check_dofs(builder* b, int joint) {
  const build_joint* j = &b->joint[joint];
  const int written = j->w.dof ? td_value_count(j->w.dof) : 0;
  char path[32];
  td_build_joint_path(b, joint, path, sizeof path);
  if (written > j->ndof) {
    td_error(b->diags, TD_E_MODEL, td_get_at(j->w.s, j->w.i, "dof"),
             "%s.dof(%d): %s has %d degree%s of freedom", path, written, path, j->ndof,
             j->ndof == 1 ? "" : "s");
    td_more(b->diags, joint < b->njoint ? "each inf in tr makes one, `type` makes those of its kind"
                                        : "`type` makes those of its kind");
    return TD_E_MODEL;
  }

  // motion has a number for each degree of freedom
  const value* motion = j->w.motion;
  if (motion) {
    char shape[16];
    snprintf(shape, sizeof shape, "nx%d", j->ndof);
    if (j->ndof == 0)
      return td_error(b->diags, TD_E_MODEL, td_get_at(j->w.s, j->w.i, "motion"),
                      "%s.motion: %s has no degrees of freedom", path, path);
    if (!td_field_fit(shape, motion, j->nelement).ok)
      return td_error(
          b->diags, TD_E_MODEL, td_get_at(j->w.s, j->w.i, "motion"),
          "%s.motion must have %d number%s, one for each degree of freedom%s, got %dx%d", path,
          j->ndof, j->ndof == 1 ? "" : "s",
          j->nelement > 1 ? ", in one row or one for each element" : "", motion->rows,
          motion->cols);
  }

  // not too many
  const long all = (long)b->m->nvel + b->nnode_v + (long)j->nelement * j->ndof;
  if (all > b->spec->limits.dofs) {
    static const char* const fields[] = {"second", NULL};
    return td_error(b->diags, TD_E_MODEL, td_build_joint_at(b, joint, fields),
                    "%s: the model may have %d degrees of freedom, with this joint it has %ld",
                    path, b->spec->limits.dofs, all);
  }

  // each by itself
  td_status worst = TD_OK;
  for (int i = 0; i < j->nitem; i++)
    for (int k = 0; j->items[i].tr == -1 && k < j->items[i].ndof; k++)
      if (check_dof(b, joint, &j->items[i], k) != TD_OK) worst = TD_E_MODEL;
  return worst;
}

// Add the coordinates of a joint's elements; those written as equal2 are shared with another joint.
static td_status joint_coordinates(builder* b, int joint) {
  build_joint* j = &b->joint[joint];
  if (j->rom) return TD_OK;
  TD_TRY(check_dofs(b, joint));
  const size_t n = (size_t)(j->nelement * j->ndof) + 1;
  j->dof_q = malloc(n * sizeof(int));
  j->dof_v = malloc(n * sizeof(int));
  if (!j->dof_q || !j->dof_v) return TD_E_NOMEM;
  for (size_t i = 0; i < n; i++) j->dof_q[i] = j->dof_v[i] = -1;
  for (int element = 0; element < j->nelement; element++)
    for (int i = 0; i < j->nitem; i++) {
      const item* it = &j->items[i];
      if (it->tr != -1) continue;
      if (it->vector) TD_TRY(push_scalar_part(b, joint, element, it));
      for (int k = 0; k < it->ndof; k++) {
        const int dof = it->dof + k;
        const value* equal = td_joint_dof(&j->w, dof).equal2;
        bool own = true;
        if (equal) TD_TRY(share_coordinate(b, joint, element, dof, equal, &own));
        if (own) TD_TRY(push_coordinate(b, joint, element, it, k));
      }
    }
  return TD_OK;
}

td_status td_build_tree(builder* b) {
  if (b->nbody == 0 && b->nrod == 0 && b->nnode == 0) {
    // told at what would need one
    static const char* const users[] = {"joint", "exload", "cable", "chamber", "contact", "sensor"};
    const value* root = b->spec->root;
    for (size_t i = 0; i < sizeof users / sizeof *users; i++)
      if (td_get(root, 0, users[i]))
        return td_error(b->diags, TD_E_MODEL, td_get_at(root, 0, users[i]),
                        "the model has no body, rod or mesh that %s could act on", users[i]);
    return td_error(b->diags, TD_E_MODEL, td_span_none(),
                    "the model has no body: nothing in the text makes a body, rod or mesh");
  }
  td_status worst = TD_OK;
  for (int j = 0; j < b->njoint; j++) {
    const int n = td_check_gap(b->diags, b->joints, j, "joint", "joints");
    if (n > 0) worst = TD_E_MODEL;
    j += max_int(n - 1, 0);
  }
  TD_TRY(worst);
  TD_TRY(read_places(b));
  TD_TRY(find_main_joints(b));
  for (int j = 0; j < b->njoint + b->nrod; j++) {
    if (!b->joint[j].main) continue;
    td_status s = td_build_items(b, j);
    if (s == TD_OK) s = joint_coordinates(b, j);
    if (s != TD_OK) worst = s;
  }
  return worst == TD_OK ? td_build_places(b) : worst;
}
