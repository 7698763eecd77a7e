// The functions of FMI 3.0 on the core before this text.

typedef void* fmi3Instance;
typedef void* fmi3InstanceEnvironment;
typedef void* fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef char fmi3Char;
typedef const fmi3Char* fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte* fmi3Binary;
typedef bool fmi3Clock;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum {
  fmi3Independent,
  fmi3Constant,
  fmi3Fixed,
  fmi3Tunable,
  fmi3Discrete,
  fmi3Dependent
} fmi3DependencyKind;
typedef enum {
  fmi3IntervalNotYetKnown,
  fmi3IntervalUnchanged,
  fmi3IntervalChanged
} fmi3IntervalQualifier;
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64, fmi3Boolean,
                                               fmi3Boolean, fmi3Boolean, fmi3Boolean, fmi3Boolean*,
                                               fmi3Float64*);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

#define EXPORT __attribute__((visibility("default")))
#define NEED(x) \
  if (!(x)) return fmi3Error
#pragma GCC diagnostic ignored "-Wunused-parameter"

typedef struct instance3 {
  fmu* f;
  fmi3LogMessageCallback log;
  fmi3InstanceEnvironment environment;
} instance3;

static void tell(void* user, const char* text) {
  const instance3* i = user;
  if (i->log) i->log(i->environment, fmi3Error, "logStatusError", text);
}

static fmi3Status status3(bool ok) { return ok ? fmi3OK : fmi3Error; }
static fmu* core3(fmi3Instance c) { return c ? ((instance3*)c)->f : NULL; }

EXPORT const char* fmi3GetVersion(void) { return "3.0"; }
EXPORT fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n,
                                      const fmi3String* categories) {
  return status3(c != NULL);
}

static fmi3Instance instantiate(fmi3String name, fmi3String token, fmi3InstanceEnvironment env,
                                fmi3LogMessageCallback log, bool cosim) {
  if (!name || !token || strcmp(token, FMU_GUID) != 0) return NULL;
  instance3* i = calloc(1, sizeof *i);
  if (!i) return NULL;
  i->log = log;
  i->environment = env;
  i->f = fmu_new();
  if (!i->f) {
    free(i);
    return NULL;
  }
  i->f->cosim = cosim;
  i->f->log = tell;
  i->f->user = i;
  return i;
}

EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token,
                                                 fmi3String resources, fmi3Boolean visible,
                                                 fmi3Boolean logging, fmi3InstanceEnvironment env,
                                                 fmi3LogMessageCallback log) {
  return instantiate(name, token, env, log, false);
}
EXPORT fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
    const fmi3ValueReference* intermediate, size_t nintermediate, fmi3InstanceEnvironment env,
    fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update) {
  return instantiate(name, token, env, log, true);
}
EXPORT fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3InstanceEnvironment env, fmi3LogMessageCallback log,
    fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock,
    fmi3UnlockPreemptionCallback unlock) {
  return NULL;
}
EXPORT void fmi3FreeInstance(fmi3Instance c) {
  if (!c) return;
  fmu_free(core3(c));
  free(c);
}

EXPORT fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance,
                                              fmi3Float64 tolerance, fmi3Float64 start,
                                              fmi3Boolean has_stop, fmi3Float64 stop) {
  fmu* f = core3(c);
  NEED(f && f->mode == FMU_MADE && isfinite(start));
  f->s.t = start;
  if (has_tolerance && tolerance > 0) f->tolerance = fmin(1e-3, tolerance);
  NEED(fmu_start(f));
  f->mode = FMU_STARTING;
  return fmi3OK;
}
EXPORT fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
  fmu* f = core3(c);
  NEED(f && f->mode == FMU_STARTING && fmu_start(f));
  f->mode = FMU_RUNNING;
  return fmi3OK;
}
EXPORT fmi3Status fmi3EnterEventMode(fmi3Instance c) { return status3(c != NULL); }
EXPORT fmi3Status fmi3Terminate(fmi3Instance c) {
  NEED(core3(c));
  core3(c)->mode = FMU_OVER;
  return fmi3OK;
}
EXPORT fmi3Status fmi3Reset(fmi3Instance c) {
  NEED(core3(c));
  fmu_reset(core3(c));
  return fmi3OK;
}

