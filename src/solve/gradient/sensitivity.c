// Forward derivatives of a trajectory: changes S = dy/dp go along with the steps of a run
// (solve/time/follow.h), each step by the exact derivative of its formula (step_change.h), rows
// between by its polynomial, all on the constraints (motion_change.h).
//
// Error: as Radau's method does for the states, the slope of S at the beginning of a step, which is
// that at the end of the one before, against the slope of the polynomial there, through (g/h -
// J)^-1.
//
// Stops and switches: at a time t* that moves with p and at which the rates jump from f to f⁺,
//
//   S⁺ = S + (f - f⁺) dt*/dp
//
// Where prescribed speeds jump, impulses change the state, and S with it (strike).  Times of stops
// are functions of the parameters alone.  Where the state decides on t*, rates must
// not jump; where they only have a corner S goes on as it is.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "model/model.h"
#include "solve/gradient/motion_change.h"
#include "solve/gradient/step_change.h"
#include "solve/time/run.h"
#include "solve/vectors.h"

struct td_sensitivity {
  int k, nv, nz, ny;
  int rows, cap;
  double* data;  // rows of [q (k nv), v (k nv), z (k nz), sensors (k ny)]
  char note[400];
};

typedef struct follow {
  td_motion_change change;
  td_start start;
  td_sensitivity* out;
  td_collocated* c;  // of the last step; NULL: none yet
  td_step_change step;
  bool made, smooth;  // the step_change is there; slope_to is that of S at t_to
  bool held;          // steps are held to the tolerance by S
  int n, k;
  // the last step, and the one before while a new one is tried
  double t_from, t_to, h;
  double struck;                          // where speeds have jumped last
  double *S_from, *S_to, *dZ, *slope_to;  // (n k), (n k), (s n k), (n k)
  double *S_try, *dZ_try, *slope_try;     // alike
  double *S, *G, *row_y, *f, *f_behind;   // (n k), (s n k), (n + 1) each
  double *size, *error, *filter;          // (n k) largest |S|, (n k), (n n)
  int* pivot;
  void* block;
} follow;

// Ratio to the tolerance of the states up to which changes may be off, at the ends of steps
static const double looser = 50;

// ---- changes at a time of the last step -------------------------------------------------------

// S (n k) at t, in the last step or at its end; y is the state there
static td_status changes_at(follow* x, double t, const double* y, double* S) {
  if (x->c == NULL || t >= x->t_to || !(x->h > 0)) {
    copy(S, x->S_to, x->n * x->k);
    return TD_OK;
  }
  double w[TD_STAGES_MOST];
  td_collocation_values(&x->c->table, (t - x->t_from) / x->h, w);
  copy(S, x->S_from, x->n * x->k);
  for (int i = 0; i < x->c->table.s; i++)
    for (int j = 0; j < x->n * x->k; j++) S[j] += w[i] * x->dZ[area(i * x->n, x->k) + (size_t)j];
  return td_motion_change_project(&x->change, t, y, S);
}

// ---- steps ------------------------------------------------------------------------------------

// Allocate the changes and the scratch of steps, once the method is known.
static td_status allocate(follow* x, const td_ode* ode, const td_collocated* c) {
  const int s = c->table.s;
  TD_TRY(td_step_change_new(ode, &c->table, x->k, &x->step));
  x->made = true;
  const size_t nk = area(x->n, x->k), all = (size_t)s * nk;
  // what is there from the beginning moves over
  double* p = calloc(9 * nk + 3 * all + area(x->n, x->n) + 4 * ((size_t)x->n + 2), sizeof(double));
  x->pivot = malloc(((size_t)x->n + 1) * sizeof(int));
  if (p == NULL || x->pivot == NULL) {
    free(p);
    return TD_E_NOMEM;
  }
  memcpy(p, x->S_to, nk * sizeof(double));
  free(x->block);
  x->block = p;
  double** const single[] = {&x->S_to,      &x->S_from, &x->slope_to, &x->S_try,
                             &x->slope_try, &x->S,      &x->size,     &x->error};
  for (int i = 0; i < 8; i++, p += nk) *single[i] = p;
  double** const staged[] = {&x->dZ, &x->dZ_try, &x->G};
  for (int i = 0; i < 3; i++, p += all) *staged[i] = p;
  double** const line[] = {&x->row_y, &x->f, &x->f_behind};
  for (int i = 0; i < 3; i++, p += x->n + 2) *line[i] = p;
  x->filter = p;
  return TD_OK;
}

