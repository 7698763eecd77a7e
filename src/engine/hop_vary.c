// Contributions of hops and fixed transformations to the changes along a direction (direction.h).
#include <math.h>

#include "engine/adjoint.h"
#include "engine/hop.h"
#include "model/fix_pose.h"

// ---- fixed transformations --------------------------------------------------------------------

vec3 td_unit_change(const td_work* w, num slots, vec3 n) {
  const vec3 d = vec3_of(w->dnum + slots);
  return vec3_scale(1 / vec3_norm(vec3_of(w->num + slots)), vec3_axpy(-vec3_dot(n, d), n, d));
}

// 2 vec(δQ Q⁻¹) of a quaternion that is normalised afterwards: its length does not matter.
static vec3 turn_of(quat q, quat dq) {
  const double square = q.w * q.w + vec3_dot(q.v, q.v);
  return vec3_scale(2 / square, quat_mul(dq, quat_conj(q)).v);
}

// Turn, in the axes before it, of a fixed rotation whose numbers x change by d.
static vec3 rotation_change(const model_fix* f, const double* x, const double* d) {
  switch (f->kind) {
    case ROT_NONE:
      break;
    case ROT_PRINCIPAL:
      return vec3_scale(d[0], vec3_axis(f->axis));
    case ROT_EULER_BERNOULLI:
      return turn_of((quat){1, vec3_scale(0.5, vec3_of(x))},
                     (quat){0, vec3_scale(0.5, vec3_of(d))});
    case ROT_ANGLE_AXIS: {
      const double n = vec3_norm(vec3_of(x + 1)), s = sin(0.5 * x[0]), c = cos(0.5 * x[0]);
      if (!(n > 0)) break;
      const vec3 a = vec3_scale(1 / n, vec3_of(x + 1));
      const vec3 da = vec3_scale(1 / n, vec3_axpy(-vec3_dot(a, vec3_of(d + 1)), a, vec3_of(d + 1)));
      return turn_of((quat){c, vec3_scale(s, a)},
                     (quat){-0.5 * s * d[0], vec3_axpy(0.5 * c * d[0], a, vec3_scale(s, da))});
    }
    case ROT_QUATERNION:
      return turn_of((quat){x[0], vec3_of(x + 1)}, (quat){d[0], vec3_of(d + 1)});
    case ROT_UNIT_VECTOR: {
      const vec3 v = vec3_of(x), dv = vec3_of(d);
      const double rest = 1 - vec3_dot(v, v);
      const quat q = {sqrt(fmax(0, rest)), v};
      return turn_of(q, (quat){rest > 0 ? -vec3_dot(v, dv) / q.w : 0, dv});
    }
  }
  return (vec3){0, 0, 0};
}

static pose fix_pose(const td_work* w, const model_fix* f) {
  return (pose){fix_rotation(f, f->rot == NUM_NONE ? NULL : w->num + f->rot),
                vec3_of(w->num + f->trans)};
}

// Sum the twists of the transformations, each carried into the frame before the first.  Only
// numbers change, nothing moves.
spatial td_fix_change(const td_model* m, const td_work* w, int fix, int nfix) {
  spatial sum = spatial_zero();
  pose g = pose_identity();
  for (int i = fix; i < fix + nfix; i++) {
    const model_fix* f = &m->fix[i];
    const vec3 turn = f->rot == NUM_NONE ? (vec3){0, 0, 0}
                                         : rotation_change(f, w->num + f->rot, w->dnum + f->rot);
    const vec3 p = vec3_of(w->num + f->trans), dp = vec3_of(w->dnum + f->trans);
    const spatial own = spatial_of(vec3_sub(dp, vec3_cross(turn, p)), turn);
    sum = spatial_add(sum, twist_out(&g, &own));
    if (i + 1 < fix + nfix) g = pose_mul(g, fix_pose(w, f));
  }
  return sum;
}

// The adjoint of a turn goes to the numbers of its rotation one by one.
void td_fix_reverse(const td_model* m, const td_work* w, int fix, int nfix, const spatial* bar,
                    adjoint* b) {
  static const int numbers[] = {
      [ROT_NONE] = 0,       [ROT_PRINCIPAL] = 1,  [ROT_EULER_BERNOULLI] = 3,
      [ROT_ANGLE_AXIS] = 4, [ROT_QUATERNION] = 4, [ROT_UNIT_VECTOR] = 3};
  pose g = pose_identity();
  for (int i = fix; i < fix + nfix; i++) {
    const model_fix* f = &m->fix[i];
    const spatial own = wrench_in(&g, bar);
    const vec3 p = vec3_of(w->num + f->trans),
               turn = vec3_sub(spatial_r(&own), vec3_cross(p, spatial_t(&own)));
    add3(b->n + f->trans, spatial_t(&own));
    for (int k = 0; f->rot != NUM_NONE && k < numbers[f->kind]; k++) {
      const double unit[4] = {k == 0, k == 1, k == 2, k == 3};
      b->n[f->rot + k] += vec3_dot(turn, rotation_change(f, w->num + f->rot, unit));
    }
    if (i + 1 < fix + nfix) g = pose_mul(g, fix_pose(w, f));
  }
}

