// Closing of kinematic loops at the start.  A loop is closed by its own coordinates, and by as few
// of them as will do:
//
//   1. joints of the loop between rigid parts,
//   2. also its rods, by bending and torsion,
//   3. also its rods, by shear and stretch.
//
// Nothing outside a loop moves: a DOF is in the loop when it moves one end and not the other.  Each
// stage is Newton's method from the initial values,
//
//   J δ = -e,   δᵀ(H + μ M) δ least,   H the stiffness of the rods, M the masses that the DOFs move
//
// A straight rod cannot bring its ends nearer by a little bending; where a stage with rods comes to
// a standstill it starts again from rods bent into arcs.  The arc, and the iteration from it, bend
// rods more than the loop needs. From there the elastic energy E of the rods is lowered along the
// closed configurations,
//
//   J δ = 0,   gᵀδ + ½ δᵀ(H + μ M) δ least,   g = dE/dq,  H by Gauss and Newton
//
// where each step is closed again, and shortened until E falls.  Joints with an initial value of
// their own stay where they were closed.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/hop_strain.h"
#include "engine/sparse_engine.h"
#include "engine/system.h"
#include "engine/taut.h"
#include "math/dense.h"

// Role of a velocity in the loops: the stage from which on it takes part in closing them.
typedef enum loop_role { OUTSIDE, RIGID, BENDING, STRETCHING } loop_role;

// Traits of the model of a rod, whose numbers begin with 1.
static const rod_model_traits* model_of(const td_model* m, int rod) {
  return &td_rod_models[m->rod[rod - 1].model];
}

// Set `bit` for all hops that carry a station.  The free nodes of a rod hang on the ground; there
// the search goes on at the node before, up to what carries the rod.
static void mark_ancestors(const td_model* m, int station, int bit, int* on) {
  while (station >= 0) {
    int root = -1;
    for (int h = m->station[station].hop; h >= 0; h = m->hop[h].parent) {
      on[h] |= bit;
      root = h;
    }
    station = -1;
    for (int i = 0; i < m->nnode && root >= 0; i++) {
      int h = m->station[m->node[i].station].hop;
      while (h >= 0 && m->hop[h].parent >= 0) h = m->hop[h].parent;
      if (h == root) station = m->node[i].from;
    }
  }
}

// Find the role of each velocity in the loops.
static void find_roles(const td_model* m, loop_role* out, arena* s) {
  const arena_mark mark = arena_open(s);
  int* on = arena_ints(s, m->nhop);
  for (int j = 0; j < m->nvel; j++) out[j] = OUTSIDE;

  for (int i = 0; i < m->nrow; i++) {
    const model_row* r = &m->row[i];
    if (!row_has_frames(r->kind) || !r->projected) continue;

    // the hops that carry each of the row's stations
    memset(on, 0, (size_t)m->nhop * sizeof(int));
    mark_ancestors(m, r->a, 1, on);
    mark_ancestors(m, r->b, 2, on);
    mark_ancestors(m, r->c, 4, on);

    // a hop that carries all or none of them does not change the row
    for (int k = 0; k < m->ncol; k++) {
      const int which = on[m->col[k].hop], v = m->col[k].v;
      const model_dof* d = &m->vel[v];
      if (which == 0 || which == 7 || (which == 3 && r->c < 0)) continue;
      // coordinates that are positions bend and stretch a rod at once
      out[v] = d->rod == 0                                     ? RIGID
               : model_of(m, d->rod)->positions || d->dof >= 4 ? BENDING
                                                               : STRETCHING;
    }
  }

  for (int j = 0; j < m->nvel; j++)
    if (m->vel[j].motion != NUM_NONE) out[j] = OUTSIDE;
  arena_close(s, mark);
}

// Mark the velocities of rods in loops that cannot stretch: those whose strains are coordinates,
// without one along the axis.
void td_stiff_loop_rods(const td_model* m, td_work* w, bool* out) {
  memset(out, 0, (size_t)m->nvel * sizeof(bool));
  if (m->nrow == 0) return;
  const arena_mark mark = arena_open(&w->scratch);
  loop_role* role = arena_bytes(&w->scratch, (size_t)m->nvel * sizeof(loop_role));
  find_roles(m, role, &w->scratch);

  for (int j = 0; j < m->nvel; j++) {
    const int rod = m->vel[j].rod;
    out[j] = rod > 0 && role[j] != OUTSIDE && !model_of(m, rod)->positions;
    for (int k = 0; out[j] && k < m->nvel; k++)
      if (m->vel[k].rod == rod && m->vel[k].dof == 3) out[j] = false;
  }

  arena_close(&w->scratch, mark);
}