EXPORT fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference* vr, size_t n,
                                 fmi3Float64* x, size_t nx) {
  fmu* f = core3(c);
  NEED(f && nx == n && (n == 0 || (vr && x)));
  for (size_t i = 0; i < n; i++) NEED(fmu_get(f, vr[i], &x[i]));
  return fmi3OK;
}
EXPORT fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference* vr, size_t n,
                                 const fmi3Float64* x, size_t nx) {
  fmu* f = core3(c);
  NEED(f && nx == n && (n == 0 || (vr && x)));
  for (size_t i = 0; i < n; i++) NEED(fmu_set(f, vr[i], x[i]));
  return fmi3OK;
}

// There are no other types than Float64.
#define OTHER3(type)                                                                      \
  EXPORT fmi3Status fmi3Get##type(fmi3Instance c, const fmi3ValueReference* vr, size_t n, \
                                  fmi3##type* x, size_t nx) {                             \
    return status3(c && n == 0);                                                          \
  }                                                                                       \
  EXPORT fmi3Status fmi3Set##type(fmi3Instance c, const fmi3ValueReference* vr, size_t n, \
                                  const fmi3##type* x, size_t nx) {                       \
    return status3(c && n == 0);                                                          \
  }
OTHER3(Float32)
OTHER3(Int8)
OTHER3(UInt8)
OTHER3(Int16)
OTHER3(UInt16)
OTHER3(Int32)
OTHER3(UInt32)
OTHER3(Int64)
OTHER3(UInt64)
OTHER3(Boolean)
OTHER3(String)

#define REFUSED3(name, ...) \
  EXPORT fmi3Status name(__VA_ARGS__) { return fmi3Error; }
REFUSED3(fmi3GetBinary, fmi3Instance c, const fmi3ValueReference* vr, size_t n, size_t* sizes,
         fmi3Binary* x, size_t nx)
REFUSED3(fmi3SetBinary, fmi3Instance c, const fmi3ValueReference* vr, size_t n, const size_t* sizes,
         const fmi3Binary* x, size_t nx)
REFUSED3(fmi3GetClock, fmi3Instance c, const fmi3ValueReference* vr, size_t n, fmi3Clock* x)
REFUSED3(fmi3SetClock, fmi3Instance c, const fmi3ValueReference* vr, size_t n, const fmi3Clock* x)
REFUSED3(fmi3GetFMUState, fmi3Instance c, fmi3FMUState* s)
REFUSED3(fmi3SetFMUState, fmi3Instance c, fmi3FMUState s)
REFUSED3(fmi3FreeFMUState, fmi3Instance c, fmi3FMUState* s)
REFUSED3(fmi3SerializedFMUStateSize, fmi3Instance c, fmi3FMUState s, size_t* n)
REFUSED3(fmi3SerializeFMUState, fmi3Instance c, fmi3FMUState s, fmi3Byte* b, size_t n)
REFUSED3(fmi3DeserializeFMUState, fmi3Instance c, const fmi3Byte* b, size_t n, fmi3FMUState* s)
REFUSED3(fmi3GetNumberOfVariableDependencies, fmi3Instance c, fmi3ValueReference vr, size_t* n)
REFUSED3(fmi3GetVariableDependencies, fmi3Instance c, fmi3ValueReference vr, size_t* element,
         fmi3ValueReference* independents, size_t* elements, fmi3DependencyKind* kinds, size_t n)
REFUSED3(fmi3GetAdjointDerivative, fmi3Instance c, const fmi3ValueReference* unknown,
         size_t nunknown, const fmi3ValueReference* known, size_t nknown, const fmi3Float64* seed,
         size_t nseed, fmi3Float64* out, size_t nout)
REFUSED3(fmi3EnterConfigurationMode, fmi3Instance c)
REFUSED3(fmi3ExitConfigurationMode, fmi3Instance c)
REFUSED3(fmi3GetIntervalDecimal, fmi3Instance c, const fmi3ValueReference* vr, size_t n,
         fmi3Float64* x, fmi3IntervalQualifier* k)
REFUSED3(fmi3GetIntervalFraction, fmi3Instance c, const fmi3ValueReference* vr, size_t n,
         fmi3UInt64* x, fmi3UInt64* r, fmi3IntervalQualifier* k)
REFUSED3(fmi3GetShiftDecimal, fmi3Instance c, const fmi3ValueReference* vr, size_t n,
         fmi3Float64* x)
REFUSED3(fmi3GetShiftFraction, fmi3Instance c, const fmi3ValueReference* vr, size_t n,
         fmi3UInt64* x, fmi3UInt64* r)
