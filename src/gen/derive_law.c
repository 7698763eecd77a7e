// Scalar laws of forces as expressions, with the same regularisations as elem/law.h, and entries of
// the tables for kinds that need nothing.
#include "gen/derive_law.h"

#include "elem/law.h"

// |u|^(ν-1) u, |u| regularised below ν = 1
ex td_derive_power(td_exprs* g, ex u, ex nu) {
  const ex one = xnum(g, 1);
  if (xis(g, nu, 1)) return u;
  if (xis(g, nu, 2)) return xmul(g, xfun(g, EX_ABS, u), u);
  if (xis(g, nu, 3)) return xmul(g, xmul(g, u, u), u);
  const ex rough = td_ex_2(g, EX_LT, nu, one);
  const ex square = xadd(g, xmul(g, u, u), xif(g, rough, xnum(g, LAW_RATE * LAW_RATE), xnum(g, 0)));
  const ex power =
      td_ex_2(g, EX_POW, xmax(g, square, xnum(g, TINY)), xscale(g, 0.5, xsub(g, nu, one)));
  return xmul(g, power, u);
}

// Ramp φ = r² (3 - 2r) with which a one-sided law sets in, r = e/δ in [0, 1] and e = s (x - x0)
static ex ramp(td_exprs* g, ex x0, ex e) {
  const ex size = xmax(g, xfun(g, EX_ABS, x0), xnum(g, LAW_RAMP)),
           delta = xscale(g, LAW_RAMP, size);
  const ex r = td_ex_2(g, EX_MIN, xnum(g, 1), xdiv(g, e, delta));
  return xmul(g, xmul(g, r, r), xsub(g, xnum(g, 3), xscale(g, 2, r)));
}

// Force of a one-sided law, -s max(0, k e + μ φ s w) where e = s (x - x0) > 0
static ex one_sided(td_exprs* g, int dir, ex k, ex x0, ex damping, ex strain) {
  const ex zero = xnum(g, 0), s = xnum(g, dir), e = xmul(g, s, strain), phi = ramp(g, x0, e);
  const ex pull = xadd(g, xmul(g, k, e), xmul(g, phi, xmul(g, s, damping)));
  const ex f = xneg(g, xmul(g, s, xmax(g, zero, pull)));
  return xif(g, td_ex_2(g, EX_LT, zero, e), f, zero);
}

// Force of a law, f = -k (x - x0) - μ |u|^(ν-1) u, or its one-sided form
ex td_derive_law(deriver* d, const model_law* l, ex x, ex u) {
  td_exprs* g = d->g;
  const ex k = td_derive_number(d, l->k), mu = td_derive_number(d, l->mu);
  const ex x0 = xmul(g, td_derive_number(d, l->rest), td_derive_number(d, l->compr));
  const ex strain = xsub(g, x, x0);
  const ex damping =
      xis(g, mu, 0) ? mu : xmul(g, mu, td_derive_power(g, u, td_derive_number(d, l->nu)));
  if (l->dir != 0) return one_sided(g, l->dir, k, x0, damping, strain);
  return xneg(g, xadd(g, xmul(g, k, strain), damping));
}

// f where a one-sided law acts at x, multiplied by its ramp; f itself where the law is two-sided
ex td_derive_switched(deriver* d, const model_law* l, ex x, ex f) {
  td_exprs* g = d->g;
  if (l->dir == 0 || xis(g, f, 0)) return f;
  const ex x0 = xmul(g, td_derive_number(d, l->rest), td_derive_number(d, l->compr));
  const ex e = xmul(g, xnum(g, l->dir), xsub(g, x, x0)), zero = xnum(g, 0);
  return xif(g, td_ex_2(g, EX_LT, zero, e), xmul(g, ramp(g, x0, e), f), zero);
}

// Input of a law at x
ex td_derive_input(deriver* d, const model_law* l, ex x) {
  return td_derive_switched(d, l, x, td_derive_number(d, l->input));
}

// Add the energy that a law stores at x, k e²/2, and the power of the rest of its force f.
void td_derive_law_energy(deriver* d, const model_law* l, ex x, ex u, ex f, load_x* passive) {
  td_exprs* g = d->g;
  if (!d->energetic) return;
  if (l->potential) {
    const ex k = td_derive_number(d, l->k);
    const ex x0 = xmul(g, td_derive_number(d, l->rest), td_derive_number(d, l->compr));
    const ex strain = xsub(g, x, x0), zero = xnum(g, 0);
    const ex held = l->dir < 0 ? td_ex_2(g, EX_LT, strain, zero) : td_ex_2(g, EX_LT, zero, strain);
    const ex e = l->dir == 0 ? strain : xif(g, held, strain, zero);
    passive->energy = xadd(g, passive->energy, xscale(g, 0.5, xmul(g, k, xmul(g, e, e))));
    f = xadd(g, f, xmul(g, k, e));
  }

  // the rest of the force has power
  passive->power = xadd(g, passive->power, xmul(g, f, u));
}

// Add Aᵀ f on the two frames of an element, f (6) along its strains.
void td_derive_strain_load(deriver* d, load_x* load, const strain_x* s, const pair_x* p,
                           const ex* f) {
  td_exprs* g = d->g;
  x3 F = x3_zero(g), T = F;
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 3; k++) {
      F.a[k] = xadd(g, F.a[k], xmul(g, s->A_r[3 * i + k], f[i]));
      T.a[k] = xadd(g, T.a[k], xmul(g, s->A_w[3 * i + k], f[i]));
    }
  td_pair_load(d, load, p, F, T);
}

bool td_closed_form(const td_model* m, int i) { return (void)m, (void)i, true; }

ex td_no_late(deriver* d, const model_probe* p) { return (void)d, (void)p, EX_NONE; }

bool td_reads_nothing(const td_model* m, const model_probe* p, const rod_point* at) {
  return (void)m, (void)p, (void)at, false;
}
