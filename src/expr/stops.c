// Stop times: times at which an expression jumps or has a corner because of time alone.
//
// Sums of t, constant factors, comparisons, MIN, MAX, FLOOR, MOD, tables ... give expressions that
// are piecewise affine in t.  Each such node is stored as its pieces on [t0, t1],
//
//   value = slope t + offset    from piece.t to the next piece,
//
// and a time where an operation splits a piece (a crossing of its operands, a multiple of its
// divisor, a knot) is a stop.  This finds not only step(t, 1) but also mod(t, 2) < 0.5 and the
// corners of min(max(t, 0), 1).  Other nodes (sin(t), the state, and what depends on them) have no
// pieces.  The search ends after STOP_LIMIT times or WORK_LIMIT pieces.
//
// A smooth expression may still change within so short a time that no solver step notices it, as
// exp(-((t - 1)/1e-5)^2) or tanh((t - 1)/1e-5).  It changes where the line or the square inside is
// zero, over the time in which that becomes one; if this time is short, the solver stops before, in
// the middle and after.
#include "base/order.h"
#include "expr/graph.h"

enum { STOP_LIMIT = 100000, WORK_LIMIT = 2000000 };

typedef struct line {
  double slope, offset;
} line;

typedef struct piece {
  double t;  // start of the piece
  line at;   // value until the next piece
} piece;

// Pieces of a node: n entries of the pool; n = 0: the node is not piecewise affine
typedef struct pieces {
  int first, n;
} pieces;

// scale (t - middle)² + constant; scale 0: the node has another form
typedef struct square {
  double middle, scale;
} square;

typedef struct search {
  const td_exprs* g;
  int time_var;
  double t0, t1;
  piece* pool;  // pieces of all nodes
  int n, cap, work;
  double** times;  // the stops
  int *ntime, *time_cap;
  bool failed;  // no memory
} search;

// One operation on a time interval where its operands are lines
typedef struct stretch {
  ex_op op;
  const table* table;  // the table of a TABLE
  double begin, end;
  line x[3];
} stretch;

// Levels at which the line d splits: n values first, first + step, ..., or n knots
typedef struct ladder {
  line d;
  double first, step;
  const double* knots;
  int n;
} ladder;

// Value, constant, difference and multiple of lines.
static double line_at(line l, double t) { return l.slope == 0 ? l.offset : l.slope * t + l.offset; }
static line flat(double c) { return (line){0, c}; }
static line line_sub(line a, line b) { return (line){a.slope - b.slope, a.offset - b.offset}; }
static line line_scale(double c, line a) {
  return (line){a.slope == 0 ? 0 : c * a.slope, c * a.offset};
}

// True if the search has ended early.
static bool stopped(const search* s) { return s->failed || s->work > WORK_LIMIT; }

// Record the stop t if it is in [t0, t1].
static void add_stop(search* s, double t) {
  if (s->failed || *s->ntime >= STOP_LIMIT || !(t >= s->t0 && t <= s->t1)) return;
  double* times = td_grow(*s->times, s->time_cap, *s->ntime + 1, sizeof *times);
  s->failed = !times;
  if (!times) return;
  *s->times = times;
  times[(*s->ntime)++] = t;
}

// Append a piece to the pool.
static void push(search* s, double t, line at) {
  piece* pool = td_grow(s->pool, &s->cap, s->n + 1, sizeof *pool);
  s->failed = s->failed || !pool;
  s->work++;
  if (!pool) return;
  s->pool = pool;
  s->pool[s->n++] = (piece){t, at};
}

// ---- times at which an operation splits -------------------------------------------------------

// Levels shift + k step (k whole) between the values of d at both ends.
static ladder multiples(line d, double shift, double step, const stretch* in) {
  const double u = line_at(d, in->begin), v = line_at(d, in->end);
  const double low = ceil((fmin(u, v) - shift) / step), high = floor((fmax(u, v) - shift) / step);
  const double n = high - low + 1;  // may be infinite or not a number
  return (ladder){d, low * step + shift, step, NULL, n > 0 ? (int)fmin(n, WORK_LIMIT) : 0};
}