// Elastic energy E of the rods in the loops.  With g and H (not NULL): also its gradient g (n) by
// the DOFs `v` and the stiffness H (n x n) without its geometric part, for which the columns'
// tangent vectors are computed at the placed state.  In the bending stage rods with free nodes,
// which could stretch, are made a hundred times stiffer against shear and stretch.
static double rod_energy(const td_model* m, td_work* w, const int* v, int n, loop_role most,
                         double* g, double* H) {
  static const double stiffer = 100;
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  int *own = arena_ints(s, m->nvel), *met = arena_ints(s, n);
  double *dx = arena_doubles(s, 6 * n), *zero = arena_zeros(s, m->nvel), energy = 0;

  // rods that the DOFs belong to, and the place of each DOF in `v`
  bool* in = arena_bytes(s, (size_t)m->nrod + 1);
  memset(in, 0, (size_t)m->nrod + 1);
  for (int j = 0; j < m->nvel; j++) own[j] = -1;

  for (int k = 0; k < n; k++) {
    own[v[k]] = k;
    in[m->vel[v[k]].rod] = true;
  }

  // clear the sums, and compute the columns' tangent vectors
  if (g) {
    memset(g, 0, (size_t)n * sizeof(double));
    memset(H, 0, (size_t)n * (size_t)n * sizeof(double));
    td_tangent_columns(m, w, zero);
  }

  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    if (f->rod == 0 || !in[f->rod]) continue;

    // energy ½ l (x - x0)ᵀ K (x - x0) of the piece
    const double* x0 = w->num + f->section + SECTION_X0;
    const double length = w->num[f->section + SECTION_LENGTH];
    double K[36], x[6], stress[6];
    const double more = most == BENDING && model_of(m, f->rod)->nodes ? sqrt(stiffer) : 1;
    for (int a = 0; a < 6; a++)
      for (int b = 0; b < 6; b++)
        K[6 * a + b] =
            w->num[f->section + SECTION_K + 6 * a + b] * (a < 3 ? more : 1) * (b < 3 ? more : 1);
    td_strains(m, w, f, x);
    for (int a = 0; a < 6; a++) {
      stress[a] = 0;
      for (int b = 0; b < 6; b++) stress[a] += length * K[6 * a + b] * (x[b] - x0[b]);
      energy += 0.5 * stress[a] * (x[a] - x0[a]);
    }
    if (!g) continue;

    // derivatives dx of the strains by the DOFs that they depend on
    int nmet = 0;
    memset(dx, 0, (size_t)(6 * n) * sizeof(double));
    for (int c = 0; c < m->ncol; c++) {
      const int k = own[m->col[c].v], hop = m->col[c].hop;
      if (k < 0 || !m->col[c].leads) continue;
      if (strain_is_link(f) && !station_moves(m, f->a, hop) && !station_moves(m, f->b, hop))
        continue;
      double change[6], size = 0;
      td_strains_change(m, w, f, c, change);
      for (int a = 0; a < 6; a++) size = fmax(size, fabs(change[a]));
      if (size == 0) continue;
      if (nmet == 0 || met[nmet - 1] != k) met[nmet++] = k;
      for (int a = 0; a < 6; a++) dx[6 * k + a] += change[a];
    }

    // g += dxᵀ stress,  H += dxᵀ l K dx
    for (int c = 0; c < nmet; c++) {
      const double* d = dx + 6 * met[c];
      double Kd[6] = {0};
      for (int a = 0; a < 6; a++) {
        g[met[c]] += stress[a] * d[a];
        for (int b = 0; b < 6; b++) Kd[a] += length * K[6 * a + b] * d[b];
      }
      for (int e = 0; e < nmet; e++)
        for (int a = 0; a < 6; a++) H[met[e] * n + met[c]] += dx[6 * met[e] + a] * Kd[a];
    }
  }

  arena_close(s, mark);
  return energy;
}

