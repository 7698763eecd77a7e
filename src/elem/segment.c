// A piece of rod between two frames; segment.h has the formulas.
#include "elem/segment.h"

#include "elem/chart.h"

// p0 = φ/sin φ, p1 and τ = tan(φ/2)/φ with derivatives as functions of t = φ².  Below φ = 0.1 their
// series are summed by Horner's rule (next term below 1e-18).
static void coefficients(double t, segment* s) {
  // series, by Horner's rule for the derivatives too
  if (t < 0.01) {
    const double a[] = {1,
                        1.0 / 6,
                        7.0 / 360,
                        31.0 / 15120,
                        127.0 / 604800,
                        73.0 / 3421440,
                        1414477.0 / 653837184000.0};
    const double b[] = {0.5, 1.0 / 24, 1.0 / 240, 17.0 / 40320, 31.0 / 725760, 691.0 / 159667200};
    s->p0 = s->dp0 = s->p1 = s->dp1 = s->tau = s->dtau = 0;
    for (int k = 6; k >= 0; k--) {
      s->dp0 = s->dp0 * t + s->p0;
      s->p0 = s->p0 * t + a[k];
    }
    for (int k = 6; k >= 1; k--) {
      s->dp1 = s->dp1 * t + s->p1;
      s->p1 = s->p1 * t - a[k];
    }
    for (int k = 5; k >= 0; k--) {
      s->dtau = s->dtau * t + s->tau;
      s->tau = s->tau * t + b[k];
    }
    return;
  }

  // closed forms
  const double p = sqrt(t), sn = sin(p), cs = cos(p), half = tan(0.5 * p);
  s->p0 = p / sn;
  s->dp0 = (sn - p * cs) / (2 * p * sn * sn);
  s->p1 = (1 - s->p0) / t;
  s->dp1 = (-s->dp0 - s->p1) / t;
  s->tau = half / p;
  s->dtau = (0.5 * (1 + half * half) * p - half) / (2 * p * t);
}

// Pose and velocity of the end of a piece, by half the rotation twice.
segment_end td_segment_end(const double x[6], const double u[6], double l) {
  const chart_frame half = td_chart_frame(CHART_TURN, vec3_scale(0.5 * l, vec3_of(x + 3)));
  const mat3 A = mat3_quat(half.Q);
  const vec3 turn = mat3_apply(half.T, vec3_scale(0.5 * l, vec3_of(u + 3))),
             move = vec3_scale(l, vec3_add(vec3_of(x), (vec3){0, 0, 1})),
             slide = vec3_scale(l, vec3_of(u));
  return (segment_end){
      .g = {mat3_mul(A, A), mat3_apply(A, move)},
      .v = mat3_apply_t(A, vec3_add(vec3_cross(turn, move), slide)),
      .w = vec3_add(mat3_apply_t(A, turn), turn),
  };
}

// P x
static vec3 P_apply(const segment* s, vec3 x) {
  return vec3_axpy(s->p1 * vec3_dot(s->phi, x), s->phi, vec3_scale(s->p0, x));
}

// Strains and rates by the formulas of segment.h.
segment td_segment(const frame* a, const frame* b) {
  segment s;
  const quat q = quat_mat3(mat3_mul(mat3_transpose(a->R), b->R));
  const double n = vec3_norm(q.v), angle = atan2(n, q.w);  // half the rotation
  s.phi = n > 0 ? vec3_scale(angle / n, q.v) : vec3_scale(1, q.v);
  s.R = mat3_mul(a->R, mat3_quat(quat_exp(s.phi)));
  coefficients(vec3_dot(s.phi, s.phi), &s);

  // positions and velocities in the middle frame
  s.r = mat3_apply_t(s.R, vec3_sub(b->p, a->p));
  s.rd = mat3_apply_t(s.R, vec3_sub(b->v, a->v));
  s.wa = mat3_apply_t(s.R, a->w);
  s.wb = mat3_apply_t(s.R, b->w);
  s.W = vec3_sub(s.wb, s.wa);
  s.mu = vec3_axpy(-0.5 * s.tau, vec3_cross(s.phi, s.W), vec3_scale(0.5, vec3_add(s.wa, s.wb)));

  // strains and rates
  vec3_put(s.x, s.r);
  vec3_put(s.x + 3, vec3_scale(2, s.phi));
  vec3_put(s.u, vec3_sub(s.rd, vec3_cross(s.mu, s.r)));
  vec3_put(s.u + 3, P_apply(&s, s.W));
  return s;
}

