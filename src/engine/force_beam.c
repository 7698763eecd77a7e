// Beams: six laws along the displacements and rotations between two stations, in the axes of the
// first or in axes given by `xaxis` (elem/link.h).
#include "engine/direction.h"
#include "engine/force_law.h"
#include "engine/stages.h"

enum { SWITCHES = 3 };  // displacements, whose one-sided laws are worth locating

static beam beam_at(const td_work* w, const model_beam* f, const frame* a, const frame* b) {
  return td_beam(a, b, f->frame >= 0 ? &w->beam_frame[f->frame] : NULL);
}

static spatial force(const td_work* w, const model_beam* f, const frame* a, const frame* b,
                     int which, double* power) {
  const beam x = beam_at(w, f, a, b);
  double s[6];
  vec3 F, T;
  for (int d = 0; d < 6; d++) s[d] = law_force(w, &f->law[d], x.x[d], x.u[d], x.u[d], which, power);
  td_beam_wrench(&x, s, &F, &T);
  return spatial_force(b->p, F, T);
}

// Axes of a beam: z along the line between the ends, x as near to `xaxis` as possible, all in the
// first frame.
static mat3 beam_axes(const frame* a, const frame* b, vec3 xaxis) {
  vec3 z = mat3_apply_t(a->R, vec3_sub(b->p, a->p));
  const double length = vec3_norm(z);
  z = length > 0 ? vec3_scale(1 / length, z) : (vec3){0, 0, 1};
  vec3 x = vec3_axpy(-vec3_dot(xaxis, z), z, xaxis);
  const double n = vec3_norm(x);
  if (!(n > 1e-9 * vec3_norm(xaxis))) return mat3_identity();
  x = vec3_scale(1 / n, x);
  const vec3 y = vec3_cross(z, x);
  return (mat3){{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
}

// Turn of the beam's axes [x y z] relative to frame a, in the axes of a: z points from a to b, x is
// xaxis less its part along z.  With columns e_i of the axes the turn is ½ Σ e_i × de_i.  Zero
// where xaxis is along z.
static vec3 axes_turn(const frame* a, const frame* b, const frame_change* da,
                      const frame_change* db, vec3 xaxis, vec3 dxaxis) {
  const vec3 r = mat3_apply_t(a->R, vec3_sub(b->p, a->p)), none = {0, 0, 0};
  const vec3 turn = mat3_apply_t(a->R, da->turn),
             dr = vec3_sub(mat3_apply_t(a->R, vec3_sub(db->p, da->p)), vec3_cross(turn, r));

  // z and its change
  const double length = vec3_norm(r);
  const vec3 z = length > 0 ? vec3_scale(1 / length, r) : (vec3){0, 0, 1};
  const vec3 dz = length > 0 ? vec3_scale(1 / length, vec3_axpy(-vec3_dot(z, dr), z, dr)) : none;

  // x and its change
  const vec3 across = vec3_axpy(-vec3_dot(xaxis, z), z, xaxis);
  const double n = vec3_norm(across);
  if (!(n > 1e-9 * vec3_norm(xaxis))) return none;
  vec3 d = vec3_axpy(-vec3_dot(dxaxis, z) - vec3_dot(xaxis, dz), z, dxaxis);
  d = vec3_axpy(-vec3_dot(xaxis, z), dz, d);
  const vec3 x = vec3_scale(1 / n, across);
  const vec3 dx = vec3_scale(1 / n, vec3_axpy(-vec3_dot(x, d), x, d));

  // y = z × x, then the turn
  const vec3 y = vec3_cross(z, x), dy = vec3_add(vec3_cross(dz, x), vec3_cross(z, dx));
  const vec3 sum = vec3_add(vec3_add(vec3_cross(x, dx), vec3_cross(y, dy)), vec3_cross(z, dz));
  return vec3_scale(0.5, sum);
}

// ---- all of them ------------------------------------------------------------------------------

static void prepare(const td_model* m, td_work* w) {
  for (int i = 0; i < m->nbeam; i++) {
    const model_beam* f = &m->beam[i];
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    if (f->frame >= 0) w->beam_frame[f->frame] = beam_axes(&a, &b, vec3_of(w->num + f->xaxis));
    const beam x = beam_at(w, f, &a, &b);
    for (int d = 0; d < 6; d++)
      if (f->law[d].rest_initial) w->num[f->law[d].rest] = x.x[d];
  }
}

// Change of rest values that beams take from the initial geometry, and the turn of their axes,
// along w->along.
static void prepare_diff(const td_model* m, td_work* w) {
  for (int i = 0; i < m->nbeam; i++) {
    const model_beam* f = &m->beam[i];
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    const frame_change da = td_frame_along(m, w, f->a), db = td_frame_along(m, w, f->b);
    const beam x = beam_at(w, f, &a, &b);
    double dx[6], du[6];
    td_beam_change(&x, &a, &b, &da, &db, dx, du);
    if (f->frame >= 0) {
      const vec3 turn =
          axes_turn(&a, &b, &da, &db, vec3_of(w->num + f->xaxis), vec3_of(w->dnum + f->xaxis));
      w->along->axes[f->frame] = turn;
      td_beam_axes_change(&x, &a, &b, mat3_apply(a.R, turn), dx, du);
    }
    for (int d = 0; d < 6; d++)
      if (f->law[d].rest_initial) w->dnum[f->law[d].rest] = dx[d];
  }
}

// A beam with the changes of its frames, and the weights of its rest values and of its axes.
typedef struct weighed_rest {
  const model_beam* f;
  frame_change da, db;
  double rest[6];
  vec3 axes;
} weighed_rest;

static double rest_change(const td_model* m, td_work* w, void* what) {
  const weighed_rest* r = what;
  const model_beam* f = r->f;
  const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
  const beam x = beam_at(w, f, &a, &b);
  double dx[6], du[6], sum = 0;
  td_beam_change(&x, &a, &b, &r->da, &r->db, dx, du);
  if (f->frame >= 0) {
    const vec3 turn =
        axes_turn(&a, &b, &r->da, &r->db, vec3_of(w->num + f->xaxis), vec3_of(w->dnum + f->xaxis));
    td_beam_axes_change(&x, &a, &b, mat3_apply(a.R, turn), dx, du);
    sum = vec3_dot(r->axes, turn);
  }
  for (int d = 0; d < 6; d++) sum += r->rest[d] * dx[d];
  return sum;
}

static void prepare_reverse(const td_model* m, td_work* w, struct adjoint* b) {
  enum { PLACE = 6 };  // position and turn
  for (int i = 0; i < m->nbeam; i++) {
    const model_beam* f = &m->beam[i];
    weighed_rest r = {.f = f};
    const change_rule rule = {rest_change, &r};
    frame_change at_a = {0}, at_b = {0};
    if (f->frame >= 0) r.axes = b->axes[f->frame];
    for (int d = 0; d < 6; d++) {
      if (!f->law[d].rest_initial) continue;
      r.rest[d] = b->n[f->law[d].rest];
      b->n[f->law[d].rest] = 0;
    }
    td_units(m, w, rule, &r.da.p.x, PLACE, &at_a.p.x);
    td_units(m, w, rule, &r.db.p.x, PLACE, &at_b.p.x);
    if (f->frame >= 0) td_unit_numbers(m, w, rule, f->xaxis, 3, b);
    td_frame_reverse(m, w, f->a, &at_a, b);
    td_frame_reverse(m, w, f->b, &at_b, b);
  }
}

static void add(const td_model* m, td_work* w, int which) {
  for (int i = 0; i < m->nbeam; i++) {
    const model_beam* f = &m->beam[i];
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    const spatial on_b = force(w, f, &a, &b, which, &w->law_power);
    force_on(m, w, f->b, on_b);
    force_on(m, w, f->a, spatial_scale(-1, on_b));
  }
}

static double energy(const td_model* m, const td_work* w) {
  double sum = 0;
  for (int i = 0; i < m->nbeam; i++) {
    const model_beam* f = &m->beam[i];
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    const beam x = beam_at(w, f, &a, &b);
    for (int d = 0; d < 6; d++)
      if (f->law[d].potential) sum += law_here(w, &f->law[d], x.x[d], x.u[d]).energy;
  }
  return sum;
}

// Derivative of the elastic energy of all beams along column col: dE = -Σ s_d dx_d, s_d the spring
// forces.
static double energy_diff(const td_model* m, const td_work* w, int col) {
  double sum = 0;
  for (int i = 0; i < m->nbeam; i++) {
    const model_beam* f = &m->beam[i];
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    const frame_change da = td_frame_change(m, w, f->a, col, false),
                       db = td_frame_change(m, w, f->b, col, false);
    const beam x = beam_at(w, f, &a, &b);
    double dx[6], du[6];
    td_beam_change(&x, &a, &b, &da, &db, dx, du);
    if (w->along && f->frame >= 0)
      td_beam_axes_change(&x, &a, &b, mat3_apply(a.R, w->along->axes[f->frame]), dx, du);
    for (int d = 0; d < 6; d++) {
      const law_value v = law_here(w, &f->law[d], x.x[d], x.u[d]);
      if (f->law[d].potential) sum += law_energy_diff(w, &f->law[d], &v, x.x[d], dx[d]);
    }
  }
  return sum;
}

static double power(const td_model* m, const td_work* w, bool known) {
  double sum = 0;
  for (int i = 0; i < m->nbeam && !known; i++) {
    const model_beam* f = &m->beam[i];
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    const beam x = beam_at(w, f, &a, &b);
    for (int d = 0; d < 6; d++) sum += law_work(w, &f->law[d], x.x[d], x.u[d], x.u[d]);
  }
  return sum;
}

static bool has_power_dampers(const td_model* m) {
  for (int i = 0; i < 6 * m->nbeam; i++)
    if (law_has_power_damper(m, &m->beam[i / 6].law[i % 6])) return true;
  return false;
}

static bool has_driving_dampers(const td_model* m, const td_work* w) {
  for (int i = 0; i < 6 * m->nbeam; i++)
    if (w->num[m->beam[i / 6].law[i % 6].mu] < 0) return true;
  return false;
}

static int switches(const td_model* m) {
  int n = 0;
  for (int i = 0; i < SWITCHES * m->nbeam; i++)
    n += m->beam[i / SWITCHES].law[i % SWITCHES].dir != 0;
  return n;
}

static void switch_values(const td_model* m, td_work* w, double* values) {
  for (int i = 0; i < m->nbeam; i++) {
    const model_beam* f = &m->beam[i];
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    const beam x = beam_at(w, f, &a, &b);
    for (int d = 0; d < SWITCHES; d++)
      if (f->law[d].dir != 0) *values++ = link_gap(w, &f->law[d], x.x[d], &a, &b);
  }
}

// ---- one by one -------------------------------------------------------------------------------

static bool is_damped(const td_model* m, const td_work* w, int i) {
  bool damped = false;
  for (int d = 0; d < 6; d++) damped |= w->num[m->beam[i].law[d].mu] != 0;
  return damped;
}

static void linearise(const td_model* m, const td_work* w, int i, force_state* s) {
  const model_beam* f = &m->beam[i];
  s->beam = beam_at(w, f, &s->a, &s->b);
  for (int d = 0; d < 6; d++) {
    s->law[d] = law_here(w, &f->law[d], s->beam.x[d], s->beam.u[d]);
    s->s[d] = s->law[d].f + s->law[d].on * w->load * w->num[f->law[d].input];
  }
  td_beam_wrench(&s->beam, s->s, &s->F, &s->T);
}

// Change of a beam's wrenches on its two stations for changes da, db of their frames, with numbers
// and axes changing along w->along. change[0] is minus change[1].
static void diff(const td_model* m, const td_work* w, int i, const force_state* s,
                 const frame_change* da, const frame_change* db, spatial change[2]) {
  const model_beam* f = &m->beam[i];
  double dx[6], du[6], ds[6];
  vec3 dF, dT;
  td_beam_change(&s->beam, &s->a, &s->b, da, db, dx, du);
  const bool axes = w->along && f->frame >= 0;
  const vec3 turn = axes ? mat3_apply(s->a.R, w->along->axes[f->frame]) : (vec3){0, 0, 0};
  if (axes) td_beam_axes_change(&s->beam, &s->a, &s->b, turn, dx, du);
  for (int d = 0; d < 6; d++) ds[d] = law_diff(w, &f->law[d], &s->law[d], dx[d], du[d]);
  td_beam_wrench_change(&s->beam, da, db, s->s, ds, &dF, &dT);
  if (axes) td_beam_axes_wrench(&s->beam, turn, s->s, &dF, &dT);
  change[1] = spatial_force_change(s->b.p, s->F, db->p, dF, dT);
  change[0] = spatial_scale(-1, change[1]);
}

// Beside its frames and laws the turn of its axes counts.
static void reverse(const td_model* m, td_work* w, weighed_element* e, struct adjoint* b) {
  const int axes = m->beam[e->f.i].frame;
  td_reverse_by_diff(m, w, e, b);
  if (axes >= 0) td_units(m, w, td_element_rule(e), &w->along->axes[axes].x, 3, &b->axes[axes].x);
}

static void visit(const td_model* m, int i, const force_visitor* to) {
  to->station(to->ctx, m->beam[i].a);
  to->station(to->ctx, m->beam[i].b);
  for (int d = 0; d < 6; d++) law_visit(&m->beam[i].law[d], to);
}

static force_flaw flaw(const td_model* m, const td_work* w, int i) {
  force_flaw found = {NULL, 0};
  for (int d = 0; d < 6 && !found.field; d++) found = law_flaw(w, &m->beam[i].law[d]);
  return found;
}

static spatial wrench(const td_model* m, const td_work* w, int i) {
  const model_beam* f = &m->beam[i];
  const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
  double unused = 0;
  return force(w, f, &a, &b, FORCES_ALL, &unused);
}

// One-sided in some direction it is a contact.
static unsigned looks(const td_model* m, int i) {
  if (is_edge(m, m->beam[i].joint)) return 1u << LOOK_EDGE;
  bool some = false;
  for (int d = 0; d < 6; d++) some |= m->beam[i].law[d].dir != 0;
  return 1u << (some ? LOOK_CONTACT : LOOK_BEAM);
}

const force_ops td_force_beam = {.prepare = prepare,
                                 .prepare_diff = prepare_diff,
                                 .prepare_reverse = prepare_reverse,
                                 .add = add,
                                 .energy = energy,
                                 .energy_diff = energy_diff,
                                 .power = power,
                                 .tangent = td_no_tangent,
                                 .blocks = td_no_blocks,
                                 .has_potential = td_always_potential,
                                 .has_power_dampers = has_power_dampers,
                                 .has_driving_dampers = has_driving_dampers,
                                 .switches = switches,
                                 .switch_values = switch_values};
const element_ops td_element_beam = {.reach = td_reach_stations,
                                     .is_damped = is_damped,
                                     .linearise = linearise,
                                     .diff = diff,
                                     .numbers_diff = td_no_numbers_diff,
                                     .reverse = reverse,
                                     .tangent = td_no_element_tangent,
                                     .visit = visit,
                                     .flaw = flaw,
                                     .is_link = td_always_link,
                                     .wrench = wrench,
                                     .looks = looks,
                                     .arrow = td_no_arrow};
