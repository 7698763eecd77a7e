// Contact of rods and bodies with fixed objects and with each other.
//
// Balls against fixed objects are forces on single stations.  Balls against pieces (other balls, or
// the curve through the points of a rod) are found by sorting the pieces along the axis in which
// they are spread most, and looking for each ball only where its interval meets theirs: the same
// pairs in the same order whatever came before.
#include <math.h>
#include <string.h>

#include "contact.h"
#include "engine.h"

// ---- balls ------------------------------------------------------------------------------------

static vec3 arm_of(const td_work* w, const model_ball* b, const frame* f) {
  return b->centre == NUM_NONE ? (vec3){0, 0, 0} : mat3_apply(f->R, vec3_of(w->num + b->centre));
}

static contact_ball ball_at(const td_model* m, const td_work* w, const model_ball* b) {
  const frame f = td_frame(m, w, b->station);
  const vec3 arm = arm_of(w, b, &f);
  return (contact_ball){vec3_add(f.p, arm), vec3_add(f.v, vec3_cross(f.w, arm)), f.w,
                        w->num[b->radius]};
}

static contact_ball ball_change(const td_model* m, const td_work* w, const model_ball* b, int col,
                                bool rate) {
  const frame f = td_frame(m, w, b->station);
  const frame_change d = td_frame_change(m, w, b->station, col, rate);
  const vec3 arm = arm_of(w, b, &f), darm = vec3_cross(d.turn, arm);
  return (contact_ball){vec3_add(d.p, darm),
                        vec3_add(d.v, vec3_add(vec3_cross(d.w, arm), vec3_cross(f.w, darm))), d.w,
                        0};
}

static contact_law law_of(const td_work* w, const model_contact* c, double weight) {
  const double* x = w->num + c->law;
  return (contact_law){weight * x[0], c->approach ? weight * x[1] : x[1], x[2], x[3], x[4],
                       c->approach};
}

static int hop_of(const td_model* m, const model_ball* b) {
  return b->station < 0 ? -1 : m->station[b->station].hop;
}

// ---- fixed objects ----------------------------------------------------------------------------

static contact_touch touch(const td_work* w, const model_contact* c, vec3 x, double r) {
  const vec3 point = vec3_of(w->num + c->point), d = vec3_of(w->num + c->direction);
  const vec3 unit = vec3_scale(1 / vec3_norm(d), d);
  if (c->kind == CONTACT_PLANE) return touch_plane(x, r, point, unit);
  return touch_round(x, r, point, w->num[c->radius],
                     c->kind == CONTACT_SPHERE ? mat3_identity() : contact_across(unit));
}

// The velocity of the object, which does not turn.
static vec3 drift_of(const td_work* w, const model_contact* c) {
  return c->drift == NUM_NONE ? (vec3){0, 0, 0} : vec3_of(w->num + c->drift);
}

// What is done with each ball that is in contact with a fixed object.
typedef struct fixed_touch {
  const model_ball* ball;
  contact_law law;
  contact_touch t;
  contact_ball at;
  double radius;
  int hop;
  bool potential;
  vec3 drift;
} fixed_touch;

// The next ball in contact from (contact, ball) on; false: there is none.
static bool next_fixed(const td_model* m, const td_work* w, int* contact, int* ball,
                       fixed_touch* out) {
  for (; *contact < m->ncontact; ++*contact, *ball = 0) {
    const model_contact* c = &m->contact[*contact];
    for (; c->kind != CONTACT_PIECES && *ball < c->nball; ++*ball) {
      const model_ball* b = &m->ball[c->ball + *ball];
      if (hop_of(m, b) < 0) continue;
      const contact_ball at = ball_at(m, w, b);
      const double r = w->num[b->radius];
      const contact_touch t = touch(w, c, at.x, r);
      if (!(t.depth > 0)) continue;
      *out = (fixed_touch){
          b, law_of(w, c, b->weight), t, at, r, hop_of(m, b), c->potential, drift_of(w, c)};
      ++*ball;
      return true;
    }
  }
  return false;
}

// The twist of a ball's hop against the object.
static spatial against(const td_work* w, const fixed_touch* f) {
  return spatial_sub(w->hop[f->hop].V, spatial_of(f->drift, (vec3){0, 0, 0}));
}