// The largest error of a column of changes relative to its tolerance, for a step of h whose
// polynomial has the slope `first` at its beginning, where the true one is `slope`.
static double error_of(follow* x, const td_collocated* c, double h, const double* slope,
                       const double* dZ, const double* S_end) {
  const int n = x->n, k = x->k, s = c->table.s;
  const td_ode* ode = c->base.ode;

  // (g/h - J)^-1 (slope - p'(0)), J that of the first stage
  for (int i = 0; i < n * k; i++) {
    double first = 0;
    for (int j = 0; j < s; j++) first += c->table.first[j] * dZ[area(j * n, k) + (size_t)i];
    x->error[i] = slope[i] - first / h;
  }
  for (int i = 0; i < n * n; i++) x->filter[i] = -x->step.J[i];
  for (int i = 0; i < n; i++) x->filter[i * (n + 1)] += c->table.re[0] / h;
  if (td_lu(x->filter, n, x->pivot) != 0) return 0;
  td_lu_solve(x->filter, x->pivot, n, x->error, k);

  // column by column, in units of what each state and all of its kind have been
  double most = 0;
  for (int j = 0; j < k; j++) {
    double top[3] = {0, 0, 0}, sum = 0;
    for (int i = 0; i < n; i++) {
      const int kind = i < ode->npos ? 0 : i < ode->inner ? 1 : 2;
      const double now = fmax(x->size[i * k + j], fabs(S_end[i * k + j]));
      top[kind] = fmax(top[kind], now);
    }
    for (int i = 0; i < n; i++) {
      const int kind = i < ode->npos ? 0 : i < ode->inner ? 1 : 2;
      const double now = fmax(x->size[i * k + j], fabs(S_end[i * k + j]));
      const double allowed =
          looser * (ode->rtol * (now + 1e-2 * top[kind]) + ode->atol / x->change.unit[j]);
      sum += x->error[i * k + j] / allowed * (x->error[i * k + j] / allowed);
    }
    most = fmax(most, sqrt(sum / n));
  }
  return most;
}

// J and the direct changes at the stages of the step in c.
static td_status linearise(follow* x, td_collocated* c, double* G) {
  const int n = x->n, k = x->k;
  for (int i = 0; i < c->table.s; i++) {
    const double t = c->t_from + c->table.c[i] * c->h;
    TD_TRY(td_step_change_stage(c, i, x->row_y));
    if (td_ode_jacobian(&c->base, t, x->row_y, x->step.J + (size_t)i * area(n, n)) != 0)
      return c->base.failure;
    TD_TRY(td_motion_change_rates(&x->change, td_ode_inside(&c->base, t), x->row_y,
                                  G + area(i * n, k)));
  }
  return td_step_change_factor(&x->step, c->h, false);
}

static void swap(double** a, double** b) {
  double* keep = *a;
  *a = *b;
  *b = keep;
}