// Index of the first of n ascending numbers that is >= value; n if there is none.
static int first_not_below(const double* x, int n, double value) {
  int low = 0, high = n;
  while (low < high) {
    const int mid = low + (high - low) / 2;
    if (x[mid] < value) {
      low = mid + 1;
    } else {
      high = mid;
    }
  }
  return low;
}

// Knots of a table between the values of d at both ends.  The end pieces of a table that is not
// clamped are continued, so that its end knots do not split.
static ladder knots_between(line d, const table* t, const stretch* in) {
  const double u = line_at(d, in->begin), v = line_at(d, in->end);
  const int skip = t->clamp ? 0 : 1, n = t->n - 2 * skip;
  const double* knots = t->data + skip;
  const int low = first_not_below(knots, n, fmin(u, v));
  int high = low;
  while (high < n && knots[high] <= fmax(u, v)) high++;
  return (ladder){d, 0, 0, knots + low, high - low};
}

// Levels at which an operation splits: zero of the difference of its operands, zero of its operand,
// whole numbers, multiples of the divisor or knots.
static ladder ladder_of(const stretch* in) {
  const line a = in->x[0], b = in->x[1];
  switch (in->op) {
    case EX_LT:
    case EX_LE:
    case EX_EQ:
    case EX_NE:
    case EX_STEP:
    case EX_MIN:
    case EX_MAX:
      return (ladder){line_sub(a, b), 0, 0, NULL, 1};
    case EX_ABS:
    case EX_SIGN:
      return (ladder){a, 0, 0, NULL, 1};
    case EX_FLOOR:
    case EX_CEIL:
      return multiples(a, 0, 1, in);
    case EX_ROUND:
      return multiples(a, 0.5, 1, in);
    case EX_MOD:
      if (b.slope == 0 && b.offset != 0) return multiples(a, 0, fabs(b.offset), in);
      return (ladder){.n = 0};
    case EX_TABLE:
      return knots_between(a, in->table, in);
    default:
      return (ladder){.n = 0};
  }
}

// Time of the i-th crossing, ascending.
static double crossing(const ladder* l, int i) {
  const int k = l->d.slope > 0 ? i : l->n - 1 - i;
  const double level = l->knots ? l->knots[k] : l->first + k * l->step;
  return (level - l->d.offset) / l->d.slope;
}

// ---- the value between two splits -------------------------------------------------------------

// Line of a table of degree one or less around the time `middle`; false: the degree is higher.
static bool table_line(const table* t, line x, double middle, line* y) {
  const double at = line_at(x, middle);
  if (t->clamp && (at < t->data[0] || at > t->data[t->n - 1])) {
    *y = flat(table_eval(t, at));
    return true;
  }
  const int i = max_int(0, min_int(t->n - 2, first_not_below(t->data, t->n, at) - 1));
  const double* c = t->data + t->n + (size_t)i * (size_t)t->order;
  const double slope = t->order > 1 ? c[1] : 0;
  *y = (line){slope * x.slope, c[0] + slope * (x.offset - t->data[i])};
  return t->order <= 2;
}

// Line of the result around the time `middle`; false: the result is not affine there.
static bool result_line(const stretch* in, double middle, line* y) {
  const line *x = in->x, a = x[0], b = x[1];
  const double va = line_at(a, middle), vb = line_at(b, middle);
  switch (in->op) {
    case EX_NEG:
      *y = line_scale(-1, a);
      return true;
    case EX_ADD:
      *y = line_sub(a, line_scale(-1, b));
      return true;
    case EX_SUB:
      *y = line_sub(a, b);
      return true;
    case EX_MUL:
      *y = a.slope == 0 ? line_scale(a.offset, b) : line_scale(b.offset, a);
      return a.slope == 0 || b.slope == 0;
    case EX_DIV:
      *y = line_scale(1 / b.offset, a);
      return b.slope == 0;
    case EX_ABS:
      *y = va < 0 ? line_scale(-1, a) : a;
      return true;
    case EX_MIN:
      *y = va <= vb ? a : b;
      return true;
    case EX_MAX:
      *y = va <= vb ? b : a;
      return true;
    case EX_MOD:
      *y = b.offset == 0 ? a : line_sub(a, flat(floor(va / b.offset) * b.offset));
      return b.slope == 0;
    case EX_IFELSE:
      *y = va != 0 ? b : x[2];
      return true;
    case EX_TABLE:
      return table_line(in->table, a, middle, y);
    default:
      *y = flat(apply(in->op, va, vb, 0));
      return td_op_is_flat(in->op) || (a.slope == 0 && b.slope == 0);
  }
}

