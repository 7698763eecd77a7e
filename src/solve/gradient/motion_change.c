// The parts of the changes of a motion (motion_change.h).
#include "solve/gradient/motion_change.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "solve/vectors.h"

// ---- by what ----------------------------------------------------------------------------------

// Whether a `by` can be differentiated by.
static td_status admit(td_motion_change* x, const td_by* by) {
  const td_model* m = x->model;
  const int i = by->index, samples = x->inputs ? x->inputs->rows * x->inputs->n : 0;
  const int count[] = {m->nparam, m->ninput, m->nvel, m->nvel, m->ninternal, samples};
  static const char* const what[] = {"parameter", "input",          "coordinate",
                                     "velocity",  "internal state", "sample of an input"};
  if ((int)by->kind < 0 || by->kind > TD_BY_SAMPLE)
    return td_motion_change_refuse(
        x, "there is no kind %d of what a trajectory is differentiated by", (int)by->kind);
  if (i < 0 || i >= count[by->kind])
    return td_motion_change_refuse(x, "there is no %s of number %d", what[by->kind], i);
  if (by->kind == TD_BY_PARAM && m->param[i].structural)
    return td_motion_change_refuse(
        x, "parameter '%s' was used while loading: there is no derivative by it",
        td_model_param_name(m, i));
  if (by->kind == TD_BY_INPUT && model_sets_input(m, i))
    return td_motion_change_refuse(
        x, "input '%s' is set by a controller: there is no derivative by it",
        td_model_input_name(m, i));
  if ((by->kind == TD_BY_POSITION || by->kind == TD_BY_VELOCITY) && m->vel[i].motion != NUM_NONE)
    return td_motion_change_refuse(
        x, "the motion of %s is prescribed: there is no derivative by its start",
        td_model_v_name(m, i));
  return TD_OK;
}

// Whether the motion of a model is differentiated at all.
static td_status admit_model(td_motion_change* x) {
  const td_model* m = x->model;
  if (m->sparse)
    return td_motion_change_refuse(
        x,
        "the model is a sparse one, whose trajectories are not differentiated: ask for "
        "dense matrices (par.linear)");
  if (td_model_is_controlled(m))
    return td_motion_change_refuse(
        x,
        "controllers and tasks of the model set inputs, and trajectories with them are "
        "not differentiated: give inputs over time");
  for (int i = 0; i < m->nrow; i++)
    if (m->row[i].target == TARGET_CONTROL)
      return td_motion_change_refuse(
          x, "%s follows joint.control, and trajectories with it are not differentiated",
          td_model_constraint_name(m, i));
  return TD_OK;
}

static double* part(double** p, size_t n) {
  double* x = *p;
  *p += n;
  return x;
}

