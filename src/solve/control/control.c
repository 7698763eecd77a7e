// Task-space control by computed accelerations or by static feed-forward; see control.h.
#include "solve/control/control.h"

#include <math.h>

#include "math/bounded.h"
#include "model/model.h"
#include "solve/statics/statics.h"
#include "solve/vectors.h"

enum { MOST_TURNS = 60 };  // iterations of Newton's method

struct td_control {
  const td_model* model;
  td_work* work;
  int n, m, nv, nu,
      all;     // task values, driven inputs; all: inputs and internal states, columns of B
  int* input;  // (m) driven inputs by number
  double *low, *high, *u;  // (m)
  // redundant inputs brake: of all solutions that nearest to u0 = -calm Bᵀ v; limits relative to it
  double calm, *u0, *low0, *high0, *B;  // m; B: nv x nu
  double *error, *integrand;            // (n): e; z'
  double* wanted;                       // (n): desired acceleration, or correction P e + I z + D e'
  double *J, *vdot, *W, *A, *b, *G;     // n x nv, nv, nv x nu, n x m, n, m x n
  double* mobility;  // (nv): 1/M_jj at the start, for models with kinematic loops; else NULL
  double* scratch;
  bool* free;
  int nlaw;  // inputs that controllers set; those given by expressions are computed here
  double *law, *law_q, *law_v;
  // static feed-forward
  td_statics* statics;
  td_saddle* saddle;
  double *q, *l, *F, *e, *K, *Jc, *dx, *dl, *dxu, *dlu;  // dxu: m x nfree, dlu: m x nrow
  void* block;
};

void td_control_free(td_control* c) {
  if (!c) return;
  td_statics_free(c->statics);
  td_saddle_free(c->saddle);
  free(c->law);
  free(c->mobility);
  free(c->block);
  free(c);
}

const double* td_control_integrand(const td_control* c) { return c->integrand; }
const double* td_control_jacobian(const td_control* c) { return c->J; }

// ---- memory -----------------------------------------------------------------------------------

// Take n numbers of a block.
static double* take(double** at, size_t n) {
  double* p = *at;
  *at += n;
  return p;
}

// Allocate all arrays as one block.  False: no memory.
static bool allocate(td_control* c, td_sizes size) {
  const size_t n = (size_t)c->n, m = (size_t)c->m, nv = (size_t)c->nv, nu = (size_t)c->all;
  const bool is_static = td_task_is_static(c->model);  // else there are no matrices
  const size_t nf = is_static ? (size_t)size.nfree : 0, nq = (size_t)size.nq;
  const size_t r = is_static ? (size_t)size.nconstraint : 0;
  const size_t work = td_bounded_scratch(c->n, c->m) + nv * nu;
  const size_t statics = nq + 3 * r + 2 * nf + nf * nf + r * nf + m * (nf + r);
  const size_t total = 6 * m + 4 * n + n * nv + nv + nv * nu + 2 * n * m + work + statics;
  double* at = c->block = calloc(total + m + 2, sizeof(double));
  if (!at) return false;
  c->low = take(&at, m), c->high = take(&at, m), c->u = take(&at, m);
  c->u0 = take(&at, m), c->low0 = take(&at, m), c->high0 = take(&at, m);
  c->error = take(&at, n), c->integrand = take(&at, n), c->wanted = take(&at, n),
  c->b = take(&at, n);
  c->J = take(&at, n * nv), c->vdot = take(&at, nv), c->W = take(&at, nv * nu);
  c->A = take(&at, n * m), c->G = take(&at, n * m), c->scratch = take(&at, work);
  c->B = c->scratch + td_bounded_scratch(c->n, c->m);
  c->q = take(&at, nq), c->l = take(&at, r), c->e = take(&at, r), c->dl = take(&at, r);
  c->F = take(&at, nf), c->dx = take(&at, nf), c->K = take(&at, nf * nf);
  c->Jc = take(&at, r * nf), c->dxu = take(&at, m * nf), c->dlu = take(&at, m * r);
  c->input = (int*)(void*)at;
  c->free = (bool*)(c->input + m);
  return true;
}

