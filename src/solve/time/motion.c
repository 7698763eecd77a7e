// A model's motion as y' = f(t, y) (motion.h): right-hand side, projection, switching functions and
// guards, in terms of engine.h.  The linear algebra of implicit steps has two makers: the dense
// Jacobian (motion_dense.c) with dense_steps.c, and motion_sparse.c for networks.
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

// v' and, if wanted, the power by derived code or without frames; NULL: the engine has to.
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

// y' at (t, y), with its power [W] unless NULL, by compiled code where there is some, else by the
// engine: q' = N v, v', rates of integrated controls, internal states and task integrals.
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

// The engine still has the forces; derived code runs again.
static td_status latest(void* ctx, double* power) {
  td_motion* m = ctx;
  if (from_code(m, power) == NULL) *power = td_power_placed(m->model, m->work);
  return TD_OK;
}

// Project y on unit quaternions and constraints (positions and velocities), in place.
static td_status project(void* ctx, double t, double* y) {
  td_motion* m = ctx;
  td_motion_unpack(m, t, y);
  td_normalise(m->model, m->state->q);

  // a lattice has a closed form; otherwise Newton's method with the factors of a nearby state
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
  if (m->nswitch > 0 && m->watched != NULL)
    td_guard_values(m->model, m->state, m->work, g + m->nevent, m->watched);
  else if (m->nswitch > 0)
    td_switch_values(m->model, m->state, m->work, g + m->nevent);
  if (td_taut_count(m->model) > 0)
    td_taut_values(m->model, m->state, m->work, g + m->nevent + m->nswitch);
}

static void guards(void* ctx, double t, const double* y, double* gap, double* speed) {
  td_motion* m = ctx;
  td_motion_unpack(m, t, y);
  td_guard_values(m->model, m->state, m->work, gap, speed);
}

// Evaluate the guards at (t, y) with the kinematics of the last evaluation, if that was at this
// time and differs from y by no more than a last Newton correction, as in methods that solve for
// the end of a step.  False: it was elsewhere.
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

// Report a guard that changes its sign `times` times within `within` seconds; the message in the
// work quotes the expression of a force that jumps.
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

// Independent constraint rows at the state or near by, kept for the states that follow.
static int find_rank(td_motion* m) {
  td_rank_keep(m->model, m->state, m->work, true);
  return m->work->rank.most;
}

// Smallest singular value of as many constraint rows as were independent at the start.  Rows and
// columns are scaled: it tells how far from singular the position is, whatever the units.
static double regularity(void* ctx, double t, const double* y) {
  td_motion* m = ctx;
  const int r = m->size.nconstraint, n = m->nv;
  td_motion_unpack(m, t, y);
  td_normalise(m->model, m->state->q);
  if (m->rank == 0) return NAN;

  // beside the constraints rows that depend on each other seem not to: take the projected position,
  // as far as rounding lets Newton's method go; near a singular position what is left is amplified
  const td_status status = td_project_q(m->model, m->state, m->work, 1e-13);
  if (status != TD_OK && status != TD_E_DIVERGED) return NAN;
  double e = 0, edot;
  if (status == TD_E_DIVERGED) td_constraint_error(m->model, m->state, m->work, &e, &edot);
  if (!(e < m->projector.accept)) return NAN;

  double *row = m->sigma + m->size.nv, *col = row + r;
  td_constraint_scales(m->model, m->state, m->work, row, col);
  td_trial_constraints(m->model, m->state, m->work, m->Jc, NULL, NULL);
  for (int i = 0; i < r; i++)
    for (int j = 0; j < n; j++)
      m->Jc[i * n + j] = row[i] > 0 ? m->Jc[i * m->size.nv + m->iv[j]] * col[j] / row[i] : 0;
  return td_singular_values(m->Jc, r, n, m->sigma) ? m->sigma[m->rank - 1] : NAN;
}

// Apply impulses at t, y in and out; work in J. At the start the state is used as it is, since y
// lacks prescribed coordinates.
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

// Advance (t, y) through buckling; the energy that it adds counts as work, y[n].
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

// Pack a copy of `from` into y and apply what happens at its instant: impulses of prescribed
// motion, then taut cables.  Forgets factors and results of earlier states.
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
  free(m->watched);
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

