// The curves of IGES as edges: straight curves as they are, bent curves sampled until no edge is
// farther than `chord` from its curve.
#include <math.h>

#include "io/iges.h"

// Refuse the file because of an entity.
td_status td_iges_fail(const iges* f, const iges_entity* e, const char* why) {
  return td_cad_fail(f->cad, "the entity of type %d at line D%d %s", e->type,
                     2 * (int)(e - f->entity) + 1, why);
}

enum {
  PIECES = 4096,  // edges of one arc at most
  SPLITS = 12,    // halvings of one piece of a spline at most
  DEGREE = 30     // of a spline at most
};

// ---- drawing ----------------------------------------------------------------------------------

// The curve that is drawn.
typedef struct pen {
  iges* f;
  const iges_map* map;
  double* bounds;  // not NULL: extend the bounds instead of drawing
  double at[3];    // position in space, file units
  int last;        // node of the wire there, -1: none yet
} pen;

// Apply the curve's transformation.
static void to_space(const pen* p, const double x[3], double out[3]) {
  for (int i = 0; i < 3; i++)
    out[i] = p->map->T[i] + p->map->R[3 * i] * x[0] + p->map->R[3 * i + 1] * x[1] +
             p->map->R[3 * i + 2] * x[2];
}

static td_status bad_point(const pen* p, const iges_entity* e) {
  return td_iges_fail(p->f, e, "has a point that is not finite");
}

// Start a curve at the point x of an entity, or continue to it with an edge, in metres; a pen with
// bounds only measures the extent.  Refuses points that are not finite or absurdly far.
static td_status pen_to(pen* p, const iges_entity* e, const double x[3], bool start) {
  to_space(p, x, p->at);
  double metres[3];
  for (int c = 0; c < 3; c++) {
    metres[c] = p->at[c] * p->f->unit;
    if (!(fabs(metres[c]) < 1e12)) return bad_point(p, e);
    if (!p->bounds) continue;
    p->bounds[c] = fmin(p->bounds[c], p->at[c]);
    p->bounds[3 + c] = fmax(p->bounds[3 + c], p->at[c]);
  }
  if (p->bounds) return TD_OK;
  const int node = td_wire_node(&p->f->cad->wire, metres);
  if (node < 0) return TD_E_NOMEM;
  if (!start) TD_TRY(td_cad_edge(p->f->cad, p->last, node));
  p->last = node;
  return TD_OK;
}

// ---- straight ---------------------------------------------------------------------------------

// Line: [start, end]
static td_status line(pen* p, const iges_entity* e, const double* x, int n) {
  if (e->form != 0) return td_iges_fail(p->f, e, "is a line without end");
  if (n < 6) return td_iges_fail(p->f, e, "must have 6 numbers");
  TD_TRY(pen_to(p, e, x, true));
  return pen_to(p, e, x + 3, false);
}

// Polyline: [kind, count, ...]; kind 1 has a common z and pairs, 2 triples, 3 a point and a vector
// each.  Forms 11 to 13 are polylines, 63 is a closed one; other forms are points and drawing aids.
static td_status polyline(pen* p, const iges_entity* e, const double* x, int n) {
  const bool closed = e->form == 63;
  if (!(e->form >= 11 && e->form <= 13) && !closed) return TD_OK;
  const int kind = n >= 2 && x[0] >= 1 && x[0] <= 3 ? (int)x[0] : 0;
  const int step = kind == 1 ? 2 : kind == 2 ? 3 : 6, first = kind == 1 ? 3 : 2;
  const double count = n >= 2 ? x[1] : 0;
  if (kind == 0 || !(count >= 1) || !(first + step * count <= n))
    return td_iges_fail(p->f, e, "has fewer points than it says");
  for (int i = 0; i < (int)count + closed; i++) {
    const double* at = x + first + step * (i % (int)count);
    const double point[3] = {at[0], at[1], kind == 1 ? x[2] : at[2]};
    TD_TRY(pen_to(p, e, point, i == 0));
  }
  return TD_OK;
}

// ---- arcs -------------------------------------------------------------------------------------

