// The Jacobian of a motion as a dense matrix, in terms of engine.h.  With w the internal states, r
// their rates, z the integrals of task errors and N⁺ N = 1, its blocks are
//
//               q               v         targets   w         z
//   q'          d(N v)/dq       N
//   v'          (dv'/dq) N⁺     dv'/dv              dv'/dw    dv'/du du/dz
//   targets'                              [0 1; 0 0]
//   w'          (dr/dq) N⁺      dr/dv               dr/dw     dr/du du/dz
//   z'          -Jy N⁺
//
// where dv'/dq and dr/dq are along the tangent directions and have the feedback of controllers in
// them.  The linear systems of implicit steps with it are in dense_steps.c; those of sparse models,
// without a matrix, in motion_sparse.c.
#include <string.h>

#include "model/model.h"
#include "solve/time/motion.h"
#include "solve/vectors.h"

// Columns of the positions: row = slope N⁺ for a slope along the tangent directions (nv).
static void chart(const td_motion* m, const double* slope, double* row) {
  for (int j = 0; j < m->nq; j++) {
    double sum = 0;
    for (int k = 0; k < m->size.nv; k++) sum += slope[k] * m->Nplus[k * m->size.nq + m->iq[j]];
    row[j] = sum;
  }
}

// Add the feedback of controllers, whose inputs follow the state: dq += W du/dq, dv += W du/dv for
// `rows` quantities with the derivatives W by the drives.
static void feed_back(const td_motion* m, int rows, const double* W, double* dq, double* dv) {
  const int nv = m->size.nv, all = model_drives(m->model);
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < m->size.nu; k++) {
      const double w = W[i * all + k];
      for (int j = 0; w != 0 && j < nv; j++) {
        dq[i * nv + j] += w * m->uq[k * nv + j];
        dv[i * nv + j] += w * m->uv[k * nv + j];
      }
    }
}

// Columns of w and z for a quantity with the derivatives W by the drives: [dw, du (du/dz)].
static void drive(const td_motion* m, const double* W, double* row) {
  const int nu = m->size.nu;
  for (int k = 0; k < m->ninner; k++) row[inner_at(m) + k] = W[nu + k];
  for (int i = 0; i < m->nz; i++) {
    double sum = 0;
    for (int k = 0; k < nu; k++) sum += W[k] * m->uz[k * m->nz + i];
    row[integrals_at(m) + i] = sum;
  }
}

// Fill J (n x n by rows) at (t, y), block by block as in the file's head.
td_status td_motion_jacobian(void* ctx, double t, const double* y, double* J) {
  td_motion* m = ctx;
  const int n = m->ode.n, nv = m->size.nv, nq = m->size.nq, all = model_drives(m->model);

  // derivatives at the state; the change of the gains along the motion is left out, which Newton's
  // iteration does not need
  td_motion_unpack(m, t, y);
  TD_TRY(m->controlled);
  TD_TRY(td_trial_forward_tangent(m->model, m->state, m->work, m->dq, m->dv, m->du));
  if (m->ninner > 0) td_trial_internal_tangent(m->model, m->state, m->work, m->Rq, m->Rv, m->Ru);
  if (m->control != NULL) {
    td_control_slopes(m->control, m->state, m->uq, m->uv, m->uz);
    feed_back(m, nv, m->du, m->dq, m->dv);
    feed_back(m, m->ninner, m->Ru, m->Rq, m->Rv);
  }
  td_qdot_matrix(m->model, m->state->q, m->N);
  td_qdot_dq(m->model, m->state->q, m->state->v, m->dN);
  td_qdot_inverse(m->model, m->state->q, m->Nplus);
  memset(J, 0, area(n, n) * sizeof(double));

  // positions
  for (int i = 0; i < m->nq; i++) {
    double* row = J + area(i, n);
    for (int j = 0; j < m->nq; j++) row[j] = m->dN[m->iq[i] * nq + m->iq[j]];
    for (int j = 0; j < m->nv; j++) row[m->nq + j] = m->N[m->iq[i] * nv + m->iv[j]];
  }

  // velocities
  for (int i = 0; i < m->nv; i++) {
    double* row = J + area(m->nq + i, n);
    chart(m, m->dq + m->iv[i] * nv, row);
    for (int j = 0; j < m->nv; j++) row[m->nq + j] = m->dv[m->iv[i] * nv + m->iv[j]];
    if (m->du != NULL) drive(m, m->du + m->iv[i] * all, row);
  }

  // targets come as [value, rate]
  for (int i = m->nq + m->nv; i < inner_at(m); i += 2) J[area(i, n) + (size_t)i + 1] = 1;

  // internal states
  for (int i = 0; i < m->ninner; i++) {
    double* row = J + area(inner_at(m) + i, n);
    chart(m, m->Rq + i * nv, row);
    for (int j = 0; j < m->nv; j++) row[m->nq + j] = m->Rv[i * nv + m->iv[j]];
    drive(m, m->Ru + i * all, row);
  }

  // integrals of task errors
  for (int i = 0; i < m->nz; i++) {
    double* row = J + area(integrals_at(m) + i, n);
    chart(m, td_control_jacobian(m->control) + i * nv, row);
    for (int j = 0; j < m->nq; j++) row[j] = -row[j];
  }
  return TD_OK;
}
