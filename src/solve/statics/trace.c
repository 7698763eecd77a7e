// td_trace: the path of equilibria as a parameter changes, by arc length (curve.c), with its
// critical points located.
//
//   limit point   the path turns back: its direction has no part along the parameter
//   bifurcation   another path crosses: an eigenvalue of the stiffness passes zero, and the path
//                 does not turn
//   Hopf point    a complex pair of eigenvalues reaches the right half plane (no potential)
//
// The steps border the dense stiffness, and critical points are told apart by all of its
// eigenvalues: sparse models are traced by dense matrices up to SPARSE_DENSE_LIMIT velocities, and
// larger ones are refused.
#include <math.h>

#include "engine/sparse_engine.h"
#include "solve/statics/statics.h"

enum { locate_steps = 100 };
static const double shortest_step = 1e-9, sharpest_turn = 0.9;

void td_trace_options_fill(td_trace_options* options, size_t size) {
  const td_trace_options own = {.size = size,
                                .param = -1,
                                .from = 0,
                                .to = 1,
                                .step = 0.02,
                                .max_points = 2000,
                                .tol = 1e-10};
  struct_into(options, size, &own, sizeof own);
}

void td_trace_free(td_trace_result* result) {
  if (!result) return;
  free(result->p);
  free(result->q);
  free(result->sensors);
  free(result->kind);
  free(result->stability);
  free(result);
}

// A point of the path with what is known about it.
typedef struct stop {
  td_point point;
  td_answer answer;
  int sign;  // of the bordered determinant
} stop;

typedef struct tracer {
  td_statics* s;
  td_curve curve;
  const td_trace_options* o;
  td_trace_result* result;
  td_sizes sizes;
  int cap;
  bool conservative;
  double way;    // length of the path so far, along x
  stop a, b, c;  // last point, next point, between them while locating
} tracer;

// ---- the list of points -----------------------------------------------------------------------

// A list with more room; out of memory: the list as it is, and *ok is false
static void* grown(void* list, size_t bytes, bool* ok) {
  void* block = realloc(list, bytes + 1);
  *ok = *ok && block;
  return block ? block : list;
}

// Append a point to the result: parameter, positions, sensors (NaN where they fail), kind and
// stability.  Arrays double when they are full.
static td_status record(tracer* t, const stop* at, td_path_kind kind) {
  td_trace_result* r = t->result;
  const size_t i = (size_t)r->n, nq = (size_t)t->sizes.nq, ny = (size_t)t->sizes.nsensor;
  if (r->n >= t->cap) {
    const size_t cap = t->cap ? 2 * (size_t)t->cap : 64;
    bool ok = true;
    r->p = grown(r->p, cap * sizeof *r->p, &ok);
    r->q = grown(r->q, cap * nq * sizeof *r->q, &ok);
    r->sensors = grown(r->sensors, cap * ny * sizeof *r->sensors, &ok);
    r->kind = grown(r->kind, cap * sizeof *r->kind, &ok);
    r->stability = grown(r->stability, cap * sizeof *r->stability, &ok);
    if (!ok) return TD_E_NOMEM;
    t->cap = (int)cap;
  }

  // the point itself
  r->p[i] = at->point.p;
  r->kind[i] = kind;
  r->stability[i] = at->answer.stability;

  // the residual puts the point into the state and the parameter into the work
  t->s->equations.residual(t->s, at->point.x, at->point.l, at->point.p, t->curve.newton->F,
                           t->curve.newton->e);
  memcpy(r->q + i * nq, t->s->state->q, sizeof(double) * nq);
  if (ny && td_trial_sensors(t->s->model, t->s->state, t->s->work, r->sensors + i * ny) != TD_OK)
    for (size_t k = 0; k < ny; k++) r->sensors[i * ny + k] = NAN;
  r->n++;
  return TD_OK;
}

// ---- critical points --------------------------------------------------------------------------

static td_status judge(tracer* t, stop* at) {
  return td_judge(t->s, at->point.x, at->point.l, at->point.p, t->conservative, &at->answer);
}

// The point an arc length ds from a
static td_status advance(tracer* t, double ds, stop* to, int* iterations) {
  TD_TRY(td_curve_step(&t->curve, &t->a.point, ds, &to->point, iterations, &to->sign));
  return judge(t, to);
}

