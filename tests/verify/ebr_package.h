// The equations of the printed EBR listing of the STIFF-FLOP module, written out by complex steps,
// with the rotation of a segment normalised or as the published package has it: [1, α/2] taken for
// a unit quaternion, which lengthens what is behind it.  At rest.
#ifndef TD_EBR_PACKAGE_H
#define TD_EBR_PACKAGE_H

#include <complex.h>

#include "check.h"

typedef double complex cplx;
typedef struct frame {
  cplx r[3], Q[4];
} frame;

enum { EBR_SEGMENTS = 5, EBR_DOFS = 6 * EBR_SEGMENTS };  // at most
static const double tiny = 1e-30, l_s = 0.05, l_f = 14.5e-3;

typedef struct ebr {
  int n;
  bool normalised, follows;  // the section follows the stretch
  double p[3], wrench[6];    // pressures of the chamber pairs, force and moment at the tip
} ebr;

static void multiply(const cplx a[4], const cplx b[4], cplx out[4]) {
  const cplx c[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                     a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                     a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
                     a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1]};
  memcpy(out, c, sizeof c);
}

static void conjugate(const cplx a[4], cplx out[4]) {
  for (int i = 0; i < 4; i++) out[i] = i == 0 ? a[i] : -a[i];
}

// vec(Q v Q*), not divided by |Q|²: a rotation for unit quaternions only.
static void turn(const cplx Q[4], const cplx v[3], cplx out[3]) {
  const cplx x[4] = {0, v[0], v[1], v[2]};
  cplx back[4], y[4];
  conjugate(Q, back);
  multiply(Q, x, y);
  multiply(y, back, y);
  memcpy(out, y + 1, 3 * sizeof(cplx));
}

// Segment k moves by [0 0 l] + x and turns by [1, α/2].
static void ebr_chain(const ebr* e, const cplx* q, frame* out) {
  frame f = {{0, 0, 0}, {1, 0, 0, 0}};
  for (int k = 0; k < e->n; k++, q += 6) {
    const cplx move[3] = {q[0], q[1], q[2] + l_s / e->n};
    cplx along[3], d[4] = {1, q[3] / 2, q[4] / 2, q[5] / 2};
    const cplx size = e->normalised ? csqrt(1 + d[1] * d[1] + d[2] * d[2] + d[3] * d[3]) : 1;
    for (int i = 0; i < 4; i++) d[i] /= size;
    turn(f.Q, move, along);
    for (int i = 0; i < 3; i++) f.r[i] += along[i];
    multiply(f.Q, d, f.Q);
    out[k] = f;
  }
}

// The point z along frame k.
static void ebr_point(const frame* f, double z, cplx out[3]) {
  const cplx lever[3] = {0, 0, z};
  turn(f->Q, lever, out);
  for (int c = 0; c < 3; c++) out[c] += f->r[c];
}

static void ebr_frames(const ebr* e, const double* q, frame* out) {
  cplx x[EBR_DOFS] = {0};
  for (int i = 0; i < 6 * e->n; i++) x[i] = q[i];
  ebr_chain(e, x, out);
}

static inline void ebr_tip(const ebr* e, const double* q, double tip[3]) {
  frame at[EBR_SEGMENTS];
  cplx p[3];
  ebr_frames(e, q, at);
  ebr_point(&at[e->n - 1], l_f, p);
  for (int c = 0; c < 3; c++) tip[c] = creal(p[c]);
}

// Positions of the segments' ends, of the sensor's centre and of the tip, and 2 vec(Q* dQ) of their
// frames.
typedef double jacobians[EBR_SEGMENTS + 2][6][EBR_DOFS];

