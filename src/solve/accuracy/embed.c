// The way of a state from a model to its companion.
//
// Coordinates that are not of rods are the same in both models and in the same order.  Those of
// rods follow by the linear maps that the builders recorded (model_lift), except the free nodes of
// 'eba' rods, which lie on the segments of the written rod: a node at arc length s of a segment
// from g_a with strains x is g_a times the end of a piece of length s - s_a with the same strains
// (elem/segment.h).
#include "elem/segment.h"
#include "engine/stages.h"
#include "engine/strains.h"
#include "model/model.h"
#include "solve/accuracy/companion.h"
#include "solve/vectors.h"

// Parameters, which the caller may have changed in the work, are taken over.
static td_status take_parameters(td_companion* c, const td_work* work) {
  for (int i = 0; i < c->of->nparam; i++) {
    if (c->of->param[i].structural) continue;
    const double x = td_work_param(c->of, work, i);
    if (x == td_work_param(c->model, c->work, i)) continue;
    TD_TRY(td_work_set_param(c->model, c->work, i, x));
  }
  return TD_OK;
}

// Put the nodes of 'eba' rods on the segments of the written rod; `work` has its kinematics.
static void place_nodes(td_companion* c, const td_work* work, const td_state* state) {
  const td_model *of = c->of, *m = c->model;
  for (int i = 0; i < m->nnode; i++) {
    const model_station* at = &m->station[m->node[i].station];
    const model_strain* f = NULL;
    double from = 0;
    for (int k = 0; k < of->nstrain; k++) {
      const model_strain* g = &of->strain[k];
      if (g->rod != at->rod || !strain_is_link(g)) continue;
      if (f && of->station[g->a].arc > at->arc - 1e-9) continue;  // begins behind it
      f = g;
      from = of->station[g->a].arc;
    }
    if (!f) continue;
    double x[6], u[6] = {0}, pose_a[16], twist[6];
    td_trial_station(of, state, (td_work*)work, f->a, pose_a, twist);
    td_strains(of, work, f, x);
    const segment_end end = td_segment_end(x, u, at->arc - from);
    const pose g_a = {{{pose_a[0], pose_a[1], pose_a[2], pose_a[4], pose_a[5], pose_a[6], pose_a[8],
                        pose_a[9], pose_a[10]}},
                      {pose_a[3], pose_a[7], pose_a[11]}};
    const pose g = pose_mul(g_a, end.g);
    const quat Q = quat_mat3(g.R);
    const double q[7] = {g.p.x, g.p.y, g.p.z, Q.w, Q.v.x, Q.v.y, Q.v.z};
    memcpy(c->state->q + m->node[i].q, q, sizeof q);
  }
}

td_status td_companion_embed(td_companion* c, td_work* work, const td_state* state) {
  const td_model *of = c->of, *m = c->model;
  td_state* to = c->state;
  TD_TRY(take_parameters(c, work));
  to->t = state->t;
  copy(to->u, state->u, of->ninput);
  copy(to->z, state->z, of->ninternal);
  for (int i = 0; i < m->npos; i++) to->q[i] = c->q[i] < 0 ? 0 : state->q[c->q[i]];
  for (int i = 0; i < m->nvel; i++) to->v[i] = c->v[i] < 0 ? 0 : state->v[c->v[i]];
  for (int i = 0; i < m->nlift; i++) {
    const model_lift* l = &m->lift[i];
    const int at = c->first[l->rod - 1] + l->from;
    to->q[l->q] += l->weight * state->q[c->rod_q[at]];
    to->v[l->v] += l->weight * state->v[c->rod_v[at]];
  }
  if (m->nnode > 0) {
    td_trial_energy(of, state, work);  // its kinematics
    place_nodes(c, work, state);
  }
  return TD_OK;
}