// Prepare the equations of equilibrium for task.feedforward = 'static'. Refuses prescribed motion
// and internal states.
static td_status open_statics(td_control* c, const td_state* state) {
  const int* index;
  if (td_free_v(c->model, &index) < c->nv) {
    td_work_fail(c->work, "task.feedforward = 'static' is not for models with prescribed motion");
    return TD_E_USAGE;
  }
  if (c->model->ninternal > 0) {
    td_work_fail(c->work, "task.feedforward = 'static' is not for models with internal states");
    return TD_E_USAGE;
  }
  TD_TRY(td_statics_new(c->model, c->work, state, TD_LOAD_SCALE, &c->statics));
  TD_TRY(td_saddle_new(c->statics->n, c->statics->m, &c->saddle));
  c->saddle->scale = c->statics->equations.rows;
  memcpy(c->q, c->statics->state->q, sizeof(double) * (size_t)c->statics->nq);
  return TD_OK;
}

// Set the mobility 1/M_jj of each DOF by itself, against which rounding in A is judged.
static td_status weigh(td_control* c, const td_state* state) {
  double* M = malloc(sizeof(double) * area(c->nv, c->nv));
  c->mobility = malloc(sizeof(double) * (size_t)c->nv);
  td_status status = M && c->mobility ? TD_OK : TD_E_NOMEM;
  if (status == TD_OK) status = td_trial_mass_matrix(c->model, state, c->work, M);
  if (status == TD_OK) {
    for (int j = 0; j < c->nv; j++) c->mobility[j] = 1 / M[area(j, c->nv) + (size_t)j];
  }
  free(M);
  return status;
}

// Prepare the control of a model at a state.
td_status td_control_new(const td_model* model, td_work* work, const td_state* state,
                         td_control** control) {
  td_control* c = *control = calloc(1, sizeof *c);
  if (!c) return TD_E_NOMEM;

  // sizes
  const td_sizes size = td_model_sizes(model);
  c->model = model;
  c->work = work;
  c->n = td_task_count(model);
  c->m = td_task_input_count(model);
  c->nv = size.nv;
  c->nu = size.nu;
  c->all = model_drives(model);
  c->nlaw = td_law_count(model);

  // memory
  c->law = calloc((size_t)c->nlaw + 2 * area(c->nlaw, c->nv) + 1, sizeof(double));
  td_status status = c->law && allocate(c, size) ? TD_OK : TD_E_NOMEM;
  if (status == TD_OK) {
    c->law_q = c->law + c->nlaw;
    c->law_v = c->law_q + area(c->nlaw, c->nv);
  }

  // statics, or mobilities for models with kinematic loops
  if (status == TD_OK && td_task_is_static(model)) status = open_statics(c, state);
  if (status == TD_OK && c->n > 0 && !c->statics && size.nconstraint > 0) status = weigh(c, state);
  if (status != TD_OK) {
    td_control_free(c);
    *control = NULL;
  }
  return status;
}

// ---- computed accelerations -------------------------------------------------------------------

// Set e, and `wanted` = P e + I z + D e', with `accelerate` + y_d'' - bias.
static void feedback(td_control* c, const td_task_values* y, const double* z, bool accelerate) {
  for (int i = 0; i < c->n; i++) {
    double P, I, D;
    td_task_gains(c->model, c->work, i, &P, &I, &D);
    c->error[i] = y->desired[i] - y->y[i];
    c->wanted[i] = P * c->error[i] + I * z[i] + D * (y->desired_rate[i] - y->rate[i]) +
                   (accelerate ? y->desired_acc[i] - y->bias[i] : 0);
  }
}

// Set z' = e, but 0 where z would only grow against the limits of inputs (no wind-up); `short_of`
// (n): what the tasks lack because inputs are at their limits.
static void stop_windup(td_control* c, const double* short_of) {
  for (int i = 0; i < c->n; i++) c->integrand[i] = short_of[i] * c->error[i] > 0 ? 0 : c->error[i];
}

