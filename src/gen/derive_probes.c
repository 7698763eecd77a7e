// Sensors as expressions.  A probe is one number that the model reads off the moving robot (a
// component of a position, a strain, an energy ...); sensors and expressions of the model are made
// of probes.  Probes of positions and velocities are derived before the forces, which may depend on
// them, those of accelerations and energies after everything else.  To add one: its functions and
// its line `td_derive_sensor_<KIND>`.
#include "gen/deriver.h"

// ---- places -----------------------------------------------------------------------------------

// The point of a probe in the axes of its station
static x3 probe_point(deriver* d, const model_probe* p) {
  return p->point == NUM_NONE ? x3_zero(d->g) : td_derive_vector(d, p->point);
}

// Velocity of a point, in the world.
static x3 point_velocity(deriver* d, const model_probe* p) {
  td_exprs* g = d->g;
  const station_x s = td_derive_station(d, p->station);
  return x33_apply(g, s.R, x3_add(g, s.u, x3_cross(g, s.w, probe_point(d, p))));
}

// Component c of the quaternion [w, x, y, z] of any rotation: 4 Q_k Q_c / (2 sqrt(4 Q_k²)) with k
// its largest component [shepperd1978], w not negative
static ex quaternion_part(td_exprs* g, x33 R, int c) {
  const ex* m = R.m;
  const ex one = xnum(g, 1);
  // 4 Q_k², and 4 Q_k Q_c for the other components
  ex square[4], product[4][4];
  for (int k = 0; k < 4; k++) {
    square[k] = one;
    for (int i = 0; i < 3; i++) {
      square[k] =
          k == 0 || k == i + 1 ? xadd(g, square[k], m[4 * i]) : xsub(g, square[k], m[4 * i]);
    }
    product[k][k] = square[k];
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    product[0][i + 1] = product[i + 1][0] = xsub(g, m[3 * k + j], m[3 * j + k]);
    product[i + 1][j + 1] = product[j + 1][i + 1] = xadd(g, m[3 * i + j], m[3 * j + i]);
  }

  // the component by way of the largest one
  ex largest = square[0], value = EX_NONE;
  for (int k = 1; k < 4; k++) largest = xmax(g, largest, square[k]);
  for (int k = 3; k >= 0; k--) {
    const ex root = xscale(g, 2, xfun(g, EX_SQRT, square[k]));
    const ex sign = k == 0 ? one : xif(g, xless(g, product[k][0], 0), xnum(g, -1), one);
    const ex here = xmul(g, sign, xdiv(g, product[k][c], root));
    value = k == 3 ? here : xif(g, td_ex_2(g, EX_LE, largest, square[k]), here, value);
  }
  return value;
}

// pos, vel, rot, quat, omega of a point or frame, in the world; omega in the frame's axes
static ex pos(deriver* d, int i) {
  const model_probe* p = &d->m->probe[i];
  const station_x s = td_derive_station(d, p->station);
  return x3_add(d->g, s.p, x33_apply(d->g, s.R, probe_point(d, p))).a[p->component];
}
static ex vel(deriver* d, int i) {
  return point_velocity(d, &d->m->probe[i]).a[d->m->probe[i].component];
}
static ex rot(deriver* d, int i) {
  const int c = d->m->probe[i].component;
  return td_derive_station(d, d->m->probe[i].station).R.m[3 * (c % 3) + c / 3];
}
static ex quaternion(deriver* d, int i) {
  const model_probe* p = &d->m->probe[i];
  return quaternion_part(d->g, td_derive_station(d, p->station).R, p->component);
}
static ex omega(deriver* d, int i) {
  return td_derive_station(d, d->m->probe[i].station).w.a[d->m->probe[i].component];
}

static bool reads_station(const td_model* m, const model_probe* p, const rod_point* at) {
  return td_is_at_point(m, at, p->station);
}

// ---- rods -------------------------------------------------------------------------------------

// Find the strain element of a probe's part of a rod whose middle is nearest to it, not `taken`.
static const model_strain* nearest_piece(const td_model* m, const model_probe* p,
                                         const model_strain* taken) {
  const model_strain* best = NULL;
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    if (f->rod != p->rod || f->part != p->part || f == taken) continue;
    if (!best || fabs(f->arc - p->arc) < fabs(best->arc - p->arc)) best = f;
  }
  return best;
}

// Strain at an arc length: the line through the values of the two nearest elements
static ex strain(deriver* d, int i) {
  const model_probe* p = &d->m->probe[i];
  td_exprs* g = d->g;
  ex x[6], y[6], rate[6];
  const model_strain* near = nearest_piece(d->m, p, NULL);
  if (!near) return xnum(g, 0);

  // interpolate with the next nearest element
  const model_strain* next = nearest_piece(d->m, p, near);
  td_derive_piece(d, near, x, rate);
  if (!next || near->arc == p->arc) return x[p->component];
  td_derive_piece(d, next, y, rate);
  const double s = (p->arc - near->arc) / (next->arc - near->arc);
  return xadd(g, xscale(g, 1 - s, x[p->component]), xscale(g, s, y[p->component]));
}

