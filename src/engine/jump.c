// Speed jumps of prescribed motion: dof.motion, joint.motion and time-dependent strains.
//
// Where a prescribed speed jumps, unbounded forces act for an instant.  With the impulses Λ of the
// constraints the free velocities jump so that their momentum does not feel the motor,
//
//   M_ff Δv_f + M_fp Δv_p = J_fᵀ Λ      J Δv = Δ(prescribed rates)      impulse I = M Δv - Jᵀ Λ
//
// These are the equations of motion of the same configuration at rest without any force, with the
// jumps in place of the prescribed accelerations; finite forces do not contribute.  The motor does
// the work  ½ (v⁺ + v⁻)·I. Inextensible cables can only pull: they are left out here, and
// td_taut_settle adds their impulses, with the same result as all at once.
//
// The values before and after are taken a small margin aside of the instant, so that corners that
// differ by rounding count as one.  At the start of a simulation a table begins as it goes on, at
// the end it continues as before: its end knots are no jumps there.
#include <math.h>
#include <string.h>

#include "engine/stages.h"
#include "engine/taut.h"

#define NO_JUMP 1e-11   // relative change of a speed that is no jump
#define NO_GAP 1e-9     // relative change of a position that is no jump
#define FOLLOWED 1e-7   // part of the jumps of the rows' rates that may remain
#define ROUNDING 1e-12  // part of the largest prescribed jump that is rounding

// Prescribed motion on one side of the instant.
typedef struct side {
  double* v;           // (nvel)
  double *row, *rate;  // (nrow) rates of the rows, and what they should be
  double *at, *accel;  // (nvel + nrow) prescribed positions and accelerations (NULL: no motion)
} side;

// Allocate one side in the scratch.
static side side_new(const td_model* m, arena* s) {
  return (side){arena_zeros(s, m->nvel), arena_zeros(s, m->nrow), arena_zeros(s, m->nrow),
                arena_zeros(s, m->nvel + m->nrow),
                m->nmotion_slot > 0 ? arena_zeros(s, m->nvel + m->nrow) : NULL};
}

// Evaluate prescribed motion with the state placed at time t; free velocities stay.  `open`: tables
// go on beyond their ends.
static void sample_side(const td_model* m, td_state* state, td_work* w, double t, bool open,
                        side* out) {
  const double now = state->t;
  state->t = t;
  w->open_tables = open;
  w->placed = false;
  td_place(m, state, w);
  w->open_tables = false;
  state->t = now;
  memcpy(out->v, w->v, (size_t)m->nvel * sizeof(double));
  for (int i = 0; i < m->nvel; i++)
    if (m->vel[i].motion != NUM_NONE) {
      out->at[i] = w->num[m->vel[i].motion];
      if (out->accel != NULL) out->accel[i] = w->num[m->vel[i].motion + 2];
    }

  for (int i = 0; i < m->nrow; i++) {
    out->row[i] = td_row_at(m, w, i).ed;
    td_row_target(m, w, i, &out->at[m->nvel + i], &out->rate[i]);
    if (out->accel != NULL && m->row[i].target == TARGET_MOTION)
      out->accel[m->nvel + i] = w->num[m->row[i].motion + 2];
  }
}

// True when two speeds differ by more than rounding.
static bool differs(double a, double b) { return fabs(b - a) > NO_JUMP * (fabs(a) + fabs(b)); }

// True when the speed of coordinate or row i differs on both sides by more than rounding and more
// than its accelerations explain.
static bool jumps(const side* a, const side* b, int i, double va, double vb, double margin) {
  const double smooth = a->accel == NULL ? 0 : margin * (a->accel[i] + b->accel[i]);
  return differs(va, vb) && fabs(vb - va - smooth) > 0.5 * fabs(smooth) + NO_JUMP * fabs(va);
}

