// Charts of rotations; chart.h has the formulas.
#include "elem/chart.h"

// q0².  Outside the chart (|q| > 1, a trial point of an iteration) the value at its edge is used.
static double quat3_squared(vec3 q) { return fmax(1 - vec3_dot(q, q), 1e-12); }

// Q and T of QUAT3
static chart_frame quat3_frame(vec3 q) {
  const double q0 = sqrt(quat3_squared(q));
  const mat3 one = mat3_identity(), qq = mat3_outer(q, q);
  return (chart_frame){
      quat_unit((quat){q0, q}),
      mat3_scale(2, mat3_add(mat3_add(mat3_scale(q0, one), mat3_scale(-1, mat3_skew(q))),
                             mat3_scale(1 / q0, qq)))};
}

// Q, T and T_k of QUAT3
static chart quat3(vec3 q) {
  const chart_frame frame = quat3_frame(q);
  chart c = {.Q = frame.Q, .T = frame.T};
  const double q02 = quat3_squared(q), q0 = sqrt(q02);
  const mat3 one = mat3_identity(), qq = mat3_outer(q, q);

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

// Q and T of CAYLEY
static chart_frame cayley_frame(vec3 q) {
  const double s = 1 / (1 + 0.25 * vec3_dot(q, q));
  return (chart_frame){quat_unit((quat){1, vec3_scale(0.5, q)}),
                       mat3_scale(s, mat3_add(mat3_identity(), mat3_scale(-0.5, mat3_skew(q))))};
}

// Q, T and T_k of CAYLEY
static chart cayley(vec3 q) {
  const chart_frame frame = cayley_frame(q);
  chart c = {.Q = frame.Q, .T = frame.T};
  const double s = 1 / (1 + 0.25 * vec3_dot(q, q));
  const mat3 A = mat3_add(mat3_identity(), mat3_scale(-0.5, mat3_skew(q)));
  for (int k = 0; k < 3; k++) {
    const double ds = -0.5 * s * s * vec3_at(q, k);
    c.Tk[k] = mat3_add(mat3_scale(ds, A), mat3_scale(-0.5 * s, mat3_skew(vec3_axis(k))));
  }
  return c;
}

// QUAT3: T x = 2 (q0 x - q × x + q (q·x)/q0), differentiated along v, then along e_k
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

// CAYLEY: T x = s (x - q × x / 2), differentiated along v, then along e_k
static vec3 second_cayley(vec3 q, int k, vec3 v, vec3 x) {
  const vec3 e = vec3_axis(k);
  const double s = 1 / (1 + 0.25 * vec3_dot(q, q)), qv = vec3_dot(q, v), qk = vec3_at(q, k);
  const double sv = -0.5 * s * s * qv, sk = -0.5 * s * s * qk;
  const double svk = -0.5 * s * s * vec3_at(v, k) + 0.5 * s * s * s * qv * qk;
  vec3 out = vec3_scale(svk, vec3_axpy(-0.5, vec3_cross(q, x), x));
  out = vec3_axpy(-0.5 * sv, vec3_cross(e, x), out);
  return vec3_axpy(-0.5 * sk, vec3_cross(v, x), out);
}

// ---- rotation vectors -------------------------------------------------------------------------

// b(t) = (1 - cos θ)/θ², c(t) = (θ - sin θ)/θ³ as functions of t = θ², with two derivatives
typedef struct turn_coef {
  double b, b1, b2, c, c1, c2;
} turn_coef;

// Coefficients of the series of b and c: (-1)^n / (2n+2)! and (-1)^n / (2n+3)!
enum { TURN_TERMS = 12 };
static const double turn_series[TURN_TERMS][2] = {
    {1 / 2., 1 / 6.},
    {-1 / 24., -1 / 120.},
    {1 / 720., 1 / 5040.},
    {-1 / 40320., -1 / 362880.},
    {1 / 3628800., 1 / 39916800.},
    {-1 / 479001600., -1 / 6227020800.},
    {1 / 87178291200., 1 / 1307674368000.},
    {-1 / 20922789888000., -1 / 355687428096000.},
    {1 / 6402373705728000., 1 / 121645100408832000.},
    {-1 / 2432902008176640000., -1 / 51090942171709440000.},
    {1 / 1124000727777607680000., 1 / 25852016738884976640000.},
    {-1 / 620448401733239439360000., -1 / 15511210043330985984000000.},
};

// b = (1 - cos θ)/θ² and c = (θ - sin θ)/θ³ as functions of t = θ², with first and second
// derivatives by t.  The closed forms lose digits as θ → 0; below θ = 1 the series are summed by
// Horner's rule, cut at rounding.
static turn_coef turn_coefficients(double t) {
  if (t < 1) {
    turn_coef k = {0};
    for (int n = t < 0.01 ? 5 : TURN_TERMS - 1; n >= 0; n--) {
      k.b2 = t * k.b2 + 2 * k.b1;
      k.c2 = t * k.c2 + 2 * k.c1;
      k.b1 = t * k.b1 + k.b;
      k.c1 = t * k.c1 + k.c;
      k.b = t * k.b + turn_series[n][0];
      k.c = t * k.c + turn_series[n][1];
    }
    return k;
  }

  const double th = sqrt(t), C = cos(th), a = sin(th) / th;
  const double a1 = (C - a) / (2 * t), a2 = (-0.5 * a - 3 * a1) / (2 * t);
  turn_coef k;
  k.b = (1 - C) / t;
  k.b1 = (0.5 * a - k.b) / t;
  k.b2 = (0.5 * a1 - 2 * k.b1) / t;
  k.c = (1 - a) / t;
  k.c1 = (-a1 - k.c) / t;
  k.c2 = (-a2 - 2 * k.c1) / t;
  return k;
}

// T = 1 - b [y]× + c (y yᵀ - |y|² 1)
static mat3 turn_map(const turn_coef* k, vec3 y) {
  mat3 T = mat3_add(mat3_scale(-k->b, mat3_skew(y)), mat3_scale(k->c, mat3_outer(y, y)));
  for (int i = 0; i < 9; i += 4) T.m[i] += 1 - k->c * vec3_dot(y, y);
  return T;
}

// Q and T of TURN
static chart_frame turn_frame(vec3 y) {
  const turn_coef k = turn_coefficients(vec3_dot(y, y));
  return (chart_frame){quat_exp(y), turn_map(&k, y)};
}

// Q, T and T_k of TURN
static chart turn(vec3 y) {
  const turn_coef k = turn_coefficients(vec3_dot(y, y));
  const mat3 Y = mat3_skew(y), YY = mat3_mul(Y, Y);
  chart c = {.Q = quat_exp(y), .T = turn_map(&k, y)};
  for (int i = 0; i < 3; i++) {
    const mat3 E = mat3_skew(vec3_axis(i)), EY = mat3_mul(E, Y);
    const double yi = 2 * vec3_at(y, i);
    c.Tk[i] = mat3_add(mat3_scale(-k.b1 * yi, Y), mat3_scale(k.c1 * yi, YY));
    c.Tk[i] = mat3_add(
        c.Tk[i], mat3_add(mat3_scale(-k.b, E), mat3_scale(k.c, mat3_add(EY, mat3_mul(Y, E)))));
  }
  return c;
}

// TURN: T x = x - b y×x + c y×(y×x), differentiated along u, then along e_k
static vec3 second_turn(vec3 y, int i, vec3 u, vec3 x) {
  const turn_coef k = turn_coefficients(vec3_dot(y, y));
  const vec3 e = vec3_axis(i), yx = vec3_cross(y, x), ux = vec3_cross(u, x), ex = vec3_cross(e, x);
  const double tu = 2 * vec3_dot(y, u), ti = 2 * vec3_at(y, i), tui = 2 * vec3_at(u, i);
  const vec3 yyx = vec3_cross(y, yx);
  const vec3 yyx_u = vec3_add(vec3_cross(u, yx), vec3_cross(y, ux)),
             yyx_i = vec3_add(vec3_cross(e, yx), vec3_cross(y, ex));
  const vec3 yyx_ui = vec3_add(vec3_cross(u, ex), vec3_cross(e, ux));
  vec3 out = vec3_scale(-(k.b2 * tu * ti + k.b1 * tui), yx);
  out = vec3_axpy(-k.b1 * tu, ex, vec3_axpy(-k.b1 * ti, ux, out));
  out = vec3_axpy(k.c2 * tu * ti + k.c1 * tui, yyx, out);
  out = vec3_axpy(k.c1 * tu, yyx_i, vec3_axpy(k.c1 * ti, yyx_u, out));
  return vec3_axpy(k.c, yyx_ui, out);
}

// ---- by kind ----------------------------------------------------------------------------------

chart td_chart(chart_kind kind, vec3 y) {
  return kind == CHART_QUAT3 ? quat3(y) : kind == CHART_CAYLEY ? cayley(y) : turn(y);
}

chart_frame td_chart_frame(chart_kind kind, vec3 y) {
  return kind == CHART_QUAT3    ? quat3_frame(y)
         : kind == CHART_CAYLEY ? cayley_frame(y)
                                : turn_frame(y);
}

// (Σ_k T_k u_k) u: the derivative of T(y) x along u with x = u, that is the angular acceleration in
// body axes at constant rates u.  The formulas of T x above, differentiated once.
vec3 td_chart_rate(chart_kind kind, vec3 y, vec3 u) {
  const double yu = vec3_dot(y, u), yy = vec3_dot(y, y);
  const vec3 yxu = vec3_cross(y, u);
  if (kind == CHART_QUAT3) {
    const double q02 = quat3_squared(y), q0 = sqrt(q02);
    return vec3_scale(2 / q0 * (vec3_dot(u, u) + yu * yu / q02), y);
  }
  if (kind == CHART_CAYLEY) {
    const double s = 1 / (1 + 0.25 * yy);
    return vec3_scale(-0.5 * s * s * yu, vec3_axpy(-0.5, yxu, u));
  }
  const turn_coef k = turn_coefficients(yy);
  const vec3 out =
      vec3_axpy(2 * k.c1 * yu, vec3_cross(y, yxu), vec3_scale(k.c, vec3_cross(u, yxu)));
  return vec3_axpy(-2 * k.b1 * yu, yxu, out);
}

void td_chart_second(chart_kind kind, vec3 y, vec3 u, vec3 x, vec3 out[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = kind == CHART_QUAT3    ? second_quat3(y, k, u, x)
             : kind == CHART_CAYLEY ? second_cayley(y, k, u, x)
                                    : second_turn(y, k, u, x);
}

// cos(θ/2) for QUAT3 and CAYLEY, 1 - θ/2π for TURN
double td_chart_distance(chart_kind kind, vec3 y) {
  const double n2 = vec3_dot(y, y);
  switch (kind) {
    case CHART_QUAT3:
      return sqrt(fmax(0, 1 - n2));
    case CHART_CAYLEY:
      return 1 / sqrt(1 + 0.25 * n2);
    case CHART_TURN:
      return fmax(0, 1 - sqrt(n2) / 6.283185307179586);
  }
  return 1;
}
