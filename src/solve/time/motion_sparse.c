// The sparse maker of the linear systems of implicit steps (td_step_ops).  With F = M v' + h - τ -
// J'λ, K = dF/dq and C = dF/dv along the tangent directions, G the constraints' accelerations, the
// system (1 - γ J) [dq; dv] = [rq; rv] is
//
//   dq = E (rq + γ N dv)                                     E = (1 - γ d(N v)/dq)⁻¹
//   [ M + γ C + γ² K T      -J' ] [  dv  ]   [ M rv - γ K P rq  ]   P = N⁺ E,  T = P N
//   [ J + γ Gv + γ² Gq T     0  ] [ γ dλ ] = [ J rv - γ Gq P rq ]
//
// E, P and T are 1 but for unit quaternions, where q' = Ω q with Ω² = -|ω|²/4 makes E = (1 + γ Ω) /
// (1 + γ² |ω|²/4).
//
// Continuous controllers add W U to J, with W = dv'/du and U the feedback of the few inputs they
// set; the integrals z of task errors add the rows z' = -Jy dq.  With x0 the solution without W U
// and Y = (1 - γ J)⁻¹ W,  (1 - γ U Y) ξ = U x0,  x = x0 + γ Y ξ.
//
// Internal states w with w' = r(q, v, w) border the system: with B = dv'/dw, R = dr/d(q, v) and
// X = (1 - γ J)⁻¹ B the Schur complement is (1 - γ dr/dw - γ² R X) dw = rw + γ R x0,
// x = x0 + γ X dw.
#include <math.h>
#include <string.h>

#include "engine/sparse_engine.h"
#include "math/dense.h"
#include "solve/time/motion.h"
#include "solve/vectors.h"

typedef struct sparse_motion {
  sparse_kkt *kkt, *mass;  // of the implicit step; of the accelerations, for products
  double *K, *C, *M;       // at the state linearised last
  double *J, *Gq, *Gv, *J2;
  double *rq, *rv, *d, *f, *g;  // (nq), (nv), (nv), (nv), (nrow)
  double *q, *v;                // that state
  double gamma;
  bool mass_ready;
  // feedback of controllers; empty without
  int nfed, *fed;  // inputs that follow the state (at most nu)
  int* pivot;
  double *Jy, *Y, *S, *xi, *change;  // nz x nv, nfed x n, nfed x nfed, nfed, nz
  void* feedback;
  // internal states; empty without
  double *force, *drive;     // dF/dw (nv x ninner) and dG/dw (nrow x ninner), negative
  double *X, *S_inner, *dw;  // ninner x (nq + nv), ninner x ninner, ninner
  int* pivot_inner;
} sparse_motion;

void td_sparse_motion_free(sparse_motion* s) {
  if (s == NULL) return;
  td_sparse_kkt_free(s->kkt);
  td_sparse_kkt_free(s->mass);
  free(s->K);
  free(s->force);
  free(s->pivot_inner);
  free(s->feedback);
  free(s);
}

// Allocate Jy, Y, S = 1 - γ U Y and the vectors of the feedback of controllers.
td_status td_sparse_motion_control(td_motion* m) {
  sparse_motion* s = m->sparse;
  const size_t nu = (size_t)m->size.nu, nv = (size_t)m->size.nv, nz = (size_t)m->nz;
  const size_t doubles = nz * nv + nu * (size_t)m->ode.n + nu * nu + nu + nz;
  s->feedback = calloc(doubles * sizeof(double) + 2 * nu * sizeof(int) + 1, 1);
  if (s->feedback == NULL) return TD_E_NOMEM;
  s->Jy = s->feedback;
  s->Y = s->Jy + nz * nv;
  s->S = s->Y + nu * (size_t)m->ode.n;
  s->xi = s->S + nu * nu;
  s->change = s->xi + nu;
  s->fed = (int*)(void*)(s->change + nz);
  s->pivot = s->fed + nu;
  return TD_OK;
}

