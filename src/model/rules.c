// Rules of mechanics that one value must obey by itself and that several structures share: inertias
// that a body can have, rotations that have an axis, directions, matrices of sections.  How bodies
// and joints fit together is found later, when the model is compiled.
#include "model/rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/dense.h"

static const double slack = TD_BOUND_SLACK;

// The n numbers of v from element `from`, parameters at their present values; false when one of
// them depends on anything else.
static bool numbers(const td_spec* spec, const value* v, int from, int n, double* x) {
  for (int k = 0; k < n; k++)
    if (!td_check_known(spec, v, from + k, &x[k])) return false;
  return true;
}

static double norm3(const double* x) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

// One page of an inertia I, with principal moments a <= b <= c.  A body is a set of positive
// masses, so
//
//   I = I',   a >= 0,   a + b >= c
//
// the last because c - a - b = -2 * (second moment along the axis of c).  diag([0 0 c]) is how
// planar models are published: it is right for a body that turns about that axis only.
static void check_moments(td_spec* spec, const checked* c, const char* name, const double* I) {
  double size = 0, w[3], V[9];
  static const double eye[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int k = 0; k < 9; k++) size = fmax(size, fabs(I[k]));

  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < i; j++) {
      if (fabs(I[3 * i + j] - I[3 * j + i]) <= slack * size) continue;
      td_error(&spec->diags, TD_E_MODEL, c->at,
               "%s must be symmetric, but element (%d,%d) is %g and (%d,%d) is %g", name, j + 1,
               i + 1, I[3 * i + j], i + 1, j + 1, I[3 * j + i]);
      return;
    }
  }
  if (!td_eig_symmetric(I, eye, 3, w, V)) return;
  if (w[0] < -slack * size)
    td_error(&spec->diags, TD_E_MODEL, c->at,
             "%s must not have a negative principal moment, got %g kg m^2", name, w[0]);
  else if (size > 0 && w[1] <= slack * size)
    td_warn(&spec->diags, c->at,
            "%s has a moment about one axis only: right for a body that turns about no other",
            name);
  else if (w[2] - w[0] - w[1] > slack * size)
    td_error(
        &spec->diags, TD_E_MODEL, c->at,
        "%s: no body has a principal moment larger than the sum of the other two, got %g, %g and "
        "%g kg m^2",
        name, w[0], w[1], w[2]);
}

// Each page of the value is the inertia of one element: symmetric, no negative principal moment,
// none above the sum of the other two.  The rule is kept for parameters that are set later.
void td_check_inertias(td_spec* spec, const checked* c) {
  for (int p = 0; p < c->v->pages; p++) {
    double I[9];
    char name[96];
    if (!numbers(spec, c->v, 9 * p, 9, I)) continue;
    if (c->v->pages == 1)
      snprintf(name, sizeof name, "%s", c->name);
    else
      snprintf(name, sizeof name, "%s(:,:,%d)", c->name, p + 1);
    check_moments(spec, c, name, I);

    ex e[9];
    char rule[256];
    for (int k = 0; k < 9; k++) e[k] = td_value_ex(c->v, 9 * p + k, spec->graph);
    snprintf(rule, sizeof rule,
             "%s must be symmetric, without a negative principal moment and without one larger "
             "than the sum of the other two",
             name);
    td_bound_matrix(spec, BOUND_MOMENTS, e, 3, rule);
  }
}

// [axis angle]: the axis is 1, 2 or 3; [0 0] is no rotation.
static void axis_angle(td_spec* spec, const checked* c) {
  double axis, angle;
  if (!td_check_constant(spec, c->v, 0, &axis)) {
    td_error(&spec->diags, TD_E_MODEL, c->at,
             "%s(1), the axis, must be known when the model is loaded", c->name);
    return;
  }
  const bool turns = !td_check_constant(spec, c->v, 1, &angle) || angle != 0;
  if (axis == 1 || axis == 2 || axis == 3 || (axis == 0 && !turns)) return;
  td_error(&spec->diags, TD_E_MODEL, c->at,
           "%s(1), the axis, must be 1 (x), 2 (y) or 3 (z), got %g", c->name, axis);
}

bool td_is_vector_part(const td_spec* spec, const value* rot) {
  double x[4];
  if (td_value_count(rot) != 4 || !td_check_constant(spec, rot, 0, &x[0]) || x[0] != 0)
    return false;
  for (int k = 1; k < 4; k++)
    if (!td_check_constant(spec, rot, k, &x[k])) return true;
  return norm3(x + 1) > 0 && norm3(x + 1) < 1;
}

