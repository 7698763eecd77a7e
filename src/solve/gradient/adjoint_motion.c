// The discrete adjoint of a simulation in equal steps: the gradient of an objective of the sensors
// at the rows of its trajectory, by one sweep backwards over its steps.
//
// Forward, the run notes for each step where it began, its stages and its end.  Backward, weights
// S̄ of the state at the end of a step, and ȳ of the states at rows inside, become weights of the
// stages; the transposed derivative of the step (step_change.h) takes them to the state at its
// beginning and to the rates at the stages; the engine takes those to all parameters and inputs at
// once (td_rates_reverse):
//
//   y(x) = P(y + Σ w_i(x) Z_i)      Z̄_i += w_i Pᵀ ȳ      S̄ += Pᵀ ȳ
//
// P, the projection onto constraints and unit quaternions, is differentiated on the constraints.
//
// Steps that the memory does not hold are computed again, a segment of them at a time: the run is
// repeated from its start to the end of the segment.  It takes the same steps to the bit, which is
// checked where the segment begins.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/kernel.h"
#include "model/model.h"
#include "solve/gradient/motion_change.h"
#include "solve/gradient/step_change.h"
#include "solve/time/run.h"
#include "solve/vectors.h"

static const double usual_bytes = 2e9;  // of the steps that are kept

// A step: [t_from, t_to, h, end, stage times (s), y_from (n), y_to (n), stages (s n)], `end` and
// the stage times being those at which rates are evaluated.
// A row: [t, step, y (n)], the number of the last step up to there, -1: the start.
// A mark: [t_from, y_from (n)] of the first step of a segment.
// A moving stop: [step, f - f⁺ (n), dt (k)].
typedef struct list {
  double* data;
  int rows, cap, width;
} list;

typedef struct back {
  td_motion_change change;
  td_start start;
  td_collocation table;
  int n, s, k;
  list step, row, stop, mark;
  int segment, first, count;  // steps of a segment; the first that is kept; all of the run
  int wanted;                 // the segment that a repeated run keeps
  double *f, *f_behind;       // (n + 1)
  double t0, *y0;             // the start
  td_collocated* c;           // the stepper of the last step
  double last[2];             // its times
  td_run_plan plan;
  td_state* from;  // the state that the run starts from
  double memory;   // of the steps that are kept [bytes]
  // the sweep
  td_step_change linear;
  double *S, *Z, *w;         // (n), (s n), (s n)
  double *q, *v, *e, *x;     // (nv), (nv), (nrow), (nv)
  double *dq, *dv;           // (nv)
  double *p, *u, *total;     // (nparam), (drives), (nparam)
  double *Dq, *Dv, *Du, *D;  // (nsensor x nv), (nsensor x nv), (nsensor x drives), (nsensor)
  bool* known;
  double* gradient;
  void* block;
} back;

static double* at(const list* l, int i) { return l->data + area(i, l->width); }

// Append a record to a list; NULL: there is no memory.
static double* grow(list* l) {
  if (l->rows == l->cap) {
    void* grown = td_grow(l->data, &l->cap, l->rows + 1, (size_t)l->width * sizeof(double));
    if (grown == NULL) return NULL;
    l->data = grown;
  }
  return at(l, l->rows++);
}

// ---- the run ----------------------------------------------------------------------------------

// Follower: set the sizes of the lists and keep the start.
static td_status begin(void* ctx, td_motion* motion, double t, const double* y) {
  back* x = ctx;
  x->change.motion = motion;
  x->n = motion->ode.n;
  x->k = x->change.k;
  x->t0 = t;
  TD_TRY(td_collocation_find(3, &x->table));
  x->s = x->table.s;
  x->step.width = 4 + x->s + (2 + x->s) * x->n;
  x->row.width = 2 + x->n;
  x->stop.width = 1 + x->n + x->k;
  x->mark.width = 1 + x->n;
  const double fit = x->memory / (8.0 * x->step.width);
  x->segment = fit < 1 ? 1 : fit < 1e9 ? (int)fit : 1000000000;
  x->y0 = malloc(3 * ((size_t)x->n + 2) * sizeof(double));
  if (x->y0 == NULL) return TD_E_NOMEM;
  x->f = x->y0 + x->n + 2;
  x->f_behind = x->f + x->n + 2;
  copy(x->y0, y, x->n);
  return TD_OK;
}