// Solve A u ≈ b within limits by damped least squares.
static td_status choose(td_control* c, const double* low, const double* high) {
  const double damping = td_task_damping(c->model, c->work);
  if (td_bounded_least_squares(c->A, c->b, c->n, c->m, damping, low, high, c->u, c->free,
                               c->scratch))
    return TD_OK;
  td_work_fail(c->work, "the tasks' inputs are not finite");
  return TD_E_DIVERGED;
}

// Solve A u ≈ b, redundant inputs braking the motion that the tasks leave free: of all solutions
// the one nearest to u0 = -c Bᵀ v is taken (B: generalised forces of unit inputs).  It is the
// smallest solution plus N u0, N = 1 - A⁺A, whose power -c vᵀB N Bᵀv is never positive.  The braked
// motion decays at the rates c · eigenvalues of N BᵀW N, W = M⁻¹B, none of them above `calm` with
//
//   c = calm τ/(τ² + ε²),     τ = trace(N BᵀW N),
//
// where ε is a millionth of the trace without tasks: inputs that only work against each other move
// nothing.
static td_status choose_calm(td_control* c, td_state* state, const int* index, int nfree) {
  const double rate = td_task_calm(c->model, c->work);
  c->calm = 0;
  if (c->m <= c->n || !(rate > 0)) return choose(c, c->low, c->high);

  // τ and c
  for (int k = 0; k < c->m; k++) c->free[k] = true;
  td_trial_input_map(c->model, state, c->work, c->B);
  td_free_inverse(c->A, c->n, c->m, td_task_damping(c->model, c->work), c->free, c->G, c->scratch);
  double all = 0, left = 0;
  for (int k = 0; k < c->m; k++) {
    for (int l = 0; l < c->m; l++) {
      double N = k == l, mobility = 0;
      for (int i = 0; i < c->n; i++) N -= c->G[k * c->n + i] * c->A[i * c->m + l];
      for (int f = 0; f < nfree; f++)
        mobility += c->B[area(index[f], c->all) + (size_t)c->input[l]] *
                    c->W[area(index[f], c->all) + (size_t)c->input[k]];
      left += N * mobility;
      if (k == l) all += mobility;
    }
  }
  const double least = 1e-6 * all;
  if (!(left > 0)) return choose(c, c->low, c->high);
  c->calm = rate * left / (left * left + least * least);

  // solve for u - u0
  for (int k = 0; k < c->m; k++) {
    c->u0[k] = 0;
    for (int f = 0; f < nfree; f++)
      c->u0[k] -= c->calm * c->B[area(index[f], c->all) + (size_t)c->input[k]] * state->v[index[f]];
    c->low0[k] = c->low[k] - c->u0[k];
    c->high0[k] = c->high[k] - c->u0[k];
  }
  for (int i = 0; i < c->n; i++) c->b[i] -= inner(c->A + area(i, c->m), c->u0, c->m);
  TD_TRY(choose(c, c->low0, c->high0));
  for (int i = 0; i < c->n; i++) c->b[i] += inner(c->A + area(i, c->m), c->u0, c->m);
  for (int k = 0; k < c->m; k++) c->u[k] = fmin(fmax(c->u0[k] + c->u[k], c->low[k]), c->high[k]);
  return TD_OK;
}

// Set entries of A to zero that are rounding: where kinematic loops hold what an input drives, they
// would demand arbitrary inputs.  The bound is 1e-10 √(J m⁻¹ Jᵀ · Bᵀ m⁻¹ B) with the masses m of
// the single DOFs.
static void drop_rounding(td_control* c, const td_state* state, const int* index, int nfree) {
  td_trial_input_map(c->model, state, c->work, c->B);
  for (int i = 0; i < c->n; i++)
    for (int k = 0; k < c->m; k++) {
      double value = 0, input = 0;
      for (int f = 0; f < nfree; f++) {
        const double J = c->J[area(i, c->nv) + (size_t)index[f]],
                     B = c->B[area(index[f], c->all) + (size_t)c->input[k]];
        value += J * J * c->mobility[index[f]];
        input += B * B * c->mobility[index[f]];
      }
      double* A = &c->A[i * c->m + k];
      if (fabs(*A) <= 1e-10 * sqrt(value * input)) *A = 0;
    }
}

