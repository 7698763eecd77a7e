// Contact search: which pieces of rods and balls touch at the present state, where and how deep.
//
// A rod in contact is a chain of pieces of a smooth curve, with a force per length wherever its
// surface lies inside the other object.  On each piece the depth is a smooth function of the curve
// parameter t; the stretch on which it is positive is found between its roots, and the force is
// integrated over it by Gauss quadrature.  The force therefore has no corner when contact begins or
// slides from piece to piece, and does not depend on how the rod is divided.
//
// Broad phase: distant objects cost a comparison of their axis-aligned boxes.  Pieces that can be
// touched are sorted along the axis of their largest spread (sort and sweep), and only pieces whose
// boxes meet are examined, in an order that depends on the present state alone.
#include <math.h>
#include <string.h>

#include "engine/force_contact.h"

// ---- balls and lines --------------------------------------------------------------------------

// Arm from the origin of a station's frame to the centre of a ball, in world axes.
vec3 td_ball_arm(const td_work* w, const model_ball* b, const frame* f) {
  return b->centre == NUM_NONE ? (vec3){0, 0, 0} : mat3_apply(f->R, vec3_of(w->num + b->centre));
}

// Place all balls and the curves of all pieces, once for each state.
void td_contact_lines(const td_model* m, const td_work* w) {
  if (w->found->lines) return;
  w->found->lines = true;

  for (int i = 0; i < m->nball; i++) {
    const model_ball* b = &m->ball[i];
    const frame f = td_frame(m, w, b->station);
    const vec3 arm = td_ball_arm(w, b, &f);
    w->contact_ball[i] = (contact_ball){vec3_add(f.p, arm), vec3_add(f.v, vec3_cross(f.w, arm)),
                                        f.w, w->num[b->radius]};
  }

  for (int i = 0; i < m->npiece; i++) {
    const model_piece* p = &m->piece[i];
    w->contact_line[i] = contact_line_of(contact_curve_of(p), &w->contact_ball[p->ball]);
  }
}

// Law of a contact with its stiffness, and its damping where that is by approach, times `weight`.
contact_law td_contact_law(const td_work* w, const model_contact* c, double weight) {
  const double* x = w->num + c->law;
  return (contact_law){
      weight * x[0], c->approach ? weight * x[1] : x[1], x[2], x[3], x[4], c->approach, weight};
}

// Velocity of a fixed object, which translates without rotating.
vec3 td_contact_drift(const td_work* w, const model_contact* c) {
  return c->drift == NUM_NONE ? (vec3){0, 0, 0} : vec3_of(w->num + c->drift);
}

// Depth and normal of a ball of radius r at x in a fixed object.
contact_touch td_touch_fixed(const td_work* w, const model_contact* c, vec3 x, double r) {
  const fixed_shape s = contact_object(w, c);
  return shape_of(c)->touch(&s, x, r);
}

// ---- boxes ------------------------------------------------------------------------------------

// Box around the pieces first .. first + n - 1.
static contact_line box_around(const td_work* w, int first, int n) {
  contact_line b = w->contact_line[first];
  for (int i = first + 1; i < first + n; i++) {
    const contact_line* l = &w->contact_line[i];
    b.lo = (vec3){fmin(b.lo.x, l->lo.x), fmin(b.lo.y, l->lo.y), fmin(b.lo.z, l->lo.z)};
    b.hi = (vec3){fmax(b.hi.x, l->hi.x), fmax(b.hi.y, l->hi.y), fmax(b.hi.z, l->hi.z)};
  }
  return b;
}

// Box around a ball.
static contact_line box_of_ball(const contact_ball* b) {
  const vec3 r = {b->r, b->r, b->r};
  return (contact_line){.lo = vec3_sub(b->x, r), .hi = vec3_add(b->x, r)};
}

// Distance between two boxes, 0 where they meet.
static double box_distance(const contact_line* a, const contact_line* b) {
  const vec3 d = {fmax(0, fmax(a->lo.x - b->hi.x, b->lo.x - a->hi.x)),
                  fmax(0, fmax(a->lo.y - b->hi.y, b->lo.y - a->hi.y)),
                  fmax(0, fmax(a->lo.z - b->hi.z, b->lo.z - a->hi.z))};
  return vec3_norm(d);
}

