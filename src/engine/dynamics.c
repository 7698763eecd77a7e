// The equations of motion at one state: forward dynamics, residual, mass matrix, bias, energy,
// power, and the linearised forward dynamics.
//
// A tree without constraints goes through the articulated-body recursion.  Constraints, shared
// coordinates and partly prescribed joints go through the mass matrix and the saddle-point system
// on the free coordinates,
//
//   M_ff x - J_fᵀ λ = -F_f(a0)      J_f x = drive - ë(a0)      v' = a0 + x
//
// with a0 the prescribed accelerations.  Functions td_trial_* take states with any numbers; their
// public twins refuse states that are not finite and report results that are not.
#include <math.h>
#include <string.h>

#include "engine/sparse_engine.h"
#include "engine/system.h"
#include "engine/taut.h"

// Accelerations of prescribed velocities, zero for the others.
void td_prescribed_accelerations(const td_model* m, const td_work* w, double* a) {
  for (int i = 0; i < m->nvel; i++)
    a[i] = m->vel[i].motion == NUM_NONE ? 0 : w->num[m->vel[i].motion + 2];
}

// v' and λ by the saddle-point system; its factors stay in the scratch.
static td_status solve_rows(const td_model* m, td_work* w, td_system* system) {
  arena* s = &w->scratch;
  const int nv = m->nvel, r = m->nrow;
  double *a0 = arena_doubles(s, nv), *F = arena_doubles(s, nv), *g = arena_doubles(s, r);

  // right-hand side -F at the prescribed accelerations, and the factors
  td_prescribed_accelerations(m, w, a0);
  const double* given = m->nfree_v < nv ? a0 : NULL;
  td_accelerate(m, w, given, true);
  td_inverse(m, w, F);
  for (int i = 0; i < nv; i++) F[i] = -F[i];
  TD_TRY(system_factor(m, w, SYSTEM_MOTION, system));
  w->flags = (td_flags){system->rank, r > system->rank};

  // accelerations that the rows require on top of the prescribed ones
  if (r > 0) td_accelerate(m, w, given, false);

  for (int i = 0; i < r; i++) {
    const row_value v = td_row_at(m, w, i);
    g[i] = row_is_off(m, w, i) ? 0 : td_row_drive(m, w, i, &v) - v.edd;
  }

  system_solve(m, w, system, F, g, 1, w->vdot, w->lambda);
  for (int i = 0; given && i < nv; i++) w->vdot[i] += given[i];
  return TD_OK;
}

// v' and λ from the forces in the work, by the recursion or by the system of all rows.
static td_status solve_forward(const td_model* m, td_work* w, td_system* system) {
  *system = (td_system){0};
  w->failure[0] = 0;

  // refuse rotations beyond the range of their coordinates
  if (w->edge >= 0) {
    const model_hop* hop = &m->hop[w->edge];
    const model_dof* d = &m->vel[hop->nv > 0 ? m->col[hop->col].v : 0];
    td_work_fail(w,
                 "%s reaches half a turn (t = %g s), where the vector part of a unit quaternion "
                 "does not tell its motion any more; %s",
                 m->names + d->name, w->t,
                 d->rod > 0 ? "write the rod as several rods in a row"
                            : "write rot = [inf inf inf inf], or [axis inf] for one axis");
    return TD_E_SINGULAR;
  }

  if (w->wound >= 0) {
    td_work_fail(
        w,
        "%s comes near a full turn (t = %g s), where the rotation vector that its spring acts "
        "along has no direction; write rotations [axis inf], or a stiffer spring",
        model_name(m, m->spring[w->wound].name), w->t);
    return TD_E_SINGULAR;
  }

  // the saddle-point system, or the recursion
  if (!m->recursive || m->nrow > 0) return solve_rows(m, w, system);
  int bad;
  if (td_articulated(m, w, w->vdot, &bad)) return TD_OK;
  return td_report_singular(m, w, m->hop[bad].v, 0);
}

// Evaluate the state and all forces, then v' and λ; the factors stay in the scratch.
static td_status forward(const td_model* m, const td_state* state, td_work* w, td_system* system) {
  td_enter(m, state, w);
  td_forces(m, w, FORCES_ALL);
  return solve_forward(m, w, system);
}

// v' and λ from the forces that the work holds.
td_status td_solve_forward(const td_model* m, td_work* w) {
  const arena_mark mark = arena_open(&w->scratch);
  td_system system;
  const td_status status = solve_forward(m, w, &system);
  arena_close(&w->scratch, mark);
  return status;
}