td_status td_motion_change_new(const td_model* m, td_work* work, const td_sim_options* options,
                               td_start start, const td_by* by, int k, td_motion_change* x) {
  *x = (td_motion_change){.model = m, .work = work, .by = by, .k = k, .inputs = options->inputs};
  TD_TRY(admit_model(x));
  if ((int)start < 0 || start > TD_START_EQUILIBRIUM)
    return td_motion_change_refuse(x, "there is no start of number %d", (int)start);
  for (int i = 0; i < k; i++) TD_TRY(admit(x, &by[i]));

  // parameters and inputs that act directly, each once
  x->base = malloc(((size_t)k + 1) * sizeof *x->base);
  x->of = malloc(((size_t)k + 1) * sizeof *x->of);
  x->constants = calloc((size_t)k + 1, sizeof(void*));
  x->along = calloc((size_t)k + 1, sizeof *x->along);
  x->var = malloc(((size_t)k + 1) * sizeof *x->var);
  if (x->var == NULL || x->base == NULL || x->of == NULL || x->constants == NULL ||
      x->along == NULL)
    return TD_E_NOMEM;
  for (int i = 0; i < k; i++) {
    td_by own = by[i];
    x->of[i] = -1;
    if (own.kind == TD_BY_SAMPLE)
      own = (td_by){TD_BY_INPUT, x->inputs->input[by[i].index % x->inputs->n]};
    if (own.kind != TD_BY_PARAM && own.kind != TD_BY_INPUT) continue;
    int at = 0;
    while (at < x->nbase && (x->base[at].kind != own.kind || x->base[at].index != own.index)) at++;
    if (at == x->nbase) x->base[x->nbase++] = own;
    x->of[i] = at;
  }

  // memory, and the unit directions
  const size_t b = (size_t)x->nbase, K = (size_t)k, nv = (size_t)m->nvel, nq = (size_t)m->npos,
               nr = (size_t)m->nrow, np = (size_t)m->nparam, nd = (size_t)model_drives(m),
               nz = (size_t)m->ninternal;
  double* p = x->block = calloc(b * (np + nd + nv + nr + nz) + K * (3 * nv + nr + 1) + 2 * nq * nv +
                                    np + nd + 2 * nv + nz + 1,
                                sizeof(double));
  if (p == NULL) return TD_E_NOMEM;
  x->unit = part(&p, K);
  x->p = part(&p, b * np);
  x->u = part(&p, b * nd);
  x->a = part(&p, b * nv);
  x->lambda = part(&p, b * nr);
  x->z = part(&p, b * nz);
  x->theta = part(&p, K * nv);
  x->rate = part(&p, K * nv);
  x->x = part(&p, K * nv);
  x->e = part(&p, K * nr);
  x->N = part(&p, nq * nv);
  x->Nplus = part(&p, nq * nv);
  x->one_p = part(&p, np);
  x->one_u = part(&p, nd);
  x->column = part(&p, 2 * nv + nz);
  for (int i = 0; i < k; i++) {
    const double size = by[i].kind == TD_BY_PARAM ? fabs(td_work_param(m, work, by[i].index)) : 1;
    x->unit[i] = size > 0 && isfinite(size) ? size : 1;
  }
  for (int i = 0; i < x->nbase; i++) {
    if (x->base[i].kind == TD_BY_PARAM) x->p[(size_t)i * np + (size_t)x->base[i].index] = 1;
    if (x->base[i].kind == TD_BY_INPUT) x->u[(size_t)i * nd + (size_t)x->base[i].index] = 1;
  }

  // times that parameters move
  for (int i = 0; i < k; i++)
    x->var[i] = by[i].kind == TD_BY_PARAM ? m->param[by[i].index].var : -1;
  TD_TRY(td_stop_change_new(m, &x->stops));
  TD_TRY(td_motion_change_missed(x));

  // what parameters change for good
  for (int i = 0; i < x->nbase; i++) {
    if (x->base[i].kind == TD_BY_INPUT) {
      x->along[i] = (td_direction){.u = x->u + (size_t)i * nd};
      continue;
    }
    const double* one = x->p + (size_t)i * np;
    if ((x->constants[i] = td_constants_change_new(m, work, one)) == NULL) return TD_E_NOMEM;
    x->along[i] = (td_direction){.p = one, .constants = x->constants[i]};
  }
  return TD_OK;
}

void td_motion_change_free(td_motion_change* x) {
  for (int i = 0; i < x->nbase; i++) td_constants_change_free(x->constants[i]);
  free(x->constants);
  free(x->along);
  free(x->base);
  free(x->of);
  free(x->var);
  td_stop_change_free(&x->stops);
  free(x->block);
}

// A sample's part of the straight lines between the rows of the table, which go on beyond its ends.
double td_motion_change_weight(const td_motion_change* x, int i, double t) {
  if (x->of[i] < 0) return 0;
  if (x->by[i].kind != TD_BY_SAMPLE) return 1;
  const td_input_table* table = x->inputs;
  const int row = x->by[i].index / table->n, last = table->rows - 1;
  const double* at = table->t;
  if ((row == 0 && t <= at[0]) || (row == last && t >= at[last])) return 1;
  if (row > 0 && t > at[row - 1] && t <= at[row])
    return (t - at[row - 1]) / (at[row] - at[row - 1]);
  if (row < last && t >= at[row] && t < at[row + 1])
    return (at[row + 1] - t) / (at[row + 1] - at[row]);
  return 0;
}

td_direction td_motion_change_along(td_motion_change* x, int i, double t) {
  const td_model* m = x->model;
  memset(x->one_p, 0, (size_t)m->nparam * sizeof(double));
  memset(x->one_u, 0, (size_t)model_drives(m) * sizeof(double));
  const int at = x->of[i];
  const bool param = at >= 0 && x->base[at].kind == TD_BY_PARAM;
  if (param) x->one_p[x->base[at].index] = 1;
  if (at >= 0 && !param) x->one_u[x->base[at].index] = td_motion_change_weight(x, i, t);
  return (td_direction){
      .p = param ? x->one_p : NULL, .u = x->one_u, .constants = param ? x->constants[at] : NULL};
}