// Name of a prescribed position that jumps by *size, NULL: none.  Cables are exempt, since they are
// pulled onto their new length, and so are stabilised rows, which move to their target.
static const char* position_jump(const td_model* m, const side* a, const side* b, double margin,
                                 double* size) {
  for (int i = 0; i < m->nvel + m->nrow; i++) {
    const int row = i - m->nvel;
    const bool given = row < 0 ? m->vel[i].motion != NUM_NONE
                               : m->row[row].target == TARGET_MOTION && m->row[row].projected &&
                                     row_has_frames(m->row[row].kind);
    if (!given) continue;
    const double speed = row < 0 ? a->v[i] + b->v[i] : a->rate[row] + b->rate[row];
    *size = b->at[i] - a->at[i] - margin * speed;
    if (fabs(*size) > NO_GAP * (fabs(a->at[i]) + fabs(b->at[i])) + 1e-12)
      return row < 0 ? td_model_v_name(m, i) : td_model_constraint_name(m, row);
  }

  return NULL;
}

// Twist that a rod step with time-dependent strains has relative to its parent, without that of its
// coordinates.
static spatial own_twist(const td_model* m, const td_work* w, int i) {
  const model_hop* hop = &m->hop[i];
  spatial V = w->hop[i].V;
  if (hop->parent >= 0) V = spatial_sub(V, w->hop[hop->parent].V);
  for (int k = hop->col; k < hop->col + hop->nv; k++)
    V = spatial_axpy(-w->v[m->col[k].v], w->col[k].S, V);
  return V;
}

// True for a rod step whose strains depend on time.
static bool is_given(const td_model* m, int i) {
  return m->strains_timed && is_step(&m->hop[i]) && m->hop[i].dependent;
}

// Rate of strain d at a quadrature point of a step due to time alone, without that of its
// coordinates.
static double time_rate(const td_model* m, const double* number, const double* v,
                        const model_hop* hop, int point, int d) {
  double rate = number[hop->value + 6 * (hop->nodes + point) + d];
  for (int k = hop->col; k < hop->col + hop->nv; k++)
    if (m->col[k].part == d) rate -= number[m->col[k].weight + point] * v[m->col[k].v];
  return rate;
}

// Rod, from 1, of a time-dependent strain that jumps by *size, 0: none.  `before` has the numbers
// before the instant, the work those after it.
static int strain_jump(const td_model* m, const td_work* w, const double* before, double margin,
                       double* size) {
  for (int i = 0; i < m->nhop; i++) {
    const model_hop* hop = &m->hop[i];
    if (!is_given(m, i)) continue;
    for (int k = 0; k < 6 * hop->nodes; k++) {
      const double a = before[hop->value + k], b = w->num[hop->value + k];
      const double moved = 2 * margin *
                           (fabs(time_rate(m, before, w->v, hop, k / 6, k % 6)) +
                            fabs(time_rate(m, w->num, w->v, hop, k / 6, k % 6)));
      *size = b - a;
      if (fabs(*size) > moved + NO_GAP * (fabs(a) + fabs(b)) + 1e-12)
        return m->coords[hop->coords].rod;
    }
  }

  return 0;
}

// Name and size of the largest prescribed jump, for messages.
static const char* largest_jump(const td_model* m, const side* a, const side* b, double* size) {
  const char* name = "a strain given over time";
  *size = 0;
  for (int i = 0; i < m->nvel; i++)
    if (m->vel[i].motion != NUM_NONE && fabs(b->v[i] - a->v[i]) > fabs(*size)) {
      *size = b->v[i] - a->v[i];
      name = td_model_v_name(m, i);
    }
  for (int i = 0; i < m->nrow; i++)
    if (fabs(b->rate[i] - a->rate[i]) > fabs(*size)) {
      *size = b->rate[i] - a->rate[i];
      name = td_model_constraint_name(m, i);
    }
  return name;
}

