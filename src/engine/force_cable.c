// Cables: their lengths, their tensions, and what they do.
//
//   l(q) = Σ W |τ|  over the pieces of rods they pass, Σ e_z·(v + w × d) over joints between them
//          (cable.h)  +  Σ |p_b - p_a|  over straight spans (with a sign between rods, chord.h)
//   generalised force  -T ∂l/∂q
//
// The tension T is given, or follows from the length: k (l - l(0) + pull) when taut; that of a
// cable without k is the multiplier of its row (taut.c), set by td_row_forces.  Friction
// inside a rod leaves the share exp(-μ Θ) of it where the cable has turned by Θ since its start; a
// length then gives the mean tension along the cable, and T is that over the mean share.
#include <math.h>
#include <string.h>

#include "elem/chord.h"
#include "elem/link.h"
#include "engine/adjoint.h"
#include "engine/force.h"
#include "engine/stages.h"

#include "engine/crossing.h"
static bool has_friction(const model_cable* c) { return c->friction != NUM_NONE; }

// The cable at a crossing; x: the strains there.
static cable_section section_at(const td_model* m, const td_work* w, const model_crossing* c,
                                double x[6]) {
  td_strains(m, w, &m->strain[c->strain], x);
  return cable_through(c->joint > 0, x, w->num + c->path);
}

static const model_crossing* crossing_of(const td_model* m, const model_cable* c, int i) {
  return &m->crossing[m->cable_order[c->order + i]];
}

// Arc length of all the rods that the cable passes through.
static double passed_in_all(const td_model* m, const td_work* w, const model_cable* c) {
  double total = 0;
  for (int i = 0; i < c->norder; i++)
    if (crossing_of(m, c, i)->joint == 0) total += passed(m, w, crossing_of(m, c, i));
  return total;
}

static axial span_axial(const td_model* m, const td_work* w, const model_span* s) {
  const frame a = td_frame(m, w, s->a), b = td_frame(m, w, s->b);
  return axial_at(&a, &b);
}

// A span that is counted with a sign, with its changes when its ends change by da and db (NULL:
// not).
static chord span_chord(const frame* a, const frame* b, const frame_change* da,
                        const frame_change* db) {
  const taylor_frame at = td_taylor_frame(a, da), to = td_taylor_frame(b, db);
  return td_chord(&at, &to, true);
}
static taylor span_length(const td_model* m, const td_work* w, int span) {
  const frame a = td_frame(m, w, m->span[span].a), b = td_frame(m, w, m->span[span].b);
  if (w->span_along[span]) return span_chord(&a, &b, NULL, NULL).l;
  const axial x = axial_at(&a, &b);
  return (taylor){.x = x.L, .d = x.Ld};
}

static void prepare(const td_model* m, td_work* w) {
  for (int i = 0; i < m->nspan; i++) {
    const frame a = td_frame(m, w, m->span[i].a), b = td_frame(m, w, m->span[i].b);
    w->span_along[i] = m->span[i].joins && td_chord_along(&a, &b);
  }
  for (int i = 0; i < m->ncable; i++) w->cable[i].zero = td_cable_length(m, w, i);
}

static void prepare_diff(const td_model* m, td_work* w) {
  for (int i = 0; i < m->ncable; i++) w->along->zero[i] = td_cable_length_change(m, w, i, ALONG);
}

static void prepare_reverse(const td_model* m, td_work* w, struct adjoint* b) {
  for (int i = 0; i < m->ncable; i++) td_cable_length_reverse(m, w, i, b->zero[i], b);
}

// ---- lengths ----------------------------------------------------------------------------------

double td_cable_length(const td_model* m, const td_work* w, int cable) {
  const model_cable* c = &m->cable[cable];
  double sum = 0, x[6];
  for (int i = 0; i < c->norder; i++) {
    const model_crossing* at = crossing_of(m, c, i);
    sum += passed(m, w, at) * section_at(m, w, at, x).l;
  }
  for (int i = c->span; i < c->span + c->nspan; i++) sum += span_length(m, w, i).x;
  return sum;
}

