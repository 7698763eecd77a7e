// Sensors: the variables that expressions read from the moving robot, their change along a degree
// of freedom, the live numbers that follow from them, and the model's outputs and events.
#include "engine/sensor_table.h"

#include <string.h>

#include "elem/link.h"
#include "engine/stages.h"

static vec3 probe_point(const td_work* w, const model_probe* p, const frame* f) {
  return p->point == NUM_NONE ? (vec3){0, 0, 0} : mat3_apply(f->R, vec3_of(w->num + p->point));
}

// Sum over the links of a joint of what they do to its second station, in the axes of its first.
static double joint_force(const td_model* m, td_work* w, const model_probe* p);
// ... and what the part of a rod beyond a section does to the part before, in the section's axes.
static double section_force(const td_model* m, const td_work* w, const model_probe* p);

static double place_value(const td_model* m, const td_work* w, const model_probe* p) {
  const frame f = td_frame(m, w, p->station);
  const vec3 s = probe_point(w, p, &f);
  const int c = p->component;
  switch (p->kind) {
    case SENSOR_POS:
      return vec3_at(vec3_add(f.p, s), c);
    case SENSOR_VEL:
      return vec3_at(vec3_add(f.v, vec3_cross(f.w, s)), c);
    case SENSOR_ACC:
      return vec3_at(
          vec3_add(f.a, vec3_add(vec3_cross(f.dw, s), vec3_cross(f.w, vec3_cross(f.w, s)))), c);
    case SENSOR_ROT:
      return f.R.m[3 * (c % 3) + c / 3];
    case SENSOR_QUAT: {
      const quat q = quat_mat3(f.R);
      return c == 0 ? q.w : vec3_at(q.v, c - 1);
    }
    default:
      return vec3_at(mat3_apply_t(f.R, f.w), c);  // SENSOR_OMEGA
  }
}

static double end_distance(const td_model* m, const td_work* w, const model_probe* p) {
  return vec3_norm(vec3_sub(td_frame(m, w, p->b).p, td_frame(m, w, p->a).p));
}

static double row_lambda(const td_model* m, const td_work* w, const model_probe* p) {
  double sum = 0;
  for (int i = 0; i < m->nrow; i++) {
    const model_row* r = &m->row[i];
    if (r->joint == p->joint && r->element == p->element && r->direction == p->component)
      sum += w->lambda[i];
  }
  return sum;
}

static double taut_tension(const td_model* m, const td_work* w, int cable) {
  return w->cable[cable].slack ? 0 : w->lambda[m->cable[cable].row];
}

// The pieces of a part of a rod between whose middles an arc length lies; near an end, the two
// nearest. NULL: there is only one.
static void neighbours(const td_model* m, const model_probe* p, const model_strain** first,
                       const model_strain** second) {
  *first = *second = NULL;
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    if (f->rod != p->rod || f->part != p->part) continue;
    const double d = fabs(f->arc - p->arc);
    if (!*first || d < fabs((*first)->arc - p->arc)) {
      *second = *first;
      *first = f;
    } else if (!*second || d < fabs((*second)->arc - p->arc)) {
      *second = f;
    }
  }
}

static void strains_or_change(const td_model* m, const td_work* w, const model_strain* f, int col,
                              double x[6]) {
  if (col < 0) {
    td_strains(m, w, f, x);
  } else {
    td_strains_change(m, w, f, col, x);
  }
}

// Strain component of a rod at an arc length, or its change along a column (col >= 0): linear
// between the middles of the segments, continued to the ends; polynomial rods have a point at every
// place that is asked for.
static double rod_strain(const td_model* m, const td_work* w, const model_probe* p, int col) {
  const model_strain *near, *next;
  neighbours(m, p, &near, &next);
  double x[6], y[6];
  strains_or_change(m, w, near, col, x);
  if (!next || near->arc == p->arc) return x[p->component];
  strains_or_change(m, w, next, col, y);
  const double s = (p->arc - near->arc) / (next->arc - near->arc);
  return (1 - s) * x[p->component] + s * y[p->component];
}

// Mean stretch strain of a rod, or its change along a column.
static double mean_stretch(const td_model* m, const td_work* w, const model_probe* p, int col) {
  double sum = 0;
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    if (f->rod != p->rod) continue;
    double x[6];
    strains_or_change(m, w, f, col, x);
    sum += x[2] * w->num[f->section + SECTION_LENGTH];
  }
  return sum / m->rod[p->rod - 1].length;
}

// ddof of the vector part of a unit quaternion: its rate, which is no coordinate's.
static const model_hop* turn_of(const td_model* m, const model_probe* p) {
  return &m->hop[m->pos[p->q].hop];
}

