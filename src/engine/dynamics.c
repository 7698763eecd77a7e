// The equations at one state: forward dynamics, residual, bias, energy, and the linearised forward
// dynamics.
//
// A tree without constraints goes through the articulated-body recursion.  Constraints, shared
// coordinates or partly prescribed joints go through the mass matrix and the saddle-point system on
// the free coordinates,
//
//   M_ff x - J_fᵀ λ = -F_f(a0)      J_f x = drive - ë(a0)      v' = a0 + x,   a0 the prescribed
//   accelerations.
#include <math.h>
#include <string.h>

#include "engine/hop_strain.h"
#include "engine/sparse_engine.h"
#include "engine/stages.h"
#include "engine/taut.h"
#include "math/dense.h"

#define RANK_TOL \
  1e-10  // of a constraint row against its size: well above rounding, well below geometry

static bool is_recursive(const td_model* m) { return m->recursive && m->nrow == 0; }

// ---- the dense system -------------------------------------------------------------------------

typedef struct dense_system {
  td_arrow arrow;  // where `parted`
  td_kkt kkt;      // else
  bool parted;
  int rank;
  double *M, *J;  // nv x nv, nrow x nv: whole
  int n;          // free coordinates
} dense_system;

// Rows of slack cables: a rank that was found with others of them says nothing.
static int rows_off(const td_model* m, const td_work* w) {
  int off = 0;
  for (int i = 0; i < m->nrow; i++) off += row_is_off(m, w, i);
  return off;
}

static void gather_columns(const td_model* m, const double* from, int rows, double* to) {
  const int n = m->nfree_v;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++) to[i * n + j] = from[i * m->nvel + m->free_v[j]];
}

static bool is_strain(const td_model* m, int v) {
  return m->vel[v].hop >= 0 && is_step(&m->hop[m->vel[v].hop]);
}

// Each strain coordinate as heavy as the heaviest of its rod and strain, besides what M says.  In M
// alone a sharp bend close to the end of a rod is the lightest way to move the end: it would close
// loops by changes of the highest, stiffest shape functions.
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

static void weigh_strains(const td_model* m, double* M, arena* s) {
  const arena_mark mark = arena_open(s);
  double* more = arena_doubles(s, m->nvel);
  for (int i = 0; i < m->nvel; i++) more[i] = M[i * m->nvel + i];
  td_weigh_strains(m, more, s);
  for (int i = 0; i < m->nvel; i++) M[i * m->nvel + i] += more[i];
  arena_close(s, mark);
}

// Mass matrix and rows at the placed state, restricted to free coordinates and factored.  With
// `skip_row` it is that of projections; `weigh`: in their metric of positions.
static void dense_factor(const td_model* m, td_work* w, const bool* skip_row, bool weigh,
                         dense_system* d) {
  const int n = m->nfree_v, r = m->nrow;
  arena* s = &w->scratch;
  d->n = n;
  d->M = arena_doubles(s, m->nvel * m->nvel);
  d->J = arena_doubles(s, r * m->nvel);
  td_composite_mass(m, w, d->M);
  if (weigh) weigh_strains(m, d->M, s);

  // sizes of the rows are those of the last projected state, as long as there is one
  const bool keeps = !skip_row && w->rank.on && rows_off(m, w) == w->rank.off;
  double *row = w->row_size, *col = w->col_factor;
  if (!keeps) {
    row = arena_doubles(s, r);
    col = arena_doubles(s, n);
  }
  if (r == 0 || (keeps && w->rank.sized)) {
    td_row_jacobian(m, w, d->J);
  } else {
    td_row_jacobian_sized(m, w, d->J, d->M, row, col);
    if (keeps) w->rank.sized = true;
  }
  double *M = d->M, *J = d->J;
  for (int i = 0; skip_row && i < r; i++)
    if (skip_row[i]) memset(J + i * m->nvel, 0, (size_t)m->nvel * sizeof(double));
  if (n < m->nvel) {
    M = arena_doubles(s, n * n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) M[i * n + j] = d->M[m->free_v[i] * m->nvel + m->free_v[j]];
    J = arena_doubles(s, r * n);
    gather_columns(m, d->J, r, J);
  }
  td_row_scale scale = {.most = -1};
  if (r > 0) scale = (td_row_scale){row, col, -1, NULL};
  if (r > 0 && keeps) {
    scale.most = w->rank.most;
    if (w->rank.most == w->rank.last) scale.order = w->rank_order;
  }
  const arrow_shape shape = td_arrow_shape(m);
  const arena_mark mark = arena_open(s);
  d->parted = shape.nbranch > 0 && (scale.most < 0 || scale.most == r) &&
              td_arrow_factor(&d->arrow, &shape, M, J, &scale, RANK_TOL, s);
  d->rank = d->arrow.rank;
  d->kkt.singular = 0;
  if (d->parted) return;
  arena_close(s, mark);
  td_kkt_factor(&d->kkt, M, J, n, r, &scale, RANK_TOL, s);
  d->rank = d->kkt.rank;
}

static void dense_solve(const dense_system* d, const double* f, const double* g, int nrhs,
                        double* x, double* l, arena* s) {
  if (d->parted) {
    td_arrow_solve(&d->arrow, f, g, nrhs, x, l, s);
  } else {
    td_kkt_solve(&d->kkt, f, g, nrhs, x, l, s);
  }
}