// A test function, which changes its sign at a critical point of this kind.
typedef struct test {
  td_path_kind kind;
  int index;         // bifurcation: which stiffness eigenvalue
  double threshold;  // Hopf: relative real part that counts
} test;

static double value(const tracer* t, const test* what, const stop* at) {
  switch (what->kind) {
    case TD_LIMIT:
      return at->point.tp / t->curve.P;
    case TD_BIFURCATION:
      return t->conservative && what->index >= 0 ? at->answer.stiffness[what->index] : at->sign;
    case TD_HOPF:
      return at->answer.flutter_rate - what->threshold;
    case TD_REGULAR:
      break;
  }
  return at->point.p - what->threshold;  // arrival at a value of the parameter
}

// A root between lo and hi: false position, in which an end that stays has its value halved
// (Illinois), and a bisection where three steps have not halved the bracket.
typedef struct bracket {
  double lo, hi, f_lo, f_hi;
  double width;  // three steps ago
  int steps, side;
} bracket;

static double next_guess(bracket* r) {
  double mid = r->lo + (r->hi - r->lo) * r->f_lo / (r->f_lo - r->f_hi);
  if (r->steps++ % 3 == 2) {
    if (r->hi - r->lo > r->width / 2) mid = (r->lo + r->hi) / 2;
    r->width = r->hi - r->lo;
  }
  return mid > r->lo && mid < r->hi ? mid : (r->lo + r->hi) / 2;
}

static void narrow(bracket* r, double at, double f) {
  const int side = (f < 0) == (r->f_lo < 0) ? -1 : 1;
  if (side < 0) {
    r->lo = at, r->f_lo = f;
    if (r->side == side) r->f_hi /= 2;
  } else {
    r->hi = at, r->f_hi = f;
    if (r->side == side) r->f_lo /= 2;
  }
  r->side = side;
}

// The point c an arc length ds from a, judged where the test function takes the answer
static td_status approach(tracer* t, const test* what, double ds) {
  int iterations;
  const bool judged = what->kind == TD_BIFURCATION || what->kind == TD_HOPF;
  return judged ? advance(t, ds, &t->c, &iterations)
                : td_curve_step(&t->curve, &t->a.point, ds, &t->c.point, &iterations, &t->c.sign);
}

// Root of `what` between a and b (arc length ds).  Leaves the last point in c and its arc length in
// *found.
static td_status locate(tracer* t, const test* what, double ds, double* found) {
  bracket r = {.hi = ds, .f_lo = value(t, what, &t->a), .f_hi = value(t, what, &t->b), .width = ds};
  // values that are as good as zero: a path ends by Newton's method at the parameter itself
  const double enough = what->kind == TD_LIMIT     ? 1e-12
                        : what->kind == TD_REGULAR ? 1e-6 * t->curve.P
                                                   : 0;
  *found = ds;
  double least = fabs(r.f_hi);  // and *found where that is
  td_status status = approach(t, what, ds);
  for (int i = 0; i < locate_steps && r.hi - r.lo > 1e-11 * ds && status == TD_OK; i++) {
    double mid = next_guess(&r);
    if (!(mid > r.lo && mid < r.hi)) break;
    status = approach(t, what, mid);
    // right at a singular point the corrector may give up: try beside it
    for (double aside = 1e-6; aside < 0.5 && status == TD_E_DIVERGED; aside *= 8) {
      mid -= aside * (mid - r.lo);
      status = approach(t, what, mid);
    }
    if (status != TD_OK) break;
    const double f = value(t, what, &t->c);
    if (fabs(f) <= least) *found = mid, least = fabs(f);
    if (least <= enough) break;
    narrow(&r, mid, f);
  }
  // so near to a singular point the best so far is as good as it gets
  return status == TD_E_NOMEM || status == TD_E_STOPPED ? status : approach(t, what, *found);
}