// Note a step at the end of the list.
static td_status note_step(back* x, td_collocated* c) {
  const int n = x->n, s = x->s;
  double* to = grow(&x->step);
  if (to == NULL) return TD_E_NOMEM;
  *to++ = c->t_from;
  *to++ = c->t_to;
  *to++ = c->h;
  *to++ = td_ode_inside(&c->base, c->t_to);
  for (int i = 0; i < s; i++) *to++ = td_ode_inside(&c->base, c->t_from + c->table.c[i] * c->h);
  copy(to, c->y_from, n);
  copy(to + n, c->y_to, n);
  for (int i = 0; i < s; i++) TD_TRY(td_step_change_stage(c, i, to + (2 + i) * n));
  return TD_OK;
}

// True when the step in c is the one that was taken last.
static bool is_last(const back* x, const td_collocated* c) {
  return x->count > 0 && x->last[0] == c->t_from && x->last[1] == c->t_to;
}

// A step of the run; those of the segment that it is in are kept.
static td_status keep_step(void* ctx, td_collocated* c, bool* again) {
  back* x = ctx;
  (void)again;
  x->c = c;
  if (is_last(x, c)) return TD_OK;
  x->last[0] = c->t_from;
  x->last[1] = c->t_to;
  if (x->count % x->segment == 0) {
    double* mark = grow(&x->mark);
    if (mark == NULL) return TD_E_NOMEM;
    mark[0] = c->t_from;
    copy(mark + 1, c->y_from, x->n);
    x->step.rows = 0;
    x->first = x->count;
  }
  x->count++;
  return note_step(x, c);
}

// A step of a repeated run, which ends behind the segment that is wanted.
static td_status repeat_step(void* ctx, td_collocated* c, bool* again) {
  back* x = ctx;
  (void)again;
  const int from = x->wanted * x->segment;
  if (is_last(x, c)) return TD_OK;
  x->last[0] = c->t_from;
  x->last[1] = c->t_to;
  if (x->count == from) {
    const double* mark = at(&x->mark, x->wanted);
    if (mark[0] != c->t_from || memcmp(mark + 1, c->y_from, (size_t)x->n * sizeof(double)) != 0)
      return td_motion_change_refuse(&x->change,
                                     "the run could not be repeated: allow more memory for its "
                                     "steps (td_sim_options.memory)");
  }
  if (x->count++ < from) return TD_OK;
  if (x->step.rows == x->segment) return TD_E_STOPPED;
  return note_step(x, c);
}

static td_status repeat_begin(void* ctx, td_motion* motion, double t, const double* y) {
  (void)ctx, (void)motion, (void)t, (void)y;
  return TD_OK;
}
static td_status repeat_row(void* ctx, double t, const double* y) {
  (void)ctx, (void)t, (void)y;
  return TD_OK;
}
static td_status repeat_pass(void* ctx, td_passing what, int which, double t, const double* before,
                             const double* y) {
  (void)ctx, (void)what, (void)which, (void)t, (void)before, (void)y;
  return TD_OK;
}

// A motion for the sweep.
static td_status sweep_motion(back* x) {
  TD_TRY(td_motion_new(x->change.model, x->change.work, x->from, x->plan.rtol, x->plan.atol,
                       &x->change.motion));
  if (x->plan.inputs != NULL) td_motion_inputs(x->change.motion, x->plan.inputs);
  return TD_OK;
}

// Step i of the run; its segment is computed again where it is not the one that is kept.
static td_status find_step(back* x, int i, const double** step) {
  if (i < x->first || i >= x->first + x->step.rows) {
    const td_follower follower = {.ctx = x,
                                  .begin = repeat_begin,
                                  .step = repeat_step,
                                  .row = repeat_row,
                                  .pass = repeat_pass};
    const td_model* m = x->change.model;
    td_trajectory* rows = td_trajectory_new(m);
    td_state* state = td_state_new(m);
    td_status status = rows != NULL && state != NULL ? TD_OK : TD_E_NOMEM;
    td_motion_free(x->change.motion);
    x->change.motion = NULL;
    const int count = x->count;
    x->wanted = i / x->segment;
    x->first = x->wanted * x->segment;
    x->count = x->step.rows = 0;
    x->plan.follow = &follower;
    if (status == TD_OK) status = td_state_copy(m, x->from, state);
    if (status == TD_OK) status = td_run(m, x->change.work, state, &x->plan, rows);
    if (status == TD_E_STOPPED && x->step.rows == x->segment) status = TD_OK;
    if (status == TD_OK && x->step.rows != x->segment) status = TD_E_DIVERGED;
    x->count = count;
    x->change.work->placed = false;
    td_trajectory_free(rows);
    td_state_free(state);
    TD_TRY(status);
    TD_TRY(sweep_motion(x));
  }
  *step = at(&x->step, i - x->first);
  return TD_OK;
}

