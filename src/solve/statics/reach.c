// Length of a step of statics through contacts: bodies that touch must not end up on the other
// side.
//
// A Newton step knows the forces at its beginning alone.  One that is longer than rods are thick
// may carry one through another, to an equilibrium that no motion leads to.  The step is followed
// by a conservative advance: with R the sum of both radii the gap g of a contact is -R where
// centres meet, and while it is above -DEEPEST R the next g + DEEPEST R of the way, by the bound of
// the gap's rate, lead through nothing.  The step ends where something lies deeper than DEEP R.
#include <math.h>

#include "model/model.h"
#include "solve/statics/statics.h"
#include "solve/vectors.h"

static const double deep = 0.3, deepest = 0.8, faster = 1.5;
enum { samples = 100, of_parameter = 8 };

// Fraction of the step (dx, dp) from x, p that leads through no contact, by conservative
// advancement.  The state is left at the last point examined.
double td_statics_reach(void* ctx, const double* x, const double* dx, double p, double dp) {
  td_statics* s = ctx;
  const int n = td_contact_guards(s->model);
  double *gap = s->gap, *speed = gap + n, *width = speed + n, *first = width + n;
  double* part = first + n;  // (n of the step)
  double *at = part + s->n, reached = 0;
  for (int k = 0; k < samples; k++) {
    for (int i = 0; i < s->n; i++) part[i] = reached * dx[i];
    s->equations.displace(s, x, part, at);
    td_statics_set(s, at, p + reached * dp);

    // gaps, and their rates for the whole step in a unit of time
    memcpy(s->keep_v, s->state->v, sizeof(double) * (size_t)s->nv);
    memset(s->state->v, 0, sizeof(double) * (size_t)s->nv);
    for (int i = 0; i < s->n; i++) s->state->v[s->free[i]] = dx[i];
    td_contact_guard_values(s->model, s->state, s->work, gap, speed, width);
    memcpy(s->state->v, s->keep_v, sizeof(double) * (size_t)s->nv);
    if (k == 0) memcpy(first, gap, sizeof(double) * (size_t)n);
    double next = dp == 0 ? 1 : 1. / of_parameter;
    for (int i = 0; i < n; i++) {
      // planes end nowhere, points have no thickness, and what was deep at once is not judged
      if (!isfinite(width[i]) || !(width[i] > 0) || first[i] < -deep * width[i]) continue;
      if (k > 0 && gap[i] < -deep * width[i]) return reached;
      const double way = faster * speed[i];
      if (way * next > gap[i] + deepest * width[i]) next = (gap[i] + deepest * width[i]) / way;
    }
    if (reached >= 1) break;
    reached = fmin(1, reached + next);
  }
  return reached;
}