static contact_force fixed_force(const td_work* w, const fixed_touch* f, vec3* p) {
  *p = vec3_axpy(-f->radius, f->t.n, f->at.x);
  const spatial V = against(w, f);
  return contact_force_at(&f->law, f->t.depth, f->t.n, contact_velocity(&V, *p));
}

vec3 td_contact_force(const td_model* m, const td_work* w, int contact, int ball, vec3* p) {
  const model_contact* c = &m->contact[contact];
  const model_ball* b = &m->ball[c->ball + ball];
  const contact_ball at = ball_at(m, w, b);
  const vec3 none = {0, 0, 0};
  const double r = w->num[b->radius];
  *p = at.x;
  if (c->kind == CONTACT_PIECES || hop_of(m, b) < 0) return none;
  const contact_touch t = touch(w, c, at.x, r);
  if (!(t.depth > 0)) return none;
  const fixed_touch f = {
      b, law_of(w, c, b->weight), t, at, r, hop_of(m, b), c->potential, drift_of(w, c)};
  return fixed_force(w, &f, p).F;
}

// ---- pairs ------------------------------------------------------------------------------------

typedef contact_interval interval;

// The pieces of a contact in order along an axis.
typedef struct sweep {
  interval* list;
  int axis;
  double widest;
} sweep;

// Where the balls of a piece are along an axis: what lies between them is inside.
static void piece_range(const td_model* m, const td_work* w, const model_piece* p, int axis,
                        double* lo, double* hi) {
  *lo = INFINITY;
  *hi = -INFINITY;
  for (int j = 0; j < p->nball; j++) {
    const contact_ball b = ball_at(m, w, &m->ball[p->ball + j]);
    *lo = fmin(*lo, vec3_at(b.x, axis) - b.r);
    *hi = fmax(*hi, vec3_at(b.x, axis) + b.r);
  }
}

static int widest_axis(const td_model* m, const td_work* w, const model_contact* c) {
  double spread[3];
  for (int axis = 0; axis < 3; axis++) {
    double lo = INFINITY, hi = -INFINITY;
    for (int i = c->piece; i < c->piece + c->npiece; i++) {
      const double x = vec3_at(ball_at(m, w, &m->ball[m->piece[i].ball]).x, axis);
      lo = fmin(lo, x);
      hi = fmax(hi, x);
    }
    spread[axis] = hi - lo;
  }
  return spread[0] >= spread[1] && spread[0] >= spread[2] ? 0 : spread[1] >= spread[2] ? 1 : 2;
}

static bool is_before(const interval* a, const interval* b) {
  return a->lo < b->lo || (a->lo == b->lo && a->piece < b->piece);
}

// Heap sort: in place, no worse for any order.
static void sift(interval* list, int n, int root) {
  const interval moved = list[root];
  for (int child; (child = 2 * root + 1) < n; root = child) {
    if (child + 1 < n && is_before(&list[child], &list[child + 1])) child++;
    if (!is_before(&moved, &list[child])) break;
    list[root] = list[child];
    list[child] = moved;
  }
}
static void sort_intervals(interval* list, int n) {
  for (int i = n / 2 - 1; i >= 0; i--) sift(list, n, i);
  for (int end = n - 1; end > 0; end--) {
    const interval last = list[end];
    list[end] = list[0];
    list[0] = last;
    sift(list, end, 0);
  }
}

static sweep sweep_new(const td_model* m, const td_work* w, const model_contact* c) {
  sweep s = {w->interval, widest_axis(m, w, c), 0};
  for (int i = 0; i < c->npiece; i++) {
    double lo, hi;
    piece_range(m, w, &m->piece[c->piece + i], s.axis, &lo, &hi);
    s.list[i] = (interval){lo, c->piece + i};
    s.widest = fmax(s.widest, hi - lo);
  }
  sort_intervals(s.list, c->npiece);
  return s;
}

