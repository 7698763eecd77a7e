// Long displacements of rods whose coordinates are positions ('eba', 'rom').
//
// Moved along straight lines the nodes of a rod that turns draw apart, and the stiffness against
// stretch allows short steps only.  Here the strains between the nodes change linearly instead,
//
//   χ + χ' dv          χ: strains of a segment, χ': their rates for the velocities dv
//
// and the nodes follow from the base of their rod, as in a rod with relative coordinates.  The
// positions of polynomial rods follow their rotation in the same way: at the points where strains
// are counted the slope of the position is to be
//
//   p' = R (e_z + ξ + ξ' dv)          R: after the step
//
// and what the step has made of it instead is put right by the projection on the slopes of the
// functions, which are orthogonal under the quadrature.  To first order in dv all this is
// td_displace.
#include <string.h>

#include "elem/section.h"
#include "engine/stages.h"

// ---- free nodes -------------------------------------------------------------------------------

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

static void put_nodes(const td_model* m, td_work* w, const double* strain, td_state* state) {
  for (int i = 0; i < m->nnode; i++) {
    const model_node* node = &m->node[i];
    const bool chained = i > 0 && m->node[i - 1].station == node->from;
    if (!chained) td_place(m, state, w);
    const frame from =
        chained ? node_frame(state->q + m->node[i - 1].q) : td_frame(m, w, node->from);
    put_node(&from, strain + 6 * i, state->q + node->q);
  }
}

// ---- polynomials ------------------------------------------------------------------------------

static bool is_polynomial(const td_model* m, const model_strain* f) {
  return strain_is_posed(f) && !m->rod[f->rod - 1].monomial;
}

static int count_polynomials(const td_model* m) {
  int n = 0;
  for (int i = 0; i < m->nstrain; i++) n += is_polynomial(m, &m->strain[i]);
  return n;
}

// e_z + ξ + ξ' dv at every point
static void changed_slopes(const td_model* m, const td_work* w, vec3* slope) {
  for (int i = 0; i < m->nstrain; i++) {
    if (!is_polynomial(m, &m->strain[i])) continue;
    const polyrod r = td_polynomial_at(m, w, &m->strain[i]);
    *slope++ = vec3_add((vec3){0, 0, 1}, vec3_add(vec3_of(r.strain), vec3_of(r.rate)));
  }
}

// Projection of R slope - p' on the functions: sum_w w φ' (R slope - p') / sum_w w φ'²
static void put_positions(const td_model* m, td_work* w, const vec3* slope, double* sum,
                          td_state* state) {
  double* square = sum + m->npos;
  memset(sum, 0, 2 * (size_t)m->npos * sizeof(double));
  td_place(m, state, w);
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
  for (int i = 0; i < m->npos; i++)
    if (square[i] > 0) state->q[i] += sum[i] / square[i];
}

// ---- both -------------------------------------------------------------------------------------

bool td_has_chains(const td_model* m) { return m->nnode > 0 || count_polynomials(m) > 0; }

void td_displace_chains(const td_model* m, td_work* w, td_state* state, const double* dv) {
  const int points = count_polynomials(m);
  const arena_mark mark = arena_open(&w->scratch);
  double* strain = arena_doubles(&w->scratch, 6 * m->nnode + 2 * m->npos + 3 * points);
  double* sum = strain + 6 * m->nnode;
  vec3* slope = (vec3*)(void*)(sum + 2 * m->npos);
  memcpy(state->v, dv, (size_t)m->nvel * sizeof(double));
  td_prepare(m, w);
  td_place(m, state, w);
  changed_strains(m, w, strain);
  changed_slopes(m, w, slope);
  memset(state->v, 0, (size_t)m->nvel * sizeof(double));
  td_trial_displace(m, state->q, dv, state->q);
  if (points > 0) put_positions(m, w, slope, sum, state);
  put_nodes(m, w, strain, state);
  arena_close(&w->scratch, mark);
}
