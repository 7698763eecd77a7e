// The model's equilibrium as the equations of newton.h.
#include "solve/statics/statics.h"

#include <float.h>
#include <math.h>

#include "model/model.h"
#include "solve/statics/sparse_statics.h"
#include "solve/vectors.h"

// ---- evaluation -------------------------------------------------------------------------------

static void evaluate(td_statics* s, const double* l, double* F) {
  td_trial_residual(s->model, s->state, s->work, s->a, l, s->full);
  for (int i = 0; i < s->n; i++) F[i] = s->full[s->free[i]];
  s->evaluations++;
}

// F (n) on the free coordinates and the errors e (m) of the rows, at positions x, multipliers l and
// parameter p.  F[0] is NaN where a segment is folded or internal states find no rest, which
// rejects a trial point.
static void residual(void* ctx, const double* x, const double* l, double p, double* F, double* e) {
  td_statics* s = ctx;
  td_statics_set(s, x, p);
  evaluate(s, l, F);
  // a trial that folds a segment is none: on the other side the energy is another one
  int node;
  const double fold = td_largest_fold(s->model, s->state, s->work, &node);
  if (fold > TD_MOST_FOLD) {
    s->fold_node = node;
    s->fold = fold;
    F[0] = NAN;
  }
  if (s->inner && s->inner->failed) F[0] = NAN;
  if (s->m) td_trial_constraints(s->model, s->state, s->work, NULL, e, NULL);
}

// Rows and columns of the unprescribed DOFs
static void pick(const td_statics* s, const double* full, double* part) {
  for (int i = 0; i < s->n; i++)
    for (int j = 0; j < s->n; j++) part[i * s->n + j] = full[s->free[i] * s->nv + s->free[j]];
}

static void pick_columns(const td_statics* s, const double* Jc, double* J) {
  for (int i = 0; i < s->m; i++)
    for (int j = 0; j < s->n; j++) J[i * s->n + j] = Jc[i * s->nv + s->free[j]];
}

// Sizes of the rows at the state.  Their rank is found where they are met and kept for points near
// by, where rows seem independent that are not: they would hold all that could move.
static void weigh_rows(td_statics* s) {
  double error = 0;
  for (int i = 0; i < s->m; i++) error = fmax(error, fabs(s->l0[i]));
  td_constraint_scales(s->model, s->state, s->work, s->row_size, s->col_factor);
  if (error < 1e-9) {
    const bool first = s->rank_last < 0;
    const int rank = first ? td_constraint_rank_around(s->model, s->state, s->work, NULL)
                           : td_constraint_rank(s->model, s->state, s->work, NULL);
    s->rows.most = max_int(rank, s->rank_last);
    s->rank_last = rank;
  } else if (!(error < 1e-4)) {
    s->rows.most = s->rank_last = -1;
  }
}

// K = dF/dx (n x n, internal states condensed) and J = de/dx (m x n) at the point; sizes of the
// rows are renewed with them.
static void tangent(void* ctx, const double* x, const double* l, double p, double* K, double* J) {
  td_statics* s = ctx;
  td_statics_set(s, x, p);
  td_trial_tangent(s->model, s->state, s->work, s->a, l, s->full, s->C);
  pick(s, s->full, K);
  if (s->inner) {  // internal states follow the point
    td_inner_slopes(s);
    const int nz = s->inner->n;
    for (int i = 0; i < s->n; i++)
      for (int k = 0; k < nz; k++) {
        const double f = s->inner->Fz[area(s->free[i], nz) + (size_t)k];
        for (int j = 0; f != 0 && j < s->n; j++)
          K[i * s->n + j] += f * s->inner->S[area(k, s->nv) + (size_t)s->free[j]];
      }
  }
  if (s->m) {
    td_trial_constraints(s->model, s->state, s->work, s->Jc, s->l0, NULL);
    pick_columns(s, s->Jc, J);
    weigh_rows(s);
  }
  s->tangents++;
}

// The constraints do not depend on inputs.
static void slope(void* ctx, const double* x, const double* l, double p, double* Fp, double* ep) {
  td_statics* s = ctx;
  td_statics_set(s, x, p);
  if (s->param < s->model->nparam) {
    td_param_derivative(s->model, s->state, s->work, s->param, s->a, l, s->full);
    if (s->m) td_param_constraints(s->model, s->state, s->work, s->param, s->a, ep, NULL);
  } else {
    td_input_derivative(s->model, s->state, s->work, s->param - s->model->nparam, s->full);
    for (int i = 0; i < s->m; i++) ep[i] = 0;
  }
  for (int i = 0; i < s->n; i++) Fp[i] = s->full[s->free[i]];
}