// The change of the length of a span along a column or the direction.
static double span_change(const td_model* m, const td_work* w, int span, int col) {
  const model_span* s = &m->span[span];
  const frame_change da = td_frame_change(m, w, s->a, col, false),
                     db = td_frame_change(m, w, s->b, col, false);
  if (!w->span_along[span]) return vec3_dot(span_axial(m, w, s).n, vec3_sub(db.p, da.p));
  const frame a = td_frame(m, w, s->a), b = td_frame(m, w, s->b);
  return span_chord(&a, &b, &da, &db).l.e;
}

// A crossing and its changes along the direction: of the length of rod it covers, of the cable's
// own length per length of rod.
typedef struct crossing_along {
  cable_section s;
  double x[6], dx[6], W, dW, dl;
} crossing_along;

static crossing_along along_crossing(const td_model* m, const td_work* w,
                                     const model_crossing* at) {
  crossing_along c;
  double dg[6];
  c.s = section_at(m, w, at, c.x);
  td_strains_change(m, w, &m->strain[at->strain], ALONG, c.dx);
  c.dl = cable_along(&c.s, c.x, c.dx, w->dnum + at->path, dg);
  c.W = passed(m, w, at);
  c.dW = passed_change(m, w, at);
  return c;
}

static double length_along(const td_model* m, const td_work* w, const model_cable* c) {
  double sum = 0;
  for (int i = 0; i < c->norder; i++) {
    const crossing_along at = along_crossing(m, w, crossing_of(m, c, i));
    sum += at.dW * at.s.l + at.W * at.dl;
  }
  for (int i = c->span; i < c->span + c->nspan; i++) sum += span_change(m, w, i, ALONG);
  return sum;
}

double td_cable_length_change(const td_model* m, const td_work* w, int cable, int col) {
  const model_cable* c = &m->cable[cable];
  if (col == ALONG) return length_along(m, w, c);
  double sum = 0, x[6], dx[6];
  for (int i = 0; i < c->norder; i++) {
    const model_crossing* at = crossing_of(m, c, i);
    const cable_section s = section_at(m, w, at, x);
    td_strains_change(m, w, &m->strain[at->strain], col, dx);
    for (int d = 0; d < 6; d++) sum += passed(m, w, at) * s.g[d] * dx[d];
  }
  for (int i = c->span; i < c->span + c->nspan; i++) sum += span_change(m, w, i, col);
  return sum;
}

// ---- tensions ---------------------------------------------------------------------------------

// Share of the tension that friction leaves in each piece, exp(-μ Θ) with Θ the turning up to its
// middle, into w->crossing_share; 1 without friction.
static void shares(const td_model* m, td_work* w, const model_cable* c) {
  const double total = has_friction(c) ? passed_in_all(m, w, c) : 0;
  double angle = 0, x[6], slope[6];
  for (int i = 0; i < c->norder; i++) {
    const model_crossing* at = crossing_of(m, c, i);
    double* share = &w->crossing_share[m->cable_order[c->order + i]];
    *share = 1;
    if (!has_friction(c)) continue;
    const cable_section s = section_at(m, w, at, x);
    const double turn = passed(m, w, at) * cable_bend(&s, x, total, slope);
    *share = exp(-w->num[c->friction] * (angle + 0.5 * turn));
    angle += turn;
  }
}

// The share averaged along the cable.
static double mean_share(const td_model* m, const td_work* w, const model_cable* c) {
  double sum = 0, length = 0, x[6];
  if (!has_friction(c)) return 1;
  for (int i = 0; i < c->norder; i++) {
    const model_crossing* at = crossing_of(m, c, i);
    const double l = passed(m, w, at) * section_at(m, w, at, x).l;
    sum += l * w->crossing_share[m->cable_order[c->order + i]];
    length += l;
  }
  return length > 0 ? sum / length : 1;
}

// Compute tension, slope dT/dl and mean share of each cable in w->cable.  A row's cable gets zero
// here: td_row_forces sets it.
void td_cable_tensions(const td_model* m, td_work* w) {
  for (int i = 0; i < m->ncable; i++) {
    const model_cable* c = &m->cable[i];
    cable_work* at = &w->cable[i];
    shares(m, w, c);
    if (by_length(c)) {
      at->stretch = td_cable_length(m, w, i) - at->zero + w->load * w->num[c->pull];
      at->mean = mean_share(m, w, c);
      const cable_pull p = cable_taut(w->num[c->stiffness], at->stretch);
      at->tension = p.tension / at->mean;
      at->slope = p.slope / at->mean;
    } else if (is_hard(c)) {
      at->tension = 0;
    } else {
      at->tension = w->load * w->num[c->tension];
    }
  }
}

