// A hand that pulls at the robot: a spring of no length and a damper between a point of a station
// and a place in the world,
//
//   F = k (target - p) - c p'          p = x + R s,   p' = v + w × R s
#include "engine/adjoint.h"
#include "engine/force.h"
#include "engine/stages.h"

typedef struct grip {
  vec3 r, p, v;  // arm R s, place and velocity of the point
  vec3 w;        // angular velocity of the station
} grip;

static grip grip_at(const td_model* m, const td_work* w) {
  const frame f = td_frame(m, w, w->pull.station);
  const vec3 r = mat3_apply(f.R, w->pull.point);
  return (grip){r, vec3_add(f.p, r), vec3_add(f.v, vec3_cross(f.w, r)), f.w};
}

static vec3 pull_at(const td_work* w, const grip* g) {
  return vec3_axpy(-w->pull.c, g->v, vec3_scale(w->pull.k, vec3_sub(w->pull.target, g->p)));
}

static void add(const td_model* m, td_work* w, int which) {
  if (!w->pull.on || !(which & FORCES_ACTIVE)) return;
  const int hop = m->station[w->pull.station].hop;
  if (hop < 0) return;
  const grip g = grip_at(m, w);
  const vec3 none = {0, 0, 0};
  w->hop[hop].f = spatial_add(w->hop[hop].f, spatial_force(g.p, pull_at(w, &g), none));
}

static void diff(const td_model* m, td_work* w, int col, bool rate, spatial* df) {
  if (!w->pull.on || (col < 0 && col != ALONG)) return;
  const int hop = m->station[w->pull.station].hop;
  if (hop < 0) return;
  const grip g = grip_at(m, w);
  const frame_change d = td_frame_change(m, w, w->pull.station, col, rate);
  const vec3 dr = vec3_cross(d.turn, g.r), dp = vec3_add(d.p, dr);
  const vec3 dv = vec3_add(d.v, vec3_add(vec3_cross(d.w, g.r), vec3_cross(g.w, dr)));
  const vec3 F = pull_at(w, &g), dF = vec3_axpy(-w->pull.c, dv, vec3_scale(-w->pull.k, dp));
  const vec3 moment = vec3_add(vec3_cross(g.p, dF), vec3_cross(dp, F));
  df[hop] = spatial_add(df[hop], spatial_of(dF, moment));
}

// δF = -c δp' - k δp with δp = δx + δθ × r and δp' = δv + δw × r + w × (δθ × r).
static void reverse(const td_model* m, td_work* w, struct adjoint* b) {
  if (!w->pull.on || m->station[w->pull.station].hop < 0) return;
  const grip g = grip_at(m, w);
  const spatial y = wrench_weight(m, w->pull.station, b);
  const vec3 F = pull_at(w, &g), bar = twist_at(&y, g.p), v = vec3_scale(-w->pull.c, bar);
  const vec3 p = vec3_axpy(-w->pull.k, bar, vec3_cross(F, spatial_r(&y)));
  const vec3 r = vec3_add(p, vec3_cross(v, g.w));
  const frame_change at = {.p = p, .turn = vec3_cross(g.r, r), .v = v, .w = vec3_cross(g.r, v)};
  td_frame_reverse(m, w, w->pull.station, &at, b);
}

static double power(const td_model* m, const td_work* w, bool known) {
  (void)known;
  if (!w->pull.on) return 0;
  const grip g = grip_at(m, w);
  return vec3_dot(pull_at(w, &g), g.v);
}

static bool all_finite(const double* x) {
  return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

// Store the pull in the work; any earlier pull ends, also after a refusal.
td_status td_work_pull(const td_model* m, td_work* w, int station, const double point[3],
                       const double target[3], double stiffness, double damping) {
  if (!model_works(m, w) || (station >= 0 && (!point || !target))) return TD_E_USAGE;
  w->pull.on = false;
  if (station < 0) return TD_OK;
  const bool sensible = isfinite(stiffness) && stiffness >= 0 && isfinite(damping) && damping >= 0;
  if (station >= m->nstation || !sensible || !all_finite(point) || !all_finite(target))
    return TD_E_USAGE;
  w->pull.on = true;
  w->pull.station = station;
  w->pull.point = vec3_of(point);
  w->pull.target = vec3_of(target);
  w->pull.k = stiffness;
  w->pull.c = damping;
  return TD_OK;
}

// ---- the tables -------------------------------------------------------------------------------

static bool sweeps(const td_model* m, const td_work* w) { return (void)m, w->pull.on; }

const force_ops td_force_hand = {.prepare = td_no_prepare,
                                 .prepare_diff = td_no_prepare_diff,
                                 .prepare_reverse = td_no_prepare_reverse,
                                 .add = add,
                                 .energy = td_no_energy,
                                 .energy_diff = td_no_energy_diff,
                                 .power = power,
                                 .tangent = td_no_tangent,
                                 .blocks = td_no_blocks,
                                 .has_potential = td_always_potential,
                                 .has_power_dampers = td_no_power_dampers,
                                 .has_driving_dampers = td_no_driving_dampers,
                                 .switches = td_no_switches,
                                 .switch_values = td_no_switch_values};
const whole_ops td_whole_hand = {.diff = diff, .reverse = reverse, .sweeps = sweeps};