// One Newton iteration: linearise v' about the present inputs, then solve
// A u = wanted - J (v'_free - W u_now)
static td_status dynamic_turn(td_control* c, td_state* state) {
  TD_TRY(td_trial_dynamics(c->model, state, c->work));
  copy(c->vdot, td_work_vdot(c->work), c->nv);
  TD_TRY(td_input_accelerations(c->model, state, c->work, c->W));

  // A and b
  const int* index;
  const int nfree = td_free_v(c->model, &index);
  for (int i = 0; i < c->n; i++) {
    const double* J = c->J + area(i, c->nv);
    c->b[i] = c->wanted[i];
    for (int f = 0; f < nfree; f++) c->b[i] -= J[index[f]] * c->vdot[index[f]];
    for (int k = 0; k < c->m; k++) {
      double sum = 0;
      for (int f = 0; f < nfree; f++)
        sum += J[index[f]] * c->W[area(index[f], c->all) + (size_t)c->input[k]];
      c->A[i * c->m + k] = sum;
      c->b[i] += sum * state->u[c->input[k]];
    }
  }

  // solve
  if (c->mobility) drop_rounding(c, state, index, nfree);
  return choose_calm(c, state, index, nfree);
}

// Compute the driven inputs.  Newton's method, for inputs that enter forces nonlinearly, starts
// from zero, so that the result follows from the state alone.
static td_status dynamic_inputs(td_control* c, td_state* state) {
  const int turns = td_inputs_affine(c->model) ? 1 : MOST_TURNS;
  for (int k = 0; k < c->m; k++) state->u[c->input[k]] = fmin(fmax(0, c->low[k]), c->high[k]);
  for (int turn = 0; turn < turns; turn++) {
    TD_TRY(dynamic_turn(c, state));

    // take the inputs; done when none changes any more
    double change = 0;
    for (int k = 0; k < c->m; k++) {
      double* u = &state->u[c->input[k]];
      change = fmax(change, fabs(*u - c->u[k]) / (1e-9 + fabs(c->u[k])));
      *u = c->u[k];
    }
    if (change < 1e-12) break;
  }

  // desired less reached accelerations, where limits hold inputs back
  bool limited = false;
  for (int k = 0; k < c->m; k++) limited = limited || !c->free[k];
  for (int i = 0; i < c->n; i++) {
    double lack = c->b[i];
    for (int k = 0; k < c->m; k++) lack -= c->A[i * c->m + k] * c->u[k];
    c->b[i] = limited && fabs(lack) > 1e-9 * fabs(c->wanted[i]) ? lack : 0;
  }
  stop_windup(c, c->b);
  return TD_OK;
}

// ---- static feed-forward ----------------------------------------------------------------------

// Displacements of the equilibrium: dx, which leads to it, and dxu for a unit of each input
static void static_slopes(td_control* c) {
  td_statics* s = c->statics;
  double* B = c->B;
  s->equations.tangent(s, c->q, c->l, 1, c->K, c->Jc);
  td_saddle_factor(c->saddle, c->K, c->Jc, NULL);
  s->equations.residual(s, c->q, c->l, 1, c->F, c->e);
  td_saddle_solve(c->saddle, c->F, c->e, 0, c->dx, c->dl, NULL);

  // one displacement for each input
  td_trial_input_map(c->model, s->state, c->work, B);
  memset(c->e, 0, sizeof(double) * (size_t)s->m);
  for (int k = 0; k < c->m; k++) {
    for (int f = 0; f < s->n; f++) c->F[f] = -B[area(s->free[f], c->all) + (size_t)c->input[k]];
    td_saddle_solve(c->saddle, c->F, c->e, 0, c->dxu + area(k, s->n), c->dlu + area(k, s->m), NULL);
  }
}