static void mass(void* ctx, const double* x, double p, double* M) {
  td_statics* s = ctx;
  td_statics_set(s, x, p);
  td_trial_mass_matrix(s->model, s->state, s->work, s->full);
  pick(s, s->full, M);
}

// Largest generalised force of loads and constraints: what they change in F
static double scale(void* ctx, const double* x, const double* l, double p) {
  td_statics* s = ctx;
  td_statics_set(s, x, p);
  memset(s->l0, 0, sizeof(double) * (size_t)s->m);
  double top = 0;
  double *loaded = s->dv, *other = s->F;  // neither is in use here

  td_set_load(s->work, 1);
  evaluate(s, s->l0, loaded);
  evaluate(s, l, other);
  for (int i = 0; i < s->n; i++) top = fmax(top, fabs(loaded[i] - other[i]));
  td_set_load(s->work, 0);
  evaluate(s, s->l0, other);
  for (int i = 0; i < s->n; i++) top = fmax(top, fabs(loaded[i] - other[i]));
  td_set_load(s->work, s->param == TD_LOAD_SCALE ? p : 1);
  return top;
}

static void displace(void* ctx, const double* x, const double* dx, double* out) {
  td_statics* s = ctx;
  memset(s->dv, 0, sizeof(double) * (size_t)s->nv);
  for (int i = 0; i < s->n; i++) s->dv[s->free[i]] = dx[i];
  if (s->moving || !td_has_chains(s->model)) {
    td_trial_displace(s->model, x, s->dv, out);
    return;
  }
  copy(s->state->q, x, s->nq);
  td_displace_chains(s->model, s->work, s->state, s->dv);
  copy(out, s->state->q, s->nq);
}

static bool go_on(void* ctx) {
  const td_statics* s = ctx;
  return !s->progress || s->progress(s->user, s->fraction, s->what);
}

// ---- life -------------------------------------------------------------------------------------

static bool turns(const td_model* model, int v) {
  td_coordinate about;
  return td_model_v_about(model, v, &about) && strncmp(about.unit, "rad", 3) == 0;
}

// A step turns nothing by more than half a radian.  In polynomial rods a coefficient c of the
// quaternion's vector part turns the rod by 2 φ c, φ its function where that is largest.
static void set_limits(td_statics* s) {
  const td_model* m = s->model;
  const double most = 0.5;
  for (int i = 0; i < s->n; i++) s->limit[i] = turns(m, s->free[i]) ? most : INFINITY;
  for (int k = 0; k < m->ncol; k++) {
    const model_col* c = &m->col[k];
    if (!has_chart(&m->hop[c->hop]) || c->slope == NUM_NONE) continue;
    for (int i = 0; i < s->n; i++)
      if (s->free[i] == c->v)
        s->limit[i] = fmin(s->limit[i], most / fmax(2 * fabs(s->work->col_weight[k]), DBL_MIN));
  }
}

