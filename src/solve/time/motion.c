// The right-hand side, Jacobian, projection and switching functions of a model's motion, in terms
// of engine.h.
#include "solve/time/motion.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/lattice.h"
#include "math/dense.h"
#include "model/model.h"
#include "solve/vectors.h"

void td_motion_recall(const td_motion* m, double* y) {
  const bool used = m->control != NULL && m->state->memory[0] == 1;
  for (int i = 0; i < m->nz; i++) y[integrals_at(m) + i] = used ? m->state->memory[1 + i] : 0;
}

void td_motion_show(td_motion* m, double t, const double* y, td_state* to) {
  td_motion_unpack(m, t, y);
  td_state_copy(m->model, m->state, to);
  to->t = t;
  td_prescribe(m->model, m->work, to);
  memcpy(to->v, m->state->v, (size_t)m->size.nv * sizeof(double));
}

// v' and, if wanted, the power from the code or without frames; NULL: ask the engine.
static const double* from_code(td_motion* m, double* power) {
  const td_code* c = m->code;
  if (c == NULL && m->lattice != NULL &&
      td_lattice_forward(m->lattice, m->state, m->work, m->vdot, power))
    return m->vdot;
  if (c == NULL || (power != NULL && !c->has_power)) return NULL;
  const double* targets = m->ntarget > 0 ? td_targets(m->work) : NULL;
  const bool done = c->forward(c->user, m->state, targets, m->vdot, power) == 0;
  return done && all_finite(m->vdot, (size_t)m->size.nv) ? m->vdot : NULL;
}

// q' of these positions and velocities.
static void drift(void* ctx, const double* q, const double* w, double* qdot) {
  td_motion* m = ctx;
  if (m->lattice != NULL) {  // all that moves is free
    td_lattice_drift(m->lattice, q, w, qdot);
    return;
  }
  for (int i = 0; i < m->nq; i++) m->state->q[m->iq[i]] = q[i];
  for (int i = 0; i < m->nv; i++) m->state->v[m->iv[i]] = w[i];
  td_qdot(m->model, m->state->q, m->state->v, m->qdot);
  for (int i = 0; i < m->nq; i++) qdot[i] = m->qdot[m->iq[i]];
}

static td_status rates(td_motion* m, double t, const double* y, double* ydot, double* power) {
  td_motion_unpack(m, t, y);
  TD_TRY(m->controlled);
  const double* vdot = from_code(m, power);
  if (vdot == NULL) {
    TD_TRY(td_trial_dynamics(m->model, m->state, m->work));
    if (power != NULL) *power = td_power_placed(m->model, m->work);
    vdot = td_work_vdot(m->work);
  }
  drift(m, y, y + m->nq, ydot);
  gather(m->iv, m->nv, m->size.nv, vdot, ydot + m->nq);
  const int k = m->nq + m->nv;
  if (m->ntarget > 0) td_target_rates(m->model, m->state, m->work, y + k, ydot + k);
  for (int i = 0; i < m->ninner; i++) ydot[inner_at(m) + i] = td_work_rates(m->model, m->work)[i];
  if (m->nz > 0)
    memcpy(ydot + integrals_at(m), td_control_integrand(m->control),
           (size_t)m->nz * sizeof(double));
  return TD_OK;
}

// Whether each position's rate is the velocity of the same number.
static bool is_straight(const td_motion* m) {
  bool straight = m->nq == m->nv;
  for (int i = 0; i < m->nq && straight; i++)
    straight = m->model->vel[m->iv[i]].partner == m->iq[i];
  return straight;
}

static td_status states(void* ctx, double t, const double* y, double* ydot) {
  return rates(ctx, t, y, ydot, NULL);
}

static td_status rhs(void* ctx, double t, const double* y, double* ydot) {
  td_motion* m = ctx;
  return rates(m, t, y, ydot, &ydot[m->ode.n]);
}

static td_status integrals(void* ctx, double t, const double* y, double* power) {
  td_motion* m = ctx;
  td_motion_unpack(m, t, y);
  TD_TRY(m->controlled);
  if (from_code(m, power) != NULL) return TD_OK;
  if (!td_power_needs_motion(m->model)) {
    *power = td_power_unmoved(m->model, m->state, m->work);
    return TD_OK;
  }
  TD_TRY(td_trial_dynamics(m->model, m->state, m->work));
  *power = td_power_placed(m->model, m->work);
  return TD_OK;
}