// Arc: [z, centre, start, end], anticlockwise.  Its edges have equal angles a with
// r (1 - cos(a/2)) <= chord.
static td_status arc(pen* p, const iges_entity* e, const double* x, int n) {
  static const double turn = 6.283185307179586;
  if (n < 7) return td_iges_fail(p->f, e, "must have 7 numbers");
  const double a[2] = {x[3] - x[1], x[4] - x[2]}, b[2] = {x[5] - x[1], x[6] - x[2]};
  const double r = hypot(a[0], a[1]), start = atan2(a[1], a[0]);
  double angle = atan2(b[1], b[0]) - start;
  if (!isfinite(r) || !isfinite(angle)) return bad_point(p, e);
  if (!(r > 0)) return TD_OK;
  if (angle <= 1e-12) angle += turn;  // a whole circle ends where it starts

  // edges for the chord, at least four in a circle
  const double most = 2 * acos(fmax(-1, 1 - p->f->chord / r));
  const int least = max_int(1, (int)ceil(angle / (0.25 * turn) - 1e-9));
  const int pieces =
      p->bounds ? 8 : max_int(least, (int)fmin(PIECES, ceil(angle / fmax(most, 1e-9) - 1e-9)));
  for (int i = 0; i <= pieces; i++) {
    const double at = start + angle * i / pieces;
    double point[3] = {x[1] + r * cos(at), x[2] + r * sin(at), x[0]};
    if (i == 0 || i == pieces)  // the ends exactly as written: other curves meet them
      for (int c = 0; c < 2; c++) point[c] = x[(i == 0 ? 3 : 5) + c];
    TD_TRY(pen_to(p, e, point, i == 0));
  }
  return TD_OK;
}

// ---- splines ----------------------------------------------------------------------------------

// One polynomial or rational piece of a curve, as a function of u.
typedef struct piece {
  const double* data;
  int degree, span;
  const double *knot, *weight;
  void (*at)(const struct piece* s, double u, double x[3]);
} piece;

// Distance of c from the segment between a and b
static double off_line(const double a[3], const double b[3], const double c[3]) {
  double ab2 = 0, ac2 = 0, dot = 0;
  for (int k = 0; k < 3; k++) {
    ab2 += (b[k] - a[k]) * (b[k] - a[k]);
    ac2 += (c[k] - a[k]) * (c[k] - a[k]);
    dot += (b[k] - a[k]) * (c[k] - a[k]);
  }
  const double along = ab2 > 0 ? fmin(fmax(dot / ab2, 0), 1) : 0;
  return sqrt(fmax(0, ac2 - 2 * along * dot + along * along * ab2));
}

// Draw a piece from u0, where the pen is, to u1: halve the interval until the three inner quarter
// points are near the chord.
static td_status sample(pen* p, const iges_entity* e, const piece* s, double u0, double u1,
                        int splits) {
  double x[5][3];
  for (int i = 0; i < 5; i++) s->at(s, u0 + 0.25 * i * (u1 - u0), x[i]);
  double off = 0;
  for (int i = 1; i < 4; i++) off = fmax(off, off_line(x[0], x[4], x[i]));

  // bounds: points of the curve are enough
  if (p->bounds) {
    for (int i = 1; i < 4; i++) TD_TRY(pen_to(p, e, x[i], false));
    return pen_to(p, e, x[4], false);
  }

  // near enough, or halve
  if (splits >= SPLITS || s->degree == 1 || !(off > p->f->chord)) return pen_to(p, e, x[4], false);
  TD_TRY(sample(p, e, s, u0, 0.5 * (u0 + u1), splits + 1));
  return sample(p, e, s, 0.5 * (u0 + u1), u1, splits + 1);
}

// Cubic polynomial with four coefficients for each coordinate
static void cubic_at(const piece* s, double u, double x[3]) {
  for (int c = 0; c < 3; c++) {
    const double* a = s->data + 4 * c;
    x[c] = a[0] + u * (a[1] + u * (a[2] + u * a[3]));
  }
}