// Allocate the problem in one block, copy `state` and fill the table of equations: dense up to
// SPARSE_DENSE_LIMIT velocities, sparse as well where the model is and the parameter is the load
// scale.  *statics is NULL on failure.
td_status td_statics_new(const td_model* model, td_work* work, const td_state* state, int param,
                         td_statics** statics) {
  *statics = NULL;
  const td_sizes sizes = td_model_sizes(model);
  td_statics* s = calloc(1, sizeof *s);
  if (!s) return TD_E_NOMEM;

  // one block for all matrices and vectors
  const size_t nv = (size_t)sizes.nv, m = (size_t)sizes.nconstraint;
  s->dense = !model->sparse || sizes.nv <= SPARSE_DENSE_LIMIT;
  const size_t matrices = s->dense ? 2 * nv * nv + m * nv : nv;
  const size_t guards = (size_t)td_contact_guards(model);
  const size_t reach = guards > 0 ? 4 * guards + nv + (size_t)sizes.nq : 0;
  const size_t bytes = sizeof(double) * (matrices + 6 * nv + 2 * m + reach) + 64 * 20;
  s->block = malloc(bytes);
  s->state = td_state_new(model);
  if (!s->block || !s->state) {
    td_statics_free(s);
    return TD_E_NOMEM;
  }

  // sizes, and the parts of the block
  arena a = {.base = s->block, .size = bytes};
  s->model = model;
  s->fold_node = -1;
  s->overloaded = -1;
  s->work = work;
  s->nq = sizes.nq;
  s->nv = sizes.nv;
  s->m = sizes.nconstraint;
  s->n = td_free_v(model, &s->free);
  s->param = param;
  s->p = NAN;
  s->what = "equilibrium";
  s->full = arena_zeros(&a, s->dense ? s->nv * s->nv : s->nv);
  if (s->dense) s->C = arena_zeros(&a, s->nv * s->nv);
  if (s->dense) s->Jc = arena_zeros(&a, s->m * s->nv);
  s->l0 = arena_zeros(&a, s->m);
  s->a = arena_zeros(&a, s->nv);
  s->F = arena_zeros(&a, s->nv);
  s->dv = arena_zeros(&a, s->nv);
  s->limit = arena_zeros(&a, s->nv);
  s->row_size = arena_zeros(&a, s->m);
  s->col_factor = arena_zeros(&a, s->nv);
  s->rows = (td_row_scale){s->row_size, s->col_factor, -1, NULL};
  s->rank_last = -1;
  if (reach > 0) {
    s->gap = arena_zeros(&a, (int)reach);
    s->keep_v = arena_zeros(&a, s->nv);
  }

  // start: the state, full load, prescribed motion at rest
  td_state_copy(model, state, s->state);
  td_set_load(work, 1);
  td_statics_motion(s);
  set_limits(s);
  s->equations = (td_equations){.ctx = s,
                                .nx = s->nq,
                                .n = s->n,
                                .m = s->m,
                                .limit = s->limit,
                                .potential = td_statics_conservative(s),
                                .residual = residual,
                                .tangent = tangent,
                                .slope = slope,
                                .mass = mass,
                                .rows = s->m > 0 && s->dense ? &s->rows : NULL,
                                .scale = scale,
                                .displace = displace,
                                .reach = reach > 0 ? td_statics_reach : NULL,
                                .go_on = go_on};
  // arc-length continuation, which has a parameter of its own, borders dense matrices
  if (model->sparse && param == TD_LOAD_SCALE && td_sparse_statics_new(s) != TD_OK) {
    td_statics_free(s);
    return TD_E_NOMEM;
  }
  *statics = s;
  return TD_OK;
}

void td_statics_free(td_statics* statics) {
  if (!statics) return;
  if (statics->work && statics->param == TD_LOAD_SCALE) td_set_load(statics->work, 1);
  td_sparse_statics_free(statics->sparse);
  td_inner_free(statics->inner);
  td_state_free(statics->state);
  free(statics->block);
  free(statics);
}

// Set the problem up at `state` without moving it: choose the taut cables there, and estimate the
// multipliers by least squares.
td_status td_statics_here(const td_model* model, const td_state* state, td_work* work,
                          td_statics** statics, double** q) {
  const td_sizes sizes = td_model_sizes(model);
  td_newton* newton = NULL;
  *statics = NULL;
  *q = calloc((size_t)(sizes.nq + sizes.nconstraint) + 1, sizeof(double));
  if (!*q) return TD_E_NOMEM;
  TD_TRY(td_statics_new(model, work, state, TD_LOAD_SCALE, statics));
  td_statics* s = *statics;
  copy(*q, s->state->q, s->nq);
  TD_TRY(td_taut_choose(model, s->state, work));
  TD_TRY(td_finite_rates(model, s->state, work));
  TD_TRY(td_newton_new(&s->equations, &newton));
  td_newton_estimate(newton, *q, *q + s->nq, 1);
  td_newton_free(newton);
  return TD_OK;
}

bool td_statics_conservative(const td_statics* s) {
  return !s->moving && td_is_conservative(s->model);
}

// ---- strategies -------------------------------------------------------------------------------

// Smallest stiffness at a point of the load path; NaN: not known.
static double least_stiffness(td_statics* s, const double* q, const double* l, double p) {
  td_answer answer = {.critical = NAN, .stiffness = malloc(sizeof(double) * (size_t)(s->n + 1))};
  double* room = answer.stiffness;
  if (room && s->n > 0) td_judge(s, q, l, p, true, &answer);
  free(room);
  return answer.critical;
}