// Follower: keep the state of a record and the step in which it lies.
static td_status keep_row(void* ctx, double t, const double* y) {
  back* x = ctx;
  double* to = grow(&x->row);
  if (to == NULL) return TD_E_NOMEM;
  to[0] = t;
  to[1] = x->count - 1;
  copy(to + 2, y, x->n);
  return TD_OK;
}

// Follower: refuse what has no derivative, and keep stops whose time moves with parameters.
static td_status pass(void* ctx, td_passing what, int which, double t, const double* before,
                      const double* y) {
  back* x = ctx;
  (void)before;
  TD_TRY(td_motion_change_pass(&x->change, what, which, t));
  if (what == TD_PASS_SPEED)
    return td_motion_change_refuse(
        &x->change,
        "at t = %.6g s a prescribed speed jumps, which the adjoint does "
        "not go back through: ask for td_simulate_gradient, or smooth it",
        t);
  if (what == TD_PASS_SWITCH && x->c != NULL)
    return td_motion_change_switch(&x->change, &x->c->base, which, t, y, x->c->h);
  if (what != TD_PASS_STOP || x->n == 0) return TD_OK;

  // a stop that moves with parameters
  double* to = grow(&x->stop);
  if (to == NULL) return TD_E_NOMEM;
  to[0] = x->count - 1;
  TD_TRY(td_motion_change_stop(&x->change, t, y, to + 1 + x->n));
  if (largest(to + 1 + x->n, (size_t)x->k) == 0) {
    x->stop.rows--;
    return TD_OK;
  }
  td_motion* mo = x->change.motion;
  const double aside = 1.5e-14 * fmax(fabs(t), 1e-6);
  TD_TRY(mo->ode.rhs(mo, t - aside, y, x->f));
  TD_TRY(mo->ode.rhs(mo, t + aside, y, x->f_behind));
  for (int i = 0; i < x->n; i++) to[1 + i] = x->f[i] - x->f_behind[i];
  return TD_OK;
}

// ---- weights of parameters and inputs ---------------------------------------------------------

// Add p̄ to the total, and ū at time t to the inputs and samples.
static void collect(back* x, double t) {
  const td_motion_change* ch = &x->change;
  for (int i = 0; i < ch->model->nparam; i++) x->total[i] += x->p[i];
  for (int i = 0; i < x->k; i++)
    if (ch->of[i] >= 0 && ch->base[ch->of[i]].kind == TD_BY_INPUT)
      x->gradient[i] += td_motion_change_weight(ch, i, t) * x->u[ch->base[ch->of[i]].index];
}

static td_adjoint results(const back* x) {
  return (td_adjoint){.q = x->dq, .v = x->dv, .p = x->p, .u = x->u};
}

// ȳ of the states, from tangent weights q, v at the state that is unpacked: positions N⁺ᵀ q.
static void to_states(back* x, double* y) {
  td_motion_change* ch = &x->change;
  const td_motion* mo = ch->motion;
  const int nq = ch->model->npos;
  td_qdot_inverse(ch->model, mo->state->q, ch->Nplus);
  memset(y, 0, (size_t)(mo->nq + mo->nv) * sizeof(double));
  for (int c = 0; c < mo->nv; c++) {
    const double* row = ch->Nplus + area(mo->iv[c], nq);
    for (int j = 0; j < mo->nq; j++) y[j] += row[mo->iq[j]] * x->q[mo->iv[c]];
    y[mo->nq + c] = x->v[mo->iv[c]];
  }
}

