// The functions of FMI 2.0 on the core before this text.

typedef void* fmi2Component;
typedef void* fmi2ComponentEnvironment;
typedef void* fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char* fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum {
  fmi2DoStepStatus,
  fmi2PendingStatus,
  fmi2LastSuccessfulTime,
  fmi2Terminated
} fmi2StatusKind;
typedef struct {
  void (*logger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
  void* (*allocateMemory)(size_t, size_t);
  void (*freeMemory)(void*);
  void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
  fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;
typedef struct {
  fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged,
      valuesOfContinuousStatesChanged, nextEventTimeDefined;
  fmi2Real nextEventTime;
} fmi2EventInfo;

#define EXPORT __attribute__((visibility("default")))
// Every function checks its instance; NULL is an error, not a crash.
#define NEED(x) \
  if (!(x)) return fmi2Error

typedef struct instance2 {
  fmu* f;
  fmi2CallbackFunctions call;
  char name[128];
} instance2;

static void tell(void* user, const char* text) {
  const instance2* i = user;
  if (i->call.logger) {
    i->call.logger(i->call.componentEnvironment, i->name, fmi2Error, "logStatusError", "%s", text);
  }
}

static fmi2Status status2(bool ok) { return ok ? fmi2OK : fmi2Error; }
static fmu* core2(fmi2Component c) { return c ? ((instance2*)c)->f : NULL; }

EXPORT const char* fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char* fmi2GetVersion(void) { return "2.0"; }
EXPORT fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n,
                                      const fmi2String* categories) {
  (void)on, (void)n, (void)categories;
  return status2(c != NULL);
}

EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                                     fmi2String resources, const fmi2CallbackFunctions* call,
                                     fmi2Boolean visible, fmi2Boolean logging) {
  (void)resources, (void)visible, (void)logging;
  if (!name || !guid || strcmp(guid, FMU_GUID) != 0) return NULL;
  if (type != fmi2ModelExchange && type != fmi2CoSimulation) return NULL;
  instance2* i = calloc(1, sizeof *i);
  if (!i) return NULL;
  if (call) i->call = *call;
  strncpy(i->name, name, sizeof i->name - 1);
  i->f = fmu_new();
  if (!i->f) {
    free(i);
    return NULL;
  }
  i->f->cosim = type == fmi2CoSimulation;
  i->f->log = tell;
  i->f->user = i;
  return i;
}

EXPORT void fmi2FreeInstance(fmi2Component c) {
  if (!c) return;
  fmu_free(core2(c));
  free(c);
}

EXPORT fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance,
                                      fmi2Real tolerance, fmi2Real start, fmi2Boolean has_stop,
                                      fmi2Real stop) {
  fmu* f = core2(c);
  NEED(f);
  (void)has_stop, (void)stop;
  NEED(isfinite(start));
  f->s.t = start;
  if (has_tolerance && tolerance > 0) f->tolerance = fmin(1e-3, tolerance);
  return fmi2OK;
}

EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  fmu* f = core2(c);
  NEED(f && f->mode == FMU_MADE);
  if (!fmu_start(f)) return fmi2Error;
  f->mode = FMU_STARTING;
  return fmi2OK;
}

EXPORT fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  fmu* f = core2(c);
  NEED(f && f->mode == FMU_STARTING);
  if (!fmu_start(f)) return fmi2Error;
  f->mode = FMU_RUNNING;
  return fmi2OK;
}

EXPORT fmi2Status fmi2Terminate(fmi2Component c) {
  fmu* f = core2(c);
  NEED(f);
  f->mode = FMU_OVER;
  return fmi2OK;
}

EXPORT fmi2Status fmi2Reset(fmi2Component c) {
  NEED(core2(c));
  fmu_reset(core2(c));
  return fmi2OK;
}

EXPORT fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference* vr, size_t n,
                              fmi2Real* x) {
  fmu* f = core2(c);
  NEED(f && (n == 0 || (vr && x)));
  for (size_t i = 0; i < n; i++) NEED(fmu_get(f, vr[i], &x[i]));
  return fmi2OK;
}

EXPORT fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference* vr, size_t n,
                              const fmi2Real* x) {
  fmu* f = core2(c);
  NEED(f && (n == 0 || (vr && x)));
  for (size_t i = 0; i < n; i++) NEED(fmu_set(f, vr[i], x[i]));
  return fmi2OK;
}

// There are no other types than Real.
#define OTHER2(type)                                                                       \
  EXPORT fmi2Status fmi2Get##type(fmi2Component c, const fmi2ValueReference* vr, size_t n, \
                                  fmi2##type* x) {                                         \
    (void)vr, (void)x;                                                                     \
    return status2(c && n == 0);                                                           \
  }                                                                                        \
  EXPORT fmi2Status fmi2Set##type(fmi2Component c, const fmi2ValueReference* vr, size_t n, \
                                  const fmi2##type* x) {                                   \
    (void)vr, (void)x;                                                                     \
    return status2(c && n == 0);                                                           \
  }
