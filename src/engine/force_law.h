// Scalar laws of forces (elem/law.h) with the numbers of the model.
#ifndef TD_FORCE_LAW_H
#define TD_FORCE_LAW_H

#include <float.h>

#include "engine/adjoint.h"
#include "engine/force.h"

static inline law law_of(const td_work* w, const model_law* l) {
  return (law){w->num[l->k], w->num[l->rest] * w->num[l->compr], w->num[l->mu], w->num[l->nu],
               l->dir};
}

static inline law_value law_here(const td_work* w, const model_law* l, double x, double u) {
  const law c = law_of(w, l);
  return law_at(&c, x, u);
}

// Law plus input, masked: passive parts belong to h, the input to tau.  What it does at `rate`
// beyond storing energy is added to *power.
static inline double law_force(const td_work* w, const model_law* l, double x, double u,
                               double rate, int which, double* power) {
  const law c = law_of(w, l);
  double f = 0, stored = 0;
  if (which & FORCES_PASSIVE) {
    const law_value v = law_at(&c, x, u);
    f += v.f;
    stored = l->potential ? v.spring : 0;
  }
  if (which & FORCES_ACTIVE) {
    // the input acts where the law does
    double input = w->load * w->num[l->input], slope;
    if (l->dir != 0 && input != 0) input *= law_switch(&c, x, &slope);
    f += input;
  }
  *power += (f - stored) * rate;
  return f;
}

// Its change for changes of x, u and of the numbers, v being the law at x and u.
static inline double law_diff(const td_work* w, const model_law* l, const law_value* v, double dx,
                              double du) {
  double f = v->fx * dx + v->fu * du;
  if (l->dir != 0) f += v->on_x * w->load * w->num[l->input] * dx;
  if (!w->numbers_change) return f;
  const double* d = w->dnum;
  const double dx0 = d[l->rest] * w->num[l->compr] + w->num[l->rest] * d[l->compr];
  const double fnu = d[l->nu] == 0 ? 0 : w->num[l->mu] * law_power_nu(v->fmu, v->u2) * d[l->nu];
  return f + v->fk * d[l->k] + v->fx0 * dx0 + v->fmu * d[l->mu] + fnu +
         w->load * (v->on * d[l->input] + v->on_x0 * w->num[l->input] * dx0);
}

// Change of the energy that it stores for changes of x and, along a direction, of the numbers; v is
// the law at x.
static inline double law_energy_diff(const td_work* w, const model_law* l, const law_value* v,
                                     double x, double dx) {
  const double* d = w->dnum;
  if (!w->along) return -v->spring * dx;
  const double dx0 = d[l->rest] * w->num[l->compr] + w->num[l->rest] * d[l->compr];
  const double stretch = x - w->num[l->rest] * w->num[l->compr];
  const bool acts = l->dir == 0 || l->dir * stretch > 0;
  return -v->spring * (dx - dx0) + (acts ? 0.5 * stretch * stretch * d[l->k] : 0);
}

// The transpose of law_diff for the weight `bar` of the force: added to those of x, u and of the
// numbers.
static inline void law_reverse(const td_work* w, const model_law* l, const law_value* v, double bar,
                               double* x, double* u, double* n) {
  const double input = w->load * w->num[l->input], x0 = bar * (v->fx0 + v->on_x0 * input);
  *x += bar * (v->fx + (l->dir != 0 ? v->on_x * input : 0));
  *u += bar * v->fu;
  n[l->k] += bar * v->fk;
  n[l->rest] += x0 * w->num[l->compr];
  n[l->compr] += x0 * w->num[l->rest];
  n[l->mu] += bar * v->fmu;
  n[l->nu] += bar * w->num[l->mu] * law_power_nu(v->fmu, v->u2);
  n[l->input] += bar * w->load * v->on;
}

// Power beyond what it stores, at a coordinate x that changes with `rate`; the damper sees u.
static inline double law_work(const td_work* w, const model_law* l, double x, double u,
                              double rate) {
  const law_value v = law_here(w, l, x, u);
  const double input = v.on * w->load * w->num[l->input];
  return (v.f - (l->potential ? v.spring : 0) + input) * rate;
}

// Negative where a one-sided law acts.
static inline double law_gap(const td_work* w, const model_law* l, double x) {
  return -l->dir * (x - w->num[l->rest] * w->num[l->compr]);
}

// The same of a link between two frames.  Where these do not move against each other it is rounding
// of their positions, which is no switch.
static inline double link_gap(const td_work* w, const model_law* l, double x, const frame* a,
                              const frame* b) {
  const double gap = law_gap(w, l, x), size = vec3_norm(a->p) + vec3_norm(b->p) + fabs(x);
  return fabs(gap) < 64 * DBL_EPSILON * size ? 0 : gap;
}

static inline bool law_has_power_damper(const td_model* m, const model_law* l) {
  return !stays(m, l->mu, 0) && !stays(m, l->nu, 1);
}

static inline void law_visit(const model_law* l, const force_visitor* to) {
  const num slots[] = {l->k, l->rest, l->compr, l->mu, l->nu, l->input};
  for (int i = 0; i < 6; i++) to->numbers(to->ctx, slots[i], 1);
}

static inline force_flaw law_flaw(const td_work* w, const model_law* l) {
  const struct {
    num slot;
    const char* field;
  } parts[] = {{l->k, "spring.coeff"}, {l->rest, "spring.init"}, {l->compr, "spring.compr"},
               {l->mu, "damp.visc"},   {l->nu, "damp.pow"},      {l->input, "input"}};
  for (int i = 0; i < 6; i++)
    if (!isfinite(w->num[parts[i].slot]))
      return (force_flaw){parts[i].field, w->num[parts[i].slot]};
  return (force_flaw){NULL, 0};
}

#endif