static void ebr_jacobians(const ebr* e, const double* q, jacobians J) {
  frame at[EBR_SEGMENTS], moved[EBR_SEGMENTS];
  cplx x[EBR_DOFS];
  ebr_frames(e, q, at);
  for (int i = 0; i < 6 * e->n; i++) x[i] = q[i];
  for (int i = 0; i < 6 * e->n; i++) {
    x[i] = q[i] + I * tiny;
    ebr_chain(e, x, moved);
    x[i] = q[i];
    for (int k = 0; k < e->n + 2; k++) {
      const int f = k < e->n ? k : e->n - 1;
      cplx p[3], back[4], w[4];
      ebr_point(&moved[f], (k - f) * l_f / 2, p);
      conjugate(at[f].Q, back);
      multiply(back, moved[f].Q, w);
      for (int c = 0; c < 3; c++) {
        J[k][c][i] = cimag(p[c]) / tiny;
        J[k][3 + c][i] = 2 * cimag(w[1 + c]) / tiny;
      }
    }
  }
}

// M v' = f at rest; M has n x n of its numbers.
typedef struct equations {
  int n;
  double M[EBR_DOFS][EBR_DOFS], f[EBR_DOFS];
} equations;

// A mass m with the inertia diag(I) and its weight, at a point with the Jacobian J.
static void add_mass(equations* e, double m, const double inertia[3], double J[6][EBR_DOFS]) {
  for (int i = 0; i < e->n; i++) {
    e->f[i] += 9.81 * m * J[2][i];
    for (int j = 0; j < e->n; j++)
      for (int c = 0; c < 3; c++)
        e->M[i][j] += m * J[c][i] * J[c][j] + inertia[c] * J[3 + c][i] * J[3 + c][j];
  }
}

// x with M x = f, by elimination with row exchange.
static void solve_equations(equations* e, double* x) {
  for (int k = 0; k < e->n; k++) {
    int p = k;
    for (int i = k + 1; i < e->n; i++)
      if (fabs(e->M[i][k]) > fabs(e->M[p][k])) p = i;
    for (int j = 0; j < e->n; j++) {
      const double swapped = e->M[k][j];
      e->M[k][j] = e->M[p][j];
      e->M[p][j] = swapped;
    }
    const double swapped = e->f[k];
    e->f[k] = e->f[p];
    e->f[p] = swapped;
    for (int i = k + 1; i < e->n; i++) {
      const double factor = e->M[i][k] / e->M[k][k];
      for (int j = k; j < e->n; j++) e->M[i][j] -= factor * e->M[k][j];
      e->f[i] -= factor * e->f[k];
    }
  }
  for (int k = e->n - 1; k >= 0; k--) {
    x[k] = e->f[k];
    for (int j = k + 1; j < e->n; j++) x[k] -= e->M[k][j] * x[j];
    x[k] /= e->M[k][k];
  }
}

// Stiffness and actuation of a segment, from Tables 3 and 4.
static void ebr_section(const ebr* e, const double* q, double stiffness[6], double act[6]) {
  const double pi = 3.14159265358979323846, r1 = 4.5e-3, r2 = 12.5e-3, r_o = 8.5e-3, E = 205e3,
               G = E / 3, gamma = pi / 2 - acos(1 - 4e-8 / 2 / 9e-6),
               between = acos(1 - 9e-6 / 2 / r_o / r_o);
  double lam = 1;
  for (int k = 0; e->follows && k < e->n; k++) lam += q[6 * k + 2] / l_s;
  const double rp = 2.5e-3 * sqrt(1 - pow(lam * cos(gamma), 2)) / sin(gamma), ap = pi * rp * rp,
               a = pi * (r2 * r2 - r1 * r1) / lam - 6 * ap,
               J = pi / 4 * ((pow(r2, 4) - pow(r1, 4)) / lam / lam - 6 * pow(rp, 4)),
               ro = r_o / sqrt(lam), offsets = 3 * ap * ro * ro;
  const double K[6] = {G * a, G * a, E * a, E * (J - offsets), E * (J - offsets), 2 * G * J};
  for (int i = 0; i < 6; i++) {
    stiffness[i] = K[i] / lam / (l_s / e->n);
    act[i] = 0;
  }
  for (int pair = 0; pair < 3; pair++)
    for (int side = -1; side <= 1; side += 2) {
      const double angle = pi / 2 - pair * 2 * pi / 3 + side * between, force = e->p[pair] * ap;
      act[2] += force;
      act[3] += force * ro * sin(angle);
      act[4] -= force * ro * cos(angle);
    }
}

