// Magnetic dipoles in a uniform field: with the moment m in the axes R of station b and the field B
// of the world, slots [m B],
//
//   torque T = R m × B,   energy -R m · B,   δT = (δθ × R m) × B  for a turn δθ of the station.
#include "engine/force.h"
#include "engine/stages.h"

// Moment and field in the world, the field by the share that continuation has put on.
typedef struct dipole {
  vec3 m, B;
} dipole;

static dipole dipole_at(const td_work* w, const model_element* f, const mat3* R) {
  return (dipole){mat3_apply(*R, vec3_of(w->num + f->numbers)),
                  vec3_scale(w->load, vec3_of(w->num + f->numbers + 3))};
}

static dipole dipole_of(const td_model* m, const td_work* w, const model_element* f) {
  const frame b = td_frame(m, w, f->b);
  return dipole_at(w, f, &b.R);
}

static vec3 torque(dipole d) { return vec3_cross(d.m, d.B); }

static const vec3 none = {0, 0, 0};

static void add(const td_model* m, td_work* w, int which) {
  for (int i = 0; i < m->nmagnet && (which & FORCES_ACTIVE); i++) {
    const model_element* f = &m->magnet[i];
    force_on(m, w, f->b, spatial_of(none, torque(dipole_of(m, w, f))));
  }
}

static double energy(const td_model* m, const td_work* w) {
  double sum = 0;
  for (int i = 0; i < m->nmagnet; i++) {
    if (!m->magnet[i].potential) continue;
    const dipole d = dipole_of(m, w, &m->magnet[i]);
    sum -= vec3_dot(d.m, d.B);
  }
  return sum;
}

static double energy_diff(const td_model* m, const td_work* w, int col) {
  double sum = 0;
  for (int i = 0; i < m->nmagnet; i++) {
    const model_element* f = &m->magnet[i];
    if (!f->potential) continue;
    const frame_change db = td_frame_change(m, w, f->b, col, false);
    const dipole d = dipole_of(m, w, f);
    sum -= vec3_dot(db.turn, torque(d));
    if (!w->along) continue;
    const mat3 R = td_frame(m, w, f->b).R;
    sum -= vec3_dot(mat3_apply(R, vec3_of(w->dnum + f->numbers)), d.B) +
           w->load * vec3_dot(d.m, vec3_of(w->dnum + f->numbers + 3));
  }
  return sum;
}

static double power(const td_model* m, const td_work* w, bool known) {
  (void)known;
  double sum = 0;
  for (int i = 0; i < m->nmagnet; i++) {
    const model_element* f = &m->magnet[i];
    if (!f->potential) sum += vec3_dot(torque(dipole_of(m, w, f)), td_frame(m, w, f->b).w);
  }
  return sum;
}

// Add -dT/dθ of each dipole to the stiffness block of its hop.
static void blocks(const td_model* m, td_work* w) {
  for (int i = 0; i < m->nmagnet; i++) {
    const model_element* f = &m->magnet[i];
    const int hop = m->station[f->b].hop;
    if (hop < 0) continue;
    const dipole d = dipole_of(m, w, f);
    for (int j = 3; j < 6; j++) {  // moving it changes nothing
      const spatial e = spatial_unit(j);
      const vec3 dT = vec3_cross(vec3_cross(spatial_r(&e), d.m), d.B);
      spatial* K = &w->blocks[hop].K.col[j];
      *K = spatial_sub(*K, spatial_of(none, dT));
    }
  }
}

// ---- one by one -------------------------------------------------------------------------------

static force_reach reach(const td_model* m, int i) { return (void)m, (void)i, REACH_STATION; }

static bool is_damped(const td_model* m, const td_work* w, int i) {
  return (void)m, (void)w, (void)i, false;
}

static void linearise(const td_model* m, const td_work* w, int i, force_state* s) {
  s->F = none;
  s->T = torque(dipole_at(w, &m->magnet[i], &s->b.R));
}

static void diff(const td_model* m, const td_work* w, int i, const force_state* s,
                 const frame_change* da, const frame_change* db, spatial change[2]) {
  (void)da;
  const model_element* f = &m->magnet[i];
  const dipole d = dipole_at(w, f, &s->b.R);
  vec3 dm = vec3_cross(db->turn, d.m), dB = none;
  if (w->numbers_change) {
    dm = vec3_add(dm, mat3_apply(s->b.R, vec3_of(w->dnum + f->numbers)));
    dB = vec3_scale(w->load, vec3_of(w->dnum + f->numbers + 3));
  }
  change[0] = spatial_zero();
  change[1] = spatial_of(none, vec3_add(vec3_cross(dm, d.B), vec3_cross(d.m, dB)));
}

static void visit(const td_model* m, int i, const force_visitor* to) {
  to->station(to->ctx, m->magnet[i].b);
  to->numbers(to->ctx, m->magnet[i].numbers, 6);
}

static force_flaw flaw(const td_model* m, const td_work* w, int i) {
  for (int c = 0; c < 6; c++) {
    const double x = w->num[m->magnet[i].numbers + c];
    if (!isfinite(x)) return (force_flaw){c < 3 ? "moment" : "field", x};
  }
  return (force_flaw){NULL, 0};
}

static unsigned looks(const td_model* m, int i) { return (void)m, (void)i, 1u << LOOK_MOMENT; }

static force_arrow arrow(const td_model* m, const td_work* w, int i) {
  return (force_arrow){none, torque(dipole_of(m, w, &m->magnet[i]))};
}

const force_ops td_force_magnet = {.prepare = td_no_prepare,
                                   .prepare_diff = td_no_prepare_diff,
                                   .prepare_reverse = td_no_prepare_reverse,
                                   .add = add,
                                   .energy = energy,
                                   .energy_diff = energy_diff,
                                   .power = power,
                                   .tangent = td_no_tangent,
                                   .blocks = blocks,
                                   .has_potential = td_always_potential,
                                   .has_power_dampers = td_no_power_dampers,
                                   .has_driving_dampers = td_no_driving_dampers,
                                   .switches = td_no_switches,
                                   .switch_values = td_no_switch_values};
const element_ops td_element_magnet = {.reach = reach,
                                       .is_damped = is_damped,
                                       .linearise = linearise,
                                       .diff = diff,
                                       .numbers_diff = td_no_numbers_diff,
                                       .reverse = td_reverse_by_diff,
                                       .tangent = td_no_element_tangent,
                                       .visit = visit,
                                       .flaw = flaw,
                                       .is_link = td_no_link,
                                       .wrench = td_no_wrench,
                                       .looks = looks,
                                       .arrow = arrow};
