// Hops of strain-parametrised rods; the step itself is in elem/magnus.c.
//
// A step is made in the frame before it, which moves with the twist V and acceleration A of its
// parent.  A part S' of it, carried to the world, has the rates
//
//   S = Ad S'      Ṡ = V × S + Ad Ṡ'      S̈ = A × S + V × Ṡ + V × Ad Ṡ' + Ad S̈'
//
// and these are the tangent vectors of a column (tangent.c):  U = Ṡ, X = 2 Ṡ, Z = S̈.  That holds
// for every joint: the change of a twist along a coordinate and its rate along the motion differ by
// S × V alone.
#include "strain_hop.h"

#include <string.h>

// The frame before the step.
static pose before(const td_model* m, const td_work* w, int i) {
  const int parent = m->hop[i].parent;
  return parent < 0 ? w->hop_fix[i] : pose_mul(w->hop[parent].g, w->hop_fix[i]);
}

static spatial carried(const pose* g, const spatial* x) {
  const vec3 r = mat3_apply(g->R, spatial_r(x));
  return spatial_of(vec3_add(mat3_apply(g->R, spatial_t(x)), vec3_cross(g->p, r)), r);
}

// The world's wrench F seen from the frame g.
static spatial wrench_in(const pose* g, const spatial* F) {
  const vec3 f = spatial_t(F), m = vec3_sub(spatial_r(F), vec3_cross(g->p, f));
  return spatial_of(mat3_apply_t(g->R, f), mat3_apply_t(g->R, m));
}

// Strains at the nodes, their rates and (a given) accelerations.
static magnus_step step_of(const td_model* m, const td_work* w, const model_hop* hop,
                           const double* a) {
  magnus_step s = {.nodes = hop->nodes, .h = w->num[hop->step], .modes = hop->modes};
  for (int n = 0; n < hop->nodes; n++) {
    const double* value = w->num + hop->value + 6 * n;
    for (int d = 0; d < 6; d++) s.xi[n][0].a[d] = value[d];
    for (int d = 0; hop->dependent && d < 6; d++) {
      s.xi[n][1].a[d] = value[6 * hop->nodes + d];
      s.xi[n][2].a[d] = value[12 * hop->nodes + d];
    }
    s.xi[n][0].a[2] += 1;
    const int end = hop->col + hop->nv;
    for (int k = hop->col; k < end;) {
      const int part = m->col[k].part;
      double x = 0, u = 0, du = 0;
      for (; k < end && m->col[k].part == part; k++) {
        const model_col* c = &m->col[k];
        const double weight = w->num[c->weight + n];
        x += weight * w->q[c->q];
        u += weight * w->v[c->v];
        if (a) du += weight * a[c->v];
      }
      if (!hop->dependent) {
        s.xi[n][0].a[part] += x;
        s.xi[n][1].a[part] += u;
      }
      s.xi[n][2].a[part] += du;
    }
  }
  return s;
}

// Strains that are expressions of their coordinates: the numbers they give.
static void set_coordinates(const td_model* m, td_work* w, const double* a) {
  for (const model_coords* c = m->coords; c < m->coords + m->ncoords; c++)
    for (int k = 0; k < c->n; k++) {
      w->vars[c->var + k] = w->q[c->q + k];
      w->vars[c->rate + k] = w->v[c->v + k];
      w->vars[c->accel + k] = a ? a[c->v + k] : 0;
    }
  w->vars[m->time_var] = w->t;
}

void td_strain_numbers(const td_model* m, td_work* w) {
  if (m->ncoords == 0) return;
  set_coordinates(m, w, NULL);
  td_tape_eval(m->strain_tape, w->vars, w->scratch_tape, w->partial);
  for (int i = 0; i < m->nstrain_slot; i++) w->num[m->strain_slot[i]] = w->partial[i];
}

void td_strain_tangent_numbers(const td_model* m, td_work* w, const double* a) {
  if (m->ncoords == 0) return;
  set_coordinates(m, w, a);
  td_tape_eval(m->strain_rate_tape, w->vars, w->scratch_tape, w->partial);
  for (int i = 0; i < m->nstrain_rate_slot; i++) w->num[m->strain_rate_slot[i]] = w->partial[i];
}

void td_strain_prepare(const td_model* m, td_work* w) {
  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    if (hop->kind != HOP_STRAIN) continue;
    lanes* row = w->weight + hop->weights;
    memset(row, 0, (size_t)(6 * hop->nodes * hop->blocks) * sizeof(lanes));
    for (int k = hop->col; k < hop->col + hop->nv; k++) {
      const model_col* c = &m->col[k];
      for (int n = 0; n < hop->nodes; n++)
        row[(6 * n + c->part) * hop->blocks + c->slot / LANES - hop->block][c->slot % LANES] +=
            w->num[c->weight + n];
    }
  }
}

// Σ_n weight_n x_n of a column
static spatial weighed(const model_col* c, const td_work* w, int nodes,
                       spatial x[MAGNUS_NODES][LANES]) {
  spatial sum = spatial_scale(w->num[c->weight], x[0][c->part]);
  for (int n = 1; n < nodes; n++) sum = spatial_axpy(w->num[c->weight + n], x[n][c->part], sum);
  return sum;
}

void td_strain_place(const td_model* m, td_work* w, const model_hop* hop, pose* g, spatial* V,
                     spatial* own) {
  const magnus_step step = step_of(m, w, hop, NULL);
  octet* S = w->part + hop->parts;
  spatial part[MAGNUS_NODES][LANES];
  magnus_motion motion;
  td_magnus(&step, &motion);
  *V = carried(g, &motion.V);
  *own = carried(g, &motion.A);
  for (int n = 0; n < hop->nodes; n++) {
    S[n] = octet_carried(g, &motion.S[n]);
    octet_vectors(&S[n], part[n]);
  }
  for (int k = hop->col; k < hop->col + hop->nv; k++)
    w->col[k].S = weighed(&m->col[k], w, hop->nodes, part);
  *g = pose_mul(*g, motion.g);
}

