// A pin in a slot: its place is a curve g(q) in the frame before it, whose numbers [g g' g'' g''']
// the strain tape makes.  With R the axes before it,
//
//   S = R g',   rate of S v inside the hop R g'' v²
//
// and in the words of tangent.c  W = R g'' v,  B = R (g'' a + g''' v²) + V_p × W,
// Y = V_p × S + 2 R g'' v.  It moves and does not turn.
#include "engine/adjoint.h"
#include "engine/hop.h"
#include "engine/path.h"
#include "engine/stages.h"

// A derivative of the curve, times a factor, in the world.
static spatial along(const td_work* w, const model_hop* hop, const mat3* R, int order, double k) {
  const vec3 none = {0, 0, 0};
  return spatial_of(vec3_scale(k, mat3_apply(*R, vec3_of(w->num + hop->value + 3 * order))), none);
}

static void place(const td_model* m, td_work* w, int first, int end) {
  for (int i = first; i < end; i++) {
    const model_hop* hop = &m->hop[i];
    const double v = w->v[hop->v];
    pose g = pose_before(m, w, i);
    g.p = pose_apply(g, vec3_of(w->num + hop->value));
    w->col[hop->col].S = along(w, hop, &g.R, 1, 1);
    const spatial Sv = along(w, hop, &g.R, 1, v), own = along(w, hop, &g.R, 2, v * v);
    put_hop(m, w, i, &g, &Sv, &own);
  }
}

// Tangent vectors U, Z, X of the column at accelerations a, by the formulas of the file's head.
static void columns(const td_model* m, td_work* w, int first, int end, const double* a,
                    bool of_rods) {
  (void)of_rods;
  const spatial zero = spatial_zero();
  for (int i = first; i < end; i++) {
    const model_hop* hop = &m->hop[i];
    const hop_work* h = &w->hop[i];
    const mat3* R = &h->g.R;
    const double v = w->v[hop->v];
    const spatial* Vp = hop->parent < 0 ? &zero : &w->hop[hop->parent].V;
    const spatial *S = &w->col[hop->col].S, W = along(w, hop, R, 2, v);
    col_sum* c = sums_of_col(w, hop->col);

    const spatial SV = spatial_cross(S, &h->V), SA = spatial_cross(S, &h->A);
    c->U = spatial_sub(W, SV);
    const spatial bend = spatial_add(along(w, hop, R, 2, a[hop->v]), along(w, hop, R, 3, v * v));
    const spatial B = spatial_add(bend, spatial_cross(Vp, &W));
    c->Z = spatial_sub(spatial_sub(B, SA), spatial_cross(&c->U, &h->V));
    const spatial Y = spatial_add(spatial_cross(Vp, S), spatial_scale(2, W));
    c->X = spatial_sub(Y, SV);
  }
}

static void own(const td_model* m, const td_work* w, int i, const struct tangent_path* t,
                double* dq) {
  const tree_part* part = t->p.part;
  const model_hop* hop = &m->hop[i];
  const spatial F = spatial_sub(w->hop[i].F, sums_of_hop(w, i)->E);
  const spatial dS = along(w, hop, &w->hop[i].g.R, 2, 1);
  const int row = part_row(part, hop->v);
  dq[row * part->n + row] += spatial_dot(&dS, &F);
}

// Twist of the hop along a direction with its rates: δg, and the product rule on g' v and g' a +
// g'' v².  The changes of g, g' and g'' by coordinate and numbers are among w->dnum.
static void series(const td_model* m, const td_work* w, int i, const hop_rates* r,
                   twist_series* out) {
  const model_hop* hop = &m->hop[i];
  const vec3 none = {0, 0, 0};
  const double v = r->v[hop->v], a = r->a[hop->v], dv = r->v_change[hop->v];
  vec3 g[3], dg[3];
  for (int k = 0; k < 3; k++) {
    g[k] = vec3_of(w->num + hop->value + 3 * k);
    dg[k] = vec3_of(w->dnum + hop->value + 3 * k);
  }
  const vec3 faster = vec3_axpy(v * v, dg[2], vec3_axpy(a, dg[1], vec3_scale(2 * v * dv, g[2])));
  out->x = spatial_of(dg[0], none);
  out->d = spatial_of(vec3_axpy(v, dg[1], vec3_scale(dv, g[1])), none);
  out->dd = spatial_of(vec3_axpy(r->a_change[hop->v], g[1], faster), none);
}

static void vary(const td_model* m, td_work* w, int first, int end, const struct direction* d) {
  td_vary_by(m, w, first, end, d, series);
}

static void vary_forces(const td_model* m, td_work* w, int first, int end,
                        const struct direction* d, double* out) {
  td_vary_forces_by(m, w, first, end, d, series, out);
}

static void reverse(const td_model* m, td_work* w, int first, int end, struct adjoint* b) {
  for (int i = end - 1; i >= first; i--) {
    const model_hop* hop = &m->hop[i];
    const twist_series bar = td_reverse_take(m, w, i, b);
    const spatial F = td_hop_wrench(m, w, i);
    const double v = w->v[hop->v], a = w->along->accel[hop->v];
    const vec3 g1 = vec3_of(w->num + hop->value + 3), g2 = vec3_of(w->num + hop->value + 6);
    const vec3 x = spatial_t(&bar.x), d = spatial_t(&bar.d), dd = spatial_t(&bar.dd);
    add3(b->n + hop->value, x);
    add3(b->n + hop->value + 3,
         vec3_axpy(v, d, vec3_axpy(a, dd, vec3_scale(b->F[hop->v], spatial_t(&F)))));
    add3(b->n + hop->value + 6, vec3_scale(v * v, dd));
    b->v[hop->v] += vec3_dot(g1, d) + 2 * v * vec3_dot(g2, dd);
    b->a[hop->v] += vec3_dot(g1, dd);
  }
}

const hop_ops td_hop_slot = {.place = place,
                             .columns = columns,
                             .own = own,
                             .vary = vary,
                             .vary_forces = vary_forces,
                             .reverse = reverse,
                             .rate = td_plain_rate,
                             .displace = td_plain_displace};