// Report whether a point is among the two nearest, between which a strain sensor interpolates.
static bool reads_strain(const td_model* m, const model_probe* p, const rod_point* at) {
  const model_strain* f = &m->strain[at->strain];
  int nearer = 0;
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* other = &m->strain[i];
    if (other->rod != p->rod || other->part != p->part) continue;
    if (other != f && fabs(other->arc - p->arc) <= fabs(f->arc - p->arc)) nearer++;
  }
  return f->rod == p->rod && f->part == p->part && nearer < 2;
}

// Mean stretch of a rod, 1 + Σ ε_z L_i / L
static ex mean_stretch(deriver* d, const model_probe* p) {
  td_exprs* g = d->g;
  ex sum = xnum(g, 0);
  for (int i = 0; i < d->m->nstrain; i++) {
    const model_strain* f = &d->m->strain[i];
    const int quadrature = d->force_quadrature[first_force(d->m, FORCE_strain) + i];
    if (f->rod != p->rod || quadrature < 0) continue;
    ex x[6], rate[6];
    td_derive_piece(d, f, x, rate);
    ex part = xmul(g, x[2], td_derive_number(d, f->section + SECTION_LENGTH));
    if (quadrature > 0) part = td_derive_sum(d, quadrature - 1, part);
    sum = xadd(g, sum, part);
  }
  return xadd(g, xnum(g, 1), xdiv(g, sum, td_derive_number(d, d->m->rod[p->rod - 1].extent)));
}

// ---- distances --------------------------------------------------------------------------------

static ex distance(deriver* d, const model_probe* p) {
  const x3 line = x3_sub(d->g, td_derive_station(d, p->b).p, td_derive_station(d, p->a).p);
  return xfun(d->g, EX_SQRT, x3_dot(d->g, line, line));
}

static ex length(deriver* d, int i) { return distance(d, &d->m->probe[i]); }
// Stretch of a rod, or of the line between two frames relative to its initial length
static ex stretch(deriver* d, int i) {
  const model_probe* p = &d->m->probe[i];
  if (p->rod > 0) return mean_stretch(d, p);
  return xdiv(d->g, distance(d, p), xnum(d->g, d->w->length0[i]));
}
static bool reads_ends(const td_model* m, const model_probe* p, const rod_point* at) {
  return p->rod == 0 && (td_is_at_point(m, at, p->a) || td_is_at_point(m, at, p->b));
}

// ---- coordinates ------------------------------------------------------------------------------

static ex position(deriver* d, int i) { return td_ex_var(d->g, d->out->q[d->m->probe[i].q]); }
static ex velocity(deriver* d, int i) { return td_ex_var(d->g, d->out->v[d->m->probe[i].v]); }
// Rate of a coordinate: its velocity, or q' = N v where it is a component of a unit quaternion
static ex dof_rate(deriver* d, int i) {
  const model_probe* p = &d->m->probe[i];
  const int hop = d->m->pos[p->q].hop;
  return hop >= 0 && d->m->hop[hop].vector ? d->out->qdot[p->q] : velocity(d, i);
}

// ---- accelerations, multipliers, energy -------------------------------------------------------

// d(velocity)/dt with q' = N v and v' = a
static ex acceleration(deriver* d, const model_probe* p) {
  td_derived* out = d->out;
  const int n = out->nq + out->nv;
  int* var = malloc(((size_t)n + 1) * sizeof *var);
  ex* rate = malloc(((size_t)n + 1) * sizeof *rate);
  ex e = point_velocity(d, p).a[p->component], result = EX_NONE;
  for (int i = 0; var && rate && i < n; i++) {
    var[i] = i < out->nq ? out->q[i] : out->v[i - out->nq];
    rate[i] = i < out->nq ? out->qdot[i] : td_ex_var(d->g, out->a[i - out->nq]);
  }
  if (var && rate) td_ex_along(d->g, &e, 1, var, rate, n, &result);
  free(var);
  free(rate);
  return result;
}

// Sum of the multipliers of a joint's rows in the probe's direction
static ex multiplier(deriver* d, const model_probe* p) {
  ex sum = xnum(d->g, 0);
  for (int i = 0; i < d->m->nrow; i++) {
    const model_row* r = &d->m->row[i];
    if (r->joint == p->joint && r->element == p->element && r->direction == p->component) {
      sum = xadd(d->g, sum, td_ex_var(d->g, d->out->lambda[i]));
    }
  }
  return sum;
}

