// Rotation by a unit quaternion with the angular velocity in the body's axes:  Q' = Q ∘ [0, ω] / 2.
#include "engine/adjoint.h"
#include "engine/hop.h"
#include "engine/hop_rotation.h"

static void place(const td_model* m, td_work* w, int first, int end) {
  for (int i = first; i < end; i++) {
    const model_hop* hop = &m->hop[i];
    const double* q = w->q + hop->q;
    pose g = pose_before(m, w, i);
    g.R = mat3_mul(g.R, mat3_quat(quat_unit((quat){q[0], vec3_of(q + 1)})));
    spatial part[3];
    for (int k = 0; k < 3; k++) part[k] = spatial_rotation(g.p, mat3_col(g.R, k));
    const spatial Sv = put_columns(m, w, hop, part);
    put_hop(m, w, i, &g, &Sv, NULL);
  }
}

static void columns(const td_model* m, td_work* w, int first, int end, const double* a,
                    bool of_rods) {
  (void)of_rods;
  for (int i = first; i < end; i++) {
    const model_hop* hop = &m->hop[i];
    turning t = {.T = mat3_identity()};
    t.w = vec3_of(w->v + hop->v);
    t.dw = vec3_of(a + hop->v);
    rotation_columns(m, w, i, &t);
  }
}

static void own(const td_model* m, const td_work* w, int i, const struct tangent_path* t,
                double* dq) {
  vec3 slope[3][3];
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++) slope[k][l] = vec3_cross(vec3_axis(k), vec3_axis(l));
  rotation_own(m, w, i, slope, t, dq);
}

// Twist of the hop along a direction with its rates, for the turn δθ in the body's axes:
// ε = R δθ,  ε̇ = R δω,  ε̈ = R (δω' + ω × δω).
static void series(const td_model* m, const td_work* w, int i, const hop_rates* r,
                   twist_series* out) {
  const model_hop* hop = &m->hop[i];
  const double* q = w->q + hop->q;
  const mat3 R = mat3_quat(quat_unit((quat){q[0], vec3_of(q + 1)}));
  const vec3 none = {0, 0, 0}, turn = vec3_of(r->q_change + hop->v),
             rate = vec3_of(r->v_change + hop->v);
  const vec3 faster =
      vec3_add(vec3_of(r->a_change + hop->v), vec3_cross(vec3_of(r->v + hop->v), rate));
  out->x = spatial_of(none, mat3_apply(R, turn));
  out->d = spatial_of(none, mat3_apply(R, rate));
  out->dd = spatial_of(none, mat3_apply(R, faster));
}

static void vary(const td_model* m, td_work* w, int first, int end, const struct direction* d) {
  td_vary_by(m, w, first, end, d, series);
}

static void vary_forces(const td_model* m, td_work* w, int first, int end,
                        const struct direction* d, double* out) {
  td_vary_forces_by(m, w, first, end, d, series, out);
}

// Its columns turn with its frame alone: there are no adjoints of its own forces.
static void reverse(const td_model* m, td_work* w, int first, int end, struct adjoint* b) {
  for (int i = end - 1; i >= first; i--) {
    const model_hop* hop = &m->hop[i];
    const double* q = w->q + hop->q;
    const mat3 R = mat3_quat(quat_unit((quat){q[0], vec3_of(q + 1)}));
    const twist_series bar = td_reverse_take(m, w, i, b);
    const vec3 faster = mat3_apply_t(R, spatial_r(&bar.dd)),
               rate = mat3_apply_t(R, spatial_r(&bar.d));
    add3(b->q + hop->v, mat3_apply_t(R, spatial_r(&bar.x)));
    add3(b->v + hop->v, vec3_add(rate, vec3_cross(faster, vec3_of(w->v + hop->v))));
    add3(b->a + hop->v, faster);
  }
}

static void rate(const double* q, const double* v, double* qdot) {
  const quat r = quat_mul((quat){q[0], vec3_of(q + 1)}, (quat){0, vec3_scale(0.5, vec3_of(v))});
  qdot[0] = r.w;
  vec3_put(qdot + 1, r.v);
}

static void displace(double* q, const double* dv) {
  const quat r = quat_unit(quat_mul((quat){q[0], vec3_of(q + 1)}, quat_exp(vec3_of(dv))));
  q[0] = r.w;
  vec3_put(q + 1, r.v);
}

const hop_ops td_hop_ball = {.place = place,
                             .columns = columns,
                             .own = own,
                             .vary = vary,
                             .vary_forces = vary_forces,
                             .reverse = reverse,
                             .rate = rate,
                             .displace = displace};
