// Transposes of hop_vary.c: what the adjoints of X, U, Z give to the coordinates, to the numbers of
// hops, stations and masses, and to the hops before them.
//
// A hop adds  X = Ad ε,  U = V × X + Ad ε̇,  Z = A × X + V × (U + Ad ε̇) + Ad ε̈  (direction.h), so
// that with  D = Ū - V ×* Z̄
//
//   ε̄ = Adᵀ (X̄ - A ×* Z̄ - V ×* D)      ε̇̄ = Adᵀ (D - V ×* Z̄)      ε̈̄ = Adᵀ Z̄
#include "engine/adjoint.h"
#include "engine/hop.h"

// ---- frames -----------------------------------------------------------------------------------

void td_station_reverse(const td_model* m, const td_work* w, int station, const spatial* bar,
                        adjoint* b) {
  const model_station* s = &m->station[station];
  if (s->nfix == 0) return;
  const spatial own = s->hop < 0 ? *bar : wrench_in(&w->hop[s->hop].g, bar);
  td_fix_reverse(m, w, s->fix, s->nfix, &own, b);
}

void td_unit_reverse(const td_work* w, num slots, vec3 n, vec3 bar, adjoint* b) {
  const double size = vec3_norm(vec3_of(w->num + slots));
  add3(b->n + slots, vec3_scale(1 / size, vec3_axpy(-vec3_dot(n, bar), n, bar)));
}

// ---- hops -------------------------------------------------------------------------------------

// Transpose of carry() of hop_vary.c.
static twist_series put_down(const pose* g, const spatial* V, const spatial* A,
                             const hop_change* bar) {
  const spatial VZ = spatial_cross_force(V, &bar->Z), D = spatial_sub(bar->U, VZ);
  const spatial AZ = spatial_cross_force(A, &bar->Z), VD = spatial_cross_force(V, &D);
  const spatial x = spatial_sub(bar->X, spatial_add(AZ, VD)), d = spatial_sub(D, VZ);
  return (twist_series){wrench_in(g, &x), wrench_in(g, &d), wrench_in(g, &bar->Z)};
}

twist_series td_reverse_take(const td_model* m, const td_work* w, int i, adjoint* b) {
  const model_hop* hop = &m->hop[i];
  const int parent = hop->parent;
  const spatial still = spatial_zero(), base = spatial_of(w->ground, (vec3){0, 0, 0});
  const spatial *V = parent < 0 ? &still : &w->hop[parent].V,
                *A = parent < 0 ? &base : &w->hop[parent].A;
  const pose before = parent < 0 ? pose_identity() : w->hop[parent].g;
  const hop_change* bar = &b->hop[i];
  if (parent >= 0) {
    hop_change* to = &b->hop[parent];
    to->X = spatial_add(to->X, bar->X);
    to->U = spatial_add(to->U, bar->U);
    to->Z = spatial_add(to->Z, bar->Z);
  }
  if (hop->nfix > 0) {
    const twist_series fixed = put_down(&before, V, A, bar);
    td_fix_reverse(m, w, hop->fix, hop->nfix, &fixed.x, b);
  }
  const pose g = pose_mul(before, w->hop_fix[i]);
  return put_down(&g, V, A, bar);
}

spatial td_hop_wrench(const td_model* m, const td_work* w, int i) {
  const pose g = pose_before(m, w, i);
  return wrench_in(&g, &w->hop[i].F);
}

