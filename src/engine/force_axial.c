// Springs, dampers and inputs along the line between two stations (elem/link.h).
//
//   F = s n,  s = f(L, L')      n: from a to b, L: their distance
//
// With damp.along = 0 the damper acts on each component of the relative velocity in the world.
#include "engine/direction.h"
#include "engine/force_law.h"
#include "engine/stages.h"

static vec3 isotropic_damping(const td_work* w, const model_axial* f, const frame* a,
                              const frame* b) {
  const vec3 r = link_damping(vec3_sub(b->v, a->v), w->num[f->law.mu], w->num[f->law.nu]);
  if (f->law.dir == 0) return r;
  const law l = law_of(w, &f->law);
  double slope;
  return vec3_scale(law_switch(&l, vec3_norm(vec3_sub(b->p, a->p)), &slope), r);
}

// Change of the damping force -μ |u|^(ν-1) u on each component of the relative velocity, with
// frames, numbers and, for a one-sided law, with the length's change dL.
static vec3 isotropic_damping_diff(const td_work* w, const model_axial* f, const force_state* s,
                                   const frame_change* da, const frame_change* db, double dL) {
  const vec3 u = vec3_sub(s->b.v, s->a.v), du = vec3_sub(db->v, da->v);
  const model_law* l = &f->law;
  double r[3];
  for (int c = 0; c < 3; c++) {
    double x, slope;
    const double u2 = law_power(vec3_at(u, c), w->num[l->nu], &x, &slope);
    const double dnu = w->dnum[l->nu] == 0 ? 0 : law_power_nu(x, u2);
    r[c] = -w->num[l->mu] * (slope * vec3_at(du, c) + dnu * w->dnum[l->nu]) - x * w->dnum[l->mu];
  }

  // a one-sided law also switches on and off with the length
  if (l->dir == 0) return vec3_of(r);
  const double dx0 = w->dnum[l->rest] * w->num[l->compr] + w->num[l->rest] * w->dnum[l->compr];
  return vec3_axpy(s->law[0].on_x * dL + s->law[0].on_x0 * dx0,
                   link_damping(u, w->num[l->mu], w->num[l->nu]),
                   vec3_scale(s->law[0].on, vec3_of(r)));
}

static vec3 force(const td_work* w, const model_axial* f, const frame* a, const frame* b, int which,
                  double* power) {
  const axial x = axial_at(a, b);
  const double s = law_force(w, &f->law, x.L, f->isotropic ? 0 : x.Ld, x.Ld, which, power);
  const vec3 F = vec3_scale(s, x.n);
  if (!f->isotropic || !(which & FORCES_PASSIVE)) return F;
  const vec3 damping = isotropic_damping(w, f, a, b);
  *power += vec3_dot(damping, vec3_sub(b->v, a->v));
  return vec3_add(F, damping);
}

// ---- all of them ------------------------------------------------------------------------------

// Measure the rest lengths that are those of the initial configuration.
static void prepare(const td_model* m, td_work* w) {
  for (int i = 0; i < m->naxial; i++) {
    const model_axial* f = &m->axial[i];
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    if (f->law.rest_initial) w->num[f->law.rest] = axial_at(&a, &b).L;
  }
}

static void prepare_diff(const td_model* m, td_work* w) {
  for (int i = 0; i < m->naxial; i++) {
    const model_axial* f = &m->axial[i];
    if (!f->law.rest_initial) continue;
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    const frame_change da = td_frame_along(m, w, f->a), db = td_frame_along(m, w, f->b);
    w->dnum[f->law.rest] = vec3_dot(axial_at(&a, &b).n, vec3_sub(db.p, da.p));
  }
}

static void prepare_reverse(const td_model* m, td_work* w, struct adjoint* b) {
  for (int i = 0; i < m->naxial; i++) {
    const model_axial* f = &m->axial[i];
    if (!f->law.rest_initial) continue;
    const frame a = td_frame(m, w, f->a), c = td_frame(m, w, f->b);
    const vec3 pull = vec3_scale(b->n[f->law.rest], axial_at(&a, &c).n);
    const frame_change at_a = {.p = vec3_scale(-1, pull)}, at_b = {.p = pull};
    td_frame_reverse(m, w, f->a, &at_a, b);
    td_frame_reverse(m, w, f->b, &at_b, b);
    b->n[f->law.rest] = 0;
  }
}

