// Scalar law of springs and dampers along a coordinate x with rate u:
//
//   f = -k (x - x0) - mu |u|^(nu-1) u
//
// dir = 1 acts in elongation only (a rope), -1 in compression only (a soft contact).  With
// d = dir (x - x0) and a smooth ramp φ from 0 at d = 0 to 1 at d = δ,
//
//   f = -dir max(0, k d + mu φ(d/δ) |u|^(nu-1) dir u)
//
// so that the damper neither jumps at contact nor pulls the wrong way.  The input of a one-sided
// law is multiplied by the same ramp.  For nu < 1 the power law has an infinite slope at rest; |u|
// is then replaced by sqrt(u² + ε²).
#ifndef TD_LAW_H
#define TD_LAW_H

#include <math.h>

typedef struct law {
  double k, x0, mu, nu;
  int dir;
} law;

typedef struct law_value {
  double f;             // generalised force
  double fx, fu;        // df/dx, df/du
  double fk, fx0, fmu;  // derivatives with respect to the coefficients k, x0 and mu
  double spring;        // elastic part of f
  double energy;        // stored in the spring
  double u2;            // u², regularised
  double on, on_x;      // φ, the share of the input that acts, and dφ/dx
  double on_x0;         // dφ/dx0
} law_value;

#define LAW_RATE 1e-6  // ε: regularises nu < 1                    [m/s or rad/s]
#define LAW_RAMP 1e-3  // δ relative to the rest value, and absolute when that is small

// w(u) = |u|^(nu-1) u and its derivative wu; returns u², regularised.
static inline double law_power(double u, double nu, double* w, double* wu) {
  const double r2 = nu < 1 ? u * u + LAW_RATE * LAW_RATE : u * u;
  if (nu == 1) {
    *w = u;
    *wu = 1;
    return r2;
  }
  if (r2 == 0) {
    *w = *wu = 0;
    return 0;
  }
  const double p = nu == 2 ? fabs(u) : pow(r2, 0.5 * (nu - 1));
  *w = p * u;
  *wu = p * (1 + (nu - 1) * u * u / r2);
  return r2;
}

// dw/dnu = w log|u|; separate from law_power, because the logarithm is expensive and rarely needed
static inline double law_power_nu(double w, double u2) { return w == 0 ? 0 : w * 0.5 * log(u2); }

// φ at x and its derivative dφ/dx; 1 for laws that act both ways
static inline double law_switch(const law* l, double x, double* slope) {
  *slope = 0;
  if (l->dir == 0) return 1;
  const double e = l->dir * (x - l->x0), delta = LAW_RAMP * fmax(fabs(l->x0), LAW_RAMP);
  if (e <= 0) return 0;
  if (e >= delta) return 1;
  const double r = e / delta;
  *slope = l->dir * 6 * r * (1 - r) / delta;
  return r * r * (3 - 2 * r);
}

// dφ/dx0, with the slope dφ/dx: the ramp moves with the rest value, and grows with a large one.
static inline double law_switch_rest(const law* l, double x, double slope) {
  const double size = fabs(l->x0), e = l->dir * (x - l->x0);
  if (slope == 0 || !(size > LAW_RAMP)) return -slope;
  return -slope * (1 + l->dir * e / l->x0);
}

// Force, derivatives and energy of the law at x with rate u
static inline law_value law_at(const law* l, double x, double u) {
  double w, wu;
  const double u2 = law_power(u, l->nu, &w, &wu);
  const double d = x - l->x0;

  // a law that acts both ways
  if (l->dir == 0) {
    return (law_value){.f = -l->k * d - l->mu * w,
                       .fx = -l->k,
                       .fu = -l->mu * wu,
                       .fk = -d,
                       .fx0 = l->k,
                       .fmu = -w,
                       .spring = -l->k * d,
                       .energy = 0.5 * l->k * d * d,
                       .u2 = u2,
                       .on = 1};
  }

  // a one-sided law, which never pulls the wrong way
  const double s = l->dir, e = s * d;
  if (e <= 0) return (law_value){0};
  double slope;
  const double phi = law_switch(l, x, &slope), dphi = s * slope;
  const double pull = l->k * e + l->mu * phi * s * w;
  const double energy = 0.5 * l->k * e * e;
  const double rest = law_switch_rest(l, x, slope);
  if (pull <= 0)
    return (law_value){
        .spring = -s * l->k * e, .energy = energy, .on = phi, .on_x = slope, .on_x0 = rest};
  const double fx = -(l->k + l->mu * dphi * s * w);
  return (law_value){.f = -s * pull,
                     .fx = fx,
                     .fu = -l->mu * phi * wu,
                     .fk = -s * e,
                     .fx0 = l->k - l->mu * rest * w,
                     .fmu = -phi * w,
                     .spring = -s * l->k * e,
                     .energy = energy,
                     .u2 = u2,
                     .on = phi,
                     .on_x = slope,
                     .on_x0 = rest};
}

#endif