static bool shows_turn(const td_model* m, const model_probe* p) {
  return m->pos[p->q].hop >= 0 && turn_of(m, p)->vector;
}

// That rate with the quaternion Q, in which it is linear.
static double turn_rate(const td_model* m, const td_work* w, const model_probe* p,
                        const double* Q) {
  const model_hop* hop = turn_of(m, p);
  double rate[4];
  td_hop_rate(hop, Q, w->v + hop->v, rate);
  return rate[p->q - hop->q];
}

void td_probe_values(const td_model* m, td_work* w, unsigned depends) {
  for (int i = 0; i < m->nprobe; i++)
    if (m->probe[i].depends & depends)
      w->vars[m->probe[i].var] = td_sensor_ops[m->probe[i].kind]->value(m, w, i);
}

// ---- what a joint transmits -------------------------------------------------------------------

static double joint_force(const td_model* m, td_work* w, const model_probe* p) {
  const frame a = td_frame(m, w, p->a), b = td_frame(m, w, p->b);
  spatial f = spatial_zero();
  if (m->joint[p->joint - 1].main) {
    // everything the subtree beyond the joint needs: left in hop.F by the inverse dynamics
    const int hop = m->station[p->b].hop;
    if (hop >= 0) f = w->hop[hop].F;
  } else {
    f = td_link_wrench(m, w, p->joint, p->element);
  }
  const vec3 F = mat3_apply_t(a.R, spatial_t(&f));
  const vec3 T = mat3_apply_t(a.R, vec3_sub(spatial_r(&f), vec3_cross(b.p, spatial_t(&f))));
  return p->component < 3 ? vec3_at(F, p->component) : vec3_at(T, p->component - 3);
}

spatial td_rod_wrench(const td_model* m, const td_work* w, const model_probe* p) {
  spatial sum = spatial_zero();
  for (int i = p->share; i < p->share + p->nshare; i++) {
    const model_share* s = &m->share[i];
    sum = spatial_axpy(s->factor, s->hop >= 0 ? w->hop[s->hop].F : td_segment_link(m, w, s->strain),
                       sum);
  }
  return sum;
}

static double section_force(const td_model* m, const td_work* w, const model_probe* p) {
  const frame f = td_frame(m, w, p->station);
  const spatial on = td_rod_wrench(m, w, p);
  const vec3 F = mat3_apply_t(f.R, spatial_t(&on));
  const vec3 T = mat3_apply_t(f.R, vec3_sub(spatial_r(&on), vec3_cross(f.p, spatial_t(&on))));
  return p->component < 3 ? -vec3_at(F, p->component) : -vec3_at(T, p->component - 3);
}

// ---- changes ----------------------------------------------------------------------------------

double td_place_change(const td_model* m, const td_work* w, const model_probe* p, int col,
                       bool rate) {
  const frame f = td_frame(m, w, p->station);
  const frame_change d = td_frame_change(m, w, p->station, col, rate);
  const vec3 s = probe_point(w, p, &f), ds = vec3_cross(d.turn, s);
  const int c = p->component;
  switch (p->kind) {
    case SENSOR_POS:
      return vec3_at(vec3_add(d.p, ds), c);
    case SENSOR_VEL:
      return vec3_at(vec3_add(d.v, vec3_add(vec3_cross(d.w, s), vec3_cross(f.w, ds))), c);
    case SENSOR_ACC: {
      const vec3 ws = vec3_cross(f.w, s), dws = vec3_add(vec3_cross(d.w, s), vec3_cross(f.w, ds));
      vec3 x = vec3_add(d.a, vec3_add(vec3_cross(d.dw, s), vec3_cross(f.dw, ds)));
      x = vec3_add(x, vec3_add(vec3_cross(d.w, ws), vec3_cross(f.w, dws)));
      return vec3_at(x, c);
    }
    case SENSOR_ROT:
      return vec3_at(vec3_cross(d.turn, mat3_col(f.R, c / 3)), c % 3);
    case SENSOR_QUAT: {
      const quat half = {0, vec3_scale(0.5, d.turn)}, q = quat_mul(half, quat_mat3(f.R));
      return c == 0 ? q.w : vec3_at(q.v, c - 1);
    }
    default:
      return vec3_at(mat3_apply_t(f.R, vec3_sub(d.w, vec3_cross(d.turn, f.w))), c);
  }
}

