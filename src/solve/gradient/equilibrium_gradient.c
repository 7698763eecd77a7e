// td_equilibrium_gradient: forward derivatives of an equilibrium; td_equilibrium_adjoint: their
// transpose (gradient.h).
#include <math.h>

#include "model/model.h"
#include "solve/gradient/rest.h"
#include "solve/vectors.h"

const char* td_work_gradient_note(const td_work* work) { return work ? work->gradient_note : ""; }

// Each `by` in turn: the change of the equilibrium, then those of sensors and energy along it.
static td_status forward(td_rest* r, const td_by* by, int n, td_change* c, double* dq,
                         double* dlambda, double* dz, double* dsensors, double* denergy) {
  const td_statics* s = r->s;
  const td_model* m = s->model;
  for (int i = 0; i < n; i++) {
    TD_TRY(td_rest_change(r, by[i], c));
    if (dq) copy(dq + area(i, s->nv), c->q, s->nv);
    if (dlambda) copy(dlambda + area(i, s->m), c->lambda, s->m);
    if (dz) copy(dz + area(i, m->ninternal), c->u + m->ninput, m->ninternal);
    if (dsensors && m->noutput_name > 0)
      TD_TRY(td_sensors_diff(m, s->state, s->work, &c->along, dsensors + area(i, m->noutput_name)));
    if (denergy) TD_TRY(td_potential_diff(m, s->state, s->work, &c->along, denergy + i));
  }
  return TD_OK;
}

td_status td_equilibrium_gradient(const td_model* model, const td_state* state, td_work* work,
                                  const td_by* by, int n, double* dq, double* dlambda, double* dz,
                                  double* dsensors, double* denergy) {
  if (!model_has(model, state, work) || !td_state_is_finite(model, state)) return TD_E_USAGE;
  TD_TRY(td_by_check(model, work, by, n));
  td_rest* rest = NULL;
  td_change change = {0};
  td_status status = td_rest_new(model, state, work, &rest);
  if (status == TD_OK) status = td_change_new(model, &change);
  if (status == TD_OK) status = forward(rest, by, n, &change, dq, dlambda, dz, dsensors, denergy);
  if (status == TD_OK) td_rest_note(rest);
  td_change_free(&change);
  td_rest_free(rest);
  return status;
}

// ---- the transpose ----------------------------------------------------------------------------

// With A [dq; dλ] = -[F_p; e_p], F_p and e_p containing z = P r_p + z0, weights f of dq and w of dz
// give
//
//   A' [μ; ν] = [f + S'w; 0]        f·dq + w·dz = -μ·F_p - ν·e_p + r̄·r_p
//   r̄ = P'(w - F_z'μ)
//
// One transposed solve, then the sweeps of residual_reverse.c for μ, ν and the numbers: r̄ for
// rates, those of prescribed places and accelerations.
typedef struct weights {
  double *q, *u, *p;     // (nv), (drives), (nparam): of the objective, then of everything
  double *mu, *nu;       // (nv), (m)
  double *a, *n;         // (nv), (nnumber)
  double *rq, *ru, *rp;  // of one sweep
  double* wz;            // (nz)
} weights;

// Allocate all weights as one block, which w->q begins.
static td_status weights_new(const td_model* m, weights* w) {
  const int nv = m->nvel, nu = model_drives(m), np = m->nparam;
  double** const parts[] = {&w->q, &w->u,  &w->p,  &w->mu, &w->nu, &w->a,
                            &w->n, &w->rq, &w->ru, &w->rp, &w->wz};
  const int sizes[] = {nv, nu, np, nv, m->nrow, nv, m->nnumber, nv, nu, np, m->ninternal};
  size_t all = 1;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) all += (size_t)sizes[i];
  double* at = calloc(all, sizeof(double));
  if (!at) return TD_E_NOMEM;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    *parts[i] = at;
    at += sizes[i];
  }
  return TD_OK;
}

// Add the results of a sweep.
static void add_sweep(const td_model* m, weights* w, double scale) {
  for (int i = 0; i < model_drives(m); i++) w->u[i] += scale * w->ru[i];
  for (int i = 0; i < m->nparam; i++) w->p[i] += scale * w->rp[i];
}