// ---- rates ------------------------------------------------------------------------------------

td_status td_motion_change_rates(td_motion_change* x, double t, const double* y, double* G) {
  td_motion* mo = x->motion;
  const td_model* m = x->model;
  const int k = x->k, nv = m->nvel;
  memset(G, 0, area(mo->ode.n, k) * sizeof(double));
  if (x->nbase == 0) return TD_OK;

  // along all parameters and inputs at once
  td_motion_unpack(mo, t, y);
  TD_TRY(td_rates_diff(m, mo->state, x->work, x->along, x->nbase, x->a, x->lambda, x->z));

  // each `by` with its weight
  for (int i = 0; i < k; i++) {
    const double weight = td_motion_change_weight(x, i, t);
    if (weight == 0) continue;
    const double *a = x->a + area(x->of[i], nv), *z = x->z + area(x->of[i], m->ninternal);
    for (int j = 0; j < mo->nv; j++) G[area(mo->nq + j, k) + (size_t)i] = weight * a[mo->iv[j]];
    for (int j = 0; j < mo->ninner; j++) G[area(inner_at(mo) + j, k) + (size_t)i] = weight * z[j];
  }
  return TD_OK;
}

// ---- the manifold -----------------------------------------------------------------------------

bool td_motion_change_is_free(const td_motion_change* x) {
  return x->model->nrow == 0 && !td_has_quaternions(x->model);
}

void td_motion_change_tangent(td_motion_change* x, double t, const double* y, const double* S) {
  td_motion* mo = x->motion;
  const td_model* m = x->model;
  const int k = x->k, nv = m->nvel, nq = m->npos;
  td_motion_unpack(mo, t, y);
  td_qdot_inverse(m, mo->state->q, x->Nplus);
  memset(x->theta, 0, area(k, nv) * sizeof(double));
  memset(x->rate, 0, area(k, nv) * sizeof(double));
  for (int c = 0; c < mo->nv; c++) {
    // θ = N⁺ s, over the few positions that a coordinate has
    const int v = mo->iv[c];
    for (int j = 0; j < mo->nq; j++) {
      const double w = x->Nplus[area(v, nq) + (size_t)mo->iq[j]];
      for (int i = 0; w != 0 && i < k; i++)
        x->theta[area(i, nv) + (size_t)v] += w * S[area(j, k) + (size_t)i];
    }
    for (int i = 0; i < k; i++)
      x->rate[area(i, nv) + (size_t)v] = S[area(mo->nq + c, k) + (size_t)i];
  }
  for (int i = 0; i < k && m->nmotion_slot > 0; i++) {
    const td_direction along = td_motion_change_along(x, i, t);
    td_prescribe_diff(m, mo->state, x->work, &along, x->theta + area(i, nv), x->rate + area(i, nv));
  }
}

// Positions s = N θ and rates of the tangent changes.
static void put_tangent(td_motion_change* x, double* S) {
  td_motion* mo = x->motion;
  const int k = x->k, nv = x->model->nvel;
  td_qdot_matrix(x->model, mo->state->q, x->N);
  memset(S, 0, area(mo->nq, k) * sizeof(double));
  for (int j = 0; j < mo->nq; j++)
    for (int c = 0; c < mo->nv; c++) {
      const double w = x->N[area(mo->iq[j], nv) + (size_t)mo->iv[c]];
      for (int i = 0; w != 0 && i < k; i++)
        S[area(j, k) + (size_t)i] += w * x->theta[area(i, nv) + (size_t)mo->iv[c]];
    }
  for (int c = 0; c < mo->nv; c++)
    for (int i = 0; i < k; i++)
      S[area(mo->nq + c, k) + (size_t)i] = x->rate[area(i, nv) + (size_t)mo->iv[c]];
}