// The tip wrench; its moment is brought into the body with the map of vectors.
static void add_wrench(equations* out, const ebr* e, const double* q, double J[6][EBR_DOFS]) {
  frame at[EBR_SEGMENTS];
  cplx back[4], moment[3] = {e->wrench[3], e->wrench[4], e->wrench[5]};
  ebr_frames(e, q, at);
  conjugate(at[e->n - 1].Q, back);
  turn(back, moment, moment);
  for (int i = 0; i < out->n; i++)
    for (int c = 0; c < 3; c++)
      out->f[i] += J[c][i] * e->wrench[c] + J[3 + c][i] * creal(moment[c]);
}

// With the inertias of the package at λ = 1, that of the sensor with its parallel axis twice.
static equations ebr_equations(const ebr* e, const double* q) {
  const double pi = 3.14159265358979323846, l = l_s / e->n, rr = 176.5e-6, ring = pi * 136e-6,
               m_f = 13.47e-3, r_f = 7.5e-3, m = 1820 * (ring - 6 * pi * 6.25e-6) * l;
  const double across = 1820 * ring * l * (3 * rr + l * l) / 12, I_f = m_f * r_f * r_f / 4,
               inertia[3] = {across, across, 1820 * ring * l * rr / 2},
               sensor[3] = {I_f + m_f * l_f * l_f / 3, I_f + m_f * l_f * l_f / 3, 2 * I_f};
  equations out = {.n = 6 * e->n};
  jacobians J;
  double K[6], act[6];
  ebr_section(e, q, K, act);
  ebr_jacobians(e, q, J);
  for (int k = 0; k < e->n; k++) {
    add_mass(&out, m, inertia, J[k]);
    for (int i = 0; i < 6; i++) out.f[6 * k + i] += act[i] - K[i] * q[6 * k + i];
  }
  add_mass(&out, m_f, sensor, J[e->n]);
  add_wrench(&out, e, q, J[e->n + 1]);
  return out;
}

static inline void ebr_accelerations(const ebr* e, const double* q, double* a) {
  equations eq = ebr_equations(e, q);
  solve_equations(&eq, a);
}

// One Newton step for f(q) = 0 with slopes by differences; the largest force before it.
static double ebr_newton(const ebr* e, double* q) {
  const double h = 1e-7;  // [m, rad]
  equations eq = ebr_equations(e, q);
  double worst = 0, step[EBR_DOFS];
  for (int j = 0; j < eq.n; j++) {
    const double at = q[j];
    q[j] = at + h;
    const equations moved = ebr_equations(e, q);
    q[j] = at;
    for (int i = 0; i < eq.n; i++) eq.M[i][j] = (moved.f[i] - eq.f[i]) / h;
    worst = fmax(worst, fabs(eq.f[j]));
  }
  solve_equations(&eq, step);
  for (int j = 0; j < eq.n; j++) q[j] -= step[j];
  return worst;
}

// The equilibrium that grows from the straight module with pressures and load; true: found.
static inline bool ebr_equilibrium(const ebr* e, double* q) {
  enum { STEPS = 4 };
  double worst = INFINITY;
  memset(q, 0, (size_t)(6 * e->n) * sizeof(double));
  for (int k = 1; k <= STEPS; k++) {
    ebr part = *e;
    for (int i = 0; i < 3; i++) part.p[i] *= (double)k / STEPS;
    for (int i = 0; i < 6; i++) part.wrench[i] *= (double)k / STEPS;
    worst = INFINITY;
    for (int i = 0; i < 20 && worst > 1e-9; i++) worst = ebr_newton(&part, q);
  }
  return worst <= 1e-9;
}

#endif
