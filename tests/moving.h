// Frames that move in time and change along a direction, for the tests of formulas between frames.
//
//   p(t, ε) = Σ_k (p_k + ε q_k) t^k/k!            R(t, ε) = exp((w0 + ε u0) t + (w1 + ε u1) t²/2)
//   exp(ε n) R0
//
// At t = 0 the velocity, acceleration, angular velocity and angular acceleration are p1 + ε q1, p2
// + ε q2, w0 + ε u0 and w1 + ε u1, so that both a frame and its change along ε are known in closed
// form, and differences of a value over t and ε are an oracle that shares nothing with the formulas
// under test but the value itself.
#ifndef TD_TEST_MOVING_H
#define TD_TEST_MOVING_H

#include "check.h"
#include "elem/frame.h"

typedef struct moving {
  vec3 p[3], q[3];
  mat3 R;
  vec3 turn, w[2], u[2];
} moving;

static inline vec3 random_vector(uint64_t* seed, double size) {
  const double x = check_random(seed), y = check_random(seed), z = check_random(seed);
  return (vec3){size * x, size * y, size * z};
}

// Rodrigues' formula.
static inline mat3 turned_by(vec3 y) {
  const double angle = vec3_norm(y);
  return angle > 0 ? mat3_axis_angle(vec3_scale(1 / angle, y), angle) : mat3_identity();
}

static inline moving random_moving(uint64_t* seed, double turn) {
  moving m;
  for (int k = 0; k < 3; k++) {
    m.p[k] = random_vector(seed, 1);
    m.q[k] = random_vector(seed, 1);
  }
  m.R = turned_by(random_vector(seed, turn));
  m.turn = random_vector(seed, 1);
  for (int k = 0; k < 2; k++) {
    m.w[k] = random_vector(seed, 1);
    m.u[k] = random_vector(seed, 1);
  }
  return m;
}

// The frame at t = 0, with its rates.
static inline frame moving_frame(const moving* m, double e) {
  return (frame){.R = mat3_mul(turned_by(vec3_scale(e, m->turn)), m->R),
                 .p = vec3_axpy(e, m->q[0], m->p[0]),
                 .v = vec3_axpy(e, m->q[1], m->p[1]),
                 .a = vec3_axpy(e, m->q[2], m->p[2]),
                 .w = vec3_axpy(e, m->u[0], m->w[0]),
                 .dw = vec3_axpy(e, m->u[1], m->w[1])};
}
// The place and rotation at t; no rates.
static inline frame moving_pose(const moving* m, double t) {
  const vec3 turn = vec3_axpy(t, m->w[0], vec3_scale(0.5 * t * t, m->w[1]));
  return (frame){.R = mat3_mul(turned_by(turn), m->R),
                 .p = vec3_axpy(0.5 * t * t, m->p[2], vec3_axpy(t, m->p[1], m->p[0]))};
}
static inline frame_change moving_change(const moving* m) {
  return (frame_change){
      .p = m->q[0], .turn = m->turn, .v = m->q[1], .w = m->u[0], .a = m->q[2], .dw = m->u[1]};
}

// First and second derivative at 0 by central differences of order eight.  They leave
// h⁸ f⁽⁹⁾/630 = 1e-22 f⁽⁹⁾ and rounding of 1e-13 and 1e-10 of the function.
typedef double (*scalar_function)(double h, const void* with);
static inline double slope_of(scalar_function f, const void* with) {
  static const double weight[4] = {4 / 5., -1 / 5., 4 / 105., -1 / 280.};
  const double h = 4e-3;
  double sum = 0;
  for (int k = 1; k <= 4; k++) sum += weight[k - 1] * (f(k * h, with) - f(-k * h, with));
  return sum / h;
}
static inline double curvature_of(scalar_function f, const void* with) {
  static const double weight[4] = {8 / 5., -1 / 5., 8 / 315., -1 / 560.};
  const double h = 4e-3;
  double sum = -205 / 72. * f(0, with);
  for (int k = 1; k <= 4; k++) sum += weight[k - 1] * (f(k * h, with) + f(-k * h, with));
  return sum / (h * h);
}

// Power of a force F on the origin and a torque T on a frame.
static inline double power_on(const frame* f, vec3 F, vec3 T) {
  return vec3_dot(F, f->v) + vec3_dot(T, f->w);
}

#endif