// The forces are still there; code is asked again.
static td_status latest(void* ctx, double* power) {
  td_motion* m = ctx;
  if (from_code(m, power) == NULL) *power = td_power_placed(m->model, m->work);
  return TD_OK;
}

// dv'/dq is given along the tangent directions; with N+ N = 1 the chart's columns are (dv'/dq) N+.
static void acceleration_rows(const td_motion* m, double* J) {
  const int n = m->ode.n, nv = m->size.nv, nq = m->size.nq;
  for (int i = 0; i < m->nv; i++) {
    double* row = J + (size_t)(m->nq + i) * (size_t)n;
    const double *dq = m->dq + m->iv[i] * nv, *dv = m->dv + m->iv[i] * nv;
    for (int j = 0; j < m->nq; j++) {
      double sum = 0;
      for (int k = 0; k < nv; k++) sum += dq[k] * m->Nplus[k * nq + m->iq[j]];
      row[j] = sum;
    }
    for (int j = 0; j < m->nv; j++) row[m->nq + j] = dv[m->iv[j]];
  }
}

static void rate_rows(const td_motion* m, double* J) {
  const int n = m->ode.n, nv = m->size.nv, nq = m->size.nq;
  for (int i = 0; i < m->nq; i++) {
    double* row = J + (size_t)i * (size_t)n;
    for (int j = 0; j < m->nq; j++) row[j] = m->dN[m->iq[i] * nq + m->iq[j]];
    for (int j = 0; j < m->nv; j++) row[m->nq + j] = m->N[m->iq[i] * nv + m->iv[j]];
  }
}

// Add the feedback of controllers, whose inputs follow the state: dv'/dx += dv'/du du/dx.  How the
// gains themselves change along the motion is left out; Newton's iteration does not need it.
static void close_loop(td_motion* m) {
  const int nv = m->size.nv, nu = m->size.nu, all = model_drives(m->model);
  td_control_slopes(m->control, m->state, m->uq, m->uv, m->uz);
  for (int i = 0; i < nv; i++)
    for (int k = 0; k < nu; k++) {
      const double w = m->du[i * all + k];
      for (int j = 0; w != 0 && j < nv; j++) {
        m->dq[i * nv + j] += w * m->uq[k * nv + j];
        m->dv[i * nv + j] += w * m->uv[k * nv + j];
      }
    }
  for (int i = 0; i < m->ninner; i++)
    for (int k = 0; k < nu; k++) {
      const double w = m->Ru[i * all + k];
      for (int j = 0; w != 0 && j < nv; j++) {
        m->Rq[i * nv + j] += w * m->uq[k * nv + j];
        m->Rv[i * nv + j] += w * m->uv[k * nv + j];
      }
    }
}

// Columns and rows of the internal states: dv'/dz, and their rates by everything.
static void inner_rows(const td_motion* m, double* J) {
  const int nv = m->size.nv, nu = m->size.nu, nq = m->size.nq, all = model_drives(m->model);
  const size_t n = (size_t)m->ode.n, first = (size_t)inner_at(m);
  for (int i = 0; i < m->ninner; i++) {
    double* row = J + (first + (size_t)i) * n;
    for (int r = 0; r < m->nv; r++)
      J[(size_t)(m->nq + r) * n + first + (size_t)i] = m->du[m->iv[r] * all + nu + i];
    for (int j = 0; j < m->nq; j++) {
      double sum = 0;
      for (int k = 0; k < nv; k++) sum += m->Rq[i * nv + k] * m->Nplus[k * nq + m->iq[j]];
      row[j] = sum;
    }
    for (int j = 0; j < m->nv; j++) row[m->nq + j] = m->Rv[i * nv + m->iv[j]];
    for (int j = 0; j < m->ninner; j++) row[first + (size_t)j] = m->Ru[i * all + nu + j];
    for (int j = 0; j < m->nz; j++) {
      double sum = 0;
      for (int k = 0; k < nu; k++) sum += m->Ru[i * all + k] * m->uz[k * m->nz + j];
      row[integrals_at(m) + j] = sum;
    }
  }
}