// The least changes that keep the constraints and their rates: J δθ = -δe, J δv = -δė.  `rates`:
// the rates in the metric of the mass matrix.
static td_status onto_constraints(td_motion_change* x, double t, bool rates) {
  td_motion* mo = x->motion;
  const td_model* m = x->model;
  const int k = x->k, nv = m->nvel, nr = m->nrow;
  for (int order = 0; order < 2; order++) {
    for (int i = 0; i < k; i++) {
      td_direction along = td_motion_change_along(x, i, t);
      double* e = x->e + area(i, nr);
      along.q = x->theta + area(i, nv);
      along.v = x->rate + area(i, nv);
      TD_TRY(td_constraints_diff(m, mo->state, x->work, &along, NULL, order == 0 ? e : NULL,
                                 order == 1 ? e : NULL, NULL));
      for (int j = 0; j < nr; j++) e[j] = -e[j];
    }
    TD_TRY(
        td_projection_solve(m, mo->state, x->work, order == 1 && rates, NULL, x->e, k, x->x, NULL));
    double* to = order == 0 ? x->theta : x->rate;
    for (int i = 0; i < k * nv; i++) to[i] += x->x[i];
  }
  return TD_OK;
}

td_status td_motion_change_project(td_motion_change* x, double t, const double* y, double* S) {
  if (td_motion_change_is_free(x)) return TD_OK;
  td_motion_change_tangent(x, t, y, S);
  if (x->model->nrow > 0) TD_TRY(onto_constraints(x, t, false));
  put_tangent(x, S);
  return TD_OK;
}

// ---- impulses ---------------------------------------------------------------------------------
//
// Where speeds jump by Δv, by prescribed motion (p) or because written rates do not meet the
// constraints, impulses L of the constraints act on the free coordinates (f):
//
//   G = M_ff Δv_f + M_fp Δv_p - J_fᵀ L = 0      J v⁺ = b
//
// F(a, λ) = M a + h - τ - Jᵀλ is linear in a and λ, so that the change of G with v⁺ held is that of
// F(Δv, L) less that of F(0, 0), and
//
//   M_ff δv_f⁺ - J_fᵀ δL = -(δF(Δv, L) - δF(0, 0))_f      J_f δv_f⁺ = -δ(J v⁺ - b)
//
// with δa = -δv_f⁻ of the free, δv_p⁺ - δv_p⁻ of the prescribed coordinates.

// Refuse impulses that are more than those of constraints that always hold.
static td_status plain_impulses(td_motion_change* x, double t) {
  const td_model* m = x->model;
  const char* why = m->strains_timed ? "strains that are given over time"
                    : m->ntaut > 0   ? "cables that cannot be stretched"
                                     : NULL;
  for (int i = 0; i < m->nrow && why == NULL; i++)
    if (!m->row[i].projected) why = "constraints that are held by accelerations alone";
  if (why == NULL) return TD_OK;
  return td_motion_change_refuse(x,
                                 "at t = %.6g s speeds jump, and trajectories with %s are not "
                                 "differentiated across that: smooth it",
                                 t, why);
}

// Changes x->rate behind an impulse, at the state mo->state behind it.  x->theta has those of the
// coordinates, x->rate those of prescribed speeds (zero elsewhere), `slow` (k x nv) those of all
// speeds v0 before it.
static td_status behind_impulse(td_motion_change* x, double t, const double* v0,
                                const double* slow) {
  const td_model* m = x->model;
  const td_state* state = x->motion->state;
  const int k = x->k, nv = m->nvel, nr = m->nrow;
  const size_t N = (size_t)nv, K = (size_t)k;
  double* block = calloc(4 * N + 2 * (size_t)nr + 2 * K * N + 1, sizeof(double));
  if (block == NULL) return TD_E_NOMEM;
  double *jump = block, *none = jump + nv, *F = none + nv, *F0 = F + nv, *L = F0 + nv, *A = L + nr,
         *f = A + area(k, nv);

  // L from  M Δv = JᵀL
  for (int i = 0; i < nv; i++) jump[i] = state->v[i] - v0[i];
  td_status status = td_trial_residual(m, state, x->work, jump, NULL, F);
  if (status == TD_OK) status = td_trial_residual(m, state, x->work, none, NULL, F0);
  for (int i = 0; i < nv; i++) F[i] = m->vel[i].motion != NUM_NONE ? 0 : F[i] - F0[i];
  if (status == TD_OK && nr > 0) {
    status = td_projection_solve(m, state, x->work, true, F, NULL, 1, F0, L);
    for (int i = 0; i < nr; i++) L[i] = -L[i];
  }

  // right-hand sides
  for (int i = 0; i < k && status == TD_OK; i++) {
    td_direction along = td_motion_change_along(x, i, t);
    double *a = A + area(i, nv), *rhs = f + area(i, nv), *rate = x->rate + area(i, nv);
    for (int j = 0; j < nv; j++)
      a[j] = (m->vel[j].motion != NUM_NONE ? rate[j] : 0) - slow[area(i, nv) + (size_t)j];
    along.q = x->theta + area(i, nv);
    status = td_residual_diff(m, state, x->work, &along, none, NULL, F0);
    along.a = a;
    if (status == TD_OK) status = td_residual_diff(m, state, x->work, &along, jump, L, F);
    for (int j = 0; j < nv; j++) rhs[j] = m->vel[j].motion != NUM_NONE ? 0 : F0[j] - F[j];
    if (nr == 0 || status != TD_OK) continue;
    along.a = NULL;
    along.v = rate;
    double* e = x->e + area(i, nr);
    status = td_constraints_diff(m, state, x->work, &along, NULL, NULL, e, NULL);
    for (int j = 0; j < nr; j++) e[j] = -e[j];
  }
  if (status == TD_OK)
    status = td_projection_solve(m, state, x->work, true, f, x->e, k, x->x, NULL);
  for (int i = 0; i < k && status == TD_OK; i++)
    for (int j = 0; j < nv; j++)
      if (m->vel[j].motion == NUM_NONE)
        x->rate[area(i, nv) + (size_t)j] = x->x[area(i, nv) + (size_t)j];
  free(block);
  return status;
}