// Check a fixed rotation [0 x y z], the vector part of a unit quaternion as published: not longer
// than 1, and a remark, since four other numbers are [angle axis].  False: it is none.
static bool vector_part(td_spec* spec, const checked* c) {
  if (!td_is_vector_part(spec, c->v)) return false;
  char rule[160];
  ex sum = td_ex_const(spec->graph, 0);
  double x[4] = {0};
  for (int k = 1; k < 4; k++) {
    const ex e = td_value_ex(c->v, k, spec->graph);
    sum = td_ex_2(spec->graph, EX_ADD, sum, td_ex_2(spec->graph, EX_MUL, e, e));
  }
  if (numbers(spec, c->v, 0, 4, x) && norm3(x + 1) > 1)
    td_error(&spec->diags, TD_E_MODEL, c->at,
             "%s is the vector part of a unit quaternion, which is not longer than 1, got %g",
             c->name, norm3(x + 1));
  else
    td_remark(&spec->diags, c->at,
              "%s = [0 x y z] is the vector part of a unit quaternion: a turn by 2*asin(norm([x y "
              "z])); four other numbers are [angle axis]",
              c->name);
  snprintf(rule, sizeof rule,
           "%s is the vector part of a unit quaternion, which is not longer than 1; its squared "
           "length is ",
           c->name);
  td_bound_range(spec, sum, 0, false, 1, rule, "");
  return true;
}

// Rules of a rotation by the count of its numbers: two are [axis angle]; four are [angle axis],
// whose axis must not vanish, or with a DOF (inf) among them a quaternion, which starts with 0 or
// inf; three have no rule.
void td_check_rotation(td_spec* spec, const checked* c) {
  const int n = td_value_count(c->v);
  double x[4];
  bool dof = false;
  if (n == 2) axis_angle(spec, c);
  if (n != 4) return;

  for (int k = 0; k < 4; k++) dof = (td_check_constant(spec, c->v, k, &x[k]) && isinf(x[k])) || dof;

  // angle and axis, or the vector part of a quaternion
  if (!dof) {
    if (vector_part(spec, c)) return;
    if (!numbers(spec, c->v, 0, 4, x) || x[0] == 0 || norm3(x + 1) > 0) return;
    td_error(&spec->diags, TD_E_MODEL, c->at, "%s turns by %g rad about a zero axis", c->name,
             x[0]);
    td_hint(&spec->diags, "four numbers are [angle axis]");
    return;
  }

  // quaternion with DOFs
  if (td_check_constant(spec, c->v, 0, &x[0]) && (x[0] == 0 || isinf(x[0]))) return;
  td_error(&spec->diags, TD_E_MODEL, c->at, "%s is an angle and an axis, where no DOF (inf) may be",
           c->name);
  td_hint(&spec->diags, "a quaternion with DOFs starts with 0 or inf");
}

// joint.tr2nd.rot, exload.tr.rot: four numbers are a quaternion.
void td_check_place_rotation(td_spec* spec, const checked* c) {
  const int n = td_value_count(c->v);
  double x[4];
  if (n == 2) axis_angle(spec, c);
  if (n == 4 && vector_part(spec, c)) return;
  if (n == 4 && numbers(spec, c->v, 0, 4, x) && x[0] == 0 && norm3(x + 1) == 0)
    td_error(&spec->diags, TD_E_MODEL, c->at, "%s must not be the zero quaternion", c->name);
}

// Rule of directions, one in each row of three numbers: not zero.  The rule is kept for parameters
// that are set later.
void td_check_directions(td_spec* spec, const checked* c) {
  const int rows = c->fit.rows;
  for (int i = 0; i < rows; i++) {
    double d[3];
    bool known = true;
    for (int j = 0; j < 3; j++) known = td_check_known(spec, c->v, i + rows * j, &d[j]) && known;
    if (known && norm3(d) > 0) {
      ex sum = td_ex_const(spec->graph, 0);
      char rule[128];
      for (int j = 0; j < 3; j++) {
        const ex e = td_value_ex(c->v, i + rows * j, spec->graph);
        sum = td_ex_2(spec->graph, EX_ADD, sum, td_ex_2(spec->graph, EX_MUL, e, e));
      }
      snprintf(rule, sizeof rule, "%s must not be zero: it is a direction; its squared length is ",
               c->name);
      td_bound_range(spec, sum, 0, true, HUGE_VAL, rule, "");
    }
    if (!known || norm3(d) > 0) continue;
    td_error(&spec->diags, TD_E_MODEL, c->at, "%s must not be zero: it is a direction", c->name);
    return;
  }
}