// Follower: changes over one step and their error; *again requests a shorter step.
static td_status take_step(void* ctx, td_collocated* c, bool* again) {
  follow* x = ctx;
  const int n = x->n, k = x->k, s = c->table.s;
  if (!x->made) TD_TRY(allocate(x, c->base.ode, c));
  if (x->c != NULL && x->h > 0 && c->t_from == x->t_from && c->t_to == x->t_to) return TD_OK;

  // the changes at the beginning, where the last step may not have been used to its end
  const bool whole = x->smooth && c->t_from == x->t_to;
  TD_TRY(changes_at(x, c->t_from, c->y_from, x->S));
  if (x->c == NULL) x->c = c;

  // their slope there, a hair inside: an element may begin to act at this very state
  if (!whole && x->held) {
    const double hair = 1e-8, t = td_ode_inside(&c->base, c->t_from + hair * c->h);
    double w[TD_STAGES_MOST];
    td_collocation_values(&c->table, hair, w);
    copy(x->row_y, c->y_from, n);
    for (int i = 0; i < s; i++)
      for (int j = 0; j < n; j++) x->row_y[j] += w[i] * stage_row(c, c->Z, i)[j];
    if (td_ode_jacobian(&c->base, t, x->row_y, x->filter) != 0) return c->base.failure;
    TD_TRY(td_motion_change_rates(&x->change, t, x->row_y, x->G));
    td_mul(x->filter, x->S, n, n, k, x->slope_to);
    for (int i = 0; i < n * k; i++) x->slope_to[i] += x->G[i];
  }

  // the stages and the end
  TD_TRY(linearise(x, c, x->G));
  td_step_change_forward(&x->step, x->S, x->G, k, x->dZ_try);
  const double* last = x->dZ_try + area((s - 1) * n, k);
  for (int i = 0; i < n * k; i++) x->S_try[i] = x->S[i] + last[i];
  if (!all_finite(x->S_try, area(n, k))) return TD_E_DIVERGED;
  for (int i = 0; i < n * k && x->held; i++) {
    x->slope_try[i] = 0;
    for (int j = 0; j < s; j++)
      x->slope_try[i] +=
          c->table.slope[(s - 1) * s + j] / c->h * x->dZ_try[area(j * n, k) + (size_t)i];
  }

  // is it good enough?  A shorter one otherwise; the slope is kept
  if (x->held) {
    const double error = error_of(x, c, c->h, x->slope_to, x->dZ_try, x->S_try);
    const double h = c->h * fmin(fmax(0.9 * pow(fmax(error, 1e-10), -1.0 / (s + 1)), 0.2), 6);
    c->h_next = fmin(c->h_next, h);
    if (error > 1) {
      *again = true;
      // the step before is as it was, and S at its end or at the beginning of this one
      copy(x->S_to, x->S, n * k);
      x->t_from = x->t_to = c->t_from;
      x->h = 0;
      x->smooth = true;
      return TD_OK;
    }
  }
  TD_TRY(td_motion_change_project(&x->change, td_ode_inside(&c->base, c->t_to), c->y_to, x->S_try));
  for (int i = 0; i < n * k; i++) x->size[i] = fmax(x->size[i], fabs(x->S_try[i]));

  // taken
  x->c = c;
  swap(&x->S_from, &x->S);
  swap(&x->S_to, &x->S_try);
  swap(&x->dZ, &x->dZ_try);
  swap(&x->slope_to, &x->slope_try);
  x->t_from = c->t_from;
  x->t_to = c->t_to;
  x->h = c->h;
  x->smooth = true;
  return TD_OK;
}

// ---- beginning, rows, stops -------------------------------------------------------------------

// Follower: changes of the start.
static td_status begin(void* ctx, td_motion* motion, double t, const double* y) {
  follow* x = ctx;
  x->change.motion = motion;
  x->n = motion->ode.n;
  x->k = x->change.k;
  x->S_to = x->block = calloc(area(x->n, x->k) + 1, sizeof(double));
  if (x->block == NULL) return TD_E_NOMEM;
  x->t_from = x->t_to = t;
  return td_motion_change_start(&x->change, x->start, t, y, x->S_to);
}

// Follower: changes of states and sensors at a record of the trajectory.
static td_status add_row(void* ctx, double t, const double* y) {
  follow* x = ctx;
  td_motion_change* ch = &x->change;
  td_sensitivity* out = x->out;
  const td_model* m = ch->model;
  const int k = x->k, nv = out->nv, nz = out->nz, ny = out->ny, nu = m->ninput;
  const size_t stride = area(k, 2 * nv + nz + ny);
  if (out->rows == out->cap) {
    void* grown = td_grow(out->data, &out->cap, out->rows + 1, (stride + 1) * sizeof(double));
    if (grown == NULL) return TD_E_NOMEM;
    out->data = grown;
  }
  double *q = out->data + (size_t)out->rows * stride, *v = q + area(k, nv), *z = v + area(k, nv),
         *sensors = z + area(k, nz);

  // changes of the states
  double* S = x->made ? x->S_try : x->S_to;
  if (x->made) TD_TRY(changes_at(x, t, y, S));
  td_motion_change_tangent(ch, t, y, S);
  copy(q, ch->theta, k * nv);
  copy(v, ch->rate, k * nv);
  for (int i = 0; i < k; i++)
    for (int j = 0; j < nz; j++) z[i * nz + j] = S[area(inner_at(ch->motion) + j, k) + (size_t)i];

  // changes of the sensors
  for (int i = 0; i < k && ny > 0; i++) {
    td_direction along = td_motion_change_along(ch, i, t);
    along.q = q + area(i, nv);
    along.v = v + area(i, nv);
    for (int j = 0; j < nz; j++) ch->one_u[nu + j] = z[i * nz + j];
    TD_TRY(td_sensors_diff(m, ch->motion->state, ch->work, &along, sensors + area(i, ny)));
  }
  out->rows++;
  return TD_OK;
}