// The saddle-point system of steps of the n DOFs `v`: the metric of stiffness and masses, and the
// rows; the slope of the elastic energy.  The factors live in the scratch.
static void factor_steps(const td_model* m, td_work* w, const int* v, int n, loop_role most,
                         td_kkt* kkt, double* slope) {
  static const double mass_share = 1e-3;  // μ times mass, relative to the softest stiffness
  arena* s = &w->scratch;
  const int nv = m->nvel, r = m->nrow;
  double *M = arena_doubles(s, nv * nv), *J = arena_doubles(s, r * nv);
  double *row = arena_doubles(s, r), *col = arena_doubles(s, m->nfree_v);
  double *metric = arena_zeros(s, n * n), *rows = arena_zeros(s, r * n), *own = arena_doubles(s, n);
  double *mass = arena_doubles(s, nv), *H = arena_doubles(s, n * n), softest = INFINITY;

  // masses, rows with their sizes, stiffness and gradient of the rods
  td_composite_mass(m, w, M);
  td_row_jacobian_sized(m, w, J, M, row, col);
  rod_energy(m, w, v, n, most, slope, H);
  for (int j = 0; j < nv; j++) mass[j] = M[j * nv + j];
  td_weigh_strains(m, mass, s);

  // μ from the least ratio of stiffness to mass
  for (int k = 0; k < n; k++) {
    const double own_mass = M[v[k] * nv + v[k]] + mass[v[k]];
    if (H[k * n + k] > 0 && own_mass > 0) softest = fmin(softest, H[k * n + k] / own_mass);
  }

  const double mu = isfinite(softest) ? mass_share * softest : 1;

  // metric H + μ (M + weights of strains) and rows on the DOFs `v`
  for (int k = 0; k < n; k++) {
    int at = 0;
    while (m->free_v[at] != v[k]) at++;
    own[k] = col[at];
    for (int l = 0; l < n; l++) metric[k * n + l] = H[k * n + l] + mu * M[v[k] * nv + v[l]];
    metric[k * n + k] += mu * mass[v[k]];
    for (int i = 0; i < r; i++)
      if (m->row[i].projected) rows[i * n + k] = J[i * nv + v[k]];
  }

  const td_row_scale scale = {row, own, -1, NULL};
  td_kkt_factor(kkt, metric, rows, n, r, &scale, 1e-10, s);
}

// The step δ of the n DOFs `v` that changes the rows by -e and is least in the metric of stiffness
// and masses. With `down` it also goes to where the quadratic model of the elastic energy is least;
// *gain is the decrease of the energy that the model expects.  False: nothing resists one of the
// DOFs.
static bool find_step(const td_model* m, td_work* w, const int* v, int n, loop_role most,
                      const double* e, bool down, double* delta, double* gain) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  const int nv = m->nvel;
  double *f = arena_zeros(s, n), *g = arena_doubles(s, m->nrow), *slope = arena_doubles(s, n);
  td_kkt kkt;
  factor_steps(m, w, v, n, most, &kkt, slope);

  // solve the saddle-point system and spread its solution
  for (int k = 0; k < n; k++) f[k] = down ? -slope[k] : 0;
  for (int i = 0; i < m->nrow; i++) g[i] = -e[i];
  if (!kkt.singular) td_kkt_solve(&kkt, f, g, 1, f, NULL, s);
  memset(delta, 0, (size_t)nv * sizeof(double));
  for (int k = 0; k < n && !kkt.singular; k++) delta[v[k]] = f[k];
  *gain = 0;
  for (int k = 0; k < n && down && !kkt.singular; k++) *gain -= 0.5 * slope[k] * f[k];
  arena_close(s, mark);
  return !kkt.singular;
}

// Rotation [rad] at the end of a rod for a unit of its DOF v, with the sign of its largest
// component; 0 when the DOF rotates the end by less than a third of what it rotates some section in
// between.  delta: scratch (nvel).
static double bend_of(const td_model* m, td_work* w, int v, double* delta) {
  memset(delta, 0, (size_t)m->nvel * sizeof(double));
  delta[v] = 1;
  const double most = td_largest_turn(m, w, delta);
  const int hop = m->vel[v].hop;
  if (hop < 0 || !is_step(&m->hop[hop])) return most;

  // td_largest_turn has left the displacements along the rod in w->df: take that of its last step
  int last = hop;
  for (int i = hop; i < m->nhop; i++)
    if (is_step(&m->hop[i]) && m->hop[i].run == m->hop[hop].run) last = i;
  const vec3 turn = spatial_r(&w->df[last]);
  const double x = turn.x, y = turn.y, z = turn.z;
  const double size = vec3_norm(turn);
  const double sign = fabs(x) >= fabs(y) && fabs(x) >= fabs(z) ? x : fabs(y) >= fabs(z) ? y : z;
  return size > 0.3 * most ? copysign(size, sign) : 0;
}