// The two axes of a universal joint are not parallel.
void td_check_axes(td_spec* spec, const checked* c) {
  double x[6];
  td_check_directions(spec, c);
  if (c->fit.rows != 2 || !numbers(spec, c->v, 0, 6, x)) return;
  const double a[3] = {x[0], x[2], x[4]}, b[3] = {x[1], x[3], x[5]};
  const double cross[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                           a[0] * b[1] - a[1] * b[0]};
  ex e[6], sum = td_ex_const(spec->graph, 0);
  char rule[160];
  for (int k = 0; k < 6; k++) e[k] = td_value_ex(c->v, k, spec->graph);
  for (int k = 0; k < 3; k++) {  // the square of the cross product
    const int i = 2 * ((k + 1) % 3), j = 2 * ((k + 2) % 3);
    const ex across = td_ex_2(spec->graph, EX_SUB, td_ex_2(spec->graph, EX_MUL, e[i], e[j + 1]),
                              td_ex_2(spec->graph, EX_MUL, e[j], e[i + 1]));
    sum = td_ex_2(spec->graph, EX_ADD, sum, td_ex_2(spec->graph, EX_MUL, across, across));
  }
  snprintf(rule, sizeof rule, "%s: the two axes must not be parallel, their product is ", c->name);
  td_bound_range(spec, sum, 1e-18, true, HUGE_VAL, rule, "");
  if (norm3(a) > 0 && norm3(b) > 0 && norm3(cross) <= slack * norm3(a) * norm3(b))
    td_error(&spec->diags, TD_E_MODEL, c->at, "%s: the two axes must not be parallel", c->name);
}

// Check a 6 x 6 section matrix at an arc length: symmetric, no negative eigenvalue.  False after a
// message; true also where it is not known yet.
static bool check_matrix(td_spec* spec, const checked* c, double arc, ex place) {
  double A[36], w[6], V[36], eye[36] = {0}, size = 0;
  ex e[36];
  char rule[160];
  for (int k = 0; k < 36; k++) {
    if (!td_check_along(spec, c->v, k, arc, &A[k])) return true;
    e[k] = td_bound_at(spec, c->v, k, place);
    size = fmax(size, fabs(A[k]));
    eye[k] = k % 7 == 0;
  }
  snprintf(rule, sizeof rule, "%s must be symmetric and must not have a negative eigenvalue",
           c->name);
  td_bound_matrix(spec, BOUND_SYMMETRIC, e, 6, rule);
  for (int k = 0; k < 36; k++) {
    const int i = k % 6, j = k / 6;
    if (fabs(A[k] - A[j + 6 * i]) <= slack * size) continue;
    td_error(&spec->diags, TD_E_MODEL, c->at,
             "%s must be symmetric, but element (%d,%d) is %g and (%d,%d) is %g", c->name, j + 1,
             i + 1, A[j + 6 * i], i + 1, j + 1, A[k]);
    return false;
  }
  if (!td_eig_symmetric(A, eye, 6, w, V) || w[0] >= -slack * size) return true;
  td_error(&spec->diags, TD_E_MODEL, c->at, "%s must not have a negative eigenvalue, got %g",
           c->name, w[0]);
  return false;
}

// Six diagonal numbers must not be negative, a 6 x 6 matrix must be positive semidefinite; checked
// at three arc lengths of the stretch.  The rule is kept for parameters that are set later.
void td_check_section_matrix(td_spec* spec, const checked* c) {
  const int n = td_value_count(c->v);
  for (int p = 0; p < 3; p++) {
    const double arc = stretch_arc(c->along, p);
    const ex place = td_stretch_ex(spec, c->along, p);
    if (n == 36 && !check_matrix(spec, c, arc, place)) return;
    for (int k = 0; n == 6 && k < 6; k++) {
      double x;
      if (!td_check_along(spec, c->v, k, arc, &x)) continue;
      char rule[160];
      snprintf(rule, sizeof rule, "%s(%d) must not be negative, got ", c->name, k + 1);
      td_bound_range(spec, td_bound_at(spec, c->v, k, place), 0, false, HUGE_VAL, rule, "");
      if (x >= 0) continue;
      td_error(&spec->diags, TD_E_MODEL, c->at, "%s(%d) must not be negative, got %g", c->name,
               k + 1, x);
      return;
    }
  }
}

// Rule of the weights (second row) of a quadrature on [0, 1]: their sum is 1.  A small difference
// is a warning.
void td_check_weights(td_spec* spec, const checked* c) {
  double sum = 0, x;
  for (int k = 0; c->v->rows == 2 && k < c->v->cols; k++) {
    if (!td_check_constant(spec, c->v, 2 * k + 1, &x)) return;
    sum += x;
  }
  if (c->v->rows != 2 || fabs(sum - 1) < 1e-9) return;
  if (fabs(sum - 1) > 1e-3)
    td_error(&spec->diags, TD_E_MODEL, c->at,
             "%s: the weights (second row) must sum to 1, the length of [0,1], got %.6g", c->name,
             sum);
  else
    td_warn(&spec->diags, c->at,
            "%s: the weights (second row) sum to %.10g, not 1: give more digits", c->name, sum);
}