void td_axis_reverse(const td_model* m, const td_work* w, int i, const axis_motion* x,
                     const twist_series* bar, adjoint* b, double* lead) {
  const int at = m->col[m->hop[i].col].v;
  const vec3 n = x->axis;
  const spatial none = spatial_zero(), F = td_hop_wrench(m, w, i);
  const twist_series forces = {none, F, none};  // F · Ad ∂ε/∂q, whose rate is F̄
  vec3 turned = {0, 0, 0};

  for (int pass = 0; pass < (b->F[at] == 0 ? 1 : 2); pass++) {
    const twist_series* s = pass == 0 ? bar : &forces;
    const double q[3] = {x->q, pass == 0 ? w->v[at] : b->F[at],
                         pass == 0 ? w->along->accel[at] : 0};
    const double sine = sin(q[0]), cosine = cos(q[0]);
    const double turns[3] = {sine, cosine * q[1], cosine * q[2] - sine * q[1] * q[1]},
                 rest[3] = {1 - cosine, sine * q[1], sine * q[2] + cosine * q[1] * q[1]};
    const vec3 t[3] = {spatial_t(&s->x), spatial_t(&s->d), spatial_t(&s->dd)};
    vec3 r[3] = {spatial_r(&s->x), spatial_r(&s->d), spatial_r(&s->dd)};
    double dq[3];

    // ε_t = δp - ε_r × p with p = lead q n
    const double p[3] = {x->lead * q[0], x->lead * q[1], x->lead * q[2]};
    const vec3 nt[3] = {vec3_cross(n, t[0]), vec3_cross(n, t[1]), vec3_cross(n, t[2])};
    r[0] = vec3_axpy(-p[0], nt[0], vec3_axpy(-p[1], nt[1], vec3_axpy(-p[2], nt[2], r[0])));
    r[1] = vec3_axpy(-p[0], nt[1], vec3_axpy(-2 * p[1], nt[2], r[1]));
    r[2] = vec3_axpy(-p[0], nt[2], r[2]);

    for (int k = 0; k < 3; k++) {
      dq[k] = x->lead * vec3_dot(n, t[k]);
      *lead += q[k] * vec3_dot(n, t[k]);
      turned = vec3_axpy(p[k], t[k], turned);
      if (!x->turns) continue;
      dq[k] += vec3_dot(n, r[k]);
      turned = vec3_axpy(turns[k], r[k], vec3_axpy(rest[k], vec3_cross(r[k], n), turned));
    }
    b->q[at] += dq[0];
    if (pass == 0) b->v[at] += dq[1], b->a[at] += dq[2];
  }
  td_unit_reverse(w, m->hop[i].axis, n, turned, b);
}

void td_chart_reverse(const td_model* m, const td_work* w, int i, const vec3 dy[3], vec3 force,
                      adjoint* b) {
  const model_hop* hop = &m->hop[i];
  add3(b->n + hop->value, dy[0]);
  for (int k = hop->col; k < hop->col + hop->nv; k++) {
    const model_col* c = &m->col[k];
    const double weight = w->col_weight[k],
                 x[3] = {vec3_at(dy[0], c->part), vec3_at(dy[1], c->part), vec3_at(dy[2], c->part)};
    b->q[c->v] += weight * x[0];
    b->v[c->v] += weight * x[1];
    b->a[c->v] += weight * x[2];
    if (c->weight != NUM_NONE)
      b->n[c->weight] += x[0] * w->q[c->q] + x[1] * w->v[c->v] + x[2] * w->along->accel[c->v] +
                         vec3_at(force, c->part) * b->F[c->v];
  }
}

// ---- masses -----------------------------------------------------------------------------------

// a·δI b of an inertia (m, m c, I about the origin) as a function of δm, δc and δI about the centre
// of mass.
typedef struct inertia_weights {
  double m;
  vec3 mc;
  mat3 I;
} inertia_weights;
static inertia_weights weights_of(const spatial* a, const spatial* b) {
  const vec3 at = spatial_t(a), ar = spatial_r(a), bt = spatial_t(b), br = spatial_r(b);
  return (inertia_weights){vec3_dot(at, bt), vec3_add(vec3_cross(at, br), vec3_cross(bt, ar)),
                           mat3_outer(ar, br)};
}

