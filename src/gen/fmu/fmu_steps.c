// Co-simulation and events of a unit: steps, calls that both versions of the standard have,
// and saved states.  This text follows fmu_core.c in an exported FMU.
//
// Steps are made by the Rosenbrock method RODAS3 (order 3, stiffly accurate) with the exact
// Jacobian and a controlled error; constraints are restored after each step.

// ---- integration ------------------------------------------------------------------------------

// Factor A (n x n by rows) in place, LU with row exchanges in pivot.  False: singular.
static bool fmu_lu(double* A, int n, int* pivot) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
    }
    pivot[k] = best;
    if (!(fabs(A[best * n + k]) > 0)) return false;
    for (int j = 0; best != k && j < n; j++) {
      const double x = A[k * n + j];
      A[k * n + j] = A[best * n + j];
      A[best * n + j] = x;
    }
    for (int i = k + 1; i < n; i++) {
      const double l = A[i * n + k] /= A[k * n + k];
      for (int j = k + 1; j < n; j++) A[i * n + j] -= l * A[k * n + j];
    }
  }
  return true;
}

static void fmu_lu_solve(const double* A, int n, const int* pivot, double* b) {
  for (int k = 0; k < n; k++) {
    const double x = b[k];
    b[k] = b[pivot[k]];
    b[pivot[k]] = x;
  }
  for (int i = 1; i < n; i++)
    for (int k = 0; k < i; k++) b[i] -= A[i * n + k] * b[k];
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) b[i] -= A[i * n + k] * b[k];
    b[i] /= A[i * n + i];
  }
}

static void fmu_matrix(fmu* f) {
  double dx[NX + 1], out[NX + 1];
  const double none[FMU_NU + 1] = {0};
  for (int k = 0; k < NX; k++) {
    memset(dx, 0, sizeof dx);
    dx[k] = 1;
    fmu_change(f, dx, none, out);
    for (int i = 0; i < NX; i++) f->J[i * NX + k] = out[i];
  }
}

// One step of RODAS3 from f->x with Jacobian f->J; the error relative to the tolerance, or
// infinity.
static double fmu_try(fmu* f, double h, const double* rate, const double* rate_t, double* to) {
  static const double A[4][3] = {{0}, {0}, {2, 0}, {2, 0, 1}};
  static const double C[4][3] = {{0}, {4}, {1, -1}, {1, -1, -8.0 / 3}};
  static const double alpha[4] = {0, 0, 1, 1}, gamma_t[4] = {0.5, 1.5, 0, 0};
  static const double M[4] = {2, 0, 1, 1};
  double stage[NX + 1], value[NX + 1], error = 0;
  for (int i = 0; i < NX * NX; i++) f->W[i] = -f->J[i];
  for (int i = 0; i < NX; i++) f->W[i * NX + i] += 2 / h;  // 1 / (gamma h)
  if (!fmu_lu(f->W, NX, f->pivot)) return INFINITY;
  memcpy(value, rate, sizeof value);
  for (int s = 0; s < 4; s++) {
    double* k = f->k + s * NX;
    if (s >= 2) {
      for (int i = 0; i < NX; i++) {
        stage[i] = f->x[i];
        for (int r = 0; r < s; r++) stage[i] += A[s][r] * f->k[r * NX + i];
      }
      if (!fmu_rates(f, stage, f->s.t + alpha[s] * h - f->before, value)) return INFINITY;
    }
    for (int i = 0; i < NX; i++) {
      k[i] = value[i] + h * gamma_t[s] * rate_t[i];
      for (int r = 0; r < s; r++) k[i] += C[s][r] / h * f->k[r * NX + i];
    }
    fmu_lu_solve(f->W, NX, f->pivot, k);
  }
  for (int i = 0; i < NX; i++) {
    to[i] = f->x[i];
    for (int s = 0; s < 4; s++) to[i] += M[s] * f->k[s * NX + i];
    // internal states may be of any size
    const double least = i < FMU_Z_AT ? 1e-3 : 1e-9;
    const double size = f->tolerance * (fmax(fabs(f->x[i]), fabs(to[i])) + least);
    const double e = f->k[3 * NX + i] / size;
    error += e * e;
  }
  return isfinite(error) ? sqrt(error / (NX > 0 ? NX : 1)) : INFINITY;
}

// A step from x to `to`, with the rates at both ends
typedef struct fmu_path {
  fmu* f;
  double h;
  const double *to, *rate, *rate_to;
} fmu_path;

