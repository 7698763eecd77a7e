// Given wrenches: on station b, in the axes of station a or of the world.
#include "engine/force.h"
#include "engine/stages.h"

// Force and torque of a load in the world's axes.
typedef struct load_wrench {
  vec3 F, T;
} load_wrench;

static load_wrench wrench_at(const td_work* w, const model_load* f, const mat3* R,
                             const double* numbers) {
  const double* x = numbers + f->wrench;
  return (load_wrench){mat3_apply(*R, vec3_scale(w->load, vec3_of(x))),
                       mat3_apply(*R, vec3_scale(w->load, vec3_of(x + 3)))};
}

static void add(const td_model* m, td_work* w, int which) {
  for (int i = 0; i < m->nload && (which & FORCES_ACTIVE); i++) {
    const model_load* f = &m->load[i];
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    const load_wrench x = wrench_at(w, f, &a.R, w->num);
    force_on(m, w, f->b, spatial_force(b.p, x.F, x.T));
  }
}

static double power(const td_model* m, const td_work* w, bool known) {
  (void)known;
  double sum = 0;
  for (int i = 0; i < m->nload; i++) {
    const model_load* f = &m->load[i];
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    const load_wrench x = wrench_at(w, f, &a.R, w->num);
    sum += vec3_dot(x.F, b.v) + vec3_dot(x.T, b.w);
  }
  return sum;
}

// A load in axes of the world or of what it acts on follows from a single station.
static force_reach reach(const td_model* m, int i) {
  const model_load* f = &m->load[i];
  return f->a < 0 || f->a == f->b ? REACH_STATION : REACH_STATIONS;
}

// Add the derivatives of loads on one station to the blocks of their hops: a load in world axes
// keeps its direction, one in the station's own axes turns with it.
static void blocks(const td_model* m, td_work* w) {
  for (int i = 0; i < m->nload; i++) {
    const model_load* f = &m->load[i];
    const int hop = m->station[f->b].hop;
    if (reach(m, i) != REACH_STATION || hop < 0) continue;
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    const load_wrench x = wrench_at(w, f, &a.R, w->num);
    if (f->a < 0) {
      td_block_dead_force(w, hop, b.p, x.F);
      continue;
    }
    const spatial turning = spatial_force(b.p, x.F, x.T);
    for (int j = 0; j < 6; j++) {
      const spatial e = spatial_unit(j);
      spatial* K = &w->blocks[hop].K.col[j];
      *K = spatial_sub(*K, spatial_cross_force(&e, &turning));
    }
  }
}

// A force fixed in the world has one; a couple fixed in the world has none in three dimensions.
static bool has_potential(const td_model* m) {
  for (int i = 0; i < m->nload; i++) {
    const model_load* f = &m->load[i];
    for (int c = 3; c < 6; c++)
      if (!stays(m, f->wrench + c, 0)) return false;
    if (f->a >= 0 && m->station[f->a].hop >= 0) return false;
  }
  return true;
}

// ---- one by one -------------------------------------------------------------------------------

static bool is_damped(const td_model* m, const td_work* w, int i) {
  return (void)m, (void)w, (void)i, false;
}

static void linearise(const td_model* m, const td_work* w, int i, force_state* s) {
  const load_wrench x = wrench_at(w, &m->load[i], &s->a.R, w->num);
  s->F = x.F;
  s->T = x.T;
}

static void diff(const td_model* m, const td_work* w, int i, const force_state* s,
                 const frame_change* da, const frame_change* db, spatial change[2]) {
  vec3 dF = vec3_cross(da->turn, s->F), dT = vec3_cross(da->turn, s->T);
  if (w->numbers_change) {
    const load_wrench d = wrench_at(w, &m->load[i], &s->a.R, w->dnum);
    dF = vec3_add(dF, d.F);
    dT = vec3_add(dT, d.T);
  }
  change[0] = spatial_zero();
  change[1] = spatial_force_change(s->b.p, s->F, db->p, dF, dT);
}

static void visit(const td_model* m, int i, const force_visitor* to) {
  to->station(to->ctx, m->load[i].a);
  to->station(to->ctx, m->load[i].b);
  to->numbers(to->ctx, m->load[i].wrench, 6);
}

static force_flaw flaw(const td_model* m, const td_work* w, int i) {
  for (int c = 0; c < 6; c++) {
    const double x = w->num[m->load[i].wrench + c];
    if (!isfinite(x)) return (force_flaw){"ftau", x};
  }
  return (force_flaw){NULL, 0};
}

static unsigned looks(const td_model* m, int i) {
  bool some[2] = {false, false};
  for (int c = 0; c < 6; c++) some[c / 3] |= !stays(m, m->load[i].wrench + c, 0);
  return (unsigned)some[0] << LOOK_LOAD | (unsigned)some[1] << LOOK_MOMENT;
}

// The whole load, whatever part of it continuation has put on.
static force_arrow arrow(const td_model* m, const td_work* w, int i) {
  const model_load* f = &m->load[i];
  const mat3 R = td_frame(m, w, f->a).R;
  return (force_arrow){mat3_apply(R, vec3_of(w->num + f->wrench)),
                       mat3_apply(R, vec3_of(w->num + f->wrench + 3))};
}

const force_ops td_force_load = {.prepare = td_no_prepare,
                                 .prepare_diff = td_no_prepare_diff,
                                 .prepare_reverse = td_no_prepare_reverse,
                                 .add = add,
                                 .energy = td_no_energy,
                                 .energy_diff = td_no_energy_diff,
                                 .power = power,
                                 .tangent = td_no_tangent,
                                 .blocks = blocks,
                                 .has_potential = has_potential,
                                 .has_power_dampers = td_no_power_dampers,
                                 .has_driving_dampers = td_no_driving_dampers,
                                 .switches = td_no_switches,
                                 .switch_values = td_no_switch_values};
const element_ops td_element_load = {.reach = reach,
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