// The adjoint of the equilibrium: from the weights of the objective in w to its gradient by each
// `by`.
static td_status backward(td_rest* r, weights* w, const td_by* by, int n, double* gradient) {
  td_statics* s = r->s;
  const td_model* m = s->model;
  td_newton* newton = r->newton;
  const int nv = s->nv, nz = m->ninternal, nu = m->ninput;
  const td_adjoint sweep = {.q = w->rq, .a = w->a, .p = w->rp, .u = w->ru};

  // weights of the coordinates, with those of the internal states that follow them
  copy(w->wz, w->u + nu, nz);
  for (int i = 0; i < s->n; i++) {
    const int v = s->free[i];
    r->F[i] = -w->q[v];
    for (int k = 0; k < nz; k++) r->F[i] -= s->inner->S[area(k, nv) + (size_t)v] * w->wz[k];
  }
  memset(r->e, 0, sizeof(double) * (size_t)s->m);
  double* Fz = NULL;
  if (nz > 0) {
    Fz = malloc(sizeof(double) * area(nv, nz));
    if (!Fz) return TD_E_NOMEM;
    memcpy(Fz, s->inner->Fz, sizeof(double) * area(nv, nz));
  }
  td_status status = newton->linear->transpose(newton->linear_ctx);
  if (status == TD_OK) newton->linear->solve(newton->linear_ctx, r->F, r->e, r->dx, r->dl);
  for (int i = 0; i < s->n && status == TD_OK; i++) w->mu[s->free[i]] = r->dx[i];
  for (int i = 0; i < s->m && status == TD_OK; i++) w->nu[i] = -r->dl[i];

  // w - F_z'μ in place of w, and r̄
  memset(r->rates, 0, sizeof(double) * (size_t)nz);
  for (int k = 0; k < nz && status == TD_OK; k++) {
    double left = w->wz[k];
    for (int v = 0; v < nv; v++) left -= Fz[area(v, nz) + (size_t)k] * w->mu[v];
    w->wz[k] = left;
  }
  for (int k = 0; k < nz; k++)
    for (int j = 0; j < nz; j++) r->rates[j] += r->P[area(k, nz) + (size_t)j] * w->wz[k];
  free(Fz);
  TD_TRY(status);

  // μ and ν
  TD_TRY(td_residual_reverse(m, s->state, s->work, s->a, r->l, w->mu, &sweep));
  add_sweep(m, w, -1);
  for (int i = 0; i < nv; i++)
    if (m->vel[i].motion != NUM_NONE) w->n[m->vel[i].motion + 2] -= w->a[i];
  const td_adjoint rows = {.p = w->rp, .u = w->ru};
  if (s->m > 0) {
    TD_TRY(td_constraints_reverse(m, s->state, s->work, s->a, w->nu, NULL, NULL, &rows));
    add_sweep(m, w, -1);
  }

  // numbers: accelerations and places that are prescribed, rates and initial values
  for (int i = 0; i < nv; i++)
    if (m->vel[i].motion != NUM_NONE) w->n[m->vel[i].motion] += w->q[i];
  for (int k = 0; k < nz; k++) w->n[m->internal_rate + k] += r->rates[k];
  for (int k = 0; k < nz; k++) w->u[nu + k] = 0;  // at the state, whose change is known
  if (nz > 0 || m->nmotion_slot > 0) {
    TD_TRY(td_numbers_reverse(m, s->state, s->work, w->n, &rows));
    add_sweep(m, w, 1);
  }
  if (nz > 0 && !r->whole) {
    // z0: its own weight, and that by the rates
    memset(w->n, 0, sizeof(double) * (size_t)m->nnumber);
    for (int k = 0; k < nz; k++) {
      w->u[nu + k] += w->wz[k];
      w->n[m->internal[k].init] = w->u[nu + k];
    }
    TD_TRY(td_numbers_reverse(m, s->state, s->work, w->n, &rows));
    for (int i = 0; i < m->nparam; i++) w->p[i] += w->rp[i];
  }
  for (int i = 0; i < n; i++) {
    if (by[i].kind == TD_BY_PARAM) gradient[i] = w->p[by[i].index];
    if (by[i].kind == TD_BY_INPUT) gradient[i] = w->u[by[i].index];
    if (by[i].kind == TD_BY_INTERNAL) gradient[i] = r->whole ? 0 : w->u[nu + by[i].index];
  }
  return TD_OK;
}

// The forward derivatives of each `by`, weighted.
static td_status weighted_forward(td_rest* r, const double* sensors, const double* q, double energy,
                                  const td_by* by, int n, double* gradient) {
  const td_statics* s = r->s;
  const int ny = s->model->noutput_name;
  td_change c = {0};
  double *dy = calloc((size_t)ny + 1, sizeof(double)), dE = 0;
  td_status status = dy ? td_change_new(s->model, &c) : TD_E_NOMEM;
  for (int i = 0; i < n && status == TD_OK; i++) {
    status =
        forward(r, by + i, 1, &c, NULL, NULL, NULL, sensors ? dy : NULL, energy != 0 ? &dE : NULL);
    gradient[i] = energy * dE + (sensors ? inner(sensors, dy, ny) : 0);
    if (q) gradient[i] += inner(q, c.q, s->nv);
  }
  td_change_free(&c);
  free(dy);
  return status;
}

td_status td_equilibrium_adjoint(const td_model* model, const td_state* state, td_work* work,
                                 const double* sensor_weights, const double* q_weights,
                                 double energy_weight, const td_by* by, int n, double* gradient) {
  if (!model_has(model, state, work) || !td_state_is_finite(model, state) || (n > 0 && !gradient))
    return TD_E_USAGE;
  TD_TRY(td_by_check(model, work, by, n));
  td_rest* rest = NULL;
  weights w = {0};
  td_status status = td_rest_new(model, state, work, &rest);
  if (status == TD_OK) status = weights_new(model, &w);

  // what the objective has by itself; sensors without a sweep and energies go forward.  So do rows
  // with control, and equilibria with directions of their own stiffness, whose changes are checked
  bool forwards = energy_weight != 0;
  for (int i = 0; i < model->nrow; i++)
    forwards = forwards || model->row[i].target == TARGET_CONTROL;
  if (status == TD_OK && rest->held) forwards = true;
  if (status == TD_OK && sensor_weights && model->noutput_name > 0 && !forwards) {
    const td_adjoint own = {.q = w.q, .p = w.p, .u = w.u};
    const td_status swept =
        td_sensors_reverse(model, rest->s->state, work, sensor_weights, NULL, &own);
    if (swept == TD_E_USAGE) forwards = true;
    if (swept != TD_OK && swept != TD_E_USAGE) status = swept;
  }
  if (status == TD_OK && forwards)
    status = weighted_forward(rest, sensor_weights, q_weights, energy_weight, by, n, gradient);
  if (status == TD_OK && !forwards) {
    for (int i = 0; q_weights && i < model->nvel; i++) w.q[i] += q_weights[i];
    status = backward(rest, &w, by, n, gradient);
  }
  if (status == TD_OK) td_rest_note(rest);
  free(w.q);
  td_rest_free(rest);
  return status;
}
