// td_linearize: the linear system about a state, at rest or in motion.
//
// With Z the null space of the constraints (unprescribed columns J), a neighbouring motion has
//
//   dq = Z xi,   dv = Z eta + W xi,   W = -J^+ d(Jc v)/dq Z,   x = [xi, eta]
//
// so that the constraints hold on position and velocity level, and
//
//   xi'  = Z'(dv + T dq)
//   eta' = Z'(dv'/dq dq + dv'/dv dv + dv'/du du + dv'/dz dz)
//
// where T is the rate at which the tangent directions turn while q moves (unit quaternions).  At
// rest W and T vanish.  Internal states come last, x = [xi, eta, dz], with the derivatives of their
// rates.
#include <math.h>
#include <stdio.h>

#include "engine/sparse_engine.h"
#include "model/model.h"
#include "solve/statics/newton.h"
#include "solve/statics/statics.h"
#include "solve/vectors.h"

// A linearisation while it is computed.
typedef struct linearisation {
  const td_model* model;
  const td_state* state;
  td_work* work;
  td_sizes n;
  const int* free;
  int nfree, k;  // k: dimension of the null space
  int nx, all;   // 2 k + nz; inputs and internal states
  td_saddle* saddle;
  double* Zv;  // nv x k
  double* Wv;  // nv x k
  double* T;   // nv x nv
} linearisation;

void td_linear_free(td_linear* linear) {
  if (!linear) return;
  free(linear->output);
  free(linear->A);
  free(linear);
}

// Allocate a linear model; NULL: no memory.
td_linear* td_linear_new(const td_model* model, int nx, int nu, int ny) {
  const int parts = 2 * model->nvel + model->ninternal;
  td_linear* lin = calloc(1, sizeof *lin);
  if (!lin) return NULL;
  const size_t doubles =
      area(nx, nx) + area(nx, nu) + area(ny, nx) + area(ny, nu) + 2 * area(parts, nx);
  lin->A = calloc(doubles + 1, sizeof(double));
  if (!lin->A) {
    free(lin);
    return NULL;
  }
  lin->output = calloc((size_t)ny + 1, sizeof(int));
  if (!lin->output) {
    td_linear_free(lin);
    return NULL;
  }

  // matrices in one block
  lin->model = model;
  lin->nx = nx;
  lin->nu = nu;
  lin->ny = ny;
  lin->B = lin->A + area(nx, nx);
  lin->C = lin->B + area(nx, nu);
  lin->D = lin->C + area(ny, nx);
  lin->basis = lin->D + area(ny, nu);
  lin->inverse = lin->basis + area(parts, nx);
  return lin;
}

// Copy the rows of `part` (nfree x cols) to the rows of unprescribed velocities of `full` (nv x
// cols).
static void spread(const linearisation* p, const double* part, int cols, double* full) {
  memset(full, 0, sizeof(double) * area(p->n.nv, cols));
  for (int i = 0; i < p->nfree; i++)
    memcpy(full + area(p->free[i], cols), part + area(i, cols), sizeof(double) * (size_t)cols);
}

// Compute Z, and W from d(Jc v)/dq, which is the linear part of the constraints' tangent in its
// acceleration argument.
static td_status allowed_motions(linearisation* p) {
  const int nv = p->n.nv, m = p->n.nconstraint, nf = p->nfree;
  double* block =
      calloc(3 * area(m, nv) + (size_t)nv + (size_t)(m + nf) + area(nf, nf) + 1, sizeof(double));
  if (!block) return TD_E_NOMEM;
  double *J = block, *at_v = J + area(m, nv), *at_0 = at_v + area(m, nv);
  double *zero = at_0 + area(m, nv), *rhs = zero + nv, *y = rhs + m, *part = y + nf;

  // Z
  double *row = rhs, *col = part;  // neither is in use yet
  const td_row_scale scale = {row, col, -1, NULL};
  if (m) td_constraint_scales(p->model, p->state, p->work, row, col);
  p->saddle->scale = m ? &scale : NULL;
  if (m) td_trial_constraints(p->model, p->state, p->work, at_v, NULL, NULL);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < nf; j++) J[i * nf + j] = at_v[i * nv + p->free[j]];
  td_saddle_null_space(p->saddle, J);
  p->saddle->scale = NULL;
  p->k = p->saddle->free;
  spread(p, p->saddle->Z, p->k, p->Zv);

  if (m) {
    // W, column by column
    double* unused = J;  // d/dv, not needed
    td_constraint_tangent(p->model, p->state, p->work, p->state->v, at_v, unused);
    td_constraint_tangent(p->model, p->state, p->work, zero, at_0, unused);
    for (size_t i = 0; i < area(m, nv); i++) at_v[i] -= at_0[i];
    for (int c = 0; c < p->k; c++) {
      for (int i = 0; i < m; i++) {
        rhs[i] = 0;
        for (int j = 0; j < nv; j++) rhs[i] += at_v[i * nv + j] * p->Zv[j * p->k + c];
      }
      td_saddle_particular(p->saddle, rhs, y);
      for (int i = 0; i < nf; i++) part[i * p->k + c] = y[i];
    }
  }
  spread(p, part, p->k, p->Wv);
  free(block);
  return TD_OK;
}