// Torques in the middle frame: on b g/2 - τ g×φ/2 + P f_θ, on a g/2 + τ g×φ/2 - P f_θ.
segment_wrench td_segment_wrench(const segment* s, const double f[6]) {
  const vec3 fx = vec3_of(f), g = vec3_scale(0.5, vec3_cross(fx, s->r));
  const vec3 odd = vec3_axpy(-s->tau, vec3_cross(g, s->phi), P_apply(s, vec3_of(f + 3)));
  return (segment_wrench){mat3_apply(s->R, fx), mat3_apply(s->R, vec3_sub(g, odd)),
                          mat3_apply(s->R, vec3_add(g, odd))};
}

// dP x for a change dphi of φ
static vec3 P_change(const segment* s, vec3 dphi, vec3 x) {
  const double dt = 2 * vec3_dot(s->phi, dphi), px = vec3_dot(s->phi, x);
  vec3 y = vec3_scale(s->dp0 * dt, x);
  y = vec3_axpy(s->dp1 * dt * px + s->p1 * vec3_dot(dphi, x), s->phi, y);
  return vec3_axpy(s->p1 * px, dphi, y);
}

// Derivative of td_segment.
segment_change td_segment_change(const segment* s, const frame_change* da, const frame_change* db) {
  segment_change d;
  const vec3 alpha = mat3_apply_t(s->R, da->turn), beta = mat3_apply_t(s->R, db->turn),
             turn = vec3_sub(beta, alpha);
  d.m = vec3_axpy(-0.5 * s->tau, vec3_cross(s->phi, turn), vec3_scale(0.5, vec3_add(alpha, beta)));
  d.phi = vec3_scale(0.5, P_apply(s, turn));

  // changes of positions and velocities, seen from the turning middle frame
  const vec3 dr = vec3_sub(mat3_apply_t(s->R, vec3_sub(db->p, da->p)), vec3_cross(d.m, s->r));
  const vec3 drd = vec3_sub(mat3_apply_t(s->R, vec3_sub(db->v, da->v)), vec3_cross(d.m, s->rd));
  const vec3 dwa = vec3_sub(mat3_apply_t(s->R, da->w), vec3_cross(d.m, s->wa));
  const vec3 dwb = vec3_sub(mat3_apply_t(s->R, db->w), vec3_cross(d.m, s->wb)),
             dW = vec3_sub(dwb, dwa);
  const double dtau = s->dtau * 2 * vec3_dot(s->phi, d.phi);
  vec3 dmu = vec3_axpy(-0.5 * dtau, vec3_cross(s->phi, s->W), vec3_scale(0.5, vec3_add(dwa, dwb)));
  dmu = vec3_axpy(-0.5 * s->tau, vec3_add(vec3_cross(d.phi, s->W), vec3_cross(s->phi, dW)), dmu);

  // changes of strains and rates
  vec3_put(d.x, dr);
  vec3_put(d.x + 3, vec3_scale(2, d.phi));
  vec3_put(d.u, vec3_sub(vec3_sub(drd, vec3_cross(dmu, s->r)), vec3_cross(s->mu, dr)));
  vec3_put(d.u + 3, vec3_add(P_change(s, d.phi, s->W), P_apply(s, dW)));
  return d;
}

// Derivative of td_segment_wrench.
segment_wrench td_segment_wrench_change(const segment* s, const segment_change* d,
                                        const double f[6], const double df[6]) {
  const vec3 fx = vec3_of(f), dfx = vec3_of(df), g = vec3_scale(0.5, vec3_cross(fx, s->r));
  const vec3 dg = vec3_scale(0.5, vec3_add(vec3_cross(dfx, s->r), vec3_cross(fx, vec3_of(d->x))));
  const double dtau = s->dtau * 2 * vec3_dot(s->phi, d->phi);
  const vec3 odd = vec3_axpy(-s->tau, vec3_cross(g, s->phi), P_apply(s, vec3_of(f + 3)));
  vec3 dodd = vec3_add(P_change(s, d->phi, vec3_of(f + 3)), P_apply(s, vec3_of(df + 3)));
  dodd = vec3_axpy(-dtau, vec3_cross(g, s->phi), dodd);
  dodd = vec3_axpy(-s->tau, vec3_add(vec3_cross(dg, s->phi), vec3_cross(g, d->phi)), dodd);

  // to world axes, which adds the rotation of the middle frame
  const vec3 ta = vec3_sub(g, odd), tb = vec3_add(g, odd);
  return (segment_wrench){mat3_apply(s->R, vec3_add(dfx, vec3_cross(d->m, fx))),
                          mat3_apply(s->R, vec3_add(vec3_sub(dg, dodd), vec3_cross(d->m, ta))),
                          mat3_apply(s->R, vec3_add(vec3_add(dg, dodd), vec3_cross(d->m, tb)))};
}