// Cubic splines: [type, continuity, dimensions, n, breaks (n+1), 12 coefficients for each piece,
// ...]
static td_status cubics(pen* p, const iges_entity* e, const double* x, int n) {
  const double count = n >= 4 ? x[3] : 0;
  if (!(count >= 1) || !(5 + 13 * count <= n))
    return td_iges_fail(p->f, e, "has fewer pieces than it says");
  const double *breaks = x + 4, *data = x + 5 + (int)count;
  for (int i = 0; i < (int)count; i++) {
    const piece s = {.data = data + 12 * i, .degree = 3, .at = cubic_at};
    const double length = breaks[i + 1] - breaks[i];
    double start[3];
    if (!(length > 0)) return td_iges_fail(p->f, e, "has breaks that do not increase");
    cubic_at(&s, 0, start);
    if (i == 0) TD_TRY(pen_to(p, e, start, true));
    TD_TRY(sample(p, e, &s, 0, length, 0));
  }
  return TD_OK;
}

// Rational B-spline on one span, by de Boor's recursion [deboor2001, ch. 10] on the points
// (w x, w y, w z, w)
static void spline_at(const piece* s, double u, double x[3]) {
  double d[DEGREE + 1][4];
  const int m = s->degree, k = s->span;
  for (int i = 0; i <= m; i++) {
    const double w = s->weight[k - m + i], *point = s->data + 3 * (k - m + i);
    for (int c = 0; c < 3; c++) d[i][c] = w * point[c];
    d[i][3] = w;
  }
  for (int r = 1; r <= m; r++)
    for (int i = m; i >= r; i--) {
      const double low = s->knot[k - m + i], high = s->knot[k + 1 + i - r];
      const double a = high > low ? (u - low) / (high - low) : 0;
      for (int c = 0; c < 4; c++) d[i][c] = (1 - a) * d[i - 1][c] + a * d[i][c];
    }
  for (int c = 0; c < 3; c++) x[c] = d[m][c] / d[m][3];
}

// Rational B-spline: [K, M, 4 flags, knots (K+M+2), weights (K+1), points (K+1), from, to, ...]
static td_status spline(pen* p, const iges_entity* e, const double* x, int n) {
  const double K = n >= 6 ? x[0] : -1, M = n >= 6 ? x[1] : -1;
  if (!(M >= 1) || !(K >= M) || !(8 + (K + M + 2) + 4 * (K + 1) <= n))
    return td_iges_fail(p->f, e, "has fewer numbers than it says");
  if (M > DEGREE) return td_iges_fail(p->f, e, "has a degree above 30");
  const int k = (int)K, m = (int)M;
  const double *knot = x + 6, *weight = knot + k + m + 2, *point = weight + k + 1,
               *range = point + 3 * (k + 1);

  // ascending knots, positive weights
  for (int i = 0; i < k + m + 1; i++)
    if (!(knot[i] <= knot[i + 1])) return td_iges_fail(p->f, e, "has knots that do not increase");
  for (int i = 0; i <= k; i++)
    if (!(weight[i] > 0)) return td_iges_fail(p->f, e, "has a weight that is not positive");

  // span by span within the range
  bool started = false;
  for (int span = m; span <= k; span++) {
    const double u0 = fmax(knot[span], range[0]), u1 = fmin(knot[span + 1], range[1]);
    const piece s = {point, m, span, knot, weight, spline_at};
    double start[3];
    if (!(u1 > u0)) continue;
    spline_at(&s, u0, start);
    if (!started) TD_TRY(pen_to(p, e, start, true));
    started = true;
    TD_TRY(sample(p, e, &s, u0, u1, 0));
  }
  return started ? TD_OK : td_iges_fail(p->f, e, "has an empty range");
}

// Draw a curve by its type.
td_status td_iges_curve(iges* f, const iges_entity* e, const iges_map* map, double* bounds) {
  static const struct {
    int type;
    td_status (*draw)(pen*, const iges_entity*, const double*, int);
  } kinds[] = {{100, arc}, {106, polyline}, {110, line}, {112, cubics}, {126, spline}};
  pen p = {.f = f, .map = map, .bounds = bounds, .last = -1};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (kinds[i].type == e->type) return kinds[i].draw(&p, e, f->x, f->nx);
  return TD_OK;
}
