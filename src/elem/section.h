// Constitutive law of a cross-section: internal forces for the strains χ = [shear x, shear y,
// stretch, bend x, bend y, twist] and their rates, per unit length, working on δχ:
//
//   f = -K (χ - χ0) - D χ' - μ |χ'|^(p-1) χ' + input
//
// K and D are 6 x 6, row-major.
#ifndef TD_SECTION_H
#define TD_SECTION_H

#include "elem/law.h"

typedef struct section {
  const double *K, *D;       // stiffness and viscosity (36)
  const double *x0, *input;  // χ0 and the input (6)
  const double* mu;          // coefficients of the power law (6)
  double p;                  // its exponent
  double load;               // scale of the input
} section;

// Forces f at strains x and rates u.  Only those with a bit in `modes` are computed; others are 0.
static inline void section_force(const section* s, const double x[6], const double u[6],
                                 unsigned modes, double f[6]) {
  double e[6];
  for (int j = 0; j < 6; j++) e[j] = x[j] - s->x0[j];
  for (int i = 0; i < 6; i++) {
    f[i] = 0;
    if (!(modes >> i & 1)) continue;
    const double *K = s->K + 6 * i, *D = s->D + 6 * i;
    double w = 0, unused;
    if (s->mu[i] != 0) law_power(u[i], s->p, &w, &unused);
    const double spring = K[0] * e[0] + K[1] * e[1] + K[2] * e[2],
                 more = K[3] * e[3] + K[4] * e[4] + K[5] * e[5],
                 damper = D[0] * u[0] + D[1] * u[1] + D[2] * u[2],
                 rest = D[3] * u[3] + D[4] * u[4] + D[5] * u[5];
    f[i] = s->load * s->input[i] - s->mu[i] * w - ((spring + more) + (damper + rest));
  }
}

// Change of f for changes dx, du of strains and rates and for changes d of the coefficients.
static inline void section_change(const section* s, const section* d, const double x[6],
                                  const double u[6], const double dx[6], const double du[6],
                                  double df[6]) {
  for (int i = 0; i < 6; i++) {
    double w = 0, slope = 0, u2 = 0;
    if (s->mu[i] != 0 || d->mu[i] != 0) u2 = law_power(u[i], s->p, &w, &slope);
    const double dp = d->p == 0 ? 0 : law_power_nu(w, u2);
    df[i] = s->load * d->input[i] - s->mu[i] * (slope * du[i] + dp * d->p) - d->mu[i] * w;
    for (int j = 0; j < 6; j++)
      df[i] -= s->K[6 * i + j] * (dx[j] - d->x0[j]) + d->K[6 * i + j] * (x[j] - s->x0[j]) +
               s->D[6 * i + j] * du[j] + d->D[6 * i + j] * u[j];
  }
}

// The transpose of section_change for weights f of the forces: added to those of strains, of rates
// and of the coefficients, which begin at K, D, x0, input, mu and p of `to`.
typedef struct section_weights {
  double *K, *D, *x0, *input, *mu, *p;
} section_weights;
static inline void section_reverse(const section* s, const double x[6], const double u[6],
                                   const double f[6], double dx[6], double du[6],
                                   const section_weights* to) {
  for (int i = 0; i < 6; i++) {
    double w, slope;
    if (f[i] == 0) continue;
    const double u2 = law_power(u[i], s->p, &w, &slope);
    to->input[i] += f[i] * s->load;
    to->mu[i] -= f[i] * w;
    *to->p -= f[i] * s->mu[i] * law_power_nu(w, u2);
    du[i] -= f[i] * s->mu[i] * slope;
    for (int j = 0; j < 6; j++) {
      const double spring = f[i] * s->K[6 * i + j];
      to->K[6 * i + j] -= f[i] * (x[j] - s->x0[j]);
      to->D[6 * i + j] -= f[i] * u[j];
      dx[j] -= spring;
      to->x0[j] += spring;
      du[j] -= f[i] * s->D[6 * i + j];
    }
  }
}

// Columns of df/dx and df/du.
static inline void section_slopes(const section* s, const double u[6], double dx[6][6],
                                  double du[6][6]) {
  for (int d = 0; d < 6; d++)
    for (int i = 0; i < 6; i++) {
      dx[d][i] = -s->K[6 * i + d];
      du[d][i] = -s->D[6 * i + d];
    }
  for (int i = 0; i < 6; i++) {
    double unused, slope;
    if (s->mu[i] == 0) continue;
    law_power(u[i], s->p, &unused, &slope);
    du[i][i] -= s->mu[i] * slope;
  }
}

// Elastic energy per length.
static inline double section_energy(const section* s, const double x[6]) {
  double sum = 0;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      sum += 0.5 * (x[i] - s->x0[i]) * s->K[6 * i + j] * (x[j] - s->x0[j]);
  return sum;
}

#endif