// Forward dynamics: v' and λ at a state that belongs to the model.
static td_status dynamics_at(const td_model* m, const td_state* state, td_work* w) {
  const arena_mark mark = arena_open(&w->scratch);
  td_system system;
  const td_status status = forward(m, state, w, &system);
  arena_close(&w->scratch, mark);
  return status;
}

// Forward dynamics: v' and λ at a state.
td_status td_trial_dynamics(const td_model* m, const td_state* state, td_work* w) {
  return model_has(m, state, w) ? dynamics_at(m, state, w) : TD_E_USAGE;
}

// td_trial_dynamics for finite states, with finite results.
td_status td_forward_dynamics(const td_model* m, const td_state* state, td_work* w) {
  if (!model_has(m, state, w) || !td_state_is_finite(m, state)) return TD_E_USAGE;
  TD_TRY(dynamics_at(m, state, w));
  TD_TRY(td_finite(m, w, "the acceleration of", td_model_v_name, w->vdot, m->nvel, 1));
  if (m->nrow == 0) return TD_OK;
  return td_finite(m, w, "lambda of", td_model_constraint_name, w->lambda, m->nrow, 1);
}

// Check that accelerations and the rates of internal states are finite at a state.
td_status td_finite_rates(const td_model* m, const td_state* state, td_work* w) {
  const double* rates = w->num + m->internal_rate;
  td_enter(m, state, w);
  TD_TRY(td_finite(m, w, "the rate of the internal state", td_model_internal_name, rates,
                   m->ninternal, 1));
  const td_status status = td_forward_dynamics(m, state, w);
  return status == TD_E_INFINITE ? status : TD_OK;
}

// F = M a + h - tau - Jᵀ λ by inverse dynamics; lambda NULL: none.
td_status td_trial_residual(const td_model* m, const td_state* state, td_work* w, const double* a,
                            const double* lambda, double* F) {
  if (!model_has(m, state, w) || !a || !F) return TD_E_USAGE;
  td_enter(m, state, w);
  td_forces(m, w, FORCES_ALL);
  if (m->nrow > 0 && lambda) td_row_forces(m, w, lambda);
  td_accelerate(m, w, a, true);
  td_inverse(m, w, F);
  return TD_OK;
}

// td_trial_residual for finite numbers, with a finite result.
td_status td_residual(const td_model* m, const td_state* state, td_work* w, const double* a,
                      const double* lambda, double* F) {
  if (!model_owns(m, state) || !a || !td_state_is_finite(m, state) || !are_finite(a, m->nvel) ||
      (lambda && !are_finite(lambda, m->nrow)))
    return TD_E_USAGE;
  TD_TRY(td_trial_residual(m, state, w, a, lambda, F));
  return td_finite(m, w, "the residual of", td_model_v_name, F, m->nvel, 1);
}

// M (nv x nv)
td_status td_trial_mass_matrix(const td_model* m, const td_state* state, td_work* w, double* M) {
  if (!model_has(m, state, w) || !M) return TD_E_USAGE;
  td_enter(m, state, w);
  if (m->sparse && m->nvel > SPARSE_DENSE_LIMIT)
    td_sparse_mass_spread(m, w, M);
  else
    td_composite_mass(m, w, M);
  return TD_OK;
}

// td_trial_mass_matrix for finite states, with a finite result.
td_status td_mass_matrix(const td_model* m, const td_state* state, td_work* w, double* M) {
  if (!model_owns(m, state) || !td_state_is_finite(m, state)) return TD_E_USAGE;
  TD_TRY(td_trial_mass_matrix(m, state, w, M));
  return td_finite(m, w, "the inertia of", td_model_v_name, M, m->nvel, m->nvel);
}

// h: bias and passive forces at a = 0; tau: active forces, as the difference of two inverse
// dynamics.
td_status td_trial_bias(const td_model* m, const td_state* state, td_work* w, double* h,
                        double* tau) {
  if (!model_has(m, state, w) || !h || !tau) return TD_E_USAGE;
  const arena_mark mark = arena_open(&w->scratch);
  const double* zero = arena_zeros(&w->scratch, m->nvel);
  td_enter(m, state, w);
  td_accelerate(m, w, zero, true);
  td_forces(m, w, FORCES_PASSIVE);
  td_inverse(m, w, h);
  td_forces(m, w, FORCES_ALL);
  td_inverse(m, w, tau);
  for (int i = 0; i < m->nvel; i++) tau[i] = h[i] - tau[i];
  arena_close(&w->scratch, mark);
  return TD_OK;
}