// Displace the state by delta; strains of rods whose coordinates are positions change linearly, too
// (chains.c). Nodes outside the loops keep their positions until their rod follows what carries it
// (constants.c).
static void displace(const td_model* m, td_work* w, td_state* state, const loop_role* in,
                     const double* delta) {
  if (!td_has_chains(m)) {
    td_trial_displace(m, state->q, delta, state->q);
    return;
  }

  const arena_mark mark = arena_open(&w->scratch);
  double* q = arena_doubles(&w->scratch, m->npos);
  memcpy(q, state->q, (size_t)m->npos * sizeof(double));
  td_displace_chains(m, w, state, delta);
  for (int i = 0; i < m->nnode; i++)
    if (in[m->node[i].v] == OUTSIDE)
      memcpy(state->q + m->node[i].q, q + m->node[i].q, 7 * sizeof(double));
  arena_close(&w->scratch, mark);
}

// Velocities of the nodes of a rod that bend it into an arc of `angle` about the x axis of its
// base, without stretching it.
static void bend_nodes(const td_model* m, const td_work* w, int rod, double angle, double* delta) {
  int n = 0, k = 0;
  for (int i = 0; i < m->nnode; i++) n += m->pos[m->node[i].q].rod == rod;
  vec3 axis = {0, 0, 0}, turn = axis, moved = axis;

  for (int i = 0; i < m->nnode; i++) {
    if (m->pos[m->node[i].q].rod != rod) continue;
    const frame a = td_frame(m, w, m->node[i].from), b = td_frame(m, w, m->node[i].station);
    if (k == 0) axis = mat3_col(a.R, 0);
    const vec3 after = vec3_scale(angle * ++k / n, axis);
    const vec3 mean = vec3_scale(0.5, vec3_add(turn, after));
    moved = vec3_add(moved, vec3_cross(mean, vec3_sub(b.p, a.p)));
    turn = after;
    vec3_put(delta + m->node[i].v, moved);
    vec3_put(delta + m->node[i].v + 3, mat3_apply_t(b.R, turn));
  }
}

// Bend the rods of the loops into arcs of `angle` about the first of their axes that can bend.
static void bend_rods(const td_model* m, td_state* state, td_work* w, const loop_role* in,
                      double angle) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double *delta = arena_zeros(s, m->nvel), *unit = arena_doubles(s, m->nvel);
  double* rate = arena_zeros(s, m->nvel);
  td_place(m, state, w);

  for (int rod = 1; rod <= m->nrod; rod++) {
    // a rod with free nodes
    int axis = 0, node = -1;
    double sum = 0;
    for (int i = 0; i < m->nnode; i++)
      if (m->pos[m->node[i].q].rod == rod && in[m->node[i].v] == BENDING) node = i;
    if (node >= 0) bend_nodes(m, w, rod, angle, delta);
    if (node >= 0) continue;

    // a rod with strains: its bending coordinates about one axis, each by its share of the angle
    for (int j = 0; j < m->nvel; j++) {
      const model_dof* d = &m->vel[j];
      if (d->rod != rod || in[j] != BENDING || d->dof > 5 || (axis && d->dof != axis)) continue;
      axis = d->dof;
      rate[j] = bend_of(m, w, j, unit);
      sum += rate[j] * rate[j];
    }
    for (int j = 0; j < m->nvel && sum > 0; j++)
      if (m->vel[j].rod == rod) delta[j] = angle * rate[j] / sum;
  }

  displace(m, w, state, in, delta);
  arena_close(s, mark);
}