// Gaps of one-sided elements at the time s after the start of a step, on the cubic Hermite
// polynomial through its ends; their speeds go to f->guard.  The unit's state stays as it is.
static bool fmu_guards(void* ctx, double s, double* gap) {
  const fmu_path* p = ctx;
  fmu* f = p->f;
  double own[NX + 1], time = f->s.t;
  const double x = s / p->h, z = 1 - x;
  memcpy(own, f->x, sizeof own);
  for (int i = 0; i < NX; i++)
    f->x[i] = z * z * (1 + 2 * x) * own[i] + x * x * (1 + 2 * z) * p->to[i] +
              p->h * x * z * (z * p->rate[i] - x * p->rate_to[i]);
  f->s.t = time + s;
  fmu_targets(f);
  td_guard_values(&the_model, &f->s, f->w, gap, f->guard + 3 * FMU_NG);
  memcpy(f->x, own, sizeof own);
  f->s.t = time;
  return true;
}

// Length of the step from f->x to `to` (h, slope `rate` at its start) up to an instant inside at
// which a one-sided element acts that acts at neither end; h if there is none.  Gaps are followed
// by bounds of their speeds.
static double fmu_passed(fmu* f, double h, const double* to, const double* rate) {
  const int n = FMU_NG;
  double rate_to[NX + 1], *start = f->guard, *end = start + n, *bound = end + n, *speed = bound + n;
  double* level = speed + n;
  fmu_path p = {f, h, to, rate, rate_to};
  if (n == 0 || !fmu_rates(f, to, f->s.t + h, rate_to)) return h;

  // bounds of the speeds: at both ends, by the formula and by differences
  fmu_guards(&p, 0, start);
  for (int i = 0; i < n; i++) bound[i] = isnan(speed[i]) ? 0 : speed[i];
  fmu_guards(&p, h, end);
  for (int i = 0; i < n; i++) bound[i] = fmax(bound[i], isnan(speed[i]) ? 0 : speed[i]);
  fmu_guards(&p, 1e-3 * h, level);
  for (int i = 0; i < n; i++)
    if (isfinite(start[i])) bound[i] = fmax(bound[i], fabs(level[i] - start[i]) / (1e-3 * h));
  fmu_guards(&p, 0.999 * h, level);
  for (int i = 0; i < n; i++)
    if (isfinite(end[i])) bound[i] = fmax(bound[i], fabs(level[i] - end[i]) / (1e-3 * h));
  // what time alone moves may be faster on the way
  double peak[4];
  const double t = f->s.t;
  const int peaks =
      td_guards_are_timed(&the_model) ? td_guard_peaks(&the_model, f->w, t, t + h, 64, peak, 4) : 0;
  for (int k = 0; k < peaks; k++) {
    fmu_guards(&p, peak[k] - t, level);
    for (int i = 0; i < n; i++) bound[i] = fmax(bound[i], isnan(speed[i]) ? 0 : speed[i]);
  }

  // a margin, then the search along the step
  for (int i = 0; i < n; i++) bound[i] *= 1.5;
  td_guard_path path = {.n = n,
                        .start = start,
                        .end = end,
                        .bound = bound,
                        .level = level,
                        .at = fmu_guards,
                        .ctx = &p};
  double inside = td_guard_search(&path, 0, start, h, end, 0);
  if (isnan(inside)) inside = td_guard_behind(&path, 0, h, bound);
  return inside > 1e-9 * h ? inside : h;
}

// `aside`: how far before t prescribed motion is taken, where it jumps at t.
static bool fmu_accept(fmu* f, const double* to, double t, double aside) {
  memcpy(f->x, to, NX * sizeof(double));
  f->s.t = t - aside;
  fmu_targets(f);
  td_normalise(&the_model, f->s.q);
  td_prescribe(&the_model, f->w, &f->s);
  if (the_model.nrow > 0) {
    if (td_project_q(&the_model, &f->s, f->w, 1e-10) != TD_OK) {
      fmu_say(f, "the constraints cannot be met");
      return false;
    }
    if (td_project_v(&the_model, &f->s, f->w) != TD_OK) return false;
  }
  f->s.t = t;
  fmu_stale(f);
  if (td_refuse_folds(&the_model, &f->s, f->w) == TD_OK) return true;
  fmu_say(f, td_work_failure(f->w));
  return false;
}