// T = N⁺ (d(N v)/dq N - N'), from dq = N d and q' = N v.  N is linear in q where it is not
// constant, so its rate is the difference over a unit time.
static td_status turning(linearisation* p) {
  const int nq = p->n.nq, nv = p->n.nv;
  memset(p->T, 0, sizeof(double) * area(nv, nv));
  if (!td_has_quaternions(p->model)) return TD_OK;
  double* block = calloc(4 * area(nq, nv) + area(nq, nq) + 2 * (size_t)nq, sizeof(double));
  if (!block) return TD_E_NOMEM;
  double *N = block, *moved = N + area(nq, nv), *Nplus = moved + area(nq, nv),
         *product = Nplus + area(nq, nv);
  double *dNv = product + area(nq, nv), *rate = dNv + area(nq, nq), *ahead = rate + nq;
  const double *q = p->state->q, *v = p->state->v;

  // N, its derivative and its rate
  td_qdot_matrix(p->model, q, N);
  td_qdot_dq(p->model, q, v, dNv);
  td_qdot_inverse(p->model, q, Nplus);
  td_qdot(p->model, q, v, rate);
  for (int i = 0; i < nq; i++) ahead[i] = q[i] + rate[i];
  td_qdot_matrix(p->model, ahead, moved);
  td_mul(dNv, N, nq, nq, nv, product);
  for (size_t i = 0; i < area(nq, nv); i++) product[i] -= moved[i] - N[i];
  td_mul(Nplus, product, nv, nq, nv, p->T);
  free(block);
  return TD_OK;
}

td_status td_turning(const td_model* model, const td_state* state, double* T) {
  linearisation p = {.model = model, .state = state, .n = td_model_sizes(model), .T = T};
  return turning(&p);
}

// Set basis = [Z 0 0; W Z 0; 0 0 1]; since Z'W = 0 and Z'Z = 1, its inverse is [Z' 0 0; 0 Z' 0; 0 0
// 1].
static void fill_basis(const linearisation* p, double* basis, double* inverse) {
  const int nv = p->n.nv, k = p->k, nx = p->nx, parts = 2 * nv + p->n.nz;
  for (int i = 0; i < p->n.nz; i++) {
    basis[area(2 * nv + i, nx) + (size_t)(2 * k + i)] = 1;
    inverse[area(2 * k + i, parts) + (size_t)(2 * nv + i)] = 1;
  }
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j < k; j++) {
      basis[area(i, nx) + (size_t)j] = p->Zv[i * k + j];
      basis[area(nv + i, nx) + (size_t)j] = p->Wv[i * k + j];
      basis[area(nv + i, nx) + (size_t)(k + j)] = p->Zv[i * k + j];
      inverse[area(j, parts) + (size_t)i] = p->Zv[i * k + j];
      inverse[area(k + j, parts) + (size_t)(nv + i)] = p->Zv[i * k + j];
    }
  }
}

// out (rows x nx) = [left, right] basis, left and right rows x nv
static void apply(const double* left, const double* right, const linearisation* p,
                  const double* basis, int rows, double* out, double* scratch) {
  const int nv = p->n.nv, nx = p->nx;
  td_mul(left, basis, rows, nv, nx, out);
  td_mul(right, basis + area(nv, nx), rows, nv, nx, scratch);
  for (size_t i = 0; i < area(rows, nx); i++) out[i] += scratch[i];
}