// Critical points between a and b, in path order; eigenvalues that pass together make one
static td_status record_critical(tracer* t, double ds) {
  enum { most = 8 };
  const td_answer *a = &t->a.answer, *b = &t->b.answer;
  test list[most];
  double at[most], before = -ds;
  int n = 0;
  const bool limit = (t->a.point.tp > 0) != (t->b.point.tp > 0);
  if (limit) list[n++] = (test){.kind = TD_LIMIT};

  if (t->conservative && !limit && a->n == b->n) {
    // with a potential: eigenvalues number `first` .. in ascending order pass zero one after the
    // other
    int na = 0, nb = 0;
    while (na < a->n && a->stiffness[na] < 0) na++;
    while (nb < b->n && b->stiffness[nb] < 0) nb++;
    const int first = min_int(na, nb), last = max_int(na, nb);
    const double zero =
        a->n ? 1e-11 * fmax(fabs(a->stiffness[a->n - 1]), fabs(b->stiffness[a->n - 1])) : 0;
    for (int i = first; i < last && n < most; i++) {
      if (!(fmax(fabs(a->stiffness[i]), fabs(b->stiffness[i])) > zero)) break;
      list[n++] = (test){.kind = TD_BIFURCATION, .index = i};
    }
  } else if ((!t->conservative || limit) && t->a.sign * t->b.sign < 0) {
    // without one, and beside a limit point, which takes an eigenvalue through zero of its own: by
    // the sign of the bordered determinant
    list[n++] = (test){.kind = TD_BIFURCATION, .index = -1};
  }

  // undamped systems are calm on the imaginary axis: there a real part must show, else it need only
  // pass zero
  const td_answer* calm = a->fluttering ? b : a;
  if (n < most && !t->conservative && (a->fluttering > 0) != (b->fluttering > 0) &&
      calm->divergent == 0) {
    const bool undamped = !a->damped && !b->damped;
    const double threshold = undamped ? 1e-6 : fmax(0, 2 * calm->flutter_rate) + 1e-14;
    list[n++] = (test){.kind = TD_HOPF, .threshold = threshold};
  }

  for (int i = 0; i < n; i++) TD_TRY(locate(t, &list[i], ds, &at[i]));
  for (int done = 0; done < n; done++) {
    int next = done, iterations;
    for (int i = done; i < n; i++)
      if (at[i] < at[next]) next = i;
    const test what = list[next];
    const double found = at[next];
    list[next] = list[done];
    at[next] = at[done];
    const bool same = what.kind == TD_BIFURCATION && found - before < 1e-7 * ds;
    if (what.kind == TD_BIFURCATION) before = found;
    if (same || t->result->n >= t->o->max_points) continue;

    // right at the point the eigenvalue is zero up to round-off: neutral when nothing else is
    // unstable
    TD_TRY(advance(t, found, &t->c, &iterations));
    if (min_int(a->divergent, b->divergent) == 0 && min_int(a->fluttering, b->fluttering) == 0)
      t->c.answer.stability = TD_NEUTRAL;
    TD_TRY(record(t, &t->c, what.kind));
  }
  return TD_OK;
}

// ---- the path ---------------------------------------------------------------------------------

static void exchange(stop* a, stop* b) {
  const stop c = *a;
  *a = *b;
  *b = c;
}

// Cosine of the angle between two directions
static double alignment(const tracer* t, const td_point* a, const td_point* b) {
  double sum = a->tp * b->tp / (t->curve.P * t->curve.P);
  for (int i = 0; i < t->s->n; i++) sum += a->tx[i] * b->tx[i] / (t->curve.X * t->curve.X);
  return sum;
}

// One along x grows with the length of the path, so that a step stays a small part of it: a path
// that begins almost without moving gets on nevertheless.
static void widen(tracer* t, double ds) {
  td_point* a = &t->a.point;
  double dx = 0;
  for (int i = 0; i < t->s->n; i++) dx += a->tx[i] * a->tx[i];
  t->way += ds * sqrt(dx);
  if (t->way <= t->curve.X) return;
  t->curve.X = t->way;
  const double length = sqrt(alignment(t, a, a));
  for (int i = 0; i < t->s->n; i++) a->tx[i] /= length;
  for (int i = 0; i < t->s->m; i++) a->tl[i] /= length;
  a->tp /= length;
}

// Has p passed `to`, or gone as far to the other side of `from`?  A path that turns back may pass
// `from` on its way.
static bool leaves(const tracer* t, double p, double* end) {
  const double far = (p - t->o->from) / (t->o->to - t->o->from);
  *end = far > 0 ? t->o->to : 2 * t->o->from - t->o->to;
  return far >= 1 || far <= -1;
}