// Columns and rows of the integrals: dv'/dz, and z' = -J dq
static void integral_rows(const td_motion* m, double* J) {
  const int n = m->ode.n, nv = m->size.nv, nu = m->size.nu, nq = m->size.nq;
  const int first = integrals_at(m), all = model_drives(m->model);
  const double* Jy = td_control_jacobian(m->control);
  for (int i = 0; i < m->nz; i++) {
    for (int r = 0; r < m->nv; r++) {
      double sum = 0;
      for (int k = 0; k < nu; k++) sum += m->du[m->iv[r] * all + k] * m->uz[k * m->nz + i];
      J[(size_t)(m->nq + r) * (size_t)n + (size_t)(first + i)] = sum;
    }
    for (int j = 0; j < m->nq; j++) {
      double sum = 0;
      for (int k = 0; k < nv; k++) sum -= Jy[i * nv + k] * m->Nplus[k * nq + m->iq[j]];
      J[(size_t)(first + i) * (size_t)n + (size_t)j] = sum;
    }
  }
}

static td_status jacobian(void* ctx, double t, const double* y, double* J) {
  td_motion* m = ctx;
  const size_t n = (size_t)m->ode.n;
  td_motion_unpack(m, t, y);
  TD_TRY(m->controlled);
  TD_TRY(td_trial_forward_tangent(m->model, m->state, m->work, m->dq, m->dv, m->du));
  if (m->ninner > 0) td_trial_internal_tangent(m->model, m->state, m->work, m->Rq, m->Rv, m->Ru);
  if (m->control != NULL) close_loop(m);
  td_qdot_matrix(m->model, m->state->q, m->N);
  td_qdot_dq(m->model, m->state->q, m->state->v, m->dN);
  td_qdot_inverse(m->model, m->state->q, m->Nplus);

  memset(J, 0, n * n * sizeof(double));
  rate_rows(m, J);
  acceleration_rows(m, J);
  // targets come as [value, rate]
  for (int i = 0; i < m->ntarget; i += 2) {
    const size_t k = (size_t)(m->nq + m->nv + i);
    J[k * n + k + 1] = 1;
  }
  if (m->ninner > 0) inner_rows(m, J);
  if (m->control != NULL) integral_rows(m, J);
  return TD_OK;
}

// As far as rounding lets Newton's method go: near a singular position what is left is amplified.
static td_status project_positions(td_motion* m) {
  const td_status status = td_project_q(m->model, m->state, m->work, 1e-13);
  if (status != TD_E_DIVERGED) return status;
  double e, edot;
  td_constraint_error(m->model, m->state, m->work, &e, &edot);
  return e < m->projector.accept ? TD_OK : status;
}

static td_status project(void* ctx, double t, double* y) {
  td_motion* m = ctx;
  td_motion_unpack(m, t, y);
  td_normalise(m->model, m->state->q);
  const bool done = m->size.nconstraint == 0 ||
                    (m->lattice != NULL && td_lattice_project(m->lattice, m->state, m->work));
  if (!done) {
    TD_TRY(td_project_near(m->model, m->state, m->work, &m->projector));
    if (!m->model->sparse && m->work->rank.on && m->work->rank.most < m->size.nconstraint) {
      td_rank_keep(m->model, m->state, m->work, false);
    } else {
      td_rank_resize(m->work);
    }
    m->t_projected = t;
  }
  td_motion_pack(m, y);
  return TD_OK;
}

void td_motion_errors(td_motion* m, double* e, double* edot) {
  if (m->lattice == NULL || !td_lattice_error(m->lattice, m->state, m->work, e, edot))
    td_constraint_error(m->model, m->state, m->work, e, edot);
}

static void roots(void* ctx, double t, const double* y, double* g) {
  td_motion* m = ctx;
  td_motion_unpack(m, t, y);
  if (m->nevent > 0) td_event_values(m->model, m->state, m->work, g);
  if (m->nswitch > 0) td_switch_values(m->model, m->state, m->work, g + m->nevent);
  if (td_taut_count(m->model) > 0)
    td_taut_values(m->model, m->state, m->work, g + m->nevent + m->nswitch);
}

static void guards(void* ctx, double t, const double* y, double* gap, double* speed) {
  td_motion* m = ctx;
  td_motion_unpack(m, t, y);
  td_guard_values(m->model, m->state, m->work, gap, speed);
}

