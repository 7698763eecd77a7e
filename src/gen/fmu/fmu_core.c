// A functional mock-up unit: what both versions of the standard share.  This text follows the
// engine and the model in an exported FMU; it is not part of the library.
//
// States are x = [q, v, integrated controls, internal states].  Here are an instance, its values,
// derivatives and Jacobians; fmu_steps.c integrates.

enum {
  FMU_Z_AT = FMU_NQ + FMU_NV + FMU_NT,  // internal states
  NX = FMU_Z_AT + FMU_NZ,
  FMU_DRIVES = FMU_NU + FMU_NZ,  // inputs and internal states: columns of derivatives
  VR_X = 0,                      // states
  VR_DX = NX,                    // their derivatives
  VR_U = 2 * NX,                 // inputs
  VR_P = VR_U + FMU_NU,          // parameters
  VR_Y = VR_P + FMU_NP,          // sensors
  VR_T = VR_Y + FMU_NY,          // time
  VR_E = VR_T + 1,               // event indicators of the model's events
  VR_G = VR_E + FMU_NE,          // and of one-sided elements
  VR_END = VR_G + FMU_NG
};

typedef enum fmu_mode { FMU_MADE, FMU_STARTING, FMU_RUNNING, FMU_OVER } fmu_mode;

typedef struct fmu {
  td_work* w;
  td_state s;
  double x[NX + 1], u[FMU_NU + 1];  // s.q and s.v point into x
  double y[FMU_NY + 1], dx[NX + 1];
  double given[NX + 1];  // states set before the start
  bool is_given[NX + 1], fresh_y, fresh_dx, cosim;
  bool driven[NX + 1];  // states that follow from time alone: nothing depends on their values
  double tolerance, h;
  fmu_mode mode;
  double *Aq, *Av, *Au, *N, *Nplus, *dN;  // Jacobians
  double *Rq, *Rv, *Ru;                   // of the rates of internal states
  double *J, *W, *k;                      // of the integrator
  int* pivot;
  double* guard;         // of one-sided elements: at both ends, bounds, speeds, scratch
  double aside, before;  // of jumps at the begin and the end of a step: times keep away by this
  double t_jump;         // where jumps were dealt with last
  double t_next;         // the next time event that was announced for model exchange
  bool straight;  // prescribed motion finds rods of loops straight here: they may have to buckle
  bool stopped;   // an event has ended the simulation
  double events[FMU_NE + 1];  // event indicators when they were last dealt with
  void (*log)(void* user, const char* text, bool note);
  void* user;
} fmu;

// An instance of either version begins with its core.
static fmu* core_of(void* instance) { return instance ? *(fmu**)instance : NULL; }

static void fmu_say(fmu* f, const char* text) {
  if (f->log) f->log(f->user, text, false);
}
static void fmu_note(fmu* f, const char* text) {
  if (f->log) f->log(f->user, text, true);
}

static size_t fmu_doubles(void) {
  const size_t nv = FMU_NV, nq = FMU_NQ, nx = NX;
  return 2 * nv * nv + nv * FMU_DRIVES + nq * nv + nv * nq + nq * nq + 2 * nx * nx + 6 * nx + 64 +
         FMU_NZ * (2 * nv + FMU_DRIVES);
}

static void fmu_free(fmu* f) {
  if (!f) return;
  if (f->w) free(f->w->block);
  free(f->Aq);
  free(f->pivot);
  free(f->guard);
  free(f);
}

// The engine's memory, opened one instance at a time.
static td_work* fmu_work(void) {
  static volatile int busy;
  while (__sync_lock_test_and_set(&busy, 1)) {
  }
  td_memory = malloc(FMU_MEMORY);
  td_memory_left = td_memory ? FMU_MEMORY : 0;
  char* block = td_memory;
  td_work* w = block ? td_work_new(&the_model) : NULL;
  if (!w) free(block);
  __sync_lock_release(&busy);
  return w;
}

