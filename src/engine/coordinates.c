// Generalised positions and velocities: q' = N(q) v with its matrices, displacements on the group
// of rotations, unit quaternions, free and prescribed coordinates, and the states themselves.
//
// All coordinates are plain numbers with q' = v except the unit quaternions Q of ball joints and
// free bodies, Q' = ½ Q ω with ω in body axes, whose four positions belong to three velocities.
#include <math.h>
#include <string.h>

#include "elem/chart.h"
#include "engine/hop.h"
#include "engine/stages.h"

// Indices of the unprescribed velocities, ascending.
int td_free_v(const td_model* m, const int** index) {
  *index = m->free_v;
  return m->nfree_v;
}

// Indices of the unprescribed positions, ascending.
int td_free_q(const td_model* m, const int** index) {
  *index = m->free_q;
  return m->nfree_q;
}

// True when nq > nv.
bool td_has_quaternions(const td_model* m) { return m->npos != m->nvel; }

// q' of one hop, with the hop's own q and v.
void td_hop_rate(const model_hop* hop, const double* q, const double* v, double* qdot) {
  td_hop_table[hop->kind]->rate(q, v, qdot);
}

// q' = N(q) v
void td_qdot(const td_model* m, const double* q, const double* v, double* qdot) {
  for (int i = 0; i < m->nvel; i++)
    if (m->vel[i].partner >= 0) qdot[m->vel[i].partner] = v[i];
  if (!td_has_quaternions(m)) return;
  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    if (has_quaternion(hop)) td_hop_rate(hop, q + hop->q, v + hop->v, qdot + hop->q);
  }
}

// Fill N(q) of q' = N v, nq x nv by rows: ones for plain coordinates, 4 x 3 blocks ½ Q e_k for unit
// quaternions.
void td_qdot_matrix(const td_model* m, const double* q, double* N) {
  const int nv = m->nvel;
  memset(N, 0, (size_t)m->npos * (size_t)nv * sizeof(double));
  for (int i = 0; i < nv; i++)
    if (m->vel[i].partner >= 0) N[m->vel[i].partner * nv + i] = 1;

  // columns of the quaternions' blocks: their rates for unit angular velocities
  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    for (int k = 0; has_quaternion(hop) && k < hop->nv; k++) {
      double e[3] = {k == 0, k == 1, k == 2}, rate[4];
      td_hop_rate(hop, q + hop->q, e, rate);
      for (int c = 0; c < hop->nq; c++) N[(hop->q + c) * nv + hop->v + k] = rate[c];
    }
  }
}

// d(N v)/dq (nq x nq): N is linear in the quaternions, so that its columns are rates at unit
// quaternions.
void td_qdot_dq(const td_model* m, const double* q, const double* v, double* dNv) {
  const int nq = m->npos;
  (void)q;  // N is linear in q
  memset(dNv, 0, (size_t)nq * (size_t)nq * sizeof(double));

  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    for (int k = 0; has_quaternion(hop) && k < hop->nq; k++) {
      double e[4] = {k == 0, k == 1, k == 2, k == 3}, rate[4];
      td_hop_rate(hop, e, v + hop->v, rate);
      for (int c = 0; c < hop->nq; c++) dNv[(hop->q + c) * nq + hop->q + k] = rate[c];
    }
  }
}

// N⁺ (nv x nq) with N⁺ N = 1: from ω = 2 vec(Q* Q') / |Q|² it is 4 Nᵀ / |Q|² for a quaternion.
void td_qdot_inverse(const td_model* m, const double* q, double* Nplus) {
  const int nq = m->npos;
  memset(Nplus, 0, (size_t)m->nvel * (size_t)nq * sizeof(double));
  for (int i = 0; i < m->nvel; i++)
    if (m->vel[i].partner >= 0) Nplus[i * nq + m->vel[i].partner] = 1;

  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    double n2 = 0;
    for (int c = 0; c < hop->nq; c++) n2 += q[hop->q + c] * q[hop->q + c];
    for (int k = 0; has_quaternion(hop) && k < hop->nv; k++) {
      double e[3] = {k == 0, k == 1, k == 2}, rate[4];
      td_hop_rate(hop, q + hop->q, e, rate);
      for (int c = 0; c < hop->nq; c++) Nplus[(hop->v + k) * nq + hop->q + c] = 4 * rate[c] / n2;
    }
  }
}