// True when the state already moves as prescribed after the instant: the jump lies behind it.
static bool is_behind(const td_model* m, const td_state* state, const side* a, const side* b) {
  bool known = false;

  for (int i = 0; i < m->nvel; i++) {
    if (m->vel[i].motion == NUM_NONE || !differs(a->v[i], b->v[i])) continue;
    if (fabs(state->v[i] - b->v[i]) > 1e-6 * fabs(b->v[i] - a->v[i])) return false;
    known = true;
  }

  for (int i = 0; i < m->nrow; i++) {
    if (!row_has_frames(m->row[i].kind) || !differs(a->rate[i], b->rate[i])) continue;
    if (fabs(b->row[i] - b->rate[i]) > 1e-6 * fabs(b->rate[i] - a->rate[i])) return false;
    known = true;
  }

  return known;
}

// Solve for the jump of the velocities, and add the work of the motors to *work.  The work is
// placed after the instant; `twist` (nhop) are the own twists before it.
static td_status strike(const td_model* m, td_state* state, td_work* w, const side* a,
                        const side* b, const spatial* twist, double* work) {
  arena* s = &w->scratch;
  double *drive = arena_zeros(s, m->nrow), *I = arena_doubles(s, m->nvel);
  double size = 0, most = 0;
  int worst = -1;

  // put the robot at rest, without forces, with jumps in place of prescribed accelerations
  for (int i = 0; i < m->nhop; i++) {
    hop_work* h = &w->hop[i];
    h->c = is_given(m, i) ? spatial_sub(own_twist(m, w, i), twist[i]) : spatial_zero();
  }

  for (int i = 0; i < m->nhop; i++) w->hop[i].V = w->hop[i].f = spatial_zero();
  memset(w->v, 0, (size_t)m->nvel * sizeof(double));
  memset(w->tau, 0, (size_t)m->nvel * sizeof(double));
  for (int i = 0; i < m->nvel; i++)
    if (m->vel[i].motion != NUM_NONE) w->num[m->vel[i].motion + 2] = b->v[i] - a->v[i];

  for (int i = 0; i < m->nrow; i++) {
    drive[i] = b->rate[i] - a->rate[i];
    if (m->row[i].projected) drive[i] -= a->row[i] - a->rate[i];  // removes errors of the rates
  }

  // solve the equations of motion for the jumps
  const double load = w->load;
  w->load = 0;
  w->jump = drive;
  td_status status = td_solve_forward(m, w);
  w->jump = NULL;

  // impulses of rows, prescribed coordinates and strains do work with the mean of both speeds
  if (status == TD_OK) {
    td_accelerate(m, w, w->vdot, false);
    for (int i = 0; i < m->nrow; i++) {
      if (row_is_off(m, w, i)) continue;
      const double change = td_row_at(m, w, i).edd, left = fabs(change - drive[i]);
      most = fmax(most, fmax(fabs(drive[i]), fabs(b->row[i] - a->row[i])));
      if (left > size) size = left, worst = i;
      *work += w->lambda[i] * (a->row[i] + 0.5 * change);
    }
    if (m->nrow > 0) td_row_forces(m, w, w->lambda);
    td_inverse(m, w, I);
    for (int i = 0; i < m->nvel; i++)
      if (m->vel[i].motion != NUM_NONE) *work += 0.5 * (a->v[i] + b->v[i]) * I[i];
    for (int i = 0; i < m->nhop; i++) {
      if (!is_given(m, i)) continue;
      const spatial mean = spatial_axpy(0.5, w->hop[i].c, twist[i]);
      *work += spatial_dot(&w->hop[i].F, &mean);
    }
    for (int i = 0; i < m->nvel; i++)
      state->v[i] = m->vel[i].motion != NUM_NONE ? b->v[i] : state->v[i] + w->vdot[i];
  }

  w->load = load;
  w->placed = false;
  w->t = NAN;

  // a loop must follow up to rounding, which is relative to the jump itself
  double jump;
  const char* name = largest_jump(m, a, b, &jump);
  if (status != TD_OK || !(size > FOLLOWED * most + ROUNDING * fabs(jump))) return status;
  td_work_fail(w,
               "the speed of %s jumps by %.4g at t = %g s, which the loop of %s cannot follow: %s "
               "is left with %.3g; prescribe a motion within the reach of the mechanism",
               name, jump, state->t, model_name(m, m->joint[m->row[worst].joint - 1].name),
               td_model_constraint_name(m, worst), size);
  return TD_E_MODEL;
}

