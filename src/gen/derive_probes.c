// What expressions ask of the moving robot, and the sensors made of it.
#include "gen/deriver.h"

// ---- places -----------------------------------------------------------------------------------

static x3 probe_point(deriver* d, const model_probe* p) {
  return p->point == NUM_NONE ? x3_zero(d->g) : td_derive_vector(d, p->point);
}

// Velocity of a point, in the world.
static x3 point_velocity(deriver* d, const model_probe* p) {
  td_exprs* g = d->g;
  const station_x s = td_derive_station(d, p->station);
  return x33_apply(g, s.R, x3_add(g, s.u, x3_cross(g, s.w, probe_point(d, p))));
}

// The quaternion of any rotation: the largest of its four numbers is found first.
static ex quaternion_part(td_exprs* g, x33 R, int c) {
  const ex* m = R.m;
  const ex one = xnum(g, 1);
  // squares of the four numbers, times four, and the products that give the other three
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

static ex place_probe(deriver* d, const model_probe* p) {
  td_exprs* g = d->g;
  const station_x s = td_derive_station(d, p->station);
  const int c = p->component;
  switch (p->kind) {
    case SENSOR_POS:
      return x3_add(g, s.p, x33_apply(g, s.R, probe_point(d, p))).a[c];
    case SENSOR_VEL:
      return point_velocity(d, p).a[c];
    case SENSOR_ROT:
      return s.R.m[3 * (c % 3) + c / 3];
    case SENSOR_QUAT:
      return quaternion_part(g, s.R, c);
    default:
      return s.w.a[c];  // SENSOR_OMEGA
  }
}

// ---- rods -------------------------------------------------------------------------------------

// The piece of a probe's part of a rod whose middle is nearest to it, another than `taken`.
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

static ex rod_strain(deriver* d, const model_probe* p) {
  td_exprs* g = d->g;
  ex x[6], y[6], rate[6];
  const model_strain* near = nearest_piece(d->m, p, NULL);
  if (!near) return xnum(g, 0);
  const model_strain* next = nearest_piece(d->m, p, near);
  td_derive_piece(d, near, x, rate);
  if (!next || near->arc == p->arc) return x[p->component];
  td_derive_piece(d, next, y, rate);
  const double s = (p->arc - near->arc) / (next->arc - near->arc);
  return xadd(g, xscale(g, 1 - s, x[p->component]), xscale(g, s, y[p->component]));
}

static ex mean_stretch(deriver* d, const model_probe* p) {
  td_exprs* g = d->g;
  ex sum = xnum(g, 0);
  for (int i = 0; i < d->m->nstrain; i++) {
    const model_strain* f = &d->m->strain[i];
    const int loop = d->force_loop[first_force(d->m, FORCE_strain) + i];
    if (f->rod != p->rod || loop < 0) continue;
    ex x[6], rate[6];
    td_derive_piece(d, f, x, rate);
    ex part = xmul(g, x[2], td_derive_number(d, f->section + SECTION_LENGTH));
    if (loop > 0) part = td_derive_sum(d, loop - 1, part);
    sum = xadd(g, sum, part);
  }
  return xadd(g, xnum(g, 1), xdiv(g, sum, xnum(g, d->m->rod[p->rod - 1].length)));
}

// ---- all --------------------------------------------------------------------------------------

static ex distance(deriver* d, const model_probe* p) {
  const x3 line = x3_sub(d->g, td_derive_station(d, p->b).p, td_derive_station(d, p->a).p);
  return xfun(d->g, EX_SQRT, x3_dot(d->g, line, line));
}

// EX_NONE: this one is of the acceleration level.
static ex probe_expression(deriver* d, int i) {
  const model_probe* p = &d->m->probe[i];
  td_exprs* g = d->g;
  switch (p->kind) {
    case SENSOR_POS:
    case SENSOR_ROT:
    case SENSOR_QUAT:
    case SENSOR_VEL:
    case SENSOR_OMEGA:
      return place_probe(d, p);
    case SENSOR_LENGTH:
      return distance(d, p);
    case SENSOR_STRETCH:
      if (p->rod > 0) return mean_stretch(d, p);
      return xdiv(g, distance(d, p), xnum(g, d->w->length0[i]));
    case SENSOR_STRAIN:
      return rod_strain(d, p);
    case SENSOR_DOF:
    case SENSOR_Q:
      return td_ex_var(g, d->out->q[p->q]);
    case SENSOR_DDOF:  // of the vector part of a unit quaternion it is no coordinate
      if (d->m->pos[p->q].hop >= 0 && d->m->hop[d->m->pos[p->q].hop].vector)
        return d->out->qdot[p->q];
      return td_ex_var(g, d->out->v[p->v]);
    case SENSOR_V:
      return td_ex_var(g, d->out->v[p->v]);
    case SENSOR_ACC:
    case SENSOR_FORCE:
    case SENSOR_WRENCH:  // models with these are not derived
    case SENSOR_LAMBDA:
    case SENSOR_ENERGY:
    case SENSOR_COORD:  // of rods that are not derived
    case SENSOR_DCOORD:
    case SENSOR_TENSION:
    case SENSOR_KIND_COUNT:
      break;
  }
  return EX_NONE;
}

static void replace_probe(deriver* d, int i, ex e) {
  d->old_var[d->nreplace] = d->m->probe[i].var;
  d->new_ex[d->nreplace++] = e;
}

td_status td_derive_probes(deriver* d) {
  for (int i = 0; i < d->m->nprobe && !td_exprs_failed(d->g); i++) {
    const ex e = probe_expression(d, i);
    if (e != EX_NONE) replace_probe(d, i, e);
  }
  // what was asked for without them has no probes in it, but stay on the safe side
  for (int i = 0; i < d->nmemo; i++) d->memo[i] = EX_NONE;
  return td_exprs_failed(d->g) ? TD_E_NOMEM : TD_OK;
}

// ---- sensors ----------------------------------------------------------------------------------

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

td_status td_derive_sensors(deriver* d) {
  for (int i = 0; i < d->m->nprobe; i++) {
    const model_probe* p = &d->m->probe[i];
    if (p->kind == SENSOR_ACC) replace_probe(d, i, acceleration(d, p));
    if (p->kind == SENSOR_LAMBDA) replace_probe(d, i, multiplier(d, p));
    if (p->kind == SENSOR_FORCE) replace_probe(d, i, td_derive_joint_force(d, p));
    if (p->kind == SENSOR_ENERGY) replace_probe(d, i, d->energy);
  }
  for (int i = 0; i < d->out->ny; i++) {
    d->out->y[i] = td_ex_substitute(d->g, d->m->output_ex[i], d->old_var, d->new_ex, d->nreplace);
  }
  return td_exprs_failed(d->g) ? TD_E_NOMEM : TD_OK;
}