// Changes of the friction shares exp(-μ Θ) of a cable's crossings along the direction, in d->share;
// returns the change of their mean over the length. Θ counts the bends up to the middle of each
// piece.  Zero without friction.
static double shares_along(const td_model* m, td_work* w, int cable) {
  const model_cable* c = &m->cable[cable];
  direction* d = w->along;
  const double mu = has_friction(c) ? w->num[c->friction] : 0,
               dmu = has_friction(c) ? w->dnum[c->friction] : 0;
  double angle = 0, dangle = 0, length = 0, dlength = 0, sum = 0, dsum = 0;
  if (!has_friction(c)) return 0;

  // length inside rods and its change
  taylor total = taylor_const(passed_in_all(m, w, c));
  for (int i = 0; i < c->norder; i++)
    if (crossing_of(m, c, i)->joint == 0) total.e += along_crossing(m, w, crossing_of(m, c, i)).dW;
  for (int i = 0; i < c->norder; i++) {
    const model_crossing* at = crossing_of(m, c, i);
    const crossing_along a = along_crossing(m, w, at);
    const int k = m->cable_order[c->order + i];

    // bend of the cable in this piece, with its derivative
    taylor x[6], path[6];
    for (int j = 0; j < 6; j++) {
      x[j] = (taylor){.x = a.x[j], .e = a.dx[j]};
      path[j] = (taylor){.x = w->num[at->path + j], .e = w->dnum[at->path + j]};
    }
    const taylor bend = td_taylor_bend(at->joint > 0, x, path, total);
    const double turn = a.W * bend.x, dturn = a.dW * bend.x + a.W * bend.e;
    const double share = w->crossing_share[k], l = a.W * a.s.l, dl = a.dW * a.s.l + a.W * a.dl;

    // share, then the sums up to the next piece
    d->share[k] = -share * (dmu * (angle + 0.5 * turn) + mu * (dangle + 0.5 * dturn));
    angle += turn;
    dangle += dturn;
    sum += l * share;
    dsum += dl * share + l * d->share[k];
    length += l;
    dlength += dl;
  }
  return length > 0 ? (dsum - sum / length * dlength) / length : 0;
}

// Change of each tension along w->along, from the changes of length, rest length, pull, stiffness
// and friction shares.  A slack cable has none.
void td_cables_along(const td_model* m, td_work* w) {
  for (int i = 0; i < m->ncable; i++) {
    const model_cable* c = &m->cable[i];
    const cable_work* at = &w->cable[i];
    const double mean = shares_along(m, w, i);
    double change = 0;
    if (by_length(c)) {
      const double stretch = length_along(m, w, c) - w->along->zero[i] + w->load * w->dnum[c->pull];
      if (at->stretch > 0)
        change = at->slope * stretch +
                 (at->stretch * w->dnum[c->stiffness] - at->tension * mean) / at->mean;
    } else if (!is_hard(c)) {
      change = w->load * w->dnum[c->tension];
    }
    w->along->tension[i] = change;
  }
}

// Changes of the cable's length, of that weighted with the shares, and of their mean.
typedef struct cable_sums {
  double length, shared, mean;
} cable_sums;

// Derivatives along column col of a cable's length inside rods, of its length weighted by the
// friction shares, and of its mean share.  The angle Θ changes with the bends passed so far.
static cable_sums sums_change(const td_model* m, const td_work* w, int cable, int col) {
  const model_cable* c = &m->cable[cable];
  const double total = passed_in_all(m, w, c);
  double angle = 0, length = 0, x[6], dx[6], slope[6];
  cable_sums sum = {0, 0, 0};
  for (int i = 0; i < c->norder; i++) {
    // change of this piece's length and turn
    const model_crossing* at = crossing_of(m, c, i);
    const cable_section s = section_at(m, w, at, x);
    const double W = passed(m, w, at), share = w->crossing_share[m->cable_order[c->order + i]];
    double dl = 0, turn = 0;
    cable_bend(&s, x, total, slope);
    td_strains_change(m, w, &m->strain[at->strain], col, dx);
    for (int d = 0; d < 6; d++) {
      dl += W * s.g[d] * dx[d];
      turn += W * slope[d] * dx[d];
    }

    // length, weighted length, and the change of the share exp(-μ Θ) at the middle of the piece
    sum.length += dl;
    sum.shared += share * dl;
    sum.mean += (share - w->cable[cable].mean) * dl;
    sum.mean -= w->num[c->friction] * share * (angle + 0.5 * turn) * W * s.l;
    length += W * s.l;
    angle += turn;
  }
  if (length > 0) sum.mean /= length;
  return sum;
}