// Compute A and B.
static td_status state_equation(const linearisation* p, td_linear* lin, double* scratch) {
  const int nv = p->n.nv, nu = p->n.nu, nz = p->n.nz, k = p->k, nx = p->nx, all = p->all;
  const int rows = max_int(nv, nz);
  double *dq = scratch, *dv = dq + area(nv, nv), *du = dv + area(nv, nv),
         *rate = du + area(nv, all);
  double *more = rate + area(rows, nx), *pushed = more + area(rows, nx);
  double *Rq = pushed + area(k, all), *Rv = Rq + area(nz, nv), *Ru = Rv + area(nz, nv);
  TD_TRY(td_trial_forward_tangent(p->model, p->state, p->work, dq, dv, du));

  // middle rows: eta'
  apply(dq, dv, p, lin->basis, nv, rate, more);
  td_mul_tn(p->Zv, rate, k, nv, nx, lin->A + area(k, nx));
  td_mul_tn(p->Zv, du, k, nv, all, pushed);
  for (int i = 0; i < k; i++) {
    copy(lin->B + area(k + i, nu), pushed + area(i, all), nu);
    for (int j = 0; j < nz; j++)
      lin->A[area(k + i, nx) + (size_t)(2 * k + j)] += pushed[area(i, all) + (size_t)(nu + j)];
  }

  // upper rows: xi'
  memset(dv, 0, sizeof(double) * area(nv, nv));
  for (int i = 0; i < nv; i++) dv[i * nv + i] = 1;
  apply(p->T, dv, p, lin->basis, nv, rate, more);
  td_mul_tn(p->Zv, rate, k, nv, nx, lin->A);
  if (nz == 0) return TD_OK;

  // lower rows: rates of internal states
  td_trial_internal_tangent(p->model, p->state, p->work, Rq, Rv, Ru);
  apply(Rq, Rv, p, lin->basis, nz, lin->A + area(2 * k, nx), more);
  for (int i = 0; i < nz; i++) {
    copy(lin->B + area(2 * k + i, nu), Ru + area(i, all), nu);
    for (int j = 0; j < nz; j++)
      lin->A[area(2 * k + i, nx) + (size_t)(2 * k + j)] += Ru[area(i, all) + (size_t)(nu + j)];
  }
  return TD_OK;
}

// Keep the outputs that are known; a note names the others and tells why.
void td_linear_choose(const td_model* model, const bool* known, const char* why, td_linear* lin) {
  int kept = 0;
  size_t used = 0;
  for (int i = 0; i < lin->ny; i++) {
    if (known[i]) {
      memmove(lin->C + area(kept, lin->nx), lin->C + area(i, lin->nx),
              sizeof(double) * (size_t)lin->nx);
      memmove(lin->D + area(kept, lin->nu), lin->D + area(i, lin->nu),
              sizeof(double) * (size_t)lin->nu);
      lin->output[kept++] = i;
    } else if (used < sizeof lin->note - 1) {
      const int n = snprintf(lin->note + used, sizeof lin->note - used, "%s%s%s %s",
                             used ? "," : "left out, ", used ? "" : why, used ? "" : ":",
                             td_model_sensor_name(model, i));
      used += n > 0 ? (size_t)n : 0;
    }
  }
  lin->ny = kept;
}

// Compute C and D.
static td_status output_equation(const linearisation* p, td_linear* lin, double* scratch) {
  const int ny = p->n.nsensor, nv = p->n.nv, nu = p->n.nu, all = p->all;
  if (ny == 0) return TD_OK;
  double *dq = scratch, *dv = dq + area(ny, nv), *du = dv + area(ny, nv),
         *more = du + area(ny, all);
  bool* known = malloc(sizeof(bool) * (size_t)ny);
  if (!known) return TD_E_NOMEM;

  // derivatives of the sensors, those of internal states in C
  const td_status status = td_sensor_tangent(p->model, p->state, p->work, dq, dv, du, known);
  if (status == TD_OK) {
    apply(dq, dv, p, lin->basis, ny, lin->C, more);
    for (int i = 0; i < ny; i++) {
      copy(lin->D + area(i, nu), du + area(i, all), nu);
      for (int j = 0; j < p->n.nz; j++)
        lin->C[area(i, p->nx) + (size_t)(2 * p->k + j)] += du[area(i, all) + (size_t)(nu + j)];
    }
    td_linear_choose(p->model, known, "since dependent constraints do not determine them", lin);
  }
  free(known);
  return status;
}