// Whether the free coordinate v moves the joint it is in as those before it do: two axes in line.
// Axes that other joints share are left out.
static bool is_repeated(const td_model* m, const td_work* w, int v, bool* turns) {
  const int joint = m->vel[v].joint;
  spatial axis[6], last = spatial_zero();
  int n = 0;
  *turns = false;
  if (joint == 0 || m->vel[v].rod > 0 || m->vel[v].mesh > 0) return false;
  for (int i = 0; i < m->nhop; i++)
    for (int k = m->hop[i].col; k < m->hop[i].col + m->hop[i].nv; k++) {
      const model_dof* d = &m->vel[m->col[k].v];
      if (d->joint != joint || d->rod > 0 || d->mesh > 0 || d->motion != NUM_NONE) continue;
      if (!m->col[k].first || m->col[k].next >= 0) return false;
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

td_status td_report_singular(const td_model* m, td_work* w, int v, double share) {
  const char* name = m->nvel > 0 ? td_model_v_name(m, v) : "";
  bool turns;
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

// The coordinate that moves most in the direction that nothing resists stands for it.
static td_status report_null_vector(const td_model* m, td_work* w, const dense_system* d) {
  const td_kkt* kkt = &d->kkt;
  int worst = 0;
  double most = 0;
  for (int i = 0; kkt->null_vector && i < kkt->n; i++)
    if (fabs(kkt->null_vector[i]) > fabs(kkt->null_vector[worst])) worst = i;
  const int v = kkt->n > 0 ? m->free_v[worst] : 0;
  for (int i = 0; i < m->nvel; i++)
    if (m->vel[i].rod == m->vel[v].rod) most = fmax(most, d->M[i * m->nvel + i]);
  return td_report_singular(m, w, v, most > 0 ? d->M[v * m->nvel + v] / most : 0);
}

void td_prescribed_accelerations(const td_model* m, const td_work* w, double* a) {
  for (int i = 0; i < m->nvel; i++)
    a[i] = m->vel[i].motion == NUM_NONE ? 0 : w->num[m->vel[i].motion + 2];
}

// The factors stay in the scratch.
static td_status dense_forward(const td_model* m, td_work* w, dense_system* d) {
  arena* s = &w->scratch;
  const int nv = m->nvel, r = m->nrow;
  double *a0 = arena_doubles(s, nv), *F = arena_doubles(s, nv), *g = arena_doubles(s, r),
         *x = arena_doubles(s, nv);
  td_prescribed_accelerations(m, w, a0);
  const double* given = m->nfree_v < nv ? a0 : NULL;
  td_accelerate(m, w, given, true);
  td_inverse(m, w, F);
  dense_factor(m, w, NULL, false, d);
  if (r > 0) td_accelerate(m, w, given, false);
  for (int i = 0; i < r; i++) {
    const row_value v = td_row_at(m, w, i);
    g[i] = row_is_off(m, w, i) ? 0 : td_row_drive(m, w, i, &v) - v.edd;
  }
  for (int i = 0; i < d->n; i++)
    F[i] = -F[m->free_v[i]];  // ascending: never overwrites what is still needed
  w->flags = (td_flags){d->rank, r > d->rank};
  if (d->kkt.singular) return report_null_vector(m, w, d);
  dense_solve(d, F, g, 1, x, w->lambda, s);
  memcpy(w->vdot, a0, (size_t)nv * sizeof(double));
  for (int i = 0; i < d->n; i++) w->vdot[m->free_v[i]] = x[i];
  return TD_OK;
}

// Three numbers of a unit quaternion end at half a turn: going on would stop or turn back there.
static td_status report_half_turn(const td_model* m, td_work* w) {
  const model_hop* hop = &m->hop[w->edge];
  const model_dof* d = &m->vel[hop->nv > 0 ? m->col[hop->col].v : 0];
  td_work_fail(w,
               "%s reaches half a turn (t = %g s), where the vector part of a unit quaternion does "
               "not tell its motion any more; %s",
               m->names + d->name, w->t,
               d->rod > 0 ? "write the rod as several rods in a row"
                          : "write rot = [inf inf inf inf], or [axis inf] for one axis");
  return TD_E_SINGULAR;
}

static td_status report_full_turn(const td_model* m, td_work* w) {
  td_work_fail(
      w,
      "%s comes near a full turn (t = %g s), where the rotation vector that its spring acts "
      "along has no direction; write rotations [axis inf], or a stiffer spring",
      model_name(m, m->spring[w->wound].name), w->t);
  return TD_E_SINGULAR;
}

// v' and lambda of the forces that are there.
static td_status solve_forward(const td_model* m, td_work* w, dense_system* d) {
  w->failure[0] = 0;
  if (w->edge >= 0) return report_half_turn(m, w);
  if (w->wound >= 0) return report_full_turn(m, w);
  if (!is_recursive(m)) return m->sparse ? td_sparse_forward(m, w) : dense_forward(m, w, d);
  int bad;
  if (td_articulated(m, w, w->vdot, &bad)) return TD_OK;
  return td_report_singular(m, w, m->hop[bad].v, 0);
}

static td_status forward(const td_model* m, const td_state* state, td_work* w, dense_system* d) {
  td_enter(m, state, w);
  td_forces(m, w, FORCES_ALL);
  return solve_forward(m, w, d);
}

td_status td_solve_forward(const td_model* m, td_work* w) {
  const arena_mark mark = arena_open(&w->scratch);
  dense_system d;
  const td_status status = solve_forward(m, w, &d);
  arena_close(&w->scratch, mark);
  return status;
}

td_status td_trial_dynamics(const td_model* m, const td_state* state, td_work* w) {
  if (!model_has(m, state, w)) return TD_E_USAGE;
  const arena_mark mark = arena_open(&w->scratch);
  dense_system d;
  const td_status status = forward(m, state, w, &d);
  arena_close(&w->scratch, mark);
  return status;
}

td_status td_forward_dynamics(const td_model* m, const td_state* state, td_work* w) {
  if (!model_owns(m, state) || !td_state_is_finite(m, state)) return TD_E_USAGE;
  return td_trial_dynamics(m, state, w);
}

// ---- pieces -----------------------------------------------------------------------------------

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

td_status td_residual(const td_model* m, const td_state* state, td_work* w, const double* a,
                      const double* lambda, double* F) {
  if (!model_owns(m, state) || !a || !td_state_is_finite(m, state) || !are_finite(a, m->nvel) ||
      (lambda && !are_finite(lambda, m->nrow)))
    return TD_E_USAGE;
  return td_trial_residual(m, state, w, a, lambda, F);
}

td_status td_trial_mass_matrix(const td_model* m, const td_state* state, td_work* w, double* M) {
  if (!model_has(m, state, w) || !M) return TD_E_USAGE;
  td_enter(m, state, w);
  if (m->sparse && m->nvel > SPARSE_DENSE_LIMIT)
    td_sparse_mass_spread(m, w, M);
  else
    td_composite_mass(m, w, M);
  return TD_OK;
}

td_status td_mass_matrix(const td_model* m, const td_state* state, td_work* w, double* M) {
  if (!model_owns(m, state) || !td_state_is_finite(m, state)) return TD_E_USAGE;
  return td_trial_mass_matrix(m, state, w, M);
}

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

td_status td_bias(const td_model* m, const td_state* state, td_work* w, double* h, double* tau) {
  if (!model_owns(m, state) || !td_state_is_finite(m, state)) return TD_E_USAGE;
  return td_trial_bias(m, state, w, h, tau);
}

td_energies td_energies_at(const td_model* m, td_work* w) {
  td_energies e = {0, td_elastic_energy(m, w), 0};
  const vec3 g = vec3_scale(w->load, vec3_of(w->num + m->gravity));
  for (int i = 0; i < m->nhop; i++) {
    if (!w->hop_heavy[i]) continue;
    const hop_work* h = &w->hop[i];
    const spatial IV = inertia_apply(&h->I, &h->V);
    e.kinetic += 0.5 * spatial_dot(&h->V, &IV);
    if (m->gravity_constant) e.gravity -= vec3_dot(g, h->I.mc);
  }
  e.kinetic += td_fluid_kinetic(m, w);
  if (m->gravity_constant) e.gravity += td_fluid_buoyancy(m, w);
  return e;
}

td_energies td_trial_energy(const td_model* m, const td_state* state, td_work* w) {
  if (!model_has(m, state, w)) return (td_energies){NAN, NAN, NAN};
  td_enter(m, state, w);
  return td_energies_at(m, w);
}

td_energies td_energy(const td_model* m, const td_state* state, td_work* w) {
  if (!model_owns(m, state) || !td_state_is_finite(m, state)) return (td_energies){NAN, NAN, NAN};
  return td_trial_energy(m, state, w);
}

// What is moved as time tells takes an effort, which follows from v'.
static bool is_driven(const td_model* m) { return m->nfree_v < m->nvel || m->strains_timed; }

// Rows that are met and at rest do no work: their rate is zero.
bool td_power_needs_motion(const td_model* m) {
  for (int i = 0; i < m->nrow; i++) {
    const model_row* r = &m->row[i];
    if (r->target == TARGET_CONTROL || r->target == TARGET_MOTION || !r->projected) return true;
  }
  return is_driven(m);
}

// Of forces, and of gravity where it has no potential.
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

double td_power_unmoved(const td_model* m, const td_state* state, td_work* w) {
  td_enter(m, state, w);
  return outer_power(m, w, false);
}

double td_power(const td_model* m, const td_state* state, td_work* w) {
  td_enter(m, state, w);
  td_forces(m, w, FORCES_ALL);
  return td_power_placed(m, w);
}

double td_power_placed(const td_model* m, td_work* w) {
  const arena_mark mark = arena_open(&w->scratch);
  double* F = arena_doubles(&w->scratch, m->nvel);
  double power = outer_power(m, w, true);
  for (int i = 0; i < m->nrow; i++)
    if (!row_is_off(m, w, i)) power += w->lambda[i] * td_row_at(m, w, i).ed;
  if (is_driven(m)) {  // the effort of prescribed motion is what is left in its rows
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

td_status td_trial_station_positions(const td_model* m, const td_state* state, td_work* w,
                                     int first, int n, double* positions) {
  if (!model_has(m, state, w) || first < 0 || n < 0 || first > m->nstation - n ||
      (!positions && n > 0))
    return TD_E_USAGE;
  td_enter(m, state, w);
  for (int i = 0; i < n; i++) vec3_put(positions + 3 * (size_t)i, td_frame(m, w, first + i).p);
  return TD_OK;
}

td_status td_station_positions(const td_model* m, const td_state* state, td_work* w, int first,
                               int n, double* positions) {
  if (!model_owns(m, state) || !td_state_is_finite(m, state)) return TD_E_USAGE;
  return td_trial_station_positions(m, state, w, first, n, positions);
}

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

td_status td_station(const td_model* m, const td_state* state, td_work* w, int station,
                     double pose_out[16], double twist[6]) {
  if (!model_owns(m, state) || !td_state_is_finite(m, state)) return TD_E_USAGE;
  return td_trial_station(m, state, w, station, pose_out, twist);
}

// ---- linearised forward dynamics --------------------------------------------------------------

// d v'/dx = -M⁻¹ dF/dx with the factors of the recursion that has just given v'.
static void recursive_tangent(const td_model* m, const td_state* state, td_work* w, double* dq,
                              double* dv, double* du) {
  arena* s = &w->scratch;
  const int nv = m->nvel, nu = du ? model_drives(m) : 0, cols = 2 * nv + nu;
  const int width = (cols + MASS_WIDTH - 1) / MASS_WIDTH * MASS_WIDTH;
  mass_factor* factor = arena_bytes(s, (size_t)m->nvel * sizeof(mass_factor));
  double* f = arena_zeros(s, nv * width);
  td_mass_factors(m, w, factor);
  td_tangent_at(m, w, w->vdot, NULL, dq, dv);
  if (du) td_trial_input_map(m, state, w, du);
  for (int i = 0; i < nv; i++) {
    double* row = f + i * width;
    for (int j = 0; j < nv; j++) row[j] = -dq[i * nv + j];
    for (int j = 0; j < nv; j++) row[nv + j] = -dv[i * nv + j];
    for (int j = 0; j < nu; j++) row[2 * nv + j] = du[i * nu + j];
  }
  td_mass_solve(m, w, factor, f, width);
  for (int i = 0; i < nv; i++) {
    const double* row = f + i * width;
    memcpy(dq + i * nv, row, (size_t)nv * sizeof(double));
    memcpy(dv + i * nv, row + nv, (size_t)nv * sizeof(double));
    if (du) memcpy(du + i * nu, row + 2 * nv, (size_t)nu * sizeof(double));
  }
}

// Columns of [dq dv du] of the right-hand sides, free rows only: n x (2 nv + nu) and nrow x (2 nv +
// nu).
static void tangent_right_sides(const td_model* m, const td_state* state, td_work* w, bool inputs,
                                double* f, double* g) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  const int nv = m->nvel, nu = inputs ? model_drives(m) : 0, cols = 2 * nv + nu, r = m->nrow;
  double *dq = arena_doubles(s, max_int(nv, r) * nv), *dv = arena_doubles(s, max_int(nv, r) * nv);
  double* B = arena_doubles(s, nv * nu);
  td_tangent_at(m, w, w->vdot, w->lambda, dq, dv);
  for (int i = 0; i < m->nfree_v; i++) {
    const int v = m->free_v[i];
    for (int j = 0; j < nv; j++) {
      f[i * cols + j] = -dq[v * nv + j];
      f[i * cols + nv + j] = -dv[v * nv + j];
    }
  }
  if (r > 0) td_constraint_tangent_at(m, w, w->vdot, true, dq, dv);
  for (int i = 0; i < r; i++)
    for (int j = 0; j < nv; j++) {
      g[i * cols + j] = -dq[i * nv + j];
      g[i * cols + nv + j] = -dv[i * nv + j];
    }
  if (inputs) td_trial_input_map(m, state, w, B);
  for (int j = 0; j < nu; j++) {
    for (int i = 0; i < m->nfree_v; i++) f[i * cols + 2 * nv + j] = B[m->free_v[i] * nu + j];
    for (int i = 0; i < r; i++) g[i * cols + 2 * nv + j] = td_row_input(m, w, i, j);
  }
  arena_close(s, mark);
}

static void scatter(const td_model* m, const double* x, int cols, int first, int n, double* out) {
  memset(out, 0, (size_t)m->nvel * (size_t)n * sizeof(double));
  for (int i = 0; i < m->nfree_v; i++)
    memcpy(out + m->free_v[i] * n, x + i * cols + first, (size_t)n * sizeof(double));
}

static void dense_tangent(const td_model* m, const td_state* state, td_work* w,
                          const dense_system* d, double* dq, double* dv, double* du,
                          double* dlambda) {
  arena* s = &w->scratch;
  const int nv = m->nvel, n = m->nfree_v, cols = 2 * nv + (du ? model_drives(m) : 0), r = m->nrow;
  double *f = arena_doubles(s, n * cols), *g = arena_doubles(s, r * cols),
         *x = arena_doubles(s, n * cols);
  tangent_right_sides(m, state, w, du != NULL, f, g);
  dense_solve(d, f, r > 0 ? g : NULL, cols, x, dlambda, s);
  scatter(m, x, cols, 0, nv, dq);
  scatter(m, x, cols, nv, nv, dv);
  if (du) scatter(m, x, cols, 2 * nv, model_drives(m), du);
}

td_status td_forward_tangent_rows(const td_model* m, const td_state* state, td_work* w, double* dq,
                                  double* dv, double* du, double* dlambda) {
  const arena_mark mark = arena_open(&w->scratch);
  dense_system d;
  td_status status = forward(m, state, w, &d);
  if (status == TD_OK && m->sparse) {
    status = td_sparse_forward_tangent(m, state, w, dq, dv, du, dlambda);
  } else if (status == TD_OK && is_recursive(m)) {
    recursive_tangent(m, state, w, dq, dv, du);
  } else if (status == TD_OK) {
    dense_tangent(m, state, w, &d, dq, dv, du, dlambda);
  }
  arena_close(&w->scratch, mark);
  return status;
}

td_status td_trial_forward_tangent(const td_model* m, const td_state* state, td_work* w, double* dq,
                                   double* dv, double* du) {
  if (!model_has(m, state, w) || !dq || !dv) return TD_E_USAGE;
  return td_forward_tangent_rows(m, state, w, dq, dv, du, NULL);
}

td_status td_forward_tangent(const td_model* m, const td_state* state, td_work* w, double* dq,
                             double* dv, double* du) {
  if (!model_owns(m, state) || !td_state_is_finite(m, state)) return TD_E_USAGE;
  if (!du || m->ninternal == 0 || !model_works(m, w))
    return td_trial_forward_tangent(m, state, w, dq, dv, du);

  // inputs are the first of the drives
  const arena_mark mark = arena_open(&w->scratch);
  const int all = model_drives(m);
  double* wide = arena_doubles(&w->scratch, m->nvel * all);
  const td_status status = td_trial_forward_tangent(m, state, w, dq, dv, wide);
  for (int i = 0; i < m->nvel && m->ninput > 0; i++)
    memcpy(du + i * m->ninput, wide + i * all, (size_t)m->ninput * sizeof(double));
  arena_close(&w->scratch, mark);
  return status;
}

// v' of generalised forces f (nv x k) alone and of drives g of the constraint rows (nrow x k, may
// be NULL), after td_forward_dynamics at this very state.
static td_status answers(const td_model* m, td_work* w, const double* f, const double* g, int k,
                         double* a, double* lambda) {
  if (m->sparse) return td_sparse_answers(m, w, f, g, k, a, lambda);
  arena* s = &w->scratch;
  const int n = m->nfree_v;
  double *free_f = arena_doubles(s, n * k), *x = arena_doubles(s, n * k);
  for (int i = 0; i < n; i++)
    memcpy(free_f + i * k, f + m->free_v[i] * k, (size_t)k * sizeof(double));
  dense_system d;
  dense_factor(m, w, NULL, false, &d);
  if (d.kkt.singular) return report_null_vector(m, w, &d);
  dense_solve(&d, free_f, g, k, x, lambda, s);
  scatter(m, x, k, 0, k, a);
  return TD_OK;
}

td_status td_impulse(const td_model* m, td_work* w, const double* g, double* dv, double* impulse) {
  const arena_mark mark = arena_open(&w->scratch);
  const double* none = arena_zeros(&w->scratch, m->nvel);
  const td_status status = answers(m, w, none, g, 1, dv, impulse);
  arena_close(&w->scratch, mark);
  return status;
}

static void recursive_answers(const td_model* m, td_work* w, const mass_factor* factor,
                              const double* f, int k, double* a) {
  const int nv = m->nvel, width = (k + MASS_WIDTH - 1) / MASS_WIDTH * MASS_WIDTH;
  double* wide = arena_zeros(&w->scratch, nv * width);
  for (int i = 0; i < nv; i++) memcpy(wide + i * width, f + i * k, (size_t)k * sizeof(double));
  td_mass_solve(m, w, factor, wide, width);
  for (int i = 0; i < nv; i++) memcpy(a + i * k, wide + i * width, (size_t)k * sizeof(double));
}

td_status td_force_accelerations(const td_model* m, td_work* w, const double* f, double* a) {
  const arena_mark mark = arena_open(&w->scratch);
  td_status status = TD_OK;
  if (is_recursive(m) && !m->sparse) {  // nodes of networks leave no factors of the recursion
    mass_factor* factor = arena_bytes(&w->scratch, (size_t)m->nvel * sizeof(mass_factor));
    td_mass_factors(m, w, factor);
    recursive_answers(m, w, factor, f, 1, a);
  } else {
    status = answers(m, w, f, NULL, 1, a, NULL);
  }
  arena_close(&w->scratch, mark);
  return status;
}

td_status td_input_accelerations(const td_model* m, const td_state* state, td_work* w, double* du) {
  arena* s = &w->scratch;
  const int nv = m->nvel, nu = model_drives(m);
  if (nu == 0) return TD_OK;
  const arena_mark mark = arena_open(s);
  double *B = arena_doubles(s, nv * nu), *g = arena_doubles(s, m->nrow * nu);
  td_status status = TD_OK;
  if (is_recursive(m) && !m->sparse) {
    mass_factor* factor = arena_bytes(s, (size_t)nv * sizeof(mass_factor));
    td_mass_factors(m, w, factor);
    td_trial_input_map(m, state, w, B);
    recursive_answers(m, w, factor, B, nu, du);
  } else {
    td_trial_input_map(m, state, w, B);
    for (int i = 0; i < m->nrow; i++)
      for (int j = 0; j < nu; j++) g[i * nu + j] = td_row_input(m, w, i, j);
    status = answers(m, w, B, m->nrow > 0 ? g : NULL, nu, du, NULL);
  }
  arena_close(s, mark);
  return status;
}

// ---- projection -------------------------------------------------------------------------------

static void skipped_rows(const td_model* m, const td_work* w, bool* skip) {
  for (int i = 0; i < m->nrow; i++) skip[i] = !row_is_projected(m, w, i);
}

// Position or velocity errors of the projected rows; largest absolute value.
double td_row_errors(const td_model* m, const td_work* w, bool rate, double* out) {
  double worst = 0;
  for (int i = 0; i < m->nrow; i++) {
    const row_value v = td_row_at(m, w, i);
    double e, ed;
    td_row_target(m, w, i, &e, &ed);
    const bool on = row_is_projected(m, w, i) && !row_is_off(m, w, i);
    out[i] = on ? (rate ? v.ed - ed : v.e - e) : 0;
    worst = fmax(worst, fabs(out[i]));
    if (!isfinite(out[i])) return INFINITY;
  }
  return worst;
}

// The metric and the rows of a projection, factored.  Those of a state so near that it makes no
// difference to the result serve on, as long as corrections with them converge fast.
typedef struct metric {
  dense_system d;
  arena_mark before;
  bool weigh;  // strains by more than their masses, as positions need it; velocities alone change
               // by an impulse, in the metric of the masses
  bool ready;
  double error;  // of the positions where it was made
} metric;
#define NEAR 1e-6  // the result differs by the product of such errors

static metric metric_new(bool weigh, arena* s) {
  return (metric){.before = arena_open(s), .weigh = weigh};
}

// One step δ of least size, weighted by mass, with J δ = -error.
static td_status correct(const td_model* m, td_work* w, metric* k, const double* error,
                         double* delta) {
  if (m->sparse) return td_sparse_correct(m, w, error, k->weigh, delta);
  arena* s = &w->scratch;
  if (!k->ready) {
    arena_close(s, k->before);
    bool* skip = arena_bytes(s, (size_t)m->nrow);
    skipped_rows(m, w, skip);
    dense_factor(m, w, skip, k->weigh, &k->d);
    k->ready = true;
  }
  if (k->d.kkt.singular) return report_null_vector(m, w, &k->d);
  const arena_mark mark = arena_open(s);
  double *g = arena_doubles(s, m->nrow), *zero = arena_zeros(s, m->nvel),
         *x = arena_doubles(s, m->nvel);
  for (int i = 0; i < m->nrow; i++) g[i] = -error[i];
  dense_solve(&k->d, zero, g, 1, x, NULL, s);
  memset(delta, 0, (size_t)m->nvel * sizeof(double));
  for (int i = 0; i < k->d.n; i++) delta[m->free_v[i]] = x[i];
  arena_close(s, mark);
  return TD_OK;
}

// Largest rotation [rad] that a step turns a joint or bends a rod by, up to any of its sections.
// The state has been placed.
double td_largest_turn(const td_model* m, td_work* w, const double* delta) {
  double most = 0;
  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    const bool on = is_step(hop) && hop->parent >= 0 && is_step(&m->hop[hop->parent]);
    spatial sum = on ? w->df[hop->parent] : spatial_zero();
    if (is_step(hop)) sum = spatial_add(sum, td_strain_acceleration(m, w, hop, delta));
    for (int k = hop->col; k < hop->col + hop->nv && !is_step(hop); k++)
      sum = spatial_axpy(delta[m->col[k].v], w->col[k].S, sum);
    w->df[i] = sum;
    most = fmax(most, vec3_norm(spatial_r(&sum)));
  }
  return most;
}

// Newton's method on the positions, down to tol; where rounding or redundant rows keep it above,
// down to `accept`.  The state is left placed.
static td_status project_positions(const td_model* m, td_state* state, td_work* w, double tol,
                                   double accept, metric* k, double* e, double* delta) {
  double before = INFINITY, error = INFINITY;
  bool fresh = false;  // the last correction was made with factors of its own
  for (int iteration = 0; iteration < 30; iteration++) {
    td_place(m, state, w);
    error = td_row_errors(m, w, false, e);
    if (error <= tol) return TD_OK;
    if (error <= accept && error > 0.5 * before && fresh) return TD_OK;
    if (error > 0.1 * before || error > 1e-3 * NEAR) k->ready = false;
    before = error;
    fresh = !k->ready;
    if (fresh) k->error = error;
    if (!isfinite(error) || correct(m, w, k, e, delta) != TD_OK) break;
    // a rotation by more than half a radian is outside the reach of Newton's method
    const double largest = td_largest_turn(m, w, delta);
    for (int i = 0; i < m->nvel && largest > 0.5; i++) delta[i] *= 0.5 / largest;
    td_trial_displace(m, state->q, delta, state->q);
  }
  if (error <= accept) return TD_OK;
  int worst = 0;
  for (int i = 1; i < m->nrow; i++)
    if (fabs(e[i]) > fabs(e[worst])) worst = i;
  td_work_fail(
      w, "the constraints cannot be met from this configuration (t = %g s): %s is off by %.3g",
      state->t, td_model_constraint_name(m, worst), e[worst]);
  return TD_E_DIVERGED;
}

// The rows are linear in the velocities: one step does it with their own factors, a few with those
// of a state near by, and what is left follows from J (nrow x nvel).  The state comes placed.
static td_status project_velocities(const td_model* m, td_state* state, td_work* w, metric* k,
                                    double* J, double* e, double* delta) {
  double size = 1, before = INFINITY, error = td_row_errors(m, w, true, e);
  if (k->error > NEAR || m->sparse) k->ready = false;
  if (k->ready) td_row_jacobian(m, w, J);
  for (int i = 0; i < m->nvel; i++) size = fmax(size, fabs(state->v[i]));
  for (int iteration = 0; iteration < 5 && error > 1e-14 * size; iteration++) {
    if (error > 0.1 * before) k->ready = false;
    before = error;
    const bool exact = !k->ready;
    TD_TRY(correct(m, w, k, e, delta));
    for (int i = 0; i < m->nvel; i++) state->v[i] += delta[i];
    if (exact) return TD_OK;
    error = 0;
    for (int i = 0; i < m->nrow; i++) {
      for (int j = 0; j < m->nvel && row_is_projected(m, w, i); j++)
        e[i] += J[i * m->nvel + j] * delta[j];
      error = fmax(error, fabs(e[i]));
    }
  }
  return TD_OK;
}

static td_status project(const td_model* m, td_state* state, td_work* w, bool positions,
                         bool velocities, double tol, double accept) {
  if (m->nrow == 0) return TD_OK;
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double *e = arena_doubles(s, m->nrow), *delta = arena_doubles(s, m->nvel);
  double* J = arena_doubles(s, m->sparse ? 0 : m->nrow * m->nvel);
  metric k = metric_new(positions, s);
  td_status status = TD_OK;
  td_prepare(m, w);
  if (positions) {
    status = project_positions(m, state, w, tol, accept, &k, e, delta);
  } else {
    td_place(m, state, w);
  }
  if (status == TD_OK && velocities) status = project_velocities(m, state, w, &k, J, e, delta);
  arena_close(s, mark);
  return status;
}

// ---- rank of the rows -------------------------------------------------------------------------

// Jacobian (nrow x nvel) of the rows at a state, with their sizes and the factors of the columns.
static void sized_rows(const td_model* m, const td_state* state, td_work* w, double* J, double* row,
                       double* col) {
  td_enter(m, state, w);
  const arena_mark mark = arena_open(&w->scratch);
  double* M = arena_doubles(&w->scratch, m->nvel * m->nvel);
  td_composite_mass(m, w, M);
  td_row_jacobian_sized(m, w, J, M, row, col);
  arena_close(&w->scratch, mark);
}

void td_constraint_scales(const td_model* m, const td_state* state, td_work* w, double* row,
                          double* col) {
  const arena_mark mark = arena_open(&w->scratch);
  sized_rows(m, state, w, arena_doubles(&w->scratch, m->nrow * m->nvel), row, col);
  arena_close(&w->scratch, mark);
}

static int rank_of(const td_model* m, const td_state* state, td_work* w, double* row, double* col,
                   int* order) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double *J = arena_doubles(s, m->nrow * m->nvel), *free_J = arena_doubles(s, m->nrow * m->nfree_v);
  sized_rows(m, state, w, J, row, col);
  gather_columns(m, J, m->nrow, free_J);
  const td_row_scale scale = {row, col, -1, NULL};
  const int rank = td_row_rank(free_J, m->nfree_v, m->nrow, &scale, RANK_TOL, order, s);
  arena_close(s, mark);
  return rank;
}

int td_constraint_rank(const td_model* m, const td_state* state, td_work* w, int* order) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double *row = arena_doubles(s, m->nrow), *col = arena_doubles(s, m->nfree_v);
  const int rank = rank_of(m, state, w, row, col, order);
  arena_close(s, mark);
  return rank;
}

int td_constraint_rank_around(const td_model* m, const td_state* state, td_work* w, int* order) {
  static const double turn =
      0.02;  // [rad]: out of a singular position, and back by Newton's method
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  int rank = td_constraint_rank(m, state, w, order);
  int* other = arena_ints(s, m->nrow);
  double *delta = arena_doubles(s, m->nvel), *e = arena_doubles(s, m->nrow);
  td_state near = {.t = state->t, .u = state->u, .z = state->z};
  near.q = arena_doubles(s, m->npos);
  near.v = arena_zeros(s, m->nvel);
  for (int attempt = 0; attempt < 2 && rank < min_int(m->nrow, m->nfree_v); attempt++) {
    // some direction, taken out of the way of the constraints to first order
    memset(delta, 0, (size_t)m->nvel * sizeof(double));
    for (int j = 0; j < m->nfree_v; j++) delta[m->free_v[j]] = cos(1 + (2 + attempt) * j);
    memcpy(near.q, state->q, (size_t)m->npos * sizeof(double));
    memcpy(near.v, delta, (size_t)m->nvel * sizeof(double));
    if (td_project_v(m, &near, w) != TD_OK) break;
    td_row_errors(m, w, true, e);
    const double largest = td_largest_turn(m, w, near.v);
    const double factor = largest > 0 ? turn / largest : 0;
    for (int j = 0; j < m->nvel; j++) delta[j] = factor * near.v[j];
    memset(near.v, 0, (size_t)m->nvel * sizeof(double));
    td_trial_displace(m, near.q, delta, near.q);
    if (td_project_q(m, &near, w, 1e-12) != TD_OK) continue;
    const int found = td_constraint_rank(m, &near, w, other);
    if (found <= rank) continue;
    rank = found;
    if (order) memcpy(order, other, (size_t)rank * sizeof(int));
  }
  w->failure[0] = 0;
  arena_close(s, mark);
  return rank;
}

int td_shaky_row(const td_model* m, const td_state* state, td_work* w, double* energy) {
  // [rad]: beside the state; and as far as loops that are closed to 1e-10 may be from it, which
  // they open by the square of the way
  static const double turn = 0.01, drift = 1e-5;
  arena own;
  char* memory;
  *energy = 0;
  if (m->nrow == 0 || !td_lend_dense(m, w, &own, &memory)) return -1;
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  const int rank = td_constraint_rank(m, state, w, NULL);
  double *delta = arena_doubles(s, m->nvel), *e = arena_doubles(s, m->nrow);
  td_state near = {.t = state->t, .u = state->u, .z = state->z};
  near.q = arena_doubles(s, m->npos);
  near.v = arena_zeros(s, m->nvel);
  const td_energies here = td_trial_energy(m, state, w);
  int row = -1, back = 0;
  enum { WAYS = 2 };
  for (int way = 0; way < WAYS && rank < min_int(m->nrow, m->nfree_v); way++) {
    // some way that the rows allow to first order
    memset(near.v, 0, (size_t)m->nvel * sizeof(double));
    for (int j = 0; j < m->nfree_v; j++) near.v[m->free_v[j]] = cos(2 + (3 + way) * j);
    memcpy(near.q, state->q, (size_t)m->npos * sizeof(double));
    if (td_project_v(m, &near, w) != TD_OK) break;
    const double largest = td_largest_turn(m, w, near.v);
    if (!(largest > 0)) break;
    for (int j = 0; j < m->nvel; j++) delta[j] = drift / largest * near.v[j];
    memset(near.v, 0, (size_t)m->nvel * sizeof(double));
    td_trial_displace(m, state->q, delta, near.q);
    const td_energies there = td_trial_energy(m, &near, w);
    *energy = fmax(*energy, fabs(there.elastic + there.gravity - here.elastic - here.gravity));
    for (int j = 0; j < m->nvel; j++) delta[j] *= turn / drift;
    td_trial_displace(m, state->q, delta, near.q);

    // the row that opens most, and how far from here closing it leaves the robot
    double gone = 0, left = 0;
    for (int j = 0; j < m->npos; j++) gone += pow(near.q[j] - state->q[j], 2);
    w->placed = false;
    td_constraint_error(m, &near, w, &e[0], &e[0]);
    td_row_errors(m, w, false, e);
    int opens = 0;
    for (int i = 1; i < m->nrow; i++)
      if (fabs(e[i]) > fabs(e[opens])) opens = i;
    const bool closes = td_project_q(m, &near, w, 1e-12) == TD_OK;
    for (int j = 0; j < m->npos; j++) left += pow(near.q[j] - state->q[j], 2);
    if (closes && sqrt(left) > 0.1 * sqrt(gone)) break;
    row = opens;
    back++;
  }
  w->failure[0] = 0;
  w->placed = false;
  arena_close(s, mark);
  td_take_back(w, &own, memory);
  return back == WAYS ? row : -1;
}

void td_rank_keep(const td_model* m, const td_state* state, td_work* w, bool first) {
  if (m->nrow == 0 || m->sparse) return;
  const int off = rows_off(m, w), before = w->rank.off == off ? w->rank.last : 0;
  int now;
  if (first) {
    now = td_constraint_rank_around(m, state, w, w->rank_order);
  } else {
    now = rank_of(m, state, w, w->row_size, w->col_factor, w->rank_order);
  }
  w->rank.sized = !first;
  // fewer than before are a singular position on the way, which the motion passes
  w->rank.on = true;
  w->rank.last = now;
  w->rank.off = off;
  w->rank.most = max_int(now, before);
}

void td_rank_forget(td_work* w) { w->rank.on = false; }

void td_rank_resize(td_work* w) { w->rank.sized = false; }

bool td_corrections(const td_model* m, td_work* w, double* B) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  const int r = m->nrow, n = m->nfree_v;
  bool* skip = arena_bytes(s, (size_t)r);
  double *unit = arena_zeros(s, r * r), *zero = arena_zeros(s, n * r), *x = arena_doubles(s, n * r);
  dense_system d;
  skipped_rows(m, w, skip);
  dense_factor(m, w, skip, true, &d);
  for (int i = 0; i < r; i++) unit[i * r + i] = !skip[i];
  if (!d.kkt.singular) dense_solve(&d, zero, unit, r, x, NULL, s);
  memset(B, 0, (size_t)m->nvel * (size_t)r * sizeof(double));
  for (int i = 0; i < n && !d.kkt.singular; i++)
    memcpy(B + m->free_v[i] * r, x + i * r, (size_t)r * sizeof(double));
  arena_close(s, mark);
  return !d.kkt.singular;
}

td_status td_project_q(const td_model* m, td_state* state, td_work* w, double tol) {
  return project(m, state, w, true, false, tol, tol);
}
td_status td_project_q_within(const td_model* m, td_state* state, td_work* w, double tol,
                              double accept) {
  return project(m, state, w, true, false, tol, accept);
}
td_status td_project_v(const td_model* m, td_state* state, td_work* w) {
  return project(m, state, w, false, true, 0, 0);
}
td_status td_project(const td_model* m, td_state* state, td_work* w, double tol, double accept) {
  return project(m, state, w, true, true, tol, accept);
}

void td_constraint_error(const td_model* m, const td_state* state, td_work* w, double* e,
                         double* edot) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double* rows = arena_doubles(s, m->nrow);
  td_prepare(m, w);
  td_place(m, state, w);
  *e = td_row_errors(m, w, false, rows);
  *edot = td_row_errors(m, w, true, rows);
  arena_close(s, mark);
}