// The transpose of td_motion_change_project at (t, y), in place.
static td_status project_back(back* x, double t, const double* y, double* S) {
  td_motion_change* ch = &x->change;
  const td_model* m = ch->model;
  const td_motion* mo = ch->motion;
  const int nv = m->nvel;
  if (td_motion_change_is_free(ch)) return TD_OK;

  // positions s = N θ
  td_motion_unpack(ch->motion, t, y);
  td_qdot_matrix(m, mo->state->q, ch->N);
  memset(x->q, 0, (size_t)nv * sizeof(double));
  memset(x->v, 0, (size_t)nv * sizeof(double));
  for (int c = 0; c < mo->nv; c++) {
    for (int j = 0; j < mo->nq; j++)
      x->q[mo->iv[c]] += ch->N[area(mo->iq[j], nv) + (size_t)mo->iv[c]] * S[j];
    x->v[mo->iv[c]] = S[mo->nq + c];
  }

  // rates, then positions: x = -B e has the weights ē = -Bᵀ x̄, which is l of W z - Jᵀ l = x̄, J z =
  // 0
  for (int order = 1; order >= 0 && m->nrow > 0; order--) {
    TD_TRY(td_projection_solve(m, mo->state, ch->work, false, order == 1 ? x->v : x->q, NULL, 1,
                               x->x, x->e));
    const td_adjoint out = results(x);
    TD_TRY(td_constraints_reverse(m, mo->state, ch->work, NULL, order == 0 ? x->e : NULL,
                                  order == 1 ? x->e : NULL, NULL, &out));
    for (int i = 0; i < nv; i++) x->q[i] += x->dq[i], x->v[i] += x->dv[i];
    collect(x, t);
  }
  to_states(x, S);
  return TD_OK;
}

// ȳ of the state at a row (t, y) for the weights of its sensors.
static td_status weigh_row(back* x, double t, const double* y, const double* weights,
                           double* ybar) {
  td_motion_change* ch = &x->change;
  const td_model* m = ch->model;
  const int nv = m->nvel, ny = m->noutput_name, nd = model_drives(m);
  td_motion_unpack(ch->motion, t, y);
  const td_adjoint out = {.q = x->q, .v = x->v, .p = x->p, .u = x->u};
  td_status status = td_sensors_reverse(m, ch->motion->state, ch->work, weights, NULL, &out);

  // sensors without a transpose: their whole derivatives, and one direction for each parameter
  if (status == TD_E_USAGE) {
    TD_TRY(td_sensor_tangent(m, ch->motion->state, ch->work, x->Dq, x->Dv, x->Du, x->known));
    memset(x->q, 0, (size_t)nv * sizeof(double));
    memset(x->v, 0, (size_t)nv * sizeof(double));
    memset(x->u, 0, (size_t)nd * sizeof(double));
    memset(x->p, 0, (size_t)m->nparam * sizeof(double));
    for (int i = 0; i < ny; i++) {
      if (weights[i] == 0) continue;
      if (!x->known[i])
        return td_motion_change_refuse(
            ch,
            "sensor %s follows from the multipliers of dependent constraints and has no "
            "derivative",
            td_model_sensor_name(m, i));
      axpy(weights[i], x->Dq + area(i, nv), x->q, nv);
      axpy(weights[i], x->Dv + area(i, nv), x->v, nv);
      axpy(weights[i], x->Du + area(i, nd), x->u, nd);
    }
    for (int b = 0; b < ch->nbase; b++) {
      if (ch->base[b].kind != TD_BY_PARAM) continue;
      const td_direction along = {.p = ch->p + area(b, m->nparam)};
      TD_TRY(td_sensors_diff(m, ch->motion->state, ch->work, &along, x->D));
      x->p[ch->base[b].index] = dot(weights, x->D, ny);
    }
    status = TD_OK;
  }
  TD_TRY(status);
  collect(x, t);
  to_states(x, ybar);
  for (int j = 0; j < m->ninternal; j++) ybar[inner_at(ch->motion) + j] = x->u[m->ninput + j];
  return TD_OK;
}

// ---- the sweep --------------------------------------------------------------------------------

// Weights ȳ of the state at t, inside the step or at its end, where they are added to S.
static td_status demand(back* x, const double* step, double t, const double* y, double* ybar,
                        double* S_from) {
  const int n = x->n, s = x->s;
  if (t >= step[1]) {
    axpy(1, ybar, x->S, n);
    return TD_OK;
  }
  double w[TD_STAGES_MOST];
  td_collocation_values(&x->table, (t - step[0]) / step[2], w);
  TD_TRY(project_back(x, t, y, ybar));
  axpy(1, ybar, S_from, n);
  for (int i = 0; i < s; i++) axpy(w[i], ybar, x->Z + i * n, n);
  return TD_OK;
}