// Compute and keep everything of J at (t, y) that does not depend on γ: K, C, M, J, Gq, Gv, the
// derivatives by internal states, and the feedback U, W, Jy of controllers.
static td_status linearise(void* ctx, double t, const double* y) {
  td_motion* m = ctx;
  sparse_motion* s = m->sparse;
  td_motion_unpack(m, t, y);
  TD_TRY(m->controlled);
  TD_TRY(td_trial_dynamics(m->model, m->state, m->work));
  td_sparse_tangent(m->model, m->work, td_work_vdot(m->work), td_work_lambda(m->work), s->K, s->C,
                    s->M);
  if (m->size.nconstraint > 0) {
    td_sparse_rows(m->model, m->work, s->J);
    td_sparse_row_tangent(m->model, m->work, td_work_vdot(m->work), s->Gq, s->Gv);
  }
  memcpy(s->q, m->state->q, (size_t)m->size.nq * sizeof(double));
  memcpy(s->v, m->state->v, (size_t)m->size.nv * sizeof(double));
  s->mass_ready = false;

  // derivatives of the equations of motion by internal states, and of the rates of these
  const int nv = m->size.nv, nu = m->size.nu, nz = m->nz, n = m->ninner;
  const int all = model_drives(m->model);
  if (n > 0) {
    td_trial_internal_tangent(m->model, m->state, m->work, m->Rq, m->Rv, m->Ru);
    td_trial_input_map(m->model, m->state, m->work, m->du);
  }
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < nv; i++)
      s->force[area(i, n) + (size_t)k] = m->du[area(i, all) + (size_t)(nu + k)];
    for (int i = 0; i < m->size.nconstraint; i++)
      s->drive[area(i, n) + (size_t)k] = td_row_input(m->model, m->work, i, nu + k);
  }

  // feedback of controllers: U (m->uq, uv, uz), Jy, and W (m->du) of the inputs that follow the
  // state
  if (m->control == NULL) return TD_OK;
  td_control_slopes(m->control, m->state, m->uq, m->uv, m->uz);
  if (nz > 0) memcpy(s->Jy, td_control_jacobian(m->control), area(nz, nv) * sizeof(double));
  s->nfed = 0;
  for (int u = 0; u < nu; u++) {
    const double *q = m->uq + area(u, nv), *v = m->uv + area(u, nv);
    bool follows = false;
    for (int i = 0; i < nv && !follows; i++) follows = q[i] != 0 || v[i] != 0;
    for (int i = 0; i < nz && !follows; i++) follows = m->uz[u * nz + i] != 0;
    if (follows) s->fed[s->nfed++] = u;
  }
  return s->nfed > 0 ? td_input_accelerations(m->model, m->state, m->work, m->du) : TD_OK;
}

// ---- unit quaternions -------------------------------------------------------------------------

// E r, in place
static void relax(const sparse_motion* s, const model_hop* hop, double* r) {
  const double* v = s->v + hop->v;
  double rate[4], w2 = 0;
  for (int k = 0; k < hop->nv; k++) w2 += v[k] * v[k];
  td_hop_rate(hop, r, v, rate);
  for (int k = 0; k < hop->nq; k++)
    r[k] = (r[k] + s->gamma * rate[k]) / (1 + s->gamma * s->gamma * w2 / 4);
}

// N⁺ r = 4 N'r / |q|²
static void along(const sparse_motion* s, const model_hop* hop, const double* r, double* d) {
  const double* q = s->q + hop->q;
  double n2 = 0;
  for (int k = 0; k < hop->nq; k++) n2 += q[k] * q[k];
  for (int k = 0; k < hop->nv; k++) {
    const double e[3] = {k == 0, k == 1, k == 2};
    double rate[4];
    td_hop_rate(hop, q, e, rate);
    d[k] = 0;
    for (int c = 0; c < hop->nq; c++) d[k] += 4 * rate[c] * r[c] / n2;
  }
}

// d = P r for all coordinates; r becomes E r
static void tangent_part(const td_motion* m, double* r, double* d) {
  const td_model* model = m->model;
  for (int i = 0; i < model->nvel; i++)
    d[i] = model->vel[i].partner >= 0 ? r[model->vel[i].partner] : 0;
  for (int i = 0; td_has_quaternions(model) && i < model->nhop; i++) {
    const model_hop* hop = &model->hop[i];
    if (!has_quaternion(hop)) continue;
    relax(m->sparse, hop, r + hop->q);
    along(m->sparse, hop, r + hop->q, d + hop->v);
  }
}

// ---- the implicit step ------------------------------------------------------------------------

