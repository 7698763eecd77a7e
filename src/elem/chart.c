// Charts of rotations by three numbers; see chart.h for the formulas.
#include "chart.h"

chart td_chart_quat3(vec3 q) {
  chart c;
  // beyond the chart (|q| > 1, a trial point of an iteration) go on from its edge
  const double q02 = fmax(1 - vec3_dot(q, q), 1e-12), q0 = sqrt(q02);
  c.Q = quat_unit((quat){q0, q});
  const mat3 one = mat3_identity(), qq = mat3_outer(q, q);
  c.T = mat3_scale(2, mat3_add(mat3_add(mat3_scale(q0, one), mat3_scale(-1, mat3_skew(q))),
                               mat3_scale(1 / q0, qq)));
  for (int k = 0; k < 3; k++) {
    const vec3 e = vec3_axis(k);
    const double qk = vec3_at(q, k);
    // d q0 = -q_k/q0,  d(1/q0) = q_k/q0³
    mat3 d = mat3_add(mat3_scale(-qk / q0, one), mat3_scale(-1, mat3_skew(e)));
    d = mat3_add(d, mat3_scale(1 / q0, mat3_add(mat3_outer(e, q), mat3_outer(q, e))));
    c.Tk[k] = mat3_scale(2, mat3_add(d, mat3_scale(qk / (q0 * q02), qq)));
  }
  return c;
}

chart td_chart_cayley(vec3 q) {
  chart c;
  const double s = 1 / (1 + 0.25 * vec3_dot(q, q));
  const mat3 A = mat3_add(mat3_identity(), mat3_scale(-0.5, mat3_skew(q)));
  c.Q = quat_unit((quat){1, vec3_scale(0.5, q)});
  c.T = mat3_scale(s, A);
  for (int k = 0; k < 3; k++) {
    const double ds = -0.5 * s * s * vec3_at(q, k);
    c.Tk[k] = mat3_add(mat3_scale(ds, A), mat3_scale(-0.5 * s, mat3_skew(vec3_axis(k))));
  }
  return c;
}

// T x = 2 (q0 x - q × x + q (q·x)/q0);  differentiate twice: along v, then along e_k
static vec3 second_quat3(vec3 q, int k, vec3 v, vec3 x) {
  const vec3 e = vec3_axis(k);
  const double q02 = fmax(1 - vec3_dot(q, q), 1e-12), q0 = sqrt(q02);
  const double qv = vec3_dot(q, v), qk = vec3_at(q, k), vk = vec3_at(v, k);
  const double qx = vec3_dot(q, x), vx = vec3_dot(v, x), xk = vec3_at(x, k);
  // i = 1/q0: i_v = q·v i³, i_k = q_k i³, i_vk = v_k i³ + 3 q·v q_k i⁵
  const double i1 = 1 / q0, i3 = i1 / q02, i5 = i3 / q02;
  const double iv = qv * i3, ik = qk * i3, ivk = vk * i3 + 3 * qv * qk * i5;
  // q0: second derivative -(v_k i + q·v q_k i³)
  vec3 out = vec3_scale(-(vk * i1 + qv * qk * i3), x);
  // product rule on q (q·x) i
  out = vec3_axpy(xk * i1, v, out);
  out = vec3_axpy(vx * i1 + qx * iv, e, out);
  out = vec3_axpy(qx * ik, v, out);
  out = vec3_axpy(vx * ik + xk * iv + qx * ivk, q, out);
  return vec3_scale(2, out);
}

// T x = s (x - q × x / 2)
static vec3 second_cayley(vec3 q, int k, vec3 v, vec3 x) {
  const vec3 e = vec3_axis(k);
  const double s = 1 / (1 + 0.25 * vec3_dot(q, q)), qv = vec3_dot(q, v), qk = vec3_at(q, k);
  const double sv = -0.5 * s * s * qv, sk = -0.5 * s * s * qk;
  const double svk = -0.5 * s * s * vec3_at(v, k) + 0.5 * s * s * s * qv * qk;
  vec3 out = vec3_scale(svk, vec3_axpy(-0.5, vec3_cross(q, x), x));
  out = vec3_axpy(-0.5 * sv, vec3_cross(e, x), out);
  return vec3_axpy(-0.5 * sk, vec3_cross(v, x), out);
}

void td_chart_second(vec3 q, bool cayley, vec3 v, vec3 x, vec3 out[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = cayley ? second_cayley(q, k, v, x) : second_quat3(q, k, v, x);
}

double td_chart_distance(vec3 q, bool cayley) {
  const double n2 = vec3_dot(q, q);
  return cayley ? 1 / sqrt(1 + 0.25 * n2) : sqrt(fmax(0, 1 - n2));
}
