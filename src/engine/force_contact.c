// Contact of rods and bodies with fixed objects and with each other.
//
// Single balls against fixed objects are forces on single stations, with derivatives by blocks. All
// others (points along a rod, balls against pieces) are pairs, whose forces act on the balls that
// their points are made of; contact_search.c finds them.
#include "engine/force_contact.h"

#include "engine/adjoint.h"

#include <math.h>
#include <string.h>

static contact_ball ball_change(const td_model* m, const td_work* w, const model_ball* b, int col,
                                bool rate) {
  const frame_change d = td_frame_change(m, w, b->station, col, rate);
  const double dr = w->along ? w->dnum[b->radius] : 0;
  if (b->centre == NUM_NONE) return (contact_ball){d.p, d.v, d.w, dr};
  const frame f = td_frame(m, w, b->station);
  const vec3 arm = td_ball_arm(w, b, &f);
  vec3 darm = vec3_cross(d.turn, arm);
  if (w->along) darm = vec3_add(darm, mat3_apply(f.R, vec3_of(w->dnum + b->centre)));
  return (contact_ball){vec3_add(d.p, darm),
                        vec3_add(d.v, vec3_add(vec3_cross(d.w, arm), vec3_cross(f.w, darm))), d.w,
                        dr};
}

// The changes of a contact's law along w->along, for the weight that the law has.
static contact_law law_along(const td_work* w, const model_contact* c, double weight) {
  const double* x = w->dnum + c->law;
  return (contact_law){.k = weight * x[0],
                       .d = c->approach ? weight * x[1] : x[1],
                       .e = x[2],
                       .mu = x[3],
                       .slip = x[4]};
}

// Change of a contact of a ball at x with a fixed object along the numbers of the object.
static contact_object_change object_along(const td_work* w, const model_contact* c, vec3 x,
                                          double r) {
  const fixed_shape s = contact_object(w, c);
  const fixed_shape ds = {vec3_of(w->dnum + c->point), td_unit_change(w, c->direction, s.u),
                          w->dnum[c->radius]};
  contact_object_change d = shape_of(c)->numbers_diff(&s, &ds, x, r);
  if (c->drift != NUM_NONE) d.v = vec3_of(w->dnum + c->drift);
  return d;
}

static int hop_of(const td_model* m, const model_ball* b) {
  return b->station < 0 ? -1 : m->station[b->station].hop;
}

// ---- single balls and fixed objects -----------------------------------------------------------

// A ball in contact with a fixed object, as next_fixed() finds it.
typedef struct fixed_touch {
  const model_contact* contact;
  const model_ball* ball;
  contact_law law;
  contact_touch t;
  contact_ball at;
  int hop;
  bool potential;
  vec3 drift;
} fixed_touch;