// Methods that solve for the end of a step evaluate there, but for the last correction.
static bool guards_near(void* ctx, const double* y0, double t, const double* y, double* gap,
                        double* speed) {
  const double part = 0.05;
  td_motion* m = ctx;
  const td_ode* ode = &m->ode;
  const td_work* w = m->work;
  if (!w->placed || !(fabs(w->t - t) <= 32 * DBL_EPSILON * fmax(fabs(t), 1e-6))) return false;
  for (int i = 0; i < m->nq + m->nv; i++) {
    const int j = i - m->nq;
    const double x = i < m->nq ? w->q[m->nq == m->size.nq ? i : m->iq[i]]
                               : w->v[m->nv == m->size.nv ? j : m->iv[j]];
    const double size = ode->size != NULL ? fmax(ode->size[i], fabs(y[i])) : fabs(y[i]);
    const double allowed = 10 * (ode->rtol * size + ode->atol) + part * fabs(y[i] - y0[i]);
    if (!(fabs(x - y[i]) <= allowed)) return false;
  }
  m->state->t = w->t;
  memcpy(m->state->q, w->q, (size_t)m->size.nq * sizeof(double));
  memcpy(m->state->v, w->v, (size_t)m->size.nv * sizeof(double));
  td_guard_values(m->model, m->state, m->work, gap, speed);
  return true;
}

static int peaks(void* ctx, double a, double b, int n, double* times, int most) {
  td_motion* m = ctx;
  return td_guard_peaks(m->model, m->work, a, b, n, times, most);
}

static void chatters(void* ctx, int guard, int times, double within) {
  td_motion* m = ctx;
  const int kink = guard - (td_guard_count(m->model) - m->model->nkink);
  td_text text = {0};
  if (kink >= 0) td_ex_print(m->model->graph, m->model->kink_ex[kink], TD_SYNTAX_OCTAVE, &text);
  td_work_fail(
      m->work,
      "%s%.80s%s changes its sign %d times within %.3g s and the force jumps each time: it "
      "chatters, as sign(v) does where friction holds still; write a smooth law such as "
      "tanh(v/0.001), or a contact with friction",
      kink >= 0 ? "in a force " : "a one-sided element", text.s != NULL ? text.s : "",
      text.n > 80 ? "..." : "", times, within);
  td_text_free(&text);
}

// Singular values of the constraint rows at the state, rows and columns scaled: their least tells
// how far from singular it is, whatever the units.
static bool find_singular(td_motion* m) {
  const int r = m->size.nconstraint, n = m->nv;
  double *row = m->sigma + m->size.nv, *col = row + r;
  td_constraint_scales(m->model, m->state, m->work, row, col);
  td_trial_constraints(m->model, m->state, m->work, m->Jc, NULL, NULL);
  for (int i = 0; i < r; i++)
    for (int j = 0; j < n; j++)
      m->Jc[i * n + j] = row[i] > 0 ? m->Jc[i * m->size.nv + m->iv[j]] * col[j] / row[i] : 0;
  return td_singular_values(m->Jc, r, n, m->sigma);
}

// Independent constraint rows at the state or near by, kept for the states that follow.
static int find_rank(td_motion* m) {
  td_rank_keep(m->model, m->state, m->work, true);
  return m->work->rank.most;
}

// Smallest singular value of as many constraint rows as were independent at the start.  Beside the
// constraints rows that depend on each other seem not to: look at the projected position.
static double regularity(void* ctx, double t, const double* y) {
  td_motion* m = ctx;
  td_motion_unpack(m, t, y);
  td_normalise(m->model, m->state->q);
  if (m->rank == 0 || project_positions(m) != TD_OK) return NAN;
  if (!find_singular(m)) return NAN;
  return m->sigma[m->rank - 1];
}

td_status td_motion_jump(td_motion* m, double t, double* y, double length, td_edge edge,
                         double* work, bool* moved) {
  *work = 0;
  *moved = false;
  if (m->model->nmotion_slot == 0 && !m->model->strains_timed) return TD_OK;
  if (edge != TD_EDGE_START) td_motion_unpack(m, t, y);  // at the start the state tells more
  m->state->t = t;
  TD_TRY(td_jump(m->model, m->state, m->work, td_jump_margin(t, length), edge, work, moved));
  m->t_jump = t;
  m->t_projected = NAN;
  m->work->open_tables = edge == TD_EDGE_END;
  m->work->placed = false;
  td_motion_pack(m, y);
  return TD_OK;
}