// A body's numbers, whose inertia is symmetric: of f = I A + V ×* I V the weighted change
// y·δf = y·δI A - (V × y)·δI V.
static void body_reverse(const td_model* m, const td_work* w, int station, num mass, num com, num I,
                         adjoint* b) {
  const int hop = m->station[station].hop;
  if (hop < 0) return;
  const hop_work* h = &w->hop[hop];
  const spatial y = spatial_scale(-1, b->f[hop]), z = spatial_cross(&h->V, &y);
  const pose g = pose_mul(h->g, w->station_fix[station]);

  // in the body's frame
  const spatial local[4] = {spatial_to_local(&g, &y), spatial_to_local(&g, &h->A),
                            spatial_to_local(&g, &z), spatial_to_local(&g, &h->V)};
  inertia_weights G = weights_of(&local[0], &local[1]);
  const inertia_weights back = weights_of(&local[2], &local[3]);
  G.m -= back.m;
  G.mc = vec3_sub(G.mc, back.mc);
  G.I = mat3_add(G.I, mat3_scale(-1, back.I));
  const double M = w->num[mass], trace = G.I.m[0] + G.I.m[4] + G.I.m[8];
  const vec3 c = vec3_of(w->num + com), Gc = mat3_apply(G.I, c), cG = mat3_apply_t(G.I, c);
  b->n[mass] += G.m + vec3_dot(G.mc, c) + trace * vec3_dot(c, c) - vec3_dot(c, Gc);
  add3(b->n + com, vec3_scale(M, vec3_sub(vec3_axpy(2 * trace, c, G.mc), vec3_add(Gc, cG))));
  for (int k = 0; k < 9; k++) b->n[I + k] += 0.5 * (G.I.m[k] + G.I.m[3 * (k % 3) + k / 3]);
  if (m->station[station].nfix == 0) return;

  // its station moves against the hop: δI = X ×* I - I X ×
  mat3 own;
  for (int k = 0; k < 9; k++) own.m[k] = 0.5 * (w->num[I + k] + w->num[I + 3 * (k % 3) + k / 3]);
  const inertia at = inertia_move(g, inertia_body(M, c, own));
  const spatial IA = inertia_apply(&at, &h->A), Iy = inertia_apply(&at, &y),
                IV = inertia_apply(&at, &h->V), Iz = inertia_apply(&at, &z);
  spatial X = spatial_add(spatial_cross_force(&z, &IV), spatial_cross_force(&h->V, &Iz));
  X = spatial_sub(X, spatial_cross_force(&y, &IA));
  X = spatial_sub(X, spatial_cross_force(&h->A, &Iy));
  td_station_reverse(m, w, station, &X, b);
}

// Transpose of inertial_changes() of residual_diff.c.
void td_masses_reverse(const td_model* m, const td_work* w, adjoint* b) {
  for (int i = 0; i < m->nhop; i++) {
    if (!w->hop_heavy[i]) continue;
    const hop_work* h = &w->hop[i];
    hop_change* c = &b->hop[i];
    const spatial y = spatial_scale(-1, b->f[i]), z = spatial_cross(&h->V, &y);
    const spatial IV = inertia_apply(&h->I, &h->V), IA = inertia_apply(&h->I, &h->A);
    const spatial f = spatial_add(IA, spatial_cross_force(&h->V, &IV));
    const spatial Iy = inertia_apply(&h->I, &y), Iz = inertia_apply(&h->I, &z);
    c->X = spatial_sub(c->X, spatial_cross_force(&y, &f));
    c->Z = spatial_add(c->Z, Iy);
    const spatial slower = spatial_add(spatial_cross_force(&y, &IV), Iz);
    c->U = spatial_add(c->U, spatial_sub(spatial_cross_force(&h->V, &Iy), slower));
  }
  for (int i = 0; i < m->nbody; i++)
    body_reverse(m, w, m->body[i].station, m->body[i].m, m->body[i].com, m->body[i].I, b);
  for (int i = 0; i < m->nlump; i++)
    body_reverse(m, w, m->lump[i].station, m->lump[i].m, m->lump[i].com, m->lump[i].I, b);
}
