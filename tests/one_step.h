// One Magnus step alone, for tests: it is made in a lane between others.
#ifndef TD_ONE_STEP_H
#define TD_ONE_STEP_H

#include "elem/magnus.h"

typedef struct magnus_step {
  int nodes;
  double h;
  spatial xi[MAGNUS_NODES][3];
} magnus_step;
typedef struct step_motion {
  pose g;
  spatial V, A, S[MAGNUS_PARTS];
} step_motion;
enum { LANE = 5 };

// The steps beside it are shorter and longer, and one lane is not used.
static inline magnus_steps side_by_side(const magnus_step* s) {
  magnus_steps all = {.nodes = s->nodes, .modes = 0x3f};
  for (int l = 0; l < LANES - 1; l++) {
    const double size = l == LANE ? 1 : 0.3 * (l + 1);
    all.h[l] = s->h;
    for (int n = 0; n < s->nodes; n++)
      for (int k = 0; k < 3; k++)
        for (int d = 0; d < 6; d++) all.xi[n].d[k].c[d][l] = size * s->xi[n][k].a[d];
  }
  return all;
}
static inline void step_motion_of(const magnus_step* s, step_motion* out) {
  const magnus_steps all = side_by_side(s);
  magnus_motion m;
  td_magnus(&all, &m);
  out->g = octet_pose_at(&m.g, LANE);
  out->V = octet_vector(&m.V, LANE);
  out->A = octet_vector(&m.A, LANE);
  for (int p = 0; p < 6 * s->nodes; p++) out->S[p] = octet_vector(&m.S[p], LANE);
}
static inline void step_rates_of(const magnus_step* s, spatial* Sd, spatial* Sdd) {
  const magnus_steps all = side_by_side(s);
  jet S[MAGNUS_PARTS];
  td_magnus_rates(&all, S);
  for (int p = 0; p < 6 * s->nodes; p++) {
    Sd[p] = octet_vector(&S[p].d[1], LANE);
    Sdd[p] = octet_vector(&S[p].d[2], LANE);
  }
}
static inline void step_curvature_of(const magnus_step* s, const spatial* F,
                                     double N[MAGNUS_PARTS][MAGNUS_PARTS]) {
  const magnus_steps all = side_by_side(s);
  octet wrench = octet_zero();
  lanes each[MAGNUS_PARTS][MAGNUS_PARTS];
  octet_put(&wrench, LANE, F);
  td_magnus_curvature(&all, &wrench, each);
  for (int p = 0; p < 6 * s->nodes; p++)
    for (int r = 0; r < 6 * s->nodes; r++) N[p][r] = each[p][r][LANE];
}

#endif