// Newton's method with the DOFs of the stages up to `most`; TD_OK: all rows are closed to tol.
static td_status close_by(const td_model* m, td_state* state, td_work* w, const loop_role* in,
                          loop_role most, double tol) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  int n = 0, *v = arena_ints(s, m->nvel);
  double *e = arena_doubles(s, m->nrow), *delta = arena_doubles(s, m->nvel), before = INFINITY;
  double unused;
  td_status status = TD_E_DIVERGED;
  for (int j = 0; j < m->nvel; j++)
    if (in[j] != OUTSIDE && in[j] <= most) v[n++] = j;

  for (int iteration = 0; iteration < 60; iteration++) {
    td_place(m, state, w);
    const double error = td_row_errors(m, w, false, e);
    if (error <= tol) status = TD_OK;
    if (error <= tol || n == 0 || !isfinite(error)) break;
    if (!find_step(m, w, v, n, most, e, false, delta, &unused)) break;
    const double largest = td_largest_turn(m, w, delta);
    double size = 0;
    for (int j = 0; j < m->nvel; j++) size = fmax(size, fabs(delta[j]));

    // stop at a standstill: the remaining gap cannot be closed to first order
    if (iteration > 40 && error > 0.5 * before) break;
    if (iteration % 8 == 0) before = error;

    // limit rotations to half a radian
    for (int j = 0; j < m->nvel && largest > 0.5; j++) delta[j] *= 0.5 / largest;
    displace(m, w, state, in, delta);
    if (size < 1e-14) break;
  }

  arena_close(s, mark);
  return status;
}

// True when a piece of a rod is compressed to less than half its length, or stretched to more than
// twice.
static bool is_crushed(const td_model* m, td_work* w) {
  for (int i = 0; i < m->nstrain; i++) {
    const model_strain* f = &m->strain[i];
    if (f->rod == 0) continue;
    double x[6];
    td_strains(m, w, f, x);
    if (!(x[2] > -0.5 && x[2] < 1)) return true;
  }
  return false;
}

// Lower the elastic energy of the rods along the closed configurations, from a closed one, while a
// step promises more than a millionth of it.
static void relax_rods(const td_model* m, td_state* state, td_work* w, const loop_role* in,
                       loop_role most, double tol) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  int n = 0, *v = arena_ints(s, m->nvel);
  double *none = arena_zeros(s, m->nrow), *delta = arena_doubles(s, m->nvel), gain;
  double *q = arena_doubles(s, m->npos), *part = arena_doubles(s, m->nvel);
  loop_role* moved = arena_bytes(s, (size_t)m->nvel * sizeof *moved);

  // joints with an initial value of their own stay
  for (int j = 0; j < m->nvel; j++) {
    const int at = m->vel[j].partner;
    moved[j] = in[j];
    if (in[j] == RIGID && (at < 0 || w->num[m->pos[at].init] != 0)) moved[j] = OUTSIDE;
    if (moved[j] != OUTSIDE && moved[j] <= most) v[n++] = j;
  }

  // descend from the energy of the closed configuration
  td_place(m, state, w);
  double energy = rod_energy(m, w, v, n, most, NULL, NULL);

  for (int iteration = 0; iteration < 60 && n > 0; iteration++) {
    if (!find_step(m, w, v, n, most, none, true, delta, &gain) || !(gain > 1e-6 * energy)) break;

    // shorten the step until the closed configuration behind it has less energy
    const double largest = td_largest_turn(m, w, delta);
    double shorter = largest > 0.5 ? 0.5 / largest : 1, now = INFINITY;
    memcpy(q, state->q, (size_t)m->npos * sizeof(double));
    for (int attempt = 0; attempt < 8; attempt++, shorter /= 4) {
      for (int j = 0; j < m->nvel; j++) part[j] = shorter * delta[j];
      memcpy(state->q, q, (size_t)m->npos * sizeof(double));
      displace(m, w, state, moved, part);
      if (close_by(m, state, w, moved, most, tol) == TD_OK && !is_crushed(m, w))
        now = rod_energy(m, w, v, n, most, NULL, NULL);
      if (now < energy) break;
    }

    // no step lowers the energy: stay where it was
    if (!(now < energy)) {
      memcpy(state->q, q, (size_t)m->npos * sizeof(double));
      td_place(m, state, w);
      break;
    }
    energy = now;
  }

  arena_close(s, mark);
}

// Lend scratch for dense matrices of all velocities and rows to the work of a sparse model.  False:
// the model is too large, or out of memory.
bool td_lend_dense(const td_model* m, td_work* w, arena* own, char** memory) {
  *own = w->scratch;
  *memory = NULL;
  if (!m->sparse) return true;
  if (!w->whole || m->nvel > TD_LENT_DENSE) return false;
  const size_t n = (size_t)m->nvel, r = (size_t)m->nrow;
  const size_t bytes = own->size + td_kkt_scratch(m->nvel, m->nrow) +
                       sizeof(double) * (5 * n * n + 4 * r * n + 64 * (n + r)) + 65536;
  *memory = malloc(bytes + 64);
  if (!*memory) return false;
  w->scratch = (arena){.base = (char*)(((uintptr_t)*memory + 63) & ~(uintptr_t)63), .size = bytes};
  return true;
}

