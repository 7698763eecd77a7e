// Fixed transformations: the constant part of `tr`, `tr2nd` and the like, and axes that complete a
// frame.
#include <math.h>

#include "model/rods.h"

// t1: a principal axis made orthogonal to n (Gram and Schmidt); t2 = n × t1.
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

void td_complete_frame_ex(builder* b, const ex n[3], ex t1[3], ex t2[3]) {
  double now[3], u1[3], u2[3];
  bool still = true;
  for (int c = 0; c < 3; c++) {
    now[c] = td_build_now(b, n[c]);
    still = still && td_ex_is_const(b->spec->graph, n[c]);
  }
  td_complete_frame(now, u1, u2);
  for (int c = 0; c < 3; c++) {
    t1[c] = num_ex(b, u1[c]);
    t2[c] = num_ex(b, u2[c]);
  }
  if (still) return;

  // the same with the axis chosen now, which stays the one that n is nearest to
  int k = 0;
  for (int c = 1; c < 3; c++)
    if (fabs(now[c]) > fabs(now[k])) k = c;
  const double sign = now[k] < 0 ? -1 : 1;
  const int next = (k + 1) % 3;
  const ex dot = times(b, sign, n[next]);
  ex norm = num_ex(b, 0);
  for (int c = 0; c < 3; c++) {
    t1[c] = minus(b, num_ex(b, c == next ? sign : 0), mul(b, dot, n[c]));
    norm = add(b, norm, mul(b, t1[c], t1[c]));
  }
  norm = td_ex_1(b->spec->graph, EX_SQRT, norm);
  for (int c = 0; c < 3; c++) t1[c] = over(b, t1[c], norm);
  for (int c = 0; c < 3; c++)
    t2[c] =
        minus(b, mul(b, n[(c + 1) % 3], t1[(c + 2) % 3]), mul(b, n[(c + 2) % 3], t1[(c + 1) % 3]));
  for (int c = 0; c < 3; c++) {
    const ex ahead = minus(b, times(b, sign, n[k]),
                           c == k ? num_ex(b, 0) : td_ex_1(b->spec->graph, EX_ABS, n[c]));
    td_rod_keep_above(b, ahead, "an axis turns towards another direction of its frame, by ");
  }
}

bool td_unit_vector(double x[3]) {
  const double size = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
  if (!(size > 0)) return false;
  for (int c = 0; c < 3; c++) x[c] /= size;
  const double norm = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  for (int c = 0; c < 3; c++) x[c] /= norm;
  return true;
}

// Read a rotation by the count of its numbers: 2 [axis angle], 3 Euler-Bernoulli, 4 quaternion, its
// vector part, or [angle axis].  Zeros are no rotation.
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
  for (int i = 0; i < n; i++) zero = zero && value_is_zero(rot, i);
  if (zero) {
    fix->kind = ROT_NONE;
    return TD_OK;
  }
  fix->rot = td_build_numbers(b, rot, 0, 1, n, 0);
  return fix->rot == NUM_NONE ? TD_E_NOMEM : TD_OK;
}

// Append the transformation; free elements (inf) count as zero here, since hops move them.
td_status td_build_fix(builder* b, const value* tr, int i, bool quaternion, bool translation,
                       bool rotation) {
  const tr_words w = tr_read(tr, i);
  model_fix fix = {.kind = ROT_NONE, .rot = NUM_NONE};
  const double zero[3] = {0, 0, 0};
  fix.trans = td_build_constants(b, zero, 3);
  if (fix.trans == NUM_NONE) return TD_E_NOMEM;
  for (int c = 0; translation && w.trans && c < 3; c++)
    if (!value_is_free(w.trans, c))
      b->m->number_ex[fix.trans + c] = td_value_ex(w.trans, c, b->spec->graph);
  if (rotation && w.rot) TD_TRY(fixed_rotation(b, w.rot, quaternion, &fix));
  model_fix* pushed = td_push_fix(b->m, 1);
  if (!pushed) return TD_E_NOMEM;
  *pushed = fix;
  return TD_OK;
}

td_status td_build_fixes(builder* b, const value* list, bool quaternion, int* fix, int* nfix) {
  *fix = b->m->nfix;
  const int n = list ? td_value_count(list) : 0;
  for (int i = 0; i < n; i++) TD_TRY(td_build_fix(b, list, i, quaternion, true, true));
  *nfix = b->m->nfix - *fix;
  return TD_OK;
}