// Speeds jump at t, from the state `before` to y: the changes of both at the time of the jump,
// which may move,
//
//   S⁺ = R'(S + f dt*/dp) - f⁺ dt*/dp        R: the impulses
static td_status strike(follow* x, bool start, double t, const double* before, const double* y) {
  td_motion_change* ch = &x->change;
  td_motion* mo = ch->motion;
  const int n = x->n, k = x->k;
  const double aside = td_motion_change_aside(t);
  double* dt = calloc((size_t)k + 2 * (size_t)(n + mo->ode.nquad) + 1, sizeof(double));
  if (dt == NULL) return TD_E_NOMEM;
  double *f = dt + k, *f_behind = f + n + mo->ode.nquad;
  td_status status = start ? TD_OK : td_motion_change_stop(ch, t, NULL, dt);
  const bool moves = largest(dt, (size_t)k) > 0;
  if (status == TD_OK && moves) status = mo->ode.rhs(mo, t - aside, before, f);
  if (status == TD_OK && moves) status = mo->ode.rhs(mo, t + aside, y, f_behind);
  for (int i = 0; i < n * k; i++) x->S_to[i] += f[i / k] * dt[i % k];
  ch->shift = dt;
  if (status == TD_OK) status = td_motion_change_impulse(ch, t, before, y, start, x->S_to);
  ch->shift = NULL;
  for (int i = 0; i < n * k; i++) x->S_to[i] -= f_behind[i / k] * dt[i % k];
  free(dt);
  return status;
}

// Compute the rates at the end of a segment (x->f) and right behind it (x->f_behind), at the same
// state.
static td_status rates_around(follow* x, double t, const double* y) {
  td_motion* mo = x->change.motion;
  const double aside = 64 * DBL_EPSILON * fmax(fabs(t), 1e-6);
  TD_TRY(mo->ode.rhs(mo, t - aside, y, x->f));
  return mo->ode.rhs(mo, t + aside, y, x->f_behind);
}

// Follower: changes across a stop or a switch.
static td_status pass(void* ctx, td_passing what, int which, double t, const double* before,
                      const double* y) {
  follow* x = ctx;
  TD_TRY(td_motion_change_pass(&x->change, what, which, t));
  if (x->n == 0) return TD_OK;
  if (x->c != NULL) {
    TD_TRY(changes_at(x, t, before, x->S));
    copy(x->S_to, x->S, x->n * x->k);
  }
  if (what == TD_PASS_SPEED) {
    TD_TRY(strike(x, which == 0, t, before, y));
    x->struck = t;
  }

  // a stop: its time may move with parameters, and what acts may jump there
  if (what == TD_PASS_STOP && x->c != NULL && t != x->struck) {
    double* dt = x->error;
    TD_TRY(td_motion_change_stop(&x->change, t, y, dt));
    if (largest(dt, (size_t)x->k) > 0) {
      TD_TRY(rates_around(x, t, y));
      for (int i = 0; i < x->n; i++)
        for (int j = 0; j < x->k; j++) x->S_to[i * x->k + j] += (x->f[i] - x->f_behind[i]) * dt[j];
      TD_TRY(td_motion_change_project(&x->change, t, y, x->S_to));
    }
  }
  if (what == TD_PASS_SWITCH && x->c != NULL)
    TD_TRY(td_motion_change_switch(&x->change, &x->c->base, which, t, y, x->h));
  x->t_from = x->t_to = t;
  x->h = 0;
  x->smooth = false;
  return TD_OK;
}