// Give the work its own scratch back.
void td_take_back(td_work* w, const arena* own, char* memory) {
  if (memory) w->scratch = *own;
  free(memory);
}

// Close all loops of state->q to within tol [m, rad] by the stages of the file's head, each from
// the values that were written.  A configuration in which a rod is crushed does not count.
// TD_E_DIVERGED if no stage closes them.
static td_status close_loops(const td_model* m, td_state* state, td_work* w, double tol) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  double *e = arena_doubles(s, m->nrow), *q = arena_doubles(s, m->npos);
  loop_role* in = arena_bytes(s, (size_t)m->nvel * sizeof *in);
  static const double small = 1e-7, rounding = 1e-14;  // [m, rad]
  static const double angles[] = {0, 0.5, 3};          // [rad] of the arcs to start from
  memcpy(q, state->q, (size_t)m->npos * sizeof(double));
  td_place(m, state, w);
  const double gap = td_row_errors(m, w, false, e);
  bool closed = gap <= rounding, bends = false;
  find_roles(m, in, s);
  for (int j = 0; j < m->nvel; j++) bends = bends || in[j] >= BENDING;

  // a gap of rounded numbers in the model text is closed where it is, by all coordinates at once:
  // bending alone would lead far away where a little stretch is missing.  It is closed to rounding,
  // since a gap left within the tolerance would strain stiff rods and depend on the unit of length
  if (!closed && gap <= small) {
    closed = td_project_q_within(m, state, w, rounding, tol) == TD_OK;
    if (!closed) memcpy(state->q, q, (size_t)m->npos * sizeof(double));
    closed = closed || gap <= tol;
  }

  // otherwise stage by stage: joints, then bending rods, then stretching them, from straight rods
  // and from arcs
  if (!closed) closed = close_by(m, state, w, in, RIGID, tol) == TD_OK;
  for (int stage = BENDING; stage <= STRETCHING && bends && !closed; stage++)
    for (int k = 0; k < 3 && !closed; k++) {
      memcpy(state->q, q, (size_t)m->npos * sizeof(double));
      if (angles[k] > 0) bend_rods(m, state, w, in, angles[k]);
      closed = close_by(m, state, w, in, (loop_role)stage, tol) == TD_OK && !is_crushed(m, w);
      if (closed) relax_rods(m, state, w, in, (loop_role)stage, tol);
    }

  // last by all coordinates in the metric of the masses
  if (!closed) {
    memcpy(state->q, q, (size_t)m->npos * sizeof(double));
    closed = td_project_q(m, state, w, tol) == TD_OK && !(bends && is_crushed(m, w));
  }

  // close the gap that the stages left within the tolerance to rounding
  if (closed && gap > small) {
    memcpy(q, state->q, (size_t)m->npos * sizeof(double));
    if (td_project_q_within(m, state, w, rounding, tol) != TD_OK)
      memcpy(state->q, q, (size_t)m->npos * sizeof(double));
  }

  arena_close(s, mark);
  return closed ? TD_OK : TD_E_DIVERGED;
}

// Close all loops; models too large for dense matrices are closed in the metric of the masses.
td_status td_close_loops(const td_model* m, td_state* state, td_work* w, double tol) {
  if (m->nrow == 0) return TD_OK;
  arena own;
  char* memory;
  if (!td_lend_dense(m, w, &own, &memory)) return td_project_q(m, state, w, tol);
  const td_status status = close_loops(m, state, w, tol);
  td_take_back(w, &own, memory);
  return status;
}

// Does the displacement close the gaps to first order, J δ = -e?
static bool closes(const td_model* m, td_work* w, const double* e, const double* delta) {
  const arena_mark mark = arena_open(&w->scratch);
  double *J = arena_doubles(&w->scratch, m->nrow * m->nvel), most = 0, left = 0;
  td_row_jacobian(m, w, J);
  for (int i = 0; i < m->nrow; i++) {
    if (!m->row[i].projected) continue;
    double sum = e[i];
    for (int j = 0; j < m->nvel; j++) sum += J[i * m->nvel + j] * delta[j];
    most = fmax(most, fabs(e[i]));
    left = fmax(left, fabs(sum));
  }
  arena_close(&w->scratch, mark);
  return left <= 1e-9 * most;
}