static void add(const td_model* m, td_work* w, int which) {
  const vec3 none = {0, 0, 0};
  for (int i = 0; i < m->naxial; i++) {
    const model_axial* f = &m->axial[i];
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    const vec3 F = force(w, f, &a, &b, which, &w->law_power);
    force_on(m, w, f->b, spatial_force(b.p, F, none));
    force_on(m, w, f->a, spatial_scale(-1, spatial_force(a.p, F, none)));
  }
}

static double energy(const td_model* m, const td_work* w) {
  double sum = 0;
  for (int i = 0; i < m->naxial; i++) {
    const model_axial* f = &m->axial[i];
    if (!f->law.potential) continue;
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    const axial x = axial_at(&a, &b);
    sum += law_here(w, &f->law, x.L, x.Ld).energy;
  }
  return sum;
}

static double energy_diff(const td_model* m, const td_work* w, int col) {
  double sum = 0;
  for (int i = 0; i < m->naxial; i++) {
    const model_axial* f = &m->axial[i];
    if (!f->law.potential) continue;
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    const frame_change da = td_frame_change(m, w, f->a, col, false),
                       db = td_frame_change(m, w, f->b, col, false);
    const axial x = axial_at(&a, &b);
    const law_value v = law_here(w, &f->law, x.L, x.Ld);
    sum += law_energy_diff(w, &f->law, &v, x.L, td_axial_change(&x, &a, &b, &da, &db).L);
  }
  return sum;
}

// Power of the laws and dampers beyond what they store; 0 where td_forces has left it (known).
static double power(const td_model* m, const td_work* w, bool known) {
  double sum = 0;
  for (int i = 0; i < m->naxial && !known; i++) {
    const model_axial* f = &m->axial[i];
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    const axial x = axial_at(&a, &b);
    sum += law_work(w, &f->law, x.L, f->isotropic ? 0 : x.Ld, x.Ld);
    if (f->isotropic) sum += vec3_dot(isotropic_damping(w, f, &a, &b), vec3_sub(b.v, a.v));
  }
  return sum;
}

static bool has_power_dampers(const td_model* m) {
  for (int i = 0; i < m->naxial; i++)
    if (law_has_power_damper(m, &m->axial[i].law)) return true;
  return false;
}

static bool has_driving_dampers(const td_model* m, const td_work* w) {
  for (int i = 0; i < m->naxial; i++)
    if (w->num[m->axial[i].law.mu] < 0) return true;
  return false;
}

static int switches(const td_model* m) {
  int n = 0;
  for (int i = 0; i < m->naxial; i++) n += m->axial[i].law.dir != 0;
  return n;
}

static void switch_values(const td_model* m, td_work* w, double* values) {
  for (int i = 0; i < m->naxial; i++) {
    const model_axial* f = &m->axial[i];
    if (f->law.dir == 0) continue;
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    *values++ = link_gap(w, &f->law, axial_at(&a, &b).L, &a, &b);
  }
}

// ---- one by one -------------------------------------------------------------------------------

static bool is_damped(const td_model* m, const td_work* w, int i) {
  return w->num[m->axial[i].law.mu] != 0;
}

static void linearise(const td_model* m, const td_work* w, int i, force_state* s) {
  const model_axial* f = &m->axial[i];
  double unused = 0;
  s->axial = axial_at(&s->a, &s->b);
  s->law[0] = law_here(w, &f->law, s->axial.L, f->isotropic ? 0 : s->axial.Ld);
  s->s[0] = s->law[0].f + s->law[0].on * w->load * w->num[f->law.input];
  s->F = force(w, f, &s->a, &s->b, FORCES_ALL, &unused);
}

// Change of the wrenches on both stations for changes da, db of their frames: dF = ds n + s dn.
static void diff(const td_model* m, const td_work* w, int i, const force_state* s,
                 const frame_change* da, const frame_change* db, spatial change[2]) {
  const model_axial* f = &m->axial[i];
  const axial *x = &s->axial, dx = td_axial_change(x, &s->a, &s->b, da, db);
  const vec3 none = {0, 0, 0};
  vec3 dF;
  if (x->L > 0) {
    const double ds = law_diff(w, &f->law, &s->law[0], dx.L, f->isotropic ? 0 : dx.Ld);
    dF = vec3_axpy(ds, x->n, vec3_scale(s->s[0], dx.n));
  } else {  // no direction yet: a spring of rest length 0 pulls with k r
    dF = vec3_scale(-w->num[f->law.k], vec3_sub(db->p, da->p));
  }
  if (f->isotropic) dF = vec3_add(dF, isotropic_damping_diff(w, f, s, da, db, dx.L));
  change[0] = spatial_scale(-1, spatial_force_change(s->a.p, s->F, da->p, dF, none));
  change[1] = spatial_force_change(s->b.p, s->F, db->p, dF, none);
}