// Allocate a unit at the start time of the model, with default inputs.  NULL: no memory.
static fmu* fmu_new(void) {
  fmu* f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->w = fmu_work();
  f->Aq = calloc(fmu_doubles(), sizeof(double));
  f->pivot = calloc(NX + 1, sizeof(int));
  f->guard = calloc((TD_GUARD_LEVELS + 4) * (size_t)FMU_NG + 1, sizeof(double));
  if (!f->w || !f->Aq || !f->pivot || !f->guard) {
    fmu_free(f);
    return NULL;
  }
  f->Av = f->Aq + FMU_NV * FMU_NV;
  f->Au = f->Av + FMU_NV * FMU_NV;
  f->N = f->Au + FMU_NV * FMU_DRIVES;
  f->Nplus = f->N + FMU_NQ * FMU_NV;
  f->dN = f->Nplus + FMU_NV * FMU_NQ;
  f->J = f->dN + FMU_NQ * FMU_NQ;
  f->W = f->J + NX * NX;
  f->Rq = f->W + NX * NX;
  f->Rv = f->Rq + FMU_NZ * FMU_NV;
  f->Ru = f->Rv + FMU_NZ * FMU_NV;
  f->k = f->Ru + FMU_NZ * FMU_DRIVES;
  f->s = (td_state){
      .t = the_model.settings[0], .q = f->x, .v = f->x + FMU_NQ, .u = f->u, .z = f->x + FMU_Z_AT};
  f->tolerance = the_model.settings[3];
  f->t_next = INFINITY;
  for (int i = 0; i < FMU_NU; i++) f->u[i] = the_model.input[i].value;
  return f;
}

// The engine reads integrated controls from its work.
static void fmu_targets(fmu* f) {
  for (int i = 0; i < FMU_NT; i++) td_targets(f->w)[i] = f->x[FMU_NQ + FMU_NV + i];
}

static void fmu_stale(fmu* f) { f->fresh_y = f->fresh_dx = false; }

// Apply impulses where prescribed speeds jump at this time.  Where rods of loops are straight and
// must buckle, co-simulation does it at its next step, and model exchange is refused.  False after
// a message.
static bool fmu_jump(fmu* f, td_edge edge) {
  static const double ahead = 10;
  double work, v[FMU_NV + 1];
  bool moved;
  f->t_jump = f->s.t;
  f->straight = td_stuck(&the_model, &f->s, f->w, f->s.t + ahead) > 0;
  if (f->straight && f->cosim) return true;
  if (f->straight) {
    fmu_say(f,
            "prescribed motion finds rods of its loops straight, which can give way only by "
            "buckling: model exchange cannot do that, use co-simulation");
    return false;
  }
  if (td_jump(&the_model, &f->s, f->w, td_jump_margin(f->s.t, 1), edge, &work, &moved) != TD_OK) {
    fmu_say(f, td_work_failure(f->w));
    return false;
  }
  memcpy(v, f->s.v, FMU_NV * sizeof(double));
  td_prescribe(&the_model, f->w, &f->s);
  if (moved) memcpy(f->s.v, v, FMU_NV * sizeof(double));
  return true;
}

// Set the initial state for the parameters that were set; states that the importer has given have
// precedence.  False after a message.
static bool fmu_start(fmu* f) {
  double u[FMU_NU + 1];
  const double t = f->s.t;
  for (int i = 0; i < FMU_NU; i++) u[i] = f->u[i];
  const td_status status = td_state_initial(&the_model, f->w, &f->s);
  f->s.t = t;
  for (int i = 0; i < FMU_NU; i++) f->u[i] = u[i];
  for (int i = 0; i < FMU_NT; i++) f->x[FMU_NQ + FMU_NV + i] = td_targets(f->w)[i];
  for (int i = 0; i < NX; i++) {
    if (f->is_given[i]) f->x[i] = f->given[i];
  }
  const bool jumped = status != TD_OK || fmu_jump(f, TD_EDGE_START);
  fmu_stale(f);
  if (!jumped) return false;
  if (status != TD_OK) fmu_say(f, "the initial state cannot be found");
  return status == TD_OK;
}

// ---- derivatives and outputs ------------------------------------------------------------------

// dx/dt at (t, x); the unit's own time and states stay as they are.  False: the dynamics fail.
static bool fmu_rates(fmu* f, const double* x, double t, double* dx) {
  double own[NX + 1], time = f->s.t;
  memcpy(own, f->x, sizeof own);
  if (x != f->x) memcpy(f->x, x, NX * sizeof(double));
  f->s.t = t;
  fmu_targets(f);
  const bool ok = td_trial_dynamics(&the_model, &f->s, f->w) == TD_OK;
  for (int i = 0; i < FMU_NQ; i++) dx[i] = 0;
  td_qdot(&the_model, f->w->q, f->w->v, dx);
  for (int i = 0; i < FMU_NV; i++) dx[FMU_NQ + i] = f->w->vdot[i];
  if (FMU_NT > 0) {
    td_target_rates(&the_model, &f->s, f->w, f->x + FMU_NQ + FMU_NV, dx + FMU_NQ + FMU_NV);
  }
  for (int i = 0; i < FMU_NZ; i++) dx[FMU_Z_AT + i] = td_work_rates(&the_model, f->w)[i];
  memcpy(f->x, own, sizeof own);
  f->s.t = time;
  return ok;
}