// Note that the state is no equilibrium: the linear model then lacks a constant term.
static void name_constant(const linearisation* p, td_linear* lin) {
  double top = 0;
  if (td_trial_dynamics(p->model, p->state, p->work) != TD_OK) return;
  for (int i = 0; i < p->nfree; i++) top = fmax(top, fabs(td_work_vdot(p->work)[p->free[i]]));

  // internal states that are not at rest
  for (int i = 0; i < p->n.nz; i++) {
    const double rate = td_work_rates(p->model, p->work)[i], size = fabs(p->state->z[i]);
    const size_t length = strlen(lin->note);
    if (fabs(rate) > 1e-6 * fmax(size, 1e-6))
      snprintf(lin->note + length, sizeof lin->note - length,
               "%sthe internal state %s is not at rest, its rate is %.3g", length ? "; " : "",
               td_model_internal_name(p->model, i), rate);
  }

  // accelerations that are left
  if (!(top > 1e-6)) return;
  const size_t used = strlen(lin->note);
  snprintf(lin->note + used, sizeof lin->note - used,
           "%sthe state is no equilibrium: accelerations of up to %.3g are left, a constant term "
           "that A, B, C, D do not have",
           used ? "; " : "", top);
}

// Compute the linear model from the null space on, and check that it is finite.
static td_status assemble(linearisation* p, td_linear** result) {
  const size_t nv = (size_t)p->n.nv, ny = (size_t)p->n.nsensor, nz = (size_t)p->n.nz;
  TD_TRY(allowed_motions(p));
  TD_TRY(turning(p));

  // the linear model, basis first
  p->nx = 2 * p->k + p->n.nz;
  p->all = model_drives(p->model);
  td_linear* lin = *result = td_linear_new(p->model, p->nx, p->n.nu, p->n.nsensor);
  const size_t all = (size_t)p->all, nx = (size_t)p->nx;
  const size_t states = 2 * nv * nv + 2 * nv * all + 2 * (nv + nz) * nx + nz * (2 * nv + all),
               sensors = ny * (2 * nv + all + nx);
  double* scratch = malloc(sizeof(double) * ((states > sensors ? states : sensors) + 1));
  td_status status = lin && scratch ? TD_OK : TD_E_NOMEM;
  if (status == TD_OK) {
    fill_basis(p, lin->basis, lin->inverse);
    status = state_equation(p, lin, scratch);
  }
  if (status == TD_OK) status = output_equation(p, lin, scratch);
  if (status == TD_OK) name_constant(p, lin);

  // a number that is not finite is an error
  const struct {
    const char* name;
    const double* x;
    int rows, cols;
  } parts[] = {{"A", lin ? lin->A : NULL, p->nx, p->nx},
               {"B", lin ? lin->B : NULL, p->nx, p->n.nu},
               {"C", lin ? lin->C : NULL, lin ? lin->ny : 0, p->nx},
               {"D", lin ? lin->D : NULL, lin ? lin->ny : 0, p->n.nu}};
  for (int i = 0; i < 4 && status == TD_OK; i++)
    status =
        td_finite(p->model, p->work, parts[i].name, NULL, parts[i].x, parts[i].rows, parts[i].cols);
  free(scratch);
  return status;
}

// Linearise about a copy of the state with prescribed motions at their values.  Refuses states that
// are not finite and models too large for dense matrices; *result is NULL on failure.
td_status td_linearize(const td_model* model, const td_state* state, td_work* work,
                       td_linear** result) {
  if (!model_has(model, state, work) || !td_state_is_finite(model, state) || !result)
    return TD_E_USAGE;
  *result = NULL;
  if (model->sparse && model->nvel > SPARSE_DENSE_LIMIT) {
    td_work_fail(
        work,
        "a model of %d velocities is too large for a linear model of all states, which may "
        "have %d; reduce it to its first modes (--reduce)",
        model->nvel, SPARSE_DENSE_LIMIT);
    return TD_E_USAGE;
  }

  // memory
  linearisation p = {.model = model, .state = state, .work = work, .n = td_model_sizes(model)};
  p.nfree = td_free_v(model, &p.free);
  const size_t nv = (size_t)p.n.nv;
  double* block = calloc(3 * nv * nv + 1, sizeof(double));
  td_state* here = td_state_new(model);
  td_status status =
      block && here ? td_saddle_new(p.nfree, p.n.nconstraint, &p.saddle) : TD_E_NOMEM;

  // prescribed motions and taut cables at their values, then assemble
  if (status == TD_OK) {
    td_state_copy(model, state, here);
    td_prescribe(model, work, here);
    p.state = here;
    p.Zv = block;
    p.Wv = block + nv * nv;
    p.T = block + 2 * nv * nv;
    status = td_taut_choose(model, here, work);
    if (status == TD_OK) status = td_finite_rates(model, here, work);
    if (status == TD_OK) status = assemble(&p, result);
  }
  if (status != TD_OK) {
    td_linear_free(*result);
    *result = NULL;
  }
  td_saddle_free(p.saddle);
  td_state_free(here);
  free(block);
  return status;
}