// One Newton iteration towards the equilibrium at which y = y_d; *size: length of its step relative
// to the limits of the directions.
static td_status static_turn(td_control* c, double* size) {
  td_statics* s = c->statics;
  static_slopes(c);

  // deviation of the tasks
  const td_task_values y = td_task_at(c->model, s->state, c->work);
  for (int i = 0; i < c->n; i++) c->b[i] = y.desired[i] - y.y[i];
  td_task_jacobian(c->model, s->state, c->work, c->J);

  // A and b of the inputs
  for (int i = 0; i < c->n; i++) {
    for (int f = 0; f < s->n; f++) c->b[i] -= c->J[area(i, c->nv) + (size_t)s->free[f]] * c->dx[f];
    for (int k = 0; k < c->m; k++) {
      double sum = 0;
      for (int f = 0; f < s->n; f++)
        sum += c->J[area(i, c->nv) + (size_t)s->free[f]] * c->dxu[area(k, s->n) + (size_t)f];
      c->A[i * c->m + k] = sum;
      c->b[i] += sum * s->state->u[c->input[k]];
    }
  }
  TD_TRY(choose(c, c->low, c->high));

  // the whole step, shortened to those limits
  double longest = 0;
  for (int k = 0; k < c->m; k++) {
    const double du = c->u[k] - s->state->u[c->input[k]];
    for (int f = 0; f < s->n; f++) c->dx[f] += du * c->dxu[area(k, s->n) + (size_t)f];
    for (int r = 0; r < s->m; r++) c->dl[r] += du * c->dlu[area(k, s->m) + (size_t)r];
  }
  for (int f = 0; f < s->n; f++)
    longest = fmax(longest, fabs(c->dx[f]) / (isfinite(s->limit[f]) ? s->limit[f] : 1));
  if (!isfinite(longest)) return TD_E_DIVERGED;
  const double part = longest > 1 ? 1 / longest : 1;
  for (int f = 0; f < s->n; f++) c->dx[f] *= part;
  s->equations.displace(s, c->q, c->dx, c->q);
  for (int r = 0; r < s->m; r++) c->l[r] += part * c->dl[r];
  for (int k = 0; k < c->m; k++) {
    double* u = &s->state->u[c->input[k]];
    *u += part * (c->u[k] - *u);
  }
  *size = longest;
  return TD_OK;
}

// Find the equilibrium (q_s, u_s) at which y = y_d, starting from the last one.
static td_status static_point(td_control* c, const td_state* state) {
  td_statics* s = c->statics;
  s->state->t = state->t;
  for (int turn = 0; turn < MOST_TURNS; turn++) {
    double size;
    TD_TRY(static_turn(c, &size));
    if (size < 1e-11) return TD_OK;
  }
  td_work_fail(c->work,
               "no equilibrium is found at which the tasks have their desired values at "
               "t = %g s",
               state->t);
  return TD_E_DIVERGED;
}

// u = u_s + S⁺ (P e + I z + D e'); A is S at the equilibrium, J is evaluated at the state itself
static td_status static_inputs(td_control* c, td_state* state) {
  TD_TRY(static_point(c, state));
  const td_statics* s = c->statics;
  td_free_inverse(c->A, c->n, c->m, td_task_damping(c->model, c->work), c->free, c->G, c->scratch);

  // inputs within their limits, and what the tasks lack by them
  memset(c->b, 0, sizeof(double) * (size_t)c->n);
  for (int k = 0; k < c->m; k++) {
    const double u = s->state->u[c->input[k]] + inner(c->G + area(k, c->n), c->wanted, c->n);
    const double held = state->u[c->input[k]] = fmin(fmax(u, c->low[k]), c->high[k]);
    for (int i = 0; i < c->n; i++) c->b[i] += c->A[i * c->m + k] * (u - held);
  }
  stop_windup(c, c->b);
  td_task_jacobian(c->model, state, c->work, c->J);
  return TD_OK;
}