// Until a time event has been dealt with, rates are those before it, also at its very time; right
// behind it they are those after it.
static double fmu_event_side(const fmu* f) {
  const double t = f->s.t, aside = 2 * td_jump_margin(t, 1);
  if (f->cosim || f->mode != FMU_RUNNING) return t;
  if (fabs(t - f->t_next) <= aside) return f->t_next - aside;
  if (fabs(t - f->t_jump) <= aside) return f->t_jump + aside;
  return t;
}

static bool fmu_derivatives(fmu* f) {
  if (!f->fresh_dx && td_refuse_folds(&the_model, &f->s, f->w) != TD_OK) {
    fmu_say(f, td_work_failure(f->w));
    return false;
  }
  if (!f->fresh_dx && !fmu_rates(f, f->x, fmu_event_side(f), f->dx)) {
    fmu_say(f, "the accelerations cannot be found: the mass matrix is singular");
    return false;
  }
  return f->fresh_dx = true;
}

static bool fmu_outputs(fmu* f) {
  if (f->fresh_y) return true;
  fmu_targets(f);
  if (td_trial_sensors(&the_model, &f->s, f->w, f->y) != TD_OK) {
    fmu_say(f, "the sensors cannot be evaluated");
    return false;
  }
  return f->fresh_y = true;
}

static void fmu_events(fmu* f, double* g) {
  fmu_targets(f);
  if (FMU_NE > 0) td_event_values(&the_model, &f->s, f->w, g);
}

// Event indicators of one-sided elements: gaps and arguments of switches.  What is out of reach has
// no gap; importers want a number.
static void fmu_gaps(fmu* f, double* g) {
  static const double far = 1e3;
  if (FMU_NG == 0) return;
  fmu_targets(f);
  td_guard_values(&the_model, &f->s, f->w, g, f->guard);
  for (int i = 0; i < FMU_NG; i++)
    if (!isfinite(g[i])) g[i] = g[i] < 0 ? -far : far;
}

// ---- values -----------------------------------------------------------------------------------

// Get the value of the variable with the value reference vr: a state, its derivative, an input, a
// parameter, a sensor, the time or an event indicator.  Derivatives, sensors and indicators are
// evaluated on demand.  Before initialization, all but inputs, parameters and time are those of the
// initial state, which is computed first.  False: an evaluation failed or no variable has this
// reference.
static bool fmu_get(fmu* f, unsigned vr, double* value) {
  if (f->mode == FMU_MADE && vr < VR_U && !fmu_start(f)) return false;
  if (vr < VR_DX) {
    *value = f->x[vr];
  } else if (vr < VR_U) {
    if (!fmu_derivatives(f)) return false;
    *value = f->dx[vr - VR_DX];
  } else if (vr < VR_P) {
    *value = f->u[vr - VR_U];
  } else if (vr < VR_Y) {
    *value = td_work_param(&the_model, f->w, fmu_params[vr - VR_P]);
  } else if (vr < VR_T) {
    if (f->mode == FMU_MADE && !fmu_start(f)) return false;
    if (!fmu_outputs(f)) return false;
    *value = f->y[vr - VR_Y];
  } else if (vr == VR_T) {
    *value = f->s.t;
  } else if (vr < VR_END) {
    double g[FMU_NE + FMU_NG + 1];
    if (f->mode == FMU_MADE && !fmu_start(f)) return false;
    fmu_events(f, g);
    fmu_gaps(f, g + FMU_NE);
    *value = g[vr - VR_E];
  } else {
    fmu_say(f, "there is no variable with this reference");
    return false;
  }
  return true;
}