// Leave a position in which rods of loops are straight, by buckling over a short part of the way to
// `end`. False after a message.
static bool fmu_buckle(fmu* f, double end) {
  const double after = td_stuck(&the_model, &f->s, f->w, end), t = f->s.t;
  f->straight = false;
  if (!(after > 0) || td_buckle(&the_model, &f->s, f->w, after) != TD_OK) {
    fmu_say(f,
            "prescribed motion finds rods of its loops straight, which can give way only by "
            "buckling; they do not within this step: take a longer one");
    return false;
  }
  fmu_targets(f);
  f->t_jump = f->s.t;
  f->h = 0;
  char text[300];
  snprintf(text, sizeof text,
           "at t = %.6g s prescribed motion finds rods of its loops straight, which can give way "
           "only by buckling; to which side, and how fast at first, is not in the model",
           t);
  fmu_note(f, text);
  return true;
}

// Does an event that ends the simulation lie between here and the event indicators of f->events?
static bool fmu_stops_before(fmu* f) {
  double g[FMU_NE + 1];
  fmu_events(f, g);
  for (int i = 0; i < FMU_NE; i++)
    if ((g[i] < 0) != (f->events[i] < 0) && td_event_stops(&the_model, i)) return true;
  return false;
}

// The step of length h from x0 at t0 has passed an event that ends the simulation: halve it until
// its end is just behind the event.
static bool fmu_stop_at(fmu* f, const double* x0, double t0, double h, const double* rate,
                        const double* rate_t) {
  double low = 0, to[NX + 1];
  for (int k = 0; k < 60 && h - low > 1e-14 * fmax(1, fabs(t0)); k++) {
    const double mid = 0.5 * (low + h);
    memcpy(f->x, x0, NX * sizeof(double));
    f->s.t = t0;
    if (!isfinite(fmu_try(f, mid, rate, rate_t, to)) || !fmu_accept(f, to, t0 + mid, 0))
      return false;
    *(fmu_stops_before(f) ? &h : &low) = mid;
  }
  memcpy(f->x, x0, NX * sizeof(double));
  f->s.t = t0;
  f->stopped = true;
  return isfinite(fmu_try(f, h, rate, rate_t, to)) && fmu_accept(f, to, t0 + h, 0);
}

// Integrate to `end` with error control; nothing jumps on the way. `aside` is passed to
// fmu_accept() for the last step.  False after a message: evaluation fails, or steps become too
// small.
static bool fmu_advance(fmu* f, double end, double aside) {
  double to[NX + 1], rate[NX + 1], later[NX + 1], before[NX + 1];
  const double span = end - f->s.t;
  if (!(f->h > 0)) f->h = fmin(span, 1e-4);
  for (long steps = 0; end - f->s.t > 1e-12 * fmax(1, fabs(end)); steps++) {
    double h = fmin(f->h, end - f->s.t);
    const double t = f->s.t, dt = fmin(1e-7 * fmax(1e-3, fabs(t)), 0.5 * h), start = t + f->aside;

    // slopes, their change in time, and the Jacobian at the start
    if (steps > 10000000 || !fmu_rates(f, f->x, start, rate) ||
        !fmu_rates(f, f->x, start + dt, later) || !fmu_jacobians(f)) {
      fmu_say(f, "the step failed: the equations cannot be evaluated");
      return false;
    }
    fmu_matrix(f);
    for (int i = 0; i < NX; i++) later[i] = (later[i] - rate[i]) / dt;

    // shorten the step until its error is small and it passes over nothing
    for (;;) {
      const double error = fmu_try(f, h, rate, later, to);
      const double factor = fmin(5, fmax(0.2, 0.9 * pow(fmax(error, 1e-10), -1.0 / 3)));
      const double inside = error <= 1 ? fmu_passed(f, h, to, rate) : h;
      if (inside < h) {  // once more, to an end inside
        h = inside;
        continue;
      }
      if (error <= 1) {
        const bool last = end - (t + h) <= 1e-12 * fmax(1, fabs(end));
        memcpy(before, f->x, sizeof before);
        if (!fmu_accept(f, to, t + h, last ? aside : 0)) return false;
        f->aside = 0;
        f->h = h * factor;
        if (fmu_stops_before(f)) return fmu_stop_at(f, before, t, h, rate, later);
        break;
      }
      h *= isfinite(error) ? fmin(factor, 0.9) : 0.1;
      if (h < 1e-14 * fmax(1, fabs(f->s.t))) {
        fmu_say(f, "the step failed: the error cannot be kept");
        return false;
      }
    }
  }
  f->s.t = end;
  return true;
}

// ---- calls of importers, in either version ----------------------------------------------------