// ---- both -------------------------------------------------------------------------------------

// Set the inputs of laws and tasks at a state.
td_status td_control_inputs(td_control* c, td_state* state, const double* z) {
  // laws: expressions within the limits of their inputs
  if (c->nlaw > 0) td_law_values(c->model, state, c->work, c->law);
  for (int i = 0; i < c->nlaw; i++) {
    double low, high;
    if (!td_law_is_law(c->model, i)) continue;
    const int input = td_law_input(c->model, c->work, i, &low, &high);
    state->u[input] = fmin(fmax(c->law[i], low), high);
  }
  if (c->n == 0) return TD_OK;

  // tasks
  const td_task_values y = td_task_at(c->model, state, c->work);
  feedback(c, &y, z, !c->statics);
  for (int k = 0; k < c->m; k++)
    c->input[k] = td_task_input(c->model, c->work, k, &c->low[k], &c->high[k]);
  if (c->statics) return static_inputs(c, state);
  td_task_jacobian(c->model, state, c->work, c->J);
  return dynamic_inputs(c, state);
}

// Derivatives of the laws that are within their limits
static void law_slopes(td_control* c, const td_state* state, double* dq, double* dv) {
  td_law_values(c->model, state, c->work, c->law);
  td_law_tangent(c->model, state, c->work, c->law_q, c->law_v);
  for (int i = 0; i < c->nlaw; i++) {
    double low, high;
    const int input = td_law_input(c->model, c->work, i, &low, &high);
    if (!td_law_is_law(c->model, i) || c->law[i] < low || c->law[i] > high) continue;
    copy(dq + area(input, c->nv), c->law_q + area(i, c->nv), c->nv);
    copy(dv + area(input, c->nv), c->law_v + area(i, c->nv), c->nv);
  }
}

// Derivatives of all inputs by q, v and z at the feedback of the last call
void td_control_slopes(td_control* c, const td_state* state, double* dq, double* dv, double* dz) {
  if (!c->statics && c->n > 0)
    td_free_inverse(c->A, c->n, c->m, td_task_damping(c->model, c->work), c->free, c->G,
                    c->scratch);
  memset(dq, 0, sizeof(double) * area(c->nu, c->nv));
  memset(dv, 0, sizeof(double) * area(c->nu, c->nv));
  memset(dz, 0, sizeof(double) * area(c->nu, c->n));
  if (c->nlaw > 0) law_slopes(c, state, dq, dv);

  // braking: -calm (1 - G A) Bᵀ of the inputs within their limits
  for (int k = 0; !c->statics && c->calm > 0 && k < c->m; k++) {
    for (int l = 0; c->free[k] && l < c->m; l++) {
      double share = k == l;
      for (int i = 0; i < c->n; i++) share -= c->G[k * c->n + i] * c->A[i * c->m + l];
      for (int j = 0; c->free[l] && j < c->nv; j++)
        dv[area(c->input[k], c->nv) + (size_t)j] -=
            c->calm * share * c->B[area(j, c->all) + (size_t)c->input[l]];
    }
  }

  // tasks: G (-P J dq - D J dv + I dz)
  for (int i = 0; i < c->n; i++) {
    double P, I, D;
    td_task_gains(c->model, c->work, i, &P, &I, &D);
    for (int k = 0; k < c->m; k++) {
      const double g = c->G[k * c->n + i];
      const size_t row = (size_t)c->input[k];
      for (int j = 0; j < c->nv; j++) {
        dq[row * (size_t)c->nv + (size_t)j] -= g * P * c->J[area(i, c->nv) + (size_t)j];
        dv[row * (size_t)c->nv + (size_t)j] -= g * D * c->J[area(i, c->nv) + (size_t)j];
      }
      dz[row * (size_t)c->n + (size_t)i] = g * I;
    }
  }
}