// The next ball in contact from (contact, ball) on; false: there is none.
static bool next_fixed(const td_model* m, const td_work* w, int* contact, int* ball,
                       fixed_touch* out) {
  td_contact_lines(m, w);
  for (; *contact < m->ncontact; ++*contact, *ball = 0) {
    const model_contact* c = &m->contact[*contact];
    for (; c->fixed && *ball < c->nball; ++*ball) {
      const model_ball* b = &m->ball[c->ball + *ball];
      if (hop_of(m, b) < 0) continue;
      const contact_ball at = w->contact_ball[c->ball + *ball];
      const contact_touch t = td_touch_fixed(w, c, at.x, at.r);
      if (!(t.depth > 0)) continue;
      *out = (fixed_touch){c,
                           b,
                           td_contact_law(w, c, b->weight),
                           t,
                           at,
                           hop_of(m, b),
                           c->potential,
                           td_contact_drift(w, c)};
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
  *p = vec3_axpy(-f->at.r, f->t.n, f->at.x);
  const spatial V = against(w, f);
  return contact_force_at(&f->law, f->t.depth, f->t.n, contact_velocity(&V, *p));
}

// ---- forces -----------------------------------------------------------------------------------

// The balls that A and B of a pair are made of.
typedef struct pair_sides {
  int a, na, b, nb;
} pair_sides;

static pair_sides sides_of(const td_model* m, const contact_touching* t) {
  pair_sides s = {.a = t->ball, .na = 1};
  if (t->a >= 0) s.a = m->piece[t->a].ball, s.na = m->piece[t->a].nball;
  if (t->b >= 0) s.b = m->piece[t->b].ball, s.nb = m->piece[t->b].nball;
  return s;
}

static void add_to(const td_model* m, spatial* to, size_t stride, int ball, spatial f) {
  const int hop = hop_of(m, &m->ball[ball]);
  if (hop < 0) return;
  spatial* at = (spatial*)(void*)((char*)to + (size_t)hop * stride);
  *at = spatial_add(*at, f);
}

static void add_pair(const td_model* m, const td_work* w, const contact_touching* t, void* data) {
  (void)data;
  const contact_pair* p = &t->pair;
  const pair_sides s = sides_of(m, t);
  spatial* f = &w->hop[0].f;
  for (int j = 0; j < s.na; j++)
    add_to(m, f, sizeof(hop_work), s.a + j,
           contact_pair_wrench(p, p->a.x, w->contact_ball[s.a + j].x, p->a_share[j]));
  for (int j = 0; j < s.nb; j++)
    add_to(m, f, sizeof(hop_work), s.b + j,
           contact_pair_wrench(p, p->b.x, w->contact_ball[s.b + j].x, -p->share[j]));
}

static void add(const td_model* m, td_work* w, int which) {
  if (m->ncontact == 0 || !(which & FORCES_PASSIVE)) return;
  int contact = 0, ball = 0;
  for (fixed_touch f; next_fixed(m, w, &contact, &ball, &f);) {
    vec3 p;
    const contact_force c = fixed_force(w, &f, &p);
    hop_work* h = &w->hop[f.hop];
    h->f = spatial_add(h->f, spatial_force(p, c.F, (vec3){0, 0, 0}));
  }
  td_each_touch(m, w, add_pair, NULL);
}

// The force of a fixed object on a ball or a piece.
typedef struct shown_force {
  int contact, a;
  vec3 F, p;
  double sum;
} shown_force;

static void show_pair(const td_model* m, const td_work* w, const contact_touching* t, void* data) {
  (void)m;
  (void)w;
  shown_force* s = data;
  if (t->contact != s->contact || t->a != s->a) return;
  const double size = vec3_norm(t->pair.c.F);
  s->F = vec3_add(s->F, t->pair.c.F);
  s->p = vec3_axpy(size, t->pair.p, s->p);
  s->sum += size;
}

vec3 td_contact_force(const td_model* m, const td_work* w, int contact, int k, vec3* p) {
  const model_contact* c = &m->contact[contact];
  td_contact_lines(m, w);
  if (c->nalong > 0) {
    shown_force s = {.contact = contact, .a = c->along + k};
    *p = contact_spot_at(&w->contact_line[c->along + k], 0.5).x;
    td_each_touch(m, w, show_pair, &s);
    if (s.sum > 0) *p = vec3_scale(1 / s.sum, s.p);
    return s.F;
  }
  int at = contact, ball = k;
  fixed_touch f;
  *p = w->contact_ball[c->ball + k].x;
  if (!c->fixed || !next_fixed(m, w, &at, &ball, &f)) return (vec3){0, 0, 0};
  if (at != contact || ball != k + 1) return (vec3){0, 0, 0};
  return fixed_force(w, &f, p).F;
}

// ---- derivatives ------------------------------------------------------------------------------

static void blocks(const td_model* m, td_work* w) {
  int contact = 0, ball = 0;
  for (fixed_touch f; next_fixed(m, w, &contact, &ball, &f);) {
    const spatial V = against(w, &f);
    const station_force s = contact_at(&f.law, &f.t, f.at.x, f.at.r, &V);
    td_block_add(w, f.hop, &s);
  }
}

// Changes along a column.  Points of one piece follow each other, and so do the changes of its
// balls.
typedef struct along {
  int col;
  bool rate;
  spatial* df;
  double sum;
  int a, b;  // first balls whose changes are known, -1: none
  contact_ball da[CONTACT_BALLS], db[CONTACT_BALLS];
  int stretch;    // whose ends' motion is known, -1: none
  double end[2];  // that
} along;

static bool is_moved(const td_model* m, const pair_sides* s, int hop) {
  bool moved = false;
  for (int j = s->a; j < s->a + s->na; j++)
    moved = moved || station_moves(m, m->ball[j].station, hop);
  for (int j = s->b; j < s->b + s->nb; j++)
    moved = moved || station_moves(m, m->ball[j].station, hop);
  return moved;
}

static void change_balls(const td_model* m, const td_work* w, const pair_sides* s, along* c) {
  for (int j = 0; j < s->na && c->a != s->a; j++)
    c->da[j] = ball_change(m, w, &m->ball[s->a + j], c->col, c->rate);
  for (int j = 0; j < s->nb && c->b != s->b; j++)
    c->db[j] = ball_change(m, w, &m->ball[s->b + j], c->col, c->rate);
  c->a = s->a;
  if (s->nb > 0) c->b = s->b;
}

// Does the column, or the direction, move a ball?
static bool moves_ball(const td_model* m, int ball, int col) {
  return col == ALONG || station_moves(m, m->ball[ball].station, m->col[col].hop);
}

// How the depth at an end of a stretch changes with radii and with what is fixed.
static double deeper_end(const td_model* m, const td_work* w, const model_piece* p,
                         const contact_end* e, int contact) {
  const contact_ball at = ball_sum(p->nball, &w->contact_ball[p->ball], e->a_share);
  const model_piece* b = e->b >= 0 ? &m->piece[e->b] : NULL;
  double sum = b ? 0 : object_along(w, &m->contact[contact], at.x, at.r).depth;
  for (int j = 0; j < p->nball; j++) sum += e->a_share[j] * w->dnum[m->ball[p->ball + j].radius];
  for (int j = 0; b && j < b->nball; j++) sum += e->share[j] * w->dnum[m->ball[b->ball + j].radius];
  return sum;
}

// How the ends of a stretch move along its piece.
static void change_ends(const td_model* m, const td_work* w, int stretch, along* c) {
  const contact_stretch* s = &w->stretch[stretch];
  const model_piece* p = &m->piece[s->a];
  if (c->stretch == stretch) return;
  c->stretch = stretch;
  for (int k = 0; k < 2; k++) {
    const contact_end* e = &s->end[k];
    double moved = 0;
    for (int j = 0; j < p->nball && e->slope != 0; j++)
      if (moves_ball(m, p->ball + j, c->col))
        moved += e->a_share[j] *
                 vec3_dot(e->n, ball_change(m, w, &m->ball[p->ball + j], c->col, false).x);
    const model_piece* b = e->slope != 0 && e->b >= 0 ? &m->piece[e->b] : NULL;
    for (int j = 0; b && j < b->nball; j++)
      if (moves_ball(m, b->ball + j, c->col))
        moved -=
            e->share[j] * vec3_dot(e->n, ball_change(m, w, &m->ball[b->ball + j], c->col, false).x);
    if (c->col == ALONG && e->slope != 0) moved -= deeper_end(m, w, p, e, s->contact);
    // the depth there, which has changed by -moved, comes back to 0
    c->end[k] = e->slope != 0 ? moved / e->slope : 0;
  }
}

// Change of a pair; false: there is none.  *grown: how much longer the part of its stretch gets
// that it stands for, as a fraction.
static bool pair_along(const td_model* m, const td_work* w, const contact_touching* t, along* c,
                       contact_pair_change* d, double* grown) {
  const contact_pair* p = &t->pair;
  const pair_sides s = sides_of(m, t);

  // the points of a stretch follow its ends
  double dt = 0;
  *grown = 0;
  if (t->stretch >= 0 && !c->rate) {
    change_ends(m, w, t->stretch, c);
    dt = c->end[0] + t->along * (c->end[1] - c->end[0]);
    *grown = (c->end[1] - c->end[0]) / w->stretch[t->stretch].length;
  }
  const bool all = c->col == ALONG;
  if (!all && dt == 0 && *grown == 0 && !is_moved(m, &s, m->col[c->col].hop)) return false;
  change_balls(m, w, &s, c);
  contact_object_change object = {.depth = 0};
  if (all && s.nb == 0) object = object_along(w, &m->contact[t->contact], p->a.x, p->a.r);
  *d = contact_pair_change_at(p, s.na, c->da, s.nb, c->db, dt, *grown, object);
  return true;
}

// Changes of the wrenches of a pair on its balls for its change d and those of the balls; with
// `numbers` also for the change of its law.
static void wrenches_change(const td_model* m, const td_work* w, const contact_touching* t,
                            contact_pair_change d, const contact_ball da[CONTACT_BALLS],
                            const contact_ball db[CONTACT_BALLS], bool numbers, spatial* on_a,
                            spatial* on_b) {
  const contact_pair* p = &t->pair;
  const pair_sides s = sides_of(m, t);
  if (numbers) {
    const contact_law own = law_along(w, &m->contact[t->contact], p->law.weight);
    d.F = vec3_add(d.F, contact_law_change(&p->law, &own, &p->c, p->depth));
  }
  for (int j = 0; j < s.na; j++)
    on_a[j] = contact_pair_wrench_change(p, &d, p->a.x, d.a.x, w->contact_ball[s.a + j].x, da[j].x,
                                         p->a_share[j], d.a_share[j]);
  for (int j = 0; j < s.nb; j++)
    on_b[j] = contact_pair_wrench_change(p, &d, p->b.x, d.b.x, w->contact_ball[s.b + j].x, db[j].x,
                                         -p->share[j], -d.share[j]);
}

static void change_pair(const td_model* m, const td_work* w, const contact_touching* t,
                        void* data) {
  along* c = data;
  const contact_pair* p = &t->pair;
  const pair_sides s = sides_of(m, t);
  contact_pair_change d;
  double grown;
  if (c->rate && p->law.d == 0 && p->law.mu == 0) return;
  if (!pair_along(m, w, t, c, &d, &grown)) return;
  spatial on_a[CONTACT_BALLS], on_b[CONTACT_BALLS];
  wrenches_change(m, w, t, d, c->da, c->db, c->col == ALONG, on_a, on_b);
  for (int j = 0; j < s.na; j++) add_to(m, c->df, sizeof *c->df, s.a + j, on_a[j]);
  for (int j = 0; j < s.nb; j++) add_to(m, c->df, sizeof *c->df, s.b + j, on_b[j]);
}

// Change of the wrench on a single ball for changes d of the ball, dV of the twist of its hop, o of
// the object, and of the numbers of its law.
static spatial fixed_change(const td_work* w, const fixed_touch* f, const contact_ball* d,
                            const spatial* dV, const contact_object_change* o) {
  const vec3 none = {0, 0, 0};
  const spatial V = against(w, f);
  const contact_law own = law_along(w, f->contact, f->law.weight);
  const vec3 dn = vec3_add(mat3_apply(f->t.dn, d->x), o->n);
  const vec3 dp = vec3_axpy(-d->r, f->t.n, vec3_axpy(-f->at.r, dn, d->x));
  vec3 p;
  const contact_force c = fixed_force(w, f, &p);
  const vec3 dv = vec3_sub(vec3_add(contact_velocity(dV, p), vec3_cross(spatial_r(&V), dp)), o->v);
  const double deeper = d->r - vec3_dot(f->t.n, d->x) + o->depth;
  const vec3 dF = vec3_add(contact_force_change(&f->law, &c, deeper, dn, dv),
                           contact_law_change(&f->law, &own, &c, f->t.depth));
  return spatial_force_change(p, c.F, dp, dF, none);
}

// Single balls on fixed objects, whose changes along columns are among the blocks.
static void fixed_along(const td_model* m, td_work* w, spatial* df) {
  int contact = 0, ball = 0;
  for (fixed_touch f; next_fixed(m, w, &contact, &ball, &f);) {
    const hop_change* h = &w->along->hop[f.hop];
    const spatial turned = spatial_cross(&h->X, &w->hop[f.hop].V), dV = spatial_add(turned, h->U);
    const contact_ball d = ball_change(m, w, f.ball, ALONG, false);
    const contact_object_change o = object_along(w, f.contact, f.at.x, f.at.r);
    df[f.hop] = spatial_add(df[f.hop], fixed_change(w, &f, &d, &dV, &o));
  }
}

static void diff(const td_model* m, td_work* w, int col, bool rate, spatial* df) {
  along c = {.col = col, .rate = rate, .df = df, .a = -1, .b = -1, .stretch = -1};
  if (col == ALONG && m->ncontact > 0) fixed_along(m, w, df);
  if ((col >= 0 || col == ALONG) && m->npiece > 0) td_each_touch(m, w, change_pair, &c);
}

// ---- their transpose --------------------------------------------------------------------------

// Weights of the change of a ball (ball_change).
static void ball_reverse(const td_model* m, const td_work* w, const model_ball* ball,
                         const contact_ball* bar, adjoint* b) {
  frame_change to = {.p = bar->x, .v = bar->v, .w = bar->w};
  b->n[ball->radius] += bar->r;
  if (ball->centre != NUM_NONE) {
    const frame f = td_frame(m, w, ball->station);
    const vec3 arm = td_ball_arm(w, ball, &f), moved = vec3_add(bar->x, vec3_cross(bar->v, f.w));
    to.turn = vec3_cross(arm, moved);
    to.w = vec3_add(to.w, vec3_cross(arm, bar->v));
    add3(b->n + ball->centre, mat3_apply_t(f.R, moved));
  }
  td_frame_reverse(m, w, ball->station, &to, b);
}

// A fixed object as a ball at x feels it, with weights of its changes.
typedef struct weighed_object {
  const model_contact* c;
  vec3 x;
  double r;
  contact_object_change bar;
} weighed_object;

static double object_change(const td_model* m, td_work* w, void* what) {
  (void)m;
  const weighed_object* o = what;
  const contact_object_change d = object_along(w, o->c, o->x, o->r);
  return o->bar.depth * d.depth + vec3_dot(o->bar.n, d.n) + vec3_dot(o->bar.v, d.v);
}

static void object_reverse(const td_model* m, td_work* w, weighed_object* o, adjoint* b) {
  const change_rule rule = {object_change, o};
  td_unit_numbers(m, w, rule, o->c->point, 3, b);
  td_unit_numbers(m, w, rule, o->c->direction, 3, b);
  if (o->c->radius != NUM_NONE) td_unit_numbers(m, w, rule, o->c->radius, 1, b);
  if (o->c->drift != NUM_NONE) td_unit_numbers(m, w, rule, o->c->drift, 3, b);
}

// A ball on a fixed object: the changes of the ball, of the twist of its hop and of the object, and
// the weight of its wrench.
typedef struct weighed_touch {
  const fixed_touch* f;
  contact_ball d;
  spatial dV, on;
  contact_object_change o;
} weighed_touch;

static double touch_change(const td_model* m, td_work* w, void* what) {
  (void)m;
  const weighed_touch* e = what;
  const spatial change = fixed_change(w, e->f, &e->d, &e->dV, &e->o);
  return spatial_dot(&e->on, &change);
}

static void fixed_reverse(const td_model* m, td_work* w, adjoint* b) {
  int contact = 0, ball = 0;
  for (fixed_touch f; next_fixed(m, w, &contact, &ball, &f);) {
    weighed_touch e = {.f = &f, .on = b->f[f.hop]};
    weighed_object object = {.c = f.contact, .x = f.at.x, .r = f.at.r};
    const change_rule rule = {touch_change, &e};
    contact_ball to = {.r = 0};
    spatial V = spatial_zero();
    td_units(m, w, rule, &e.d.x.x, 3, &to.x.x);
    td_units(m, w, rule, &e.d.r, 1, &to.r);
    td_units(m, w, rule, e.dV.a, 6, V.a);
    td_units(m, w, rule, &e.o.depth, 1, &object.bar.depth);
    td_units(m, w, rule, &e.o.n.x, 3, &object.bar.n.x);
    td_units(m, w, rule, &e.o.v.x, 3, &object.bar.v.x);
    td_unit_numbers(m, w, rule, f.contact->law, 5, b);
    object_reverse(m, w, &object, b);
    ball_reverse(m, w, f.ball, &to, b);
    hop_change* c = &b->hop[f.hop];
    c->X = spatial_add(c->X, spatial_cross_force(&w->hop[f.hop].V, &V));
    c->U = spatial_add(c->U, V);
  }
}

// A pair: the changes of its balls, of the ends of its stretch and of a fixed object, and the
// weights of its wrenches.  The balls of A, of which the pair takes a mean alone, change together.
typedef struct weighed_pair {
  const contact_touching* t;
  contact_ball a, db[CONTACT_BALLS];
  double end[2];
  contact_object_change object;
  spatial on_a[CONTACT_BALLS], on_b[CONTACT_BALLS];
} weighed_pair;

static double pair_change(const td_model* m, td_work* w, void* what) {
  const weighed_pair* e = what;
  const pair_sides s = sides_of(m, e->t);
  spatial on_a[CONTACT_BALLS], on_b[CONTACT_BALLS];
  const contact_ball da[CONTACT_BALLS] = {e->a, e->a, e->a, e->a};
  double sum = 0;
  const double apart = e->end[1] - e->end[0], dt = e->end[0] + e->t->along * apart,
               grown = e->t->stretch >= 0 ? apart / w->stretch[e->t->stretch].length : 0;
  const contact_pair_change d =
      contact_pair_change_at(&e->t->pair, s.na, da, s.nb, e->db, dt, grown, e->object);
  wrenches_change(m, w, e->t, d, da, e->db, true, on_a, on_b);
  for (int j = 0; j < s.na; j++) sum += spatial_dot(&e->on_a[j], &on_a[j]);
  for (int j = 0; j < s.nb; j++) sum += spatial_dot(&e->on_b[j], &on_b[j]);
  return sum;
}

// Weights of the balls at an end of a stretch that moves along its piece (change_ends).
static void end_reverse(const td_model* m, td_work* w, const contact_stretch* s, int k, double bar,
                        adjoint* b) {
  const contact_end* e = &s->end[k];
  if (e->slope == 0) return;
  const double moved = bar / e->slope;
  const model_piece *p = &m->piece[s->a], *other = e->b >= 0 ? &m->piece[e->b] : NULL;
  for (int j = 0; j < p->nball; j++) {
    const contact_ball to = {.x = vec3_scale(moved * e->a_share[j], e->n),
                             .r = -moved * e->a_share[j]};
    ball_reverse(m, w, &m->ball[p->ball + j], &to, b);
  }
  for (int j = 0; other && j < other->nball; j++) {
    const contact_ball to = {.x = vec3_scale(-moved * e->share[j], e->n),
                             .r = -moved * e->share[j]};
    ball_reverse(m, w, &m->ball[other->ball + j], &to, b);
  }
  if (other) return;
  const contact_ball at = ball_sum(p->nball, &w->contact_ball[p->ball], e->a_share);
  weighed_object o = {&m->contact[s->contact], at.x, at.r, {.depth = -moved}};
  object_reverse(m, w, &o, b);
}

// Weights of the ends of a stretch are gathered over its points, which follow each other.
typedef struct pairs_reverse {
  td_work* w;
  adjoint* b;
  int stretch;  // -1: none
  double end[2];
} pairs_reverse;

static void ends_reverse(const td_model* m, pairs_reverse* r) {
  for (int k = 0; k < 2 && r->stretch >= 0; k++) {
    end_reverse(m, r->w, &r->w->stretch[r->stretch], k, r->end[k], r->b);
    r->end[k] = 0;
  }
}

static void pair_reverse(const td_model* m, const td_work* unused, const contact_touching* t,
                         void* data) {
  (void)unused;
  enum { BALL = 10 };
  pairs_reverse* r = data;
  td_work* w = r->w;
  adjoint* b = r->b;
  const pair_sides s = sides_of(m, t);
  weighed_pair e = {.t = t};
  const change_rule rule = {pair_change, &e};
  for (int j = 0; j < s.na; j++) e.on_a[j] = wrench_weight(m, m->ball[s.a + j].station, b);
  for (int j = 0; j < s.nb; j++) e.on_b[j] = wrench_weight(m, m->ball[s.b + j].station, b);

  // the balls of A by their shares, and each by the arm of its own force
  contact_ball all = {.r = 0};
  vec3 own[CONTACT_BALLS];
  td_units(m, w, rule, &e.a.x.x, BALL, &all.x.x);
  for (int j = 0; j < s.na; j++) {
    own[j] = vec3_scale(t->pair.a_share[j], vec3_cross(t->pair.c.F, spatial_r(&e.on_a[j])));
    all.x = vec3_sub(all.x, own[j]);
  }
  for (int j = 0; j < s.na; j++) {
    const double share = t->pair.a_share[j];
    const contact_ball to = {vec3_axpy(share, all.x, own[j]), vec3_scale(share, all.v),
                             vec3_scale(share, all.w), share * all.r};
    ball_reverse(m, w, &m->ball[s.a + j], &to, b);
  }

  // those of B
  for (int j = 0; j < s.nb; j++) {
    contact_ball to = {.r = 0};
    td_units(m, w, rule, &e.db[j].x.x, BALL, &to.x.x);
    ball_reverse(m, w, &m->ball[s.b + j], &to, b);
  }

  // the stretch whose point it is, the fixed object and the law
  if (t->stretch != r->stretch) ends_reverse(m, r);
  r->stretch = t->stretch;
  if (t->stretch >= 0) td_units(m, w, rule, e.end, 2, r->end);
  if (s.nb == 0) {
    weighed_object o = {.c = &m->contact[t->contact], .x = t->pair.a.x, .r = t->pair.a.r};
    td_units(m, w, rule, &e.object.depth, 1, &o.bar.depth);
    td_units(m, w, rule, &e.object.n.x, 3, &o.bar.n.x);
    td_units(m, w, rule, &e.object.v.x, 3, &o.bar.v.x);
    object_reverse(m, w, &o, b);
  }
  td_unit_numbers(m, w, rule, m->contact[t->contact].law, 5, b);
}

static void reverse(const td_model* m, td_work* w, struct adjoint* b) {
  pairs_reverse all = {w, b, -1, {0, 0}};
  if (m->ncontact > 0) fixed_reverse(m, w, b);
  if (m->npiece == 0) return;
  td_each_touch(m, w, pair_reverse, &all);
  ends_reverse(m, &all);
}

// ---- energy and power -------------------------------------------------------------------------

static void pair_energy(const td_model* m, const td_work* w, const contact_touching* t,
                        void* data) {
  (void)w;
  if (m->contact[t->contact].potential) *(double*)data += t->pair.c.normal.energy;
}

static double energy(const td_model* m, const td_work* w) {
  double sum = 0;
  int contact = 0, ball = 0;
  for (fixed_touch f; next_fixed(m, w, &contact, &ball, &f);)
    if (f.potential) sum += contact_normal_at(&f.law, f.t.depth, 0).energy;
  td_each_touch(m, w, pair_energy, &sum);
  return sum;
}

// The change of a contact's law; none along a column.
static contact_law law_change(const td_work* w, const model_contact* c, double weight, int col) {
  return col == ALONG ? law_along(w, c, weight) : (contact_law){.k = 0};
}

static void pair_energy_change(const td_model* m, const td_work* w, const contact_touching* t,
                               void* data) {
  along* c = data;
  const contact_pair* p = &t->pair;
  const model_contact* contact = &m->contact[t->contact];
  contact_pair_change d;
  double grown;
  if (!contact->potential || !pair_along(m, w, t, c, &d, &grown)) return;
  const contact_law own = law_change(w, contact, p->law.weight, c->col);
  c->sum += contact_energy_change(&p->law, &own, &p->c.normal, p->depth, d.deeper) +
            grown * p->c.normal.energy;
}

// The elastic force works on the change of depth.
static double energy_diff(const td_model* m, const td_work* w, int col) {
  along c = {.col = col, .a = -1, .b = -1, .stretch = -1};
  int contact = 0, ball = 0;
  for (fixed_touch f; next_fixed(m, w, &contact, &ball, &f);) {
    if (!f.potential) continue;
    const contact_normal v = contact_normal_at(&f.law, f.t.depth, 0);
    const contact_ball d = ball_change(m, w, f.ball, col, false);
    const contact_law own = law_change(w, f.contact, f.law.weight, col);
    double deeper = d.r - vec3_dot(f.t.n, d.x);
    if (col == ALONG) deeper += object_along(w, f.contact, f.at.x, f.at.r).depth;
    c.sum += contact_energy_change(&f.law, &own, &v, f.t.depth, deeper);
  }
  td_each_touch(m, w, pair_energy_change, &c);
  return c.sum;
}

// Everything but the elastic force, whose power is that of -energy:  depth' = w.
static double loss(const contact_force* c, bool potential) {
  return vec3_dot(c->F, c->v) + (potential ? c->normal.elastic * c->w : 0);
}

static void pair_power(const td_model* m, const td_work* w, const contact_touching* t, void* data) {
  (void)w;
  const contact_pair* p = &t->pair;
  const double drift = t->b < 0 ? vec3_dot(p->c.F, p->b.v) : 0;
  *(double*)data += loss(&p->c, m->contact[t->contact].potential) + drift;
}

static double power(const td_model* m, const td_work* w, bool known) {
  (void)known;
  double sum = 0;
  int contact = 0, ball = 0;
  for (fixed_touch f; next_fixed(m, w, &contact, &ball, &f);) {
    vec3 p;
    const contact_force c = fixed_force(w, &f, &p);
    sum += loss(&c, f.potential) + vec3_dot(c.F, f.drift);
  }
  td_each_touch(m, w, pair_power, &sum);
  return sum;
}

// ---- at the start -----------------------------------------------------------------------------

typedef struct deepest {
  int contact;
  double depth;
} deepest;

static void pair_depth(const td_model* m, const td_work* w, const contact_touching* t, void* data) {
  (void)m;
  (void)w;
  deepest* d = data;
  if (t->contact == d->contact) d->depth = fmax(d->depth, t->pair.depth);
}

double td_contact_depth(const td_model* m, const td_work* w, int i) {
  deepest d = {i, 0};
  int contact = i, ball = 0;
  for (fixed_touch f; next_fixed(m, w, &contact, &ball, &f) && contact == i;)
    d.depth = fmax(d.depth, f.t.depth);
  td_each_touch(m, w, pair_depth, &d);
  return d.depth;
}

bool td_touches(const td_model* m, const td_work* w) {
  bool touches = false;
  for (int i = 0; i < m->ncontact && !touches; i++) touches = td_contact_depth(m, w, i) > 0;
  return touches;
}

// ---- the tables -------------------------------------------------------------------------------

// Against something that moves with time, friction and damping push at rest, too.
static bool has_potential(const td_model* m) {
  for (int i = 0; i < m->ncontact; i++) {
    const model_contact* c = &m->contact[i];
    if (c->drift != NUM_NONE && !(stays(m, c->law + 1, 0) && stays(m, c->law + 3, 0))) return false;
  }
  return true;
}

static bool sweeps(const td_model* m, const td_work* w) { return (void)w, m->npiece > 0; }

const force_ops td_force_contact = {.prepare = td_no_prepare,
                                    .prepare_diff = td_no_prepare_diff,
                                    .prepare_reverse = td_no_prepare_reverse,
                                    .add = add,
                                    .energy = energy,
                                    .energy_diff = energy_diff,
                                    .power = power,
                                    .tangent = td_no_tangent,
                                    .blocks = blocks,
                                    .has_potential = has_potential,
                                    .has_power_dampers = td_no_power_dampers,
                                    .has_driving_dampers = td_no_driving_dampers,
                                    .switches = td_no_switches,
                                    .switch_values = td_no_switch_values};
const whole_ops td_whole_contact = {.diff = diff, .reverse = reverse, .sweeps = sweeps};