// Columns of the quaternions in a block column J (height x its size), times T in place
static void turn_block(const td_motion* m, int J, double* column, int height) {
  const td_model* model = m->model;
  const sparse_motion* s = m->sparse;
  for (int t = model->block_tree_at[J]; t < model->block_tree_at[J + 1]; t++) {
    const int tree = model->block_tree[t];
    for (int h = model->tree[tree]; h < model->tree[tree + 1]; h++) {
      const model_hop* hop = &model->hop[h];
      if (!has_quaternion(hop)) continue;

      // T = P N
      double T[3][3];
      for (int k = 0; k < hop->nv; k++) {
        const double e[3] = {k == 0, k == 1, k == 2};
        double r[4], d[3];
        td_hop_rate(hop, s->q + hop->q, e, r);
        relax(s, hop, r);
        along(s, hop, r, d);
        for (int j = 0; j < hop->nv; j++) T[j][k] = d[j];
      }

      for (int i = 0; i < height; i++) {
        double x[3] = {0, 0, 0}, *at = column + model->v_local[hop->v] * height + i;
        for (int k = 0; k < hop->nv; k++)
          for (int j = 0; j < hop->nv; j++) x[k] += at[j * height] * T[j][k];
        for (int k = 0; k < hop->nv; k++) at[k * height] = x[k];
      }
    }
  }
}

// Block column J of M + γ C + γ² K T
static void step_column(void* ctx, int J, double* column) {
  const td_motion* m = ctx;
  const sparse_motion* s = m->sparse;
  const td_pattern b = model_blocks(m->model);
  const int height = block_height(&b, J), n = block_size(&b, J), first = b.base[J];
  const double g = s->gamma;
  for (int i = 0; i < height * n; i++) column[i] = g * g * s->K[first + i];
  if (td_has_quaternions(m->model)) turn_block(m, J, column, height);
  for (int i = 0; i < height * n; i++) column[i] += g * s->C[first + i];
  const double* M = s->M + m->model->mass_base[J];
  double* own = column + b.offset[block_find(&b, J, J)];
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) own[j * height + i] += M[j * n + i];
}

// ---- products ---------------------------------------------------------------------------------

// g += scale (rows x)
static void add_rows(const td_model* m, const double* rows, double scale, const double* x,
                     double* g) {
  for (int r = 0; r < m->nrow; r++) {
    const double* at = rows + m->row_base[r];
    for (int k = m->row_block_at[r]; k < m->row_block_at[r + 1]; k++)
      for (int i = m->block_at[m->row_block[k]]; i < m->block_at[m->row_block[k] + 1]; i++)
        g[r] += scale * *at++ * x[m->index_v[i]];
  }
}

static void read_y(td_motion* m, const double* y) {
  sparse_motion* s = m->sparse;
  memset(s->rq, 0, (size_t)m->size.nq * sizeof(double));
  memset(s->rv, 0, (size_t)m->size.nv * sizeof(double));
  for (int i = 0; i < m->nq; i++) s->rq[m->iq[i]] = y[i];
  for (int i = 0; i < m->nv; i++) s->rv[m->iv[i]] = y[m->nq + i];
}

// dq along the tangent directions (s->d) and dv (s->rv) of a change x of the unknowns
static void displacement(td_motion* m, const double* x) {
  sparse_motion* s = m->sparse;
  const double gamma = s->gamma;
  read_y(m, x);
  s->gamma = 0;  // N⁺ dq, not P dq
  tangent_part(m, s->rq, s->d);
  s->gamma = gamma;
}

// Change of each input that follows the state: U x
static void follow(td_motion* m, const double* x, double* xi) {
  const sparse_motion* s = m->sparse;
  const int nv = m->size.nv;
  const double* z = x + integrals_at(m);
  displacement(m, x);
  for (int k = 0; k < s->nfed; k++) {
    const int u = s->fed[k];
    xi[k] = inner(m->uq + area(u, nv), s->d, nv) + inner(m->uv + area(u, nv), s->rv, nv) +
            inner(m->uz + area(u, m->nz), z, m->nz);
  }
}

// Change of each task value: Jy dq
static void task_changes(td_motion* m, const double* x, double* change) {
  const sparse_motion* s = m->sparse;
  displacement(m, x);
  for (int i = 0; i < m->nz; i++) change[i] = inner(s->Jy + area(i, m->size.nv), s->d, m->size.nv);
}