td_status td_motion_change_impulse(td_motion_change* x, double t, const double* before,
                                   const double* y, bool start, double* S) {
  const td_model* m = x->model;
  td_motion* mo = x->motion;
  const int k = x->k, nv = m->nvel;
  const double aside = td_motion_change_aside(t);
  TD_TRY(plain_impulses(x, t));
  double* slow = malloc((area(k, nv) + (size_t)nv + 1) * sizeof(double));
  if (slow == NULL) return TD_E_NOMEM;
  double* v0 = slow + area(k, nv);

  // before
  x->work->open_tables = start;
  x->work->placed = false;
  td_motion_change_tangent(x, t - aside, before, S);
  copy(slow, x->rate, k * nv);
  copy(v0, mo->state->v, nv);
  x->work->open_tables = x->work->placed = false;

  // behind
  td_motion_unpack(mo, t + aside, y);
  memset(x->rate, 0, area(k, nv) * sizeof(double));
  for (int i = 0; i < k && m->nmotion_slot > 0; i++) {
    const td_direction along = td_motion_change_along(x, i, t);
    td_prescribe_diff(m, mo->state, x->work, &along, x->theta + area(i, nv), x->rate + area(i, nv));
  }
  const td_status status = behind_impulse(x, t, v0, slow);
  free(slow);
  TD_TRY(status);
  put_tangent(x, S);
  return TD_OK;
}

// ---- the start --------------------------------------------------------------------------------

// Rates that td_state_initial() makes of the written ones: the free nodes of rods follow what
// carries them, and impulses of the constraints take a part (*taken).  The changes of the first are
// known where there is nothing to follow.
static td_status initial_rates(td_motion_change* x, double t, bool* taken) {
  const td_model* m = x->model;
  const td_state* state = x->motion->state;
  double written = 0, moved = 0, part = 0;
  for (int i = 0; i < m->nvel; i++) {
    if (m->vel[i].motion != NUM_NONE) continue;
    written = fmax(written, fabs(state->v[i]));
    part = fmax(part, fabs(state->v[i] - x->work->num[m->vel[i].init]));
  }
  for (int i = 0; i < x->k * m->nvel; i++) moved = fmax(moved, fabs(x->rate[i]));
  if (m->nnode > 0 && (written > 0 || moved > 0))
    return td_motion_change_refuse(
        x,
        "nodes of rods start with velocities that follow what carries them, which are "
        "not differentiated: take the start as given");
  *taken = m->nrow > 0 && part > 1e-9 * (1 + written);
  return *taken ? plain_impulses(x, t) : TD_OK;
}

// The changes of rates that impulses of the constraints have made of the written ones.
static td_status taken_rates(td_motion_change* x, double t) {
  const td_model* m = x->model;
  const int k = x->k, nv = m->nvel;
  double *v0 = malloc((area(k, nv) + (size_t)nv + 1) * sizeof(double)), *slow = v0 + nv;
  if (v0 == NULL) return TD_E_NOMEM;
  copy(slow, x->rate, k * nv);
  for (int j = 0; j < nv; j++) {
    const bool free_one = m->vel[j].motion == NUM_NONE;
    v0[j] = free_one ? x->work->num[m->vel[j].init] : x->motion->state->v[j];
    for (int i = 0; i < k && free_one; i++) x->rate[area(i, nv) + (size_t)j] = 0;
  }
  const td_status status = behind_impulse(x, t, v0, slow);
  free(v0);
  return status;
}