// True if the value and two derivatives of a table are continuous at a knot, up to rounding of its
// data, as at the inner knots of a spline.  Solvers need not stop there.
static bool is_smooth_knot(const table* t, double knot) {
  const int k = first_not_below(t->data, t->n, knot), order = t->order;
  double side[2][3] = {{0, 0, 0}, {0, 0, 0}}, size = 0, h = INFINITY;

  // value and two derivatives of the pieces before and after the knot
  for (int s = 0; s < 2; s++) {
    const int i = s == 0 ? k - 1 : k;
    if (i < 0 || i > t->n - 2) {
      side[s][0] = table_eval(t, t->data[k]);  // constant beyond the end
      continue;
    }
    const double *c = t->data + t->n + (size_t)i * (size_t)order,
                 x = s == 0 ? knot - t->data[i] : 0;
    double power = 1;
    h = fmin(h, t->data[i + 1] - t->data[i]);
    for (int j = 0; j < order; j++) {
      side[s][0] += c[j] * power;
      if (j + 1 < order) side[s][1] += (j + 1) * c[j + 1] * power;
      if (j + 2 < order) side[s][2] += (j + 2) * (j + 1) * c[j + 2] * power;
      power *= x;
    }
    size = fmax(size, fmax(fabs(c[0]), fabs(side[s][0])));
  }

  // compare them
  const double noise = 256 * 2.2e-16 * size;
  for (int d = 0; d < 3; d++) {
    const double *a = side[0], *b = side[1];
    const double tol = (d == 2 ? 1e-6 : 1e-9) * fmax(fabs(a[d]), fabs(b[d])) + noise / pow(h, d);
    if (fabs(a[d] - b[d]) > tol) return false;
  }
  return true;
}

// Record the splits of one interval as stops and push the pieces between them.  False: the result
// is not affine.
static bool split(search* s, const stretch* in) {
  const ladder l = ladder_of(in);
  const int n = l.d.slope != 0 ? l.n : 0;
  double begin = in->begin;
  bool affine = true;
  line y;

  for (int i = 0; i < n && !stopped(s); i++) {
    const double t = crossing(&l, i);
    const bool smooth =
        l.knots && is_smooth_knot(in->table, l.knots[l.d.slope > 0 ? i : n - 1 - i]);
    if (!smooth) add_stop(s, t);
    s->work++;
    if (!(t > begin && t < in->end)) continue;
    affine = affine && result_line(in, 0.5 * (begin + t), &y);
    if (affine) push(s, begin, y);
    begin = t;
  }

  affine = affine && result_line(in, 0.5 * (begin + in->end), &y);
  if (affine) push(s, begin, y);
  return affine;
}

// ---- pieces of a node -------------------------------------------------------------------------

// Apply an operation on the common refinement of its operands' pieces.
static pieces join(search* s, ex_op op, const table* t, const pieces* x, int arity) {
  stretch in = {.op = op, .table = t, .begin = s->t0, .end = s->t0};
  pieces out = {s->n, 0};
  int at[3] = {0, 0, 0};
  bool affine = true;

  // the next interval ends where the first of the current pieces ends
  do {
    in.begin = in.end;
    in.end = s->t1;
    for (int k = 0; k < arity; k++) {
      const piece* p = s->pool + x[k].first;
      while (at[k] + 1 < x[k].n && p[at[k] + 1].t <= in.begin) at[k]++;
      if (at[k] + 1 < x[k].n) in.end = fmin(in.end, p[at[k] + 1].t);
      in.x[k] = p[at[k]].at;
    }
    affine = split(s, &in) && affine;
  } while (in.end < s->t1 && !stopped(s));

  out.n = s->n - out.first;
  if (!affine || stopped(s)) {
    s->n = out.first;
    out.n = 0;
  }
  return out;
}