// td_trial_bias for finite states, with finite results.
td_status td_bias(const td_model* m, const td_state* state, td_work* w, double* h, double* tau) {
  if (!model_owns(m, state) || !td_state_is_finite(m, state)) return TD_E_USAGE;
  TD_TRY(td_trial_bias(m, state, w, h, tau));
  TD_TRY(td_finite(m, w, "the bias force h of", td_model_v_name, h, m->nvel, 1));
  return td_finite(m, w, "the force tau of", td_model_v_name, tau, m->nvel, 1);
}

// Energies at a state; NaN when state or work do not belong to the model.
td_energies td_trial_energy(const td_model* m, const td_state* state, td_work* w) {
  if (!model_has(m, state, w)) return (td_energies){NAN, NAN, NAN};
  td_enter(m, state, w);
  return td_energies_at(m, w);
}

// td_trial_energy for finite states, NaN otherwise.
td_energies td_energy(const td_model* m, const td_state* state, td_work* w) {
  if (!model_owns(m, state) || !td_state_is_finite(m, state)) return (td_energies){NAN, NAN, NAN};
  return td_trial_energy(m, state, w);
}

// True when prescribed motion or strains need an effort, which follows from v'.
static bool is_driven(const td_model* m) { return m->nfree_v < m->nvel || m->strains_timed; }

// True when the power depends on v' or λ: prescribed motion, driven rows and rows that are not
// projected.  Other rows are met and at rest, and do no work.
bool td_power_needs_motion(const td_model* m) {
  for (int i = 0; i < m->nrow; i++) {
    const model_row* r = &m->row[i];
    if (r->target == TARGET_CONTROL || r->target == TARGET_MOTION || !r->projected) return true;
  }
  return is_driven(m);
}

// Power of all forces without potential, and of gravity where it changes with time.
static double outer_power(const td_model* m, td_work* w, bool forces_known) {
  td_cable_tensions(m, w);
  double power = td_force_power(m, w, forces_known);
  const vec3 g = vec3_scale(w->load, vec3_of(w->num + m->gravity));
  for (int i = 0; i < m->nhop && !m->gravity_constant; i++)
    if (w->hop_heavy[i]) {
      const hop_work* h = &w->hop[i];
      power +=
          vec3_dot(g, vec3_axpy(h->I.m, spatial_t(&h->V), vec3_cross(spatial_r(&h->V), h->I.mc)));
    }
  return power;
}

// Power at a state where it depends on neither v' nor λ.
double td_power_unmoved(const td_model* m, const td_state* state, td_work* w) {
  td_enter(m, state, w);
  return outer_power(m, w, false);
}

// Power at a state, with v' and λ of the last forward dynamics.
double td_power(const td_model* m, const td_state* state, td_work* w) {
  td_enter(m, state, w);
  td_forces(m, w, FORCES_ALL);
  return td_power_placed(m, w);
}

// Power right after the forward dynamics: outer forces, multipliers, and the motors of prescribed
// motion.
double td_power_placed(const td_model* m, td_work* w) {
  const arena_mark mark = arena_open(&w->scratch);
  double* F = arena_doubles(&w->scratch, m->nvel);
  double power = outer_power(m, w, true);

  // multipliers along the rates of their rows
  for (int i = 0; i < m->nrow; i++)
    if (!row_is_off(m, w, i)) power += w->lambda[i] * td_row_at(m, w, i).ed;

  // the effort of prescribed motion is the residual of its equations
  if (is_driven(m)) {
    if (m->nrow > 0) td_row_forces(m, w, w->lambda);
    td_accelerate(m, w, w->vdot, true);
    td_inverse(m, w, F);
    for (int i = 0; i < m->nvel; i++)
      if (m->vel[i].motion != NUM_NONE) power += F[i] * w->v[i];
    if (m->strains_timed) power += td_strain_drive(m, w);
  }

  arena_close(&w->scratch, mark);
  return power;
}

// Generalised forces of a force m d on every mass m, at its centre:  out = Σ Jᵀ m d.
void td_mass_push(const td_model* m, const td_state* state, td_work* w, const double d[3],
                  double* out) {
  const vec3 field = vec3_of(d);
  td_enter(m, state, w);
  memset(out, 0, (size_t)m->nvel * sizeof(double));
  for (int i = 0; i < m->nhop; i++) {
    const inertia* I = &w->hop[i].I;
    w->df[i] = w->hop_heavy[i] ? spatial_of(vec3_scale(I->m, field), vec3_cross(I->mc, field))
                               : spatial_zero();
  }
  for (int i = m->nhop - 1; i >= 0; i--) {
    td_hop_forces(m, w, i, &w->df[i], out);
    const int parent = m->hop[i].parent;
    if (parent >= 0) w->df[parent] = spatial_add(w->df[parent], w->df[i]);
  }
}

