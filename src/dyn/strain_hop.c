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
    double *x = s.xi[n][0].a, *u = s.xi[n][1].a, *du = s.xi[n][2].a;
    for (int d = 0; d < 6; d++) {
      x[d] = value[d];
      if (!hop->dependent) continue;
      u[d] = value[6 * hop->nodes + d];
      du[d] = value[12 * hop->nodes + d];
    }
    x[2] += 1;
    for (int k = hop->col; k < hop->col + hop->nv; k++) {
      const model_col* c = &m->col[k];
      const double weight = w->num[c->weight + n];
      if (!hop->dependent) {
        x[c->part] += weight * w->q[c->q];
        u[c->part] += weight * w->v[c->v];
      }
      if (a) du[c->part] += weight * a[c->v];
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

void td_strain_place(const td_model* m, td_work* w, const model_hop* hop, pose* g, spatial* V,
                     spatial* own) {
  const magnus_step step = step_of(m, w, hop, NULL);
  magnus_motion motion;
  td_magnus(&step, &motion);
  *V = carried(g, &motion.V);
  *own = carried(g, &motion.A);
  for (int p = 0; p < 6 * hop->nodes; p++)
    if (hop->modes >> p % 6 & 1) motion.S[p] = carried(g, &motion.S[p]);
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &m->col[k];
    spatial S = spatial_scale(w->num[c->weight], motion.S[c->part]);
    for (int n = 1; n < hop->nodes; n++)
      S = spatial_axpy(w->num[c->weight + n], motion.S[6 * n + c->part], S);
    w->col[k].S = S;
  }
  *g = pose_mul(*g, motion.g);
}

// What the hop's acceleration has from its parent; the ground's may hold gravity or not.
static spatial acceleration_before(const td_model* m, const td_work* w, int i, const double* a) {
  spatial A = spatial_sub(w->hop[i].A, w->hop[i].c);
  for (int k = m->hop[i].col; k < m->hop[i].col + m->hop[i].nv; k++)
    A = spatial_axpy(-a[m->col[k].v], w->col[k].S, A);
  return A;
}

void td_strain_columns(const td_model* m, td_work* w, int i, const double* a) {
  const model_hop* hop = &m->hop[i];
  const magnus_step step = step_of(m, w, hop, a);
  const pose g = before(m, w, i);
  const spatial zero = spatial_zero();
  const spatial* V = hop->parent < 0 ? &zero : &w->hop[hop->parent].V;
  const spatial A = acceleration_before(m, w, i, a);
  spatial Sd[MAGNUS_PARTS], Sdd[MAGNUS_PARTS];
  magnus_motion motion;
  td_magnus_rates(&step, Sd, Sdd);
  if (hop->dependent) td_magnus(&step, &motion);
  for (int p = 0; p < 6 * hop->nodes; p++) {
    if (!(hop->modes >> p % 6 & 1)) continue;
    Sd[p] = carried(&g, &Sd[p]);
    Sdd[p] = carried(&g, &Sdd[p]);
    if (hop->dependent) motion.S[p] = carried(&g, &motion.S[p]);
  }
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &m->col[k];
    const spatial* S = &w->col[k].S;
    col_sum* col = sums_of_col(w, k);
    spatial own = spatial_zero(), own2 = spatial_zero();
    for (int n = 0; n < hop->nodes; n++) {
      own = spatial_axpy(w->num[c->weight + n], Sd[6 * n + c->part], own);
      own2 = spatial_axpy(w->num[c->weight + n], Sdd[6 * n + c->part], own2);
      if (!hop->dependent) continue;
      const double *rate = w->num + c->slope + 2 * n, twice = 2 * rate[0];
      own = spatial_axpy(rate[0], motion.S[6 * n + c->part], own);
      own2 = spatial_axpy(twice, Sd[6 * n + c->part], own2);
      own2 = spatial_axpy(rate[1], motion.S[6 * n + c->part], own2);
    }
    col->U = spatial_add(spatial_cross(V, S), own);
    col->X = spatial_scale(2, col->U);
    const spatial both = spatial_add(col->U, own);
    col->Z = spatial_add(spatial_add(spatial_cross(&A, S), spatial_cross(V, &both)), own2);
  }
}

// Σ_p (S_p · F) d²y_p/dq_k dq_l of strains that are expressions
static void add_hessian(const td_model* m, const td_work* w, const model_hop* hop,
                        const magnus_step* step, const spatial* F, const tree_part* part,
                        double* dq) {
  const model_coords* c = &m->coords[hop->coords];
  const double* H = w->num + hop->hessian;
  magnus_motion motion;
  td_magnus(step, &motion);
  for (int p = 0; p < 6 * hop->nodes; p++) {
    if (!(hop->modes >> p % 6 & 1)) continue;
    const double f = spatial_dot(&motion.S[p], F);
    for (int k = 0; k < c->n; k++)
      for (int l = 0; l < c->n; l++)
        dq[part_row(part, c->v + k) * part->n + part_row(part, c->v + l)] += f * *H++;
  }
}

void td_strain_curvature(const td_model* m, const td_work* w, int i, const spatial* F,
                         const tree_part* part, double* dq) {
  const model_hop* hop = &m->hop[i];
  const magnus_step step = step_of(m, w, hop, NULL);
  const pose g = before(m, w, i);
  const spatial local = wrench_in(&g, F);
  double N[MAGNUS_PARTS][MAGNUS_PARTS];
  td_magnus_curvature(&step, &local, N);
  if (hop->dependent) add_hessian(m, w, hop, &step, &local, part, dq);
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &m->col[k];
    double along[MAGNUS_PARTS];  // Σ_p weight_p N[p][·]
    for (int q = 0; q < 6 * hop->nodes; q++) {
      if (!(hop->modes >> q % 6 & 1)) continue;
      along[q] = 0;
      for (int n = 0; n < hop->nodes; n++)
        along[q] += w->num[c->weight + n] * N[6 * n + c->part][q];
    }
    for (int l = hop->col; l < hop->col + hop->nv; l++) {
      const model_col* e = &m->col[l];
      for (int n = 0; n < hop->nodes; n++)
        dq[part_row(part, e->v) * part->n + part_row(part, c->v)] +=
            w->num[e->weight + n] * along[6 * n + e->part];
    }
  }
}