// One step backwards: x->S, weights at its end, becomes those at its beginning, S_from (which has
// those of the rows inside).
static td_status step_back(back* x, const double* step, double* S_from) {
  td_motion* mo = x->change.motion;
  const int n = x->n, s = x->s;
  const double *stage = step + 4, *y_from = stage + s, *y_to = y_from + n, *Y = y_to + n;

  // the end
  TD_TRY(project_back(x, step[3], y_to, x->S));
  axpy(1, x->S, x->Z + (s - 1) * n, n);
  axpy(1, x->S, S_from, n);

  // the stages
  for (int i = 0; i < s; i++)
    TD_TRY(mo->ode.jacobian(mo, stage[i], Y + i * n, x->linear.J + (size_t)i * area(n, n)));
  TD_TRY(td_step_change_factor(&x->linear, step[2], true));
  td_step_change_reverse(&x->linear, x->Z, x->w, S_from);

  // the rates at the stages, to parameters and inputs
  for (int i = 0; i < s && x->change.nbase > 0; i++) {
    td_motion_unpack(mo, stage[i], Y + i * n);
    memset(x->v, 0, (size_t)mo->size.nv * sizeof(double));
    for (int j = 0; j < mo->nv; j++) x->v[mo->iv[j]] = x->w[i * n + mo->nq + j];
    const td_adjoint out = {.q = x->dq, .v = x->dv, .p = x->p, .u = x->u};
    TD_TRY(td_rates_reverse(x->change.model, mo->state, x->change.work, x->v,
                            x->w + i * n + inner_at(mo), &out));
    collect(x, stage[i]);
  }
  return TD_OK;
}

// Scratch of the backward sweep, one block.
static td_status allocate(back* x) {
  const td_model* m = x->change.model;
  const size_t n = (size_t)x->n, s = (size_t)x->s, nv = (size_t)m->nvel, nr = (size_t)m->nrow,
               np = (size_t)m->nparam, nd = (size_t)model_drives(m), ny = (size_t)m->noutput_name;
  double* p = x->block = calloc(
      4 * n + 2 * s * n + 5 * nv + nr + 2 * np + nd + ny * (2 * nv + nd + 2) + 1, sizeof(double));
  if (p == NULL) return TD_E_NOMEM;
  double** const part[] = {&x->S, &x->Z, &x->w,     &x->q, &x->v,  &x->x,  &x->dq, &x->dv,
                           &x->e, &x->p, &x->total, &x->u, &x->Dq, &x->Dv, &x->Du, &x->D};
  const size_t size[] = {n,  s * n, s * n, nv, nv,      nv,      nv,      nv,
                         nr, np,    np,    nd, ny * nv, ny * nv, ny * nd, ny};
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
    *part[i] = p;
    p += size[i];
  }
  x->known = calloc(ny + 1, sizeof(bool));
  return x->known != NULL ? TD_OK : TD_E_NOMEM;
}

// From the last step to the start; weights are rows x nsensor.
static td_status sweep(back* x, const double* weights) {
  const int n = x->n, ny = x->change.model->noutput_name;
  TD_TRY(allocate(x));
  TD_TRY(td_step_change_new(&x->change.motion->ode, &x->table, 1, &x->linear));
  double *ybar = malloc(3 * ((size_t)n + 1) * sizeof(double)), *S_from, *y_next;
  if (ybar == NULL) return TD_E_NOMEM;
  S_from = ybar + n + 1;
  y_next = S_from + n + 1;  // ... and its state there
  int row = x->row.rows - 1, stop = x->stop.rows - 1;
  double t_next = INFINITY;  // where the step behind began
  td_status status = TD_OK;
  for (int i = x->count - 1; i >= -1 && status == TD_OK; i--) {
    const double* step = NULL;
    if (i >= 0) status = find_step(x, i, &step);
    if (status != TD_OK) break;
    memset(S_from, 0, (size_t)n * sizeof(double));
    memset(x->Z, 0, area(x->s, n) * sizeof(double));

    // the step behind, and a stop between them that moves
    for (; stop >= 0 && at(&x->stop, stop)[0] >= i; stop--) {
      const double* jump = at(&x->stop, stop) + 1;
      const double along = dot(jump, x->S, n);
      for (int j = 0; j < x->k; j++) x->gradient[j] += along * jump[n + j];
    }
    if (t_next < INFINITY) {
      copy(ybar, x->S, n);
      memset(x->S, 0, (size_t)n * sizeof(double));
      if (step == NULL)
        axpy(1, ybar, x->S, n);
      else
        status = demand(x, step, t_next, y_next, ybar, S_from);
    }

    // rows up to its end
    for (; row >= 0 && (int)at(&x->row, row)[1] >= i && status == TD_OK; row--) {
      const double *r = at(&x->row, row), *weight = weights + area(row, ny);
      bool any = false;
      for (int j = 0; j < ny; j++) any = any || weight[j] != 0;
      if (!any) continue;
      memset(ybar, 0, (size_t)n * sizeof(double));
      status = weigh_row(x, r[0], r + 2, weight, ybar);
      if (status != TD_OK) break;
      if (step == NULL)
        axpy(1, ybar, x->S, n);
      else
        status = demand(x, step, r[0], r + 2, ybar, S_from);
    }
    if (step == NULL || status != TD_OK) break;
    status = step_back(x, step, S_from);
    copy(x->S, S_from, n);
    t_next = step[0];
    copy(y_next, step + 4 + x->s, n);
  }
  free(ybar);
  TD_TRY(status);

  // the start
  double* S0 = calloc(area(n, x->k) + 1, sizeof(double));
  if (S0 == NULL) return TD_E_NOMEM;
  status = td_motion_change_start(&x->change, x->start, x->t0, x->y0, S0);
  for (int i = 0; i < n && status == TD_OK; i++)
    for (int j = 0; j < x->k; j++) x->gradient[j] += x->S[i] * S0[area(i, x->k) + (size_t)j];
  free(S0);

  // parameters
  for (int j = 0; j < x->k; j++)
    if (x->change.by[j].kind == TD_BY_PARAM) x->gradient[j] += x->total[x->change.by[j].index];
  return status;
}

