// Shared by the ways to solve the linear system (system.h): the weights of strains in the metric of
// positions, and the report of a singular mass matrix.
#include "engine/system.h"

#include <math.h>
#include <string.h>

// True when the velocity v is a strain rate of a rod.
static bool is_strain(const td_model* m, int v) {
  return m->vel[v].hop >= 0 && is_step(&m->hop[m->vel[v].hop]);
}

// Replace each mass on the diagonal (nvel) by the largest among the same strains of its rod, 0 for
// other velocities.
void td_weigh_strains(const td_model* m, double* diagonal, arena* s) {
  const arena_mark mark = arena_open(s);
  double* most = arena_zeros(s, m->nvel);
  for (int i = 0; i < m->nvel; i++)
    for (int j = 0; is_strain(m, i) && j < m->nvel; j++)
      if (m->vel[j].rod == m->vel[i].rod && m->vel[j].dof == m->vel[i].dof && is_strain(m, j))
        most[i] = fmax(most[i], diagonal[j]);
  memcpy(diagonal, most, (size_t)m->nvel * sizeof(double));
  arena_close(s, mark);
}

// True when the free coordinates of v's joint, up to some one, move along dependent axes, as two
// axes in line do; *turns: some axis rotates.  Joints that share axes with others are left out.
static bool is_repeated(const td_model* m, const td_work* w, int v, bool* turns) {
  const int joint = m->vel[v].joint;
  spatial axis[6], last = spatial_zero();
  int n = 0;
  *turns = false;
  if (joint == 0 || m->vel[v].rod > 0 || m->vel[v].mesh > 0) return false;

  // the free axes of the joint, one after the other
  for (int i = 0; i < m->nhop; i++)
    for (int k = m->hop[i].col; k < m->hop[i].col + m->hop[i].nv; k++) {
      const model_dof* d = &m->vel[m->col[k].v];
      if (d->joint != joint || d->rod > 0 || d->mesh > 0 || d->motion != NUM_NONE) continue;
      if (!m->col[k].first || m->col[k].next >= 0) return false;

      // Gram-Schmidt, twice, against the axes before
      last = w->col[k].S;
      const double size = sqrt(spatial_dot(&last, &last));
      for (int twice = 0; twice < 2; twice++)
        for (int j = 0; j < n; j++)
          last = spatial_axpy(-spatial_dot(&axis[j], &last), axis[j], last);
      const double left = sqrt(spatial_dot(&last, &last));
      const double* S = w->col[k].S.a;
      *turns |= fabs(S[3]) + fabs(S[4]) + fabs(S[5]) > 0;
      if (n == 6 || !(left > 1e-6 * size)) return true;
      axis[n++] = spatial_axpy(1 / left, last, spatial_zero());
    }
  return false;
}

// Leave the message why the mass matrix is singular, and return TD_E_SINGULAR.
td_status td_report_singular(const td_model* m, td_work* w, int v, double share) {
  const char* name = m->nvel > 0 ? td_model_v_name(m, v) : "";
  bool turns;

  // coordinates so large that their squares overflow
  for (int i = 0; i < m->npos; i++) {
    if (fabs(w->q[i]) < 1e150) continue;
    td_work_fail(w, "%s is %.3g at t = %g s: its square is beyond what numbers can hold",
                 td_model_q_name(m, i), w->q[i], w->t);
    return TD_E_SINGULAR;
  }

  // two axes of a joint in line
  if (m->nvel > 0 && is_repeated(m, w, v, &turns)) {
    td_work_fail(w,
                 "the mass matrix is singular: in the joint of %s (t = %g s) two axes are in line "
                 "and move it the same way%s",
                 name, w->t,
                 turns ? " (gimbal lock); start at other angles, or write rot = [inf inf inf inf], "
                         "which has no such position"
                       : "; leave one of them out");
    return TD_E_SINGULAR;
  }

  // shape functions of a rod that are dependent to rounding, or no mass at all
  const model_rod* rod = m->nvel > 0 && m->vel[v].rod > 0 ? &m->rod[m->vel[v].rod - 1] : NULL;
  if (rod && rod->monomial && rod->n > 7 && share > 0) {
    td_work_fail(w,
                 "the mass matrix is singular to rounding: powers of arc length up to the order %d "
                 "of %s (t = %g s) cannot be told apart; use a lower rom.order (up to 7), or "
                 "rod(k).model = 'rom', whose polynomials can",
                 rod->n, model_name(m, rod->name), w->t);
  } else if (share > 1e-14 && rod) {
    td_work_fail(w,
                 "the mass matrix is singular to rounding: the functions of the strains of %s (t = "
                 "%g s) cannot be told apart at its points; use basis = 'legendre', a lower order, "
                 "more elements, or more points",
                 model_name(m, rod->name), w->t);
  } else {
    td_work_fail(w, "the mass matrix is singular: nothing with mass resists %s (t = %g s); give %s",
                 name, w->t,
                 rod && !rod->monomial ? "the rod a density rho or an inertia"
                                       : "the body that it moves a mass and an inertia");
  }

  return TD_E_SINGULAR;
}