// First place in the list whose interval may reach x.
static int sweep_from(const sweep* s, int n, double x) {
  int low = 0, high = n;
  while (low < high) {
    const int mid = low + (high - low) / 2;
    if (s->list[mid].lo < x - s->widest)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

typedef struct touching {
  const model_contact* c;
  const model_ball* a;
  const model_piece* piece;
  contact_law law;
  contact_ball at, b[3];
  contact_pair pair;
} touching;

static touching touch_piece(const td_model* m, const td_work* w, const model_contact* c,
                            const model_ball* a, const contact_ball* at, int piece) {
  const model_piece* p = &m->piece[piece];
  touching t = {.c = c, .a = a, .piece = p, .at = *at};
  t.law = law_of(w, c, a->weight);
  for (int j = 0; j < p->nball; j++) t.b[j] = ball_at(m, w, &m->ball[p->ball + j]);
  t.pair = contact_pair_at(&t.law, at, p->shape, t.b, c->arm);
  return t;
}

typedef void (*pair_visit)(const td_model* m, const td_work* w, const touching* t, void* data);

// What a ball touches: every ball of a body, but only the point of a rod in which it is deepest, so
// that nothing counts twice where its pieces meet and the energy has no jump.
static void each_touch(const td_model* m, const td_work* w, const model_contact* c, const sweep* s,
                       const model_ball* ball, pair_visit visit, void* data) {
  const contact_ball at = ball_at(m, w, ball);
  const double x = vec3_at(at.x, s->axis), r = w->num[ball->radius];
  touching deepest = {.pair = {.depth = 0}};
  for (int j = sweep_from(s, c->npiece, x - r); j < c->npiece && s->list[j].lo <= x + r; j++) {
    const touching t = touch_piece(m, w, c, ball, &at, s->list[j].piece);
    if (!(t.pair.depth > 0)) continue;
    if (!c->line) visit(m, w, &t, data);
    if (c->line && t.pair.depth > deepest.pair.depth) deepest = t;
  }
  if (deepest.pair.depth > 0) visit(m, w, &deepest, data);
}

// All pairs in contact, ball by ball and along the axis.
static void each_pair(const td_model* m, const td_work* w, pair_visit visit, void* data) {
  for (int i = 0; i < m->ncontact; i++) {
    const model_contact* c = &m->contact[i];
    if (c->kind != CONTACT_PIECES || c->npiece == 0) continue;
    const sweep s = sweep_new(m, w, c);
    for (int k = c->ball; k < c->ball + c->nball; k++)
      each_touch(m, w, c, &s, &m->ball[k], visit, data);
  }
}

// ---- forces -----------------------------------------------------------------------------------

static void add_to(const td_model* m, spatial* to, size_t stride, const model_ball* b, spatial f) {
  const int hop = hop_of(m, b);
  if (hop < 0) return;
  spatial* at = (spatial*)(void*)((char*)to + (size_t)hop * stride);
  *at = spatial_add(*at, f);
}

static void add_pair(const td_model* m, const td_work* w, const touching* t, void* data) {
  (void)data;
  const contact_pair* p = &t->pair;
  const size_t stride = sizeof(hop_work);
  spatial* f = &w->hop[0].f;
  add_to(m, f, stride, t->a, spatial_force(p->p, p->c.F, (vec3){0, 0, 0}));
  for (int j = 0; j < t->piece->nball; j++)
    add_to(m, f, stride, &m->ball[t->piece->ball + j],
           contact_pair_wrench(p, t->b[j].x, p->share[j]));
}

void td_contacts_add(const td_model* m, td_work* w, int which) {
  if (m->ncontact == 0 || !(which & FORCES_PASSIVE)) return;
  int contact = 0, ball = 0;
  for (fixed_touch f; next_fixed(m, w, &contact, &ball, &f);) {
    vec3 p;
    const contact_force c = fixed_force(w, &f, &p);
    hop_work* h = &w->hop[f.hop];
    h->f = spatial_add(h->f, spatial_force(p, c.F, (vec3){0, 0, 0}));
  }
  each_pair(m, w, add_pair, NULL);
}

// ---- derivatives ------------------------------------------------------------------------------

void td_contacts_blocks(const td_model* m, td_work* w) {
  int contact = 0, ball = 0;
  for (fixed_touch f; next_fixed(m, w, &contact, &ball, &f);) {
    const spatial V = against(w, &f);
    const station_force s = contact_at(&f.law, &f.t, f.at.x, f.radius, &V);
    td_block_add(w, f.hop, &s);
  }
}

typedef struct along {
  int col;
  bool rate;
  spatial* df;
} along;

static bool is_moved(const td_model* m, const touching* t, int hop) {
  bool moved = station_moves(m, t->a->station, hop);
  for (int j = 0; j < t->piece->nball; j++)
    moved = moved || station_moves(m, m->ball[t->piece->ball + j].station, hop);
  return moved;
}

// d: changes of the balls of the piece.
static contact_pair_change pair_change(const td_model* m, const td_work* w, const touching* t,
                                       int col, bool rate, contact_ball* da, contact_ball d[3]) {
  *da = ball_change(m, w, t->a, col, rate);
  for (int j = 0; j < 3; j++)
    d[j] = j < t->piece->nball ? ball_change(m, w, &m->ball[t->piece->ball + j], col, rate)
                               : (contact_ball){.r = 0};
  return contact_pair_change_at(&t->law, t->piece->shape, &t->pair, &t->at, da, d);
}

static void change_pair(const td_model* m, const td_work* w, const touching* t, void* data) {
  const along* a = data;
  const contact_pair* p = &t->pair;
  if (!is_moved(m, t, m->col[a->col].hop)) return;
  contact_ball da, d[3];
  const contact_pair_change c = pair_change(m, w, t, a->col, a->rate, &da, d);
  const vec3 none = {0, 0, 0};
  add_to(m, a->df, sizeof *a->df, t->a, spatial_force_change(p->p, p->c.F, c.p, c.F, none));
  for (int j = 0; j < t->piece->nball; j++)
    add_to(m, a->df, sizeof *a->df, &m->ball[t->piece->ball + j],
           contact_pair_wrench_change(p, &c, t->b[j].x, d[j].x, p->share[j], c.share[j]));
}

void td_contacts_change(const td_model* m, const td_work* w, int col, bool rate, spatial* df) {
  along a = {col, rate, df};
  if (col >= 0 && m->npiece > 0) each_pair(m, w, change_pair, &a);
}

// ---- energy and power -------------------------------------------------------------------------

typedef struct total {
  int col;
  double sum;
} total;

static void pair_energy(const td_model* m, const td_work* w, const touching* t, void* data) {
  (void)m;
  (void)w;
  if (t->c->potential) ((total*)data)->sum += t->pair.c.normal.energy;
}

double td_contacts_energy(const td_model* m, const td_work* w) {
  total e = {0};
  int contact = 0, ball = 0;
  for (fixed_touch f; next_fixed(m, w, &contact, &ball, &f);)
    if (f.potential) e.sum += contact_normal_at(&f.law, f.t.depth, 0).energy;
  each_pair(m, w, pair_energy, &e);
  return e.sum;
}

// The elastic force works on the change of depth.
static void pair_energy_change(const td_model* m, const td_work* w, const touching* t, void* data) {
  total* e = data;
  contact_ball da, d[3];
  if (!t->c->potential) return;
  (void)pair_change(m, w, t, e->col, false, &da, d);
  const contact_ball b = ball_sum(d, t->pair.share);
  e->sum -= t->pair.c.normal.elastic * vec3_dot(t->pair.n, vec3_sub(da.x, b.x));
}

double td_contacts_energy_change(const td_model* m, const td_work* w, int col) {
  total e = {.col = col};
  int contact = 0, ball = 0;
  for (fixed_touch f; next_fixed(m, w, &contact, &ball, &f);) {
    if (!f.potential) continue;
    const vec3 dx = ball_change(m, w, f.ball, col, false).x;
    e.sum -= contact_normal_at(&f.law, f.t.depth, 0).elastic * vec3_dot(f.t.n, dx);
  }
  each_pair(m, w, pair_energy_change, &e);
  return e.sum;
}

// Everything but the elastic force, whose power is that of -energy:  depth' = w.
static double loss(const contact_force* c, bool potential) {
  return vec3_dot(c->F, c->v) + (potential ? c->normal.elastic * c->w : 0);
}

static void pair_power(const td_model* m, const td_work* w, const touching* t, void* data) {
  (void)m;
  (void)w;
  ((total*)data)->sum += loss(&t->pair.c, t->c->potential);
}

double td_contacts_power(const td_model* m, const td_work* w) {
  total e = {0};
  int contact = 0, ball = 0;
  for (fixed_touch f; next_fixed(m, w, &contact, &ball, &f);) {
    vec3 p;
    const contact_force c = fixed_force(w, &f, &p);
    e.sum += loss(&c, f.potential) + vec3_dot(c.F, f.drift);
  }
  each_pair(m, w, pair_power, &e);
  return e.sum;
}

// ---- gaps -------------------------------------------------------------------------------------

// Distances that are not looked for beyond this many times the widest piece of a large contact
#define FAR 4
#define FEW_PAIRS 20000

static void fixed_gaps(const td_model* m, const td_work* w, const model_contact* c, double* gap,
                       double* speed) {
  const vec3 axis = vec3_of(w->num + c->direction), drift = drift_of(w, c);
  for (int k = c->ball; k < c->ball + c->nball; k++) {
    const model_ball* b = &m->ball[k];
    if (hop_of(m, b) < 0) continue;
    const contact_ball at = ball_at(m, w, b);
    const vec3 v = vec3_sub(at.v, drift);
    gap[k] = -touch(w, c, at.x, w->num[b->radius]).depth;
    const double closing = vec3_dot(v, axis) / vec3_norm(axis), all = vec3_norm(v);
    speed[k] = c->kind == CONTACT_PLANE    ? fabs(closing)
               : c->kind == CONTACT_SPHERE ? all
                                           : sqrt(fmax(0, all * all - closing * closing));
  }
}

static void piece_gaps(const td_model* m, const td_work* w, const model_contact* c, double* gap,
                       double* speed) {
  const bool few = (double)c->nball * c->npiece <= FEW_PAIRS;
  const sweep s = few ? (sweep){0} : sweep_new(m, w, c);
  double fastest = 0;
  for (int j = c->piece; j < c->piece + c->npiece; j++) {
    const model_piece* p = &m->piece[j];
    for (int k = p->ball; k < p->ball + p->nball; k++)
      fastest = fmax(fastest, vec3_norm(ball_at(m, w, &m->ball[k]).v));
  }
  for (int k = c->ball; k < c->ball + c->nball; k++) {
    const contact_ball at = ball_at(m, w, &m->ball[k]);
    const double r = w->num[m->ball[k].radius], far = FAR * s.widest;
    const double x = few ? 0 : vec3_at(at.x, s.axis);
    int j = few ? 0 : sweep_from(&s, c->npiece, x - r - far);
    if (!few) gap[k] = far;
    for (; j < c->npiece && (few || s.list[j].lo <= x + r + far); j++) {
      const int piece = few ? c->piece + j : s.list[j].piece;
      const touching t = touch_piece(m, w, c, &m->ball[k], &at, piece);
      gap[k] = fmin(gap[k], t.pair.distance - r - t.pair.b.r);
    }
    speed[k] = vec3_norm(at.v) + fastest;
  }
}

void td_contact_gaps(const td_model* m, const td_work* w, double* gap, double* speed) {
  for (int k = 0; k < m->nball; k++) gap[k] = INFINITY, speed[k] = 0;
  for (int i = 0; i < m->ncontact; i++) {
    const model_contact* c = &m->contact[i];
    if (c->kind != CONTACT_PIECES) fixed_gaps(m, w, c, gap, speed);
    if (c->kind == CONTACT_PIECES && c->npiece > 0) piece_gaps(m, w, c, gap, speed);
  }
}

// ---- at the start -----------------------------------------------------------------------------

typedef struct deepest {
  const model_contact* contact;
  double depth;
} deepest;

static void pair_depth(const td_model* m, const td_work* w, const touching* t, void* data) {
  (void)m;
  (void)w;
  deepest* d = data;
  if (t->c == d->contact) d->depth = fmax(d->depth, t->pair.depth);
}

double td_contact_depth(const td_model* m, const td_work* w, int i) {
  deepest d = {&m->contact[i], 0};
  int contact = i, ball = 0;
  for (fixed_touch f; next_fixed(m, w, &contact, &ball, &f) && contact == i;)
    d.depth = fmax(d.depth, f.t.depth);
  each_pair(m, w, pair_depth, &d);
  return d.depth;
}