// Lower bound of the distance between a box and a fixed object.
static double box_fixed_distance(const td_work* w, const model_contact* c, const contact_line* l) {
  const fixed_shape s = contact_object(w, c);
  const vec3 half = vec3_scale(0.5, vec3_sub(l->hi, l->lo));
  return shape_of(c)->box_distance(&s, vec3_sub(vec3_add(l->lo, half), s.point), half);
}

// ---- sort and sweep ---------------------------------------------------------------------------
typedef contact_interval interval;

// The pieces of a contact sorted by the lower end of their boxes along one axis.
typedef struct sweep {
  interval* list;
  int axis;
  double widest;     // largest extent of a piece along the axis
  contact_line box;  // around all pieces
} sweep;

// Order of the intervals; pieces with the same lower end are in the order of their numbers.
static bool is_before(const interval* a, const interval* b) {
  return a->lo < b->lo || (a->lo == b->lo && a->piece < b->piece);
}

// Move list[root] down to its place in a heap of n intervals.
static void sift(interval* list, int n, int root) {
  const interval moved = list[root];
  for (int child; (child = 2 * root + 1) < n; root = child) {
    if (child + 1 < n && is_before(&list[child], &list[child + 1])) child++;
    if (!is_before(&moved, &list[child])) break;
    list[root] = list[child];
    list[child] = moved;
  }
}

// Sort intervals by their beginning: heap sort, in place and no slower for any order.
static void sort_intervals(interval* list, int n) {
  for (int i = n / 2 - 1; i >= 0; i--) sift(list, n, i);
  for (int end = n - 1; end > 0; end--) {
    const interval last = list[end];
    list[end] = list[0];
    list[0] = last;
    sift(list, end, 0);
  }
}