REFUSED3(fmi3SetIntervalDecimal, fmi3Instance c, const fmi3ValueReference* vr, size_t n,
         const fmi3Float64* x)
REFUSED3(fmi3SetIntervalFraction, fmi3Instance c, const fmi3ValueReference* vr, size_t n,
         const fmi3UInt64* x, const fmi3UInt64* r)
REFUSED3(fmi3SetShiftDecimal, fmi3Instance c, const fmi3ValueReference* vr, size_t n,
         const fmi3Float64* x)
REFUSED3(fmi3SetShiftFraction, fmi3Instance c, const fmi3ValueReference* vr, size_t n,
         const fmi3UInt64* x, const fmi3UInt64* r)
REFUSED3(fmi3GetOutputDerivatives, fmi3Instance c, const fmi3ValueReference* vr, size_t n,
         const fmi3Int32* order, fmi3Float64* x, size_t nx)
REFUSED3(fmi3ActivateModelPartition, fmi3Instance c, fmi3ValueReference clock, fmi3Float64 t)

EXPORT fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference* unknown,
                                               size_t nunknown, const fmi3ValueReference* known,
                                               size_t nknown, const fmi3Float64* seed, size_t nseed,
                                               fmi3Float64* out, size_t nout) {
  fmu* f = core3(c);
  NEED(f && unknown && known && seed && out && nseed == nknown && nout == nunknown);
  return status3(fmu_directional(f, unknown, nunknown, known, nknown, seed, out));
}

// ---- model exchange ---------------------------------------------------------------------------

EXPORT fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c) { return status3(c != NULL); }
EXPORT fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean* again, fmi3Boolean* stop,
                                           fmi3Boolean* nominals, fmi3Boolean* values,
                                           fmi3Boolean* next, fmi3Float64* time) {
  NEED(c && again && stop && nominals && values && next && time);
  *again = *stop = *nominals = *values = *next = false;
  *time = 0;
  return fmi3OK;
}
EXPORT fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) { return status3(c != NULL); }
EXPORT fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean no_set,
                                              fmi3Boolean* event, fmi3Boolean* terminate) {
  NEED(c && event && terminate);
  *event = *terminate = false;
  return fmi3OK;
}
EXPORT fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 t) {
  fmu* f = core3(c);
  NEED(f && isfinite(t));
  f->s.t = t;
  fmu_stale(f);
  return fmi3OK;
}
EXPORT fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64* x, size_t n) {
  fmu* f = core3(c);
  NEED(f && n == NX && x);
  memcpy(f->x, x, NX * sizeof *x);
  fmu_stale(f);
  return fmi3OK;
}
EXPORT fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64* x, size_t n) {
  fmu* f = core3(c);
  NEED(f && n == NX && x);
  memcpy(x, f->x, NX * sizeof *x);
  return fmi3OK;
}
EXPORT fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64* dx, size_t n) {
  fmu* f = core3(c);
  NEED(f && n == NX && dx && fmu_derivatives(f));
  memcpy(dx, f->dx, NX * sizeof *dx);
  return fmi3OK;
}
EXPORT fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64* x, size_t n) {
  return status3(c && n == 0);
}
EXPORT fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64* x, size_t n) {
  NEED(c && n == NX && x);
  for (size_t i = 0; i < n; i++) x[i] = 1;
  return fmi3OK;
}
EXPORT fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t* n) {
  NEED(c && n);
  *n = 0;
  return fmi3OK;
}
EXPORT fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t* n) {
  NEED(c && n);
  *n = NX;
  return fmi3OK;
}

// ---- co-simulation ----------------------------------------------------------------------------

EXPORT fmi3Status fmi3EnterStepMode(fmi3Instance c) { return status3(c != NULL); }
EXPORT fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_set,
                             fmi3Boolean* event, fmi3Boolean* terminate, fmi3Boolean* early,
                             fmi3Float64* last) {
  fmu* f = core3(c);
  NEED(f && f->cosim && f->mode == FMU_RUNNING && isfinite(t) && h > 0 && isfinite(h));
  NEED(event && terminate && early && last);
  *event = *terminate = *early = false;
  if (fabs(t - f->s.t) > 1e-9 * fmax(1, fabs(t))) {
    fmu_say(f, "the step does not begin where the last one has ended");
    return fmi3Error;
  }
  const bool ok = fmu_advance(f, t + h);
  *last = f->s.t;
  return status3(ok);
}