// Find the equilibrium while the loads grow from nothing to 1; a step that fails is cut to a
// quarter.  Where no step however small goes on and the stiffness has gone as well, the path turns
// back: s->limit_point is the share of the load.  At a distance of 1e-5 of the load from there a
// stiffness is about its square root, 3e-3, of what it was.
static td_status load_continuation(td_statics* s, td_newton* newton, double* q, double* l,
                                   double* keep, const td_newton_options* options,
                                   td_newton_report* report) {
  double reached = 0, step = 0.125, travel;
  int iterations = 0;
  s->limit_point = 0;
  td_newton_estimate(newton, q, l, 0);
  TD_TRY(td_newton_solve(newton, q, l, 0, options, report));
  const double unloaded = least_stiffness(s, q, l, 0);
  iterations += report->iterations;
  travel = report->travel;

  // increase the load, from the last equilibrium
  while (reached < 1) {
    const double next = fmin(1, reached + step);
    copy(keep, q, s->nq);
    copy(keep + s->nq, l, s->m);
    s->fraction = reached;
    const td_status status = td_newton_solve(newton, q, l, next, options, report);
    iterations += report->iterations;
    report->iterations = iterations;
    report->travel = travel += report->travel;
    if (status == TD_OK) {
      reached = next;
      step *= 2;
      continue;
    }

    // back to it, with a shorter step
    copy(q, keep, s->nq);
    copy(l, keep + s->nq, s->m);
    step = (next - reached) / 4;
    if (status != TD_E_DIVERGED) return status;
    if (step < 1e-5) {
      const double left = fabs(least_stiffness(s, q, l, reached));
      if (reached > 0 && left < 0.1 * unloaded) s->limit_point = reached;
      return status;
    }
  }
  return TD_OK;
}

// Where a strategy works: its point, and room for the last good one.
typedef struct attempt {
  double *q, *l, *keep;
} attempt;

static td_status run(td_statics* s, td_newton* newton, td_strategy strategy, const double* q0,
                     attempt* a, const td_newton_options* options, td_newton_report* report) {
  copy(a->q, q0, s->nq);
  if (strategy == TD_LOAD_CONTINUATION)
    return load_continuation(s, newton, a->q, a->l, a->keep, options, report);
  td_newton_estimate(newton, a->q, a->l, 1);
  return strategy == TD_NEWTON ? td_newton_solve(newton, a->q, a->l, 1, options, report)
                               : td_transient_solve(newton, a->q, a->l, 1, options, report);
}

// The row of a loop in a singular position, two bars in line, say: its multiplier has no lever to
// hold the load by, and grows without bound the nearer the point comes to where the loop closes.
// In units in which the elements of J are about one, multipliers are as large as the forces that
// they balance, or as much larger as the lever is short: toggles work with levers of 1e-3.  At the
// angle d from the singular position a loop of the size L is open by c L d^2 and has the lever
// 2 c d, with c = 1/2 for two bars in line and (pi/2)^2 for a straight rod between two clamps.
// Newton's method leaves it open by `gap`: levers below 2 sqrt(c gap/L) are no more than that.
// -1: no such row.
static int overloaded_row(td_statics* s, const double* q, const double* l, double stiffness) {
  if (s->m == 0) return -1;
  const int n = s->n, r = s->m;
  arena own;
  char* memory;
  td_statics_set(s, q, 1);
  if (!td_lend_dense(s->model, s->work, &own, &memory)) return -1;
  td_constraint_scales(s->model, s->state, s->work, s->row_size, s->col_factor);
  td_take_back(s->work, &own, memory);
  memset(s->l0, 0, sizeof(double) * (size_t)r);
  evaluate(s, s->l0, s->F);

  // multipliers against the forces that they balance; without loads both are rounding
  static const double gap = 1e-10, pi = 3.14159265358979323846;
  const double lever = pi * sqrt(gap / fmin(1, td_robot_size(s->model, s->work)));
  double weighed = 0, force = 0, most = 0;
  int row = -1;
  for (int i = 0; i < n; i++) {
    weighed = fmax(weighed, fabs(s->F[i] * s->col_factor[i]));
    force = fmax(force, fabs(s->F[i]));
  }
  for (int i = 0; i < r; i++) {
    const double size = fabs(l[i] * s->row_size[i]);
    if (size > most) row = i;
    most = fmax(most, size);
  }
  if (!(lever * most > weighed) || !(force > 1e-12 * stiffness)) return -1;

  // light bodies among heavy ones do the same, but there is no other way to hold them: multipliers
  // that give the same forces with longer levers alone are as large
  const size_t wide = (size_t)n, values = (size_t)r * (size_t)s->nv + (size_t)r * wide;
  const size_t bytes =
      sizeof(double) * (values + wide * wide + wide + (size_t)r) + td_kkt_scratch(n, r) + 1024;
  arena a = {.base = malloc(bytes), .size = bytes};
  if (!a.base) return -1;
  double *Jc = arena_doubles(&a, r * s->nv), *J = arena_doubles(&a, r * n);
  double *weight = arena_zeros(&a, n * n), *f = arena_zeros(&a, n), *other = arena_zeros(&a, r);
  td_trial_constraints(s->model, s->state, s->work, Jc, NULL, NULL);
  pick_columns(s, Jc, J);
  for (int j = 0; j < n; j++) {
    weight[j * n + j] = 1 / (s->col_factor[j] * s->col_factor[j]);
    for (int i = 0; i < r; i++) f[j] += J[i * n + j] * l[i];
  }
  const td_row_scale scales = {s->row_size, s->col_factor, -1, NULL};
  td_kkt kkt;
  td_kkt_factor(&kkt, weight, J, n, r, &scales, lever, &a);
  if (!kkt.singular) td_kkt_solve(&kkt, f, NULL, 1, f, other, &a);
  double least = 0;
  for (int i = 0; i < r; i++) least = fmax(least, fabs(other[i] * s->row_size[i]));
  free(a.base);
  return !kkt.singular && least < 0.1 * most ? row : -1;
}