// Positions and velocities of (1 - γ J) x = b in place.  Where forces and drives of the rows are
// given (not NULL), they stand in place of those of the velocities in b.
static void solve_motion(td_motion* m, double* b, const double* force, const double* drive,
                         int stride) {
  sparse_motion* s = m->sparse;
  const double gamma = s->gamma;
  read_y(m, b);
  tangent_part(m, s->rq, s->d);
  td_sparse_mass_mul(m->model, s->M, s->rv, s->f);
  for (int i = 0; force != NULL && i < m->size.nv; i++) s->f[i] = force[i * stride];
  td_sparse_mul_add(m->model, s->K, -gamma, s->d, s->f);
  td_sparse_clear_given(m->model, s->f);
  memset(s->g, 0, (size_t)m->size.nconstraint * sizeof(double));
  for (int i = 0; drive != NULL && i < m->size.nconstraint; i++) s->g[i] = drive[i * stride];
  if (force == NULL) add_rows(m->model, s->J, 1, s->rv, s->g);
  add_rows(m->model, s->Gq, -gamma, s->d, s->g);
  td_sparse_kkt_solve(s->kkt, s->f, s->g, s->rv, NULL);

  // dq = E rq + γ E N dv; E rq is in rq
  td_qdot(m->model, s->q, s->rv, m->qdot);
  for (int i = 0; td_has_quaternions(m->model) && i < m->model->nhop; i++)
    if (has_quaternion(&m->model->hop[i]))
      relax(s, &m->model->hop[i], m->qdot + m->model->hop[i].q);
  for (int i = 0; i < m->nq; i++) b[i] = s->rq[m->iq[i]] + gamma * m->qdot[m->iq[i]];
  for (int i = 0; i < m->nv; i++) b[m->nq + i] = s->rv[m->iv[i]];
}

// Change of the rate of each internal state with positions and velocities: R x
static void inner_changes(td_motion* m, const double* x, double* change) {
  const sparse_motion* s = m->sparse;
  const int nv = m->size.nv;
  displacement(m, x);
  for (int i = 0; i < m->ninner; i++)
    change[i] = inner(m->Rq + area(i, nv), s->d, nv) + inner(m->Rv + area(i, nv), s->rv, nv);
}

// (1 - γ J) x = b in place, without the feedback of controllers
static void solve_open(td_motion* m, double* b) {
  sparse_motion* s = m->sparse;
  const double gamma = s->gamma;
  const int target = m->nq + m->nv, first = inner_at(m), z = integrals_at(m), n = m->ninner;
  solve_motion(m, b, NULL, NULL, 0);
  if (n > 0) {
    inner_changes(m, b, s->dw);
    for (int i = 0; i < n; i++) b[first + i] += gamma * s->dw[i];
    td_lu_solve(s->S_inner, s->pivot_inner, n, b + first, 1);
    for (int k = 0; k < n; k++)
      for (int i = 0; i < target; i++)
        b[i] += gamma * b[first + k] * s->X[area(k, target) + (size_t)i];
  }
  // targets come as [value, rate]
  for (int i = target; i < first; i += 2) b[i] += gamma * b[i + 1];
  if (m->nz == 0) return;
  task_changes(m, b, s->change);
  for (int i = 0; i < m->nz; i++) b[z + i] -= gamma * s->change[i];
}