// ... and along a column alone
static double tension_slope(const td_model* m, const td_work* w, int cable, int col) {
  const cable_work* at = &w->cable[cable];
  if (!has_friction(&m->cable[cable])) return at->slope * td_cable_length_change(m, w, cable, col);
  const cable_sums sum = sums_change(m, w, cable, col);
  return at->slope * sum.length - at->tension / at->mean * sum.mean;
}

double td_cable_tension_change(const td_model* m, const td_work* w, int cable, int col) {
  const double numbers = td_tension_change(m, w, cable);
  if (col < 0 || !by_length(&m->cable[cable]) || w->cable[cable].slope == 0) return numbers;
  return numbers + tension_slope(m, w, cable, col);
}

bool td_cable_couples(const td_model* m) {
  for (int i = 0; i < m->nspan; i++)
    if (by_length(&m->cable[m->span[i].cable])) return true;
  for (int i = 0; i < m->ncrossing; i++) {
    const model_cable* c = &m->cable[m->crossing[i].cable];
    const bool follows = by_length(c) || c->friction != NUM_NONE;
    if (follows && strain_is_link(&m->strain[m->crossing[i].strain])) return true;
  }
  return false;
}

// ---- straight spans ---------------------------------------------------------------------------

static void add_wrench(const td_model* m, spatial* to, size_t stride, int station, spatial f) {
  const int hop = station < 0 ? -1 : m->station[station].hop;
  if (hop < 0) return;
  spatial* at = (spatial*)(void*)((char*)to + (size_t)hop * stride);
  *at = spatial_add(*at, f);
}

static vec3 value3(taylor3 x) { return (vec3){x.x.x, x.y.x, x.z.x}; }
static vec3 change3(taylor3 x) { return (vec3){x.x.e, x.y.e, x.z.e}; }

// Wrenches T times the gradient of the span's length on its two stations: along the chord between
// rods, along the straight line otherwise.
void td_span_pull(const td_model* m, const td_work* w, int span, double T, spatial* on,
                  size_t stride) {
  const model_span* s = &m->span[span];
  const frame a = td_frame(m, w, s->a), b = td_frame(m, w, s->b);
  vec3 F, Ma = {0, 0, 0}, Mb = {0, 0, 0};
  if (w->span_along[span]) {
    const chord c = span_chord(&a, &b, NULL, NULL);
    F = vec3_scale(T, value3(c.force));
    Ma = vec3_scale(-T, value3(c.torque_a));
    Mb = vec3_scale(T, value3(c.torque_b));
  } else {
    F = vec3_scale(T, axial_at(&a, &b).n);
  }
  add_wrench(m, on, stride, s->a, spatial_force(a.p, F, Ma));
  add_wrench(m, on, stride, s->b, spatial_scale(-1, spatial_force(b.p, F, Mb)));
}

// Tensions first: what passes rods is added with their pieces.
static void add(const td_model* m, td_work* w, int which) {
  td_cable_tensions(m, w);
  for (int i = 0; i < m->nspan; i++) {
    const int cable = m->span[i].cable;
    if (acts(&m->cable[cable], which))
      td_span_pull(m, w, i, w->cable[cable].tension, &w->hop[0].f, sizeof(hop_work));
  }
}