static ex energy(deriver* d, const model_probe* p) { return (void)p, d->energy; }

// Report whether a point lies beyond a joint, so that the joint transmits its force.
static bool reads_beyond(const td_model* m, const model_probe* p, const rod_point* at) {
  const int hop = p->b < 0 ? -1 : m->station[p->b].hop;
  return hop >= 0 && at->turn >= hop && at->turn <= m->hop[hop].last;
}

// ---- forces in joints -------------------------------------------------------------------------

// A wrench in the world, its torque about the point `about`.
typedef struct sum_x {
  x3 f, t, about;
} sum_x;

static void add_wrench(td_exprs* g, sum_x* s, x3 at, x3 f, x3 t) {
  s->f = x3_add(g, s->f, f);
  s->t = x3_add(g, s->t, x3_add(g, t, x3_cross(g, x3_sub(g, at, s->about), f)));
}

// Add what moves a mass, in the world: m (Ṫ v + T v' - g) and the rate of its angular momentum.
static void add_inertia(deriver* d, const tmt_mass* mass, sum_x* s) {
  td_exprs* g = d->g;
  x3 f = {{mass->f[0], mass->f[1], mass->f[2]}}, t = {{mass->f[3], mass->f[4], mass->f[5]}};
  x3 du = x3_zero(g), dw = du;
  for (int k = 0; k < mass->n; k++) {
    const ex a = td_ex_var(g, d->out->a[mass->v[k]]);
    for (int c = 0; c < 3; c++) {
      du.a[c] = xadd(g, du.a[c], xmul(g, mass->T[c * mass->n + k], a));
      dw.a[c] = xadd(g, dw.a[c], xmul(g, mass->T[(3 + c) * mass->n + k], a));
    }
  }
  f = x3_add(g, f, x3_scale(g, mass->m, du));
  t = x3_add(g, t, x33_apply(g, mass->I, dw));
  add_wrench(g, s, mass->centre, x33_apply(g, mass->axes, f), x33_apply(g, d->hop[mass->hop].R, t));
}

// Subtract the wrenches of a load on hops from..to, times `scale`.
static void take_load(deriver* d, const load_x* load, int from, int to, ex scale, sum_x* s) {
  td_exprs* g = d->g;
  for (int i = from; i <= to; i++) {
    if (!load->hop[i].any) continue;
    const x3 f = x3_scale(g, scale, x33_apply(g, d->hop[i].R, load->hop[i].f));
    const x3 t = x3_scale(g, scale, x33_apply(g, d->hop[i].R, load->hop[i].t));
    add_wrench(g, s, d->hop[i].p, x3_neg(g, f), x3_neg(g, t));
  }
}

// Wrench that a joint transmits to the bodies beyond it: what moves them, less what acts on them
static sum_x through_tree(deriver* d, int hop, x3 about) {
  td_exprs* g = d->g;
  const int last = d->m->hop[hop].last;
  sum_x s = {x3_zero(g), x3_zero(g), about};

  // inertial wrenches of the masses beyond the joint
  for (int i = 0; i < d->out->nmass; i++) {
    const tmt_mass* mass = &d->out->mass[i];
    if (mass->hop >= hop && mass->hop <= last) add_inertia(d, mass, &s);
  }

  // less springs, dampers, inputs and loads
  take_load(d, &d->passive, hop, last, xnum(g, 1), &s);
  take_load(d, &d->active, hop, last, xnum(g, 1), &s);

  // less constraint forces
  for (int i = 0; i < d->m->nrow; i++) {
    td_load_clear(d, &d->row);
    td_derive_row(d, i, &d->row);
    take_load(d, &d->row, hop, last, td_ex_var(g, d->out->lambda[i]), &s);
  }
  return s;
}

// Wrench of the springs, dampers, inputs and multipliers between two frames, in the axes of the
// first
static wrench_x through_link(deriver* d, int joint, int element) {
  td_exprs* g = d->g;
  td_load_clear(d, &d->row);
  d->row.second.any = true;
  td_derive_link(d, joint, element, &d->row, &d->row);
  wrench_x sum = d->row.second;

  // multipliers of the joint's rows
  for (int i = 0; i < d->m->nrow; i++) {
    if (d->m->row[i].joint != joint || d->m->row[i].element != element) continue;
    const ex lambda = td_ex_var(g, d->out->lambda[i]);
    td_load_clear(d, &d->row);
    d->row.second.any = true;
    td_derive_row(d, i, &d->row);
    sum.f = x3_add(g, sum.f, x3_scale(g, lambda, d->row.second.f));
    sum.t = x3_add(g, sum.t, x3_scale(g, lambda, d->row.second.t));
  }
  return sum;
}