// Sort the pieces of a contact, whose box is given, along the axis of their largest spread.
static sweep sweep_new(const td_work* w, const model_contact* c, const contact_line* box) {
  const vec3 spread = vec3_sub(box->hi, box->lo);
  sweep s = {.list = w->interval, .axis = 2, .box = *box};
  if (spread.y >= spread.z) s.axis = 1;
  if (spread.x >= spread.y && spread.x >= spread.z) s.axis = 0;

  for (int i = 0; i < c->npiece; i++) {
    const contact_line* l = &w->contact_line[c->piece + i];
    const double lo = vec3_at(l->lo, s.axis);
    s.list[i] = (interval){lo, c->piece + i};
    s.widest = fmax(s.widest, vec3_at(l->hi, s.axis) - lo);
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

// ---- depth along a piece ----------------------------------------------------------------------

// The surroundings of an object with the box `self`: a fixed object (list = NULL), or the pieces of
// a list whose boxes meet its own.
typedef struct contact_reach {
  const td_work* w;
  const model_contact* c;
  const contact_line* self;
  const interval* list;
  int n;
} contact_reach;

// The place where an object touches: piece and parameter t, piece -1: on the fixed object.
typedef struct touched_spot {
  int piece;
  double t;
  bool inside;  // at an inner point of the piece, not at its end
  vec3 n;       // normal, towards the touching object
} touched_spot;

// Largest depth of a ball in what it can touch, and where; -inf: it can touch nothing.
static double ball_depth(const contact_reach* r, vec3 x, double radius, touched_spot* at) {
  if (!r->list) {
    const contact_touch t = td_touch_fixed(r->w, r->c, x, radius);
    *at = (touched_spot){.piece = -1, .n = t.n};
    return t.depth;
  }

  // the deepest of all pieces whose boxes meet
  double deepest = -INFINITY;

  for (int j = 0; j < r->n; j++) {
    const int piece = r->list[j].piece;
    const contact_line* l = &r->w->contact_line[piece];
    if (!contact_boxes_meet(r->self, l)) continue;
    bool inside;
    const double t = contact_nearest(l, x, &inside);
    const contact_spot s = contact_spot_at(l, t);
    const vec3 d = vec3_sub(x, s.x);
    const double distance = vec3_norm(d), depth = radius + s.r - distance;
    if (!(depth > deepest)) continue;
    deepest = depth;
    *at = (touched_spot){piece, t, inside,
                         distance > 0 ? vec3_scale(1 / distance, d) : (vec3){0, 0, 0}};
  }

  return deepest;
}

// Depth at t of the touching piece, its slope along the piece, and where it touches (at may be
// NULL).
static double depth_at(const contact_reach* r, const contact_line* piece, double t, double* slope,
                       touched_spot* at) {
  const contact_spot a = contact_spot_at(piece, t);
  touched_spot spot = {.piece = -1};
  const double depth = ball_depth(r, a.x, a.r, &spot);
  *slope = a.r1 - vec3_dot(spot.n, a.x1);
  if (at) *at = spot;
  return depth;
}

// The t where the depth is largest (peak = 1) or smallest (-1), between ends whose slopes s0 and s1
// point towards it.  The search ends early at a depth of `enough`, and where the depth cannot reach
// 0 any more.
static double extreme(const contact_reach* r, const contact_line* piece, int peak, double s0,
                      double s1, double enough, double* depth) {
  double low = 0, high = 1, slow = peak * s0, shigh = peak * s1, t = 0.5;

  for (int i = 0; i < 60; i++) {
    double slope;
    *depth = depth_at(r, piece, t, &slope, NULL);
    slope *= peak;
    if (*depth >= enough || slope == 0 || high - low < 1e-12) break;
    const double room = slope > 0 ? high - t : t - low;
    if (isfinite(enough) && *depth + 2 * fabs(slope) * room < 0) break;
    if (slope > 0)
      low = t, slow = slope;
    else
      high = t, shigh = slope;

    // next by the secant of the slopes, inside the interval by 5 %, and every third time by
    // bisection
    const double guess = low + (high - low) * slow / (slow - shigh), edge = 0.05 * (high - low);
    t = i % 3 == 2 ? 0.5 * (low + high) : fmin(fmax(guess, low + edge), high - edge);
  }

  return t;
}

// End of a stretch: an end of the piece (slope 0), or a root of the depth.
typedef struct stretch_end {
  double t, slope;
  touched_spot at;
} stretch_end;

// The root of the depth between `out`, where it is not positive, and `in`, where it is: Newton's
// method, with bisection where it leaves the bracket.
static stretch_end boundary(const contact_reach* r, const contact_line* piece, double out,
                            double in) {
  stretch_end end = {.t = in};
  double t = 0.5 * (out + in);

  for (int i = 0; i < 50 && fabs(in - out) > 1e-10; i++) {
    const double depth = depth_at(r, piece, t, &end.slope, &end.at);
    if (depth > 0)
      in = t;
    else
      out = t;

    // Newton's step where it stays between the ends, else bisection
    const double next = t - depth / end.slope;
    const bool between = (next - in) * (next - out) < 0;
    end.t = between ? next : in;
    if (between && fabs(next - t) < 1e-10) break;
    t = between ? next : 0.5 * (out + in);
  }

  return end;
}

// Largest numbers of stretches of a piece that are inside, of subintervals into which the ends of a
// touched rod divide a stretch, and of quadrature points on a subinterval.
enum { STRETCHES = 2, SUBINTERVALS = 3, GAUSS = 8 };

// Extremes in (0, 1), ascending, of the cubic with depths d0, d1 and slopes s0, s1 at 0 and 1;
// returns how many.  The depth below a plane is such a cubic, the depth in other objects nearly
// one.
static int cubic_extremes(double d0, double s0, double d1, double s1, double t[2]) {
  const double c = 3 * (2 * (d0 - d1) + s0 + s1), b = 3 * (d1 - d0) - 2 * s0 - s1;
  const double root = b * b - c * s0;  // discriminant of the slope s0 + 2 b t + c t²
  if (!(root > 0)) return 0;
  const double q = -(b + copysign(sqrt(root), b)), x = s0 / q, y = q / c;
  int n = 0;
  if (x > 0 && x < 1) t[n++] = x;
  if (y > 0 && y < 1) t[n++] = y;

  if (n == 2 && t[0] > t[1]) {
    t[0] = y;
    t[1] = x;
  }

  return n;
}

// The stretches of a piece that are inside the other object; returns how many.
static int find_stretches(const contact_reach* r, const contact_line* piece,
                          stretch_end at[STRETCHES][2]) {
  double s0, s1, depth;
  const double d0 = depth_at(r, piece, 0, &s0, NULL), d1 = depth_at(r, piece, 1, &s1, NULL);
  if (!isfinite(d0)) return 0;
  at[0][0] = (stretch_end){.t = 0};
  at[0][1] = (stretch_end){.t = 1};

  if (d0 > 0 && d1 > 0 && s0 < 0 && s1 > 0) {
    // both ends are inside, but the depth dips between them and may become negative
    const double dip = extreme(r, piece, -1, s0, s1, INFINITY, &depth);
    if (depth > 0) return 1;
    at[1][1] = at[0][1];
    at[0][1] = boundary(r, piece, dip, 0);
    at[1][0] = boundary(r, piece, dip, 1);
    return 2;
  }

  // both ends are outside, but the depth has a peak between them
  if (d0 <= 0 && d1 <= 0 && s0 > 0 && s1 < 0) {
    const double peak = extreme(r, piece, 1, s0, s1, 1e-300, &depth);
    if (!(depth > 0)) return 0;
    at[0][0] = boundary(r, piece, 0, peak);
    at[0][1] = boundary(r, piece, 1, peak);
    return 1;
  }

  // otherwise the depth is monotonic from one extreme to the next: one root where its sign changes
  double t[4] = {0}, unused;
  const int inner = cubic_extremes(d0, s0, d1, s1, t + 1);
  t[inner + 1] = 1;
  int n = 0;
  bool was = d0 > 0;

  for (int k = 1; k <= inner + 1; k++) {
    const bool is = (k <= inner ? depth_at(r, piece, t[k], &unused, NULL) : d1) > 0;
    if (is && !was) at[n][0] = boundary(r, piece, t[k - 1], t[k]);
    if (was && !is) at[n++][1] = boundary(r, piece, t[k], t[k - 1]);
    was = is;
  }

  if (was) at[n++][1] = (stretch_end){.t = 1};
  return n;
}

// ---- pairs ------------------------------------------------------------------------------------

// Fill in the other side of a contact pair, at the spot that was found, and its force.
static void complete_pair(const td_model* m, const td_work* w, const model_contact* c,
                          const touched_spot* at, contact_touching* t) {
  contact_pair* p = &t->pair;
  t->b = at->piece;

  if (at->piece >= 0) {
    const model_piece* b = &m->piece[at->piece];
    p->arm = c->arm;
    contact_pair_at(p, contact_curve_of(b), &w->contact_line[at->piece], &w->contact_ball[b->ball],
                    at->t, at->inside);
    return;
  }

  // a fixed object, which may translate
  const contact_touch touch = td_touch_fixed(w, c, p->a.x, p->a.r);
  p->depth = touch.depth;
  p->n = touch.n;
  p->dn = touch.dn;
  p->b = (contact_ball){.v = td_contact_drift(w, c)};
  contact_pair_force(p);
}

// One contact of the search and what is called for each pair.
typedef struct touch_visitor {
  const td_model* m;
  const td_work* w;
  const model_contact* c;
  int contact;
  int* stretches;  // number of stretches found so far
  int room;        // how many the work can keep
  td_touch_visit visit;
  void* data;
} touch_visitor;

// Collect what the motion of an end of a stretch depends on: the shares of the balls of both curves
// at that end.
static contact_end end_of(const touch_visitor* v, const model_piece* p, const stretch_end* e) {
  contact_end end = {.slope = e->slope, .n = e->at.n, .b = e->at.piece};
  double unused[CONTACT_BALLS];
  if (e->slope == 0) return end;
  contact_shares(contact_curve_of(p), e->t, end.a_share, unused);
  if (end.b >= 0) contact_shares(contact_curve_of(&v->m->piece[end.b]), e->at.t, end.share, unused);
  return end;
}

// Quadrature points and weights on a stretch of length 1.
typedef struct stretch_rule {
  int n;
  double s[GAUSS], weight[GAUSS];
} stretch_rule;

// Gauss's rule for a force with a given power of the depth.  A power that is not an integer has few
// derivatives where the depth has a root; the substitution s(u), whose slope vanishes at such ends,
// restores smoothness.
static stretch_rule rule_for(double exponent, const stretch_end end[2]) {
  static const double x5[5] = {0.04691007703066800, 0.23076534494715845, 0.5, 0.76923465505284155,
                               0.95308992296933200},
                      w5[5] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444,
                               0.23931433524968324, 0.11846344252809454},
                      x8[8] = {0.01985507175123188, 0.10166676129318663, 0.23723379504183550,
                               0.40828267875217510, 0.59171732124782490, 0.76276620495816450,
                               0.89833323870681337, 0.98014492824876812},
                      w8[8] = {0.05061426814518813, 0.11119051722668724, 0.15685332293894364,
                               0.18134189168918099, 0.18134189168918099, 0.15685332293894364,
                               0.11119051722668724, 0.05061426814518813};

  // substitute at ends with a root of the depth, unless the exponent is an integer
  const bool whole = exponent == floor(exponent), a = end[0].slope != 0, b = end[1].slope != 0;
  stretch_rule r = {.n = exponent == 1 ? 5 : 8};

  for (int g = 0; g < r.n; g++) {
    const double u = r.n == 5 ? x5[g] : x8[g], w = r.n == 5 ? w5[g] : w8[g], v = 1 - u;
    const bool plain = whole || !(a || b);
    r.s[g] = plain ? u : a && b ? u * u * (3 - 2 * u) : a ? u * u : 1 - v * v;
    r.weight[g] = w * (plain ? 1 : a && b ? 6 * u * v : 2 * (a ? u : v));
  }

  return r;
}

// Tell which end of the touched rod is nearest to the point t of the piece, -1 or 1; 0: a point
// between its ends.
static int end_touched(const contact_reach* r, const contact_line* piece, double t) {
  double slope;
  touched_spot at;
  depth_at(r, piece, t, &slope, &at);
  if (at.inside) return 0;
  if (at.piece == r->c->piece && at.t == 0) return -1;
  return at.piece == r->c->piece + r->c->npiece - 1 && at.t == 1;
}

// Divide a stretch where the nearest point passes an end of the touched rod.  Beyond that end the
// depth falls with the distance to a point, along the rod with the distance to a curve; the second
// derivative of the depth jumps in between, and Gauss's rule needs smooth subintervals.  The points
// of division change neither the force nor, but for the error of the rule, its derivative, and
// count as fixed on the piece.
static int divide(const contact_reach* r, const contact_line* piece, const stretch_end whole[2],
                  stretch_end part[SUBINTERVALS][2]) {
  part[0][0] = whole[0];
  part[0][1] = whole[1];
  if (!r->list || !r->c->line) return 1;

  // nothing to divide unless an end of the touched rod is near
  const contact_line *first = &r->w->contact_line[r->c->piece], *last = first + r->c->npiece - 1;
  if (!contact_boxes_meet(r->self, first) && !contact_boxes_meet(r->self, last)) return 1;

  // bisect for each change of the end that is nearest
  int n = 1, from = end_touched(r, piece, whole[0].t);
  const int to = end_touched(r, piece, whole[1].t);

  for (int next; from != to && n < SUBINTERVALS; from = next, n++) {
    next = from != 0 && to != 0 ? 0 : to;  // from one end to the other by way of the rod between
    double low = part[n - 1][0].t, high = whole[1].t;
    for (int i = 0; i < 20; i++) {
      const double t = 0.5 * (low + high);
      if (end_touched(r, piece, t) == from)
        low = t;
      else
        high = t;
    }
    part[n][1] = part[n - 1][1];
    part[n - 1][1] = part[n][0] = (stretch_end){.t = high};
  }

  return n;
}

// Visit the pairs at the quadrature points of the stretches of piece `a` that are inside.
static void visit_piece(const touch_visitor* v, int a, const contact_reach* r) {
  const model_piece* p = &v->m->piece[a];
  const contact_ball* balls = &v->w->contact_ball[p->ball];

  // stretches that are inside, divided at the ends of the touched rod
  stretch_end inside[STRETCHES][2], at[STRETCHES * SUBINTERVALS][2];
  const int stretches = find_stretches(r, &v->w->contact_line[a], inside);
  int n = 0;
  for (int k = 0; k < stretches; k++) n += divide(r, &v->w->contact_line[a], inside[k], at + n);

  // keep each subinterval for the tangent, as long as there is room
  for (int k = 0; k < n; k++) {
    const double length = at[k][1].t - at[k][0].t;
    if (!(length > 0)) continue;  // a touch of rounding
    const stretch_rule rule = rule_for(v->w->num[v->c->law + 2], at[k]);
    const int number = (*v->stretches)++;
    contact_stretch* keep = number < v->room ? &v->w->stretch[number] : NULL;
    if (keep)
      *keep = (contact_stretch){
          v->contact, a, length, {end_of(v, p, &at[k][0]), end_of(v, p, &at[k][1])}};

    // a pair at each point of the rule
    for (int g = 0; g < rule.n; g++) {
      contact_touching t = {.contact = v->contact,
                            .ball = -1,
                            .a = a,
                            .stretch = keep ? number : -1,
                            .along = rule.s[g]};
      contact_shares(contact_curve_of(p), at[k][0].t + rule.s[g] * length, t.pair.a_share,
                     t.pair.a_share1);
      t.pair.a = ball_sum(p->nball, balls, t.pair.a_share);
      t.pair.a1 = ball_sum(p->nball, balls, t.pair.a_share1);
      t.pair.law = td_contact_law(v->w, v->c, p->weight * length * rule.weight[g]);
      touched_spot s = {.piece = -1};
      if (!(ball_depth(r, t.pair.a.x, t.pair.a.r, &s) > 0)) continue;
      complete_pair(v->m, v->w, v->c, &s, &t);
      if (t.pair.depth > 0) v->visit(v->m, v->w, &t, v->data);
    }
  }
}

// Visit the pairs of one object, a piece or a ball, with all that its contact can touch.  A touched
// rod counts once, where the depth is largest; every ball of a body counts by itself.
static void visit_one(const touch_visitor* v, const sweep* s, int piece, int ball) {
  const model_contact* c = v->c;
  const contact_line own =
      piece >= 0 ? v->w->contact_line[piece] : box_of_ball(&v->w->contact_ball[ball]);
  contact_reach r = {.w = v->w, .c = c, .self = &own};

  // a fixed object
  if (c->fixed) {
    if (!(box_fixed_distance(v->w, c, &own) > 0)) visit_piece(v, piece, &r);
    return;
  }

  // pieces whose intervals along the axis of the sweep meet the box
  if (!contact_boxes_meet(&own, &s->box)) return;
  const int from = sweep_from(s, c->npiece, vec3_at(own.lo, s->axis));
  int to = from;
  while (to < c->npiece && s->list[to].lo <= vec3_at(own.hi, s->axis)) to++;
  const int step = c->line ? to - from : 1;

  for (int j = from; j < to; j += step) {
    r.list = s->list + j;
    r.n = step;
    if (step == 1 && !contact_boxes_meet(&own, &v->w->contact_line[r.list->piece])) continue;
    if (piece >= 0) {
      visit_piece(v, piece, &r);
      continue;
    }

    // a ball makes one pair
    touched_spot at = {.piece = -1};
    contact_touching t = {.contact = v->contact, .ball = ball, .a = -1, .stretch = -1};
    t.pair.a = v->w->contact_ball[ball];
    t.pair.a_share[0] = 1;
    t.pair.law = td_contact_law(v->w, c, v->m->ball[ball].weight);
    if (!(ball_depth(&r, t.pair.a.x, t.pair.a.r, &at) > 0)) continue;
    complete_pair(v->m, v->w, c, &at, &t);
    if (t.pair.depth > 0) v->visit(v->m, v->w, &t, v->data);
  }
}

// Visit all pairs in contact except those of single balls with fixed objects.
static void search(const td_model* m, const td_work* w, td_touch_visit visit, void* data) {
  td_contact_lines(m, w);
  const int room = td_contact_stretches(m);
  int stretches = 0;

  for (int i = 0; i < m->ncontact; i++) {
    const model_contact* c = &m->contact[i];
    const touch_visitor v = {m, w, c, i, &stretches, room, visit, data};
    sweep s = {.list = NULL};

    // sort the pieces that can be touched, unless all are far away
    if (!c->fixed) {
      if (c->npiece == 0) continue;
      const contact_line all = box_around(w, c->piece, c->npiece);
      if (c->nalong > 0) {
        const contact_line own = box_around(w, c->along, c->nalong);
        if (!contact_boxes_meet(&own, &all)) continue;
      }
      s = sweep_new(w, c, &all);
      for (int k = c->ball; c->nalong == 0 && k < c->ball + c->nball; k++) visit_one(&v, &s, -1, k);
    }

    // pieces that touch
    for (int k = c->along; k < c->along + c->nalong; k++) visit_one(&v, &s, k, -1);
  }
}

// ---- pairs kept in the work -------------------------------------------------------------------

#define MOST_REMEMBERED 256  // pairs; with more of them each visit searches again
#define MOST_STRETCHES 4096  // beyond that tangents take the points of a stretch as fixed

// Number of pairs that the work keeps.
int td_contact_room(const td_model* m) {
  int n = 0;
  for (int i = 0; i < m->ncontact; i++) {
    const model_contact* c = &m->contact[i];
    const int each = c->nalong > 0 ? STRETCHES * GAUSS * c->nalong : c->fixed ? 0 : 4 * c->nball;
    n = min_int(MOST_REMEMBERED, n + each);
  }
  return n;
}

// Number of stretches that the work keeps.
int td_contact_stretches(const td_model* m) {
  double n = 0;
  for (int i = 0; i < m->ncontact; i++) {
    const model_contact* c = &m->contact[i];
    n += (double)STRETCHES * c->nalong * (c->fixed || c->line ? 1 : c->npiece);
    n += c->line ? 4 * SUBINTERVALS : 0;  // at both ends of what is touched
  }
  return (int)fmin(MOST_STRETCHES, n);
}

// Visitor that keeps a pair in the work, or only counts it when there is no room.
static void remember(const td_model* m, const td_work* w, const contact_touching* t, void* data) {
  (void)data;
  if (w->found->n < td_contact_room(m)) w->touching[w->found->n] = *t;
  w->found->n++;
}

// Visit all pairs in contact; the search is done once for each state unless there are too many
// pairs to keep.
void td_each_touch(const td_model* m, const td_work* w, td_touch_visit visit, void* data) {
  if (m->npiece == 0) return;

  if (!w->found->touches) {
    w->found->n = 0;
    search(m, w, remember, NULL);
    w->found->touches = true;
  }

  if (w->found->n > td_contact_room(m)) {
    search(m, w, visit, data);
    return;
  }

  for (int i = 0; i < w->found->n; i++) visit(m, w, &w->touching[i], data);
}

// ---- gaps -------------------------------------------------------------------------------------

#define FAR 4  // in large contacts gaps beyond this many times the widest piece are only bounded
#define FEW_PAIRS 20000  // in smaller contacts all pairs of boxes are compared

// Number of guards of contacts: pieces, or balls where the contact has no pieces of its own.
int td_contact_guards(const td_model* m) {
  int n = 0;
  for (int i = 0; i < m->ncontact; i++)
    n += m->contact[i].nalong > 0 ? m->contact[i].nalong : m->contact[i].nball;
  return n;
}

// Gap between an object, a piece (line) or a ball, and what it can touch: exact where the object is
// near, a lower bound elsewhere; negative inside.
static double gap_of(const td_work* w, const model_contact* c, const sweep* s,
                     const contact_line* line, const contact_ball* ball) {
  const contact_line own = line ? *line : box_of_ball(ball);
  const double near = vec3_norm(vec3_sub(own.hi, own.lo));
  const double far = fmax(near, FAR * (s ? s->widest : 0));
  const vec3 margin = {near, near, near};
  contact_line wide = own;
  wide.lo = vec3_sub(own.lo, margin);
  wide.hi = vec3_add(own.hi, margin);
  contact_reach r = {.w = w, .c = c, .self = &wide};

  // lower bound from the boxes
  double bound;

  if (c->fixed) {
    bound = box_fixed_distance(w, c, &own);
  } else {
    const bool few = (double)max_int(c->nalong, c->nball) * c->npiece <= FEW_PAIRS;
    const int from = few ? 0 : sweep_from(s, c->npiece, vec3_at(own.lo, s->axis) - far);
    int to = from;
    bound = few ? INFINITY : far;
    for (; to < c->npiece && (few || s->list[to].lo <= vec3_at(own.hi, s->axis) + far); to++)
      bound = fmin(bound, box_distance(&own, &w->contact_line[s->list[to].piece]));
    r.list = s->list + from;
    r.n = to - from;
  }

  if (bound > near) return bound;

  // minus the largest depth: of the ball, or of the piece at its ends and at a peak in between
  double depth;
  touched_spot at = {.piece = -1};

  if (line) {
    double s0, s1, peak;
    const double d0 = depth_at(&r, line, 0, &s0, NULL), d1 = depth_at(&r, line, 1, &s1, NULL);
    depth = fmax(d0, d1);
    if (isfinite(d0) && s0 > 0 && s1 < 0) {
      extreme(&r, line, 1, s0, s1, INFINITY, &peak);
      depth = fmax(peak, depth);
    }
    if (!isfinite(d0)) depth = -INFINITY;
  } else {
    depth = ball_depth(&r, ball->x, ball->r, &at);
  }

  return r.list ? fmin(-depth, near)
                : -depth;  // pieces outside the wide box are farther than `near`
}

// Gap of each piece or ball of each contact, infinite for one that touches nothing or cannot move,
// and a bound of its rate.
void td_contact_gaps(const td_model* m, const td_work* w, double* gap, double* speed) {
  td_contact_lines(m, w);

  for (int i = 0; i < m->ncontact; i++) {
    const model_contact* c = &m->contact[i];
    const bool pieces = !c->fixed && c->npiece > 0;
    const int n = c->nalong > 0 ? c->nalong : c->nball;
    const vec3 axis = vec3_of(w->num + c->direction), drift = td_contact_drift(w, c);
    sweep s = {.list = NULL};
    double others = 0;

    // sort the pieces that can be touched, and find their largest speed
    if (pieces) {
      const contact_line all = box_around(w, c->piece, c->npiece);
      s = sweep_new(w, c, &all);
      for (int j = c->piece; j < c->piece + c->npiece; j++)
        for (int k = 0; k < m->piece[j].nball; k++)
          others = fmax(others, vec3_norm(w->contact_ball[m->piece[j].ball + k].v));
    }
    for (int k = 0; k < n; k++) {
      const int a = c->nalong > 0 ? c->along + k : -1;
      const int first = a >= 0 ? m->piece[a].ball : c->ball + k;
      const int count = a >= 0 ? m->piece[a].nball : 1;

      // largest speed towards the other side; the shares of a curve add up to less than 1.3 in size
      double fastest = 0;
      bool moves = pieces;
      for (int j = first; j < first + count; j++) {
        const vec3 v = vec3_sub(w->contact_ball[j].v, drift);
        const double along = vec3_dot(v, axis) / vec3_norm(axis), all = vec3_norm(v);
        moves = moves || (m->ball[j].station >= 0 && m->station[m->ball[j].station].hop >= 0);
        fastest = fmax(fastest, c->fixed ? shape_of(c)->closing(along, all) : all);
      }

      // the gap closes no faster than both sides together
      *speed++ = (a >= 0 ? 1.3 : 1) * (fastest + others);
      if (!c->fixed && !pieces) moves = false;
      *gap++ = moves
                   ? gap_of(w, c, &s, a >= 0 ? &w->contact_line[a] : NULL, &w->contact_ball[first])
                   : INFINITY;
    }
  }
}

// Sum of the least radii of both sides for each guard, infinite for planes.
void td_contact_widths(const td_model* m, const td_work* w, double* width) {
  td_contact_lines(m, w);

  for (int i = 0; i < m->ncontact; i++) {
    const model_contact* c = &m->contact[i];
    double other = c->fixed && td_shapes[c->shape].round ? w->num[c->radius] : INFINITY;
    for (int j = c->piece; !c->fixed && j < c->piece + c->npiece; j++)
      for (int k = 0; k < m->piece[j].nball; k++)
        other = fmin(other, w->contact_ball[m->piece[j].ball + k].r);

    // least radius of each ball or piece of this side
    for (int k = 0; k < (c->nalong > 0 ? c->nalong : c->nball); k++) {
      const int first = c->nalong > 0 ? m->piece[c->along + k].ball : c->ball + k;
      const int count = c->nalong > 0 ? m->piece[c->along + k].nball : 1;
      double own = INFINITY;
      for (int j = first; j < first + count; j++) own = fmin(own, w->contact_ball[j].r);
      *width++ = own + other;
    }
  }
}
