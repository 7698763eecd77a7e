// The work: one block of memory for each thread, sized from the model; nothing is allocated
// afterwards.  Also the setting of parameters, with the rules that the values of the model text
// obey.
#include "engine/stages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/adjoint.h"
#include "engine/path.h"
#include "engine/sparse_engine.h"
#include "math/dense.h"

// The arrays of td_work: type, name, number of elements.
#define WORK_ARRAYS(X)                                                                            \
  X(hop_work, hop, m->nhop)                                                                       \
  X(col_work, col, m->ncol)                                                                       \
  X(hop_sum, hop_sums, m->sparse ? td_sparse_window_hops(m) : m->nhop)                            \
  X(col_sum, col_sums, m->sparse ? td_sparse_window_columns(m) : m->ncol)                         \
  X(double, col_weight, m->ncol)                                                                  \
  X(double, col_slope, m->ncol)                                                                   \
  X(octet, part, m->nstrain_octet)                                                                \
  X(octet, part_U, m->nstrain_octet)                                                              \
  X(octet, part_Z, m->nstrain_octet)                                                              \
  X(lanes, weight, m->nstrain_weight)                                                             \
  X(strain_range, weight_range, m->nstrain_weight)                                                \
  X(lanes, run_weight, m->nrun_weight)                                                            \
  X(cable_work, cable, m->ncable)                                                                 \
  X(contact_interval, interval, m->npiece)                                                        \
  X(contact_ball, contact_ball, m->nball)                                                         \
  X(contact_line, contact_line, m->npiece)                                                        \
  X(contact_touching, touching, td_contact_room(m))                                               \
  X(contact_stretch, stretch, td_contact_stretches(m))                                            \
  X(contact_found, found, 1)                                                                      \
  X(double, crossing_share, m->ncrossing)                                                         \
  X(wet_eight, wet_eight, m->nwet > 0 ? m->nwet / LANES + 1 : 0)                                  \
  X(added_eight, added_eight, m->has_added ? m->nhop / LANES + 1 : 0)                             \
  X(spatial6, added_now, m->has_added ? m->nhop : 0)                                              \
  X(bool, hop_wet, m->has_added ? m->nhop : 0)                                                    \
  X(int, hop_stream, m->has_added ? m->nhop : 0)                                                  \
  X(hop_block, blocks, m->has_blocks ? m->nhop : 0)                                               \
  X(pose, hop_fix, m->nhop)                                                                       \
  X(pose, station_fix, m->nstation)                                                               \
  X(vec3, hop_axis, m->nhop)                                                                      \
  X(int, hop_principal, m->nhop)                                                                  \
  X(bool, hop_heavy, m->nhop)                                                                     \
  X(inertia, hop_inertia, m->nhop)                                                                \
  X(double, num, m->nnumber)                                                                      \
  X(double, dnum, m->nnumber)                                                                     \
  X(double, vars, m->nvar)                                                                        \
  X(double, dvar, m->nvar)                                                                        \
  X(double, scratch_tape, 2 * tape_scratch(m))                                                    \
  X(double, partial, partial_count(m))                                                            \
  X(double, bound, m->nbound > 0 ? m->bound[m->nbound - 1].first + m->bound[m->nbound - 1].n : 0) \
  X(mat3, beam_frame, m->nbeam_frame)                                                             \
  X(quat, reference, m->nreference)                                                               \
  X(double, row_zero, m->nrow)                                                                    \
  X(double, row_angle, m->nrow)                                                                   \
  X(double, target, 2 * m->ntarget)                                                               \
  X(double, length0, m->nprobe)                                                                   \
  X(double, q, m->npos)                                                                           \
  X(double, v, m->nvel)                                                                           \
  X(double, accel, m->ntaut > 0 ? m->nvel : 0)                                                    \
  X(bool, span_along, m->nspan)                                                                   \
  X(double, q_initial, m->npos)                                                                   \
  X(double, rod_moved, m->nrod + 1)                                                               \
  X(spatial, df, m->nhop)                                                                         \
  X(double, dtau, m->nvel)                                                                        \
  X(double, tau, m->nvel)                                                                         \
  X(double, vdot, m->nvel)                                                                        \
  X(double, lambda, m->nrow)                                                                      \
  X(int, rank_order, m->nrow)                                                                     \
  X(double, row_size, m->nrow)                                                                    \
  X(double, col_factor, m->nrow > 0 ? m->nvel : 0)                                                \
  X(double, task, 6 * m->ntask_value)                                                             \
  X(double, inner_q, m->npos)                                                                     \
  X(double, inner_v, m->nvel)                                                                     \
  X(double, inner_u, m->ninput)                                                                   \
  X(double, inner_z, m->ninternal)

