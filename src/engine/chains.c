// Long displacements of rods whose coordinates are positions ('eba', 'rom').
//
// When the nodes of a rotating rod move along straight lines they draw apart, and the stiffness
// against stretching then allows only short steps.  Here the strains between the nodes change
// linearly instead,
//
//   χ + χ' dv          χ: strains of a segment, χ': their rates for the velocities dv
//
// and the nodes are placed one after the other from the base of their rod, as in a rod with
// relative coordinates.  The positions of polynomial rods follow their rotations in the same way:
// at the quadrature points the slope of the position shall be
//
//   p' = R (e_z + ξ + ξ' dv)          R: after the step
//
// and the difference from the slope that the step has produced is projected onto the slopes of the
// shape functions, which are orthogonal under the quadrature.  To first order in dv the result
// equals td_displace.
#include <string.h>

#include "elem/section.h"
#include "engine/stages.h"

// ---- free nodes -------------------------------------------------------------------------------

// Place each node behind its predecessor with the strains of its segment (6 each), keeping the sign
// of its quaternion.
static void put_nodes(const td_model* m, td_work* w, const double* strain, td_state* state) {
  static const double no_rate[6] = {0};

  for (int i = 0; i < m->nnode; i++) {
    // the frame at the segment's beginning: the node just placed, or what carries the rod
    const model_node* node = &m->node[i];
    const bool chained = i > 0 && m->node[i - 1].station == node->from;
    frame from;
    if (chained) {
      const double* before = state->q + m->node[i - 1].q;
      from = (frame){.R = mat3_quat(quat_unit((quat){before[3], vec3_of(before + 4)})),
                     .p = vec3_of(before)};
    } else {
      td_place(m, state, w);
      from = td_frame(m, w, node->from);
    }

    // the frame at its end; td_segment_end takes strains against the straight segment
    double x[6], *q = state->q + node->q;
    memcpy(x, strain + 6 * i, sizeof x);
    x[2] -= 1;
    const segment_end end = td_segment_end(x, no_rate, 1);
    const quat turned = quat_unit(quat_mat3(mat3_mul(from.R, end.g.R)));
    const double side = turned.w * q[3] + vec3_dot(turned.v, vec3_of(q + 4)) < 0 ? -1 : 1;
    vec3_put(q, vec3_add(from.p, mat3_apply(from.R, end.g.p)));
    q[3] = side * turned.w;
    vec3_put(q + 4, vec3_scale(side, turned.v));
  }
}

// ---- polynomials ------------------------------------------------------------------------------

// True for a piece of a rod of model 'rom', whose position is a polynomial of arc length.
static bool is_polynomial(const td_model* m, const model_strain* f) {
  return strain_is_posed(f) && !m->rod[f->rod - 1].monomial;
}

// Number of quadrature points of polynomial rods.
static int count_polynomials(const td_model* m) {
  int n = 0;
  for (int i = 0; i < m->nstrain; i++) n += is_polynomial(m, &m->strain[i]);
  return n;
}

// Correct the positions of polynomial rods: q_k += Σ w φ_k' (R slope - p') / Σ w φ_k'², summed over
// the quadrature points; `slope` has the desired R⁻¹ p' of each point, `sum` is scratch (2 npos).
static void put_positions(const td_model* m, td_work* w, const vec3* slope, double* sum,
                          td_state* state) {
  double* square = sum + m->npos;
  memset(sum, 0, 2 * (size_t)m->npos * sizeof(double));
  td_place(m, state, w);

  // errors of the slopes, projected onto the slopes of the shape functions
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    if (!is_polynomial(m, f)) continue;
    const polyrod r = td_polynomial_at(m, w, f);
    const vec3 left = vec3_sub(mat3_apply(r.R, *slope++), r.ps);
    const double weight = w->num[f->section + SECTION_LENGTH];
    const model_hop* move = &m->hop[m->hop[m->station[f->b].hop].parent];
    for (int k = move->col; k < move->col + move->nv; k++) {
      const double part = weight * w->col_slope[k];
      sum[m->col[k].q] += part * vec3_at(left, m->col[k].part);
      square[m->col[k].q] += part * w->col_slope[k];
    }
  }

  // correct the coordinates
  for (int i = 0; i < m->npos; i++)
    if (square[i] > 0) state->q[i] += sum[i] / square[i];
}

// ---- displacement -----------------------------------------------------------------------------

// True when some rod has positions as coordinates.
bool td_has_chains(const td_model* m) { return m->nnode > 0 || count_polynomials(m) > 0; }

// Displace state->q by dv so that strains, not positions, change linearly; state->v becomes zero.
void td_displace_chains(const td_model* m, td_work* w, td_state* state, const double* dv) {
  const int points = count_polynomials(m);
  const arena_mark mark = arena_open(&w->scratch);
  double* strain = arena_doubles(&w->scratch, 6 * m->nnode + 2 * m->npos + 3 * points);
  double* sum = strain + 6 * m->nnode;
  vec3 *slope = (vec3*)(void*)(sum + 2 * m->npos), *next = slope;

  // with dv as velocities, strain rates are the changes of strains: strains of segments after the
  // step
  memcpy(state->v, dv, (size_t)m->nvel * sizeof(double));
  td_prepare(m, w);
  td_place(m, state, w);

  for (int i = 0; i < m->nnode; i++) {
    const frame a = td_frame(m, w, m->node[i].from), b = td_frame(m, w, m->node[i].station);
    const segment s = td_segment(&a, &b);
    for (int d = 0; d < 6; d++) strain[6 * i + d] = s.x[d] + s.u[d];
  }

  // slopes e_z + ξ + ξ' dv of polynomial rods after the step
  for (int i = 0; i < m->nstrain; i++) {
    if (!is_polynomial(m, &m->strain[i])) continue;
    const polyrod r = td_polynomial_at(m, w, &m->strain[i]);
    *next++ = vec3_add((vec3){0, 0, 1}, vec3_add(vec3_of(r.strain), vec3_of(r.rate)));
  }

  // all other coordinates move linearly, then the rods are put together again
  memset(state->v, 0, (size_t)m->nvel * sizeof(double));
  td_trial_displace(m, state->q, dv, state->q);
  if (points > 0) put_positions(m, w, slope, sum, state);
  put_nodes(m, w, strain, state);
  arena_close(&w->scratch, mark);
}