// Move b to the point of the equilibrium path between a and b at which p = end.  *ds is the arc
// length from a to b, on entry and on return.
static td_status land(tracer* t, double end, double* ds) {
  const test arrival = {.kind = TD_REGULAR, .threshold = end};
  td_newton_report report;

  // find the arc length at which p is almost `end`
  if (t->b.point.p != end) {
    TD_TRY(locate(t, &arrival, *ds, ds));
    exchange(&t->b, &t->c);
  }

  // solve for the equilibrium at p = end itself, then for the tangent and the stability there
  t->b.point.p = end;
  const td_newton_options how = {.tol = t->curve.options.tol, .max_iterations = 20};
  td_status status =
      td_newton_solve(t->curve.newton, t->b.point.x, t->b.point.l, end, &how, &report);
  if (status == TD_OK) status = td_curve_direction(&t->curve, &t->b.point, &t->b.sign);
  return status == TD_OK ? judge(t, &t->b) : status;
}

// Name of the parameter or input that the path is along.
static const char* param_name(const tracer* t) {
  const td_model* m = t->s->model;
  const int param = t->o->param;
  return param < m->nparam ? td_model_param_name(m, param)
                           : td_model_input_name(m, param - m->nparam);
}

static td_status cannot_switch(const tracer* t) {
  td_work_fail(t->s->work,
               "the path ends before %s = %g, where a cable that cannot be stretched becomes taut "
               "or slack, and no equilibrium with it is found",
               param_name(t), t->b.point.p);
  return TD_E_DIVERGED;
}

// Exchange taut and slack cables at t->b until tensions and gaps have the right signs, with a new
// equilibrium after each change: the path has a corner there, and b moves to its far side.
// *switched tells whether any cable changed.  Fails with a message when the changes find no end.
static td_status switch_cables(tracer* t, bool* switched) {
  td_statics* s = t->s;
  td_point* at = &t->b.point;
  const td_newton_options how = {.tol = t->curve.options.tol, .max_iterations = 20};
  td_newton_report report;
  const int most = td_taut_count(s->model) > 0 ? 4 + 2 * td_taut_count(s->model) : 0;
  *switched = false;
  for (int k = 0; k < most; k++) {
    td_statics_set(s, at->x, at->p);
    if (td_taut_correct(s->model, s->state, s->work, at->l, TD_TAUT_FIRST) == 0) return TD_OK;
    *switched = true;
    td_status status = td_newton_solve(t->curve.newton, at->x, at->l, at->p, &how, &report);
    if (status == TD_OK) status = td_curve_direction(&t->curve, at, &t->b.sign);
    if (status == TD_OK) status = judge(t, &t->b);
    if (status != TD_OK) return status == TD_E_DIVERGED ? cannot_switch(t) : status;
  }
  return most > 0 ? cannot_switch(t) : TD_OK;
}

// Pass a corner of the path, where bodies begin or cease to touch and steps along the path fail: b
// becomes an equilibrium a small step of the parameter beyond a.  TD_E_DIVERGED after a message
// where none is found.
static td_status pass_corner(tracer* t) {
  const td_statics* s = t->s;
  const td_point* a = &t->a.point;
  td_point* b = &t->b.point;
  for (double part = 1e-3; part > 1e-5; part /= 3) {
    const td_newton_options how = {.tol = t->curve.options.tol, .max_iterations = 40};
    td_newton_report report;
    double end;
    td_point_copy(&s->equations, a, b);
    b->p += copysign(part * t->curve.P, a->tp);
    if (leaves(t, b->p, &end)) b->p = 0.5 * (a->p + end);
    td_status status = td_newton_solve(t->curve.newton, b->x, b->l, b->p, &how, &report);
    if (status == TD_OK) status = td_curve_direction(&t->curve, b, &t->b.sign);
    if (status == TD_OK) status = judge(t, &t->b);
    if (status != TD_E_DIVERGED && status != TD_E_SINGULAR) return status;
  }
  td_work_fail(
      s->work,
      "the path ends at %s = %g, where something begins or ceases to touch; go on in small "
      "steps by equil, each --at the equilibrium before",
      param_name(t), a->p);
  return TD_E_DIVERGED;
}