// Registers that the longest of all tapes needs.
static int tape_scratch(const td_model* m) {
  const td_tape* tapes[] = {
      m->param_tape,      m->motion_tape,      m->live_tape,         m->live_probe_tape,
      m->live_input_tape, m->output_tape,      m->output_probe_tape, m->output_input_tape,
      m->event_tape,      m->task_tape,        m->task_probe_tape,   m->law_tape,
      m->law_probe_tape,  m->strain_tape,      m->strain_rate_tape,  m->bound_tape,
      m->kink_tape,       m->motion_open_tape, m->strain_open_tape,  m->clock_tape};
  int most = 1;
  for (size_t i = 0; i < sizeof tapes / sizeof *tapes; i++)
    if (tapes[i]) most = max_int(most, td_tape_scratch(tapes[i]));
  return most;
}

// Room for the results of any tape.
static int partial_count(const td_model* m) {
  const int counts[] = {m->nparam_slot, m->nmotion_slot, m->nlive_slot,        m->nlive_probe,
                        m->nlive_input, m->noutput_name, m->noutput_probe,     m->noutput_input,
                        m->nevent,      m->ntask_probe,  6 * m->ntask_value,   m->nlaw_input,
                        m->nlaw_probe,  m->nstrain_slot, m->nstrain_rate_slot, m->nkink};
  int most = 1;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) most = max_int(most, counts[i]);
  return most;
}

// Round up to whole cache lines.
static size_t padded(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

// Scratch [bytes] of a work: dense mass matrix and rows, factors of the saddle-point system,
// tangents of the forward dynamics and of the outputs, and the ancestry of the columns (path.h), of
// which there may be many more than velocities.
static size_t scratch_size(const td_model* m) {
  // divided steps of fixed length (fixed_step.c)
  const size_t guarded =
      td_guard_count(m) == 0
          ? 0
          : sizeof(double) * (4 * (size_t)(m->npos + m->nvel + 2 * m->ntarget + m->ninternal + 24) +
                              (TD_GUARD_LEVELS + 7) * ((size_t)td_guard_count(m) + 8) +
                              4 * (size_t)(m->npos + m->nvel + m->ncontact + 8)) +
                2 * (size_t)m->ncable + 128;

  // stop times, accelerations on both sides of a jump, and both sides of one of time-dependent
  // strains (jump.c)
  size_t clocks = sizeof(double) * 3 * ((size_t)m->nclock + 8);
  if (m->nmotion_slot > 0) clocks += sizeof(double) * 2 * ((size_t)m->nvel + (size_t)m->nrow + 8);
  if (m->strains_timed)
    clocks += sizeof(double) * ((size_t)m->nnumber + 8) + sizeof(spatial) * ((size_t)m->nhop + 8);
  clocks += td_direction_bytes(m) + td_adjoint_bytes(m);
  if (m->sparse) return td_sparse_scratch(m) + guarded + clocks;

  // dense matrices and factors
  const size_t n = (size_t)m->nvel, r = (size_t)m->nrow, u = (size_t)model_drives(m);
  const size_t dense = 7 * n * n + 6 * r * n + (2 * n + 3 * r) * (2 * n + u) + 64 * (n + r) + 1024 +
                       64 * n + 3 * n * u + r * u + (size_t)m->ninternal * (2 * n + u);
  const size_t outputs =
      (size_t)m->noutput_probe + (size_t)m->noutput_input +
      8 * (size_t)(m->npos + m->nvel + 2 * m->ntarget + m->ninternal + 16);  // fixed steps
  const arrow_shape arrow = td_arrow_shape(m);
  return 2 * td_kkt_scratch(m->nvel, m->nrow) + 2 * td_arrow_scratch(&arrow) +
         sizeof(double) * (dense + outputs) + path_bytes(m, 0, m->nhop) + td_row_bytes(m) +
         64 * (size_t)m->ncable + 65536 + guarded + clocks;
}

// Memory [bytes] of a work.
size_t td_work_bytes(const td_model* m) {
  size_t total = padded(sizeof(td_work));
#define X(type, name, count) total += padded(sizeof(type) * (size_t)(count));
  WORK_ARRAYS(X)
#undef X
  return total + scratch_size(m) + 64;
}

// Allocate a work with the parameters and inputs of the model text.
td_work* td_work_new(const td_model* m) {
  if (!m) return NULL;
  const size_t scratch = scratch_size(m);
  char* raw = calloc(1, td_work_bytes(m));
  if (!raw) return NULL;

  // the struct, its arrays and the scratch share one zeroed block
  char* at = (char*)(((uintptr_t)raw + 63) & ~(uintptr_t)63);
  td_work* w = (td_work*)(void*)at;
  w->block = raw;
  w->model = m;
  at += padded(sizeof(td_work));
#define X(type, name, count)  \
  w->name = (type*)(void*)at; \
  at += padded(sizeof(type) * (size_t)(count));
  WORK_ARRAYS(X)
#undef X

  // initial values
  w->scratch = (arena){.base = at, .size = scratch};
  w->inner = (td_state){.q = w->inner_q, .v = w->inner_v, .u = w->inner_u, .z = w->inner_z};
  w->load = 1;
  w->dirty = true;

  // threads and factors of sparse models
  w->whole = !m->sparse || td_sparse_whole(m);
  if (m->sparse) w->team = td_sparse_team_new(m, td_sparse_threads(m));
  const bool factors = m->sparse && sparse_needs_factors(m);
  if (factors) w->kkt = td_sparse_kkt_new(m, true, true);

  if (factors && !w->kkt) {
    td_work_free(w);
    return NULL;
  }

  // parameters and inputs of the model text
  w->added = m->has_added;
  for (int i = 0; i < m->nparam; i++) w->vars[m->param[i].var] = m->param[i].value;
  for (int i = 0; i < m->ninput; i++) w->inner_u[i] = m->input[i].value;
  return w;
}

// Free a work; NULL is fine.
void td_work_free(td_work* w) {
  if (!w) return;
  td_sparse_team_free(w->team);
  td_sparse_kkt_free(w->kkt);
  free(w->block);
}

// True when A (n x n, n <= 6) has no eigenvalue below -slack: A + slack has a Cholesky factor.
static bool is_nonnegative(const double* A, int n, double slack) {
  double L[36];

  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double x = 0.5 * (A[i + n * j] + A[j + n * i]) + (i == j ? slack : 0);
      for (int k = 0; k < j; k++) x -= L[6 * i + k] * L[6 * j + k];
      if (i == j && !(x >= 0)) return false;
      const double d = i == j ? sqrt(x) : L[6 * j + j];
      L[6 * i + j] = i == j ? d : d > 0 ? x / d : 0;
    }
  }

  return true;
}