// ---- interface --------------------------------------------------------------------------------

// Run with all steps kept, ask for the weights, and sweep back.
td_status td_simulate_adjoint(const td_model* model, td_work* work, td_state* state,
                              const td_sim_options* options, td_start start, td_weigh weigh,
                              void* user, const td_by* by, int n, td_trajectory** trajectory,
                              double* gradient) {
  if (!trajectory) return TD_E_USAGE;
  *trajectory = NULL;
  if (!model_has(model, state, work) || !weigh || n < 0 || (n > 0 && (!by || !gradient)))
    return TD_E_USAGE;
  td_sim_options o = td_sim_options_default();
  td_status status = td_options_take(options, &o, sizeof o);
  td_trajectory* run = *trajectory = td_trajectory_new(model);
  if (run == NULL) return TD_E_NOMEM;
  if (status != TD_OK) td_trajectory_say(run, "%s", td_options_refused);
  back x = {.start = start, .gradient = gradient, .from = td_state_new(model)};
  x.memory = o.memory > 0 ? o.memory : usual_bytes;
  double* weights = NULL;
  o.code = NULL;  // derivatives are those of the engine
  for (int i = 0; i < n; i++) gradient[i] = 0;
  if (status == TD_OK && x.from == NULL) status = TD_E_NOMEM;
  if (status == TD_OK) status = td_run_plan_of(model, state, &o, &x.plan, run);
  if (status == TD_OK) status = td_motion_change_new(model, work, &o, start, by, n, &x.change);
  if (status == TD_OK && !td_solver_of(x.plan.solver)->equal)
    status = td_motion_change_refuse(
        &x.change,
        "the adjoint is that of equal steps: ask for the solver 'fixed', or for "
        "td_simulate_gradient");

  // forward
  if (status == TD_OK) {
    const td_follower follower = {
        .ctx = &x, .begin = begin, .step = keep_step, .row = keep_row, .pass = pass};
    x.plan.follow = &follower;
    td_state_copy(model, state, x.from);
    status = td_run(model, work, state, &x.plan, run);
    x.change.motion = NULL;
    if (status == TD_E_DIVERGED) status = td_motion_change_stuck(&x.change, state, x.plan.step);
  }

  // the objective, and backward with a motion of its own
  if (status == TD_OK) {
    weights = calloc(area(td_trajectory_rows(run), model->noutput_name) + 1, sizeof(double));
    status = weights != NULL ? weigh(user, run, weights) : TD_E_NOMEM;
  }
  if (status == TD_OK) status = sweep_motion(&x);
  if (status == TD_OK) status = sweep(&x, weights);
  if (status == TD_E_USAGE && x.change.why[0] != '\0') run->diagnosis[0] = '\0';
  if (x.change.why[0] != '\0') td_trajectory_say(run, "%s", x.change.why);
  work->placed = false;
  td_motion_free(x.change.motion);
  td_motion_change_free(&x.change);
  td_step_change_free(&x.linear);
  td_state_free(x.from);
  free(weights);
  free(x.y0);
  free(x.step.data);
  free(x.row.data);
  free(x.stop.data);
  free(x.mark.data);
  free(x.block);
  free(x.known);
  return status;
}