// Transpose of the isotropic damping for the weight `bar` of its force: returns that of the
// relative velocity, and adds to those of the length and of the numbers.
static vec3 isotropic_damping_reverse(const td_work* w, const model_law* l, const force_state* s,
                                      vec3 bar, double* length, double* n) {
  const vec3 u = vec3_sub(s->b.v, s->a.v);
  const double on = l->dir == 0 ? 1 : s->law[0].on;
  double rate[3];
  for (int c = 0; c < 3; c++) {
    double x, slope;
    const double u2 = law_power(vec3_at(u, c), w->num[l->nu], &x, &slope),
                 weight = on * vec3_at(bar, c);
    rate[c] = -weight * w->num[l->mu] * slope;
    n[l->nu] -= weight * w->num[l->mu] * law_power_nu(x, u2);
    n[l->mu] -= weight * x;
  }
  if (l->dir != 0) {
    const double along = vec3_dot(bar, link_damping(u, w->num[l->mu], w->num[l->nu])),
                 x0 = s->law[0].on_x0 * along;
    *length += s->law[0].on_x * along;
    n[l->rest] += x0 * w->num[l->compr];
    n[l->compr] += x0 * w->num[l->rest];
  }
  return vec3_of(rate);
}

// δF = δs n + s δn, with δn = (1 - n nᵀ) δr / L and δL' = n·δr' + r'·δn.
static void reverse(const td_model* m, td_work* w, weighed_element* e, struct adjoint* b) {
  const model_axial* f = &m->axial[e->f.i];
  const spatial ya = e->on[0], yb = e->on[1];
  const force_state* s = &e->s;
  const axial* x = &s->axial;
  const vec3 bar = vec3_sub(twist_at(&yb, s->b.p), twist_at(&ya, s->a.p)), none = {0, 0, 0};
  double length = 0, rate = 0;
  vec3 r = none, u = none;
  if (f->isotropic) u = isotropic_damping_reverse(w, &f->law, s, bar, &length, b->n);
  if (x->L > 0) {
    law_reverse(w, &f->law, &s->law[0], vec3_dot(bar, x->n), &length, &rate, b->n);
    if (f->isotropic) rate = 0;
    vec3 n = vec3_axpy(rate, vec3_sub(s->b.v, s->a.v), vec3_scale(s->s[0], bar));
    n = vec3_scale(1 / x->L, vec3_axpy(-vec3_dot(x->n, n), x->n, n));
    r = vec3_axpy(length, x->n, n);
    u = vec3_axpy(rate, x->n, u);
  } else {
    r = vec3_scale(-w->num[f->law.k], bar);
  }
  const frame_change a = {.p = vec3_scale(-1, vec3_add(r, vec3_cross(s->F, spatial_r(&ya)))),
                          .v = vec3_scale(-1, u)},
                     c = {.p = vec3_add(r, vec3_cross(s->F, spatial_r(&yb))), .v = u};
  td_frame_reverse(m, w, f->a, &a, b);
  td_frame_reverse(m, w, f->b, &c, b);
}

static void visit(const td_model* m, int i, const force_visitor* to) {
  to->station(to->ctx, m->axial[i].a);
  to->station(to->ctx, m->axial[i].b);
  law_visit(&m->axial[i].law, to);
}

static force_flaw flaw(const td_model* m, const td_work* w, int i) {
  return law_flaw(w, &m->axial[i].law);
}

static spatial wrench(const td_model* m, const td_work* w, int i) {
  const model_axial* f = &m->axial[i];
  const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
  double unused = 0;
  return spatial_force(b.p, force(w, f, &a, &b, FORCES_ALL, &unused), (vec3){0, 0, 0});
}

static unsigned looks(const td_model* m, int i) {
  const model_law* own = &m->axial[i].law;
  if (is_edge(m, m->axial[i].joint)) return 1u << LOOK_EDGE;
  if (own->dir != 0) return 1u << LOOK_CORD;
  if (!stays(m, own->k, 0)) return 1u << LOOK_SPRING;
  return 1u << (stays(m, own->input, 0) ? LOOK_DAMPER : LOOK_ACTUATOR);
}

const force_ops td_force_axial = {.prepare = prepare,
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
const element_ops td_element_axial = {.reach = td_reach_stations,
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