static bool fmu_setup(fmu* f, bool has_tolerance, double tolerance, double start) {
  if (!isfinite(start)) return false;
  f->s.t = start;
  if (has_tolerance && tolerance > 0) f->tolerance = fmin(1e-3, tolerance);
  return true;
}

// From one mode to the next; the initial state follows what was set before.
static bool fmu_pass(fmu* f, fmu_mode from, fmu_mode to) {
  if (f->mode != from || !fmu_start(f)) return false;
  f->mode = to;
  fmu_events(f, f->events);
  return true;
}

static bool fmu_get_all(fmu* f, const unsigned* vr, size_t n, double* x) {
  if (n > 0 && (!vr || !x)) return false;
  for (size_t i = 0; i < n; i++) {
    if (!fmu_get(f, vr[i], &x[i])) return false;
  }
  return true;
}

static bool fmu_set_all(fmu* f, const unsigned* vr, size_t n, const double* x) {
  if (n > 0 && (!vr || !x)) return false;
  for (size_t i = 0; i < n; i++) {
    if (!fmu_set(f, vr[i], x[i])) return false;
  }
  return true;
}

// Events whose indicator has changed its sign since the last look: does one of them stop the run?
static bool fmu_passed_stop(fmu* f) {
  double g[FMU_NE + 1];
  bool stop = false;
  fmu_events(f, g);
  for (int i = 0; i < FMU_NE; i++) {
    if ((g[i] < 0) != (f->events[i] < 0) && td_event_stops(&the_model, i)) stop = true;
    f->events[i] = g[i];
  }
  return stop;
}

// Is there anything that may jump or have a corner because of time alone?
static bool fmu_has_corners(void) { return the_model.nmotion_slot > 0 || the_model.nclock > 0; }

// Model exchange: jumps of this time, and the next time at which a prescribed speed, a force or a
// strain jumps or has a corner, as far as the experiment goes.
static bool fmu_time_event(fmu* f, bool* changed, bool* next, double* time) {
  enum { PARTS = 256 };
  const double t = f->s.t, margin = td_jump_margin(t, 1);
  const double length = fmax(the_model.settings[1] - t, 1);
  double x[NX + 1];
  memcpy(x, f->x, sizeof x);
  *next = *changed = false;
  *time = 0;
  if (fabs(t - f->t_jump) > 2 * margin && !fmu_jump(f, TD_EDGE_NONE)) return false;
  *changed = memcmp(x, f->x, NX * sizeof(double)) != 0;
  for (int k = 0; k < PARTS && !*next && fmu_has_corners(); k++) {
    const double a = t + length * k / PARTS, b = t + length * (k + 1) / PARTS;
    const double from = k == 0 ? a + 4 * margin : a - margin;
    *time = td_next_corner(&the_model, f->w, from, b, false);
    *time = fmin(*time, td_next_jump(&the_model, f->w, from, fmin(b, *time)));
    *next = *time <= b;
  }
  if (!*next) *time = 0;
  f->t_next = *next ? *time : INFINITY;
  fmu_stale(f);
  return true;
}

// Co-simulation step from t to t + h, past jumps and corners of time functions on the way.  False
// after a message: the unit does not run, t is not where it stands, an event has ended it, or
// integration fails.
static bool fmu_do_step(fmu* f, double t, double h) {
  if (!f->cosim || f->mode != FMU_RUNNING || !isfinite(t) || !(h > 0) || !isfinite(h)) return false;
  if (fabs(t - f->s.t) > 1e-9 * fmax(1, fabs(t))) {
    fmu_say(f, "the step does not begin where the last one has ended");
    return false;
  }
  if (f->stopped) {
    fmu_say(f, "an event has ended the simulation");
    return false;
  }

  // from jump to jump; `margin` keeps evaluations clear of the instant itself
  const double end = t + h, margin = td_jump_margin(end, 1);
  bool ok = true;
  while (ok && !f->stopped && end - f->s.t > 1e-12 * fmax(1, fabs(end))) {
    if (f->straight && !fmu_buckle(f, end)) return false;
    const double from = f->s.t + 2 * margin, past = end + 2 * margin;
    const double corner = td_next_corner(&the_model, f->w, from, past, false);
    const double jump = fmin(corner, td_next_jump(&the_model, f->w, from, fmin(past, corner)));
    const bool jumps = jump <= past;
    f->before = jumps ? 2 * margin : 0;
    f->aside = fmu_has_corners() ? 2 * margin : 0;
    ok = fmu_advance(f, jumps && jump < end - margin ? jump : end, f->before);
    f->before = 0;
    if (ok && jumps && !f->stopped) ok = fmu_jump(f, TD_EDGE_NONE);
    fmu_stale(f);
  }
  return ok;
}