// delta (nvel): linear displacement of the coordinates that cancels the errors e (nrow) of the
// rows, by the first stage that can: joints, also bending, also stretching.
// False: none can.  With weights `bar` of the displacement also the weights `gaps` of the errors:
// δ̄·δ = ē·e with the multipliers that the system has for the forces δ̄, since it is symmetric.
static bool close_gaps(const td_model* m, td_work* w, const double* e, double* delta,
                       const double* bar, double* gaps) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  loop_role* in = arena_bytes(s, (size_t)m->nvel * sizeof *in);
  int* v = arena_ints(s, m->nvel);
  bool closed = false;
  double unused;
  find_roles(m, in, s);
  for (int stage = RIGID; stage <= STRETCHING && !closed; stage++) {
    int n = 0;
    for (int j = 0; j < m->nvel; j++)
      if (in[j] != OUTSIDE && in[j] <= (loop_role)stage) v[n++] = j;
    if (n == 0) continue;
    closed =
        find_step(m, w, v, n, (loop_role)stage, e, false, delta, &unused) && closes(m, w, e, delta);
    if (!closed || !bar) continue;
    const arena_mark inner = arena_open(s);
    double *f = arena_doubles(s, n), *slope = arena_doubles(s, n);
    td_kkt kkt;
    factor_steps(m, w, v, n, (loop_role)stage, &kkt, slope);
    for (int k = 0; k < n; k++) f[k] = bar[v[k]];
    td_kkt_solve(&kkt, f, NULL, 1, f, gaps, s);
    arena_close(s, inner);
  }
  arena_close(s, mark);
  return closed;
}

// The part of the gaps e that all coordinates together close; the rest stays open whatever moves.
static void closable_part(const td_model* m, td_work* w, const double* e, double* part) {
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  const int nv = m->nvel;
  double *delta = arena_zeros(s, nv), *J = arena_doubles(s, m->nrow * nv), unused;
  loop_role* in = arena_bytes(s, (size_t)nv * sizeof *in);
  int n = 0, *v = arena_ints(s, nv);
  find_roles(m, in, s);
  for (int j = 0; j < nv; j++)
    if (in[j] != OUTSIDE) v[n++] = j;
  if (n > 0) find_step(m, w, v, n, STRETCHING, e, false, delta, &unused);
  td_row_jacobian(m, w, J);
  for (int i = 0; i < m->nrow; i++) {
    part[i] = 0;
    for (int j = 0; j < nv && m->row[i].projected; j++) part[i] -= J[i * nv + j] * delta[j];
  }
  arena_close(s, mark);
}

// Close gaps, or where no stage can the part of them that can be closed, so that the displacement
// is a linear function of the gaps.
static bool close_part(const td_model* m, td_work* w, const double* e, double* delta,
                       const double* bar, double* gaps) {
  arena own;
  char* memory;
  if (!td_lend_dense(m, w, &own, &memory)) return false;
  const arena_mark mark = arena_open(&w->scratch);
  bool closed = close_gaps(m, w, e, delta, bar, gaps);
  if (!closed) {
    double* part = arena_doubles(&w->scratch, m->nrow);
    closable_part(m, w, e, part);
    closed = close_gaps(m, w, part, delta, bar, gaps);
  }
  arena_close(&w->scratch, mark);
  td_take_back(w, &own, memory);
  return closed;
}

bool td_close_gaps(const td_model* m, td_work* w, const double* e, double* delta) {
  return close_part(m, w, e, delta, NULL, NULL);
}

bool td_close_gaps_reverse(const td_model* m, td_work* w, const double* e, const double* bar,
                           double* gaps) {
  const arena_mark mark = arena_open(&w->scratch);
  const bool closed = close_part(m, w, e, arena_doubles(&w->scratch, m->nvel), bar, gaps);
  arena_close(&w->scratch, mark);
  return closed;
}

// ---- out of a singular position ---------------------------------------------------------------
//
// A straight rod that cannot stretch does not give way to first order when its ends are pushed
// together: it buckles, with an angle that grows like the square root of the distance.  Any speed
// of the prescribed motion causes infinite speeds of the rod at the first instant, and finite ones
// afterwards.  The state is therefore moved on to where the prescribed motion has covered a
// hundred-thousandth of the robot's size and closed there by bending, which is the limit of ever
// smaller initial bends.