// Changes of an equilibrium that the motion starts from, in x->theta and S.
static td_status equilibrium(td_motion_change* x, double* S) {
  td_motion* mo = x->motion;
  const td_model* m = x->model;
  const int k = x->k, nv = m->nvel, nz = m->ninternal;
  if (largest(mo->state->v, (size_t)nv) > 0)
    return td_motion_change_refuse(x, "the state to start from is no equilibrium: it moves");

  // parameters and inputs, each once; a sample counts with its weight at the start
  double* dz = calloc(area(x->nbase, nz) + 1, sizeof(double));
  if (dz == NULL) return TD_E_NOMEM;
  const td_status status = td_equilibrium_gradient(m, mo->state, x->work, x->base, x->nbase, x->a,
                                                   NULL, nz > 0 ? dz : NULL, NULL, NULL);
  for (int i = 0; i < k && status == TD_OK; i++) {
    const double weight = td_motion_change_weight(x, i, mo->state->t);
    for (int j = 0; j < nv && weight != 0; j++)
      x->theta[area(i, nv) + (size_t)j] = weight * x->a[area(x->of[i], nv) + (size_t)j];
    for (int j = 0; j < nz && weight != 0; j++)
      S[area(inner_at(mo) + j, k) + (size_t)i] = weight * dz[area(x->of[i], nz) + (size_t)j];
  }
  free(dz);
  if (status != TD_OK)
    return td_motion_change_refuse(
        x, "the state to start from: %s",
        td_work_failure(x->work)[0] != '\0' ? td_work_failure(x->work) : td_status_text(status));
  return TD_OK;
}

td_status td_motion_change_start(td_motion_change* x, td_start start, double t, const double* y,
                                 double* S) {
  td_motion* mo = x->motion;
  const td_model* m = x->model;
  const int k = x->k, nv = m->nvel, nz = m->ninternal;
  memset(S, 0, area(mo->ode.n, k) * sizeof(double));
  td_motion_unpack(mo, t, y);
  memset(x->theta, 0, area(k, nv) * sizeof(double));
  memset(x->rate, 0, area(k, nv) * sizeof(double));

  // the state that is started from
  if (start == TD_START_EQUILIBRIUM) TD_TRY(equilibrium(x, S));
  for (int i = 0; i < k && start == TD_START_INITIAL; i++) {
    if (x->by[i].kind != TD_BY_PARAM) continue;
    const td_direction along = td_motion_change_along(x, i, t);
    double* z = x->column;
    const td_status status = td_state_initial_diff(m, x->work, along.p, x->theta + area(i, nv),
                                                   x->rate + area(i, nv), z);
    if (status != TD_OK) return td_motion_change_refuse(x, "%s", td_work_failure(x->work));
    for (int j = 0; j < nz; j++) S[area(inner_at(mo) + j, k) + (size_t)i] = z[j];
  }
  bool taken = false;
  if (start == TD_START_INITIAL) TD_TRY(initial_rates(x, t, &taken));

  // what is added to it
  for (int i = 0; i < k; i++) {
    const int at = x->by[i].index;
    if (x->by[i].kind == TD_BY_POSITION) x->theta[area(i, nv) + (size_t)at] += 1;
    if (x->by[i].kind == TD_BY_VELOCITY) x->rate[area(i, nv) + (size_t)at] += 1;
    if (x->by[i].kind == TD_BY_INTERNAL) S[area(inner_at(mo) + at, k) + (size_t)i] += 1;
  }
  td_motion_unpack(mo, t, y);
  for (int i = 0; i < k && m->nmotion_slot > 0; i++) {
    const td_direction along = td_motion_change_along(x, i, t);
    td_prescribe_diff(m, mo->state, x->work, &along, x->theta + area(i, nv), x->rate + area(i, nv));
  }
  if (taken)
    TD_TRY(taken_rates(x, t));
  else if (m->nrow > 0)
    TD_TRY(onto_constraints(x, t, start == TD_START_INITIAL));
  put_tangent(x, S);
  return TD_OK;
}