// Value of an attempt, in ascending order.  Newton's method from afar likes unstable equilibria;
// one that is unstable and not near the start is kept only for want of a better one.
typedef enum worth { NOTHING, POINT, UNSTABLE, GOOD } worth;

static worth assess(td_statics* s, const td_newton* newton, td_status status, td_strategy strategy,
                    const td_newton_report* report, const attempt* a, double* stiffness) {
  // a load path that stopped half-way says nothing about the loaded state
  if (status != TD_OK) return strategy == TD_LOAD_CONTINUATION ? NOTHING : POINT;
  const int overloaded = overloaded_row(s, a->q, a->l, newton->stiffness);
  if (overloaded >= 0) {
    s->overloaded = overloaded;
    return POINT;
  }
  if ((report->travel <= 1 && !s->stable) || !td_statics_conservative(s)) return GOOD;
  td_answer answer = {.stiffness = stiffness};
  td_judge(s, a->q, a->l, 1, true, &answer);
  return answer.stability == TD_DIVERGENCE ? UNSTABLE : GOOD;
}

// Try the strategies from the same start until one gives a good equilibrium, and keep the best
// point: stable before unstable before a mere point with the smallest residual. q and l: start in,
// result out; iterations are summed over all attempts.
td_status td_statics_solve(td_statics* s, td_newton* newton, double* q, double* l,
                           const td_newton_options* options, td_strategy* strategy,
                           td_newton_report* report) {
  const size_t size = (size_t)(s->nq + s->m);
  double* block = calloc(2 * size + (size_t)(s->nq + s->n) + 1, sizeof(double));
  if (!block) return TD_E_NOMEM;
  attempt a = {block, block + s->nq, block + size};
  double *q0 = block + 2 * size, *stiffness = q0 + s->nq;
  copy(q0, q, s->nq);

  // Newton first; where bodies touch, pseudo-transient steps come before the load: without loads
  // contact would be lost, and come back on either side
  static const td_strategy orders[2][3] = {{TD_NEWTON, TD_LOAD_CONTINUATION, TD_PSEUDO_TRANSIENT},
                                           {TD_NEWTON, TD_PSEUDO_TRANSIENT, TD_LOAD_CONTINUATION}};
  s->equations.residual(s, q, l, 1, newton->F, newton->e);
  const bool touches = td_touches(s->model, s->work);
  const td_strategy* order = orders[touches];
  td_status status = TD_E_DIVERGED;
  worth best = NOTHING;
  int iterations = 0;
  *report = (td_newton_report){.measure = INFINITY, .residual = NAN};
  newton->endless = false;

  // one attempt each
  for (int i = 0;
       i < 3 && best < GOOD && !newton->endless && (status == TD_OK || status == TD_E_DIVERGED);
       i++) {
    td_newton_report each = {0};
    status = run(s, newton, order[i], q0, &a, options, &each);
    iterations += each.iterations;
    worth now = assess(s, newton, status, order[i], &each, &a, stiffness);
    if (now > best || (now == POINT && best == POINT && each.measure < report->measure)) {
      best = now;
      *report = each;
      *strategy = order[i];
      copy(q, a.q, s->nq);
      copy(l, a.l, s->m);
    }
    // near the start it is the one to be left
    if (s->stable && now == UNSTABLE && each.travel <= 1) break;
  }

  // leave an unstable equilibrium downhill
  report->iterations = iterations;
  if (s->stable && best == UNSTABLE && s->dense) {
    const td_status left = td_statics_downhill(s, newton, q0, q, l, options, report);
    if (left != TD_OK) status = left;
  }
  if (best >= UNSTABLE && status != TD_E_STOPPED && status != TD_E_NOMEM) status = TD_OK;
  if (best < UNSTABLE && status == TD_OK) status = TD_E_DIVERGED;

  // the full load is back, whatever the last attempt has set
  td_set_load(s->work, 1);
  s->p = NAN;
  free(block);
  return status;
}