// Gaps g of the rows that prescribed motion and time-dependent strains would open between the
// state's time and t if no other coordinate followed; `closed` are the row errors at the state.
// Returns the largest gap.
static double prescribed_gaps(const td_model* m, const td_state* state, td_work* w, double t,
                              const double* closed, double* g) {
  td_state later = *state;
  later.t = t;
  td_place(m, &later, w);
  td_row_errors(m, w, false, g);
  double most = 0;
  for (int i = 0; i < m->nrow; i++) {
    g[i] = m->row[i].projected && row_has_frames(m->row[i].kind) ? closed[i] - g[i] : 0;
    most = fmax(most, fabs(g[i]));
  }
  return most;
}

// Time [s] until prescribed motion up to t_end has covered `way` when the loops cannot follow it to
// first order although rods could buckle, 0: the loops can follow.
double td_stuck(const td_model* m, const td_state* state, td_work* w, double t_end) {
  static const double way = 1e-5;       // distance covered, relative to the robot's size
  static const double followed = 1e-6;  // relative gap that may remain
  enum { HALVINGS = 40 };
  if (m->sparse || m->nrow == 0 || !(t_end > state->t)) return 0;
  if (m->nmotion_slot == 0 && !m->strains_timed) return 0;
  arena* s = &w->scratch;
  const arena_mark mark = arena_open(s);
  const int nv = m->nvel, n = m->nfree_v, r = m->nrow;
  loop_role* in = arena_bytes(s, (size_t)nv * sizeof *in);
  double *closed = arena_zeros(s, r), *g = arena_zeros(s, r);
  double *M = arena_doubles(s, nv * nv), *J = arena_doubles(s, r * nv), *x = arena_zeros(s, n);
  double *row = arena_doubles(s, r), *col = arena_doubles(s, n), *rows = arena_zeros(s, r * n);
  double *mass = arena_zeros(s, n * n), after = 0;
  bool bends = false;

  // can rods of the loops bend at all?
  find_roles(m, in, s);
  for (int j = 0; j < nv; j++) bends = bends || in[j] == BENDING;

  // masses, rows and their errors at the state
  td_prepare(m, w);
  td_place(m, state, w);
  td_composite_mass(m, w, M);
  td_row_jacobian_sized(m, w, J, M, row, col);
  td_row_errors(m, w, false, closed);

  // the first of the times t_end / 2^k after which the gaps exceed the distance
  const double far = way * td_robot_size(m, w);

  for (int k = HALVINGS; k >= 0 && after == 0 && bends; k--) {
    const double ahead = ldexp(t_end - state->t, -k);
    if (prescribed_gaps(m, state, w, state->t + ahead, closed, g) >= far) after = ahead;
  }

  // can the free DOFs close these gaps to first order?
  if (after > 0) {
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) mass[i * n + j] = M[m->free_v[i] * nv + m->free_v[j]];
      for (int k = 0; k < r; k++)
        if (m->row[k].projected) rows[k * n + i] = J[k * nv + m->free_v[i]];
    }
    const td_row_scale scale = {row, col, -1, NULL};
    td_kkt kkt;
    td_kkt_factor(&kkt, mass, rows, n, r, &scale, 1e-10, s);
    double most = 0, left = 0;
    if (!kkt.singular) td_kkt_solve(&kkt, x, g, 1, x, NULL, s);
    for (int i = 0; i < r && !kkt.singular; i++) {
      double sum = -g[i];
      for (int j = 0; j < n; j++) sum += rows[i * n + j] * x[j];
      most = fmax(most, fabs(g[i]));
      left = fmax(left, fabs(sum));
    }
    if (!(left > followed * most)) after = 0;
  }

  w->placed = false;
  w->t = NAN;
  arena_close(s, mark);
  return after;
}

// Move a stuck state on by the time `after` and close its loops there by bending rods.
td_status td_buckle(const td_model* m, td_state* state, td_work* w, double after) {
  state->t += after;
  w->placed = false;
  td_prescribe(m, w, state);
  td_status status = td_close_loops(m, state, w, 1e-11);
  if (status == TD_OK) status = td_project_v(m, state, w);
  return status;
}