// Positions (3 each) of the stations first .. first + n - 1 at a finite state.
td_status td_station_positions(const td_model* m, const td_state* state, td_work* w, int first,
                               int n, double* positions) {
  if (!model_has(m, state, w) || first < 0 || n < 0 || first > m->nstation - n ||
      (!positions && n > 0) || !model_owns(m, state) || !td_state_is_finite(m, state))
    return TD_E_USAGE;
  td_enter(m, state, w);
  for (int i = 0; i < n; i++) vec3_put(positions + 3 * (size_t)i, td_frame(m, w, first + i).p);
  return TD_OK;
}

// Pose (4 x 4, row-major) and body twist [v, w] of a station.
td_status td_trial_station(const td_model* m, const td_state* state, td_work* w, int station,
                           double pose_out[16], double twist[6]) {
  if (!model_has(m, state, w) || station < 0 || station >= m->nstation || !pose_out || !twist)
    return TD_E_USAGE;
  td_enter(m, state, w);
  const frame f = td_frame(m, w, station);
  const double p[3] = {f.p.x, f.p.y, f.p.z};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      pose_out[4 * i + j] = i == 3 ? j == 3 : j == 3 ? p[i] : f.R.m[3 * i + j];
  vec3_put(twist, mat3_apply_t(f.R, f.v));
  vec3_put(twist + 3, mat3_apply_t(f.R, f.w));
  return TD_OK;
}

// td_trial_station for finite states, with finite results.
td_status td_station(const td_model* m, const td_state* state, td_work* w, int station,
                     double pose_out[16], double twist[6]) {
  if (!model_owns(m, state) || !td_state_is_finite(m, state)) return TD_E_USAGE;
  TD_TRY(td_trial_station(m, state, w, station, pose_out, twist));
  TD_TRY(td_finite(m, w, "the pose of a station", NULL, pose_out, 4, 4));
  return td_finite(m, w, "the velocity of a station", NULL, twist, 1, 6);
}

// ---- linearised forward dynamics --------------------------------------------------------------

// d(v', λ)/d(q, v, u) = K⁻¹ [f g]: the derivatives of forces (f) and of rows (g) as right-hand
// sides of the system of the forward dynamics.
td_status td_forward_tangent_rows(const td_model* m, const td_state* state, td_work* w, double* dq,
                                  double* dv, double* du, double* dlambda) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  const int nv = m->nvel, nu = du ? model_drives(m) : 0, r = m->nrow;
  td_system system;

  // forward dynamics, whose factors are used again
  td_status status = forward(m, state, w, &system);
  if (status == TD_OK && m->sparse && nv > SPARSE_DENSE_LIMIT) {
    td_work_fail(w, "a model of %d velocities is too large to be linearised as dense matrices", nv);
    status = TD_E_USAGE;
  }

  if (status == TD_OK && !system.ops) status = system_factor(m, w, SYSTEM_MOTION, &system);

  if (status != TD_OK) {
    arena_close(s, mark);
    return status;
  }

  // f = -[dF/dq dF/dv], g = -[dG/dq dG/dv] with G the accelerations of the rows minus their drives
  const int cols = system_columns(&system, 2 * nv + nu);
  double *f = arena_doubles(s, nv * cols), *g = arena_doubles(s, r * cols);
  if (cols > 2 * nv + nu) memset(f, 0, (size_t)(nv * cols) * sizeof(double));

  if (m->sparse) {
    td_sparse_tangent_spread(m, w, f, g, cols);
  } else {
    const arena_mark rows = arena_open(s);
    double *Gq = arena_doubles(s, r * nv), *Gv = arena_doubles(s, r * nv);
    td_tangent_at(m, w, w->vdot, w->lambda, dq, dv);
    if (r > 0) td_constraint_tangent_at(m, w, w->vdot, true, Gq, Gv);
    for (int i = 0; i < nv; i++)
      for (int j = 0; j < nv; j++) {
        f[i * cols + j] = -dq[i * nv + j];
        f[i * cols + nv + j] = -dv[i * nv + j];
      }
    for (int i = 0; i < r; i++)
      for (int j = 0; j < nv; j++) {
        g[i * cols + j] = -Gq[i * nv + j];
        g[i * cols + nv + j] = -Gv[i * nv + j];
      }
    arena_close(s, rows);
  }

  // columns of the inputs
  if (du) td_trial_input_map(m, state, w, du);

  for (int j = 0; j < nu; j++) {
    for (int i = 0; i < nv; i++) f[i * cols + 2 * nv + j] = du[i * nu + j];
    for (int i = 0; i < r; i++) g[i * cols + 2 * nv + j] = td_row_input(m, w, i, j);
  }

  // solve, and split the solution
  system_solve(m, w, &system, f, r > 0 ? g : NULL, cols, f, dlambda);

  for (int i = 0; i < nv; i++) {
    const double* row = f + i * cols;
    memcpy(dq + i * nv, row, (size_t)nv * sizeof(double));
    memcpy(dv + i * nv, row + nv, (size_t)nv * sizeof(double));
    if (du) memcpy(du + i * nu, row + 2 * nv, (size_t)nu * sizeof(double));
  }

  arena_close(s, mark);
  return TD_OK;
}