td_status td_motion_watch(td_motion* m) {
  const int guard_count = td_guard_count(m->model);
  m->watched = calloc((size_t)guard_count + 1, sizeof(double));
  if (m->watched == NULL) return TD_E_NOMEM;
  m->ode.nroot += guard_count - m->nswitch;
  m->nswitch = guard_count;
  return TD_OK;
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

// Memory for vectors, the matrices of the Jacobian and the constraint rows, in one block.
static bool allocate(td_motion* m) {
  const size_t nq = (size_t)m->size.nq, nv = (size_t)m->size.nv;
  const size_t nc = (size_t)m->size.nconstraint;
  const bool dense = !m->model->sparse;
  const size_t matrices = 2 * nv * nv + 2 * nq * nv + nq * nq + 3 * nc * nv + 2 * nc + 2 * nv;
  m->qdot = malloc((nq + nv + (dense ? matrices : 0)) * sizeof(double));
  m->state = td_state_new(m->model);
  if (m->qdot == NULL || m->state == NULL) return false;
  m->vdot = m->qdot + nq;
  if (m->ninner > 0 && !allocate_drives(m)) return false;
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

// Fill the table of operations (td_ode) for a model: sizes of y = [q, v, integrated controls,
// internal states | work], tolerances, functions.  *motion is NULL on failure.
td_status td_motion_new(const td_model* model, td_work* work, const td_state* from, double rtol,
                        double atol, td_motion** motion) {
  *motion = NULL;
  td_motion* m = calloc(1, sizeof *m);
  if (m == NULL) return TD_E_NOMEM;
  m->model = model;
  m->work = work;
  m->size = td_model_sizes(model);
  m->nq = td_free_q(model, &m->iq);
  m->nv = td_free_v(model, &m->iv);
  m->ntarget = td_target_count(model);
  m->ninner = m->size.nz;
  m->nevent = m->size.nevent;
  m->nswitch = td_switch_count(model);
  m->projector.accept = fmin(fmax(0.01 * atol, 1e-13), 1e-11);
  m->t_projected = m->t_jump = NAN;
  if (!allocate(m)) {
    td_motion_free(m);
    return TD_E_NOMEM;
  }
  td_state_copy(model, from, m->state);

  // is each position's rate the velocity of the same number?
  bool straight = m->nq == m->nv;
  for (int i = 0; i < m->nq && straight; i++) straight = model->vel[m->iv[i]].partner == m->iq[i];

  // nanoseconds that an evaluation takes, about: sections of rods and joints, their columns, what
  // is immersed, and the factors of a full mass matrix
  const double n = model->nvel, factors = model->recursive && model->nrow == 0 ? 0 : n * n * n / 6;
  const double cost =
      500 + 100.0 * model->nhop + 50.0 * model->ncol + 200.0 * model->nwet + factors;

  const bool constrained = m->size.nconstraint > 0;
  const int guard_count = td_guard_count(model);
  m->ode = (td_ode){.ctx = m,
                    .n = m->nq + m->nv + m->ntarget + m->ninner,
                    .nquad = 1,
                    .nroot = m->nevent + m->nswitch + td_taut_count(model),
                    .rtol = rtol,
                    .atol = atol,
                    .h_fixed = model->settings[5],
                    .npos = m->nq,
                    .inner = inner_at(m),
                    .ninner = m->ninner,
                    .constrained = constrained,
                    .work = cost,
                    .rhs = rhs,
                    .states = states,
                    .integrals = integrals,
                    .together = !model->sparse || td_power_needs_motion(model),
                    .latest = latest,
                    .drift = straight ? NULL : drift,
                    .jacobian = td_motion_jacobian,
                    .project = constrained || td_has_quaternions(model) ? project : NULL,
                    .roots = roots,
                    .nguard = guard_count,
                    // where motion is prescribed, forces that it meets show in the work alone
                    .measured = (model->nfree_v < model->nvel || model->strains_timed) &&
                                (m->nq + m->nv == 0 || guard_count > 0),
                    .guards = guards,
                    .guards_near = guards_near,
                    .peaks = td_guards_are_timed(model) ? peaks : NULL,
                    .chatters = chatters,
                    .regularity = constrained && m->sigma != NULL ? regularity : NULL};
  if (m->ode.regularity != NULL) m->rank = find_rank(m);
  m->lattice = m->ninner > 0 ? NULL : td_lattice_new(model);
  if (model->sparse && td_sparse_motion_new(m) != TD_OK) {
    td_motion_free(m);
    return TD_E_NOMEM;
  }
  *motion = m;
  return TD_OK;
}