// One piece for the whole time.
static pieces single(search* s, line at) {
  const pieces one = {s->n, 1};
  push(s, s->t0, at);
  return s->failed ? (pieces){0, 0} : one;
}

// Pieces of node e, given those of its operands.
static pieces node_pieces(search* s, const reach* r, const pieces* known, ex e) {
  const node n = *node_at(s->g, e);
  const ex_op op = (ex_op)n.op;
  if (op == EX_VAR) return n.arg[0] == s->time_var ? single(s, (line){1, 0}) : (pieces){0, 0};
  pieces x[3] = {{0, 0}, {0, 0}, {0, 0}};

  for (int k = 0; k < td_op_arity(op); k++) {
    if (td_ex_is_const(s->g, n.arg[k])) {
      x[k] = single(s, flat(td_ex_value(s->g, n.arg[k])));
    } else if (reach_has(r, n.arg[k])) {
      x[k] = known[reach_rank(r, n.arg[k])];
    }
    if (x[k].n == 0) return (pieces){0, 0};
  }
  return join(s, op, op == EX_TABLE ? &s->g->tables[n.arg[1]] : NULL, x, td_op_arity(op));
}

// ---- smooth but short changes -----------------------------------------------------------------

// Record stops around a change of this width, if it is short: solvers take fifty steps or more.
static void add_short(search* s, double middle, double width) {
  if (!(width > 0 && width < (s->t1 - s->t0) / 50)) return;
  for (int k = -1; k <= 1; k++) add_stop(s, middle + 2 * k * width);
}

// Get the line of a node that has one piece and is not constant; false: it is none.
static bool line_of(const search* s, const pieces* p, line* at) {
  if (p->n != 1) return false;
  *at = s->pool[p->first].at;
  return at->slope != 0;
}

// Square form of node e, given those of its operands; other nodes made of a line or a square get
// their stops here.
static square find_square(search* s, const reach* r, const pieces* known, const square* squares,
                          ex e) {
  const node n = *node_at(s->g, e);
  const ex_op op = (ex_op)n.op;
  square none = {0, 0}, of[2] = {none, none};
  double value[2] = {NAN, NAN};
  line in[2] = {{0, 0}, {0, 0}};
  bool straight[2] = {false, false};
  const int arity = min_int(td_op_arity(op), 2);

  // constants, squares and lines among the operands
  if (op == EX_VAR || op == EX_TABLE) return none;
  for (int k = 0; k < arity; k++) {
    if (td_ex_is_const(s->g, n.arg[k])) {
      value[k] = td_ex_value(s->g, n.arg[k]);
    } else if (reach_has(r, n.arg[k])) {
      of[k] = squares[reach_rank(r, n.arg[k])];
      straight[k] = line_of(s, &known[reach_rank(r, n.arg[k])], &in[k]);
    }
  }

  // operations that give a square again, and steep steps of a line
  const double zero = -in[0].offset / in[0].slope, steep = in[0].slope;
  switch (op) {
    case EX_MUL:
      if (straight[0] && n.arg[0] == n.arg[1]) return (square){zero, steep * steep};
      if (of[0].scale != 0) return (square){of[0].middle, of[0].scale * value[1]};
      if (of[1].scale != 0) return (square){of[1].middle, of[1].scale * value[0]};
      return none;
    case EX_POW:
      if (straight[0] && fmod(value[1], 2) == 0) return (square){zero, steep * steep};
      break;
    case EX_NEG:
      return (square){of[0].middle, -of[0].scale};
    case EX_ADD:
    case EX_SUB:
      if (of[0].scale != 0 && isfinite(value[1])) return of[0];
      if (of[1].scale != 0 && isfinite(value[0]))
        return (square){of[1].middle, op == EX_SUB ? -of[1].scale : of[1].scale};
      return none;
    case EX_DIV:
      if (of[0].scale != 0 && isfinite(value[1]))
        return (square){of[0].middle, of[0].scale / value[1]};
      break;
    case EX_EXP:
    case EX_TANH:
    case EX_ATAN:
      if (straight[0]) add_short(s, zero, 1 / fabs(steep));
      break;
    default:
      break;
  }

  // any other function of a square is a short pulse
  for (int k = 0; k < arity; k++)
    if (isfinite(of[k].scale) && of[k].scale != 0)
      add_short(s, of[k].middle, 1 / sqrt(fabs(of[k].scale)));
  return none;
}