td_status td_motion_buckle(td_motion* m, double after, double* t, double* y) {
  td_motion_unpack(m, *t, y);
  const td_energies before = td_trial_energy(m->model, m->state, m->work);
  TD_TRY(td_buckle(m->model, m->state, m->work, after));
  const td_energies behind = td_trial_energy(m->model, m->state, m->work);
  *t = m->t_jump = m->state->t;
  m->t_projected = NAN;
  m->work->placed = false;
  td_motion_pack(m, y);
  y[m->ode.n] += behind.kinetic + behind.elastic + behind.gravity - before.kinetic -
                 before.elastic - before.gravity;
  if (m->ntarget > 0) td_target_initial(m->model, m->state, m->work, y + m->nq + m->nv);
  return TD_OK;
}

td_status td_motion_settle(td_motion* m, double t, double* y, double* work) {
  td_motion_unpack(m, nextafter(t, INFINITY), y);
  TD_TRY(m->controlled);
  const td_energies before = td_trial_energy(m->model, m->state, m->work);
  TD_TRY(td_taut_settle(m->model, m->state, m->work));
  const td_energies after = td_trial_energy(m->model, m->state, m->work);
  *work = after.kinetic - before.kinetic + after.elastic - before.elastic + after.gravity -
          before.gravity;
  td_motion_pack(m, y);
  if (m->ode.regularity != NULL) m->rank = find_rank(m);
  return TD_OK;
}

td_status td_motion_begin(td_motion* m, const td_state* from, double length, double* y) {
  double work;
  bool moved;
  td_state_copy(m->model, from, m->state);
  m->projector.ready = false;
  m->t_projected = m->t_jump = NAN;
  m->work->placed = false;
  m->work->taut_scale = 0;
  if (td_taut_count(m->model) > 0) td_taut_touching(m->model, m->state, m->work);
  td_motion_pack(m, y);
  td_motion_recall(m, y);
  // rods that must buckle take no impulse
  const bool stuck = td_stuck(m->model, m->state, m->work, from->t + length) > 0;
  if (!stuck) TD_TRY(td_motion_jump(m, from->t, y, length, TD_EDGE_START, &work, &moved));
  td_motion_unpack(m, from->t, y);
  if (m->ntarget > 0) td_target_initial(m->model, m->state, m->work, y + m->nq + m->nv);
  if (td_taut_count(m->model) > 0) TD_TRY(td_motion_settle(m, from->t, y, &work));
  if (m->ode.regularity != NULL) m->rank = find_rank(m);
  y[m->ode.n] = 0;
  return TD_OK;
}

void td_motion_free(td_motion* m) {
  if (m == NULL) return;
  if (m->work != NULL) td_rank_forget(m->work);
  td_sparse_motion_free(m->sparse);
  td_lattice_free(m->lattice);
  td_state_free(m->state);
  free(m->qdot);
  free(m->du);
  free(m->uq);
  free(m);
}

// Derivatives by inputs and internal states: of v' and of the rates of internal states.
static bool allocate_drives(td_motion* m) {
  const size_t nv = (size_t)m->size.nv, n = (size_t)m->ninner;
  const size_t all = (size_t)model_drives(m->model);
  m->du = malloc((nv * all + 2 * n * nv + n * all + 1) * sizeof(double));
  if (m->du == NULL) return false;
  m->Rq = m->du + nv * all;
  m->Rv = m->Rq + n * nv;
  m->Ru = m->Rv + n * nv;
  return true;
}

td_status td_motion_control(td_motion* m, td_control* control) {
  const size_t nv = (size_t)m->size.nv, nu = (size_t)m->size.nu;
  m->nz = td_task_count(m->model);
  m->uq = malloc((2 * nv * nu + nu * (size_t)m->nz + 1) * sizeof(double));
  if (m->uq == NULL || (m->du == NULL && !allocate_drives(m))) return TD_E_NOMEM;
  m->uv = m->uq + nv * nu;
  m->uz = m->uv + nv * nu;
  m->control = control;
  m->ode.n += m->nz;
  return m->sparse != NULL ? td_sparse_motion_control(m) : TD_OK;
}