// Set the variable with value reference vr: a state, an input within its range, or, before the unit
// runs, a parameter.  False after a message.
static bool fmu_set(fmu* f, unsigned vr, double value) {
  if (!isfinite(value)) {
    fmu_say(f, "values must be finite");
    return false;
  }
  fmu_stale(f);
  if (vr < VR_DX) {
    f->x[vr] = f->given[vr] = value;
    f->is_given[vr] = true;
    return true;
  }
  if (vr >= VR_U && vr < VR_P) {
    const model_named* input = &the_model.input[vr - VR_U];
    if (!model_admits(&the_model, input, value)) {
      char text[200];
      snprintf(text, sizeof text, "input '%.80s' has the range [%g %g], it was to be set to %g",
               model_name(&the_model, input->name), input->low, input->high, value);
      fmu_say(f, text);
      return false;
    }
    f->u[vr - VR_U] = value;
    return true;
  }
  if (vr >= VR_P && vr < VR_Y && f->mode != FMU_RUNNING) {
    if (td_work_set_param(&the_model, f->w, fmu_params[vr - VR_P], value) == TD_OK) return true;
    fmu_say(f, td_work_failure(f->w));
    return false;
  }
  fmu_say(f, "this variable cannot be set, or not now");
  return false;
}

static void fmu_reset(fmu* f) {
  for (int i = 0; i < FMU_NP; i++) {
    td_work_put_param(&the_model, f->w, fmu_params[i], the_model.param[fmu_params[i]].value);
  }
  for (int i = 0; i < FMU_NU; i++) f->u[i] = the_model.input[i].value;
  memset(f->is_given, 0, sizeof f->is_given);
  f->s.t = the_model.settings[0];
  f->h = 0;
  f->stopped = false;
  f->t_next = INFINITY;
  f->mode = FMU_MADE;
  fmu_stale(f);
}

// ---- Jacobians --------------------------------------------------------------------------------

// Evaluate the derivatives at the present state: N, N⁺, d(N v)/dq, those of v' and of internal
// states; f->driven marks prescribed coordinates.  False: the dynamics fail.
static bool fmu_jacobians(fmu* f) {
  fmu_targets(f);
  td_qdot_matrix(&the_model, f->s.q, f->N);
  for (int i = 0; i < FMU_NV; i++) f->driven[FMU_NQ + i] = the_model.vel[i].motion != NUM_NONE;

  // a position is prescribed if only prescribed velocities move it
  for (int k = 0; k < FMU_NQ; k++) {
    bool moves = false, free = false;
    for (int i = 0; i < FMU_NV; i++) {
      if (f->N[k * FMU_NV + i] == 0) continue;
      *(f->driven[FMU_NQ + i] ? &moves : &free) = true;
    }
    f->driven[k] = moves && !free;
  }
  td_qdot_inverse(&the_model, f->s.q, f->Nplus);
  td_qdot_dq(&the_model, f->s.q, f->s.v, f->dN);
  if (td_trial_forward_tangent(&the_model, &f->s, f->w, f->Aq, f->Av,
                               FMU_DRIVES > 0 ? f->Au : NULL) != TD_OK)
    return false;
  if (FMU_NZ > 0) td_trial_internal_tangent(&the_model, &f->s, f->w, f->Rq, f->Rv, f->Ru);
  return true;
}

// Change of the states' derivatives, out, for changes dx of states and du of inputs, by the
// derivatives of fmu_jacobians().  Prescribed coordinates do not change.
static void fmu_change(const fmu* f, const double* dx, const double* du, double* out) {
  double dq[FMU_NV + 1], change[NX + 1];
  for (int i = 0; i < NX; i++) change[i] = f->driven[i] ? 0 : dx[i];
  dx = change;

  // positions as displacements along the velocities
  const double* dv = dx + FMU_NQ;
  for (int i = 0; i < FMU_NV; i++) {
    dq[i] = 0;
    for (int k = 0; k < FMU_NQ; k++) dq[i] += f->Nplus[i * FMU_NQ + k] * dx[k];
  }

  // positions, velocities, internal states, integrated controls
  for (int i = 0; i < FMU_NQ; i++) {
    out[i] = 0;
    for (int k = 0; k < FMU_NQ; k++) out[i] += f->dN[i * FMU_NQ + k] * dx[k];
    for (int k = 0; k < FMU_NV; k++) out[i] += f->N[i * FMU_NV + k] * dv[k];
  }
  for (int i = 0; i < FMU_NV; i++) {
    double sum = 0;
    for (int k = 0; k < FMU_NV; k++) {
      sum += f->Aq[i * FMU_NV + k] * dq[k] + f->Av[i * FMU_NV + k] * dv[k];
    }
    for (int k = 0; k < FMU_NU; k++) sum += f->Au[i * FMU_DRIVES + k] * du[k];
    for (int k = 0; k < FMU_NZ; k++) sum += f->Au[i * FMU_DRIVES + FMU_NU + k] * dx[FMU_Z_AT + k];
    out[FMU_NQ + i] = sum;
  }
  for (int i = 0; i < FMU_NZ; i++) {
    double sum = 0;
    for (int k = 0; k < FMU_NV; k++)
      sum += f->Rq[i * FMU_NV + k] * dq[k] + f->Rv[i * FMU_NV + k] * dv[k];
    for (int k = 0; k < FMU_NU; k++) sum += f->Ru[i * FMU_DRIVES + k] * du[k];
    for (int k = 0; k < FMU_NZ; k++) sum += f->Ru[i * FMU_DRIVES + FMU_NU + k] * dx[FMU_Z_AT + k];
    out[FMU_Z_AT + i] = sum;
  }
  for (int i = 0; i < FMU_NT; i++) {
    out[FMU_NQ + FMU_NV + i] = i % 2 == 0 ? dx[FMU_NQ + FMU_NV + i + 1] : 0;
  }
}