// Add the changes of the wrenches of all free spans along column col, or along w->along, to df: the
// tension's change and the turn of the line.
static void diff(const td_model* m, td_work* w, int col, bool rate, spatial* df) {
  for (int i = 0; i < m->nspan; i++) {
    const model_span* s = &m->span[i];
    const int hop = col < 0 ? -1 : m->col[col].hop;
    const bool moved =
        col == ALONG ||
        (col >= 0 && !rate && (station_moves(m, s->a, hop) || station_moves(m, s->b, hop)));
    if (!moved && !w->numbers_change) continue;
    const frame a = td_frame(m, w, s->a), b = td_frame(m, w, s->b);
    frame_change da = {0}, db = {0};
    if (moved) da = td_frame_change(m, w, s->a, col, false);
    if (moved) db = td_frame_change(m, w, s->b, col, false);
    const double T = w->cable[s->cable].tension,
                 dT = w->along ? w->along->tension[s->cable] : td_tension_change(m, w, s->cable);
    vec3 F, dF, dMa = {0, 0, 0}, dMb = {0, 0, 0};
    if (w->span_along[i]) {
      const chord c = span_chord(&a, &b, &da, &db);
      F = vec3_scale(T, value3(c.force));
      dF = vec3_axpy(dT, value3(c.force), vec3_scale(T, change3(c.force)));
      dMa = vec3_axpy(-dT, value3(c.torque_a), vec3_scale(-T, change3(c.torque_a)));
      dMb = vec3_axpy(dT, value3(c.torque_b), vec3_scale(T, change3(c.torque_b)));
    } else {
      const axial x = axial_at(&a, &b), dx = td_axial_change(&x, &a, &b, &da, &db);
      F = vec3_scale(T, x.n);
      dF = vec3_axpy(dT, x.n, vec3_scale(T, dx.n));
    }
    add_wrench(m, df, sizeof *df, s->a, spatial_force_change(a.p, F, da.p, dF, dMa));
    add_wrench(m, df, sizeof *df, s->b,
               spatial_scale(-1, spatial_force_change(b.p, F, db.p, dF, dMb)));
  }
}

// ---- tensions that follow from the shape ------------------------------------------------------

// A += s x yᵀ
static void add_outer(double* A, int n, double s, const double* x, const double* y) {
  for (int i = 0; i < n; i++)
    for (int j = 0; x[i] != 0 && j < n; j++) A[i * n + j] += s * x[i] * y[j];
}

// T = k (l - l(0) + pull):  dF/dq = ∂l/∂q ∂T/∂qᵀ, with friction ∂l/∂q weighted by the shares
static void length_tangent(const td_model* m, td_work* w, int cable, double* dq) {
  const arena_mark mark = arena_open(&w->scratch);
  double *g = arena_zeros(&w->scratch, m->nvel), *dT = arena_zeros(&w->scratch, m->nvel);
  const bool friction = has_friction(&m->cable[cable]);
  for (int col = 0; col < m->ncol; col++) {
    if (!m->col[col].leads) continue;
    const int v = m->col[col].v;
    g[v] +=
        friction ? sums_change(m, w, cable, col).shared : td_cable_length_change(m, w, cable, col);
    dT[v] += tension_slope(m, w, cable, col);
  }
  add_outer(dq, m->nvel, 1, g, dT);
  arena_close(&w->scratch, mark);
}

// Gradients of a piece's length of cable and of its turning angle; `total`: passed_in_all().
static void piece_gradients(const td_model* m, const td_work* w, const model_crossing* c,
                            double total, double* length, double* angle) {
  double x[6], dx[6], slope[6];
  const cable_section s = section_at(m, w, c, x);
  const double W = passed(m, w, c);
  cable_bend(&s, x, total, slope);
  memset(length, 0, (size_t)m->nvel * sizeof(double));
  memset(angle, 0, (size_t)m->nvel * sizeof(double));
  for (int col = 0; col < m->ncol; col++) {
    if (!m->col[col].leads) continue;
    td_strains_change(m, w, &m->strain[c->strain], col, dx);
    for (int d = 0; d < 6; d++) {
      length[m->col[col].v] += W * s.g[d] * dx[d];
      angle[m->col[col].v] += W * slope[d] * dx[d];
    }
  }
}