// q_out = q ⊕ dv: plain coordinates are added to, quaternions turned by the rotation vector dv.
td_status td_trial_displace(const td_model* m, const double* q, const double* dv, double* q_out) {
  if (!m || !q || !dv || !q_out) return TD_E_USAGE;
  if (q_out != q) memcpy(q_out, q, (size_t)m->npos * sizeof(double));
  for (int i = 0; i < m->nvel; i++)
    if (m->vel[i].partner >= 0) q_out[m->vel[i].partner] += dv[i];
  for (int i = 0; td_has_quaternions(m) && i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    if (has_quaternion(hop)) td_hop_table[hop->kind]->displace(q_out + hop->q, dv + hop->v);
  }
  return TD_OK;
}

// td_trial_displace for finite numbers only.
td_status td_displace(const td_model* m, const double* q, const double* dv, double* q_out) {
  if (!m || !q || !dv || !are_finite(q, m->npos) || !are_finite(dv, m->nvel)) return TD_E_USAGE;
  return td_trial_displace(m, q, dv, q_out);
}

// Scale all quaternions of q to length 1.
void td_normalise(const td_model* m, double* q) {
  for (int i = 0; td_has_quaternions(m) && i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    if (!has_quaternion(hop)) continue;
    double n2 = 0;
    for (int c = 0; c < hop->nq; c++) n2 += q[hop->q + c] * q[hop->q + c];
    for (int c = 0; c < hop->nq; c++) q[hop->q + c] /= sqrt(n2);
  }
}

// Least margin to a coordinate singularity among all three-number charts: 1 none is near, 0 at it.
double td_chart_margin(const td_model* m, const double* q, const char** name) {
  double least = 1;

  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    if (!td_chart_ends(hop)) continue;

    // the three numbers of the chart, and their distance from its singularity
    double y[3] = {0, 0, 0};
    for (int k = hop->col; k < hop->col + hop->nv; k++) {
      const num weight = m->col[k].weight;  // constant for the coordinates of a rod
      y[m->col[k].part] += (weight == NUM_NONE ? 1 : m->number[weight]) * q[m->col[k].q];
    }
    const double margin = td_chart_distance(td_hop_chart(hop), vec3_of(y));
    if (margin >= least) continue;
    least = margin;
    if (name) *name = model_name(m, m->pos[m->col[hop->col].q].name);
  }

  return least;
}

// ---- states -----------------------------------------------------------------------------------

// Allocate a state with zero positions, velocities, inputs, internal states and controller memory,
// in one block.
td_state* td_state_new(const td_model* m) {
  if (!m) return NULL;
  const size_t before = (size_t)(m->npos + m->nvel + m->ninput + m->ninternal);
  const size_t n = before + (size_t)model_memory(m) + 1;

  // the struct and its arrays share one block
  td_state* state = malloc(sizeof(td_state) + n * sizeof(double));
  if (!state) return NULL;
  double* x = (double*)(void*)(state + 1);
  memset(x, 0, n * sizeof(double));
  *state = (td_state){.t = m->settings[0],
                      .q = x,
                      .v = x + m->npos,
                      .u = x + m->npos + m->nvel,
                      .z = x + m->npos + m->nvel + m->ninput,
                      .memory = x + before,
                      .size = {m->npos, m->nvel, m->ninput, model_memory(m), m->ninternal},
                      .identity = m->identity};
  return state;
}

void td_state_free(td_state* state) { free(state); }

// model_has() for other folders: the state and the work were made for this model.
bool td_belongs(const td_model* m, const td_state* s, const td_work* w) {
  return model_has(m, s, w);
}

// True when time, positions, velocities, inputs and internal states are finite numbers.
bool td_state_is_finite(const td_model* m, const td_state* s) {
  return are_finite(&s->t, 1) && are_finite(s->q, m->npos) && are_finite(s->v, m->nvel) &&
         are_finite(s->u, m->ninput) && are_finite(s->z, m->ninternal);
}

// Copy everything a state holds, the memory of controllers included where both have one.
td_status td_state_copy(const td_model* m, const td_state* from, td_state* to) {
  if (!model_owns(m, from) || !model_owns(m, to)) return TD_E_USAGE;
  to->t = from->t;
  memcpy(to->q, from->q, (size_t)m->npos * sizeof(double));
  memcpy(to->v, from->v, (size_t)m->nvel * sizeof(double));
  memcpy(to->u, from->u, (size_t)m->ninput * sizeof(double));
  if (m->ninternal > 0) memcpy(to->z, from->z, (size_t)m->ninternal * sizeof(double));
  const int memory = model_memory(m);
  if (memory > 0 && from->memory && to->memory)
    memcpy(to->memory, from->memory, (size_t)memory * sizeof(double));
  return TD_OK;
}