// Factor the system for one γ: the KKT matrix of the motion, then the Schur complements of internal
// states and of fed-back inputs.  TD_E_SINGULAR if one of them is.
static td_status factor(void* ctx, double gamma) {
  td_motion* m = ctx;
  sparse_motion* s = m->sparse;
  const td_model* model = m->model;
  const int rows = row_values(model), all = model_drives(model), nu = m->size.nu;
  // not before it is wanted: explicit steps and leaps never factor
  if (s->kkt == NULL) s->kkt = td_sparse_kkt_new(model, false, true);
  if (s->kkt == NULL) return TD_E_NOMEM;
  s->gamma = gamma;

  // the rows J + γ Gv + γ² Gq T: one number per row and DOF
  for (int i = 0; i < rows; i++) s->J2[i] = gamma * gamma * s->Gq[i];
  for (int r = 0; td_has_quaternions(model) && r < model->nrow; r++) {
    double* at = s->J2 + model->row_base[r];
    for (int k = model->row_block_at[r]; k < model->row_block_at[r + 1]; k++) {
      const int block = model->row_block[k];
      turn_block(m, block, at, 1);
      at += model->block_at[block + 1] - model->block_at[block];
    }
  }
  for (int i = 0; i < rows; i++) s->J2[i] += s->J[i] + gamma * s->Gv[i];
  TD_TRY(td_sparse_kkt_factor_by(s->kkt, step_column, m, s->J, s->J2));

  // the response X to each internal state, and their Schur complement
  const int ni = m->ninner, moving = m->nq + m->nv;
  for (int k = 0; k < ni; k++) {
    double* X = s->X + area(k, moving);
    memset(X, 0, (size_t)moving * sizeof(double));
    solve_motion(m, X, s->force + k, s->drive + k, ni);
    inner_changes(m, X, s->dw);
    for (int i = 0; i < ni; i++)
      s->S_inner[i * ni + k] =
          (i == k) - gamma * m->Ru[area(i, all) + (size_t)(nu + k)] - gamma * gamma * s->dw[i];
  }
  if (ni > 0 && td_lu(s->S_inner, ni, s->pivot_inner) != 0) return TD_E_SINGULAR;

  // the response Y to each input that follows the state, and 1 - γ U Y
  const int n = m->ode.n, nf = s->nfed;
  for (int k = 0; k < nf; k++) {
    double* Y = s->Y + area(k, n);
    memset(Y, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < m->nv; i++) Y[m->nq + i] = m->du[area(m->iv[i], all) + (size_t)s->fed[k]];
    for (int i = 0; i < ni; i++) Y[inner_at(m) + i] = m->Ru[area(i, all) + (size_t)s->fed[k]];
    solve_open(m, Y);
    follow(m, Y, s->xi);
    for (int i = 0; i < nf; i++) s->S[i * nf + k] = (i == k) - gamma * s->xi[i];
  }
  return nf > 0 && td_lu(s->S, nf, s->pivot) != 0 ? TD_E_SINGULAR : TD_OK;
}

static void solve(void* ctx, double* b) {
  td_motion* m = ctx;
  sparse_motion* s = m->sparse;
  solve_open(m, b);
  if (s->nfed == 0) return;
  follow(m, b, s->xi);
  td_lu_solve(s->S, s->pivot, s->nfed, s->xi, 1);
  for (int k = 0; k < s->nfed; k++)
    for (int i = 0; i < m->ode.n; i++)
      b[i] += s->gamma * s->xi[k] * s->Y[area(k, m->ode.n) + (size_t)i];
}

