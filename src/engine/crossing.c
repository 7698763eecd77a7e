// Cables inside pieces of rods: generalised forces of their tensions along the strains x of a
// piece, the derivatives of these forces, and their power.
//
//   s -= cover · share · T g(x),      g = d(length of the cable per arc length)/dx
#include "engine/crossing.h"

#include "engine/adjoint.h"

// Change of a cable's tension with the numbers (w->dnum): tension given, or pull and stiffness of
// an elastic cable.
double td_tension_change(const td_model* m, const td_work* w, int cable) {
  const model_cable* c = &m->cable[cable];
  const cable_work* at = &w->cable[cable];
  if (is_hard(c)) return 0;
  if (!by_length(c)) return w->load * w->dnum[c->tension];
  if (!(at->stretch > 0)) return 0;
  return at->slope * w->load * w->dnum[c->pull] + at->stretch / at->mean * w->dnum[c->stiffness];
}

// Add the forces of the cables of a piece along its strains x to s; `which`: active, passive or all
// cables.
void td_cable_force(const td_model* m, const td_work* w, const model_strain* f, const double x[6],
                    int which, double s[6]) {
  for (int i = f->crossing; i < f->crossing + f->ncrossing; i++) {
    const model_crossing* c = &m->crossing[i];
    if (!acts(&m->cable[c->cable], which)) continue;
    const cable_section at = cable_through(c->joint > 0, x, w->num + c->path);
    const double pull = w->num[c->cover] * w->crossing_share[i] * w->cable[c->cable].tension;
    for (int d = 0; d < 6; d++) s[d] -= pull * at.g[d];
  }
}

// Add the change of these forces for strain changes dx and, with `numbers`, for changes of the
// tensions.
void td_cable_force_change(const td_model* m, const td_work* w, const model_strain* f,
                           const double x[6], const double dx[6], bool numbers, double ds[6]) {
  for (int i = f->crossing; i < f->crossing + f->ncrossing; i++) {
    const model_crossing* c = &m->crossing[i];
    const cable_section at = cable_through(c->joint > 0, x, w->num + c->path);
    const double cover = w->num[c->cover], unit = cover * w->crossing_share[i],
                 T = w->cable[c->cable].tension, pull = unit * T;
    double dpull = numbers ? unit * td_tension_change(m, w, c->cable) : 0, dg[6];
    if (w->along) {
      cable_along(&at, x, dx, w->dnum + c->path, dg);
      dpull = unit * w->along->tension[c->cable] +
              T * (cover * w->along->share[i] + w->dnum[c->cover] * w->crossing_share[i]);
    } else {
      cable_change(&at, dx, dg);
    }
    for (int d = 0; d < 6; d++) ds[d] -= pull * dg[d] + dpull * at.g[d];
  }
}

// The transpose of td_cable_force_change along a direction.
void td_cable_force_reverse(const td_model* m, const td_work* w, const model_strain* f,
                            const double x[6], const double bar[6], double dx[6], adjoint* b) {
  for (int i = f->crossing; i < f->crossing + f->ncrossing; i++) {
    const model_crossing* c = &m->crossing[i];
    const cable_section at = cable_through(c->joint > 0, x, w->num + c->path);
    const double share = w->crossing_share[i], unit = w->num[c->cover] * share,
                 T = w->cable[c->cable].tension;
    double along = 0, g[6];
    for (int d = 0; d < 6; d++) {
      along -= bar[d] * at.g[d];
      g[d] = -unit * T * bar[d];
    }
    b->tension[c->cable] += unit * along;
    b->share[i] += w->num[c->cover] * T * along;
    b->n[c->cover] += share * T * along;
    cable_reverse(&at, x, 0, g, dx, b->n + c->path);
  }
}

// Add the slopes of these forces by the strains, at constant tensions, to ds.
void td_cable_slopes(const td_model* m, const td_work* w, const model_strain* f, const double x[6],
                     double ds[6][6]) {
  for (int i = f->crossing; i < f->crossing + f->ncrossing; i++) {
    const model_crossing* c = &m->crossing[i];
    const cable_section at = cable_through(c->joint > 0, x, w->num + c->path);
    const double pull = w->num[c->cover] * w->crossing_share[i] * w->cable[c->cable].tension;
    cable_stiffen(&at, pull, ds);
  }
}

// Power of cables without potential on a piece with strains x and strain rates u.
double td_crossings_power(const td_model* m, const td_work* w, const model_strain* f,
                          const double x[6], const double u[6]) {
  double sum = 0;
  for (int i = f->crossing; i < f->crossing + f->ncrossing; i++) {
    const model_crossing* c = &m->crossing[i];
    if (m->cable[c->cable].potential) continue;
    const cable_section s = cable_through(c->joint > 0, x, w->num + c->path);
    double rate = 0;
    for (int d = 0; d < 6; d++) rate += s.g[d] * u[d];
    sum -= w->crossing_share[i] * w->cable[c->cable].tension * passed(m, w, c) * rate;
  }
  return sum;
}