// Linearised forward dynamics: dv'/dq, dv'/dv and, where du is not NULL, dv'/d(drives).
td_status td_trial_forward_tangent(const td_model* m, const td_state* state, td_work* w, double* dq,
                                   double* dv, double* du) {
  if (!model_has(m, state, w) || !dq || !dv) return TD_E_USAGE;
  return td_forward_tangent_rows(m, state, w, dq, dv, du, NULL);
}

// Linearised forward dynamics by q, v and the inputs (du may be NULL), for finite states and
// results.
td_status td_forward_tangent(const td_model* m, const td_state* state, td_work* w, double* dq,
                             double* dv, double* du) {
  if (!model_has(m, state, w) || !dq || !dv || !td_state_is_finite(m, state)) return TD_E_USAGE;

  // the drives are inputs, then internal states: the caller gets the columns of the inputs
  const arena_mark mark = arena_open(&w->scratch);
  const int all = model_drives(m), nv = m->nvel, nu = m->ninput;
  double* wide = du && all > nu ? arena_doubles(&w->scratch, nv * all) : du;
  td_status status = td_forward_tangent_rows(m, state, w, dq, dv, wide, NULL);
  for (int i = 0; wide != du && i < nv && nu > 0; i++)
    memcpy(du + i * nu, wide + i * all, (size_t)nu * sizeof(double));
  arena_close(&w->scratch, mark);
  if (status != TD_OK || (are_finite(dq, nv * nv) && are_finite(dv, nv * nv) && !du)) return status;

  // name the first that is not finite
  const char* const what = "a derivative of the acceleration of";
  status = td_finite(m, w, what, td_model_v_name, dq, nv, nv);
  if (status == TD_OK) status = td_finite(m, w, what, td_model_v_name, dv, nv, nv);
  if (status == TD_OK && du) status = td_finite(m, w, what, td_model_v_name, du, nv, nu);
  return status;
}

// Factor the system of the motion at the placed state, and solve it for one right-hand side.
static td_status solve_motion(const td_model* m, td_work* w, const double* f, const double* g,
                              double* x, double* l) {
  const arena_mark mark = arena_open(&w->scratch);
  td_system system;
  const td_status status = system_factor(m, w, SYSTEM_MOTION, &system);
  if (!f) f = arena_zeros(&w->scratch, m->nvel);
  if (status == TD_OK) system_solve(m, w, &system, f, g, 1, x, l);
  arena_close(&w->scratch, mark);
  return status;
}

// Solve M dv = Jᵀ P, J dv = g for the velocity changes dv and the impulses P.
td_status td_impulse(const td_model* m, td_work* w, const double* g, double* dv, double* impulse) {
  return solve_motion(m, w, NULL, g, dv, impulse);
}

// v' and multipliers (NULL: not wanted) of generalised forces f and of accelerations g of the
// constraints (NULL: none).
td_status td_driven_accelerations(const td_model* m, td_work* w, const double* f, const double* g,
                                  double* a, double* lambda) {
  return solve_motion(m, w, f, m->nrow > 0 ? g : NULL, a, m->nrow > 0 ? lambda : NULL);
}

// d v'/d(drives) (nv x drives) at a state that has been evaluated.
td_status td_input_accelerations(const td_model* m, const td_state* state, td_work* w, double* du) {
  const int nu = model_drives(m);
  if (nu == 0) return TD_OK;
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  td_system system;
  const td_status status = system_factor(m, w, SYSTEM_MOTION, &system);
  if (status == TD_OK) {
    // forces and drives of a unit of each input as right-hand sides
    double *B = arena_doubles(s, m->nvel * nu), *g = arena_doubles(s, m->nrow * nu);
    td_trial_input_map(m, state, w, B);
    for (int i = 0; i < m->nrow; i++)
      for (int j = 0; j < nu; j++) g[i * nu + j] = td_row_input(m, w, i, j);
    system_solve(m, w, &system, B, m->nrow > 0 ? g : NULL, nu, du, NULL);
  }

  arena_close(s, mark);
  return status;
}
