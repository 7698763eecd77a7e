// Long displacements of rods with free nodes ('eba').
//
// Moved along straight lines the nodes of a rod that turns draw apart, and the stiffness against
// stretch allows short steps only.  Here the strains between the nodes change linearly instead,
//
//   χ + χ' dv          χ: strains of a segment, χ': their rates for the velocities dv
//
// and the nodes follow from the base of their rod, as in a rod with relative coordinates.  To first
// order in dv this is td_displace.
#include <string.h>

#include "engine.h"

// Strains of every segment where it is to be
static void changed_strains(const td_model* m, const td_work* w, double* strain) {
  for (int i = 0; i < m->nnode; i++) {
    const frame a = td_frame(m, w, m->node[i].from), b = td_frame(m, w, m->node[i].station);
    const segment s = td_segment(&a, &b);
    for (int d = 0; d < 6; d++) strain[6 * i + d] = s.x[d] + s.u[d];
  }
}

static frame node_frame(const double* q) {
  return (frame){.R = mat3_quat(quat_unit((quat){q[3], vec3_of(q + 4)})), .p = vec3_of(q)};
}

// The node after `from`, its quaternion on the side of the old one
static void put_node(const frame* from, const double strain[6], double* q) {
  double x[6];
  const double u[6] = {0};
  memcpy(x, strain, sizeof x);
  x[2] -= 1;
  const segment_end end = td_segment_end(x, u, 1);
  const quat turned = quat_unit(quat_mat3(mat3_mul(from->R, end.g.R)));
  const double side = turned.w * q[3] + vec3_dot(turned.v, vec3_of(q + 4)) < 0 ? -1 : 1;
  vec3_put(q, vec3_add(from->p, mat3_apply(from->R, end.g.p)));
  q[3] = side * turned.w;
  vec3_put(q + 4, vec3_scale(side, turned.v));
}

void td_displace_chains(const td_model* m, td_work* w, td_state* state, const double* dv) {
  if (m->nnode == 0) {
    td_displace(m, state->q, dv, state->q);
    return;
  }
  const arena_mark mark = arena_open(&w->scratch);
  double* strain = arena_doubles(&w->scratch, 6 * m->nnode);
  memcpy(state->v, dv, (size_t)m->nvel * sizeof(double));
  td_enter(m, state, w);
  changed_strains(m, w, strain);
  memset(state->v, 0, (size_t)m->nvel * sizeof(double));
  td_displace(m, state->q, dv, state->q);
  for (int i = 0; i < m->nnode; i++) {
    const model_node* node = &m->node[i];
    const bool chained = i > 0 && m->node[i - 1].station == node->from;
    if (!chained) td_place(m, state, w);
    const frame from =
        chained ? node_frame(state->q + m->node[i - 1].q) : td_frame(m, w, node->from);
    put_node(&from, strain + 6 * i, state->q + node->q);
  }
  arena_close(&w->scratch, mark);
}