spatial td_station_change(const td_model* m, const td_work* w, int station) {
  const model_station* s = &m->station[station];
  if (s->nfix == 0) return spatial_zero();
  const spatial own = td_fix_change(m, w, s->fix, s->nfix);
  return s->hop < 0 ? own : twist_out(&w->hop[s->hop].g, &own);
}

// ---- hops -------------------------------------------------------------------------------------

// True when a hop adds nothing.
static bool is_none(const twist_series* s) {
  double sum = 0;
  for (int i = 0; i < 6; i++) sum += fabs(s->x.a[i]) + fabs(s->d.a[i]) + fabs(s->dd.a[i]);
  return sum == 0;
}

static spatial ground_acceleration(const td_work* w) {
  return spatial_of(w->ground, (vec3){0, 0, 0});
}

// X, U, Z of a twist series seen from a frame with the twist V and the acceleration A.
static void carry(const pose* g, const spatial* V, const spatial* A, const twist_series* s,
                  hop_change* sum) {
  const spatial X = twist_out(g, &s->x), d = twist_out(g, &s->d), dd = twist_out(g, &s->dd);
  const spatial VX = spatial_cross(V, &X), U = spatial_add(VX, d);
  const spatial both = spatial_add(U, d);  // V × X + 2 Ad ε̇
  sum->X = spatial_add(sum->X, X);
  sum->U = spatial_add(sum->U, U);
  sum->Z = spatial_add(sum->Z,
                       spatial_add(dd, spatial_add(spatial_cross(A, &X), spatial_cross(V, &both))));
}

// Add the change of hop i (its fixed transformations, then its own series) to that of its parent,
// and store the sum in d->hop[i].  Without a parent the ground's change is that of gravity.
void td_vary_put(const td_model* m, td_work* w, int i, const direction* d,
                 const twist_series* own) {
  const model_hop* hop = &m->hop[i];
  const int parent = hop->parent;
  const spatial still = spatial_zero(), base = ground_acceleration(w);
  const spatial *V = parent < 0 ? &still : &w->hop[parent].V,
                *A = parent < 0 ? &base : &w->hop[parent].A;
  const pose before = parent < 0 ? pose_identity() : w->hop[parent].g;
  hop_change sum = {still, still, still};
  if (parent >= 0) {
    sum = d->hop[parent];
  } else {  // the ground's acceleration stands for gravity
    const double up = d->gravity ? -w->load : 0;
    sum.Z = spatial_of(vec3_scale(up, vec3_of(w->dnum + m->gravity)), (vec3){0, 0, 0});
  }
  if (hop->nfix > 0) {
    const twist_series fixed = {td_fix_change(m, w, hop->fix, hop->nfix), still, still};
    carry(&before, V, A, &fixed, &sum);
  }
  if (!is_none(own)) {
    const pose g = pose_mul(before, w->hop_fix[i]);
    carry(&g, V, A, own, &sum);
  }
  d->hop[i] = sum;
}

void td_vary_by(const td_model* m, td_work* w, int first, int end, const direction* d,
                hop_series series) {
  const hop_rates r = {w->v, d->accel, d->q, d->v, d->a};
  for (int i = first; i < end; i++) {
    twist_series own;
    series(m, w, i, &r, &own);
    td_vary_put(m, w, i, d, &own);
  }
}

// Add F · dS_k for each DOF of the hops first .. end-1 to out: dS_k is the rate part of the hop's
// series for a unit velocity of that DOF and the position changes of d.
void td_vary_forces_by(const td_model* m, td_work* w, int first, int end, const direction* d,
                       hop_series series, double* out) {
  const hop_rates r = {d->unit, d->none, d->q, d->none, d->none};
  for (int i = first; i < end; i++) {
    const model_hop* hop = &m->hop[i];
    const pose g = pose_before(m, w, i);
    for (int k = hop->col; k < hop->col + hop->nv; k++) {
      const int v = m->col[k].v;
      bool done = false;  // columns of one DOF are taken at once
      for (int l = hop->col; l < k; l++) done = done || m->col[l].v == v;
      if (done) continue;
      twist_series s;
      d->unit[v] = 1;
      series(m, w, i, &r, &s);
      d->unit[v] = 0;
      const spatial turned = twist_out(&g, &s.d);
      out[v] += spatial_dot(&turned, &w->hop[i].F);
    }
  }
}

// dy[0], dy[1], dy[2]: changes of the three numbers, their rates and accelerations, by the columns'
// weights and by changes of these weights.
void td_chart_change(const td_model* m, const td_work* w, const model_hop* hop, const hop_rates* r,
                     vec3 dy[3]) {
  double x[3] = {0, 0, 0}, x1[3] = {0, 0, 0}, x2[3] = {0, 0, 0};
  for (int c = 0; c < 3; c++) x[c] = w->dnum[hop->value + c];
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &m->col[k];
    const double weight = w->col_weight[k], change = c->weight == NUM_NONE ? 0 : w->dnum[c->weight];
    x[c->part] += weight * r->q_change[c->v] + change * w->q[c->q];
    x1[c->part] += weight * r->v_change[c->v] + change * r->v[c->v];
    x2[c->part] += weight * r->a_change[c->v] + change * r->a[c->v];
  }
  dy[0] = vec3_of(x);
  dy[1] = vec3_of(x1);
  dy[2] = vec3_of(x2);
}