// Leave the message that a loop cannot follow the prescribed motion beyond time t.
void td_report_unfollowed(const td_model* m, td_work* w, const td_state* state, double t,
                          bool rate) {
  const arena_mark mark = arena_open(&w->scratch);
  double* e = arena_doubles(&w->scratch, m->nrow);
  int row = -1;

  // the row of a loop with the largest error
  td_place(m, state, w);
  td_row_errors(m, w, rate, e);
  for (int i = 0; i < m->nrow; i++)
    if (row_has_frames(m->row[i].kind) && (row < 0 || fabs(e[i]) > fabs(e[row]))) row = i;
  require(row >= 0);
  const double left = fabs(e[row]);
  arena_close(&w->scratch, mark);

  // name the fastest prescribed coordinate, else a row with prescribed motion
  const char *name = "a constraint", *what = "prescribed motion";
  double fastest = 0;
  for (int i = 0; i < m->nvel; i++)
    if (m->vel[i].motion != NUM_NONE && fabs(state->v[i]) >= fastest) {
      fastest = fabs(state->v[i]);
      name = td_model_v_name(m, i);
    }
  for (int i = 0; i < m->nrow && fastest == 0; i++)
    if (m->row[i].motion != NUM_NONE) name = td_model_constraint_name(m, i);

  // where none moves, name the rod whose time-dependent strain moves fastest
  double twist = 0;

  for (int i = 0; i < m->nhop && fastest == 0; i++) {
    if (!is_given(m, i)) continue;
    const spatial V = own_twist(m, w, i);
    if (spatial_dot(&V, &V) <= twist) continue;
    twist = spatial_dot(&V, &V);
    name = model_name(m, m->rod[m->coords[m->hop[i].coords].rod - 1].name);
    what = "given strain";
  }

  td_work_fail(w,
               "the loop of %s cannot follow the %s of %s beyond t = %g s: %s is "
               "left with %.3g %s%s; prescribe a motion within the reach of the mechanism",
               model_name(m, m->joint[m->row[row].joint - 1].name), what, name, t,
               td_model_constraint_name(m, row), left,
               row_is_length(m->row[row].kind) ? "m" : "rad", rate ? "/s" : "");
}