OTHER2(Integer)
OTHER2(Boolean)
OTHER2(String)

EXPORT fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference* unknown,
                                               size_t nunknown, const fmi2ValueReference* known,
                                               size_t nknown, const fmi2Real* seed, fmi2Real* out) {
  fmu* f = core2(c);
  NEED(f && unknown && known && seed && out);
  return status2(fmu_directional(f, unknown, nunknown, known, nknown, seed, out));
}

// The state of an FMU is its variables: saving it as a whole is not offered.
#define REFUSED2(name, ...) \
  EXPORT fmi2Status name(__VA_ARGS__) { return fmi2Error; }
#pragma GCC diagnostic ignored "-Wunused-parameter"
REFUSED2(fmi2GetFMUstate, fmi2Component c, fmi2FMUstate* s)
REFUSED2(fmi2SetFMUstate, fmi2Component c, fmi2FMUstate s)
REFUSED2(fmi2FreeFMUstate, fmi2Component c, fmi2FMUstate* s)
REFUSED2(fmi2SerializedFMUstateSize, fmi2Component c, fmi2FMUstate s, size_t* n)
REFUSED2(fmi2SerializeFMUstate, fmi2Component c, fmi2FMUstate s, fmi2Byte* b, size_t n)
REFUSED2(fmi2DeSerializeFMUstate, fmi2Component c, const fmi2Byte* b, size_t n, fmi2FMUstate* s)
REFUSED2(fmi2SetRealInputDerivatives, fmi2Component c, const fmi2ValueReference* vr, size_t n,
         const fmi2Integer* order, const fmi2Real* x)
REFUSED2(fmi2GetRealOutputDerivatives, fmi2Component c, const fmi2ValueReference* vr, size_t n,
         const fmi2Integer* order, fmi2Real* x)
REFUSED2(fmi2CancelStep, fmi2Component c)
REFUSED2(fmi2GetStatus, fmi2Component c, const fmi2StatusKind k, fmi2Status* x)
REFUSED2(fmi2GetIntegerStatus, fmi2Component c, const fmi2StatusKind k, fmi2Integer* x)
REFUSED2(fmi2GetBooleanStatus, fmi2Component c, const fmi2StatusKind k, fmi2Boolean* x)
REFUSED2(fmi2GetStringStatus, fmi2Component c, const fmi2StatusKind k, fmi2String* x)

// ---- model exchange ---------------------------------------------------------------------------

EXPORT fmi2Status fmi2EnterEventMode(fmi2Component c) { return status2(c != NULL); }
EXPORT fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { return status2(c != NULL); }

EXPORT fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info) {
  NEED(c && info);
  memset(info, 0, sizeof *info);
  return fmi2OK;
}

EXPORT fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_set,
                                              fmi2Boolean* event, fmi2Boolean* terminate) {
  (void)no_set;
  NEED(c && event && terminate);
  *event = *terminate = 0;
  return fmi2OK;
}

EXPORT fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t) {
  fmu* f = core2(c);
  NEED(f && isfinite(t));
  f->s.t = t;
  fmu_stale(f);
  return fmi2OK;
}

EXPORT fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real* x, size_t n) {
  fmu* f = core2(c);
  NEED(f && n == NX && x);
  memcpy(f->x, x, NX * sizeof *x);
  fmu_stale(f);
  return fmi2OK;
}

EXPORT fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real* x, size_t n) {
  fmu* f = core2(c);
  NEED(f && n == NX && x);
  memcpy(x, f->x, NX * sizeof *x);
  return fmi2OK;
}

EXPORT fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real* dx, size_t n) {
  fmu* f = core2(c);
  NEED(f && n == NX && dx && fmu_derivatives(f));
  memcpy(dx, f->dx, NX * sizeof *dx);
  return fmi2OK;
}

EXPORT fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real* x, size_t n) {
  (void)x;
  return status2(c && n == 0);
}

EXPORT fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real* x, size_t n) {
  NEED(c && n == NX && x);
  for (size_t i = 0; i < n; i++) x[i] = 1;
  return fmi2OK;
}

// ---- co-simulation ----------------------------------------------------------------------------

EXPORT fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_set) {
  fmu* f = core2(c);
  (void)no_set;
  NEED(f && f->cosim && f->mode == FMU_RUNNING && isfinite(t) && h > 0 && isfinite(h));
  if (fabs(t - f->s.t) > 1e-9 * fmax(1, fabs(t))) {
    fmu_say(f, "the step does not begin where the last one has ended");
    return fmi2Error;
  }
  return status2(fmu_advance(f, t + h));
}

EXPORT fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind k, fmi2Real* x) {
  NEED(core2(c) && x && k == fmi2LastSuccessfulTime);
  *x = core2(c)->s.t;
  return fmi2OK;
}
