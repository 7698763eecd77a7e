// A fluid on the edges of meshes (elem/edge_drag.h): forces between two stations.
#include "elem/edge_drag.h"
#include "engine/adjoint.h"
#include "engine/force.h"
#include "engine/stages.h"

static edge_drag drag_at(const td_model* m, const td_work* w, const model_drag* f, const frame* a,
                         const frame* b) {
  const vec3 all = td_stream(m, w);
  vec3 u[2] = {all, all};
  const double* flow = w->num + f->stream;
  for (int k = 0; m->stream_varies && k < 2; k++)
    u[k] = vec3_scale(w->load, vec3_of(flow + STREAM_SLOTS * k));
  edge_drag e = edge_drag_at(a, b, u, w->num[f->drag], w->num[f->drag + 1]);
  e.varies = m->stream_varies;
  for (int k = 0; m->stream_varies && k < 2; k++)
    for (int c = 0; c < 9; c++) e.G[k].m[c] = w->load * flow[STREAM_SLOTS * k + 3 + c];
  return e;
}

static void add(const td_model* m, td_work* w, int which) {
  const vec3 none = {0, 0, 0};
  for (int i = 0; i < m->ndrag && (which & FORCES_PASSIVE); i++) {
    const model_drag* f = &m->drag[i];
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    const edge_drag e = drag_at(m, w, f, &a, &b);
    vec3 Fa, Fb;
    edge_shares(e.f, &Fa, &Fb);
    force_on(m, w, f->a, spatial_force(a.p, Fa, none));
    force_on(m, w, f->b, spatial_force(b.p, Fb, none));
  }
}

static double power(const td_model* m, const td_work* w, bool known) {
  (void)known;
  double sum = 0;
  for (int i = 0; i < m->ndrag; i++) {
    const model_drag* f = &m->drag[i];
    const frame a = td_frame(m, w, f->a), b = td_frame(m, w, f->b);
    const edge_drag e = drag_at(m, w, f, &a, &b);
    for (int k = 0; k < 2; k++) sum += vec3_dot(e.f[k], between(edge_gauss[k], a.v, b.v));
  }
  return sum;
}

static bool has_potential(const td_model* m) { return m->ndrag == 0 || td_fluid_is_still(m); }
static bool has_power_dampers(const td_model* m) { return m->ndrag > 0; }

// ---- one by one -------------------------------------------------------------------------------

static void linearise(const td_model* m, const td_work* w, int i, force_state* s) {
  s->drag = drag_at(m, w, &m->drag[i], &s->a, &s->b);
}

// Change of the wrenches on both ends of an edge for changes da, db of their frames and, along a
// direction, of stream and drag numbers.
static void diff(const td_model* m, const td_work* w, int i, const force_state* s,
                 const frame_change* da, const frame_change* db, spatial change[2]) {
  const model_drag* f = &m->drag[i];
  const vec3 none = {0, 0, 0};
  vec3 df[2], F[2], dF[2];
  edge_drag e = s->drag;
  if (w->along) e.varies = false;  // the changes of the stream are among those of the numbers
  edge_drag_change(&e, da, db, df);
  for (int k = 0; w->along && k < 2; k++) {
    const num at = m->stream_varies ? f->stream + STREAM_SLOTS * k : m->fluid_velocity;
    const double across = w->dnum[f->drag], along = w->dnum[f->drag + 1];
    df[k] = vec3_add(
        df[k], edge_drag_numbers(&e, k, vec3_scale(w->load, vec3_of(w->dnum + at)), across, along));
  }
  edge_shares(s->drag.f, &F[0], &F[1]);
  edge_shares(df, &dF[0], &dF[1]);
  change[0] = spatial_force_change(s->a.p, F[0], da->p, dF[0], none);
  change[1] = spatial_force_change(s->b.p, F[1], db->p, dF[1], none);
}

// Beside its frames the stream and its coefficients count.
static void reverse(const td_model* m, td_work* w, weighed_element* e, struct adjoint* b) {
  const model_drag* d = &m->drag[e->f.i];
  const change_rule rule = td_element_rule(e);
  td_reverse_by_diff(m, w, e, b);
  td_unit_numbers(m, w, rule, d->drag, 2, b);
  for (int k = 0; k < (m->stream_varies ? 2 : 1); k++)
    td_unit_numbers(m, w, rule, m->stream_varies ? d->stream + STREAM_SLOTS * k : m->fluid_velocity,
                    3, b);
}

static void visit(const td_model* m, int i, const force_visitor* to) {
  to->station(to->ctx, m->drag[i].a);
  to->station(to->ctx, m->drag[i].b);
}

const force_ops td_force_drag = {.prepare = td_no_prepare,
                                 .prepare_diff = td_no_prepare_diff,
                                 .prepare_reverse = td_no_prepare_reverse,
                                 .add = add,
                                 .energy = td_no_energy,
                                 .energy_diff = td_no_energy_diff,
                                 .power = power,
                                 .tangent = td_no_tangent,
                                 .blocks = td_no_blocks,
                                 .has_potential = has_potential,
                                 .has_power_dampers = has_power_dampers,
                                 .has_driving_dampers = td_no_driving_dampers,
                                 .switches = td_no_switches,
                                 .switch_values = td_no_switch_values};
const element_ops td_element_drag = {.reach = td_reach_stations,
                                     .is_damped = td_always_damped,
                                     .linearise = linearise,
                                     .diff = diff,
                                     .numbers_diff = td_no_numbers_diff,
                                     .reverse = reverse,
                                     .tangent = td_no_element_tangent,
                                     .visit = visit,
                                     .flaw = td_no_flaw,
                                     .is_link = td_no_link,
                                     .wrench = td_no_wrench,
                                     .looks = td_no_looks,
                                     .arrow = td_no_arrow};