// Turn and displacement with first and second rates along the motion, by the product rule on the
// formula in direction.h.
void td_axis_series(const axis_motion* x, int v, const hop_rates* r, twist_series* out) {
  const double q[3] = {x->q, r->v[v], r->a[v]},
               dq[3] = {r->q_change[v], r->v_change[v], r->a_change[v]};
  const vec3 n = x->axis, dn = x->turned, across = vec3_cross(n, dn);
  const double s = sin(q[0]), c = cos(q[0]);
  // sin q and 1 - cos q with their rates
  const double sine[3] = {s, c * q[1], c * q[2] - s * q[1] * q[1]},
               rest[3] = {1 - c, s * q[1], s * q[2] + c * q[1] * q[1]};

  // ε_r, p and δp, each as [value, rate, second rate]
  vec3 turn[3], p[3], dp[3], arm[3];
  for (int k = 0; k < 3; k++) {
    turn[k] = (vec3){0, 0, 0};
    if (x->turns)
      turn[k] = vec3_axpy(dq[k], n, vec3_axpy(sine[k], dn, vec3_scale(rest[k], across)));
    p[k] = vec3_scale(x->lead * q[k], n);
    dp[k] = vec3_axpy(x->lead_change * q[k] + x->lead * dq[k], n, vec3_scale(x->lead * q[k], dn));
  }

  // ε_t = δp - ε_r × p
  series_cross(turn, p, arm);
  out->x = spatial_of(vec3_sub(dp[0], arm[0]), turn[0]);
  out->d = spatial_of(vec3_sub(dp[1], arm[1]), turn[1]);
  out->dd = spatial_of(vec3_sub(dp[2], arm[2]), turn[2]);
}

// ---- inertia ----------------------------------------------------------------------------------

inertia td_body_change(const td_work* w, num mass, num com, num I, bool symmetric) {
  const double m = w->num[mass], dm = w->dnum[mass];
  const vec3 c = vec3_of(w->num + com), dc = vec3_of(w->dnum + com);
  mat3 dI;
  for (int k = 0; k < 9; k++)
    dI.m[k] =
        symmetric ? 0.5 * (w->dnum[I + k] + w->dnum[I + 3 * (k % 3) + k / 3]) : w->dnum[I + k];
  // m (|c|² 1 - c cᵀ)
  const mat3 cross = mat3_add(mat3_outer(c, dc), mat3_outer(dc, c));
  mat3 point = mat3_add(inertia_point(dm, c), mat3_scale(-m, cross));
  for (int k = 0; k < 9; k += 4) point.m[k] += 2 * m * vec3_dot(c, dc);
  return (inertia){dm, vec3_axpy(m, dc, vec3_scale(dm, c)), mat3_add(dI, point)};
}

inertia td_inertia_turning(const inertia* I, const spatial* X) {
  const vec3 t = spatial_t(X), r = spatial_r(X);
  const mat3 W = mat3_mul(mat3_skew(r), I->I);
  mat3 d = mat3_add(W, mat3_transpose(W));  // [r]× I - I [r]×, I symmetric
  d = mat3_add(d, mat3_scale(-1, mat3_add(mat3_outer(I->mc, t), mat3_outer(t, I->mc))));
  for (int k = 0; k < 9; k += 4) d.m[k] += 2 * vec3_dot(I->mc, t);
  return (inertia){0, vec3_axpy(I->m, t, vec3_cross(r, I->mc)), d};
}

// Call `each` for every body and lump that moves, with the change of its inertia in world axes: by
// its own numbers, and by the change of the transformations between hop and station.
void td_each_body_change(const td_model* m, const td_work* w,
                         void (*each)(void* ctx, int hop, const inertia* change), void* ctx) {
  for (int i = 0; i < m->nbody + m->nlump; i++) {
    const bool body = i < m->nbody;
    const model_lump* l = body ? NULL : &m->lump[i - m->nbody];
    const int station = body ? m->body[i].station : l->station, hop = m->station[station].hop;
    if (hop < 0) continue;
    const num mass = body ? m->body[i].m : l->m, com = body ? m->body[i].com : l->com,
              I = body ? m->body[i].I : l->I;
    const pose g = pose_mul(w->hop[hop].g, w->station_fix[station]);
    inertia sum = inertia_move(g, td_body_change(w, mass, com, I, body));
    if (m->station[station].nfix > 0) {
      mat3 own;
      for (int k = 0; k < 9; k++)
        own.m[k] = body ? 0.5 * (w->num[I + k] + w->num[I + 3 * (k % 3) + k / 3]) : w->num[I + k];
      const inertia at = inertia_move(g, inertia_body(w->num[mass], vec3_of(w->num + com), own));
      const spatial X = td_station_change(m, w, station);
      sum = inertia_add(sum, td_inertia_turning(&at, &X));
    }
    each(ctx, hop, &sum);
  }
}