// ---- saved states -----------------------------------------------------------------------------

// Everything an instance is: bytes that any instance of the same model takes back.
typedef struct fmu_saved {
  char guid[sizeof FMU_GUID];
  double t, h, tolerance, t_jump, t_next;
  double x[NX + 1], u[FMU_NU + 1], p[FMU_NP + 1], given[NX + 1], events[FMU_NE + 1];
  bool is_given[NX + 1], stopped, straight;
  fmu_mode mode;
} fmu_saved;

// Save the unit's state, parameters included, in *to, which is allocated if it is NULL. False: no
// memory.
static bool fmu_save(fmu* f, void** to) {
  if (!to) return false;
  fmu_saved* s = *to ? *to : calloc(1, sizeof *s);
  if (!s) return false;
  memcpy(s->guid, FMU_GUID, sizeof s->guid);
  s->t = f->s.t, s->h = f->h, s->tolerance = f->tolerance, s->mode = f->mode;
  s->stopped = f->stopped, s->t_jump = f->t_jump, s->t_next = f->t_next;
  s->straight = f->straight;
  memcpy(s->x, f->x, sizeof s->x);
  memcpy(s->u, f->u, sizeof s->u);
  memcpy(s->given, f->given, sizeof s->given);
  memcpy(s->events, f->events, sizeof s->events);
  memcpy(s->is_given, f->is_given, sizeof s->is_given);
  for (int i = 0; i < FMU_NP; i++) s->p[i] = td_work_param(&the_model, f->w, fmu_params[i]);
  *to = s;
  return true;
}

// Restore a saved state of this unit, parameters included.  False: it is of another unit.
static bool fmu_load(fmu* f, const fmu_saved* s) {
  if (!s || memcmp(s->guid, FMU_GUID, sizeof s->guid) != 0) return false;
  for (int i = 0; i < FMU_NP; i++) {
    if (td_work_param(&the_model, f->w, fmu_params[i]) != s->p[i])
      td_work_put_param(&the_model, f->w, fmu_params[i], s->p[i]);
  }
  f->s.t = s->t, f->h = s->h, f->tolerance = s->tolerance, f->mode = s->mode;
  f->stopped = s->stopped, f->t_jump = s->t_jump, f->t_next = s->t_next;
  f->straight = s->straight;
  memcpy(f->x, s->x, sizeof s->x);
  memcpy(f->u, s->u, sizeof s->u);
  memcpy(f->given, s->given, sizeof s->given);
  memcpy(f->events, s->events, sizeof s->events);
  memcpy(f->is_given, s->is_given, sizeof s->is_given);
  fmu_stale(f);
  return true;
}

static bool fmu_drop(void** s) {
  if (!s) return false;
  free(*s);
  *s = NULL;
  return true;
}

static bool fmu_bytes(const void* s, void* to, size_t n) {
  if (!s || !to || n < sizeof(fmu_saved)) return false;
  memcpy(to, s, sizeof(fmu_saved));
  return true;
}

// Make a saved state of n bytes, which may come from anywhere: those of another model, and numbers
// that no instance can have, are refused.
static bool fmu_from_bytes(const void* from, size_t n, void** to) {
  if (!from || !to || n != sizeof(fmu_saved)) return false;
  fmu_saved* s = malloc(sizeof *s);
  if (!s) return false;
  memcpy(s, from, sizeof *s);
  bool ok = memcmp(s->guid, FMU_GUID, sizeof s->guid) == 0 && isfinite(s->t) && isfinite(s->h) &&
            s->tolerance > 0 && isfinite(s->tolerance) && isfinite(s->t_jump) &&
            !isnan(s->t_next) && (unsigned)s->mode <= FMU_OVER;
  for (int i = 0; i < NX; i++) ok = ok && isfinite(s->x[i]) && isfinite(s->given[i]);
  for (int i = 0; i < FMU_NU; i++) ok = ok && isfinite(s->u[i]);
  for (int i = 0; i < FMU_NP; i++) ok = ok && isfinite(s->p[i]);
  for (int i = 0; i <= NX + 1; i++) {  // bytes that are no truth values
    unsigned char byte;
    memcpy(&byte, i < NX ? &s->is_given[i] : i == NX ? &s->stopped : &s->straight, 1);
    ok = ok && byte <= 1;
  }
  if (!ok) {
    free(s);
    return false;
  }
  *to = s;
  return true;
}