// Change of coordinate q along the DOF of a column.
static double coordinate_change(const td_model* m, const td_work* w, int q, int col) {
  const model_col* c = &m->col[col];
  const model_hop* hop = &m->hop[c->hop];
  if (!c->first) return 0;
  if (!has_quaternion(hop)) return m->vel[c->v].partner == q;
  if (q < hop->q || q >= hop->q + hop->nq) return 0;
  double v[3] = {0, 0, 0}, qdot[4];
  v[c->v - hop->v] = 1;
  td_hop_rate(hop, w->q + hop->q, v, qdot);
  return qdot[q - hop->q];
}

// Of the rate of a vector part: along the velocity as its number along the DOF, along the DOF that
// of the changed quaternion.
static double turn_rate_change(const td_model* m, const td_work* w, const model_probe* p, int col,
                               bool rate) {
  if (rate) return coordinate_change(m, w, p->q, col);
  const model_hop* hop = turn_of(m, p);
  double dQ[4];
  for (int i = 0; i < hop->nq; i++) dQ[i] = coordinate_change(m, w, hop->q + i, col);
  return turn_rate(m, w, p, dQ);
}

// dE = (dE/dq) or (dE/dv) along a column: with h the momentum of what lies beyond, dT = h·U or h·S.
static double energy_change(const td_model* m, const td_work* w, int col, bool rate);

double td_probe_change(const td_model* m, const td_work* w, int probe, int col, bool rate) {
  return td_sensor_ops[m->probe[probe].kind]->diff(m, w, probe, col, rate);
}

static double motion_energy_change(const td_model* m, const td_work* w, int col, bool rate) {
  const model_col* c = &m->col[col];
  const spatial *S = &w->col[col].S, *U = &sums_of_col(w, col)->U;
  spatial momentum = spatial_zero(), weight = spatial_zero();
  const vec3 g = vec3_of(w->num + m->gravity);
  for (int i = c->hop; i <= m->hop[c->hop].last; i++) {
    if (!w->hop_heavy[i]) continue;
    momentum = spatial_add(momentum, inertia_apply(&w->hop[i].I, &w->hop[i].V));
    weight = spatial_add(weight,
                         spatial_of(vec3_scale(w->hop[i].I.m, g), vec3_cross(w->hop[i].I.mc, g)));
  }
  td_fluid_energy_change(m, w, c->hop, m->hop[c->hop].last, &momentum, &weight);
  if (rate) return spatial_dot(&momentum, S);
  return spatial_dot(&momentum, U) - spatial_dot(&weight, S);
}

static double energy_change(const td_model* m, const td_work* w, int col, bool rate) {
  double sum = rate ? 0 : td_elastic_change(m, w, col);
  for (int k = col; k >= 0; k = m->col[k].next) sum += motion_energy_change(m, w, k, rate);
  return sum;
}

// ---- the table --------------------------------------------------------------------------------

static double place_sensor(const td_model* m, td_work* w, int i) {
  return place_value(m, w, &m->probe[i]);
}
static double place_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  return td_place_change(m, w, &m->probe[i], col, rate);
}
static void place_visit(const model_probe* p, const sensor_visitor* to) {
  to->station(to->ctx, p->station);
}

static double length_sensor(const td_model* m, td_work* w, int i) {
  const model_probe* p = &m->probe[i];
  return p->cable > 0 ? td_cable_length(m, w, p->cable - 1) : end_distance(m, w, p);
}
static double distance_diff(const td_model* m, const td_work* w, const model_probe* p, int col,
                            bool rate) {
  const frame a = td_frame(m, w, p->a), b = td_frame(m, w, p->b);
  const frame_change da = td_frame_change(m, w, p->a, col, rate),
                     db = td_frame_change(m, w, p->b, col, rate);
  const axial x = axial_at(&a, &b);
  return td_axial_change(&x, &a, &b, &da, &db).L;
}
static double length_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  const model_probe* p = &m->probe[i];
  if (p->cable > 0) return rate ? 0 : td_cable_length_change(m, w, p->cable - 1, col);
  return distance_diff(m, w, p, col, rate);
}
static void ends_visit(const model_probe* p, const sensor_visitor* to) {
  if (p->rod > 0) {
    to->rod(to->ctx, p->rod);
    return;
  }
  to->station(to->ctx, p->a);
  to->station(to->ctx, p->b);
}

static double stretch_sensor(const td_model* m, td_work* w, int i) {
  const model_probe* p = &m->probe[i];
  return p->rod > 0 ? 1 + mean_stretch(m, w, p, -1) : end_distance(m, w, p) / w->length0[i];
}
static double stretch_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  const model_probe* p = &m->probe[i];
  if (p->rod > 0) return rate ? 0 : mean_stretch(m, w, p, col);
  return distance_diff(m, w, p, col, rate) / w->length0[i];
}