// Follow the path from t->a until the parameter leaves its range or max_points are reached.  Each
// step predicts and corrects t->b at the arc length ds, halves ds on failure or a sharp turn, and
// records critical points between a and b.  TD_E_DIVERGED, with a message, where the path ends.
static td_status follow(tracer* t) {
  const bool corners = td_model_sizes(t->s->model).ncontact > 0;
  double ds = t->o->step, end;
  while (t->result->n < t->o->max_points) {
    // contacts make corners, at which ever shorter steps fail: pass beyond the corner
    if (corners && ds < 1e-3 * t->o->step) {
      TD_TRY(pass_corner(t));
      TD_TRY(record(t, &t->b, TD_REGULAR));
      exchange(&t->a, &t->b);
      widen(t, t->o->step);
      ds = 0.1 * t->o->step;
    }

    // predict and correct; a failed step or a sharp turn is tried again at half the length
    t->s->fraction = fmin(1, fabs(t->a.point.p - t->o->from) / t->curve.P);
    if (!t->s->equations.go_on(t->s)) return TD_E_STOPPED;
    int iterations = 0;
    const td_status status = advance(t, ds, &t->b, &iterations);
    if (status == TD_E_NOMEM) return status;
    if (status != TD_OK || alignment(t, &t->a.point, &t->b.point) < sharpest_turn) {
      ds /= 2;
      if (ds < shortest_step * t->o->step) {
        const bool neutral = t->result->stability[t->result->n - 1] == TD_NEUTRAL;
        td_work_fail(t->s->work, "the path ends at %s = %g: no equilibrium near it goes on%s",
                     param_name(t), t->a.point.p,
                     neutral ? "; nothing holds the model in some direction there (neutral): begin "
                               "where it is held"
                             : "");
        return TD_E_DIVERGED;
      }
      continue;
    }

    // end exactly at the limit of the parameter
    double length = ds;
    const bool last = leaves(t, t->b.point.p, &end);
    if (last) TD_TRY(land(t, end, &length));

    // a rod turned inside out ends the path
    char why[256];
    td_statics_set(t->s, t->b.point.x, t->b.point.p);
    if (td_statics_reversed(t->s, why, sizeof why)) {
      td_work_fail(t->s->work, "the path ends before %s = %g: %s", param_name(t), t->b.point.p,
                   why);
      return TD_E_DIVERGED;
    }

    // switch cables, or locate critical points, and go on from b
    bool switched;
    TD_TRY(switch_cables(t, &switched));
    if (!switched) TD_TRY(record_critical(t, length));
    if (t->result->n < t->o->max_points) TD_TRY(record(t, &t->b, TD_REGULAR));
    exchange(&t->a, &t->b);
    widen(t, length);
    if (last) {
      t->result->complete = end == t->o->to;
      return TD_OK;
    }

    // step length by the number of corrections
    if (iterations <= 4) ds = fmin(1.5 * ds, t->o->step);
    if (iterations >= 8) ds /= 2;
  }
  return TD_OK;
}

// Find the first equilibrium by all strategies, its direction towards `to` and the scale X of
// displacements, judge and record it.  Refuses ends outside the range of the parameter or input.
static td_status begin(tracer* t, const td_model* model, td_work* work, const td_state* state) {
  td_statics* s = NULL;
  td_newton* newton = NULL;
  td_newton_report report;
  td_strategy strategy;
  td_point* first = &t->a.point;
  if (t->o->param < model->nparam) {  // both ends obey the rules of the fields the parameter is in
    TD_TRY(td_work_set_param(model, work, t->o->param, t->o->to));
    TD_TRY(td_work_set_param(model, work, t->o->param, t->o->from));
  } else {
    const model_named* input = &model->input[t->o->param - model->nparam];
    const double ends[] = {t->o->from, t->o->to};
    for (int k = 0; k < 2; k++) {
      if (model_admits(model, input, ends[k])) continue;
      td_work_fail(work, "input '%s' has the range [%g %g], it was to be set to %g",
                   model_name(model, input->name), input->low, input->high, ends[k]);
      return TD_E_MODEL;
    }
  }

  // the equilibrium
  td_status status = td_statics_new(model, work, state, TD_LOAD_SCALE, &s);
  if (status == TD_OK) status = td_newton_new(&s->equations, &newton);
  if (status == TD_OK) {
    const td_newton_options how = {.tol = t->o->tol,
                                   .max_iterations = td_equil_options_default().max_iterations};
    s->progress = t->o->progress;
    s->user = t->o->user;
    memcpy(first->x, s->state->q, sizeof(double) * (size_t)s->nq);
    status = td_statics_taut(s, newton, first->x, first->l, &how, &strategy, &report);
    if (status == TD_E_DIVERGED && s->overloaded >= 0) {
      char note[256];
      td_statics_say_overloaded(s, note, sizeof note);
      td_work_fail(work, "%s", note);
    }
  }
  td_newton_free(newton);
  td_statics_free(s);
  TD_TRY(status);

  // direction; the sign of tp is that of the way to `to`
  first->p = t->o->from;
  first->tp = t->o->to - t->o->from;
  TD_TRY(td_curve_direction(&t->curve, first, NULL));
  // one along x is what p's whole range would move the model, were it linear
  double dx = 0;
  for (int i = 0; i < t->s->n; i++) dx += first->tx[i] * first->tx[i];
  const double whole = sqrt(dx) * t->curve.P / fabs(first->tp);
  t->curve.X = isfinite(whole) ? fmax(whole, 0.01) : 1;
  TD_TRY(td_curve_direction(&t->curve, first, &t->a.sign));
  t->conservative = td_statics_conservative(t->s);
  TD_TRY(judge(t, &t->a));
  return record(t, &t->a, TD_REGULAR);
}