// One block for all scratch: vectors, the matrices of the Jacobian, the constraint rows.
static bool allocate(td_motion* m) {
  const size_t nq = (size_t)m->size.nq, nv = (size_t)m->size.nv;
  const size_t nc = (size_t)m->size.nconstraint;
  const bool dense = !m->model->sparse;
  const size_t matrices = 2 * nv * nv + 2 * nq * nv + nq * nq + 3 * nc * nv + 2 * nc + 2 * nv;
  m->qdot = malloc((nq + nv + (dense ? matrices : 0)) * sizeof(double));
  m->state = td_state_new(m->model);
  if (m->qdot == NULL || m->state == NULL) return false;
  m->vdot = m->qdot + nq;
  if (!dense) return true;
  m->dq = m->vdot + nv;
  m->dv = m->dq + nv * nv;
  m->N = m->dv + nv * nv;
  m->Nplus = m->N + nq * nv;
  m->dN = m->Nplus + nq * nv;
  m->Jc = m->dN + nq * nq;
  m->projector.J = m->Jc + nc * nv;
  m->projector.B = m->projector.J + nc * nv;
  m->sigma = m->projector.B + nc * nv;
  return true;
}

// Nanoseconds that an evaluation takes, about: sections of rods and joints, their columns, what is
// wet, and the factors of a full mass matrix.
static double work_of(const td_model* m) {
  const double n = m->nvel, factors = m->recursive && m->nrow == 0 ? 0 : n * n * n / 6;
  return 500 + 100.0 * m->nhop + 50.0 * m->ncol + 200.0 * m->nwet + factors;
}

static td_ode describe(td_motion* m, double rtol, double atol) {
  const bool invariants = m->size.nconstraint > 0 || td_has_quaternions(m->model);
  return (td_ode){.ctx = m,
                  .n = m->nq + m->nv + m->ntarget + m->ninner,
                  .nquad = 1,
                  .nroot = m->nevent + m->nswitch + td_taut_count(m->model),
                  .rtol = rtol,
                  .atol = atol,
                  .h_fixed = m->model->settings[5],
                  .npos = m->nq,
                  .inner = inner_at(m),
                  .ninner = m->ninner,
                  .constrained = m->size.nconstraint > 0,
                  .work = work_of(m->model),
                  .rhs = rhs,
                  .states = states,
                  .integrals = integrals,
                  .together = !m->model->sparse || td_power_needs_motion(m->model),
                  .latest = latest,
                  .drift = is_straight(m) ? NULL : drift,
                  .jacobian = jacobian,
                  .project = invariants ? project : NULL,
                  .roots = roots,
                  .nguard = td_guard_count(m->model),
                  // where motion is prescribed, forces that it meets show in the work alone
                  .measured = (m->model->nfree_v < m->model->nvel || m->model->strains_timed) &&
                              (m->nq + m->nv == 0 || td_guard_count(m->model) > 0),
                  .guards = guards,
                  .guards_near = guards_near,
                  .peaks = td_guards_are_timed(m->model) ? peaks : NULL,
                  .chatters = chatters,
                  .regularity = m->size.nconstraint > 0 && m->sigma != NULL ? regularity : NULL};
}

td_status td_motion_new(const td_model* model, td_work* work, const td_state* from, double rtol,
                        double atol, td_motion** motion) {
  *motion = NULL;
  td_motion* m = calloc(1, sizeof *m);
  if (m == NULL) return TD_E_NOMEM;
  m->model = model;
  m->work = work;
  m->size = td_model_sizes(model);
  if (!allocate(m)) {
    td_motion_free(m);
    return TD_E_NOMEM;
  }
  td_state_copy(model, from, m->state);
  m->nq = td_free_q(model, &m->iq);
  m->nv = td_free_v(model, &m->iv);
  m->ntarget = td_target_count(model);
  m->ninner = m->size.nz;
  m->nevent = m->size.nevent;
  m->nswitch = td_switch_count(model);
  m->projector.accept = fmin(fmax(0.01 * atol, 1e-13), 1e-11);
  m->t_projected = m->t_jump = NAN;
  m->ode = describe(m, rtol, atol);
  if (m->ode.regularity != NULL) m->rank = find_rank(m);
  m->lattice = m->ninner > 0 ? NULL : td_lattice_new(model);
  if (m->ninner > 0 && !allocate_drives(m)) {
    td_motion_free(m);
    return TD_E_NOMEM;
  }
  if (model->sparse && td_sparse_motion_new(m) != TD_OK) {
    td_motion_free(m);
    return TD_E_NOMEM;
  }
  *motion = m;
  return TD_OK;
}