static double strain_sensor(const td_model* m, td_work* w, int i) {
  return rod_strain(m, w, &m->probe[i], -1);
}
static double strain_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  return rate ? 0 : rod_strain(m, w, &m->probe[i], col);
}
static void rod_visit(const model_probe* p, const sensor_visitor* to) { to->rod(to->ctx, p->rod); }

static double position_sensor(const td_model* m, td_work* w, int i) { return w->q[m->probe[i].q]; }
static double position_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  return rate ? 0 : coordinate_change(m, w, m->probe[i].q, col);
}
static void position_visit(const model_probe* p, const sensor_visitor* to) {
  to->position(to->ctx, p->q);
}

static double velocity_sensor(const td_model* m, td_work* w, int i) { return w->v[m->probe[i].v]; }
static double velocity_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  (void)w;
  return rate && m->col[col].first && m->col[col].v == m->probe[i].v;
}
static void velocity_visit(const model_probe* p, const sensor_visitor* to) {
  to->velocity(to->ctx, p->v);
}

static double dof_rate_sensor(const td_model* m, td_work* w, int i) {
  const model_probe* p = &m->probe[i];
  return shows_turn(m, p) ? turn_rate(m, w, p, w->q + turn_of(m, p)->q) : w->v[p->v];
}
static double dof_rate_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  const model_probe* p = &m->probe[i];
  return shows_turn(m, p) ? turn_rate_change(m, w, p, col, rate)
                          : velocity_diff(m, w, i, col, rate);
}

static double energy_sensor(const td_model* m, td_work* w, int i) {
  (void)i;
  const td_energies e = td_energies_at(m, w);
  return e.kinetic + e.elastic + e.gravity;
}
static double energy_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  (void)i;
  return energy_change(m, w, col, rate);
}

static double force_sensor(const td_model* m, td_work* w, int i) {
  return joint_force(m, w, &m->probe[i]);
}
static double wrench_sensor(const td_model* m, td_work* w, int i) {
  return section_force(m, w, &m->probe[i]);
}
static double lambda_sensor(const td_model* m, td_work* w, int i) {
  return row_lambda(m, w, &m->probe[i]);
}
static double tension_sensor(const td_model* m, td_work* w, int i) {
  const int cable = m->probe[i].cable - 1;
  if (m->cable[cable].row >= 0) return taut_tension(m, w, cable);
  td_cable_tensions(m, w);
  return w->cable[cable].tension;
}
static double transmitted_diff(const td_model* m, const td_work* w, int i, int col, bool rate) {
  return (void)m, (void)w, (void)i, (void)col, (void)rate, 0;
}
// Forces may not depend on these.
static void no_visit(const model_probe* p, const sensor_visitor* to) { (void)p, (void)to; }

#define PLACE place_sensor, place_diff, place_visit, false
const sensor_ops td_sensor_POS = {PLACE, false};
const sensor_ops td_sensor_ROT = {PLACE, false};
const sensor_ops td_sensor_QUAT = {PLACE, false};
const sensor_ops td_sensor_VEL = {PLACE, false};
const sensor_ops td_sensor_OMEGA = {PLACE, false};
const sensor_ops td_sensor_ACC = {PLACE, true};
const sensor_ops td_sensor_LENGTH = {length_sensor, length_diff, ends_visit, false, false};
const sensor_ops td_sensor_STRETCH = {stretch_sensor, stretch_diff, ends_visit, false, false};
const sensor_ops td_sensor_STRAIN = {strain_sensor, strain_diff, rod_visit, false, false};
const sensor_ops td_sensor_COORD = {position_sensor, position_diff, position_visit, false, false};
const sensor_ops td_sensor_DCOORD = {velocity_sensor, velocity_diff, velocity_visit, false, false};
const sensor_ops td_sensor_FORCE = {force_sensor, transmitted_diff, no_visit, true, true};
const sensor_ops td_sensor_WRENCH = {wrench_sensor, transmitted_diff, no_visit, true, true};
const sensor_ops td_sensor_LAMBDA = {lambda_sensor, transmitted_diff, no_visit, true, false};
const sensor_ops td_sensor_TENSION = {tension_sensor, transmitted_diff, no_visit, true, false};
const sensor_ops td_sensor_DOF = {position_sensor, position_diff, position_visit, false, false};
const sensor_ops td_sensor_DDOF = {dof_rate_sensor, dof_rate_diff, velocity_visit, false, false};
const sensor_ops td_sensor_ENERGY = {energy_sensor, energy_diff, no_visit, false, false};
const sensor_ops td_sensor_Q = {position_sensor, position_diff, position_visit, false, false};
const sensor_ops td_sensor_V = {velocity_sensor, velocity_diff, velocity_visit, false, false};
#undef PLACE