// ---- the search ------------------------------------------------------------------------------

// Add the stop times of e in [t0, t1] to the array *times, which grows (*n used, *cap allocated),
// sort it and merge equal ones.  False: no memory.  Nothing is added for an expression or an
// interval without stops.
bool td_ex_stop_times(const td_exprs* g, ex e, int time_var, double t0, double t1, double** times,
                      int* n, int* cap) {
  const bool usable = is_node(g, e) && time_var >= 0 && time_var < g->nvar;
  if (!usable || !isfinite(t0) || !isfinite(t1) || t1 < t0) return true;
  search s = {.g = g,
              .time_var = time_var,
              .t0 = t0,
              .t1 = t1,
              .times = times,
              .ntime = n,
              .time_cap = cap};

  // visit the nodes that depend on time, operands first
  reach r;
  if (!td_reach(g, &e, 1, (reach_rule){(int)g->vars[time_var].kind, false}, &r)) return false;
  pieces* known = malloc((size_t)max_int(r.n, 1) * sizeof *known);
  square* squares = malloc((size_t)max_int(r.n, 1) * sizeof *squares);
  s.failed = !known || !squares;

  for (int i = 0; i < r.n && !stopped(&s); i++) {
    known[i] = node_pieces(&s, &r, known, r.list[i]);
    squares[i] = find_square(&s, &r, known, squares, r.list[i]);
  }

  // sort the stops and merge those that differ by rounding only
  double* t = *times;
  int kept = 0;
  if (*n > 0) qsort(t, (size_t)*n, sizeof *t, ascending);

  for (int i = 0; i < *n; i++) {
    const double tol = 1e-12 * fabs(t[i]) + 1e-15 * (t1 - t0);
    if (kept == 0 || t[i] - t[kept - 1] > tol) t[kept++] = t[i];
  }

  *n = kept;
  free(squares);
  free(known);
  free(s.pool);
  td_reach_free(&r);
  return !s.failed;
}

// ---- clocks -----------------------------------------------------------------------------------

td_clock td_ex_clock(td_exprs* g, ex e, ex* clock) {
  const ex_op op = td_ex_op(g, e);
  const ex a = td_ex_arg(g, e, 0);
  ex turns = a;
  switch (op) {
    case EX_ABS:
    case EX_SIGN:
      *clock = a;
      return op == EX_ABS ? TD_CLOCK_CORNER : TD_CLOCK_JUMP;
    case EX_MIN:
    case EX_MAX:
    case EX_LT:
    case EX_LE:
    case EX_EQ:
    case EX_NE:
    case EX_STEP:
      *clock = td_ex_2(g, EX_SUB, a, td_ex_arg(g, e, 1));
      return op == EX_MIN || op == EX_MAX ? TD_CLOCK_CORNER : TD_CLOCK_JUMP;
    case EX_MOD:
      turns = td_ex_2(g, EX_DIV, a, td_ex_arg(g, e, 1));
      break;
    case EX_ROUND:
      turns = td_ex_2(g, EX_SUB, a, td_ex_const(g, 0.5));
      break;
    case EX_FLOOR:
    case EX_CEIL:
      break;
    default:
      return TD_CLOCK_NONE;
  }
  *clock = td_ex_1(g, EX_SIN, td_ex_2(g, EX_MUL, td_ex_const(g, acos(-1)), turns));
  return TD_CLOCK_JUMP;
}