static void stop_free(stop* at) {
  td_point_free(&at->point);
  free(at->answer.stiffness);
}

static td_status stop_new(const td_equations* equations, stop* at) {
  at->answer.stiffness = calloc((size_t)equations->n + 1, sizeof(double));
  return at->answer.stiffness ? td_point_new(equations, &at->point) : TD_E_NOMEM;
}

// Allocate the points, find the first equilibrium and follow the path; `state` is left at the last
// point.
static td_status trace(tracer* t, td_work* work, td_state* state) {
  const td_model* model = t->s->model;
  t->s->progress = t->o->progress;
  t->s->user = t->o->user;
  t->s->what = "path of equilibria";
  TD_TRY(td_newton_new(&t->s->equations, &t->curve.newton));
  TD_TRY(stop_new(&t->s->equations, &t->a));
  TD_TRY(stop_new(&t->s->equations, &t->b));
  TD_TRY(stop_new(&t->s->equations, &t->c));
  TD_TRY(begin(t, model, work, state));
  const td_status status = follow(t);

  // leave model and state at the last point
  const td_point* last = &t->a.point;
  t->s->equations.residual(t->s, last->x, last->l, last->p, t->curve.newton->F, t->curve.newton->e);
  td_state_copy(model, t->s->state, state);
  return status;
}

// Refuse what cannot be traced (internal states, parameters out of range, large models), then
// trace.  The result holds the points found so far even on failure.
td_status td_trace(const td_model* model, td_work* work, td_state* state,
                   const td_trace_options* options, td_trace_result** result) {
  if (!model_has(model, state, work) || !td_state_is_finite(model, state) || !result)
    return TD_E_USAGE;
  *result = NULL;
  td_trace_options own = td_trace_options_default();
  const td_trace_options* o = &own;
  if (td_options_take(options, &own, sizeof own) != TD_OK) {
    td_work_fail(work, "%s", td_options_refused);
    return TD_E_USAGE;
  }
  if (model->ninternal > 0) {
    td_work_fail(work, TD_NO_INTERNALS, "trace", td_model_internal_name(model, 0));
    return TD_E_USAGE;
  }
  if (o->param < 0 || o->param >= model->nparam + model->ninput || !isfinite(o->from) ||
      !isfinite(o->to) || o->from == o->to || !(o->step > 0) || !(o->tol > 0) || o->max_points < 2)
    return TD_E_USAGE;
  if (model->sparse && model->nvel > SPARSE_DENSE_LIMIT) {
    td_work_fail(work, "a model of %d velocities is too large to be traced, it may have %d",
                 model->nvel, SPARSE_DENSE_LIMIT);
    return TD_E_USAGE;
  }
  if (o->param >= model->nparam) state->u[o->param - model->nparam] = o->from;
  tracer t = {.o = o, .sizes = td_model_sizes(model)};
  t.curve = (td_curve){
      .options = {.tol = o->tol, .max_iterations = 20}, .X = 1, .P = fabs(o->to - o->from)};
  *result = t.result = calloc(1, sizeof *t.result);
  td_status status = t.result ? td_statics_new(model, work, state, o->param, &t.s) : TD_E_NOMEM;
  if (status == TD_OK) status = trace(&t, work, state);
  stop_free(&t.a);
  stop_free(&t.b);
  stop_free(&t.c);
  td_newton_free(t.curve.newton);
  td_statics_free(t.s);
  return status;
}