// y = J x at the linearised state, γ = 0.  For the motion, d = N⁺ dq:
//
//   dq' = N dv + d(N v)/dq dq
//   M dv' - J'dλ = -(K d + C dv) + dF/dw dw,     J dv' = -(Gq d + Gv dv) + dG/dw dw
//
// and the rates of integrated controls, internal states w and task integrals behind it.  Factors
// the mass matrix with the constraints at the first call after linearise().
static td_status product(void* ctx, const double* x, double* y) {
  td_motion* m = ctx;
  sparse_motion* s = m->sparse;

  // factors of [M -J'; J 0], kept until the next linearisation
  if (!s->mass_ready) TD_TRY(td_sparse_kkt_factor(s->mass, s->M, s->J, s->J));
  s->mass_ready = true;
  s->gamma = 0;

  // right-hand side of the motion: f = -(K d + C dv)
  read_y(m, x);
  tangent_part(m, s->rq, s->d);
  memset(s->f, 0, (size_t)m->size.nv * sizeof(double));
  memset(s->g, 0, (size_t)m->size.nconstraint * sizeof(double));
  td_sparse_mul_add(m->model, s->K, -1, s->d, s->f);
  td_sparse_mul_add(m->model, s->C, -1, s->rv, s->f);

  // rates of internal states by q and v, and the forces and row accelerations of internal states
  if (m->ninner > 0) {
    inner_changes(m, x, y + inner_at(m));
    read_y(m, x);
    tangent_part(m, s->rq, s->d);
  }
  for (int k = 0; k < m->ninner; k++) {
    const double w = x[inner_at(m) + k];
    for (int i = 0; i < m->size.nv; i++) s->f[i] += w * s->force[i * m->ninner + k];
    for (int i = 0; i < m->size.nconstraint; i++) s->g[i] += w * s->drive[i * m->ninner + k];
  }

  // rows of the constraints; prescribed coordinates have no equation
  td_sparse_clear_given(m->model, s->f);
  add_rows(m->model, s->Gq, -1, s->d, s->g);
  add_rows(m->model, s->Gv, -1, s->rv, s->g);

  // q' = N dv, and d(N v)/dq dq of unit quaternions
  td_qdot(m->model, s->q, s->rv, m->qdot);
  for (int i = 0; td_has_quaternions(m->model) && i < m->model->nhop; i++) {
    const model_hop* hop = &m->model->hop[i];
    double rate[4];
    if (!has_quaternion(hop)) continue;
    td_hop_rate(hop, s->rq + hop->q, s->v + hop->v, rate);
    for (int k = 0; k < hop->nq; k++) m->qdot[hop->q + k] += rate[k];
  }

  // v' from the saddle-point system, then both into y
  td_sparse_kkt_solve(s->mass, s->f, s->g, s->rv, NULL);
  for (int i = 0; i < m->nq; i++) y[i] = m->qdot[m->iq[i]];
  for (int i = 0; i < m->nv; i++) y[m->nq + i] = s->rv[m->iv[i]];

  // integrated controls [x, x'], and rates of internal states by internal states
  const int target = m->nq + m->nv, first = inner_at(m), z = integrals_at(m);
  for (int i = target; i < first; i += 2) {
    y[i] = x[i + 1];
    y[i + 1] = 0;
  }
  const int all = model_drives(m->model);
  for (int i = 0; i < m->ninner; i++)
    for (int k = 0; k < m->ninner; k++)
      y[first + i] += m->Ru[area(i, all) + (size_t)(m->size.nu + k)] * x[first + k];

  // what controllers add: z' = -Jy dq, and W U x
  if (m->nz > 0) task_changes(m, x, y + z);
  for (int i = 0; i < m->nz; i++) y[z + i] = -y[z + i];
  if (s->nfed > 0) follow(m, x, s->xi);
  for (int k = 0; k < s->nfed; k++) {
    for (int i = 0; i < m->nv; i++)
      y[m->nq + i] += s->xi[k] * m->du[area(m->iv[i], all) + (size_t)s->fed[k]];
    for (int i = 0; i < m->ninner; i++)
      y[first + i] += s->xi[k] * m->Ru[area(i, all) + (size_t)s->fed[k]];
  }
  return TD_OK;
}

static const td_step_ops sparse_ops = {linearise, product, factor, solve};

// Allocate the sparse matrices of a motion and install td_step_ops in its ode.  On TD_E_NOMEM
// td_motion_free() releases what was made.
td_status td_sparse_motion_new(td_motion* m) {
  const td_model* model = m->model;
  const td_pattern b = model_blocks(model);
  const size_t values = (size_t)blocks_values(&b), rows = (size_t)row_values(model);
  const size_t nq = (size_t)m->size.nq, nv = (size_t)m->size.nv, nc = (size_t)m->size.nconstraint;
  sparse_motion* s = m->sparse = calloc(1, sizeof *s);
  if (s == NULL) return TD_E_NOMEM;
  const size_t doubles =
      2 * values + (size_t)mass_values(model) + 4 * rows + 2 * nq + 4 * nv + nc + 1;
  s->K = calloc(doubles, sizeof(double));
  s->mass = td_sparse_kkt_new(model, true, true);
  if (s->K == NULL || s->mass == NULL) return TD_E_NOMEM;
  s->C = s->K + values;
  s->M = s->C + values;
  s->J = s->M + mass_values(model);
  s->Gq = s->J + rows;
  s->Gv = s->Gq + rows;
  s->J2 = s->Gv + rows;
  s->rq = s->J2 + rows;
  s->q = s->rq + nq;
  s->v = s->q + nq;
  s->rv = s->v + nv;
  s->d = s->rv + nv;
  s->f = s->d + nv;
  s->g = s->f + nv;
  if (m->ninner > 0) {
    const size_t n = (size_t)m->ninner;
    s->force = calloc(n * (nv + nc) + n * (size_t)(m->nq + m->nv) + n * n + n, sizeof(double));
    s->pivot_inner = calloc(n, sizeof(int));
    if (s->force == NULL || s->pivot_inner == NULL) return TD_E_NOMEM;
    s->drive = s->force + n * nv;
    s->X = s->drive + n * nc;
    s->S_inner = s->X + n * (size_t)(m->nq + m->nv);
    s->dw = s->S_inner + n * n;
  }
  m->ode.linear = &sparse_ops;
  return TD_OK;
}