// Find jumps of prescribed speeds at the state's time, and change the velocities by them; positions
// and strains that jump are refused.
static td_status jump_without_cables(const td_model* m, td_state* state, td_work* w, double margin,
                                     td_edge edge, double* work, bool* moved) {
  arena* s = &w->scratch;
  side a = side_new(m, s), b = side_new(m, s);
  spatial* twist = arena_bytes(s, (size_t)(m->strains_timed ? m->nhop : 0) * sizeof(spatial));
  double *before = arena_doubles(s, m->strains_timed ? m->nnumber : 0), size;

  // prescribed motion and own twists of rod steps on both sides
  sample_side(m, state, w, state->t - margin, edge == TD_EDGE_START, &a);
  for (int i = 0; m->strains_timed && i < m->nhop; i++) twist[i] = own_twist(m, w, i);
  if (m->strains_timed) memcpy(before, w->num, (size_t)m->nnumber * sizeof(double));
  sample_side(m, state, w, state->t + margin, edge == TD_EDGE_END, &b);

  // refuse positions and strains that jump
  const bool start = edge == TD_EDGE_START;
  const char* name = start ? NULL : position_jump(m, &a, &b, margin, &size);
  const int rod = start || name ? 0 : strain_jump(m, w, before, margin, &size);
  if (name || rod > 0) {
    td_work_fail(w,
                 "the %s of %s jumps by %.4g at t = %g s, which would take an infinite speed; "
                 "let it move there in some time, as ramp(t, t0, t1) does",
                 name ? "motion" : "strain", name ? name : model_name(m, m->rod[rod - 1].name),
                 size, state->t);
    return TD_E_MODEL;
  }

  // does any speed jump?
  bool any = false;
  for (int i = 0; i < m->nvel; i++)
    any |= m->vel[i].motion != NUM_NONE && jumps(&a, &b, i, a.v[i], b.v[i], margin);
  for (int i = 0; i < m->nrow; i++)
    any |=
        row_has_frames(m->row[i].kind) && jumps(&a, &b, m->nvel + i, a.rate[i], b.rate[i], margin);

  for (int i = 0; m->strains_timed && i < m->nhop; i++) {
    if (!is_given(m, i)) continue;
    const spatial V = own_twist(m, w, i), d = spatial_sub(V, twist[i]);
    any |= spatial_dot(&d, &d) > 1e-18 * (spatial_dot(&V, &V) + spatial_dot(&twist[i], &twist[i]));
  }

  if (!any || (edge == TD_EDGE_START && is_behind(m, state, &a, &b))) {
    w->placed = false;
    return TD_OK;
  }

  *moved = true;
  return strike(m, state, w, &a, &b, twist, work);
}

// Change the velocities by the jumps of prescribed speeds at the state's time, with all cables
// slack meanwhile.
td_status td_jump(const td_model* m, td_state* state, td_work* w, double margin, td_edge edge,
                  double* work, bool* moved) {
  *work = 0;
  *moved = false;
  if (m->nmotion_slot == 0 && !m->strains_timed) return TD_OK;
  const arena_mark mark = arena_open(&w->scratch);
  bool* slack = arena_bytes(&w->scratch, (size_t)m->ncable);
  td_prepare(m, w);

  // all cables are slack during the jump
  for (int i = 0; i < m->ncable; i++) {
    slack[i] = w->cable[i].slack;
    w->cable[i].slack = true;
  }

  const td_status status = jump_without_cables(m, state, w, margin, edge, work, moved);
  for (int i = 0; i < m->ncable; i++) w->cable[i].slack = slack[i];
  arena_close(&w->scratch, mark);
  return status;
}

// ---- times of jumps ---------------------------------------------------------------------------

// Rate and acceleration of all prescribed coordinates and rows at time t, 2 numbers each.
static void rates_at(const td_model* m, td_work* w, double t, double* q, double* v, double* out) {
  td_place_motion(m, w, t, q, v);
  for (int i = 0; i < m->nvel + m->nrow; i++) {
    const num at = i < m->nvel ? m->vel[i].motion : m->row[i - m->nvel].motion;
    out[2 * i] = at == NUM_NONE ? 0 : w->num[at + 1];
    out[2 * i + 1] = at == NUM_NONE ? 0 : w->num[at + 2];
  }
}

// Largest change of a rate over an interval h that the trapezoidal rule on its accelerations does
// not explain.
static double unexplained(int n, const double* a, const double* b, double h) {
  double most = 0;
  for (int i = 0; i < 2 * n; i += 2)
    most = fmax(most, fabs(b[i] - a[i] - 0.5 * h * (a[i + 1] + b[i + 1])));
  return most;
}