// ---- interface --------------------------------------------------------------------------------

// Check options and what to differentiate by, run with the changes along, and say how.
td_status td_simulate_gradient(const td_model* model, td_work* work, td_state* state,
                               const td_sim_options* options, td_start start, const td_by* by,
                               int n, td_trajectory** trajectory, td_sensitivity** sensitivity) {
  if (!trajectory || !sensitivity) return TD_E_USAGE;
  *trajectory = NULL;
  *sensitivity = NULL;
  if (!model_has(model, state, work) || n < 0 || (n > 0 && !by)) return TD_E_USAGE;
  td_sim_options o = td_sim_options_default();
  const td_status taken = td_options_take(options, &o, sizeof o);
  td_trajectory* run = *trajectory = td_trajectory_new(model);
  td_sensitivity* out = calloc(1, sizeof *out);
  if (run == NULL || out == NULL) {
    free(out);
    return TD_E_NOMEM;
  }
  follow x = {.start = start, .out = out, .struck = NAN};
  td_run_plan plan;
  td_status status = taken;
  if (taken != TD_OK) td_trajectory_say(run, "%s", td_options_refused);
  o.code = NULL;  // derivatives are those of the engine
  if (status == TD_OK) status = td_run_plan_of(model, state, &o, &plan, run);
  if (status == TD_OK) status = td_motion_change_new(model, work, &o, start, by, n, &x.change);

  // the run
  if (status == TD_OK) {
    const td_sizes size = td_model_sizes(model);
    *out = (td_sensitivity){.k = n, .nv = size.nv, .nz = size.nz, .ny = size.nsensor};
    const bool equal = td_solver_of(plan.solver)->equal;
    const td_follower follower = {
        .ctx = &x, .begin = begin, .step = take_step, .row = add_row, .pass = pass};
    plan.follow = &follower;
    x.held = !equal;
    status = td_run(model, work, state, &plan, run);
    if (status == TD_E_DIVERGED && equal)
      status = td_motion_change_stuck(&x.change, state, plan.step);
    snprintf(out->note, sizeof out->note,
             equal ? "derivative of the equal steps themselves, Newton's method to rounding"
                   : "Radau's method of order 9 with its variational equations, rtol %.1e of the "
                     "states and %.1e of their changes",
             plan.rtol, 10 * plan.rtol);
  }
  if (status == TD_E_USAGE && x.change.why[0] != '\0') run->diagnosis[0] = '\0';
  if (x.change.why[0] != '\0') td_trajectory_say(run, "%s", x.change.why);
  td_motion_change_free(&x.change);
  if (x.made) td_step_change_free(&x.step);
  free(x.block);
  free(x.pivot);
  if (status == TD_OK)
    *sensitivity = out;
  else
    td_sensitivity_free(out);
  return status;
}

// A part of a row; NULL out of range.
static const double* look(const td_sensitivity* s, int row, int before) {
  if (!s || row < 0 || row >= s->rows) return NULL;
  return s->data + (size_t)row * area(s->k, 2 * s->nv + s->nz + s->ny) + area(s->k, before);
}

const double* td_sensitivity_q(const td_sensitivity* s, int row) { return look(s, row, 0); }
const double* td_sensitivity_v(const td_sensitivity* s, int row) {
  return s ? look(s, row, s->nv) : NULL;
}
const double* td_sensitivity_z(const td_sensitivity* s, int row) {
  return s ? look(s, row, 2 * s->nv) : NULL;
}
const double* td_sensitivity_sensors(const td_sensitivity* s, int row) {
  return s ? look(s, row, 2 * s->nv + s->nz) : NULL;
}
int td_sensitivity_rows(const td_sensitivity* s) { return s ? s->rows : 0; }
const char* td_sensitivity_note(const td_sensitivity* s) { return s ? s->note : ""; }

void td_sensitivity_free(td_sensitivity* s) {
  if (s == NULL) return;
  free(s->data);
  free(s);
}