// True when the numbers x obey a rule (bound.h): a range, or a symmetric matrix without negative
// eigenvalues.
static bool obeys(const model_bound* b, const double* x) {
  if (b->kind == BOUND_RANGE)
    return isfinite(*x) && (b->open ? *x > b->low : *x >= b->low) && *x <= b->high;

  // finite, symmetric, not negative; the slack is positive even for a zero matrix
  const int n = b->n == 36 ? 6 : 3;
  double size = 0, asymmetry = 0, trace = 0, rest[9];

  for (int k = 0; k < b->n; k++) {
    if (!isfinite(x[k])) return false;
    size = fmax(size, fabs(x[k]));
    asymmetry = fmax(asymmetry, fabs(x[k] - x[n * (k % n) + k / n]));
    if (k % (n + 1) == 0) trace += x[k];
  }

  const double slack = TD_BOUND_SLACK * fmax(size, 1e-290);
  if (b->kind != BOUND_PASSIVE && asymmetry > slack) return false;
  if (!is_nonnegative(x, n, slack)) return false;

  // triangle inequality of the principal moments a, b, c: trace/2 - c = (a + b - c)/2 >= 0; a
  // planar body has c alone
  if (b->kind != BOUND_MOMENTS || fabs(trace - size) <= slack) return true;
  for (int k = 0; k < 9; k++) rest[k] = (k % 4 == 0 ? trace / 2 : 0) - x[k];
  return is_nonnegative(rest, 3, slack);
}

// Give a parameter a value, when it is in its range and all numbers that follow from it obey their
// rules.
td_status td_work_set_param(const td_model* m, td_work* w, int param, double value) {
  if (!model_works(m, w) || param < 0 || param >= m->nparam) return TD_E_USAGE;

  // refuse parameters that were used while loading, and values out of range
  if (m->param[param].structural) {
    const char* why = m->names + m->param[param].why;
    td_work_fail(w, "parameter '%s' was used while loading%s%s: load the model again to change it",
                 m->names + m->param[param].name, *why ? " for " : "", why);
    return TD_E_USAGE;
  }

  if (isfinite(value) && !model_admits(m, &m->param[param], value)) {
    td_work_fail(w, "parameter '%s' has the range [%g %g], it was to be set to %g",
                 m->names + m->param[param].name, m->param[param].low, m->param[param].high, value);
    return TD_E_MODEL;
  }

  // numbers that follow from it must obey the same rules as those of the model text
  double* at = &w->vars[m->param[param].var];
  const double before = *at;
  *at = value;
  td_tape_eval(m->bound_tape, w->vars, w->scratch_tape, w->bound);

  for (int i = 0; i < m->nbound; i++) {
    const model_bound* b = &m->bound[i];
    if (obeys(b, w->bound + b->first)) continue;
    *at = before;
    if (b->kind == BOUND_RANGE)
      td_work_fail(w, "%s%g%s", m->names + b->rule, w->bound[b->first], m->names + b->unit);
    else
      td_work_fail(w, "%s", m->names + b->rule);
    return TD_E_MODEL;
  }

  if (!isfinite(value)) {
    *at = before;
    td_work_fail(w, "parameter '%s' must be finite, got %g", m->names + m->param[param].name,
                 value);
    return TD_E_USAGE;
  }

  w->dirty = true;
  return TD_OK;
}