// Add to dq the change of a cable's generalised forces by friction: δT = -μ T δΘ on each piece, Θ
// the turning up to its middle.
static void friction_tangent(const td_model* m, td_work* w, int cable, double* dq) {
  const model_cable* c = &m->cable[cable];
  const double total = passed_in_all(m, w, c);
  const int n = m->nvel;
  const arena_mark mark = arena_open(&w->scratch);
  double *length = arena_doubles(&w->scratch, n), *angle = arena_doubles(&w->scratch, n),
         *sum = arena_zeros(&w->scratch, n);
  for (int i = 0; i < c->norder; i++) {
    piece_gradients(m, w, crossing_of(m, c, i), total, length, angle);
    const double T = w->crossing_share[m->cable_order[c->order + i]] * w->cable[cable].tension;
    for (int k = 0; k < n; k++) sum[k] += 0.5 * angle[k];
    add_outer(dq, n, -w->num[c->friction] * T, length, sum);
    for (int k = 0; k < n; k++) sum[k] += 0.5 * angle[k];
  }
  arena_close(&w->scratch, mark);
}

static void tangent(const td_model* m, td_work* w, double* dq, double* dv) {
  (void)dv;  // tensions do not follow velocities
  for (int i = 0; i < m->ncable; i++) {
    if (by_length(&m->cable[i]) && w->cable[i].slope != 0) length_tangent(m, w, i, dq);
    if (has_friction(&m->cable[i])) friction_tangent(m, w, i, dq);
  }
}

// ---- energy and power -------------------------------------------------------------------------

static double stretch_of(const td_model* m, const td_work* w, int cable) {
  return td_cable_length(m, w, cable) - w->cable[cable].zero +
         w->load * w->num[m->cable[cable].pull];
}

static double energy(const td_model* m, const td_work* w) {
  double sum = 0;
  for (int i = 0; i < m->ncable; i++) {
    if (!m->cable[i].potential) continue;
    const double e = fmax(0, stretch_of(m, w, i));
    sum += 0.5 * w->num[m->cable[i].stiffness] * e * e;
  }
  return sum;
}

static double energy_diff(const td_model* m, const td_work* w, int col) {
  double sum = 0;
  for (int i = 0; i < m->ncable; i++) {
    if (!m->cable[i].potential) continue;
    const double e = stretch_of(m, w, i), T = cable_taut(w->num[m->cable[i].stiffness], e).tension;
    if (T > 0) sum += T * td_cable_length_change(m, w, i, col);
    if (e > 0 && col == ALONG)
      sum += T * (w->load * w->dnum[m->cable[i].pull] - w->along->zero[i]) +
             0.5 * e * e * w->dnum[m->cable[i].stiffness];
  }
  return sum;
}

static double power(const td_model* m, const td_work* w, bool known) {
  (void)known;
  double sum = 0;
  for (int i = 0; i < m->nspan; i++) {
    const int cable = m->span[i].cable;
    if (!m->cable[cable].potential) sum -= w->cable[cable].tension * span_length(m, w, i).d;
  }
  return sum;
}

// ---- the tables -------------------------------------------------------------------------------

static bool has_potential(const td_model* m) {
  for (int i = 0; i < m->ncable; i++)
    if (has_friction(&m->cable[i])) return false;
  return true;
}

static int switches(const td_model* m) {
  int n = 0;
  for (int i = 0; i < m->ncable; i++) n += by_length(&m->cable[i]);
  return n;
}

static void switch_values(const td_model* m, td_work* w, double* values) {
  td_cable_tensions(m, w);
  for (int i = 0; i < m->ncable; i++)
    if (by_length(&m->cable[i])) *values++ = -w->cable[i].stretch;
}

static bool sweeps(const td_model* m, const td_work* w) { return (void)w, m->nspan > 0; }

const force_ops td_force_cable = {.prepare = prepare,
                                  .prepare_diff = prepare_diff,
                                  .prepare_reverse = prepare_reverse,
                                  .add = add,
                                  .energy = energy,
                                  .energy_diff = energy_diff,
                                  .power = power,
                                  .tangent = tangent,
                                  .blocks = td_no_blocks,
                                  .has_potential = has_potential,
                                  .has_power_dampers = td_no_power_dampers,
                                  .has_driving_dampers = td_no_driving_dampers,
                                  .switches = switches,
                                  .switch_values = switch_values};
const whole_ops td_whole_cable = {.diff = diff, .reverse = td_spans_reverse, .sweeps = sweeps};