const sensor_ops* const td_sensor_ops[SENSOR_KIND_COUNT] = {
#define X(kind, ...) &td_sensor_##kind,
    TD_SENSOR_LIST(X)
#undef X
};

void td_number_changes(const td_model* m, td_work* w, int col, bool rate) {
  if (m->nlive_probe == 0) return;
  for (int i = 0; i < m->nlive_probe; i++) w->dnum[m->live_probe[i].target] = 0;
  w->numbers_change = false;
  if (col < 0) return;
  if (col == 0 && !rate) td_tape_eval(m->live_probe_tape, w->vars, w->scratch_tape, w->partial);
  double change = 0;
  for (int i = 0; i < m->nlive_probe; i++) {  // in the order of their probes
    const model_partial* p = &m->live_probe[i];
    if (i == 0 || p[-1].source != p->source) change = td_probe_change(m, w, p->source, col, rate);
    w->dnum[p->target] += w->partial[i] * change;
    if (change != 0) w->numbers_change = true;
  }
}

// ---- live numbers, outputs, events ------------------------------------------------------------

void td_numbers(const td_model* m, const td_state* state, td_work* w) {
  w->vars[m->time_var] = w->t;
  for (int i = 0; i < m->ninput; i++)
    w->vars[m->input[i].var] = state->u ? state->u[i] : m->input[i].value;
  for (int i = 0; i < m->ninternal; i++)
    w->vars[m->internal[i].var] = state->z ? state->z[i] : w->num[m->internal[i].init];
  if (m->nlive_slot == 0) return;
  td_probe_values(m, w, TD_ON_STATE | TD_ON_RATE);
  td_tape_eval(m->live_tape, w->vars, w->scratch_tape, w->partial);
  for (int i = 0; i < m->nlive_slot; i++) w->num[m->live_slot[i]] = w->partial[i];
  *w->found = (contact_found){.n = 0};
}

td_status td_probe_all(const td_model* m, const td_state* state, td_work* w, bool accelerations) {
  td_status status = TD_OK;
  if (accelerations) {
    status = td_trial_dynamics(m, state, w);
    td_forces(m, w, FORCES_ALL);
    if (m->nrow > 0) td_row_forces(m, w, w->lambda);
    const arena_mark mark = arena_open(&w->scratch);
    double* unused = arena_doubles(&w->scratch, m->nvel);
    td_accelerate(m, w, w->vdot, true);
    td_inverse(m, w, unused);
    td_accelerate(m, w, w->vdot, false);
    arena_close(&w->scratch, mark);
  } else {
    td_enter(m, state, w);
  }
  td_probe_values(m, w, TD_ON_STATE | TD_ON_RATE | (accelerations ? TD_ON_ACCEL : 0));
  return status;
}

// Whether accelerations of places or forces through joints are shown, and not multipliers alone.
static bool shows_motion(const td_model* m) {
  for (int i = 0; i < m->nprobe; i++)
    if (td_sensor_ops[m->probe[i].kind]->moved) return true;
  return false;
}

// Values alone, as far as they are needed.
static td_status look(const td_model* m, const td_state* state, td_work* w, bool accelerations) {
  if (!accelerations || shows_motion(m)) return td_probe_all(m, state, w, accelerations);
  const td_status status = td_trial_dynamics(m, state, w);
  td_probe_values(m, w, TD_ON_STATE | TD_ON_RATE | TD_ON_ACCEL);
  return status;
}

td_status td_trial_sensors(const td_model* m, const td_state* state, td_work* w, double* values) {
  if (!model_has(m, state, w) || (!values && m->noutput_name > 0)) return TD_E_USAGE;
  const td_status status = look(m, state, w, m->output_accel);
  td_tape_eval(m->output_tape, w->vars, w->scratch_tape, values);
  return status;
}

td_status td_sensors(const td_model* m, const td_state* state, td_work* w, double* values) {
  if (!model_owns(m, state) || !td_state_is_finite(m, state)) return TD_E_USAGE;
  return td_trial_sensors(m, state, w, values);
}

void td_event_values(const td_model* m, const td_state* state, td_work* w, double* values) {
  if (m->nevent == 0) return;
  look(m, state, w, m->event_accel);
  td_tape_eval(m->event_tape, w->vars, w->scratch_tape, values);
}

bool td_event_stops(const td_model* m, int event) { return m->event[event].stop; }
const char* td_event_name(const td_model* m, int event) {
  return model_name(m, m->event[event].name);
}