// First time in (t0, t1] at which a prescribed speed jumps, from its values alone, INFINITY: none.
// The interval with the unexplained change of a rate is halved: for smooth motion the change falls
// by eight each time, for a jump it stays.
double td_next_jump(const td_model* m, td_work* w, double t0, double t1) {
  if (m->nmotion_slot == 0) return INFINITY;
  enum { HALVINGS = 6 };  // after these, smooth motion is distinguished from a jump
  const int n = m->nvel + m->nrow;
  const arena_mark mark = arena_open(&w->scratch);
  double *q = arena_zeros(&w->scratch, m->npos), *v = arena_zeros(&w->scratch, m->nvel),
         *a = arena_doubles(&w->scratch, 2 * n), *b = arena_doubles(&w->scratch, 2 * n),
         *c = arena_doubles(&w->scratch, 2 * n), size = 0;

  // rates at both ends, and their largest size
  double low = t0, high = t1;
  td_prepare(m, w);
  w->placed = false;
  rates_at(m, w, low, q, v, a);
  rates_at(m, w, high, q, v, b);
  for (int i = 0; i < 2 * n; i += 2) size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));

  // halve the interval until it is shorter than the margin of a jump
  const double first = unexplained(n, a, b, high - low), margin = 0.5 * td_jump_margin(t1, t1 - t0);
  double now = first;

  for (int k = 0; now > 1e-10 * size && high - low > margin; k++) {
    const double mid = 0.5 * (low + high), half = 0.5 * (high - low);
    rates_at(m, w, mid, q, v, c);
    const double left = unexplained(n, a, c, half), right = unexplained(n, c, b, half);
    const bool early = left > 0.3 * right;  // the first of several
    now = early ? left : right;
    *(early ? &high : &low) = mid;
    memcpy(early ? b : a, c, (size_t)(2 * n) * sizeof(double));
    if (k == HALVINGS && now < 0.05 * first) break;
  }

  const bool found = now > 1e-10 * size && high - low <= margin;
  arena_close(&w->scratch, mark);
  return found ? high : INFINITY;
}

// Values of the clocks of the model at time t.
void td_clocks(const td_model* m, td_work* w, double t, double* values) {
  const double now = w->vars[m->time_var];
  w->vars[m->time_var] = t;
  td_tape_eval(m->clock_tape, w->vars, w->scratch_tape, values);
  w->vars[m->time_var] = now;
}

// Time at which a clock changes sign between low and high, by bisection to rounding.
double td_clock_turn(const td_model* m, td_work* w, int clock, double low, double high) {
  const arena_mark mark = arena_open(&w->scratch);
  double* values = arena_doubles(&w->scratch, m->nclock);
  td_clocks(m, w, low, values);
  const bool below = values[clock] < 0;

  for (;;) {
    const double mid = low + 0.5 * (high - low);
    if (!(mid > low && mid < high)) break;
    td_clocks(m, w, mid, values);
    *((values[clock] < 0) == below ? &low : &high) = mid;
  }

  arena_close(&w->scratch, mark);
  return high;
}

// First time in (t0, t1] at which a clock changes sign, of prescribed motion and strains or of all;
// INFINITY: none.
double td_next_corner(const td_model* m, td_work* w, double t0, double t1, bool motion) {
  const int n = motion ? m->nclock_motion : m->nclock, parts = m->clock_straight ? 1 : 32;
  if (n == 0 || !(t1 > t0)) return INFINITY;
  double first = INFINITY;
  td_prepare(m, w);
  const arena_mark mark = arena_open(&w->scratch);
  double *a = arena_doubles(&w->scratch, m->nclock), *b = arena_doubles(&w->scratch, m->nclock);
  td_clocks(m, w, t0, a);

  // the first interval in which a clock changes sign
  for (int k = 0; k < parts && first == INFINITY; k++) {
    const double from = t0 + (t1 - t0) * k / parts, to = t0 + (t1 - t0) * (k + 1) / parts;
    td_clocks(m, w, to, b);
    for (int i = 0; i < n; i++)
      if ((a[i] < 0) != (b[i] < 0)) first = fmin(first, td_clock_turn(m, w, i, from, to));
    memcpy(a, b, (size_t)n * sizeof(double));
  }

  arena_close(&w->scratch, mark);
  return first;
}