// Directional derivatives of unknowns (derivatives of states, outputs) along the direction `seed`
// of knowns (states, inputs), all given by value references.  False after a message: other
// variables, or the derivatives fail.
static bool fmu_directional(fmu* f, const unsigned* unknown, size_t nunknown, const unsigned* known,
                            size_t nknown, const double* seed, double* out) {
  double dx[NX + 1] = {0}, du[FMU_NU + 1] = {0}, ddx[NX + 1], dq[FMU_NV + 1];
  bool outputs = false;

  // the direction
  for (size_t i = 0; i < nknown; i++) {
    if (known[i] < VR_DX) {
      dx[known[i]] += seed[i];
    } else if (known[i] >= VR_U && known[i] < VR_P) {
      du[known[i] - VR_U] += seed[i];
    } else {
      fmu_say(f, "derivatives are with respect to states and inputs");
      return false;
    }
  }

  // derivatives of states
  if (!fmu_jacobians(f)) return false;
  fmu_change(f, dx, du, ddx);
  for (size_t i = 0; i < nunknown; i++) {
    if (unknown[i] >= VR_DX && unknown[i] < VR_U) {
      out[i] = ddx[unknown[i] - VR_DX];
    } else if (unknown[i] >= VR_Y && unknown[i] < VR_T) {
      outputs = true;
    } else {
      fmu_say(f, "derivatives are of state derivatives and outputs");
      return false;
    }
  }

  // outputs, by the tangent of the sensors
  if (!outputs) return true;
  for (int i = 0; i < NX; i++)
    if (f->driven[i]) dx[i] = 0;
  for (int i = 0; i < FMU_NV; i++) {
    dq[i] = 0;
    for (int k = 0; k < FMU_NQ; k++) dq[i] += f->Nplus[i * FMU_NQ + k] * dx[k];
  }
  double* C = malloc((size_t)FMU_NY * (2 * FMU_NV + FMU_DRIVES + 1) * sizeof(double) + 8);
  if (!C) return false;
  double *Cv = C + FMU_NY * FMU_NV, *Cu = Cv + FMU_NY * FMU_NV;
  const bool ok = td_sensor_tangent(&the_model, &f->s, f->w, C, Cv, Cu, NULL) == TD_OK;
  for (size_t i = 0; ok && i < nunknown; i++) {
    if (unknown[i] < VR_Y) continue;
    const unsigned row = unknown[i] - VR_Y;
    out[i] = 0;
    for (int k = 0; k < FMU_NV; k++) {
      out[i] +=
          C[row * FMU_NV + (unsigned)k] * dq[k] + Cv[row * FMU_NV + (unsigned)k] * dx[FMU_NQ + k];
    }
    for (int k = 0; k < FMU_NU; k++) out[i] += Cu[row * FMU_DRIVES + (unsigned)k] * du[k];
    for (int k = 0; k < FMU_NZ; k++)
      out[i] += Cu[row * FMU_DRIVES + FMU_NU + (unsigned)k] * dx[FMU_Z_AT + k];
  }
  free(C);
  if (!ok) fmu_say(f, "a sensor of forces cannot be differentiated");
  return ok;
}