// Component of the force or torque in a joint: a joint of the tree transmits what the bodies beyond
// it need, a joint that closes a kinematic loop what acts between its two frames.
ex td_derive_joint_force(deriver* d, const model_probe* p) {
  td_exprs* g = d->g;
  const int c = p->component;
  if (!d->m->joint[p->joint - 1].main) {
    const wrench_x link = through_link(d, p->joint, p->element);
    return c < 3 ? link.f.a[c] : link.t.a[c - 3];
  }

  // a joint of the tree, in the axes of its first frame
  const int hop = d->m->station[p->b].hop;
  if (hop < 0) return xnum(g, 0);
  const sum_x s = through_tree(d, hop, td_derive_station(d, p->b).p);
  const x33 R = td_derive_station(d, p->a).R;
  return c < 3 ? x33_apply_t(g, R, s.f).a[c] : x33_apply_t(g, R, s.t).a[c - 3];
}

// ---- the table --------------------------------------------------------------------------------

ex td_no_probe(deriver* d, int i) { return (void)d, (void)i, EX_NONE; }
const derive_sensor td_derive_sensor_POS = {pos, td_no_late, reads_station, false};
const derive_sensor td_derive_sensor_ROT = {rot, td_no_late, reads_station, false};
const derive_sensor td_derive_sensor_QUAT = {quaternion, td_no_late, reads_station, false};
const derive_sensor td_derive_sensor_VEL = {vel, td_no_late, reads_station, false};
const derive_sensor td_derive_sensor_OMEGA = {omega, td_no_late, reads_station, false};
const derive_sensor td_derive_sensor_ACC = {td_no_probe, acceleration, reads_station, false};
const derive_sensor td_derive_sensor_LENGTH = {length, td_no_late, reads_ends, false};
const derive_sensor td_derive_sensor_STRETCH = {stretch, td_no_late, reads_ends, false};
const derive_sensor td_derive_sensor_STRAIN = {strain, td_no_late, reads_strain, false};
const derive_sensor td_derive_sensor_FORCE = {td_no_probe, td_derive_joint_force, reads_beyond,
                                              false};
const derive_sensor td_derive_sensor_LAMBDA = {td_no_probe, multiplier, td_reads_nothing, false};
const derive_sensor td_derive_sensor_ENERGY = {td_no_probe, energy, td_reads_nothing, true};
const derive_sensor td_derive_sensor_DOF = {position, td_no_late, td_reads_nothing, false};
const derive_sensor td_derive_sensor_DDOF = {dof_rate, td_no_late, td_reads_nothing, false};
const derive_sensor td_derive_sensor_Q = {position, td_no_late, td_reads_nothing, false};
const derive_sensor td_derive_sensor_V = {velocity, td_no_late, td_reads_nothing, false};
// Models with rods that have coordinates of their own, with cables or with probes inside rods are
// refused before these sensors would be derived.
const derive_sensor td_derive_sensor_COORD = {td_no_probe, td_no_late, td_reads_nothing, false};
const derive_sensor td_derive_sensor_DCOORD = {td_no_probe, td_no_late, td_reads_nothing, false};
const derive_sensor td_derive_sensor_WRENCH = {td_no_probe, td_no_late, td_reads_nothing, false};
const derive_sensor td_derive_sensor_TENSION = {td_no_probe, td_no_late, td_reads_nothing, false};

const derive_sensor* const td_derive_sensors_of[SENSOR_KIND_COUNT] = {
#define X(kind, ...) &td_derive_sensor_##kind,
    TD_SENSOR_LIST(X)
#undef X
};

// Derive the probes of positions and velocities, which replace their variables from now on.
td_status td_derive_probes(deriver* d) {
  for (int i = 0; i < d->m->nprobe && !td_exprs_failed(d->g); i++) {
    const ex e = td_derive_sensors_of[d->m->probe[i].kind]->probe(d, i);
    if (e != EX_NONE) td_derive_replace(d, d->m->probe[i].var, e);
  }

  // forget numbers that were derived without them
  for (int i = 0; i < d->nmemo; i++) d->memo[i] = EX_NONE;
  return td_exprs_failed(d->g) ? TD_E_NOMEM : TD_OK;
}

// Derive the remaining probes and put all of them into the model's sensors.
td_status td_derive_sensors(deriver* d) {
  for (int i = 0; i < d->m->nprobe; i++) {
    const model_probe* p = &d->m->probe[i];
    const derive_sensor* ops = td_derive_sensors_of[p->kind];
    if (ops->late != td_no_late) td_derive_replace(d, p->var, ops->late(d, p));
  }
  for (int i = 0; i < d->out->ny; i++) {
    d->out->y[i] = td_ex_substitute(d->g, d->m->output_ex[i], d->old_var, d->new_ex, d->nreplace);
  }
  return td_exprs_failed(d->g) ? TD_E_NOMEM : TD_OK;
}