void td_strain_forces(const td_model* m, const td_work* w, const model_hop* hop, const spatial* F,
                      double* out) {
  lanes f[MAGNUS_NODES];
  for (int n = 0; n < hop->nodes; n++) f[n] = octet_dot(F, &w->part[hop->parts + n]);
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &m->col[k];
    double sum = 0;
    for (int n = 0; n < hop->nodes; n++) sum += w->num[c->weight + n] * f[n][c->part];
    out[c->v] += sum;
  }
}

// What the hop's acceleration has from its parent; the ground's may hold gravity or not.
static spatial acceleration_before(const td_model* m, const td_work* w, int i, const double* a) {
  spatial A = spatial_sub(w->hop[i].A, w->hop[i].c);
  for (int k = m->hop[i].col; k < m->hop[i].col + m->hop[i].nv; k++)
    A = spatial_axpy(-a[m->col[k].v], w->col[k].S, A);
  return A;
}

static void part_rates(const td_model* m, td_work* w, int i, const double* a) {
  const model_hop* hop = &m->hop[i];
  octet *U = w->part_U + hop->parts, *Z = w->part_Z + hop->parts;
  const magnus_step step = step_of(m, w, hop, a);
  const pose g = before(m, w, i);
  const spatial zero = spatial_zero();
  const spatial* V = hop->parent < 0 ? &zero : &w->hop[hop->parent].V;
  const spatial A = acceleration_before(m, w, i, a);
  octet Sd[MAGNUS_NODES], Sdd[MAGNUS_NODES];
  td_magnus_rates(&step, Sd, Sdd);
  for (int n = 0; n < hop->nodes; n++) {
    const octet *S = &w->part[hop->parts + n], own = octet_carried(&g, &Sd[n]);
    U[n] = octet_cross_add(V, S, own);
    const octet both = octet_add(U[n], own);
    Z[n] = octet_cross_add(&A, S, octet_cross_add(V, &both, octet_carried(&g, &Sdd[n])));
  }
}

// Columns are weights times parts; where the weights change along the motion, the product rule.
void td_strain_columns(const td_model* m, td_work* w, int i, const double* a) {
  const model_hop* hop = &m->hop[i];
  spatial s[MAGNUS_NODES][LANES], u[MAGNUS_NODES][LANES], z[MAGNUS_NODES][LANES];
  part_rates(m, w, i, a);
  for (int n = 0; n < hop->nodes; n++) {
    octet_vectors(&w->part[hop->parts + n], s[n]);
    octet_vectors(&w->part_U[hop->parts + n], u[n]);
    octet_vectors(&w->part_Z[hop->parts + n], z[n]);
  }
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &m->col[k];
    col_sum* col = sums_of_col(w, k);
    col->U = weighed(c, w, hop->nodes, u);
    col->Z = weighed(c, w, hop->nodes, z);
    for (int n = 0; hop->dependent && n < hop->nodes; n++) {
      const double* rate = w->num + c->slope + 2 * n;
      col->U = spatial_axpy(rate[0], s[n][c->part], col->U);
      col->Z = spatial_axpy(2 * rate[0], u[n][c->part], col->Z);
      col->Z = spatial_axpy(rate[1], s[n][c->part], col->Z);
    }
    col->X = spatial_scale(2, col->U);
  }
}

void td_strain_curvature(const td_model* m, const td_work* w, int i, const spatial* F,
                         lanes N[MAGNUS_PARTS][MAGNUS_NODES]) {
  const magnus_step step = step_of(m, w, &m->hop[i], NULL);
  const pose g = before(m, w, i);
  const spatial local = wrench_in(&g, F);
  td_magnus_curvature(&step, &local, N);
}

// Σ_p (S_p · F) d²y_p/dq_k dq_l of strains that are expressions
static void add_hessian(const td_model* m, const td_work* w, const model_hop* hop, const spatial* F,
                        const tree_part* part, double* dq) {
  const model_coords* c = &m->coords[hop->coords];
  const double* H = w->num + hop->hessian;
  for (int n = 0; n < hop->nodes; n++) {
    const lanes f = octet_dot(F, &w->part[hop->parts + n]);
    for (int d = 0; d < 6; d++) {
      if (!(hop->modes >> d & 1)) continue;
      for (int k = 0; k < c->n; k++)
        for (int l = 0; l < c->n; l++)
          dq[part_row(part, c->v + k) * part->n + part_row(part, c->v + l)] += f[d] * *H++;
    }
  }
}

void td_strain_own(const td_model* m, const td_work* w, int i, const spatial* F,
                   const tree_part* part, double* dq) {
  const model_hop* hop = &m->hop[i];
  lanes N[MAGNUS_PARTS][MAGNUS_NODES];
  td_strain_curvature(m, w, i, F, N);
  if (hop->dependent) add_hessian(m, w, hop, F, part, dq);
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &m->col[k];
    lanes along[MAGNUS_NODES] = {{0}};  // Σ_p weight_p N[p]
    for (int n = 0; n < hop->nodes; n++)
      for (int j = 0; j < hop->nodes; j++)
        along[j] += w->num[c->weight + n] * N[6 * n + c->part][j];
    for (int l = hop->col; l < hop->col + hop->nv; l++) {
      const model_col* e = &m->col[l];
      for (int n = 0; n < hop->nodes; n++)
        dq[part_row(part, e->v) * part->n + part_row(part, c->v)] +=
            w->num[e->weight + n] * along[n][e->part];
    }
  }
}
